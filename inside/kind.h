/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kind of a mapping, by its first line and its flags in smaps, and its name. Users choose names, so a name never
 * overrides what the kernel says. Pure.
 */
#ifndef MEMTALLY_INSIDE_KIND_H
#define MEMTALLY_INSIDE_KIND_H

#include <stdbool.h>

#include "base/buffer.h"
#include "inside/mapping.h"

enum kind {
	KIND_HEAP,  /* the one that brk() moves */
	KIND_STACK, /* of the first thread; stacks of others are anonymous to the kernel */
	KIND_ANON,  /* private memory without a file */
	KIND_CODE,  /* of a file, executable */
	KIND_DATA, /* of a file, private and written to or writable: .data, .bss, what was relocated */
	KIND_FILE,  /* of a file, any other */
	KIND_SHMEM, /* shared without a name, SysV, memfd, files on /dev/shm */
	KIND_HUGETLB,
	KIND_DEVICE, /* a device: no memory of the host, or drivers' memory */
	KIND_KERNEL, /* [vdso] and others */
	KIND_END
};

/* "heap", "stack" ... */
const char *kind_name(enum kind kind);

/* The kind with the name NAME; KIND_END: there is none. */
enum kind kind_find(const char *name);

/* Whether M is of an object with an inode: a file, shared memory, a memfd, a device. */
bool kind_has_file(const struct mapping *m);

/* Whether the kernel prints " (deleted)" behind the path of M's file, which may be a part of its name. */
bool kind_may_be_unlinked(const struct mapping *m);

/* Whether M's file never had a path: a socket, or an anonymous inode (BPF maps, io_uring, perf). Its pages are a driver's. */
bool kind_is_pseudo(const struct mapping *m);

/* The kind of M. */
enum kind kind_of(const struct mapping *m);

/* Whether a path is that of a temporary file, which its own program unlinks as soon as it is mapped. */
enum kind_temporary {
	KIND_NOT_TEMPORARY,
	KIND_MAYBE_TEMPORARY, /* a library in a folder of temporary files */
	KIND_TEMPORARY,       /* a name that libffi, JNA, Orc or O_TMPFILE gives */
};

/* Classifies the LEN bytes of PATH as the kernel prints them, with " (deleted)" or without. */
enum kind_temporary kind_temporary(const char *path, size_t len);

/* Whether M is of a file with a path at which, by the kernel, it is no longer: .fate should be looked up. */
bool kind_looks_deleted(const struct mapping *m);

/* The fate of such a file: M->fate, or if it was not looked up, the one by the kernel and by the name of M. */
enum mapping_fate kind_fate(const struct mapping *m);

/*
 * Whether M's file is no longer at its path, as after an upgrade, so that its program must be restarted. False for files that
 * never had a path (memfd, memfd_secret) or that their own program unlinked.
 */
bool kind_is_deleted(const struct mapping *m);

/* The mark behind a name: " [deleted]", " [replaced]" or " [deleted?]" if IS_DELETED; " [unlinked]"; else "". */
const char *kind_note(bool is_deleted, enum mapping_fate fate);

/* The length of M's path, without " (deleted)" unless that is a part of the name. */
size_t kind_path_len(const struct mapping *m);

/*
 * Appends PATH of LEN bytes, as the kernel prints it, as a clean name with reserved forms escaped (base/text.h). A newline,
 * which the kernel prints as \012, becomes \x0a, as in all names.
 */
void kind_add_path(const char *path, size_t len, struct buffer *to);

/*
 * Appends the clean name of M: its path as of kind_path_len(), "[heap]", "[anon:NAME]", "[anon]", "[shared]", "memfd:NAME" or
 * "SysV ID".
 */
void kind_add_name(const struct mapping *m, struct buffer *to);

/* Whether the VmFlags of M have FLAG, two letters. */
bool kind_has_flag(const struct mapping *m, const char flag[static 2]);

#endif
