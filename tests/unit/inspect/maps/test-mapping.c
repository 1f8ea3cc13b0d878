/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of inspect/maps/mapping.h: the smaps parser. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>

#include "base/os/file.h"
#include "inspect/maps/mapping.h"
#include "tests/unit/support/faults/allocation.h"

/* As Linux 6.18 prints them. */
#define FIELDS(size, rss, pss, anonymous, flags)                                                       \
	"Size:           " size " kB\nKernelPageSize:        4 kB\nMMUPageSize:           4 kB\n"      \
	"Rss:            " rss " kB\nPss:            " pss " kB\nPss_Dirty:             3 kB\n"        \
	"Shared_Clean:          4 kB\nShared_Dirty:          5 kB\nPrivate_Clean:         6 kB\n"      \
	"Private_Dirty:         7 kB\nReferenced:            8 kB\nAnonymous:      " anonymous         \
	" kB\nKSM:                   9 kB\nLazyFree:             10 kB\nAnonHugePages:        11 kB\n" \
	"ShmemPmdMapped:       12 kB\nFilePmdMapped:        13 kB\nShared_Hugetlb:       14 kB\n"      \
	"Private_Hugetlb:      15 kB\nSwap:                 16 kB\nSwapPss:              17 kB\n"      \
	"Locked:               18 kB\nTHPeligible:           1\nProtectionKey:         2\n"            \
	"VmFlags: " flags "\n"
#define FIRST                                                                                      \
	"561cd7c66000-561cd7c68000 r-xp 00002000 fe:1f 247134                     /usr/bin/a b:c\n"
#define SECOND "7f0000000000-7f0000001000 rw-s 00000000 00:01 1 \n"
#define ONE    FIRST FIELDS("       8", "       4", "       2", "       0", "rd ex mr mw me ")
#define TWO    SECOND FIELDS("    1234", "  123456", "12345678", "99999999", "rd wr")
#define LARGE  SECOND FIELDS("123456789", "       0", "       0", "       0", "rd wr")
#define ANCIENT                                                                                    \
	"00400000-00401000 r-xp 00000000 08:01 5 /bin/old\n"                                       \
	"Size:                  4 kB\nRss:                   4 kB\nPss:                   1 kB\n"

enum { KIB = 1024, SEEN_MAX = 8 };

struct seen {
	struct mapping item[SEEN_MAX];
	char path[SEEN_MAX][64], flags[SEEN_MAX][64];
	size_t count;
	int fails_at; /* 0: never */
};

static int take(const struct mapping *m, void *to)
{
	struct seen *s = to;

	assert_true(s->count < SEEN_MAX);
	assert_true(m->path_len < 64 && m->flags_len < 64);
	s->item[s->count] = *m;
	memcpy(s->path[s->count], m->path, m->path_len);
	memcpy(s->flags[s->count], m->flags, m->flags_len);
	s->count++;
	return s->fails_at && s->count == (size_t)s->fails_at ? 7 : 0;
}

static int feed(struct mapping_reader *r, const char *text, size_t len)
{
	char *room = mapping_reader_room(r, len);

	if (!room)
		return -ENOMEM;
	memcpy(room, text, len);
	return mapping_reader_feed(r, len);
}

static int read_all(const char *text, size_t piece, struct seen *ret)
{
	struct mapping_reader r = {.take = take, .context = ret};
	size_t len = strlen(text);
	int e = 0;

	for (size_t at = 0; e == 0 && at < len; at += piece)
		e = feed(&r, text + at, len - at < piece ? len - at : piece);
	if (e == 0)
		e = mapping_reader_end(&r);
	mapping_reader_done(&r);
	return e;
}

static void reads_every_field(void **state)
{
	static const uint64_t expected[MAPPING_FIELDS] = {
		8, 4, 4, 4, 2, 3, 4, 5, 6, 7, 8, 0, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 1, 2};
	struct seen s = {0};

	(void)state;
	assert_int_equal(read_all(ONE, SIZE_MAX / 2, &s), 0);
	assert_int_equal(s.count, 1);
	assert_int_equal(s.item[0].start, 0x561cd7c66000);
	assert_int_equal(s.item[0].end, 0x561cd7c68000);
	assert_string_equal(s.item[0].perms, "r-xp");
	assert_int_equal(s.item[0].offset, 0x2000);
	assert_int_equal(s.item[0].major, 0xfe);
	assert_int_equal(s.item[0].minor, 0x1f);
	assert_int_equal(s.item[0].inode, 247134);
	assert_string_equal(s.path[0], "/usr/bin/a b:c");
	assert_string_equal(s.flags[0], "rd ex mr mw me");
	assert_int_equal(s.item[0].present, (1 << MAPPING_FIELDS) - 1);
	for (unsigned int i = 0; i < MAPPING_FIELDS; i++)
		assert_int_equal(s.item[0].q[i],
			expected[i] * (mapping_field_is_amount((enum mapping_field)i) ? KIB : 1));
}

/* Mappings of the same form as the first one and of other forms, fed in pieces of any size. */
static void reads_any_form_in_pieces_of_any_size(void **state)
{
	static const char text[] = ONE TWO LARGE TWO ANCIENT ONE;

	(void)state;
	for (size_t piece = 1; piece <= sizeof(text); piece++) {
		struct seen s = {0};

		assert_int_equal(read_all(text, piece, &s), 0);
		assert_int_equal(s.count, 6);
		assert_int_equal(s.item[1].q[MAPPING_SIZE], 1234 * KIB);
		assert_int_equal(s.item[1].q[MAPPING_RSS], 123456 * KIB);
		assert_int_equal(s.item[1].q[MAPPING_PSS], UINT64_C(12345678) * KIB);
		assert_int_equal(s.item[3].q[MAPPING_ANONYMOUS], UINT64_C(99999999) * KIB);
		assert_int_equal(s.item[2].q[MAPPING_SIZE], UINT64_C(123456789) * KIB);
		assert_string_equal(s.item[1].perms, "rw-s");
		assert_string_equal(s.path[1], "");
		assert_string_equal(s.flags[2], "rd wr");
		assert_string_equal(s.path[4], "/bin/old");
		assert_int_equal(
			s.item[4].present, 1 << MAPPING_SIZE | 1 << MAPPING_RSS | 1 << MAPPING_PSS);
		assert_string_equal(s.flags[4], "");
		assert_int_equal(s.item[5].q[MAPPING_PSS], 2 * KIB);
	}
}

/*
 * All fields of Linux 6.18 except the flags must be part of the layout: fields outside take ten
 * times as long.
 */
static void layout_has_every_number(void **state)
{
	struct seen s = {0};
	struct mapping_reader r = {.take = take, .context = &s};

	(void)state;
	assert_int_equal(feed(&r, ONE TWO, strlen(ONE TWO)), 0);
	assert_int_equal(mapping_reader_end(&r), 0);
	assert_int_equal(r.layout.numbers, MAPPING_FIELDS);
	assert_int_equal(r.layout.present, (1 << MAPPING_FIELDS) - 1);
	mapping_reader_done(&r);
}

/*
 * A number of nine digits in the first mapping must not be taken for a number of eight digits
 * behind a constant digit.
 */
static void keeps_numbers_of_nine_digits(void **state)
{
	struct seen s = {0};

	(void)state;
	assert_int_equal(read_all(LARGE LARGE ONE LARGE, 4096, &s), 0);
	assert_int_equal(s.count, 4);
	assert_int_equal(s.item[1].q[MAPPING_SIZE], UINT64_C(123456789) * KIB);
	assert_int_equal(s.item[2].q[MAPPING_SIZE], 8 * KIB);
	assert_int_equal(s.item[3].q[MAPPING_SIZE], UINT64_C(123456789) * KIB);
}

/*
 * From Linux 5.0 to 6.5 THPeligible was not padded. The fields before it are still found by
 * position.
 */
static void unpadded_field_ends_the_layout(void **state)
{
	static const char text[] =
		"1000-2000 r--p 0 0:0 0\nRss:                   4 kB\nTHPeligible:    0\nVmFlags: rd\n"
		"2000-3000 r--p 0 0:0 0\nRss:                   8 kB\nTHPeligible:    1\nVmFlags: wr\n";
	struct seen s = {0};
	struct mapping_reader r = {.take = take, .context = &s};

	(void)state;
	assert_int_equal(feed(&r, text, strlen(text)), 0);
	assert_int_equal(mapping_reader_end(&r), 0);
	assert_int_equal(r.layout.len, 28);
	assert_int_equal(s.item[1].q[MAPPING_RSS], 8 * KIB);
	assert_int_equal(s.item[1].q[MAPPING_THP_ELIGIBLE], 1);
	assert_string_equal(s.flags[1], "wr");
	mapping_reader_done(&r);
}

/* Fields that a mapping lacks are 0, whatever the previous mapping had. */
static void missing_fields_are_zero(void **state)
{
	struct seen s = {0};

	(void)state;
	assert_int_equal(read_all(ONE ANCIENT ONE, 4096, &s), 0);
	for (unsigned int i = 0; i < MAPPING_FIELDS; i++)
		assert_true(mapping_has(&s.item[1], (enum mapping_field)i) || !s.item[1].q[i]);
	assert_int_equal(s.item[1].flags_len, 0);
	s = (struct seen){0};
	assert_int_equal(read_all("1000-2000 r--p 0 0:0 0\nRss:                   4 kB\n"
				  "2000-3000 ---p 0 0:0 0\nRss:                   8 kB\n"
				  "Swap:                  5 kB\n"
				  "3000-4000 ---p 0 0:0 0\nRss:                  12 kB\n"
				  "4000-5000 ---p 0 0:0 0\n",
				 4096, &s),
		0);
	assert_int_equal(s.item[1].q[MAPPING_SWAP], 5 * KIB);
	assert_int_equal(s.item[2].present, 1 << MAPPING_RSS);
	assert_int_equal(s.item[2].q[MAPPING_SWAP], 0);
}

/* The first mapping is an old kernel's; unknown lines are skipped. */
static void learns_the_layout_from_the_first_mapping(void **state)
{
	struct seen s = {0};

	(void)state;
	assert_int_equal(read_all(ANCIENT ANCIENT ONE, 100, &s), 0);
	assert_int_equal(s.count, 3);
	assert_int_equal(s.item[1].q[MAPPING_PSS], KIB);
	assert_int_equal(s.item[2].q[MAPPING_LOCKED], 18 * KIB);
	s = (struct seen){0};
	assert_int_equal(
		read_all("1000-2000 r--p 0 0:0 0\nRss:                   4 kB\n"
			 "New:                   5 kB\nNewer: a b\n2000-3000 ---p 0 0:0 0\n"
			 "Rss:                   8 kB\nNew:                   5 kB\nNewer: c\n",
			1000, &s),
		0);
	assert_int_equal(s.count, 2);
	assert_int_equal(s.item[1].q[MAPPING_RSS], 8 * KIB);
	s = (struct seen){0};
	assert_int_equal(read_all("1000-2000 r--p 0 0:0 0\n2000-3000 ---p 0 0:0 0\n", 9, &s), 0);
	assert_int_equal(s.count, 2);
	assert_int_equal(s.item[1].present, 0);
	assert_int_equal(read_all("", 1, &s), 0);
}

static void refuses_malformed_texts(void **state)
{
	static const char *const texts[] = {
		"Rss: 4 kB\n",
		"1000-2000 r--p 0 0:0 0\nRss:                   4 kB",
		"1000-2000 r--p 0 0:0 0",
		"1000-2000 r--p 0 0:0\n",
		"1000-2000 r--p 0 0 0\n",
		"1000-2000 r--p 0 0:0 0x\n",
		"1000-2000 r-\n",
		"1000-2000 rqxp 0 0:0 0\n",
		"1000-2000 rrrr 0 0:0 0\n",
		"1000 r--p 0 0:0 0\n",
		"2000-1000 r--p 0 0:0 0\n",
		"1000-2000 r--p 0 0:0 0\nRss: 4\n",
		"1000-2000 r--p 0 0:0 0\nRss: 4 kB \n",
		"1000-2000 r--p 0 0:0 0\nRss: four kB\n",
		"1000-2000 r--p 0 0:0 0\nRss: 4 kB\nRss: 4 kB\n",
		"1000-2000 r--p 0 0:0 0\nRss: 18446744073709551615 kB\n",
		"1000-2000 r--p 0 0:0 0\nTHPeligible: 1 kB\n",
		"1000-2000 r--p 0 0:0 0\nno colon\n",
		"10000000000000000000-20000000000000000000 r--p 0 0:0 0\n",
		ONE SECOND FIELDS("       8", "     4 4", "       2", "       0", "rd"),
		ONE SECOND FIELDS("       8", "    4   ", "       2", "       0", "rd"),
		ONE SECOND FIELDS("       8", "      :4", "       2", "       0", "rd"),
		ONE SECOND FIELDS("       8", "        ", "       2", "       0", "rd"),
		ONE SECOND FIELDS("       8", "      -4", "       2", "       0", "rd"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct seen s = {0};

		for (size_t piece = 1; piece < 2000; piece = piece * 3 + 1) {
			s.count = 0;
			if (read_all(texts[i], piece, &s) != -EBADMSG)
				fail_msg("text %zu in pieces of %zu", i, piece);
		}
	}
}

static void stops_if_the_taker_asks(void **state)
{
	struct seen s = {.fails_at = 2};

	(void)state;
	assert_int_equal(read_all(ONE TWO ONE, 50, &s), 7);
	assert_int_equal(s.count, 2);
	s = (struct seen){.fails_at = 2};
	assert_int_equal(read_all(ONE TWO, 50, &s), 7);
}

static void refuses_a_line_without_end(void **state)
{
	struct mapping_reader r = {0};
	char text[4096];
	int e = 0;

	(void)state;
	memset(text, 'a', sizeof(text));
	for (unsigned int i = 0; e == 0 && i < 1000; i++)
		e = feed(&r, text, sizeof(text));
	assert_int_equal(e, -EBADMSG);
	mapping_reader_done(&r);
}

static void fails_without_memory(void **state)
{
	struct mapping_reader r = {0};

	(void)state;
	allocation_fail_at(1);
	assert_null(mapping_reader_room(&r, 1));
	assert_true(allocation_end());
	mapping_reader_done(&r);
}

struct sums {
	uint64_t rss, mappings;
};

static int sum_up(const struct mapping *m, void *to)
{
	struct sums *s = to;

	s->rss += m->q[MAPPING_RSS];
	s->mappings++;
	assert_true(mapping_has(m, MAPPING_RSS) && mapping_has(m, MAPPING_SIZE));
	assert_true(m->q[MAPPING_SIZE] == m->end - m->start || m->start > INT64_MAX);
	return 0;
}

/* Reads the smaps of this process on this kernel. */
static void reads_its_own_smaps(void **state)
{
	AUTO_BUFFER struct buffer text = {0};
	struct sums s = {0};
	struct mapping_reader r = {.take = sum_up, .context = &s};
	uint64_t lines = 0;

	(void)state;
	assert_int_equal(file_read_all(AT_FDCWD, "/proc/self/smaps", 1 << 24, &text), 0);
	assert_int_equal(feed(&r, text.data, text.len), 0);
	assert_int_equal(mapping_reader_end(&r), 0);
	assert_true(s.rss > 0 && r.layout.len);
	for (size_t i = 0; i + 5 < text.len; i++)
		lines += !memcmp(text.data + i, "\nRss:", 5);
	assert_int_equal(s.mappings, lines);
	mapping_reader_done(&r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_every_field),
		cmocka_unit_test(reads_any_form_in_pieces_of_any_size),
		cmocka_unit_test(layout_has_every_number),
		cmocka_unit_test(keeps_numbers_of_nine_digits),
		cmocka_unit_test(unpadded_field_ends_the_layout),
		cmocka_unit_test(missing_fields_are_zero),
		cmocka_unit_test(learns_the_layout_from_the_first_mapping),
		cmocka_unit_test(refuses_malformed_texts),
		cmocka_unit_test(stops_if_the_taker_asks),
		cmocka_unit_test(refuses_a_line_without_end),
		cmocka_unit_test(fails_without_memory),
		cmocka_unit_test(reads_its_own_smaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
