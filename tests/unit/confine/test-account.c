/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests how a daemon started by root finds or takes the account it changes to, with password files
 * made here.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "confine/account.h"

static char path[] = "test-account.XXXXXX";

static int setup(void **state)
{
	static const char text[] = "root:x:0:0::/root:/bin/sh\n"
				   "memtally:x:0:0::/:/bin/false\n"
				   "memtally-web:x:812:813::/:/bin/false\n";
	int fd = mkstemp(path);

	(void)state;
	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && close(fd) == 0
	               ? 0
	               : -1;
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

static void finds_whole_names(void **state)
{
	struct account a = {.uid = 7, .gid = 8};

	(void)state;
	assert_int_equal(account_find(path, "memtally-w", &a), ACCOUNT_ABSENT);
	assert_int_equal(a.uid, 7);
	assert_int_equal(account_find(path, "memtally-web", &a), 0);
	assert_int_equal(a.uid, 812);
	assert_int_equal(a.gid, 813);
}

/* An account with uid 0 has the rights of root, so it is no account to change to. */
static void another_name_of_root_is_refused(void **state)
{
	struct account a;

	(void)state;
	assert_int_equal(account_find(path, "memtally", &a), ACCOUNT_ABSENT);
}

/* A line longer than the buffer stands before the wanted line. */
static void long_lines_hide_no_account(void **state)
{
	char made[] = "test-account-long.XXXXXX", filler[70000];
	struct account a = {0};
	FILE *f = fdopen(mkstemp(made), "w");

	(void)state;
	memset(filler, 'x', sizeof(filler) - 1);
	filler[sizeof(filler) - 1] = 0;
	assert_non_null(f);
	fprintf(f, "long:x:7:7:%s:/:/bin/false\nmemtally:x:812:813::/:/bin/false\n", filler);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(account_find(made, "memtally", &a), 0);
	assert_int_equal(a.uid, 812);
	unlink(made);
}

/* If the file cannot be read, the account may still exist: an error, not ACCOUNT_ABSENT. */
static void an_error_is_not_absence(void **state)
{
	struct account a;

	(void)state;
	assert_int_equal(account_find(".", "memtally", &a), -EISDIR);
	assert_int_equal(account_take(".", ACCOUNT_WEB, &a), -EISDIR);
}

static void takes_from_its_range_alone(void **state)
{
	static const enum account_part parts[] = {ACCOUNT_DAEMON, ACCOUNT_RESOLVER, ACCOUNT_WEB};
	struct account a;
	uid_t most[ACCOUNT_PARTS] = {0}, least[ACCOUNT_PARTS] = {0};

	(void)state;
	for (size_t p = 0; p < ARRAY_SIZE(parts); p++)
		for (int i = 0; i < 200; i++) {
			assert_int_equal(account_take(path, parts[p], &a), 0);
			assert_true(a.is_taken);
			assert_int_equal(a.gid, a.uid);
			assert_in_range(a.uid, ACCOUNT_FIRST, ACCOUNT_LAST);
			if (!least[p] || a.uid < least[p])
				least[p] = a.uid;
			if (a.uid > most[p])
				most[p] = a.uid;
		}
	assert_true(most[ACCOUNT_DAEMON] < least[ACCOUNT_RESOLVER]);
	assert_true(most[ACCOUNT_RESOLVER] < least[ACCOUNT_WEB]);
	assert_true(least[ACCOUNT_WEB] < most[ACCOUNT_WEB]);
}

/* Writes an account for each uid of the range except LEFT. */
static void give_names(const char *file, uid_t left)
{
	FILE *f = fopen(file, "we");

	assert_non_null(f);
	for (uid_t uid = ACCOUNT_FIRST; uid <= ACCOUNT_LAST; uid++)
		if (uid != left)
			fprintf(f, "u%u:x:%u:1::/:/bin/false\n", uid, uid);
	assert_int_equal(fclose(f), 0);
}

static void takes_an_unused_uid(void **state)
{
	char made[] = "test-account-full.XXXXXX";
	const uid_t left = ACCOUNT_LAST - 100;
	struct account a = {0};
	int pipes[2], status;
	char ready;
	pid_t pid;

	(void)state;
	assert_int_equal(close(mkstemp(made)), 0);
	give_names(made, 0);
	assert_int_equal(account_take(made, ACCOUNT_WEB, &a), ACCOUNT_ABSENT);
	give_names(made, left);
	assert_int_equal(account_take(made, ACCOUNT_DAEMON, &a), ACCOUNT_ABSENT);
	assert_int_equal(account_take(made, ACCOUNT_WEB, &a), 0);
	assert_int_equal(a.uid, left);
	if (geteuid() == 0) {
		/* A uid that a process has is in use, even if no account has it. */
		assert_int_equal(pipe(pipes), 0);
		pid = fork();
		if (pid == 0) {
			if (setresuid(left, left, left) < 0 ||
				prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 ||
				write(pipes[1], "x", 1) != 1)
				_exit(1);
			for (;;)
				pause();
		}
		assert_int_equal(read(pipes[0], &ready, 1), 1);
		assert_int_equal(account_take(made, ACCOUNT_WEB, &a), ACCOUNT_ABSENT);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		close(pipes[0]);
		close(pipes[1]);
	}
	unlink(made);
}

static void a_missing_file_has_no_account(void **state)
{
	struct account a;

	(void)state;
	assert_int_equal(account_find("no such file", "memtally", &a), ACCOUNT_ABSENT);
}

/* Root alone becomes another user. */
static void others_keep_their_account(void **state)
{
	struct account a = {0};

	(void)state;
	if (getuid() == 0) {
		assert_int_equal(account_choose("no such user", &a), ACCOUNT_ABSENT);
		assert_int_equal(a.uid, 0);
		assert_int_equal(seteuid(ACCOUNT_FIRST), 0);
	}
	assert_int_equal(account_choose("no such user", &a), 0);
	assert_int_equal(a.uid, geteuid());
	assert_int_equal(a.gid, getegid());
	assert_false(a.is_taken);
	assert_int_equal(seteuid(getuid()), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_whole_names),
		cmocka_unit_test(another_name_of_root_is_refused),
		cmocka_unit_test(long_lines_hide_no_account),
		cmocka_unit_test(an_error_is_not_absence),
		cmocka_unit_test(takes_from_its_range_alone),
		cmocka_unit_test(takes_an_unused_uid),
		cmocka_unit_test(a_missing_file_has_no_account),
		cmocka_unit_test(others_keep_their_account),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
