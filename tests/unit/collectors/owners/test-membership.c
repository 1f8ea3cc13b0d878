/* SPDX-License-Identifier: Apache-2.0 */
/* Tests which owners a process gets from what was read of it, and which former ones it keeps. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>

#include "base/cleanup.h"
#include "collectors/owners/membership.h"
#include "snapshot/owner.h"
#include "tests/unit/support/faults/allocation.h"

#define ID   "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define UUID "1b4e28ba-2fa1-11d2-883f-0016d3cca427"
#define POD  "/kubepods.slice/kubepods-pod1b4e28ba_2fa1_11d2_883f_0016d3cca427.slice/"

enum { GID_APART = 100000 };

struct scene {
	struct owner_sums sums;
	struct memcg_charges charges;
	struct process_reader reader;
};

static void scene_open(struct scene *s)
{
	*s = (struct scene){0};
	owner_sums_init(&s->sums, 1);
	memcg_charges_init(&s->charges);
}

static void scene_close(struct scene *s)
{
	memcg_charges_done(&s->charges);
	owner_sums_done(&s->sums);
	buffer_done(&s->reader.program);
	buffer_done(&s->reader.cgroup_text);
}
#define AUTO_SCENE CLEANUP(scene_close)

/* Reports what was read of P: PROGRAM and CGROUP, each NULL if it was not read. */
static int find(
	struct scene *s, struct process *p, uid_t uid, const char *program, const char *cgroup)
{
	struct sample sample = {.is_member = true,
		.is_renamed = program != NULL,
		.has_cgroup = cgroup != NULL,
		.uid = uid,
		.user = uid,
		.group = uid + GID_APART};

	if (program) {
		buffer_clear(&s->reader.program);
		buffer_add_text(&s->reader.program, program);
	}
	if (cgroup) {
		buffer_clear(&s->reader.cgroup_text);
		buffer_add_text(&s->reader.cgroup_text, cgroup);
		cgroup_parse(
			s->reader.cgroup_text.data, s->reader.cgroup_text.len, &s->reader.cgroup);
	}
	return membership_set(&s->sums, &s->charges, &s->reader, p, &sample);
}

static struct process new_process(
	struct scene *s, uid_t uid, const char *program, const char *cgroup)
{
	struct process p;

	process_init(&p, 1);
	assert_int_equal(find(s, &p, uid, program, cgroup), 0);
	return p;
}

static const struct scope *owner(struct scene *s, const struct process *p, enum owner_kind kind)
{
	assert_int_not_equal(p->membership, PROCESS_NO_SCOPE);
	return owner_table_at(
		&s->sums.table[kind], owner_sums_owners(&s->sums, p->membership)[kind]);
}

static void assert_owner(
	struct scene *s, const struct process *p, enum owner_kind kind, const char *name)
{
	assert_string_equal(owner(s, p, kind)->key, name);
}

static void every_process_has_an_owner_of_each_kind(void **state)
{
	AUTO_SCENE struct scene s;
	struct process p;

	(void)state;
	scene_open(&s);
	p = new_process(&s, 1000, NULL, NULL);
	assert_int_equal(owner(&s, &p, OWNER_USER)->id, 1000);
	assert_owner(&s, &p, OWNER_PROGRAM, "(unnamed)");
	assert_int_equal(owner(&s, &p, OWNER_GROUP)->id, 1000 + GID_APART);
	for (unsigned int kind = OWNER_UNIT; kind <= OWNER_CONTAINER; kind++) {
		assert_owner(&s, &p, (enum owner_kind)kind, OWNER_NONE);
		assert_false(owner(&s, &p, (enum owner_kind)kind)->has_user);
		assert_null(owner(&s, &p, (enum owner_kind)kind)->above);
	}
	/* The names are read in a later pass. */
	assert_int_equal(
		find(&s, &p, 1000, "sh", "0::/user.slice/user-1000.slice/session-2.scope\n"), 0);
	assert_owner(&s, &p, OWNER_PROGRAM, "sh");
	assert_owner(&s, &p, OWNER_UNIT, "session-2.scope");
	assert_owner(&s, &p, OWNER_SESSION, "2");
	assert_owner(&s, &p, OWNER_SLICE, "user-1000.slice");
	assert_owner(&s, &p, OWNER_USER_UNIT, OWNER_NONE);
	assert_true(owner(&s, &p, OWNER_SESSION)->has_user);
	assert_int_equal(owner(&s, &p, OWNER_SESSION)->user, 1000);
}

/* A user who creates cgroups cannot make one appear under one of memtally's labels. */
static void no_cgroup_has_the_name_of_a_label(void **state)
{
	static const char *const names[] = {"(none)", "(other)", "(unnamed)", "(memfd)"};
	static const char *const paths[] = {"0::/system.slice/%s\n",
		"0::/system.slice/%s.service\n",
		"0::/user.slice/user-1000.slice/session-%s.scope\n",
		"0::/user.slice/user-1000.slice/user@1000.service/app.slice/%s.scope\n",
		"0::/machine.slice/machine-%s.scope\n", "0::/lxc.payload.%s\n", "0::/lxc/%s\n",
		"0::/%s.slice/x.service\n", "0::/docker/%s\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		for (size_t k = 0; k < ARRAY_SIZE(names); k++) {
			AUTO_SCENE struct scene s;
			struct process p;
			char path[256];

			scene_open(&s);
			snprintf(path, sizeof(path), paths[i], names[k]);
			p = new_process(&s, 1000, "sh", path);
			for (unsigned int kind = OWNER_UNIT; kind <= OWNER_CONTAINER; kind++) {
				const char *found = owner(&s, &p, (enum owner_kind)kind)->key;

				assert_true(!strchr(found, '(') || !strcmp(found, OWNER_NONE));
				assert_true(strcmp(found, OWNER_NONE) != 0 ||
					    !owner(&s, &p, (enum owner_kind)kind)->has_user);
			}
		}
}

/* Owners that were not read again stay unchanged. */
static void only_the_changed_owner_changes(void **state)
{
	AUTO_SCENE struct scene s;
	struct process p;
	uint32_t before;

	(void)state;
	scene_open(&s);
	p = new_process(&s, 0, "login", "0::/machine.slice/machine-mt.scope\n");
	before = p.membership;
	assert_int_equal(find(&s, &p, 0, NULL, NULL), 0);
	assert_int_equal(p.membership, before);
	assert_int_equal(find(&s, &p, 7, NULL, NULL), 0);
	assert_int_not_equal(p.membership, before);
	assert_int_equal(owner(&s, &p, OWNER_USER)->id, 7);
	assert_int_equal(owner(&s, &p, OWNER_GROUP)->id, 7 + GID_APART);
	assert_owner(&s, &p, OWNER_PROGRAM, "login");
	assert_owner(&s, &p, OWNER_MACHINE, "mt");
	assert_int_equal(find(&s, &p, 7, "sh", NULL), 0);
	assert_owner(&s, &p, OWNER_PROGRAM, "sh");
	assert_owner(&s, &p, OWNER_MACHINE, "mt");
	assert_int_equal(find(&s, &p, 7, NULL, "0::/system.slice/x.service\n"), 0);
	assert_owner(&s, &p, OWNER_PROGRAM, "sh");
	assert_owner(&s, &p, OWNER_MACHINE, OWNER_NONE);
	assert_owner(&s, &p, OWNER_UNIT, "x.service");
	/* As it was at first. */
	assert_int_equal(find(&s, &p, 0, "login", "0::/machine.slice/machine-mt.scope\n"), 0);
	assert_int_equal(p.membership, before);
	p.naming = NAMING_SETTLED;
	p.inherits_group = true;
	membership_drop(&p);
	assert_int_equal(p.membership, PROCESS_NO_SCOPE);
	assert_false(p.known);
	assert_int_equal(p.naming, NAMING_NEW); /* its group is gone, too */
	assert_false(p.inherits_group);
}

/* Owners of different users have equal names; the user distinguishes them. */
static void owners_with_equal_names_are_distinct(void **state)
{
	static const char *const cgroups[] = {
		"0::/user.slice/user-1000.slice/user@1000.service/app.slice/x.service\n",
		"0::/user.slice/user-1001.slice/user@1001.service/app.slice/x.service\n",
		"0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope\n",
		"0::/user.slice/user-1001.slice/user@1001.service/user.slice/libpod-" ID ".scope\n",
		"0::/machine.slice/libpod-" ID ".scope\n",
		"0::" POD "cri-containerd-" ID ".scope\n",
	};
	AUTO_SCENE struct scene s;
	struct process p[ARRAY_SIZE(cgroups)], again;

	(void)state;
	scene_open(&s);
	for (size_t i = 0; i < ARRAY_SIZE(cgroups); i++)
		p[i] = new_process(&s, 1000, "x", cgroups[i]);
	for (size_t i = 0; i < ARRAY_SIZE(cgroups); i++)
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(p[i].membership, p[k].membership);
	for (size_t i = 0; i < 2; i++) {
		assert_owner(&s, &p[i], OWNER_USER_UNIT, "x.service");
		assert_int_equal(owner(&s, &p[i], OWNER_USER_UNIT)->user, 1000 + i);
		assert_owner(&s, &p[i], OWNER_CONTAINER, OWNER_NONE);
	}
	for (size_t i = 2; i < ARRAY_SIZE(cgroups); i++) {
		assert_owner(&s, &p[i], OWNER_CONTAINER, ID);
		for (size_t k = 2; k < i; k++)
			assert_ptr_not_equal(owner(&s, &p[i], OWNER_CONTAINER),
				owner(&s, &p[k], OWNER_CONTAINER));
	}
	assert_int_equal(owner(&s, &p[3], OWNER_CONTAINER)->user, 1001);
	assert_int_equal(owner(&s, &p[3], OWNER_CONTAINER)->id, RUNTIME_PODMAN);
	assert_false(owner(&s, &p[4], OWNER_CONTAINER)->has_user);
	assert_null(owner(&s, &p[4], OWNER_CONTAINER)->above);
	assert_int_equal(owner(&s, &p[4], OWNER_CONTAINER)->id, RUNTIME_PODMAN);
	assert_string_equal(owner(&s, &p[5], OWNER_CONTAINER)->above, UUID);
	assert_int_equal(owner(&s, &p[5], OWNER_CONTAINER)->id, RUNTIME_CONTAINERD);
	assert_owner(&s, &p[5], OWNER_POD, UUID);
	for (size_t i = 0; i < ARRAY_SIZE(cgroups); i++) {
		again = new_process(&s, 1000, "x", cgroups[i]);
		assert_int_equal(again.membership, p[i].membership);
	}
}

/* Whichever allocation fails, the process keeps its owners, or has none. */
static void lack_of_memory_is_reported(void **state)
{
	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_SCENE struct scene s;
		struct process p;

		scene_open(&s);
		process_init(&p, 1);
		buffer_add_text(&s.reader.program, "x");
		buffer_add_text(&s.reader.cgroup_text, "0::" POD "crio-" ID ".scope\n");
		assert_int_equal(s.reader.program.error | s.reader.cgroup_text.error, 0);
		allocation_fail_at(n);
		if (allocation_check(find(&s, &p, 5, "x", "0::" POD "crio-" ID ".scope\n")))
			assert_int_equal(p.membership, PROCESS_NO_SCOPE);
	}
	assert_true(allocation_count() > 9);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_process_has_an_owner_of_each_kind),
		cmocka_unit_test(no_cgroup_has_the_name_of_a_label),
		cmocka_unit_test(only_the_changed_owner_changes),
		cmocka_unit_test(owners_with_equal_names_are_distinct),
		cmocka_unit_test(lack_of_memory_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
