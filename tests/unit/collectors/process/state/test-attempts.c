/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the limits on reads that block, over simulated passes: no user delays the passes, or
 * another user's processes, for long.
 */
#include "config.h"

#include "collectors/process/state/attempts.h"

#include "base/cleanup.h"
#include "tests/unit/support/unit.h"

enum { ROOT = 0, USER = 1000, PROCESSES_MAX = 2000, INTERVAL_S = 10 };

static unsigned int allowed(uint32_t uid, enum attempt attempt)
{
	struct attempts a = {0};
	unsigned int n = 0;

	for (; n < 1000 && attempts_allow(&a, uid, attempt); n++)
		attempts_blocked(&a, uid, attempt);
	return n;
}

static void known_processes_have_the_highest_limit(void **state)
{
	(void)state;
	assert_int_equal(allowed(USER, ATTEMPT_KNOWN), 128);
	assert_int_equal(allowed(USER, ATTEMPT_NEW), 32);
	assert_int_equal(allowed(USER, ATTEMPT_BLOCKED), 8);
}

/* Reads of one state that block do not keep processes in another state from being read. */
static void states_have_limits_of_their_own(void **state)
{
	struct attempts a = {0};

	(void)state;
	for (int i = 0; i < 32; i++)
		attempts_blocked(&a, USER, ATTEMPT_NEW);
	assert_false(attempts_allow(&a, USER, ATTEMPT_NEW));
	assert_true(attempts_allow(&a, USER, ATTEMPT_KNOWN));
	assert_true(attempts_allow(&a, USER, ATTEMPT_BLOCKED));
}

static void assert_is_allowed_all(const struct attempts *a, uint32_t uid)
{
	for (unsigned int i = 0; i < ATTEMPT_KINDS; i++)
		assert_true(attempts_allow(a, uid, (enum attempt)i));
}

/* Whatever the reads of other users do, a user none of whose reads has blocked is not refused. */
static void a_user_is_not_refused_because_of_others(void **state)
{
	struct attempts a = {0};

	(void)state;
	for (unsigned int k = 0; k < 200; k++)
		for (unsigned int i = 0; i < ATTEMPT_KINDS; i++)
			attempts_blocked(&a, USER, (enum attempt)i);
	assert_is_allowed_all(&a, ROOT);
	for (uint32_t uid = 2000; uid < 2000 + ATTEMPTS_USERS - 2; uid++)
		for (unsigned int i = 0; i < ATTEMPT_KINDS; i++)
			attempts_blocked(&a, uid, (enum attempt)i);
	assert_is_allowed_all(&a, ROOT);
	/* With a read that has blocked the user has its own limits. */
	attempts_blocked(&a, ROOT, ATTEMPT_KNOWN);
	assert_is_allowed_all(&a, ROOT);
}

/* Users beyond the table share one count, and those in it keep theirs. */
static void too_many_users_share_a_count(void **state)
{
	struct attempts a = {0};

	(void)state;
	attempts_blocked(&a, USER, ATTEMPT_KNOWN);
	for (uint32_t uid = 2000; uid < 4000; uid++)
		attempts_blocked(&a, uid, ATTEMPT_KNOWN);
	assert_int_equal(a.total, 2001);
	assert_false(attempts_allow(&a, 5000, ATTEMPT_KNOWN));
	assert_true(attempts_allow(&a, USER, ATTEMPT_KNOWN));
	assert_true(attempts_allow(&a, 2000, ATTEMPT_KNOWN));
}

/* Many uids, as a user namespace has, may not block many new reads: one each, after 128 in all. */
static void new_processes_are_limited_in_all(void **state)
{
	struct attempts a = {0};

	(void)state;
	for (unsigned int round = 0; round < 40; round++)
		for (uint32_t uid = 100000; uid < 101000; uid++)
			if (attempts_allow(&a, uid, ATTEMPT_NEW))
				attempts_blocked(&a, uid, ATTEMPT_NEW);
	assert_in_range(a.total, 128, 128 + ATTEMPTS_USERS);
}

/* A simulated host with processes that block, read in passes as fetch.c reads, by rising pid. */
struct host {
	struct attempts attempts;
	struct block block[PROCESSES_MAX];
	uint32_t uid[PROCESSES_MAX];
	bool can_be_read[PROCESSES_MAX], is_never_read[PROCESSES_MAX];
	size_t count;
	uint64_t now_ns;
	unsigned int tried, blocked; /* in the last pass */
};

/* Adds COUNT processes of UID that block. Returns the index of the first. */
static size_t add(struct host *h, uint32_t uid, size_t count)
{
	size_t first = h->count;

	assert_true(first + count <= PROCESSES_MAX);
	for (; h->count < first + count; h->count++) {
		h->uid[h->count] = uid;
		block_begin(&h->block[h->count], "stat", false, h->now_ns);
	}
	return first;
}

static void read_one(struct host *h, size_t i)
{
	struct block *b = &h->block[i];

	if (!block_is_of(b, false) || !b->is_chosen || h->is_never_read[i])
		return;
	if (!attempts_allow(&h->attempts, h->uid[i], ATTEMPT_BLOCKED)) {
		block_defer(b, "stat", false, h->now_ns);
		return;
	}
	h->tried++;
	if (h->can_be_read[i]) {
		attempts_returned(&h->attempts, h->uid[i]);
		block_answered(b, false);
	} else {
		h->blocked++;
		attempts_blocked(&h->attempts, h->uid[i], ATTEMPT_BLOCKED);
		block_begin(b, "stat", false, h->now_ns + NS_PER_SEC / 10);
	}
}

static void pass(struct host *h)
{
	static struct attempts_due due[PROCESSES_MAX];
	size_t count = 0;

	h->tried = h->blocked = 0;
	h->now_ns += INTERVAL_S * NS_PER_SEC;
	for (size_t i = 0; i < h->count; i++)
		if (block_is_due(&h->block[i], h->now_ns))
			due[count++] = (struct attempts_due){
				.block = &h->block[i], .uid = h->uid[i]};
	attempts_begin(&h->attempts, due, count, h->now_ns);
	for (size_t i = 0; i < h->count; i++)
		read_one(h, i);
}

static void passes(struct host *h, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		pass(h);
}

/* Returns the seconds until processes FIRST to END are no longer blocked. */
static unsigned int seconds_until_normal(struct host *h, size_t first, size_t end)
{
	for (unsigned int n = 1; n < 100; n++) {
		size_t normal = 0;

		pass(h);
		for (size_t i = first; i < end; i++)
			normal += !block_is_on(&h->block[i]);
		if (normal == end - first)
			return n * INTERVAL_S;
	}
	return UINT32_MAX;
}

static int set_up(void **state)
{
	static struct host host;

	host = (struct host){.now_ns = 1000 * NS_PER_SEC};
	*state = &host;
	return 0;
}

/*
 * One process can be read again; the others of its user stay blocked. It is tried in turn, whatever
 * its pid is.
 */
static void the_oldest_is_tried_in_turn(void **state)
{
	struct host *h = *state;

	for (unsigned int others = 0; others <= 48; others++)
		for (unsigned int before = 0; before < 10; before++) {
			size_t last;

			set_up(state);
			add(h, USER, others);
			last = add(h, USER, 1);
			passes(h, before);
			h->can_be_read[last] = true;
			/* one round over all blocked processes, and the pause before it */
			assert_in_range(seconds_until_normal(h, last, last + 1), 0,
				(others / ATTEMPTS_PLACES + 1 + 3) * INTERVAL_S);
		}
	set_up(state);
	add(h, USER, 24);
	add(h, USER, 1);
	passes(h, 20);
	h->can_be_read[24] = true;
	assert_in_range(seconds_until_normal(h, 24, 25), 0, 60);
}

/* A server returns for which all processes of a user have waited. */
static void all_become_normal_within_a_minute(void **state)
{
	static const size_t counts[] = {1, 8, 9, 24, 100, 500, 1000};
	struct host *h = *state;

	for (size_t k = 0; k < ARRAY_SIZE(counts); k++)
		for (unsigned int before = 0; before < 10; before++) {
			set_up(state);
			add(h, USER, counts[k]);
			passes(h, 20 + before);
			for (size_t i = 0; i < h->count; i++)
				h->can_be_read[i] = true;
			assert_in_range(seconds_until_normal(h, 0, h->count), 0, 60);
		}
}

/* Blocked processes of other users do not delay the attempt at a user's only blocked process. */
static void a_user_with_one_process_does_not_wait(void **state)
{
	struct host *h = *state;
	size_t last;

	add(h, USER, 500);
	for (uint32_t uid = 2000; uid < 2020; uid++)
		add(h, uid, 20);
	last = add(h, ROOT, 1);
	passes(h, 20);
	h->can_be_read[last] = true;
	assert_in_range(seconds_until_normal(h, last, last + 1), 0, 40);
}

/* If there are more users than places, each user is tried in turn. */
static void many_users_take_turns(void **state)
{
	struct host *h = *state;

	for (uint32_t uid = 2000; uid < 2300; uid++)
		add(h, uid, 2);
	passes(h, 20);
	h->can_be_read[599] = true;
	assert_in_range(seconds_until_normal(h, 599, 600), 0, (600 / 32 + 1 + 3) * INTERVAL_S);
}

static void attempts_that_block_are_bounded(void **state)
{
	struct host *h = *state;

	add(h, USER, 500);
	for (int i = 0; i < 20; i++) {
		pass(h);
		assert_in_range(h->tried, 1, 8);
	}
	for (uint32_t uid = 2000; uid < 2100; uid++)
		add(h, uid, 10);
	for (int i = 0; i < 20; i++) {
		pass(h);
		assert_in_range(h->tried, 1, 32);
	}
	/* All processes of a user can be read for two passes, then block again. */
	set_up(state);
	add(h, USER, 1000);
	passes(h, 20);
	for (size_t i = 0; i < h->count; i++)
		h->can_be_read[i] = true;
	pass(h);
	assert_int_equal(h->tried, 8);
	pass(h);
	assert_int_equal(h->tried, 64);
	for (size_t i = 0; i < h->count; i++)
		h->can_be_read[i] = false;
	pass(h);
	assert_int_equal(h->tried, 8);
	assert_int_equal(h->blocked, 8);
	pass(h);
	assert_int_equal(h->tried, 8);
}

/*
 * A chosen process may not be read after all, because its walk costs too much for now. It loses its
 * place to others soon.
 */
static void a_chosen_process_that_is_not_read_comes_last(void **state)
{
	struct host *h = *state;
	size_t last;

	add(h, USER, 12);
	for (size_t i = 0; i < 12; i++)
		h->is_never_read[i] = true;
	last = add(h, USER, 1);
	h->can_be_read[last] = true;
	assert_in_range(seconds_until_normal(h, last, last + 1), 0, 20);
	passes(h, 2);
	for (size_t i = 0; i < 12; i++)
		h->can_be_read[i] = !(h->is_never_read[i] = false);
	assert_in_range(seconds_until_normal(h, 0, 12), 0, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_processes_have_the_highest_limit),
		cmocka_unit_test(states_have_limits_of_their_own),
		cmocka_unit_test(a_user_is_not_refused_because_of_others),
		cmocka_unit_test(too_many_users_share_a_count),
		cmocka_unit_test(new_processes_are_limited_in_all),
		cmocka_unit_test_setup(the_oldest_is_tried_in_turn, set_up),
		cmocka_unit_test_setup(all_become_normal_within_a_minute, set_up),
		cmocka_unit_test_setup(a_user_with_one_process_does_not_wait, set_up),
		cmocka_unit_test_setup(many_users_take_turns, set_up),
		cmocka_unit_test_setup(attempts_that_block_are_bounded, set_up),
		cmocka_unit_test_setup(a_chosen_process_that_is_not_read_comes_last, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
