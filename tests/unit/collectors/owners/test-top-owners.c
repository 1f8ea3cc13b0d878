/* SPDX-License-Identifier: Apache-2.0 */
/* Tests which rows get series of their own, and how long they keep them. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "collectors/owners/top-owners.h"

static void decides_by_rank_and_patience(void **state)
{
	static const struct {
		uint32_t rank;
		bool before;
		uint8_t below;
		bool after;
		uint8_t below_after;
	} cases[] = {
		{0, false, 0, true, 0},
		{9, false, 0, true, 0},
		{10, false, 0, false, 0}, /* not among the first 10 */
		/* within 1.2 N: it keeps its series, and its patience starts anew */
		{10, true, 4, true, 0},
		{11, true, 4, true, 0},
		{12, true, 0, true, 1}, /* below: it keeps its series for now */
		{12, true, 3, true, 4},
		{12, true, 4, false, 0}, /* the fifth pass in a row */
		{20, true, 0, false, 0}, /* never more than 2 N */
		{UINT32_MAX, true, 0, false, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool exported = cases[i].before;
		uint8_t below = cases[i].below;

		top_owners_decide(cases[i].rank, 10, &exported, &below);
		assert_int_equal(exported, cases[i].after);
		assert_int_equal(below, cases[i].below_after);
	}
}

static struct scope *add(struct owner_table *s, const char *name, uint64_t pss)
{
	struct scope *row = owner_table_get(s, name, strlen(name));

	assert_non_null(row);
	row->sums.present = 0;
	ROW_SET(&row->sums, SCOPE_PSS, pss);
	ROW_SET(&row->sums, SCOPE_PROCESSES, 1);
	return row;
}

static size_t count_exported(const struct owner_table *s)
{
	size_t n = 0;

	for (struct scope *row = NULL; (row = owner_table_next(s, row));)
		n += row->exported;
	return n;
}

static void exports_the_largest(void **state)
{
	AUTO_BUFFER struct buffer scratch = {0};
	struct owner_table s = {0};
	char name[16];

	(void)state;
	for (unsigned int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "p%u", i);
		add(&s, name, i * 37 % 100);
	}
	assert_int_equal(top_owners_scopes(&s, 10, 1, &scratch), 0);
	assert_int_equal(count_exported(&s), 10);
	for (struct scope *row = NULL; (row = owner_table_next(&s, row));)
		assert_int_equal(row->exported, row->sums.q[SCOPE_PSS] >= 90);
	owner_table_done(&s);
}

static void never_exports_the_name_other(void **state)
{
	AUTO_BUFFER struct buffer scratch = {0};
	struct owner_table s = {0};
	const struct scope *row = add(&s, "(other)", 1000);

	(void)state;
	add(&s, "init", 1);
	assert_int_equal(top_owners_scopes(&s, 10, 1, &scratch), 0);
	assert_false(row->exported);
	assert_int_equal(count_exported(&s), 1);
	owner_table_done(&s);
}

static void two_of_equal_size_do_not_alternate(void **state)
{
	AUTO_BUFFER struct buffer scratch = {0};
	struct owner_table s = {0};
	struct scope *row[12];
	char name[16];
	unsigned int changes = 0;

	(void)state;
	for (unsigned int i = 0; i < 12; i++) {
		snprintf(name, sizeof(name), "p%u", i);
		row[i] = add(&s, name, 1000 - i);
	}
	top_owners_scopes(&s, 10, 1, &scratch);
	for (unsigned int pass = 0; pass < 20; pass++) {
		bool before = row[9]->exported;

		add(&s, "p9", pass & 1 ? 991 : 989);
		add(&s, "p10", pass & 1 ? 989 : 991);
		top_owners_scopes(&s, 10, 1, &scratch);
		changes += row[9]->exported != before;
	}
	assert_int_equal(changes, 0);
	owner_table_done(&s);
}

static void keeps_empty_rows_for_an_hour(void **state)
{
	AUTO_BUFFER struct buffer scratch = {0};
	struct owner_table s = {0};
	struct scope *row = add(&s, "gone", 1);

	(void)state;
	top_owners_scopes(&s, 10, 1, &scratch);
	assert_true(row->exported);
	row->empty_ns = NS_PER_SEC;
	top_owners_scopes(&s, 10, TOP_OWNERS_EMPTY_NS, &scratch);
	assert_true(row->exported);
	top_owners_scopes(&s, 10, TOP_OWNERS_EMPTY_NS + NS_PER_SEC, &scratch);
	assert_false(row->exported);
	owner_table_done(&s);
}

/* Programs with random names must not increase the number of series without limit. */
static void churn_does_not_exceed_the_limit(void **state)
{
	AUTO_BUFFER struct buffer scratch = {0};
	struct owner_table s = {0};
	uint64_t now = NS_PER_SEC;
	char name[16];

	(void)state;
	for (unsigned int pass = 0; pass < 100; pass++, now += NS_PER_SEC) {
		for (struct scope *row = NULL; (row = owner_table_next(&s, row));)
			if (!row->empty_ns) {
				row->empty_ns = now;
				ROW_SET(&row->sums, SCOPE_PROCESSES, 0);
			}
		for (unsigned int i = 0; i < 30; i++) {
			snprintf(name, sizeof(name), "p%u-%u", pass, i);
			add(&s, name, i);
		}
		assert_int_equal(top_owners_scopes(&s, 10, now, &scratch), 0);
		assert_true(count_exported(&s) <= 20);
	}
	owner_table_done(&s);
}

static void processes_by_three_rankings(void **state)
{
	AUTO_BUFFER struct buffer scratch = {0};
	struct snapshot_process row[5] = {0};
	struct process process[5], *list[5];

	(void)state;
	for (unsigned int i = 0; i < 5; i++) {
		process_init(&process[i], (pid_t)i + 1);
		list[i] = &process[i];
		ROW_SET(&row[i], PROCESS_PSS, 100 - i);
	}
	ROW_SET(&row[3], PROCESS_VM_SWAP, 5);
	ROW_SET(&row[4], PROCESS_VM_SWAP, 0); /* no rank without swap */
	process[2].growth.hwm_bytes = 1;
	assert_int_equal(top_owners_processes(list, row, 5, 1, &scratch), 0);
	assert_true(process[0].exported);
	assert_false(process[1].exported);
	assert_true(process[2].exported);
	assert_true(process[3].exported);
	assert_false(process[4].exported);
	assert_int_equal(top_owners_processes(list, row, 5, 0, &scratch), 0);
	for (unsigned int i = 0; i < 5; i++)
		assert_false(process[i].exported);
}

/* However ranks change, no ranking exports more than 2 N processes. */
static void changing_ranks_do_not_exceed_the_limit(void **state)
{
	enum { COUNT = 60, N = 3 };
	AUTO_BUFFER struct buffer scratch = {0};
	struct process process[COUNT], *list[COUNT];
	uint64_t random = 5;
	size_t most = 0;

	(void)state;
	for (unsigned int i = 0; i < COUNT; i++) {
		process_init(&process[i], (pid_t)i + 1);
		list[i] = &process[i];
	}
	for (unsigned int pass = 0; pass < 200; pass++) {
		struct snapshot_process row[COUNT] = {0};
		size_t exported = 0;

		for (unsigned int i = 0; i < COUNT; i++) {
			ROW_SET(&row[i], PROCESS_PSS, unit_random(&random) % 1000);
			ROW_SET(&row[i], PROCESS_VM_SWAP, unit_random(&random) % 1000);
			process[i].growth.hwm_bytes = unit_random(&random) % 1000;
		}
		assert_int_equal(top_owners_processes(list, row, COUNT, N, &scratch), 0);
		for (unsigned int i = 0; i < COUNT; i++)
			exported += process[i].exported;
		assert_true(exported <= 6 * N);
		most = exported > most ? exported : most;
	}
	assert_true(most > 3 * N);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decides_by_rank_and_patience),
		cmocka_unit_test(exports_the_largest),
		cmocka_unit_test(never_exports_the_name_other),
		cmocka_unit_test(two_of_equal_size_do_not_alternate),
		cmocka_unit_test(keeps_empty_rows_for_an_hour),
		cmocka_unit_test(churn_does_not_exceed_the_limit),
		cmocka_unit_test(changing_ranks_do_not_exceed_the_limit),
		cmocka_unit_test(processes_by_three_rankings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
