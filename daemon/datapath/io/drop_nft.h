/* SPDX-License-Identifier: ISC */
/*
 * The drop of drop.h by nftables, which any user has in a network namespace of
 * its own.  A frame costs about a tenth more than by drop_bpf.h.
 */
#ifndef DROP_NFT_H
#define DROP_NFT_H

struct drop_nft;

int drop_nft_open(struct drop_nft **); /* 0 or -errno */
/* Once more for the same interface does no harm.  0 or -errno. */
int drop_nft_add(struct drop_nft *, const char *ifname);
void drop_nft_close(struct drop_nft *); /* NULL is fine */

#endif
