/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that cleanup attributes free and close exactly once. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>

#include "base/cleanup.h"

static int open_null(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static void a_scope_closes(void **state)
{
	int fd;

	(void)state;
	{
		AUTO_CLOSE int own = open_null();

		fd = own;
		assert_true(is_open(fd));
	}
	assert_false(is_open(fd));
	{
		AUTO_CLOSE int none = -1; /* closes nothing, and not descriptor 0 */

		(void)none;
	}
	assert_int_equal(errno, EBADF);
}

static void a_scope_closes_a_folder(void **state)
{
	unsigned int before = unit_descriptors();

	(void)state;
	{
		AUTO_CLOSEDIR DIR *none = NULL;
		AUTO_CLOSEDIR DIR *dir = opendir("/");

		(void)none;
		assert_non_null(dir);
		assert_int_equal(unit_descriptors(), before + 1);
	}
	assert_int_equal(unit_descriptors(), before);
}

/* valgrind checks that the memory is freed; the C library checks that it is freed once. */
static void a_scope_frees(void **state)
{
	void *kept;

	(void)state;
	{
		AUTO_FREE char *own = malloc(10);
		AUTO_FREE char *moved = malloc(10);
		AUTO_FREE char *none = NULL;

		(void)none;
		assert_non_null(own);
		kept = TAKE_PTR(moved);
		assert_null(moved);
	}
	assert_non_null(kept);
	memset(kept, 0, 10);
	free(kept);
}

static void a_taken_descriptor_stays_open(void **state)
{
	int fd;

	(void)state;
	{
		AUTO_CLOSE int own = open_null();

		fd = TAKE_FD(own);
		assert_int_equal(own, -1);
	}
	assert_true(is_open(fd));
	assert_int_equal(fd_close(fd), -1);
	assert_false(is_open(fd));
}

static void closing_keeps_errno(void **state)
{
	(void)state;
	errno = EAGAIN;
	fd_close(12345); /* fails with EBADF */
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(fd_close(-1), -1);
	assert_int_equal(errno, EAGAIN);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_scope_closes),
		cmocka_unit_test(a_scope_closes_a_folder),
		cmocka_unit_test(a_scope_frees),
		cmocka_unit_test(a_taken_descriptor_stays_open),
		cmocka_unit_test(closing_keeps_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
