/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/compare/scrape-source.h: scrapes over HTTP, from files and from standard input. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "cli/compare/scrape-source.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/folder.h"

#define GOOD_HEAD "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\n"

/* An HTTP server in a child process, which gives each client the same answer. */
struct server {
	pid_t pid;
	char url[64];
};

static void server_done(struct server *s)
{
	if (s->pid > 0) {
		kill(s->pid, SIGKILL);
		waitpid(s->pid, NULL, 0);
	}
}
#define AUTO_SERVER CLEANUP(server_done)

/* Sends ANSWER, and then, if IS_ENDLESS, zeros until the client has enough. */
static void answer_client(int client, const char *answer, bool is_endless)
{
	static const char zeros[1 << 16];
	char request[4096];

	if (read(client, request, sizeof(request)) <= 0)
		return;
	if (send(client, answer, strlen(answer), MSG_NOSIGNAL) < 0)
		return;
	while (is_endless && send(client, zeros, sizeof(zeros), MSG_NOSIGNAL) > 0)
		;
}

static _Noreturn void serve(int listener, const char *answer, bool is_endless)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		int client = accept(listener, NULL, NULL);

		if (client < 0)
			_exit(99);
		answer_client(client, answer, is_endless);
		close(client);
	}
}

static int listen_on_loopback(struct server *s)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0 && bind(fd, (struct sockaddr *)&address, len) == 0 &&
		    listen(fd, 8) == 0 && getsockname(fd, (struct sockaddr *)&address, &len) == 0);
	snprintf(s->url, sizeof(s->url), "http://127.0.0.1:%u/metrics", ntohs(address.sin_port));
	return fd;
}

static void server_start(struct server *s, const char *answer, bool is_endless)
{
	AUTO_CLOSE int listener = listen_on_loopback(s);

	s->pid = fork();
	assert_true(s->pid >= 0);
	if (s->pid == 0)
		serve(listener, answer, is_endless);
}

static void expect_error(const char *from, const char *expected)
{
	AUTO_BUFFER struct buffer text = {0};
	char error[SCRAPE_SOURCE_ERROR_SIZE] = "";

	assert_int_equal(scrape_source_read(from, &text, error), -EIO);
	if (strncmp(error, from, strlen(from)) != 0 || !strstr(error, expected))
		fail_msg("%s", error);
}

static void gets_the_answer_of_a_url(void **state)
{
	AUTO_SERVER struct server s = {0};
	AUTO_BUFFER struct buffer text = {0};
	char error[SCRAPE_SOURCE_ERROR_SIZE];

	(void)state;
	server_start(&s, GOOD_HEAD "a 1\nb 2\n", false);
	assert_int_equal(scrape_source_read(s.url, &text, error), 0);
	buffer_add_char(&text, '\0');
	assert_string_equal(text.data, "a 1\nb 2\n");
}

/* A proxy of the environment would look for 127.0.0.1 on its own host. */
static void uses_no_proxy(void **state)
{
	AUTO_SERVER struct server s = {0};
	AUTO_BUFFER struct buffer text = {0};
	char error[SCRAPE_SOURCE_ERROR_SIZE] = "";

	(void)state;
	server_start(&s, GOOD_HEAD "a 1\n", false);
	setenv("http_proxy", "http://127.0.0.1:1/", 1);
	assert_int_equal(scrape_source_read(s.url, &text, error), 0);
	unsetenv("http_proxy");
}

static void other_answers_are_errors(void **state)
{
	static const struct {
		const char *answer, *said;
	} cases[] = {
		{"HTTP/1.0 404 Not Found\r\n\r\nnothing", ": the answer is HTTP status 404"},
		{"HTTP/1.0 401 Unauthorized\r\n\r\n", ": the answer is HTTP status 401"},
		{"HTTP/1.0 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n",
			": the answer is HTTP status 302"},
		{"HTTP/1.0 200 OK\r\nContent-Length: 100\r\n\r\ncut", ": "},
		{"SSH-2.0-OpenSSH\r\n", ": "},
		{"", ": "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_SERVER struct server s = {0};

		server_start(&s, cases[i].answer, false);
		expect_error(s.url, cases[i].said);
	}
}

static void a_url_without_a_server_is_an_error(void **state)
{
	struct server s = {0};
	int fd = listen_on_loopback(&s);
	char encrypted[sizeof(s.url) + 1];

	(void)state;
	close(fd);
	expect_error(s.url, "onnect");
	snprintf(encrypted, sizeof(encrypted), "HTTPS%s", s.url + strlen("http"));
	expect_error(encrypted, "onnect");
	expect_error("http://", ": ");
}

/* The limit holds for answers of unknown size, too. */
static void too_large_answers_are_errors(void **state)
{
	AUTO_SERVER struct server s = {0};

	(void)state;
	server_start(&s, GOOD_HEAD, true);
	expect_error(s.url, ": more than 64 MiB");
}

static void make_file(const char *path, const char *text, off_t size)
{
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	assert_true(!size || ftruncate(fd, size) == 0);
}

static void reads_a_file(void **state)
{
	AUTO_BUFFER struct buffer text = {0};
	char error[SCRAPE_SOURCE_ERROR_SIZE];

	(void)state;
	make_file("scrape.txt", "a 1\n", 0);
	assert_int_equal(scrape_source_read("scrape.txt", &text, error), 0);
	assert_int_equal(text.len, 4);
	assert_memory_equal(text.data, "a 1\n", 4);
	make_file("scrape.txt", "", ((off_t)SCRAPE_SOURCE_MAX_MIB << 20) + 1);
	expect_error("scrape.txt", "scrape.txt: more than 64 MiB");
	assert_int_equal(unlink("scrape.txt"), 0);
	expect_error(
		"scrape.txt", "scrape.txt: no such file (a URL begins with http:// or https://)");
	expect_error("file:///etc/hostname", ": no such file (a URL");
}

static void reads_standard_input(void **state)
{
	AUTO_BUFFER struct buffer text = {0};
	char error[SCRAPE_SOURCE_ERROR_SIZE];
	int saved = dup(STDIN_FILENO), ends[2];

	(void)state;
	assert_true(pipe(ends) == 0 && write(ends[1], "a 1\n", 4) == 4);
	close(ends[1]);
	assert_true(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
	close(ends[0]);
	assert_int_equal(scrape_source_read("-", &text, error), 0);
	assert_int_equal(text.len, 4);
	if (saved >= 0) {
		dup2(saved, STDIN_FILENO);
		close(saved);
	}
}

/* Errors quote names and servers, which may have any characters. */
static void errors_are_clean(void **state)
{
	AUTO_BUFFER struct buffer text = {0};
	char error[SCRAPE_SOURCE_ERROR_SIZE];

	(void)state;
	assert_int_equal(scrape_source_read("none\x1b[31m", &text, error), -EIO);
	assert_string_equal(
		error, "none\\x1b[31m: no such file (a URL begins with http:// or https://)");
}

static void returns_errors_without_memory(void **state)
{
	AUTO_SERVER struct server s = {0};
	const char *const from[] = {s.url, "scrape.txt"};

	(void)state;
	server_start(&s, GOOD_HEAD "a 1\n", false);
	make_file("scrape.txt", "a 1\n", 0);
	for (size_t i = 0; i < ARRAY_SIZE(from); i++)
		for (unsigned int n = 1; n; n = allocation_next(n)) {
			AUTO_BUFFER struct buffer text = {0};
			char error[SCRAPE_SOURCE_ERROR_SIZE];

			allocation_fail_at(n);
			allocation_check(scrape_source_read(from[i], &text, error));
		}
	assert_int_equal(unlink("scrape.txt"), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(gets_the_answer_of_a_url),
		cmocka_unit_test(uses_no_proxy),
		cmocka_unit_test(other_answers_are_errors),
		cmocka_unit_test(a_url_without_a_server_is_an_error),
		cmocka_unit_test(too_large_answers_are_errors),
		cmocka_unit_test(reads_a_file),
		cmocka_unit_test(reads_standard_input),
		cmocka_unit_test(errors_are_clean),
		cmocka_unit_test(returns_errors_without_memory),
	};

	return cmocka_run_group_tests(tests, folder_enter, folder_leave);
}
