/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/procfs/status.h: the parser of /proc/PID/status. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sys/prctl.h>

#include "base/cleanup.h"
#include "base/os/file.h"
#include "collectors/procfs/status.h"

#define HEAD                                                                                       \
	"Name:\tbash\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t42\nPPid:\t7\n"                   \
	"Uid:\t1000\t1001\t1002\t1003\n"
#define GROUP "Gid:\t2000\t2001\t2002\t2003\nFDSize:\t256\nGroups:\t4 24 \nNStgid:\t42\n"
#define VM                                                                                         \
	"VmPeak:\t    8001 kB\nVmSize:\t    7802 kB\nVmLck:\t       3 kB\nVmPin:\t       4 kB\n"   \
	"VmHWM:\t    5205 kB\nVmRSS:\t    5006 kB\n"
#define RSS "RssAnon:\t    2007 kB\nRssFile:\t    2998 kB\nRssShmem:\t       1 kB\n"
#define AREAS                                                                                      \
	"VmData:\t    1508 kB\nVmStk:\t     132 kB\nVmExe:\t     909 kB\nVmLib:\t    1810 kB\n"    \
	"VmPTE:\t      56 kB\nVmSwap:\t     128 kB\n"
#define TAIL "HugetlbPages:\t       0 kB\nCoreDumping:\t0\nThreads:\t3\nSigQ:\t0/7777\n"

static const struct {
	enum process_quantity quantity;
	uint64_t kib;
} values[] = {
	{PROCESS_VM_PEAK, 8001},
	{PROCESS_VM_SIZE, 7802},
	{PROCESS_VM_LCK, 3},
	{PROCESS_VM_PIN, 4},
	{PROCESS_VM_HWM, 5205},
	{PROCESS_RSS, 5006},
	{PROCESS_RSS_ANON, 2007},
	{PROCESS_RSS_FILE, 2998},
	{PROCESS_RSS_SHMEM, 1},
	{PROCESS_VM_DATA, 1508},
	{PROCESS_VM_STK, 132},
	{PROCESS_VM_EXE, 909},
	{PROCESS_VM_LIB, 1810},
	{PROCESS_VM_PTE, 56},
	{PROCESS_VM_SWAP, 128},
};

static int parse(const char *text, struct status *ret)
{
	return status_parse(text, strlen(text), ret);
}

static void assert_values(const struct status *s)
{
	uint64_t present = 0;

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		assert_true(ROW_HAS(s, values[i].quantity));
		assert_int_equal(s->q[values[i].quantity], values[i].kib * 1024);
		present |= UINT64_C(1) << values[i].quantity;
	}
	assert_int_equal(s->q[PROCESS_THREADS], 3);
	assert_int_equal(s->present, present | UINT64_C(1) << PROCESS_THREADS);
}

/* Lines in the kernel's order and in another order. */
static void finds_fields_in_any_order(void **state)
{
	static const char *const texts[] = {HEAD GROUP VM RSS AREAS TAIL,
		TAIL AREAS RSS VM GROUP HEAD, VM HEAD TAIL "New:\t1\n" AREAS "x\n" RSS};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct status s;

		assert_int_equal(parse(texts[i], &s), 0);
		assert_int_equal(s.name_len, 4);
		assert_memory_equal(s.name, "bash", 4);
		assert_int_equal(s.state, 'S');
		assert_int_equal(s.parent, 7);
		assert_int_equal(s.uid, 1001); /* the effective uid */
		assert_int_equal(s.ruid, 1000);
		assert_int_equal(s.gid, strstr(texts[i], GROUP) ? 2001 : OWNER_NO_ID);
		assert_int_equal(s.rgid, strstr(texts[i], GROUP) ? 2000 : OWNER_NO_ID);
		assert_int_equal(s.threads, 3);
		assert_true(s.has_mm);
		assert_values(&s);
	}
}

/* A missing line is absent, not 0. */
static void missing_lines_are_absent(void **state)
{
	struct status s;

	(void)state;
	assert_int_equal(parse(HEAD VM AREAS TAIL, &s), 0); /* before Linux 4.5 */
	assert_true(s.has_mm);
	assert_false(ROW_HAS(&s, PROCESS_RSS_ANON));
	assert_false(ROW_HAS(&s, PROCESS_RSS_FILE));
	assert_false(ROW_HAS(&s, PROCESS_RSS_SHMEM));
	assert_true(ROW_HAS(&s, PROCESS_RSS));
	assert_int_equal(parse(HEAD GROUP TAIL, &s), 0); /* a kernel thread or a zombie */
	assert_false(s.has_mm);
	assert_int_equal(s.present, UINT64_C(1) << PROCESS_THREADS);
	assert_int_equal(parse("Name:\tx\nUid:\t0\t0\t0\t0\n", &s), 0);
	assert_int_equal(s.state, 0);
	assert_int_equal(s.parent, -1);
	assert_int_equal(s.threads, 0);
	assert_int_equal(s.present, 0);
}

static void unescapes_names(void **state)
{
	static const struct {
		const char *printed, *name;
	} cases[] = {
		{"a\\nb", "a\nb"}, {"a\\\\b", "a\\b"}, {"\\\\n", "\\n"}, {"a:b", "a:b"}, {"", ""},
		{" x", " x"}, /* only the tab belongs to the kernel's format */
		{"\tx ", "\tx "}, {"   ", "   "}, {"\xff\xfe", "\xff\xfe"},
		{"123456789012345", "123456789012345"},
		{"kworker/u8:2-events_unbound", "kworker/u8:2-ev"}, /* longer than comm can be */
		{"12345678901234\\n", "12345678901234\n"},
		{"\\", "\\"}, /* not from a kernel; must not read past the end */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[128];
		struct status s;
		int n = snprintf(
			text, sizeof(text), "Name:\t%s\nUid:\t0\t0\t0\t0\n", cases[i].printed);

		assert_int_equal(status_parse(text, (size_t)n, &s), 0);
		assert_int_equal(s.name_len, strlen(cases[i].name));
		assert_memory_equal(s.name, cases[i].name, s.name_len);
	}
}

static void refuses_malformed_texts(void **state)
{
	static const char *const texts[] = {
		"",
		"\n",
		"Name:\tx\n",
		"Uid:\t0\t0\t0\t0\n",
		"Name x\nUid:\t0\t0\t0\t0\n",
		"Name:\tx\nUid:\t\n",
		"Name:\tx\nUid:\t0\n",
		"Name:\tx\nUid:\t0\t0\n",
		"Name:\tx\nUid:\t0 0 0 0\n",
		"Name:\tx\nUid:\t0\tx\t0\t0\n",
		"Name:\tx\nUid:\t0\t-1\t0\t0\n",
		"Name:\tx\nUid:\t0\t4294967296\t0\t0\n",
		"Name:\tx\nUid:\t4294967296\t0\t0\t0\n",
		"Name:\tx\nUid:\t0\t0\t0\t0\nGid:\t0\n",
		"Name:\tx\nUid:\t0\t0\t0\t0\nGid:\t0\t4294967296\t0\t0\n",
		"Name:\tx\nUid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\n",
		"Name:\tx\nName:\ty\nUid:\t0\t0\t0\t0\n",
		"Name:\tx\nUid:\t0\t0\t0\t0\nUid:\t1\t1\t1\t1\n",
		HEAD "VmRSS:\t1 kB\nVmRSS:\t1 kB\n",
		HEAD "VmRSS:\t1\n",
		HEAD "VmRSS:\t1 MB\n",
		HEAD "VmRSS:\t-1 kB\n",
		HEAD "VmRSS:\t18446744073709551615 kB\n",
		HEAD "VmRSS:\t1 kB\r\n",
		HEAD "VmRSS:\tkB\n",
		HEAD "Threads:\tx\n",
		"Name:\tx\nUid:\t0\t0\t0\t0\nPPid:\t-1\n",
		"Name:\tx\nUid:\t0\t0\t0\t0\nPPid:\t2147483648\n",
		HEAD "Threads:\t4294967296\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct status s = {.uid = 777};

		if (parse(texts[i], &s) != -EBADMSG)
			fail_msg("%s", texts[i]);
		assert_int_equal(s.uid, 777);
	}
}

/* A cut text is refused unless every line that matters is complete. */
static void refuses_truncated_texts(void **state)
{
	static const char text[] = HEAD GROUP VM RSS AREAS TAIL;
	size_t needed = (size_t)(strstr(text, "SigQ") - text);

	(void)state;
	for (size_t len = 0; len < sizeof(text) - 1; len++) {
		AUTO_FREE char *cut = malloc(len + 1);
		struct status s;
		int r;

		assert_non_null(cut);
		memcpy(cut + 1, text, len);
		r = status_parse(cut + 1, len, &s);
		if (len >= needed)
			assert_values(&s);
		else if (!len || text[len - 1] != '\n')
			assert_int_equal(r, -EBADMSG); /* within a line */
	}
}

static void reads_its_own_status(void **state)
{
	char text[8192];
	struct status s;
	size_t len;

	(void)state;
	assert_int_equal(prctl(PR_SET_NAME, " \\a\nb:\xff", 0, 0, 0), 0);
	assert_int_equal(file_read(AT_FDCWD, "/proc/self/status", text, sizeof(text), &len), 0);
	assert_int_equal(status_parse(text, len, &s), 0);
	assert_int_equal(s.name_len, 7);
	assert_memory_equal(s.name, " \\a\nb:\xff", 7);
	assert_int_equal(s.uid, geteuid());
	assert_int_equal(s.threads, 1);
	assert_int_equal(s.state, 'R');
	assert_true(s.has_mm);
	assert_true(s.q[PROCESS_RSS] > 0 && s.q[PROCESS_RSS] <= s.q[PROCESS_VM_HWM]);
	assert_true(s.q[PROCESS_VM_SIZE] <= s.q[PROCESS_VM_PEAK]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_fields_in_any_order),
		cmocka_unit_test(missing_lines_are_absent),
		cmocka_unit_test(unescapes_names),
		cmocka_unit_test(refuses_malformed_texts),
		cmocka_unit_test(refuses_truncated_texts),
		cmocka_unit_test(reads_its_own_status),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
