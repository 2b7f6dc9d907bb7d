/* SPDX-License-Identifier: ISC */
/*
 * Every fuzz target is one function, LLVMFuzzerTestOneInput().  libFuzzer
 * calls it when the tree is configured with --enable-fuzz; otherwise
 * replay.c feeds it the corpus, as a test of `make check`.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
