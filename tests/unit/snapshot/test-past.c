/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of snapshot/past.h: the question to memtally-recorder, and its answer. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "snapshot/past.h"
#include "tests/unit/support/faults/allocation.h"

static const struct past_request questions[] = {
	{.pick = PAST_AT, .at_ns = PAST_TIME_MAX_NS},
	{.pick = PAST_BEFORE, .at_ns = 1, .has_uid = true},
	{.pick = PAST_AFTER, .has_uid = true, .uid = UINT32_MAX},
	{.pick = PAST_OOM, .at_ns = 5, .has_uid = true, .uid = 1000},
	{.pick = PAST_COVERAGE},
	{.pick = PAST_GROWTH},
	{.pick = PAST_MARKS, .at_ns = 5, .until_ns = 5},
	{.pick = PAST_MARKS, .until_ns = 5, .marks = PAST_MARK_OOM | PAST_MARK_GAP},
	{.pick = PAST_SERIES, .at_ns = 1000, .until_ns = 2000, .step_ns = 10},
	{.pick = PAST_SERIES,
		.until_ns = PAST_TIME_MAX_NS,
		.scope = METRIC_USER,
		.quantity = SCOPE_QUANTITIES - 1,
		.name = "b\xc3\xb6"
			"b"},
	{.pick = PAST_SERIES,
		.until_ns = 2,
		.scope = METRIC_PROCESS,
		.quantity = PROCESS_QUANTITIES - 1,
		.pid = 4711,
		.start_ns = 1234},
};

static void question_survives_the_transfer(void **state)
{
	unsigned char text[PAST_REQUEST_SIZE];
	struct past_request got;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
		const struct past_request *r = &questions[i];

		past_request_write(r, text);
		memset(&got, 0xff, sizeof(got));
		assert_int_equal(past_request_parse(text, sizeof(text), &got), 0);
		assert_int_equal(got.pick, r->pick);
		assert_int_equal(got.at_ns, r->at_ns);
		assert_int_equal(got.until_ns, r->until_ns);
		assert_int_equal(got.step_ns, r->step_ns);
		assert_int_equal(got.has_uid, r->has_uid);
		assert_int_equal(got.uid, r->uid);
		assert_int_equal(got.scope, r->scope);
		assert_int_equal(got.quantity, r->quantity);
		assert_int_equal(got.pid, r->pid);
		assert_int_equal(got.marks, r->marks);
		assert_int_equal(got.start_ns, r->start_ns);
		assert_string_equal(got.name, r->name);
	}
}

/* Fields that a pick does not use are not sent. */
static void question_has_no_other_fields(void **state)
{
	const struct past_request full = {.pick = PAST_COVERAGE,
		.at_ns = 1,
		.until_ns = 2,
		.step_ns = 3,
		.uid = 4,
		.marks = PAST_MARK_GAP,
		.scope = METRIC_USER,
		.quantity = 5,
		.pid = 6,
		.start_ns = 7,
		.name = "x"};
	struct past_request got, changed = full;
	unsigned char text[PAST_REQUEST_SIZE];

	(void)state;
	for (unsigned int pick = PAST_AT; pick < PAST_PICKS_END; pick++) {
		changed.pick = (enum past_pick)pick;
		past_request_write(&changed, text);
		assert_int_equal(past_request_parse(text, sizeof(text), &got), 0);
		assert_int_equal(got.at_ns, pick == PAST_COVERAGE || pick == PAST_GROWTH ? 0 : 1);
		assert_int_equal(got.until_ns, pick == PAST_MARKS || pick == PAST_SERIES ? 2 : 0);
		assert_int_equal(got.step_ns, pick == PAST_SERIES ? 3 : 0);
		assert_int_equal(got.uid, 0);
		assert_int_equal(got.pid, 0);
		assert_int_equal(got.marks, pick == PAST_MARKS ? PAST_MARK_GAP : 0);
		assert_string_equal(got.name, pick == PAST_SERIES ? "x" : "");
	}
}

static void assert_refused(const struct past_request *r)
{
	unsigned char text[PAST_REQUEST_SIZE];
	struct past_request got;

	past_request_write(r, text);
	assert_int_equal(past_request_parse(text, sizeof(text), &got), -EBADMSG);
}

static void refuses_questions_without_sense(void **state)
{
	static const struct past_request cases[] = {
		{.pick = (enum past_pick)0},
		{.pick = PAST_PICKS_END},
		{.pick = PAST_AT, .at_ns = PAST_TIME_MAX_NS + 1},
		{.pick = PAST_MARKS, .at_ns = 3, .until_ns = 2},
		{.pick = PAST_MARKS, .marks = PAST_MARK_GAP << 1},
		{.pick = PAST_SERIES, .at_ns = 3, .until_ns = 2},
		{.pick = PAST_SERIES, .until_ns = PAST_TIME_MAX_NS + 1},
		{.pick = PAST_SERIES, .scope = METRIC_SELF},
		{.pick = PAST_SERIES, .scope = METRIC_FILE},
		{.pick = PAST_SERIES, .scope = METRIC_SCOPES},
		{.pick = PAST_SERIES, .quantity = SCOPE_QUANTITIES},
		{.pick = PAST_SERIES, .scope = METRIC_PROCESS, .quantity = PROCESS_QUANTITIES},
		{.pick = PAST_SERIES, .scope = METRIC_PROCESS, .start_ns = PAST_TIME_MAX_NS + 1},
		{.pick = PAST_SERIES, .scope = METRIC_USER, .name = "a\033b"},
		{.pick = PAST_SERIES, .scope = METRIC_USER, .name = "\xff"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_refused(&cases[i]);
}

/*
 * Each flipped bit makes the question an invalid one, or another one that is sent with the same
 * bytes.
 */
static void damaged_question_is_harmless(void **state)
{
	unsigned char text[PAST_REQUEST_SIZE + 1] = {0}, again[PAST_REQUEST_SIZE];
	struct past_request got;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
		past_request_write(&questions[i], text);
		for (size_t len = 0; len <= sizeof(text); len++)
			assert_int_equal(past_request_parse(text, len, &got),
				len == PAST_REQUEST_SIZE ? 0 : -EBADMSG);
		for (size_t bit = 0; bit < PAST_REQUEST_SIZE * 8; bit++) {
			text[bit / 8] ^= (unsigned char)(1 << bit % 8);
			if (past_request_parse(text, PAST_REQUEST_SIZE, &got) == 0) {
				past_request_write(&got, again);
				assert_memory_equal(again, text, sizeof(again));
			}
			text[bit / 8] ^= (unsigned char)(1 << bit % 8);
		}
	}
}

static const struct past_head sample_head = {.flags = PAST_FAILING | PAST_CUT | PAST_HAS_GROWTH,
	.points = 2,
	.first_ns = 10,
	.last_ns = 20,
	.before_ns = 11,
	.after_ns = 13,
	.oom_ns = 14,
	.lost = 7,
	.growth = {{.none = 65535}, {.leak = 1}, {.watch = 2}, {.none = 3, .watch = 4, .leak = 5}}};
static const struct past_point sample_points[] = {
	{.at_ns = 12, .present = 3, .marks = PAST_MARK_OOM, .value = 5, .low = 4, .high = 6},
	{.at_ns = 13, .marks = PAST_MARK_GAP},
};

static void answer_survives_the_transfer(void **state)
{
	AUTO_BUFFER struct buffer b = {0};
	const struct past_point *points = NULL;
	struct past_head head;

	(void)state;
	past_answer_write(&sample_head, sample_points, &b);
	assert_int_equal(b.len, PAST_HEAD_SIZE + 2 * PAST_POINT_SIZE);
	assert_int_equal(past_answer_parse(b.data, b.len, &head, &points), 0);
	assert_memory_equal(&head, &sample_head, sizeof(head));
	assert_memory_equal(points, sample_points, sizeof(sample_points));
	past_answer_write(&(struct past_head){.status = PAST_NONE}, NULL, &b);
	assert_int_equal(past_answer_parse(b.data, b.len, &head, &points), 0);
	assert_int_equal(head.status, PAST_NONE);
}

static void refuses_impossible_heads(void **state)
{
	static const struct past_head cases[] = {
		{.status = PAST_STATUS_END},
		{.flags = PAST_FLAGS + 1},
		{.marks = 16},
		{.first_ns = 2, .last_ns = 1},
		{.last_ns = 1},
		{.first_ns = 1, .last_ns = PAST_TIME_MAX_NS + 1},
		{.at_ns = PAST_TIME_MAX_NS + 1},
		{.before_ns = PAST_TIME_MAX_NS + 1},
		{.after_ns = PAST_TIME_MAX_NS + 1},
		{.oom_ns = PAST_TIME_MAX_NS + 1},
		{.growth = {{.none = 1}}},
		{.growth = {{0}, {0}, {0}, {.leak = 1}}},
	};
	AUTO_BUFFER struct buffer b = {0};
	const struct past_point *points;
	struct past_head head;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		past_answer_write(&cases[i], NULL, &b);
		assert_int_equal(past_answer_parse(b.data, b.len, &head, &points), -EBADMSG);
	}
}

static void refuses_impossible_points(void **state)
{
	static const struct past_point cases[][2] = {
		{{.at_ns = 0}, {.at_ns = 1}},
		{{.at_ns = 5}, {.at_ns = 5}},
		{{.at_ns = 5}, {.at_ns = PAST_TIME_MAX_NS + 1}},
		{{.at_ns = 5}, {.at_ns = 6, .present = 4}},
		{{.at_ns = 5}, {.at_ns = 6, .marks = 16}},
		{{.at_ns = 5}, {.at_ns = 6, .value = 1}},
		{{.at_ns = 5}, {.at_ns = 6, .present = 1, .low = 1, .high = 1}},
		{{.at_ns = 5}, {.at_ns = 6, .present = 1, .high = 1}},
		{{.at_ns = 5}, {.at_ns = 6, .present = 3, .low = 2, .high = 1}},
	};
	AUTO_BUFFER struct buffer b = {0};
	const struct past_point *points;
	struct past_head head;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		past_answer_write(&(struct past_head){.points = 2}, cases[i], &b);
		assert_int_equal(past_answer_parse(b.data, b.len, &head, &points), -EBADMSG);
	}
}

static void damaged_answer_is_harmless(void **state)
{
	AUTO_BUFFER struct buffer b = {0}, again = {0};
	const struct past_point *points;
	struct past_head head;

	(void)state;
	past_answer_write(&sample_head, sample_points, &b);
	for (size_t len = 0; len < b.len; len++)
		assert_int_equal(past_answer_parse(b.data, len, &head, &points), -EBADMSG);
	for (size_t bit = 0; bit < b.len * 8; bit++) {
		int r;

		b.data[bit / 8] ^= (char)(1 << bit % 8);
		r = past_answer_parse(b.data, b.len, &head, &points);
		if (bit / 8 < 8)
			assert_int_equal(r, bit / 8 == 7 ? -EPROTO : -EBADMSG);
		if (r == 0) {
			past_answer_write(&head, points, &again);
			assert_memory_equal(again.data, b.data, b.len);
		}
		b.data[bit / 8] ^= (char)(1 << bit % 8);
	}
}

static void refuses_too_many_points(void **state)
{
	static struct past_point many[PAST_POINTS_MAX + 1];
	AUTO_BUFFER struct buffer b = {0};
	const struct past_point *points;
	struct past_head head;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		many[i].at_ns = i + 1;
	for (uint32_t count = PAST_POINTS_MAX; count <= PAST_POINTS_MAX + 1; count++) {
		past_answer_write(&(struct past_head){.points = count}, many, &b);
		assert_int_equal(past_answer_parse(b.data, b.len, &head, &points),
			count == PAST_POINTS_MAX ? 0 : -EBADMSG);
	}
}

static void reports_lack_of_memory(void **state)
{
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		buffer_done(&b);
		allocation_fail_at(n);
		past_answer_write(&sample_head, sample_points, &b);
		allocation_check(b.error);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(question_survives_the_transfer),
		cmocka_unit_test(question_has_no_other_fields),
		cmocka_unit_test(refuses_questions_without_sense),
		cmocka_unit_test(damaged_question_is_harmless),
		cmocka_unit_test(answer_survives_the_transfer),
		cmocka_unit_test(refuses_impossible_heads),
		cmocka_unit_test(refuses_impossible_points),
		cmocka_unit_test(damaged_answer_is_harmless),
		cmocka_unit_test(refuses_too_many_points),
		cmocka_unit_test(reports_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
