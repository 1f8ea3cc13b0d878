/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of web/sources/recorder-link.h, with a socket at which the test answers, and a simulated
 * clock.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "snapshot/owner.h"
#include "tests/unit/support/web/recorder-socket.h"
#include "web/sources/recorder-link.h"

#define T0 SAMPLE_REALTIME_NS

static const struct caller root = {.kind = CALLER_TRUSTED};

struct fixture {
	struct recorder_socket socket;
	struct recorder_link link;
	uint64_t now_ns;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){.now_ns = 1000 * NS_PER_SEC};
	recorder_socket_init(&f->socket);
	recorder_link_init(&f->link);
}

static void end(struct fixture *f)
{
	recorder_link_done(&f->link);
	recorder_socket_done(&f->socket);
}

static struct recorder_question *ask_as(
	struct fixture *f, const struct caller *c, enum past_pick pick, uint64_t at_ns)
{
	struct recorder_question *q = recorder_question_new(
		c, &(struct past_request){.pick = pick, .at_ns = at_ns});

	assert_non_null(q);
	recorder_link_add(&f->link, f->socket.path, q, f->now_ns);
	return q;
}

static struct recorder_question *ask(struct fixture *f, uint64_t at_ns)
{
	return ask_as(f, &root, PAST_AT, at_ns);
}

/* Answers with the snapshot of T0 + AT_S; the next one is at T0 + AFTER_S; 0: there is none. */
static void answer(struct fixture *f, uint64_t at_s, uint64_t after_s)
{
	const struct past_head head = {.first_ns = T0,
		.last_ns = T0 + 100 * NS_PER_SEC,
		.at_ns = T0 + at_s * NS_PER_SEC,
		.after_ns = after_s ? T0 + after_s * NS_PER_SEC : 0};

	recorder_socket_receive(&f->socket);
	recorder_socket_answer(&f->socket, &head, NULL, NULL);
	recorder_link_run(&f->link, f->socket.path, f->now_ns);
}

static void asks_for_what_the_caller_may_see(void **state)
{
	static const struct {
		struct caller caller;
		bool has_uid;
		uint32_t uid;
	} cases[] = {
		{{.kind = CALLER_TRUSTED}, false, 0},
		{{.kind = CALLER_ANYBODY}, false, 0},
		{{.kind = CALLER_USER, .uid = 1000}, true, 1000},
		{{.kind = CALLER_STRANGER}, true, OWNER_NO_ID},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct recorder_question *q;
		struct past_request r;
		struct fixture f;

		begin(&f);
		recorder_socket_listen(&f.socket);
		q = ask_as(&f, &cases[i].caller, PAST_AT, T0);
		assert_false(q->wait.is_done);
		r = recorder_socket_receive(&f.socket);
		assert_int_equal(r.pick, PAST_AT);
		assert_int_equal(r.at_ns, T0);
		assert_int_equal(r.has_uid, cases[i].has_uid);
		assert_int_equal(r.has_uid ? r.uid : 0, cases[i].uid);
		recorder_socket_answer(&f.socket, &(struct past_head){.at_ns = T0}, NULL, NULL);
		recorder_link_run(&f.link, f.socket.path, f.now_ns);
		assert_true(q->wait.is_done);
		assert_string_equal(q->wait.problem, "");
		assert_int_equal(q->view->header->sequence, SAMPLE_SEQUENCE);
		recorder_question_free(q);
		end(&f);
	}
}

/* A page asks for several lists of one moment. */
static void keeps_snapshots(void **state)
{
	static const struct caller alice = {.kind = CALLER_USER, .uid = 1000};
	struct recorder_question *first, *waiting, *q;
	struct fixture f;

	(void)state;
	begin(&f);
	recorder_socket_listen(&f.socket);
	first = ask(&f, T0 + 15 * NS_PER_SEC);
	waiting = ask(&f, T0 + 19 * NS_PER_SEC);
	answer(&f, 10, 20);
	assert_true(first->wait.is_done && first->view);
	/* The answer that has come is that of the question that waited. */
	assert_true(waiting->wait.is_done);
	assert_ptr_equal(waiting->view, first->view);
	assert_int_equal(waiting->head.after_ns, T0 + 20 * NS_PER_SEC);
	f.now_ns += 3600 * NS_PER_SEC;
	q = ask(&f, T0 + 10 * NS_PER_SEC);
	assert_ptr_equal(q->view, first->view);
	recorder_question_free(q);
	recorder_question_free(waiting);

	/* Other times and other callers are asked for. */
	q = ask(&f, T0 + 20 * NS_PER_SEC);
	assert_false(q->wait.is_done);
	answer(&f, 20, 30);
	assert_true(q->wait.is_done);
	recorder_question_free(q);
	q = ask(&f, T0 + 10 * NS_PER_SEC - 1);
	assert_false(q->wait.is_done);
	answer(&f, 0, 10);
	recorder_question_free(q);
	q = ask_as(&f, &alice, PAST_AT, T0 + 15 * NS_PER_SEC);
	assert_false(q->wait.is_done);
	answer(&f, 10, 20);
	recorder_question_free(q);
	recorder_question_free(first);
	end(&f);
}

/* There will be a newer snapshot soon, and another OOM kill perhaps. */
static void keeps_the_newest_for_a_second(void **state)
{
	static const enum past_pick picks[] = {PAST_AT, PAST_OOM};
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(picks); i++) {
		struct recorder_question *q;

		begin(&f);
		recorder_socket_listen(&f.socket);
		q = ask_as(&f, &root, picks[i], T0 + 15 * NS_PER_SEC);
		answer(&f, 10, 0);
		recorder_question_free(q);
		f.now_ns += NS_PER_SEC - 1;
		q = ask_as(&f, &root, picks[i], T0 + 15 * NS_PER_SEC);
		assert_true(q->wait.is_done);
		recorder_question_free(q);
		q = ask_as(&f, &root, picks[i], T0 + 15 * NS_PER_SEC + 1);
		assert_false(q->wait.is_done);
		answer(&f, 10, 0);
		recorder_question_free(q);
		f.now_ns += NS_PER_SEC;
		q = ask_as(&f, &root, picks[i], T0 + 15 * NS_PER_SEC);
		assert_false(q->wait.is_done);
		source_link_remove(&f.link.link, &q->wait);
		recorder_question_free(q);
		end(&f);
	}
}

static void keeps_a_few_snapshots(void **state)
{
	struct fixture f;
	size_t kept = 0;

	(void)state;
	begin(&f);
	recorder_socket_listen(&f.socket);
	for (uint64_t i = 0; i < 3 * RECORDER_LINK_KEPT; i++) {
		struct recorder_question *q = ask(&f, T0 + 10 * i * NS_PER_SEC);

		answer(&f, 10 * i, 10 * i + 10);
		assert_true(q->wait.is_done);
		recorder_question_free(q);
	}
	for (size_t i = 0; i < RECORDER_LINK_KEPT; i++)
		kept += f.link.kept[i].view != NULL;
	assert_int_equal(kept, RECORDER_LINK_KEPT);
	/* The last ones. */
	for (uint64_t i = 2 * RECORDER_LINK_KEPT; i < 3 * RECORDER_LINK_KEPT; i++) {
		struct recorder_question *q = ask(&f, T0 + 10 * i * NS_PER_SEC);

		assert_true(q->wait.is_done);
		recorder_question_free(q);
	}
	end(&f);
}

static void gives_marks(void **state)
{
	static const struct past_point points[] = {
		{.at_ns = T0, .marks = PAST_MARK_START}, {.at_ns = T0 + 5, .marks = PAST_MARK_OOM}};
	const struct past_head head = {.points = 2, .first_ns = T0, .last_ns = T0 + 9};
	struct recorder_question *q;
	struct fixture f;

	(void)state;
	begin(&f);
	recorder_socket_listen(&f.socket);
	q = ask_as(&f, &root, PAST_MARKS, 0);
	recorder_socket_receive(&f.socket);
	recorder_socket_answer(&f.socket, &head, points, NULL);
	recorder_link_run(&f.link, f.socket.path, f.now_ns);
	assert_true(q->wait.is_done);
	assert_null(q->view);
	assert_int_equal(q->head.points, 2);
	assert_int_equal(q->points[1].marks, PAST_MARK_OOM);
	recorder_question_free(q);
	end(&f);
}

static void explains_failures(void **state)
{
	struct recorder_question *q;
	char expected[SOURCE_PROBLEM_SIZE];
	struct fixture f;

	(void)state;
	begin(&f);
	q = ask(&f, T0);
	assert_true(q->wait.is_done);
	snprintf(expected, sizeof(expected),
		"memtally-recorder does not answer at %s: No such file or directory",
		f.socket.path);
	assert_string_equal(q->wait.problem, expected);
	recorder_question_free(q);

	recorder_socket_listen(&f.socket);
	q = ask(&f, T0);
	recorder_socket_receive(&f.socket);
	f.socket.server = fd_close(f.socket.server);
	recorder_link_run(&f.link, f.socket.path, f.now_ns);
	assert_true(q->wait.is_done);
	assert_string_equal(q->wait.problem,
		"the answer of memtally-recorder is of no use: memtally-recorder closed the "
		"connection");
	recorder_question_free(q);

	q = ask(&f, T0);
	f.now_ns += SOURCE_LINK_TIMEOUT_NS;
	recorder_link_run(&f.link, f.socket.path, f.now_ns);
	assert_true(q->wait.is_done);
	assert_string_equal(q->wait.problem, "memtally-recorder did not answer in time");
	recorder_question_free(q);
	end(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(asks_for_what_the_caller_may_see),
		cmocka_unit_test(keeps_snapshots),
		cmocka_unit_test(keeps_the_newest_for_a_second),
		cmocka_unit_test(keeps_a_few_snapshots),
		cmocka_unit_test(gives_marks),
		cmocka_unit_test(explains_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
