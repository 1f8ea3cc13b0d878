/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Anonymous memory and files are carried apart, as they move by different rules, and then once more as a
 * whole, for what is known of the whole alone: its USS, and without parts its PSS. The narrower bounds
 * hold.
 */
#include "config.h"

#include "collectors/estimate.h"

#include "collectors/amount.h"
#include "snapshot/record.h"

/* Beyond any memory, and low enough that a few of them add up. */
#define LIMIT (UINT64_C(1) << 60)

/* A figure that is not known exactly, and how much of the middle is private. */
struct span {
	uint64_t low, mid, high;
	uint64_t private;
};

static uint64_t limited(uint64_t v)
{
	return amount_min(v, LIMIT);
}

/* The base with everything within LIMIT and no PSS above its RSS, its parts guessed where it has none. */
static void tidy(const struct estimate_base *b, struct estimate_base *ret)
{
	uint64_t pss = limited(b->pss_file), file = limited(b->file);
	uint64_t anon = limited(limited(b->anon) + limited(b->unseen));

	*ret = *b;
	if (b->has_parts) {
		ret->pss_anon = limited(b->pss_anon);
		ret->pss_file = pss;
		ret->pss_shmem = limited(b->pss_shmem);
	} else {
		/* Anonymous memory is shared by forks alone, files by everybody. */
		ret->pss_anon = amount_min(pss, anon);
		ret->pss_file = pss - ret->pss_anon;
		ret->pss_shmem = 0;
	}
	ret->anon = amount_max(anon, ret->pss_anon);
	ret->file = amount_max(file, ret->pss_file + ret->pss_shmem);
	ret->swap = limited(b->swap);
	if (b->swap_pss != ESTIMATE_UNKNOWN)
		ret->swap_pss = amount_min(b->swap_pss, ret->swap);
	ret->rounding = limited(b->rounding);
}

/* B is tidy. */
static void find_parts(
	const struct estimate_base *b, struct estimate_part *anon, struct estimate_part *file)
{
	*anon = (struct estimate_part){.rss = b->anon, .pss = b->pss_anon};
	*file = (struct estimate_part){.rss = b->file, .pss = b->pss_file + b->pss_shmem};
	anon->private_min = amount_less(2 * anon->pss, anon->rss);
	anon->private_max = anon->pss;
	file->private_min = amount_less(2 * file->pss, file->rss);
	file->private_max = file->pss;
	if (b->uss != ESTIMATE_UNKNOWN) {
		anon->private_max = amount_min(anon->private_max, b->uss);
		file->private_max = amount_min(file->private_max, b->uss);
		anon->private_min = amount_max(
			anon->private_min, amount_less(b->uss, file->private_max));
		file->private_min = amount_max(
			file->private_min, amount_less(b->uss, anon->private_max));
	}
	anon->private_min = amount_min(anon->private_min, anon->private_max);
	file->private_min = amount_min(file->private_min, file->private_max);
	/* What a process keeps to itself is mostly anonymous. */
	anon->private_mid = anon->private_max;
	file->private_mid = file->private_min;
	if (b->uss != ESTIMATE_UNKNOWN) {
		anon->private_mid = amount_max(anon->private_min,
			amount_min(anon->private_max, amount_less(b->uss, file->private_min)));
		file->private_mid = amount_max(file->private_min,
			amount_min(file->private_max, amount_less(b->uss, anon->private_mid)));
	}
}

void estimate_parts(const struct estimate_base *base, struct estimate_part *ret_anon,
	struct estimate_part *ret_file)
{
	struct estimate_base b;

	tidy(base, &b);
	find_parts(&b, ret_anon, ret_file);
}

static bool has(uint64_t present, enum process_quantity i)
{
	return (present >> i) & 1;
}

bool estimate_base_take(uint64_t present, const uint64_t *q, uint64_t anon, uint64_t file,
	struct estimate_base *ret)
{
	uint64_t parts, lacking;

	if (!has(present, PROCESS_PSS))
		return false;
	*ret = (struct estimate_base){
		.anon = anon,
		.file = file,
		.pss_file = q[PROCESS_PSS],
		.uss = has(present, PROCESS_USS) ? q[PROCESS_USS] : ESTIMATE_UNKNOWN,
		.swap = has(present, PROCESS_VM_SWAP) ? q[PROCESS_VM_SWAP] : 0,
		.swap_pss = has(present, PROCESS_SWAP_PSS) ? q[PROCESS_SWAP_PSS] : ESTIMATE_UNKNOWN,
	};
	if (has(present, PROCESS_PSS_HIGH))
		ret->rounding = amount_less(q[PROCESS_PSS_HIGH], q[PROCESS_PSS]);
	if (has(present, PROCESS_RSS))
		ret->unseen = amount_less(q[PROCESS_RSS], amount_add(anon, file));
	if (!has(present, PROCESS_PSS_ANON) || !has(present, PROCESS_PSS_FILE) ||
		!has(present, PROCESS_PSS_SHMEM))
		return true;
	parts = amount_add(
		amount_add(q[PROCESS_PSS_ANON], q[PROCESS_PSS_FILE]), q[PROCESS_PSS_SHMEM]);
	if (parts > q[PROCESS_PSS])
		return true;
	/* Each part was rounded down by itself: what they lack is a KiB or two of whichever has room for it. */
	ret->has_parts = true;
	ret->pss_anon = q[PROCESS_PSS_ANON];
	ret->pss_file = q[PROCESS_PSS_FILE];
	ret->pss_shmem = q[PROCESS_PSS_SHMEM];
	lacking = q[PROCESS_PSS] - parts;
	if (amount_add(ret->pss_file, ret->pss_shmem) + lacking <= file)
		ret->pss_file += lacking;
	else
		ret->pss_anon += lacking;
	return true;
}

static int64_t add_mid(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return a < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

void estimate_doubt_add(struct estimate_doubt *to, const struct estimate_doubt *d)
{
	to->anon_mid = add_mid(to->anon_mid, d->anon_mid);
	to->file_mid = add_mid(to->file_mid, d->file_mid);
	to->anon_down = amount_add(to->anon_down, d->anon_down);
	to->anon_up = amount_add(to->anon_up, d->anon_up);
	to->file_down = amount_add(to->file_down, d->file_down);
	to->file_up = amount_add(to->file_up, d->file_up);
}

/*
 * P without LOST of its bytes, of which LIKE_THE_REST went without regard to who shares them; of the others
 * the private ones went first.
 */
static struct span after_loss(const struct estimate_part *p, uint64_t lost, uint64_t like_the_rest)
{
	uint64_t kept, taken, rest, shared_pss, shared_rss;
	struct span s;

	if (!lost)
		return (struct span){p->pss, p->pss, p->pss, p->private_mid};
	if (lost >= p->rss)
		return (struct span){0};

	/* At worst private pages went, then those that two share. */
	taken = amount_min(lost, p->private_max);
	rest = lost - taken;
	s.low = p->pss - taken - amount_min(p->pss - p->private_max, rest - rest / 2);
	/* At best those that very many share; of what is left, two or more share what is not private. */
	kept = p->rss - lost;
	taken = amount_min(kept, p->private_max);
	s.high = amount_min(p->pss, taken + (kept - taken) / 2);

	kept = p->rss - like_the_rest;
	s.private = amount_part(p->private_mid, kept, p->rss);
	shared_pss = amount_part(p->pss - p->private_mid, kept, p->rss);
	shared_rss = amount_less(kept, s.private);
	taken = amount_min(lost - like_the_rest, s.private);
	s.private -= taken;
	rest = lost - like_the_rest - taken;
	s.mid = s.private + amount_part(shared_pss, amount_less(shared_rss, rest), shared_rss);
	if (s.high < s.low)
		s.high = s.low;
	s.mid = amount_min(amount_max(s.mid, s.low), s.high);
	return s;
}

/* Of GROWN bytes of anonymous memory: what was not in swap before is private. */
static struct span anon_growth(const struct estimate_base *b, uint64_t swap, uint64_t grown)
{
	uint64_t back = amount_min(grown, amount_less(b->swap, swap)), shared = back;
	struct span s = {.low = grown, .mid = grown, .high = grown, .private = grown};

	if (!back)
		return s;
	if (b->swap_pss != ESTIMATE_UNKNOWN) {
		shared = amount_min(back, 2 * (b->swap - b->swap_pss));
		s.mid = grown - back + amount_part(back, b->swap_pss, b->swap);
	}
	s.low -= shared;
	s.private -= shared;
	return s;
}

static struct span carry_anon(const struct estimate_part *p, const struct estimate_base *b,
	const struct estimate_now *now, struct span *ret_growth)
{
	uint64_t lost = amount_less(b->anon, now->anon), swapped = amount_less(now->swap, b->swap);
	struct span s = after_loss(p, lost, amount_min(lost, swapped));

	*ret_growth = anon_growth(b, now->swap, amount_less(now->anon, b->anon));
	s.low += ret_growth->low;
	s.mid += ret_growth->mid;
	s.high += ret_growth->high;
	s.private += ret_growth->private;
	return s;
}

static struct span carry_file(const struct estimate_part *p, const struct estimate_base *b,
	const struct estimate_now *now, struct span *ret_growth)
{
	uint64_t lost = amount_less(b->file, now->file), grown = amount_less(now->file, b->file);
	struct span s = after_loss(p, lost, lost);

	/* A process that had no file at all says nothing of what its next is like. */
	*ret_growth = (struct span){
		.mid = p->rss ? amount_part(grown, p->pss, p->rss) : grown / 2,
		.high = grown,
		.private = amount_part(grown, p->private_mid, p->rss),
	};
	s.mid += ret_growth->mid;
	s.high += ret_growth->high;
	s.private += ret_growth->private;
	return s;
}

/* What is known of the whole alone. Only the bounds are of use. */
static struct span carry_whole(const struct estimate_base *b, const struct estimate_now *now,
	const struct span *anon_growth_, const struct span *file_growth)
{
	uint64_t lost = amount_less(b->anon, now->anon) + amount_less(b->file, now->file);
	struct estimate_part p = {
		.rss = b->anon + b->file, .pss = b->pss_anon + b->pss_file + b->pss_shmem};
	struct span s;

	p.private_max = b->uss == ESTIMATE_UNKNOWN ? p.pss : amount_min(p.pss, b->uss);
	s = after_loss(&p, lost, 0);
	s.low += anon_growth_->low + file_growth->low;
	s.high += anon_growth_->high + file_growth->high;
	return s;
}

/* S with a doubt, within LIMIT_ bytes that are resident. */
static struct span doubted(
	const struct span *s, int64_t mid, uint64_t down, uint64_t up, uint64_t resident)
{
	return (struct span){
		.low = amount_less(amount_shift(s->low, mid), down),
		.mid = amount_min(amount_shift(s->mid, mid), resident),
		.high = amount_min(amount_add(amount_shift(s->high, mid), up), resident),
		.private = s->private,
	};
}

/* A doubt that takes more than what was shared takes private pages, which count half at most then. */
static uint64_t lost_private(const struct span *s, int64_t mid)
{
	uint64_t shared = amount_less(s->mid, s->private);

	return mid < 0 ? 2 * amount_less(limited(-(uint64_t)mid), shared) : 0;
}

static uint64_t carry_swap_pss(const struct estimate_base *b, const struct estimate_now *now)
{
	uint64_t v;

	if (b->swap_pss == ESTIMATE_UNKNOWN)
		return ESTIMATE_UNKNOWN;
	if (now->swap <= b->swap)
		return amount_part(b->swap_pss, now->swap, b->swap);
	/* What went there was as shared as the memory that it came from. */
	v = now->swap - b->swap;
	v = b->swap_pss + (b->anon ? amount_part(v, b->pss_anon, b->anon) : v);
	return amount_min(v, now->swap);
}

static bool is_quiet(const struct estimate_base *b, const struct estimate_now *now,
	const struct estimate_doubt *d)
{
	return b->has_parts && now->anon == b->anon && now->file == b->file &&
	       now->swap == b->swap && b->pss_anon <= b->anon &&
	       b->pss_file + b->pss_shmem <= b->file && b->anon < LIMIT && b->file < LIMIT &&
	       b->pss_file < LIMIT && b->pss_shmem < LIMIT && b->rounding < LIMIT &&
	       b->unseen < LIMIT && !(d->anon_mid | d->file_mid);
}

/* Nothing moved, as in nearly every process of nearly every pass. */
static void carry_quiet(
	const struct estimate_base *b, const struct estimate_doubt *d, struct estimate *ret)
{
	uint64_t file = b->pss_file + b->pss_shmem, pss = b->pss_anon + file;
	uint64_t anon_rss = b->anon + b->unseen;
	uint64_t high = amount_min(amount_add(b->pss_anon, d->anon_up), anon_rss) +
	                amount_min(amount_add(file, d->file_up), b->file);

	*ret = (struct estimate){
		.pss_anon = b->pss_anon,
		.pss_file = b->pss_file,
		.pss_shmem = b->pss_shmem,
		.pss = pss,
		.low = amount_less(b->pss_anon, d->anon_down) + amount_less(file, d->file_down),
		.high = amount_min(high + b->rounding, anon_rss + b->file),
		.uss = b->uss == ESTIMATE_UNKNOWN ? b->uss : amount_min(b->uss, pss),
		.swap_pss = b->swap_pss == ESTIMATE_UNKNOWN ? b->swap_pss
	                                                    : amount_min(b->swap_pss, b->swap),
	};
}

void estimate_carry(const struct estimate_base *base, const struct estimate_now *now_,
	const struct estimate_doubt *doubt, struct estimate *ret)
{
	struct estimate_now now = {limited(now_->anon), limited(now_->file), limited(now_->swap)};
	struct span anon, file, whole, anon_grown, file_grown;
	struct estimate_part anon_part, file_part;
	uint64_t resident, uss;
	struct estimate_base b;

	if (is_quiet(base, now_, doubt)) {
		carry_quiet(base, doubt, ret);
		return;
	}
	tidy(base, &b);
	find_parts(&b, &anon_part, &file_part);
	if (now.anon + now.file)
		now.anon = limited(now.anon + limited(b.unseen));
	resident = now.anon + now.file;
	anon = carry_anon(&anon_part, &b, &now, &anon_grown);
	file = carry_file(&file_part, &b, &now, &file_grown);
	whole = carry_whole(&b, &now, &anon_grown, &file_grown);
	uss = anon.private + file.private;
	uss = amount_less(uss, amount_add(lost_private(&anon, doubt->anon_mid),
				       lost_private(&file, doubt->file_mid)));

	whole = doubted(&whole, doubt->anon_mid, doubt->anon_down, doubt->anon_up, UINT64_MAX);
	whole = doubted(&whole, doubt->file_mid, doubt->file_down, doubt->file_up, resident);
	anon = doubted(&anon, doubt->anon_mid, doubt->anon_down, doubt->anon_up, now.anon);
	file = doubted(&file, doubt->file_mid, doubt->file_down, doubt->file_up, now.file);

	ret->pss_anon = anon.mid;
	ret->pss_shmem = b.pss_shmem ? amount_part(file.mid, b.pss_shmem, file_part.pss) : 0;
	ret->pss_file = file.mid - ret->pss_shmem;
	ret->pss = anon.mid + file.mid;
	ret->low = whole.low;
	ret->high = whole.high;
	if (b.has_parts) {
		ret->low = amount_max(ret->low, amount_add(anon.low, file.low));
		ret->high = amount_min(ret->high, amount_add(anon.high, file.high));
	}
	ret->high = amount_min(amount_add(ret->high, b.rounding), resident);
	ret->low = amount_min(ret->low, ret->pss);
	ret->high = amount_max(ret->high, ret->pss);
	uss = amount_max(uss, amount_less(2 * ret->pss, resident));
	ret->uss = base->uss == ESTIMATE_UNKNOWN ? base->uss : amount_min(uss, ret->pss);
	ret->swap_pss = carry_swap_pss(&b, &now);
}
