/* SPDX-License-Identifier: Apache-2.0 */
/* Processes map and unmap pages of one set, and what others have done to one of them is held against what is true. */
#include "config.h"

#include <string.h>

#include "tests/unit/unit.h"

#include "collectors/crowd.h"

#define SEC UINT64_C(1000000000)

static const struct flow comes = {0, 100}, goes = {100, 0};

static struct flow_crowd others(
	const struct crowd *c, const struct crowd_member *m, uint64_t measured_ns)
{
	return crowd_others(c, m, measured_ns);
}

static void counts_the_same_once(void **state)
{
	struct crowd c = {0};
	struct crowd_member one = {0}, other = {0};
	struct flow_crowd f;

	(void)state;
	crowd_begin(&c, 1000 * SEC);
	crowd_measured(&c, &one, 0, 1000 * SEC);
	for (unsigned int i = 0; i < 10; i++) {
		crowd_begin(&c, (1000 + 20 * i) * SEC);
		crowd_move(&c, &other, &comes, 120);
		crowd_move(&c, &other, &goes, 20);
	}
	f = others(&c, &one, 1000 * SEC);
	assert_int_equal(f.flow.lost, 120);
	assert_int_equal(f.flow.gained, 20);
	assert_int_equal(f.losses, 1);
	assert_int_equal(f.gains, 1);
	/* What is its own is not others'; nor is what was found to be nobody else's. */
	assert_int_equal(others(&c, &other, 1000 * SEC).flow.lost, 0);
	crowd_measured(&c, &other, 5, 1180 * SEC);
	assert_int_equal(others(&c, &one, 1000 * SEC).flow.gained, 5);
	/* What is older than all epochs is as much as all that was moved by. */
	crowd_begin(&c, 5000 * SEC);
	assert_int_equal(others(&c, &one, 1000 * SEC).flow.gained, 1000);
}

/* Who came and went means nothing to those who were measured before; but they are without who had been there. */
static void forgets_who_came_and_went(void **state)
{
	struct crowd c = {0};
	struct crowd_member one = {0}, other = {0};

	(void)state;
	crowd_begin(&c, 1000 * SEC);
	crowd_measured(&c, &one, 0, 1000 * SEC);
	crowd_begin(&c, 1100 * SEC);
	crowd_move(&c, &other, &comes, 100);
	assert_int_equal(others(&c, &one, 1000 * SEC).flow.gained, 100);
	crowd_end(&c, &other, 100, 1090 * SEC);
	assert_int_equal(others(&c, &one, 1000 * SEC).gains, 0);
	assert_int_equal(others(&c, &one, 1000 * SEC).losses, 0);
	crowd_has(&other, 50);
	crowd_end(&c, &other, 50, 0);
	assert_int_equal(others(&c, &one, 1000 * SEC).flow.lost, 50);
}

enum { PROCESSES = 6, PAGES = 12 };

/* How many pages of the one it shares somebody else has by NOW, but not THEN, or the reverse. */
static unsigned int count(const bool now[PAGES], const bool then[PAGES])
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < PAGES; i++)
		n += now[i] && !then[i];
	return n;
}

/* Whatever they do, others have gained and lost no more pages than is said. */
static void bounds_whatever_happens(void **state)
{
	static bool has[PROCESSES][PAGES], then[PROCESSES][PROCESSES][PAGES];
	struct crowd_member m[PROCESSES] = {0};
	uint64_t seed = 7, now_ns = 1000 * SEC, measured_ns[PROCESSES] = {0}, since_ns[PROCESSES];
	struct crowd c = {0};

	(void)state;
	memset(has, 0, sizeof(has));
	for (unsigned int i = 0; i < PROCESSES; i++)
		since_ns[i] = now_ns;
	for (unsigned int round = 0; round < 20000; round++) {
		unsigned int i = unit_random(&seed) % PROCESSES, lost = 0, gained = 0, held = 0;

		now_ns += unit_random(&seed) % (20 * SEC);
		if (unit_random(&seed) % 2)
			crowd_begin(&c, now_ns);
		for (unsigned int p = 0; p < PAGES; p++)
			held += has[i][p];
		switch (unit_random(&seed) % 8) {
		case 0:
			crowd_end(&c, &m[i], held, since_ns[i]);
			memset(has[i], 0, sizeof(has[i]));
			since_ns[i] = now_ns;
			measured_ns[i] = 0;
			break;
		case 1:
		case 2:
			crowd_measured(&c, &m[i], held, now_ns);
			memcpy(then[i], has, sizeof(has));
			measured_ns[i] = now_ns;
			break;
		default:
			/* Some come or some go; pages are alike, as with a counter. */
			for (unsigned int p = 0, up = unit_random(&seed) % 2; p < PAGES; p++)
				if (unit_random(&seed) % 3 == 0 && has[i][p] != up) {
					has[i][p] = up;
					lost += !up;
					gained += up;
				}
			crowd_move(&c, &m[i], &(struct flow){lost, gained}, held + gained - lost);
		}
		for (unsigned int v = 0; v < PROCESSES; v++) {
			unsigned int gains = 0, losses = 0;
			struct flow_crowd f;

			if (!measured_ns[v])
				continue;
			lost = gained = 0;
			for (unsigned int o = 0; o < PROCESSES; o++) {
				unsigned int came = v == o ? 0 : count(has[o], then[v][o]);
				unsigned int went = v == o ? 0 : count(then[v][o], has[o]);

				gained += came;
				lost += went;
				gains += came != 0;
				losses += went != 0;
			}
			f = others(&c, &m[v], measured_ns[v]);
			assert_true(f.flow.gained >= gained && f.flow.lost >= lost);
			assert_true(f.gains >= gains && f.losses >= losses);
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_the_same_once),
		cmocka_unit_test(forgets_who_came_and_went),
		cmocka_unit_test(bounds_whatever_happens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
