/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/rows/amounts.h"

#include "base/cleanup.h"
#include "base/saturate.h"
#include "cli/table/note.h"
#include "snapshot/sums.h"

#define BIT(i) (UINT32_C(1) << (i))

static void amounts_set(struct amounts *a, enum amount i, uint64_t value)
{
	a->q[i] = value;
	a->present |= BIT(i);
}

/* Quantities of a process, and of a row of sums, with the amount that they become. */
static const struct {
	enum amount amount;
	enum process_quantity process;
	enum scope_quantity scope;
} copied[] = {
	{AMOUNT_PSS, PROCESS_PSS, SCOPE_PSS},
	{AMOUNT_PSS_LOW, PROCESS_PSS_LOW, SCOPE_PSS_LOW},
	{AMOUNT_PSS_HIGH, PROCESS_PSS_HIGH, SCOPE_PSS_HIGH},
	{AMOUNT_USS, PROCESS_USS, SCOPE_USS},
	{AMOUNT_RSS, PROCESS_RSS, SCOPE_RSS},
	{AMOUNT_SWAP, PROCESS_SWAP_PSS, SCOPE_SWAP_PSS},
};

static bool is_unmeasured(const struct snapshot_process *row)
{
	for (size_t i = 0; i < SUMS_REASONS; i++)
		if (sums_reason(i)->outcome == (enum process_outcome)row->outcome)
			return true;
	return false;
}

void amounts_of_process(const struct snapshot_process *row, struct amounts *ret)
{
	*ret = (struct amounts){0};
	amounts_set(ret, AMOUNT_PROCESSES, 1);
	amounts_set(ret, AMOUNT_UNMEASURED, is_unmeasured(row));
	amounts_set(ret, AMOUNT_GUESSED, 0);
	if (row->outcome == OUTCOME_SHARED_MM) {
		ret->is_elsewhere = true;
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(copied); i++)
		if (ROW_HAS(row, copied[i].process))
			amounts_set(ret, copied[i].amount, row->q[copied[i].process]);
	/* Without a PSS it is at most the RSS. */
	if (!(ret->present & BIT(AMOUNT_PSS_HIGH)) && ret->present & BIT(AMOUNT_RSS))
		amounts_set(ret, AMOUNT_PSS_HIGH, ret->q[AMOUNT_RSS]);
	ret->is_unbounded = !(ret->present & BIT(AMOUNT_PSS_HIGH));
	if (!(ret->present & BIT(AMOUNT_PSS)))
		return;
	ret->lacks_uss = !(ret->present & BIT(AMOUNT_USS));
	amounts_set(ret, AMOUNT_ESTIMATED, row->source == SOURCE_ESTIMATE ? ret->q[AMOUNT_PSS] : 0);
	amounts_set(ret, AMOUNT_GUESSED, snapshot_is_guess(row));
}

void amounts_of_sums(uint64_t present, const uint64_t *q, struct amounts *ret)
{
	*ret = (struct amounts){0};
	for (size_t i = 0; i < ARRAY_SIZE(copied); i++)
		if (present >> copied[i].scope & 1)
			amounts_set(ret, copied[i].amount, q[copied[i].scope]);
	if (present >> SCOPE_PROCESSES & 1)
		amounts_set(ret, AMOUNT_PROCESSES, q[SCOPE_PROCESSES]);
	if (present >> SCOPE_PSS_ESTIMATED & 1)
		amounts_set(ret, AMOUNT_ESTIMATED, q[SCOPE_PSS_ESTIMATED]);
	amounts_set(ret, AMOUNT_GUESSED, present >> SCOPE_GUESSED & 1 ? q[SCOPE_GUESSED] : 0);
	amounts_set(ret, AMOUNT_UNMEASURED, sums_unmeasured(present, q));
	ret->is_unbounded = !(present >> SCOPE_PSS_HIGH & 1);
	ret->lacks_uss = present >> SCOPE_PSS & 1 && !(present >> SCOPE_USS & 1);
}

void amounts_begin(struct amounts *ret)
{
	*ret = (struct amounts){0};
}

void amounts_add(struct amounts *to, const struct amounts *from)
{
	for (unsigned int i = 0; i < AMOUNTS; i++)
		if (from->is_elsewhere || from->present & BIT(i))
			amounts_set(to, (enum amount)i,
				saturate_min(saturate_add(to->q[i], from->q[i]), INT64_MAX));
	to->lacks_uss |= from->lacks_uss;
	to->is_unbounded |= from->is_unbounded;
}

void amounts_end(struct amounts *a, const struct snapshot_scope *host)
{
	uint64_t most = host->q[SCOPE_PSS_HIGH];

	if (!a->q[AMOUNT_PROCESSES])
		a->present = BIT(AMOUNTS) - 1;
	if (a->is_unbounded)
		a->present &= ~BIT(AMOUNT_PSS_HIGH);
	if (a->lacks_uss)
		a->present &= ~BIT(AMOUNT_USS);
	if (ROW_HAS(host, SCOPE_PSS_HIGH) && a->q[AMOUNT_PSS_HIGH] > most)
		a->q[AMOUNT_PSS_HIGH] = saturate_max(most, a->q[AMOUNT_PSS]);
}

bool amounts_get(const struct amounts *a, enum amount i, uint64_t *ret)
{
	uint32_t both = BIT(AMOUNT_PSS) | BIT(AMOUNT_SWAP);

	if (i == AMOUNT_PSS_SWAP) {
		if ((a->present & both) != both)
			return false;
		*ret = saturate_add(a->q[AMOUNT_PSS], a->q[AMOUNT_SWAP]);
		return true;
	}
	if (!(a->present >> i & 1))
		return false;
	*ret = a->q[i];
	return true;
}

enum amounts_doubt amounts_doubt(const struct amounts *a, uint64_t *ret)
{
	uint64_t pss, q[SCOPE_QUANTITIES];
	struct note note;

	*ret = 0;
	if (!amounts_get(a, AMOUNT_PSS, &pss))
		return AMOUNTS_EXACT;
	if (a->is_unbounded)
		return AMOUNTS_AT_LEAST;
	q[SCOPE_PSS] = pss;
	q[SCOPE_PSS_LOW] = a->q[AMOUNT_PSS_LOW];
	q[SCOPE_PSS_HIGH] = a->q[AMOUNT_PSS_HIGH];
	q[SCOPE_PROCESSES] = a->q[AMOUNT_PROCESSES];
	note_of_sums(UINT64_C(1) << SCOPE_PSS | UINT64_C(1) << SCOPE_PSS_LOW |
			     UINT64_C(1) << SCOPE_PSS_HIGH | UINT64_C(1) << SCOPE_PROCESSES,
		q, &note);
	if (!note.is_wide)
		return AMOUNTS_EXACT;
	*ret = saturate_max(
		saturate_less(note.high_bytes, pss), saturate_less(pss, note.low_bytes));
	if (*ret <= pss)
		return AMOUNTS_BETWEEN;
	*ret = note.high_bytes;
	return AMOUNTS_UP_TO;
}
