/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/owners/top-owners.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A row's place in a ranking. */
struct item {
	uint64_t weight;
	uint32_t row; /* a slot or an index */
};

static int top_owners_compare_items(const void *a_, const void *b_)
{
	const struct item *a = a_, *b = b_;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return (a->row > b->row) - (a->row < b->row);
}

static struct item *get_items(struct buffer *scratch, size_t count)
{
	buffer_clear(scratch);
	return (struct item *)(void *)buffer_reserve(scratch, (count + 1) * sizeof(struct item));
}

void top_owners_decide(uint32_t rank, uint32_t n, bool *exported, uint8_t *below)
{
	if (rank < n) {
		*exported = true;
		*below = 0;
	} else if (!*exported) {
		*below = 0;
	} else if (rank < n + n / 5) {
		*below = 0;
	} else if (++*below >= TOP_OWNERS_PASSES || rank >= 2 * (uint64_t)n) {
		*exported = false;
		*below = 0;
	}
}

/* PSS; if it is absent, its high bound, or RSS. */
static uint64_t weight_of(const struct scope *s)
{
	const struct sums *sums = &s->sums;

	if (ROW_HAS(sums, SCOPE_PSS))
		return sums->q[SCOPE_PSS];
	return ROW_HAS(sums, SCOPE_PSS_HIGH) ? sums->q[SCOPE_PSS_HIGH] : sums->q[SCOPE_RSS];
}

static bool is_named_other(const struct scope *s)
{
	return s->key_len == sizeof("(other)") - 1 && !memcmp(s->key, "(other)", s->key_len);
}

/*
 * Owners without members keep their series for an hour. If more than ROOM have series, those that
 * became empty last keep them.
 */
static void retain_empty(struct owner_table *s, struct item *items, size_t room, uint64_t now_ns)
{
	size_t n = 0;

	for (struct scope *row = NULL; (row = owner_table_next(s, row));) {
		if (!row->empty_ns || !row->exported)
			continue;
		if (now_ns - row->empty_ns >= TOP_OWNERS_EMPTY_NS)
			row->exported = false;
		else
			items[n++] = (struct item){.weight = row->empty_ns, .row = row->slot};
	}
	if (n <= room)
		return;
	qsort(items, n, sizeof(*items), top_owners_compare_items);
	for (size_t i = room; i < n; i++)
		owner_table_at(s, items[i].row)->exported = false;
}

int top_owners_scopes(struct owner_table *s, uint32_t n, uint64_t now_ns, struct buffer *scratch)
{
	struct item *items = get_items(scratch, s->count);
	size_t count = 0, exported = 0;

	if (!items)
		return -ENOMEM;
	for (struct scope *row = NULL; (row = owner_table_next(s, row));)
		if (!row->empty_ns && !is_named_other(row))
			items[count++] = (struct item){.weight = weight_of(row), .row = row->slot};
	qsort(items, count, sizeof(*items), top_owners_compare_items);
	for (size_t i = 0; i < count; i++) {
		struct scope *row = owner_table_at(s, items[i].row);

		top_owners_decide((uint32_t)i, n, &row->exported, &row->below);
		exported += row->exported;
	}
	retain_empty(s, items, exported < 2 * (size_t)n ? 2 * (size_t)n - exported : 0, now_ns);
	return 0;
}

enum ranking { RANK_BY_PSS, RANK_BY_SWAP, RANK_BY_GROWTH, RANKINGS };

static uint64_t process_weight(
	enum ranking ranking, const struct process *p, const struct snapshot_process *row)
{
	switch (ranking) {
	case RANK_BY_PSS:
		return ROW_HAS(row, PROCESS_PSS) ? row->q[PROCESS_PSS] : row->q[PROCESS_RSS];
	case RANK_BY_SWAP: return row->q[PROCESS_VM_SWAP];
	default: return p->growth.hwm_bytes + p->growth.swap_bytes;
	}
}

int top_owners_processes(struct process *const *processes, const struct snapshot_process *rows,
	size_t count, uint32_t n, struct buffer *scratch)
{
	struct item *items = get_items(scratch, count * 2);
	uint32_t *best; /* rank in the best ranking */

	if (!items)
		return -ENOMEM;
	best = (uint32_t *)(void *)(items + count);
	for (size_t i = 0; i < count; i++)
		best[i] = UINT32_MAX;
	for (unsigned int ranking = 0; ranking < RANKINGS; ranking++) {
		uint32_t ranked = 0;

		for (size_t i = 0; i < count; i++) {
			uint64_t weight = process_weight(
				(enum ranking)ranking, processes[i], &rows[i]);

			if (weight)
				items[ranked++] = (struct item){
					.weight = weight, .row = (uint32_t)i};
		}
		qsort(items, ranked, sizeof(*items), top_owners_compare_items);
		for (uint32_t rank = 0; rank < ranked; rank++)
			if (rank < best[items[rank].row])
				best[items[rank].row] = rank;
	}
	for (size_t i = 0; i < count; i++)
		top_owners_decide(best[i], n, &processes[i]->exported, &processes[i]->below);
	return 0;
}
