/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of render/prometheus.h: the text format and OpenMetrics. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <math.h>

#include "base/number.h"
#include "render/prometheus.h"
#include "snapshot/owner.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/golden.h"
#include "tests/unit/support/snapshot/sample.h"
#include "tests/unit/support/snapshot/small.h"

/*
 * A parser of expositions that is stricter than scrapers: it accepts only what the formats allow,
 * and nothing twice.
 */
enum {
	LABELS_MAX = 8,
	FAMILIES_MAX = 512,
	SAMPLES_MAX = 4096,
};

struct label {
	char name[32];
	char value[96];
};

struct exposed {
	char name[METRIC_NAME_SIZE];
	struct label label[LABELS_MAX];
	size_t labels;
	char value[64];
	size_t family;
};

struct exposition {
	enum prometheus_format format;
	struct {
		char name[METRIC_NAME_SIZE], type[16];
	} family[FAMILIES_MAX];
	size_t families;
	struct exposed sample[SAMPLES_MAX];
	size_t samples;
};

static void take(const char **at, const char *token)
{
	assert_int_equal(strncmp(*at, token, strlen(token)), 0);
	*at += strlen(token);
}

/* Copies the text up to one of the characters STOPS. */
static void take_until(const char **at, const char *stops, char *to, size_t size)
{
	size_t len = strcspn(*at, stops);

	assert_true(len && len < size);
	memcpy(to, *at, len);
	to[len] = 0;
	*at += len;
}

static void take_label(const char **at, struct label *label)
{
	size_t n = 0;

	take_until(at, "=", label->name, sizeof(label->name));
	take(at, "=\"");
	for (; **at != '"'; ++*at) {
		char c = **at;

		assert_true(c && c != '\n' && n + 1 < sizeof(label->value));
		if (c == '\\') {
			c = *++*at;
			assert_non_null(strchr("\\\"n", c));
			c = c == 'n' ? '\n' : c;
		}
		label->value[n++] = c;
	}
	label->value[n] = 0;
	++*at;
}

static bool is_same(const struct exposed *a, const struct exposed *b)
{
	if (strcmp(a->name, b->name) != 0 || a->labels != b->labels)
		return false;
	for (size_t i = 0; i < a->labels; i++)
		if (strcmp(a->label[i].name, b->label[i].name) != 0 ||
			strcmp(a->label[i].value, b->label[i].value) != 0)
			return false;
	return true;
}

/* Whether a sample NAME belongs to the family, by the family's type. */
static bool is_of_family(const struct exposition *e, const char *name)
{
	static const struct {
		const char *type, *suffix;
		bool in_text; /* in the text format the family's name has the suffix already */
	} suffixes[] = {
		{"counter", "_total", false},
		{"counter", "_created", false},
		{"info", "_info", false},
		{"histogram", "_bucket", true},
		{"histogram", "_sum", true},
		{"histogram", "_count", true},
		{"histogram", "_created", false},
	};
	const char *family = e->family[e->families - 1].name;
	const char *type = e->family[e->families - 1].type;

	if (strncmp(name, family, strlen(family)) != 0)
		return false;
	name += strlen(family);
	if (!*name)
		return !strcmp(type, "gauge") ||
		       (e->format == PROMETHEUS_TEXT && !strcmp(type, "counter"));
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (!strcmp(type, suffixes[i].type) && !strcmp(name, suffixes[i].suffix) &&
			(e->format == PROMETHEUS_OPENMETRICS || suffixes[i].in_text))
			return true;
	return false;
}

static void take_sample(const char **at, struct exposition *e)
{
	struct exposed *s = &e->sample[e->samples];
	char *end;

	assert_true(e->families && e->samples < SAMPLES_MAX);
	*s = (struct exposed){.family = e->families - 1};
	take_until(at, "{ ", s->name, sizeof(s->name));
	if (**at == '{') {
		do {
			++*at;
			assert_true(s->labels < LABELS_MAX);
			take_label(at, &s->label[s->labels++]);
		} while (**at == ',');
		take(at, "}");
	}
	take(at, " ");
	take_until(at, "\n", s->value, sizeof(s->value));
	take(at, "\n");
	strtod(s->value, &end);
	assert_int_equal(*end, 0);
	assert_true(is_of_family(e, s->name));
	for (size_t i = 0; i < e->samples; i++)
		assert_false(is_same(s, &e->sample[i]));
	e->samples++;
}

/* Parses HELP, TYPE and, in OpenMetrics, an optional UNIT of a new family. */
static void take_family(const char **at, struct exposition *e)
{
	char name[METRIC_NAME_SIZE], other[METRIC_NAME_SIZE], text[512];

	take(at, "# HELP ");
	take_until(at, " ", name, sizeof(name));
	take(at, " ");
	take_until(at, "\n", text, sizeof(text));
	take(at, "\n# TYPE ");
	take_until(at, " ", other, sizeof(other));
	assert_string_equal(name, other);
	for (size_t i = 0; i < e->families; i++)
		assert_string_not_equal(e->family[i].name, name);
	assert_true(e->families < FAMILIES_MAX);
	take(at, " ");
	take_until(at, "\n", e->family[e->families].type, sizeof(e->family[0].type));
	snprintf(e->family[e->families++].name, METRIC_NAME_SIZE, "%s", name);
	take(at, "\n");
	if (strncmp(*at, "# UNIT ", 7) != 0)
		return;
	assert_int_equal(e->format, PROMETHEUS_OPENMETRICS);
	take(at, "# UNIT ");
	take_until(at, " ", other, sizeof(other));
	assert_string_equal(name, other);
	take(at, " ");
	take_until(at, "\n", text, sizeof(text));
	assert_true(strlen(name) > strlen(text) + 1);
	assert_string_equal(name + strlen(name) - strlen(text), text);
	take(at, "\n");
}

static const struct sight all = {.kind = SIGHT_ALL};

static struct exposition *expose(const struct view *view, enum prometheus_format format)
{
	struct exposition *e = calloc(1, sizeof(*e));
	AUTO_BUFFER struct buffer b = {0};
	const char *at;

	assert_non_null(e);
	prometheus_render(view, &all, format, &b);
	prometheus_add_end(&b, format);
	buffer_add_char(&b, '\0');
	assert_int_equal(b.error, 0);
	e->format = format;
	for (at = b.data; *at && strncmp(at, "# EOF\n", 6) != 0;)
		if (*at == '#')
			take_family(&at, e);
		else
			take_sample(&at, e);
	if (format == PROMETHEUS_OPENMETRICS)
		take(&at, "# EOF\n");
	assert_int_equal(*at, 0);
	for (size_t i = 0, s = 0; i < e->families; i++) { /* a family must have samples */
		assert_true(s < e->samples && e->sample[s].family == i);
		while (s < e->samples && e->sample[s].family == i)
			s++;
	}
	return e;
}

/*
 * Finds the sample with a first label of VALUE (NULL: without labels) and, unless NULL, with
 * LABEL.
 */
static const struct exposed *find(const struct exposition *e, const char *name, const char *value,
	const char *label, const char *label_value)
{
	for (size_t i = 0; i < e->samples; i++) {
		const struct exposed *s = &e->sample[i];
		bool has = !label;

		if (strcmp(s->name, name) != 0 ||
			(value && (!s->labels || strcmp(s->label[0].value, value) != 0)))
			continue;
		for (size_t k = 0; label && k < s->labels; k++)
			has = has || (!strcmp(s->label[k].name, label) &&
					     !strcmp(s->label[k].value, label_value));
		if (has)
			return s;
	}
	return NULL;
}

static void check_value(const struct exposition *e, const char *name, const char *value,
	const char *label, const char *label_value, const char *expected)
{
	const struct exposed *s = find(e, name, value, label, label_value);

	if (s && !strcmp(s->value, expected))
		return;
	fail_msg("%s of %s: %s, expected %s", name, value ? value : "all", s ? s->value : "absent",
		expected);
}

static uint64_t whole(const char *text)
{
	uint64_t value = 0;

	assert_int_equal(number_parse_u64(text, strlen(text), &value), 0);
	return value;
}

/* As exact as a double of seconds since 1970 can be. */
static bool is_seconds(double seconds, uint64_t ns)
{
	return fabs(seconds * 1e9 - (double)ns) <= (double)ns * 1e-15;
}

/* Checks the samples of each row: every quantity is present or absent as in the image. */
static void check_row(const struct exposition *e, enum metric_scope scope, const char *value,
	uint64_t present, const uint64_t *q)
{
	size_t count;
	const struct metric *table = metric_table(scope, &count);

	for (const struct metric *m = table; m < table + count; m++) {
		const struct exposed *s;
		char name[METRIC_NAME_SIZE];
		uint64_t bits;

		metric_name(m, scope, false, name);
		s = find(e, name, value, m->label, m->value);
		if (!metric_is_exposed(m, scope) || !metric_get(m, present, q, &bits)) {
			assert_null(s);
			continue;
		}
		if (!s) {
			fail_msg("%s of '%s' is missing", name, value ? value : "");
			return;
		}
		if (m->kind == METRIC_INTEGER)
			assert_int_equal(whole(s->value), bits);
		else if (m->kind == METRIC_SIGNED)
			assert_true((*s->value == '-' ? -whole(s->value + 1) : whole(s->value)) ==
				    bits);
		else if (m->kind == METRIC_NANOSECONDS)
			assert_true(is_seconds(strtod(s->value, NULL), bits));
		else
			assert_true(strtod(s->value, NULL) == metric_real(bits));
	}
}

static void check_all_rows(const struct view *view, const struct exposition *e)
{
	check_row(e, METRIC_HOST, NULL, view_host(view)->present, view_host(view)->q);
	check_row(e, METRIC_SELF, NULL, view_self(view)->present, view_self(view)->q);
	check_row(e, METRIC_BALANCE, NULL, view_balance(view)->present, view_balance(view)->q);
	check_row(e, METRIC_SURVEY, NULL, view_survey(view)->present, view_survey(view)->q);
	for (uint32_t i = 0; i < view_holding_count(view); i++) {
		const struct snapshot_holding *row = view_holding(view, i);

		check_row(e, metric_holding_scope((enum holding_kind)row->kind),
			view_text(view, row->name), row->present, row->q);
	}
	for (int scope = METRIC_USER; scope < METRIC_OWNERS_END; scope++)
		for (uint32_t i = 0; i < view_count(view, (enum metric_scope)scope); i++) {
			const struct snapshot_scope *row = view_scope(
				view, (enum metric_scope)scope, i);

			check_row(e, (enum metric_scope)scope, view_text(view, row->name),
				row->flags ? row->present : 0, row->q);
		}
	for (uint32_t i = 0; i < view_count(view, METRIC_PROCESS); i++) {
		const struct snapshot_process *row = view_process(view, i);
		char pid[16];

		snprintf(pid, sizeof(pid), "%u", row->pid);
		check_row(e, METRIC_PROCESS, pid, row->flags & PROCESS_EXPORTED ? row->present : 0,
			row->q);
	}
}

static void renders_every_quantity_once(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);

	(void)state;
	for (int f = 0; f < PROMETHEUS_FORMATS; f++) {
		AUTO_FREE struct exposition *e = expose(view, (enum prometheus_format)f);

		check_all_rows(view, e);
	}
}

static void names_survive_escaping(void **state)
{
	static const char hostile[] = "x\",user=\"root\"} 1\\x0a# HELP\\";
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_FREE struct exposition *e = expose(view, PROMETHEUS_TEXT);
	static const char pss[] = "memtally_process_pss_bytes";

	(void)state;
	check_value(e, pss, "2000", "user", "bob", "71680000");
	check_value(e, pss, "2000", "program", hostile, "71680000");
	check_value(e, "memtally_program_processes", hostile, NULL, NULL, "1");
	check_value(e, "memtally_user_pss_bytes", "小野", NULL, NULL, "30720000");
	check_value(e, "memtally_unit_processes", "dev-disk-by\\x2duuid.swap", NULL, NULL, "1");
}

static void absent_quantities_have_no_sample(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_VIEW struct view *public = sample_open(&(struct sample_options){.is_public = true});
	AUTO_FREE struct exposition *e = expose(view, PROMETHEUS_TEXT);
	AUTO_FREE struct exposition *p = expose(public, PROMETHEUS_TEXT);

	(void)state;
	assert_null(find(e, "memtally_user_pss_bytes", "4242", NULL, NULL));
	check_value(e, "memtally_user_processes", "4242", NULL, NULL, "2");
	check_value(e, "memtally_user_unmeasured_processes", "4242", "reason", "malformed", "1");
	assert_null(find(e, "memtally_user_pss_bytes", "dave", NULL, NULL)); /* in "(other)" */
	check_value(e, "memtally_user_processes", "(other)", NULL, NULL, "2");
	assert_null(find(e, "memtally_process_pss_bytes", "5000", NULL, NULL));
	for (size_t i = 0; i < p->families; i++)
		assert_null(strstr(p->family[i].name, "memtally_process_"));
}

/* Makes an image with the host and one pod called NAME. */
static struct view *open_pod(const char *name)
{
	AUTO_SMALL struct small s = {0};
	struct snapshot_scope *row;

	small_begin(&s);
	row = builder_add_scope(&s.builder, METRIC_POD);
	assert_non_null(row);
	row->name = builder_add_text(&s.builder, name, strlen(name));
	row->flags = SCOPE_EXPORTED;
	ROW_SET(row, SCOPE_PROCESSES, 7);
	return small_view(&s.builder, NULL);
}

/*
 * If no process is in a pod, there are no pod series. If one is, the processes in none have a
 * series too.
 */
static void omits_kinds_without_owners(void **state)
{
	AUTO_VIEW struct view *without = open_pod(OWNER_NONE), *with = open_pod("1b4e28ba");
	AUTO_VIEW struct view *sample = sample_open(NULL);
	AUTO_FREE struct exposition *e = expose(without, PROMETHEUS_TEXT);
	AUTO_FREE struct exposition *p = expose(with, PROMETHEUS_TEXT);
	AUTO_FREE struct exposition *s = expose(sample, PROMETHEUS_TEXT);

	(void)state;
	for (size_t i = 0; i < e->families; i++)
		assert_null(strstr(e->family[i].name, "memtally_pod_"));
	check_value(p, "memtally_pod_processes", "1b4e28ba", NULL, NULL, "7");
	assert_non_null(find(s, "memtally_pod_processes", OWNER_NONE, NULL, NULL));
}

/* No conversion to double: 2^53 + 1 stays exact. */
static void integers_are_exact(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_FREE struct exposition *e = expose(view, PROMETHEUS_TEXT);

	(void)state;
	check_value(e, "memtally_process_vm_size_bytes", "1000", NULL, NULL, "9007199254740993");
	check_value(e, "memtally_last_pass_duration_seconds", NULL, NULL, NULL, "0.012345678");
}

static uint64_t sum(const struct exposition *e, const char *name)
{
	uint64_t total = 0;

	for (size_t i = 0; i < e->samples; i++)
		if (!strcmp(e->sample[i].name, name))
			total += whole(e->sample[i].value);
	return total;
}

static void scopes_add_up(void **state)
{
	static const char *const what[] = {"pss_bytes", "pss_low_bytes", "pss_high_bytes",
		"uss_bytes", "rss_bytes", "swap_pss_bytes", "vm_swap_bytes", "processes"};
	static const struct sample_options options = {.more = 1000, .is_measured = true};
	AUTO_VIEW struct view *view = sample_open(&options);
	AUTO_FREE struct exposition *e = expose(view, PROMETHEUS_OPENMETRICS);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(what); i++) {
		static const char *const scopes[] = {"user", "program", "unit"};
		char name[METRIC_NAME_SIZE];
		uint64_t host;

		snprintf(name, sizeof(name), "memtally_host_%s", what[i]);
		host = sum(e, name);
		assert_true(host > 0);
		for (size_t k = 0; k < ARRAY_SIZE(scopes); k++) {
			snprintf(name, sizeof(name), "memtally_%s_%s", scopes[k], what[i]);
			assert_int_equal(sum(e, name), host);
		}
	}
}

static void histogram_is_cumulative(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_FREE struct exposition *text = expose(view, PROMETHEUS_TEXT);
	AUTO_FREE struct exposition *om = expose(view, PROMETHEUS_OPENMETRICS);
	static const char bucket[] = "memtally_pass_duration_seconds_bucket";

	(void)state;
	check_value(text, bucket, "0.0025", NULL, NULL, "0");
	check_value(text, bucket, "0.01", NULL, NULL, "31");
	check_value(text, bucket, "1", NULL, NULL, "41");
	check_value(text, bucket, "+Inf", NULL, NULL, "42");
	check_value(text, "memtally_pass_duration_seconds_sum", NULL, NULL, NULL, "98.7654321");
	check_value(text, "memtally_pass_duration_seconds_count", NULL, NULL, NULL, "42");
	check_value(om, bucket, "1.0", NULL, NULL, "41");
	assert_null(find(om, bucket, "1", NULL, NULL));
}

static void openmetrics_has_created_times(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_FREE struct exposition *text = expose(view, PROMETHEUS_TEXT);
	AUTO_FREE struct exposition *om = expose(view, PROMETHEUS_OPENMETRICS);
	size_t counters = 0, created = 0, of_kernel = 0;

	(void)state;
	check_value(
		om, "memtally_user_pss_byte_seconds_created", "root", NULL, NULL, "1699996400.123");
	check_value(om, "memtally_passes_created", NULL, NULL, NULL, "1699996400.123");
	for (size_t i = 0; i < om->samples; i++) {
		const char *name = om->sample[i].name;

		counters += strlen(name) > 6 && !strcmp(name + strlen(name) - 6, "_total");
		of_kernel += strstr(name, "_oom_kills_total") || strstr(name, "_events_total") ||
		             strstr(name, "_memory_waiting_") || strstr(name, "_memory_stalled_");
		created += strlen(name) > 8 && !strcmp(name + strlen(name) - 8, "_created");
	}
	/* Each histogram has one, too. A row of a process has none, so its metrics are gauges. The
	 * kernel's counters began at a time that memtallyd does not know. */
	assert_true(of_kernel);
	assert_int_equal(created, counters - of_kernel + HISTOGRAM_COUNT_);
	for (size_t i = 0; i < text->samples; i++)
		assert_null(strstr(text->sample[i].name, "_created"));
}

static void capabilities_are_labels(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_FREE struct exposition *e = expose(view, PROMETHEUS_OPENMETRICS);

	(void)state;
	check_value(e, "memtally_capability_info", "true", "perfmon", "false", "1");
	check_value(e, "memtally_capability_info", "true", "compares_mm", "true", "1");
}

static void help_is_escaped(void **state)
{
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	prometheus_add_family(&b, PROMETHEUS_TEXT, "a_bytes", "counter", "bytes", "x\\y\n\"z\"");
	prometheus_add_family(&b, PROMETHEUS_OPENMETRICS, "b_bytes", "counter", "bytes", "c");
	prometheus_add_end(&b, PROMETHEUS_TEXT);
	buffer_add_char(&b, '\0');
	assert_string_equal(b.data,
		"# HELP a_bytes_total x\\\\y\\n\"z\"\n# TYPE a_bytes_total counter\n"
		"# HELP b_bytes c\n# TYPE b_bytes counter\n# UNIT b_bytes bytes\n");
}

static void bodies_match_the_contract(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	prometheus_render(view, &all, PROMETHEUS_TEXT, &b);
	golden_check("metrics.txt", &b);
	buffer_clear(&b);
	prometheus_render(view, &all, PROMETHEUS_OPENMETRICS, &b);
	prometheus_add_end(&b, PROMETHEUS_OPENMETRICS);
	golden_check("metrics.openmetrics", &b);
}

static size_t count_text(const struct buffer *b, const char *text)
{
	size_t n = 0;

	for (const char *at = b->data;
		at && (at = memmem(at, (size_t)(b->data + b->len - at), text, strlen(text))); at++)
		n++;
	return n;
}

/* Only visible processes with series, but all rows of other kinds. */
static void shows_visible_rows(void **state)
{
	static const struct {
		struct sight sight;
		size_t processes, alices;
	} cases[] = {
		{{.kind = SIGHT_ALL}, 7, 2},
		{{.kind = SIGHT_EXPORTED}, 7, 2},
		{{.kind = SIGHT_OWN, .uid = 1000}, 2, 2}, /* her third process has no series */
		{{.kind = SIGHT_OWN, .uid = 0}, 2, 0},
		{{.kind = SIGHT_OWN, .uid = 99}, 0, 0},
		{{.kind = SIGHT_NONE}, 0, 0},
	};
	AUTO_VIEW struct view *view = sample_open(NULL);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_BUFFER struct buffer whole = {0}, part = {0};

		prometheus_render(view, &cases[i].sight, PROMETHEUS_TEXT, &whole);
		prometheus_render_processes(view, &cases[i].sight, PROMETHEUS_TEXT, &part);
		assert_int_equal(
			count_text(&whole, "\nmemtally_process_pss_bytes{"), cases[i].processes);
		assert_int_equal(count_text(&whole, "\nmemtally_process_pss_bytes{pid=\"100"),
			cases[i].alices);
		assert_int_equal(count_text(&whole, "\nmemtally_user_pss_bytes{"), 6);
		assert_int_equal(
			count_text(&part, "memtally_process_pss_bytes{pid="), cases[i].processes);
		assert_int_equal(count_text(&part, "memtally_user"), 0);
		if (!cases[i].processes)
			assert_int_equal(part.len, 0);
		else
			assert_non_null(memmem(whole.data, whole.len, part.data, part.len));
	}
}

static void returns_errors_without_memory(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	unsigned int n = 0;

	(void)state;
	for (bool failed = true; failed;) {
		AUTO_BUFFER struct buffer b = {0};

		allocation_fail_at(++n);
		prometheus_render(view, &all, PROMETHEUS_TEXT, &b);
		failed = allocation_end();
		assert_int_equal(b.error, failed ? -ENOMEM : 0);
	}
	assert_true(n > 10);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(renders_every_quantity_once),
		cmocka_unit_test(names_survive_escaping),
		cmocka_unit_test(absent_quantities_have_no_sample),
		cmocka_unit_test(omits_kinds_without_owners),
		cmocka_unit_test(integers_are_exact),
		cmocka_unit_test(scopes_add_up),
		cmocka_unit_test(histogram_is_cumulative),
		cmocka_unit_test(openmetrics_has_created_times),
		cmocka_unit_test(capabilities_are_labels),
		cmocka_unit_test(help_is_escaped),
		cmocka_unit_test(bodies_match_the_contract),
		cmocka_unit_test(shows_visible_rows),
		cmocka_unit_test(returns_errors_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
