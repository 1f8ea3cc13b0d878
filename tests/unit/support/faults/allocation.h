/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocations that fail on demand
 *
 * For tests that are linked with $(WRAP_ALLOCATION). A test runs the same work with its first,
 * second, ... allocation failing, until no allocation fails:
 *
 *     for (unsigned int n = 1; n; n = allocation_next(n)) {
 *             allocation_fail_at(n);
 *             allocation_check(work());
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

/*
 * As allocation_end(), for work that returned R: fails the test unless R is -ENOMEM if the
 * allocation was reached, and 0 if not. Returns true if it was reached.
 */
bool allocation_check(int r);

/*
 * Returns N + 1 if the allocation that was to fail was reached, and 0 if it was not. Fails the test
 * if N is 1 and it was not reached: the work allocates nothing.
 */
unsigned int allocation_next(unsigned int n);

/*
 * Returns the number of allocations since the last allocation_fail_at(), to allocation_end() or
 * allocation_check() if one was called since.
 */
unsigned int allocation_count(void);

#endif
