/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/procfs/host/vmstat.h: the parser of /proc/vmstat. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>

#include "base/cleanup.h"
#include "collectors/procfs/host/vmstat.h"
#include "snapshot/record.h"

enum {
	IN = 1 << VMSTAT_SWAP_IN,
	OUT = 1 << VMSTAT_SWAP_OUT,
	ZSWAP = 1 << VMSTAT_ZSWAP_IN | 1 << VMSTAT_ZSWAP_OUT,
	ZEROES = 1 << VMSTAT_ZEROES_IN | 1 << VMSTAT_ZEROES_OUT,
};

static void parses_lines_that_are_present(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint64_t present, in, out;
	} cases[] = {
		{"nr_free_pages 5\npswpin 17\npswpout 42\npgalloc_dma 3\n", 0, IN | OUT, 17, 42},
		{"pswpout 42\npswpin 17\n", 0, IN | OUT, 17, 42},
		{"pswpin 0\npswpinx 4\nxpswpout 5\npswpout\n", 0, IN, 0, 0},
		{"nr_free_pages 5\n", 0, 0, 0, 0}, /* without CONFIG_SWAP */
		{"", 0, 0, 0, 0},
		{"pswpin 17\npswpin 17\n", -EBADMSG, 0, 0, 0},
		{"pswpin -1\n", -EBADMSG, 0, 0, 0},
		{"pswpin 1 \n", -EBADMSG, 0, 0, 0},
		{"pswpin 18446744073709551616\n", -EBADMSG, 0, 0, 0},
		{"pswpin 1\npswpout 1", -EBADMSG, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct vmstat v = {.present = 777};
		int r = vmstat_parse(cases[i].text, strlen(cases[i].text), &v);

		assert_int_equal(r, cases[i].result);
		assert_int_equal(v.present, r ? 777 : cases[i].present);
		if (r == 0) {
			assert_int_equal(v.q[VMSTAT_SWAP_IN], cases[i].in);
			assert_int_equal(v.q[VMSTAT_SWAP_OUT], cases[i].out);
		}
	}
}

/*
 * As Linux 6.18 prints them: pswpin and pswpout do not change when pages go to swap without a
 * device.
 */
static void finds_swap_without_a_device(void **state)
{
	static const char text[] = "pswpin 1\npswpout 2\nswap_ra 9\nswpin_zero 3\nswpout_zero 4\n"
				   "ksm_swpin_copy 9\nzswpin 5\nzswpout 6\nzswpwb 9\n";
	struct vmstat v;

	(void)state;
	assert_int_equal(vmstat_parse(text, sizeof(text) - 1, &v), 0);
	assert_int_equal(v.present, IN | OUT | ZSWAP | ZEROES);
	assert_int_equal(v.q[VMSTAT_SWAP_IN], 1);
	assert_int_equal(v.q[VMSTAT_SWAP_OUT], 2);
	assert_int_equal(v.q[VMSTAT_ZEROES_IN], 3);
	assert_int_equal(v.q[VMSTAT_ZEROES_OUT], 4);
	assert_int_equal(v.q[VMSTAT_ZSWAP_IN], 5);
	assert_int_equal(v.q[VMSTAT_ZSWAP_OUT], 6);
}

/* Not every kernel counts them: before Linux 4.13 the line is missing. */
static void counts_oom_kills(void **state)
{
	static const char text[] = "oom_kills 9\noom_kill 31\nxoom_kill 8\n";
	struct vmstat v;

	(void)state;
	assert_int_equal(vmstat_parse(text, sizeof(text) - 1, &v), 0);
	assert_int_equal(v.present, 1 << VMSTAT_OOM_KILL);
	assert_int_equal(v.q[VMSTAT_OOM_KILL], 31);
	assert_int_equal(vmstat_parse("pswpin 1\n", 9, &v), 0);
	assert_false(ROW_HAS(&v, VMSTAT_OOM_KILL));
	assert_int_equal(vmstat_parse("oom_kill x\n", 11, &v), -EBADMSG);
}

/* Pages of present kinds, whether they concern swap or not. */
static void finds_pages_of_other_kinds(void **state)
{
	static const char text[] = "nr_zspages 7\nnr_memmap_pages 8\nnr_memmap_boot_pages 9\n";
	struct vmstat v;

	(void)state;
	assert_int_equal(vmstat_parse(text, sizeof(text) - 1, &v), 0);
	assert_int_equal(v.present, 1 << VMSTAT_ZSPAGES | 1 << VMSTAT_MEMMAP_PAGES);
	assert_int_equal(v.q[VMSTAT_ZSPAGES], 7);
	assert_int_equal(v.q[VMSTAT_MEMMAP_PAGES], 8);
}

static void reads_this_kernels_vmstat(void **state)
{
	AUTO_CLOSE int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSE int none = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct vmstat v;

	(void)state;
	assert_int_equal(vmstat_read(proc, &v), 0);
	/* Which of the others are present depends on the kernel. */
	assert_true((v.present & (IN | OUT)) == (IN | OUT) || (v.present & (IN | OUT)) == 0);
	assert_int_equal(vmstat_read(none, &v), -ENOENT);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_lines_that_are_present),
		cmocka_unit_test(finds_swap_without_a_device),
		cmocka_unit_test(counts_oom_kills),
		cmocka_unit_test(finds_pages_of_other_kinds),
		cmocka_unit_test(reads_this_kernels_vmstat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
