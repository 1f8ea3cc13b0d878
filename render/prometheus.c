/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A family's samples must stand together, so the loops go over families, and in each over rows. A
 * row has the same labels in all families: they are escaped and written once, beforehand.
 */
#include "config.h"

#include "render/prometheus.h"

#include <errno.h>
#include <string.h>

#include "render/decimal.h"
#include "snapshot/owner.h"

const char *prometheus_content_type(enum prometheus_format format)
{
	return format == PROMETHEUS_OPENMETRICS
	               ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
	               : "text/plain; version=0.0.4; charset=utf-8";
}

/* Appends TEXT with newlines and backslashes escaped, and quotes, too, if QUOTES. */
static void add_escaped(struct buffer *to, const char *text, bool quotes)
{
	const char *special = quotes ? "\\\n\"" : "\\\n";

	for (;;) {
		size_t len = strcspn(text, special);

		buffer_add(to, text, len);
		text += len;
		if (!*text)
			return;
		buffer_add_char(to, '\\');
		buffer_add_char(to, *text == '\n' ? 'n' : *text);
		text++;
	}
}

/* Returns the suffix of a family's name in the text format, and of its samples in both formats. */
static const char *suffix_of_type(const char *type)
{
	if (!strcmp(type, "counter"))
		return "_total";
	return !strcmp(type, "info") ? "_info" : "";
}

static void add_comment(struct buffer *to, const char *keyword, const char *name,
	const char *suffix, const char *text)
{
	buffer_add_text(to, "# ");
	buffer_add_text(to, keyword);
	buffer_add_char(to, ' ');
	buffer_add_text(to, name);
	buffer_add_text(to, suffix);
	buffer_add_char(to, ' ');
	add_escaped(to, text, false);
	buffer_add_char(to, '\n');
}

void prometheus_add_family(struct buffer *to, enum prometheus_format format, const char *name,
	const char *type, const char *unit, const char *help)
{
	bool text = format == PROMETHEUS_TEXT;
	const char *suffix = text ? suffix_of_type(type) : "";

	add_comment(to, "HELP", name, suffix, help);
	add_comment(to, "TYPE", name, suffix, text && !strcmp(type, "info") ? "gauge" : type);
	if (!text && unit)
		add_comment(to, "UNIT", name, suffix, unit);
}

void prometheus_add_label(struct buffer *to, bool first, const char *name, const char *value)
{
	if (!first)
		buffer_add_char(to, ',');
	buffer_add_text(to, name);
	buffer_add_text(to, "=\"");
	add_escaped(to, value, true);
	buffer_add_char(to, '"');
}

void prometheus_add_end(struct buffer *to, enum prometheus_format format)
{
	if (format == PROMETHEUS_OPENMETRICS)
		buffer_add_text(to, "# EOF\n");
}

/* A row with series of its own, and the place of its labels in series_list.labels. */
struct series {
	uint64_t present;
	const uint64_t *q;
	uint64_t created_ns; /* 0: not known */
	size_t labels, labels_len;
};

struct series_list {
	struct buffer series; /* of struct series */
	struct buffer labels; /* labels of all rows, without terminators */
};

static void series_list_done(struct series_list *list)
{
	buffer_done(&list->series);
	buffer_done(&list->labels);
}

static size_t series_count(const struct series_list *list)
{
	return list->series.len / sizeof(struct series);
}

static const struct series *series_at(const struct series_list *list, size_t i)
{
	return (const struct series *)(const void *)list->series.data + i;
}

static void add_series(struct series_list *list, uint64_t present, const uint64_t *q,
	uint64_t created_ns, size_t labels)
{
	struct series s = {
		.present = present,
		.q = q,
		.created_ns = created_ns,
		.labels = labels,
		.labels_len = list->labels.len - labels,
	};

	buffer_add(&list->series, &s, sizeof(s));
}

static void add_owner_labels(struct buffer *to, const struct view *view, const struct owner *owner,
	const struct snapshot_scope *row)
{
	const char *name = view_text(view, row->name);

	prometheus_add_label(to, true, owner->label, name);
	if (row->user)
		prometheus_add_label(to, false, "user", view_text(view, row->user));
	if (row->above && owner->above)
		prometheus_add_label(to, false, owner->above, view_text(view, row->above));
	if (owner->words && !(row->flags & SCOPE_OTHER) && strcmp(name, OWNER_NONE) != 0)
		prometheus_add_label(to, false, owner->id, owner_word(owner, row->id));
}

/* Returns whether SCOPE has an owner other than "(none)" and "(other)". */
static bool has_owners(const struct view *view, enum metric_scope scope)
{
	for (uint32_t i = 0; i < view_count(view, scope); i++) {
		const struct snapshot_scope *row = view_scope(view, scope, i);

		if (!(row->flags & SCOPE_OTHER) &&
			strcmp(view_text(view, row->name), OWNER_NONE) != 0)
			return true;
	}
	return false;
}

static void collect_scope(
	const struct view *view, enum metric_scope scope, struct series_list *list)
{
	if (metric_is_owner(scope) && owner_of(metric_owner_kind(scope))->is_optional &&
		!has_owners(view, scope))
		return;
	for (uint32_t i = 0; i < view_count(view, scope); i++) {
		const struct snapshot_scope *row = view_scope(view, scope, i);
		size_t at = list->labels.len;

		if (scope != METRIC_HOST) {
			if (!(row->flags & (SCOPE_EXPORTED | SCOPE_OTHER)))
				continue;
			add_owner_labels(
				&list->labels, view, owner_of(metric_owner_kind(scope)), row);
		}
		add_series(list, row->present, row->q, row->created_ns, at);
	}
}

static void collect_processes(
	const struct view *view, const struct sight *sight, struct series_list *list)
{
	for (uint32_t i = 0; i < view_count(view, METRIC_PROCESS); i++) {
		const struct snapshot_process *row = view_process(view, i);
		size_t at = list->labels.len;

		if (!(row->flags & PROCESS_EXPORTED) || !sight_has(sight, row))
			continue;
		buffer_add_text(&list->labels, "pid=\"");
		buffer_add_u64(&list->labels, row->pid);
		buffer_add_char(&list->labels, '"');
		prometheus_add_label(
			&list->labels, false, "user", view_owner(view, row, OWNER_USER));
		prometheus_add_label(
			&list->labels, false, "program", view_owner(view, row, OWNER_PROGRAM));
		add_series(list, row->present, row->q, 0, at);
	}
}

static void collect_holdings(
	const struct view *view, enum holding_kind kind, struct series_list *list)
{
	for (uint32_t i = 0; i < view_holding_count(view); i++) {
		const struct snapshot_holding *row = view_holding(view, i);
		size_t at = list->labels.len;

		if (row->kind != kind)
			continue;
		prometheus_add_label(&list->labels, true, metric_holding_label(kind),
			view_text(view, row->name));
		add_series(list, row->present, row->q, 0, at);
	}
}

static void collect_balance(const struct view *view, struct series_list *list)
{
	const struct snapshot_balance *balance = view_balance(view);

	if (balance)
		add_series(list, balance->present, balance->q, 0, 0);
}

static void collect_survey(const struct view *view, struct series_list *list)
{
	const struct snapshot_survey *survey = view_survey(view);

	if (survey)
		add_series(list, survey->present, survey->q, 0, 0);
}

/* Returns when memtallyd's own counters began: when it started. 0: not known. */
static uint64_t self_created_ns(const struct snapshot_self *self)
{
	return ROW_HAS(self, SELF_START_TIME) ? self->q[SELF_START_TIME] : 0;
}

static void prometheus_collect(const struct view *view, enum metric_scope scope,
	const struct sight *sight, struct series_list *list)
{
	if (scope == METRIC_PROCESS) {
		collect_processes(view, sight, list);
	} else if (scope == METRIC_SELF) {
		const struct snapshot_self *self = view_self(view);

		add_series(list, self->present, self->q, self_created_ns(self), 0);
	} else if (scope == METRIC_BALANCE) {
		collect_balance(view, list);
	} else if (scope == METRIC_SURVEY) {
		collect_survey(view, list);
	} else if (scope == METRIC_FILE) {
		return; /* paths are no labels: their number has no bound */
	} else if (scope >= METRIC_SHMEM) {
		collect_holdings(view, (enum holding_kind)(scope - METRIC_SHMEM), list);
	} else {
		collect_scope(view, scope, list);
	}
}

/* Appends a sample's name and labels, up to the blank before the value. */
static void add_sample_head(struct buffer *to, const char *name, const char *suffix,
	const struct series_list *list, const struct series *s, const struct metric *metric)
{
	buffer_add_text(to, name);
	buffer_add_text(to, suffix);
	if (s->labels_len || metric->label) {
		buffer_add_char(to, '{');
		if (s->labels_len)
			buffer_add(to, list->labels.data + s->labels, s->labels_len);
		if (metric->label)
			prometheus_add_label(to, !s->labels_len, metric->label, metric->value);
		buffer_add_char(to, '}');
	}
	buffer_add_char(to, ' ');
}

/* Appends one family: COUNT rows of the table, which differ only in the value of their label. */
static void render_family(const struct metric *metric, size_t count, enum metric_scope scope,
	const struct series_list *list, enum prometheus_format format, struct buffer *to)
{
	const char *type = metric->type == METRIC_COUNTER ? "counter" : "gauge";
	/* The kernel's counters of a cgroup or of the host began before memtallyd saw them. */
	bool created = format == PROMETHEUS_OPENMETRICS && metric->type == METRIC_COUNTER &&
	               !(metric->flags & METRIC_CGROUP_ONLY);
	char family[METRIC_NAME_SIZE];
	bool empty = true;

	metric_name(metric, scope, true, family);
	for (size_t i = 0; i < series_count(list); i++) {
		const struct series *s = series_at(list, i);

		for (const struct metric *m = metric; m < metric + count; m++) {
			uint64_t value;

			if (!metric_get(m, s->present, s->q, &value))
				continue;
			if (empty)
				prometheus_add_family(
					to, format, family, type, metric->unit, metric->help);
			empty = false;
			add_sample_head(to, family, suffix_of_type(type), list, s, m);
			decimal_add_quantity(to, m->kind, value);
			buffer_add_char(to, '\n');
			if (!created || !s->created_ns)
				continue;
			add_sample_head(to, family, "_created", list, s, m);
			decimal_add_seconds(to, s->created_ns);
			buffer_add_char(to, '\n');
		}
	}
}

/* Returns how many rows of the table from METRIC on, before END, make up its family. */
static size_t family_size(const struct metric *metric, const struct metric *end)
{
	const struct metric *m = metric + 1;

	while (metric->label && m < end && m->label && !strcmp(m->what, metric->what))
		m++;
	return (size_t)(m - metric);
}

static void render_scope(const struct view *view, enum metric_scope scope,
	const struct sight *sight, enum prometheus_format format, struct buffer *to)
{
	CLEANUP(series_list_done) struct series_list list = {0};
	size_t count;
	const struct metric *table = metric_table(scope, &count);

	prometheus_collect(view, scope, sight, &list);
	if (list.series.error || list.labels.error) {
		to->error = -ENOMEM;
		return;
	}
	for (size_t i = 0, n; i < count; i += n) {
		n = family_size(&table[i], table + count);
		if (metric_is_exposed(&table[i], scope))
			render_family(&table[i], n, scope, &list, format, to);
	}
}

/*
 * Appends a bound: OpenMetrics writes it as a float ("1.0"), the text format in the fewest digits
 * ("1").
 */
static void add_bound(struct buffer *to, enum prometheus_format format, double bound)
{
	size_t from = to->len;

	decimal_add_real(to, bound);
	if (format == PROMETHEUS_OPENMETRICS && !to->error &&
		!memchr(to->data + from, '.', to->len - from) &&
		!memchr(to->data + from, 'e', to->len - from))
		buffer_add_text(to, ".0");
}

static void add_bucket(struct buffer *to, enum prometheus_format format,
	const struct metric_histogram *m, size_t i, uint64_t cumulative)
{
	buffer_add_text(to, m->name);
	buffer_add_text(to, "_bucket{le=\"");
	if (i < HISTOGRAM_BUCKETS - 1)
		add_bound(to, format, m->bounds[i]);
	else
		buffer_add_text(to, "+Inf");
	buffer_add_text(to, "\"} ");
	buffer_add_u64(to, cumulative);
	buffer_add_char(to, '\n');
}

static void render_histogram(const struct snapshot_histogram *h, uint64_t created_ns,
	enum prometheus_format format, struct buffer *to)
{
	const struct metric_histogram *m = metric_histogram(h->id);
	uint64_t cumulative = 0;

	if (!m)
		return; /* of a newer minor version of the image */
	prometheus_add_family(to, format, m->name, "histogram", m->unit, m->help);
	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		cumulative += h->bucket[i];
		add_bucket(to, format, m, i, cumulative);
	}
	buffer_add_text(to, m->name);
	buffer_add_text(to, "_sum ");
	decimal_add_seconds(to, h->sum_ns);
	buffer_add_char(to, '\n');
	buffer_add_text(to, m->name);
	buffer_add_text(to, "_count ");
	buffer_add_u64(to, h->count);
	buffer_add_char(to, '\n');
	if (format == PROMETHEUS_OPENMETRICS && created_ns) {
		buffer_add_text(to, m->name);
		buffer_add_text(to, "_created ");
		decimal_add_seconds(to, created_ns);
		buffer_add_char(to, '\n');
	}
}

static void render_capabilities(
	const struct snapshot_self *self, enum prometheus_format format, struct buffer *to)
{
	static const char name[] = "memtally_capability";

	prometheus_add_family(to, format, name, "info", NULL,
		"Rights of memtallyd, and whether /proc hides processes from it.");
	buffer_add_text(to, name);
	buffer_add_text(to, "_info{");
	for (size_t i = 0; i < METRIC_CAPABILITIES; i++) {
		const struct metric_capability *c = metric_capability(i);

		prometheus_add_label(to, i == 0, c->name, self->flags & c->flag ? "true" : "false");
	}
	buffer_add_text(to, "} 1\n");
}

static void render_dropped(
	const struct view *view, enum prometheus_format format, struct buffer *to)
{
	static const char name[] = "memtally_series_dropped";

	prometheus_add_family(to, format, name, "gauge", NULL,
		"Things without series of their own, by scope; owners are in (other).");
	for (int scope = METRIC_USER; scope <= METRIC_PROCESS; scope++) {
		uint32_t dropped;

		if (!view_count_dropped(view, (enum metric_scope)scope, &dropped))
			continue;
		buffer_add_text(to, name);
		buffer_add_char(to, '{');
		prometheus_add_label(
			to, true, "scope", metric_scope_name((enum metric_scope)scope));
		buffer_add_text(to, "} ");
		buffer_add_u64(to, dropped);
		buffer_add_char(to, '\n');
	}
}

void prometheus_render_processes(const struct view *view, const struct sight *sight,
	enum prometheus_format format, struct buffer *to)
{
	render_scope(view, METRIC_PROCESS, sight, format, to);
}

void prometheus_render(const struct view *view, const struct sight *sight,
	enum prometheus_format format, struct buffer *to)
{
	const struct snapshot_self *self = view_self(view);

	for (int scope = METRIC_HOST; scope < METRIC_SCOPES; scope++)
		render_scope(view, (enum metric_scope)scope, sight, format, to);
	for (uint32_t i = 0; i < view->section[SECTION_HISTOGRAMS].count; i++)
		render_histogram(view_histogram(view, i), self_created_ns(self), format, to);
	render_dropped(view, format, to);
	render_capabilities(self, format, to);
}
