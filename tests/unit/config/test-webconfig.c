/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of config/webconfig.h: the web configuration file. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/os/file.h"
#include "config/webconfig.h"
#include "tests/unit/support/faults/allocation.h"

static const char folder[] = "tests/fixtures/webconfig";

static char *path_of(const char *kind, const char *name)
{
	const char *source = getenv("MEMTALLY_SOURCE");
	char *path;

	assert_true(asprintf(&path, "%s/%s/%s/%s", source ? source : ".", folder, kind, name) > 0);
	return path;
}

static void load(const char *kind, const char *name, struct buffer *to)
{
	AUTO_FREE char *path = path_of(kind, name);

	if (file_read_all(AT_FDCWD, path, 1 << 16, to) < 0)
		fail_msg("%s cannot be read; is MEMTALLY_SOURCE set?", path);
}

static void parse_good(const char *name, struct webconfig *ret)
{
	AUTO_BUFFER struct buffer text = {0};
	char error[SETTINGS_ERROR_SIZE] = "";

	load("good", name, &text);
	if (webconfig_parse("f.yml", text.data, text.len, ret, error) != 0)
		fail_msg("%s: %s", name, error);
	assert_string_equal(error, "");
}

static void reads_every_setting(void **state)
{
	AUTO_WEBCONFIG struct webconfig c = {0};
	const struct webconfig_tls *t = &c.tls;

	(void)state;
	parse_good("everything.yml", &c);
	assert_true(t->is_on && t->prefers_own);
	assert_string_equal(
		t->cert.text, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
	assert_null(t->cert.path);
	assert_int_equal(t->cert.line, 3);
	assert_string_equal(t->key.path, "server.key");
	assert_int_equal(t->key.line, 7);
	assert_string_equal(t->client_ca.path, "/etc/ca.pem");
	assert_int_equal(t->client, WEBCONFIG_CLIENT_REQUIRE_AND_VERIFY);
	assert_int_equal(t->allowed_sans.count, 2);
	assert_string_equal(t->allowed_sans.item[1], "192.0.2.1");
	assert_int_equal(t->min, WEBCONFIG_TLS11);
	assert_int_equal(t->max, WEBCONFIG_TLS12);
	assert_int_equal(t->suites.count, 2);
	assert_int_equal(t->suites.item[0], WEBCONFIG_RSA_AES_256_GCM_SHA384);
	assert_int_equal(t->suites.item[1], WEBCONFIG_RSA_AES_128_GCM_SHA256);
	assert_int_equal(t->suites.line, 15);
	assert_int_equal(t->curves.count, 2);
	assert_int_equal(t->curves.item[0], WEBCONFIG_X25519);
	for (size_t i = 0; i < WEBCONFIG_HEADERS; i++)
		assert_non_null(c.header[i]);
	assert_string_equal(webconfig_header_name(4), "Strict-Transport-Security");
	assert_string_equal(c.header[4], "max-age=31536000; includeSubDomains");
	assert_int_equal(c.users, 2);
	assert_string_equal(c.user[1].name, "bob");
	assert_int_equal(strncmp(c.user[1].hash, "$2b$04$", 7), 0);
	assert_int_equal(c.interval_ns, 500 * NS_PER_MSEC);
	assert_int_equal(c.burst, 20);
}

static void blank_settings_are_unset(void **state)
{
	static const char *const names[] = {"empty.yml", "blank.yml"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		AUTO_WEBCONFIG struct webconfig c = {0};

		parse_good(names[i], &c);
		assert_false(c.tls.is_on);
		assert_true(c.tls.prefers_own);
		assert_int_equal(c.tls.min, WEBCONFIG_TLS12);
		assert_int_equal(c.tls.max, WEBCONFIG_TLS13);
		assert_int_equal(c.users, 0);
		assert_int_equal(c.interval_ns, 0);
		for (size_t h = 0; h < WEBCONFIG_HEADERS; h++)
			assert_null(c.header[h]);
	}
}

static void blank_tls_settings_are_unset(void **state)
{
	AUTO_WEBCONFIG struct webconfig c = {0};

	(void)state;
	parse_good("blank-tls.yml", &c);
	assert_true(c.tls.is_on);
	assert_string_equal(c.tls.key.path, "server.key");
	assert_null(c.tls.key.text);
	assert_null(c.tls.client_ca.path);
	assert_int_equal(c.tls.client, WEBCONFIG_CLIENT_NONE);
}

static void names_every_suite(void **state)
{
	AUTO_WEBCONFIG struct webconfig c = {0};

	(void)state;
	parse_good("all-suites.yml", &c);
	assert_int_equal(c.tls.suites.count, WEBCONFIG_SUITES);
	for (size_t i = 0; i < WEBCONFIG_SUITES; i++)
		assert_int_equal(c.tls.suites.item[i], i);
	assert_string_equal(webconfig_suite_name(WEBCONFIG_RSA_CHACHA20_POLY1305_SHA256),
		"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");
	assert_int_equal(c.tls.client, WEBCONFIG_CLIENT_REQUIRE_ANY); /* its former name */
}

/* The first line of each error has the line number and these words. */
static void refuses_bad_files(void **state)
{
	AUTO_FREE char *path = path_of("bad", "");
	AUTO_CLOSEDIR DIR *dir = opendir(path);
	unsigned int count = 0;

	(void)state;
	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir));) {
		AUTO_WEBCONFIG struct webconfig c = {0};
		AUTO_BUFFER struct buffer text = {0};
		char error[SETTINGS_ERROR_SIZE] = "", expected[SETTINGS_ERROR_SIZE];
		int r;

		if (entry->d_name[0] == '.')
			continue;
		load("bad", entry->d_name, &text);
		r = webconfig_parse(entry->d_name, text.data, text.len, &c, error);
		assert_true(text.len > 2);
		snprintf(expected, sizeof(expected), "%s:%.*s", entry->d_name,
			(int)((char *)memchr(text.data, '\n', text.len) - text.data - 2),
			text.data + 2);
		if (r != (strstr(expected, "not YAML") ? -EBADMSG : -EINVAL) ||
			strncmp(error, expected, strlen(expected)) != 0)
			fail_msg("%d, %s\ninstead of %s", r, error, expected);
		count++;
	}
	assert_true(count > 40);
}

/*
 * All errors of the file are reported, with the checks of groups that are valid by themselves.
 * Settings that only seem missing because of an error are not.
 */
static void reports_all_errors(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"tls_server_confg:\n  cert_file: a\nbasic_auth_users:\n  a:b: x\n  c: SECRET\n"
		 "rate_limit:\n  interval: 1s\nhttp_server_config:\n  http2: maybe\n",
			"f:1: unknown key 'tls_server_confg': expected one that memtally-web(8) lists; did "
			"you mean 'tls_server_config'?\n"
			"f:4: basic_auth_users: expected a name without colons, got 'a:b'\n"
			"f:5: basic_auth_users: expected of 'c' a bcrypt hash ($2a$, $2b$ or $2y$) of cost "
			"4 to 18\n"
			"f:9: http2: expected true or false, got 'maybe'\n"
			"f:7: interval: expected a burst of 1 or more with it: no request would be "
			"answered"},
		{"tls_server_config:\n  cert_fil: a\n  min_version: TLS9\n  curve_preferences: [X, Y]\n",
			"f:2: unknown key 'cert_fil' in tls_server_config: expected one that "
			"memtally-web(8) lists; did you mean 'cert_file'?\n"
			"f:3: min_version: expected TLS10, TLS11, TLS12 or TLS13, got 'TLS9'\n"
			"f:4: curve_preferences: expected a list of CurveP256, CurveP384, CurveP521 and "
			"X25519, got 'X'\n"
			"f:4: curve_preferences: expected a list of CurveP256, CurveP384, CurveP521 and "
			"X25519, got 'Y'"},
		{"tls_server_config:\n  client_auth_type: RequireAndVerifyClientCert\n"
		 "  min_version: TLS13\n  max_version: TLS12\n",
			"f:1: tls_server_config: expected cert_file or cert\n"
			"f:1: tls_server_config: expected key_file or key\n"
			"f:3: min_version: expected a min_version up to max_version (TLS12 to TLS13 where "
			"they are not given)\n"
			"f:2: client_auth_type: expected client_ca_file or client_ca to verify "
			"certificates by"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_WEBCONFIG struct webconfig c = {0};
		char error[SETTINGS_ERROR_SIZE];

		assert_int_equal(
			webconfig_parse("f", cases[i].text, strlen(cases[i].text), &c, error),
			-EINVAL);
		assert_string_equal(error, cases[i].error);
	}
}

/* Neither a hash nor text in place of a key is printed. */
static void keeps_secrets_out_of_errors(void **state)
{
	static const char *const texts[] = {
		"basic_auth_users: {a: SECRET}",
		"basic_auth_users:\n  a: [SECRET]\n",
		"tls_server_config:\n  key: \"SECRET\\0\"\n",
		"tls_server_config:\n  key: {SECRET: 1}\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		AUTO_WEBCONFIG struct webconfig c = {0};
		char error[SETTINGS_ERROR_SIZE] = "";

		assert_int_equal(
			webconfig_parse("f", texts[i], strlen(texts[i]), &c, error), -EINVAL);
		assert_true(strlen(error) > 10);
		assert_null(strstr(error, "SECRET"));
	}
}

static void survives_truncated_files(void **state)
{
	AUTO_BUFFER struct buffer text = {0};

	(void)state;
	load("good", "everything.yml", &text);
	for (size_t len = 0; len < text.len; len++) {
		AUTO_WEBCONFIG struct webconfig c = {0};
		AUTO_FREE char *cut = malloc(len + 1); /* so that a read past the end is found */
		char error[SETTINGS_ERROR_SIZE] = "";
		int r;

		assert_non_null(cut);
		memcpy(cut + 1, text.data, len);
		r = webconfig_parse("f", cut + 1, len, &c, error);
		assert_true(
			r == 0 || ((r == -EINVAL || r == -EBADMSG) && !strncmp(error, "f:", 2)));
		assert_int_equal(r == 0, !error[0]);
	}
}

static void returns_errors_without_memory(void **state)
{
	AUTO_BUFFER struct buffer text = {0};

	(void)state;
	load("good", "everything.yml", &text);
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_WEBCONFIG struct webconfig c = {0};
		char error[SETTINGS_ERROR_SIZE] = "";

		allocation_fail_at(n);
		allocation_check(webconfig_parse("f", text.data, text.len, &c, error));
	}
	assert_true(allocation_count() > 14);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_every_setting),
		cmocka_unit_test(blank_settings_are_unset),
		cmocka_unit_test(blank_tls_settings_are_unset),
		cmocka_unit_test(names_every_suite),
		cmocka_unit_test(refuses_bad_files),
		cmocka_unit_test(reports_all_errors),
		cmocka_unit_test(keeps_secrets_out_of_errors),
		cmocka_unit_test(survives_truncated_files),
		cmocka_unit_test(returns_errors_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
