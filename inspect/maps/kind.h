/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds of Mappings
 *
 * Derives the kind of a mapping from its first line and its flags in smaps, and makes its name.
 * Users choose file names, so a name never overrides what the kernel says. Pure.
 */
#ifndef MEMTALLY_INSPECT_MAPS_KIND_H
#define MEMTALLY_INSPECT_MAPS_KIND_H

#include <stdbool.h>

#include "base/buffer.h"
#include "inspect/maps/mapping.h"

enum kind {
	KIND_HEAP,  /* the heap that brk() moves */
	KIND_STACK, /* stack of the first thread; other stacks are KIND_ANON */
	KIND_ANON,  /* private memory without a file */
	KIND_CODE,  /* mapping of a file: executable */
	/* Mapping of a file: private, and written to or writable (.data, .bss, relocated data). */
	KIND_DATA,
	KIND_FILE,  /* any other mapping of a file */
	KIND_SHMEM, /* shared memory: anonymous, SysV, memfd, files on /dev/shm */
	KIND_HUGETLB,
	KIND_DEVICE, /* a device: no memory of the host, or drivers' memory */
	KIND_KERNEL, /* the kernel's own, such as [vdso] */
	KIND_END
};

/* Returns the name of KIND, such as "heap" or "stack". */
const char *kind_name(enum kind kind);

/* Returns the kind with the name NAME; KIND_END: there is none. */
enum kind kind_find(const char *name);

/*
 * Returns whether M is a mapping of an object with an inode: a file, shared memory, a memfd, a
 * device.
 */
bool kind_has_file(const struct mapping *m);

/*
 * Returns whether the path of M's file ends in " (deleted)", which the kernel appends to unlinked
 * files, but which may be a part of the name.
 */
bool kind_may_be_unlinked(const struct mapping *m);

/*
 * Returns whether M's file never had a path: a socket, or an anonymous inode (BPF maps, io_uring,
 * perf). Its pages are a driver's.
 */
bool kind_is_pseudo(const struct mapping *m);

/* Returns the kind of M. */
enum kind kind_of(const struct mapping *m);

/*
 * Whether a path is that of a temporary file, which its own program unlinks as soon as it is
 * mapped.
 */
enum kind_temporary {
	KIND_NOT_TEMPORARY,
	KIND_MAYBE_TEMPORARY, /* a library in a folder of temporary files */
	KIND_TEMPORARY,       /* a name that libffi, JNA, Orc or O_TMPFILE gives */
};

/* Classifies the LEN bytes of PATH as the kernel prints them, with " (deleted)" or without. */
enum kind_temporary kind_temporary(const char *path, size_t len);

/*
 * Returns whether the kernel says that M's file is no longer at its path, so that .fate should be
 * looked up. False for files that never had a path.
 */
bool kind_looks_deleted(const struct mapping *m);

/*
 * Returns the state of M's file: M->fate or, if it was not looked up, the state by the kernel and
 * by the name of M.
 */
enum mapping_fate kind_fate(const struct mapping *m);

/*
 * Returns whether M's file is no longer at its path, as after an upgrade, so that its program must
 * be restarted. False for files that never had a path (memfd, memfd_secret) or that their own
 * program unlinked.
 */
bool kind_is_deleted(const struct mapping *m);

/*
 * Returns the mark behind a name. If IS_DELETED, it is " [deleted]", " [replaced]" or "
 * [deleted?]"; otherwise " [unlinked]" or "", by FATE.
 */
const char *kind_note(bool is_deleted, enum mapping_fate fate);

/*
 * Returns the length of M's path in bytes, without " (deleted)" unless that is known to be a part
 * of the name.
 */
size_t kind_path_len(const struct mapping *m);

/*
 * Appends PATH of LEN bytes, as the kernel prints it, as a clean name with reserved forms escaped
 * (base/text.h). A newline, which the kernel prints as \012, becomes \x0a, as in all names.
 */
void kind_add_path(const char *path, size_t len, struct buffer *to);

/*
 * Appends the clean name of M: its path as of kind_path_len(), "[heap]", "[anon:NAME]", "[anon]",
 * "[shared]", "memfd:NAME" or "SysV ID"; "[file]" for a file without a path.
 */
void kind_add_name(const struct mapping *m, struct buffer *to);

/* Returns whether the path of M, as the kernel prints it, begins with WITH. */
bool kind_begins(const struct mapping *m, const char *with);

/* Returns whether the VmFlags of M have FLAG, two letters. */
bool kind_has_flag(const struct mapping *m, const char flag[static 2]);

#endif
