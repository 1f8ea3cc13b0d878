/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/why/why-json.h"

#include <stdbool.h>
#include <string.h>

#include "base/buffer.h"
#include "base/saturate.h"
#include "cli/why/why-headline.h"
#include "snapshot/owner.h"

enum { WHY_VERSION = 1 };

/* An object that is being filled. The first failure is kept, and the object is then of no use. */
struct object {
	json_t *json;
	bool has_failed;
};

static struct object object_new(void)
{
	json_t *json = json_object();

	return (struct object){.json = json, .has_failed = !json};
}

/* Returns what was made, or NULL if any of it failed. */
static json_t *object_end(struct object *o)
{
	if (!o->has_failed)
		return o->json;
	json_decref(o->json);
	return NULL;
}

/* Sets NAME to VALUE, which it takes over; NULL: there was no memory for it. */
static void object_set(struct object *o, const char *name, json_t *value)
{
	o->has_failed |= json_object_set_new(o->json, name, value) < 0;
}

static void why_json_set_text(struct object *o, const char *name, const char *text)
{
	object_set(o, name, json_string(text));
}

static void why_json_set_flag(struct object *o, const char *name, bool value)
{
	object_set(o, name, json_boolean(value));
}

static void why_json_set_count(struct object *o, const char *name, uint64_t value)
{
	object_set(o, name, json_integer((json_int_t)saturate_min(value, INT64_MAX)));
}

static void why_json_set_signed(struct object *o, const char *name, int64_t value)
{
	object_set(o, name, json_integer((json_int_t)value));
}

static void why_json_set_time(struct object *o, const char *name, uint64_t at_ns)
{
	char text[CLOCK_TEXT_SIZE];

	clock_format_rfc3339(at_ns, text);
	why_json_set_text(o, name, text);
}

static void why_json_set_seconds(struct object *o, const char *name, uint64_t ns)
{
	object_set(o, name, json_real((double)ns / (double)NS_PER_SEC));
}

static void object_append(json_t *array, json_t *value, bool *has_failed)
{
	*has_failed |= json_array_append_new(array, value) < 0;
}

/* Returns ARRAY, or NULL if it could not be made. */
static json_t *array_end(json_t *array, bool has_failed)
{
	if (!has_failed)
		return array;
	json_decref(array);
	return NULL;
}

static void why_json_set_place(struct object *o, const struct cause_place *p)
{
	const char *user = view_text(p->of, p->row->user);

	why_json_set_text(o, "kind", owner_of(p->kind)->name);
	why_json_set_text(o, "name", view_text(p->of, p->row->name));
	if (p->kind == OWNER_USER)
		why_json_set_count(o, "uid", p->row->id);
	if (*user)
		why_json_set_text(o, "user", user);
}

static json_t *json_place(const struct cause_place *p)
{
	struct object o = object_new();

	why_json_set_place(&o, p);
	return object_end(&o);
}

static json_t *json_cause_owner(const struct cause_owner *c)
{
	struct object o = object_new();

	why_json_set_place(&o, &c->place);
	why_json_set_count(&o, "kills", c->kills);
	why_json_set_flag(&o, "probable", c->is_probable);
	if (c->slice.row)
		why_json_set_text(&o, "slice", view_text(c->slice.of, c->slice.row->name));
	if (c->limit.row) {
		object_set(&o, "limit", json_place(&c->limit));
		why_json_set_count(&o, "limit_events", c->limit_events);
	}
	return object_end(&o);
}

static json_t *json_cause(const struct cause *c)
{
	struct object o = object_new();
	json_t *owners = json_array(), *gone = json_array();
	bool owners_failed = !owners, gone_failed = !gone;

	if (c->has_kills) {
		why_json_set_count(&o, "kills", c->kills);
		why_json_set_count(&o, "unknown_kills", c->unknown);
	}
	for (size_t i = 0; i < c->owners; i++)
		object_append(owners, json_cause_owner(&c->owner[i]), &owners_failed);
	for (size_t i = 0; i < c->gones; i++)
		object_append(gone, json_place(&c->gone[i]), &gone_failed);
	object_set(&o, "owners", array_end(owners, owners_failed));
	object_set(&o, "gone_owners", array_end(gone, gone_failed));
	return object_end(&o);
}

static json_t *json_event(const struct findings *f)
{
	static const char *const kinds[] = {
		[INCIDENT_NONE] = "none",
		[INCIDENT_PRESSURE] = "pressure",
		[INCIDENT_OOM] = "oom_kill",
	};
	const struct incident *i = &f->incident;
	struct object o = object_new();

	why_json_set_text(&o, "kind", kinds[i->kind]);
	why_json_set_time(&o, "first", i->first_ns);
	why_json_set_time(&o, "last", i->last_ns);
	if (i->asked_ns)
		why_json_set_time(&o, "asked", i->asked_ns);
	if (i->earlier_kill_ns)
		why_json_set_time(&o, "earlier_kill", i->earlier_kill_ns);
	if (i->later_kill_ns)
		why_json_set_time(&o, "later_kill", i->later_kill_ns);
	if (i->pressure_first_ns) {
		why_json_set_time(&o, "pressure_first", i->pressure_first_ns);
		why_json_set_time(&o, "pressure_last", i->pressure_last_ns);
	}
	return object_end(&o);
}

static json_t *json_snapshots(const struct findings *f)
{
	const struct moments *m = &f->moments;
	struct object o = object_new();

	why_json_set_count(&o, "count", m->befores + m->afters);
	why_json_set_time(&o, "first", moments_time_ns(m->before[0]));
	why_json_set_time(&o, "start", moments_time_ns(f->start));
	why_json_set_time(&o, "before", moments_time_ns(moments_last(m)));
	if (m->afters) {
		why_json_set_time(&o, "after", moments_time_ns(m->after[0]));
		why_json_set_time(&o, "last", moments_time_ns(m->after[m->afters - 1]));
	}
	why_json_set_flag(&o, "own_only", f->is_own_only);
	why_json_set_flag(&o, "without_processes", f->is_public);
	if (f->has_restart)
		why_json_set_time(&o, "memtallyd_restart", f->restart_ns);
	why_json_set_flag(&o, "brief", view_is_brief(moments_last(m)));
	why_json_set_flag(&o, "host_restart", f->has_reboot);
	why_json_set_flag(&o, "gap", f->has_gap);
	return object_end(&o);
}

static void set_process(
	struct object *o, const struct view *view, const struct snapshot_process *row)
{
	why_json_set_count(o, "pid", row->pid);
	why_json_set_text(o, "program", view_owner(view, row, OWNER_PROGRAM));
	why_json_set_text(o, "user", view_owner(view, row, OWNER_USER));
	why_json_set_count(o, "uid", row->uid);
	if (ROW_HAS(row, PROCESS_START_TIME))
		why_json_set_time(o, "start_time", row->q[PROCESS_START_TIME]);
}

static json_t *json_grower(const struct view *view, const struct grower *g)
{
	struct object o = object_new();

	if (g->process)
		set_process(&o, view, g->process);
	else
		why_json_set_place(
			&o, &(struct cause_place){.kind = (enum owner_kind)(g->scope - METRIC_USER),
				    .of = view,
				    .row = g->owner});
	why_json_set_time(&o, "since", g->growth.since_ns);
	why_json_set_flag(&o, "new", g->is_new);
	why_json_set_count(&o, "from_bytes", g->growth.from_bytes);
	why_json_set_count(&o, "to_bytes", g->growth.to_bytes);
	why_json_set_count(&o, "growth_bytes", g->growth.bytes);
	if (g->growth.has_low)
		why_json_set_signed(&o, "growth_low_bytes", g->growth.low_bytes);
	if (g->growth.has_high)
		why_json_set_signed(&o, "growth_high_bytes", g->growth.high_bytes);
	why_json_set_flag(&o, "estimated", g->is_estimated);
	why_json_set_flag(&o, "rss", g->is_rss);
	return object_end(&o);
}

static json_t *json_growers(const struct view *view, const struct growers *growers)
{
	json_t *array = json_array();
	bool has_failed = !array;

	for (size_t i = 0; i < growers->count; i++)
		object_append(array, json_grower(view, &growers->item[i]), &has_failed);
	return array_end(array, has_failed);
}

static json_t *json_amount(const struct findings_amount *a)
{
	struct object o = object_new();

	if (a->has_start)
		why_json_set_count(&o, "start_bytes", a->start);
	if (a->has_before)
		why_json_set_count(&o, "before_bytes", a->before);
	if (a->has_after)
		why_json_set_count(&o, "after_bytes", a->after);
	return object_end(&o);
}

static json_t *json_line(const struct findings_line *l)
{
	struct object o = object_new();

	why_json_set_text(&o, "name", l->kind ? l->kind->name : "residual");
	why_json_set_signed(&o, "start_bytes", l->start_bytes);
	why_json_set_signed(&o, "before_bytes", l->before_bytes);
	return object_end(&o);
}

static json_t *json_host(const struct findings *f)
{
	struct object o = object_new();
	json_t *lines = json_array();
	bool has_failed = !lines;

	object_set(&o, "available", json_amount(&f->available));
	object_set(&o, "total", json_amount(&f->total));
	object_set(&o, "swap_used", json_amount(&f->swap_used));
	object_set(&o, "swap_free", json_amount(&f->swap_free));
	for (size_t i = 0; i < f->lines; i++)
		object_append(lines, json_line(&f->line[i]), &has_failed);
	object_set(&o, "balance", array_end(lines, has_failed));
	return object_end(&o);
}

static json_t *json_waiter(const struct findings_waiter *w)
{
	struct object o = object_new();

	why_json_set_place(&o, &w->place);
	why_json_set_seconds(&o, "waited_seconds", w->waited_ns);
	return object_end(&o);
}

static json_t *json_pressure(const struct findings *f)
{
	struct object o = object_new();
	json_t *owners = json_array();
	bool has_failed = !owners;

	why_json_set_time(&o, "from", moments_time_ns(f->waited_from));
	why_json_set_time(&o, "to", moments_time_ns(f->waited_to));
	if (f->has_waited)
		why_json_set_seconds(&o, "waited_seconds", f->waited_ns);
	if (f->has_stalled)
		why_json_set_seconds(&o, "stalled_seconds", f->stalled_ns);
	for (size_t i = 0; i < f->waiters; i++)
		object_append(owners, json_waiter(&f->waiter[i]), &has_failed);
	object_set(&o, "owners", array_end(owners, has_failed));
	return object_end(&o);
}

static json_t *json_vanished_process(const struct findings *f, const struct vanished_process *v)
{
	struct object o = object_new();

	set_process(&o, moments_last(&f->moments), v->row);
	why_json_set_count(&o, "bytes", v->bytes);
	why_json_set_flag(&o, "rss", v->is_rss);
	if (v->owner < f->cause.owners)
		object_set(&o, "oom_owner", json_place(&f->cause.owner[v->owner].place));
	why_json_set_flag(&o, "killed", vanished_are_killed(&f->vanished, &f->cause, v->owner));
	return object_end(&o);
}

static json_t *json_vanished(const struct findings *f)
{
	const struct vanished *v = &f->vanished;
	struct object o = object_new();
	json_t *processes = json_array();
	bool has_failed = !processes;

	why_json_set_count(&o, "count", v->count);
	why_json_set_count(&o, "bytes", v->bytes);
	for (size_t i = 0; i < v->listed; i++)
		object_append(processes, json_vanished_process(f, &v->item[i]), &has_failed);
	object_set(&o, "processes", array_end(processes, has_failed));
	return object_end(&o);
}

/* Sets "summary" to the sentences of the page. */
static void set_summary(struct object *o, const struct findings *f, uint64_t now_ns)
{
	AUTO_BUFFER struct buffer text = {0};

	why_headline_add(f, now_ns, false, &text);
	buffer_add_char(&text, '\0');
	if (text.error)
		o->has_failed = true;
	else
		why_json_set_text(o, "summary", text.data);
}

json_t *why_json_make(const struct findings *f, uint64_t now_ns)
{
	const struct view *last = moments_last(&f->moments);
	struct object o = object_new();

	why_json_set_count(&o, "version", WHY_VERSION);
	set_summary(&o, f, now_ns);
	object_set(&o, "event", json_event(f));
	object_set(&o, "snapshots", json_snapshots(f));
	if (f->incident.kind == INCIDENT_OOM)
		object_set(&o, "oom", json_cause(&f->cause));
	object_set(&o, "pressure", json_pressure(f));
	object_set(&o, "owners", json_growers(last, &f->owners));
	object_set(&o, "host", json_host(f));
	if (!f->is_public) {
		object_set(&o, "processes", json_growers(last, &f->processes));
		object_set(&o, "swapped", json_growers(last, &f->swapped));
	}
	if (!f->is_public && f->moments.afters && !f->has_reboot)
		object_set(&o, "vanished", json_vanished(f));
	return object_end(&o);
}
