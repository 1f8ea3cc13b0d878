/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the loading of memtally-web's access configuration: files, changes, refusals, and which
 * clients a configuration authenticates.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/web/pki.h"
#include "tests/unit/support/web/webdir.h"
#include "web/auth/access.h"

#define HASH "$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW"

static struct pki authority, server, other;
static struct webdir dir;

/*
 * Returns whether the files changed, asked after ACCESS_SETTLE_NS, when recent writes count as
 * finished.
 */
static bool has_changed(const struct access *a)
{
	return access_has_changed(a, clock_now_ns(CLOCK_REALTIME) + ACCESS_SETTLE_NS);
}

/*
 * Expects access_load() to return R with an error that ends with EXPECTED. Returns the refused
 * access, for the caller to free.
 */
static struct access *load_bad(int r, const char *expected)
{
	char error[SETTINGS_ERROR_SIZE] = "", whole[SETTINGS_ERROR_SIZE];
	struct access *a = NULL, *refused = NULL;

	snprintf(whole, sizeof(whole), "%s%s", dir.config, expected);
	assert_int_equal(access_load(dir.config, &a, &refused, error), r);
	if (strncmp(error, whole, strlen(whole)) != 0)
		fail_msg("%s\ninstead of %s", error, whole);
	assert_null(a);
	assert_non_null(refused);
	return refused;
}

static void write_good(void)
{
	webdir_write(&dir, "web.yml",
		"tls_server_config:\n  cert_file: c.pem\n  key_file: k.pem\nbasic_auth_users:\n"
		"  alice: " HASH "\n");
	webdir_write(&dir, "c.pem", server.cert);
	webdir_write(&dir, "k.pem", server.key);
}

static void is_open_without_a_file(void **state)
{
	char error[SETTINGS_ERROR_SIZE];
	AUTO_ACCESS struct access *a = NULL;

	(void)state;
	assert_int_equal(access_load(NULL, &a, NULL, error), 0);
	assert_null(access_tls(a));
	assert_false(access_authenticates(a));
	assert_false(has_changed(a));
	assert_null(access_file(a, 0));
	assert_int_equal(access_config(a)->users, 0);
}

static void reads_the_named_files(void **state)
{
	AUTO_ACCESS struct access *a = NULL;
	char file[96];

	(void)state;
	write_good();
	a = webdir_load(&dir);
	assert_non_null(access_tls(a));
	assert_true(access_authenticates(a));
	assert_int_equal(access_config(a)->users, 1);
	assert_string_equal(access_file(a, 0), dir.config);
	snprintf(file, sizeof(file), "%s/c.pem", dir.path);
	assert_string_equal(access_file(a, 1), file);
	assert_non_null(access_file(a, 2));
	assert_null(access_file(a, 3));
	assert_false(has_changed(a));
}

/* Each file in turn is replaced, rewritten in place with the same length, and removed. */
static void notices_changes(void **state)
{
	static const char *const names[] = {"web.yml", "c.pem", "k.pem"};
	char from[96], to[96];

	(void)state;
	write_good();
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		AUTO_ACCESS struct access *a = webdir_load(&dir);
		struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = 1000000000}};

		snprintf(from, sizeof(from), "%s/%s", dir.path, names[i]);
		snprintf(to, sizeof(to), "%s/old", dir.path);
		assert_int_equal(utimensat(AT_FDCWD, from, times, 0), 0);
		assert_true(has_changed(a));
		access_free(a);
		a = webdir_load(&dir);
		assert_false(has_changed(a));
		assert_int_equal(rename(from, to), 0);
		assert_true(has_changed(a));
		assert_int_equal(rename(to, from), 0);
	}
}

/* A file that was just changed may be half written, so the change is not reported yet. */
static void waits_for_writers(void **state)
{
	AUTO_ACCESS struct access *a = NULL;
	uint64_t now_ns;

	(void)state;
	write_good();
	a = webdir_load(&dir);
	webdir_write(&dir, "c.pem", "-----BEGIN");
	now_ns = clock_now_ns(CLOCK_REALTIME);
	assert_false(access_has_changed(a, now_ns));
	assert_false(access_has_changed(a, now_ns + ACCESS_SETTLE_NS - 100 * NS_PER_MSEC));
	assert_true(access_has_changed(a, now_ns + ACCESS_SETTLE_NS));
	assert_true(access_has_changed(a, 0)); /* the clock was set back */
	assert_int_equal(unlink(dir.config), 0);
	assert_false(access_has_changed(a, now_ns)); /* the other file was changed just now */
	assert_true(access_has_changed(a, now_ns + ACCESS_SETTLE_NS));
}

static void names_the_reason_of_a_refusal(void **state)
{
	AUTO_ACCESS struct access *a = NULL;

	(void)state;
	write_good();
	webdir_write(
		&dir, "web.yml", "tls_server_config:\n  cert_file: c.pem\n  key_file: none.pem\n");
	a = load_bad(
		-ENOENT, ":3: key_file: expected a file that can be read: /tmp/memtally-webdir-");
	assert_false(has_changed(a));
	webdir_write(&dir, "none.pem", server.key); /* for the next case */
	assert_true(has_changed(a));
	access_free(a);

	webdir_write(&dir, "none.pem", other.key);
	a = load_bad(-EINVAL, ":3: key_file: expected the key of the certificate");
	assert_false(has_changed(a));
	/* as after the first half of a renewal: the key is still the old one */
	webdir_write(&dir, "c.pem", other.cert);
	assert_true(has_changed(a));
	access_free(a);
	a = webdir_load(&dir);
	access_free(a);

	webdir_write(&dir, "web.yml", "tls: 1\n");
	a = load_bad(-EINVAL, ":1: unknown key 'tls'");
	access_free(a);
	assert_int_equal(unlink(dir.config), 0);
	a = load_bad(-ENOENT, ": No such file");
}

/* A verified client certificate authenticates a client; an unverified one does not. */
static void knows_authenticated_clients(void **state)
{
	static const struct {
		const char *type;
		bool authenticates;
	} cases[] = {
		{"RequireAndVerifyClientCert", true},
		{"VerifyClientCertIfGiven", false},
		{"RequireAnyClientCert", false},
		{"RequestClientCert", false},
	};

	(void)state;
	write_good();
	webdir_write(&dir, "a.pem", authority.cert);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_ACCESS struct access *a = NULL;
		char text[256];

		snprintf(text, sizeof(text),
			"tls_server_config:\n  cert_file: %s/c.pem\n  key_file: k.pem\n"
			"  client_ca_file: a.pem\n  client_auth_type: %s\n",
			dir.path, cases[i].type);
		webdir_write(&dir, "web.yml", text);
		a = webdir_load(&dir);
		assert_int_equal(access_authenticates(a), cases[i].authenticates);
		assert_non_null(access_file(a, 3));
	}
}

/* To listen beyond loopback, TLS and authentication are both required. */
static void is_checked_before_listening_to_a_network(void **state)
{
	static const char tls[] = "tls_server_config:\n  cert_file: c.pem\n  key_file: k.pem\n";
	static const struct {
		bool has_tls, has_users, is_fit;
	} cases[] = {{false, false, false}, {true, false, false}, {false, true, false},
		{true, true, true}};
	struct listen_socket sockets[] = {
		{.name = (char *)"near", .is_local = true}, {.name = (char *)"far"}};
	const struct listen_set near = {.socket = sockets, .count = 1},
				both = {.socket = sockets, .count = 2};

	(void)state;
	write_good();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_ACCESS struct access *a = NULL;
		const char *name = NULL;
		char text[256];

		snprintf(text, sizeof(text), "%s%s", cases[i].has_tls ? tls : "",
			cases[i].has_users ? "basic_auth_users:\n  alice: " HASH "\n" : "");
		webdir_write(&dir, "web.yml", text);
		a = webdir_load(&dir);
		assert_true(access_is_fit_for(a, &near, &name));
		assert_int_equal(access_is_fit_for(a, &both, &name), cases[i].is_fit);
		if (!cases[i].is_fit)
			assert_string_equal(name, "far");
	}
}

static void survives_without_memory(void **state)
{
	(void)state;
	write_good();
	for (unsigned int n = 1;; n++) {
		AUTO_ACCESS struct access *a = NULL, *refused = NULL;
		char error[SETTINGS_ERROR_SIZE] = "";
		int r;

		allocation_fail_at(n);
		r = access_load(dir.config, &a, &refused, error);
		if (!allocation_end()) {
			assert_int_equal(r, 0);
			assert_true(n > 10);
			break;
		}
		/* GnuTLS reports lack of memory by several errors. */
		assert_true(r == -ENOMEM || r == -EINVAL);
		assert_null(a);
		assert_true(strlen(error) > 0);
	}
}

static int setup(void **state)
{
	(void)state;
	pki_make(&(struct pki_wish){.name = "authority"}, &authority);
	pki_make(&(struct pki_wish){.name = "here", .issuer = &authority}, &server);
	pki_make(&(struct pki_wish){.name = "here", .issuer = &authority}, &other);
	webdir_open(&dir);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	webdir_done(&dir);
	pki_done(&authority);
	pki_done(&server);
	pki_done(&other);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_open_without_a_file),
		cmocka_unit_test(reads_the_named_files),
		cmocka_unit_test(notices_changes),
		cmocka_unit_test(waits_for_writers),
		cmocka_unit_test(names_the_reason_of_a_refusal),
		cmocka_unit_test(knows_authenticated_clients),
		cmocka_unit_test(is_checked_before_listening_to_a_network),
		cmocka_unit_test(survives_without_memory),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
