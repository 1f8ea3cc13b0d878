/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/rows/top-rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/mix.h"
#include "snapshot/owner.h"

/* Rows under construction. */
struct build {
	struct top_rows *to;
	const struct top_asks *asks;
	const struct top_rows_source *from;
	uint64_t salt; /* of the histories of sums over chosen processes */
};

/*
 * Returns true if the sums are over all processes of owners, or of programs of a user: the history has
 * samples of these whether they are shown or not.
 */
static bool has_whole_sums(const struct top_asks *asks, const struct top_rows_source *from)
{
	switch (asks->view) {
	case TOP_VIEW_NESTED: return !from->members && !asks->filter[0];
	case TOP_VIEW_USER: return !from->members;
	case TOP_VIEW_PROGRAM: return !from->members && asks->user[0];
	default: return false;
	}
}

/* In views of owners a filter hides sums, and leaves them as they are. */
uint64_t top_rows_salt(const struct top_asks *asks, const struct top_rows_source *from)
{
	struct siphash hash;

	if (has_whole_sums(asks, from))
		return 0;
	siphash_init(&hash, from->secret);
	siphash_add(&hash, &asks->view, sizeof(asks->view));
	siphash_add(&hash, asks->user, strlen(asks->user) + 1);
	if (top_state_scope(asks->view) == METRIC_PROCESS)
		siphash_add(&hash, asks->filter, strlen(asks->filter) + 1);
	return siphash_end(&hash) | 1;
}

void top_rows_done(struct top_rows *r)
{
	free(r->row);
	free(r->order);
	free(r->of_process);
	top_tree_done(&r->tree);
	hashmap_done(&r->groups);
	*r = (struct top_rows){0};
}

/* Makes room for a row. Returns it, not counted yet; NULL: there is no memory. */
static struct top_row *top_rows_new(struct top_rows *r)
{
	return ARRAY_RESERVE(r->row, r->room, r->count + 1) == 0 ? &r->row[r->count] : NULL;
}

/* Adds the rows of the image, which are sums over all processes. */
static int add_scopes(const struct build *b)
{
	enum metric_scope scope = top_state_scope(b->asks->view);
	const struct view *view = b->from->view;

	for (uint32_t i = 0; i < view_count(view, scope); i++) {
		const struct snapshot_scope *s = view_scope(view, scope, i);
		struct top_row *row;

		if (s->flags & SCOPE_OTHER || !s->q[SCOPE_PROCESSES])
			continue;
		row = top_rows_new(b->to);
		if (!row)
			return -ENOMEM;
		top_row_of_owner(metric_owner_kind(scope), view_text(view, s->name), 0, 0,
			b->from->secret, row);
		if (!top_row_matches(view, row, b->asks->filter))
			continue;
		amounts_of_sums(s->present, s->q, &row->amounts);
		b->to->count++;
	}
	return 0;
}

/* ROW is the sum of a program over the processes of the chosen user: its past is that of the pair. */
static void set_past_of_user(const struct build *b, struct top_row *row)
{
	struct top_row user, pair;

	top_row_of_owner(OWNER_USER, b->asks->user, 0, 0, b->from->secret, &user);
	top_row_of_owner(OWNER_PROGRAM, row->name, user.key, 0, b->from->secret, &pair);
	row->past = pair.past;
}

/*
 * Finds the row of the owner NAME of KIND below the row ABOVE (TOP_ROW_NONE: none), or adds it. Returns
 * its number, TOP_ROW_NONE without memory.
 */
static uint32_t find_group(
	const struct build *b, enum owner_kind kind, uint32_t name, uint32_t above)
{
	struct top_rows *r = b->to;
	const char *text = view_text(b->from->view, name);
	/* Each name is in an image once. A user could choose colliding ones only with the secret. */
	uint64_t hash = mix_bits(b->from->secret->half[0] ^ ((uint64_t)name << 32 | above));
	struct top_row *row;
	uint32_t i;

	for (size_t at = 0; hashmap_next(&r->groups, hash, &at, &i);)
		if (r->row[i].name == text && r->row[i].parent == above && !r->row[i].process)
			return i;
	row = top_rows_new(r);
	if (!row || hashmap_add(&r->groups, hash, r->count) < 0)
		return TOP_ROW_NONE;
	top_row_of_owner(kind, text, above == TOP_ROW_NONE ? 0 : r->row[above].key, b->salt,
		b->from->secret, row);
	if (above == TOP_ROW_NONE && kind == OWNER_PROGRAM && !b->salt)
		set_past_of_user(b, row);
	amounts_begin(&row->amounts);
	row->parent = above;
	return (uint32_t)r->count++;
}

/* Remembers that ROW, a process, is row I, or is added to that. */
static void place_process(const struct build *b, const struct top_row *row, size_t i)
{
	b->to->of_process[view_process_index(b->from->view, row->process)] = (uint32_t)i;
}

/* Adds ROW, a process, to the sum of its owner. */
static int add_to_group(const struct build *b, const struct top_row *row)
{
	enum owner_kind kind = metric_owner_kind(top_state_scope(b->asks->view));
	uint32_t i = find_group(b, kind, row->process->owner[kind], TOP_ROW_NONE);

	if (i == TOP_ROW_NONE)
		return -ENOMEM;
	amounts_add(&b->to->row[i].amounts, &row->amounts);
	place_process(b, row, i);
	return 0;
}

/* Adds ROW, a process, below its program, below its user. */
static int add_nested(const struct build *b, const struct top_row *row)
{
	const uint32_t *owner = row->process->owner;
	uint32_t above = find_group(b, OWNER_USER, owner[OWNER_USER], TOP_ROW_NONE);
	struct top_row *to;

	if (above != TOP_ROW_NONE)
		above = find_group(b, OWNER_PROGRAM, owner[OWNER_PROGRAM], above);
	to = top_rows_new(b->to);
	if (above == TOP_ROW_NONE || !to)
		return -ENOMEM;
	*to = *row;
	to->parent = above;
	place_process(b, row, b->to->count++);
	return 0;
}

static int add_to_list(const struct build *b, const struct top_row *row)
{
	struct top_row *to = top_rows_new(b->to);

	if (!to)
		return -ENOMEM;
	*to = *row;
	place_process(b, row, b->to->count++);
	return 0;
}

/* Adds process I of the snapshot, unless the filter excludes it. */
static int add_process(const struct build *b, uint32_t i)
{
	const struct view *view = b->from->view;
	struct top_row row;

	top_row_of_process(view, view_process(view, i), b->from->secret, &row);
	if (top_state_scope(b->asks->view) != METRIC_PROCESS)
		return add_to_group(b, &row);
	if (!top_row_matches(view, &row, b->asks->filter))
		return 0;
	return b->asks->view == TOP_VIEW_NESTED ? add_nested(b, &row) : add_to_list(b, &row);
}

/* Returns true if the chosen user, if any, is that of process I. */
static bool is_of_user(const struct build *b, uint32_t i)
{
	const struct view *view = b->from->view;

	return !b->asks->user[0] ||
	       !strcmp(view_owner(view, view_process(view, i), OWNER_USER), b->asks->user);
}

/* Adds the processes that the command line chose. */
static int add_members(const struct build *b)
{
	AUTO_FREE uint32_t *rows = NULL;
	size_t count = 0;
	int r = query_run(b->from->members, b->from->view, &rows, &count);

	for (size_t i = 0; r == 0 && i < count; i++)
		if (is_of_user(b, rows[i]))
			r = add_process(b, rows[i]);
	return r;
}

/* Sets the parent of each process to its parent process, if that has a row. */
static void set_parents(const struct build *b)
{
	struct top_rows *r = b->to;
	const struct view *view = b->from->view;

	for (size_t i = 0; i < r->count; i++) {
		uint32_t ppid = r->row[i].process->ppid;
		const struct snapshot_process *p = ppid ? view_find_process(view, ppid) : NULL;

		if (p)
			r->row[i].parent = r->of_process[view_process_index(view, p)];
	}
}

static int add_all_processes(const struct build *b)
{
	struct top_rows *r = b->to;
	uint32_t count = view_count(b->from->view, METRIC_PROCESS);
	int result = 0;

	if (ARRAY_RESERVE(r->of_process, r->of_processes, count) < 0)
		return -ENOMEM;
	memset(r->of_process, 0xff, count * sizeof(*r->of_process)); /* TOP_ROW_NONE */
	if (b->from->members)
		result = add_members(b);
	for (uint32_t i = 0; !b->from->members && result == 0 && i < count; i++)
		if (is_of_user(b, i))
			result = add_process(b, i);
	if (result == 0 && b->asks->view == TOP_VIEW_TREE)
		set_parents(b);
	return result;
}

/*
 * Removes the sums with names that the filter excludes, after all processes have been added. Returns
 * 0 or -ENOMEM.
 */
static int filter_groups(const struct build *b)
{
	struct top_rows *r = b->to;
	AUTO_FREE uint32_t *moved = calloc(r->count + 1, sizeof(*moved)); /* new numbers */
	size_t kept = 0;

	if (!moved)
		return -ENOMEM;
	for (size_t i = 0; i < r->count; i++) {
		moved[i] = TOP_ROW_NONE;
		if (!top_row_matches(b->from->view, &r->row[i], b->asks->filter))
			continue;
		amounts_end(&r->row[i].amounts, view_host(b->from->view));
		moved[i] = (uint32_t)kept;
		r->row[kept++] = r->row[i];
	}
	for (uint32_t i = 0; i < view_count(b->from->view, METRIC_PROCESS); i++)
		if (r->of_process[i] != TOP_ROW_NONE)
			r->of_process[i] = moved[r->of_process[i]];
	r->count = kept;
	return 0;
}

/*
 * Gives the history a sample of each row that is a sum over chosen processes or over a branch. Such
 * rows have a history only while they are shown. Rows that are made again are no further sample, and
 * those of a pause are none of the present.
 */
static void note_sums(const struct build *b)
{
	struct history *h = b->from->history;
	bool is_sample = b->salt && !b->from->is_typed && !b->from->is_fill &&
	                 history_begin_sums(h, b->from->view->header->boottime_ns, b->salt);

	for (size_t i = 0; i < b->to->count; i++) {
		struct top_row *row = &b->to->row[i];
		uint64_t pss;

		if (row->process && row->children) {
			row->past.key ^= b->salt;
			row->past.salt = b->salt;
			row->past.is_lasting = true;
		}
		if (!row->past.salt || !amounts_get(&row->amounts, AMOUNT_PSS, &pss))
			continue;
		if (b->from->is_fill)
			history_fill_add(h, &row->past, pss);
		else if (is_sample)
			history_add(h, &row->past, pss);
	}
}

/* Sets the growth and the trend of all rows, which they are sorted by. */
static void remember_all(const struct build *b)
{
	struct top_rows *r = b->to;

	for (size_t i = 0; i < r->count; i++)
		top_row_remember(&r->row[i], r->view, r->history, &r->known);
}

void top_rows_remember(struct top_rows *r, size_t first, size_t count)
{
	for (size_t i = first; i < r->shown && i - first < count; i++)
		top_row_remember(&r->row[r->order[i]], r->view, r->history, &r->known);
}

static void add_total(struct top_rows *r, const struct view *view)
{
	amounts_begin(&r->total);
	for (size_t i = 0; i < r->count; i++)
		if (r->row[i].parent == TOP_ROW_NONE)
			amounts_add(&r->total, &r->row[i].amounts);
	amounts_end(&r->total, view_host(view));
}

/* Adds the rows. Returns 0 or -ENOMEM. */
static int top_rows_collect(struct build *b)
{
	bool is_chosen = b->from->members || b->asks->user[0];
	bool is_owner = top_state_scope(b->asks->view) != METRIC_PROCESS;
	int r;

	b->to->is_filtered = is_chosen || b->asks->filter[0];
	b->to->is_of_image = is_owner && !is_chosen;
	if (b->to->is_of_image)
		return add_scopes(b);
	if (view_is_public(b->from->view)) {
		b->to->lack = TOP_ROWS_NO_PROCESSES;
		return 0;
	}
	b->salt = top_rows_salt(b->asks, b->from);
	r = add_all_processes(b);
	return r == 0 && is_owner ? filter_groups(b) : r;
}

int top_rows_make(
	struct top_rows *r, const struct top_asks *asks, const struct top_rows_source *from)
{
	struct build b = {.to = r, .asks = asks, .from = from};
	const struct top_glance glance = {.view = from->view};
	int result;

	r->count = r->shown = 0;
	r->view = from->view;
	r->history = from->history;
	r->known = (struct top_known){0};
	r->lack = TOP_ROWS_COMPLETE;
	hashmap_clear(&r->groups);
	result = top_rows_collect(&b);
	if (result == 0)
		result = top_tree_sum(&r->tree, r->row, r->count, view_host(from->view));
	if (result == 0 && ARRAY_RESERVE(r->order, r->orders, r->count) < 0)
		result = -ENOMEM;
	if (result < 0) {
		r->count = 0;
		return result;
	}
	note_sums(&b);
	r->known = top_known_of(from->history, from->view->header->boottime_ns,
		top_state_scope(asks->view) == METRIC_PROCESS ? 0 : b.salt);
	if (!from->is_fill && top_columns_is_growth(asks->sort))
		remember_all(&b);
	add_total(r, from->view);
	return top_tree_order(&r->tree, &glance, asks, r->row, r->count, r->order, &r->shown);
}

struct top_row *top_rows_find(const struct top_rows *r, uint64_t key)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->row[i].key == key)
			return &r->row[i];
	return NULL;
}

bool top_rows_has(const struct top_rows *r, const struct top_row *row, uint32_t process)
{
	uint32_t i;

	if (r->is_of_image)
		return !strcmp(
			view_owner(r->view, view_process(r->view, process), row->kind), row->name);
	for (i = r->of_process[process]; i != TOP_ROW_NONE; i = r->row[i].parent)
		if (&r->row[i] == row)
			return true;
	return false;
}

static uint64_t top_rows_key_of(const void *rows, size_t i)
{
	return top_rows_at(rows, i)->key;
}

void top_rows_settle(const struct top_rows *r, struct top_state *s)
{
	top_state_settle(s, r->shown, top_rows_key_of, r);
}

void top_rows_sum(const struct top_rows *r, size_t first, size_t count, struct amounts *ret)
{
	uint32_t counted = UINT32_MAX; /* the depth of the last row that was added */

	amounts_begin(ret);
	for (size_t i = first; i < r->shown && i < first + count; i++) {
		const struct top_row *row = top_rows_at(r, i);

		if (row->depth > counted)
			continue;
		counted = row->depth;
		amounts_add(ret, &row->amounts);
	}
	amounts_end(ret, view_host(r->view));
}
