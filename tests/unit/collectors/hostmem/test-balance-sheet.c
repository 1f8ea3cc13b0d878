/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/hostmem/balance-sheet.h: the arithmetic of the host's balance sheet. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "collectors/hostmem/balance-sheet.h"
#include "snapshot/balance.h"

enum { PAGE = 4096 };

/*
 * A host where each page is in one place. Amounts in bytes, all different, so that lines can be
 * told apart.
 */
struct state {
	struct meminfo meminfo;
	struct vmstat vmstat;
	struct balance_sheet_processes processes;
	struct sums host;
	struct balance_sheet_sources sources;
};

static void set(struct state *s, enum meminfo_field i, uint64_t bytes)
{
	ROW_SET(&s->meminfo, i, bytes);
}

static void init(struct state *s)
{
	*s = (struct state){.processes = {.anon = 1000, .file = 300, .shmem = 70}};
	s->sources = (struct balance_sheet_sources){
		.meminfo = &s->meminfo,
		.vmstat = &s->vmstat,
		.processes = &s->processes,
		.host = &s->host,
		.page_bytes = PAGE,
	};
	ROW_SET(&s->host, SCOPE_PSS, 1370);
	ROW_SET(&s->host, SCOPE_PSS_LOW, 1300);
	ROW_SET(&s->host, SCOPE_PSS_HIGH, 1400);
	set(s, MEMINFO_TOTAL, 100000);
	set(s, MEMINFO_FREE, 50000);
	set(s, MEMINFO_BUFFERS, 40);
	set(s, MEMINFO_CACHED, 5200); /* 200 of them are shared memory */
	set(s, MEMINFO_SHMEM, 200);
	set(s, MEMINFO_ANON_PAGES, 1000);
	set(s, MEMINFO_MAPPED, 370);
}

static int64_t residual_of(const struct snapshot_balance *b)
{
	assert_true(ROW_HAS(b, BALANCE_RESIDUAL));
	return (int64_t)b->q[BALANCE_RESIDUAL];
}

static void expect(const struct snapshot_balance *b, enum balance_quantity i, uint64_t value)
{
	if (!ROW_HAS(b, i) || b->q[i] != value)
		fail_msg("%u: %s %lld, expected %lld", (unsigned int)i,
			ROW_HAS(b, i) ? "" : "absent", (long long)b->q[i], (long long)value);
}

/* Asserts that all lines and the residual sum up to MemTotal. */
static void expect_sum(const struct state *s, const struct snapshot_balance *b)
{
	assert_true(
		(int64_t)balance_sum(b) + residual_of(b) == (int64_t)s->meminfo.q[MEMINFO_TOTAL]);
}

static void separates_mapped_from_unmapped_memory(void **state)
{
	struct snapshot_balance b;
	struct state s;

	(void)state;
	init(&s);
	balance_sheet_make(&s.sources, &b);
	expect(&b, BALANCE_PSS_ANON, 1000);
	expect(&b, BALANCE_PSS_FILE, 300);
	expect(&b, BALANCE_PSS_SHMEM, 70);
	assert_false(ROW_HAS(&b, BALANCE_PSS_UNSPLIT));
	expect(&b, BALANCE_PAGE_CACHE, 5000 + 40 - 300);
	expect(&b, BALANCE_SHMEM, 200 - 70);
	expect(&b, BALANCE_FREE, 50000);
	assert_int_equal(residual_of(&b), 100000 - 50000 - 1000 - 5200 - 40);
	expect(&b, BALANCE_RESIDUAL_PROCESSES, 0);
	expect(&b, BALANCE_RESIDUAL_LOW, (uint64_t)(residual_of(&b) - 30));
	expect(&b, BALANCE_RESIDUAL_HIGH, (uint64_t)(residual_of(&b) + 70));
	expect_sum(&s, &b);
}

/* Each number of the kernel is a line, and moves out of the residual. */
static void each_kernel_number_is_a_line(void **state)
{
	static const struct {
		enum meminfo_field from;
		enum balance_quantity to;
	} cases[] = {
		{MEMINFO_HUGETLB, BALANCE_HUGETLB},
		{MEMINFO_PAGE_TABLES, BALANCE_PAGE_TABLES},
		{MEMINFO_SECONDARY_PAGE_TABLES, BALANCE_SECONDARY_PAGE_TABLES},
		{MEMINFO_KERNEL_STACKS, BALANCE_KERNEL_STACKS},
		{MEMINFO_SLAB_RECLAIMABLE, BALANCE_SLAB_RECLAIMABLE},
		{MEMINFO_SLAB_UNRECLAIMABLE, BALANCE_SLAB_UNRECLAIMABLE},
		{MEMINFO_PERCPU, BALANCE_PERCPU},
		{MEMINFO_ZSWAP, BALANCE_ZSWAP},
		{MEMINFO_WRITEBACK_TMP, BALANCE_WRITEBACK_TMP},
		{MEMINFO_HARDWARE_CORRUPTED, BALANCE_HARDWARE_CORRUPTED},
		{MEMINFO_VMALLOC, BALANCE_VMALLOC},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct snapshot_balance before, after;
		struct state s;

		init(&s);
		balance_sheet_make(&s.sources, &before);
		assert_false(ROW_HAS(&before, cases[i].to));
		set(&s, cases[i].from, 777);
		balance_sheet_make(&s.sources, &after);
		expect(&after, cases[i].to, 777);
		assert_int_equal(residual_of(&after), residual_of(&before) - 777);
		expect_sum(&s, &after);
	}
}

/* vmalloc'ed stacks count once, and so does zsmalloc memory of zswap. */
static void vmalloc_and_zsmalloc_count_once(void **state)
{
	struct snapshot_balance b;
	struct state s;

	(void)state;
	init(&s);
	set(&s, MEMINFO_KERNEL_STACKS, 600);
	set(&s, MEMINFO_VMALLOC, 900);
	set(&s, MEMINFO_KERNEL_RECLAIMABLE, 555);
	set(&s, MEMINFO_SLAB_RECLAIMABLE, 500);
	set(&s, MEMINFO_ZSWAP, PAGE);
	ROW_SET(&s.vmstat, VMSTAT_ZSPAGES, 3);
	ROW_SET(&s.vmstat, VMSTAT_MEMMAP_PAGES, 1);
	s.sources.has_lists = true;
	s.sources.list_pages = 2;
	balance_sheet_make(&s.sources, &b);
	expect(&b, BALANCE_VMALLOC, 300);
	expect(&b, BALANCE_KERNEL_RECLAIMABLE, 55);
	expect(&b, BALANCE_ZRAM, 2 * PAGE);
	expect(&b, BALANCE_MEMMAP, PAGE);
	expect(&b, BALANCE_FREE_LISTS, 2 * PAGE);
	expect_sum(&s, &b);
	set(&s, MEMINFO_VMALLOC, 100); /* a kernel without CONFIG_VMAP_STACK */
	balance_sheet_make(&s.sources, &b);
	expect(&b, BALANCE_VMALLOC, 100);
	set(&s, MEMINFO_ZSWAP, 4 * PAGE); /* more than zsmalloc has, which cannot be */
	balance_sheet_make(&s.sources, &b);
	expect(&b, BALANCE_ZRAM, 0);
}

/* Errors of the PSS change the residual, and no line of the kernel. */
static void errors_stay_in_the_residual(void **state)
{
	struct snapshot_balance good, bad;
	struct state s;

	(void)state;
	init(&s);
	balance_sheet_make(&s.sources, &good);
	s.processes.anon -= 100; /* processes that were not measured */
	s.processes.file += 20;
	balance_sheet_make(&s.sources, &bad);
	assert_int_equal(residual_of(&bad), residual_of(&good) + 80);
	expect(&bad, BALANCE_RESIDUAL_PROCESSES, 80);
	expect(&bad, BALANCE_PAGE_CACHE, good.q[BALANCE_PAGE_CACHE]);
	expect_sum(&s, &bad);
	s.processes.file += 10000; /* more than the host has */
	s.processes.shmem += 10000;
	balance_sheet_make(&s.sources, &bad);
	expect(&bad, BALANCE_SHMEM, 0);
	assert_true(residual_of(&bad) < residual_of(&good));
	assert_true((int64_t)bad.q[BALANCE_RESIDUAL_PROCESSES] < -19000);
	expect_sum(&s, &bad);
}

static void residual_may_be_negative(void **state)
{
	struct snapshot_balance b;
	struct state s;

	(void)state;
	init(&s);
	set(&s, MEMINFO_FREE, 100000);
	balance_sheet_make(&s.sources, &b);
	assert_int_equal(residual_of(&b), -1000 - 5200 - 40);
	expect_sum(&s, &b);
	set(&s, MEMINFO_FREE, INT64_MAX);
	set(&s, MEMINFO_CACHED, INT64_MAX);
	balance_sheet_make(&s.sources, &b);
	assert_true(residual_of(&b) < -(INT64_MAX - 200000));
}

/* Shared memory that no process maps belongs to its owners, up to the amount that exists. */
static void unmapped_shared_memory_has_owners(void **state)
{
	struct snapshot_balance b;
	struct state s;

	(void)state;
	init(&s);
	s.sources.has_sysv = s.sources.has_tmpfs = true;
	s.sources.sysv_unattached_bytes = 30;
	s.sources.tmpfs_bytes = 60;
	s.sources.tmpfs_unread = 3;
	s.sources.directories_unread = 4;
	balance_sheet_make(&s.sources, &b);
	expect(&b, BALANCE_SYSV, 30);
	expect(&b, BALANCE_TMPFS, 60);
	expect(&b, BALANCE_SHMEM, 130 - 90);
	expect(&b, BALANCE_TMPFS_UNREAD, 3);
	expect(&b, BALANCE_DIRECTORIES_UNREAD, 4);
	expect_sum(&s, &b);
	s.sources.tmpfs_bytes = 1 << 20; /* most of it is mapped or swapped */
	balance_sheet_make(&s.sources, &b);
	expect(&b, BALANCE_TMPFS, 100);
	expect(&b, BALANCE_SHMEM, 0);
	s.sources.sysv_unattached_bytes = 1 << 20; /* in hugetlb pages */
	balance_sheet_make(&s.sources, &b);
	expect(&b, BALANCE_SYSV, 130);
	expect(&b, BALANCE_TMPFS, 0);
	expect_sum(&s, &b);
	s.sources.has_sysv = s.sources.has_tmpfs = false;
	balance_sheet_make(&s.sources, &b);
	assert_false(ROW_HAS(&b, BALANCE_SYSV) || ROW_HAS(&b, BALANCE_TMPFS));
	expect(&b, BALANCE_SHMEM, 130);
}

/* Unmapped swap cache: pages on the LRU lists that are in no other line, up to SwapCached. */
static void only_unmapped_swap_cache_counts(void **state)
{
	static const struct {
		uint64_t active, swap_cached, expected;
	} cases[] = {
		{6240, 0, 0},
		{6240, 50, 0}, /* all of it is mapped */
		{6250, 50, 10},
		{9999, 50, 50}, /* other pages of the lists have no line */
		{0, 50, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct snapshot_balance b;
		struct state s;

		init(&s);
		set(&s, MEMINFO_ACTIVE, cases[i].active);
		set(&s, MEMINFO_INACTIVE, 0);
		set(&s, MEMINFO_UNEVICTABLE, 0);
		set(&s, MEMINFO_SWAP_CACHED, cases[i].swap_cached);
		balance_sheet_make(&s.sources, &b);
		expect(&b, BALANCE_SWAP_CACHE, cases[i].expected);
	}
}

static void swap_has_its_own_sheet(void **state)
{
	struct snapshot_balance b;
	struct state s;

	(void)state;
	init(&s);
	set(&s, MEMINFO_SWAP_TOTAL, 1000);
	set(&s, MEMINFO_SWAP_FREE, 400);
	s.sources.has_sysv = true;
	s.sources.sysv_swap_bytes = 150;
	balance_sheet_make(&s.sources, &b);
	assert_false(ROW_HAS(&b, BALANCE_SWAP_UNKNOWN)); /* nor the amount of processes */
	ROW_SET(&s.host, SCOPE_SWAP_PSS, 300);
	balance_sheet_make(&s.sources, &b);
	expect(&b, BALANCE_SWAP_PROCESSES, 300);
	expect(&b, BALANCE_SWAP_SYSV, 150);
	expect(&b, BALANCE_SWAP_UNKNOWN, 150);
	expect(&b, BALANCE_SWAP_FREE, 400);
	ROW_SET(&s.host, SCOPE_SWAP_PSS, 500);
	balance_sheet_make(&s.sources, &b);
	expect(&b, BALANCE_SWAP_UNKNOWN, (uint64_t)-50);
}

/*
 * Without a line that every kernel prints there is no residual, because it would have another
 * meaning.
 */
static void residual_needs_all_of_its_lines(void **state)
{
	static const enum meminfo_field needed[] = {MEMINFO_TOTAL, MEMINFO_FREE, MEMINFO_BUFFERS,
		MEMINFO_CACHED, MEMINFO_MAPPED, MEMINFO_SHMEM};
	struct snapshot_balance b;
	struct state s;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(needed); i++) {
		init(&s);
		s.meminfo.present &= ~(UINT64_C(1) << needed[i]);
		balance_sheet_make(&s.sources, &b);
		assert_false(ROW_HAS(&b, BALANCE_RESIDUAL) || ROW_HAS(&b, BALANCE_RESIDUAL_LOW));
	}
	init(&s);
	s.host.present = 0;
	balance_sheet_make(&s.sources, &b);
	assert_false(ROW_HAS(&b, BALANCE_RESIDUAL) || ROW_HAS(&b, BALANCE_PSS_ANON));
	init(&s);
	s.meminfo.present &= ~(UINT64_C(1) << MEMINFO_ANON_PAGES);
	s.host.present = UINT64_C(1) << SCOPE_PSS;
	balance_sheet_make(&s.sources, &b);
	assert_true(ROW_HAS(&b, BALANCE_RESIDUAL));
	assert_false(ROW_HAS(&b, BALANCE_RESIDUAL_PROCESSES) || ROW_HAS(&b, BALANCE_RESIDUAL_LOW) ||
		     ROW_HAS(&b, BALANCE_RESIDUAL_HIGH));
	s = (struct state){0};
	s.sources = (struct balance_sheet_sources){.meminfo = &s.meminfo,
		.vmstat = &s.vmstat,
		.processes = &s.processes,
		.host = &s.host};
	balance_sheet_make(&s.sources, &b);
	assert_int_equal(b.present, 0);
}

static void adds_up_processes(void **state)
{
	static const struct driver_amounts none = {0},
					   ring = {.pss = 25, .vmalloc = 5, .unread = 3};
	struct snapshot_process row = {.outcome = OUTCOME_MEASURED};
	struct balance_sheet_processes p = {0};

	(void)state;
	ROW_SET(&row, PROCESS_PSS, 100);
	balance_sheet_add(&p, &row, &none); /* from a kernel before 5.3 */
	assert_true(p.has_unsplit && p.unsplit == 100 && p.unsplit_shmem == 0);
	ROW_SET(&row, PROCESS_RSS_ANON, 40);
	ROW_SET(&row, PROCESS_RSS_FILE, 100);
	ROW_SET(&row, PROCESS_RSS_SHMEM, 500);
	/*
	 * A giant measured by slices: files and shared memory have 60, divided as 1 to 5; then 35,
	 * as 75 to 500.
	 */
	balance_sheet_add(&p, &row, &none);
	assert_true(p.unsplit == 200 && p.unsplit_shmem == 50);
	balance_sheet_add(&p, &row, &ring);
	assert_true(p.unsplit == 275 && p.unsplit_shmem == 50 + 30);
	ROW_SET(&row, PROCESS_PSS_ANON, 50);
	ROW_SET(&row, PROCESS_PSS_FILE, 30);
	ROW_SET(&row, PROCESS_PSS_SHMEM, 20);
	balance_sheet_add(&p, &row, &none);
	balance_sheet_add(&p, &row, &ring);
	assert_int_equal(p.anon, 100);
	assert_int_equal(p.file, 30 + 5);
	assert_int_equal(p.shmem, 40);
	assert_int_equal(p.unsplit, 275);
	assert_int_equal(p.driver.pss, 50);
	assert_int_equal(p.driver.vmalloc, 10);
	assert_int_equal(p.driver.unread, 6);
}

/*
 * A packet ring is in Mapped and Pss_File, but not in the page cache. It has a line of its own;
 * page cache and residual are unchanged.
 */
static void packet_rings_are_no_page_cache(void **state)
{
	struct snapshot_balance without, with;
	struct state s;

	(void)state;
	init(&s);
	balance_sheet_make(&s.sources, &without);
	expect(&without, BALANCE_PSS_DRIVER, 0);
	expect(&without, BALANCE_DRIVER_UNREAD, 0);
	s.processes.driver.pss = 9000; /* more than all mapped files */
	set(&s, MEMINFO_MAPPED, 370 + 9000);
	set(&s, MEMINFO_FREE, 50000 - 9000);
	balance_sheet_make(&s.sources, &with);
	expect(&with, BALANCE_PSS_DRIVER, 9000);
	expect(&with, BALANCE_PSS_FILE, without.q[BALANCE_PSS_FILE]);
	expect(&with, BALANCE_PAGE_CACHE, without.q[BALANCE_PAGE_CACHE]);
	expect(&with, BALANCE_RESIDUAL, without.q[BALANCE_RESIDUAL]);
	expect(&with, BALANCE_RESIDUAL_LOW, without.q[BALANCE_RESIDUAL_LOW]);
	expect(&with, BALANCE_RESIDUAL_HIGH, without.q[BALANCE_RESIDUAL_HIGH]);
	expect(&with, BALANCE_RESIDUAL_PROCESSES, 0);
	expect_sum(&s, &with);
}

/* If drivers' memory is never read, its line is absent. Mapped files may be drivers' memory. */
static void unread_drivers_memory_has_no_line(void **state)
{
	struct snapshot_balance read, unread;
	struct state s;

	(void)state;
	init(&s);
	s.processes.driver.unread = 200;
	balance_sheet_make(&s.sources, &read);
	s.sources.lacks_drivers = true;
	balance_sheet_make(&s.sources, &unread);
	assert_false(ROW_HAS(&unread, BALANCE_PSS_DRIVER));
	expect(&unread, BALANCE_DRIVER_UNREAD, 200);
	expect(&unread, BALANCE_RESIDUAL, read.q[BALANCE_RESIDUAL]);
	expect(&unread, BALANCE_RESIDUAL_LOW, read.q[BALANCE_RESIDUAL_LOW]);
	expect_sum(&s, &unread);
}

/*
 * A BPF array is also in VmallocUsed and counts once. If the mapping is none, the residual is
 * lower, which the lower bound has.
 */
static void bpf_arrays_count_once(void **state)
{
	struct snapshot_balance without, with;
	struct state s;

	(void)state;
	init(&s);
	set(&s, MEMINFO_VMALLOC, 900);
	set(&s, MEMINFO_KERNEL_STACKS, 600);
	balance_sheet_make(&s.sources, &without);
	s.processes.driver.pss = s.processes.driver.vmalloc = 9000;
	set(&s, MEMINFO_MAPPED, 370 + 9000);
	set(&s, MEMINFO_VMALLOC, 900 + 9000);
	set(&s, MEMINFO_FREE, 50000 - 9000);
	balance_sheet_make(&s.sources, &with);
	expect(&with, BALANCE_PSS_DRIVER, 9000);
	expect(&with, BALANCE_VMALLOC, 300);
	expect(&with, BALANCE_RESIDUAL, without.q[BALANCE_RESIDUAL]);
	expect(&with, BALANCE_RESIDUAL_LOW, without.q[BALANCE_RESIDUAL_LOW] - 9000);
	expect(&with, BALANCE_RESIDUAL_HIGH, without.q[BALANCE_RESIDUAL_HIGH]);
	expect_sum(&s, &with);
}

/*
 * Unknown drivers' memory is in the bounds: mappings not read yet, and whether a ring is
 * vmalloc'ed.
 */
static void bounds_include_unknown_drivers_memory(void **state)
{
	struct snapshot_balance b, without;
	struct state s;

	(void)state;
	init(&s);
	set(&s, MEMINFO_VMALLOC, 500);
	balance_sheet_make(&s.sources, &without);
	s.processes.driver.unread = 200;
	s.processes.driver.pss = 100;
	s.processes.file -= 100;
	balance_sheet_make(&s.sources, &b);
	expect(&b, BALANCE_DRIVER_UNREAD, 200);
	expect(&b, BALANCE_RESIDUAL,
		without.q[BALANCE_RESIDUAL] - 100); /* mapped page cache is lower by that */
	expect(&b, BALANCE_RESIDUAL_LOW, b.q[BALANCE_RESIDUAL] - 30 - 200);
	expect(&b, BALANCE_RESIDUAL_HIGH, b.q[BALANCE_RESIDUAL] + 70 + 100);
	set(&s, MEMINFO_VMALLOC, 60);
	balance_sheet_make(&s.sources, &b);
	expect(&b, BALANCE_RESIDUAL_HIGH, b.q[BALANCE_RESIDUAL] + 70 + 60);
	s.processes.driver.unread = UINT64_MAX;
	balance_sheet_make(&s.sources, &b);
	assert_true((int64_t)b.q[BALANCE_RESIDUAL_LOW] < -(INT64_MAX - 200000));
	expect_sum(&s, &b);
}

/*
 * Shared memory of a giant measured by slices counts as mapped, although the parts of its PSS are
 * unknown.
 */
static void giants_shared_memory_counts_as_mapped(void **state)
{
	struct snapshot_balance b;
	struct state s;

	(void)state;
	init(&s);
	s.processes.shmem = 20;
	s.processes.unsplit = 50;
	s.processes.unsplit_shmem = 50;
	s.processes.has_unsplit = true;
	balance_sheet_make(&s.sources, &b);
	expect(&b, BALANCE_PSS_UNSPLIT, 50);
	expect(&b, BALANCE_SHMEM, 200 - 70);
	expect(&b, BALANCE_PAGE_CACHE, 5000 + 40 - 300);
	expect(&b, BALANCE_RESIDUAL_PROCESSES, 0);
	expect_sum(&s, &b);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(separates_mapped_from_unmapped_memory),
		cmocka_unit_test(each_kernel_number_is_a_line),
		cmocka_unit_test(vmalloc_and_zsmalloc_count_once),
		cmocka_unit_test(errors_stay_in_the_residual),
		cmocka_unit_test(residual_may_be_negative),
		cmocka_unit_test(unmapped_shared_memory_has_owners),
		cmocka_unit_test(only_unmapped_swap_cache_counts),
		cmocka_unit_test(swap_has_its_own_sheet),
		cmocka_unit_test(residual_needs_all_of_its_lines),
		cmocka_unit_test(adds_up_processes),
		cmocka_unit_test(giants_shared_memory_counts_as_mapped),
		cmocka_unit_test(packet_rings_are_no_page_cache),
		cmocka_unit_test(unread_drivers_memory_has_no_line),
		cmocka_unit_test(bpf_arrays_count_once),
		cmocka_unit_test(bounds_include_unknown_drivers_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
