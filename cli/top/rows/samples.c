/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/rows/samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/mix.h"
#include "base/saturate.h"
#include "cli/top/rows/top-row.h"
#include "cli/top/rows/top-state.h"

/* The wall clock is corrected by less in ten minutes. */
#define BOOT_ERROR_NS (10 * NS_PER_SEC)

/* The destination of samples: history_add() or history_fill_add(). */
typedef void samples_add(struct history *h, const struct history_id *id, uint64_t pss_bytes);

/* The samples of a snapshot. */
struct samples {
	struct history *to;
	samples_add *add;
	const struct view *view;
	const struct siphash_key *secret;
};

static void samples_add_owners(const struct samples *s, enum metric_scope scope)
{
	for (uint32_t i = 0; i < view_count(s->view, scope); i++) {
		const struct snapshot_scope *owner = view_scope(s->view, scope, i);
		struct top_row row;

		if (owner->flags & SCOPE_OTHER || !ROW_HAS(owner, SCOPE_PSS))
			continue;
		top_row_of_owner(metric_owner_kind(scope), view_text(s->view, owner->name), 0, 0,
			s->secret, &row);
		s->add(s->to, &row.past, owner->q[SCOPE_PSS]);
	}
}

/* A program of a user. */
struct samples_pair {
	uint32_t user, program; /* texts of the snapshot */
	uint64_t pss_bytes;
};

/* Zeroed: empty. */
struct samples_pairs {
	struct hashmap map;
	struct samples_pair *pair; /* owned */
	size_t count, room;
};

static void samples_pairs_done(struct samples_pairs *p)
{
	hashmap_done(&p->map);
	free(p->pair);
}

/* Adds the PSS of process P to its pair. Returns false if there is no memory. */
static bool samples_pairs_add(struct samples_pairs *to, const struct snapshot_process *p,
	const struct siphash_key *secret)
{
	uint32_t user = p->owner[OWNER_USER], program = p->owner[OWNER_PROGRAM], i;
	uint64_t hash = mix_bits(secret->half[0] ^ ((uint64_t)user << 32 | program));
	uint64_t pss = p->q[PROCESS_PSS];

	for (size_t at = 0; to->pair && hashmap_next(&to->map, hash, &at, &i);)
		if (to->pair[i].user == user && to->pair[i].program == program) {
			to->pair[i].pss_bytes = saturate_add(to->pair[i].pss_bytes, pss);
			return true;
		}
	if (ARRAY_RESERVE(to->pair, to->room, to->count + 1) < 0 ||
		hashmap_add(&to->map, hash, to->count) < 0)
		return false;
	to->pair[to->count++] = (struct samples_pair){user, program, pss};
	return true;
}

/* Adds the samples of PAIRS, which have those of all processes. */
static void samples_add_pairs(const struct samples *s, const struct samples_pairs *pairs)
{
	for (size_t i = 0; i < pairs->count; i++) {
		const struct samples_pair *p = &pairs->pair[i];
		struct top_row user, row;

		top_row_of_owner(OWNER_USER, view_text(s->view, p->user), 0, 0, s->secret, &user);
		top_row_of_owner(OWNER_PROGRAM, view_text(s->view, p->program), user.key, 0,
			s->secret, &row);
		s->add(s->to, &row.past, p->pss_bytes);
	}
}

static void samples_add_processes(const struct samples *s)
{
	struct samples_pairs pairs = {0};
	bool has_pairs = true;

	for (uint32_t i = 0; i < view_count(s->view, METRIC_PROCESS); i++) {
		const struct snapshot_process *p = view_process(s->view, i);
		struct top_row row;

		if (!snapshot_has_figure(p) || !ROW_HAS(p, PROCESS_PSS))
			continue;
		top_row_of_process(s->view, p, s->secret, &row);
		s->add(s->to, &row.past, p->q[PROCESS_PSS]);
		has_pairs = has_pairs && samples_pairs_add(&pairs, p, s->secret);
	}
	/* A sum of a part of its processes is none. */
	if (has_pairs)
		samples_add_pairs(s, &pairs);
	samples_pairs_done(&pairs);
}

static void samples_add_all(const struct samples *s)
{
	for (unsigned int v = 0; v < TOP_VIEWS; v++)
		if (metric_is_owner(top_state_scope((enum top_view)v)))
			samples_add_owners(s, top_state_scope((enum top_view)v));
	samples_add_processes(s);
}

void samples_take(struct history *h, const struct view *view, enum history_source source,
	const struct siphash_key *secret)
{
	const struct samples s = {h, history_add, view, secret};

	history_take_from(h, source);
	if (!history_begin(h, view->header->boottime_ns, view->header->interval_ns))
		return;
	samples_add_all(&s);
	history_end(h);
}

/* A step of the wall clock between two starts of memtallyd looks as if the machine was started again. */
bool samples_is_comparable(const struct view *then, const struct view *now)
{
	const struct image_header *a = then->header, *b = now->header;
	int64_t boot_a = (int64_t)a->realtime_ns - (int64_t)a->boottime_ns;
	int64_t boot_b = (int64_t)b->realtime_ns - (int64_t)b->boottime_ns;
	bool is_same = !memcmp(a->instance, b->instance, sizeof(a->instance)) ||
	               saturate_size(boot_a - boot_b) < BOOT_ERROR_NS;

	return is_same && a->boottime_ns < b->boottime_ns;
}

bool samples_fill(
	struct history *h, const struct view *view, uint64_t salt, const struct siphash_key *secret)
{
	const struct samples s = {h, history_fill_add, view, secret};

	if (!history_fill(h, view->header->boottime_ns, salt))
		return false;
	samples_add_all(&s);
	return true;
}
