/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each mapping votes for the load bias that puts it at its place in the file: one vote for each
 * segment that it fits. Mappings of one loading agree on one bias. Other candidates are accidents,
 * where segments share a page of the file.
 */
#include "config.h"

#include "inspect/elf/elf-load.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

/* The largest gap between two segments, in bytes: linkers align segments to a huge page. */
enum { SEGMENT_GAP_MAX = 1 << 21 };

struct vote {
	uint64_t bias;
	uint64_t weight;
	size_t area; /* number of the area that votes */
};

/* All votes for one bias. */
struct candidate {
	uint64_t bias;
	uint64_t weight; /* sum of all votes */
	size_t first, votes;
};

/* The state of elf_loads_find(). */
struct finding {
	const struct elffile *f;
	uint64_t page_size;
	const struct elf_load_area *area;
	struct elf_load_area *bare;
	size_t areas, bares;
	bool *taken;                 /* by area: it belongs to a loading */
	struct vote *vote;           /* sorted by bias */
	struct candidate *candidate; /* has as much room as .vote; the heaviest first */
	size_t votes, candidates;
};

static uint64_t elf_load_down(const struct finding *g, uint64_t at)
{
	return at - at % g->page_size;
}

/* Rounds AT up to a page; if that overflows, to UINT64_MAX. */
static uint64_t elf_load_up(const struct finding *g, uint64_t at)
{
	uint64_t least = elf_load_down(g, at);

	return least == at                         ? at
	       : least > UINT64_MAX - g->page_size ? UINT64_MAX
	                                           : least + g->page_size;
}

/* Writes the pages of segment S at BIAS. Returns false if they exceed the address space. */
static bool range_of(const struct finding *g, const struct elffile_segment *s, uint64_t bias,
	uint64_t *ret_start, uint64_t *ret_end)
{
	uint64_t start = s->address + bias, end = start + s->size;

	*ret_start = elf_load_down(g, start);
	*ret_end = elf_load_up(g, end);
	return end > start;
}

/* Whether area A has bytes of the file for segment S; *RET is the bias that follows. */
static bool bias_of(const struct finding *g, const struct elffile_segment *s,
	const struct elf_load_area *a, uint64_t *ret)
{
	if (!s->file_size || a->offset < elf_load_down(g, s->offset) ||
		a->offset >= elf_load_up(g, s->offset + s->file_size))
		return false;
	*ret = a->start - a->offset + s->offset - s->address;
	return *ret % g->page_size == 0;
}

/*
 * Whether all of A is within segment S at the bias that follows; *RET is that bias. A larger area
 * has no vote: its bias could not be confirmed. Without this limit a crafted file took 14 s,
 * because each candidate is tried.
 */
static bool elf_load_is_within(const struct finding *g, const struct elffile_segment *s,
	const struct elf_load_area *a, uint64_t *ret)
{
	uint64_t start, end;

	return bias_of(g, s, a, ret) && range_of(g, s, *ret, &start, &end) && a->start >= start &&
	       a->end <= end;
}

static int by_bias(const void *a, const void *b)
{
	const struct vote *x = a, *y = b;

	return (x->bias > y->bias) - (x->bias < y->bias);
}

static int by_weight(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->bias > y->bias) - (x->bias < y->bias);
}

static void count_votes(struct finding *g)
{
	struct candidate *last = NULL;

	for (size_t i = 0; i < g->votes; i++) {
		const struct vote *v = &g->vote[i];

		if (!last || last->bias != v->bias) {
			last = &g->candidate[g->candidates++];
			*last = (struct candidate){.bias = v->bias, .first = i};
		}
		last->weight += v->weight;
		last->votes++;
	}
}

/* An area and a segment that agree in being executable or not get a vote of double weight. */
static int elf_load_vote(struct finding *g)
{
	size_t room = g->areas * g->f->segments + 1;

	g->vote = calloc(room, sizeof(*g->vote));
	g->candidate = calloc(room, sizeof(*g->candidate));
	if (!g->vote || !g->candidate)
		return -ENOMEM;
	for (size_t i = 0; i < g->areas; i++)
		for (size_t j = 0; j < g->f->segments; j++) {
			const struct elffile_segment *s = &g->f->segment[j];
			struct vote *v = &g->vote[g->votes];

			if (!elf_load_is_within(g, s, &g->area[i], &v->bias))
				continue;
			v->weight = s->is_executable == g->area[i].is_executable ? 2 : 1;
			v->area = i;
			g->votes++;
		}
	qsort(g->vote, g->votes, sizeof(*g->vote), by_bias);
	count_votes(g);
	qsort(g->candidate, g->candidates, sizeof(*g->candidate), by_weight);
	return 0;
}

/* Whether all of A has bytes of a segment at BIAS. */
static bool is_placed(const struct finding *g, const struct elf_load_area *a, uint64_t bias)
{
	for (size_t i = 0; i < g->f->segments; i++) {
		uint64_t by;

		if (elf_load_is_within(g, &g->f->segment[i], a, &by) && by == bias)
			return true;
	}
	return false;
}

/*
 * Writes the range from the first to the last address of all segments. Returns false if it exceeds
 * the address space.
 */
static bool elf_load_span_of(
	const struct finding *g, uint64_t bias, uint64_t *ret_start, uint64_t *ret_end)
{
	*ret_start = UINT64_MAX;
	*ret_end = 0;
	for (size_t i = 0; i < g->f->segments; i++) {
		uint64_t start, end;

		if (!range_of(g, &g->f->segment[i], bias, &start, &end))
			return false;
		*ret_start = start < *ret_start ? start : *ret_start;
		*ret_end = end > *ret_end ? end : *ret_end;
	}
	return *ret_start < *ret_end;
}

static int add_piece(struct elf_load *l, uint64_t start, uint64_t end, bool is_placed)
{
	if (ARRAY_RESERVE(l->piece, l->room, l->pieces + 1) < 0)
		return -ENOMEM;
	l->piece[l->pieces++] = (struct elf_load_piece){
		.start = start, .end = end, .is_placed = is_placed};
	return 0;
}

/*
 * Adds to L the free areas in the range of its segments, or all free areas if TAKES_ALL.
 * *RET_PLACED: one of them confirms the bias.
 */
static int take_areas(struct finding *g, struct elf_load *l, bool takes_all, bool *ret_placed)
{
	uint64_t start = 0, end = UINT64_MAX;
	int r = 0;

	*ret_placed = false;
	if (!takes_all && !elf_load_span_of(g, l->bias, &start, &end))
		return 0;
	for (size_t i = 0; r == 0 && i < g->areas; i++) {
		const struct elf_load_area *a = &g->area[i];
		bool placed;

		if (g->taken[i] || a->start < start || a->end > end)
			continue;
		placed = !takes_all && is_placed(g, a, l->bias);
		*ret_placed |= placed;
		r = add_piece(l, a->start, a->end, placed);
	}
	return r;
}

static void mark_taken(struct finding *g, const struct elf_load *l)
{
	size_t at = 0;

	for (size_t i = 0; i < g->areas && at < l->pieces; i++)
		if (g->area[i].start == l->piece[at].start) {
			g->taken[i] = true;
			at++;
		}
}

/* Returns the first item of .bare that ends above AT. */
static size_t find_bare(const struct finding *g, uint64_t at)
{
	return ARRAY_FIRST(g->bares, i, g->bare[i].end > at);
}

/*
 * Whether the first OWN pieces of L, which are sorted, and free items of .bare cover [START, END)
 * without a gap.
 */
static bool is_covered(
	const struct finding *g, const struct elf_load *l, size_t own, uint64_t start, uint64_t end)
{
	size_t i = 0, j = find_bare(g, start);

	while (start < end) {
		while (i < own && l->piece[i].end <= start)
			i++;
		while (j < g->bares && g->bare[j].end <= start)
			j++;
		if (i < own && l->piece[i].start <= start)
			start = l->piece[i].end;
		else if (j < g->bares && g->bare[j].start <= start && !g->bare[j].is_taken)
			start = g->bare[j].end;
		else
			return false;
	}
	return true;
}

/* Whether one of the first OWN pieces of L is placed and overlaps [START, END). */
static bool has_placed(const struct elf_load *l, size_t own, uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < own; i++)
		if (l->piece[i].is_placed && l->piece[i].start < end && l->piece[i].end > start)
			return true;
	return false;
}

/*
 * Whether segment S at [START, END) is mapped as a loader does: completely, with its bytes of the
 * file and its anonymous memory without a gap (elf_load() in fs/binfmt_elf.c, and ld.so). A file
 * may claim any size; if the segment is not mapped so, the memory belongs to something else. A
 * segment without bytes in the file must follow one that has some.
 */
static bool is_whole(const struct finding *g, const struct elf_load *l, size_t own,
	const struct elffile_segment *s, uint64_t start, uint64_t end)
{
	uint64_t from = s->file_size              ? start
	                : start < SEGMENT_GAP_MAX ? 0
	                                          : start - SEGMENT_GAP_MAX;

	return has_placed(l, own, from, end) && is_covered(g, l, own, start, end);
}

/*
 * Adds the memory of segments that has no file: .bss, and memory that replaced the file's pages,
 * such as huge pages.
 */
static int take_bare(const struct finding *g, struct elf_load *l)
{
	size_t own = l->pieces;
	int r = 0;

	for (size_t i = 0; i < g->f->segments; i++) {
		const struct elffile_segment *s = &g->f->segment[i];
		uint64_t start, end;

		if (!range_of(g, s, l->bias, &start, &end) || !is_whole(g, l, own, s, start, end))
			continue;
		for (size_t j = find_bare(g, start);
			r == 0 && j < g->bares && g->bare[j].start < end; j++) {
			const struct elf_load_area *a = &g->bare[j];

			if (a->is_taken)
				continue;
			r = add_piece(l, a->start > start ? a->start : start,
				a->end < end ? a->end : end, true);
		}
	}
	return r;
}

/*
 * Marks the items of .bare that L took. A loader makes this memory for one loading of one file. If
 * another loading overlapped it, by a crafted bias or size, the same bytes would count twice.
 */
static void mark_bare(struct finding *g, const struct elf_load *l, size_t own)
{
	for (size_t i = own; i < l->pieces; i++)
		g->bare[find_bare(g, l->piece[i].start)].is_taken = true;
}

static int by_start(const void *a, const void *b)
{
	const struct elf_load_piece *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Sorts the pieces by address, and removes overlaps. */
static void elf_load_arrange(struct elf_load *l)
{
	size_t kept = 0;
	uint64_t end = 0;

	if (l->pieces)
		qsort(l->piece, l->pieces, sizeof(*l->piece), by_start);
	for (size_t i = 0; i < l->pieces; i++) {
		struct elf_load_piece p = l->piece[i];

		p.start = p.start > end ? p.start : end;
		if (p.start >= p.end)
			continue;
		end = p.end;
		l->piece[kept++] = p;
	}
	l->pieces = kept;
}

/* Moves L to RET, unless it has no pieces. */
static int elf_load_keep(struct elf_loads *ret, struct elf_load *l)
{
	if (!l->pieces)
		return 0;
	elf_load_arrange(l);
	if (ARRAY_RESERVE(ret->item, ret->room, ret->count + 1) < 0)
		return -ENOMEM;
	ret->item[ret->count++] = *l;
	*l = (struct elf_load){.bias = 0};
	return 0;
}

static void cleanup_elf_load(struct elf_load *l)
{
	free(l->piece);
}

static int elf_load_load(struct finding *g, uint64_t bias, bool takes_all, struct elf_loads *ret)
{
	CLEANUP(cleanup_elf_load) struct elf_load l = {.bias = bias};
	bool placed;
	size_t own;
	int r = take_areas(g, &l, takes_all, &placed);

	if (r < 0 || (!takes_all && !placed))
		return r;
	mark_taken(g, &l);
	own = l.pieces;
	if (!takes_all)
		r = take_bare(g, &l);
	mark_bare(g, &l, own);
	return r == 0 ? elf_load_keep(ret, &l) : r;
}

/* Whether an area that voted for C is free. Only such areas can confirm the bias. */
static bool has_free_voter(const struct finding *g, const struct candidate *c)
{
	for (size_t i = 0; i < c->votes; i++)
		if (!g->taken[g->vote[c->first + i].area])
			return true;
	return false;
}

static void cleanup_finding(struct finding *g)
{
	free(g->taken);
	free(g->vote);
	free(g->candidate);
}

void elf_loads_done(struct elf_loads *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->item[i].piece);
	free(l->item);
	*l = (struct elf_loads){.count = 0};
}

int elf_loads_find(const struct elffile *f, uint64_t page_size, const struct elf_load_area *area,
	size_t areas, struct elf_load_area *bare, size_t bares, struct elf_loads *ret)
{
	CLEANUP(cleanup_finding)
	struct finding g = {.f = f,
		.page_size = page_size,
		.area = area,
		.areas = areas,
		.bare = bare,
		.bares = bares};
	AUTO_ELF_LOADS struct elf_loads found = {.count = 0};
	int r;

	if (areas > ELF_LOAD_AREAS_MAX)
		return -E2BIG;
	g.taken = calloc(areas + 1, sizeof(*g.taken));
	r = g.taken ? elf_load_vote(&g) : -ENOMEM;
	for (size_t i = 0; r == 0 && i < g.candidates; i++)
		if (has_free_voter(&g, &g.candidate[i]))
			r = elf_load_load(&g, g.candidate[i].bias, false, &found);
	if (r == 0)
		r = elf_load_load(&g, 0, true, &found); /* areas that are mapped but not loaded */
	if (r < 0)
		return r;
	*ret = found;
	found = (struct elf_loads){.count = 0};
	return 0;
}

void elf_load_cut(struct elf_load *l, uint64_t start, uint64_t end)
{
	uint64_t placed = 0;

	for (size_t i = 0; i < l->pieces; i++) {
		struct elf_load_piece *p = &l->piece[i];

		p->start = p->start > start ? p->start : start;
		p->end = p->end < end ? p->end : end;
		if (p->start >= p->end)
			p->end = p->start;
		p->placed_before = placed;
		placed += p->is_placed ? p->end - p->start : 0;
	}
}

/* Returns the bytes below AT in placed pieces. */
static uint64_t placed_below(const struct elf_load *l, uint64_t at)
{
	size_t next = ARRAY_FIRST(l->pieces, i, l->piece[i].start >= at);
	const struct elf_load_piece *p;
	uint64_t end;

	if (!next)
		return 0;
	p = &l->piece[next - 1];
	end = p->end < at ? p->end : at;
	return p->placed_before + (p->is_placed ? end - p->start : 0);
}

uint64_t elf_load_placed(const struct elf_load *l, uint64_t start, uint64_t end)
{
	return start < end ? placed_below(l, end) - placed_below(l, start) : 0;
}
