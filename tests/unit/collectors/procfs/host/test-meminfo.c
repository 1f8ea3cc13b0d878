/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/procfs/host/meminfo.h against the meminfo of several kernels. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>

#include "base/cleanup.h"
#include "collectors/procfs/host/meminfo.h"

enum {
	TOTAL = 1 << MEMINFO_TOTAL,
	AVAILABLE = 1 << MEMINFO_AVAILABLE,
	ANON_PAGES = 1 << MEMINFO_ANON_PAGES,
	MAPPED = 1 << MEMINFO_MAPPED,
	FREE = 1 << MEMINFO_FREE,
	/* Lines that every kernel since 3.14 prints, whatever its configuration. */
	ALWAYS = TOTAL | AVAILABLE | ANON_PAGES | MAPPED | FREE | 1 << MEMINFO_BUFFERS |
	         1 << MEMINFO_CACHED | 1 << MEMINFO_SWAP_CACHED | 1 << MEMINFO_ACTIVE |
	         1 << MEMINFO_INACTIVE | 1 << MEMINFO_UNEVICTABLE | 1 << MEMINFO_SWAP_TOTAL |
	         1 << MEMINFO_SWAP_FREE | 1 << MEMINFO_SHMEM | 1 << MEMINFO_SLAB_RECLAIMABLE |
	         1 << MEMINFO_SLAB_UNRECLAIMABLE | 1 << MEMINFO_KERNEL_STACKS |
	         1 << MEMINFO_PAGE_TABLES | 1 << MEMINFO_VMALLOC,
};

static void parses_lines_that_are_present(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint64_t present, total, available;
	} cases[] = {
		{"MemTotal:       16384000 kB\nMemFree:          5 kB\nMemAvailable:    8000001 kB\n",
			0, TOTAL | FREE | AVAILABLE, 16777216000, 8192001024},
		{"MemAvailable: 1 kB\nMemTotal: 2 kB\n", 0, TOTAL | AVAILABLE, 2048, 1024},
		{"MemTotal:       16384000 kB\nMemFree: 5 kB\n", 0, TOTAL | FREE, 16777216000,
			0}, /* before Linux 3.14 */
		{"MemTotal: 1 kB\nHugePages_Total:       0\nno colon\n", 0, TOTAL, 1024, 0},
		{"XMemTotal: 1 kB\nMemTotalX: 1 kB\n", 0, 0, 0, 0},
		{"", 0, 0, 0, 0},
		{"MemTotal: 1 kB\nMemFr", -EBADMSG, 0, 0, 0},
		{"MemTotal: 1 kB\nMemTotal: 1 kB\n", -EBADMSG, 0, 0, 0},
		{"MemTotal: 1 MB\n", -EBADMSG, 0, 0, 0},
		{"MemTotal: 18446744073709551615 kB\n", -EBADMSG, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct meminfo m = {.present = 777};
		int r = meminfo_parse(cases[i].text, strlen(cases[i].text), &m);

		assert_int_equal(r, cases[i].result);
		assert_int_equal(m.present, r ? 777 : cases[i].present);
		if (r == 0) {
			assert_int_equal(m.q[MEMINFO_TOTAL], cases[i].total);
			assert_int_equal(m.q[MEMINFO_AVAILABLE], cases[i].available);
		}
	}
}

static void parses_mapped_memory(void **state)
{
	static const char text[] =
		"AnonPages:          5 kB\nMapped:             7 kB\n"
		"AnonHugePages:     11 kB\nFileMapped:    13 kB\nShmemPmdMapped: 1 kB\n";
	struct meminfo m;

	(void)state;
	assert_int_equal(meminfo_parse(text, sizeof(text) - 1, &m), 0);
	assert_int_equal(m.present, ANON_PAGES | MAPPED);
	assert_int_equal(m.q[MEMINFO_ANON_PAGES], 5 * 1024);
	assert_int_equal(m.q[MEMINFO_MAPPED], 7 * 1024);
}

/* Each line of Linux 6.18 sets its own number and no other. */
static void parses_every_line(void **state)
{
	static const char text[] =
		"MemTotal: 1 kB\nMemFree: 2 kB\nMemAvailable: 3 kB\nBuffers: 4 kB\nCached: 5 kB\n"
		"SwapCached: 6 kB\nActive: 7 kB\nInactive: 8 kB\nActive(anon): 99 kB\n"
		"Inactive(anon): 99 kB\nActive(file): 99 kB\nInactive(file): 99 kB\n"
		"Unevictable: 9 kB\nMlocked: 99 kB\nSwapTotal: 10 kB\nSwapFree: 11 kB\n"
		"Zswap: 12 kB\nZswapped: 99 kB\nDirty: 99 kB\nWriteback: 99 kB\nAnonPages: 13 kB\n"
		"Mapped: 14 kB\nShmem: 15 kB\nKReclaimable: 16 kB\nSlab: 99 kB\n"
		"SReclaimable: 17 kB\nSUnreclaim: 18 kB\nKernelStack: 19 kB\nPageTables: 20 kB\n"
		"SecPageTables: 21 kB\nNFS_Unstable: 99 kB\nBounce: 99 kB\nWritebackTmp: 22 kB\n"
		"CommitLimit: 99 kB\nCommitted_AS: 99 kB\nVmallocTotal: 99 kB\nVmallocUsed: 23 kB\n"
		"VmallocChunk: 99 kB\nPercpu: 24 kB\nHardwareCorrupted: 25 kB\nAnonHugePages: 99 kB\n"
		"HugePages_Total: 99\nHugepagesize: 99 kB\nHugetlb: 26 kB\nDirectMap4k: 99 kB\n";
	struct meminfo m;

	(void)state;
	assert_int_equal(meminfo_parse(text, sizeof(text) - 1, &m), 0);
	assert_int_equal(MEMINFO_FIELDS, 26);
	assert_int_equal(m.present, (1 << MEMINFO_FIELDS) - 1);
	for (unsigned int i = 0; i < MEMINFO_FIELDS; i++)
		assert_int_equal(m.q[i], (i + 1) * 1024);
}

static void reads_this_kernels_meminfo(void **state)
{
	AUTO_CLOSE int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSE int none = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct meminfo m;

	(void)state;
	assert_int_equal(meminfo_read(proc, &m), 0);
	assert_int_equal(m.present & ALWAYS, ALWAYS);
	assert_true(m.q[MEMINFO_TOTAL] > m.q[MEMINFO_AVAILABLE]);
	assert_true(m.q[MEMINFO_TOTAL] > 1 << 20);
	assert_int_equal(meminfo_read(none, &m), -ENOENT);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_lines_that_are_present),
		cmocka_unit_test(parses_mapped_memory),
		cmocka_unit_test(parses_every_line),
		cmocka_unit_test(reads_this_kernels_meminfo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
