/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of confine/landlock.h. Each domain is tried in a child, because a process cannot leave its
 * domain.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "confine/landlock.h"
#include "tests/unit/support/folder.h"

enum { UNSUPPORTED = 77, ABI_NET = 4 };

static const char *const made[] = {"read", "removed", "alone", "kept"};

static bool reads(const char *path)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd >= 0;
}

static bool connects(void)
{
	const struct sockaddr_in nobody = {.sin_family = AF_INET,
		.sin_port = htons(1),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	AUTO_CLOSE int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return connect(fd, (const struct sockaddr *)&nobody, sizeof(nobody)) == 0 ||
	       errno != EACCES;
}

/*
 * Does what a database needs in its directory, and checks that files and links elsewhere are
 * refused.
 */
static bool keeps(void)
{
	AUTO_CLOSE int fd = open("kept/new", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	return fd >= 0 && write(fd, "text", 4) == 4 && ftruncate(fd, 1) == 0 && reads("kept") &&
	       rename("kept/new", "kept/other") == 0 && unlink("kept/other") == 0 &&
	       rename("kept/file", "removed/other") < 0 && mkdir("kept/folder", 0700) < 0 &&
	       symlink("/", "kept/link") < 0 && link("kept/file", "alone/other") < 0;
}

/* Returns 0 if the domain works as documented, otherwise the number of the failed check. */
static int try_domain(void)
{
	struct landlock l;
	int r = landlock_open(false, &l);

	if (r == LANDLOCK_UNSUPPORTED)
		return UNSUPPORTED;
	if (r < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return 1;
	/* A path that does not exist is ignored: nothing below it can be reached. */
	if (landlock_allow(&l, "no such directory", LANDLOCK_MAY_READ) != 0 ||
		landlock_allow(&l, "read/file/below", LANDLOCK_MAY_READ) != 0)
		return 2;
	/* An invalid descriptor is an error. */
	if (landlock_allow_fd(&l, -1, LANDLOCK_MAY_READ) >= 0)
		return 8;
	if (landlock_allow(&l, "alone/file", LANDLOCK_MAY_READ_FILE) < 0)
		return 9;
	if (landlock_allow(&l, "read", LANDLOCK_MAY_READ) < 0 ||
		landlock_allow_removal(&l, "removed/file") < 0 ||
		landlock_allow(&l, "kept", LANDLOCK_MAY_KEEP) < 0 || landlock_enter(&l) < 0)
		return 3;
	landlock_close(&l);
	if (!reads("read/file") || reads("removed/file") || reads("/etc/passwd") || reads("."))
		return 4;
	if (!reads("alone/file") || reads("alone"))
		return 10;
	if (open("read/file", O_WRONLY | O_CLOEXEC) >= 0 ||
		open("read/new", O_WRONLY | O_CREAT | O_CLOEXEC, 0600) >= 0)
		return 5;
	if (unlink("read/file") == 0 || mkdir("removed/new", 0700) == 0 ||
		unlink("removed/file") < 0)
		return 6;
	if (!keeps())
		return 11;
	if (l.abi >= ABI_NET && connects())
		return 7;
	return 0;
}

static void domain_grants_the_allowed_accesses_only(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0)
		_exit(try_domain());
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == UNSUPPORTED)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void parent_of_a_path(void **state)
{
	char parent[LANDLOCK_PATH_SIZE], path[LANDLOCK_PATH_SIZE + 2];

	(void)state;
	assert_int_equal(landlock_parent("/run/a/socket", parent), 0);
	assert_string_equal(parent, "/run/a/");
	assert_int_equal(landlock_parent("/file", parent), 0);
	assert_string_equal(parent, "/");
	assert_int_equal(landlock_parent("file", parent), 0);
	assert_string_equal(parent, ".");
	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 2] = '/';
	path[sizeof(path) - 1] = 0;
	assert_int_equal(landlock_parent(path, parent), -ENAMETOOLONG);
}

static int setup(void **state)
{
	char path[64];

	if (folder_enter(state) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(made); i++) {
		snprintf(path, sizeof(path), "%s/file", made[i]);
		if (mkdir(made[i], 0700) < 0 ||
			close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600)) < 0)
			return -1;
	}
	return 0;
}

static int teardown(void **state)
{
	char path[64];

	for (size_t i = 0; i < ARRAY_SIZE(made); i++) {
		snprintf(path, sizeof(path), "%s/file", made[i]);
		unlink(path);
		rmdir(made[i]);
	}
	return folder_leave(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(domain_grants_the_allowed_accesses_only),
		cmocka_unit_test(parent_of_a_path),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
