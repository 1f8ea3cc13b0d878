/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the two-part gzip member against zlib's inflate(). */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>
#include <zlib.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "tests/unit/support/faults/allocation.h"
#include "web/http/gzip.h"

/*
 * Inflates with zlib, which checks CRC and length. There must be one member and nothing after it.
 */
static void assert_inflates(
	const struct buffer *gz, const struct buffer *front, const char *end, size_t end_len)
{
	size_t len = front->len + end_len;
	AUTO_FREE unsigned char *out = malloc(len + 1);
	z_stream z = {
		.next_in = (unsigned char *)gz->data,
		.avail_in = (uInt)gz->len,
		.next_out = out,
		.avail_out = (uInt)len + 1,
	};

	assert_non_null(out);
	assert_int_equal(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	assert_int_equal(z.total_out, len);
	if (front->len)
		assert_memory_equal(out, front->data, front->len);
	if (end_len)
		assert_memory_equal(out + front->len, end, end_len);
	inflateEnd(&z);
}

static void fill(struct buffer *b, size_t len, bool random)
{
	uint64_t state = 3;

	while (b->len < len)
		if (random)
			buffer_add_char(b, (char)unit_random(&state));
		else
			buffer_printf(
				b, "memtally_user_pss_bytes{user=\"u%zu\"} %zu\n", b->len, len);
	b->len = len;
	assert_int_equal(b->error, 0);
}

static void puts_members_together(void **state)
{
	static const size_t fronts[] = {0, 1, 100, 65535, 65536, 300000};
	static const size_t ends[] = {0, 1, 2000, 65535, 65536, 140000};

	(void)state;
	for (size_t f = 0; f < ARRAY_SIZE(fronts); f++) {
		AUTO_BUFFER struct buffer text = {0}, tail = {0}, front = {0};
		struct gzip_front info;

		fill(&text, fronts[f], f % 2);
		fill(&tail, 140000, true);
		assert_int_equal(gzip_add_front(&front, text.data, text.len, &info), 0);
		for (size_t e = 0; e < ARRAY_SIZE(ends); e++) {
			AUTO_BUFFER struct buffer gz = {0};

			buffer_add(&gz, front.data, front.len); /* one front, many ends */
			gzip_add_end(&gz, &info, tail.data, ends[e]);
			assert_int_equal(gz.error, 0);
			assert_inflates(&gz, &text, tail.data, ends[e]);
		}
	}
}

/* The length of the whole must not depend on the bytes of the end. */
static void length_does_not_depend_on_the_end(void **state)
{
	AUTO_BUFFER struct buffer front = {0}, a = {0}, b = {0};
	struct gzip_front info;

	(void)state;
	assert_int_equal(gzip_add_front(&front, "text", 4, &info), 0);
	gzip_add_end(&a, &info, "aaaaaaaaaaaa", 12);
	gzip_add_end(&b, &info, "qz8 2kP%\xff{_1", 12);
	assert_int_equal(a.len, b.len);
}

/* The data of an empty buffer is NULL. */
static void an_empty_end_may_be_null(void **state)
{
	AUTO_BUFFER struct buffer gz = {0}, text = {0};
	struct gzip_front info;

	(void)state;
	buffer_add(&text, "text", 4);
	assert_int_equal(gzip_add_front(&gz, text.data, text.len, &info), 0);
	gzip_add_end(&gz, &info, NULL, 0);
	assert_int_equal(gz.error, 0);
	assert_inflates(&gz, &text, NULL, 0);
}

static void compresses(void **state)
{
	AUTO_BUFFER struct buffer text = {0}, front = {0};
	struct gzip_front info;

	(void)state;
	fill(&text, 300000, false);
	assert_int_equal(gzip_add_front(&front, text.data, text.len, &info), 0);
	assert_true(front.len < text.len / 4);
	/* no unused capacity, because it is kept for a while */
	assert_int_equal(front.capacity, front.len);
}

/* A whole member of the length that the caller knows, and nothing else. */
static void inflates_whole_members_only(void **state)
{
	AUTO_BUFFER struct buffer gz = {0}, text = {0}, out = {0}, empty = {0};
	struct gzip_front info;

	(void)state;
	fill(&text, 100000, false);
	assert_int_equal(gzip_add_front(&gz, text.data, text.len, &info), 0);
	gzip_add_end(&gz, &info, NULL, 0);
	buffer_add_text(&out, "before");
	assert_int_equal(gzip_inflate(&out, gz.data, gz.len, text.len - 1), -EBADMSG);
	assert_int_equal(gzip_inflate(&out, gz.data, gz.len, text.len + 1), -EBADMSG);
	assert_int_equal(gzip_inflate(&out, gz.data, gz.len - 1, text.len), -EBADMSG);
	assert_int_equal(gzip_inflate(&out, text.data, text.len, text.len), -EBADMSG);
	assert_int_equal(gzip_inflate(&out, NULL, 0, 0), -EBADMSG);
	assert_int_equal(out.len, 6);
	assert_int_equal(gzip_inflate(&out, gz.data, gz.len, text.len), 0);
	assert_int_equal(out.len, 6 + text.len);
	assert_memory_equal(out.data, "before", 6);
	assert_memory_equal(out.data + 6, text.data, text.len);
	buffer_add_char(&gz, 'x'); /* after the member */
	assert_int_equal(gzip_inflate(&out, gz.data, gz.len, text.len), -EBADMSG);

	buffer_clear(&gz);
	assert_int_equal(gzip_add_front(&gz, NULL, 0, &info), 0);
	gzip_add_end(&gz, &info, NULL, 0);
	assert_int_equal(gzip_inflate(&empty, gz.data, gz.len, 0), 0);
	assert_int_equal(empty.len, 0);
}

static void inflating_reports_lack_of_memory(void **state)
{
	AUTO_BUFFER struct buffer gz = {0};
	struct gzip_front info;

	(void)state;
	assert_int_equal(gzip_add_front(&gz, "text", 4, &info), 0);
	gzip_add_end(&gz, &info, NULL, 0);
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_BUFFER struct buffer out = {0};

		allocation_fail_at(n);
		allocation_check(gzip_inflate(&out, gz.data, gz.len, 4));
	}
}

static void reports_lack_of_memory(void **state)
{
	AUTO_BUFFER struct buffer text = {0};

	(void)state;
	fill(&text, 200000, true);
	for (unsigned int n = 1;; n++) {
		AUTO_BUFFER struct buffer front = {0};
		struct gzip_front info;
		int r;

		allocation_fail_at(n);
		r = gzip_add_front(&front, text.data, text.len, &info);
		if (!allocation_end()) {
			assert_int_equal(r, 0);
			assert_true(n > 2);
			return;
		}
		if (r == 0) /* shrinking the buffer may fail; that is ignored */
			assert_int_equal(front.error, 0);
		else
			assert_int_equal(r, -ENOMEM);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(puts_members_together),
		cmocka_unit_test(length_does_not_depend_on_the_end),
		cmocka_unit_test(an_empty_end_may_be_null),
		cmocka_unit_test(compresses),
		cmocka_unit_test(inflates_whole_members_only),
		cmocka_unit_test(inflating_reports_lack_of_memory),
		cmocka_unit_test(reports_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
