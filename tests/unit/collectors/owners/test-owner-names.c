/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/owners/owner-names.h: when the names of users are looked up. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "collectors/owners/owner-names.h"

static struct scope *add(struct owner_table *users, uid_t uid)
{
	struct scope *user = owner_table_get(users, &uid, sizeof(uid));

	assert_non_null(user);
	user->id = uid;
	return user;
}

static void looks_up_each_user_once(void **state)
{
	struct owner_table users = {0};
	uint32_t cursor = 0;
	uid_t uid;

	(void)state;
	add(&users, 1000);
	add(&users, 1001);
	assert_false(owner_names_are_awaited(&users)); /* no lookup has started */
	assert_true(owner_names_next(&users, &cursor, &uid));
	assert_true(owner_names_next(&users, &cursor, &uid));
	assert_false(owner_names_next(&users, &cursor, &uid));
	cursor = 0;
	assert_false(owner_names_next(&users, &cursor, &uid));
	assert_true(owner_names_are_awaited(&users));
	owner_names_set(&users, 1000, "alice", 5);
	assert_true(owner_names_are_awaited(&users));
	owner_names_set(&users, 1001, NULL, 5);
	assert_false(owner_names_are_awaited(&users));
	owner_table_done(&users);
}

/* New users appear while lookups go on. */
static void looks_up_users_that_appear_later(void **state)
{
	struct owner_table users = {0};
	uint32_t cursor = 0;
	uid_t uid;

	(void)state;
	add(&users, 1000);
	assert_true(owner_names_next(&users, &cursor, &uid));
	assert_false(owner_names_next(&users, &cursor, &uid));
	add(&users, 1001);
	assert_true(owner_names_next(&users, &cursor, &uid));
	assert_int_equal(uid, 1001);
	assert_false(owner_names_next(&users, &cursor, &uid));
	owner_table_done(&users);
}

/* OWNER_NO_ID stands for an unknown owner, which no name service can know. */
static void does_not_look_up_unknown_ids(void **state)
{
	struct owner_table users = {0};
	uint32_t cursor = 0;
	uid_t uid;

	(void)state;
	add(&users, OWNER_NO_ID);
	assert_false(owner_names_next(&users, &cursor, &uid));
	add(&users, 1000);
	assert_true(owner_names_next(&users, &cursor, &uid));
	assert_int_equal(uid, 1000);
	assert_false(owner_names_next(&users, &cursor, &uid));
	owner_table_done(&users);
}

static void cuts_long_names(void **state)
{
	char name[2000];
	struct owner_table users = {0};
	const struct scope *user = add(&users, 1000);

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	owner_names_set(&users, 1000, name, 5);
	assert_int_equal(strlen(user->name), SNAPSHOT_NAME_MAX - strlen(":4294967295"));
	memset(name, '\xff', 255);
	name[255] = 0;
	owner_names_set(&users, 1000, name, 5);
	assert_int_equal(strlen(user->name), 255 * 3);
	owner_table_done(&users);
}

static void cleans_names(void **state)
{
	struct owner_table users = {0};
	struct scope *user = add(&users, 7);

	(void)state;
	owner_names_set(&users, 7, "a\x1b[31m\xff", 5);
	assert_string_equal(user->name, "a\\x1b[31m\xef\xbf\xbd");
	owner_names_set(&users, 7, "", 6);
	assert_null(user->name);
	owner_names_set(&users, 8, "nobody asked", 6); /* a user without processes by now */
	owner_table_done(&users);
}

static void looks_up_again_after_an_hour(void **state)
{
	struct owner_table users = {0};
	struct scope *user = add(&users, 7);
	uint32_t cursor = 0;
	uid_t uid;

	(void)state;
	assert_true(owner_names_next(&users, &cursor, &uid));
	owner_names_set(&users, 7, "bob", 5);
	owner_names_renew(&users, 4 + OWNER_NAMES_MAX_AGE_NS);
	cursor = 0;
	assert_false(owner_names_next(&users, &cursor, &uid));
	owner_names_renew(&users, 5 + OWNER_NAMES_MAX_AGE_NS);
	cursor = 0;
	assert_true(owner_names_next(&users, &cursor, &uid));
	assert_string_equal(user->name, "bob");        /* kept until the new answer */
	assert_false(owner_names_are_awaited(&users)); /* the pass does not wait for it */
	owner_table_done(&users);
}

/* A failed lookup does not mean that the user has no name. */
static void keeps_the_name_if_the_lookup_fails(void **state)
{
	struct owner_table users = {0};
	struct scope *user = add(&users, 7);
	uint32_t cursor = 0;
	uid_t uid;

	(void)state;
	owner_names_set(&users, 7, "bob", 5);
	owner_names_renew(&users, 5 + OWNER_NAMES_MAX_AGE_NS);
	assert_true(owner_names_next(&users, &cursor, &uid));
	owner_names_fail(&users, 7, 6 + OWNER_NAMES_MAX_AGE_NS);
	assert_string_equal(user->name, "bob");
	cursor = 0;
	assert_true(owner_names_next(&users, &cursor, &uid)); /* looked up again */
	owner_table_done(&users);
}

static void waits_for_a_name_once(void **state)
{
	struct owner_table users = {0};
	uint32_t cursor = 0;
	uid_t uid;

	(void)state;
	add(&users, 7);
	assert_true(owner_names_next(&users, &cursor, &uid));
	assert_true(owner_names_are_awaited(&users));
	owner_names_give_up(&users, 5);
	assert_false(owner_names_are_awaited(&users));
	owner_names_set(&users, 7, "late", 6); /* a late answer is still used */
	assert_string_equal(owner_table_find(&users, &uid, sizeof(uid))->name, "late");
	owner_table_done(&users);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(looks_up_each_user_once),
		cmocka_unit_test(looks_up_users_that_appear_later),
		cmocka_unit_test(does_not_look_up_unknown_ids),
		cmocka_unit_test(cuts_long_names),
		cmocka_unit_test(cleans_names),
		cmocka_unit_test(looks_up_again_after_an_hour),
		cmocka_unit_test(keeps_the_name_if_the_lookup_fails),
		cmocka_unit_test(waits_for_a_name_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
