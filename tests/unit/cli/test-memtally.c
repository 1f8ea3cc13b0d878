/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of the whole program, run in a child: output, messages and exit status. A server stands in
 * for memtallyd and sends the sample. A pass of memtally's own reads this host's /proc.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <grp.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/os/channel.h"
#include "cli/memtally.h"
#include "collectors/process/self/mapcounts.h"
#include "snapshot/usage.h"
#include "tests/unit/support/folder.h"
#include "tests/unit/support/process/running.h"
#include "tests/unit/support/snapshot/sample.h"

enum { ARGS_MAX = 8 };

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

static int enter_folder(void **state)
{
	unsetenv("RUNTIME_DIRECTORY");
	return folder_enter(state);
}

static int leave_folder(void **state)
{
	unlink("ledger");
	return folder_leave(state);
}

/*
 * Forks a child that serves the sample on "socket" to one client until that disconnects. Returns
 * its pid.
 */
static pid_t publish(const struct sample_options *options)
{
	AUTO_CLOSE int listener = -1;
	pid_t child;

	assert_int_equal(channel_listen("socket", SOCK_SEQPACKET, 0600, 1, &listener), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		AUTO_CLOSE int image = -1;
		struct pollfd p = {.fd = listener, .events = POLLIN};
		char c;
		int client;

		if (sample_seal(options, &image) < 0 || poll(&p, 1, -1) < 0)
			_exit(1);
		client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (client < 0 || channel_send_fd(client, image) < 0 || recv(client, &c, 1, 0) != 0)
			_exit(1);
		_exit(0);
	}
	return child;
}

static void unpublish(pid_t child)
{
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	unlink("socket");
}

static void become(uid_t uid)
{
	if (uid != geteuid() && (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 ||
					setresuid(uid, uid, uid) < 0))
		_exit(98);
	prctl(PR_SET_DUMPABLE,
		/*
		 * dumpable, like a program that the user executed, so that its workers can read it
		 */
		1);
}

struct asked {
	uid_t uid;
	const char *const *args;
};

static int ask_memtally(void *context)
{
	const struct asked *asked = context;
	char *argv[ARGS_MAX + 5] = {(char *)(uintptr_t) "memtally",
		(char *)(uintptr_t) "--snapshot.socket=socket",
		(char *)(uintptr_t) "--config.file=/dev/null"};
	int argc = 3;

	for (size_t i = 0; i < ARGS_MAX && asked->args[i]; i++)
		argv[argc++] = (char *)(uintptr_t)asked->args[i];
	become(asked->uid);
	return memtally_run(argc, argv);
}

/*
 * run_as(): runs memtally with ARGS as UID; run(): as this user; run_into(): with standard output
 * going to OUTPUT.
 */
static void run_as(uid_t uid, const char *const args[static ARGS_MAX], struct running *ret)
{
	struct asked asked = {uid, args};

	running_do(ask_memtally, &asked, -1, ret);
}

static void run(const char *const args[static ARGS_MAX], struct running *ret)
{
	run_as(geteuid(), args, ret);
}

static void run_into(int output, const char *const args[static ARGS_MAX], struct running *ret)
{
	struct asked asked = {geteuid(), args};

	running_do(ask_memtally, &asked, output, ret);
}

int __real_clock_gettime(clockid_t clock, struct timespec *ret);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);

/*
 * CLOCK_BOOTTIME stands still at the start of the test plus one day, so that ages are exact and
 * the host has run for a day.
 */
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	static struct timespec began;

	if (clock != CLOCK_BOOTTIME)
		return __real_clock_gettime(clock, ret);
	if (!began.tv_sec && __real_clock_gettime(clock, &began) < 0)
		return -1;
	*ret = began;
	ret->tv_sec += 86400;
	return 0;
}

/* Returns options for a sample that is three seconds old. */
static struct sample_options fresh(void)
{
	return (struct sample_options){
		.boottime_ns = clock_now_ns(CLOCK_BOOTTIME) - 3 * NS_PER_SEC,
	};
}

/* If memtallyd counts users in another way than the command line asks for, memtally says so. */
static void says_how_users_are_counted(void **state)
{
	static const struct {
		const char *args[ARGS_MAX];
		const char *says, *not_says;
		bool by_login;
	} cases[] = {
		{{"users"}, "snapshot of 3 s ago", "accounting.user", false},
		{{"users", "--accounting.user=ruid"},
			" ago; users by euid (accounting.user of memtallyd)\n", NULL, false},
		{{"users"}, "; users by loginuid (accounting.user of memtallyd)\n", NULL, true},
		{{"users", "--accounting.user=loginuid"}, "snapshot of 3 s ago", "accounting.user",
			true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sample_options options = fresh();
		AUTO_RUNNING struct running r = {0};
		pid_t publisher;

		options.by_login = cases[i].by_login;
		publisher = publish(&options);
		run(cases[i].args, &r);
		unpublish(publisher);
		assert_int_equal(r.status, 0);
		running_check_says(&r, cases[i].says);
		assert_true(!cases[i].not_says || !strstr(r.err.data, cases[i].not_says));
	}
}

static void shows_memtallyds_snapshot(void **state)
{
	static const char *const args[ARGS_MAX] = {"users", "--limit=2"};
	struct sample_options options = fresh();
	pid_t publisher = publish(&options);
	AUTO_RUNNING struct running r = {0};

	(void)state;
	run(args, &r);
	unpublish(publisher);
	assert_int_equal(r.status, 0);
	assert_string_equal(r.out.data,
		"      PSS       USS       RSS    SWAP PROCESSES USER  NOTE\n"
		"489.7 MiB 430.9 MiB 700.2 MiB 1.0 MiB         4 alice\n"
		" 69.7 MiB  69.4 MiB  74.2 MiB 0.0 KiB         2 bob\n"
		"---------------------------------------------------------\n"
		"596.3 MiB 534.0 MiB 829.6 MiB       -        16 total of 8 users (6 not shown), "
		"MemTotal 15.6 GiB, 4 not measured, PSS at least 596.3 MiB\n");
	running_check_says(&r, "memtally: from memtallyd's snapshot of 3 s ago\n");
	running_check_says(&r, "warning: 1 of 16 processes could not be read");
	running_check_says(&r, "1 malformed, 1 changing, 1 error\n");
}

/* Only unmeasured processes of the selection cause a warning. */
static void warns_about_the_selection_only(void **state)
{
	static const struct {
		const char *args[ARGS_MAX];
		const char *said; /* NULL: no warning */
	} cases[] = {
		{{"processes", "--program=bash"}, NULL},
		{{"users", "--user=alice"}, NULL},
		{{"programs", "--user=alice"}, NULL},
		{{"host", "--user=alice"}, NULL},
		{{"processes", "--user=root"}, "warning: 1 of 4 processes could not be read"},
		{{"users", "--user=root", "--json"}, "warning: 1 of 4 processes could not be read"},
		{{"programs", "--user=root"}, "warning: 1 of 4 processes could not be read"},
		{{"host"}, "warning: 1 of 16 processes could not be read"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sample_options options = fresh();
		pid_t publisher = publish(&options);
		AUTO_RUNNING struct running r = {0};

		run(cases[i].args, &r);
		unpublish(publisher);
		assert_int_equal(r.status, 0);
		if (cases[i].said)
			running_check_says(&r, cases[i].said);
		else
			assert_null(strstr(r.err.data, "warning"));
	}
}

static json_t *load(const struct running *r, const char *list)
{
	json_t *json = json_loads(r->out.data, JSON_REJECT_DUPLICATES, NULL);

	assert_int_equal(r->status, 0);
	assert_non_null(json);
	assert_non_null(json_object_get(json, "snapshot"));
	assert_non_null(json_object_get(json, list));
	return json;
}

static void json_is_complete(void **state)
{
	static const char *const lists[] = {"users", "programs", "units", "processes"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		const char *const args[ARGS_MAX] = {lists[i], "--json"};
		struct sample_options options = fresh();
		AUTO_RUNNING struct running r = {0};
		pid_t publisher;
		json_t *json;

		options.more = 1000;
		publisher = publish(&options);
		run(args, &r);
		unpublish(publisher);
		json = load(&r, lists[i]);
		assert_true(json_array_size(json_object_get(json, lists[i])) > 8);
		if (!strcmp(lists[i], "processes"))
			assert_int_equal(json_array_size(json_object_get(json, lists[i])),
				1000 + SAMPLE_PROCESSES);
		assert_int_equal(r.out.data[r.out.len - 2], '\n');
		json_decref(json);
	}
}

static bool has_interval(json_t *json)
{
	return json_object_get(json_object_get(json, "snapshot"), "interval_seconds") != NULL;
}

static void json_has_the_selection(void **state)
{
	static const char *const args[ARGS_MAX] = {
		"users", "--program=bash", "--json", "--limit=1"};
	struct sample_options options = fresh();
	pid_t publisher = publish(&options);
	AUTO_RUNNING struct running r = {0};
	json_t *json, *row;

	(void)state;
	run(args, &r);
	unpublish(publisher);
	json = load(&r, "users");
	assert_int_equal(json_array_size(json_object_get(json, "users")), 1);
	row = json_array_get(json_object_get(json, "users"), 0);
	assert_string_equal(json_string_value(json_object_get(row, "user")), "alice");
	assert_int_equal(json_integer_value(json_object_get(row, "pss_bytes")), 1500 * 1024);
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(json, "snapshot"), "sequence")),
		SAMPLE_SEQUENCE);
	assert_true(has_interval(json));
	json_decref(json);
}

static void makes_a_pass_without_memtallyd(void **state)
{
	static const char *const args[ARGS_MAX] = {"host", "--json"};
	AUTO_RUNNING struct running r = {0};
	json_t *json;

	(void)state;
	run(args, &r);
	json = load(&r, "host");
	assert_true(json_integer_value(
			    json_object_get(json_object_get(json, "host"), "processes")) > 0);
	running_check_says(&r, "memtally: read now, with the rights of ");
	running_check_says(&r, "(no snapshot from memtallyd: socket: No such file or directory)");
	assert_false(has_interval(json)); /* memtally's own pass has no schedule */
	json_decref(json);
}

static void live_does_not_ask_memtallyd(void **state)
{
	static const char *const args[ARGS_MAX] = {"processes", "--json", "--live"};
	struct sample_options options = fresh();
	pid_t publisher = publish(&options);
	AUTO_RUNNING struct running r = {0};
	bool found = false;
	json_t *json, *row;
	size_t i;

	(void)state;
	run(args, &r);
	unpublish(publisher);
	json = load(&r, "processes");
	json_array_foreach(json_object_get(json, "processes"), i, row)
		found = found ||
	                json_integer_value(json_object_get(row, "pid")) == (json_int_t)getpid();
	assert_true(found);
	assert_false(has_interval(json));
	running_check_says(&r, "memtally: read now, with the rights of ");
	assert_null(strstr(r.err.data, "memtallyd:"));
	json_decref(json);
}

/* Returns the width of the PSS bounds of this process, in bytes, if the trial finds KERNEL. */
static json_int_t own_width(enum mapcounts_verdict kernel, struct running *ret)
{
	static const char *const args[ARGS_MAX] = {"processes", "--json", "--live"};
	json_int_t width = -1;
	json_t *json, *row;
	size_t i;

	verdict = kernel;
	run(args, ret);
	verdict = MAPCOUNTS_UNKNOWN;
	json = load(ret, "processes");
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
	struct sample_options options[] = {fresh(), fresh(), fresh()};
	static const struct {
		const char *args[ARGS_MAX];
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
		pid_t publisher = publish(&options[i]);
		AUTO_RUNNING struct running r = {0};

		run(cases[i].args, &r);
		unpublish(publisher);
		assert_int_equal(r.status, 0);
		running_check_says(&r, "read now, with the rights of ");
		running_check_says(&r, cases[i].said);
	}
	assert_int_equal(prctl(PR_SET_NAME, name), 0);
}

static void uses_the_public_snapshot_for_sums(void **state)
{
	static const char *const args[ARGS_MAX] = {"programs", "--program=firefox", "--bytes"};
	struct sample_options options = fresh();
	AUTO_RUNNING struct running r = {0};
	pid_t publisher;

	(void)state;
	options.is_public = true;
	publisher = publish(&options);
	run(args, &r);
	unpublish(publisher);
	assert_int_equal(r.status, 0);
	running_check_prints(&r, "\n512003072 450561024 729088000 1048576         3 firefox\n");
	running_check_says(&r, "from memtallyd's snapshot of ");
}

/*
 * If memtallyd shows a user only sums, memtally measures the user's own processes itself. For
 * other selections it uses the sums.
 */
static void measures_a_users_own_processes(void **state)
{
	static const char *const text[ARGS_MAX] = {"processes"},
				 *const json[ARGS_MAX] = {"processes", "--json"},
				 *const users[ARGS_MAX] = {"users", "--pid=1", "--json"},
				 *const some[ARGS_MAX] = {"users", "--user=alice"};
	const uid_t uid = geteuid() ? geteuid() : 4711;
	AUTO_RUNNING struct running r = {0}, all = {0}, other = {0}, sums = {0};
	struct sample_options options = fresh();
	pid_t publisher;
	json_t *found, *rows;

	(void)state;
	options.is_public = true;
	assert_int_equal(chmod(".", 0755), 0);
	publisher = publish(&options);
	assert_int_equal(chmod("socket", 0666), 0);
	run_as(uid, text, &r);
	unpublish(publisher);
	assert_int_equal(r.status, 0);
	running_check_says(&r, "memtally: your own processes, read now, with the rights of ");
	assert_null(strstr(r.err.data, "could not be read"));
	running_check_prints(&r, ", PSS of all users 596.3 MiB, MemTotal ");

	publisher = publish(&options);
	assert_int_equal(chmod("socket", 0666), 0);
	run_as(uid, json, &all);
	unpublish(publisher);
	found = load(&all, "processes");
	assert_true(json_array_size(json_object_get(found, "processes")) > 0);
	rows = json_object_get(found, "processes");
	for (size_t i = 0; i < json_array_size(rows); i++)
		assert_int_equal(
			json_integer_value(json_object_get(json_array_get(rows, i), "uid")), uid);
	json_decref(found);

	publisher = publish(&options);
	assert_int_equal(chmod("socket", 0666), 0);
	run_as(uid, users, &other);
	unpublish(publisher);
	assert_int_equal(other.status, 1);
	running_check_says(&other, "no process of yours with memory matches --pid=1\n");

	publisher = publish(&options);
	assert_int_equal(chmod("socket", 0666), 0);
	run_as(uid, some, &sums);
	unpublish(publisher);
	assert_int_equal(sums.status, 0);
	running_check_prints(&sums, "489.7 MiB 430.9 MiB 700.2 MiB 1.0 MiB         4 alice\n");
	running_check_says(&sums, "from memtallyd's snapshot of ");
}

static void status_shows_memtallyds_snapshot(void **state)
{
	static const char *const text[ARGS_MAX] = {"status"}, *const json[ARGS_MAX] = {
								      "status", "--json"};
	struct sample_options options = fresh();
	pid_t publisher = publish(&options);
	AUTO_RUNNING struct running r = {0}, s = {0}, stale = {0}, none = {0};
	json_t *found;

	(void)state;
	options.is_public = true;
	run(text, &r);
	unpublish(publisher);
	assert_int_equal(r.status, 0);
	assert_string_equal(r.err.data, "");
	running_check_prints(&r, "memtallyd 1.2.3: adaptive, ");
	running_check_prints(&r, "; snapshot 3 s old\n");
	running_check_prints(&r, "\nRights ");
	publisher = publish(&options); /* the public snapshot is enough */
	run(json, &s);
	unpublish(publisher);
	found = load(&s, "status");
	assert_non_null(json_object_get(json_object_get(found, "host"), "pss_measured_bytes"));
	assert_non_null(json_object_get(json_object_get(found, "status"), "estimate_error_ratio"));
	assert_true(has_interval(found));
	json_decref(found);
	options.boottime_ns -= 120 * NS_PER_SEC;
	publisher = publish(&options);
	run(text, &stale);
	unpublish(publisher);
	assert_int_equal(stale.status, 1);
	running_check_prints(&stale, "; snapshot 2 min 3 s old: stale (limit ");
	running_check_says(&stale, "memtally: error: memtallyd runs, but ");
	run(text, &none);
	assert_int_equal(none.status, 1);
	assert_string_equal(none.out.data, "");
	assert_string_equal(none.err.data,
		"memtally: error: no snapshot from memtallyd: socket: No such file or directory\n");
}

/* The result of memtally with .args. */
struct argument_case {
	const char *args[ARGS_MAX];
	int status;
	const char *out, *err;
};

static const struct argument_case list_cases[] = {
	{{"threads"}, 2, "", "memtally: error: unexpected argument 'threads'; expected "},
	{{"--threads"}, 2, "", "memtally: error: unknown flag '--threads'; try --help\n"},
	{{"--limit=0"}, 2, "", "--limit: expected a whole number from 1 to 1000000, got '0'"},
	{{"status", "--live"}, 2, "", "status prints one page: "},
	{{"status", "--user=root"}, 2, "", "it takes --json only; try --help"},
	{{"--sort=No thing"}, 2, "", "rss_bytes or program, got 'No thing'"},
	{{"users", "--check-config", "--sort=VM_HWM_Max_bytes"}, 0, "the configuration is good\n",
		""},
	{{"--config.file=nowhere"}, 2, "", "nowhere: No such file or directory"},
	{{"--check-config", "threads"}, 2, "", "unexpected argument 'threads'"},
	{{"--csv", "--json"}, 2, "", "--csv does not go with --json"},
	{{"status", "--csv"}, 2, "", "it takes --json only"},
	{{"users", "--check-config", "--csv", "--sort=PSS"}, 0, "the configuration is good\n", ""},
	{{"--check-config"}, 0, "the configuration is good\n", ""},
	{{"--version"}, 0, "memtally " PACKAGE_VERSION "\n", ""},
	{{"--path.procfs=nowhere", "--live"}, 1, "",
		"memtally: error: can't read nowhere: No such file or directory\n"},
	{{"--live", "--log.level=error", "users", "--user=nobody-at-all"}, 1, "",
		"memtally: error: no process with memory matches --user=nobody-at-all\n"},
	{{"--live", "--log.level=error", "--pid=1", "--unit=none", "--unit=%s"}, 1, "",
		"memtally: error: no process with memory matches "
		"--unit=none --unit=%s --pid=1\n"},
	{{"--live", "--log.level=error", "pods", "--pod=a", "--machine=b", "--slice=c",
		 "--session=d", "--user_unit=e"},
		1, "",
		"memtally: error: no process with memory matches "
		"--user_unit=e --session=d --slice=c --machine=b --pod=a\n"},
	{{"--live", "--log.level=error", "host", "--program=nothing"}, 1, "",
		"memtally: error: no process with memory matches --"},
	{{"--live", "--log.level=error", "--json", "--user=nobody-at-all"}, 1, "\"programs\":[]}\n",
		"memtally: error: no process with memory matches --"},
};

static const struct argument_case ledger_cases[] = {
	{{"usage", "--by=session"}, 2, "",
		"--by: expected user, group, program, unit or container"},
	{{"usage", "--since=soon"}, 2, "", "--since: expected a date"},
	{{"usage", "--since=now"}, 2, "", "--since is not before --until"},
	{{"usage", "--since=1970-01-02", "--per=hour"}, 2, "", "more than 10000"},
	{{"usage", "--live"}, 2, "", "--live does not go with usage"},
	{{"usage", "--since=2h", "--until=3h"}, 2, "", "--since is not before --until"},
	{{"usage", "--since=9000-01-01"}, 2, "", "--since is in the future"},
	{{"usage", "--unit=a", "--by=user"}, 2, "", "--unit goes with usage --by=unit only"},
	{{"usage", "--user=a", "--by=program"}, 2, "",
		"--user goes with usage --by=user and --by=container only"},
	{{"usage", "--pid=1"}, 2, "", "--pid does not go with usage"},
	{{"usage", "--sort=rss_bytes"}, 2, "",
		"--sort must be a column of the rows, such as GIB-HOURS, pss_max_bytes or user"},
	{{"usage", "--order=up"}, 2, "", "--order must be asc or desc"},
	{{"usage", "--check-config", "--user=a", "--sort=user", "--order=desc",
		 "--until=9000-01-01"},
		0, "the configuration is good\n", ""},
	{{"usage", "--check-config", "--by=container", "--user=a", "--container=b",
		 "--sort=processes_max"},
		0, "the configuration is good\n", ""},
	{{"usage", "--csv", "--json"}, 2, "", "--csv does not go with --json"},
	{{"usage", "users"}, 2, "", "unexpected argument 'users' after usage"},
	{{"usage", "--per=week"}, 2, "", "--per: expected all, hour, day or month"},
	{{"usage", "--ledger.socket=nowhere"}, 1, "",
		"memtally: error: no usage from memtally-ledger: nowhere: No such file or directory\n"},
};

static const struct argument_case inspect_cases[] = {
	{{"map"}, 2, "",
		"map needs the pid of a process, or a filter such as --user or --program; try "
		"--help"},
	{{"map", "1x"}, 2, "", "expected the pid of a process, got '1x'"},
	{{"map", "--pid=0"}, 2, "", "expected the pid of a process, got '0'"},
	{{"map", "1", "--by=user"}, 2, "", "--by: expected mapping, file or kind, got 'user'"},
	{{"map", "1", "--sort=name"}, 2, "",
		"--sort: expected an amount of the rows, such as PSS, pss_bytes or"},
	{{"map", "1", "--order=up"}, 2, "", "--order: expected asc or desc, got 'up'"},
	{{"map", "1", "--diff=x"}, 2, "", "--diff: expected the pid of a process, got 'x'"},
	{{"map", "1", "--diff=2", "--since=x"}, 2, "", "--diff does not go with --since"},
	{{"map", "1", "--since=nowhere"}, 1, "",
		"memtally: error: nowhere: No such file or directory\n"},
	{{"files", "1x"}, 2, "", "expected the pid of a process, got '1x'"},
	{{"files", "--sort=pid"}, 2, "", "--sort: expected an amount of the rows"},
	{{"files", "--order=up"}, 2, "", "--order: expected asc or desc, got 'up'"},
	{{"files", "--by=file"}, 2, "", "--by does not go with files"},
	{{"files", "--csv", "--json"}, 2, "", "--csv does not go with --json"},
	{{"files", "--file=a"}, 2, "",
		"--file: expected a name as files has it, such as /a/path or memfd:name, got 'a'"},
	{{"files", "2147483647"}, 1, "", "memtally: error: pid 2147483647 was not found\n"},
	{{"files", "--path.procfs=nowhere"}, 1, "",
		"memtally: error: can't read nowhere: No such file or directory\n"},
	{{"map", "1", "--deleted"}, 2, "", "--deleted does not go with map"},
	{{"map", "1", "--file=/a"}, 2, "", "--file does not go with map"},
	{{"map", "1", "--csv", "--json"}, 2, "", "--csv does not go with --json"},
	{{"explain"}, 2, "",
		"explain needs the pid of a process, or a filter such as --user or --program; try "
		"--help"},
	{{"explain", "1", "--by=file"}, 2, "", "--by does not go with explain; try --help"},
	{{"explain", "-1"}, 2, "", "unknown flag '-1'; try --help"},
	{{"explain", "2147483647", "--json"}, 1,
		"{\"version\":1,\"processes\":[{\"pid\":2147483647,\"complete\":false,",
		"memtally: error: pid 2147483647 was not found\n"},
	{{"map", "1", "--matrix"}, 2, "", "--matrix does not go with map"},
	{{"sharing", "--by=kind"}, 2, "",
		"--by: expected user, program, unit or another kind of owner, got 'kind'"},
	{{"sharing", "x"}, 2, "", "expected the pid of a process, got 'x'"},
	{{"sharing", "--pid=0"}, 2, "", "expected the pid of a process, got '0'"},
	{{"sharing", "--sort=name"}, 2, "",
		"--sort: expected an amount of the rows, such as FREED-ON-EXIT or"},
	{{"sharing", "--order=up"}, 2, "", "--order: expected asc or desc, got 'up'"},
	{{"sharing", "--since=now"}, 2, "", "--since does not go with sharing"},
	{{"sharing", "--diff=1"}, 2, "", "--diff does not go with sharing"},
	{{"sharing", "--csv", "--json"}, 2, "", "--csv does not go with --json"},
	{{"sharing", "1", "--matrix"}, 2, "", "--matrix needs groups to compare: give --by, too"},
	{{"sharing", "1", "--matrix", "--by=container", "--user=a", "--check-config"}, 0,
		"the configuration is good\n", ""},
	{{"map", "2147483647"}, 1, "", "memtally: error: pid 2147483647 was not found\n"},
	{{"map", "2147483647", "--json"}, 1,
		"\"rows\":[],\"count\":0,\"total\":{},\"processes\":[{",
		"memtally: error: pid 2147483647 was not found\n"},
	{{"map", "1", "--sections"}, 2, "", "--sections does not go with map"},
	{{"pages"}, 2, "",
		"pages needs the pid of a process, or a filter such as --user or --program"},
	{{"pages", "1", "--by=file"}, 2, "",
		"--by: expected kind, process, mapping, page, section or symbol, got 'file'"},
	{{"pages", "1", "--sections", "--symbols"}, 2, "", "--sections does not go with --symbols"},
	{{"pages", "1", "--symbols", "--by=kind"}, 2, "", "--symbols does not go with --by"},
	{{"pages", "1", "--since=x"}, 2, "", "--since does not go with pages"},
	{{"pages", "1", "--csv", "--json"}, 2, "", "--csv does not go with --json"},
	{{"pages", "1", "--sort=pss_bytes"}, 2, "",
		"--sort: expected an amount of the rows, such as RSS, rss_bytes or mapped_1_bytes, got"},
	{{"pages", "1", "--sections", "--sort=rss_bytes"}, 2, "",
		"--sort: expected an amount of the rows, such as RESIDENT or resident_bytes, got 'rss_bytes'"},
	{{"pages", "1", "--range=1-2", "--order=asc"}, 2, "",
		"--order does not go with single pages"},
	{{"pages", "1", "--order=up"}, 2, "", "--order: expected asc or desc, got 'up'"},
	{{"pages", "1", "--range=2-1"}, 2, "",
		"--range: expected two addresses in hexadecimal digits, START-END"},
	{{"pages", "2147483647"}, 1, "", "memtally: error: pid 2147483647 was not found\n"},
	{{"pages", "2147483647", "--range=0-1000"}, 1, "",
		"memtally: error: pid 2147483647 was not found\n"},
	{{"pages", "2147483647", "--json"}, 1, "\"rows\":[],\"total\":{},\"frames_shown\":",
		"memtally: error: pid 2147483647 was not found\n"},
	{{"pages", "2147483647", "--range=0-1000", "--json"}, 1,
		"\"rows\":[],\"frames_shown\":", "memtally: error: pid 2147483647 was not found\n"},
	{{"pages", "2147483647", "--symbols", "--json"}, 1,
		"\"rows\":[],\"total\":{},\"files\":[],\"frames_shown\":",
		"memtally: error: pid 2147483647 was not found\n"},
	{{"pages", "2147483647", "--sections"}, 1, "",
		"memtally: error: pid 2147483647 was not found\n"},
};

/* They name views and flags of both parts. */
static const struct argument_case both_cases[] = {
	{{"users", "--since=today"}, 2, "", "--since is for usage"},
	{{"--matrix"}, 2, "", "--matrix is for sharing"},
	{{"users", "--deleted"}, 2, "", "--deleted is for files"},
	{{"usage", "--file=/a"}, 2, "", "--file does not go with usage"},
	{{"users", "--diff=1"}, 2, "", "--diff is for map"},
	{{"usage", "--diff=1"}, 2, "", "--diff does not go with usage"},
	{{"usage", "--matrix"}, 2, "", "--matrix does not go with usage"},
	{{"users", "--range=1-2"}, 2, "", "--range is for pages"},
	{{"users", "--symbols"}, 2, "", "--symbols is for pages"},
	{{"usage", "--range=1-2"}, 2, "", "--range does not go with usage"},
	{{"map", "1", "--until=now"}, 2, "", "--until does not go with map"},
};

static const struct argument_case without_ledger_cases[] = {
	{{"usage"}, 2, "",
		"memtally: error: usage: this build has no usage history (it was configured with --disable-ledger)\n"},
	{{"usage", "--check-config"}, 2, "", "usage: this build has no usage history"},
	{{"usage", "--until=now"}, 2, "", "memtally: error: unknown flag '--until=now'"},
	{{"--ledger.socket=/a"}, 2, "", "memtally: error: unknown flag '--ledger.socket=/a'"},
};

static const struct argument_case without_inspect_cases[] = {
	{{"map", "1"}, 2, "",
		"memtally: error: map: this build cannot look inside processes (it was configured with --disable-inspect)\n"},
	{{"files", "--check-config"}, 2, "", "files: this build cannot look inside processes"},
	{{"pages", "1"}, 2, "", "pages: this build cannot look inside processes"},
	{{"sharing"}, 2, "", "sharing: this build cannot look inside processes"},
	{{"explain", "1"}, 2, "", "explain: this build cannot look inside processes"},
	{{"--deleted"}, 2, "", "memtally: error: unknown flag '--deleted'"},
};

static void check_cases(const struct argument_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		AUTO_RUNNING struct running r = {0};

		run(cases[i].args, &r);
		if (r.status != cases[i].status)
			fail_msg("%s: %d, '%s'", cases[i].args[0], r.status, r.err.data);
		running_check_prints(&r, cases[i].out);
		running_check_says(&r, cases[i].err);
		assert_int_equal(*cases[i].out != 0, *r.out.data != 0);
		assert_int_equal(*cases[i].err != 0, *r.err.data != 0);
	}
}

static void checks_arguments_and_exit_status(void **state)
{
	(void)state;
	check_cases(list_cases, ARRAY_SIZE(list_cases));
	if (ENABLE_LEDGER)
		check_cases(ledger_cases, ARRAY_SIZE(ledger_cases));
	else
		check_cases(without_ledger_cases, ARRAY_SIZE(without_ledger_cases));
	if (ENABLE_INSPECT)
		check_cases(inspect_cases, ARRAY_SIZE(inspect_cases));
	else
		check_cases(without_inspect_cases, ARRAY_SIZE(without_inspect_cases));
	if (ENABLE_LEDGER && ENABLE_INSPECT)
		check_cases(both_cases, ARRAY_SIZE(both_cases));
}

/* Returns whether a line of TEXT is LINE. */
static bool has_line(const char *text, const char *line)
{
	size_t len = strlen(line);

	for (const char *at = text; (at = strstr(at, line)); at += len)
		if ((at == text || at[-1] == '\n') && (!at[len] || at[len] == '\n'))
			return true;
	return false;
}

/* Help lists the commands and flags of this build, and no others. */
static void help_lists_what_is_built(void **state)
{
	static const char *const usages[2][2] = {
		{"]\n\n",
			"|\n"
			"                map PID...|files [PID...]|pages PID...|sharing [PID...]|\n"
			"                explain PID...]\n\n"},
		{"|usage]\n\n",
			"|usage|\n"
			"                map PID...|files [PID...]|pages PID...|sharing [PID...]|\n"
			"                explain PID...]\n\n"},
	};
	char usage[512];
	AUTO_RUNNING struct running r = {0};

	(void)state;
	run((const char *[ARGS_MAX]){"--help"}, &r);
	assert_int_equal(r.status, 0);
	snprintf(usage, sizeof(usage),
		"Usage: memtally [FLAG...] [programs|users|groups|units|user_units|sessions|\n"
		"                slices|machines|pods|containers|processes|host|status%s",
		usages[ENABLE_LEDGER][ENABLE_INSPECT]);
	assert_int_equal(strncmp(r.out.data, usage, strlen(usage)), 0);
	assert_true(has_line(r.out.data, "  --limit=N"));
	assert_int_equal(has_line(r.out.data, "  --until=TIME"), ENABLE_LEDGER);
	assert_int_equal(has_line(r.out.data, "  --diff=PID"), ENABLE_INSPECT);
	assert_int_equal(strstr(r.out.data, "usage:") != NULL, ENABLE_LEDGER);
	assert_int_equal(strstr(r.out.data, "map:") != NULL, ENABLE_INSPECT);
	assert_int_equal(strstr(r.out.data, "sharing:") != NULL, ENABLE_INSPECT);
}

static void help_fits_a_terminal(void **state)
{
	AUTO_RUNNING struct running r = {0};

	(void)state;
	run((const char *[ARGS_MAX]){"--help"}, &r);
	assert_int_equal(r.status, 0);
	for (const char *line = r.out.data; *line; line += strcspn(line, "\n") + 1)
		if (strcspn(line, "\n") > 79)
			fail_msg("wider than 79 columns: %.200s", line);
}

/*
 * Whether the name is unknown or its processes just exited, no total of zeros is printed. In JSON
 * a program that exited keeps its row.
 */
static void exited_programs_match_nothing(void **state)
{
	static const struct {
		const char *args[ARGS_MAX];
		size_t rows; /* rows in JSON; as a table nothing is printed */
	} cases[] = {
		{{"programs", "--program=ended"}, 0},
		{{"programs", "--program=nowhere"}, 0},
		{{"programs", "--program=ended", "--sort=vm_swap_growth_bytes_total"}, 0},
		{{"programs", "--program=nowhere", "--sort=processes"}, 0},
		{{"users", "--program=ended"}, 0},
		{{"programs", "--program=ended", "--json"}, 1},
		{{"programs", "--program=nowhere", "--json"}, 0},
		{{"users", "--program=ended", "--json"}, 0},
		{{"processes", "--program=ended", "--json"}, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sample_options options = fresh();
		pid_t publisher = publish(&options);
		AUTO_RUNNING struct running r = {0};

		run(cases[i].args, &r);
		unpublish(publisher);
		assert_int_equal(r.status, 1);
		running_check_says(&r, "error: no process with memory matches --");
		if (strstr(r.out.data, "{\"snapshot\"")) {
			json_t *json = json_loads(r.out.data, JSON_REJECT_DUPLICATES, NULL);
			json_t *list = json_object_get(json, cases[i].args[0]);

			assert_true(json_is_array(list));
			assert_int_equal(json_array_size(list), cases[i].rows);
			assert_string_equal(cases[i].args[2], "--json");
			json_decref(json);
		} else {
			assert_string_equal(r.out.data, "");
			assert_true(!cases[i].args[2] || strcmp(cases[i].args[2], "--json") != 0);
		}
	}
}

/* 2026-08-01; before it only days are kept. */
#define FINE_S INT64_C(1785542400)

static int64_t boundary(int64_t s)
{
	return s >= FINE_S ? s : (s + 43200) / 86400 * 86400;
}

/* One user with 1 GiB all the time. */
static void answer(const struct usage_request *request, struct buffer *to)
{
	struct usage_head head = {
		.since_s = boundary(request->since_s),
		.until_s = boundary(request->until_s),
		.now_s = FINE_S + 10 * 86400,
		.first_s = 0,
		.written_s = FINE_S + 10 * 86400,
	};
	uint64_t seconds = (uint64_t)(head.until_s - head.since_s);
	const struct usage_row row = {
		.id = 1000, .present = 1, .q = {seconds << 20}, .name = "alice", .user = ""};

	head.covered_ms = head.sampled_ms = seconds * 1000;
	head.rows = seconds > 0;
	usage_begin(to);
	if (head.rows)
		usage_add(to, &row);
	usage_end(to, &head);
}

/* Forks a child that serves one client on "ledger" until that disconnects. Returns its pid. */
static pid_t keep(void)
{
	AUTO_CLOSE int listener = -1;
	pid_t child;

	assert_int_equal(channel_listen("ledger", SOCK_SEQPACKET, 0600, 1, &listener), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		struct pollfd p = {.fd = listener, .events = POLLIN};
		unsigned char text[USAGE_REQUEST_SIZE];
		struct usage_request request;
		int client;
		ssize_t n;

		if (poll(&p, 1, -1) < 0)
			_exit(1);
		client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		while ((n = recv(client, text, sizeof(text), 0)) > 0) {
			AUTO_BUFFER struct buffer to = {0};

			if (usage_request_parse(text, (size_t)n, &request) < 0)
				_exit(1);
			answer(&request, &to);
			if (send(client, to.data, to.len, MSG_NOSIGNAL) != (ssize_t)to.len)
				_exit(1);
		}
		_exit(0);
	}
	return child;
}

static void ask(const char *per, const char *since, const char *until, const char *form,
	struct running *ret)
{
	const char *const args[ARGS_MAX] = {
		"usage", "--ledger.socket=ledger", per, since, until, form};
	pid_t child;

	setenv("TZ", "UTC", 1);
	child = keep();
	run(args, ret);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	unlink("ledger");
}

static bool says(const struct running *r, const char *what)
{
	return strstr(r->err.data, what) != NULL;
}

/*
 * If some of the hours asked for are kept as days only, at the ends or in the middle of the time,
 * memtally says so.
 */
static void warns_if_hours_are_kept_as_days(void **state)
{
	static const char coarse[] = "; part of that time is recorded in larger spans",
			  misnamed[] =
				  "warning: part of that time is not recorded by local hours: ";

	(void)state;
	if (!ENABLE_LEDGER)
		skip();
	for (int i = 0; i < 2; i++) {
		AUTO_RUNNING struct running r = {0};

		ask("--per=hour", "--since=2026-07-31", "--until=2026-08-01 02:00",
			i ? "--csv" : NULL, &r);
		assert_int_equal(r.status, 0);
		assert_true(says(&r, "usage from 2026-07-31 00:00 to 2026-08-01 02:00"));
		assert_true(says(&r, coarse));
		assert_true(says(&r, misnamed));
		if (!i) {
			running_check_prints(
				&r, "\n2026-07-31 00:00 to 2026-08-01 00:00    24.000 ");
			running_check_prints(
				&r, "\n2026-08-01 00:00                         1.000 ");
			assert_null(strstr(r.out.data, "\n2026-07-31 11:00"));
		}
	}
	for (int i = 0; i < 3; i++) {
		static const char *const pers[] = {"--per=hour", "--per=day", "--per=all"};
		AUTO_RUNNING struct running r = {0};

		ask(pers[i], i ? "--since=2026-07-30" : "--since=2026-08-01",
			"--until=2026-08-01 02:00", NULL, &r);
		assert_int_equal(r.status, 0);
		assert_false(says(&r, coarse) || says(&r, misnamed));
	}
}

/* The time is shorter than the slots that are kept. */
static void refuses_hours_within_a_day(void **state)
{
	AUTO_RUNNING struct running r = {0};

	(void)state;
	if (!ENABLE_LEDGER)
		skip();
	ask("--per=hour", "--since=2026-07-31 13:00", "--until=2026-07-31 15:00", NULL, &r);
	assert_int_equal(r.status, 1);
	assert_true(says(&r, "that time is too short: the ledger only has larger spans of it"));
}

/* Output that cannot be written is a failure, for every kind of output. */
static void reports_a_full_disk(void **state)
{
	static const char *const args[][ARGS_MAX] = {
		{"--live"}, {"--live", "--json"}, {"--help"}, {"--version"}, {"--check-config"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(args); i++) {
		AUTO_CLOSE int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
		AUTO_RUNNING struct running r = {0};

		run_into(full, args[i], &r);
		assert_int_equal(r.status, 1);
		running_check_says(&r, "No space left on device");
	}
}

static void fails_if_the_pipe_is_closed(void **state)
{
	static const char *const args[ARGS_MAX] = {"--live", "--log.level=error"};
	AUTO_RUNNING struct running r = {0};
	AUTO_CLOSE int nowhere = -1;
	int end[2];

	(void)state;
	assert_int_equal(pipe2(end, O_CLOEXEC), 0);
	assert_int_equal(close(end[0]), 0);
	nowhere = end[1];
	run_into(nowhere, args, &r);
	assert_int_equal(r.status, 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_how_users_are_counted),
		cmocka_unit_test(shows_memtallyds_snapshot),
		cmocka_unit_test(warns_about_the_selection_only),
		cmocka_unit_test(json_is_complete),
		cmocka_unit_test(json_has_the_selection),
		cmocka_unit_test(makes_a_pass_without_memtallyd),
		cmocka_unit_test(live_does_not_ask_memtallyd),
		cmocka_unit_test(live_widens_bounds_for_averaged_map_counts),
		cmocka_unit_test(makes_a_pass_if_the_snapshot_will_not_do),
		cmocka_unit_test(uses_the_public_snapshot_for_sums),
		cmocka_unit_test(measures_a_users_own_processes),
		cmocka_unit_test(status_shows_memtallyds_snapshot),
		cmocka_unit_test(checks_arguments_and_exit_status),
		cmocka_unit_test(help_lists_what_is_built),
		cmocka_unit_test(help_fits_a_terminal),
		cmocka_unit_test(exited_programs_match_nothing),
		cmocka_unit_test(warns_if_hours_are_kept_as_days),
		cmocka_unit_test(refuses_hours_within_a_day),
		cmocka_unit_test(reports_a_full_disk),
		cmocka_unit_test(fails_if_the_pipe_is_closed),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
