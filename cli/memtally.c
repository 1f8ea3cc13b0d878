/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/memtally.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/clock.h"
#include "base/log.h"
#include "cli/files.h"
#include "cli/hosttable.h"
#include "cli/map.h"
#include "cli/notice.h"
#include "cli/output.h"
#include "cli/print.h"
#include "cli/report.h"
#include "cli/selection.h"
#include "cli/source.h"
#include "cli/table.h"
#include "cli/usage.h"
#include "config/help.h"
#include "render/json.h"
#include "render/shares.h"
#include "snapshot/owner.h"

enum {
	EXIT_GOOD,
	EXIT_FAILED,
	EXIT_USAGE,
	PIECE_SIZE = 1 << 16,
};

/* The exit status for what printing returned. Whoever closed a pipe knows that. */
static int status_of(int r)
{
	if (r < 0 && r != -EPIPE)
		log_error("can't print: %s", strerror(-r));
	return r < 0 ? EXIT_FAILED : EXIT_GOOD;
}

/* The terminal's width in columns; 0 where standard output is none. */
static size_t terminal_width(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_col;
}

/* Where the host's memory is, then all else that is known of it. */
static int print_host(const struct settings *settings, const struct view *view)
{
	AUTO_BUFFER struct buffer text = {0};
	int r = 0;

	for (unsigned int i = 0; r >= 0 && i <= HOSTTABLES; i++) {
		AUTO_TABLE struct table table = {0};

		r = i < HOSTTABLES
		            ? hosttable_build(view, (enum hosttable)i, settings->bytes, &table)
		            : table_build_host(view, settings->bytes, &table);
		if (r == 0 && text.len)
			buffer_add_char(&text, '\n');
		if (r == 0)
			r = print_table(&table, terminal_width(), &text);
	}
	return r < 0 ? r : output_flush(&text);
}

static int print_text(const struct settings *settings, const struct selection *s,
	const struct view *view, const uint32_t *rows, size_t count, const struct sums *sums,
	const struct view *everybodys)
{
	const struct table_rows table_rows = {
		.scope = s->scope,
		.query = &s->query,
		.row = rows,
		.count = count,
		.limit = s->limit,
		.sums = sums,
		.everybodys = everybodys ? view_host(everybodys) : NULL,
		.bytes = settings->bytes,
	};
	AUTO_TABLE struct table table = {0};
	AUTO_BUFFER struct buffer text = {0};
	int r;

	if (s->scope == METRIC_HOST)
		return print_host(settings, view);
	r = table_build(view, &table_rows, &table);
	if (r == 0)
		r = print_table(&table, terminal_width(), &text);
	return r == 0 ? output_flush(&text) : r;
}

static int print_json(const struct selection *s, const struct view *view, const uint32_t *rows,
	size_t count, enum notice_source source)
{
	struct json_list list = {.view = view, .scope = s->scope, .rows = rows, .count = count};
	AUTO_BUFFER struct buffer text = {0};
	bool more = s->scope != METRIC_HOST;
	int r = 0;

	if (s->limit && s->limit < count)
		list.count = s->limit;
	json_render_head(view, clock_now_ns(CLOCK_BOOTTIME), source == NOTICE_DAEMON, &text);
	if (!more)
		json_render_host(view, &text);
	while (r == 0 && more) {
		more = json_list_render(&list, PIECE_SIZE, &text);
		r = output_flush(&text);
	}
	buffer_add_char(&text, '\n');
	return r == 0 ? output_flush(&text) : r;
}

static void say_notices(const struct view *view, const struct sums *sums, enum notice_source source)
{
	AUTO_BUFFER struct buffer lines = {0};
	char *line, *end;

	notice_render(view, sums, source, &lines);
	buffer_add_char(&lines, '\0');
	if (lines.error)
		return;
	for (line = lines.data; (end = strchr(line, '\n')); line = end + 1)
		log_warning("%.*s", (int)(end - line), line);
}

/* " --user=alice --unit=a.service": what rows are asked for by; nothing where that can't be told. */
static void add_filters(const struct settings *settings, struct buffer *to)
{
	const struct {
		const char *flag;
		const struct text_list *values;
	} filters[] = {
		{"user", &settings->user},
		{"program", &settings->program},
		{"unit", &settings->unit},
		{"group", &settings->group},
		{"user_unit", &settings->user_unit},
		{"session", &settings->session},
		{"slice", &settings->slice},
		{"machine", &settings->machine},
		{"pod", &settings->pod},
		{"container", &settings->container},
		{"pid", &settings->pid},
	};

	for (size_t i = 0; i < ARRAY_SIZE(filters); i++)
		for (size_t j = 0; j < filters[i].values->count; j++)
			buffer_printf(to, " --%s=%s", filters[i].flag, filters[i].values->item[j]);
	if (to->error)
		buffer_clear(to);
}

static void say_nothing_matches(const struct settings *settings, const struct source *source)
{
	AUTO_BUFFER struct buffer asked = {0};

	add_filters(settings, &asked);
	log_error("nothing matches: there is no process with memory%s%s%.*s",
		source->sight.kind == SIGHT_OWN ? " of yours" : "", asked.len ? " for" : "",
		(int)asked.len, asked.data ? asked.data : "");
}

/* The snapshot, whichever it is. */
static int open_source(
	const struct settings *settings, const struct selection *s, struct source *ret)
{
	AUTO_BUFFER struct buffer said = {0};
	int r = source_open(settings, selection_needs_processes(s), ret, &said);

	if (r < 0)
		log_error("can't read %s: %s", settings->path_procfs, strerror(-r));
	else
		log_info("%.*s", (int)said.len, said.data);
	return r;
}

/*
 * A thing without processes is in the snapshot for an hour for the sake of its series. Whoever names it
 * is told that it has gone; its row is there for programs.
 */
static int show(const struct settings *settings, struct selection *s)
{
	AUTO_SOURCE struct source source = {0};
	AUTO_VIEW struct view *view = NULL;
	AUTO_FREE uint32_t *rows = NULL;
	struct sums sums;
	bool is_none;
	size_t count;
	int r;

	if (open_source(settings, s, &source) < 0)
		return EXIT_FAILED;
	selection_set_sight(s, &source.sight);
	r = selection_run(s, source.view, &view, &rows, &count);
	if (r < 0) {
		log_error("can't sum up: %s", strerror(-r));
		return EXIT_FAILED;
	}
	selection_sum(s, view, rows, count, &sums);
	say_notices(source.view, &sums, source.who);
	is_none = selection_has_filters(s) && !sums.q[SCOPE_PROCESSES];
	if (is_none)
		say_nothing_matches(settings, &source);
	if (settings->json)
		r = print_json(s, view, rows, count, source.who);
	else if (!is_none)
		r = print_text(settings, s, view, rows, count, &sums,
			source.sight.kind == SIGHT_OWN ? source.sums : NULL);
	return r < 0 || !is_none ? status_of(r) : EXIT_FAILED;
}

/* What memtallyd is doing, by its own last snapshot; one that is too old is shown, too, but is a failure. */
static int show_status(const struct settings *settings)
{
	AUTO_VIEW struct view *view = NULL;
	AUTO_BUFFER struct buffer text = {0}, reason = {0};
	uint64_t now_ns;
	bool is_stale;
	int r = source_open_daemon(settings, &view, &reason);

	if (r < 0) {
		log_error("%.*s", (int)reason.len, reason.data ? reason.data : "");
		return EXIT_FAILED;
	}
	now_ns = clock_now_ns(CLOCK_BOOTTIME);
	is_stale = view_is_stale(view, now_ns);
	if (settings->json) {
		json_render_head(view, now_ns, true, &text);
		json_render_host_status(view, &text);
		buffer_add_char(&text, '\n');
	} else {
		report_render(view, now_ns, &text);
	}
	r = output_flush(&text);
	if (is_stale)
		log_error("memtallyd is there, but its next snapshot is overdue");
	return r < 0 || !is_stale ? status_of(r) : EXIT_FAILED;
}

/* Why there is no answer, for a person. */
static const char *why(int r)
{
	switch (r) {
	case -EBADMSG: return "what came is no answer of memtally-ledger's";
	case -EPROTO: return "it is of another version";
	case -EIO: return "it can't read its file; see its log";
	case -ETIMEDOUT: return "no answer";
	case -ECONNRESET: return "it has closed the connection";
	default: return strerror(-r);
	}
}

/* That nothing new has come into the ledger for a while, and whose fault it is. */
static void say_of_lateness(const struct usage_head *head)
{
	char text[PERIOD_TEXT_SIZE] = "it began";
	const char *reason = head->flags & USAGE_FAILING
	                             ? "memtally-ledger can't write, its log says why"
	                             : "no snapshots of memtallyd reach memtally-ledger";

	if (!(head->flags & USAGE_LATE))
		return;
	if (head->written_s >= 0)
		period_name(USAGE_PER_ALL, head->written_s, text);
	log_warning("nothing new is in the ledger since %s: %s", text, reason);
}

/* Whether some of that time is not kept as finely as was asked. */
static bool is_coarse(const struct bill *b)
{
	for (size_t i = 0; i < b->parts; i++)
		if (bill_is_coarse(&b->part[i]))
			return true;
	return false;
}

/* Whoever takes each row for an hour, say, bills too much. */
static void say_misnamed(const struct bill *b)
{
	for (size_t i = 0; i < b->parts; i++)
		if (b->part[i].items && bill_is_misnamed(b, &b->part[i])) {
			log_warning("some of that time is not kept by local %ss: "
				    "its rows say from when until when they are",
				bill_per(b));
			return;
		}
}

/* Which time the figures are of, which is seldom quite the one that was asked for. */
static void say_period(const struct bill *b)
{
	const struct bill_part *first = &b->part[0], *last = &b->part[b->parts - 1];
	char since[PERIOD_TEXT_SIZE], until[PERIOD_TEXT_SIZE], begins[PERIOD_TEXT_SIZE];
	bool is_late = last->head.first_s > first->head.since_s;

	if (first->head.since_s == last->head.until_s)
		return;
	period_name(USAGE_PER_ALL, first->head.since_s, since);
	period_name(USAGE_PER_ALL, last->head.until_s, until);
	period_name(USAGE_PER_ALL, last->head.first_s, begins);
	log_info("usage from %s to %s%s%s%s%s", since, until,
		b->is_cut ? ", which is now: what is asked for beyond that has not passed yet" : "",
		is_coarse(b) ? "; some of that time is kept by larger spans" : "",
		is_late ? "; the ledger begins at " : "", is_late ? begins : "");
}

/* What of the answer people would take for something else. */
static void say_of_usage(const struct bill *b)
{
	const struct bill_part *last = &b->part[b->parts - 1];

	say_of_lateness(&last->head);
	say_period(b);
	say_misnamed(b);
	if (last->head.flags & USAGE_NOT_OWN)
		log_warning("usage by %s is shown to root and group memtally only",
			owner_of(usage_owner(b->kind))->name);
	else if (last->head.flags & USAGE_OWN_ONLY)
		log_info("your own: usage of others is shown to root and group memtally only");
}

/*
 * The ledger does not keep what part of a figure was measured when, so all that can be said is what it is now; nothing
 * where memtallyd does not answer, or measures all.
 */
static void say_estimated(const struct settings *settings)
{
	AUTO_VIEW struct view *view = NULL;
	AUTO_BUFFER struct buffer reason = {0}, text = {0};
	struct shares s;

	if (source_open_daemon(settings, &view, &reason) < 0 || !shares_of(view_host(view), &s) ||
		s.measured_bytes == s.pss_bytes)
		return;
	shares_add_percent(&text, &s, s.estimated_bytes);
	buffer_add_text(&text, " of the PSS estimated and ");
	shares_add_percent(&text, &s, s.guessed_bytes);
	buffer_add_text(&text, " guessed");
	if (!text.error)
		log_info("which part was estimated is not kept; now memtallyd has %.*s",
			(int)text.len, text.data);
}

/* Why there is no row. */
static void say_nothing_is_kept(const struct settings *settings, const struct bill *b)
{
	const struct bill_part *first = &b->part[0], *last = &b->part[b->parts - 1];
	bool is_own = last->head.flags & USAGE_OWN_ONLY;
	AUTO_BUFFER struct buffer asked = {0};

	if (last->head.flags & USAGE_NOT_OWN)
		return; /* that was said */
	add_filters(settings, &asked);
	if (first->head.since_s == last->head.until_s)
		log_error("that time is too short: the ledger %s",
			is_coarse(b) ? "has larger spans of it alone" : "counts by five minutes");
	else
		log_error("the ledger has nothing%s of that time%s%.*s", is_own ? " of yours" : "",
			asked.len ? " for" : "", (int)asked.len, asked.data ? asked.data : "");
	if (asked.len && bill_has_other(b))
		log_info("where there were too many, those with least are summed up as (other)");
}

static int print_usage(const struct settings *settings, const struct bill *b)
{
	AUTO_TABLE struct table table = {0};
	AUTO_BUFFER struct buffer text = {0};
	int r = 0;

	if (settings->json)
		bill_json(b, &text);
	else if (settings->csv)
		bill_csv(b, &text);
	else if (bill_rows(b))
		r = bill_table(b, &table);
	if (r == 0 && table.columns)
		r = print_table(&table, terminal_width(), &text);
	return r == 0 ? output_flush(&text) : r;
}

static int show_usage(const struct settings *settings, struct bill *b)
{
	int r = usage_ask(settings->ledger_socket, b);

	if (r < 0) {
		log_error("nothing from memtally-ledger: %s: %s", settings->ledger_socket, why(r));
		return EXIT_FAILED;
	}
	say_of_usage(b);
	r = print_usage(settings, b);
	if (r == 0 && !bill_rows(b)) {
		say_nothing_is_kept(settings, b);
		return EXIT_FAILED;
	}
	if (r == 0 && !settings->json && !settings->csv)
		say_estimated(settings);
	return status_of(r);
}

static int show_map(const struct settings *settings, struct map *m)
{
	int r = map_show(settings, m);

	return r > 0 ? EXIT_FAILED : status_of(r);
}

static int show_files(const struct settings *settings, struct files *f)
{
	int r = files_show(settings, f, terminal_width());

	return r > 0 ? EXIT_FAILED : status_of(r);
}

static int print_line(const char *text)
{
	AUTO_BUFFER struct buffer line = {0};

	buffer_add_text(&line, text);
	buffer_add_char(&line, '\n');
	return status_of(output_flush(&line));
}

static int print_help(void)
{
	AUTO_BUFFER struct buffer text = {0};

	help_render(PROGRAM_MEMTALLY,
		"memtally [FLAG...] [programs|users|groups|units|user_units|sessions|slices|machines|pods|containers|"
		"processes|host|status|usage|map PID...|files [PID...]]",
		"Prints how much memory programs (by default), other owners (users, groups, units,\n"
		"containers and so on), processes or the whole host really use; status: what memtallyd\n"
		"is doing; usage: who used how much over time, by memtally-ledger;\n"
		"map: what processes have mapped; files: the files that all of them have.",
		&text);
	return status_of(output_flush(&text));
}

int memtally_run(int argc, char *argv[])
{
	AUTO_SETTINGS struct settings *settings = NULL;
	AUTO_BILL struct bill bill = {0};
	AUTO_MAP struct map map = {0};
	AUTO_FILES struct files files = {0};
	struct selection selection = {0};
	char error[SETTINGS_ERROR_SIZE];

	log_open("memtally", LOG_LEVEL_INFO);
	signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of write like any other */
	setlocale(LC_CTYPE, "");  /* what the terminal can print; numbers stay as they are */
	if (settings_load(PROGRAM_MEMTALLY, argc, argv, &settings, error) < 0) {
		log_error("%s", error);
		return EXIT_USAGE;
	}
	switch (settings_action(settings)) {
	case SETTINGS_HELP: return print_help();
	case SETTINGS_VERSION: return print_line("memtally " PACKAGE_VERSION);
	case SETTINGS_CHECK:
	case SETTINGS_RUN: break;
	}
	log_set_level((enum log_level)settings->log_level);
	if (map_is_asked(settings)) {
		if (map_parse(settings, &map, error) < 0) {
			log_error("%s; try --help", *error ? error : "out of memory");
			return EXIT_USAGE;
		}
	} else if (files_are_asked(settings)) {
		if (files_parse(settings, &files, error) < 0) {
			log_error("%s; try --help", *error ? error : "out of memory");
			return EXIT_USAGE;
		}
	} else if (usage_is_asked(settings)) {
		int64_t now_s = (int64_t)(clock_now_ns(CLOCK_REALTIME) / NS_PER_SEC);

		if (usage_parse(settings, now_s, &bill, error) < 0) {
			log_error("%s; try --help", *error ? error : "out of memory");
			return EXIT_USAGE;
		}
	} else if (selection_parse(settings, &selection, error) < 0) {
		log_error("%s; try --help", error);
		return EXIT_USAGE;
	}
	if (settings->file_was_denied)
		log_info("%s may not be read, so the defaults apply", settings->config_file);
	if (settings_action(settings) == SETTINGS_CHECK)
		return print_line("the configuration is good");
	if (map_is_asked(settings))
		return show_map(settings, &map);
	if (files_are_asked(settings))
		return show_files(settings, &files);
	if (usage_is_asked(settings))
		return show_usage(settings, &bill);
	return selection.scope == METRIC_SELF ? show_status(settings) : show(settings, &selection);
}
