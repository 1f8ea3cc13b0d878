/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/site/page.h"

#include "base/clock.h"
#include "render/human.h"
#include "render/shares.h"
#include "snapshot/sums.h"
#include "web/assets/assets.h"
#include "web/page/balance-part.h"
#include "web/page/bar.h"
#include "web/page/html.h"
#include "web/page/owner-part.h"
#include "web/page/time-part.h"
#include "web/own/fixed-width.h"
#include "web/site/routes.h"

static const char page_head[] =
	"<!DOCTYPE html>\n"
	"<html lang=\"en\">\n"
	"<head>\n"
	"<meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<meta name=\"color-scheme\" content=\"light dark\">\n"
	"<title>memtally</title>\n";

static const char page_begin[] =
	"</head>\n"
	"<body>\n"
	"<header>\n"
	"<h1>memtally</h1>\n"
	"<p>How much memory each process, program, user and systemd unit of this host really uses: its"
	" PSS, in which shared memory is divided among the processes that share it.</p>\n";

/* Parts that the script fills in, before the tables and behind them. */
static const char page_map[] = "<section id=\"map\" aria-labelledby=\"map-title\" hidden>\n"
			       "<h2 id=\"map-title\">Map of users, programs and processes</h2>\n"
			       "</section>\n";
static const char page_pictures[] =
	"<section id=\"history\" aria-labelledby=\"history-title\" hidden>\n"
	"<h2 id=\"history-title\">History</h2>\n"
	"</section>\n"
	"<section id=\"processes\" aria-labelledby=\"processes-title\" hidden>\n"
	"<h2 id=\"processes-title\">Processes</h2>\n"
	"</section>\n";

static const char page_end[] =
	"<p>Parameters sort lists and select rows: "
	"<code>/api/v1/processes?sort=rss_bytes&amp;limit=10&amp;user=NAME</code>. "
	"<code>/api/v1/processes/PID</code> is one process.</p>\n"
	"</section>\n"
	"</main>\n"
	"<footer><p>memtally-web " PACKAGE_VERSION "</p></footer>\n"
	"</body>\n"
	"</html>";

/* Adds a link to ROW. Its texts have no characters to escape. */
static void page_add_link(const struct route_row *row, struct buffer *to)
{
	buffer_printf(to,
		"<tr><th scope=\"row\"><a href=\"%s%s\"><code>%s%s</code></a></th><td>%s</td></tr>\n",
		row->folder, row->name, row->folder, row->name, row->what);
}

/* Adds links to all paths but this page, single processes and further names of a path. */
static void page_add_links(const char *telemetry_path, struct buffer *to)
{
	struct route_row row;

	buffer_add_text(to,
		"<section id=\"paths\" aria-labelledby=\"paths-title\">\n"
		"<h2 id=\"paths-title\">Paths</h2>\n"
		"<div class=\"wide\"><table>\n<caption>What memtally-web serves</caption>\n"
		"<thead><tr><th scope=\"col\">Path</th><th scope=\"col\">Answer</th></tr></thead>\n"
		"<tbody>\n");
	for (size_t i = 0; routes_row(i, telemetry_path, &row); i++)
		if (!row.is_alias && row.route != ROUTE_PAGE && row.route != ROUTE_PROCESS)
			page_add_link(&row, to);
	buffer_add_text(to, "</tbody></table></div>\n");
}

/*
 * Adds how many processes are missing from the sums. If /proc hides processes, their number is
 * unknown. The script changes "missing" and leaves "proc-hidden", which is in no answer that it
 * asks for.
 */
static void add_missing(const struct view *view, struct buffer *to)
{
	const struct snapshot_scope *host = view_host(view);
	bool is_hidden = view_self(view)->flags & SELF_PROC_HIDDEN;
	uint64_t missing = sums_unmeasured(host->present, host->q);

	buffer_add_text(to, "<span id=\"missing\">");
	if (missing && ROW_HAS(host, SCOPE_PROCESSES)) {
		buffer_add_char(to, ' ');
		buffer_add_u64(to, missing);
		buffer_add_text(to, " of ");
		buffer_add_u64(to, host->q[SCOPE_PROCESSES]);
		buffer_add_text(to, " processes could not be measured.");
	} else if (!view_is_complete(view) && !is_hidden) {
		buffer_add_text(to, " Not every process could be measured.");
	}
	buffer_add_text(to, "</span>");
	if (is_hidden)
		buffer_add_text(to, "<span id=\"proc-hidden\"> /proc hides other users' processes "
				    "(hidepid) from memtallyd: they are missing.</span>");
}

/* Adds the age of the snapshot in whole seconds. */
static void add_age(struct fixed_width *fixed, const struct status *s)
{
	struct buffer *to = fixed->to;
	char time[CLOCK_TEXT_SIZE];
	uint64_t age_ns;

	if (s->past_problem) {
		buffer_add_text(
			to, "<p id=\"measured\" class=\"bad\">There are no figures of that time: ");
		html_add_text(to, s->past_problem);
		buffer_add_text(to, ".</p>\n");
		return;
	}
	if (!s->view) {
		buffer_add_text(to, "<p id=\"measured\" class=\"bad\">There is no snapshot yet: ");
		buffer_add_text(to, s->is_connected ? "memtallyd has not sent one.</p>\n"
						    : "memtallyd cannot be reached.</p>\n");
		return;
	}
	age_ns = view_age_ns(s->view, s->now_boottime_ns);
	clock_format_rfc3339(s->view->header->realtime_ns, time);
	buffer_add_text(
		to, s->is_fresh ? "<p id=\"measured\">" : "<p id=\"measured\" class=\"bad\">");
	buffer_add_text(to, "<span id=\"age\">The snapshot of ");
	buffer_add_text(to, time);
	buffer_add_text(to, " is ");
	fixed_width_add_seconds(fixed, age_ns - age_ns % NS_PER_SEC);
	buffer_add_text(to, s->is_fresh ? " s old" : " s old, which is stale: it is not shown");
	buffer_add_text(to, ".</span>");
	add_missing(s->view, to);
	buffer_add_text(to, "</p>\n");
}

static void page_add_guessed(
	const struct snapshot_scope *host, const struct shares *s, struct buffer *to)
{
	buffer_add_text(to, ", ");
	shares_add_percent(to, s, s->guessed_bytes);
	buffer_add_text(to, " guessed, ");
	buffer_add_u64(to, host->q[SCOPE_GUESSED]);
	buffer_add_text(to, host->q[SCOPE_GUESSED] == 1 ? " process never measured"
							: " processes never measured");
}

/* Adds how much was measured, estimated and guessed, in the same words as `memtally status`. */
static void page_add_shares(struct fixed_width *fixed, const struct view *view, uint64_t age_ns)
{
	const struct snapshot_scope *host = view_host(view);
	const struct snapshot_self *self = view_self(view);
	struct buffer *to = fixed->to;
	struct shares s;

	if (!shares_of(host, &s))
		return;
	buffer_add_text(to, ": ");
	shares_add_measured(to, &s, host);
	buffer_add_text(to, " measured within the last interval");
	if (s.estimated_bytes) {
		buffer_add_text(to, ", ");
		shares_add_percent(to, &s, s.estimated_bytes);
		buffer_add_text(to, " estimated");
	}
	if (s.estimated_bytes && ROW_HAS(self, SELF_OLDEST_AGE)) {
		buffer_add_text(to, " from measurements up to ");
		fixed_width_add_age(fixed, self->q[SELF_OLDEST_AGE] + age_ns);
		buffer_add_text(to, " old");
	}
	if (ROW_HAS(host, SCOPE_GUESSED) && host->q[SCOPE_GUESSED])
		page_add_guessed(host, &s, to);
}

/* Adds memtallyd's mode and the sum of PSS. */
static void page_add_mode(struct fixed_width *fixed, const struct view *view, uint64_t age_ns)
{
	const struct snapshot_scope *host = view_host(view);
	struct buffer *to = fixed->to;
	bool is_adaptive = snapshot_is_adaptive(view_self(view));

	buffer_add_text(to,
		is_adaptive
			? "<p id=\"certainty\">Mode: adaptive. Processes that are new or in doubt are "
			  "measured, all others from time to time; in between their "
			  "figures are carried forward."
			: "<p id=\"certainty\">Mode: exact. Every process is measured each time.");
	if (ROW_HAS(host, SCOPE_PSS)) {
		buffer_add_text(to, view_is_complete(view) ? " All processes together use "
							   : " The processes measured use ");
		human_add_bytes(to, host->q[SCOPE_PSS]);
		shares_add_bounds(to, ", ", host);
		if (is_adaptive)
			page_add_shares(fixed, view, age_ns);
		buffer_add_char(to, '.');
	}
	buffer_add_text(to, "</p>\n");
}

/* Adds the reads that the kernel blocked when the snapshot was taken. */
static void page_add_blocked(struct fixed_width *fixed, const struct view *view, uint64_t age_ns)
{
	const struct snapshot_self *self = view_self(view);
	struct buffer *to = fixed->to;

	if (!ROW_HAS(self, SELF_BLOCKED_READS) || !self->q[SELF_BLOCKED_READS])
		return;
	buffer_add_text(to, "<p id=\"blocked\" class=\"bad\">The kernel blocks ");
	buffer_add_u64(to, self->q[SELF_BLOCKED_READS]);
	buffer_add_text(to, self->q[SELF_BLOCKED_READS] == 1 ? " read" : " reads");
	buffer_add_text(to, " of processes' files");
	if (ROW_HAS(self, SELF_BLOCKED_OLDEST)) {
		buffer_add_text(to, ", the oldest for ");
		fixed_width_add_age(fixed, self->q[SELF_BLOCKED_OLDEST] + age_ns);
	}
	buffer_add_text(to, ". The figures of these processes are estimates, or their RSS.</p>\n");
}

/* Adds why the page has no processes, WHY; NULL: it has some. */
static void page_add_sums_only(const char *why, struct buffer *to)
{
	if (!why)
		return;
	buffer_add_text(to, "<p id=\"sums-only\" class=\"banner\">Only sums are shown: ");
	html_add_text(to, why);
	buffer_add_text(to, ".</p>\n");
}

/* Adds the style sheet, and the script if this build has it. */
static void page_add_assets(struct buffer *to)
{
	const struct asset *script = assets_of(ASSETS_SCRIPT);

	buffer_printf(to, "<link rel=\"stylesheet\" href=\"%s\">\n", assets_of(ASSETS_STYLE)->path);
	if (script)
		buffer_printf(to, "<script src=\"%s\" defer></script>\n", script->path);
}

/* Adds how old the figures are and how sure. If the page IS_PAST, the ages in them are of that moment. */
static void page_add_state(struct fixed_width *fixed, const struct status *s, bool is_past)
{
	uint64_t age_ns;

	buffer_add_text(fixed->to, "<div id=\"state\">\n");
	add_age(fixed, s);
	if (s->view && s->is_fresh) {
		age_ns = is_past ? 0 : view_age_ns(s->view, s->now_boottime_ns);
		page_add_mode(fixed, s->view, age_ns);
		page_add_blocked(fixed, s->view, age_ns);
		page_add_sums_only(s->sums_only, fixed->to);
	}
	buffer_add_text(fixed->to, "</div>\n");
	if (assets_of(ASSETS_SCRIPT))
		buffer_add_text(fixed->to,
			"<noscript><p>Scripts are off in this browser: the figures stay as they are "
			"until the page is loaded again, and there are no pictures.</p></noscript>\n");
}

/* Begins the main part. For the script it has the moment that is shown, or that there is none. */
static void page_begin_main(const struct page_query *query, bool is_missing, struct buffer *to)
{
	uint64_t ms = query->at_ns / NS_PER_MSEC;

	if (query->at_ns)
		buffer_printf(to, "<main data-at=\"%llu.%03llu\">\n",
			(unsigned long long)(ms / 1000), (unsigned long long)(ms % 1000));
	else
		buffer_add_text(to, is_missing ? "<main data-at=\"\">\n" : "<main>\n");
}

/* Adds links to the parts of the page; parts with figures if HAS_FIGURES. */
static void page_add_parts(bool has_figures, struct buffer *to)
{
	static const struct {
		const char *id, *title;
		bool has_figures, is_picture;
	} parts[] = {
		{"balance", "Host", true, false},
		{"map", "Map", true, true},
		{"users", "Users", true, false},
		{"programs", "Programs", true, false},
		{"history", "History", true, true},
		{"processes", "Processes", true, true},
		{"paths", "Paths", false, false},
	};

	buffer_add_text(to, "<nav aria-label=\"Parts of the page\"><ul class=\"parts\">\n");
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if ((has_figures || !parts[i].has_figures) &&
			(assets_of(ASSETS_SCRIPT) || !parts[i].is_picture))
			buffer_printf(to, "<li%s><a href=\"#%s\">%s</a></li>\n",
				parts[i].is_picture ? " class=\"scripted\"" : "", parts[i].id,
				parts[i].title);
	buffer_add_text(to, "</ul></nav>\n");
}

/* Adds the parts with figures, which need a fresh snapshot. Returns 0 or -ENOMEM. */
static int page_add_figures(
	const struct view *view, const struct page_query *query, struct buffer *to)
{
	int r = 0;

	buffer_add_text(to, "<div id=\"figures\">\n" BAR_PATTERN);
	balance_part_render(view, to);
	if (assets_of(ASSETS_SCRIPT))
		buffer_add_text(to, page_map);
	for (enum page_table i = 0; r == 0 && i < PAGE_TABLES; i++)
		r = owner_part_render(view, i, query, to);
	if (assets_of(ASSETS_SCRIPT))
		buffer_add_text(to, page_pictures);
	buffer_add_text(to, "</div>\n");
	return r;
}

int page_render(const struct status *s, const struct page_query *query, const char *telemetry_path,
	struct buffer *to)
{
	struct fixed_width fixed = {.to = to};
	int r = 0;

	buffer_add_text(to, page_head);
	page_add_assets(to);
	buffer_add_text(to, page_begin);
	page_add_state(&fixed, s, query->at_ns);
	time_part_render(query, query->at_ns || s->past_problem, to);
	page_add_parts(s->view && s->is_fresh, to);
	buffer_add_text(to, "</header>\n");
	page_begin_main(query, s->past_problem, to);
	if (s->view && s->is_fresh)
		r = page_add_figures(s->view, query, to);
	page_add_links(telemetry_path, to);
	buffer_add_text(to, page_end);
	fixed_width_settle(&fixed);
	buffer_add_char(to, '\n');
	return r < 0 ? r : to->error;
}
