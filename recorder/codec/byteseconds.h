/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predicts SCOPE_PSS_BYTE_SECONDS, which grows in each row of owners at each pass
 *
 * collectors/owners/owner-sums.c adds the mean of the last and the new PSS times the time between
 * them. The time is a parameter of the prediction. Integers alone, so that each build of memtally
 * predicts the same. Pure.
 */
#ifndef MEMTALLY_RECORDER_CODEC_BYTESECONDS_H
#define MEMTALLY_RECORDER_CODEC_BYTESECONDS_H

#include <stdint.h>

/*
 * Returns about the bits of the double with BITS, plus (A + B) / 2 * ELAPSED_NS / 1e9. Returns BITS
 * if that is not normal or is negative, or if the sum would be more than about twice as large.
 */
uint64_t byteseconds_predict(uint64_t bits, uint64_t a, uint64_t b, uint64_t elapsed_ns);

/*
 * Returns for which time byteseconds_predict() predicts about the bits TO from the bits FROM; 0: for
 * none. The result is a guess: it may depend on the build.
 */
uint64_t byteseconds_guess(uint64_t from, uint64_t to, uint64_t a, uint64_t b);

#endif
