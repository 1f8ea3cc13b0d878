/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of web/site/site.h: answers about moments of the past, with a socket at which the test
 * answers as memtally-recorder does.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>
#include <jansson.h>
#include <time.h>

#include "base/clock.h"
#include "base/os/userns.h"
#include "tests/unit/support/web/recorder-socket.h"
#include "web/site/site.h"

#define T0 SAMPLE_REALTIME_NS
#define AT "at=2023-11-14T22:13:30Z"

static const struct caller root = {.kind = CALLER_TRUSTED};

struct fixture {
	struct recorder_socket socket;
	struct site site;
	struct link link;
	struct settings settings;
	struct caller caller;
	struct past_head
		head; /* of each answer of memtally-recorder; .at_ns 0: without a snapshot */
	struct sample_options past;
	struct past_request request; /* the last question */
};

/* There is no present snapshot. */
static void begin(struct fixture *f)
{
	*f = (struct fixture){.link = {.fd = -1, .path = (char *)"/run/s", .said = ENOENT},
		.settings.web_telemetry_path = (char *)"/metrics",
		.caller = root,
		.head = {.first_ns = T0,
			.last_ns = T0 + 3600 * NS_PER_SEC,
			.at_ns = T0,
			.after_ns = T0 + 10 * NS_PER_SEC}};
	recorder_socket_init(&f->socket);
	recorder_socket_listen(&f->socket);
	f->settings.recorder_socket = f->socket.path;
	site_init(&f->site, &f->link, &f->settings);
	site_begin_round(&f->site);
}

static void end(struct fixture *f)
{
	site_done(&f->site);
	recorder_socket_done(&f->socket);
}

/* Returns the answer to TARGET, for which memtally-recorder is asked unless its answer is kept. */
static struct answer *ask(struct fixture *f, const char *target)
{
	struct inquiry *inquiry;
	struct request rq;
	struct answer *a;

	request_init(&rq, target);
	inquiry = site_inquire(&f->site, &rq, &f->caller, NS_PER_SEC);
	if (inquiry && !inquiry_is_done(inquiry)) {
		f->request = recorder_socket_receive(&f->socket);
		recorder_socket_answer(&f->socket, &f->head, NULL, &f->past);
		site_ask(&f->site, NS_PER_SEC);
		assert_true(inquiry_is_done(inquiry));
	}
	a = site_answer(&f->site, &rq, &f->caller, inquiry, SAMPLE_BOOTTIME_NS + NS_PER_SEC);
	site_forget(&f->site, inquiry);
	assert_non_null(a);
	return a;
}

/* Appends the body of A to TO, terminated, and frees A. */
static unsigned int read_answer(struct answer *a, struct buffer *to)
{
	unsigned int status = a->status;
	char piece[4096];
	ssize_t n;

	assert_int_equal(a->before.error, 0);
	buffer_add(to, a->before.data, a->before.len);
	while (a->stream && (n = list_stream_read(a->stream, piece, sizeof(piece))) > 0)
		buffer_add(to, piece, (size_t)n);
	if (a->body)
		buffer_add(to, a->body->data.data, a->body->data.len);
	buffer_add(to, a->after.data, a->after.len);
	buffer_add_char(to, 0);
	assert_int_equal(to->error, 0);
	answer_free(a);
	return status;
}

static unsigned int status_of(struct fixture *f, const char *target)
{
	AUTO_BUFFER struct buffer text = {0};

	return read_answer(ask(f, target), &text);
}

static void assert_says(
	struct fixture *f, const char *target, unsigned int status, const char *says)
{
	AUTO_BUFFER struct buffer text = {0};

	assert_int_equal(read_answer(ask(f, target), &text), status);
	if (!strstr(text.data, says))
		fail_msg("%s: %s", target, text.data);
}

static const char *const data[] = {"/api/v1/host?" AT, "/api/v1/users?" AT, "/api/v1/programs?" AT,
	"/api/v1/processes?" AT, "/api/v1/processes/1?" AT, "/api/v1/status?" AT,
	"/api/v1/files?limit=1&" AT, "/?" AT};

/* The past needs no memtallyd. */
static void answers_without_a_present_snapshot(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	for (size_t i = 0; i < ARRAY_SIZE(data); i++)
		if (status_of(&f, data[i]) != 200)
			fail_msg("%s", data[i]);
	assert_int_equal(f.request.pick, PAST_AT);
	assert_int_equal(f.request.at_ns, (T0 / NS_PER_SEC + 11) * NS_PER_SEC - 1);
	/* memtally-web's own part is that of the present. */
	assert_says(&f, "/api/v1/status?" AT, 200, "\"snapshot\":\"none\"");
	assert_says(&f, "/api/v1/status?" AT, 200, "\"status\":{\"version\":");
	assert_int_equal(status_of(&f, "/api/v1/host"), 503);
	assert_int_equal(status_of(&f, "/api/v1/users"), 503);
	assert_int_equal(f.site.past_bytes[0], 0);
	end(&f);
}

/* Removes blanks and newlines from the end of TEXT, and returns it. */
static char *trimmed(char *text)
{
	size_t len = strlen(text);

	while (len && strchr(" \n", text[len - 1]))
		text[--len] = 0;
	return text;
}

/* The lists are those of the snapshot, byte for byte but for its age. */
static void answers_as_at_that_time(void **state)
{
	static const char *const targets[][2] = {{"/api/v1/host", "/api/v1/host?" AT},
		{"/api/v1/users?limit=3", "/api/v1/users?limit=3&" AT},
		{"/api/v1/programs", "/api/v1/programs?" AT},
		{"/api/v1/processes?sort=rss_bytes", "/api/v1/processes?sort=rss_bytes&" AT},
		{"/api/v1/processes/1", "/api/v1/processes/1?" AT}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
		AUTO_BUFFER struct buffer live = {0}, past = {0};
		char *a, *b;
		struct fixture f;

		begin(&f);
		site_take(&f.site, sample_open(NULL));
		assert_int_equal(read_answer(ask(&f, targets[i][0]), &live), 200);
		assert_int_equal(read_answer(ask(&f, targets[i][1]), &past), 200);
		a = strstr(live.data, ",\"complete\"");
		b = strstr(past.data, ",\"complete\"");
		assert_true(a && b);
		/* The blanks at the end make up for the digits of the age. */
		if (strcmp(trimmed(a), trimmed(b)) != 0)
			fail_msg("%s\n%s", a, b);
		end(&f);
	}
}

/* The age is that of the wall clock: CLOCK_BOOTTIME of the snapshot may be of an earlier boot. */
static void ages_are_those_of_the_wall_clock(void **state)
{
	AUTO_BUFFER struct buffer text = {0};
	double age, expected;
	json_t *answer;
	struct fixture f;

	(void)state;
	begin(&f);
	assert_int_equal(read_answer(ask(&f, "/api/v1/host?" AT), &text), 200);
	answer = json_loads(text.data, 0, NULL);
	age = json_number_value(
		json_object_get(json_object_get(answer, "snapshot"), "age_seconds"));
	expected = (double)(clock_now_ns(CLOCK_REALTIME) - T0) / (double)NS_PER_SEC;
	assert_true(age > expected - 60 && age <= expected + 1);
	json_decref(answer);
	end(&f);
}

/* The same callers see the same rows as in the present snapshot. */
static void callers_see_what_they_may(void **state)
{
	const struct caller alice = {.kind = CALLER_USER, .uid = 1000, .userns = USERNS_INITIAL};
	const struct caller stranger = {.kind = CALLER_STRANGER};
	const struct caller anybody = {.kind = CALLER_ANYBODY};
	struct fixture f;

	(void)state;
	begin(&f);
	f.caller = alice;
	assert_says(&f, "/api/v1/processes?" AT, 200, "\"uid\":1000,");
	assert_true(f.request.has_uid && f.request.uid == 1000);
	assert_int_equal(status_of(&f, "/api/v1/processes/1?" AT), 404); /* root's */
	assert_int_equal(status_of(&f, "/api/v1/files?" AT), 403);
	f.caller = stranger;
	assert_int_equal(status_of(&f, "/api/v1/processes?" AT), 403);
	assert_int_equal(status_of(&f, "/api/v1/users?" AT), 200);
	f.caller = anybody;
	/* It is not known whether memtallyd still exports processes. */
	assert_int_equal(status_of(&f, "/api/v1/processes?" AT), 403);
	f.settings.web_tcp_scope = TCP_SCOPE_PROCESSES;
	assert_int_equal(status_of(&f, "/api/v1/processes?" AT), 200);
	f.settings.web_tcp_scope = TCP_SCOPE_AGGREGATES;
	assert_says(&f, "/api/v1/processes?" AT, 403, "web.tcp_scope");
	assert_int_equal(status_of(&f, "/api/v1/users?" AT), 200);
	assert_says(&f, "/?" AT, 200, "id=\"sums-only\"");
	end(&f);

	/* memtally-recorder takes memtally-web for any other user. */
	begin(&f);
	f.head.flags = PAST_OWN_ONLY;
	assert_says(&f, "/api/v1/processes?" AT, 403,
		"memtally-recorder does not show processes to the user of this memtally-web");
	assert_int_equal(status_of(&f, "/api/v1/users?" AT), 200);
	end(&f);
}

/* Processes that are hidden from TCP clients now are hidden in the past, too. */
static void shows_no_more_than_the_present(void **state)
{
	static const struct {
		struct sample_options present;
		enum tcp_scope scope;
		unsigned int status;
	} cases[] = {
		{{0}, TCP_SCOPE_AUTO, 200},
		{{0}, TCP_SCOPE_PROCESSES, 200},
		{{.is_restricted = true}, TCP_SCOPE_AUTO, 403},
		{{.is_restricted = true}, TCP_SCOPE_PROCESSES, 200},
		/* export.processes has become 0 */
		{{.is_unexported = true}, TCP_SCOPE_AUTO, 403},
		{{.is_unexported = true}, TCP_SCOPE_PROCESSES, 403},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture f;

		begin(&f);
		f.caller.kind = CALLER_ANYBODY;
		f.settings.web_tcp_scope = cases[i].scope;
		site_take(&f.site, sample_open(&cases[i].present));
		if (status_of(&f, "/api/v1/processes?" AT) != cases[i].status)
			fail_msg("%zu", i);
		assert_int_equal(status_of(&f, "/api/v1/users?" AT), 200);
		f.caller = root;
		assert_int_equal(status_of(&f, "/api/v1/processes?" AT), 200);
		end(&f);
	}
}

static void says_what_is_covered(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	f.head.status = PAST_NONE;
	f.head.at_ns = f.head.after_ns = 0;
	assert_says(&f, "/api/v1/users?at=1600000000", 404,
		"there is no snapshot of 2020-09-13 12:26:40; memtally-recorder has snapshots from "
		"2023-11-14 22:13:20 to 2023-11-14 23:13:20, the host's local time");
	assert_says(&f, "/?at=1600000000", 404, "There are no figures of that time: there is no ");
	assert_says(&f, "/?at=1600000000", 404, "<main data-at=\"\">");
	assert_says(&f, "/api/v1/host?at=oom", 404, "no OOM kill is recorded; ");
	assert_int_equal(f.request.pick, PAST_OOM);
	f.head.first_ns = f.head.last_ns = 0;
	assert_says(&f, "/api/v1/users?at=1600000000", 404, "has not recorded a snapshot yet");
	f.head.status = PAST_DAMAGED;
	assert_says(&f, "/api/v1/users?at=1600000000", 404, "damaged");
	f.head.status = PAST_BUSY;
	assert_says(&f, "/api/v1/users?at=1600000000", 503, "try again");
	f.head.status = PAST_BAD_REQUEST;
	assert_says(&f, "/api/v1/users?at=1600000000", 503, "run it as user memtally-web");
	recorder_socket_done(&f.socket);
	assert_says(
		&f, "/api/v1/users?at=1600000000", 503, "memtally-recorder does not answer at ");
	assert_says(&f, "/?at=1600000000", 503, "memtally-recorder does not answer at ");
	site_done(&f.site);
}

/* A snapshot from long before the moment is not that of the moment. */
static void gaps_have_no_snapshots(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	f.head.after_ns = T0 + 7200 * NS_PER_SEC;
	assert_int_equal(status_of(&f, "/api/v1/users?at=1700000800"), 200);
	assert_says(&f, "/api/v1/users?at=1700002000", 404,
		"nothing was recorded after 2023-11-14 22:13:20 until 2023-11-15 00:13:20; ");
	end(&f);
	begin(&f);
	f.past.interval_ns = 1000 * NS_PER_SEC; /* stale after 3,000 s */
	f.head.after_ns = 0;
	assert_int_equal(status_of(&f, "/api/v1/users?at=1700002000"), 200);
	assert_says(&f, "/api/v1/users?at=1700009000", 404,
		"nothing was recorded after 2023-11-14 22:13:20; ");
	end(&f);
}

static void refuses_wrong_parameters(void **state)
{
	static const char *const bad[] = {"/api/v1/users?at=x", "/api/v1/host?at=5&at=6",
		"/api/v1/host?x=1", "/api/v1/processes/1?limit=1",
		"/api/v1/status?at=", "/?at=never", "/api/v1/coverage?at=5",
		"/api/v1/coverage?from=x", "/api/v1/coverage?from=9&to=8",
		"/api/v1/coverage?from=1&from=2", "/api/v1/coverage?kind=x",
		"/api/v1/coverage?kind=gap&kind=oom", "/api/v1/coverage?kind=", "/api/v1/?at=5"};
	struct fixture f;

	(void)state;
	begin(&f);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (status_of(&f, bad[i]) != 400)
			fail_msg("%s", bad[i]);
	assert_false(recorder_socket_is_asked(&f.socket));
	assert_int_equal(status_of(&f, "/metrics?at=5"), 200);
	assert_int_equal(status_of(&f, "/healthz?at=5"), 200);
	assert_false(recorder_socket_is_asked(&f.socket));
	end(&f);
}

/* The links of the page stay at the moment. */
static void the_page_stays_at_its_moment(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	assert_says(&f, "/?" AT "&users=rss", 200, "<main data-at=\"1700000000.123\">");
	assert_says(&f, "/?" AT, 200, "programs=pss&amp;at=1700000000.123#users\"");
	assert_says(&f, "/?" AT, 200, "href=\"/api/v1/users?at=1700000000.123\"");
	assert_says(&f, "/?" AT, 200, "This is the past: the figures of 2023-11-14 22:13:20");
	end(&f);
}

/* Streams that are not read keep no more than so many bytes of snapshots. */
static void limits_snapshots_that_are_being_sent(void **state)
{
	struct answer *held[2];
	struct fixture f;

	(void)state;
	begin(&f);
	held[0] = ask(&f, "/api/v1/users?" AT);
	assert_true(f.site.past_bytes[0] > 0);
	held[1] = ask(&f, "/api/v1/users?" AT);
	f.site.past_bytes[0] += SITE_PAST_BYTES_MAX / 2;
	assert_says(&f, "/api/v1/users?" AT, 503, "try again");
	/* Another caller has room, until all together have none. */
	f.caller.place = 1;
	assert_int_equal(status_of(&f, "/api/v1/users?" AT), 200);
	f.site.past_bytes[2] += SITE_PAST_BYTES_MAX / 2;
	assert_says(&f, "/api/v1/users?" AT, 503, "try again");
	f.site.past_bytes[2] -= SITE_PAST_BYTES_MAX / 2;
	f.site.past_bytes[0] -= SITE_PAST_BYTES_MAX / 2;
	answer_free(held[0]);
	answer_free(held[1]);
	assert_int_equal(f.site.past_bytes[0], 0);
	end(&f);
}

static void tells_the_coverage(void **state)
{
	static const struct past_point points[] = {{.at_ns = T0, .marks = PAST_MARK_START},
		{.at_ns = T0 + NS_PER_SEC, .marks = PAST_MARK_OOM | PAST_MARK_PRESSURE}};
	const struct past_head head = {
		.points = 2, .first_ns = T0, .last_ns = T0 + 5 * NS_PER_SEC, .flags = PAST_FAILING};
	AUTO_BUFFER struct buffer text = {0};
	struct inquiry *inquiry;
	struct request rq;
	struct fixture f;

	(void)state;
	begin(&f);
	request_init(&rq, "/api/v1/coverage?from=1600000000");
	inquiry = site_inquire(&f.site, &rq, &f.caller, NS_PER_SEC);
	assert_false(inquiry_is_done(inquiry));
	f.request = recorder_socket_receive(&f.socket);
	assert_int_equal(f.request.pick, PAST_MARKS);
	assert_int_equal(f.request.at_ns, 1600000001 * NS_PER_SEC - 1);
	assert_int_equal(f.request.until_ns, PAST_TIME_MAX_NS);
	recorder_socket_answer(&f.socket, &head, points, NULL);
	site_ask(&f.site, NS_PER_SEC);
	read_answer(site_answer(&f.site, &rq, &f.caller, inquiry, NS_PER_SEC), &text);
	site_forget(&f.site, inquiry);
	assert_string_equal(text.data,
		"{\"coverage\":{\"first_seconds\":1700000000.123,\"last_seconds\":1700000005.123,"
		"\"recording\":false,\"complete\":true,\"marks\":["
		"{\"time_seconds\":1700000000.123,\"kinds\":[\"start\"]},"
		"{\"time_seconds\":1700000001.123,\"kinds\":[\"oom\",\"pressure\"]}]}}\n");
	end(&f);
	begin(&f);
	f.head = (struct past_head){.status = PAST_NONE};
	assert_int_equal(status_of(&f, "/api/v1/coverage?kind=oom&to=1600000000"), 200);
	assert_int_equal(f.request.marks, PAST_MARK_OOM);
	assert_int_equal(f.request.at_ns, 0);
	assert_int_equal(f.request.until_ns, 1600000001 * NS_PER_SEC - 1);
	assert_int_equal(status_of(&f, "/api/v1/coverage?kind=gap"), 200);
	assert_int_equal(f.request.marks, PAST_MARK_GAP);
	assert_int_equal(status_of(&f, "/api/v1/coverage"), 200);
	assert_int_equal(f.request.marks, 0);
	assert_says(&f, "/api/v1/coverage", 200,
		"{\"coverage\":{\"recording\":true,\"complete\":true,\"marks\":[]}}");
	recorder_socket_done(&f.socket);
	assert_says(&f, "/api/v1/coverage", 200,
		"{\"coverage\":{\"problem\":\"memtally-recorder does not answer at ");
	site_done(&f.site);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_without_a_present_snapshot),
		cmocka_unit_test(answers_as_at_that_time),
		cmocka_unit_test(ages_are_those_of_the_wall_clock),
		cmocka_unit_test(callers_see_what_they_may),
		cmocka_unit_test(shows_no_more_than_the_present),
		cmocka_unit_test(says_what_is_covered),
		cmocka_unit_test(gaps_have_no_snapshots),
		cmocka_unit_test(refuses_wrong_parameters),
		cmocka_unit_test(the_page_stays_at_its_moment),
		cmocka_unit_test(limits_snapshots_that_are_being_sent),
		cmocka_unit_test(tells_the_coverage),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
