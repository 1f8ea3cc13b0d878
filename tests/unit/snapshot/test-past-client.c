/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the client of memtally-recorder's socket, with a real socket. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sys/socket.h>

#include "base/os/channel.h"
#include "snapshot/past-client.h"
#include "tests/unit/support/folder.h"
#include "tests/unit/support/process/stand-in.h"
#include "tests/unit/support/snapshot/sample.h"

#define PATH "recorder.sock"

enum { WAIT_MS = 20000 };

static void make_pair(int *server, int *client)
{
	int pair[2];

	assert_int_equal(
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), 0);
	*server = pair[0];
	*client = pair[1];
}

/* Sends an answer with HEAD and a point for each of its .points, and with IMAGE. */
static void send_answer(int server, const struct past_head *head, int image)
{
	const struct past_point points[] = {{.at_ns = 5}, {.at_ns = 6, .present = 1, .value = 9}};
	AUTO_BUFFER struct buffer b = {0};

	past_answer_write(head, points, &b);
	assert_int_equal(b.error, 0);
	assert_int_equal(channel_send(server, b.data, b.len, image), 0);
}

static void receives_a_snapshot(void **state)
{
	AUTO_CLOSE int server = -1, client = -1, image = -1;
	AUTO_PAST_ANSWER struct past_answer a = {0};
	const char *reason = "";
	unsigned int before;

	(void)state;
	make_pair(&server, &client);
	assert_int_equal(sample_seal(NULL, &image), 0);
	before = unit_descriptors();
	assert_int_equal(past_receive(client, &a, &reason), 1);
	send_answer(server, &(struct past_head){.first_ns = 1, .last_ns = 9, .at_ns = 7}, image);
	assert_int_equal(past_receive(client, &a, &reason), 0);
	assert_int_equal(a.head.at_ns, 7);
	assert_int_equal(a.view->header->sequence, SAMPLE_SEQUENCE);
	assert_int_equal(unit_descriptors(), before);
}

static void receives_points(void **state)
{
	AUTO_CLOSE int server = -1, client = -1;
	AUTO_PAST_ANSWER struct past_answer a = {0};
	const char *reason = "";

	(void)state;
	make_pair(&server, &client);
	send_answer(server, &(struct past_head){.points = 2}, CHANNEL_NO_FD);
	assert_int_equal(past_receive(client, &a, &reason), 0);
	assert_null(a.view);
	assert_int_equal(a.head.points, 2);
	assert_int_equal(a.points[1].value, 9);
}

static void sends_the_question(void **state)
{
	const struct past_request r = {.pick = PAST_AT, .at_ns = 5};
	unsigned char text[PAST_REQUEST_SIZE + 1];
	AUTO_CLOSE int server = -1, client = -1;
	struct past_request got;

	(void)state;
	make_pair(&server, &client);
	assert_int_equal(past_send(client, &r), 0);
	assert_int_equal(recv(server, text, sizeof(text), 0), PAST_REQUEST_SIZE);
	assert_int_equal(past_request_parse(text, PAST_REQUEST_SIZE, &got), 0);
	assert_int_equal(got.at_ns, 5);
	server = fd_close(server);
	assert_int_equal(past_send(client, &r), -EPIPE);
}

/* An answer of memtally-recorder's, with one thing wrong. */
static void refuses_other_answers(void **state)
{
	AUTO_CLOSE int image = -1, plain = open("/dev/null", O_RDONLY | O_CLOEXEC);
	AUTO_BUFFER struct buffer good = {0};
	const struct {
		struct past_head head;
		int image;
		const char *version; /* NULL: the right one */
		int result;
		const char *reason;
	} cases[] = {
		{{.at_ns = 7}, CHANNEL_NO_FD, NULL, -EBADMSG,
			"not an answer of memtally-recorder's"},
		{{.at_ns = 0}, plain, NULL, -EBADMSG, "not an answer of memtally-recorder's"},
		{{.at_ns = 7}, plain, NULL, -EINVAL, "not a sealed memory file"},
		{{.at_ns = 0}, CHANNEL_NO_FD, "2", -EPROTO,
			"memtally-recorder has another version"},
		{{.status = PAST_STATUS_END}, CHANNEL_NO_FD, NULL, -EBADMSG,
			"not an answer of memtally-recorder's"},
	};

	(void)state;
	assert_int_equal(sample_seal(NULL, &image), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_CLOSE int server = -1, client = -1;
		AUTO_PAST_ANSWER struct past_answer a = {0};
		unsigned int before;
		const char *reason = "";

		make_pair(&server, &client);
		before = unit_descriptors();
		past_answer_write(&cases[i].head, NULL, &good);
		if (cases[i].version)
			good.data[7] = *cases[i].version;
		assert_int_equal(channel_send(server, good.data, good.len, cases[i].image), 0);
		assert_int_equal(past_receive(client, &a, &reason), cases[i].result);
		assert_string_equal(reason, cases[i].reason);
		assert_int_equal(unit_descriptors(), before);
	}
}

static void refuses_long_messages(void **state)
{
	static const char text[PAST_ANSWER_MAX + 1];
	AUTO_PAST_ANSWER struct past_answer a = {0};
	AUTO_CLOSE int server = -1, client = -1;
	const char *reason = "";

	(void)state;
	make_pair(&server, &client);
	assert_int_equal(channel_send(server, text, sizeof(text), CHANNEL_NO_FD), 0);
	assert_int_equal(past_receive(client, &a, &reason), -EBADMSG);
	server = fd_close(server);
	assert_int_equal(past_receive(client, &a, &reason), -ECONNRESET);
	assert_string_equal(reason, "memtally-recorder closed the connection");
}

/* Answers each question with its time; the time 2 closes the connection, 3 is not answered. */
static void serve(int client, const void *context)
{
	unsigned char text[PAST_REQUEST_SIZE];
	struct past_request r;

	(void)context;
	while (recv(client, text, sizeof(text), 0) > 0 &&
		past_request_parse(text, sizeof(text), &r) == 0 && r.at_ns != 2) {
		AUTO_BUFFER struct buffer b = {0};

		if (r.at_ns == 3)
			continue;
		past_answer_write(&(struct past_head){.lost = r.at_ns}, NULL, &b);
		if (channel_send(client, b.data, b.len, CHANNEL_NO_FD) < 0)
			_exit(1);
	}
}

static void asks_and_waits(void **state)
{
	pid_t pid = stand_in_start(PATH, serve, NULL);
	struct past_request r = {.pick = PAST_AT, .at_ns = 5};
	AUTO_CLOSE int fd = -1;
	const char *reason = "";

	(void)state;
	assert_int_equal(past_connect("none", &fd), -ENOENT);
	assert_int_equal(past_connect(PATH, &fd), 0);
	for (; r.at_ns < 7; r.at_ns++) {
		AUTO_PAST_ANSWER struct past_answer a = {0};

		assert_int_equal(past_ask(fd, &r, WAIT_MS, &a, &reason), 0);
		assert_int_equal(a.head.lost, r.at_ns);
	}
	for (r.at_ns = 3; r.at_ns > 1; r.at_ns--) {
		AUTO_PAST_ANSWER struct past_answer a = {0};

		assert_int_equal(past_ask(fd, &r, r.at_ns == 3 ? 1 : WAIT_MS, &a, &reason),
			r.at_ns == 3 ? -ETIMEDOUT : -ECONNRESET);
		assert_string_equal(reason, r.at_ns == 3
						    ? "memtally-recorder did not answer in time"
						    : "memtally-recorder closed the connection");
	}
	stand_in_end(pid, PATH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(receives_a_snapshot),
		cmocka_unit_test(receives_points),
		cmocka_unit_test(sends_the_question),
		cmocka_unit_test(refuses_other_answers),
		cmocka_unit_test(refuses_long_messages),
		cmocka_unit_test(asks_and_waits),
	};

	return cmocka_run_group_tests(tests, folder_enter, folder_leave);
}
