/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/no-match.h"

#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/number.h"
#include "cli/common/selection.h"
#include "config/nearest.h"
#include "snapshot/metric.h"
#include "snapshot/owner.h"

/* A search for the owner that the value of a filter may mean. */
struct no_match {
	const char *value;
	struct nearest nearest;
	uint64_t id;       /* if .has_id: .value as a number */
	const char *alike; /* owner with the number, or that differs in the case of letters only */
	bool has_id, is_right;
};

static void no_match_consider(
	struct no_match *m, const struct view *view, const struct snapshot_scope *row)
{
	const char *name = view_text(view, row->name);

	if (row->flags & SCOPE_OTHER)
		return;
	if (!strcmp(name, m->value))
		m->is_right = true;
	if (!ROW_HAS(row, SCOPE_PROCESSES) || !row->q[SCOPE_PROCESSES])
		return;
	if (!strcasecmp(name, m->value) || (m->has_id && row->id == m->id))
		m->alike = name;
	else
		nearest_consider(&m->nearest, name, strlen(name));
}

/* Appends the suggestion for KIND=VALUE, a filter. Returns false if there is none. */
static bool no_match_add_suggestion(
	const struct view *view, enum owner_kind kind, const char *value, struct buffer *to)
{
	enum metric_scope scope = metric_owner_scope(kind);
	bool is_numbered = owner_of(kind)->id && !owner_of(kind)->words;
	struct no_match m = {.value = value};
	const char *found;

	nearest_init(&m.nearest, value);
	m.has_id = is_numbered && number_parse_u64(value, strlen(value), &m.id) == 0;
	for (uint32_t i = 0; i < view_count(view, scope); i++)
		no_match_consider(&m, view, view_scope(view, scope, i));
	found = m.alike ? m.alike : m.nearest.len ? m.nearest.found : NULL;
	if (m.is_right || !found)
		return false;
	buffer_printf(to, "; did you mean --%s=%s?", owner_of(kind)->name, found);
	return true;
}

/* Appends the suggestion for the first filter that has one. */
static void no_match_add_suggestions(
	const struct settings *settings, const struct view *view, struct buffer *to)
{
	for (unsigned int kind = 0; kind < OWNER_KINDS; kind++) {
		const struct text_list *values = selection_filter(settings, (enum owner_kind)kind);

		for (size_t i = 0; i < values->count; i++)
			if (no_match_add_suggestion(
				    view, (enum owner_kind)kind, values->item[i], to))
				return;
	}
}

void no_match_render(const struct settings *settings, const struct view *view, bool hides_others,
	struct buffer *to)
{
	AUTO_BUFFER struct buffer filters = {0};

	selection_add_filters(settings, &filters);
	buffer_printf(to, "no process%s with memory %s%.*s", hides_others ? " of yours" : "",
		filters.len ? "matches" : "was found", (int)filters.len,
		filters.data ? filters.data : "");
	if (hides_others)
		buffer_add_text(to, "; other users' processes are hidden from you: run as root");
	/* VIEW also has owners with hidden processes only, so the suggestion is no remedy then. */
	no_match_add_suggestions(settings, view, to);
}

void no_match_say(const struct settings *settings, const struct view *view, bool hides_others)
{
	AUTO_BUFFER struct buffer text = {0};

	no_match_render(settings, view, hides_others, &text);
	if (text.error)
		log_error("out of memory");
	else
		log_error("%.*s", (int)text.len, text.data);
}
