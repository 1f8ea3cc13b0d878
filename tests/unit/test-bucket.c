/* SPDX-License-Identifier: Apache-2.0 */
/* Against a memtallyd whose truth is known (feed.h): what is written down adds up to it, whatever happens. */
#include "config.h"

#include "tests/unit/unit.h"

#include "base/clock.h"
#include "ledger/bucket.h"
#include "tests/unit/allocation.h"
#include "tests/unit/keeping.h"

enum { SERIES_MAX = 64, SLOT_S = 300 };

/* What was written, by kind and name; and in the last one, for itself. */
struct book {
	struct bucket b;
	struct feed feed;
	struct {
		enum usage_kind kind;
		char name[32];
		double pss, swap, processes;
	} sum[SERIES_MAX];
	size_t sums, writes;
	double covered_s, sampled_s;
	uint64_t last_from_ns, last_to_ns;
	size_t names; /* that may be new in a write */
	bool is_full; /* nothing can be written */
};

static size_t find(struct book *k, enum usage_kind kind, const char *name)
{
	size_t i = 0;

	while (i < k->sums && (k->sum[i].kind != kind || strcmp(k->sum[i].name, name) != 0))
		i++;
	if (i == k->sums) {
		assert_true(k->sums < SERIES_MAX);
		k->sum[i].kind = kind;
		snprintf(k->sum[i].name, sizeof(k->sum[i].name), "%s", name);
		k->sums++;
	}
	return i;
}

static void add(struct book *k, enum usage_kind kind, const char *name, double pss, double swap,
	double processes)
{
	size_t at = find(k, kind, name);

	assert_true(pss >= 0 && swap >= 0 && processes >= 0);
	k->sum[at].pss += pss;
	k->sum[at].swap += swap;
	k->sum[at].processes += processes;
}

static struct folding_room room_of(size_t names)
{
	struct folding_room room;

	for (unsigned int kind = 0; kind < USAGE_KINDS_END; kind++) {
		room.rows[kind] = folding_rows_max((enum usage_kind)kind);
		room.names[kind] = names;
	}
	return room;
}

static void write_down(struct book *k)
{
	const struct folding_room room = room_of(k->names);

	if (k->is_full) {
		bucket_stretch(&k->b);
		return;
	}
	assert_int_equal(folding_fold(&k->b.folding, &k->b.rows, &room), 0);
	assert_true(k->b.from_ns < k->b.to_ns);
	for (size_t i = 0; i < k->b.rows.count; i++) {
		const struct row *row = k->b.rows.row[i];

		if (!row->is_folded && rows_has_content(row))
			add(k, row->kind, row->name, row->pss_byte_s, row->swap_byte_s,
				row->process_s);
	}
	for (unsigned int kind = USAGE_USER; kind < USAGE_KINDS_END; kind++)
		if (k->b.folding.other[kind].rows)
			add(k, (enum usage_kind)kind, USAGE_OTHER,
				k->b.folding.other[kind].pss_byte_s,
				k->b.folding.other[kind].swap_byte_s,
				k->b.folding.other[kind].process_s);
	k->covered_s += (double)k->b.covered_ns / 1e9;
	k->sampled_s += (double)k->b.sampled_ns / 1e9;
	k->last_from_ns = k->b.from_ns;
	k->last_to_ns = k->b.to_ns;
	k->writes++;
	bucket_clear(&k->b);
}

static int take(struct book *k)
{
	AUTO_VIEW struct view *view = feed_pass(&k->feed);
	int r = bucket_take(&k->b, view, k->feed.suspended_ns, true);

	assert_true(r >= 0);
	while (bucket_advance(&k->b))
		write_down(k);
	return r;
}

static void take_next(void *book)
{
	take(book);
}

static void flush(struct book *k)
{
	if (bucket_has_content(&k->b))
		write_down(k);
}

/* Passes for SECONDS, each 10 s. */
static void run(struct book *k, double seconds)
{
	keeping_run(&k->feed, seconds, take_next, k);
}

static void begin(struct book *k)
{
	*k = (struct book){.names = SIZE_MAX};
	keeping_start(&k->feed);
}

static void end(struct book *k)
{
	bucket_done(&k->b);
}

/* What was written of O is what it has used, to PART. */
static void check_pss(struct book *k, const struct feed_owner *o, double part)
{
	keeping_check_near(k->sum[find(k, o->kind, o->name)].pss, o->true_byte_s, part);
}

static void all_is_counted_from_the_first_snapshot_on(void **state)
{
	struct book k;
	struct feed_owner *alice, *job;
	double before;

	(void)state;
	begin(&k);
	alice = feed_add(&k.feed, USAGE_USER, 1000, "alice", "");
	job = feed_add(&k.feed, USAGE_UNIT, 0, "job.service", "");
	feed_set(alice, 3 * GIB, 5);
	alice->swap_bytes = MIB;
	feed_set(job, GIB, 1);
	take(&k);
	feed_wait(&k.feed,
		3000); /* nobody watches: of this nothing may be counted, not even what the counter has */
	before = alice->true_byte_s;
	bucket_done(&k.b);
	assert_int_equal(take(&k), BUCKET_BASELINE);
	run(&k, 3600);
	flush(&k);
	keeping_check_near(
		k.sum[find(&k, USAGE_USER, "alice")].pss, alice->true_byte_s - before, 1e-9);
	keeping_check_near(k.sum[find(&k, USAGE_USER, "alice")].swap, 3600.0 * MIB, 1e-9);
	keeping_check_near(k.sum[find(&k, USAGE_USER, "alice")].processes, 3600.0 * 5, 1e-9);
	keeping_check_near(k.sum[find(&k, USAGE_UNIT, "job.service")].pss, 3600.0 * GIB, 1e-9);
	keeping_check_near(k.covered_s, 3600, 1e-9);
	keeping_check_near(k.sampled_s, 3600, 1e-9);
	/* By slots: each is written once, and no span is in two. */
	assert_true(k.writes >= 12 && k.writes <= 13);
	assert_int_equal(
		k.last_from_ns / NS_PER_SEC / SLOT_S, (k.last_to_ns - 1) / NS_PER_SEC / SLOT_S);
	end(&k);
}

static void what_ends_and_begins_is_counted(void **state)
{
	struct book k;
	struct feed_owner *short_lived, *all;

	(void)state;
	begin(&k);
	all = feed_add(&k.feed, USAGE_USER, 0, "root", "");
	short_lived = feed_add(&k.feed, USAGE_PROGRAM, 0, "cc1", "");
	feed_set(all, GIB, 1);
	take(&k);
	for (int i = 0; i < 50; i++) {
		feed_set(short_lived, GIB, 3);
		run(&k, 40);
		feed_set(short_lived, 0, 0);
		run(&k, 30);
	}
	flush(&k);
	/* Rises and falls by trapezoids make up for each other. */
	keeping_check_near(k.sum[find(&k, USAGE_PROGRAM, "cc1")].pss, 50 * 40.0 * GIB, 1e-9);
	keeping_check_near(k.sum[find(&k, USAGE_PROGRAM, "cc1")].processes, 50 * 40.0 * 3, 1e-9);
	check_pss(&k, all, 1e-9);
	end(&k);
}

/* Its counters begin at 0 when it does: all of them is new, and nothing of the time between. */
static void another_memtallyd_goes_on(void **state)
{
	struct book k;
	struct feed_owner *alice;
	double lost;

	(void)state;
	begin(&k);
	alice = feed_add(&k.feed, USAGE_USER, 1000, "alice", "");
	feed_set(alice, GIB, 1);
	take(&k);
	run(&k, 1000);
	feed_wait(&k.feed, 60);
	lost = 60.0 * GIB;
	feed_restart(&k.feed);
	for (int i = 0; i < 6; i++) { /* passes that nobody receives */
		view_unref(feed_pass(&k.feed));
		feed_wait(&k.feed, 10);
	}
	assert_int_equal(take(&k), 0);
	run(&k, 1000);
	flush(&k);
	keeping_check_near(
		k.sum[find(&k, USAGE_USER, "alice")].pss, alice->true_byte_s - lost, 1e-9);
	keeping_check_near(k.covered_s, 2060, 1e-9);
	assert_int_equal(k.b.restarts, 1);
	end(&k);
}

/* What it had at the last snapshot is all that is known: of the time without a memtallyd it has had nothing. */
static void who_ended_with_memtallyd_is_forgotten(void **state)
{
	struct book k;
	struct feed_owner *alice, *job;

	(void)state;
	begin(&k);
	alice = feed_add(&k.feed, USAGE_USER, 1000, "alice", "");
	job = feed_add(&k.feed, USAGE_UNIT, 0, "job.service", "");
	feed_set(alice, GIB, 1);
	feed_set(job, GIB, 1);
	take(&k);
	run(&k, 1000);
	feed_set(job, 0, 0);
	feed_restart(&k.feed);
	for (int i = 0; i < 6; i++) {
		view_unref(feed_pass(&k.feed));
		feed_wait(&k.feed, 10);
	}
	take(&k);
	run(&k, 600);
	flush(&k);
	check_pss(&k, alice, 1e-9);
	keeping_check_near(k.sum[find(&k, USAGE_UNIT, "job.service")].pss, 1000.0 * GIB, 1e-9);
	end(&k);
}

/* Who has been seen before another does not begin at 0 when it comes back. */
static void a_former_memtallyd_is_not_counted_twice(void **state)
{
	struct book k;
	struct feed other;
	struct feed_owner *alice;
	double before;

	(void)state;
	begin(&k);
	alice = feed_add(&k.feed, USAGE_USER, 1000, "alice", "");
	feed_set(alice, GIB, 1);
	take(&k);
	run(&k, 600);
	flush(&k);
	before = k.sum[find(&k, USAGE_USER, "alice")].pss;
	other = k.feed;
	feed_restart(&other);
	for (int i = 0; i < 2; i++) {
		AUTO_VIEW struct view *view = feed_pass(&other);

		assert_int_equal(bucket_take(&k.b, view, 0, true), 0);
		assert_false(bucket_advance(&k.b));
	}
	feed_wait(&k.feed, 10);
	assert_int_equal(take(&k), BUCKET_BASELINE);
	flush(&k);
	keeping_check_near(k.sum[find(&k, USAGE_USER, "alice")].pss, before, 1e-9);
	end(&k);
}

static void the_same_snapshot_counts_once(void **state)
{
	struct book k;
	struct feed_owner *alice;

	(void)state;
	begin(&k);
	alice = feed_add(&k.feed, USAGE_USER, 1000, "alice", "");
	feed_set(alice, GIB, 1);
	take(&k);
	for (int i = 0; i < 10; i++) {
		AUTO_VIEW struct view *view = NULL;

		feed_wait(&k.feed, 10);
		view = feed_pass(&k.feed);
		assert_int_equal(bucket_take(&k.b, view, 0, true), 0);
		assert_false(bucket_advance(&k.b));
		assert_int_equal(bucket_take(&k.b, view, 0, true), BUCKET_OLD);
		assert_false(bucket_advance(&k.b));
	}
	flush(&k);
	keeping_check_near(k.sum[find(&k, USAGE_USER, "alice")].pss, 100.0 * GIB, 1e-9);
	end(&k);
}

static void the_clock_may_be_set(void **state)
{
	static const int64_t by_s[] = {-3600, 3600, -7, 86400, -30 * 86400, 2};
	struct book k;
	struct feed_owner *alice;

	(void)state;
	begin(&k);
	alice = feed_add(&k.feed, USAGE_USER, 1000, "alice", "");
	feed_set(alice, GIB, 1);
	take(&k);
	for (size_t i = 0; i < sizeof(by_s) / sizeof(by_s[0]); i++) {
		run(&k, 500);
		k.feed.realtime_ns += (uint64_t)by_s[i] * NS_PER_SEC;
		run(&k, 500);
		assert_int_equal(k.b.clock_sets, i + 1);
	}
	flush(&k);
	check_pss(&k, alice, 1e-9);
	keeping_check_near(k.covered_s, 6000, 1e-9);
	end(&k);
}

/* memtallyd's time stands still then, and so nothing is used. */
static void a_suspended_machine_uses_nothing(void **state)
{
	struct book k;
	struct feed_owner *alice;

	(void)state;
	begin(&k);
	alice = feed_add(&k.feed, USAGE_USER, 1000, "alice", "");
	feed_set(alice, GIB, 1);
	take(&k);
	run(&k, 500);
	k.feed.suspended_ns += 7200 * NS_PER_SEC;
	k.feed.realtime_ns += 7200 * NS_PER_SEC;
	run(&k, 500);
	flush(&k);
	check_pss(&k, alice, 1e-9);
	keeping_check_near(k.covered_s, 1000, 1e-9);
	assert_int_equal(k.b.clock_sets, 0);
	end(&k);
}

/* As a pass is made: it is received when the machine has been suspended for SECONDS and goes on. */
static void suspend_behind_a_pass(struct book *k, double seconds)
{
	AUTO_VIEW struct view *view = NULL;

	feed_wait(&k->feed, 10);
	view = feed_pass(&k->feed);
	k->feed.suspended_ns += (uint64_t)(seconds * NS_PER_SEC);
	k->feed.realtime_ns += (uint64_t)(seconds * NS_PER_SEC);
	assert_int_equal(bucket_take(&k->b, view, k->feed.suspended_ns, true), 0);
	while (bucket_advance(&k->b))
		write_down(k);
}

/* What was suspended is no time of the snapshot that was waiting, nor of the next one. */
static void a_snapshot_that_was_suspended_too(void **state)
{
	static const double seconds[] = {3, 10, 300, 7200, 86400};
	struct book k;
	struct feed_owner *alice;

	(void)state;
	begin(&k);
	alice = feed_add(&k.feed, USAGE_USER, 1000, "alice", "");
	feed_set(alice, GIB, 2);
	alice->swap_bytes = MIB;
	take(&k);
	for (size_t i = 0; i < ARRAY_SIZE(seconds); i++) {
		run(&k, 490);
		suspend_behind_a_pass(&k, seconds[i]);
		run(&k, 500);
	}
	flush(&k);
	check_pss(&k, alice, 1e-9);
	keeping_check_near(k.covered_s, 5000, 1e-9);
	keeping_check_near(k.sampled_s, 5000, 1e-9);
	keeping_check_near(
		k.sum[find(&k, USAGE_USER, "alice")].processes, alice->true_process_s, 1e-9);
	keeping_check_near(
		k.sum[find(&k, USAGE_USER, "alice")].swap, alice->true_swap_byte_s, 1e-9);
	assert_int_equal(k.b.clock_sets, 0);
	end(&k);
}

/* Snapshots that did not come: PSS is memtallyd's counter, of swap and processes there is nothing to be known. */
static void a_gap_is_counted_as_far_as_it_is_known(void **state)
{
	struct book k;
	struct feed_owner *alice, *make;

	(void)state;
	begin(&k);
	alice = feed_add(&k.feed, USAGE_USER, 1000, "alice", "");
	make = feed_add(&k.feed, USAGE_PROGRAM, 0, "make", "");
	feed_set(alice, GIB, 2);
	feed_set(make, GIB, 2);
	alice->swap_bytes = GIB;
	take(&k);
	run(&k, 600);
	feed_set(make, 0, 0);
	feed_wait(&k.feed, 7200);
	take(&k);
	flush(&k);
	check_pss(&k, alice, 1e-9);
	/* What ended in it is not taken to have been there for hours. */
	keeping_check_near(k.sum[find(&k, USAGE_PROGRAM, "make")].pss, 605.0 * GIB, 1e-9);
	keeping_check_near(k.covered_s, 7800, 1e-9);
	keeping_check_near(k.sampled_s, 600, 1e-9);
	keeping_check_near(k.sum[find(&k, USAGE_USER, "alice")].swap, 600.0 * GIB, 1e-9);
	keeping_check_near(k.sum[find(&k, USAGE_USER, "alice")].processes, 600.0 * 2, 1e-9);
	end(&k);
}

static void what_cannot_be_written_stays(void **state)
{
	struct book k;
	struct feed_owner *alice, *bob;

	(void)state;
	begin(&k);
	alice = feed_add(&k.feed, USAGE_USER, 1000, "alice", "");
	bob = feed_add(&k.feed, USAGE_USER, 1001, "bob", "");
	feed_set(alice, GIB, 1);
	take(&k);
	run(&k, 450);
	k.is_full = true;
	feed_set(bob, 2 * GIB, 1);
	run(&k, 2000);
	feed_set(bob, 0, 0);
	feed_restart(&k.feed);
	take(&k);
	run(&k, 2000);
	k.is_full = false;
	write_down(&k);
	run(&k, 450);
	flush(&k);
	check_pss(&k, alice, 1e-9);
	keeping_check_near(k.sum[find(&k, USAGE_USER, "bob")].pss, 2000.0 * 2 * GIB, 0.01);
	keeping_check_near(k.covered_s, 4900, 1e-9);
	end(&k);
}

/* Days of a herd that grows and shrinks, with restarts of memtallyd: to 1 % for each user. */
static void days_are_accounted_for(void **state)
{
	static const char *const names[] = {"u0", "u1", "u2", "u3", "u4", "u5", "u6", "u7"};
	struct feed_owner *user[8];
	uint64_t random = 11;
	struct book k;

	(void)state;
	begin(&k);
	k.feed.interval_ns = 10 * NS_PER_SEC;
	for (unsigned int i = 0; i < 8; i++) {
		user[i] = feed_add(&k.feed, USAGE_USER, 1000 + i, names[i], "");
		feed_set(user[i], (i + 1) * 100 * MIB, 1);
	}
	take(&k);
	for (unsigned int step = 0; step < unit_rounds(3 * 144); step++) {
		for (unsigned int i = 0; i < 8; i++)
			feed_set(user[i], (1 + unit_random(&random) % 1000) * MIB, 1 + step % 3);
		run(&k, 600);
		if (step % 36 == 35) {
			feed_wait(&k.feed, 1);
			feed_restart(&k.feed);
			take(&k);
		}
	}
	flush(&k);
	for (unsigned int i = 0; i < 8; i++)
		check_pss(&k, user[i], 0.01);
	end(&k);
}

static void containers_of_two_users_are_two(void **state)
{
	struct book k;
	struct feed_owner *a, *b;
	unsigned int seen = 0;

	(void)state;
	begin(&k);
	feed_set(feed_add(&k.feed, USAGE_USER, 1000, "alice", ""), GIB, 1);
	feed_set(feed_add(&k.feed, USAGE_USER, 1001, "bob", ""), GIB, 1);
	a = feed_add(&k.feed, USAGE_CONTAINER, 0, "c0ffee", "alice");
	b = feed_add(&k.feed, USAGE_CONTAINER, 0, "c0ffee", "bob");
	feed_set(a, GIB, 1);
	feed_set(b, 2 * GIB, 1);
	take(&k);
	feed_wait(&k.feed, 10);
	take(&k);
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
	end(&k);
}

static void a_user_is_known_by_the_uid(void **state)
{
	struct book k;
	struct feed_owner *alice;

	(void)state;
	begin(&k);
	alice = feed_add(&k.feed, USAGE_USER, 1000, "1000", "");
	feed_set(alice, GIB, 1);
	take(&k);
	run(&k, 100);
	alice->name = "alice";
	run(&k, 100);
	assert_int_equal(k.b.rows.count, 1);
	assert_string_equal(k.b.rows.row[0]->name, "alice");
	keeping_check_near(k.b.rows.row[0]->pss_byte_s, 200.0 * GIB, 1e-9);
	end(&k);
}

/* What has been used as of the containers of USER, and how many of them there are. */
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

/* Its counter is that of the uid, whatever that is called: what is in it is not used again. */
static void a_container_goes_on_when_its_user_is_renamed(void **state)
{
	static const char *const names[] = {"alice", "alice:1000", "1000", "alicia", "alice"};
	struct book k;
	struct feed_owner *alice, *container;

	(void)state;
	begin(&k);
	alice = feed_add(&k.feed, USAGE_USER, 1000, "1000", "");
	container = feed_add(&k.feed, USAGE_CONTAINER, 0, "c0ffee", "1000");
	feed_set(alice, GIB, 1);
	feed_set(container, GIB, 2);
	container->swap_bytes = GIB;
	take(&k);
	run(&k, 100);
	container->user = alice->name = "alice";
	run(&k, 100);
	/* What he had by each name is there by that. */
	check_user(&k, "1000", 100);
	check_user(&k, "alice", 100);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		container->user = alice->name = names[i];
		run(&k, 300);
	}
	flush(&k);
	check_pss(&k, container, 1e-9);
	keeping_check_near(k.sum[find(&k, USAGE_CONTAINER, "c0ffee")].processes,
		container->true_process_s, 1e-9);
	keeping_check_near(
		k.sum[find(&k, USAGE_CONTAINER, "c0ffee")].swap, container->true_swap_byte_s, 1e-9);
	end(&k);
}

/* As where the name service does not answer: which of two containers of one name is whose, is known by the uid, or else by the counter. */
static void containers_of_two_users_go_on_when_both_are_renamed(void **state)
{
	struct book k;
	struct feed_owner *alice, *bob, *a, *b, *ended;

	(void)state;
	for (int own = 0; own < 2; own++) {
		AUTO_VIEW struct view *view = NULL;

		begin(&k);
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
			/* Who has truly ended has, down to 0. */
			if (!strcmp(row->name, "decaf"))
				keeping_check_near(row->pss_byte_s, 25.0 * GIB, 1e-9);
		}
		end(&k);
	}
}

/* The row that another user had by that name a moment ago is none to count from. */
static void a_name_that_has_just_been_given_up(void **state)
{
	struct book k;
	struct feed_owner *alice, *bob, *a, *b;

	(void)state;
	begin(&k);
	alice = feed_add(&k.feed, USAGE_USER, 1000, "alice", "");
	bob = feed_add(&k.feed, USAGE_USER, 1001, "bob", "");
	a = feed_add(&k.feed, USAGE_CONTAINER, 0, "c0ffee", "alice");
	b = feed_add(&k.feed, USAGE_CONTAINER, 0, "c0ffee", "bob");
	feed_set(alice, GIB, 1);
	feed_set(a, GIB, 1);
	take(&k);
	run(&k, 50);
	feed_set(bob, GIB, 1);
	feed_set(b, GIB, 1);
	run(&k, 50);
	feed_set(bob, 0, 0);
	feed_set(b, 0, 0);
	run(&k, 50);
	a->user = alice->name = "bob";
	run(&k, 50);
	check_user(&k, "alice", 150);
	check_user(&k, "bob", 100);
	end(&k);
}

/* Of another user namespace a uid is somebody else's: nobody's own. */
static void foreign_uids_are_nobodys(void **state)
{
	struct book k;
	AUTO_VIEW struct view *view = NULL;

	(void)state;
	begin(&k);
	feed_set(feed_add(&k.feed, USAGE_USER, 1000, "alice", ""), GIB, 1);
	view = feed_pass(&k.feed);
	assert_int_equal(bucket_take(&k.b, view, 0, false), BUCKET_BASELINE);
	assert_false(bucket_advance(&k.b));
	assert_int_equal(k.b.rows.row[0]->id, OWNER_NO_ID);
	assert_int_equal(k.b.rows.row[0]->number, 1000);
	end(&k);
}

/* However many come and go while nothing can be written, memory has an end; and users have what they had. */
static void names_that_ended_do_not_stay_in_memory(void **state)
{
	struct book k;
	struct feed_owner *alice, *bob;
	size_t most = 0;

	(void)state;
	begin(&k);
	k.names = 5;
	alice = feed_add(&k.feed, USAGE_USER, 1000, "alice", "");
	bob = feed_add(&k.feed, USAGE_USER, 1001, "bob", "");
	k.feed.crowd = (struct feed_crowd){.kind = USAGE_PROGRAM, .count = 700, .pss_bytes = MIB};
	feed_set(alice, 700 * MIB, 700);
	feed_set(bob, GIB, 1);
	take(&k);
	run(&k, 200);
	feed_set(bob, 0, 0);
	k.is_full = true;
	for (unsigned int i = 0; i < 200; i++) {
		feed_rename(&k.feed);
		run(&k, 10);
		most = k.b.rows.count > most ? k.b.rows.count : most;
	}
	assert_in_range(most, 700, 700 + 2 * folding_rows_max(USAGE_PROGRAM) + 700 + 2);
	k.is_full = false;
	write_down(&k);
	run(&k, 400);
	flush(&k);
	check_pss(&k, alice, 1e-9);
	check_pss(&k, bob, 0.05);
	{
		double sum = 0;

		for (size_t i = 0; i < k.sums; i++)
			sum += k.sum[i].kind == USAGE_PROGRAM ? k.sum[i].pss : 0;
		keeping_check_near(sum, alice->true_byte_s, 1e-9);
	}
	end(&k);
}

static void nothing_is_lost_without_memory(void **state)
{
	struct book k;
	struct feed_owner *alice;

	(void)state;
	for (unsigned int n = 1;; n++) {
		AUTO_VIEW struct view *view = NULL;
		bool has_failed;
		int r;

		begin(&k);
		alice = feed_add(&k.feed, USAGE_USER, 1000, "alice", "");
		feed_add(&k.feed, USAGE_PROGRAM, 0, "bash", "");
		feed_set(alice, GIB, 1);
		take(&k);
		run(&k, 50);
		feed_set(&k.feed.owner[1], MIB, 1);
		feed_wait(&k.feed, 10);
		view = feed_pass(&k.feed);
		allocation_fail_at(n);
		r = bucket_take(&k.b, view, 0, true);
		has_failed = allocation_end();
		assert_int_equal(r, has_failed ? -ENOMEM : 0);
		while (bucket_advance(&k.b))
			write_down(&k);
		run(&k, 50);
		flush(&k);
		check_pss(&k, alice, 1e-9);
		end(&k);
		if (!has_failed)
			break;
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_is_counted_from_the_first_snapshot_on),
		cmocka_unit_test(what_ends_and_begins_is_counted),
		cmocka_unit_test(another_memtallyd_goes_on),
		cmocka_unit_test(who_ended_with_memtallyd_is_forgotten),
		cmocka_unit_test(a_former_memtallyd_is_not_counted_twice),
		cmocka_unit_test(the_same_snapshot_counts_once),
		cmocka_unit_test(the_clock_may_be_set),
		cmocka_unit_test(a_suspended_machine_uses_nothing),
		cmocka_unit_test(a_snapshot_that_was_suspended_too),
		cmocka_unit_test(a_gap_is_counted_as_far_as_it_is_known),
		cmocka_unit_test(what_cannot_be_written_stays),
		cmocka_unit_test(days_are_accounted_for),
		cmocka_unit_test(containers_of_two_users_are_two),
		cmocka_unit_test(a_user_is_known_by_the_uid),
		cmocka_unit_test(a_container_goes_on_when_its_user_is_renamed),
		cmocka_unit_test(containers_of_two_users_go_on_when_both_are_renamed),
		cmocka_unit_test(a_name_that_has_just_been_given_up),
		cmocka_unit_test(foreign_uids_are_nobodys),
		cmocka_unit_test(names_that_ended_do_not_stay_in_memory),
		cmocka_unit_test(nothing_is_lost_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
