/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "recorder/recording.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"

#define RETRY_NS (10 * NS_PER_SEC)

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

	if (archive_reader_find(r->reader, PAST_AT, PAST_TIME_MAX_NS, &last, &reason) == 0)
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
	if (r->archive && archive_sync(r->archive, UINT64_MAX) < 0)
		recording_fail(r, archive_reason(r->archive));
	r->archive = archive_close(r->archive);
	r->reader = archive_reader_close(r->reader);
}

static void recording_sync(struct recording *r, uint64_t now_ns)
{
	if (archive_sync(r->archive, now_ns) < 0)
		recording_fail(r, archive_reason(r->archive));
}

void recording_take(struct recording *r, const struct view *view, uint64_t now_ns)
{
	uint32_t marks;

	if (marks_is_known(&r->marks, view))
		return;
	if (!r->archive) {
		r->failures++;
		return;
	}
	marks = marks_of(&r->marks, view);
	if (archive_add(r->archive, view, marks, now_ns) < 0) {
		r->failures++;
		recording_fail(r, archive_reason(r->archive));
		return;
	}
	marks_remember(&r->marks, view);
	recording_succeed(r);
	if (marks & (PAST_MARK_OOM | PAST_MARK_PRESSURE))
		recording_sync(r, UINT64_MAX);
}

void recording_run(struct recording *r, uint64_t now_ns)
{
	char reason[ARCHIVE_REASON_SIZE];

	if (r->archive)
		recording_sync(r, now_ns);
	else if (now_ns >= r->retry_ns)
		(void)recording_begin(r, now_ns, reason);
}

uint64_t recording_due_ns(const struct recording *r)
{
	return r->archive ? archive_due_ns(r->archive) : r->retry_ns;
}
