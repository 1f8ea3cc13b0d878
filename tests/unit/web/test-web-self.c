/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/own/self.h: memtally-web's own costs. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "web/own/self.h"

#define FIELDS "S 1 2 3 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 "

static void parses_stat(void **state)
{
	static const char *const names[] = {
		"(memtally-web)", "()", "(a b)", "(x) R 1 (y)", "(\n\xff)"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct self_stat stat;
		char text[256];

		snprintf(text, sizeof(text), "7 %s " FIELDS "12345 13606912 1457 99 0\n", names[i]);
		assert_int_equal(self_parse_stat(text, strlen(text), &stat), 0);
		assert_int_equal(stat.start_ticks, 12345);
		assert_int_equal(stat.virtual_bytes, 13606912);
		assert_int_equal(stat.resident_pages, 1457);
	}
}

static void refuses_malformed_texts(void **state)
{
	static const char text[] = "7 (x) " FIELDS "12345 13606912 1457 99\n";
	static const char *const bad[] = {
		"",
		"7 memtally-web S 1",
		"7 (x)",
		"7 (x)S 1",
		"7 (x) " FIELDS "-1 13606912 1457 99\n",
		"7 (x) " FIELDS "12345 18446744073709551616 1457 99\n",
		"7 (x) " FIELDS "12345 1 x 99\n",
	};
	struct self_stat stat;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(self_parse_stat(bad[i], strlen(bad[i]), &stat), -EINVAL);
	/* A text cut before the blank after the last used field is refused. */
	for (size_t len = 0; len < strlen(text) - strlen(" 99\n"); len++)
		assert_int_equal(self_parse_stat(text, len, &stat), -EINVAL);
}

static void reads_its_own_costs(void **state)
{
	uint64_t now = clock_now_ns(CLOCK_REALTIME), open_fds, cpu;
	struct self self;
	int fd;

	(void)state;
	self_init(&self);
	assert_int_equal(self.has, SELF_HAS_START);
	assert_true(self.start_ns < now + NS_PER_SEC && self.start_ns > now - 3600 * NS_PER_SEC);
	self_read(&self, now);
	assert_true(self.has & SELF_HAS_CPU && self.has & SELF_HAS_MEMORY &&
		    self.has & SELF_HAS_OPEN_FDS);
	assert_true(self.resident_bytes > 100000 && self.virtual_bytes > self.resident_bytes);
	assert_int_equal(self.open_fds, unit_descriptors());
	open_fds = self.open_fds;
	cpu = self.cpu_ns;
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	self_read(&self, now + NS_PER_SEC / 10 - 1); /* not read again so soon */
	assert_int_equal(self.open_fds, open_fds);
	assert_int_equal(self.cpu_ns, cpu);
	self_read(&self, now + NS_PER_SEC / 10);
	assert_int_equal(self.open_fds, open_fds + 1);
	assert_true(self.cpu_ns > cpu);
	close(fd);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_stat),
		cmocka_unit_test(refuses_malformed_texts),
		cmocka_unit_test(reads_its_own_costs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
