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
#include "confine/filter.h"
#include "confine/limits.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38 /* Linux 5.8 */
#endif

/* A host of a million processes takes about that much. */
#define DATA_BYTES          (UINT64_C(1) << 30)
#define RESOLVER_DATA_BYTES (UINT64_C(256) << 20)

/* As in linux/kcmp.h, which glibc's packages do not all have. */
enum { COMPARE_MM = 1, COMPARE_TYPE = 2 };

/* Snapshots are made, and address spaces are told apart: kcmp() would also tell who shares which files. */
static const struct filter_call pass_calls[] = {
	FILTER_CALL("memfd_create"),
	FILTER_CALL_IS("kcmp", COMPARE_TYPE, COMPARE_MM),
};
static const struct filter_list filter_pass = FILTER_LIST(pass_calls);

static void give_up_calls(void)
{
	static const struct filter_list *const lists[] = {
		&filter_base, &filter_unix, &filter_children, &filter_pass};
	int r = filter_load(lists, ARRAY_SIZE(lists));

	if (r < 0)
		log_warning("can't give up system calls: %s", strerror(-r));
	else if (r == FILTER_UNSUPPORTED)
		log_warning("system calls can't be given up: this kernel has no seccomp filters");
}

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
	give_up_calls();
	return 0;
}

int narrow_resolver(const struct account *account)
{
	static const struct filter_list *const lists[] = {&filter_base, &filter_unix};
	int kept, r = rights_keep(NULL, 0, account->uid, account->gid, &kept);

	if (r >= 0)
		r = limits_set(RESOLVER_DATA_BYTES);
	if (r >= 0)
		r = filter_load(lists, ARRAY_SIZE(lists));
	return r < 0 ? r : 0;
}
