/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memtally with --at, --from and --to, diff and history, with a server that stands in for
 * memtally-recorder.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <sys/socket.h>

#include "base/clock.h"
#include "base/os/channel.h"
#include "base/saturate.h"
#include "base/when.h"
#include "snapshot/past.h"
#include "snapshot/usage.h"
#include "tests/unit/support/cli/invoked.h"

#define SOCKET   "recorder"
#define OPTION   ("--recorder.socket=" SOCKET)
#define INTERVAL (10 * NS_PER_SEC)

/* A recording of .count snapshots, one each 10 s, up to .last_ns. */
struct recorded_past {
	struct sample_options sample; /* of each snapshot, but for the next three */
	uint64_t last_ns, count;
	size_t oom;     /* the number of the snapshot before the last OOM kill; 0: there was none */
	size_t burst;   /* the number of a snapshot with far more memory; 0: none */
	size_t damaged; /* the number of a damaged snapshot; 0: none */
	uint32_t flags; /* of answers */
	bool hangs_up;  /* instead of an answer to PAST_SERIES */
	bool storm; /* the last snapshots have PAST_MARK_PRESSURE; no mark is on a point of PAST_SERIES */
	unsigned int busy; /* the first answers of each connection are PAST_BUSY */
};

/* Returns the time of snapshot I, from 1 to .count. */
static uint64_t time_of(const struct recorded_past *p, uint64_t i)
{
	return p->last_ns - (p->count - i) * INTERVAL;
}

/* Returns the last snapshot at or before NS; 0: there is none. */
static uint64_t number_at(const struct recorded_past *p, uint64_t ns)
{
	uint64_t first_ns = time_of(p, 1);

	return ns < first_ns ? 0 : saturate_min((ns - first_ns) / INTERVAL + 1, p->count);
}

static int seal(const struct recorded_past *p, uint64_t i)
{
	struct sample_options options = p->sample;
	int fd = -1;

	options.sequence = i;
	options.realtime_ns = time_of(p, i);
	if (!options.boottime_ns)
		options.boottime_ns = NS_PER_SEC * 1000 + i * INTERVAL;
	if (sample_seal(&options, &fd) < 0)
		_exit(1);
	return fd;
}

static void reply(int client, const struct past_head *head, const struct past_point *points, int fd)
{
	AUTO_BUFFER struct buffer text = {0};

	past_answer_write(head, points, &text);
	if (channel_send(client, text.data, text.len, fd) < 0)
		_exit(1);
}

static void reply_series(int client, const struct recorded_past *p, const struct past_request *q,
	struct past_head *head)
{
	struct past_point point[PAST_POINTS_MAX];
	uint64_t next_ns = q->at_ns;
	bool is_known = q->scope == METRIC_HOST || !strcmp(q->name, "alice");

	for (uint64_t i = 1; i <= p->count; i++) {
		uint64_t at_ns = time_of(p, i), value = (i == p->burst ? 5000 : i) << 20;

		if (!is_known || at_ns < next_ns || at_ns > q->until_ns)
			continue;
		if (head->points == PAST_POINTS_MAX)
			_exit(1);
		if (i == p->damaged) { /* the answer ends there, as that of memtally-recorder */
			head->status = PAST_DAMAGED;
			break;
		}
		point[head->points++] = (struct past_point){.at_ns = at_ns,
			.present = 3,
			.marks = i == p->oom + 1 && !p->storm ? PAST_MARK_OOM : 0,
			.value = value,
			.low = value,
			.high = value};
		next_ns = at_ns + q->step_ns;
	}
	reply(client, head, point, CHANNEL_NO_FD);
}

static void reply_marks(int client, const struct recorded_past *p, const struct past_request *q,
	struct past_head *head)
{
	struct past_point point[PAST_POINTS_MAX] = {
		{.at_ns = time_of(p, p->oom + 1), .marks = PAST_MARK_OOM}};

	head->points = p->oom && point[0].at_ns >= q->at_ns && point[0].at_ns <= q->until_ns;
	if (p->storm && (!q->marks || q->marks & PAST_MARK_PRESSURE)) {
		for (uint64_t i = 0; i < PAST_POINTS_MAX; i++)
			point[i] = (struct past_point){
				.at_ns = p->last_ns - PAST_POINTS_MAX + 1 + i,
				.marks = PAST_MARK_PRESSURE};
		head->points = PAST_POINTS_MAX;
		head->flags |= PAST_CUT; /* the OOM kill is older */
	}
	reply(client, head, point, CHANNEL_NO_FD);
}

static void answer(int client, const struct recorded_past *p, const struct past_request *q)
{
	struct past_head head = {.flags = p->flags,
		.first_ns = p->count ? time_of(p, 1) : 0,
		.last_ns = p->count ? p->last_ns : 0};
	uint64_t i = !p->count               ? 0
	             : q->pick == PAST_OOM   ? p->oom
	             : q->pick == PAST_AFTER ? number_at(p, q->at_ns) + 1
	                                     : number_at(p, q->at_ns);
	AUTO_CLOSE int fd = -1;

	if (q->pick == PAST_SERIES && p->hangs_up)
		_exit(0);
	if (q->pick == PAST_SERIES) {
		reply_series(client, p, q, &head);
		return;
	}
	if (q->pick == PAST_MARKS) {
		reply_marks(client, p, q, &head);
		return;
	}
	if (q->pick == PAST_COVERAGE) {
		reply(client, &head, NULL, CHANNEL_NO_FD);
		return;
	}
	if (!i || i > p->count) {
		head.status = PAST_NONE;
		reply(client, &head, NULL, CHANNEL_NO_FD);
		return;
	}
	head.before_ns = i > 1 ? time_of(p, i - 1) : 0;
	head.after_ns = i < p->count ? time_of(p, i + 1) : 0;
	if (i == p->damaged) {
		head.status = PAST_DAMAGED;
		reply(client, &head, NULL, CHANNEL_NO_FD);
		return;
	}
	head.at_ns = time_of(p, i);
	head.oom_ns = q->pick == PAST_OOM ? time_of(p, i + 1) : 0;
	fd = seal(p, i);
	reply(client, &head, NULL, fd);
}

static void serve(int client, const void *context)
{
	const struct recorded_past *p = context;
	unsigned char text[PAST_REQUEST_SIZE];
	unsigned int busy = p->busy;
	struct past_request q;
	ssize_t n;

	while ((n = recv(client, text, sizeof(text), 0)) > 0) {
		if (past_request_parse(text, (size_t)n, &q) < 0)
			_exit(1);
		if (busy) {
			busy--;
			reply(client, &(struct past_head){.status = PAST_BUSY}, NULL,
				CHANNEL_NO_FD);
			continue;
		}
		answer(client, p, &q);
	}
}

#define ARGS(...)                                                                                  \
	(const char *const[INVOKED_ARGS])                                                          \
	{                                                                                          \
		OPTION, __VA_ARGS__                                                                \
	}

static void ask(const struct recorded_past *p, const char *const args[static INVOKED_ARGS],
	struct running *ret)
{
	pid_t server = stand_in_start(SOCKET, serve, p);

	setenv("TZ", "UTC", 1);
	setenv("MEMTALLY_LEDGER_SOCKET", "/nonexistent", 1);
	tzset();
	invoked_run(args, ret);
	stand_in_end(server, SOCKET);
}

static uint64_t now_ns(void)
{
	return clock_now_ns(CLOCK_REALTIME);
}

/* Returns a recording of the last 1,000 s, in which programs grow. */
static struct recorded_past growing(void)
{
	return (struct recorded_past){
		.sample = {.more = 5, .growth_kib = 1024}, .last_ns = now_ns(), .count = 100};
}

/* Status alone asks memtally-recorder in the present; no other recorder on this host shall answer. */
static const char *status_only(const char *view)
{
	return strcmp(view, "status") ? NULL : "--recorder.socket=none";
}

/* The status says how far back the recording goes. */
static void the_status_has_the_recorded_time(void **state)
{
	static const char *const args[INVOKED_ARGS] = {"status", OPTION};
	const struct sample_options sample = {.boottime_ns = clock_now_ns(CLOCK_BOOTTIME),
		.realtime_ns = now_ns(),
		.sequence = 7};
	struct recorded_past past = growing(), empty = {.last_ns = now_ns()};
	char begin[WHEN_TEXT_SIZE], expected[128];
	AUTO_RUNNING struct running good = {0}, none = {0}, failing = {0};
	pid_t server;

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	when_format(time_of(&past, 1), begin);
	snprintf(expected, sizeof(expected), "\nRecording   %s to now\n", begin);
	server = stand_in_start(SOCKET, serve, &past);
	invoked_run_served(&sample, args, &good);
	stand_in_end(server, SOCKET);
	assert_int_equal(good.status, 0);
	running_check_prints(&good, expected);

	server = stand_in_start(SOCKET, serve, &empty);
	invoked_run_served(&sample, args, &none);
	stand_in_end(server, SOCKET);
	running_check_prints(&none, "\nRecording   nothing yet\n");

	past.flags = PAST_FAILING;
	server = stand_in_start(SOCKET, serve, &past);
	invoked_run_served(&sample, args, &failing);
	stand_in_end(server, SOCKET);
	running_check_prints(&failing, " to now; it fails at present\n");
}

/* Views print of a recorded snapshot what they printed when it was memtallyd's, byte for byte. */
static void recorded_views_are_those_of_their_time(void **state)
{
	static const char *const views[][3] = {{"programs"}, {"users"}, {"units"}, {"containers"},
		{"processes"}, {"host"}, {"host", "--all"}, {"status"}, {"status", "--json"},
		{"users", "--json"}, {"users", "--csv"}, {"processes", "--json"},
		{"programs", "--user=root"}, {"processes", "--sort=rss", "--limit=3"}};
	struct sample_options live = {.boottime_ns = clock_now_ns(CLOCK_BOOTTIME),
		.realtime_ns = now_ns() - 500 * NS_PER_SEC,
		.sequence = 7,
		.is_estimated = true};
	const struct recorded_past past = {
		.sample = live, .last_ns = live.realtime_ns + 3 * INTERVAL, .count = 10};
	char at[64];

	(void)state;
	snprintf(at, sizeof(at), "--at=");
	when_format(live.realtime_ns, at + strlen(at));
	for (size_t i = 0; i < ARRAY_SIZE(views); i++) {
		const char *const *v = views[i];
		AUTO_RUNNING struct running then = {0}, now = {0};

		setenv("TZ", "UTC", 1);
		invoked_run_served(&live,
			(const char *const[INVOKED_ARGS]){v[0], v[1], v[2], status_only(v[0])},
			&then);
		ask(&past, ARGS(at, v[0], v[1], v[2]), &now);
		assert_int_equal(then.status, 0);
		assert_int_equal(now.status, 0);
		assert_string_equal(now.out.data, then.out.data);
		running_check_says(&now, "from the recorded snapshot of ");
		running_check_says(&now, " ago");
	}
}

static void times_choose_the_snapshot(void **state)
{
	struct recorded_past past = growing();
	char clock[WHEN_TEXT_SIZE], expected[128];
	AUTO_RUNNING struct running r = {0}, oom = {0};

	(void)state;
	past.oom = 40;
	setenv("TZ", "UTC", 1);
	when_format(time_of(&past, 70), clock);
	ask(&past, ARGS("--at", clock + 11, "users"), &r); /* the time of day alone */
	assert_int_equal(r.status, 0);
	snprintf(expected, sizeof(expected), "from the recorded snapshot of %s, ", clock);
	running_check_says(&r, expected);

	when_format(time_of(&past, 40), clock);
	ask(&past, ARGS("--at=oom", "users"), &oom);
	assert_int_equal(oom.status, 0);
	snprintf(expected, sizeof(expected), "from the recorded snapshot of %s, ", clock);
	running_check_says(&oom, expected);
	running_check_says(&oom, "; the last one before the OOM kill that was seen at ");
}

/* Each failure has its own message, and the usual exit status. */
static void failures_say_what_is_covered(void **state)
{
	struct recorded_past past = growing(), empty = {.last_ns = now_ns()}, damaged = growing(),
			     late = growing();
	const struct {
		const struct recorded_past *past;
		const char *args[INVOKED_ARGS];
		int status;
		const char *said;
	} cases[] = {
		{&past, {OPTION, "--at=2h", "users"}, 1, "nothing is recorded for "},
		{&past, {OPTION, "--at=2h", "users"}, 1, ": the recording covers "},
		{&past, {OPTION, "--at=2h", "users"}, 1, " to now"},
		{&past, {OPTION, "--at=oom", "host"}, 1, "no OOM kill is recorded: the recording "},
		{&past, {OPTION, "--at=2h", "status"}, 1, "nothing is recorded for "},
		{&empty, {OPTION, "--at=1m", "users"}, 1, "nothing is recorded yet"},
		{&empty, {OPTION, "users", "--from=1m"}, 1, "nothing is recorded yet"},
		{&damaged, {OPTION, "--at=now"}, 1, " is damaged: choose another time"},
		{&past, {OPTION, "diff", "2h"}, 1, "nothing is recorded for "},
		{&past, {OPTION, "users", "--from=2h", "--to=1h"}, 1, "nothing is recorded for "},
		{&late, {OPTION, "diff", "2s"}, 1, "no two snapshots are recorded from "},
		{&past, {OPTION, "users", "--from=500s", "--user=nosuch"}, 1,
			"no process with memory matched --user=nosuch in that time"},
		{&past, {OPTION, "history", "user", "nosuch"}, 1,
			"no user nosuch is recorded from "},
		{&past, {OPTION, "--at=\x1b[2J", "users"}, 2, "--at: expected a time of day "},
		{&past, {OPTION, "--at=2030-01-01", "users"}, 2, "--at is in the future"},
		{&past, {OPTION, "--at=1h", "--live", "users"}, 2, "--live does not go with --at"},
		{&past, {OPTION, "--at=1h", "usage"}, 2,
			ENABLE_LEDGER ? "--at does not go with usage"
				      : "this build has no usage history"},
		{&past, {"--recorder.socket=none", "--at=1h"}, 1,
			"nothing from memtally-recorder: none: No such file or directory (start "
			"memtally-recorder, or set --recorder.socket)"},
		{&past, {"--recorder.socket=none", "diff", "1h"}, 1,
			"nothing from memtally-recorder: none: "},
	};

	(void)state;
	damaged.damaged = 100;
	late.last_ns -= 5 * NS_PER_SEC;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_RUNNING struct running r = {0};

		ask(cases[i].past, cases[i].args, &r);
		running_check_says(&r, cases[i].said);
		assert_int_equal(r.status, cases[i].status);
		assert_string_equal(r.out.data, "");
		assert_null(strchr(r.err.data, '\x1b'));
	}
}

/* memtally-recorder may be busy for a moment. */
static void memtally_asks_again_while_the_recorder_is_busy(void **state)
{
	struct recorded_past past = growing();
	AUTO_RUNNING struct running r = {0};

	(void)state;
	past.busy = 3;
	ask(&past, ARGS("--at=1m", "users"), &r);
	assert_int_equal(r.status, 0);
}

/* Nothing was recorded for an hour: the snapshot before that hour is old at that time. */
static void a_gap_is_said(void **state)
{
	struct recorded_past past = growing();
	AUTO_RUNNING struct running r = {0};

	(void)state;
	past.last_ns -= 3600 * NS_PER_SEC;
	ask(&past, ARGS("--at=30m", "users"), &r);
	assert_int_equal(r.status, 0);
	running_check_says(&r, "; 30 min 0 s before that time");
	running_check_says(&r, "warning: nothing was recorded from ");
}

/* Recorded snapshots can be read while memtally-recorder cannot write. It is said once. */
static void failing_recording_is_said_once(void **state)
{
	static const char said[] = "warning: recording fails at present: ";
	struct recorded_past past = growing();
	AUTO_RUNNING struct running r = {0};
	const char *first;

	(void)state;
	past.flags = PAST_FAILING;
	ask(&past, ARGS("users", "--from=5m"), &r);
	assert_int_equal(r.status, 0);
	running_check_says(&r, said);
	first = strstr(r.err.data, said);
	assert_null(strstr(first + 1, said));
}

/* Sums of a user who sees only the user's own processes. */
static void own_processes_are_said_to_be_own(void **state)
{
	struct recorded_past past = growing();
	AUTO_RUNNING struct running list = {0}, users = {0}, span = {0}, hidden = {0};

	(void)state;
	past.flags = PAST_OWN_ONLY;
	ask(&past, ARGS("--at=1m", "processes"), &list);
	running_check_says(&list, "your own processes, from the recorded snapshot of ");
	ask(&past, ARGS("--at=1m", "users"), &users);
	running_check_says(&users, "memtally: from the recorded snapshot of ");
	ask(&past, ARGS("--from=5m", "processes"), &span);
	running_check_says(&span, "your own processes, from ");
	ask(&past, ARGS("history", "user", "nosuch"), &hidden);
	assert_int_equal(hidden.status, 1);
	running_check_says(&hidden, "; other users' owners are hidden from you");
}

static json_t *load(const struct running *r)
{
	json_t *json = json_loads(r->out.data, 0, NULL);

	if (!json)
		fail_msg("no JSON: %s%s", r->out.data, r->err.data);
	return json;
}

static json_int_t integer(const json_t *row, const char *field)
{
	return json_integer_value(json_object_get(row, field));
}

/*
 * Process I of the sample grows by I MiB in each snapshot. The span has all snapshots from the one at
 * --from to the one at --to.
 */
static void spans_have_growth_and_range(void **state)
{
	struct recorded_past past = growing();
	AUTO_RUNNING struct running r = {0}, table = {0};
	json_t *json, *rows;

	(void)state;
	past.damaged = 60; /* it is left out */
	ask(&past, ARGS("processes", "--from=505s", "--to=105s", "--json"), &r);
	assert_int_equal(r.status, 0);
	json = load(&r);
	assert_int_equal(integer(json_object_get(json, "span"), "snapshots"), 40);
	rows = json_object_get(json, "processes");
	assert_int_equal(integer(json_array_get(rows, 0), "pid"), SAMPLE_FIRST_MORE + 4);
	assert_int_equal(integer(json_array_get(rows, 0), "pss_growth_bytes"), 160 << 20);
	assert_int_equal(integer(json_array_get(rows, 0), "pss_min_bytes"),
		integer(json_array_get(rows, 0), "pss_first_bytes"));
	assert_int_equal(integer(json_array_get(rows, 0), "pss_max_bytes"),
		integer(json_array_get(rows, 0), "pss_last_bytes"));
	running_check_says(&r, "1 recorded snapshots are damaged and were left out");
	json_decref(json);

	ask(&past, ARGS("processes", "--from=2h", "-n1", "-s", "max"), &table);
	assert_int_equal(table.status, 0);
	running_check_says(&table, ", when the recording begins, to ");
	running_check_prints(&table, " MAX ");
	running_check_prints(&table, " not shown)");
}

static void diff_compares_two_snapshots(void **state)
{
	struct recorded_past past = growing();
	AUTO_RUNNING struct running r = {0}, users = {0};
	json_t *json, *rows;

	(void)state;
	ask(&past, ARGS("diff", "-505s", "105s", "--by=process", "--json"), &r);
	assert_int_equal(r.status, 0);
	json = load(&r);
	assert_int_equal(integer(json_object_get(json, "diff"), "snapshots"), 2);
	rows = json_object_get(json, "processes");
	assert_int_equal(integer(json_array_get(rows, 0), "pss_growth_bytes"), 160 << 20);
	assert_null(json_object_get(json_array_get(rows, 0), "pss_max_bytes"));
	json_decref(json);

	ask(&past, ARGS("diff", "505s", "--by=user", "--limit=1"), &users);
	assert_int_equal(users.status, 0);
	running_check_prints(&users, "GROWTH");
	running_check_prints(&users, "total of ");
}

static void history_is_a_bounded_series(void **state)
{
	struct recorded_past past = growing();
	AUTO_RUNNING struct running r = {0}, host = {0};
	json_t *json, *points;

	(void)state;
	past.oom = 50;
	ask(&past, ARGS("history", "user", "alice", "--from=795s", "--json"), &r);
	assert_int_equal(r.status, 0);
	json = load(&r);
	points = json_object_get(json, "points");
	assert_int_equal(json_array_size(points), 80);
	assert_int_equal(integer(json_array_get(points, 79), "pss_bytes"), 100 << 20);
	json_decref(json);
	assert_null(strstr(r.err.data, "warning"));

	/* Most of the day is not recorded, and there is no ledger. */
	ask(&past, ARGS("history", "host"), &host);
	assert_int_equal(host.status, 0);
	running_check_says(&host, "from memtally-recorder since ");
	if (ENABLE_LEDGER)
		running_check_says(&host, "nothing from memtally-ledger: /nonexistent: ");
	running_check_prints(&host, "SOURCE");
	running_check_prints(&host, "recorder");
}

/* Points are of the time that is recorded, and a short burst and an OOM kill are not left out. */
static void history_shows_bursts_and_kills(void **state)
{
	struct recorded_past few = growing(), many = growing();
	AUTO_RUNNING struct running all = {0}, thin = {0};
	json_t *json, *points;
	bool has_burst = false, has_kill = false;

	(void)state;
	ask(&few, ARGS("history", "user", "alice", "--json"), &all);
	assert_int_equal(all.status, 0);
	json = load(&all);
	assert_int_equal(json_array_size(json_object_get(json, "points")), 100);
	json_decref(json);

	many.count = 4000;
	many.burst = 2005;
	many.oom = 3010;
	ask(&many, ARGS("history", "user", "alice", "--json"), &thin);
	assert_int_equal(thin.status, 0);
	json = load(&thin);
	points = json_object_get(json, "points");
	assert_in_range(json_array_size(points), 250, 305);
	for (size_t i = 0; i < json_array_size(points); i++) {
		const json_t *point = json_array_get(points, i);

		has_burst |= integer(point, "pss_bytes") == INT64_C(5000) << 20;
		has_kill |= json_array_size(json_object_get(point, "marks")) > 0 &&
		            integer(point, "pss_bytes") == INT64_C(3011) << 20;
	}
	assert_true(has_burst);
	assert_true(has_kill);
	assert_int_equal(integer(json_array_get(points, json_array_size(points) - 1), "pss_bytes"),
		INT64_C(4000) << 20);
	json_decref(json);
}

/* Returns how many POINTS have MARK. */
static size_t marked(const json_t *points, const char *mark)
{
	size_t count = 0;

	for (size_t i = 0; i < json_array_size(points); i++) {
		const json_t *marks = json_object_get(json_array_get(points, i), "marks");

		for (size_t k = 0; k < json_array_size(marks); k++)
			count += !strcmp(json_string_value(json_array_get(marks, k)), mark);
	}
	return count;
}

/* Memory pressure marks so many snapshots that an answer has no room for an OOM kill before them. */
static void history_shows_kills_before_long_pressure(void **state)
{
	struct recorded_past past = growing();
	AUTO_RUNNING struct running r = {0};
	json_t *json;

	(void)state;
	past.count = 4000;
	past.oom = 3010;
	past.storm = true;
	ask(&past, ARGS("--ledger.socket=none", "history", "user", "alice", "--json"), &r);
	assert_int_equal(r.status, 0);
	json = load(&r);
	assert_int_equal(marked(json_object_get(json, "points"), "oom"), 1);
	assert_int_equal(marked(json_object_get(json, "points"), "pressure"), 1);
	json_decref(json);
}

/* A damaged snapshot does not end the history. */
static void history_leaves_out_damaged_snapshots(void **state)
{
	struct recorded_past past = growing(), only = growing();
	AUTO_RUNNING struct running r = {0}, none = {0};
	json_t *json, *points;

	(void)state;
	past.damaged = 40;
	ask(&past, ARGS("history", "user", "alice", "--json"), &r);
	assert_int_equal(r.status, 0);
	running_check_says(&r, "warning: damaged recorded snapshots were left out");
	json = load(&r);
	points = json_object_get(json, "points");
	assert_int_equal(json_array_size(points), 99);
	assert_int_equal(integer(json_array_get(points, 38), "pss_bytes"), 39 << 20);
	assert_int_equal(integer(json_array_get(points, 39), "pss_bytes"), 41 << 20);
	assert_string_equal(json_string_value(json_array_get(
				    json_object_get(json_array_get(points, 39), "marks"), 0)),
		"gap");
	json_decref(json);

	only.count = only.damaged = 1;
	ask(&only, ARGS("history", "user", "alice"), &none);
	assert_int_equal(none.status, 1);
	running_check_says(&none, "the recorded snapshots of that time are damaged");
}

struct kept_usage {
	uint32_t flags;
	int64_t first_s; /* where the ledger begins; 0: it has all time */
};

/* A ledger of two users with 1 GiB and 2 GiB all the time, which keeps hours. */
static void serve_ledger(int client, const void *context)
{
	const struct kept_usage *kept = context;
	unsigned char text[USAGE_REQUEST_SIZE];
	struct usage_request q;
	ssize_t n;

	while ((n = recv(client, text, sizeof(text), 0)) > 0) {
		AUTO_BUFFER struct buffer to = {0};
		struct usage_head head = {.rows = 2, .flags = kept->flags};
		uint64_t seconds;

		if (usage_request_parse(text, (size_t)n, &q) < 0)
			_exit(1);
		head.since_s = q.since_s / 3600 * 3600;
		head.until_s = (q.until_s + 3599) / 3600 * 3600;
		head.now_s = head.until_s;
		head.first_s = head.written_s = head.since_s;
		if (kept->first_s)
			head.first_s = kept->first_s;
		seconds = (uint64_t)(head.until_s - head.since_s);
		head.covered_ms = seconds * 1000;
		usage_begin(&to);
		if (head.first_s >= head.until_s)
			head.rows = 0;
		if (head.rows)
			usage_add(&to, &(struct usage_row){.id = 1,
					       .present = 3,
					       .q = {seconds << 20, 2 << 20},
					       .name = "alice",
					       .user = ""});
		if (head.rows)
			usage_add(&to, &(struct usage_row){.id = 2,
					       .present = 3,
					       .q = {seconds << 21, 3 << 20},
					       .name = "bob",
					       .user = ""});
		usage_end(&to, &head);
		if (send(client, to.data, to.len, MSG_NOSIGNAL) != (ssize_t)to.len)
			return;
	}
}

static void ask_both(const struct recorded_past *p, const struct kept_usage *kept,
	const char *const args[static INVOKED_ARGS], struct running *ret)
{
	pid_t ledger = stand_in_start("ledger", serve_ledger, kept);

	ask(p, args, ret);
	stand_in_end(ledger, "ledger");
}

/* Points before the recording are means of the ledger. Those of one hour are one point. */
static void older_points_are_the_ledgers(void **state)
{
	struct recorded_past past = growing();
	AUTO_RUNNING struct running alice = {0}, host = {0}, hidden = {0}, process = {0},
				    lost = {0}, young = {0};
	const struct kept_usage all = {.flags = 0}, own = {.flags = USAGE_OWN_ONLY};
	struct kept_usage late = {.first_s = (int64_t)(now_ns() / NS_PER_SEC) / 3600 * 3600 - 6900};
	json_t *json, *points, *first, *last;
	char begin[CLOCK_TEXT_SIZE];
	size_t count;

	(void)state;
	if (!ENABLE_LEDGER)
		skip();
	ask_both(&past, &all, ARGS("--ledger.socket=ledger", "history", "user", "alice", "--json"),
		&alice);
	assert_int_equal(alice.status, 0);
	running_check_says(&alice, ", before that means of memtally-ledger");
	json = load(&alice);
	points = json_object_get(json, "points");
	count = json_array_size(points);
	first = json_array_get(points, 0);
	last = json_array_get(points, count - 1);
	assert_string_equal(json_string_value(json_object_get(first, "source")), "ledger");
	assert_int_equal(integer(first, "pss_bytes"), 1 << 30);
	assert_int_equal(integer(first, "pss_max_bytes"), INT64_C(2) << 30);
	assert_non_null(json_object_get(first, "until"));
	assert_string_equal(json_string_value(json_object_get(last, "source")), "recorder");
	assert_int_equal(integer(last, "pss_bytes"), 100 << 20);
	for (size_t i = 1; i < count; i++)
		assert_true(strcmp(json_string_value(
					   json_object_get(json_array_get(points, i - 1), "time")),
				    json_string_value(json_object_get(
					    json_array_get(points, i), "time"))) < 0);
	json_decref(json);

	ask_both(&past, &all, ARGS("--ledger.socket=ledger", "history", "host", "--json"), &host);
	json = load(&host);
	first = json_array_get(json_object_get(json, "points"), 0);
	assert_int_equal(integer(first, "pss_bytes"), INT64_C(3) << 30); /* all users */
	assert_null(json_object_get(first, "pss_max_bytes"));
	json_decref(json);

	/* The first point begins with the ledger, within an hour. */
	ask_both(&past, &late, ARGS("--ledger.socket=ledger", "history", "user", "alice", "--json"),
		&young);
	json = load(&young);
	first = json_array_get(json_object_get(json, "points"), 0);
	clock_format_rfc3339((uint64_t)late.first_s * NS_PER_SEC, begin);
	assert_string_equal(json_string_value(json_object_get(first, "time")), begin);
	json_decref(json);

	/* A sum over one user only is no host. */
	ask_both(&past, &own, ARGS("--ledger.socket=ledger", "history", "host", "--json"), &hidden);
	json = load(&hidden);
	first = json_array_get(json_object_get(json, "points"), 0);
	assert_string_equal(json_string_value(json_object_get(first, "source")), "recorder");
	running_check_says(&hidden, "shows usage of all users to root and group memtally only");
	json_decref(json);

	/* The recorded points are missing, which is an error. */
	past.hangs_up = true;
	ask_both(&past, &all, ARGS("--ledger.socket=ledger", "history", "user", "alice", "--json"),
		&lost);
	assert_int_equal(lost.status, 1);
	running_check_says(&lost, "warning: nothing from memtally-recorder: ");
	running_check_prints(&lost, "\"ledger\"");
	past.hangs_up = false;

	/* The ledger has no processes; memtally does not ask it. */
	ask(&past, ARGS("history", "process", "4711"), &process);
	assert_int_equal(process.status, 1);
	running_check_says(&process, "no process 4711 is recorded from ");
	assert_null(strstr(process.err.data, "ledger"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded_views_are_those_of_their_time),
		cmocka_unit_test(the_status_has_the_recorded_time),
		cmocka_unit_test(times_choose_the_snapshot),
		cmocka_unit_test(failures_say_what_is_covered),
		cmocka_unit_test(memtally_asks_again_while_the_recorder_is_busy),
		cmocka_unit_test(a_gap_is_said),
		cmocka_unit_test(failing_recording_is_said_once),
		cmocka_unit_test(own_processes_are_said_to_be_own),
		cmocka_unit_test(spans_have_growth_and_range),
		cmocka_unit_test(diff_compares_two_snapshots),
		cmocka_unit_test(history_is_a_bounded_series),
		cmocka_unit_test(history_shows_bursts_and_kills),
		cmocka_unit_test(history_shows_kills_before_long_pressure),
		cmocka_unit_test(history_leaves_out_damaged_snapshots),
		cmocka_unit_test(older_points_are_the_ledgers),
	};

	return cmocka_run_group_tests(tests, invoked_enter, invoked_leave);
}
