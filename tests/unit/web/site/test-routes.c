/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/site/routes.h: paths and their pages. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "config/option.h"
#include "web/site/routes.h"

static enum route find(const char *path, uint32_t *ret_pid)
{
	return routes_find(path, strlen(path), "/metrics", ret_pid);
}

static void finds_exact_paths(void **state)
{
	static const struct {
		const char *path;
		enum route route;
	} cases[] = {
		{"/", ROUTE_PAGE},
		{"/metrics", ROUTE_METRICS},
		{"/healthz", ROUTE_HEALTHZ},
		{"/livez", ROUTE_HEALTHZ},
		{"/-/healthy", ROUTE_HEALTHZ},
		{"/readyz", ROUTE_READYZ},
		{"/-/ready", ROUTE_READYZ},
		{"/-/", ROUTE_NONE},
		{"/-/healthz", ROUTE_NONE},
		{"/compat/process-exporter/metrics", ROUTE_PROCESS_EXPORTER},
		{"/compat/process-exporter/", ROUTE_NONE},
		{"/compat/process-exporter/metrics/", ROUTE_NONE},
		{"/ready", ROUTE_NONE},
		{"/api/v1/status", ROUTE_STATUS},
		{"/api/v1/host", ROUTE_HOST},
		{"/api/v1/history", ROUTE_HISTORY},
		{"/api/v1/users", ROUTE_OWNERS + OWNER_USER},
		{"/api/v1/programs", ROUTE_OWNERS + OWNER_PROGRAM},
		{"/api/v1/units", ROUTE_OWNERS + OWNER_UNIT},
		{"/api/v1/files", ROUTE_FILES},
		{"/api/v1/files/", ROUTE_NONE},
		{"/api/v1/processes", ROUTE_PROCESSES},
		{"", ROUTE_NONE},
		{"metrics", ROUTE_NONE},
		{"/metrics/", ROUTE_NONE},
		{"//metrics", ROUTE_NONE},
		{"/./metrics", ROUTE_NONE},
		{"/x/../metrics", ROUTE_NONE},
		{"/Metrics", ROUTE_NONE},
		{"/%6detrics", ROUTE_NONE},
		{"/metrics%00", ROUTE_NONE},
		{"http://localhost/metrics", ROUTE_NONE},
		{"*", ROUTE_NONE},
		{"/api/v1/", ROUTE_INDEX},
		{"/api/v1", ROUTE_INDEX},
		{"/api/v1//", ROUTE_NONE},
		{"/api/v", ROUTE_NONE},
		{"/api/", ROUTE_NONE},
		{"/api/v1/processes/PID", ROUTE_NONE},
		{"/api/v1/user", ROUTE_NONE},
		{"/api/v1/userss", ROUTE_NONE},
		{"/api/v1/processes/", ROUTE_NONE},
		{"/api/v1/processes/0", ROUTE_NONE},
		{"/api/v1/processes/01", ROUTE_NONE},
		{"/api/v1/processes/+1", ROUTE_NONE},
		{"/api/v1/processes/1x", ROUTE_NONE},
		{"/api/v1/processes/1/", ROUTE_NONE},
		{"/api/v1/processes/2147483648", ROUTE_NONE},
		{"/api/v1/processes/18446744073709551617", ROUTE_NONE},
	};
	uint32_t pid = 77;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (find(cases[i].path, &pid) != cases[i].route)
			fail_msg("'%s'", cases[i].path);
	assert_int_equal(pid, 77);
	/* The length of the path counts, not a terminator. */
	assert_int_equal(routes_find("/metricsx", 8, "/metrics", &pid), ROUTE_METRICS);
	assert_int_equal(routes_find("/metrics\0x", 10, "/metrics", &pid), ROUTE_NONE);
}

static void finds_processes(void **state)
{
	uint32_t pid;

	(void)state;
	assert_int_equal(find("/api/v1/processes/1", &pid), ROUTE_PROCESS);
	assert_int_equal(pid, 1);
	assert_int_equal(find("/api/v1/processes/2147483647", &pid), ROUTE_PROCESS);
	assert_int_equal(pid, INT32_MAX);
}

static void metrics_path_is_configurable(void **state)
{
	uint32_t pid;

	(void)state;
	assert_int_equal(routes_find("/own", 4, "/own", &pid), ROUTE_METRICS);
	assert_int_equal(routes_find("/metrics", 8, "/own", &pid), ROUTE_NONE);
}

/* Returns the path of ROW, at which PID is 7. */
static const char *path_of(const struct route_row *row, char to[static 64])
{
	snprintf(to, 64, "%s%s", row->folder, row->route == ROUTE_PROCESS ? "7" : row->name);
	return to;
}

/* Each row can be found, and a row with further names of a path stands behind its first name. */
static void rows_have_one_route_each(void **state)
{
	struct route_row row, other;
	uint32_t pid;
	char path[64], other_path[64];
	size_t count = 0;

	(void)state;
	for (; routes_row(count, "/metrics", &row); count++) {
		bool is_first = true;

		assert_int_equal(find(path_of(&row, path), &pid), row.route);
		for (size_t i = 0; i < count; i++) {
			assert_true(routes_row(i, "/metrics", &other));
			assert_string_not_equal(path, path_of(&other, other_path));
			is_first = is_first && other.route != row.route;
		}
		assert_int_equal(row.is_alias, !is_first);
	}
	assert_int_equal(count, 17 + OWNER_KINDS);
}

/* The texts stand in HTML and JSON as they are. */
static void rows_need_no_escapes(void **state)
{
	struct route_row row;

	(void)state;
	for (size_t i = 0; routes_row(i, "/metrics", &row); i++) {
		assert_true(strlen(row.what) > 10);
		for (const char *c = row.what; *c; c++)
			assert_true(*c >= ' ' && *c < 127 && !strchr("\"\\<>&", *c));
	}
}

/* The metrics would hide another page with the same path, so the option refuses such paths. */
static void refuses_metrics_paths_in_use(void **state)
{
	const struct option_spec *spec = option_find("web.telemetry-path", PROGRAM_WEB);
	struct settings c = {0};
	struct route_row row;
	char path[64];

	(void)state;
	assert_non_null(spec);
	for (size_t i = 0; routes_row(i, "/metrics", &row); i++)
		if (row.route != ROUTE_METRICS &&
			option_set(spec, &c, path_of(&row, path)) != -EINVAL)
			fail_msg("'%s'", path);
	assert_null(c.web_telemetry_path);
}

static void recognises_lists(void **state)
{
	(void)state;
	assert_int_equal(routes_list_scope(ROUTE_OWNERS + OWNER_USER), METRIC_USER);
	assert_int_equal(routes_list_scope(ROUTE_PROCESSES), METRIC_PROCESS);
	assert_int_equal(routes_list_scope(ROUTE_FILES), METRIC_FILE);
	assert_int_equal(routes_list_scope(ROUTE_PROCESS), METRIC_SELF);
	assert_int_equal(routes_list_scope(ROUTE_HOST), METRIC_SELF);
	assert_int_equal(routes_list_scope(ROUTE_PROCESS_EXPORTER), METRIC_SELF);
	assert_int_equal(routes_list_scope(ROUTE_INDEX), METRIC_SELF);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_exact_paths),
		cmocka_unit_test(finds_processes),
		cmocka_unit_test(metrics_path_is_configurable),
		cmocka_unit_test(rows_have_one_route_each),
		cmocka_unit_test(rows_need_no_escapes),
		cmocka_unit_test(refuses_metrics_paths_in_use),
		cmocka_unit_test(recognises_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
