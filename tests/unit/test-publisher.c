/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/channel.h"
#include "base/memfd.h"
#include "daemon/publisher.h"

struct place {
	char dir[64];
	char path[96];
	sd_event *event;
	struct publisher *publisher;
};

static int setup(void **state)
{
	static struct place place;
	struct privileged own;

	place = (struct place){.dir = "/tmp/test-publisher-XXXXXX"};
	if (!mkdtemp(place.dir))
		return -1;
	snprintf(place.path, sizeof(place.path), "%s/s", place.dir);
	if (sd_event_new(&place.event) < 0 ||
		publisher_open(place.event, place.path, &place.publisher) < 0)
		return -1;
	privileged_init(&own);
	own.own = geteuid();
	publisher_set_privileged(place.publisher, &own);
	*state = &place;
	return 0;
}

static int teardown(void **state)
{
	struct place *place = *state;

	publisher_close(place->publisher);
	sd_event_unref(place->event);
	/* The socket file goes with its publisher. */
	return rmdir(place->dir);
}

static void serve(struct place *place)
{
	while (sd_event_run(place->event, 0) > 0)
		;
}

static int make_file(char content)
{
	struct iovec iov = {.iov_base = &content, .iov_len = 1};
	int fd;

	assert_int_equal(memfd_new_sealed("test", &iov, 1, &fd), 0);
	return fd;
}

static int connect_to(struct place *place)
{
	int fd;

	assert_int_equal(channel_connect(place->path, &fd), 0);
	serve(place);
	return fd;
}

/* The content of the file that waits at SOCKET; 0: none does. */
static char received(int socket)
{
	AUTO_CLOSE int fd = -1;
	char content = 0;

	if (channel_receive_fd(socket, &fd) == 0)
		assert_int_equal(pread(fd, &content, 1, 0), 1);
	return content;
}

static void sends_the_latest_at_once_and_each_new_one(void **state)
{
	struct place *place = *state;
	AUTO_CLOSE int early = connect_to(place), late = -1;

	assert_int_equal(received(early), 0);
	publisher_publish(place->publisher, make_file('a'), make_file('A'));
	assert_int_equal(received(early), 'a'); /* our own user sees all */
	late = connect_to(place);
	assert_int_equal(received(late), 'a');
	publisher_publish(place->publisher, make_file('b'), -1);
	assert_int_equal(received(early), 'b');
	assert_int_equal(received(late), 'b');
	assert_int_equal(received(late), 0);
}

/* A reader that sleeps finds one message, not a queue of them; then it is served again. */
static void passes_over_who_has_not_read(void **state)
{
	struct place *place = *state;
	AUTO_CLOSE int client = connect_to(place);

	publisher_publish(place->publisher, make_file('a'), -1);
	publisher_publish(place->publisher, make_file('b'), -1);
	publisher_publish(place->publisher, make_file('c'), -1);
	assert_int_equal(received(client), 'a');
	assert_int_equal(received(client), 0);
	publisher_publish(place->publisher, make_file('d'), -1);
	assert_int_equal(received(client), 'd');
}

/* What clients write fails at the client, and neither bytes nor descriptors stay here. */
static void reads_nothing(void **state)
{
	struct place *place = *state;
	AUTO_CLOSE int client = connect_to(place);
	unsigned int before = unit_descriptors();

	assert_int_equal(send(client, "x", 1, MSG_NOSIGNAL), -1);
	assert_int_equal(errno, EPIPE);
	assert_int_equal(channel_send_fd(client, client), -EPIPE);
	serve(place);
	assert_int_equal(unit_descriptors(), before);
	publisher_publish(place->publisher, make_file('a'), -1);
	assert_int_equal(received(client), 'a');
}

static void lets_go_of_who_is_gone(void **state)
{
	struct place *place = *state;
	unsigned int before = unit_descriptors();

	for (unsigned int i = 0; i < 3 * PUBLISHER_CLIENTS_MAX; i++) {
		close(connect_to(place));
		serve(place);
	}
	assert_int_equal(unit_descriptors(), before);
}

static void serves_four_of_a_user(void **state)
{
	struct place *place = *state;
	int client[PUBLISHER_CLIENTS_UID + 1], fd;

	for (unsigned int i = 0; i <= PUBLISHER_CLIENTS_UID; i++)
		client[i] = connect_to(place);
	publisher_publish(place->publisher, make_file('a'), -1);
	for (unsigned int i = 0; i < PUBLISHER_CLIENTS_UID; i++)
		assert_int_equal(received(client[i]), 'a');
	assert_int_equal(channel_receive_fd(client[PUBLISHER_CLIENTS_UID], &fd), CHANNEL_CLOSED);
	for (unsigned int i = 0; i <= PUBLISHER_CLIENTS_UID; i++)
		close(client[i]);
}

/* As those do who only look whether somebody answers. */
static void counts_nobody_who_has_left(void **state)
{
	struct place *place = *state;
	AUTO_CLOSE int client = -1;

	for (unsigned int i = 0; i < 2 * PUBLISHER_CLIENTS_UID; i++) {
		assert_int_equal(channel_connect(place->path, &client), 0);
		client = fd_close(client);
	}
	assert_int_equal(channel_connect(place->path, &client), 0);
	serve(place);
	publisher_publish(place->publisher, make_file('a'), -1);
	assert_int_equal(received(client), 'a');
}

/* Connects as UID and holds the connection; what it gets, it tells through PIPE. */
static pid_t connect_as(struct place *place, uid_t uid, int pipe[2])
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child) {
		int fd = -1;
		char content = 'x';

		if (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 ||
			setresuid(uid, uid, uid) < 0 || channel_connect(place->path, &fd) < 0 ||
			write(pipe[1], "c", 1) != 1)
			_exit(1);
		for (;;) {
			struct pollfd p = {.fd = fd, .events = POLLIN};
			int image, r;

			poll(&p, 1, -1);
			r = channel_receive_fd(fd, &image);
			if (r == 0 && pread(image, &content, 1, 0) == 1) {
				close(image);
			} else {
				content = r == CHANNEL_CLOSED ? '-' : '?';
			}
			if (write(pipe[1], &content, 1) != 1 || content == '-' || content == '?')
				_exit(0);
		}
	}
	return child;
}

static char heard(struct place *place, int pipe[2])
{
	char c = 0;

	struct pollfd p = {.fd = pipe[0], .events = POLLIN};

	serve(place);
	assert_int_equal(poll(&p, 1, 5000), 1);
	assert_int_equal(read(pipe[0], &c, 1), 1);
	return c;
}

/* A stranger gets the sums; where there are none for him, he is let go, whether he has come before or comes then. */
static void lets_go_of_strangers_who_get_nothing(void **state)
{
	struct place *place = *state;
	AUTO_CLOSE int own = -1;
	struct privileged privileged;
	unsigned int before;
	int pipe[2];
	pid_t child;

	privileged_init(&privileged);
	if (geteuid())
		skip(); /* nobody else can be become */
	assert_int_equal(chmod(place->dir, 0755), 0);
	assert_int_equal(pipe2(pipe, O_CLOEXEC), 0);
	own = connect_to(place);
	before = unit_descriptors();
	child = connect_as(place, 4711, pipe);
	assert_int_equal(heard(place, pipe), 'c');
	serve(place);
	publisher_publish(place->publisher, make_file('a'), make_file('A'));
	assert_int_equal(heard(place, pipe), 'A');
	publisher_publish(place->publisher, make_file('b'), -1);
	assert_int_equal(heard(place, pipe), '-');
	assert_int_equal(unit_descriptors(), before + 1); /* the image */
	assert_int_equal(waitpid(child, NULL, 0), child);

	child = connect_as(place, 4711, pipe);
	assert_int_equal(heard(place, pipe), 'c');
	assert_int_equal(heard(place, pipe), '-');
	assert_int_equal(waitpid(child, NULL, 0), child);

	/* In the group he is no stranger. */
	privileged.group = 4711;
	publisher_set_privileged(place->publisher, &privileged);
	child = connect_as(place, 4711, pipe);
	assert_int_equal(heard(place, pipe), 'c');
	assert_int_equal(heard(place, pipe), 'b');
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(received(own), 'a');
	close(pipe[0]);
	close(pipe[1]);
}

static void shows_sums_by_option(void **state)
{
	static const struct {
		enum snapshot_public option;
		bool shown, where_hidden;
	} cases[] = {
		{SNAPSHOT_PUBLIC_AUTO, true, false},
		{SNAPSHOT_PUBLIC_AGGREGATES, true, true},
		{SNAPSHOT_PUBLIC_NOTHING, false, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(publisher_shows_sums(cases[i].option, false), cases[i].shown);
		assert_int_equal(
			publisher_shows_sums(cases[i].option, true), cases[i].where_hidden);
	}
}

static bool has_no_descriptor;

int __real_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags);
int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags);

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags)
{
	if (has_no_descriptor) {
		errno = EMFILE;
		return -1;
	}
	return __real_accept4(fd, address, len, flags);
}

/* Without a free descriptor it does not turn in circles, and serves again after the next snapshot. */
static void rests_without_descriptors(void **state)
{
	struct place *place = *state;
	unsigned int turns = 0;
	int client;

	assert_int_equal(channel_connect(place->path, &client), 0);
	has_no_descriptor = true;
	while (turns < 100 && sd_event_run(place->event, 0) > 0)
		turns++;
	has_no_descriptor = false;
	assert_in_range(turns, 1, 5);
	publisher_publish(place->publisher, make_file('a'), -1);
	serve(place);
	assert_int_equal(received(client), 'a');
	close(client);
}

static void admits_with_room_for_the_privileged(void **state)
{
	(void)state;
	assert_true(publisher_admits(false, 0, 0));
	assert_false(publisher_admits(false, 4, 4));
	assert_false(publisher_admits(false, 10, 0));
	assert_true(publisher_admits(true, 10, 0));
	assert_true(publisher_admits(true, 15, 3));
	assert_false(publisher_admits(true, 15, 4)); /* nobody keeps the others out */
	assert_false(publisher_admits(true, 16, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			sends_the_latest_at_once_and_each_new_one, setup, teardown),
		cmocka_unit_test_setup_teardown(passes_over_who_has_not_read, setup, teardown),
		cmocka_unit_test_setup_teardown(reads_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(lets_go_of_who_is_gone, setup, teardown),
		cmocka_unit_test_setup_teardown(serves_four_of_a_user, setup, teardown),
		cmocka_unit_test_setup_teardown(counts_nobody_who_has_left, setup, teardown),
		cmocka_unit_test_setup_teardown(rests_without_descriptors, setup, teardown),
		cmocka_unit_test_setup_teardown(
			lets_go_of_strangers_who_get_nothing, setup, teardown),
		cmocka_unit_test(shows_sums_by_option),
		cmocka_unit_test(admits_with_room_for_the_privileged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
