/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of inspect/frames/openfiles.h with the descriptors of this process. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "inspect/frames/openfiles.h"

/* how often the file .inode was reported */
struct seen {
	uint64_t inode;
	unsigned int times, all;
	int result;
};

static int take(uint32_t major, uint32_t minor, uint64_t inode, void *context)
{
	struct seen *seen = context;

	(void)major;
	(void)minor;
	seen->all++;
	seen->times += inode == seen->inode;
	return seen->result;
}

static int look(struct seen *seen)
{
	uint64_t budget = 1000;
	int fd = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return openfiles_read(fd, false, &budget, take, seen);
}

static uint64_t inode_of(int fd)
{
	struct stat found;

	assert_int_equal(fstat(fd, &found), 0);
	return found.st_ino;
}

static void reports_unlinked_files(void **state)
{
	AUTO_CLOSE int fd = memfd_create("a", MFD_CLOEXEC);
	unsigned int before = unit_descriptors();
	struct seen seen = {.inode = inode_of(fd)};

	(void)state;
	assert_int_equal(look(&seen), 0);
	assert_int_equal(seen.times, 1);
	seen.result = -ENOMEM;
	assert_int_equal(look(&seen), -ENOMEM);
	assert_int_equal(unit_descriptors(), before);
}

/* A removed file is reported. A file with a name that ends in " (deleted)" is not. */
static void distinguishes_removed_files_by_link_count(void **state)
{
	char folder[] = "/tmp/memtally-openfiles-XXXXXX", path[64];
	AUTO_CLOSE int fd = -1;
	struct seen seen = {0};

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/a (deleted)", folder);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	seen.inode = inode_of(fd);
	assert_int_equal(look(&seen), 0);
	assert_int_equal(seen.times, 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(look(&seen), 0);
	assert_int_equal(seen.times, 1);
}

static int look_with_sockets(struct seen *seen)
{
	uint64_t budget = 1000;
	int fd = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return openfiles_read(fd, true, &budget, take, seen);
}

static void reports_sockets_on_request(void **state)
{
	AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct seen seen = {.inode = inode_of(fd)};

	(void)state;
	assert_int_equal(look(&seen), 0);
	assert_int_equal(seen.times, 0);
	assert_int_equal(look_with_sockets(&seen), 0);
	assert_int_equal(seen.times, 1);
}

/* Its inode has a link count of 1, but no path leads to it. */
static void reports_secret_memory(void **state)
{
#ifdef SYS_memfd_secret
	AUTO_CLOSE int fd = (int)syscall(SYS_memfd_secret, O_CLOEXEC);
	struct seen seen = {0};

	(void)state;
	if (fd < 0)
		skip(); /* this kernel lacks memfd_secret() */
	seen.inode = inode_of(fd);
	assert_int_equal(look(&seen), 0);
	assert_int_equal(seen.times, 1);
#else
	(void)state;
	skip();
#endif
}

static void exited_process_has_no_open_files(void **state)
{
	uint64_t budget = 1000;
	struct seen seen = {0};
	char path[32];
	pid_t pid = fork();
	int fd;

	(void)state;
	assert_true(pid >= 0);
	if (!pid)
		for (;;)
			pause();
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(openfiles_read(fd, false, &budget, take, &seen), 0);
	assert_int_equal(seen.all, 0);
}

static void number_of_descriptors_is_limited(void **state)
{
	AUTO_CLOSE int held = memfd_create("a", MFD_CLOEXEC);
	int fd = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	unsigned int before = unit_descriptors();
	struct seen seen = {.inode = inode_of(held)};
	uint64_t budget = 2;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(openfiles_read(fd, false, &budget, take, &seen), OPENFILES_MANY);
	assert_int_equal(budget, 0);
	assert_int_equal(unit_descriptors(), before - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_unlinked_files),
		cmocka_unit_test(distinguishes_removed_files_by_link_count),
		cmocka_unit_test(number_of_descriptors_is_limited),
		cmocka_unit_test(reports_sockets_on_request),
		cmocka_unit_test(reports_secret_memory),
		cmocka_unit_test(exited_process_has_no_open_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
