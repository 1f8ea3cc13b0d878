/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/why/why-headline.h"

#include <inttypes.h>
#include <string.h>

#include "base/saturate.h"
#include "cli/table/line.h"
#include "cli/why/facts/same-row.h"
#include "cli/why/why-words.h"
#include "render/human.h"

/* Growth elsewhere is worth a sentence if it is this many times that of the first process. */
enum { ELSEWHERE_MORE = 2 };

/* Bounds are shown from a hundredth of the growth on. */
enum { BOUNDS_SHOWN = 100 };

void why_headline_add_bytes(struct buffer *to, uint64_t bytes, bool is_exact)
{
	if (is_exact)
		buffer_printf(to, "%" PRIu64 " bytes", bytes);
	else
		human_add_bytes(to, bytes);
}

/* A low bound of 0 or less says nothing, nor does one without the other if there is none. */
bool why_headline_add_bounds(struct buffer *to, const struct trace_growth *g, bool is_exact)
{
	uint64_t low = g->has_low && g->low_bytes > 0 ? (uint64_t)g->low_bytes : 0;
	uint64_t high = g->has_high && g->high_bytes > 0 ? (uint64_t)g->high_bytes : 0;

	if (g->has_high && low &&
		(high - low < g->bytes / BOUNDS_SHOWN || (!is_exact && human_is_alike(low, high))))
		return false;
	if (low && !g->has_high) {
		buffer_add_text(to, "at least ");
		why_headline_add_bytes(to, low, is_exact);
	} else if (!low && g->has_high) {
		buffer_add_text(to, "at most ");
		why_headline_add_bytes(to, high, is_exact);
	} else if (!low) {
		buffer_add_text(to, "not known");
	} else if (is_exact) {
		buffer_printf(to, "%" PRIu64 " to %" PRIu64 " bytes", low, high);
	} else {
		human_add_range(to, low, "to", high);
	}
	return true;
}

void why_headline_add_owner(struct buffer *to, const struct cause_owner *o)
{
	why_words_add_place(to, &o->place);
	if (!o->slice.row || !strcmp(view_text(o->slice.of, o->slice.row->name), "system.slice"))
		return;
	buffer_add_text(to, " (");
	why_words_add_place(to, &o->slice);
	buffer_add_char(to, ')');
}

static void headline_add_oom(const struct findings *f, bool is_exact, struct buffer *to)
{
	const struct cause *c = &f->cause;
	size_t shown = c->owners < 2 ? c->owners : 2;

	if (!c->has_kills || c->kills == 1)
		buffer_add_text(to, "OOM kill");
	else
		buffer_printf(to, "%" PRIu64 " OOM kills", c->kills);
	if (!shown)
		buffer_add_text(to, " on this host, in a cgroup that is not known");
	for (size_t i = 0; i < shown; i++) {
		buffer_add_text(to, i ? " and " : " ");
		buffer_add_text(to, c->owner[i].is_probable ? "probably in " : i ? "" : "in ");
		why_headline_add_owner(to, &c->owner[i]);
	}
	if (shown && (c->owners > shown || c->unknown))
		buffer_add_text(to, " and elsewhere");
	if (findings_is_limit_likely(f)) {
		buffer_add_text(to, shown ? ", at a memory limit: MemAvailable was "
					  : ", probably at its memory limit: MemAvailable was ");
		why_headline_add_bytes(to, f->available.before, is_exact);
	}
}

static void headline_add_event(
	const struct findings *f, uint64_t now_ns, bool is_exact, struct buffer *to)
{
	const struct incident *i = &f->incident;

	switch (i->kind) {
	case INCIDENT_OOM:
		why_words_add_time(to, i->first_ns, now_ns);
		buffer_add_char(to, ' ');
		headline_add_oom(f, is_exact, to);
		break;
	case INCIDENT_PRESSURE:
		why_words_add_time(to, i->pressure_first_ns, now_ns);
		buffer_add_text(to, " memory pressure");
		if (i->pressure_last_ns > i->pressure_first_ns) {
			buffer_add_text(to, " for ");
			why_words_add_span(to, i->pressure_last_ns - i->pressure_first_ns);
		}
		buffer_add_text(to, ", no OOM kill");
		break;
	case INCIDENT_NONE:
		why_words_add_time(to, i->first_ns, now_ns);
		buffer_add_text(to, " no OOM kill and no memory pressure is recorded");
		break;
	}
	if (f->has_reboot) {
		buffer_add_text(to, "; the host was started again before ");
		why_words_add_time(to, moments_time_ns(f->moments.after[0]), i->first_ns);
	}
	buffer_add_char(to, '.');
}

static void headline_add_grower(
	const struct findings *f, const struct grower *g, bool is_exact, struct buffer *to)
{
	const struct view *last = moments_last(&f->moments);
	AUTO_BUFFER struct buffer bounds = {0};

	if (g->process) {
		why_words_add_program(to, last, g->process);
		buffer_printf(to, " (PID %" PRIu32 ")", g->process->pid);
	} else {
		const struct cause_place p = {
			.kind = (enum owner_kind)(g->scope - METRIC_USER),
			.of = last,
			.row = g->owner,
		};

		why_words_add_place(to, &p);
		if (ROW_HAS(g->owner, SCOPE_PROCESSES)) {
			buffer_add_text(to, " (");
			line_add_count(
				to, g->owner->q[SCOPE_PROCESSES], " process)", " processes)");
		}
	}
	buffer_add_text(to, g->is_new ? " started and grew to " : " grew by ");
	why_headline_add_bytes(to, g->growth.bytes, is_exact);
	if (why_headline_add_bounds(&bounds, &g->growth, is_exact))
		buffer_printf(to, " (estimated: %.*s)", (int)bounds.len, bounds.data);
}

/* Names the largest process that is gone, if the cgroup of the kill is not known. */
static void headline_add_suspect(const struct findings *f, bool is_exact, struct buffer *to)
{
	const struct vanished_process *v = findings_suspect(f);

	if (!v)
		return;
	buffer_add_text(to, " Gone since then: ");
	why_words_add_program(to, moments_last(&f->moments), v->row);
	buffer_printf(to, " (PID %" PRIu32 ") with ", v->row->pid);
	why_headline_add_bytes(to, v->bytes, is_exact);
	if (f->vanished.count > 1)
		buffer_printf(to, ", and %zu more", f->vanished.count - 1);
	buffer_add_char(to, '.');
}

static void headline_add_growth(const struct findings *f, bool is_exact, struct buffer *to)
{
	const struct grower *g = findings_first_owner(f);
	uint64_t end_ns = moments_time_ns(moments_last(&f->moments));

	if (!g)
		g = findings_first_process(f);
	if (f->moments.befores == 1) {
		buffer_add_text(
			to, " The growth before is not known: no earlier snapshot is recorded.");
		return;
	}
	if (!g && findings_is_limit_likely(f))
		return; /* growth elsewhere did not lead to it */
	if (!g) {
		buffer_add_text(to, " In the ");
		why_words_add_span(
			to, saturate_less(end_ns, moments_time_ns(f->moments.before[0])));
		buffer_add_text(to, " before, nothing that was recorded grew by 1 MiB or more.");
		return;
	}
	buffer_add_text(to, " In the ");
	why_words_add_span(to, saturate_less(end_ns, g->growth.since_ns));
	buffer_add_text(to, " before, ");
	headline_add_grower(f, g, is_exact, to);
	buffer_add_char(to, '.');
}

/* Says so if a process outside of the cgroup with the OOM kill grew much more. */
static void headline_add_elsewhere(const struct findings *f, bool is_exact, struct buffer *to)
{
	const struct grower *most = &f->processes.item[0];
	const struct cause_place *p = &f->cause.owner[0].place;

	if (!f->inside.count || !f->processes.count || findings_first_owner(f) ||
		same_row_is_member(
			moments_last(&f->moments), most->process, p->kind, p->of, p->row) ||
		most->growth.bytes / ELSEWHERE_MORE < f->inside.item[0].growth.bytes)
		return;
	buffer_add_text(to, " Elsewhere, ");
	headline_add_grower(f, most, is_exact, to);
	buffer_add_char(to, '.');
}

void why_headline_add(const struct findings *f, uint64_t now_ns, bool is_exact, struct buffer *to)
{
	headline_add_event(f, now_ns, is_exact, to);
	headline_add_suspect(f, is_exact, to);
	headline_add_growth(f, is_exact, to);
	headline_add_elsewhere(f, is_exact, to);
}
