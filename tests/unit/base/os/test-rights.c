/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/os/rights.h. Each case runs in a child, because rights cannot be regained. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/number.h"
#include "base/os/rights.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

enum { NOBODY = 65534, SKIPPED = 77 };

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%d: %s\n", __LINE__, #condition);                         \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

static void in_child(void (*body)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		body();
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == SKIPPED)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* Returns the hexadecimal number after KEY in this process's status. */
static unsigned long long status_of(const char *key)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	uint64_t value = UINT64_MAX;

	CHECK(f);
	while (fgets(line, sizeof(line), f))
		if (strncmp(line, key, strlen(key)) == 0) {
			const char *text = line + strlen(key);
			text += strspn(text, "\t ");
			CHECK(number_scan_hex(text, strlen(text), &value) > 0);
		}
	fclose(f);
	return value;
}

static void check_only(unsigned long long capabilities)
{
	CHECK(status_of("CapEff:") == capabilities);
	CHECK(status_of("CapPrm:") == capabilities);
	CHECK(status_of("CapInh:") == 0);
	CHECK(status_of("CapAmb:") == 0);
	CHECK(status_of("NoNewPrivs:") == 1);
}

static void keep_one_of_two(void)
{
	static const int wanted[] = {CAP_SYS_PTRACE, CAP_PERFMON};
	int kept = -2;

	if (geteuid() != 0 || !(status_of("CapEff:") >> CAP_SYS_PTRACE & 1))
		_exit(SKIPPED);
	CHECK(rights_keep(wanted, 2, NOBODY, NOBODY, NOBODY, &kept) == 0);
	CHECK(kept == CAP_SYS_PTRACE);
	CHECK(getuid() == NOBODY && geteuid() == NOBODY && getegid() == NOBODY &&
		getgroups(0, NULL) == 0);
	check_only(1ULL << CAP_SYS_PTRACE);
	CHECK(status_of("CapBnd:") == 0);
	CHECK(setresuid(0, 0, 0) < 0 && setresgid(0, 0, 0) < 0);
	CHECK(SANITIZED || prctl(PR_GET_DUMPABLE) == 0);
}

static void keep_perfmon(void)
{
	static const int only[] = {CAP_PERFMON}, wanted[] = {CAP_SYS_PTRACE, CAP_PERFMON};
	int kept = -2;

	if (geteuid() != 0 || !(status_of("CapEff:") >> CAP_PERFMON & 1))
		_exit(SKIPPED);
	CHECK(rights_keep(only, 1, NOBODY, NOBODY, NOBODY, &kept) == 0 && kept == CAP_PERFMON);
	CHECK(rights_keep(wanted, 2, NOBODY, NOBODY, NOBODY, &kept) == 0 && kept == CAP_PERFMON);
	check_only(1ULL << CAP_PERFMON);
}

static void keep_none(void)
{
	int kept = -2;

	if (geteuid() == 0)
		CHECK(setresuid(NOBODY, NOBODY, NOBODY) == 0);
	CHECK(prctl(PR_SET_DUMPABLE, 1) == 0);
	CHECK(rights_keep(NULL, 0, 1, 1, 1, &kept) == 0 && kept == RIGHTS_NONE);
	check_only(0);
	/* It had no rights and stays dumpable. */
	CHECK(prctl(PR_GET_DUMPABLE) == 1);
}

static void stay_root(void)
{
	int kept = -2;

	if (geteuid() != 0)
		_exit(SKIPPED);
	CHECK(rights_keep(NULL, 0, 0, 0, 0, &kept) == 0 && kept == RIGHTS_NONE);
	CHECK(geteuid() == 0);
	check_only(0);
}

static void drop(void)
{
	CHECK(rights_drop() == 0);
	check_only(0);
	CHECK(geteuid() != 0);
}

static void keeps_the_first_available_capability(void **state)
{
	(void)state;
	in_child(keep_one_of_two);
}

static void keeps_perfmon_alone(void **state)
{
	(void)state;
	in_child(keep_perfmon);
}

static void ordinary_user_gains_nothing(void **state)
{
	(void)state;
	in_child(keep_none);
}

static void root_may_stay_root(void **state)
{
	(void)state;
	in_child(stay_root);
}

static void drops_all_rights(void **state)
{
	(void)state;
	in_child(drop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_the_first_available_capability),
		cmocka_unit_test(keeps_perfmon_alone),
		cmocka_unit_test(ordinary_user_gains_nothing),
		cmocka_unit_test(root_may_stay_root),
		cmocka_unit_test(drops_all_rights),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
