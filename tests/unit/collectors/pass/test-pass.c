/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/pass/pass.h: exact passes over a tree that looks like /proc. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>
#include <fcntl.h>

#include "base/clock.h"
#include "base/os/userns.h"
#include "collectors/pass/pass-private.h"
#include "snapshot/owner.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/tree/crew.h"
#include "tests/unit/support/tree/run.h"
#include "tests/unit/support/tree/scene.h"

static uint64_t pss_kib(const struct view *view, enum metric_scope scope, const char *name)
{
	const struct snapshot_scope *row = scene_find(view, scope, name);

	assert_true(ROW_HAS(row, SCOPE_PSS));
	return row->q[SCOPE_PSS] / 1024;
}

static void sums_are_complete(void **state)
{
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *view = NULL;
	const struct snapshot_scope *host;

	(void)state;
	scene_open(&s, false);
	view = run_pass(s.pass);
	scene_assert_sums(view);
	host = view_host(view);
	assert_int_equal(host->q[SCOPE_PSS], (4000 + 2001 + 2002 + 1503 + 64004 + 100) * 1024);
	assert_int_equal(host->q[SCOPE_PROCESSES], 6);
	assert_int_equal(host->q[SCOPE_MEM_TOTAL], 1000000 * 1024);
	assert_int_equal(host->q[SCOPE_MEM_AVAILABLE], 600000 * 1024);
	assert_int_equal(pss_kib(view, METRIC_USER, "root"), 6001);
	assert_int_equal(pss_kib(view, METRIC_USER, "alice"), 3505);
	assert_int_equal(pss_kib(view, METRIC_USER, "1001"), 64104); /* has no name */
	assert_int_equal(pss_kib(view, METRIC_PROGRAM, "sshd"), 4003);
	assert_int_equal(pss_kib(view, METRIC_UNIT, "session-2.scope"), 3505);
	assert_int_equal(pss_kib(view, METRIC_UNIT, "user@1001.service"), 64004);
	assert_int_equal(pss_kib(view, METRIC_UNIT, "(none)"), 100);
	assert_true(view_is_complete(view));
}

/*
 * The snapshot says whether /proc hides processes from users, whether or not it hides them from
 * memtallyd.
 */
static void says_whether_proc_is_restricted(void **state)
{
	(void)state;
	for (int is_mounted_so = 0; is_mounted_so < 2; is_mounted_so++) {
		AUTO_SCENE struct scene s;
		AUTO_VIEW struct view *view = NULL;

		scene_open(&s, false);
		s.pass->procfs.hidepid = is_mounted_so;
		view = run_pass(s.pass);
		assert_int_equal(
			(view_self(view)->flags & SELF_PROC_RESTRICTED) != 0, is_mounted_so);
		assert_false(view_self(view)->flags & SELF_PROC_HIDDEN);
	}
}

static void shows_each_process(void **state)
{
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *view = NULL;

	(void)state;
	scene_open(&s, false);
	view = run_pass(s.pass);
	assert_int_equal(view_count(view, METRIC_PROCESS), 6); /* without the kernel thread */
	for (size_t i = 0; i < CAST_SIZE; i++) {
		const struct snapshot_process *row = view_find_process(view, (uint32_t)cast[i].pid);

		if (!cast[i].rss_kib) {
			assert_null(row);
			continue;
		}
		assert_non_null(row);
		assert_int_equal(row->uid, cast[i].uid);
		assert_string_equal(view_owner(view, row, OWNER_PROGRAM), cast[i].name);
		assert_int_equal(row->outcome, OUTCOME_MEASURED);
		assert_int_equal(row->source, SOURCE_ROLLUP);
		assert_int_equal(row->q[PROCESS_PSS], cast[i].pss_kib * 1024);
		assert_int_equal(row->q[PROCESS_RSS], cast[i].rss_kib * 1024);
		assert_true(row->q[PROCESS_PSS_AGE] < 60 * NS_PER_SEC);
		assert_true(row->flags & PROCESS_EXPORTED);
	}
	assert_string_equal(
		view_owner(view, view_find_process(view, 13), OWNER_USER_UNIT), "app-1.scope");
	assert_string_equal(
		view_owner(view, view_find_process(view, 12), OWNER_USER_UNIT), OWNER_NONE);
}

/* The header and memtallyd's own row: instance, sequence, time, and counts of outcomes. */
static void describes_itself(void **state)
{
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *first = NULL, *second = NULL;
	const struct snapshot_self *self;
	struct pass_summary summary;

	(void)state;
	scene_open(&s, false);
	first = run_pass(s.pass);
	second = run_pass(s.pass);
	assert_memory_equal(first->header->instance, second->header->instance, IMAGE_INSTANCE_SIZE);
	assert_int_equal(first->header->sequence, 1);
	assert_int_equal(second->header->sequence, 2);
	assert_int_equal(second->header->interval_ns, run_exact.interval_ns);
	assert_true(userns_id() != 0);
	assert_int_equal(second->header->userns, userns_id());
	assert_int_equal(view_self(second)->q[SELF_PERIOD], run_exact.interval_ns);
	assert_int_equal(
		second->header->stale_ns - second->header->boottime_ns, 3 * run_exact.interval_ns);
	self = view_self(second);
	assert_string_equal(view_text(second, self->version), "1.2.3");
	assert_int_equal(self->q[SELF_PASSES], 2);
	assert_int_equal(self->q[SELF_OUTCOME_FIRST + OUTCOME_MEASURED], 6);
	assert_int_equal(self->q[SELF_OUTCOME_FIRST + OUTCOME_NO_MM], 1);
	assert_int_equal(self->q[SELF_READ_ROLLUP], 6);
	assert_int_equal(view_histogram(second, 0)->count, 2);
	pass_summary(s.pass, &summary);
	assert_int_equal(summary.sequence, 2);
	assert_int_equal(summary.processes, 7);
	assert_int_equal(summary.outcome[OUTCOME_MEASURED], 6);
}

static void each_pass_object_has_its_instance(void **state)
{
	AUTO_SCENE struct scene a, b;
	AUTO_VIEW struct view *va = NULL, *vb = NULL;

	(void)state;
	scene_open(&a, false);
	scene_open(&b, false);
	va = run_pass(a.pass);
	vb = run_pass(b.pass);
	assert_memory_not_equal(va->header->instance, vb->header->instance, IMAGE_INSTANCE_SIZE);
}

static void counts_processes_that_cannot_be_read(void **state)
{
	static const struct {
		const char *suffix;
		int error;
		enum process_outcome outcome;
		enum scope_quantity counted;
	} cases[] = {
		{"smaps_rollup", EACCES, OUTCOME_DENIED, SCOPE_UNMEASURED_DENIED},
		{"smaps_rollup", EIO, OUTCOME_ERROR, SCOPE_UNMEASURED_ERROR},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_SCENE struct scene s;
		AUTO_VIEW struct view *view = NULL;
		struct tree_event event = {.suffix = cases[i].suffix, .error = cases[i].error};

		scene_open(&s, false);
		tree_expect(&event, 1);
		view = run_pass(s.pass);
		scene_assert_sums(view);
		assert_false(view_is_complete(view));
		assert_int_equal(view_host(view)->q[cases[i].counted], 6);
		assert_int_equal(view_host(view)->q[SCOPE_PROCESSES], 6);
		assert_int_equal(view_self(view)->q[SELF_OUTCOME_FIRST + cases[i].outcome], 6);
		assert_int_equal(view_self(view)->q[SELF_READ_RSS], 6);
		assert_false(ROW_HAS(view_host(view), SCOPE_PSS));
		assert_int_equal(view_host(view)->q[SCOPE_RSS], 100100 * 1024);
		assert_int_equal(view_host(view)->q[SCOPE_PSS_HIGH], 100100 * 1024);
	}
}

/*
 * Opening and closing status costs as much as printing it. Adaptive passes keep statm open
 * instead.
 */
static void status_is_kept_open_between_exact_passes(void **state)
{
	struct tree_event event = {.suffix = "status"};
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *last = NULL;

	(void)state;
	scene_open(&s, false);
	for (unsigned int i = 0; i < 6; i++) {
		struct pass_options options = i == 3 || i == 4 ? run_adaptive : run_exact;
		AUTO_VIEW struct view *view = NULL;

		options.procfs = s.tree.path;
		pass_set_options(s.pass, &options);
		if (i == 2)
			tree_expect(&event, 1);
		view = run_pass(s.pass);
		scene_assert_sums(view);
		assert_int_equal(view_host(view)->q[SCOPE_PROCESSES], 6);
		assert_int_equal(view_host(view)->q[SCOPE_RSS], 100100 * 1024);
		if (i == 2)
			assert_int_equal(event.count, 1); /* that of the kernel thread */
		assert_int_equal(s.pass->reader.keeps_status, !options.is_adaptive);
		if (i == 3) /* the tree has no statm, which adaptive passes would keep open */
			assert_int_equal(s.pass->reader.kept_files, 0);
	}
	/* If there is no room for both, directories have priority over status files. */
	s.pass->reader.kept_max = CAST_SIZE + 1;
	last = run_pass(s.pass);
	scene_assert_sums(last);
	assert_int_equal(s.pass->reader.kept_files, 0);
}

/*
 * The kernel may refuse a single process, the first one for example, even to a reader with the
 * capability.
 */
static void denies_only_refused_processes(void **state)
{
	struct tree_event event = {.suffix = "smaps_rollup", .nth = 1, .error = EPERM};
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *view = NULL;

	(void)state;
	scene_open(&s, false);
	tree_expect(&event, 1);
	view = run_pass(s.pass);
	scene_assert_sums(view);
	assert_false(view_is_complete(view));
	assert_int_equal(view_self(view)->q[SELF_OUTCOME_FIRST + OUTCOME_DENIED], 1);
	assert_int_equal(view_self(view)->q[SELF_OUTCOME_FIRST + OUTCOME_MEASURED], 5);
	for (uint32_t i = 0; i < view_count(view, METRIC_PROCESS); i++) {
		const struct snapshot_process *row = view_process(view, i);

		assert_int_equal(row->outcome, row->pid == 1 ? OUTCOME_DENIED : OUTCOME_MEASURED);
		assert_int_equal(ROW_HAS(row, PROCESS_PSS), row->pid != 1);
	}
	assert_int_equal(view_host(view)->q[SCOPE_PSS], (73610 - 4000) * 1024);
}

static void remove_process(void *tree)
{
	tree_remove(tree, "14");
}

/* The process was there when pids were listed. */
static void leaves_out_processes_that_exit(void **state)
{
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *view = NULL;
	struct tree_event event = {.suffix = "13", .nth = 1, .call = remove_process, .to = &s.tree};

	(void)state;
	scene_open(&s, false);
	tree_expect(&event, 1);
	view = run_pass(s.pass);
	scene_assert_sums(view);
	assert_null(view_find_process(view, 14));
	assert_int_equal(view_self(view)->q[SELF_OUTCOME_FIRST + OUTCOME_GONE], 1);
	assert_int_equal(pss_kib(view, METRIC_USER, "1001"), 64004);
	assert_true(view_is_complete(view)); /* no process is missing */
}

/* A pass can stop between any two processes. A step after its deadline still reads one process. */
static void can_be_resumed(void **state)
{
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *view = NULL;
	AUTO_CLOSE int fd = -1;
	int steps = 0, public_fd, r;

	(void)state;
	scene_open(&s, false);
	assert_int_equal(pass_begin(s.pass), 0);
	do {
		r = pass_step(s.pass, 0);
		steps++;
	} while (r == PASS_MORE);
	assert_int_equal(r, 0);
	assert_true(steps > (int)CAST_SIZE);
	assert_int_equal(pass_step(s.pass, 0), 0); /* another step is allowed */
	assert_int_equal(pass_publish(s.pass, false, &fd, &public_fd), 0);
	view = run_view(fd);
	scene_assert_sums(view);

	assert_int_equal(pass_begin(s.pass), 0);
	assert_int_equal(pass_step(s.pass, UINT64_MAX), 0); /* all processes in one step */
}

/*
 * When memtallyd is to end, abandoned reads are no errors of their processes, and the pass is not
 * published.
 */
static void is_cancelled_with_its_reads(void **state)
{
	AUTO_SCENE struct scene s;
	struct crew crew;

	(void)state;
	scene_open(&s, false);
	crew_open(&crew, AT_FDCWD);
	pass_set_workers(s.pass, &crew.workers);
	assert_int_equal(pass_begin(s.pass), 0);
	crew.workers.lanes.is_stopped = true;
	assert_int_equal(pass_step(s.pass, UINT64_MAX), -ECANCELED);
	pass_set_workers(s.pass, NULL);
	crew_close(&crew);
}

/* A pass that was begun but not ended leaves nothing in the next one. */
static void can_be_restarted(void **state)
{
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *view = NULL;

	(void)state;
	scene_open(&s, false);
	for (unsigned int steps = 0; steps < 20; steps++) {
		assert_int_equal(pass_begin(s.pass), 0);
		for (unsigned int i = 0; i < steps; i++)
			pass_step(s.pass, 0);
	}
	view = run_pass(s.pass);
	scene_assert_sums(view);
	assert_int_equal(view->header->sequence, 1);
	assert_int_equal(view_host(view)->q[SCOPE_PROCESSES], 6);
}

static void name_user(struct pass *pass, uid_t uid, const char *name)
{
	pass_name(pass, &(struct principal){OWNER_USER, uid}, name);
}

static void looks_up_each_name_once(void **state)
{
	AUTO_SCENE struct scene s;
	bool seen[1002] = {false}, seen_group = false;
	struct principal who;

	(void)state;
	scene_open(&s, false);
	assert_false(pass_next_unnamed(s.pass, &who));
	assert_int_equal(pass_begin(s.pass), 0);
	assert_int_equal(run_steps(s.pass), 0);
	while (pass_next_unnamed(s.pass, &who)) {
		if (who.kind == OWNER_GROUP) {
			assert_int_equal(who.id, 0);
			assert_false(seen_group);
			seen_group = true;
			continue;
		}
		assert_int_equal(who.kind, OWNER_USER);
		assert_true(who.id == 0 || who.id == 1000 || who.id == 1001);
		assert_false(seen[who.id]);
		seen[who.id] = true;
	}
	assert_true(seen[0] && seen[1000] && seen[1001] && seen_group);
	assert_true(pass_awaits_names(s.pass));
	name_user(s.pass, 0, "root");
	name_user(s.pass, 1000, NULL);
	assert_true(pass_awaits_names(s.pass));
	name_user(s.pass, 1001,
		"\x1b\xff"
		"bob");
	assert_true(pass_awaits_names(s.pass));
	pass_name(s.pass, &(struct principal){OWNER_GROUP, 0}, "wheel");
	assert_false(pass_awaits_names(s.pass));
	name_user(s.pass, 4242, "nobody here");
}

/* A late or hostile name leaves the snapshot valid. */
static void names_may_come_late(void **state)
{
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *before = NULL, *after = NULL;
	AUTO_CLOSE int fd = -1;
	int public_fd;
	struct principal who;

	(void)state;
	scene_open(&s, false);
	assert_int_equal(pass_begin(s.pass), 0);
	assert_int_equal(run_steps(s.pass), 0);
	while (pass_next_unnamed(s.pass, &who))
		;
	assert_int_equal(pass_publish(s.pass, false, &fd, &public_fd), 0);
	before = run_view(fd);
	assert_int_equal(pss_kib(before, METRIC_USER, "1001"), 64104);
	name_user(s.pass, 1001,
		"\x1b\xff"
		"bob");
	after = run_pass(s.pass);
	assert_int_equal(pss_kib(after, METRIC_USER,
				 "\\x1b\xef\xbf\xbd"
				 "bob"),
		64104);
}

static void leaves_processes_out_of_the_public_image(void **state)
{
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *whole = NULL, *open = NULL;
	AUTO_CLOSE int fd = -1, public_fd = -1;

	(void)state;
	scene_open(&s, false);
	assert_int_equal(pass_begin(s.pass), 0);
	assert_int_equal(run_steps(s.pass), 0);
	assert_int_equal(pass_publish(s.pass, true, &fd, &public_fd), 0);
	whole = run_view(fd);
	open = run_view(public_fd);
	assert_true(view_is_public(open));
	assert_false(view_is_public(whole));
	assert_int_equal(view_count(open, METRIC_PROCESS), 0);
	assert_int_equal(open->header->sequence, whole->header->sequence);
	assert_int_equal(view_host(open)->q[SCOPE_PSS], view_host(whole)->q[SCOPE_PSS]);
	for (int scope = METRIC_USER; scope < METRIC_OWNERS_END; scope++)
		assert_int_equal(view_count(open, (enum metric_scope)scope),
			view_count(whole, (enum metric_scope)scope));
	scene_assert_sums(open);
}

/* The kernel's counters of the host are shown as they are. What cannot be read is absent. */
static void shows_the_kernels_counters_of_the_host(void **state)
{
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *with = NULL, *without = NULL;

	(void)state;
	scene_open(&s, false);
	tree_write(&s.tree, "vmstat", "pswpin 1\noom_kill 31\n");
	tree_write(&s.tree, "pressure/memory",
		"some avg10=0.00 avg60=0.00 avg300=0.00 total=1933838\n"
		"full avg10=0.00 avg60=0.00 avg300=0.00 total=689364\n");
	with = run_pass(s.pass);
	assert_int_equal(view_host(with)->q[SCOPE_OOM_KILLS], 31);
	assert_int_equal(view_host(with)->q[SCOPE_MEMORY_WAITING], UINT64_C(1933838000));
	assert_int_equal(view_host(with)->q[SCOPE_MEMORY_STALLED], UINT64_C(689364000));
	tree_write(&s.tree, "vmstat", "pswpin 1\n");
	tree_remove(&s.tree, "pressure");
	without = run_pass(s.pass);
	for (unsigned int i = SCOPE_OOM_KILLS; i < SCOPE_QUANTITIES; i++)
		assert_false(ROW_HAS(view_host(without), i));
}

static void accepts_a_host_without_processes(void **state)
{
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *view = NULL;

	(void)state;
	scene_open(&s, true);
	view = run_pass(s.pass);
	assert_int_equal(view_count(view, METRIC_PROCESS), 0);
	assert_int_equal(view_host(view)->q[SCOPE_PROCESSES], 0);
	/* the tree has no meminfo either */
	assert_false(ROW_HAS(view_host(view), SCOPE_MEM_TOTAL));
	scene_assert_sums(view);
}

static void refuses_a_path_that_is_no_directory(void **state)
{
	struct pass_options o = run_exact;
	struct pass *pass = NULL;

	(void)state;
	o.procfs = "/no such folder";
	assert_int_equal(pass_open(&o, &pass), -ENOENT);
	o.procfs = "/dev/null";
	assert_int_equal(pass_open(&o, &pass), -ENOTDIR);
	assert_null(pass);
	assert_null(pass_free(NULL));
}

static void closes_descriptors_of_exited_processes(void **state)
{
	AUTO_SCENE struct scene s;
	unsigned int before;

	(void)state;
	scene_open(&s, true);
	before = unit_descriptors();
	for (int round = 0; round < 20; round++) {
		for (size_t i = 0; i < CAST_SIZE; i++)
			if ((round + (int)i) % 3)
				tree_add(&s.tree, &cast[i]);
		view_unref(run_pass(s.pass));
		for (size_t i = 0; i < CAST_SIZE; i++) {
			char pid[16];

			snprintf(pid, sizeof(pid), "%d", cast[i].pid);
			tree_remove(&s.tree, pid);
		}
	}
	view_unref(run_pass(s.pass));
	assert_int_equal(unit_descriptors(), before);
}

/* Each allocation of a pass fails in turn. That pass is lost, and the next one is complete. */
static void recovers_from_each_failed_allocation(void **state)
{
	unsigned int failures = 0;

	(void)state;
	for (unsigned int n = 1;; n++) {
		AUTO_SCENE struct scene s;
		AUTO_VIEW struct view *lost = NULL, *view = NULL;
		AUTO_CLOSE int fd = -1;
		int r;

		scene_open(&s, false);
		allocation_fail_at(n);
		r = run_try(s.pass, &fd);
		if (!allocation_end()) {
			assert_int_equal(r, 0);
			break;
		}
		failures++;
		if (r == 0) { /* the lost allocation was a user's name */
			lost = run_view(fd);
			scene_assert_sums(lost);
		} else {
			assert_int_equal(r, -ENOMEM);
			assert_int_equal(fd, -1);
		}
		view = run_pass(s.pass);
		scene_assert_sums(view);
		assert_int_equal(view_host(view)->q[SCOPE_PSS], 73610 * 1024);
		assert_int_equal(view_count(view, METRIC_PROCESS), 6);
		assert_int_equal(pss_kib(view, METRIC_PROGRAM, "sshd"), 4003);
		assert_int_equal(pss_kib(view, METRIC_UNIT, "user@1001.service"), 64004);
	}
	assert_true(failures > 50);
}

/* After the first passes a pass needs no further memory. */
static void needs_no_memory_in_the_steady_state(void **state)
{
	AUTO_SCENE struct scene s;

	(void)state;
	scene_open(&s, false);
	for (int pass = 0; pass < 4; pass++) {
		AUTO_CLOSE int fd = -1;
		int public_fd;
		struct principal who;

		allocation_fail_at(0);
		assert_int_equal(pass_begin(s.pass), 0);
		assert_int_equal(run_steps(s.pass), 0);
		assert_int_equal(pass_publish(s.pass, false, &fd, &public_fd), 0);
		if (pass > 1)
			assert_int_equal(allocation_count(), 0);
		while (pass_next_unnamed(s.pass, &who))
			pass_name(s.pass, &who, NULL);
	}
}

/* A read that attempts.h has deferred does not count as blocked. */
static void counts_no_deferred_read_as_blocked(void **state)
{
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *view = NULL;
	AUTO_CLOSE int fd = -1, tree_fd = -1;
	struct crew crew;
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);
	int public_fd;

	(void)state;
	scene_open(&s, false);
	tree_fd = open(s.tree.path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	crew_open(&crew, tree_fd);
	pass_set_workers(s.pass, &crew.workers);
	assert_int_equal(pass_begin(s.pass), 0);
	assert_int_equal(run_steps(s.pass), 0);
	block_begin(&s.pass->table.item[0]->block, "stat", false, now_ns - 2 * NS_PER_SEC);
	block_defer(&s.pass->table.item[2]->block, "stat", false, now_ns - 60 * NS_PER_SEC);
	assert_int_equal(pass_publish(s.pass, false, &fd, &public_fd), 0);
	view = run_view(fd);
	assert_int_equal(view_self(view)->q[SELF_BLOCKED_READS], 1);
	assert_true(view_self(view)->q[SELF_BLOCKED_OLDEST] < 60 * NS_PER_SEC);
	pass_set_workers(s.pass, NULL);
	crew_close(&crew);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_cancelled_with_its_reads),
		cmocka_unit_test(counts_no_deferred_read_as_blocked),
		cmocka_unit_test(status_is_kept_open_between_exact_passes),
		cmocka_unit_test(sums_are_complete),
		cmocka_unit_test(says_whether_proc_is_restricted),
		cmocka_unit_test(shows_each_process),
		cmocka_unit_test(describes_itself),
		cmocka_unit_test(each_pass_object_has_its_instance),
		cmocka_unit_test(counts_processes_that_cannot_be_read),
		cmocka_unit_test(denies_only_refused_processes),
		cmocka_unit_test(leaves_out_processes_that_exit),
		cmocka_unit_test(can_be_resumed),
		cmocka_unit_test(can_be_restarted),
		cmocka_unit_test(looks_up_each_name_once),
		cmocka_unit_test(names_may_come_late),
		cmocka_unit_test(leaves_processes_out_of_the_public_image),
		cmocka_unit_test(shows_the_kernels_counters_of_the_host),
		cmocka_unit_test(accepts_a_host_without_processes),
		cmocka_unit_test(refuses_a_path_that_is_no_directory),
		cmocka_unit_test(closes_descriptors_of_exited_processes),
		cmocka_unit_test(recovers_from_each_failed_allocation),
		cmocka_unit_test(needs_no_memory_in_the_steady_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
