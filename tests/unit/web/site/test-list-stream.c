/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/site/list-stream.h: lists that are rendered in pieces. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <jansson.h>

#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/snapshot/sample.h"
#include "web/site/list-stream.h"

enum {
	MORE = 500,
	EACH = 50, /* allocations that fail, one by one; */
	SOME = 97, /* later, one of so many: those of rows are alike */
};

static struct view *open_view(void)
{
	const struct sample_options options = {.more = MORE};

	return sample_open(&options);
}

/* Renders the whole list at once. */
static void render_whole(struct view *view, const struct query *query, struct buffer *to)
{
	AUTO_FREE uint32_t *rows = NULL;
	struct json_list list = {.view = view, .scope = query->scope};

	assert_int_equal(query_run(query, view, &rows, &list.count), 0);
	list.rows = rows;
	buffer_add_text(to, "HEAD");
	while (json_list_render(&list, SIZE_MAX, to))
		;
	buffer_add_char(to, '\n');
}

static ssize_t read_whole(struct list_stream *s, size_t room, struct buffer *to)
{
	ssize_t n;

	do {
		char *at = buffer_reserve(to, room);

		assert_non_null(at);
		n = list_stream_read(s, at, room);
		to->len += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	return n;
}

static void pieces_add_up_to_the_whole(void **state)
{
	static const size_t rooms[] = {1, 7, 4096, 1 << 20};
	AUTO_VIEW struct view *view = open_view();
	AUTO_BUFFER struct buffer whole = {0};
	struct query query;

	(void)state;
	query_init(&query, METRIC_PROCESS);
	render_whole(view, &query, &whole);
	assert_true(whole.len > 64 * 1024); /* more than one piece */
	for (size_t i = 0; i < ARRAY_SIZE(rooms); i++) {
		AUTO_BUFFER struct buffer got = {0};
		unsigned int turns = 1;
		struct list_stream *s = list_stream_new(view, &query, &turns);

		assert_non_null(s);
		buffer_add_text(list_stream_head(s), "HEAD");
		if (i % 2)
			assert_int_equal(list_stream_begin(s), 0);
		assert_int_equal(read_whole(s, rooms[i], &got), LIST_STREAM_END);
		assert_int_equal(got.len, whole.len);
		assert_memory_equal(got.data, whole.data, whole.len);
		assert_int_equal(list_stream_read(s, whole.data, 1), LIST_STREAM_END);
		list_stream_free(s);
	}
	assert_int_equal(view->refs, 1);
}

static void waits_for_its_turn(void **state)
{
	AUTO_VIEW struct view *view = open_view();
	unsigned int turns = 1;
	struct list_stream *s[2];
	struct query query;
	char byte[8];

	(void)state;
	query_init(&query, METRIC_PROCESS);
	for (int i = 0; i < 2; i++) {
		s[i] = list_stream_new(view, &query, &turns);
		assert_non_null(s[i]);
		buffer_add_text(list_stream_head(s[i]), "HEAD");
		assert_int_equal(list_stream_read(s[i], byte, sizeof(byte)), 4); /* needs no rows */
	}
	assert_int_equal(list_stream_read(s[0], byte, sizeof(byte)), sizeof(byte));
	assert_int_equal(turns, 0);
	assert_int_equal(list_stream_read(s[1], byte, sizeof(byte)), LIST_STREAM_NOT_NOW);
	assert_int_equal(list_stream_read(s[0], byte, sizeof(byte)), sizeof(byte)); /* continues */
	turns = 1;
	assert_int_equal(list_stream_read(s[1], byte, sizeof(byte)), sizeof(byte));
	list_stream_free(s[0]);
	list_stream_free(s[1]);
	assert_null(list_stream_free(NULL));
}

/*
 * Renders a list with allocation N failing. Returns whether it was reached. *RET_BEGUN: the answer
 * is not a 503.
 */
static bool fails_at(unsigned int n, bool is_early, const struct buffer *whole, bool *ret_begun)
{
	AUTO_VIEW struct view *view = open_view();
	AUTO_BUFFER struct buffer got = {0};
	unsigned int turns = is_early ? 1 : 0;
	struct query query;
	struct list_stream *s;
	bool failed;

	query_init(&query, METRIC_PROCESS);
	buffer_reserve(&got, 4 << 20);
	allocation_fail_at(n);
	s = list_stream_new(view, &query, &turns);
	if (s)
		buffer_add_text(list_stream_head(s), "HEAD");
	*ret_begun = s && list_stream_begin(s) == 0;
	if (*ret_begun) {
		ssize_t end = LIST_STREAM_NOT_NOW;

		for (int i = 0; i < 5 && end == LIST_STREAM_NOT_NOW; i++) {
			turns = 1;
			end = read_whole(s, 64 * 1024, &got);
		}
		assert_int_equal(end, LIST_STREAM_END);
		assert_int_equal(got.len, whole->len);
		assert_memory_equal(got.data, whole->data, whole->len);
	}
	failed = allocation_end();
	list_stream_free(s);
	assert_int_equal(view->refs, 1);
	return failed;
}

/*
 * Without memory a stream either does not begin or has the complete list, whether rows are chosen
 * at once or later.
 */
static void is_complete_or_does_not_begin(void **state)
{
	AUTO_VIEW struct view *view = open_view();
	AUTO_BUFFER struct buffer whole = {0};
	struct query query;

	(void)state;
	query_init(&query, METRIC_PROCESS);
	render_whole(view, &query, &whole);
	for (int is_early = 0; is_early < 2; is_early++) {
		unsigned int refused = 0, late = 0, n = 1;
		bool has_begun;

		for (; fails_at(n, is_early, &whole, &has_begun); n += n < EACH ? 1 : SOME) {
			refused += !has_begun;
			late += has_begun;
		}
		assert_true(has_begun);
		assert_true(refused >= 3 && late >= 1);
	}
}

/* So that allocations for names are counted too. */
static void *json_memory(size_t size)
{
	return malloc(size);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_add_up_to_the_whole),
		cmocka_unit_test(waits_for_its_turn),
		cmocka_unit_test(is_complete_or_does_not_begin),
	};

	json_set_alloc_funcs(json_memory, free);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
