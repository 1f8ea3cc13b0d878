/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Not by Landlock: a process in a Landlock domain may look into none outside of it, whatever capability it has (since
 * 5.13), and so would measure nobody.
 */
#include "config.h"

#include "daemon/narrow.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/rights.h"
#include "confine/limits.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38 /* Linux 5.8 */
#endif

/* A host of a million processes takes about that much. */
#define DATA_BYTES (UINT64_C(1) << 30)

void narrow_account(struct account *ret)
{
	*ret = (struct account){.uid = geteuid(), .gid = getegid()};
	if (ret->uid != 0 || account_find("/etc/passwd", "memtally", ret) == 0)
		return;
	log_warning(
		"there is no user memtally to become: root becomes nobody (%d)", ACCOUNT_NOBODY);
	*ret = (struct account){.uid = ACCOUNT_NOBODY, .gid = ACCOUNT_NOBODY};
}

int narrow_daemon(const struct account *account)
{
	static const int wanted[] = {CAP_SYS_PTRACE, CAP_PERFMON};
	int kept, r = rights_keep(wanted, ARRAY_SIZE(wanted), account->uid, account->gid, &kept);

	if (r < 0) {
		log_error("can't give up rights: %s", strerror(-r));
		return r;
	}
	if (r == RIGHTS_SAME_USER)
		log_warning("uid 0 stays: it can't become another user here");
	r = limits_set(DATA_BYTES);
	if (r < 0)
		log_warning("can't set limits: %s", strerror(-r));
	return 0;
}
