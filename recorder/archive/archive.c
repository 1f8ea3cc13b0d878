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
#include "recorder/archive/syncer.h"
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
	struct syncer syncer;
	bool has_syncer;
	struct sync_schedule schedule;
	bool is_syncing;              /* archive_sync() has begun, and not taken the outcome */
	bool has_failed;              /* ... of which a part has failed */
	bool has_new_name;            /* the directory is not synchronized */
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
	if (syncer_init(&a->syncer) < 0) {
		/* Its -EAGAIN is -EWOULDBLOCK, and stands for too little memory, too. */
		*ret_what = "cannot start a thread to record in";
		return -ENOMEM;
	}
	a->has_syncer = true;
	r = segment_list_read(a->dirfd, &list);
	for (; r == 0 && a->tiers < ARCHIVE_TIERS; a->tiers++) {
		const struct archive_tier_limits *l = &a->limits.tier[a->tiers];

		r = tier_init(&a->tier[a->tiers], a->dirfd, (unsigned int)a->tiers, l->span_ns,
			a->limits.bytes / PERCENT * l->percent, &list, &a->syncer);
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
	if (a->has_syncer)
		syncer_done(&a->syncer);
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
	bool is_urgent = marks & (PAST_MARK_OOM | PAST_MARK_PRESSURE);
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

/* Has all synchronized that was written. */
static void archive_begin_sync(struct archive *a)
{
	a->schedule = (struct sync_schedule){0};
	a->is_syncing = true;
	a->has_failed = false;
	for (size_t i = 0; i < ARCHIVE_TIERS; i++) {
		tier_sync(&a->tier[i]);
		a->has_new_name |= a->tier[i].has_new_name;
		a->tier[i].has_new_name = false;
	}
	if (a->has_new_name)
		syncer_add(&a->syncer, a->dirfd, SYNCER_FOLDER, 0);
	a->has_new_name = false;
}

/* Takes what failed since the last call. Returns 0, or a negative errno as archive_sync(). */
static int archive_end_sync(struct archive *a, uint64_t now_ns)
{
	uint64_t number;
	int r = 0, failure;

	for (unsigned int i = 0; i < ARCHIVE_TIERS; i++) {
		failure = syncer_failure(&a->syncer, i, &number);
		if (failure == 0)
			continue;
		a->tier[i].what = "cannot synchronize";
		a->tier[i].failed_number = number;
		archive_explain(a, &a->tier[i], failure);
		r = failure;
	}
	failure = syncer_failure(&a->syncer, SYNCER_FOLDER, &number);
	if (failure == 0)
		return r;
	a->has_new_name = true;
	sync_schedule_add(&a->schedule, now_ns, a->limits.sync_ns);
	if (r == 0)
		write_reason(a->reason, "cannot synchronize", a->directory, NULL, failure);
	return r == 0 ? failure : r;
}

int archive_sync(struct archive *a, uint64_t now_ns)
{
	bool has_begun = a->is_syncing;
	int r;

	a->is_syncing = has_begun && syncer_is_busy(&a->syncer);
	r = archive_end_sync(a, now_ns);
	a->has_failed |= r < 0;
	if (has_begun && !a->is_syncing && !a->has_failed)
		r = ARCHIVE_SYNCED;
	if (now_ns >= archive_due_ns(a) && !a->is_syncing)
		archive_begin_sync(a);
	return r;
}

bool archive_is_syncing(const struct archive *a)
{
	return a->is_syncing;
}

int archive_finish(struct archive *a, uint64_t now_ns)
{
	archive_begin_sync(a);
	syncer_wait(&a->syncer);
	a->is_syncing = false;
	return archive_end_sync(a, now_ns);
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
