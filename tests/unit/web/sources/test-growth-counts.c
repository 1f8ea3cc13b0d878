/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/sources/growth-counts.h, with a socket at which the test answers, and a simulated clock. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/web/recorder-socket.h"
#include "web/sources/growth-counts.h"

struct fixture {
	struct recorder_socket socket;
	struct recorder_link link;
	struct growth_counts counts;
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
	growth_counts_done(&f->counts, &f->link);
	recorder_link_done(&f->link);
	recorder_socket_done(&f->socket);
}

static void run(struct fixture *f)
{
	recorder_link_run(&f->link, f->socket.path, f->now_ns);
	growth_counts_run(&f->counts, &f->link, f->socket.path, f->now_ns);
}

/* Receives the question, and answers with HEAD. */
static void answer(struct fixture *f, const struct past_head *head)
{
	struct past_request r = recorder_socket_receive(&f->socket);

	assert_int_equal(r.pick, PAST_GROWTH);
	assert_false(r.has_uid);
	recorder_socket_answer(&f->socket, head, NULL, NULL);
	run(f);
}

static const struct past_head known = {
	.flags = PAST_HAS_GROWTH, .growth = {{.none = 1}, {.watch = 2}, {.leak = 3}, {.none = 4}}};

static void asks_once_a_minute(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	recorder_socket_listen(&f.socket);
	run(&f);
	assert_false(f.counts.is_known);
	answer(&f, &known);
	assert_true(f.counts.is_known);
	assert_memory_equal(f.counts.growth, known.growth, sizeof(known.growth));
	f.now_ns += GROWTH_COUNTS_EACH_NS - 1;
	run(&f);
	assert_false(recorder_socket_is_asked(&f.socket));
	f.now_ns++;
	run(&f);
	assert_true(recorder_socket_is_asked(&f.socket));
	assert_true(f.counts.is_known);
	end(&f);
}

static void forgets_what_the_recorder_does_not_know(void **state)
{
	static const struct past_head cases[] = {
		{.status = PAST_GOOD},
		{.status = PAST_BUSY},
		{.status = PAST_BAD_REQUEST},
		{.status = PAST_DAMAGED, .flags = PAST_HAS_GROWTH},
	};
	struct fixture f;

	(void)state;
	begin(&f);
	recorder_socket_listen(&f.socket);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		run(&f);
		answer(&f, &known);
		assert_true(f.counts.is_known);
		f.now_ns += GROWTH_COUNTS_EACH_NS;
		run(&f);
		answer(&f, &cases[i]);
		assert_false(f.counts.is_known);
		f.now_ns += GROWTH_COUNTS_EACH_NS;
	}
	end(&f);
}

static void forgets_when_the_recorder_is_down(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	f.counts.is_known = true;
	f.counts.until_ns = UINT64_MAX;
	run(&f);
	assert_false(f.counts.is_known);
	end(&f);
}

/* A recorder that waits for its disk answers late. */
static void keeps_counts_for_a_time_without_an_answer(void **state)
{
	struct fixture f;
	uint64_t until_ns;

	(void)state;
	begin(&f);
	recorder_socket_listen(&f.socket);
	run(&f);
	answer(&f, &known);
	until_ns = f.now_ns + GROWTH_COUNTS_KEPT_NS;
	while (f.counts.is_known) {
		f.now_ns += GROWTH_COUNTS_EACH_NS;
		run(&f);
		f.now_ns += SOURCE_LINK_TIMEOUT_NS;
		run(&f);
		assert_null(f.counts.question);
		assert_int_equal(f.counts.is_known, f.now_ns < until_ns);
	}
	assert_memory_equal(f.counts.growth, known.growth, sizeof(known.growth));
	end(&f);
}

static void ends_while_a_question_waits(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	recorder_socket_listen(&f.socket);
	run(&f);
	assert_non_null(f.counts.question);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(asks_once_a_minute),
		cmocka_unit_test(forgets_what_the_recorder_does_not_know),
		cmocka_unit_test(forgets_when_the_recorder_is_down),
		cmocka_unit_test(keeps_counts_for_a_time_without_an_answer),
		cmocka_unit_test(ends_while_a_question_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
