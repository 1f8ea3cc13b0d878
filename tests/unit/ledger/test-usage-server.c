/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the questions of the ledger's socket; tests/unit/service/test-question-server tests turns. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "ledger/usage-server.h"

static struct usage_request asked;
static bool is_good;
static struct store_reader shown;

static void answer(void *context, const struct usage_request *request,
	const struct store_reader *reader, struct buffer *to)
{
	assert_ptr_equal(context, &asked);
	is_good = request;
	if (request)
		asked = *request;
	shown = *reader;
	buffer_add_text(to, "x");
}

static struct usage_server_context context = {.answer = answer, .context = &asked};

/* Asks for the rows of UID, if HAS_UID, with LEN bytes; returns whether that ends the connection. */
static bool ask(const struct question_reader *reader, bool has_uid, uint32_t uid, size_t len)
{
	const struct usage_request r = {
		.kind = USAGE_UNIT, .since_s = 1, .until_s = 2, .has_uid = has_uid, .uid = uid};
	struct question_reply reply = {.fd = -1};
	unsigned char text[USAGE_REQUEST_SIZE];

	usage_request_write(&r, text);
	usage_server_service.answer(
		&context, &(struct question){.data = text, .len = len, .reader = *reader}, &reply);
	assert_int_equal(reply.bytes.len, 1);
	assert_int_equal(is_good, !reply.is_last);
	buffer_done(&reply.bytes);
	return reply.is_last;
}

static void answers_with_the_rows_that_the_client_may_see(void **state)
{
	const struct question_reader all = {.sees_all = true, .uid = 5}, bob = {.uid = 1001};

	(void)state;
	assert_false(ask(&all, false, 0, USAGE_REQUEST_SIZE));
	assert_int_equal(asked.kind, USAGE_UNIT);
	assert_true(shown.sees_all);
	assert_false(ask(&all, true, 1001, USAGE_REQUEST_SIZE));
	assert_false(shown.sees_all);
	assert_int_equal(shown.uid, 1001);
	assert_false(ask(&bob, false, 0, USAGE_REQUEST_SIZE));
	assert_false(shown.sees_all);
	assert_int_equal(shown.uid, 1001);
	assert_false(ask(&bob, true, 1001, USAGE_REQUEST_SIZE));
}

static void refuses_other_questions(void **state)
{
	const struct question_reader bob = {.uid = 1001};

	(void)state;
	assert_true(ask(&bob, true, 1002, USAGE_REQUEST_SIZE));
	assert_true(ask(&bob, false, 0, USAGE_REQUEST_SIZE - 1));
	assert_true(ask(&bob, false, 0, 0));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_with_the_rows_that_the_client_may_see),
		cmocka_unit_test(refuses_other_questions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
