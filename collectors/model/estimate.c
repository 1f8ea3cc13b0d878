/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Anonymous memory and files are carried separately, because they move by different rules. The
 * whole is carried once more, for facts about the whole alone: USS, and PSS if there are no parts.
 * The narrower bounds hold.
 */
#include "config.h"

#include "collectors/model/estimate.h"

#include "base/saturate.h"
#include "snapshot/record.h"

/* More than any host's memory, and low enough that a few of them add up without overflow. */
#define LIMIT (UINT64_C(1) << 60)

/*
 * Swapped memory counts as less shared than resident memory if SwapPss is larger by more than a
 * 64th.
 */
enum { SWAP_MORE_PART = 64 };

/* A figure with bounds, and .private: the private bytes of the middle. */
struct span {
	uint64_t low, mid, high;
	uint64_t private;
};

static uint64_t estimate_limited(uint64_t v)
{
	return saturate_min(v, LIMIT);
}

/*
 * Copies B into *RET with all amounts at most LIMIT, RSS at least PSS, and guessed parts if B has
 * none.
 */
static void estimate_tidy(const struct estimate_base *b, struct estimate_base *ret)
{
	uint64_t pss = estimate_limited(b->pss_file), file = estimate_limited(b->file);
	uint64_t anon = estimate_limited(estimate_limited(b->anon) + estimate_limited(b->unseen));

	*ret = *b;
	if (b->has_parts) {
		ret->pss_anon = estimate_limited(b->pss_anon);
		ret->pss_file = pss;
		ret->pss_shmem = estimate_limited(b->pss_shmem);
	} else {
		/* Only forks share anonymous memory, but any process may share files: so PSS counts
		 * to anon first. */
		ret->pss_anon = saturate_min(pss, anon);
		ret->pss_file = pss - ret->pss_anon;
		ret->pss_shmem = 0;
	}
	ret->anon = saturate_max(anon, ret->pss_anon);
	ret->file = saturate_max(file, ret->pss_file + ret->pss_shmem);
	ret->swap = estimate_limited(b->swap);
	if (b->swap_pss != ESTIMATE_UNKNOWN)
		ret->swap_pss = saturate_min(b->swap_pss, ret->swap);
	ret->rounding = b->rounding;
}

/* Computes estimate_parts() of B, which estimate_tidy() has made. */
static void find_parts(
	const struct estimate_base *b, struct estimate_part *anon, struct estimate_part *file)
{
	*anon = (struct estimate_part){.rss = b->anon, .pss = b->pss_anon};
	*file = (struct estimate_part){.rss = b->file, .pss = b->pss_file + b->pss_shmem};
	anon->private_min = saturate_less(2 * anon->pss, anon->rss);
	anon->private_max = anon->pss;
	file->private_min = saturate_less(2 * file->pss, file->rss);
	file->private_max = file->pss;
	if (b->uss != ESTIMATE_UNKNOWN) {
		anon->private_max = saturate_min(anon->private_max, b->uss);
		file->private_max = saturate_min(file->private_max, b->uss);
		anon->private_min = saturate_max(
			anon->private_min, saturate_less(b->uss, file->private_max));
		file->private_min = saturate_max(
			file->private_min, saturate_less(b->uss, anon->private_max));
	}
	anon->private_min = saturate_min(anon->private_min, anon->private_max);
	file->private_min = saturate_min(file->private_min, file->private_max);
	/* Private memory is mostly anonymous. */
	anon->private_mid = anon->private_max;
	file->private_mid = file->private_min;
	if (b->uss != ESTIMATE_UNKNOWN) {
		anon->private_mid = saturate_clamp(saturate_less(b->uss, file->private_min),
			anon->private_min, anon->private_max);
		file->private_mid = saturate_clamp(saturate_less(b->uss, anon->private_mid),
			file->private_min, file->private_max);
	}
}

void estimate_parts(const struct estimate_base *base, struct estimate_part *ret_anon,
	struct estimate_part *ret_file)
{
	struct estimate_base b;

	estimate_tidy(base, &b);
	find_parts(&b, ret_anon, ret_file);
}

struct estimate_part estimate_anon(const struct estimate_base *base)
{
	struct estimate_part anon, file;

	estimate_parts(base, &anon, &file);
	return anon;
}

static bool estimate_has(uint64_t present, enum process_quantity i)
{
	return (present >> i) & 1;
}

uint32_t estimate_rounding(uint64_t bytes)
{
	return (uint32_t)saturate_min(bytes, INT32_MAX);
}

bool estimate_base_take(uint64_t present, const uint64_t *q, uint64_t anon, uint64_t file,
	struct estimate_base *ret)
{
	uint64_t parts, lacking;

	if (!estimate_has(present, PROCESS_PSS))
		return false;
	*ret = (struct estimate_base){
		.anon = anon,
		.file = file,
		.pss_file = q[PROCESS_PSS],
		.uss = estimate_has(present, PROCESS_USS) ? q[PROCESS_USS] : ESTIMATE_UNKNOWN,
		.swap = estimate_has(present, PROCESS_VM_SWAP) ? q[PROCESS_VM_SWAP] : 0,
		.swap_pss = estimate_has(present, PROCESS_SWAP_PSS) ? q[PROCESS_SWAP_PSS]
	                                                            : ESTIMATE_UNKNOWN,
	};
	if (estimate_has(present, PROCESS_RSS_SHMEM))
		ret->shmem_kib = saturate_u32(q[PROCESS_RSS_SHMEM] / 1024);
	if (estimate_has(present, PROCESS_PSS_HIGH))
		ret->rounding = estimate_rounding(
			saturate_less(q[PROCESS_PSS_HIGH], q[PROCESS_PSS]));
	if (estimate_has(present, PROCESS_RSS))
		ret->unseen = saturate_less(q[PROCESS_RSS], saturate_add(anon, file));
	if (!estimate_has(present, PROCESS_PSS_ANON) || !estimate_has(present, PROCESS_PSS_FILE) ||
		!estimate_has(present, PROCESS_PSS_SHMEM))
		return true;
	parts = saturate_add(
		saturate_add(q[PROCESS_PSS_ANON], q[PROCESS_PSS_FILE]), q[PROCESS_PSS_SHMEM]);
	if (parts > q[PROCESS_PSS])
		return true;
	/* Each part was rounded down by itself, so their sum lacks a KiB or two. It counts to the
	 * files if they have room, else to anon. */
	ret->has_parts = true;
	ret->pss_anon = q[PROCESS_PSS_ANON];
	ret->pss_file = q[PROCESS_PSS_FILE];
	ret->pss_shmem = q[PROCESS_PSS_SHMEM];
	lacking = q[PROCESS_PSS] - parts;
	if (saturate_add(ret->pss_file, ret->pss_shmem) + lacking <= file)
		ret->pss_file += lacking;
	else
		ret->pss_anon += lacking;
	return true;
}

void estimate_doubt_add(struct estimate_doubt *to, const struct estimate_doubt *d)
{
	to->anon_mid = saturate_sum(to->anon_mid, d->anon_mid);
	to->file_mid = saturate_sum(to->file_mid, d->file_mid);
	to->anon_down = saturate_add(to->anon_down, d->anon_down);
	to->anon_up = saturate_add(to->anon_up, d->anon_up);
	to->file_down = saturate_add(to->file_down, d->file_down);
	to->file_up = saturate_add(to->file_up, d->file_up);
	to->forks = saturate_add(to->forks, d->forks);
	to->forked_growth = saturate_max(to->forked_growth, d->forked_growth);
	to->file_told = saturate_max(to->file_told, d->file_told);
}

/*
 * Upper bound of the private bytes of P, of which V bytes count in PSS. Events have changed P's PSS
 * to *PSS; a page that became private has gained at least half of itself.
 */
static uint64_t private_limit(const struct estimate_part *p, const struct span *pss, uint64_t v)
{
	uint64_t gained = saturate_less(pss->high, saturate_min(pss->low, p->pss));

	return saturate_min(v, saturate_add(p->private_max, saturate_add(gained, gained)));
}

/*
 * Returns P's PSS after LOST of its bytes have left. *PSS is P's PSS before that, with events.
 * LIKE_THE_REST of the lost bytes left in proportion to the sharing; of the others the private
 * pages left first.
 */
static struct span after_loss(const struct estimate_part *p, const struct span *pss, uint64_t lost,
	uint64_t like_the_rest)
{
	uint64_t v, kept, private, taken, rest, shared_pss, shared_rss;
	struct span s;

	if (!lost)
		return *pss;
	if (lost >= p->rss)
		return (struct span){0};

	/* Low bound: private pages left first, then pages with two sharers. */
	v = saturate_min(pss->low, p->rss);
	private = private_limit(p, pss, v);
	taken = saturate_min(lost, private);
	rest = lost - taken;
	s.low = v - taken - saturate_min(v - private, rest - rest / 2);
	/* High bound: pages with very many sharers left first. The remaining pages are private, or
	 * have two sharers or more. */
	v = saturate_min(pss->high, p->rss);
	kept = p->rss - lost;
	taken = saturate_min(kept, private_limit(p, pss, v));
	s.high = saturate_min(v, taken + (kept - taken) / 2);

	v = saturate_min(pss->mid, p->rss);
	private = saturate_min(pss->private, v);
	kept = p->rss - like_the_rest;
	s.private = saturate_part(private, kept, p->rss);
	shared_pss = saturate_part(v - private, kept, p->rss);
	shared_rss = saturate_less(kept, s.private);
	taken = saturate_min(lost - like_the_rest, s.private);
	s.private -= taken;
	rest = lost - like_the_rest - taken;
	s.mid = s.private + saturate_part(shared_pss, saturate_less(shared_rss, rest), shared_rss);
	if (s.high < s.low)
		s.high = s.low;
	s.mid = saturate_clamp(s.mid, s.low, s.high);
	return s;
}

/*
 * Whether B's swapped memory looks less shared than its resident memory. SwapPss divides by the
 * processes that still have the page in swap: the last of them counts it whole there, and shares it
 * again after it comes back with the processes that read it back earlier.
 */
static bool is_last_in_swap(const struct estimate_base *b)
{
	return b->swap_pss - b->swap_pss / SWAP_MORE_PART >
	       saturate_part(b->swap, saturate_min(b->pss_anon, b->anon), b->anon);
}

/*
 * Returns what GROWN bytes of anonymous memory add to PSS. SWAP is VmSwap now. Bytes that were not
 * in swap before are private, except those that children have received in a fork and that are still
 * there. For bytes that came back from swap it is not known whether the other sharers read them,
 * too.
 */
static struct span anon_growth(const struct estimate_base *b, const struct estimate_doubt *d,
	uint64_t swap, uint64_t grown)
{
	uint64_t back = saturate_min(grown, saturate_less(b->swap, swap)), own = grown - back;
	uint64_t forked = d->forks ? saturate_min(own, d->forked_growth) : 0, pss, shared = back;
	uint64_t less = saturate_part(forked, d->forks, saturate_add(d->forks, 1));
	struct span s = {.low = own - less,
		.mid = own - less + back,
		.high = grown,
		.private = own - forked};

	if (!back || b->swap_pss == ESTIMATE_UNKNOWN)
		return s;
	pss = saturate_part(back, b->swap_pss, b->swap);
	if (b->anon && is_last_in_swap(b)) {
		s.mid = own - less + saturate_min(pss, saturate_part(back, b->pss_anon, b->anon));
		return s;
	}
	s.mid = own - less + pss;
	/* Children share what was in swap at the fork, too. */
	shared = d->forks ? back : saturate_min(back, 2 * (b->swap - b->swap_pss));
	s.low += back - shared;
	s.private += back - shared;
	return s;
}

/* The doubt of one part, in bytes. */
struct shift {
	int64_t mid;
	uint64_t down, up;
};

/*
 * Returns the private bytes of P after its PSS fell by FALL. What FALL exceeds the shared PSS by
 * comes from private pages, which then count half at most.
 */
static uint64_t private_after(const struct estimate_part *p, uint64_t fall)
{
	return saturate_less(
		p->private_mid, 2 * estimate_limited(saturate_less(fall, p->pss - p->private_mid)));
}

/*
 * Applies to P: the doubt D, then the loss of LOST bytes (LIKE_THE_REST as in after_loss()), then
 * GROWTH; the result is at most RESIDENT bytes. What D takes beyond P's PSS is taken from GROWTH.
 */
static struct span carry_part(const struct estimate_part *p, const struct shift *d, uint64_t lost,
	uint64_t like_the_rest, const struct span *growth, uint64_t resident)
{
	uint64_t fall = d->mid < 0 ? -(uint64_t)d->mid : 0, least = saturate_add(fall, d->down);
	uint64_t pss = saturate_add(p->pss, d->mid > 0 ? (uint64_t)d->mid : 0);
	uint64_t most = saturate_add(pss, d->up);
	struct span s = {
		.low = saturate_less(pss, least),
		.mid = saturate_less(pss, fall),
		.high = saturate_less(most, fall),
		.private = private_after(p, fall),
	};

	s = after_loss(p, &s, lost, like_the_rest);
	s.low = saturate_less(saturate_add(s.low, growth->low), saturate_less(least, pss));
	s.mid = saturate_less(saturate_add(s.mid, growth->mid), saturate_less(fall, pss));
	s.high = saturate_less(saturate_add(s.high, growth->high), saturate_less(fall, most));
	s.mid = saturate_min(s.mid, resident);
	s.high = saturate_min(s.high, resident);
	s.private += growth->private;
	return s;
}

static struct span carry_anon(const struct estimate_part *p, const struct estimate_base *b,
	const struct estimate_now *now, const struct estimate_doubt *d, struct span *ret_growth)
{
	uint64_t lost = saturate_less(b->anon, now->anon),
		 swapped = saturate_less(now->swap, b->swap);
	struct shift shift = {d->anon_mid, d->anon_down, d->anon_up};

	*ret_growth = anon_growth(b, d, now->swap, saturate_less(now->anon, b->anon));
	return carry_part(p, &shift, lost, saturate_min(lost, swapped), ret_growth, now->anon);
}

/*
 * Returns the bytes, at least, by which B has lost files and gained shared memory. statm has only
 * their sum, which does not move. The exchange of one file for another is not visible.
 */
static uint64_t estimate_exchanged(const struct estimate_base *b, const struct estimate_now *now)
{
	uint64_t before = saturate_min((uint64_t)b->shmem_kib * 1024, b->file);
	uint64_t shmem = saturate_min(now->shmem, now->file);
	uint64_t gone = saturate_less(b->file - before, now->file - shmem);

	return saturate_min(gone, saturate_less(shmem, before));
}

static struct span carry_file(const struct estimate_part *p, const struct estimate_base *b,
	const struct estimate_now *now, const struct estimate_doubt *d, struct span *ret_growth)
{
	uint64_t both = estimate_exchanged(b, now);
	uint64_t lost = saturate_less(b->file, now->file) + both;
	uint64_t grown = saturate_less(now->file, b->file) + both;
	struct shift shift = {d->file_mid, d->file_down, d->file_up};
	uint64_t told = p->rss ? saturate_min(grown, d->file_told) : 0;

	/* If the process had no files, nothing tells how shared new ones are: the middle is one
	 * half. */
	*ret_growth = (struct span){
		.low = saturate_part(told, p->pss, p->rss),
		.mid = p->rss ? saturate_part(grown, p->pss, p->rss) : grown / 2,
		.private = saturate_part(grown, p->private_mid, p->rss),
	};
	ret_growth->high = grown - told + ret_growth->low;
	return carry_part(p, &shift, lost, lost, ret_growth, now->file);
}

/*
 * Carries ANON and FILE together. GROWTH is the growth of both. Only the bounds of the result are
 * of use.
 */
static struct span carry_whole(const struct estimate_part *anon, const struct estimate_part *file,
	const struct estimate_base *b, const struct estimate_now *now,
	const struct estimate_doubt *d, const struct span *growth)
{
	uint64_t lost = saturate_less(b->anon, now->anon) + saturate_less(b->file, now->file) +
	                estimate_exchanged(b, now);
	struct shift shift = {saturate_sum(d->anon_mid, d->file_mid),
		saturate_add(d->anon_down, d->file_down), saturate_add(d->anon_up, d->file_up)};
	struct estimate_part p = {.rss = b->anon + b->file, .pss = anon->pss + file->pss};

	p.private_max = b->uss == ESTIMATE_UNKNOWN ? p.pss : saturate_min(p.pss, b->uss);
	p.private_max = saturate_min(p.private_max, anon->private_max + file->private_max);
	return carry_part(&p, &shift, lost, 0, growth, now->anon + now->file);
}

static uint64_t carry_swap_pss(const struct estimate_base *b, const struct estimate_now *now,
	const struct estimate_doubt *d)
{
	uint64_t v, pss;

	if (b->swap_pss == ESTIMATE_UNKNOWN)
		return ESTIMATE_UNKNOWN;
	pss = b->swap_pss;
	if (now->swap <= b->swap)
		return saturate_part(pss, now->swap, b->swap);
	/* Newly swapped pages are as shared as the memory that they came from. */
	v = now->swap - b->swap;
	if (b->anon)
		v = saturate_part(v,
			saturate_min(saturate_shift(b->pss_anon, d->anon_mid), b->anon), b->anon);
	return saturate_min(pss + v, now->swap);
}

bool estimate_is_quiet(const struct estimate_base *b, const struct estimate_now *now)
{
	return now->anon == b->anon && now->file == b->file && now->swap == b->swap &&
	       !estimate_exchanged(b, now);
}

static bool is_quiet(const struct estimate_base *b, const struct estimate_now *now,
	const struct estimate_doubt *d)
{
	return b->has_parts && estimate_is_quiet(b, now) && b->pss_anon <= b->anon &&
	       b->pss_file + b->pss_shmem <= b->file && b->anon < LIMIT && b->file < LIMIT &&
	       b->pss_file < LIMIT && b->pss_shmem < LIMIT && b->unseen < LIMIT &&
	       !(d->anon_mid | d->file_mid) && !d->forks;
}

/* The case that nothing moved, which is that of nearly every process in nearly every pass. */
static void carry_quiet(
	const struct estimate_base *b, const struct estimate_doubt *d, struct estimate *ret)
{
	uint64_t file = b->pss_file + b->pss_shmem, pss = b->pss_anon + file;
	uint64_t anon_rss = b->anon + b->unseen;
	uint64_t high = saturate_min(saturate_add(b->pss_anon, d->anon_up), anon_rss) +
	                saturate_min(saturate_add(file, d->file_up), b->file);

	*ret = (struct estimate){
		.pss_anon = b->pss_anon,
		.pss_file = b->pss_file,
		.pss_shmem = b->pss_shmem,
		.pss = pss,
		.low = saturate_less(b->pss_anon, d->anon_down) + saturate_less(file, d->file_down),
		.high = saturate_min(high + b->rounding, anon_rss + b->file),
		.uss = b->uss == ESTIMATE_UNKNOWN ? b->uss : saturate_min(b->uss, pss),
		.swap_pss = b->swap_pss == ESTIMATE_UNKNOWN ? b->swap_pss
	                                                    : saturate_min(b->swap_pss, b->swap),
	};
}

void estimate_carry(const struct estimate_base *base, const struct estimate_now *now_,
	const struct estimate_doubt *doubt, struct estimate *ret)
{
	struct estimate_now now = {estimate_limited(now_->anon), estimate_limited(now_->file),
		estimate_limited(now_->swap), estimate_limited(now_->shmem)};
	struct span anon, file, whole, growth, file_growth;
	struct estimate_part anon_part, file_part;
	uint64_t resident, uss;
	struct estimate_base b;

	if (is_quiet(base, now_, doubt)) {
		carry_quiet(base, doubt, ret);
		return;
	}
	estimate_tidy(base, &b);
	find_parts(&b, &anon_part, &file_part);
	if (now.anon + now.file)
		now.anon = estimate_limited(now.anon + estimate_limited(b.unseen));
	resident = now.anon + now.file;
	if (doubt->forks && b.has_parts)
		anon_part.private_min = anon_part.private_mid = anon_part.private_max = 0;
	anon = carry_anon(&anon_part, &b, &now, doubt, &growth);
	file = carry_file(&file_part, &b, &now, doubt, &file_growth);
	growth.low += file_growth.low;
	growth.high += file_growth.high;
	whole = carry_whole(&anon_part, &file_part, &b, &now, doubt, &growth);
	uss = anon.private + file.private;

	ret->pss_anon = anon.mid;
	ret->pss_shmem = b.pss_shmem ? saturate_part(file.mid, b.pss_shmem, file_part.pss) : 0;
	ret->pss_file = file.mid - ret->pss_shmem;
	ret->pss = anon.mid + file.mid;
	ret->low = whole.low;
	ret->high = whole.high;
	if (b.has_parts) {
		ret->low = saturate_max(ret->low, saturate_add(anon.low, file.low));
		ret->high = saturate_min(ret->high, saturate_add(anon.high, file.high));
	}
	ret->high = saturate_min(saturate_add(ret->high, b.rounding), resident);
	ret->low = saturate_min(ret->low, ret->pss);
	ret->high = saturate_max(ret->high, ret->pss);
	uss = saturate_max(uss, saturate_less(2 * ret->pss, resident));
	ret->uss = base->uss == ESTIMATE_UNKNOWN ? base->uss : saturate_min(uss, ret->pss);
	ret->swap_pss = carry_swap_pss(&b, &now, doubt);
}
