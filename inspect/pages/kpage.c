/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/pages/kpage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/os/file.h"

enum {
	/*
	 * Frames of a read for a single one: the kernel looks at each frame that is read (48 ns,
	 * Linux 6.18).
	 */
	KPAGE_ALONE = 16,
	/* A gap of as many frames takes as long to read as a read() of its own. */
	KPAGE_APART = 32,
};

int kpage_open(int procfs_fd, struct kpage *ret)
{
	AUTO_CLOSE int counts = openat(procfs_fd, "kpagecount", O_RDONLY | O_CLOEXEC);
	AUTO_CLOSE int flags = counts < 0 ? -1
	                                  : openat(procfs_fd, "kpageflags", O_RDONLY | O_CLOEXEC);

	if (flags < 0)
		return -errno;
	ret->counts.fd = TAKE_FD(counts);
	ret->flags.fd = TAKE_FD(flags);
	kpage_forget(ret);
	return 0;
}

void kpage_close(struct kpage *f)
{
	cleanup_close(&f->counts.fd);
	cleanup_close(&f->flags.fd);
}

void kpage_forget(struct kpage *f)
{
	f->counts.count = 0;
	f->flags.count = 0;
}

static int read_span(struct kpage_file *file, uint64_t frame, size_t wanted)
{
	ssize_t len;

	file->count = 0;
	if (frame > INT64_MAX / sizeof(*file->value))
		return -ENXIO;
	len = file_read_at(file->fd, file->value, wanted * sizeof(*file->value),
		(off_t)(frame * sizeof(*file->value)));
	if (len < 0)
		return (int)len;
	file->first = frame;
	file->count = (size_t)len / sizeof(*file->value);
	return file->count ? 0 : -ENXIO;
}

static int read_from(struct kpage_file *file, uint64_t frame)
{
	bool follows = file->count && frame == file->first + file->count;

	return read_span(file, frame, follows ? KPAGE_WINDOW : KPAGE_ALONE);
}

static int kpage_look(struct kpage_file *file, uint64_t frame, uint64_t *ret)
{
	int r = frame - file->first < file->count ? 0 : read_from(file, frame);

	if (r == 0)
		*ret = file->value[frame - file->first];
	return r;
}

int kpage_count(struct kpage *f, uint64_t frame, uint64_t *ret)
{
	return kpage_look(&f->counts, frame, ret);
}

int kpage_flags(struct kpage *f, uint64_t frame, uint64_t *ret)
{
	return kpage_look(&f->flags, frame, ret);
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

	while (n < count && query[n].frame - query[n - 1].frame <= KPAGE_APART &&
		query[n].frame - query[0].frame < KPAGE_WINDOW)
		n++;
	return n;
}

static int kpage_answer(struct kpage *f, struct kpage_query *q)
{
	int r = kpage_look(&f->counts, q->frame, &q->mappings);

	if (r == 0)
		r = kpage_look(&f->flags, q->frame, &q->flags);
	q->is_none = r == -ENXIO;
	return q->is_none ? 0 : r;
}

int kpage_ask(struct kpage *f, struct kpage_query *query, size_t count)
{
	int r = 0;

	if (count)
		qsort(query, count, sizeof(*query), by_frame);
	for (size_t i = 0, n; r == 0 && i < count; i += n) {
		uint64_t first = query[i].frame;
		size_t wanted;

		n = kpage_span_of(query + i, count - i);
		wanted = (size_t)(query[i + n - 1].frame - first) + 1;
		r = read_span(&f->counts, first, wanted);
		if (r == 0)
			r = read_span(&f->flags, first, wanted);
		r = r == -ENXIO ? 0 : r;
		for (size_t j = i; r == 0 && j < i + n; j++)
			r = kpage_answer(f, &query[j]);
	}
	return r;
}
