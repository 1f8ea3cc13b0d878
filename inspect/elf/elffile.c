/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/elf/elffile.h"

#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/file.h"

enum {
	NOTES_SIZE_MAX = 1 << 16,
	LINK_SIZE_MAX = 1 << 12,
	SECTION_NAMES_MAX = 1 << 20,
	/*
	 * Bytes of all notes and links that are read: libelf keeps each, and many sections may
	 * overlap.
	 */
	LINKS_SIZE_MAX = 1 << 20,
	/* Bytes of names that are compared, since all names may have the same long beginning. */
	COMPARED_MAX = 64,
};

static int elffile_refuse(const char **ret_why, const char *why)
{
	*ret_why = why;
	return -EBADMSG;
}

/*
 * Refuses a file with more headers than e_phnum and e_shnum can say. libelf would allocate memory
 * for each header that the first section header claims beyond these.
 */
static int elffile_check_header(const unsigned char *h, size_t len, const char **ret_why)
{
	bool is_64, is_big;
	size_t at;
	unsigned int phnum, shnum;

	if (len < EI_NIDENT || memcmp(h, ELFMAG, SELFMAG) != 0)
		return -ENOEXEC;
	is_64 = h[EI_CLASS] == ELFCLASS64;
	is_big = h[EI_DATA] == ELFDATA2MSB;
	if ((!is_64 && h[EI_CLASS] != ELFCLASS32) || (!is_big && h[EI_DATA] != ELFDATA2LSB))
		return elffile_refuse(ret_why, "has an unknown ELF class or byte order");
	if (len < (is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr)))
		return elffile_refuse(ret_why, "ends within its ELF header");
	at = is_64 ? offsetof(Elf64_Ehdr, e_phnum) : offsetof(Elf32_Ehdr, e_phnum);
	phnum = is_big ? h[at] * 256U + h[at + 1] : h[at + 1] * 256U + h[at];
	at = is_64 ? offsetof(Elf64_Ehdr, e_shnum) : offsetof(Elf32_Ehdr, e_shnum);
	shnum = is_big ? h[at] * 256U + h[at + 1] : h[at + 1] * 256U + h[at];
	at = is_64 ? offsetof(Elf64_Ehdr, e_shoff) : offsetof(Elf32_Ehdr, e_shoff);
	if (phnum == PN_XNUM || shnum > ELFFILE_SECTIONS_MAX)
		return elffile_refuse(ret_why, "claims more headers than a loaded file has");
	for (size_t i = 0; !shnum && i < (is_64 ? 8 : 4); i++)
		if (h[at + i])
			return elffile_refuse(
				ret_why, "claims more headers than a loaded file has");
	return 0;
}

/*
 * Refuses segments that do not rise, as ELF demands, or that overlap. The kernel does not check
 * this. Otherwise each of 64 segments could claim all memory that follows it, and each would get a
 * copy of the pieces found there.
 */
static int add_segment(struct elffile *f, const GElf_Phdr *ph, const char **ret_why)
{
	struct elffile_segment *s = &f->segment[f->segments];
	const struct elffile_segment *last = f->segments ? s - 1 : NULL;

	if (ph->p_type != PT_LOAD || !ph->p_memsz)
		return 0;
	if (f->segments == ELFFILE_SEGMENTS_MAX)
		return elffile_refuse(ret_why, "has more than 64 segments to load");
	if (ph->p_filesz > ph->p_memsz || ph->p_vaddr + ph->p_memsz < ph->p_vaddr ||
		ph->p_offset + ph->p_filesz < ph->p_offset)
		return elffile_refuse(ret_why, "has a segment that cannot be loaded");
	if (last && ph->p_vaddr < last->address + last->size)
		return elffile_refuse(ret_why, "has segments to load that overlap or do not rise");
	*s = (struct elffile_segment){
		.address = ph->p_vaddr,
		.size = ph->p_memsz,
		.offset = ph->p_offset,
		.file_size = ph->p_filesz,
		.is_executable = ph->p_flags & PF_X,
	};
	f->segments++;
	return 0;
}

static int elffile_read_segments(struct elffile *f, const char **ret_why)
{
	size_t count;
	int r = 0;

	if (elf_getphdrnum(f->elf, &count) < 0)
		return elffile_refuse(ret_why, "has program headers that cannot be read");
	for (size_t i = 0; r == 0 && i < count; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(f->elf, (int)i, &ph))
			return elffile_refuse(ret_why, "has its program headers beyond its end");
		r = add_segment(f, &ph, ret_why);
	}
	return r;
}

/* Returns the contents of SECTION; NULL: they are empty, longer than MAX bytes, or not readable. */
static Elf_Data *data_of(Elf_Scn *section, const GElf_Shdr *sh, size_t max)
{
	Elf_Data *data = sh->sh_size && sh->sh_size <= max ? elf_getdata(section, NULL) : NULL;

	return data && data->d_buf && data->d_size <= sh->sh_size ? data : NULL;
}

static void read_build_id(struct elffile *f, Elf_Scn *section, const GElf_Shdr *sh)
{
	Elf_Data *data = data_of(section, sh, NOTES_SIZE_MAX);
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while (data && (at = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof(ELF_NOTE_GNU) ||
			memcmp((char *)data->d_buf + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) !=
				0 ||
			note.n_descsz > sizeof(f->build_id) || note.n_descsz < 2)
			continue;
		memcpy(f->build_id, (char *)data->d_buf + desc, note.n_descsz);
		f->build_id_len = note.n_descsz;
		return;
	}
}

/* Format: a name, zeros up to a multiple of four, and a checksum in the file's byte order. */
static void read_debuglink(struct elffile *f, Elf_Scn *section, const GElf_Shdr *sh)
{
	Elf_Data *data = data_of(section, sh, LINK_SIZE_MAX);
	const char *name = data ? data->d_buf : NULL;
	size_t len = name ? strnlen(name, data->d_size) : 0, at = (len + 4) & ~(size_t)3;
	Elf_Data from = {.d_type = ELF_T_WORD, .d_version = EV_CURRENT, .d_size = 4}, to = from;
	GElf_Ehdr eh;

	if (!len || at + 4 > data->d_size || memchr(name, '/', len) || !gelf_getehdr(f->elf, &eh))
		return;
	from.d_buf = (char *)data->d_buf + at;
	to.d_buf = &f->debuglink_crc;
	if (gelf_xlatetom(f->elf, &to, &from, eh.e_ident[EI_DATA]))
		f->debuglink = name;
}

/*
 * Returns string table INDEX, at most MAX bytes; NULL: it is missing or faulty. Its last byte must
 * be 0, as ELF demands, so that each string ends within it. Compressed tables are refused, since
 * libelf would allocate as much memory as they claim.
 */
static const Elf_Data *strings_of(const struct elffile *f, size_t index, size_t max)
{
	Elf_Scn *section = elf_getscn(f->elf, index);
	const Elf_Data *data;
	GElf_Shdr sh;

	if (!section || !gelf_getshdr(section, &sh) || sh.sh_type != SHT_STRTAB ||
		sh.sh_flags & SHF_COMPRESSED)
		return NULL;
	data = data_of(section, &sh, max);
	return data && !((const char *)data->d_buf)[data->d_size - 1] ? data : NULL;
}

static const char *string_at(const Elf_Data *strings, uint64_t at)
{
	return strings && at < strings->d_size ? (const char *)strings->d_buf + at : "";
}

/* Returns the string table of section names; NULL: there is none. */
static const Elf_Data *section_names(const struct elffile *f)
{
	size_t index;

	return elf_getshdrstrndx(f->elf, &index) < 0 ? NULL
	                                             : strings_of(f, index, SECTION_NAMES_MAX);
}

/* Reads the build id and the debuglink. A faulty one counts as missing. */
static void read_links(struct elffile *f)
{
	const Elf_Data *names = section_names(f);
	Elf_Scn *section = NULL;
	size_t left = LINKS_SIZE_MAX;

	while (names && (section = elf_nextscn(f->elf, section))) {
		bool is_note, is_link;
		GElf_Shdr sh;

		if (!gelf_getshdr(section, &sh))
			continue;
		is_note = sh.sh_type == SHT_NOTE && !f->build_id_len;
		is_link = sh.sh_type == SHT_PROGBITS && !f->debuglink &&
		          !strcmp(string_at(names, sh.sh_name), ".gnu_debuglink");
		if ((!is_note && !is_link) || sh.sh_size > left)
			continue;
		left -= sh.sh_size;
		if (is_note)
			read_build_id(f, section, &sh);
		else
			read_debuglink(f, section, &sh);
	}
}

/* .elf may be NULL. */
static int elffile_read_all(struct elffile *f, const char **ret_why)
{
	GElf_Ehdr eh;
	int r;

	if (!f->elf || elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &eh))
		return elffile_refuse(ret_why, "has an ELF header that cannot be read");
	if (eh.e_type != ET_EXEC && eh.e_type != ET_DYN)
		return elffile_refuse(ret_why, "is neither an ELF executable nor a shared object");
	r = elffile_read_segments(f, ret_why);
	if (r == 0)
		read_links(f);
	return r;
}

int elffile_open(int fd, struct elffile *ret, const char **ret_why)
{
	unsigned char header[sizeof(Elf64_Ehdr)];
	ssize_t len = file_read_at(fd, header, sizeof(header), 0);
	int r;

	*ret = (struct elffile){.segments = 0};
	if (len < 0)
		return (int)len;
	r = elffile_check_header(header, (size_t)len, ret_why);
	if (r < 0)
		return r;
	elf_version(EV_CURRENT);
	/* ELF_C_READ does not map the file, which may be truncated at any time */
	ret->elf = elf_begin(fd, ELF_C_READ, NULL);
	r = elffile_read_all(ret, ret_why);
	if (r < 0)
		elffile_close(ret);
	return r;
}

int elffile_open_image(char *image, size_t size, struct elffile *ret, const char **ret_why)
{
	int r = elffile_check_header((unsigned char *)image, size, ret_why);

	*ret = (struct elffile){.segments = 0};
	if (r < 0)
		return r;
	elf_version(EV_CURRENT);
	ret->elf = elf_memory(image, size);
	r = elffile_read_all(ret, ret_why);
	if (r < 0)
		elffile_close(ret);
	return r;
}

void elffile_close(struct elffile *f)
{
	elf_end(f->elf);
	free(f->part);
	*f = (struct elffile){.segments = 0};
}

static int by_address(const void *a, const void *b)
{
	const struct elffile_part *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->name == y->name ? 0 : strncmp(x->name, y->name, COMPARED_MAX);
}

/*
 * Returns the largest number of bytes that NAME takes when printed: an escaped byte takes at most
 * four.
 */
static size_t shown_len(const char *name)
{
	size_t len = 0;

	for (; *name && len < ELFFILE_NAME_MAX; name++)
		len += *name >= ' ' && *name <= '~' && *name != '\\' ? 1 : 4;
	return len;
}

/*
 * Refuses names that are too long in total. In the output of linkers the names together are hardly
 * longer than the string table; but millions of symbols of a crafted file may have the same long
 * name.
 */
static int measure_names(struct elffile *f, const char **ret_why)
{
	for (size_t i = 0; i < f->parts; i++) {
		f->names += shown_len(f->part[i].name);
		if (f->names > ELFFILE_NAMES_MAX) {
			f->parts = 0;
			return elffile_refuse(ret_why, "has names of more than 256 MiB");
		}
	}
	return 0;
}

/* Empties .part, and allocates COUNT items. */
static int elffile_make_room(struct elffile *f, size_t count)
{
	free(f->part);
	f->parts = f->names = 0;
	f->part = calloc(count + 1, sizeof(*f->part));
	return f->part ? 0 : -ENOMEM;
}

static void elffile_add_part(
	struct elffile *f, uint64_t address, uint64_t size, const char *name, uint8_t rank)
{
	if (size && address + size > address)
		f->part[f->parts++] = (struct elffile_part){
			.address = address, .size = size, .name = name, .rank = rank};
}

int elffile_read_sections(struct elffile *f, const char **ret_why)
{
	Elf_Scn *section = NULL;
	const Elf_Data *names = section_names(f);
	size_t count;
	int r;

	if (elf_getshdrnum(f->elf, &count) < 0)
		return elffile_refuse(ret_why, "has its section headers beyond its end");
	r = elffile_make_room(f, count);
	while (r == 0 && (section = elf_nextscn(f->elf, section))) {
		GElf_Shdr sh;

		if (!gelf_getshdr(section, &sh))
			return elffile_refuse(ret_why, "has its section headers beyond its end");
		/*
		 * .tbss has addresses but takes no memory there: each thread has a copy elsewhere.
		 */
		if (!(sh.sh_flags & SHF_ALLOC) ||
			(sh.sh_flags & SHF_TLS && sh.sh_type == SHT_NOBITS))
			continue;
		elffile_add_part(f, sh.sh_addr, sh.sh_size, string_at(names, sh.sh_name), 0);
	}
	if (r < 0)
		return r;
	qsort(f->part, f->parts, sizeof(*f->part), by_address);
	return measure_names(f, ret_why);
}

static bool is_in_memory(const GElf_Sym *s)
{
	unsigned int type = GELF_ST_TYPE(s->st_info);

	return s->st_shndx != SHN_UNDEF && s->st_shndx != SHN_ABS && s->st_size &&
	       (type == STT_NOTYPE || type == STT_OBJECT || type == STT_FUNC ||
		       type == STT_COMMON || type == STT_GNU_IFUNC);
}

static uint8_t elffile_rank_of(const GElf_Sym *s)
{
	unsigned int binding = GELF_ST_BIND(s->st_info);

	return binding == STB_LOCAL ? 2 : binding == STB_WEAK ? 1 : 0;
}

/* Keeps the first of several parts with the same address and size. */
static void drop_aliases(struct elffile *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->parts; i++) {
		struct elffile_part *last = kept ? &f->part[kept - 1] : NULL, *p = &f->part[i];

		if (last && last->address == p->address && last->size == p->size)
			last->aliases++;
		else
			f->part[kept++] = *p;
	}
	f->parts = kept;
}

static int read_table(
	struct elffile *f, Elf_Scn *section, const GElf_Shdr *sh, const char **ret_why)
{
	size_t entry = gelf_fsize(f->elf, ELF_T_SYM, 1, EV_CURRENT), count;
	const Elf_Data *names = strings_of(f, sh->sh_link, ELFFILE_NAMES_MAX);
	Elf_Data *data;
	int r;

	if (!entry || sh->sh_entsize != entry || sh->sh_size / entry > ELFFILE_SYMBOLS_MAX)
		return elffile_refuse(
			ret_why, "has a malformed symbol table, or more than 4 million symbols");
	if (!names)
		return elffile_refuse(ret_why, "has symbols without their names");
	data = data_of(section, sh, SIZE_MAX);
	if (!data)
		return elffile_refuse(ret_why, "has its symbols beyond its end");
	count = data->d_size / entry;
	r = elffile_make_room(f, count);
	for (size_t i = 0; r == 0 && i < count; i++) {
		GElf_Sym s;
		const char *name;

		if (!gelf_getsym(data, (int)i, &s) || !is_in_memory(&s))
			continue;
		name = string_at(names, s.st_name);
		if (*name)
			elffile_add_part(f, s.st_value, s.st_size, name, elffile_rank_of(&s));
	}
	if (r < 0)
		return r;
	qsort(f->part, f->parts, sizeof(*f->part), by_address);
	drop_aliases(f);
	return measure_names(f, ret_why);
}

static Elf_Scn *find_section(const struct elffile *f, unsigned int type, GElf_Shdr *ret)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(f->elf, section)))
		if (gelf_getshdr(section, ret) && ret->sh_type == type && ret->sh_size)
			return section;
	return NULL;
}

int elffile_read_symbols(struct elffile *f, const char **ret_why)
{
	GElf_Shdr sh;
	Elf_Scn *section = find_section(f, SHT_SYMTAB, &sh);
	int r;

	if (section)
		return read_table(f, section, &sh, ret_why);
	section = find_section(f, SHT_DYNSYM, &sh);
	r = section ? read_table(f, section, &sh, ret_why) : elffile_make_room(f, 0);
	return r < 0 ? r : 1;
}
