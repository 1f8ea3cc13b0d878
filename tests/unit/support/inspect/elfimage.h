/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small ELF file in memory, for tests: two loadable segments, .text, .data, .bss, .tbss, symbols,
 * a build id and a debug link.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_INSPECT_ELFIMAGE_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_INSPECT_ELFIMAGE_H

#include <elf.h>
#include <stdint.h>

enum { ELFIMAGE_SIZE = 0x2000, ELFIMAGE_SECTIONS = 9 };

struct elfimage_parts {
	Elf64_Ehdr header;
	Elf64_Phdr segment[3];
	Elf64_Shdr section[ELFIMAGE_SECTIONS];
	Elf64_Sym symbol[8];
	struct {
		Elf64_Nhdr head;
		char name[4];
		unsigned char id[8];
	} note;
	char link[16];
	uint32_t link_crc;
	char names[128], strings[256];
} __attribute__((aligned(16)));

union elfimage {
	struct elfimage_parts parts;
	char bytes[ELFIMAGE_SIZE];
};

enum {
	ELFIMAGE_TEXT = 1,
	ELFIMAGE_DATA,
	ELFIMAGE_BSS,
	ELFIMAGE_TBSS,
	ELFIMAGE_SYMTAB,
	ELFIMAGE_STRTAB,
	ELFIMAGE_NOTE,
	ELFIMAGE_LINK,
};

/* Fills *F with a valid file. Tests then damage parts of it. */
void elfimage_make(union elfimage *f);

#endif
