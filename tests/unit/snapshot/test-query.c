/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of snapshot/query.h against sorting and filtering that are written apart from it. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/number.h"
#include "snapshot/owner.h"
#include "snapshot/query.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/snapshot/sample.h"
#include "tests/unit/support/snapshot/small.h"

/* Fields that processes can be filtered by. */
#define OWNERS                                                                                     \
	", user, program, unit, user_unit, session, slice, machine, pod, container, group, "       \
	"namegroup"

static const enum metric_scope scopes[] = {METRIC_USER, METRIC_PROGRAM, METRIC_UNIT,
	METRIC_USER_UNIT, METRIC_SESSION, METRIC_SLICE, METRIC_MACHINE, METRIC_POD,
	METRIC_CONTAINER, METRIC_GROUP, METRIC_NAMEGROUP, METRIC_PROCESS, METRIC_FILE};

/* The value of field KEY of a row, computed apart from the query in the simplest way. */
struct value {
	bool present;
	const char *text; /* NULL: .number counts */
	double number;
};

static const char *name_of(const struct view *view, enum metric_scope scope, uint32_t i)
{
	return view_text(view, view_scope(view, scope, i)->name);
}

static struct value of_text(const char *text)
{
	return (struct value){.present = *text, .text = text};
}

static struct value of_number(double number)
{
	return (struct value){.present = true, .number = number};
}

static struct value of_metric(
	enum metric_scope scope, const char *key, uint64_t present, const uint64_t *q)
{
	struct value value = {0};
	size_t count;
	const struct metric *m = metric_table(scope, &count);

	for (size_t i = 0; i < count; i++) {
		char field[METRIC_NAME_SIZE];
		uint64_t v;

		metric_field(&m[i], field);
		if (strcmp(field, key) != 0 || !metric_get(&m[i], present, q, &v))
			continue;
		value.present = true;
		value.number += metric_is_real(m[i].kind) ? metric_real(v) : (double)v;
	}
	return value;
}

static struct value value_of_file(const struct view *view, uint32_t i, const char *key)
{
	const struct snapshot_file *row = view_file(view, i);

	if (!strcmp(key, "path"))
		return of_text(view_text(view, row->path));
	if (!strcmp(key, "deleted"))
		return of_text(row->flags & FILE_DELETED ? "true" : "false");
	if (!strcmp(key, "executable"))
		return of_text(row->flags & FILE_EXECUTABLE ? "true" : "false");
	if (!strcmp(key, "device"))
		return of_number((double)row->major * 4294967296 + row->minor);
	if (!strcmp(key, "inode"))
		return of_number((double)row->inode);
	return of_metric(METRIC_FILE, key, row->present, row->q);
}

static struct value value_of(
	const struct view *view, enum metric_scope scope, uint32_t i, const char *key)
{
	const struct snapshot_process *p;

	if (scope == METRIC_FILE)
		return value_of_file(view, i, key);
	if (scope != METRIC_PROCESS) {
		const struct snapshot_scope *row = view_scope(view, scope, i);

		if (!strcmp(key, metric_scope_name(scope)))
			return of_text(view_text(view, row->name));
		if (!strcmp(key, "uid"))
			return of_number(row->id);
		if (!strcmp(key, "gid"))
			return row->id == OWNER_NO_ID ? (struct value){0} : of_number(row->id);
		if (!strcmp(key, "runtime"))
			return of_text(owner_word(owner_of(OWNER_CONTAINER), row->id));
		if (!strcmp(key, "user"))
			return of_text(view_text(view, row->user));
		if (!strcmp(key, "pod"))
			return of_text(view_text(view, row->above));
		return of_metric(scope, key, row->present, row->q);
	}
	p = view_process(view, i);
	if (!strcmp(key, "pid"))
		return of_number(p->pid);
	if (!strcmp(key, "uid"))
		return of_number(p->uid);
	if (!strcmp(key, "gid"))
		return p->gid == OWNER_NO_ID ? (struct value){0} : of_number(p->gid);
	for (unsigned int kind = 0; kind < OWNER_KINDS; kind++)
		if (!strcmp(key, owner_of((enum owner_kind)kind)->name))
			return of_text(view_owner(view, p, (enum owner_kind)kind));
	if (!strcmp(key, "source"))
		return p->source == SOURCE_NONE ? (struct value){0}
		                                : of_text(metric_source_name(p->source));
	if (!strcmp(key, "reason"))
		return p->outcome == OUTCOME_MEASURED ? (struct value){0}
		                                      : of_text(metric_outcome_name(p->outcome));
	return of_metric(scope, key, p->present, p->q);
}

/* Collects every field that rows of SCOPE can be sorted by. Returns their number. */
static size_t sort_keys(enum metric_scope scope, char key[64][METRIC_NAME_SIZE])
{
	static const char *const of_processes[] = {"pid", "uid", "user", "program", "unit",
		"user_unit", "session", "slice", "machine", "pod", "container", "group",
		"namegroup", "gid", "source", "reason"};
	size_t count, n = 0;
	const struct metric *m = metric_table(scope, &count);

	static const char *const of_files[] = {"path", "deleted", "executable", "device", "inode"};

	if (scope == METRIC_PROCESS)
		for (size_t i = 0; i < ARRAY_SIZE(of_processes); i++)
			snprintf(key[n++], METRIC_NAME_SIZE, "%s", of_processes[i]);
	else if (scope == METRIC_FILE)
		for (size_t i = 0; i < ARRAY_SIZE(of_files); i++)
			snprintf(key[n++], METRIC_NAME_SIZE, "%s", of_files[i]);
	else
		snprintf(key[n++], METRIC_NAME_SIZE, "%s", metric_scope_name(scope));
	if (scope == METRIC_USER)
		snprintf(key[n++], METRIC_NAME_SIZE, "uid");
	if (scope == METRIC_GROUP)
		snprintf(key[n++], METRIC_NAME_SIZE, "gid");
	if (scope == METRIC_USER_UNIT || scope == METRIC_SESSION || scope == METRIC_CONTAINER)
		snprintf(key[n++], METRIC_NAME_SIZE, "user");
	if (scope == METRIC_CONTAINER) {
		snprintf(key[n++], METRIC_NAME_SIZE, "pod");
		snprintf(key[n++], METRIC_NAME_SIZE, "runtime");
	}
	for (size_t i = 0; i < count; i++)
		if ((m[i].flags & METRIC_IN_JSON) && metric_applies(&m[i], scope))
			metric_field(&m[i], key[n++]);
	assert_true(n <= 64);
	return n;
}

static void set(struct query *q, const char *key, const char *value)
{
	char error[QUERY_ERROR_SIZE] = "";

	if (query_set(q, key, value, error) != 0)
		fail_msg("%s=%s: %s", key, value, error);
}

struct rows {
	uint32_t *row;
	size_t count;
};

static void rows_done(struct rows *rows)
{
	free(rows->row);
}
#define AUTO_ROWS CLEANUP(rows_done)

static struct rows run(const struct query *q, const struct view *view)
{
	struct rows rows = {0};

	assert_int_equal(query_run(q, view, &rows.row, &rows.count), 0);
	assert_non_null(rows.row);
	return rows;
}

static int order_of(const struct value *a, const struct value *b)
{
	if (a->text)
		return strcmp(a->text, b->text);
	return (a->number > b->number) - (a->number < b->number);
}

static void assert_sorted(const struct view *view, enum metric_scope scope, const char *key,
	bool ascending, const struct rows *rows)
{
	for (size_t i = 1; i < rows->count; i++) {
		struct value a = value_of(view, scope, rows->row[i - 1], key);
		struct value b = value_of(view, scope, rows->row[i], key);
		int order = a.present && b.present ? order_of(&a, &b) : 0;

		if (!a.present && b.present)
			fail_msg("%s: absent before present", key);
		if (a.present == b.present && (ascending ? order > 0 : order < 0))
			fail_msg("%s: out of order", key);
		if (a.present == b.present && order == 0 && rows->row[i - 1] >= rows->row[i])
			fail_msg("%s: ties are not in the order of the image", key);
	}
}

/* Asserts that each row of the image is there once, except "(other)". */
static void assert_all(const struct view *view, enum metric_scope scope, const struct rows *rows)
{
	uint32_t total = view_count(view, scope), others = 0;
	bool *seen = calloc(total, sizeof(*seen));

	assert_non_null(seen);
	for (size_t i = 0; i < rows->count; i++) {
		assert_true(rows->row[i] < total);
		assert_false(seen[rows->row[i]]);
		seen[rows->row[i]] = true;
	}
	for (uint32_t i = 0; scope < METRIC_PROCESS && i < total; i++)
		if (view_scope(view, scope, i)->flags & SCOPE_OTHER) {
			assert_false(seen[i]);
			others++;
		}
	assert_int_equal(rows->count + others, total);
	free(seen);
}

/* For every field, order and scope. A limit returns the first rows of the same order. */
static void sorts_by_every_field(void **state)
{
	static const struct sample_options options[] = {{0}, {.more = 120}, {.is_public = true}};
	static const char *const orders[] = {"asc", "desc"};

	(void)state;
	for (size_t o = 0; o < ARRAY_SIZE(options); o++) {
		AUTO_VIEW struct view *view = sample_open(&options[o]);

		for (size_t s = 0; s < ARRAY_SIZE(scopes); s++) {
			char key[64][METRIC_NAME_SIZE];
			size_t keys = sort_keys(scopes[s], key);

			for (size_t i = 0; i < 2 * keys; i++) {
				AUTO_ROWS struct rows all = {0}, some = {0};
				struct query q;

				query_init(&q, scopes[s]);
				set(&q, "sort", key[i / 2]);
				set(&q, "order", orders[i % 2]);
				all = run(&q, view);
				assert_all(view, scopes[s], &all);
				assert_sorted(view, scopes[s], key[i / 2], i % 2 == 0, &all);

				set(&q, "limit", "7");
				some = run(&q, view);
				assert_int_equal(some.count, all.count < 7 ? all.count : 7);
				assert_memory_equal(
					some.row, all.row, some.count * sizeof(*some.row));
			}
		}
	}
}

/* By default quantities descend and names ascend. The order of the parameters does not matter. */
static void has_a_default_order(void **state)
{
	static const struct {
		const char *first[2], *second[2], *key;
		bool ascending;
	} cases[] = {
		{{NULL}, {NULL}, "pss_bytes", false},
		{{"sort", "rss_bytes"}, {NULL}, "rss_bytes", false},
		{{"sort", "program"}, {NULL}, "program", true},
		{{"sort", "pid"}, {NULL}, "pid", true},
		{{"order", "asc"}, {NULL}, "pss_bytes", true},
		{{"sort", "program"}, {"order", "desc"}, "program", false},
		{{"order", "desc"}, {"sort", "program"}, "program", false},
		{{"order", "asc"}, {"sort", "rss_bytes"}, "rss_bytes", true},
	};
	AUTO_VIEW struct view *view = sample_open(NULL);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_ROWS struct rows rows = {0};
		struct query q;

		query_init(&q, METRIC_PROCESS);
		if (cases[i].first[0])
			set(&q, cases[i].first[0], cases[i].first[1]);
		if (cases[i].second[0])
			set(&q, cases[i].second[0], cases[i].second[1]);
		assert_int_equal(q.ascending, cases[i].ascending);
		rows = run(&q, view);
		assert_all(view, METRIC_PROCESS, &rows);
		assert_sorted(view, METRIC_PROCESS, cases[i].key, cases[i].ascending, &rows);
	}
}

/*
 * Filters in the form that clients write. Values of one key are alternatives; all keys must match.
 */
static const struct filters {
	enum metric_scope scope;
	const char *filter[6][2];
} filters[] = {
	{METRIC_USER, {{"user", "alice"}}},
	{METRIC_USER, {{"user", "alice"}, {"user", "小野"}, {"user", "nobody"}}},
	{METRIC_USER, {{"user", "(other)"}}},
	{METRIC_USER, {{"user", ""}}},
	{METRIC_PROGRAM, {{"program", "x\",user=\"root\"} 1\n# HELP\\"}}},
	{METRIC_PROGRAM, {{"program", "bash"}, {"program", "bash"}}},
	{METRIC_PROGRAM, {{"program", "bas"}}},
	{METRIC_UNIT, {{"unit", "(none)"}, {"unit", "ssh.service"}}},
	{METRIC_PROCESS, {{"user", "alice"}}},
	{METRIC_PROCESS, {{"user", "alice"}, {"program", "bash"}}},
	{METRIC_PROCESS, {{"user", "alice"}, {"program", "bash"}, {"user", "bob"}}},
	{METRIC_PROCESS, {{"program", "firefox"}, {"user", "bob"}}},
	{METRIC_PROCESS, {{"pid", "1"}, {"pid", "4194303"}, {"pid", "2"}}},
	{METRIC_PROCESS, {{"pid", "0001"}}},
	{METRIC_PROCESS, {{"pid", "18446744073709551615"}}},
	{METRIC_PROCESS, {{"unit", "ssh.service"}, {"unit", "user@1000.service"}, {"pid", "300"},
				 {"pid", "1001"}, {"user", "root"}, {"user", "alice"}}},
	{METRIC_PROCESS, {{"user", "4242"}}},
	{METRIC_PROCESS, {{"program", " leading and trailing "}}},
	{METRIC_FILE, {{"deleted", "true"}}},
	{METRIC_FILE, {{"deleted", "true"}, {"executable", "false"}}},
	{METRIC_FILE, {{"deleted", "true"}, {"deleted", "false"}}},
	{METRIC_FILE, {{"path", "memfd:数据"}, {"path", "/nowhere"}}},
};

static bool is_wanted(const struct view *view, const struct filters *f, uint32_t i)
{
	for (size_t k = 0; k < ARRAY_SIZE(f->filter) && f->filter[k][0]; k++) {
		struct value value = value_of(view, f->scope, i, f->filter[k][0]);
		bool matches = false;

		for (size_t n = 0; n < ARRAY_SIZE(f->filter) && f->filter[n][0]; n++) {
			const char *wanted = f->filter[n][1];
			uint64_t number;

			if (strcmp(f->filter[n][0], f->filter[k][0]) != 0)
				continue;
			if (value.text)
				matches |= !strcmp(value.text, wanted);
			else if (!number_parse_u64(wanted, strlen(wanted), &number))
				matches |= (double)number == value.number;
		}
		if (!matches)
			return false;
	}
	return true;
}

static void filters_by_names(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	size_t found = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		const struct filters *f = &filters[i];
		AUTO_ROWS struct rows rows = {0};
		struct query q;
		size_t expected = 0;

		query_init(&q, f->scope);
		for (size_t k = 0; k < ARRAY_SIZE(f->filter) && f->filter[k][0]; k++)
			set(&q, f->filter[k][0], f->filter[k][1]);
		rows = run(&q, view);
		for (uint32_t k = 0; k < view_count(view, f->scope); k++) {
			bool is_found = false;

			for (size_t n = 0; n < rows.count; n++)
				is_found |= rows.row[n] == k;
			if (f->scope < METRIC_PROCESS &&
				!strcmp(name_of(view, f->scope, k), "(other)"))
				assert_false(is_found);
			else if (is_found != is_wanted(view, f, k))
				fail_msg("filter %zu, row %u", i, k);
			expected += is_found;
		}
		assert_int_equal(rows.count, expected);
		found += rows.count;
	}
	assert_true(found >= 20); /* or the table of expected numbers is out of date */
}

/* Rows that a caller may not see are neither sorted, counted nor found. */
static void hides_rows_from_other_callers(void **state)
{
	static const struct {
		struct sight sight;
		size_t rows, of_alice;
	} cases[] = {
		{{.kind = SIGHT_ALL}, SAMPLE_PROCESSES, 4},
		{{.kind = SIGHT_EXPORTED}, 8, 2},
		{{.kind = SIGHT_OWN, .uid = 1000}, 4, 4},
		{{.kind = SIGHT_OWN, .uid = 1001}, 2, 0},
		{{.kind = SIGHT_OWN, .uid = 4711}, 0, 0},
		{{.kind = SIGHT_NONE}, 0, 0},
	};
	AUTO_VIEW struct view *view = sample_open(NULL);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_FREE uint32_t *every = NULL, *some = NULL, *users = NULL, *files = NULL;
		struct query q;
		size_t count;

		query_init(&q, METRIC_PROCESS);
		q.sight = cases[i].sight;
		assert_int_equal(query_run(&q, view, &every, &count), 0);
		assert_int_equal(count, cases[i].rows);
		set(&q, "user", "alice");
		assert_int_equal(query_run(&q, view, &some, &count), 0);
		assert_int_equal(count, cases[i].of_alice);
		query_init(&q, METRIC_USER);
		q.sight = cases[i].sight;
		assert_int_equal(query_run(&q, view, &users, &count), 0);
		assert_int_equal(count, 8);
		query_init(&q, METRIC_FILE);
		q.sight = cases[i].sight;
		assert_int_equal(query_run(&q, view, &files, &count), 0);
		assert_int_equal(count, cases[i].sight.kind == SIGHT_ALL ? SAMPLE_FILES : 0);
	}
}

/* The sum of four parts exceeds 2^64, and must count as larger than any of them. */
static void sums_of_a_family_do_not_overflow(void **state)
{
	AUTO_VIEW struct view *view = NULL;
	AUTO_ROWS struct rows rows = {0};
	AUTO_SMALL struct small s = {0};
	struct query q;

	(void)state;
	small_begin(&s);
	for (int i = 0; i < 2; i++) {
		struct snapshot_scope *row = builder_add_scope(&s.builder, METRIC_USER);

		assert_non_null(row);
		ROW_SET(row, SCOPE_UNMEASURED_DENIED, INT64_MAX);
		ROW_SET(row, SCOPE_UNMEASURED_MALFORMED, i ? INT64_MAX : 0);
		ROW_SET(row, SCOPE_UNMEASURED_ERROR, i ? INT64_MAX : 0);
	}
	view = small_view(&s.builder, NULL);
	query_init(&q, METRIC_USER);
	set(&q, "sort", "unmeasured_processes");
	rows = run(&q, view);
	assert_int_equal(rows.count, 2);
	assert_int_equal(rows.row[0], 1);
}

static char long_value[QUERY_VALUE_MAX + 1];

static void describes_bad_queries(void **state)
{
	static const struct {
		enum metric_scope scope;
		const char *key, *value, *error;
	} cases[] = {
		{METRIC_USER, "sort", "pss",
			"'sort' must be a field of the rows, such as pss_bytes, rss_bytes or user"},
		{METRIC_UNIT, "sort", "",
			"'sort' must be a field of the rows, such as pss_bytes, rss_bytes or unit"},
		{METRIC_PROGRAM, "sort", "pid",
			"'sort' must be a field of the rows, such as pss_bytes, rss_bytes or "
			"program"},
		{METRIC_PROCESS, "sort", "mem_total_bytes",
			"'sort' must be a field of the rows, such as pss_bytes, rss_bytes or pid"},
		{METRIC_USER, "sort", "mem_total_bytes",
			"'sort' must be a field of the rows, such as pss_bytes, rss_bytes or user"},
		{METRIC_PROCESS, "order", "ASC", "'order' must be asc or desc"},
		{METRIC_PROCESS, "order", "", "'order' must be asc or desc"},
		{METRIC_USER, "limit", "0", "'limit' must be a whole number from 1 to 1000000"},
		{METRIC_USER, "limit", "-1", "'limit' must be a whole number from 1 to 1000000"},
		{METRIC_USER, "limit", "1e9", "'limit' must be a whole number from 1 to 1000000"},
		{METRIC_USER, "limit", "1000001",
			"'limit' must be a whole number from 1 to 1000000"},
		{METRIC_USER, "limit", "18446744073709551617",
			"'limit' must be a whole number from 1 to 1000000"},
		{METRIC_USER, "limit", "", "'limit' must be a whole number from 1 to 1000000"},
		{METRIC_PROCESS, "pid", "x", "'pid' must be a whole number"},
		{METRIC_PROCESS, "pid", "", "'pid' must be a whole number"},
		{METRIC_PROCESS, "pid", "-1", "'pid' must be a whole number"},
		{METRIC_PROCESS, "uid", "0",
			"unknown parameter 'uid'; known here: sort, order, limit" OWNERS ", pid"},
		{METRIC_PROCESS, "user_units", "x",
			"unknown parameter 'user_units'; known here: sort, order, limit" OWNERS
			", pid"},
		{METRIC_PROCESS, "source", "rss",
			"unknown parameter 'source'; known here: sort, order, limit" OWNERS
			", pid"},
		{METRIC_PROCESS, "reason", "denied",
			"unknown parameter 'reason'; known here: sort, order, limit" OWNERS
			", pid"},
		{METRIC_PROCESS, "", "0",
			"unknown parameter ''; known here: sort, order, limit" OWNERS ", pid"},
		{METRIC_PROCESS, "Sort", "pid",
			"unknown parameter 'Sort'; known here: sort, order, limit" OWNERS ", pid"},
		{METRIC_USER, "program", "x",
			"unknown parameter 'program'; known here: sort, order, limit, user"},
		{METRIC_UNIT, "pid", "1",
			"unknown parameter 'pid'; known here: sort, order, limit, unit"},
		{METRIC_PROGRAM, "pss_bytes", "1",
			"unknown parameter 'pss_bytes'; known here: sort, order, limit, program"},
		{METRIC_SESSION, "uid", "1",
			"unknown parameter 'uid'; known here: sort, order, limit, session, user"},
		{METRIC_CONTAINER, "unit", "x",
			"unknown parameter 'unit'; known here: sort, order, limit, container, user, pod, runtime"},
		{METRIC_FILE, "deleted", "yes", "'deleted' must be true or false"},
		{METRIC_FILE, "executable", "", "'executable' must be true or false"},
		{METRIC_FILE, "inode", "1",
			"unknown parameter 'inode'; known here: sort, order, limit, path, deleted, executable"},
		{METRIC_FILE, "sort", "file",
			"'sort' must be a field of the rows, such as pss_bytes, rss_bytes or path"},
		{METRIC_USER, "user", long_value, "'user' is longer than 1023 bytes"},
	};

	(void)state;
	memset(long_value, 'x', sizeof(long_value) - 1);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char error[QUERY_ERROR_SIZE] = "";
		struct query q;

		query_init(&q, cases[i].scope);
		assert_int_equal(query_set(&q, cases[i].key, cases[i].value, error), -EINVAL);
		assert_string_equal(error, cases[i].error);
		assert_int_equal(q.filters, 0);
	}
}

/* Returns true if query_set() knows KEY, whatever it thinks of the value. */
static bool is_parameter(enum metric_scope scope, const char *key)
{
	char error[QUERY_ERROR_SIZE] = "";
	struct query q;

	query_init(&q, scope);
	return query_set(&q, key, "1", error) == 0 ||
	       strncmp(error, "unknown parameter", strlen("unknown parameter")) != 0;
}

/* Every word that is a parameter of one of the lists. */
static void lists_every_parameter(void **state)
{
	static const char *const words[] = {"sort", "order", "limit", "pid", "uid", "gid", "path",
		"deleted", "executable", "device", "inode", "source", "reason", "runtime", "user",
		"program", "unit", "user_unit", "session", "slice", "machine", "pod", "container",
		"group", "namegroup"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(scopes); i++) {
		const char *names[QUERY_PARAMETERS_MAX];
		size_t count = query_parameters(scopes[i], names), known = 0;

		assert_in_range(count, 4, QUERY_PARAMETERS_MAX);
		for (size_t j = 0; j < ARRAY_SIZE(words); j++)
			known += is_parameter(scopes[i], words[j]);
		assert_int_equal(count, known);
		for (size_t j = 0; j < count; j++) {
			assert_true(is_parameter(scopes[i], names[j]));
			for (size_t k = 0; k < j; k++)
				assert_string_not_equal(names[j], names[k]);
		}
	}
}

static void accepts_limits_in_range(void **state)
{
	static const char *const limits[] = {"1", "007", "1000000"};
	AUTO_VIEW struct view *view = sample_open(NULL);
	static const size_t counts[] = {1, 7, SAMPLE_PROCESSES};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		AUTO_ROWS struct rows rows = {0};
		struct query q;

		query_init(&q, METRIC_PROCESS);
		set(&q, "limit", limits[i]);
		rows = run(&q, view);
		assert_int_equal(rows.count, counts[i]);
	}
}

static void refuses_repeated_parameters(void **state)
{
	static const char *const cases[][3] = {
		{"sort", "pid", "parameter 'sort' is given twice"},
		{"order", "asc", "parameter 'order' is given twice"},
		{"limit", "5", "parameter 'limit' is given twice"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char error[QUERY_ERROR_SIZE] = "";
		struct query q;

		query_init(&q, METRIC_PROCESS);
		set(&q, cases[i][0], cases[i][1]);
		assert_int_equal(query_set(&q, cases[i][0], cases[i][1], error), -EINVAL);
		assert_string_equal(error, cases[i][2]);
	}
}

static void limits_the_number_of_filters(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_ROWS struct rows rows = {0};
	char error[QUERY_ERROR_SIZE] = "";
	struct query q;

	(void)state;
	long_value[QUERY_VALUE_MAX - 1] = 0; /* the longest that fits */
	query_init(&q, METRIC_PROCESS);
	set(&q, "user", long_value);
	for (int i = 1; i < QUERY_FILTERS_MAX; i++)
		set(&q, "user", i == 40 ? "bob" : "nobody");
	assert_int_equal(query_set(&q, "user", "root", error), -EINVAL);
	assert_string_equal(error, "more than 64 filters");
	rows = run(&q, view);
	assert_int_equal(rows.count, 2);
}

/* A row is found by the longest possible name, and not by a prefix of it. */
static void finds_long_names(void **state)
{
	static const enum metric_scope named[] = {METRIC_USER, METRIC_PROGRAM, METRIC_UNIT};
	AUTO_SMALL struct small s = {0};
	AUTO_VIEW struct view *view = NULL;
	char name[SNAPSHOT_NAME_MAX + 1];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	small_begin(&s);
	for (size_t i = 0; i < ARRAY_SIZE(named); i++) {
		struct snapshot_scope *row = builder_add_scope(&s.builder, named[i]);

		assert_non_null(row);
		row->name = builder_add_text(&s.builder, name, strlen(name));
	}
	view = small_view(&s.builder, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(named); i++)
		for (size_t cut = 0; cut <= 1; cut++) {
			AUTO_ROWS struct rows rows = {0};
			struct query q;

			query_init(&q, named[i]);
			set(&q, metric_scope_name(named[i]), name + cut);
			rows = run(&q, view);
			assert_int_equal(rows.count, cut ? 0 : 1);
		}
}

static void limits_the_length_of_text(void **state)
{
	char error[QUERY_ERROR_SIZE] = "", value[1024] = "";
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_ROWS struct rows rows = {0};
	struct query q;

	(void)state;
	memset(value, 'x', 1023);
	query_init(&q, METRIC_PROCESS);
	for (int i = 0; i < 15; i++)
		set(&q, "user", value);
	value[1020] = 0;
	assert_int_equal(query_set(&q, "user", "bob", error), 0);
	assert_int_equal(query_set(&q, "user", value, error), -EINVAL);
	assert_string_equal(error, "the filters have more than 16383 bytes");
	value[1019] = 0;
	assert_int_equal(query_set(&q, "user", value, error), 0);
	assert_int_equal(query_set(&q, "user", "", error), -EINVAL);
	rows = run(&q, view);
	assert_int_equal(rows.count, 2);
}

static void returns_errors_without_memory(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	struct query q;

	(void)state;
	query_init(&q, METRIC_PROCESS);
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_FREE uint32_t *rows = NULL;
		size_t count = 777;

		allocation_fail_at(n);
		if (allocation_check(query_run(&q, view, &rows, &count))) {
			assert_null(rows);
			assert_int_equal(count, 777);
		}
	}
	assert_true(allocation_count() > 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorts_by_every_field),
		cmocka_unit_test(has_a_default_order),
		cmocka_unit_test(filters_by_names),
		cmocka_unit_test(hides_rows_from_other_callers),
		cmocka_unit_test(sums_of_a_family_do_not_overflow),
		cmocka_unit_test(describes_bad_queries),
		cmocka_unit_test(lists_every_parameter),
		cmocka_unit_test(accepts_limits_in_range),
		cmocka_unit_test(refuses_repeated_parameters),
		cmocka_unit_test(limits_the_number_of_filters),
		cmocka_unit_test(finds_long_names),
		cmocka_unit_test(limits_the_length_of_text),
		cmocka_unit_test(returns_errors_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
