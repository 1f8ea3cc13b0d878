/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Landlock is not used: a process in a Landlock domain may not inspect processes outside of it,
 * whatever capability it has (since 5.13), so memtallyd could measure none.
 */
#include "config.h"

#include "daemon/children/drop-privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/os/rights.h"
#include "confine/filter.h"
#include "confine/limits.h"
#include "service/renounce.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38 /* Linux 5.8 */
#endif

/* memtallyd takes about 1 GiB on a host of a million processes. */
#define DATA_BYTES          (UINT64_C(1) << 30)
#define MEASURER_DATA_BYTES (UINT64_C(64) << 20)
#define RESOLVER_DATA_BYTES (UINT64_C(256) << 20)

/* As in linux/kcmp.h, which glibc's packages do not all have. */
enum { COMPARE_MM = 1, COMPARE_TYPE = 2 };

/* Limits on processes of one uid, set only if the uid was taken because no other process has it. */
enum {
	PROCESSES = 64, /* memtallyd, a trial's two, and those of several daemons of one uid */
	/* The fork server, a resolver, one that hangs; another container may use the same uid */
	FORK_SERVER_PROCESSES = 16,
};

/*
 * Calls of passes. kcmp() is allowed for address spaces only, since it also tells which processes
 * share which files.
 */
static const struct filter_call pass_calls[] = {
	FILTER_CALL("memfd_create"),
	FILTER_CALL_IS("fcntl", 1, F_ADD_SEALS),
	FILTER_CALL_IS("fcntl64", 1, F_ADD_SEALS),
	FILTER_CALL_IS("kcmp", COMPARE_TYPE, COMPARE_MM),
	FILTER_CALL("inotify_init1"), /* snapshot leases: service/leases.c */
	FILTER_CALL("inotify_add_watch"),
	FILTER_CALL("fstatfs"),
	FILTER_CALL("fstatfs64"),
	FILTER_CALL("sched_getaffinity"),
	FILTER_CALL_IS("sched_setaffinity", 0, 0), /* pid 0, its own thread: lanes_gather() */
	/* daemon/memory-lock.c */
	FILTER_CALL_IS("mlock2", 2, MLOCK_ONFAULT),
	FILTER_CALL("munlock"),
	FILTER_CALL("rt_sigpending"), /* whether to continue to wait for a worker */
	FILTER_CALL("timerfd_create"),
	FILTER_CALL("timerfd_settime"),
	FILTER_CALL("timerfd_settime64"),
	/* A channel to each resolver; the other end goes to the fork server. */
	FILTER_CALL_IS("socketpair", 0, AF_UNIX),
};
static const struct filter_list filter_pass = FILTER_LIST(pass_calls);

/*
 * The children of a trial (collectors/process/self/lock-trial.c) set limits, drop the rest of their
 * rights, and report.
 */
static const struct filter_call trial_calls[] = {
	FILTER_CALL("dup2"),
	FILTER_CALL("dup3"),
	FILTER_CALL("pipe"),
	FILTER_CALL("pipe2"),
	FILTER_CALL("alarm"),
	FILTER_CALL("setitimer"),
	FILTER_CALL("setrlimit"),
	FILTER_CALL("capget"),
	FILTER_CALL("capset"),
	FILTER_CALL_IS("prctl", 0, PR_SET_NO_NEW_PRIVS),
	FILTER_CALL_IS("prctl", 0, PR_CAP_AMBIENT),
	FILTER_CALL_BOTH("prctl", 0, FILTER_INT, PR_SET_DUMPABLE, 1, UINT64_MAX, 0),
};
static const struct filter_list filter_trial = FILTER_LIST(trial_calls);

/* Each child of the fork server loads a filter of its own, in addition. */
static const struct filter_call fork_server_calls[] = {
	FILTER_CALL("seccomp"),
	FILTER_CALL_IS("prctl", 0, PR_SET_SECCOMP),
	FILTER_CALL_IS("prctl", 0, PR_GET_SECCOMP),
};
static const struct filter_list filter_fork_server = FILTER_LIST(fork_server_calls);

/*
 * The parent of measuring workers, and the workers: they read, compare address spaces, and end with
 * their parents.
 */
static const struct filter_call measurer_calls[] = {
	FILTER_CALL_IS("kcmp", COMPARE_TYPE, COMPARE_MM),
	FILTER_CALL_IS("prctl", 0, PR_SET_NAME),
	FILTER_CALL_IS("prctl", 0, PR_SET_PDEATHSIG),
	FILTER_CALL_IS("sched_setaffinity", 0, 0),
	FILTER_CALL("sched_getaffinity"),
};
static const struct filter_list filter_measurers = FILTER_LIST(measurer_calls);

/*
 * Calls of the name services of glibc, systemd, sssd, winbind and nslcd. Modules are loaded at the
 * first lookup.
 */
static const struct filter_call names_calls[] = {
	FILTER_CALL_IF("mmap", 2, PROT_EXEC | PROT_WRITE, PROT_EXEC),
	FILTER_CALL_IF("mmap2", 2, PROT_EXEC | PROT_WRITE, PROT_EXEC),
	FILTER_CALL_IS("fcntl", 1, F_GETLK),
	FILTER_CALL_IS("fcntl", 1, F_SETLK),
	FILTER_CALL_IS("fcntl", 1, F_SETLKW),
	FILTER_CALL_IS("fcntl64", 1, F_GETLK),
	FILTER_CALL_IS("fcntl64", 1, F_SETLK),
	FILTER_CALL_IS("fcntl64", 1, F_SETLKW),
	FILTER_CALL_IS("ioctl", 1, FIONREAD),
	FILTER_CALL_IS("ioctl", 1, FIONBIO),
	FILTER_CALL_IS("ioctl", 1, TCGETS),
	FILTER_CALL("dup"),
	FILTER_CALL("select"),
	FILTER_CALL("_newselect"),
	FILTER_CALL("pselect6"),
	FILTER_CALL("pselect6_time64"),
	FILTER_CALL("statfs"),
	FILTER_CALL("statfs64"),
	FILTER_CALL("fstatfs"),
	FILTER_CALL("fstatfs64"),
	FILTER_CALL("timerfd_create"),
	FILTER_CALL("timerfd_settime"),
	FILTER_CALL("timerfd_settime64"),
	FILTER_CALL("getgroups"),
	FILTER_CALL("getgroups32"),
	FILTER_CALL("getresuid"),
	FILTER_CALL("getresuid32"),
	FILTER_CALL("getresgid"),
	FILTER_CALL("getresgid32"),
	FILTER_CALL("sched_yield"),
	FILTER_CALL_IS("prctl", 0, PR_SET_NAME),
	FILTER_CALL_IS("prctl", 0, PR_GET_NAME),
	FILTER_CALL_IS("prctl", 0, PR_SET_PDEATHSIG),
};
static const struct filter_list filter_names = FILTER_LIST(names_calls);

/* Returns -ESRCH if no uid of PART is free. */
static int drop_privileges_take(enum account_part part, struct account *ret)
{
	int r = account_take(ACCOUNT_PASSWD, part, ret);

	if (r < 0)
		log_error("cannot read " ACCOUNT_PASSWD ": %s", strerror(-r));
	else if (r == ACCOUNT_ABSENT)
		log_error("no uid from %d to %d is free", ACCOUNT_FIRST, ACCOUNT_LAST);
	return r == ACCOUNT_ABSENT ? -ESRCH : r;
}

int drop_privileges_accounts(struct account *ret_daemon, struct account *ret_resolver)
{
	struct account daemon, resolver;
	int r = account_choose("memtally", &daemon);

	if (r < 0) {
		log_error("cannot read " ACCOUNT_PASSWD ": %s", strerror(-r));
		return r;
	}
	if (r == ACCOUNT_ABSENT) {
		r = drop_privileges_take(ACCOUNT_DAEMON, &daemon);
		if (r < 0)
			return r;
		log_warning(
			"there is no user memtally to become: memtallyd runs as the unused uid %u",
			daemon.uid);
	}
	resolver = daemon;
	r = geteuid() == 0 ? drop_privileges_take(ACCOUNT_RESOLVER, &resolver) : 0;
	if (r < 0)
		return r;
	*ret_daemon = daemon;
	*ret_resolver = resolver;
	return 0;
}

/* Reading other processes takes one of these. */
static const int reading_rights[] = {CAP_SYS_PTRACE, CAP_PERFMON};

int drop_privileges_measurers(const struct account *account)
{
	static const struct filter_list *const lists[] = {
		&filter_base, &filter_unix, &filter_children, &filter_measurers};
	int kept, r = rights_keep(reading_rights, ARRAY_SIZE(reading_rights), account->uid,
			  account->gid, account->uid, &kept);

	if (r >= 0)
		r = limits_set(MEASURER_DATA_BYTES, account->is_taken ? PROCESSES : LIMITS_ANY);
	if (r >= 0)
		r = filter_load(lists, ARRAY_SIZE(lists));
	return r < 0 ? r : 0;
}

int drop_privileges_daemon(const struct account *account, bool has_socket_file)
{
	/* The last one only if there is a socket file to remove. */
	static const struct filter_list *const lists[] = {&filter_base, &filter_unix,
		&filter_server, &filter_children, &filter_pass, &filter_trial, &filter_unlink};
	int kept, r = rights_keep(reading_rights, ARRAY_SIZE(reading_rights), account->uid,
			  account->gid, account->uid, &kept);

	r = renounce_check_user(r, account->uid, RENOUNCE_ADVICE);
	if (r < 0)
		return r;
	r = limits_set(DATA_BYTES, account->is_taken ? PROCESSES : LIMITS_ANY);
	if (r < 0) {
		log_error("cannot set limits: %s", strerror(-r));
		return r;
	}
	return renounce_calls(lists, ARRAY_SIZE(lists) - !has_socket_file);
}

int drop_privileges_fork_server(const struct account *account, uid_t master)
{
	static const struct filter_list *const lists[] = {
		&filter_base, &filter_unix, &filter_names, &filter_children, &filter_fork_server};
	int kept, r = rights_keep(NULL, 0, account->uid, account->gid, master, &kept);

	if (r >= 0)
		r = limits_set(RESOLVER_DATA_BYTES,
			account->is_taken ? FORK_SERVER_PROCESSES : LIMITS_ANY);
	if (r >= 0)
		r = filter_load(lists, ARRAY_SIZE(lists));
	return r < 0 ? r : 0;
}

int drop_privileges_resolver(void)
{
	static const struct filter_list *const lists[] = {
		&filter_base, &filter_unix, &filter_names};
	int r = filter_load(lists, ARRAY_SIZE(lists));

	return r < 0 ? r : 0;
}
