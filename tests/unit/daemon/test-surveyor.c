/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of daemon/surveyor.h with an invented pass: a list of processes, their outcomes, and a
 * budget that may be used up.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "collectors/pass/survey-iterator.h"
#include "daemon/surveyor.h"

#define HOUR_NS  (3600 * NS_PER_SEC)
#define START_NS (1000 * NS_PER_SEC)

enum { PERCENT_PPM = 10000, SHORT_NS = 2 * NS_PER_MSEC };

static const char ring[] = "7f0000000000-7f0000100000 rw-s 00000000 00:09 4711 socket:[4711]\n"
			   "Rss:                1024 kB\n"
			   "Pss:                 512 kB\n"
			   "Anonymous:             0 kB\n"
			   "VmFlags: rd wr sh mr mw me ms mm\n";

static const char mapping[] = "7f0000000000-7f0000100000 r-xp 00000000 08:01 7 /lib/a.so\n"
			      "Size:               1024 kB\n"
			      "Rss:                  64 kB\n"
			      "Pss:                  16 kB\n"
			      "Private_Dirty:         0 kB\n"
			      "Anonymous:             0 kB\n";

/* The sum of three processes of these exceeds what a sum can hold. */
static const char too_much[] = "7f0000000000-7f0000100000 r-xp 00000000 08:01 7 /lib/a.so\n"
			       "Rss:  9007199254740991 kB\n";

static struct {
	uint64_t now_ns, tick_ns; /* CLOCK_MONOTONIC, and how much each reading moves it */
	uint64_t cpu_ns, cost_ns; /* CPU time of the thread, and what each turn uses */
	bool is_broke;
	struct {
		pid_t pid;
		int outcome;
		unsigned int mappings;
		int error;           /* error of the first read of its stream; 0: none */
		unsigned int errors; /* how many of its streams fail in this way */
	} process[8];
	int error; /* error of the next read of the last stream */
	/*
	 * the process between survey_iterator_begin_reads() and survey_iterator_end_reads(); 0:
	 * none
	 */
	pid_t reading;
	pid_t blocked; /* the process reported to the pass as blocked, */
	size_t blocks; /* and how often */
	size_t processes;
	pid_t called[64];
	size_t calls;
	const char *text; /* smaps text of each mapping */
	uint64_t charged_ns;
	unsigned int holds;
	uint64_t hold_ns; /* of the last read */
	unsigned int exchanges;
	uint64_t read;    /* processes read, of the last survey result */
	uint64_t used_ns; /* CPU time, of the same */
	pid_t wanted[4];  /* processes for which the pass wants the drivers' memory */
	size_t wants;
	pid_t found[8]; /* processes for which it was reported, */
	size_t finds;
	uint64_t pss, vmalloc; /* and the last reported amounts */
	bool is_shown;         /* the last result was not empty */
} host;

uint64_t __wrap_clock_now_ns(clockid_t clock);
int __wrap_survey_iterator_next(struct pass *pass, pid_t after, struct survey_iterator_entry *ret);
uint64_t __wrap_survey_iterator_cpu_ns(const struct pass *pass);
bool __wrap_survey_iterator_may_spend(struct pass *pass);
void __wrap_survey_iterator_charge(struct pass *pass, uint64_t cpu_ns, uint64_t hold_ns);
void __wrap_survey_iterator_exchange(struct pass *pass, struct survey_result *c);
bool __wrap_survey_iterator_is_wanting(const struct pass *pass);
int __wrap_survey_iterator_wanted(struct pass *pass, struct survey_iterator_entry *ret);
void __wrap_survey_iterator_blocked(struct pass *pass, pid_t pid);
ssize_t __real_stream_read(
	struct stream *s, char *to, size_t size, uint64_t slice_ns, struct stream_piece *ret);
ssize_t __wrap_stream_read(
	struct stream *s, char *to, size_t size, uint64_t slice_ns, struct stream_piece *ret);
int __real_stream_probe(struct stream *s);
int __wrap_stream_probe(struct stream *s);
uint64_t __wrap_survey_iterator_begin_reads(struct pass *pass, pid_t pid);
void __wrap_survey_iterator_end_reads(struct pass *pass, pid_t pid, uint64_t begin_ns);
void __wrap_survey_iterator_found(struct pass *pass, pid_t pid, uint64_t pss, uint64_t vmalloc);

uint64_t __wrap_clock_now_ns(clockid_t clock)
{
	uint64_t cpu_ns = host.cpu_ns;

	if (clock == CLOCK_THREAD_CPUTIME_ID) {
		host.cpu_ns += host.cost_ns;
		return cpu_ns;
	}
	host.now_ns += host.tick_ns;
	return host.now_ns;
}

static int give_next(pid_t after, struct survey_iterator_entry *ret);

int __wrap_survey_iterator_next(struct pass *pass, pid_t after, struct survey_iterator_entry *ret)
{
	(void)pass;
	return give_next(after, ret);
}

bool __wrap_survey_iterator_is_wanting(const struct pass *pass)
{
	(void)pass;
	return host.wants > 0;
}

int __wrap_survey_iterator_wanted(struct pass *pass, struct survey_iterator_entry *ret)
{
	(void)pass;
	assert_true(host.wants > 0);
	return give_next(host.wanted[--host.wants] - 1, ret);
}

void __wrap_survey_iterator_found(struct pass *pass, pid_t pid, uint64_t pss, uint64_t vmalloc)
{
	(void)pass;
	assert_true(host.finds < ARRAY_SIZE(host.found));
	host.found[host.finds++] = pid;
	host.pss = pss;
	host.vmalloc = vmalloc;
}

void __wrap_survey_iterator_blocked(struct pass *pass, pid_t pid)
{
	(void)pass;
	host.blocked = pid;
	host.blocks++;
}

uint64_t __wrap_survey_iterator_begin_reads(struct pass *pass, pid_t pid)
{
	(void)pass;
	assert_int_equal(host.reading, 0);
	host.reading = pid;
	return 7 + (uint64_t)pid;
}

void __wrap_survey_iterator_end_reads(struct pass *pass, pid_t pid, uint64_t begin_ns)
{
	(void)pass;
	assert_int_equal(host.reading, pid);
	assert_int_equal(begin_ns, 7 + (uint64_t)pid);
	host.reading = 0;
}

/* Asserts that reads of S count for the user of its process. */
static void check_reading(const struct stream *s)
{
	assert_true(s->pid > 0);
	assert_int_equal(host.reading, s->pid);
}

int __wrap_stream_probe(struct stream *s)
{
	check_reading(s);
	return __real_stream_probe(s);
}

ssize_t __wrap_stream_read(
	struct stream *s, char *to, size_t size, uint64_t slice_ns, struct stream_piece *ret)
{
	int e = host.error;

	check_reading(s);
	host.error = 0;
	return e ? e : __real_stream_read(s, to, size, slice_ns, ret);
}

static int give_next(pid_t after, struct survey_iterator_entry *ret)
{
	for (size_t i = 0; i < host.processes; i++) {
		if (host.process[i].pid <= after)
			continue;
		*ret = (struct survey_iterator_entry){
			.pid = host.process[i].pid, .user = 1000, .stream = STREAM_CLOSED};
		host.called[host.calls++] = ret->pid;
		assert_true(host.calls < ARRAY_SIZE(host.called));
		if (host.process[i].outcome)
			return host.process[i].outcome;
		stream_set(&ret->stream, memfd_create("smaps", MFD_CLOEXEC));
		assert_true(stream_is_open(&ret->stream));
		ret->stream.pid = ret->pid;
		for (unsigned int k = 0; k < host.process[i].mappings; k++)
			assert_int_equal(write(ret->stream.fd, host.text, strlen(host.text)),
				strlen(host.text));
		assert_int_equal(lseek(ret->stream.fd, 0, SEEK_SET), 0);
		if (host.process[i].errors) {
			host.process[i].errors--;
			host.error = host.process[i].error;
		}
		return 0;
	}
	return SURVEY_ITERATOR_END;
}

uint64_t __wrap_survey_iterator_cpu_ns(const struct pass *pass)
{
	(void)pass;
	return __wrap_clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
}

bool __wrap_survey_iterator_may_spend(struct pass *pass)
{
	(void)pass;
	return !host.is_broke;
}

void __wrap_survey_iterator_charge(struct pass *pass, uint64_t cpu_ns, uint64_t hold_ns)
{
	(void)pass;
	host.charged_ns += cpu_ns;
	host.holds += hold_ns > 0;
	if (hold_ns)
		host.hold_ns = hold_ns;
}

void __wrap_survey_iterator_exchange(struct pass *pass, struct survey_result *c)
{
	(void)pass;
	host.exchanges++;
	host.is_shown = c->is_there;
	host.read = c->q[SURVEY_READ];
	host.used_ns = c->q[SURVEY_CPU];
}

static void begin(struct surveyor *s, uint64_t interval_ns)
{
	memset(&host, 0, sizeof(host));
	host.now_ns = START_NS;
	host.tick_ns = 1;
	host.text = mapping;
	host.cost_ns = 10 * NS_PER_USEC;
	for (pid_t pid = 3; pid <= 5; pid++) {
		host.process[host.processes].pid = pid;
		host.process[host.processes++].mappings = 1;
	}
	surveyor_init(s, NULL, 1, START_NS);
	surveyor_set(s, interval_ns, PERCENT_PPM, START_NS);
}

/* Runs the next turn when it is due. Returns the time until the turn after it, in ns. */
static uint64_t turn(struct surveyor *s, int *ret)
{
	uint64_t at_ns = surveyor_next_ns(s);

	assert_true(at_ns != UINT64_MAX);
	if (host.now_ns < at_ns)
		host.now_ns = at_ns;
	*ret = surveyor_turn(s);
	at_ns = surveyor_next_ns(s);
	return at_ns > host.now_ns ? at_ns - host.now_ns : 0;
}

/* Runs a complete survey. Returns the number of turns. */
static unsigned int run(struct surveyor *s)
{
	unsigned int turns = 0;
	int r = 0;

	while (r == 0) {
		turn(s, &r);
		assert_true(++turns < 1000);
	}
	assert_int_equal(r, SURVEYOR_ENDED);
	return turns;
}

/* Processes are read in order of pids, one per turn. The end of the survey is a turn of its own. */
static void reads_one_process_per_turn(void **state)
{
	struct surveyor s;

	(void)state;
	begin(&s, HOUR_NS);
	assert_int_equal(run(&s), 4);
	assert_int_equal(host.calls, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(host.called[i], 3 + i);
	assert_int_equal(host.exchanges, 1);
	assert_true(host.is_shown);
	assert_int_equal(host.read, 3);
	assert_int_equal(host.charged_ns, 4 * host.cost_ns);
	assert_int_equal(host.used_ns, 4 * host.cost_ns);
	assert_int_equal(host.holds, 3);
	surveyor_done(&s);
}

/* The first survey starts soon, the next ones on schedule, late ones after a pause. */
static void keeps_its_schedule(void **state)
{
	struct surveyor s;
	uint64_t begun_ns;

	(void)state;
	begin(&s, HOUR_NS);
	assert_int_equal(surveyor_next_ns(&s), START_NS + 60 * NS_PER_SEC);
	begun_ns = surveyor_next_ns(&s);
	run(&s);
	assert_in_range(surveyor_next_ns(&s), begun_ns + HOUR_NS, begun_ns + HOUR_NS + 100);
	run(&s);
	assert_in_range(surveyor_next_ns(&s), begun_ns + 2 * HOUR_NS, begun_ns + 2 * HOUR_NS + 200);
	surveyor_done(&s);

	begin(&s, 90 * NS_PER_SEC);
	host.cost_ns = NS_PER_SEC; /* a turn takes 400 s */
	run(&s);
	assert_in_range(
		surveyor_next_ns(&s) - host.now_ns, 400 * NS_PER_SEC - 100, 400 * NS_PER_SEC);
	host.cost_ns = 100 * NS_PER_MSEC; /* and 40 s */
	run(&s);
	assert_in_range(surveyor_next_ns(&s) - host.now_ns, 60 * NS_PER_SEC - 100, 60 * NS_PER_SEC);
	surveyor_done(&s);

	begin(&s, NS_PER_MSEC); /* in which no survey fits */
	assert_int_equal(surveyor_next_ns(&s), START_NS + NS_PER_MSEC);
	run(&s);
	assert_in_range(surveyor_next_ns(&s) - host.now_ns, SHORT_NS - 1, 5 * NS_PER_MSEC);
	surveyor_done(&s);
}

/* After a failure the next survey waits for a full interval, because it may fail again. */
static void rests_after_an_error(void **state)
{
	struct surveyor s;
	int r = 0;

	(void)state;
	begin(&s, HOUR_NS);
	host.text = too_much;
	while (r == 0)
		turn(&s, &r);
	assert_int_equal(r, -EOVERFLOW);
	assert_int_equal(host.exchanges, 0);
	assert_in_range(surveyor_next_ns(&s) - host.now_ns, HOUR_NS - 100, HOUR_NS);
	host.text = mapping;
	host.calls = 0;
	run(&s);
	assert_int_equal(host.calls, 3);
	assert_int_equal(host.read, 3);
	surveyor_done(&s);
}

/* A quarter of the budget, 1 % of a core, and never without pauses. */
static void uses_a_quarter_of_the_budget(void **state)
{
	struct surveyor s;
	int r;

	(void)state;
	begin(&s, HOUR_NS);
	assert_in_range(turn(&s, &r), 4 * NS_PER_MSEC - 10, 4 * NS_PER_MSEC); /* 10 us */
	host.cost_ns = NS_PER_MSEC;
	assert_in_range(turn(&s, &r), 400 * NS_PER_MSEC - 10, 400 * NS_PER_MSEC);
	host.cost_ns = NS_PER_USEC;
	assert_in_range(turn(&s, &r), SHORT_NS - 10, SHORT_NS);
	surveyor_done(&s);
	/* Another budget. */
	begin(&s, HOUR_NS);
	surveyor_set(&s, HOUR_NS, 100 * PERCENT_PPM, START_NS);
	host.cost_ns = NS_PER_MSEC;
	assert_in_range(turn(&s, &r), 4 * NS_PER_MSEC - 10, 4 * NS_PER_MSEC);
	surveyor_done(&s);
}

/* Measurements come first, except one that never ends. */
static void gives_way_to_measurements(void **state)
{
	struct surveyor s;
	int r;

	(void)state;
	begin(&s, HOUR_NS);
	host.is_broke = true;
	assert_in_range(turn(&s, &r), 40 * NS_PER_MSEC - 10, 40 * NS_PER_MSEC);
	run(&s);
	assert_int_equal(host.read, 3);
	surveyor_done(&s);
}

/* A process that takes longer is read in slices of 0.1 ms, with pauses. */
static void reads_in_slices(void **state)
{
	struct surveyor s;
	unsigned int holds;

	(void)state;
	begin(&s, HOUR_NS);
	host.process[1].mappings = 100; /* 17 KiB */
	host.tick_ns = 20 * NS_PER_USEC;
	run(&s);
	holds = host.holds;
	/* Each read of 1 KiB reads the clock three times, so two of 17 reads fit into a slice. */
	assert_in_range(holds, 2 + 8, 2 + 12);
	/* Two clock readings for the text, two for its end, and three of the slice itself. */
	assert_int_equal(host.hold_ns, 7 * host.tick_ns);
	assert_int_equal(host.read, 3);
	assert_int_equal(host.calls, 3);
	surveyor_done(&s);
}

static void counts_processes_that_are_not_read(void **state)
{
	static const struct {
		int outcome;
		enum survey_quantity counted;
	} cases[] = {{SURVEY_ITERATOR_DENIED, SURVEY_DENIED}, {SURVEY_ITERATOR_GONE, SURVEY_GONE},
		{SURVEY_ITERATOR_GIANT, SURVEY_LEFT_OUT}, {SURVEY_ITERATOR_ERROR, SURVEY_ERROR},
		{SURVEY_ITERATOR_BLOCKED, SURVEY_BLOCKED}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct surveyor s;

		begin(&s, HOUR_NS);
		host.process[0].outcome = cases[i].outcome;
		run(&s);
		assert_int_equal(host.read, 2);
		assert_int_equal(s.result.q[cases[i].counted], 1);
		surveyor_done(&s);
	}
}

/* A read that blocks is reported to the pass. */
static void reports_blocked_reads(void **state)
{
	struct surveyor s;

	(void)state;
	begin(&s, HOUR_NS);
	host.process[1].error = -ETIMEDOUT;
	host.process[1].errors = 1;
	run(&s);
	assert_int_equal(host.read, 2);
	assert_int_equal(s.result.q[SURVEY_BLOCKED], 1);
	assert_int_equal(host.blocks, 1);
	assert_int_equal(host.blocked, host.process[1].pid);
	surveyor_done(&s);
}

/*
 * A process that has lost its worker because another process blocked it is read again, a limited
 * number of times.
 */
static void reads_again_without_its_worker(void **state)
{
	static const struct {
		unsigned int losses, read, errors, calls;
	} cases[] = {{1, 3, 0, 4}, {3, 3, 0, 6}, {4, 2, 1, 6}, {100, 2, 1, 6}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct surveyor s;

		begin(&s, HOUR_NS);
		host.process[1].error = -ESTALE;
		host.process[1].errors = cases[i].losses;
		run(&s);
		assert_int_equal(host.read, cases[i].read);
		assert_int_equal(s.result.q[SURVEY_ERROR], cases[i].errors);
		assert_int_equal(host.calls, cases[i].calls);
		assert_int_equal(host.blocks, 0);
		surveyor_done(&s);
	}
}

/* A process that is counted with another uses a turn and is not counted. */
static void skips_processes_counted_with_others(void **state)
{
	struct surveyor s;

	(void)state;
	begin(&s, HOUR_NS);
	host.process[1].outcome = SURVEY_ITERATOR_ELSEWHERE;
	assert_int_equal(run(&s), 4);
	assert_int_equal(host.read, 2);
	for (unsigned int i = SURVEY_DENIED; i <= SURVEY_ERROR; i++)
		assert_int_equal(s.result.q[i], 0);
	assert_int_equal(s.result.q[SURVEY_BLOCKED], 0);
	surveyor_done(&s);
}

/* Without an interval no survey runs, not even one under way, and no result is shown. */
static void can_be_turned_off(void **state)
{
	struct surveyor s;
	int r;

	(void)state;
	begin(&s, 0);
	assert_true(surveyor_next_ns(&s) == UINT64_MAX);
	surveyor_set(&s, HOUR_NS, PERCENT_PPM, START_NS);
	run(&s);
	assert_true(host.is_shown);
	turn(&s, &r);
	assert_int_equal(r, 0);
	surveyor_set(&s, 0, PERCENT_PPM, host.now_ns);
	assert_false(host.is_shown);
	assert_int_equal(host.exchanges, 2);
	assert_true(surveyor_next_ns(&s) == UINT64_MAX);
	/* Turned on again it starts from the beginning. */
	host.calls = 0;
	surveyor_set(&s, HOUR_NS, PERCENT_PPM, host.now_ns);
	assert_int_equal(surveyor_next_ns(&s), host.now_ns + 60 * NS_PER_SEC);
	run(&s);
	assert_int_equal(host.calls, 3);
	surveyor_done(&s);
}

/*
 * Processes for which a pass wants the drivers' memory are read at once, with and without surveys,
 * before the end of a survey.
 */
static void reads_wanted_processes_at_once(void **state)
{
	const uint64_t intervals_ns[] = {0, HOUR_NS};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(intervals_ns); i++) {
		struct surveyor s;
		uint64_t survey_ns;
		int r = 0;

		begin(&s, intervals_ns[i]);
		survey_ns = surveyor_next_ns(&s);
		host.text = ring;
		host.wanted[0] = 4;
		host.wanted[1] = 5;
		host.wants = 2;
		host.process[2].outcome = SURVEY_ITERATOR_GONE;
		while (surveyor_next_ns(&s) != survey_ns) {
			assert_true(surveyor_next_ns(&s) < START_NS + NS_PER_SEC);
			turn(&s, &r);
			assert_int_equal(r, 0);
		}
		assert_int_equal(host.calls, 2);
		assert_int_equal(host.finds, 1);
		assert_int_equal(host.found[0], 4);
		assert_int_equal(host.pss, 512 << 10);
		assert_int_equal(host.vmalloc, 0);
		assert_int_equal(host.charged_ns, 2 * host.cost_ns);
		assert_int_equal(host.exchanges, 0);
		surveyor_done(&s);
	}
}

/*
 * Reading one during a survey does not disturb it. A survey reports the drivers' memory of all
 * processes that it reads.
 */
static void reads_wanted_processes_beside_a_survey(void **state)
{
	struct surveyor s;
	int r;

	(void)state;
	begin(&s, HOUR_NS);
	host.text = ring;
	turn(&s, &r);
	host.wanted[0] = 5;
	host.wants = 1;
	host.process[2].mappings = 100;
	host.tick_ns = 20 * NS_PER_USEC;
	run(&s);
	assert_int_equal(host.read, 3);
	assert_int_equal(host.finds, 4);
	assert_int_equal(host.pss, 100 * (512 << 10)); /* of 5, twice */
	surveyor_done(&s);
}

/* A reload without changes does not restart a survey. */
static void continues_after_a_reload(void **state)
{
	struct surveyor s;
	int r;

	(void)state;
	begin(&s, HOUR_NS);
	turn(&s, &r);
	surveyor_set(&s, HOUR_NS, 2 * PERCENT_PPM, host.now_ns);
	surveyor_set(&s, HOUR_NS / 2, 2 * PERCENT_PPM, host.now_ns);
	run(&s);
	assert_int_equal(host.calls, 3);
	assert_true(surveyor_next_ns(&s) < START_NS + HOUR_NS);
	surveyor_done(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_one_process_per_turn),
		cmocka_unit_test(keeps_its_schedule),
		cmocka_unit_test(rests_after_an_error),
		cmocka_unit_test(uses_a_quarter_of_the_budget),
		cmocka_unit_test(gives_way_to_measurements),
		cmocka_unit_test(reads_in_slices),
		cmocka_unit_test(counts_processes_that_are_not_read),
		cmocka_unit_test(reports_blocked_reads),
		cmocka_unit_test(reads_again_without_its_worker),
		cmocka_unit_test(skips_processes_counted_with_others),
		cmocka_unit_test(can_be_turned_off),
		cmocka_unit_test(continues_after_a_reload),
		cmocka_unit_test(reads_wanted_processes_at_once),
		cmocka_unit_test(reads_wanted_processes_beside_a_survey),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
