/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/adaptive/smaps-slices.h"

#include <errno.h>

#include "base/clock.h"
#include "collectors/process/fetch.h"

enum {
	/*
	 * seq_file stops at the first mapping with a text that reaches this size: after one or two
	 * mappings, each of 700 bytes. The rest of that text comes with the next read(), but the
	 * whole mapping is walked in the read() in which its text begins.
	 */
	SMAPS_PIECE = 1024,
	MAPS_PIECE = 4096,
};

void smaps_slices_init(struct smaps_slices *s)
{
	*s = (struct smaps_slices){.stream = STREAM_CLOSED};
}

void smaps_slices_done(struct smaps_slices *s)
{
	smaps_slices_drop(s);
	smaps_parser_done(&s->parser);
}

void smaps_slices_drop(struct smaps_slices *s)
{
	stream_close(&s->stream);
	s->process = NULL;
}

/* Ends the walk with the outcome for ERROR. The counters from the look stay in RET. */
static int smaps_slices_fail(struct smaps_slices *s, int error, struct sample *ret)
{
	smaps_slices_drop(s);
	if (error == -ENOMEM)
		return error;
	ret->outcome = error == -EACCES || error == -EPERM ? OUTCOME_DENIED
	               : error == -ESRCH                   ? OUTCOME_CHANGING
	               : error == -EBADMSG                 ? OUTCOME_MALFORMED
	               : error == -ETIMEDOUT               ? OUTCOME_BLOCKED
	                                                   : OUTCOME_ERROR;
	return 0;
}

static int smaps_slices_begin_smaps(
	struct smaps_slices *s, struct process_reader *r, struct process *p, struct sample *ret)
{
	int e = process_open_stream(r, p, false, &s->stream);

	if (e < 0)
		return smaps_slices_fail(s, e, ret);
	s->process = p;
	s->is_mapping = false;
	s->largest_rss = 0;
	smaps_parser_init(&s->parser);
	return 0;
}

/* Opens the maps of P. If they are refused, opens its smaps, which may be readable nevertheless. */
static int begin_maps(
	struct smaps_slices *s, struct process_reader *r, struct process *p, struct sample *ret)
{
	if (process_open_stream(r, p, true, &s->stream) < 0)
		return smaps_slices_begin_smaps(s, r, p, ret);
	s->process = p;
	s->is_mapping = true;
	maps_parser_init(&s->maps);
	return 0;
}

int smaps_slices_begin(struct smaps_slices *s, struct process_reader *r, struct process *p,
	bool with_maps, uint64_t now_ns, struct sample *ret)
{
	int e;

	process_announce(r, p, true);
	e = process_look(r, p, now_ns, ret);
	smaps_slices_drop(s);
	if (e < 0 || ret->outcome != OUTCOME_MEASURED)
		return e;
	s->count = s->losses = 0;
	return with_maps ? begin_maps(s, r, p, ret) : smaps_slices_begin_smaps(s, r, p, ret);
}

uint64_t smaps_slices_largest(const struct smaps_slices *s)
{
	return s->maps.largest;
}

/* Fills in RET for a walk that fails without a look at P. */
static void fill_unlooked(
	const struct process_reader *r, const struct process *p, struct sample *ret)
{
	*ret = (struct sample){.is_member = p->known};
	process_fill_owners(r, p, ret);
}

int smaps_slices_walk(struct smaps_slices *s, struct process_reader *r, struct sample *ret)
{
	struct process *p = s->process;

	stream_close(&s->stream);
	fill_unlooked(r, p, ret);
	return smaps_slices_begin_smaps(s, r, p, ret);
}

int smaps_slices_again(struct smaps_slices *s, struct process_reader *r, struct sample *ret)
{
	struct process *p = s->process;

	stream_close(&s->stream);
	fill_unlooked(r, p, ret);
	return s->is_mapping ? begin_maps(s, r, p, ret) : smaps_slices_begin_smaps(s, r, p, ret);
}

/*
 * Drops the walk and looks at its process. The outcome is OUTCOME if the process still has its
 * image.
 */
static int give_up(struct smaps_slices *s, struct process_reader *r, uint64_t now_ns,
	enum process_outcome outcome, struct sample *ret)
{
	struct process *p = s->process;
	int e;

	smaps_slices_drop(s);
	e = process_look(r, p, now_ns, ret);
	if (e == 0 && ret->outcome == OUTCOME_MEASURED)
		ret->outcome = ret->is_new_image ? OUTCOME_CHANGING : outcome;
	return e;
}

/* Ends the walk at the end of the text. process_take() finds out whether the process has exited. */
static int smaps_slices_end(
	struct smaps_slices *s, struct process_reader *r, uint64_t now_ns, struct sample *ret)
{
	struct process *p = s->process;
	struct smaps walked;
	int e = smaps_parser_end(&s->parser, &walked);

	s->largest_rss = s->parser.largest_rss;
	/* cut off within a line, or empty: if the process lives, the text is malformed */
	if (e < 0)
		return give_up(s, r, now_ns, OUTCOME_MALFORMED, ret);
	smaps_slices_drop(s);
	return process_take(r, p, now_ns, &walked, ret);
}

/*
 * Reads one piece; a worker may read more pieces ahead for SLICE_NS. Adds the time of the read() to
 * *TOOK_NS. Returns 1 if there may be more; 0 at the end; or a negative errno of the read or the
 * parser.
 */
static int smaps_slices_read_piece(
	struct smaps_slices *s, struct process_reader *r, uint64_t slice_ns, uint64_t *took_ns)
{
	struct stream_piece piece = {0};
	char text[MAPS_PIECE];
	ssize_t n = fetch_read_stream(r, s->process, s->is_mapping ? FETCH_MAPS : FETCH_SMAPS,
		&s->stream, text, s->is_mapping ? MAPS_PIECE : SMAPS_PIECE, slice_ns, &piece);
	int e;

	if (n <= 0)
		return n == -ESRCH ? 0 : (int)n;
	*took_ns += piece.took_ns;
	if (s->is_mapping)
		e = maps_parser_feed(&s->maps, text, (size_t)n);
	else
		e = smaps_parser_feed(&s->parser, text, (size_t)n);
	return e < 0 ? e : 1;
}

int smaps_slices_step(struct smaps_slices *s, struct process_reader *r, uint64_t slice_ns,
	uint64_t now_ns, struct sample *ret)
{
	uint64_t begin_ns = clock_now_ns(CLOCK_MONOTONIC), took_ns = 0, passed_ns;
	bool is_empty = true;
	int e;

	s->count++;
	do {
		e = smaps_slices_read_piece(s, r, slice_ns, &took_ns);
		is_empty = is_empty && e <= 0;
		passed_ns = clock_now_ns(CLOCK_MONOTONIC) - begin_ns;
	} while (e > 0 && (stream_has_more(&s->stream) || passed_ns < slice_ns));
	if (!s->is_mapping && !is_empty)
		lock_hold_add(&r->holds, took_ns);
	if (e > 0)
		return SMAPS_SLICES_MORE;
	if (e == -ESTALE)
		return ++s->losses <= SMAPS_SLICES_LOSSES
		               ? SMAPS_SLICES_LOST
		               : give_up(s, r, now_ns, OUTCOME_ERROR, ret);
	if (s->is_mapping) {
		if (e < 0)
			s->maps.largest = 0;
		return SMAPS_SLICES_MAPPED;
	}
	if (e == 0)
		return smaps_slices_end(s, r, now_ns, ret);
	fill_unlooked(r, s->process, ret);
	return smaps_slices_fail(s, e, ret);
}
