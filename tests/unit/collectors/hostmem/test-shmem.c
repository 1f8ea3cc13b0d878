/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/hostmem/shmem.h: shared memory that exists without mappings. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "collectors/hostmem/shmem.h"
#include "tests/unit/support/tree/tree.h"

#define AUTO_SHMEM CLEANUP(shmem_done)
#define HEAD       "swap rss uid size nattch\n"

static void run(struct shmem *s, const struct procfs *p, uint64_t now_ns)
{
	shmem_begin(s);
	while (shmem_step(s, p, now_ns))
		;
}

/* Opens in P a tree with SEGMENTS in sysvipc/shm. */
static void open_tree(struct tree *tree, struct procfs *p, const char *segments)
{
	tree_open(tree);
	p->fd = tree->fd;
	tree_write(tree, "sysvipc/shm", segments);
}

/* With a tree in place of /proc the file systems mounted here are not asked. */
static void reads_segments_of_a_tree(void **state)
{
	AUTO_SHMEM struct shmem s = {0};
	AUTO_TREE struct tree tree = {0};
	struct procfs p = {0};

	(void)state;
	open_tree(&tree, &p, HEAD "5 4096 1000 8192 0\n6 8192 1000 8192 1\n");
	tree_write(&tree, "self/mountinfo", "1 0 0:25 / /dev/shm rw - tmpfs tmpfs rw\n");
	run(&s, &p, 1);
	assert_true(s.has_sysv);
	assert_false(shmem_has_tmpfs(&s));
	assert_int_equal(s.owners.count, 1);
	assert_int_equal(shmem_owners_sum(&s.owners, SHMEM_SYSV), 12288);
	assert_int_equal(shmem_owners_sum(&s.owners, SHMEM_SYSV_UNATTACHED), 4096);
	run(&s, &p, 2); /* read again, not added */
	assert_int_equal(shmem_owners_sum(&s.owners, SHMEM_SYSV), 12288);
	/* All segments or none. */
	tree_write(&tree, "sysvipc/shm", HEAD "5 4096 1000 8192 0\n6 8192 x 8192 1\n");
	run(&s, &p, 3);
	assert_false(s.has_sysv);
	assert_int_equal(s.owners.count, 0);
	tree_remove(&tree, "sysvipc/shm");
	run(&s, &p, 4);
	assert_false(s.has_sysv);
}

/* In an IPC namespace of its own memtallyd knows no segment of the host: none is not zero. */
static void knows_no_segments_of_another_namespace(void **state)
{
	AUTO_SHMEM struct shmem s = {0};
	AUTO_TREE struct tree tree = {0};
	struct procfs p = {0};

	(void)state;
	open_tree(&tree, &p, HEAD "5 4096 1000 8192 0\n");
	tree_write(&tree, "self/ns/ipc", "");
	run(&s, &p, 1);
	assert_true(s.has_sysv); /* process 1 hides its namespace */
	tree_write(&tree, "1/ns/ipc", "");
	run(&s, &p, 2);
	assert_false(s.has_sysv);
	assert_int_equal(s.owners.count, 0);
	tree_remove(&tree, "1/ns/ipc");
	assert_int_equal(linkat(tree.fd, "self/ns/ipc", tree.fd, "1/ns/ipc", 0), 0);
	run(&s, &p, 3);
	assert_true(s.has_sysv);
}

static void reads_this_kernels_segments(void **state)
{
	AUTO_CLOSE int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct procfs p = {.fd = proc, .live = true};
	unsigned int before = unit_descriptors();
	AUTO_SHMEM struct shmem s = {0};

	(void)state;
	for (uint64_t now_ns = 1; now_ns < 3 * TMPFS_LOOK_NS; now_ns += TMPFS_LOOK_NS / 2) {
		run(&s, &p, now_ns);
		assert_true(shmem_has_tmpfs(&s));
		assert_true(shmem_owners_sum(&s.owners, SHMEM_TMPFS) ==
			    shmem_owners_sum(&s.tmpfs.owners, SHMEM_TMPFS));
	}
	assert_int_equal(unit_descriptors(), before);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_segments_of_a_tree),
		cmocka_unit_test(knows_no_segments_of_another_namespace),
		cmocka_unit_test(reads_this_kernels_segments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
