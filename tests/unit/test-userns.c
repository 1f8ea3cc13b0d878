/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/userns.h"

static void knows_the_map_of_all(void **state)
{
	static const struct {
		const char *text;
		bool has_unmapped;
	} cases[] = {
		{"         0          0 4294967295\n", false}, /* the host's own */
		{"         0       1000          1\n", true},
		{"         0     100000      65536\n",
			true}, /* a container's: 65534 may be nobody's or nobody */
		{"         0          0      65534\n     65535      65535 4294901760\n", true},
		{"", true}, /* no map is written yet: nobody has a uid */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(userns_parse_has_unmapped(cases[i].text, strlen(cases[i].text)),
			cases[i].has_unmapped);
}

/* Another one has another number, and it is not that of the host's own. */
static void tells_one_from_another(void **state)
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
		skip(); /* they are not for everybody here */
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void knows_whose_root_is(void **state)
{
	static const struct {
		const char *text;
		bool is_outside;
	} cases[] = {
		{"         0          0 4294967295\n", true},
		{"         0          0          1\n",
			true}, /* as for services with PrivateUsers=, which root runs */
		{"         0       1000          1\n", false},
		{"         0     100000      65536\n", false},
		{"      1000       1000          1\n         0     100000          1\n", false},
		{"      1000       1000          1\n         0          0          1\n", true},
		{"         0", true},                          /* it does not say */
		{"      1000       1000          1\n", false}, /* nobody is */
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
		cmocka_unit_test(knows_the_map_of_all),
		cmocka_unit_test(tells_one_from_another),
		cmocka_unit_test(knows_whose_root_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
