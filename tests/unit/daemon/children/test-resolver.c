/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of daemon/children/resolver.h, the client of the name service, with a real child. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>
#include <poll.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/children/resolver.h"
#include "tests/unit/support/process/offspring.h"

static const struct account account = {.uid = 65534, .gid = 65534};

#define STRANGER 4000000000U

/* Behaviour of a compromised child when it is asked for uid 0. Set before the fork. */
static enum {
	HONEST,
	FORGES_ANOTHER,  /* sends the name of a user that was not asked for */
	FORGES_KIND,     /* or of a group */
	FORGES_ONE_MORE, /* sends the answer and more */
	FORGES_SHORT,
	FORGES_LONG,
	FORGES_RESULT,
	FORGES_ENDLESS, /* sends a name without a terminator */
} breach;

struct passwd *__real_getpwuid(uid_t uid);
struct passwd *__wrap_getpwuid(uid_t uid);

/* Returns the child's only socket. */
static int socket_of_child(void)
{
	struct stat st;
	int fd = STDERR_FILENO + 1;

	while (fd < 1024 && (fstat(fd, &st) < 0 || !S_ISSOCK(st.st_mode)))
		fd++;
	return fd;
}

static void forge(size_t size, const struct lookup_message *m)
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
	struct lookup_message m = {.principal = {OWNER_USER, uid}, .name = "mallory"};

	switch (breach) {
	case HONEST: return __real_getpwuid(uid);
	case FORGES_ANOTHER: m.principal.id = STRANGER; break;
	case FORGES_KIND: m.principal.kind = OWNER_GROUP; break;
	case FORGES_ONE_MORE: forge(sizeof(m), &m); break;
	case FORGES_SHORT: forge(sizeof(m) - 1, &m); break;
	case FORGES_LONG: forge(sizeof(m) + 1, &m); break;
	case FORGES_RESULT: m.result = LOOKUP_FAILED + 1; break;
	case FORGES_ENDLESS: memset(m.name, 'm', sizeof(m.name)); break;
	}
	forge(sizeof(m), &m);
	for (;;)
		pause();
}

static int ask(struct resolver *r, uid_t uid)
{
	return resolver_ask(r, &(struct principal){OWNER_USER, uid});
}

static void wait_answer(struct resolver *r, struct lookup_message *ret)
{
	struct pollfd p = {.fd = resolver_fd(r), .events = POLLIN};

	assert_int_equal(poll(&p, 1, 10000), 1);
	assert_int_equal(resolver_answer(r, ret), 0);
}

static void resolves_root(void **state)
{
	AUTO_RESOLVER struct resolver *r = NULL;
	struct lookup_message answer;

	(void)state;
	assert_int_equal(resolver_start(&account, 65534, &r), 0);
	assert_int_equal(resolver_answer(r, &answer), -EAGAIN);
	assert_int_equal(ask(r, 0), 0);
	wait_answer(r, &answer);
	assert_int_equal(answer.result, LOOKUP_FOUND);
	assert_int_equal(answer.principal.id, 0);
	assert_string_equal(answer.name, "root");
	assert_int_equal(ask(r, STRANGER), 0);
	wait_answer(r, &answer);
	assert_int_equal(answer.result, LOOKUP_ABSENT);
	assert_int_equal(answer.principal.id, STRANGER);
}

static void distinguishes_groups_from_users(void **state)
{
	static const struct principal group = {OWNER_GROUP, 0}, stranger = {OWNER_GROUP, STRANGER};
	const struct group *known = getgrgid(0);
	AUTO_RESOLVER struct resolver *r = NULL;
	struct lookup_message answer;

	(void)state;
	assert_non_null(known);
	assert_int_equal(resolver_start(&account, 65534, &r), 0);
	assert_int_equal(resolver_ask(r, &group), 0);
	wait_answer(r, &answer);
	assert_int_equal(answer.result, LOOKUP_FOUND);
	assert_int_equal(answer.principal.kind, OWNER_GROUP);
	assert_string_equal(answer.name, known->gr_name);
	assert_int_equal(resolver_ask(r, &stranger), 0);
	wait_answer(r, &answer);
	assert_int_equal(answer.result, LOOKUP_ABSENT);
}

/* The number of open requests is limited, so that none is lost in a full socket. */
static void limits_open_requests(void **state)
{
	AUTO_RESOLVER struct resolver *r = NULL;
	struct lookup_message answer;
	unsigned int asked = 0;

	(void)state;
	assert_int_equal(resolver_start(&account, 65534, &r), 0);
	while (resolver_has_room(r)) {
		assert_int_equal(ask(r, STRANGER), 0);
		asked++;
	}
	assert_int_equal(ask(r, STRANGER), -EAGAIN);
	assert_in_range(asked, 8, 256);
	while (asked--)
		wait_answer(r, &answer);
	assert_true(resolver_has_room(r));
}

/*
 * Waits until the fork server of this process has another child than FORMER, and returns its pid.
 */
static pid_t child_of_ours(pid_t former)
{
	return offspring_wait(offspring_wait(getpid(), 0), former);
}

static void reports_an_exited_child(void **state)
{
	AUTO_RESOLVER struct resolver *r = NULL;
	struct lookup_message answer;
	struct pollfd p;

	(void)state;
	assert_int_equal(resolver_start(&account, 65534, &r), 0);
	assert_int_equal(kill(child_of_ours(0), SIGKILL), 0);
	p = (struct pollfd){.fd = resolver_fd(r), .events = POLLIN};
	assert_int_equal(poll(&p, 1, 10000), 1);
	assert_int_equal(resolver_answer(r, &answer), -EPIPE);
	assert_int_equal(ask(r, 0), -EPIPE);
}

/* A stopped child does not answer, like one that hangs. */
static void replaces_a_child_that_hangs(void **state)
{
	AUTO_RESOLVER struct resolver *r = NULL;
	struct lookup_message answer;
	struct principal lost;
	pid_t first;

	(void)state;
	assert_int_equal(resolver_start(&account, 65534, &r), 0);
	assert_false(resolver_lost(r, &lost));
	first = child_of_ours(0);
	assert_int_equal(kill(first, SIGSTOP), 0);
	assert_int_equal(ask(r, 0), 0);
	assert_int_equal(ask(r, STRANGER), 0);
	assert_int_equal(resolver_in_flight(r), 2);
	assert_int_equal(resolver_replace(r), 0);
	assert_int_equal(resolver_in_flight(r), 0);
	assert_true(resolver_lost(r, &lost));
	assert_int_equal(lost.id, STRANGER);
	assert_true(resolver_lost(r, &lost));
	assert_int_equal(lost.id, 0);
	assert_false(resolver_lost(r, &lost));
	assert_int_equal(ask(r, 0), 0);
	wait_answer(r, &answer);
	assert_string_equal(answer.name, "root");
	assert_false(resolver_lost(r, &lost));
	assert_true(offspring_ends(first));
}

/* After the fork server has exited there are no more children, and nothing else fails. */
static void reports_that_the_fork_server_is_gone(void **state)
{
	AUTO_RESOLVER struct resolver *r = NULL;
	struct lookup_message answer;
	struct principal lost;

	(void)state;
	assert_int_equal(resolver_start(&account, 65534, &r), 0);
	assert_int_equal(ask(r, 0), 0);
	wait_answer(r, &answer);
	assert_int_equal(kill(offspring_last(getpid()), SIGSTOP), 0);
	assert_int_equal(ask(r, 0), 0);
	assert_int_equal(kill(offspring_last(getpid()), SIGKILL), 0);
	assert_true(offspring_ends(offspring_last(getpid())));
	for (int i = 0; i < 3; i++) {
		assert_int_equal(resolver_replace(r), -EPIPE);
		assert_int_equal(resolver_lost(r, &lost), i == 0);
		assert_int_equal(ask(r, 0), -EPIPE);
		assert_int_equal(resolver_answer(r, &answer), -EPIPE);
	}
}

/*
 * Neither an answer to another question nor malformed data is accepted, and its sender is killed.
 */
static void kills_a_child_that_sends_anything_else(void **state)
{
	(void)state;
	for (breach = FORGES_ANOTHER; breach <= FORGES_ENDLESS; breach++) {
		AUTO_RESOLVER struct resolver *r = NULL;
		struct lookup_message answer = {.principal = {OWNER_USER, 77}};
		struct pollfd p = {.events = POLLIN};
		struct principal lost;

		assert_int_equal(resolver_start(&account, 65534, &r), 0);
		assert_int_equal(ask(r, 0), 0);
		p.fd = resolver_fd(r);
		assert_int_equal(poll(&p, 1, 10000), 1);
		if (breach == FORGES_ONE_MORE) {
			wait_answer(r, &answer);
			assert_string_equal(answer.name, "mallory");
			assert_int_equal(poll(&p, 1, 10000), 1);
			answer.principal.id = 77;
		}
		assert_int_equal(resolver_answer(r, &answer), -EPROTO);
		assert_int_equal(answer.principal.id, 77);
		/* Its exit is visible because its socket closes. */
		p.events = POLLRDHUP;
		assert_int_equal(poll(&p, 1, 10000), 1);
		assert_int_equal(resolver_replace(r), 0);
		assert_int_equal(resolver_lost(r, &lost), breach != FORGES_ONE_MORE);
	}
	breach = HONEST;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(resolves_root),
		cmocka_unit_test(distinguishes_groups_from_users),
		cmocka_unit_test(limits_open_requests),
		cmocka_unit_test(reports_an_exited_child),
		cmocka_unit_test(replaces_a_child_that_hangs),
		cmocka_unit_test(kills_a_child_that_sends_anything_else),
		cmocka_unit_test(reports_that_the_fork_server_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
