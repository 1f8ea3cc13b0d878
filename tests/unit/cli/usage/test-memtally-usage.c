/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memtally usage, with a server that stands in for memtally-ledger.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/usage/usage.h"
#include "snapshot/usage.h"
#include "tests/unit/support/cli/invoked.h"

/* 2026-08-01; before it only days are kept. */
#define FINE_S INT64_C(1785542400)

static int64_t boundary(int64_t s)
{
	return s >= FINE_S ? s : (s + 43200) / 86400 * 86400;
}

/* The start of the ledger's data. */
static int64_t first_s;

/* One user with 1 GiB all the time. */
static void answer(const struct usage_request *request, struct buffer *to)
{
	struct usage_head head = {
		.since_s = boundary(request->since_s),
		.until_s = boundary(request->until_s),
		.now_s = FINE_S + 10 * 86400,
		.first_s = first_s,
		.written_s = FINE_S + 10 * 86400,
	};
	uint64_t seconds = (uint64_t)(head.until_s - head.since_s);
	const struct usage_row row = {
		.id = 1000, .present = 1, .q = {seconds << 20}, .name = "alice", .user = ""};

	head.covered_ms = head.sampled_ms = seconds * 1000;
	head.rows = seconds > 0;
	usage_begin(to);
	if (head.rows)
		usage_add(to, &row);
	usage_end(to, &head);
}

struct service {
	int delay_ms;
	bool is_whole;
};

/*
 * Answers each question of CLIENT after a delay: with a whole answer, or with a head and then a
 * byte after each further delay.
 */
static void serve(int client, const void *context)
{
	const struct service *service = context;
	unsigned char text[USAGE_REQUEST_SIZE];
	struct usage_request request;
	ssize_t n;

	while ((n = recv(client, text, sizeof(text), 0)) > 0) {
		AUTO_BUFFER struct buffer to = {0};
		size_t at = 0, len;

		if (usage_request_parse(text, (size_t)n, &request) < 0)
			_exit(1);
		answer(&request, &to);
		for (; at < to.len; at += len) {
			len = service->is_whole ? to.len : at ? 1 : USAGE_HEAD_SIZE;
			poll(NULL, 0, service->delay_ms);
			if (send(client, (char *)to.data + at, len, MSG_NOSIGNAL) != (ssize_t)len)
				return;
		}
	}
}

static void ask(const char *per, const char *since, const char *until, const char *form,
	struct running *ret)
{
	const char *const args[INVOKED_ARGS] = {
		"usage", "--ledger.socket=ledger", per, since, until, form};
	pid_t server = stand_in_start("ledger", serve, &(struct service){.is_whole = true});

	setenv("TZ", "UTC", 1);
	invoked_run(args, ret);
	stand_in_end(server, "ledger");
}

static void send_text(int client, const void *text)
{
	stand_in_send_text(client, text);
	stand_in_await_end(client);
}

#define REFUSAL "memtally: error: no usage from memtally-ledger: ledger: "

/*
 * A message that does not begin an answer, such as the single byte that memtallyd sends with each
 * snapshot, is of another program: more of them make no answer. Another version of memtally-ledger
 * has another remedy.
 */
static void usage_refuses_another_service(void **state)
{
	char head[USAGE_HEAD_SIZE + 1] = "";
	const struct {
		const char *text, *said;
	} cases[] = {
		{"M", REFUSAL "not memtally-ledger (check --ledger.socket)\n"},
		{"HTTP/1.1 400 Bad Request\r\n\r\n",
			REFUSAL "not memtally-ledger (check --ledger.socket)\n"},
		{head, REFUSAL "it has another version (restart memtally-ledger after the "
			       "upgrade)\n"},
	};
	static const char *const args[INVOKED_ARGS] = {"usage", "--ledger.socket=ledger"};

	(void)state;
	snprintf(head, sizeof(head), "%-*s", USAGE_HEAD_SIZE, "MTUSAGR0");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t began_ns = clock_now_ns(CLOCK_MONOTONIC);
		pid_t server = stand_in_start("ledger", send_text, cases[i].text);
		AUTO_RUNNING struct running r = {0};

		invoked_run(args, &r);
		stand_in_end(server, "ledger");
		assert_int_equal(r.status, 1);
		running_check_says(&r, cases[i].said);
		assert_true(clock_now_ns(CLOCK_MONOTONIC) - began_ns < 15 * NS_PER_SEC);
	}
}

static bool says(const struct running *r, const char *what)
{
	return strstr(r->err.data, what) != NULL;
}

/*
 * If some of the hours asked for are kept as days only, at the ends or in the middle of the time,
 * memtally says so.
 */
static void warns_if_hours_are_kept_as_days(void **state)
{
	static const char coarse[] = "; part of that time is recorded in larger spans",
			  misnamed[] =
				  "warning: part of that time is not recorded by local hours: ";

	(void)state;
	for (int i = 0; i < 2; i++) {
		AUTO_RUNNING struct running r = {0};

		ask("--per=hour", "--since=2026-07-31", "--until=2026-08-01 02:00",
			i ? "--csv" : NULL, &r);
		assert_int_equal(r.status, 0);
		assert_true(says(&r, "usage from 2026-07-31 00:00 to 2026-08-01 02:00"));
		assert_true(says(&r, coarse));
		assert_true(says(&r, misnamed));
		if (!i) {
			running_check_prints(
				&r, "\n2026-07-31 00:00 to 2026-08-01 00:00    24.000 ");
			running_check_prints(
				&r, "\n2026-08-01 00:00                         1.000 ");
			assert_null(strstr(r.out.data, "\n2026-07-31 11:00"));
		}
	}
	for (int i = 0; i < 3; i++) {
		static const char *const pers[] = {"--per=hour", "--per=day", "--per=all"};
		AUTO_RUNNING struct running r = {0};

		ask(pers[i], i ? "--since=2026-07-30" : "--since=2026-08-01",
			"--until=2026-08-01 02:00", NULL, &r);
		assert_int_equal(r.status, 0);
		assert_false(says(&r, coarse) || says(&r, misnamed));
	}
}

/*
 * Without --since the time begins with the ledger, if that is in it: the rest is not covered. Hours
 * keep their names.
 */
static void time_begins_with_the_ledger(void **state)
{
	static const struct {
		int64_t first_s;
		const char *per, *since, *says, *prints;
	} cases[] = {
		{FINE_S + 7200, "--per=all", "--since=2026-08-01",
			"usage from 2026-08-01 00:00 to 2026-08-01 03:00; the ledger begins at "
			"2026-08-01 02:00\n",
			"\n    3.000 "},
		{FINE_S + 7200, "--per=all", "--limit=9",
			"usage from 2026-08-01 02:00, when the ledger begins, to 2026-08-01 03:00\n",
			"\n    1.000 "},
		{FINE_S, "--per=all", "--limit=9",
			"usage from 2026-08-01 00:00, when the ledger begins, to 2026-08-01 03:00\n",
			"\n    3.000 "},
		{0, "--per=all", "--limit=9",
			"usage from 2026-07-31 00:00 to 2026-08-01 03:00; part of that time ",
			"\n   27.000 "},
		{FINE_S + 7200, "--per=hour", "--limit=9", "; the ledger begins at ",
			"\n2026-08-01 01:00                         1.000 "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_RUNNING struct running r = {0};

		first_s = cases[i].first_s;
		ask(cases[i].per, cases[i].since, "--until=2026-08-01 03:00", NULL, &r);
		first_s = 0;
		assert_int_equal(r.status, 0);
		running_check_says(&r, cases[i].says);
		running_check_prints(&r, cases[i].prints);
	}
}

/* The time is shorter than the slots that are kept. */
static void refuses_hours_within_a_day(void **state)
{
	AUTO_RUNNING struct running r = {0};

	(void)state;
	ask("--per=hour", "--since=2026-07-31 13:00", "--until=2026-07-31 15:00", NULL, &r);
	assert_int_equal(r.status, 1);
	assert_true(says(&r, "that time is too short: the ledger only has larger spans of it"));
}

/*
 * The time is limited for all answers together: neither a message in time nor a whole answer in
 * time makes more of it.
 */
static void waits_no_longer_for_many_messages(void **state)
{
	enum { DELAY_MS = 200, TIMEOUT_MS = 500, PARTS = 8 };

	(void)state;
	for (int is_whole = 0; is_whole < 2; is_whole++) {
		const struct service service = {.delay_ms = DELAY_MS, .is_whole = is_whole};
		pid_t server = stand_in_start("ledger", serve, &service);
		uint64_t began_ns = clock_now_ns(CLOCK_MONOTONIC);
		AUTO_USAGE_TABLE struct usage_table table = {.kind = USAGE_USER};
		int r;

		table.parts = is_whole ? PARTS : 1;
		table.part = calloc(table.parts, sizeof(*table.part));
		assert_non_null(table.part);
		for (size_t i = 0; i < table.parts; i++)
			table.part[i].period = (struct period){.from_s = FINE_S + (int64_t)i * 3600,
				.to_s = FINE_S + (int64_t)(i + 1) * 3600};
		r = usage_ask("ledger", TIMEOUT_MS * NS_PER_MSEC, &table);
		stand_in_end(server, "ledger");
		assert_int_equal(r, -ETIMEDOUT);
		assert_true(clock_now_ns(CLOCK_MONOTONIC) - began_ns >= TIMEOUT_MS * NS_PER_MSEC);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(warns_if_hours_are_kept_as_days),
		cmocka_unit_test(time_begins_with_the_ledger),
		cmocka_unit_test(refuses_hours_within_a_day),
		cmocka_unit_test(usage_refuses_another_service),
		cmocka_unit_test(waits_no_longer_for_many_messages),
	};

	return cmocka_run_group_tests(tests, invoked_enter, invoked_leave);
}
