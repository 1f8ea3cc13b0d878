/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ELF Files
 *
 * Segments, sections and symbols of an ELF file of any machine, and the keys to its debugging
 * information (build id, debuglink). Users own such files, so nothing in them is trusted: all reads
 * are bounded.
 */
#ifndef MEMTALLY_INSPECT_ELF_ELFFILE_H
#define MEMTALLY_INSPECT_ELF_ELFFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

enum {
	ELFFILE_SEGMENTS_MAX = 64,
	/* A file with more stores the number elsewhere; no linker makes such a file. */
	ELFFILE_SECTIONS_MAX = 0xff00,
	ELFFILE_SYMBOLS_MAX = 1 << 22,
	ELFFILE_BUILD_ID_MAX = 64,
	ELFFILE_NAME_MAX = 4096,     /* bytes of a name that are printed */
	ELFFILE_NAMES_MAX = 1 << 28, /* limit of the bytes of all names together, as printed */
};

/* A segment that is loaded (PT_LOAD). */
struct elffile_segment {
	uint64_t address, size;     /* in memory, before the load bias is added; bytes */
	uint64_t offset, file_size; /* in the file; bytes */
	bool is_executable;
};

/* A section or symbol. */
struct elffile_part {
	uint64_t address, size; /* bytes; .size > 0, and the sum does not overflow */
	const char *name;       /* borrowed from .elf; terminated; untrusted bytes */
	uint32_t aliases;       /* number of other names for the same address and size */
	uint8_t rank;           /* binding: 0 global, 1 weak, 2 local; the lowest one gives .name */
};

struct elffile {
	struct Elf *elf; /* owned */
	/* By rising address, without overlap. */
	struct elffile_segment segment[ELFFILE_SEGMENTS_MAX];
	size_t segments;
	/* Owned; by rising address, at equal addresses the largest first. */
	struct elffile_part *part;
	size_t parts;
	size_t names; /* bytes of all names of .part together, as printed at most */
	uint8_t build_id[ELFFILE_BUILD_ID_MAX];
	size_t build_id_len;   /* bytes of .build_id; 0: none */
	const char *debuglink; /* borrowed from .elf; a name without slashes; NULL: none */
	uint32_t debuglink_crc;
};

/*
 * Reads the program headers, build id and debuglink of the file FD, which stays borrowed until
 * elffile_close(). Returns 0; -ENOEXEC: no ELF file; -EBADMSG: a faulty file, and *RET_WHY (static)
 * completes the sentence "FILE ...", such as "has its program headers beyond its end"; or a
 * negative errno of read(). *RET is empty after an error.
 */
int elffile_open(int fd, struct elffile *ret, const char **ret_why);

/*
 * Reads the ELF file in the SIZE bytes of IMAGE, with the results of elffile_open(). IMAGE stays
 * borrowed until elffile_close(), and libelf may write to it.
 */
int elffile_open_image(char *image, size_t size, struct elffile *ret, const char **ret_why);

/* Frees what F owns, and empties it. */
void elffile_close(struct elffile *f);
#define AUTO_ELFFILE CLEANUP(elffile_close)

/*
 * Replaces .part by the sections that take memory when the file is loaded; there may be none.
 * Returns 0; -EBADMSG with *RET_WHY as of elffile_open(); or -ENOMEM.
 */
int elffile_read_sections(struct elffile *f, const char **ret_why);

/*
 * Replaces .part by the symbols of .symtab, or of .dynsym if the file has no .symtab, that are
 * defined and have a size. Of several symbols with the same address and size one is kept, and the
 * others are counted in .aliases. Returns 0; 1: the file has no .symtab, so only exported symbols
 * are known; -EBADMSG with *RET_WHY as of elffile_open(); or -ENOMEM.
 */
int elffile_read_symbols(struct elffile *f, const char **ret_why);

#endif
