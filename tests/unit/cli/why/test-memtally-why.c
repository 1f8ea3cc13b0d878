/* SPDX-License-Identifier: Apache-2.0 */
/* memtally why, with a server that stands in for memtally-recorder and has one episode. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <sys/socket.h>

#include "base/clock.h"
#include "base/os/channel.h"
#include "snapshot/past.h"
#include "tests/unit/support/cli/episode.h"
#include "tests/unit/support/cli/invoked.h"

#define SOCKET "recorder"
#define OPTION "--recorder.socket=" SOCKET

enum { NO_SNAPSHOT = EPISODE_SNAPSHOTS };

struct recorder {
	struct episode episode;
	uint32_t mark[EPISODE_SNAPSHOTS];
	size_t points_max; /* marks in an answer; more are cut off */
	size_t damaged;    /* the number of a damaged snapshot; 0: none */
	uint32_t flags;    /* of answers */
	bool is_empty;
};

static void reply(int client, const struct past_head *head, const struct past_point *points, int fd)
{
	AUTO_BUFFER struct buffer text = {0};

	past_answer_write(head, points, &text);
	if (channel_send(client, text.data, text.len, fd) < 0)
		_exit(1);
}

static void reply_marks(
	int client, const struct recorder *r, const struct past_request *q, struct past_head *head)
{
	struct past_point point[EPISODE_SNAPSHOTS] = {{0}};

	struct past_point *first = point + EPISODE_SNAPSHOTS;

	for (size_t i = r->episode.snapshots; i-- > 0;) {
		uint64_t at_ns = episode_time_ns(&r->episode, i);

		if (!r->mark[i] || at_ns < q->at_ns || at_ns > q->until_ns)
			continue;
		if (head->points == r->points_max) {
			head->flags |= PAST_CUT;
			break;
		}
		*--first = (struct past_point){.at_ns = at_ns, .marks = r->mark[i]};
		head->points++;
	}
	reply(client, head, first, CHANNEL_NO_FD);
}

/* Returns the number of the snapshot that Q asks for. */
static size_t choose(const struct episode *e, const struct past_request *q)
{
	size_t found = NO_SNAPSHOT;

	for (size_t i = 0; i < e->snapshots; i++) {
		uint64_t at_ns = episode_time_ns(e, i);

		if (q->pick == PAST_AFTER && at_ns > q->at_ns)
			return i;
		if ((q->pick == PAST_AT && at_ns <= q->at_ns) ||
			(q->pick == PAST_BEFORE && at_ns < q->at_ns))
			found = i;
	}
	return found;
}

static void answer(int client, const struct recorder *r, const struct past_request *q)
{
	const struct episode *e = &r->episode;
	struct past_head head = {.flags = r->flags};
	size_t i = choose(e, q);

	if (!r->is_empty) {
		head.first_ns = episode_time_ns(e, 0);
		head.last_ns = episode_time_ns(e, e->snapshots - 1);
	}
	if (q->pick == PAST_MARKS) {
		reply_marks(client, r, q, &head);
	} else if (q->pick == PAST_COVERAGE && !r->is_empty) {
		reply(client, &head, NULL, CHANNEL_NO_FD);
	} else if (i == NO_SNAPSHOT || r->is_empty) {
		head.status = PAST_NONE;
		reply(client, &head, NULL, CHANNEL_NO_FD);
	} else if (r->damaged && i == r->damaged) {
		head.status = PAST_DAMAGED;
		reply(client, &head, NULL, CHANNEL_NO_FD);
	} else {
		AUTO_CLOSE int fd = episode_seal(e, i);

		head.at_ns = episode_time_ns(e, i);
		head.marks = r->mark[i];
		reply(client, &head, NULL, fd);
	}
}

static void serve(int client, const void *context)
{
	unsigned char text[PAST_REQUEST_SIZE];
	struct past_request q;
	ssize_t n;

	while ((n = recv(client, text, sizeof(text), 0)) > 0) {
		if (past_request_parse(text, (size_t)n, &q) < 0)
			_exit(1);
		answer(client, context, &q);
	}
}

static void ask(const struct recorder *r, const char *one, const char *two, struct running *ret)
{
	const char *const args[INVOKED_ARGS] = {"why", OPTION, one ? one : two, one ? two : NULL};
	pid_t server = stand_in_start(SOCKET, serve, r);

	setenv("TZ", "UTC", 1);
	invoked_run(args, ret);
	stand_in_end(server, SOCKET);
}

static void begin(struct recorder *r)
{
	*r = (struct recorder){.points_max = EPISODE_SNAPSHOTS};
	episode_of_kill(&r->episode);
	r->mark[4] = r->mark[5] = PAST_MARK_PRESSURE;
	r->mark[6] = PAST_MARK_OOM | PAST_MARK_PRESSURE;
	r->mark[0] = PAST_MARK_START;
}

#define KILL                                                                                       \
	"2023-11-23 03:12:46 OOM kill in session-7.scope (user-1003.slice). In the 8 minutes "     \
	"before, python3 of uid 1003 (PID 4711) grew by 41.8 GiB.\n"

static void check(const struct recorder *r, const char *one, const char *two, const char *says)
{
	AUTO_RUNNING struct running got = {0};

	ask(r, one, two, &got);
	assert_int_equal(got.status, 0);
	running_check_says(&got, "");
	if (!strstr(got.out.data, says))
		fail_msg("'%s' is not in:\n%s", says, got.out.data);
}

static void explains_the_last_incident(void **state)
{
	struct recorder r;

	(void)state;
	begin(&r);
	check(&r, NULL, NULL, KILL);
	check(&r, "--oom=last", NULL, KILL);
	check(&r, "--at=oom", NULL, KILL);
	/* the snapshot after the kill tells all: no later one is asked for. The pressure before the kill is one with it */
	check(&r, NULL, NULL, "\nSources     7 snapshots of memtallyd, 02:57:46 to 03:12:46;");
	check(&r, NULL, NULL, "\nPressure    recorded from 03:11:46 to 03:12:46;");
	check(&r, "--json", NULL, "{\"version\":1,\"summary\":\"2023-11-23 03:12:46 OOM kill");
	check(&r, "--bytes", NULL, "grew by 44887441408 bytes.");
}

/* A recorder with few marks in an answer is asked again. */
static void asks_for_all_marks(void **state)
{
	struct recorder r;

	(void)state;
	begin(&r);
	r.points_max = 1;
	check(&r, NULL, NULL, KILL);
	check(&r, NULL, NULL, "\nPressure    recorded from 03:11:46 to 03:12:46;");
}

static void explains_a_moment(void **state)
{
	struct recorder r;

	(void)state;
	begin(&r);
	check(&r, "--at=2023-11-23 03:12", NULL, KILL);
	check(&r, "--at=2023-11-23 03:17:40", NULL, KILL);
	check(&r, "--at=2023-11-23 03:17:50", NULL,
		"2023-11-23 03:17:50 no OOM kill and no memory pressure is recorded.");
	/* how far the event is from the time */
	check(&r, "--at=2023-11-23 03:11:41", NULL,
		"\nAsked       for 03:11:41: the event was 65 seconds later; for that time itself: "
		"memtally processes --at '2023-11-23 03:11:41'\n");
	check(&r, "--at=2023-11-23 03:13:46", NULL,
		"\nAsked       for 03:13:46: the event was 60 seconds earlier; ");
	check(&r, "--at=2023-11-23 03:12:46", NULL, "\n\nOOM ");
	check(&r, "--at=2023-11-23 03:11:41", "--json", ",\"asked\":\"2023-11-23T03:11:41.");
	check(&r, "--at=2023-11-23 03:05", NULL,
		"2023-11-23 03:05:00 no OOM kill and no memory pressure is recorded. ");
	r.mark[6] = 0;
	r.episode.kills[6] = r.episode.kills[7] = r.episode.kills[5];
	check(&r, "--at=2023-11-23 03:12", NULL,
		"2023-11-23 03:11:46 memory pressure for 50 seconds, no OOM kill. In the");
}

/* Kills that follow each other have a page each. */
static void explains_each_kill_of_a_series(void **state)
{
	struct recorder r;

	(void)state;
	begin(&r);
	r.mark[7] = PAST_MARK_OOM;
	r.episode.kills[7] = r.episode.kills[6] + 1;
	r.episode.process[4].pss_mib[7] = 0; /* the last process of the cgroup, counter and all */
	check(&r, "--at=2023-11-23 03:12:46", NULL, KILL);
	check(&r, "--at=2023-11-23 03:12:46", NULL,
		"\n            other OOM kills, explained by --at: the next at 03:12:56\n");
	/* it happened between the snapshots of 03:12:46 and 03:12:56 */
	check(&r, "--at=2023-11-23 03:12:47", NULL, "2023-11-23 03:12:56 OOM kill on this host");
	check(&r, NULL, NULL, "2023-11-23 03:12:56 OOM kill on this host");
	check(&r, NULL, NULL, ", explained by --at: the one before at 03:12:46\n");
	check(&r, "--json", NULL, ",\"earlier_kill\":\"2023-11-23T03:12:46.000Z\"");
}

/* The counter of the cgroup is read after the kill, with the last snapshot. */
static void waits_for_the_counters_of_cgroups(void **state)
{
	struct recorder r;

	(void)state;
	begin(&r);
	r.episode.counter[0].kills[6] = 0;
	check(&r, NULL, NULL, KILL); /* that of the slice around it was read before */
	r.episode.counter[1].kills[6] = 2;
	check(&r, NULL, NULL, KILL);
}

/* The killed process has exited only in the snapshot after the one that shows the kill. */
static void waits_for_the_killed_process(void **state)
{
	struct recorder r;

	(void)state;
	begin(&r);
	r.episode.process[3].pss_mib[6] = 30000;
	check(&r, NULL, NULL, "in session-7.scope: killed, as the only one that is gone there");
	r.episode.process[3].pss_mib[7] = 20000;
	check(&r, NULL, NULL,
		"\n            1 killed in session-7.scope not exited yet, or in no snapshot\n");
}

static void check_fails(
	const struct recorder *r, const char *one, const char *two, int status, const char *says)
{
	AUTO_RUNNING struct running got = {0};

	ask(r, one, two, &got);
	assert_int_equal(got.status, status);
	running_check_says(&got, says);
	assert_string_equal(got.out.data, "");
}

#define COVERS " is recorded: the recording covers 2023-11-23 02:57:46 to 2023-11-23 03:12:56\n"

static void says_what_is_not_recorded(void **state)
{
	struct recorder r;

	(void)state;
	begin(&r);
	check_fails(&r, "--at=2023-11-23 02:00", NULL, 1,
		"memtally: error: no snapshot of that time" COVERS);
	r.mark[6] = PAST_MARK_PRESSURE;
	check_fails(&r, "--oom=last", NULL, 1, "memtally: error: no OOM kill" COVERS);
	memset(r.mark, 0, sizeof(r.mark));
	check_fails(
		&r, NULL, NULL, 1, "memtally: error: no OOM kill and no memory pressure" COVERS);
	r.is_empty = true;
	check_fails(&r, NULL, NULL, 1, "memtally: error: nothing is recorded yet\n");
	check_fails(
		&r, "--at=2023-11-23 02:00", NULL, 1, "memtally: error: nothing is recorded yet\n");
}

static void leaves_out_damaged_snapshots(void **state)
{
	AUTO_RUNNING struct running got = {0};
	struct recorder r;

	(void)state;
	begin(&r);
	r.damaged = 3;
	r.flags = PAST_FAILING;
	ask(&r, NULL, NULL, &got);
	assert_int_equal(got.status, 0);
	assert_non_null(strstr(got.out.data, KILL));
	assert_non_null(strstr(got.err.data, " damaged and "));
	assert_non_null(strstr(got.err.data,
		"memtally: warning: memtally-recorder cannot record at present: its log says "
		"why\n"));
}

static void shows_own_processes_alone(void **state)
{
	struct recorder r;

	(void)state;
	begin(&r);
	r.flags = PAST_OWN_ONLY;
	check(&r, NULL, NULL,
		"\n            your own processes only: root and group memtally see all\n");
}

static void refuses_wrong_options(void **state)
{
	struct recorder r;

	(void)state;
	begin(&r);
	check_fails(&r, "--oom=first", NULL, 2,
		"memtally: error: --oom: expected last, got 'first'; try --help\n");
	check_fails(&r, "--oom=last", "--at=03:12", 2,
		"memtally: error: --oom does not go with --at; try --help\n");
	check_fails(
		&r, "--csv", NULL, 2, "memtally: error: --csv does not go with why; try --help\n");
	check_fails(&r, "--user=alice", NULL, 2,
		"memtally: error: --user does not go with why; try --help\n");
	check_fails(&r, "last", NULL, 2,
		"memtally: error: unexpected argument 'last' after why; try --help\n");
	check_fails(&r, "08:32", NULL, 2,
		"memtally: error: unexpected argument '08:32' after why; use --at='08:32'\n");
	check_fails(&r, "--at=2200-01-01", NULL, 2,
		"memtally: error: --at is in the future; choose an earlier time, such as -15m\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(explains_the_last_incident),
		cmocka_unit_test(asks_for_all_marks),
		cmocka_unit_test(explains_a_moment),
		cmocka_unit_test(explains_each_kill_of_a_series),
		cmocka_unit_test(waits_for_the_counters_of_cgroups),
		cmocka_unit_test(waits_for_the_killed_process),
		cmocka_unit_test(says_what_is_not_recorded),
		cmocka_unit_test(leaves_out_damaged_snapshots),
		cmocka_unit_test(shows_own_processes_alone),
		cmocka_unit_test(refuses_wrong_options),
	};

	return cmocka_run_group_tests(tests, invoked_enter, invoked_leave);
}
