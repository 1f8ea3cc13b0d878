/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detects whether the kernel maps its shared zero page for memory that is only read. Some kernels
 * do not, for example with a boot parameter of paravirtualized guests; there each such page is a
 * page of its own.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_INSPECT_ZEROPAGE_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_INSPECT_ZEROPAGE_H

#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/os/file.h"
#include "collectors/procfs/statm.h"

/*
 * Returns the resident pages of this process by /proc/self/statm, which does not count the zero
 * page, or 0 on errors.
 */
static inline long zeropage_resident(void)
{
	struct statm statm = {};
	char text[256];
	size_t len = 0;

	if (file_read(AT_FDCWD, "/proc/self/statm", text, sizeof(text), &len) < 0 ||
		statm_parse(text, len, &statm) < 0)
		return 0;
	return (long)statm.resident;
}

static inline bool zeropage_is_used(void)
{
	enum { PAGES = 1024 }; /* far more than the error of the kernel's counters */
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	long before = zeropage_resident();
	volatile char *memory = mmap(
		NULL, PAGES * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long after;

	if (memory == MAP_FAILED)
		return false;
	(void)madvise((void *)memory, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		(void)memory[i * page];
	after = zeropage_resident();
	munmap((void *)memory, PAGES * page);
	return after - before < PAGES / 2;
}

#endif
