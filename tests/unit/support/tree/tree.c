/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/tree/tree.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "tests/unit/support/folder.h"

enum {
	TREE_PATH_MAX = 256,
	TREE_TEXT_MAX = 4096,
};

static struct tree_event *expected;
static unsigned int expected_count;

int __real_openat(int dirfd, const char *path, int flags, ...);
int __wrap_openat(int dirfd, const char *path, int flags, ...);

void tree_expect(struct tree_event *events, unsigned int count)
{
	expected = events;
	expected_count = count;
	for (unsigned int i = 0; i < count; i++)
		events[i].count = 0;
}

static bool ends_with(const char *path, const char *suffix)
{
	size_t len = strlen(path), suffix_len = strlen(suffix);

	return len >= suffix_len && !strcmp(path + len - suffix_len, suffix);
}

/* The product only reads with openat(), so O_CREAT and its mode need no handling. */
int __wrap_openat(int dirfd, const char *path, int flags, ...)
{
	for (unsigned int i = 0; i < expected_count; i++) {
		struct tree_event *e = &expected[i];

		if (!ends_with(path, e->suffix))
			continue;
		e->count++;
		if (e->nth && e->nth != e->count)
			continue;
		if (e->call)
			e->call(e->to);
		if (e->error) {
			errno = e->error;
			return -1;
		}
	}
	return __real_openat(dirfd, path, flags);
}

void tree_open(struct tree *t)
{
	snprintf(t->path, sizeof(t->path), "test-tree-XXXXXX");
	assert_non_null(mkdtemp(t->path));
	t->fd = open(t->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(t->fd >= 0);
}

void tree_done(struct tree *t)
{
	t->fd = fd_close(t->fd);
	folder_remove(t->path);
}

void tree_remove(const struct tree *t, const char *path)
{
	char whole[TREE_PATH_MAX];

	snprintf(whole, sizeof(whole), "%s/%s", t->path, path);
	folder_remove(whole);
}

static void make_folders(const struct tree *t, const char *path)
{
	char folder[TREE_PATH_MAX];

	for (const char *slash = path; (slash = strchr(slash, '/')); slash++) {
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path);
		if (mkdirat(t->fd, folder, 0700) < 0)
			assert_int_equal(errno, EEXIST);
	}
}

static void write_bytes(const struct tree *t, const char *path, const char *bytes, size_t len)
{
	AUTO_CLOSE int fd = -1;

	make_folders(t, path);
	fd = __real_openat(t->fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), (ssize_t)len);
}

void tree_write(const struct tree *t, const char *path, const char *text)
{
	write_bytes(t, path, text, strlen(text));
}

static void write_below(
	const struct tree *t, const char *folder, const char *file, const char *text)
{
	char path[TREE_PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	tree_write(t, path, text);
}

static void write_status(const struct tree *t, const char *folder, const struct tree_process *p)
{
	char text[TREE_TEXT_MAX];
	int n = snprintf(text, sizeof(text),
		"Name:\t%s\nUmask:\t0022\nState:\t%c (state)\nTgid:\t%d\nPid:\t%d\nPPid:\t%d\n"
		"Uid:\t%u\t%u\t%u\t%u\nGid:\t0\t0\t0\t0\n",
		p->name, p->state ? p->state : 'S', p->pid, p->pid, p->parent, p->uid, p->uid,
		p->uid, p->uid);

	if (p->rss_kib)
		n += snprintf(text + n, sizeof(text) - (size_t)n,
			"VmPeak:\t%llu kB\nVmSize:\t%llu kB\nVmHWM:\t%llu kB\nVmRSS:\t%llu kB\n"
			"VmPTE:\t64 kB\nVmSwap:\t%llu kB\n",
			(unsigned long long)p->rss_kib * 4, (unsigned long long)p->rss_kib * 3,
			(unsigned long long)(p->hwm_kib ? p->hwm_kib : p->rss_kib),
			(unsigned long long)p->rss_kib, (unsigned long long)p->swap_kib);
	if (p->shmem_kib)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "RssShmem:\t%llu kB\n",
			(unsigned long long)p->shmem_kib);
	snprintf(text + n, sizeof(text) - (size_t)n, "Threads:\t%u\n", p->threads ? p->threads : 1);
	write_below(t, folder, "status", text);
}

static void write_stat(const struct tree *t, const char *folder, const struct tree_process *p)
{
	char text[TREE_TEXT_MAX];

	snprintf(text, sizeof(text),
		"%d (%s) %c %d 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 %llu 23 24 25 %llu 27 28 "
		"29\n",
		p->pid, p->name, p->state ? p->state : 'S', p->parent,
		(unsigned long long)(p->start_ticks ? p->start_ticks : (uint64_t)p->pid),
		(unsigned long long)p->image);
	write_below(t, folder, "stat", text);
}

/* The first address of the text range, different for each image. */
static uint64_t first_address(const struct tree_process *p)
{
	return 0x1000 * (p->image + 1);
}

static unsigned long long end_address(const struct tree_process *p)
{
	return 0x7ff000000000 + 0x1000 * p->end_pages;
}

static void write_rollup(const struct tree *t, const char *folder, const struct tree_process *p)
{
	char text[TREE_TEXT_MAX];

	snprintf(text, sizeof(text),
		"%llx-%llx ---p 00000000 00:00 0                          [rollup]\n"
		"Rss:            %llu kB\nPss:            %llu kB\n"
		"Shared_Clean:   %llu kB\nShared_Dirty:          0 kB\n"
		"Private_Clean:         0 kB\nPrivate_Dirty:  %llu kB\nSwapPss:        %llu kB\n",
		(unsigned long long)first_address(p), end_address(p),
		(unsigned long long)p->rss_kib, (unsigned long long)p->pss_kib,
		(unsigned long long)(p->rss_kib - p->uss_kib), (unsigned long long)p->uss_kib,
		(unsigned long long)p->swap_kib);
	write_below(t, folder, "smaps_rollup", p->rss_kib ? text : "");
}

static void write_cmdline(const struct tree *t, const char *folder, const struct tree_process *p)
{
	char path[TREE_PATH_MAX];
	size_t len = strlen(p->cmdline);
	AUTO_FREE char *bytes = strdup(p->cmdline);

	assert_non_null(bytes);
	for (size_t i = 0; i < len; i++)
		if (bytes[i] == ' ')
			bytes[i] = 0;
	snprintf(path, sizeof(path), "%s/cmdline", folder);
	write_bytes(t, path, bytes, len ? len + 1 : 0);
}

void tree_add_at(const struct tree *t, const char *path, const struct tree_process *p)
{
	char text[TREE_PATH_MAX];

	write_status(t, path, p);
	write_stat(t, path, p);
	write_rollup(t, path, p);
	if (p->cgroup) {
		snprintf(text, sizeof(text), "0::%s\n", p->cgroup);
		write_below(t, path, "cgroup", text);
	}
	if (p->cmdline)
		write_cmdline(t, path, p);
	if (p->exe) {
		snprintf(text, sizeof(text), "%s/exe", path);
		unlinkat(t->fd, text, 0);
		assert_int_equal(symlinkat(p->exe, t->fd, text), 0);
	}
}

void tree_add(const struct tree *t, const struct tree_process *p)
{
	char folder[16];

	snprintf(folder, sizeof(folder), "%d", p->pid);
	tree_add_at(t, folder, p);
}

void tree_add_smaps(const struct tree *t, const struct tree_process *p)
{
	char text[TREE_TEXT_MAX], path[32];

	snprintf(text, sizeof(text),
		"%llx-7f0000000000 r-xp 00000000 00:00 0    /x\nRss: %llu kB\nPss: %llu kB\n"
		"Shared_Clean: %llu kB\nShared_Dirty: 0 kB\nPrivate_Clean: 0 kB\n"
		"Private_Dirty: 0 kB\nSwapPss: 0 kB\n"
		"7fe000000000-7ff000000000 rw-p 00000000 00:00 0\nRss: %llu kB\nPss: %llu kB\n"
		"Shared_Clean: 0 kB\nShared_Dirty: 0 kB\nPrivate_Clean: 0 kB\n"
		"Private_Dirty: %llu kB\nSwapPss: %llu kB\n",
		(unsigned long long)first_address(p), (unsigned long long)(p->rss_kib - p->uss_kib),
		(unsigned long long)(p->pss_kib - p->uss_kib),
		(unsigned long long)(p->rss_kib - p->uss_kib), (unsigned long long)p->uss_kib,
		(unsigned long long)p->uss_kib, (unsigned long long)p->uss_kib,
		(unsigned long long)p->swap_kib);
	snprintf(path, sizeof(path), "%d/smaps", p->pid);
	tree_write(t, path, text);
}

void tree_set_faults(const struct tree *t, pid_t pid, unsigned int faults)
{
	char path[32], text[256];

	snprintf(path, sizeof(path), "%d/stat", pid);
	snprintf(text, sizeof(text),
		"%d (worker) S 0 4 4 0 -1 4194560 %u 0 0 0 1 2 0 0 20 0 1 0 0 1000000 25 "
		"18446744073709551615 99 100 99 0 0 0\n",
		pid, faults);
	tree_write(t, path, text);
}
