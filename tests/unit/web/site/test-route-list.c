/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/site/route-list.h: the list of routes as JSON. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>
#include <jansson.h>

#include "base/cleanup.h"
#include "web/site/route-list.h"

/* Returns the routes, which the caller frees together with *RET_ANSWER. */
static const json_t *render(const char *telemetry_path, json_t **ret_answer)
{
	AUTO_BUFFER struct buffer text = {0};
	const json_t *routes;

	route_list_render(telemetry_path, &text);
	assert_int_equal(text.error, 0);
	assert_int_equal(text.data[text.len - 1], '\n');
	*ret_answer = json_loadb(text.data, text.len, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(*ret_answer);
	assert_int_equal(json_object_size(*ret_answer), 1);
	routes = json_object_get(*ret_answer, "routes");
	assert_true(json_is_array(routes));
	return routes;
}

/* Returns the row of PATH; NULL if there is none. */
static const json_t *find_row(const json_t *routes, const char *path)
{
	for (size_t i = 0; i < json_array_size(routes); i++) {
		const json_t *row = json_array_get(routes, i);

		assert_int_equal(json_object_size(row), 3);
		assert_true(json_string_length(json_object_get(row, "what")) > 10);
		if (!strcmp(json_string_value(json_object_get(row, "path")), path))
			return row;
	}
	return NULL;
}

static void has_every_path_with_its_parameters(void **state)
{
	static const struct {
		const char *path;
		const char *parameters; /* each with a blank after it */
	} cases[] = {
		{"/metrics", ""},
		{"/compat/process-exporter/metrics", ""},
		{"/", ""},
		{"/api/v1", ""},
		{"/api/v1/", ""},
		{"/api/v1/host", "at "},
		{"/api/v1/history", "scope name metric from to step limit "},
		{"/api/v1/status", "at "},
		{"/api/v1/processes/PID", "at "},
		{"/api/v1/processes",
			"sort order limit user program unit user_unit session slice machine pod "
			"container group namegroup pid at "},
		{"/api/v1/files", "sort order limit path deleted executable at "},
		{"/api/v1/users", "sort order limit user at "},
		{"/api/v1/containers", "sort order limit container user pod runtime at "},
		{"/api/v1/coverage", "from to "},
		{"/healthz", ""},
		{"/livez", ""},
		{"/-/healthy", ""},
		{"/readyz", ""},
		{"/-/ready", ""},
	};
	json_t *answer;
	const json_t *routes = render("/metrics", &answer);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const json_t *row = find_row(routes, cases[i].path), *parameters;
		AUTO_BUFFER struct buffer names = {0};

		if (!row)
			fail_msg("no path %s", cases[i].path);
		parameters = json_object_get(row, "parameters");
		for (size_t j = 0; j < json_array_size(parameters); j++)
			buffer_printf(
				&names, "%s ", json_string_value(json_array_get(parameters, j)));
		buffer_add_char(&names, 0);
		assert_string_equal(names.data, cases[i].parameters);
	}
	json_decref(answer);
}

static void has_the_configured_path_of_the_metrics(void **state)
{
	json_t *answer;
	const json_t *routes = render("/own/path", &answer);

	(void)state;
	assert_non_null(find_row(routes, "/own/path"));
	assert_null(find_row(routes, "/metrics"));
	json_decref(answer);
}

static void reports_lack_of_memory(void **state)
{
	struct buffer to = {.error = -ENOMEM};

	(void)state;
	route_list_render("/metrics", &to);
	assert_int_equal(to.error, -ENOMEM);
	assert_int_equal(to.len, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_every_path_with_its_parameters),
		cmocka_unit_test(has_the_configured_path_of_the_metrics),
		cmocka_unit_test(reports_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
