/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/site/page.h"

#include "base/clock.h"
#include "render/human.h"
#include "render/shares.h"
#include "snapshot/sums.h"
#include "web/site/fixed-width.h"
#include "web/site/routes.h"

static const char page_head[] =
	"<!DOCTYPE html>\n"
	"<html lang=\"en\">\n"
	"<head>\n"
	"<meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<title>memtally</title>\n"
	"<style>\n"
	"body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto;"
	" padding: 0 1rem; color: #1c1c1c; background: #fff; }\n"
	"table { border-collapse: collapse; width: 100%; }\n"
	"td { border-top: 1px solid #ddd; padding: .35rem .75rem .35rem 0; vertical-align: top; }\n"
	"code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }\n"
	"a code { white-space: nowrap; }\n"
	".bad { color: #a40000; }\n"
	"@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818; }"
	" a { color: #8ab4f8; } td { border-color: #444; } .bad { color: #ff8a80; } }\n"
	"</style>\n"
	"</head>\n"
	"<body>\n"
	"<h1>memtally</h1>\n"
	"<p>How much memory each process, program, user and systemd unit of this host really uses: its"
	" PSS, in which shared memory is divided among the processes that share it.</p>\n";

static const char page_end[] =
	"<p>Parameters sort lists and select rows: "
	"<code>/api/v1/processes?sort=rss_bytes&amp;limit=10&amp;user=NAME</code>. "
	"<code>/api/v1/processes/PID</code> is one process.</p>\n"
	"<p>memtally-web " PACKAGE_VERSION "</p>\n"
	"</body>\n"
	"</html>";

/* Adds a link to ROW. Its texts have no characters to escape. */
static void page_add_link(const struct route_row *row, struct buffer *to)
{
	buffer_printf(to, "<tr><td><a href=\"%s%s\"><code>%s%s</code></a></td><td>%s</td></tr>\n",
		row->folder, row->name, row->folder, row->name, row->what);
}

/* Adds links to all paths but this page, single processes and further names of a path. */
static void page_add_links(const char *telemetry_path, struct buffer *to)
{
	struct route_row row;

	buffer_add_text(to, "<table>\n");
	for (size_t i = 0; routes_row(i, telemetry_path, &row); i++)
		if (!row.is_alias && row.route != ROUTE_PAGE && row.route != ROUTE_PROCESS)
			page_add_link(&row, to);
	buffer_add_text(to, "</table>\n");
}

/*
 * Adds how many processes are missing from the sums. If /proc hides processes, their number is
 * unknown.
 */
static void add_missing(const struct view *view, struct buffer *to)
{
	const struct snapshot_scope *host = view_host(view);
	bool is_hidden = view_self(view)->flags & SELF_PROC_HIDDEN;
	uint64_t missing = sums_unmeasured(host->present, host->q);

	if (missing && ROW_HAS(host, SCOPE_PROCESSES)) {
		buffer_add_char(to, ' ');
		buffer_add_u64(to, missing);
		buffer_add_text(to, " of ");
		buffer_add_u64(to, host->q[SCOPE_PROCESSES]);
		buffer_add_text(to, " processes could not be measured.");
	} else if (!view_is_complete(view) && !is_hidden) {
		buffer_add_text(to, " Not every process could be measured.");
	}
	if (is_hidden)
		buffer_add_text(to, " /proc hides other users' processes (hidepid) from memtallyd: "
				    "they are missing.");
}

/* Adds the age of the snapshot in whole seconds. */
static void add_age(struct fixed_width *fixed, const struct status *s)
{
	struct buffer *to = fixed->to;
	char time[CLOCK_TEXT_SIZE];
	uint64_t age_ns;

	if (!s->view) {
		buffer_add_text(to, "<p class=\"bad\">There is no snapshot yet: ");
		buffer_add_text(to, s->is_connected ? "memtallyd has not sent one.</p>\n"
						    : "memtallyd cannot be reached.</p>\n");
		return;
	}
	age_ns = view_age_ns(s->view, s->now_boottime_ns);
	clock_format_rfc3339(s->view->header->realtime_ns, time);
	buffer_add_text(to, s->is_fresh ? "<p>" : "<p class=\"bad\">");
	buffer_add_text(to, "The snapshot of ");
	buffer_add_text(to, time);
	buffer_add_text(to, " is ");
	fixed_width_add_seconds(fixed, age_ns - age_ns % NS_PER_SEC);
	buffer_add_text(to, s->is_fresh ? " s old" : " s old, which is stale: it is not shown");
	buffer_add_char(to, '.');
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

	buffer_add_text(to, is_adaptive
				    ? "<p>Mode: adaptive. Processes that are new or in doubt are "
				      "measured, all others from time to time; in between their "
				      "figures are carried forward."
				    : "<p>Mode: exact. Every process is measured each time.");
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
	buffer_add_text(to, "<p class=\"bad\">The kernel blocks ");
	buffer_add_u64(to, self->q[SELF_BLOCKED_READS]);
	buffer_add_text(to, self->q[SELF_BLOCKED_READS] == 1 ? " read" : " reads");
	buffer_add_text(to, " of processes' files");
	if (ROW_HAS(self, SELF_BLOCKED_OLDEST)) {
		buffer_add_text(to, ", the oldest for ");
		fixed_width_add_age(fixed, self->q[SELF_BLOCKED_OLDEST] + age_ns);
	}
	buffer_add_text(to, ". The figures of these processes are estimates, or their RSS.</p>\n");
}

void page_render(const struct status *s, const char *telemetry_path, struct buffer *to)
{
	struct fixed_width fixed = {.to = to};

	buffer_add_text(to, page_head);
	add_age(&fixed, s);
	if (s->view && s->is_fresh) {
		page_add_mode(&fixed, s->view, view_age_ns(s->view, s->now_boottime_ns));
		page_add_blocked(&fixed, s->view, view_age_ns(s->view, s->now_boottime_ns));
	}
	page_add_links(telemetry_path, to);
	buffer_add_text(to, page_end);
	fixed_width_settle(&fixed);
	buffer_add_char(to, '\n');
}
