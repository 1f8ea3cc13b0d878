/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/why/why-page.h"

#include <inttypes.h>

#include "base/saturate.h"
#include "base/when.h"
#include "cli/table/cell.h"
#include "cli/table/line.h"
#include "cli/why/why-headline.h"
#include "cli/why/why-page-private.h"
#include "cli/why/why-words.h"
#include "render/human.h"

enum { AMOUNT_WIDTH = 12, BYTES_WIDTH = 20 };

void why_page_add_text(const struct why_page *p, const char *text)
{
	buffer_add_text(p->to, text);
}

void why_page_add_bytes(const struct why_page *p, uint64_t bytes)
{
	why_headline_add_bytes(p->to, bytes, p->is_exact);
}

void why_page_add_time(const struct why_page *p, uint64_t at_ns)
{
	why_words_add_time(p->to, at_ns, p->f->incident.first_ns);
}

void why_page_add_view_time(const struct why_page *p, const struct view *view)
{
	why_page_add_time(p, moments_time_ns(view));
}

void why_page_begin_row(const struct why_page *p, const char *sign, uint64_t bytes)
{
	AUTO_BUFFER struct buffer amount = {0};

	buffer_add_text(&amount, sign);
	why_headline_add_bytes(&amount, bytes, p->is_exact);
	line_begin(p->to, "");
	buffer_printf(p->to, "%*.*s  ", p->is_exact ? BYTES_WIDTH : AMOUNT_WIDTH, (int)amount.len,
		amount.data ? amount.data : "");
}

const struct view *why_page_before(const struct why_page *p)
{
	return moments_last(&p->f->moments);
}

const struct view *why_page_after(const struct why_page *p)
{
	return p->f->moments.afters ? p->f->moments.after[0] : NULL;
}

void why_page_add_between(const struct why_page *p)
{
	const struct view *after = why_page_after(p);
	uint64_t end_ns = p->f->incident.last_ns;

	if (after)
		end_ns = saturate_max(end_ns, moments_time_ns(after));
	why_page_add_text(p, "between ");
	why_page_add_view_time(p, why_page_before(p));
	why_page_add_text(p, " and ");
	why_page_add_time(p, end_ns);
}

static void page_add_share(const struct why_page *p, uint64_t part_ns)
{
	human_add_percent(p->to, (double)part_ns / (double)p->f->waited_span_ns);
}

static void page_add_pressure(const struct why_page *p)
{
	const struct findings *f = p->f;
	const struct incident *i = &f->incident;
	bool has_share = f->has_waited && f->waited_span_ns;

	if (!i->pressure_first_ns && !(has_share && f->waited_ns >= NS_PER_SEC))
		return;
	line_begin(p->to, "Pressure");
	if (i->pressure_first_ns) {
		bool is_one = i->pressure_first_ns == i->pressure_last_ns;

		why_page_add_text(p, is_one ? "recorded at " : "recorded from ");
		why_page_add_time(p, i->pressure_first_ns);
		why_page_add_text(p, is_one ? "" : " to ");
		if (!is_one)
			why_page_add_time(p, i->pressure_last_ns);
		why_page_add_text(p, has_share ? "; " : "");
	}
	if (has_share) {
		why_page_add_text(p, "processes waited for memory ");
		page_add_share(p, f->waited_ns);
		why_page_add_text(p, " of the time from ");
		why_page_add_view_time(p, f->waited_from);
		why_page_add_text(p, " to ");
		why_page_add_view_time(p, f->waited_to);
		if (f->has_stalled) {
			why_page_add_text(p, ", all at once ");
			page_add_share(p, f->stalled_ns);
		}
	}
	why_page_add_text(p, "\n");
	for (size_t k = 0; k < f->waiters; k++) {
		line_begin(p->to, "");
		why_words_add_place(p->to, &f->waiter[k].place);
		why_page_add_text(p, " waited ");
		human_add_span(p->to, f->waiter[k].waited_ns);
		why_page_add_text(p, "\n");
	}
}

/* Appends "1.0 GiB at 03:04:30, 2.0 GiB at 03:12:36, 1.5 GiB at 03:12:46", as far as known. */
static bool page_add_amount(const struct why_page *p, const struct findings_amount *a)
{
	const struct findings *f = p->f;
	const struct view *const views[] = {f->start, why_page_before(p), why_page_after(p)};
	const bool has[] = {
		a->has_start && f->start != why_page_before(p), a->has_before, a->has_after};
	const uint64_t bytes[] = {a->start, a->before, a->after};
	bool is_first = true;

	for (size_t i = 0; i < ARRAY_SIZE(views); i++) {
		if (!has[i] || !views[i])
			continue;
		why_page_add_text(p, is_first ? "" : ", ");
		why_page_add_bytes(p, bytes[i]);
		why_page_add_text(p, " at ");
		why_page_add_view_time(p, views[i]);
		is_first = false;
	}
	return !is_first;
}

static void page_add_host(const struct why_page *p)
{
	const struct findings *f = p->f;

	line_begin(p->to, "Host");
	why_page_add_text(p, "MemAvailable ");
	if (!page_add_amount(p, &f->available))
		why_page_add_text(p, "not known");
	if (f->total.has_before) {
		why_page_add_text(p, "; MemTotal ");
		why_page_add_bytes(p, f->total.before);
	}
	why_page_add_text(p, "\n");
	for (size_t i = 0; i < f->lines; i++) {
		const struct findings_line *l = &f->line[i];
		bool has_grown = l->before_bytes > l->start_bytes;

		why_page_begin_row(p, has_grown ? "+" : "-",
			saturate_distance((uint64_t)l->before_bytes, (uint64_t)l->start_bytes));
		why_page_add_text(
			p, l->kind ? l->kind->help : "unaccounted: in no counter of the kernel");
		why_page_add_text(p, ", to ");
		if (l->before_bytes < 0)
			why_page_add_text(p, "-");
		why_page_add_bytes(p, saturate_size(l->before_bytes));
		why_page_add_text(p, "\n");
	}
}

static void page_add_name(const struct why_page *p, const struct grower *g)
{
	const struct view *last = why_page_before(p);

	if (g->process) {
		buffer_printf(p->to, "%" PRIu32 " ", g->process->pid);
		why_words_add_program(p->to, last, g->process);
		return;
	}
	why_words_add_place(
		p->to, &(struct cause_place){.kind = (enum owner_kind)(g->scope - METRIC_USER),
			       .of = last,
			       .row = g->owner});
}

static void page_add_grower(const struct why_page *p, const struct grower *g)
{
	AUTO_BUFFER struct buffer bounds = {0};

	why_page_begin_row(p, "", g->growth.bytes);
	page_add_name(p, g);
	why_page_add_text(p, !g->is_new   ? ", since "
			     : g->process ? ", started at "
					  : ", new since ");
	why_page_add_time(p, g->growth.since_ns);
	if (!g->is_new) {
		why_page_add_text(p, ", to ");
		why_page_add_bytes(p, g->growth.to_bytes);
	}
	if (g->is_rss)
		why_page_add_text(p, "; in RSS: its PSS is not known");
	else if (why_headline_add_bounds(&bounds, &g->growth, p->is_exact))
		buffer_printf(p->to, "; estimated, growth %.*s", (int)bounds.len, bounds.data);
	why_page_add_text(p, "\n");
}

static void page_add_growers(
	const struct why_page *p, const char *head, const char *what, const struct growers *growers)
{
	line_begin(p->to, head);
	if (!growers->count) {
		why_page_add_text(p, what);
		why_page_add_text(p, " grew by 1 MiB or more\n");
		return;
	}
	why_page_add_text(p, "growth until ");
	why_page_add_view_time(p, why_page_before(p));
	why_page_add_text(p, ", in PSS and swap:\n");
	for (size_t i = 0; i < growers->count; i++)
		page_add_grower(p, &growers->item[i]);
}

static void page_add_processes(const struct why_page *p)
{
	if (p->f->is_public) {
		line_begin(p->to, "Processes");
		why_page_add_text(
			p, "single processes are shown to root and group memtally only\n");
		return;
	}
	page_add_growers(p, "Processes",
		p->f->is_own_only ? "none of your processes" : "no process", &p->f->processes);
}

static void page_add_swap(const struct why_page *p)
{
	const struct findings *f = p->f;
	const struct growers *g = &f->swapped;

	if (!f->swap_used.has_before && !g->count)
		return;
	line_begin(p->to, "Swapped");
	if (f->swap_used.has_before && f->swap_free.has_before && !f->swap_used.before &&
		!f->swap_free.before) {
		why_page_add_text(p, "there is no swap space\n");
		return;
	}
	why_page_add_text(p, "in use: ");
	if (!page_add_amount(p, &f->swap_used))
		why_page_add_text(p, "not known");
	if (f->swap_free.has_before) {
		why_page_add_text(p, "; free: ");
		why_page_add_bytes(p, f->swap_free.before);
		why_page_add_text(p, " at ");
		why_page_add_view_time(p, why_page_before(p));
	}
	why_page_add_text(p, "\n");
	for (size_t i = 0; i < g->count; i++) {
		why_page_begin_row(p, "", g->item[i].growth.bytes);
		page_add_name(p, &g->item[i]);
		why_page_add_text(p, ", since ");
		why_page_add_time(p, g->item[i].growth.since_ns);
		why_page_add_text(p, "\n");
	}
}

/* Appends what the page cannot tell. */
static void page_add_notes(const struct why_page *p)
{
	const struct findings *f = p->f;
	const struct moments *m = &f->moments;

	line_begin(p->to, "Sources");
	line_add_count(p->to, m->befores + m->afters, " snapshot", " snapshots");
	why_page_add_text(p, " of memtallyd, ");
	why_page_add_view_time(p, m->before[0]);
	if (m->befores + m->afters > 1) {
		why_page_add_text(p, " to ");
		why_page_add_view_time(p, m->afters ? m->after[m->afters - 1] : why_page_before(p));
	}
	why_page_add_text(p, "; what began and ended between two of them is in none\n");
	if (f->has_reboot) {
		line_begin(p->to, "");
		why_page_add_text(p, "the host was started ");
		why_page_add_between(p);
		why_page_add_text(p, ": the kernel's counters began again\n");
	} else if (f->has_restart) {
		line_begin(p->to, "");
		why_page_add_text(p, "memtallyd was started again before ");
		why_page_add_time(p, f->restart_ns);
		why_page_add_text(p, "\n");
	}
	if (f->has_gap) {
		line_begin(p->to, "");
		why_page_add_text(p, "no snapshot was recorded ");
		why_page_add_between(p);
		why_page_add_text(p, "\n");
	}
	if (view_is_brief(why_page_before(p))) {
		line_begin(p->to, "");
		why_page_add_text(p, "until ");
		why_page_add_view_time(p, why_page_before(p));
		why_page_add_text(p, " brief passes: memory in swap is of the last full pass\n");
	}
	if (f->is_own_only && !f->is_public) {
		line_begin(p->to, "");
		why_page_add_text(p, "your own processes only: root and group memtally see all\n");
	}
}

/* Says so if the event was not at the time that was asked for, and how to see that time. */
static void page_add_asked(const struct why_page *p)
{
	uint64_t asked_ns = p->f->incident.asked_ns;
	char time[WHEN_TEXT_SIZE];
	bool is_earlier;
	uint64_t away_ns = incident_asked_away_ns(&p->f->incident, &is_earlier);

	if (!away_ns)
		return;
	when_format(asked_ns, time);
	line_begin(p->to, "Asked");
	why_page_add_text(p, "for ");
	why_page_add_time(p, asked_ns);
	why_page_add_text(p, ": the event was ");
	why_words_add_span(p->to, away_ns);
	buffer_printf(p->to, "%s; for that time itself: memtally processes --at '%s'\n",
		is_earlier ? " earlier" : " later", time);
}

void why_page_add(const struct findings *f, uint64_t now_ns, bool is_exact, struct buffer *to)
{
	const struct why_page p = {.f = f, .is_exact = is_exact, .to = to};

	why_headline_add(f, now_ns, is_exact, to);
	why_page_add_text(&p, "\n\n");
	page_add_asked(&p);
	if (f->incident.kind == INCIDENT_OOM)
		why_page_add_oom(&p);
	page_add_pressure(&p);
	page_add_growers(&p, "Owners", "no user, program, unit or container", &f->owners);
	page_add_processes(&p);
	page_add_host(&p);
	page_add_swap(&p);
	why_page_add_vanished(&p);
	page_add_notes(&p);
}
