/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/process/self/self-usage.h: memtallyd's own costs and rights. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "collectors/process/self/self-usage.h"

static void finds_the_effective_set(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint64_t caps;
	} cases[] = {
		{"Name:\tx\nCapPrm:\t0000000000000001\nCapEff:\t000001ffffffffff\nCapBnd:\t2\n", 0,
			0x1ffffffffff},
		{"Name:\tx\nCapEff:\t0000000000080000\n", 0, 1 << 19},
		{"Name:\tx\nCapEff:\t0000000000000000\n", 0, 0},
		{"Name:\tx\nCapEff:\t0000000000000000", -EBADMSG, 0},
		{"Name:\tx\nCapEff:\t000001ff", -EBADMSG, 0}, /* a cut line is no smaller set */
		{"Name:\tx\nCapEff:\t1 \n", -EBADMSG, 0},
		{"Name:\tx\nCapPrm:\t1\n", -EBADMSG, 0},
		{"CapEff:\t1\n", -EBADMSG, 0}, /* not in the first line */
		{"Name:\tx\nCapEff:\t\n", -EBADMSG, 0},
		{"Name:\tx\nCapEff:\tx\n", -EBADMSG, 0},
		{"Name:\tx\nCapEff:\t10000000000000000\n", -EBADMSG, 0},
		{"Name:\tCapEff:\t1\n", -EBADMSG, 0}, /* a name that imitates the line */
		{"", -EBADMSG, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t caps = 777;

		assert_int_equal(
			self_usage_parse_capabilities(cases[i].text, strlen(cases[i].text), &caps),
			cases[i].result);
		assert_int_equal(caps, cases[i].result ? 777 : cases[i].caps);
	}
}

static void reads_its_own_costs(void **state)
{
	AUTO_CLOSE int more = -1;
	struct self_usage self = {0};
	struct rlimit limit;
	uint64_t start, fds;

	(void)state;
	self_usage_read(&self);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(self.max_fds, limit.rlim_cur);
	assert_int_equal(self.open_fds, unit_descriptors());
	assert_true(self.resident_bytes > 100000);
	assert_true(self.cpu_ns > 0);
	start = self.start_realtime_ns;
	/* btime has whole seconds and changes with the clock. */
	assert_in_range(start / NS_PER_SEC, clock_now_ns(CLOCK_REALTIME) / NS_PER_SEC - 600,
		clock_now_ns(CLOCK_REALTIME) / NS_PER_SEC + 3);
	fds = self.open_fds;
	more = open("/dev/null", O_RDONLY | O_CLOEXEC);
	self_usage_read(&self);
	assert_int_equal(self.open_fds, fds + 1);
	assert_int_equal(self.start_realtime_ns, start);

	self = (struct self_usage){.start_realtime_ns = 5}; /* read only once */
	self_usage_read(&self);
	assert_int_equal(self.start_realtime_ns, 5);
}

/* For a process in many groups status has many KiB, with the capabilities after the groups. */
static void reads_a_long_status(void **state)
{
	struct self_usage self = {0};
	int status;
	pid_t pid;

	(void)state;
	self_usage_read(&self);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		gid_t groups[4000];
		struct self_usage child = {0};

		for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
			groups[i] = (gid_t)(2000000000 + i);
		if (setgroups(ARRAY_SIZE(groups), groups) < 0)
			_exit(77);
		self_usage_read(&child);
		_exit(child.resident_bytes && child.has_sys_ptrace == self.has_sys_ptrace ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip(); /* no right to set groups */
	assert_int_equal(status, 0);
}

/* Compares with the rights that the kernel reports for this process. */
static void reads_its_own_rights(void **state)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}};
	struct self_usage self = {0};

	(void)state;
	assert_int_equal(syscall(SYS_capget, &header, data), 0);
	self_usage_read(&self);
	assert_int_equal(self.has_sys_ptrace, data[0].effective >> 19 & 1);
	assert_int_equal(self.has_perfmon, data[1].effective >> 6 & 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_effective_set),
		cmocka_unit_test(reads_its_own_costs),
		cmocka_unit_test(reads_its_own_rights),
		cmocka_unit_test(reads_a_long_status),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
