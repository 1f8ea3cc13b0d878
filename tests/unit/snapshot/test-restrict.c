/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of snapshot/restrict.h: images for users who see their own processes alone. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "snapshot/owner.h"
#include "snapshot/restrict.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/snapshot/sample.h"
#include "tests/unit/support/snapshot/small.h"
#include "tests/unit/support/snapshot/walk.h"

static struct view *restricted(const struct view *view, const struct sight *sight)
{
	struct view *got = NULL;
	AUTO_CLOSE int fd = -1;
	const char *reason = "";

	assert_int_equal(restrict_seal(view, sight, &fd), 0);
	if (view_open(fd, &got, &reason) < 0)
		fail_msg("%s", reason);
	assert_null(walk_view(got));
	return got;
}

static void assert_same_scopes(const struct view *a, const struct view *b)
{
	for (int scope = METRIC_HOST; scope < METRIC_OWNERS_END; scope++) {
		uint32_t count = view_count(a, (enum metric_scope)scope);

		assert_int_equal(count, view_count(b, (enum metric_scope)scope));
		for (uint32_t i = 0; i < count; i++) {
			const struct snapshot_scope *x = view_scope(a, (enum metric_scope)scope, i),
						    *y = view_scope(b, (enum metric_scope)scope, i);

			assert_string_equal(view_text(a, x->name), view_text(b, y->name));
			assert_string_equal(view_text(a, x->above), view_text(b, y->above));
			assert_string_equal(view_text(a, x->user), view_text(b, y->user));
			assert_int_equal(x->id, y->id);
			assert_int_equal(x->flags, y->flags);
			assert_int_equal(x->created_ns, y->created_ns);
			assert_int_equal(x->present, y->present);
			assert_memory_equal(x->q, y->q, sizeof(x->q));
		}
	}
}

static void assert_same_rest(const struct view *a, const struct view *b)
{
	const struct image_header *x = a->header, *y = b->header;

	assert_memory_equal(x->instance, y->instance, sizeof(x->instance));
	assert_int_equal(x->sequence, y->sequence);
	assert_memory_equal(&x->realtime_ns, &y->realtime_ns,
		sizeof(*x) - offsetof(struct image_header, realtime_ns));
	assert_string_equal(
		view_text(a, view_self(a)->version), view_text(b, view_self(b)->version));
	assert_memory_equal(view_self(a)->q, view_self(b)->q, sizeof(view_self(a)->q));
	assert_memory_equal(view_balance(a), view_balance(b), sizeof(struct snapshot_balance));
	assert_memory_equal(view_survey(a), view_survey(b), sizeof(struct snapshot_survey));
	assert_int_equal(view_holding_count(a), view_holding_count(b));
	for (uint32_t i = 0; i < view_holding_count(a); i++)
		assert_string_equal(view_text(a, view_holding(a, i)->name),
			view_text(b, view_holding(b, i)->name));
	assert_memory_equal(view_find_histogram(a, HISTOGRAM_PASS_DURATION),
		view_find_histogram(b, HISTOGRAM_PASS_DURATION), sizeof(struct snapshot_histogram));
}

/* Returns whether the image of VIEW has the bytes of TEXT. */
static bool has_text(const struct view *view, const char *text)
{
	return memmem(view->data, view->size, text, strlen(text)) != NULL;
}

static void has_own_processes_and_all_sums(void **state)
{
	const struct sight sight = {.kind = SIGHT_OWN, .uid = 1000};
	AUTO_VIEW struct view *all = sample_open(NULL), *own = restricted(all, &sight);
	uint32_t rows = 0;

	(void)state;
	assert_true(view_is_own(own));
	assert_false(view_is_public(own));
	assert_same_scopes(all, own);
	assert_same_rest(all, own);
	for (uint32_t i = 0; i < view_count(all, METRIC_PROCESS); i++) {
		const struct snapshot_process *row = view_process(all, i),
					      *got = view_find_process(own, row->pid);

		assert_int_equal(got != NULL, row->uid == 1000);
		if (!got)
			continue;
		rows++;
		assert_int_equal(got->present, row->present);
		assert_memory_equal(got->q, row->q, sizeof(row->q));
		for (unsigned int kind = 0; kind < OWNER_KINDS; kind++)
			assert_string_equal(view_owner(own, got, (enum owner_kind)kind),
				view_owner(all, row, (enum owner_kind)kind));
	}
	assert_true(rows > 1 && rows < view_count(all, METRIC_PROCESS));
	assert_int_equal(view_count(own, METRIC_PROCESS), rows);
	assert_int_equal(view_count(own, METRIC_FILE), 0);
	assert_false(view_count_dropped(own, METRIC_PROCESS, &rows));
}

/* Names that only rows left out have are not in the image, also not between others. */
static void texts_of_other_rows_are_gone(void **state)
{
	const struct sight bob = {.kind = SIGHT_OWN, .uid = 1001};
	AUTO_VIEW struct view *all = NULL, *own = NULL, *none = NULL;
	AUTO_SMALL struct small s = {0};

	(void)state;
	small_begin(&s);
	for (uint32_t i = 0; i < 2; i++) {
		struct snapshot_process *row = builder_add_process(&s.builder);

		row->pid = 10 + i;
		row->uid = 1000 + i;
		row->owner[OWNER_PROGRAM] = builder_add_text(
			&s.builder, i ? "of-bob" : "of-alice", i ? 6 : 8);
	}
	builder_add_file(&s.builder)->path = builder_add_text(&s.builder, "/of/file", 8);
	all = small_view(&s.builder, NULL);
	own = restricted(all, &bob);
	assert_true(has_text(all, "of-alice") && has_text(all, "/of/file"));
	assert_true(has_text(own, "of-bob"));
	assert_false(has_text(own, "of-alice") || has_text(own, "/of/file"));
	none = restricted(all, &(struct sight){.kind = SIGHT_NONE});
	assert_true(view_is_public(none));
	assert_false(view_is_own(none));
	assert_false(has_text(none, "of-bob") || has_text(none, "of-alice"));
	assert_int_equal(view_count(none, METRIC_PROCESS), 0);
}

/* An image without processes stays one: it does not say that the user has none. */
static void public_images_stay_public(void **state)
{
	const struct sight sight = {.kind = SIGHT_OWN, .uid = 1000};
	AUTO_VIEW struct view *all = sample_open(&(struct sample_options){.is_public = true}),
			      *own = restricted(all, &sight);

	(void)state;
	assert_true(view_is_public(own));
	assert_false(view_is_own(own));
	assert_same_scopes(all, own);
}

static void reports_lack_of_memory(void **state)
{
	const struct sight sight = {.kind = SIGHT_OWN, .uid = 1000};
	AUTO_VIEW struct view *all = sample_open(NULL);

	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_CLOSE int fd = -1;

		allocation_fail_at(n);
		allocation_check(restrict_seal(all, &sight, &fd));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_own_processes_and_all_sums),
		cmocka_unit_test(texts_of_other_rows_are_gone),
		cmocka_unit_test(public_images_stay_public),
		cmocka_unit_test(reports_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
