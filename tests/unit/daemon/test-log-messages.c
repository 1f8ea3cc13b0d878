/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of daemon/log-messages.h: what memtallyd logs, and how often. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "collectors/pass/pass-private.h"
#include "daemon/log-messages.h"
#include "snapshot/record.h"

/* Log output since forget(). */
static char said[8192];
static size_t len;

ssize_t __wrap_write(int fd, const void *buf, size_t size);

ssize_t __wrap_write(int fd, const void *buf, size_t size)
{
	assert_int_equal(fd, STDERR_FILENO);
	assert_true(len + size < sizeof(said));
	memcpy(said + len, buf, size);
	len += size;
	said[len] = 0;
	return (ssize_t)size;
}

static bool says(const char *text)
{
	return strstr(said, text) != NULL;
}

static void forget(void)
{
	said[len = 0] = 0;
}

static void logs_an_error_once_a_minute(void **state)
{
	struct log_messages r;

	(void)state;
	log_messages_init(&r);
	forget();
	log_messages_pass_error(&r, "a pass is lost", -ENOMEM);
	assert_true(says("a pass is lost: Cannot allocate memory (and 0 times before)"));
	forget();
	log_messages_pass_error(&r, "a pass is lost", -ENOMEM);
	assert_int_equal(len, 0);
	log_messages_budget(&r, 20 * NS_PER_SEC, 12345); /* another message has its own limit */
	assert_true(says("passes are 20000 ms apart; this host needs 1.2345%"));
	forget();
	log_messages_budget(&r, 20 * NS_PER_SEC, 12345);
	assert_int_equal(len, 0);
}

/* The end of a shortage is logged once, if it was warned of and does not return at once. */
static void logs_when_the_budget_suffices_again(void **state)
{
	struct log_messages r;

	(void)state;
	log_messages_init(&r);
	forget();
	log_messages_budget_suffices(&r);
	assert_int_equal(len, 0);
	log_messages_budget(&r, 20 * NS_PER_SEC, 12345);
	forget();
	r.short_ns -= 50 * NS_PER_SEC; /* as if the budget had sufficed since then */
	log_messages_budget_suffices(&r);
	assert_int_equal(len, 0);
	log_messages_budget(&r, 20 * NS_PER_SEC, 12345);
	r.short_ns -= 50 * NS_PER_SEC;
	log_messages_budget_suffices(&r);
	assert_int_equal(len, 0);
	r.short_ns -= 10 * NS_PER_SEC;
	log_messages_budget_suffices(&r);
	assert_true(says("budget.cpu suffices again"));
	forget();
	log_messages_budget_suffices(&r);
	assert_int_equal(len, 0);
}

static void logs_memory_pressure_once_in_ten_minutes(void **state)
{
	struct log_messages r;

	(void)state;
	log_messages_init(&r);
	forget();
	log_messages_pressure(&r);
	assert_true(says(
		"processes wait for memory, on the host or in a cgroup (and 0 times before): a "
		"brief pass each second for up to a minute\n"));
	forget();
	log_messages_pressure(&r);
	assert_int_equal(len, 0);
	log_messages_kill(&r); /* another message, with its own limit */
	assert_true(
		says("the kernel has killed a process for lack of memory (and 0 times before): a "
		     "brief pass each second for some seconds\n"));
	assert_false(says("processes wait for memory"));
	forget();
	log_messages_kill(&r);
	assert_int_equal(len, 0);
	log_messages_trigger_error(-EACCES);
	assert_true(
		says("the kernel does not tell when processes wait for memory (Permission denied): "
		     "passes notice it\n"));
}

static void first_pass_logs_advice(void **state)
{
	struct pass_summary s = {.duration_ns = 12000000, .unmeasured_yet = 3};

	(void)state;
	s.outcome[OUTCOME_MEASURED] = 7;
	forget();
	log_messages_first_pass(&s);
	assert_true(says(
		"7 processes measured, 3 never measured, 0 denied, in 12 ms; rights: no capability"));
	assert_false(says("cannot be measured") || says("hidepid"));

	s.outcome[OUTCOME_DENIED] = 2;
	s.proc_hidden = true;
	forget();
	log_messages_first_pass(&s);
	assert_true(says("2 denied"));
	assert_true(says("CAP_SYS_PTRACE allows it"));
	assert_true(says("hidepid"));

	s.has_sys_ptrace = s.has_perfmon = true;
	forget();
	log_messages_first_pass(&s);
	assert_true(says("rights: CAP_SYS_PTRACE CAP_PERFMON\n"));
	assert_true(says("in spite of the capability"));
	assert_false(says("allows it"));
	assert_false(says("with CAP_PERFMON alone"));

	s.has_sys_ptrace = false;
	forget();
	log_messages_first_pass(&s);
	assert_true(says("rights: CAP_PERFMON\n"));
	assert_true(says("with CAP_PERFMON alone programs have the names of their first threads"));
	assert_true(says("counted one by one; CAP_SYS_PTRACE allows more"));
}

static void logs_unreadable_cgroups_once(void **state)
{
	struct pass_summary s = {.lacks_charges = true};
	struct log_messages r;

	(void)state;
	log_messages_init(&r);
	forget();
	log_messages_first_pass(&s);
	assert_true(says("no memory controller of cgroups is mounted here"));
	s.lacks_charges = false;
	s.charges[CHARGE_READ] = 7;
	s.charges[CHARGE_NONE] = 1;
	forget();
	log_messages_first_pass(&s);
	assert_false(says("cgroups"));
	forget();
	log_messages_charges(&r, &s);
	assert_int_equal(len, 0);
	s.charges[CHARGE_DENIED] = 2;
	s.charges[CHARGE_MALFORMED] = 3;
	s.charges[CHARGE_ERROR] = 4;
	log_messages_charges(&r, &s);
	assert_true(says("cannot be read: 2 denied, 3 malformed, 4 other errors"));
	assert_false(says("several cgroups"));
	s.charges[CHARGE_AMBIGUOUS] = 5;
	forget();
	log_messages_charges(&r, &s);
	assert_false(says("cannot be read"));
	assert_true(says("5 units, containers or the like are shown without a charge: "));
	forget();
	log_messages_charges(&r, &s);
	assert_int_equal(len, 0);
}

static void logs_why_it_does_not_listen(void **state)
{
	static const struct {
		const char *path, *expected;
		int error;
	} cases[] = {
		{"/run/memtally/snapshot.sock", "/run/memtally: no such directory", -ENOENT},
		{"/snapshot.sock", " /: no such directory", -ENOENT},
		{"/a/b", "/a/b: cannot listen: another process answers there", -EADDRINUSE},
		{"/a/b", "/a/b: cannot listen: Permission denied", -EACCES},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		forget();
		log_messages_listen_error(cases[i].path, cases[i].error);
		assert_true(says(cases[i].expected));
	}
}

static unsigned int count_lines(void)
{
	unsigned int lines = 0;

	for (size_t i = 0; i < len; i++)
		lines += said[i] == '\n';
	return lines;
}

/* At most 20 processes per pass are named; each one is named once, after one of the next passes. */
static void logs_each_blocked_process_once(void **state)
{
	enum { BLOCKED = 50, PASSES = 3 };
	static const unsigned int lines[PASSES] = {21, 21, 10};
	struct process processes[BLOCKED] = {0}, *items[BLOCKED];
	struct pass pass = {.table = {.item = items, .count = BLOCKED}};
	unsigned int named[BLOCKED] = {0};

	(void)state;
	pass.counts.blocked_now = BLOCKED;
	for (int i = 0; i < BLOCKED; i++) {
		processes[i].pid = 1000 + i;
		items[i] = &processes[i];
		block_begin(&items[i]->block, "stat", false,
			clock_now_ns(CLOCK_MONOTONIC) - 5 * NS_PER_SEC);
	}
	for (int n = 0; n < PASSES; n++) {
		forget();
		log_messages_blocked(&pass);
		assert_int_equal(count_lines(), lines[n]);
		assert_int_equal(says("30 more processes block their readers"), n == 0);
		assert_int_equal(says("10 more processes block their readers"), n == 1);
		for (int i = 0; i < BLOCKED; i++) {
			char text[64];

			snprintf(text, sizeof(text), "process %d: its stat in /proc", 1000 + i);
			named[i] += says(text);
		}
	}
	for (int i = 0; i < BLOCKED; i++)
		assert_int_equal(named[i], 1);
	forget();
	log_messages_blocked(&pass);
	assert_int_equal(len, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(logs_an_error_once_a_minute),
		cmocka_unit_test(logs_when_the_budget_suffices_again),
		cmocka_unit_test(logs_memory_pressure_once_in_ten_minutes),
		cmocka_unit_test(first_pass_logs_advice),
		cmocka_unit_test(logs_unreadable_cgroups_once),
		cmocka_unit_test(logs_why_it_does_not_listen),
		cmocka_unit_test(logs_each_blocked_process_once),
	};

	log_open("memtallyd", LOG_LEVEL_INFO);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
