/* SPDX-License-Identifier: Apache-2.0 */
/* Of what the host has, where whoever runs it is shown frames. */
#include "config.h"

#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "inside/pagemap.h"
#include "tests/unit/asked.h"

static pid_t tester; /* whose memfds are had as ever */

int __real_memfd_create(const char *name, unsigned int flags);
int __wrap_memfd_create(const char *name, unsigned int flags);

int __wrap_memfd_create(const char *name, unsigned int flags)
{
	if (getpid() == tester)
		return __real_memfd_create(name, flags);
	errno = EPERM;
	return -1;
}

static bool shows_frames(void)
{
	AUTO_CLOSE int procfs = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return pagemap_shows_frames(procfs) == 1 && access("/proc/kpagecount", R_OK) == 0;
}

/* Where the kernel, or a filter, refuses it, that is said, and nothing else. */
static void what_is_lacking_is_said(void **state)
{
	const struct tree host = {.path = "/proc", .fd = -1};
	AUTO_ASKED struct asked a = {0};

	(void)state;
	if (!shows_frames())
		skip();
	ASKED(&host, NULL, &a, "sharing", "1");
	assert_int_equal(a.status, 1);
	assert_null(a.json);
	assert_string_equal(a.err.data,
		"memtally: error: which files are memory can't be found out (memfd_create, mountinfo): Operation not permitted\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_lacking_is_said),
	};

	tester = getpid();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
