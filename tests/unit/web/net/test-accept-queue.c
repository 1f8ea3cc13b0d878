/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the accept queue of memtally-web, with real sockets and errors of accept4() that are
 * simulated.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "web/net/accept-queue.h"

enum { NOW = 1000 };

static struct {
	int error;    /* of the next calls of accept4(); 0: none */
	int attempts; /* calls of accept4() so far */
} kernel;

int __real_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags);
int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags);

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags)
{
	kernel.attempts++;
	if (kernel.error) {
		errno = kernel.error;
		return -1;
	}
	return __real_accept4(fd, address, len, flags);
}

struct fixture {
	struct sockaddr_in address;
	int listen_fd, inner_fd, event_fd;
	struct accept_queue queue;
};

static void begin(struct fixture *f)
{
	struct epoll_event event = {.events = EPOLLIN};
	socklen_t len = sizeof(f->address);

	kernel.error = kernel.attempts = 0;
	f->address = (struct sockaddr_in){
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	f->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	assert_int_equal(bind(f->listen_fd, (struct sockaddr *)&f->address, len), 0);
	assert_int_equal(listen(f->listen_fd, 4096), 0);
	assert_int_equal(getsockname(f->listen_fd, (struct sockaddr *)&f->address, &len), 0);
	f->inner_fd = epoll_create1(EPOLL_CLOEXEC);
	f->event_fd = eventfd(0, EFD_CLOEXEC);
	assert_int_equal(epoll_ctl(f->inner_fd, EPOLL_CTL_ADD, f->event_fd, &event), 0);
	assert_int_equal(accept_queue_open(&f->queue, f->listen_fd, f->inner_fd), 0);
}

static void finish(struct fixture *f)
{
	accept_queue_close(&f->queue);
	close(f->event_fd);
	close(f->inner_fd);
	close(f->listen_fd);
}

static int come(const struct fixture *f)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(fd, (const struct sockaddr *)&f->address, sizeof(f->address)), 0);
	return fd;
}

static bool is_ready(const struct fixture *f)
{
	struct pollfd p = {.fd = f->queue.epoll_fd, .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

static int let_in(struct fixture *f, uint64_t now_ns)
{
	struct sockaddr_storage address;
	socklen_t len;
	int fd = accept_queue_accept(&f->queue, now_ns, &address, &len);

	if (fd < 0)
		return fd;
	assert_int_equal(address.ss_family, AF_INET);
	assert_int_equal(len, sizeof(struct sockaddr_in));
	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	return fd;
}

static void accepts_waiting_clients(void **state)
{
	unsigned int before = unit_descriptors();
	struct fixture f;
	int client[2], in;

	(void)state;
	begin(&f);
	assert_false(is_ready(&f));
	assert_int_equal(let_in(&f, NOW), -EAGAIN);
	client[0] = come(&f);
	client[1] = come(&f);
	assert_int_equal(send(client[0], "x", 1, 0), 1);
	assert_true(is_ready(&f));
	in = let_in(&f, NOW);
	assert_true(in >= 0);
	close(client[0]);
	close(in);
	assert_true(is_ready(&f));
	in = let_in(&f, NOW); /* a client that has sent nothing yet */
	assert_true(in >= 0);
	assert_false(is_ready(&f));
	assert_int_equal(let_in(&f, NOW), -EAGAIN);
	assert_int_equal(accept_queue_due_ns(&f.queue), UINT64_MAX);
	close(client[1]);
	close(in);
	/* Events of the inner epoll descriptor are reported, too. */
	assert_int_equal(eventfd_write(f.event_fd, 1), 0);
	assert_true(is_ready(&f));
	finish(&f);
	assert_int_equal(unit_descriptors(), before);
}

/*
 * A client that reset its connection takes no place. One that sent a request and closed its sending
 * side is owed a response.
 */
static void drops_disconnected_clients(void **state)
{
	const struct linger reset = {.l_onoff = 1, .l_linger = 0};
	unsigned int before;
	struct fixture f;
	int client[5], in;

	(void)state;
	begin(&f);
	before = unit_descriptors();
	for (size_t i = 0; i < ARRAY_SIZE(client); i++)
		client[i] = come(&f);
	close(client[0]);
	assert_int_equal(send(client[1], "x", 1, 0), 1);
	assert_int_equal(setsockopt(client[1], SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)), 0);
	close(client[1]);
	assert_int_equal(shutdown(client[2], SHUT_WR), 0);
	assert_int_equal(send(client[3], "x", 1, 0), 1);
	assert_int_equal(shutdown(client[3], SHUT_WR), 0);
	in = let_in(&f, NOW);
	assert_true(in >= 0);
	assert_int_equal(kernel.attempts, 4);
	close(in);
	close(client[4]);
	assert_int_equal(let_in(&f, NOW), -EAGAIN);
	close(client[2]);
	close(client[3]);
	assert_int_equal(unit_descriptors(), before);
	finish(&f);
}

/* Many disconnected clients do not keep the loop from its other work. */
static void accepts_a_limited_number_at_once(void **state)
{
	enum { MANY = 600 };
	struct fixture f;

	(void)state;
	begin(&f);
	for (int i = 0; i < MANY; i++)
		close(come(&f));
	assert_int_equal(let_in(&f, NOW), -EAGAIN);
	assert_in_range(kernel.attempts, 2, MANY / 2);
	assert_true(is_ready(&f));
	finish(&f);
}

/* Without descriptors the listening socket would be readable all the time while a client waits. */
static void waits_for_descriptors(void **state)
{
	static const int errors[] = {EMFILE, ENFILE, ENOMEM, ENOBUFS};
	struct fixture f;
	int client, in;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		begin(&f);
		client = come(&f);
		kernel.error = errors[i];
		assert_int_equal(let_in(&f, NOW), -errors[i]);
		assert_false(is_ready(&f));
		assert_int_equal(accept_queue_due_ns(&f.queue), NOW + 100 * NS_PER_MSEC);
		assert_int_equal(let_in(&f, NOW + 1), -EAGAIN);
		assert_int_equal(kernel.attempts, 1);
		assert_int_equal(let_in(&f, NOW + 100 * NS_PER_MSEC), -errors[i]);
		assert_int_equal(kernel.attempts, 2);
		assert_false(is_ready(&f));
		kernel.error = 0;
		if (i % 2)
			accept_queue_retry(&f.queue); /* a connection has ended */
		in = let_in(&f, i % 2 ? NOW + 1 : NOW + 200 * NS_PER_MSEC);
		assert_true(in >= 0);
		assert_int_equal(accept_queue_due_ns(&f.queue), UINT64_MAX);
		close(client);
		close(in);
		client = come(&f);
		assert_true(is_ready(&f));
		close(client);
		finish(&f);
	}
}

/* Clients that come later are left to the next process that has the socket. */
static void leaves_later_clients(void **state)
{
	struct fixture f;
	int client, in;

	(void)state;
	for (int error = 0; error <= EMFILE; error += EMFILE) {
		begin(&f);
		client = come(&f);
		kernel.error = error;
		in = let_in(&f, NOW);
		assert_true(error ? in == -error : in >= 0);
		kernel.error = 0;
		accept_queue_leave(&f.queue);
		accept_queue_leave(&f.queue);
		close(come(&f));
		assert_int_equal(let_in(&f, NOW + NS_PER_SEC), -EAGAIN);
		assert_int_equal(kernel.attempts, 1);
		assert_false(is_ready(&f));
		assert_int_equal(accept_queue_due_ns(&f.queue), UINT64_MAX);
		assert_true(fcntl(f.listen_fd, F_GETFD) >= 0);
		close(client);
		if (in >= 0)
			close(in);
		finish(&f);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts_waiting_clients),
		cmocka_unit_test(drops_disconnected_clients),
		cmocka_unit_test(accepts_a_limited_number_at_once),
		cmocka_unit_test(waits_for_descriptors),
		cmocka_unit_test(leaves_later_clients),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
