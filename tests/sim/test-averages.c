/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that average map counts over large folios (CONFIG_NO_PAGE_MAPCOUNT)
 *
 * Simulated hosts: processes map parts of folios, the exact PSS of each follows by arithmetic, and
 * smaps_rollup shows what such a kernel would show. No such kernel runs here: the rule is from
 * fs/proc/task_mmu.c and folio_average_page_mapcount() of Linux 6.15.
 *
 * In the tests of the arithmetic no limit depends on chance: the bounds contain the exact PSS for
 * every seed.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/buffer.h"
#include "base/cleanup.h"
#include "collectors/process/self/mapcounts.h"
#include "collectors/procfs/smaps.h"
#include "tests/sim/host/population.h"
#include "tests/sim/verdict.h"

enum {
	SEEDS = 64,
	PROCESSES = 6,
	FOLIOS = 20,
	PAGES_MAX = 32,
	PAGE_KIB = 4,
	PSS_SHIFT = 12,
};

/* In percent of the samples, for the upper confidence limit. 16 hosts have 0.005 to 0.02. */
#define AVERAGES_OUTSIDE 0.1

struct folio {
	unsigned int pages; /* a power of two */
	bool is_anon;
	bool maps[PROCESSES][PAGES_MAX];
};

struct world {
	struct folio folio[FOLIOS];
	uint64_t large_anon; /* bytes, as the kernel counts them */
};

/* The sums of smaps_rollup of a process, in bytes; PSS in bytes << PSS_SHIFT. */
struct rollup_sums {
	uint64_t rss, pss, pss_anon, pss_file, shared, private, rss_anon;
};

static uint32_t draw(uint64_t *seed, uint32_t below)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((*seed >> 33) % below);
}

/* Each process maps none of the folio, all of it, or one piece. */
static void make_folio(struct folio *f, uint64_t *seed)
{
	f->pages = 1U << draw(seed, 6);
	f->is_anon = draw(seed, 2);
	for (unsigned int p = 0; p < PROCESSES; p++) {
		unsigned int begin = draw(seed, f->pages),
			     end = begin + 1 + draw(seed, f->pages - begin);
		unsigned int how = draw(seed, 3);

		for (unsigned int i = 0; i < f->pages; i++)
			f->maps[p][i] = how == 2 || (how == 1 && i >= begin && i < end);
	}
}

static void make_world(struct world *w, uint64_t seed)
{
	*w = (struct world){.large_anon = 0};
	for (unsigned int i = 0; i < FOLIOS; i++) {
		make_folio(&w->folio[i], &seed);
		if (w->folio[i].is_anon && w->folio[i].pages > 1)
			w->large_anon += (uint64_t)w->folio[i].pages * PAGE_KIB * 1024;
	}
}

static unsigned int page_count(const struct folio *f, unsigned int page)
{
	unsigned int n = 0;

	for (unsigned int p = 0; p < PROCESSES; p++)
		n += f->maps[p][page];
	return n;
}

static unsigned int mappers(const struct folio *f)
{
	unsigned int n = 0;

	for (unsigned int p = 0; p < PROCESSES; p++) {
		bool any = false;

		for (unsigned int i = 0; i < f->pages; i++)
			any |= f->maps[p][i];
		n += any;
	}
	return n;
}

/*
 * The mean over the folio's pages, rounded to the nearest integer; at least 1, since it is mapped.
 */
static unsigned int average_count(const struct folio *f)
{
	unsigned int sum = 0, mean;

	for (unsigned int i = 0; i < f->pages; i++)
		sum += page_count(f, i);
	mean = (sum + f->pages / 2) / f->pages;
	return mean ? mean : 1;
}

static void add_page(
	struct rollup_sums *s, const struct folio *f, unsigned int count, bool is_private)
{
	uint64_t bytes = (uint64_t)PAGE_KIB * 1024, pss = (bytes << PSS_SHIFT) / count;

	s->rss += bytes;
	s->pss += pss;
	*(f->is_anon ? &s->pss_anon : &s->pss_file) += pss;
	*(is_private ? &s->private : &s->shared) += bytes;
	s->rss_anon += f->is_anon ? bytes : 0;
}

/* Returns the sums of process P with averaged map counts (AVERAGES) or exact ones. */
static struct rollup_sums sums_of(const struct world *w, unsigned int p, bool averages)
{
	struct rollup_sums s = {0};

	for (unsigned int k = 0; k < FOLIOS; k++) {
		const struct folio *f = &w->folio[k];

		for (unsigned int i = 0; i < f->pages; i++) {
			bool is_averaged = averages && f->pages > 1;
			unsigned int exact = page_count(f, i);

			if (f->maps[p][i])
				add_page(&s, f, is_averaged ? average_count(f) : exact,
					is_averaged ? mappers(f) == 1 : exact == 1);
		}
	}
	return s;
}

static void add_line(struct buffer *to, const char *key, uint64_t bytes)
{
	buffer_printf(to, "%-16s%8llu kB\n", key, (unsigned long long)(bytes / 1024));
}

/* Reads the row of process P as collectors do. */
static void read_row(
	const struct world *w, unsigned int p, bool averages, struct snapshot_process *ret)
{
	struct rollup_sums s = sums_of(w, p, averages);
	AUTO_BUFFER struct buffer text = {0};
	struct smaps smaps;

	buffer_add_text(&text, "7f0000000000-7fff00000000 ---p 00000000 00:00 0    [rollup]\n");
	add_line(&text, "Rss:", s.rss);
	add_line(&text, "Pss:", s.pss >> PSS_SHIFT);
	add_line(&text, "Pss_Anon:", s.pss_anon >> PSS_SHIFT);
	add_line(&text, "Pss_File:", s.pss_file >> PSS_SHIFT);
	add_line(&text, "Pss_Shmem:", 0);
	add_line(&text, "Shared_Clean:", s.shared);
	add_line(&text, "Shared_Dirty:", 0);
	add_line(&text, "Private_Clean:", s.private);
	add_line(&text, "Private_Dirty:", 0);
	assert_int_equal(text.error, 0);
	assert_int_equal(smaps_parse_rollup(text.data, text.len, &smaps), 0);
	*ret = (struct snapshot_process){.pid = p + 1};
	smaps_store(&smaps, &ret->present, ret->q);
	ROW_SET(ret, PROCESS_RSS_ANON, s.rss_anon);
}

/*
 * Returns whether the bounds of ROW contain the exact PSS of process P. Both are rounded down to a
 * KiB.
 */
static bool contains(const struct snapshot_process *row, const struct world *w, unsigned int p)
{
	uint64_t pss = sums_of(w, p, false).pss;

	return row->q[PROCESS_PSS_LOW] <= (pss + (UINT64_C(1024) << PSS_SHIFT)) >> PSS_SHIFT &&
	       row->q[PROCESS_PSS_HIGH] + 1024 >= pss >> PSS_SHIFT;
}

static void bounds_contain_the_exact_pss(void **state)
{
	unsigned int missed = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct world w;

		make_world(&w, seed);
		for (unsigned int p = 0; p < PROCESSES; p++) {
			struct snapshot_process row;

			read_row(&w, p, true, &row);
			missed += !contains(&row, &w, p);
			mapcounts_widen(&row, w.large_anon);
			if (!contains(&row, &w, p))
				fail_msg("seed %llu, process %u: %llu to %llu, but exactly %llu",
					(unsigned long long)seed, p,
					(unsigned long long)row.q[PROCESS_PSS_LOW],
					(unsigned long long)row.q[PROCESS_PSS_HIGH],
					(unsigned long long)(sums_of(&w, p, false).pss >>
							     PSS_SHIFT));
			assert_true(row.q[PROCESS_PSS_LOW] >= row.q[PROCESS_USS]);
			assert_true(row.q[PROCESS_PSS_HIGH] <= row.q[PROCESS_RSS]);
		}
	}
	/* Otherwise averages do no harm on these hosts, and the test shows nothing. */
	print_message("as read, %u of %u would miss the exact PSS\n", missed, SEEDS * PROCESSES);
	assert_true(missed > SEEDS * PROCESSES / 2);
}

/*
 * The trial at memtallyd's start, on such a kernel, by the same rule: a folio of 2 MiB, half of
 * which a child unmaps.
 */
static void trial_tells_such_a_kernel(void **state)
{
	static const struct {
		bool averages;
		uint64_t shared_kib; /* after the unmapping */
		enum mapcounts_verdict verdict;
	} kernels[] = {{false, 1024, MAPCOUNTS_EXACT}, {true, 2048, MAPCOUNTS_AVERAGED}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct folio f = {.pages = PAGES_MAX, .is_anon = true};
		struct smaps before = {.mappings = 1}, after;
		uint64_t page_bytes = (UINT64_C(2) << 20) / PAGES_MAX, shared = 0;

		for (unsigned int page = 0; page < PAGES_MAX; page++) {
			f.maps[0][page] = true;
			f.maps[1][page] = page >= PAGES_MAX / 2;
		}
		for (unsigned int page = 0; page < PAGES_MAX; page++)
			if (kernels[i].averages ? mappers(&f) > 1 : page_count(&f, page) > 1)
				shared += page_bytes;
		assert_int_equal(shared, kernels[i].shared_kib * 1024);
		ROW_SET(&before, SMAPS_ANON_HUGE, UINT64_C(2) << 20);
		ROW_SET(&before, SMAPS_SHARED_DIRTY, UINT64_C(2) << 20);
		after = before;
		ROW_SET(&after, SMAPS_SHARED_DIRTY, shared);
		assert_int_equal(
			mapcounts_judge(&before, &after, UINT64_C(2) << 20), kernels[i].verdict);
	}
}

/*
 * Returns the number of living processes for which a walk finds a PSS that is wrong by more than a
 * page.
 */
static unsigned int count_wrong(const struct host *h)
{
	unsigned int wrong = 0;

	for (size_t slot = 0; slot < h->slots; slot++) {
		struct host_truth exact, read;

		if (!host_is_alive(&h->process[slot]))
			continue;
		host_truth(h, slot, &exact);
		host_walk(h, slot, &read);
		wrong += exact.pss > read.pss + HOST_PAGE || exact.pss + HOST_PAGE < read.pss;
	}
	return wrong;
}

/*
 * Whole passes on simulated hosts with a kernel that averages. Half of the memory is large folios,
 * and processes free, copy or touch parts of them. As without averages, bounds contain the exact
 * PSS except for some samples in a thousand. The host's low bound is never above the exact sum: it
 * must not follow from AnonPages + Mapped.
 */
static void passes_contain_the_exact_pss(void **state)
{
	static const char name[] = "averages";
	struct verdict v = {0};
	size_t wrong = 0, processes = 0;

	(void)state;
	for (uint64_t seed = 0; seed < population_seeds(); seed++) {
		struct host h;
		struct daemon d;

		host_init(&h, population_seed(200, seed));
		h.averages = true;
		population_grow(&h, 100, 60);
		daemon_init(&d, &h, &daemon_defaults);
		daemon_run(&d, &population_some_events, 31);
		daemon_restart_accounts(&d);
		daemon_run(&d, &population_some_events, extent_is_long() ? 400 : 60);
		assert_true(host_is_sound(&h));
		wrong += count_wrong(&h);
		processes += h.living;
		verdict_check(name, &d);
		verdict_add(&v, &d);
		daemon_done(&d);
		host_done(&h);
	}
	verdict_mean(name, "processes out of bounds", "%", &v.outside, AVERAGES_OUTSIDE);
	verdict_mean(
		name, "users and programs out of bounds", "%", &v.sums_outside, AVERAGES_OUTSIDE);
	verdict_mean(
		name, "passes with the host's low bound above the truth", "%", &v.host_outside, 0);
	verdict_assert();
	/* Otherwise averages do no harm on these hosts, and the test shows nothing. */
	print_message("walks would find a wrong PSS of %zu of %zu processes\n", wrong, processes);
	assert_true(wrong > processes / 10);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_contain_the_exact_pss),
		cmocka_unit_test(trial_tells_such_a_kernel),
		cmocka_unit_test(passes_contain_the_exact_pss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
