/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/site/site.h: which answers callers get. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>
#include <jansson.h>

#include "base/clock.h"
#include "base/os/userns.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/snapshot/sample.h"
#include "web/site/site.h"

struct fixture {
	struct site site;
	struct link link;
	struct settings settings;
	struct caller caller; /* any caller */
	uint64_t now_ns;
};

/* Takes ownership of VIEW; NULL: no snapshot. */
static void begin(struct fixture *f, struct view *view)
{
	*f = (struct fixture){.link = {.fd = -1, .path = (char *)"/run/s", .said = ENOENT},
		.settings.web_telemetry_path = (char *)"/metrics"};
	f->now_ns = SAMPLE_BOOTTIME_NS + NS_PER_SEC;
	site_init(&f->site, &f->link, &f->settings);
	if (view)
		site_take(&f->site, view);
	site_begin_round(&f->site);
}

static struct answer *ask(struct fixture *f, const char *target, const char *etag)
{
	struct request rq;

	request_init(&rq, target);
	rq.if_none_match = etag;
	return site_answer(&f->site, &rq, &f->caller, NULL, f->now_ns);
}

static unsigned int status_of(struct fixture *f, const char *target)
{
	struct answer *a = ask(f, target, NULL);
	unsigned int status;

	assert_non_null(a);
	status = a->status;
	assert_int_equal(a->before.error, 0);
	answer_free(a);
	return status;
}

static const char *const data[] = {"/api/v1/host", "/api/v1/users", "/api/v1/programs",
	"/api/v1/units", "/api/v1/processes", "/api/v1/users?limit=1", "/api/v1/processes/1"};
static const char *const always[] = {"/", "/metrics", "/metrics?x", "/healthz", "/livez",
	"/-/healthy", "/api/v1/status", "/api/v1", "/api/v1/"};
/* These need a fresh snapshot, too; without one they give the reason. */
static const char *const ready[] = {"/readyz", "/-/ready"};

static void answers_by_freshness(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, sample_open(NULL));
	for (size_t i = 0; i < ARRAY_SIZE(data); i++)
		assert_int_equal(status_of(&f, data[i]), 200);
	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		assert_int_equal(status_of(&f, always[i]), 200);
	for (size_t i = 0; i < ARRAY_SIZE(ready); i++)
		assert_int_equal(status_of(&f, ready[i]), 200);

	f.now_ns = f.site.cache.view->header->stale_ns; /* from that moment on */
	for (size_t i = 0; i < ARRAY_SIZE(data); i++)
		assert_int_equal(status_of(&f, data[i]), 503);
	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		assert_int_equal(status_of(&f, always[i]), 200);
	for (size_t i = 0; i < ARRAY_SIZE(ready); i++)
		assert_int_equal(status_of(&f, ready[i]), 503);
	assert_null(f.site.cache.body[CACHE_TEXT]); /* a path that is not requested */
	f.now_ns--;
	for (size_t i = 0; i < ARRAY_SIZE(ready); i++)
		assert_int_equal(status_of(&f, ready[i]), 200);
	site_done(&f.site);

	begin(&f, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(data); i++)
		assert_int_equal(status_of(&f, data[i]), 503);
	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		assert_int_equal(status_of(&f, always[i]), 200);
	for (size_t i = 0; i < ARRAY_SIZE(ready); i++)
		assert_int_equal(status_of(&f, ready[i]), 503);
	site_done(&f.site);
}

static void assert_says(struct fixture *f, const char *target, const char *text)
{
	struct answer *a = ask(f, target, NULL);

	assert_non_null(a);
	buffer_add_char(&a->before, '\0');
	assert_int_equal(a->before.error, 0);
	assert_string_equal(a->before.data, text);
	answer_free(a);
}

/* Asserts that /readyz names a time between MIN_S and MAX_S since the connection was made. */
static void assert_waits(struct fixture *f, unsigned int min_s, unsigned int max_s)
{
	struct answer *a = ask(f, "/readyz", NULL);
	bool is_named = false;

	assert_non_null(a);
	buffer_add_char(&a->before, '\0');
	assert_int_equal(a->before.error, 0);
	for (unsigned int i = min_s; i <= max_s; i++) {
		char text[100];

		snprintf(text, sizeof(text),
			"connected to /run/s for %u s: memtallyd's first pass is not complete\n",
			i);
		is_named = is_named || !strcmp(a->before.data, text);
	}
	if (!is_named)
		fail_msg("%s", a->before.data);
	answer_free(a);
}

/* A client that waits for values learns the reason. */
static void readyz_says_why_there_are_no_figures(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, NULL);
	assert_says(
		&f, "/readyz", "no connection to memtallyd at /run/s: No such file or directory\n");
	f.link.fd = 0;
	f.link.connected_ns = clock_now_ns(CLOCK_MONOTONIC) - 90 * NS_PER_SEC / 2;
	assert_waits(&f, 45, 60); /* measured by the real clock */
	site_done(&f.site);

	begin(&f, sample_open(NULL));
	assert_says(&f, "/readyz", "ready\n");
	assert_says(&f, "/-/ready", "ready\n");
	assert_says(&f, "/-/healthy", "alive\n");
	f.now_ns = SAMPLE_BOOTTIME_NS + 1320 * NS_PER_SEC;
	assert_says(&f, "/readyz",
		"the snapshot is 1320 s old, at most 30 s are allowed; no connection to memtallyd "
		"at /run/s: No such file or directory\n");
	f.link.fd = 0;
	f.link.is_served = true;
	assert_says(&f, "/readyz", "the snapshot is 1320 s old, at most 30 s are allowed\n");
	site_done(&f.site);
}

static void refuses_unknown_paths_and_parameters(void **state)
{
	static const struct {
		const char *target;
		unsigned int status;
	} cases[] = {
		{"/nope", 404},
		{"/api/v1/processes/999", 404},
		{"/api/v1/?x=1", 400},
		{"/api/v1/host?x=1", 400},
		{"/api/v1/status?x=1", 400},
		{"/api/v1/processes/1?x=1", 400},
		{"/api/v1/users?x=1", 400},
		{"/api/v1/users?limit=x", 400},
		{"/api/v1/users?%", 400},
		{"/api/v1/users?pid=1", 400},
		{"/api/v1/host?", 200},
		{"/api/v1/users?", 200},
		{"/healthz?x=1", 200},
	};
	struct fixture f;

	(void)state;
	begin(&f, sample_open(NULL));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(status_of(&f, cases[i].target), cases[i].status);
	site_done(&f.site);
}

/* The message of an error says what to do. */
static void errors_have_a_remedy(void **state)
{
	static const struct sample_options public = {.is_public = true};
	struct fixture f;

	(void)state;
	begin(&f, sample_open(&public));
	assert_says(&f, "/api/v1/user",
		"{\"error\":\"there is nothing at this path; /api/v1/ and the page at / list all "
		"paths\"}\n");
	assert_says(&f, "/api/v1/processes",
		"{\"error\":\"memtallyd does not show processes to the user of this memtally-web, "
		"so web.tcp_scope makes no difference; run it as user memtally-web, and reload memtallyd if that user is new\"}\n");
	assert_says(&f, "/api/v1/files",
		"{\"error\":\"memtallyd does not show files to the user of this memtally-web; "
		"run it as user memtally-web, and reload memtallyd if that user is new\"}\n");
	site_done(&f.site);
}

static void hides_processes(void **state)
{
	const struct sample_options options = {.is_public = true};
	struct fixture f;

	(void)state;
	begin(&f, sample_open(&options));
	assert_int_equal(status_of(&f, "/api/v1/users"), 200);
	assert_int_equal(status_of(&f, "/api/v1/processes"), 403);
	assert_int_equal(status_of(&f, "/api/v1/processes?limit=1"), 403);
	assert_int_equal(status_of(&f, "/api/v1/processes/1"), 403);
	site_done(&f.site);
}

static void answers_304_to_known_etags(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, sample_open(NULL));
	for (size_t i = 0; i < ARRAY_SIZE(data); i++) {
		struct answer *a = ask(&f, data[i], NULL), *b;

		assert_int_equal(strncmp(a->etag, "W/\"" SAMPLE_INSTANCE "-42", 38), 0);
		b = ask(&f, data[i], a->etag);
		assert_int_equal(b->status, 304);
		assert_string_equal(a->etag, b->etag);
		answer_free(b);
		b = ask(&f, data[i], "\"other\"");
		assert_int_equal(b->status, 200);
		answer_free(b);
		answer_free(a);
	}
	site_done(&f.site);
}

static const struct caller root = {.kind = CALLER_TRUSTED};
static const struct caller alice = {.kind = CALLER_USER, .uid = 1000, .userns = USERNS_INITIAL};
static const struct caller bob = {.kind = CALLER_USER, .uid = 1001, .userns = USERNS_INITIAL};
static const struct caller nobody = {
	.kind = CALLER_USER, .uid = 4711, .userns = USERNS_INITIAL}; /* has no process */
static const struct caller stranger = {.kind = CALLER_STRANGER};

/* Returns the complete body of A, uncompressed. */
static void read_body(struct answer *a, struct buffer *to)
{
	char piece[4096];
	ssize_t n;

	buffer_add(to, a->before.data, a->before.len);
	if (a->body)
		buffer_add(to, a->body->data.data, a->body->data.len);
	buffer_add(to, a->after.data, a->after.len);
	while (a->stream && (n = list_stream_read(a->stream, piece, sizeof(piece))) > 0)
		buffer_add(to, piece, (size_t)n);
	buffer_add_char(to, 0);
	assert_int_equal(to->error, 0);
}

/* Returns how often TEXT is in the answer to CALLER for TARGET. */
static unsigned int count_told(
	struct fixture *f, const struct caller *caller, const char *target, const char *text)
{
	AUTO_ANSWER struct answer *a = NULL;
	AUTO_BUFFER struct buffer body = {0};
	unsigned int n = 0;

	f->caller = *caller;
	site_begin_round(&f->site);
	a = ask(f, target, NULL);
	assert_int_equal(a->status, 200);
	read_body(a, &body);
	for (const char *at = body.data; (at = strstr(at, text)); at++)
		n++;
	return n;
}

/* Each caller asks twice, and after others: a cached answer must not reach another caller. */
static void shows_users_their_own_processes(void **state)
{
	static const struct {
		const struct caller *caller;
		unsigned int rows, series; /* number of processes, and of those with a PSS */
	} cases[] = {
		{&root, SAMPLE_PROCESSES, 7},
		{&alice, 4, 2},
		{&bob, 2, 1},
		{&nobody, 0, 0},
		{&root, SAMPLE_PROCESSES, 7},
		{&alice, 4, 2},
	};
	static const char *const lists[] = {"/api/v1/processes", "/api/v1/processes?limit=100",
		("/api/v1/processes?sort=pid&pid=1&pid=300&pid=301&pid=400&pid=1000&pid=1001&pid=1002"
		 "&pid=1003&pid=2000&pid=2001&pid=2100&pid=2200&pid=4242&pid=4243&pid=5000&pid=4194303")};
	struct fixture f;

	(void)state;
	begin(&f, sample_open(NULL));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct caller *c = cases[i].caller;

		for (size_t j = 0; j < ARRAY_SIZE(lists); j++)
			assert_int_equal(count_told(&f, c, lists[j], "\"pid\":"), cases[i].rows);
		assert_int_equal(count_told(&f, c, "/metrics", "\nmemtally_process_pss_bytes{"),
			cases[i].series);
		assert_int_equal(count_told(&f, c, "/metrics", "\nmemtally_user_pss_bytes{"), 6);
		assert_int_equal(
			count_told(&f, c, "/metrics", "# TYPE memtally_process_pss_bytes "),
			cases[i].series > 0);
		assert_int_equal(count_told(&f, c, "/api/v1/users", "\"user\":"), 8);
	}
	assert_int_equal(count_told(&f, &alice, "/api/v1/processes?user=bob", "\"pid\":"), 0);
	assert_int_equal(count_told(&f, &bob, "/api/v1/processes?user=bob", "\"pid\":"), 2);
	assert_int_equal(count_told(&f, &alice, "/api/v1/processes/1003", "\"pid\":1003"), 1);
	/* Another user's process is as hidden as one that does not exist. */
	f.caller = alice;
	assert_int_equal(status_of(&f, "/api/v1/processes/2001"), 404);
	f.caller = bob;
	assert_int_equal(status_of(&f, "/api/v1/processes/2001"), 200);
	assert_int_equal(status_of(&f, "/api/v1/processes/1003"), 404);
	f.caller = root;
	assert_int_equal(status_of(&f, "/api/v1/processes/2001"), 200);
	site_done(&f.site);
}

/* A caller with an unmapped uid gets the sums. */
static void shows_sums_to_unmapped_users(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, sample_open(NULL));
	assert_int_equal(count_told(&f, &root, "/metrics", "memtally_process_pss_bytes{"), 7);
	assert_int_equal(count_told(&f, &stranger, "/metrics", "memtally_process_"), 0);
	assert_int_equal(count_told(&f, &stranger, "/api/v1/users", "\"user\":"), 8);
	f.caller = stranger;
	assert_int_equal(status_of(&f, "/api/v1/processes"), 403);
	assert_int_equal(status_of(&f, "/api/v1/processes?limit=1"), 403);
	assert_int_equal(status_of(&f, "/api/v1/processes/1"), 403);
	assert_int_equal(status_of(&f, "/"), 200);
	site_done(&f.site);
}

/* A TCP client may be any user. */
static void option_decides_about_tcp_clients(void **state)
{
	static const struct {
		enum tcp_scope scope;
		bool is_restricted;
		unsigned int rows, series;
	} cases[] = {
		{TCP_SCOPE_AUTO, false, 8, 7},
		{TCP_SCOPE_PROCESSES, false, 8, 7},
		{TCP_SCOPE_PROCESSES, true, 8, 7},
		{TCP_SCOPE_AUTO, true, 0, 0},
		{TCP_SCOPE_AGGREGATES, false, 0, 0},
	};
	static const struct caller anybody = {.kind = CALLER_ANYBODY};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct sample_options options = {.is_restricted = cases[i].is_restricted};
		struct fixture f;

		begin(&f, sample_open(&options));
		f.settings.web_tcp_scope = cases[i].scope;
		assert_int_equal(
			count_told(&f, &root, "/api/v1/processes", "\"pid\":"), SAMPLE_PROCESSES);
		assert_int_equal(
			count_told(&f, &anybody, "/metrics", "\nmemtally_process_pss_bytes{"),
			cases[i].series);
		assert_int_equal(count_told(&f, &anybody, "/api/v1/users", "\"user\":"), 8);
		if (cases[i].rows) {
			assert_int_equal(
				count_told(&f, &anybody, "/api/v1/processes", "\"pid\":"), 8);
			assert_int_equal(
				count_told(&f, &anybody, "/api/v1/processes?limit=99", "\"pid\":"),
				8);
			assert_int_equal(status_of(&f, "/api/v1/processes/1000"), 200);
			assert_int_equal(
				status_of(&f, "/api/v1/processes/1003"), 404); /* has no series */
		} else {
			f.caller = anybody;
			assert_int_equal(status_of(&f, "/api/v1/processes"), 403);
			assert_int_equal(status_of(&f, "/api/v1/processes?limit=1"), 403);
			assert_int_equal(status_of(&f, "/api/v1/processes/1000"), 403);
		}
		assert_int_equal(
			count_told(&f, &root, "/api/v1/processes", "\"pid\":"), SAMPLE_PROCESSES);
		site_done(&f.site);
	}
}

/* Mapped files are shown to the callers that may see them in /proc, and to no TCP client. */
static void shows_files_to_trusted_callers(void **state)
{
	static const struct sample_options public = {.is_public = true};
	static const enum tcp_scope scopes[] = {
		TCP_SCOPE_AUTO, TCP_SCOPE_PROCESSES, TCP_SCOPE_AGGREGATES};
	static const struct caller anybody = {.kind = CALLER_ANYBODY};
	static const struct caller *const others[] = {&alice, &stranger, &anybody};
	static const char *const targets[] = {"/api/v1/files", "/api/v1/files?limit=1"};
	struct fixture f;

	(void)state;
	begin(&f, sample_open(NULL));
	assert_int_equal(count_told(&f, &root, "/api/v1/files", "\"path\":"), SAMPLE_FILES);
	assert_int_equal(count_told(&f, &root, "/api/v1/files", "\"survey\":{"), 1);
	assert_int_equal(
		count_told(&f, &root, "/api/v1/files?deleted=true&executable=true", "\"path\":"),
		1);
	assert_int_equal(count_told(&f, &root, "/api/v1/files?limit=3&sort=path", "\"path\":"), 3);
	f.caller = root;
	assert_int_equal(status_of(&f, "/api/v1/files?deleted=perhaps"), 400);
	assert_int_equal(status_of(&f, "/api/v1/files?pid=1"), 400);
	for (size_t i = 0; i < ARRAY_SIZE(others) * ARRAY_SIZE(targets); i++)
		for (size_t k = 0; k < ARRAY_SIZE(scopes); k++) {
			f.caller = *others[i / ARRAY_SIZE(targets)];
			f.settings.web_tcp_scope = scopes[k];
			assert_int_equal(status_of(&f, targets[i % ARRAY_SIZE(targets)]), 403);
		}
	/* The number of files is public. */
	assert_int_equal(count_told(&f, &anybody, "/metrics", "\nmemtally_host_mapped_files "), 1);
	assert_int_equal(count_told(&f, &anybody, "/metrics", "libc"), 0);
	site_done(&f.site);
	begin(&f, sample_open(&public));
	f.caller = root;
	assert_int_equal(status_of(&f, "/api/v1/files"), 403);
	site_done(&f.site);
}

/* Each caller has its own ETags, even for rows that all may see. */
static void callers_have_their_own_etags(void **state)
{
	static const struct caller *const callers[] = {&root, &alice, &bob, &stranger};
	static const char *const targets[] = {"/metrics", "/api/v1/processes",
		"/api/v1/processes?limit=1", "/api/v1/users", "/api/v1/host", "/api/v1/files"};
	struct fixture f;

	(void)state;
	begin(&f, sample_open(NULL));
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++)
		for (size_t j = 0; j < ARRAY_SIZE(callers); j++) {
			AUTO_ANSWER struct answer *a = NULL;

			f.caller = *callers[j];
			a = ask(&f, targets[i], NULL);
			for (size_t k = 0; a->status == 200 && k < ARRAY_SIZE(callers); k++) {
				AUTO_ANSWER struct answer *b = NULL;

				f.caller = *callers[k];
				b = ask(&f, targets[i], a->etag);
				assert_int_equal(b->status == 304, j == k);
			}
		}
	site_done(&f.site);
}

/* The length of a body does not depend on the clock. Two requests share the bytes of a body. */
static void bodies_have_a_constant_length(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, sample_open(NULL));
	for (size_t i = 0; i < 5; i++) {
		struct answer *a, *b;

		f.now_ns = SAMPLE_BOOTTIME_NS;
		a = ask(&f, data[i], NULL);
		f.now_ns = SAMPLE_BOOTTIME_NS + UINT64_C(12345678901);
		b = ask(&f, data[i], NULL);
		assert_ptr_equal(a->body, b->body);
		assert_int_equal(a->before.len + a->after.len, b->before.len + b->after.len);
		assert_int_not_equal(a->before.len, b->before.len);
		answer_free(a);
		answer_free(b);
	}
	site_done(&f.site);
}

static const char compat[] = "/compat/process-exporter/metrics";

/* Without the option it is a path like any other. */
static void serves_process_exporter_if_asked(void **state)
{
	static const struct caller anybody = {.kind = CALLER_ANYBODY};
	static const struct caller *const callers[] = {&root, &alice, &stranger, &anybody};
	struct fixture f;

	(void)state;
	begin(&f, sample_open(NULL));
	assert_says(&f, compat,
		"{\"error\":\"there is nothing at this path; /api/v1/ and the page at / list all "
		"paths\"}\n");
	assert_int_equal(status_of(&f, compat), 404);
	f.settings.web_compat = WEB_COMPAT_PROCESS_EXPORTER;
	for (size_t i = 0; i < ARRAY_SIZE(callers); i++) {
		const struct caller *c = callers[i];

		assert_int_equal(count_told(&f, c, compat, "# TYPE namedprocess_"), 4);
		assert_int_equal(count_told(&f, c, compat, "\nmemtally_collector_up 1\n"), 1);
		assert_int_equal(count_told(&f, c, compat, "memtally_process_"), 0);
	}
	site_done(&f.site);
}

/* As in /metrics, stale figures are left out. */
static void hides_stale_groups(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, NULL);
	f.settings.web_compat = WEB_COMPAT_PROCESS_EXPORTER;
	assert_int_equal(count_told(&f, &root, compat, "namedprocess_"), 0);
	assert_int_equal(count_told(&f, &root, compat, "\nmemtally_collector_up 0\n"), 1);
	site_done(&f.site);

	begin(&f, sample_open(NULL));
	f.settings.web_compat = WEB_COMPAT_PROCESS_EXPORTER;
	f.now_ns = f.site.cache.view->header->stale_ns;
	assert_int_equal(count_told(&f, &root, compat, "namedprocess_"), 0);
	assert_int_equal(count_told(&f, &root, compat, "\nmemtally_collector_up 0\n"), 1);
	site_done(&f.site);
}

/* This path has one form, whatever the client accepts. */
static void has_one_form_of_process_exporter(void **state)
{
	AUTO_ANSWER struct answer *a = NULL, *b = NULL;
	struct fixture f;
	struct request rq;

	(void)state;
	begin(&f, sample_open(NULL));
	f.settings.web_compat = WEB_COMPAT_PROCESS_EXPORTER;
	request_init(&rq, compat);
	f.caller = root;
	negotiate_add_accept(&rq.negotiate, "application/openmetrics-text");
	negotiate_add_encoding(&rq.negotiate, "gzip");
	a = site_answer(&f.site, &rq, &f.caller, NULL, f.now_ns);
	assert_int_equal(a->status, 200);
	assert_string_equal(a->content_type, prometheus_content_type(PROMETHEUS_TEXT));
	assert_false(a->is_gzip);
	b = ask(&f, compat, a->etag);
	assert_int_equal(b->status, 304);
	site_done(&f.site);
}

#define PAST "/api/v1/history?from=1700000000&to=1700000020"

/* Returns the history of the answer at TARGET, of which the caller frees *RET_ANSWER. */
static const json_t *ask_past(struct fixture *f, const char *target, json_t **ret_answer)
{
	AUTO_ANSWER struct answer *a = ask(f, target, NULL);
	AUTO_BUFFER struct buffer body = {0};
	const json_t *history;

	assert_non_null(a);
	assert_int_equal(a->status, 200);
	read_body(a, &body);
	*ret_answer = json_loadb(body.data, body.len - 1, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(*ret_answer);
	assert_non_null(json_object_get(*ret_answer, "snapshot"));
	history = json_object_get(*ret_answer, "history");
	assert_non_null(history);
	return history;
}

/* Returns the row NAME of HISTORY; NULL: there is none. */
static const json_t *find_past(const json_t *history, const char *name)
{
	const json_t *rows = json_object_get(history, "rows");

	for (size_t i = 0; i < json_array_size(rows); i++)
		if (!strcmp(json_string_value(json_object_get(json_array_get(rows, i), "name")),
			    name))
			return json_array_get(rows, i);
	return NULL;
}

/* Asserts that element I of FIELD of ROW is AMOUNT, which is kept as a float. */
static void assert_kept(const json_t *row, const char *field, size_t i, uint64_t amount)
{
	json_int_t found = json_integer_value(json_array_get(json_object_get(row, field), i));

	assert_int_equal(found, (json_int_t)(float)amount);
}

/* The values of each row are those of the snapshots, also after the last one is stale. */
static void serves_the_past(void **state)
{
	static const struct sample_options second = {.sequence = 43,
		.realtime_ns = SAMPLE_REALTIME_NS + SAMPLE_INTERVAL_NS,
		.boottime_ns = SAMPLE_BOOTTIME_NS + SAMPLE_INTERVAL_NS};
	const json_t *history, *times, *row;
	struct fixture f;
	json_t *answer;

	(void)state;
	begin(&f, sample_open(NULL));
	f.caller = root;
	site_take(&f.site, sample_open(&second));
	f.now_ns = f.site.cache.view->header->stale_ns;
	history = ask_past(&f, PAST, &answer);
	assert_string_equal(json_string_value(json_object_get(history, "scope")), "user");
	assert_string_equal(json_string_value(json_object_get(history, "metric")), "pss_bytes");
	assert_int_equal(json_integer_value(json_object_get(history, "from_seconds")), 1700000000);
	assert_int_equal(json_integer_value(json_object_get(history, "to_seconds")), 1700000020);
	assert_int_equal(json_integer_value(json_object_get(history, "step_seconds")), 10);
	assert_null(json_object_get(history, "problem"));
	assert_int_equal(json_array_size(json_object_get(history, "sources")), 1);
	times = json_object_get(history, "times_seconds");
	assert_int_equal(json_array_size(times), 2);
	assert_true(json_real_value(json_array_get(times, 0)) == 1700000000.123);
	assert_true(json_real_value(json_array_get(times, 1)) == 1700000010.123);
	for (uint32_t i = 0; i < view_count(f.site.cache.view, METRIC_USER); i++) {
		const struct view *view = f.site.cache.view;
		const struct snapshot_scope *s = view_scope(view, METRIC_USER, i);
		const char *name = view_text(view, s->name);

		if (!(s->flags & SCOPE_EXPORTED) || !(s->present & 1 << SCOPE_PSS))
			continue;
		row = find_past(history, name);
		if (!row)
			fail_msg("no %s", name);
		assert_int_equal(json_integer_value(json_object_get(row, "id")), s->id);
		assert_int_equal(json_array_size(json_object_get(row, "values")), 2);
		assert_kept(row, "values", 1, s->q[SCOPE_PSS]);
		if (!(s->present & 1 << SCOPE_PSS_HIGH)) {
			assert_null(json_object_get(row, "high"));
			continue;
		}
		assert_kept(row, "low", 1, s->q[SCOPE_PSS_LOW]);
		assert_kept(row, "high", 0, s->q[SCOPE_PSS_HIGH]);
	}
	row = json_array_get(json_object_get(history, "rows"),
		json_array_size(json_object_get(history, "rows")) - 1);
	assert_string_equal(json_string_value(json_object_get(row, "name")), "(other)");
	assert_null(json_object_get(row, "low"));
	json_decref(answer);

	history = ask_past(&f, PAST "&scope=host&metric=processes", &answer);
	row = find_past(history, "host");
	assert_int_equal(json_integer_value(json_array_get(json_object_get(row, "values"), 0)),
		view_host(f.site.cache.view)->q[SCOPE_PROCESSES]);
	assert_null(json_object_get(row, "low"));
	json_decref(answer);

	site_done(&f.site);
}

/* Callers see the past of owners as memtally-ledger shows it. */
static void shows_users_their_own_past(void **state)
{
	static const enum tcp_scope hidden[] = {TCP_SCOPE_AUTO, TCP_SCOPE_AGGREGATES};
	const json_t *history;
	struct fixture f;
	json_t *answer;

	(void)state;
	begin(&f, sample_open(NULL));
	f.caller = alice;
	history = ask_past(&f, PAST, &answer);
	assert_int_equal(json_array_size(json_object_get(history, "rows")), 1);
	assert_int_equal(json_integer_value(json_object_get(
				 json_array_get(json_object_get(history, "rows"), 0), "id")),
		1000);
	json_decref(answer);
	history = ask_past(&f, PAST "&name=root", &answer);
	assert_int_equal(json_array_size(json_object_get(history, "rows")), 0);
	json_decref(answer);
	assert_int_equal(status_of(&f, PAST "&scope=program"), 403);
	assert_int_equal(status_of(&f, PAST "&scope=container"), 200);
	assert_int_equal(status_of(&f, PAST "&scope=host"), 200);
	f.caller = stranger;
	assert_int_equal(status_of(&f, PAST), 403);
	assert_int_equal(status_of(&f, PAST "&scope=host"), 200);
	f.caller = (struct caller){.kind = CALLER_ANYBODY};
	assert_int_equal(status_of(&f, PAST "&scope=program"), 200);
	for (unsigned int i = 0; i < ARRAY_SIZE(hidden); i++) {
		f.settings.web_tcp_scope = hidden[i];
		history = ask_past(&f, "/api/v1/history?from=1699990000&to=1700000020", &answer);
		assert_string_equal(json_string_value(json_object_get(history, "problem")),
			"what memtally-ledger keeps is shown over TCP only with web.tcp_scope: "
			"processes");
		assert_true(json_is_true(json_object_get(history, "problem_lasts")));
		assert_true(json_array_size(json_object_get(history, "rows")) > 2);
		json_decref(answer);
	}
	assert_int_equal(status_of(&f, PAST "&scope=x"), 400);
	site_done(&f.site);
	begin(&f, NULL);
	assert_int_equal(status_of(&f, PAST), 503);
	site_done(&f.site);
}

/* An unchanged question is not rendered again, unless memtally-ledger was asked or time moves on. */
static void tags_histories_until_the_next_snapshot(void **state)
{
	static const struct sample_options second = {.sequence = 43,
		.realtime_ns = SAMPLE_REALTIME_NS + SAMPLE_INTERVAL_NS,
		.boottime_ns = SAMPLE_BOOTTIME_NS + SAMPLE_INTERVAL_NS};
	char etag[ANSWER_ETAG_SIZE];
	struct inquiry *inquiry;
	struct request rq;
	struct fixture f;
	struct answer *a;

	(void)state;
	begin(&f, sample_open(NULL));
	f.settings.ledger_socket = (char *)"/nonexistent/ledger";
	f.caller = root;
	a = ask(&f, PAST, NULL);
	assert_non_null(a);
	assert_int_equal(strncmp(a->etag, "W/\"", 3), 0);
	memcpy(etag, a->etag, sizeof(etag));
	answer_free(a);
	a = ask(&f, PAST, etag);
	assert_int_equal(a->status, 304);
	assert_int_equal(a->before.len, 0);
	assert_int_equal(f.site.past_bytes[0], 0);
	answer_free(a);
	a = ask(&f, PAST "&limit=1", etag);
	assert_int_equal(a->status, 200);
	answer_free(a);
	f.caller = alice;
	a = ask(&f, PAST, etag);
	assert_int_equal(a->status, 200);
	answer_free(a);
	f.caller = root;
	/* With a part of the ledger, even if it does not run. */
	request_init(&rq, "/api/v1/history?from=1690000000&to=1700000020");
	inquiry = site_inquire(&f.site, &rq, &f.caller, 0);
	assert_true(inquiry && inquiry_is_done(inquiry) && *inquiry->history->wait.problem);
	a = site_answer(&f.site, &rq, &f.caller, inquiry, f.now_ns);
	assert_int_equal(a->status, 200);
	assert_string_equal(a->etag, "");
	answer_free(a);
	site_forget(&f.site, inquiry);

	f.now_ns = f.site.cache.view->header->stale_ns;
	a = ask(&f, PAST, etag);
	assert_int_equal(a->status, 200);
	assert_string_equal(a->etag, "");
	answer_free(a);
	site_take(&f.site, sample_open(&second));
	f.now_ns = SAMPLE_BOOTTIME_NS + SAMPLE_INTERVAL_NS + NS_PER_SEC;
	a = ask(&f, PAST, etag);
	assert_int_equal(a->status, 200);
	answer_free(a);
	site_done(&f.site);
}

/* Clients that do not read their answers cannot make the server use ever more memory. */
static void limits_the_bytes_of_unread_histories(void **state)
{
	struct answer *held[2], *a;
	struct fixture f;
	size_t before;

	(void)state;
	begin(&f, sample_open(NULL));
	f.caller = root;
	held[0] = ask(&f, PAST, NULL);
	assert_non_null(held[0]);
	assert_true(f.site.past_bytes[0] >= held[0]->before.len && held[0]->before.len > 0);
	before = f.site.past_bytes[0];
	f.site.past_bytes[0] = SITE_PAST_BYTES_MAX / 2 - 1; /* as of other answers */
	held[1] = ask(&f, PAST, NULL);
	assert_non_null(held[1]);
	assert_int_equal(held[1]->status, 200);
	a = ask(&f, PAST, NULL);
	assert_non_null(a);
	assert_int_equal(a->status, 503);
	assert_string_equal(a->retry_after, "1");
	answer_free(a);
	assert_int_equal(status_of(&f, "/metrics"), 200);
	answer_free(held[1]);
	assert_int_equal(f.site.past_bytes[0], SITE_PAST_BYTES_MAX / 2 - 1);
	assert_int_equal(status_of(&f, PAST), 200);
	f.site.past_bytes[0] = before;
	answer_free(held[0]);
	assert_int_equal(f.site.past_bytes[0], 0);
	site_done(&f.site);
}

/* Without memory there is either no answer or a complete one. */
static void answers_completely_or_not_without_memory(void **state)
{
	static const char *const targets[] = {"/", "/metrics", "/healthz", "/readyz", "/nope",
		"/api/v1/status", "/api/v1/", "/api/v1/host", "/api/v1/users",
		"/api/v1/users?limit=1", "/api/v1/processes/1", "/api/v1/users?x=1",
		"/api/v1/history?from=1700000000&to=1700000001", compat};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(targets); i++) {
		bool failed = true;
		struct fixture f;

		begin(&f, sample_open(NULL));
		f.settings.web_compat = WEB_COMPAT_PROCESS_EXPORTER;
		f.caller = i % 2 ? alice : root;
		for (unsigned int n = 1; failed; n++) {
			struct MHD_Response *response = NULL;
			struct answer *a;

			cache_drop(&f.site.cache);
			allocation_fail_at(n);
			a = ask(&f, targets[i / 2], NULL);
			if (a)
				response = answer_to_response(a);
			failed = allocation_end();
			if (response)
				MHD_destroy_response(response);
			assert_true(response || failed);
		}
		assert_int_equal(f.site.cache.view->refs, 1);
		site_done(&f.site);
	}
}

/* A list is not sent if its beginning could not be rendered. */
static void lists_begin_completely(void **state)
{
	bool failed = true;
	struct fixture f;

	(void)state;
	begin(&f, sample_open(NULL));
	for (unsigned int n = 1; failed; n++) {
		struct answer *a;

		allocation_fail_at(n);
		a = ask(&f, "/api/v1/users?limit=1", NULL);
		failed = allocation_end();
		assert_true(a || failed);
		if (a)
			assert_int_equal(list_stream_head(a->stream)->error, 0);
		answer_free(a);
	}
	site_done(&f.site);
}

/* Allocations of jansson count too. */
static void *json_memory(size_t size)
{
	return malloc(size);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_by_freshness),
		cmocka_unit_test(readyz_says_why_there_are_no_figures),
		cmocka_unit_test(refuses_unknown_paths_and_parameters),
		cmocka_unit_test(errors_have_a_remedy),
		cmocka_unit_test(hides_processes),
		cmocka_unit_test(answers_304_to_known_etags),
		cmocka_unit_test(shows_users_their_own_processes),
		cmocka_unit_test(shows_sums_to_unmapped_users),
		cmocka_unit_test(option_decides_about_tcp_clients),
		cmocka_unit_test(shows_files_to_trusted_callers),
		cmocka_unit_test(callers_have_their_own_etags),
		cmocka_unit_test(bodies_have_a_constant_length),
		cmocka_unit_test(serves_process_exporter_if_asked),
		cmocka_unit_test(hides_stale_groups),
		cmocka_unit_test(has_one_form_of_process_exporter),
		cmocka_unit_test(serves_the_past),
		cmocka_unit_test(shows_users_their_own_past),
		cmocka_unit_test(tags_histories_until_the_next_snapshot),
		cmocka_unit_test(limits_the_bytes_of_unread_histories),
		cmocka_unit_test(answers_completely_or_not_without_memory),
		cmocka_unit_test(lists_begin_completely),
	};

	json_set_alloc_funcs(json_memory, free);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
