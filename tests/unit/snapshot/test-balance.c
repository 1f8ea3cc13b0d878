/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the names and the sum of the host's balance sheet. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "snapshot/balance.h"
#include "snapshot/metric.h"

/* Returns the position of INDEX in M, or COUNT if it is not there. */
static size_t place_of(const struct metric *m, size_t count, enum balance_quantity index)
{
	size_t i = 0;

	while (i < count && m[i].index != index)
		i++;
	return i;
}

/* The kind of a line is its name in metrics and in JSON. */
static void lines_are_called_by_their_kinds(void **state)
{
	size_t count;
	const struct metric *m = metric_table(METRIC_BALANCE, &count);
	unsigned int lines = 0;

	(void)state;
	for (unsigned int i = 0; i < BALANCE_KINDS; i++) {
		const struct balance_kind *kind = balance_kind(i);
		size_t at = place_of(m, count, kind->line);

		assert_true(at < count);
		assert_string_equal(m[at].what, "memory");
		assert_string_equal(m[at].label, "kind");
		assert_string_equal(m[at].value, kind->name);
		assert_true(*kind->help && *kind->source);
	}
	for (size_t i = 0; i < count; i++)
		lines += !strcmp(m[i].what, "memory");
	assert_int_equal(lines, BALANCE_KINDS);
}

static void adds_up_present_lines(void **state)
{
	struct snapshot_balance row = {0};

	(void)state;
	assert_int_equal(balance_sum(&row), 0);
	ROW_SET(&row, BALANCE_PSS_ANON, 5);
	ROW_SET(&row, BALANCE_FREE_LISTS, 7);
	row.q[BALANCE_FREE] = 100; /* is absent */
	ROW_SET(&row, BALANCE_RESIDUAL, (uint64_t)-1000);
	ROW_SET(&row, BALANCE_SWAP_FREE, 1000);
	assert_int_equal(balance_sum(&row), 12);
	/* a line of the sum, though it stands behind the residual */
	ROW_SET(&row, BALANCE_PSS_DRIVER, 100);
	assert_int_equal(balance_sum(&row), 112);
	ROW_SET(&row, BALANCE_SHMEM, INT64_MAX);
	assert_int_equal(balance_sum(&row), INT64_MAX);
	for (unsigned int i = 0; i < BALANCE_LINES; i++)
		ROW_SET(&row, i, INT64_MAX);
	assert_int_equal(balance_sum(&row), INT64_MAX);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_called_by_their_kinds),
		cmocka_unit_test(adds_up_present_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
