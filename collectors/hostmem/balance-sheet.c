/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of processes is the sum of their PSS, some of which may be estimated. All other lines
 * are the kernel's counters of one moment. Two of these, AnonPages and Mapped, count the same pages
 * as PSS. They show how much page cache and shared memory is unmapped, and how far the PSS is off,
 * which stays in the residual. If unmapped page cache were computed from the PSS, every error of an
 * estimate would hide in it.
 *
 * Mapped counts files, shared memory and drivers' memory together. Pss_Shmem is the shared memory.
 * A process that was measured by slices has no certain Pss_Shmem, so the part of its PSS that is
 * not anonymous is divided in the ratio of its RSS. driver.h provides drivers' memory, part of
 * which VmallocUsed counts, too.
 */
#include "config.h"

#include "collectors/hostmem/balance-sheet.h"

#include "base/cleanup.h"
#include "base/saturate.h"
#include "snapshot/balance.h"

/*
 * Returns how much of UNSPLIT bytes of ROW's PSS is likely to be shared memory: in the ratio of
 * RssShmem to RssFile.
 */
static uint64_t likely_shmem(
	const struct snapshot_process *row, uint64_t unsplit, const struct driver_amounts *driver)
{
	uint64_t file = row->q[PROCESS_RSS_FILE], shmem = row->q[PROCESS_RSS_SHMEM];

	if (!ROW_HAS(row, PROCESS_RSS_ANON) || !ROW_HAS(row, PROCESS_RSS_FILE) ||
		!ROW_HAS(row, PROCESS_RSS_SHMEM))
		return 0;
	return saturate_part(saturate_less(unsplit, row->q[PROCESS_RSS_ANON]), shmem,
		saturate_add(saturate_less(file, driver->pss), shmem));
}

static void add_driver(struct driver_amounts *to, const struct driver_amounts *from)
{
	to->pss = saturate_add(to->pss, from->pss);
	to->vmalloc = saturate_add(to->vmalloc, from->vmalloc);
	to->unread = saturate_add(to->unread, from->unread);
}

void balance_sheet_add(struct balance_sheet_processes *p, const struct snapshot_process *row,
	const struct driver_amounts *driver)
{
	add_driver(&p->driver, driver);
	if (!ROW_HAS(row, PROCESS_PSS_ANON) || !ROW_HAS(row, PROCESS_PSS_FILE) ||
		!ROW_HAS(row, PROCESS_PSS_SHMEM)) {
		uint64_t unsplit = saturate_less(row->q[PROCESS_PSS], driver->pss);

		p->unsplit = saturate_add(p->unsplit, unsplit);
		p->unsplit_shmem = saturate_add(
			p->unsplit_shmem, likely_shmem(row, unsplit, driver));
		p->has_unsplit = true;
		return;
	}
	p->anon = saturate_add(p->anon, row->q[PROCESS_PSS_ANON]);
	p->file = saturate_add(p->file, saturate_less(row->q[PROCESS_PSS_FILE], driver->pss));
	p->shmem = saturate_add(p->shmem, row->q[PROCESS_PSS_SHMEM]);
}

static void sheet_set(struct snapshot_balance *to, enum balance_quantity i, uint64_t bytes)
{
	ROW_SET(to, i, saturate_min(bytes, INT64_MAX));
}

/* Lines of meminfo that are lines of the sheet. */
static void take_numbers(const struct meminfo *m, struct snapshot_balance *to)
{
	static const struct {
		enum meminfo_field from;
		enum balance_quantity to;
	} taken[] = {
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
		{MEMINFO_FREE, BALANCE_FREE},
	};

	for (size_t i = 0; i < ARRAY_SIZE(taken); i++)
		if (ROW_HAS(m, taken[i].from))
			sheet_set(to, taken[i].to, m->q[taken[i].from]);
}

static bool has_all(const struct meminfo *m, const enum meminfo_field *fields, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!ROW_HAS(m, fields[i]))
			return false;
	return true;
}

/*
 * Returns VmallocUsed without stacks. With CONFIG_VMAP_STACK (64-bit kernels since 4.9 on x86-64,
 * 4.14 on arm64) stacks are vmalloc'ed. If VmallocUsed is less than all stacks, they are not.
 */
static uint64_t vmalloc_of(const struct meminfo *m)
{
	uint64_t vmalloc = m->q[MEMINFO_VMALLOC], stacks = m->q[MEMINFO_KERNEL_STACKS];

	return vmalloc >= stacks ? vmalloc - stacks : vmalloc;
}

/* Sets the lines that are differences, since one counter includes another. */
static void take_differences(const struct balance_sheet_sources *s, struct snapshot_balance *to)
{
	const struct meminfo *m = s->meminfo;

	if (ROW_HAS(m, MEMINFO_KERNEL_RECLAIMABLE) && ROW_HAS(m, MEMINFO_SLAB_RECLAIMABLE))
		sheet_set(to, BALANCE_KERNEL_RECLAIMABLE,
			saturate_less(
				m->q[MEMINFO_KERNEL_RECLAIMABLE], m->q[MEMINFO_SLAB_RECLAIMABLE]));
	if (ROW_HAS(m, MEMINFO_VMALLOC))
		sheet_set(to, BALANCE_VMALLOC,
			saturate_less(vmalloc_of(m), s->processes->driver.vmalloc));
	if (ROW_HAS(s->vmstat, VMSTAT_ZSPAGES))
		sheet_set(to, BALANCE_ZRAM,
			saturate_less(saturate_part(s->vmstat->q[VMSTAT_ZSPAGES], s->page_bytes, 1),
				m->q[MEMINFO_ZSWAP]));
	if (ROW_HAS(s->vmstat, VMSTAT_MEMMAP_PAGES))
		sheet_set(to, BALANCE_MEMMAP,
			saturate_part(s->vmstat->q[VMSTAT_MEMMAP_PAGES], s->page_bytes, 1));
	if (s->has_lists)
		sheet_set(to, BALANCE_FREE_LISTS, saturate_part(s->list_pages, s->page_bytes, 1));
}

/*
 * Swap cache: reclaimable pages that are neither mapped anonymous memory nor page cache; at most
 * SwapCached.
 */
static void take_swap_cache(const struct meminfo *m, struct snapshot_balance *to)
{
	static const enum meminfo_field needed[] = {MEMINFO_SWAP_CACHED, MEMINFO_ACTIVE,
		MEMINFO_INACTIVE, MEMINFO_UNEVICTABLE, MEMINFO_ANON_PAGES, MEMINFO_CACHED,
		MEMINFO_BUFFERS};
	uint64_t lists, known;

	if (!has_all(m, needed, ARRAY_SIZE(needed)))
		return;
	lists = saturate_add(saturate_add(m->q[MEMINFO_ACTIVE], m->q[MEMINFO_INACTIVE]),
		m->q[MEMINFO_UNEVICTABLE]);
	known = saturate_add(saturate_add(m->q[MEMINFO_ANON_PAGES], m->q[MEMINFO_CACHED]),
		m->q[MEMINFO_BUFFERS]);
	sheet_set(to, BALANCE_SWAP_CACHE,
		saturate_min(saturate_less(lists, known), m->q[MEMINFO_SWAP_CACHED]));
}

/* Divides UNMAPPED bytes of shared memory by owner, as far as the owners are known. */
static void take_shmem(
	const struct balance_sheet_sources *s, uint64_t unmapped, struct snapshot_balance *to)
{
	uint64_t bytes;

	if (s->has_sysv) {
		bytes = saturate_min(s->sysv_unattached_bytes, unmapped);
		sheet_set(to, BALANCE_SYSV, bytes);
		unmapped -= bytes;
	}
	if (s->has_tmpfs) {
		bytes = saturate_min(s->tmpfs_bytes, unmapped);
		sheet_set(to, BALANCE_TMPFS, bytes);
		unmapped -= bytes;
	}
	sheet_set(to, BALANCE_SHMEM, unmapped);
}

/* Sets the lines of resident files and shared memory that no process maps. */
static void take_unmapped(const struct balance_sheet_sources *s, struct snapshot_balance *to)
{
	static const enum meminfo_field needed[] = {
		MEMINFO_BUFFERS, MEMINFO_CACHED, MEMINFO_MAPPED, MEMINFO_SHMEM};
	const struct meminfo *m = s->meminfo;
	uint64_t shmem = m->q[MEMINFO_SHMEM], mapped = m->q[MEMINFO_MAPPED], files, mapped_shmem;
	uint64_t driver = s->processes->driver.pss;

	if (!has_all(m, needed, ARRAY_SIZE(needed)))
		return;
	files = saturate_add(saturate_less(m->q[MEMINFO_CACHED], shmem), m->q[MEMINFO_BUFFERS]);
	mapped_shmem = saturate_min(saturate_add(s->processes->shmem, s->processes->unsplit_shmem),
		saturate_min(shmem, mapped));
	sheet_set(to, BALANCE_PAGE_CACHE,
		saturate_less(files, saturate_less(mapped - mapped_shmem, driver)));
	take_shmem(s, shmem - mapped_shmem, to);
}

static void take_processes(const struct balance_sheet_sources *s, struct snapshot_balance *to)
{
	const struct balance_sheet_processes *p = s->processes;

	if (!ROW_HAS(s->host, SCOPE_PSS))
		return;
	sheet_set(to, BALANCE_PSS_ANON, p->anon);
	sheet_set(to, BALANCE_PSS_FILE, p->file);
	if (!s->lacks_drivers)
		sheet_set(to, BALANCE_PSS_DRIVER, p->driver.pss);
	sheet_set(to, BALANCE_DRIVER_UNREAD, p->driver.unread);
	sheet_set(to, BALANCE_PSS_SHMEM, p->shmem);
	if (p->has_unsplit)
		sheet_set(to, BALANCE_PSS_UNSPLIT, p->unsplit);
}

static void set_signed(struct snapshot_balance *to, enum balance_quantity i, int64_t bytes)
{
	ROW_SET(to, i, (uint64_t)bytes);
}

/*
 * Returns by how many bytes the residual may be lower. Mappings that were not read may be drivers'
 * memory: then as much more page cache is unmapped. Memory that looks like a BPF array may be none,
 * for example an arena (Linux 6.9): then VmallocUsed does not count it.
 */
static uint64_t driver_down(const struct balance_sheet_sources *s)
{
	const struct driver_amounts *d = &s->processes->driver;
	const struct meminfo *m = s->meminfo;

	return saturate_add(d->unread,
		ROW_HAS(m, MEMINFO_VMALLOC) ? saturate_min(d->vmalloc, vmalloc_of(m)) : 0);
}

/*
 * Returns by how many bytes the residual may be higher. Other drivers' memory may be vmalloc'ed,
 * too, and is then in two lines: a packet ring is, if there are no free pages in one piece.
 */
static uint64_t driver_up(const struct balance_sheet_sources *s)
{
	const struct driver_amounts *d = &s->processes->driver;
	const struct meminfo *m = s->meminfo;

	return ROW_HAS(m, MEMINFO_VMALLOC)
	               ? saturate_min(d->pss - d->vmalloc, saturate_less(vmalloc_of(m), d->vmalloc))
	               : 0;
}

/* Sets the residual: MemTotal less all lines, if all lines are there that every kernel has. */
static void take_residual(const struct balance_sheet_sources *s, struct snapshot_balance *to)
{
	const struct meminfo *m = s->meminfo;
	const struct sums *host = s->host;
	int64_t residual;

	if (!ROW_HAS(m, MEMINFO_TOTAL) || !ROW_HAS(to, BALANCE_FREE) ||
		!ROW_HAS(to, BALANCE_PAGE_CACHE) || !ROW_HAS(to, BALANCE_PSS_ANON))
		return;
	residual = saturate_difference(m->q[MEMINFO_TOTAL], balance_sum(to));
	set_signed(to, BALANCE_RESIDUAL, residual);
	if (ROW_HAS(host, SCOPE_PSS_HIGH))
		set_signed(to, BALANCE_RESIDUAL_LOW,
			saturate_sum(saturate_sum(residual, saturate_difference(host->q[SCOPE_PSS],
								    host->q[SCOPE_PSS_HIGH])),
				-(int64_t)saturate_min(driver_down(s), INT64_MAX)));
	if (ROW_HAS(host, SCOPE_PSS_LOW))
		set_signed(to, BALANCE_RESIDUAL_HIGH,
			saturate_sum(saturate_sum(residual, saturate_difference(host->q[SCOPE_PSS],
								    host->q[SCOPE_PSS_LOW])),
				(int64_t)saturate_min(driver_up(s), INT64_MAX)));
	if (ROW_HAS(m, MEMINFO_ANON_PAGES))
		set_signed(to, BALANCE_RESIDUAL_PROCESSES,
			saturate_difference(
				saturate_add(m->q[MEMINFO_ANON_PAGES], m->q[MEMINFO_MAPPED]),
				saturate_add(saturate_add(s->processes->anon, s->processes->file),
					saturate_add(s->processes->driver.pss,
						saturate_add(s->processes->shmem,
							s->processes->unsplit)))));
}

static void sheet_take_swap(const struct balance_sheet_sources *s, struct snapshot_balance *to)
{
	const struct meminfo *m = s->meminfo;
	bool has_processes = ROW_HAS(s->host, SCOPE_SWAP_PSS);
	uint64_t used, known = 0;

	if (!ROW_HAS(m, MEMINFO_SWAP_TOTAL) || !ROW_HAS(m, MEMINFO_SWAP_FREE))
		return;
	sheet_set(to, BALANCE_SWAP_FREE, m->q[MEMINFO_SWAP_FREE]);
	if (s->has_sysv) {
		sheet_set(to, BALANCE_SWAP_SYSV, s->sysv_swap_bytes);
		known = s->sysv_swap_bytes;
	}
	if (!has_processes)
		return;
	sheet_set(to, BALANCE_SWAP_PROCESSES, s->host->q[SCOPE_SWAP_PSS]);
	known = saturate_add(known, s->host->q[SCOPE_SWAP_PSS]);
	used = saturate_less(m->q[MEMINFO_SWAP_TOTAL], m->q[MEMINFO_SWAP_FREE]);
	set_signed(to, BALANCE_SWAP_UNKNOWN, saturate_difference(used, known));
}

void balance_sheet_make(const struct balance_sheet_sources *s, struct snapshot_balance *ret)
{
	*ret = (struct snapshot_balance){0};
	take_processes(s, ret);
	take_numbers(s->meminfo, ret);
	take_differences(s, ret);
	take_swap_cache(s->meminfo, ret);
	take_unmapped(s, ret);
	take_residual(s, ret);
	sheet_take_swap(s, ret);
	if (s->has_tmpfs) {
		sheet_set(ret, BALANCE_TMPFS_UNREAD, s->tmpfs_unread);
		sheet_set(ret, BALANCE_DIRECTORIES_UNREAD, s->directories_unread);
	}
}
