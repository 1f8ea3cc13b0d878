/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the building of images: a reader must find in them what was added. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <sys/stat.h>

#include "snapshot/builder.h"
#include "snapshot/view.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/snapshot/sample.h"
#include "tests/unit/support/snapshot/walk.h"

#define AUTO_BUILDER CLEANUP(builder_done)

static const struct image_header head = {
	.instance = "an instance",
	.sequence = 7,
	.flags = IMAGE_COMPLETE,
	.realtime_ns = 1700000000000000000,
	.boottime_ns = 5000,
	.stale_ns = 8000,
	.interval_ns = 1000,
	.pass_begin_ns = 4000,
	.userns = 77,
};

static struct view *seal_and_open(struct builder *b, const struct image_header *h)
{
	AUTO_CLOSE int fd = -1;
	struct view *view = NULL;
	const char *reason = "cannot be sealed";
	int r = builder_seal(b, h, &fd);

	if (r == 0)
		r = view_open(fd, &view, &reason);
	if (r < 0)
		fail_msg("%s: %s", reason, strerror(-r));
	assert_null(walk_view(view));
	return view;
}

static uint64_t some_bits(uint64_t *dice, unsigned int known)
{
	assert_in_range(known, 1, 64);
	return unit_random(dice) & (UINT64_MAX >> (64 - known));
}

static uint32_t some_text(struct builder *b, uint64_t *dice)
{
	static const char *const texts[] = {"", "a", "root", "\xe6\x95\xb0\xe6\x8d\xae",
		"two\\x0alines", "a name longer than the kernel's sixteen bytes of comm"};
	const char *text = texts[unit_random(dice) % ARRAY_SIZE(texts)];

	return builder_add_text(b, text, strlen(text));
}

static void fill(uint64_t *dice, uint64_t *q, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		q[i] = unit_random(dice) >> 1;
}

static void fill_scope(struct builder *b, enum metric_scope scope, uint64_t *dice)
{
	struct snapshot_scope *row = builder_add_scope(b, scope);

	assert_non_null(row);
	row->name = some_text(b, dice);
	row->id = (uint32_t)unit_random(dice) % RUNTIME_COUNT_;
	row->above = some_text(b, dice);
	row->user = some_text(b, dice);
	row->flags = (uint32_t)unit_random(dice) & SCOPE_EXPORTED;
	row->created_ns = unit_random(dice) >> 1;
	row->present = some_bits(dice, SCOPE_QUANTITIES);
	fill(dice, row->q, SCOPE_QUANTITIES);
	row->q[SCOPE_PSS_BYTE_SECONDS] = metric_real_bits((double)(unit_random(dice) >> 20) / 3);
}

static void fill_process(struct builder *b, uint32_t pid, uint64_t *dice)
{
	struct snapshot_process *row = builder_add_process(b);

	assert_non_null(row);
	row->pid = pid;
	row->uid = (uint32_t)unit_random(dice);
	for (size_t i = 0; i < OWNER_KINDS; i++)
		row->owner[i] = some_text(b, dice);
	row->source = (uint8_t)(unit_random(dice) % SOURCE_COUNT_);
	row->outcome = (uint8_t)(unit_random(dice) % OUTCOME_COUNT_);
	row->present = some_bits(dice, PROCESS_QUANTITIES);
	fill(dice, row->q, PROCESS_QUANTITIES);
	row->q[PROCESS_ANON_SLOPE] = metric_real_bits(-(double)(unit_random(dice) >> 20) / 3);
	row->q[PROCESS_ANON_SLOPE_ERROR] = metric_real_bits((double)(unit_random(dice) >> 20) / 3);
}

static void fill_files(struct builder *b, uint32_t rows, uint64_t *dice)
{
	struct snapshot_survey *survey = builder_add_survey(b);

	assert_non_null(survey);
	survey->present = some_bits(dice, SURVEY_QUANTITIES);
	fill(dice, survey->q, SURVEY_QUANTITIES);
	for (uint32_t i = 0; i < rows; i++) {
		struct snapshot_file *row = builder_add_file(b);

		assert_non_null(row);
		row->path = some_text(b, dice);
		row->inode = unit_random(dice);
		row->present = some_bits(dice, FILE_QUANTITIES);
		fill(dice, row->q, FILE_QUANTITIES);
	}
}

/* Adds rows of every kind, pseudo-random by DICE, with a text of their own each. */
static void fill_builder(struct builder *b, uint64_t dice, uint32_t rows)
{
	struct snapshot_self *self;
	struct snapshot_balance *balance;
	struct snapshot_histogram *h;

	builder_begin(b);
	fill_scope(b, METRIC_HOST, &dice);
	for (uint32_t i = 0; i < rows; i++) {
		fill_process(b, 10 * (i + 1), &dice);
		fill_scope(b, METRIC_USER, &dice);
		if (i % 2)
			fill_scope(b, METRIC_PROGRAM, &dice);
		if (i % 3)
			fill_scope(b, METRIC_UNIT, &dice);
	}
	self = builder_add_self(b);
	assert_non_null(self);
	self->version = some_text(b, &dice);
	self->present = some_bits(&dice, SELF_QUANTITIES);
	fill(&dice, self->q, SELF_QUANTITIES);
	h = builder_add_histogram(b);
	assert_non_null(h);
	h->bucket[3] = h->count = 5;
	balance = builder_add_balance(b);
	assert_non_null(balance);
	balance->present = some_bits(&dice, BALANCE_QUANTITIES);
	fill(&dice, balance->q, BALANCE_QUANTITIES);
	for (uint32_t i = 0; i < rows; i++) {
		struct snapshot_holding *holding = builder_add_holding(b);

		assert_non_null(holding);
		holding->kind = i % HOLDING_KINDS;
		holding->name = some_text(b, &dice);
		holding->present = some_bits(&dice, TMPFS_QUANTITIES);
		fill(&dice, holding->q, HOLDING_QUANTITIES);
	}
	fill_files(b, rows, &dice);
}

static void assert_rows(
	const struct builder *b, const struct view *view, enum image_section_kind kind, size_t size)
{
	const struct buffer *rows = &b->section[kind];

	assert_int_equal(view->section[kind].count, rows->len / size);
	for (uint32_t i = 0; i < view->section[kind].count; i++)
		assert_memory_equal(
			view->section[kind].data + (size_t)i * view->section[kind].stride,
			rows->data + i * size, size);
}

/* Whatever is added is found in the image. */
static void survives_the_round_trip(void **state)
{
	static const uint32_t rows[] = {0, 1, 2, 3, 50, 1000};
	AUTO_BUILDER struct builder b = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_VIEW struct view *view = NULL;
		const struct image_header *h;
		size_t texts;

		fill_builder(&b, i, rows[i]);
		texts = b.section[SECTION_STRINGS].len;
		assert_int_equal(builder_process_count(&b), rows[i]);
		view = seal_and_open(&b, &head);
		assert_rows(&b, view, SECTION_HOST, sizeof(struct snapshot_scope));
		assert_rows(&b, view, SECTION_OWNERS + OWNER_USER, sizeof(struct snapshot_scope));
		assert_rows(
			&b, view, SECTION_OWNERS + OWNER_PROGRAM, sizeof(struct snapshot_scope));
		assert_rows(&b, view, SECTION_OWNERS + OWNER_UNIT, sizeof(struct snapshot_scope));
		assert_rows(&b, view, SECTION_PROCESSES, sizeof(struct snapshot_process));
		assert_rows(&b, view, SECTION_SELF, sizeof(struct snapshot_self));
		assert_rows(&b, view, SECTION_HISTOGRAMS, sizeof(struct snapshot_histogram));
		assert_rows(&b, view, SECTION_BALANCE, sizeof(struct snapshot_balance));
		assert_rows(&b, view, SECTION_HOLDINGS, sizeof(struct snapshot_holding));
		assert_rows(&b, view, SECTION_SURVEY, sizeof(struct snapshot_survey));
		assert_rows(&b, view, SECTION_FILES, sizeof(struct snapshot_file));
		assert_int_equal(view->section[SECTION_STRINGS].count, texts);
		assert_memory_equal(view_text(view, 0), b.section[SECTION_STRINGS].data, texts);
		for (uint32_t k = 0; k < rows[i]; k++)
			assert_memory_equal(builder_process(&b, k), view_process(view, k),
				sizeof(struct snapshot_process));
		h = view->header;
		assert_memory_equal(h->instance, head.instance, IMAGE_INSTANCE_SIZE);
		assert_int_equal(h->sequence, head.sequence);
		assert_int_equal(h->flags, head.flags);
		assert_int_equal(h->realtime_ns, head.realtime_ns);
		assert_int_equal(h->boottime_ns, head.boottime_ns);
		assert_int_equal(h->stale_ns, head.stale_ns);
		assert_int_equal(h->interval_ns, head.interval_ns);
		assert_int_equal(h->pass_begin_ns, head.pass_begin_ns);
		assert_int_equal(h->userns, head.userns);
	}
}

static void texts_are_found_by_reference(void **state)
{
	AUTO_BUILDER struct builder b = {0};
	AUTO_VIEW struct view *view = NULL;
	uint32_t refs[300];

	(void)state;
	fill_builder(&b, 1, 1);
	assert_int_equal(builder_add_text(&b, "ignored", 0), 0);
	for (size_t i = 0; i < ARRAY_SIZE(refs); i++) {
		char text[16];

		refs[i] = builder_add_text(
			&b, text, (size_t)snprintf(text, sizeof(text), "t%zu", i));
		assert_int_not_equal(refs[i], 0);
	}
	view = seal_and_open(&b, &head);
	assert_string_equal(view_text(view, 0), "");
	for (size_t i = 0; i < ARRAY_SIZE(refs); i++) {
		char text[16];

		snprintf(text, sizeof(text), "t%zu", i);
		assert_string_equal(view_text(view, refs[i]), text);
	}
}

/* One pass makes both images, in either order. */
static void leaves_out_processes(void **state)
{
	struct image_header open_head = head;
	AUTO_BUILDER struct builder b = {0};

	(void)state;
	open_head.flags |= IMAGE_PUBLIC;
	for (int order = 0; order < 2; order++) {
		AUTO_VIEW struct view *whole = NULL, *open = NULL, *again = NULL;

		fill_builder(&b, 2, 9);
		whole = order ? seal_and_open(&b, &head) : NULL;
		open = seal_and_open(&b, &open_head);
		again = seal_and_open(&b, &head);
		assert_true(view_is_public(open));
		assert_int_equal(view_count(open, METRIC_PROCESS), 0);
		assert_int_equal(view_count(open, METRIC_FILE), 0);
		assert_non_null(view_survey(open));
		assert_int_equal(view_count(again, METRIC_FILE), 9);
		assert_int_equal(view_count(open, METRIC_USER), 9);
		assert_int_equal(view_count(again, METRIC_PROCESS), 9);
		assert_true(open->size < again->size);
		if (whole) {
			assert_int_equal(whole->size, again->size);
			assert_rows(&b, whole, SECTION_PROCESSES, sizeof(struct snapshot_process));
		}
	}
}

/* Rows that are added after the public image was sealed are not in it. */
static void adds_after_sealing(void **state)
{
	struct image_header open_head = head;
	AUTO_BUILDER struct builder b = {0};
	AUTO_VIEW struct view *open = NULL, *whole = NULL;
	struct snapshot_file *row;

	(void)state;
	open_head.flags |= IMAGE_PUBLIC;
	fill_builder(&b, 2, 3);
	open = seal_and_open(&b, &open_head);
	row = builder_add_file(&b);
	assert_non_null(row);
	row->path = builder_add_text(&b, "/a/secret", 9);
	whole = seal_and_open(&b, &head);
	assert_int_equal(view_count(whole, METRIC_FILE), 4);
	assert_string_equal(view_text(whole, view_file(whole, 3)->path), "/a/secret");
	assert_null(memmem(open->data, open->size, "/a/secret", 9));
	assert_non_null(memmem(whole->data, whole->size, "/a/secret", 9));
}

static void needs_no_memory_in_the_steady_state(void **state)
{
	AUTO_BUILDER struct builder b = {0};

	(void)state;
	fill_builder(&b, 3, 200);
	for (int pass = 0; pass < 3; pass++) {
		AUTO_CLOSE int fd = -1;
		int r;

		allocation_fail_at(1);
		fill_builder(&b, 3, 200);
		r = builder_seal(&b, &head, &fd);
		assert_false(allocation_end());
		assert_int_equal(r, 0);
	}
}

/* Each allocation fails in turn: builder_seal() reports it, and builder_begin() clears it. */
static void reports_lost_rows(void **state)
{
	static const struct sample_options options = {.more = 300};
	unsigned int before = unit_descriptors();
	unsigned int failures = 0;

	(void)state;
	for (unsigned int n = 1;; n++) {
		AUTO_BUILDER struct builder b = {0};
		int fd = -7, r;

		allocation_fail_at(n);
		builder_begin(&b);
		sample_add(&b, &options);
		r = builder_seal(&b, &head, &fd);
		if (!allocation_end()) {
			assert_int_equal(r, 0);
			fd_close(fd);
			break;
		}
		if (r == 0) { /* the failure was in the sample itself */
			fd_close(fd);
		} else {
			assert_int_equal(r, -ENOMEM);
			assert_int_equal(fd, -7);
			failures++;
		}
		fill_builder(&b, 4, 2);
		view_unref(seal_and_open(&b, &head));
	}
	assert_true(failures > 10);
	assert_int_equal(unit_descriptors(), before);
}

static void refuses_too_much(void **state)
{
	AUTO_BUILDER struct builder b = {0};
	struct buffer *users = &b.section[SECTION_OWNERS + OWNER_USER];
	struct buffer saved;
	int fd = -7;

	(void)state;
	fill_builder(&b, 5, 1);
	saved = *users; /* as if rows for a gigabyte had been added */
	users->len = users->capacity = (size_t)IMAGE_SIZE_MAX;
	assert_int_equal(builder_seal(&b, &head, &fd), -EFBIG);
	*users = saved;
	assert_int_equal(fd, -7);
	view_unref(seal_and_open(&b, &head));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(survives_the_round_trip),
		cmocka_unit_test(texts_are_found_by_reference),
		cmocka_unit_test(leaves_out_processes),
		cmocka_unit_test(adds_after_sealing),
		cmocka_unit_test(needs_no_memory_in_the_steady_state),
		cmocka_unit_test(reports_lost_rows),
		cmocka_unit_test(refuses_too_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
