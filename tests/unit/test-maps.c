/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include "base/cleanup.h"
#include "collectors/maps.h"

static int parse(
	const char *text, size_t len, size_t piece, struct maps_segment *ret, size_t *ret_count)
{
	struct maps_parser p;
	int r = 0;

	maps_parser_init(&p);
	for (size_t at = 0; r == 0 && at < len; at += piece)
		r = maps_parser_feed(&p, text + at, len - at < piece ? len - at : piece);
	return r ? r : maps_parser_end(&p, ret, ret_count);
}

static const char plain[] =
	"55d0c0000000-55d0c0080000 r--p 00000000 fd:01 131                        /usr/bin/postgres\n"
	"55d0c0080000-55d0c0200000 r-xp 00080000 fd:01 131                        /usr/bin/postgres\n"
	"55d0c1000000-55d0c9000000 rw-p 00000000 00:00 0                          [heap]\n"
	"7f1000000000-7f1040000000 rw-s 00000000 00:01 2056                       /dev/zero (deleted)\n"
	"7f1040000000-7f104003f000 r-xp 00000000 fd:01 132                        /usr/lib/small.so\n"
	"7f1050000000-7f1050040000 rw-s 00000000 00:01 131                        /SYSV00000000 (deleted)\n"
	"7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0                          [stack]\n"
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n";

/* In pieces of every size: what is at least 256 KiB, largest first; all of a file as one, but not of two. */
static void finds_the_large_ones(void **state)
{
	(void)state;
	for (size_t piece = 1; piece <= sizeof(plain); piece++) {
		struct maps_segment s[MAPS_SEGMENTS];
		size_t count = 99;

		assert_int_equal(parse(plain, sizeof(plain) - 1, piece, s, &count), 0);
		assert_int_equal(count, 3);
		assert_int_equal(s[0].bytes, 1 << 30);
		assert_int_equal(s[0].device, 1);
		assert_int_equal(s[0].inode, 2056);
		assert_int_equal(s[1].bytes, 2 << 20);
		assert_true(s[1].device == (UINT64_C(0xfd) << 32 | 1) && s[1].inode == 131);
		assert_int_equal(s[2].bytes, 256 << 10);
		assert_int_equal(s[2].inode, 131);
	}
}

/* By these a text that ended early is told from a whole one. */
static void keeps_the_range(void **state)
{
	struct maps_parser p;

	(void)state;
	maps_parser_init(&p);
	assert_int_equal(maps_parser_feed(&p, plain, sizeof(plain) - 1), 0);
	assert_true(p.start == UINT64_C(0x55d0c0000000) && p.end == UINT64_C(0xffffffffff601000));
	assert_int_equal(p.mappings, 8);
}

static void takes_an_empty_text(void **state)
{
	struct maps_segment s[MAPS_SEGMENTS];
	size_t count = 99;

	(void)state;
	assert_int_equal(parse("", 0, 1, s, &count), 0);
	assert_int_equal(count, 0);
}

/* Of more than can be told apart the largest are kept, of those that are kept the largest told. */
static void is_bounded(void **state)
{
	struct maps_segment s[MAPS_SEGMENTS];
	struct maps_parser p;
	char line[128];
	size_t count;

	(void)state;
	maps_parser_init(&p);
	for (unsigned int i = 0; i < 1000; i++) {
		unsigned int mib = 1 + i * 7 % 1000;
		int n = snprintf(line, sizeof(line),
			"%x000000-%x000000 r--s 00000000 08:01 %u /x\n", 0x1000, 0x1000 + mib,
			i + 1);

		assert_int_equal(maps_parser_feed(&p, line, (size_t)n), 0);
	}
	assert_int_equal(maps_parser_end(&p, s, &count), 0);
	assert_int_equal(count, MAPS_SEGMENTS);
	for (unsigned int i = 0; i < MAPS_SEGMENTS; i++)
		assert_int_equal(s[i].bytes, (uint64_t)(1000 - i) << 24);
}

/* When all places are taken, a smaller one does not put out a larger. */
static void keeps_the_larger(void **state)
{
	struct maps_segment s[MAPS_SEGMENTS];
	struct maps_parser p;
	char line[128];
	size_t count;

	(void)state;
	maps_parser_init(&p);
	for (unsigned int i = 0; i < MAPS_CANDIDATES + 5; i++) {
		int n = snprintf(line, sizeof(line), "0-%x00000 r--s 00000000 08:01 %u /x\n",
			i < MAPS_CANDIDATES ? 2 + i : 1, i + 1);

		assert_int_equal(maps_parser_feed(&p, line, (size_t)n), 0);
	}
	assert_int_equal(p.count, MAPS_CANDIDATES);
	for (unsigned int i = 0; i < MAPS_CANDIDATES; i++)
		assert_in_range(p.item[i].inode, 1, MAPS_CANDIDATES);
	assert_int_equal(maps_parser_end(&p, s, &count), 0);
	assert_int_equal(count, MAPS_SEGMENTS);
}

/* A path is passed over, whatever is in it and however long. */
static void passes_over_paths(void **state)
{
	static const char head[] =
		"10000000-20000000 rw-s 0000000000000000 103:fffff 18446744073709551615 ";
	struct maps_segment s[MAPS_SEGMENTS] = {0};
	char text[sizeof(head) + 9000];
	size_t count = 0;

	(void)state;
	memcpy(text, head, sizeof(head) - 1);
	memset(text + sizeof(head) - 1, 0xff, 9000);
	memcpy(text + 200, "7f00-7f01 r--p 0 00:01 1 (deleted)\\012", 36);
	text[sizeof(head) - 1 + 8999] = '\n';
	assert_int_equal(parse(text, sizeof(head) - 1 + 9000, 1024, s, &count), 0);
	assert_int_equal(count, 1);
	assert_true(s[0].inode == UINT64_MAX && s[0].device == (UINT64_C(0x103) << 32 | 0xfffff));
}

static void refuses_what_no_kernel_prints(void **state)
{
	static const char *const bad[] = {
		"\n",
		"x\n",
		"10-20 rw-p 0 00:01 5 /x", /* cut */
		"10-20 rw-p 0 00:01 \n",
		"10-20 rw-p 0 00:01 5x\n",
		"10-20 rw-p 0 00:01 18446744073709551616 /x\n",
		"10-20 rw-p 0 0001 5 /x\n",
		"10-20 rw-p 0 100000000:01 5 /x\n",
		"10-20 rw-p 0 00:100000000 5 /x\n",
		"10-20 rwp 0 00:01 5 /x\n",
		"10-20 r -p 0 00:01 5 /x\n",
		"10-20 rwxsp 0 00:01 5 /x\n",
		"20-10 rw-p 0 00:01 5 /x\n",
		"10 20 rw-p 0 00:01 5 /x\n",
		"10-20rw-p 0 00:01 5 /x\n",
		"11111111111111111-22222222222222222 rw-p 0 00:01 5 /x\n",
		"10-20 rw-p 000000000000000000000000000000000000000000000000000000000000000000000000000 00:01 55555\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct maps_segment s[MAPS_SEGMENTS];
		size_t count;

		for (size_t piece = 1; piece < 100; piece++)
			assert_int_equal(parse(bad[i], strlen(bad[i]), piece, s, &count), -EBADMSG);
	}
}

/* What is reserved and may not be accessed has nothing resident. */
static void tells_the_largest_mapping(void **state)
{
	static const char text[] = "1000-9000 r-xp 00000000 08:01 5 /x\n"
				   "10000-90000 ---p 00000000 00:00 0\n"
				   "100000-120000 rw-p 00000000 00:00 0\n"
				   "200000-201000 r--p 00000000 00:00 0\n";
	struct maps_parser p;

	(void)state;
	maps_parser_init(&p);
	assert_int_equal(maps_parser_feed(&p, text, sizeof(text) - 1), 0);
	assert_int_equal(p.largest, 0x20000);
	assert_int_equal(p.mappings, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_the_largest_mapping),
		cmocka_unit_test(finds_the_large_ones),
		cmocka_unit_test(keeps_the_range),
		cmocka_unit_test(takes_an_empty_text),
		cmocka_unit_test(is_bounded),
		cmocka_unit_test(keeps_the_larger),
		cmocka_unit_test(passes_over_paths),
		cmocka_unit_test(refuses_what_no_kernel_prints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
