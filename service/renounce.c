/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "service/renounce.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/os/rights.h"
#include "base/os/userns.h"
#include "confine/limits.h"

int renounce_check_user(int outcome, uid_t uid, const char *advice)
{
	bool stays = outcome == RIGHTS_SAME_USER || (outcome == 0 && uid == 0);

	if (stays && userns_is_root_outside())
		outcome = -EPERM;
	else if (stays)
		log_warning("uid 0 stays: it cannot become another user here");
	if (outcome < 0)
		log_error("cannot give up rights: %s", stays ? advice : strerror(-outcome));
	return outcome < 0 ? outcome : 0;
}

int renounce_rights(
	const struct account *account, uint64_t data_bytes, uint64_t processes, const char *advice)
{
	int kept, r = rights_keep(NULL, 0, account->uid, account->gid, account->uid, &kept);

	r = renounce_check_user(r, account->uid, advice);
	if (r < 0)
		return r;
	/* It may hold keys, or usage of users, which must not be in a core dump. */
	if (!SANITIZED && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0) {
		r = -errno;
		log_error("cannot give up rights: %s", strerror(-r));
		return r;
	}
	r = limits_set(data_bytes, processes);
	if (r < 0)
		log_error("cannot set limits: %s", strerror(-r));
	return r;
}

static int leave_files(renounce_rules *rules, const void *context)
{
	const char *notify = getenv("NOTIFY_SOCKET");
	struct landlock l;
	int r = landlock_open(notify && *notify == '@', &l);

	if (r < 0 || r == LANDLOCK_UNSUPPORTED)
		return r;
	r = rules(&l, context);
	if (r == 0)
		r = landlock_enter(&l);
	landlock_close(&l);
	return r;
}

int renounce_files(renounce_rules *rules, const void *context)
{
	/* A sanitizer writes reports, and reads symbols from the program's file. */
	int r = filter_is_wide() ? LANDLOCK_UNSUPPORTED : leave_files(rules, context);

	if (r < 0)
		log_error("cannot give up files: %s", strerror(-r));
	if (r == LANDLOCK_UNSUPPORTED)
		log_info(
			"files cannot be given up: this kernel has no Landlock, or it is disabled");
	return r;
}

int renounce_calls(const struct filter_list *const *lists, size_t count)
{
	int r = filter_load(lists, count);

	if (r < 0)
		log_error("cannot give up system calls: %s", strerror(-r));
	if (r == FILTER_UNSUPPORTED)
		log_warning("system calls cannot be given up: this kernel has no seccomp filters");
	return r < 0 ? r : 0;
}
