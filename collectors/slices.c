/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/slices.h"

#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"

enum {
	/*
	 * seq_file stops at the first mapping whose text reaches this: one or two of them, each of 700 bytes. What of it
	 * does not fit comes with the next read(), but all of it was walked in the one in which it begins.
	 */
	SMAPS_PIECE = 1024,
	MAPS_PIECE = 4096,
};

void slices_init(struct slices *s)
{
	*s = (struct slices){.fd = -1};
}

void slices_done(struct slices *s)
{
	slices_drop(s);
	smaps_parser_done(&s->parser);
}

void slices_drop(struct slices *s)
{
	s->fd = fd_close(s->fd);
	s->process = NULL;
}

/* No walk: what the look found stays, but that it is no measurement. */
static int fail(struct slices *s, int error, struct sample *ret)
{
	slices_drop(s);
	if (error == -ENOMEM)
		return error;
	ret->outcome = error == -EACCES || error == -EPERM ? OUTCOME_DENIED
	               : error == -ESRCH                   ? OUTCOME_CHANGING
	               : error == -EBADMSG                 ? OUTCOME_MALFORMED
	                                                   : OUTCOME_ERROR;
	return 0;
}

/* Opens FILE of P. 0 or what process_open() says. */
static int open_file(
	struct slices *s, struct process_reader *r, struct process *p, const char *file)
{
	int fd = process_open(r, p, file);

	if (fd < 0)
		return fd;
	s->fd = fd;
	return 0;
}

static int begin_smaps(
	struct slices *s, struct process_reader *r, struct process *p, struct sample *ret)
{
	int e = open_file(s, r, p, "smaps");

	if (e < 0)
		return fail(s, e, ret);
	s->process = p;
	s->is_mapping = false;
	s->begun_ns = clock_now_ns(CLOCK_BOOTTIME);
	smaps_parser_init(&s->parser);
	return 0;
}

int slices_begin(struct slices *s, struct process_reader *r, struct process *p, bool with_maps,
	uint64_t now_ns, struct sample *ret)
{
	int e = process_look(r, p, now_ns, ret);

	slices_drop(s);
	if (e < 0 || ret->outcome != OUTCOME_MEASURED)
		return e;
	s->count = s->largest_rss = s->largest_ns = 0;
	/* Whose maps are refused may show smaps all the same, or says why not. */
	if (!with_maps || open_file(s, r, p, "maps") < 0)
		return begin_smaps(s, r, p, ret);
	s->process = p;
	s->is_mapping = true;
	maps_parser_init(&s->maps);
	return 0;
}

uint64_t slices_largest(const struct slices *s)
{
	return s->maps.largest;
}

int slices_walk(struct slices *s, struct process_reader *r, struct sample *ret)
{
	struct process *p = s->process;

	s->fd = fd_close(s->fd);
	*ret = (struct sample){.is_member = p->known};
	process_fill_owners(r, p, ret);
	return begin_smaps(s, r, p, ret);
}

/*
 * Of the mappings that are over now, the first BEGUN had begun before the piece of PIECE_NS: that a mapping is over shows where
 * the next begins, which may be after a pause.
 */
static void note_largest(struct slices *s, uint64_t begun, uint64_t piece_ns)
{
	if (s->parser.largest_rss <= s->largest_rss)
		return;
	s->largest_rss = s->parser.largest_rss;
	s->largest_ns = s->parser.largest_at > begun ? piece_ns : s->begun_ns;
}

/* TEXT of smaps was read, and walked, at PIECE_NS. */
static int feed(struct slices *s, const char *text, size_t len, uint64_t piece_ns)
{
	uint64_t begun = smaps_parser_begun(&s->parser);
	int e = smaps_parser_feed(&s->parser, text, len);

	note_largest(s, begun, piece_ns);
	if (smaps_parser_begun(&s->parser) > begun)
		s->begun_ns = piece_ns;
	return e;
}

/* The end of the text, or of the process: process_take() finds out. */
static int end(struct slices *s, struct process_reader *r, uint64_t now_ns, struct sample *ret)
{
	struct process *p = s->process;
	struct smaps walked;
	int e = smaps_parser_end(&s->parser, &walked);

	note_largest(s, s->parser.sum.mappings, s->begun_ns);
	slices_drop(s);
	if (e == 0)
		return process_take(r, p, now_ns, &walked, ret);
	/* Cut off within a line, or empty: of a live process that would be malformed. */
	e = process_look(r, p, now_ns, ret);
	if (e == 0 && ret->outcome == OUTCOME_MEASURED)
		ret->outcome = ret->is_new_image ? OUTCOME_CHANGING : OUTCOME_MALFORMED;
	return e;
}

/* One read(). 1: there may be more; 0: that was the end; or an error of read or of the parser. */
static int read_piece(struct slices *s)
{
	uint64_t begin_ns = s->is_mapping ? 0 : clock_now_ns(CLOCK_BOOTTIME), took_ns;
	char text[MAPS_PIECE];
	ssize_t n;
	int e;

	do
		n = read(s->fd, text, s->is_mapping ? MAPS_PIECE : SMAPS_PIECE);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n == 0 || errno == ESRCH ? 0 : -errno;
	if (s->is_mapping) {
		e = maps_parser_feed(&s->maps, text, (size_t)n);
	} else {
		took_ns = clock_now_ns(CLOCK_BOOTTIME) - begin_ns;
		e = feed(s, text, (size_t)n, begin_ns + took_ns / 2);
	}
	return e < 0 ? e : 1;
}

int slices_step(struct slices *s, struct process_reader *r, uint64_t slice_ns, uint64_t now_ns,
	struct sample *ret)
{
	uint64_t begin_ns = clock_now_ns(CLOCK_MONOTONIC), took_ns;
	bool is_empty = true;
	int e;

	s->count++;
	do {
		e = read_piece(s);
		is_empty = is_empty && e <= 0;
		took_ns = clock_now_ns(CLOCK_MONOTONIC) - begin_ns;
	} while (e > 0 && took_ns < slice_ns);
	if (!s->is_mapping && !is_empty)
		holds_add(&r->holds, took_ns);
	if (e > 0)
		return SLICES_MORE;
	if (s->is_mapping) {
		if (e < 0)
			s->maps.largest = 0;
		return SLICES_MAPPED;
	}
	if (e == 0)
		return end(s, r, now_ns, ret);
	*ret = (struct sample){.is_member = s->process->known};
	process_fill_owners(r, s->process, ret);
	return fail(s, e, ret);
}
