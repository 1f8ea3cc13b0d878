/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of shared memory that processes and their families may have written to. */
#include "config.h"

#include "collectors/adaptive/sharing-state.h"

#include "base/saturate.h"
#include "collectors/model/share-count.h"

enum {
	/* bytes certainly written from which sharers are told: they share the old pages */
	BROKEN_MIN = 32 << 10,
	LIKELY_MIN = 256 << 10, /* the same for bytes that may have been written, or not */
	CALM_MAX = 16,
};

uint64_t sharing_state_room(const struct tracked *w)
{
	struct estimate_part anon, file;

	estimate_parts(&w->base, &anon, &file);
	return anon.rss - anon.pss;
}

/*
 * Returns how many bytes of PSS W may have gained if it has copied OWN bytes, and other members
 * OTHERS bytes.
 */
static uint64_t gain_of(const struct tracked *w, uint64_t own, uint64_t others)
{
	struct estimate_part anon, file;

	if (!w->has_base || !(own | others))
		return 0;
	estimate_parts(&w->base, &anon, &file);
	others = share_count_written(
		anon.rss - anon.private_mid, anon.pss - anon.private_mid, w->member.then, others);
	return saturate_min(own + others, anon.rss - anon.pss);
}

static uint64_t own_broken(const struct tracked *w)
{
	return w->broken_kib * UINT64_C(1024);
}

/*
 * A private copy of a page that had two sharers or more gains at least half of the page: so the
 * copied bytes are at most twice the gain.
 */
static uint64_t others_broken(const struct tracked *w)
{
	struct cow_breaks_sum broken;

	families_broken(&w->member, &broken);
	return saturate_add(broken.gained, broken.gained);
}

uint64_t sharing_state_broken(const struct tracked *w)
{
	return gain_of(w, own_broken(w), others_broken(w));
}

uint64_t sharing_state_suspected(const struct tracked *w)
{
	return gain_of(w, w->is_unwatched ? sharing_state_room(w) : own_broken(w),
		others_broken(w) + families_suspected(&w->member));
}

uint64_t sharing_state_unlooked(const struct tracked *w)
{
	return w->is_unwatched || w->lacks_looks
	               ? saturate_less(sharing_state_suspected(w), sharing_state_broken(w))
	               : 0;
}

void sharing_state_faulted(struct tracked *w, uint64_t faults, uint64_t page_bytes, uint64_t now_ns)
{
	struct estimate_now now = tracked_now(w, page_bytes);
	uint64_t bytes = ((uint32_t)faults - w->faults) * page_bytes;

	/* Growth was faulted in, and is counted by the other counters. For files one fault may map
	 * sixteen pages, but need not. */
	bytes = saturate_less(bytes, saturate_less(now.anon, w->base.anon));
	bytes = saturate_less(bytes, saturate_less(now.file, w->base.file));
	w->broken_kib = saturate_u32((bytes >> w->calm) / 1024);
	families_suspect(&w->member, own_broken(w), now_ns);
	w->looked_faults = (uint32_t)faults;
	w->broken_ns = now_ns;
	w->is_unwatched = false;
}

void sharing_state_unwatched(struct tracked *w, uint64_t page_bytes, uint64_t now_ns)
{
	struct estimate_now now = tracked_now(w, page_bytes);
	uint64_t bytes = w->has_base ? sharing_state_room(w) : now.anon;

	w->is_unwatched = w->has_base;
	/* Suspected anew each time, because it may write at any time. */
	families_suspect(&w->member, 0, now_ns);
	families_suspect(&w->member, saturate_max(bytes, own_broken(w)), now_ns);
}

bool sharing_state_broke(struct sharing_state *r, struct tracked *w, const struct estimate *before,
	uint64_t written, uint64_t at_ns)
{
	bool is_known = written != UINT64_MAX;
	uint64_t least = is_known ? BROKEN_MIN : LIKELY_MIN, gain;
	struct estimate_part anon, file;

	estimate_parts(&w->base, &anon, &file);
	gain = saturate_min(saturate_less(anon.pss, before->pss_anon), written);
	families_asked(&w->member, own_broken(w), gain);
	if (gain >= least) {
		families_broke(&r->families, &w->member, gain,
			is_known ? saturate_less(anon.rss, before->pss_anon) : 0, at_ns);
		w->calm = 0;
	} else if (w->broken_kib >= LIKELY_MIN / 1024 && w->calm < CALM_MAX) {
		w->calm++;
	}
	w->broken_kib = 0;
	families_suspect(&w->member, 0, at_ns);
	return is_known && gain >= least;
}

void sharing_state_fell(struct tracked *w, const struct estimate *before)
{
	struct estimate_part anon, file;
	uint64_t below, fell_anon, fell_file;

	estimate_parts(&w->base, &anon, &file);
	/* Bounds of anonymous memory allow only for known events, in a family. Bounds of files are
	 * wide because of what unknown sharers may do, and do not say that they did. */
	below = saturate_less(before->low, anon.pss + file.pss);
	fell_anon = saturate_less(before->pss_anon, anon.pss);
	fell_file = saturate_less(before->pss_file + before->pss_shmem, file.pss);
	fell_anon = saturate_min(fell_anon, below);
	w->fell_anon_kib = saturate_u32((fell_anon + 1023) / 1024);
	w->fell_file_kib = saturate_u32((fell_file + 1023) / 1024);
}
