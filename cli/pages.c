/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/pages.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "cli/command.h"
#include "cli/loaded.h"
#include "cli/output.h"
#include "cli/pagelist.h"
#include "cli/pagesasked.h"
#include "cli/partlist.h"
#include "cli/visit.h"
#include "inside/pagemap.h"
#include "inside/pagewalk.h"
#include "inside/whereabouts.h"

/* What is being looked into, and where that goes. */
struct looking {
	const struct pages_asked *asked;
	struct visit visit;
	struct frames frames;
	struct pagewalk walk;
	struct pagelist list; /* rows; or where sections or symbols are asked for: */
	struct loaded loaded;
	struct partlist parts;
	struct buffer text;
	struct target *target; /* the process */
	pid_t pid;
	uint64_t page_size;
	uint64_t smaps_rss_bytes; /* what smaps says of it */
	uint64_t rss_bytes;       /* and its pages */
	bool knows_any; /* of a process, or of one of its mappings where these are printed at once */
};

static void cleanup_looking(struct looking *l)
{
	pagelist_done(&l->list);
	loaded_done(&l->loaded);
	partlist_done(&l->parts);
	frames_close(&l->frames);
	visit_done(&l->visit);
	buffer_done(&l->text);
}

static int take_page(const struct page *page, void *context)
{
	struct looking *l = context;

	if (page->state == PAGE_RESIDENT)
		l->rss_bytes += l->page_size;
	l->visit.fatal = pagelist_add(&l->list, page);
	return l->visit.fatal;
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

static int take_mapping(const struct mapping *m, void *context)
{
	struct looking *l = context;
	const struct pages_asked *a = l->asked;
	uint64_t start = m->start > a->start ? m->start : a->start;
	uint64_t end = m->end < a->end ? m->end : a->end;
	int r;

	l->smaps_rss_bytes += m->q[MAPPING_RSS];
	if (start >= end)
		return 0;
	r = pagelist_enter(&l->list, l->pid, target_program(l->target), m, start, end);
	if (r == 0 && !(l->walk.cannot_scan && is_set_aside(m)))
		r = pagewalk(&l->walk, start, end, kind_of(m) == KIND_HUGETLB, take_page, l);
	l->knows_any |= r == 0 && a->by == PAGEROW_BY_PAGE;
	return r;
}

/*
 * It is looked into while it goes on, and smaps is older than its pages: that is said where it made a difference. Zeros that were
 * shared memory as far as anybody could tell are another.
 */
static void compare_with_smaps(const struct looking *l)
{
	const struct pages_asked *a = l->asked;
	bool is_more = l->rss_bytes > l->smaps_rss_bytes;
	uint64_t apart = is_more ? l->rss_bytes - l->smaps_rss_bytes
	                         : l->smaps_rss_bytes - l->rss_bytes;

	if (!apart || a->start || a->end != UINT64_MAX)
		return;
	if (is_more && l->walk.cannot_scan && !l->walk.frames)
		log_info(
			"pid %d: %llu KiB are more than the RSS of smaps: zeros, which take Linux 6.7 or frames to be told from shared memory",
			(int)l->pid, (unsigned long long)apart / 1024);
	else
		log_info(
			"pid %d changed while it was looked into: its pages are %llu KiB %s than the RSS that smaps said before",
			(int)l->pid, (unsigned long long)apart / 1024, is_more ? "more" : "less");
}

static int keep(void *context)
{
	struct looking *l = context;

	l->knows_any = true;
	if (pages_asked_is_by_parts(l->asked)) {
		partlist_keep(&l->parts);
	} else {
		pagelist_keep(&l->list);
		compare_with_smaps(l);
	}
	return 0;
}

/* Half of a process is nothing that could be summed up. */
static void drop_half(struct looking *l)
{
	if (pages_asked_is_by_parts(l->asked))
		partlist_drop(&l->parts);
	else
		pagelist_drop(&l->list);
}

static int look_for_parts(struct looking *l)
{
	int r = loaded_look_into(&l->loaded, l->target, l->pid);

	l->visit.fatal = l->loaded.fatal;
	/* Half of a process is printed by then, or is not among what is sorted. */
	l->knows_any |= l->parts.count > 0 && !l->parts.is_sorted;
	return r;
}

static int look_into(struct target *t, pid_t pid, void *context)
{
	struct looking *l = context;
	AUTO_CLOSE int pagemap = -1;
	int r = target_file(t, "pagemap", &pagemap);

	drop_half(l);
	l->target = t;
	l->pid = pid;
	l->smaps_rss_bytes = l->rss_bytes = 0;
	l->walk.fd = pagemap;
	if (r != 0)
		return r;
	return pages_asked_is_by_parts(l->asked) ? look_for_parts(l)
	                                         : whereabouts_mappings(t, take_mapping, l);
}

/* What is known of pages, by the rights of whoever asks; what else there would be is said. */
static void open_frames(struct looking *l, const struct procfs *procfs)
{
	/* A tree that looks like /proc has what it has. */
	int shows = procfs->is_kernels ? pagemap_shows_frames(procfs->fd) : 1;
	int r = frames_open(procfs->fd, &l->frames);

	if (shows == 1 && r == 0) {
		l->walk.frames = &l->frames;
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

/* What scans tell is known when the first mapping has been tried. */
static int look_into_all(struct looking *l)
{
	const struct chosen *chosen = &l->asked->chosen;
	int r = 0;

	l->list.format.known = pagesum_known(l->walk.frames, true);
	if (pages_asked_is_by_parts(l->asked))
		partlist_begin(&l->parts);
	else
		r = pagelist_begin(&l->list);
	for (size_t i = 0; r == 0 && i < chosen->count; i++)
		r = visit_process(&l->visit, &chosen->process[i]);
	l->list.format.known = pagesum_known(l->walk.frames, !l->walk.cannot_scan);
	return r;
}

static void add_processes(struct looking *l)
{
	buffer_printf(&l->text, ",\"frames_shown\":%s,\"processes\":[",
		l->walk.frames ? "true" : "false");
	buffer_add(&l->text, l->visit.processes.data, l->visit.processes.len);
	buffer_add_text(&l->text, "]}\n");
}

/* Where no process was whole a total of zeros would be an answer: JSON has its frame, people what was said on the log. */
static int finish_unknown(struct looking *l)
{
	const struct pages_asked *a = l->asked;

	if (!a->json) {
		buffer_clear(&l->text);
		return 0;
	}
	buffer_add_char(&l->text, ']');
	if (a->by != PAGEROW_BY_PAGE)
		buffer_add_text(&l->text, ",\"total\":{}");
	if (pages_asked_is_by_parts(a))
		buffer_add_text(&l->text, ",\"files\":[]");
	add_processes(l);
	return output_flush(&l->text);
}

static int finish_list(struct looking *l)
{
	int r;

	if (!pages_asked_is_by_parts(l->asked))
		return pagelist_finish(&l->list, l->walk.frames);
	r = partlist_finish(&l->parts);
	if (r == 0)
		loaded_finish(&l->loaded);
	l->visit.has_failed |= l->loaded.has_failed;
	return r;
}

static int finish(struct looking *l)
{
	int r;

	drop_half(l);
	if (!l->knows_any)
		return finish_unknown(l);
	r = finish_list(l);
	if (l->asked->json)
		add_processes(l);
	return r < 0 ? r : output_flush(&l->text);
}

static void init_pages(struct looking *l)
{
	const struct pages_asked *a = l->asked;

	l->list = (struct pagelist){
		.format = {.by = a->by, .bytes = a->bytes, .has_pid = a->chosen.count > 1},
		.json = a->json,
		.csv = a->csv,
		.is_sorted = a->is_sorted,
		.sort = (enum pagesum_field)a->sort,
		.ascending = a->ascending,
		.limit = a->limit,
		.text = &l->text,
	};
}

static void init_parts(struct looking *l)
{
	const struct pages_asked *a = l->asked;

	l->parts = (struct partlist){
		.format = {.of_symbols = a->by == PAGEROW_BY_SYMBOL,
			.has_pid = a->chosen.count > 1,
			.knows_dirty = l->walk.frames},
		.json = a->json,
		.csv = a->csv,
		.is_sorted = a->is_sorted,
		.sort = (enum partrow_field)a->sort,
		.ascending = a->ascending,
		.limit = a->limit,
		.text = &l->text,
	};
	l->loaded = (struct loaded){
		.start = a->start,
		.end = a->end,
		.procfs = l->visit.procfs,
		.walk = &l->walk,
		.list = &l->parts,
	};
	loaded_init(&l->loaded);
}

/*
 * Looks and prints, and says on the log of which processes it could not, and which rights it lacks for what else there is. 0; 1: of one of
 * them it could not; -ENOMEM, or an error of printing.
 */
static int look(const struct pages_asked *a, const struct procfs *procfs)
{
	CLEANUP(cleanup_looking)
	struct looking l = {
		.asked = a,
		.visit = {.procfs = procfs,
			.work = look_into,
			.keep = keep,
			.context = &l,
			.hint.denied =
				"pages of others' processes take CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH"},
		.frames = {.counts.fd = -1, .flags.fd = -1},
		.page_size = pagewalk_page_size(),
	};
	int r;

	open_frames(&l, procfs);
	init_pages(&l);
	init_parts(&l);
	r = look_into_all(&l);
	if (r == 0)
		r = finish(&l);
	if (r == -E2BIG) {
		log_error(
			"more than %d rows, or names of more than %d MiB, can't be sorted: ask for fewer processes or a --range, or without --sort",
			PARTLIST_ROWS_MAX, PARTLIST_NAMES_MAX >> 20);
		return 1;
	}
	return r < 0 ? r : l.visit.has_failed;
}

/* As look(); 1 also where there is none. */
static int show(const struct settings *settings, struct pages_asked *a)
{
	CLEANUP(procfs_close) struct procfs procfs = {.fd = -1};

	return chosen_open(settings, &a->chosen, &procfs) != 0 ? 1 : look(a, &procfs);
}

int pages_run(const struct settings *settings, bool is_check)
{
	AUTO_PAGES_ASKED struct pages_asked asked = {0};
	char error[CHOSEN_ERROR_SIZE] = "";

	if (pages_asked_parse(settings, &asked, error) < 0)
		return command_refuse(error);
	return is_check ? COMMAND_GOOD : command_shown(show(settings, &asked));
}
