/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of snapshot/view.h: the validating reader, with forged and damaged images. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <math.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "snapshot/view.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/snapshot/sample.h"
#include "tests/unit/support/snapshot/walk.h"

/* Copy of an image, aligned, to be modified. */
struct image {
	unsigned char *data;
	size_t size;
};

static void image_done(struct image *image)
{
	free(image->data);
}
#define AUTO_IMAGE CLEANUP(image_done)

static struct image image_load(void)
{
	AUTO_CLOSE int fd = -1;
	struct image image;
	struct stat st;

	assert_int_equal(sample_seal(NULL, &fd), 0);
	assert_int_equal(fstat(fd, &st), 0);
	image.size = (size_t)st.st_size;
	image.data = malloc(image.size);
	assert_non_null(image.data);
	assert_int_equal(pread(fd, image.data, image.size, 0), st.st_size);
	return image;
}

static struct image_header *image_header(const struct image *image)
{
	return (void *)image->data;
}

static struct image_section *image_table(const struct image *image)
{
	return (void *)(image->data + image_header(image)->header_size);
}

/* Returns the table entry of KIND. The builder writes entries in ascending order of kinds. */
static struct image_section *image_section(const struct image *image, unsigned int kind)
{
	unsigned int i = 0;

	for (unsigned int k = image_next_kind(0); k != kind; k = image_next_kind(k))
		i++;
	return &image_table(image)[i];
}

static void *image_row(const struct image *image, unsigned int kind, size_t i)
{
	const struct image_section *s = image_section(image, kind);

	return image->data + s->offset + s->stride * i;
}

/* Opens IMAGE. An accepted image must satisfy the documentation in every field. */
static int image_open(const struct image *image, const char **ret_reason)
{
	AUTO_VIEW struct view *view = NULL;
	const char *wrong;
	int r;

	*ret_reason = NULL;
	r = view_from_bytes(image->data, image->size, &view, ret_reason);
	if (r < 0) {
		assert_null(view);
		assert_non_null(*ret_reason);
		return r;
	}
	assert_int_equal(r, 0);
	wrong = walk_view(view);
	if (wrong)
		fail_msg("accepted, but: %s", wrong);
	return 0;
}

static void accepts_the_sample(void **state)
{
	static const struct sample_options options[] = {
		{0}, {.is_public = true}, {.is_measured = true}, {.more = 1000}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		AUTO_VIEW struct view *view = sample_open(&options[i]);

		assert_null(walk_view(view));
		assert_int_equal(view_is_public(view), options[i].is_public);
		assert_int_equal(view_is_complete(view), options[i].is_measured);
		assert_int_equal(view_count(view, METRIC_HOST), 1);
		if (options[i].is_public)
			assert_int_equal(view_count(view, METRIC_PROCESS), 0);
	}
}

/* Forgeries: a change to a valid image, and the reason of its refusal. */

static void forge_nothing(struct image *image)
{
	(void)image;
}

enum { LAST_SECTION = SECTION_FILES };

#define FORGE(name, statement)                                                                     \
	static void forge_##name(struct image *image)                                              \
	{                                                                                          \
		statement;                                                                         \
	}
#define FORGE_HEADER(name, field, value)    FORGE(name, image_header(image)->field = (value))
#define FORGE_SECTION(name, kind, f, value) FORGE(name, image_section(image, kind)->f = (value))
#define FORGE_ROW(name, type, kind, i, f, value)                                                   \
	FORGE(name, ((struct type *)image_row(image, kind, i))->f = (value))

FORGE_HEADER(magic, magic[7], 'X')
FORGE_HEADER(byte_order, byte_order, UINT32_C(0x04030201))
FORGE_HEADER(major, major, IMAGE_MAJOR + 1)
FORGE_HEADER(larger, image_size, image->size + 8)
FORGE_HEADER(smaller, image_size, image->size - 8)
FORGE_HEADER(short_header, header_size, sizeof(struct image_header) - 8)
FORGE_HEADER(odd_header, header_size, sizeof(struct image_header) + 4)
FORGE_HEADER(long_header, header_size, (uint32_t)(image->size + 8) & ~7U)
FORGE_HEADER(huge_header, header_size, UINT32_MAX - 7)
FORGE_HEADER(no_sections, section_count, 0)
FORGE_HEADER(many_sections, section_count, IMAGE_SECTIONS_MAX + 1)
FORGE_HEADER(huge_sections, section_count, UINT32_MAX)
FORGE_HEADER(sequence, sequence, 0)
FORGE_HEADER(huge_sequence, sequence, UINT64_C(1) << 63)
FORGE_HEADER(interval, interval_ns, 0)
FORGE_HEADER(huge_interval, interval_ns, UINT64_C(1) << 63)
FORGE_HEADER(realtime, realtime_ns, UINT64_C(1) << 63)
FORGE_HEADER(stale, stale_ns, UINT64_C(1) << 63)
FORGE_HEADER(stale_before, stale_ns, image_header(image)->boottime_ns - 1)
FORGE_HEADER(begin_after, pass_begin_ns, image_header(image)->boottime_ns + 1)
FORGE_HEADER(public_with_processes, flags, IMAGE_PUBLIC)
FORGE_HEADER(own_with_files, flags, IMAGE_OWN)
FORGE_SECTION(
	public_with_files, SECTION_PROCESSES, count, (image_header(image)->flags = IMAGE_PUBLIC, 0))

FORGE_SECTION(no_stride, SECTION_OWNERS + OWNER_USER, stride, 0)
FORGE_SECTION(short_stride, SECTION_OWNERS + OWNER_USER, stride,
	sizeof(struct snapshot_scope) / 16 * 8 - 8)
FORGE_SECTION(headless, SECTION_SELF, stride, offsetof(struct snapshot_self, q) - 8)
FORGE_SECTION(claims_more, SECTION_SELF, stride, sizeof(struct snapshot_self) - 8)
FORGE_SECTION(odd_short_stride, SECTION_SELF, stride, sizeof(struct snapshot_self) - 4)
FORGE_SECTION(short_histogram, SECTION_HISTOGRAMS, stride, sizeof(struct snapshot_histogram) - 8)
FORGE_SECTION(odd_stride, LAST_SECTION, stride, sizeof(struct snapshot_file) + 4)
FORGE_SECTION(wide_strings, SECTION_STRINGS, stride, 8)
FORGE_SECTION(product_overflows, SECTION_OWNERS + OWNER_USER, count, UINT64_MAX / 8)
FORGE_SECTION(sum_overflows, SECTION_OWNERS + OWNER_USER, offset, UINT64_MAX - 7)
FORGE_SECTION(past_the_end, LAST_SECTION, count, image_section(image, LAST_SECTION)->count + 1)
FORGE_SECTION(far_past_the_end, LAST_SECTION, offset, (image->size + 8) & ~UINT64_C(7))
FORGE_SECTION(in_the_header, SECTION_STRINGS, offset, 8)
FORGE_SECTION(in_the_table, SECTION_STRINGS, offset,
	sizeof(struct image_header) + 7 * sizeof(struct image_section))
FORGE_SECTION(overlapping, SECTION_OWNERS + OWNER_PROGRAM, offset,
	image_section(image, SECTION_OWNERS + OWNER_USER)->offset)
FORGE_SECTION(by_a_row, SECTION_OWNERS + OWNER_USER, count,
	image_section(image, SECTION_OWNERS + OWNER_USER)->count + 1)
FORGE_SECTION(unaligned, LAST_SECTION, offset,
	(image_section(image, LAST_SECTION)->count = 0,
		image_section(image, LAST_SECTION)->offset + 4))
FORGE_SECTION(twice, SECTION_OWNERS + OWNER_PROGRAM, kind, SECTION_OWNERS + OWNER_USER)
FORGE_SECTION(no_users, SECTION_OWNERS + OWNER_USER, kind, 1000)
FORGE_SECTION(no_programs, SECTION_OWNERS + OWNER_PROGRAM, kind, 0)
FORGE_SECTION(no_units, SECTION_OWNERS + OWNER_UNIT, kind, SECTION_KIND_END_)
FORGE_SECTION(no_host, SECTION_HOST, count, 0)
FORGE_SECTION(no_host_section, SECTION_HOST, kind, UINT32_MAX)
FORGE_SECTION(no_self, SECTION_SELF, count, 0)
FORGE_SECTION(no_strings, SECTION_STRINGS, count, 0)
FORGE_SECTION(no_string_section, SECTION_STRINGS, kind, 99)

FORGE(first_string, *(char *)image_row(image, SECTION_STRINGS, 0) = 'x')
FORGE(last_string, *(char *)image_row(image, SECTION_STRINGS,
			   image_section(image, SECTION_STRINGS)->count - 1) = 'x')
FORGE(invalid_text, *(char *)image_row(image, SECTION_STRINGS, 1) = '\xff')
FORGE(escape, *(char *)image_row(image, SECTION_STRINGS, 1) = '\x1b')

FORGE_ROW(name_inside, snapshot_scope, SECTION_OWNERS + OWNER_USER, 0, name,
	((struct snapshot_scope *)image_row(image, SECTION_OWNERS + OWNER_USER, 0))->name + 1)
FORGE_ROW(name_beyond, snapshot_scope, SECTION_OWNERS + OWNER_UNIT, 1, name,
	(uint32_t)image_section(image, SECTION_STRINGS)->count)
FORGE_ROW(above, snapshot_scope, SECTION_OWNERS + OWNER_UNIT, 1, above, UINT32_MAX)
FORGE_ROW(name_far_beyond, snapshot_scope, SECTION_OWNERS + OWNER_PROGRAM, 1, name, UINT32_MAX)
FORGE_ROW(created, snapshot_scope, SECTION_HOST, 0, created_ns, UINT64_C(1) << 63)
FORGE_ROW(quantity, snapshot_scope, SECTION_OWNERS + OWNER_UNIT, 2, q[SCOPE_PSS], UINT64_C(1) << 63)
FORGE_ROW(not_a_number, snapshot_scope, SECTION_OWNERS + OWNER_USER, 0, q[SCOPE_PSS_BYTE_SECONDS],
	metric_real_bits(NAN))
FORGE_ROW(infinite, snapshot_scope, SECTION_OWNERS + OWNER_USER, 0, q[SCOPE_PSS_BYTE_SECONDS],
	metric_real_bits(INFINITY))
FORGE_ROW(negative, snapshot_scope, SECTION_OWNERS + OWNER_USER, 0, q[SCOPE_PSS_BYTE_SECONDS],
	metric_real_bits(-1))
FORGE_ROW(no_slope, snapshot_process, SECTION_PROCESSES, 4, q[PROCESS_ANON_SLOPE],
	metric_real_bits(-INFINITY))
FORGE_ROW(negative_error, snapshot_process, SECTION_PROCESSES, 4, q[PROCESS_ANON_SLOPE_ERROR],
	metric_real_bits(-1))
FORGE_ROW(two_others, snapshot_scope, SECTION_OWNERS + OWNER_PROGRAM, 0, flags, SCOPE_OTHER)
FORGE_ROW(pid_zero, snapshot_process, SECTION_PROCESSES, 4, pid, 0)
FORGE_ROW(pid_order, snapshot_process, SECTION_PROCESSES, 1, pid, 1)
FORGE_ROW(
	pid_huge, snapshot_process, SECTION_PROCESSES, SAMPLE_PROCESSES - 1, pid, UINT32_C(1) << 31)
FORGE_ROW(mm_pid, snapshot_process, SECTION_PROCESSES, 2, mm_pid, UINT32_C(1) << 31)
FORGE_ROW(ppid, snapshot_process, SECTION_PROCESSES, 2, ppid, UINT32_C(1) << 31)
FORGE_ROW(user, snapshot_process, SECTION_PROCESSES, 3, owner[OWNER_USER], UINT32_MAX)
FORGE_ROW(program, snapshot_process, SECTION_PROCESSES, 3, owner[OWNER_PROGRAM], UINT32_MAX)
FORGE_ROW(unit, snapshot_process, SECTION_PROCESSES, 3, owner[OWNER_UNIT], UINT32_MAX)
FORGE_ROW(container, snapshot_process, SECTION_PROCESSES, 3, owner[OWNER_CONTAINER], UINT32_MAX)
FORGE_ROW(runtime, snapshot_scope, SECTION_OWNERS + OWNER_CONTAINER, 0, id, RUNTIME_COUNT_)
FORGE_ROW(whose, snapshot_scope, SECTION_OWNERS + OWNER_SESSION, 0, user, UINT32_MAX)
FORGE_ROW(source, snapshot_process, SECTION_PROCESSES, 4, source, SOURCE_COUNT_)
FORGE_ROW(outcome, snapshot_process, SECTION_PROCESSES, 4, outcome, OUTCOME_COUNT_)
FORGE_ROW(process_quantity, snapshot_process, SECTION_PROCESSES, 4, q[PROCESS_RSS], UINT64_MAX)
FORGE_ROW(version, snapshot_self, SECTION_SELF, 0, version, 3)
FORGE_ROW(self_quantity, snapshot_self, SECTION_SELF, 0, q[SELF_CPU], UINT64_MAX)
FORGE_ROW(balance_quantity, snapshot_balance, SECTION_BALANCE, 0, q[BALANCE_FREE], UINT64_MAX)
FORGE_ROW(residual, snapshot_balance, SECTION_BALANCE, 0, q[BALANCE_RESIDUAL], UINT64_C(1) << 63)
FORGE_ROW(holding_quantity, snapshot_holding, SECTION_HOLDINGS, 0, q[SHMEM_SYSV], UINT64_MAX)
FORGE_ROW(holding_name, snapshot_holding, SECTION_HOLDINGS, 0, name, UINT32_MAX)
FORGE_ROW(file_quantity, snapshot_file, SECTION_FILES, 1, q[FILE_PSS], UINT64_C(1) << 63)
FORGE_ROW(file_path, snapshot_file, SECTION_FILES, 1, path,
	((struct snapshot_file *)image_row(image, SECTION_FILES, 1))->path + 1)
FORGE_ROW(file_path_beyond, snapshot_file, SECTION_FILES, SAMPLE_FILES - 1, path, UINT32_MAX)
FORGE_ROW(survey_quantity, snapshot_survey, SECTION_SURVEY, 0, q[SURVEY_AGE], UINT64_MAX)
FORGE_SECTION(short_file, SECTION_FILES, stride, offsetof(struct snapshot_file, q) - 8)
FORGE_SECTION(short_survey, SECTION_SURVEY, stride, sizeof(struct snapshot_survey) - 8)
FORGE_SECTION(two_surveys, SECTION_SURVEY, count,
	(image_section(image, SECTION_FILES)->count = 0,
		image_section(image, SECTION_FILES)->offset = image->size & ~UINT64_C(7), 2))
FORGE_ROW(histogram_count, snapshot_histogram, SECTION_HISTOGRAMS, 0, count, 43)
FORGE_ROW(histogram_sum, snapshot_histogram, SECTION_HISTOGRAMS, 0, sum_ns, UINT64_MAX)
FORGE(histogram_overflow, ((struct snapshot_histogram *)image_row(image, SECTION_HISTOGRAMS, 0))
				  ->bucket[0] = UINT64_MAX)

/* Absent quantities, and those of a newer version, may have any value. */
FORGE(absent_garbage, {
	struct snapshot_process *row = image_row(image, SECTION_PROCESSES, 1);

	assert_false(ROW_HAS(row, PROCESS_PSS));
	row->q[PROCESS_PSS] = UINT64_MAX;
	row->present |= UINT64_C(1) << 63;
})
/* The largest possible values. */
FORGE_HEADER(largest_sequence, sequence, INT64_MAX)
FORGE_HEADER(largest_times, realtime_ns,
	(image_header(image)->stale_ns = image_header(image)->interval_ns = INT64_MAX))
FORGE_ROW(largest_created, snapshot_scope, SECTION_HOST, 0, created_ns, INT64_MAX)
FORGE_ROW(largest_quantity, snapshot_scope, SECTION_OWNERS + OWNER_UNIT, 2, q[SCOPE_PSS], INT64_MAX)
FORGE_ROW(largest_pid, snapshot_process, SECTION_PROCESSES, SAMPLE_PROCESSES - 1, pid, INT32_MAX)
FORGE_ROW(largest_mm_pid, snapshot_process, SECTION_PROCESSES, 2, mm_pid, INT32_MAX)
FORGE_ROW(largest_ppid, snapshot_process, SECTION_PROCESSES, 2, ppid, INT32_MAX)
FORGE_ROW(largest_sum, snapshot_histogram, SECTION_HISTOGRAMS, 0, sum_ns, INT64_MAX)
FORGE_ROW(other_histogram, snapshot_histogram, SECTION_HISTOGRAMS, 0, id, 1000)
FORGE_HEADER(minor, minor, UINT16_MAX)
FORGE_HEADER(other_flags, flags, ~(uint64_t)(IMAGE_PUBLIC | IMAGE_OWN))
FORGE_ROW(least_residual, snapshot_balance, SECTION_BALANCE, 0, q[BALANCE_RESIDUAL],
	(uint64_t)-INT64_MAX)
FORGE(other_holding, {
	struct snapshot_holding *row = image_row(image, SECTION_HOLDINGS, 0);

	row->kind = HOLDING_KINDS;
	row->q[0] = UINT64_MAX;
})
FORGE_SECTION(no_balance, SECTION_BALANCE, kind, 1000)
FORGE_SECTION(empty_balance, SECTION_BALANCE, count, 0)
FORGE_SECTION(no_holdings, SECTION_HOLDINGS, kind, 1000)
FORGE_SECTION(no_histograms, SECTION_HISTOGRAMS, kind, 1000)
FORGE_SECTION(no_survey, SECTION_SURVEY, kind, 1000)
FORGE_SECTION(empty_survey, SECTION_SURVEY, count, 0)
FORGE_SECTION(no_files, SECTION_FILES, kind, 1002)
FORGE_SECTION(new_kind, SECTION_FILES, kind, SECTION_KIND_END_)
FORGE_ROW(any_inode, snapshot_file, SECTION_FILES, 2, inode, UINT64_MAX)
FORGE_ROW(any_flags, snapshot_file, SECTION_FILES, 2, flags, UINT32_MAX)
FORGE_ROW(absent_swap, snapshot_file, SECTION_FILES, 2, q[FILE_SWAP], UINT64_MAX)
FORGE_SECTION(no_processes, SECTION_PROCESSES, kind, 1001)

#define BAD(name, reason)                                                                          \
	{                                                                                          \
#name, forge_##name, -EBADMSG, reason                                              \
	}
#define GOOD(name)                                                                                 \
	{                                                                                          \
#name, forge_##name, 0, NULL                                                       \
	}
#define OTHER(name, r, reason)                                                                     \
	{                                                                                          \
#name, forge_##name, r, reason                                                     \
	}

static const struct {
	const char *name;
	void (*forge)(struct image *image);
	int result;
	const char *reason;
} forgeries[] = {
	GOOD(nothing),
	BAD(magic, "not a memtally snapshot"),
	BAD(byte_order, "another byte order"),
	OTHER(major, -EPROTO, "another major version"),
	BAD(larger, "size differs from the header's"),
	BAD(smaller, "size differs from the header's"),
	BAD(short_header, "bad header size"),
	BAD(odd_header, "bad header size"),
	BAD(long_header, "bad header size"),
	BAD(huge_header, "bad header size"),
	BAD(no_sections, "bad number of sections"),
	BAD(many_sections, "bad number of sections"),
	BAD(huge_sections, "bad number of sections"),
	BAD(sequence, "an impossible sequence"),
	BAD(huge_sequence, "an impossible sequence"),
	BAD(interval, "impossible times"),
	BAD(huge_interval, "impossible times"),
	BAD(realtime, "impossible times"),
	BAD(stale, "impossible times"),
	BAD(stale_before, "impossible times"),
	BAD(begin_after, "impossible times"),
	BAD(public_with_processes, "a public image with rows of processes"),
	BAD(public_with_files, "a public image with rows of files"),
	BAD(own_with_files, "an image for one user with rows of files"),
	BAD(no_stride, "a section reaches past the end"),
	BAD(short_stride, "rows are too short"),
	BAD(headless, "rows are too short"),
	BAD(claims_more, "a quantity behind the end of its row"),
	BAD(odd_short_stride, "rows are too short"),
	BAD(short_histogram, "rows are too short"),
	BAD(odd_stride, "a section reaches past the end"),
	BAD(wide_strings, "rows are too short"),
	BAD(product_overflows, "a section reaches past the end"),
	BAD(sum_overflows, "a section reaches past the end"),
	BAD(past_the_end, "a section reaches past the end"),
	BAD(far_past_the_end, "a section reaches past the end"),
	BAD(in_the_header, "sections overlap or are out of order"),
	BAD(in_the_table, "sections overlap or are out of order"),
	BAD(overlapping, "sections overlap or are out of order"),
	BAD(by_a_row, "sections overlap or are out of order"),
	BAD(unaligned, "a section is not aligned"),
	BAD(twice, "a section stands twice"),
	BAD(no_users, "a section is missing"),
	BAD(no_programs, "a section is missing"),
	BAD(no_units, "a section is missing"),
	BAD(no_host, "host and self need one row each"),
	BAD(no_host_section, "host and self need one row each"),
	BAD(no_self, "host and self need one row each"),
	BAD(no_strings, "the string table is not closed"),
	BAD(no_string_section, "the string table is not closed"),
	BAD(first_string, "the string table is not closed"),
	BAD(last_string, "the string table is not closed"),
	BAD(invalid_text, "a name is not clean text"),
	BAD(escape, "a name is not clean text"),
	BAD(name_inside, "a row without a name or a time"),
	BAD(name_beyond, "a row without a name or a time"),
	BAD(above, "a row without a name or a time"),
	BAD(name_far_beyond, "a row without a name or a time"),
	BAD(created, "a row without a name or a time"),
	BAD(quantity, "an impossible quantity"),
	BAD(not_a_number, "an impossible quantity"),
	BAD(infinite, "an impossible quantity"),
	BAD(negative, "an impossible quantity"),
	BAD(no_slope, "an impossible quantity"),
	BAD(negative_error, "an impossible quantity"),
	BAD(two_others, "two (other) rows"),
	BAD(pid_zero, "processes are not in order"),
	BAD(pid_order, "processes are not in order"),
	BAD(pid_huge, "processes are not in order"),
	BAD(mm_pid, "processes are not in order"),
	BAD(ppid, "processes are not in order"),
	BAD(user, "a process without a name"),
	BAD(program, "a process without a name"),
	BAD(unit, "a process without a name"),
	BAD(container, "a process without a name"),
	BAD(runtime, "an unknown id"),
	BAD(whose, "a row without a name or a time"),
	BAD(balance_quantity, "an impossible quantity"),
	BAD(residual, "an impossible quantity"),
	BAD(holding_quantity, "an impossible quantity"),
	BAD(holding_name, "a row without a name or a time"),
	BAD(file_quantity, "an impossible quantity"),
	BAD(file_path, "a file without a path"),
	BAD(file_path_beyond, "a file without a path"),
	BAD(survey_quantity, "an impossible quantity"),
	BAD(short_file, "rows are too short"),
	BAD(short_survey, "a quantity behind the end of its row"),
	BAD(two_surveys, "two surveys"),
	BAD(source, "an unknown source or outcome"),
	BAD(outcome, "an unknown source or outcome"),
	BAD(process_quantity, "an impossible quantity"),
	BAD(version, "an impossible quantity"),
	BAD(self_quantity, "an impossible quantity"),
	BAD(histogram_count, "an impossible histogram"),
	BAD(histogram_sum, "an impossible histogram"),
	BAD(histogram_overflow, "an impossible histogram"),
	GOOD(absent_garbage),
	GOOD(largest_sequence),
	GOOD(largest_times),
	GOOD(largest_created),
	GOOD(largest_quantity),
	GOOD(largest_pid),
	GOOD(largest_mm_pid),
	GOOD(largest_ppid),
	GOOD(largest_sum),
	GOOD(other_histogram),
	GOOD(minor),
	GOOD(other_flags),
	GOOD(least_residual),
	GOOD(other_holding),
	GOOD(no_balance),
	GOOD(empty_balance),
	GOOD(no_holdings),
	GOOD(no_histograms),
	GOOD(no_processes),
	GOOD(no_survey),
	GOOD(empty_survey),
	GOOD(no_files),
	GOOD(new_kind),
	GOOD(any_inode),
	GOOD(any_flags),
	GOOD(absent_swap),
};

static void gives_the_reason_of_a_refusal(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forgeries); i++) {
		AUTO_IMAGE struct image image = image_load();
		const char *reason;
		int r;

		forgeries[i].forge(&image);
		r = image_open(&image, &reason);
		if (r != forgeries[i].result ||
			(reason && strcmp(reason, forgeries[i].reason) != 0))
			print_error("%s: %d, %s\n", forgeries[i].name, r, reason ? reason : "-");
		assert_int_equal(r, forgeries[i].result);
		if (reason)
			assert_string_equal(reason, forgeries[i].reason);
	}
}

/* Otherwise its family would appear twice in an answer. */
static void refuses_a_histogram_twice(void **state)
{
	static const struct image_header head = {.sequence = 1, .interval_ns = 1};
	static const struct sample_options options;
	CLEANUP(builder_done) struct builder b = {0};

	(void)state;
	for (unsigned int id = 0; id <= HISTOGRAM_COUNT_; id++) {
		bool is_twice = id < HISTOGRAM_COUNT_;
		AUTO_CLOSE int fd = -1;
		AUTO_VIEW struct view *view = NULL;
		const char *reason = NULL;

		builder_begin(&b);
		assert_int_equal(sample_add(&b, &options), 0);
		builder_add_histogram(&b)->id = id;
		assert_int_equal(builder_seal(&b, &head, &fd), 0);
		assert_int_equal(view_open(fd, &view, &reason), is_twice ? -EBADMSG : 0);
		if (is_twice)
			assert_string_equal(reason, "a histogram stands twice");
	}
}

/* No truncated image opens, whether its header is adapted or not. */
static void refuses_every_truncation(void **state)
{
	AUTO_IMAGE struct image whole = image_load();

	(void)state;
	for (size_t size = 0; size < whole.size; size++) {
		/*
		 * Allocated to the exact size, so that valgrind and ASan find reads past the end.
		 */
		AUTO_FREE unsigned char *data = malloc(size ? size : 1);
		struct image cut = {.data = data, .size = size};
		const char *reason;

		assert_non_null(data);
		memcpy(data, whole.data, size);
		assert_int_equal(image_open(&cut, &reason), -EBADMSG);
		if (size >= sizeof(struct image_header))
			image_header(&cut)->image_size = size;
		assert_int_equal(image_open(&cut, &reason), -EBADMSG);
	}
}

/* With any byte damaged the image is refused, or every field stays in its range. */
static void accepts_no_damaged_byte_out_of_range(void **state)
{
	static const unsigned char damages[] = {0x01, 0x80, 0xff};
	AUTO_IMAGE struct image image = image_load();
	const char *reason;
	size_t refused = 0;

	(void)state;
	for (size_t i = 0; i < image.size; i += image.size / unit_rounds((unsigned int)image.size))
		for (size_t k = 0; k < ARRAY_SIZE(damages); k++) {
			image.data[i] ^= damages[k];
			refused += image_open(&image, &reason) < 0;
			image.data[i] ^= damages[k];
		}
	assert_int_equal(image_open(&image, &reason), 0);
	assert_true(refused > sizeof(struct image_header));
}

/* The same for several bytes at a time, and for whole words with extreme values. */
static void accepts_no_random_damage_out_of_range(void **state)
{
	static const uint64_t values[] = {0, 1, 7, 8, UINT32_MAX, UINT64_C(1) << 31,
		UINT64_C(1) << 32, UINT64_C(1) << 63, INT64_MAX, UINT64_MAX, UINT64_MAX - 7};
	AUTO_IMAGE struct image image = image_load();
	AUTO_FREE unsigned char *good = malloc(image.size);
	size_t top = sizeof(struct image_header) + 8 * sizeof(struct image_section);
	uint64_t dice = 4;
	const char *reason;

	(void)state;
	assert_non_null(good);
	memcpy(good, image.data, image.size);
	for (unsigned int round = 0; round < unit_rounds(20000); round++) {
		size_t within = round % 2 ? image.size : top;

		for (uint64_t n = 1 + unit_random(&dice) % 3; n; n--) {
			size_t at = unit_random(&dice) % (within / 4 - 1) * 4;

			memcpy(image.data + at, &values[unit_random(&dice) % ARRAY_SIZE(values)],
				unit_random(&dice) % 2 ? 4 : 8);
		}
		image_open(&image, &reason);
		memcpy(image.data, good, image.size);
	}
}

/*
 * What a newer minor version may change: a longer header, longer rows with more quantities, and
 * sections of unknown kinds before, between and after the known ones.
 */
static struct image make_newer(const struct image *old)
{
	enum { LONGER = 24, TABLE = 2 * (IMAGE_KINDS + 1) };
	struct image_section table[TABLE];
	struct image new = {.data = malloc(4 * old->size)};
	struct image_header *h = (void *)new.data;
	size_t count = 0;

	assert_non_null(new.data);
	memset(new.data, 0xa5, 4 * old->size);
	memcpy(h, old->data, sizeof(*h));
	h->minor++;
	h->header_size += LONGER;
	new.size = h->header_size + sizeof(table);
	for (unsigned int kind = 0; (kind = image_next_kind(kind));) {
		const struct image_section *from = image_section(old, kind);
		uint32_t stride = from->stride + (kind == SECTION_STRINGS ? 0 : LONGER);

		table[count++] = (struct image_section){
			.kind = 1000 + kind, .stride = 3, .offset = new.size, .count = 5};
		new.size += 16;
		table[count++] = (struct image_section){
			.kind = kind, .stride = stride, .offset = new.size, .count = from->count};
		for (uint64_t i = 0; i < from->count; i++)
			memcpy(new.data + new.size + stride *i,
				old->data + from->offset + from->stride * i, from->stride);
		new.size = (new.size + stride * from->count + 7) & ~(size_t)7;
	}
	while (count < TABLE)
		table[count++] = (struct image_section){
			.kind = UINT32_MAX, .stride = 1, .offset = new.size, .count = 0};
	memcpy(new.data + h->header_size, table, sizeof(table));
	h->section_count = TABLE;
	h->image_size = new.size;
	return new;
}

/* Marks the first unknown quantity as present: garbage to this reader. */
static void set_newer_quantities(struct image *image)
{
	struct snapshot_balance *balance = image_row(image, SECTION_BALANCE, 0);

	static_assert(
		SELF_QUANTITIES == 64, "memtallyd's own row has no bit left for another quantity");
	balance->present |= UINT64_C(1) << BALANCE_QUANTITIES;
	for (int scope = METRIC_HOST; scope < METRIC_OWNERS_END; scope++) {
		enum image_section_kind kind = view_section_kind((enum metric_scope)scope);

		for (size_t i = 0; i < image_section(image, kind)->count; i++) {
			struct snapshot_scope *row = image_row(image, kind, i);

			row->present |= UINT64_C(1) << SCOPE_QUANTITIES;
		}
	}
	for (size_t i = 0; i < SAMPLE_PROCESSES; i++) {
		struct snapshot_process *row = image_row(image, SECTION_PROCESSES, i);

		row->present |= UINT64_C(1) << PROCESS_QUANTITIES;
	}
}

static void understands_a_newer_minor(void **state)
{
	AUTO_IMAGE struct image old = image_load();
	AUTO_IMAGE struct image new = {0};
	AUTO_VIEW struct view *a = NULL, *b = NULL;
	const char *reason;

	(void)state;
	set_newer_quantities(&old);
	new = make_newer(&old);
	assert_int_equal(view_from_bytes(old.data, old.size, &a, &reason), 0);
	assert_int_equal(view_from_bytes(new.data, new.size, &b, &reason), 0);
	assert_null(walk_view(b));
	for (int scope = METRIC_HOST; scope < METRIC_OWNERS_END; scope++) {
		enum metric_scope s = (enum metric_scope)scope;

		assert_int_equal(view_count(a, s), view_count(b, s));
		for (uint32_t i = 0; i < view_count(a, s); i++)
			assert_memory_equal(view_scope(a, s, i), view_scope(b, s, i),
				sizeof(struct snapshot_scope));
	}
	assert_int_equal(view_count(b, METRIC_PROCESS), SAMPLE_PROCESSES);
	for (uint32_t i = 0; i < SAMPLE_PROCESSES; i++) {
		assert_memory_equal(
			view_process(a, i), view_process(b, i), sizeof(struct snapshot_process));
		assert_string_equal(view_owner(a, view_process(a, i), OWNER_PROGRAM),
			view_owner(b, view_process(b, i), OWNER_PROGRAM));
	}
	assert_memory_equal(view_self(a), view_self(b), sizeof(struct snapshot_self));
	assert_memory_equal(view_balance(a), view_balance(b), sizeof(struct snapshot_balance));
	assert_memory_equal(
		view_histogram(a, 0), view_histogram(b, 0), sizeof(struct snapshot_histogram));
}

enum { SHORTER = 16 }; /* bytes: two quantities */

/*
 * Makes an image of an older minor version: every row that ends with quantities lacks the last
 * two.
 */
static struct image make_older(const struct image *from)
{
	struct image old = {.data = malloc(from->size), .size = from->size};

	assert_non_null(old.data);
	memcpy(old.data, from->data, from->size);
	image_header(&old)->minor--;
	for (unsigned int kind = 0; (kind = image_next_kind(kind));) {
		struct image_section *s = image_section(&old, kind);
		uint32_t stride = s->stride - SHORTER;

		if (kind == SECTION_STRINGS || kind == SECTION_HISTOGRAMS)
			continue;
		for (uint64_t i = 0; i < s->count;
			i++) /* closes the gaps between rows, from the first on */
			memmove(old.data + s->offset + stride * i,
				from->data + s->offset + s->stride * i, stride);
		s->stride = stride;
	}
	return old;
}

static void absent_from(uint64_t *present, unsigned int quantities)
{
	*present &= (UINT64_C(1) << quantities) - 1;
}

/* Marks quantities without room in rows of make_older() as absent. */
static void unset_last_quantities(struct image *image)
{
	enum { LAST = SHORTER / 8 };

	for (int scope = METRIC_HOST; scope < METRIC_OWNERS_END; scope++) {
		enum image_section_kind kind = view_section_kind((enum metric_scope)scope);

		for (size_t i = 0; i < image_section(image, kind)->count; i++)
			absent_from(&((struct snapshot_scope *)image_row(image, kind, i))->present,
				SCOPE_QUANTITIES - LAST);
	}
	for (size_t i = 0; i < SAMPLE_PROCESSES; i++)
		absent_from(&((struct snapshot_process *)image_row(image, SECTION_PROCESSES, i))
				     ->present,
			PROCESS_QUANTITIES - LAST);
	for (size_t i = 0; i < SAMPLE_FILES; i++)
		absent_from(&((struct snapshot_file *)image_row(image, SECTION_FILES, i))->present,
			FILE_QUANTITIES - LAST);
	for (size_t i = 0; i < image_section(image, SECTION_HOLDINGS)->count; i++)
		absent_from(&((struct snapshot_holding *)image_row(image, SECTION_HOLDINGS, i))
				     ->present,
			HOLDING_QUANTITIES - LAST);
	absent_from(&((struct snapshot_self *)image_row(image, SECTION_SELF, 0))->present,
		SELF_QUANTITIES - LAST);
	absent_from(&((struct snapshot_balance *)image_row(image, SECTION_BALANCE, 0))->present,
		BALANCE_QUANTITIES - LAST);
	absent_from(&((struct snapshot_survey *)image_row(image, SECTION_SURVEY, 0))->present,
		SURVEY_QUANTITIES - LAST);
}

static void assert_same_row(uint64_t present, const uint64_t *q, uint64_t old_present,
	const uint64_t *old_q, size_t count)
{
	assert_int_equal(present, old_present);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(old_q[i], i < count - SHORTER / 8 ? q[i] : 0);
}

/*
 * After an upgrade, before memtallyd is restarted: quantities that the older minor version lacks
 * are absent.
 */
static void understands_an_older_minor(void **state)
{
	AUTO_IMAGE struct image new = image_load();
	AUTO_IMAGE struct image old = {0};
	AUTO_VIEW struct view *a = NULL, *b = NULL;
	const char *reason = "";

	(void)state;
	unset_last_quantities(&new);
	old = make_older(&new);
	assert_int_equal(view_from_bytes(new.data, new.size, &a, &reason), 0);
	if (view_from_bytes(old.data, old.size, &b, &reason) < 0)
		fail_msg("%s", reason);
	assert_null(walk_view(b));
	for (int scope = METRIC_HOST; scope < METRIC_OWNERS_END; scope++)
		for (uint32_t i = 0; i < view_count(a, (enum metric_scope)scope); i++) {
			const struct snapshot_scope *x = view_scope(a, (enum metric_scope)scope, i),
						    *y = view_scope(b, (enum metric_scope)scope, i);

			assert_string_equal(view_text(a, x->name), view_text(b, y->name));
			assert_same_row(x->present, x->q, y->present, y->q, SCOPE_QUANTITIES);
		}
	for (uint32_t i = 0; i < SAMPLE_PROCESSES; i++) {
		const struct snapshot_process *x = view_process(a, i), *y = view_process(b, i);

		assert_int_equal(x->pid, y->pid);
		assert_same_row(x->present, x->q, y->present, y->q, PROCESS_QUANTITIES);
	}
	assert_same_row(view_self(a)->present, view_self(a)->q, view_self(b)->present,
		view_self(b)->q, SELF_QUANTITIES);
	assert_same_row(view_balance(a)->present, view_balance(a)->q, view_balance(b)->present,
		view_balance(b)->q, BALANCE_QUANTITIES);
	assert_same_row(view_survey(a)->present, view_survey(a)->q, view_survey(b)->present,
		view_survey(b)->q, SURVEY_QUANTITIES);
}

static void opens_sealed_files_only(void **state)
{
	AUTO_IMAGE struct image image = image_load();
	int all = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
	const int seals[] = {0, all & ~F_SEAL_WRITE, all & ~F_SEAL_GROW, all & ~F_SEAL_SHRINK,
		all & ~F_SEAL_SEAL, all};
	unsigned int before = unit_descriptors();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(seals); i++) {
		AUTO_CLOSE int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		AUTO_VIEW struct view *view = NULL;
		const char *reason = NULL;

		assert_true(fd >= 0);
		assert_int_equal(write(fd, image.data, image.size), (ssize_t)image.size);
		assert_int_equal(fcntl(fd, F_ADD_SEALS, seals[i]), 0);
		if (seals[i] == all) {
			assert_int_equal(view_open(fd, &view, &reason), 0);
		} else {
			assert_int_equal(view_open(fd, &view, &reason), -EINVAL);
			assert_string_equal(reason, "not a sealed memory file");
			assert_null(view);
		}
	}
	assert_int_equal(unit_descriptors(), before);
}

static void refuses_other_files(void **state)
{
	AUTO_IMAGE struct image image = image_load();
	char path[] = "test-view-XXXXXX";
	AUTO_CLOSE int file = mkstemp(path);
	AUTO_CLOSE int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct view *view = NULL;
	const char *reason = NULL;

	(void)state;
	assert_true(file >= 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(write(file, image.data, image.size), (ssize_t)image.size);
	assert_int_equal(view_open(file, &view, &reason), -EINVAL);
	assert_int_equal(view_open(null, &view, &reason), -EINVAL);
	assert_int_equal(view_open(-1, &view, &reason), -EINVAL);
	assert_string_equal(reason, "not a sealed memory file");
	assert_null(view);
}

static void refuses_too_large_files(void **state)
{
	AUTO_CLOSE int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct view *view = NULL;
	const char *reason = NULL;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)IMAGE_SIZE_MAX + 1), 0); /* all of it a hole */
	assert_int_equal(
		fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE),
		0);
	assert_int_equal(view_open(fd, &view, &reason), -EFBIG);
	assert_string_equal(reason, "too large");
	assert_null(view);
}

static size_t mapped_snapshots(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	size_t count = 0;

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		count += strstr(line, "memtally-snapshot") != NULL;
	fclose(maps);
	return count;
}

/* The descriptor may be closed. The mapping is removed with the last reference, or on a refusal. */
static void lives_until_the_last_reference(void **state)
{
	AUTO_CLOSE int fd = -1;
	struct view *view = NULL;
	const char *reason = NULL;

	(void)state;
	assert_int_equal(sample_seal(NULL, &fd), 0);
	assert_int_equal(view_open(fd, &view, &reason), 0);
	fd = fd_close(fd);
	assert_int_equal(mapped_snapshots(), 1);
	assert_ptr_equal(view_ref(view), view);
	assert_null(view_unref(view));
	assert_null(walk_view(view));
	assert_null(view_unref(view));
	assert_int_equal(mapped_snapshots(), 0);
	assert_null(view_unref(NULL));

	assert_int_equal(sample_seal(NULL, &fd), 0);
	allocation_fail_at(1);
	assert_int_equal(view_open(fd, &view, &reason), -ENOMEM);
	assert_true(allocation_end());
	assert_string_equal(reason, "out of memory");
	assert_int_equal(mapped_snapshots(), 0);
}

static void finds_processes(void **state)
{
	static const struct sample_options options[] = {{0}, {.more = 999}, {.is_public = true}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		AUTO_VIEW struct view *view = sample_open(&options[i]);
		uint32_t last = 0;

		for (uint32_t k = 0; k < view_count(view, METRIC_PROCESS); k++) {
			uint32_t pid = view_process(view, k)->pid;

			assert_ptr_equal(view_find_process(view, pid), view_process(view, k));
			if (pid - last > 1)
				assert_null(view_find_process(view, pid - 1));
			last = pid;
		}
		assert_null(view_find_process(view, 0));
		assert_null(view_find_process(view, last + 1));
		assert_null(view_find_process(view, UINT32_MAX));
	}
}

static void finds_histograms(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);

	(void)state;
	for (uint32_t id = 0; id < HISTOGRAM_COUNT_; id++) {
		const struct snapshot_histogram *h = view_find_histogram(view, id);

		assert_non_null(h);
		assert_int_equal(h->id, id);
	}
	assert_null(view_find_histogram(view, HISTOGRAM_COUNT_));
}

static void knows_its_age(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	uint64_t at = SAMPLE_BOOTTIME_NS, stale = at + 3 * SAMPLE_INTERVAL_NS;

	(void)state;
	assert_int_equal(view_age_ns(view, at), 0);
	assert_int_equal(view_age_ns(view, at - 1), 0);
	assert_int_equal(view_age_ns(view, at + 5), 5);
	assert_false(view_is_stale(view, at));
	assert_false(view_is_stale(view, stale - 1));
	assert_true(view_is_stale(view, stale));
	assert_true(view_is_stale(view, UINT64_MAX));
}

static void prints_its_instance(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	char text[VIEW_INSTANCE_TEXT_SIZE];

	(void)state;
	view_format_instance(view, text);
	assert_string_equal(text, SAMPLE_INSTANCE);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts_the_sample),
		cmocka_unit_test(gives_the_reason_of_a_refusal),
		cmocka_unit_test(refuses_a_histogram_twice),
		cmocka_unit_test(refuses_every_truncation),
		cmocka_unit_test(accepts_no_damaged_byte_out_of_range),
		cmocka_unit_test(accepts_no_random_damage_out_of_range),
		cmocka_unit_test(understands_a_newer_minor),
		cmocka_unit_test(understands_an_older_minor),
		cmocka_unit_test(opens_sealed_files_only),
		cmocka_unit_test(refuses_other_files),
		cmocka_unit_test(refuses_too_large_files),
		cmocka_unit_test(lives_until_the_last_reference),
		cmocka_unit_test(finds_processes),
		cmocka_unit_test(finds_histograms),
		cmocka_unit_test(knows_its_age),
		cmocka_unit_test(prints_its_instance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
