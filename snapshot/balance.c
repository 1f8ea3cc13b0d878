/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "snapshot/balance.h"

/* In the order of the sheet. */
static const struct balance_kind kinds[BALANCE_KINDS] = {
	{BALANCE_PSS_ANON, "pss_anon", "anonymous memory of processes",
		"the sum of the processes' Pss_Anon"},
	{BALANCE_PSS_FILE, "pss_file", "files that processes map",
		"the sum of the processes' Pss_File, less pss_driver"},
	{BALANCE_PSS_DRIVER, "pss_driver",
		"drivers' memory that processes map: packet rings, BPF arrays",
		"the mappings in the processes' Pss_File that smaps marks mm or that map a kernel object"},
	{BALANCE_PSS_SHMEM, "pss_shmem", "shared memory that processes map",
		"the sum of the processes' Pss_Shmem"},
	{BALANCE_PSS_UNSPLIT, "pss_unsplit",
		"processes with a PSS not divided into the lines above: not yet measured, read in slices, or on a kernel before 5.3",
		"the sum of their Pss"},
	{BALANCE_PAGE_CACHE, "page_cache", "cached files that no process maps",
		"Cached + Buffers - Shmem, less the part of Mapped that is neither shared nor drivers' memory"},
	{BALANCE_SWAP_CACHE, "swap_cache", "copies of swapped memory that no process maps",
		"Active + Inactive + Unevictable - AnonPages - Cached - Buffers, at most SwapCached"},
	{BALANCE_SYSV, "sysv", "SysV segments that no process has attached",
		"the rss of segments with nattch 0, at most the shared memory that no process maps"},
	{BALANCE_TMPFS, "tmpfs", "files on tmpfs of known owners",
		"the files that were found, at most the rest of the shared memory that no process maps"},
	{BALANCE_SHMEM, "shmem", "other shared memory that no process maps, owner unknown",
		"Shmem, less Pss_Shmem, sysv and tmpfs"},
	{BALANCE_HUGETLB, "hugetlb", "pools of hugetlb pages, used or not", "Hugetlb"},
	{BALANCE_PAGE_TABLES, "page_tables", "page tables", "PageTables"},
	{BALANCE_SECONDARY_PAGE_TABLES, "secondary_page_tables",
		"page tables of virtual machines and IOMMUs", "SecPageTables"},
	{BALANCE_KERNEL_STACKS, "kernel_stacks", "the kernel's stacks of threads", "KernelStack"},
	{BALANCE_SLAB_RECLAIMABLE, "slab_reclaimable", "the kernel's caches, such as file names",
		"SReclaimable"},
	{BALANCE_SLAB_UNRECLAIMABLE, "slab_unreclaimable", "the kernel's other objects",
		"SUnreclaim"},
	{BALANCE_KERNEL_RECLAIMABLE, "kernel_reclaimable",
		"other memory that the kernel can reclaim", "KReclaimable - SReclaimable"},
	{BALANCE_VMALLOC, "vmalloc", "vmalloc: modules, tables, buffers of drivers",
		"VmallocUsed - KernelStack, less the BPF arrays in pss_driver"},
	{BALANCE_PERCPU, "percpu", "the kernel's per-CPU data", "Percpu"},
	{BALANCE_ZSWAP, "zswap", "compressed swap of zswap", "Zswap"},
	{BALANCE_ZRAM, "zram", "compressed disks of zram", "nr_zspages, less Zswap"},
	{BALANCE_WRITEBACK_TMP, "writeback_tmp", "copies of pages that FUSE writes back",
		"WritebackTmp"},
	{BALANCE_MEMMAP, "memmap", "page descriptors of memory added since boot",
		"nr_memmap_pages"},
	{BALANCE_HARDWARE_CORRUPTED, "hardware_corrupted", "pages with hardware errors",
		"HardwareCorrupted"},
	{BALANCE_FREE, "free", "free", "MemFree"},
	{BALANCE_FREE_LISTS, "free_lists", "free, on per-CPU lists", "the counts of zoneinfo"},
};

const struct balance_kind *balance_kind(unsigned int n)
{
	return &kinds[n];
}

uint64_t balance_sum(const struct snapshot_balance *row)
{
	uint64_t sum = 0;

	for (unsigned int n = 0; n < BALANCE_KINDS; n++) {
		enum balance_quantity line = kinds[n].line;

		if (ROW_HAS(row, line) &&
			(__builtin_add_overflow(sum, row->q[line], &sum) || sum > INT64_MAX))
			return INT64_MAX;
	}
	return sum;
}
