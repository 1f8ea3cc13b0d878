/* SPDX-License-Identifier: Apache-2.0 */
/* Everybody is real; only what a process does of which even SIGKILL makes no end is told by a wrapped waitpid(). */
#include "config.h"

#include "tests/unit/unit.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "daemon/nursery.h"
#include "daemon/resolver.h"
#include "tests/unit/offspring.h"

enum { DAEMON_UID = 61301, CHILD_UID = 61300, PATIENCE_MS = 10000 };

static const struct account account = {.uid = CHILD_UID, .gid = CHILD_UID};

/* Shared with the nursery: nobody who was killed has ended yet. */
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
	struct nursery nursery;
	int fd; /* of the channel to the last child */
};

/* Has another child, and becomes its master. The former channel is left as it is. */
static int have_child(struct scene *s)
{
	int fds[2], r;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
	r = nursery_replace(&s->nursery, fds[1]);
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

/* Whether it answers. */
static bool knows_root(int fd)
{
	struct resolver_message m = {.who = {OWNER_USER, 0}};
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return send(fd, &m, sizeof(m), MSG_NOSIGNAL) == sizeof(m) &&
	       poll(&p, 1, PATIENCE_MS) == 1 &&
	       recv(fd, &m, sizeof(m), MSG_DONTWAIT) == sizeof(m) && m.result == RESOLVER_FOUND &&
	       strcmp(m.name, "root") == 0;
}

/* Waits for it to have COUNT children, zombies among them; false: it has not. */
static bool comes_to(const struct scene *s, unsigned int count)
{
	for (int i = 0; i < 1000 && offspring_count(s->nursery.pid) != count; i++)
		usleep(10 * 1000);
	return offspring_count(s->nursery.pid) == count;
}

static int setup(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	*hang = false;
	*state = s;
	return s && nursery_open(&account, DAEMON_UID, &s->nursery) == 0 && have_child(s) == 0 ? 0
	                                                                                       : -1;
}

static int teardown(void **state)
{
	struct scene *s = *state;

	*hang = false;
	(void)!seteuid(getuid()); /* where a test has failed under another */
	nursery_close(&s->nursery);
	fd_close(s->fd);
	free(s);
	return 0;
}

static void has_a_child_that_answers(void **state)
{
	struct scene *s = *state;

	assert_true(knows_root(s->fd));
	assert_int_equal(offspring_count(s->nursery.pid), 1);
}

/* The end of a child shows at once, and nothing is left of it; neither of what it had of others. */
static void replaces_who_was_killed(void **state)
{
	struct scene *s = *state;
	pid_t former = offspring_wait(s->nursery.pid, 0);

	for (int i = 0; i < 3; i++) {
		assert_true(knows_root(s->fd));
		assert_int_equal(kill(former, SIGKILL), 0);
		assert_true(has_ended(s->fd));
		close(s->fd);
		assert_true(comes_to(s, 0));
		assert_int_equal(have_child(s), 0);
		assert_true(knows_root(s->fd));
		former = offspring_wait(s->nursery.pid, former);
		assert_int_equal(offspring_count(s->nursery.pid), 1);
	}
}

/* Stopped, it does as little as one that hangs. */
static void replaces_who_hangs(void **state)
{
	struct scene *s = *state;
	pid_t former = offspring_wait(s->nursery.pid, 0);
	int old = s->fd;

	assert_true(knows_root(old));
	assert_int_equal(kill(former, SIGSTOP), 0);
	assert_int_equal(have_child(s), 0);
	assert_true(has_ended(old));
	close(old);
	assert_true(knows_root(s->fd));
	assert_true(offspring_ends(former));
	assert_int_equal(nursery_end(&s->nursery), 0);
	assert_true(has_ended(s->fd));
}

/* Of those who can't be ended there are not more than two, whatever is asked for, and nobody waits for them. */
static void does_not_pile_up_who_cannot_be_ended(void **state)
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
		assert_int_equal(offspring_count(s->nursery.pid), 2);
	}
	*hang = false;
	/* They end when the machine comes to it, and who is asked for before is not made. */
	for (int i = 0; i < 500 && !is_there; i++) {
		close(s->fd);
		usleep(10 * 1000);
		(void)have_child(s);
		is_there = knows_root(s->fd);
	}
	assert_true(is_there);
	assert_true(comes_to(s, 1));
}

/* So that a resolver is known where it has memtallyd's uid. */
static void knows_its_own(void **state)
{
	struct scene *s = *state;
	pid_t child = offspring_wait(s->nursery.pid, 0), gone = fork();

	if (gone == 0)
		_exit(0);
	assert_int_equal(waitpid(gone, NULL, 0), gone);
	assert_true(nursery_has(&s->nursery, s->nursery.pid));
	assert_true(nursery_has(&s->nursery, child));
	assert_true(nursery_has(&s->nursery, gone));
	assert_false(nursery_has(&s->nursery, getpid()));
	assert_false(nursery_has(&s->nursery, 0));
	assert_false(nursery_has(&(struct nursery){.fd = -1}, gone));
}

static void ends_with_its_child(void **state)
{
	struct scene *s = *state;
	pid_t child = offspring_wait(s->nursery.pid, 0);
	int old = s->fd;

	assert_true(knows_root(old));
	assert_int_equal(kill(s->nursery.pid, SIGKILL), 0);
	assert_true(has_ended(old));
	close(old);
	assert_true(offspring_ends(child));
	assert_int_equal(have_child(s), -EPIPE);
	assert_true(has_ended(s->fd));
	assert_int_equal(nursery_end(&s->nursery), -EPIPE);
	/* Nor is it left as a zombie, at the latest when somebody asks again. */
	for (int i = 0; i < 500 && s->nursery.pid; i++) {
		usleep(10 * 1000);
		assert_int_equal(nursery_end(&s->nursery), -EPIPE);
	}
	assert_int_equal(s->nursery.pid, 0);
}

/* Nobody waits for it, and what it is told does not pile up. */
static void need_not_listen(void **state)
{
	struct scene *s = *state;

	assert_true(knows_root(s->fd));
	assert_int_equal(kill(s->nursery.pid, SIGSTOP), 0);
	close(s->fd);
	assert_int_equal(have_child(s), 0);
	close(s->fd);
	assert_int_equal(have_child(s), -EBUSY);
	assert_int_equal(nursery_end(&s->nursery), -EBUSY);
	assert_true(has_ended(s->fd));
	close(s->fd);
	assert_int_equal(kill(s->nursery.pid, SIGCONT), 0);
	/* It hears it late; the channel of that child was long closed. */
	assert_true(comes_to(s, 0));
	assert_int_equal(have_child(s), 0);
	assert_true(knows_root(s->fd));
}

/* What is for the whole group, or for all whose names begin like memtallyd's. */
static void outlives_signals(void **state)
{
	static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
	struct scene *s = *state;
	pid_t child;

	assert_true(knows_root(s->fd));
	child = offspring_wait(s->nursery.pid, 0);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		assert_int_equal(kill(s->nursery.pid, signals[i]), 0);
		assert_int_equal(kill(child, signals[i]), 0);
	}
	assert_true(knows_root(s->fd));
	assert_int_equal(offspring_last(s->nursery.pid), child);
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

/* How many sockets it has open. */
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

/* The nursery may still have in hand what its child has already answered at. */
static bool comes_to_one_socket(pid_t pid)
{
	for (int i = 0; i < 1000 && sockets(pid) != 1; i++)
		usleep(10 * 1000);
	return sockets(pid) == 1;
}

/* Each has the one channel that is its own, and so nobody keeps another's open. */
static void keeps_nothing(void **state)
{
	struct scene *s = *state;
	pid_t child;

	for (int i = 0; i < 2; i++) {
		assert_true(knows_root(s->fd));
		child = offspring_wait(s->nursery.pid, 0);
		assert_true(is_called(s->nursery.pid, "memtallyd-nurse"));
		assert_true(is_called(child, "memtallyd-names"));
		assert_true(comes_to_one_socket(s->nursery.pid));
		assert_int_equal(sockets(child), 1);
		close(s->fd);
		assert_int_equal(have_child(s), 0);
	}
}

/* As before Linux 5.9. */
static void does_without_close_range(void **state)
{
	has_no_close_range = true;
	assert_int_equal(setup(state), 0);
	has_no_close_range = false;
	assert_non_null(*state);
	if (*state) /* an analyzer does not know that what is asserted is so */
		keeps_nothing(state);
}

/* A memtallyd, which ends in one of these ways. */
enum end {
	KILLED,
	KILLED_DEAF,      /* while the nursery hears nothing */
	CLOSED,           /* its end of the socket, by whatever way, is no more */
	BEFORE_THE_CHILD, /* before there was any */
	ENDS,
};

static _Noreturn void be_daemon(enum end end, int report)
{
	struct scene s;
	pid_t pids[2] = {0};

	if (nursery_open(&account, DAEMON_UID, &s.nursery) < 0)
		_exit(1);
	pids[0] = s.nursery.pid;
	if (end != BEFORE_THE_CHILD) {
		if (have_child(&s) < 0 || !knows_root(s.fd))
			_exit(2);
		pids[1] = offspring_last(pids[0]);
	} else {
		/* It has its rights no more. */
		for (int i = 0; i < 500 && !is_called(pids[0], "memtallyd-nurse"); i++)
			usleep(10 * 1000);
	}
	if (geteuid() == 0 && setresuid(DAEMON_UID, DAEMON_UID, DAEMON_UID) < 0)
		_exit(3);
	if (end == KILLED_DEAF && kill(pids[0], SIGSTOP) < 0)
		_exit(4);
	if (write(report, pids, sizeof(pids)) != sizeof(pids))
		_exit(5);
	if (end == CLOSED)
		close(s.nursery.fd);
	if (end == ENDS)
		nursery_close(&s.nursery);
	for (;;)
		pause();
}

/* However it ends. */
static void nobody_outlives_memtallyd(void **state)
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

/* Real, effective, saved. */
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

/* The first and all who follow it, when we have long been somebody else. */
static void all_have_one_uid(void **state)
{
	struct scene *s = *state;

	if (geteuid() != 0)
		skip();
	assert_true(knows_root(s->fd));
	assert_int_equal(seteuid(DAEMON_UID), 0);
	for (int i = 0; i < 3; i++) {
		assert_true(comes_to(s, 1));
		assert_uids(s->nursery.pid, CHILD_UID, CHILD_UID, DAEMON_UID);
		assert_uids(offspring_wait(s->nursery.pid, 0), CHILD_UID, CHILD_UID, DAEMON_UID);
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
		TEST(replaces_who_was_killed),
		TEST(replaces_who_hangs),
		TEST(does_not_pile_up_who_cannot_be_ended),
		TEST(knows_its_own),
		TEST(ends_with_its_child),
		TEST(need_not_listen),
		TEST(outlives_signals),
		TEST(keeps_nothing),
		TEST(all_have_one_uid),
		cmocka_unit_test_teardown(does_without_close_range, teardown),
		cmocka_unit_test(nobody_outlives_memtallyd),
	};

	hang = mmap(NULL, sizeof(*hang), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (hang == MAP_FAILED)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
