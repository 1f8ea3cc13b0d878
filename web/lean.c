/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MADV_DONTNEED on a private mapping of a file forgets changes to its pages. Segments that were never
 * writable have none: relocation and RELRO touch writable ones only, but for objects with text
 * relocations (some ports to old machines), which are left alone.
 */
#include "config.h"

#include "web/lean.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static bool has_text_relocations(const struct dl_phdr_info *object)
{
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &object->dlpi_phdr[i];
		const ElfW(Dyn) *dynamic = (const void *)(object->dlpi_addr + p->p_vaddr);

		if (p->p_type != PT_DYNAMIC)
			continue;
		for (; dynamic->d_tag != DT_NULL; dynamic++)
			if (dynamic->d_tag == DT_TEXTREL ||
				(dynamic->d_tag == DT_FLAGS && (dynamic->d_un.d_val & DF_TEXTREL)))
				return true;
	}
	return false;
}

static int drop_object(struct dl_phdr_info *object, size_t size, void *page_size)
{
	uintptr_t page = *(const uintptr_t *)page_size;

	(void)size;
	if (has_text_relocations(object))
		return 0;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &object->dlpi_phdr[i];
		uintptr_t begin = object->dlpi_addr + p->p_vaddr, end = begin + p->p_filesz;

		if (p->p_type != PT_LOAD || (p->p_flags & PF_W))
			continue;
		begin &= ~(page - 1);
		end = (end + page - 1) & ~(page - 1);
		/* A refusal leaves things as they are. */
		(void)madvise((void *)begin, end - begin, MADV_DONTNEED);
	}
	return 0;
}

void lean_drop_text(void)
{
	long size = sysconf(_SC_PAGESIZE);
	uintptr_t page = (uintptr_t)size;

	if (size > 0)
		dl_iterate_phdr(drop_object, &page);
}
