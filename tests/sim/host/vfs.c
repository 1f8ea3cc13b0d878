/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls on the /proc of a simulated host
 *
 * smaps and maps are read like files of the kernel's seq_file: a read() adds whole mappings until
 * their text fills the caller's buffer or a page. Text that does not fit into the buffer is
 * returned by the next read().
 */
#include "config.h"

#include "tests/sim/host/vfs.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "tests/sim/host/files.h"

enum { SEQ_PAGE = 4096 };

/* CPU of calls, for a kernel on which polling one process by an open descriptor takes 2.5 us. */
enum {
	OPEN_NS = 1200,
	STATM_NS = 2500, /* includes the process's part of the rest of a pass */
	STATUS_NS = 6000,
	STAT_NS = 3000,
	OTHER_NS = 2000,
	ENTRY_NS = 200, /* of a directory, and a line of maps */
	ROLLUP_NS = 8000,
	ROLLUP_PAGE_NS = 22,
	ROLLUP_MAPPING_NS = 50,
	SLICE_NS = 400,
	SLICE_PAGE_NS = 27,
	SLICE_MAPPING_NS = 850,
};

enum file_kind {
	FILE_FREE,
	FILE_ROOT,
	FILE_DIRECTORY,
	/* Of a process. */
	FILE_STATM,
	FILE_STATUS,
	FILE_STAT,
	FILE_CGROUP,
	FILE_ROLLUP,
	FILE_MAPS,
	FILE_SMAPS,
	/* Of the host. */
	FILE_BTIME,
	FILE_MEMINFO,
	FILE_VMSTAT,
	FILE_PRESSURE,
};

struct vfs_file {
	enum file_kind kind;
	uint32_t pid, image;
	size_t slot;
	uint64_t offset; /* in a text; of the root: the slot that is listed next */
	struct files_cursor cursor;
	struct buffer rest; /* text of smaps or maps, returned up to .offset */
};

void vfs_init(struct vfs *v, struct kernel *k)
{
	*v = (struct vfs){.kernel = k, .max_fds = SIZE_MAX};
}

void vfs_done(struct vfs *v)
{
	for (size_t i = 0; i < v->files; i++) {
		assert(v->file[i].kind == FILE_FREE); /* every opened file must be closed */
		buffer_done(&v->file[i].rest);
	}
	free(v->file);
	buffer_done(&v->text);
}

static struct vfs_file *file_of(const struct vfs *v, int fd)
{
	assert(fd >= VFS_FIRST_FD && (size_t)(fd - VFS_FIRST_FD) < v->files);
	assert(v->file[fd - VFS_FIRST_FD].kind != FILE_FREE);
	return &v->file[fd - VFS_FIRST_FD];
}

static int new_file(struct vfs *v, enum file_kind kind, uint32_t pid, size_t slot)
{
	struct buffer rest;
	size_t i;

	if (v->open_files == v->max_fds) {
		errno = EMFILE;
		return -1;
	}
	while (v->first_free < v->files && v->file[v->first_free].kind != FILE_FREE)
		v->first_free++;
	i = v->first_free++;
	if (i == v->capacity) {
		v->capacity = 2 * i + 64;
		v->file = reallocarray(v->file, v->capacity, sizeof(*v->file));
		if (!v->file)
			abort();
	}
	if (i == v->files)
		v->file[v->files++] = (struct vfs_file){0};
	rest = v->file[i].rest;
	buffer_clear(&rest);
	v->file[i] = (struct vfs_file){
		.kind = kind,
		.pid = pid,
		.slot = slot,
		.image = pid ? v->kernel->host->process[slot].image : 0,
		.rest = rest,
	};
	v->open_files++;
	if (v->open_files > v->most_open_files)
		v->most_open_files = v->open_files;
	return VFS_FIRST_FD + (int)i;
}

/* Returns whether the process of F is listed; it may be exiting. */
static bool is_there(const struct vfs *v, const struct vfs_file *f)
{
	return v->kernel->host->process[f->slot].pid == f->pid;
}

/* Returns whether the process of F still has the address space that F was opened with. */
static bool has_memory(const struct vfs *v, const struct vfs_file *f)
{
	const struct host_process *p = &v->kernel->host->process[f->slot];

	return !p->is_exiting && p->image == f->image;
}

struct name {
	const char *name;
	enum file_kind kind;
};

static enum file_kind find_name(const struct name *names, const char *name)
{
	for (; names->name; names++)
		if (!strcmp(names->name, name))
			return names->kind;
	return FILE_FREE;
}

static int open_below_root(struct vfs *v, const char *path)
{
	static const struct name names[] = {
		{"stat", FILE_BTIME},
		{"meminfo", FILE_MEMINFO},
		{"vmstat", FILE_VMSTAT},
		{"pressure/memory", FILE_PRESSURE},
		{NULL, FILE_FREE},
	};
	enum file_kind kind = find_name(names, path);
	uint64_t pid;
	size_t slot;

	if (kind != FILE_FREE)
		return new_file(v, kind, 0, 0);
	if (number_parse_u64(path, strlen(path), &pid) == 0 && pid <= UINT32_MAX) {
		slot = kernel_find(v->kernel, (uint32_t)pid);
		if (slot < v->kernel->host->slots)
			return new_file(v, FILE_DIRECTORY, (uint32_t)pid, slot);
	}
	errno = ENOENT;
	return -1;
}

static int open_of_process(struct vfs *v, const struct vfs_file *f, const char *path)
{
	static const struct name names[] = {
		{"statm", FILE_STATM},
		{"status", FILE_STATUS},
		{"stat", FILE_STAT},
		{"cgroup", FILE_CGROUP},
		{"smaps_rollup", FILE_ROLLUP},
		{"maps", FILE_MAPS},
		{"smaps", FILE_SMAPS},
		{NULL, FILE_FREE},
	};
	enum file_kind kind = find_name(names, path);

	if (!is_there(v, f) || kind == FILE_FREE) {
		errno = is_there(v, f) ? ENOENT : ESRCH;
		return -1;
	}
	if (kind == FILE_ROLLUP && v->kernel->host->process[f->slot].is_exiting) {
		errno = ESRCH;
		return -1;
	}
	return new_file(v, kind, f->pid, f->slot);
}

/* Prints the text of a file that is read as a whole. */
static void render(const struct host *h, const struct vfs_file *f, struct buffer *to)
{
	buffer_clear(to);
	switch (f->kind) {
	case FILE_STATM: files_statm(h, f->slot, to); break;
	case FILE_STATUS: files_status(h, f->slot, to); break;
	case FILE_STAT: files_stat(h, f->slot, to); break;
	case FILE_CGROUP: files_cgroup(h, f->slot, to); break;
	case FILE_ROLLUP: files_rollup(h, f->slot, to); break;
	case FILE_BTIME: files_btime(h, to); break;
	case FILE_MEMINFO: files_meminfo(h, to); break;
	case FILE_VMSTAT: files_vmstat(h, to); break;
	case FILE_PRESSURE: files_pressure(h, to); break;
	default: assert(false);
	}
	assert(to->error == 0);
}

static void walk(struct kernel *k, size_t slot)
{
	struct host_truth t;
	double ns;

	host_truth(k->host, slot, &t);
	ns = k->slowness * (ROLLUP_NS + ROLLUP_PAGE_NS * (double)t.pages +
				   ROLLUP_MAPPING_NS * (double)t.mappings);
	k->rollups++;
	kernel_walk(k, slot, ns, ns, k->slowness * SLICE_PAGE_NS * (double)t.largest_pages);
	k->host->process[slot].walked_ns = k->host->now_ns;
}

static uint64_t cost_of(enum file_kind kind)
{
	switch (kind) {
	case FILE_STATM: return STATM_NS;
	case FILE_STATUS: return STATUS_NS;
	case FILE_STAT: return STAT_NS;
	default: return OTHER_NS;
	}
}

static ssize_t read_whole(struct vfs *v, struct vfs_file *f, void *to, size_t size, uint64_t offset)
{
	struct buffer *text = &v->text;
	size_t n;

	if (f->pid && (!is_there(v, f) || (f->kind == FILE_ROLLUP && !has_memory(v, f)))) {
		errno = ESRCH;
		return -1;
	}
	if (f->kind == FILE_STATM || f->kind == FILE_STATUS)
		host_look(v->kernel->host, f->slot);
	else if (f->kind == FILE_ROLLUP && offset == 0)
		host_begin_walk(v->kernel->host, f->slot);
	render(v->kernel->host, f, text);
	if (f->kind == FILE_ROLLUP && offset == 0)
		walk(v->kernel, f->slot);
	else
		kernel_use(v->kernel, cost_of(f->kind));
	if (offset >= text->len)
		return 0;
	n = text->len - offset < size ? text->len - offset : size;
	memcpy(to, text->data + offset, n);
	return (ssize_t)n;
}

/* Appends whole mappings to F->rest. */
static void read_mappings(struct kernel *k, struct vfs_file *f, size_t wanted)
{
	bool walks = f->kind == FILE_SMAPS;
	struct files_mapping m;
	double ns = 0, largest_ns = 0;
	uint64_t count = 0;

	while (f->rest.len - f->offset < wanted && f->rest.len < SEQ_PAGE - 800 &&
		files_next(k->host, f->slot, &f->cursor, &m)) {
		double one_ns = k->slowness * SLICE_PAGE_NS * (double)m.piece.rss /
		                (double)HOST_PAGE;

		count++;
		ns += one_ns + k->slowness * SLICE_MAPPING_NS;
		largest_ns = one_ns > largest_ns ? one_ns : largest_ns;
		if (walks)
			files_smap(&m, &f->rest);
		else
			files_map(&m, &f->rest);
	}
	if (!walks) {
		kernel_use(k, count * ENTRY_NS);
		return;
	}
	kernel_walk(k, f->slot, ns + SLICE_NS, ns, largest_ns);
	k->slices++;
	if (count == 0 && f->cursor.at == FILES_END) {
		k->slice_walks++;
		k->host->process[f->slot].walked_ns = k->host->now_ns;
	}
}

static ssize_t read_seq(struct vfs *v, struct vfs_file *f, void *to, size_t size)
{
	size_t n;

	if (!is_there(v, f)) {
		errno = ESRCH;
		return -1;
	}
	/* F refers to the address space that was opened, and the process has left that. */
	if (!has_memory(v, f))
		return 0;
	if (f->offset == f->rest.len) {
		buffer_clear(&f->rest);
		f->offset = 0;
	}
	if (f->rest.len - f->offset < size)
		read_mappings(v->kernel, f, size);
	n = f->rest.len - f->offset < size ? f->rest.len - f->offset : size;
	memcpy(to, f->rest.data ? f->rest.data + f->offset : "", n);
	f->offset += n;
	return (ssize_t)n;
}

struct dirent_header { /* as getdents64 returns it; <dirent.h> has no name for it */
	uint64_t ino;
	int64_t off;
	unsigned short reclen;
	unsigned char type;
	char name[13];
};

int vfs_open_root(struct vfs *v)
{
	return new_file(v, FILE_ROOT, 0, 0);
}

int vfs_openat(struct vfs *v, int dirfd, const char *path)
{
	const struct vfs_file *f = file_of(v, dirfd);

	kernel_use(v->kernel, OPEN_NS);
	return f->kind == FILE_ROOT ? open_below_root(v, path) : open_of_process(v, f, path);
}

void vfs_close(struct vfs *v, int fd)
{
	struct vfs_file *f = file_of(v, fd);

	f->kind = FILE_FREE;
	v->open_files--;
	if ((size_t)(f - v->file) < v->first_free)
		v->first_free = (size_t)(f - v->file);
}

ssize_t vfs_read(struct vfs *v, int fd, void *to, size_t size)
{
	struct vfs_file *f = file_of(v, fd);
	ssize_t n;

	if (f->kind == FILE_SMAPS || f->kind == FILE_MAPS)
		return read_seq(v, f, to, size);
	n = read_whole(v, f, to, size, f->offset);
	f->offset += n > 0 ? (uint64_t)n : 0;
	return n;
}

/* If smaps is not read on from the current position, only OFFSET 0 is possible. */
ssize_t vfs_pread(struct vfs *v, int fd, void *to, size_t size, off_t offset)
{
	struct vfs_file *f = file_of(v, fd);

	if (f->kind == FILE_SMAPS) {
		assert(offset == 0);
		f->cursor = (struct files_cursor){.at = FILES_TEXT};
		f->offset = f->rest.len;
		return read_seq(v, f, to, size);
	}
	return read_whole(v, file_of(v, fd), to, size, (uint64_t)offset);
}

void vfs_rewind(struct vfs *v, int fd)
{
	file_of(v, fd)->offset = 0;
}

/* Lists the pids in no order, so that the caller has to sort them. */
long vfs_list(struct vfs *v, int fd, void *to, size_t size)
{
	const struct host *h = v->kernel->host;
	struct vfs_file *f = file_of(v, fd);
	size_t used = 0;

	for (; f->offset < h->slots && used + sizeof(struct dirent_header) <= size; f->offset++) {
		struct dirent_header e = {.reclen = sizeof(e)};

		if (!h->process[f->offset].pid)
			continue;
		snprintf(e.name, sizeof(e.name), "%u", h->process[f->offset].pid);
		memcpy((char *)to + used, &e, sizeof(e));
		used += sizeof(e);
	}
	kernel_use(v->kernel, used / sizeof(struct dirent_header) * ENTRY_NS);
	return (long)used;
}
