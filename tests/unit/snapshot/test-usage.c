/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of snapshot/usage.h: the question to the ledger, and its answer. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "snapshot/owner.h"
#include "snapshot/usage.h"
#include "tests/unit/support/faults/allocation.h"

static void kinds_match_owners(void **state)
{
	(void)state;
	assert_int_equal(usage_find("user"), 1);
	assert_int_equal(usage_find("program"), 2);
	assert_int_equal(usage_find("unit"), 3);
	assert_int_equal(usage_find("group"), 4);
	assert_int_equal(usage_find("container"), 5);
	assert_int_equal(usage_find("session"), USAGE_KINDS_END);
	assert_int_equal(usage_find(""), USAGE_KINDS_END);
	for (unsigned int kind = USAGE_USER; kind < USAGE_KINDS_END; kind++)
		assert_int_equal(
			usage_find(owner_of(usage_owner((enum usage_kind)kind))->name), kind);
}

static void question_survives_the_transfer(void **state)
{
	static const struct usage_request cases[] = {
		{.kind = USAGE_GROUP, .since_s = 0, .until_s = USAGE_TIME_MAX},
		{.kind = USAGE_USER, .since_s = 1, .until_s = 2, .has_uid = true},
		{.kind = USAGE_USER,
			.since_s = 1,
			.until_s = 2,
			.has_uid = true,
			.uid = OWNER_NO_ID},
	};
	unsigned char text[USAGE_REQUEST_SIZE];
	struct usage_request got;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		usage_request_write(&cases[i], text);
		assert_int_equal(usage_request_parse(text, sizeof(text), &got), 0);
		assert_int_equal(got.kind, cases[i].kind);
		assert_int_equal(got.since_s, cases[i].since_s);
		assert_int_equal(got.until_s, cases[i].until_s);
		assert_int_equal(got.has_uid, cases[i].has_uid);
		assert_int_equal(got.uid, cases[i].uid);
	}
}

/*
 * Each flipped bit makes the question another valid one or an invalid one. Reserved bits must be
 * zero.
 */
static void check_damage(const struct usage_request *r)
{
	unsigned char text[USAGE_REQUEST_SIZE + 1] = {0};
	struct usage_request got = {.kind = USAGE_USER};

	usage_request_write(r, text);
	for (size_t len = 0; len <= sizeof(text); len++)
		assert_int_equal(usage_request_parse(text, len, &got),
			len == USAGE_REQUEST_SIZE ? 0 : -EBADMSG);
	for (size_t bit = 0; bit < USAGE_REQUEST_SIZE * 8; bit++) {
		bool is_free = (bit >= 64 && bit < 97) || (bit >= 128 && bit < 256) ||
		               (r->has_uid && bit >= 256 && bit < 288);
		int e;

		text[bit / 8] ^= (unsigned char)(1 << bit % 8);
		e = usage_request_parse(text, USAGE_REQUEST_SIZE, &got);
		assert_true(e == -EBADMSG || (e == 0 && is_free));
		assert_true(got.kind >= USAGE_USER && got.kind < USAGE_KINDS_END);
		assert_true(got.since_s < got.until_s);
		text[bit / 8] ^= (unsigned char)(1 << bit % 8);
	}
}

static void damaged_question_is_harmless(void **state)
{
	(void)state;
	check_damage(&(struct usage_request){.kind = USAGE_USER, .since_s = 1000, .until_s = 2000});
	check_damage(&(struct usage_request){.kind = USAGE_USER,
		.since_s = 1000,
		.until_s = 2000,
		.has_uid = true,
		.uid = 1000});
}

static void make(struct buffer *to)
{
	const struct usage_row rows[] = {
		{.id = 1000, .present = 0x1f, .q = {1, 2, 3, 4, 5}, .name = "alice", .user = ""},
		{.id = OWNER_NO_ID,
			.present = 1,
			.q = {7, 99, 99, 99, 99},
			.name = "c0ffee",
			.user = "b\xc3\xb6"
				"b"},
		{.id = OWNER_NO_ID, .present = 0, .name = "", .user = ""},
	};
	const struct usage_head head = {.rows = 3,
		.since_s = 300,
		.until_s = 600,
		.now_s = 500,
		.first_s = -1,
		.covered_ms = 5,
		.sampled_ms = 4,
		.clock_sets = 1,
		.write_failures = 2,
		.set_aside = 3,
		.flags = USAGE_LATE,
		.written_s = 499};

	usage_begin(to);
	for (size_t i = 0; i < 3; i++)
		usage_add(to, &rows[i]);
	usage_end(to, &head);
}

static void answer_survives_the_transfer(void **state)
{
	AUTO_BUFFER struct buffer b = {0};
	size_t at = USAGE_HEAD_SIZE, size;
	struct usage_head head;
	struct usage_row row;

	(void)state;
	make(&b);
	assert_int_equal(usage_size(b.data, 10, &size), 0);
	assert_int_equal(size, 0);
	assert_int_equal(usage_size(b.data, b.len, &size), 0);
	assert_int_equal(size, b.len);
	assert_int_equal(usage_check(b.data, b.len, &head), 0);
	assert_int_equal(head.rows, 3);
	assert_int_equal(head.first_s, -1);
	assert_int_equal(head.set_aside, 3);
	assert_int_equal(head.flags, USAGE_LATE);
	assert_int_equal(head.written_s, 499);
	assert_true(usage_next(b.data, b.len, &at, &row));
	assert_string_equal(row.name, "alice");
	assert_int_equal(row.q[USAGE_PROCESSES_MAX], 5);
	assert_true(usage_next(b.data, b.len, &at, &row));
	assert_string_equal(row.user, "b\xc3\xb6"
				      "b");
	assert_int_equal(row.q[USAGE_PSS], 7);
	assert_int_equal(row.q[USAGE_PSS_MAX], 0); /* absent quantities are not read */
	assert_true(usage_next(b.data, b.len, &at, &row));
	assert_false(usage_next(b.data, b.len, &at, &row));
}

/* Whichever byte is changed, the answer is refused, or reading it stays within it. */
static void damaged_answer_is_harmless(void **state)
{
	AUTO_BUFFER struct buffer b = {0};
	struct usage_head head;
	unsigned int refused = 0;

	(void)state;
	make(&b);
	for (size_t len = 0; len < b.len; len++)
		assert_int_equal(usage_check(b.data, len, &head), -EBADMSG);
	for (size_t i = 0; i < b.len; i++) {
		for (unsigned int x = 1; x < 256; x++) {
			size_t at = USAGE_HEAD_SIZE;
			struct usage_row row;
			uint32_t rows = 0;

			b.data[i] ^= (char)x;
			if (usage_check(b.data, b.len, &head) == 0)
				for (; usage_next(b.data, b.len, &at, &row); rows++)
					assert_true(row.user + strlen(row.user) < b.data + b.len);
			else
				refused++;
			assert_true(rows == 0 || rows == head.rows);
			b.data[i] ^= (char)x;
		}
	}
	assert_true(refused > b.len * 100);
}

/* The last of the first 8 bytes is the version. */
static void answer_of_another_version_is_told_from_another_message(void **state)
{
	AUTO_BUFFER struct buffer b = {0};
	struct usage_head head;

	(void)state;
	make(&b);
	for (size_t i = 0; i < 8; i++) {
		int r = i == 7 ? -EPROTO : -EBADMSG;
		size_t size;

		b.data[i]++;
		assert_int_equal(usage_size(b.data, b.len, &size), r);
		assert_int_equal(usage_check(b.data, b.len, &head), r);
		b.data[i]--;
	}
}

static void returns_errors_without_memory(void **state)
{
	(void)state;
	for (unsigned int n = 1;; n++) {
		AUTO_BUFFER struct buffer b = {0};

		allocation_fail_at(n);
		make(&b);
		if (!allocation_end())
			break;
		assert_int_equal(b.error, -ENOMEM);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_match_owners),
		cmocka_unit_test(question_survives_the_transfer),
		cmocka_unit_test(damaged_question_is_harmless),
		cmocka_unit_test(answer_survives_the_transfer),
		cmocka_unit_test(damaged_answer_is_harmless),
		cmocka_unit_test(answer_of_another_version_is_told_from_another_message),
		cmocka_unit_test(returns_errors_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
