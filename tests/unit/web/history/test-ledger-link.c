/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of web/history/ledger-link.h, with a socket at which the test answers, and a simulated
 * clock.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <math.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/os/channel.h"
#include "web/history/ledger-link.h"

enum { T0 = 1800000000, STEPS = 3, STEP_S = 300, KIB = 1024, ROOM = 1 << 20 };

struct fixture {
	char dir[40], path[64];
	int listener, server; /* the ledger's ends; -1: none */
	struct ledger_link link;
	uint64_t now_ns;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){.listener = -1, .server = -1, .now_ns = 1000 * NS_PER_SEC};
	ledger_link_init(&f->link);
	snprintf(f->dir, sizeof(f->dir), "/tmp/memtally-link-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/socket", f->dir);
}

static void listen_at(struct fixture *f, int backlog)
{
	assert_int_equal(channel_listen(f->path, SOCK_SEQPACKET, 0600, backlog, &f->listener), 0);
}

static void end(struct fixture *f)
{
	source_link_done(&f->link.link);
	fd_close(f->listener);
	fd_close(f->server);
	unlink(f->path);
	rmdir(f->dir);
}

static struct history_inquiry inquiry_of(enum usage_kind kind)
{
	return (struct history_inquiry){.query = {.scope = metric_owner_scope(usage_owner(kind)),
						.metric = history_metric_find("pss_bytes")},
		.plan = {.ledger_from_s = T0,
			.ledger_to_s = T0 + STEPS * STEP_S,
			.ledger_end_s = INT64_MAX,
			.ledger_step_s = STEP_S},
		.ledger.bytes_max = ROOM,
		.kind = kind,
		.next_s = T0};
}

static void add(struct fixture *f, struct history_inquiry *i)
{
	source_link_add(&f->link.link, f->path, &i->wait, f->now_ns);
}

static void run(struct fixture *f)
{
	source_link_run(&f->link.link, f->path, f->now_ns);
}

/* Accepts the link's connection if it is a new one, and receives a question. */
static struct usage_request receive(struct fixture *f)
{
	unsigned char text[USAGE_REQUEST_SIZE];
	struct usage_request r;
	struct pollfd p = {.fd = f->server, .events = POLLIN};

	if (f->server < 0 || (poll(&p, 1, 0) == 1 && p.revents & POLLHUP)) {
		fd_close(f->server);
		f->server = accept(f->listener, NULL, NULL);
		assert_true(f->server >= 0);
	}
	assert_int_equal(recv(f->server, text, sizeof(text), 0), sizeof(text));
	assert_int_equal(usage_request_parse(text, sizeof(text), &r), 0);
	return r;
}

/* Sends TO in pieces of at most PIECE bytes, and lets the link run after each. */
static void send_answer(struct fixture *f, const struct buffer *to, size_t piece)
{
	for (size_t at = 0; at < to->len; at += piece) {
		size_t len = to->len - at < piece ? to->len - at : piece;

		assert_int_equal(send(f->server, to->data + at, len, MSG_NOSIGNAL), len);
		run(f);
	}
}

/* Makes the answer to R: its whole time is covered, and "a" has VALUE bytes on average. */
static struct usage_head make(struct buffer *to, const struct usage_request *r, double value)
{
	struct usage_head head = {.since_s = r->since_s,
		.until_s = r->until_s,
		.now_s = T0 + 10000,
		.first_s = T0,
		.written_s = T0};
	uint64_t seconds = (uint64_t)(r->until_s - r->since_s);
	const struct usage_row row = {.id = 1000,
		.present = 1 << USAGE_PSS | 1 << USAGE_PROCESSES,
		.q = {[USAGE_PSS] = (uint64_t)(value / KIB * (double)seconds),
			[USAGE_PROCESSES] = seconds * 1000 * 5 / 2},
		.name = "a",
		.user = ""};

	head.covered_ms = head.sampled_ms = seconds * 1000;
	head.rows = 1;
	usage_begin(to);
	usage_add(to, &row);
	usage_end(to, &head);
	assert_int_equal(to->error, 0);
	return head;
}

static void answer(struct fixture *f, double value)
{
	struct usage_request r = receive(f);
	AUTO_BUFFER struct buffer to = {0};

	make(&to, &r, value);
	send_answer(f, &to, USAGE_MESSAGE_MAX);
}

/* Answers R with HEAD and no rows. */
static void answer_head(struct fixture *f, const struct usage_head *head)
{
	AUTO_BUFFER struct buffer to = {0};

	usage_begin(&to);
	usage_end(&to, head);
	send_answer(f, &to, USAGE_MESSAGE_MAX);
}

/* Each step is one question and one point. */
static void asks_step_by_step(void **state)
{
	struct history_inquiry i = inquiry_of(USAGE_USER);
	AUTO_RING_CURSOR struct ring_cursor c = {0};
	struct fixture f;

	(void)state;
	begin(&f);
	listen_at(&f, 8);
	i.has_uid = true;
	i.uid = 1000;
	add(&f, &i);
	for (unsigned int step = 0; step < STEPS; step++) {
		struct usage_request r = receive(&f);
		AUTO_BUFFER struct buffer to = {0};

		assert_false(i.wait.is_done);
		assert_int_equal(source_link_poll(&f.link.link).events, POLLIN);
		assert_int_equal(r.kind, USAGE_USER);
		assert_int_equal(r.since_s, T0 + step * STEP_S);
		assert_int_equal(r.until_s, T0 + (step + 1) * STEP_S);
		assert_true(r.has_uid && r.uid == 1000);
		make(&to, &r, KIB * (step + 1));
		run(&f); /* nothing has come */
		send_answer(&f, &to, step ? USAGE_MESSAGE_MAX : USAGE_HEAD_SIZE);
	}
	assert_true(i.wait.is_done);
	assert_string_equal(i.wait.problem, "");
	assert_int_equal(i.ledger.points, STEPS);
	assert_int_equal(ring_cursor_open(&c, &i.ledger), 0);
	for (unsigned int step = 0; ring_cursor_next(&c); step++) {
		const struct ring_point *p = i.ledger.point[step];
		size_t count;
		const struct ring_sample *s = ring_cursor_samples(&c, METRIC_USER, &count);

		assert_int_equal(p->realtime_ns, (T0 + step * STEP_S) * NS_PER_SEC);
		assert_int_equal(p->length_ns, STEP_S * NS_PER_SEC);
		assert_int_equal(count, 1);
		assert_string_equal(i.ledger.row[s->row].name, "a");
		assert_int_equal(i.ledger.row[s->row].id, 1000);
		assert_true(s->q[RING_PSS] == (float)(KIB * (step + 1)));
		/* Only what was asked for. */
		assert_true(isnan(s->q[RING_PROCESSES]) && isnan(s->q[RING_SWAP_PSS]));
	}
	assert_int_equal(source_link_due_ns(&f.link.link), UINT64_MAX);
	assert_int_equal(source_link_poll(&f.link.link).fd, -1);
	ring_done(&i.ledger);
	end(&f);
}

/* Inquiries are answered in their order, each on a connection of its own. */
static void answers_one_after_the_other(void **state)
{
	struct history_inquiry a = inquiry_of(USAGE_USER), b = inquiry_of(USAGE_PROGRAM),
			       c = inquiry_of(USAGE_UNIT);
	struct fixture f;

	(void)state;
	begin(&f);
	listen_at(&f, 8);
	add(&f, &a);
	add(&f, &b);
	add(&f, &c);
	source_link_remove(&f.link.link, &b.wait);
	for (unsigned int step = 0; step < STEPS; step++)
		answer(&f, KIB);
	assert_true(a.wait.is_done && !c.wait.is_done);
	for (unsigned int step = 0; step < STEPS; step++)
		answer(&f, KIB);
	assert_true(c.wait.is_done);
	assert_int_equal(c.ledger.points, STEPS);
	assert_int_equal(b.ledger.points, 0);
	assert_int_equal(f.link.link.waiting, 0);
	ring_done(&a.ledger);
	ring_done(&c.ledger);
	end(&f);
}

/* Amounts that are no bytes. */
static void takes_the_metric_of_the_question(void **state)
{
	struct history_inquiry i = inquiry_of(USAGE_USER);
	AUTO_RING_CURSOR struct ring_cursor c = {0};
	const struct ring_sample *s;
	struct fixture f;
	size_t count;

	(void)state;
	begin(&f);
	listen_at(&f, 8);
	i.query.metric = history_metric_find("processes");
	add(&f, &i);
	for (unsigned int step = 0; step < STEPS; step++)
		answer(&f, KIB);
	assert_true(i.wait.is_done);
	assert_int_equal(ring_cursor_open(&c, &i.ledger), 0);
	assert_true(ring_cursor_next(&c));
	s = ring_cursor_samples(&c, METRIC_USER, &count);
	assert_int_equal(count, 1);
	assert_true(s->q[RING_PROCESSES] == 2.5F && isnan(s->q[RING_PSS]));
	ring_done(&i.ledger);
	end(&f);
}

/* Points beyond the limit of memory are not silently missing. */
static void says_that_points_were_dropped(void **state)
{
	struct history_inquiry i = inquiry_of(USAGE_USER);
	struct fixture f;

	(void)state;
	begin(&f);
	listen_at(&f, 8);
	i.ledger.bytes_max = 210; /* a row and a point or two */
	add(&f, &i);
	for (unsigned int step = 0; step < STEPS; step++)
		answer(&f, KIB * (step + 1));
	assert_true(i.wait.is_done);
	assert_in_range(i.ledger.points, 1, STEPS - 1);
	assert_int_equal(
		strncmp(i.wait.problem, "memtally-ledger's answers are too large: ", 41), 0);
	ring_done(&i.ledger);
	end(&f);
}

/* The first answer says when the ledger begins: the time before is not asked for. */
static void skips_the_time_before_the_ledger(void **state)
{
	struct history_inquiry i = inquiry_of(USAGE_USER);
	struct usage_request r;
	struct usage_head head;
	struct fixture f;

	(void)state;
	begin(&f);
	listen_at(&f, 8);
	i.plan.ledger_to_s = T0 + 100 * STEP_S;
	add(&f, &i);
	r = receive(&f);
	head = (struct usage_head){
		.since_s = r.since_s, .until_s = r.until_s, .first_s = T0 + 98 * STEP_S + 17};
	answer_head(&f, &head);
	assert_int_equal(i.ledger.points, 0);
	r = receive(&f);
	assert_int_equal(r.since_s, T0 + 98 * STEP_S);
	head.since_s = r.since_s;
	head.until_s = r.since_s + 20; /* it has not ended yet */
	answer_head(&f, &head);
	assert_int_equal(i.ledger.points, 1);
	assert_int_equal(i.ledger.point[0]->length_ns, STEP_S * NS_PER_SEC);
	head.first_s = -1; /* the file was replaced */
	receive(&f);
	answer_head(&f, &head);
	assert_true(i.wait.is_done);
	assert_string_equal(i.wait.problem, "");
	ring_done(&i.ledger);
	end(&f);
}

/* Old time is kept by days only: the answers for parts of a day are the day and nothing. */
static void takes_the_boundaries_of_the_ledger(void **state)
{
	struct history_inquiry i = inquiry_of(USAGE_USER);
	struct usage_head head = {.first_s = T0};
	struct fixture f;

	(void)state;
	begin(&f);
	listen_at(&f, 8);
	add(&f, &i);
	receive(&f);
	head.since_s = head.until_s = T0;
	answer_head(&f, &head);
	receive(&f);
	head.until_s = T0 + 86400;
	answer_head(&f, &head);
	receive(&f);
	head.since_s = head.until_s;
	answer_head(&f, &head);
	assert_true(i.wait.is_done);
	assert_int_equal(i.ledger.points, 1);
	assert_int_equal(i.ledger.point[0]->length_ns, 86400 * NS_PER_SEC);
	ring_done(&i.ledger);
	end(&f);
}

static void explains_a_ledger_that_does_not_run(void **state)
{
	struct history_inquiry i = inquiry_of(USAGE_USER);
	char expected[SOURCE_PROBLEM_SIZE];
	struct fixture f;

	(void)state;
	begin(&f);
	add(&f, &i);
	assert_true(i.wait.is_done);
	snprintf(expected, sizeof(expected),
		"memtally-ledger does not answer at %s: No such file or directory", f.path);
	assert_string_equal(i.wait.problem, expected);
	end(&f);
}

/* Answers that have come in time count. The next inquiry has its own time. */
static void gives_up_in_time(void **state)
{
	struct history_inquiry a = inquiry_of(USAGE_USER), b = inquiry_of(USAGE_USER);
	struct fixture f;

	(void)state;
	begin(&f);
	listen_at(&f, 8);
	add(&f, &a);
	answer(&f, KIB);
	f.now_ns += NS_PER_SEC;
	add(&f, &b);
	assert_int_equal(source_link_due_ns(&f.link.link), f.now_ns + NS_PER_SEC);
	f.now_ns += NS_PER_SEC - 1;
	run(&f);
	assert_false(a.wait.is_done);
	f.now_ns++;
	run(&f);
	assert_true(a.wait.is_done && !b.wait.is_done);
	assert_string_equal(a.wait.problem, "memtally-ledger did not answer all questions in time");
	assert_int_equal(a.ledger.points, 1);
	f.now_ns += NS_PER_SEC;
	run(&f);
	assert_true(b.wait.is_done);
	assert_string_equal(b.wait.problem, "memtally-ledger did not answer in time");
	ring_done(&a.ledger);
	end(&f);
}

/* While the queue of connections is full, the link tries again, within the same time. */
static void waits_for_a_place_in_the_queue(void **state)
{
	struct history_inquiry i = inquiry_of(USAGE_USER);
	struct fixture f;
	int other;

	(void)state;
	begin(&f);
	listen_at(&f, 0);
	assert_int_equal(channel_connect(f.path, &other), 0);
	add(&f, &i);
	assert_false(i.wait.is_done);
	assert_int_equal(source_link_poll(&f.link.link).fd, -1);
	assert_int_equal(source_link_due_ns(&f.link.link), f.now_ns + 10 * NS_PER_MSEC);
	close(accept(f.listener, NULL, NULL));
	f.now_ns += 10 * NS_PER_MSEC;
	run(&f);
	for (unsigned int step = 0; step < STEPS; step++)
		answer(&f, KIB);
	assert_true(i.wait.is_done);
	assert_string_equal(i.wait.problem, "");
	close(other);
	ring_done(&i.ledger);
	end(&f);
}

static void limits_the_queue(void **state)
{
	struct history_inquiry i[SOURCE_LINK_WAITING_MAX + 1];
	struct fixture f;

	(void)state;
	begin(&f);
	listen_at(&f, 8);
	for (size_t k = 0; k < ARRAY_SIZE(i); k++) {
		i[k] = inquiry_of(USAGE_USER);
		i[k].wait.caller.kind = CALLER_TRUSTED;
		add(&f, &i[k]);
		assert_int_equal(i[k].wait.is_done, k == SOURCE_LINK_WAITING_MAX);
	}
	assert_string_equal(i[SOURCE_LINK_WAITING_MAX].wait.problem,
		"too many requests wait for memtally-ledger");
	source_link_done(&f.link.link);
	for (size_t k = 0; k < ARRAY_SIZE(i); k++)
		assert_true(i[k].wait.is_done);
	end(&f);
}

/* No caller that is not trusted takes the places of others, nor do all of them those of root. */
static void limits_each_caller(void **state)
{
	static const struct {
		struct caller caller;
		size_t asks, places;
	} cases[] = {
		{{.kind = CALLER_ANYBODY}, 6, SOURCE_LINK_TCP_MAX},
		{{.kind = CALLER_USER, .uid = 1000}, 4, SOURCE_LINK_UID_MAX},
		{{.kind = CALLER_USER, .uid = 1001}, 4, SOURCE_LINK_UID_MAX},
		{{.kind = CALLER_USER, .uid = 1002}, 4, SOURCE_LINK_UID_MAX},
		{{.kind = CALLER_USER, .uid = 1003}, 4, SOURCE_LINK_UID_MAX},
		{{.kind = CALLER_USER, .uid = 1004}, 1, 0},
		{{.kind = CALLER_TRUSTED}, 4, 4},
		{{.kind = CALLER_TRUSTED}, 1, 0},
	};
	struct history_inquiry i[28];
	struct fixture f;
	size_t n = 0;

	(void)state;
	begin(&f);
	listen_at(&f, 8);
	for (size_t k = 0; k < ARRAY_SIZE(cases); k++) {
		size_t places = 0;

		for (size_t j = 0; j < cases[k].asks; j++, n++) {
			i[n] = inquiry_of(USAGE_USER);
			i[n].wait.caller = cases[k].caller;
			add(&f, &i[n]);
			places += !i[n].wait.is_done;
		}
		if (places != cases[k].places)
			fail_msg("%zu: %zu places", k, places);
	}
	source_link_remove(&f.link.link, &i[6].wait); /* of uid 1000, which may ask again */
	i[8].wait.is_done = false;
	add(&f, &i[8]);
	assert_false(i[8].wait.is_done);
	end(&f);
}

/* Root does not wait for all others, but for the one that is being answered. */
static void trusted_callers_come_first(void **state)
{
	struct history_inquiry a = inquiry_of(USAGE_USER), b = a, c = a, d = a;
	struct fixture f;

	(void)state;
	begin(&f);
	listen_at(&f, 8);
	c.wait.caller.kind = d.wait.caller.kind = CALLER_TRUSTED;
	add(&f, &a);
	add(&f, &b);
	add(&f, &c);
	add(&f, &d);
	assert_ptr_equal(f.link.link.first, &a.wait);
	assert_ptr_equal(a.wait.next, &c.wait);
	assert_ptr_equal(c.wait.next, &d.wait);
	assert_ptr_equal(d.wait.next, &b.wait);
	assert_null(b.wait.next);
	end(&f);
}

/* An answer that is none, or of no use, ends the inquiry with a reason. */
static void explains_bad_answers(void **state)
{
	static const struct {
		struct usage_head head;
		bool has_uid;
		const char *problem;
	} heads[] = {
		{{.status = USAGE_BROKEN, .first_s = -1}, false,
			"memtally-ledger cannot read its file"},
		{{.status = USAGE_BAD_REQUEST, .first_s = -1}, true,
			"memtally-ledger does not show usage to the user of this memtally-web; "},
		{{.flags = USAGE_OWN_ONLY, .since_s = T0, .until_s = T0 + 300, .first_s = T0},
			false,
			"memtally-ledger does not show usage to the user of this memtally-web; "},
		{{.flags = USAGE_OWN_ONLY, .since_s = T0, .until_s = T0 + 300, .first_s = -1}, true,
			""},
		{{.flags = USAGE_FAILING, .since_s = T0, .until_s = T0 + 300, .first_s = -1}, false,
			"memtally-ledger cannot write its file: recent usage is missing"},
	};
	static const char noise[] = "this is no answer of memtally-ledger";

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(heads); k++) {
		struct history_inquiry i = inquiry_of(USAGE_USER);
		struct fixture f;

		begin(&f);
		listen_at(&f, 8);
		i.has_uid = heads[k].has_uid;
		add(&f, &i);
		receive(&f);
		answer_head(&f, &heads[k].head);
		assert_true(i.wait.is_done);
		if (strncmp(i.wait.problem, heads[k].problem, strlen(heads[k].problem)) != 0 ||
			(!*heads[k].problem && *i.wait.problem))
			fail_msg("%zu: %s", k, i.wait.problem);
		ring_done(&i.ledger);
		end(&f);
	}
	for (unsigned int k = 0; k < 2; k++) {
		struct history_inquiry i = inquiry_of(USAGE_USER);
		struct fixture f;

		begin(&f);
		listen_at(&f, 8);
		add(&f, &i);
		receive(&f);
		if (k)
			assert_true(send(f.server, noise, sizeof(noise), MSG_NOSIGNAL) > 0);
		else
			f.server = fd_close(f.server);
		run(&f);
		assert_true(i.wait.is_done);
		assert_string_equal(i.wait.problem,
			k ? "memtally-ledger's answer cannot be understood: is it of another version?"
			  : "memtally-ledger has closed the connection");
		end(&f);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(asks_step_by_step),
		cmocka_unit_test(answers_one_after_the_other),
		cmocka_unit_test(skips_the_time_before_the_ledger),
		cmocka_unit_test(takes_the_boundaries_of_the_ledger),
		cmocka_unit_test(explains_a_ledger_that_does_not_run),
		cmocka_unit_test(gives_up_in_time),
		cmocka_unit_test(waits_for_a_place_in_the_queue),
		cmocka_unit_test(takes_the_metric_of_the_question),
		cmocka_unit_test(says_that_points_were_dropped),
		cmocka_unit_test(limits_the_queue),
		cmocka_unit_test(limits_each_caller),
		cmocka_unit_test(trusted_callers_come_first),
		cmocka_unit_test(explains_bad_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
