/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of daemon/children/fork-server.h, the fork server, with real processes. A wrapped waitpid()
 * simulates children that even SIGKILL does not end.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "daemon/children/fork-server.h"
#include "daemon/children/lookup.h"
#include "tests/unit/support/process/offspring.h"

enum { DAEMON_UID = 61301, CHILD_UID = 61300, PATIENCE_MS = 10000 };

static const struct account account = {.uid = CHILD_UID, .gid = CHILD_UID};

/* Shared with the fork server: no killed child exits while this is set. */
static volatile bool *hang;
static bool has_no_close_range;

pid_t __real_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);
int __real_close_range(unsigned int first, unsigned int last, int flags);
int __wrap_close_range(unsigned int first, unsigned int last, int flags);

pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
	return *hang && options == WNOHANG ? 0 : __real_waitpid(pid, status, options);
}

int __wrap_close_range(unsigned int first, unsigned int last, int flags)
{
	if (!has_no_close_range)
		return __real_close_range(first, last, flags);
	errno = ENOSYS;
	return -1;
}

struct scene {
	struct fork_server server;
	int fd; /* channel to the last child */
};

/* Asks for another child and keeps its channel. Leaves the former channel open. */
static int have_child(struct scene *s)
{
	int fds[2], r;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
	r = fork_server_replace(&s->server, fds[1]);
	close(fds[1]);
	s->fd = fds[0];
	return r;
}

static bool has_ended(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char byte;

	return poll(&p, 1, PATIENCE_MS) == 1 && recv(fd, &byte, 1, MSG_DONTWAIT) <= 0;
}

/* Whether the child answers a lookup. */
static bool knows_root(int fd)
{
	struct lookup_message m = {.principal = {OWNER_USER, 0}};
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return send(fd, &m, sizeof(m), MSG_NOSIGNAL) == sizeof(m) &&
	       poll(&p, 1, PATIENCE_MS) == 1 &&
	       recv(fd, &m, sizeof(m), MSG_DONTWAIT) == sizeof(m) && m.result == LOOKUP_FOUND &&
	       strcmp(m.name, "root") == 0;
}

/* Waits until the fork server has COUNT children, zombies included. Returns false on a timeout. */
static bool comes_to(const struct scene *s, unsigned int count)
{
	for (int i = 0; i < 1000 && offspring_count(s->server.pid) != count; i++)
		usleep(10 * 1000);
	return offspring_count(s->server.pid) == count;
}

static int setup(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	*hang = false;
	*state = s;
	return s && fork_server_open(&account, DAEMON_UID, &s->server) == 0 && have_child(s) == 0
	               ? 0
	               : -1;
}

static int teardown(void **state)
{
	struct scene *s = *state;

	*hang = false;
	(void)!seteuid(getuid()); /* after a failed test */
	fork_server_close(&s->server);
	fd_close(s->fd);
	free(s);
	return 0;
}

static void has_a_child_that_answers(void **state)
{
	struct scene *s = *state;

	assert_true(knows_root(s->fd));
	assert_int_equal(offspring_count(s->server.pid), 1);
}

/* The exit of a child is visible at once. Neither its process nor its descriptors are left. */
static void replaces_a_killed_child(void **state)
{
	struct scene *s = *state;
	pid_t former = offspring_wait(s->server.pid, 0);

	for (int i = 0; i < 3; i++) {
		assert_true(knows_root(s->fd));
		assert_int_equal(kill(former, SIGKILL), 0);
		assert_true(has_ended(s->fd));
		close(s->fd);
		assert_true(comes_to(s, 0));
		assert_int_equal(have_child(s), 0);
		assert_true(knows_root(s->fd));
		former = offspring_wait(s->server.pid, former);
		assert_int_equal(offspring_count(s->server.pid), 1);
	}
}

/* A stopped child does nothing, like one that hangs. */
static void replaces_a_hanging_child(void **state)
{
	struct scene *s = *state;
	pid_t former = offspring_wait(s->server.pid, 0);
	int old = s->fd;

	assert_true(knows_root(old));
	assert_int_equal(kill(former, SIGSTOP), 0);
	assert_int_equal(have_child(s), 0);
	assert_true(has_ended(old));
	close(old);
	assert_true(knows_root(s->fd));
	assert_true(offspring_ends(former));
	assert_int_equal(fork_server_end(&s->server), 0);
	assert_true(has_ended(s->fd));
}

/*
 * There are never more than two children that cannot be killed, whatever is requested, and no call
 * waits for them.
 */
static void limits_children_that_cannot_be_killed(void **state)
{
	struct scene *s = *state;
	bool is_there = false;

	assert_true(knows_root(s->fd));
	*hang = true;
	close(s->fd);
	assert_int_equal(have_child(s), 0);
	assert_true(knows_root(s->fd));
	for (int i = 0; i < 5; i++) {
		close(s->fd);
		assert_int_equal(have_child(s), 0);
		assert_true(has_ended(s->fd));
		assert_int_equal(offspring_count(s->server.pid), 2);
	}
	*hang = false;
	/* They exit at some time. Requests until then start no child. */
	for (int i = 0; i < 500 && !is_there; i++) {
		close(s->fd);
		usleep(10 * 1000);
		(void)have_child(s);
		is_there = knows_root(s->fd);
	}
	assert_true(is_there);
	assert_true(comes_to(s, 1));
}

/* Recognises resolvers that run under memtallyd's uid. */
static void recognises_its_descendants(void **state)
{
	struct scene *s = *state;
	pid_t child = offspring_wait(s->server.pid, 0), gone = fork();

	if (gone == 0)
		_exit(0);
	assert_int_equal(waitpid(gone, NULL, 0), gone);
	assert_true(fork_server_has(&s->server, s->server.pid));
	assert_true(fork_server_has(&s->server, child));
	assert_true(fork_server_has(&s->server, gone));
	assert_false(fork_server_has(&s->server, getpid()));
	assert_false(fork_server_has(&s->server, 0));
	assert_false(fork_server_has(&(struct fork_server){.fd = -1}, gone));
}

static void child_exits_with_the_fork_server(void **state)
{
	struct scene *s = *state;
	pid_t child = offspring_wait(s->server.pid, 0);
	int old = s->fd;

	assert_true(knows_root(old));
	assert_int_equal(kill(s->server.pid, SIGKILL), 0);
	assert_true(has_ended(old));
	close(old);
	assert_true(offspring_ends(child));
	assert_int_equal(have_child(s), -EPIPE);
	assert_true(has_ended(s->fd));
	assert_int_equal(fork_server_end(&s->server), -EPIPE);
	/* It is reaped too, at the latest at the next request. */
	for (int i = 0; i < 500 && s->server.pid; i++) {
		usleep(10 * 1000);
		assert_int_equal(fork_server_end(&s->server), -EPIPE);
	}
	assert_int_equal(s->server.pid, 0);
}

/* Requests do not wait for the fork server, and do not queue up. */
static void requests_do_not_wait(void **state)
{
	struct scene *s = *state;

	assert_true(knows_root(s->fd));
	assert_int_equal(kill(s->server.pid, SIGSTOP), 0);
	close(s->fd);
	assert_int_equal(have_child(s), 0);
	close(s->fd);
	assert_int_equal(have_child(s), -EBUSY);
	assert_int_equal(fork_server_end(&s->server), -EBUSY);
	assert_true(has_ended(s->fd));
	close(s->fd);
	assert_int_equal(kill(s->server.pid, SIGCONT), 0);
	/* It gets the request late, when the channel of that child is long closed. */
	assert_true(comes_to(s, 0));
	assert_int_equal(have_child(s), 0);
	assert_true(knows_root(s->fd));
}

/* Signals to the process group, or to all processes named like memtallyd. */
static void outlives_signals(void **state)
{
	static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
	struct scene *s = *state;
	pid_t child;

	assert_true(knows_root(s->fd));
	child = offspring_wait(s->server.pid, 0);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		assert_int_equal(kill(s->server.pid, signals[i]), 0);
		assert_int_equal(kill(child, signals[i]), 0);
	}
	assert_true(knows_root(s->fd));
	assert_int_equal(offspring_last(s->server.pid), child);
}

static bool is_called(pid_t pid, const char *name)
{
	char path[64], text[32] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	f = fopen(path, "re");
	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	text[strcspn(text, "\n")] = 0;
	return strcmp(text, name) == 0;
}

/* Returns the number of open sockets of PID. */
static unsigned int sockets(pid_t pid)
{
	unsigned int count = 0;

	for (int fd = 0; fd < 300; fd++) {
		char path[64];
		struct stat st;

		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, fd);
		count += stat(path, &st) == 0 && S_ISSOCK(st.st_mode);
	}
	return count;
}

/* The fork server may still hold the channel while its child already answers. */
static bool comes_to_one_socket(pid_t pid)
{
	for (int i = 0; i < 1000 && sockets(pid) != 1; i++)
		usleep(10 * 1000);
	return sockets(pid) == 1;
}

/* Each process has only its own channel, so none keeps another's open. */
static void keeps_no_channels_open(void **state)
{
	struct scene *s = *state;
	pid_t child;

	for (int i = 0; i < 2; i++) {
		assert_true(knows_root(s->fd));
		child = offspring_wait(s->server.pid, 0);
		assert_true(is_called(s->server.pid, "memtallyd-spawn"));
		assert_true(is_called(child, "memtallyd-names"));
		assert_true(comes_to_one_socket(s->server.pid));
		assert_int_equal(sockets(child), 1);
		close(s->fd);
		assert_int_equal(have_child(s), 0);
	}
}

/* As before Linux 5.9. */
static void works_without_close_range(void **state)
{
	has_no_close_range = true;
	assert_int_equal(setup(state), 0);
	has_no_close_range = false;
	assert_non_null(*state);
	if (*state) /* tells the analyzer that *state is not NULL */
		keeps_no_channels_open(state);
}

/* Ways in which memtallyd may end. */
enum end {
	KILLED,
	KILLED_DEAF,      /* while the fork server is stopped */
	CLOSED,           /* its end of the socket is closed */
	BEFORE_THE_CHILD, /* before the first child */
	ENDS,
};

static _Noreturn void be_daemon(enum end end, int report)
{
	struct scene s;
	pid_t pids[2] = {0};

	if (fork_server_open(&account, DAEMON_UID, &s.server) < 0)
		_exit(1);
	pids[0] = s.server.pid;
	if (end != BEFORE_THE_CHILD) {
		if (have_child(&s) < 0 || !knows_root(s.fd))
			_exit(2);
		pids[1] = offspring_last(pids[0]);
	} else {
		/* Wait until the fork server has dropped its rights. */
		for (int i = 0; i < 500 && !is_called(pids[0], "memtallyd-spawn"); i++)
			usleep(10 * 1000);
	}
	if (geteuid() == 0 && setresuid(DAEMON_UID, DAEMON_UID, DAEMON_UID) < 0)
		_exit(3);
	if (end == KILLED_DEAF && kill(pids[0], SIGSTOP) < 0)
		_exit(4);
	if (write(report, pids, sizeof(pids)) != sizeof(pids))
		_exit(5);
	if (end == CLOSED)
		close(s.server.fd);
	if (end == ENDS)
		fork_server_close(&s.server);
	for (;;)
		pause();
}

/* For each way of ending. */
static void exits_with_memtallyd(void **state)
{
	(void)state;
	for (enum end end = KILLED; end <= ENDS; end++) {
		pid_t pids[2], daemon;
		int fds[2], status;
		bool have_ended;

		assert_int_equal(pipe(fds), 0);
		daemon = fork();
		if (daemon == 0)
			be_daemon(end, fds[1]);
		assert_true(daemon > 0);
		close(fds[1]);
		assert_int_equal(read(fds[0], pids, sizeof(pids)), sizeof(pids));
		close(fds[0]);
		if (end != CLOSED && end != ENDS)
			assert_int_equal(kill(daemon, SIGKILL), 0);
		have_ended = offspring_ends(pids[0]) && (!pids[1] || offspring_ends(pids[1]));
		kill(daemon, SIGKILL);
		assert_int_equal(waitpid(daemon, &status, 0), daemon);
		assert_true(have_ended);
	}
}

/* Asserts the real, effective and saved uid of PID. */
static void assert_uids(pid_t pid, uid_t real, uid_t effective, uid_t saved)
{
	char path[64], line[128], expected[128];
	bool is_found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	snprintf(expected, sizeof(expected), "Uid:\t%u\t%u\t%u\t%u\n", real, effective, saved,
		effective);
	f = fopen(path, "re");
	assert_non_null(f);
	while (!is_found && fgets(line, sizeof(line), f))
		is_found = strncmp(line, "Uid:", 4) == 0;
	fclose(f);
	assert_string_equal(line, expected);
}

/* The first and all later children, though this process has changed its uid. */
static void children_have_the_same_uid(void **state)
{
	struct scene *s = *state;

	if (geteuid() != 0)
		skip();
	assert_true(knows_root(s->fd));
	assert_int_equal(seteuid(DAEMON_UID), 0);
	for (int i = 0; i < 3; i++) {
		assert_true(comes_to(s, 1));
		assert_uids(s->server.pid, CHILD_UID, CHILD_UID, DAEMON_UID);
		assert_uids(offspring_wait(s->server.pid, 0), CHILD_UID, CHILD_UID, DAEMON_UID);
		close(s->fd);
		assert_int_equal(have_child(s), 0);
		assert_true(knows_root(s->fd));
	}
	assert_int_equal(seteuid(0), 0);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(has_a_child_that_answers),
		TEST(replaces_a_killed_child),
		TEST(replaces_a_hanging_child),
		TEST(limits_children_that_cannot_be_killed),
		TEST(recognises_its_descendants),
		TEST(child_exits_with_the_fork_server),
		TEST(requests_do_not_wait),
		TEST(outlives_signals),
		TEST(keeps_no_channels_open),
		TEST(children_have_the_same_uid),
		cmocka_unit_test_teardown(works_without_close_range, teardown),
		cmocka_unit_test(exits_with_memtallyd),
	};

	hang = mmap(NULL, sizeof(*hang), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (hang == MAP_FAILED)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
