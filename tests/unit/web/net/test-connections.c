/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the list of open HTTP connections: timeouts, and which connection makes room. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "web/net/connections.h"
#include "web/net/listen.h"

#define TIMEOUT (10 * NS_PER_SEC)

enum { MANY = 5 };

struct fixture {
	struct connections list;
	struct connection *c[MANY];
	int far[MANY]; /* the clients' ends */
	int near[MANY];
};

/* Five connections of one socket, accepted one second apart from second 1 on. */
static void open_five(struct fixture *f, const struct listen_socket *socket)
{
	*f = (struct fixture){0};
	for (int i = 0; i < MANY; i++) {
		int pair[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
		f->near[i] = pair[0];
		f->far[i] = pair[1];
		f->c[i] = connections_add(&f->list, socket, pair[0], (struct caller){0},
			(uint64_t)(i + 1) * NS_PER_SEC);
		assert_non_null(f->c[i]);
	}
}

static void close_five(struct fixture *f)
{
	for (int i = 0; i < MANY; i++) {
		connections_remove(&f->list, f->c[i]);
		close(f->near[i]);
		close(f->far[i]);
	}
	assert_null(f->list.oldest);
	assert_null(f->list.newest);
}

/* Returns whether client I sees the end of its connection. */
static bool is_cut(const struct fixture *f, int i)
{
	char byte;
	ssize_t n = recv(f->far[i], &byte, 1, 0);

	assert_int_equal(n == 0, f->c[i]->is_cut);
	return n == 0;
}

static void expires_old_connections(void **state)
{
	struct fixture f;

	(void)state;
	open_five(&f, NULL);
	assert_int_equal(connections_due_ns(&f.list, TIMEOUT), 11 * NS_PER_SEC);
	connections_expire(&f.list, 11 * NS_PER_SEC - 1, TIMEOUT);
	assert_false(is_cut(&f, 0));
	connections_expire(&f.list, 12 * NS_PER_SEC, TIMEOUT);
	assert_true(is_cut(&f, 0));
	assert_true(is_cut(&f, 1));
	assert_false(is_cut(&f, 2));
	assert_int_equal(connections_due_ns(&f.list, TIMEOUT), 13 * NS_PER_SEC);
	assert_int_equal(connections_due_ns(&f.list, TIMEOUT / 2), 8 * NS_PER_SEC);
	connections_expire(&f.list, 100 * NS_PER_SEC, TIMEOUT);
	assert_true(is_cut(&f, 4));
	assert_int_equal(connections_due_ns(&f.list, TIMEOUT), UINT64_MAX);
	close_five(&f);
}

/*
 * The time of the first request runs from the accept, however late its first line comes. Later
 * requests start anew.
 */
static void counts_from_the_right_moment(void **state)
{
	struct fixture f;

	(void)state;
	open_five(&f, NULL);
	connections_begin(&f.list, f.c[0], 9 * NS_PER_SEC);
	assert_int_equal(f.c[0]->since_ns, 1 * NS_PER_SEC);
	connections_end(&f.list, f.c[0], 10 * NS_PER_SEC);
	assert_int_equal(f.c[0]->since_ns, 10 * NS_PER_SEC);
	connections_begin(&f.list, f.c[0], 19 * NS_PER_SEC);
	assert_int_equal(f.c[0]->since_ns, 19 * NS_PER_SEC);
	connections_expire(&f.list, 20 * NS_PER_SEC, TIMEOUT);
	assert_false(is_cut(&f, 0));
	assert_true(is_cut(&f, 1));
	connections_expire(&f.list, 29 * NS_PER_SEC, TIMEOUT);
	assert_true(is_cut(&f, 0));
	/* a connection that was shut down no longer counts */
	connections_end(&f.list, f.c[0], 30 * NS_PER_SEC);
	assert_int_equal(connections_due_ns(&f.list, TIMEOUT), UINT64_MAX);
	close_five(&f);
}

/* Five connections, one second apart; there is room for four. */
static void idle_connections_are_evicted(void **state)
{
	static const struct listen_socket here;
	struct fixture f;

	(void)state;
	open_five(&f, &here);
	connections_begin(&f.list, f.c[0], 5 * NS_PER_SEC);
	connections_complete(f.c[0]); /* may be a slow reader */
	connections_begin(&f.list, f.c[1], 5 * NS_PER_SEC);
	assert_true(connections_evict(&f.list, f.c[4], 5 * NS_PER_SEC));
	assert_true(is_cut(&f, 1)); /* a part of a request head does not count as a request */
	assert_true(connections_evict(&f.list, f.c[4], 5 * NS_PER_SEC));
	assert_true(is_cut(&f, 2));
	assert_true(connections_evict(&f.list, f.c[4], 5 * NS_PER_SEC));
	assert_true(is_cut(&f, 3));
	assert_false(is_cut(&f, 0));
	assert_true(connections_evict(&f.list, f.c[4], 5 * NS_PER_SEC));
	assert_true(is_cut(&f, 0)); /* no connection without a request is left */
	assert_false(connections_evict(&f.list, f.c[4], 5 * NS_PER_SEC));
	assert_false(is_cut(&f, 4));
	close_five(&f);
}

/* If all others have sent a request, a connection is not evicted in its first second. */
static void new_connections_are_not_evicted(void **state)
{
	static const struct listen_socket here;
	struct fixture f;

	(void)state;
	open_five(&f, &here);
	for (int i = 0; i < 3; i++) {
		connections_begin(&f.list, f.c[i], 3 * NS_PER_SEC);
		connections_complete(f.c[i]);
	}
	/* the fourth connection was accepted at second 4 */
	assert_true(connections_evict(&f.list, f.c[4], 5 * NS_PER_SEC - 1));
	assert_true(is_cut(&f, 0));
	assert_false(is_cut(&f, 3));
	assert_true(connections_evict(&f.list, f.c[4], 5 * NS_PER_SEC));
	assert_true(is_cut(&f, 3));
	assert_false(is_cut(&f, 1));
	/* All are young: the oldest is evicted. */
	connections_end(&f.list, f.c[1], 6 * NS_PER_SEC);
	connections_end(&f.list, f.c[2], 6 * NS_PER_SEC);
	connections_begin(&f.list, f.c[2], 6 * NS_PER_SEC);
	assert_true(connections_evict(&f.list, f.c[4], 6 * NS_PER_SEC));
	assert_true(is_cut(&f, 1));
	assert_true(connections_evict(&f.list, f.c[4], 6 * NS_PER_SEC));
	assert_true(is_cut(&f, 2));
	close_five(&f);
}

/* After the response a connection no longer counts as one with a request. */
static void answered_connections_are_idle(void **state)
{
	static const struct listen_socket here;
	struct fixture f;

	(void)state;
	open_five(&f, &here);
	connections_begin(&f.list, f.c[1], 5 * NS_PER_SEC);
	connections_complete(f.c[1]);
	connections_begin(&f.list, f.c[0], 5 * NS_PER_SEC);
	connections_complete(f.c[0]);
	connections_end(&f.list, f.c[0], 5 * NS_PER_SEC);
	assert_false(f.c[0]->is_whole);
	connections_begin(&f.list, f.c[2], 6 * NS_PER_SEC);
	connections_complete(f.c[2]);
	connections_cut(&f.list, f.c[3]);
	assert_true(connections_evict(&f.list, f.c[4], 9 * NS_PER_SEC));
	assert_true(is_cut(&f, 0));
	assert_false(is_cut(&f, 1));
	close_five(&f);
}

static void other_listeners_are_not_affected(void **state)
{
	static const struct listen_socket here, there;
	struct connection *c;
	struct fixture f;
	int pair[2];

	(void)state;
	open_five(&f, &here);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	c = connections_add(&f.list, &there, pair[0], (struct caller){0}, 9 * NS_PER_SEC);
	assert_non_null(c);
	assert_false(connections_evict(&f.list, c, 9 * NS_PER_SEC));
	assert_true(connections_evict(&f.list, f.c[4], 9 * NS_PER_SEC));
	assert_true(is_cut(&f, 0));
	connections_remove(&f.list, c);
	close(pair[0]);
	close(pair[1]);
	close_five(&f);
}

static void owes_unanswered_requests(void **state)
{
	struct fixture f;

	(void)state;
	open_five(&f, NULL);
	for (int i = 0; i < MANY; i++) {
		assert_true(connections_owe(&f.list)); /* the others have not sent a request yet */
		connections_begin(&f.list, f.c[i], 6 * NS_PER_SEC);
		connections_end(&f.list, f.c[i], 6 * NS_PER_SEC);
	}
	assert_false(connections_owe(&f.list));
	connections_begin(&f.list, f.c[2], 7 * NS_PER_SEC);
	assert_true(connections_owe(&f.list));
	connections_cut(&f.list, f.c[2]);
	assert_false(connections_owe(&f.list));
	close_five(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(expires_old_connections),
		cmocka_unit_test(counts_from_the_right_moment),
		cmocka_unit_test(idle_connections_are_evicted),
		cmocka_unit_test(new_connections_are_not_evicted),
		cmocka_unit_test(answered_connections_are_idle),
		cmocka_unit_test(other_listeners_are_not_affected),
		cmocka_unit_test(owes_unanswered_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
