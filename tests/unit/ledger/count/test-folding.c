/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the folding of owners into "(other)" in the ledger. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "ledger/count/folding.h"
#include "tests/unit/support/ledger/book.h"

/* Names beyond the limit become one row, and no usage is lost. */
static void too_many_become_other(void **state)
{
	static char name[600][16];
	const struct folding_room room = book_room(SIZE_MAX);
	struct folding f = {0};
	struct rows rows = {0};
	double sum = 0, folded;
	size_t own = 0;

	(void)state;
	for (unsigned int i = 0; i < 600; i++) {
		struct row *row;

		snprintf(name[i], sizeof(name[i]), "program-%u", i);
		row = rows_get(&rows, USAGE_PROGRAM, 0, name[i], "");
		assert_non_null(row);
		row->pss_byte_s = (double)((i * 7919) % 600 + 1);
		sum += row->pss_byte_s;
	}
	assert_int_equal(folding_fold(&f, &rows, &room), 0);
	folded = f.other[USAGE_PROGRAM].pss_byte_s;
	assert_int_equal(f.other[USAGE_PROGRAM].rows, 100);
	for (size_t i = 0; i < rows.count; i++) {
		if (rows.row[i]->is_folded) {
			assert_true(rows.row[i]->pss_byte_s <= 100);
			continue;
		}
		folded += rows.row[i]->pss_byte_s;
		own++;
	}
	assert_int_equal(own, folding_rows_max(USAGE_PROGRAM));
	assert_true(folded == sum);
	assert_int_equal(f.other[USAGE_USER].rows, 0);
	rows_done(&rows);
}

/* New rows are for the largest usage. Known names have their rows already. */
static void new_names_are_limited(void **state)
{
	struct folding_room room = book_room(3);
	struct folding f = {0};
	struct rows rows = {0};
	struct row *row[10], *other;
	char name[16];

	(void)state;
	for (unsigned int i = 0; i < 10; i++) {
		snprintf(name, sizeof(name), "program-%u", i);
		row[i] = rows_get(&rows, USAGE_PROGRAM, 0, name, "");
		assert_non_null(row[i]);
		row[i]->pss_byte_s = 10 * (i + 1);
		row[i]->series = i < 2 ? (int64_t)i + 1 : ROWS_SERIES_NONE;
	}
	other = rows_get(&rows, USAGE_PROGRAM, 0, USAGE_OTHER, "");
	assert_non_null(other);
	other->pss_byte_s = 1000;
	assert_int_equal(folding_fold(&f, &rows, &room), 0);
	for (unsigned int i = 0; i < 10; i++)
		assert_int_equal(row[i]->is_folded, i >= 2 && i < 7);
	assert_true(other->is_folded);
	assert_int_equal(f.other[USAGE_PROGRAM].rows, 6);
	assert_true(f.other[USAGE_PROGRAM].pss_byte_s == 1250);
	/* no rows at all: not even known names have one */
	room.rows[USAGE_PROGRAM] = 0;
	assert_int_equal(folding_fold(&f, &rows, &room), 0);
	assert_int_equal(f.other[USAGE_PROGRAM].rows, 11);
	rows_done(&rows);
}

/* The usage of exited owners is in the sum until it was written. */
static void exited_owners_are_removed(void **state)
{
	const struct folding_room room = book_room(SIZE_MAX);
	const size_t max = folding_rows_max(USAGE_PROGRAM), ended = 2 * max + 1;
	struct folding f = {0};
	struct rows rows = {0};
	double sum = 0;
	char name[16];

	(void)state;
	for (unsigned int i = 0; i < ended + 1; i++) {
		struct row *row;

		snprintf(name, sizeof(name), "program-%u", i);
		row = rows_get(&rows, USAGE_PROGRAM, 0, name, "");
		assert_non_null(row);
		row->now.is_known = i == ended;
		row->pss_byte_s = i + 1;
		sum += i + 1;
		folding_forget_ended(&f, &rows);
		assert_int_equal(rows.count, i < ended - 1 ? i + 1 : i == ended ? max + 1 : max);
	}
	assert_int_equal(folding_fold(&f, &rows, &room), 0);
	assert_int_equal(f.other[USAGE_PROGRAM].rows, ended + 1 - max);
	for (size_t i = 0; i < rows.count; i++)
		sum -= rows.row[i]->is_folded ? 0 : rows.row[i]->pss_byte_s;
	assert_true(f.other[USAGE_PROGRAM].pss_byte_s == sum);
	folding_clear(&f);
	assert_int_equal(folding_fold(&f, &rows, &room), 0);
	assert_int_equal(f.other[USAGE_PROGRAM].rows, 1);
	rows_done(&rows);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(too_many_become_other),
		cmocka_unit_test(new_names_are_limited),
		cmocka_unit_test(exited_owners_are_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
