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

uint64_t top_span_ns(enum top_span span)
{
	return span == TOP_SPAN_SHORT ? 60 * NS_PER_SEC : HISTORY_SPAN_NS;
}

/* Returns NS, a part of SPAN, in whole minutes or, below one, in whole five seconds. */
static uint64_t whole_span(uint64_t ns, enum top_span span)
{
	uint64_t unit_ns = (ns < 60 * NS_PER_SEC ? 5 : 60) * NS_PER_SEC;

	return saturate_min(ns - ns % unit_ns, top_span_ns(span));
}

struct top_known top_known_of(const struct history *h, uint64_t boottime_ns, uint64_t salt)
{
	struct top_known known = {.since_ns = history_oldest(h, boottime_ns, salt)};

	for (unsigned int i = 0; i < TOP_SPANS; i++)
		known.span_ns[i] = whole_span(boottime_ns - known.since_ns, (enum top_span)i);
	/* Two columns of the same span would say the same. */
	if (known.span_ns[TOP_SPAN_LONG] == known.span_ns[TOP_SPAN_SHORT])
		known.span_ns[TOP_SPAN_LONG] = 0;
	return known;
}

/* Returns whether process P, if that is one, has started less than SPAN_NS ago; OTHERWISE: not known. */
static bool is_young(const struct snapshot_process *p, uint64_t span_ns, bool otherwise)
{
	return p && ROW_HAS(p, PROCESS_ELAPSED) ? p->q[PROCESS_ELAPSED] < span_ns : otherwise;
}

/*
 * Gets the growth over SPAN_NS of R, PSS_BYTES now, of which H has E. A branch may have been a single
 * process then.
 */
static int growth_of(const struct top_row *r, const struct history *h,
	const struct history_entry *e, uint64_t boottime_ns, uint64_t span_ns, uint64_t pss_bytes,
	int64_t *ret)
{
	struct history_id alone = r->past;
	int outcome = history_growth(h, &r->past, e, boottime_ns, span_ns, pss_bytes, ret);

	if (outcome != HISTORY_NEW || !r->process || !r->past.salt)
		return outcome;
	alone.key = r->key;
	alone.salt = 0;
	return history_growth(
		h, &alone, history_get(h, &alone), boottime_ns, span_ns, pss_bytes, ret);
}

void top_row_remember(struct top_row *r, const struct view *view, const struct history *h,
	const struct top_known *known)
{
	uint64_t boottime_ns = view->header->boottime_ns, pss;
	const struct history_entry *e;

	if (r->has_past)
		return;
	r->has_past = true;
	r->was = (struct top_past){0};
	if (!amounts_get(&r->amounts, AMOUNT_PSS, &pss))
		return;
	e = history_get(h, &r->past);
	for (unsigned int i = 0; i < TOP_SPANS; i++) {
		uint64_t span_ns = known->span_ns[i];
		struct top_growth *g = &r->was.growth[i];
		int outcome = span_ns ? growth_of(r, h, e, boottime_ns, span_ns, pss, &g->bytes)
		                      : HISTORY_NOT_KNOWN;

		g->is_new = outcome && is_young(r->process, span_ns ? span_ns : top_span_ns(i),
					       outcome == HISTORY_NEW);
		g->is_known = !outcome || g->is_new;
		if (g->is_new)
			g->bytes = (int64_t)saturate_min(pss, INT64_MAX);
	}
	history_trend(e, boottime_ns, pss, r->was.trend);
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
