/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/pageview.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cli/loaded.h"
#include "cli/output.h"
#include "cli/partlist.h"
#include "cli/visit.h"
#include "inside/pagemap.h"
#include "inside/pagewalk.h"
#include "inside/whereabouts.h"

enum { PAGES_VERSION = 1 };

/* What is being printed, and what is kept for that. */
struct showing {
	const struct pages *pages;
	struct visit visit;
	struct frames frames;
	struct pagewalk walk;
	struct loaded loaded; /* where those are asked for, and their rows; else: */
	struct partlist list;
	struct pagerow *row; /* owned; by kind, as many as there are kinds */
	size_t rows, room;
	struct pagerow total;
	struct buffer text, name;
	struct target *target; /* the process that is looked into */
	pid_t pid;
	uint64_t page_size;
	struct pagerow *into;   /* the row of the mapping that is looked into */
	struct pagerow mapping; /* by page: it */
	bool of_file;
	uint64_t smaps_rss_bytes; /* what smaps says of the process */
	uint64_t rss_bytes;       /* and its pages */
	uint64_t size_bytes;      /* of all mappings that are looked into */
	size_t shown, pages_seen;
	bool knows_any; /* of a process, or of one of its mappings where these are printed at once */
	struct {
		size_t rows;
		uint64_t size_bytes;
		struct pagerow kind[KIND_END];
	} whole; /* what there was of those above behind the last process that was whole */
};

static void cleanup_showing(struct showing *s)
{
	for (size_t i = 0; i < s->rows; i++)
		free(s->row[i].name);
	free(s->row);
	loaded_done(&s->loaded);
	partlist_done(&s->list);
	frames_close(&s->frames);
	visit_done(&s->visit);
	buffer_done(&s->text);
	buffer_done(&s->name);
}

static int fail_printing(struct showing *s, int r)
{
	s->visit.fatal = r < 0 ? r : 0;
	return r;
}

static int print_page(struct showing *s, const struct page *page)
{
	const struct pages *p = s->pages;

	s->pages_seen++;
	if (p->limit && s->shown == p->limit)
		return 0;
	if (p->json && s->shown)
		buffer_add_char(&s->text, ',');
	if (p->json)
		pagerow_add_page_json(&s->mapping, page, &s->text);
	else if (p->csv)
		pagerow_add_page_csv(&s->mapping, page, &s->text);
	else
		pagerow_add_page(&p->format, &s->mapping, page, &s->text);
	s->shown++;
	return fail_printing(s, output_flush_some(&s->text));
}

static int take_page(const struct page *page, void *context)
{
	struct showing *s = context;

	if (page->state == PAGE_RESIDENT)
		s->rss_bytes += s->page_size;
	pagesum_add(&s->into->sum, page, s->page_size, s->of_file);
	return s->pages->format.by == PAGEROW_BY_PAGE ? print_page(s, page) : 0;
}

/* A new row for M or the process, or NULL. */
static struct pagerow *add_row(struct showing *s, const char *name)
{
	struct pagerow *more = s->row;

	if (s->rows == s->room) {
		size_t room = s->room ? 2 * s->room : 16;

		more = reallocarray(s->row, room, sizeof(*more));
		if (!more)
			return NULL;
		s->row = more;
		s->room = room;
	}
	more += s->rows;
	*more = (struct pagerow){.pid = s->pid, .name = strdup(name)};
	if (!more->name)
		return NULL;
	s->rows++;
	return more;
}

static void set_place(struct pagerow *row, const struct mapping *m, uint64_t start, uint64_t end)
{
	row->start = start;
	row->end = end;
	memcpy(row->perms, m->perms, sizeof(row->perms));
}

/* The row to which M belongs; NULL: out of memory. */
static struct pagerow *row_for(
	struct showing *s, const struct mapping *m, uint64_t start, uint64_t end)
{
	enum pagerow_by by = s->pages->format.by;
	struct pagerow *row;

	buffer_clear(&s->name);
	kind_add_name(m, &s->name);
	if (kind_is_deleted(m))
		buffer_add_text(&s->name, kind_deleted_note(m->fate));
	buffer_add_char(&s->name, '\0');
	if (s->name.error)
		return NULL;
	if (by == PAGEROW_BY_PAGE) {
		s->mapping = (struct pagerow){.pid = s->pid, .name = s->name.data};
		row = &s->mapping;
	} else if (by == PAGEROW_BY_KIND) {
		row = &s->row[kind_of(m)];
	} else if (by == PAGEROW_BY_PROCESS && s->rows && s->row[s->rows - 1].pid == s->pid) {
		row = &s->row[s->rows - 1];
	} else {
		row = add_row(
			s, by == PAGEROW_BY_PROCESS ? target_program(s->target) : s->name.data);
	}
	if (row && by != PAGEROW_BY_KIND && by != PAGEROW_BY_PROCESS)
		set_place(row, m, start, end);
	if (row)
		row->kind = kind_of(m);
	return row;
}

/*
 * Address space that is set aside, terabytes maybe, which takes seconds to read through where it can't be scanned (before Linux 6.7): nobody
 * may touch it, and smaps has found nothing there.
 */
static bool is_set_aside(const struct mapping *m)
{
	return !memcmp(m->perms, "---", 3) && mapping_has(m, MAPPING_RSS) &&
	       mapping_has(m, MAPPING_SWAP) && !m->q[MAPPING_RSS] && !m->q[MAPPING_SWAP] &&
	       kind_of(m) != KIND_HUGETLB;
}

static bool is_printed_at_once(const struct showing *s)
{
	return s->pages->format.by == PAGEROW_BY_PAGE || pages_is_by_parts(s->pages);
}

static int take_mapping(const struct mapping *m, void *context)
{
	struct showing *s = context;
	const struct pages *p = s->pages;
	uint64_t start = m->start > p->start ? m->start : p->start;
	uint64_t end = m->end < p->end ? m->end : p->end;
	int r;

	s->smaps_rss_bytes += m->q[MAPPING_RSS];
	if (start >= end)
		return 0;
	s->into = row_for(s, m, start, end);
	if (!s->into)
		return -ENOMEM;
	s->into->mappings++;
	s->into->sum.q[PAGESUM_SIZE] += end - start;
	s->size_bytes += end - start;
	s->of_file = m->inode;
	r = s->walk.cannot_scan && is_set_aside(m)
	            ? 0
	            : pagewalk(&s->walk, start, end, kind_of(m) == KIND_HUGETLB, take_page, s);
	s->knows_any |= r == 0 && is_printed_at_once(s);
	return r;
}

/*
 * It is looked into while it goes on, and smaps is older than its pages: that is said where it made a difference. Zeros that were
 * shared memory as far as anybody could tell are another.
 */
static void compare_with_smaps(const struct showing *s)
{
	const struct pages *p = s->pages;
	bool is_more = s->rss_bytes > s->smaps_rss_bytes;
	uint64_t apart = is_more ? s->rss_bytes - s->smaps_rss_bytes
	                         : s->smaps_rss_bytes - s->rss_bytes;

	if (!apart || p->start || p->end != UINT64_MAX)
		return;
	if (is_more && s->walk.cannot_scan && !s->walk.frames)
		log_info(
			"pid %d: %llu KiB are more than the RSS of smaps: zeros, which take Linux 6.7 or frames to be told from shared memory",
			(int)s->pid, (unsigned long long)apart / 1024);
	else
		log_info(
			"pid %d changed while it was looked into: its pages are %llu KiB %s than the RSS that smaps said before",
			(int)s->pid, (unsigned long long)apart / 1024, is_more ? "more" : "less");
}

static int keep(void *context)
{
	struct showing *s = context;

	s->knows_any = true;
	partlist_keep(&s->list);
	s->whole.rows = s->rows;
	s->whole.size_bytes = s->size_bytes;
	if (s->pages->format.by == PAGEROW_BY_KIND)
		memcpy(s->whole.kind, s->row, sizeof(s->whole.kind));
	return 0;
}

/* Half of a process is nothing that could be summed up. */
static void drop_half(struct showing *s)
{
	partlist_drop(&s->list);
	if (is_printed_at_once(s))
		return;
	while (s->rows > s->whole.rows)
		free(s->row[--s->rows].name);
	s->size_bytes = s->whole.size_bytes;
	if (s->pages->format.by == PAGEROW_BY_KIND)
		memcpy(s->row, s->whole.kind, sizeof(s->whole.kind));
}

static int look_into(struct target *t, pid_t pid, void *context)
{
	struct showing *s = context;
	AUTO_CLOSE int pagemap = -1;
	int r = target_file(t, "pagemap", &pagemap);

	drop_half(s);
	s->target = t;
	s->pid = pid;
	s->smaps_rss_bytes = s->rss_bytes = 0;
	s->walk.fd = pagemap;
	if (r == 0 && pages_is_by_parts(s->pages)) {
		r = loaded_look_into(&s->loaded, t, pid);
		s->visit.fatal = s->loaded.fatal;
		s->knows_any |= s->list.count > 0;
		return r;
	}
	if (r == 0)
		r = whereabouts_mappings(t, take_mapping, s);
	if (r == 0)
		compare_with_smaps(s);
	return r;
}

/* What is known of pages, by the rights of whoever asks; what else there would be is said. */
static void open_frames(struct showing *s, const struct procfs *procfs)
{
	/* A tree that looks like /proc has what it has. */
	int shows = procfs->is_kernels ? pagemap_shows_frames(procfs->fd) : 1;
	int r = frames_open(procfs->fd, &s->frames);

	if (shows == 1 && r == 0) {
		s->walk.frames = &s->frames;
		return;
	}
	log_warning(
		"how often each page is mapped, what is dirty and what is KSM's is not shown:%s%s%s",
		shows == 1 ? "" : " frames in pagemap take CAP_SYS_ADMIN",
		shows != 1 && r < 0 ? ", and" : "",
		r == -ENOENT ? " this kernel has no /proc/kpagecount"
		: r < 0      ? " /proc/kpagecount takes root or CAP_DAC_READ_SEARCH"
			     : "");
}

static int compare_rows(const void *a, const void *b, void *field)
{
	const struct pagerow *x = a, *y = b;
	uint64_t p = x->sum.q[*(unsigned int *)field], q = y->sum.q[*(unsigned int *)field];

	if (p != q)
		return p < q ? 1 : -1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

/* By kind only those that there are; and in which order. */
static void arrange(struct showing *s)
{
	const struct pages *p = s->pages;
	unsigned int field = p->sort;
	size_t kept = 0;

	for (size_t i = 0; i < s->rows; i++) {
		s->total.mappings += s->row[i].mappings;
		pagesum_add_sum(&s->total.sum, &s->row[i].sum);
		if (s->row[i].mappings)
			s->row[kept++] = s->row[i];
	}
	s->rows = kept;
	if (p->is_sorted)
		qsort_r(s->row, s->rows, sizeof(*s->row), compare_rows, &field);
	for (size_t i = 0; p->ascending && i < s->rows / 2; i++) {
		struct pagerow swapped = s->row[i];

		s->row[i] = s->row[s->rows - 1 - i];
		s->row[s->rows - 1 - i] = swapped;
	}
}

static int print_rows(struct showing *s, size_t count)
{
	const struct pages *p = s->pages;
	int r = 0;

	if (p->csv)
		pagerow_add_csv_head(&p->format, &s->text);
	else if (!p->json)
		pagerow_add_head(&p->format, &s->text);
	for (size_t i = 0; r == 0 && i < count; i++) {
		if (p->json && i)
			buffer_add_char(&s->text, ',');
		if (p->json)
			pagerow_add_json(&p->format, &s->row[i], &s->text);
		else if (p->csv)
			pagerow_add_csv(&p->format, &s->row[i], &s->text);
		else
			pagerow_add_line(&p->format, &s->row[i], &s->text);
		r = output_flush_some(&s->text);
	}
	if (!p->json && !p->csv)
		pagerow_add_total(&p->format, &s->total, s->rows, &s->text);
	return r;
}

static int print_times(struct showing *s, size_t count)
{
	const struct pagerow_format *f = &s->pages->format;
	int r = 0;

	pagerow_add_times_head(f, &s->total, &s->text);
	for (size_t i = 0; r == 0 && i < count; i++) {
		if (s->row[i].sum.q[PAGESUM_RSS])
			pagerow_add_times(f, &s->row[i], &s->total, &s->text);
		r = output_flush_some(&s->text);
	}
	pagerow_add_times(f, &s->total, &s->total, &s->text);
	return r;
}

static void begin(struct showing *s)
{
	const struct pages *p = s->pages;

	if (p->json)
		buffer_printf(&s->text, "{\"version\":%d,\"by\":\"%s\",\"rows\":[", PAGES_VERSION,
			pagerow_by_name(p->format.by));
	else if (p->format.by == PAGEROW_BY_PAGE && p->csv)
		pagerow_add_page_csv_head(&s->text);
	else if (p->format.by == PAGEROW_BY_PAGE)
		pagerow_add_page_head(&p->format, &s->text);
}

static void add_processes(struct showing *s)
{
	buffer_printf(&s->text, ",\"frames_shown\":%s,\"processes\":[",
		s->walk.frames ? "true" : "false");
	buffer_add(&s->text, s->visit.processes.data, s->visit.processes.len);
	buffer_add_text(&s->text, "]}\n");
}

/* Where no process could be looked into a total of zeros would be an answer: JSON has its frame, people what was said on the log. */
static int finish_unknown(struct showing *s)
{
	const struct pages *p = s->pages;

	if (!p->json) {
		buffer_clear(&s->text);
		return 0;
	}
	buffer_add_char(&s->text, ']');
	if (p->format.by != PAGEROW_BY_PAGE)
		buffer_add_text(&s->text, ",\"total\":{}");
	if (pages_is_by_parts(p))
		buffer_add_text(&s->text, ",\"files\":[]");
	add_processes(s);
	return output_flush(&s->text);
}

static int finish_loaded(struct showing *s)
{
	int r = partlist_finish(&s->list);

	if (r == 0 && s->pages->json)
		add_processes(s);
	if (r == 0)
		loaded_finish(&s->loaded);
	s->visit.has_failed |= s->loaded.has_failed;
	return r < 0 ? r : output_flush(&s->text);
}

static int finish(struct showing *s)
{
	const struct pages *p = s->pages;
	size_t count;
	int r = 0;

	drop_half(s);
	if (s->visit.has_failed && !s->knows_any)
		return finish_unknown(s);
	if (pages_is_by_parts(p))
		return finish_loaded(s);
	arrange(s);
	count = p->limit && p->limit < s->rows ? p->limit : s->rows;
	if (p->format.by != PAGEROW_BY_PAGE)
		r = print_rows(s, count);
	if (r == 0 && p->format.by != PAGEROW_BY_PAGE && !p->json && !p->csv && s->walk.frames &&
		s->total.sum.q[PAGESUM_RSS])
		r = print_times(s, count);
	if (p->format.by == PAGEROW_BY_PAGE && !p->json && !p->csv)
		buffer_printf(&s->text, "%zu of %llu pages; at the others there is nothing\n",
			s->pages_seen, (unsigned long long)(s->size_bytes / s->page_size));
	if (p->json) {
		buffer_add_char(&s->text, ']');
		if (p->format.by != PAGEROW_BY_PAGE) {
			buffer_add_text(&s->text, ",\"total\":");
			pagerow_add_json_sums(&p->format, &s->total, &s->text);
		} else {
			buffer_printf(&s->text, ",\"pages\":%zu,\"size_bytes\":%llu", s->pages_seen,
				(unsigned long long)s->size_bytes);
		}
		add_processes(s);
	}
	return r < 0 ? r : output_flush(&s->text);
}

/* What scans tell is known when the first mapping has been tried. */
static int look_into_all(struct showing *s, struct pages *p)
{
	int r = 0;

	p->format.known = pagesum_known(s->walk.frames, true);
	if (pages_is_by_parts(p))
		partlist_begin(&s->list);
	else
		begin(s);
	for (size_t i = 0; r == 0 && i < p->chosen.count; i++)
		r = visit_process(&s->visit, &p->chosen.process[i]);
	p->format.known = pagesum_known(s->walk.frames, !s->walk.cannot_scan);
	return r;
}

static void init_loaded(struct showing *s, const struct procfs *procfs)
{
	const struct pages *p = s->pages;

	s->list = (struct partlist){
		.format = {.of_symbols = p->format.by == PAGEROW_BY_SYMBOL,
			.has_pid = p->format.has_pid,
			.knows_dirty = s->walk.frames},
		.json = p->json,
		.csv = p->csv,
		.is_sorted = p->is_sorted,
		.sort = (enum partrow_field)p->sort,
		.ascending = p->ascending,
		.limit = p->limit,
		.text = &s->text,
	};
	s->loaded = (struct loaded){
		.start = p->start,
		.end = p->end,
		.procfs = procfs,
		.walk = &s->walk,
		.list = &s->list,
	};
	loaded_init(&s->loaded);
}

int pageview_show(struct pages *p, const struct procfs *procfs)
{
	CLEANUP(cleanup_showing)
	struct showing s = {
		.pages = p,
		.visit = {.procfs = procfs,
			.work = look_into,
			.keep = keep,
			.context = &s,
			.hint.denied =
				"pages of others' processes take CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH"},
		.frames = {.counts.fd = -1, .flags.fd = -1},
		.page_size = pagewalk_page_size(),
	};
	int r;

	if (p->format.by == PAGEROW_BY_KIND) {
		s.row = calloc(KIND_END, sizeof(*s.row));
		if (!s.row)
			return -ENOMEM;
		s.rows = s.room = s.whole.rows = KIND_END;
	}
	open_frames(&s, procfs);
	init_loaded(&s, procfs);
	r = look_into_all(&s, p);
	if (r == 0)
		r = finish(&s);
	return r < 0 ? r : s.visit.has_failed;
}
