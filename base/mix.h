/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mixing of Bits
 *
 * For hashes of numbers, where base/siphash.h would take too long. Each bit of the result depends on
 * each bit of the argument (the finalizer of SplitMix64). A user who chooses arguments can make the
 * results collide, so add a secret to the arguments. Pure.
 */
#ifndef MEMTALLY_BASE_MIX_H
#define MEMTALLY_BASE_MIX_H

#include <stdint.h>

/* Returns another number for each Z. */
static inline uint64_t mix_bits(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

#endif
