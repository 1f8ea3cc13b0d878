/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an attacker would do after taking over memtally-ledger, while the ledger goes on counting,
 * writing and answering (attempts.h).
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
#include "ledger/sandbox.h"
#include "ledger/usage-server.h"
#include "ledger/writer.h"
#include "tests/unit/support/confine/drill.h"
#include "tests/unit/support/confine/victims.h"
#include "tests/unit/support/ledger/keeping.h"

enum {
	SNAPSHOTS = 8,
	ROUNDING = 64, /* KiB seconds */
};

/*
 * What the ledger has open when it gives up its rights: received snapshots, its socket, and its
 * directory.
 */
struct work {
	struct view *view[SNAPSHOTS];
	struct question_server server;
	struct usage_server_context answers;
	struct peer_rules rules;
	char socket[96];
	struct writer writer;
};

/* Snapshots ten minutes apart, of a user who has one GiB all the time. */
static void prepare(struct work *w)
{
	struct feed feed;
	struct feed_owner *alice;
	int fd;

	feed_init(&feed);
	feed_restart(&feed);
	alice = feed_add(&feed, USAGE_USER, 1000, "alice", "");
	feed_set(alice, (uint64_t)1 << 30, 1);
	for (size_t i = 0; i < SNAPSHOTS; i++) {
		w->view[i] = feed_pass(&feed);
		feed_wait(&feed, 600);
	}
	snprintf(w->socket, sizeof(w->socket), "%s/ledger.sock", victims.kept);
	if (peer_rules_read("/etc/group", &w->rules) < 0 ||
		channel_listen(w->socket, SOCK_SEQPACKET, 0666, 4, &fd) < 0)
		_exit(101);
	w->answers = (struct usage_server_context){.answer = writer_answer, .context = &w->writer};
	question_server_init(&w->server, fd, &w->rules, &usage_server_service, &w->answers);
}

static void take(struct work *w, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		writer_take(&w->writer, w->view[i], clock_now_ns(CLOCK_MONOTONIC));
}

/*
 * Asks as `memtally usage` does, as the process's own user, whom the ledger knows. Returns KiB
 * seconds.
 */
static uint64_t ask(struct work *w)
{
	const struct usage_request request = {.kind = USAGE_USER,
		.since_s = (int64_t)FEED_START_S,
		.until_s = (int64_t)FEED_START_S + 86400};
	unsigned char question[USAGE_REQUEST_SIZE];
	size_t at = USAGE_HEAD_SIZE;
	uint64_t answer[1024];
	struct usage_head head;
	struct usage_row row;
	ssize_t n;
	int fd;

	usage_request_write(&request, question);
	if (channel_connect(w->socket, &fd) < 0 ||
		send(fd, question, sizeof(question), MSG_NOSIGNAL) != sizeof(question))
		_exit(102);
	w->writer.fresh_ns = 0;     /* otherwise an answer may be seconds old */
	for (int i = 0; i < 2; i++) /* the first round accepts, the second answers */
		question_server_run(&w->server, clock_now_ns(CLOCK_MONOTONIC));
	n = recv(fd, answer, sizeof(answer), MSG_DONTWAIT);
	close(fd);
	if (n < 0 || usage_check(answer, (size_t)n, &head) < 0 || head.write_failures ||
		head.rows != 1 || !usage_next(answer, (size_t)n, &at, &row))
		_exit(103);
	return row.q[USAGE_PSS];
}

/*
 * The file is new. Half of the snapshots come, and a client asks. Then the ledger is killed and
 * started again, and so on.
 */
static void work_of_the_ledger(struct work *w, size_t first, size_t end)
{
	const struct store_limits limits = {.slots = {864, 1488, 732}, .bytes = 64 << 20};
	uint64_t used, told;

	if (writer_open(&w->writer, victims.kept, &limits) != 0)
		_exit(104);
	take(w, first, end);
	used = (uint64_t)(1 << 20) * 600 * (end - 1);
	told = ask(w);
	if (told > used + ROUNDING || told + ROUNDING < used)
		_exit(105);
	w->writer.store = store_close(w->writer.store);
	bucket_done(&w->writer.bucket);
}

static void be_ledger(void)
{
	struct work work = {0};
	uid_t uid;

	if (keeping_give(victims.kept, &uid) < 0)
		_exit(99);
	prepare(&work);
	victims_meet_fellow(uid);
	if (sandbox_confine(victims.kept, work.socket) < 0)
		_exit(100);
	work.rules.uid = geteuid();
	work_of_the_ledger(&work, 0, SNAPSHOTS / 2);
	drill_attack_and(ATTEMPTS_BY_LEDGER, true);
	work_of_the_ledger(&work, SNAPSHOTS / 2, SNAPSHOTS);
	/* It can remove its own socket, and can open no file outside of its directory. */
	if (unlink(work.socket) < 0 || attempts_opens("/etc/passwd", O_RDONLY) ||
		attempts_opens(victims.file, O_RDONLY))
		_exit(106);
	_exit(0);
}

/* The directory belongs to root. */
static void be_ledger_that_stays_root(void)
{
	drill_lose_setuid();
	_exit(sandbox_confine("/", NULL) == -EPERM ? 0 : 1);
}

static void memtally_ledger_is_useless_to_an_attacker(void **state)
{
	(void)state;
	drill_needs_root();
	drill_needs_landlock();
	assert_int_equal(drill_run(be_ledger), 0);
}

static void it_does_not_run_as_root(void **state)
{
	(void)state;
	drill_needs_root();
	if (!userns_is_root_outside())
		skip();
	assert_int_equal(drill_run(be_ledger_that_stays_root), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memtally_ledger_is_useless_to_an_attacker),
		cmocka_unit_test(it_does_not_run_as_root),
	};

	return cmocka_run_group_tests(tests, victims_open, victims_done);
}
