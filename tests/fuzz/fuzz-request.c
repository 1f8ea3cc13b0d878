/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include "base/cleanup.h"
#include "web/http/host.h"
#include "web/http/request.h"
#include "web/site/routes.h"

static const char *next_line(char **rest)
{
	const char *line = strsep(rest, "\n");

	return line ? line : "";
}

/*
 * The input is the head of a request: method, target, version, then headers "Name: value", one on
 * each line.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_FREE char *text = fuzz_text(data, size);
	static char *const allowed[] = {(char *)"there"};
	static const struct text_list list = {.item = (char **)allowed, .count = 1};
	static const struct host_names names = {
		.listener = "here", .machine = "own.example", .allowed = &list};
	char *rest = text;
	const char *method = next_line(&rest), *target = next_line(&rest),
		   *version = next_line(&rest);
	struct refusal refusal = {0};
	struct request rq;
	uint32_t pid = 0;

	request_init(&rq, target);
	fuzz_check(rq.path_len <= strlen(target));
	while (rest) {
		char *value = strsep(&rest, "\n"), *name = strsep(&value, ":");

		if (value) /* as the library does */
			value += strspn(value, " \t");
		request_add_header(&rq, name, value);
	}
	if (!request_is_sound(&rq, method, version, &refusal) ||
		!request_is_allowed(&rq, method, &names, &refusal)) {
		fuzz_check(refusal.status >= 400 && refusal.status < 600 && refusal.why);
		return 0;
	}
	if (rq.host) /* an accepted request asked for a name that DNS rebinding cannot use */
		fuzz_check(host_is_valid(rq.host) && host_is_served(rq.host, &names));
	if (routes_find(rq.path, rq.path_len, "/metrics", &pid) == ROUTE_PROCESS)
		fuzz_check(pid > 0);
	negotiate_openmetrics(&rq.negotiate);
	negotiate_gzip(&rq.negotiate);
	if (rq.if_none_match)
		negotiate_etag_matches(rq.if_none_match, "W/\"0-1\"");
	return 0;
}
