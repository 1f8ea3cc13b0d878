/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/rows/top-row.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/mix.h"
#include "base/saturate.h"

/* Hashes never are 0, which means no row. */
static uint64_t end_key(struct siphash *s)
{
	uint64_t key = siphash_end(s);

	return key ? key : 1;
}

/*
 * A process is told apart by its pid and its start, which is a difference of two times of
 * CLOCK_BOOTTIME and the same in each snapshot. If the snapshot does not say since when its program
 * runs, the key is also of the program, which changes with most calls of exec.
 */
static uint64_t top_row_key(
	const struct view *view, const struct snapshot_process *p, const struct siphash_key *secret)
{
	uint64_t begin_ns = view->header->pass_begin_ns, start_ns = UINT64_MAX, key;
	const char *program = view_owner(view, p, OWNER_PROGRAM);
	struct siphash hash;

	if (ROW_HAS(p, PROCESS_ELAPSED))
		start_ns = saturate_less(begin_ns, p->q[PROCESS_ELAPSED]);
	key = mix_bits(mix_bits(secret->half[0] ^ p->pid) ^ secret->half[1] ^ start_ns);
	if (ROW_HAS(p, PROCESS_SEEN))
		return key ? key : 1;
	siphash_init(&hash, secret);
	siphash_add(&hash, &key, sizeof(key));
	siphash_add(&hash, program, strlen(program));
	return end_key(&hash);
}

void top_row_of_process(const struct view *view, const struct snapshot_process *p,
	const struct siphash_key *secret, struct top_row *ret)
{
	*ret = (struct top_row){
		.process = p,
		.kind = OWNER_PROGRAM,
		.name = view_owner(view, p, OWNER_PROGRAM),
		.parent = TOP_ROW_NONE,
	};
	ret->key = ret->past.key = top_row_key(view, p, secret);
	if (ROW_HAS(p, PROCESS_SEEN))
		ret->past.since_ns = saturate_less(view->header->pass_begin_ns, p->q[PROCESS_SEEN]);
	amounts_of_process(p, &ret->amounts);
}

void top_row_of_owner(enum owner_kind kind, const char *name, uint64_t above, uint64_t salt,
	const struct siphash_key *secret, struct top_row *ret)
{
	const uint64_t id[] = {(uint64_t)kind, above};
	struct siphash hash;

	*ret = (struct top_row){.kind = kind, .name = name, .parent = TOP_ROW_NONE};
	siphash_init(&hash, secret);
	siphash_add(&hash, id, sizeof(id));
	siphash_add(&hash, name, strlen(name));
	ret->key = end_key(&hash);
	ret->past = (struct history_id){.key = ret->key ^ salt, .salt = salt, .is_lasting = true};
}

void top_row_remember(struct top_row *r, const struct history *h, uint64_t boottime_ns)
{
	uint64_t pss;

	if (!amounts_get(&r->amounts, AMOUNT_PSS, &pss))
		return;
	r->growth_1.is_known = history_growth(
		h, &r->past, boottime_ns, 60 * NS_PER_SEC, pss, &r->growth_1.bytes);
	r->growth_10.is_known = history_growth(
		h, &r->past, boottime_ns, HISTORY_SPAN_NS, pss, &r->growth_10.bytes);
	history_trend(h, &r->past, boottime_ns, pss, r->trend);
}

/* Returns true if one of the alternatives in WANTED is in TEXT. */
static bool has_alternative(const char *text, const char *wanted)
{
	for (;;) {
		size_t len = strcspn(wanted, "|");
		char part[256];

		snprintf(part, sizeof(part), "%.*s", (int)len, wanted);
		if (*part && strcasestr(text, part))
			return true;
		if (!wanted[len])
			return false;
		wanted += len + 1;
	}
}

bool top_row_matches(const struct view *view, const struct top_row *r, const char *wanted)
{
	static const enum owner_kind kinds[] = {OWNER_USER, OWNER_UNIT, OWNER_CONTAINER};
	char pid[16];

	if (!*wanted || has_alternative(r->name, wanted))
		return true;
	if (!r->process)
		return false;
	snprintf(pid, sizeof(pid), "%u", r->process->pid);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (has_alternative(view_owner(view, r->process, kinds[i]), wanted))
			return true;
	return has_alternative(pid, wanted);
}
