/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of snapshot/owner.h: kinds of owners and their names. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <ctype.h>

#include "snapshot/owner.h"
#include "snapshot/view.h"

static bool is_word(const char *text, int (*is)(int))
{
	for (; *text; text++)
		if (*text != '_' && !is((unsigned char)*text))
			return false;
	return true;
}

/*
 * A name is also a label, a field and a filter; a list is part of a path; a title heads a column.
 */
static void names_each_kind(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < OWNER_KINDS; i++) {
		const struct owner *o = owner_of((enum owner_kind)i);
		size_t len;

		assert_non_null(o->name);
		len = strlen(o->name);
		assert_true(len > 0 && is_word(o->name, islower));
		assert_true(strlen(o->label) > 0 && strstr(o->name, o->label));
		assert_int_equal(strlen(o->list), len + 1);
		assert_true(!strncmp(o->list, o->name, len) && o->list[len] == 's');
		assert_int_equal(strlen(o->title), len);
		assert_true(is_word(o->title, isupper));
		for (size_t k = 0; k < len; k++)
			assert_int_equal(tolower((unsigned char)o->title[k]), o->name[k]);
	}
}

static void finds_a_kind_by_its_name(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < OWNER_KINDS; i++) {
		const struct owner *o = owner_of((enum owner_kind)i);

		assert_int_equal(owner_find(o->name), i);
		assert_int_equal(owner_find_list(o->list), i);
		assert_int_equal(owner_find(o->list), OWNER_KINDS);
		assert_int_equal(owner_find_list(o->name), OWNER_KINDS);
	}
	assert_int_equal(owner_find(""), OWNER_KINDS);
	assert_int_equal(owner_find("process"), OWNER_KINDS);
	assert_int_equal(owner_find("host"), OWNER_KINDS);
	assert_int_equal(owner_find_list("processes"), OWNER_KINDS);
}

/* Each kind of owner is a scope and has a section of its own. */
static void each_kind_is_a_scope(void **state)
{
	unsigned int scopes = 0;

	(void)state;
	for (int scope = METRIC_HOST; scope < METRIC_SCOPES; scope++) {
		enum metric_scope s = (enum metric_scope)scope;

		if (!metric_is_owner(s))
			continue;
		assert_int_equal(metric_owner_scope(metric_owner_kind(s)), s);
		assert_int_equal(view_section_kind(s), SECTION_OWNERS + metric_owner_kind(s));
		assert_string_equal(metric_scope_name(s), owner_of(metric_owner_kind(s))->name);
		scopes++;
	}
	assert_int_equal(scopes, OWNER_KINDS);
	assert_false(metric_is_owner(METRIC_HOST));
	assert_false(metric_is_owner(METRIC_PROCESS));
	assert_false(metric_is_owner(METRIC_SELF));
	assert_int_equal(metric_owner_kind(METRIC_UNIT), OWNER_UNIT);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_each_kind),
		cmocka_unit_test(finds_a_kind_by_its_name),
		cmocka_unit_test(each_kind_is_a_scope),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
