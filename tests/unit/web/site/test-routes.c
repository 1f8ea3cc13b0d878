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
		{"/ready", ROUTE_NONE},
		{"/api/v1/status", ROUTE_STATUS},
		{"/api/v1/host", ROUTE_HOST},
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
		{"/api/v1/", ROUTE_NONE},
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

/* The metrics would hide another page with the same path, so the option refuses such paths. */
static void refuses_metrics_paths_in_use(void **state)
{
	static const char *const paths[] = {"/", "/healthz", "/livez", "/-/healthy", "/readyz",
		"/-/ready", "/api/v1/status", "/api/v1/host", "/api/v1/users", "/api/v1/programs",
		"/api/v1/units", "/api/v1/processes", "/api/v1/processes/7", "/api/v1/files"};
	const struct option_spec *spec = option_find("web.telemetry-path", PROGRAM_WEB);
	struct settings c = {0};
	uint32_t pid;

	(void)state;
	assert_non_null(spec);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		assert_int_not_equal(find(paths[i], &pid), ROUTE_NONE);
		if (option_set(spec, &c, paths[i]) != -EINVAL)
			fail_msg("'%s'", paths[i]);
	}
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
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_exact_paths),
		cmocka_unit_test(finds_processes),
		cmocka_unit_test(metrics_path_is_configurable),
		cmocka_unit_test(refuses_metrics_paths_in_use),
		cmocka_unit_test(recognises_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
