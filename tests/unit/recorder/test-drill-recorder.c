/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an attacker would do after taking over memtally-recorder, while the recorder goes on
 * recording and answering (attempts.h).
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/os/channel.h"
#include "base/os/userns.h"
#include "confine/account.h"
#include "recorder/past-server.h"
#include "recorder/recording.h"
#include "recorder/sandbox.h"
#include "snapshot/past-client.h"
#include "tests/unit/support/confine/drill.h"
#include "tests/unit/support/confine/victims.h"
#include "tests/unit/support/snapshot/sample.h"

enum { SNAPSHOTS = 8 };

/* Received snapshots, the socket and the files: open when the recorder gives up its rights. */
struct work {
	struct view *view[SNAPSHOTS];
	struct question_server server;
	struct peer_rules rules;
	char socket[96];
	struct recording recording;
	struct past_server past;
	struct verdicts verdicts;
};

/* Gives DIRECTORY to the user that memtally-recorder becomes, and writes its uid to *RET. */
static int give(const char *directory, uid_t *ret)
{
	struct account account;
	int r = account_choose("memtally-recorder", &account);

	if (r == ACCOUNT_ABSENT)
		r = account_take(ACCOUNT_PASSWD, ACCOUNT_WEB, &account);
	if (r != 0 || chown(directory, account.uid, account.gid) < 0)
		return -1;
	*ret = account.uid;
	return 0;
}

static void prepare(struct work *w)
{
	int fd;

	for (uint64_t i = 0; i < SNAPSHOTS; i++)
		w->view[i] = sample_open(&(struct sample_options){.sequence = i + 1,
			.realtime_ns = SAMPLE_REALTIME_NS + i * SAMPLE_INTERVAL_NS,
			.boottime_ns = SAMPLE_BOOTTIME_NS + i * SAMPLE_INTERVAL_NS});
	snprintf(w->socket, sizeof(w->socket), "%s/recorder.sock", victims.kept);
	if (peer_rules_read("/etc/group", &w->rules) < 0 ||
		channel_listen(w->socket, SOCK_SEQPACKET, 0666, 4, &fd) < 0)
		_exit(101);
	question_server_init(&w->server, fd, &w->rules, &past_server_service, &w->past);
}

/* Asks for the last snapshot as the process's own user, or for what UID sees of it. */
static void ask(struct work *w, bool has_uid, uint32_t uid)
{
	const struct past_request r = {
		.pick = PAST_AT, .at_ns = PAST_TIME_MAX_NS, .has_uid = has_uid, .uid = uid};
	AUTO_PAST_ANSWER struct past_answer a = {0};
	const char *reason = "";
	AUTO_CLOSE int fd = -1;

	if (past_connect(w->socket, &fd) < 0 || past_send(fd, &r) < 0)
		_exit(102);
	for (int i = 0; i < 2; i++) /* the first round accepts, the second answers */
		question_server_run(&w->server, clock_now_ns(CLOCK_MONOTONIC));
	if (past_receive(fd, &a, &reason) != 0 || !a.view)
		_exit(103);
	if (has_uid ? view_count(a.view, METRIC_FILE) || !view_count(a.view, METRIC_USER)
		    : view_count(a.view, METRIC_PROCESS) != SAMPLE_PROCESSES)
		_exit(104);
}

static void ask_series(struct work *w, uint32_t points)
{
	const struct past_request r = {
		.pick = PAST_SERIES, .until_ns = PAST_TIME_MAX_NS, .quantity = SCOPE_PSS};
	AUTO_PAST_ANSWER struct past_answer a = {0};
	const char *reason = "";
	AUTO_CLOSE int fd = -1;

	if (past_connect(w->socket, &fd) < 0 || past_send(fd, &r) < 0)
		_exit(105);
	for (int i = 0; i < 4; i++)
		question_server_run(&w->server, clock_now_ns(CLOCK_MONOTONIC));
	if (past_receive(fd, &a, &reason) != 0 || a.head.points != points)
		_exit(106);
}

/* NEWEST is the last one that is recorded. */
static void judge(struct work *w, const struct view *newest)
{
	struct verdicts_now now = {.realtime_ns = newest->header->realtime_ns,
		.boottime_ns = newest->header->boottime_ns};
	struct past_growth growth[PAST_GROWTH_SCOPES];

	verdicts_init(&w->verdicts, w->recording.reader);
	do {
		now.monotonic_ns = verdicts_due_ns(&w->verdicts);
		verdicts_run(&w->verdicts, &now);
	} while (w->verdicts.round);
	if (!verdicts_count(&w->verdicts, 0, growth))
		_exit(110);
	verdicts_done(&w->verdicts);
}

/* Opens the files, records snapshots FIRST to before END, answers, and ends. */
static void work_of_the_recorder(struct work *w, size_t first, size_t end)
{
	const struct archive_limits limits = archive_default_limits(ARCHIVE_BYTES_MIN);

	if (recording_open(&w->recording, victims.kept, &limits) != 0)
		_exit(107);
	past_server_init(&w->past, &w->recording, &w->verdicts);
	for (size_t i = first; i < end; i++)
		recording_take(&w->recording, w->view[i], clock_now_ns(CLOCK_MONOTONIC));
	if (recording_is_failing(&w->recording) || archive_finish(w->recording.archive, 0) < 0)
		_exit(108);
	ask(w, false, 0);
	ask(w, true, 1000);
	ask_series(w, (uint32_t)end);
	judge(w, w->view[end - 1]);
	past_server_done(&w->past);
	recording_close(&w->recording);
}

static void be_recorder(void)
{
	struct work work = {0};
	uid_t uid;

	if (give(victims.kept, &uid) < 0)
		_exit(99);
	prepare(&work);
	victims_meet_fellow(uid);
	if (recorder_sandbox_confine(victims.kept, work.socket) < 0)
		_exit(100);
	work.rules.uid = geteuid();
	work_of_the_recorder(&work, 0, SNAPSHOTS / 2);
	drill_attack_and(ATTEMPTS_BY_RECORDER, true);
	work_of_the_recorder(&work, SNAPSHOTS / 2, SNAPSHOTS);
	/* It can remove its own socket, and can open no file outside of its directory. */
	if (unlink(work.socket) < 0 || attempts_opens("/etc/passwd", O_RDONLY) ||
		attempts_opens(victims.file, O_RDONLY))
		_exit(109);
	_exit(0);
}

/* The directory belongs to root. */
static void be_recorder_that_stays_root(void)
{
	drill_lose_setuid();
	_exit(recorder_sandbox_confine("/", NULL) == -EPERM ? 0 : 1);
}

static void memtally_recorder_is_useless_to_an_attacker(void **state)
{
	(void)state;
	drill_needs_root();
	drill_needs_landlock();
	assert_int_equal(drill_run(be_recorder), 0);
}

static void it_does_not_run_as_root(void **state)
{
	(void)state;
	drill_needs_root();
	if (!userns_is_root_outside())
		skip();
	assert_int_equal(drill_run(be_recorder_that_stays_root), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memtally_recorder_is_useless_to_an_attacker),
		cmocka_unit_test(it_does_not_run_as_root),
	};

	return cmocka_run_group_tests(tests, victims_open, victims_done);
}
