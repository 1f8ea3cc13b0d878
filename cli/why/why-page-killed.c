/* SPDX-License-Identifier: Apache-2.0 */
/* The OOM kills, and the processes that are gone. */
#include "config.h"

#include <inttypes.h>

#include "cli/table/line.h"
#include "cli/why/why-headline.h"
#include "cli/why/why-page-private.h"
#include "cli/why/why-words.h"

/* With cgroup v2 a slice also counts how often a limit in it was reached, as of a cgroup that is gone. */
static bool is_limit_inside(const struct cause *c, const struct cause_owner *o)
{
	return o->is_probable ||
	       (o->limit.row == o->place.row && c->gones &&
		       (o->place.kind == OWNER_SLICE || o->place.kind == OWNER_POD));
}

static void page_add_limit(const struct why_page *p, const struct cause_owner *o)
{
	bool is_inside = is_limit_inside(&p->f->cause, o);

	why_page_add_text(p, is_inside ? "; a memory limit in " : "; ");
	if (o->limit.row != o->place.row)
		why_words_add_place(p->to, &o->limit);
	else
		why_page_add_text(p, "it");
	why_page_add_text(p, is_inside ? " was reached " : " reached its memory limit ");
	line_add_count(p->to, o->limit_events, " time", " times");
}

static void page_add_place(const struct why_page *p, const struct cause_owner *o)
{
	line_begin(p->to, "");
	buffer_printf(p->to, "%" PRIu64 "%s in ", o->kills, o->is_probable ? " probably" : "");
	why_headline_add_owner(p->to, o);
	if (o->limit.row)
		page_add_limit(p, o);
	if (o->is_probable) {
		why_page_add_text(p, "\n");
		line_begin(p->to, "");
		why_page_add_text(p, "all its processes are gone, and its counter with them");
	}
	why_page_add_text(p, "\n");
}

/* Appends cgroups that may have had the kills of unknown cgroups. */
static void add_gone_places(const struct why_page *p)
{
	const struct cause *c = &p->f->cause;

	if (!c->gones)
		return;
	line_begin(p->to, "");
	why_page_add_text(p, "a cgroup takes its counter with it; all their processes are gone: ");
	for (size_t i = 0; i < c->gones; i++) {
		why_page_add_text(p, i ? ", " : "");
		why_words_add_place(p->to, &c->gone[i]);
	}
	why_page_add_text(p, "\n");
}

/* Appends the times of the kills before and after, each of which has a page of its own. */
static void page_add_other_kills(const struct why_page *p)
{
	const struct incident *i = &p->f->incident;

	if (!i->earlier_kill_ns && !i->later_kill_ns)
		return;
	line_begin(p->to, "");
	why_page_add_text(p, "other OOM kills, explained by --at:");
	if (i->earlier_kill_ns) {
		why_page_add_text(p, " the one before at ");
		why_page_add_time(p, i->earlier_kill_ns);
	}
	if (i->later_kill_ns) {
		why_page_add_text(p, i->earlier_kill_ns ? ", the next at " : " the next at ");
		why_page_add_time(p, i->later_kill_ns);
	}
	why_page_add_text(p, "\n");
}

static bool are_victims_known(const struct findings *f)
{
	for (size_t i = 0; i < f->cause.owners; i++)
		if (!vanished_are_killed(&f->vanished, &f->cause, i))
			return false;
	return f->cause.owners && !f->cause.is_cut && !f->cause.unknown;
}

/* Says where the killed processes are named, unless the page names them. */
static void page_add_log(const struct why_page *p)
{
	if (are_victims_known(p->f))
		return;
	line_begin(p->to, "");
	why_page_add_text(p,
		"the kernel's log names the killed process: journalctl -k --grep 'Killed "
		"process'\n");
}

void why_page_add_oom(const struct why_page *p)
{
	const struct cause *c = &p->f->cause;

	line_begin(p->to, "OOM");
	if (!why_page_after(p)) {
		why_page_add_text(p, "no snapshot after it is recorded yet\n");
		page_add_other_kills(p);
		return;
	}
	if (c->has_kills)
		line_add_count(p->to, c->kills, " process killed by the kernel ",
			" processes killed by the kernel ");
	else
		why_page_add_text(p, "at least one process killed by the kernel ");
	why_page_add_between(p);
	why_page_add_text(p, c->has_kills ? "\n" : "; how many is not known\n");
	for (size_t i = 0; i < c->owners; i++)
		page_add_place(p, &c->owner[i]);
	if (c->is_cut) {
		line_begin(p->to, "");
		why_page_add_text(p, "others in more cgroups\n");
	}
	if (c->unknown) {
		line_begin(p->to, "");
		buffer_printf(p->to, "%" PRIu64 " in a cgroup that is not known\n", c->unknown);
	}
	if (c->unknown || !cause_are_units_known(c))
		add_gone_places(p);
	page_add_log(p);
	page_add_other_kills(p);
}

/* "killed" only if the counter of the cgroup leaves no other choice. */
static void page_add_fate(const struct why_page *p, const struct vanished_process *v)
{
	const struct vanished *all = &p->f->vanished;
	const struct cause_owner *o = &p->f->cause.owner[v->owner];

	if (v->owner >= p->f->cause.owners)
		return;
	why_page_add_text(p, ", in ");
	why_words_add_place(p->to, &o->place);
	if (o->is_probable)
		why_page_add_text(p, o->kills >= all->inside[v->owner] ? ": probably killed" : "");
	else if (vanished_are_killed(all, &p->f->cause, v->owner))
		why_page_add_text(p, o->kills == 1 ? ": killed, as the only one that is gone there"
						   : ": killed, as all that are gone there");
	else
		buffer_printf(p->to, ", where %" PRIu64 " %s killed and %zu %s gone", o->kills,
			o->kills == 1 ? "was" : "were", all->inside[v->owner],
			all->is_partial              ? "of yours are"
			: all->inside[v->owner] == 1 ? "is"
						     : "are");
}

/* Appends the cgroups that are known to have more kills than processes that are gone. */
static void page_add_missing(const struct why_page *p)
{
	const struct cause *c = &p->f->cause;

	for (size_t i = 0; i < c->owners && !p->f->vanished.is_partial; i++) {
		size_t gone = p->f->vanished.inside[i];

		if (c->owner[i].is_probable || gone >= c->owner[i].kills)
			continue;
		line_begin(p->to, "");
		buffer_printf(p->to, "%" PRIu64 " killed in ", c->owner[i].kills - gone);
		why_words_add_place(p->to, &c->owner[i].place);
		why_page_add_text(p, " not exited yet, or in no snapshot\n");
	}
}

void why_page_add_vanished(const struct why_page *p)
{
	const struct vanished *v = &p->f->vanished;

	if (p->f->is_public || !why_page_after(p) || p->f->has_reboot)
		return;
	line_begin(p->to, "Gone");
	if (!v->count) {
		why_page_add_text(p, p->f->is_own_only ? "none of your processes " : "no process ");
		why_page_add_between(p);
		why_page_add_text(p, "\n");
		page_add_missing(p);
		return;
	}
	line_add_count(p->to, v->count, " process with ", " processes with ");
	why_page_add_bytes(p, v->bytes);
	why_page_add_text(p, " ");
	why_page_add_between(p);
	why_page_add_text(p, ":\n");
	for (size_t i = 0; i < v->listed; i++) {
		why_page_begin_row(p, "", v->item[i].bytes);
		buffer_printf(p->to, "%" PRIu32 " ", v->item[i].row->pid);
		why_words_add_program(p->to, why_page_before(p), v->item[i].row);
		page_add_fate(p, &v->item[i]);
		why_page_add_text(p, "\n");
	}
	page_add_missing(p);
}
