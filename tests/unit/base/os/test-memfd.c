/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/os/memfd.h: sealed memory files, with wrapped system calls. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/os/memfd.h"

enum { LIMIT = 1 << 20 };

/* Simulated kernel behaviour, for one test at a time. */
static struct {
	size_t most;       /* maximum number of bytes per write; 0: no limit */
	unsigned int fail; /* number of the write that fails; 0: none */
	int error;
	unsigned int calls;
	unsigned int known; /* flags that memfd_create() accepts; 0: all */
	unsigned int asked; /* flags of the last memfd_create() */
	int create_error;
	bool busy; /* a new memory file is mapped for writing by another process */
} kernel;

ssize_t __real_write(int fd, const void *data, size_t len);
ssize_t __wrap_write(int fd, const void *data, size_t len);
int __real_memfd_create(const char *name, unsigned int flags);
int __wrap_memfd_create(const char *name, unsigned int flags);

ssize_t __wrap_write(int fd, const void *data, size_t len)
{
	if (++kernel.calls == kernel.fail) {
		errno = kernel.error;
		return -1;
	}
	return __real_write(fd, data, kernel.most && kernel.most < len ? kernel.most : len);
}

int __wrap_memfd_create(const char *name, unsigned int flags)
{
	int fd;

	kernel.asked = flags;
	if (kernel.create_error || (kernel.known && (flags & ~kernel.known))) {
		errno = kernel.create_error ? kernel.create_error : EINVAL;
		return -1;
	}
	fd = __real_memfd_create(name, flags);
	if (kernel.busy)
		(void)mmap(NULL, 1, PROT_WRITE, MAP_SHARED, fd, 0);
	return fd;
}

static int reset_kernel(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	return 0;
}

static char first[5000], second[] = "and the rest";
static const struct iovec pieces[] = {
	{.iov_base = first, .iov_len = sizeof(first)},
	{.iov_base = NULL, .iov_len = 0},
	{.iov_base = second, .iov_len = sizeof(second)},
};
enum { WHOLE = sizeof(first) + sizeof(second) };

static void assert_pieces(int fd)
{
	char back[WHOLE + 1];
	size_t size = 0;

	assert_int_equal(memfd_check_sealed(fd, WHOLE, &size), 0);
	assert_int_equal(size, WHOLE);
	assert_int_equal(pread(fd, back, sizeof(back), 0), WHOLE);
	assert_memory_equal(back, first, sizeof(first));
	assert_memory_equal(back + sizeof(first), second, sizeof(second));
}

static void holds_the_given_content(void **state)
{
	static const size_t most[] = {0, 1, 7, 4096};

	(void)state;
	memset(first, 'f', sizeof(first));
	for (size_t i = 0; i < ARRAY_SIZE(most); i++) {
		AUTO_CLOSE int fd = -1;

		kernel.most = most[i];
		assert_int_equal(memfd_new_sealed("test", pieces, ARRAY_SIZE(pieces), &fd), 0);
		assert_pieces(fd);
		assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
		assert_int_equal(lseek(fd, 0, SEEK_CUR), 0); /* the reader's file offset is 0 */
	}
}

/* No operation on the reader's descriptor can change the content. */
static void readers_cannot_change_it(void **state)
{
	AUTO_CLOSE int fd = -1, again = -1;
	char path[64];
	void *map;

	(void)state;
	assert_int_equal(memfd_new_sealed("test", pieces, ARRAY_SIZE(pieces), &fd), 0);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	assert_int_equal(write(fd, "x", 1), -1);
	assert_int_equal(ftruncate(fd, 0), -1);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL), -1);
	assert_ptr_equal(mmap(NULL, WHOLE, PROT_WRITE, MAP_SHARED, fd, 0), MAP_FAILED);
	map = mmap(NULL, WHOLE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	memset(map, 'x', WHOLE);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, O_RDWR | O_CLOEXEC);
	if (again >= 0) {
		assert_int_equal(write(again, "x", 1), -1);
		assert_int_equal(pwrite(again, "x", 1, WHOLE), -1);
		assert_int_equal(ftruncate(again, 0), -1);
		assert_int_equal(ftruncate(again, 2L * WHOLE), -1);
		assert_int_equal(fcntl(again, F_ADD_SEALS, F_SEAL_FUTURE_WRITE), -1);
		assert_int_equal(
			fallocate(again, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 1), -1);
	}
	assert_pieces(fd);
	munmap(map, WHOLE);
}

/* Before Linux 6.3 memfd_create() refuses MFD_NOEXEC_SEAL. */
static void works_on_an_older_kernel(void **state)
{
	AUTO_CLOSE int fd = -1;

	(void)state;
	kernel.known = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	assert_int_equal(memfd_new_sealed("test", pieces, ARRAY_SIZE(pieces), &fd), 0);
	assert_int_equal(kernel.asked, kernel.known);
	assert_pieces(fd);
}

static void requests_no_execution(void **state)
{
	AUTO_CLOSE int fd = -1;

	(void)state;
	kernel.create_error = ENOSYS; /* only the first call matters */
	assert_int_equal(memfd_new_sealed("test", pieces, 1, &fd), -ENOSYS);
	assert_int_equal(kernel.asked, MFD_CLOEXEC | MFD_ALLOW_SEALING | 0x0008U);
}

static void returns_errors(void **state)
{
	unsigned int before = unit_descriptors();
	int fd = -7;

	(void)state;
	kernel.create_error = ENFILE;
	assert_int_equal(memfd_new_sealed("test", pieces, ARRAY_SIZE(pieces), &fd), -ENFILE);
	kernel.create_error = 0;
	kernel.most = 1000;
	kernel.error = ENOSPC;
	for (kernel.fail = 1; kernel.fail <= 6; kernel.fail++) {
		kernel.calls = 0;
		assert_int_equal(
			memfd_new_sealed("test", pieces, ARRAY_SIZE(pieces), &fd), -ENOSPC);
	}
	kernel.fail = 0;
	kernel.busy = true;
	assert_int_equal(memfd_new_sealed("test", pieces, ARRAY_SIZE(pieces), &fd), -EBUSY);
	assert_int_equal(fd, -7);
	assert_int_equal(unit_descriptors(), before);
}

/* With room for one more descriptor the file can be made, but not be opened again for reading. */
static void fails_without_descriptors(void **state)
{
	unsigned int before = unit_descriptors();
	struct rlimit old, tight;
	int fd = -7, plain, next = dup(STDERR_FILENO);

	(void)state;
	assert_true(next >= 0);
	fd_close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	tight = (struct rlimit){.rlim_cur = (rlim_t)next + 1, .rlim_max = old.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &tight), 0);
	assert_int_equal(memfd_new_sealed("test", pieces, ARRAY_SIZE(pieces), &fd), -EMFILE);
	plain = memfd_new("test");
	assert_int_equal(memfd_new("test"), -EMFILE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(plain, next);
	assert_int_equal(fcntl(plain, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(plain, F_GETFL) & O_ACCMODE, O_RDWR);
	fd_close(plain);
	assert_int_equal(fd, -7);
	assert_int_equal(unit_descriptors(), before);
}

static void continues_after_a_signal(void **state)
{
	AUTO_CLOSE int fd = -1;

	(void)state;
	kernel.most = 1000;
	kernel.fail = 3;
	kernel.error = EINTR;
	assert_int_equal(memfd_new_sealed("test", pieces, ARRAY_SIZE(pieces), &fd), 0);
	assert_pieces(fd);
}

/* A mapping keeps the memory of the file. */
static bool is_mapped(void)
{
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "re");
	bool found = false;

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		found |= !!strstr(line, "memfd:copied");
	fclose(maps);
	return found;
}

static void copies(void **state)
{
	AUTO_CLOSE int fd = -1, copy = -1, empty = memfd_create("test", MFD_CLOEXEC);
	unsigned int before;
	struct stat st[2];

	(void)state;
	assert_int_equal(memfd_new_sealed("copied", pieces, ARRAY_SIZE(pieces), &fd), 0);
	assert_int_equal(memfd_copy_sealed("test", fd, &copy), 0);
	assert_pieces(copy);
	assert_int_equal(fstat(fd, &st[0]), 0);
	assert_int_equal(fstat(copy, &st[1]), 0);
	assert_int_not_equal(st[0].st_ino, st[1].st_ino);
	before = unit_descriptors();
	assert_int_equal(memfd_copy_sealed("test", -1, &copy), -EBADF);
	assert_int_equal(memfd_copy_sealed("test", empty, &copy), -EINVAL);
	kernel.create_error = ENFILE;
	assert_int_equal(memfd_copy_sealed("test", fd, &copy), -ENFILE);
	assert_false(is_mapped());
	assert_int_equal(unit_descriptors(), before);
}

/* Of all sets of seals only those with all four are accepted. */
static void demands_every_seal(void **state)
{
	static const int seals[] = {F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_WRITE};

	(void)state;
	for (unsigned int set = 0; set < 1U << ARRAY_SIZE(seals); set++) {
		AUTO_CLOSE int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		size_t size = 777;
		int mask = 0;

		assert_true(fd >= 0);
		assert_int_equal(write(fd, "data", 4), 4);
		for (size_t i = 0; i < ARRAY_SIZE(seals); i++)
			mask |= set >> i & 1 ? seals[i] : 0;
		assert_int_equal(fcntl(fd, F_ADD_SEALS, mask), 0);
		assert_int_equal(memfd_check_sealed(fd, LIMIT, &size), set == 15 ? 0 : -EINVAL);
		assert_int_equal(size, set == 15 ? 4 : 777);
	}
}

static int open_sealed(size_t size)
{
	int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	assert_int_equal(
		fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE),
		0);
	return fd;
}

static void checks_the_size(void **state)
{
	static const struct {
		size_t size;
		int result;
	} cases[] = {{0, -EINVAL}, {1, 0}, {LIMIT, 0}, {LIMIT + 1, -EFBIG}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_CLOSE int fd = open_sealed(cases[i].size);
		size_t size = 777;

		assert_int_equal(memfd_check_sealed(fd, LIMIT, &size), cases[i].result);
		assert_int_equal(size, cases[i].result ? 777 : cases[i].size);
	}
}

static void refuses_other_files(void **state)
{
	static const char *const paths[] = {
		"/dev/null", "/dev/zero", "/proc/self/exe", "/", "/proc"};
	int pair[2];
	size_t size = 777;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		AUTO_CLOSE int fd = open(paths[i], O_RDONLY | O_CLOEXEC);

		assert_true(fd >= 0);
		assert_int_equal(memfd_check_sealed(fd, LIMIT, &size), -EINVAL);
	}
	assert_int_equal(pipe(pair), 0);
	assert_int_equal(memfd_check_sealed(pair[0], LIMIT, &size), -EINVAL);
	fd_close(pair[0]);
	fd_close(pair[1]);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(memfd_check_sealed(pair[0], LIMIT, &size), -EINVAL);
	fd_close(pair[0]);
	fd_close(pair[1]);
	assert_int_equal(memfd_check_sealed(-1, LIMIT, &size), -EINVAL);
	assert_int_equal(size, 777);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(holds_the_given_content, reset_kernel),
		cmocka_unit_test_setup(readers_cannot_change_it, reset_kernel),
		cmocka_unit_test_setup(works_on_an_older_kernel, reset_kernel),
		cmocka_unit_test_setup(requests_no_execution, reset_kernel),
		cmocka_unit_test_setup(returns_errors, reset_kernel),
		cmocka_unit_test_setup(fails_without_descriptors, reset_kernel),
		cmocka_unit_test_setup(continues_after_a_signal, reset_kernel),
		cmocka_unit_test_setup(copies, reset_kernel),
		cmocka_unit_test_setup(demands_every_seal, reset_kernel),
		cmocka_unit_test_setup(checks_the_size, reset_kernel),
		cmocka_unit_test_setup(refuses_other_files, reset_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
