/* SPDX-License-Identifier: ISC */
/* The clock for time-outs: CLOCK_MONOTONIC, from any origin. */
#ifndef MONOTONIC_H
#define MONOTONIC_H

#include <stdint.h>

int64_t monotonic_us(void);
int64_t monotonic_ms(void);

#endif
