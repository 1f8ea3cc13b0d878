/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/hostmem/tmpfs.h: files on tmpfs and their owners. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "base/cleanup.h"
#include "collectors/hostmem/tmpfs.h"
#include "tests/unit/support/faults/allocation.h"

#define AUTO_TMPFS CLEANUP(tmpfs_done)

enum {
	TMPFS_MAGIC = 0x01021994,
	MIB = 1 << 20,
};

static int parse(struct tmpfs *t, const char *text)
{
	AUTO_FREE char *copy = strdup(text);

	assert_non_null(copy);
	return tmpfs_parse(t, copy, strlen(copy));
}

static void expect(const struct tmpfs *t, size_t i, uint32_t minor, const char *path, bool is_whole)
{
	assert_true(i < t->count);
	assert_int_equal(t->mount[i].minor, minor);
	assert_int_equal(t->mount[i].is_whole, is_whole);
	if (path)
		assert_string_equal(t->mount[i].path, path);
	else
		assert_null(t->mount[i].path);
}

/*
 * Mounts of one file system are adjacent: those that show all of it first, and short names before
 * long ones.
 */
static void orders_mounts(void **state)
{
	AUTO_TMPFS struct tmpfs t = {0};

	(void)state;
	assert_int_equal(parse(&t, "1 0 254:0 / / rw - ext4 /dev/vda rw\n"
				   "2 1 0:30 / /run/user/1000 rw - tmpfs tmpfs rw,size=4k\n"
				   "3 1 0:25 /sub /srv/x rw - tmpfs tmpfs rw\n"
				   "4 1 0:25 / /srv/a\\040b rw - tmpfs tmpfs rw\n"
				   "5 1 0:25 / /run rw - tmpfs tmpfs rw\n"
				   "nonsense\n"
				   "6 1 0:6 / /dev rw - devtmpfs devtmpfs rw\n"
				   "7 1 0:21 / /proc rw - proc proc rw\n"),
		0);
	assert_true(t.is_known);
	assert_int_equal(t.count, 5);
	expect(&t, 0, 6, "/dev", true);
	expect(&t, 1, 25, "/run", true);
	expect(&t, 2, 25, "/srv/a b", true);
	expect(&t, 3, 25, "/srv/x", false);
	expect(&t, 4, 30, "/run/user/1000", true);
}

/* A path that another file system would have to answer for is not looked up. */
static void skips_paths_below_other_mounts(void **state)
{
	AUTO_TMPFS struct tmpfs t = {0};

	(void)state;
	assert_int_equal(parse(&t, "1 0 0:3 / / rw - nfs4 host:/root rw\n"
				   "2 1 0:40 / /net rw - autofs systemd-1 rw\n"
				   "3 2 0:41 / /net/a/tmp rw - tmpfs tmpfs rw\n"
				   "4 1 0:42 / /network rw - tmpfs tmpfs rw\n"
				   "5 1 0:43 / /srv/u rw - fuse.sshfs u@host: rw\n"
				   "6 5 0:42 /sub /srv/u/x rw - tmpfs tmpfs rw\n"
				   "7 1 0:44 / /net rw - tmpfs tmpfs rw\n"),
		0);
	assert_int_equal(t.count, 4);
	expect(&t, 0, 41, NULL, true);
	expect(&t, 1, 42, "/network", true);
	expect(&t, 2, 42, NULL, false);
	expect(&t, 3, 44, "/net",
		true); /* covers a foreign mount, or is covered; opening it tells */
}

static void refuses_a_cut_text(void **state)
{
	AUTO_TMPFS struct tmpfs t = {0};

	(void)state;
	assert_int_equal(parse(&t, "1 0 0:25 / /run rw - tmpfs tmpfs rw\n2 1 0:26 / /t"), -EBADMSG);
	assert_false(t.is_known);
	assert_int_equal(t.count, 0);
	assert_int_equal(parse(&t, ""), 0);
	assert_true(t.is_known);
	assert_int_equal(t.count, 0);
}

static void returns_errors_without_memory(void **state)
{
	static const char text[] = "2 1 0:40 / /net rw - autofs systemd-1 rw\n"
				   "5 1 0:25 / /run rw - tmpfs tmpfs rw\n"
				   "6 1 0:26 / /tmp rw - tmpfs tmpfs rw\n";
	unsigned int n = 0;

	(void)state;
	for (bool failed = true; failed;) {
		AUTO_TMPFS struct tmpfs t = {0};
		AUTO_FREE char *copy = strdup(text);
		int r;

		assert_non_null(copy);
		allocation_fail_at(++n);
		r = tmpfs_parse(&t, copy, sizeof(text) - 1);
		failed = allocation_end();
		assert_int_equal(r, failed ? -ENOMEM : 0);
		assert_int_equal(t.is_known, !failed);
		assert_int_equal(t.count, failed ? 0 : 2);
	}
	assert_true(n > 3);
}

/* Skips file systems that are really mounted. */
struct fixture {
	int proc;
	char dir[32], file[64], name[64], inner[64], link[64];
	struct buffer scratch;
};

static const struct tmpfs_mount *find(const struct tmpfs *t, const char *path)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->mount[i].path && !strcmp(t->mount[i].path, path))
			return &t->mount[i];
	return NULL;
}

static uint64_t owned_by(const struct tmpfs *t, uint32_t uid)
{
	for (size_t i = 0; i < t->owners.count; i++)
		if (t->owners.item[i].uid == uid)
			return t->owners.item[i].q[SHMEM_TMPFS];
	return 0;
}

static unsigned int run(struct tmpfs *t, struct fixture *f, uint64_t now_ns)
{
	unsigned int steps = 0;

	tmpfs_begin(t, f->proc, now_ns, &f->scratch);
	assert_int_equal(t->depth, 0);
	while (tmpfs_step(t))
		steps++;
	assert_int_equal(t->depth, 0);
	return steps;
}

static void write_file(const char *path, size_t bytes)
{
	AUTO_CLOSE int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(posix_fallocate(fd, 0, (off_t)bytes), 0);
}

/* Makes a directory on /dev/shm, if that is a tmpfs. */
static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct statfs fs;

	if (!f)
		return -1;
	*state = f;
	f->proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (statfs("/dev/shm", &fs) == 0 && fs.f_type == TMPFS_MAGIC) {
		snprintf(f->dir, sizeof(f->dir), "/dev/shm/memtally.XXXXXX");
		if (!mkdtemp(f->dir))
			f->dir[0] = 0;
	}
	snprintf(f->file, sizeof(f->file), "%s/file", f->dir);
	snprintf(f->name, sizeof(f->name), "%s/another name of it", f->dir);
	snprintf(f->inner, sizeof(f->inner), "%s/directory", f->dir);
	snprintf(f->link, sizeof(f->link), "%s/link", f->dir);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	if (f->dir[0]) {
		char path[128];

		snprintf(path, sizeof(path), "%s/file", f->inner);
		unlink(path);
		rmdir(f->inner);
		unlink(f->file);
		unlink(f->name);
		unlink(f->link);
		rmdir(f->dir);
	}
	close(f->proc);
	buffer_done(&f->scratch);
	free(f);
	return 0;
}

/*
 * Files are found within a minute, each once, whatever its number of names. The amount is read in
 * each pass.
 */
static void finds_files_and_owners(void **state)
{
	struct fixture *f = *state;
	AUTO_TMPFS struct tmpfs t = {0};
	const struct tmpfs_mount *shm;
	uint64_t used, owned;
	unsigned int before = unit_descriptors();
	char path[128];

	if (!f->dir[0])
		skip();
	run(&t, f, 1);
	shm = find(&t, "/dev/shm");
	if (!t.is_known || !shm || !shm->is_read) {
		skip(); /* covered, or not root's */
		return;
	}
	used = shm->used_bytes;
	owned = owned_by(&t, geteuid());
	write_file(f->file, 3 * MIB);
	assert_int_equal(link(f->file, f->name), 0);
	assert_int_equal(mkdir(f->inner, 0700), 0);
	snprintf(path, sizeof(path), "%s/file", f->inner);
	write_file(path, 2 * MIB);
	assert_int_equal(symlink("/", f->link), 0);
	run(&t, f, 2);
	shm = find(&t, "/dev/shm");
	/* Other processes may use it, but hardly this much. */
	assert_in_range(shm ? shm->used_bytes - used : 0, 4 * MIB, 6 * MIB);
	assert_in_range(owned_by(&t, geteuid()) - owned, 0, MIB);
	run(&t, f, 2 + TMPFS_LOOK_NS);
	assert_in_range(owned_by(&t, geteuid()) - owned, 4 * MIB, 6 * MIB);
	shm = find(&t, "/dev/shm");
	assert_true(shm && shm->owned_bytes >= 5 * MIB && shm->owned_bytes <= shm->used_bytes);
	assert_int_equal(unit_descriptors(), before);
}

/*
 * Deleted files go with the next pass that is TMPFS_AGAIN_NS after the last round. They are most of
 * what is on the file system, unless others use it much.
 */
static void deleted_files_go_soon(void **state)
{
	const uint64_t again_ns = 1 + TMPFS_AGAIN_NS;
	struct fixture *f = *state;
	AUTO_TMPFS struct tmpfs t = {0};
	const struct tmpfs_mount *shm;
	uint64_t owned;

	if (!f->dir[0])
		skip();
	write_file(f->file, 32 * MIB);
	run(&t, f, 1);
	shm = find(&t, "/dev/shm");
	if (!t.is_known || !shm || !shm->is_read || shm->used_bytes > 300 * MIB) {
		skip(); /* covered, not root's, or much used */
		return;
	}
	owned = owned_by(&t, geteuid());
	assert_true(owned >= 32 * MIB);
	run(&t, f, 2 + TMPFS_AGAIN_NS / 2); /* nothing is deleted */
	assert_int_equal(unlink(f->file), 0);
	run(&t, f, again_ns - 1);
	assert_int_equal(owned_by(&t, geteuid()), owned);
	run(&t, f, again_ns);
	assert_true(owned_by(&t, geteuid()) <= owned - 16 * MIB); /* others may add files */
	assert_int_equal(t.looked_ns, 1);
	shm = find(&t, "/dev/shm");
	assert_true(shm && shm->owned_bytes <= shm->used_bytes + MIB);
}

static void shares_are_even(void **state)
{
	static const size_t needs[] = {0, 3, 40, 2000, 5000, 1000000, 1000000};
	size_t left = TMPFS_ENTRIES, given[ARRAY_SIZE(needs)];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(needs); i++) {
		size_t share = tmpfs_share(left, ARRAY_SIZE(needs) - i);

		given[i] = needs[i] < share ? needs[i] : share;
		left -= given[i];
	}
	assert_int_equal(left, 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(given[i], needs[i]);
	for (size_t i = 4; i < ARRAY_SIZE(needs); i++)
		assert_in_range(
			given[i], (TMPFS_ENTRIES - 2043) / 3, (TMPFS_ENTRIES - 2043) / 3 + 1);
	/* In any order no one gets less than an even share. */
	left = TMPFS_ENTRIES;
	for (size_t count = TMPFS_MAX; count; count--) {
		assert_true(tmpfs_share(left, count) >= TMPFS_ENTRIES / TMPFS_MAX);
		left -= tmpfs_share(left, count);
	}
	assert_int_equal(left, 0);
}

static void make_names(const char *dir, unsigned int count, bool makes)
{
	char path[96];

	if (makes)
		assert_int_equal(mkdir(dir, 0700), 0);
	for (unsigned int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%u", dir, i);
		if (makes)
			assert_int_equal(mknod(path, S_IFREG | 0600, 0), 0);
		else
			unlink(path);
	}
	if (!makes)
		rmdir(dir);
}

/*
 * Two full file systems do not keep later ones from being examined. Three directories stand in for
 * file systems, of which only the device is compared.
 */
static void full_file_systems_leave_others_their_share(void **state)
{
	static const unsigned int names[] = {TMPFS_ENTRIES, TMPFS_ENTRIES, 5};
	enum { COUNT = ARRAY_SIZE(names) };
	struct fixture *f = *state;
	AUTO_TMPFS struct tmpfs t = {.phase = TMPFS_CHOOSE};
	const struct tmpfs_mount *small;
	char dir[COUNT][64], path[128];
	struct stat st;

	if (!f->dir[0])
		skip();
	assert_int_equal(stat(f->dir, &st), 0);
	t.mount = calloc(COUNT, sizeof(*t.mount));
	assert_non_null(t.mount);
	for (size_t i = 0; i < COUNT; i++) {
		snprintf(dir[i], sizeof(dir[i]), "%s/%zu", f->dir, i);
		make_names(dir[i], names[i], true);
		t.mount[i] = (struct tmpfs_mount){.path = strdup(dir[i]),
			.names = names[i],
			.major = major(st.st_dev),
			.minor = minor(st.st_dev)};
	}
	snprintf(path, sizeof(path), "%s/file", dir[2]);
	write_file(path, MIB);
	t.count = t.at = t.kept = COUNT; /* they have been chosen */
	while (tmpfs_step(&t))
		;
	unlink(path);
	for (size_t i = 0; i < COUNT; i++)
		make_names(dir[i], names[i], false);
	small = find(&t, dir[2]);
	assert_true(small && small->owned_bytes == MIB);
	/* Others use their unused share. Files that are not examined are counted. */
	assert_int_equal(t.entries, TMPFS_ENTRIES);
	assert_int_equal(shmem_owners_sum(&t.owners, SHMEM_TMPFS_FILES), TMPFS_ENTRIES);
	assert_int_equal(shmem_owners_sum(&t.owners, SHMEM_TMPFS), MIB);
	assert_int_equal(t.directories_unread, 2);
}

/* An abandoned pass leaves nothing open, and the next one starts anew. */
static void can_be_abandoned_at_any_step(void **state)
{
	struct fixture *f = *state;
	unsigned int before = unit_descriptors(), steps;

	{
		AUTO_TMPFS struct tmpfs t = {0};

		steps = run(&t, f, 1);
	}
	for (unsigned int n = 0; n < steps; n++) {
		AUTO_TMPFS struct tmpfs t = {0};

		tmpfs_begin(&t, f->proc, 1, &f->scratch);
		for (unsigned int i = 0; i < n; i++)
			tmpfs_step(&t);
		if (n % 2)
			run(&t, f, 2);
	}
	assert_int_equal(unit_descriptors(), before);
}

static void finds_nothing_without_mountinfo(void **state)
{
	AUTO_CLOSE int none = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_BUFFER struct buffer scratch = {0};
	AUTO_TMPFS struct tmpfs t = {0};

	(void)state;
	tmpfs_begin(&t, none, 1, &scratch);
	while (tmpfs_step(&t))
		;
	assert_false(t.is_known);
	assert_int_equal(t.count, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_mounts),
		cmocka_unit_test(skips_paths_below_other_mounts),
		cmocka_unit_test(refuses_a_cut_text),
		cmocka_unit_test(returns_errors_without_memory),
		cmocka_unit_test_setup_teardown(finds_files_and_owners, set_up, tear_down),
		cmocka_unit_test_setup_teardown(deleted_files_go_soon, set_up, tear_down),
		cmocka_unit_test(shares_are_even),
		cmocka_unit_test_setup_teardown(
			full_file_systems_leave_others_their_share, set_up, tear_down),
		cmocka_unit_test_setup_teardown(can_be_abandoned_at_any_step, set_up, tear_down),
		cmocka_unit_test(finds_nothing_without_mountinfo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
