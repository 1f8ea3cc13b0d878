/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads of smaps and maps are those of seq_file: whole mappings, until their text fills what was asked for or
 * a page; what does not fit into the caller's buffer is given with the next read.
 */
#include "config.h"

#include "tests/sim/kernel.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/number.h"
#include "tests/sim/files.h"

enum {
	FIRST_FD = 1 << 24, /* no real one is so high */
	SEQ_PAGE = 4096,
};

/* What calls cost, in CPU of 2.5 us for a look at one process by a descriptor that is kept. */
enum {
	OPEN_NS = 1200,
	STATM_NS = 2500, /* and the process's part of what a pass does besides */
	STATUS_NS = 6000,
	STAT_NS = 3000,
	OTHER_NS = 2000,
	ENTRY_NS = 200, /* of a directory, and of maps */
	ROLLUP_NS = 8000,
	ROLLUP_PAGE_NS = 22,
	ROLLUP_MAPPING_NS = 50,
	SLICE_NS = 400,
	SLICE_PAGE_NS = 27,
	SLICE_MAPPING_NS = 850,
	OUTLIER = 20,
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

struct kernel_file {
	enum file_kind kind;
	uint32_t pid, image;
	size_t slot;
	uint64_t offset; /* of a text; of the root the slot that is listed next */
	struct files_cursor cursor;
	struct buffer rest; /* of seq_file's, given up to .offset */
};

static struct kernel *kernel; /* the wrapped calls have no other way to know it */

void kernel_init(struct kernel *k, struct host *h)
{
	*k = (struct kernel){
		.host = h,
		.seed = 1,
		.monotonic_ns = 7200 * NS_PER_SEC,
		.stall_ns = UINT64_MAX,
		.max_fds = SIZE_MAX,
		.slowness = 1,
		.noise = 0.2,
		.outliers = 200,
	};
	h->now_ns = k->monotonic_ns;
	kernel_restart_counts(k);
	kernel = k;
}

void kernel_done(struct kernel *k)
{
	for (size_t i = 0; i < k->files; i++) {
		assert(k->file[i].kind == FILE_FREE); /* what is opened is closed */
		buffer_done(&k->file[i].rest);
	}
	free(k->file);
	free(k->slot_of);
	buffer_done(&k->text);
	kernel = NULL;
}

void kernel_restart_counts(struct kernel *k)
{
	k->rollups = k->slices = k->slice_walks = k->walks_ns = 0;
	k->longest_read_ns = k->longest_hold_ns = 0;
	k->stalls = k->giant_holds = 0;
	k->least_giant_gap_ns = UINT64_MAX;
}

void kernel_pass_time(struct kernel *k, uint64_t ns)
{
	k->monotonic_ns += ns;
	k->host->now_ns = k->monotonic_ns + k->suspended_ns;
}

void kernel_suspend(struct kernel *k, uint64_t ns)
{
	k->suspended_ns += ns;
	kernel_pass_time(k, 0);
}

static void use(uint64_t cpu_ns)
{
	kernel->cpu_ns += cpu_ns;
	kernel_pass_time(kernel, cpu_ns);
}

size_t kernel_find(struct kernel *k, uint32_t pid)
{
	const struct host *h = k->host;

	if (pid > h->last_pid)
		return h->slots;
	if (pid >= k->pids || k->slot_of[pid] == UINT32_MAX) {
		if (h->last_pid >= k->pids) {
			size_t pids = 2 * (size_t)h->last_pid + 1024;

			k->slot_of = reallocarray(k->slot_of, pids, sizeof(*k->slot_of));
			if (!k->slot_of)
				abort();
			for (; k->pids < pids; k->pids++)
				k->slot_of[k->pids] = UINT32_MAX;
		}
		for (size_t slot = 0; slot < h->slots; slot++)
			k->slot_of[h->process[slot].pid] = (uint32_t)slot;
	}
	if (k->slot_of[pid] >= h->slots || h->process[k->slot_of[pid]].pid != pid)
		return h->slots;
	return k->slot_of[pid];
}

/* By chances of its own: what happens on the host does not depend on who reads it. */
static uint64_t disturbed(double ns)
{
	ns *= 1 + kernel->noise * (2 * random_part(&kernel->seed) - 1);
	if (kernel->outliers && random_part(&kernel->seed) < 1.0 / kernel->outliers)
		ns *= OUTLIER;
	return (uint64_t)ns;
}

static struct kernel_file *file_of(int fd)
{
	if (fd < FIRST_FD)
		return NULL;
	assert((size_t)(fd - FIRST_FD) < kernel->files);
	assert(kernel->file[fd - FIRST_FD].kind != FILE_FREE);
	return &kernel->file[fd - FIRST_FD];
}

static int new_file(enum file_kind kind, uint32_t pid, size_t slot)
{
	struct kernel *k = kernel;
	struct buffer rest;
	size_t i;

	if (k->open_files == k->max_fds) {
		errno = EMFILE;
		return -1;
	}
	while (k->first_free < k->files && k->file[k->first_free].kind != FILE_FREE)
		k->first_free++;
	i = k->first_free++;
	if (i == k->file_capacity) {
		k->file_capacity = 2 * i + 64;
		k->file = reallocarray(k->file, k->file_capacity, sizeof(*k->file));
		if (!k->file)
			abort();
	}
	if (i == k->files)
		k->file[k->files++] = (struct kernel_file){0};
	rest = k->file[i].rest;
	buffer_clear(&rest);
	k->file[i] = (struct kernel_file){
		.kind = kind,
		.pid = pid,
		.slot = slot,
		.image = pid ? k->host->process[slot].image : 0,
		.rest = rest,
	};
	k->open_files++;
	if (k->open_files > k->most_open_files)
		k->most_open_files = k->open_files;
	return FIRST_FD + (int)i;
}

static bool is_alive(const struct kernel_file *f)
{
	return kernel->host->process[f->slot].pid == f->pid;
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

static int open_below_root(const char *path)
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
		return new_file(kind, 0, 0);
	if (number_parse_u64(path, strlen(path), &pid) == 0 && pid <= UINT32_MAX) {
		slot = kernel_find(kernel, (uint32_t)pid);
		if (slot < kernel->host->slots)
			return new_file(FILE_DIRECTORY, (uint32_t)pid, slot);
	}
	errno = ENOENT;
	return -1;
}

static int open_of_process(const struct kernel_file *f, const char *path)
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

	if (!is_alive(f) || kind == FILE_FREE) {
		errno = is_alive(f) ? ENOENT : ESRCH;
		return -1;
	}
	return new_file(kind, f->pid, f->slot);
}

/* Fills in the text of a file that is read as a whole. */
static void render(const struct kernel_file *f, struct buffer *to)
{
	const struct host *h = kernel->host;

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

/* A read() has held SLOT's lock for NS; its largest mapping alone takes LARGEST_NS. */
static void note_hold(size_t slot, double ns, double largest_ns)
{
	struct host_process *p = &kernel->host->process[slot];
	uint64_t now_ns = kernel->host->now_ns, gap_ns = now_ns - p->held_ns;
	bool is_giant = largest_ns > (double)kernel->stall_ns;

	if (!is_giant && ns > (double)kernel->longest_hold_ns)
		kernel->longest_hold_ns = (uint64_t)ns;
	if (ns <= (double)kernel->stall_ns)
		return;
	if (!is_giant) {
		kernel->stalls++;
		return;
	}
	kernel->giant_holds++;
	if (p->held_ns && gap_ns < kernel->least_giant_gap_ns)
		kernel->least_giant_gap_ns = gap_ns;
	p->held_ns = now_ns;
}

static void note_walk(double ns)
{
	uint64_t cpu_ns = disturbed(ns);

	kernel->walks_ns += cpu_ns;
	if (cpu_ns > kernel->longest_read_ns)
		kernel->longest_read_ns = cpu_ns;
	use(cpu_ns);
}

static void walk(const struct kernel_file *f)
{
	struct host_truth t;
	double ns;

	host_truth(kernel->host, f->slot, &t);
	ns = kernel->slowness * (ROLLUP_NS + ROLLUP_PAGE_NS * (double)t.pages +
					ROLLUP_MAPPING_NS * (double)t.mappings);
	kernel->rollups++;
	note_hold(f->slot, ns, kernel->slowness * SLICE_PAGE_NS * (double)t.largest_pages);
	note_walk(ns);
	kernel->host->process[f->slot].walked_ns = kernel->host->now_ns;
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

static ssize_t read_whole(struct kernel_file *f, void *to, size_t size, uint64_t offset)
{
	struct buffer *text = &kernel->text;
	size_t n;

	if (f->pid && !is_alive(f)) {
		errno = ESRCH;
		return -1;
	}
	render(f, text);
	if (f->kind == FILE_ROLLUP && offset == 0)
		walk(f);
	else
		use(cost_of(f->kind));
	if (offset >= text->len)
		return 0;
	n = text->len - offset < size ? text->len - offset : size;
	memcpy(to, text->data + offset, n);
	return (ssize_t)n;
}

/* Adds whole mappings to what is left over. */
static void read_mappings(struct kernel_file *f, size_t wanted)
{
	bool walks = f->kind == FILE_SMAPS;
	struct files_mapping m;
	double ns = 0, largest_ns = 0;
	uint64_t count = 0;

	while (f->rest.len - f->offset < wanted && f->rest.len < SEQ_PAGE - 800 &&
		files_next(kernel->host, f->slot, &f->cursor, &m)) {
		double one_ns = kernel->slowness * SLICE_PAGE_NS * (double)m.piece.rss /
		                (double)HOST_PAGE;

		count++;
		ns += one_ns + kernel->slowness * SLICE_MAPPING_NS;
		largest_ns = one_ns > largest_ns ? one_ns : largest_ns;
		if (walks)
			files_smap(&m, &f->rest);
		else
			files_map(&m, &f->rest);
	}
	if (!walks) {
		use(count * ENTRY_NS);
		return;
	}
	note_hold(f->slot, ns, largest_ns);
	note_walk(ns + SLICE_NS);
	kernel->slices++;
	if (count == 0 && f->cursor.at == FILES_END) {
		kernel->slice_walks++;
		kernel->host->process[f->slot].walked_ns = kernel->host->now_ns;
	}
}

static ssize_t read_seq(struct kernel_file *f, void *to, size_t size)
{
	size_t n;

	if (!is_alive(f)) {
		errno = ESRCH;
		return -1;
	}
	/* It goes on with the address space that was opened, which is no more. */
	if (kernel->host->process[f->slot].image != f->image)
		return 0;
	if (f->offset == f->rest.len) {
		buffer_clear(&f->rest);
		f->offset = 0;
	}
	if (f->rest.len - f->offset < size)
		read_mappings(f, size);
	n = f->rest.len - f->offset < size ? f->rest.len - f->offset : size;
	memcpy(to, f->rest.data ? f->rest.data + f->offset : "", n);
	f->offset += n;
	return (ssize_t)n;
}

struct dirent_header { /* what getdents64 fills in; <dirent.h> has no name for it */
	uint64_t ino;
	int64_t off;
	unsigned short reclen;
	unsigned char type;
	char name[13];
};

/* In no order of pids: whoever reads it has to sort. */
static long list(struct kernel_file *f, char *to, size_t size)
{
	const struct host *h = kernel->host;
	size_t used = 0;

	for (; f->offset < h->slots && used + sizeof(struct dirent_header) <= size; f->offset++) {
		struct dirent_header e = {.reclen = sizeof(e)};

		if (!h->process[f->offset].pid)
			continue;
		snprintf(e.name, sizeof(e.name), "%u", h->process[f->offset].pid);
		memcpy(to + used, &e, sizeof(e));
		used += sizeof(e);
	}
	use(used / sizeof(struct dirent_header) * ENTRY_NS);
	return (long)used;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_openat(int dirfd, const char *path, int flags, ...);
int __wrap_openat(int dirfd, const char *path, int flags, ...);
int __real_close(int fd);
int __wrap_close(int fd);
ssize_t __real_read(int fd, void *to, size_t size);
ssize_t __wrap_read(int fd, void *to, size_t size);
ssize_t __real_pread(int fd, void *to, size_t size, off_t offset);
ssize_t __wrap_pread(int fd, void *to, size_t size, off_t offset);
off_t __real_lseek(int fd, off_t offset, int whence);
off_t __wrap_lseek(int fd, off_t offset, int whence);
ssize_t __real_readlinkat(int dirfd, const char *path, char *to, size_t size);
ssize_t __wrap_readlinkat(int dirfd, const char *path, char *to, size_t size);
int __real_faccessat(int dirfd, const char *path, int mode, int flags);
int __wrap_faccessat(int dirfd, const char *path, int mode, int flags);
int __real_fstat(int fd, struct stat *ret);
int __wrap_fstat(int fd, struct stat *ret);
int __real_fstatfs(int fd, struct statfs *ret);
int __wrap_fstatfs(int fd, struct statfs *ret);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
int __real_clock_gettime(clockid_t clock, struct timespec *ret);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);
int __real_getrlimit(int resource, struct rlimit *ret);
int __wrap_getrlimit(int resource, struct rlimit *ret);
ssize_t __wrap_getrandom(void *to, size_t size, unsigned int flags);
long __real_sysconf(int name);
long __wrap_sysconf(int name);

/* Nothing here makes files, so that there is no mode to hand on. */
int __wrap_open(const char *path, int flags, ...)
{
	if (strcmp(path, KERNEL_PROC) != 0)
		return __real_open(path, flags);
	return new_file(FILE_ROOT, 0, 0);
}

int __wrap_openat(int dirfd, const char *path, int flags, ...)
{
	const struct kernel_file *f = file_of(dirfd);

	if (!f)
		return __real_openat(dirfd, path, flags);
	use(OPEN_NS);
	return f->kind == FILE_ROOT ? open_below_root(path) : open_of_process(f, path);
}

int __wrap_close(int fd)
{
	struct kernel_file *f = file_of(fd);

	if (!f)
		return __real_close(fd);
	f->kind = FILE_FREE;
	kernel->open_files--;
	if ((size_t)(f - kernel->file) < kernel->first_free)
		kernel->first_free = (size_t)(f - kernel->file);
	return 0;
}

ssize_t __wrap_read(int fd, void *to, size_t size)
{
	struct kernel_file *f = file_of(fd);
	ssize_t n;

	if (!f)
		return __real_read(fd, to, size);
	if (f->kind == FILE_SMAPS || f->kind == FILE_MAPS)
		return read_seq(f, to, size);
	n = read_whole(f, to, size, f->offset);
	f->offset += n > 0 ? (uint64_t)n : 0;
	return n;
}

ssize_t __wrap_pread(int fd, void *to, size_t size, off_t offset)
{
	struct kernel_file *f = file_of(fd);

	return f ? read_whole(f, to, size, (uint64_t)offset) : __real_pread(fd, to, size, offset);
}

off_t __wrap_lseek(int fd, off_t offset, int whence)
{
	struct kernel_file *f = file_of(fd);

	if (!f)
		return __real_lseek(fd, offset, whence);
	assert(whence == SEEK_SET && offset == 0);
	f->offset = 0;
	return 0;
}

ssize_t __wrap_readlinkat(int dirfd, const char *path, char *to, size_t size)
{
	if (!file_of(dirfd))
		return __real_readlinkat(dirfd, path, to, size);
	errno = ENOENT;
	return -1;
}

int __wrap_faccessat(int dirfd, const char *path, int mode, int flags)
{
	return file_of(dirfd) ? 0 : __real_faccessat(dirfd, path, mode, flags);
}

/* It is not told which file system it is: nobody then compares address spaces by the real kernel. */
int __wrap_fstat(int fd, struct stat *ret)
{
	if (!file_of(fd))
		return __real_fstat(fd, ret);
	errno = ENOSYS;
	return -1;
}

int __wrap_fstatfs(int fd, struct statfs *ret)
{
	if (!file_of(fd))
		return __real_fstatfs(fd, ret);
	errno = ENOSYS;
	return -1;
}

long __wrap_syscall(long number, ...)
{
	struct kernel_file *f;
	long a[6];
	va_list list_of;

	va_start(list_of, number);
	for (size_t i = 0; i < 6; i++)
		a[i] = va_arg(list_of, long);
	va_end(list_of);
	f = number == SYS_getdents64 ? file_of((int)a[0]) : NULL;
	if (f)
		return list(f, (char *)a[1], (size_t)a[2]);
	return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	uint64_t ns;

	if (!kernel)
		return __real_clock_gettime(clock, ret);
	switch (clock) {
	case CLOCK_MONOTONIC: ns = kernel->monotonic_ns; break;
	case CLOCK_BOOTTIME: ns = kernel->monotonic_ns + kernel->suspended_ns; break;
	case CLOCK_THREAD_CPUTIME_ID:
	case CLOCK_PROCESS_CPUTIME_ID: ns = kernel->cpu_ns; break;
	default:
		ns = UINT64_C(1700000000) * NS_PER_SEC + kernel->monotonic_ns +
		     kernel->suspended_ns + (uint64_t)kernel->wall_ns;
	}
	*ret = (struct timespec){
		.tv_sec = (time_t)(ns / NS_PER_SEC), .tv_nsec = (long)(ns % NS_PER_SEC)};
	return 0;
}

int __wrap_getrlimit(int resource, struct rlimit *ret)
{
	if (!kernel || resource != RLIMIT_NOFILE)
		return __real_getrlimit(resource, ret);
	*ret = (struct rlimit){kernel->max_fds, kernel->max_fds};
	return 0;
}

/* The same in every run. */
ssize_t __wrap_getrandom(void *to, size_t size, unsigned int flags)
{
	(void)flags;
	memset(to, 0x5a, size);
	return (ssize_t)size;
}

long __wrap_sysconf(int name)
{
	switch (name) {
	case _SC_PAGESIZE: return (long)HOST_PAGE;
	case _SC_CLK_TCK: return 100;
	case _SC_NPROCESSORS_ONLN: return 2;
	default: return __real_sysconf(name);
	}
}
