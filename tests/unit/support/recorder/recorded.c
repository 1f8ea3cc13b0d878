/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/recorder/recorded.h"

#include <sys/stat.h>
#include <time.h>

#include "tests/unit/support/snapshot/sample.h"
#include "tests/unit/support/unit.h"

struct view *recorded_view_at(uint64_t i, uint64_t at_ns)
{
	struct sample_options options = {
		.sequence = i + 1,
		.realtime_ns = at_ns,
		.boottime_ns = SAMPLE_BOOTTIME_NS + i * RECORDED_STEP_NS,
		.more = 40 + (uint32_t)(i % 7) * 3,
		.exported = 20,
		.growth_kib = 4,
		.older_ns = i * RECORDED_STEP_NS,
		.is_unsurveyed = i % 50 < 25,
	};

	return sample_open(&options);
}

struct view *recorded_view(uint64_t i)
{
	return recorded_view_at(i, recorded_at(i));
}

/* Returns a view of the SIZE bytes at IMAGE, which it borrows: tests do not free them. */
static struct view *view_of(const void *image, size_t size)
{
	struct view *view = NULL;
	const char *reason = "";

	if (view_from_bytes(image, size, &view, &reason) < 0)
		fail_msg("%s", reason);
	return view;
}

/* Returns a view of a sealed copy of the SIZE bytes at IMAGE, which are freed. */
static struct view *sealed_view(unsigned char *image, size_t size)
{
	AUTO_FREE unsigned char *owned = image;
	AUTO_VIEW struct view *borrowed = view_of(owned, size);
	AUTO_CLOSE int fd = -1;
	struct view *view = NULL;
	const char *reason = "";

	assert_int_equal(archive_reader_seal(borrowed, &fd), 0);
	assert_int_equal(view_open(fd, &view, &reason), 0);
	return view;
}

/* Returns snapshot I of 300 more processes, each of which EDIT has changed. */
static struct view *edited(uint64_t i,
	void (*edit)(struct snapshot_process *row, uint64_t i, uint32_t number, uint64_t *dice))
{
	struct sample_options options = {
		.sequence = i + 1, .realtime_ns = recorded_at(i), .more = 300};
	AUTO_VIEW struct view *view = sample_open(&options);
	unsigned char *image = malloc(view->size);
	uint64_t dice = i;

	assert_non_null(image);
	memcpy(image, view->data, view->size);
	for (uint32_t k = 0; k < view_count(view, METRIC_PROCESS); k++) {
		size_t at = (size_t)((const unsigned char *)view_process(view, k) - view->data);

		edit((void *)(image + at), i, k, &dice);
	}
	return sealed_view(image, view->size);
}

static void make_noise(struct snapshot_process *row, uint64_t i, uint32_t number, uint64_t *dice)
{
	(void)i;
	(void)number;
	for (unsigned int q = 0; q < PROCESS_ANON_SLOPE; q++)
		row->q[q] = unit_random(dice) >> 1;
	row->present |= (UINT64_C(1) << PROCESS_ANON_SLOPE) - 1;
}

struct view *recorded_noise(uint64_t i)
{
	return edited(i, make_noise);
}

static void set_age(struct snapshot_process *row, uint64_t i, uint32_t number, uint64_t *dice)
{
	/* In each other pass from the last process to the first */
	uint64_t before_ns = (i % 2 ? number : 1000 - number) * UINT64_C(450000);

	ROW_SET(row, PROCESS_PSS_AGE, 1000000000 + before_ns + unit_random(dice) % 50000);
}

struct view *recorded_measured(uint64_t i)
{
	return edited(i, set_age);
}

/* Returns the image of VIEW with ROW_MORE more bytes in each row, and GAP more between sections. */
static struct view *rebuilt(const struct view *view, size_t row_more, size_t gap, bool has_other)
{
	struct image_header head = *view->header;
	const struct image_section *from = (const void *)(view->data + head.header_size);
	size_t room = 3 * view->size + (1 << 20), at;
	unsigned char *image = calloc(1, room);
	struct image_section table[IMAGE_SECTIONS_MAX] = {{0}};
	uint64_t dice = head.sequence;

	assert_non_null(image);
	head.section_count += has_other;
	head.minor++;
	at = head.header_size + head.section_count * sizeof(table[0]);
	for (uint32_t i = 0; i < head.section_count; i++) {
		bool is_other = i >= view->header->section_count;
		uint32_t old = is_other ? 0 : from[i].stride;

		table[i] = is_other ? (struct image_section){.kind = 60, .count = 5} : from[i];
		table[i].stride = old == 1 ? 1 : old + (uint32_t)row_more;
		table[i].offset = at;
		for (uint64_t k = 0; k < table[i].count; k++) {
			unsigned char *row = image + at + k * table[i].stride;
			uint64_t some = unit_random(&dice) % 3;

			if (old)
				memcpy(row, view->data + from[i].offset + k * old, old);
			if (old != 1 && row_more)
				memcpy(row + old, &some, sizeof(some));
		}
		at += (table[i].count * table[i].stride + 7) / 8 * 8 + (i == 2 ? gap : 0);
		assert_in_range(at, 0, room);
	}
	head.image_size = at;
	memcpy(image, &head, sizeof(head));
	memcpy(image + head.header_size, table, head.section_count * sizeof(table[0]));
	return sealed_view(image, at);
}

struct view *recorded_newer(const struct view *view)
{
	return rebuilt(view, 24, 0, true);
}

struct view *recorded_unusual(const struct view *view)
{
	return rebuilt(view, 0, 8, false);
}

struct view *recorded_copy_at(const struct view *view, uint64_t at_ns)
{
	unsigned char *image = malloc(view->size);

	assert_non_null(image);
	memcpy(image, view->data, view->size);
	((struct image_header *)(void *)image)->realtime_ns = at_ns;
	return sealed_view(image, view->size);
}

void recorded_folder(char folder[static RECORDED_FOLDER_SIZE])
{
	snprintf(folder, RECORDED_FOLDER_SIZE, "recording-XXXXXX");
	assert_non_null(mkdtemp(folder));
}

struct archive *recorded_open(const char *folder, uint64_t limit)
{
	struct archive_limits limits = archive_default_limits(limit);
	char reason[ARCHIVE_REASON_SIZE];
	struct archive *a = NULL;

	if (archive_open(folder, &limits, &a, reason) < 0)
		fail_msg("%s", reason);
	return a;
}

void recorded_add(struct archive *a, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++) {
		AUTO_VIEW struct view *view = recorded_view(i);

		if (archive_add(a, view, 0, i) < 0)
			fail_msg("%s", archive_reason(a));
	}
}

int recorded_sync(struct archive *a, uint64_t now_ns)
{
	const struct timespec nap = {.tv_nsec = 100000};
	int r = archive_sync(a, now_ns);

	while (r >= 0 && archive_is_syncing(a)) {
		nanosleep(&nap, NULL);
		r = archive_sync(a, now_ns);
	}
	return r;
}

struct archive_reader *recorded_reader(const char *folder)
{
	char reason[ARCHIVE_REASON_SIZE];
	struct archive_reader *r = NULL;

	if (archive_reader_open(folder, NULL, &r, reason) < 0)
		fail_msg("%s", reason);
	return r;
}

void recorded_expect(struct archive_reader *r, enum past_pick pick, uint64_t at_ns, uint64_t i)
{
	AUTO_VIEW struct view *expected = recorded_view(i);
	struct archive_found found;
	const char *reason = "";

	if (archive_reader_find(r, pick, at_ns, &found, &reason) != 0)
		fail_msg("snapshot %u: %s", (unsigned int)i, reason);
	assert_int_equal(found.at_ns, recorded_at(i));
	recorded_assert_same(found.view, expected);
}

void recorded_assert_same(const struct view *a, const struct view *b)
{
	assert_int_equal(a->size, b->size);
	assert_memory_equal(a->data, b->data, b->size);
}

uint64_t recorded_bytes(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	uint64_t bytes = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		struct stat st;

		assert_int_equal(fstatat(dirfd(dir), entry->d_name, &st, 0), 0);
		bytes += S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	}
	closedir(dir);
	return bytes;
}
