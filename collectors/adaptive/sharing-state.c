/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/adaptive/sharing-state.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/saturate.h"
#include "collectors/process/fetch.h"
#include "collectors/workers/maps-read.h"

enum {
	MAPS_PIECE = 1 << 12,
	/* the size (VmSize) of a forked process differs from its parent's by at most this part */
	LIKE_PART = 8,
	UNLIKELY_PART = 7, /* of the doubt by others' files and shmem, 7/8 are unlikely */
	UNLIKELY_OF = 8,
	SHIFT_MIN = 128 << 10, /* bytes */
};

#define TICK_NS (10 * NS_PER_MSEC) /* unit of start times, at 100 a second */

static struct tracked *tracked_of(struct family_member *m)
{
	return (struct tracked *)(void *)((char *)m - offsetof(struct tracked, member));
}

void sharing_state_init(struct sharing_state *s, struct process_reader *reader,
	const struct process_table *table, uint64_t page_bytes)
{
	uint64_t seed;

	/* Early in boot there are no random numbers; this is better than a constant. */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = (uintptr_t)s ^ clock_now_ns(CLOCK_BOOTTIME);
	*s = (struct sharing_state){.reader = reader, .table = table, .page_bytes = page_bytes};
	families_init(&s->families, seed);
	cow_faults_init(&s->faults, &s->families, reader, table, page_bytes);
}

void sharing_state_done(struct sharing_state *s)
{
	families_done(&s->families);
}

static bool is_like(const struct process *p, const struct process *parent)
{
	uint64_t size = p->tracked->seen.size, theirs = parent->tracked->seen.size;

	return saturate_distance(size, theirs) <= theirs / LIKE_PART &&
	       p->name_len == parent->name_len && !memcmp(p->name, parent->name, p->name_len);
}

/* P's parent by pid, if it has relations; NULL: there is none. */
static struct process *parent_by_pid(const struct sharing_state *s, const struct process *p)
{
	struct process *found;

	if (!p->stat.parent)
		return NULL;
	found = process_table_find(s->table, p->stat.parent);
	if (!found || found == p || !found->tracked || found->tracked->relations != TRACKED_RELATED)
		return NULL;
	return found;
}

/*
 * A process that was there before memtallyd may have done anything since its fork: it is no
 * process's child.
 */
struct process *sharing_state_parent(const struct sharing_state *s, const struct process *p,
	uint64_t born_ns, uint64_t previous_ns)
{
	struct process *parent;

	if (!previous_ns || born_ns + TICK_NS < previous_ns)
		return NULL;
	parent = parent_by_pid(s, p);
	return parent && is_like(p, parent) ? parent : NULL;
}

void sharing_state_born(
	struct sharing_state *s, struct process *p, struct process *parent, uint64_t born_ns)
{
	struct tracked *t = p->tracked;

	t->member = (struct family_member){0};
	t->relations = TRACKED_RELATED;
	t->is_cut = false;
	/* If there is no memory, it has no family until it is measured. */
	(void)families_born(
		&s->families, &t->member, parent ? &parent->tracked->member : NULL, born_ns);
	families_moved(&t->member, 0, t->seen.shared * s->page_bytes);
}

void sharing_state_ended(struct sharing_state *s, struct tracked *t, bool is_exec)
{
	tracked_drop_doubt(t);
	if (t->relations != TRACKED_RELATED)
		return;
	if (is_exec)
		families_executed(&s->families, &t->member);
	else
		families_gone(&s->families, &t->member);
	t->relations = is_exec ? TRACKED_RELATED : TRACKED_ALONE;
}

/*
 * Reads P's maps. Without them no mapped object of P is known, and no sharers of it; if they are
 * cut, none above the cut.
 */
static void sharing_state_map(struct sharing_state *s, struct process *p)
{
	AUTO_STREAM struct stream stream = STREAM_CLOSED;
	struct maps_object object[MAPS_OBJECTS];
	struct maps_parser parser;
	uint64_t begin_ns;
	size_t count;
	int e;

	if (process_open_stream(s->reader, p, true, &stream) < 0)
		return;
	begin_ns = fetch_begin_reads(s->reader, p);
	e = maps_read(&stream, s->reader->text, MAPS_PIECE, s->reader->procfs->fd, &parser);
	fetch_end_reads(s->reader, p, begin_ns);
	fetch_note_stream(s->reader, p, FETCH_MAPS, e);
	if (e < 0 || parser.start != p->range_start || maps_parser_end(&parser, object, &count) < 0)
		return;
	p->tracked->is_cut = e == MAPS_CUT;
	(void)families_mapped(&s->families, &p->tracked->member, object, count, &p->tracked->base);
}

/*
 * Whether P and PARENT run the same image. A worker may have been renamed, or have grown, before it
 * was noticed, so that name and size differ. But each exec moves the end of the address range,
 * which is at the vdso above the stack.
 */
static bool has_image_of(const struct process *p, const struct process *parent)
{
	return parent->range_end == p->range_end;
}

/*
 * Returns the memory that P may share outside of its family: with PARENT, which has the same image,
 * and PARENT's sharers.
 */
static struct share_count_outside sharing_state_inherited(
	const struct process *p, const struct process *parent)
{
	const struct tracked *theirs = parent->tracked;
	struct estimate_part anon;
	uint64_t shared, pss;

	if (parent->range_start == p->range_start)
		return theirs->member.outside;
	if (!theirs->has_base)
		return (struct share_count_outside){0};
	if (theirs->member.measured_ns < p->tracked->member.born_ns)
		return (struct share_count_outside){
			.bytes = theirs->base.anon, .others = UINT32_MAX};
	anon = estimate_anon(&theirs->base);
	shared = anon.rss - anon.private_mid;
	pss = anon.pss - anon.private_mid;
	return (struct share_count_outside){
		.bytes = shared, .others = pss ? shared / pss + 1 : UINT32_MAX};
}

/*
 * P, of PARENT's image, was measured: it has written to the private memory that is not growth since
 * its birth.
 */
static void tell_written(
	struct sharing_state *s, const struct process *p, const struct process *parent)
{
	struct estimate_now theirs = tracked_now(parent->tracked, s->page_bytes);
	struct tracked *t = p->tracked;

	if (parent->tracked->has_base)
		families_newborn(&s->families, &t->member,
			saturate_less(estimate_anon(&t->base).private_mid,
				saturate_less(t->base.anon, theirs.anon)));
}

/* P was measured at NOW_NS; its former base was BEFORE (NULL: none). */
static void tell_family(struct sharing_state *s, struct process *p,
	const struct estimate_base *before, uint64_t now_ns)
{
	struct share_count_outside outside = {0};
	const struct process *parent;
	struct tracked *t = p->tracked;
	bool is_first = !t->member.measured_ns;

	tracked_drop_doubt(t);
	if (t->relations != TRACKED_RELATED)
		return;
	parent = parent_by_pid(s, p);
	if (parent && !has_image_of(p, parent))
		parent = NULL;
	if (parent)
		outside = sharing_state_inherited(p, parent);
	families_inherits(&t->member, &outside);
	(void)families_measured(
		&s->families, &t->member, p->range_start, p->range_end, before, &t->base, now_ns);
	/* If there is no memory, PARENT's low bound is too high until it is measured again. */
	if (parent && is_first)
		(void)families_departs(&s->families, &t->member, &parent->tracked->member);
	if (parent)
		tell_written(s, p, parent);
	if (mapped_objects_wants_maps(&t->member.sharer, &t->base))
		sharing_state_map(s, p);
}

void sharing_state_fell(struct tracked *t, const struct estimate *before)
{
	struct estimate_part anon, file;
	uint64_t below, fell_anon, fell_file;

	estimate_parts(&t->base, &anon, &file);
	/* Bounds of anonymous memory allow only for known events, in a family. Bounds of files are
	 * wide because of what unknown sharers may do, and do not say that they did. */
	below = saturate_less(before->low, anon.pss + file.pss);
	fell_anon = saturate_less(before->pss_anon, anon.pss);
	fell_file = saturate_less(before->pss_file + before->pss_shmem, file.pss);
	fell_anon = saturate_min(fell_anon, below);
	t->fell_anon_kib = saturate_u32((fell_anon + 1023) / 1024);
	t->fell_file_kib = saturate_u32((fell_file + 1023) / 1024);
}

void sharing_state_measured(
	struct sharing_state *s, struct process *p, const struct sharing_state_finding *f)
{
	struct tracked *t = p->tracked;
	bool wrote;

	assert(t->has_base && f->walked && (f->expected || !f->before));
	wrote = f->before && cow_faults_found(&s->faults, p, f->walked, f->expected, f->now_ns);
	tell_family(s, p, wrote ? NULL : f->before, f->now_ns);
	if (t->relations == TRACKED_RELATED) /* counters may have moved since the walk's result */
		mapped_objects_since(
			&t->member.sharer, t->base.file, t->seen.shared * s->page_bytes);
	if (f->before)
		sharing_state_fell(t, f->expected);
	cow_faults_measured(&s->faults, p, f->walked, f->max_age_ns);
}

void sharing_state_first_measured(struct sharing_state *s, struct process *p)
{
	tell_family(s, p, NULL, p->tracked->measured_ns);
}

void sharing_state_unmeasured(struct tracked *t)
{
	tracked_drop_doubt(t);
	t->has_base = false;
	t->watch = TRACKED_UNCOUNTED;
	t->broken_kib = t->unsure = t->fell_anon_kib = t->fell_file_kib = 0;
	if (t->relations == TRACKED_RELATED)
		families_unmeasured(&t->member);
}

void sharing_state_leaves(struct sharing_state *s, struct tracked *t)
{
	sharing_state_unmeasured(t);
	if (t->relations == TRACKED_RELATED)
		families_leaves(&s->families, &t->member);
}

void sharing_state_renew(struct sharing_state *s)
{
	struct family_member *m;

	while ((m = families_affected(&s->families))) {
		struct tracked *t = tracked_of(m);
		struct estimate_now now = tracked_now(t, s->page_bytes);
		struct estimate_doubt doubt;

		if (!t->has_base)
			continue;
		if (!families_doubt(m, &t->base, &now, &doubt)) {
			tracked_drop_doubt(t);
			continue;
		}
		if (!t->doubt)
			t->doubt = malloc(sizeof(*t->doubt));
		if (t->doubt) /* else its bounds are too narrow until it is measured again */
			*t->doubt = doubt;
	}
}

void sharing_state_end_polls(struct sharing_state *s, uint64_t now_ns, uint64_t interval_ns,
	uint64_t max_age_ns, uint64_t available_ns)
{
	families_polled(&s->families, now_ns);
	cow_faults_look(&s->faults, interval_ns, max_age_ns, available_ns);
	sharing_state_renew(s);
}

void sharing_state_end_brief_polls(struct sharing_state *s, uint64_t now_ns)
{
	families_polled(&s->families, now_ns);
}

/*
 * Returns the part of T's shared memory that equals the part of its family that was born or has
 * exited.
 */
static uint64_t sharing_state_turnover(const struct tracked *t)
{
	uint64_t shared = saturate_less(estimate_base_pss(&t->base), t->base.uss);
	uint64_t dead = saturate_less(t->member.then, t->member.kept), born = t->member.fresh;

	return saturate_part(shared, dead + born, t->member.then + born);
}

uint64_t sharing_state_likely(const struct tracked *t)
{
	const struct estimate_doubt *d = t->has_base ? t->doubt : NULL;

	return d ? saturate_add(sharing_state_turnover(t),
			   saturate_size(d->anon_mid) + saturate_size(d->file_mid))
	         : 0;
}

/* Effects of other processes on T's files and shmem, apart from its own movements. */
static bool sharing_state_others_doubt(const struct tracked *t, struct estimate_doubt *ret)
{
	const struct estimate_now still = {t->base.anon, t->base.file, t->base.swap};

	return t->has_base && t->relations == TRACKED_RELATED &&
	       families_stirred(&t->member, &t->base, &still, ret);
}

uint64_t sharing_state_stirred(const struct tracked *t)
{
	struct estimate_doubt d;

	if (!sharing_state_others_doubt(t, &d))
		return 0;
	return saturate_less(saturate_max(d.file_down, d.file_up) / UNLIKELY_OF * UNLIKELY_PART,
		2 * saturate_size(d.file_mid));
}

uint64_t sharing_state_unsettled(const struct tracked *t)
{
	if (!t->has_base || t->relations != TRACKED_RELATED)
		return 0;
	return families_unconfirmed(&t->member, &t->base);
}

bool sharing_state_shifted(const struct tracked *t)
{
	struct estimate_doubt d;

	return sharing_state_others_doubt(t, &d) && saturate_size(d.file_mid) >= SHIFT_MIN;
}

uint64_t sharing_state_strayed(const struct tracked *t, uint64_t page_bytes)
{
	struct estimate_now now = tracked_now(t, page_bytes);

	if (!t->has_base || t->relations != TRACKED_RELATED)
		return 0;
	return mapped_objects_stray(&t->member.sharer, &t->base, &now);
}

const struct tracked *sharing_state_speaker(const struct tracked *t)
{
	struct family_member *m = t->relations == TRACKED_RELATED ? families_speaker(&t->member)
	                                                          : NULL;

	return m && tracked_of(m)->has_base ? tracked_of(m) : NULL;
}

bool sharing_state_estimate(const struct tracked *t, uint64_t page_bytes,
	const struct estimate_doubt *more, struct estimate *ret, const struct tracked **ret_speaker)
{
	struct estimate_now now = tracked_now(t, page_bytes), theirs;
	struct estimate_doubt doubt = {0};
	const struct tracked *speaker = t;
	struct estimate_doubt stirred;

	theirs = now;
	if (!t->has_base) {
		speaker = sharing_state_speaker(t);
		if (!speaker)
			return false;
		theirs = tracked_now(speaker, page_bytes);
		families_borrow(
			&t->member, &speaker->member, &speaker->base, &theirs, &now, &doubt);
	} else if (t->doubt) {
		doubt = *t->doubt;
	}
	if (speaker->relations == TRACKED_RELATED &&
		families_stirred(&speaker->member, &speaker->base, &theirs, &stirred))
		estimate_doubt_add(&doubt, &stirred);
	doubt.anon_down = saturate_add(doubt.anon_down, speaker->unsure);
	doubt.anon_up = saturate_add(doubt.anon_up, sharing_state_unsettled(speaker));
	doubt.anon_up = saturate_add(
		doubt.anon_up, speaker->unsure + speaker->fell_anon_kib * UINT64_C(1024));
	doubt.file_up = saturate_add(doubt.file_up, speaker->fell_file_kib * UINT64_C(1024));
	/* Copies that other members may have made are no reason to measure T before those. */
	doubt.anon_up = saturate_add(doubt.anon_up, cow_faults_suspected(t));
	if (more)
		estimate_doubt_add(&doubt, more);
	estimate_carry(&speaker->base, &now, &doubt, ret);
	if (ret_speaker)
		*ret_speaker = speaker;
	return true;
}
