/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why age decides: passes read processes by rising pid. If the first due processes were read, those
 * with the lowest pids would take all places each time: their pause is 30 s at most, and eight of
 * them fill a pass of 10 s.
 */
#include "config.h"

#include "collectors/process/state/attempts.h"

#include <stdlib.h>

enum {
	/* factor by which a user's places grow after a pass in which all reads returned */
	GROWTH = 8,
	PLACES_MAX = 1 << 18, /* 8 to the power of 6: all processes of a host */
};

static const uint32_t limits[ATTEMPT_KINDS] = {
	[ATTEMPT_KNOWN] = 128,
	[ATTEMPT_NEW] = 32,
	[ATTEMPT_BLOCKED] = ATTEMPTS_PLACES,
};

/* Returns the entry that counts for UID, NULL if UID has none yet. */
static const struct attempts_user *find_user(const struct attempts *a, uint32_t uid)
{
	for (uint32_t i = 0; i < a->users; i++)
		if (a->user[i].uid == uid)
			return &a->user[i];
	return a->users < ATTEMPTS_USERS ? NULL : &a->others;
}

/* Returns the entry that counts for UID, and makes it if there is none. */
static struct attempts_user *attempts_add_user(struct attempts *a, uint32_t uid)
{
	const struct attempts_user *user = find_user(a, uid);

	if (user == &a->others)
		return &a->others;
	if (user)
		return &a->user[user - a->user];
	a->user[a->users] = (struct attempts_user){.uid = uid};
	return &a->user[a->users++];
}

/*
 * Returns how many places a user has in the pass after that in which USER was counted. USER may be
 * NULL: no reads.
 */
static uint32_t places_after(const struct attempts_user *user)
{
	bool have_returned = user && user->chosen && user->chosen == user->places &&
	                     user->returned && !user->blocked[ATTEMPT_BLOCKED];

	if (!have_returned)
		return ATTEMPTS_PLACES;
	return user->places < PLACES_MAX ? user->places * GROWTH : user->places;
}

static int compare_ages(const struct attempts_due *a, const struct attempts_due *b)
{
	return (a->block->next_ns > b->block->next_ns) - (a->block->next_ns < b->block->next_ns);
}

static int compare_users(const void *a_, const void *b_)
{
	const struct attempts_due *a = a_, *b = b_;

	return a->uid != b->uid ? (a->uid > b->uid) - (a->uid < b->uid) : compare_ages(a, b);
}

static int compare_ranks(const void *a_, const void *b_)
{
	const struct attempts_due *a = a_, *b = b_;

	return a->rank != b->rank ? (a->rank > b->rank) - (a->rank < b->rank) : compare_ages(a, b);
}

/*
 * Sets .rank and .places of each entry of DUE from LAST, the counts of the last pass, and sorts DUE
 * by rank.
 */
static void attempts_rank(const struct attempts *last, struct attempts_due *due, size_t count)
{
	uint32_t places = ATTEMPTS_PLACES;

	qsort(due, count, sizeof(*due), compare_users);
	for (size_t i = 0; i < count; i++) {
		bool is_first = !i || due[i].uid != due[i - 1].uid;

		if (is_first)
			places = places_after(find_user(last, due[i].uid));
		due[i].rank = is_first ? 0 : due[i - 1].rank + 1;
		due[i].places = places;
	}
	qsort(due, count, sizeof(*due), compare_ranks);
}

void attempts_begin(struct attempts *a, struct attempts_due *due, size_t count, uint64_t now_ns)
{
	uint32_t taken = 0;

	for (size_t i = 0; i < count; i++) {
		if (due[i].block->is_chosen)
			due[i].block->next_ns = now_ns;
		due[i].block->is_chosen = false;
	}
	if (count)
		attempts_rank(a, due, count);
	*a = (struct attempts){0};
	for (size_t i = 0; i < count; i++) {
		struct attempts_user *user;

		if (due[i].rank >= due[i].places)
			continue;
		if (due[i].places == ATTEMPTS_PLACES && taken++ >= ATTEMPTS_PLACES_ALL)
			continue;
		due[i].block->is_chosen = true;
		user = attempts_add_user(a, due[i].uid);
		user->places = due[i].places;
		user->chosen++;
	}
}

void attempts_blocked(struct attempts *a, uint32_t uid, enum attempt attempt)
{
	attempts_add_user(a, uid)->blocked[attempt]++;
	a->blocked[attempt]++;
	a->total++;
}

void attempts_returned(struct attempts *a, uint32_t uid)
{
	attempts_add_user(a, uid)->returned++;
}

void attempts_waited(struct attempts *a, uint32_t uid, uint64_t ns)
{
	attempts_add_user(a, uid)->waited_ns += ns;
}

uint64_t attempts_waited_ns(const struct attempts *a, uint32_t uid)
{
	const struct attempts_user *user = find_user(a, uid);

	return user ? user->waited_ns : 0;
}

bool attempts_allow(const struct attempts *a, uint32_t uid, enum attempt attempt)
{
	const struct attempts_user *user = find_user(a, uid);
	uint32_t blocked = user ? user->blocked[attempt] : 0;

	if (attempt == ATTEMPT_NEW && blocked && a->blocked[attempt] >= ATTEMPTS_NEW_ALL)
		return false;
	return blocked < limits[attempt];
}
