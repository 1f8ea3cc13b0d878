/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests with a directory that looks like a mount of the memory controller. mountinfo is a text with
 * the device number of that directory.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/buffer.h"
#include "collectors/procfs/cgroup/memcg-mount.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/tree/tree.h"

enum { NO = -1 };

struct scene {
	struct tree tree;
	struct memcg_mount fs;
	struct buffer mounts; /* mountinfo, as the kernel prints it */
	char here[PATH_MAX];  /* path of the tree */
	char device[64];      /* device number, as mountinfo prints it */
};

static void scene_open(struct scene *s)
{
	struct stat st;

	tree_open(&s->tree);
	memcg_mount_init(&s->fs);
	s->mounts = (struct buffer){0};
	assert_non_null(realpath(s->tree.path, s->here));
	assert_int_equal(fstat(s->tree.fd, &st), 0);
	snprintf(s->device, sizeof(s->device), "%u:%u", major(st.st_dev), minor(st.st_dev));
}

static void scene_close(struct scene *s)
{
	memcg_mount_done(&s->fs);
	buffer_done(&s->mounts);
	tree_done(&s->tree);
	tree_expect(NULL, 0);
}
#define AUTO_SCENE CLEANUP(scene_close)

/* Adds a line to mountinfo, for the directory PATH below the tree. */
static void add_mount(struct scene *s, const char *device, const char *root, const char *path,
	const char *type, const char *options)
{
	buffer_printf(&s->mounts, "36 35 %s %s %s/%s rw,relatime shared:1 - %s cgroup rw%s\n",
		device, root, s->here, path, type, options);
}

/* Looks for the controller, with the FAIL_AT-th allocation failing; 0: none. */
static int try_find(struct scene *s, unsigned int fail_at)
{
	AUTO_FREE char *text = malloc(s->mounts.len + 1);

	assert_non_null(text);
	if (s->mounts.len)
		memcpy(text, s->mounts.data, s->mounts.len);
	allocation_fail_at(fail_at);
	return memcg_mount_find(&s->fs, text, s->mounts.len);
}

static int find(struct scene *s)
{
	return try_find(s, 0);
}

static void write_file(
	const struct scene *s, const char *folder, const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	tree_write(&s->tree, path, text);
}

static void write_v1(const struct scene *s, const char *folder, uint64_t total)
{
	char path[128], text[128];

	snprintf(path, sizeof(path), "%s/memory.usage_in_bytes", folder);
	snprintf(text, sizeof(text), "%llu\n", (unsigned long long)total);
	tree_write(&s->tree, path, text);
	snprintf(path, sizeof(path), "%s/memory.stat", folder);
	tree_write(&s->tree, path,
		"cache 1\nrss 2\ntotal_cache 40\ntotal_rss 50\ntotal_shmem 6\ntotal_swap 7\n");
	write_file(s, folder, "memory.kmem.usage_in_bytes", "8\n");
	write_file(s, folder, "memory.max_usage_in_bytes", "9\n");
	write_file(
		s, folder, "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
	write_file(s, folder, "memory.failcnt", "4\n");
}

static void write_v2(const struct scene *s, const char *folder, uint64_t total)
{
	char path[128], text[128];

	snprintf(path, sizeof(path), "%s/memory.current", folder);
	snprintf(text, sizeof(text), "%llu\n", (unsigned long long)total);
	tree_write(&s->tree, path, text);
	snprintf(path, sizeof(path), "%s/memory.stat", folder);
	tree_write(&s->tree, path, "anon 50\nfile 40\nkernel 8\nshmem 6\n");
	write_file(s, folder, "memory.swap.current", "7\n");
	write_file(s, folder, "memory.peak", "9\n");
	write_file(s, folder, "memory.events", "low 0\nhigh 3\nmax 4\noom 1\noom_kill 2\n");
	write_file(s, folder, "memory.pressure",
		"some avg10=0.00 avg60=0.00 avg300=0.00 total=11\n"
		"full avg10=0.00 avg60=0.00 avg300=0.00 total=10\n");
}

/* Returns the charge of "/x.service". */
static int64_t total_of(struct scene *s)
{
	struct memcg_stat c;

	assert_int_equal(memcg_mount_open(&s->fs), 0);
	assert_int_equal(memcg_mount_read(&s->fs, "/x.service", &c), CHARGE_READ);
	memcg_mount_close(&s->fs);
	return ROW_HAS(&c, MEMCG_STAT_TOTAL) ? (int64_t)c.q[MEMCG_STAT_TOTAL] : NO;
}

/* Version 1 has no such counters of a cgroup. */
enum { V2_ALONE = 1 << MEMCG_STAT_HIGH_EVENTS | 1 << MEMCG_STAT_WAITED | 1 << MEMCG_STAT_STALLED };

static void assert_all(const struct memcg_stat *c, enum memcg_stat_version version, uint64_t total)
{
	static const uint64_t expected[MEMCG_STAT_FIELDS] = {[MEMCG_STAT_ANON] = 50,
		[MEMCG_STAT_FILE] = 40,
		[MEMCG_STAT_SHMEM] = 6,
		[MEMCG_STAT_KERNEL] = 8,
		[MEMCG_STAT_SWAP] = 7,
		[MEMCG_STAT_PEAK] = 9,
		[MEMCG_STAT_OOM_KILLS] = 2,
		[MEMCG_STAT_HIGH_EVENTS] = 3,
		[MEMCG_STAT_MAX_EVENTS] = 4,
		[MEMCG_STAT_WAITED] = 11000,
		[MEMCG_STAT_STALLED] = 10000};
	uint64_t absent = version == MEMCG_STAT_V1 ? V2_ALONE : 0;

	assert_int_equal(c->present, ((1 << MEMCG_STAT_FIELDS) - 1) & ~absent);
	assert_int_equal(c->q[MEMCG_STAT_TOTAL], total);
	for (unsigned int i = MEMCG_STAT_ANON; i < MEMCG_STAT_FIELDS; i++)
		if (ROW_HAS(c, i))
			assert_int_equal(c->q[i], expected[i]);
}

static void reads_either_version(void **state)
{
	AUTO_SCENE struct scene s;
	struct memcg_stat c;
	unsigned int before;

	(void)state;
	scene_open(&s);
	before = unit_descriptors();
	write_v1(&s, "memory/a.slice/x.service", 100);
	write_v2(&s, "unified/a.slice/x.service", 200);
	tree_write(&s.tree, "unified/cgroup.controllers", "cpu io memory pids\n");
	for (unsigned int version = MEMCG_STAT_V1; version <= MEMCG_STAT_V2; version++) {
		buffer_clear(&s.mounts);
		add_mount(&s, s.device, "/", version == MEMCG_STAT_V1 ? "memory" : "unified",
			version == MEMCG_STAT_V1 ? "cgroup" : "cgroup2",
			version == MEMCG_STAT_V1 ? ",memory" : ",nsdelegate");
		assert_int_equal(find(&s), 0);
		assert_true(memcg_mount_is_found(&s.fs));
		assert_int_equal(s.fs.version, version);
		/* no descriptor stays open that would prevent unmounting */
		assert_int_equal(unit_descriptors(), before);
		assert_int_equal(memcg_mount_open(&s.fs), 0);
		assert_int_equal(memcg_mount_read(&s.fs, "/a.slice/x.service", &c), CHARGE_READ);
		assert_all(&c, (enum memcg_stat_version)version, version * 100);
		assert_int_equal(memcg_mount_read(&s.fs, "/a.slice/y.service", &c), CHARGE_NONE);
		assert_int_equal(c.present, 0);
		/* A cgroup without the controller is charged to its parent. */
		tree_write(&s.tree,
			version == MEMCG_STAT_V1 ? "memory/z/tasks" : "unified/z/cgroup.procs", "");
		assert_int_equal(memcg_mount_read(&s.fs, "/z", &c), CHARGE_NONE);
		memcg_mount_close(&s.fs);
	}
	assert_int_equal(unit_descriptors(), before);
}

/* Finds the controller among mounts of all kinds. The cases follow each other. */
static void finds_where_the_controller_is(void **state)
{
	AUTO_SCENE struct scene s;

	(void)state;
	scene_open(&s);
	write_v1(&s, "v1/x.service", 1);
	write_v2(&s, "v2/x.service", 2);
	write_v2(&s, "without/x.service", 3);
	write_v1(&s, "part/x.service", 4);
	tree_write(
		&s.tree, "v2/cgroup.controllers", "cpuset cpu io memory hugetlb pids rdma misc\n");
	tree_write(&s.tree, "without/cgroup.controllers", "cpu memory_x xmemory hugetlb\n");

	buffer_clear(&s.mounts);
	assert_int_equal(find(&s), 0);
	assert_false(memcg_mount_is_found(&s.fs));
	assert_int_equal(memcg_mount_open(&s.fs), -ENODEV);

	/*
	 * other controllers and file systems; without the controller's file; missing; another
	 * device
	 */
	add_mount(&s, s.device, "/", "v1", "cgroup", ",cpu,cpuacct");
	add_mount(&s, s.device, "/", "v1", "tmpfs", ",memory");
	add_mount(&s, s.device, "/", "v2", "tmpfs", ",memory");
	add_mount(&s, s.device, "/", "without", "cgroup2", ",memory");
	add_mount(&s, s.device, "/", "part", "cgroup2", "");
	add_mount(&s, s.device, "/", "nowhere", "cgroup", ",memory");
	add_mount(&s, "0:77777", "/", "v1", "cgroup", ",memory");
	/* outside of our cgroup namespace */
	add_mount(&s, s.device, "/..", "v1", "cgroup", ",memory");
	add_mount(&s, s.device, "/../docker", "v2", "cgroup2", "");
	buffer_add_text(&s.mounts, "a line of another form\n");
	assert_int_equal(find(&s), 0);
	assert_false(memcg_mount_is_found(&s.fs));

	add_mount(&s, s.device, "/", "v2", "cgroup2", "");
	assert_int_equal(find(&s), 0);
	assert_int_equal(total_of(&s), 2);
	/* hybrid with the controller in version 1, and in version 2 */
	buffer_clear(&s.mounts);
	add_mount(&s, s.device, "/", "without", "cgroup2", "");
	add_mount(&s, s.device, "/", "v1", "cgroup", ",hugetlb,memory");
	assert_int_equal(find(&s), 0);
	assert_int_equal(total_of(&s), 1);
	/* a mount of the whole hierarchy is preferred to one of a part */
	add_mount(&s, s.device, "/x.service", "part", "cgroup", ",memory");
	assert_int_equal(find(&s), 0);
	assert_int_equal(total_of(&s), 1);
	/*
	 * the last mount at one place counts; a mount that cannot be opened does not hide another
	 */
	add_mount(&s, s.device, "/", "part", "cgroup", ",memory");
	add_mount(&s, "0:77777", "/", "part", "cgroup", ",memory");
	assert_int_equal(find(&s), 0);
	assert_int_equal(total_of(&s), 4);
	/* cut in the middle of a line: the lines before count */
	buffer_add_text(&s.mounts, "36 35 0:1 / /x rw - cgr");
	assert_int_equal(find(&s), 0);
	assert_int_equal(total_of(&s), 4);
	/* after unmounting it is not found */
	buffer_clear(&s.mounts);
	assert_int_equal(find(&s), 0);
	assert_false(memcg_mount_is_found(&s.fs));
	assert_int_equal(memcg_mount_open(&s.fs), -ENODEV);
}

/* A mount may show a part of the hierarchy, as Docker mounts version 1 in a container. */
static void a_mount_may_show_a_part(void **state)
{
	AUTO_SCENE struct scene s;
	struct memcg_stat c;

	(void)state;
	scene_open(&s);
	write_v1(&s, "memory", 5);
	write_v1(&s, "memory/below", 6);
	write_v1(&s, "memory/d", 7);
	add_mount(&s, s.device, "/docker/abc", "memory", "cgroup", ",memory");
	assert_int_equal(find(&s), 0);
	assert_int_equal(memcg_mount_open(&s.fs), 0);
	assert_int_equal(memcg_mount_read(&s.fs, "/docker/abc", &c), CHARGE_READ);
	assert_all(&c, MEMCG_STAT_V1, 5);
	assert_int_equal(memcg_mount_read(&s.fs, "/docker/abc/below", &c), CHARGE_READ);
	assert_all(&c, MEMCG_STAT_V1, 6);
	assert_int_equal(memcg_mount_read(&s.fs, "/docker/abcd", &c), CHARGE_NONE);
	assert_int_equal(memcg_mount_read(&s.fs, "/docker", &c), CHARGE_NONE);
	assert_int_equal(memcg_mount_read(&s.fs, "/below", &c), CHARGE_NONE);
}

/* Another file system may be mounted at the path by the time it is opened. */
static void another_file_system_is_not_opened(void **state)
{
	AUTO_SCENE struct scene s;

	(void)state;
	scene_open(&s);
	write_v1(&s, "memory/x.service", 1);
	add_mount(&s, s.device, "/", "memory", "cgroup", ",memory");
	assert_int_equal(find(&s), 0);
	assert_int_equal(memcg_mount_open(&s.fs), 0);
	s.fs.minor++;
	assert_int_equal(memcg_mount_open(&s.fs), -ENODEV);
	assert_int_equal(s.fs.fd, -1);
	s.fs.minor--;
	tree_remove(&s.tree, "memory");
	assert_int_equal(memcg_mount_open(&s.fs), -ENOENT);
}

enum {
	EVENTS = 1 << MEMCG_STAT_OOM_KILLS | 1 << MEMCG_STAT_HIGH_EVENTS |
	         1 << MEMCG_STAT_MAX_EVENTS,
	PRESSURE = 1 << MEMCG_STAT_WAITED | 1 << MEMCG_STAT_STALLED,
};

/* Each kind of invalid file has its outcome, and the valid fields count. */
static void reports_invalid_files(void **state)
{
	static const struct {
		const char *file, *text;
		int error; /* of open(); 0: none */
		enum charge_outcome outcome;
		unsigned int lost; /* missing fields, as bits */
	} cases[] = {
		{"memory.current", "1x\n", 0, CHARGE_MALFORMED, 1 << MEMCG_STAT_TOTAL},
		{"memory.current", "", 0, CHARGE_MALFORMED, 1 << MEMCG_STAT_TOTAL},
		{"memory.current", NULL, EACCES, CHARGE_DENIED, 1 << MEMCG_STAT_TOTAL},
		{"memory.current", NULL, EMFILE, CHARGE_ERROR, 1 << MEMCG_STAT_TOTAL},
		{"memory.current", NULL, ENODEV, CHARGE_NONE, (1 << MEMCG_STAT_FIELDS) - 1},
		{"memory.stat", "anon 1\nanon 2\n", 0, CHARGE_MALFORMED,
			1 << MEMCG_STAT_ANON | 1 << MEMCG_STAT_FILE | 1 << MEMCG_STAT_SHMEM |
				1 << MEMCG_STAT_KERNEL},
		{"memory.stat", NULL, EPERM, CHARGE_DENIED,
			1 << MEMCG_STAT_ANON | 1 << MEMCG_STAT_FILE | 1 << MEMCG_STAT_SHMEM |
				1 << MEMCG_STAT_KERNEL},
		{"memory.stat", "anon 50\nfile 40\nshmem 6\n", 0, CHARGE_READ,
			1 << MEMCG_STAT_KERNEL},
		{"memory.swap.current", NULL, ENOENT, CHARGE_READ, 1 << MEMCG_STAT_SWAP},
		{"memory.swap.current", NULL, EACCES, CHARGE_DENIED, 1 << MEMCG_STAT_SWAP},
		{"memory.swap.current", "max\n", 0, CHARGE_MALFORMED, 1 << MEMCG_STAT_SWAP},
		/* older kernels lack these files, and any of them may be switched off */
		{"memory.peak", NULL, ENOENT, CHARGE_READ, 1 << MEMCG_STAT_PEAK},
		{"memory.peak", "-1\n", 0, CHARGE_MALFORMED, 1 << MEMCG_STAT_PEAK},
		{"memory.events", NULL, ENOENT, CHARGE_READ, EVENTS},
		{"memory.events", "max 4\n", 0, CHARGE_READ,
			1 << MEMCG_STAT_OOM_KILLS | 1 << MEMCG_STAT_HIGH_EVENTS},
		{"memory.events", "oom_kill x\n", 0, CHARGE_MALFORMED, EVENTS},
		{"memory.events", NULL, EACCES, CHARGE_DENIED, EVENTS},
		{"memory.pressure", NULL, ENOENT, CHARGE_READ, PRESSURE},
		{"memory.pressure", NULL, EOPNOTSUPP, CHARGE_READ, PRESSURE},
		{"memory.pressure", "some avg10=x\n", 0, CHARGE_MALFORMED, PRESSURE},
		{"x.service", NULL, EACCES, CHARGE_DENIED, (1 << MEMCG_STAT_FIELDS) - 1},
		{"x.service", NULL, ENOENT, CHARGE_NONE, (1 << MEMCG_STAT_FIELDS) - 1},
		{"x.service", NULL, ENOMEM, CHARGE_ERROR, (1 << MEMCG_STAT_FIELDS) - 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_SCENE struct scene s;
		struct tree_event event = {.suffix = cases[i].file, .error = cases[i].error};
		char path[128];
		enum charge_outcome outcome;
		struct memcg_stat c;

		scene_open(&s);
		write_v2(&s, "x.service", 9);
		tree_write(&s.tree, "cgroup.controllers", "memory\n");
		snprintf(path, sizeof(path), "x.service/%s", cases[i].file);
		if (cases[i].text)
			tree_write(&s.tree, path, cases[i].text);
		add_mount(&s, s.device, "/", "", "cgroup2", "");
		assert_int_equal(find(&s), 0);
		assert_int_equal(memcg_mount_open(&s.fs), 0);
		if (cases[i].error)
			tree_expect(&event, 1);
		outcome = memcg_mount_read(&s.fs, "/x.service", &c);
		if (outcome != cases[i].outcome ||
			c.present != (((1U << MEMCG_STAT_FIELDS) - 1) & ~cases[i].lost))
			fail_msg("case %zu: outcome %d, fields %llx", i, (int)outcome,
				(unsigned long long)c.present);
	}
}

/* A text longer than any kernel prints is not read to its end. */
static void a_text_without_end_is_refused(void **state)
{
	AUTO_SCENE struct scene s;
	AUTO_FREE char *long_text = malloc(1 << 15);
	struct memcg_stat c;

	(void)state;
	assert_non_null(long_text);
	memset(long_text, '1', (1 << 15) - 1);
	long_text[(1 << 15) - 1] = 0;
	scene_open(&s);
	write_v2(&s, "x.service", 9);
	tree_write(&s.tree, "cgroup.controllers", "memory\n");
	tree_write(&s.tree, "x.service/memory.current", long_text);
	add_mount(&s, s.device, "/", "", "cgroup2", "");
	assert_int_equal(find(&s), 0);
	assert_int_equal(memcg_mount_open(&s.fs), 0);
	assert_int_equal(memcg_mount_read(&s.fs, "/x.service", &c), CHARGE_MALFORMED);
	write_v2(&s, "x.service", 9);
	tree_write(&s.tree, "x.service/memory.stat", long_text);
	assert_int_equal(memcg_mount_read(&s.fs, "/x.service", &c), CHARGE_ERROR);
	assert_int_equal(c.q[MEMCG_STAT_TOTAL], 9);
}

/* If memory runs out, the state stays as it was, found or not. */
static void lack_of_memory_is_reported(void **state)
{
	AUTO_SCENE struct scene s;

	(void)state;
	scene_open(&s);
	write_v1(&s, "v1/x.service", 1);
	write_v1(&s, "other/x.service", 2);
	add_mount(&s, s.device, "/", "v1", "cgroup", ",memory");
	for (unsigned int n = 1;; n++) {
		int r = try_find(&s, n);

		if (!allocation_end()) {
			assert_int_equal(r, 0);
			assert_int_equal(n, 3);
			break;
		}
		assert_int_equal(r, -ENOMEM);
		assert_false(memcg_mount_is_found(&s.fs));
	}
	add_mount(&s, s.device, "/", "other", "cgroup", ",memory");
	assert_int_equal(try_find(&s, 1), -ENOMEM);
	assert_true(allocation_end());
	assert_int_equal(total_of(&s), 1);
	assert_int_equal(find(&s), 0);
	assert_int_equal(total_of(&s), 2);
}

/* On the running kernel, with whatever is mounted. */
static void works_on_this_kernel(void **state)
{
	struct memcg_mount fs;
	AUTO_CLOSE int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct memcg_stat c;

	(void)state;
	memcg_mount_init(&fs);
	assert_true(proc >= 0);
	assert_int_equal(memcg_mount_look(&fs, proc), 0);
	if (memcg_mount_is_found(&fs)) {
		assert_int_equal(memcg_mount_open(&fs), 0);
		assert_int_equal(memcg_mount_read(&fs, "/no such cgroup", &c), CHARGE_NONE);
	}
	memcg_mount_done(&fs);
	/* without mountinfo the controller stays unknown */
	memcg_mount_init(&fs);
	assert_int_equal(memcg_mount_look(&fs, AT_FDCWD), -ENOENT);
	assert_false(memcg_mount_is_found(&fs));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_either_version),
		cmocka_unit_test(finds_where_the_controller_is),
		cmocka_unit_test(a_mount_may_show_a_part),
		cmocka_unit_test(another_file_system_is_not_opened),
		cmocka_unit_test(reports_invalid_files),
		cmocka_unit_test(a_text_without_end_is_refused),
		cmocka_unit_test(lack_of_memory_is_reported),
		cmocka_unit_test(works_on_this_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
