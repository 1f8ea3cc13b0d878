/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jansson renders texts: it escapes, and refuses all but UTF-8. Numbers are rendered here:
 * jansson prints every real with a fixed number of digits (0.1 as 0.10000000000000001, or a counter
 * cut short), and nanoseconds since the epoch do not fit in a double. A jansson tree of a row's
 * some thirty numbers would also cost several times as much as writing them.
 */
#include "config.h"

#include "render/json.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "render/decimal.h"
#include "snapshot/owner.h"

static int json_render_add_bytes(const char *bytes, size_t len, void *to)
{
	buffer_add(to, bytes, len);
	return 0;
}

/* Appends TEXT, which is UTF-8, as a JSON string. It can fail only for lack of memory. */
static void json_render_add_text(struct buffer *to, const char *text)
{
	json_t *string = json_string(text);

	if (!string || json_dump_callback(string, json_render_add_bytes, to, JSON_ENCODE_ANY) < 0)
		to->error = -ENOMEM;
	json_decref(string);
}

/*
 * Appends a comma, if one is needed, and the field name NAME, which is ours and needs no escapes.
 */
static void json_render_add_name(struct buffer *to, const char *name)
{
	if (!to->len || to->data[to->len - 1] != '{')
		buffer_add_char(to, ',');
	buffer_add_char(to, '"');
	buffer_add_text(to, name);
	buffer_add_text(to, "\":");
}

static void add_text_field(struct buffer *to, const char *name, const char *text)
{
	json_render_add_name(to, name);
	json_render_add_text(to, text);
}

static void add_integer_field(struct buffer *to, const char *name, uint64_t value)
{
	json_render_add_name(to, name);
	buffer_add_u64(to, value);
}

static void add_seconds_field(struct buffer *to, const char *name, uint64_t ns)
{
	json_render_add_name(to, name);
	decimal_add_seconds(to, ns);
}

static void add_bool_field(struct buffer *to, const char *name, bool value)
{
	json_render_add_name(to, name);
	buffer_add_text(to, value ? "true" : "false");
}

void json_render_head(
	const struct view *view, uint64_t now_boottime_ns, bool has_schedule, struct buffer *to)
{
	char instance[VIEW_INSTANCE_TEXT_SIZE], time[CLOCK_TEXT_SIZE];
	uint64_t age_ns = view_age_ns(view, now_boottime_ns);

	view_format_instance(view, instance);
	clock_format_rfc3339(view->header->realtime_ns, time);
	buffer_add_text(to, "{\"snapshot\":{");
	add_text_field(to, "instance", instance);
	add_text_field(to, "time", time);
	add_integer_field(to, "sequence", view->header->sequence);
	if (has_schedule)
		add_seconds_field(to, "interval_seconds", view->header->interval_ns);
	add_seconds_field(to, "age_seconds", age_ns - age_ns % NS_PER_MSEC);
	add_bool_field(to, "complete", view_is_complete(view));
	if (view_is_brief(view))
		add_bool_field(to, "brief", true);
	buffer_add_char(to, '}');
}

/*
 * The fields of a scope's rows. Their names are composed once for each piece, and not for each row.
 */
struct field {
	const struct metric *metric;
	/* Number of rows of the table, from metric on, that make up one labelled field. */
	size_t family;
	char name[METRIC_NAME_SIZE];
};

struct fields {
	struct field field[64]; /* a row's mask has 64 bits */
	size_t count;
};

static void fields_init(struct fields *fields, enum metric_scope scope)
{
	size_t count;
	const struct metric *table = metric_table(scope, &count);

	fields->count = 0;
	for (size_t i = 0, n; i < count; i += n) {
		struct field *f = &fields->field[fields->count];

		for (n = 1; table[i].label && i + n < count && table[i + n].label; n++)
			if (strcmp(table[i + n].what, table[i].what) != 0)
				break;
		if (!(table[i].flags & METRIC_IN_JSON) || !metric_applies(&table[i], scope))
			continue;
		f->metric = &table[i];
		f->family = n;
		metric_field(&table[i], f->name);
		fields->count++;
	}
}

static void add_labelled_field(
	struct buffer *to, const struct field *f, uint64_t present, const uint64_t *q)
{
	bool any = false;

	for (const struct metric *m = f->metric; m < f->metric + f->family; m++) {
		uint64_t value;

		if (!metric_get(m, present, q, &value))
			continue;
		if (!any) {
			json_render_add_name(to, f->name);
			buffer_add_char(to, '{');
		}
		any = true;
		json_render_add_name(to, m->value);
		decimal_add_quantity(to, m->kind, value);
	}
	if (any)
		buffer_add_char(to, '}');
}

static void json_render_add_quantities(
	struct buffer *to, const struct fields *fields, uint64_t present, const uint64_t *q)
{
	for (const struct field *f = fields->field; f < fields->field + fields->count; f++) {
		uint64_t value;

		if (f->metric->label) {
			add_labelled_field(to, f, present, q);
		} else if (metric_get(f->metric, present, q, &value)) {
			json_render_add_name(to, f->name);
			decimal_add_quantity(to, f->metric->kind, value);
		}
	}
}

/* Leaves out "(none)" for kinds of owners that a host may not have at all. */
static void add_owner_field(struct buffer *to, const struct owner *owner, const char *name)
{
	if (!owner->is_optional || strcmp(name, OWNER_NONE) != 0)
		add_text_field(to, owner->name, name);
}

static void json_render_add_process(struct buffer *to, const struct view *view,
	const struct fields *fields, const struct snapshot_process *row)
{
	buffer_add_char(to, '{');
	add_integer_field(to, "pid", row->pid);
	add_integer_field(to, "uid", row->uid);
	if (row->gid != OWNER_NO_ID)
		add_integer_field(to, "gid", row->gid);
	if (row->ppid)
		add_integer_field(to, "ppid", row->ppid);
	for (unsigned int kind = 0; kind < OWNER_KINDS; kind++)
		add_owner_field(to, owner_of((enum owner_kind)kind),
			view_owner(view, row, (enum owner_kind)kind));
	if (row->source != SOURCE_NONE)
		add_text_field(to, "source",
			snapshot_is_guess(row) ? "guess" : metric_source_name(row->source));
	if (row->outcome != OUTCOME_MEASURED)
		add_text_field(to, "reason", metric_outcome_name(row->outcome));
	if (row->outcome == OUTCOME_SHARED_MM)
		add_integer_field(to, "mm_pid", row->mm_pid);
	add_bool_field(to, "exported", row->flags & PROCESS_EXPORTED);
	json_render_add_quantities(to, fields, row->present, row->q);
	buffer_add_char(to, '}');
}

/* Appends user, parent and id of ROW. */
static void add_owner_details(struct buffer *to, const struct view *view, const struct owner *owner,
	const struct snapshot_scope *row)
{
	if (row->user)
		add_text_field(to, "user", view_text(view, row->user));
	if (row->above && owner->above)
		add_text_field(to, owner->above, view_text(view, row->above));
	if (owner->words && strcmp(view_text(view, row->name), OWNER_NONE) != 0)
		add_text_field(to, owner->id, owner_word(owner, row->id));
	else if (owner->id && !owner->words && row->id != OWNER_NO_ID)
		add_integer_field(to, owner->id, row->id);
}

static void add_scope(struct buffer *to, const struct view *view, enum metric_scope scope,
	const struct fields *fields, const struct snapshot_scope *row)
{
	const struct owner *owner = owner_of(metric_owner_kind(scope));

	buffer_add_char(to, '{');
	add_text_field(to, owner->name, view_text(view, row->name));
	add_owner_details(to, view, owner, row);
	add_bool_field(to, "exported", row->flags & SCOPE_EXPORTED);
	json_render_add_quantities(to, fields, row->present, row->q);
	buffer_add_char(to, '}');
}

/* The device is MAJOR:MINOR in hexadecimal, as in /proc/PID/maps. */
static void json_render_add_file(struct buffer *to, const struct view *view,
	const struct fields *fields, const struct snapshot_file *row)
{
	buffer_add_char(to, '{');
	add_text_field(to, "path", view_text(view, row->path));
	buffer_printf(to, ",\"device\":\"%x:%x\"", row->major, row->minor);
	add_integer_field(to, "inode", row->inode);
	add_bool_field(to, "deleted", row->flags & FILE_DELETED);
	add_bool_field(to, "executable", row->flags & FILE_EXECUTABLE);
	json_render_add_quantities(to, fields, row->present, row->q);
	buffer_add_char(to, '}');
}

/* Appends the sums and the time of the survey, which stand before the list of files. */
static void add_survey(struct buffer *to, const struct view *view)
{
	const struct snapshot_survey *survey = view_survey(view);
	struct fields fields;

	if (!survey)
		return;
	fields_init(&fields, METRIC_SURVEY);
	json_render_add_name(to, json_list_name(METRIC_SURVEY));
	buffer_add_char(to, '{');
	json_render_add_quantities(to, &fields, survey->present, survey->q);
	buffer_add_char(to, '}');
}

const char *json_list_name(enum metric_scope scope)
{
	static const char *const names[METRIC_SCOPES] = {
		[METRIC_HOST] = "host",
		[METRIC_PROCESS] = "processes",
		[METRIC_SELF] = "status",
		[METRIC_SURVEY] = "survey",
		[METRIC_FILE] = "files",
		[METRIC_SHMEM] = "shmem",
		[METRIC_TMPFS] = "tmpfs",
	};

	return metric_is_owner(scope) ? owner_of(metric_owner_kind(scope))->list : names[scope];
}

static void list_step(struct json_list *list, const struct fields *fields, struct buffer *to)
{
	uint32_t row;

	if (list->next == 0) {
		if (list->scope == METRIC_FILE)
			add_survey(to, list->view);
		json_render_add_name(to, json_list_name(list->scope));
		buffer_add_char(to, '[');
	}
	if (list->next == list->count) {
		buffer_add_text(to, "]}");
		return;
	}
	if (list->next)
		buffer_add_char(to, ',');
	row = list->rows[list->next];
	if (list->scope == METRIC_PROCESS)
		json_render_add_process(to, list->view, fields, view_process(list->view, row));
	else if (list->scope == METRIC_FILE)
		json_render_add_file(to, list->view, fields, view_file(list->view, row));
	else
		add_scope(to, list->view, list->scope, fields,
			view_scope(list->view, list->scope, row));
}

bool json_list_render(struct json_list *list, size_t enough, struct buffer *to)
{
	struct fields fields;

	fields_init(&fields, list->scope);
	while (list->next <= list->count && to->len < enough && !to->error) {
		list_step(list, &fields, to);
		list->next++;
	}
	return list->next <= list->count && !to->error;
}

void json_render_process(
	const struct view *view, const struct snapshot_process *row, struct buffer *to)
{
	struct fields fields;

	fields_init(&fields, METRIC_PROCESS);
	json_render_add_name(to, "process");
	json_render_add_process(to, view, &fields, row);
	buffer_add_char(to, '}');
}

/* Appends the rows of KIND; nothing if the image has no balance of the host's memory. */
static void add_holdings(struct buffer *to, const struct view *view, enum holding_kind kind)
{
	enum metric_scope scope = metric_holding_scope(kind);
	struct fields fields;
	bool any = false;

	if (!view_balance(view))
		return;
	fields_init(&fields, scope);
	json_render_add_name(to, json_list_name(scope));
	buffer_add_char(to, '[');
	for (uint32_t i = 0; i < view_holding_count(view); i++) {
		const struct snapshot_holding *row = view_holding(view, i);

		if (row->kind != kind)
			continue;
		buffer_add_text(to, any ? ",{" : "{");
		any = true;
		add_text_field(to, metric_holding_label(kind), view_text(view, row->name));
		if (kind == HOLDING_SHMEM && row->id != OWNER_NO_ID)
			add_integer_field(to, "uid", row->id);
		json_render_add_quantities(to, &fields, row->present, row->q);
		buffer_add_char(to, '}');
	}
	buffer_add_char(to, ']');
}

static void json_render_add_host(struct buffer *to, const struct view *view)
{
	const struct snapshot_scope *host = view_host(view);
	const struct snapshot_balance *balance = view_balance(view);
	struct fields fields;

	fields_init(&fields, METRIC_HOST);
	json_render_add_name(to, json_list_name(METRIC_HOST));
	buffer_add_char(to, '{');
	json_render_add_quantities(to, &fields, host->present, host->q);
	if (balance) {
		fields_init(&fields, METRIC_BALANCE);
		json_render_add_quantities(to, &fields, balance->present, balance->q);
	}
	buffer_add_char(to, '}');
}

void json_render_host(const struct view *view, struct buffer *to)
{
	json_render_add_host(to, view);
	for (unsigned int kind = 0; kind < HOLDING_KINDS; kind++)
		add_holdings(to, view, (enum holding_kind)kind);
	add_survey(to, view);
	buffer_add_char(to, '}');
}

/* Buckets are cumulative, as in Prometheus; .count is that of the bucket without an upper bound. */
static void json_render_add_histogram(struct buffer *to, const struct snapshot_histogram *h)
{
	const struct metric_histogram *m = metric_histogram(h->id);
	uint64_t cumulative = 0;

	if (!m)
		return; /* of a newer minor version of the image */
	json_render_add_name(to, m->field);
	buffer_add_text(to, "{\"buckets\":[");
	for (size_t i = 0; i < HISTOGRAM_BUCKETS - 1; i++) {
		cumulative += h->bucket[i];
		buffer_add_text(to, i ? ",{" : "{");
		json_render_add_name(to, "le");
		decimal_add_real(to, m->bounds[i]);
		add_integer_field(to, "count", cumulative);
		buffer_add_char(to, '}');
	}
	buffer_add_char(to, ']');
	add_seconds_field(to, "sum", h->sum_ns);
	add_integer_field(to, "count", h->count);
	buffer_add_char(to, '}');
}

static void add_capabilities(struct buffer *to, unsigned int flags)
{
	json_render_add_name(to, "capabilities");
	buffer_add_char(to, '{');
	for (size_t i = 0; i < METRIC_CAPABILITIES; i++) {
		const struct metric_capability *c = metric_capability(i);

		add_bool_field(to, c->name, flags & c->flag);
	}
	buffer_add_char(to, '}');
}

/* Appends the length of each list; "(other)" is in none. */
static void json_render_add_rows(struct buffer *to, const struct view *view)
{
	json_render_add_name(to, "rows");
	buffer_add_char(to, '{');
	for (int scope = METRIC_USER; scope <= METRIC_PROCESS; scope++) {
		uint32_t count = view_count(view, (enum metric_scope)scope), n = count;

		for (uint32_t i = 0; scope != METRIC_PROCESS && i < count; i++)
			if (view_scope(view, (enum metric_scope)scope, i)->flags & SCOPE_OTHER)
				n--;
		add_integer_field(to, json_list_name((enum metric_scope)scope), n);
	}
	buffer_add_char(to, '}');
}

/* Appends, for each scope, how many have no series of their own. */
static void add_dropped(struct buffer *to, const struct view *view)
{
	json_render_add_name(to, "series_dropped");
	buffer_add_char(to, '{');
	for (int scope = METRIC_USER; scope <= METRIC_PROCESS; scope++) {
		uint32_t dropped;

		if (view_count_dropped(view, (enum metric_scope)scope, &dropped))
			add_integer_field(to, metric_scope_name((enum metric_scope)scope), dropped);
	}
	buffer_add_char(to, '}');
}

static const char *map_counts_of(const struct view *view)
{
	const struct snapshot_balance *balance = view_balance(view);

	if (!balance || !ROW_HAS(balance, BALANCE_MAP_COUNTS_EXACT))
		return "unknown";
	return balance->q[BALANCE_MAP_COUNTS_EXACT] ? "exact" : "averaged";
}

void json_render_status(const struct view *view, struct buffer *to)
{
	const struct snapshot_self *self = view_self(view);
	struct fields fields;

	fields_init(&fields, METRIC_SELF);
	json_render_add_name(to, json_list_name(METRIC_SELF));
	buffer_add_char(to, '{');
	add_text_field(to, "version", view_text(view, self->version));
	add_text_field(to, "mode", snapshot_is_adaptive(self) ? "adaptive" : "exact");
	add_text_field(to, "map_counts", map_counts_of(view));
	add_capabilities(to, self->flags);
	json_render_add_rows(to, view);
	add_dropped(to, view);
	json_render_add_quantities(to, &fields, self->present, self->q);
	for (uint32_t i = 0; i < view->section[SECTION_HISTOGRAMS].count; i++)
		json_render_add_histogram(to, view_histogram(view, i));
	buffer_add_text(to, "}}");
}

void json_render_host_status(const struct view *view, struct buffer *to)
{
	json_render_add_host(to, view);
	json_render_status(view, to);
}

void json_render_string(const char *text, struct buffer *to)
{
	AUTO_BUFFER struct buffer clean = {0};

	text_add_clean(&clean, text, strlen(text));
	buffer_add_char(&clean, '\0');
	if (clean.error)
		to->error = clean.error;
	else
		json_render_add_text(to, clean.data);
}

void json_render_error(const char *message, struct buffer *to)
{
	buffer_add_text(to, "{\"error\":");
	json_render_string(message, to);
	buffer_add_char(to, '}');
}
