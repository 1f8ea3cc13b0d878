/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of recorder/marks.h: what is special about a snapshot. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "recorder/marks.h"
#include "snapshot/past.h"
#include "tests/unit/support/snapshot/small.h"

/* A snapshot, by what the marks depend on. All zero is a usual one. */
struct shot {
	uint8_t instance;
	uint64_t sequence;
	uint64_t real_s, boot_s; /* after the first one */
	bool has_kills;
	uint64_t kills;
	bool presses;
};

#define REAL_S UINT64_C(1700000000)
#define BOOT_S UINT64_C(5000)

static struct view *shoot(const struct shot *s)
{
	const struct image_header head = {
		.instance = {s->instance},
		.sequence = s->sequence,
		.flags = s->presses ? IMAGE_PRESSURE : 0,
		.realtime_ns = (REAL_S + s->real_s) * NS_PER_SEC,
		.boottime_ns = (BOOT_S + s->boot_s) * NS_PER_SEC,
		.stale_ns = (BOOT_S + s->boot_s + 30) * NS_PER_SEC,
		.interval_ns = 10 * NS_PER_SEC,
	};
	AUTO_SMALL struct small small = {0};

	small_begin(&small);
	if (s->has_kills)
		ROW_SET(small.host, SCOPE_OOM_KILLS, s->kills);
	return small_view(&small.builder, &head);
}

static void first_snapshots(void **state)
{
	static const struct marks none;

	(void)state;
	for (uint64_t sequence = 1; sequence <= 2; sequence++) {
		AUTO_VIEW struct view *view = shoot(
			&(struct shot){.sequence = sequence, .has_kills = true, .kills = 7});

		assert_int_equal(marks_of(&none, view), sequence == 1 ? PAST_MARK_START : 0);
		assert_false(marks_is_known(&none, view));
	}
}

/* The marks of a snapshot after one of instance 0, sequence 5, 7 OOM kills. */
static void later_snapshots(void **state)
{
	static const struct {
		struct shot shot;
		uint32_t marks;
	} cases[] = {
		{{.sequence = 6, .real_s = 10, .boot_s = 10, .has_kills = true, .kills = 7}, 0},
		{{.sequence = 6, .real_s = 10, .boot_s = 10, .has_kills = true, .kills = 8},
			PAST_MARK_OOM},
		{{.sequence = 6, .real_s = 10, .boot_s = 10}, 0},
		{{.sequence = 6, .real_s = 10, .boot_s = 10, .presses = true}, PAST_MARK_PRESSURE},
		{{.sequence = 6, .real_s = 31, .boot_s = 31}, PAST_MARK_GAP},
		{{.sequence = 6, .real_s = 30, .boot_s = 30}, 0},
		/* Snapshots were lost. */
		{{.sequence = 7, .real_s = 2, .boot_s = 2}, PAST_MARK_GAP},
		/* The clock was set. */
		{{.sequence = 6, .real_s = 3600, .boot_s = 10}, 0},
		{{.sequence = 6, .real_s = 0, .boot_s = 10, .has_kills = true, .kills = 8},
			PAST_MARK_OOM},
		/* memtallyd was restarted. */
		{{.instance = 1, .sequence = 1, .real_s = 20, .boot_s = 20}, PAST_MARK_START},
		{{.instance = 1,
			 .sequence = 3,
			 .real_s = 60,
			 .boot_s = 60,
			 .has_kills = true,
			 .kills = 9},
			PAST_MARK_START | PAST_MARK_GAP | PAST_MARK_OOM},
		/* The host was restarted: its counter begins anew. */
		{{.instance = 1,
			 .sequence = 1,
			 .real_s = 9000,
			 .boot_s = 100,
			 .has_kills = true,
			 .kills = 9},
			PAST_MARK_START | PAST_MARK_GAP},
	};
	struct marks m = {0};
	AUTO_VIEW struct view *last = shoot(
		&(struct shot){.sequence = 5, .has_kills = true, .kills = 7});

	(void)state;
	marks_remember(&m, last);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_VIEW struct view *view = shoot(&cases[i].shot);

		assert_int_equal(marks_of(&m, view), cases[i].marks);
		assert_false(marks_is_known(&m, view));
	}
	assert_true(marks_is_known(&m, last));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_snapshots),
		cmocka_unit_test(later_snapshots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
