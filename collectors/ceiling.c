/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/ceiling.h"

#include "collectors/amount.h"

static uint64_t file_of(const struct estimate *e)
{
	return amount_add(e->pss_file, e->pss_shmem);
}

void ceiling_begin(struct ceiling *c)
{
	*c = (struct ceiling){0};
}

void ceiling_add_known(struct ceiling *c, const struct estimate *e)
{
	c->known_anon = amount_add(c->known_anon, e->pss_anon);
	c->known_file = amount_add(c->known_file, file_of(e));
	c->low = amount_add(c->low, e->low);
}

void ceiling_add_guess(struct ceiling *c, const struct estimate *e)
{
	c->anon = amount_add(c->anon, e->pss_anon);
	c->file = amount_add(c->file, file_of(e));
	c->high = amount_max(c->high, e->high);
}

bool ceiling_end(struct ceiling *c, uint64_t anon, uint64_t file)
{
	c->anon_left = amount_less(anon, c->known_anon);
	c->file_left = amount_less(file, c->known_file);
	c->anon_most = anon;
	c->file_most = file;
	c->most = amount_less(amount_add(anon, file), c->low);
	return c->anon > c->anon_left || c->file > c->file_left ||
	       c->high > amount_min(c->most, amount_min(anon, file));
}

/* V, which is one of several that are ALL together, as a part of LEFT. */
static uint64_t part_of(uint64_t v, uint64_t all, uint64_t left)
{
	return all > left ? amount_part(v, left, all) : v;
}

void ceiling_lower(const struct ceiling *c, const struct estimate_now *now, struct estimate *e)
{
	uint64_t high = amount_add(
		amount_min(now->anon, c->anon_most), amount_min(now->file, c->file_most));

	e->pss_anon = part_of(e->pss_anon, c->anon, c->anon_left);
	e->pss_file = part_of(e->pss_file, c->file, c->file_left);
	e->pss_shmem = part_of(e->pss_shmem, c->file, c->file_left);
	e->pss = e->pss_anon + e->pss_file + e->pss_shmem;
	e->low = amount_min(e->low, e->pss);
	e->high = amount_max(amount_min(e->high, amount_min(high, c->most)), e->pss);
	if (e->uss != ESTIMATE_UNKNOWN)
		e->uss = amount_min(e->uss, e->pss);
}
