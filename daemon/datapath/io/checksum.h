/* SPDX-License-Identifier: ISC */
/*
 * Checksums that a sender's kernel left to its device.  On a virtual link no
 * device finishes them; the receiver's kernel knows from the packet's books,
 * but whoever takes the octets alone would send on a wrong checksum.
 */
#ifndef CHECKSUM_H
#define CHECKSUM_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Where the kernel says that it is: the sum of all from start on goes to
 * offset behind start.  False: that lies outside of the frame.
 */
bool checksum_complete(uint8_t *frame, uint32_t len, uint32_t start,
    uint32_t offset);

/*
 * Finishes the checksum of TCP or UDP over IPv4 or IPv6, behind up to two VLAN
 * tags, when the field holds the sum of the pseudo header, which is what the
 * kernel leaves there.  A finished one that happens to look like that is
 * computed anew, and comes out the same.  True: it looked unfinished.
 */
bool checksum_finish(uint8_t *frame, uint32_t len);

#endif
