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
	SHMEM_AT = 11,
	IS_WIDE = UINT32_MAX,
	UNSURE_LEAST = 16 << 10,
	UNSURE_PART = 16, /* of what moves between two readings around a walk */
};

#define BIT(i)       (UINT64_C(1) << (i))
#define HUGETLB_BITS (BIT(PROCESS_PRIVATE_HUGETLB) | BIT(PROCESS_SHARED_HUGETLB))

struct tracked *tracked_new(uint64_t now_ns)
{
	struct tracked *w = calloc(1, sizeof(*w));

	if (w)
		tracked_renew(w, now_ns);
	return w;
}

struct tracked *tracked_free(struct tracked *w)
{
	if (!w)
		return NULL;
	free(w->doubt);
	free(w->wide);
	free(w);
	return NULL;
}

void tracked_drop_doubt(struct tracked *w)
{
	free(w->doubt);
	w->doubt = NULL;
}

void tracked_renew(struct tracked *w, uint64_t now_ns)
{
	free(w->doubt);
	free(w->wide);
	*w = (struct tracked){
		.first_ns = now_ns,
		.member = w->member,
		.relations = w->relations == TRACKED_RELATED ? TRACKED_RELATED : TRACKED_ALONE,
	};
}

static uint64_t kept_at(const struct tracked *w, size_t i)
{
	return w->kib[i] == IS_WIDE ? w->wide[i] : (uint64_t)w->kib[i] * 1024;
}

/*
 * Stores BYTES. Returns false if there is no memory for a value above 4 TiB, or one that is no
 * multiple of 1 KiB.
 */
static bool tracked_keep(struct tracked *w, size_t i, uint64_t bytes)
{
	if (bytes % 1024 == 0 && bytes / 1024 < IS_WIDE) {
		w->kib[i] = (uint32_t)(bytes / 1024);
		return true;
	}
	if (!w->wide)
		w->wide = calloc(TRACKED_KEPT, sizeof(*w->wide));
	if (!w->wide)
		return false;
	w->kib[i] = IS_WIDE;
	w->wide[i] = bytes;
	return true;
}

static uint64_t tracked_moves(const struct statm *a, const struct statm *b)
{
	return saturate_distance(a->shared, b->shared) +
	       saturate_distance(a->resident - a->shared, b->resident - b->shared);
}

/* Accounts for the movement from OLD to .seen. */
static void note_move(struct tracked *w, const struct statm *old, uint64_t page_bytes)
{
	if (w->relations == TRACKED_RELATED)
		families_moved(&w->member, old->shared * page_bytes, w->seen.shared * page_bytes);
	w->moved += tracked_moves(&w->seen, old);
}

/* Sets .seen from status, which has the same counters as statm. */
static void tracked_see(struct tracked *w, const struct sample *s, uint64_t page_bytes)
{
	uint64_t rss = s->q[PROCESS_RSS], file;
	struct statm old = w->seen;

	w->is_seen = ROW_HAS(s, PROCESS_RSS_ANON) && ROW_HAS(s, PROCESS_RSS_FILE) &&
	             ROW_HAS(s, PROCESS_RSS_SHMEM) && ROW_HAS(s, PROCESS_VM_SIZE);
	if (w->is_seen) {
		file = saturate_add(s->q[PROCESS_RSS_FILE], s->q[PROCESS_RSS_SHMEM]);
		rss = saturate_add(s->q[PROCESS_RSS_ANON], file);
	} else { /* before Linux 4.5; until statm is read */
		file = w->seen.resident ? saturate_part(rss, w->seen.shared, w->seen.resident) : 0;
	}
	w->seen = (struct statm){
		.size = s->q[PROCESS_VM_SIZE] / page_bytes,
		.resident = rss / page_bytes,
		.shared = file / page_bytes,
	};
	note_move(w, &old, page_bytes);
}

static enum tracked_image image_of(const struct tracked *w, const struct sample *s)
{
	if (s->is_member)
		return ROW_HAS(s, PROCESS_RSS) && s->outcome != OUTCOME_CHANGING ? TRACKED_SETTLED
		                                                                 : TRACKED_CHANGING;
	if (s->outcome != OUTCOME_NO_MM)
		return TRACKED_UNKNOWN;
	return w->leaving ? TRACKED_LEAVING : TRACKED_EMPTY;
}

void tracked_note(struct tracked *w, const struct sample *s, uint64_t now_ns, uint64_t page_bytes)
{
	bool has_walk = ROW_HAS(s, PROCESS_PSS);

	/* Without a walk it is not known whether one would fail again. */
	if (has_walk || s->outcome != OUTCOME_MEASURED)
		w->outcome = (uint8_t)s->outcome;
	w->image = image_of(w, s);
	w->looked_ns = now_ns;
	w->present = s->present | (has_walk ? 0 : w->present & HUGETLB_BITS);
	for (size_t i = 0; i < TRACKED_KEPT; i++)
		if (ROW_HAS(s, kept[i]) && !tracked_keep(w, i, s->q[kept[i]]))
			w->present &= ~BIT(kept[i]);
	w->start_ns = s->q[PROCESS_START_TIME];
	tracked_see(w, s, page_bytes);
}

struct estimate_now tracked_now(const struct tracked *w, uint64_t page_bytes)
{
	return (struct estimate_now){
		.anon = (w->seen.resident - w->seen.shared) * page_bytes,
		.file = w->seen.shared * page_bytes,
		.swap = ROW_HAS(w, PROCESS_VM_SWAP) ? kept_at(w, SWAP_AT) : 0,
		.shmem = ROW_HAS(w, PROCESS_RSS_SHMEM) ? kept_at(w, SHMEM_AT) : 0,
	};
}

bool tracked_is_quiet(const struct tracked *w, uint64_t page_bytes)
{
	struct estimate_now now = tracked_now(w, page_bytes);

	return w->has_base && estimate_is_quiet(&w->base, &now);
}

bool tracked_agrees(const struct tracked *w, const struct sample *s, uint64_t page_bytes)
{
	return w->is_seen && s->source == SOURCE_ROLLUP &&
	       s->q[PROCESS_RSS] == w->seen.resident * page_bytes &&
	       s->anon_bytes == (w->seen.resident - w->seen.shared) * page_bytes;
}

/* Returns the counters that belong to the measurement S; see tracked_measure(). */
static struct estimate_now counters_of(struct tracked *w, const struct sample *s,
	const struct statm *before, const struct statm *after, uint64_t late_bytes,
	uint64_t page_bytes)
{
	struct estimate_now now = tracked_now(w, page_bytes);
	struct statm seen = w->seen;
	uint64_t beyond = saturate_less(s->q[PROCESS_RSS], now.anon + now.file);

	w->unsure = 0;
	if (!before)
		before = &seen;
	if (!after)
		after = &seen;
	/* Memory that came and went during the walk is in its PSS, and in neither reading. */
	if (statm_is_same(after, before) && beyond <= late_bytes)
		return now;
	w->seen = *after;
	note_move(w, &seen, page_bytes);
	/* A walk takes time, and counters may be late by some pages on each processor. */
	w->unsure = saturate_u32(
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
static uint32_t shmem_found(const struct tracked *w, const struct sample *s)
{
	uint64_t file = w->base.file, shmem = (uint64_t)w->base.shmem_kib * 1024;

	if (!shmem)
		return 0;
	if (ROW_HAS(s, PROCESS_RSS_FILE))
		shmem = saturate_less(
			saturate_add(shmem, file), saturate_add(s->q[PROCESS_RSS_FILE], shmem));
	return (uint32_t)(saturate_min(shmem, file) / 1024);
}

bool tracked_measure(struct tracked *w, const struct sample *s, const struct statm *before,
	const struct statm *after, uint64_t late_bytes, uint64_t now_ns, uint64_t page_bytes)
{
	struct estimate_now now = counters_of(w, s, before, after, late_bytes, page_bytes);

	w->measured_ns = now_ns;
	if (!estimate_base_take(s->present | (s->guesses_parts ? SAMPLE_PARTS : 0), s->q, now.anon,
		    now.file, &w->base))
		return false;
	w->has_base = true;
	w->base.shmem_kib = shmem_found(w, s);
	w->guesses_parts = s->guesses_parts;
	w->source = (uint8_t)s->source;
	w->base.rounding = estimate_rounding(s->rounding);
	w->lack_anon = w->lack_file = w->fell_anon_kib = w->fell_file_kib = 0;
	if (w->base.has_parts) {
		w->lack_anon = saturate_u32(w->base.pss_anon - s->q[PROCESS_PSS_ANON]);
		w->lack_file = saturate_u32(w->base.pss_file - s->q[PROCESS_PSS_FILE]);
	}
	w->huge_kib = saturate_u32(s->huge_bytes / 1024);
	if (s->mappings)
		w->mappings = s->mappings;
	return true;
}

static void fill_pss(
	const struct tracked *w, const struct estimate *e, struct snapshot_process *row)
{
	ROW_SET(row, PROCESS_PSS, e->pss);
	ROW_SET(row, PROCESS_PSS_LOW, e->low);
	ROW_SET(row, PROCESS_PSS_HIGH, e->high);
	if ((w->base.has_parts && !w->guesses_parts) || !w->has_base) {
		ROW_SET(row, PROCESS_PSS_ANON, saturate_less(e->pss_anon, w->lack_anon));
		ROW_SET(row, PROCESS_PSS_FILE, saturate_less(e->pss_file, w->lack_file));
		ROW_SET(row, PROCESS_PSS_SHMEM, e->pss_shmem);
	}
	/* No counter tells what others share of its pages: the USS of a process that was never
	 * measured is not known. */
	if (w->has_base && e->uss != ESTIMATE_UNKNOWN)
		ROW_SET(row, PROCESS_USS, e->uss);
	if (e->swap_pss != ESTIMATE_UNKNOWN)
		ROW_SET(row, PROCESS_SWAP_PSS, e->swap_pss);
	if (w->has_base)
		ROW_SET(row, PROCESS_PSS_AGE, w->measured_ns);
}

/* status and statm have the same counters. */
static void tracked_fill_parts(
	const struct tracked *w, uint64_t page_bytes, struct snapshot_process *row)
{
	uint64_t shmem = ROW_HAS(row, PROCESS_RSS_SHMEM) ? row->q[PROCESS_RSS_SHMEM] : 0;

	if (ROW_HAS(w, PROCESS_RSS_ANON))
		ROW_SET(row, PROCESS_RSS_ANON, (w->seen.resident - w->seen.shared) * page_bytes);
	if (ROW_HAS(w, PROCESS_RSS_FILE))
		ROW_SET(row, PROCESS_RSS_FILE, saturate_less(w->seen.shared * page_bytes, shmem));
}

void tracked_fill(const struct tracked *w, const struct estimate *estimate, uint64_t page_bytes,
	struct snapshot_process *row)
{
	for (size_t i = 0; i < TRACKED_KEPT; i++)
		if (ROW_HAS(w, kept[i]))
			ROW_SET(row, kept[i], kept_at(w, i));
	if (ROW_HAS(w, PROCESS_START_TIME))
		ROW_SET(row, PROCESS_START_TIME, w->start_ns);
	tracked_fill_parts(w, page_bytes, row);
	if (ROW_HAS(w, PROCESS_RSS)) {
		uint64_t unseen = w->has_base && w->seen.resident ? w->base.unseen : 0;

		ROW_SET(row, PROCESS_RSS, w->seen.resident * page_bytes + unseen);
	}
	if (estimate)
		fill_pss(w, estimate, row);
}
