/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests `memtally explain` over a simulated /proc, in which a process may exit, or execute another
 * program, while its maps are read.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/os/kcmp.h"
#include "collectors/process/self/mapcounts.h"
#include "collectors/procfs/procfs.h"
#include "tests/unit/support/cli/asked.h"

enum { KIB = 1024, SUBJECT = 42, OTHER = 43 };

/* Treat pids as those of the running kernel, and all address spaces as one. */
static bool is_live;

/* Treat the tree as a kernel that averages map counts. */
static bool is_averaged;

int __real_procfs_open(const char *path, struct procfs *ret);
int __wrap_procfs_open(const char *path, struct procfs *ret);
int __wrap_kcmp_memory(pid_t a, pid_t b);
void __wrap_mapcounts_await(struct mapcounts *m, int timeout_ms);

int __wrap_procfs_open(const char *path, struct procfs *ret)
{
	int r = __real_procfs_open(path, ret);

	ret->live = is_live;
	ret->is_kernels = is_averaged;
	return r;
}

void __wrap_mapcounts_await(struct mapcounts *m, int timeout_ms)
{
	assert_true(is_averaged && timeout_ms > 0);
	mapcounts_done(m);
	m->verdict = MAPCOUNTS_AVERAGED;
}

int __wrap_kcmp_memory(pid_t a, pid_t b)
{
	(void)a;
	(void)b;
	return 0;
}

static const struct tree_process subject = {.pid = SUBJECT, .name = "subject", .rss_kib = 900},
				 other = {.pid = OTHER, .name = "other", .rss_kib = 500};

/* Memory from before a fork, and shared memory that no other process has touched. */
static const char smaps[] =
	"10000-20000 rw-p 00000000 00:00 0\nRss: 64 kB\nPss: 32 kB\nShared_Clean: 0 kB\n"
	"Shared_Dirty: 64 kB\nPrivate_Clean: 0 kB\nPrivate_Dirty: 0 kB\nAnonymous: 64 kB\n"
	"30000-40000 rw-s 00000000 00:01 7    /memfd:m (deleted)\nRss: 32 kB\nPss: 32 kB\n"
	"Shared_Clean: 0 kB\nShared_Dirty: 0 kB\nPrivate_Clean: 0 kB\nPrivate_Dirty: 32 kB\n"
	"Anonymous: 0 kB\n";
static const char maps[] = "10000-20000 rw-p 00000000 00:00 0\n"
			   "30000-40000 rw-s 00000000 00:01 7    /memfd:m (deleted)\n";

static void populate(struct tree *t)
{
	tree_open(t);
	tree_write(t, "stat", "btime 1000000\n");
	tree_write(t, "meminfo", "MemTotal: 1000000 kB\n");
	tree_add(t, &subject);
	tree_write(t, "42/smaps", smaps);
	tree_write(t, "42/maps", maps);
	tree_add(t, &other);
	tree_write(t, "43/maps", maps);
}

/* Lets a process exit while its maps is opened. maps stays readable; stat and status are gone. */
static void end_subject(void *tree)
{
	tree_remove(tree, "42/stat");
	tree_remove(tree, "42/status");
}

static void end_other(void *tree)
{
	tree_remove(tree, "43/stat");
	tree_remove(tree, "43/status");
}

/* Executes another program, which has the same mappings. */
static void execute(void *tree)
{
	struct tree_process changed = other;

	changed.image = 1;
	tree_add(tree, &changed);
}

/*
 * Executes another program at each call but the first. The first call is for smaps, which is to be
 * read in peace.
 */
static void execute_subject(void *tree)
{
	struct tree_process changed = subject;
	static uint64_t opened;

	if (!opened++)
		return;
	changed.image = opened;
	tree_add(tree, &changed);
}

static void execute_another(void *tree)
{
	struct tree_process changed = other;
	static uint64_t images;

	changed.image = ++images;
	tree_add(tree, &changed);
}

/* When the NTH maps or smaps is opened; the subject's smaps and maps are the first two. */
static struct tree_event at(struct tree *t, unsigned int nth, void (*call)(void *to))
{
	return (struct tree_event){.suffix = "maps", .nth = nth, .call = call, .to = t};
}

static json_int_t number_at(const struct asked *a, const char *path)
{
	const json_t *found = asked_at(a, path);

	assert_true(json_is_integer(found));
	return json_integer_value(found);
}

/*
 * Expects that OTHERS processes were read completely, SHARE of them share, and REFUSED more could
 * not be read.
 */
static void check_seen(
	const struct asked *a, unsigned int others, unsigned int share, unsigned int refused)
{
	assert_int_equal(a->status, 0);
	assert_int_equal(number_at(a, "processes.0.others_looked_at"), others);
	assert_int_equal(number_at(a, "processes.0.others_refused"), refused);
	assert_int_equal(number_at(a, "processes.0.shared_things.0.others"), share);
	assert_int_equal(json_array_size(asked_at(a, "processes.0.shared_with")), share);
	assert_int_equal(
		number_at(a, "processes.0.if_ended.shmem_kept_bytes"), share ? 32 * KIB : 0);
}

static void check_shared(const struct asked *a, unsigned int others, unsigned int share)
{
	check_seen(a, others, share, 0);
}

static void completely_read_processes_share(void **state)
{
	AUTO_ASKED struct asked a;
	AUTO_TREE struct tree t;

	(void)state;
	populate(&t);
	ASKED(&t, NULL, &a, "explain", "42", "--live");
	check_shared(&a, 1, 1);
}

static void processes_that_exit_do_not_count(void **state)
{
	AUTO_ASKED struct asked a;
	AUTO_TREE struct tree t;
	struct tree_event event = at(&t, 3, end_other);

	(void)state;
	populate(&t);
	ASKED(&t, &event, &a, "explain", "42", "--live");
	check_shared(&a, 0, 0);
}

/* It counts as its new program. A process that executes again and again could not be read. */
static void an_exec_counts_as_the_new_program(void **state)
{
	struct tree t;
	struct tree_event once = at(&t, 3, execute), always = at(&t, 0, execute_another);
	struct asked a;

	(void)state;
	populate(&t);
	ASKED(&t, &once, &a, "explain", "42", "--live");
	check_shared(&a, 1, 1);
	asked_done(&a);
	tree_done(&t);
	populate(&t);
	ASKED(&t, &always, &a, "explain", "42", "--live");
	check_seen(&a, 0, 0, 1);
	asked_done(&a);
	tree_done(&t);
}

/* Whatever the error: a process that could not be read may share. */
static void unreadable_processes_are_counted(void **state)
{
	static const int errors[] = {EACCES, EMFILE, ENFILE, EIO};
	AUTO_TREE struct tree t;
	struct asked a;

	(void)state;
	populate(&t);
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		struct tree_event event = {.suffix = "maps", .nth = 3, .error = errors[i]};

		ASKED(&t, &event, &a, "explain", "42", "--live");
		check_seen(&a, 0, 0, 1);
		asked_done(&a);
	}
	tree_write(&t, "43/maps", "what no kernel prints\n");
	ASKED(&t, NULL, &a, "explain", "42", "--live");
	check_seen(&a, 0, 0, 1);
	asked_done(&a);
}

/* The explained process is not one of the others, and the explanation is of its former image. */
static void the_explained_process_may_execute(void **state)
{
	AUTO_ASKED struct asked a;
	AUTO_TREE struct tree t;
	struct tree_event event = {.suffix = "maps", .nth = 0, .call = execute_subject, .to = &t};

	(void)state;
	populate(&t);
	ASKED(&t, &event, &a, "explain", "42", "--live");
	check_shared(&a, 1, 1);
}

/* The others are read after the explained process. The one is not mistaken for the other. */
static void the_explained_process_may_exit(void **state)
{
	AUTO_ASKED struct asked a;
	AUTO_TREE struct tree t;
	struct tree_event event = at(&t, 2, end_subject);

	(void)state;
	populate(&t);
	ASKED(&t, &event, &a, "explain", "42", "--live");
	check_shared(&a, 1, 1);
}

static void equal_processes_are_complete(void **state)
{
	struct tree t;
	struct tree_event event = at(&t, 3, end_other);
	struct asked a;

	(void)state;
	is_live = true;
	populate(&t);
	ASKED(&t, NULL, &a, "explain", "42", "--live");
	check_shared(&a, 1, 0);
	assert_int_equal(number_at(&a, "processes.0.address_space_shared_with.0.pid"), OTHER);
	assert_int_equal(number_at(&a, "processes.0.if_ended.shmem_bytes_max"), 0);
	asked_done(&a);
	ASKED(&t, &event, &a, "explain", "42", "--live");
	check_shared(&a, 0, 0);
	assert_int_equal(json_array_size(asked_at(&a, "processes.0.address_space_shared_with")), 0);
	assert_int_equal(number_at(&a, "processes.0.if_ended.shmem_bytes_max"), 32 * KIB);
	asked_done(&a);
	tree_done(&t);
	is_live = false;
}

/*
 * The process's own mounts show that one file is on tmpfs. By the reader's mounts another file
 * would be.
 */
static void files_on_tmpfs_are_shared_memory(void **state)
{
	static const char text[] =
		"10000-20000 rw-s 00000000 00:18 7    /run/a\nRss: 32 kB\nPss: 32 kB\n"
		"Shared_Clean: 0 kB\nShared_Dirty: 0 kB\nPrivate_Clean: 0 kB\nPrivate_Dirty: 32 kB\n"
		"Anonymous: 0 kB\n"
		"30000-40000 rw-s 00000000 00:19 7    /run/b (deleted)\nRss: 16 kB\nPss: 16 kB\n"
		"Shared_Clean: 0 kB\nShared_Dirty: 0 kB\nPrivate_Clean: 0 kB\nPrivate_Dirty: 16 kB\n"
		"Anonymous: 0 kB\n"
		"50000-60000 rw-s 00000000 00:1a 7    /run/c\nRss: 8 kB\nPss: 8 kB\n"
		"Shared_Clean: 0 kB\nShared_Dirty: 0 kB\nPrivate_Clean: 0 kB\nPrivate_Dirty: 8 kB\n"
		"Anonymous: 0 kB\n";
	AUTO_ASKED struct asked a;
	AUTO_TREE struct tree t;

	(void)state;
	populate(&t);
	tree_write(&t, "42/smaps", text);
	tree_write(&t, "42/mountinfo",
		"25 22 0:24 / /run rw,nosuid - tmpfs none rw\n"
		"26 22 0:26 / /srv rw,nosuid - btrfs /dev/sda1 rw\n");
	tree_write(&t, "self/mountinfo", "27 22 0:25 / /run rw,nosuid - tmpfs none rw\n");
	ASKED(&t, NULL, &a, "explain", "42", "--live");
	assert_int_equal(a.status, 0);
	assert_int_equal(number_at(&a, "processes.0.alone.shmem_bytes"), 48 * KIB);
	assert_int_equal(number_at(&a, "processes.0.if_ended.shmem_named_bytes"), 32 * KIB);
	assert_int_equal(number_at(&a, "processes.0.if_ended.shmem_bytes_max"), 16 * KIB);
	assert_int_equal(number_at(&a, "processes.0.if_ended.cached_bytes"), 8 * KIB);
}

/* The warning is printed once, and no figure is called exact. */
static void averages_are_reported(void **state)
{
	static const char warning[] = "this kernel averages the map counts of large folios";
	const char *said;
	struct asked a;
	struct tree t;

	(void)state;
	populate(&t);
	ASKED(&t, NULL, &a, "explain", "42", "--live");
	assert_true(json_is_true(asked_at(&a, "processes.0.if_ended.freed_is_exact")));
	assert_null(strstr(a.err.data, warning));
	asked_done(&a);
	is_averaged = true;
	ASKED(&t, NULL, &a, "explain", "42", "43", "--live");
	is_averaged = false;
	assert_true(json_is_false(asked_at(&a, "processes.0.if_ended.freed_is_exact")));
	said = strstr(a.err.data, warning);
	assert_non_null(said);
	assert_null(strstr(said + 1, warning));
	asked_done(&a);
	tree_done(&t);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(completely_read_processes_share),
		cmocka_unit_test(processes_that_exit_do_not_count),
		cmocka_unit_test(an_exec_counts_as_the_new_program),
		cmocka_unit_test(unreadable_processes_are_counted),
		cmocka_unit_test(the_explained_process_may_execute),
		cmocka_unit_test(the_explained_process_may_exit),
		cmocka_unit_test(equal_processes_are_complete),
		cmocka_unit_test(files_on_tmpfs_are_shared_memory),
		cmocka_unit_test(averages_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
