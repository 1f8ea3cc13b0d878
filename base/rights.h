/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For child processes that need no rights.
 */
#ifndef MEMTALLY_BASE_RIGHTS_H
#define MEMTALLY_BASE_RIGHTS_H

/*
 * Gives up every capability, and uid 0 with it, for good. Whoever had any is no longer dumpable, since it guards what
 * it may have inherited. Negative errno: it may have rights left.
 */
int rights_drop(void);

#endif
