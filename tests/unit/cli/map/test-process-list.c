/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/map/process-list.h: whether a saved map is of the same processes. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "cli/map/process-list.h"

#define ONE(pid, program, start)                                                                   \
	"{\"pid\":" #pid ",\"program\":\"" program "\",\"start_time_seconds\":" #start             \
	",\"complete\":true}"

static void add(struct process_list *l, const char *objects)
{
	assert_int_equal(process_list_add_text(l, objects, strlen(objects)), 0);
}

static void names_the_processes_that_differ(void **state)
{
	static const struct {
		const char *then, *now, *said;
		bool is_found;
	} cases[] = {
		{ONE(5, "sh", 1000.5), ONE(5, "sh", 1000.5), "", false},
		/* the clock was adjusted by some milliseconds */
		{ONE(5, "sh", 1000.5), ONE(5, "sh", 1000.51), "", false},
		/* a file of an earlier version */
		{"{\"pid\":5,\"complete\":true}", ONE(5, "sh", 1000.5), "", false},
		{ONE(5, "sh", 1000.5), ONE(6, "sh", 1000.5),
			"file is of other processes: pid 5 (sh); now compared with pid 6 (sh)\n",
			false},
		{ONE(5, "sh", 1000.5), ONE(6, "sh", 1000.5) "," ONE(7, "a", 1),
			"file is of other processes: pid 5 (sh); now compared with pid 6 (sh) and 1 "
			"more\n",
			true},
		{ONE(5, "sh", 1000.5), ONE(5, "sleep", 2000.5),
			"exited since, and another process has the pid now: pid 5 (sh)\n", false},
		/* the clock was set, or a shell ended and another one has its pid */
		{ONE(5, "sh", 1000.5), ONE(5, "sh", 1005.5),
			"may be another process with the same pid (or the clock was set): pid 5 "
			"(sh)\n",
			false},
		{ONE(5, "sh", 1000.5), ONE(5, "sleep", 1000.5),
			"executed another program since: pid 5 (sh)\n", false},
		{ONE(5, "sh", 1000.5) "," ONE(7, "a", 1), ONE(5, "sh", 1000.5) "," ONE(6, "b", 1),
			"in the file, but not compared: pid 7 (a)\n"
			"not in the file, so that all of its memory is new: pid 6 (b)\n",
			false},
		/* with a filter processes come and go */
		{ONE(5, "sh", 1000.5) "," ONE(7, "a", 1), ONE(5, "sh", 1000.5) "," ONE(6, "b", 1),
			"", true},
		/* all have exited; which is said elsewhere */
		{ONE(5, "sh", 1000.5), "", "", true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_PROCESS_LIST struct process_list then = {0}, now = {0};
		AUTO_BUFFER struct buffer to = {0};

		add(&then, cases[i].then);
		add(&now, cases[i].now);
		process_list_compare(&then, &now, "file", cases[i].is_found, &to);
		buffer_add_char(&to, '\0');
		assert_int_equal(to.error, 0);
		assert_string_equal(to.data, cases[i].said);
	}
}

static void ignores_processes_that_were_not_read(void **state)
{
	AUTO_PROCESS_LIST struct process_list l = {0};

	(void)state;
	add(&l, "5,{},{\"pid\":0,\"complete\":true},{\"pid\":7,\"complete\":false},"
		"{\"pid\":8,\"program\":\"\\u001b\",\"start_time_seconds\":-1,\"complete\":true}");
	assert_int_equal(l.count, 1);
	assert_int_equal(l.item[0].pid, 8);
	assert_null(l.item[0].program);
	assert_int_equal(l.item[0].start_ns, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_the_processes_that_differ),
		cmocka_unit_test(ignores_processes_that_were_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
