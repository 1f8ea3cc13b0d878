/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes a listener of memtally-web: bytes pass through libmicrohttpd all the way to answers
 *
 * The first byte is the size of the pieces in which the others are sent (0: one piece). Whatever
 * they are, the received bytes look like answers, and after the client has closed its connection,
 * nothing of it is left.
 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "tests/unit/support/snapshot/sample.h"
#include "web/server.h"

#define TIMEOUT (30 * NS_PER_SEC)

enum { ROUNDS = 64, CLIENTS = 4, PORT_WAITS = 6000 };

struct fixture {
	struct listen_set set;
	struct link link;
	struct settings settings;
	struct site site;
	struct access *access;
	struct server server;
	struct sockaddr_in address;
};

static void begin(struct fixture *f)
{
	static const struct caller_rules rules = {.peer = {.gid = (gid_t)-1, .uid = (uid_t)-1}};
	char *address = (char *)"127.0.0.1:0";
	const struct text_list list = {.item = &address, .count = 1};
	const struct sample_options fresh = {
		.realtime_ns = clock_now_ns(CLOCK_REALTIME),
		.boottime_ns = clock_now_ns(CLOCK_BOOTTIME),
		.interval_ns = 3600 * NS_PER_SEC,
		.exported = 3,
	};
	char error[LISTEN_ERROR_SIZE], said[SETTINGS_ERROR_SIZE];
	socklen_t len = sizeof(f->address);

	*f = (struct fixture){.link.fd = -1, .settings.web_telemetry_path = (char *)"/metrics"};
	if (listen_open(&f->set, &list, error) < 0 ||
		getsockname(f->set.socket[0].fd, (struct sockaddr *)&f->address, &len) < 0)
		exit(99);
	site_init(&f->site, &f->link, &f->settings);
	cache_replace(&f->site.cache, sample_open(&fresh));
	if (access_load(NULL, &f->access, NULL, said) < 0 ||
		server_start(&f->server, &f->site, &f->set, &rules, f->access, CLIENTS) < 0)
		exit(99);
}

/*
 * Runs the server while it has work. Receives up to ROOM bytes of answers from FD in TO (-1: none).
 * Returns their number.
 */
static size_t run(struct fixture *f, int fd, char *to, size_t room)
{
	size_t got = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct pollfd p = {.fd = f->server.listener[0].queue.epoll_fd, .events = POLLIN};
		char rest[4096];
		ssize_t n;

		if (poll(&p, 1, 0) == 0 && i > 1)
			break;
		server_run(&f->server, clock_now_ns(CLOCK_MONOTONIC), TIMEOUT);
		if (fd < 0)
			continue;
		n = got < room ? recv(fd, to + got, room - got, MSG_DONTWAIT)
		               : recv(fd, rest, sizeof(rest), MSG_DONTWAIT);
		if (n > 0 && got < room)
			got += (size_t)n;
	}
	return got;
}

static int connect_to(struct fixture *f)
{
	/* otherwise the ports of millions of clients linger */
	const struct linger none = {.l_onoff = 1};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none)) < 0)
		exit(99);
	for (int i = 0; connect(fd, (struct sockaddr *)&f->address, sizeof(f->address)) < 0; i++) {
		if (errno != EADDRNOTAVAIL || i == PORT_WAITS) {
			perror("fuzz-http: connect");
			exit(99);
		}
		usleep(10000); /* other programs use all ports at the moment */
	}
	return fd;
}

/* GOT is the beginning of the received answers. */
static void check_answers(const char *got, size_t len)
{
	fuzz_check(len < 13 || (!memcmp(got, "HTTP/1.", 7) && got[8] == ' '));
	fuzz_check(len < 13 || (got[9] >= '1' && got[9] <= '5'));
	/* No line of a head comes from the client. */
	fuzz_check(!memmem(got, len, "\nAccess-Control", 15));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fixture f;
	char got[16384];
	size_t len = 0, piece, at;
	int fd;

	if (!f.set.count)
		begin(&f);
	if (!size)
		return 0;
	piece = data[0] ? data[0] : size;
	fd = connect_to(&f);
	for (at = 1; at < size; at += piece) {
		size_t part = size - at < piece ? size - at : piece;
		ssize_t n = send(fd, data + at, part, MSG_DONTWAIT | MSG_NOSIGNAL);

		len += run(&f, fd, got + len, sizeof(got) - len);
		if (n < 0 && errno != EAGAIN)
			break; /* the server has closed the connection */
	}
	shutdown(fd, SHUT_WR);
	len += run(&f, fd, got + len, sizeof(got) - len);
	check_answers(got, len);
	close(fd);
	run(&f, -1, NULL, 0);
	fuzz_check(f.server.listener[0].clients == 0);
	fuzz_check(!f.server.connections.oldest);
	return 0;
}
