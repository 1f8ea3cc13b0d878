/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inside/frames.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

/* The kernel looks at each frame that is asked for (48 ns, Linux 6.18), so one by itself takes few others along. */
enum { FRAMES_ALONE = 16 };

int frames_open(int procfs_fd, struct frames *ret)
{
	AUTO_CLOSE int counts = openat(procfs_fd, "kpagecount", O_RDONLY | O_CLOEXEC);
	AUTO_CLOSE int flags = counts < 0 ? -1
	                                  : openat(procfs_fd, "kpageflags", O_RDONLY | O_CLOEXEC);

	if (flags < 0)
		return -errno;
	ret->counts.fd = TAKE_FD(counts);
	ret->flags.fd = TAKE_FD(flags);
	frames_forget(ret);
	return 0;
}

void frames_close(struct frames *f)
{
	cleanup_close(&f->counts.fd);
	cleanup_close(&f->flags.fd);
}

void frames_forget(struct frames *f)
{
	f->counts.count = 0;
	f->flags.count = 0;
}

static int read_from(struct frames_file *file, uint64_t frame)
{
	bool follows = file->count && frame == file->first + file->count;
	size_t wanted = follows ? FRAMES_WINDOW : FRAMES_ALONE;
	ssize_t len;

	file->count = 0;
	if (frame > INT64_MAX / sizeof(*file->value))
		return -ENXIO;
	len = pread(file->fd, file->value, wanted * sizeof(*file->value),
		(off_t)(frame * sizeof(*file->value)));
	if (len < 0)
		return -errno;
	file->first = frame;
	file->count = (size_t)len / sizeof(*file->value);
	return file->count ? 0 : -ENXIO;
}

static int look(struct frames_file *file, uint64_t frame, uint64_t *ret)
{
	int r = frame - file->first < file->count ? 0 : read_from(file, frame);

	if (r == 0)
		*ret = file->value[frame - file->first];
	return r;
}

int frames_count(struct frames *f, uint64_t frame, uint64_t *ret)
{
	return look(&f->counts, frame, ret);
}

int frames_flags(struct frames *f, uint64_t frame, uint64_t *ret)
{
	return look(&f->flags, frame, ret);
}
