/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of inspect/files/file-state.h, the state of mapped files, with files in a directory of the
 * test as mappings of this process would show them.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "inspect/files/file-state.h"
#include "inspect/maps/kind.h"

static struct procfs procfs;
static char folder[] = "/tmp/memtally-whereabouts.XXXXXX";

/* Makes a file NAME. RET gets what a mapping shows of it. */
static void make(const char *name, struct file_table_row *ret)
{
	char path[PATH_MAX];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	close(fd);
	*ret = (struct file_table_row){
		.inode = st.st_ino, .major = major(st.st_dev), .minor = minor(st.st_dev)};
}

static void removes(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(unlink(path), 0);
}

/* Returns ROW's fate if smaps shows NAME for it. */
static enum file_table_fate look(struct file_table_row *row, const char *name, bool *ret_is_literal)
{
	AUTO_FILE_STATE struct file_state w = {.root = -1};
	AUTO_TARGET struct target t;
	enum file_table_fate fate;
	char path[PATH_MAX];

	assert_int_equal(target_open(&procfs, getpid(), &t), 0);
	assert_int_equal(file_state_open(&t, &w), 0);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	row->path = path;
	fate = file_state_find(&w, row, ret_is_literal);
	row->path = NULL;
	return fate;
}

static void gone_and_replaced(void **state)
{
	struct file_table_row a, b, another;
	struct statfs fs;
	bool is_literal = true;

	(void)state;
	make("a", &a);
	make("b", &b);
	/* As if it was restored: a link to the mapped file. */
	assert_int_equal(look(&a, "a (deleted)", &is_literal), FILE_TABLE_THERE);
	assert_false(is_literal);
	removes("a");
	removes("b");
	make("b", &another);
	/* The inode number of the first may be reused, because no process maps it. */
	b.inode += 1000000;
	assert_int_equal(look(&a, "a (deleted)", &is_literal), FILE_TABLE_DELETED);
	assert_int_equal(look(&b, "b (deleted)", &is_literal), FILE_TABLE_REPLACED);
	b.inode -= 1000000;
	b.inode = another.inode;
	/*
	 * A device that does not exist. For mappings on overlayfs before Linux 6.8 the device is
	 * unknown.
	 */
	b.minor = another.minor ^ 0x80000;
	assert_int_equal(statfs(folder, &fs), 0);
	assert_int_equal(look(&b, "b (deleted)", &is_literal),
		fs.f_type == OVERLAYFS_SUPER_MAGIC ? FILE_TABLE_THERE : FILE_TABLE_REPLACED);
	removes("b");
	assert_int_equal(look(&a, "none/a (deleted)", &is_literal), FILE_TABLE_DELETED);
}

static void name_may_end_in_deleted(void **state)
{
	struct file_table_row c, plain, both;
	bool is_literal = false;

	(void)state;
	make("c (deleted)", &c);
	assert_int_equal(look(&c, "c (deleted)", &is_literal), FILE_TABLE_THERE);
	assert_true(is_literal);
	/* With another file of the same name without the suffix beside it. */
	make("c", &plain);
	is_literal = false;
	assert_int_equal(look(&c, "c (deleted)", &is_literal), FILE_TABLE_THERE);
	assert_true(is_literal);
	removes("c");
	removes("c (deleted)");
	make("d (deleted)", &both);
	removes("d (deleted)");
	assert_int_equal(look(&both, "d (deleted) (deleted)", &is_literal), FILE_TABLE_DELETED);
	assert_false(is_literal);
}

static void newlines_are_escaped(void **state)
{
	struct file_table_row row, literal;
	bool is_literal;

	(void)state;
	make("two\nlines", &row);
	assert_int_equal(look(&row, "two\\012lines (deleted)", &is_literal), FILE_TABLE_THERE);
	removes("two\nlines");
	assert_int_equal(look(&row, "two\\012lines (deleted)", &is_literal), FILE_TABLE_DELETED);
	make("two\\012lines", &literal);
	assert_int_equal(look(&literal, "two\\012lines (deleted)", &is_literal), FILE_TABLE_THERE);
	removes("two\\012lines");
}

static void unreadable_paths_are_uncertain(void **state)
{
	struct file_state nowhere = {.root = -1};
	struct file_table_row row;
	char name[PATH_MAX];
	bool is_literal;

	(void)state;
	make("e", &row);
	row.path = name;
	snprintf(name, sizeof(name), "%s/e (deleted)", folder);
	assert_int_equal(file_state_find(&nowhere, &row, &is_literal), FILE_TABLE_UNCERTAIN);
	removes("e");
	memset(name, 'x', 300);
	snprintf(name + 300, sizeof(name) - 300, " (deleted)"); /* longer than a name may be */
	assert_int_equal(look(&row, name, &is_literal), FILE_TABLE_UNCERTAIN);
	assert_false(is_literal);
}

/*
 * A library in /tmp may be an upgraded program's too. The name decides only if no file is at its
 * path.
 */
static void a_name_that_may_be_temporary(void **state)
{
	struct file_state nowhere = {.root = -1};
	struct file_table_row library, certain;
	char name[PATH_MAX];
	bool is_literal;

	(void)state;
	make("library.so.1", &library);
	make("ffiAbC123", &certain);
	removes("library.so.1");
	removes("ffiAbC123");
	library.path = certain.path = name;
	snprintf(name, sizeof(name), "%s/library.so.1 (deleted)", folder);
	assert_int_equal(file_state_find(&nowhere, &library, &is_literal), FILE_TABLE_UNCERTAIN);
	assert_int_equal(
		look(&library, "library.so.1 (deleted)", &is_literal), FILE_TABLE_UNLINKED);
	snprintf(name, sizeof(name), "%s/ffiAbC123 (deleted)", folder);
	assert_int_equal(file_state_find(&nowhere, &certain, &is_literal), FILE_TABLE_UNLINKED);
	assert_int_equal(look(&certain, "ffiAbC123 (deleted)", &is_literal), FILE_TABLE_UNLINKED);
}

/* A mapping of this process, and the fate found for it. */
struct mapped {
	const char *name;
	void *memory;
	enum mapping_fate fate; /* MAPPING_FATES: it was not reported */
	size_t path_len;
};

static void map_file(struct mapped *f)
{
	struct file_table_row row;
	char path[PATH_MAX];
	int fd;

	make(f->name, &row);
	snprintf(path, sizeof(path), "%s/%s", folder, f->name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 1), 0);
	f->memory = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_true(f->memory != MAP_FAILED);
	f->fate = MAPPING_FATES;
	close(fd);
}

enum { MAPPED = 5 };

static int take(const struct mapping *m, void *context)
{
	struct mapped *f = context;

	for (size_t i = 0; i < MAPPED; i++)
		if (m->start == (uint64_t)(uintptr_t)f[i].memory) {
			f[i].fate = m->fate;
			f[i].path_len = kind_path_len(m);
		}
	return m->start == (uint64_t)(uintptr_t)f[MAPPED].memory ? -ECANCELED : 0;
}

static void mappings_have_the_fate_of_their_files(void **state)
{
	static const enum mapping_fate expected[MAPPED] = {MAPPING_NOT_ASKED, MAPPING_LITERAL,
		MAPPING_DELETED, MAPPING_REPLACED, MAPPING_THERE};
	struct mapped f[MAPPED + 1] = {{.name = "as it was"}, {.name = "named (deleted)"},
		{.name = "gone"}, {.name = "old"}, {.name = "relinked"}};
	AUTO_TARGET struct target t;
	struct file_table_row other;
	char path[2][PATH_MAX];

	(void)state;
	for (size_t i = 0; i < MAPPED; i++)
		map_file(&f[i]);
	for (size_t i = 2; i < MAPPED - 1; i++)
		removes(f[i].name);
	make("old", &other);
	/* Renamed back, which the kernel does not show. */
	snprintf(path[0], PATH_MAX, "%s/relinked", folder);
	snprintf(path[1], PATH_MAX, "%s/kept", folder);
	assert_int_equal(link(path[0], path[1]), 0);
	removes("relinked");
	assert_int_equal(link(path[1], path[0]), 0);
	assert_int_equal(target_open(&procfs, getpid(), &t), 0);
	assert_int_equal(file_state_mappings(&t, take, f), 0);
	for (size_t i = 0; i < MAPPED; i++) {
		if (f[i].fate != expected[i])
			fail_msg("%s: %d", f[i].name, (int)f[i].fate);
		assert_int_equal(f[i].path_len, strlen(folder) + 1 + strlen(f[i].name));
	}
	f[MAPPED] = f[2];
	assert_int_equal(file_state_mappings(&t, take, f), -ECANCELED);
	for (size_t i = 0; i < MAPPED; i++) {
		munmap(f[i].memory, 1);
		if (expected[i] != MAPPING_DELETED)
			removes(f[i].name);
	}
	removes("kept");
}

/*
 * Waits for the middle of a clock tick. A process that starts in the second half of a tick has the
 * tick's beginning as its start time. A file made then has a later time, by a clock that may lag
 * some milliseconds.
 */
static void await_middle_of_tick(void)
{
	uint64_t tick_ns = procfs.ns_per_tick, at_ns;

	do
		at_ns = clock_now_ns(CLOCK_BOOTTIME) % tick_ns;
	while (at_ns < tick_ns / 2 || at_ns > tick_ns / 2 + NS_PER_MSEC);
}

/*
 * A program that other processes made, started and removed as fast as possible does not count as
 * made by its own process.
 */
static void a_program_from_just_before_the_start(void **state)
{
	struct mapped f[MAPPED + 1] = {{.name = "program"}};
	AUTO_TARGET struct target t;
	pid_t pid;

	(void)state;
	await_middle_of_tick();
	map_file(&f[0]);
	assert_int_equal(mprotect(f[0].memory, 1, PROT_READ | PROT_EXEC), 0);
	pid = fork();
	if (pid == 0) {
		pause();
		_exit(0);
	}
	assert_true(pid > 0);
	removes("program");
	assert_int_equal(target_open(&procfs, pid, &t), 0);
	assert_int_equal(file_state_mappings(&t, take, f), 0);
	assert_int_equal(f[0].fate, MAPPING_DELETED);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	munmap(f[0].memory, 1);
}

static int open_folder(void **state)
{
	(void)state;
	return procfs_open("/proc", &procfs) < 0 || !mkdtemp(folder) ? -1 : 0;
}

static int close_folder(void **state)
{
	(void)state;
	procfs_close(&procfs);
	return rmdir(folder);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(gone_and_replaced),
		cmocka_unit_test(name_may_end_in_deleted),
		cmocka_unit_test(newlines_are_escaped),
		cmocka_unit_test(unreadable_paths_are_uncertain),
		cmocka_unit_test(a_name_that_may_be_temporary),
		cmocka_unit_test(mappings_have_the_fate_of_their_files),
		cmocka_unit_test(a_program_from_just_before_the_start),
	};

	return cmocka_run_group_tests(tests, open_folder, close_folder);
}
