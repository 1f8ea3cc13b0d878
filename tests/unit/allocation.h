/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocations that fail on demand, for tests linked with $(WRAP_ALLOCATION). A test runs the same
 * work with its first, second ... allocation failing until none fails any more:
 *
 *     for (unsigned int n = 1; ; n++) {
 *             allocation_fail_at(n);
 *             r = work();
 *             if (!allocation_end())
 *                     break;
 *             assert_int_equal(r, -ENOMEM);
 *     }
 */
#ifndef MEMTALLY_TESTS_UNIT_ALLOCATION_H
#define MEMTALLY_TESTS_UNIT_ALLOCATION_H

#include <stdbool.h>

/* The Nth allocation from now on fails, once; 0: none does. */
void allocation_fail_at(unsigned int n);

/* Back to normal; whether the allocation that was to fail has been reached. */
bool allocation_end(void);

/* Allocations since the last allocation_fail_at(). */
unsigned int allocation_count(void);

#endif
