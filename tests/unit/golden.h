/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole bodies, byte for byte, against tests/fixtures/golden/: what a reader of a change sees of it.
 * With UPDATE_GOLDEN in the environment the file is written instead of compared.
 */
#ifndef MEMTALLY_TESTS_UNIT_GOLDEN_H
#define MEMTALLY_TESTS_UNIT_GOLDEN_H

#include "base/buffer.h"

/* Fails the test where BODY differs from the golden file NAME, and says at which byte. */
void golden_check(const char *name, const struct buffer *body);

#endif
