/* SPDX-License-Identifier: Apache-2.0 */
/* memtally growth, with a server that stands in for memtally-recorder. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <jansson.h>
#include <math.h>
#include <sys/socket.h>

#include "base/os/channel.h"
#include "snapshot/past-client.h"
#include "tests/unit/support/snapshot/growing.h"
#include "tests/unit/support/cli/invoked.h"

enum { HOUR_S = 3600, SLOT_S = 300, LEAK_S = 9 * HOUR_S };

/* The behaviour of the server. */
struct recorder {
	int64_t from_s, now_s; /* the recording: a snapshot each minute */
	uint32_t flags;        /* of enum past_flag */
	bool is_damaged;       /* one of the snapshots is */
	bool is_empty;         /* nothing is recorded */
	enum past_status status;
};

/* Returns up to 2 MiB of noise. */
static uint64_t noise_of(int64_t at_s)
{
	uint64_t random = (uint64_t)at_s;

	return unit_random(&random) % 3;
}

/* 500 MiB, and 20 MiB an hour more in the last nine hours. */
static uint64_t leaking(const struct recorder *r, int64_t at_s)
{
	int64_t begin_s = r->now_s - LEAK_S;

	return 500 + noise_of(at_s) +
	       (at_s > begin_s ? (uint64_t)(at_s - begin_s) * 20 / HOUR_S : 0);
}

static int make_image(const struct recorder *r, int64_t at_s)
{
	const struct image_header head = growing_head(at_s);
	int64_t start_s = r->from_s - 2 * HOUR_S;
	AUTO_SMALL struct small s = {0};
	int fd = -1;

	small_begin(&s);
	ROW_SET(s.host, SCOPE_MEM_AVAILABLE, 2000 * GROWING_MIB);
	growing_add_owner(&s.builder, METRIC_USER, "alice", 1000, 100 + leaking(r, at_s));
	growing_add_owner(&s.builder, METRIC_USER, "bob", 1001, 300 + noise_of(at_s));
	growing_add_owner(&s.builder, METRIC_PROGRAM, "=db", 0, leaking(r, at_s));
	growing_add_process(&s.builder, 4000004, "alice", "=db", start_s, leaking(r, at_s));
	growing_add_process(&s.builder, 4000005, "bob", "new", r->now_s - HOUR_S, 50);
	if (builder_seal(&s.builder, &head, &fd) < 0)
		_exit(1);
	return fd;
}

/* Answers with the snapshot of AT_S; of 0 with none. */
static void answer_question(int client, const struct recorder *r, int64_t at_s)
{
	struct past_head head = {.status = r->status,
		.flags = r->flags,
		.first_ns = r->is_empty ? 0 : (uint64_t)r->from_s * NS_PER_SEC,
		.last_ns = r->is_empty ? 0 : (uint64_t)r->now_s * NS_PER_SEC};
	AUTO_BUFFER struct buffer to = {0};
	AUTO_CLOSE int image = -1;

	if (r->status == PAST_GOOD && !at_s)
		head.status = PAST_NONE;
	if (head.status == PAST_GOOD && r->is_damaged && at_s - r->from_s < SLOT_S)
		head.status = PAST_DAMAGED;
	if (head.status == PAST_GOOD) {
		head.at_ns = (uint64_t)at_s * NS_PER_SEC;
		image = make_image(r, at_s);
	}
	past_answer_write(&head, NULL, &to);
	if (to.error || channel_send(client, to.data, to.len, image) < 0)
		_exit(1);
}

static void serve_past(int client, const void *context)
{
	const struct recorder *r = context;
	unsigned char text[PAST_REQUEST_SIZE];
	struct past_request q;
	ssize_t n;

	while ((n = recv(client, text, sizeof(text), 0)) > 0) {
		int64_t at_s;

		if (past_request_parse(text, (size_t)n, &q) < 0)
			_exit(1);
		at_s = (int64_t)(q.at_ns / NS_PER_SEC);
		if (q.pick == PAST_AT) {
			answer_question(client, r, r->now_s);
			continue;
		}
		at_s = at_s < r->from_s ? r->from_s : at_s - at_s % 60 + 60;
		answer_question(client, r, at_s > r->now_s ? 0 : at_s);
	}
}

static struct recorder make_recorder(int64_t hours)
{
	int64_t now_s = (int64_t)(clock_now_ns(CLOCK_REALTIME) / NS_PER_SEC);

	now_s -= now_s % 60;
	return (struct recorder){.from_s = now_s - hours * HOUR_S, .now_s = now_s};
}

static void run_growth(const struct recorder *r, const char *first, const char *second,
	const char *third, struct running *ret)
{
	const char *const args[INVOKED_ARGS] = {
		"growth", "--recorder.socket=recorder", first, second, third};
	pid_t server = stand_in_start("recorder", serve_past, r);

	setenv("TZ", "UTC", 1);
	invoked_run(args, ret);
	stand_in_end(server, "recorder");
}

static void prints_what_grows(void **state)
{
	const struct recorder r = make_recorder(48);
	AUTO_RUNNING struct running run = {0};

	(void)state;
	run_growth(&r, "--since=2d", NULL, NULL, &run);
	assert_int_equal(run.status, 0);
	running_check_prints(&run, "consistent with a leak");
	running_check_prints(&run, "MemAvailable");
	running_check_prints(&run, "alice");
	running_check_prints(&run, "4000004");
	running_check_says(&run, "1 of 4 owners and processes do not grow");
	running_check_says(&run, "1 of 5 owners and processes of 16 MiB or more are recorded for "
				 "less than six hours");
	assert_null(strstr(run.out.data, "bob"));
}

/* Returns the row of SCOPE with NAME in ROWS. */
static const json_t *find_row(const json_t *rows, const char *scope, const char *name)
{
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i,
		row) if (!strcmp(json_string_value(json_object_get(row, "scope")), scope) &&
			 !strcmp(json_string_value(json_object_get(row, "name")), name)) return row;
	fail_msg("no %s %s", scope, name);
	return NULL;
}

static double number_of(const json_t *row, const char *name)
{
	const json_t *value = json_object_get(row, name);

	if (!json_is_number(value))
		fail_msg("no %s", name);
	return json_number_value(value);
}

static void json_has_slopes_and_limits(void **state)
{
	const struct recorder r = make_recorder(48);
	AUTO_RUNNING struct running run = {0};
	const json_t *growth, *row;
	json_t *all;
	double slope;

	(void)state;
	run_growth(&r, "--since=2d", "--json", "--all", &run);
	assert_int_equal(run.status, 0);
	all = json_loads(run.out.data, 0, NULL);
	growth = json_object_get(all, "growth");
	/* Two days begin and end within a slot, or at the bounds of slots. */
	assert_in_range(
		json_integer_value(json_object_get(growth, "snapshots")), 48 * 12, 48 * 12 + 1);
	assert_true(json_is_false(json_object_get(growth, "own_only")));
	assert_int_equal(json_array_size(json_object_get(growth, "rows")), 5);
	row = find_row(json_object_get(growth, "rows"), "process", "=db");
	assert_string_equal(
		json_string_value(json_object_get(row, "verdict")), "consistent with a leak");
	slope = number_of(row, "slope_bytes_per_hour") / GROWING_MIB;
	assert_true(slope > 18 && slope < 22);
	assert_true(number_of(row, "slope_low_bytes_per_hour") / GROWING_MIB <= slope);
	assert_true(number_of(row, "slope_high_bytes_per_hour") / GROWING_MIB >= slope);
	assert_int_equal(number_of(row, "pid"), 4000004);
	assert_string_equal(json_string_value(json_object_get(row, "limit")), "MemAvailable");
	assert_true(fabs(number_of(row, "limit_seconds") - 2000 / slope * HOUR_S) < 60);
	assert_true(number_of(row, "limit_earliest_seconds") <= number_of(row, "limit_seconds"));
	assert_true(number_of(row, "limit_latest_seconds") >= number_of(row, "limit_seconds"));
	row = find_row(json_object_get(growth, "rows"), "user", "bob");
	assert_string_equal(json_string_value(json_object_get(row, "verdict")), "none");
	assert_null(json_object_get(row, "slope_bytes_per_hour"));
	assert_null(json_object_get(row, "limit"));
	row = find_row(json_object_get(growth, "rows"), "process", "new");
	assert_null(json_object_get(row, "verdict"));
	json_decref(all);
}

/* A spreadsheet would take "=db" for a formula. */
static void csv_has_safe_names(void **state)
{
	const struct recorder r = make_recorder(48);
	AUTO_RUNNING struct running run = {0};

	(void)state;
	run_growth(&r, "programs", "--since=2d", "--csv", &run);
	assert_int_equal(run.status, 0);
	running_check_prints(&run, "scope,name,");
	running_check_prints(&run, "program,'=db,");
	assert_null(strstr(run.out.data, "alice"));
}

static void filters_choose_processes_and_owners_by_name(void **state)
{
	const struct recorder r = make_recorder(48);
	AUTO_RUNNING struct running run = {0};

	(void)state;
	run_growth(&r, "--user=bob", NULL, NULL, &run);
	assert_int_equal(run.status, 0);
	running_check_prints(&run, "bob");
	running_check_prints(&run, "new");
	assert_null(strstr(run.out.data, "db"));
	assert_null(strstr(run.out.data, "alice"));
}

static void a_short_recording_has_no_verdicts(void **state)
{
	const struct recorder r = make_recorder(3);
	AUTO_RUNNING struct running run = {0};

	(void)state;
	run_growth(&r, NULL, NULL, NULL, &run);
	assert_int_equal(run.status, 0);
	assert_string_equal(run.out.data, "");
	running_check_says(&run, "5 of 5 owners and processes");
}

static void says_what_is_wrong_with_the_recording(void **state)
{
	struct recorder r = make_recorder(30);
	AUTO_RUNNING struct running run = {0};

	(void)state;
	r.is_damaged = true;
	r.flags = PAST_FAILING | PAST_OWN_ONLY;
	run_growth(&r, NULL, NULL, NULL, &run);
	assert_int_equal(run.status, 0);
	running_check_says(&run, "snapshots of memtally-recorder are damaged and left out");
	running_check_says(&run, "processes of others are shown to root and group memtally only");
}

static void fails_without_a_recording(void **state)
{
	static const char *const args[INVOKED_ARGS] = {"growth", "--recorder.socket=absent"};
	struct recorder r = make_recorder(30);
	AUTO_RUNNING struct running down = {0}, empty = {0}, damaged = {0};

	(void)state;
	invoked_run(args, &down);
	assert_int_equal(down.status, 1);
	running_check_says(
		&down, "nothing from memtally-recorder: absent: No such file or directory");
	r.status = PAST_NONE;
	r.is_empty = true;
	run_growth(&r, NULL, NULL, NULL, &empty);
	assert_int_equal(empty.status, 1);
	running_check_says(&empty, "nothing is recorded yet");
	r.is_empty = false;
	r.status = PAST_DAMAGED;
	run_growth(&r, NULL, NULL, NULL, &damaged);
	assert_int_equal(damaged.status, 1);
	running_check_says(&damaged, "is damaged");
}

static void refuses_wrong_arguments(void **state)
{
	static const struct {
		const char *args[INVOKED_ARGS];
		const char *said;
	} cases[] = {
		{{"growth", "hosts"},
			"expected a list such as users, programs, units or processes"},
		{{"growth", "status"}, "expected a list such as users"},
		{{"growth", "users", "bob"}, "unexpected argument 'bob' after growth users"},
		{{"growth", "users", "--program=x"},
			"growth users: a filter can choose processes, and owners by their own name"},
		{{"growth", "--since=1h"}, "growth needs five hours at least"},
		{{"growth", "--since=never"}, "--since: expected a time of day"},
		{{"growth", "--pid=x"}, "--pid"},
		{{"growth", "--sort=pss"}, "--sort does not go with growth"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_RUNNING struct running run = {0};

		invoked_run(cases[i].args, &run);
		assert_int_equal(run.status, 2);
		running_check_says(&run, cases[i].said);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints_what_grows),
		cmocka_unit_test(json_has_slopes_and_limits),
		cmocka_unit_test(csv_has_safe_names),
		cmocka_unit_test(filters_choose_processes_and_owners_by_name),
		cmocka_unit_test(a_short_recording_has_no_verdicts),
		cmocka_unit_test(says_what_is_wrong_with_the_recording),
		cmocka_unit_test(fails_without_a_recording),
		cmocka_unit_test(refuses_wrong_arguments),
	};

	return cmocka_run_group_tests(tests, invoked_enter, invoked_leave);
}
