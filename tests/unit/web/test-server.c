/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of memtally-web's server: connections, refusals and callers. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "tests/unit/support/snapshot/sample.h"
#include "tests/unit/support/web/serving.h"

enum { GROUP = 47110 }; /* the trusted group */

static void begin_at(struct serving *f, const char *address, unsigned int max_clients)
{
	static const struct caller_rules rules = {.peer = {.gid = GROUP, .uid = (uid_t)-1}};
	char error[SETTINGS_ERROR_SIZE];
	struct access *everybody;

	assert_int_equal(access_load(NULL, &everybody, NULL, error), 0);
	serving_begin(f, address, &rules, everybody, max_clients);
}

static void begin(struct serving *f, unsigned int max_clients)
{
	begin_at(f, NULL, max_clients);
}

/* Returns the length of the answer; -1: nothing yet, 0: the connection was closed. */
static ssize_t receive(struct serving *f, int fd, char *to, size_t size)
{
	ssize_t n;

	serving_run(f);
	n = recv(fd, to, size - 1, 0);
	to[n > 0 ? n : 0] = 0;
	return n;
}

/* Headers that tell browsers not to cache, not to guess types and not to load anything. */
static void assert_guarded(const char *got)
{
	static const char *const headers[] = {"\r\nCache-Control: no-store\r\n",
		"\r\nX-Content-Type-Options: nosniff\r\n",
		"\r\nContent-Security-Policy: default-src 'none'; "};

	for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
		if (!strstr(got, headers[i]))
			fail_msg("no %s in %s", headers[i], got);
	assert_null(strstr(got, "Access-Control"));
}

static void answers_requests(void **state)
{
	unsigned int before = unit_descriptors();
	struct serving f;
	char got[4096];
	int fd;

	(void)state;
	begin(&f, 8);
	fd = serving_connect(&f);
	for (int i = 0; i < 3; i++) { /* three requests on one connection */
		serving_ask(fd, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
		assert_true(receive(&f, fd, got, sizeof(got)) > 0);
		assert_int_equal(strncmp(got, "HTTP/1.1 200 OK\r\n", 17), 0);
		assert_null(strstr(got, "Connection: close"));
		assert_guarded(got);
	}
	serving_ask(fd, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello");
	assert_true(receive(&f, fd, got, sizeof(got)) > 0);
	assert_int_equal(strncmp(got, "HTTP/1.1 405 ", 13), 0);
	assert_guarded(got);
	assert_int_equal(f.site.counters.answers[0], 3);
	close(fd);
	serving_run(&f);
	assert_int_equal(f.server.listener[0].clients, 0);
	assert_int_equal(server_due_ms(&f.server, f.now_ns, SERVING_TIMEOUT_NS), -1);
	serving_finish(&f);
	assert_int_equal(unit_descriptors(), before);
}

/* The service manager may own the listening socket, so it is neither closed nor shut down. */
static void keeps_the_listening_socket_open(void **state)
{
	struct serving f;
	int waiting, listening;

	(void)state;
	begin(&f, 8);
	close(serving_connect(&f));
	serving_run(&f);
	waiting = serving_connect(&f);
	listening = f.set.socket[0].fd;
	server_stop(&f.server);
	assert_true(fcntl(listening, F_GETFD) >= 0);
	close(serving_connect(&f)); /* it still accepts connections */
	close(waiting);
	serving_finish(&f);
}

static struct {
	int fd;   /* client that disconnects and reconnects in each run of the library; -1: none */
	int runs; /* number of runs so far */
	struct serving *serving;
} fickle = {.fd = -1};

enum MHD_Result __real_MHD_run(struct MHD_Daemon *daemon);
enum MHD_Result __wrap_MHD_run(struct MHD_Daemon *daemon);

enum MHD_Result __wrap_MHD_run(struct MHD_Daemon *daemon)
{
	if (fickle.fd >= 0 && ++fickle.runs < 1000) {
		close(fickle.fd);
		fickle.fd = serving_connect(fickle.serving);
	}
	return __real_MHD_run(daemon);
}

/* If clients come and go without end, a round still ends. */
static void rounds_end_despite_new_clients(void **state)
{
	struct pollfd p = {.events = POLLIN};
	struct serving f;

	(void)state;
	begin(&f, 8);
	p.fd = f.server.listener[0].queue.epoll_fd;
	fickle.fd = serving_connect(&f);
	fickle.serving = &f;
	serving_run(&f);
	fickle.runs = 0;
	server_run(&f.server, f.now_ns, SERVING_TIMEOUT_NS);
	assert_in_range(fickle.runs, 1, 10);
	assert_int_equal(poll(&p, 1, 0), 1); /* there are more events */
	close(fickle.fd);
	fickle.fd = -1;
	serving_run(&f);
	assert_int_equal(server_due_ms(&f.server, f.now_ns, SERVING_TIMEOUT_NS), -1);
	serving_finish(&f);
}

static void closes_slow_connections(void **state)
{
	struct serving f;
	char got[64];
	int fd;

	(void)state;
	begin(&f, 8);
	fd = serving_connect(&f);
	serving_ask(fd, "GET /healthz HT");
	assert_int_equal(receive(&f, fd, got, sizeof(got)), -1);
	/* The connection was made a little after .now_ns; under valgrind, later. */
	assert_in_range(server_due_ms(&f.server, f.now_ns, SERVING_TIMEOUT_NS), 1, 22000);
	f.now_ns += SERVING_TIMEOUT_NS + NS_PER_SEC;
	assert_int_equal(server_due_ms(&f.server, f.now_ns, SERVING_TIMEOUT_NS), 0);
	assert_int_equal(receive(&f, fd, got, sizeof(got)), 0);
	assert_int_equal(f.server.listener[0].clients, 0);
	close(fd);
	serving_finish(&f);
}

/* If there are too many connections, the oldest idle one is closed. */
static void closes_the_oldest_idle_connection(void **state)
{
	struct serving f;
	char got[4096];
	int fd[4];

	(void)state;
	begin(&f, 3);
	for (size_t i = 0; i < ARRAY_SIZE(fd); i++) {
		fd[i] = serving_connect(&f);
		serving_run(&f);
	}
	assert_int_equal(f.server.listener[0].clients, 3);
	assert_int_equal(receive(&f, fd[0], got, sizeof(got)), 0);
	serving_ask(fd[3], "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
	assert_true(receive(&f, fd[3], got, sizeof(got)) > 0);
	for (size_t i = 0; i < ARRAY_SIZE(fd); i++)
		close(fd[i]);
	serving_finish(&f);
}

/* Clients that send part of a request head do not keep others out. */
static void incomplete_requests_lose_their_place(void **state)
{
	struct serving f;
	char got[4096];
	int slow[6], honest[2];

	(void)state;
	begin(&f, 3);
	for (size_t i = 0; i < ARRAY_SIZE(slow); i++) {
		slow[i] = serving_connect(&f);
		serving_ask(slow[i], "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ");
		serving_run(&f);
	}
	assert_int_equal(f.server.listener[0].clients, 3);
	for (size_t i = 0; i < ARRAY_SIZE(honest); i++)
		honest[i] = serving_connect(&f);
	for (size_t i = 0; i < ARRAY_SIZE(honest); i++) {
		serving_ask(honest[i], "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
		assert_true(receive(&f, honest[i], got, sizeof(got)) > 0);
		assert_int_equal(strncmp(got, "HTTP/1.1 200 OK\r\n", 17), 0);
	}
	assert_int_equal(f.server.listener[0].clients, 3);
	assert_int_equal(receive(&f, slow[5], got, sizeof(got)), -1);
	for (size_t i = 0; i < ARRAY_SIZE(slow); i++)
		close(slow[i]);
	for (size_t i = 0; i < ARRAY_SIZE(honest); i++)
		close(honest[i]);
	serving_finish(&f);
}

/*
 * While the answer to a complete request waits to be read, the connection does not count as one
 * with an incomplete request.
 */
static void distinguishes_slow_readers_from_incomplete_requests(void **state)
{
	static const char request[] = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
	const int small = 4096;
	const struct connection *c;
	struct serving f;
	int fd;

	(void)state;
	begin(&f, 3);
	fd = serving_connect(&f);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
	serving_ask(fd, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ");
	serving_run(&f);
	c = f.server.connections.oldest;
	assert_true(c->is_busy && !c->is_whole);
	serving_ask(fd, "y\r\n\r\n");
	for (int i = 0; i < 1000; i++) { /* until the buffers are full in both directions */
		for (int n = 0; n < 100; n++)
			(void)send(fd, request, strlen(request), MSG_DONTWAIT);
		server_run(&f.server, f.now_ns, SERVING_TIMEOUT_NS);
	}
	assert_true(c->is_busy && c->is_whole);
	close(fd);
	serving_finish(&f);
}

/* Answers that the server must write without the library have the same headers. */
static void early_refusals_have_security_headers(void **state)
{
	char target[9000], got[4096];
	struct serving f;
	int fd;

	(void)state;
	begin(&f, 8);
	fd = serving_connect(&f);
	memset(target, 'a', sizeof(target));
	memcpy(target, "GET /", 5);
	target[sizeof(target) - 1] = 0;
	serving_ask(fd, target);
	serving_ask(fd, " HTTP/1.1\r\nHost: localhost\r\n\r\n");
	assert_true(receive(&f, fd, got, sizeof(got)) > 0);
	assert_int_equal(strncmp(got, "HTTP/1.1 414 ", 13), 0);
	assert_guarded(got);
	assert_int_equal(receive(&f, fd, got, sizeof(got)), 0);
	close(fd);
	serving_finish(&f);
}

/* Requests that the library would refuse twice are refused once, and the connection is closed. */
static void answers_a_refused_head_once(void **state)
{
	static const struct {
		const char *header;
		const char *status;
	} cases[] = {
		{"Content-Length: +5", "400"},
		{"Content-Length: 0x5", "400"},
		{"Content-Length: -1", "400"},
		{"Content-Length: 5x", "400"},
		{"Content-Length:", "400"},
		{"Content-Length: 5, 5", "400"},
		{"Content-Length: 0\r\nContent-Length: +5", "400"},
		{"Content-Length: 5", "413"},
		{"Content-Length: 99999999999999999999", "413"},
		{"Transfer-Encoding: chunked\r\nContent-Length: +5", "400"},
	};
	struct serving f;

	(void)state;
	begin(&f, 8);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char request[256], got[4096];
		int fd = serving_connect(&f);

		snprintf(request, sizeof(request),
			"GET /healthz HTTP/1.1\r\nHost: localhost\r\n%s\r\n\r\n"
			"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
			cases[i].header);
		serving_ask(fd, request);
		assert_true(receive(&f, fd, got, sizeof(got)) > 0);
		if (strncmp(got, "HTTP/1.1 ", 9) != 0 ||
			strncmp(got + 9, cases[i].status, 3) != 0 || strstr(got + 1, "HTTP/1.1"))
			fail_msg("%s: %s", cases[i].header, got);
		assert_guarded(got);
		assert_non_null(strstr(got, "\r\nConnection: close\r\n"));
		assert_int_equal(receive(&f, fd, got, sizeof(got)), 0);
		close(fd);
	}
	serving_finish(&f);
}

/* Cookies that exceed the library's memory do no harm, because no cookie is read. */
static void reads_no_cookies(void **state)
{
	char request[6000] = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nCookie: ", got[4096];
	struct serving f;
	int fd;

	(void)state;
	begin(&f, 8);
	for (size_t len = strlen(request); len + 16 < sizeof(request); len += 4)
		memcpy(request + len, "a=b;", 5);
	memcpy(request + strlen(request), "\r\n\r\n", 5);
	fd = serving_connect(&f);
	serving_ask(fd, request);
	assert_true(receive(&f, fd, got, sizeof(got)) > 0);
	assert_int_equal(strncmp(got, "HTTP/1.1 200 ", 13), 0);
	assert_null(strstr(got + 1, "HTTP/1.1"));
	close(fd);
	serving_finish(&f);
}

/* Returns the first line of the answer to a request for HOST. */
static void assert_status(struct serving *f, const char *host, const char *expected)
{
	int fd = serving_connect(f);
	char request[128], got[4096];

	snprintf(request, sizeof(request), "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", host);
	serving_ask(fd, request);
	assert_true(receive(f, fd, got, sizeof(got)) > 0);
	if (strncmp(got, expected, strlen(expected)) != 0)
		fail_msg("host %s: %.20s", host, got);
	close(fd);
}

static void serves_its_own_host_names(void **state)
{
	char *items[] = {(char *)"metrics.example"};
	struct serving f;

	(void)state;
	begin(&f, 8);
	snprintf(f.server.requests.machine, sizeof(f.server.requests.machine), "web1.site.example");
	assert_status(&f, "localhost", "HTTP/1.1 200 ");
	assert_status(&f, "web1:9636", "HTTP/1.1 200 ");
	assert_status(&f, "metrics.example", "HTTP/1.1 421 ");
	f.settings.web_allowed_hosts = (struct text_list){
		.item = items, .count = 1}; /* as after SIGHUP */
	assert_status(&f, "metrics.example", "HTTP/1.1 200 ");
	assert_status(&f, "evil.example", "HTTP/1.1 421 ");
	f.set.socket[0].is_unix = true;
	assert_status(&f, "evil.example", "HTTP/1.1 200 ");
	serving_finish(&f);
}

/*
 * Forks a client with UID, the primary group of the same number, and group SUPPLEMENTARY. Returns
 * its pid; it is stopped.
 */
static pid_t connect_as(const char *path, uid_t uid, gid_t supplementary)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (!child) {
		int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

		if (uid != geteuid() &&
			(setgroups(1, &supplementary) < 0 || setresgid(uid, uid, uid) < 0 ||
				setresuid(uid, uid, uid) < 0))
			_exit(2);
		if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
			_exit(1);
		raise(SIGSTOP);
		_exit(3);
	}
	assert_int_equal(waitpid(child, &status, WUNTRACED), child);
	assert_true(WIFSTOPPED(status));
	return child;
}

/*
 * Returns the caller as the server sees such a client. The client then exits, which ends its
 * connection.
 */
static struct caller caller_as(struct serving *f, const char *path, uid_t uid, gid_t supplementary)
{
	pid_t client = connect_as(path, uid, supplementary);
	struct caller caller = {0};

	serving_run(f);
	if (f->server.connections.newest)
		caller = f->server.connections.newest->caller;
	else
		fail_msg("no client has connected");
	assert_int_equal(kill(client, SIGKILL), 0);
	assert_int_equal(waitpid(client, NULL, 0), client);
	serving_run(f);
	assert_null(f->server.connections.newest);
	return caller;
}

/* A UNIX socket tells the user that connects, TCP does not. */
static void identifies_callers(void **state)
{
	static const struct {
		uid_t uid;
		gid_t supplementary;
		enum caller_kind kind;
	} cases[] = {
		{4711, 5, CALLER_USER},
		{4711, GROUP, CALLER_TRUSTED},
		{GROUP, 5, CALLER_TRUSTED}, /* the primary group */
		{0, 0, CALLER_TRUSTED},
	};
	char dir[] = "/tmp/test-server-XXXXXX", address[64];
	struct serving f;
	int fd;

	(void)state;
	begin(&f, 8);
	fd = serving_connect(&f);
	serving_run(&f);
	assert_int_equal(f.server.connections.newest->caller.kind, CALLER_ANYBODY);
	close(fd);
	serving_finish(&f);

	assert_non_null(mkdtemp(dir));
	assert_int_equal(chmod(dir, 0755), 0);
	snprintf(address, sizeof(address), "unix:%s/s", dir);
	begin_at(&f, address, 8);
	for (size_t i = 0; i < ARRAY_SIZE(cases) && !geteuid(); i++) {
		struct caller caller = caller_as(
			&f, address + strlen("unix:"), cases[i].uid, cases[i].supplementary);

		assert_int_equal(caller.kind, cases[i].kind);
		if (caller.kind == CALLER_USER)
			assert_int_equal(caller.uid, cases[i].uid);
	}
	if (geteuid()) {
		struct caller caller = caller_as(&f, address + strlen("unix:"), geteuid(), 0);

		assert_int_equal(caller.kind, CALLER_USER);
		assert_int_equal(caller.uid, geteuid());
	}
	serving_finish(&f);
	assert_int_equal(rmdir(dir), 0);
}

static const char past[] =
	"GET /api/v1/history?from=1690000000 HTTP/1.1\r\nHost: localhost\r\n\r\n";

/*
 * A request that waits for memtally-ledger delays no other one. After two seconds it has its answer.
 * Requests that still wait when the server stops end with it, and so do those of clients that go.
 */
static void serves_others_while_the_ledger_is_asked(void **state)
{
	unsigned int before = unit_descriptors();
	char dir[] = "/tmp/memtally-server-XXXXXX", path[64], got[4096];
	int ledger, waiting, other, gone, last;
	struct serving f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/ledger", dir);
	assert_int_equal(channel_listen(path, SOCK_SEQPACKET, 0600, 8, &ledger), 0);
	begin(&f, 8);
	f.settings.ledger_socket = path;
	f.settings.web_tcp_scope = TCP_SCOPE_PROCESSES;
	site_take(&f.site, sample_open(NULL));
	waiting = serving_connect(&f);
	other = serving_connect(&f);
	gone = serving_connect(&f);
	last = serving_connect(&f);
	serving_ask(waiting, past);
	assert_int_equal(receive(&f, waiting, got, sizeof(got)), -1);
	serving_ask(gone, past);
	assert_int_equal(receive(&f, gone, got, sizeof(got)), -1);
	close(gone);
	serving_ask(other, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
	assert_true(receive(&f, other, got, sizeof(got)) > 0);
	assert_int_equal(strncmp(got, "HTTP/1.1 200 OK\r\n", 17), 0);
	assert_true(source_link_due_ns(&f.site.ledger.link) <=
		    clock_now_ns(CLOCK_MONOTONIC) + SOURCE_LINK_TIMEOUT_NS);
	site_ask(&f.site, clock_now_ns(CLOCK_MONOTONIC) + SOURCE_LINK_TIMEOUT_NS);
	assert_true(receive(&f, waiting, got, sizeof(got)) > 0);
	assert_int_equal(strncmp(got, "HTTP/1.1 200 OK\r\n", 17), 0);
	assert_non_null(strstr(got, "memtally-ledger did not answer in time"));
	assert_int_equal(f.site.ledger.link.waiting, 0);
	serving_ask(last, past);
	assert_int_equal(receive(&f, last, got, sizeof(got)), -1);
	assert_int_equal(f.site.ledger.link.waiting, 1);
	serving_finish(&f);
	close(waiting);
	close(other);
	close(last);
	close(ledger);
	unlink(path);
	rmdir(dir);
	assert_int_equal(unit_descriptors(), before);
}

/* Many clients that ask for histories do not delay other answers: each round has one history. */
static void histories_take_turns(void **state)
{
	enum { CLIENTS = 5 };
	unsigned int before = unit_descriptors(), rounds = 0;
	int fd[CLIENTS], other;
	struct serving f;
	char got[4096];

	(void)state;
	begin(&f, CLIENTS + 1);
	site_take(&f.site, sample_open(NULL));
	for (size_t i = 0; i < CLIENTS; i++)
		fd[i] = serving_connect(&f);
	other = serving_connect(&f);
	serving_run(&f);
	for (size_t i = 0; i < CLIENTS; i++)
		serving_ask(fd[i], past);
	serving_ask(other, "GET /nope HTTP/1.1\r\nHost: localhost\r\n\r\n");
	while (f.site.counters.answers[0] < CLIENTS) {
		unsigned long answers = f.site.counters.answers[0];

		assert_true(rounds++ < 100);
		serving_run_once(&f);
		assert_in_range(f.site.counters.answers[0], answers, answers + 1);
		if (f.site.counters.answers[0] == 3) /* others do not wait for all of them */
			assert_int_equal(recv(other, got, 13, MSG_PEEK), 13);
		if (f.server.requests.turns_awaited)
			assert_int_equal(server_due_ms(&f.server, f.now_ns, SERVING_TIMEOUT_NS), 0);
	}
	assert_true(rounds >= CLIENTS);
	assert_int_equal(f.server.requests.turns_awaited, 0);
	assert_true(receive(&f, other, got, sizeof(got)) > 0);
	assert_int_equal(strncmp(got, "HTTP/1.1 404 ", 13), 0);
	for (size_t i = 0; i < CLIENTS; i++) {
		assert_true(receive(&f, fd[i], got, sizeof(got)) > 0);
		assert_int_equal(strncmp(got, "HTTP/1.1 200 OK\r\n", 17), 0);
		close(fd[i]);
	}
	/* Requests that still wait when the server stops end with it. */
	for (size_t i = 0; i < CLIENTS; i++)
		fd[i] = serving_connect(&f);
	serving_run(&f);
	for (size_t i = 0; i < CLIENTS; i++)
		serving_ask(fd[i], past);
	for (rounds = 0; !f.server.requests.turns_awaited; rounds++) {
		assert_true(rounds < 100);
		serving_run_once(&f);
	}
	serving_finish(&f);
	for (size_t i = 0; i < CLIENTS; i++)
		close(fd[i]);
	close(other);
	assert_int_equal(unit_descriptors(), before);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_requests),
		cmocka_unit_test(keeps_the_listening_socket_open),
		cmocka_unit_test(rounds_end_despite_new_clients),
		cmocka_unit_test(closes_slow_connections),
		cmocka_unit_test(closes_the_oldest_idle_connection),
		cmocka_unit_test(incomplete_requests_lose_their_place),
		cmocka_unit_test(distinguishes_slow_readers_from_incomplete_requests),
		cmocka_unit_test(early_refusals_have_security_headers),
		cmocka_unit_test(answers_a_refused_head_once),
		cmocka_unit_test(reads_no_cookies),
		cmocka_unit_test(serves_its_own_host_names),
		cmocka_unit_test(identifies_callers),
		cmocka_unit_test(serves_others_while_the_ledger_is_asked),
		cmocka_unit_test(histories_take_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
