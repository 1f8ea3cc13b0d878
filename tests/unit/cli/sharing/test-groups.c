/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the groups of processes for `memtally sharing`, with the sample snapshot. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "cli/sharing/groups.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/snapshot/sample.h"

/*
 * Formats the groups as "alice 4: 1000 1001 1003; ": name, number of processes, and the pids to
 * walk. "not " marks groups that were not chosen; "(1)" counts processes that use an address space
 * of another group.
 */
static const char *text_of(const struct groups *c, struct buffer *to)
{
	size_t k = 0;

	for (uint32_t i = 0; i < c->groups; i++) {
		const struct groups_group *group = &c->group[i];

		buffer_printf(to, "%s%s %u", group->is_chosen ? "" : "not ",
			group->name ? group->name : "all", group->processes);
		if (group->elsewhere)
			buffer_printf(to, " (%u)", group->elsewhere);
		buffer_add_char(to, ':');
		for (; k < c->members && c->member[k].group == i; k++)
			buffer_printf(to, " %d", (int)c->member[k].pid);
		buffer_add_text(to, "; ");
	}
	assert_int_equal(k, c->members);
	buffer_add_char(to, '\0');
	return to->data;
}

static void check(enum owner_kind kind, const char *const chosen, const char *expected)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	bool is_chosen[SAMPLE_PROCESSES];
	AUTO_BUFFER struct buffer text = {0};
	AUTO_GROUPS struct groups c = {0};

	for (uint32_t i = 0; chosen && i < SAMPLE_PROCESSES; i++)
		is_chosen[i] = !strcmp(view_owner(view, view_process(view, i), OWNER_USER), chosen);
	assert_int_equal(groups_make(view, kind, chosen ? is_chosen : NULL, &c), 0);
	assert_string_equal(text_of(&c, &text), expected);
}

static void processes_are_grouped(void **state)
{
	(void)state;
	check(OWNER_USER, NULL,
		"4242 2: 4242 4243; alice 4: 1000 1001 1003; bob 2: 2000 2001; carol 1: 2200; dave 1: 5000; "
		"erin 1: 4194303; root 4: 1 300 301 400; 小野 1: 2100; ");
	check(OWNER_USER, "bob",
		"bob 2: 2000 2001; not 4242 2: 4242 4243; not alice 4: 1000 1001 1003; not carol 1: 2200; "
		"not dave 1: 5000; not erin 1: 4194303; not root 4: 1 300 301 400; not 小野 1: 2100; ");
	check(OWNER_KINDS, "bob",
		"all 2: 2000 2001; "
		"not all 14: 1 300 301 400 1000 1001 1003 2100 2200 4242 4243 5000 4194303; ");
	check(OWNER_USER, "nobody",
		"not 4242 2: 4242 4243; not alice 4: 1000 1001 1003; not bob 2: 2000 2001; not carol 1: 2200; "
		"not dave 1: 5000; not erin 1: 4194303; not root 4: 1 300 301 400; not 小野 1: 2100; ");
}

/* Sessions of alice and of bob have one name here. Processes without a session have no user. */
static void owners_of_two_users_are_distinct(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	const uint32_t ref = view_find_process(view, 2001)->owner[OWNER_SESSION];
	AUTO_FREE char *data = malloc(view->size);
	AUTO_VIEW struct view *same = NULL;
	AUTO_GROUPS struct groups c = {0};
	const char *reason = NULL;
	uint32_t found = 0;

	(void)state;
	assert_non_null(data);
	memcpy(data, view->data, view->size);
	data[(const unsigned char *)view_text(view, ref) - view->data] = '2';
	assert_int_equal(view_from_bytes(data, view->size, &same, &reason), 0);
	assert_int_equal(groups_make(same, OWNER_SESSION, NULL, &c), 0);
	for (uint32_t i = 0; i < c.groups; i++) {
		bool is_both = !strcmp(c.group[i].name, "2");

		if (is_both)
			assert_string_equal(c.group[i].user, found++ ? "bob" : "alice");
		else if (!strcmp(c.group[i].name, "(none)"))
			assert_string_equal(c.group[i].user, "");
		if (is_both)
			assert_int_equal(c.group[i].processes, 1);
	}
	assert_int_equal(found, 2);
}

static void a_shared_address_space_is_found_at_its_owner(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);

	(void)state;
	assert_int_equal(groups_find(view, 1000)->pid, 1000);
	assert_null(groups_find(view, 5));
	for (uint32_t i = 0; i < SAMPLE_PROCESSES; i++) {
		const struct snapshot_process *row = view_process(view, i);

		if (row->outcome == OUTCOME_SHARED_MM)
			assert_int_equal(groups_find(view, (pid_t)row->pid)->pid, row->mm_pid);
		if (row->outcome == OUTCOME_NO_MM)
			assert_null(groups_find(view, (pid_t)row->pid));
	}
}

/* A process of alice's shares the address space of one of bob's. */
static void memory_in_another_group_counts_there(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	const struct snapshot_process *row = view_find_process(view, 1002);
	AUTO_FREE unsigned char *data = malloc(view->size);
	AUTO_VIEW struct view *same = NULL;
	AUTO_BUFFER struct buffer text = {0};
	AUTO_GROUPS struct groups users = {0}, one = {0};
	const uint32_t mm_pid = 2000;
	const char *reason = NULL;
	size_t at;

	(void)state;
	assert_non_null(data);
	assert_int_equal(row->outcome, OUTCOME_SHARED_MM);
	memcpy(data, view->data, view->size);
	at = (size_t)((const unsigned char *)&row->mm_pid - view->data);
	memcpy(data + at, &mm_pid, sizeof(mm_pid));
	assert_int_equal(view_from_bytes(data, view->size, &same, &reason), 0);
	assert_int_equal(groups_make(same, OWNER_USER, NULL, &users), 0);
	assert_non_null(strstr(text_of(&users, &text), "alice 4 (1): 1000 1001 1003; bob 2: "));
	assert_int_equal(groups_make(same, OWNER_KINDS, NULL, &one), 0);
	assert_int_equal(one.group[0].elsewhere, 0);
}

static void lack_of_memory_is_reported(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);

	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_GROUPS struct groups c = {0};

		allocation_fail_at(n);
		if (allocation_check(groups_make(view, OWNER_USER, NULL, &c)))
			assert_null(c.member);
	}
	assert_true(allocation_count() > 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_are_grouped),
		cmocka_unit_test(owners_of_two_users_are_distinct),
		cmocka_unit_test(a_shared_address_space_is_found_at_its_owner),
		cmocka_unit_test(memory_in_another_group_counts_there),
		cmocka_unit_test(lack_of_memory_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
