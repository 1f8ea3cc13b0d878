/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/http/request.h: targets and headers of requests. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "web/http/request.h"

struct header {
	const char *name, *value;
};

enum { HEADERS = 4 };

static void begin(struct request *rq, const char *target, const struct header *headers)
{
	request_init(rq, target);
	for (size_t i = 0; i < HEADERS && headers[i].name; i++)
		request_add_header(rq, headers[i].name, headers[i].value);
}

static void splits_targets(void **state)
{
	struct request rq;

	(void)state;
	request_init(&rq, "/metrics");
	assert_int_equal(rq.path_len, 8);
	assert_null(rq.query);
	request_init(&rq, "/a?b?c=d");
	assert_int_equal(rq.path_len, 2);
	assert_string_equal(rq.query, "b?c=d");
	request_init(&rq, "?");
	assert_int_equal(rq.path_len, 0);
	assert_string_equal(rq.query, "");
}

#define HOST                                                                                       \
	{                                                                                          \
		"Host", "localhost"                                                                \
	}

static void refuses_ambiguous_requests(void **state)
{
	static const struct {
		const char *method, *version;
		struct header header[HEADERS];
		unsigned int status; /* 0: acceptable */
	} cases[] = {
		{"GET", "HTTP/1.1", {HOST}, 0},
		{"HEAD", "HTTP/1.1", {HOST}, 0},
		{"BREW", "HTTP/1.1", {HOST}, 0}, /* refused, although it cannot smuggle a request */
		{"GET", "HTTP/1.0", {{NULL}}, 0},
		{"GET", "HTTP/1.1", {HOST, {"Content-Length", "0"}}, 0},
		{"GET", "HTTP/1.1", {{NULL}}, 400},
		{"GET", "HTTP/1.1", {HOST, HOST}, 400},
		{"GET", "HTTP/1.1", {HOST, {"hOST", "localhost"}}, 400},
		{"GET", "HTTP/1.0", {HOST, HOST}, 400},
		{"GET", "HTTP/1.0", {HOST, {"Transfer-Encoding", "chunked"}}, 400},
		{"GET", "HTTP/1.1", {HOST, {"Content-Length", "1"}}, 413},
		{"GET", "HTTP/1.1", {HOST, {"Content-Length", "00"}}, 413},
		{"GET", "HTTP/1.1", {HOST, {"Content-Length", "18446744073709551616"}}, 413},
		{"GET", "HTTP/1.1", {HOST, {"Content-Length", ""}}, 400},
		{"GET", "HTTP/1.1", {HOST, {"Content-Length", "+5"}}, 400},
		{"GET", "HTTP/1.1", {HOST, {"Content-Length", "-0"}}, 400},
		{"GET", "HTTP/1.1", {HOST, {"Content-Length", "0x5"}}, 400},
		{"GET", "HTTP/1.1", {HOST, {"Content-Length", "5 "}}, 400},
		{"GET", "HTTP/1.1", {HOST, {"Content-Length", "0, 0"}}, 400},
		{"HEAD", "HTTP/1.1", {HOST, {"content-length", "5"}}, 413},
		{"POST", "HTTP/1.1", {HOST, {"Content-Length", "5"}}, 405},
		{"POST", "HTTP/1.1", {HOST, {"Transfer-Encoding", "chunked"}}, 405},
		{"GET", "HTTP/1.1", {HOST, {"Transfer-Encoding", "chunked"}}, 400},
		{"GET", "HTTP/1.1", {HOST, {"Transfer-Encoding", "identity"}}, 400},
		{"GET", "HTTP/1.1",
			{HOST, {"Content-Length", "0"}, {"Transfer-Encoding", "chunked"}}, 400},
		{"POST", "HTTP/1.1",
			{HOST, {"Content-Length", "0"}, {"Transfer-Encoding", "chunked"}}, 400},
		{"GET", "HTTP/1.1", {HOST, {"Content-Length", "0"}, {"Content-Length", "0"}}, 400},
		{"GET", "HTTP/1.1", {HOST, {"Content-Length5", "0"}}, 400}, /* folded */
		{"GET", "HTTP/1.1", {HOST, {"transfer-encodingchunked", ""}}, 400},
		{"GET", "HTTP/1.1", {HOST, {"Transfer-Encodin", "x"}}, 0},
		{"GET", "HTTP/1.1", {HOST, {"Content-Length ", "5"}}, 400},
		{"GET", "HTTP/1.1", {HOST, {"", "x"}}, 400},
		{"GET", "HTTP/1.1", {HOST, {"X Y", "x"}}, 400},
		{"GET", "HTTP/1.1", {HOST, {"X", "a\rb"}}, 400},
		{"GET", "HTTP/1.1", {HOST, {"X", "a\x7f"}}, 400},
		{"GET", "HTTP/1.1", {HOST, {"X", "a\tb \xe4"}}, 0},
		{"GET", "HTTP/1.1", {HOST, {"X", NULL}}, 0},
		{"GET", "HTTP/1.1", {HOST, {"Expect", "100-continue"}}, 417},
		{"GET", "HTTP/1.1", {HOST, {"Origin", "null"}, {"Origin", "x"}}, 400},
		{"GET", "HTTP/1.1", {HOST, {"Authorization", "a"}}, 0},
		{"GET", "HTTP/1.1", {HOST, {"Authorization", "a"}, {"authorization", "b"}}, 400},
		{"G\xc3T", "HTTP/1.1", {HOST}, 400},
		{"", "HTTP/1.1", {HOST}, 400},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct refusal refusal = {0};
		struct request rq;
		bool sound;

		begin(&rq, "/", cases[i].header);
		sound = request_is_sound(&rq, cases[i].method, cases[i].version, &refusal);
		if (sound != !cases[i].status || refusal.status != cases[i].status)
			fail_msg("case %zu: %u, expected %u", i, refusal.status, cases[i].status);
		assert_true(sound || *refusal.why);
	}
}

static void refuses_malformed_targets(void **state)
{
	static const char *const targets[] = {"/a b", "/a\tb", "/\x01", "/a?b c", "/\x7f"};
	static const struct header header[HEADERS] = {HOST};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
		struct refusal refusal;
		struct request rq;

		begin(&rq, targets[i], header);
		assert_false(request_is_sound(&rq, "GET", "HTTP/1.1", &refusal));
		assert_int_equal(refusal.status, 400);
	}
}

static void checks_permissions(void **state)
{
	static const struct {
		const char *method;
		struct header header[HEADERS];
		unsigned int tcp,
			other; /* statuses with names checked and not checked; 0: allowed */
	} cases[] = {
		{"GET", {HOST}, 0, 0},
		{"HEAD", {HOST}, 0, 0},
		{"GET", {{NULL}}, 0, 0},
		{"POST", {HOST}, 405, 405},
		{"get", {HOST}, 405, 405},
		{"GET", {{"Host", "own.example"}}, 0, 0},
		{"GET", {{"Host", "evil.example"}}, 421, 0},
		{"GET", {{"Host", "a b"}}, 400, 400},
		{"GET", {{"Host", ""}}, 400, 400},
		{"GET", {HOST, {"Origin", "http://localhost"}}, 0, 0},
		{"GET", {HOST, {"Origin", "http://evil.example"}}, 403, 403},
		{"GET", {HOST, {"Origin", "null"}}, 403, 403},
		{"GET", {{"Origin", "http://localhost"}}, 403, 403},
	};
	const struct host_names names = {.listener = "own.example"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct refusal refusal = {0};
		struct request rq;

		begin(&rq, "/", cases[i].header);
		assert_int_equal(
			request_is_allowed(&rq, cases[i].method, &names, &refusal), !cases[i].tcp);
		assert_int_equal(refusal.status, cases[i].tcp);
		assert_int_equal(rq.is_head, !strcmp(cases[i].method, "HEAD"));
		refusal.status = 0;
		request_is_allowed(&rq, cases[i].method, NULL, &refusal);
		assert_int_equal(refusal.status, cases[i].other);
	}
}

static void keeps_accepted_formats_and_encodings(void **state)
{
	static const struct header header[HEADERS] = {
		{"accept", "application/openmetrics-text"},
		{"ACCEPT-ENCODING", "gzip"},
		{"If-None-Match", "\"a\""},
	};
	struct request rq;

	(void)state;
	begin(&rq, "/", header);
	assert_true(negotiate_openmetrics(&rq.negotiate));
	assert_true(negotiate_gzip(&rq.negotiate));
	assert_string_equal(rq.if_none_match, "\"a\"");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(splits_targets),
		cmocka_unit_test(refuses_ambiguous_requests),
		cmocka_unit_test(refuses_malformed_targets),
		cmocka_unit_test(checks_permissions),
		cmocka_unit_test(keeps_accepted_formats_and_encodings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
