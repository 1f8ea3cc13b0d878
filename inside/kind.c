/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inside/kind.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

static const char *const kinds[KIND_END] = {
	[KIND_HEAP] = "heap",
	[KIND_STACK] = "stack",
	[KIND_ANON] = "anon",
	[KIND_CODE] = "code",
	[KIND_DATA] = "data",
	[KIND_FILE] = "file",
	[KIND_SHMEM] = "shmem",
	[KIND_HUGETLB] = "hugetlb",
	[KIND_DEVICE] = "device",
	[KIND_KERNEL] = "kernel",
};

static const char deleted[] = " (deleted)";

const char *kind_name(enum kind kind)
{
	return kinds[kind];
}

enum kind kind_find(const char *name)
{
	unsigned int i = 0;

	while (i < KIND_END && strcmp(kinds[i], name) != 0)
		i++;
	return (enum kind)i;
}

bool kind_has_flag(const struct mapping *m, const char flag[static 2])
{
	for (size_t i = 0; i + 2 <= m->flags_len; i += 3)
		if (!memcmp(m->flags + i, flag, 2))
			return true;
	return false;
}

static bool begins(const struct mapping *m, const char *with)
{
	size_t n = strlen(with);

	return m->path_len >= n && !memcmp(m->path, with, n);
}

static bool is(const struct mapping *m, const char *name)
{
	return m->path_len == strlen(name) && begins(m, name);
}

static bool ends_deleted(const struct mapping *m)
{
	size_t n = sizeof(deleted) - 1;

	return m->path_len >= n && !memcmp(m->path + m->path_len - n, deleted, n);
}

/* Without an inode the name is the kernel's, in brackets; else whatever the file is called. */
bool kind_has_file(const struct mapping *m)
{
	return m->inode || m->major || m->minor;
}

/* shmem is on no block device; and what it has made itself, nobody can have renamed. */
static bool is_shmem(const struct mapping *m)
{
	static const char *const names[] = {"/memfd:", "/SYSV", "/dev/shm/", "/dev/zero (deleted)",
		"[anon_shmem:", "/drm mm object", "/i915"};

	for (size_t i = 0; !m->major && i < ARRAY_SIZE(names); i++)
		if (begins(m, names[i]))
			return true;
	return false;
}

static enum kind kind_without_file(const struct mapping *m)
{
	if (is(m, "[heap]"))
		return KIND_HEAP;
	if (is(m, "[stack]") || begins(m, "[stack:")) /* of threads: before Linux 4.5 */
		return KIND_STACK;
	if (!m->path_len || begins(m, "[anon:"))
		return KIND_ANON;
	return KIND_KERNEL;
}

enum kind kind_of(const struct mapping *m)
{
	bool is_private = m->perms[3] == 'p';

	if (kind_has_flag(m, "ht"))
		return KIND_HUGETLB;
	if (kind_has_flag(m, "io") || kind_has_flag(m, "pf"))
		return kind_has_file(m) ? KIND_DEVICE : KIND_KERNEL;
	if (!kind_has_file(m))
		return kind_without_file(m);
	if (is_shmem(m))
		return KIND_SHMEM;
	if (m->perms[2] == 'x')
		return KIND_CODE;
	if (is_private && (m->perms[1] == 'w' || m->q[MAPPING_ANONYMOUS] || m->q[MAPPING_SWAP]))
		return KIND_DATA;
	return KIND_FILE;
}

size_t kind_path_len(const struct mapping *m)
{
	bool has_more = kind_has_file(m) && ends_deleted(m) && m->fate != MAPPING_LITERAL;

	return m->path_len - (has_more ? sizeof(deleted) - 1 : 0);
}

const char *kind_deleted_note(enum mapping_fate fate)
{
	static const char *const notes[MAPPING_FATES] = {
		[MAPPING_NOT_ASKED] = " [deleted]",
		[MAPPING_THERE] = "",
		[MAPPING_LITERAL] = "",
		[MAPPING_DELETED] = " [deleted]",
		[MAPPING_REPLACED] = " [replaced]",
		[MAPPING_UNCERTAIN] = " [deleted?]",
	};

	return notes[fate];
}

bool kind_is_deleted(const struct mapping *m)
{
	/* "/[aio] (deleted)": the kernel's own, which never had a path. */
	bool is_kernels = !m->major && (begins(m, "/[") || is(m, "/anon_hugepage (deleted)"));

	return ends_deleted(m) && m->fate != MAPPING_THERE && m->fate != MAPPING_LITERAL &&
	       kind_has_file(m) && !is_shmem(m) && !is_kernels && m->path[0] == '/';
}

/* show_map_vma() escapes newlines alone (fs/proc/task_mmu.c): a name that has these four characters looks the same. */
void kind_add_path(const char *path, size_t len, struct buffer *to)
{
	static const char newline[] = "\\012";
	const char *at = path, *end = path + len, *next;

	while ((next = memmem(at, (size_t)(end - at), newline, sizeof(newline) - 1))) {
		text_add_clean(to, at, (size_t)(next - at));
		text_add_clean(to, "\n", 1);
		at = next + sizeof(newline) - 1;
	}
	text_add_clean(to, at, (size_t)(end - at));
}

/* "/memfd:NAME (deleted)", "/SYSV0000002a (deleted)", whose inode is the segment's id. */
static void add_shmem(const struct mapping *m, size_t len, struct buffer *to)
{
	if (begins(m, "/memfd:"))
		kind_add_path(m->path + 1, len - 1, to);
	else if (begins(m, "/SYSV"))
		buffer_printf(to, "SysV %llu", (unsigned long long)m->inode);
	else if (begins(m, "/dev/zero"))
		buffer_add_text(to, "[shared]");
	else
		kind_add_path(m->path, len, to);
}

void kind_add_name(const struct mapping *m, struct buffer *to)
{
	size_t len = kind_path_len(m);

	if (!kind_has_file(m)) {
		if (len)
			kind_add_path(m->path, len, to);
		else
			buffer_add_text(to, "[anon]");
		return;
	}
	if (is_shmem(m))
		add_shmem(m, len, to);
	else if (len)
		kind_add_path(m->path, len, to);
	else
		buffer_add_text(to, "[file]");
}
