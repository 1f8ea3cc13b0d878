/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of memtally-web's server with a web configuration: passwords, rates, headers, TLS, and
 * changes while it serves.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"
#include "tests/unit/support/web/pki.h"
#include "tests/unit/support/web/serving.h"
#include "tests/unit/support/web/webdir.h"

#define SECRET_4 "$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW"
#define OTHER_4  "$2b$04$abcdefghijklmnopqrstuu0HtfOlPbTiymk5tcV.3TsFPDd3SYZqu"
#define USERS    "basic_auth_users:\n  alice: " SECRET_4 "\n  bob: " OTHER_4 "\n"

#define REQUEST    "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
#define ALICE      REQUEST "Authorization: Basic YWxpY2U6c2VjcmV0\r\n\r\n"
#define BOB        REQUEST "Authorization: Basic Ym9iOm90aGVy\r\n\r\n"
#define WRONG      REQUEST "Authorization: Basic YWxpY2U6c2VjcmV1\r\n\r\n"
#define STRANGER   REQUEST "Authorization: Basic ZXZlOnNlY3JldA==\r\n\r\n"
#define NOBODY     REQUEST "\r\n"
#define OTHER_KIND REQUEST "Authorization: Bearer YWxpY2U6c2VjcmV0\r\n\r\n"

static struct pki authority, first, second, client, stranger;
static struct webdir dir;

/* While this is locked, the thread waits before each hash. */
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static bool is_held;

bool __real_bcrypt_check(const char *password, const char *hash, unsigned int most, void *memory);
bool __wrap_bcrypt_check(const char *password, const char *hash, unsigned int most, void *memory);

bool __wrap_bcrypt_check(const char *password, const char *hash, unsigned int most, void *memory)
{
	pthread_mutex_lock(&held);
	pthread_mutex_unlock(&held);
	return __real_bcrypt_check(password, hash, most, memory);
}

static void hold(void)
{
	pthread_mutex_lock(&held);
	is_held = true;
}

static void let_go(void)
{
	is_held = false;
	pthread_mutex_unlock(&held);
}

/*
 * Releases the thread after a failed test that held it, so that the next tests do not wait
 * forever.
 */
static int release_thread(void **state)
{
	(void)state;
	if (is_held)
		let_go();
	return 0;
}

static struct access *load(const char *config)
{
	webdir_write(&dir, "web.yml", config);
	return webdir_load(&dir);
}

static void begin(struct serving *f, const char *config)
{
	static const struct caller_rules rules = {.peer = {.gid = (gid_t)-1, .uid = (uid_t)-1}};

	serving_begin(f, NULL, &rules, load(config), 64);
}

static void change(struct serving *f, const char *config)
{
	serving_admit(f, load(config));
}

/*
 * Returns the status of the next answer within about two seconds; 0: the connection was closed,
 * -1: nothing came.
 */
static int answer(struct serving *f, int fd, char *got, size_t size)
{
	for (int i = 0; i < 2000; i++) {
		ssize_t n = recv(fd, got, size - 1, 0);

		if (n >= 0) {
			got[n] = 0;
			return n > 12 ? (got[9] - '0') * 100 + (got[10] - '0') * 10 + got[11] - '0'
			              : 0;
		}
		if (errno != EAGAIN)
			return 0;
		serving_run_once(f);
	}
	return -1;
}

static int status_on(struct serving *f, int fd, const char *request)
{
	char got[4096];

	serving_ask(fd, request);
	return answer(f, fd, got, sizeof(got));
}

/* Same on a new connection. */
static int status_of(struct serving *f, const char *request)
{
	AUTO_CLOSE int fd = serving_connect(f);

	return status_on(f, fd, request);
}

static void asks_for_passwords(void **state)
{
	unsigned int before = unit_descriptors();
	struct serving f;
	char got[4096];
	int fd;

	(void)state;
	begin(&f, USERS);
	fd = serving_connect(&f);
	serving_ask(fd, NOBODY);
	assert_int_equal(answer(&f, fd, got, sizeof(got)), 401);
	assert_non_null(strstr(got, "\r\nWWW-Authenticate: Basic realm=\"memtally\""));
	assert_non_null(strstr(got, "\r\nCache-Control: no-store\r\n"));
	/* on the same connection, at first and when the users are known */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(status_on(&f, fd, ALICE), 200);
		assert_int_equal(status_on(&f, fd, WRONG), 401);
		assert_int_equal(status_on(&f, fd, BOB), 200);
		assert_int_equal(status_on(&f, fd, STRANGER), 401);
		assert_int_equal(status_on(&f, fd, OTHER_KIND), 401);
		assert_int_equal(status_on(&f, fd, NOBODY), 401);
	}
	/* Without a password not even the existence of pages is told. */
	assert_int_equal(status_on(&f, fd, "GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n"), 401);
	assert_int_equal(status_on(&f, fd, "PUT / HTTP/1.1\r\nHost: localhost\r\n\r\n"), 401);
	close(fd);
	serving_run(&f);
	serving_finish(&f);
	assert_int_equal(unit_descriptors(), before);
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: localhost\r\n\r\n"

/* Only the paths of health, in their exact spelling, and only while the option is set. */
static void opens_health_alone(void **state)
{
	static const char *const closed[] = {GET("/"), GET("/metrics"), GET("/none"),
		GET("/api/v1/status"), GET("/healthz/"), GET("/readyz/../metrics"),
		GET("/metrics?/healthz"), GET("//healthz"), GET("/-/"), GET("/-/metrics")};
	struct serving f;

	(void)state;
	begin(&f, USERS);
	assert_int_equal(status_of(&f, GET("/readyz")), 401);
	f.settings.web_open_health = true;
	assert_int_equal(status_of(&f, NOBODY), 200);
	assert_int_equal(status_of(&f, WRONG), 200);
	assert_int_equal(status_of(&f, GET("/readyz")), 503); /* there is no snapshot */
	assert_int_equal(status_of(&f, GET("/-/ready")), 503);
	assert_int_equal(status_of(&f, GET("/-/healthy")), 200);
	assert_int_equal(status_of(&f, GET("/livez")), 200);
	for (size_t i = 0; i < ARRAY_SIZE(closed); i++)
		assert_int_equal(status_of(&f, closed[i]), 401);
	assert_int_equal(status_of(&f, ALICE), 200);
	f.settings.web_open_health = false;
	assert_int_equal(status_of(&f, NOBODY), 401);
	serving_finish(&f);
}

/*
 * Known users are served while others' passwords are checked. With a password any host name is
 * accepted.
 */
static void serves_known_users_during_checks(void **state)
{
	static const char elsewhere[] = "GET /healthz HTTP/1.1\r\nHost: some.where\r\n"
					"Authorization: Basic YWxpY2U6c2VjcmV0\r\n\r\n";
	char got[4096];
	struct serving f;
	int fd;

	(void)state;
	begin(&f, USERS);
	assert_int_equal(status_of(&f, ALICE), 200);
	hold();
	fd = serving_connect(&f);
	serving_ask(fd, BOB);
	serving_run(&f);
	assert_non_null(f.server.requests.awaited);
	assert_int_equal(status_of(&f, ALICE), 200);
	assert_int_equal(status_of(&f, elsewhere), 200);
	assert_int_equal(status_of(&f, NOBODY), 401);
	assert_int_equal(recv(fd, got, sizeof(got), 0), -1);
	let_go();
	assert_int_equal(answer(&f, fd, got, sizeof(got)), 200);
	assert_null(f.server.requests.awaited);
	close(fd);
	serving_finish(&f);
}

static void wrong_passwords_lock_out_no_known_user(void **state)
{
	struct serving f;
	char got[4096];
	int fd[PASSWORDS_WAITING];

	(void)state;
	begin(&f, USERS);
	assert_int_equal(status_of(&f, ALICE), 200);
	hold();
	for (size_t i = 0; i < ARRAY_SIZE(fd); i++) {
		fd[i] = serving_connect(&f);
		serving_ask(fd[i], WRONG);
		serving_run(&f);
	}
	assert_int_equal(status_of(&f, WRONG), 503);
	assert_int_equal(status_of(&f, BOB), 503);
	assert_int_equal(status_of(&f, ALICE), 200);
	close(fd[0]); /* closing before the verdict does no harm */
	shutdown(fd[1], SHUT_WR);
	let_go();
	for (size_t i = 2; i < ARRAY_SIZE(fd); i++)
		assert_int_equal(answer(&f, fd[i], got, sizeof(got)), 401);
	for (size_t i = 1; i < ARRAY_SIZE(fd); i++)
		close(fd[i]);
	serving_run(&f);
	assert_int_equal(status_of(&f, BOB), 200);
	serving_run(&f);
	assert_int_equal(f.server.listener[0].clients, 0);
	serving_finish(&f);
}

static void can_stop_during_a_check(void **state)
{
	unsigned int before = unit_descriptors();
	struct serving f;
	int fd[3];

	(void)state;
	begin(&f, USERS);
	hold();
	for (size_t i = 0; i < ARRAY_SIZE(fd); i++) {
		fd[i] = serving_connect(&f);
		serving_ask(fd[i], ALICE);
	}
	serving_run(&f);
	assert_non_null(f.server.requests.awaited);
	serving_finish(&f);
	let_go();
	for (size_t i = 0; i < ARRAY_SIZE(fd); i++)
		close(fd[i]);
	for (int i = 0; i < 2000 && unit_descriptors() != before; i++)
		poll(NULL, 0, 2);
	assert_int_equal(unit_descriptors(), before);
}

/* The deadline also counts while a password is checked. */
static void closes_connections_that_wait_too_long(void **state)
{
	struct serving f;
	int fd;

	(void)state;
	begin(&f, USERS);
	hold();
	fd = serving_connect(&f);
	serving_ask(fd, ALICE);
	serving_run(&f);
	f.now_ns += SERVING_TIMEOUT_NS + NS_PER_SEC;
	serving_run(&f);
	let_go();
	assert_int_equal(answer(&f, fd, (char[64]){""}, 64), 0);
	for (int i = 0; i < 1000 && f.server.requests.awaited; i++)
		serving_run_once(&f);
	serving_run(&f);
	assert_int_equal(f.server.listener[0].clients, 0);
	close(fd);
	serving_finish(&f);
}

static void new_users_count_at_once(void **state)
{
	struct serving f;
	char got[4096];
	int fd, waiting;

	(void)state;
	begin(&f, USERS);
	fd = serving_connect(&f);
	assert_int_equal(status_on(&f, fd, ALICE), 200);
	hold();
	waiting = serving_connect(&f);
	serving_ask(waiting, BOB);
	serving_run(&f);
	change(&f, "basic_auth_users:\n  alice: " OTHER_4 "\n");
	let_go();
	/* checked against the new users */
	assert_int_equal(answer(&f, waiting, got, sizeof(got)), 401);
	assert_int_equal(answer(&f, fd, got, sizeof(got)), 0); /* closed because it was idle */
	assert_int_equal(status_of(&f, ALICE), 401);
	change(&f, "");
	assert_int_equal(status_of(&f, NOBODY), 200);
	change(&f, USERS);
	assert_int_equal(status_of(&f, NOBODY), 401);
	assert_int_equal(status_of(&f, ALICE), 200);
	close(fd);
	close(waiting);
	serving_finish(&f);
}

static void limits_rates(void **state)
{
	struct serving f;
	int fd;

	(void)state;
	begin(&f, "rate_limit: {interval: 1h, burst: 3}\n");
	fd = serving_connect(&f);
	for (int i = 0; i < 3; i++)
		assert_int_equal(status_on(&f, fd, NOBODY), 200);
	assert_int_equal(status_on(&f, fd, NOBODY), 429);
	assert_int_equal(status_of(&f, NOBODY), 429);
	change(&f, "rate_limit: {interval: 1ms, burst: 1}\n");
	for (int i = 0; i < 3; i++) {
		poll(NULL, 0, 3);
		assert_int_equal(status_of(&f, NOBODY), 200);
	}
	close(fd);
	serving_finish(&f);
}

static void sets_headers(void **state)
{
	struct serving f;
	char got[4096];
	const char *policy;
	int fd;

	(void)state;
	begin(&f, "http_server_config:\n  http2: true\n  headers:\n    X-Frame-Options: deny\n"
		  "    Content-Security-Policy: \"default-src 'self'\"\n"
		  "    X-Content-Type-Options: nosniff\n");
	fd = serving_connect(&f);
	serving_ask(fd, NOBODY);
	assert_int_equal(answer(&f, fd, got, sizeof(got)), 200);
	assert_non_null(strstr(got, "\r\nX-Frame-Options: deny\r\n"));
	policy = strstr(got, "\r\nContent-Security-Policy: default-src 'self'\r\n");
	assert_non_null(policy);
	assert_null(strstr(policy + 3, "Content-Security-Policy"));
	assert_non_null(strstr(got, "nosniff"));
	assert_null(strstr(strstr(got, "nosniff") + 1, "nosniff"));
	close(fd);
	serving_finish(&f);
}

/* A client that speaks TLS. */
struct talk {
	int fd;
	gnutls_session_t session;
	gnutls_certificate_credentials_t credentials;
};

static void hang_up(struct talk *t)
{
	gnutls_deinit(t->session);
	gnutls_certificate_free_credentials(t->credentials);
	close(t->fd);
}

/* Returns false if the handshake fails. */
static bool call(struct serving *f, const struct pki *own, struct talk *t)
{
	int r = GNUTLS_E_AGAIN;

	t->fd = serving_connect(f);
	assert_int_equal(gnutls_init(&t->session, GNUTLS_CLIENT | GNUTLS_NONBLOCK), 0);
	assert_int_equal(gnutls_certificate_allocate_credentials(&t->credentials), 0);
	if (own) {
		gnutls_datum_t cert = {(unsigned char *)own->cert, (unsigned int)strlen(own->cert)};
		gnutls_datum_t key = {(unsigned char *)own->key, (unsigned int)strlen(own->key)};

		assert_true(gnutls_certificate_set_x509_key_mem(
				    t->credentials, &cert, &key, GNUTLS_X509_FMT_PEM) >= 0);
	}
	gnutls_credentials_set(t->session, GNUTLS_CRD_CERTIFICATE, t->credentials);
	gnutls_priority_set_direct(t->session, "NORMAL:-VERS-ALL:+VERS-TLS1.2", NULL);
	gnutls_transport_set_int(t->session, t->fd);
	for (int i = 0; i < 1000 && r < 0 && !gnutls_error_is_fatal(r); i++) {
		r = gnutls_handshake(t->session);
		serving_run_once(f);
	}
	return r == 0;
}

static bool is_whole(const char *got)
{
	static const char field[] = "\r\nContent-Length: ";
	const char *length = strstr(got, field), *end = strstr(got, "\r\n\r\n");
	uint64_t expected;

	return length && end &&
	       number_scan_u64(length + strlen(field), strcspn(length + strlen(field), "\r"),
		       &expected) > 0 &&
	       strlen(end + 4) == expected;
}

/* Like status_on(), over TLS. */
static int status_by(struct serving *f, struct talk *t, const char *request)
{
	char got[4096] = "";
	size_t len = 0;

	if (gnutls_record_send(t->session, request, strlen(request)) != (ssize_t)strlen(request))
		return 0;
	for (int i = 0; i < 1000 && !is_whole(got); i++) {
		ssize_t n = gnutls_record_recv(t->session, got + len, sizeof(got) - 1 - len);

		if (n > 0)
			len += (size_t)n;
		else if (n != GNUTLS_E_AGAIN && n != GNUTLS_E_INTERRUPTED)
			return 0;
		got[len] = 0;
		serving_run_once(f);
	}
	return is_whole(got) ? (got[9] - '0') * 100 + (got[10] - '0') * 10 + got[11] - '0' : -1;
}

/* Returns the name in the certificate that the server has shown. */
static bool is_server(const struct talk *t, const struct pki *p)
{
	const gnutls_datum_t *shown = gnutls_certificate_get_peers(t->session, &(unsigned int){0});
	gnutls_datum_t text = {(unsigned char *)p->cert, (unsigned int)strlen(p->cert)}, der;
	bool is;

	assert_int_equal(gnutls_pem_base64_decode2("CERTIFICATE", &text, &der), 0);
	is = shown->size == der.size && !memcmp(shown->data, der.data, der.size);
	gnutls_free(der.data);
	return is;
}

#define TLS "tls_server_config:\n  cert_file: first.pem\n  key_file: first.key\n"

static void speaks_tls(void **state)
{
	unsigned int before = unit_descriptors();
	char target[9000];
	struct serving f;
	struct talk t;
	char got[4096];
	int fd;

	(void)state;
	begin(&f, TLS USERS);
	assert_true(call(&f, NULL, &t));
	assert_true(is_server(&t, &first));
	for (int i = 0; i < 2; i++) {
		assert_int_equal(status_by(&f, &t, NOBODY), 401);
		assert_int_equal(status_by(&f, &t, ALICE), 200);
		assert_int_equal(status_by(&f, &t, WRONG), 401);
	}
	/*
	 * A connection that is refused at once gets no answer: nothing is sent in the clear where
	 * TLS is configured.
	 */
	memset(target, 'a', sizeof(target));
	memcpy(target, "GET /", 5);
	target[sizeof(target) - 1] = 0;
	assert_int_equal(gnutls_record_send(t.session, target, strlen(target)), strlen(target));
	assert_int_equal(status_by(&f, &t, " HTTP/1.1\r\n\r\n"), 0);
	assert_true(recv(t.fd, got, sizeof(got), 0) <= 0);
	hang_up(&t);
	/* A client without TLS gets no answer. */
	fd = serving_connect(&f);
	serving_ask(fd, ALICE);
	assert_int_equal(answer(&f, fd, got, sizeof(got)), 0);
	assert_null(strstr(got, "HTTP"));
	close(fd);
	serving_run(&f);
	assert_int_equal(f.server.listener[0].clients, 0);
	serving_finish(&f);
	assert_int_equal(unit_descriptors(), before);
}

/* A client that stops during the handshake has no more time than others. */
static void ends_slow_handshakes(void **state)
{
	struct serving f;
	int idle, half;

	(void)state;
	begin(&f, TLS);
	idle = serving_connect(&f);
	half = serving_connect(&f);
	assert_int_equal(send(half, "\x16\x03\x01\x00", 4, 0), 4);
	serving_run(&f);
	assert_int_equal(f.server.listener[0].clients, 2);
	f.now_ns += SERVING_TIMEOUT_NS + NS_PER_SEC;
	serving_run(&f);
	assert_int_equal(f.server.listener[0].clients, 0);
	close(idle);
	close(half);
	serving_finish(&f);
}

static void asks_for_certificates(void **state)
{
	static const char config[] = TLS "  client_ca_file: ca.pem\n"
					 "  client_auth_type: RequireAndVerifyClientCert\n";
	struct serving f;
	struct talk t;

	(void)state;
	begin(&f, config);
	assert_true(call(&f, &client, &t));
	assert_int_equal(
		status_by(&f, &t, "GET /healthz HTTP/1.1\r\nHost: some.where\r\n\r\n"), 200);
	hang_up(&t);
	assert_false(call(&f, &stranger, &t));
	hang_up(&t);
	assert_false(call(&f, NULL, &t));
	hang_up(&t);
	serving_finish(&f);
}

/* A client that made its handshake before certificates were required. */
static void requires_certificates_of_open_connections(void **state)
{
	struct serving f;
	struct talk t;

	(void)state;
	begin(&f, TLS);
	assert_true(call(&f, NULL, &t));
	change(&f,
		TLS "  client_ca_file: ca.pem\n  client_auth_type: RequireAndVerifyClientCert\n");
	assert_int_equal(status_by(&f, &t, NOBODY), 401);
	assert_int_equal(status_by(&f, &t, NOBODY), 0);
	hang_up(&t);
	assert_true(call(&f, &client, &t));
	assert_int_equal(status_by(&f, &t, NOBODY), 200);
	hang_up(&t);
	serving_finish(&f);
}

/*
 * Connections that were admitted under the former configuration must connect again. An answer that
 * is being sent is completed.
 */
static void renews_certificates(void **state)
{
	struct talk idle, busy, later;
	struct serving f;

	(void)state;
	begin(&f, TLS);
	assert_true(call(&f, NULL, &idle));
	assert_int_equal(status_by(&f, &idle, NOBODY), 200);
	assert_true(call(&f, NULL, &busy));
	change(&f, "tls_server_config:\n  cert_file: second.pem\n  key_file: second.key\n");
	serving_run(&f);
	assert_int_equal(status_by(&f, &idle, NOBODY), 0);
	assert_int_equal(status_by(&f, &busy, NOBODY), 200);
	assert_int_equal(status_by(&f, &busy, NOBODY), 0);
	assert_true(call(&f, NULL, &later));
	assert_true(is_server(&later, &second));
	assert_int_equal(status_by(&f, &later, NOBODY), 200);
	assert_int_equal(status_by(&f, &later, NOBODY), 200);
	hang_up(&idle);
	hang_up(&busy);
	hang_up(&later);
	serving_finish(&f);
}

static int setup(void **state)
{
	(void)state;
	pki_make(&(struct pki_wish){.name = "authority"}, &authority);
	pki_make(&(struct pki_wish){.name = "here", .issuer = &authority}, &first);
	pki_make(&(struct pki_wish){.name = "here", .issuer = &authority}, &second);
	pki_make(&(struct pki_wish){.name = "c", .issuer = &authority, .is_client = true}, &client);
	pki_make(&(struct pki_wish){.name = "c", .issuer = &first, .is_client = true}, &stranger);
	webdir_open(&dir);
	webdir_write(&dir, "ca.pem", authority.cert);
	webdir_write(&dir, "first.pem", first.cert);
	webdir_write(&dir, "first.key", first.key);
	webdir_write(&dir, "second.pem", second.cert);
	webdir_write(&dir, "second.key", second.key);
	return 0;
}

static int teardown(void **state)
{
	struct pki *const all[] = {&authority, &first, &second, &client, &stranger};

	(void)state;
	webdir_done(&dir);
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		pki_done(all[i]);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(asks_for_passwords),
		cmocka_unit_test(opens_health_alone),
		cmocka_unit_test_teardown(serves_known_users_during_checks, release_thread),
		cmocka_unit_test_teardown(wrong_passwords_lock_out_no_known_user, release_thread),
		cmocka_unit_test_teardown(can_stop_during_a_check, release_thread),
		cmocka_unit_test_teardown(closes_connections_that_wait_too_long, release_thread),
		cmocka_unit_test_teardown(new_users_count_at_once, release_thread),
		cmocka_unit_test(limits_rates),
		cmocka_unit_test(sets_headers),
		cmocka_unit_test(speaks_tls),
		cmocka_unit_test(ends_slow_handshakes),
		cmocka_unit_test(asks_for_certificates),
		cmocka_unit_test(requires_certificates_of_open_connections),
		cmocka_unit_test(renews_certificates),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
