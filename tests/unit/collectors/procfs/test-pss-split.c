/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of collectors/procfs/pss-split.h: the parts of a PSS where the kernel does not print them.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "collectors/procfs/pss-split.h"

enum { KIB = 1024 };

static void first_line_tells_the_kind_of_a_mapping(void **state)
{
	static const struct {
		const char *line;
		enum pss_split_kind kind;
	} cases[] = {
		{"1000-2000 r-xp 00000000 fe:01 4711   /usr/bin/cat", PSS_SPLIT_FILE},
		{"1000-2000 rw-s 00000000 fe:01 4711   /dev/shm/no",
			PSS_SPLIT_FILE}, /* on a disk */
		{"1000-2000 rw-p 00000000 00:00 0 ", PSS_SPLIT_FILE},
		{"1000-2000 rw-p 00000000 00:00 0", PSS_SPLIT_FILE},
		{"1000-2000 r-xp 00000000 00:00 0   [vdso]", PSS_SPLIT_FILE},
		{"1000-2000 rw-p 00000000 00:00 0   [anon:/memfd:]", PSS_SPLIT_FILE},
		{"1000-2000 rw-s 00000000 00:01 2056   /dev/zero (deleted)", PSS_SPLIT_SHMEM},
		{"1000-2000 rw-s 00000000 00:01 0   /SYSV00000000 (deleted)", PSS_SPLIT_SHMEM},
		{"1000-2000 rw-s 00000000 00:01 7   /memfd:x (deleted)", PSS_SPLIT_SHMEM},
		{"1000-2000 rw-s 00000000 00:01 7   [anon_shmem:x]", PSS_SPLIT_SHMEM},
		{"1000-2000 rw-p 00000000 00:1a 7   /dev/shm/x", PSS_SPLIT_SHMEM},
		{"1000-2000 rw-s 00000000 00:1a 7   /tmp/x", PSS_SPLIT_EITHER},
		{"1000-2000 rw-s 00000000 00:1a 7   /dev/zero", PSS_SPLIT_EITHER},
		{"1000-2000 rw-s 00000000 00:1a 7   /tmp/memfd:", PSS_SPLIT_EITHER},
		{"1000-2000 rw-s 00000000 00:1a 7   ", PSS_SPLIT_EITHER},
		{"1000-2000 rw-s 00000000 00:1a 7", PSS_SPLIT_EITHER},
		{"1000-2000 rw-s 00000000 00:1a 7   /mem", PSS_SPLIT_EITHER}, /* cut */
		{"1000-2000 rw-s 00000000 00:1a", PSS_SPLIT_EITHER},
		{"1000-2000 rw-s 00000000 00:1a ", PSS_SPLIT_EITHER},
		{"1000-2000 rw-s 00000000 00", PSS_SPLIT_EITHER},
		{"1000-2000 rw-s 00000000 00:", PSS_SPLIT_EITHER},
		{"1000-2000 rw-s 00000000 x:1 7", PSS_SPLIT_EITHER},
		{"1000-2000 rw-s 00000000", PSS_SPLIT_EITHER},
		{"1000-2000 r", PSS_SPLIT_EITHER},
		{"1000-2000", PSS_SPLIT_EITHER},
		{"", PSS_SPLIT_EITHER},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len = strlen(cases[i].line);
		AUTO_FREE char *copy = malloc(len + 1); /* no byte past the end is read */

		assert_non_null(copy);
		memcpy(copy + 1, cases[i].line, len);
		if (pss_split_kind_of(copy + 1, len) != cases[i].kind)
			fail_msg("%s", cases[i].line);
	}
}

static void most_mappings_have_one_kind(void **state)
{
	const struct pss_split_mapping anon = {100 * KIB, 60 * KIB, 100 * KIB, 20 * KIB, 20 * KIB};
	const struct pss_split_mapping file = {200 * KIB, 50 * KIB, 0, 0, 0};
	const struct pss_split_mapping shmem = {80 * KIB, 40 * KIB, 0, 0, 0};
	const uint64_t rss_shmem = 80 * KIB;
	struct pss_split p = {0};
	struct pss_split_found f;

	(void)state;
	pss_split_add(&p, &anon, PSS_SPLIT_EITHER); /* even of a file: it has none of its pages */
	pss_split_add(&p, &file, PSS_SPLIT_FILE);
	pss_split_add(&p, &shmem, PSS_SPLIT_SHMEM);
	pss_split_add(&p, &(struct pss_split_mapping){0}, PSS_SPLIT_EITHER);
	assert_int_equal(pss_split_solve(&p, &rss_shmem, 0, &f), PSS_SPLIT_KNOWN);
	assert_int_equal(f.anon, 60 * KIB);
	assert_int_equal(f.file, 50 * KIB);
	assert_int_equal(f.shmem, 40 * KIB);
}

/* Files on tmpfs and on overlayfs look alike, and names may mislead. RssShmem decides. */
static void rss_shmem_decides_between_file_and_shared_memory(void **state)
{
	static const struct {
		uint64_t named, either; /* KiB of RSS; half of it is PSS */
		int64_t counter;        /* RssShmem in KiB; -1: absent */
		enum pss_split_quality quality;
		uint64_t shmem; /* KiB */
	} cases[] = {
		{0, 0, 0, PSS_SPLIT_KNOWN, 0},
		{0, 100, 0, PSS_SPLIT_KNOWN, 0},
		{0, 100, 100, PSS_SPLIT_KNOWN, 50},
		{200, 100, 200, PSS_SPLIT_KNOWN, 100},
		{200, 100, 300, PSS_SPLIT_KNOWN, 150},
		{200, 0, 200, PSS_SPLIT_KNOWN, 100},
		/* the name misleads, or the counter has fallen since */
		{200, 100, 0, PSS_SPLIT_GUESSED, 0},
		{200, 100, 100, PSS_SPLIT_GUESSED, 50},
		{200, 100, 250, PSS_SPLIT_GUESSED, 125},
		{200, 100, 301, PSS_SPLIT_GUESSED, 150},
		{0, 100, 40, PSS_SPLIT_GUESSED, 20},
		{0, 0, 4, PSS_SPLIT_GUESSED, 0},
		{0, 0, -1, PSS_SPLIT_KNOWN, 0}, /* before Linux 4.5 */
		{0, 100, -1, PSS_SPLIT_GUESSED, 0},
		{200, 100, -1, PSS_SPLIT_GUESSED, 100},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct pss_split_mapping file = {400 * KIB, 200 * KIB, 0, 0, 0};
		const struct pss_split_mapping named = {
			cases[i].named * KIB, cases[i].named * KIB / 2, 0, 0, 0};
		const struct pss_split_mapping either = {
			cases[i].either * KIB, cases[i].either * KIB / 2, 0, 0, 0};
		uint64_t counter = (uint64_t)cases[i].counter * KIB;
		struct pss_split p = {0};
		struct pss_split_found f;

		pss_split_add(&p, &file, PSS_SPLIT_FILE);
		pss_split_add(&p, &named, PSS_SPLIT_SHMEM);
		pss_split_add(&p, &either, PSS_SPLIT_EITHER);
		assert_int_equal(
			pss_split_solve(&p, cases[i].counter < 0 ? NULL : &counter, 1 << 20, &f),
			cases[i].quality);
		assert_int_equal(f.anon, 0);
		assert_int_equal(f.shmem, cases[i].shmem * KIB);
		assert_int_equal(f.file + f.shmem, file.pss + named.pss + either.pss);
	}
}

/* The anonymous part of a private file mapping has bounds. It is known if they are equal. */
static void mixed_mappings_have_bounds(void **state)
{
	static const struct {
		struct pss_split_mapping m; /* KiB */
		uint64_t anon, doubt;
	} cases[] = {
		/* All of it is private: nothing to guess. */
		{{100, 100, 40, 100, 40}, 40, 0},
		/* Also if it is clean, as after swapping in. */
		{{100, 100, 40, 100, 0}, 40, 0},
		/* The private pages are the written ones; ten processes share the file's. */
		{{100, 46, 40, 40, 40}, 40, 40},
		/*
		 * After a fork all is shared with the parent. Of 34 KiB the file can have 20 at
		 * most, or all can be anonymous.
		 */
		{{100, 34, 80, 0, 0}, 27, 20},
		/* The file has 16 KiB, and no more of the PSS. */
		{{100, 92, 84, 90, 84}, 84, 8},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pss_split_mapping m = cases[i].m;
		struct pss_split p = {0};
		struct pss_split_found f;

		m.rss *= KIB;
		m.pss *= KIB;
		m.anon *= KIB;
		m.private *= KIB;
		m.private_dirty *= KIB;
		pss_split_add(&p, &m, PSS_SPLIT_FILE);
		assert_int_equal(p.anon / KIB, cases[i].anon);
		assert_int_equal(p.doubt / KIB, cases[i].doubt);
		assert_int_equal(pss_split_solve(&p, &(uint64_t){0}, p.doubt, &f), PSS_SPLIT_KNOWN);
		assert_int_equal(f.anon + f.file, m.pss);
		if (p.doubt)
			assert_int_equal(pss_split_solve(&p, &(uint64_t){0}, p.doubt - 1, &f),
				PSS_SPLIT_GUESSED);
	}
}

/*
 * For all mappings of five pages, each anonymous or of the file and mapped 1, 2 or 4 times, the
 * true value is within the bounds.
 */
static void bounds_contain_the_true_value(void **state)
{
	enum { PAGE = 4096, PAGES = 5, VARIANTS = 2 * 3 };

	(void)state;
	for (unsigned int n = 0; n < VARIANTS * VARIANTS * VARIANTS * VARIANTS * VARIANTS; n++) {
		struct pss_split_mapping m = {0};
		struct pss_split p = {0};
		uint64_t anon = 0;
		unsigned int left = n;

		for (unsigned int i = 0; i < PAGES; i++, left /= VARIANTS) {
			bool is_anon = left % 2;
			unsigned int sharers = 1U << left % VARIANTS / 2;

			m.rss += PAGE;
			m.pss += PAGE / sharers;
			m.anon += is_anon ? PAGE : 0;
			anon += is_anon ? PAGE / sharers : 0;
			m.private += sharers == 1 ? PAGE : 0;
			m.private_dirty += sharers == 1 && is_anon ? PAGE : 0;
		}
		pss_split_add(&p, &m, PSS_SPLIT_FILE);
		assert_int_equal(p.untold, 0);
		assert_true(p.anon <= anon + p.doubt && anon <= p.anon + p.doubt);
		assert_int_equal(p.anon + p.pss[PSS_SPLIT_FILE], m.pss);
	}
}

static void ignores_impossible_mappings(void **state)
{
	static const struct pss_split_mapping cases[] = {
		{10, 20, 0, 0, 0},
		{10, 10, 20, 0, 0},
		{10, 5, 10, 10, 0},
		{10, 10, 10, 5, 10},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pss_split_found f = {7, 7, 7};
		struct pss_split p = {0};

		pss_split_add(&p, &cases[i], PSS_SPLIT_FILE);
		assert_int_equal(pss_split_solve(&p, NULL, UINT64_MAX, &f), PSS_SPLIT_NONE);
		assert_int_equal(f.anon, 7);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_line_tells_the_kind_of_a_mapping),
		cmocka_unit_test(most_mappings_have_one_kind),
		cmocka_unit_test(rss_shmem_decides_between_file_and_shared_memory),
		cmocka_unit_test(mixed_mappings_have_bounds),
		cmocka_unit_test(bounds_contain_the_true_value),
		cmocka_unit_test(ignores_impossible_mappings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
