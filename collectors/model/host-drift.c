/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part of the difference between the sums is always there: pages of devices, of processes that
 * may not be read, and pages that the kernel's per-CPU counters keep back. This part is the bias. A
 * change of the difference beyond the noise is drift. It stays until the process that caused it has
 * been measured. A rest after all processes have been measured belongs to no process, and becomes
 * bias.
 */
#include "config.h"

#include "collectors/model/host-drift.h"

#include "base/saturate.h"

enum {
	/* Of the bytes that moved between two passes, a 16th moves while the counters are read. */
	MOVES_IN_A_PASS = 16,
	/* If more than a quarter of the sum is unread, nothing follows from the rest. */
	UNREAD_PART = 4,
	/* A member may have up to 8 times its share of a drift. */
	SPREAD_TIMES = 8,
	/* Within the noise, each pass moves the bias by a 16th of the difference. */
	BIAS_FOLLOWS = 16,
	/* A 64th of memory that is not new may still have become shared. */
	ANY_PART = 64,
};

struct weights {
	uint64_t anon_up, anon_down, file_up, file_down;
};

void host_drift_init(struct host_drift *d, uint64_t max_age_ns)
{
	*d = (struct host_drift){.max_age_ns = max_age_ns, .unsure = UINT64_MAX};
}

static void part_begin(struct host_drift_part *p)
{
	p->sum = p->unread = 0;
	p->up_all = p->down_all = p->up_stale = p->down_stale = 0;
	p->drift = 0;
	p->is_used = false;
}

void host_drift_begin(struct host_drift *d)
{
	d->moved = d->rounding = d->low = d->high = 0;
	d->has_slack = d->is_whole = false;
	part_begin(&d->anon);
	part_begin(&d->file);
}

static uint64_t file_pss(const struct estimate *e)
{
	return e->pss_file + e->pss_shmem;
}

/*
 * Returns how much a drift could change M. M can gain all that it shares. It can lose what it has
 * grown by, a little of the rest, files that it shares, and shared memory that no other process had
 * mapped.
 */
static struct weights weights_of(const struct host_drift_member *m)
{
	const struct estimate *e = m->estimate;
	uint64_t file = file_pss(e), own = saturate_less(2 * e->pss_shmem, m->now->shmem);
	struct weights w;

	w.anon_up = saturate_less(m->now->anon, e->pss_anon);
	w.anon_down = saturate_add(
		saturate_less(m->now->anon, m->base->anon), e->pss_anon / ANY_PART);
	w.anon_down = saturate_min(w.anon_down, e->pss_anon);
	w.file_up = saturate_less(m->now->file, file);
	/* A shared page counts at most half. */
	w.file_down = saturate_add(
		saturate_less(m->now->file, m->base->file), saturate_min(file, w.file_up));
	/* Each page may have two sharers now. */
	w.file_down = saturate_min(saturate_add(w.file_down, own / 2), file);
	return w;
}

static void part_add(
	struct host_drift_part *p, uint64_t pss, uint64_t up, uint64_t down, uint64_t measured_ns)
{
	p->sum = saturate_add(p->sum, pss);
	p->up_all = saturate_add(p->up_all, up);
	p->down_all = saturate_add(p->down_all, down);
	if (measured_ns >= p->since_ns)
		return;
	p->up_stale = saturate_add(p->up_stale, up);
	p->down_stale = saturate_add(p->down_stale, down);
}

void host_drift_add(struct host_drift *d, const struct host_drift_member *m)
{
	struct weights w = weights_of(m);

	part_add(&d->anon, m->estimate->pss_anon, w.anon_up, w.anon_down, m->measured_ns);
	part_add(&d->file, file_pss(m->estimate), w.file_up, w.file_down, m->measured_ns);
	d->low = saturate_add(d->low, m->estimate->low);
	d->high = saturate_add(d->high, m->estimate->high);
	d->moved = saturate_add(d->moved, m->moved_bytes);
	d->rounding = saturate_add(d->rounding, m->base->rounding);
}

void host_drift_add_unread(struct host_drift *d, uint64_t anon, uint64_t file)
{
	d->anon.unread = saturate_add(d->anon.unread, anon);
	d->file.unread = saturate_add(d->file.unread, file);
}

void host_drift_measured(
	struct host_drift *d, const struct estimate *estimate, const struct estimate_base *found)
{
	struct estimate_part anon, file;

	estimate_parts(found, &anon, &file);
	d->anon.found = saturate_sum(
		d->anon.found, saturate_difference(anon.pss, estimate->pss_anon));
	d->file.found = saturate_sum(
		d->file.found, saturate_difference(file.pss, file_pss(estimate)));
}

static void host_drift_settle(struct host_drift_part *p)
{
	p->bias = p->residual;
	p->drift = 0;
	p->since_ns = 0;
}

/*
 * Whether DRIFT has just begun, changed its direction to or from WAS_UP, or grown by more than the
 * noise.
 */
static bool host_drift_is_new(const struct host_drift_part *p, int64_t drift, bool was_up)
{
	uint64_t size = saturate_size(drift);

	return !p->since_ns || (drift > 0) != was_up || saturate_less(size, p->least) > p->noise;
}

/*
 * How far our sums may be off, by the bounds of the estimates in them. Processes without a
 * measurement of their own have wide bounds, so that the guesses at the beginning do not become
 * bias.
 */
struct room {
	uint64_t up, down;
};

/* First comparison of P: the bias is what the bounds cannot explain. */
static void host_drift_look(struct host_drift_part *p, const struct room *room)
{
	uint64_t most = p->residual > 0 ? room->up : room->down;

	host_drift_settle(p);
	p->bias = saturate_difference(saturate_less(saturate_size(p->residual), most), 0);
	if (p->residual < 0)
		p->bias = -p->bias;
	p->has_looked = true;
}

/*
 * Moves a wrong bias. If measurements found more than was estimated, but the residual is below the
 * bias, what they found had been taken for bias. The correction is at most the bias: growth since
 * the last pass was in no residual.
 */
static void host_drift_explain(struct host_drift_part *p)
{
	int64_t drift = saturate_sum(p->residual, -p->bias);
	int64_t part = saturate_difference(
		saturate_min(saturate_size(drift), saturate_size(p->found)), 0);

	if (drift < 0)
		part = part < p->bias ? part : p->bias > 0 ? p->bias : 0;
	if ((drift < 0) == (p->found > 0))
		p->bias = saturate_sum(p->bias, drift < 0 ? -part : part);
}

/* Takes findings of measurements off the drift: anything beyond the rest is new. */
static void forget_found(struct host_drift_part *p)
{
	uint64_t found = (p->found > 0) == p->was_up ? saturate_size(p->found) : 0;

	p->least = saturate_less(p->least, found);
	p->alarmed = saturate_less(p->alarmed, found);
}

/*
 * Decides how much of P's difference to the host's sum is drift, and over what weight it is spread.
 * SUM is AnonPages or Mapped. Memory of exited processes that is being freed is noise for as long
 * as it takes. It does not change the bias: in the next passes it will be gone.
 */
static void part_end(struct host_drift_part *p, uint64_t sum, const struct room *room,
	const struct host_drift_host *host, uint64_t max_age_ns)
{
	uint64_t now_ns = host->now_ns;
	int64_t drift;
	uint64_t size;

	p->noise = saturate_add(p->noise, host->leaving);
	p->is_used = p->unread <= sum / UNREAD_PART;
	if (!p->has_looked && p->unread > p->noise) {
		p->first_ns = p->first_ns ? p->first_ns : now_ns;
		p->is_used = p->is_used && now_ns - p->first_ns >= max_age_ns;
	}
	if (!p->is_used)
		return;
	p->residual = saturate_difference(sum, saturate_add(p->sum, p->unread));
	if (!p->has_looked)
		host_drift_look(p, room);
	else
		host_drift_explain(p);
	forget_found(p);
	drift = saturate_sum(p->residual, -p->bias);
	size = saturate_size(drift);
	if (size <= p->noise) {
		if (!host->leaving)
			p->bias = saturate_sum(p->bias, drift / BIAS_FOLLOWS);
		p->since_ns = 0;
		return;
	}
	if (host_drift_is_new(p, drift, p->was_up)) {
		p->since_ns = now_ns ? now_ns : 1;
		p->least = size;
		p->spread = drift > 0 ? p->up_all : p->down_all;
	} else {
		p->spread = drift > 0 ? p->up_stale : p->down_stale;
	}
	p->was_up = drift > 0;
	p->least = saturate_min(p->least, size);
	if ((!p->spread || saturate_less(now_ns, p->since_ns) >= max_age_ns) && !host->leaving) {
		host_drift_settle(p);
		return;
	}
	p->drift = drift;
}

/*
 * Computes the slack. Since all sums are known, no process can be far above its low bound while all
 * others are at theirs. An unread process may have nothing.
 */
static void host_drift_bound(struct host_drift *d, const struct host_drift_host *host)
{
	uint64_t total = saturate_add(host->anon, host->mapped);
	uint64_t noise = saturate_add(d->anon.noise, d->file.noise);
	uint64_t unread = saturate_add(d->anon.unread, d->file.unread);
	int64_t bias = saturate_sum(d->anon.bias, d->file.bias);
	uint64_t below = bias < 0 ? saturate_less(saturate_size(bias), unread) : 0;

	if (!d->anon.is_used || !d->file.is_used)
		return;
	d->slack = saturate_less(saturate_add(saturate_add(total, noise), below), d->low);
	d->has_slack = d->anon.drift >= 0 && d->file.drift >= 0;
}

/* Returns what no estimate contains: bias and upward drift of P. */
static uint64_t host_drift_nobodys(const struct host_drift_part *p)
{
	return saturate_add(p->bias > 0 ? saturate_size(p->bias) : 0,
		p->drift > 0 ? saturate_size(p->drift) : 0);
}

/*
 * Until all estimates that began as guesses have been measured, they may be above the truth by as
 * much as belongs to no process, and the sums look right all the same. The error is at most what
 * all estimates together were above their low bounds at any time.
 */
static void be_sure(struct host_drift *d, uint64_t above_low, uint64_t now_ns)
{
	if (d->anon.is_used)
		d->anon.nobodys = host_drift_nobodys(&d->anon);
	if (d->file.is_used)
		d->file.nobodys = host_drift_nobodys(&d->file);
	if (!d->anon.is_used || !d->file.is_used)
		return;
	if (!d->first_ns)
		d->first_ns = now_ns ? now_ns : 1;
	if (saturate_less(now_ns, d->first_ns) >= d->max_age_ns)
		d->unsure = 0;
	else if (!d->anon.drift && !d->file.drift)
		d->unsure = saturate_min(d->unsure, above_low);
}

bool host_drift_end(struct host_drift *d, const struct host_drift_host *host)
{
	uint64_t noise = saturate_add(host->late_bytes, d->moved / MOVES_IN_A_PASS);
	uint64_t half = d->rounding / 2, sum = saturate_add(d->anon.sum, d->file.sum);
	struct room room = {saturate_add(saturate_less(d->high, sum), host->leaving),
		saturate_less(sum, d->low)};

	d->is_whole = host->is_whole;
	d->leaving = host->leaving;
	if (!host->is_whole)
		return false;
	d->anon.noise = saturate_add(noise, host->anon_unsure);
	/* Mostly files are rounded down, by half a KiB each; private pages are whole. */
	d->file.noise = saturate_add(saturate_add(noise, half), host->mapped_unsure);
	d->file.sum = saturate_add(d->file.sum, half);
	part_end(&d->anon, host->anon, &room, host, d->max_age_ns);
	part_end(&d->file, host->mapped, &room, host, d->max_age_ns);
	d->anon.found = d->file.found = 0;
	be_sure(d, room.down, host->now_ns);
	host_drift_bound(d, host);
	if (d->anon.drift || d->file.drift)
		return true;
	return d->has_slack &&
	       saturate_less(d->high, d->low) > saturate_add(d->slack, d->file.noise);
}

bool host_drift_alarms(struct host_drift *d)
{
	struct host_drift_part *p = &d->anon;
	uint64_t up = p->is_used && p->drift > 0 ? saturate_size(p->drift) : 0;
	bool alarms = up > saturate_add(p->alarmed, p->noise);

	p->alarmed = alarms ? up : saturate_min(p->alarmed, up);
	return alarms;
}

/* Returns the upper bound of the part of P's drift that belongs to a member with these weights. */
static uint64_t host_drift_most_of(
	const struct host_drift_part *p, uint64_t up, uint64_t down, uint64_t measured_ns)
{
	uint64_t weight = p->drift > 0 ? up : down, size = saturate_size(p->drift), part;

	if (!p->drift || !p->spread || measured_ns >= p->since_ns)
		return 0;
	part = saturate_min(saturate_part(size, weight, p->spread), weight);
	return saturate_min(saturate_min(saturate_part(part, SPREAD_TIMES, 1), size), weight);
}

void host_drift_doubt(
	const struct host_drift *d, const struct host_drift_member *m, struct estimate_doubt *ret)
{
	struct weights w = weights_of(m);
	uint64_t anon = host_drift_most_of(&d->anon, w.anon_up, w.anon_down, m->measured_ns);
	uint64_t file = host_drift_most_of(&d->file, w.file_up, w.file_down, m->measured_ns);

	*ret = (struct estimate_doubt){
		.anon_down = d->anon.drift < 0 ? anon : 0,
		.anon_up = d->anon.drift > 0 ? anon : 0,
		.file_down = d->file.drift < 0 ? file : 0,
		.file_up = d->file.drift > 0 ? file : 0,
	};
}

void host_drift_narrow(const struct host_drift *d, struct estimate *e)
{
	if (d->has_slack)
		e->high = saturate_clamp(saturate_add(e->low, d->slack), e->pss, e->high);
}

static uint64_t part_beyond(const struct host_drift_part *p)
{
	return saturate_add(p->noise, p->nobodys);
}

uint64_t host_drift_beyond(const struct host_drift *d)
{
	if (!d->is_whole)
		return UINT64_MAX;
	/* Before the first comparison .unsure is UINT64_MAX. */
	return saturate_add(
		saturate_less(
			saturate_add(part_beyond(&d->anon), part_beyond(&d->file)), 2 * d->leaving),
		saturate_add(d->rounding, d->unsure));
}
