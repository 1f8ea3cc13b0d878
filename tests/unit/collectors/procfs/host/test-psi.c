/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/procfs/host/psi.h: memory pressure. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>

#include "base/cleanup.h"
#include "collectors/procfs/host/psi.h"

enum {
	SOME = 1 << PSI_SOME,
	FULL = 1 << PSI_FULL,
};

#define SOME_LINE "some avg10=1.23 avg60=30.01 avg300=100.00 total=478069\n"
#define FULL_LINE "full avg10=0.00 avg60=0.07 avg300=0.10 total=18446744073709551615\n"

static void parses_lines_that_are_present(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint64_t present;
	} cases[] = {
		{SOME_LINE FULL_LINE, 0, SOME | FULL},
		{FULL_LINE SOME_LINE, 0, SOME | FULL},
		{SOME_LINE, 0, SOME},
		{FULL_LINE, 0, FULL},
		{"", 0, 0},
		{SOME_LINE SOME_LINE, -EBADMSG, 0},
		{SOME_LINE "\n", -EBADMSG, 0},
		{SOME_LINE "most avg10=1.23 avg60=30.01 avg300=100.00 total=478069\n", -EBADMSG, 0},
		{"some avg10=1.23 avg60=30.01 avg300=100.00 total=478069", -EBADMSG, 0},
		{"some avg10=1.23 avg60=30.01 avg300=100.00 total=478069 \n", -EBADMSG, 0},
		{"some avg10=1.23 avg60=30.01 avg300=100.00 total=\n", -EBADMSG, 0},
		{"some avg10=1.23 avg60=30.01 avg300=100.01 total=1\n", -EBADMSG, 0},
		{"some avg10=1.2 avg60=30.01 avg300=1.00 total=1\n", -EBADMSG, 0},
		{"some avg10=1.234 avg60=30.01 avg300=1.00 total=1\n", -EBADMSG, 0},
		{"some avg10=1 avg60=30.01 avg300=1.00 total=1\n", -EBADMSG, 0},
		{"some avg10=-1.00 avg60=30.01 avg300=1.00 total=1\n", -EBADMSG, 0},
		{"some avg10=.00 avg60=30.01 avg300=1.00 total=1\n", -EBADMSG, 0},
		{"some avg10=1.00  avg60=30.01 avg300=1.00 total=1\n", -EBADMSG, 0},
		{"some avg60=30.01 avg300=1.00 total=1\n", -EBADMSG, 0},
		{"some avg10=18446744073709551617.00 avg60=0.00 avg300=0.00 total=1\n", -EBADMSG,
			0},
		{"some avg10=0.00 avg60=0.00 avg300=0.00 total=18446744073709551616\n", -EBADMSG,
			0},
		{"some", -EBADMSG, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct psi psi = {.present = 777};
		int r = psi_parse(cases[i].text, strlen(cases[i].text), &psi);

		assert_int_equal(r, cases[i].result);
		assert_int_equal(psi.present, r ? 777 : cases[i].present);
		if (r == 0 && psi.present & SOME) {
			assert_int_equal(psi.q[PSI_SOME].avg10, 123);
			assert_int_equal(psi.q[PSI_SOME].avg60, 3001);
			assert_int_equal(psi.q[PSI_SOME].avg300, PSI_WHOLE);
			assert_int_equal(psi.q[PSI_SOME].total_us, 478069);
		}
		if (r == 0 && psi.present & FULL) {
			assert_int_equal(psi.q[PSI_FULL].avg10, 0);
			assert_int_equal(psi.q[PSI_FULL].avg60, 7);
			assert_int_equal(psi.q[PSI_FULL].avg300, 10);
			assert_true(psi.q[PSI_FULL].total_us == UINT64_MAX);
		}
	}
}

static void verdict_follows_from_recent_pressure(void **state)
{
	struct psi psi = {.present = SOME | FULL};

	(void)state;
	psi.q[PSI_SOME] = (struct psi_figures){.avg60 = PSI_WHOLE, .avg300 = PSI_WHOLE};
	psi.q[PSI_FULL] = (struct psi_figures){.avg10 = PSI_WHOLE};
	assert_int_equal(psi_level(&psi, PSI_CALM), PSI_CALM);
	psi.q[PSI_SOME].avg10 = 1000;
	assert_int_equal(psi_level(&psi, PSI_CALM), PSI_CALM);
	psi.q[PSI_SOME].avg10 = 1001;
	assert_int_equal(psi_level(&psi, PSI_CALM), PSI_STRAINED);
	psi.q[PSI_SOME].avg10 = 3000;
	assert_int_equal(psi_level(&psi, PSI_CALM), PSI_STRAINED);
	psi.q[PSI_SOME].avg10 = 3001;
	assert_int_equal(psi_level(&psi, PSI_CALM), PSI_SEVERE);
	psi.present = FULL;
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
		struct psi psi = {.present = SOME};

		psi.q[PSI_SOME].avg10 = cases[i].avg10;
		if (psi_level(&psi, cases[i].before) != cases[i].is)
			fail_msg("case %zu", i);
	}
}

static void reads_this_kernels_pressure(void **state)
{
	AUTO_CLOSE int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSE int none = open("/dev", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct psi psi = {.present = 777};

	(void)state;
	assert_int_equal(psi_read(none, &psi), 0);
	assert_int_equal(psi.present, 0);
	assert_int_equal(psi_read(proc, &psi), 0);
	assert_true(psi.present == 0 || psi.present & SOME);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_lines_that_are_present),
		cmocka_unit_test(verdict_follows_from_recent_pressure),
		cmocka_unit_test(verdict_has_hysteresis),
		cmocka_unit_test(reads_this_kernels_pressure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
