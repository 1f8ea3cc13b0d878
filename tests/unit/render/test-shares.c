/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of render/shares.h: parts of a PSS and the bounds of it. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "render/shares.h"

#define MIB UINT64_C(1048576)

enum { ABSENT = -1 };

struct shares_case {
	int pss_mib, measured_mib, guessed_mib, low_mib, high_mib;
	int estimated_mib; /* ABSENT: shares_of() fails */
	const char *bounds;
};

static void set(struct snapshot_scope *row, enum scope_quantity i, int mib)
{
	if (mib != ABSENT)
		ROW_SET(row, i, (uint64_t)mib * MIB);
}

static void parts_add_up_and_have_bounds(void **state)
{
	static const struct shares_case cases[] = {
		{100, 30, 5, 90, 120, 65, "; likely between 90.0 and 120.0 MiB"},
		{100, 30, ABSENT, 90, 120, 70, "; likely between 90.0 and 120.0 MiB"},
		{100, 100, 0, 90, 120, 0, "; between 90.0 and 120.0 MiB"},
		{100, 95, 5, 95, 120, 0, "; likely between 95.0 and 120.0 MiB"},
		{100, 30, 5, 90, 90, 65, ""},
		{100, 30, 5, 90, ABSENT, 65, "; at least 90.0 MiB"},
		{100, 30, 5, ABSENT, 120, 65, ""},
		/* without parts, and with parts that exceed the whole */
		{100, ABSENT, ABSENT, 90, 120, ABSENT, "; likely between 90.0 and 120.0 MiB"},
		{ABSENT, 30, 5, ABSENT, ABSENT, ABSENT, ""},
		{0, 0, 0, 0, 0, ABSENT, ""},
		{100, 101, 0, 90, 120, ABSENT, "; likely between 90.0 and 120.0 MiB"},
		{100, 96, 5, 90, 120, ABSENT, "; likely between 90.0 and 120.0 MiB"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct shares_case *c = &cases[i];
		struct snapshot_scope row = {0};
		AUTO_BUFFER struct buffer b = {0};
		struct shares s = {0};

		set(&row, SCOPE_PSS, c->pss_mib);
		set(&row, SCOPE_PSS_MEASURED, c->measured_mib);
		set(&row, SCOPE_PSS_GUESSED, c->guessed_mib);
		set(&row, SCOPE_PSS_LOW, c->low_mib);
		set(&row, SCOPE_PSS_HIGH, c->high_mib);
		assert_int_equal(shares_of(&row, &s), c->estimated_mib != ABSENT);
		if (c->estimated_mib != ABSENT) {
			assert_int_equal(s.estimated_bytes, (uint64_t)c->estimated_mib * MIB);
			assert_int_equal(s.measured_bytes + s.estimated_bytes + s.guessed_bytes,
				s.pss_bytes);
		}
		shares_add_bounds(&b, "; ", &row);
		buffer_add_char(&b, '\0');
		assert_string_equal(b.data, c->bounds);
	}
}

static void parts_are_percents(void **state)
{
	const struct shares s = {.pss_bytes = 3 * MIB};
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	shares_add_percent(&b, &s, MIB);
	buffer_add_char(&b, '\0');
	assert_string_equal(b.data, "33 %");
}

/* "100 %" is not printed if blocked processes are missing in the whole. */
static void blocked_processes_prevent_100_percent(void **state)
{
	static const struct {
		int measured_mib, blocked;
		const char *text;
	} cases[] = {{100, 0, "100 %"}, {100, ABSENT, "100 %"}, {30, 1, "30 %"},
		{100, 1, "all that could be read"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct snapshot_scope row = {0};
		AUTO_BUFFER struct buffer b = {0};
		struct shares s = {0};

		set(&row, SCOPE_PSS, 100);
		set(&row, SCOPE_PSS_MEASURED, cases[i].measured_mib);
		if (cases[i].blocked != ABSENT)
			ROW_SET(&row, SCOPE_UNMEASURED_BLOCKED, (uint64_t)cases[i].blocked);
		assert_true(shares_of(&row, &s));
		shares_add_measured(&b, &s, &row);
		buffer_add_char(&b, '\0');
		assert_string_equal(b.data, cases[i].text);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_add_up_and_have_bounds),
		cmocka_unit_test(blocked_processes_prevent_100_percent),
		cmocka_unit_test(parts_are_percents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
