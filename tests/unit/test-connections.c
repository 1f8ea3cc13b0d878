/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "web/connections.h"

#define TIMEOUT (10 * NS_PER_SEC)

enum { MANY = 5 };

struct fixture {
	struct connections list;
	struct connection *c[MANY];
	int far[MANY]; /* the clients' ends */
	int near[MANY];
};

/* Five connections of one group, accepted a second after each other, from second 1 on. */
static void open_five(struct fixture *f, const void *group)
{
	*f = (struct fixture){0};
	for (int i = 0; i < MANY; i++) {
		int pair[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
		f->near[i] = pair[0];
		f->far[i] = pair[1];
		f->c[i] = connections_add(&f->list, group, pair[0], (uint64_t)(i + 1) * NS_PER_SEC);
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

static void makes_room(void **state)
{
	static const char here, there;
	struct fixture f;

	(void)state;
	open_five(&f, &here);
	assert_false(connections_evict(&f.list, &there, 5 * NS_PER_SEC));
	connections_begin(&f.list, f.c[0], 5 * NS_PER_SEC);
	connections_begin(&f.list, f.c[2], 5 * NS_PER_SEC);
	assert_true(connections_evict(&f.list, &here, 5 * NS_PER_SEC));
	assert_false(is_cut(&f, 0));
	assert_true(is_cut(&f, 1)); /* the oldest that is idle */
	assert_true(connections_evict(&f.list, &here, 5 * NS_PER_SEC));
	assert_true(is_cut(&f, 3));
	assert_true(connections_evict(&f.list, &here, 5 * NS_PER_SEC));
	assert_true(is_cut(&f, 4));
	/* Only busy ones are left. */
	assert_true(connections_evict(&f.list, &here, 5 * NS_PER_SEC));
	assert_true(is_cut(&f, 0));
	assert_false(connections_evict(&f.list, &here, 3 * NS_PER_SEC + NS_PER_SEC / 2));
	assert_false(is_cut(&f, 2));
	assert_true(connections_evict(&f.list, &here, 4 * NS_PER_SEC));
	assert_false(connections_evict(&f.list, &here, 4 * NS_PER_SEC));
	close_five(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(expires_the_old),
		cmocka_unit_test(counts_from_the_right_moment),
		cmocka_unit_test(makes_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
