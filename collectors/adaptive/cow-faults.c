/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/adaptive/cow-faults.h"

#include <assert.h>

#include "base/clock.h"
#include "base/saturate.h"
#include "collectors/model/share-count.h"
#include "collectors/schedule/measure-plan.h"

enum {
	/* bytes certainly written from which sharers are told: they share the old pages */
	BROKEN_MIN = 32 << 10,
	LIKELY_MIN = 256 << 10, /* the same for bytes that may have been written, or not */
	CALM_MAX = 16,
	LOOKS_IN_AN_AGE = 4, /* readings of a process in turn within the maximum age */
	LOOKS_SHARE = 4,     /* readings out of turn take a quarter of the tokens */
	LOOKS_TOGETHER = 32, /* counters that a worker reads in one go */
	/* So many processes that share most, if each shares more than LARGE_MIN bytes, are read in
	 * every pass. */
	LARGE_COUNT = 64,
	LARGE_MIN = 128 << 20,
	/* more than opening, reading and closing stat takes (Linux 6.18: 3 to 9 us) */
	LOOK_NS = 10000,
};

/*
 * A forked process that was measured before this age still copies more of what it shares, for
 * instance by counting references.
 */
#define YOUNG_NS (30 * NS_PER_SEC)

void cow_faults_init(struct cow_faults *f, struct families *families, struct process_reader *reader,
	const struct process_table *table, uint64_t page_bytes)
{
	*f = (struct cow_faults){
		.families = families, .reader = reader, .table = table, .page_bytes = page_bytes};
}

uint64_t cow_faults_room(const struct tracked *t)
{
	struct estimate_part anon = estimate_anon(&t->base);

	return anon.rss - anon.pss;
}

/*
 * Returns how many bytes of PSS T may have gained if it has copied OWN bytes, and other members
 * OTHERS bytes.
 */
static uint64_t gain_of(const struct tracked *t, uint64_t own, uint64_t others)
{
	struct estimate_part anon;

	if (!t->has_base || !(own | others))
		return 0;
	anon = estimate_anon(&t->base);
	others = share_count_written(
		anon.rss - anon.private_mid, anon.pss - anon.private_mid, t->member.then, others);
	return saturate_min(own + others, anon.rss - anon.pss);
}

static uint64_t own_broken(const struct tracked *t)
{
	return t->broken_kib * UINT64_C(1024);
}

/*
 * A private copy of a page that had two sharers or more gains at least half of the page: so the
 * copied bytes are at most twice the gain.
 */
static uint64_t others_broken(const struct tracked *t)
{
	struct cow_breaks_sum broken;

	families_broken(&t->member, &broken);
	return saturate_add(broken.gained, broken.gained);
}

uint64_t cow_faults_broken(const struct tracked *t)
{
	return gain_of(t, own_broken(t), others_broken(t));
}

uint64_t cow_faults_suspected(const struct tracked *t)
{
	return gain_of(t, t->watch == TRACKED_OVERDUE ? cow_faults_room(t) : own_broken(t),
		others_broken(t) + families_suspected(&t->member));
}

uint64_t cow_faults_unread(const struct tracked *t)
{
	return t->watch == TRACKED_OVERDUE || t->lacks_looks
	               ? saturate_less(cow_faults_suspected(t), cow_faults_broken(t))
	               : 0;
}

/*
 * Computes how much shared memory T, which has FAULTS minor faults, may have written since its
 * measurement, and puts its family in doubt by as much.
 */
static void take_faults(const struct cow_faults *f, struct tracked *t, uint64_t faults)
{
	struct estimate_now now = tracked_now(t, f->page_bytes);
	uint64_t bytes = ((uint32_t)faults - t->faults) * f->page_bytes;
	uint64_t now_ns = clock_now_ns(CLOCK_BOOTTIME);

	/* Growth was faulted in, and is counted by the other counters. For files one fault may map
	 * sixteen pages, but need not. */
	bytes = saturate_less(bytes, saturate_less(now.anon, t->base.anon));
	bytes = saturate_less(bytes, saturate_less(now.file, t->base.file));
	t->broken_kib = saturate_u32((bytes >> t->calm) / 1024);
	families_suspect(&t->member, own_broken(t), now_ns);
	t->looked_faults = (uint32_t)faults;
	t->broken_ns = now_ns;
	t->watch = TRACKED_COUNTED;
}

/*
 * T's faults could not be read until now, or T could not be measured. Until they are, the high
 * bounds of T and its family allow for writes to all of its shared memory.
 */
static void suspect_all(const struct cow_faults *f, struct tracked *t)
{
	struct estimate_now now = tracked_now(t, f->page_bytes);
	uint64_t bytes = t->has_base ? cow_faults_room(t) : now.anon;

	assert(!t->has_base || t->watch != TRACKED_UNCOUNTED);
	if (t->has_base)
		t->watch = TRACKED_OVERDUE;
	/* Suspected anew each time, because it may write at any time. */
	families_suspect(&t->member, 0, f->begin_ns);
	families_suspect(&t->member, saturate_max(bytes, own_broken(t)), f->begin_ns);
}

/*
 * T was measured again, where BEFORE was expected: tells its family about its private copies, at
 * most WRITTEN bytes (UINT64_MAX: not known), made before AT_NS. Other growth is memory that
 * sharers have released. Withdraws what T was suspected of. Returns true if T has certainly
 * written.
 */
static bool tell_copies(const struct cow_faults *f, struct tracked *t,
	const struct estimate *before, uint64_t written, uint64_t at_ns)
{
	bool is_known = written != UINT64_MAX;
	uint64_t least = is_known ? BROKEN_MIN : LIKELY_MIN;
	struct estimate_part anon = estimate_anon(&t->base);
	uint64_t gain = saturate_min(saturate_less(anon.pss, before->pss_anon), written);

	families_asked(&t->member, own_broken(t), gain);
	if (gain >= least) {
		families_broke(f->families, &t->member, gain,
			is_known ? saturate_less(anon.rss, before->pss_anon) : 0, at_ns);
		t->calm = 0;
	} else if (t->broken_kib >= LIKELY_MIN / 1024 && t->calm < CALM_MAX) {
		t->calm++;
	}
	t->broken_kib = 0;
	families_suspect(&t->member, 0, at_ns);
	return is_known && gain >= least;
}

/* Whether T shares so much anonymous memory that writes to it would require a measurement. */
static bool may_break(const struct tracked *t, uint64_t max_age_ns)
{
	return measure_plan_doubt_matters(
		cow_faults_room(t), estimate_base_pss(&t->base), max_age_ns, max_age_ns);
}

bool cow_faults_found(const struct cow_faults *f, struct process *p,
	const struct page_walk_result *walked, const struct estimate *before, uint64_t now_ns)
{
	struct tracked *t = p->tracked;
	uint64_t written = UINT64_MAX, since_ns = now_ns, faults;

	if (t->broken_kib && process_faults(f->reader, p, &faults) == 0) {
		written = (uint64_t)((uint32_t)faults - t->faults) * f->page_bytes;
		if ((uint32_t)faults == t->looked_faults)
			since_ns = t->broken_ns;
	} else if (t->watch != TRACKED_UNCOUNTED && walked->has_faults) {
		written = (uint64_t)(walked->faults - t->faults) * f->page_bytes;
	}
	return tell_copies(f, t, before, written, since_ns);
}

void cow_faults_measured(const struct cow_faults *f, struct process *p,
	const struct page_walk_result *walked, uint64_t max_age_ns)
{
	struct tracked *t = p->tracked;
	uint64_t faults = walked->faults;
	bool is_counted = may_break(t, max_age_ns) &&
	                  (walked->has_faults || process_faults(f->reader, p, &faults) == 0);

	t->watch = is_counted ? TRACKED_COUNTED : TRACKED_UNCOUNTED;
	t->faults = is_counted ? (uint32_t)faults : 0;
}

/* Why a process's counter is read out of turn. */
enum reason {
	REASON_WRITES,  /* a process of its family has written since SINCE_NS */
	REASON_YOUNG,   /* it was measured soon after its birth */
	REASON_OVERDUE, /* it could not be read in an earlier pass */
	REASON_HOST,    /* the host's sum: all processes */
};

static bool has_reason(const struct tracked *t, enum reason reason, uint64_t since_ns)
{
	switch (reason) {
	case REASON_WRITES: return families_breaks(&t->member, since_ns);
	case REASON_YOUNG:
		return t->member.born_ns && t->measured_ns < t->member.born_ns + YOUNG_NS;
	case REASON_OVERDUE: return t->watch == TRACKED_OVERDUE;
	case REASON_HOST: break;
	}
	return true;
}

static bool is_worth_it(const struct tracked *t)
{
	return t && t->has_base && t->watch != TRACKED_UNCOUNTED &&
	       t->relations != TRACKED_ELSEWHERE;
}

/* Processes that are read together, so that a worker reads all of their counters in one go. */
struct looks {
	struct process *process[LOOKS_TOGETHER];
	size_t count;
};

static void cow_faults_look_at(const struct cow_faults *f, struct process *p)
{
	uint64_t faults;

	if (process_faults(f->reader, p, &faults) == 0)
		take_faults(f, p->tracked, faults);
}

static void look_at_all(const struct cow_faults *f, struct looks *looks)
{
	for (size_t i = 0; i < looks->count; i++)
		process_announce_stat(f->reader, looks->process[i]);
	for (size_t i = 0; i < looks->count; i++)
		cow_faults_look_at(f, looks->process[i]);
	looks->count = 0;
}

static void add_look(const struct cow_faults *f, struct looks *looks, struct process *p)
{
	looks->process[looks->count++] = p;
	if (looks->count == LOOKS_TOGETHER)
		look_at_all(f, looks);
}

static void look_in_turn(const struct cow_faults *f, uint64_t turns)
{
	const struct process_table *table = f->table;
	struct looks looks = {.count = 0};

	for (size_t i = 0; i < table->count; i++) {
		struct process *p = table->item[i];

		if (is_worth_it(p->tracked) && p->tracked->broken_ns < f->begin_ns &&
			((uint64_t)p->pid + f->turn) % turns == 0)
			add_look(f, &looks, p);
	}
	look_at_all(f, &looks);
}

/* Finds the processes of TABLE that share most, in no order. *RET_COUNT becomes their number. */
static void find_large(const struct process_table *table, struct process *large[static LARGE_COUNT],
	size_t *ret_count)
{
	uint64_t room[LARGE_COUNT];
	size_t count = 0, least = 0;

	for (size_t i = 0; i < table->count; i++) {
		const struct tracked *t = table->item[i]->tracked;
		uint64_t its = is_worth_it(t) ? cow_faults_room(t) : 0;
		size_t at = count < LARGE_COUNT ? count : least;

		if (its <= LARGE_MIN || (at < count && its <= room[at]))
			continue;
		large[at] = table->item[i];
		room[at] = its;
		count += at == count;
		least = 0;
		for (size_t j = 1; j < count; j++)
			least = room[j] < room[least] ? j : least;
	}
	*ret_count = count;
}

/*
 * Missing the writes of these processes would matter most. They are few, and a reading is far
 * cheaper than the wider bounds and the measurements that a suspicion of them causes.
 */
static void look_at_large(const struct cow_faults *f)
{
	struct process *large[LARGE_COUNT];
	struct looks looks = {.count = 0};
	size_t count;

	find_large(f->table, large, &count);
	for (size_t i = 0; i < count; i++)
		if (large[i]->tracked->broken_ns < f->begin_ns)
			add_look(f, &looks, large[i]);
	look_at_all(f, &looks);
}

/*
 * Reads the counters of processes with REASON that were not read in this pass, while .left lasts.
 * It starts where the last call ran out.
 */
static void look_besides(struct cow_faults *f, enum reason reason, uint64_t since_ns)
{
	const struct process_table *table = f->table;
	struct looks looks = {.count = 0};
	size_t first = f->first;

	for (size_t n = 0; n < table->count && f->left; n++) {
		size_t i = (first + n) % table->count;
		const struct tracked *t = table->item[i]->tracked;

		if (!is_worth_it(t) || t->broken_ns >= f->begin_ns ||
			!has_reason(t, reason, since_ns))
			continue;
		f->first = i + 1;
		f->left--;
		add_look(f, &looks, table->item[i]);
	}
	look_at_all(f, &looks);
}

/* Whether it is not known, for longer than an interval, what T has written to. */
static bool cow_faults_is_overdue(
	const struct cow_faults *f, const struct tracked *t, uint64_t interval_ns)
{
	uint64_t last_ns = saturate_max(t->broken_ns, t->measured_ns);

	return last_ns < f->begin_ns && f->begin_ns - last_ns > interval_ns;
}

/*
 * While enough readings are left for an alarm, processes need not be suspected between their turns:
 * the host's sum shows writes, and then all are read; those of a large host in two passes.
 */
static void suspect_overdue(const struct cow_faults *f, uint64_t interval_ns)
{
	const struct process_table *table = f->table;
	uint64_t count = 0;
	bool is_short;

	for (size_t i = 0; i < table->count; i++) {
		const struct tracked *t = table->item[i]->tracked;

		count += is_worth_it(t) && t->broken_ns < f->begin_ns;
	}
	is_short = f->left < (count + 1) / 2;
	for (size_t i = 0; i < table->count; i++) {
		struct tracked *t = table->item[i]->tracked;

		if (!t)
			continue;
		t->lacks_looks = is_short;
		if (is_short && (is_worth_it(t) ? cow_faults_is_overdue(f, t, interval_ns)
						: !t->has_base && t->relations == TRACKED_RELATED))
			suspect_all(f, t);
	}
}

void cow_faults_look(
	struct cow_faults *f, uint64_t interval_ns, uint64_t max_age_ns, uint64_t available_ns)
{
	assert(interval_ns > 0);
	f->turn++;
	f->begin_ns = clock_now_ns(CLOCK_BOOTTIME);
	f->left = available_ns / LOOKS_SHARE / LOOK_NS;
	look_at_large(f);
	look_in_turn(f, saturate_max(max_age_ns / interval_ns / LOOKS_IN_AN_AGE, 1));
	look_besides(f, REASON_WRITES, saturate_less(f->begin_ns, max_age_ns));
	look_besides(f, REASON_YOUNG, 0);
	look_besides(f, REASON_OVERDUE, 0);
	suspect_overdue(f, interval_ns);
}

void cow_faults_alarmed(struct cow_faults *f)
{
	look_besides(f, REASON_HOST, 0);
}
