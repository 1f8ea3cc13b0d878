/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests estimates against a simulated process. Each of its pages has a number of sharers and
 * changes at random; the true PSS must lie within the bounds.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "base/saturate.h"
#include "collectors/model/estimate.h"

#define KIB UINT64_C(1024)

/* A process of pages. Changes by the process and by its sharers move counters, or do not. */
enum { PAGES = 400 };

struct model {
	unsigned int anon[PAGES], file[PAGES]; /* sharers of each page; 0: not resident */
	unsigned int swapped[PAGES];           /* sharers of anonymous pages in swap */
};

static uint64_t sum_resident(const unsigned int *page, uint64_t *ret_pss, uint64_t *ret_private)
{
	uint64_t rss = 0, share = 0, private = 0;

	for (unsigned int i = 0; i < PAGES; i++)
		if (page[i]) {
			rss += 4 * KIB;
			share += (UINT64_C(1) << 24) / page[i];
			private += page[i] == 1 ? 4 * KIB : 0;
		}
	*ret_pss = (share >> 22) * KIB;
	*ret_private = private;
	return rss;
}

static void measure(const struct model *m, bool has_parts, struct estimate_base *ret)
{
	uint64_t private_anon, private_file, unused;

	*ret = (struct estimate_base){.rounding = 2 * KIB, .has_parts = true};
	ret->anon = sum_resident(m->anon, &ret->pss_anon, &private_anon);
	ret->file = sum_resident(m->file, &ret->pss_file, &private_file);
	ret->swap = sum_resident(m->swapped, &ret->swap_pss, &unused);
	ret->uss = private_anon + private_file;
	if (!has_parts) {
		ret->pss_file += ret->pss_anon;
		ret->pss_anon = 0;
		ret->has_parts = false;
	}
}

static unsigned int random_sharers(uint64_t *seed)
{
	static const unsigned int few[] = {1, 1, 1, 2, 3, 20, 500};

	return few[unit_random(seed) % ARRAY_SIZE(few)];
}

/* Makes one change that the counters show. New anonymous pages are private. */
static void live(struct model *m, uint64_t *seed, bool *grown, bool *lost)
{
	unsigned int i = unit_random(seed) % PAGES;

	switch (unit_random(seed) % 6) {
	case 0:
		if (!*lost && !m->anon[i])
			m->anon[i] = 1;
		break;
	case 1:
		if (!*grown)
			m->anon[i] = 0;
		break;
	case 2:
		if (!*lost && !m->file[i])
			m->file[i] = random_sharers(seed);
		break;
	case 3:
		if (!*grown)
			m->file[i] = 0;
		break;
	case 4:
		if (!*grown && m->anon[i] && !m->swapped[i]) {
			m->swapped[i] = m->anon[i];
			m->anon[i] = 0;
		}
		break;
	default:
		if (!*lost && m->swapped[i] && !m->anon[i]) {
			m->anon[i] = m->swapped[i];
			m->swapped[i] = 0;
		}
	}
}

/* The process has only grown, or only shrunk, since the measurement. */
static void holds_the_truth(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (unsigned int round = 0; round < unit_rounds(20000); round++) {
		bool shrinks = unit_random(&seed) & 1, grows = !shrinks;
		unsigned int density = 1 + unit_random(&seed) % 100;
		struct estimate_base base, truth;
		struct model m = {0};
		struct estimate_now now;
		struct estimate e;
		uint64_t pss;

		for (unsigned int i = 0; i < PAGES; i++) {
			m.anon[i] = unit_random(&seed) % 100 < density ? random_sharers(&seed) : 0;
			m.file[i] = unit_random(&seed) % 100 < density ? random_sharers(&seed) : 0;
			m.swapped[i] = !m.anon[i] && unit_random(&seed) % 4 == 0
			                       ? random_sharers(&seed)
			                       : 0;
		}
		measure(&m, unit_random(&seed) % 4, &base);
		for (uint64_t n = unit_random(&seed) % 600; n; n--)
			live(&m, &seed, &grows, &shrinks);
		measure(&m, true, &truth);
		now = (struct estimate_now){truth.anon, truth.file, truth.swap};
		estimate_carry(&base, &now, &(struct estimate_doubt){0}, &e);
		pss = truth.pss_anon + truth.pss_file;
		/* There are two roundings; the base accounts for one of them. */
		assert_true(e.low <= pss + 2 * KIB);
		assert_true(pss <= e.high + 2 * KIB);
	}
}

/* Sharers of pages exit, or fork; a fork by the process itself shares all pages. */
static void meet_events(struct model *m, unsigned int forks, uint64_t *seed)
{
	unsigned int deaths = unit_random(seed) % 100, births = unit_random(seed) % 3;

	for (unsigned int i = 0; i < PAGES; i++) {
		unsigned int n = m->anon[i];

		if (n > 1 && unit_random(seed) % 100 < deaths)
			n = 1 + unit_random(seed) % (n - 1);
		if (n > 1 && !(unit_random(seed) % 3))
			n += births;
		m->anon[i] = n ? n + forks : 0;
	}
}

/* Frees N pages: those with the fewest sharers first, or those with the most. */
static void lose(struct model *m, unsigned int n, bool few_first)
{
	for (unsigned int best = PAGES; n; n--, best = PAGES) {
		for (unsigned int i = 0; i < PAGES; i++)
			if (m->anon[i] &&
				(best == PAGES || (m->anon[i] < m->anon[best]) == few_first))
				best = i;
		if (best < PAGES)
			m->anon[best] = 0;
	}
}

/* The effect of events on the pages is known within bounds. Then memory is freed or grows. */
static void holds_the_truth_after_events(void **state)
{
	uint64_t seed = 11;

	(void)state;
	for (unsigned int round = 0; round < unit_rounds(8000); round++) {
		bool shrinks = unit_random(&seed) & 1, grows = !shrinks;
		unsigned int density = 1 + unit_random(&seed) % 100;
		unsigned int forks = unit_random(&seed) % 2 ? unit_random(&seed) % 4 : 0;
		struct estimate_base base, truth;
		struct estimate_doubt d = {.forks = forks};
		struct model m = {0};
		struct estimate_now now;
		struct estimate e;
		uint64_t off;

		for (unsigned int i = 0; i < PAGES; i++) {
			m.anon[i] = unit_random(&seed) % 100 < density ? random_sharers(&seed) : 0;
			m.anon[i] += m.anon[i] && round % 4 == 0;
			m.file[i] = unit_random(&seed) % 100 < density ? random_sharers(&seed) : 0;
		}
		measure(&m, true, &base);
		meet_events(&m, forks, &seed);
		measure(&m, true, &truth);
		off = unit_random(&seed) % 2 ? 0 : unit_random(&seed) % (base.anon / 4 + 1);
		d.anon_mid = saturate_difference(truth.pss_anon, base.pss_anon);
		/* The guess is wrong, and its bounds say by how much. */
		if (unit_random(&seed) % 2) {
			d.anon_mid += (int64_t)off;
			d.anon_down = off + unit_random(&seed) % (off + 1);
		} else {
			d.anon_mid -= (int64_t)off;
			d.anon_up = off + unit_random(&seed) % (off + 1);
		}
		for (uint64_t n = unit_random(&seed) % 600; n; n--)
			live(&m, &seed, &grows, &shrinks);
		if (shrinks && round % 8 < 4)
			lose(&m, unit_random(&seed) % PAGES, unit_random(&seed) & 1);
		measure(&m, true, &truth);
		now = (struct estimate_now){truth.anon, truth.file, 0};
		estimate_carry(&base, &now, &d, &e);
		assert_true(e.low <= truth.pss_anon + truth.pss_file + 3 * KIB);
		assert_true(truth.pss_anon + truth.pss_file <= e.high + 3 * KIB);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holds_the_truth),
		cmocka_unit_test(holds_the_truth_after_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
