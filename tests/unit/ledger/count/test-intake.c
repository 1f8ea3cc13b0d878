/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests how the ledger recognizes owners from snapshot to snapshot, and from which counter each
 * continues. The results are read from a bucket.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/ledger/book.h"

static void containers_of_two_users_are_distinct(void **state)
{
	struct book k;
	struct feed_owner *a, *b;
	unsigned int seen = 0;

	(void)state;
	book_begin(&k);
	feed_set(feed_add(&k.feed, USAGE_USER, 1000, "alice", ""), GIB, 1);
	feed_set(feed_add(&k.feed, USAGE_USER, 1001, "bob", ""), GIB, 1);
	a = feed_add(&k.feed, USAGE_CONTAINER, 0, "c0ffee", "alice");
	b = feed_add(&k.feed, USAGE_CONTAINER, 0, "c0ffee", "bob");
	feed_set(a, GIB, 1);
	feed_set(b, 2 * GIB, 1);
	book_take(&k);
	feed_wait(&k.feed, 10);
	book_take(&k);
	for (size_t i = 0; i < k.b.rows.count; i++) {
		const struct row *row = k.b.rows.row[i];

		if (row->kind != USAGE_CONTAINER)
			continue;
		keeping_check_near(
			row->pss_byte_s, strcmp(row->user, "bob") ? 10.0 * GIB : 20.0 * GIB, 1e-9);
		assert_int_equal(row->id, strcmp(row->user, "bob") ? 1000 : 1001);
		seen++;
	}
	assert_int_equal(seen, 2);
	book_end(&k);
}

static void a_user_is_identified_by_the_uid(void **state)
{
	struct book k;
	struct feed_owner *alice;

	(void)state;
	book_begin(&k);
	alice = feed_add(&k.feed, USAGE_USER, 1000, "1000", "");
	feed_set(alice, GIB, 1);
	book_take(&k);
	book_run(&k, 100);
	alice->name = "alice";
	book_run(&k, 100);
	assert_int_equal(k.b.rows.count, 1);
	assert_string_equal(k.b.rows.row[0]->name, "alice");
	keeping_check_near(k.b.rows.row[0]->pss_byte_s, 200.0 * GIB, 1e-9);
	book_end(&k);
}

/* Returns the PSS (byte seconds) of the containers of USER, and their number in *RET_ROWS. */
static double pss_of_user(const struct book *k, const char *user, unsigned int *ret_rows)
{
	double sum = 0;

	*ret_rows = 0;
	for (size_t i = 0; i < k->b.rows.count; i++) {
		const struct row *row = k->b.rows.row[i];

		if (row->kind != USAGE_CONTAINER || strcmp(row->user, user) != 0)
			continue;
		sum += row->pss_byte_s;
		++*ret_rows;
	}
	return sum;
}

static void check_user(const struct book *k, const char *user, double gib_s)
{
	unsigned int rows;

	keeping_check_near(pss_of_user(k, user, &rows), gib_s * GIB, 1e-9);
	assert_int_equal(rows, gib_s > 0);
}

/*
 * The counter belongs to the uid, whatever the user's name is: usage up to the change of name does
 * not count again.
 */
static void a_container_continues_when_its_user_is_renamed(void **state)
{
	static const char *const names[] = {"alice", "alice:1000", "1000", "alicia", "alice"};
	struct book k;
	struct feed_owner *alice, *container;

	(void)state;
	book_begin(&k);
	alice = feed_add(&k.feed, USAGE_USER, 1000, "1000", "");
	container = feed_add(&k.feed, USAGE_CONTAINER, 0, "c0ffee", "1000");
	feed_set(alice, GIB, 1);
	feed_set(container, GIB, 2);
	container->swap_bytes = GIB;
	book_take(&k);
	book_run(&k, 100);
	container->user = alice->name = "alice";
	book_run(&k, 100);
	/* Usage under each name stays with that name. */
	check_user(&k, "1000", 100);
	check_user(&k, "alice", 100);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		container->user = alice->name = names[i];
		book_run(&k, 300);
	}
	book_flush(&k);
	book_check_pss(&k, container, 1e-9);
	keeping_check_near(book_sum(&k, USAGE_CONTAINER, "c0ffee")->processes,
		container->true_process_s, 1e-9);
	keeping_check_near(
		book_sum(&k, USAGE_CONTAINER, "c0ffee")->swap, container->true_swap_byte_s, 1e-9);
	book_end(&k);
}

/*
 * As when the name service does not answer. Two users have a container of the same name: the uid
 * tells which counter continues, or else the value of the counter.
 */
static void containers_continue_when_two_users_are_renamed(void **state)
{
	struct book k;
	struct feed_owner *alice, *bob, *a, *b, *ended;

	(void)state;
	for (int own = 0; own < 2; own++) {
		AUTO_VIEW struct view *view = NULL;

		book_begin(&k);
		alice = feed_add(&k.feed, USAGE_USER, 1000, "alice", "");
		bob = feed_add(&k.feed, USAGE_USER, 1001, "bob", "");
		a = feed_add(&k.feed, USAGE_CONTAINER, 0, "c0ffee", "alice");
		b = feed_add(&k.feed, USAGE_CONTAINER, 0, "c0ffee", "bob");
		ended = feed_add(&k.feed, USAGE_CONTAINER, 0, "decaf", "bob");
		feed_set(alice, GIB, 1);
		feed_set(bob, GIB, 1);
		feed_set(a, GIB, 1);
		feed_set(b, 2 * GIB, 1);
		feed_set(ended, GIB, 1);
		view = feed_pass(&k.feed);
		assert_int_equal(bucket_take(&k.b, view, 0, own), BUCKET_BASELINE);
		assert_false(bucket_advance(&k.b));
		for (int i = 0; i < 5; i++) {
			AUTO_VIEW struct view *next = NULL;

			feed_wait(&k.feed, 10);
			if (i == 2) {
				a->user = alice->name = "1000";
				b->user = bob->name = "1001";
				feed_set(ended, 0, 0);
			}
			next = feed_pass(&k.feed);
			assert_int_equal(bucket_take(&k.b, next, 0, own), 0);
			assert_false(bucket_advance(&k.b));
		}
		check_user(&k, "alice", 20);
		check_user(&k, "1000", 30);
		check_user(&k, "1001", 60);
		for (size_t i = 0; i < k.b.rows.count; i++) {
			const struct row *row = k.b.rows.row[i];

			if (row->kind == USAGE_CONTAINER && !strcmp(row->user, "1001"))
				assert_int_equal(row->id, own ? 1001 : OWNER_NO_ID);
			/* a container that exited, with its PSS falling to 0 */
			if (!strcmp(row->name, "decaf"))
				keeping_check_near(row->pss_byte_s, 25.0 * GIB, 1e-9);
		}
		book_end(&k);
	}
}

/* A row that another user had under this name before is not continued. */
static void a_name_of_a_former_user_starts_anew(void **state)
{
	struct book k;
	struct feed_owner *alice, *bob, *a, *b;

	(void)state;
	book_begin(&k);
	alice = feed_add(&k.feed, USAGE_USER, 1000, "alice", "");
	bob = feed_add(&k.feed, USAGE_USER, 1001, "bob", "");
	a = feed_add(&k.feed, USAGE_CONTAINER, 0, "c0ffee", "alice");
	b = feed_add(&k.feed, USAGE_CONTAINER, 0, "c0ffee", "bob");
	feed_set(alice, GIB, 1);
	feed_set(a, GIB, 1);
	book_take(&k);
	book_run(&k, 50);
	feed_set(bob, GIB, 1);
	feed_set(b, GIB, 1);
	book_run(&k, 50);
	feed_set(bob, 0, 0);
	feed_set(b, 0, 0);
	book_run(&k, 50);
	a->user = alice->name = "bob";
	book_run(&k, 50);
	check_user(&k, "alice", 150);
	check_user(&k, "bob", 100);
	book_end(&k);
}

static void no_usage_is_lost_without_memory(void **state)
{
	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_VIEW struct view *view = NULL;
		struct feed_owner *alice, *container;
		struct book k;

		book_begin(&k);
		alice = feed_add(&k.feed, USAGE_USER, 1000, "1000", "");
		container = feed_add(&k.feed, USAGE_CONTAINER, 0, "c0ffee", "1000");
		feed_set(alice, GIB, 1);
		feed_set(container, GIB, 1);
		book_take(&k);
		book_run(&k, 50);
		container->user = alice->name = "alice";
		feed_wait(&k.feed, 10);
		view = feed_pass(&k.feed);
		allocation_fail_at(n);
		allocation_check(bucket_take(&k.b, view, 0, true));
		while (bucket_advance(&k.b))
			book_write_down(&k);
		book_run(&k, 50);
		check_user(&k, "1000", 50);
		check_user(&k, "alice", 60);
		book_end(&k);
	}
}

/* In another user namespace a uid is another user's: the row has no uid of this namespace. */
static void foreign_uids_are_not_recorded(void **state)
{
	struct book k;
	AUTO_VIEW struct view *view = NULL;

	(void)state;
	book_begin(&k);
	feed_set(feed_add(&k.feed, USAGE_USER, 1000, "alice", ""), GIB, 1);
	view = feed_pass(&k.feed);
	assert_int_equal(bucket_take(&k.b, view, 0, false), BUCKET_BASELINE);
	assert_false(bucket_advance(&k.b));
	assert_int_equal(k.b.rows.row[0]->id, OWNER_NO_ID);
	assert_int_equal(k.b.rows.row[0]->number, 1000);
	book_end(&k);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(containers_of_two_users_are_distinct),
		cmocka_unit_test(a_user_is_identified_by_the_uid),
		cmocka_unit_test(a_container_continues_when_its_user_is_renamed),
		cmocka_unit_test(containers_continue_when_two_users_are_renamed),
		cmocka_unit_test(a_name_of_a_former_user_starts_anew),
		cmocka_unit_test(no_usage_is_lost_without_memory),
		cmocka_unit_test(foreign_uids_are_not_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
