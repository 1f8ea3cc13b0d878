/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/os/userns.h: user namespaces and their uid maps. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/os/userns.h"

static void recognises_a_complete_map(void **state)
{
	static const struct {
		const char *text;
		bool has_unmapped;
	} cases[] = {
		{"         0          0 4294967295\n", false}, /* the host's */
		{"         0       1000          1\n", true},
		{"         0     100000      65536\n",
			/* of a container, where 65534 may be an unmapped user or the user nobody */
			true},
		{"         0          0      65534\n     65535      65535 4294901760\n", true},
		{"", true}, /* no map written yet: no user has a uid */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(userns_parse_has_unmapped(cases[i].text, strlen(cases[i].text)),
			cases[i].has_unmapped);
}

/* Another namespace has another id, and not the host's. */
static void namespaces_have_different_ids(void **state)
{
	uint64_t here = userns_id();
	int pipe[2], status;
	uint64_t there = 0;
	pid_t child;

	(void)state;
	assert_true(here != 0);
	assert_int_equal(userns_id(), here);
	assert_int_equal(pipe2(pipe, O_CLOEXEC), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		if (unshare(CLONE_NEWUSER) < 0)
			_exit(77);
		there = userns_id();
		_exit(write(pipe[1], &there, sizeof(there)) == sizeof(there) ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 0) {
		assert_int_equal(read(pipe[0], &there, sizeof(there)), sizeof(there));
		assert_true(there != 0 && there != here && there != USERNS_INITIAL);
	}
	close(pipe[0]);
	close(pipe[1]);
	if (WEXITSTATUS(status) == 77)
		skip(); /* not every user may create user namespaces here */
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void detects_whether_root_is_root_outside(void **state)
{
	static const struct {
		const char *text;
		bool is_outside;
	} cases[] = {
		{"         0          0 4294967295\n", true},
		{"         0          0          1\n",
			true}, /* as for services with PrivateUsers= that root starts */
		{"         0       1000          1\n", false},
		{"         0     100000      65536\n", false},
		{"      1000       1000          1\n         0     100000          1\n", false},
		{"      1000       1000          1\n         0          0          1\n", true},
		{"         0", true},                          /* not stated */
		{"      1000       1000          1\n", false}, /* none */
		{"", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(userns_parse_is_root_outside(cases[i].text, strlen(cases[i].text)),
			cases[i].is_outside);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(recognises_a_complete_map),
		cmocka_unit_test(namespaces_have_different_ids),
		cmocka_unit_test(detects_whether_root_is_root_outside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
