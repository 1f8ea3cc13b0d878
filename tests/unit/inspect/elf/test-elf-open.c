/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of inspect/elf/elf-open.h over a directory that looks like /proc, with files of a process
 * below its root, and a directory like /usr/lib/debug.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <zlib.h>

#include "inspect/elf/elf-open.h"
#include "tests/unit/support/folder.h"
#include "tests/unit/support/inspect/elfimage.h"

static int folder = -1;
static struct mounts mounts; /* mounts of this namespace and of the directory */
static char path[] = "/tmp/memtally-object.XXXXXX";

static void write_file(const char *name, const void *data, size_t len)
{
	AUTO_CLOSE int fd = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
}

static struct elf_open_mapping mapping_of(const char *name, const char *shown)
{
	struct stat st;

	assert_int_equal(fstatat(folder, name, &st, 0), 0);
	return (struct elf_open_mapping){.pid = 7,
		.start = 0x7000,
		.end = 0x9000,
		.inode = st.st_ino,
		.major = major(st.st_dev),
		.minor = minor(st.st_dev),
		.path = shown};
}

static void check_text(int fd, const char *expected)
{
	char text[64] = "";

	assert_true(read(fd, text, sizeof(text) - 1) >= 0);
	assert_string_equal(text, expected);
}

static void opens_files_below_the_root_of_the_process(void **state)
{
	AUTO_CLOSE int fd = -1;
	struct elf_open_mapping m;

	(void)state;
	write_file("7/root/lib/a.so", "this", 4);
	m = mapping_of("7/root/lib/a.so", "/lib/a.so");
	assert_int_equal(elf_open_file(folder, &mounts, &m, &fd), 0);
	check_text(fd, "this");
	m.path = "/lib/b.so";
	assert_int_equal(elf_open_file(folder, &mounts, &m, &fd), -ENOENT);
	m.path = "lib/a.so";
	assert_int_equal(elf_open_file(folder, &mounts, &m, &fd), -ENOENT);
}

static void refuses_another_file_of_the_same_name(void **state)
{
	struct elf_open_mapping m;
	int fd = -1;

	(void)state;
	write_file("7/root/lib/a.so", "this", 4);
	m = mapping_of("7/root/lib/a.so", "/lib/a.so");
	m.inode++;
	assert_int_equal(elf_open_file(folder, &mounts, &m, &fd), -ESTALE);
	m = mapping_of("7/root/lib/a.so", "/lib/a.so");
	m.minor ^= 1;
	assert_int_equal(elf_open_file(folder, &mounts, &m, &fd), -ESTALE);
	assert_int_equal(fd, -1);
}

/* A file of map_files is the mapped one, whatever is at its path by now. */
static void prefers_map_files(void **state)
{
	AUTO_CLOSE int fd = -1;
	struct elf_open_mapping m;

	(void)state;
	write_file("7/root/lib/a.so", "other", 5);
	write_file("deleted", "this", 4);
	assert_int_equal(symlinkat("../../deleted", folder, "7/map_files/7000-9000"), 0);
	m = mapping_of("7/root/lib/a.so", "/lib/a.so");
	assert_int_equal(elf_open_file(folder, &mounts, &m, &fd), 0);
	check_text(fd, "this");
	assert_int_equal(unlinkat(folder, "7/map_files/7000-9000", 0), 0);
}

/* Nothing is waited for, and no device is opened. */
static void opens_regular_files_only(void **state)
{
	static const char *const others[] = {"fifo", "device", "folder", "dangling"};
	unsigned int before = unit_descriptors();
	struct elf_open_mapping m;
	int fd;

	(void)state;
	assert_int_equal(mkfifoat(folder, "7/root/lib/fifo", 0600), 0);
	assert_int_equal(symlinkat("/dev/zero", folder, "7/root/lib/device"), 0);
	assert_int_equal(mkdirat(folder, "7/root/lib/folder", 0700), 0);
	assert_int_equal(symlinkat("nowhere", folder, "7/root/lib/dangling"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		char name[64], shown[64];

		snprintf(name, sizeof(name), "7/root/lib/%s", i < 3 ? others[i] : "fifo");
		snprintf(shown, sizeof(shown), "/lib/%s", others[i]);
		m = mapping_of(name, shown);
		assert_int_equal(elf_open_file(folder, &mounts, &m, &fd), -ENOENT);
	}
	assert_int_equal(unit_descriptors(), before);
}

/* Neither by path nor through map_files. */
static void opens_no_file_on_a_mount_that_may_block(void **state)
{
	struct mounts_one one = {.id = UINT64_MAX};
	struct mounts none = {.count = 0}, other = {.item = &one, .count = 1};
	struct elf_open_mapping m;
	int fd = -1;

	(void)state;
	write_file("7/root/lib/a.so", "this", 4);
	assert_int_equal(symlinkat("../root/lib/a.so", folder, "7/map_files/7000-9000"), 0);
	m = mapping_of("7/root/lib/a.so", "/lib/a.so");
	assert_int_equal(elf_open_file(folder, &none, &m, &fd), ELF_OPEN_MAY_WAIT);
	/* Its device is known, but the path now leads to another mount. */
	one.major = m.major;
	one.minor = m.minor;
	assert_int_equal(elf_open_file(folder, &other, &m, &fd), ELF_OPEN_MAY_WAIT);
	/* map_files is not used either if the mapping is said to be on another device. */
	m.minor ^= 0x80;
	m.path = "/lib/none";
	assert_int_equal(elf_open_file(folder, &mounts, &m, &fd), -ENOENT);
	assert_int_equal(fd, -1);
	assert_int_equal(unlinkat(folder, "7/map_files/7000-9000", 0), 0);
}

static int find_debug_within(union elfimage *image, const char *of, uint64_t *budget)
{
	AUTO_ELFFILE struct elffile f = {.segments = 0};
	AUTO_ELFFILE struct elffile debug = {.segments = 0};
	AUTO_CLOSE int fd = -1;
	char folder_path[64];
	const char *why;
	int r;

	assert_int_equal(elffile_open_image(image->bytes, sizeof(image->bytes), &f, &why), 0);
	snprintf(folder_path, sizeof(folder_path), "%s/debug", path);
	r = elf_open_debug(&f, &mounts, of, folder_path, budget, &debug, &fd);
	if (r == 0)
		assert_int_equal(elffile_read_symbols(&debug, &why), 0);
	return r;
}

static int find_debug(union elfimage *image, const char *of)
{
	uint64_t budget = ELF_OPEN_BUDGET;

	return find_debug_within(image, of, &budget);
}

static void finds_debug_files_by_build_id(void **state)
{
	union elfimage image;
	const char *name = "debug/.build-id/01/02030405060708.debug";

	(void)state;
	elfimage_make(&image);
	assert_int_equal(find_debug(&image, "/lib/a.so"), -ENOENT);
	write_file(name, image.bytes, sizeof(image.bytes));
	assert_int_equal(find_debug(&image, "/lib/a.so"), 0);
	/* A file with another build id is refused. */
	image.parts.note.id[7]++;
	write_file(name, image.bytes, sizeof(image.bytes));
	image.parts.note.id[7]--;
	assert_int_equal(find_debug(&image, "/lib/a.so"), -ENOENT);
	write_file(name, "no ELF file", 11);
	assert_int_equal(find_debug(&image, "/lib/a.so"), -ENOENT);
	assert_int_equal(unlinkat(folder, name, 0), 0);
}

static void finds_debug_files_by_name(void **state)
{
	static const char *const names[] = {
		"lib/its.debug", "lib/.debug/its.debug", "debug/opt/its.debug"};
	union elfimage image, debug;
	char of[64];

	(void)state;
	elfimage_make(&debug);
	debug.parts.section[ELFIMAGE_NOTE].sh_type = SHT_PROGBITS; /* without a build id */
	elfimage_make(&image);
	image.parts.link_crc = (uint32_t)crc32(
		0, (unsigned char *)debug.bytes, sizeof(debug.bytes));
	memset(image.parts.link + 12, 0, 4);
	memcpy(image.parts.link + 12, &image.parts.link_crc, 4);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(of, sizeof(of), "%s%s", i < 2 ? path : "",
			i < 2 ? "/lib/a.so" : "/opt/a.so");
		assert_int_equal(find_debug(&image, of), -ENOENT);
		write_file(names[i], debug.bytes, sizeof(debug.bytes));
		assert_int_equal(find_debug(&image, of), 0);
		/* A file with another checksum is refused. */
		debug.bytes[sizeof(debug.bytes) - 1] ^= 1;
		write_file(names[i], debug.bytes, sizeof(debug.bytes));
		debug.bytes[sizeof(debug.bytes) - 1] ^= 1;
		assert_int_equal(find_debug(&image, of), -ENOENT);
		assert_int_equal(unlinkat(folder, names[i], 0), 0);
	}
}

/* A user may put any number of files of any size beside mapped ones, so checksums have a budget. */
static void checksums_have_a_budget(void **state)
{
	union elfimage image, debug;
	uint64_t budget = sizeof(debug.bytes) * 2 - 1;
	char of[64];

	(void)state;
	elfimage_make(&debug);
	debug.parts.section[ELFIMAGE_NOTE].sh_type = SHT_PROGBITS;
	elfimage_make(&image);
	/* The check value of CRC-32 as gzip computes it; then a file's checksum. */
	assert_int_equal(crc32(0, (const unsigned char *)"123456789", 9), 0xcbf43926);
	image.parts.link_crc = (uint32_t)crc32(
		0, (unsigned char *)debug.bytes, sizeof(debug.bytes));
	memcpy(image.parts.link + 12, &image.parts.link_crc, 4);
	snprintf(of, sizeof(of), "%s/lib/a.so", path);
	write_file("lib/its.debug", debug.bytes, sizeof(debug.bytes));
	assert_int_equal(find_debug_within(&image, of, &budget), 0);
	assert_int_equal(budget, sizeof(debug.bytes) - 1);
	assert_int_equal(find_debug_within(&image, of, &budget), -ENOENT);
	assert_int_equal(budget, sizeof(debug.bytes) - 1);
	assert_int_equal(unlinkat(folder, "lib/its.debug", 0), 0);
	/* A file found by its build id needs no checksum. */
	budget = 0;
	elfimage_make(&debug);
	write_file("debug/.build-id/01/02030405060708.debug", debug.bytes, sizeof(debug.bytes));
	assert_int_equal(find_debug_within(&debug, of, &budget), 0);
	assert_int_equal(unlinkat(folder, "debug/.build-id/01/02030405060708.debug", 0), 0);
}

/* A debug link that contains a directory is ignored. */
static void ignores_debug_links_with_a_directory(void **state)
{
	AUTO_ELFFILE struct elffile f = {.segments = 0};
	union elfimage image;
	const char *why;

	(void)state;
	elfimage_make(&image);
	memcpy(image.parts.link, "../x.debug", 11);
	assert_int_equal(elffile_open_image(image.bytes, sizeof(image.bytes), &f, &why), 0);
	assert_null(f.debuglink);
}

/* Adds the directory's mount as if it were on a disk. */
static int read_mounts(void)
{
	char text[128];
	struct stat st;
	uint64_t id;

	if (mounts_read(&mounts, folder, 7) < 0 || mounts_find_id(folder, &id) < 0 ||
		fstat(folder, &st) < 0)
		return -1;
	snprintf(text, sizeof(text), "%llu 1 %u:%u / /x rw - ext4 none rw\n",
		(unsigned long long)id, major(st.st_dev), minor(st.st_dev));
	return mounts_add(&mounts, text, strlen(text), MOUNTS_THEIRS);
}

static int make_folder(void **state)
{
	static const char *const folders[] = {"7", "7/root", "7/root/lib", "7/map_files", "lib",
		"lib/.debug", "debug", "debug/opt", "debug/.build-id", "debug/.build-id/01"};

	(void)state;
	folder = mkdtemp(path) ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	for (size_t i = 0; folder >= 0 && i < ARRAY_SIZE(folders); i++)
		if (mkdirat(folder, folders[i], 0700) < 0)
			return -1;
	return folder < 0 ? -1 : read_mounts();
}

static int remove_folder(void **state)
{
	(void)state;
	mounts_done(&mounts);
	close(folder);
	return folder_remove(path);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens_files_below_the_root_of_the_process),
		cmocka_unit_test(refuses_another_file_of_the_same_name),
		cmocka_unit_test(prefers_map_files),
		cmocka_unit_test(opens_regular_files_only),
		cmocka_unit_test(opens_no_file_on_a_mount_that_may_block),
		cmocka_unit_test(finds_debug_files_by_build_id),
		cmocka_unit_test(finds_debug_files_by_name),
		cmocka_unit_test(checksums_have_a_budget),
		cmocka_unit_test(ignores_debug_links_with_a_directory),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
