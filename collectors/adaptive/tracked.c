/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/adaptive/tracked.h"

#include <stdlib.h>

#include "base/saturate.h"

/* Quantities of status alone, and hugetlb of the walk: shown as last read. */
static const uint8_t kept[TRACKED_KEPT] = {
	PROCESS_VM_SWAP,
	PROCESS_VM_HWM,
	PROCESS_VM_PEAK,
	PROCESS_VM_SIZE,
	PROCESS_VM_DATA,
	PROCESS_VM_PTE,
	PROCESS_VM_LCK,
	PROCESS_VM_PIN,
	PROCESS_VM_STK,
	PROCESS_VM_EXE,
	PROCESS_VM_LIB,
	PROCESS_RSS_SHMEM,
	PROCESS_PRIVATE_HUGETLB,
	PROCESS_SHARED_HUGETLB,
};

enum {
	SWAP_AT = 0,
	HWM_AT = 1,
	SIZE_AT = 3,
	SHMEM_AT = 11,
	IS_WIDE = UINT32_MAX,
	UNSURE_LEAST = 16 << 10,
	UNSURE_PART = 16, /* of what moves between two readings around a walk */
};

#define BIT(i)       (UINT64_C(1) << (i))
#define HUGETLB_BITS (BIT(PROCESS_PRIVATE_HUGETLB) | BIT(PROCESS_SHARED_HUGETLB))

struct tracked *tracked_new(uint64_t now_ns)
{
	struct tracked *t = calloc(1, sizeof(*t));

	if (t)
		tracked_renew(t, now_ns);
	return t;
}

struct tracked *tracked_free(struct tracked *t)
{
	if (!t)
		return NULL;
	free(t->doubt);
	free(t->wide);
	free(t);
	return NULL;
}

void tracked_drop_doubt(struct tracked *t)
{
	free(t->doubt);
	t->doubt = NULL;
}

void tracked_renew(struct tracked *t, uint64_t now_ns)
{
	free(t->doubt);
	free(t->wide);
	*t = (struct tracked){
		.first_ns = now_ns,
		.member = t->member,
		.relations = t->relations == TRACKED_RELATED ? TRACKED_RELATED : TRACKED_ALONE,
	};
}

static uint64_t kept_at(const struct tracked *t, size_t i)
{
	return t->kib[i] == IS_WIDE ? t->wide[i] : (uint64_t)t->kib[i] * 1024;
}

/*
 * Stores BYTES. Returns false if there is no memory for a value above 4 TiB, or one that is no
 * multiple of 1 KiB.
 */
static bool tracked_keep(struct tracked *t, size_t i, uint64_t bytes)
{
	if (bytes % 1024 == 0 && bytes / 1024 < IS_WIDE) {
		t->kib[i] = (uint32_t)(bytes / 1024);
		return true;
	}
	if (!t->wide)
		t->wide = calloc(TRACKED_KEPT, sizeof(*t->wide));
	if (!t->wide)
		return false;
	t->kib[i] = IS_WIDE;
	t->wide[i] = bytes;
	return true;
}

static uint64_t tracked_moves(const struct statm *a, const struct statm *b)
{
	return saturate_distance(a->shared, b->shared) +
	       saturate_distance(a->resident - a->shared, b->resident - b->shared);
}

/* Accounts for the movement from OLD to .seen. */
static void note_move(struct tracked *t, const struct statm *old, uint64_t page_bytes)
{
	if (t->relations == TRACKED_RELATED)
		families_moved(&t->member, old->shared * page_bytes, t->seen.shared * page_bytes);
	t->moved += tracked_moves(&t->seen, old);
}

/* Sets .seen from status, which has the same counters as statm. */
static void tracked_see(struct tracked *t, const struct sample *s, uint64_t page_bytes)
{
	uint64_t rss = s->q[PROCESS_RSS], file;
	struct statm old = t->seen;

	t->is_seen = ROW_HAS(s, PROCESS_RSS_ANON) && ROW_HAS(s, PROCESS_RSS_FILE) &&
	             ROW_HAS(s, PROCESS_RSS_SHMEM) && ROW_HAS(s, PROCESS_VM_SIZE);
	if (t->is_seen) {
		file = saturate_add(s->q[PROCESS_RSS_FILE], s->q[PROCESS_RSS_SHMEM]);
		rss = saturate_add(s->q[PROCESS_RSS_ANON], file);
	} else { /* before Linux 4.5; until statm is read */
		file = t->seen.resident ? saturate_part(rss, t->seen.shared, t->seen.resident) : 0;
	}
	t->seen = (struct statm){
		.size = s->q[PROCESS_VM_SIZE] / page_bytes,
		.resident = rss / page_bytes,
		.shared = file / page_bytes,
	};
	note_move(t, &old, page_bytes);
}

static enum tracked_image image_of(const struct tracked *t, const struct sample *s)
{
	if (s->is_member)
		return ROW_HAS(s, PROCESS_RSS) && s->outcome != OUTCOME_CHANGING ? TRACKED_SETTLED
		                                                                 : TRACKED_CHANGING;
	if (s->outcome != OUTCOME_NO_MM)
		return TRACKED_UNKNOWN;
	return t->leaving ? TRACKED_LEAVING : TRACKED_EMPTY;
}

void tracked_note(struct tracked *t, const struct sample *s, uint64_t now_ns, uint64_t page_bytes)
{
	bool has_walk = ROW_HAS(s, PROCESS_PSS);

	/* Without a walk it is not known whether one would fail again. */
	if (has_walk || s->outcome != OUTCOME_MEASURED)
		t->outcome = (uint8_t)s->outcome;
	t->image = image_of(t, s);
	t->looked_ns = now_ns;
	t->present = s->present | (has_walk ? 0 : t->present & HUGETLB_BITS);
	for (size_t i = 0; i < TRACKED_KEPT; i++)
		if (ROW_HAS(s, kept[i]) && !tracked_keep(t, i, s->q[kept[i]]))
			t->present &= ~BIT(kept[i]);
	t->start_ns = s->q[PROCESS_START_TIME];
	t->threads = saturate_u32(s->q[PROCESS_THREADS]);
	tracked_see(t, s, page_bytes);
}

void tracked_poll(struct tracked *t, const struct statm *m, uint64_t page_bytes)
{
	struct statm old = t->seen;
	uint64_t rss = m->resident * page_bytes;

	t->seen = *m;
	t->is_seen = false;
	if (ROW_HAS(t, PROCESS_VM_SIZE) && !tracked_keep(t, SIZE_AT, m->size * page_bytes))
		t->present &= ~BIT(PROCESS_VM_SIZE);
	if (ROW_HAS(t, PROCESS_VM_HWM) && rss > kept_at(t, HWM_AT) && !tracked_keep(t, HWM_AT, rss))
		t->present &= ~BIT(PROCESS_VM_HWM);
	note_move(t, &old, page_bytes);
}

struct estimate_now tracked_now(const struct tracked *t, uint64_t page_bytes)
{
	return (struct estimate_now){
		.anon = (t->seen.resident - t->seen.shared) * page_bytes,
		.file = t->seen.shared * page_bytes,
		.swap = ROW_HAS(t, PROCESS_VM_SWAP) ? kept_at(t, SWAP_AT) : 0,
		.shmem = ROW_HAS(t, PROCESS_RSS_SHMEM) ? kept_at(t, SHMEM_AT) : 0,
	};
}

bool tracked_is_quiet(const struct tracked *t, uint64_t page_bytes)
{
	struct estimate_now now = tracked_now(t, page_bytes);

	return t->has_base && estimate_is_quiet(&t->base, &now);
}

bool tracked_agrees(const struct tracked *t, const struct sample *s, uint64_t page_bytes)
{
	return t->is_seen && s->source == SOURCE_ROLLUP &&
	       s->q[PROCESS_RSS] == t->seen.resident * page_bytes &&
	       s->anon_bytes == (t->seen.resident - t->seen.shared) * page_bytes;
}

/* Returns the counters that belong to the measurement S; see tracked_measure(). */
static struct estimate_now counters_of(struct tracked *t, const struct sample *s,
	const struct statm *before, const struct statm *after, uint64_t late_bytes,
	uint64_t page_bytes)
{
	struct estimate_now now = tracked_now(t, page_bytes);
	struct statm seen = t->seen;
	uint64_t beyond = saturate_less(s->q[PROCESS_RSS], now.anon + now.file);

	t->unsure = 0;
	if (!before)
		before = &seen;
	if (!after)
		after = &seen;
	/* Memory that came and went during the walk is in its PSS, and in neither reading. */
	if (statm_is_same(after, before) && beyond <= late_bytes)
		return now;
	t->seen = *after;
	note_move(t, &seen, page_bytes);
	/* A walk takes time, and counters may be late by some pages on each processor. */
	t->unsure = saturate_u32(
		UNSURE_LEAST +
		saturate_max(tracked_moves(after, before) * page_bytes, beyond) / UNSURE_PART);
	if (s->anon_bytes <= s->q[PROCESS_RSS]) {
		now.anon = s->anon_bytes;
		now.file = s->q[PROCESS_RSS] - s->anon_bytes;
	}
	return now;
}

/*
 * Returns the KiB of shared memory in the walk's result. The counters in S are from a status that
 * was read before a whole walk, or after one by slices. What the walk has found more or less than
 * that counts as shared memory, of which most can come and go.
 */
static uint32_t shmem_found(const struct tracked *t, const struct sample *s)
{
	uint64_t file = t->base.file, shmem = (uint64_t)t->base.shmem_kib * 1024;

	if (!shmem)
		return 0;
	if (ROW_HAS(s, PROCESS_RSS_FILE))
		shmem = saturate_less(
			saturate_add(shmem, file), saturate_add(s->q[PROCESS_RSS_FILE], shmem));
	return (uint32_t)(saturate_min(shmem, file) / 1024);
}

bool tracked_measure(struct tracked *t, const struct sample *s, const struct statm *before,
	const struct statm *after, uint64_t late_bytes, uint64_t now_ns, uint64_t page_bytes)
{
	struct estimate_now now = counters_of(t, s, before, after, late_bytes, page_bytes);

	t->measured_ns = now_ns;
	if (!estimate_base_take(s->present | (s->guesses_parts ? SAMPLE_PARTS : 0), s->q, now.anon,
		    now.file, &t->base))
		return false;
	t->has_base = true;
	t->base.shmem_kib = shmem_found(t, s);
	t->guesses_parts = s->guesses_parts;
	t->source = (uint8_t)s->source;
	t->base.rounding = estimate_rounding(s->rounding);
	t->lack_anon = t->lack_file = t->fell_anon_kib = t->fell_file_kib = 0;
	if (t->base.has_parts) {
		t->lack_anon = saturate_u32(t->base.pss_anon - s->q[PROCESS_PSS_ANON]);
		t->lack_file = saturate_u32(t->base.pss_file - s->q[PROCESS_PSS_FILE]);
	}
	t->huge_kib = saturate_u32(s->huge_bytes / 1024);
	if (s->mappings)
		t->mappings = s->mappings;
	return true;
}

static void fill_pss(
	const struct tracked *t, const struct estimate *e, struct snapshot_process *row)
{
	ROW_SET(row, PROCESS_PSS, e->pss);
	ROW_SET(row, PROCESS_PSS_LOW, e->low);
	ROW_SET(row, PROCESS_PSS_HIGH, e->high);
	if ((t->base.has_parts && !t->guesses_parts) || !t->has_base) {
		ROW_SET(row, PROCESS_PSS_ANON, saturate_less(e->pss_anon, t->lack_anon));
		ROW_SET(row, PROCESS_PSS_FILE, saturate_less(e->pss_file, t->lack_file));
		ROW_SET(row, PROCESS_PSS_SHMEM, e->pss_shmem);
	}
	/* No counter tells what others share of its pages: the USS of a process that was never
	 * measured is not known. */
	if (t->has_base && e->uss != ESTIMATE_UNKNOWN)
		ROW_SET(row, PROCESS_USS, e->uss);
	if (e->swap_pss != ESTIMATE_UNKNOWN)
		ROW_SET(row, PROCESS_SWAP_PSS, e->swap_pss);
	if (t->has_base)
		ROW_SET(row, PROCESS_PSS_AGE, t->measured_ns);
}

/* status and statm have the same counters. */
static void tracked_fill_parts(
	const struct tracked *t, uint64_t page_bytes, struct snapshot_process *row)
{
	uint64_t shmem = ROW_HAS(row, PROCESS_RSS_SHMEM) ? row->q[PROCESS_RSS_SHMEM] : 0;

	if (ROW_HAS(t, PROCESS_RSS_ANON))
		ROW_SET(row, PROCESS_RSS_ANON, (t->seen.resident - t->seen.shared) * page_bytes);
	if (ROW_HAS(t, PROCESS_RSS_FILE))
		ROW_SET(row, PROCESS_RSS_FILE, saturate_less(t->seen.shared * page_bytes, shmem));
}

void tracked_fill(const struct tracked *t, const struct estimate *estimate, uint64_t page_bytes,
	struct snapshot_process *row)
{
	for (size_t i = 0; i < TRACKED_KEPT; i++)
		if (ROW_HAS(t, kept[i]))
			ROW_SET(row, kept[i], kept_at(t, i));
	if (ROW_HAS(t, PROCESS_START_TIME))
		ROW_SET(row, PROCESS_START_TIME, t->start_ns);
	if (ROW_HAS(t, PROCESS_THREADS))
		ROW_SET(row, PROCESS_THREADS, t->threads);
	tracked_fill_parts(t, page_bytes, row);
	if (ROW_HAS(t, PROCESS_RSS)) {
		uint64_t unseen = t->has_base && t->seen.resident ? t->base.unseen : 0;

		ROW_SET(row, PROCESS_RSS, t->seen.resident * page_bytes + unseen);
	}
	if (estimate)
		fill_pss(t, estimate, row);
}
