/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/assets/assets.h: the style sheet and the script of this build. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "web/assets/assets.h"
#include "web/http/gzip.h"

enum { ALL_MAX = 60 * 1024 }; /* bytes that a client loads at most */

static bool has(const struct buffer *b, const char *text)
{
	return memmem(b->data, b->len, text, strlen(text)) != NULL;
}

static void inflate_asset(const struct asset *a, struct buffer *to)
{
	assert_int_equal(gzip_inflate(to, a->gzip, a->gzip_len, a->len), 0);
}

static void inflates_each(void **state)
{
	size_t all = 0;

	(void)state;
	assert_non_null(assets_of(ASSETS_STYLE));
	for (enum assets_kind kind = 0; kind < ASSETS_KINDS; kind++) {
		const struct asset *a = assets_of(kind);
		AUTO_BUFFER struct buffer b = {0};

		if (!a)
			continue;
		inflate_asset(a, &b);
		assert_int_equal(b.len, a->len);
		assert_true(has(&b, kind == ASSETS_STYLE ? ":root" : "memtally"));
		assert_ptr_equal(assets_find(a->path, strlen(a->path)), a);
		assert_int_equal(strncmp(a->path, ASSETS_FOLDER, strlen(ASSETS_FOLDER)), 0);
		all += a->gzip_len;
	}
	assert_true(all < ALL_MAX);
}

/* The policy of the page refuses all of this; the browsers of users should not have to. */
static void makes_no_code_of_texts(void **state)
{
	static const char *const forbidden[] = {"innerHTML", "outerHTML", "insertAdjacentHTML",
		"document.write", "eval(", "new Function", "javascript:", "setAttribute(\"style\"",
		"DOMParser", "createContextualFragment"};

	(void)state;
	for (enum assets_kind kind = 0; kind < ASSETS_KINDS; kind++) {
		AUTO_BUFFER struct buffer b = {0};

		if (!assets_of(kind))
			continue;
		inflate_asset(assets_of(kind), &b);
		for (size_t i = 0; i < ARRAY_SIZE(forbidden); i++)
			assert_false(has(&b, forbidden[i]));
	}
}

static void finds_whole_paths_only(void **state)
{
	const char *path = assets_of(ASSETS_STYLE)->path;
	size_t len = strlen(path);

	(void)state;
	assert_null(assets_find(path, len - 1));
	assert_null(assets_find(ASSETS_FOLDER, strlen(ASSETS_FOLDER)));
	assert_null(assets_find("/assets/style.css", 17));
	assert_null(assets_find("", 0));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(inflates_each),
		cmocka_unit_test(makes_no_code_of_texts),
		cmocka_unit_test(finds_whole_paths_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
