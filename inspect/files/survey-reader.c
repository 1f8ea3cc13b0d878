/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/files/survey-reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/os/file.h"

enum {
	/*
	 * The kernel releases its lock at the end of each read(): see
	 * collectors/adaptive/smaps-slices.c.
	 */
	PIECE = 1024,
	ROWS_MAX = 1 << 15,
	TEXT_MAX = 1 << 22,
	USERS_MAX = 1 << 17,
	BYTES_MAX = 1 << 27, /* 170,000 mappings; vm.max_map_count is 65,530 by default */
};

static int survey_reader_take(const struct mapping *m, void *context)
{
	struct survey_reader *s = context;
	uint32_t row;
	int r;

	drivermemory_add(&s->driver, m);
	if (s->skips_files)
		return 0;
	r = file_table_add(&s->files, m, &row);
	/* A mapping without a file is skipped, and a file without room is in .rest. */
	return r < 0 ? r : 0;
}

void survey_reader_init(struct survey_reader *s, uint64_t seed)
{
	*s = (struct survey_reader){
		.files = {.max = {.rows = ROWS_MAX, .text = TEXT_MAX, .users = USERS_MAX},
			.seed = seed},
		.max_bytes = BYTES_MAX,
		.stream = STREAM_CLOSED,
	};
	s->reader.take = survey_reader_take;
	s->reader.context = s;
}

void survey_reader_done(struct survey_reader *s)
{
	stream_close(&s->stream);
	file_table_done(&s->files);
	mapping_reader_done(&s->reader);
}

void survey_reader_begin(struct survey_reader *s, uint64_t begun_ns)
{
	survey_reader_done(s);
	s->begun_ns = begun_ns;
	memset(s->q, 0, sizeof(s->q));
}

void survey_reader_count(struct survey_reader *s, enum survey_quantity outcome)
{
	s->q[outcome]++;
}

void survey_reader_enter(struct survey_reader *s, struct stream *stream, uint32_t uid)
{
	stream_close(&s->stream);
	s->stream = *stream;
	*stream = STREAM_CLOSED;
	s->uid = uid;
	s->bytes = 0;
	s->driver = (struct drivermemory){0};
	s->is_read = false;
	buffer_clear(&s->reader.text);
	file_table_begin(&s->files); /* drops a process that was not read to its end */
}

/*
 * Calls read() once. Returns 1 if there may be more; 0 at the end; -EFBIG if the text is too long;
 * or an error of read() or of the parser. The kernel continues at the next higher address, so a
 * process that maps faster than it is read would never end.
 */
static int survey_reader_read_piece(struct survey_reader *s, uint64_t slice_ns)
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
static bool maps_deleted_code(const struct survey_reader *s)
{
	for (size_t i = 0; i < s->files.parts; i++) {
		const struct file_table_part *p = &s->files.part[i];

		if (p->row != FILE_TABLE_REST && p->is_executable &&
			file_table_is_deleted(&s->files.row[p->row]))
			return true;
	}
	return false;
}

/* Counts the process, which was read completely. */
static int survey_reader_commit(struct survey_reader *s)
{
	int r = file_table_commit(&s->files, s->uid);

	if (r < 0)
		return r;
	s->is_read = true;
	survey_reader_count(s, SURVEY_READ);
	if (maps_deleted_code(s))
		survey_reader_count(s, SURVEY_PROCESSES_DELETED);
	return 0;
}

static enum survey_quantity survey_reader_outcome_of(int error)
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
static int end_process(struct survey_reader *s, int error)
{
	int r = error ? error : mapping_reader_end(&s->reader);

	stream_close(&s->stream);
	if (r == -ENOMEM)
		return r;
	if (r == 0)
		return survey_reader_commit(s);
	if (r == -ESTALE)
		return SURVEY_READER_LOST;
	survey_reader_count(s, survey_reader_outcome_of(r));
	return r == -ETIMEDOUT ? SURVEY_READER_BLOCKED : 0;
}

int survey_reader_step(struct survey_reader *s, uint64_t slice_ns)
{
	uint64_t begin_ns = clock_now_ns(CLOCK_MONOTONIC);
	int r;

	do {
		r = survey_reader_read_piece(s, slice_ns);
		s->hold_ns = clock_now_ns(CLOCK_MONOTONIC) - begin_ns;
	} while (r > 0 && (stream_has_more(&s->stream) || s->hold_ns < slice_ns));
	if (r > 0)
		return SURVEY_READER_MORE;
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
	} rank[SURVEY_READER_SHOWN];
	size_t count;
};

/*
 * Adds a row, if its value is large enough; of equal values the first one stays. Nearly all values
 * are less than the last, so little is moved.
 */
static void best_add(struct best *b, uint64_t value, uint32_t row)
{
	size_t at;

	if (b->count == SURVEY_READER_SHOWN && value <= b->rank[b->count - 1].value)
		return;
	at = ARRAY_FIRST(b->count, i, b->rank[i].value < value);
	if (b->count < SURVEY_READER_SHOWN)
		b->count++;
	memmove(&b->rank[at + 1], &b->rank[at], (b->count - 1 - at) * sizeof(b->rank[0]));
	b->rank[at].value = value;
	b->rank[at].row = row;
}

/*
 * Marks in SHOWN the rows with the most of FIELD, if that is not 0. DELETED: only rows of deleted
 * files, also with 0.
 */
static void survey_reader_choose(
	const struct file_table *s, enum file_table_field field, bool deleted, bool *shown)
{
	struct best best = {.count = 0};

	for (size_t i = 0; i < s->rows; i++) {
		bool is_deleted = file_table_is_deleted(&s->row[i]);

		if (deleted ? is_deleted : s->row[i].q[field] > 0)
			best_add(&best, s->row[i].q[field], (uint32_t)i);
	}
	for (size_t i = 0; i < best.count; i++)
		shown[best.rank[i].row] = true;
}

static const enum file_table_field from_table[FILE_QUANTITIES] = {
	[FILE_PROCESSES] = FILE_TABLE_PROCESSES,
	[FILE_USERS] = FILE_TABLE_USERS,
	[FILE_MAPPINGS] = FILE_TABLE_MAPPINGS,
	[FILE_RESIDENT] = FILE_TABLE_RESIDENT,
	[FILE_PSS] = FILE_TABLE_PSS,
	[FILE_RSS] = FILE_TABLE_RSS,
	[FILE_PRIVATE_DIRTY] = FILE_TABLE_PRIVATE_DIRTY,
	[FILE_SWAP] = FILE_TABLE_SWAP,
};

static void survey_reader_show(
	const struct file_table *s, const struct file_table_row *from, struct survey_result *to)
{
	struct snapshot_file row = {
		.major = from->major,
		.minor = from->minor,
		.inode = from->inode,
		.flags = (file_table_is_deleted(from) ? FILE_DELETED : 0U) |
	                 (from->is_executable ? FILE_EXECUTABLE : 0U),
	};

	for (unsigned int i = 0; i < FILE_QUANTITIES; i++)
		if (file_table_has(from, from_table[i]) && !(i == FILE_USERS && s->users_are_low))
			ROW_SET(&row, i, from->q[from_table[i]]);
	survey_result_add(to, &row, from->name);
}

/* Sums over all files, and over those not listed, as fields of the survey. */
static const struct {
	enum file_table_field from;
	enum survey_quantity to, unlisted;
} sums[] = {
	{FILE_TABLE_PSS, SURVEY_PSS, SURVEY_UNLISTED_PSS},
	{FILE_TABLE_PRIVATE_DIRTY, SURVEY_PRIVATE_DIRTY, SURVEY_UNLISTED_PRIVATE_DIRTY},
	{FILE_TABLE_RSS, SURVEY_RSS, SURVEY_QUANTITIES},
	{FILE_TABLE_SWAP, SURVEY_SWAP, SURVEY_QUANTITIES},
};

/* Returns the sum of FIELD over the listed rows. */
static uint64_t sum_shown(
	const struct file_table *s, const bool *shown, enum file_table_field field)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->rows; i++)
		if (shown[i])
			sum += s->row[i].q[field];
	return sum;
}

static void survey_reader_set_sums(
	const struct file_table *s, const bool *shown, struct survey_result *to)
{
	struct file_table_row total;

	file_table_total(s, &total);
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++) {
		if (!file_table_has(&total, sums[i].from))
			continue;
		survey_result_set(to, sums[i].to, total.q[sums[i].from]);
		if (sums[i].unlisted != SURVEY_QUANTITIES)
			survey_result_set(to, sums[i].unlisted,
				total.q[sums[i].from] - sum_shown(s, shown, sums[i].from));
	}
}

/* If files did not fit into the table, the number of files is not known. */
static void set_counts(const struct survey_reader *s, const bool *shown, struct survey_result *to)
{
	const struct file_table *table = &s->files;
	uint64_t deleted = 0, unlisted = 0;

	for (unsigned int i = SURVEY_READ; i <= SURVEY_ERROR; i++)
		survey_result_set(to, (enum survey_quantity)i, s->q[i]);
	survey_result_set(to, SURVEY_BLOCKED, s->q[SURVEY_BLOCKED]);
	if (table->rest.q[FILE_TABLE_MAPPINGS])
		return;
	for (size_t i = 0; i < table->rows; i++) {
		deleted += file_table_is_deleted(&table->row[i]);
		unlisted += !shown[i];
	}
	survey_result_set(to, SURVEY_FILES, table->rows);
	survey_result_set(to, SURVEY_DELETED, deleted);
	survey_result_set(to, SURVEY_PROCESSES_DELETED, s->q[SURVEY_PROCESSES_DELETED]);
	survey_result_set(to, SURVEY_UNLISTED, unlisted);
}

static int survey_reader_describe(const struct survey_reader *s, struct survey_result *to)
{
	const struct file_table *table = &s->files;
	AUTO_FREE bool *shown = calloc(table->rows + 1, sizeof(*shown));

	if (!shown)
		return -ENOMEM;
	survey_reader_choose(table, FILE_TABLE_PSS, false, shown);
	survey_reader_choose(table, FILE_TABLE_PRIVATE_DIRTY, false, shown);
	survey_reader_choose(table, FILE_TABLE_PSS, true, shown);
	for (size_t i = 0; i < table->rows; i++)
		if (shown[i])
			survey_reader_show(table, &table->row[i], to);
	survey_reader_set_sums(table, shown, to);
	set_counts(s, shown, to);
	return to->rows.error ? to->rows.error : to->texts.error;
}

int survey_reader_end(struct survey_reader *s, uint64_t ended_ns, struct survey_result *ret)
{
	int r;

	survey_result_clear(ret);
	file_table_begin(&s->files); /* drops a process that was not read to its end */
	r = survey_reader_describe(s, ret);
	ret->begun_ns = s->begun_ns;
	ret->ended_ns = ended_ns;
	ret->is_there = r == 0;
	survey_reader_done(s);
	return r;
}
