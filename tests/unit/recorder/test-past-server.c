/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the answers of the recorder's socket, from a real recording: which snapshot, which rows for
 * which client, series and marks. tests/unit/service/test-question-server tests turns and sockets.
 */
#include "config.h"

#include "tests/unit/support/recorder/taped.h"

#include "base/log.h"
#include "base/os/channel.h"
#include "base/os/userns.h"
#include "recorder/past-server.h"
#include "tests/unit/support/snapshot/small.h"

enum { SAMPLES = 30, MORE_UID = 20005, MORE_PID = SAMPLE_FIRST_MORE + 5 };

static const struct question_reader all = {.sees_all = true}, none = {.uid = QUESTION_NO_UID};

struct fixture {
	struct taped tape;
	struct verdicts verdicts;
	struct past_server server;
	/* of the last answer */
	struct question_reply reply;
	struct past_head head;
	const struct past_point *points;
	struct view *view;
	unsigned int parts;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){.reply.fd = CHANNEL_NO_FD};
	taped_begin(&f->tape);
	taped_take(&f->tape, 0, SAMPLES);
	past_server_init(&f->server, &f->tape.recording, &f->verdicts);
	f->server.userns = USERNS_INITIAL; /* that of the samples */
}

static void forget(struct fixture *f)
{
	buffer_done(&f->reply.bytes);
	fd_close(f->reply.fd);
	f->view = view_unref(f->view);
	f->reply = (struct question_reply){.fd = CHANNEL_NO_FD};
}

static void end(struct fixture *f)
{
	forget(f);
	past_server_done(&f->server);
	taped_end(&f->tape);
}

/* Asks R as a client that READER describes. Afterwards F has the answer. */
static void ask_as(struct fixture *f, const struct past_request *r,
	const struct question_reader *reader, bool is_trusted)
{
	unsigned char text[PAST_REQUEST_SIZE];
	const char *reason = "";

	forget(f);
	past_request_write(r, text);
	past_server_service.answer(&f->server,
		&(struct question){.data = text,
			.len = sizeof(text),
			.is_trusted = is_trusted,
			.uid = reader->uid,
			.reader = *reader},
		&f->reply);
	for (f->parts = 1; f->reply.job; f->parts++)
		past_server_service.go_on(&f->server, &f->reply);
	assert_int_equal(f->reply.bytes.error, 0);
	assert_int_equal(
		past_answer_parse(f->reply.bytes.data, f->reply.bytes.len, &f->head, &f->points),
		0);
	assert_int_equal(f->head.at_ns != 0, f->reply.fd >= 0);
	if (f->reply.fd >= 0)
		assert_int_equal(view_open(f->reply.fd, &f->view, &reason), 0);
}

/* Asks R as ask_as(). A client that sees all is trusted. */
static void ask(
	struct fixture *f, const struct past_request *r, const struct question_reader *reader)
{
	ask_as(f, r, reader, reader->sees_all);
}

static void finds_snapshots_by_time(void **state)
{
	static const struct {
		enum past_pick pick;
		uint64_t at_ns; /* after sample 0 */
		int found;      /* -1: none */
	} cases[] = {
		{PAST_AT, 0, 0},
		{PAST_AT, 7 * SAMPLE_INTERVAL_NS, 7},
		{PAST_AT, 8 * SAMPLE_INTERVAL_NS - 1, 7},
		{PAST_AT, 1000 * SAMPLE_INTERVAL_NS, SAMPLES - 1},
		{PAST_BEFORE, 7 * SAMPLE_INTERVAL_NS, 6},
		{PAST_BEFORE, 0, -1},
		{PAST_AFTER, 7 * SAMPLE_INTERVAL_NS, 8},
		{PAST_AFTER, 1000 * SAMPLE_INTERVAL_NS, -1},
		{PAST_OOM, 1000 * SAMPLE_INTERVAL_NS, -1},
	};
	struct fixture f;

	(void)state;
	begin(&f);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t found = (uint64_t)cases[i].found;

		ask(&f,
			&(struct past_request){
				.pick = cases[i].pick, .at_ns = taped_ns(0) + cases[i].at_ns},
			&all);
		assert_int_equal(f.head.first_ns, taped_ns(0));
		assert_int_equal(f.head.last_ns, taped_ns(SAMPLES - 1));
		assert_int_equal(f.head.status, cases[i].found < 0 ? PAST_NONE : PAST_GOOD);
		if (cases[i].found < 0)
			continue;
		assert_int_equal(f.head.at_ns, taped_ns(found));
		assert_int_equal(f.view->header->sequence, found + 1);
		assert_int_equal(f.head.before_ns, found ? taped_ns(found - 1) : 0);
		assert_int_equal(f.head.after_ns, found + 1 < SAMPLES ? taped_ns(found + 1) : 0);
		assert_int_equal(f.head.marks, found ? 0 : PAST_MARK_START);
	}
	end(&f);
}

static void trusted_clients_get_the_image_itself(void **state)
{
	AUTO_VIEW struct view *published = taped_sample(7);
	struct fixture f;

	(void)state;
	begin(&f);
	ask(&f, &(struct past_request){.pick = PAST_AT, .at_ns = taped_ns(7)}, &all);
	assert_int_equal(f.view->size, published->size);
	assert_memory_equal(f.view->data, published->data, published->size);
	assert_int_equal(f.head.flags, 0);
	end(&f);
}

/* Each user gets the rows of its own processes, also if another client asks for it. */
static void others_get_their_own_processes(void **state)
{
	static const struct {
		struct question_reader asks;
		bool has_uid;
		uint32_t uid;
		enum { ALL, OWN, NONE, REFUSED } gets;
	} cases[] = {
		{{.sees_all = true}, false, 0, ALL},
		{{.sees_all = true}, true, MORE_UID, OWN},
		{{.sees_all = true}, true, OWNER_NO_ID, NONE},
		{{.uid = MORE_UID}, false, 0, OWN},
		{{.uid = MORE_UID}, true, MORE_UID, OWN},
		{{.uid = MORE_UID}, true, 0, REFUSED},
		{{.uid = MORE_UID}, true, OWNER_NO_ID, REFUSED},
		{{.uid = QUESTION_NO_UID}, false, 0, NONE},
	};
	struct fixture f;

	(void)state;
	begin(&f);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t count;

		ask(&f,
			&(struct past_request){.pick = PAST_AT,
				.at_ns = taped_ns(7),
				.has_uid = cases[i].has_uid,
				.uid = cases[i].uid},
			&cases[i].asks);
		assert_int_equal(f.reply.is_last, cases[i].gets == REFUSED);
		if (cases[i].gets == REFUSED) {
			assert_int_equal(f.head.status, PAST_BAD_REQUEST);
			assert_int_equal(f.head.first_ns, 0);
			continue;
		}
		count = view_count(f.view, METRIC_PROCESS);
		assert_int_equal(f.head.flags, cases[i].gets == ALL ? 0 : PAST_OWN_ONLY);
		assert_int_equal(view_is_own(f.view), cases[i].gets == OWN);
		assert_int_equal(view_is_public(f.view), cases[i].gets == NONE);
		assert_int_equal(count, cases[i].gets == ALL   ? SAMPLE_PROCESSES + 20
					: cases[i].gets == OWN ? 1
							       : 0);
		if (cases[i].gets == OWN)
			assert_int_equal(view_process(f.view, 0)->pid, MORE_PID);
		assert_true(view_count(f.view, METRIC_USER) > 5);
	}
	/* The uid may be another user's. */
	f.server.userns = USERNS_INITIAL + 1;
	ask(&f, &(struct past_request){.pick = PAST_AT, .at_ns = taped_ns(7)},
		&(struct question_reader){.uid = MORE_UID});
	assert_true(view_is_public(f.view));
	end(&f);
}

static void refuses_other_questions(void **state)
{
	unsigned char text[PAST_REQUEST_SIZE + 1] = {0};
	struct fixture f;

	(void)state;
	begin(&f);
	past_request_write(&(struct past_request){.pick = PAST_COVERAGE}, text);
	for (size_t len = 0; len <= sizeof(text); len += PAST_REQUEST_SIZE / 2) {
		forget(&f);
		past_server_service.answer(&f.server,
			&(struct question){.data = text, .len = len, .reader = all}, &f.reply);
		assert_int_equal(f.reply.is_last, len != PAST_REQUEST_SIZE);
	}
	end(&f);
}

/* A process has one KiB more for each sample, times its number, so a series shows the samples. */
static void series_have_one_point_for_each_step(void **state)
{
	static const struct {
		uint64_t step_ns;
		uint32_t points;
	} cases[] = {{0, SAMPLES}, {SAMPLE_INTERVAL_NS, SAMPLES}, {5 * SAMPLE_INTERVAL_NS, 7}};
	struct past_request r = {.pick = PAST_SERIES,
		.until_ns = PAST_TIME_MAX_NS,
		.scope = METRIC_PROCESS,
		.quantity = PROCESS_PSS,
		.pid = MORE_PID};
	struct fixture f;

	(void)state;
	begin(&f);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t first;

		r.step_ns = cases[i].step_ns;
		ask(&f, &r, &all);
		assert_int_equal(f.head.status, PAST_GOOD);
		assert_in_range(f.head.points, cases[i].points - 1, cases[i].points);
		assert_int_equal(f.points[0].at_ns, taped_ns(0));
		assert_int_equal(f.points[0].marks, PAST_MARK_START);
		first = f.points[0].value;
		for (uint32_t k = 0; k < f.head.points; k++) {
			uint64_t sample = (f.points[k].at_ns - taped_ns(0)) / SAMPLE_INTERVAL_NS;

			assert_int_equal(f.points[k].present, 3);
			assert_in_range(f.points[k].value, f.points[k].low, f.points[k].high);
			assert_int_equal(f.points[k].value, first + sample * 5 * 4 * 1024);
		}
	}
	end(&f);
}

static void series_of_owners_and_the_host(void **state)
{
	struct past_request r = {
		.pick = PAST_SERIES, .until_ns = PAST_TIME_MAX_NS, .quantity = SCOPE_PSS};
	AUTO_VIEW struct view *last = taped_sample(SAMPLES - 1);
	const struct snapshot_scope *user = view_scope(last, METRIC_USER, 0);
	struct fixture f;

	(void)state;
	begin(&f);
	ask(&f, &r, &none);
	assert_int_equal(f.head.points, SAMPLES);
	assert_int_equal(f.points[SAMPLES - 1].value, view_host(last)->q[SCOPE_PSS]);
	/* It has no upper bound, and so no bounds. */
	assert_int_equal(f.points[SAMPLES - 1].present, 1);
	r.scope = METRIC_USER;
	snprintf(r.name, sizeof(r.name), "%s", view_text(last, user->name));
	ask(&f, &r, &all);
	assert_int_equal(f.points[SAMPLES - 1].value, user->q[SCOPE_PSS]);
	/* Another quantity has no bounds, and a missing row no value. */
	r.quantity = SCOPE_RSS;
	ask(&f, &r, &all);
	assert_int_equal(f.points[SAMPLES - 1].present, 1);
	snprintf(r.name, sizeof(r.name), "no such user");
	ask(&f, &r, &all);
	assert_int_equal(f.head.points, SAMPLES);
	assert_int_equal(f.points[SAMPLES - 1].present, 0);
	end(&f);
}

/* Asks for the series of ROW of SCOPE as READER. Returns whether there is a value. */
static bool has_series(struct fixture *f, const struct view *view, enum metric_scope scope,
	const struct snapshot_scope *row, const struct question_reader *reader)
{
	struct past_request r = {.pick = PAST_SERIES,
		.until_ns = PAST_TIME_MAX_NS,
		.scope = scope,
		.quantity = SCOPE_PROCESSES};

	if (scope != METRIC_HOST)
		snprintf(r.name, sizeof(r.name), "%s", view_text(view, row->name));
	ask(f, &r, reader);
	assert_int_equal(f->head.points, SAMPLES);
	assert_int_equal(
		f->head.flags, reader->sees_all || scope == METRIC_HOST ? 0 : PAST_OWN_ONLY);
	return f->points[SAMPLES - 1].present;
}

/* Checks that READER, the user with this NAME, gets the series of its own rows of SCOPE. Returns those. */
static unsigned int check_series(struct fixture *f, const struct view *view,
	enum metric_scope scope, const struct question_reader *reader, const char *name)
{
	unsigned int owns = 0;

	for (uint32_t i = 0; i < view_count(view, scope); i++) {
		const struct snapshot_scope *row = view_scope(view, scope, i);
		bool is_own = !strcmp(
			name, view_text(view, scope == METRIC_USER ? row->name : row->user));

		if (!ROW_HAS(row, SCOPE_PROCESSES) || (i > 8 && !is_own))
			continue;
		owns += is_own;
		assert_true(has_series(f, view, scope, row, &all));
		assert_false(has_series(f, view, scope, row, &none));
		assert_int_equal(has_series(f, view, scope, row, reader), is_own);
	}
	return owns;
}

/* As /api/v1/history: other users' owners are for those that see all. */
static void series_of_owners_are_their_users(void **state)
{
	AUTO_VIEW struct view *view = taped_sample(SAMPLES - 1);
	const struct question_reader alice = {.uid = 1000};
	struct fixture f;

	(void)state;
	begin(&f);
	assert_true(has_series(&f, view, METRIC_HOST, NULL, &none));
	assert_int_equal(check_series(&f, view, METRIC_USER, &alice, "alice"), 1);
	assert_true(check_series(&f, view, METRIC_USER_UNIT, &alice, "alice") > 0);
	assert_int_equal(check_series(&f, view, METRIC_PROGRAM, &alice, "alice"), 0);
	assert_int_equal(check_series(&f, view, METRIC_UNIT, &alice, "alice"), 0);
	/* The uid may be another user's. */
	f.server.userns = USERNS_INITIAL + 1;
	assert_false(has_series(&f, view, METRIC_USER, view_scope(view, METRIC_USER, 0),
		&(struct question_reader){.uid = view_scope(view, METRIC_USER, 0)->id}));
	end(&f);
}

static void series_of_processes_are_their_users(void **state)
{
	struct past_request r = {.pick = PAST_SERIES,
		.until_ns = PAST_TIME_MAX_NS,
		.scope = METRIC_PROCESS,
		.quantity = PROCESS_RSS,
		.pid = MORE_PID};
	struct fixture f;

	(void)state;
	begin(&f);
	for (uint32_t uid = MORE_UID - 1; uid <= MORE_UID; uid++) {
		ask(&f, &r, &(struct question_reader){.uid = uid});
		assert_int_equal(f.points[3].present, uid == MORE_UID);
	}
	ask(&f, &r, &none);
	assert_int_equal(f.points[3].present, 0);
	/* Another process with the pid began at another time. */
	r.start_ns = 1;
	ask(&f, &r, &all);
	assert_int_equal(f.points[3].present, 0);
	end(&f);
}

/* Strangers may not fill the memory with series that are being made. A trusted client still may ask. */
static void series_that_are_being_made_are_limited(void **state)
{
	const struct past_request r = {.pick = PAST_SERIES, .until_ns = PAST_TIME_MAX_NS};
	struct question_reply held[PAST_SERVER_SERIES_MAX + 8] = {0};
	unsigned char text[PAST_REQUEST_SIZE];
	size_t begun = 0, asked = 0;
	struct fixture f;

	(void)state;
	begin(&f);
	past_request_write(&r, text);
	for (uint32_t uid = 1000; uid < 1005; uid++)
		for (unsigned int i = 0; i < 2 + (uid == 1000); i++) {
			struct question_reply *reply = &held[asked++];

			reply->fd = CHANNEL_NO_FD;
			past_server_service.answer(&f.server,
				&(struct question){.data = text,
					.len = sizeof(text),
					.uid = uid,
					.reader.uid = uid},
				reply);
			begun += reply->job != NULL;
			assert_int_equal(reply->job == NULL, reply->bytes.len > 0);
			/* the third of one user, and the seventh of all */
			assert_int_equal(
				reply->job != NULL, !(uid == 1000 && i == 2) && uid < 1003);
		}
	assert_int_equal(begun, PAST_SERVER_SERIES_MAX);
	ask(&f, &r, &all);
	assert_int_equal(f.head.points, SAMPLES);
	for (size_t i = 0; i < asked; i++) {
		buffer_done(&held[i].bytes);
		if (held[i].job)
			past_server_service.drop(held[i].job);
	}
	ask(&f, &r, &none);
	assert_int_equal(f.head.status, PAST_GOOD);
	assert_null(f.server.jobs);
	end(&f);
}

/* Series that are made at the same time have the same points as alone. */
static void series_do_not_disturb_each_other(void **state)
{
	const struct past_request r = {.pick = PAST_SERIES, .until_ns = PAST_TIME_MAX_NS};
	struct question_reply reply[2] = {{.fd = CHANNEL_NO_FD}, {.fd = CHANNEL_NO_FD}};
	unsigned char text[PAST_REQUEST_SIZE];
	struct fixture f;

	(void)state;
	begin(&f);
	past_request_write(&r, text);
	ask(&f, &r, &all);
	for (size_t i = 0; i < 2; i++)
		past_server_service.answer(&f.server,
			&(struct question){.data = text, .len = sizeof(text), .is_trusted = true},
			&reply[i]);
	while (reply[0].job || reply[1].job)
		for (size_t i = 0; i < 2; i++)
			if (reply[i].job)
				past_server_service.go_on(&f.server, &reply[i]);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(reply[i].bytes.len, f.reply.bytes.len);
		assert_memory_equal(reply[i].bytes.data, f.reply.bytes.data, f.reply.bytes.len);
		buffer_done(&reply[i].bytes);
	}
	end(&f);
}

static void tells_marks_and_coverage(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	taped_take(&f.tape, SAMPLES + 9, SAMPLES + 10);
	ask(&f, &(struct past_request){.pick = PAST_MARKS, .until_ns = PAST_TIME_MAX_NS}, &none);
	assert_int_equal(f.head.points, 2);
	assert_int_equal(f.points[0].at_ns, taped_ns(0));
	assert_int_equal(f.points[0].marks, PAST_MARK_START);
	assert_int_equal(f.points[1].at_ns, taped_ns(SAMPLES + 9));
	assert_int_equal(f.points[1].marks, PAST_MARK_GAP);
	f.tape.recording.is_failing = true;
	ask(&f, &(struct past_request){.pick = PAST_COVERAGE}, &none);
	assert_int_equal(f.head.status, PAST_GOOD);
	assert_int_equal(f.head.flags, PAST_FAILING);
	assert_int_equal(f.head.last_ns, taped_ns(SAMPLES + 9));
	assert_int_equal(f.head.points, 0);
	end(&f);
}

/*
 * An OOM kill, and then more snapshots under pressure than an answer has room for: the newest are told,
 * and the kill if only kills are asked for. The answer is made in parts.
 */
static void tells_the_newest_marks_of_a_kind(void **state)
{
	struct past_request r = {.pick = PAST_MARKS, .until_ns = PAST_TIME_MAX_NS};
	enum { SNAPSHOTS = PAST_POINTS_MAX + 50 };
	struct fixture f = {.reply.fd = CHANNEL_NO_FD};

	(void)state;
	taped_begin(&f.tape);
	past_server_init(&f.server, &f.tape.recording, &f.verdicts);
	for (uint64_t i = 0; i < SNAPSHOTS; i++) {
		const struct image_header head = {.sequence = i + 1,
			.flags = i > 1 ? IMAGE_PRESSURE : 0,
			.realtime_ns = taped_ns(i),
			.stale_ns = 1,
			.interval_ns = SAMPLE_INTERVAL_NS};
		AUTO_SMALL struct small small = {0};
		AUTO_VIEW struct view *view = NULL;

		small_begin(&small);
		ROW_SET(small.host, SCOPE_OOM_KILLS, 7 + (i >= 1));
		view = small_view(&small.builder, &head);
		recording_take(&f.tape.recording, view, clock_now_ns(CLOCK_MONOTONIC));
	}
	ask(&f, &r, &none);
	assert_true(f.parts > 1);
	assert_int_equal(f.head.flags, PAST_CUT);
	assert_int_equal(f.head.points, PAST_POINTS_MAX);
	for (uint64_t i = 0; i < PAST_POINTS_MAX; i++) {
		assert_int_equal(f.points[i].at_ns, taped_ns(SNAPSHOTS - PAST_POINTS_MAX + i));
		assert_int_equal(f.points[i].marks, PAST_MARK_PRESSURE);
	}
	r.marks = PAST_MARK_OOM;
	ask(&f, &r, &none);
	assert_int_equal(f.head.flags, 0);
	assert_int_equal(f.head.points, 1);
	assert_int_equal(f.points[0].at_ns, taped_ns(1));
	/* Some of them */
	r = (struct past_request){
		.pick = PAST_MARKS, .at_ns = taped_ns(30), .until_ns = taped_ns(39)};
	ask(&f, &r, &none);
	assert_int_equal(f.head.points, 10);
	assert_int_equal(f.points[0].at_ns, taped_ns(30));
	r.at_ns = r.until_ns = taped_ns(SNAPSHOTS);
	ask(&f, &r, &none);
	assert_int_equal(f.head.points, 0);
	end(&f);
}

/* A client that keeps its images gets no more of them, until it gives one back. */
static void images_that_clients_hold_are_limited(void **state)
{
	const struct question_reader user = {.uid = MORE_UID};
	const struct past_request r = {.pick = PAST_AT, .at_ns = taped_ns(7)};
	int held[LEASES_USER_MAX];
	struct fixture f;

	(void)state;
	begin(&f);
	for (size_t i = 0; i < ARRAY_SIZE(held); i++) {
		ask(&f, &r, &user);
		assert_int_equal(f.head.status, PAST_GOOD);
		held[i] = TAKE_FD(f.reply.fd);
	}
	ask(&f, &r, &user);
	assert_int_equal(f.head.status, PAST_BUSY);
	ask(&f, &r, &all);
	assert_int_equal(f.head.status, PAST_GOOD);
	close(held[0]);
	ask(&f, &r, &user);
	assert_int_equal(f.head.status, PAST_GOOD);
	for (size_t i = 1; i < ARRAY_SIZE(held); i++)
		close(held[i]);
	end(&f);
}

/* memtally-web asks for many users. Strangers that hold all that they may leave its share. */
static void memtally_web_has_a_share_of_its_own(void **state)
{
	const struct past_request r = {
		.pick = PAST_AT, .at_ns = taped_ns(7), .has_uid = true, .uid = MORE_UID};
	int held[LEASES_STRANGERS_MAX + 3 * LEASES_USER_MAX];
	struct question_reader web = {.sees_all = true, .uid = 990};
	struct fixture f;
	size_t count = 0;

	(void)state;
	begin(&f);
	for (uint32_t i = 0; i < LEASES_STRANGERS_MAX; i++) {
		struct past_request own = r;

		own.uid = 30000 + i / LEASES_USER_MAX;
		ask(&f, &own, &(struct question_reader){.uid = own.uid});
		assert_int_equal(f.head.status, PAST_GOOD);
		held[count++] = TAKE_FD(f.reply.fd);
	}
	ask(&f, &r, &(struct question_reader){.uid = MORE_UID});
	assert_int_equal(f.head.status, PAST_BUSY);
	for (size_t i = 0; i < 3 * LEASES_USER_MAX; i++) {
		ask_as(&f, &r, &web, false);
		assert_int_equal(f.head.status, PAST_GOOD);
		held[count++] = TAKE_FD(f.reply.fd);
	}
	for (size_t i = 0; i < count; i++)
		close(held[i]);
	end(&f);
}

/* The third snapshot has one OOM kill more: the second one is wanted. */
static void finds_the_moment_before_an_oom_kill(void **state)
{
	struct fixture f = {.reply.fd = CHANNEL_NO_FD};

	(void)state;
	taped_begin(&f.tape);
	past_server_init(&f.server, &f.tape.recording, &f.verdicts);
	for (uint64_t i = 0; i < 4; i++) {
		const struct image_header head = {.sequence = i + 1,
			.realtime_ns = taped_ns(i),
			.stale_ns = 1,
			.interval_ns = SAMPLE_INTERVAL_NS};
		AUTO_SMALL struct small small = {0};
		AUTO_VIEW struct view *view = NULL;

		small_begin(&small);
		ROW_SET(small.host, SCOPE_OOM_KILLS, 7 + (i >= 2));
		view = small_view(&small.builder, &head);
		recording_take(&f.tape.recording, view, clock_now_ns(CLOCK_MONOTONIC));
	}
	ask(&f, &(struct past_request){.pick = PAST_OOM, .at_ns = PAST_TIME_MAX_NS}, &all);
	assert_int_equal(f.head.status, PAST_GOOD);
	assert_int_equal(f.head.at_ns, taped_ns(1));
	assert_int_equal(f.head.oom_ns, taped_ns(2));
	assert_int_equal(f.view->header->sequence, 2);
	ask(&f, &(struct past_request){.pick = PAST_OOM, .at_ns = taped_ns(1)}, &all);
	assert_int_equal(f.head.status, PAST_NONE);
	end(&f);
}

/* Counts are of all users, and everyone may see them. */
static void tells_verdicts_on_growth(void **state)
{
	const struct past_request r = {.pick = PAST_GROWTH};
	struct fixture f;

	(void)state;
	begin(&f);
	f.verdicts.growth[3] = (struct past_growth){.none = 5, .watch = 6, .leak = 7};
	ask(&f, &r, &none);
	assert_int_equal(f.head.status, PAST_GOOD);
	assert_int_equal(f.head.flags, 0);
	assert_int_equal(f.head.growth[3].leak, 0);
	f.verdicts.until_ns = UINT64_MAX;
	ask(&f, &r, &none);
	assert_int_equal(f.head.flags, PAST_HAS_GROWTH);
	assert_memory_equal(f.head.growth, f.verdicts.growth, sizeof(f.head.growth));
	ask(&f, &(struct past_request){.pick = PAST_COVERAGE}, &all);
	assert_int_equal(f.head.flags, 0);
	end(&f);
}

static void an_empty_recording_has_nothing(void **state)
{
	struct fixture f = {.reply.fd = CHANNEL_NO_FD};

	(void)state;
	taped_begin(&f.tape);
	past_server_init(&f.server, &f.tape.recording, &f.verdicts);
	for (unsigned int pick = PAST_AT; pick < PAST_PICKS_END; pick++) {
		ask(&f, &(struct past_request){.pick = (enum past_pick)pick}, &all);
		assert_int_equal(f.head.status, pick < PAST_COVERAGE ? PAST_NONE : PAST_GOOD);
		assert_int_equal(f.head.points, 0);
		assert_int_equal(f.head.first_ns, 0);
	}
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_snapshots_by_time),
		cmocka_unit_test(trusted_clients_get_the_image_itself),
		cmocka_unit_test(others_get_their_own_processes),
		cmocka_unit_test(refuses_other_questions),
		cmocka_unit_test(series_have_one_point_for_each_step),
		cmocka_unit_test(series_of_owners_and_the_host),
		cmocka_unit_test(series_of_owners_are_their_users),
		cmocka_unit_test(series_of_processes_are_their_users),
		cmocka_unit_test(series_that_are_being_made_are_limited),
		cmocka_unit_test(series_do_not_disturb_each_other),
		cmocka_unit_test(tells_marks_and_coverage),
		cmocka_unit_test(tells_the_newest_marks_of_a_kind),
		cmocka_unit_test(images_that_clients_hold_are_limited),
		cmocka_unit_test(memtally_web_has_a_share_of_its_own),
		cmocka_unit_test(finds_the_moment_before_an_oom_kill),
		cmocka_unit_test(tells_verdicts_on_growth),
		cmocka_unit_test(an_empty_recording_has_nothing),
	};

	log_open("test", LOG_LEVEL_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
