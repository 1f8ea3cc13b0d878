/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/inspect/elfimage.h"

#include <stddef.h>
#include <string.h>

#define AT(member) offsetof(struct elfimage_parts, member)

static uint32_t add_text(char *to, size_t *len, const char *text)
{
	uint32_t at = (uint32_t)*len;

	memcpy(to + at, text, strlen(text) + 1);
	*len += strlen(text) + 1;
	return at;
}

static void add_section(struct elfimage_parts *i, unsigned int n, size_t *len, const char *name,
	const Elf64_Shdr *section)
{
	i->section[n] = *section;
	i->section[n].sh_name = add_text(i->names, len, name);
}

static void add_symbol(struct elfimage_parts *i, unsigned int n, size_t *len, const char *name,
	unsigned char info, uint64_t value, uint64_t size)
{
	i->symbol[n] = (Elf64_Sym){.st_name = add_text(i->strings, len, name),
		.st_info = info,
		.st_shndx = ELFIMAGE_TEXT,
		.st_value = value,
		.st_size = size};
}

static void add_sections(struct elfimage_parts *i)
{
	size_t len = 1;

	add_section(i, ELFIMAGE_TEXT, &len, ".text",
		&(Elf64_Shdr){.sh_type = SHT_PROGBITS,
			.sh_flags = SHF_ALLOC,
			.sh_addr = 0x1000,
			.sh_offset = 0x1000,
			.sh_size = 0x800});
	add_section(i, ELFIMAGE_DATA, &len, ".data",
		&(Elf64_Shdr){.sh_type = SHT_PROGBITS,
			.sh_flags = SHF_ALLOC,
			.sh_addr = 0x3800,
			.sh_offset = 0x1800,
			.sh_size = 0x100});
	add_section(i, ELFIMAGE_BSS, &len, ".bss",
		&(Elf64_Shdr){.sh_type = SHT_NOBITS,
			.sh_flags = SHF_ALLOC,
			.sh_addr = 0x3900,
			.sh_offset = 0x1900,
			.sh_size = 0x5000});
	add_section(i, ELFIMAGE_TBSS, &len, ".tbss",
		&(Elf64_Shdr){.sh_type = SHT_NOBITS,
			.sh_flags = SHF_ALLOC | SHF_TLS,
			.sh_addr = 0x3900,
			.sh_size = 0x5000});
	add_section(i, ELFIMAGE_SYMTAB, &len, ".symtab",
		&(Elf64_Shdr){.sh_type = SHT_SYMTAB,
			.sh_offset = AT(symbol),
			.sh_size = sizeof(i->symbol),
			.sh_entsize = sizeof(Elf64_Sym),
			.sh_link = ELFIMAGE_STRTAB});
	add_section(i, ELFIMAGE_STRTAB, &len, ".strtab",
		&(Elf64_Shdr){.sh_type = SHT_STRTAB,
			.sh_offset = AT(strings),
			.sh_size = sizeof(i->strings)});
	add_section(i, ELFIMAGE_NOTE, &len, ".note.gnu.build-id",
		&(Elf64_Shdr){.sh_type = SHT_NOTE,
			.sh_offset = AT(note),
			.sh_size = sizeof(i->note),
			.sh_addralign = 4});
	add_section(i, ELFIMAGE_LINK, &len, ".gnu_debuglink",
		&(Elf64_Shdr){.sh_type = SHT_PROGBITS,
			.sh_offset = AT(link),
			.sh_size = sizeof(i->link) + 4});
	i->section[0] = (Elf64_Shdr){.sh_type = SHT_NULL};
}

static void add_symbols(struct elfimage_parts *i)
{
	size_t len = 1;
	unsigned char global = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		      weak = ELF64_ST_INFO(STB_WEAK, STT_FUNC);

	add_symbol(i, 1, &len, "a_alias", weak, 0x1100, 0x50);
	add_symbol(i, 2, &len, "function", global, 0x1100, 0x50);
	add_symbol(i, 3, &len, "array", ELF64_ST_INFO(STB_LOCAL, STT_OBJECT), 0x3900, 0x1234);
	add_symbol(i, 4, &len, "thread", ELF64_ST_INFO(STB_GLOBAL, STT_TLS), 0x10, 0x10);
	add_symbol(i, 5, &len, "empty", global, 0x1200, 0);
	add_symbol(i, 6, &len, "beyond", global, UINT64_MAX - 3, 0x10);
	add_symbol(i, 7, &len, "elsewhere", global, 0x1300, 0x10);
	i->symbol[7].st_shndx = SHN_UNDEF;
}

void elfimage_make(union elfimage *f)
{
	struct elfimage_parts *i = &f->parts;

	memset(f, 0, sizeof(*f));
	i->header = (Elf64_Ehdr){
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = AT(segment),
		.e_shoff = AT(section),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 3,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = ELFIMAGE_SECTIONS,
		.e_shstrndx = ELFIMAGE_STRTAB,
	};
	i->segment[0] = (Elf64_Phdr){
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = 0x1800, .p_memsz = 0x1800};
	i->segment[1] = (Elf64_Phdr){.p_type = PT_LOAD,
		.p_flags = PF_R | PF_W,
		.p_offset = 0x1800,
		.p_vaddr = 0x3800,
		.p_filesz = 0x100,
		.p_memsz = 0x5100};
	i->segment[2] = (Elf64_Phdr){.p_type = PT_GNU_STACK};
	add_sections(i);
	add_symbols(i);
	/*
	 * ELF allows one string section for names of sections and another for symbols. This file
	 * uses one for both.
	 */
	memcpy(i->strings + 128, i->names, 128);
	for (unsigned int n = 1; n < ELFIMAGE_SECTIONS; n++)
		i->section[n].sh_name += 128;
	i->note.head = (Elf64_Nhdr){4, sizeof(i->note.id), NT_GNU_BUILD_ID};
	memcpy(i->note.name, "GNU", 4);
	memcpy(i->note.id, "\1\2\3\4\5\6\7\x08", 8);
	memcpy(i->link, "its.debug", sizeof("its.debug"));
	memset(i->link + 12, 0xab, 4);
	i->link_crc = 0;
}
