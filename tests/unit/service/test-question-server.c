/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the server that answers questions, with real sockets, a simulated clock and simulated peers:
 * turns, timeouts, limits. The questions are those of snapshot/usage.h.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/os/channel.h"
#include "service/question-server.h"
#include "snapshot/usage.h"

enum { SIZE = 400000 };

static struct peer_rules rules;
static unsigned int good, bad;
static size_t size;                /* bytes of each answer */
static uid_t stranger;             /* uid that the kernel reports for each client; 0: root */
static uint64_t clock_ns, cost_ns; /* CLOCK_MONOTONIC, and how far each answer advances it */
static uid_t answered;             /* uid of the client that was answered last */
static bool saw_all;               /* it was shown all rows */
static unsigned int parts;         /* of each answer */
static int answer_fd;              /* sent with each answer; -1: none */
static int jobs;                   /* that were begun and have not ended */

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	(void)clock;
	*ret = (struct timespec){.tv_sec = (time_t)(clock_ns / NS_PER_SEC),
		.tv_nsec = (long)(clock_ns % NS_PER_SEC)};
	return 0;
}

/* Replaces the uid of the peer by .stranger. */
int __real_getsockopt(int fd, int level, int name, void *value, socklen_t *len);
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len);

int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	int r = __real_getsockopt(fd, level, name, value, len);

	if (r == 0 && level == SOL_SOCKET && name == SO_PEERCRED)
		((struct ucred *)value)->uid = stranger;
	return r;
}

static void complete(struct question_reply *reply)
{
	buffer_add_zero(&reply->bytes, reply->is_last ? 8 : size);
	reply->fd = answer_fd < 0 ? -1 : dup(answer_fd);
}

static void answer(void *context, const struct question *q, struct question_reply *reply)
{
	struct question_reader reader = q->reader;
	struct usage_request request;
	bool is_good = usage_request_parse(q->data, q->len, &request) == 0 &&
	               question_narrow(&q->reader, request.has_uid, request.uid, &reader);

	assert_ptr_equal(context, &rules);
	answered = reader.uid;
	saw_all = reader.sees_all;
	clock_ns += cost_ns;
	good += is_good;
	bad += !is_good;
	reply->is_last = !is_good;
	if (!is_good || parts < 2) {
		complete(reply);
		return;
	}
	reply->job = malloc(sizeof(parts));
	assert_non_null(reply->job);
	*(unsigned int *)reply->job = parts - 1;
	jobs++;
}

static void drop(void *job)
{
	free(job);
	jobs--;
}

static void go_on(void *context, struct question_reply *reply)
{
	unsigned int *left = reply->job;

	assert_ptr_equal(context, &rules);
	clock_ns += cost_ns;
	if (--*left)
		return;
	drop(left);
	reply->job = NULL;
	complete(reply);
}

static const struct question_service service = {
	.message_max = USAGE_MESSAGE_MAX, .answer = answer, .go_on = go_on, .drop = drop};

struct fixture {
	char dir[40], path[64];
	struct question_server server;
};

static void begin(struct fixture *f)
{
	int fd;

	*f = (struct fixture){0};
	clock_ns = 1000 * NS_PER_SEC;
	cost_ns = 0;
	good = bad = 0;
	stranger = 0;
	size = 1000;
	parts = 1;
	answer_fd = -1;
	rules = (struct peer_rules){.gid = (gid_t)-1, .uid = (uid_t)-1};
	snprintf(f->dir, sizeof(f->dir), "/tmp/memtally-question-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/socket", f->dir);
	assert_int_equal(channel_listen(f->path, SOCK_SEQPACKET, 0600, 64, &fd), 0);
	question_server_init(&f->server, fd, &rules, &service, &rules);
}

static void end(struct fixture *f)
{
	question_server_done(&f->server);
	assert_int_equal(jobs, 0);
	unlink(f->path);
	rmdir(f->dir);
}

static void run(struct fixture *f)
{
	question_server_run(&f->server, clock_ns);
}

static int come(struct fixture *f)
{
	int fd;

	assert_int_equal(channel_connect(f->path, &fd), 0);
	run(f);
	return fd;
}

static void ask_for(int fd, bool has_uid, uint32_t uid)
{
	const struct usage_request r = {
		.kind = USAGE_USER, .since_s = 1, .until_s = 2, .has_uid = has_uid, .uid = uid};
	unsigned char text[USAGE_REQUEST_SIZE];

	usage_request_write(&r, text);
	assert_int_equal(send(fd, text, sizeof(text), MSG_NOSIGNAL), sizeof(text));
}

static void ask(int fd)
{
	ask_for(fd, false, 0);
}

/* Returns the number of bytes received, and whether the connection has ended. */
static size_t receive(int fd, bool *ret_ended)
{
	static char text[USAGE_MESSAGE_MAX];
	size_t got = 0;
	ssize_t n;

	while ((n = recv(fd, text, sizeof(text), MSG_DONTWAIT)) > 0)
		got += (size_t)n;
	*ret_ended = n == 0 || errno == ECONNRESET;
	return got;
}

static void answers_one_request_after_the_other(void **state)
{
	struct fixture f;
	bool ended;
	int fd;

	(void)state;
	begin(&f);
	fd = come(&f);
	for (unsigned int i = 1; i < 5; i++) {
		ask(fd);
		run(&f);
		assert_int_equal(receive(fd, &ended), size);
		assert_false(ended);
		assert_int_equal(good, i);
	}
	/* A long answer is sent as the client reads it; the next request waits. */
	size = SIZE;
	ask(fd);
	ask(fd);
	for (size_t got = 0; got < 2 * SIZE;) {
		run(&f);
		got += receive(fd, &ended);
		assert_false(ended);
		assert_int_equal(good, got <= SIZE ? (got == SIZE ? good : 5) : 6);
	}
	assert_int_equal(good, 6);
	close(fd);
	run(&f);
	assert_int_equal(f.server.clients, 0);
	end(&f);
}

static void an_invalid_request_ends_the_connection(void **state)
{
	static const size_t lengths[] = {
		1, USAGE_REQUEST_SIZE - 1, USAGE_REQUEST_SIZE, USAGE_REQUEST_SIZE + 1, 5000};
	unsigned char noise[5000];
	struct fixture f;
	bool ended;

	(void)state;
	begin(&f);
	memset(noise, 'x', sizeof(noise));
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		int fd = come(&f);

		assert_int_equal(send(fd, noise, lengths[i], MSG_NOSIGNAL), lengths[i]);
		run(&f);
		assert_int_equal(receive(fd, &ended), 8);
		assert_true(ended);
		assert_int_equal(bad, i + 1);
		close(fd);
	}
	assert_int_equal(good, 0);
	assert_int_equal(f.server.clients, 0);
	end(&f);
}

static void idle_clients_are_disconnected(void **state)
{
	struct fixture f;
	bool ended;
	int idle, slow;

	(void)state;
	begin(&f);
	size = SIZE;
	idle = come(&f);
	slow = come(&f);
	ask(slow);
	run(&f);
	assert_true(question_server_due_ns(&f.server, clock_ns) <= clock_ns + 10 * NS_PER_SEC);
	clock_ns += 9 * NS_PER_SEC;
	run(&f);
	assert_int_equal(f.server.clients, 2);
	clock_ns += 2 * NS_PER_SEC;
	run(&f);
	assert_int_equal(f.server.clients, 0);
	assert_true(receive(slow, &ended) < SIZE && ended);
	assert_int_equal(question_server_due_ns(&f.server, clock_ns), UINT64_MAX);
	close(idle);
	close(slow);
	end(&f);
}

static void there_is_room_for_a_client_that_sees_all(void **state)
{
	int fd[QUESTION_SERVER_CLIENTS_MAX + 8], last;
	struct fixture f;
	bool ended;

	(void)state;
	begin(&f);
	/* One user has four places. */
	stranger = 1000;
	for (int i = 0; i < 8; i++)
		fd[i] = come(&f);
	assert_int_equal(f.server.clients, QUESTION_SERVER_CLIENTS_EACH);
	for (int i = 0; i < 8; i++)
		close(fd[i]);
	run(&f);
	assert_int_equal(f.server.clients, 0);
	/* All places are taken, and a client that sees all still gets one. */
	for (int i = 0; i < QUESTION_SERVER_CLIENTS_MAX; i++) {
		stranger = (uid_t)(1000 + i);
		fd[i] = come(&f);
		clock_ns += NS_PER_MSEC;
	}
	assert_int_equal(f.server.clients, QUESTION_SERVER_CLIENTS_MAX);
	stranger = 0;
	last = come(&f);
	assert_int_equal(f.server.clients, QUESTION_SERVER_CLIENTS_MAX);
	receive(fd[0], &ended);
	assert_true(ended);
	ask(last);
	run(&f);
	assert_int_equal(receive(last, &ended), size);
	for (int i = 0; i < QUESTION_SERVER_CLIENTS_MAX; i++)
		close(fd[i]);
	close(last);
	end(&f);
}

static int come_as(struct fixture *f, uid_t uid)
{
	stranger = uid;
	return come(f);
}

/* Runs the loop for NS, each time until the next deadline. */
static void wait_ns(struct fixture *f, uint64_t ns)
{
	uint64_t end_ns = clock_ns + ns;

	while (clock_ns < end_ns) {
		uint64_t due_ns = question_server_due_ns(&f->server, clock_ns);

		assert_true(due_ns > clock_ns);
		clock_ns = due_ns < end_ns ? due_ns : end_ns;
		run(f);
	}
}

/*
 * After an answer to an ordinary user there is a pause for all of them. A client that sees all has
 * none.
 */
static void answers_to_users_are_followed_by_a_pause(void **state)
{
	struct pollfd p[QUESTION_SERVER_POLLS];
	struct fixture f;
	bool ended;
	int fd, root;

	(void)state;
	begin(&f);
	cost_ns = NS_PER_SEC;
	root = come_as(&f, 0);
	fd = come_as(&f, 1000);
	ask(fd);
	ask(fd);
	run(&f);
	assert_int_equal(good, 1);
	assert_int_equal(receive(fd, &ended), size);
	assert_int_equal(f.server.strangers_ns, clock_ns + 3 * NS_PER_SEC);
	assert_int_equal(question_server_poll(&f.server, clock_ns, p), 3);
	assert_int_equal(p[1].events, POLLIN);
	assert_int_equal(p[2].fd, -1);
	assert_int_equal(question_server_due_ns(&f.server, clock_ns), f.server.strangers_ns);
	ask(root);
	run(&f);
	assert_int_equal(good, 2);
	assert_int_equal(answered, 0);
	clock_ns = f.server.strangers_ns;
	run(&f);
	assert_int_equal(good, 3);
	assert_int_equal(answered, 1000);
	close(fd);
	close(root);
	end(&f);
}

/*
 * A user who asks again and again, on all places, gets every other answer while another user asks.
 */
static void a_busy_user_gets_every_other_answer(void **state)
{
	int crowd[QUESTION_SERVER_CLIENTS_EACH], one;
	unsigned int ones = 0, others = 0;
	struct fixture f;
	bool ended;

	(void)state;
	begin(&f);
	cost_ns = 10 * NS_PER_MSEC;
	for (size_t i = 0; i < QUESTION_SERVER_CLIENTS_EACH; i++)
		ask(crowd[i] = come_as(&f, 1000));
	one = come_as(&f, 1001);
	ask(one);
	for (unsigned int round = 0; round < 40; round++) {
		clock_ns = clock_ns < f.server.strangers_ns ? f.server.strangers_ns : clock_ns + 1;
		good = 0;
		run(&f);
		assert_int_equal(good, 1);
		ones += answered == 1001;
		others += answered == 1000;
		/* its first request waited since before the first answer to the others */
		assert_true(ones || round < 1);
		for (size_t i = 0; i < QUESTION_SERVER_CLIENTS_EACH; i++) {
			if (!receive(crowd[i], &ended))
				continue;
			close(crowd[i]);
			run(&f);
			ask(crowd[i] = come_as(&f, 1000));
		}
		if (receive(one, &ended))
			ask(one);
		assert_false(ended);
	}
	assert_int_equal(ones, 20);
	assert_int_equal(others, 20);
	for (size_t i = 0; i < QUESTION_SERVER_CLIENTS_EACH; i++)
		close(crowd[i]);
	close(one);
	end(&f);
}

/* A user who disconnects and asks again during the pause waits behind users who come during it. */
static void reconnecting_loses_the_place(void **state)
{
	struct fixture f;
	int first, again, other;

	(void)state;
	begin(&f);
	cost_ns = NS_PER_SEC;
	ask(first = come_as(&f, 1000));
	run(&f);
	assert_int_equal(good, 1);
	close(first);
	ask(again = come_as(&f, 1000));
	clock_ns += NS_PER_SEC;
	ask(other = come_as(&f, 1001));
	assert_int_equal(good, 1);
	clock_ns = f.server.strangers_ns;
	run(&f);
	assert_int_equal(good, 2);
	assert_int_equal(answered, 1001);
	clock_ns = f.server.strangers_ns;
	run(&f);
	assert_int_equal(good, 3);
	assert_int_equal(answered, 1000);
	close(again);
	close(other);
	end(&f);
}

/*
 * However long answers to others take, a client that has asked is answered. One that has not asked
 * is disconnected after the full timeout of its own.
 */
static void waiting_for_others_is_not_idle(void **state)
{
	struct fixture f;
	bool ended;
	int slow, patient, idle, root;

	(void)state;
	begin(&f);
	cost_ns = 5 * NS_PER_SEC;
	slow = come_as(&f, 1000);
	ask(slow);
	run(&f);
	assert_int_equal(good, 1);
	patient = come_as(&f, 1001);
	ask(patient);
	idle = come_as(&f, 1002);
	wait_ns(&f, 14 * NS_PER_SEC);
	assert_int_equal(f.server.clients, 3);
	receive(patient, &ended);
	assert_false(ended);
	/* fifteen seconds after it asked */
	wait_ns(&f, 2 * NS_PER_SEC);
	assert_int_equal(good, 2);
	assert_int_equal(receive(patient, &ended), size);
	receive(idle, &ended);
	assert_false(ended);
	/* After that pause, too, it has ten seconds. */
	clock_ns = f.server.strangers_ns;
	wait_ns(&f, 9 * NS_PER_SEC);
	receive(idle, &ended);
	assert_false(ended);
	wait_ns(&f, 2 * NS_PER_SEC);
	receive(idle, &ended);
	assert_true(ended);
	/*
	 * A request that came while others' answers were made is read before any client counts as
	 * idle.
	 */
	root = come_as(&f, 0);
	ask(root);
	clock_ns += 60 * NS_PER_SEC;
	run(&f);
	assert_int_equal(receive(root, &ended), size);
	close(slow);
	close(patient);
	close(idle);
	close(root);
	end(&f);
}

/*
 * A client that never asks is disconnected, even if another client's request is always read first.
 * A client that has asked is not.
 */
static void a_silent_client_beside_a_busy_one_is_disconnected(void **state)
{
	int asks, silent, other;
	struct fixture f;
	bool ended;

	(void)state;
	begin(&f);
	cost_ns = NS_PER_MSEC;
	silent = come_as(&f, 1000);
	asks = come_as(&f, 1000);
	for (unsigned int round = 1; round <= 4; round++) {
		ask(asks);
		run(&f);
		assert_int_equal(receive(asks, &ended), size);
		receive(silent, &ended);
		assert_int_equal(ended, round > 2);
		wait_ns(&f, NS_PER_SEC);
		/* nothing is due until the next request */
		clock_ns += 8 * NS_PER_SEC;
	}
	other = come_as(&f, 1001);
	ask(asks);
	ask(other);
	clock_ns += 60 * NS_PER_SEC;
	run(&f);
	assert_int_equal(good, 5);
	wait_ns(&f, NS_PER_SEC);
	assert_int_equal(receive(asks, &ended), size);
	assert_int_equal(receive(other, &ended), size);
	assert_int_equal(f.server.clients, 2);
	close(asks);
	close(silent);
	close(other);
	end(&f);
}

/* A client that waits for its answer does not lose its place to a new one. */
static void a_waiting_client_keeps_its_place(void **state)
{
	int fd[QUESTION_SERVER_CLIENTS_MAX], last;
	struct fixture f;
	bool ended;

	(void)state;
	begin(&f);
	cost_ns = NS_PER_SEC;
	/*
	 * User 999 has one place, and waits for an answer. The other users have up to four. New
	 * clients do not take its place.
	 */
	fd[0] = come_as(&f, 999);
	ask(fd[0]);
	run(&f);
	assert_int_equal(receive(fd[0], &ended), size);
	ask(fd[0]);
	for (int i = 1; i < QUESTION_SERVER_CLIENTS_MAX; i++)
		ask(fd[i] = come_as(&f, (uid_t)(1000 + i / 4)));
	assert_int_equal(f.server.clients, QUESTION_SERVER_CLIENTS_MAX);
	last = come_as(&f, 1000);
	assert_int_equal(f.server.clients, QUESTION_SERVER_CLIENTS_MAX);
	receive(fd[0], &ended);
	assert_false(ended);
	close(last);
	last = come_as(&f, 1100);
	assert_int_equal(f.server.clients, QUESTION_SERVER_CLIENTS_MAX);
	receive(last, &ended);
	assert_false(ended);
	receive(fd[0], &ended);
	assert_false(ended);
	for (int i = 0; i < QUESTION_SERVER_CLIENTS_MAX; i++)
		close(fd[i]);
	close(last);
	end(&f);
}

/* In a user namespace several users may have the same uid: none sees the rows of that uid. */
static void a_user_without_a_uid_is_nobody(void **state)
{
	struct fixture f;
	int fd;

	(void)state;
	begin(&f);
	for (unsigned int i = 0; i < 2; i++) {
		rules.has_unmapped = i;
		fd = come_as(&f, 65534);
		ask(fd);
		run(&f);
		assert_int_equal(answered, i ? QUESTION_NO_UID : 65534);
		close(fd);
		clock_ns += 10 * NS_PER_SEC;
		run(&f);
	}
	end(&f);
}

/* memtally-web sees all rows, or those of the uid that it asks for; no other stranger gets more. */
static void memtally_web_asks_for_others(void **state)
{
	static const struct {
		uid_t asker;
		bool has_uid;
		uint32_t uid;
		bool sees_all;
		uint32_t seen;
		bool is_refused;
	} cases[] = {
		{0, false, 0, true, 0},
		{0, true, 1000, false, 1000},
		{0, true, QUESTION_NO_UID, false, QUESTION_NO_UID},
		{77, false, 0, true, 77},
		{77, true, 1000, false, 1000},
		{77, true, 77, false, 77},
		{77, true, QUESTION_NO_UID, false, QUESTION_NO_UID},
		{1000, false, 0, false, 1000},
		{1000, true, 1000, false, 1000},
		{1000, true, 0, false, 0, true},
		{1000, true, 1001, false, 0, true},
		{1000, true, QUESTION_NO_UID, false, 0, true},
	};
	struct fixture f;

	(void)state;
	begin(&f);
	f.server.web = 77;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool ended;
		int fd;

		stranger = cases[i].asker;
		fd = come(&f);
		ask_for(fd, cases[i].has_uid, cases[i].uid);
		run(&f);
		assert_int_equal(receive(fd, &ended), cases[i].is_refused ? 8 : size);
		assert_int_equal(ended, cases[i].is_refused);
		assert_true(cases[i].is_refused || saw_all == cases[i].sees_all);
		if (!saw_all && !cases[i].is_refused)
			assert_int_equal(answered, cases[i].seen);
		close(fd);
		run(&f);
	}
	end(&f);
}

/* memtally-web waits like any other stranger after an answer. */
static void memtally_web_waits_for_its_turn(void **state)
{
	struct fixture f;
	bool ended;
	int fd;

	(void)state;
	begin(&f);
	f.server.web = stranger = 77;
	fd = come(&f);
	cost_ns = 100 * NS_PER_MSEC;
	ask(fd);
	run(&f);
	assert_int_equal(receive(fd, &ended), size);
	ask(fd);
	clock_ns += 299 * NS_PER_MSEC;
	run(&f);
	assert_int_equal(receive(fd, &ended), 0);
	clock_ns += NS_PER_MSEC;
	run(&f);
	assert_int_equal(receive(fd, &ended), size);
	close(fd);
	end(&f);
}

/* A descriptor goes with the first message, and is closed here. */
static void sends_a_descriptor_with_the_answer(void **state)
{
	AUTO_CLOSE int got = CHANNEL_NO_FD, file = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct fixture f;
	unsigned int before;
	char text[1000];
	size_t len = 0;
	int fd;

	(void)state;
	begin(&f);
	answer_fd = file;
	fd = come(&f);
	before = unit_descriptors();
	ask(fd);
	run(&f);
	assert_int_equal(unit_descriptors(), before);
	assert_int_equal(channel_receive(fd, text, sizeof(text), &len, &got), 0);
	assert_int_equal(len, size);
	assert_true(got >= 0);
	close(fd);
	end(&f);
}

/* A long answer is made in parts. Between them others are answered, and strangers have pauses. */
static void long_answers_are_made_in_parts(void **state)
{
	struct fixture f;
	bool ended;
	int fd, root;

	(void)state;
	begin(&f);
	cost_ns = 5 * NS_PER_MSEC;
	parts = 3;
	fd = come_as(&f, 1000);
	root = come_as(&f, 0);
	ask(fd);
	run(&f);
	assert_int_equal(question_server_due_ns(&f.server, clock_ns), f.server.strangers_ns);
	assert_int_equal(f.server.strangers_ns, clock_ns + 15 * NS_PER_MSEC);
	ask(root);
	run(&f);
	assert_int_equal(good, 2);
	/* That of a trusted client goes on at once. */
	assert_int_equal(question_server_due_ns(&f.server, clock_ns), clock_ns);
	run(&f);
	run(&f);
	assert_int_equal(receive(root, &ended), size);
	assert_int_equal(receive(fd, &ended), 0);
	for (unsigned int part = 2; part <= 3; part++) {
		assert_int_equal(jobs, 1);
		clock_ns = f.server.strangers_ns;
		run(&f);
	}
	assert_int_equal(receive(fd, &ended), size);
	assert_false(ended);
	assert_int_equal(jobs, 0);
	close(fd);
	close(root);
	end(&f);
}

/* The client of a long answer is not idle. If it goes, the answer is not made. */
static void long_answers_end_with_their_client(void **state)
{
	struct fixture f;
	int fd;

	(void)state;
	begin(&f);
	cost_ns = 20 * NS_PER_SEC;
	parts = 1000;
	fd = come_as(&f, 1000);
	ask(fd);
	for (unsigned int part = 0; part < 3; part++) {
		run(&f);
		clock_ns = f.server.strangers_ns;
		assert_int_equal(f.server.clients, 1);
	}
	close(fd);
	assert_int_equal(jobs, 1);
	run(&f);
	assert_int_equal(f.server.clients, 0);
	assert_int_equal(jobs, 0);
	/* Others in the middle of their answers go with the server. */
	fd = come_as(&f, 1000);
	ask(fd);
	run(&f);
	assert_int_equal(jobs, 1);
	close(fd);
	end(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_one_request_after_the_other),
		cmocka_unit_test(an_invalid_request_ends_the_connection),
		cmocka_unit_test(idle_clients_are_disconnected),
		cmocka_unit_test(there_is_room_for_a_client_that_sees_all),
		cmocka_unit_test(answers_to_users_are_followed_by_a_pause),
		cmocka_unit_test(a_busy_user_gets_every_other_answer),
		cmocka_unit_test(reconnecting_loses_the_place),
		cmocka_unit_test(waiting_for_others_is_not_idle),
		cmocka_unit_test(a_silent_client_beside_a_busy_one_is_disconnected),
		cmocka_unit_test(a_waiting_client_keeps_its_place),
		cmocka_unit_test(a_user_without_a_uid_is_nobody),
		cmocka_unit_test(memtally_web_asks_for_others),
		cmocka_unit_test(memtally_web_waits_for_its_turn),
		cmocka_unit_test(sends_a_descriptor_with_the_answer),
		cmocka_unit_test(long_answers_are_made_in_parts),
		cmocka_unit_test(long_answers_end_with_their_client),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
