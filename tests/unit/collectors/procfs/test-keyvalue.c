/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/procfs/keyvalue.h: lines of /proc files, their keys and numbers. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "collectors/procfs/keyvalue.h"

static void splits_lines(void **state)
{
	static const struct {
		const char *text;
		int result;
		const char *key, *value;
		size_t taken;
	} cases[] = {
		{"Rss:    12 kB\n", 0, "Rss", "12 kB", 14},
		{"Name:\tbash\nUmask:\t0022\n", 0, "Name", "bash", 11},
		{"Key:\n", 0, "Key", "", 5},
		{"Key:   \n", 0, "Key", "", 8},
		{":value\n", 0, "", "value", 7},
		/* the key ends at the first colon; the rest of the line is kept as it is */
		{"Key:a:b \n", 0, "Key", "a:b ", 9},
		{"a b:c\n", 0, "a b", "c", 6},
		{"no colon\n", 0, "", "no colon", 9},
		{"\n", 0, "", "", 1},
		{"", KEYVALUE_END, NULL, NULL, 0},
		{"Key: cut", -EBADMSG, NULL, NULL, 0},
		{"Key", -EBADMSG, NULL, NULL, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		/*
		 * Allocated to the exact size, so that valgrind and ASan find reads past the end.
		 */
		size_t len = strlen(cases[i].text);
		AUTO_FREE char *text = malloc(len + 1);
		const char *at = text + 1;
		struct keyvalue line = {0};

		assert_non_null(text);
		memcpy(text + 1, cases[i].text, len);
		assert_int_equal(keyvalue_next(&at, text + 1 + len, &line), cases[i].result);
		assert_int_equal(at - (text + 1), cases[i].taken);
		if (cases[i].result < 0 || cases[i].result == KEYVALUE_END)
			continue;
		assert_int_equal(line.key_len, strlen(cases[i].key));
		if (line.key_len)
			assert_memory_equal(line.key, cases[i].key, line.key_len);
		assert_int_equal(line.value_len, strlen(cases[i].value));
		assert_memory_equal(line.value, cases[i].value, line.value_len);
	}
}

static const struct keyvalue_key keys[] = {
	KEYVALUE_KEY("Rss", 7),
	KEYVALUE_KEY("Pss", 8),
	KEYVALUE_KEY("Pss_Anon", 9),
	KEYVALUE_KEY("Swap", 10),
};

static struct keyvalue key_line(const char *key)
{
	return (struct keyvalue){.key = key, .key_len = strlen(key)};
}

/* Only whole keys match, wherever the search begins. */
static void finds_whole_keys(void **state)
{
	static const char *const unknown[] = {
		"", "Ps", "Pss_", "Pss_Anon_", "pss", "SwapPss", "Rss "};

	(void)state;
	for (size_t from = 0; from < ARRAY_SIZE(keys); from++) {
		for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
			struct keyvalue line = key_line(keys[i].name);
			size_t hint = from;

			assert_ptr_equal(
				keyvalue_find(&line, keys, ARRAY_SIZE(keys), &hint), &keys[i]);
			/* the key after the one found */
			assert_int_equal(hint, (i + 1) % ARRAY_SIZE(keys));
		}
		for (size_t i = 0; i < ARRAY_SIZE(unknown); i++) {
			struct keyvalue line = key_line(unknown[i]);
			size_t hint = from;

			assert_null(keyvalue_find(&line, keys, ARRAY_SIZE(keys), &hint));
			assert_int_equal(hint, from); /* an unknown key leaves the hint as it is */
		}
	}
}

static void reads_kib(void **state)
{
	static const struct {
		const char *value;
		int result;
		uint64_t bytes;
	} cases[] = {
		{"0 kB", 0, 0},
		{"12 kB", 0, 12288},
		{"9007199254740991 kB", 0, INT64_MAX - 1023},
		{"9007199254740992 kB", -EBADMSG, 0},
		{"18446744073709551615 kB", -EBADMSG, 0},
		{"18446744073709551616 kB", -EBADMSG, 0},
		{"", -EBADMSG, 0},
		{"12", -EBADMSG, 0},
		{" kB", -EBADMSG, 0},
		{"12kB", -EBADMSG, 0},
		{"12  kB", -EBADMSG, 0},
		{"12 KB", -EBADMSG, 0},
		{"12 MB", -EBADMSG, 0},
		{"12 kB ", -EBADMSG, 0},
		{"12 kB\r", -EBADMSG, 0},
		{"12 k", -EBADMSG, 0},
		{"-12 kB", -EBADMSG, 0},
		{"0x12 kB", -EBADMSG, 0},
		{"1.5 kB", -EBADMSG, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct keyvalue line = {
			.value = cases[i].value, .value_len = strlen(cases[i].value)};
		uint64_t bytes = 777;

		if (keyvalue_kib(&line, &bytes) != cases[i].result)
			fail_msg("'%s'", cases[i].value);
		assert_int_equal(bytes, cases[i].result ? 777 : cases[i].bytes);
	}
}

static void learns_the_last_line(void **state)
{
	static const char text[] = "Name:\tx\nVmRSS:\t  10 kB\nLocked:\t 0 kB\n";
	struct keyvalue_end_key end = {0};
	size_t len = strlen(text);

	(void)state;
	assert_false(keyvalue_is_whole(text, len, &end)); /* nothing was learned */
	keyvalue_learn_end(&end, text, len - 1);
	assert_int_equal(end.len, 0);
	keyvalue_learn_end(&end, text, len);
	for (size_t i = 1; i < len; i++)
		assert_false(keyvalue_is_whole(text, i, &end));
	assert_true(keyvalue_is_whole(text, len, &end));
	/* Texts with another end teach nothing. */
	keyvalue_learn_end(&end, "", 0);
	keyvalue_learn_end(&end, "\n", 1);
	keyvalue_learn_end(&end, "a\n", 2);
	keyvalue_learn_end(&end, "a-key-that-is-longer-than-any-of-the-kernel's: 1\n", 49);
	assert_true(keyvalue_is_whole(text, len, &end));
	assert_false(keyvalue_is_whole("Locked: 0", 9, &end));
	assert_true(keyvalue_is_whole("Locked:\n", 8, &end));
	assert_false(keyvalue_is_whole("LockedX:\n", 9, &end));
	assert_false(keyvalue_is_whole("", 0, &end));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(learns_the_last_line),
		cmocka_unit_test(splits_lines),
		cmocka_unit_test(finds_whole_keys),
		cmocka_unit_test(reads_kib),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
