/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the JSON of snapshots: each present quantity is there, and golden files fix the form. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <jansson.h>
#include <math.h>

#include "base/clock.h"
#include "render/json.h"
#include "snapshot/owner.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/golden.h"
#include "tests/unit/support/snapshot/sample.h"

#define NOW_NS (SAMPLE_BOOTTIME_NS + 1234567890)

static void cleanup_json(json_t **json)
{
	json_decref(*json);
}
#define AUTO_JSON CLEANUP(cleanup_json)

static json_t *load(const struct buffer *b)
{
	json_error_t error;
	json_t *json = json_loadb(b->data, b->len, JSON_REJECT_DUPLICATES, &error);

	assert_int_equal(b->error, 0);
	if (!json)
		fail_msg("%s at byte %d of '%.*s'", error.text, error.position, (int)b->len,
			b->data);
	return json;
}

/* Renders a whole response with all rows of SCOPE, in pieces of at least ENOUGH bytes. */
static void render_list(
	const struct view *view, enum metric_scope scope, size_t enough, struct buffer *to)
{
	struct json_list list = {.view = view, .scope = scope};
	AUTO_BUFFER struct buffer piece = {0};
	AUTO_FREE uint32_t *rows = NULL;
	struct query q;
	bool more;

	query_init(&q, scope);
	assert_int_equal(query_run(&q, view, &rows, &list.count), 0);
	list.rows = rows;
	json_render_head(view, NOW_NS, true, to);
	do {
		buffer_clear(&piece);
		more = json_list_render(&list, enough, &piece);
		assert_int_equal(piece.error, 0);
		assert_true(!more || piece.len >= enough);
		buffer_add(to, piece.data, piece.len);
	} while (more);
	assert_int_equal(list.next, list.count + 1);
	buffer_clear(&piece);
	assert_false(json_list_render(&list, enough, &piece));
	assert_int_equal(piece.len, 0);
}

static json_t *load_list(const struct view *view, enum metric_scope scope)
{
	AUTO_BUFFER struct buffer b = {0};
	json_t *json;

	render_list(view, scope, 4096, &b);
	json = load(&b);
	assert_int_equal(json_object_size(json), 2);
	assert_non_null(json_object_get(json, "snapshot"));
	return json;
}

static const json_t *row_named(const json_t *list, const char *field, const char *name)
{
	size_t i;
	json_t *row;

	json_array_foreach(list, i,
		row) if (!strcmp(json_string_value(json_object_get(row, field)), name)) return row;
	return NULL;
}

static const json_t *row_of_pid(const json_t *list, json_int_t pid)
{
	size_t i;
	json_t *row;

	json_array_foreach(list, i,
		row) if (json_integer_value(json_object_get(row, "pid")) == pid) return row;
	return NULL;
}

/* As exact as seconds since the epoch are in a double. */
static bool is_seconds(double seconds, uint64_t ns)
{
	return fabs(seconds * 1e9 - (double)ns) <= (double)ns * 1e-15;
}

/*
 * Checks that ROW has a field for each present quantity of SCOPE, and none for the others. Returns
 * the number of fields.
 */
static size_t check_quantities(
	const json_t *row, enum metric_scope scope, uint64_t present, const uint64_t *q)
{
	size_t count, fields = 0;
	const struct metric *table = metric_table(scope, &count);
	const char *last = "";

	for (const struct metric *m = table; m < table + count; m++) {
		char name[METRIC_NAME_SIZE];
		const json_t *value;
		uint64_t bits;

		metric_field(m, name);
		value = json_object_get(row, name);
		if (m->label)
			value = json_object_get(value, m->value);
		if (!(m->flags & METRIC_IN_JSON) || !metric_get(m, present, q, &bits)) {
			assert_null(value);
			continue;
		}
		if (!value)
			fail_msg("%s is missing", name);
		fields += !m->label || strcmp(m->what, last) != 0;
		last = m->what;
		if (m->kind == METRIC_INTEGER)
			assert_true(json_is_integer(value) &&
				    (uint64_t)json_integer_value(value) == bits);
		else if (m->kind == METRIC_SIGNED)
			assert_true(json_is_integer(value) &&
				    json_integer_value(value) == (json_int_t)bits);
		else if (m->kind == METRIC_NANOSECONDS)
			assert_true(is_seconds(json_number_value(value), bits));
		else
			assert_true(json_number_value(value) == metric_real(bits));
	}
	return fields;
}

static void head_identifies_the_snapshot(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_VIEW struct view *whole = sample_open(&(struct sample_options){.is_measured = true});
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	json_render_head(view, NOW_NS, true, &b);
	buffer_add_char(&b, '\0');
	assert_string_equal(b.data,
		"{\"snapshot\":{\"instance\":\"" SAMPLE_INSTANCE "\","
		"\"time\":\"2023-11-14T22:13:20.123Z\",\"sequence\":42,\"interval_seconds\":10,"
		"\"age_seconds\":1.234,\"complete\":false}");
	buffer_clear(&b);
	json_render_head(whole, SAMPLE_BOOTTIME_NS, true, &b);
	buffer_add_char(&b, '\0');
	assert_non_null(strstr(b.data, "\"age_seconds\":0,\"complete\":true}"));
	buffer_clear(&b);
	json_render_head(whole, SAMPLE_BOOTTIME_NS, false, &b);
	buffer_add_char(&b, '\0');
	assert_non_null(strstr(b.data, "\"sequence\":42,\"age_seconds\":0,"));
}

/* Checks the other fields of an owner of KIND. Returns their number. */
static size_t check_details(const json_t *row, const struct view *view, enum owner_kind kind,
	const struct snapshot_scope *r)
{
	const char *user = json_string_value(json_object_get(row, "user"));
	const char *pod = json_string_value(json_object_get(row, "pod"));
	const char *runtime = json_string_value(json_object_get(row, "runtime"));
	bool is_none = !strcmp(view_text(view, r->name), OWNER_NONE);

	if (kind == OWNER_USER) {
		assert_int_equal(json_integer_value(json_object_get(row, "uid")), r->id);
		return 1;
	}
	if (kind == OWNER_GROUP) {
		const json_t *gid = json_object_get(row, "gid");

		assert_int_equal(is_none, !gid);
		assert_true(!gid || json_integer_value(gid) == r->id);
		return gid ? 1 : 0;
	}
	if (kind == OWNER_POD || is_none)
		return 0;
	if (kind == OWNER_SESSION || kind == OWNER_USER_UNIT) {
		assert_string_equal(user, view_text(view, r->user));
		return 1;
	}
	if (kind != OWNER_CONTAINER)
		return 0;
	assert_string_equal(pod, SAMPLE_POD);
	assert_string_equal(runtime, "containerd");
	assert_null(user);
	return 2;
}

static void scopes_have_every_quantity(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);

	(void)state;
	for (int scope = METRIC_USER; scope < METRIC_OWNERS_END; scope++) {
		AUTO_JSON json_t *json = load_list(view, (enum metric_scope)scope);
		const char *field = metric_scope_name((enum metric_scope)scope);
		json_t *list = json_object_get(json, json_list_name((enum metric_scope)scope));
		uint32_t count = view_count(view, (enum metric_scope)scope);

		assert_int_equal(json_array_size(list), count - 1);
		for (uint32_t i = 0; i < count; i++) {
			const struct snapshot_scope *r = view_scope(
				view, (enum metric_scope)scope, i);
			const json_t *row = row_named(list, field, view_text(view, r->name));
			size_t fields = 2;

			if (r->flags & SCOPE_OTHER) {
				assert_null(row);
				continue;
			}
			assert_non_null(row);
			assert_true(json_boolean_value(json_object_get(row, "exported")) ==
				    !!(r->flags & SCOPE_EXPORTED));
			fields += check_details(
				row, view, metric_owner_kind((enum metric_scope)scope), r);
			fields += check_quantities(row, (enum metric_scope)scope, r->present, r->q);
			assert_int_equal(json_object_size(row), fields);
		}
	}
}

static size_t check_process(const struct view *view, const struct snapshot_process *r, json_t *row)
{
	json_int_t pid, uid;
	const char *user, *program, *unit;
	int exported;
	size_t fields = 6;

	assert_int_equal(
		json_unpack(row, "{s:I s:I s:s s:s s:s s:b}", "pid", &pid, "uid", &uid, "user",
			&user, "program", &program, "unit", &unit, "exported", &exported),
		0);
	assert_int_equal(pid, r->pid);
	assert_int_equal(uid, r->uid);
	assert_string_equal(user, view_owner(view, r, OWNER_USER));
	assert_string_equal(program, view_owner(view, r, OWNER_PROGRAM));
	assert_string_equal(unit, view_owner(view, r, OWNER_UNIT));
	for (unsigned int kind = OWNER_UNIT + 1; kind < OWNER_KINDS; kind++) {
		const char *name = view_owner(view, r, (enum owner_kind)kind);
		const char *field = owner_of((enum owner_kind)kind)->name;

		if (strcmp(name, OWNER_NONE) != 0 || kind == OWNER_GROUP) {
			assert_string_equal(json_string_value(json_object_get(row, field)), name);
			fields++;
		}
	}
	if (r->gid != OWNER_NO_ID) {
		assert_int_equal(json_integer_value(json_object_get(row, "gid")), r->gid);
		fields++;
	}
	if (r->ppid) {
		assert_int_equal(json_integer_value(json_object_get(row, "ppid")), r->ppid);
		fields++;
	}
	assert_int_equal(exported, r->flags & PROCESS_EXPORTED);
	if (r->source != SOURCE_NONE) {
		assert_string_equal(json_string_value(json_object_get(row, "source")),
			metric_source_name(r->source));
		fields++;
	}
	if (r->outcome != OUTCOME_MEASURED) {
		assert_string_equal(json_string_value(json_object_get(row, "reason")),
			metric_outcome_name(r->outcome));
		fields++;
	}
	if (r->outcome == OUTCOME_SHARED_MM) {
		assert_int_equal(json_integer_value(json_object_get(row, "mm_pid")), r->mm_pid);
		fields++;
	}
	return fields + check_quantities(row, METRIC_PROCESS, r->present, r->q);
}

static void processes_have_every_quantity(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_JSON json_t *json = load_list(view, METRIC_PROCESS);
	json_t *list = json_object_get(json, "processes");

	(void)state;
	assert_int_equal(json_array_size(list), SAMPLE_PROCESSES);
	for (uint32_t i = 0; i < SAMPLE_PROCESSES; i++) {
		const struct snapshot_process *r = view_process(view, i);
		json_t *row = (json_t *)(uintptr_t)row_of_pid(list, r->pid);

		assert_non_null(row);
		assert_int_equal(json_object_size(row), check_process(view, r, row));
	}
}

static const char *source_of(const json_t *list, uint32_t pid)
{
	return json_string_value(json_object_get(row_of_pid(list, pid), "source"));
}

/* Estimates from a measurement and guesses without one have different names. */
static void guesses_are_marked(void **state)
{
	AUTO_VIEW struct view *view = sample_open(&(struct sample_options){.is_estimated = true});
	AUTO_JSON json_t *json = load_list(view, METRIC_PROCESS);
	json_t *list = json_object_get(json, "processes");

	(void)state;
	assert_string_equal(source_of(list, 1), "rollup");
	assert_string_equal(source_of(list, 300), "rss");
	assert_string_equal(source_of(list, SAMPLE_ESTIMATED), "estimate");
	assert_string_equal(source_of(list, SAMPLE_GUESSED), "guess");
}

/*
 * A blocked process is marked, and has its last measurement as an estimate with the age of that
 * measurement.
 */
static void a_blocked_process_has_its_estimate(void **state)
{
	AUTO_VIEW struct view *view = sample_open(&(struct sample_options){.is_blocked = true});
	AUTO_JSON json_t *json = load_list(view, METRIC_PROCESS);
	json_t *list = json_object_get(json, "processes");
	const json_t *row = row_of_pid(list, SAMPLE_BLOCKED);

	(void)state;
	assert_string_equal(source_of(list, SAMPLE_BLOCKED), "estimate");
	assert_string_equal(json_string_value(json_object_get(row, "reason")), "blocked");
	assert_int_equal(json_integer_value(json_object_get(row, "pss_bytes")), 1500 * 1024);
	assert_true(json_number_value(json_object_get(row, "age_seconds")) >= 271);
}

/* Only a snapshot of a brief pass has the field. */
static void a_brief_snapshot_says_so(void **state)
{
	AUTO_VIEW struct view *brief = sample_open(&(struct sample_options){.is_brief = true});
	AUTO_VIEW struct view *full = sample_open(NULL);
	AUTO_JSON json_t *of_brief = load_list(brief, METRIC_USER);
	AUTO_JSON json_t *of_full = load_list(full, METRIC_USER);

	(void)state;
	assert_true(json_is_true(json_object_get(json_object_get(of_brief, "snapshot"), "brief")));
	assert_null(json_object_get(json_object_get(of_full, "snapshot"), "brief"));
}

static void one_process_is_its_row(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_BUFFER struct buffer b = {0};
	AUTO_JSON json_t *json = NULL;
	json_t *row;

	(void)state;
	json_render_head(view, NOW_NS, true, &b);
	json_render_process(view, view_find_process(view, 1000), &b);
	json = load(&b);
	row = json_object_get(json, "process");
	assert_int_equal(
		json_integer_value(json_object_get(row, "vm_size_bytes")), 9007199254740993);
	assert_int_equal(
		json_object_size(row), check_process(view, view_find_process(view, 1000), row));
}

static void host_has_every_quantity(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_BUFFER struct buffer b = {0};
	AUTO_JSON json_t *json = NULL;
	json_t *host;

	(void)state;
	json_render_head(view, NOW_NS, true, &b);
	json_render_host(view, &b);
	json = load(&b);
	host = json_object_get(json, "host");
	assert_int_equal(json_object_size(host),
		check_quantities(host, METRIC_HOST, view_host(view)->present, view_host(view)->q) +
			check_quantities(host, METRIC_BALANCE, view_balance(view)->present,
				view_balance(view)->q));
	assert_non_null(json_object_get(host, "mem_total_bytes"));
	assert_true(json_integer_value(json_object_get(host, "residual_bytes")) < 0);
}

/* Each list has the rows of its kind, in the order of the image, under their names. */
static void host_has_its_lists(void **state)
{
	static const char *const lists[] = {"shmem", "tmpfs"}, *const names[] = {
								       "user", "mountpoint"};
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_BUFFER struct buffer b = {0};
	AUTO_JSON json_t *json = NULL;
	size_t next[HOLDING_KINDS] = {0};

	(void)state;
	json_render_head(view, NOW_NS, true, &b);
	json_render_host(view, &b);
	json = load(&b);
	for (uint32_t i = 0; i < view_holding_count(view); i++) {
		const struct snapshot_holding *h = view_holding(view, i);
		const json_t *list = json_object_get(json, lists[h->kind]);
		const json_t *row = json_array_get(list, next[h->kind]++);
		const json_t *uid = json_object_get(row, "uid");

		assert_non_null(row);
		assert_string_equal(json_string_value(json_object_get(row, names[h->kind])),
			view_text(view, h->name));
		assert_int_equal(uid != NULL, h->kind == HOLDING_SHMEM && h->id != OWNER_NO_ID);
		assert_int_equal(json_object_size(row),
			1 + (uid != NULL) +
				check_quantities(row,
					metric_holding_scope((enum holding_kind)h->kind),
					h->present, h->q));
	}
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		assert_int_equal(json_array_size(json_object_get(json, lists[i])), next[i]);
}

/*
 * The sums of all files are in the response to every client. Before the first survey they are
 * absent, not 0.
 */
static void host_has_sums_of_the_survey(void **state)
{
	static const struct sample_options unsurveyed = {.is_unsurveyed = true};
	AUTO_VIEW struct view *view = sample_open(NULL), *without = sample_open(&unsurveyed);
	AUTO_BUFFER struct buffer b = {0}, none = {0};
	AUTO_JSON json_t *json = NULL;
	const json_t *survey;

	(void)state;
	json_render_head(view, NOW_NS, true, &b);
	json_render_host(view, &b);
	json = load(&b);
	survey = json_object_get(json, "survey");
	assert_non_null(survey);
	assert_int_equal(json_object_size(survey),
		check_quantities(
			survey, METRIC_SURVEY, view_survey(view)->present, view_survey(view)->q));
	json_render_host(without, &none);
	buffer_add_char(&none, '\0');
	assert_null(strstr(none.data, "survey"));
}

static void status_describes_memtallyd(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_BUFFER struct buffer b = {0};
	AUTO_JSON json_t *json = NULL;
	json_t *status, *histogram, *buckets;
	const char *version;
	int ptrace, perfmon, users, programs, units, processes;

	(void)state;
	json_render_head(view, NOW_NS, true, &b);
	json_render_status(view, &b);
	json = load(&b);
	status = json_object_get(json, "status");
	assert_int_equal(
		json_unpack(status, "{s:s s:{s:b s:b} s:{s:i s:i s:i s:i} s:o}", "version",
			&version, "capabilities", "sys_ptrace", &ptrace, "perfmon", &perfmon,
			"rows", "users", &users, "programs", &programs, "units", &units,
			"processes", &processes, "pass_duration_seconds", &histogram),
		0);
	assert_string_equal(version, "1.2.3");
	assert_string_equal(json_string_value(json_object_get(status, "mode")), "adaptive");
	assert_string_equal(json_string_value(json_object_get(status, "map_counts")), "exact");
	assert_true(ptrace && !perfmon);
	assert_int_equal(users, view_count(view, METRIC_USER) - 1);
	assert_int_equal(programs, view_count(view, METRIC_PROGRAM) - 1);
	assert_int_equal(units, view_count(view, METRIC_UNIT) - 1);
	assert_int_equal(processes, SAMPLE_PROCESSES);
	for (int scope = METRIC_USER; scope <= METRIC_PROCESS; scope++) {
		const char *name = metric_scope_name((enum metric_scope)scope);
		const json_t *dropped = json_object_get(
			json_object_get(status, "series_dropped"), name);
		uint32_t expected;

		assert_true(view_count_dropped(view, (enum metric_scope)scope, &expected));
		assert_int_equal(json_integer_value(dropped), expected);
	}
	assert_int_equal(json_object_size(status),
		6 + HISTOGRAM_COUNT_ +
			check_quantities(
				status, METRIC_SELF, view_self(view)->present, view_self(view)->q));
	assert_int_equal(json_integer_value(json_object_get(histogram, "count")), 42);
	assert_true(json_number_value(json_object_get(histogram, "sum")) == 98.7654321);
	buckets = json_object_get(histogram, "buckets");
	assert_int_equal(json_array_size(buckets), HISTOGRAM_BUCKETS - 1);
	assert_int_equal(
		json_integer_value(json_object_get(json_array_get(buckets, 3), "count")), 31);
}

/* The configured interval and the interval that passes keep have different names. */
static void status_and_snapshot_share_no_name(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_BUFFER struct buffer b = {0};
	AUTO_JSON json_t *json = NULL;
	json_t *snapshot, *status;

	(void)state;
	json_render_head(view, NOW_NS, true, &b);
	json_render_status(view, &b);
	json = load(&b);
	snapshot = json_object_get(json, "snapshot");
	status = json_object_get(json, "status");
	for (void *i = json_object_iter(snapshot); i; i = json_object_iter_next(snapshot, i))
		if (json_object_get(status, json_object_iter_key(i)))
			fail_msg("%s has two senses", json_object_iter_key(i));
	assert_non_null(json_object_get(status, "configured_interval_seconds"));
}

/* A list is the same wherever it is cut into pieces. */
static void pieces_make_the_whole(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_BUFFER struct buffer whole = {0};

	(void)state;
	render_list(view, METRIC_PROCESS, SIZE_MAX, &whole);
	for (size_t enough = 1; enough < 4096; enough = enough * 3 + 1) {
		AUTO_BUFFER struct buffer b = {0};

		render_list(view, METRIC_PROCESS, enough, &b);
		assert_int_equal(b.len, whole.len);
		assert_memory_equal(b.data, whole.data, whole.len);
	}
}

static void status_knows_exact_mode(void **state)
{
	AUTO_VIEW struct view *view = sample_open(&(struct sample_options){.is_exact = true});
	AUTO_BUFFER struct buffer b = {0};
	AUTO_JSON json_t *json = NULL;

	(void)state;
	json_render_head(view, NOW_NS, true, &b);
	json_render_status(view, &b);
	json = load(&b);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(json, "status"), "mode")),
		"exact");
}

static void empty_list_is_a_list(void **state)
{
	AUTO_VIEW struct view *view = sample_open(&(struct sample_options){.is_public = true});
	AUTO_JSON json_t *json = load_list(view, METRIC_PROCESS);

	(void)state;
	assert_true(json_is_array(json_object_get(json, "processes")));
	assert_int_equal(json_array_size(json_object_get(json, "processes")), 0);
}

static void errors_take_any_bytes(void **state)
{
	static const struct {
		const char *message, *text;
	} cases[] = {
		{"'limit' must be a whole number",
			"{\"error\":\"'limit' must be a whole number\"}"},
		{"a \"b\" \\ c\nd", "{\"error\":\"a \\\"b\\\" \\\\ c\\\\x0ad\"}"},
		{"\xff\x1b[2J", "{\"error\":\"\xef\xbf\xbd\\\\x1b[2J\"}"},
		{"", "{\"error\":\"\"}"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_BUFFER struct buffer b = {0};

		json_render_error(cases[i].message, &b);
		buffer_add_char(&b, '\0');
		assert_string_equal(b.data, cases[i].text);
	}
}

static void bodies_equal_the_golden_files(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);

	(void)state;
	for (int scope = METRIC_USER; scope <= METRIC_PROCESS; scope++) {
		AUTO_BUFFER struct buffer b = {0};
		char name[32];

		render_list(view, (enum metric_scope)scope, 1000, &b);
		snprintf(name, sizeof(name), "%s.json", json_list_name((enum metric_scope)scope));
		golden_check(name, &b);
	}
}

/* The results of the survey, or a statement that there was none yet. */
static void files_follow_the_survey(void **state)
{
	static const struct sample_options unsurveyed = {.is_unsurveyed = true};
	AUTO_VIEW struct view *view = sample_open(NULL), *without = sample_open(&unsurveyed);
	AUTO_BUFFER struct buffer b = {0}, none = {0};
	struct json_list list = {.view = without, .scope = METRIC_FILE};

	(void)state;
	render_list(view, METRIC_FILE, 1000, &b);
	golden_check("files.json", &b);
	assert_false(json_list_render(&list, SIZE_MAX, &none));
	assert_int_equal(view_count(without, METRIC_FILE), 0);
	assert_int_equal(none.len, strlen(",\"files\":[]}"));
	assert_memory_equal(none.data, ",\"files\":[]}", none.len);
}

static void render_all(const struct view *view, struct buffer *to)
{
	static const uint32_t rows[] = {0, 1, 2};
	struct json_list list = {.view = view, .scope = METRIC_USER, .rows = rows, .count = 3};

	json_render_head(view, NOW_NS, true, to);
	json_list_render(&list, SIZE_MAX, to);
	json_render_process(view, view_process(view, 0), to);
	json_render_host(view, to);
	json_render_status(view, to);
	json_render_error("x", to);
}

/* If memory runs out, no key is missing: the whole response is an error. */
static void lack_of_memory_is_reported(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	unsigned int n = 0;

	(void)state;
	json_set_alloc_funcs(malloc, free); /* the allocators that fail on demand */
	for (bool failed = true; failed;) {
		AUTO_BUFFER struct buffer b = {0};

		allocation_fail_at(++n);
		render_all(view, &b);
		failed = allocation_end();
		assert_int_equal(b.error, failed ? -ENOMEM : 0);
	}
	assert_true(n > 20);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(head_identifies_the_snapshot),
		cmocka_unit_test(scopes_have_every_quantity),
		cmocka_unit_test(processes_have_every_quantity),
		cmocka_unit_test(guesses_are_marked),
		cmocka_unit_test(a_blocked_process_has_its_estimate),
		cmocka_unit_test(one_process_is_its_row),
		cmocka_unit_test(host_has_every_quantity),
		cmocka_unit_test(host_has_its_lists),
		cmocka_unit_test(host_has_sums_of_the_survey),
		cmocka_unit_test(status_describes_memtallyd),
		cmocka_unit_test(status_and_snapshot_share_no_name),
		cmocka_unit_test(pieces_make_the_whole),
		cmocka_unit_test(status_knows_exact_mode),
		cmocka_unit_test(empty_list_is_a_list),
		cmocka_unit_test(errors_take_any_bytes),
		cmocka_unit_test(a_brief_snapshot_says_so),
		cmocka_unit_test(bodies_equal_the_golden_files),
		cmocka_unit_test(files_follow_the_survey),
		cmocka_unit_test(lack_of_memory_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
