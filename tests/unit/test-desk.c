/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include <sys/socket.h>

#include "base/clock.h"
#include "ledger/desk.h"

enum { SIZE = 400000 };

static struct reader_rules rules;
static unsigned int good, bad;
static size_t size;    /* of the answers */
static uid_t stranger; /* 0: whoever connects is who he is */

/* Who connects is whoever the test says. */
int __real_getsockopt(int fd, int level, int name, void *value, socklen_t *len);
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len);

int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	int r = __real_getsockopt(fd, level, name, value, len);

	if (r == 0 && level == SOL_SOCKET && name == SO_PEERCRED)
		((struct ucred *)value)->uid = stranger;
	return r;
}

static void answer(void *context, const struct usage_request *request,
	const struct store_reader *reader, struct buffer *to)
{
	(void)context;
	assert_int_equal(reader->sees_all, stranger == 0);
	good += request != NULL;
	bad += request == NULL;
	buffer_clear(to);
	buffer_add_zero(to, request ? size : 8);
}

struct fixture {
	char dir[40], path[64];
	struct desk desk;
	uint64_t now_ns;
};

static void begin(struct fixture *f)
{
	int fd;

	*f = (struct fixture){.now_ns = 1000 * NS_PER_SEC};
	good = bad = 0;
	stranger = 0;
	size = 1000;
	rules = (struct reader_rules){.gid = (gid_t)-1, .uid = (uid_t)-1};
	snprintf(f->dir, sizeof(f->dir), "/tmp/memtally-desk-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/socket", f->dir);
	assert_int_equal(channel_listen(f->path, SOCK_SEQPACKET, 0600, 64, &fd), 0);
	desk_init(&f->desk, fd, &rules);
}

static void end(struct fixture *f)
{
	desk_done(&f->desk);
	unlink(f->path);
	rmdir(f->dir);
}

static void run(struct fixture *f)
{
	desk_run(&f->desk, f->now_ns, answer, NULL);
}

static int come(struct fixture *f)
{
	int fd;

	assert_int_equal(channel_connect(f->path, &fd), 0);
	run(f);
	return fd;
}

static void ask(int fd)
{
	const struct usage_request r = {.kind = USAGE_USER, .since_s = 1, .until_s = 2};
	unsigned char text[USAGE_REQUEST_SIZE];

	usage_request_write(&r, text);
	assert_int_equal(send(fd, text, sizeof(text), MSG_NOSIGNAL), sizeof(text));
}

/* Bytes that have come, and whether the connection has ended. */
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

static void one_question_after_the_other(void **state)
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
	/* A long answer goes as it is taken; the next question waits. */
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
	assert_int_equal(f.desk.clients, 0);
	end(&f);
}

static void what_is_no_question_ends_it(void **state)
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
	assert_int_equal(f.desk.clients, 0);
	end(&f);
}

static void who_does_nothing_is_let_go(void **state)
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
	assert_true(desk_due_ns(&f.desk, f.now_ns) <= f.now_ns + 10 * NS_PER_SEC);
	f.now_ns += 9 * NS_PER_SEC;
	run(&f);
	assert_int_equal(f.desk.clients, 2);
	f.now_ns += 2 * NS_PER_SEC;
	run(&f);
	assert_int_equal(f.desk.clients, 0);
	assert_true(receive(slow, &ended) < SIZE && ended);
	assert_int_equal(desk_due_ns(&f.desk, f.now_ns), UINT64_MAX);
	close(idle);
	close(slow);
	end(&f);
}

static void there_is_room_for_who_sees_all(void **state)
{
	int fd[DESK_CLIENTS_MAX + 8], last;
	struct fixture f;
	bool ended;

	(void)state;
	begin(&f);
	/* A stranger has four places. */
	stranger = 1000;
	for (int i = 0; i < 8; i++)
		fd[i] = come(&f);
	assert_int_equal(f.desk.clients, DESK_CLIENTS_EACH);
	for (int i = 0; i < 8; i++)
		close(fd[i]);
	run(&f);
	assert_int_equal(f.desk.clients, 0);
	/* Many have all of them, and whoever comes gets one. */
	for (int i = 0; i < DESK_CLIENTS_MAX; i++) {
		stranger = (uid_t)(1000 + i);
		fd[i] = come(&f);
		f.now_ns += NS_PER_MSEC;
	}
	assert_int_equal(f.desk.clients, DESK_CLIENTS_MAX);
	stranger = 0;
	last = come(&f);
	assert_int_equal(f.desk.clients, DESK_CLIENTS_MAX);
	receive(fd[0], &ended);
	assert_true(ended);
	ask(last);
	run(&f);
	assert_int_equal(receive(last, &ended), size);
	for (int i = 0; i < DESK_CLIENTS_MAX; i++)
		close(fd[i]);
	close(last);
	end(&f);
}

/* What strangers' answers take is followed by a pause; who sees all has none. */
static void strangers_pause(void **state)
{
	struct pollfd p[DESK_POLLS];
	struct fixture f;
	bool ended;
	int fd, root;

	(void)state;
	begin(&f);
	root = come(&f);
	stranger = 1000;
	fd = come(&f);
	f.desk.strangers_ns = f.now_ns + NS_PER_SEC;
	ask(fd);
	run(&f);
	assert_int_equal(good, 0);
	assert_int_equal(desk_poll(&f.desk, f.now_ns, p), 3);
	assert_int_equal(p[1].events, POLLIN);
	assert_int_equal(p[2].fd, -1);
	assert_int_equal(desk_due_ns(&f.desk, f.now_ns), f.desk.strangers_ns);
	f.now_ns += 2 * NS_PER_SEC;
	f.desk.client[0].seen_ns = f.desk.client[1].seen_ns = f.now_ns;
	assert_int_equal(desk_due_ns(&f.desk, f.now_ns), f.now_ns + 10 * NS_PER_SEC);
	run(&f);
	assert_int_equal(good, 1);
	assert_int_equal(receive(fd, &ended), size);
	close(fd);
	close(root);
	end(&f);
}

static void who_sees_what(void **state)
{
	const struct reader_rules r = {.uid = 990, .gid = 77, .has_unmapped = true};
	const struct {
		uid_t uid;
		bool is_member, sees_all;
		uint32_t own;
	} cases[] = {
		{0, false, true, 0},
		{990, false, true, 990},
		{1000, true, true, 1000},
		{1000, false, false, 1000},
		{65534, true, false, OWNER_NO_ID},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct channel_peer peer = {.uid = cases[i].uid};
		struct store_reader reader = reader_judge(&peer, cases[i].is_member, &r);

		assert_int_equal(reader.sees_all, cases[i].sees_all);
		assert_int_equal(reader.uid, cases[i].own);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_question_after_the_other),
		cmocka_unit_test(what_is_no_question_ends_it),
		cmocka_unit_test(who_does_nothing_is_let_go),
		cmocka_unit_test(there_is_room_for_who_sees_all),
		cmocka_unit_test(strangers_pause),
		cmocka_unit_test(who_sees_what),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
