/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of collectors/adaptive/sharing-state.h: how births change the estimates of the parent and
 * of the children, and how an address space with several processes is measured.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "collectors/adaptive/sharing-state.h"
#include "collectors/model/family/fork-families-private.h"
#include "tests/unit/support/tree/adaptive.h"
#include "tests/unit/support/tree/run.h"

#define MIB (UINT64_C(1) << 20)

static const struct tree_process server = {.pid = 4,
	.parent = 4, /* and that of all that are made from it */
	.image = 99,
	.name = "server",
	.rss_kib = 10000,
	.pss_kib = 9500,
	.uss_kib =
		/*
		 * Parts of the shared memory have different sharers, so that their number cannot
		 * be derived.
		 */
	9100};

/*
 * Workers that a process has forked are measured in the same pass, and so is the process, which
 * shares with them.
 */
static void measures_new_family_members_at_once(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;
	struct tree_process p = server;
	uint64_t born_ticks;

	(void)state;
	adaptive_add(s, &p, 0);
	/*
	 * If they are born in the tick of the measurement, it is unknown whether that saw them. So
	 * it must be early in a tick, and short.
	 */
	while (clock_now_ns(CLOCK_BOOTTIME) % 10000000 > 1000000)
		;
	view_unref(adaptive_pass(s));
	view_unref(adaptive_pass(s)); /* may measure it again on a busy host */
	born_ticks = clock_now_ns(CLOCK_BOOTTIME) / 10000000;
	p.pss_kib = 2600;
	p.uss_kib = 100;
	adaptive_add(s, &p, 0);
	tree_write(&s->tree, "4/statm", "10000 2500 250 0 0 0 0\n"); /* unchanged */
	p.start_ticks = born_ticks;
	for (p.pid = 40; p.pid < 43; p.pid++)
		adaptive_add(s, &p, 0);
	view = adaptive_pass(s);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 4);
	assert_int_equal(adaptive_row(view, 4)->q[PROCESS_PSS], 2600 * 1024);
	assert_int_equal(adaptive_row(view, 4)->source, SOURCE_ROLLUP);
	for (uint32_t pid = 40; pid < 43; pid++)
		assert_int_equal(adaptive_row(view, pid)->source, SOURCE_ROLLUP);
	view_unref(adaptive_pass(s));
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
}

static pid_t alone; /* all other processes have one address space */

static int one_address_space(pid_t a, pid_t b)
{
	return (a == alone) != (b == alone);
}

/*
 * Children that share the whole address space of their parent (vfork) are no forks, and make no
 * estimate uncertain.
 */
static void shared_address_space_is_no_fork(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;
	struct tree_process p = server;

	(void)state;
	alone = 0;
	s->pass->sharing.compare = one_address_space;
	adaptive_add(s, &p, 0);
	view_unref(adaptive_pass(s));
	view_unref(adaptive_pass(s));
	p.start_ticks = clock_now_ns(CLOCK_BOOTTIME) / 10000000;
	for (p.pid = 40; p.pid < 43; p.pid++)
		adaptive_add(s, &p, 0);
	for (unsigned int pass = 0; pass < 2; pass++) {
		adaptive_again(s, &view);
		assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
		assert_int_equal(adaptive_row(view, 4)->q[PROCESS_PSS], 9500 * 1024);
		assert_int_equal(adaptive_row(view, 4)->q[PROCESS_PSS_HIGH] / 1024, 9501);
		for (uint32_t pid = 40; pid < 43; pid++) {
			assert_int_equal(adaptive_row(view, pid)->outcome, OUTCOME_SHARED_MM);
			assert_int_equal(adaptive_row(view, pid)->mm_pid, 4);
		}
		assert_int_equal(adaptive_turns(s), 0);
	}
	/* One of them calls exec. */
	p.pid = 41;
	p.name = "child";
	p.image = 98;
	p.pss_kib = 800;
	p.uss_kib = 700;
	p.rss_kib = 900;
	adaptive_add(s, &p, 0);
	alone = 41;
	adaptive_again(s, &view);
	assert_int_equal(adaptive_row(view, 41)->q[PROCESS_PSS], 800 * 1024);
}

/*
 * The process that stood for an address space exits. The next one is measured, because it does not
 * know of births and exits.
 */
static void measures_the_next_process_of_an_address_space(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;
	struct tree_process p = adaptive_worker;

	(void)state;
	alone = 0;
	p.start_ticks = 1000;
	s->pass->sharing.compare = one_address_space;
	adaptive_add_anon(s, &p);
	p.pid = 31;
	p.start_ticks++;
	adaptive_add_anon(s, &p);
	for (unsigned int pass = 0; pass < 2; pass++) {
		adaptive_again(s, &view);
		assert_int_equal(adaptive_row(view, 31)->outcome, OUTCOME_SHARED_MM);
		adaptive_turns(s);
	}
	p.pss_kib += 500; /* as other processes release theirs */
	adaptive_add_anon(s, &p);
	tree_remove(&s->tree, "30");
	adaptive_again(s, &view);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
	assert_int_equal(adaptive_row(view, 31)->outcome, OUTCOME_MEASURED);
	adaptive_plan(s, 1);
	adaptive_again(s, &view);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 1);
	assert_int_equal(adaptive_row(view, 31)->q[PROCESS_PSS], p.pss_kib * 1024);
	adaptive_again(s, &view);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
}

/* The child of a giant is as large. The parent's measurement is used for both. */
static void measurement_of_a_giant_covers_its_children(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;
	struct tree_process p = {.pid = 4,
		.parent = 4, /* and that of all that are made from it */
		.image = 50,
		.name = "giant",
		.rss_kib = 8 << 20,
		.pss_kib = 8 << 20,
		.uss_kib = 8 << 20};
	const struct tracked *child;

	(void)state;
	adaptive_add(s, &p, 0);
	adaptive_add_mappings(s, &p, 1);
	for (unsigned int pass = 0; pass < 3; pass++) {
		view_unref(adaptive_pass(s));
		adaptive_turns(s);
	}
	assert_int_equal(s->pass->adaptive.walks.counts.reads[WALK_COST_ROLLUP], 5);
	p.pid = 60;
	p.start_ticks = clock_now_ns(CLOCK_BOOTTIME) / 10000000;
	adaptive_add(s, &p, 0);
	adaptive_add_mappings(s, &p, 1);
	for (unsigned int pass = 0; pass < 3; pass++) {
		adaptive_again(s, &view);
		child = s->pass->table.item[s->pass->table.count - 1]->tracked;
		assert_ptr_equal(sharing_state_speaker(child), s->pass->table.item[1]->tracked);
		adaptive_turns(s);
		assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
	}
	assert_int_equal(adaptive_row(view, 60)->source, SOURCE_ESTIMATE);
}

/*
 * After a pass the server grows by GROWN_KIB and forks a child. The child has MORE_KIB more than
 * that when it is first measured. Returns the child.
 */
static struct tracked *meet_newborn(struct adaptive *s, uint64_t grown_kib, uint64_t more_kib)
{
	struct tree_process p = server;
	struct tracked *w;

	p.rss_kib += grown_kib;
	adaptive_add_anon(s, &p);
	p.pid = 40;
	p.start_ticks = clock_now_ns(CLOCK_BOOTTIME) / 10000000 + 1;
	p.rss_kib += more_kib;
	p.uss_kib = 5000;
	p.pss_kib = 5000 + (p.rss_kib - 5000) / 2;
	adaptive_add_anon(s, &p);
	view_unref(adaptive_pass(s));
	w = s->pass->table.item[s->pass->table.count - 1]->tracked;
	assert_true(w->has_base && w->member.family);
	return w;
}

/*
 * Private memory of a child at its first measurement, apart from its growth, is memory that it has
 * written to. Later children are expected to do the same.
 */
static void learns_how_much_newborns_write(void **state)
{
	static const uint64_t grown_kib[] = {0, 400}, more_kib[] = {0, 500};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(more_kib); i++) {
		AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
		const struct tracked *w;

		adaptive_add_anon(s, &server);
		view_unref(adaptive_pass(s));
		view_unref(adaptive_pass(s));
		w = meet_newborn(s, grown_kib[i], more_kib[i]);
		/* The first of the observations, which weigh a quarter each. */
		assert_int_equal(w->member.family->soon_written, (5000 - more_kib[i]) * 1024 / 4);
	}
}

/*
 * How much a child has written follows from what its parent had, which is unknown if the parent
 * cannot be measured.
 */
static void learns_nothing_without_a_measured_parent(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);

	(void)state;
	adaptive_add_anon(s, &server);
	view_unref(adaptive_pass(s));
	view_unref(adaptive_pass(s));
	sharing_state_unmeasured(s->pass->table.item[1]->tracked);
	s->pass->table.item[1]->tracked->outcome = OUTCOME_DENIED;
	assert_int_equal(s->pass->table.item[1]->pid, server.pid);
	assert_int_equal(meet_newborn(s, 0, 0)->member.family->soon_written, 0);
}

/*
 * Two processes share 8000 KiB, and another 1000 KiB with their parent, which has another address
 * range.
 */
static void start_beside_a_parent(struct adaptive *s)
{
	struct tree_process parent = server, p = adaptive_worker;

	parent.image = 98;
	parent.uss_kib = 9000;
	parent.pss_kib = 9333;
	p.pss_kib = 5333;
	p.parent = parent.pid;
	adaptive_add_anon(s, &parent);
	adaptive_add_anon(s, &p);
	p.pid++;
	adaptive_add_anon(s, &p);
	view_unref(adaptive_pass(s));
	view_unref(adaptive_pass(s));
}

/*
 * Memory that the parent, of another range, shares with all of a family does not become private
 * when members exit.
 */
static void knows_memory_shared_with_the_parent(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;

	(void)state;
	start_beside_a_parent(s);
	tree_remove(&s->tree, "31");
	view = adaptive_pass(s);
	assert_int_equal(adaptive_row(view, 30)->source, SOURCE_ESTIMATE);
	assert_in_range(adaptive_row(view, 30)->q[PROCESS_PSS] / 1024, 9495, 9505);
}

/*
 * The same for a process that is measured for the first time. One of the four processes that share
 * with it is unknown.
 */
static void knows_memory_shared_with_the_parent_at_once(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;
	struct tree_process p = adaptive_worker;
	const struct family_member *m;

	(void)state;
	start_beside_a_parent(s);
	p.pid = 40;
	p.parent = 4;
	p.pss_kib = 3200; /* 1000 KiB have five sharers, 8000 KiB have four */
	adaptive_add_anon(s, &p);
	view = adaptive_pass(s);
	assert_int_equal(adaptive_row(view, 40)->source, SOURCE_ROLLUP);
	m = &s->pass->table.item[s->pass->table.count - 1]->tracked->member;
	assert_int_equal(m->outside.others, 4); /* from what its parent has, rounded up */
	assert_int_equal(m->unseen, 1);
}

/*
 * What a parent shared before a child was born does not tell what it shares with the child: it may
 * be all.
 */
static void allows_for_sharing_all_with_the_parent(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	struct tree_process parent = server, p = adaptive_worker;
	const struct family_member *m;
	struct estimate e;

	(void)state;
	parent.image = 98;
	adaptive_add_anon(s, &parent);
	view_unref(adaptive_pass(s));
	view_unref(adaptive_pass(s));
	p.pid = 40;
	p.parent = parent.pid;
	p.start_ticks = clock_now_ns(CLOCK_BOOTTIME) / 10000000 + 1;
	adaptive_add_anon(s, &p);
	view_unref(adaptive_pass(s));
	m = &s->pass->table.item[s->pass->table.count - 1]->tracked->member;
	assert_int_equal(m->outside.bytes, 10000 * 1024);
	/*
	 * The parent may share all of that with the child, or nothing, until it is measured again.
	 */
	assert_int_equal(s->pass->table.item[1]->pid, 4);
	assert_true(sharing_state_estimate(s->pass->table.item[1]->tracked, 4096, NULL, &e, NULL));
	assert_int_equal(e.low / 1024, 4750);
	assert_int_equal(e.pss / 1024, 9500);
	assert_in_range(e.high / 1024, 9500, 9501);
}

/* A child of the same range shares with its grandparent what its parent does. */
static void knows_memory_shared_with_grandparents(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	struct tree_process p = server;

	(void)state;
	adaptive_add(s, &p, 0);
	view_unref(adaptive_pass(s));
	families_inherits(
		&s->pass->table.item[1]->tracked->member, &(struct share_count_outside){MIB, 7});
	p.pid = 40;
	adaptive_add(s, &p, 0);
	view_unref(adaptive_pass(s));
	assert_int_equal(s->pass->table.item[s->pass->table.count - 1]->pid, 40);
	assert_int_equal(
		s->pass->table.item[s->pass->table.count - 1]->tracked->member.outside.bytes, MIB);
	/* Without a parent it shares nothing with a grandparent. */
	p = server;
	p.rss_kib *= 4;
	adaptive_add(s, &p, 0);
	view_unref(adaptive_pass(s));
	assert_int_equal(s->pass->table.item[1]->tracked->member.outside.bytes, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(measures_new_family_members_at_once),
		cmocka_unit_test(shared_address_space_is_no_fork),
		cmocka_unit_test(measures_the_next_process_of_an_address_space),
		cmocka_unit_test(measurement_of_a_giant_covers_its_children),
		cmocka_unit_test(learns_how_much_newborns_write),
		cmocka_unit_test(learns_nothing_without_a_measured_parent),
		cmocka_unit_test(knows_memory_shared_with_the_parent),
		cmocka_unit_test(knows_memory_shared_with_the_parent_at_once),
		cmocka_unit_test(allows_for_sharing_all_with_the_parent),
		cmocka_unit_test(knows_memory_shared_with_grandparents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
