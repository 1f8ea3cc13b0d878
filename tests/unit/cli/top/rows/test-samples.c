/* SPDX-License-Identifier: Apache-2.0 */
/* Tests samples: which rows of a snapshot the history gets, and when. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "cli/top/rows/samples.h"
#include "cli/top/rows/top-row.h"
#include "tests/unit/support/snapshot/sample.h"

static const struct siphash_key secret = {{1, 2}};

static void take(struct history *h, const struct sample_options *options)
{
	AUTO_VIEW struct view *view = sample_open(options);

	samples_take(h, view, HISTORY_OF_MEMTALLYD, &secret);
}

/* Returns true if H has a sample of the row in VIEW, which is the last snapshot. */
static bool has(const struct history *h, const struct view *view, const struct top_row *row)
{
	int64_t grown;

	return history_growth(h, &row->past, history_get(h, &row->past), view->header->boottime_ns,
		       0, 0, &grown) == 0;
}

static bool has_process(const struct history *h, const struct view *view, uint32_t pid)
{
	struct top_row row;

	top_row_of_process(view, view_find_process(view, pid), &secret, &row);
	return has(h, view, &row);
}

static bool has_owner(
	const struct history *h, const struct view *view, enum owner_kind kind, const char *name)
{
	struct top_row row;

	top_row_of_owner(kind, name, 0, 0, &secret, &row);
	return has(h, view, &row);
}

/* Returns the PSS of the programs NAME of USER that H has of VIEW; -1: none. */
static int64_t pss_of_pair(
	const struct history *h, const struct view *view, const char *user, const char *name)
{
	struct top_row above, row;
	int64_t grown;

	top_row_of_owner(OWNER_USER, user, 0, 0, &secret, &above);
	top_row_of_owner(OWNER_PROGRAM, name, above.key, 0, &secret, &row);
	if (history_growth(h, &row.past, history_get(h, &row.past), view->header->boottime_ns, 0, 0,
		    &grown) != 0)
		return -1;
	return -grown;
}

static void rows_with_a_pss_have_samples(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	struct history h = {0};

	(void)state;
	samples_take(&h, view, HISTORY_OF_MEMTALLYD, &secret);
	assert_true(has_process(&h, view, 1000));
	assert_true(has_process(&h, view, 5000));
	assert_false(has_process(&h, view, 300));  /* denied */
	assert_false(has_process(&h, view, 1002)); /* its memory counts at another one */
	assert_true(has_owner(&h, view, OWNER_USER, "alice"));
	assert_true(has_owner(&h, view, OWNER_PROGRAM, "bash"));
	assert_true(has_owner(&h, view, OWNER_UNIT, "init.scope"));
	assert_true(has_owner(&h, view, OWNER_CONTAINER, SAMPLE_CONTAINER));
	assert_false(has_owner(&h, view, OWNER_USER, "bash"));
	assert_false(has_owner(&h, view, OWNER_USER, "4242")); /* none of its processes was read */
	assert_false(has_owner(&h, view, OWNER_USER, "(other)")); /* no row of its own */
	/* The programs of each user: sums of 390.6 and 97.7 MiB, and of one process. */
	assert_int_equal(pss_of_pair(&h, view, "alice", "firefox"),
		view_find_process(view, 1000)->q[PROCESS_PSS] +
			view_find_process(view, 1001)->q[PROCESS_PSS]);
	assert_int_equal(pss_of_pair(&h, view, "bob", "bash"),
		view_find_process(view, 2001)->q[PROCESS_PSS]);
	assert_int_equal(pss_of_pair(&h, view, "bob", "firefox"), -1);
	history_done(&h);
}

/* Processes that have exited are forgotten with the next slot; owners are not. */
static void rows_that_are_gone_are_forgotten(void **state)
{
	const struct sample_options many = {.more = 100},
				    few = {.boottime_ns = SAMPLE_BOOTTIME_NS + HISTORY_SLOT_NS,
					    .older_ns = HISTORY_SLOT_NS};
	struct history h = {0};
	size_t before;

	(void)state;
	take(&h, &many);
	before = h.count;
	take(&h, &(struct sample_options){.boottime_ns = SAMPLE_BOOTTIME_NS + NS_PER_SEC});
	assert_int_equal(h.count, before); /* the same slot */
	take(&h, &few);
	assert_int_equal(h.count, before - 100);
	history_done(&h);
}

/* The child that measures may have seen one user only: its sums are not those of memtallyd. */
static void rows_of_another_source_are_forgotten(void **state)
{
	const struct sample_options later = {.boottime_ns = SAMPLE_BOOTTIME_NS + NS_PER_SEC};
	AUTO_VIEW struct view *view = sample_open(NULL), *next = sample_open(&later);
	uint64_t now_ns = SAMPLE_BOOTTIME_NS + NS_PER_SEC;
	struct history h = {0};

	(void)state;
	samples_take(&h, view, HISTORY_OF_CHILD, &secret);
	assert_true(has_owner(&h, view, OWNER_USER, "alice"));
	samples_take(&h, next, HISTORY_OF_CHILD, &secret);
	assert_true(has_owner(&h, next, OWNER_USER, "alice"));
	samples_take(&h, next, HISTORY_OF_MEMTALLYD, &secret);
	assert_int_equal(history_oldest(&h, now_ns, 0), now_ns);
	history_done(&h);
}

/* A recorded snapshot of the same start of the machine fills the slot of its time. */
static void recorded_snapshots_fill_slots(void **state)
{
	const struct sample_options now = {.boottime_ns = SAMPLE_BOOTTIME_NS + 60 * NS_PER_SEC,
		.older_ns = 60 * NS_PER_SEC,
		.sequence = 9};
	AUTO_VIEW struct view *then = sample_open(NULL), *view = sample_open(&now);
	struct history h = {0};

	(void)state;
	assert_true(samples_is_comparable(then, view));
	assert_false(samples_is_comparable(view, then));
	assert_false(samples_is_comparable(view, view));
	samples_take(&h, view, HISTORY_OF_MEMTALLYD, &secret);
	assert_int_equal(top_known_of(&h, now.boottime_ns, 0).span_ns[TOP_SPAN_LONG], 0);
	assert_true(samples_fill(&h, then, 0, &secret));
	assert_false(samples_fill(&h, then, 0, &secret));
	assert_int_equal(history_oldest(&h, now.boottime_ns, 0), SAMPLE_BOOTTIME_NS);
	assert_true(has_process(&h, then, 1000));
	assert_true(has_owner(&h, then, OWNER_USER, "alice"));
	history_done(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_with_a_pss_have_samples),
		cmocka_unit_test(rows_of_another_source_are_forgotten),
		cmocka_unit_test(recorded_snapshots_fill_slots),
		cmocka_unit_test(rows_that_are_gone_are_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
