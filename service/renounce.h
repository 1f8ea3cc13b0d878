/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a service without rights gives up before it does anything for anybody, for good: rights, then files, then system calls.
 * How; what is left, each service says. Whatever the kernel has not is said on the log. Negative errno of any: what should have
 * been given up may be left, it is on the log, and nothing must be done.
 */
#ifndef MEMTALLY_SERVICE_RENOUNCE_H
#define MEMTALLY_SERVICE_RENOUNCE_H

#include <stddef.h>
#include <stdint.h>

#include "confine/account.h"
#include "confine/filter.h"
#include "confine/landlock.h"

/*
 * Becomes ACCOUNT if it is root, without any capability, not dumpable, with at most DATA_BYTES of private memory and PROCESSES
 * as limits_set() has them. -EPERM, too, where it is root of the host and can't leave that: then ADVICE is on the log.
 */
int renounce_rights(
	const struct account *account, uint64_t data_bytes, uint64_t processes, const char *advice);

/* Adds what may be used to the set of rules, by CONTEXT. Negative errno. */
typedef int renounce_rules(struct landlock *l, const void *context);

/* All files but what RULES allow. 0, or LANDLOCK_UNSUPPORTED. */
int renounce_files(renounce_rules *rules, const void *context);

/* All system calls but those of the COUNT lists. 0, also where the kernel has no filters. */
int renounce_calls(const struct filter_list *const *lists, size_t count);

#endif
