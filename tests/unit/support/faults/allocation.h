/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocations that fail on demand
 *
 * For tests that are linked with $(WRAP_ALLOCATION). A test runs the same work with its first,
 * second, ... allocation failing, until no allocation fails:
 *
 *     for (unsigned int n = 1; ; n++) {
 *             allocation_fail_at(n);
 *             r = work();
 *             if (!allocation_end())
 *                     break;
 *             assert_int_equal(r, -ENOMEM);
 *     }
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_FAULTS_ALLOCATION_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_FAULTS_ALLOCATION_H

#include <stdbool.h>

/* Makes the Nth allocation from now on fail, once; 0: no allocation fails. */
void allocation_fail_at(unsigned int n);

/*
 * Lets all allocations succeed again. Returns true if the allocation that was to fail was reached.
 */
bool allocation_end(void);

/* Returns the number of allocations since the last allocation_fail_at(). */
unsigned int allocation_count(void);

#endif
