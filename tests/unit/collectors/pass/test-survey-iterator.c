/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of collectors/pass/survey-iterator.h: the survey's iterator over the processes of a pass.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>

#include "base/clock.h"
#include "collectors/pass/survey-iterator.h"
#include "tests/unit/support/tree/adaptive.h"
#include "tests/unit/support/tree/run.h"

static struct pass_options with_stall(uint64_t stall_ns)
{
	struct pass_options o = run_adaptive;

	o.stall_ns = stall_ns;
	return o;
}

static void add_smaps(struct adaptive *s)
{
	for (size_t i = 0; i < ADAPTIVE_CAST; i++)
		if (adaptive_cast[i].rss_kib)
			tree_add_smaps(&s->tree, &adaptive_cast[i]);
}

/* Every process with memory, in order of pids, with its user and a descriptor of its smaps. */
static void returns_every_process(void **state)
{
	static const struct {
		pid_t pid;
		uint32_t user;
	} expected[] = {{10, 0}, {11, 1000}, {12, 1000}, {13, 1001}};
	const struct pass_options *options[] = {&run_exact, &run_adaptive};

	(void)state;
	for (size_t mode = 0; mode < ARRAY_SIZE(options); mode++) {
		AUTO_ADAPTIVE struct adaptive *s = adaptive_new(options[mode]);
		AUTO_VIEW struct view *view = NULL;
		struct survey_iterator_entry e = {.pid = 0};
		unsigned int before;

		add_smaps(s);
		view = adaptive_pass(s);
		before = unit_descriptors();
		for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
			char text[4];

			assert_int_equal(survey_iterator_next(s->pass, e.pid, &e), 0);
			assert_int_equal(e.pid, expected[i].pid);
			assert_int_equal(e.user, expected[i].user);
			assert_int_equal(read(e.stream.fd, text, sizeof(text)), sizeof(text));
			stream_close(&e.stream);
		}
		assert_int_equal(survey_iterator_next(s->pass, e.pid, &e), SURVEY_ITERATOR_END);
		assert_int_equal(unit_descriptors(), before);
	}
}

/* A process that cannot be opened is returned with the reason. */
static void returns_the_reason_of_failures(void **state)
{
	static const struct {
		int error, outcome;
	} cases[] = {{EACCES, SURVEY_ITERATOR_DENIED}, {EPERM, SURVEY_ITERATOR_DENIED},
		{ESRCH, SURVEY_ITERATOR_GONE}, {ENOENT, SURVEY_ITERATOR_ERROR},
		{EMFILE, SURVEY_ITERATOR_ERROR}, {ETIMEDOUT, SURVEY_ITERATOR_BLOCKED}};
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;

	(void)state;
	add_smaps(s);
	view = adaptive_pass(s);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tree_event event = {.suffix = "smaps", .error = cases[i].error};
		struct survey_iterator_entry e;

		tree_expect(&event, 1);
		assert_int_equal(survey_iterator_next(s->pass, 10, &e), cases[i].outcome);
		assert_int_equal(e.pid, 11);
		assert_int_equal(e.stream.fd, -1);
		tree_expect(NULL, 0);
		assert_int_equal(survey_iterator_next(s->pass, 10, &e), 0);
		stream_close(&e.stream);
	}
}

/*
 * A read that blocks during a survey counts as one of a pass, and the process then blocks for
 * both.
 */
static void remembers_blocked_reads(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;
	const struct process_table *t = &s->pass->table;
	size_t at = 0;

	(void)state;
	add_smaps(s);
	view = adaptive_pass(s);
	survey_iterator_blocked(s->pass, 14); /* exited */
	assert_int_equal(s->pass->reader.attempts.total, 0);
	survey_iterator_blocked(s->pass, 11);
	assert_int_equal(s->pass->reader.attempts.total, 1);
	while (at < t->count && t->item[at]->pid != 11)
		at++;
	assert_true(at < t->count);
	assert_true(block_is_on(&t->item[at]->block));
	assert_true(t->item[at]->block.is_walk);
	adaptive_again(s, &view);
	assert_int_equal(adaptive_row(view, 11)->outcome, OUTCOME_BLOCKED);
	assert_int_equal(adaptive_row(view, 12)->outcome, OUTCOME_MEASURED);
}

/*
 * Of the processes with one address space only the eldest is returned; otherwise its memory would
 * count twice.
 */
static void returns_each_address_space_once(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;
	struct survey_iterator_entry e;
	struct process *p;

	(void)state;
	add_smaps(s);
	view = adaptive_pass(s);
	for (size_t i = 0; i < s->pass->table.count; i++) {
		p = s->pass->table.item[i];
		if (p->pid == 11 || p->pid == 13)
			p->mm_group = 7;
	}
	assert_int_equal(survey_iterator_next(s->pass, 10, &e), 0);
	assert_int_equal(e.pid, 11);
	stream_close(&e.stream);
	/* One process per call, so that thousands with one address space do not delay others. */
	assert_int_equal(survey_iterator_next(s->pass, 12, &e), SURVEY_ITERATOR_ELSEWHERE);
	assert_int_equal(e.pid, 13);
	assert_int_equal(e.stream.fd, -1);
	assert_int_equal(survey_iterator_next(s->pass, 13, &e), SURVEY_ITERATOR_END);
	/* Its eldest process has no memory any more. */
	for (size_t i = 0; i < s->pass->table.count; i++)
		if (s->pass->table.item[i]->pid == 11)
			s->pass->table.item[i]->tracked->image = TRACKED_EMPTY;
	assert_int_equal(survey_iterator_next(s->pass, 12, &e), 0);
	assert_int_equal(e.pid, 13);
	stream_close(&e.stream);
}

/* In adaptive mode a process is skipped if one of its mappings would take too long, or might. */
static void skips_giants(void **state)
{
	const struct pass_options strict = with_stall(NS_PER_MSEC);
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&strict);
	AUTO_VIEW struct view *view = NULL;
	struct survey_iterator_entry e;
	struct process *p;

	(void)state;
	adaptive_add(s, &adaptive_large, 0);
	adaptive_add_mappings(s, &adaptive_large, 4);
	view = adaptive_pass(s);
	p = s->pass->table.item[s->pass->table.count - 1];
	assert_int_equal(p->pid, adaptive_large.pid);
	assert_int_equal(survey_iterator_next(s->pass, 13, &e),
		SURVEY_ITERATOR_GIANT); /* not measured yet */
	assert_int_equal(e.pid, adaptive_large.pid);
	p->tracked->largest_kib = (uint32_t)adaptive_large.rss_kib;
	p->tracked->mapped_kib = p->tracked->largest_kib;
	assert_int_equal(survey_iterator_next(s->pass, 13, &e), SURVEY_ITERATOR_GIANT);
	p->tracked->largest_kib = 64; /* many small mappings */
	assert_int_equal(survey_iterator_next(s->pass, 13, &e), 0);
	stream_close(&e.stream);
	/* If walks do not block the process there are no giants. */
	p->tracked->largest_kib = 0;
	s->pass->adaptive.walks.is_undisturbing = true;
	assert_int_equal(survey_iterator_next(s->pass, 13, &e), 0);
	stream_close(&e.stream);
}

static struct process *process_of(const struct adaptive *s, pid_t pid)
{
	const struct process_table *t = &s->pass->table;
	size_t i = 0;

	while (i + 1 < t->count && t->item[i]->pid != pid)
		i++;
	assert_int_equal(t->item[i]->pid, pid);
	return t->item[i];
}

/* RssFile of PID grows by KIB, so that the pass wants its smaps. */
static void want(struct adaptive *s, pid_t pid, uint32_t kib)
{
	process_of(s, pid)->driver.is_wanted = true;
	process_of(s, pid)->driver.seen_kib = kib;
	s->pass->drivers_wanted++;
}

/*
 * Each wanted process is returned once, those with the largest change first, even if one cannot be
 * read. The next pass has the results.
 */
static void returns_wanted_processes(void **state)
{
	struct tree_event event = {.suffix = "smaps", .nth = 1, .error = EACCES};
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;
	struct survey_iterator_entry e;

	(void)state;
	add_smaps(s);
	view = adaptive_pass(s);
	assert_false(survey_iterator_is_wanting(s->pass));
	want(s, 12, 300);
	want(s, 13, 200);
	want(s, 11, 100);
	tree_expect(&event, 1);
	assert_true(survey_iterator_is_wanting(s->pass));
	assert_int_equal(survey_iterator_wanted(s->pass, &e), SURVEY_ITERATOR_DENIED);
	assert_int_equal(e.pid, 12);
	tree_expect(NULL, 0);
	assert_int_equal(survey_iterator_wanted(s->pass, &e), 0);
	assert_int_equal(e.pid, 13);
	stream_close(&e.stream);
	assert_int_equal(survey_iterator_wanted(s->pass, &e), 0);
	assert_int_equal(e.pid, 11);
	stream_close(&e.stream);
	assert_false(survey_iterator_is_wanting(s->pass));
	assert_int_equal(survey_iterator_wanted(s->pass, &e), SURVEY_ITERATOR_END);
	survey_iterator_found(s->pass, 13, 40 << 20, 8 << 20);
	survey_iterator_found(s->pass, 4711, 40 << 20, 8 << 20); /* exited */
	adaptive_again(s, &view);
	assert_int_equal(view_balance(view)->q[BALANCE_PSS_DRIVER], 40 << 20);
	/* The growth of 11 and 12, for which nothing was found, though it is small. */
	assert_int_equal(view_balance(view)->q[BALANCE_DRIVER_UNREAD], 400 << 10);
	/* A process that has exited since is not returned. */
	want(s, 12, 1);
	process_of(s, 12)->tracked->image = TRACKED_EMPTY;
	assert_int_equal(survey_iterator_wanted(s->pass, &e), SURVEY_ITERATOR_END);
	assert_false(survey_iterator_is_wanting(s->pass));
}

/* A large process is read as soon as its first measurement shows that no mapping takes too long. */
static void defers_large_processes(void **state)
{
	const struct pass_options strict = with_stall(NS_PER_MSEC);
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&strict);
	AUTO_VIEW struct view *view = NULL;
	struct survey_iterator_entry e;

	(void)state;
	adaptive_add(s, &adaptive_large, 0);
	adaptive_add_mappings(s, &adaptive_large, 4);
	view = adaptive_pass(s);
	want(s, adaptive_large.pid, 300);
	assert_int_equal(survey_iterator_wanted(s->pass, &e), SURVEY_ITERATOR_GIANT);
	assert_int_equal(e.pid, adaptive_large.pid);
	assert_true(process_of(s, e.pid)->driver.next_ns <=
		    clock_now_ns(CLOCK_BOOTTIME) + 10 * NS_PER_SEC);
}

/* Another program has other mappings. */
static void forgets_drivers_memory_with_the_image(void **state)
{
	struct tree_process p = adaptive_cast[4];
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = adaptive_pass(s);

	(void)state;
	survey_iterator_found(s->pass, p.pid, 40 << 20, 0);
	p.image = 99;
	p.name = "another";
	adaptive_add(s, &p, 3);
	adaptive_again(s, &view);
	assert_int_equal(view_balance(view)->q[BALANCE_PSS_DRIVER], 0);
}

/* Without a caller that reads drivers' memory there is no line of it. */
static void no_reader_is_no_line(void **state)
{
	struct pass_options options = run_adaptive;
	AUTO_ADAPTIVE struct adaptive *s = NULL;
	AUTO_VIEW struct view *view = NULL;

	(void)state;
	options.lacks_drivers = true;
	s = adaptive_new(&options);
	view = adaptive_pass(s);
	assert_true(ROW_HAS(view_balance(view), BALANCE_PSS_FILE));
	assert_false(ROW_HAS(view_balance(view), BALANCE_PSS_DRIVER));
}

static void pays_from_the_budget(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = adaptive_pass(s);
	struct cpu_budget *b = &s->pass->adaptive.budget;
	uint64_t charged_ns = b->charged_ns, holds = s->pass->reader.holds.times.count;

	(void)state;
	assert_non_null(view);
	adaptive_plan(s, 10);
	charged_ns = b->charged_ns;
	assert_true(survey_iterator_may_spend(s->pass));
	survey_iterator_charge(s->pass, 12345, 0);
	assert_int_equal(b->charged_ns, charged_ns + 12345);
	assert_int_equal(s->pass->reader.holds.times.count, holds);
	survey_iterator_charge(s->pass, 1, 100 * NS_PER_USEC);
	assert_int_equal(s->pass->reader.holds.times.count, holds + 1);
	survey_iterator_charge(s->pass, 1000 * NS_PER_SEC, 0);
	assert_false(survey_iterator_may_spend(s->pass));
	b->tokens_ns = (int64_t)cpu_budget_capacity_ns(b);
	assert_true(survey_iterator_may_spend(s->pass));
	s->pass->adaptive.pressure = PSI_SEVERE;
	assert_false(survey_iterator_may_spend(s->pass));
}

static void has_no_budget_in_exact_mode(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_exact);
	AUTO_VIEW struct view *view = adaptive_pass(s);
	uint64_t charged_ns = s->pass->adaptive.budget.charged_ns;

	(void)state;
	assert_non_null(view);
	survey_iterator_charge(s->pass, 1000 * NS_PER_SEC, 1);
	assert_true(survey_iterator_may_spend(s->pass));
	assert_int_equal(s->pass->adaptive.budget.charged_ns, charged_ns);
}

/* The public image of the same pass has the amount, and no file names. */
static void images_have_the_results(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *whole = NULL, *open = NULL, *again = NULL;
	AUTO_SURVEY_RESULT struct survey_result c = {0}, none = {0};
	struct snapshot_file row = {.inode = 3};
	AUTO_CLOSE int fd = -1, public_fd = -1;

	(void)state;
	survey_result_add(&c, &row, "/a/path/of/alice");
	survey_result_set(&c, SURVEY_FILES, 1);
	c.ended_ns = clock_now_ns(CLOCK_BOOTTIME);
	c.is_there = true;
	survey_iterator_exchange(s->pass, &c);
	assert_false(c.is_there);
	assert_int_equal(pass_begin(s->pass), 0);
	assert_int_equal(run_steps(s->pass), 0);
	assert_int_equal(pass_publish(s->pass, true, &fd, &public_fd), 0);
	whole = run_view(fd);
	open = run_view(public_fd);
	assert_int_equal(view_count(whole, METRIC_FILE), 1);
	assert_string_equal(view_text(whole, view_file(whole, 0)->path), "/a/path/of/alice");
	assert_int_equal(view_count(open, METRIC_FILE), 0);
	assert_int_equal(view_survey(open)->q[SURVEY_FILES], 1);
	assert_int_equal(view_survey(whole)->q[SURVEY_FILES], 1);
	assert_non_null(memmem(whole->data, whole->size, "alice", 5));
	assert_null(memmem(open->data, open->size, "/a/path", 7));
	adaptive_plan(s, 10);
	survey_iterator_exchange(s->pass, &none);
	again = adaptive_pass(s);
	assert_null(view_survey(again));
	assert_int_equal(view_count(again, METRIC_FILE), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(returns_every_process),
		cmocka_unit_test(returns_the_reason_of_failures),
		cmocka_unit_test(remembers_blocked_reads),
		cmocka_unit_test(returns_each_address_space_once),
		cmocka_unit_test(skips_giants),
		cmocka_unit_test(returns_wanted_processes),
		cmocka_unit_test(defers_large_processes),
		cmocka_unit_test(forgets_drivers_memory_with_the_image),
		cmocka_unit_test(no_reader_is_no_line),
		cmocka_unit_test(pays_from_the_budget),
		cmocka_unit_test(has_no_budget_in_exact_mode),
		cmocka_unit_test(images_have_the_results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
