/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the parsing of the memory controller's files, in both versions. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "collectors/procfs/cgroup/memcg-stat.h"
#include "snapshot/record.h"

enum { NO = -1 };

/* As Linux 6.18 prints them, shortened. */
#define STAT_V2                                                                                       \
	"anon 8192\nfile 40960\nkernel 12288\nkernel_stack 4096\npagetables 1024\nsec_pagetables 0\n" \
	"percpu 96\nsock 0\nvmalloc 0\nshmem 4096\nzswap 0\nzswapped 0\nfile_mapped 16384\n"          \
	"anon_thp 0\nfile_thp 0\nshmem_thp 0\ninactive_anon 8192\nslab_reclaimable 5000\n"            \
	"slab_unreclaimable 1000\nslab 6000\nworkingset_refault_anon 0\npgfault 12\n"
#define STAT_V1                                                                                         \
	"cache 1\nrss 2\nrss_huge 0\nshmem 3\nmapped_file 4\nswap 5\npgfault 6\n"                       \
	"hierarchical_memory_limit 9223372036854771712\nhierarchical_memsw_limit 9223372036854771712\n" \
	"total_cache 40960\ntotal_rss 8192\ntotal_rss_huge 4096\ntotal_shmem 4096\n"                    \
	"total_mapped_file 16384\ntotal_swap 20480\ntotal_swapcached 0\ntotal_pgfault 12\n"

static const struct {
	const char *text;
	enum memcg_stat_version version;
	int64_t anon, file, shmem, kernel, swap;
} good[] = {
	{STAT_V2, MEMCG_STAT_V2, 8192, 40960, 4096, 12288, NO},
	{STAT_V1, MEMCG_STAT_V1, 8192, 40960, 4096, NO, 20480},
	/*
	 * Without kernel memory (before Linux 5.18), without shmem (before 4.11), and without swap
	 * accounting.
	 */
	{"anon 1\nfile 2\nshmem 3\n", MEMCG_STAT_V2, 1, 2, 3, NO, NO},
	{"total_cache 1\ntotal_rss 2\n", MEMCG_STAT_V1, 2, 1, NO, NO, NO},
	/* fields of one version are not taken for those of the other */
	{STAT_V1, MEMCG_STAT_V2, NO, NO, 3, NO, NO},
	{STAT_V2, MEMCG_STAT_V1, NO, NO, NO, NO, NO},
	/* unknown fields are ignored */
	{"", MEMCG_STAT_V2, NO, NO, NO, NO, NO},
	{"\n", MEMCG_STAT_V2, NO, NO, NO, NO, NO},
	{"anon\nanon_thp x\nanonymous 1\nxanon 1\n anon 1\nfile 7\n", MEMCG_STAT_V2, NO, 7, NO, NO,
		NO},
	{"anon 0\nfile 9223372036854775807\n", MEMCG_STAT_V2, 0, INT64_MAX, NO, NO, NO},
};

static void assert_field(
	size_t i, const struct memcg_stat *c, enum memcg_stat_field field, int64_t expected)
{
	int64_t found = ROW_HAS(c, field) ? (int64_t)c->q[field] : NO;

	if (found != expected)
		fail_msg("text %zu: field %d is %lld instead of %lld", i, (int)field,
			(long long)found, (long long)expected);
}

/* Copies TEXT to the heap, so that sanitizers notice a read beyond its end. */
static char *copy(const char *text, size_t len)
{
	char *to = malloc(len + 1);

	assert_non_null(to);
	memcpy(to + 1, text, len);
	return to;
}

static void reads_either_version(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		size_t len = strlen(good[i].text);
		AUTO_FREE char *text = copy(good[i].text, len);
		struct memcg_stat c = {0};

		assert_int_equal(memcg_stat_parse_stat(text + 1, len, good[i].version, &c), 0);
		assert_field(i, &c, MEMCG_STAT_ANON, good[i].anon);
		assert_field(i, &c, MEMCG_STAT_FILE, good[i].file);
		assert_field(i, &c, MEMCG_STAT_SHMEM, good[i].shmem);
		assert_field(i, &c, MEMCG_STAT_KERNEL, good[i].kernel);
		assert_field(i, &c, MEMCG_STAT_SWAP, good[i].swap);
		assert_field(i, &c, MEMCG_STAT_TOTAL, NO);
	}
}

static void refuses_invalid_texts(void **state)
{
	static const char *const bad[] = {"anon 1", "file 2\nanon 1", "anon 1\nanon 1\n", "anon \n",
		"anon  1\n", "anon 1 \n", "anon 1 kB\n", "anon -1\n", "anon +1\n", "anon 0x1\n",
		"anon 9223372036854775808\n", "anon 99999999999999999999\n", "file x\n",
		"kernel 1\tx\n", "shmem 1.5\n", "x"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct memcg_stat c = {0};

		ROW_SET(&c, MEMCG_STAT_TOTAL, 17);
		assert_int_equal(
			memcg_stat_parse_stat(bad[i], strlen(bad[i]), MEMCG_STAT_V2, &c), -EBADMSG);
		assert_int_equal(c.present, UINT64_C(1) << MEMCG_STAT_TOTAL);
		assert_int_equal(c.q[MEMCG_STAT_TOTAL], 17);
	}
}

/* A text that does not end with a whole line is refused. */
static void refuses_cut_texts(void **state)
{
	size_t len = strlen(STAT_V2);

	(void)state;
	for (size_t n = 1; n < len; n++) {
		AUTO_FREE char *text = copy(STAT_V2, n);
		struct memcg_stat c = {0};
		int r = memcg_stat_parse_stat(text + 1, n, MEMCG_STAT_V2, &c);

		assert_int_equal(r, STAT_V2[n - 1] == '\n' ? 0 : -EBADMSG);
	}
}

/* As Linux 6.18 prints them. */
static void reads_events_of_either_version(void **state)
{
	static const char v2[] = "low 1\nhigh 2\nmax 3\noom 4\noom_kill 5\noom_group_kill 6\n"
				 "sock_throttled 7\n";
	static const char v1[] = "oom_kill_disable 1\nunder_oom 2\noom_kill 3\n";
	static const char *const bad[] = {"oom_kill 1", "oom_kill 1\noom_kill 1\n", "oom_kill \n",
		"oom_kill -1\n", "high x\n", "max 9223372036854775808\n"};
	struct memcg_stat c = {0};

	(void)state;
	assert_int_equal(memcg_stat_parse_events(v2, sizeof(v2) - 1, MEMCG_STAT_V2, &c), 0);
	assert_int_equal(c.present, 1 << MEMCG_STAT_OOM_KILLS | 1 << MEMCG_STAT_HIGH_EVENTS |
					    1 << MEMCG_STAT_MAX_EVENTS);
	assert_field(0, &c, MEMCG_STAT_HIGH_EVENTS, 2);
	assert_field(0, &c, MEMCG_STAT_MAX_EVENTS, 3);
	assert_field(0, &c, MEMCG_STAT_OOM_KILLS, 5);
	c = (struct memcg_stat){0};
	assert_int_equal(memcg_stat_parse_events(v1, sizeof(v1) - 1, MEMCG_STAT_V1, &c), 0);
	assert_int_equal(c.present, 1 << MEMCG_STAT_OOM_KILLS);
	assert_field(1, &c, MEMCG_STAT_OOM_KILLS, 3);
	/* before Linux 4.13 nothing counts kills */
	c = (struct memcg_stat){0};
	assert_int_equal(memcg_stat_parse_events("under_oom 0\n", 12, MEMCG_STAT_V1, &c), 0);
	assert_int_equal(c.present, 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(memcg_stat_parse_events(bad[i], strlen(bad[i]), MEMCG_STAT_V2, &c),
			-EBADMSG);
	assert_int_equal(c.present, 0);
}

static void reads_one_number(void **state)
{
	static const char *const bad[] = {"", "\n", "1", "x\n", "-1\n", "1 \n", "1\n\n", "1\n2\n",
		"max\n", "9223372036854775808\n"};
	struct memcg_stat c = {0};

	(void)state;
	assert_int_equal(memcg_stat_parse_value("1234567\n", 8, MEMCG_STAT_TOTAL, &c), 0);
	assert_int_equal(memcg_stat_parse_value("0\n", 2, MEMCG_STAT_SWAP, &c), 0);
	/* adds fields to it */
	assert_int_equal(memcg_stat_parse_stat(STAT_V2, strlen(STAT_V2), MEMCG_STAT_V2, &c), 0);
	assert_field(0, &c, MEMCG_STAT_TOTAL, 1234567);
	assert_field(0, &c, MEMCG_STAT_SWAP, 0);
	assert_field(0, &c, MEMCG_STAT_ANON, 8192);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(
			memcg_stat_parse_value(bad[i], strlen(bad[i]), MEMCG_STAT_TOTAL, &c),
			-EBADMSG);
		assert_field(i, &c, MEMCG_STAT_TOTAL, 1234567);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_either_version),
		cmocka_unit_test(refuses_invalid_texts),
		cmocka_unit_test(refuses_cut_texts),
		cmocka_unit_test(reads_events_of_either_version),
		cmocka_unit_test(reads_one_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
