/* SPDX-License-Identifier: Apache-2.0 */
/* Files in a directory of this test's, as a mapping of this process would have them. */
#include "config.h"

#include "tests/unit/unit.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "inside/whereabouts.h"

static struct procfs procfs;
static char folder[] = "/tmp/memtally-whereabouts.XXXXXX";

/* A file of NAME that is new; what of it a mapping has is in RET. */
static void make(const char *name, struct shelf_row *ret)
{
	char path[PATH_MAX];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	close(fd);
	*ret = (struct shelf_row){
		.inode = st.st_ino, .major = major(st.st_dev), .minor = minor(st.st_dev)};
}

static void removes(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(unlink(path), 0);
}

/* ROW's fate where smaps has NAME for it. */
static enum shelf_fate look(struct shelf_row *row, const char *name, bool *ret_is_literal)
{
	AUTO_WHEREABOUTS struct whereabouts w = {.root = -1};
	AUTO_TARGET struct target t;
	enum shelf_fate fate;
	char path[PATH_MAX];

	assert_int_equal(target_open(&procfs, getpid(), &t), 0);
	assert_int_equal(whereabouts_open(&t, &w), 0);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	row->path = path;
	fate = whereabouts_find(&w, row, ret_is_literal);
	row->path = NULL;
	return fate;
}

static void gone_and_replaced(void **state)
{
	struct shelf_row a, b, another;
	bool is_literal = true;

	(void)state;
	make("a", &a);
	make("b", &b);
	/* As if it had been put back: a link to what is still mapped. */
	assert_int_equal(look(&a, "a (deleted)", &is_literal), SHELF_THERE);
	assert_false(is_literal);
	removes("a");
	removes("b");
	make("b", &another);
	/* The number of the first may be used again, since nothing has it mapped. */
	b.inode += 1000000;
	assert_int_equal(look(&a, "a (deleted)", &is_literal), SHELF_DELETED);
	assert_int_equal(look(&b, "b (deleted)", &is_literal), SHELF_REPLACED);
	b.inode -= 1000000;
	b.inode = another.inode;
	b.minor++;
	assert_int_equal(
		look(&b, "b (deleted)", &is_literal), another.major ? SHELF_REPLACED : SHELF_THERE);
	removes("b");
	assert_int_equal(look(&a, "none/a (deleted)", &is_literal), SHELF_DELETED);
}

static void a_name_may_end_so(void **state)
{
	struct shelf_row c, plain, both;
	bool is_literal = false;

	(void)state;
	make("c (deleted)", &c);
	assert_int_equal(look(&c, "c (deleted)", &is_literal), SHELF_THERE);
	assert_true(is_literal);
	/* With another beside it that is called so without. */
	make("c", &plain);
	is_literal = false;
	assert_int_equal(look(&c, "c (deleted)", &is_literal), SHELF_THERE);
	assert_true(is_literal);
	removes("c");
	removes("c (deleted)");
	make("d (deleted)", &both);
	removes("d (deleted)");
	assert_int_equal(look(&both, "d (deleted) (deleted)", &is_literal), SHELF_DELETED);
	assert_false(is_literal);
}

static void newlines_are_escaped(void **state)
{
	struct shelf_row row, literal;
	bool is_literal;

	(void)state;
	make("two\nlines", &row);
	assert_int_equal(look(&row, "two\\012lines (deleted)", &is_literal), SHELF_THERE);
	removes("two\nlines");
	assert_int_equal(look(&row, "two\\012lines (deleted)", &is_literal), SHELF_DELETED);
	make("two\\012lines", &literal);
	assert_int_equal(look(&literal, "two\\012lines (deleted)", &is_literal), SHELF_THERE);
	removes("two\\012lines");
}

static void what_nobody_can_see_is_uncertain(void **state)
{
	struct whereabouts nowhere = {.root = -1};
	struct shelf_row row;
	char name[PATH_MAX];
	bool is_literal;

	(void)state;
	make("e", &row);
	row.path = name;
	snprintf(name, sizeof(name), "%s/e (deleted)", folder);
	assert_int_equal(whereabouts_find(&nowhere, &row, &is_literal), SHELF_UNCERTAIN);
	removes("e");
	memset(name, 'x', 300);
	snprintf(name + 300, sizeof(name) - 300, " (deleted)"); /* longer than a name may be */
	assert_int_equal(look(&row, name, &is_literal), SHELF_UNCERTAIN);
	assert_false(is_literal);
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
		cmocka_unit_test(a_name_may_end_so),
		cmocka_unit_test(newlines_are_escaped),
		cmocka_unit_test(what_nobody_can_see_is_uncertain),
	};

	return cmocka_run_group_tests(tests, open_folder, close_folder);
}
