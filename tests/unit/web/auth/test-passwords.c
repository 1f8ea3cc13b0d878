/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/auth/passwords.h: bcrypt checks in a thread of their own. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/cleanup.h"
#include "tests/unit/support/faults/allocation.h"
#include "web/auth/passwords.h"

#define SECRET_4 "$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW"
#define SECRET_5 "$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a"
#define EMPTY_4  "$2a$04$abcdefghijklmnopqrstuubyCG3zY1GIXMyxfivm.ClDiInHzxjiq"
#define OTHER_4  "$2b$04$abcdefghijklmnopqrstuu0HtfOlPbTiymk5tcV.3TsFPDd3SYZqu"

static struct webconfig_user users[] = {
	{(char *)"alice", (char *)SECRET_4},
	{(char *)"bob", (char *)EMPTY_4},
	{(char *)"carol", (char *)SECRET_5},
};
static const struct webconfig config = {.user = users, .users = ARRAY_SIZE(users)};

/* While this is locked, the thread waits before each hash. */
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

bool __real_bcrypt_check(const char *password, const char *hash, unsigned int most, void *memory);
bool __wrap_bcrypt_check(const char *password, const char *hash, unsigned int most, void *memory);

static atomic_uint hashes, last_most;
static atomic_uint begun; /* hashes that have begun, waiting or not */

bool __wrap_bcrypt_check(const char *password, const char *hash, unsigned int most, void *memory)
{
	begun++;
	pthread_mutex_lock(&held);
	hashes++;
	last_most = most;
	pthread_mutex_unlock(&held);
	return __real_bcrypt_check(password, hash, most, memory);
}

static struct passwords *begin(void)
{
	struct passwords *p;

	hashes = 0;
	begun = 0;
	assert_int_equal(passwords_new(&p), 0);
	assert_int_equal(passwords_set(p, &config), 0);
	return p;
}

static enum passwords_verdict ask(
	struct passwords *p, const char *name, const char *password, void *context)
{
	struct credentials c = {0};

	snprintf(c.name, sizeof(c.name), "%s", name);
	snprintf(c.password, sizeof(c.password), "%s", password);
	return passwords_ask(p, &c, context);
}

static enum passwords_verdict take(struct passwords *p, void **ret_context)
{
	enum passwords_verdict verdict = PASSWORDS_LATER;

	for (int i = 0; i < 5000 && !passwords_take(p, ret_context, &verdict); i++) {
		struct pollfd wait = {.fd = passwords_fd(p), .events = POLLIN};

		poll(&wait, 1, 10);
	}
	return verdict;
}

/* Returns the final verdict, after the thread has answered if necessary. */
static enum passwords_verdict judge(struct passwords *p, const char *name, const char *password)
{
	void *context = NULL;
	enum passwords_verdict verdict = ask(p, name, password, &context);

	if (verdict != PASSWORDS_LATER)
		return verdict;
	verdict = take(p, &context);
	assert_ptr_equal(context, &context);
	return verdict;
}

static void checks_passwords(void **state)
{
	static const struct {
		const char *name, *password;
		enum passwords_verdict verdict;
	} cases[] = {
		{"alice", "secret", PASSWORDS_RIGHT},
		{"bob", "", PASSWORDS_RIGHT},
		{"carol", "secret", PASSWORDS_RIGHT},
		{"alice", "secreu", PASSWORDS_WRONG},
		{"alice", "", PASSWORDS_WRONG},
		{"bob", "secret", PASSWORDS_WRONG},
		{"dave", "secret", PASSWORDS_WRONG},
		{"", "secret", PASSWORDS_WRONG},
		{"Alice", "secret", PASSWORDS_WRONG},
		{"alices", "ecret", PASSWORDS_WRONG},
	};
	unsigned int before = unit_descriptors();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_PASSWORDS struct passwords *p = begin();

		assert_int_equal(judge(p, cases[i].name, cases[i].password), cases[i].verdict);
		assert_int_equal(hashes, 1);
		assert_int_equal(last_most, 5); /* carol's cost, for every user */
	}
	assert_int_equal(unit_descriptors(), before);
}

static void remembers_right_passwords(void **state)
{
	AUTO_PASSWORDS struct passwords *p = begin();

	(void)state;
	assert_int_equal(judge(p, "alice", "secret"), PASSWORDS_RIGHT);
	assert_int_equal(judge(p, "bob", ""), PASSWORDS_RIGHT);
	assert_int_equal(hashes, 2);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(ask(p, "alice", "secret", NULL), PASSWORDS_RIGHT);
		assert_int_equal(ask(p, "bob", "", NULL), PASSWORDS_RIGHT);
	}
	assert_int_equal(hashes, 2);
	assert_int_equal(judge(p, "alice", "Secret"), PASSWORDS_WRONG);
	assert_int_equal(
		/* wrong passwords are not remembered */
		judge(p, "alice", "Secret"), PASSWORDS_WRONG);
	assert_int_equal(judge(p, "carol", ""), PASSWORDS_WRONG);
	assert_int_equal(hashes, 5);
	assert_int_equal(ask(p, "alice", "secret", NULL), PASSWORDS_RIGHT);
}

/* Also if nothing changed: an administrator may have rewritten the file to revoke access. */
static void forgets_with_new_users(void **state)
{
	static struct webconfig_user others[] = {{(char *)"alice", (char *)OTHER_4}};
	static const struct webconfig changed = {.user = others, .users = ARRAY_SIZE(others)};
	AUTO_PASSWORDS struct passwords *p = begin();

	(void)state;
	assert_int_equal(judge(p, "alice", "secret"), PASSWORDS_RIGHT);
	assert_int_equal(passwords_set(p, &config), 0);
	assert_int_equal(judge(p, "alice", "secret"), PASSWORDS_RIGHT);
	assert_int_equal(hashes, 2);
	assert_int_equal(passwords_set(p, &changed), 0);
	assert_int_equal(judge(p, "alice", "secret"), PASSWORDS_WRONG);
	assert_int_equal(judge(p, "alice", "other"), PASSWORDS_RIGHT);
	assert_int_equal(judge(p, "bob", ""), PASSWORDS_WRONG);
	assert_int_equal(passwords_set(p, NULL), 0);
	assert_int_equal(judge(p, "alice", "other"), PASSWORDS_WRONG);
}

/* A result for former users says nothing about the present ones. */
static void repeats_checks_after_a_change_of_users(void **state)
{
	AUTO_PASSWORDS struct passwords *p = begin();
	void *context;

	(void)state;
	pthread_mutex_lock(&held);
	assert_int_equal(ask(p, "alice", "secret", p), PASSWORDS_LATER);
	assert_int_equal(passwords_set(p, NULL), 0);
	assert_int_equal(passwords_set(p, &config), 0);
	pthread_mutex_unlock(&held);
	assert_int_equal(take(p, &context), PASSWORDS_AGAIN);
	assert_ptr_equal(context, p);
	assert_int_equal(judge(p, "alice", "secret"), PASSWORDS_RIGHT);
	assert_int_equal(hashes, 2);
}

/*
 * A flood of wrong passwords occupies a limited queue, and does not affect users who are known
 * already.
 */
static void refuses_when_the_queue_is_full(void **state)
{
	AUTO_PASSWORDS struct passwords *p = begin();
	int order[PASSWORDS_WAITING + 1] = {0};
	void *context;

	(void)state;
	assert_int_equal(judge(p, "alice", "secret"), PASSWORDS_RIGHT);
	pthread_mutex_lock(&held);
	for (size_t i = 0; i < PASSWORDS_WAITING; i++)
		assert_int_equal(ask(p, "dave", "guess", &order[i]), PASSWORDS_LATER);
	assert_int_equal(ask(p, "dave", "guess", NULL), PASSWORDS_BUSY);
	assert_int_equal(ask(p, "bob", "", NULL), PASSWORDS_BUSY);
	assert_int_equal(ask(p, "alice", "secret", NULL), PASSWORDS_RIGHT);
	pthread_mutex_unlock(&held);
	for (size_t i = 0; i < PASSWORDS_WAITING; i++) {
		assert_int_equal(take(p, &context), PASSWORDS_WRONG);
		assert_ptr_equal(context, &order[i]); /* in the order of the requests */
	}
	assert_false(passwords_take(p, &context, &(enum passwords_verdict){0}));
	assert_int_equal(judge(p, "bob", ""), PASSWORDS_RIGHT);
}

/* Without users, with waiting work, and during a hash. */
static void can_be_freed_at_any_time(void **state)
{
	unsigned int before = unit_descriptors();
	struct passwords *p;

	(void)state;
	assert_int_equal(passwords_new(&p), 0);
	passwords_free(p);
	p = begin();
	passwords_free(p);
	assert_int_equal(unit_descriptors(), before);
	p = begin();
	pthread_mutex_lock(&held);
	for (size_t i = 0; i < PASSWORDS_WAITING; i++)
		assert_int_equal(ask(p, "alice", "guess", NULL), PASSWORDS_LATER);
	for (int i = 0; i < 5000 && !begun; i++)
		poll(NULL, 0, 2);
	passwords_free(p); /* stops waiting for the thread, which frees the rest */
	assert_int_equal(unit_descriptors(), before + 1);
	pthread_mutex_unlock(&held);
	for (int i = 0; i < 5000 && unit_descriptors() != before; i++)
		poll(NULL, 0, 2);
	assert_int_equal(unit_descriptors(), before);
	assert_int_equal(hashes, 1); /* abandoned requests are not hashed */
}

static void returns_errors_without_memory(void **state)
{
	(void)state;
	for (unsigned int n = 1;; n++) {
		AUTO_PASSWORDS struct passwords *p = NULL;
		enum passwords_verdict verdict = PASSWORDS_BUSY;
		int r;

		allocation_fail_at(n);
		r = passwords_new(&p);
		if (r == 0)
			r = passwords_set(p, &config);
		if (r == 0)
			verdict = ask(p, "alice", "secret", NULL);
		if (!allocation_end()) {
			assert_int_equal(r, 0);
			assert_int_equal(verdict, PASSWORDS_LATER);
			assert_true(n > 3);
			break;
		}
		assert_true(r == -ENOMEM || verdict == PASSWORDS_BUSY);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(checks_passwords),
		cmocka_unit_test(remembers_right_passwords),
		cmocka_unit_test(forgets_with_new_users),
		cmocka_unit_test(repeats_checks_after_a_change_of_users),
		cmocka_unit_test(refuses_when_the_queue_is_full),
		cmocka_unit_test(can_be_freed_at_any_time),
		cmocka_unit_test(returns_errors_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
