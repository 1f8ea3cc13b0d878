/* SPDX-License-Identifier: Apache-2.0 */
/* Servers that were forked by one launcher, without an exec, and have workers of their own. */
#include "config.h"

#include "tests/unit/unit.h"

#include "tests/unit/allocation.h"
#include "tests/unit/folk.h"

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1024) * KIB)
#define SEC UINT64_C(1000000000)

enum { SERVERS = 3, WORKERS = 4, RANGE = 2000 };

static unsigned int worker_of(unsigned int server, unsigned int i)
{
	return 10 + 10 * server + i;
}

/* 0 to 2, of 12 MiB each, and a MiB that all of them have of a launcher, whose range is another. */
static struct folk *start_servers(void)
{
	struct folk *f = folk_new();

	for (unsigned int s = 0; s < SERVERS; s++) {
		folk_start(f, s);
		f->image[s] = RANGE;
		folk_allocate(f, s, 12 * MIB);
	}
	folk_map(f, MIB, 7, WORLD_ANON);
	for (unsigned int s = 0; s < SERVERS; s++)
		folk_measure(f, s);
	folk_settle(f);
	for (unsigned int s = 0; s < SERVERS; s++)
		for (unsigned int i = 0; i < WORKERS; i++)
			folk_fork(f, s, worker_of(s, i));
	folk_settle(f);
	folk_measure_all(f, 0);
	return f;
}

static void divide(struct folk *f, unsigned int server)
{
	assert_int_equal(kin_divide(&f->kin, &f->member[server], &f->base[server], MIB), 0);
}

/* What a house has of the launcher it shares with others, too, whom it does not watch. */
static void assert_house_bounds(const struct folk *f, unsigned int server)
{
	for (const struct kin_member *m = f->member; m < f->member + WORLD_PROCESSES; m++)
		if (m->family && m->measured_ns && m->key == f->member[worker_of(server, 1)].key)
			folk_assert_bounds(f, (unsigned int)(m - f->member));
	folk_assert_all_within(f, 10);
}

/* Who comes and goes in one is nothing to the others, and for its own is counted exactly. */
static void knows_its_own(void **state)
{
	AUTO_FOLK struct folk *f = start_servers();

	(void)state;
	assert_ptr_equal(f->member[0].family, f->member[worker_of(2, 0)].family);
	for (unsigned int s = 0; s < SERVERS; s++)
		divide(f, s); /* the last has all that are left, and is one, too */
	folk_settle(f);
	for (unsigned int s = 0; s < SERVERS; s++) {
		for (unsigned int i = 0; i < WORKERS; i++)
			assert_ptr_equal(f->member[worker_of(s, i)].family, f->member[s].family);
		assert_ptr_not_equal(f->member[s].family, f->member[(s + 1) % SERVERS].family);
		assert_int_equal(f->doubt[worker_of(s, 0)].anon_mid, 0);
	}
	folk_end(f, worker_of(1, 0));
	folk_end(f, worker_of(1, 1));
	folk_fork(f, 1, worker_of(1, 5));
	folk_settle(f);
	assert_int_equal(f->visits, 3); /* of those who are left, and were measured */
	folk_assert_all_within(f, 10);
	folk_assert_all_bounds(f);
	assert_int_equal(f->member[2].fresh, 0);
	divide(f, 1); /* it is one already */
	assert_ptr_equal(f->member[1].family, f->member[worker_of(1, 5)].family);
	folk_measure(f, worker_of(1, 5)); /* its range is that of its house */
	assert_ptr_equal(f->member[1].family, f->member[worker_of(1, 5)].family);
}

/* Without a division the deaths at one count for all, and nothing is exact. */
static void is_in_doubt_otherwise(void **state)
{
	AUTO_FOLK struct folk *f = start_servers();

	(void)state;
	folk_end(f, worker_of(1, 0));
	folk_end(f, worker_of(1, 1));
	folk_settle(f);
	assert_int_equal(f->visits, SERVERS * (WORKERS + 1) - 2);
	assert_int_not_equal(f->doubt[worker_of(2, 0)].anon_mid, 0);
}

/* Who shares with more than its own descendants has no house. */
static void stays_where_more_share(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 2);
	for (unsigned int i = 3; i <= 5; i++) {
		folk_fork(f, 1, i);
		folk_fork(f, 2, i + 10);
	}
	folk_settle(f);
	folk_measure_all(f, 0);
	divide(f, 1);
	assert_ptr_equal(f->member[1].family, f->member[2].family);
	divide(f, 63); /* who is alone has no need of one */
	assert_null(f->member[63].family);
	folk_end(f, 13);
	folk_settle(f);
	folk_assert_all_within(f, 10);
	folk_assert_all_bounds(f);
}

/* What had happened before is not forgotten: as large a part of the house may be gone as of all. */
static void keeps_what_is_counted(void **state)
{
	AUTO_FOLK struct folk *f = start_servers();

	(void)state;
	folk_end(f, worker_of(0, 0));
	folk_end(f, worker_of(1, 0));
	folk_settle(f);
	folk_measure(f, 0);
	divide(f, 0);
	folk_settle(f);
	assert_int_equal(f->member[worker_of(0, 1)].kept, 4);
	assert_int_equal(f->member[worker_of(0, 1)].then, 4 * 15 / 13);
	assert_int_equal(f->member[worker_of(1, 1)].kept, 9);
	assert_int_equal(f->member[worker_of(1, 1)].then, 9 * 15 / 13);
	/* What it finds says nothing of who was never counted among others. */
	folk_measure(f, worker_of(0, 1));
	folk_settle(f);
	assert_int_equal(f->member[worker_of(0, 1)].then, 4);
	folk_end(f, worker_of(0, 2));
	folk_settle(f);
	assert_int_equal(f->member[worker_of(0, 1)].kept, 3);
}

/* Suspicions and what was found to be written go with those who wrote. */
static void takes_its_writers_with_it(void **state)
{
	AUTO_FOLK struct folk *f = start_servers();
	struct breaks_sum ours, theirs;

	(void)state;
	kin_suspect(&f->member[worker_of(0, 0)], 3 * MIB, f->now);
	kin_suspect(&f->member[worker_of(1, 0)], 5 * MIB, f->now);
	kin_broke(&f->kin, &f->member[worker_of(0, 0)], MIB, 4 * MIB, f->now);
	kin_broke(&f->kin, &f->member[worker_of(1, 0)], 2 * MIB, 4 * MIB, f->now);
	divide(f, 0);
	assert_int_equal(kin_suspected(&f->member[worker_of(0, 1)]), 3 * MIB);
	assert_int_equal(kin_suspected(&f->member[worker_of(1, 1)]), 5 * MIB);
	kin_broken(&f->member[worker_of(0, 1)], &ours);
	kin_broken(&f->member[worker_of(1, 1)], &theirs);
	assert_in_range(theirs.parted, 2 * ours.parted - 16, 2 * ours.parted + 16);
	kin_suspect(&f->member[worker_of(0, 0)], 0, f->now);
	assert_int_equal(kin_suspected(&f->member[worker_of(0, 1)]), 0);
}

/* What all of them have of the launcher is a little more or less with each who comes or goes anywhere. */
static void allows_for_those_elsewhere(void **state)
{
	AUTO_FOLK struct folk *f = start_servers();

	(void)state;
	for (unsigned int s = 0; s < SERVERS; s++)
		divide(f, s);
	folk_settle(f);
	f->now += SEC;
	folk_measure(f, 1);
	assert_int_equal(kin_far(&f->member[1]), 0);
	assert_int_equal(kin_far(&f->member[63]), 0);
	folk_end(f, worker_of(2, 0));
	folk_settle(f);
	assert_int_equal(kin_far(&f->member[1]), MIB / 15);
	folk_measure(f, 1);
	assert_int_equal(kin_far(&f->member[1]), 0);
	folk_fork(f, 0, worker_of(0, 6));
	folk_settle(f);
	assert_int_equal(kin_far(&f->member[1]), MIB / 15);
}

/* A worker that is found to be the server's by its range alone is of its house. */
static void takes_in_a_stray(void **state)
{
	AUTO_FOLK struct folk *f = start_servers();

	(void)state;
	divide(f, 0);
	folk_settle(f);
	folk_fork_unseen(f, 0, worker_of(0, 5));
	folk_notice(f);
	assert_int_equal(kin_born(&f->kin, &f->member[worker_of(0, 5)], NULL, f->now), 0);
	folk_measure(f, worker_of(0, 5));
	kin_suspect(&f->member[worker_of(0, 5)], MIB, f->now);
	assert_ptr_equal(f->member[worker_of(0, 5)].family, f->member[1].family);
	assert_int_equal(kin_descends(&f->kin, &f->member[worker_of(0, 5)], &f->member[0]), 0);
	assert_ptr_equal(f->member[worker_of(0, 5)].family, f->member[0].family);
	assert_int_equal(kin_suspected(&f->member[worker_of(0, 1)]), MIB);
	folk_settle(f);
	assert_int_equal(f->member[worker_of(0, 1)].fresh, 1);
	assert_int_equal(f->member[worker_of(1, 1)].kept, f->member[worker_of(1, 1)].then);
	assert_house_bounds(f, 0);
	/* What it has found of itself is known of it alone. */
	folk_end(f, 0);
	folk_settle(f);
	assert_int_equal(f->member[worker_of(0, 5)].kept, 5);
	assert_house_bounds(f, 0);
}

/* As those before it, a newborn writes to a MiB at once, which then is nobody's but the server's. */
static void expects_newborns_to_write(void **state)
{
	AUTO_FOLK struct folk *f = start_servers();
	struct estimate_base *base = &f->base[0];
	int64_t shared;

	(void)state;
	divide(f, 0);
	base->uss = 6 * MIB;
	base->pss_anon = 6 * MIB + 7 * MIB / 5;
	f->now += SEC;
	folk_fork(f, 0, worker_of(0, 5));
	folk_settle(f);
	shared = f->doubt[0].anon_mid;
	assert_true(shared < -3 * (int64_t)MIB);
	for (unsigned int i = 0; i < 12; i++)
		kin_newborn(&f->kin, &f->member[worker_of(0, 5)], 6 * MIB);
	folk_fork(f, 0, worker_of(0, 6));
	folk_settle(f);
	assert_in_range((uint64_t)-f->doubt[0].anon_mid, 0, MIB);
	/* Who was there in the pass before may have written all the time. */
	for (unsigned int i = 0; i < 12; i++)
		kin_newborn(&f->kin, &f->member[worker_of(0, 0)], 0);
	folk_fork(f, 0, worker_of(0, 7));
	folk_settle(f);
	assert_in_range((uint64_t)-f->doubt[0].anon_mid, 0, 3 * MIB / 2);
}

static void does_without_memory(void **state)
{
	(void)state;
	for (unsigned int n = 1;; n++) {
		AUTO_FOLK struct folk *f = start_servers();
		int r;

		allocation_fail_at(n);
		r = kin_divide(&f->kin, &f->member[0], &f->base[0], MIB);
		if (!allocation_end()) {
			assert_int_equal(r, 0);
			break;
		}
		assert_int_equal(r, -ENOMEM);
		assert_ptr_equal(f->member[0].family, f->member[1].family);
		folk_end(f, worker_of(0, 0));
		folk_settle(f);
		folk_assert_all_bounds(f);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_its_own),
		cmocka_unit_test(is_in_doubt_otherwise),
		cmocka_unit_test(stays_where_more_share),
		cmocka_unit_test(keeps_what_is_counted),
		cmocka_unit_test(takes_its_writers_with_it),
		cmocka_unit_test(allows_for_those_elsewhere),
		cmocka_unit_test(takes_in_a_stray),
		cmocka_unit_test(expects_newborns_to_write),
		cmocka_unit_test(does_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
