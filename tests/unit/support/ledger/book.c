/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/ledger/book.h"

#include "tests/unit/support/unit.h"

struct book_sum *book_sum(struct book *k, enum usage_kind kind, const char *name)
{
	size_t i = 0;

	while (i < k->sums && (k->sum[i].kind != kind || strcmp(k->sum[i].name, name) != 0))
		i++;
	if (i == k->sums) {
		assert_true(k->sums < BOOK_SERIES_MAX);
		k->sum[i].kind = kind;
		snprintf(k->sum[i].name, sizeof(k->sum[i].name), "%s", name);
		k->sums++;
	}
	return &k->sum[i];
}

static void add(struct book *k, enum usage_kind kind, const char *name, double pss, double swap,
	double processes)
{
	struct book_sum *sum = book_sum(k, kind, name);

	assert_true(pss >= 0 && swap >= 0 && processes >= 0);
	sum->pss += pss;
	sum->swap += swap;
	sum->processes += processes;
}

struct folding_room book_room(size_t names)
{
	struct folding_room room;

	for (unsigned int kind = 0; kind < USAGE_KINDS_END; kind++) {
		room.rows[kind] = folding_rows_max((enum usage_kind)kind);
		room.names[kind] = names;
	}
	return room;
}

void book_write_down(struct book *k)
{
	const struct folding_room room = book_room(k->names);

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

int book_take(struct book *k)
{
	AUTO_VIEW struct view *view = feed_pass(&k->feed);
	int r = bucket_take(&k->b, view, k->feed.suspended_ns, true);

	assert_true(r >= 0);
	while (bucket_advance(&k->b))
		book_write_down(k);
	return r;
}

static void take_next(void *book)
{
	book_take(book);
}

void book_flush(struct book *k)
{
	if (bucket_has_content(&k->b))
		book_write_down(k);
}

void book_run(struct book *k, double seconds)
{
	keeping_run(&k->feed, seconds, take_next, k);
}

void book_begin(struct book *k)
{
	*k = (struct book){.names = SIZE_MAX};
	keeping_start(&k->feed);
}

struct feed_owner *book_begin_alice(struct book *k)
{
	struct feed_owner *alice;

	book_begin(k);
	alice = feed_add(&k->feed, USAGE_USER, 1000, "alice", "");
	feed_set(alice, GIB, 1);
	book_take(k);
	return alice;
}

void book_end(struct book *k)
{
	bucket_done(&k->b);
}

void book_check_pss(struct book *k, const struct feed_owner *o, double part)
{
	keeping_check_near(book_sum(k, o->kind, o->name)->pss, o->true_byte_s, part);
}

void book_check(struct book *k, enum usage_kind kind, const char *name, double pss)
{
	keeping_check_near(book_sum(k, kind, name)->pss, pss, 1e-9);
}
