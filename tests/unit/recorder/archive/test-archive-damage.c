/* SPDX-License-Identifier: Apache-2.0 */
/* Tests damaged files: what cannot be read is skipped and said, and all else is found. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/os/file.h"
#include "base/text.h"
#include "recorder/archive/segment-index.h"
#include "recorder/archive/segment.h"
#include "tests/unit/support/folder.h"
#include "tests/unit/support/recorder/recorded.h"

enum {
	PATH_SIZE = RECORDED_FOLDER_SIZE + SEGMENT_NAME_SIZE,
	SNAPSHOTS = 8,
};

/* Faults that a reader said. */
struct said {
	unsigned int count[ARCHIVE_FAULTS];
	char last[ARCHIVE_REASON_SIZE];
};

static void hear(void *context, enum archive_fault_kind kind, const char *text)
{
	struct said *said = context;

	said->count[kind]++;
	snprintf(said->last, sizeof(said->last), "%s", text);
	assert_true(text_is_clean(text, strlen(text)));
}

static struct archive_reader *reader_of(const char *folder, struct said *said)
{
	const struct archive_listener listener = {.call = hear, .context = said};
	char reason[ARCHIVE_REASON_SIZE];
	struct archive_reader *r = NULL;

	assert_int_equal(archive_reader_open(folder, &listener, &r, reason), 0);
	return r;
}

static void path_of(const char *folder, uint64_t number, char to[static PATH_SIZE])
{
	char name[SEGMENT_NAME_SIZE];

	segment_name(0, number, name);
	snprintf(to, PATH_SIZE, "%s/%s", folder, name);
}

/* The file of tier 0 in a new folder with SNAPSHOTS snapshots, and no other tier. */
struct segment {
	char folder[RECORDED_FOLDER_SIZE], path[PATH_SIZE];
	struct buffer bytes;
	struct segment_index index;
};

static struct segment segment_make(bool is_ended)
{
	struct segment s = {.bytes = {0}};
	AUTO_CLOSE int fd = -1;
	struct archive *a;
	char reason[ARCHIVE_REASON_SIZE];
	struct archive_limits limits = archive_default_limits(RECORDED_LIMIT);

	limits.tier[1].percent = limits.tier[2].percent = 0;
	recorded_folder(s.folder);
	assert_int_equal(archive_open(s.folder, &limits, &a, reason), 0);
	recorded_add(a, 0, SNAPSHOTS);
	path_of(s.folder, 1, s.path);
	if (is_ended)
		archive_close(a);
	assert_int_equal(file_read_all(AT_FDCWD, s.path, 1 << 26, &s.bytes), 0);
	if (!is_ended)
		archive_close(a);
	fd = open(s.path, O_RDONLY);
	assert_int_equal(segment_index_read(fd, s.bytes.len, &s.index), 0);
	assert_int_equal(s.index.count, SNAPSHOTS);
	return s;
}

/* Writes the first LEN bytes of S to its file. */
static void segment_write(const struct segment *s, size_t len)
{
	AUTO_CLOSE int fd = open(s->path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, s->bytes.data, len), len);
}

static void segment_done(struct segment *s)
{
	assert_int_equal(folder_remove(s->folder), 0);
	buffer_done(&s->bytes);
	segment_index_done(&s->index);
}
#define AUTO_SEGMENT CLEANUP(segment_done)

static uint64_t record_at(const struct segment *s, size_t i)
{
	return s->index.entry[i].at - sizeof(struct segment_record);
}

/* The file ends at any byte of its last record: all others are found, and recording goes on. */
static void test_torn(void **state)
{
	AUTO_SEGMENT struct segment s = segment_make(false);

	(void)state;
	for (size_t len = record_at(&s, SNAPSHOTS - 1); len < s.bytes.len; len += 7) {
		struct said said = {{0}};
		AUTO_ARCHIVE_READER struct archive_reader *r = NULL;

		segment_write(&s, len);
		r = reader_of(s.folder, &said);
		recorded_expect(r, PAST_AT, UINT64_MAX, SNAPSHOTS - 2);
		recorded_expect(r, PAST_AT, recorded_at(3), 3);
		/* It may be being written. */
		assert_int_equal(said.count[ARCHIVE_FAULT_TORN], 0);
	}
	{
		struct said said = {{0}};
		AUTO_ARCHIVE struct archive *a = recorded_open(s.folder, RECORDED_LIMIT);
		AUTO_ARCHIVE_READER struct archive_reader *r = NULL;

		recorded_add(a, SNAPSHOTS, SNAPSHOTS + 3);
		r = reader_of(s.folder, &said);
		recorded_expect(r, PAST_AT, recorded_at(SNAPSHOTS - 1), SNAPSHOTS - 2);
		recorded_expect(r, PAST_AT, UINT64_MAX, SNAPSHOTS + 2);
		assert_int_equal(said.count[ARCHIVE_FAULT_TORN], 1);
		assert_non_null(strstr(said.last, "tier0-"));
	}
}

/* The file ends anywhere, in its head, too. */
static void test_cut(void **state)
{
	AUTO_SEGMENT struct segment s = segment_make(true);

	(void)state;
	for (size_t len = 0; len < s.bytes.len; len += len < 300 ? 1 : 211) {
		struct said said = {{0}};
		AUTO_ARCHIVE_READER struct archive_reader *r = NULL;
		struct archive_found found;
		const char *reason;
		size_t whole = 0;
		int outcome;

		segment_write(&s, len);
		while (whole < SNAPSHOTS &&
			record_at(&s, whole) + segment_record_bytes(s.index.entry[whole].size) <=
				len)
			whole++;
		r = reader_of(s.folder, &said);
		outcome = archive_reader_find(r, PAST_AT, UINT64_MAX, &found, &reason);
		assert_int_equal(outcome, whole ? 0 : ARCHIVE_NONE);
		if (whole)
			assert_int_equal(found.at_ns, recorded_at(whole - 1));
	}
}

/*
 * Any bit is flipped. Records before it are found. If it is in a record's head or payload, the record
 * and its chain are skipped, which is said once. Nothing false is ever found.
 */
static void test_flipped(void **state)
{
	AUTO_SEGMENT struct segment s = segment_make(true);
	struct view *expected[SNAPSHOTS];

	(void)state;
	for (size_t i = 0; i < SNAPSHOTS; i++)
		expected[i] = recorded_view(i);
	for (size_t at = sizeof(struct segment_head); at < s.bytes.len; at += at < 400 ? 7 : 131) {
		struct said said = {{0}};
		AUTO_ARCHIVE_READER struct archive_reader *r = NULL;
		size_t damaged = 0, found = 0;

		while (damaged + 1 < SNAPSHOTS && record_at(&s, damaged + 1) <= at)
			damaged++;
		s.bytes.data[at] ^= 1 << (at % 8);
		segment_write(&s, s.bytes.len);
		s.bytes.data[at] ^= 1 << (at % 8);
		r = reader_of(s.folder, &said);
		for (size_t i = 0; i < SNAPSHOTS; i++) {
			struct archive_found f;
			const char *reason;
			int outcome = archive_reader_find(r, PAST_AT, recorded_at(i), &f, &reason);

			if (i < damaged)
				assert_int_equal(outcome, 0);
			if (outcome != 0 || f.at_ns != recorded_at(i))
				continue;
			recorded_assert_same(f.view, expected[i]);
			found++;
		}
		assert_in_range(found, damaged, SNAPSHOTS);
		assert_int_equal(said.count[ARCHIVE_FAULT_DAMAGED], found < SNAPSHOTS);
		if (found < SNAPSHOTS)
			assert_non_null(strstr(
				said.last, "tier0-00000000000000000001.rec: damaged at byte"));
	}
	for (size_t i = 0; i < SNAPSHOTS; i++)
		view_unref(expected[i]);
}

/* Returns the first entry of INDEX after FROM that is a key. */
static uint32_t next_key(const struct segment_index *index, uint32_t from)
{
	do
		assert_true(++from < index->count);
	while (index->entry[from].key != from);
	return from;
}

static void flip(int fd, uint64_t at)
{
	char byte;

	assert_int_equal(pread(fd, &byte, 1, (off_t)at), 1);
	byte ^= 4;
	assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
}

/* After a damaged head or payload all chains that begin later are found, with a gap before them. */
static void test_next_key(void **state)
{
	char folder[RECORDED_FOLDER_SIZE], path[PATH_SIZE];
	struct archive_limits limits = archive_default_limits(RECORDED_LIMIT);
	char reason[ARCHIVE_REASON_SIZE];
	struct segment_index index = {NULL};
	struct archive *a = NULL;
	uint32_t second, third;

	(void)state;
	limits.tier[1].percent = limits.tier[2].percent = 0;
	recorded_folder(folder);
	assert_int_equal(archive_open(folder, &limits, &a, reason), 0);
	recorded_add(a, 0, 300); /* several chains, in one file */
	archive_close(a);
	path_of(folder, 1, path);
	{
		AUTO_CLOSE int fd = open(path, O_RDWR);
		struct stat st;

		assert_int_equal(fstat(fd, &st), 0);
		assert_int_equal(segment_index_read(fd, (uint64_t)st.st_size, &index), 0);
		second = next_key(&index, 0);
		third = next_key(&index, second);
		flip(fd, index.entry[2].at - 9);
		flip(fd, index.entry[second + 2].at + 20);
	}
	{
		struct said said = {{0}};
		AUTO_ARCHIVE_READER struct archive_reader *r = reader_of(folder, &said);
		struct archive_series s = archive_reader_series(0, UINT64_MAX, 0);
		struct archive_found found;
		const char *why;
		unsigned int count = 0;

		recorded_expect(r, PAST_AT, recorded_at(1), 1);
		recorded_expect(r, PAST_AT, recorded_at(second - 1), 1); /* the nearest before it */
		recorded_expect(r, PAST_AFTER, recorded_at(1), second);
		recorded_expect(r, PAST_AT, recorded_at(second + 1), second + 1);
		recorded_expect(r, PAST_AT, recorded_at(third - 1), second + 1);
		recorded_expect(r, PAST_AT, recorded_at(299), 299);
		while (archive_reader_next(r, &s, &found, &why) == 0) {
			bool is_behind_gap = found.at_ns == recorded_at(second) ||
			                     found.at_ns == recorded_at(third);

			assert_int_equal(found.marks, is_behind_gap ? PAST_MARK_GAP : 0);
			count++;
		}
		assert_int_equal(count, 2 + 2 + 300 - third);
		assert_int_equal(said.count[ARCHIVE_FAULT_DAMAGED], 1);
	}
	segment_index_done(&index);
	assert_int_equal(folder_remove(folder), 0);
}

static void write_file(const char *folder, uint64_t number, const void *data, size_t len)
{
	char path[PATH_SIZE];
	AUTO_CLOSE int fd = -1;

	path_of(folder, number, path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_int_equal(write(fd, data, len), len);
}

/* Files that are no segments, or of a later version: said with their name, and recording goes on. */
static void test_others(void **state)
{
	AUTO_SEGMENT struct segment s = segment_make(true);
	struct segment_head newer = segment_head_make(0, 7, 0), wrong = segment_head_make(0, 9, 0);
	struct said said = {{0}};
	char path[PATH_SIZE], text[200] = "SQLite format 3";

	(void)state;
	newer.major++;
	write_file(s.folder, 5, text, sizeof(text));
	write_file(s.folder, 7, &newer, sizeof(newer));
	write_file(s.folder, 8, &wrong, sizeof(wrong));
	path_of(s.folder, 9, path);
	assert_int_equal(mkdir(path, 0700), 0);
	path_of(s.folder, 10, path);
	assert_int_equal(mkfifo(path, 0600), 0);
	path_of(s.folder, 11, path);
	assert_int_equal(symlink("/dev/zero", path), 0);
	{
		AUTO_ARCHIVE_READER struct archive_reader *r = reader_of(s.folder, &said);
		struct archive_coverage c;

		for (unsigned int i = 0; i < SNAPSHOTS; i++)
			recorded_expect(r, PAST_AT, recorded_at(i), i);
		assert_int_equal(said.count[ARCHIVE_FAULT_FOREIGN], 2);
		assert_int_equal(said.count[ARCHIVE_FAULT_NEWER], 1);
		assert_int_equal(archive_reader_coverage(r, &c), 0);
		assert_int_equal(c.skipped, 3);
	}
	{
		AUTO_ARCHIVE struct archive *a = recorded_open(s.folder, RECORDED_LIMIT);
		AUTO_ARCHIVE_READER struct archive_reader *r = recorded_reader(s.folder);

		recorded_add(a, SNAPSHOTS, SNAPSHOTS + 2);
		recorded_expect(r, PAST_AT, UINT64_MAX, SNAPSHOTS + 1);
	}
}

/* A record is missing, and nothing is damaged: those that follow it in its chain are not found. */
static void test_missing(void **state)
{
	AUTO_SEGMENT struct segment s = segment_make(false);
	size_t from = record_at(&s, 3), to = record_at(&s, 4);
	AUTO_ARCHIVE_READER struct archive_reader *r = NULL;

	(void)state;
	memmove(s.bytes.data + from, s.bytes.data + to, s.bytes.len - to);
	segment_write(&s, s.bytes.len - (to - from));
	{
		AUTO_CLOSE int fd = open(s.path, O_RDONLY);

		assert_int_equal(segment_index_read(fd, s.bytes.len - (to - from), &s.index), 0);
		assert_int_equal(s.index.entry[2].key, 0);
		assert_int_equal(s.index.entry[3].key, SEGMENT_NO_KEY);
		assert_int_equal(s.index.entry[4].key, SEGMENT_NO_KEY);
		assert_int_equal(s.index.damages, 0);
	}
	r = recorded_reader(s.folder);
	recorded_expect(r, PAST_AT, recorded_at(1), 1);
	recorded_expect(r, PAST_AT, recorded_at(7), 2);
}

/* A file is replaced by another one while it is read. */
static void test_replaced(void **state)
{
	AUTO_SEGMENT struct segment s = segment_make(false), other = segment_make(false);
	AUTO_ARCHIVE_READER struct archive_reader *r = NULL;
	struct archive *a;

	(void)state;
	assert_int_equal(unlink(other.path), 0);
	a = recorded_open(other.folder, RECORDED_LIMIT);
	recorded_add(a, 100, 100 + SNAPSHOTS);
	archive_close(a);
	buffer_clear(&other.bytes);
	assert_int_equal(file_read_all(AT_FDCWD, other.path, 1 << 26, &other.bytes), 0);
	segment_write(&s, s.bytes.len);
	r = recorded_reader(s.folder);
	recorded_expect(r, PAST_AT, recorded_at(3), 3);
	{
		AUTO_CLOSE int fd = open(s.path, O_WRONLY | O_TRUNC);

		assert_int_equal(write(fd, other.bytes.data, other.bytes.len), other.bytes.len);
	}
	recorded_expect(r, PAST_AT, recorded_at(105), 105);
}

/* Another program grows, cuts and removes files while they are read. */
static void test_meddling(void **state)
{
	AUTO_SEGMENT struct segment s = segment_make(false);
	AUTO_ARCHIVE_READER struct archive_reader *r = recorded_reader(s.folder);
	struct archive_found found;
	const char *reason;

	(void)state;
	recorded_expect(r, PAST_AT, recorded_at(1), 1);
	segment_write(&s, record_at(&s, 4));
	recorded_expect(r, PAST_AT, recorded_at(7), 3);
	segment_write(&s, s.bytes.len);
	recorded_expect(r, PAST_AT, recorded_at(7), 7);
	assert_int_equal(unlink(s.path), 0);
	assert_int_equal(
		archive_reader_find(r, PAST_AT, recorded_at(7), &found, &reason), ARCHIVE_NONE);
	segment_write(&s, s.bytes.len);
	recorded_expect(r, PAST_AT, recorded_at(2), 2);
}

static uint64_t most_resident_kib(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	return (uint64_t)usage.ru_maxrss;
}

/* A record that claims a payload of 256 MiB, in a file with a hole: it is not read. */
static void test_hole(void **state)
{
	struct segment_record record = {.kind = SEGMENT_SNAPSHOT, .form = 1, .size = 256 << 20};
	struct segment_head head = segment_head_make(0, 1, 0);
	char folder[RECORDED_FOLDER_SIZE], path[PATH_SIZE];
	uint64_t before_kib;

	(void)state;
	recorded_folder(folder);
	path_of(folder, 1, path);
	record.realtime_ns = recorded_at(0);
	segment_record_seal(&record);
	{
		AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
		struct said said = {{0}};
		AUTO_ARCHIVE_READER struct archive_reader *r = NULL;
		struct archive_found found;
		const char *reason;

		assert_int_equal(write(fd, &head, sizeof(head)), sizeof(head));
		assert_int_equal(write(fd, &record, sizeof(record)), sizeof(record));
		assert_int_equal(
			ftruncate(fd, (off_t)(sizeof(head) + segment_record_bytes(record.size))),
			0);
		r = reader_of(folder, &said);
		before_kib = most_resident_kib();
		assert_int_equal(archive_reader_find(r, PAST_AT, UINT64_MAX, &found, &reason),
			ARCHIVE_DAMAGED);
		assert_int_equal(said.count[ARCHIVE_FAULT_DAMAGED], 1);
		assert_in_range(most_resident_kib() - before_kib, 0, 128 << 10);
	}
	assert_int_equal(folder_remove(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hole),
		cmocka_unit_test(test_torn),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_flipped),
		cmocka_unit_test(test_next_key),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_meddling),
	};

	return cmocka_run_group_tests(tests, folder_enter, folder_leave);
}
