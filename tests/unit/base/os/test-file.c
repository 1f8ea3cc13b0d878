/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the reading of small files, with reads that are short, interrupted, or fail. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/os/file.h"
#include "tests/unit/support/faults/allocation.h"

/* Changes the next reads. For one test at a time. */
static struct {
	size_t most;       /* bytes that one read may return; 0: no limit */
	unsigned int fail; /* the Nth read fails; 0: none */
	int error;
	unsigned int calls;
} reads;

ssize_t __real_pread(int fd, void *buf, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *buf, size_t size, off_t at);

ssize_t __wrap_pread(int fd, void *buf, size_t size, off_t at)
{
	if (++reads.calls == reads.fail) {
		errno = reads.error;
		return -1;
	}
	return __real_pread(fd, buf, reads.most && reads.most < size ? reads.most : size, at);
}

ssize_t __real_read(int fd, void *buf, size_t size);
ssize_t __wrap_read(int fd, void *buf, size_t size);

ssize_t __wrap_read(int fd, void *buf, size_t size)
{
	if (++reads.calls == reads.fail) {
		errno = reads.error;
		return -1;
	}
	return __real_read(fd, buf, reads.most && reads.most < size ? reads.most : size);
}

static char folder[] = "test-file-XXXXXX";
static int folder_fd = -1;

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return folder_fd < 0 ? -1 : 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlinkat(folder_fd, "file", 0);
	folder_fd = fd_close(folder_fd);
	return rmdir(folder);
}

static int reset_reads(void **state)
{
	(void)state;
	memset(&reads, 0, sizeof(reads));
	return 0;
}

/* Writes a file of LEN bytes, each different from its neighbours. */
static void write_file(size_t len)
{
	AUTO_CLOSE int fd = openat(folder_fd, "file", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	AUTO_FREE char *data = malloc(len + 1);

	assert_true(fd >= 0);
	assert_non_null(data);
	for (size_t i = 0; i < len; i++)
		data[i] = (char)(i % 251);
	assert_int_equal(write(fd, data, len), (ssize_t)len);
}

static void assert_file(const char *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		assert_int_equal(data[i], (char)(i % 251));
}

static const size_t pieces[] = {0, 1, 2, 7, 4095, 4096, 5000};

static void reads_to_the_end_in_any_pieces(void **state)
{
	static const size_t lens[] = {0, 1, 4095};
	char buf[4096];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lens); i++)
		for (size_t k = 0; k < ARRAY_SIZE(pieces); k++) {
			size_t len = 777;

			write_file(lens[i]);
			reads.most = pieces[k];
			assert_int_equal(file_read(folder_fd, "file", buf, sizeof(buf), &len), 0);
			assert_int_equal(len, lens[i]);
			assert_file(buf, len);
		}
}

/* Bytes count from 0, so each shows how many bytes came before it. */
static bool is_ten(const char *text, size_t len, const void *context)
{
	assert_ptr_equal(context, folder);
	assert_true(len > 0);
	assert_file(text, len);
	return len >= 10;
}

/* Once the text is complete nothing more is read, not even the end. */
static void stops_when_the_text_is_complete(void **state)
{
	static const size_t wanted[] = {100, 10, 10, 14, 100, 100, 100};
	static const unsigned int calls[] = {1, 10, 5, 2, 1, 1, 1};
	char buf[101];

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(pieces); k++) {
		AUTO_CLOSE int fd = -1;
		size_t len = 777;

		write_file(100);
		fd = openat(folder_fd, "file", O_RDONLY | O_CLOEXEC);
		reads.most = pieces[k];
		reads.calls = 0;
		assert_int_equal(file_read_until(fd, buf, sizeof(buf), is_ten, folder, &len), 0);
		assert_int_equal(len, wanted[k]);
		assert_int_equal(reads.calls, calls[k]);
	}
}

static void reads_at_an_offset(void **state)
{
	char buf[100];

	(void)state;
	write_file(90);
	for (size_t k = 0; k < ARRAY_SIZE(pieces); k++) {
		AUTO_CLOSE int fd = openat(folder_fd, "file", O_RDONLY | O_CLOEXEC);

		memset(&reads, 0, sizeof(reads));
		reads.most = pieces[k];
		assert_int_equal(file_read_at(fd, buf, 50, 30), 50);
		assert_int_equal(buf[0], 30);
		assert_int_equal(buf[49], 79);
		assert_int_equal(file_read_at(fd, buf, sizeof(buf), 30), 60);
		assert_int_equal(file_read_at(fd, buf, sizeof(buf), 90), 0);
		assert_int_equal(file_read_at(fd, buf, 3, -8), -EINVAL); /* not at the position */
		reads.calls = 0;
		reads.fail = 2;
		reads.error = EINTR;
		assert_int_equal(file_read_at(fd, buf, sizeof(buf), 0), 90);
		reads.calls = 0;
		reads.error = EIO;
		assert_int_equal(file_read_at(fd, buf, sizeof(buf), 0), -EIO);
	}
}

static void refuses_texts_that_fill_the_buffer(void **state)
{
	char buf[100];
	size_t len = 777;

	(void)state;
	write_file(100);
	assert_int_equal(file_read(folder_fd, "file", buf, sizeof(buf), &len), -EFBIG);
	write_file(101);
	assert_int_equal(file_read(folder_fd, "file", buf, sizeof(buf), &len), -EFBIG);
	assert_int_equal(file_read(folder_fd, "file", buf, 0, &len), -EFBIG);
	assert_int_equal(len, 777);
}

static void returns_errors(void **state)
{
	AUTO_BUFFER struct buffer b = {0};
	unsigned int before = unit_descriptors();
	char buf[100];
	size_t len = 777;

	(void)state;
	assert_int_equal(file_read(folder_fd, "none", buf, sizeof(buf), &len), -ENOENT);
	assert_int_equal(file_read_all(folder_fd, "none", 100, &b), -ENOENT);
	assert_int_equal(file_read(folder_fd, ".", buf, sizeof(buf), &len), -EISDIR);
	assert_int_equal(file_read_all(folder_fd, ".", 100, &b), -EISDIR);
	assert_int_equal(file_read(-1, "file", buf, sizeof(buf), &len), -EBADF);

	write_file(50);
	reads.calls = 0;
	reads.fail = 1;
	reads.error = EIO;
	assert_int_equal(file_read(folder_fd, "file", buf, sizeof(buf), &len), -EIO);
	reads.fail = 2;
	reads.calls = 0;
	assert_int_equal(file_read_all(folder_fd, "file", 100, &b), -EIO);
	reads.most = 20;
	reads.calls = 0;
	assert_int_equal(file_read(folder_fd, "file", buf, sizeof(buf), &len), -EIO);
	assert_int_equal(len, 777);
	assert_int_equal(unit_descriptors(), before);
}

static void goes_on_after_a_signal(void **state)
{
	AUTO_BUFFER struct buffer b = {0};
	char buf[100];
	size_t len;

	(void)state;
	write_file(50);
	reads.error = EINTR;
	for (reads.fail = 1; reads.fail < 3; reads.fail++) {
		reads.calls = 0;
		assert_int_equal(file_read(folder_fd, "file", buf, sizeof(buf), &len), 0);
		assert_int_equal(len, 50);
	}
	reads.fail = 2;
	reads.calls = 0;
	assert_int_equal(file_read_all(folder_fd, "file", 100, &b), 0);
	assert_int_equal(b.len, 50);
}

/* The whole file is read, in whatever pieces the kernel returns it. */
static void reads_all_in_any_pieces(void **state)
{
	static const size_t lens[] = {0, 1, 4095, 4096, 4097, 100000};
	static const size_t most[] = {0, 1, 7, 4096, 5000};
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lens); i++)
		for (size_t k = 0; k < ARRAY_SIZE(most); k++) {
			write_file(lens[i]);
			reads.most = most[k];
			buffer_add_text(&b, "what was there before");
			assert_int_equal(file_read_all(folder_fd, "file", lens[i], &b), 0);
			assert_int_equal(b.len, lens[i]);
			assert_file(b.data, b.len);
		}
}

static void stops_at_the_limit(void **state)
{
	AUTO_BUFFER struct buffer b = {0};
	unsigned int before = unit_descriptors();

	(void)state;
	write_file(5000);
	assert_int_equal(file_read_all(folder_fd, "file", 4999, &b), -EFBIG);
	assert_int_equal(file_read_all(folder_fd, "file", 5000, &b), 0);
	assert_int_equal(file_read_all(AT_FDCWD, "/dev/zero", 1 << 20, &b), -EFBIG);
	assert_int_equal(unit_descriptors(), before);
}

static void survives_without_memory(void **state)
{
	unsigned int before = unit_descriptors();

	(void)state;
	write_file(100000);
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_BUFFER struct buffer b = {0};

		allocation_fail_at(n);
		allocation_check(file_read_all(folder_fd, "file", 100000, &b));
	}
	assert_true(allocation_count() > 2);
	assert_int_equal(unit_descriptors(), before);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(reads_to_the_end_in_any_pieces, reset_reads),
		cmocka_unit_test_setup(stops_when_the_text_is_complete, reset_reads),
		cmocka_unit_test_setup(reads_at_an_offset, reset_reads),
		cmocka_unit_test_setup(refuses_texts_that_fill_the_buffer, reset_reads),
		cmocka_unit_test_setup(returns_errors, reset_reads),
		cmocka_unit_test_setup(goes_on_after_a_signal, reset_reads),
		cmocka_unit_test_setup(reads_all_in_any_pieces, reset_reads),
		cmocka_unit_test_setup(stops_at_the_limit, reset_reads),
		cmocka_unit_test_setup(survives_without_memory, reset_reads),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
