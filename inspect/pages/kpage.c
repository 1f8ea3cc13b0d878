/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/pages/kpage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "base/os/file.h"

enum {
	/* Frames that one read serves. */
	WINDOW = 512,
	/* A gap of as many frames takes as long to read as a read() of its own. */
	APART = 32,
};

int kpage_open(int procfs_fd, struct kpage *ret)
{
	AUTO_CLOSE int counts = openat(procfs_fd, "kpagecount", O_RDONLY | O_CLOEXEC);
	AUTO_CLOSE int flags = counts < 0 ? -1
	                                  : openat(procfs_fd, "kpageflags", O_RDONLY | O_CLOEXEC);

	if (flags < 0)
		return -errno;
	ret->counts = TAKE_FD(counts);
	ret->flags = TAKE_FD(flags);
	return 0;
}

void kpage_close(struct kpage *f)
{
	cleanup_close(&f->counts);
	cleanup_close(&f->flags);
}

int kpage_read(int fd, uint64_t first, uint64_t *to, size_t count, size_t *ret_count)
{
	ssize_t len = 0;

	if (first <= INT64_MAX / sizeof(*to))
		len = file_read_at(fd, to, count * sizeof(*to), (off_t)(first * sizeof(*to)));
	if (len < 0)
		return (int)len;
	*ret_count = (size_t)len / sizeof(*to);
	return 0;
}

static int by_frame(const void *a, const void *b)
{
	const struct kpage_query *x = a, *y = b;

	return (x->frame > y->frame) - (x->frame < y->frame);
}

/* Returns the number of queries, from the first on, that one read serves. */
static size_t kpage_span_of(const struct kpage_query *query, size_t count)
{
	size_t n = 1;

	while (n < count && query[n].frame - query[n - 1].frame <= APART &&
		query[n].frame - query[0].frame < WINDOW)
		n++;
	return n;
}

/* Answers COUNT queries, which one read of each file serves. */
static int kpage_answer(const struct kpage *f, struct kpage_query *query, size_t count)
{
	uint64_t first = query[0].frame, mappings[WINDOW], flags[WINDOW];
	size_t wanted = (size_t)(query[count - 1].frame - first) + 1, counts_read = 0,
	       flags_read = 0;
	int r = kpage_read(f->counts, first, mappings, wanted, &counts_read);

	if (r == 0)
		r = kpage_read(f->flags, first, flags, wanted, &flags_read);
	if (r < 0)
		return r;
	for (size_t i = 0; i < count; i++) {
		size_t at = (size_t)(query[i].frame - first);

		query[i].is_none = at >= counts_read || at >= flags_read;
		if (query[i].is_none)
			continue;
		query[i].mappings = mappings[at];
		query[i].flags = flags[at];
	}
	return 0;
}

int kpage_ask(const struct kpage *f, struct kpage_query *query, size_t count)
{
	int r = 0;

	if (count)
		qsort(query, count, sizeof(*query), by_frame);
	for (size_t i = 0, n; r == 0 && i < count; i += n) {
		n = kpage_span_of(query + i, count - i);
		r = kpage_answer(f, query + i, n);
	}
	return r;
}
