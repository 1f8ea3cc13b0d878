/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/procfs/host/psi.h: memory pressure. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>

#include "base/cleanup.h"
#include "collectors/procfs/host/psi.h"

#define SOME_LINE "some avg10=1.23 avg60=30.01 avg300=100.00 total=478069\n"
#define FULL_LINE "full avg10=0.00 avg60=0.07 avg300=0.10 total=18446744073709551615\n"

static void parses_the_line_of_waiting_processes(void **state)
{
	static const struct {
		const char *text;
		int result;
		bool is_known;
	} cases[] = {
		{SOME_LINE FULL_LINE, 0, true},
		{FULL_LINE SOME_LINE, 0, true},
		{SOME_LINE, 0, true},
		{FULL_LINE, 0, false},
		{"", 0, false},
		{SOME_LINE SOME_LINE, -EBADMSG, false},
		{"some avg10=1.23 avg60=30.01 avg300=100.00 total=478069", -EBADMSG, false},
		{SOME_LINE "full", -EBADMSG, false},
		{"some avg10=100.01 avg60=30.01 avg300=100.00 total=1\n", -EBADMSG, false},
		{"some avg10=1.2 avg60=30.01 avg300=1.00 total=1\n", -EBADMSG, false},
		{"some avg10=1.234 avg60=30.01 avg300=1.00 total=1\n", -EBADMSG, false},
		{"some avg10=1 avg60=30.01 avg300=1.00 total=1\n", -EBADMSG, false},
		{"some avg10=-1.00 avg60=30.01 avg300=1.00 total=1\n", -EBADMSG, false},
		{"some avg10=.00 avg60=30.01 avg300=1.00 total=1\n", -EBADMSG, false},
		{"some avg10=1.00\n", -EBADMSG, false},
		{"some avg60=30.01 avg300=1.00 total=1\n", -EBADMSG, false},
		{"some avg10=18446744073709551617.00 avg60=0.00\n", -EBADMSG, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct psi psi = {.some_avg10 = 777};
		int r = psi_parse(cases[i].text, strlen(cases[i].text), &psi);

		assert_int_equal(r, cases[i].result);
		assert_int_equal(psi.is_known, cases[i].is_known);
		assert_int_equal(psi.some_avg10, r ? 777 : cases[i].is_known ? 123 : 0);
	}
}

/* A total that is missing, or that does not fit, is not known; the averages are. */
static void parses_the_totals(void **state)
{
	static const struct {
		const char *text;
		int64_t waited_us, stalled_us; /* -1: not known */
	} cases[] = {
		{SOME_LINE "full avg10=0.00 avg60=0.07 avg300=0.10 total=77\n", 478069, 77},
		{"full avg10=0.00 avg60=0.07 avg300=0.10 total=0\n" SOME_LINE, 478069, 0},
		{SOME_LINE FULL_LINE, 478069, -1},
		{SOME_LINE, 478069, -1},
		{"some avg10=1.23 avg60=30.01 avg300=1.00 total=9223372036854775\n",
			9223372036854775, -1},
		{"some avg10=1.23 avg60=30.01 avg300=1.00 total=9223372036854776\n", -1, -1},
		{"some avg10=1.23 avg60=30.01 avg300=1.00 total=\n", -1, -1},
		{"some avg10=1.23 avg60=30.01 avg300=1.00 total=1 \n", -1, -1},
		{"some avg10=1.23 avg60=30.01 total=1\n", -1, -1},
		{SOME_LINE "full avg60=0.07 total=77\n", 478069, -1},
		{FULL_LINE, -1, -1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct psi psi;

		assert_int_equal(psi_parse(cases[i].text, strlen(cases[i].text), &psi), 0);
		assert_int_equal(psi.has_waited, cases[i].waited_us >= 0);
		assert_int_equal(psi.has_stalled, cases[i].stalled_us >= 0);
		if (psi.has_waited)
			assert_int_equal(psi.waited_ns, cases[i].waited_us * 1000);
		if (psi.has_stalled)
			assert_int_equal(psi.stalled_ns, cases[i].stalled_us * 1000);
	}
}

static void verdict_follows_from_recent_pressure(void **state)
{
	struct psi psi = {.is_known = true};

	(void)state;
	assert_int_equal(psi_level(&psi, PSI_CALM), PSI_CALM);
	psi.some_avg10 = 1000;
	assert_int_equal(psi_level(&psi, PSI_CALM), PSI_CALM);
	psi.some_avg10 = 1001;
	assert_int_equal(psi_level(&psi, PSI_CALM), PSI_STRAINED);
	psi.some_avg10 = 3000;
	assert_int_equal(psi_level(&psi, PSI_CALM), PSI_STRAINED);
	psi.some_avg10 = 3001;
	assert_int_equal(psi_level(&psi, PSI_CALM), PSI_SEVERE);
	psi.is_known = false;
	assert_int_equal(psi_level(&psi, PSI_CALM), PSI_CALM);
}

static void verdict_has_hysteresis(void **state)
{
	static const struct {
		enum psi_level before;
		uint32_t avg10;
		enum psi_level is;
	} cases[] = {
		{PSI_STRAINED, 1000, PSI_STRAINED},
		{PSI_STRAINED, 668, PSI_STRAINED},
		{PSI_STRAINED, 667, PSI_CALM},
		{PSI_STRAINED, 3000, PSI_STRAINED},
		{PSI_STRAINED, 3001, PSI_SEVERE},
		{PSI_SEVERE, 2001, PSI_SEVERE},
		{PSI_SEVERE, 2000, PSI_STRAINED},
		{PSI_SEVERE, 668, PSI_STRAINED},
		{PSI_SEVERE, 667, PSI_CALM},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct psi psi = {.is_known = true, .some_avg10 = cases[i].avg10};

		if (psi_level(&psi, cases[i].before) != cases[i].is)
			fail_msg("case %zu", i);
	}
}

static void reads_this_kernels_pressure(void **state)
{
	AUTO_CLOSE int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSE int none = open("/dev", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct psi psi = {.is_known = true};

	(void)state;
	assert_int_equal(psi_read(none, &psi), 0);
	assert_false(psi.is_known);
	assert_int_equal(psi_read(proc, &psi), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_the_line_of_waiting_processes),
		cmocka_unit_test(parses_the_totals),
		cmocka_unit_test(verdict_follows_from_recent_pressure),
		cmocka_unit_test(verdict_has_hysteresis),
		cmocka_unit_test(reads_this_kernels_pressure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
