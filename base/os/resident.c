/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "base/os/resident.h"

#include <elf.h>
#include <link.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * Returns true if the dynamic linker has relocated the object's code: the relocated pages are
 * private, and the file cannot restore them.
 */
static bool has_relocated_code(const struct dl_phdr_info *info)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const ElfW(Dyn) *entry = (const void *)(info->dlpi_addr + segment->p_vaddr);

		if (segment->p_type != PT_DYNAMIC)
			continue;
		for (; entry->d_tag != DT_NULL; entry++)
			if (entry->d_tag == DT_TEXTREL ||
				(entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL)))
				return true;
	}
	return false;
}

/*
 * Drops the whole pages of read-only segments. Segments that are writable at first and read-only
 * later (RELRO) are left out: their content differs from the file.
 */
static int rest_object(struct dl_phdr_info *info, size_t size, void *page_)
{
	uintptr_t page = *(const uintptr_t *)page_;

	(void)size;
	if (has_relocated_code(info))
		return 0;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
		uintptr_t end = (begin + segment->p_filesz) & ~(page - 1);

		if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W))
			continue;
		begin = (begin + page - 1) & ~(page - 1);
		if (begin < end)
			(void)madvise((void *)begin, end - begin, MADV_DONTNEED);
	}
	return 0;
}

void resident_rest(void)
{
	long size = sysconf(_SC_PAGESIZE);
	uintptr_t page = size > 0 ? (uintptr_t)size : 4096;

	dl_iterate_phdr(rest_object, &page);
}

/*
 * Replaces the blocks of the thread cache. glibc (2.26 and later) caches up to seven free blocks of
 * each size up to 1032 bytes for each thread and counts them as used, so that the free memory
 * around them cannot be joined. This allocates new blocks, frees them into the cache, and then
 * really frees the old ones.
 */
static void replace_kept_blocks(void)
{
	enum { SMALLEST = 24, LARGEST = 1032, STEP = 16, KEPT = 7 };
	void *volatile old[KEPT], *volatile fresh[KEPT];

	for (size_t size = SMALLEST; size <= LARGEST; size += STEP) {
		for (size_t i = 0; i < KEPT; i++)
			old[i] = malloc(size);
		for (size_t i = 0; i < KEPT; i++)
			fresh[i] = malloc(size);
		for (size_t i = 0; i < KEPT; i++)
			free(fresh[i]);
		for (size_t i = 0; i < KEPT; i++)
			free(old[i]);
	}
}

void resident_trim(void)
{
	malloc_trim(0);
	replace_kept_blocks();
	malloc_trim(0);
}
