/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of ledger/store/store.h: the owners in a report, and names that change. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/ledger/fed-store.h"

static void users_see_their_own_usage(void **state)
{
	const struct store_reader bob = {.uid = 1001}, stranger = {.uid = 4711},
				  nobody = {.uid = OWNER_NO_ID};
	struct fed_store *f = *state;
	struct fed_store_answer a;

	feed_set(feed_add(&f->feed, USAGE_CONTAINER, 0, "c0ffee", "bob"), MIB, 1);
	feed_set(feed_add(&f->feed, USAGE_CONTAINER, 0, "c0ffee", "alice"), 2 * MIB, 1);
	feed_set(feed_add(&f->feed, USAGE_CONTAINER, 0, "(none)", ""), 2 * MIB, 1);
	feed_set(feed_add(&f->feed, USAGE_GROUP, 1001, "bob", ""), 2 * MIB, 1);
	fed_store_start(f);
	fed_store_write_for(f, 600);
	fed_store_ask_as(f, USAGE_USER, START_S, START_S + 600, &bob, &a);
	assert_int_equal(a.head.rows, 1);
	keeping_check_near(fed_store_pss(&a, "bob"), 3 * 600 * GIB_S, 1e-6);
	assert_int_equal(a.head.flags, USAGE_OWN_ONLY);
	buffer_done(&a.body);
	fed_store_ask_as(f, USAGE_CONTAINER, START_S, START_S + 600, &bob, &a);
	assert_int_equal(a.head.rows, 1);
	assert_string_equal(fed_store_row(&a, "c0ffee").user, "bob");
	buffer_done(&a.body);
	for (unsigned int kind = USAGE_USER; kind < USAGE_KINDS_END; kind++) {
		bool has_own = kind == USAGE_USER || kind == USAGE_CONTAINER;

		fed_store_ask_as(f, (enum usage_kind)kind, START_S, START_S + 600, &stranger, &a);
		assert_int_equal(a.head.rows, 0);
		assert_int_equal(a.head.flags, USAGE_OWN_ONLY | (has_own ? 0 : USAGE_NOT_OWN));
		buffer_done(&a.body);
		fed_store_ask_as(f, (enum usage_kind)kind, START_S, START_S + 600, &nobody, &a);
		assert_int_equal(a.head.rows, 0);
		buffer_done(&a.body);
	}
	/* A gid is not a uid. */
	fed_store_ask_as(f, USAGE_GROUP, START_S, START_S + 600, &bob, &a);
	assert_int_equal(a.head.rows, 0);
	buffer_done(&a.body);
}

/*
 * If a uid has been reused, its new user does not see the former user's usage, as the names
 * differ.
 */
static void reused_uid_shows_no_former_usage(void **state)
{
	const struct store_reader reader = {.uid = 1001}, all = {.sees_all = true};
	struct feed_owner *container;
	struct fed_store *f = *state;
	struct fed_store_answer a;

	container = feed_add(&f->feed, USAGE_CONTAINER, 0, "c0ffee", "bob");
	feed_set(container, MIB, 1);
	fed_store_start(f);
	fed_store_write_for(f, 600);
	feed_set(container, 0, 0);
	f->bob->name = "1001";
	fed_store_write_for(f, 600);
	fed_store_ask_as(f, USAGE_USER, START_S, START_S + 1200, &reader, &a);
	assert_int_equal(a.head.rows, 1);
	keeping_check_near(fed_store_pss(&a, "bob"), 3 * 1200 * GIB_S, 1e-6);
	buffer_done(&a.body);
	f->bob->name = "carol";
	fed_store_write_for(f, 600);
	fed_store_ask_as(f, USAGE_USER, START_S, START_S + 1800, &reader, &a);
	assert_int_equal(a.head.rows, 1);
	keeping_check_near(fed_store_pss(&a, "carol"), 3 * 600 * GIB_S, 1e-6);
	buffer_done(&a.body);
	fed_store_ask_as(f, USAGE_CONTAINER, START_S, START_S + 1800, &reader, &a);
	assert_int_equal(a.head.rows, 0);
	buffer_done(&a.body);
	fed_store_ask_as(f, USAGE_USER, START_S, START_S + 1800, &all, &a);
	keeping_check_near(fed_store_pss(&a, "bob"), 3 * 1200 * GIB_S, 1e-6);
	buffer_done(&a.body);
}

static void check_own(struct fed_store *f, int64_t until_s, const char *name, double gib_s)
{
	const struct store_reader reader = {.uid = 1001};
	struct fed_store_answer a;

	fed_store_ask_as(f, USAGE_USER, START_S, until_s, &reader, &a);
	assert_int_equal(a.head.rows, 1);
	keeping_check_near(fed_store_pss(&a, name), gib_s * GIB_S, 0.01);
	buffer_done(&a.body);
	fed_store_ask_as(f, USAGE_CONTAINER, START_S, until_s, &reader, &a);
	assert_int_equal(a.head.rows, 1);
	assert_string_equal(fed_store_row(&a, "c0ffee").user, name);
	buffer_done(&a.body);
}

/*
 * After a uid got a former name back, that is its current name, although another name has the
 * newest series, whatever processes run.
 */
static void uid_may_get_a_former_name_back(void **state)
{
	struct feed_owner *bobs, *carols;
	struct fed_store *f = *state;

	feed_set(bobs = feed_add(&f->feed, USAGE_CONTAINER, 0, "c0ffee", "bob"), MIB, 1);
	carols = feed_add(&f->feed, USAGE_CONTAINER, 0, "c0ffee", "carol");
	fed_store_start(f);
	fed_store_write_for(f, 600);
	f->bob->name = "carol";
	feed_set(bobs, 0, 0);
	feed_set(carols, MIB, 1);
	fed_store_write_for(f, 600);
	check_own(f, START_S + 1200, "carol", 3 * 600);
	f->bob->name = "bob";
	feed_set(carols, 0, 0);
	feed_set(bobs, MIB, 1);
	fed_store_write_for(f, 600);
	check_own(f, START_S + 1800, "bob", 3 * 1200);
	/* The number as a name is not the newest name either. */
	f->bob->name = "1001";
	fed_store_write_for(f, 600);
	check_own(f, START_S + 2400, "bob", 3 * 1800);
	/* No process of either runs any more. */
	feed_set(f->bob, 0, 0);
	feed_set(bobs, 0, 0);
	fed_store_write_for(f, 600);
	fed_store_reopen(f);
	check_own(f, START_S + 3000, "bob", 3 * 1800);
}

/* Until the name service answers, a user is called by the uid. That is the same user. */
static void uid_as_a_name_is_the_same_user(void **state)
{
	struct fed_store *f = *state;
	struct fed_store_answer a;

	f->alice->name = "1000";
	fed_store_start(f);
	fed_store_write_for(f, 300);
	f->alice->name = "alice";
	fed_store_write_for(f, 300);
	f->alice->name = "1000";
	fed_store_write_for(f, 300);
	fed_store_ask(f, USAGE_USER, START_S, START_S + 900, &a);
	assert_int_equal(a.head.rows, 2);
	keeping_check_near(fed_store_pss(&a, "alice"), 900 * GIB_S, 1e-6);
	buffer_done(&a.body);
	/* Another name is another user, to whom the uid may have been given. */
	f->alice->name = "carol";
	fed_store_write_for(f, 300);
	fed_store_ask(f, USAGE_USER, START_S, START_S + 1200, &a);
	assert_int_equal(a.head.rows, 3);
	keeping_check_near(fed_store_pss(&a, "carol"), 300 * GIB_S, 1e-6);
	buffer_done(&a.body);
}

/* The file has the container under the former name of its user. */
static void user_is_renamed_while_the_ledger_is_away(void **state)
{
	struct feed_owner *container;
	struct fed_store *f = *state;
	struct fed_store_answer a;

	container = feed_add(&f->feed, USAGE_CONTAINER, 0, "c0ffee", "1001");
	feed_set(container, GIB, 1);
	f->bob->name = "1001";
	fed_store_start(f);
	fed_store_write_for(f, 600);
	fed_store_close(f);
	feed_wait(&f->feed, 300);
	container->user = f->bob->name = "bob";
	fed_store_start(f);
	fed_store_write_for(f, 300);
	keeping_check_near(fed_store_sum(f, USAGE_CONTAINER), container->true_byte_s / 1024, 1e-6);
	fed_store_ask(f, USAGE_CONTAINER, START_S, START_S + 1200, &a);
	assert_int_equal(a.head.rows, 2);
	buffer_done(&a.body);
}

/* Names in the file that no snapshot can have are not shown. */
static void does_not_trust_names_in_the_file(void **state)
{
	struct fed_store *f = *state;
	struct fed_store_answer a;

	fed_store_start(f);
	fed_store_write_for(f, 600);
	fed_store_count(f, "DELETE FROM counter RETURNING 1");
	fed_store_count(
		f, "UPDATE series SET name = 'x' || char(27) WHERE name = 'bob' RETURNING 1");
	fed_store_count(
		f, "UPDATE day SET pss = -5, processes = 'many' WHERE series = 1 RETURNING 1");
	fed_store_count(
		f, "UPDATE hour SET pss = -5, processes = 'many' WHERE series = 1 RETURNING 1");
	fed_store_count(
		f, "UPDATE bucket SET pss = -5, processes = 'many' WHERE series = 1 RETURNING 1");
	fed_store_ask(f, USAGE_USER, START_S, START_S + 600, &a);
	assert_int_equal(a.head.rows, 1);
	assert_false(fed_store_row(&a, "alice").present & 1U << USAGE_PSS);
	buffer_done(&a.body);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		FED_STORE_TEST(users_see_their_own_usage),
		FED_STORE_TEST(reused_uid_shows_no_former_usage),
		FED_STORE_TEST(uid_may_get_a_former_name_back),
		FED_STORE_TEST(uid_as_a_name_is_the_same_user),
		FED_STORE_TEST(user_is_renamed_while_the_ledger_is_away),
		FED_STORE_TEST(does_not_trust_names_in_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
