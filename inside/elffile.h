/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An ELF file: what of it is loaded where, its sections and symbols, and by what a file with its debugging information is
 * found. It may be anybody's, so nothing in it is believed: all is read with bounds, whatever machine it is for.
 */
#ifndef MEMTALLY_INSIDE_ELFFILE_H
#define MEMTALLY_INSIDE_ELFFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

enum {
	ELFFILE_SEGMENTS_MAX = 64,
	ELFFILE_SECTIONS_MAX =
		0xff00, /* more are numbered otherwise, which no linker's output is */
	ELFFILE_SYMBOLS_MAX = 1 << 22,
	ELFFILE_BUILD_ID_MAX = 64,
	ELFFILE_NAME_MAX = 4096,     /* bytes of a name that are shown */
	ELFFILE_NAMES_MAX = 1 << 28, /* bytes of all names together, as they are shown at most */
};

/* PT_LOAD. */
struct elffile_segment {
	uint64_t address, size; /* in memory, before it is moved */
	uint64_t offset, file_size;
	bool is_executable;
};

/* A section or symbol. */
struct elffile_part {
	uint64_t address, size; /* not empty, and no overflow */
	const char *name;       /* the file's; terminated; anybody's bytes */
	uint32_t aliases;       /* others of the same address and size */
	uint8_t rank;           /* of names of one thing, the lowest is shown */
};

struct elffile {
	struct Elf *elf;                                      /* owned */
	struct elffile_segment segment[ELFFILE_SEGMENTS_MAX]; /* rising, without overlap */
	size_t segments;
	struct elffile_part *part; /* owned; by address, the largest of one address first */
	size_t parts;
	size_t names; /* how many bytes theirs are together, as they are shown at most */
	uint8_t build_id[ELFFILE_BUILD_ID_MAX];
	size_t build_id_len;   /* 0: none */
	const char *debuglink; /* a name without slashes; the file's; NULL: none */
	uint32_t debuglink_crc;
};

/*
 * Reads what there is of the file of FD, which is borrowed until elffile_close(): program headers, and by what its debugging information
 * is found. 0; -ENOEXEC: no ELF file; -EBADMSG: one with a fault in it, which *RET_WHY tells as the end of a sentence, such as "has
 * its program headers beyond its end"; -ENOMEM; read's errors.
 */
int elffile_open(int fd, struct elffile *ret, const char **ret_why);

/* The same of SIZE bytes in memory, which are borrowed and may be written to. */
int elffile_open_image(char *image, size_t size, struct elffile *ret, const char **ret_why);

void elffile_close(struct elffile *f);
#define AUTO_ELFFILE CLEANUP(elffile_close)

/*
 * Has .part those sections that take memory when it is loaded. 0, which may be none; -EBADMSG, -ENOMEM.
 */
int elffile_read_sections(struct elffile *f, const char **ret_why);

/*
 * Has .part those symbols of .symtab, or where there is none of .dynsym, that have a size in memory; of several names for the same, one.
 * 0, which may be none; 1: there is no .symtab, so what is not exported is not there; -EBADMSG, -ENOMEM.
 */
int elffile_read_symbols(struct elffile *f, const char **ret_why);

#endif
