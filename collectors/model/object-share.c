/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/model/object-share.h"

#include "base/saturate.h"
#include "collectors/model/share-count.h"

/* The part of a process's files and shmem that was not assigned to an object yet; in bytes. */
struct rest {
	struct estimate_part part;
	uint64_t now; /* resident now */
	/* growth of shmem since the measurement, as far as is known */
	uint64_t shmem_grown;
	uint64_t shmem, shmem_pss; /* RSS and PSS of shared memory at the measurement */
	/* files at the measurement: resident, PSS of shared pages, private */
	uint64_t file, file_pss, file_own;
	bool has_parts; /* the measurement had parts, so that these are known */
};

static struct rest rest_of(const struct estimate_base *base, const struct estimate_now *now)
{
	struct estimate_part anon;
	struct rest r = {.now = now->file, .has_parts = base->has_parts};
	uint64_t own;

	estimate_parts(base, &anon, &r.part);
	r.shmem = saturate_min((uint64_t)base->shmem_kib * 1024, r.part.rss);
	r.shmem_grown = saturate_less(now->shmem, (uint64_t)base->shmem_kib * 1024);
	r.shmem_pss = base->has_parts ? base->pss_shmem
	                              : saturate_part(r.part.pss, r.shmem, r.part.rss);
	r.shmem_pss = saturate_min(r.shmem_pss, saturate_min(r.shmem, r.part.pss));
	r.file = r.part.rss - r.shmem;
	own = saturate_less(r.part.private_mid, saturate_less(2 * r.shmem_pss, r.shmem));
	r.file_own = saturate_min(own, saturate_min(r.file, r.part.pss - r.shmem_pss));
	r.file_pss = saturate_min(r.part.pss - r.shmem_pss - r.file_own, (r.file - r.file_own) / 2);
	return r;
}

/* Whether no other process had L's file, as far as is known. */
static bool is_sole(const struct mapped_object_link *l)
{
	return !l->is_shmem && l->sum + l->object->late <= l->measured;
}

/* L's share at the measurement, and (.now) after what S did itself; in bytes. */
struct part {
	uint64_t rss, pss, now;
};

/* Takes L's share out of R. Private pages of a file that others map, too, stay in R. */
static struct part object_share_take(struct rest *r, const struct mapped_object_link *l)
{
	uint64_t rss = (uint64_t)l->measured * COUNTER_FLOW_UNIT, sum = l->sum + l->object->late,
		 shared;
	struct part p;

	if (l->is_shmem) {
		p.rss = saturate_min(rss, r->part.rss);
		p.pss = saturate_min(saturate_part(r->shmem_pss, rss, r->shmem), p.rss);
	} else if (is_sole(l)) {
		p.rss = p.pss = saturate_min(rss, r->file_own);
		r->file_own -= p.pss;
	} else {
		shared = saturate_less(r->file, r->file_own);
		p.rss = saturate_min(rss, shared);
		/* The rest counts at most half. */
		p.pss = saturate_max(saturate_part(p.rss, l->measured, sum),
			saturate_less(r->file_pss, (shared - p.rss) / 2));
		p.pss = saturate_min(p.pss, saturate_min(r->file_pss, p.rss / 2));
		r->file_pss -= p.pss;
	}
	if (!l->is_shmem)
		r->file -= p.rss;
	p.pss = saturate_min(p.pss, r->part.pss);
	p.now = saturate_part(p.rss, l->resident, l->measured);
	r->part.rss -= p.rss;
	r->part.pss -= p.pss;
	r->now = saturate_less(r->now, p.now);
	return p;
}

void object_share_known(const struct sharer *s, const struct estimate_base *base, uint64_t *ret_rss,
	uint64_t *ret_pss)
{
	const struct estimate_now still = {base->anon, base->file, base->swap};
	struct rest r;

	*ret_rss = *ret_pss = 0;
	if (!s->count)
		return;
	r = rest_of(base, &still);
	/* Private files first: the rest of the private pages may be anywhere. */
	for (unsigned int i = 0; i < 2 * s->count; i++) {
		const struct mapped_object_link *l = &s->link[i < s->count ? i : i - s->count];
		struct part p;

		if (is_sole(l) != (i < s->count))
			continue;
		p = object_share_take(&r, l);
		if (p.pss <= p.rss / 2) {
			*ret_rss += p.rss;
			*ret_pss += p.pss;
		}
	}
}

/* Returns the flow of the other sharers of L's object since the measurement of S. */
static struct counter_flow others_since(const struct sharer *s, const struct mapped_object_link *l)
{
	return counter_flow_less(counter_flow_less(l->object->flow, s->own), l->flow);
}

/* Computes by how much the others' FLOW may have lowered and raised the PSS of RSS bytes. */
static void object_share_stir(uint64_t rss, uint64_t pss, const struct counter_flow *flow,
	uint64_t *ret_down, uint64_t *ret_up)
{
	uint64_t lost = (uint64_t)flow->lost * COUNTER_FLOW_UNIT,
		 gained = (uint64_t)flow->gained * COUNTER_FLOW_UNIT;
	uint64_t own = saturate_less(2 * pss, rss);

	share_count_stirred(rss - own, pss - own, lost, gained, ret_down, ret_up);
	/* A private page may have two sharers now. */
	*ret_down += saturate_min(gained, own) / 2;
}

/* The PSS of S's share P of one object now, after what all sharers did; or a sum over objects. */
struct link_guess {
	uint64_t still; /* if the others had done nothing */
	uint64_t low, mid, high;
	uint64_t down; /* that the rest of S's files may have lost */
	uint64_t told; /* growth of its own that the bounds allow for, too */
};

/*
 * Guesses L's share P. THEN is the sum of all sharers at the measurement. The effect of the others
 * is within STILL - DOWN and STILL + UP, whatever pages they share.
 */
static struct link_guess guess_link(const struct mapped_object_link *l, const struct part *p,
	uint64_t then, uint64_t down, uint64_t up)
{
	uint64_t now = l->object->resident;
	struct link_guess g = {.still = saturate_part(p->pss, l->resident, l->measured)};

	if (now >= then) {
		g.mid = saturate_part(g.still, then, now);
	} else {
		g.mid = saturate_less(2 * g.still, p->now);
		g.mid += saturate_part(g.still - g.mid, then, now);
		g.mid = saturate_min(g.mid, p->now);
	}
	g.low = saturate_min(g.mid, saturate_less(g.still, down));
	g.high = saturate_max(g.mid, saturate_min(g.still + up, p->now));
	return g;
}

/*
 * The same, if sharers of the object have been measured again and again: their errors give the
 * bounds.
 */
static struct link_guess guess_by_error(const struct sharer *s, const struct mapped_object_link *l,
	const struct part *p, uint64_t then, uint64_t now, const struct counter_flow *others,
	uint64_t down, uint64_t up)
{
	const struct object_error *e = &l->object->error;
	struct object_error_change c = {
		.rss = p->rss,
		.pss = p->pss,
		.now_rss = p->now,
		.then = then,
		.now = now,
		.stirred = (uint64_t)others->lost + others->gained,
	};
	struct object_error_guess guess;
	uint64_t off, own;
	struct link_guess g;

	object_error_guess(e, &c, &guess);
	off = object_error_likely(e, &guess, s->odd);
	own = saturate_less(guess.still, p->pss);
	g = (struct link_guess){
		.still = guess.still, .mid = guess.mid, .told = saturate_less(p->now, p->rss)};
	g.low = saturate_max(saturate_less(guess.still, down + own), saturate_less(guess.mid, off));
	g.low = saturate_min(g.low, guess.mid);
	g.high = saturate_min(guess.still + up + g.told, guess.mid + off);
	g.high = saturate_max(saturate_min(g.high, p->now), guess.mid);
	return g;
}

/*
 * Most likely S has grown by shared memory. But if that decides how much the growth counts, only
 * the growth that is known to be shared memory counts for P; the rest goes back to R. Returns that
 * rest.
 */
static uint64_t part_growth(struct part *p, struct rest *r)
{
	uint64_t other = saturate_less(saturate_less(p->now, p->rss), r->shmem_grown);

	p->now -= other;
	r->now = saturate_add(r->now, other);
	return other;
}

/* Adds L's share to SUM and takes it out of R. */
static void object_share_add_link(const struct sharer *s, const struct mapped_object_link *l,
	struct rest *r, struct link_guess *sum)
{
	uint64_t then = l->sum + l->object->late, own = r->file_own;
	struct counter_flow others = others_since(s, l);
	uint64_t gained = (uint64_t)others.gained * COUNTER_FLOW_UNIT, touched, down, up, now;
	struct part p = object_share_take(r, l);
	struct link_guess g;

	object_share_stir(p.rss, p.pss, &others, &down, &up);
	if (!l->is_shmem && !is_sole(l)) {
		/* A private page among those that the others have may have two sharers now. */
		touched = saturate_min(
			saturate_min(gained, own), (uint64_t)l->mapped * COUNTER_FLOW_UNIT);
		sum->down += touched / 2;
	}
	now = l->object->resident;
	if (r->has_parts && l == mapped_objects_main_shmem(s) &&
		object_error_tells(&l->object->error) && now >= then) {
		now -= counter_flow_units(part_growth(&p, r));
		g = guess_by_error(s, l, &p, then, saturate_max(now, then), &others, down, up);
	} else {
		g = guess_link(l, &p, then, down, up);
	}
	sum->still += g.still;
	sum->mid += g.mid;
	sum->low += g.low;
	sum->high += g.high;
	sum->told += g.told;
}

static bool is_still(const struct sharer *s)
{
	if (s->is_open)
		return true;
	for (unsigned int i = 0; i < s->count; i++) {
		struct counter_flow others = others_since(s, &s->link[i]);

		if (others.lost | others.gained)
			return false;
	}
	return true;
}

/*
 * Returns the PSS of PART now, in proportion to its size NOW. If PART was empty, it is as shared as
 * ALL.
 */
static uint64_t object_share_carried(
	const struct estimate_part *part, uint64_t now, const struct estimate_part *all)
{
	if (part->rss)
		return saturate_part(part->pss, now, part->rss);
	return all->rss ? saturate_part(now, all->pss, all->rss) : now / 2;
}

bool object_share_doubt(const struct sharer *s, const struct estimate_base *base,
	const struct estimate_now *now, const struct counter_flow *rest, struct estimate_doubt *ret)
{
	struct link_guess sum = {0};
	struct estimate_part all;
	uint64_t down, up, rest_now, before;
	struct rest r;
	int64_t own;

	if (!(rest->lost | rest->gained) && is_still(s))
		return false;
	r = rest_of(base, now);
	all = r.part;
	/* Private files first: the rest of the private pages may be anywhere. */
	for (unsigned int i = 0; i < 2 * s->count && !s->is_open; i++) {
		const struct mapped_object_link *l = &s->link[i < s->count ? i : i - s->count];

		if (!l->measured || is_sole(l) != (i < s->count))
			continue;
		object_share_add_link(s, l, &r, &sum);
	}
	before = saturate_less(all.pss, all.private_mid);
	rest_now = object_share_carried(&r.part, r.now, &all);
	object_share_stir(r.part.rss, saturate_min(r.part.pss, r.part.rss), rest, &down, &up);
	/* Which object S itself has more or less of is a guess, which moves no bound. */
	own = saturate_difference(
		sum.still + rest_now, object_share_carried(&all, now->file, &all));
	*ret = (struct estimate_doubt){
		.file_mid = own + saturate_difference(sum.mid, sum.still),
		.file_down = sum.mid - sum.low + down + saturate_min(sum.down, r.part.pss),
		.file_up = sum.high - sum.mid + up,
		.file_told = sum.told,
	};
	if (own > 0)
		ret->file_down += (uint64_t)own;
	else
		ret->file_up += -(uint64_t)own;
	/* The rounding error grows in the same proportion. */
	if (ret->file_mid > 0)
		ret->file_up += saturate_part(base->rounding, (uint64_t)ret->file_mid, before);
	return true;
}
