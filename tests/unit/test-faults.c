/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include <stdio.h>

#include "base/clock.h"
#include "collectors/choosing.h"
#include "collectors/faults.h"
#include "collectors/relations.h"
#include "tests/unit/adaptive.h"
#include "tests/unit/run.h"
#include "tests/unit/tree.h"

#define PAGE UINT64_C(4096)
#define MIB  (UINT64_C(1) << 20)
#define SEC  NS_PER_SEC

enum { MEMBERS = 6, CROWD = 70 };

struct scene {
	struct tree tree;
	struct procfs procfs;
	struct process_reader reader;
	struct process process[CROWD], *item[CROWD];
	struct watch watch[CROWD];
	struct proctable table;
	struct faults faults;
	struct relations relations;
	struct tree_event opened;
};

static void measured(struct scene *s, unsigned int i, uint32_t faults)
{
	const struct walked walked = {.faults = faults, .has_faults = true};

	faults_measured(&s->reader, &s->process[i], &walked, 300 * SEC);
}

/* COUNT of them, each of whom has 100 MiB, of which it shares 90 with others. */
static struct scene *scene_of(unsigned int count)
{
	struct scene *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	assert_true(count <= CROWD);
	tree_open(&s->tree);
	s->procfs = (struct procfs){.fd = s->tree.fd, .ns_per_tick = 10000000};
	s->reader.procfs = &s->procfs;
	s->faults.page_bytes = PAGE;
	for (unsigned int i = 0; i < count; i++) {
		process_init(&s->process[i], (pid_t)(10 + i));
		s->item[i] = &s->process[i];
		s->process[i].known = true;
		s->process[i].watch = &s->watch[i];
		s->watch[i] = (struct watch){
			.base = {.anon = 100 * MIB,
				.pss_anon = 20 * MIB,
				.uss = 10 * MIB,
				.has_parts = true},
			.seen = {.resident = 100 * MIB / PAGE},
			.has_base = true,
			.is_member = true,
		};
		tree_set_faults(&s->tree, (pid_t)(10 + i), 1000);
		measured(s, i, 1000);
	}
	s->table = (struct proctable){.item = s->item, .count = count};
	s->opened.suffix = "stat";
	tree_expect(&s->opened, 1);
	return s;
}

static struct scene *scene_new(void)
{
	return scene_of(MEMBERS);
}

static void scene_done(struct scene **s)
{
	tree_expect(NULL, 0);
	for (unsigned int i = 0; i < MEMBERS; i++)
		kin_gone(&(*s)->relations.kin, &(*s)->watch[i].kin);
	kin_done(&(*s)->relations.kin);
	process_reader_done(&(*s)->reader);
	tree_done(&(*s)->tree);
	free(*s);
}
#define AUTO_SCENE CLEANUP(scene_done)

static void counts_where_it_may_matter(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();
	const struct walked unknown = {.has_faults = false};

	(void)state;
	assert_true(s->watch[0].has_faults);
	assert_int_equal(s->watch[0].faults, 1000);
	s->watch[1].base.pss_anon = 100 * MIB; /* all of it is its own */
	measured(s, 1, 2000);
	assert_false(s->watch[1].has_faults);
	/* Of whom that was not expected it is asked now, if it matters. */
	tree_set_faults(&s->tree, 10, 3000);
	faults_measured(&s->reader, &s->process[0], &unknown, 300 * SEC);
	assert_true(s->watch[0].has_faults);
	assert_int_equal(s->watch[0].faults, 3000);
	s->opened.count = 0;
	faults_measured(&s->reader, &s->process[1], &unknown, 300 * SEC);
	assert_false(s->watch[1].has_faults);
	assert_int_equal(s->opened.count, 0);
	tree_remove(&s->tree, "10");
	faults_measured(&s->reader, &s->process[0], &unknown, 300 * SEC);
	assert_false(s->watch[0].has_faults);
}

static void look(struct scene *s, uint64_t max_age_ns, uint64_t available_ns)
{
	s->opened.count = 0;
	faults_look(&s->faults, &s->reader, &s->table, 10 * SEC, max_age_ns, available_ns);
}

/* Some in each pass, all of them several times in a maximum age. */
static void looks_in_turn(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	for (unsigned int pass = 0; pass < 6; pass++) {
		look(s, 120 * SEC, SEC);
		assert_int_equal(s->opened.count, MEMBERS / 3);
	}
	s->watch[0].has_faults = s->watch[1].has_base = false;
	s->watch[2].is_elsewhere = true;
	look(s, 10 * SEC, 0);
	assert_int_equal(s->opened.count, MEMBERS - 3);
}

/* What has grown was faulted in: anonymous memory, and files and shared memory, of which each page may be a fault. */
static void growth_is_no_write(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	for (pid_t pid = 10; pid < 10 + MEMBERS; pid++)
		tree_set_faults(&s->tree, pid, 1000 + 40 * 256);
	s->watch[0].seen.resident += 40 * 256;
	s->watch[1].seen.resident += 40 * 256;
	s->watch[1].seen.shared += 40 * 256;
	s->watch[2].seen.resident += 30 * 256;
	s->watch[2].seen.shared += 20 * 256;
	look(s, 10 * SEC, 0);
	assert_int_equal(s->watch[0].broken_kib, 0);
	assert_int_equal(s->watch[1].broken_kib, 0);
	assert_int_equal(s->watch[2].broken_kib, 10 << 10);
	assert_int_equal(s->watch[3].broken_kib, 40 << 10);
}

static void join(struct scene *s, unsigned int i)
{
	struct watch *w = &s->watch[i];

	assert_int_equal(kin_measured(&s->relations.kin, &w->kin, 1000, 2000, NULL, &w->base,
				 clock_now_ns(CLOCK_BOOTTIME)),
		0);
}

/* The first LAST of them have a family, and fault for 40 MiB, in which they share enough for that. */
static void write_all(struct scene *s, unsigned int last)
{
	for (unsigned int i = 0; i < MEMBERS; i++) {
		if (i < last)
			join(s, i);
		tree_set_faults(&s->tree, (pid_t)(10 + i), 1000 + 40 * 256);
	}
}

static unsigned int count_broken(const struct scene *s)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < MEMBERS; i++)
		count += s->watch[i].broken_kib == 40 << 10;
	return count;
}

/* Where one writes, its family is looked at in the same pass, and nobody else. */
static void one_alarms_its_family(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	write_all(s, 4);
	/* In turn one of them comes now, and one of the others. */
	look(s, 120 * SEC, SEC);
	assert_int_equal(s->opened.count, 5);
	assert_int_equal(count_broken(s), 5);
}

/* Whose faults were for nothing before alarms nobody. */
static void who_is_calm_alarms_nobody(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	write_all(s, 4);
	for (unsigned int i = 0; i < MEMBERS; i++)
		s->watch[i].calm = 1;
	look(s, 120 * SEC, SEC);
	assert_int_equal(s->opened.count, 2);
}

/* Looks out of turn take a quarter of the tokens, and go on where they ended. */
static void alarms_cost_no_more_than_their_part(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	write_all(s, MEMBERS);
	look(s, 120 * SEC, 0);
	assert_int_equal(s->opened.count, 2);
	faults_alarmed(&s->faults, &s->reader, &s->table);
	assert_int_equal(s->opened.count, 2);

	for (unsigned int pass = 0; pass < 3; pass++) {
		for (unsigned int i = 0; i < MEMBERS; i++)
			s->watch[i].is_unwatched = false;
		look(s, 1200 * SEC, 80 * NS_PER_USEC); /* that is two; nobody's turn has come */
		assert_int_equal(s->opened.count, 0);
		faults_alarmed(&s->faults, &s->reader, &s->table);
		assert_int_equal(s->opened.count, 2);
		faults_alarmed(&s->faults, &s->reader, &s->table);
		assert_int_equal(s->opened.count, 2);
	}
	assert_int_equal(count_broken(s), MEMBERS);
}

static uint64_t high_of(const struct scene *s, unsigned int i)
{
	struct estimate e;

	assert_true(relations_estimate(&s->watch[i], PAGE, NULL, &e, NULL));
	return e.high;
}

static void age(struct scene *s, uint64_t age_ns)
{
	uint64_t then_ns = clock_now_ns(CLOCK_BOOTTIME) - age_ns;

	for (unsigned int i = 0; i < MEMBERS; i++) {
		join(s, i);
		s->watch[i].measured_ns = s->watch[i].kin.measured_ns = then_ns;
	}
}

/*
 * A parent and its child, and others: where tokens are gone no alarm would find who writes, so that whoever was not looked at
 * for longer than an interval may have written to all that it shares.
 */
static void who_is_not_watched_may_have_written(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	age(s, 15 * SEC);
	s->watch[5].measured_ns = clock_now_ns(CLOCK_BOOTTIME) - 5 * SEC;
	/* As long as there are looks left for an alarm, it is enough to come in turn. */
	look(s, 1200 * SEC, SEC);
	assert_int_equal(s->opened.count, 0);
	assert_int_equal(high_of(s, 0), 20 * MIB);
	look(s, 1200 * SEC, 0);
	assert_int_equal(s->opened.count, 0);
	for (unsigned int i = 0; i < 5; i++)
		assert_int_equal(high_of(s, i), 100 * MIB);
	/* What the others may have written to was its as well. */
	assert_true(high_of(s, 5) > 40 * MIB);
	assert_false(s->watch[5].is_unwatched || s->watch[6].is_unwatched);
	/* That is no reason to measure any of them. */
	for (unsigned int i = 0; i < MEMBERS; i++) {
		assert_int_equal(relations_broken(&s->watch[i]), 0);
		assert_int_equal(
			choosing_doubt(&s->watch[i], 20 * MIB, 20 * MIB, high_of(s, i)), 0);
	}

	/* It is looked at as soon as that can be, and then it is known; in a small family nothing is left to suspect. */
	look(s, 1200 * SEC, SEC);
	assert_int_equal(s->opened.count, 5);
	for (unsigned int i = 0; i < MEMBERS; i++)
		assert_int_equal(high_of(s, i), 20 * MIB);
	look(s, 1200 * SEC, SEC);
	assert_int_equal(s->opened.count, 0);
	look(s, 1200 * SEC, 0); /* nobody's look is older than an interval */
	assert_int_equal(high_of(s, 0), 20 * MIB);
}

/* A fork copies much of what it shares in its first seconds, whatever is known of its family. */
static void the_young_are_watched(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();
	uint64_t now_ns = clock_now_ns(CLOCK_BOOTTIME);

	(void)state;
	for (unsigned int i = 0; i < MEMBERS; i++) {
		s->watch[i].kin.born_ns = now_ns - 60 * SEC;
		s->watch[i].measured_ns = now_ns - (i == 3 ? 31 : 29) * SEC;
	}
	tree_set_faults(&s->tree, 13, 1000 + 40 * 256);
	look(s, 1200 * SEC, SEC);
	assert_int_equal(s->opened.count, 1);
	assert_int_equal(relations_broken(&s->watch[3]), 40 * MIB);
	/* Not if there are no looks left. */
	look(s, 1200 * SEC, 0);
	assert_int_equal(s->opened.count, 0);
}

/* Those few who share most of all are looked at all the same: others' births neither hide what they do nor widen their bounds. */
static void the_largest_are_always_watched(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		s->watch[i].base.anon = i < 2 ? 1500 * MIB : 140 * MIB;
		s->watch[i].base.pss_anon = 20 * MIB;
		s->watch[i].seen.resident = s->watch[i].base.anon / PAGE;
		s->watch[i].measured_ns = clock_now_ns(CLOCK_BOOTTIME) - 15 * SEC;
	}
	tree_set_faults(&s->tree, 11, 1000 + 750 * 256);
	look(s, 1200 * SEC, 0);
	assert_int_equal(s->opened.count, 2);
	assert_int_equal(high_of(s, 0), 20 * MIB);
	assert_int_equal(relations_broken(&s->watch[1]), 750 * MIB);
	assert_true(s->watch[2].is_unwatched);
	/* Once is enough if it is its turn as well. */
	look(s, 40 * SEC, 0);
	assert_int_equal(s->opened.count, MEMBERS);
}

/* However many others share nearly as much: the 64 who share most. */
static void many_hide_nobody(void **state)
{
	AUTO_SCENE struct scene *s = scene_of(CROWD);

	(void)state;
	for (unsigned int i = 0; i < CROWD; i++) {
		s->watch[i].base.anon = 1000 * MIB + (i == 5 ? 0 : i + 1) * MIB;
		s->watch[i].seen.resident = s->watch[i].base.anon / PAGE;
		s->watch[i].measured_ns = clock_now_ns(CLOCK_BOOTTIME) - 15 * SEC;
	}
	s->watch[CROWD - 1].has_faults = false; /* of whose writes nobody knows anything */
	look(s, 1200 * SEC, 0);
	assert_int_equal(s->opened.count, 64);
	for (unsigned int i = 0; i < CROWD; i++)
		assert_int_equal(s->watch[i].is_unwatched, i < 4 || i == 5);
	s->watch[5].base.anon = 2000 * MIB;
	look(s, 1200 * SEC, 0);
	assert_int_equal(s->opened.count, 64);
	assert_false(s->watch[5].is_unwatched);
}

/* Nor is anything known of a child that could not be measured: its family may have gained by what it has written to. */
static void who_was_never_measured_may_have_written(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	age(s, 5 * SEC);
	s->watch[5].has_base = false;
	s->watch[5].is_related = true;
	look(s, 1200 * SEC, SEC);
	assert_int_equal(high_of(s, 0), 20 * MIB);
	look(s, 1200 * SEC, 0);
	assert_false(s->watch[0].is_unwatched || s->watch[5].is_unwatched);
	assert_true(high_of(s, 0) > 25 * MIB);
	kin_suspect(&s->watch[5].kin, 0, 0); /* as its measurement does */
	assert_int_equal(high_of(s, 0), 20 * MIB);
}

/* A measurement tells as much as a look does. */
static void a_measurement_ends_the_suspicion(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	s->watch[0].measured_ns = clock_now_ns(CLOCK_BOOTTIME) - 15 * SEC;
	look(s, 1200 * SEC, 0);
	assert_int_equal(high_of(s, 0), 100 * MIB);
	measured(s, 0, 1000);
	assert_int_equal(high_of(s, 0), 20 * MIB);
}

/* I is found to have 40 MiB more than it was expected to, by a walk that began at FAULTS. */
static bool find(struct scene *s, unsigned int i, uint32_t faults)
{
	const struct walked walked = {.faults = faults, .has_faults = true};
	const struct estimate before = {.pss_anon = s->watch[i].base.pss_anon - 40 * MIB};

	return faults_found(&s->faults, &s->relations, &s->reader, &s->process[i], &walked, &before,
		clock_now_ns(CLOCK_BOOTTIME));
}

static uint64_t broken_of(const struct kin_member *m)
{
	struct breaks_sum broken;

	kin_broken(m, &broken);
	return broken.gained;
}

/*
 * What one has written to until its faults were looked at, those know who were measured between that and its own walk;
 * not what it has written to since.
 */
static void tells_those_who_can_not_know(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	for (unsigned int i = 0; i < MEMBERS; i++) {
		s->watch[i].base.pss_anon = 60 * MIB;
		join(s, i);
	}
	for (pid_t pid = 10; pid < 12; pid++)
		tree_set_faults(&s->tree, pid, 1000 + 50 * 256);
	look(s, 10 * SEC, 0);
	join(s, 4);
	/* The others may have gained by that before anybody is measured, as far as they share. */
	assert_int_equal(high_of(s, 5), 100 * MIB);
	assert_int_equal(high_of(s, 4), 60 * MIB);
	find(s, 0, 1000 + 50 * 256);
	assert_int_equal(broken_of(&s->watch[4].kin), 0);
	assert_int_equal(broken_of(&s->watch[5].kin), 40 * MIB);
	/* Nor what the other may have written to. */
	assert_int_equal(kin_suspected(&s->watch[4].kin), 0);
	assert_int_equal(kin_suspected(&s->watch[5].kin), 50 * MIB);
	assert_int_equal(kin_suspected(&s->watch[1].kin), 0); /* that is its own */
	tree_set_faults(&s->tree, 11, 1000 + 51 * 256);
	find(s, 1, 1000 + 51 * 256);
	assert_int_equal(broken_of(&s->watch[4].kin), 40 * MIB);
	assert_int_equal(broken_of(&s->watch[5].kin), 80 * MIB);
	assert_int_equal(kin_suspected(&s->watch[5].kin), 0);
}

/* Who has more because others have let go of it has nothing to tell. */
static void tells_of_what_was_written_alone(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	for (unsigned int i = 0; i < MEMBERS; i++) {
		s->watch[i].base.pss_anon = 60 * MIB;
		join(s, i);
	}
	assert_false(find(s, 0, 1000));
	assert_int_equal(broken_of(&s->watch[1].kin), 0);
	assert_true(find(s, 0, 1000 + 10 * 256));
	assert_int_equal(broken_of(&s->watch[1].kin), 10 * MIB);
	s->watch[2].has_faults = false; /* nobody knows */
	assert_false(find(s, 2, 1000));
	assert_int_equal(broken_of(&s->watch[1].kin), 50 * MIB);
	/* A little is worth to be told if it is known to be written. */
	assert_true(find(s, 3, 1000 + 8));
	assert_int_equal(broken_of(&s->watch[1].kin), 50 * MIB + 8 * PAGE);
	assert_false(find(s, 3, 1000 + 7));
	assert_int_equal(broken_of(&s->watch[1].kin), 50 * MIB + 8 * PAGE);
}

/* Where one of a family was found to write, all of it are looked at in each pass, for as long as a measurement may be old. */
static void looks_where_somebody_writes(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		s->watch[i].base.pss_anon = 60 * MIB;
		join(s, i);
	}
	find(s, 0, 1000 + 40 * 256);
	/* Of the others one is due; or it is one of the family. */
	for (unsigned int pass = 0; pass < 6; pass++) {
		look(s, 240 * SEC, SEC);
		assert_in_range(s->opened.count, 4, 5);
	}
	/* But not where tokens are short. */
	look(s, 240 * SEC, 0);
	assert_int_equal(s->opened.count, 1);
	assert_true(kin_breaks(&s->watch[1].kin, clock_now_ns(CLOCK_BOOTTIME) - SEC));
	assert_false(kin_breaks(&s->watch[1].kin, clock_now_ns(CLOCK_BOOTTIME)));
	assert_false(kin_breaks(&s->watch[5].kin, 0));
}

/*
 * A write to what is shared moves no counter but that of faults: who faulted is measured, and then, since it has more
 * for itself now, the other, which never faults.
 */
static void faults_tell_of_writes(void **state)
{
	/* Faults are read twice as often as passes are made. */
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new_within(40 * NS_PER_SEC);
	AUTO_VIEW struct view *view = NULL;
	struct tree_process p = adaptive_worker;

	(void)state;
	for (; p.pid < 32; p.pid++) {
		adaptive_add_anon(s, &p);
		tree_set_faults(&s->tree, p.pid, 5000);
	}
	view_unref(adaptive_pass(s));
	view_unref(adaptive_pass(s));
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
	p.pss_kib = p.uss_kib = 10000;
	for (p.pid = 30; p.pid < 32; p.pid++) {
		adaptive_add_anon(s, &p);
		tree_set_faults(&s->tree, p.pid, p.pid == 30 ? 5000 + 2250 : 5000);
	}
	view = adaptive_pass(s);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 1);
	assert_int_equal(adaptive_row(view, 30)->q[PROCESS_PSS], 10000 * 1024);
	assert_true(adaptive_row(view, 31)->q[PROCESS_PSS_HIGH] >= 10000 * 1024);
	adaptive_again(s, &view);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 1);
	assert_int_equal(adaptive_row(view, 31)->q[PROCESS_PSS], 10000 * 1024);
	view_unref(adaptive_pass(s));
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
}

/*
 * What a writer has by writing is no more than its own: where another of the family ended as well, that tells nothing of what
 * the rest have by that.
 */
static void a_writer_teaches_nothing(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new_within(40 * NS_PER_SEC);
	AUTO_VIEW struct view *view = NULL;
	struct tree_process p = adaptive_worker;

	(void)state;
	p.uss_kib = 8000;
	p.pss_kib = 8000 + 2000 / 10; /* others share the rest */
	for (; p.pid < 50; p.pid++) {
		adaptive_add_anon(s, &p);
		tree_set_faults(&s->tree, p.pid, 5000);
	}
	view_unref(adaptive_pass(s));
	view_unref(adaptive_pass(s));
	tree_remove(&s->tree, "49");
	p.pid = 30;
	p.uss_kib = 9900;
	p.pss_kib = 9900 + 100 / 19;
	adaptive_add_anon(s, &p);
	tree_set_faults(&s->tree, p.pid, 5000 + 1900 / 4);
	view = adaptive_pass(s);
	assert_in_range(s->opened[OPENED_ROLLUP].count, 1, 6);
	assert_int_equal(adaptive_row(view, 30)->q[PROCESS_PSS], p.pss_kib * 1024);
	for (uint32_t pid = 31; pid < 49; pid++) {
		const struct snapshot_process *row = adaptive_row(view, pid);

		if (row->q[PROCESS_PSS_AGE] < NS_PER_SEC && row->source != SOURCE_ESTIMATE)
			continue; /* its turn to be measured again */
		/*
		 * Of 19 who may have shared with it one has ended and one has let go: a tenth more, of 200 KiB; somewhat less
		 * where that was found so late that it can't be the one that ended who is there still.
		 */
		assert_in_range(row->q[PROCESS_PSS] / 1024, 8208, 8225);
	}
}

static void set_anon_pages(struct adaptive *s, unsigned int kib)
{
	char text[128];

	snprintf(text, sizeof(text), "MemTotal: 1000000 kB\nAnonPages: %u kB\nMapped: 100000 kB\n",
		kib);
	tree_write(&s->tree, "meminfo", text);
}

/* Where the host's sum tells that somebody writes, the same pass knows who, though it was not its turn. */
static void the_host_alarms_in_time(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;
	struct tree_process p = adaptive_worker;
	uint32_t writer = 30;

	(void)state;
	s->pass->procfs.is_whole = true;
	s->pass->adapt.hostsum.cpus = 1;
	p.pss_kib = 1750; /* 9000 KiB are shared by all twelve */
	for (; p.pid < 42; p.pid++) {
		adaptive_add_anon(s, &p);
		tree_set_faults(&s->tree, p.pid, 5000);
	}
	set_anon_pages(s, 200000);
	for (int pass = 0; pass < 2; pass++) {
		view_unref(adaptive_pass(s));
		adaptive_plan(s, 1);
	}
	writer += (writer + s->pass->adapt.faults.turn + 1) % 3 == 0;
	tree_set_faults(&s->tree, (pid_t)writer, 5000 + 2250);
	set_anon_pages(s, 209000);
	view = adaptive_pass(s);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
	assert_true(adaptive_row(view, writer)->q[PROCESS_PSS_HIGH] >= 10000 * 1024);
}

/* Faults for nothing count less each time. */
static void faults_for_nothing_count_less(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new_within(40 * NS_PER_SEC);
	struct tree_process p = adaptive_worker;
	unsigned int measured = 0;

	(void)state;
	adaptive_add_anon(s, &p);
	tree_set_faults(&s->tree, 30, 0);
	view_unref(adaptive_pass(s));
	for (unsigned int pass = 1; pass < 20; pass++) {
		tree_set_faults(&s->tree, 30, pass * 1000);
		view_unref(adaptive_pass(s));
		measured += s->opened[OPENED_ROLLUP].count;
	}
	assert_in_range(measured, 2, 8);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_where_it_may_matter),
		cmocka_unit_test(looks_in_turn),
		cmocka_unit_test(growth_is_no_write),
		cmocka_unit_test(one_alarms_its_family),
		cmocka_unit_test(who_is_calm_alarms_nobody),
		cmocka_unit_test(alarms_cost_no_more_than_their_part),
		cmocka_unit_test(who_is_not_watched_may_have_written),
		cmocka_unit_test(the_young_are_watched),
		cmocka_unit_test(the_largest_are_always_watched),
		cmocka_unit_test(many_hide_nobody),
		cmocka_unit_test(who_was_never_measured_may_have_written),
		cmocka_unit_test(a_measurement_ends_the_suspicion),
		cmocka_unit_test(tells_those_who_can_not_know),
		cmocka_unit_test(tells_of_what_was_written_alone),
		cmocka_unit_test(looks_where_somebody_writes),
		cmocka_unit_test(faults_tell_of_writes),
		cmocka_unit_test(a_writer_teaches_nothing),
		cmocka_unit_test(the_host_alarms_in_time),
		cmocka_unit_test(faults_for_nothing_count_less),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
