/* SPDX-License-Identifier: Apache-2.0 */
/* memtally explain over a tree that looks like /proc, of which a process may end, or execute another program, while its maps are read. */
#include "config.h"

#include "tests/unit/unit.h"

#include "collectors/kcmp.h"
#include "collectors/mapcounts.h"
#include "collectors/procfs.h"
#include "tests/unit/asked.h"

enum { KIB = 1024, SUBJECT = 42, OTHER = 43 };

/* Whether pids are taken for those of the kernel that is running; all address spaces are one then. */
static bool is_live;

/* The tree counts as the kernel's own, which averages map counts. */
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

/* Memory that it was forked with, and shared memory that nobody else has touched. */
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

/* They go on for as long as it takes to open their maps. */
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

/* Another program, which maps the same. */
static void execute(void *tree)
{
	struct tree_process changed = other;

	changed.image = 1;
	tree_add(tree, &changed);
}

/* Not for as long as it is looked into: from when its maps are opened on, which is next. */
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

/* When maps is opened so often: the subject's smaps, and its maps, are the first two. */
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

/* Of so many OTHERS all was read, and so many of them share; and so many more could not be looked at. */
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

static void who_is_whole_shares(void **state)
{
	AUTO_ASKED struct asked a;
	AUTO_TREE struct tree t;

	(void)state;
	populate(&t);
	ASKED(&t, NULL, &a, "explain", "42", "--live");
	check_shared(&a, 1, 1);
}

static void who_ends_meanwhile_keeps_nothing(void **state)
{
	AUTO_ASKED struct asked a;
	AUTO_TREE struct tree t;
	struct tree_event event = at(&t, 3, end_other);

	(void)state;
	populate(&t);
	ASKED(&t, &event, &a, "explain", "42", "--live");
	check_shared(&a, 0, 0);
}

/* It is what it is by then; who does so all the time could not be looked at. */
static void who_executes_another_program_is_that(void **state)
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

/* Whatever was the matter: who could not be looked at may share. */
static void who_cannot_be_read_is_counted(void **state)
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

/* It is none of the others, and what is said of it is of what it was. */
static void who_is_explained_may_execute_another_program(void **state)
{
	AUTO_ASKED struct asked a;
	AUTO_TREE struct tree t;
	struct tree_event event = {.suffix = "maps", .nth = 0, .call = execute_subject, .to = &t};

	(void)state;
	populate(&t);
	ASKED(&t, &event, &a, "explain", "42", "--live");
	check_shared(&a, 1, 1);
}

/* Others are looked at after it was: it is not taken for one of them, nor they for it. */
static void who_is_explained_may_have_ended(void **state)
{
	AUTO_ASKED struct asked a;
	AUTO_TREE struct tree t;
	struct tree_event event = at(&t, 2, end_subject);

	(void)state;
	populate(&t);
	ASKED(&t, &event, &a, "explain", "42", "--live");
	check_shared(&a, 1, 1);
}

static void twins_are_whole_too(void **state)
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

/* Its own mounts tell that one file is on tmpfs; the mounts of the reader tell it of another file. */
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

/* It is said once, and nothing is called exact. */
static void averages_are_said(void **state)
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
		cmocka_unit_test(who_is_whole_shares),
		cmocka_unit_test(who_ends_meanwhile_keeps_nothing),
		cmocka_unit_test(who_executes_another_program_is_that),
		cmocka_unit_test(who_cannot_be_read_is_counted),
		cmocka_unit_test(who_is_explained_may_execute_another_program),
		cmocka_unit_test(who_is_explained_may_have_ended),
		cmocka_unit_test(twins_are_whole_too),
		cmocka_unit_test(files_on_tmpfs_are_shared_memory),
		cmocka_unit_test(averages_are_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
