/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/lists/listing.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "cli/common/command.h"
#include "cli/common/no-match.h"
#include "cli/common/notice.h"
#include "cli/common/past-session.h"
#include "cli/common/selection.h"
#include "cli/common/source.h"
#include "cli/lists/hosttable.h"
#include "cli/lists/owner-rows.h"
#include "cli/lists/report.h"
#include "cli/table/line.h"
#include "cli/table/output.h"
#include "render/json.h"
#include "snapshot/owner.h"

enum { PIECE_SIZE = 1 << 16 };

/*
 * Prints the balance sheet or, with --all or if VIEW has none, the tables of hosttable.h; as CSV
 * only all quantities of the host.
 */
static int print_host(const struct settings *settings, const struct view *view)
{
	struct list_look look = command_look(settings, LIST_TABLE);
	AUTO_BUFFER struct buffer text = {0};
	bool is_enough = false;
	int r = 0;

	for (unsigned int i = settings->csv ? HOSTTABLE_FIELDS : 0;
		r >= 0 && !is_enough && i < HOSTTABLES; i++) {
		AUTO_BUFFER struct buffer table = {0};
		AUTO_LIST struct list list;

		r = hosttable_build(view, (enum hosttable)i, &look, &table, &list);
		is_enough = i == HOSTTABLE_MEMORY && r == 0 && !settings->all;
		if (r == 0)
			r = list_end(&list);
		if (r == 0 && text.len)
			buffer_add_char(&text, '\n');
		if (r == 0)
			buffer_add(&text, table.data, table.len);
	}
	return r < 0 ? r : output_flush(&text);
}

static int listing_print_text(const struct settings *settings, const struct selection *s,
	const struct view *view, const uint32_t *rows, size_t count, const struct sums *sums,
	const struct view *everybodys)
{
	const struct owner_rows owner_rows = {
		.scope = s->scope,
		.query = &s->query,
		.row = rows,
		.count = count,
		.look = command_look(settings, LIST_TABLE),
		.sums = sums,
		.everybodys = everybodys ? view_host(everybodys) : NULL,
	};
	AUTO_BUFFER struct buffer text = {0};
	int r;

	if (s->scope == METRIC_HOST)
		return print_host(settings, view);
	r = owner_rows_print(view, &owner_rows, &text);
	return r == 0 ? output_flush(&text) : r;
}

static int listing_print_json(const struct selection *s, const struct view *view,
	const uint32_t *rows, size_t count, const struct source *source)
{
	struct json_list list = {.view = view, .scope = s->scope, .rows = rows, .count = count};
	AUTO_BUFFER struct buffer text = {0};
	bool more = s->scope != METRIC_HOST;
	int r = 0;

	if (s->limit && s->limit < count)
		list.count = s->limit;
	json_render_head(view, source->now_ns, source->origin == NOTICE_DAEMON, &text);
	if (!more)
		json_render_host(view, &text);
	while (r == 0 && more) {
		more = json_list_render(&list, PIECE_SIZE, &text);
		r = output_flush(&text);
	}
	buffer_add_char(&text, '\n');
	return r == 0 ? output_flush(&text) : r;
}

/*
 * Warns about what is missing. Without a daemon one line stands for other users' processes, unless
 * filters ask for some of them.
 */
static void say_notices(
	const struct source *source, const struct selection *s, const struct sums *sums)
{
	AUTO_BUFFER struct buffer lines = {0};

	notice_render(source->view, sums, source->origin, &lines);
	if (source->origin == NOTICE_LIVE && !selection_has_filters(s))
		notice_add_hidden(source->view, &source->sight, &lines);
	command_warn(&lines);
}

/* Warns if rows are not sorted as asked, because the kernel does not provide the figure. */
static void say_unsorted(const struct settings *settings, const struct selection *s,
	const struct view *view, const uint32_t *rows, size_t count)
{
	const struct owner_rows owner_rows = {
		.scope = s->scope, .query = &s->query, .row = rows, .count = count};

	if (settings->sort && !owner_rows_can_sort(view, &owner_rows))
		log_warning(
			"--sort=%s has no effect: no %s has this figure, because no memory controller "
			"is mounted, or it has no such cgroups",
			settings->sort, metric_scope_name(s->scope));
}

/* Warns if VIEW, of all processes, is to list namegroups and has none, which is so without rules. */
static void say_unnamed(const struct selection *s, const struct view *view)
{
	if (s->scope != METRIC_NAMEGROUP)
		return;
	for (uint32_t i = 0; i < view_count(view, s->scope); i++) {
		const struct snapshot_scope *row = view_scope(view, s->scope, i);

		if (!(row->flags & SCOPE_OTHER) &&
			strcmp(view_text(view, row->name), OWNER_NONE) != 0)
			return;
	}
	log_warning("no process is in a namegroup: is naming.process_exporter set?");
}

/* Opens the snapshot, that of AT unless it is NULL, and logs its source or the error. */
static int open_source(const struct settings *settings, const struct past_moment *at,
	enum source_rows rows, struct source *ret)
{
	AUTO_BUFFER struct buffer said = {0}, reason = {0};
	int r = at ? source_open_recorded(settings, at, rows, ret, &said, &reason)
	           : source_open(settings, rows, ret, &said);

	if (r < 0 && at)
		log_error("%.*s", (int)reason.len, reason.data ? reason.data : "");
	else if (r < 0)
		command_say_unreadable(settings, r);
	else
		log_info("%.*s", (int)said.len, said.data);
	return r;
}

/*
 * Lists rows. An owner without processes stays in the snapshot for an hour, so that its series goes
 * on. If a filter names such an owner, memtally says that no process matches, and prints its row
 * only as JSON and CSV.
 */
static int listing_show(
	const struct settings *settings, const struct past_moment *at, struct selection *s)
{
	AUTO_SOURCE struct source source = {0};
	AUTO_VIEW struct view *view = NULL;
	AUTO_FREE uint32_t *rows = NULL;
	struct sums sums;
	bool is_none;
	size_t count;
	int r;

	if (open_source(settings, at, selection_needs(s), &source) < 0)
		return COMMAND_FAILED;
	selection_set_sight(s, &source.sight);
	r = selection_run(s, source.view, &view, &rows, &count);
	if (r < 0) {
		log_error("cannot sum up: %s", strerror(-r));
		return COMMAND_FAILED;
	}
	selection_sum(s, view, rows, count, &sums);
	say_notices(&source, s, &sums);
	say_unsorted(settings, s, view, rows, count);
	say_unnamed(s, source.view);
	is_none = selection_has_filters(s) && !sums.q[SCOPE_PROCESSES];
	if (is_none)
		no_match_say(settings, source.view, source_hides_others(&source));
	if (settings->json)
		r = listing_print_json(s, view, rows, count, &source);
	else if (!is_none || settings->csv)
		r = listing_print_text(settings, s, view, rows, count, &sums,
			source.sight.kind == SIGHT_OWN ? source.sums : NULL);
	return r < 0 || !is_none ? command_printed(r) : COMMAND_FAILED;
}

/* Appends a line with the time that memtally-recorder has, if it answers at once. */
static void add_recording(const struct settings *settings, struct buffer *to)
{
	struct past_head head;

	if (!past_session_peek(settings, &head))
		return;
	line_begin(to, "Recording");
	if (head.first_ns)
		past_session_add_coverage(&head, clock_now_ns(CLOCK_REALTIME), to);
	else
		buffer_add_text(to, "nothing yet");
	buffer_add_text(to, head.flags & PAST_FAILING ? "; it fails at present\n" : "\n");
}

/*
 * Prints VIEW as the status at NOW_NS (CLOCK_BOOTTIME); IS_PRESENT: with the line of the recording.
 * Returns 0 or a negative errno.
 */
static int print_status(
	const struct settings *settings, const struct view *view, uint64_t now_ns, bool is_present)
{
	AUTO_BUFFER struct buffer text = {0};

	if (settings->json) {
		json_render_head(view, now_ns, true, &text);
		json_render_host_status(view, &text);
		buffer_add_char(&text, '\n');
	} else {
		AUTO_BUFFER struct buffer lines = {0};

		report_render(view, now_ns, &lines);
		if (is_present)
			add_recording(settings, &lines);
		line_fold(&lines, command_width(), &text);
	}
	return output_flush(&text);
}

/* Prints memtallyd's status at the time AT. */
static int show_recorded_status(const struct settings *settings, const struct past_moment *at)
{
	AUTO_SOURCE struct source source = {0};

	if (open_source(settings, at, SOURCE_HOST, &source) < 0)
		return COMMAND_FAILED;
	return command_printed(print_status(settings, source.view, source.now_ns, false));
}

/*
 * Prints memtallyd's status from its last snapshot. A stale snapshot is printed, too, but the
 * command fails.
 */
static int show_status(const struct settings *settings)
{
	AUTO_VIEW struct view *view = NULL;
	AUTO_BUFFER struct buffer reason = {0};
	uint64_t now_ns;
	bool is_stale;
	int r = source_open_daemon(settings, &view, &reason);

	if (r < 0) {
		command_add_advice(&reason, r, PROGRAM_MEMTALLYD, settings);
		log_error("%.*s", (int)reason.len, reason.data ? reason.data : "");
		return COMMAND_FAILED;
	}
	now_ns = clock_now_ns(CLOCK_BOOTTIME);
	is_stale = view_is_stale(view, now_ns);
	r = print_status(settings, view, now_ns, true);
	if (is_stale)
		log_error("memtallyd runs, but its next snapshot is overdue");
	return r < 0 || !is_stale ? command_printed(r) : COMMAND_FAILED;
}

int listing_run(const struct settings *settings, bool is_check)
{
	struct selection selection = {0};
	struct settings own = *settings;
	char error[QUERY_ERROR_SIZE] = "", room[METRIC_NAME_SIZE];
	char *sort = settings->sort ? owner_rows_find_sort(settings->sort, room) : NULL;
	struct past_moment at;
	int r;

	if (sort)
		own.sort = sort;
	r = selection_parse(&own, &selection, error);
	if (r == SELECTION_BAD_SORT)
		owner_rows_refuse_sort(selection.scope, settings->sort, error);
	if (r == 0 && settings->at)
		r = past_moment_parse(
			"--at", settings->at, clock_now_ns(CLOCK_REALTIME), &at, error);
	if (r != 0)
		return command_refuse(error);
	if (is_check)
		return COMMAND_GOOD;
	if (selection.scope == METRIC_SELF)
		return settings->at ? show_recorded_status(settings, &at) : show_status(settings);
	return listing_show(settings, settings->at ? &at : NULL, &selection);
}

void listing_add_sorts(const char *list, struct sort_names *to)
{
	enum metric_scope scope;

	if (selection_find_view(list, &scope) == 0)
		owner_rows_add_sorts(scope, to);
}
