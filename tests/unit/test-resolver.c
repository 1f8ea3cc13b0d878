/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "daemon/resolver.h"

static const struct account account = {.uid = 65534, .gid = 65534};

static void wait_answer(struct resolver *r, struct resolver_message *ret)
{
	struct pollfd p = {.fd = resolver_fd(r), .events = POLLIN};

	assert_int_equal(poll(&p, 1, 10000), 1);
	assert_int_equal(resolver_answer(r, ret), 0);
}

static void knows_root(void **state)
{
	AUTO_RESOLVER struct resolver *r = NULL;
	struct resolver_message m = {.kind = RESOLVER_USER_NAME, .id = 0}, answer;

	(void)state;
	assert_int_equal(resolver_start(&account, &r), 0);
	assert_int_equal(resolver_answer(r, &answer), -EAGAIN);
	assert_int_equal(resolver_ask(r, &m), 0);
	wait_answer(r, &answer);
	assert_int_equal(answer.result, RESOLVER_FOUND);
	assert_int_equal(answer.id, 0);
	assert_string_equal(answer.name, "root");
	m = (struct resolver_message){.kind = RESOLVER_USER_ID, .name = "root"};
	assert_int_equal(resolver_ask(r, &m), 0);
	wait_answer(r, &answer);
	assert_int_equal(answer.result, RESOLVER_FOUND);
	assert_int_equal(answer.kind, RESOLVER_USER_ID);
	assert_int_equal(answer.id, 0);
	m = (struct resolver_message){.kind = RESOLVER_GROUP_ID, .name = "no such group at all"};
	assert_int_equal(resolver_ask(r, &m), 0);
	wait_answer(r, &answer);
	assert_int_equal(answer.result, RESOLVER_ABSENT);
}

/* Few questions are under way, so that none is ever lost in a full socket. */
static void has_room_for_few(void **state)
{
	AUTO_RESOLVER struct resolver *r = NULL;
	struct resolver_message m = {.kind = RESOLVER_USER_NAME, .id = 4000000000U}, answer;
	unsigned int asked = 0;

	(void)state;
	assert_int_equal(resolver_start(&account, &r), 0);
	while (resolver_has_room(r)) {
		assert_int_equal(resolver_ask(r, &m), 0);
		asked++;
	}
	assert_int_equal(resolver_ask(r, &m), -EAGAIN);
	assert_in_range(asked, 8, 256);
	while (asked--)
		wait_answer(r, &answer);
	assert_true(resolver_has_room(r));
}

static void tells_that_the_child_is_gone(void **state)
{
	AUTO_RESOLVER struct resolver *r = NULL;
	struct resolver_message m = {.kind = RESOLVER_USER_NAME}, answer;
	struct pollfd p;
	char text[64];

	(void)state;
	assert_int_equal(resolver_start(&account, &r), 0);
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
	assert_int_equal(resolver_ask(r, &m), -EPIPE);
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
	struct resolver_message m = {.kind = RESOLVER_USER_NAME, .id = 0}, answer;
	pid_t first;
	int status;

	(void)state;
	assert_int_equal(resolver_start(&account, &r), 0);
	assert_false(resolver_lost(r, &answer));
	first = child_of_ours();
	assert_int_equal(kill(first, SIGSTOP), 0);
	assert_int_equal(resolver_ask(r, &m), 0);
	m.id = 4000000000U;
	assert_int_equal(resolver_ask(r, &m), 0);
	assert_int_equal(resolver_in_flight(r), 2);
	assert_int_equal(resolver_replace(r), 0);
	assert_int_equal(resolver_in_flight(r), 0);
	assert_true(resolver_lost(r, &answer));
	assert_int_equal(answer.id, 4000000000U);
	assert_int_equal(answer.result, RESOLVER_FAILED);
	assert_true(resolver_lost(r, &answer));
	assert_int_equal(answer.id, 0);
	assert_false(resolver_lost(r, &answer));
	m.id = 0;
	assert_int_equal(resolver_ask(r, &m), 0);
	wait_answer(r, &answer);
	assert_string_equal(answer.name, "root");
	assert_false(resolver_lost(r, &answer));
	/* The first is gone, and not as a zombie: at the latest when somebody asks again. */
	for (int i = 0; i < 1000 && kill(first, 0) == 0; i++) {
		nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
		assert_int_equal(resolver_ask(r, &m), 0);
		wait_answer(r, &answer);
	}
	assert_true(waitpid(first, &status, WNOHANG) < 0 && errno == ECHILD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_root),
		cmocka_unit_test(has_room_for_few),
		cmocka_unit_test(tells_that_the_child_is_gone),
		cmocka_unit_test(replaces_a_child_that_hangs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
