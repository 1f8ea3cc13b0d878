/* SPDX-License-Identifier: Apache-2.0 */
/* Standard output that is full. For tests that are linked with $(WRAP_FULL). */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_FAULTS_FULL_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_FAULTS_FULL_H

/* From now on each write() to standard output fails with ENOSPC. */
void full_begin(void);

/* Ends that. Returns how many writes have failed. */
unsigned int full_end(void);

#endif
