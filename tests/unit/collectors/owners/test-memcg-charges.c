/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the charges of owners, with simulated processes and their cgroups, and a directory that
 * looks like the memory controller's hierarchy (version 2).
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <limits.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "collectors/owners/membership.h"
#include "collectors/owners/memcg-charges.h"
#include "snapshot/owner.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/tree/tree.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

enum { MEMBERS = 300 };

struct scene {
	struct tree tree;
	struct owner_sums sums;
	struct memcg_charges charges;
	struct process_reader reader;
	struct process process[MEMBERS];
	size_t count;
	char mounts[PATH_MAX + 64];
};

static void look(struct scene *s)
{
	char copy[sizeof(s->mounts)];

	memcpy(copy, s->mounts, sizeof(copy));
	assert_int_equal(memcg_mount_find(&s->charges.fs, copy, strlen(copy)), 0);
}

static struct scene *scene_new(void)
{
	struct scene *s = calloc(1, sizeof(*s));
	char here[PATH_MAX];
	struct stat st;

	assert_non_null(s);
	tree_open(&s->tree);
	owner_sums_init(&s->sums, 1);
	memcg_charges_init(&s->charges);
	tree_write(&s->tree, "cgroup.controllers", "memory\n");
	assert_non_null(realpath(s->tree.path, here));
	assert_int_equal(fstat(s->tree.fd, &st), 0);
	snprintf(s->mounts, sizeof(s->mounts), "3 2 %u:%u / %s rw - cgroup2 x rw\n",
		major(st.st_dev), minor(st.st_dev), here);
	look(s);
	assert_true(memcg_charges_are_there(&s->charges));
	return s;
}

static void scene_free(struct scene **s)
{
	tree_expect(NULL, 0);
	memcg_charges_done(&(*s)->charges);
	owner_sums_done(&(*s)->sums);
	buffer_done(&(*s)->reader.program);
	buffer_done(&(*s)->reader.cgroup_text);
	tree_done(&(*s)->tree);
	free(*s);
}
#define AUTO_SCENE CLEANUP(scene_free)

static void charge(struct scene *s, const char *cgroup, uint64_t total)
{
	char path[192], text[64];

	snprintf(path, sizeof(path), "%s/memory.current", cgroup);
	snprintf(text, sizeof(text), "%llu\n", (unsigned long long)total);
	tree_write(&s->tree, path, text);
	snprintf(path, sizeof(path), "%s/memory.stat", cgroup);
	tree_write(&s->tree, path, "anon 3\nfile 2\nshmem 1\nkernel 4\n");
}

/*
 * Reports that process I is in CGROUP, and in cgroup MEMORY of a version 1 memory controller; NULL:
 * there is none.
 */
static int find_in(struct scene *s, size_t i, const char *cgroup, const char *memory)
{
	struct sample sample = {.is_member = true, .has_cgroup = true};

	buffer_clear(&s->reader.cgroup_text);
	if (memory)
		buffer_printf(&s->reader.cgroup_text, "2:memory:%s\n", memory);
	buffer_printf(&s->reader.cgroup_text, "0::%s\n", cgroup);
	cgroup_parse(s->reader.cgroup_text.data, s->reader.cgroup_text.len, &s->reader.cgroup);
	return membership_set(&s->sums, &s->charges, &s->reader, &s->process[i], &sample);
}

static int find(struct scene *s, size_t i, const char *cgroup)
{
	return find_in(s, i, cgroup, NULL);
}

static size_t add_in(struct scene *s, const char *cgroup, const char *memory)
{
	process_init(&s->process[s->count], (pid_t)s->count + 1);
	assert_int_equal(find_in(s, s->count, cgroup, memory), 0);
	return s->count++;
}

static size_t add(struct scene *s, const char *cgroup)
{
	return add_in(s, cgroup, NULL);
}

/* Begins a pass in which all processes are counted. */
static void begin(struct scene *s, uint64_t period_ns, uint64_t spare_ns)
{
	struct snapshot_process row = {.outcome = OUTCOME_MEASURED, .source = SOURCE_ROLLUP};

	ROW_SET(&row, PROCESS_PSS, 1000);
	owner_sums_begin(&s->sums, 1);
	for (size_t i = 0; i < s->count; i++)
		owner_sums_add(&s->sums, &s->process[i], &row, &(struct growth_step){0});
	assert_int_equal(memcg_charges_begin(&s->charges, &s->sums, period_ns, spare_ns), 0);
}

static void end(struct scene *s)
{
	owner_sums_end(&s->sums, 1, 0, UINT64_MAX);
	memcg_charges_end(&s->charges, &s->sums, clock_now_ns(CLOCK_BOOTTIME));
	owner_sums_tidy(&s->sums);
	for (unsigned int kind = 0; kind < OWNER_KINDS; kind++)
		owner_sums_sum_other(&s->sums, (enum owner_kind)kind);
}

/* Makes a pass. Returns the number of cgroups that were read. */
static unsigned int pass_of(struct scene *s, uint64_t period_ns, uint64_t spare_ns)
{
	unsigned int n = 0;

	begin(s, period_ns, spare_ns);
	while (memcg_charges_step(&s->charges))
		n++;
	end(s);
	return n;
}

static unsigned int pass(struct scene *s)
{
	return pass_of(s, NS_PER_SEC, UINT64_MAX);
}

static const struct sums *owner_of_name(struct scene *s, enum owner_kind kind, const char *name)
{
	static const struct sums none;

	for (struct scope *o = NULL; (o = owner_table_next(&s->sums.table[kind], o));)
		if (!strcmp(o->key, name))
			return &o->sums;
	fail_msg("there is no %s", name);
	return &none;
}

enum { NO = -1 };

static void assert_total(struct scene *s, enum owner_kind kind, const char *name, int64_t expected)
{
	const struct sums *sums = owner_of_name(s, kind, name);
	int64_t found = ROW_HAS(sums, SCOPE_CGROUP) ? (int64_t)sums->q[SCOPE_CGROUP] : NO;

	if (found != expected)
		fail_msg("%s is charged %lld instead of %lld", name, (long long)found,
			(long long)expected);
	assert_int_equal(ROW_HAS(sums, SCOPE_CGROUP_AGE), found != NO);
}

static void owners_have_the_charges_of_their_cgroups(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();
	const struct sums *sums;

	(void)state;
	charge(s, "system.slice", 500);
	charge(s, "system.slice/x.service", 100);
	charge(s, "system.slice/docker-" ID ".scope", 200);
	charge(s, "user.slice/user-7.slice/user@7.service/app.slice/x.service", 30);
	charge(s, "user.slice/user-7.slice/session-2.scope", 40);
	charge(s, "machine.slice/machine-mt.scope", 50);
	add(s, "/system.slice/x.service");
	add(s, "/system.slice/x.service/below");
	add(s, "/system.slice/docker-" ID ".scope");
	add(s, "/user.slice/user-7.slice/user@7.service/app.slice/x.service");
	add(s, "/user.slice/user-7.slice/session-2.scope");
	add(s, "/machine.slice/machine-mt.scope/payload");
	add(s, "/");
	/* A unit and its container, machine or session are one cgroup. */
	assert_int_equal(pass(s), 9);
	assert_total(s, OWNER_UNIT, "x.service", 100);
	assert_total(s, OWNER_SLICE, "system.slice", 500);
	assert_total(s, OWNER_UNIT, "docker-" ID ".scope", 200);
	assert_total(s, OWNER_CONTAINER, ID, 200);
	assert_total(s, OWNER_USER_UNIT, "x.service", 30);
	assert_total(s, OWNER_UNIT, "session-2.scope", 40);
	assert_total(s, OWNER_SESSION, "2", 40);
	assert_total(s, OWNER_MACHINE, "mt", 50);
	assert_total(s, OWNER_UNIT, "machine-mt.scope", 50);
	assert_total(s, OWNER_UNIT, OWNER_NONE, NO);
	assert_total(s, OWNER_CONTAINER, OWNER_NONE, NO);
	assert_total(s, OWNER_PROGRAM, "(unnamed)", NO);
	/* user@7.service, user-7.slice and machine.slice do not exist. */
	assert_total(s, OWNER_UNIT, "user@7.service", NO);
	assert_int_equal(s->charges.counts[CHARGE_READ], 9);
	assert_int_equal(s->charges.counts[CHARGE_NONE], 3);
	for (unsigned int i = CHARGE_AMBIGUOUS; i < CHARGE_OUTCOMES; i++)
		assert_int_equal(s->charges.counts[i], 0);
	sums = owner_of_name(s, OWNER_UNIT, "x.service");
	assert_int_equal(sums->q[SCOPE_CGROUP_ANON], 3);
	assert_int_equal(sums->q[SCOPE_CGROUP_FILE], 2);
	assert_int_equal(sums->q[SCOPE_CGROUP_SHMEM], 1);
	assert_int_equal(sums->q[SCOPE_CGROUP_KERNEL], 4);
	assert_false(ROW_HAS(sums, SCOPE_CGROUP_SWAP)); /* as of a kernel without the field */
	/* Cgroups are nested, so there is no sum over them. */
	assert_false(ROW_HAS(&s->sums.host.sums, SCOPE_CGROUP));
	for (unsigned int kind = 0; kind < OWNER_KINDS; kind++)
		assert_false(ROW_HAS(&s->sums.other[kind].sums, SCOPE_CGROUP));
}

/* Each pass reads the charges again. */
static void each_pass_reads_again(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();
	unsigned int before = unit_descriptors();

	(void)state;
	charge(s, "a.slice/x.service", 100);
	add(s, "/a.slice/x.service");
	pass(s);
	assert_total(s, OWNER_UNIT, "x.service", 100);
	charge(s, "a.slice/x.service", 101);
	charge(s, "a.slice", 300);
	pass(s);
	assert_total(s, OWNER_UNIT, "x.service", 101);
	assert_total(s, OWNER_SLICE, "a.slice", 300);
	tree_write(&s->tree, "a.slice/x.service/memory.current", "many\n");
	pass(s);
	assert_false(ROW_HAS(owner_of_name(s, OWNER_UNIT, "x.service"), SCOPE_CGROUP));
	assert_true(ROW_HAS(owner_of_name(s, OWNER_UNIT, "x.service"), SCOPE_CGROUP_ANON));
	assert_int_equal(s->charges.counts[CHARGE_MALFORMED], 1);
	tree_remove(&s->tree, "a.slice/x.service");
	pass(s);
	assert_total(s, OWNER_UNIT, "x.service", NO);
	assert_total(s, OWNER_SLICE, "a.slice", 300);
	assert_int_equal(s->charges.counts[CHARGE_NONE], 1);
	assert_int_equal(unit_descriptors(), before);
}

/*
 * The kernel's counters of a cgroup are shown as they are: absent if they cannot be read, and gone
 * with the cgroup. No sum has them.
 */
static void owners_have_the_counters_of_their_cgroups(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();
	const struct sums *sums;

	(void)state;
	charge(s, "a.slice", 300);
	charge(s, "a.slice/x.service", 100);
	add(s, "/a.slice/x.service");
	tree_write(&s->tree, "a.slice/memory.events", "high 1\nmax 2\noom_kill 3\n");
	tree_write(&s->tree, "a.slice/memory.peak", "400\n");
	tree_write(&s->tree, "a.slice/memory.pressure",
		"some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n"
		"full avg10=0.00 avg60=0.00 avg300=0.00 total=4\n");
	pass(s);
	sums = owner_of_name(s, OWNER_SLICE, "a.slice");
	assert_int_equal(sums->q[SCOPE_CGROUP_HIGH_EVENTS], 1);
	assert_int_equal(sums->q[SCOPE_CGROUP_MAX_EVENTS], 2);
	assert_int_equal(sums->q[SCOPE_OOM_KILLS], 3);
	assert_int_equal(sums->q[SCOPE_CGROUP_PEAK], 400);
	assert_int_equal(sums->q[SCOPE_MEMORY_WAITING], 5000);
	assert_int_equal(sums->q[SCOPE_MEMORY_STALLED], 4000);
	sums = owner_of_name(s, OWNER_UNIT, "x.service");
	for (unsigned int i = SCOPE_OOM_KILLS; i < SCOPE_QUANTITIES; i++) {
		assert_false(ROW_HAS(sums, i));
		assert_false(ROW_HAS(&s->sums.host.sums, i));
		assert_false(ROW_HAS(&s->sums.other[OWNER_SLICE].sums, i));
	}
	tree_remove(&s->tree, "a.slice/memory.events");
	pass(s);
	sums = owner_of_name(s, OWNER_SLICE, "a.slice");
	assert_false(ROW_HAS(sums, SCOPE_OOM_KILLS));
	assert_true(ROW_HAS(sums, SCOPE_CGROUP_PEAK));
	assert_int_equal(s->charges.counts[CHARGE_READ], 2);
}

/*
 * An owner with processes in two cgroups of one name has no charge: neither cgroup alone would be
 * right, and the sum would mix them.
 */
static void an_owner_with_two_cgroups_has_no_charge(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();
	size_t moved;

	(void)state;
	charge(s, "a.slice/x.service", 100);
	charge(s, "b.slice/x.service", 200);
	add(s, "/a.slice/x.service");
	moved = add(s, "/b.slice/x.service");
	pass(s);
	assert_total(s, OWNER_UNIT, "x.service", NO);
	assert_int_equal(s->charges.counts[CHARGE_AMBIGUOUS], 1);
	/* The unit was moved, and its last process is then found in the new cgroup. */
	assert_int_equal(find(s, moved, "/a.slice/x.service"), 0);
	pass(s);
	assert_total(s, OWNER_UNIT, "x.service", 100);
	assert_int_equal(s->charges.counts[CHARGE_AMBIGUOUS], 0);
}

/*
 * An owner with some members outside of its cgroup has no charge, because the charge would be of
 * the other members alone.
 */
static void an_owner_charged_in_part_has_no_charge(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();
	size_t astray;

	(void)state;
	charge(s, "a.slice", 300);
	charge(s, "a.slice/x.service", 100);
	charge(s, "a.slice/y.service", 200);
	astray = add_in(s, "/a.slice/x.service", "/");
	add(s, "/a.slice/x.service");
	add(s, "/a.slice/y.service");
	pass(s);
	assert_total(s, OWNER_UNIT, "x.service", NO);
	assert_total(s, OWNER_SLICE, "a.slice", NO);
	assert_total(s, OWNER_UNIT, "y.service", 200);
	assert_int_equal(s->charges.counts[CHARGE_AMBIGUOUS], 2);
	assert_int_equal(s->charges.counts[CHARGE_NONE], 0);
	/* Which member is found first does not matter. */
	assert_int_equal(find_in(s, astray, "/a.slice/y.service", "/b"), 0);
	pass(s);
	assert_total(s, OWNER_UNIT, "x.service", 100);
	assert_total(s, OWNER_UNIT, "y.service", NO);
	assert_total(s, OWNER_SLICE, "a.slice", NO);
	assert_int_equal(s->charges.counts[CHARGE_AMBIGUOUS], 2);
	assert_int_equal(find(s, astray, "/a.slice/y.service"), 0);
	pass(s);
	assert_total(s, OWNER_UNIT, "y.service", 200);
	assert_total(s, OWNER_SLICE, "a.slice", 300);
	assert_int_equal(s->charges.counts[CHARGE_AMBIGUOUS], 0);
	/* If all members are outside, the owner has no cgroup at all. */
	for (size_t i = 0; i < s->count; i++)
		assert_int_equal(find_in(s, i, "/a.slice/x.service", "/"), 0);
	pass(s);
	assert_int_equal(s->charges.counts[CHARGE_AMBIGUOUS], 0);
	assert_int_equal(s->charges.counts[CHARGE_NONE], 2);
}

/* Nothing remains of a process that left an owner's cgroup, or exited. */
static void cgroups_without_owners_are_forgotten(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	charge(s, "a.slice/x.service", 100);
	charge(s, "b.slice/y.service", 200);
	add(s, "/a.slice/x.service");
	assert_int_equal(pass(s), 2);
	assert_int_equal(find(s, 0, "/b.slice/y.service"), 0);
	assert_int_equal(s->charges.cgroups.count, 4);
	assert_int_equal(pass(s), 2);
	assert_int_equal(s->charges.cgroups.count, 2);
	assert_total(s, OWNER_UNIT, "y.service", 200);
	assert_total(s, OWNER_UNIT, "x.service", NO); /* without a process */
	/* Another owner may take its place, and inherits nothing. */
	add(s, "/c.slice/z.service");
	begin(s, NS_PER_SEC, UINT64_MAX);
	end(s); /* the pass ends before any cgroup is read */
	assert_total(s, OWNER_UNIT, "z.service", NO);
	assert_total(s, OWNER_UNIT, "y.service", 200); /* as in the former pass */
	s->count = 0;
	assert_int_equal(pass(s), 0);
	assert_int_equal(s->charges.cgroups.count, 0);
	assert_int_equal(s->sums.memberships.count, 0);
}

static uint64_t age_ns(struct scene *s, const char *unit)
{
	return owner_of_name(s, OWNER_UNIT, unit)->q[SCOPE_CGROUP_AGE];
}

/*
 * Without spare time each cgroup is read within a minute, evenly spread; a new one is read at once.
 */
static void many_are_read_in_turn(void **state)
{
	enum { UNITS = 120, PASSES = 6 };
	AUTO_SCENE struct scene *s = scene_new();
	char path[64], text[16];
	uint64_t spent_ns;

	(void)state;
	for (unsigned int i = 0; i < UNITS; i++) {
		snprintf(path, sizeof(path), "/%u.service", i);
		charge(s, path + 1, i);
		add(s, path);
	}
	assert_int_equal(pass_of(s, 10 * NS_PER_SEC, 0), UNITS);
	for (unsigned int n = 0; n < PASSES - 1; n++)
		assert_int_equal(pass_of(s, 10 * NS_PER_SEC, 0), UNITS / PASSES + 1);
	for (unsigned int i = 0; i < UNITS; i++) {
		snprintf(path, sizeof(path), "%u.service", i);
		charge(s, path, 1000 + i);
	}
	for (unsigned int n = 0; n < PASSES; n++)
		pass_of(s, 10 * NS_PER_SEC, 0);
	for (unsigned int i = 0; i < UNITS; i++) {
		snprintf(text, sizeof(text), "%u.service", i);
		assert_total(s, OWNER_UNIT, text, 1000 + i);
	}
	/*
	 * The new cgroup is read in addition to those that are due. The other figures become older.
	 */
	charge(s, "new.service", 5);
	add(s, "/new.service");
	assert_int_equal(pass_of(s, 10 * NS_PER_SEC, 0), UNITS / PASSES + 1);
	assert_total(s, OWNER_UNIT, "new.service", 5);
	assert_true(age_ns(s, "new.service") < age_ns(s, "60.service"));
	/* All are read if there is time, or if passes are more than a minute apart. */
	assert_int_equal(pass_of(s, 10 * NS_PER_SEC, UINT64_MAX), UNITS + 1);
	spent_ns = s->charges.spent_ns;
	assert_int_equal(pass_of(s, 100 * NS_PER_SEC, 0), UNITS + 1);
	/* With a quarter of the time that all have taken, until it is used up. */
	assert_int_equal(pass_of(s, NS_PER_MSEC, 0), 1);
	assert_in_range(pass_of(s, NS_PER_MSEC, spent_ns / 4), 2, UNITS);
}

/*
 * Without a controller no owner is charged, and former charges are not shown. When a controller
 * returns, all cgroups are read.
 */
static void the_controller_comes_and_goes(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();
	char nothing[] = "";

	(void)state;
	charge(s, "x.service", 100);
	charge(s, "y.service", 200);
	add(s, "/x.service");
	pass(s);
	assert_true(s->charges.are_counted);
	assert_int_equal(memcg_mount_find(&s->charges.fs, nothing, 0), 0);
	add(s, "/y.service");
	assert_int_equal(pass(s), 0);
	assert_false(memcg_charges_are_there(&s->charges));
	assert_false(s->charges.are_counted);
	assert_total(s, OWNER_UNIT, "x.service", NO);
	for (unsigned int i = 0; i < CHARGE_OUTCOMES; i++)
		assert_int_equal(s->charges.counts[i], 0);
	look(s);
	assert_int_equal(pass(s), 1);
	assert_total(s, OWNER_UNIT, "x.service", 100);
	assert_total(s, OWNER_UNIT, "y.service", NO);
	assert_int_equal(find(s, 1, "/y.service"), 0); /* which is read again within a minute */
	assert_int_equal(pass(s), 2);
	assert_total(s, OWNER_UNIT, "y.service", 200);
	/* The controller cannot be opened once. */
	s->charges.fs.minor++;
	assert_int_equal(pass(s), 0);
	assert_false(s->charges.are_counted);
	assert_total(s, OWNER_UNIT, "x.service", NO);
	s->charges.fs.minor--;
	assert_int_equal(pass_of(s, NS_PER_MSEC, 0), 2); /* as if it had never been read */
	assert_total(s, OWNER_UNIT, "x.service", 100);
}

/* Expects a reading for each cgroup of P's owners. */
static void assert_has_readings(struct scene *s, const struct process *p)
{
	const struct membership *m = owner_sums_membership(&s->sums, p->membership);

	for (unsigned int kind = 0; kind < OWNER_KINDS; kind++)
		assert_true(m->cgroup[kind] == MEMCG_CHARGES_NO_CGROUP ||
			    m->cgroup[kind] < s->charges.readings);
}

/*
 * Whichever allocation fails, it is reported, the process keeps its owners, and the next attempt
 * succeeds.
 */
static void lack_of_memory_is_reported(void **state)
{
	(void)state;
	for (unsigned int n = 1, done = 0; !done; n++) {
		AUTO_SCENE struct scene *s = scene_new();
		char path[64];
		int r = 0;

		add(s, "/a.slice/x.service");
		charge(s, "a.slice/x.service", 100);
		for (unsigned int i = 0; i < 40; i++) { /* enough to make the tables grow */
			snprintf(path, sizeof(path), "/b.slice/%u.service", i);
			process_init(&s->process[s->count], 7);
			allocation_fail_at(n > i ? n - i : 0);
			r = find(s, s->count, path);
			if (allocation_end()) {
				assert_int_equal(r, -ENOMEM);
				membership_drop(&s->process[s->count]);
				r = find(s, s->count, path);
			}
			assert_int_equal(r, 0);
			assert_has_readings(s, &s->process[s->count]);
			s->count++;
		}
		begin(s, NS_PER_SEC, UINT64_MAX);
		while (memcg_charges_step(&s->charges))
			;
		end(s);
		assert_total(s, OWNER_UNIT, "x.service", 100);
		assert_int_equal(s->charges.cgroups.count, 43);
		done = n == 60;
	}
}

static void lack_of_memory_for_the_order_is_reported(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	charge(s, "x.service", 100);
	add(s, "/x.service");
	owner_sums_begin(&s->sums, 1);
	owner_sums_add(&s->sums, &s->process[0],
		&(struct snapshot_process){.outcome = OUTCOME_DENIED}, &(struct growth_step){0});
	allocation_fail_at(1);
	assert_int_equal(memcg_charges_begin(&s->charges, &s->sums, NS_PER_SEC, 0), -ENOMEM);
	assert_true(allocation_end());
	assert_int_equal(pass(s), 1);
	assert_total(s, OWNER_UNIT, "x.service", 100);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(owners_have_the_charges_of_their_cgroups),
		cmocka_unit_test(owners_have_the_counters_of_their_cgroups),
		cmocka_unit_test(each_pass_reads_again),
		cmocka_unit_test(an_owner_with_two_cgroups_has_no_charge),
		cmocka_unit_test(an_owner_charged_in_part_has_no_charge),
		cmocka_unit_test(cgroups_without_owners_are_forgotten),
		cmocka_unit_test(many_are_read_in_turn),
		cmocka_unit_test(the_controller_comes_and_goes),
		cmocka_unit_test(lack_of_memory_is_reported),
		cmocka_unit_test(lack_of_memory_for_the_order_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
