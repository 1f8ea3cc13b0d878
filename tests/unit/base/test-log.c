/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/log.h: levels, priorities for the journal, cleaning, and the rate limit. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/text.h"

enum { CAUGHT_MAX = 4096 };

/* Text written to standard error since catch_begin(), and the number of writes. */
static char caught[CAUGHT_MAX + 1];
static size_t caught_len;
static unsigned int caught_writes;
static bool is_catching, is_deaf;

ssize_t __real_write(int fd, const void *data, size_t len);
ssize_t __wrap_write(int fd, const void *data, size_t len);

ssize_t __wrap_write(int fd, const void *data, size_t len)
{
	if (!is_catching || fd != STDERR_FILENO)
		return __real_write(fd, data, len);
	caught_writes++;
	if (is_deaf) {
		errno = EPIPE;
		return -1;
	}
	if (len > CAUGHT_MAX - caught_len)
		len = CAUGHT_MAX - caught_len;
	memcpy(caught + caught_len, data, len);
	caught_len += len;
	caught[caught_len] = 0;
	return (ssize_t)len;
}

static void catch_begin(void)
{
	caught[0] = 0;
	caught_len = 0;
	caught_writes = 0;
	is_catching = true;
}

static const char *catch_end(void)
{
	is_catching = false;
	return caught;
}

static int open_plain(void **state)
{
	(void)state;
	unsetenv("JOURNAL_STREAM");
	log_open("test", LOG_LEVEL_INFO);
	is_deaf = false;
	return 0;
}

static void log_each_level(void)
{
	log_error("e %d", 1);
	log_warning("w %d", 2);
	log_info("i %d", 3);
	log_debug("d %d", 4);
}

static void writes_messages_up_to_the_level(void **state)
{
	static const char *const expected[] = {
		"test: error: e 1\n",
		"test: error: e 1\ntest: warning: w 2\n",
		"test: error: e 1\ntest: warning: w 2\ntest: i 3\n",
		"test: error: e 1\ntest: warning: w 2\ntest: i 3\ntest: debug: d 4\n",
	};

	(void)state;
	for (unsigned int level = LOG_LEVEL_ERROR; level <= LOG_LEVEL_DEBUG; level++) {
		log_set_level((enum log_level)level);
		catch_begin();
		log_each_level();
		assert_string_equal(catch_end(), expected[level]);
		/* one write per line, so that lines of two processes do not mix */
		assert_int_equal(caught_writes, level + 1);
	}
}

/*
 * Sets JOURNAL_STREAM as systemd does for standard error's file, with offsets added to its device
 * and inode.
 */
static void name_as_journal(
	const struct stat *st, uint64_t device_off, uint64_t inode_off, const char *end)
{
	char text[64];

	snprintf(text, sizeof(text), "%" PRIu64 ":%" PRIu64 "%s", st->st_dev + device_off,
		st->st_ino + inode_off, end);
	setenv("JOURNAL_STREAM", text, 1);
}

static const char *log_each_level_anew(void)
{
	log_open("test", LOG_LEVEL_DEBUG);
	catch_begin();
	log_each_level();
	return catch_end();
}

static void tells_the_journal_the_priority(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(fstat(STDERR_FILENO, &st), 0);
	name_as_journal(&st, 0, 0, "");
	assert_string_equal(log_each_level_anew(), "<3>e 1\n<4>w 2\n<6>i 3\n<7>d 4\n");
}

/* A shell with a terminal or a file as standard error may have inherited the variable. */
static void writes_no_priority_elsewhere(void **state)
{
	static const char plain[] =
		"test: error: e 1\ntest: warning: w 2\ntest: i 3\ntest: debug: d 4\n";
	static const char *const malformed[] = {"", ":", "1", "9:", ":12345", "x:y", "9:12345"};
	struct stat st;

	(void)state;
	assert_int_equal(fstat(STDERR_FILENO, &st), 0);
	name_as_journal(&st, 1, 0, "");
	assert_string_equal(log_each_level_anew(), plain);
	name_as_journal(&st, 0, 1, "");
	assert_string_equal(log_each_level_anew(), plain);
	name_as_journal(&st, 0, 0, " ");
	assert_string_equal(log_each_level_anew(), plain);
	for (size_t i = 0; i < ARRAY_SIZE(malformed); i++) {
		setenv("JOURNAL_STREAM", malformed[i], 1);
		assert_string_equal(log_each_level_anew(), plain);
	}
}

static void writes_each_line_of_a_text(void **state)
{
	(void)state;
	catch_begin();
	log_lines(LOG_LEVEL_WARNING, "b: ", "one\n\ntwo");
	log_lines(LOG_LEVEL_DEBUG, "", "not said");
	assert_string_equal(
		catch_end(), "test: warning: b: one\ntest: warning: b: \ntest: warning: b: two\n");
}

/* A name can neither start a line of its own nor control a terminal. */
static void cleans_messages(void **state)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{"a\nmemtallyd: error: forged", "test: a\\x0amemtallyd: error: forged\n"},
		{"\n\n", "test: \\x0a\\x0a\n"},
		{"\x1b[2J\r", "test: \\x1b[2J\\x0d\n"},
		{"\xff\xe2\x80\xae", "test: \xef\xbf\xbd\\u202e\n"},
		{"gr\xc3\xbc\xc3\x9f", "test: gr\xc3\xbc\xc3\x9f\n"},
		{"", "test: \n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		catch_begin();
		log_info("%s", cases[i].text);
		assert_string_equal(catch_end(), cases[i].expected);
	}
}

/* A message of any length is one line, and is never cut within a character. */
static void cuts_long_messages(void **state)
{
	(void)state;
	for (size_t shift = 0; shift < 3; shift++) {
		char text[3000] = "xx";

		for (size_t i = shift; i + 3 < sizeof(text); i += 3)
			memcpy(text + i, "\xe2\x82\xac", 4);
		catch_begin();
		log_info("%s", text);
		assert_ptr_equal(strchr(catch_end(), '\n'), caught + caught_len - 1);
		assert_in_range(caught_len, 1000, 1100);
		assert_true(text_is_clean(caught, caught_len - 1));
		assert_memory_equal(caught, "test: ", 6);
		assert_memory_equal(caught + 6, text, 1000);
	}
}

static void ignores_failed_writes(void **state)
{
	(void)state;
	is_deaf = true;
	catch_begin();
	log_info("lost");
	catch_end();
	assert_int_equal(caught_writes, 1);
}

/* Only warnings are held back. Each remains a write of its own, so that lines do not mix. */
static void holds_warnings_back(void **state)
{
	(void)state;
	catch_begin();
	log_hold();
	log_warning("first");
	log_info("origin");
	log_warning("second");
	log_error("broken");
	assert_string_equal(caught, "test: origin\ntest: error: broken\n");
	log_release();
	assert_string_equal(caught,
		"test: origin\ntest: error: broken\ntest: warning: first\ntest: warning: second\n");
	assert_int_equal(caught_writes, 4);
	log_warning("third");
	log_release();
	assert_non_null(strstr(catch_end(), "second\ntest: warning: third\n"));
	assert_int_equal(caught_writes, 5);
}

/* If there is no room for a warning, those before it come first, so all keep their order. */
static void holds_back_what_there_is_room_for(void **state)
{
	char text[1000];
	unsigned int held = 0;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	catch_begin();
	log_hold();
	for (; !caught_writes; held++)
		log_warning("%s", text);
	held--;
	assert_int_equal(caught_writes, held);
	log_release();
	catch_end();
	assert_int_equal(caught_writes, held + 1);
	assert_in_range(held, 10, 20);
}

static void limits_messages_to_one_per_interval(void **state)
{
	struct log_limit limit = {.interval_ns = 100};
	static const struct {
		uint64_t now;
		bool passes;
		uint64_t suppressed;
	} steps[] = {
		{1000, true, 0},
		{1000, false, 0},
		{1099, false, 0},
		{1100, true, 2},
		{1101, false, 0},
		{9999, true, 1},
		{10099, true, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		uint64_t suppressed = 777;

		assert_int_equal(
			log_limit_pass(&limit, steps[i].now, &suppressed), steps[i].passes);
		assert_int_equal(suppressed, steps[i].passes ? steps[i].suppressed : 777);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(writes_messages_up_to_the_level, open_plain),
		cmocka_unit_test_setup(tells_the_journal_the_priority, open_plain),
		cmocka_unit_test_setup(writes_no_priority_elsewhere, open_plain),
		cmocka_unit_test_setup(writes_each_line_of_a_text, open_plain),
		cmocka_unit_test_setup(cleans_messages, open_plain),
		cmocka_unit_test_setup(cuts_long_messages, open_plain),
		cmocka_unit_test_setup(ignores_failed_writes, open_plain),
		cmocka_unit_test_setup(holds_warnings_back, open_plain),
		cmocka_unit_test_setup(holds_back_what_there_is_room_for, open_plain),
		cmocka_unit_test(limits_messages_to_one_per_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
