/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of collectors/adaptive/sharing-state.h: how exits, unlisted sharers and mapped files change
 * the estimates of a fork family.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>

#include "base/clock.h"
#include "collectors/adaptive/sharing-state.h"
#include "collectors/workers/maps-read.h"
#include "tests/unit/support/tree/adaptive.h"
#include "tests/unit/support/tree/run.h"

#define MIB (UINT64_C(1) << 20)

/*
 * When a process exits, the PSS of those that shared with it changes, and none of their counters
 * shows that.
 */
static void exit_makes_its_family_uncertain(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;
	struct tree_process a = adaptive_worker, b = a;
	const struct snapshot_process *row;

	(void)state;
	b.pid = 31;
	adaptive_add_anon(s, &a);
	adaptive_add_anon(s, &b);
	view_unref(adaptive_pass(s));
	view_unref(adaptive_pass(s));
	tree_remove(&s->tree, "31");
	view = adaptive_pass(s);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
	row = adaptive_row(view, 30);
	assert_int_equal(row->source, SOURCE_ESTIMATE);
	assert_int_equal(row->q[PROCESS_PSS] / 1024, 10000); /* shared by two, now by one */
	assert_true(row->q[PROCESS_PSS_LOW] <= row->q[PROCESS_PSS]);
	adaptive_assert_quiet(adaptive_row(view, 12), &adaptive_cast[3]); /* is unrelated */
	adaptive_again(s, &view);
	assert_int_equal(adaptive_row(view, 30)->q[PROCESS_PSS] / 1024, 10000);
	assert_int_equal(adaptive_row(view, 30)->source, SOURCE_ESTIMATE);
}

/*
 * If a tenth of a large family exits, few members can have lost all their sharers, so not all are
 * measured.
 */
static void few_exits_do_not_make_a_large_family_uncertain(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;
	struct tree_process p = {.image = 99,
		.name = "worker",
		.rss_kib = 13000,
		.pss_kib = 8250, /* 5000 KiB are shared by 20 */
		.uss_kib = 8000};
	const struct snapshot_process *row;
	char path[32];

	(void)state;
	for (p.pid = 100; p.pid < 200; p.pid++)
		adaptive_add_anon(s, &p);
	view_unref(adaptive_pass(s));
	view_unref(adaptive_pass(s));
	for (p.pid = 190; p.pid < 200; p.pid++) {
		snprintf(path, sizeof(path), "%d", p.pid);
		tree_remove(&s->tree, path);
	}
	view = adaptive_pass(s);
	row = adaptive_row(view, 100);
	assert_in_range(row->q[PROCESS_PSS] / 1024, 8265, 8285);
	assert_in_range(row->q[PROCESS_PSS_HIGH] / 1024, 8265, 8250 + 5000 * 3 / 10);
	adaptive_plan(s, 1);
	assert_int_equal(pass_measure(s->pass), 0);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
}

/*
 * A process that has less than expected shares with an unknown process. That may exit before the
 * next pass, and then all is private again.
 */
static void allows_for_unknown_sharers(void **state)
{
	/* every pass measures every process */
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new_within(run_adaptive.interval_ns);
	AUTO_VIEW struct view *view = NULL;
	struct tree_process p = adaptive_worker;

	(void)state;
	p.pss_kib = p.uss_kib = 10000;
	adaptive_add_anon(s, &p);
	view_unref(adaptive_pass(s));
	p.pss_kib = 5000; /* some of it has two sharers, some has three */
	p.uss_kib = 1000;
	adaptive_add_anon(s, &p);
	view = adaptive_pass(s);
	assert_int_equal(adaptive_row(view, 30)->q[PROCESS_PSS], 5000 * 1024);
	assert_int_equal(adaptive_row(view, 30)->q[PROCESS_PSS_LOW], 5000 * 1024);
	assert_int_equal(adaptive_row(view, 30)->q[PROCESS_PSS_HIGH], 10000 * 1024);
	/* If the unknown process still exists at the next measurement, it is expected to stay. */
	adaptive_again(s, &view);
	assert_int_equal(adaptive_row(view, 30)->q[PROCESS_PSS_HIGH], 5001 * 1024);
}

static void known_sharers_are_expected(void **state)
{
	const struct estimate before = {.pss_anon = 10 * MIB,
		.pss_file = 2 * MIB,
		.pss_shmem = 2 * MIB,
		.pss = 14 * MIB,
		.low = 8 * MIB,
		.high = 14 * MIB};
	struct tracked w = {.base = {.anon = 10 * MIB,
				    .file = 10 * MIB,
				    .pss_anon = 5 * MIB,
				    .pss_file = MIB,
				    .pss_shmem = 2 * MIB,
				    .has_parts = true},
		.seen = {.resident = 20 * MIB / 4096, .shared = 10 * MIB / 4096},
		.has_base = true};
	struct estimate e;

	(void)state;
	sharing_state_fell(&w, &before);
	assert_int_equal(w.fell_anon_kib, 0); /* such a low value was expected */
	assert_int_equal(w.fell_file_kib, 1024);
	assert_true(sharing_state_estimate(&w, 4096, NULL, &e, NULL));
	assert_int_equal(e.low, 8 * MIB);
	assert_int_equal(e.high, 9 * MIB);
	w.base.pss_anon = 4 * MIB;
	w.base.pss_file = 2 * MIB;
	w.base.pss_shmem = MIB;
	sharing_state_fell(&w, &before);
	assert_int_equal(w.fell_anon_kib, 1024);
	/* Differences of terabytes are kept too. */
	w.base.pss_anon = 0;
	sharing_state_fell(
		&w, &(struct estimate){.pss_anon = 8192 * 1024 * MIB, .low = 8192 * 1024 * MIB});
	assert_true(w.fell_anon_kib * UINT64_C(1024) > 4000 * 1024 * MIB);
	w.base.pss_anon = 10 * MIB;
	w.base.pss_file = 4 * MIB;
	sharing_state_fell(&w, &before);
	assert_int_equal(w.fell_anon_kib + w.fell_file_kib, 0);
}

/*
 * After an exit in its family a member's likely change is the same part of its shared memory, plus
 * the rise of its estimate.
 */
static void estimates_the_likely_change_after_exits(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	struct tree_process p = adaptive_worker;
	struct tracked *w;

	(void)state;
	p.pss_kib = 1000 + 9000 / 3;
	for (unsigned int i = 0; i < 3; i++, p.pid++)
		adaptive_add_anon(s, &p);
	view_unref(adaptive_pass(s));
	view_unref(adaptive_pass(s));
	w = s->pass->table.item[s->pass->table.count - 1]->tracked;
	assert_int_equal(sharing_state_likely(w), 0);
	tree_remove(&s->tree, "30");
	view_unref(adaptive_pass(s));
	/* A third of the 3000 KiB that it had of shared memory, plus the rise of its estimate. */
	assert_true(w->doubt && w->doubt->anon_mid > 0);
	assert_int_equal(sharing_state_likely(w), 1000 * 1024 + (uint64_t)w->doubt->anon_mid);
}

/* If a process cannot be read any more, nothing of its measurement is left to compare with. */
static void forgets_measurements_that_are_refused(void **state)
{
	/* every pass measures every process */
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new_within(run_adaptive.interval_ns);
	struct tree_process p = adaptive_worker;
	struct tracked *w;

	(void)state;
	adaptive_add_anon(s, &p);
	p.pid++;
	adaptive_add_anon(s, &p);
	view_unref(adaptive_pass(s));
	view_unref(adaptive_pass(s));
	w = s->pass->table.item[s->pass->table.count - 1]->tracked;
	assert_true(w->has_base && w->member.measured_ns && w->member.family);
	w->watch = TRACKED_COUNTED;
	w->doubt = calloc(1, sizeof(*w->doubt));
	assert_non_null(w->doubt);
	w->broken_kib = w->fell_anon_kib = w->fell_file_kib = 1 << 20;
	families_suspect(&w->member, 1 << 30, w->measured_ns);
	s->opened[OPENED_ROLLUP].error = EACCES;
	view_unref(adaptive_pass(s));
	assert_false(w->has_base || w->watch || w->member.measured_ns || w->doubt);
	assert_int_equal(w->broken_kib + w->fell_anon_kib + w->fell_file_kib, 0);
	assert_int_equal(w->member.suspected, 0);
}

/*
 * A process that shares with an unknown process is measured again, because that process may have
 * exited.
 */
static void measures_processes_with_unknown_sharers_again(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;

	(void)state;
	adaptive_add_anon(s, &adaptive_worker);
	view = adaptive_pass(s);
	assert_int_equal(adaptive_row(view, 30)->q[PROCESS_PSS_HIGH], 10000 * 1024);
	adaptive_again(s, &view);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 1);
	assert_int_equal(adaptive_row(view, 30)->q[PROCESS_PSS_HIGH], 5501 * 1024);
	adaptive_again(s, &view);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
}

/* P is measured again, with the same result. */
static void meet_again(struct adaptive *s, struct process *p)
{
	const struct page_walk_result walked = {.has_faults = false};

	sharing_state_measured(&s->pass->adaptive.sharing_state, p,
		&(struct sharing_state_finding){
			.walked = &walked, .now_ns = clock_now_ns(CLOCK_BOOTTIME)});
}

/*
 * A text of maps longer than 1 MiB is read once, not at every measurement, and its content is
 * used.
 */
static void reads_long_maps_once(void **state)
{
	static const char line[] = "10000000-10001000 r--p 00000000 00:00 0\n";
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_FREE char *text = malloc((2 << 20) + 256);
	struct tree_event opened = {.suffix = "maps"};
	struct process *worker;
	size_t len = 0;

	(void)state;
	assert_non_null(text);
	adaptive_add(s, &adaptive_worker, 0);
	view_unref(adaptive_pass(s));
	worker = s->pass->table.item[s->pass->table.count - 1];
	assert_int_equal(worker->pid, 30);
	assert_false(worker->tracked->member.sharer.is_mapped); /* no maps yet */
	len = (size_t)snprintf(text, 256, "%llx-%llx r--s 00000000 08:01 7 /shared\n",
		(unsigned long long)worker->range_start,
		(unsigned long long)worker->range_start + (8 << 20));
	for (; len < 2 << 20; len += sizeof(line) - 1)
		memcpy(text + len, line, sizeof(line));
	tree_write(&s->tree, "30/maps", text);
	tree_expect(&opened, 1);
	for (unsigned int i = 0; i < 3; i++)
		meet_again(s, worker);
	assert_int_equal(opened.count, 1);
	assert_true(worker->tracked->member.sharer.is_mapped);
	assert_int_equal(worker->tracked->member.sharer.count, 1);
	tree_expect(NULL, 0);
}

/* Mappings behind the end of a cut text are unknown. Bounds must allow for any shared file. */
static void cut_maps_widen_bounds(void **state)
{
	static const char name[] =
		"/a/name/of/a/hundred/bytes/and/more/that/a/process/maps/over/and/over/"
		"again/so/that/the/text/of/its/maps/is/longer/than/any/is/read";
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_FREE char *text = malloc(MAPS_TEXT_MAX + 512);
	const struct snapshot_process *row;
	AUTO_VIEW struct view *view = NULL;
	struct process *worker;
	size_t len = 0;

	(void)state;
	assert_non_null(text);
	adaptive_add(s, &adaptive_worker, 0);
	view = adaptive_pass(s);
	worker = s->pass->table.item[s->pass->table.count - 1];
	row = adaptive_row(view, adaptive_worker.pid);
	assert_in_range(row->q[PROCESS_PSS_HIGH] - row->q[PROCESS_PSS_LOW], 0, 1024);
	while (len < MAPS_TEXT_MAX)
		len += (size_t)snprintf(text + len, 512, "%llx-%llx r--s 00000000 08:01 7 %s\n",
			(unsigned long long)worker->range_start,
			(unsigned long long)worker->range_start + 4096, name);
	tree_write(&s->tree, "30/maps", text);
	meet_again(s, worker);
	assert_true(worker->tracked->is_cut);
	adaptive_again(s, &view);
	row = adaptive_row(view, adaptive_worker.pid);
	assert_true(row->q[PROCESS_PSS_LOW] <= row->q[PROCESS_USS]);
	assert_int_equal(row->q[PROCESS_PSS_HIGH], row->q[PROCESS_RSS]);

	/* A complete text is used again. */
	tree_write(&s->tree, "sys/vm/max_map_count", "1000000\n");
	worker->tracked->member.sharer.is_mapped = false;
	meet_again(s, worker);
	assert_false(worker->tracked->is_cut);
	adaptive_again(s, &view);
	row = adaptive_row(view, adaptive_worker.pid);
	assert_true(row->q[PROCESS_PSS_HIGH] < row->q[PROCESS_RSS]);
}

/* Users cannot predict how the keys of relations are hashed. */
static void hash_tables_are_seeded(void **state)
{
	AUTO_ADAPTIVE struct adaptive *a = adaptive_new(&run_adaptive),
				      *b = adaptive_new(&run_adaptive);
	const struct families *k = &a->pass->adaptive.sharing_state.families,
			      *l = &b->pass->adaptive.sharing_state.families;

	(void)state;
	assert_true(k->families.seed && k->objects.seed);
	assert_true(k->families.seed != l->families.seed);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(exit_makes_its_family_uncertain),
		cmocka_unit_test(few_exits_do_not_make_a_large_family_uncertain),
		cmocka_unit_test(allows_for_unknown_sharers),
		cmocka_unit_test(known_sharers_are_expected),
		cmocka_unit_test(estimates_the_likely_change_after_exits),
		cmocka_unit_test(forgets_measurements_that_are_refused),
		cmocka_unit_test(measures_processes_with_unknown_sharers_again),
		cmocka_unit_test(hash_tables_are_seeded),
		cmocka_unit_test(reads_long_maps_once),
		cmocka_unit_test(cut_maps_widen_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
