/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes a sample of a process with an open directory. For a known image, the common case, one
 * reading of status and one walk suffice. Otherwise stat is read, too (process-image.h).
 */
#include "config.h"

#include "collectors/process/process-private.h"

#include <errno.h>
#include <string.h>

#include "collectors/process/fetch.h"
#include "collectors/process/process-image.h"
#include "collectors/process/process-reading.h"

void process_fill_owners(
	const struct process_reader *r, const struct process *p, struct sample *ret)
{
	bool by_real = r->user_by == ACCOUNTING_REAL;

	ret->uid = p->uid;
	ret->gid = p->gid;
	ret->user = by_real ? p->ruid : p->uid;
	ret->group = by_real ? p->rgid : p->gid;
	if (r->user_by == ACCOUNTING_LOGIN)
		ret->user = p->loginuid;
}

/* Returns the outcome for an error of open or read below a live /proc/PID. */
static enum process_outcome process_outcome_of(int error)
{
	switch (error) {
	case -ENOENT:
	case -ESRCH: return OUTCOME_GONE;
	case -EACCES:
	case -EPERM: return OUTCOME_DENIED;
	case -EBADMSG: return OUTCOME_MALFORMED;
	case -ETIMEDOUT: return OUTCOME_BLOCKED;
	default: return OUTCOME_ERROR;
	}
}

/*
 * smaps does not print parts. Kernels without smaps_rollup never print them, so there they stay a
 * guess.
 */
static void process_fill_parts(const struct process_reading *g, struct sample *ret)
{
	const uint64_t *shmem = ROW_HAS(ret, PROCESS_RSS_SHMEM) ? &ret->q[PROCESS_RSS_SHMEM] : NULL;
	struct pss_split_found found;
	enum pss_split_quality quality = pss_split_solve(
		&g->smaps.parts, shmem, smaps_rounding(&g->smaps), &found);

	if (quality == PSS_SPLIT_NONE)
		return;
	ret->q[PROCESS_PSS_ANON] = found.anon;
	ret->q[PROCESS_PSS_FILE] = found.file;
	ret->q[PROCESS_PSS_SHMEM] = found.shmem;
	ret->guesses_parts = quality == PSS_SPLIT_GUESSED || !g->walked;
	if (!ret->guesses_parts)
		ret->present |= SAMPLE_PARTS;
}

static void process_fill(const struct process_reading *g, struct sample *ret)
{
	struct process *p = g->process;
	const struct procfs *procfs = g->reader->procfs;

	if (g->status.parent >= 0) /* stat was read before, perhaps in an earlier pass */
		p->stat.parent = g->status.parent;
	ret->is_member = true;
	process_fill_owners(g->reader, p, ret);
	ret->present = g->status.present;
	memcpy(ret->q, g->status.q, sizeof(ret->q));
	ret->threads = g->status.threads;
	if (p->has_stat && procfs->boot_realtime_ns &&
		p->stat.start_ticks <= (INT64_MAX - procfs->boot_realtime_ns) / procfs->ns_per_tick)
		ROW_SET(ret, PROCESS_START_TIME,
			procfs->boot_realtime_ns + p->stat.start_ticks * procfs->ns_per_tick);
	if (g->error == 0) {
		smaps_store(&g->smaps, &ret->present, ret->q);
		ret->huge_bytes = smaps_huge_bytes(&g->smaps);
		ret->anon_bytes = (g->smaps.present >> SMAPS_ANONYMOUS) & 1
		                          ? g->smaps.q[SMAPS_ANONYMOUS]
		                          : UINT64_MAX;
		ret->rounding = smaps_rounding(&g->smaps);
	}
	if (g->error == 0 && g->source == SOURCE_SMAPS) {
		ret->mappings = (uint32_t)g->smaps.mappings;
		process_fill_parts(g, ret);
	}
	ret->source = g->source;
	ret->outcome = g->error == 0 || g->looks ? OUTCOME_MEASURED : process_outcome_of(g->error);
	if (g->error == -ENOENT) /* a kernel without CONFIG_PROC_PAGE_MONITOR has neither file */
		ret->outcome = OUTCOME_ERROR;
}

void process_forget(struct process *p)
{
	int dirfd = p->dirfd, file_fd = p->file_fd;
	struct block block = p->block;
	struct last_measured *last = p->last;
	struct activity *activity = p->activity;
	/* Its owner finds out by the next sample that it is void. */
	struct tracked *tracked = p->tracked;

	process_init(p, p->pid);
	p->dirfd = dirfd;
	p->file_fd = file_fd;
	p->tracked = tracked;
	p->block = block;
	p->last = last;
	p->activity = activity;
}

int process_fail(const struct process_reading *g, int error, struct sample *ret)
{
	ret->outcome = process_outcome_of(error);
	ret->source = SOURCE_NONE;
	ret->is_member = g->process->known && ret->outcome != OUTCOME_GONE;
	process_fill_owners(g->reader, g->process, ret);
	return error == -ENOMEM ? error : 0;
}

static int end_sample(struct process_reading *g, bool changed, uint64_t now_ns, struct sample *ret)
{
	struct process_reader *r = g->reader;
	int e = changed ? process_reading_program(g, ret) : 0;

	if (e == 0 && (changed || process_cgroup_is_due(r, g->process, now_ns))) {
		e = process_reading_cgroup(g, now_ns, ret);
		/* with the login UID, which was read with the cgroup */
		process_fill_owners(r, g->process, ret);
	}
	/* The change was not reported: the next sample must report it again. */
	if (e < 0 && changed)
		g->process->known = false;
	return e;
}

/*
 * Fills in RET for a process without memory, and forgets its image. The kernel has freed a zombie's
 * memory already. Returns 0.
 */
static int end_without_memory(const struct process_reading *g, struct sample *ret)
{
	ret->outcome = OUTCOME_NO_MM;
	ret->is_exiting = g->status.state && g->status.state != 'Z' && g->status.state != 'X';
	process_forget(g->process);
	return 0;
}

/* The slow way, for processes that are new, have changed, or need a guard. */
static int sample_changed(struct process_reading *g, uint64_t now_ns, struct sample *ret)
{
	struct process *p = g->process;
	struct stat_info stat = {0};
	bool has_stat = false, is_changing, is_steady;
	int e = process_image_guard(g, &stat, &has_stat);

	if (e < 0)
		return process_fail(g, e, ret);
	if (e == OUTCOME_NO_MM)
		return end_without_memory(g, ret);
	is_changing = e == OUTCOME_CHANGING;
	if (is_changing)
		g->error = -ESRCH; /* the counters are of one image, the walk perhaps of another */
	is_steady = process_image_is_same(g) && (p->looked || process_image_is_same_walk(g));
	process_image_adopt(g, &stat, has_stat, ret);
	p->looked = p->looked || (g->looks && ret->is_new_image);
	process_image_adopt_range(g);
	process_fill(g, ret);
	e = end_sample(g, !is_steady || ret->is_new_image, now_ns, ret);
	if (is_changing) {
		ret->outcome = OUTCOME_CHANGING;
		ret->source = ROW_HAS(ret, PROCESS_RSS) ? SOURCE_RSS : SOURCE_NONE;
		p->known = false;
	}
	return e;
}

int process_sample(struct process_reading *g, uint64_t now_ns, struct sample *ret)
{
	struct process *p = g->process;
	int e;

	if (!p->known || ((p->by_smaps || p->looked) && !g->looks))
		return sample_changed(g, now_ns, ret);
	e = process_reading_counters(g);
	if (e < 0)
		return process_fail(g, e, ret);
	if (e == OUTCOME_NO_MM)
		return end_without_memory(g, ret);
	if (e == OUTCOME_CHANGING || !process_image_is_same(g)) {
		fetch_forget(g->reader, p); /* an announced walk may be of the former image */
		return sample_changed(g, now_ns, ret);
	}
	process_reading_walk(g);
	if (g->looks ? !g->trusts : !process_image_is_same_size(g)) {
		bool is_known = false;

		e = process_image_is_known_look(g, &is_known);
		if (e < 0)
			return process_fail(g, e, ret);
		if (!is_known)
			return sample_changed(g, now_ns, ret);
	}
	/* smaps can be cut short without an error, and only a guarded reading notices. */
	if (!process_image_is_same_walk(g) || g->source == SOURCE_SMAPS)
		return sample_changed(g, now_ns, ret);
	process_image_adopt_range(g);
	process_fill(g, ret);
	return end_sample(g, false, now_ns, ret);
}
