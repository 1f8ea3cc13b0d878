/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/files/perusal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"

enum {
	/* The kernel releases its lock at the end of each read(): see collectors/adaptive/slices.c. */
	PIECE = 1024,
	ROWS_MAX = 1 << 15,
	TEXT_MAX = 1 << 22,
	USERS_MAX = 1 << 17,
	BYTES_MAX = 1 << 27, /* 170,000 mappings; vm.max_map_count is 65,530 by default */
};

static int take(const struct mapping *m, void *context)
{
	struct perusal *s = context;
	uint32_t row;
	int r;

	drivermemory_add(&s->driver, m);
	if (s->skips_files)
		return 0;
	r = shelf_add(&s->shelf, m, &row);
	/* A mapping without a file is skipped, and a file without room is in .rest. */
	return r < 0 ? r : 0;
}

void perusal_init(struct perusal *s, uint64_t seed)
{
	*s = (struct perusal){
		.shelf = {.max = {.rows = ROWS_MAX, .text = TEXT_MAX, .users = USERS_MAX},
			.seed = seed},
		.max_bytes = BYTES_MAX,
		.stream = STREAM_CLOSED,
	};
	s->reader.take = take;
	s->reader.context = s;
}

/* Frees the memory of the last survey. */
static void forget(struct perusal *s)
{
	stream_close(&s->stream);
	shelf_done(&s->shelf);
	mapping_reader_done(&s->reader);
}

void perusal_done(struct perusal *s)
{
	forget(s);
}

void perusal_begin(struct perusal *s, uint64_t begun_ns)
{
	forget(s);
	s->begun_ns = begun_ns;
	memset(s->q, 0, sizeof(s->q));
}

void perusal_count(struct perusal *s, enum survey_quantity outcome)
{
	s->q[outcome]++;
}

void perusal_enter(struct perusal *s, struct stream *stream, uint32_t uid)
{
	stream_close(&s->stream);
	s->stream = *stream;
	*stream = STREAM_CLOSED;
	s->uid = uid;
	s->bytes = 0;
	s->driver = (struct drivermemory){0};
	s->is_read = false;
	buffer_clear(&s->reader.text);
	shelf_begin(&s->shelf); /* drops a process that was not read to its end */
}

/*
 * Calls read() once. Returns 1 if there may be more; 0 at the end; -EFBIG if the text is too long;
 * or an error of read() or of the parser. The kernel continues at the next higher address, so a
 * process that maps faster than it is read would never end.
 */
static int read_piece(struct perusal *s, uint64_t slice_ns)
{
	struct stream_piece piece;
	char *to = mapping_reader_room(&s->reader, PIECE);
	ssize_t n;
	int r;

	if (!to)
		return -ENOMEM;
	n = stream_read(&s->stream, to, PIECE, slice_ns, &piece);
	if (n <= 0)
		return (int)n;
	s->bytes += (uint64_t)n;
	if (s->bytes > s->max_bytes)
		return -EFBIG;
	r = mapping_reader_feed(&s->reader, (size_t)n);
	return r < 0 ? r : 1;
}

/*
 * Whether the process, which was committed, maps a program or library that is no longer at its
 * path.
 */
static bool maps_deleted_code(const struct perusal *s)
{
	for (size_t i = 0; i < s->shelf.parts; i++) {
		const struct shelf_part *p = &s->shelf.part[i];

		if (p->row != SHELF_REST && p->is_executable &&
			shelf_is_deleted(&s->shelf.row[p->row]))
			return true;
	}
	return false;
}

/* Counts the process, which was read completely. */
static int commit(struct perusal *s)
{
	int r = shelf_commit(&s->shelf, s->uid);

	if (r < 0)
		return r;
	s->is_read = true;
	perusal_count(s, SURVEY_READ);
	if (maps_deleted_code(s))
		perusal_count(s, SURVEY_PROCESSES_DELETED);
	return 0;
}

static enum survey_quantity outcome_of(int error)
{
	switch (error) {
	case -ESRCH: return SURVEY_GONE;
	case -EACCES:
	case -EPERM: return SURVEY_DENIED;
	case -EFBIG: return SURVEY_LEFT_OUT;
	case -ETIMEDOUT: return SURVEY_BLOCKED;
	default: return SURVEY_ERROR;
	}
}

/*
 * Ends the process. ERROR: of reading, or 0: the text has ended, and the address space is still
 * there.
 */
static int end_process(struct perusal *s, int error)
{
	int r = error ? error : mapping_reader_end(&s->reader);

	stream_close(&s->stream);
	if (r == -ENOMEM)
		return r;
	if (r == 0)
		return commit(s);
	if (r == -ESTALE)
		return PERUSAL_LOST;
	perusal_count(s, outcome_of(r));
	return r == -ETIMEDOUT ? PERUSAL_BLOCKED : 0;
}

int perusal_step(struct perusal *s, uint64_t slice_ns)
{
	uint64_t begin_ns = clock_now_ns(CLOCK_MONOTONIC);
	int r;

	do {
		r = read_piece(s, slice_ns);
		s->hold_ns = clock_now_ns(CLOCK_MONOTONIC) - begin_ns;
	} while (r > 0 && (stream_has_more(&s->stream) || s->hold_ns < slice_ns));
	if (r > 0)
		return PERUSAL_MORE;
	if (r == 0)
		r = stream_probe(&s->stream); /* this keeps the process waiting, too */
	s->hold_ns = clock_now_ns(CLOCK_MONOTONIC) - begin_ns;
	return end_process(s, r);
}

/* The rows with the largest values, in order. */
struct best {
	struct {
		uint64_t value;
		uint32_t row;
	} rank[PERUSAL_SHOWN];
	size_t count;
};

/*
 * Adds a row, if its value is large enough; of equal values the first one stays. Nearly all values
 * are less than the last, so little is moved.
 */
static void best_add(struct best *b, uint64_t value, uint32_t row)
{
	size_t at = 0, high = b->count;

	if (high == PERUSAL_SHOWN && value <= b->rank[high - 1].value)
		return;
	while (at < high) {
		size_t middle = at + (high - at) / 2;

		if (b->rank[middle].value < value)
			high = middle;
		else
			at = middle + 1;
	}
	if (b->count < PERUSAL_SHOWN)
		b->count++;
	memmove(&b->rank[at + 1], &b->rank[at], (b->count - 1 - at) * sizeof(b->rank[0]));
	b->rank[at].value = value;
	b->rank[at].row = row;
}

/*
 * Marks in SHOWN the rows with the most of FIELD, if that is not 0. DELETED: only rows of deleted
 * files, also with 0.
 */
static void choose(const struct shelf *s, enum shelf_field field, bool deleted, bool *shown)
{
	struct best best = {.count = 0};

	for (size_t i = 0; i < s->rows; i++) {
		bool is_deleted = shelf_is_deleted(&s->row[i]);

		if (deleted ? is_deleted : s->row[i].q[field] > 0)
			best_add(&best, s->row[i].q[field], (uint32_t)i);
	}
	for (size_t i = 0; i < best.count; i++)
		shown[best.rank[i].row] = true;
}

static const enum shelf_field from_shelf[FILE_QUANTITIES] = {
	[FILE_PROCESSES] = SHELF_PROCESSES,
	[FILE_USERS] = SHELF_USERS,
	[FILE_MAPPINGS] = SHELF_MAPPINGS,
	[FILE_RESIDENT] = SHELF_RESIDENT,
	[FILE_PSS] = SHELF_PSS,
	[FILE_RSS] = SHELF_RSS,
	[FILE_PRIVATE_DIRTY] = SHELF_PRIVATE_DIRTY,
	[FILE_SWAP] = SHELF_SWAP,
};

static void show(const struct shelf *s, const struct shelf_row *from, struct catalogue *to)
{
	struct snapshot_file row = {
		.major = from->major,
		.minor = from->minor,
		.inode = from->inode,
		.flags = (shelf_is_deleted(from) ? FILE_DELETED : 0U) |
	                 (from->is_executable ? FILE_EXECUTABLE : 0U),
	};

	for (unsigned int i = 0; i < FILE_QUANTITIES; i++)
		if (shelf_has(from, from_shelf[i]) && !(i == FILE_USERS && s->users_are_low))
			ROW_SET(&row, i, from->q[from_shelf[i]]);
	catalogue_add(to, &row, from->name);
}

/* Sums over all files, and over those not listed, as fields of the survey. */
static const struct {
	enum shelf_field from;
	enum survey_quantity to, unlisted;
} sums[] = {
	{SHELF_PSS, SURVEY_PSS, SURVEY_UNLISTED_PSS},
	{SHELF_PRIVATE_DIRTY, SURVEY_PRIVATE_DIRTY, SURVEY_UNLISTED_PRIVATE_DIRTY},
	{SHELF_RSS, SURVEY_RSS, SURVEY_QUANTITIES},
	{SHELF_SWAP, SURVEY_SWAP, SURVEY_QUANTITIES},
};

/* Returns the sum of FIELD over the listed rows. */
static uint64_t sum_shown(const struct shelf *s, const bool *shown, enum shelf_field field)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->rows; i++)
		if (shown[i])
			sum += s->row[i].q[field];
	return sum;
}

static void set_sums(const struct shelf *s, const bool *shown, struct catalogue *to)
{
	struct shelf_row total;

	shelf_total(s, &total);
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++) {
		if (!shelf_has(&total, sums[i].from))
			continue;
		catalogue_set(to, sums[i].to, total.q[sums[i].from]);
		if (sums[i].unlisted != SURVEY_QUANTITIES)
			catalogue_set(to, sums[i].unlisted,
				total.q[sums[i].from] - sum_shown(s, shown, sums[i].from));
	}
}

/* If files did not fit into the table, the number of files is not known. */
static void set_counts(const struct perusal *s, const bool *shown, struct catalogue *to)
{
	const struct shelf *shelf = &s->shelf;
	uint64_t deleted = 0, unlisted = 0;

	for (unsigned int i = SURVEY_READ; i <= SURVEY_ERROR; i++)
		catalogue_set(to, (enum survey_quantity)i, s->q[i]);
	catalogue_set(to, SURVEY_BLOCKED, s->q[SURVEY_BLOCKED]);
	if (shelf->rest.q[SHELF_MAPPINGS])
		return;
	for (size_t i = 0; i < shelf->rows; i++) {
		deleted += shelf_is_deleted(&shelf->row[i]);
		unlisted += !shown[i];
	}
	catalogue_set(to, SURVEY_FILES, shelf->rows);
	catalogue_set(to, SURVEY_DELETED, deleted);
	catalogue_set(to, SURVEY_PROCESSES_DELETED, s->q[SURVEY_PROCESSES_DELETED]);
	catalogue_set(to, SURVEY_UNLISTED, unlisted);
}

static int describe(const struct perusal *s, struct catalogue *to)
{
	const struct shelf *shelf = &s->shelf;
	AUTO_FREE bool *shown = calloc(shelf->rows + 1, sizeof(*shown));

	if (!shown)
		return -ENOMEM;
	choose(shelf, SHELF_PSS, false, shown);
	choose(shelf, SHELF_PRIVATE_DIRTY, false, shown);
	choose(shelf, SHELF_PSS, true, shown);
	for (size_t i = 0; i < shelf->rows; i++)
		if (shown[i])
			show(shelf, &shelf->row[i], to);
	set_sums(shelf, shown, to);
	set_counts(s, shown, to);
	return to->rows.error ? to->rows.error : to->texts.error;
}

int perusal_end(struct perusal *s, uint64_t ended_ns, struct catalogue *ret)
{
	int r;

	catalogue_clear(ret);
	shelf_begin(&s->shelf); /* drops a process that was not read to its end */
	r = describe(s, ret);
	ret->begun_ns = s->begun_ns;
	ret->ended_ns = ended_ns;
	ret->is_there = r == 0;
	forget(s);
	return r;
}
