/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that images come back byte for byte, whatever changes from one to the next. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <zstd.h>

#include "recorder/codec/codec.h"
#include "recorder/codec/delta.h"
#include "recorder/codec/stream.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/recorder/recorded.h"
#include "tests/unit/support/snapshot/sample.h"

enum { IMAGES = 60 };

/* An encoder and a decoder of the same chain. */
struct pair {
	struct encoder *e;
	struct decoder *d;
};

static struct pair pair_new(size_t limit)
{
	struct pair p = {NULL, NULL};

	assert_int_equal(encoder_new(limit, &p.e), 0);
	assert_int_equal(decoder_new(limit, &p.d), 0);
	return p;
}

static void pair_done(struct pair *p)
{
	encoder_free(p->e);
	decoder_free(p->d);
}
#define AUTO_PAIR CLEANUP(pair_done)

static void expect_image(struct decoder *d, const struct view *view)
{
	const void *data;
	size_t size;

	assert_int_equal(decoder_image(d, &data, &size), 0);
	assert_int_equal(size, view->size);
	assert_memory_equal(data, view->data, size);
}

/* Passes VIEW through P. Returns the size of its payload. */
static size_t pass(struct pair *p, const struct view *view, enum codec_form form)
{
	AUTO_BUFFER struct buffer b = {0};
	enum codec_form made;

	assert_int_equal(encoder_add(p->e, view, false, &b, &made), 0);
	assert_int_equal(made, form);
	assert_int_equal(decoder_add(p->d, made, b.data, b.len), 0);
	expect_image(p->d, view);
	return b.len;
}

/* Births, exits, growth, ages, surveys that come and go. */
static void test_chain(void **state)
{
	AUTO_PAIR struct pair p = pair_new(RECORDED_LIMIT);
	size_t key = 0, deltas = 0;

	(void)state;
	for (uint64_t i = 0; i < IMAGES; i++) {
		AUTO_VIEW struct view *view = recorded_view(i);
		size_t size = pass(&p, view, i ? CODEC_DELTA : CODEC_KEY);

		*(i ? &deltas : &key) += size;
	}
	assert_in_range(deltas / (IMAGES - 1), 1, key / 2);
}

/* Returns the bytes of the difference, not compressed, from M to VIEW's image, and applies it. */
static size_t difference_size(struct model *m, const struct view *view)
{
	AUTO_DELTA struct delta d = {0};
	AUTO_BUFFER struct buffer b = {0};
	struct layout_rows rows[IMAGE_SECTIONS_MAX];
	struct layout layout;

	assert_int_equal(layout_parse(view->data, view->size, &layout, rows), 0);
	if (!m->layout.sections)
		assert_int_equal(model_begin(m, &layout), 0);
	assert_int_equal(delta_make(&d, m, view->data, rows, &b), 0);
	assert_int_equal(delta_apply(m, b.data, b.len, RECORDED_LIMIT), 0);
	return b.len;
}

/* Returns the bytes of the difference between two images with MORE processes that only became older. */
static size_t aged_size(uint32_t more)
{
	AUTO_MODEL struct model m = {0};
	size_t size = 0;

	for (uint64_t i = 0; i < 2; i++) {
		struct sample_options options = {
			.sequence = i + 1,
			.realtime_ns = recorded_at(i),
			.boottime_ns = SAMPLE_BOOTTIME_NS + i * RECORDED_STEP_NS,
			.older_ns = i * RECORDED_STEP_NS,
			.more = more,
		};
		AUTO_VIEW struct view *view = sample_open(&options);

		size = difference_size(&m, view);
	}
	return size;
}

/* However many processes become older, that is no difference of each. */
static void test_ages(void **state)
{
	(void)state;
	assert_in_range(aged_size(400), 1, aged_size(40) + 16);
}

/*
 * Processes that were measured again, one after another, have ages that are near each other: three
 * bytes each, where the distance from their last age takes five.
 */
static void test_measured(void **state)
{
	AUTO_MODEL struct model m = {0};
	size_t size = 0, rows = 0;

	(void)state;
	for (uint64_t i = 0; i < 2; i++) {
		AUTO_VIEW struct view *view = recorded_measured(i);

		rows = view_count(view, METRIC_PROCESS);
		size = difference_size(&m, view);
	}
	/* A gap, a mask, and the age */
	assert_in_range(size, 1, rows * (1 + 8 + 3) + 400);
}

/* Quantities may have any value: differences wrap. */
static void test_noise(void **state)
{
	AUTO_PAIR struct pair p = pair_new(RECORDED_LIMIT);

	(void)state;
	for (uint64_t i = 0; i < 4; i++) {
		AUTO_VIEW struct view *view = recorded_noise(i), *plain = recorded_view(i);

		pass(&p, view, i ? CODEC_DELTA : CODEC_KEY);
		pass(&p, plain, CODEC_DELTA);
	}
}

/* Longer rows and sections that this version does not know are coded like all others. */
static void test_newer(void **state)
{
	AUTO_PAIR struct pair p = pair_new(RECORDED_LIMIT);
	AUTO_VIEW struct view *current = recorded_view(10);

	(void)state;
	for (uint64_t i = 0; i < 10; i++) {
		AUTO_VIEW struct view *view = recorded_view(i), *newer = recorded_newer(view);

		pass(&p, newer, i ? CODEC_DELTA : CODEC_KEY);
	}
	pass(&p, current, CODEC_KEY); /* another layout: memtallyd was replaced */
}

static void test_unusual(void **state)
{
	AUTO_PAIR struct pair p = pair_new(RECORDED_LIMIT);
	AUTO_VIEW struct view *view = recorded_view(0), *unusual = recorded_unusual(view);

	(void)state;
	pass(&p, view, CODEC_KEY);
	pass(&p, unusual, CODEC_WHOLE);
	pass(&p, unusual, CODEC_WHOLE);
	pass(&p, view, CODEC_KEY);
	pass(&p, view, CODEC_DELTA);
}

static void test_public(void **state)
{
	AUTO_PAIR struct pair p = pair_new(RECORDED_LIMIT);
	const struct sample_options options = {.is_public = true, .more = 10};
	AUTO_VIEW struct view *all = recorded_view(0), *some = sample_open(&options);

	(void)state;
	pass(&p, all, CODEC_KEY);
	pass(&p, some, CODEC_DELTA);
	pass(&p, all, CODEC_DELTA);
}

static void test_keys(void **state)
{
	AUTO_PAIR struct pair p = pair_new(RECORDED_LIMIT);
	AUTO_VIEW struct view *view = recorded_view(0);
	AUTO_BUFFER struct buffer b = {0};
	enum codec_form form;

	(void)state;
	pass(&p, view, CODEC_KEY);
	encoder_rest(p.e);
	pass(&p, view, CODEC_DELTA);
	encoder_reset(p.e);
	pass(&p, view, CODEC_KEY);
	assert_int_equal(encoder_add(p.e, view, true, &b, &form), 0);
	assert_int_equal(form, CODEC_KEY);
}

static void test_limit(void **state)
{
	AUTO_VIEW struct view *view = recorded_view(0);
	AUTO_PAIR struct pair p = pair_new(view->size), small = pair_new(view->size - 1);
	AUTO_BUFFER struct buffer b = {0};
	enum codec_form form;

	(void)state;
	pass(&p, view, CODEC_KEY);
	assert_int_equal(encoder_add(small.e, view, false, &b, &form), -EFBIG);
	encoder_reset(p.e);
	buffer_clear(&b);
	assert_int_equal(encoder_add(p.e, view, false, &b, &form), 0);
	if (decoder_add(small.d, form, b.data, b.len) == 0) {
		const void *data;
		size_t size;

		assert_int_equal(decoder_image(small.d, &data, &size), -EFBIG);
	}
}

/* Makes TO a key with the layout of VIEW and as many rows of zeros as take BYTES. */
static void make_bomb(const struct view *view, size_t bytes, struct buffer *to)
{
	AUTO_BUFFER struct buffer plain = {0}, shape = {0};
	struct layout_rows rows[IMAGE_SECTIONS_MAX];
	struct layout l;

	assert_int_equal(layout_parse(view->data, view->size, &l, rows), 0);
	stream_add(&plain, l.header_size);
	stream_add(&plain, l.sections);
	for (uint32_t i = 0; i < l.sections; i++) {
		stream_add(&plain, l.section[i].kind);
		stream_add(&plain, l.section[i].stride);
	}
	stream_add(&shape, 0); /* no texts */
	stream_add(&shape, 1); /* of the first rows none stay, */
	stream_add(&shape, 0); /* none go, */
	stream_add(&shape, bytes / l.section[1].stride);
	stream_add(&plain, shape.len);
	for (unsigned int i = 1; i < 4; i++)
		stream_add(&plain, 0);
	buffer_add(&plain, shape.data, shape.len);
	assert_non_null(buffer_reserve(to, 1024));
	to->len = ZSTD_compress(to->data, 1024, plain.data, plain.len, 3);
	assert_false(ZSTD_isError(to->len));
}

/* A few bytes make no image of many MiB, and take no such memory. */
static void test_bomb(void **state)
{
	AUTO_VIEW struct view *view = recorded_view(0);
	AUTO_PAIR struct pair p = pair_new(RECORDED_LIMIT);
	AUTO_BUFFER struct buffer bomb = {0}, zeros = {0}, packed = {0};

	(void)state;
	make_bomb(view, 16 << 20, &bomb);
	assert_int_equal(decoder_add(p.d, CODEC_KEY, bomb.data, bomb.len), -EBADMSG);
	make_bomb(view, 64 << 20, &bomb);
	assert_int_equal(decoder_add(p.d, CODEC_KEY, bomb.data, bomb.len), -EFBIG);

	buffer_add_zero(&zeros, RECORDED_LIMIT);
	assert_non_null(buffer_reserve(&packed, 1 << 20));
	packed.len = ZSTD_compress(packed.data, 1 << 20, zeros.data, zeros.len, 3);
	assert_in_range(packed.len, 1, 1 << 14);
	assert_int_equal(decoder_add(p.d, CODEC_WHOLE, packed.data, packed.len), -EFBIG);
	pass(&p, view, CODEC_KEY);
}

/* The rows of a large image may be much alike. */
static void test_alike(void **state)
{
	struct sample_options options = {.realtime_ns = 1, .more = 50000};
	AUTO_PAIR struct pair p = pair_new(RECORDED_LIMIT);

	(void)state;
	for (options.sequence = 1; options.sequence < 4; options.sequence++) {
		AUTO_VIEW struct view *view = sample_open(&options);

		assert_in_range(view->size, 17 << 20, RECORDED_LIMIT);
		pass(&p, view, options.sequence == 1 ? CODEC_KEY : CODEC_DELTA);
	}
}

/* A payload that does not follow the last one, and one of no form. */
static void test_order(void **state)
{
	AUTO_PAIR struct pair p = pair_new(RECORDED_LIMIT);
	AUTO_VIEW struct view *view = recorded_view(0);
	AUTO_BUFFER struct buffer key = {0}, delta = {0};
	const void *data;
	size_t size;
	enum codec_form form;

	(void)state;
	assert_int_equal(encoder_add(p.e, view, false, &key, &form), 0);
	assert_int_equal(encoder_add(p.e, view, false, &delta, &form), 0);
	assert_int_equal(decoder_image(p.d, &data, &size), -EBADMSG);
	assert_int_equal(decoder_add(p.d, CODEC_DELTA, delta.data, delta.len), -EBADMSG);
	assert_int_equal(decoder_add(p.d, 0, key.data, key.len), -EBADMSG);
	assert_int_equal(decoder_add(p.d, CODEC_FORMS, key.data, key.len), -EBADMSG);
	assert_int_equal(decoder_add(p.d, CODEC_KEY, key.data, key.len), 0);
	assert_int_equal(decoder_add(p.d, CODEC_KEY, delta.data, delta.len), -EBADMSG);
	assert_int_equal(decoder_add(p.d, CODEC_DELTA, delta.data, delta.len), -EBADMSG);
	assert_int_equal(decoder_add(p.d, CODEC_KEY, key.data, key.len), 0);
	assert_int_equal(decoder_add(p.d, CODEC_DELTA, delta.data, delta.len), 0);
}

/* A payload with a flipped bit is refused, or gives the same image; and the next chain is read. */
static void test_damage(void **state)
{
	AUTO_PAIR struct pair p = pair_new(RECORDED_LIMIT);
	AUTO_VIEW struct view *first = recorded_view(0), *second = recorded_view(1);
	AUTO_BUFFER struct buffer key = {0}, delta = {0};
	unsigned int refused = 0;
	enum codec_form form;

	(void)state;
	assert_int_equal(encoder_add(p.e, first, false, &key, &form), 0);
	assert_int_equal(encoder_add(p.e, second, false, &delta, &form), 0);
	for (size_t i = 0; i < delta.len; i++) {
		int r;

		assert_int_equal(decoder_add(p.d, CODEC_KEY, key.data, key.len), 0);
		delta.data[i] ^= 1 << (i % 8);
		r = decoder_add(p.d, CODEC_DELTA, delta.data, delta.len);
		if (r == 0)
			expect_image(p.d, second);
		else
			assert_true(r == -EBADMSG || r == -EFBIG);
		refused += r != 0;
		delta.data[i] ^= 1 << (i % 8);
	}
	assert_in_range(refused, delta.len - 8, delta.len);
}

static int encode_and_decode(struct pair *p, const struct view *view)
{
	AUTO_BUFFER struct buffer b = {0};
	enum codec_form form;
	const void *data;
	size_t size;
	int r = encoder_add(p->e, view, false, &b, &form);

	if (r == 0)
		r = decoder_add(p->d, form, b.data, b.len);
	if (r == 0)
		r = decoder_image(p->d, &data, &size);
	return r;
}

/* After a failed allocation the next image begins a chain, and all goes on. */
static void test_allocations(void **state)
{
	AUTO_VIEW struct view *first = recorded_view(0), *second = recorded_view(1);

	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		struct pair p = {NULL, NULL};
		int r;

		allocation_fail_at(n);
		r = encoder_new(RECORDED_LIMIT, &p.e);
		if (r == 0)
			r = decoder_new(RECORDED_LIMIT, &p.d);
		if (r == 0)
			r = encode_and_decode(&p, first);
		if (r == 0)
			r = encode_and_decode(&p, second);
		allocation_check(r);
		if (p.e && p.d) {
			encoder_reset(p.e);
			pass(&p, first, CODEC_KEY);
		}
		pair_done(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_ages),
		cmocka_unit_test(test_measured),
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_newer),
		cmocka_unit_test(test_unusual),
		cmocka_unit_test(test_public),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_bomb),
		cmocka_unit_test(test_alike),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
