/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/adaptive/last-measured.h"

#include <stdlib.h>

#include "base/saturate.h"
#include "collectors/model/estimate.h"

struct last_measured {
	struct estimate_base base;
	uint64_t measured_ns; /* CLOCK_BOOTTIME */
};

void last_measured_drop(struct process *p)
{
	free(p->last);
	p->last = NULL;
}

/* Splits the RSS of a sample or row into anonymous memory and the rest. */
static void last_measured_counters(
	uint64_t present, const uint64_t *q, uint64_t *ret_anon, uint64_t *ret_file)
{
	uint64_t rss = (present >> PROCESS_RSS) & 1 ? q[PROCESS_RSS] : 0;
	uint64_t anon = (present >> PROCESS_RSS_ANON) & 1 ? q[PROCESS_RSS_ANON] : 0;

	*ret_anon = saturate_min(anon, rss);
	*ret_file = rss - *ret_anon;
}

void last_measured_keep(struct process *p, const struct sample *s, uint64_t now_ns)
{
	struct estimate_base base;
	uint64_t anon, file;

	if (s->is_new_image)
		last_measured_drop(p);
	if (s->outcome != OUTCOME_MEASURED)
		return;
	last_measured_counters(s->present, s->q, &anon, &file);
	if (!estimate_base_take(
		    s->present | (s->guesses_parts ? SAMPLE_PARTS : 0), s->q, anon, file, &base))
		return;
	if (!p->last)
		p->last = malloc(sizeof(*p->last));
	if (p->last)
		*p->last = (struct last_measured){.base = base, .measured_ns = now_ns};
}

void last_measured_fill(const struct process *p, struct snapshot_process *row)
{
	struct estimate_now now = {0};
	struct estimate_doubt none = {0};
	struct estimate e;

	if (!p->last || !ROW_HAS(row, PROCESS_RSS))
		return;
	last_measured_counters(row->present, row->q, &now.anon, &now.file);
	now.swap = ROW_HAS(row, PROCESS_VM_SWAP) ? row->q[PROCESS_VM_SWAP] : 0;
	estimate_carry(&p->last->base, &now, &none, &e);
	ROW_SET(row, PROCESS_PSS, e.pss);
	ROW_SET(row, PROCESS_PSS_AGE, p->last->measured_ns);
	if (p->last->base.has_parts) {
		ROW_SET(row, PROCESS_PSS_ANON, e.pss_anon);
		ROW_SET(row, PROCESS_PSS_FILE, e.pss_file);
		ROW_SET(row, PROCESS_PSS_SHMEM, e.pss_shmem);
	}
	if (e.swap_pss != ESTIMATE_UNKNOWN)
		ROW_SET(row, PROCESS_SWAP_PSS, e.swap_pss);
	row->source = SOURCE_ESTIMATE;
	last_measured_widen(row);
}

void last_measured_widen(struct snapshot_process *row)
{
	if (!ROW_HAS(row, PROCESS_PSS))
		return;
	ROW_SET(row, PROCESS_PSS_LOW, 0);
	ROW_SET(row, PROCESS_PSS_HIGH, saturate_max(row->q[PROCESS_RSS], row->q[PROCESS_PSS]));
	row->present &= ~(UINT64_C(1) << PROCESS_USS);
}
