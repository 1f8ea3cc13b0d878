/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "recorder/archive/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/text.h"
#include "recorder/archive/segment-list.h"
#include "recorder/archive/segment.h"
#include "recorder/archive/sync-schedule.h"
#include "recorder/archive/tier.h"
#include "snapshot/past.h"

enum {
	SYNC_SECONDS = 5,
	PERCENT = 100,
};

struct archive {
	char *directory; /* owned: for messages */
	int dirfd;       /* owned; locked */
	struct archive_limits limits;
	struct tier tier[ARCHIVE_TIERS];
	size_t tiers; /* initialized */
	struct sync_schedule schedule;
	struct archive_counts counts; /* of the snapshots */
	char reason[ARCHIVE_REASON_SIZE];
};

struct archive_limits archive_default_limits(uint64_t bytes)
{
	return (struct archive_limits){
		.bytes = bytes,
		.tier = {{.span_ns = 0, .percent = 50}, {.span_ns = 60 * NS_PER_SEC, .percent = 30},
			{.span_ns = 300 * NS_PER_SEC, .percent = 20}},
		.sync_ns = SYNC_SECONDS * NS_PER_SEC,
	};
}

static bool are_limits(const struct archive_limits *l)
{
	uint64_t percent = 0;

	for (size_t i = 0; i < ARCHIVE_TIERS; i++)
		percent += l->tier[i].percent;
	return l->bytes >= ARCHIVE_BYTES_MIN && l->bytes <= INT64_MAX && percent <= PERCENT &&
	       l->tier[0].percent;
}

/* Writes the message "WHAT DIRECTORY/NAME: ERROR". */
static void write_reason(char reason[static ARCHIVE_REASON_SIZE], const char *what,
	const char *directory, const char *name, int error)
{
	AUTO_BUFFER struct buffer path = {0};

	text_add_clean(&path, directory, strlen(directory));
	buffer_add_char(&path, '\0');
	snprintf(reason, ARCHIVE_REASON_SIZE, "%s %s%s%s: %s", what,
		path.error ? "the archive" : path.data, name ? "/" : "", name ? name : "",
		error == -EWOULDBLOCK ? "another process records there" : strerror(-error));
}

static int archive_init(struct archive *a, const char *directory, const char **ret_what)
{
	AUTO_SEGMENT_LIST struct segment_list list = {0};
	int r;

	*ret_what = "cannot record in";
	a->directory = strdup(directory);
	if (!a->directory)
		return -ENOMEM;
	a->dirfd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (a->dirfd < 0 || flock(a->dirfd, LOCK_EX | LOCK_NB) < 0)
		return -errno;
	r = segment_list_read(a->dirfd, &list);
	for (; r == 0 && a->tiers < ARCHIVE_TIERS; a->tiers++) {
		const struct archive_tier_limits *l = &a->limits.tier[a->tiers];

		r = tier_init(&a->tier[a->tiers], a->dirfd, (unsigned int)a->tiers, l->span_ns,
			a->limits.bytes / PERCENT * l->percent, &list);
	}
	return r;
}

int archive_open(const char *directory, const struct archive_limits *limits, struct archive **ret,
	char reason[static ARCHIVE_REASON_SIZE])
{
	AUTO_ARCHIVE struct archive *a = NULL;
	const char *what = "impossible limits for";
	int r = -EINVAL;

	if (are_limits(limits)) {
		what = "cannot record in";
		a = calloc(1, sizeof(*a));
		r = -ENOMEM;
	}
	if (a) {
		a->dirfd = -1;
		a->limits = *limits;
		r = archive_init(a, directory, &what);
	}
	if (r < 0) {
		write_reason(reason, what, directory, NULL, r);
		return r;
	}
	*ret = TAKE_PTR(a);
	return 0;
}

struct archive *archive_close(struct archive *a)
{
	if (!a)
		return NULL;
	for (size_t i = 0; i < a->tiers; i++)
		tier_done(&a->tier[i]);
	fd_close(a->dirfd);
	free(a->directory);
	free(a);
	return NULL;
}

/* Keeps the reason why T failed with ERROR. */
static void archive_explain(struct archive *a, const struct tier *t, int error)
{
	char name[SEGMENT_NAME_SIZE];

	segment_name(t->tier, t->failed_number, name);
	write_reason(a->reason, t->what ? t->what : "cannot record in", a->directory,
		t->what ? name : NULL, error);
}

int archive_add(struct archive *a, const struct view *view, uint32_t marks, uint64_t now_ns)
{
	bool is_urgent = marks & PAST_MARK_OOM;
	int r = 0;

	for (size_t i = 0; i < ARCHIVE_TIERS; i++) {
		struct tier *t = &a->tier[i];
		int failure;

		if (!a->limits.tier[i].percent ||
			!tier_slot_wants(&t->slot, view->header->realtime_ns, marks))
			continue;
		failure = tier_add(t, view, marks);
		if (failure < 0 && r == 0) {
			r = failure;
			archive_explain(a, t, r);
		}
		sync_schedule_add(&a->schedule, now_ns, is_urgent ? 0 : a->limits.sync_ns);
	}
	a->counts.snapshots += r == 0;
	a->counts.failures += r < 0;
	return r;
}

const char *archive_reason(const struct archive *a)
{
	return a->reason;
}

uint64_t archive_due_ns(const struct archive *a)
{
	return sync_schedule_due_ns(&a->schedule);
}

/* Synchronizes the names of new files. Returns 0 or a negative errno of fsync(). */
static int sync_names(struct archive *a)
{
	bool has_new_name = false;

	for (size_t i = 0; i < ARCHIVE_TIERS; i++)
		has_new_name |= a->tier[i].has_new_name;
	if (has_new_name && fsync(a->dirfd) < 0)
		return -errno;
	for (size_t i = 0; i < ARCHIVE_TIERS; i++)
		a->tier[i].has_new_name = false;
	return 0;
}

int archive_sync(struct archive *a, uint64_t now_ns)
{
	uint64_t since_ns = now_ns == UINT64_MAX ? archive_due_ns(a) : now_ns;
	int r = 0, failure;

	if (now_ns < archive_due_ns(a) || !a->schedule.is_waiting)
		return 0;
	a->schedule = (struct sync_schedule){0};
	for (size_t i = 0; i < ARCHIVE_TIERS; i++) {
		failure = tier_sync(&a->tier[i]);
		if (failure < 0 && r == 0) {
			r = failure;
			archive_explain(a, &a->tier[i], r);
		}
	}
	failure = sync_names(a);
	if (failure < 0)
		sync_schedule_add(&a->schedule, since_ns, a->limits.sync_ns);
	if (failure < 0 && r == 0) {
		r = failure;
		write_reason(a->reason, "cannot synchronize", a->directory, NULL, r);
	}
	return r;
}

struct archive_counts archive_counts(const struct archive *a)
{
	struct archive_counts c = a->counts;

	for (size_t i = 0; i < ARCHIVE_TIERS; i++) {
		c.records += a->tier[i].counts.records;
		c.keys += a->tier[i].counts.keys;
		c.record_bytes += a->tier[i].counts.record_bytes;
		c.removed += a->tier[i].counts.removed;
		c.bytes += a->tier[i].bytes;
	}
	return c;
}
