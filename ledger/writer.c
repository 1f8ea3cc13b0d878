/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "ledger/writer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/os/userns.h"
#include "ledger/store/quarantine.h"

#define RETRY_NS (10 * NS_PER_SEC)

/*
 * Each try to quarantine a file reads all of it first. So each failure doubles the time to the next
 * try, up to this.
 */
#define QUARANTINE_RETRY_MAX_NS (320 * NS_PER_SEC)

/* Questions do not cause writes more often than this. */
#define FRESH_NS (10 * NS_PER_SEC)

/* How often to check whether a slot has ended without a snapshot. */
#define LOOK_NS (15 * NS_PER_SEC)

#define LOG_AGAIN_NS (3600 * NS_PER_SEC)

/*
 * A failed read can look like damage: SQLite (3.40) answers SQLITE_CORRUPT to EIO, and its check
 * has the same message for an unreadable page as for a bad one. Therefore damage closes the file;
 * it is opened and checked again, and the write or report is tried again. Damage in this many tries
 * in a row quarantines the file.
 */
enum { DAMAGED_TRIES = 3 };

/*
 * The ledger is late if it has written nothing for this many slots or intervals, whichever is
 * longer.
 */
enum { LATE = 2 };

/*
 * Estimate of the time to open: a fixed part, the read rate of a slow and busy disk, and the most
 * that is estimated.
 */
#define OPENING_NS     (30 * NS_PER_SEC)
#define BYTES_PER_S    (UINT64_C(4) << 20)
#define OPENING_MAX_NS (UINT64_C(7) * 86400 * NS_PER_SEC)

/*
 * Logs that the file cannot be quarantined. Each failed write tries it, so the same reason is
 * logged only once.
 */
static void writer_log_quarantine(struct writer *w, const char *why)
{
	if (!strcmp(w->quarantine_error, why))
		return;
	snprintf(w->quarantine_error, sizeof(w->quarantine_error), "%s", why);
	log_error("the ledger seems to be damaged, and cannot be set aside: %s", why);
}

static void lengthen_wait(struct writer *w)
{
	uint64_t ns = w->quarantine_wait_ns ? 2 * w->quarantine_wait_ns : RETRY_NS;

	w->quarantine_wait_ns = ns < QUARANTINE_RETRY_MAX_NS ? ns : QUARANTINE_RETRY_MAX_NS;
}

static int open_store(struct writer *w, char text[static STORE_ERROR_SIZE])
{
	return store_open(w->directory, &w->limits, &w->beat, &w->store, text);
}

/*
 * Loads the file's mark. If it is not that of the last write that succeeded, the bucket starts from
 * what the file has, as after a restart, and memtallyd's counters bring the rest. That is the case
 * at the start, and if a failed write is in the file all the same: its log could not be
 * synchronized, or damage was found after it. Otherwise its usage would count twice. Returns 0,
 * STORE_DAMAGED or -ENOMEM.
 */
static int writer_load(struct writer *w)
{
	struct bucket found = {0};
	int r = store_load(w->store, &found);

	if (r != 0 || !found.mark.is_set || found.mark.realtime_ns == w->written_ns) {
		bucket_done(&found);
		/* It may be another file, with other series ids. */
		bucket_forget_series(&w->bucket);
		return r;
	}
	found.clock_sets = w->bucket.clock_sets;
	bucket_done(&w->bucket);
	w->bucket = found;
	w->written_ns = found.mark.realtime_ns;
	return 0;
}

/*
 * Opens the file and loads it. Returns 0, or a store_outcome or -ENOMEM; then TEXT is the reason,
 * and no file is open.
 */
static int open_and_load(struct writer *w, char text[static STORE_ERROR_SIZE])
{
	int r = open_store(w, text);

	if (r != 0)
		return r;
	r = writer_load(w);
	if (r != 0) {
		snprintf(text, STORE_ERROR_SIZE, "%.200s",
			r == -ENOMEM ? strerror(ENOMEM) : store_error(w->store));
		w->store = store_abandon(w->store);
		return r;
	}
	if (w->seems_damaged)
		log_warning("the ledger seemed to be damaged, but is whole: it was opened again");
	w->seems_damaged = false;
	return 0;
}

/* Closes the file if R, the result of using it, is STORE_DAMAGED. Returns R. */
static int close_damaged(struct writer *w, int r)
{
	if (r == STORE_DAMAGED) {
		w->store = store_abandon(w->store);
		w->seems_damaged = true;
	}
	return r;
}

/*
 * Quarantines the closed file, and opens a new one. Returns as writer_open(). Without memory for a
 * check the file stays: it may be whole.
 */
static int writer_replace(struct writer *w)
{
	char text[STORE_ERROR_SIZE];
	int r = store_has_memory()
	                ? quarantine_put(w->directory, clock_now_ns(CLOCK_REALTIME), text)
	                : -ENOMEM;

	if (r < 0) {
		writer_log_quarantine(w, strerror(-r));
		lengthen_wait(w);
		return STORE_UNWRITABLE;
	}
	*w->quarantine_error = '\0';
	w->quarantine_wait_ns = 0;
	w->set_aside += r != QUARANTINE_NOTHING;
	w->seems_damaged = false;
	w->written_ns = 0;
	if (r == QUARANTINE_NOTHING)
		log_error("the ledger's file is gone: a new one begins");
	else
		log_error(
			r == QUARANTINE_NO_FILE
				? "the ledger's file is gone, and its log was left: that was set aside as %s, and a new one begins"
				: "the ledger is damaged: it was set aside as %s, and a new one begins",
			text);
	r = open_and_load(w, text);
	if (r != 0)
		log_error("%s", text);
	return r;
}

uint64_t writer_opening_ns(const char *directory)
{
	uint64_t bytes = 0, ns;

	for (size_t i = 0; i < STORE_FILES; i++) {
		char path[STORE_PATH_MAX + 32];
		struct stat st;

		snprintf(path, sizeof(path), "%.*s/" STORE_FILE "%s", STORE_PATH_MAX, directory,
			store_files[i]);
		if (stat(path, &st) == 0 && st.st_size > 0)
			bytes += (uint64_t)st.st_size;
	}
	ns = OPENING_NS + DAMAGED_TRIES * (bytes / BYTES_PER_S * NS_PER_SEC);
	return ns < OPENING_MAX_NS ? ns : OPENING_MAX_NS;
}

int writer_open(struct writer *w, const char *directory, const struct store_limits *limits)
{
	char text[STORE_ERROR_SIZE];
	unsigned int tries = 0;
	int r;

	*w = (struct writer){
		.directory = directory,
		.limits = *limits,
		.userns = userns_id(),
		.clock_limit.interval_ns = LOG_AGAIN_NS,
		.report_limit.interval_ns = LOG_AGAIN_NS,
	};
	do
		r = close_damaged(w, open_and_load(w, text));
	while (r == STORE_DAMAGED && ++tries < DAMAGED_TRIES);
	if (r == STORE_DAMAGED)
		return writer_replace(w);
	if (r != 0)
		log_error("%s", text);
	return r;
}

void writer_set_beat(struct writer *w, struct store_beat beat)
{
	w->beat = beat;
	if (w->store)
		store_set_beat(w->store, beat);
}

/*
 * The file was removed, renamed or replaced. Closes it, with all that was counted in it; the next
 * file begins with the present counters.
 */
static void begin_anew(struct writer *w)
{
	w->store = store_close(w->store);
	bucket_forget_series(&w->bucket);
	log_warning(
		"%s/" STORE_FILE
		" was removed or renamed, or is another file: the ledger goes on in the file of that name",
		w->directory);
}

/*
 * Returns whether the file has all that was counted: writer_load() may have just found that it
 * does.
 */
static bool is_written(const struct writer *w)
{
	return w->written_ns && w->written_ns == w->bucket.mark.realtime_ns &&
	       !bucket_has_content(&w->bucket);
}

static int write_to_store(struct writer *w, char text[static STORE_ERROR_SIZE])
{
	int r = is_written(w) ? 0 : store_write(w->store, &w->bucket);

	snprintf(text, STORE_ERROR_SIZE, "%.200s", store_error(w->store));
	return r;
}

/* Tries once to write; if the file is gone, to the file that has its name now. */
static int try_to_write(struct writer *w, char text[static STORE_ERROR_SIZE])
{
	int r = w->store ? 0 : open_and_load(w, text);

	if (r == 0)
		r = write_to_store(w, text);
	if (r != STORE_GONE)
		return r;
	begin_anew(w);
	r = open_store(w, text);
	return r == 0 ? write_to_store(w, text) : r;
}

/* Tries to write, to a new file if this one is damaged. */
static int write_somewhere(struct writer *w, char text[static STORE_ERROR_SIZE])
{
	unsigned int tries = 0;
	int r;

	do
		r = close_damaged(w, try_to_write(w, text));
	while (r == STORE_DAMAGED && ++tries < DAMAGED_TRIES);
	if (r == STORE_DAMAGED && writer_replace(w) == 0)
		r = close_damaged(w, try_to_write(w, text));
	return r;
}

static void write_down(struct writer *w, uint64_t now_ns)
{
	char text[STORE_ERROR_SIZE] = "out of memory";
	int r = write_somewhere(w, text);

	if (r == 0) {
		if (w->is_failing)
			log_info("the ledger is written again");
		w->is_failing = false;
		w->quarantine_wait_ns = 0;
		w->fresh_ns = now_ns + FRESH_NS;
		w->written_ns = w->bucket.mark.realtime_ns;
		bucket_clear(&w->bucket);
		return;
	}
	w->write_failures++;
	if (!w->is_failing)
		log_error(
			"cannot write the ledger: %s; usage is kept in memory until it can be written",
			text);
	w->is_failing = true;
	w->retry_ns = now_ns + (r == STORE_DAMAGED && w->quarantine_wait_ns ? w->quarantine_wait_ns
									    : RETRY_NS);
	bucket_stretch(&w->bucket);
}

void writer_close(struct writer *w)
{
	if (bucket_has_content(&w->bucket))
		write_down(w, clock_now_ns(CLOCK_MONOTONIC));
	w->store = store_close(w->store);
	bucket_done(&w->bucket);
}

static void writer_log_clock(struct writer *w, uint64_t now_ns)
{
	uint64_t held_back;

	if (w->clock_sets == w->bucket.clock_sets)
		return;
	w->clock_sets = w->bucket.clock_sets;
	if (log_limit_pass(&w->clock_limit, now_ns, &held_back))
		log_warning(
			"the clock was set: usage is counted by the new time (%llu more messages "
			"like this before)",
			(unsigned long long)held_back);
}

void writer_take(struct writer *w, const struct view *view, uint64_t now_ns)
{
	uint64_t boot_ns = clock_now_ns(CLOCK_BOOTTIME), mono_ns = clock_now_ns(CLOCK_MONOTONIC);
	bool own_userns = w->userns && view->header->userns == w->userns;
	int r = bucket_take(
		&w->bucket, view, boot_ns > mono_ns ? boot_ns - mono_ns : 0, own_userns);

	if (r < 0)
		log_error(
			"out of memory: a snapshot is not counted, the next one contains its usage");
	if (r == BUCKET_BASELINE)
		log_info("counting begins with this snapshot");
	w->interval_ns = view->header->interval_ns;
	if (r < 0 || r == BUCKET_OLD)
		return;
	writer_log_clock(w, now_ns);
	while (bucket_advance(&w->bucket))
		write_down(w, now_ns);
	if (r == BUCKET_BASELINE) {
		/*
		 * Writes where counting begins, so that after a restart within the first slot
		 * counting can go on from there.
		 */
		write_down(w, now_ns);
		w->fresh_ns = now_ns;
	}
}

void writer_run(struct writer *w, uint64_t now_ns)
{
	bool is_due = w->is_failing ? now_ns >= w->retry_ns
	                            : bucket_is_due(&w->bucket, clock_now_ns(CLOCK_REALTIME));

	if (is_due && bucket_has_content(&w->bucket))
		write_down(w, now_ns);
}

uint64_t writer_due_ns(const struct writer *w, uint64_t now_ns)
{
	return bucket_has_content(&w->bucket) ? now_ns + LOOK_NS : UINT64_MAX;
}

static uint32_t writer_state_of(const struct writer *w)
{
	uint64_t now_ns = clock_now_ns(CLOCK_REALTIME);
	uint64_t slot_ns = (uint64_t)slots_seconds(SLOT_BUCKET) * NS_PER_SEC;
	uint64_t late_ns = LATE * (w->interval_ns > slot_ns ? w->interval_ns : slot_ns);
	bool is_late = now_ns > w->written_ns && now_ns - w->written_ns > late_ns;

	return (is_late ? USAGE_LATE : 0) | (w->is_failing ? USAGE_FAILING : 0);
}

static int try_to_report(struct writer *w, const struct usage_request *request,
	const struct store_reader *reader, int64_t now_s, struct usage_head *head,
	struct buffer *to, char text[static STORE_ERROR_SIZE])
{
	int r = w->store ? 0 : open_and_load(w, text);

	if (r != 0)
		return r;
	usage_begin(to);
	*head = (struct usage_head){.first_s = -1};
	r = store_report(w->store, request, reader, now_s, head, to);
	snprintf(text, STORE_ERROR_SIZE, "%.200s", store_error(w->store));
	return r;
}

static void writer_report(struct writer *w, const struct usage_request *request,
	const struct store_reader *reader, uint64_t now_ns, struct usage_head *head,
	struct buffer *to)
{
	int64_t now_s = (int64_t)(clock_now_ns(CLOCK_REALTIME) / NS_PER_SEC);
	char text[STORE_ERROR_SIZE] = "no file is open";
	unsigned int tries = 0;
	uint64_t held_back;
	int r = STORE_UNWRITABLE;

	/*
	 * A file that could not be opened is tried again at the next write, and not for each
	 * question.
	 */
	if (w->store)
		do
			r = close_damaged(
				w, try_to_report(w, request, reader, now_s, head, to, text));
		while (r == STORE_DAMAGED && ++tries < DAMAGED_TRIES);
	if (r == 0)
		return;
	if (log_limit_pass(&w->report_limit, now_ns, &held_back))
		log_error("cannot read the ledger: %s (%llu more messages like this before)", text,
			(unsigned long long)held_back);
	/* The next question is answered from the new file; write to it where counting goes on. */
	if (r == STORE_DAMAGED && writer_replace(w) == 0 && w->bucket.mark.is_set)
		write_down(w, now_ns);
	usage_begin(to);
	*head = (struct usage_head){.status = USAGE_BROKEN,
		.since_s = request->since_s,
		.until_s = request->until_s,
		.now_s = now_s,
		.first_s = -1};
}

/* Returns whether the answer to REQUEST may need more than the file has. */
static bool needs_write(const struct writer *w, const struct usage_request *request)
{
	int64_t slot_s = slots_seconds(SLOT_BUCKET);
	int64_t end_s = slots_begin(SLOT_BUCKET, request->until_s + slot_s - 1);

	return (uint64_t)end_s * NS_PER_SEC > w->written_ns;
}

void writer_answer(void *context, const struct usage_request *request,
	const struct store_reader *reader, struct buffer *to)
{
	struct writer *w = context;
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);
	struct usage_head head = {.first_s = -1};

	usage_begin(to);
	if (request) {
		if (now_ns >= w->fresh_ns && !w->is_failing && needs_write(w, request) &&
			bucket_has_content(&w->bucket))
			write_down(w, now_ns);
		writer_report(w, request, reader, now_ns, &head, to);
	} else {
		head.status = USAGE_BAD_REQUEST;
	}
	head.flags |= writer_state_of(w);
	head.written_s = w->written_ns ? (int64_t)(w->written_ns / NS_PER_SEC) : -1;
	head.clock_sets = w->bucket.clock_sets;
	head.write_failures = w->write_failures;
	head.set_aside = w->set_aside;
	usage_end(to, &head);
}
