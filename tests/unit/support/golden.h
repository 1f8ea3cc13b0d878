/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares whole outputs, byte for byte, with files in tests/fixtures/golden/. A change of the
 * output then shows in the diff of a commit. If UPDATE_GOLDEN is set in the environment, the file
 * is written instead.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_GOLDEN_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_GOLDEN_H

#include "base/buffer.h"

/*
 * Fails the test if BODY differs from the golden file NAME, and prints the position of the first
 * difference.
 */
void golden_check(const char *name, const struct buffer *body);

#endif
