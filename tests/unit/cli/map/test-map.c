/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of `memtally map` over a tree that looks like /proc, where a process may exit just before
 * it is read.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <jansson.h>

#include "cli/memtally.h"
#include "tests/unit/support/process/running.h"
#include "tests/unit/support/tree/tree.h"

enum { KIB = 1024, ARGS_MAX = 10, STEADY = 42, FLEETING = 43 };

static const struct tree_process processes[] = {
	{.pid = STEADY, .name = "worker", .rss_kib = 1000, .pss_kib = 900, .uss_kib = 700},
	{.pid = FLEETING, .name = "worker", .rss_kib = 500, .pss_kib = 400, .uss_kib = 300},
};

static void populate(struct tree *t)
{
	tree_open(t);
	tree_write(t, "stat", "cpu 1 2 3 4\nbtime 1000000\n");
	tree_write(t, "meminfo", "MemTotal: 1000000 kB\n");
	for (size_t i = 0; i < ARRAY_SIZE(processes); i++) {
		tree_add(t, &processes[i]);
		tree_add_smaps(t, &processes[i]);
	}
}

/* The process exits while its smaps is opened, so only one of its mappings is read. */
static void end_in_the_middle(void *tree)
{
	tree_write(tree, "43/smaps",
		"10000-20000 rw-p 00000000 00:00 0\nRss: 250 kB\nPss: 200 kB\nShared_Clean: 100 kB\n"
		"Shared_Dirty: 0 kB\nPrivate_Clean: 0 kB\nPrivate_Dirty: 150 kB\n");
	tree_remove(tree, "43/stat");
	tree_remove(tree, "43/status");
}

/* Another process has the pid of process 43. */
static void reuse_the_pid(void *tree)
{
	static const struct tree_process other = {
		.pid = FLEETING, .name = "other", .start_ticks = 5000, .rss_kib = 100};

	tree_add(tree, &other);
	tree_add_smaps(tree, &other);
}

/*
 * Arguments of `memtally map` over .tree, where .call changes process 43 at the .NTH open of a
 * smaps file; 0: it does not change.
 */
struct asked {
	struct tree *tree;
	void (*call)(void *tree);
	unsigned int nth;
	const char *const *args;
};

static int ask(void *context)
{
	const struct asked *asked = context;
	struct tree_event event = {
		.suffix = "smaps", .nth = asked->nth, .call = asked->call, .to = asked->tree};
	char procfs[64],
		*argv[ARGS_MAX + 4] = {(char *)(uintptr_t) "memtally", (char *)(uintptr_t) "map",
			procfs, (char *)(uintptr_t) "--config.file=/dev/null"};
	int argc = 4;

	snprintf(procfs, sizeof(procfs), "--path.procfs=%s", asked->tree->path);
	for (size_t i = 0; i < ARGS_MAX && asked->args[i]; i++)
		argv[argc++] = (char *)(uintptr_t)asked->args[i];
	tree_expect(&event, asked->nth > 0);
	return memtally_run(argc, argv);
}

static void run(struct tree *t, unsigned int nth, const char *const args[static ARGS_MAX],
	struct running *ret)
{
	struct asked asked = {t, end_in_the_middle, nth, args};

	running_do(ask, &asked, -1, ret);
}
#define RUN(t, nth, ret, ...) run(t, nth, (const char *const[ARGS_MAX]){__VA_ARGS__}, ret)

static json_t *json_of(const struct running *r)
{
	json_t *json = json_loadb(r->out.data, r->out.len - 1, JSON_REJECT_DUPLICATES, NULL);

	if (!json)
		fail_msg("no JSON: %s (%s)", r->out.data, r->err.data);
	return json;
}

static json_int_t total_of(const json_t *json, const char *name)
{
	return json_integer_value(json_object_get(json_object_get(json, "total"), name));
}

static const json_t *process_at(const json_t *json, size_t i)
{
	return json_array_get(json_object_get(json, "processes"), i);
}

static void save(const struct running *r, const char *path)
{
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_int_equal(write(fd, r->out.data, r->out.len - 1), r->out.len - 1);
}

static void complete_processes_count_once(void **state)
{
	static const char *const flags[] = {
		"--by=file", "--by=kind", "--sort=rss_bytes", "--by=mapping"};
	AUTO_TREE struct tree t;

	(void)state;
	populate(&t);
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		AUTO_RUNNING struct running r;
		json_t *json;

		RUN(&t, 0, &r, "42", "43", "--json", flags[i]);
		json = json_of(&r);
		assert_int_equal(total_of(json, "mappings"), 4);
		assert_int_equal(total_of(json, "rss_bytes"), 1500 * KIB);
		json_decref(json);
	}
}

/* This holds for sums and for sorted mappings. */
static void partly_read_processes_are_in_no_sum(void **state)
{
	static const char *const flags[] = {"--by=file", "--by=kind", "--sort=rss_bytes"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		AUTO_RUNNING struct running r;
		AUTO_TREE struct tree t;
		json_t *json;

		populate(&t);
		RUN(&t, 2, &r, "--program=worker", "--json", flags[i]);
		assert_int_equal(r.status, 0);
		running_check_says(&r, "pid 43 exited before it was read");
		json = json_of(&r);
		assert_int_equal(total_of(json, "mappings"), 2);
		assert_int_equal(total_of(json, "rss_bytes"), 1000 * KIB);
		assert_int_equal(json_integer_value(json_object_get(json, "count")), 2);
		assert_int_equal(json_array_size(json_object_get(json, "rows")), 2);
		assert_true(json_is_true(json_object_get(process_at(json, 0), "complete")));
		assert_null(json_object_get(process_at(json, 0), "ended"));
		assert_true(json_is_false(json_object_get(process_at(json, 1), "complete")));
		assert_true(json_is_true(json_object_get(process_at(json, 1), "ended")));
		json_decref(json);
	}
}

/* An exited process has nothing of the process that has its pid now. */
static void exited_processes_are_not_described_by_others(void **state)
{
	static const char *const args[ARGS_MAX] = {"--program=worker", "--json"};
	AUTO_RUNNING struct running r;
	AUTO_TREE struct tree t;
	const json_t *process;
	json_t *json;

	(void)state;
	populate(&t);
	running_do(ask, &(struct asked){&t, reuse_the_pid, 1, args}, -1, &r);
	assert_int_equal(r.status, 0);
	running_check_says(&r, "pid 43 exited before it was read");
	json = json_of(&r);
	process = process_at(json, 0);
	assert_string_equal(json_string_value(json_object_get(process, "program")), "worker");
	assert_non_null(json_object_get(process, "start_time_seconds"));
	process = process_at(json, 1);
	assert_int_equal(json_integer_value(json_object_get(process, "pid")), FLEETING);
	assert_true(json_is_true(json_object_get(process, "ended")));
	assert_null(json_object_get(process, "program"));
	assert_null(json_object_get(process, "start_time_seconds"));
	json_decref(json);
}

/*
 * Unsorted mappings are printed at once with their process and stay. The total has complete
 * processes only.
 */
static void partly_read_processes_are_in_no_total(void **state)
{
	AUTO_RUNNING struct running json_said, said;
	AUTO_TREE struct tree t, other;
	json_t *json;

	(void)state;
	populate(&t);
	RUN(&t, 2, &json_said, "--program=worker", "--json");
	json = json_of(&json_said);
	assert_int_equal(json_array_size(json_object_get(json, "rows")), 3);
	assert_int_equal(json_integer_value(json_object_get(json, "count")), 3);
	assert_int_equal(total_of(json, "mappings"), 2);
	assert_int_equal(total_of(json, "rss_bytes"), 1000 * KIB);
	json_decref(json);
	populate(&other);
	RUN(&other, 2, &said, "--program=worker");
	assert_non_null(strstr(said.out.data, " total of 2 rows, in KiB\n"));
}

/* If a pid that was given exits, memtally fails but prints the sums of the other processes. */
static void reports_exited_processes_that_were_named(void **state)
{
	AUTO_RUNNING struct running r, alone;
	AUTO_TREE struct tree t, other;
	json_t *json;

	(void)state;
	populate(&t);
	RUN(&t, 2, &r, "42", "43", "--json", "--by=file");
	assert_int_equal(r.status, 1);
	running_check_says(&r, "error: pid 43 was not found");
	json = json_of(&r);
	assert_int_equal(total_of(json, "rss_bytes"), 1000 * KIB);
	assert_null(json_object_get(process_at(json, 1), "ended"));
	json_decref(json);
	populate(&other);
	RUN(&other, 1, &alone, "43", "--json");
	json = json_of(&alone);
	assert_int_equal(json_array_size(json_object_get(json, "rows")), 1);
	assert_int_equal(json_object_size(json_object_get(json, "total")), 0);
	json_decref(json);
}

/* Changes are those of complete processes, never of a part of one. */
static void changes_are_those_of_complete_processes(void **state)
{
	AUTO_RUNNING struct running before, after, since;
	AUTO_TREE struct tree t;
	json_t *json;

	(void)state;
	populate(&t);
	RUN(&t, 0, &before, "--program=worker", "--json");
	save(&before, "test-map.before");
	RUN(&t, 2, &after, "--program=worker", "--json", "--since=test-map.before");
	assert_int_equal(after.status, 0);
	json = json_of(&after);
	assert_int_equal(total_of(json, "rss_bytes"), -500 * KIB);
	assert_int_equal(json_integer_value(json_object_get(json, "count")), 2);
	json_decref(json);

	/* The same if the process exited while the file was written. */
	tree_done(&t);
	populate(&t);
	running_done(&before);
	RUN(&t, 2, &before, "--program=worker", "--json");
	save(&before, "test-map.before");
	RUN(&t, 0, &since, "--program=worker", "--json", "--since=test-map.before");
	assert_int_equal(since.status, 0);
	json = json_of(&since);
	assert_int_equal(total_of(json, "rss_bytes"), 0);
	assert_int_equal(json_integer_value(json_object_get(json, "count")), 0);
	json_decref(json);
	unlink("test-map.before");
}

/* A comparison with a file of another process is one of two processes, which nothing else shows. */
static void warns_of_a_file_of_another_process(void **state)
{
	AUTO_RUNNING struct running before, same, other;
	AUTO_TREE struct tree t;

	(void)state;
	populate(&t);
	RUN(&t, 0, &before, "42", "--json");
	save(&before, "test-map.before");
	RUN(&t, 0, &same, "42", "--since=test-map.before");
	assert_int_equal(same.status, 0);
	assert_string_equal(same.err.data, "");
	RUN(&t, 0, &other, "43", "--since=test-map.before");
	assert_int_equal(other.status, 0);
	assert_string_equal(other.err.data,
		"memtally: warning: test-map.before is of other processes: pid 42 (worker); now "
		"compared with pid 43 (worker)\n");
	unlink("test-map.before");
}

static void refuses_to_compare_with_incomplete_files(void **state)
{
	AUTO_RUNNING struct running cut, denied, r;
	AUTO_TREE struct tree t;

	(void)state;
	populate(&t);
	RUN(&t, 0, &cut, "42", "--json", "--limit=1");
	save(&cut, "test-map.before");
	RUN(&t, 0, &r, "42", "--since=test-map.before");
	assert_int_equal(r.status, 1);
	assert_string_equal(r.out.data, "");
	assert_string_equal(r.err.data,
		"memtally: error: test-map.before: incomplete: 1 of 2 rows, as with --limit\n");
	running_done(&r);
	RUN(&t, 2, &denied, "42", "43", "--json");
	save(&denied, "test-map.before");
	RUN(&t, 0, &r, "42", "--since=test-map.before");
	assert_int_equal(r.status, 1);
	assert_string_equal(
		r.err.data, "memtally: error: test-map.before: incomplete: pid 43 was not found\n");
	unlink("test-map.before");
}

static void notes_rows_that_are_left_out(void **state)
{
	static const char *const flags[] = {"--by=mapping", "--by=file"};
	AUTO_RUNNING struct running all;
	AUTO_TREE struct tree t;

	(void)state;
	populate(&t);
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		AUTO_RUNNING struct running r;

		RUN(&t, 0, &r, "42", "--csv", "--limit=1", flags[i]);
		assert_int_equal(r.status, 0);
		assert_string_equal(r.err.data, "memtally: 1 of 2 rows shown\n");
	}
	RUN(&t, 0, &all, "42", "--csv", "--limit=2");
	assert_string_equal(all.err.data, "");
	running_done(&all);
	RUN(&t, 0, &all, "42", "--diff=43", "--csv", "--limit=1");
	assert_string_equal(all.err.data, "memtally: 1 of 2 rows shown\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(complete_processes_count_once),
		cmocka_unit_test(partly_read_processes_are_in_no_sum),
		cmocka_unit_test(exited_processes_are_not_described_by_others),
		cmocka_unit_test(partly_read_processes_are_in_no_total),
		cmocka_unit_test(reports_exited_processes_that_were_named),
		cmocka_unit_test(changes_are_those_of_complete_processes),
		cmocka_unit_test(warns_of_a_file_of_another_process),
		cmocka_unit_test(refuses_to_compare_with_incomplete_files),
		cmocka_unit_test(notes_rows_that_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
