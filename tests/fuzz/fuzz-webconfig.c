/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "config/webconfig.h"

static void check_tls(const struct webconfig_tls *t)
{
	fuzz_check(t->min <= t->max && t->max < WEBCONFIG_VERSIONS);
	fuzz_check(t->client <= WEBCONFIG_CLIENT_REQUIRE_AND_VERIFY);
	fuzz_check(t->suites.count <= WEBCONFIG_SUITES && t->curves.count <= WEBCONFIG_CURVES);
	if (!t->is_on)
		return;
	fuzz_check(!t->cert.text != !t->cert.path && !t->key.text != !t->key.path);
	fuzz_check(t->cert.line && t->key.line);
	if (t->client == WEBCONFIG_CLIENT_REQUIRE_AND_VERIFY)
		fuzz_check(!t->client_ca.text != !t->client_ca.path);
}

/* An accepted configuration is complete, cannot split a header, and cannot demand hours of work. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_WEBCONFIG struct webconfig c = {0};
	char error[SETTINGS_ERROR_SIZE] = "";
	int r = webconfig_parse("f", (const char *)data, size, &c, error);

	fuzz_check(r == 0 || r == -EINVAL || r == -EBADMSG);
	fuzz_check((r == 0) == !error[0]);
	if (r < 0) {
		fuzz_check(!strncmp(error, "f:", 2) && strlen(error) > 10);
		return 0;
	}
	check_tls(&c.tls);
	for (size_t i = 0; i < WEBCONFIG_HEADERS; i++)
		for (const char *h = c.header[i]; h && *h; h++)
			fuzz_check(*h >= ' ' && *h <= '~');
	for (size_t i = 0; i < c.users; i++) {
		fuzz_check(*c.user[i].name && !strchr(c.user[i].name, ':'));
		fuzz_check(strlen(c.user[i].hash) == WEBCONFIG_HASH_LEN);
		fuzz_check(strncmp(c.user[i].hash + WEBCONFIG_COST_AT, "18", 2) <= 0);
	}
	fuzz_check(!c.interval_ns || c.burst);
	return 0;
}
