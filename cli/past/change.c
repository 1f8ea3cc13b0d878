/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/past/change.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/saturate.h"
#include "snapshot/owner.h"

/*
 * memtallyd computes start times from the boot time that the kernel showed when memtallyd started,
 * in seconds, and that time changes when the clock is set. No pid returns so soon.
 */
#define START_SLACK_NS (2 * NS_PER_SEC)

void change_done(struct change *c)
{
	free(c->row);
	buffer_done(&c->text);
	hashmap_done(&c->index);
	*c = (struct change){.scope = c->scope};
}

const char *change_text(const struct change *c, size_t at)
{
	return c->text.len ? c->text.data + at : "";
}

/* Appends TEXT and returns where it is. Errors are those of .text. */
static size_t change_keep(struct change *c, const char *text)
{
	size_t at = c->text.len;

	if (!*text)
		return 0;
	buffer_add(&c->text, text, strlen(text) + 1);
	return at;
}

/* Gets the figure of Q, with the quantities PSS, LOW and HIGH. */
static void figure_of(uint64_t present, const uint64_t *q, unsigned int pss, unsigned int low,
	unsigned int high, struct change_figure *ret)
{
	*ret = (struct change_figure){
		.is_there = true,
		.has_pss = present >> pss & 1,
		.is_open = !(present >> high & 1),
		.pss = q[pss],
		.low = present >> low & 1 ? q[low] : 0,
		.high = q[high],
	};
}

/* A row of a snapshot. */
struct found {
	const char *name, *user, *above;
	uint32_t id, pid;
	uint64_t start_ns;
	struct change_figure figure;
};

static bool has_memory(const struct snapshot_process *p)
{
	return p->outcome != OUTCOME_NO_MM && p->outcome != OUTCOME_GONE &&
	       p->outcome != OUTCOME_SHARED_MM;
}

/* Gets process I. Returns false if it has no memory of its own. */
static bool change_find_process(const struct view *view, uint32_t i, struct found *ret)
{
	const struct snapshot_process *p = view_process(view, i);

	*ret = (struct found){
		.name = view_owner(view, p, OWNER_PROGRAM),
		.user = view_owner(view, p, OWNER_USER),
		.above = "",
		.id = p->uid,
		.pid = p->pid,
		.start_ns = ROW_HAS(p, PROCESS_START_TIME) ? p->q[PROCESS_START_TIME] : 0,
	};
	figure_of(p->present, p->q, PROCESS_PSS, PROCESS_PSS_LOW, PROCESS_PSS_HIGH, &ret->figure);
	ret->figure.has_pss &= snapshot_has_figure(p);
	return has_memory(p);
}

/* Gets row I of owners. Returns false if it has no processes. */
static bool change_find_owner(
	const struct view *view, enum metric_scope scope, uint32_t i, struct found *ret)
{
	const struct snapshot_scope *s = view_scope(view, scope, i);

	*ret = (struct found){
		.name = view_text(view, s->name),
		.user = view_text(view, s->user),
		.above = view_text(view, s->above),
		.id = s->id,
	};
	figure_of(s->present, s->q, SCOPE_PSS, SCOPE_PSS_LOW, SCOPE_PSS_HIGH, &ret->figure);
	return ROW_HAS(s, SCOPE_PROCESSES) && s->q[SCOPE_PROCESSES];
}

static uint64_t hash_of(const struct change *c, const struct found *f)
{
	struct siphash hash;

	siphash_init(&hash, &c->secret);
	siphash_add(&hash, &f->pid, sizeof(f->pid));
	if (!f->pid) {
		siphash_add(&hash, &f->id, sizeof(f->id));
		siphash_add(&hash, f->name, strlen(f->name) + 1);
		siphash_add(&hash, f->user, strlen(f->user) + 1);
		siphash_add(&hash, f->above, strlen(f->above) + 1);
	}
	return siphash_end(&hash);
}

static bool is_same(const struct change *c, const struct change_row *row, const struct found *f)
{
	if (row->pid != f->pid)
		return false;
	if (f->pid)
		return !row->start_ns || !f->start_ns ||
		       saturate_distance(row->start_ns, f->start_ns) <= START_SLACK_NS;
	return row->id == f->id && !strcmp(change_text(c, row->name), f->name) &&
	       !strcmp(change_text(c, row->user), f->user) &&
	       !strcmp(change_text(c, row->above), f->above);
}

/* The figure of a row that does not exist. */
static const struct change_figure nothing = {.has_pss = true};

/* Returns the row for F, a new one if there is none; NULL: there is no memory. */
static struct change_row *change_row_for(struct change *c, const struct found *f)
{
	uint64_t hash = hash_of(c, f);
	struct change_row *row;
	uint32_t i;

	for (size_t at = 0; hashmap_next(&c->index, hash, &at, &i);)
		if (is_same(c, &c->row[i], f))
			return &c->row[i];
	if (ARRAY_RESERVE(c->row, c->room, c->rows + 1) < 0 ||
		hashmap_add(&c->index, hash, c->rows) < 0)
		return NULL;
	row = &c->row[c->rows++];
	*row = (struct change_row){
		.user = change_keep(c, f->user),
		.above = change_keep(c, f->above),
		.id = f->id,
		.pid = f->pid,
		.start_ns = f->start_ns,
		.first = nothing,
		.last = nothing,
	};
	return row;
}

static void change_take(struct change *c, struct change_row *row, const struct found *f)
{
	if (strcmp(change_text(c, row->name), f->name) != 0)
		row->name = change_keep(c, f->name);
	row->last = f->figure;
	if (c->snapshots == 0)
		row->first = f->figure;
	if (!f->figure.has_pss)
		return;
	row->min = row->has_range ? saturate_min(row->min, f->figure.pss) : f->figure.pss;
	row->max = saturate_max(row->max, f->figure.pss);
	row->has_range = true;
}

int change_add(struct change *c, const struct view *view, const uint32_t *rows, size_t count)
{
	if (!c->text.len) {
		c->secret = siphash_new_key();
		buffer_add_char(&c->text, '\0');
	}
	for (size_t i = 0; i < c->rows; i++)
		c->row[i].last = nothing;
	for (size_t i = 0; i < count; i++) {
		struct found f;
		bool is_there = c->scope == METRIC_PROCESS
		                        ? change_find_process(view, rows[i], &f)
		                        : change_find_owner(view, c->scope, rows[i], &f);
		struct change_row *row = is_there ? change_row_for(c, &f) : NULL;

		if (is_there && !row)
			return -ENOMEM;
		if (row)
			change_take(c, row, &f);
		if (c->text.error)
			return c->text.error;
	}
	c->snapshots++;
	return 0;
}

void change_growth(const struct change_figure *first, const struct change_figure *last,
	struct change_growth *ret)
{
	*ret = (struct change_growth){.is_known = first->has_pss && last->has_pss};
	if (!ret->is_known)
		return;
	ret->bytes = saturate_difference(last->pss, first->pss);
	ret->has_low = !first->is_open;
	ret->has_high = !last->is_open;
	ret->low = ret->has_low ? saturate_difference(last->low, first->high) : 0;
	ret->high = ret->has_high ? saturate_difference(last->high, first->low) : 0;
}

static void figure_add(struct change_figure *to, const struct change_figure *from)
{
	to->is_there |= from->is_there;
	to->is_open |= from->is_open;
	to->pss = saturate_add(to->pss, from->pss);
	to->low = saturate_add(to->low, from->low);
	to->high = saturate_add(to->high, from->is_open ? 0 : from->high);
}

size_t change_sum(
	const struct change *c, struct change_figure *ret_first, struct change_figure *ret_last)
{
	size_t unknown = 0;

	*ret_first = *ret_last = nothing;
	for (size_t i = 0; i < c->rows; i++) {
		const struct change_row *row = &c->row[i];

		if (row->first.has_pss && row->last.has_pss) {
			figure_add(ret_first, &row->first);
			figure_add(ret_last, &row->last);
		} else {
			unknown++;
		}
	}
	return unknown;
}

static bool get_figure(const struct change_figure *figure, int64_t *ret)
{
	*ret = (int64_t)figure->pss;
	return figure->is_there && figure->has_pss;
}

bool change_get(const struct change_row *row, enum change_field field, int64_t *ret)
{
	struct change_growth growth;

	switch (field) {
	case CHANGE_GROWTH:
		change_growth(&row->first, &row->last, &growth);
		*ret = growth.bytes;
		return growth.is_known;
	case CHANGE_FIRST: return get_figure(&row->first, ret);
	case CHANGE_LAST: return get_figure(&row->last, ret);
	case CHANGE_MIN: *ret = (int64_t)row->min; return row->has_range;
	case CHANGE_MAX: *ret = (int64_t)row->max; return row->has_range;
	default: return false;
	}
}

struct order {
	const struct change *change;
	enum change_field field;
	bool is_ascending;
};

static int change_compare_texts(const struct change *c, size_t a, size_t b)
{
	return strcmp(change_text(c, a), change_text(c, b));
}

/* Rows that have the same amount: by name, then by what distinguishes rows of one name. */
static int compare_names(
	const struct change *c, const struct change_row *a, const struct change_row *b)
{
	int order = change_compare_texts(c, a->name, b->name);

	if (!order)
		order = change_compare_texts(c, a->user, b->user);
	if (!order)
		order = change_compare_texts(c, a->above, b->above);
	if (!order)
		order = (a->id > b->id) - (a->id < b->id);
	if (!order)
		order = (a->pid > b->pid) - (a->pid < b->pid);
	return order ? order : (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

static int change_compare(const void *a_, const void *b_, void *order_)
{
	const struct change_row *a = a_, *b = b_;
	const struct order *o = order_;
	int64_t x = 0, y = 0;
	bool has_x = change_get(a, o->field, &x), has_y = change_get(b, o->field, &y);
	int order;

	if (has_x != has_y)
		return has_x ? -1 : 1;
	if (o->field == CHANGE_NAME)
		order = change_compare_texts(o->change, a->name, b->name);
	else
		order = has_x ? (x > y) - (x < y) : 0;
	if (order)
		return o->is_ascending ? order : -order;
	return compare_names(o->change, a, b);
}

void change_sort(struct change *c, enum change_field field, bool is_ascending)
{
	struct order order = {c, field, is_ascending};

	hashmap_clear(&c->index);
	if (c->rows)
		qsort_r(c->row, c->rows, sizeof(*c->row), change_compare, &order);
}
