/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/pages/pages.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "cli/common/each-process.h"
#include "cli/pages/loaded.h"
#include "cli/pages/pagelist.h"
#include "cli/pages/pages-options.h"
#include "cli/pages/partlist.h"
#include "cli/table/output.h"
#include "inspect/files/file-state.h"
#include "inspect/pages/pagemap.h"
#include "inspect/pages/pagewalk.h"

/* The state of one run. */
struct looking {
	const struct inspection *options;
	struct each_process visit;
	struct kpage frames;
	struct pagewalk walk;
	struct pagelist list; /* rows; for sections and symbols .loaded and .parts instead */
	struct loaded loaded;
	struct partlist parts;
	struct buffer text;
	struct target *target; /* the process that is being read */
	pid_t pid;
	uint64_t page_size;
	uint64_t smaps_rss_bytes; /* its RSS by smaps */
	uint64_t rss_bytes;       /* and by its pages */
	/* a process was read completely; or, if pages are printed at once, a mapping */
	bool knows_any;
};

static void cleanup_looking(struct looking *l)
{
	pagelist_done(&l->list);
	loaded_done(&l->loaded);
	partlist_done(&l->parts);
	kpage_close(&l->frames);
	each_process_done(&l->visit);
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
 * Returns true if M is reserved address space: not accessible, and empty by smaps. It may have
 * terabytes, and before Linux 6.7, without scans of pagemap, reading through it takes seconds.
 */
static bool is_set_aside(const struct mapping *m)
{
	return !memcmp(m->perms, "---", 3) && mapping_has(m, MAPPING_RSS) &&
	       mapping_has(m, MAPPING_SWAP) && !m->q[MAPPING_RSS] && !m->q[MAPPING_SWAP] &&
	       kind_of(m) != KIND_HUGETLB;
}

static int pages_take_mapping(const struct mapping *m, void *context)
{
	struct looking *l = context;
	const struct inspection *a = l->options;
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
 * The process runs while it is read, and smaps is older than the pages: logs a difference between
 * the two. Zero pages that could not be told from shared memory are another difference.
 */
static void compare_with_smaps(const struct looking *l)
{
	const struct inspection *a = l->options;
	bool is_more = l->rss_bytes > l->smaps_rss_bytes;
	uint64_t apart = is_more ? l->rss_bytes - l->smaps_rss_bytes
	                         : l->smaps_rss_bytes - l->rss_bytes;

	if (!apart || a->start || a->end != UINT64_MAX)
		return;
	if (is_more && l->walk.cannot_scan && !l->walk.frames)
		log_info(
			"pid %d: %llu KiB above the RSS in smaps are pages of zeros, which only frames or Linux 6.7 distinguish from shared memory",
			(int)l->pid, (unsigned long long)apart / 1024);
	else
		log_info(
			"pid %d changed during the scan: its pages are %llu KiB %s than its RSS in smaps",
			(int)l->pid, (unsigned long long)apart / 1024, is_more ? "more" : "less");
}

static int pages_keep(void *context)
{
	struct looking *l = context;

	l->knows_any = true;
	if (pages_options_is_by_parts(l->options)) {
		partlist_keep(&l->parts);
	} else {
		pagelist_keep(&l->list);
		compare_with_smaps(l);
	}
	return 0;
}

/* An incomplete process is not summed. */
static void drop_half(struct looking *l)
{
	if (pages_options_is_by_parts(l->options))
		partlist_drop(&l->parts);
	else
		pagelist_drop(&l->list);
}

static int look_for_parts(struct looking *l)
{
	int r = loaded_look_into(&l->loaded, l->target, l->pid);

	l->visit.fatal = l->loaded.fatal;
	/* Part of an incomplete process is printed by then, or is not among the rows to sort. */
	l->knows_any |= l->parts.count > 0 && !l->parts.is_sorted;
	return r;
}

static int pages_look_into(struct target *t, void *context)
{
	struct looking *l = context;
	AUTO_CLOSE int pagemap = -1;
	int r = target_file(t, "pagemap", &pagemap);

	drop_half(l);
	l->target = t;
	l->pid = t->process.pid;
	l->smaps_rss_bytes = l->rss_bytes = 0;
	l->walk.fd = pagemap;
	if (r != 0)
		return r;
	return pages_options_is_by_parts(l->options)
	               ? look_for_parts(l)
	               : file_state_mappings(t, pages_take_mapping, l);
}

/*
 * Opens the files that tell about frames, as far as the user's rights allow. Logs what is missing
 * without them.
 */
static void open_frames(struct looking *l, const struct procfs *procfs)
{
	/* A copy of /proc shows what it has. */
	int shows = procfs->is_kernels ? pagemap_shows_frames(procfs->fd) : 1;
	int r = kpage_open(procfs->fd, &l->frames);

	if (shows == 1 && r == 0) {
		l->walk.frames = &l->frames;
		return;
	}
	log_warning("map counts, dirty pages and KSM pages are not shown:%s%s%s",
		shows == 1 ? "" : " frames in pagemap require CAP_SYS_ADMIN",
		shows != 1 && r < 0 ? ", and" : "",
		r == -ENOENT ? " this kernel has no /proc/kpagecount"
		: r < 0      ? " /proc/kpagecount requires root or CAP_DAC_READ_SEARCH"
			     : "");
}

/* Whether pagemap can be scanned is known after the first mapping. */
static int pages_look_into_all(struct looking *l)
{
	const struct pid_selection *chosen = &l->options->chosen;
	int r = 0;

	l->list.format.known = pagesum_known(l->walk.frames, true);
	if (pages_options_is_by_parts(l->options))
		partlist_begin(&l->parts);
	else
		r = pagelist_begin(&l->list);
	for (size_t i = 0; r == 0 && i < chosen->count; i++)
		r = each_process_visit(&l->visit, &chosen->process[i]);
	l->list.format.known = pagesum_known(l->walk.frames, !l->walk.cannot_scan);
	return r;
}

static void pages_add_processes(struct looking *l)
{
	buffer_printf(&l->text, ",\"frames_shown\":%s,\"processes\":[",
		l->walk.frames ? "true" : "false");
	buffer_add(&l->text, l->visit.processes.data, l->visit.processes.len);
	buffer_add_text(&l->text, "]}\n");
}

/*
 * If no process was read completely, no total is printed: zeros would look like a result. JSON
 * output has its other members, and CSV has its head; the log has the reason.
 */
static int finish_unknown(struct looking *l)
{
	const struct inspection *a = l->options;

	if (a->look.form != LIST_JSON) {
		buffer_clear(&l->text);
		return 0;
	}
	buffer_add_char(&l->text, ']');
	if (a->by != PAGEROW_BY_PAGE)
		buffer_add_text(&l->text, ",\"total\":{}");
	if (pages_options_is_by_parts(a))
		buffer_add_text(&l->text, ",\"files\":[]");
	pages_add_processes(l);
	return output_flush(&l->text);
}

static int finish_list(struct looking *l)
{
	int r;

	if (!pages_options_is_by_parts(l->options))
		return pagelist_finish(&l->list, l->walk.frames);
	r = partlist_finish(&l->parts);
	if (r == 0)
		loaded_finish(&l->loaded);
	l->visit.has_failed |= l->loaded.has_failed;
	return r;
}

static int pages_finish(struct looking *l)
{
	int r;

	drop_half(l);
	if (!l->knows_any && l->options->look.form != LIST_CSV)
		return finish_unknown(l);
	r = finish_list(l);
	if (l->options->look.form == LIST_JSON)
		pages_add_processes(l);
	return r < 0 ? r : output_flush(&l->text);
}

static void init_pages(struct looking *l)
{
	const struct inspection *a = l->options;

	l->list = (struct pagelist){
		.format = {.by = (enum pagerow_by)a->by,
			.look = a->look,
			.has_pid = a->chosen.count > 1},
		.is_sorted = a->is_sorted,
		.sort = (enum pagesum_field)a->sort,
		.ascending = a->ascending,
		.text = &l->text,
	};
}

static void init_parts(struct looking *l)
{
	const struct inspection *a = l->options;

	l->parts = (struct partlist){
		.format = {.look = a->look,
			.of_symbols = a->by == PAGEROW_BY_SYMBOL,
			.has_pid = a->chosen.count > 1,
			.knows_dirty = l->walk.frames},
		.is_sorted = a->is_sorted,
		.sort = (enum partrow_field)a->sort,
		.ascending = a->ascending,
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
 * Reads the processes, prints the rows, and logs which processes could not be read and which rights
 * would show more. Returns 0; 1 if a process could not be read; -ENOMEM; or a negative errno of
 * write().
 */
static int pages_look(const struct inspection *a, const struct procfs *procfs)
{
	CLEANUP(cleanup_looking)
	struct looking l = {
		.options = a,
		.visit = {.procfs = procfs,
			.work = pages_look_into,
			.keep = pages_keep,
			.context = &l,
			.hint.denied =
				"reading pages of other users' processes requires CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH: run as root"},
		.frames = {.counts = -1, .flags = -1},
		.page_size = pagewalk_page_size(),
	};
	int r;

	open_frames(&l, procfs);
	init_pages(&l);
	init_parts(&l);
	r = pages_look_into_all(&l);
	if (r == 0)
		r = pages_finish(&l);
	if (r == -E2BIG) {
		log_error(
			"more than %d rows, or names of more than %d MiB, cannot be sorted: ask for fewer processes or a --range, or for --csv without --sort",
			PARTLIST_ROWS_MAX, PARTLIST_NAMES_MAX >> 20);
		return 1;
	}
	return r < 0 ? r : l.visit.has_failed;
}

static int pages_show(struct inspection *i)
{
	CLEANUP(procfs_close) struct procfs procfs = {.fd = -1};
	int opened = pid_selection_open(i->settings, &i->chosen, &procfs), r;

	if (opened == PID_SELECTION_FAILED ||
		(opened == PID_SELECTION_NONE && i->look.form != LIST_CSV))
		return 1;
	r = pages_look(i, &procfs);
	return r < 0 ? r : opened || r;
}

int pages_run(const struct settings *settings, bool is_check)
{
	return inspection_run(settings, is_check, CLI_VIEW_PAGES, pages_options_parse, pages_show);
}
