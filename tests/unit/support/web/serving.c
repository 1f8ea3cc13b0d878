/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/web/serving.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/cleanup.h"

enum { ROUNDS = 20 };

void serving_begin(struct serving *s, const char *address, const struct caller_rules *rules,
	struct access *access, unsigned int max_clients)
{
	char *item = (char *)(uintptr_t)(address ? address : "127.0.0.1:0");
	const struct text_list list = {.item = &item, .count = 1};
	char error[LISTEN_ERROR_SIZE];

	*s = (struct serving){
		.link.fd = -1,
		.settings.web_telemetry_path = (char *)"/metrics",
		.access = access,
		.now_ns = clock_now_ns(CLOCK_MONOTONIC),
	};
	assert_int_equal(listen_open(&s->set, &list, error), 0);
	site_init(&s->site, &s->link, &s->settings);
	assert_int_equal(
		server_start(&s->server, &s->site, &s->set, rules, access, max_clients), 0);
	assert_int_equal(server_admit(&s->server, access), 0);
}

void serving_finish(struct serving *s)
{
	server_stop(&s->server);
	listen_done(&s->set);
	site_done(&s->site);
	s->access = access_free(s->access);
}

void serving_admit(struct serving *s, struct access *access)
{
	assert_int_equal(server_admit(&s->server, access), 0);
	access_free(s->access);
	s->access = access;
}

int serving_connect(const struct serving *s)
{
	struct sockaddr_in address;
	socklen_t len = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(getsockname(s->set.socket[0].fd, (struct sockaddr *)&address, &len), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, len), 0);
	assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	return fd;
}

void serving_ask(int fd, const char *request)
{
	assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL), strlen(request));
}

void serving_run_once(struct serving *s)
{
	struct pollfd p[] = {
		{.fd = s->server.listener[0].queue.epoll_fd, .events = POLLIN},
		{.fd = requests_fd(&s->server.requests), .events = POLLIN},
	};

	poll(p, ARRAY_SIZE(p), 1);
	server_run(&s->server, s->now_ns, SERVING_TIMEOUT_NS);
}

void serving_run(struct serving *s)
{
	for (int i = 0; i < ROUNDS; i++)
		serving_run_once(s);
}
