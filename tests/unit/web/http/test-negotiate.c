/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/http/negotiate.h: formats, encodings and ETags that a client accepts. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "web/http/negotiate.h"

static void chooses_a_format(void **state)
{
	static const struct {
		const char *accept;
		bool openmetrics;
	} cases[] = {
		{"application/openmetrics-text", true},
		{"application/openmetrics-text; version=1.0.0", true},
		{"APPLICATION/OpenMetrics-Text;VERSION=\"1.0.0\"", true},
		{"application/openmetrics-text;version=0.0.1", false},
		{"application/openmetrics-text;q=0", false},
		{"application/openmetrics-text;q=0.000", false},
		{"application/openmetrics-text;q=0.001", true},
		{"application/openmetrics-text;q=2", false},
		{"application/openmetrics-text;q=1.001", false},
		{"application/openmetrics-text;q=-1", false},
		{"application/openmetrics-text;q=.5", false},
		{"application/openmetrics-text;q=0.1234", false},
		{"application/openmetrics-text;q=high", false},
		{"application/openmetrics-text;q=", false},
		{"application/openmetrics-textual", false},
		{"application/openmetrics", false},
		{"*/*", false},
		{"text/plain", false},
		{"", false},
		{",;,=;", false},
		{"text/plain,application/openmetrics-text", true},
		{"text/plain;q=0.9,application/openmetrics-text;q=0.8", false},
		{"text/*;q=0.9,application/openmetrics-text;q=0.8", false},
		{"text/plain;q=0.1,*/*;q=0.9,application/openmetrics-text;q=0.2", true},
		{"text/plain;version=1.0.0,*/*;q=0.1,application/openmetrics-text;q=0.2", true},
		{"x/y;a=\"application/openmetrics-text,\"", false},
		{"x/y;a=\"\\\",application/openmetrics-text\"", false},
		/* Accept headers of Prometheus 2.42 and 3 */
		{"application/openmetrics-text;version=1.0.0,"
		 "application/openmetrics-text;version=0.0.1;q=0.75,"
		 "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
			true},
		{"application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
		 "application/openmetrics-text;version=0.0.1;q=0.5,"
		 "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,"
		 "text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
			true},
		/* a client without OpenMetrics, and a browser */
		{"text/plain;version=0.0.4;q=1,*/*;q=0.1", false},
		{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct negotiate n;

		negotiate_init(&n);
		assert_false(negotiate_openmetrics(&n));
		negotiate_add_accept(&n, cases[i].accept);
		if (negotiate_openmetrics(&n) != cases[i].openmetrics)
			fail_msg("Accept: %s", cases[i].accept);
	}
}

static void chooses_an_encoding(void **state)
{
	static const struct {
		const char *accept;
		bool gzip;
	} cases[] = {
		{"gzip", true},
		{"GZIP", true},
		{"x-gzip", true},
		{"gzip, deflate, br", true},
		{"deflate,gzip;q=0.5", true},
		{"gzip;q=0", false},
		{"gzip;q=0.0", false},
		{"*", true},
		{"*;q=0", false},
		{"*, gzip;q=0", false},
		{"identity", false},
		{"identity, gzip;q=0.5", false},
		{"identity;q=0.5, gzip", true},
		{"identity;q=0, gzip;q=0.1", true},
		{"br", false},
		{"", false},
		{"gzipped", false},
		{"gzi", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct negotiate n;

		negotiate_init(&n);
		assert_false(negotiate_gzip(&n));
		negotiate_add_encoding(&n, cases[i].accept);
		if (negotiate_gzip(&n) != cases[i].gzip)
			fail_msg("Accept-Encoding: %s", cases[i].accept);
	}
}

/* Two headers count as one list. */
static void joins_repeated_headers(void **state)
{
	struct negotiate n;

	(void)state;
	negotiate_init(&n);
	negotiate_add_accept(&n, "text/plain;q=0.5");
	negotiate_add_accept(&n, "application/openmetrics-text");
	assert_true(negotiate_openmetrics(&n));
	negotiate_add_encoding(&n, "br");
	negotiate_add_encoding(&n, "gzip");
	assert_true(negotiate_gzip(&n));
}

static void knows_etags(void **state)
{
	static const struct {
		const char *value;
		bool matches;
	} cases[] = {
		{"W/\"ab-1\"", true},
		{"\"ab-1\"", true},
		{"*", true},
		{"\"x\", W/\"ab-1\"", true},
		{" W/\"ab-1\" ,\"x\"", true},
		{"\"ab-1,\"", false},
		{"\"x,W/\\\"ab-1\\\"\"", false},
		{"ab-1", false},
		{"W/ab-1", false},
		{"w/\"ab-1\"", false},
		{"\"AB-1\"", false},
		{"\"ab-1", false},
		{"", false},
		{",", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (negotiate_etag_matches(cases[i].value, "W/\"ab-1\"") != cases[i].matches)
			fail_msg("If-None-Match: %s", cases[i].value);
}

static void accepts_any_bytes(void **state)
{
	static const char alphabet[] = "agzip*/,;=q\"\\ .01W-\xff";
	uint64_t random = 7;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		size_t len = unit_random(&random) % 40;
		AUTO_FREE char *value = malloc(len + 1);
		struct negotiate n;

		assert_non_null(value);
		for (size_t i = 0; i < len; i++)
			value[i] = alphabet[unit_random(&random) % (sizeof(alphabet) - 1)];
		value[len] = 0;
		negotiate_init(&n);
		negotiate_add_accept(&n, value);
		negotiate_add_encoding(&n, value);
		(void)negotiate_etag_matches(value, "W/\"a\"");
		assert_in_range(n.any + 1, 0, 1001);
		assert_in_range(n.gzip + 1, 0, 1001);
		assert_in_range(n.any_coding + 1, 0, 1001);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(chooses_a_format),
		cmocka_unit_test(chooses_an_encoding),
		cmocka_unit_test(joins_repeated_headers),
		cmocka_unit_test(knows_etags),
		cmocka_unit_test(accepts_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
