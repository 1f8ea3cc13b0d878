/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "inspect/elf/elf-load.h"
#include "inspect/elf/elffile.h"

enum { PAGE = 4096 };

static void check_parts(const struct elffile *f)
{
	for (size_t i = 0; i < f->parts; i++) {
		const struct elffile_part *p = &f->part[i];

		fuzz_check(p->size && p->address + p->size > p->address &&
			   strlen(p->name) != SIZE_MAX);
		fuzz_check(!i || p->address >= p[-1].address);
	}
}

/*
 * Maps the file as a whole and, as a loader would, by segments, each followed by a page without a
 * file. Whatever the file contains, each mapping belongs to one loading, each such page to at most
 * one, and no address appears twice in one.
 */
static void check_loadings(const struct elffile *f)
{
	struct elf_load_area area[ELFFILE_SEGMENTS_MAX + 1] = {{PAGE, 9 * PAGE, 0, true}};
	struct elf_load_area bare[ELFFILE_SEGMENTS_MAX];
	struct elf_loads l = {.count = 0};
	uint64_t at = 16 * PAGE, bytes = 8 * PAGE, found = 0;
	size_t areas = 1, pieces = 0;
	int r;

	for (size_t i = 0; i < f->segments; i++, areas++) {
		area[areas] = (struct elf_load_area){
			at, at + 2 * PAGE, f->segment[i].offset / PAGE * PAGE, false};
		bare[i] = (struct elf_load_area){at + 2 * PAGE, at + 3 * PAGE, 0, false};
		at += 3 * PAGE;
		bytes += 2 * PAGE;
	}
	r = elf_loads_find(f, PAGE, area, areas, bare, f->segments, &l);
	fuzz_check(r == 0);
	for (size_t i = 0; i < l.count; pieces += l.item[i++].pieces)
		for (size_t j = 0; j < l.item[i].pieces; j++) {
			const struct elf_load_piece *p = &l.item[i].piece[j];

			fuzz_check(p->start < p->end && (!j || p->start >= p[-1].end));
			found += p->end - p->start;
		}
	fuzz_check(found >= bytes && found - bytes <= f->segments * PAGE);
	fuzz_check(pieces <= areas + 2 * f->segments);
	elf_loads_done(&l);
}

/* Fuzzes the reader of ELF files. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elffile f;
	const char *why = NULL;
	char *image = fuzz_text(data, size);
	int r = elffile_open_image(image, size, &f, &why);

	fuzz_check(r == 0 || r == -ENOEXEC || (r == -EBADMSG && why));
	if (r == 0) {
		r = elffile_read_sections(&f, &why);
		fuzz_check(r == 0 || (r == -EBADMSG && why));
		check_parts(&f);
		r = elffile_read_symbols(&f, &why);
		fuzz_check(r == 0 || r == 1 || (r == -EBADMSG && why));
		check_parts(&f);
		check_loadings(&f);
	}
	elffile_close(&f);
	free(image);
	return 0;
}
