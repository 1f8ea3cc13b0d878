/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/sharing/sharing.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "cli/common/averages.h"
#include "cli/common/command.h"
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
static void sharing_say_none(const struct sharing_walk *w, const struct settings *settings)
{
	if (w->options->chosen.has_filters || !w->options->chosen.count)
		no_match_say(settings, w->view, view_self(w->view)->flags & SELF_PROC_HIDDEN);
}

static int sharing_look(
	struct sharing_walk *w, const struct settings *settings, struct sharing_report *ret)
{
	int r = sharing_groups_make(w->options, w->view, &w->procfs, &w->groups, &w->has_failed);

	if (r == SHARING_GROUPS_NONE)
		sharing_say_none(w, settings);
	if (r == 0)
		r = sharing_walk_all(w);
	if (r != 0)
		return r;
	sharing_statistics_say(w);
	return sharing_report_make(w, settings, ret);
}

/*
 * Scans processes as A asks, and makes the report in *RET, which borrows names of *RET_VIEW.
 * Returns 0; 1 if a process that was asked for could not be read, and the rest is there; -ECANCELED
 * if there is no result, and the reason has been logged. If no process matches, CSV has an empty
 * report.
 */
static int sharing_find(const struct settings *settings, const struct sharing_options *a,
	struct sharing_report *ret, struct view **ret_view)
{
	AUTO_SHARING_WALK struct sharing_walk w;
	AUTO_VIEW struct view *view = NULL;
	int r = sharing_walk_open(&w, a, settings);

	if (r == 0) {
		if (w.procfs.is_kernels)
			(void)averages_warn();
		r = source_list(settings, &view);
	}
	w.view = view;
	if (r == 0)
		r = sharing_look(&w, settings, ret);
	if (r == SHARING_GROUPS_NONE) {
		*ret = sharing_report_empty(a);
		return a->csv ? 1 : -ECANCELED;
	}
	if (r < 0) {
		if (r != -ECANCELED)
			log_error("cannot scan all processes: %s", strerror(-r));
		return -ECANCELED;
	}
	*ret_view = TAKE_PTR(view);
	return w.has_failed;
}

static int sharing_print(const struct sharing_options *a, const struct sharing_report *report)
{
	enum list_form form = list_form_of(a->json, a->csv, LIST_TABLE);
	AUTO_BUFFER struct buffer text = {0};
	int r;

	if (a->json)
		r = sharing_json(report, &text);
	else if (a->matrix)
		r = sharing_print_matrix(report, form, command_width(), &text);
	else
		r = sharing_print_rows(report, form, command_width(), &text);
	return r == 0 ? output_flush(&text) : r;
}

static int sharing_show(const struct settings *settings, const struct sharing_options *a)
{
	AUTO_SHARING_REPORT struct sharing_report report = {0};
	AUTO_VIEW struct view *view = NULL;
	int r, printed;

	interrupt_hear(INTERRUPTED);
	r = sharing_find(settings, a, &report, &view);
	if (r < 0)
		return COMMAND_FAILED;
	report.has_styles = command_has_styles();
	printed = command_printed(sharing_print(a, &report));
	return r ? COMMAND_FAILED : printed;
}

int sharing_run(const struct settings *settings, bool is_check)
{
	AUTO_SHARING_OPTIONS struct sharing_options options = {0};
	char error[PID_SELECTION_ERROR_SIZE] = "";

	if (sharing_options_parse(settings, &options, error) < 0)
		return command_refuse(error);
	return is_check ? COMMAND_GOOD : sharing_show(settings, &options);
}
