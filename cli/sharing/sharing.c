/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/sharing/sharing.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "cli/common/interrupt.h"
#include "cli/common/no-match.h"
#include "cli/common/source.h"
#include "cli/sharing/groups.h"
#include "cli/sharing/sharing-options.h"
#include "cli/sharing/sharing-report.h"
#include "cli/sharing/sharing-walk.h"
#include "cli/table/output.h"
#include "render/human.h"

/* The exit status at Ctrl-C. */
enum { INTERRUPTED = 130 };

static void sharing_add_amount(
	struct buffer *to, const char *before, uint64_t bytes, const char *after)
{
	buffer_add_text(to, before);
	human_add_bytes(to, bytes);
	buffer_add_text(to, after);
}

/* Logs statistics of the scan. */
static void sharing_say_statistics(const struct sharing_walk *w)
{
	AUTO_BUFFER struct buffer text = {0};

	/* Processes with the same address space are read once; the table counts all of them. */
	buffer_printf(&text, "read %llu address space%s in ",
		(unsigned long long)w->statistics.read, w->statistics.read == 1 ? "" : "s");
	human_add_span(&text, w->statistics.span_ns);
	if (w->statistics.ended)
		buffer_printf(&text,
			"; %llu process%s exited or executed another program during the scan",
			(unsigned long long)w->statistics.ended,
			w->statistics.ended == 1 ? "" : "es");
	if (w->mappers.owners.changed + w->mappers.owners.gone)
		sharing_add_amount(&text, "; ", w->mappers.owners.changed + w->mappers.owners.gone,
			" were unmapped during the scan");
	sharing_add_amount(&text, "; ", w->statistics.memory_bytes, " of memory used");
	if (!text.error)
		log_info("%.*s", (int)text.len, text.data);
}

/* Logs what the figures lack. */
static void say_doubts(const struct sharing_walk *w)
{
	AUTO_BUFFER struct buffer text = {0};
	bool is_one = w->statistics.refused == 1, is_alone = w->mappers.unmapped.untold == 1;

	if (w->mappers.owners.many) {
		human_add_bytes(&text, w->mappers.owners.many);
		log_warning(
			"%.*s are shared by too many different sets of groups: only the total contains "
			"them",
			(int)text.len, text.data ? text.data : "");
	}
	if (w->refused)
		log_warning("%llu %s could not be read, %spid %d: pages that %s count as shared; "
			    "sharers of swap and of unmapped shared memory are not known",
			(unsigned long long)w->statistics.refused, is_one ? "process" : "processes",
			is_one ? "" : "one of them ", (int)w->refused,
			is_one ? "it maps" : "they map");
	if (w->mappers.unmapped.untold)
		log_warning(
			"%llu shared memory object%s not count as freed on exit: %s disappeared, or "
			"there were too many to examine",
			(unsigned long long)w->mappers.unmapped.untold, is_alone ? " does" : "s do",
			is_alone ? "it" : "they");
	buffer_clear(&text);
	if (sharing_options_is_set(w->options) ||
		frame_owner_resident(&w->mappers.owners.others) * 100 <=
			frame_owner_resident(&w->mappers.owners.all))
		return;
	human_add_bytes(&text, frame_owner_resident(&w->mappers.owners.others));
	log_info("%.*s are also mapped by processes that started during the scan, cannot be seen "
		 "from here or could not be read",
		(int)text.len, text.data ? text.data : "");
}

/* For each pid that was given the reason has been logged. */
static void sharing_say_none(const struct sharing_walk *w)
{
	const struct pid_selection *chosen = &w->options->chosen;

	if (chosen->has_filters || !chosen->count)
		no_match_say(w->options->settings, w->view,
			view_self(w->view)->flags & SELF_PROC_HIDDEN);
}

static int sharing_look(struct sharing_walk *w, struct sharing_report *ret)
{
	int r = groups_choose(w->options, w->view, &w->procfs, &w->groups, &w->has_failed);

	if (r == GROUPS_NONE)
		sharing_say_none(w);
	if (r == 0)
		r = sharing_walk_all(w);
	if (r != 0)
		return r;
	sharing_say_statistics(w);
	say_doubts(w);
	return sharing_report_make(w, ret);
}

/*
 * Scans processes as I asks, and makes the report in *RET, which borrows names of *RET_VIEW.
 * Returns 0; 1 if a process that was asked for could not be read, and the rest is there; -ECANCELED
 * if there is no result, and the reason has been logged. If no process matches, CSV has an empty
 * report.
 */
static int sharing_find(
	const struct inspection *i, struct sharing_report *ret, struct view **ret_view)
{
	AUTO_SHARING_WALK struct sharing_walk w;
	AUTO_VIEW struct view *view = NULL;
	int r = sharing_walk_open(&w, i);

	if (r == 0) {
		if (w.procfs.is_kernels)
			(void)source_warn_averages();
		r = source_list(i->settings, &view);
	}
	w.view = view;
	if (r == 0)
		r = sharing_look(&w, ret);
	if (r == GROUPS_NONE) {
		*ret = sharing_report_empty(i);
		return i->look.form == LIST_CSV ? 1 : -ECANCELED;
	}
	if (r < 0) {
		if (r != -ECANCELED)
			log_error("cannot scan all processes: %s", strerror(-r));
		return -ECANCELED;
	}
	*ret_view = TAKE_PTR(view);
	return w.has_failed;
}

static int sharing_show(struct inspection *i)
{
	AUTO_SHARING_REPORT struct sharing_report report = {0};
	AUTO_VIEW struct view *view = NULL;
	AUTO_BUFFER struct buffer text = {0};
	int found, r;

	interrupt_hear(INTERRUPTED);
	found = sharing_find(i, &report, &view);
	if (found < 0)
		return 1;
	if (i->look.form == LIST_JSON)
		r = sharing_json(&report, &text);
	else if (i->settings->matrix)
		r = sharing_print_matrix(&report, &text);
	else
		r = sharing_print_rows(&report, &text);
	if (r == 0)
		r = output_flush(&text);
	return r < 0 ? r : found;
}

int sharing_run(const struct settings *settings, bool is_check)
{
	return inspection_run(
		settings, is_check, CLI_VIEW_SHARING, sharing_options_parse, sharing_show);
}
