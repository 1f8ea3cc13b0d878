/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of config/nearest.h: the suggestion for a mistyped word. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "config/nearest.h"

static void finds_the_closest_word(void **state)
{
	static const char *const words[] = {"interval", "pss.mode", "pss.max-age",
		"web.listen-address", "log.level", "pod", "pods"};
	static const struct {
		const char *word, *text;
	} cases[] = {
		{"intervall", "; did you mean 'interval'?"}, /* one letter too many, */
		{"interva", "; did you mean 'interval'?"},   /* one missing, */
		{"intervel", "; did you mean 'interval'?"},  /* one wrong, */
		{"intevral", "; did you mean 'interval'?"},  /* and two exchanged */
		{"itnevralx", "; did you mean 'interval'?"}, /* three edits */
		{"itnevrxlx", ""},                           /* four */
		{"INTERVAL", ""},
		{"web.listen_adress", "; did you mean 'web.listen-address'?"},
		{"podz", "; did you mean 'pod'?"}, /* the first of two with the same distance */
		{"pods", "; did you mean 'pods'?"},
		{"pd", ""}, /* in a word of two letters one edit is too many */
		{"pdo", "; did you mean 'pod'?"},
		{"x", ""},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[NEAREST_TEXT_SIZE];
		struct nearest n;

		nearest_init(&n, cases[i].word);
		for (size_t j = 0; j < ARRAY_SIZE(words); j++)
			nearest_consider(&n, words[j], strlen(words[j]));
		if (strcmp(nearest_text(&n, text), cases[i].text) != 0)
			fail_msg("'%s': '%s'", cases[i].word, text);
	}
}

/* Words of the maximum length, and longer ones. */
static void ignores_words_that_are_too_long(void **state)
{
	char word[NEAREST_WORD_MAX + 2], text[NEAREST_TEXT_SIZE + 1];
	struct nearest n;

	(void)state;
	memset(word, 'a', sizeof(word));
	text[NEAREST_TEXT_SIZE] = '#';
	word[NEAREST_WORD_MAX] = 0;
	nearest_init(&n, word);
	nearest_consider(&n, word, NEAREST_WORD_MAX + 1);
	nearest_consider(&n, word, 0);
	assert_string_equal(nearest_text(&n, text), "");
	nearest_consider(&n, word, NEAREST_WORD_MAX);
	assert_int_equal(strlen(nearest_text(&n, text)), NEAREST_TEXT_SIZE - 1);
	assert_int_equal(text[NEAREST_TEXT_SIZE], '#');

	word[NEAREST_WORD_MAX] = 'a';
	word[NEAREST_WORD_MAX + 1] = 0;
	nearest_init(&n, word);
	nearest_consider(&n, word, NEAREST_WORD_MAX);
	assert_string_equal(nearest_text(&n, text), "");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_closest_word),
		cmocka_unit_test(ignores_words_that_are_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
