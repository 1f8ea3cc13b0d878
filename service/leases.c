/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How leases are watched
 *
 * A memfd has no name, so the kernel reports its removal (IN_DELETE_SELF, then IN_IGNORED) when the
 * last reference to it goes: descriptors, those in flight in a socket, mappings, and descriptors by
 * O_PATH. A lease (F_SETLEASE) would miss some: since Linux 5.3 it is granted by the number of
 * openers for reading or writing, so a client that opens /proc/self/fd/N with O_PATH, and closes N,
 * keeps the memory unseen. inotify also needs no descriptor of our own for each image.
 *
 * Not seen are pages that were moved into a pipe or a socket by splice() or sendfile() before all
 * else was closed: these keep the pages and not the file.
 */
#include "config.h"

#include "service/leases.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

/* Groups of owners, each with a limit of its own. */
enum leases_group { LEASES_OF_STRANGERS, LEASES_OF_PRIVILEGED, LEASES_OF_SERVICE };

static const struct bound {
	unsigned int sure, most;
} bounds[] = {
	[LEASES_OF_STRANGERS] = {1, LEASES_STRANGERS_MAX},
	[LEASES_OF_PRIVILEGED] = {LEASES_PRIVILEGED_SURE, LEASES_PRIVILEGED_MAX},
	[LEASES_OF_SERVICE] = {LEASES_PRIVILEGED_SURE, LEASES_SERVICE_MAX},
};

void leases_init(struct leases *l)
{
	*l = (struct leases){.fd = -1};
}

void leases_done(struct leases *l)
{
	l->fd = fd_close(l->fd);
	l->count = 0;
}

static void leases_forget(struct leases *l, int watch)
{
	for (unsigned int i = 0; i < l->count; i++)
		if (l->image[i].watch == watch) {
			l->image[i] = l->image[--l->count];
			return;
		}
}

/* Two events for each image are far fewer than the kernel queues (fs.inotify.max_queued_events). */
static void leases_take_back(struct leases *l)
{
	char events[64 * sizeof(struct inotify_event)];
	struct inotify_event event;
	ssize_t n;

	while (l->fd >= 0 && (n = read(l->fd, events, sizeof(events))) > 0)
		for (ssize_t at = 0; at + (ssize_t)sizeof(event) <= n;
			at += (ssize_t)(sizeof(event) + event.len)) {
			memcpy(&event, events + at, sizeof(event));
			if (event.mask & IN_IGNORED)
				leases_forget(l, event.wd);
		}
}

static enum leases_group leases_group_of(int64_t owner)
{
	return owner == LEASES_PRIVILEGED ? LEASES_OF_PRIVILEGED
	       : owner == LEASES_SERVICE  ? LEASES_OF_SERVICE
	                                  : LEASES_OF_STRANGERS;
}

void leases_sum(struct leases *l, int64_t owner, struct leases_sum *ret)
{
	leases_take_back(l);
	*ret = (struct leases_sum){0};
	for (const struct leases_image *i = l->image; i < l->image + l->count; i++)
		if (leases_group_of(i->owner) == leases_group_of(owner)) {
			ret->count++;
			ret->bytes += i->bytes;
		}
}

bool leases_is_crowded(struct leases *l)
{
	struct leases_sum sum;

	leases_sum(l, LEASES_TOGETHER, &sum);
	return sum.count >= LEASES_STRANGERS_MAX / 2 || sum.bytes >= LEASES_BYTES / 2;
}

int leases_fits(int64_t owner, const struct leases_sum *sum, unsigned int of_user, uint64_t bytes)
{
	const struct bound *bound = &bounds[leases_group_of(owner)];

	if (owner >= 0 && of_user >= LEASES_USER_MAX)
		return LEASES_USER_FULL;
	if (sum->count < bound->sure)
		return 0;
	return sum->count < bound->most && sum->bytes + bytes <= LEASES_BYTES ? 0 : LEASES_FULL;
}

static int leases_judge_size(struct leases *l, int64_t owner, uint64_t bytes)
{
	unsigned int of_user = 0;
	struct leases_sum sum;

	leases_sum(l, owner, &sum);
	for (unsigned int i = 0; i < l->count; i++)
		of_user += l->image[i].owner == owner;
	return leases_fits(owner, &sum, of_user, bytes);
}

static int leases_size_of(int fd, uint64_t *ret)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	*ret = (uint64_t)st.st_size;
	return 0;
}

int leases_judge(struct leases *l, int64_t owner, int fd)
{
	uint64_t bytes = 0;
	int r = leases_size_of(fd, &bytes);

	return r < 0 ? r : leases_judge_size(l, owner, bytes);
}

/*
 * Opened when it is first needed, after root was given up: an inotify instance counts for the uid
 * that opens it, and root may have no more of them.
 */
static int open_watches(struct leases *l)
{
	if (l->fd < 0)
		l->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	return l->fd < 0 ? -errno : 0;
}

int leases_add(struct leases *l, int64_t owner, int fd)
{
	char path[sizeof("/proc/self/fd/") + 11];
	int r, watch;
	uint64_t bytes = 0;

	r = leases_size_of(fd, &bytes);
	if (r == 0)
		r = leases_judge_size(l, owner, bytes);
	if (r == 0)
		r = open_watches(l);
	if (r != 0)
		return r;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	watch = inotify_add_watch(l->fd, path, IN_DELETE_SELF);
	if (watch < 0)
		return -errno;
	l->image[l->count++] = (struct leases_image){
		.watch = watch, .owner = owner, .bytes = bytes};
	return 0;
}
