/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the rows of shared memory and tmpfs in images. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "collectors/pass/image-shmem.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/snapshot/small.h"

/* Builds the image of S, with the other parts that a reader needs. */
static struct view *make(struct shmem *s, const struct owner_table *users, struct builder *b)
{
	assert_int_equal(image_shmem_add(s, users, b), 0);
	assert_non_null(builder_add_scope(b, METRIC_HOST));
	assert_non_null(builder_add_self(b));
	return small_view(b, NULL);
}

static void add_mount(struct tmpfs *t, const char *path, uint64_t used, uint64_t size)
{
	t->mount = reallocarray(t->mount, t->count + 1, sizeof(*t->mount));
	assert_non_null(t->mount);
	t->mount[t->count++] = (struct tmpfs_mount){.path = strdup(path),
		.is_read = used > 0,
		.used_bytes = used,
		.size_bytes = size,
		.owned_bytes = used / 2};
	t->is_known = true;
}

static void expect(const struct view *view, uint32_t i, enum holding_kind kind, const char *name,
	uint64_t first)
{
	const struct snapshot_holding *row = view_holding(view, i);

	assert_true(i < view_holding_count(view));
	assert_int_equal(row->kind, kind);
	assert_string_equal(view_text(view, row->name), name);
	assert_int_equal(row->q[0], first);
}

static void largest_come_first(void **state)
{
	CLEANUP(builder_done) struct builder b = {0};
	CLEANUP(shmem_done) struct shmem s = {.has_sysv = true};
	CLEANUP(owner_table_done) struct owner_table users = {0};
	AUTO_VIEW struct view *view = NULL;
	const uint32_t alice = 1000;
	struct scope *user = owner_table_get(&users, &alice, sizeof(alice));

	(void)state;
	builder_begin(&b);
	assert_non_null(user);
	user->name_ref = builder_add_text(&b, "alice", 5);
	shmem_owners_add_segment(&s.owners, &(struct sysvipc_segment){.uid = 5, .rss_bytes = 10});
	shmem_owners_add_segment(
		&s.owners, &(struct sysvipc_segment){.uid = alice, .rss_bytes = 20, .attached = 1});
	add_mount(&s.tmpfs, "/small", 4096, 0);
	s.tmpfs.mount[0].owned_bytes = 5000; /* files were deleted since they were found */
	add_mount(&s.tmpfs, "/lar\x01ge", 8192, 16384);
	add_mount(&s.tmpfs, "/unlimited", 0, 0);
	s.tmpfs.is_known = false;
	view = make(&s, &users, &b);
	assert_int_equal(view_holding_count(view), 5);
	expect(view, 0, HOLDING_SHMEM, "alice", 20);
	assert_int_equal(view_holding(view, 0)->id, alice);
	assert_true(ROW_HAS(view_holding(view, 0), SHMEM_SYSV_UNATTACHED));
	assert_int_equal(view_holding(view, 0)->q[SHMEM_SYSV_UNATTACHED], 0);
	assert_false(ROW_HAS(view_holding(view, 0), SHMEM_TMPFS)); /* the mounts are not known */
	/* the uid has no process, and so no name */
	expect(view, 1, HOLDING_SHMEM, "5", 10);
	expect(view, 2, HOLDING_TMPFS, "/lar\\x01ge", 8192);
	assert_int_equal(view_holding(view, 2)->q[TMPFS_SIZE], 16384);
	expect(view, 3, HOLDING_TMPFS, "/small", 4096);
	assert_int_equal(view_holding(view, 3)->q[TMPFS_OWNED], 4096);
	assert_false(ROW_HAS(view_holding(view, 3), TMPFS_SIZE));
	expect(view, 4, HOLDING_TMPFS, "/unlimited", 0);
	assert_false(ROW_HAS(view_holding(view, 4), TMPFS_USED));
	assert_true(ROW_HAS(view_holding(view, 4), TMPFS_OWNED));
}

/* Holders without a row of their own are summed up in one row. */
static void others_are_summed_up(void **state)
{
	CLEANUP(builder_done) struct builder b = {0};
	CLEANUP(shmem_done) struct shmem s = {.has_sysv = true};
	const struct owner_table users = {0};
	AUTO_VIEW struct view *view = NULL;
	uint64_t sums[HOLDING_KINDS] = {0};

	(void)state;
	builder_begin(&b);
	for (uint32_t i = 1; i <= 3 * IMAGE_SHMEM_SHOWN; i++) {
		char path[16];

		snprintf(path, sizeof(path), "/%u", i);
		shmem_owners_add_segment(
			&s.owners, &(struct sysvipc_segment){.uid = i, .rss_bytes = i});
		add_mount(&s.tmpfs, path, i, i);
	}
	view = make(&s, &users, &b);
	assert_int_equal(view_holding_count(view), 2 * IMAGE_SHMEM_SHOWN + 2);
	for (uint32_t i = 0; i < view_holding_count(view); i++)
		sums[view_holding(view, i)->kind] += view_holding(view, i)->q[0];
	for (unsigned int kind = 0; kind < HOLDING_KINDS; kind++)
		assert_int_equal(
			sums[kind], 3 * IMAGE_SHMEM_SHOWN * (3 * IMAGE_SHMEM_SHOWN + 1) / 2);
	expect(view, 0, HOLDING_SHMEM, "300", 300);
	expect(view, IMAGE_SHMEM_SHOWN, HOLDING_SHMEM, "(other)", 200 * 201 / 2);
	assert_int_equal(view_holding(view, IMAGE_SHMEM_SHOWN)->id, OWNER_NO_ID);
	expect(view, 2 * IMAGE_SHMEM_SHOWN + 1, HOLDING_TMPFS, "(other)", 200 * 201 / 2);
}

/* A user with many uids does not displace one with more memory. */
static void the_largest_is_not_displaced(void **state)
{
	enum { UIDS = 20000, LARGEST = 7 };
	CLEANUP(builder_done) struct builder b = {0};
	CLEANUP(shmem_done) struct shmem s = {.has_sysv = true};
	const struct owner_table users = {0};
	AUTO_VIEW struct view *view = NULL;

	(void)state;
	builder_begin(&b);
	for (uint32_t i = 0; i < UIDS; i++)
		shmem_owners_add_file(&s.owners, 100000 + i, 4096);
	shmem_owners_add_segment(
		&s.owners, &(struct sysvipc_segment){.uid = LARGEST, .rss_bytes = 8192});
	s.tmpfs.is_known = true;
	view = make(&s, &users, &b);
	assert_int_equal(view_holding_count(view), IMAGE_SHMEM_SHOWN + 1);
	expect(view, 0, HOLDING_SHMEM, "7", 8192);
	expect(view, IMAGE_SHMEM_SHOWN, HOLDING_SHMEM, "(other)", 0);
	assert_int_equal(view_holding(view, IMAGE_SHMEM_SHOWN)->q[SHMEM_TMPFS],
		4096 * (UIDS - IMAGE_SHMEM_SHOWN + 1));
}

static void lack_of_memory_is_reported(void **state)
{
	const struct owner_table users = {0};
	unsigned int n = 0;

	(void)state;
	for (bool failed = true; failed;) {
		CLEANUP(builder_done) struct builder b = {0};
		CLEANUP(shmem_done) struct shmem s = {.has_sysv = true};
		int r;

		builder_begin(&b);
		shmem_owners_add_file(&s.owners, 1, 1);
		add_mount(&s.tmpfs, "/x", 1, 1);
		allocation_fail_at(++n);
		r = image_shmem_add(&s, &users, &b);
		failed = allocation_end();
		/* lack of memory for a name is reported later, when the builder seals */
		assert_true(r == 0 || (failed && r == -ENOMEM));
	}
	assert_true(n > 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(largest_come_first),
		cmocka_unit_test(others_are_summed_up),
		cmocka_unit_test(the_largest_is_not_displaced),
		cmocka_unit_test(lack_of_memory_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
