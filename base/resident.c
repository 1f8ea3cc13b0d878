/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "base/resident.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Code that was relocated has pages of its own, which the file can't bring back. */
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

/* Whole pages of code and constants. What is writable at first and sealed later (RELRO) is not what the file holds. */
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
