/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/procfs/smaps.h: the parsers of smaps_rollup and smaps. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>

#include "base/os/file.h"
#include "collectors/procfs/smaps.h"
#include "tests/unit/support/faults/allocation.h"

#define RANGE "55d4a3c00000-7ffd1c9f2000 ---p 00000000 00:00 0                          [rollup]\n"
#define PARTS                                                                                      \
	"Pss_Anon:           1001 kB\nPss_File:           1499 kB\nPss_Shmem:             1 kB\n"
#define FIELDS                                                                                     \
	"Shared_Clean:       2600 kB\nShared_Dirty:          2 kB\nPrivate_Clean:       400 kB\n"  \
	"Private_Dirty:      2003 kB\nReferenced:         5000 kB\nAnonymous:          2000 kB\n"  \
	"LazyFree:              0 kB\nAnonHugePages:      2048 kB\nShmemPmdMapped:     1024 kB\n"  \
	"FilePmdMapped:       512 kB\nShared_Hugetlb:     2048 kB\n"                               \
	"Private_Hugetlb:    4096 kB\nSwap:                128 kB\nSwapPss:             64 kB\n"   \
	"Locked:                0 kB\n"
#define ROLLUP_6_18                                                                                \
	RANGE "Rss:                5005 kB\nPss:                2501 kB\nPss_Dirty: 3 kB\n" PARTS  \
		FIELDS
#define ROLLUP_4_14 RANGE "Rss:                5005 kB\nPss:                2501 kB\n" FIELDS

static int parse_rollup(const char *text, struct smaps *ret)
{
	return smaps_parse_rollup(text, strlen(text), ret);
}

static bool has(const struct smaps *s, enum smaps_field i)
{
	return s->present >> i & 1;
}

static void parses_rollup(void **state)
{
	struct smaps s;

	(void)state;
	assert_int_equal(parse_rollup(ROLLUP_6_18, &s), 0);
	assert_int_equal(s.range_start, 0x55d4a3c00000);
	assert_int_equal(s.range_end, 0x7ffd1c9f2000);
	assert_int_equal(s.mappings, 1);
	assert_int_equal(s.shared_mappings, 1);
	assert_int_equal(s.present, (1 << SMAPS_FIELDS) - 1);
	assert_int_equal(s.q[SMAPS_RSS], 5005 * 1024);
	assert_int_equal(s.q[SMAPS_PSS], 2501 * 1024);
	assert_int_equal(s.q[SMAPS_PSS_ANON], 1001 * 1024);
	assert_int_equal(s.q[SMAPS_PSS_FILE], 1499 * 1024);
	assert_int_equal(s.q[SMAPS_PSS_SHMEM], 1024);
	assert_int_equal(s.q[SMAPS_SHARED_CLEAN], 2600 * 1024);
	assert_int_equal(s.q[SMAPS_SHARED_DIRTY], 2 * 1024);
	assert_int_equal(s.q[SMAPS_PRIVATE_CLEAN], 400 * 1024);
	assert_int_equal(s.q[SMAPS_PRIVATE_DIRTY], 2003 * 1024);
	assert_int_equal(s.q[SMAPS_SHARED_HUGETLB], 2048 * 1024);
	assert_int_equal(s.q[SMAPS_PRIVATE_HUGETLB], 4096 * 1024);
	assert_int_equal(s.q[SMAPS_SWAP_PSS], 64 * 1024);
	assert_int_equal(smaps_huge_bytes(&s), 3584 * 1024);
	assert_int_equal(smaps_rounding(&s), 1024);
}

/*
 * More huge pages than resident memory: no kernel prints that. It must not cause a negative
 * number.
 */
static void huge_pages_are_limited_by_the_rss(void **state)
{
	struct smaps s = {.q = {[SMAPS_RSS] = 4096}};

	(void)state;
	s.q[SMAPS_ANON_HUGE] = s.q[SMAPS_FILE_PMD_MAPPED] = INT64_MAX;
	s.q[SMAPS_SHMEM_PMD_MAPPED] = INT64_MAX;
	assert_int_equal(smaps_huge_bytes(&s), 4096);
	s.q[SMAPS_PSS] = 4000;
	s.shared_mappings = 2;
	assert_int_equal(smaps_rounding(&s), 96);
	s.shared_mappings = UINT64_MAX / 2;
	assert_int_equal(smaps_rounding(&s), 96);
	s.shared_mappings = 0;
	assert_int_equal(smaps_rounding(&s), 0);
}

/* smaps has a line more than rollup, the kernel's vsyscall page. Both must have the same range. */
static void range_excludes_vsyscall(void **state)
{
	static const char text[] =
		"400000-500000 r-xp 00000000 00:00 0    /x\nRss: 8 kB\nPss: 8 kB\n"
		"7fe000000000-7ff000000000 rw-p 00000000 00:00 0\nRss: 40 kB\nPss: 40 kB\n"
		"7ff000000000-7ff000001000 rw-p 00000000 00:00 0\nRss: 4 kB\nPss: 4 kB\n"
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0      [vsyscall]\n"
		"Rss: 0 kB\nPss: 0 kB\n";
	struct smaps_parser p = {0};
	struct smaps s;

	(void)state;
	for (unsigned int round = 0; round < 2; round++) {
		smaps_parser_init(&p);
		assert_int_equal(smaps_parser_feed(&p, text, sizeof(text) - 1), 0);
		assert_int_equal(smaps_parser_end(&p, &s), 0);
		assert_int_equal(s.range_start, 0x400000);
		assert_int_equal(s.range_end, 0x7ff000001000);
		assert_int_equal(s.mappings, 4);
		assert_int_equal(p.largest_rss, 40 * 1024);
	}
	smaps_parser_done(&p);
}

static void rollup_of_an_older_kernel_has_no_parts(void **state)
{
	struct smaps s;

	(void)state;
	assert_int_equal(parse_rollup(ROLLUP_4_14, &s), 0);
	assert_false(has(&s, SMAPS_PSS_ANON));
	assert_false(has(&s, SMAPS_PSS_FILE));
	assert_false(has(&s, SMAPS_PSS_SHMEM));
	assert_true(has(&s, SMAPS_SWAP_PSS));
	assert_int_equal(parse_rollup(RANGE "Rss: 0 kB\nPss: 0 kB\n", &s), 0);
	assert_int_equal(s.present, 1 << SMAPS_RSS | 1 << SMAPS_PSS);
	assert_int_equal(s.shared_mappings, 1); /* their absence does not mean zero */
}

static void refuses_malformed_texts(void **state)
{
	static const char *const texts[] = {
		"",
		"\n",
		RANGE,
		RANGE "Rss: 1 kB\n",
		RANGE "Pss: 1 kB\n",
		"Rss: 1 kB\nPss: 1 kB\n",             /* without a range */
		"Rss: 1 kB\n" RANGE "Pss: 1 kB\n",    /* a field before the range */
		RANGE RANGE "Rss: 1 kB\nPss: 1 kB\n", /* two ranges */
		RANGE "Rss: 1 kB\nPss: 2 kB\n",       /* more than the whole */
		RANGE "Rss: 3 kB\nPss: 1 kB\nPrivate_Clean: 2 kB\nPrivate_Dirty: 2 kB\n",
		RANGE "Rss: 9007199254740991 kB\nPss: 1 kB\nPrivate_Clean: 9007199254740991 kB\n"
		      "Private_Dirty: 9007199254740991 kB\n", /* more than 2^63 */
		RANGE "Rss: 1 kB\nRss: 1 kB\nPss: 1 kB\n",    /* a field twice */
		RANGE "Rss: 1 kB\nPss: 1 kB",                 /* cut */
		RANGE "Rss: 1 kB\nPss: 1\n",
		RANGE "Rss: 1 kB\nPss: 1 MB\n",
		RANGE "Rss: 18446744073709551615 kB\nPss: 1 kB\n",
		RANGE "Rss: 1 kB\r\nPss: 1 kB\r\n",
		"55d4a3c00000 ---p\nRss: 1 kB\nPss: 1 kB\n",
		"1 2 ---p\nRss: 1 kB\nPss: 1 kB\n",
		"55d4a3c00000-\nRss: 1 kB\nPss: 1 kB\n",
		"55d4a3c00000-x ---p\nRss: 1 kB\nPss: 1 kB\n",
		"55d4a3c00000-7ffd1c9f2000\nRss: 1 kB\nPss: 1 kB\n",
		"7ffd1c9f2000-55d4a3c00000 ---p\nRss: 1 kB\nPss: 1 kB\n", /* descending */
		"10000000000000000-20000000000000000 ---p\nRss: 1 kB\nPss: 1 kB\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct smaps s = {.mappings = 777};

		if (parse_rollup(texts[i], &s) != -EBADMSG)
			fail_msg("%s", texts[i]);
		assert_int_equal(s.mappings, 777);
	}
}

static void refuses_truncated_texts(void **state)
{
	struct smaps whole;

	(void)state;
	assert_int_equal(parse_rollup(ROLLUP_6_18, &whole), 0);
	for (size_t len = 0; len < sizeof(ROLLUP_6_18) - 1; len++) {
		AUTO_FREE char *cut = malloc(len + 1);
		struct smaps s;
		int r;

		assert_non_null(cut);
		memcpy(cut + 1, ROLLUP_6_18, len);
		r = smaps_parse_rollup(cut + 1, len, &s);
		if (!len || ROLLUP_6_18[len - 1] != '\n')
			assert_int_equal(r, -EBADMSG);
		if (r < 0)
			continue;
		/* The fields that are present are right. Missing ones are taken at their worst. */
		assert_true(has(&s, SMAPS_RSS) && has(&s, SMAPS_PSS));
		for (unsigned int i = 0; i < SMAPS_FIELDS; i++)
			if (has(&s, i))
				assert_int_equal(s.q[i], whole.q[i]);
		assert_int_equal(s.shared_mappings, whole.shared_mappings);
	}
}

/* Three mappings: shared text, private data, and one with a path that imitates fields. */
static const char mappings[] =
	"55d4a3c00000-55d4a3d00000 r-xp 00001000 fd:00 123456                     /usr/bin/bash\n"
	"Size:               1024 kB\nKernelPageSize:        4 kB\nMMUPageSize:           4 kB\n"
	"Rss:                 600 kB\nPss:                 300 kB\nShared_Clean:        400 kB\n"
	"Shared_Dirty:          0 kB\nPrivate_Clean:       200 kB\nPrivate_Dirty:         0 kB\n"
	"Shared_Hugetlb:       16 kB\nSwapPss:               1 kB\nVmFlags: rd ex mr mw me dw sd \n"
	"7f0000000000-7f0000100000 rw-p 00000000 00:00 0 \n"
	"Rss:                 100 kB\nPss:                 100 kB\nShared_Clean:          0 kB\n"
	"Shared_Dirty:          0 kB\nPrivate_Clean:         0 kB\nPrivate_Dirty:       100 kB\n"
	"Private_Hugetlb:      32 kB\nSwapPss:               2 kB\nTHPeligible:    0\n"
	"ProtectionKey:         0\nVmFlags: rd wr mr mw me ac sd \n"
	"7ffd1c900000-7ffd1c9f2000 rw-s 00000000 00:05 99                         "
	"/tmp/Pss: 99 kB\\012Rss:  (deleted)\n"
	"Rss:                  30 kB\nPss:                  10 kB\nShared_Clean:          0 kB\n"
	"Shared_Dirty:         20 kB\nPrivate_Clean:         0 kB\nPrivate_Dirty:        10 kB\n"
	"SwapPss:               4 kB\nVmFlags: rd wr sh mr mw me ms sd \n";

static int parse_pieces(
	struct smaps_parser *p, const char *text, size_t len, size_t piece, struct smaps *ret)
{
	int r = 0;

	smaps_parser_init(p);
	for (size_t at = 0; r == 0 && at < len; at += piece) {
		size_t n = len - at < piece ? len - at : piece;
		AUTO_FREE char *copy = malloc(n + 1);

		assert_non_null(copy);
		memcpy(copy + 1, text + at, n);
		r = smaps_parser_feed(p, copy + 1, n);
	}
	return r == 0 ? smaps_parser_end(p, ret) : r;
}

#define AUTO_PARSER CLEANUP(smaps_parser_done)

/* The same parser for pieces of any size. */
static void sums_up_mappings(void **state)
{
	AUTO_PARSER struct smaps_parser p = {0};

	(void)state;
	for (size_t piece = 1; piece <= sizeof(mappings); piece++) {
		struct smaps s = {0};

		assert_int_equal(parse_pieces(&p, mappings, sizeof(mappings) - 1, piece, &s), 0);
		assert_int_equal(s.mappings, 3);
		assert_int_equal(s.shared_mappings, 2);
		assert_int_equal(s.range_start, 0x55d4a3c00000);
		assert_int_equal(s.range_end, 0x7ffd1c9f2000);
		assert_int_equal(s.q[SMAPS_RSS], 730 * 1024);
		assert_int_equal(s.q[SMAPS_PSS], 410 * 1024);
		assert_int_equal(s.q[SMAPS_SHARED_CLEAN], 400 * 1024);
		assert_int_equal(s.q[SMAPS_SHARED_DIRTY], 20 * 1024);
		assert_int_equal(s.q[SMAPS_PRIVATE_CLEAN], 200 * 1024);
		assert_int_equal(s.q[SMAPS_PRIVATE_DIRTY], 110 * 1024);
		assert_int_equal(s.q[SMAPS_SHARED_HUGETLB], 16 * 1024);
		assert_int_equal(s.q[SMAPS_PRIVATE_HUGETLB], 32 * 1024);
		assert_int_equal(s.q[SMAPS_SWAP_PSS], 7 * 1024);
		assert_false(has(&s, SMAPS_PSS_ANON));
	}
}

static void assert_is_whole(const struct smaps *s)
{
	assert_int_equal(s->mappings, 3);
	assert_int_equal(s->q[SMAPS_RSS], 730 * 1024);
	assert_int_equal(s->q[SMAPS_PSS], 410 * 1024);
	if (has(s, SMAPS_PRIVATE_DIRTY))
		assert_int_equal(s->q[SMAPS_PRIVATE_DIRTY], 110 * 1024);
	if (has(s, SMAPS_SWAP_PSS))
		assert_int_equal(s->q[SMAPS_SWAP_PSS], 7 * 1024);
}

/* A cut between two mappings cannot be detected. */
/* By the first digit, whichever it is, including that of [vsyscall]. */
static void distinguishes_mappings_from_fields(void **state)
{
	static const char digits[] = "0123456789abcdef";
	AUTO_PARSER struct smaps_parser p = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(digits) - 1; i++) {
		char text[128];
		struct smaps s;
		int n = snprintf(text, sizeof(text),
			"1-2 r\nRss: 1 kB\nPss: 1 kB\n%cfffffff600000-%cfffffff601000 --xp\n"
			"Rss: 2 kB\nPss: 0 kB\n",
			digits[i], digits[i]);

		assert_int_equal(parse_pieces(&p, text, (size_t)n, 50, &s), 0);
		assert_int_equal(s.mappings, 2);
		assert_int_equal(s.q[SMAPS_RSS], 3 * 1024);
	}
}

static void refuses_mappings_that_are_cut(void **state)
{
	const size_t last = (size_t)(strstr(mappings, "(deleted)") - mappings);
	AUTO_PARSER struct smaps_parser p = {0};

	(void)state;
	for (size_t len = 0; len < sizeof(mappings) - 1; len++) {
		struct smaps s;
		int r = parse_pieces(&p, mappings, len, 100, &s);

		if (!len || mappings[len - 1] != '\n')
			assert_int_equal(r, -EBADMSG);
		else if (len > last && r == 0)
			assert_is_whole(&s);
	}
}

/* A sum over some mappings only is absent. Memory that is not said to be private may be shared. */
static void fields_missing_in_a_mapping_are_absent(void **state)
{
	static const char head[] =
		"1-2 r\nRss: 8 kB\nPss: 4 kB\nShared_Clean: 0 kB\nShared_Dirty: 0 kB\n"
		"Private_Clean: 4 kB\nPrivate_Dirty: 0 kB\nSwapPss: 4 kB\n";
	static const struct {
		const char *second;
		int result;
		uint64_t present, shared_mappings;
	} cases[] = {
		{"Rss: 8 kB\n", -EBADMSG, 0, 0},
		{"Pss: 8 kB\n", -EBADMSG, 0, 0},
		{"", -EBADMSG, 0, 0},
		{"Rss: 8 kB\nPss: 4 kB\n", 0, 1 << SMAPS_RSS | 1 << SMAPS_PSS, 1},
		{"Rss: 8 kB\nPss: 4 kB\nShared_Dirty: 0 kB\nSwapPss: 1 kB\n", 0,
			1 << SMAPS_RSS | 1 << SMAPS_PSS | 1 << SMAPS_SHARED_DIRTY |
				1 << SMAPS_SWAP_PSS,
			1},
		{"Rss: 8 kB\nPss: 4 kB\nShared_Dirty: 0 kB\nShared_Clean: 0 kB\nPss_Anon: 0 kB\n",
			0,
			1 << SMAPS_RSS | 1 << SMAPS_PSS | 1 << SMAPS_SHARED_DIRTY |
				1 << SMAPS_SHARED_CLEAN,
			0},
	};
	AUTO_PARSER struct smaps_parser p = {0};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		const char *second = cases[i / 2].second;
		char text[512];
		struct smaps s;
		int n = i % 2 ? snprintf(text, sizeof(text), "%s2-3 r\n%s", head, second)
		              : snprintf(text, sizeof(text), "2-3 r\n%s%s", second, head);

		assert_int_equal(parse_pieces(&p, text, (size_t)n, 9, &s), cases[i / 2].result);
		if (cases[i / 2].result < 0)
			continue;
		assert_int_equal(s.present, cases[i / 2].present);
		assert_int_equal(s.shared_mappings, cases[i / 2].shared_mappings);
		assert_int_equal(s.q[SMAPS_PSS], 8 * 1024);
	}
}

static void refuses_bad_mappings(void **state)
{
	static const char *const texts[] = {
		"Rss: 1 kB\n",
		"1-2 r\nRss: 1 kB\nRss: 1 kB\nPss: 1 kB\n",
		"1-2 r\nRss: 1 kB\nPss: 2 kB\n",
		"1-2 r\nRss: 1 kB\nPss: 1\n",
		"1-2\nRss: 1 kB\nPss: 1 kB\n",
		"1-2 r\nRss: 9007199254740991 kB\nPss: 0 kB\n2-3 r\nRss: 1 kB\nPss: 0 kB\n",
	};
	AUTO_PARSER struct smaps_parser p = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct smaps s;

		assert_int_equal(parse_pieces(&p, texts[i], strlen(texts[i]), 7, &s), -EBADMSG);
	}
}

/* A line without end must not use unlimited memory. */
static void refuses_a_line_without_end(void **state)
{
	static const char piece[4096] = {[0 ... 4095] = 'x'};
	AUTO_PARSER struct smaps_parser p = {0};
	int r = 0;

	(void)state;
	smaps_parser_init(&p);
	for (int i = 0; r == 0 && i < 10000; i++)
		r = smaps_parser_feed(&p, piece, sizeof(piece));
	assert_int_equal(r, -EBADMSG);
	assert_true(p.rest.capacity < 1 << 20);
}

static void returns_errors_without_memory(void **state)
{
	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_PARSER struct smaps_parser p = {0};
		struct smaps s;
		int r;

		smaps_parser_init(&p);
		allocation_fail_at(n);
		r = smaps_parser_feed(&p, mappings, 10);
		if (r == 0)
			r = smaps_parser_feed(&p, mappings + 10, sizeof(mappings) - 11);
		if (!allocation_check(r))
			assert_int_equal(smaps_parser_end(&p, &s), 0);
	}
}

static void stores_present_fields(void **state)
{
	struct snapshot_process row = {0};
	struct smaps s;

	(void)state;
	assert_int_equal(parse_rollup(ROLLUP_6_18, &s), 0);
	ROW_SET(&row, PROCESS_VM_SIZE, 5);
	smaps_store(&s, &row.present, row.q);
	assert_int_equal(row.q[PROCESS_VM_SIZE], 5);
	assert_int_equal(row.q[PROCESS_RSS], 5005 * 1024);
	assert_int_equal(row.q[PROCESS_PSS], 2501 * 1024);
	assert_int_equal(row.q[PROCESS_PSS_LOW], 2501 * 1024);
	assert_int_equal(row.q[PROCESS_PSS_HIGH], 2501 * 1024 + 1024); /* rounded down once */
	assert_int_equal(row.q[PROCESS_PSS_ANON], 1001 * 1024);
	assert_int_equal(row.q[PROCESS_USS], 2403 * 1024);
	assert_int_equal(row.q[PROCESS_SWAP_PSS], 64 * 1024);
	assert_int_equal(row.q[PROCESS_PRIVATE_HUGETLB], 4096 * 1024);
	assert_int_equal(row.q[PROCESS_SHARED_HUGETLB], 2048 * 1024);

	row = (struct snapshot_process){0};
	assert_int_equal(parse_rollup(RANGE "Rss: 9 kB\nPss: 8 kB\nPrivate_Clean: 1 kB\n", &s), 0);
	smaps_store(&s, &row.present, row.q);
	assert_false(ROW_HAS(&row, PROCESS_USS)); /* half of the USS is not a USS */
	assert_false(ROW_HAS(&row, PROCESS_PSS_ANON));
	assert_false(ROW_HAS(&row, PROCESS_SWAP_PSS));
	assert_false(ROW_HAS(&row, PROCESS_SHARED_HUGETLB));
	assert_int_equal(row.q[PROCESS_PSS_HIGH], 9 * 1024); /* whether it is shared is unknown */
}

/* smaps rounds each mapping. A PSS is never above the RSS. */
static void bounds_enclose_the_rounding(void **state)
{
	static const struct {
		uint64_t pss, rss, shared_mappings, high;
	} cases[] = {
		{1024, 1 << 20, 0, 1024},
		{1024, 1 << 20, 1, 1024 + 1024},
		{1024, 1 << 20, 3, 1024 + 3 * 1024},
		{1024, 2048, 3, 2048},
		{2048, 2048, 1, 2048},
		{0, INT64_MAX, UINT64_MAX / 2, INT64_MAX},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct smaps s = {.shared_mappings = cases[i].shared_mappings,
			.present = 1 << SMAPS_RSS | 1 << SMAPS_PSS};
		struct snapshot_process row = {0};

		s.q[SMAPS_PSS] = cases[i].pss;
		s.q[SMAPS_RSS] = cases[i].rss;
		smaps_store(&s, &row.present, row.q);
		assert_int_equal(row.q[PROCESS_PSS_LOW], cases[i].pss);
		assert_int_equal(row.q[PROCESS_PSS_HIGH], cases[i].high);
	}
}

/* Of this process: smaps_rollup, if the kernel has it, lies within the bounds of smaps. */
static void bounds_enclose_this_kernels_rollup(void **state)
{
	AUTO_BUFFER struct buffer text = {0};
	AUTO_PARSER struct smaps_parser p = {0};
	struct snapshot_process row = {0};
	struct smaps s = {0}, rollup = {0};
	int r;

	(void)state;
	r = file_read_all(AT_FDCWD, "/proc/self/smaps", 1 << 26, &text);
	if (r < 0)
		skip(); /* a kernel without CONFIG_PROC_PAGE_MONITOR */
	assert_int_equal(parse_pieces(&p, text.data, text.len, 4096, &s), 0);
	assert_true(s.mappings > 5);
	smaps_store(&s, &row.present, row.q);
	assert_true(row.q[PROCESS_PSS_LOW] > 0 && row.q[PROCESS_PSS_HIGH] <= row.q[PROCESS_RSS]);
	if (file_read_all(AT_FDCWD, "/proc/self/smaps_rollup", 1 << 20, &text) < 0)
		return;
	assert_int_equal(smaps_parse_rollup(text.data, text.len, &rollup), 0);
	assert_int_equal(rollup.range_start, s.range_start);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_rollup),
		cmocka_unit_test(huge_pages_are_limited_by_the_rss),
		cmocka_unit_test(range_excludes_vsyscall),
		cmocka_unit_test(rollup_of_an_older_kernel_has_no_parts),
		cmocka_unit_test(refuses_malformed_texts),
		cmocka_unit_test(refuses_truncated_texts),
		cmocka_unit_test(sums_up_mappings),
		cmocka_unit_test(distinguishes_mappings_from_fields),
		cmocka_unit_test(refuses_mappings_that_are_cut),
		cmocka_unit_test(fields_missing_in_a_mapping_are_absent),
		cmocka_unit_test(refuses_bad_mappings),
		cmocka_unit_test(refuses_a_line_without_end),
		cmocka_unit_test(returns_errors_without_memory),
		cmocka_unit_test(stores_present_fields),
		cmocka_unit_test(bounds_enclose_the_rounding),
		cmocka_unit_test(bounds_enclose_this_kernels_rollup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
