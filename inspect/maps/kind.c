/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/maps/kind.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/scan.h"
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

#define DIGITS  "0123456789"
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

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

bool kind_begins(const struct mapping *m, const char *with)
{
	size_t n = strlen(with);

	return m->path_len >= n && !memcmp(m->path, with, n);
}

static bool kind_is(const struct mapping *m, const char *name)
{
	return m->path_len == strlen(name) && kind_begins(m, name);
}

static bool ends_deleted(const struct mapping *m)
{
	size_t n = sizeof(deleted) - 1;

	return m->path_len >= n && !memcmp(m->path + m->path_len - n, deleted, n);
}

/*
 * A mapping without an inode has a name from the kernel, in brackets; any other name is chosen by a
 * user.
 */
bool kind_has_file(const struct mapping *m)
{
	return m->inode || m->major || m->minor;
}

bool kind_may_be_unlinked(const struct mapping *m)
{
	return kind_has_file(m) && ends_deleted(m);
}

/*
 * Paths begin with a slash; "socket:[1234]" and "anon_inode:[io_uring]" do not (dynamic_dname() in
 * fs/d_path.c).
 */
bool kind_is_pseudo(const struct mapping *m)
{
	return kind_has_file(m) && !m->major && m->path_len && m->path[0] != '/' &&
	       m->path[0] != '[';
}

/*
 * memfd_secret(2), Linux 5.14. The kernel counts it as file memory, but frees it like shared
 * memory.
 */
static bool is_secret(const struct mapping *m)
{
	return !m->major && kind_is(m, "/secretmem (deleted)");
}

/*
 * Shared memory is on no block device, and objects that the kernel made itself cannot be renamed.
 */
static bool kind_is_shmem(const struct mapping *m)
{
	static const char *const names[] = {"/memfd:", "/SYSV", "/dev/shm/", "/dev/zero (deleted)",
		"[anon_shmem:", "/drm mm object", "/i915"};

	for (size_t i = 0; !m->major && i < ARRAY_SIZE(names); i++)
		if (kind_begins(m, names[i]))
			return true;
	return is_secret(m);
}

static enum kind kind_without_file(const struct mapping *m)
{
	if (kind_is(m, "[heap]"))
		return KIND_HEAP;
	if (kind_is(m, "[stack]") ||
		kind_begins(m, "[stack:")) /* stacks of threads: before Linux 4.5 */
		return KIND_STACK;
	if (!m->path_len || kind_begins(m, "[anon:"))
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
	if (kind_is_shmem(m))
		return KIND_SHMEM;
	if (kind_is_pseudo(m) || (!m->major && kind_has_flag(m, "mm")))
		return KIND_DEVICE;
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

const char *kind_note(bool is_deleted, enum mapping_fate fate)
{
	static const char *const notes[MAPPING_FATES] = {
		[MAPPING_NOT_ASKED] = " [deleted]",
		[MAPPING_THERE] = "",
		[MAPPING_LITERAL] = "",
		[MAPPING_DELETED] = " [deleted]",
		[MAPPING_REPLACED] = " [replaced]",
		[MAPPING_UNCERTAIN] = " [deleted?]",
		[MAPPING_UNLINKED] = " [unlinked]",
	};

	return is_deleted || fate == MAPPING_UNLINKED ? notes[fate] : "";
}

/* Takes all characters of ALLOWED that come next. Returns how many there are. */
static size_t take_all_of(struct scan *s, const char *allowed)
{
	const char *from = s->at;

	while (s->at < s->end && *s->at && strchr(allowed, *s->at))
		s->at++;
	return (size_t)(s->at - from);
}

/*
 * Names of files that programs unlink themselves: libffi's "ffiXXXXXX", Orc's "orcexec.XXXXXX",
 * JNA's "jna123.tmp", "#123" of O_TMPFILE.
 */
static bool is_temporary_name(struct scan name)
{
	struct scan ffi = name, jna = name, nameless = name;

	if (scan_text(&ffi, "ffi") && take_all_of(&ffi, DIGITS LETTERS) == 6 && scan_is(&ffi, ""))
		return true;
	if (scan_text(&jna, "jna") && take_all_of(&jna, DIGITS) && scan_is(&jna, ".tmp"))
		return true;
	if (scan_text(&nameless, "#") && take_all_of(&nameless, DIGITS) && scan_is(&nameless, ""))
		return true;
	return scan_sees(&name, "orcexec.");
}

static bool is_in_temporary_folder(struct scan path)
{
	static const char *const folders[] = {
		"/tmp/", "/var/tmp/", "/dev/shm/", "/run/", "/var/run/"};

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		if (scan_sees(&path, folders[i]))
			return true;
	return false;
}

enum kind_temporary kind_temporary(const char *path, size_t len)
{
	struct scan whole = {path, path + len}, name;
	const char *slash;

	if (len >= sizeof(deleted) - 1 &&
		!memcmp(path + len - (sizeof(deleted) - 1), deleted, sizeof(deleted) - 1))
		whole.end -= sizeof(deleted) - 1;
	slash = memrchr(path, '/', (size_t)(whole.end - path));
	if (!slash)
		return KIND_NOT_TEMPORARY;
	name = (struct scan){slash + 1, whole.end};
	if (is_temporary_name(name))
		return KIND_TEMPORARY;
	return is_in_temporary_folder(whole) &&
	                       memmem(name.at, (size_t)(name.end - name.at), ".so", 3)
	               ? KIND_MAYBE_TEMPORARY
	               : KIND_NOT_TEMPORARY;
}

bool kind_looks_deleted(const struct mapping *m)
{
	/* "/[aio] (deleted)" and others: the kernel's own objects never had a path */
	bool is_kernels = !m->major &&
	                  (kind_begins(m, "/[") || kind_is(m, "/anon_hugepage (deleted)"));

	return kind_may_be_unlinked(m) && !kind_is_shmem(m) && !is_kernels && m->path[0] == '/';
}

enum mapping_fate kind_fate(const struct mapping *m)
{
	if (m->fate == MAPPING_NOT_ASKED && kind_looks_deleted(m) &&
		kind_temporary(m->path, m->path_len) != KIND_NOT_TEMPORARY)
		return MAPPING_UNLINKED;
	return m->fate;
}

bool kind_is_deleted(const struct mapping *m)
{
	enum mapping_fate fate = kind_fate(m);

	return kind_looks_deleted(m) && fate != MAPPING_THERE && fate != MAPPING_LITERAL &&
	       fate != MAPPING_UNLINKED;
}

/*
 * show_map_vma() escapes only newlines (fs/proc/task_mmu.c): a name that contains the text \012
 * looks the same.
 */
void kind_add_path(const char *path, size_t len, struct buffer *to)
{
	static const char newline[] = "\\012";
	const char *at = path, *end = path + len, *next;
	size_t from = to->len;

	while ((next = memmem(at, (size_t)(end - at), newline, sizeof(newline) - 1))) {
		text_add_clean(to, at, (size_t)(next - at));
		text_add_clean(to, "\n", 1);
		at = next + sizeof(newline) - 1;
	}
	text_add_clean(to, at, (size_t)(end - at));
	text_escape_reserved(to, from);
}

/*
 * Names of shared memory: "/memfd:NAME (deleted)"; "/SYSV0000002a (deleted)", with the id of the
 * segment as inode.
 */
static void add_shmem(const struct mapping *m, size_t len, struct buffer *to)
{
	if (kind_begins(m, "/memfd:"))
		kind_add_path(m->path + 1, len - 1, to);
	else if (kind_begins(m, "/SYSV"))
		buffer_printf(to, "SysV %llu", (unsigned long long)m->inode);
	else if (kind_begins(m, "/dev/zero"))
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
	if (kind_is_shmem(m))
		add_shmem(m, len, to);
	else if (len)
		kind_add_path(m->path, len, to);
	else
		buffer_add_text(to, "[file]");
}
