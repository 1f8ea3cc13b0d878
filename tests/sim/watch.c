/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/sim/watch.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "collectors/amount.h"

enum {
	USERS = 8,
};

/* Held for longer than this, a lock is better held in slices. */
#define SLICE_NS (2 * NS_PER_MSEC)

const struct watch_options watch_defaults = {
	.interval_ns = 10 * NS_PER_SEC,
	.max_age_ns = 300 * NS_PER_SEC,
	.giant_age_ns = 3600 * NS_PER_SEC,
	.stall_ns = 20 * NS_PER_MSEC,
	.rate_ppm = BUDGET_PPM_PER_PERCENT,
	.slowness = 1,
	.noise = 0.3,
	.outliers = 200,
};

void watch_init(struct watch *w, struct host *h, const struct watch_options *options)
{
	*w = (struct watch){.options = *options, .host = h, .start_ns = h->now_ns, .seed = 1};
	w->interval_ns = options->interval_ns;
	budget_init(&w->budget, options->rate_ppm, h->now_ns);
	for (enum cost_way way = COST_ROLLUP; way < COST_WAYS; way++)
		cost_init(&w->model[way], way);
	pool_init(&w->pool, options->max_age_ns);
}

static void forget(struct watch *w, struct watch_process *p)
{
	if (p->pid)
		kin_gone(&w->kin, &p->kin);
	*p = (struct watch_process){0};
}

void watch_done(struct watch *w)
{
	for (size_t slot = 0; slot < w->slots; slot++) {
		forget(w, w->process[slot]);
		free(w->process[slot]);
	}
	kin_done(&w->kin);
	free(w->process);
	free(w->slot_of);
	free(w->item);
}

void watch_restart_accounts(struct watch *w)
{
	w->account = (struct watch_account){0};
}

static void must(int r)
{
	if (r < 0)
		abort();
}

static void use(struct watch *w, uint64_t cpu_ns)
{
	double passed = (double)(w->host->now_ns - w->start_ns) + 60e9;
	double allowed = passed * w->options.rate_ppm / 1e6;

	w->account.used_ns += cpu_ns;
	if ((double)w->account.used_ns > allowed) {
		uint64_t above = w->account.used_ns - (uint64_t)allowed;

		if (above > w->account.worst_ns)
			w->account.worst_ns = above;
	}
}

/* The way to read P, and what it will cost. */
static enum cost_way way_of(
	const struct watch *w, const struct watch_process *p, struct cost_prediction *ret)
{
	*ret = cost_predict(&w->model[COST_ROLLUP], &p->work, &p->habit);
	if (ret->hold_ns <= SLICE_NS)
		return COST_ROLLUP;
	*ret = cost_predict(&w->model[COST_SLICES], &p->work, NULL);
	return COST_SLICES;
}

/* By chances of its own: what happens on the host does not depend on who watches it. */
static double disturbed(struct watch *w, double ns)
{
	ns *= 1 + w->options.noise * (2 * random_part(&w->seed) - 1);
	if (w->options.outliers && random_part(&w->seed) < 1.0 / w->options.outliers)
		ns *= 20;
	return ns;
}

static uint64_t real_cost(struct watch *w, enum cost_way way, const struct host_truth *t)
{
	double ns = 10000 + 22 * (double)t->pages + 50 * (double)t->mappings;

	if (way == COST_SLICES)
		ns += 6 * (double)t->pages + 850 * (double)t->mappings;
	return (uint64_t)disturbed(w, ns * w->options.slowness);
}

static uint64_t floored(double bytes)
{
	return (uint64_t)(bytes / 1024) * 1024;
}

/* What the kernel would print. */
static void base_of(
	const struct host_process *of, const struct host_truth *t, struct estimate_base *ret)
{
	uint64_t pss = floored(t->pss);

	*ret = (struct estimate_base){
		.anon = of->anon,
		.file = of->file,
		.pss_anon = floored(t->pss_anon),
		.pss_file = floored(t->pss_file),
		.uss = t->uss,
		.swap = of->swap,
		.swap_pss = floored(t->swap_pss),
		.rounding = 1024,
		.has_parts = true,
	};
	ret->pss_shmem = pss - ret->pss_anon - ret->pss_file;
}

static void sense_work(
	const struct watch *w, struct watch_process *p, const struct host_process *of)
{
	kin_moved(&p->kin, p->now.file, of->file);
	p->now = (struct estimate_now){of->anon, of->file, of->swap};
	p->work.pages = (of->anon + of->file) / HOST_PAGE;
	/* What is worth slicing has its mappings looked at, which walks no page tables. */
	if (cost_predict(&w->model[COST_ROLLUP], &p->work, NULL).hold_ns > SLICE_NS) {
		struct host_truth t;

		host_truth(w->host, (size_t)(of - w->host->process), &t);
		p->work.largest_pages = t.largest_pages;
		p->work.mappings = t.mappings;
	} else {
		p->work.largest_pages = 0;
		p->work.mappings = 0;
	}
}

/* Which files and segments it maps: whole, though only parts of them are resident. */
static void read_maps(struct watch *w, struct watch_process *p, const struct host_process *of)
{
	struct maps_segment list[MAPS_SEGMENTS];
	size_t count = 0;

	for (size_t i = 0; i < of->count; i++) {
		const struct host_extent *e = &w->host->extent[of->extent[i]];
		const struct host_inode *inode = &w->host->inode[e->inode];
		uint64_t bytes = (uint64_t)e->pages * HOST_PAGE * inode->count;
		bool is_known = false;

		for (size_t n = 0; n < count; n++)
			is_known |= list[n].inode == e->inode;
		if (e->inode && !is_known && bytes >= MAPS_SEGMENT_MIN && count < MAPS_SEGMENTS)
			list[count++] = (struct maps_segment){1, e->inode, bytes};
	}
	must(kin_mapped(&w->kin, &p->kin, list, count, &p->base));
}

/* Walks SLOT's page tables now. */
static void measure(struct watch *w, size_t slot)
{
	const struct host_process *of = &w->host->process[slot];
	struct watch_process *p = w->process[slot];
	struct cost_prediction predicted;
	struct estimate e;
	struct estimate_base before;
	struct host_truth t;
	enum cost_way way;
	uint64_t cpu_ns;

	sense_work(w, p, of);
	way = way_of(w, p, &predicted);
	host_truth(w->host, slot, &t);
	cpu_ns = real_cost(w, way, &t);
	cost_learn(&w->model[way], &p->work, way == COST_ROLLUP ? &p->habit : NULL, cpu_ns);
	budget_charge(&w->budget, w->host->now_ns, cpu_ns);
	use(w, cpu_ns);

	w->account.reads++;
	w->account.slices += way == COST_SLICES;
	w->account.predicted += (double)predicted.cpu_ns;
	w->account.cost += (double)cpu_ns;
	if (cpu_ns > w->account.longest_read_ns)
		w->account.longest_read_ns = cpu_ns;
	if (predicted.hold_ns > w->options.stall_ns)
		w->account.stalls++;
	else if (predicted.hold_ns > w->account.longest_hold_ns)
		w->account.longest_hold_ns = predicted.hold_ns;

	before = p->base;
	if (p->is_measured)
		estimate_carry(&before, &p->now, &p->doubt, &e);
	base_of(of, &t, &p->base);
	if (p->is_measured)
		pool_measured(&w->pool, &e, &p->base);
	must(kin_measured(&w->kin, &p->kin, UINT64_C(0x5000000000) + ((uint64_t)of->image << 21),
		UINT64_C(0x7f0000000000), p->is_measured ? &before : NULL, &p->base,
		w->host->now_ns));
	if (kin_wants_maps(&p->kin, &p->base))
		read_maps(w, p, of);
	p->doubt = (struct estimate_doubt){0};
	p->is_measured = true;
	p->measured_ns = w->host->now_ns;
}

static void make_room(struct watch *w)
{
	const struct host *h = w->host;

	w->process = reallocarray((void *)w->process, h->slots + 1, sizeof(struct watch_process *));
	w->slot_of = realloc(w->slot_of, (h->last_pid + 1) * sizeof(*w->slot_of));
	if (!w->process || !w->slot_of)
		abort();
	for (; w->slots < h->slots; w->slots++) {
		w->process[w->slots] = calloc(1, sizeof(**w->process));
		if (!w->process[w->slots])
			abort();
	}
	for (; w->pids <= h->last_pid; w->pids++)
		w->slot_of[w->pids] = UINT32_MAX;
}

/* Its parent's, if it looks forked from it: the same program. */
static struct kin_member *parent_of(struct watch *w, const struct host_process *of)
{
	uint32_t slot = of->parent ? w->slot_of[of->parent] : UINT32_MAX;
	struct watch_process *parent = slot != UINT32_MAX ? w->process[slot] : NULL;

	return parent && parent->pid == of->parent && parent->image == of->image ? &parent->kin
	                                                                         : NULL;
}

static uint64_t between(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static void sense(struct watch *w)
{
	const struct host *h = w->host;

	make_room(w);
	kin_begin(&w->kin, h->now_ns);
	for (size_t slot = 0; slot < h->slots; slot++) {
		const struct host_process *of = &h->process[slot];
		struct watch_process *p = w->process[slot];

		if (p->pid && p->pid != of->pid)
			forget(w, p);
		if (p->pid && p->image != of->image) {
			struct kin_member member;

			kin_executed(&w->kin, &p->kin);
			member = p->kin;
			*p = (struct watch_process){.pid = of->pid,
				.image = of->image,
				.seen_ns = h->now_ns,
				.kin = member};
		}
	}
	for (size_t slot = 0; slot < h->slots; slot++) {
		const struct host_process *of = &h->process[slot];
		struct watch_process *p = w->process[slot];

		if (of->pid && !p->pid) {
			p->pid = of->pid;
			p->image = of->image;
			p->seen_ns = h->now_ns;
			use(w, WATCH_BIRTH_NS);
			budget_charge_birth(&w->budget, h->now_ns, WATCH_BIRTH_NS);
			w->slot_of[p->pid] = (uint32_t)slot;
			must(kin_born(&w->kin, &p->kin, parent_of(w, of), of->born_ns));
		}
		if (!p->pid)
			continue;
		/* Ages are never negative, even if the clock is not what it should be. */
		if (p->measured_ns > h->now_ns)
			p->measured_ns = h->now_ns;
		if (p->seen_ns > h->now_ns)
			p->seen_ns = h->now_ns;
		p->moved_bytes = between(p->now.anon, of->anon) + between(p->now.file, of->file);
		sense_work(w, p, of);
	}
}

static struct watch_process *of_member(struct kin_member *m)
{
	return (struct watch_process *)((char *)m - offsetof(struct watch_process, kin));
}

static void note_doubts(struct watch *w)
{
	struct kin_member *m;

	while ((m = kin_affected(&w->kin))) {
		struct watch_process *p = of_member(m);

		if (!kin_doubt(m, &p->base, &p->now, &p->doubt))
			p->doubt = (struct estimate_doubt){0};
	}
}

/* Carries P forward, in doubt as far as events and MORE put it. False: nobody can speak for it. */
static bool carry(
	struct watch_process *p, const struct estimate_doubt *more, struct pool_member *ret)
{
	const struct watch_process *speaker = p;
	struct estimate_doubt doubt = p->doubt;
	struct kin_member *m;
	uint64_t down, up;

	if (!p->is_measured) {
		m = kin_speaker(&p->kin);
		if (!m) {
			p->estimate = (struct estimate){.high = p->now.anon + p->now.file};
			return false;
		}
		speaker = of_member(m);
		kin_borrow(&p->kin, m, &speaker->base, &speaker->now, &p->now, &doubt);
	}
	kin_stirred(&speaker->kin, &speaker->base, &down, &up);
	doubt.file_down = amount_add(doubt.file_down, down);
	doubt.file_up = amount_add(doubt.file_up, up);
	if (more)
		estimate_doubt_add(&doubt, more);
	estimate_carry(&speaker->base, &p->now, &doubt, &p->estimate);
	*ret = (struct pool_member){
		.base = &speaker->base,
		.now = &p->now,
		.estimate = &p->estimate,
		.moved_bytes = p->moved_bytes,
		.measured_ns = speaker->measured_ns,
	};
	return true;
}

/* What the host knows, as /proc/meminfo says it. */
static bool compare_with_host(struct watch *w)
{
	const struct pool_host host = {
		.is_whole = true,
		.anon = w->host->anon_pages,
		.mapped = w->host->mapped,
		.page_bytes = HOST_PAGE,
		.cpus = 2,
		.now_ns = w->host->now_ns,
	};

	return pool_end(&w->pool, &host);
}

static void estimate_all(struct watch *w)
{
	struct pool_member m;

	pool_begin(&w->pool);
	for (size_t slot = 0; slot < w->slots; slot++) {
		struct watch_process *p = w->process[slot];

		if (p->pid && carry(p, NULL, &m))
			pool_add(&w->pool, &m);
		else if (p->pid)
			pool_add_unread(&w->pool, p->now.anon, p->now.file);
	}
	if (!compare_with_host(w))
		return;
	for (size_t slot = 0; slot < w->slots; slot++) {
		struct watch_process *p = w->process[slot];
		struct estimate_doubt drift;

		if (!p->pid || !carry(p, NULL, &m))
			continue;
		pool_doubt(&w->pool, &m, &drift);
		carry(p, &drift, &m);
		pool_narrow(&w->pool, &p->estimate);
	}
}

/*
 * How far off the estimate may be; of what has none, all that it has resident. What others have touched
 * counts as much as is likely.
 */
static uint64_t doubt_of(const struct watch_process *p)
{
	uint64_t up = p->estimate.high - p->estimate.pss, down = p->estimate.pss - p->estimate.low;
	uint64_t stirred_down = 0, stirred_up = 0;

	if (p->is_measured)
		kin_stirred(&p->kin, &p->base, &stirred_down, &stirred_up);
	return amount_less(amount_max(up, down), amount_max(stirred_up, stirred_down) / 8 * 7);
}

/* A process as the plan wants to see it. */
static void add_item(struct watch *w, size_t *count, size_t slot)
{
	const struct watch_process *p = w->process[slot];
	struct cost_prediction predicted;
	enum cost_way way = way_of(w, p, &predicted);

	w->item[(*count)++] = (struct plan_item){
		.id = (uint32_t)slot,
		.is_new = !p->is_measured,
		.is_giant = way == COST_SLICES && predicted.hold_ns > w->options.stall_ns,
		.cost_ns = predicted.cpu_ns,
		.hold_ns = predicted.hold_ns,
		.doubt_bytes = doubt_of(p),
		.pss_bytes = p->estimate.pss,
		.age_ns = w->host->now_ns - (p->is_measured ? p->measured_ns : p->seen_ns),
	};
}

static struct plan_limits limits_of(const struct watch *w, uint64_t tokens_ns)
{
	return (struct plan_limits){
		.tokens_ns = tokens_ns,
		.interval_ns = w->interval_ns,
		.max_age_ns = w->options.max_age_ns,
		.giant_age_ns = w->options.giant_age_ns,
		.stall_ns = w->options.stall_ns,
		.round = w->account.passes,
	};
}

/* What waits for no turn: who was never measured, and whom births and exits have put in doubt. */
static bool is_urgent(const struct watch *w, const struct watch_process *p)
{
	const struct estimate_doubt *d = &p->doubt;
	uint64_t age_ns = w->host->now_ns - p->measured_ns;

	if (!p->is_measured)
		return true;
	if (!(d->anon_up | d->anon_down | d->file_up | d->file_down))
		return false;
	return plan_doubt_matters(doubt_of(p), p->estimate.pss, age_ns, w->options.max_age_ns);
}

/* Those, as far as half of what there is goes. */
static void read_urgent(struct watch *w)
{
	uint64_t now_ns = w->host->now_ns;
	struct plan_limits limits = limits_of(w, budget_available_ns(&w->budget, now_ns) / 2);
	struct plan_counts counts;
	struct pool_member m;
	size_t count = 0, n;

	for (size_t slot = 0; slot < w->slots; slot++) {
		if (!w->process[slot]->pid)
			continue;
		carry(w->process[slot], NULL, &m);
		if (is_urgent(w, w->process[slot]))
			add_item(w, &count, slot);
	}
	n = plan_choose(w->item, count, &limits, &counts);
	for (size_t i = 0; i < n && budget_available_ns(&w->budget, now_ns) > 0; i++)
		measure(w, w->item[i].id);
}

/* How far the truth lies out of the bounds, in bytes. */
static double beyond_bounds(const struct watch_process *p, const struct host_truth *t)
{
	if (t->pss < (double)p->estimate.low)
		return (double)p->estimate.low - t->pss;
	return t->pss - (double)p->estimate.high;
}

static void account_for(struct watch *w)
{
	double truth[USERS] = {0}, middle[USERS] = {0}, low[USERS] = {0}, high[USERS] = {0};
	struct watch_account *a = &w->account;

	for (size_t slot = 0; slot < w->slots; slot++) {
		const struct watch_process *p = w->process[slot];
		uint32_t user = w->host->process[slot].user % USERS;
		struct host_truth t;
		double beyond;

		if (!p->pid)
			continue;
		host_truth(w->host, slot, &t);
		truth[user] += t.pss;
		middle[user] += (double)p->estimate.pss;
		low[user] += (double)p->estimate.low;
		high[user] += (double)p->estimate.high;
		a->samples++;
		beyond = beyond_bounds(p, &t);
		a->outside += beyond > 0.5;
		a->far_outside += beyond > 1024 && beyond > t.pss / 1000;
	}
	a->worst_user = 0;
	for (int user = 0; user < USERS; user++) {
		double off = middle[user] - truth[user];

		a->truth += truth[user];
		off = off < 0 ? -off : off;
		a->error += off;
		if (truth[user] > 0 && off / truth[user] > a->worst_user)
			a->worst_user = off / truth[user];
		a->width += high[user] - low[user];
		a->sums++;
		a->sums_outside += truth[user] < low[user] - 0.5 || truth[user] > high[user] + 0.5;
	}
}

static void account_for_age(struct watch *w, const struct plan_item *i)
{
	bool is_giant = i->hold_ns > w->options.stall_ns;
	uint64_t *oldest = is_giant ? &w->account.oldest_giant_ns : &w->account.oldest_ns;

	if (i->age_ns > *oldest)
		*oldest = i->age_ns;
}

void watch_pass(struct watch *w)
{
	uint64_t now_ns = w->host->now_ns, cpu_ns;
	struct plan_limits limits;
	struct plan_counts counts;
	size_t count = 0;

	sense(w);
	note_doubts(w);
	if (w->item_capacity < w->slots) {
		w->item = realloc(w->item, w->slots * sizeof(*w->item));
		if (!w->item)
			abort();
		w->item_capacity = w->slots;
	}
	w->account.passes++;
	read_urgent(w);
	note_doubts(w);
	estimate_all(w);
	for (size_t slot = 0; slot < w->slots; slot++) {
		if (w->process[slot]->pid) {
			add_item(w, &count, slot);
			account_for_age(w, &w->item[count - 1]);
		}
	}
	if (!w->options.is_blind)
		account_for(w);

	cpu_ns = count * WATCH_SENSE_NS;
	use(w, cpu_ns);
	budget_expect(&w->budget, cpu_ns);
	w->interval_ns = budget_set_interval(&w->budget, w->options.interval_ns);
	w->account.stretched += w->interval_ns > w->options.interval_ns;
	budget_charge_pass(&w->budget, now_ns, cpu_ns, now_ns + w->interval_ns);
	limits = limits_of(w, budget_until_due_ns(&w->budget, now_ns));
	w->chosen = plan_choose(w->item, count, &limits, &counts);
	w->items = count;
	w->next = 0;
	w->reads_ns = 0;
	for (int i = 0; i < PLAN_REASONS; i++)
		w->account.deferred[i] += counts.deferred[i];
}

uint64_t watch_total_ns(const struct watch *w)
{
	uint64_t total_ns = 0;

	for (size_t i = 0; i < w->items; i++)
		total_ns += w->item[i].cost_ns;
	return total_ns;
}

void watch_read(struct watch *w)
{
	uint64_t before_ns = w->account.used_ns;

	for (; w->next < w->chosen; w->next++) {
		size_t slot = w->item[w->next].id;
		const struct host_process *of = &w->host->process[slot];

		if (budget_available_ns(&w->budget, w->host->now_ns) == 0)
			break;
		/* It may have ended, or have executed another program. */
		if (of->pid == w->process[slot]->pid && of->image == w->process[slot]->image)
			measure(w, slot);
	}
	w->reads_ns += w->account.used_ns - before_ns;
	if (w->reads_ns > w->account.most_reads_ns)
		w->account.most_reads_ns = w->reads_ns;
}

void watch_and_live(struct watch *w, const struct host_rates *rates)
{
	enum { STEPS = 4 };

	watch_pass(w);
	for (int step = 0; step < STEPS; step++) {
		host_live(w->host, rates, 0.5 / STEPS);
		watch_read(w);
		w->host->now_ns += w->interval_ns / STEPS;
		host_live(w->host, rates, 0.5 / STEPS);
	}
}
