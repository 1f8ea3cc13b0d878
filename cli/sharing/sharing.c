/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/sharing/sharing.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "cli/common/reading/averages.h"
#include "cli/common/interrupt.h"
#include "cli/common/no-match.h"
#include "cli/common/source.h"
#include "cli/sharing/sharing-groups.h"
#include "cli/sharing/sharing-options.h"
#include "cli/sharing/sharing-report.h"
#include "cli/sharing/sharing-statistics.h"
#include "cli/sharing/sharing-walk.h"
#include "cli/table/output.h"

/* The exit status at Ctrl-C. */
enum { INTERRUPTED = 130 };

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
	int r = sharing_groups_make(w->options, w->view, &w->procfs, &w->groups, &w->has_failed);

	if (r == SHARING_GROUPS_NONE)
		sharing_say_none(w);
	if (r == 0)
		r = sharing_walk_all(w);
	if (r != 0)
		return r;
	sharing_statistics_say(w);
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
			(void)averages_warn();
		r = source_list(i->settings, &view);
	}
	w.view = view;
	if (r == 0)
		r = sharing_look(&w, ret);
	if (r == SHARING_GROUPS_NONE) {
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
