/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Of each epoch it is known how much each member may have gained and lost since it began, at most, and of all members
 * the sum of that. Who moves changes his part in both.
 */
#include "config.h"

#include "collectors/crowd.h"

#include "collectors/amount.h"

void crowd_begin(struct crowd *c, uint64_t now_ns)
{
	uint64_t epoch = now_ns / CROWD_EPOCH_NS;

	for (uint64_t e = amount_max(c->epoch + 1, amount_less(epoch + 1, CROWD_EPOCHS));
		e <= epoch; e++)
		c->once[e % CROWD_EPOCHS] = (struct flow_crowd){0};
	c->epoch = amount_max(c->epoch, epoch);
}

/* What M has done since the epoch AGE epochs ago began. */
static struct flow part_of(const struct crowd *c, const struct crowd_member *m, unsigned int age)
{
	uint32_t late = (uint32_t)c->epoch - m->epoch;

	return age < late ? (struct flow){0} : m->once[(c->epoch - age) % CROWD_EPOCHS];
}

static void set_part(
	struct crowd *c, struct crowd_member *m, unsigned int age, const struct flow *now)
{
	struct flow_crowd *all = &c->once[(c->epoch - age) % CROWD_EPOCHS];
	struct flow *own = &m->once[(c->epoch - age) % CROWD_EPOCHS];

	all->flow = flow_less(all->flow, *own);
	flow_add(&all->flow, now);
	all->losses += (now->lost != 0) - (own->lost != 0);
	all->gains += (now->gained != 0) - (own->gained != 0);
	*own = *now;
}

/* How many epochs there were by now, at most CROWD_EPOCHS. Those that have begun since M moved are M's, too, by now. */
static unsigned int bring_up(const struct crowd *c, struct crowd_member *m)
{
	for (unsigned int age = 0; age < CROWD_EPOCHS && age <= c->epoch; age++)
		m->once[(c->epoch - age) % CROWD_EPOCHS] = part_of(c, m, age);
	m->epoch = (uint32_t)c->epoch;
	return (unsigned int)amount_min(CROWD_EPOCHS, c->epoch + 1);
}

static uint32_t sum_within(uint32_t a, uint32_t b, uint32_t limit)
{
	return (uint32_t)amount_min((uint64_t)a + b, limit);
}

void crowd_has(struct crowd_member *m, uint32_t now)
{
	m->most = (uint32_t)amount_max(m->most, now);
}

void crowd_move(struct crowd *c, struct crowd_member *m, const struct flow *f, uint32_t now)
{
	unsigned int epochs = bring_up(c, m);

	crowd_has(m, (uint32_t)amount_min((uint64_t)now + f->lost, UINT32_MAX));
	flow_crowd_add(&c->ever, f);
	flow_crowd_add(&m->ever, f);
	for (unsigned int age = 0; age < epochs; age++) {
		const struct flow own = part_of(c, m, age);

		set_part(c, m, age,
			&(struct flow){sum_within(own.lost, f->lost, m->most),
				sum_within(own.gained, f->gained, now)});
	}
}

void crowd_measured(struct crowd *c, struct crowd_member *m, uint32_t shared, uint64_t now_ns)
{
	unsigned int epochs;

	/* Else what is noticed after it might be of an epoch before it. */
	crowd_begin(c, now_ns);
	epochs = bring_up(c, m);
	m->others = flow_crowd_less(c->ever, m->ever);
	for (unsigned int age = 0; age < epochs; age++) {
		const struct flow own = part_of(c, m, age);

		set_part(c, m, age, &(struct flow){own.lost, sum_within(own.gained, 0, shared)});
	}
}

void crowd_end(struct crowd *c, struct crowd_member *m, uint32_t now, uint64_t since_ns)
{
	const struct flow all = {.lost = now};
	unsigned int epochs = bring_up(c, m);

	crowd_has(m, now);
	flow_crowd_add(&c->ever, &all);
	for (unsigned int age = 0; age < epochs; age++) {
		const struct flow own = part_of(c, m, age);
		struct flow left = {0};

		if (c->epoch - age >= since_ns / CROWD_EPOCH_NS)
			left.lost = sum_within(own.lost, now, m->most);
		set_part(c, m, age, &left);
	}
	*m = (struct crowd_member){0};
}

struct flow_crowd crowd_others(
	const struct crowd *c, const struct crowd_member *m, uint64_t measured_ns)
{
	struct flow_crowd f = flow_crowd_less(flow_crowd_less(c->ever, m->ever), m->others), once;
	uint64_t age = amount_less(c->epoch, measured_ns / CROWD_EPOCH_NS);
	struct flow own;

	if (!(f.losses | f.gains) || age >= CROWD_EPOCHS)
		return f;
	once = c->once[(c->epoch - age) % CROWD_EPOCHS];
	own = part_of(c, m, (unsigned int)age);
	once.flow = flow_less(once.flow, own);
	once.losses -= own.lost != 0;
	once.gains -= own.gained != 0;
	return (struct flow_crowd){
		.flow = {(uint32_t)amount_min(f.flow.lost, once.flow.lost),
			(uint32_t)amount_min(f.flow.gained, once.flow.gained)},
		.losses = (uint32_t)amount_min(f.losses, once.losses),
		.gains = (uint32_t)amount_min(f.gains, once.gains),
	};
}
