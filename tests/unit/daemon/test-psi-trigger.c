/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of daemon/psi-trigger.h with the running kernel. That a trigger fires is tested by
 * tests/integration/memory/183-pressure.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "daemon/psi-trigger.h"
#include "tests/unit/support/tree/tree.h"

/* Without pressure the descriptor is not ready, and it reports no error, as a plain file would. */
static void is_armed_on_this_kernel(void **state)
{
	AUTO_CLOSE int fd = -1;
	struct pollfd p = {.events = POLLPRI};
	int r = psi_trigger_open("/proc", &fd);

	(void)state;
	if (r < 0) {
		print_message("SKIP: this kernel allows no trigger: %s\n", strerror(-r));
		skip();
	}
	p.fd = fd;
	assert_in_range(poll(&p, 1, 0), 0, 1);
	assert_int_equal(p.revents & ~POLLPRI, 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

static void reports_why_there_is_none(void **state)
{
	char long_path[8192];
	struct tree tree;
	int fd = 77;

	(void)state;
	tree_open(&tree);
	assert_int_equal(psi_trigger_open(tree.path, &fd), -ENOENT);
	memset(long_path, 'x', sizeof(long_path) - 1);
	long_path[sizeof(long_path) - 1] = 0;
	assert_int_equal(psi_trigger_open(long_path, &fd), -ENAMETOOLONG);
	assert_int_equal(fd, 77);
	tree_done(&tree);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_armed_on_this_kernel),
		cmocka_unit_test(reports_why_there_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
