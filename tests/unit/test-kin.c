/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens in a world of known memory is told to kin as a pass would notice it, and what it makes of
 * that is held against the truth.
 */
#include "config.h"

#include "tests/unit/unit.h"

#include "base/cleanup.h"
#include "collectors/amount.h"
#include "collectors/kin.h"
#include "tests/unit/allocation.h"
#include "tests/unit/world.h"

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1024) * KIB)
#define SEC UINT64_C(1000000000)

enum { PROCESSES = WORLD_PROCESSES };

static struct host {
	struct world world;
	uint64_t now, alive, listed;
	uint64_t image[PROCESSES]; /* stands for the address range */
	struct kin kin;
	struct kin_member member[PROCESSES];
	struct estimate_base base[PROCESSES];
	struct estimate_doubt doubt[PROCESSES];
	bool measured[PROCESSES];
	unsigned int visits;
	bool is_noticing; /* a pass has begun */
} w;                      /* large */

static int setup(void **state)
{
	(void)state;
	w = (struct host){.now = 100 * SEC};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < PROCESSES; i++)
		kin_gone(&w.kin, &w.member[i]);
	while (kin_affected(&w.kin))
		;
	assert_int_equal(w.kin.families.used, 0);
	assert_int_equal(w.kin.segments.used, 0);
	kin_done(&w.kin);
	return 0;
}

static uint64_t bit(unsigned int i)
{
	return world_bit(i);
}

static void map(uint64_t size, uint64_t mask, enum world_kind kind)
{
	world_map(&w.world, size, mask, kind);
}

static uint64_t truth(unsigned int i)
{
	return world_pss(&w.world, i, WORLD_ANON) + world_pss(&w.world, i, WORLD_FILES);
}

static struct estimate_now now_of(unsigned int i)
{
	return world_now(&w.world, i);
}

/* Memory of its own. */
static void allocate(unsigned int i, uint64_t size)
{
	map(size, bit(i), WORLD_ANON);
}

/* A pass lists the processes, and then tells what is new. */
static void notice(void)
{
	if (w.is_noticing)
		return;
	w.is_noticing = true;
	w.now += 5 * SEC;
	kin_begin(&w.kin, w.now);
	kin_sensed(&w.kin, w.now);
}

static void start(unsigned int i)
{
	uint64_t born_ns = w.now;

	w.image[i] = 1000 + i;
	w.alive |= bit(i);
	notice();
	assert_int_equal(kin_born(&w.kin, &w.member[i], NULL, born_ns), 0);
	w.measured[i] = false;
}

/* Only the world knows it yet. */
static void fork_unseen(unsigned int parent, unsigned int child)
{
	world_fork(&w.world, parent, child);
	w.image[child] = w.image[parent];
	w.alive |= bit(child);
	w.measured[child] = false;
}

static void notice_birth(unsigned int parent, unsigned int child, uint64_t born_ns)
{
	notice();
	assert_int_equal(kin_born(&w.kin, &w.member[child], &w.member[parent], born_ns), 0);
}

static void fork_from(unsigned int parent, unsigned int child)
{
	uint64_t born_ns = w.now;

	fork_unseen(parent, child);
	notice_birth(parent, child, born_ns);
}

static void end(unsigned int i)
{
	world_unmap_all(&w.world, i);
	w.alive &= ~bit(i);
	w.listed &= ~bit(i);
	w.measured[i] = false;
	notice();
	kin_gone(&w.kin, &w.member[i]);
}

static void measure(unsigned int i)
{
	struct estimate_base b = world_measure(&w.world, i);

	w.now += SEC / 1000;
	assert_int_equal(kin_measured(&w.kin, &w.member[i], w.image[i], w.image[i] + 1,
				 w.measured[i] ? &w.base[i] : NULL, &b, w.now),
		0);
	w.base[i] = b;
	w.doubt[i] = (struct estimate_doubt){0};
	w.measured[i] = true;
}

static void map_segments(unsigned int i, uint64_t bytes)
{
	struct maps_segment s = {.device = 1, .inode = 99, .bytes = bytes};

	assert_int_equal(kin_mapped(&w.kin, &w.member[i], &s, 1, &w.base[i]), 0);
}

/* Lets the affected be told, which ends the pass. */
static void settle(void)
{
	struct kin_member *m;

	notice();
	w.visits = 0;
	while ((m = kin_affected(&w.kin))) {
		unsigned int i = (unsigned int)(m - w.member);
		struct estimate_now now = now_of(i);

		assert_true(w.measured[i]);
		kin_doubt(m, &w.base[i], &now, &w.doubt[i]);
		w.visits++;
	}
	w.now += 5 * SEC;
	w.listed = w.alive;
	w.is_noticing = false;
}

/* Everybody is read, and maps LIBRARIES bytes of files. */
static void measure_all(uint64_t libraries)
{
	w.now += SEC;
	for (unsigned int i = 0; i < PROCESSES; i++)
		if (w.alive & bit(i)) {
			measure(i);
			if (libraries)
				map_segments(i, libraries);
		}
	settle();
}

/* With what others have touched. */
static struct estimate_doubt doubt_of(unsigned int i)
{
	struct estimate_doubt d = w.doubt[i], stirred;
	struct estimate_now now = now_of(i);

	if (kin_stirred(&w.member[i], &w.base[i], &now, &stirred))
		estimate_doubt_add(&d, &stirred);
	return d;
}

static struct estimate estimate_of(unsigned int i)
{
	struct estimate_now now = now_of(i), theirs;
	struct estimate_doubt doubt;
	struct estimate e;

	if (w.measured[i]) {
		doubt = doubt_of(i);
		estimate_carry(&w.base[i], &now, &doubt, &e);
	} else {
		struct kin_member *speaker = kin_speaker(&w.member[i]);
		unsigned int s = (unsigned int)(speaker - w.member);

		assert_non_null(speaker);
		theirs = now_of(s);
		kin_borrow(&w.member[i], speaker, &w.base[s], &theirs, &now, &doubt);
		estimate_carry(&w.base[s], &now, &doubt, &e);
	}
	return e;
}

static bool is_within_bounds(unsigned int i)
{
	struct estimate e = estimate_of(i);
	uint64_t pss = truth(i);

	return e.low <= pss + 4 * KIB && pss <= e.high + 4 * KIB;
}

static void assert_bounds(unsigned int i)
{
	struct estimate e = estimate_of(i);
	uint64_t pss = truth(i);

	if (!is_within_bounds(i))
		fail_msg("process %u: %ju not in %ju to %ju", i, (uintmax_t)pss, (uintmax_t)e.low,
			(uintmax_t)e.high);
}

static void assert_all_bounds(void)
{
	for (unsigned int i = 0; i < PROCESSES; i++)
		if ((w.alive & bit(i)) && (w.measured[i] || kin_speaker(&w.member[i])))
			assert_bounds(i);
}

/* Nobody's middle is more than PER_MILLE off. */
static void assert_all_within(unsigned int per_mille)
{
	for (unsigned int i = 0; i < PROCESSES; i++) {
		uint64_t pss = truth(i), mid, error;

		if (!(w.alive & bit(i)))
			continue;
		mid = estimate_of(i).pss;
		error = mid > pss ? mid - pss : pss - mid;
		if (error > pss * per_mille / 1000 + 2 * KIB)
			fail_msg("process %u: %ju instead of %ju", i, (uintmax_t)mid,
				(uintmax_t)pss);
	}
}

static uint64_t width(void)
{
	uint64_t sum = 0, pss = 0;

	for (unsigned int i = 0; i < PROCESSES; i++)
		if (w.alive & bit(i)) {
			struct estimate e = estimate_of(i);

			sum += e.high - e.low;
			pss += e.pss;
		}
	return pss ? sum * 1000 / pss : 0;
}

/* A server of 512 MiB and ten MiB of libraries, which a stranger maps as well. */
static void start_server(void)
{
	start(0);
	start(63);
	allocate(0, 512 * MIB);
	allocate(63, 3 * MIB);
	map(10 * MIB, bit(0) | bit(63), WORLD_FILES);
	measure(0);
	measure(63);
	settle();
}

static void fork_workers(unsigned int count)
{
	for (unsigned int i = 1; i <= count; i++)
		fork_from(0, i);
	settle();
}

/* Before anyone is read: the parent knows what became of its memory, and speaks for its children. */
static void follows_a_burst_of_forks(void **state)
{
	(void)state;
	start_server();
	fork_workers(20);
	assert_all_bounds();
	assert_all_within(30);
	assert_true(estimate_of(0).uss <= MIB);
	assert_int_equal(w.doubt[63].anon_mid, 0);
}

/* I writes to SIZE bytes of what it shares, and is measured; its faults have told that it was itself. */
static void write_and_tell(unsigned int i, uint64_t size)
{
	uint64_t before = estimate_of(i).pss_anon, room = now_of(i).anon - before;

	world_write(&w.world, i, size);
	kin_broke(&w.kin, &w.member[i], world_measure(&w.world, i).pss_anon - before, room,
		w.now + SEC / 1000);
	w.measured[i] = false; /* what it has says nothing of others */
	measure(i);
}

/* Whoever has a copy of its own leaves the old pages to one fewer, and none of them has a counter that moves. */
static void follows_those_who_write(void **state)
{
	(void)state;
	start_server();
	fork_workers(20);
	measure_all(0);
	write_and_tell(7, 512 * MIB);
	settle();
	assert_int_equal(w.visits, 21); /* all of the family, the stranger is none */
	assert_true(w.doubt[1].anon_mid > (int64_t)MIB);
	assert_int_equal(w.doubt[63].anon_mid, 0);
	assert_all_within(5);
	w.now += SEC;
	measure(3);
	write_and_tell(8, 128 * MIB);
	settle();
	assert_true(w.doubt[3].anon_mid < w.doubt[1].anon_mid - (int64_t)(256 * KIB));
	assert_all_within(20);
}

/* Who had copies of its own, and ends, takes nothing from the others that it had not let go of before. */
static void follows_writers_out(void **state)
{
	(void)state;
	for (unsigned int part = 1; part <= 4; part += 3) {
		setup(state);
		start_server();
		fork_workers(20);
		measure_all(0);
		for (unsigned int i = 1; i <= (part > 1 ? 20 : 10); i++)
			write_and_tell(i, 512 * MIB / part);
		settle();
		for (unsigned int i = 1; i <= 10; i++)
			end(i);
		settle();
		assert_all_within(50);
		/* Nor those who have executed another program. */
		kin_executed(&w.kin, &w.member[11]);
		world_unmap_all(&w.world, 11);
		w.alive &= ~bit(11);
		settle();
		assert_all_within(50);
		teardown(state);
	}
}

/* Who writes to the same part again and again lets go of it once; to what it has shared anew, by a fork, once more. */
static void follows_one_who_goes_on_writing(void **state)
{
	uint64_t left = 512 * MIB;

	(void)state;
	start_server();
	fork_workers(20);
	measure_all(0);
	for (unsigned int times = 0; times < 12; times++, left /= 2) {
		write_and_tell(7, left / 2);
		settle();
	}
	assert_all_within(5);
	assert_true(
		w.doubt[1].anon_mid > 0 && w.doubt[1].anon_mid < (int64_t)(512 * MIB / 20 / 19));
	for (unsigned int i = 1; i <= 20; i++)
		if (i != 7)
			end(i);
	end(0);
	settle();
	for (unsigned int times = 0; times < 2; times++) {
		fork_from(7, 8);
		settle();
		measure_all(0);
		write_and_tell(7, 512 * MIB);
		settle();
		assert_true(w.doubt[8].anon_mid > (int64_t)(250 * MIB));
		assert_all_within(5);
		end(8);
		settle();
	}
}

/* One of them is read, and speaks for all. */
static void lets_one_newborn_speak(void **state)
{
	(void)state;
	start_server();
	fork_workers(20);
	measure(7);
	settle();
	for (unsigned int i = 1; i <= 20; i++)
		if (i != 7)
			assert_ptr_equal(kin_speaker(&w.member[i]), &w.member[7]);
	assert_all_bounds();
	assert_all_within(10);
}

static void follows_half_the_workers_out(void **state)
{
	(void)state;
	start_server();
	fork_workers(20);
	for (unsigned int i = 1; i <= 20; i++)
		world_write(&w.world, i, 16 * MIB);
	world_touch_files(&w.world, 1, 20);
	measure_all(10 * MIB);
	for (unsigned int i = 11; i <= 20; i++)
		end(i);
	settle();
	assert_int_equal(w.visits, 11);
	assert_all_bounds();
	assert_all_within(30);
	measure(1);
	settle();
	assert_all_bounds();
	assert_all_within(10);
}

/* Eleven of a family and a twelfth; ten of them share something of KIND in pairs, and all are measured. */
static void start_pairs(enum world_kind kind)
{
	start(0);
	map(256 * MIB, bit(0), WORLD_ANON);
	measure(0);
	settle();
	fork_workers(11);
	for (unsigned int i = 1; i <= 10; i += 2)
		map(64 * MIB, bit(i) | bit(i + 1), kind);
	measure_all(0);
	settle();
}

static void end_of_each_pair_one(void)
{
	for (unsigned int i = 2; i <= 10; i += 2)
		end(i);
	settle();
}

/* Where not all share all, the count alone is off; what one finds corrects the others. */
static void learns_from_one(void **state)
{
	(void)state;
	for (enum world_kind kind = WORLD_ANON; kind <= WORLD_FILES; kind++) {
		setup(state);
		start_pairs(kind);
		end_of_each_pair_one();
		assert_all_bounds();
		assert_true(estimate_of(3).pss < truth(3) * 9 / 10);
		/* The second finds the same. */
		for (unsigned int i = 1; i <= 5; i += 4) {
			measure(i);
			settle();
			assert_true(estimate_of(3).pss >= truth(3) * 99 / 100);
			assert_true(estimate_of(3).pss <= truth(3) * 101 / 100);
		}
		assert_all_bounds();
		teardown(state);
	}
}

/* What happens after that it knows nothing of. */
static void forgets_what_it_learnt(void **state)
{
	(void)state;
	for (unsigned int birth = 0; birth < 2; birth++) {
		int64_t guessed, learnt, new;

		setup(state);
		start_pairs(WORLD_ANON);
		end_of_each_pair_one();
		guessed = w.doubt[3].anon_mid;
		measure(1);
		settle();
		learnt = w.doubt[3].anon_mid;
		assert_true(learnt > guessed + (int64_t)(8 * MIB));
		if (birth)
			fork_from(9, 20);
		else
			end(11);
		settle();
		new = w.doubt[3].anon_mid;
		/* By the mean, one death more is 12 MiB more; corrected it would be 30. */
		assert_true(new < guessed + (int64_t)(birth ? 0 : 16) * (int64_t)MIB);
		assert_all_bounds();
		teardown(state);
	}
}

/* What it wrote itself, and what it gave up, it does not put down to the exits. */
static void tells_nothing_of_its_own(void **state)
{
	(void)state;
	start(0);
	map(200 * MIB, bit(0), WORLD_ANON);
	map(56 * MIB, bit(0), WORLD_ANON); /* block 1 */
	measure(0);
	settle();
	fork_workers(19);
	measure_all(0);
	settle();
	end(19);
	settle();
	world_write(&w.world, 1, 100 * MIB);
	measure(1);
	settle();
	for (unsigned int i = 2; i < 19; i++)
		assert_true(estimate_of(i).pss <= 256 * MIB / 19 + MIB);
	measure_all(0);
	settle();
	end(18);
	settle();
	w.world.block[1].mask &= ~bit(2);
	measure(2);
	settle();
	assert_int_equal(w.member[3].family == w.member[2].family, true);
	for (unsigned int i = 3; i < 18; i++)
		assert_true(estimate_of(i).pss <= truth(i) + MIB &&
			    truth(i) <= estimate_of(i).pss + MIB);
}

/* Those who speak may end. */
static void another_speaks_when_one_ends(void **state)
{
	(void)state;
	start_server();
	fork_workers(4);
	measure(2);
	assert_ptr_equal(kin_speaker(&w.member[3]), &w.member[2]);
	end(2);
	settle();
	w.member[2].measured_ns = UINT64_MAX; /* its memory is another's now */
	assert_ptr_equal(kin_speaker(&w.member[3]), &w.member[0]);
	w.member[2].measured_ns = 0;
	measure(3);
	assert_ptr_equal(kin_speaker(&w.member[4]), &w.member[3]);
	/* For those born later one of their own, once there is one. */
	w.now += SEC;
	fork_from(0, 5);
	fork_from(0, 6);
	settle();
	assert_ptr_equal(kin_speaker(&w.member[5]), &w.member[0]);
	measure(6);
	assert_ptr_equal(kin_speaker(&w.member[5]), &w.member[6]);
}

/* So may those who can't be measured any more: what was found of them is void. */
static void another_speaks_when_one_is_void(void **state)
{
	(void)state;
	start_server();
	fork_workers(4);
	measure(1);
	measure(2);
	kin_suspect(&w.member[2], MIB, w.now);
	assert_ptr_equal(kin_speaker(&w.member[3]), &w.member[2]);
	kin_unmeasured(&w.member[2]);
	w.measured[2] = false;
	assert_ptr_equal(kin_speaker(&w.member[3]), &w.member[0]);
	assert_ptr_equal(kin_speaker(&w.member[2]), &w.member[0]);
	assert_int_equal(kin_suspected(&w.member[0]), 0);
	end(0);
	settle(); /* which asks nothing of it */
	assert_ptr_equal(kin_speaker(&w.member[3]), &w.member[1]);
	measure(2);
	assert_ptr_equal(kin_speaker(&w.member[3]), &w.member[2]);
	measure_all(0);
	end(3);
	settle();
	assert_all_within(30);
}

/* A newborn may have touched files of its own, or such as everybody maps. */
static void does_not_know_a_newborns_files(void **state)
{
	struct estimate_now theirs, now;
	struct estimate_doubt doubt;

	(void)state;
	start_server();
	fork_workers(2);
	map(8 * MIB, bit(1), WORLD_FILES);
	map(40 * MIB, ~UINT64_C(0) << 2, WORLD_FILES);
	assert_bounds(1);
	assert_bounds(2);
	/* Not only because it is as unsure of the rest. */
	theirs = now_of(0);
	now = now_of(1);
	kin_borrow(&w.member[1], &w.member[0], &w.base[0], &theirs, &now, &doubt);
	assert_true(doubt.file_up >= 3 * MIB);
	assert_true(doubt.file_down >= 4 * MIB);
}

/* A birth in the same tick as a measurement: it may have seen the newborn or not, and the newborn may be gone soon. */
static void allows_for_the_order_of_a_birth(void **state)
{
	(void)state;
	for (unsigned int seen = 0; seen < 2; seen++) {
		setup(state);
		start_server();
		fork_workers(3);
		measure_all(0);
		settle();
		if (seen) {
			fork_unseen(1, 4);
			measure(1);
			notice_birth(1, 4, w.now);
		} else {
			measure(1);
			fork_from(1, 4);
		}
		settle();
		assert_all_bounds();
		assert_int_equal(w.member[1].early, 1);
		end(4);
		settle();
		assert_all_bounds();
		teardown(state);
	}
}

/* Deaths that are in doubt are those of one pass. */
static void counts_the_deaths_of_a_pass(void **state)
{
	(void)state;
	start_server();
	fork_workers(10);
	measure_all(0);
	settle();
	end(10);
	end(9);
	settle();
	measure(1);
	end(8);
	settle();
	assert_int_equal(w.member[1].unsure, 1);
	assert_int_equal(w.member[2].unsure, 0);
	end(7);
	end(6);
	settle();
	assert_int_equal(w.member[1].unsure, 1);
	assert_all_bounds();
}

/* Once, however often its family is visited; and who is measured after the listing has seen who was gone. */
static void counts_deaths_once(void **state)
{
	(void)state;
	start_server();
	fork_workers(10);
	measure_all(0);
	measure(1);
	end(10);
	measure(2);
	while (kin_affected(&w.kin))
		;
	measure(3); /* which may tell the others, so that they are visited again */
	fork_from(0, 20);
	settle();
	assert_int_equal(w.member[1].unsure, 1);
	assert_int_equal(w.member[2].unsure, 0);
}

/* A segment of the family's own that only two of four have touched: an exit never lowers a figure. */
static void never_falls_by_an_exit(void **state)
{
	(void)state;
	start(0);
	allocate(0, 16 * MIB);
	measure(0);
	settle();
	fork_workers(3);
	map(32 * MIB, bit(0) | bit(1), WORLD_FILES);
	measure_all(64 * MIB);
	settle();
	end(3);
	settle();
	for (unsigned int i = 0; i < 3; i++)
		assert_true(estimate_of(i).pss + KIB >= w.base[i].pss_anon + w.base[i].pss_file);
	assert_all_bounds();
}

/* What a KiB was rounded off grows with the figure. */
static void lets_rounding_grow(void **state)
{
	struct estimate_doubt exact, rounded;
	struct estimate_now now;

	(void)state;
	start_server();
	fork_workers(19);
	world_touch_files(&w.world, 1, 19);
	measure_all(10 * MIB);
	settle();
	for (unsigned int i = 10; i < 20; i++)
		end(i);
	settle();
	w.base[1].rounding = 0;
	now = now_of(1);
	assert_true(kin_doubt(&w.member[1], &w.base[1], &now, &w.doubt[1]));
	exact = doubt_of(1);
	w.base[1].rounding = 100 * KIB;
	assert_true(kin_doubt(&w.member[1], &w.base[1], &now, &w.doubt[1]));
	rounded = doubt_of(1);
	assert_true(rounded.anon_up - exact.anon_up >= 95 * KIB);
	assert_true(rounded.anon_up - exact.anon_up <= 105 * KIB);
	assert_true(rounded.file_up >= exact.file_up + 80 * KIB);
}

/* The walk over the affected survives that one of them ends. */
static void goes_on_when_the_next_is_gone(void **state)
{
	struct kin_member *m;
	unsigned int visits = 0;

	(void)state;
	start_server();
	fork_workers(5);
	measure_all(10 * MIB);
	settle();
	end(5);
	m = kin_affected(&w.kin);
	assert_ptr_equal(m, &w.member[0]);
	end(1);
	w.member[1].measured_ns = UINT64_MAX; /* its memory is another's now */
	while ((m = kin_affected(&w.kin)) && visits < 100) {
		assert_ptr_not_equal(m, &w.member[1]);
		visits++;
	}
	w.member[1] = (struct kin_member){0};
	/* 2, 3 and 4, and again all four for the second end. */
	assert_true(visits >= 7 && visits < 100);
}

static void follows_the_sharers_of_a_segment(void **state)
{
	uint64_t sharers = 0;

	(void)state;
	for (unsigned int i = 0; i < 20; i++) {
		start(i);
		allocate(i, 2 * MIB);
		sharers |= bit(i);
	}
	map(64 * MIB, sharers, WORLD_FILES);
	map(1 * MIB, sharers, WORLD_FILES);
	measure_all(0);
	for (unsigned int i = 0; i < 20; i++) {
		assert_true(kin_wants_maps(&w.member[i], &w.base[i]));
		map_segments(i, 64 * MIB);
		assert_false(kin_wants_maps(&w.member[i], &w.base[i]));
	}
	for (unsigned int i = 10; i < 20; i++)
		end(i);
	settle();
	assert_int_equal(w.visits, 0);
	assert_all_bounds();
	assert_all_within(30);
	/* Those who come and go leave nothing behind. */
	for (unsigned int round = 0; round < 50; round++) {
		start(20);
		w.world.block[20].mask |= bit(20);
		measure(20);
		map_segments(20, 64 * MIB);
		settle();
		assert_all_within(30);
		end(20);
		settle();
	}
	assert_all_bounds();
	assert_all_within(30);
}

/* Half of a segment was ever touched, and not by all: the bounds know. */
static void bounds_a_segment_that_some_touch(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 20; i++)
		start(i);
	map(32 * MIB, 0x3ff, WORLD_FILES);
	map(4 * MIB, 0xfffff, WORLD_FILES);
	map(64 * MIB, ~UINT64_C(0), WORLD_FILES); /* others than these twenty as well */
	measure_all(0);
	for (unsigned int i = 0; i < 20; i++)
		map_segments(i, 36 * MIB);
	for (unsigned int i = 10; i < 15; i++)
		end(i);
	settle();
	assert_all_bounds();
	for (unsigned int i = 5; i < 10; i++)
		end(i);
	settle();
	assert_all_bounds();
}

/* Everybody maps libc: an exit among so many is next to nothing, and nobody is visited for it. */
static void visits_nobody_for_a_segment(void **state)
{
	uint64_t all = (UINT64_C(1) << 60) - 1;

	(void)state;
	for (unsigned int i = 0; i < 60; i++) {
		start(i);
		allocate(i, MIB);
	}
	map(300 * KIB, all, WORLD_FILES);
	measure_all(0);
	for (unsigned int i = 0; i < 60; i++)
		map_segments(i, i == 59 ? 1 : 300 * KIB);
	for (unsigned int i = 0; i < 60; i++)
		w.base[i].rounding = 0;
	end(0);
	settle();
	assert_int_equal(w.visits, 0);
	for (unsigned int i = 1; i < 59; i++)
		assert_true(truth(i) <= estimate_of(i).high);
	for (unsigned int i = 1; i < 12; i++)
		end(i);
	settle();
	assert_int_equal(w.visits, 0);
	assert_all_bounds();
}

/* I unmaps BLOCK of the world, or touches it. */
static void toggle(unsigned int i, unsigned int block)
{
	uint64_t before = now_of(i).file;

	notice();
	w.world.block[block].mask ^= bit(i);
	kin_moved(&w.member[i], before, now_of(i).file);
}

/* All are within their bounds, and the bounds of the quiet ones, which nobody visits, not wide. */
static void assert_stirred(uint64_t mover)
{
	settle();
	assert_int_equal(w.visits, 0);
	for (unsigned int i = 0; i < 20; i++) {
		struct estimate e = estimate_of(i);

		if (e.low > truth(i) || truth(i) > e.high)
			fail_msg("process %u: %ju not in %ju to %ju", i, (uintmax_t)truth(i),
				(uintmax_t)e.low, (uintmax_t)e.high);
		if (!(mover & bit(i)))
			assert_true(e.high - e.low <= truth(i) / 3);
	}
}

/*
 * Twenty share something in sixteen parts, and other files; some let go of parts and touch them again. So much is sensed:
 * what it has to do with others their bounds know, whether it is a segment that is known or what a family was born with.
 */
static void knows_that_others_touch(void **state)
{
	(void)state;
	for (unsigned int family = 0; family < 2; family++) {
		setup(state);
		start(0);
		if (family)
			measure(0);
		for (unsigned int i = 1; i < 20; i++)
			if (family)
				fork_from(0, i);
			else
				start(i);
		for (unsigned int part = 0; part < 16; part++)
			map(4 * MIB, 0xfffff, WORLD_FILES);
		map(MIB, ~UINT64_C(0), WORLD_FILES);
		for (unsigned int i = 0; i < 20; i++)
			allocate(i, MIB);
		measure_all(family ? 0 : 64 * MIB);
		settle();
		measure_all(0);
		for (unsigned int part = 0; part < 16; part++) {
			toggle(3, part);
			assert_stirred(bit(3));
			/* What it did itself it knows. */
			assert_int_equal(doubt_of(3).file_up, 0);
		}
		toggle(4, 0);
		assert_stirred(bit(3) | bit(4));
		/* Those who are measured now lose it all again, and know nothing of what was before. */
		measure(5);
		assert_int_equal(doubt_of(5).file_up, 0);
		measure(4);
		assert_int_equal(doubt_of(4).file_up, 0);
		for (unsigned int part = 0; part < 16; part++)
			toggle(3, part);
		assert_stirred(bit(3) | bit(4));
		assert_true(truth(5) < w.base[5].pss_file + w.base[5].pss_anon);
		teardown(state);
	}
}

/* One more maps what others share. Process 2 is of no family with them. */
static void start_two_sharers(void)
{
	start(0);
	start(2);
	map(512 * MIB, bit(0), WORLD_FILES);
	map(256 * MIB, bit(0) | bit(2), WORLD_FILES);
	map(2 * MIB, ~UINT64_C(0), WORLD_FILES);
	allocate(0, MIB);
	allocate(2, MIB);
	measure(0);
	map_segments(0, 768 * MIB);
	measure(2);
	map_segments(2, 768 * MIB);
	settle();
	measure(0);
	measure(2);
	settle();
	assert_int_equal(doubt_of(0).file_down, 0);
	assert_int_equal(doubt_of(2).file_down, 0);
}

/* Who comes to map what another had for itself halves it. */
static void knows_that_another_comes(void **state)
{
	(void)state;
	start_two_sharers();
	start(1);
	allocate(1, MIB);
	world_touch_files(&w.world, 1, 1);
	measure(1);
	map_segments(1, 768 * MIB);
	settle();
	assert_bounds(0);
	assert_bounds(2);
	measure(0);
	map_segments(1, 768 * MIB); /* read again it comes no more */
	assert_int_equal(doubt_of(0).file_down, 0);
}

/* So does one that has been there all the time, but as another program. */
static void knows_that_an_image_comes(void **state)
{
	(void)state;
	start(1);
	allocate(1, MIB);
	measure(1);
	start_two_sharers();
	notice();
	kin_executed(&w.kin, &w.member[1]);
	world_unmap_all(&w.world, 1);
	w.image[1] = 5;
	w.measured[1] = false;
	allocate(1, MIB);
	world_touch_files(&w.world, 1, 1);
	measure(1);
	map_segments(1, 768 * MIB);
	settle();
	assert_bounds(0);
	assert_bounds(2);
	measure(0);
	settle();
	assert_int_equal(doubt_of(0).file_down, 0);
}

/* A child has what its parent has before anyone has read its maps, or knows whose child it is. */
static void knows_that_children_touch(void **state)
{
	(void)state;
	start_two_sharers();
	fork_from(0, 1);
	allocate(1, MIB);
	world_touch_files(&w.world, 1, 1);
	kin_moved(&w.member[1], 0, now_of(1).file);
	settle();
	assert_bounds(0);
	assert_bounds(2);
	measure(0);
	settle();
	assert_int_equal(doubt_of(0).file_down, 0);
	fork_unseen(0, 3);
	notice();
	assert_int_equal(kin_born(&w.kin, &w.member[3], NULL, w.now), 0);
	world_touch_files(&w.world, 3, 3);
	kin_moved(&w.member[3], 0, now_of(3).file);
	measure(3);
	map_segments(3, 768 * MIB);
	settle();
	assert_bounds(0);
	assert_bounds(2);
}

/* The same where no segment is known. */
static void knows_that_strangers_touch(void **state)
{
	(void)state;
	start(0);
	map(64 * MIB, bit(0) | bit(2), WORLD_FILES);
	allocate(0, MIB);
	measure(0);
	settle();
	fork_unseen(0, 3);
	notice();
	assert_int_equal(kin_born(&w.kin, &w.member[3], NULL, w.now), 0);
	world_touch_files(&w.world, 3, 3);
	kin_moved(&w.member[3], 0, now_of(3).file);
	measure(3);
	settle();
	assert_true(doubt_of(0).file_down > 0);
	assert_bounds(0);
}

/* The child's execution of another program gives the parent its memory back. */
static void follows_an_exec(void **state)
{
	(void)state;
	start_server();
	fork_workers(1);
	assert_true(estimate_of(0).pss < 300 * MIB);
	notice();
	kin_executed(&w.kin, &w.member[1]);
	world_unmap_all(&w.world, 1);
	w.image[1] = 5;
	allocate(1, MIB);
	assert_null(w.member[1].family);
	settle();
	assert_int_equal(estimate_of(0).pss / MIB, 517);
	assert_bounds(0);
	measure(1);
	settle();
	assert_all_bounds();
}

/* A newborn that was presumed to be forked and turns out to have run another program unseen. */
static void corrects_a_presumption(void **state)
{
	(void)state;
	start_server();
	notice_birth(0, 1, w.now);
	w.alive |= bit(1);
	settle();
	assert_true(estimate_of(0).pss < 300 * MIB);
	w.image[1] = 77;
	allocate(1, MIB);
	measure(1);
	assert_null(w.member[1].family);
	assert_false(w.member[1].is_forked);
	settle();
	assert_int_equal(w.doubt[0].anon_mid, 0);
	assert_int_equal(estimate_of(0).pss / MIB, 517);
}

/* Those that come and go between two measurements leave no doubt behind. */
static void forgets_the_short_lived(void **state)
{
	(void)state;
	start_server();
	fork_workers(20);
	measure_all(0);
	for (unsigned int round = 0; round < 50; round++) {
		fork_from(1, 40);
		fork_from(2, 41);
		settle();
		assert_true(w.doubt[3].anon_mid < 0);
		assert_all_bounds();
		end(40);
		end(41);
		settle();
		assert_int_equal(w.doubt[3].anon_mid, 0);
		assert_int_equal(w.doubt[3].anon_down, 0);
		assert_int_equal(w.doubt[3].anon_up, 0);
		assert_all_bounds();
	}
}

/* Families whose members are first measured one after the other, as when the daemon starts. */
static void counts_who_was_there(void **state)
{
	(void)state;
	start(0);
	allocate(0, 256 * MIB);
	for (unsigned int i = 1; i < 20; i++) {
		fork_unseen(0, i);
		notice();
		kin_born(&w.kin, &w.member[i], NULL, w.now);
		kin_moved(&w.member[i], 0, 8 * MIB);
	}
	map(8 * MIB, 0xfffff, WORLD_FILES);
	settle();
	measure_all(0);
	for (unsigned int i = 0; i < 20; i++) {
		assert_int_equal(doubt_of(i).file_down, 0);
		assert_int_equal(w.member[i].then, 20);
		assert_int_equal(w.doubt[i].anon_mid, 0);
	}
	for (unsigned int i = 10; i < 20; i++)
		end(i);
	settle();
	assert_all_bounds();
	assert_all_within(1);
}

/* A fork that a measurement saw, though no pass had noticed it yet, is not counted twice. */
static void does_not_count_twice(void **state)
{
	uint64_t born;

	(void)state;
	start_server();
	fork_unseen(0, 1);
	born = w.now;
	w.now += SEC;
	measure(0);
	notice_birth(0, 1, born);
	settle();
	assert_int_equal(w.doubt[0].anon_mid, 0);
	assert_all_bounds();
	assert_all_within(10);
}

/* An exit between two passes may have come before a measurement or after it. */
static void allows_for_the_order_of_an_exit(void **state)
{
	(void)state;
	start_server();
	fork_workers(3);
	measure_all(0);
	world_unmap_all(&w.world, 3);
	measure(1); /* sees it gone; 2 was measured when it was not */
	end(3);
	settle();
	assert_all_bounds();
	assert_true(w.doubt[1].anon_down > 0);
}

static void costs_nothing_without_events(void **state)
{
	(void)state;
	start_server();
	fork_workers(20);
	measure_all(0);
	settle();
	assert_int_equal(w.visits, 0);
	end(20);
	settle();
	assert_int_equal(w.visits, 20);
	settle();
	assert_int_equal(w.visits, 0);
	/* Who forks for the first time is remembered as a parent. */
	fork_from(1, 20);
	end(20);
	settle();
	allocation_fail_at(0);
	for (unsigned int round = 0; round < 20; round++) {
		fork_from(1, 20);
		settle();
		end(20);
		settle();
	}
	assert_int_equal(allocation_count(), 0);
}

/* The narrower the better: an even family is known nearly exactly. */
static void is_narrow(void **state)
{
	(void)state;
	start_server();
	fork_workers(20);
	world_touch_files(&w.world, 1, 20);
	measure_all(10 * MIB);
	settle(); /* so that it is sure who was there */
	for (unsigned int i = 11; i <= 20; i++)
		end(i);
	settle();
	assert_true(width() <= 20);
}

/* Of two who share a segment one is measured in the middle between two looks at the other, who touches more meanwhile. */
static void knows_when_one_was_measured(void **state)
{
	const struct maps_segment segment = {1, 2, 64 * MIB, true};
	const struct estimate_base b = {
		.file = 8 * MIB, .pss_shmem = 4 * MIB, .shmem_kib = 8192, .has_parts = true};
	const struct estimate_now now = {0, 8 * MIB, 0};
	struct kin_member *m = w.member;
	struct estimate_doubt d;

	(void)state;
	kin_sensed(&w.kin, 10 * SEC);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(kin_born(&w.kin, &m[i], NULL, SEC), 0);
		kin_moved(&m[i], 0, b.file);
		assert_int_equal(kin_measured(&w.kin, &m[i], i, 99, NULL, &b, 10 * SEC), 0);
		assert_int_equal(kin_mapped(&w.kin, &m[i], &segment, 1, &b), 0);
	}
	kin_begin(&w.kin, 20 * SEC);
	kin_sensed(&w.kin, 20 * SEC);
	assert_int_equal(kin_measured(&w.kin, &m[0], 0, 99, &b, &b, 25 * SEC), 0);
	kin_begin(&w.kin, 30 * SEC);
	kin_moved(&m[1], b.file, 16 * MIB);
	kin_sensed(&w.kin, 30 * SEC);
	/* There were 20 of what are 24 MiB now. */
	assert_true(kin_stirred(&m[0], &b, &now, &d));
	assert_in_range(-d.file_mid, 4 * MIB / 6 - 4 * KIB, 4 * MIB / 6 + 4 * KIB);
	for (unsigned int i = 0; i < 2; i++)
		kin_gone(&w.kin, &m[i]);
}

/* What several are suspected of, and are not found to have done, others are not believed to have done. */
static void believes_what_was_true_of_others(void **state)
{
	(void)state;
	start_server();
	fork_workers(20);
	measure_all(0);
	w.now += SEC;
	for (unsigned int i = 2; i <= 20; i++)
		kin_suspect(&w.member[i], MIB, w.now);
	assert_int_equal(kin_suspected(&w.member[1]), 19 * MIB);
	for (unsigned int i = 2; i <= 6; i++)
		kin_asked(&w.member[i], MIB, 0);
	assert_in_range(kin_suspected(&w.member[1]), 1, MIB);
	/* Nor if it was never suspected. */
	kin_asked(&w.member[2], 0, MIB);
	assert_in_range(kin_suspected(&w.member[1]), 1, MIB);
	/* One that has done it, and more than all the others were suspected of, is enough. */
	kin_asked(&w.member[7], 16 * MIB, 16 * MIB);
	assert_int_equal(kin_suspected(&w.member[1]), 19 * MIB);
	for (unsigned int i = 0; i < 40; i++)
		kin_asked(&w.member[8], 16 * MIB, 4 * MIB);
	assert_in_range(kin_suspected(&w.member[1]), 19 * MIB / 2, 11 * MIB);
}

static void wants_maps_of_sharers_alone(void **state)
{
	struct estimate_base b = {
		.anon = 100 * MIB, .file = 2 * MIB, .pss_file = MIB + 1, .has_parts = true};
	struct maps_segment segment = {1, 2, 4 * MIB};

	(void)state;
	assert_false(kin_wants_maps(&w.member[0], &b));
	b.pss_file--;
	assert_true(kin_wants_maps(&w.member[0], &b));
	b.has_parts = false;
	b.pss_file = 102 * MIB;
	assert_false(kin_wants_maps(&w.member[0], &b));
	b = (struct estimate_base){.file = 8 * MIB, .has_parts = true};
	assert_int_equal(kin_mapped(&w.kin, &w.member[0], &segment, 1, &b), 0);
	assert_false(kin_wants_maps(&w.member[0], &b));
	b.file = 10 * MIB;
	assert_false(kin_wants_maps(&w.member[0], &b));
	b.file++;
	assert_true(kin_wants_maps(&w.member[0], &b));
	b.file = 5 * MIB;
	assert_true(kin_wants_maps(&w.member[0], &b));
	/* Nothing mapped any more is known as well. */
	assert_int_equal(kin_mapped(&w.kin, &w.member[0], NULL, 0, &b), 0);
	assert_false(kin_wants_maps(&w.member[0], &b));
}

/* Ranges and files are found by keys that nobody foresees. */
static void is_seeded(void **state)
{
	const struct maps_segment segment = {.device = 1, .inode = 2, .bytes = 4 * MIB};
	const struct estimate_base b = {
		.anon = MIB, .file = 8 * MIB, .pss_anon = MIB, .has_parts = true};
	uint64_t range[2], file[2] = {0, 0};

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		CLEANUP(kin_done) struct kin k;
		struct kin_member m = {0};

		kin_init(&k, 77 + i);
		kin_begin(&k, 5);
		assert_int_equal(kin_born(&k, &m, NULL, 1), 0);
		assert_int_equal(kin_measured(&k, &m, 1, 2, NULL, &b, 6), 0);
		assert_int_equal(kin_mapped(&k, &m, &segment, 1, &b), 0);
		range[i] = m.key;
		for (size_t s = 0; s < k.segments.slots; s++)
			file[i] |= k.segments.slot[s].key;
		kin_gone(&k, &m);
	}
	assert_true(range[0] && range[0] != range[1]);
	assert_true(file[0] && file[0] != file[1]);
}

static void does_without_memory(void **state)
{
	struct maps_segment segments[2] = {{1, 2, 4 * MIB}, {1, 3, 2 * MIB}};
	struct estimate_base b = {.anon = MIB, .file = 8 * MIB, .pss_anon = MIB, .has_parts = true};

	(void)state;
	for (unsigned int n = 1;; n++) {
		struct kin k = {0};
		struct kin_member m[4] = {0};
		unsigned int failed = 0;

		allocation_fail_at(n);
		kin_begin(&k, 5);
		for (unsigned int i = 0; i < 2; i++) {
			failed += kin_born(&k, &m[i], NULL, 1) < 0;
			failed += kin_measured(&k, &m[i], 1, 2, NULL, &b, 6) < 0;
			failed += kin_mapped(&k, &m[i], segments, 2, &b) < 0;
		}
		failed += kin_born(&k, &m[2], &m[0], 7) < 0;
		failed += kin_born(&k, &m[3], &m[2], 8) < 0;
		failed += kin_measured(&k, &m[3], 1, 2, NULL, &b, 9) < 0;
		while (kin_affected(&k))
			;
		for (unsigned int i = 0; i < 4; i++)
			kin_gone(&k, &m[i]);
		kin_done(&k);
		if (!allocation_end())
			break;
		assert_true(failed <= 2);
	}
}

/*
 * All that may happen, at random, but nothing that no event tells. Where births of a moment are noticed
 * out of their order, the bounds are off by a little: less than one in 10,000 is.
 */
static void holds_the_truth(void **state)
{
	uint64_t seed = 11, checks = 0, misses = 0;

	for (unsigned int run = 0; run < 400; run++) {
		setup(state);
		start(0);
		allocate(0, 64 * MIB);
		map(16 * MIB, bit(0), WORLD_FILES);
		measure(0);
		settle();
		for (unsigned int step = 0; step < 300 && w.world.blocks < WORLD_BLOCKS - 100;
			step++) {
			unsigned int i = unit_random(&seed) % 40, k = unit_random(&seed) % 40;
			uint64_t born = w.now;

			switch (unit_random(&seed) % 8) {
			case 0:
			case 1:
				if ((w.alive & bit(i)) && !(w.alive & bit(k)))
					fork_from(i, k);
				break;
			case 2:
				/* Who is born and dies between two passes is never seen. */
				if (i && (w.listed & bit(i)))
					end(i);
				break;
			case 3:
				if (w.alive & bit(i))
					allocate(i, MIB);
				break;
			case 4: /* a fork that is noticed later */
				if ((w.alive & bit(i)) && !(w.alive & bit(k))) {
					fork_unseen(i, k);
					measure(i);
					notice_birth(i, k, born);
				}
				break;
			case 5:
				for (unsigned int n = 0; n < 8; n++)
					if (w.alive & bit(n * 5 + i % 5))
						measure(n * 5 + i % 5);
				break;
			default:
				if (w.alive & bit(i))
					measure(i);
			}
			if (unit_random(&seed) % 3 == 0) {
				settle();
				for (i = 0; i < PROCESSES; i++) {
					if (!(w.alive & bit(i)) ||
						(!w.measured[i] && !kin_speaker(&w.member[i])))
						continue;
					checks++;
					misses += !is_within_bounds(i);
				}
			}
		}
		teardown(state);
	}
	assert_true(checks > 100000);
	assert_true(misses * 10000 <= checks);
}

/* Forked from PARENT, but so that nobody can tell: it has another name by now, or its parent had ended. */
static void fork_stray(unsigned int parent, unsigned int child)
{
	uint64_t born_ns = w.now;

	fork_unseen(parent, child);
	notice();
	assert_int_equal(kin_born(&w.kin, &w.member[child], NULL, born_ns), 0);
}

/* By its range one is seen to be of the family: whose child it is nobody knows, so it may be anyone's. */
static void allows_for_strays(void **state)
{
	(void)state;
	start_server();
	for (unsigned int i = 1; i <= 20; i++)
		fork_stray(0, i);
	settle();
	assert_true(estimate_of(0).low > 512 * MIB);
	for (unsigned int i = 1; i <= 20; i++)
		measure(i);
	settle();
	assert_bounds(0);
	assert_true(estimate_of(0).low < 30 * MIB);
	assert_true(estimate_of(0).high > 512 * MIB);
	measure(0);
	assert_all_bounds();
	assert_int_equal(width(), 0);
}

/* What it has grown by before the fork is as little its own; and a stray's children are strays. */
static void allows_for_what_strays_have(void **state)
{
	(void)state;
	start_server();
	allocate(0, 256 * MIB);
	fork_stray(0, 1);
	settle();
	measure(1);
	settle();
	assert_bounds(0);
	fork_from(1, 2);
	fork_from(2, 3);
	settle();
	assert_bounds(0);
	/* Though the first of them is gone. */
	end(1);
	settle();
	fork_from(2, 4);
	settle();
	assert_bounds(0);
}

/* Children of known parents are no strays, whoever ends: the others' private memory stays theirs. */
static void knows_who_is_no_stray(void **state)
{
	uint64_t low;

	(void)state;
	start_server();
	fork_workers(3);
	for (unsigned int i = 1; i <= 3; i++)
		allocate(i, 64 * MIB);
	measure_all(10 * MIB);
	low = estimate_of(1).low;
	fork_from(0, 6);
	settle();
	end(0);
	settle();
	fork_from(2, 4);
	end(2);
	fork_from(4, 5);
	settle();
	assert_all_bounds();
	assert_true(low > 64 * MIB && estimate_of(1).low > 64 * MIB);
	assert_int_equal(w.member[1].strays, 0);
	assert_int_equal(w.member[3].strays, 0);
}

/* From FIRST on, COUNT of PARENT's, or each of the one before where PARENT is NULL. */
int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(follows_a_burst_of_forks, setup, teardown),
		cmocka_unit_test_setup_teardown(follows_those_who_write, setup, teardown),
		cmocka_unit_test(follows_writers_out),
		cmocka_unit_test_setup_teardown(follows_one_who_goes_on_writing, setup, teardown),
		cmocka_unit_test_setup_teardown(lets_one_newborn_speak, setup, teardown),
		cmocka_unit_test_setup_teardown(follows_half_the_workers_out, setup, teardown),
		cmocka_unit_test(learns_from_one),
		cmocka_unit_test(forgets_what_it_learnt),
		cmocka_unit_test_setup_teardown(tells_nothing_of_its_own, setup, teardown),
		cmocka_unit_test_setup_teardown(another_speaks_when_one_ends, setup, teardown),
		cmocka_unit_test_setup_teardown(another_speaks_when_one_is_void, setup, teardown),
		cmocka_unit_test_setup_teardown(does_not_know_a_newborns_files, setup, teardown),
		cmocka_unit_test(allows_for_the_order_of_a_birth),
		cmocka_unit_test_setup_teardown(counts_the_deaths_of_a_pass, setup, teardown),
		cmocka_unit_test_setup_teardown(counts_deaths_once, setup, teardown),
		cmocka_unit_test_setup_teardown(never_falls_by_an_exit, setup, teardown),
		cmocka_unit_test_setup_teardown(lets_rounding_grow, setup, teardown),
		cmocka_unit_test_setup_teardown(goes_on_when_the_next_is_gone, setup, teardown),
		cmocka_unit_test_setup_teardown(follows_the_sharers_of_a_segment, setup, teardown),
		cmocka_unit_test_setup_teardown(bounds_a_segment_that_some_touch, setup, teardown),
		cmocka_unit_test_setup_teardown(visits_nobody_for_a_segment, setup, teardown),
		cmocka_unit_test(knows_that_others_touch),
		cmocka_unit_test_setup_teardown(knows_that_another_comes, setup, teardown),
		cmocka_unit_test_setup_teardown(knows_that_an_image_comes, setup, teardown),
		cmocka_unit_test_setup_teardown(knows_that_children_touch, setup, teardown),
		cmocka_unit_test_setup_teardown(knows_that_strangers_touch, setup, teardown),
		cmocka_unit_test_setup_teardown(follows_an_exec, setup, teardown),
		cmocka_unit_test_setup_teardown(corrects_a_presumption, setup, teardown),
		cmocka_unit_test_setup_teardown(forgets_the_short_lived, setup, teardown),
		cmocka_unit_test_setup_teardown(counts_who_was_there, setup, teardown),
		cmocka_unit_test_setup_teardown(does_not_count_twice, setup, teardown),
		cmocka_unit_test_setup_teardown(allows_for_the_order_of_an_exit, setup, teardown),
		cmocka_unit_test_setup_teardown(costs_nothing_without_events, setup, teardown),
		cmocka_unit_test_setup_teardown(is_narrow, setup, teardown),
		cmocka_unit_test_setup_teardown(knows_when_one_was_measured, setup, teardown),
		cmocka_unit_test_setup_teardown(believes_what_was_true_of_others, setup, teardown),
		cmocka_unit_test_setup_teardown(wants_maps_of_sharers_alone, setup, teardown),
		cmocka_unit_test_setup_teardown(allows_for_strays, setup, teardown),
		cmocka_unit_test_setup_teardown(allows_for_what_strays_have, setup, teardown),
		cmocka_unit_test_setup_teardown(knows_who_is_no_stray, setup, teardown),
		cmocka_unit_test(is_seeded),
		cmocka_unit_test(does_without_memory),
		cmocka_unit_test(holds_the_truth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
