/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fault injection into memtallyd: its loop runs in a child, and each system call and allocation of
 * a pass, including libsystemd's, fails in turn. memtallyd goes on, its snapshots are never wrong,
 * and soon they are complete again.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/os/channel.h"
#include "config/settings.h"
#include "daemon/children/drop-privileges.h"
#include "daemon/manager.h"
#include "snapshot/client.h"
#include "tests/unit/support/process/child.h"
#include "tests/unit/support/tree/witness.h"

#define INTERVAL_NS             (4 * NS_PER_MSEC)
#define SHORT_READS_INTERVAL_NS (100 * NS_PER_MSEC) /* a pass then makes about 10,000 calls */
#define PATIENCE_NS             (20 * NS_PER_SEC)

/*
 * A mapped file of one process, which surveys must find. The smaps of another process has no file.
 */
#define MAPPED_PATH "/usr/lib/libmapped.so"
static const char mapped_path[] = "12/smaps";
static const char mapped_text[] =
	"7f0000000000-7f0000100000 r-xp 00000000 08:01 7 " MAPPED_PATH "\n"
	"Rss:                  64 kB\nPss:                  32 kB\nPrivate_Dirty:         0 kB\n"
	"Anonymous:             0 kB\n"
	"7f0000100000-7f0000200000 rw-p 00000000 08:01 7 " MAPPED_PATH "\n"
	"Rss:                  16 kB\nPss:                  16 kB\nPrivate_Dirty:        16 kB\n"
	"Anonymous:            16 kB\n";
enum { MAPPED_RSS = 80 << 10, WITH_SMAPS = 2 };

#define RECOVERY_NS (5 * NS_PER_SEC) /* on a busy host: a few passes */

enum {
	PASSES_UNSTRUCK = 3, /* passes without a failure after which call N is taken not to exist */
	OWN_UID = 47110,
	PASSES_SETTLED = 10,
	MANY = 50,
	/*
	 * calls between two injections, for example of a start; the long check injects at every
	 * call
	 */
	SOME = 5,
};

static struct daemon {
	struct tree tree;
	/*
	 * uid of the client: memtallyd's own user, but not root, which need not give snapshots
	 * back
	 */
	uid_t uid;
	char procfs_flag[96], socket_flag[96], file_flag[96];
	char socket[48];
	struct child child;
	int fd; /* the connection; -1: none */
} d;

/* Runs memtallyd from start to end, except that it keeps its rights. */
static int run_daemon(int argc, char *argv[], bool is_exact, uint64_t interval_ns)
{
	char error[SETTINGS_ERROR_SIZE];
	struct account account, of_resolver;
	AUTO_SETTINGS struct settings *settings = NULL;
	AUTO_RESOLVER struct resolver *resolver = NULL;
	AUTO_MANAGER struct manager *manager = NULL;
	int r;

	log_open("memtallyd", LOG_LEVEL_INFO);
	if (settings_load(PROGRAM_MEMTALLYD, argc, argv, &settings, error) < 0) {
		log_error("%s", error);
		return EXIT_FAILURE;
	}
	if (drop_privileges_accounts(&account, &of_resolver) < 0)
		return EXIT_FAILURE;
	settings->interval_ns = interval_ns;
	settings->files_interval_ns = interval_ns;
	settings->budget_cpu_ppm = 1000000;
	settings->pss_mode = is_exact ? PSS_MODE_EXACT : PSS_MODE_ADAPTIVE;
	(void)resolver_start(&of_resolver, account.uid, &resolver);
	r = manager_open(settings, argc, argv, resolver, &manager);
	if (r == 0) {
		manager_set_own(manager, d.uid);
		r = manager_run(manager);
	}
	return r < 0;
}

#define FAIL(...) CHILD_FAIL(&d.child, __VA_ARGS__)

static void start(bool is_exact, uint64_t interval_ns)
{
	char *argv[] = {(char *)"memtallyd", d.procfs_flag, d.socket_flag, d.file_flag, NULL};

	d.fd = -1;
	unlink(d.child.log);
	d.child.pid = fork();
	assert_true(d.child.pid >= 0);
	if (d.child.pid)
		return;
	if (!child_begin(&d.child))
		_exit(EXIT_FAILURE);
	exit(run_daemon(4, argv, is_exact, interval_ns)); /* exit(), so that leaks are looked for */
}

/* Ends memtallyd, which must exit with status 0. */
static void stop(void)
{
	int status;

	d.fd = fd_close(d.fd);
	kill(d.child.pid, SIGTERM);
	assert_int_equal(waitpid(d.child.pid, &status, 0), d.child.pid);
	d.child.pid = 0;
	if (status != 0)
		FAIL("memtallyd exited with status 0x%x", status);
}

static int connect_to(void)
{
	uid_t self = geteuid();
	int r;

	assert_int_equal(seteuid(d.uid), 0);
	r = channel_connect(d.socket, &d.fd);
	assert_int_equal(seteuid(self), 0);
	return r;
}

/* Returns the next snapshot, or NULL if none comes soon. */
static struct view *try_view(void)
{
	struct view *view = NULL;
	const char *reason = "";
	struct pollfd p = {.events = POLLIN};
	int r;

	if (d.fd < 0 && connect_to() < 0) {
		usleep(200);
		return NULL;
	}
	p.fd = d.fd;
	poll(&p, 1, 100);
	r = client_receive(d.fd, &view, &reason);
	if (r < 0)
		FAIL("%s", reason);
	if (r == CLIENT_CLOSED)
		d.fd = fd_close(d.fd);
	return view;
}

/* Waits for the next snapshot and returns it. */
static struct view *next_view(void)
{
	uint64_t end_ns = clock_now_ns(CLOCK_MONOTONIC) + PATIENCE_NS;

	while (clock_now_ns(CLOCK_MONOTONIC) < end_ns) {
		struct view *view;

		child_assert_running(&d.child);
		view = try_view();
		if (view)
			return view;
	}
	FAIL("no snapshot");
	return NULL;
}

/* Rows of files must have all that the process maps, or be absent. */
static const char *wrong_files(const struct view *view)
{
	for (uint32_t i = 0; i < view_count(view, METRIC_FILE); i++) {
		const struct snapshot_file *row = view_file(view, i);

		if (strcmp(view_text(view, row->path), MAPPED_PATH) != 0)
			return "a file that no process maps";
		if (row->q[FILE_RSS] != MAPPED_RSS || row->q[FILE_PROCESSES] != 1)
			return "a part of the mapped file";
	}
	return NULL;
}

static void judge(const struct view *view)
{
	const char *wrong = witness_wrong(view);

	if (!wrong)
		wrong = wrong_files(view);
	if (wrong)
		FAIL("%s", wrong);
}

static const char *missing_of(const struct view *view)
{
	const struct snapshot_survey *survey = view_survey(view);
	const char *missing = witness_missing(view);

	if (missing)
		return missing;
	if (ENABLE_INSPECT && (!survey || survey->q[SURVEY_READ] != WITH_SMAPS ||
				      view_count(view, METRIC_FILE) != 1))
		return "no survey finds the mapped file";
	return NULL;
}

/*
 * Waits for a snapshot that lacks nothing, as LACKS decides. All snapshots until then must be
 * right.
 */
static void recover(const char *lacks(const struct view *))
{
	uint64_t now_ns = clock_now_ns(CLOCK_BOOTTIME), end_ns = now_ns + RECOVERY_NS;
	const char *missing = "";

	while (missing) {
		AUTO_VIEW struct view *view = next_view();

		judge(view);
		if (view->header->pass_begin_ns >= now_ns)
			missing = lacks(view);
		if (missing && view->header->boottime_ns > end_ns)
			FAIL("%s", missing);
	}
}

/* Injects at call N. Returns false if passes make fewer than N calls. */
static bool survives(const struct injector_sweep *s, unsigned int n, unsigned int way)
{
	uint64_t last = 0;

	injector_arm_many(s->kind, n, s->times, way);
	for (unsigned int unstruck = 0; unstruck < PASSES_UNSTRUCK;) {
		AUTO_VIEW struct view *view = next_view();

		judge(view);
		if (injector_has_struck()) {
			recover(missing_of);
			injector_end();
			return true;
		}
		unstruck += view->header->sequence != last;
		last = view->header->sequence;
	}
	return injector_end();
}

/*
 * Numbers of memtallyd's open descriptors. They change within each pass; images are made and
 * released at other times.
 */
struct descriptors {
	/* the minimum of several readings, which is the number between passes */
	unsigned int others;
	unsigned int least_images, most_images;
};

static void read_descriptors(struct descriptors *of)
{
	unsigned int images, others = child_descriptors_but(&d.child, "/memfd:", &images);

	of->others = others < of->others ? others : of->others;
	of->least_images = images < of->least_images ? images : of->least_images;
	of->most_images = images > of->most_images ? images : of->most_images;
}

/* Reads the numbers repeatedly during PASSES passes. */
static struct descriptors descriptors(unsigned int passes)
{
	struct descriptors found = {.others = UINT_MAX, .least_images = UINT_MAX};

	for (unsigned int pass = 0; pass < passes; pass++) {
		recover(missing_of);
		for (int i = 0; i < 50; i++) {
			read_descriptors(&found);
			usleep(1000);
		}
	}
	return found;
}

/*
 * Fails unless the numbers are soon those of BEFORE. On a busy host passes follow each other
 * without a pause, and connections are closed late.
 */
static void expect_descriptors(const struct descriptors *before)
{
	uint64_t end_ns = clock_now_ns(CLOCK_MONOTONIC) + PATIENCE_NS;

	for (;;) {
		struct descriptors now = descriptors(1);

		if (now.others == before->others && now.least_images <= before->most_images)
			return;
		if (clock_now_ns(CLOCK_MONOTONIC) > end_ns)
			FAIL("%u descriptors and %u images, and %u and %u before", now.others,
				now.least_images, before->others, before->most_images);
	}
}

static void survives_all(bool is_exact, unsigned int times, unsigned int step)
{
	const struct injector_sweep sweep = {
		.kind = INJECTOR_CALLS, .times = times, .step = step, .round = survives};
	struct descriptors before;

	if (!injector_works())
		skip();
	injector_arm(INJECTOR_CALLS, 0, 0);
	start(is_exact, INTERVAL_NS);
	for (unsigned int pass = 0; pass < PASSES_SETTLED; pass++)
		recover(missing_of);
	before = descriptors(PASSES_SETTLED);
	assert_true(before.others > 0);
	assert_true(injector_run(&sweep) > 50);
	recover(missing_of);
	expect_descriptors(&before);
	stop();
}

static void recovers_from_each_failed_call_of_a_pass(void **state)
{
	(void)state;
	survives_all(true, 1, injector_step(SOME));
	survives_all(false, 1, injector_step(SOME));
}

/* Each read() may return fewer bytes than are available, down to one. */
static void passes_accept_short_reads(void **state)
{
	static const unsigned int most[] = {1, 7};

	(void)state;
	if (!injector_works())
		skip();
	injector_arm(INJECTOR_CALLS, 0, 0);
	for (int is_exact = 0; is_exact < 2; is_exact++)
		for (size_t i = 0; i < ARRAY_SIZE(most); i++) {
			injector_shorten(most[i]);
			start(is_exact, SHORT_READS_INTERVAL_NS);
			recover(witness_missing);
			recover(witness_missing);
			stop();
		}
}

/* As while memory or descriptors are short. */
static void recovers_from_many_failed_calls_of_a_pass(void **state)
{
	(void)state;
	survives_all(true, MANY, SOME);
	survives_all(false, MANY, SOME);
}

static bool has_ended(void)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)d.child.pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid;
}

/* Users may be shown as numbers. */
static const char *lacks_processes(const struct view *view)
{
	return view_is_complete(view) ? NULL : "the snapshot is not complete";
}

/*
 * Fails the NTH call or allocation after the start. memtallyd must either report why it does not
 * start, or work. Returns false if there are fewer than N until the first snapshot.
 */
static bool starts_or_says_why(const struct injector_sweep *s, unsigned int n, unsigned int way)
{
	uint64_t end_ns = clock_now_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
	AUTO_VIEW struct view *first = NULL;
	int status, is_struck;

	injector_arm(s->kind, n, way);
	start(false, 2 * INTERVAL_NS);
	while (!first && !has_ended()) {
		first = try_view();
		if (clock_now_ns(CLOCK_MONOTONIC) > end_ns)
			FAIL("memtallyd neither works nor exits");
	}
	if (first) {
		judge(first);
		recover(lacks_processes);
		is_struck = injector_end();
		stop();
		return is_struck;
	}
	assert_int_equal(waitpid(d.child.pid, &status, 0), d.child.pid);
	d.child.pid = 0;
	if (!WIFEXITED(status) || !WEXITSTATUS(status) ||
		!strstr(child_last_words(&d.child), "error: "))
		FAIL("memtallyd exited with status 0x%x", status);
	if (access(d.socket, F_OK) == 0)
		FAIL("memtallyd left its socket");
	return injector_end();
}

static void starts_with_each(enum injector_kind kind)
{
	const struct injector_sweep sweep = {
		.kind = kind, .times = 1, .step = SOME, .round = starts_or_says_why};

	if (!injector_works())
		skip();
	assert_true(injector_run(&sweep) > 100);
}

static void start_reports_or_survives_each_failed_call(void **state)
{
	(void)state;
	starts_with_each(INJECTOR_CALLS);
}

static void recovers_from_each_failed_allocation(void **state)
{
	(void)state;
	starts_with_each(INJECTOR_ALLOCATIONS);
}

static int make_tree(void **state)
{
	(void)state;
	if (!injector_open())
		return -1;
	tree_open(&d.tree);
	d.uid = geteuid() ? geteuid() : OWN_UID;
	if (chmod(d.tree.path, 0755) < 0)
		return -1;
	witness_populate(&d.tree);
	tree_write(&d.tree, mapped_path, mapped_text);
	tree_write(&d.tree, "none.yaml", "");
	snprintf(d.socket, sizeof(d.socket), "%s/socket", d.tree.path);
	snprintf(d.child.log, sizeof(d.child.log), "%s/log", d.tree.path);
	snprintf(d.procfs_flag, sizeof(d.procfs_flag), "--path.procfs=%s", d.tree.path);
	snprintf(d.socket_flag, sizeof(d.socket_flag), "--snapshot.socket=%s", d.socket);
	snprintf(d.file_flag, sizeof(d.file_flag), "--config.file=%s/none.yaml", d.tree.path);
	return 0;
}

/* Left by a failed test. */
static int end(void **state)
{
	(void)state;
	d.fd = fd_close(d.fd);
	if (d.child.pid > 0 && kill(d.child.pid, SIGKILL) == 0)
		waitpid(d.child.pid, NULL, 0);
	d.child.pid = 0;
	injector_shorten(0);
	unlink(d.socket);
	return 0;
}

static int remove_tree(void **state)
{
	(void)state;
	tree_done(&d.tree);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(recovers_from_each_failed_call_of_a_pass, end),
		cmocka_unit_test_teardown(passes_accept_short_reads, end),
		cmocka_unit_test_teardown(recovers_from_many_failed_calls_of_a_pass, end),
		cmocka_unit_test_teardown(start_reports_or_survives_each_failed_call, end),
		cmocka_unit_test_teardown(recovers_from_each_failed_allocation, end),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
