/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/process/process-image.h"

#include <errno.h>
#include <string.h>

enum { SIZE_SLACK_BYTES = 1 << 20 }; /* the kernel counts RSS per CPU and adds it up late */

bool process_image_is_same(const struct process_reading *g)
{
	const struct process *p = g->process;
	const struct status *s = &g->status;

	return p->known && p->uid == s->uid && p->ruid == s->ruid && p->gid == s->gid &&
	       p->rgid == s->rgid && p->name_len == s->name_len &&
	       !memcmp(p->name, s->name, s->name_len);
}

bool process_image_is_same_walk(const struct process_reading *g)
{
	const struct process *p = g->process;

	if (g->error < 0) /* without a walk there is nothing that could be of another image */
		return g->error != -ESRCH;
	return p->measured && p->range_start == g->smaps.range_start &&
	       p->range_end == g->smaps.range_end;
}

bool process_image_is_same_size(const struct process_reading *g)
{
	uint64_t by_status, by_walk, most;

	if (g->error < 0 || !ROW_HAS(&g->status, PROCESS_RSS) ||
		!((g->smaps.present >> SMAPS_RSS) & 1))
		return true;
	by_status = g->status.q[PROCESS_RSS];
	by_walk = g->smaps.q[SMAPS_RSS];
	most = by_status > by_walk ? by_status : by_walk;
	return most - (by_status > by_walk ? by_walk : by_status) <= most / 8 + SIZE_SLACK_BYTES;
}

/*
 * The kernel does not tell a reader without CAP_SYS_PTRACE where text and stack begin, so stat
 * cannot tell images apart. If the reader may walk page tables nevertheless (CAP_PERFMON), two
 * walks must find the same range.
 */
static bool is_same_range_again(struct process_reading *g)
{
	uint64_t start = g->smaps.range_start, end = g->smaps.range_end;

	if (g->walked || g->error < 0 || g->source != SOURCE_ROLLUP)
		return true;
	process_reading_walk(g);
	return g->error == 0 && g->smaps.range_start == start && g->smaps.range_end == end;
}

/*
 * Walks, and compares stat afterwards with BEFORE, if there is a stat. Returns 0, OUTCOME_CHANGING,
 * or an error for which process_reading_is_shortage() is true.
 */
static int walk_guarded(struct process_reading *g, const struct stat_info *before, bool has_stat)
{
	struct stat_info after;
	int e;

	process_reading_walk(g);
	if (g->error == -ESRCH)
		return OUTCOME_CHANGING;
	if (!has_stat)
		return 0;
	e = process_reading_image_stat(g, &after);
	if (process_reading_is_shortage(e))
		return e;
	if (g->is_stat_blocked)
		return 0; /* nothing else can tell now */
	if (e < 0 || !stat_is_same_image(before, &after))
		return OUTCOME_CHANGING;
	return after.start_stack || is_same_range_again(g) ? 0 : OUTCOME_CHANGING;
}

int process_image_guard(struct process_reading *g, struct stat_info *ret, bool *ret_has_stat)
{
	int e = OUTCOME_CHANGING;

	for (int i = 0; e == OUTCOME_CHANGING && i < PROCESS_READING_ATTEMPTS; i++) {
		e = process_reading_image_stat(g, ret);
		if (process_reading_is_shortage(e))
			return e;
		*ret_has_stat = e == 0;
		if (e < 0)
			*ret = (struct stat_info){0}; /* not that of the attempt before */
		e = process_reading_counters(g);
		if (e == 0)
			e = walk_guarded(g, ret, *ret_has_stat);
	}
	return e;
}

/* If stat has no start of the stack (stat.h), name and end of the range identify the image. */
static bool is_known_image(
	const struct process_reading *g, const struct stat_info *stat, bool has_stat)
{
	const struct process *p = g->process;

	/* Without stat a renamed process cannot be told from a new image: it is taken for one. */
	if (!p->known || !has_stat || !p->has_stat || !stat_is_same_image(&p->stat, stat))
		return false;
	if (stat->start_stack)
		return true;
	return process_image_is_same(g) &&
	       (g->error < 0 || !p->measured || p->range_end == g->smaps.range_end);
}

void process_image_adopt(const struct process_reading *g, const struct stat_info *stat,
	bool has_stat, struct sample *ret)
{
	struct process *p = g->process;
	/* While stat is blocked, the known name and user identify the image. */
	bool is_kept = g->is_stat_blocked && process_image_is_same(g);
	bool same = is_kept || is_known_image(g, stat, has_stat);

	if (!same) {
		p->growth = (struct growth){0};
		p->driver = (struct driver_share){0};
		p->naming = NAMING_NEW;
		p->mm_is_new = true;
		p->mm_group = 0;
		p->measured = false;
		p->range_start = p->range_end = 0;
		ret->is_new_image = true;
	}
	p->known = true;
	if (!is_kept) {
		if (!has_stat || stat->start_ticks != p->stat.start_ticks)
			p->start_is_unique = false;
		p->has_stat = has_stat;
		p->stat = *stat;
	}
	memcpy(p->name, g->status.name, sizeof(p->name));
	p->name_len = (uint8_t)g->status.name_len;
	p->uid = g->status.uid;
	p->ruid = g->status.ruid;
	p->gid = g->status.gid;
	p->rgid = g->status.rgid;
}

void process_image_adopt_range(const struct process_reading *g)
{
	struct process *p = g->process;
	bool measured = g->error == 0;

	if (g->looks || g->error == -ETIMEDOUT)
		return;
	p->looked = false;
	p->by_smaps = measured && g->source == SOURCE_SMAPS;
	if (p->measured == measured && (!measured || (p->range_start == g->smaps.range_start &&
							     p->range_end == g->smaps.range_end)))
		return;
	/*
	 * A process that was never measured has been compared at the place that stat has, or shares
	 * its parent's memory (shared_mm_is_one()).
	 */
	if (p->measured)
		p->mm_group = 0;
	if (p->measured || !p->stat.start_stack)
		p->mm_is_new = true;
	p->measured = measured;
	p->range_start = measured ? g->smaps.range_start : 0;
	p->range_end = measured ? g->smaps.range_end : 0;
}

int process_image_is_known_look(struct process_reading *g, bool *ret)
{
	struct process *p = g->process;
	struct stat_info stat;
	int e = process_reading_image_stat(g, &stat);

	if (process_reading_is_shortage(e))
		return e;
	if (g->is_stat_blocked) {
		*ret = true;
		return 0;
	}
	*ret = e == 0 ? p->has_stat && stat_is_same_image(&p->stat, &stat) : !p->has_stat;
	if (e == 0)
		p->stat.parent = stat.parent;
	return 0;
}
