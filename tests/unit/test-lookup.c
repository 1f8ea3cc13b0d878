/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of files and links, which is the root. */
#include "config.h"

#include "tests/unit/unit.h"

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

#include "inside/lookup.h"

static char path[] = "/tmp/memtally-lookup.XXXXXX";
static int root = -1;
static struct mounts mounts; /* that of the folder */

/* What PATH leads to, by its inode; 0: nowhere, and *RET_ERROR why. */
static uint64_t look(const char *at, bool it_follows, int *ret_error)
{
	AUTO_CLOSE int fd = -1;
	struct stat st;

	*ret_error = lookup_open(&mounts, root, at, it_follows, &fd);
	if (*ret_error != 0)
		return 0;
	assert_true(fcntl(fd, F_GETFL) & O_PATH);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(fstat(fd, &st), 0);
	return st.st_ino;
}

static uint64_t inode_of(const char *name)
{
	struct stat st;

	assert_int_equal(fstatat(root, name, &st, AT_SYMLINK_NOFOLLOW), 0);
	return st.st_ino;
}

static void paths_lead_below_the_root(void **state)
{
	static const struct {
		const char *at, *is;
		bool it_follows;
	} cases[] = {
		{"/a/b/file", "a/b/file", false},
		{"a//b/./file", "a/b/file", false},
		{"/a/b/", "a/b", false},
		{"/", ".", false},
		{"", ".", true},
		/* Nothing leads above it. */
		{"/../../a/b/file", "a/b/file", false},
		{"/a/b/../../a/./../file", "file", false},
		{"/up/file", "file", false},
		{"/absolute/file", "a/b/file", false},
		{"/a/beside/file", "a/b/file", false},
		{"/chain", "a/b/file", true},
		{"/chain", "chain", false},
		{"/a/dangling", "a/dangling", false},
	};
	unsigned int before = unit_descriptors();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int error;

		if (look(cases[i].at, cases[i].it_follows, &error) != inode_of(cases[i].is))
			fail_msg("%s: %d", cases[i].at, error);
	}
	assert_int_equal(unit_descriptors(), before);
}

static void what_leads_nowhere_says_why(void **state)
{
	static const struct {
		const char *at;
		int error;
	} cases[] = {
		{"/a/none", -ENOENT},
		{"/a/none/file", -ENOENT},
		{"/file/none", -ENOTDIR},
		{"/a/dangling", -ENOENT},
		{"/loop/file", -ELOOP},
	};
	char long_name[NAME_MAX + 3] = "/", *long_path = malloc(PATH_MAX + 1);
	int error;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(look(cases[i].at, true, &error), 0);
		assert_int_equal(error, cases[i].error);
	}
	memset(long_name + 1, 'x', NAME_MAX + 1);
	look(long_name, false, &error);
	assert_int_equal(error, -ENAMETOOLONG);
	memset(long_path, '/', PATH_MAX);
	long_path[PATH_MAX] = '\0';
	look(long_path, false, &error);
	assert_int_equal(error, -ENAMETOOLONG);
	free(long_path);
}

/* What itself is on such a file system is found, and not asked. */
static void nothing_is_asked_of_what_may_not_answer(void **state)
{
	struct mounts known = mounts;
	int error;

	(void)state;
	mounts = (struct mounts){.count = 0};
	assert_int_equal(look("/file", false, &error), 0);
	assert_int_equal(error, LOOKUP_MAY_WAIT);
	assert_int_equal(look("/a/none", false, &error), 0);
	assert_int_equal(error, LOOKUP_MAY_WAIT);
	assert_true(look("/", false, &error) == inode_of("."));
	mounts = known;
}

static int make_folder(void **state)
{
	static const char *const links[][2] = {{"..", "a/up"}, {"a/up", "up"}, {"/a/b", "absolute"},
		{"b", "a/beside"}, {"/link", "chain"}, {"a/../a/beside/file", "link"},
		{"nowhere", "a/dangling"}, {"loop", "loop"}};
	char text[128];
	uint64_t id;

	(void)state;
	root = mkdtemp(path) ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (root < 0 || mkdirat(root, "a", 0700) < 0 || mkdirat(root, "a/b", 0700) < 0 ||
		mknodat(root, "file", S_IFREG | 0600, 0) < 0 ||
		mknodat(root, "a/b/file", S_IFREG | 0600, 0) < 0 || mounts_find_id(root, &id) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		if (symlinkat(links[i][0], root, links[i][1]) < 0)
			return -1;
	snprintf(text, sizeof(text), "%llu 1 8:1 / /x rw - ext4 none rw\n", (unsigned long long)id);
	return mounts_add(&mounts, text, strlen(text), MOUNTS_THEIRS);
}

static int remove_one(const char *name, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	return remove(name);
}

static int remove_folder(void **state)
{
	(void)state;
	mounts_done(&mounts);
	close(root);
	return nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_lead_below_the_root),
		cmocka_unit_test(what_leads_nowhere_says_why),
		cmocka_unit_test(nothing_is_asked_of_what_may_not_answer),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
