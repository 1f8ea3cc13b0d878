/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of daemon/memory-lock.h with this process's own memory. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/os/file.h"
#include "daemon/memory-lock.h"

enum { AREA = 32 << 20 };

static void finds_the_part_of_a_mapping(void **state)
{
	static const struct {
		const char *line;
		enum memory_lock_part part;
		uint64_t begin, end;
	} cases[] = {
		{"1000-3000 r-xp 00002000 08:01 77      /usr/sbin/x y", MEMORY_LOCK_CODE, 0x1000,
			0x3000},
		{"1000-3000 r--p 00000000 08:01 77      /usr/sbin/x", MEMORY_LOCK_CODE, 0x1000,
			0x3000},
		{"1000-3000 rw-p 00002000 08:01 77      /usr/sbin/x", MEMORY_LOCK_DATA, 0x1000,
			0x3000},
		{"1000-3000 rw-p 00000000 00:00 0       [heap]", MEMORY_LOCK_DATA, 0x1000, 0x3000},
		{"1000-3000 rw-p 00000000 00:00 0 ", MEMORY_LOCK_DATA, 0x1000, 0x3000},
		{"1000-3000 rw-p 00000000 00:00 0       [stack]", MEMORY_LOCK_NONE, 0, 0},
		{"1000-3000 r--p 00000000 00:00 0       [vvar]", MEMORY_LOCK_NONE, 0, 0},
		{"1000-3000 rw-s 00000000 00:01 5       /memfd:x", MEMORY_LOCK_NONE, 0, 0},
		{"1000-3000 ---p 00000000 08:01 77      /usr/lib/x.so", MEMORY_LOCK_NONE, 0, 0},
		{"3000-1000 rw-p 00000000 00:00 0", MEMORY_LOCK_NONE, 0, 0},
		{"1000-3000 rw-p 00000000 00:00", MEMORY_LOCK_NONE, 0, 0},
		{"1000-3000", MEMORY_LOCK_NONE, 0, 0},
		{"", MEMORY_LOCK_NONE, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t begin = 0, end = 0;
		enum memory_lock_part part = memory_lock_parse(
			cases[i].line, strlen(cases[i].line), &begin, &end);

		if (part != cases[i].part ||
			(part != MEMORY_LOCK_NONE &&
				(begin != cases[i].begin || end != cases[i].end)))
			fail_msg("%s: part %d, %llx-%llx", cases[i].line, (int)part,
				(unsigned long long)begin, (unsigned long long)end);
	}
}

/* Returns the KiB that /proc/self/status prints for KEY. */
static uint64_t status_kib(const char *key)
{
	char text[8192];
	uint64_t kib = 0;
	const char *at;
	size_t len;

	assert_int_equal(file_read(AT_FDCWD, "/proc/self/status", text, sizeof(text) - 1, &len), 0);
	text[len] = 0;
	at = strstr(text, key);
	assert_non_null(at);
	at += strlen(key);
	at += strspn(at, " \t");
	assert_true(number_scan_u64(at, strlen(at), &kib) > 0);
	return kib;
}

/*
 * Locked memory is counted by the kernel. It becomes resident only when it is used. With a sanitizer
 * munlock() does nothing.
 */
static void locks_what_is_used(void **state)
{
	char *area = mmap(NULL, AREA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t before, locked;

	(void)state;
	assert_true(area != MAP_FAILED);
	if (SANITIZED || status_kib("VmLck:") || !memory_lock(MEMORY_LOCK_CODE)) {
		munmap(area, AREA);
		print_message("SKIP: no memory can be locked here\n");
		skip();
	}
	locked = status_kib("VmLck:");
	assert_true(locked);
	before = status_kib("VmRSS:");
	(void)memory_lock(MEMORY_LOCK_DATA);
	assert_true(status_kib("VmLck:") > locked);
	assert_true(status_kib("VmRSS:") < before + AREA / 1024 / 2);
	memory_unlock(MEMORY_LOCK_DATA);
	assert_int_equal(status_kib("VmLck:"), locked);
	memory_unlock(MEMORY_LOCK_CODE);
	assert_int_equal(status_kib("VmLck:"), 0);
	munmap(area, AREA);
}

/* Without a limit for it nothing is locked, and nothing fails. */
static void keeps_to_the_limit(void **state)
{
	struct rlimit none = {0, 0};
	uint64_t bytes;

	(void)state;
	if (SANITIZED)
		skip();
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &none), 0);
	bytes = memory_lock(MEMORY_LOCK_CODE);
	/* root may lock more than the limit */
	assert_int_equal(status_kib("VmLck:"), bytes / 1024);
	memory_unlock(MEMORY_LOCK_CODE);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_part_of_a_mapping),
		cmocka_unit_test(locks_what_is_used),
		cmocka_unit_test(keeps_to_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
