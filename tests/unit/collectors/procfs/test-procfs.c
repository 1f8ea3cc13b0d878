/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/procfs/procfs.h: which /proc it is, and what it hides. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "collectors/procfs/procfs.h"
#include "tests/unit/support/tree/tree.h"

static void finds_hidepid_of_its_mount(void **state)
{
	static const struct {
		const char *options;
		bool hidden;
		gid_t gid;
	} cases[] = {
		{"rw", false, 0},
		{"rw,hidepid=0", false, 0},
		{"rw,hidepid=off", false, 0},
		{"rw,hidepid=1", true, 0},
		{"rw,gid=1000,hidepid=2", true, 1000},
		{"rw,hidepid=invisible,gid=7", true, 7},
		{"rw,hidepid=noaccess", true, 0},
		{"rw,hidepid=4,gid=7", true, (gid_t)-1},
		{"rw,gid=7,hidepid=ptraceable", true, (gid_t)-1},
		{"rw,nothidepid=2", false, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[512], copy[512];
		gid_t gid;
		int n = snprintf(text, sizeof(text),
			"20 1 0:5 / /sys rw - sysfs sysfs rw,hidepid=2\n"
			"21 1 0:22 / /proc rw,nosuid shared:12 - proc proc %s\n"
			"22 1 0:23 / /other rw - proc proc rw,hidepid=1\n",
			cases[i].options);

		memcpy(copy, text, sizeof(copy));
		assert_int_equal(procfs_parse_hidepid(copy, (size_t)n, NULL, makedev(0, 22), &gid),
			cases[i].hidden ? PROCFS_HIDES : PROCFS_SHOWS);
		if (cases[i].hidden)
			assert_int_equal(gid, cases[i].gid);
		memcpy(copy, text, sizeof(copy));
		assert_int_equal(procfs_parse_hidepid(copy, (size_t)n, NULL, makedev(0, 2), &gid),
			PROCFS_NOT_MOUNTED);
		/* A text that is cut off may lack the mount. */
		assert_int_equal(
			procfs_parse_hidepid(text, (size_t)n - 1, NULL, makedev(0, 2), &gid),
			PROCFS_HIDES);
		assert_int_equal(gid, (gid_t)-1);
	}
}

static void finds_hidepid_of_a_place(void **state)
{
	static const char head[] = "20 1 0:5 / /sys rw - sysfs sysfs rw,hidepid=2\n"
				   "21 1 0:22 / /proc rw,nosuid shared:12 - proc proc rw\n"
				   "22 21 0:23 / /proc/other rw - proc proc rw,hidepid=1\n";
	static const struct {
		const char *more;
		int expected;
	} cases[] = {
		{"", PROCFS_SHOWS},
		{"25 21 0:26 / /proc rw - proc proc rw,gid=7,hidepid=invisible\n", PROCFS_HIDES},
		{"25 21 0:26 / /proc rw - proc proc rw,hidepid=2", PROCFS_HIDES},
		{"25 21 0:26 / /proc rw - proc proc rw,hidepid=2\n"
		 "26 25 0:27 / /proc rw - proc proc rw,hidepid=0\n",
			PROCFS_SHOWS},
		{"25 21 0:26 / /proc", PROCFS_HIDES}, /* the text is cut off */
		{"25 21 0:26 /proc /elsewhere rw - proc proc rw,hidepid=2\n", PROCFS_SHOWS},
	};
	char copy[sizeof(head)];
	gid_t gid;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[512];
		int n = snprintf(text, sizeof(text), "%s%s", head, cases[i].more);

		assert_int_equal(
			procfs_parse_hidepid(text, (size_t)n, "/proc", 0, &gid), cases[i].expected);
	}
	memcpy(copy, head, sizeof(head));
	assert_int_equal(
		procfs_parse_hidepid(copy, sizeof(head) - 1, "/none", 0, &gid), PROCFS_NOT_MOUNTED);
	assert_int_equal(procfs_parse_hidepid(copy, 0, "/proc", 0, &gid), PROCFS_NOT_MOUNTED);
}

static void finds_the_boot_time(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint64_t seconds;
	} cases[] = {
		{"cpu  1 2\nintr 5\nbtime 1700000000\nprocesses 7\n", 0, 1700000000},
		{"cpu  1 2\nbtime\n", -EBADMSG, 0},
		{"cpu  1 2\nbtime x\n", -EBADMSG, 0},
		{"cpu  1 2\nnobtime 5\n", -EBADMSG, 0},
		{"cpu  1 2\nbtime 99999999999\n", -EBADMSG, 0},
		{"", -EBADMSG, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t seconds = 0;

		assert_int_equal(procfs_parse_btime(cases[i].text, strlen(cases[i].text), &seconds),
			cases[i].result);
		if (!cases[i].result)
			assert_int_equal(seconds, cases[i].seconds);
	}
}

static void lists_pids_in_order(void **state)
{
	static const char *const names[] = {"30", "4", "100000", "self", "1", "12a", "-5", "0",
		"01", "004", "99999999999", "meminfo"};
	static const pid_t expected[] = {1, 4, 30, 100000};
	AUTO_TREE struct tree t = {.fd = -1};
	AUTO_FREE pid_t *pids = NULL;
	size_t capacity = 0;
	struct procfs p;

	(void)state;
	tree_open(&t);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_int_equal(mkdirat(t.fd, names[i], 0700), 0);
	assert_int_equal(procfs_open(t.path, &p), 0);
	assert_false(p.live || p.is_kernels);
	assert_int_equal(p.boot_realtime_ns, 0);
	for (unsigned int again = 0; again < 2; again++) {
		assert_int_equal(procfs_list(&p, &pids, &capacity), ARRAY_SIZE(expected));
		assert_memory_equal(pids, expected, sizeof(expected));
	}
	procfs_close(&p);
}

static void refuses_other_directories(void **state)
{
	AUTO_TREE struct tree t = {.fd = -1};
	struct procfs p;

	(void)state;
	tree_open(&t);
	assert_int_equal(procfs_open(t.path, &p), -EMEDIUMTYPE);
	/* a dangling link, as in a tree without that process */
	assert_int_equal(symlinkat("1", t.fd, "self"), 0);
	assert_int_equal(procfs_open(t.path, &p), 0);
	procfs_close(&p);
}

static void recognises_the_kernels_proc(void **state)
{
	struct procfs p;
	AUTO_FREE pid_t *pids = NULL;
	size_t capacity = 0;
	bool found = false;
	ssize_t n;

	(void)state;
	assert_int_equal(procfs_open("/proc", &p), 0);
	assert_true(p.live && p.is_kernels);
	assert_true(p.boot_realtime_ns > 0);
	assert_true(p.boot_realtime_ns < clock_now_ns(CLOCK_REALTIME));
	n = procfs_list(&p, &pids, &capacity);
	assert_true(n > 0);
	for (ssize_t i = 0; i < n; i++)
		found = found || pids[i] == getpid();
	assert_true(found);
	procfs_close(&p);
	assert_int_equal(procfs_open("/proc/self/status", &p), -ENOTDIR);
	assert_int_equal(procfs_open("/no such folder", &p), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_hidepid_of_its_mount),
		cmocka_unit_test(finds_hidepid_of_a_place),
		cmocka_unit_test(finds_the_boot_time),
		cmocka_unit_test(lists_pids_in_order),
		cmocka_unit_test(refuses_other_directories),
		cmocka_unit_test(recognises_the_kernels_proc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
