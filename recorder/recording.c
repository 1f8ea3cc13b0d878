/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "recorder/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/saturate.h"

#define RETRY_NS (10 * NS_PER_SEC)

/* From one message about missing snapshots to the next. */
#define LOST_PAUSE_NS (3600 * NS_PER_SEC)

/* The least time from one synchronization to the next. Under pressure each snapshot asks for one. */
#define SYNC_PAUSE_NS (3 * NS_PER_SEC)

/* Logs what a reader skips; the reader says so once for each file. */
static void recording_say_fault(void *context, enum archive_fault_kind kind, const char *text)
{
	(void)context;
	(void)kind;
	log_warning("%s", text);
}

static const struct archive_listener listener = {.call = recording_say_fault};

/* Whether ERROR, of opening the archive for writing, may end without a change of the settings. */
static bool is_of_the_disk(int error)
{
	return error == -EROFS || error == -ENOSPC || error == -EDQUOT || error == -EIO;
}

static void recording_fail(struct recording *r, const char *reason)
{
	if (!r->is_failing)
		log_error("cannot record: %s; the next snapshot is tried again", reason);
	r->is_failing = true;
}

/* Says that VIEW is missing in a tier of longer time. It is in tier 0. */
static void recording_thin_fails(struct recording *r, const char *reason)
{
	if (!r->is_thinning_badly)
		log_error("the recording will not go back as far as it should: %s", reason);
	r->is_thinning_badly = true;
}

static void recording_sync_fails(struct recording *r, const char *reason)
{
	if (!r->is_unsynchronized)
		log_error("%s; power loss may lose snapshots", reason);
	r->is_unsynchronized = true;
}

static void recording_sync_succeeds(struct recording *r)
{
	if (r->is_unsynchronized)
		log_info("snapshots are synchronized with the disk again");
	r->is_unsynchronized = false;
}

static void recording_succeed(struct recording *r)
{
	if (r->is_failing)
		log_info("snapshots are recorded again");
	r->is_failing = false;
}

/* Opens the archive for writing. Returns as archive_open(); a failure of the disk is logged. */
static int recording_begin(
	struct recording *r, uint64_t now_ns, char reason[static ARCHIVE_REASON_SIZE])
{
	int e = archive_open(r->directory, &r->limits, &r->archive, reason);

	r->retry_ns = e < 0 ? now_ns + RETRY_NS : 0;
	if (e < 0 && is_of_the_disk(e))
		recording_fail(r, reason);
	return e;
}

/* Finds out which snapshot was recorded last, before a restart. */
static void recording_recall(struct recording *r)
{
	struct archive_found last;
	const char *reason;

	if (archive_reader_last(r->reader, &last, &reason) == 0)
		marks_remember(&r->marks, last.view);
}

int recording_open(struct recording *r, const char *directory, const struct archive_limits *limits)
{
	char reason[ARCHIVE_REASON_SIZE] = "";
	int e;

	*r = (struct recording){.directory = directory, .limits = *limits};
	e = archive_reader_open(directory, &listener, &r->reader, reason);
	if (e == 0)
		e = recording_begin(r, clock_now_ns(CLOCK_MONOTONIC), reason);
	if (is_of_the_disk(e) && r->reader)
		e = 0;
	if (e < 0)
		log_error("%s", reason);
	else
		recording_recall(r);
	return e;
}

void recording_close(struct recording *r)
{
	if (r->archive && archive_finish(r->archive, clock_now_ns(CLOCK_MONOTONIC)) < 0)
		recording_sync_fails(r, archive_reason(r->archive));
	r->archive = archive_close(r->archive);
	r->reader = archive_reader_close(r->reader);
}

bool recording_is_failing(const struct recording *r)
{
	return r->is_failing || r->is_unsynchronized;
}

static void recording_sync(struct recording *r, uint64_t now_ns)
{
	int e = archive_sync(r->archive, now_ns);

	if (e < 0)
		recording_sync_fails(r, archive_reason(r->archive));
	if (e == ARCHIVE_SYNCED)
		recording_sync_succeeds(r);
	/* This call has begun it, or it goes on. */
	if (archive_is_syncing(r->archive))
		r->rest_ns = saturate_add(now_ns, SYNC_PAUSE_NS);
}

/* Returns whether tier 0 has VIEW. */
static bool recording_has(const struct recording *r, const struct view *view)
{
	const struct image_header *h = view->header;
	struct archive_found found;
	const char *reason;

	return archive_reader_find(r->reader, PAST_AT, h->realtime_ns, &found, &reason) == 0 &&
	       !found.tier && found.view->header->sequence == h->sequence &&
	       !memcmp(found.view->header->instance, h->instance, sizeof(h->instance));
}

/* Counts the snapshots before VIEW that are missing. Says so once an hour. */
static void recording_count_lost(struct recording *r, const struct view *view, uint64_t now_ns)
{
	uint64_t lost = marks_lost(&r->marks, view);

	r->lost += lost;
	if (!lost || (r->said_ns && now_ns - r->said_ns < LOST_PAUSE_NS))
		return;
	log_warning("%" PRIu64 " snapshots are missing before the one recorded last, %" PRIu64
		    " since the start: the disk or the host was too slow, or recording failed",
		lost, r->lost);
	r->said_ns = now_ns;
}

void recording_take(struct recording *r, const struct view *view, uint64_t now_ns)
{
	uint32_t marks;
	int e;

	if (marks_is_known(&r->marks, view))
		return;
	if (!r->archive) {
		r->failures++;
		return;
	}
	marks = marks_of(&r->marks, view);
	e = archive_add(r->archive, view, marks, now_ns);
	if (e < 0 && !recording_has(r, view)) {
		r->failures++;
		recording_fail(r, archive_reason(r->archive));
		return;
	}
	recording_count_lost(r, view, now_ns);
	/* The next snapshot is compared with the last one of tier 0, whatever other tiers lack. */
	marks_remember(&r->marks, view);
	if (e < 0)
		recording_thin_fails(r, archive_reason(r->archive));
	else
		r->is_thinning_badly = false;
	recording_succeed(r);
}

void recording_run(struct recording *r, uint64_t now_ns)
{
	char reason[ARCHIVE_REASON_SIZE];

	if (now_ns < recording_due_ns(r))
		return;
	if (r->archive)
		recording_sync(r, now_ns);
	else
		(void)recording_begin(r, now_ns, reason);
}

uint64_t recording_due_ns(const struct recording *r)
{
	if (!r->archive)
		return r->retry_ns;
	/* How a synchronization ends is seen, and logged, after the pause. Then the next one may begin. */
	return archive_is_syncing(r->archive) ? r->rest_ns : archive_due_ns(r->archive);
}
