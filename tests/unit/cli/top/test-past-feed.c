/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the feed of the past: steps, times and growth against a stand-in for memtally-recorder that has
 * a snapshot each ten seconds, and what is said if it has none, closes, hangs or is not there.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <sys/socket.h>

#include "base/clock.h"
#include "base/os/channel.h"
#include "cli/top/past-feed.h"
#include "tests/unit/support/folder.h"
#include "tests/unit/support/snapshot/sample.h"

#define SECOND NS_PER_SEC

static const char path[] = "recorder.sock";

/* The recording: snapshots at .first_s, ten seconds later, and so on until .last_s. */
struct recorder {
	int listener, fd;
	uint64_t first_s, last_s, step_s;
	uint64_t oom_s;         /* 0: none */
	enum past_status fault; /* if not PAST_GOOD: its answer to all questions */
	unsigned int asked;
	struct past_request last;
};

static void recorder_open(struct recorder *r)
{
	*r = (struct recorder){.fd = -1, .first_s = 1000, .last_s = 5000, .step_s = 10};
	assert_int_equal(channel_listen(path, SOCK_SEQPACKET, 0600, 4, &r->listener), 0);
}

static void recorder_close(struct recorder *r)
{
	r->fd = fd_close(r->fd);
	r->listener = fd_close(r->listener);
	unlink(path);
}

/* Returns the snapshot that Q asks for, in seconds; 0: there is none. */
static uint64_t recorder_find(const struct recorder *r, const struct past_request *q)
{
	uint64_t found = 0;

	for (uint64_t s = r->first_s; s && s <= r->last_s; s += r->step_s) {
		uint64_t ns = s * SECOND;

		if ((q->pick == PAST_AT && ns <= q->at_ns) ||
			(q->pick == PAST_BEFORE && ns < q->at_ns) ||
			(q->pick == PAST_OOM && ns < r->oom_s * SECOND))
			found = s;
		if (q->pick == PAST_AFTER && ns > q->at_ns)
			return s;
	}
	return found;
}

static void recorder_send(struct recorder *r, const struct past_head *head, int image)
{
	AUTO_BUFFER struct buffer bytes = {0};
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec iov;
	struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};

	past_answer_write(head, NULL, &bytes);
	assert_int_equal(bytes.error, 0);
	iov = (struct iovec){.iov_base = bytes.data, .iov_len = bytes.len};
	if (image >= 0) {
		message.msg_control = control.space;
		message.msg_controllen = sizeof(control.space);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &image, sizeof(image));
	}
	assert_int_equal(sendmsg(r->fd, &message, MSG_NOSIGNAL), bytes.len);
}

static void recorder_answer(struct recorder *r, const struct past_request *q)
{
	uint64_t found = r->fault == PAST_GOOD ? recorder_find(r, q) : 0;
	struct past_head head = {
		.status = r->fault != PAST_GOOD ? r->fault
	                  : found               ? PAST_GOOD
	                                        : PAST_NONE,
		.first_ns = r->first_s * SECOND,
		.last_ns = r->last_s * SECOND,
		.at_ns = found * SECOND,
	};
	const struct sample_options options = {.realtime_ns = found * SECOND};
	AUTO_CLOSE int image = -1;

	if (found)
		assert_int_equal(sample_seal(&options, &image), 0);
	recorder_send(r, &head, image);
}

/* Accepts and answers what has come. */
static void recorder_serve(struct recorder *r)
{
	unsigned char bytes[PAST_REQUEST_SIZE];
	ssize_t n;

	if (r->fd < 0) {
		r->fd = accept4(r->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (r->fd < 0)
			return;
	}
	n = recv(r->fd, bytes, sizeof(bytes), 0);
	if (n <= 0)
		return;
	assert_int_equal(past_request_parse(bytes, (size_t)n, &r->last), 0);
	r->asked++;
	recorder_answer(r, &r->last);
}

/* Runs F with R until something has happened; PAST_FEED_NOTHING: nothing is wanted any more. */
static enum past_feed_event run(struct past_feed *f, struct recorder *r)
{
	for (;;) {
		enum past_feed_event event = past_feed_run(f, clock_now_ns(CLOCK_MONOTONIC));

		if (event != PAST_FEED_NOTHING || past_feed_is_idle(f))
			return event;
		recorder_serve(r);
	}
}

static enum past_feed_event go(
	struct past_feed *f, enum top_step step, const char *text, uint64_t from_s)
{
	return past_feed_go(f, step, text, from_s * SECOND, 5003 * SECOND);
}

static void steps_lead_to_snapshots(void **state)
{
	static const struct {
		enum top_step step;
		const char *text;
		uint64_t from_s;
		enum past_feed_event event;
		uint64_t at_s;
	} cases[] = {
		{TOP_STEP_BACK, "", 5003, PAST_FEED_MOMENT, 5000},
		{TOP_STEP_BACK, "", 5000, PAST_FEED_MOMENT, 4990},
		{TOP_STEP_FORTH, "", 4990, PAST_FEED_MOMENT, 5000},
		{TOP_STEP_FORTH, "", 5000, PAST_FEED_PRESENT, 0},
		{TOP_STEP_BACK_MINUTE, "", 5003, PAST_FEED_MOMENT, 4940},
		{TOP_STEP_BACK_MINUTE, "", 1030, PAST_FEED_MOMENT, 1000}, /* the oldest one */
		{TOP_STEP_FORTH_MINUTE, "", 4940, PAST_FEED_MOMENT, 5000},
		{TOP_STEP_FORTH_MINUTE, "", 4950, PAST_FEED_PRESENT, 0},
		{TOP_STEP_TIME, "-100s", 5003, PAST_FEED_MOMENT, 4900},
		{TOP_STEP_TIME, "oom", 5003, PAST_FEED_MOMENT, 2000},
	};
	struct past_feed f;
	struct recorder r;

	(void)state;
	recorder_open(&r);
	r.oom_s = 2005;
	past_feed_open(&f, path);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(
			go(&f, cases[i].step, cases[i].text, cases[i].from_s), PAST_FEED_NOTHING);
		assert_true(past_feed_is_going(&f));
		assert_int_equal(run(&f, &r), cases[i].event);
		assert_false(past_feed_is_going(&f));
		if (cases[i].at_s) {
			assert_int_equal(f.answer.head.at_ns, cases[i].at_s * SECOND);
			assert_int_equal(
				f.answer.view->header->realtime_ns, cases[i].at_s * SECOND);
		}
		past_feed_go(&f, TOP_STEP_PRESENT, "", 0, 0);
	}
	past_feed_close(&f);
	recorder_close(&r);
}

/* Older snapshots are kept more rarely: a step of a minute goes to the next one. */
static void minutes_step_over_gaps(void **state)
{
	struct past_feed f;
	struct recorder r;

	(void)state;
	recorder_open(&r);
	r.step_s = 300;
	past_feed_open(&f, path);
	go(&f, TOP_STEP_FORTH_MINUTE, "", 1300);
	assert_int_equal(run(&f, &r), PAST_FEED_MOMENT);
	assert_int_equal(f.answer.head.at_ns, 1600 * SECOND);
	past_feed_close(&f);
	recorder_close(&r);
}

/* Keys that come faster than answers add up; another key takes their place. */
static void steps_add_up(void **state)
{
	struct past_feed f;
	struct recorder r;

	(void)state;
	recorder_open(&r);
	past_feed_open(&f, path);
	for (unsigned int i = 0; i < 3; i++)
		go(&f, TOP_STEP_BACK, "", 5003);
	for (uint64_t s = 5000; s > 4970; s -= 10) {
		assert_int_equal(run(&f, &r), PAST_FEED_MOMENT);
		assert_int_equal(f.answer.head.at_ns, s * SECOND);
	}
	assert_false(past_feed_is_going(&f));
	/* The answer to a step that is not wanted any more is dropped. */
	for (unsigned int i = 0; i < 3; i++)
		go(&f, TOP_STEP_BACK, "", 4980);
	assert_int_equal(past_feed_run(&f, clock_now_ns(CLOCK_MONOTONIC)), PAST_FEED_NOTHING);
	recorder_serve(&r);
	go(&f, TOP_STEP_FORTH, "", 4980);
	assert_int_equal(run(&f, &r), PAST_FEED_MOMENT);
	assert_int_equal(f.answer.head.at_ns, 4990 * SECOND);
	past_feed_close(&f);
	recorder_close(&r);
}

/* Growth needs the moments one and ten minutes before, and some between. A step comes before them. */
static void growth_takes_moments_before(void **state)
{
	uint64_t moments = 0, oldest = UINT64_MAX;
	struct past_feed f;
	struct recorder r;
	bool had_minute = false;

	(void)state;
	recorder_open(&r);
	past_feed_open(&f, path);
	past_feed_grow(&f, 5000 * SECOND);
	assert_false(past_feed_has_grown(&f));
	while (!past_feed_is_idle(&f)) {
		assert_int_equal(run(&f, &r), PAST_FEED_GROWTH);
		assert_non_null(f.answer.view);
		moments++;
		had_minute |= f.answer.head.at_ns == 4940 * SECOND;
		oldest = f.answer.head.at_ns < oldest ? f.answer.head.at_ns : oldest;
		/* after those of one and of ten minutes, and after all */
		assert_int_equal(past_feed_has_grown(&f), moments == 6 || past_feed_is_idle(&f));
	}
	assert_true(had_minute);
	assert_int_equal(oldest, 4400 * SECOND);
	assert_in_range(moments, 9, 16);
	past_feed_grow(&f, 5000 * SECOND);
	assert_int_equal(run(&f, &r), PAST_FEED_GROWTH);
	go(&f, TOP_STEP_BACK, "", 5003);
	assert_int_equal(run(&f, &r), PAST_FEED_MOMENT);
	past_feed_rest(&f);
	assert_int_not_equal(f.fd, -1);
	past_feed_grow(&f, f.answer.head.at_ns);
	assert_int_equal(run(&f, &r), PAST_FEED_GROWTH);
	/* That of a minute is the first to take a slot of the history. */
	assert_int_equal(r.last.at_ns, 4940 * SECOND);
	assert_int_equal(f.answer.head.at_ns, 4940 * SECOND);
	past_feed_go(&f, TOP_STEP_PRESENT, "", 0, 0);
	past_feed_rest(&f);
	assert_int_equal(f.fd, -1);
	past_feed_close(&f);
	recorder_close(&r);
}

static void what_is_missing_is_said(void **state)
{
	static const struct {
		enum top_step step;
		const char *text;
		uint64_t first_s;
		enum past_status fault;
		const char *error;
	} cases[] = {
		{TOP_STEP_BACK, "", 4000, PAST_GOOD, "This is the oldest recorded snapshot."},
		{TOP_STEP_BACK_MINUTE, "", 4000, PAST_GOOD,
			"This is the oldest recorded snapshot."},
		{TOP_STEP_BACK, "", 0, PAST_GOOD, "memtally-recorder has recorded nothing yet."},
		{TOP_STEP_TIME, "-1h", 4000, PAST_GOOD,
			"Nothing is recorded of that time. The recording begins at 1970-01-01 "
			"01:06:40."},
		{TOP_STEP_TIME, "oom", 4000, PAST_GOOD,
			"No OOM kill is recorded. The recording begins at 1970-01-01 01:06:40."},
		{TOP_STEP_BACK, "", 4000, PAST_DAMAGED,
			"The recording is damaged: the snapshot of that time cannot be read."},
		{TOP_STEP_BACK, "", 4000, PAST_BUSY, "memtally-recorder is busy: try again."},
		{TOP_STEP_BACK, "", 4000, PAST_BAD_REQUEST,
			"memtally-recorder does not know this question."},
	};

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct past_feed f;
		struct recorder r;

		recorder_open(&r);
		r.first_s = cases[i].first_s;
		r.last_s = cases[i].first_s ? 5000 : 0;
		r.fault = cases[i].fault;
		past_feed_open(&f, path);
		assert_int_equal(go(&f, cases[i].step, cases[i].text, 4000), PAST_FEED_NOTHING);
		assert_int_equal(run(&f, &r), PAST_FEED_FAILED);
		assert_string_equal(f.error, cases[i].error);
		assert_false(past_feed_is_going(&f));
		past_feed_close(&f);
		recorder_close(&r);
	}
}

static void times_are_checked_first(void **state)
{
	static const struct {
		const char *text;
		enum past_feed_event event;
	} cases[] = {{"soon", PAST_FEED_FAILED}, {"", PAST_FEED_FAILED}, {"now", PAST_FEED_PRESENT},
		{"2026-11-23 08:00", PAST_FEED_PRESENT}, {"-15m", PAST_FEED_NOTHING}};
	struct past_feed f;

	(void)state;
	past_feed_open(&f, path);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(go(&f, TOP_STEP_TIME, cases[i].text, 4000), cases[i].event);
		assert_int_equal(past_feed_is_going(&f), cases[i].event == PAST_FEED_NOTHING);
	}
	past_feed_close(&f);
}

/* Without a recorder, a step says so, and growth is silent. */
static void a_missing_recorder_is_said(void **state)
{
	struct past_feed f;
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

	(void)state;
	past_feed_open(&f, path);
	past_feed_grow(&f, 5000 * SECOND);
	assert_int_equal(past_feed_run(&f, now_ns), PAST_FEED_NOTHING);
	assert_true(past_feed_is_idle(&f));
	go(&f, TOP_STEP_BACK, "", 5000);
	assert_int_equal(past_feed_run(&f, now_ns), PAST_FEED_FAILED);
	assert_string_equal(f.error,
		"memtally-recorder does not answer at recorder.sock: No such file or directory");
	past_feed_close(&f);
}

/* A recorder that does not answer is given up; one that has closed an unused connection is asked anew. */
static void lost_connections_are_handled(void **state)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);
	struct past_feed f;
	struct recorder r;
	struct pollfd p;

	(void)state;
	recorder_open(&r);
	past_feed_open(&f, path);
	assert_false(past_feed_poll(&f, &p));
	go(&f, TOP_STEP_BACK, "", 5000);
	assert_int_equal(past_feed_run(&f, now_ns), PAST_FEED_NOTHING);
	assert_true(past_feed_poll(&f, &p));
	assert_int_equal(past_feed_run(&f, now_ns + PAST_FEED_WAIT_NS), PAST_FEED_NOTHING);
	assert_int_equal(past_feed_run(&f, now_ns + PAST_FEED_WAIT_NS + 1), PAST_FEED_FAILED);
	assert_non_null(strstr(f.error, "timed out"));
	assert_int_equal(f.fd, -1);
	recorder_close(&r);

	recorder_open(&r);
	go(&f, TOP_STEP_BACK, "", 5000);
	assert_int_equal(run(&f, &r), PAST_FEED_MOMENT);
	past_feed_go(&f, TOP_STEP_PRESENT, "", 0, 0);
	r.fd = fd_close(r.fd);
	go(&f, TOP_STEP_BACK, "", 4900);
	assert_int_equal(run(&f, &r), PAST_FEED_MOMENT);
	assert_int_equal(f.answer.head.at_ns, 4890 * SECOND);
	past_feed_close(&f);
	recorder_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_lead_to_snapshots),
		cmocka_unit_test(minutes_step_over_gaps),
		cmocka_unit_test(steps_add_up),
		cmocka_unit_test(growth_takes_moments_before),
		cmocka_unit_test(what_is_missing_is_said),
		cmocka_unit_test(times_are_checked_first),
		cmocka_unit_test(a_missing_recorder_is_said),
		cmocka_unit_test(lost_connections_are_handled),
	};

	return cmocka_run_group_tests(tests, folder_enter, folder_leave);
}
