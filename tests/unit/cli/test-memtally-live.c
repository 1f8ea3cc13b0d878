/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memtally makes a pass of its own, over this host's /proc: when, and of which processes.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "collectors/pass/pass.h"
#include "collectors/process/self/mapcounts.h"
#include "tests/unit/support/cli/invoked.h"

/* The result of the map count trial; MAPCOUNTS_UNKNOWN: run the real trial. */
static enum mapcounts_verdict verdict;

void __real_mapcounts_await(struct mapcounts *m, int timeout_ms);
void __wrap_mapcounts_await(struct mapcounts *m, int timeout_ms);

void __wrap_mapcounts_await(struct mapcounts *m, int timeout_ms)
{
	if (verdict == MAPCOUNTS_UNKNOWN) {
		__real_mapcounts_await(m, timeout_ms);
		return;
	}
	mapcounts_done(m);
	m->verdict = verdict;
}

/* The number of processes that are said to be blocked, from pid 101. */
static int blocked, blocked_given;

bool __wrap_pass_next_blocked(struct pass *pass, uint64_t least_ns, struct pass_blocked *ret);

bool __wrap_pass_next_blocked(struct pass *pass, uint64_t least_ns, struct pass_blocked *ret)
{
	(void)pass;
	(void)least_ns;
	if (blocked_given == blocked)
		return false;
	*ret = (struct pass_blocked){
		.pid = 101 + blocked_given++, .file = "maps", .duration_ns = 500 * NS_PER_MSEC};
	return true;
}

static void makes_a_pass_without_memtallyd(void **state)
{
	static const char *const args[INVOKED_ARGS] = {"host", "--json"};
	AUTO_RUNNING struct running r = {0};
	json_t *json;

	(void)state;
	invoked_run(args, &r);
	json = invoked_load(&r, "host");
	assert_true(json_integer_value(
			    json_object_get(json_object_get(json, "host"), "processes")) > 0);
	running_check_says(&r, "memtally: read now, with the rights of ");
	running_check_says(&r, "(no snapshot from memtallyd: socket: No such file or directory)");
	assert_false(invoked_has_interval(json)); /* memtally's own pass has no schedule */
	json_decref(json);
}

/* Without rules all processes are in (none), which looks like rules that match nothing. */
static void asks_for_rules_if_there_are_no_namegroups(void **state)
{
	static const char *const live[INVOKED_ARGS] = {"namegroups", "--live"},
				 *const served[INVOKED_ARGS] = {"namegroups"};
	static const char hint[] =
		"warning: no process is in a namegroup: is naming.process_exporter set?\n";
	struct sample_options options = invoked_sample();
	AUTO_RUNNING struct running r = {0}, with_groups = {0};

	(void)state;
	invoked_run(live, &r);
	assert_int_equal(r.status, 0);
	running_check_says(&r, hint);
	invoked_run_served(&options, served, &with_groups);
	assert_null(strstr(with_groups.err.data, hint));
}

static void live_does_not_ask_memtallyd(void **state)
{
	static const char *const args[INVOKED_ARGS] = {"processes", "--json", "--live"};
	struct sample_options options = invoked_sample();
	AUTO_RUNNING struct running r = {0};
	bool found = false;
	json_t *json, *row;
	size_t i;

	(void)state;
	invoked_run_served(&options, args, &r);
	json = invoked_load(&r, "processes");
	json_array_foreach(json_object_get(json, "processes"), i, row)
		found = found ||
	                json_integer_value(json_object_get(row, "pid")) == (json_int_t)getpid();
	assert_true(found);
	assert_false(invoked_has_interval(json));
	running_check_says(&r, "memtally: read now, with the rights of ");
	assert_null(strstr(r.err.data, "memtallyd:"));
	json_decref(json);
}

/* The warning names three processes at most. */
static void warns_of_blocked_processes_in_one_line(void **state)
{
	static const char *const args[INVOKED_ARGS] = {"host", "--live"};
	static const struct {
		int blocked;
		const char *said;
	} cases[] = {
		{1, "memtally: warning: 1 process is not measured, because the kernel blocks readers of "
		    "its files in /proc: pid 101 (maps, for 500 ms)\n"},
		{3, "pid 101 (maps, for 500 ms), pid 102 (maps, for 500 ms), pid 103 (maps, for "
		    "500 ms)\n"},
		{61, "memtally: warning: 61 processes are not measured, because the kernel blocks readers "
		     "of their files in /proc: pid 101 (maps, for 500 ms), pid 102 (maps, for 500 "
		     "ms), pid 103 (maps, for 500 ms) and 58 more\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_RUNNING struct running r = {0};

		blocked = cases[i].blocked;
		invoked_run(args, &r);
		blocked = 0;
		assert_int_equal(r.status, 0);
		running_check_says(&r, cases[i].said);
		assert_null(strstr(r.err.data, "pid 104"));
	}
}

/* Returns the width of the PSS bounds of this process, in bytes, if the trial finds KERNEL. */
static json_int_t own_width(enum mapcounts_verdict kernel, struct running *ret)
{
	static const char *const args[INVOKED_ARGS] = {"processes", "--json", "--live"};
	json_int_t width = -1;
	json_t *json, *row;
	size_t i;

	verdict = kernel;
	invoked_run(args, ret);
	verdict = MAPCOUNTS_UNKNOWN;
	json = invoked_load(ret, "processes");
	json_array_foreach(json_object_get(json, "processes"), i,
		row) if (json_integer_value(json_object_get(row, "pid")) == (json_int_t)getpid())
		width = json_integer_value(json_object_get(row, "pss_high_bytes")) -
	                json_integer_value(json_object_get(row, "pss_low_bytes"));
	json_decref(json);
	return width;
}

/* This process shares the C library with others, in folios that may be large. */
static void live_widens_bounds_for_averaged_map_counts(void **state)
{
	static const char warning[] = "this kernel averages the map counts of large folios";
	AUTO_RUNNING struct running exact = {0}, averaged = {0};

	(void)state;
	assert_in_range(own_width(MAPCOUNTS_EXACT, &exact), 0, 4096);
	assert_null(strstr(exact.err.data, warning));
	assert_true(own_width(MAPCOUNTS_AVERAGED, &averaged) > 65536);
	running_check_says(&averaged, warning);
}

/*
 * A stale snapshot is not shown, nor one without processes if they are needed. The message says
 * why.
 */
static void makes_a_pass_if_the_snapshot_will_not_do(void **state)
{
	struct sample_options options[] = {invoked_sample(), invoked_sample(), invoked_sample()};
	static const struct {
		const char *args[INVOKED_ARGS];
		const char *said;
	} cases[] = {
		{{"users"}, "(memtallyd's last snapshot is too old: 2 min 3 s)"},
		{{"processes"},
			"(memtallyd shows single processes to root, group memtally and its own user only)"},
		{{"users", "--program=bash"},
			"(memtallyd shows single processes to root, group memtally and its own user only)"},
	};

	char name[16];

	(void)state;
	assert_int_equal(prctl(PR_GET_NAME, name), 0);
	assert_int_equal(prctl(PR_SET_NAME, "bash"), 0); /* so that every host has such a process */
	options[0].boottime_ns -= 120 * NS_PER_SEC;
	options[1].is_public = options[2].is_public = true;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_RUNNING struct running r = {0};

		invoked_run_served(&options[i], cases[i].args, &r);
		assert_int_equal(r.status, 0);
		running_check_says(&r, "read now, with the rights of ");
		running_check_says(&r, cases[i].said);
	}
	assert_int_equal(prctl(PR_SET_NAME, name), 0);
}

/*
 * If memtallyd shows a user only sums, memtally measures the user's own processes itself. For
 * other selections it uses the sums.
 */
static void measures_a_users_own_processes(void **state)
{
	static const char *const text[INVOKED_ARGS] = {"processes"},
				 *const json[INVOKED_ARGS] = {"processes", "--json"},
				 *const users[INVOKED_ARGS] = {"users", "--pid=1", "--json"},
				 *const some[INVOKED_ARGS] = {"users", "--user=alice"};
	const uid_t uid = geteuid() ? geteuid() : 4711;
	AUTO_RUNNING struct running r = {0}, all = {0}, other = {0}, sums = {0};
	struct sample_options options = invoked_sample();
	json_t *found, *rows;

	(void)state;
	options.is_public = true;
	assert_int_equal(chmod(".", 0755), 0);
	invoked_run_served_as(uid, &options, text, &r);
	assert_int_equal(r.status, 0);
	running_check_says(&r, "memtally: your own processes, read now, with the rights of ");
	assert_null(strstr(r.err.data, "could not be read"));
	assert_null(strstr(r.err.data, "no permission")); /* the sums of all users are known */
	running_check_prints(&r, ", PSS of all users 596.3 MiB, MemTotal ");

	invoked_run_served_as(uid, &options, json, &all);
	found = invoked_load(&all, "processes");
	assert_true(json_array_size(json_object_get(found, "processes")) > 0);
	rows = json_object_get(found, "processes");
	for (size_t i = 0; i < json_array_size(rows); i++)
		assert_int_equal(
			json_integer_value(json_object_get(json_array_get(rows, i), "uid")), uid);
	json_decref(found);

	invoked_run_served_as(uid, &options, users, &other);
	assert_int_equal(other.status, 1);
	running_check_says(&other,
		"error: no process of yours with memory matches --pid=1; other users' processes are "
		"hidden from you: run as root\n");

	invoked_run_served_as(uid, &options, some, &sums);
	assert_int_equal(sums.status, 0);
	running_check_prints(&sums, "489.7 MiB  3.1 430.9 MiB 700.2 MiB 1.0 MiB         4 alice\n");
	running_check_says(&sums, "from memtallyd's snapshot of ");
}

/*
 * Without memtallyd a user sees the sums of his own processes, and a line for all others. --live
 * shows every process.
 */
static void sums_a_users_own_processes_without_memtallyd(void **state)
{
	static const char *const users[INVOKED_ARGS] = {"users"},
				 *const live[INVOKED_ARGS] = {"users", "--live"},
				 *const host[INVOKED_ARGS] = {"host", "--json"};
	AUTO_RUNNING struct running own = {0}, all = {0}, whole = {0};

	(void)state;
	if (geteuid())
		skip(); /* there may be no other users */
	invoked_run_as(4711, users, &own);
	assert_int_equal(own.status, 0);
	running_check_says(&own, "memtally: your own processes, read now, with the rights of ");
	running_check_says(&own, ": no permission, RSS ");
	running_check_says(&own, "iB; run as root, or run memtallyd and join group memtally\n");
	running_check_prints(&own, " total of 1 user, MemTotal ");
	running_check_prints(&own, " 4711\n");
	invoked_run_as(4711, live, &all);
	assert_int_equal(all.status, 0);
	assert_null(strstr(all.err.data, "no permission"));
	running_check_prints(&all, " root ");
	invoked_run_as(4711, host, &whole);
	assert_int_equal(whole.status, 0);
	assert_null(strstr(whole.err.data, "your own"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(makes_a_pass_without_memtallyd),
		cmocka_unit_test(asks_for_rules_if_there_are_no_namegroups),
		cmocka_unit_test(live_does_not_ask_memtallyd),
		cmocka_unit_test(warns_of_blocked_processes_in_one_line),
		cmocka_unit_test(live_widens_bounds_for_averaged_map_counts),
		cmocka_unit_test(makes_a_pass_if_the_snapshot_will_not_do),
		cmocka_unit_test(measures_a_users_own_processes),
		cmocka_unit_test(sums_a_users_own_processes_without_memtallyd),
	};

	return cmocka_run_group_tests(tests, invoked_enter, invoked_leave);
}
