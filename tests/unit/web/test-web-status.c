/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/own/status.h and web/site/page.h: the status page and its JSON. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "tests/unit/support/snapshot/sample.h"
#include "web/assets/assets.h"
#include "web/site/page.h"
#include "web/own/status.h"

static const struct counters few = {{1}},
			     many = {{123456, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 15}};
static const struct self small = {
	.has = SELF_HAS_CPU | SELF_HAS_MEMORY | SELF_HAS_OPEN_FDS | SELF_HAS_MAX_FDS |
               SELF_HAS_START,
	.cpu_ns = 1000000000,
	.resident_bytes = 1,
	.virtual_bytes = 2,
	.open_fds = 9,
	.max_fds = 20,
};
static const struct self large = {
	.has = SELF_HAS_CPU | SELF_HAS_MEMORY | SELF_HAS_OPEN_FDS | SELF_HAS_MAX_FDS |
               SELF_HAS_START,
	.cpu_ns = UINT64_C(98765432123456789),
	.resident_bytes = UINT64_C(1234567890123),
	.virtual_bytes = UINT64_C(12345678901234),
	.open_fds = 10000,
	.max_fds = 1048576,
	.start_ns = UINT64_C(1700000000123456789),
};

static const struct past_growth growth[PAST_GROWTH_SCOPES] = {
	{.none = 1}, {.watch = 65535}, {0}, {.none = 10, .watch = 20, .leak = 300}};

static const struct page_query by_pss = {.order = {PAGE_ORDER_PSS, PAGE_ORDER_PSS}};

static struct status make(const struct view *view, bool large_numbers)
{
	return (struct status){
		.view = view,
		.is_fresh = view != NULL,
		.is_connected = true,
		.snapshots_received = large_numbers ? 1000000 : 1,
		.snapshots_refused = large_numbers ? 99 : 0,
		.history_bytes = large_numbers ? 8388608 : 0,
		.counters = large_numbers ? &many : &few,
		.self = large_numbers ? &large : &small,
		.now_boottime_ns = SAMPLE_BOOTTIME_NS + (large_numbers ? 99999999999 : 0),
	};
}

static bool has_line(const struct buffer *b, const char *line)
{
	AUTO_FREE char *text = malloc(b->len + 1);
	char *at = text;

	assert_non_null(text);
	memcpy(text, b->data, b->len);
	text[b->len] = 0;
	while ((at = strstr(at, line))) {
		if ((at == text || at[-1] == '\n') && at[strlen(line)] == '\n')
			return true;
		at++;
	}
	return false;
}

static void shows_known_values(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_BUFFER struct buffer text = {0};
	struct status s = make(view, true);

	(void)state;
	status_render_metrics(&s, PROMETHEUS_TEXT, &text);
	assert_int_equal(text.error, 0);
	assert_true(has_line(&text, "memtally_collector_up 1"));
	assert_true(has_line(&text, "memtally_snapshot_timestamp_seconds 1700000000.123"));
	assert_true(has_line(&text, "memtally_web_snapshots_received_total 1000000"));
	assert_true(has_line(&text, "memtally_web_snapshots_refused_total 99"));
	assert_true(has_line(&text, "memtally_web_history_bytes 8388608"));
	assert_true(has_line(&text, "memtally_web_requests_total{code=\"200\"} 123456"));
	assert_true(has_line(&text, "memtally_web_requests_total{code=\"503\"} 15"));
	assert_true(has_line(&text, "process_cpu_seconds_total 98765432.123456789"));
	assert_true(has_line(&text, "process_open_fds 10000"));
	assert_true(has_line(&text, "process_start_time_seconds 1700000000.123456789"));
	assert_true(has_line(&text,
		"memtally_build_info{program=\"memtally-web\",version=\"" PACKAGE_VERSION "\"} 1"));
	assert_false(has_line(&text, "# EOF"));
}

static void shows_verdicts_on_growth(void **state)
{
	AUTO_BUFFER struct buffer text = {0}, without = {0};
	struct status s = make(NULL, true);

	(void)state;
	status_render_metrics(&s, PROMETHEUS_TEXT, &without);
	buffer_add_char(&without, 0);
	assert_null(strstr(without.data, "memtally_growth"));
	s.growth = growth;
	status_render_metrics(&s, PROMETHEUS_TEXT, &text);
	assert_true(has_line(&text, "memtally_growth_rows{scope=\"user\",verdict=\"none\"} 1"));
	assert_true(
		has_line(&text, "memtally_growth_rows{scope=\"program\",verdict=\"watch\"} 65535"));
	assert_true(has_line(&text, "memtally_growth_rows{scope=\"unit\",verdict=\"leak\"} 0"));
	assert_true(has_line(&text, "memtally_growth_rows{scope=\"process\",verdict=\"none\"} 10"));
	assert_true(
		has_line(&text, "memtally_growth_rows{scope=\"process\",verdict=\"watch\"} 20"));
	assert_true(
		has_line(&text, "memtally_growth_rows{scope=\"process\",verdict=\"leak\"} 300"));
}

static void omits_unknown_values(void **state)
{
	AUTO_BUFFER struct buffer text = {0};
	struct status s = make(NULL, false);
	struct self nothing = {0};

	(void)state;
	s.self = &nothing;
	status_render_metrics(&s, PROMETHEUS_OPENMETRICS, &text);
	buffer_add_char(&text, 0);
	assert_true(strstr(text.data, "memtally_collector_up 0\n") != NULL);
	assert_null(strstr(text.data, "memtally_snapshot_timestamp_seconds"));
	assert_null(strstr(text.data, "process_"));
	assert_null(strstr(text.data, "memtallyd\",version"));
	assert_string_equal(text.data + text.len - strlen("\n# EOF\n") - 1, "\n# EOF\n");
}

static void has_a_constant_length(void **state)
{
	const struct sample_options estimated = {.is_estimated = true, .is_blocked = true};
	AUTO_VIEW struct view *view = sample_open(&estimated);

	(void)state;
	for (int with_view = 0; with_view < 2; with_view++) {
		struct status a = make(with_view ? view : NULL, false);
		struct status b = make(with_view ? view : NULL, true);
		AUTO_BUFFER struct buffer ta = {0}, tb = {0}, ja = {0}, jb = {0}, pa = {0},
					  pb = {0};
		static const struct past_growth nothing[PAST_GROWTH_SCOPES];
		size_t slack_a = 0, slack_b = 0;

		a.growth = nothing;
		b.growth = growth;
		status_render_metrics(&a, PROMETHEUS_TEXT, &ta);
		status_render_metrics(&b, PROMETHEUS_TEXT, &tb);
		assert_int_equal(ta.len, tb.len);
		status_render_json(&a, &ja, &slack_a);
		status_render_json(&b, &jb, &slack_b);
		assert_int_equal(ja.len + slack_a, jb.len + slack_b);
		assert_int_equal(page_render(&a, &by_pss, "/metrics", &pa), 0);
		b.now_boottime_ns += 3600 * NS_PER_SEC;
		assert_int_equal(page_render(&b, &by_pss, "/metrics", &pb), 0);
		assert_int_equal(pa.len, pb.len);
	}
}

static void page_has_links_and_values(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_BUFFER struct buffer page = {0}, none = {0}, stale = {0};
	struct status s = make(view, false);

	(void)state;
	s.now_boottime_ns += 12 * NS_PER_SEC;
	assert_int_equal(page_render(&s, &by_pss, "/own/path", &page), 0);
	buffer_add_char(&page, 0);
	assert_non_null(strstr(page.data, "href=\"/own/path\""));
	assert_non_null(strstr(page.data, "href=\"/api/v1/processes\""));
	assert_non_null(strstr(page.data, "href=\"/api/v1/user_units\""));
	assert_non_null(strstr(page.data, "href=\"/api/v1/\""));
	assert_non_null(strstr(page.data, "href=\"/readyz\""));
	assert_null(strstr(page.data, "href=\"/-/ready\""));
	assert_null(strstr(page.data, "href=\"/\""));
	assert_null(strstr(page.data, "href=\"/api/v1/processes/PID\""));
	assert_non_null(strstr(page.data, "2023-11-14T22:13:20.123Z is 12 s old."));
	assert_non_null(strstr(page.data, assets_of(ASSETS_STYLE)->path));
	assert_true(!strstr(page.data, "<script") == !assets_of(ASSETS_SCRIPT));
	assert_non_null(strstr(page.data, "<section id=\"users\""));
	s.is_fresh = false;
	assert_int_equal(page_render(&s, &by_pss, "/metrics", &stale), 0);
	buffer_add_char(&stale, 0);
	assert_non_null(strstr(stale.data, "which is stale"));
	assert_null(strstr(stale.data, "Mode: "));
	assert_null(strstr(stale.data, "id=\"figures\""));
	s.view = NULL;
	assert_int_equal(page_render(&s, &by_pss, "/metrics", &none), 0);
	buffer_add_char(&none, 0);
	assert_non_null(strstr(none.data, "There is no snapshot yet"));
	assert_null(strstr(none.data, "id=\"figures\""));
}

static bool page_says_by(
	const struct page_query *query, const struct sample_options *options, const char *text)
{
	AUTO_VIEW struct view *view = sample_open(options);
	AUTO_BUFFER struct buffer page = {0};
	struct status s = make(view, false);

	s.now_boottime_ns += 7 * NS_PER_SEC;
	assert_int_equal(page_render(&s, query, "/metrics", &page), 0);
	buffer_add_char(&page, 0);
	return strstr(page.data, text) != NULL;
}

static bool page_says(const struct sample_options *options, const char *text)
{
	return page_says_by(&by_pss, options, text);
}

/* The mode, and how certain the values are. */
static void page_shows_certainty(void **state)
{
	const struct sample_options exact = {.is_exact = true, .is_measured = true};
	const struct sample_options adaptive = {.is_measured = true, .is_estimated = true};

	(void)state;
	assert_true(page_says(&exact,
		"<p id=\"certainty\">Mode: exact. Every process is measured each time. All "
		"processes together use 596.3 MiB"));
	assert_false(page_says(&exact, "estimated"));
	assert_false(page_says(&exact, "be measured"));
	assert_false(page_says(&exact, "hidepid"));
	assert_true(page_says(&adaptive,
		"All processes together use 596.3 MiB, likely between 595.0 and 599.8 MiB: 34 % "
		"measured within the last interval, 66 % estimated from measurements up to 7 s old, "
		"0.23 % guessed, 1 process never measured.</p>"));
}

/* Ages of a moment of the past are those of that moment, but for the age of the moment itself. */
static void the_past_has_its_own_ages(void **state)
{
	const struct sample_options options = {.is_estimated = true, .is_blocked = true};
	const struct page_query past = {.at_ns = SAMPLE_REALTIME_NS};

	(void)state;
	assert_true(page_says(&options, " from measurements up to 7 s old"));
	assert_true(page_says_by(&past, &options, " from measurements up to 0 s old"));
	assert_true(page_says_by(&past, &options, ", the oldest for 22 min 0 s."));
	assert_true(page_says_by(&past, &options, " is 7 s old."));
}

/* The number of blocked reads, and for how long they have blocked. */
static void page_shows_blocked_reads(void **state)
{
	const struct sample_options blocked = {.is_blocked = true};

	(void)state;
	assert_true(page_says(&blocked,
		"<p id=\"blocked\" class=\"bad\">The kernel blocks 2 reads of processes' files, the oldest for 22 "
		"min 7 s. The figures of these processes are estimates, or their RSS.</p>"));
	assert_true(page_says(&blocked, " 5 of 16 processes could not be measured.</span></p>"));
	assert_false(page_says(NULL, "blocks"));
}

/* Missing processes are in no sum, and one reason does not hide another. */
static void page_shows_missing_processes(void **state)
{
	const struct sample_options hidden = {.is_hidden = true};
	const struct sample_options only_hidden = {.is_hidden = true, .is_measured = true};

	(void)state;
	assert_true(page_says(
		NULL, "<span id=\"missing\"> 4 of 16 processes could not be measured.</span></p>"));
	assert_true(page_says(NULL, " The processes measured use 596.3 MiB, at least 596.3 MiB"));
	assert_false(page_says(NULL, "All processes together"));
	assert_true(page_says(&hidden,
		"<span id=\"missing\"> 4 of 16 processes could not be measured.</span>"
		"<span id=\"proc-hidden\"> /proc hides other users' processes (hidepid) from memtallyd: "
		"they are missing.</span></p>"));
	assert_true(page_says(&only_hidden,
		" s old.</span><span id=\"missing\"></span><span id=\"proc-hidden\"> /proc hides other "
		"users' processes (hidepid) from memtallyd: they are missing.</span></p>"));
	assert_true(page_says(&only_hidden, " The processes measured use "));
}

static void counts_requests(void **state)
{
	struct counters c = {0};

	(void)state;
	counters_add(&c, 200);
	counters_add(&c, 503);
	counters_add(&c, 503);
	assert_int_equal(c.answers[0], 1);
	assert_int_equal(c.answers[COUNTERS_STATUSES - 1], 2);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_known_values),
		cmocka_unit_test(shows_verdicts_on_growth),
		cmocka_unit_test(omits_unknown_values),
		cmocka_unit_test(has_a_constant_length),
		cmocka_unit_test(page_has_links_and_values),
		cmocka_unit_test(page_shows_certainty),
		cmocka_unit_test(page_shows_missing_processes),
		cmocka_unit_test(the_past_has_its_own_ages),
		cmocka_unit_test(page_shows_blocked_reads),
		cmocka_unit_test(counts_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
