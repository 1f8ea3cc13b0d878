/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ELF Load Bias
 *
 * Finds where an ELF file is loaded in an address space: the load bias, and the mappings of each
 * loading, including anonymous memory after its data (.bss). A file may be loaded more than once,
 * or mapped without being loaded. Pure.
 *
 * Only the file says how large its anonymous memory is, and users own files. So memory without a
 * file is assigned only to a segment that is mapped completely.
 */
#ifndef MEMTALLY_INSPECT_ELF_ELF_LOAD_H
#define MEMTALLY_INSPECT_ELF_ELF_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "inspect/elf/elffile.h"

enum { ELF_LOAD_AREAS_MAX = 512 };

/* A mapping of the process. */
struct elf_load_area {
	uint64_t start, end; /* page-aligned addresses */
	uint64_t offset;     /* bytes in the file; unused for memory without a file */
	bool is_executable;
	bool is_taken; /* for memory without a file: a loading already has it */
};

/* A mapping that belongs to one loading, or a part of it. */
struct elf_load_piece {
	uint64_t start, end;
	/*
	 * The file's sections and symbols of these addresses are here; otherwise the piece has none
	 * of them.
	 */
	bool is_placed;
	uint64_t placed_before; /* after elf_load_cut(): bytes of placed pieces before this one */
};

struct elf_load {
	uint64_t bias;                /* added to the file's addresses modulo 2^64 */
	struct elf_load_piece *piece; /* owned; by rising address, without overlap */
	size_t pieces, room;
};

struct elf_loads {
	struct elf_load *item; /* owned */
	size_t count, room;
};

/* Frees what L owns, and empties it. */
void elf_loads_done(struct elf_loads *l);
#define AUTO_ELF_LOADS CLEANUP(elf_loads_done)

/*
 * Finds the loadings of F. AREA: the mappings of F. BARE: mappings without a file and without a
 * name of their own. Both must be sorted by address. PAGE_SIZE is in bytes.
 *
 * Each item of AREA goes to exactly one loading; those that are mapped but not loaded form one
 * more, last, without placed pieces. Each item of BARE goes to at most one loading of any file:
 * this sets its .is_taken, and skips items that have it set.
 *
 * Returns 0; -ENOMEM; or -E2BIG: more than ELF_LOAD_AREAS_MAX areas.
 */
int elf_loads_find(const struct elffile *f, uint64_t page_size, const struct elf_load_area *area,
	size_t areas, struct elf_load_area *bare, size_t bares, struct elf_loads *ret);

/* Cuts the pieces of L to [START, END), and sets .placed_before. Pieces outside become empty. */
void elf_load_cut(struct elf_load *l, uint64_t start, uint64_t end);

/*
 * Returns the bytes of [START, END) in placed pieces of L. Call elf_load_cut() first. Takes
 * logarithmic time.
 */
uint64_t elf_load_placed(const struct elf_load *l, uint64_t start, uint64_t end);

#endif
