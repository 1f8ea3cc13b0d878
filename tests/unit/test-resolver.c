/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/resolver.h"

static const struct account account = {.uid = 65534, .gid = 65534};

#define STRANGER 4000000000U

/* What a child does that somebody has broken into, when it is asked for uid 0; set before it is forked. */
static enum {
	HONEST,
	FORGES_ANOTHER,  /* the name of a user that nobody has asked for */
	FORGES_ONE_MORE, /* what was asked for, and then more */
	FORGES_SHORT,
	FORGES_LONG,
	FORGES_RESULT,
	FORGES_ENDLESS, /* a name without an end */
} breach;

struct passwd *__real_getpwuid(uid_t uid);
struct passwd *__wrap_getpwuid(uid_t uid);

/* The child's only socket. */
static int socket_of_child(void)
{
	struct stat st;
	int fd = STDERR_FILENO + 1;

	while (fd < 1024 && (fstat(fd, &st) < 0 || !S_ISSOCK(st.st_mode)))
		fd++;
	return fd;
}

static void forge(size_t size, const struct resolver_message *m)
{
	static char wire[2 * sizeof(*m)];
	static int fd = -1;

	if (fd < 0)
		fd = socket_of_child();
	memcpy(wire, m, sizeof(*m));
	if (send(fd, wire, size, 0) != (ssize_t)size)
		_exit(1);
}

struct passwd *__wrap_getpwuid(uid_t uid)
{
	struct resolver_message m = {.uid = uid, .name = "mallory"};

	switch (breach) {
	case HONEST: return __real_getpwuid(uid);
	case FORGES_ANOTHER: m.uid = STRANGER; break;
	case FORGES_ONE_MORE: forge(sizeof(m), &m); break;
	case FORGES_SHORT: forge(sizeof(m) - 1, &m); break;
	case FORGES_LONG: forge(sizeof(m) + 1, &m); break;
	case FORGES_RESULT: m.result = RESOLVER_FAILED + 1; break;
	case FORGES_ENDLESS: memset(m.name, 'm', sizeof(m.name)); break;
	}
	forge(sizeof(m), &m);
	for (;;)
		pause();
}

static void wait_answer(struct resolver *r, struct resolver_message *ret)
{
	struct pollfd p = {.fd = resolver_fd(r), .events = POLLIN};

	assert_int_equal(poll(&p, 1, 10000), 1);
	assert_int_equal(resolver_answer(r, ret), 0);
}

static void knows_root(void **state)
{
	AUTO_RESOLVER struct resolver *r = NULL;
	struct resolver_message answer;

	(void)state;
	assert_int_equal(resolver_start(&account, 65534, &r), 0);
	assert_int_equal(resolver_answer(r, &answer), -EAGAIN);
	assert_int_equal(resolver_ask(r, 0), 0);
	wait_answer(r, &answer);
	assert_int_equal(answer.result, RESOLVER_FOUND);
	assert_int_equal(answer.uid, 0);
	assert_string_equal(answer.name, "root");
	assert_int_equal(resolver_ask(r, STRANGER), 0);
	wait_answer(r, &answer);
	assert_int_equal(answer.result, RESOLVER_ABSENT);
	assert_int_equal(answer.uid, STRANGER);
}

/* Few questions are under way, so that none is ever lost in a full socket. */
static void has_room_for_few(void **state)
{
	AUTO_RESOLVER struct resolver *r = NULL;
	struct resolver_message answer;
	unsigned int asked = 0;

	(void)state;
	assert_int_equal(resolver_start(&account, 65534, &r), 0);
	while (resolver_has_room(r)) {
		assert_int_equal(resolver_ask(r, STRANGER), 0);
		asked++;
	}
	assert_int_equal(resolver_ask(r, STRANGER), -EAGAIN);
	assert_in_range(asked, 8, 256);
	while (asked--)
		wait_answer(r, &answer);
	assert_true(resolver_has_room(r));
}

static void tells_that_the_child_is_gone(void **state)
{
	AUTO_RESOLVER struct resolver *r = NULL;
	struct resolver_message answer;
	struct pollfd p;
	char text[64];

	(void)state;
	assert_int_equal(resolver_start(&account, 65534, &r), 0);
	/* Its socket is our only child's: end the child as a crash would. */
	snprintf(text, sizeof(text), "/proc/%d/task/%d/children", getpid(), getpid());
	{
		FILE *f = fopen(text, "re");
		int child = 0;

		assert_non_null(f);
		assert_non_null(fgets(text, sizeof(text), f));
		fclose(f);
		for (const char *c = text; *c >= '0' && *c <= '9'; c++)
			child = child * 10 + (*c - '0');
		assert_true(child > 1);
		assert_int_equal(kill(child, SIGKILL), 0);
	}
	p = (struct pollfd){.fd = resolver_fd(r), .events = POLLIN};
	assert_int_equal(poll(&p, 1, 10000), 1);
	assert_int_equal(resolver_answer(r, &answer), -EPIPE);
	assert_int_equal(resolver_ask(r, 0), -EPIPE);
}

/* The only child that has not ended. */
static pid_t child_of_ours(void)
{
	char text[64];
	int child = 0;
	FILE *f;

	snprintf(text, sizeof(text), "/proc/%d/task/%d/children", getpid(), getpid());
	f = fopen(text, "re");
	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	for (const char *c = text; *c >= '0' && *c <= '9'; c++)
		child = child * 10 + (*c - '0');
	assert_true(child > 1);
	return child;
}

/* Stopped, it answers as little as one that hangs. */
static void replaces_a_child_that_hangs(void **state)
{
	AUTO_RESOLVER struct resolver *r = NULL;
	struct resolver_message answer;
	uid_t lost;
	pid_t first;
	int status;

	(void)state;
	assert_int_equal(resolver_start(&account, 65534, &r), 0);
	assert_false(resolver_lost(r, &lost));
	first = child_of_ours();
	assert_int_equal(kill(first, SIGSTOP), 0);
	assert_int_equal(resolver_ask(r, 0), 0);
	assert_int_equal(resolver_ask(r, STRANGER), 0);
	assert_int_equal(resolver_in_flight(r), 2);
	assert_int_equal(resolver_replace(r), 0);
	assert_int_equal(resolver_in_flight(r), 0);
	assert_true(resolver_lost(r, &lost));
	assert_int_equal(lost, STRANGER);
	assert_true(resolver_lost(r, &lost));
	assert_int_equal(lost, 0);
	assert_false(resolver_lost(r, &lost));
	assert_int_equal(resolver_ask(r, 0), 0);
	wait_answer(r, &answer);
	assert_string_equal(answer.name, "root");
	assert_false(resolver_lost(r, &lost));
	/* The first is gone, and not as a zombie: at the latest when somebody asks again. */
	for (int i = 0; i < 1000 && kill(first, 0) == 0; i++) {
		nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
		assert_int_equal(resolver_ask(r, 0), 0);
		wait_answer(r, &answer);
	}
	assert_true(waitpid(first, &status, WNOHANG) < 0 && errno == ECHILD);
}

/* Neither the name of somebody else nor anything else but an answer is taken, and who has sent it is ended. */
static void ends_a_child_that_says_something_else(void **state)
{
	(void)state;
	for (breach = FORGES_ANOTHER; breach <= FORGES_ENDLESS; breach++) {
		AUTO_RESOLVER struct resolver *r = NULL;
		struct resolver_message answer = {.uid = 77};
		struct pollfd p = {.events = POLLIN};
		uid_t lost;

		assert_int_equal(resolver_start(&account, 65534, &r), 0);
		assert_int_equal(resolver_ask(r, 0), 0);
		p.fd = resolver_fd(r);
		assert_int_equal(poll(&p, 1, 10000), 1);
		if (breach == FORGES_ONE_MORE) {
			wait_answer(r, &answer);
			assert_string_equal(answer.name, "mallory");
			assert_int_equal(poll(&p, 1, 10000), 1);
			answer.uid = 77;
		}
		assert_int_equal(resolver_answer(r, &answer), -EPROTO);
		assert_int_equal(answer.uid, 77);
		/* Its end shows by its socket's. */
		p.events = POLLRDHUP;
		assert_int_equal(poll(&p, 1, 10000), 1);
		assert_int_equal(resolver_replace(r), 0);
		assert_int_equal(resolver_lost(r, &lost), breach != FORGES_ONE_MORE);
	}
	breach = HONEST;
}

/* Root starts it under a uid of its own, and is root no more when it is to be ended. */
static void its_master_may_end_it(void **state)
{
	const struct account other = {.uid = 61300, .gid = 61300};
	const uid_t master = 61301;
	pid_t pid;
	int status;

	(void)state;
	if (geteuid() != 0)
		skip();
	pid = fork();
	if (pid == 0) {
		struct resolver_message answer;
		struct resolver *r;
		pid_t child;

		if (resolver_start(&other, master, &r) < 0 || resolver_ask(r, 0) < 0)
			_exit(1);
		wait_answer(r, &answer);
		child = child_of_ours();
		if (setresuid(master, master, master) < 0)
			_exit(2);
		_exit(kill(child, SIGKILL) == 0 ? 0 : 3);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_root),
		cmocka_unit_test(has_room_for_few),
		cmocka_unit_test(tells_that_the_child_is_gone),
		cmocka_unit_test(replaces_a_child_that_hangs),
		cmocka_unit_test(ends_a_child_that_says_something_else),
		cmocka_unit_test(its_master_may_end_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
