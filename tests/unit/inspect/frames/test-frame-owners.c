/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of inspect/frames/frame-owners.h, the frame owners, against frame-by-frame counting. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "inspect/frames/frame-map.h"
#include "inspect/frames/frame-owners.h"
#include "tests/unit/support/faults/allocation.h"

enum {
	PAGE = 4096,
	GROUPS = 5,
	PROCESSES = 12,
	FRAMES = 300,
};

/* A small model host: how often each group maps each frame. */
struct host {
	uint32_t mappings[FRAMES][GROUPS];
	uint32_t others[FRAMES]; /* mappings by processes that are not read */
	enum frame_owner_kind kind[FRAMES];
	struct frame_map frames;
	struct owner_sets sets;
};

static void host_done(struct host *h)
{
	frame_map_done(&h->frames);
	owner_sets_done(&h->sets);
}

static void map(struct host *h, uint32_t group, uint64_t frame)
{
	uint32_t *number;

	h->mappings[frame][group]++;
	assert_int_equal(frame_map_touch(&h->frames, frame, &number), 0);
	assert_int_equal(owner_sets_join(&h->sets, *number, group, number), 0);
}

static uint64_t seen_of(const struct host *h, size_t frame)
{
	uint64_t seen = 0;

	for (size_t g = 0; g < GROUPS; g++)
		seen += h->mappings[frame][g];
	return seen;
}

static int count(struct host *h, struct frame_owners *ret)
{
	int r = frame_owners_init(ret, &h->sets, GROUPS, PAGE);

	for (size_t i = 0; r == 0 && i < FRAMES; i++) {
		uint32_t *number = frame_map_find(&h->frames, i);

		if (number)
			frame_owners_add(ret, *number, h->kind[i],
				h->kind[i] == FRAME_OWNER_SWAP ? UINT64_MAX
							       : seen_of(h, i) + h->others[i]);
	}
	return r == 0 ? frame_owners_end(ret) : r;
}

/* Compares with counting frame by frame, with long double fractions. */
static void check_group(const struct host *h, const struct frame_owners *s, uint32_t group)
{
	struct frame_owner expected = {0};
	long double fair = 0, pss = 0;

	for (size_t i = 0; i < FRAMES; i++) {
		uint32_t groups = 0;

		for (size_t g = 0; g < GROUPS; g++)
			groups += h->mappings[i][g] > 0;
		if (!h->mappings[i][group])
			continue;
		expected.resident[h->kind[i]] += PAGE;
		if (groups == 1 && !h->others[i])
			expected.unique[h->kind[i]] += PAGE;
		if (h->kind[i] >= FRAME_OWNER_RSS_KINDS)
			continue;
		expected.rss += (uint64_t)h->mappings[i][group] * PAGE;
		fair += (long double)PAGE / (groups + (h->others[i] > 0));
		pss += (long double)PAGE * h->mappings[i][group] /
		       (long double)(seen_of(h, i) + h->others[i]);
	}
	assert_memory_equal(s->group[group].resident, expected.resident, sizeof(expected.resident));
	assert_memory_equal(s->group[group].unique, expected.unique, sizeof(expected.unique));
	assert_int_equal(s->group[group].rss, expected.rss);
	assert_true((long double)s->group[group].fair > fair - 1 &&
		    (long double)s->group[group].fair < fair + 1.01L);
	assert_true((long double)s->group[group].pss > pss - 1.01L &&
		    (long double)s->group[group].pss < pss + 0.01L);
}

static void check_sums(const struct host *h, const struct frame_owners *s)
{
	uint64_t resident = 0, fair = s->others.fair;

	for (size_t i = 0; i < FRAMES; i++)
		if (seen_of(h, i) && h->kind[i] < FRAME_OWNER_RSS_KINDS)
			resident += PAGE;
	for (size_t g = 0; g < GROUPS; g++)
		fair += s->group[g].fair;
	assert_int_equal(frame_owner_resident(&s->all), resident);
	assert_int_equal(fair, resident);
	assert_in_range(s->all.pss + s->others.pss, resident - GROUPS - 1, resident);
}

static void check_matrix(const struct host *h, const struct frame_owners *s)
{
	static const uint32_t asked[] = {3, 0, 2};
	uint64_t matrix[9];

	assert_int_equal(frame_owners_matrix(s, asked, ARRAY_SIZE(asked), matrix), 0);
	for (size_t a = 0; a < ARRAY_SIZE(asked); a++)
		for (size_t b = 0; b < ARRAY_SIZE(asked); b++) {
			uint64_t expected = 0;

			for (size_t i = 0; i < FRAMES; i++)
				if (h->kind[i] < FRAME_OWNER_RSS_KINDS &&
					h->mappings[i][asked[a]] && h->mappings[i][asked[b]])
					expected += PAGE;
			assert_int_equal(matrix[a * 3 + b], expected);
		}
}

/*
 * Fills the host at random: processes, group by group, map some frames, a few of them twice. Other
 * processes are not read.
 */
static void populate(struct host *h, uint64_t *random)
{
	uint64_t density = unit_random(random) % 8 + 1;

	for (size_t i = 0; i < FRAMES; i++) {
		h->kind[i] = (enum frame_owner_kind)(unit_random(random) % FRAME_OWNER_KINDS);
		if (h->kind[i] != FRAME_OWNER_SWAP && unit_random(random) % 5 == 0)
			h->others[i] = (uint32_t)(unit_random(random) % 4);
	}
	for (uint32_t p = 0; p < PROCESSES; p++) {
		uint32_t group = p * GROUPS / PROCESSES;

		for (size_t i = 0; i < FRAMES; i++) {
			if (unit_random(random) % density)
				continue;
			map(h, group, i);
			if (unit_random(random) % 16 == 0)
				map(h, group, i);
		}
	}
}

static void results_equal_frame_by_frame_counting(void **state)
{
	uint64_t random = 20261123;

	(void)state;
	for (unsigned int round = 0; round < unit_rounds(300); round++) {
		CLEANUP(host_done) struct host h = {0};
		AUTO_FRAME_OWNERS struct frame_owners s = {0};

		populate(&h, &random);
		assert_int_equal(count(&h, &s), 0);
		for (uint32_t g = 0; g < GROUPS; g++)
			check_group(&h, &s, g);
		check_sums(&h, &s);
		check_matrix(&h, &s);
	}
}

/* Forked workers have no page of their own. Their user's group has all pages. */
static void pages_of_forked_workers_are_unique_to_their_user(void **state)
{
	CLEANUP(host_done) struct host h = {0};
	AUTO_FRAME_OWNERS struct frame_owners s = {0};

	(void)state;
	for (uint64_t worker = 0; worker < 3; worker++)
		for (uint64_t i = 0; i < 100; i++)
			map(&h, 1, i);
	map(&h, 2, 99);
	assert_int_equal(count(&h, &s), 0);
	assert_int_equal(s.group[1].unique[FRAME_OWNER_ANON], 99 * PAGE);
	assert_int_equal(s.group[1].resident[FRAME_OWNER_ANON], 100 * PAGE);
	assert_int_equal(s.group[1].rss, 300 * PAGE);
	assert_int_equal(s.group[1].fair, 99 * PAGE + PAGE / 2);
	assert_int_equal(s.group[1].pss, 99 * PAGE + PAGE * 3 / 4);
	assert_int_equal(s.group[2].fair, PAGE / 2);
	assert_int_equal(s.all.unique[FRAME_OWNER_ANON], 99 * PAGE);
}

/* Three groups share a page: 1365 bytes each; one of them gets the remaining byte. */
static void shares_of_a_page_add_up(void **state)
{
	CLEANUP(host_done) struct host h = {0};
	AUTO_FRAME_OWNERS struct frame_owners s = {0};

	(void)state;
	for (uint32_t group = 1; group < 4; group++)
		map(&h, group, 7);
	assert_int_equal(count(&h, &s), 0);
	assert_int_equal(s.group[1].fair, 1366);
	assert_int_equal(s.group[2].fair, 1365);
	assert_int_equal(s.group[3].fair, 1365);
	assert_int_equal(s.group[0].fair, 0);
}

static void reports_pages_that_changed(void **state)
{
	CLEANUP(host_done) struct host h = {0};
	AUTO_FRAME_OWNERS struct frame_owners s = {0};

	(void)state;
	for (uint64_t i = 0; i < 4; i++) {
		map(&h, 0, i);
		map(&h, 1, i);
	}
	assert_int_equal(frame_owners_init(&s, &h.sets, GROUPS, PAGE), 0);
	frame_owners_add(&s, *frame_map_find(&h.frames, 0), FRAME_OWNER_FILE, 2);
	frame_owners_add(&s, *frame_map_find(&h.frames, 1), FRAME_OWNER_FILE, 1);
	frame_owners_add(&s, *frame_map_find(&h.frames, 2), FRAME_OWNER_FILE, 0);
	frame_owners_add(&s, *frame_map_find(&h.frames, 3), FRAME_OWNER_FILE, 3);
	frame_owners_add(&s, OWNER_SETS_NOBODY, FRAME_OWNER_FILE, 9);
	assert_int_equal(frame_owners_end(&s), 0);
	assert_int_equal(s.changed, PAGE);
	assert_int_equal(s.gone, PAGE);
	assert_int_equal(frame_owner_resident(&s.all), 3 * PAGE);
	assert_int_equal(frame_owner_resident(&s.others), PAGE);
	assert_int_equal(s.others.fair, PAGE / 3);
	assert_int_equal(frame_owner_unique(&s.all), 0);
}

static void pages_of_unread_processes_are_separate(void **state)
{
	CLEANUP(host_done) struct host h = {.sets = {.shared_max = 1, .alone_max = 99}};
	AUTO_FRAME_OWNERS struct frame_owners s = {0};

	(void)state;
	map(&h, 0, 1);
	map(&h, 1, 1);
	map(&h, 1, 2);
	h.kind[3] = FRAME_OWNER_SWAP;
	map(&h, 0, 3);
	map(&h, 1, 3);
	assert_int_equal(count(&h, &s), 0);
	assert_int_equal(s.many, 2 * PAGE);
	assert_int_equal(frame_owner_resident(&s.all), 2 * PAGE);
	assert_int_equal(s.all.resident[FRAME_OWNER_SWAP], PAGE);
	assert_int_equal(frame_owner_resident(&s.group[1]), PAGE);
	assert_int_equal(s.group[0].fair + s.group[1].fair + s.others.fair, PAGE);
}

static void returns_errors_without_memory(void **state)
{
	CLEANUP(host_done) struct host h = {0};

	(void)state;
	map(&h, 0, 1);
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_FRAME_OWNERS struct frame_owners s = {0};
		static const uint32_t one[] = {0};
		uint64_t matrix;
		int r;

		allocation_fail_at(n);
		r = count(&h, &s);
		if (r == 0)
			r = frame_owners_matrix(&s, one, 1, &matrix);
		allocation_check(r);
	}
	assert_true(allocation_count() > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_equal_frame_by_frame_counting),
		cmocka_unit_test(pages_of_forked_workers_are_unique_to_their_user),
		cmocka_unit_test(shares_of_a_page_add_up),
		cmocka_unit_test(reports_pages_that_changed),
		cmocka_unit_test(pages_of_unread_processes_are_separate),
		cmocka_unit_test(returns_errors_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
