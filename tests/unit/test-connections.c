/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "web/connections.h"
#include "web/listen.h"

#define TIMEOUT (10 * NS_PER_SEC)

enum { MANY = 5 };

struct fixture {
	struct connections list;
	struct connection *c[MANY];
	int far[MANY]; /* the clients' ends */
	int near[MANY];
};

/* Five connections of one socket, accepted a second after each other, from second 1 on. */
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

/* Whether client I has seen its end. */
static bool is_cut(const struct fixture *f, int i)
{
	char byte;
	ssize_t n = recv(f->far[i], &byte, 1, 0);

	assert_int_equal(n == 0, f->c[i]->is_cut);
	return n == 0;
}

static void expires_the_old(void **state)
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

/* A first request's time runs from the connection on, however late its first line is; later ones start anew. */
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
	/* What has been cut takes no further part. */
	connections_end(&f.list, f.c[0], 30 * NS_PER_SEC);
	assert_int_equal(connections_due_ns(&f.list, TIMEOUT), UINT64_MAX);
	close_five(&f);
}

/* Five connections, a second between them; the last of them comes to a place of four. */
static void who_has_not_asked_makes_room(void **state)
{
	static const struct listen_socket here;
	struct fixture f;

	(void)state;
	open_five(&f, &here);
	connections_begin(&f.list, f.c[0], 5 * NS_PER_SEC);
	connections_complete(f.c[0]); /* a slow reader, maybe */
	connections_begin(&f.list, f.c[1], 5 * NS_PER_SEC);
	assert_true(connections_evict(&f.list, f.c[4], 5 * NS_PER_SEC));
	assert_true(is_cut(&f, 1)); /* part of a head is no request */
	assert_true(connections_evict(&f.list, f.c[4], 5 * NS_PER_SEC));
	assert_true(is_cut(&f, 2));
	assert_true(connections_evict(&f.list, f.c[4], 5 * NS_PER_SEC));
	assert_true(is_cut(&f, 3));
	assert_false(is_cut(&f, 0));
	assert_true(connections_evict(&f.list, f.c[4], 5 * NS_PER_SEC));
	assert_true(is_cut(&f, 0)); /* none is left that has not asked */
	assert_false(connections_evict(&f.list, f.c[4], 5 * NS_PER_SEC));
	assert_false(is_cut(&f, 4));
	close_five(&f);
}

/* Among many who have asked whole, nobody goes who has come just now and not had time to. */
static void who_has_just_come_may_ask(void **state)
{
	static const struct listen_socket here;
	struct fixture f;

	(void)state;
	open_five(&f, &here);
	for (int i = 0; i < 3; i++) {
		connections_begin(&f.list, f.c[i], 3 * NS_PER_SEC);
		connections_complete(f.c[i]);
	}
	/* The fourth has come at second 4. */
	assert_true(connections_evict(&f.list, f.c[4], 5 * NS_PER_SEC - 1));
	assert_true(is_cut(&f, 0));
	assert_false(is_cut(&f, 3));
	assert_true(connections_evict(&f.list, f.c[4], 5 * NS_PER_SEC));
	assert_true(is_cut(&f, 3));
	assert_false(is_cut(&f, 1));
	/* All are young: the oldest of them. */
	connections_end(&f.list, f.c[1], 6 * NS_PER_SEC);
	connections_end(&f.list, f.c[2], 6 * NS_PER_SEC);
	connections_begin(&f.list, f.c[2], 6 * NS_PER_SEC);
	assert_true(connections_evict(&f.list, f.c[4], 6 * NS_PER_SEC));
	assert_true(is_cut(&f, 1));
	assert_true(connections_evict(&f.list, f.c[4], 6 * NS_PER_SEC));
	assert_true(is_cut(&f, 2));
	close_five(&f);
}

/* What has been answered is whole no more. */
static void who_was_answered_is_idle(void **state)
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

static void others_listeners_are_left_alone(void **state)
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

static void owes_who_has_no_answer(void **state)
{
	struct fixture f;

	(void)state;
	open_five(&f, NULL);
	for (int i = 0; i < MANY; i++) {
		assert_true(connections_owe(&f.list)); /* the others have not asked yet */
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
		cmocka_unit_test(expires_the_old),
		cmocka_unit_test(counts_from_the_right_moment),
		cmocka_unit_test(who_has_not_asked_makes_room),
		cmocka_unit_test(who_has_just_come_may_ask),
		cmocka_unit_test(who_was_answered_is_idle),
		cmocka_unit_test(others_listeners_are_left_alone),
		cmocka_unit_test(owes_who_has_no_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
