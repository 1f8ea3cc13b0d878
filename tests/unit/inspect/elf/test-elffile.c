/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests with an ELF file in memory (elfimage.h), valid and with faults, and with this program's own
 * file.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>

#include "inspect/elf/elffile.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/inspect/elfimage.h"

static int open_it(union elfimage *f, size_t size, struct elffile *ret, const char **why)
{
	*why = NULL;
	return elffile_open_image(f->bytes, size, ret, why);
}

static void all_parts_are_read(void **state)
{
	AUTO_ELFFILE struct elffile e = {.segments = 0};
	const char *why;
	union elfimage f;

	(void)state;
	elfimage_make(&f);
	assert_int_equal(open_it(&f, sizeof(f), &e, &why), 0);
	assert_int_equal(e.segments, 2);
	assert_true(e.segment[0].is_executable && !e.segment[1].is_executable);
	assert_int_equal(e.segment[1].address, 0x3800);
	assert_int_equal(e.segment[1].offset, 0x1800);
	assert_int_equal(e.segment[1].file_size, 0x100);
	assert_int_equal(e.segment[1].size, 0x5100);
	assert_int_equal(e.build_id_len, 8);
	assert_memory_equal(e.build_id, f.parts.note.id, 8);
	assert_string_equal(e.debuglink, "its.debug");
	assert_int_equal(e.debuglink_crc, 0xabababab);
}

/* .tbss has no addresses of its own. */
static void sections_are_those_in_memory(void **state)
{
	static const char *const names[] = {".text", ".data", ".bss"};
	AUTO_ELFFILE struct elffile e = {.segments = 0};
	const char *why;
	union elfimage f;

	(void)state;
	elfimage_make(&f);
	assert_int_equal(open_it(&f, sizeof(f), &e, &why), 0);
	assert_int_equal(elffile_read_sections(&e, &why), 0);
	assert_int_equal(e.parts, 3);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(e.part[i].name, names[i]);
	assert_int_equal(e.part[2].address, 0x3900);
	assert_int_equal(e.part[2].size, 0x5000);
}

static void symbols_are_those_in_memory(void **state)
{
	AUTO_ELFFILE struct elffile e = {.segments = 0};
	const char *why;
	union elfimage f;

	(void)state;
	elfimage_make(&f);
	assert_int_equal(open_it(&f, sizeof(f), &e, &why), 0);
	assert_int_equal(elffile_read_symbols(&e, &why), 0);
	assert_int_equal(e.parts, 2);
	assert_string_equal(e.part[0].name, "function");
	assert_int_equal(e.names, strlen("function") + strlen("array"));
	assert_int_equal(e.part[0].aliases, 1);
	assert_string_equal(e.part[1].name, "array");
	assert_int_equal(e.part[1].size, 0x1234);
}

/* A file that has only exported symbols is reported as stripped, and so is one without symbols. */
static void stripped_files_are_reported(void **state)
{
	const char *why;
	union elfimage f;

	(void)state;
	elfimage_make(&f);
	for (int i = 0; i < 2; i++) {
		AUTO_ELFFILE struct elffile e = {.segments = 0};

		f.parts.section[ELFIMAGE_SYMTAB].sh_type = i ? SHT_PROGBITS : SHT_DYNSYM;
		assert_int_equal(open_it(&f, sizeof(f), &e, &why), 0);
		assert_int_equal(elffile_read_symbols(&e, &why), 1);
		assert_int_equal(e.parts, i ? 0 : 2);
	}
	elfimage_make(&f);
	f.parts.header.e_shnum = f.parts.header.e_shoff = f.parts.header.e_shstrndx = 0;
	for (int i = 0; i < 2; i++) {
		AUTO_ELFFILE struct elffile e = {.segments = 0};

		assert_int_equal(open_it(&f, sizeof(f), &e, &why), 0);
		assert_int_equal(
			i ? elffile_read_sections(&e, &why) : elffile_read_symbols(&e, &why), !i);
		assert_int_equal(e.parts, 0);
	}
}

typedef void (*spoiler)(struct elfimage_parts *i);

static void spoil_magic(struct elfimage_parts *i)
{
	i->header.e_ident[1] = 'e';
}

static void spoil_class(struct elfimage_parts *i)
{
	i->header.e_ident[EI_CLASS] = 7;
}

static void spoil_order(struct elfimage_parts *i)
{
	i->header.e_ident[EI_DATA] = 0;
}

static void spoil_type(struct elfimage_parts *i)
{
	i->header.e_type = ET_CORE;
}

static void spoil_phoff(struct elfimage_parts *i)
{
	i->header.e_phoff = UINT64_C(1) << 60;
}

static void spoil_phnum(struct elfimage_parts *i)
{
	i->header.e_phnum = PN_XNUM;
}

static void spoil_shnum(struct elfimage_parts *i)
{
	/* too many sections for e_shnum: the first section header holds the number */
	i->header.e_shnum = 0;
	i->section[0].sh_size = UINT64_C(1) << 40;
}

static void spoil_segment(struct elfimage_parts *i)
{
	i->segment[1].p_memsz = UINT64_MAX;
}

static void spoil_file_size(struct elfimage_parts *i)
{
	i->segment[1].p_filesz = UINT64_C(1) << 40;
}

static void spoil_order_of_segments(struct elfimage_parts *i)
{
	Elf64_Phdr first = i->segment[0];

	i->segment[0] = i->segment[1];
	i->segment[1] = first;
}

static void spoil_overlap(struct elfimage_parts *i)
{
	i->segment[0].p_memsz = i->segment[1].p_vaddr + 1;
}

static void spoil_sameness(struct elfimage_parts *i)
{
	i->segment[1] = i->segment[0];
}

static void faults_are_reported(void **state)
{
	static const struct {
		spoiler spoil;
		int error;
	} faults[] = {
		{spoil_magic, -ENOEXEC},
		{spoil_class, -EBADMSG},
		{spoil_order, -EBADMSG},
		{spoil_type, -EBADMSG},
		{spoil_phoff, -EBADMSG},
		{spoil_phnum, -EBADMSG},
		{spoil_shnum, -EBADMSG},
		{spoil_segment, -EBADMSG},
		{spoil_file_size, -EBADMSG},
		{spoil_order_of_segments, -EBADMSG},
		{spoil_overlap, -EBADMSG},
		{spoil_sameness, -EBADMSG},
	};
	const char *why;
	union elfimage f;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		struct elffile e;

		elfimage_make(&f);
		faults[i].spoil(&f.parts);
		assert_int_equal(open_it(&f, sizeof(f), &e, &why), faults[i].error);
		assert_int_equal(!why, faults[i].error == -ENOEXEC);
		assert_null(e.elf);
	}
}

static void spoil_entsize(struct elfimage_parts *i)
{
	i->section[ELFIMAGE_SYMTAB].sh_entsize = 1;
}

static void spoil_symbols(struct elfimage_parts *i)
{
	i->section[ELFIMAGE_SYMTAB].sh_offset = UINT64_C(1) << 40;
}

static void spoil_count(struct elfimage_parts *i)
{
	i->section[ELFIMAGE_SYMTAB].sh_size = UINT64_C(1) << 40;
}

static void spoil_strings(struct elfimage_parts *i)
{
	i->section[ELFIMAGE_SYMTAB].sh_link = 4711;
}

/*
 * A segment may begin on the page where the one before ends. A segment without memory may have any
 * address.
 */
static void segments_may_share_a_page(void **state)
{
	AUTO_ELFFILE struct elffile e = {.segments = 0};
	const char *why;
	union elfimage f;

	(void)state;
	elfimage_make(&f);
	f.parts.segment[0].p_memsz = f.parts.segment[1].p_vaddr;
	f.parts.segment[2] = (Elf64_Phdr){.p_type = PT_LOAD, .p_vaddr = 0x10};
	assert_int_equal(open_it(&f, sizeof(f), &e, &why), 0);
	assert_int_equal(e.segments, 2);
}

static void faults_of_symbols_are_reported(void **state)
{
	static const spoiler faults[] = {spoil_entsize, spoil_symbols, spoil_count, spoil_strings};
	const char *why;
	union elfimage f;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		AUTO_ELFFILE struct elffile e = {.segments = 0};

		elfimage_make(&f);
		faults[i](&f.parts);
		assert_int_equal(open_it(&f, sizeof(f), &e, &why), 0);
		assert_int_equal(elffile_read_symbols(&e, &why), -EBADMSG);
		assert_true(why && *why);
	}
}

/*
 * A name that begins beyond the table is empty. A table with an unterminated last name is refused.
 */
static void names_end_within_the_file(void **state)
{
	AUTO_ELFFILE struct elffile beyond = {.segments = 0}, open_ended = {.segments = 0};
	const char *why = NULL;
	union elfimage f;

	(void)state;
	elfimage_make(&f);
	f.parts.symbol[2].st_name = 256;
	f.parts.symbol[3].st_name = 5000000;
	assert_int_equal(open_it(&f, sizeof(f), &beyond, &why), 0);
	assert_int_equal(elffile_read_symbols(&beyond, &why), 0);
	assert_int_equal(beyond.parts, 1);
	assert_string_equal(beyond.part[0].name, "a_alias");
	memset(f.parts.strings + 228, 'x', 28);
	assert_int_equal(open_it(&f, sizeof(f), &open_ended, &why), 0);
	assert_int_equal(elffile_read_symbols(&open_ended, &why), -EBADMSG);
	assert_string_equal(why, "has symbols without their names");
}

/* Many symbols with one name of the maximal length: 65536 of 4 KiB are the limit. */
static void names_are_bounded_together(void **state)
{
	enum { MANY = ELFFILE_NAMES_MAX / ELFFILE_NAME_MAX, NAME = ELFFILE_NAME_MAX + 2 };
	const size_t at = sizeof(union elfimage),
		     size = at + (MANY + 2) * sizeof(Elf64_Sym) + NAME + 1;
	AUTO_FREE char *bytes = calloc(1, size);
	struct elfimage_parts *i = (struct elfimage_parts *)(void *)bytes;
	Elf64_Sym *symbol = (Elf64_Sym *)(void *)(bytes + at);
	char *names = (char *)(symbol + MANY + 2);

	(void)state;
	assert_non_null(bytes);
	elfimage_make((union elfimage *)(void *)bytes);
	for (unsigned int n = 1; n < MANY + 2; n++)
		symbol[n] = (Elf64_Sym){.st_name = 1,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = ELFIMAGE_TEXT,
			.st_value = n,
			.st_size = 1};
	memset(names + 1, 'x', NAME - 1);
	i->section[ELFIMAGE_SYMTAB].sh_offset = at;
	i->section[ELFIMAGE_STRTAB].sh_offset = (size_t)(names - bytes);
	i->section[ELFIMAGE_STRTAB].sh_size = NAME + 1;
	for (unsigned int more = 0; more < 2; more++) {
		AUTO_ELFFILE struct elffile e = {.segments = 0};
		const char *why = NULL;

		i->section[ELFIMAGE_SYMTAB].sh_size = (MANY + 1 + more) * sizeof(Elf64_Sym);
		assert_int_equal(elffile_open_image(bytes, size, &e, &why), 0);
		assert_int_equal(elffile_read_symbols(&e, &why), more ? -EBADMSG : 0);
		assert_int_equal(e.parts, more ? 0 : MANY);
		if (more)
			assert_string_equal(why, "has names of more than 256 MiB");
		else
			assert_int_equal(e.names, ELFFILE_NAMES_MAX);
	}
	/* a byte that is printed as \x01 counts four times */
	memset(names + 1 + ELFFILE_NAME_MAX / 4, 0, NAME - 1 - ELFFILE_NAME_MAX / 4);
	memset(names + 1, 1, ELFFILE_NAME_MAX / 4);
	for (unsigned int more = 0; more < 2; more++) {
		AUTO_ELFFILE struct elffile e = {.segments = 0};
		const char *why = NULL;

		i->section[ELFIMAGE_SYMTAB].sh_size = (MANY + 1 + more) * sizeof(Elf64_Sym);
		assert_int_equal(elffile_open_image(bytes, size, &e, &why), 0);
		assert_int_equal(elffile_read_symbols(&e, &why), more ? -EBADMSG : 0);
	}
}

/* A file cut at any byte is read as far as possible, or refused. */
static void it_may_be_cut_anywhere(void **state)
{
	const char *why;

	(void)state;
	for (size_t size = 0; size < sizeof(struct elfimage_parts); size += 1) {
		AUTO_ELFFILE struct elffile e = {.segments = 0};
		union elfimage f;
		/* so that sanitizers notice a read beyond its end */
		char *copy = malloc(size + !size);
		int r;

		elfimage_make(&f);
		memcpy(copy, f.bytes, size);
		r = elffile_open_image(copy, size, &e, &why);
		assert_true(r == 0 || r == -EBADMSG || r == -ENOEXEC);
		if (r == 0) {
			r = elffile_read_sections(&e, &why);
			assert_true(r == 0 || r == -EBADMSG);
			r = elffile_read_symbols(&e, &why);
			assert_true(r == 0 || r == 1 || r == -EBADMSG);
		}
		elffile_close(&e);
		free(copy);
	}
}

static void memory_may_be_short(void **state)
{
	const char *why;
	union elfimage f;

	(void)state;
	elfimage_make(&f);
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_ELFFILE struct elffile e = {.segments = 0};
		int r;

		assert_int_equal(open_it(&f, sizeof(f), &e, &why), 0);
		allocation_fail_at(n);
		r = elffile_read_sections(&e, &why);
		if (r == 0)
			r = elffile_read_symbols(&e, &why);
		if (allocation_check(r))
			assert_int_equal(e.parts, 0);
	}
}

__attribute__((used, noinline)) static int known_function(void)
{
	return 4711;
}

static const struct elffile_part *find(const struct elffile *e, const char *name)
{
	for (size_t i = 0; i < e->parts; i++)
		if (!strcmp(e->part[i].name, name))
			return &e->part[i];
	return NULL;
}

static void this_program_is_read(void **state)
{
	AUTO_ELFFILE struct elffile e = {.segments = 0};
	AUTO_CLOSE int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const struct elffile_part *function, *text;
	const char *why;

	(void)state;
	assert_int_equal(known_function(), 4711);
	assert_int_equal(elffile_open(fd, &e, &why), 0);
	assert_int_equal(elffile_read_symbols(&e, &why), 0);
	function = find(&e, "known_function");
	if (!function)
		fail();
	else
		assert_true(function->size >= 2 && function->size < 500);
	assert_int_equal(elffile_read_sections(&e, &why), 0);
	text = find(&e, ".text");
	assert_non_null(text);
	assert_non_null(find(&e, ".bss"));
	for (size_t i = 1; i < e.parts; i++)
		assert_true(e.part[i].address >= e.part[i - 1].address);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_parts_are_read),
		cmocka_unit_test(sections_are_those_in_memory),
		cmocka_unit_test(symbols_are_those_in_memory),
		cmocka_unit_test(stripped_files_are_reported),
		cmocka_unit_test(faults_are_reported),
		cmocka_unit_test(segments_may_share_a_page),
		cmocka_unit_test(faults_of_symbols_are_reported),
		cmocka_unit_test(names_end_within_the_file),
		cmocka_unit_test(names_are_bounded_together),
		cmocka_unit_test(it_may_be_cut_anywhere),
		cmocka_unit_test(memory_may_be_short),
		cmocka_unit_test(this_program_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
