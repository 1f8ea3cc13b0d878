/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a mapping is for, as far as its first line and its flags tell, and what it is called. Names are anybody's choice,
 * so none decides what the kernel says otherwise. Pure.
 */
#ifndef MEMTALLY_INSIDE_KIND_H
#define MEMTALLY_INSIDE_KIND_H

#include <stdbool.h>

#include "base/buffer.h"
#include "inside/mapping.h"

enum kind {
	KIND_HEAP,  /* that brk() moves */
	KIND_STACK, /* of the first thread; others' are anonymous to the kernel */
	KIND_ANON,  /* private memory without a file */
	KIND_CODE,  /* of a file, executable */
	KIND_DATA, /* of a file, private and written to or writable: .data, .bss, what was relocated */
	KIND_FILE,  /* of a file, else */
	KIND_SHMEM, /* shared without a name, SysV, memfd, files on /dev/shm */
	KIND_HUGETLB,
	KIND_DEVICE, /* no memory of the host's, or a driver's */
	KIND_KERNEL, /* [vdso] and the like */
	KIND_END
};

/* "heap", "stack" ... */
const char *kind_name(enum kind kind);

/* The kind of that name; KIND_END: there is none. */
enum kind kind_find(const char *name);

/* Whether M is of something that has an inode: a file, shared memory, a memfd, a device. */
bool kind_has_file(const struct mapping *m);

enum kind kind_of(const struct mapping *m);

/*
 * Whether M is a file's that is no more at that path, as after an upgrade; not of what never had one, as memfds. Where nobody has looked
 * (.fate), the kernel is believed.
 */
bool kind_is_deleted(const struct mapping *m);

/* What is said behind the name of such a one: " [deleted]", " [replaced]" or " [deleted?]". */
const char *kind_deleted_note(enum mapping_fate fate);

/* The length of M's path without " (deleted)", unless that is a part of its name. */
size_t kind_path_len(const struct mapping *m);

/* A path of LEN bytes as the kernel prints it, clean: a newline is \x0a, as in all names, and not the kernel's \012. */
void kind_add_path(const char *path, size_t len, struct buffer *to);

/*
 * What M is called, clean: the path of that length, "[heap]", "[anon:NAME]", "[anon]", "[shared]", "memfd:NAME", "SysV ID".
 */
void kind_add_name(const struct mapping *m, struct buffer *to);

/* Whether VmFlags has the two letters of FLAG. */
bool kind_has_flag(const struct mapping *m, const char flag[static 2]);

#endif
