/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/herd/member.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/herd/self.h"

/* With several programs: at most 8 letters of the name and 6 digits, so that all names differ. */
void member_name(const struct herd_options *options, uint64_t i, char to[static MEMBER_NAME_SIZE])
{
	unsigned int number = (unsigned int)(i / options->group % options->programs %
					     HERD_PROGRAMS_MAX);

	if (options->programs == 1)
		snprintf(to, MEMBER_NAME_SIZE, "%s", options->name);
	else
		snprintf(to, MEMBER_NAME_SIZE, "%.8s%u", options->name, number);
}

uid_t member_uid(const struct herd_options *options, uint64_t i)
{
	return geteuid() == 0 ? (uid_t)(options->first_uid + i % options->uids) : geteuid();
}

static void map_private(const struct member_place *place)
{
	for (uint64_t v = 0; v < place->options->vmas; v++) {
		struct herd_part part = layout_private(place->layout, place->options, v);

		self_map(part.begin, part.pages ? part.pages : 1, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1);
		self_touch(part.begin, part.pages, false);
	}
}

static void map_shared(const struct herd_part *part, int prot, int fd)
{
	if (!part->pages)
		return;
	self_map(part->begin, part->pages, prot, MAP_SHARED, fd);
	self_touch(part->begin, part->pages, !(prot & PROT_WRITE));
}

static void map_work(const struct herd_part *part)
{
	if (part->pages)
		self_map(part->begin, part->pages, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

/* Pseudo-random numbers, the same in every run (splitmix64). */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

enum { EIGHTHS = 8 };

/*
 * Adds a step to TAPE that empties an eighth of PART if *FILLED has its bit, and fills it
 * otherwise. Changes the bit.
 */
static void add_step(
	struct tape *tape, const struct herd_part *part, uint64_t eighth, unsigned int *filled)
{
	uint64_t pages = part->pages / EIGHTHS;
	bool is_filled = *filled >> eighth & 1;

	if (!pages)
		return;
	*filled ^= 1U << eighth;
	tape_add(tape, TAPE_ALWAYS, SYS_madvise, part->begin + eighth * pages * TAPE_PAGE_SIZE,
		pages * TAPE_PAGE_SIZE, is_filled ? MADV_DONTNEED : MADV_POPULATE_WRITE, 0, 0);
}

/*
 * Adds steps in a random order of the member's own, which repeat. Three of four change its private
 * work area. One changes the memfd of its group, which changes the number of sharers of these
 * pages.
 */
static void add_work(const struct member_place *place, struct tape *tape, uint64_t i)
{
	enum { STEPS = 20 };
	uint64_t ns = place->options->work_ms * NS_PER_MSEC;
	unsigned int work = 0, memfd = (1U << EIGHTHS) - 1;
	uint64_t state = i;

	tape_mark_loop(tape);
	for (int step = 0; step < STEPS; step++) {
		uint64_t pause_ns = ns / 2 + next_random(&state) % (ns + 1);
		struct timespec pause = {
			.tv_sec = (time_t)(pause_ns / NS_PER_SEC),
			.tv_nsec = (long)(pause_ns % NS_PER_SEC),
		};
		bool is_shared = step % 4 == 3 && place->layout->memfd.pages;

		if (is_shared)
			add_step(
				tape, &place->layout->memfd, next_random(&state) % EIGHTHS, &memfd);
		else
			add_step(tape, &place->layout->work, next_random(&state) % EIGHTHS, &work);
		tape_add(tape, TAPE_ALWAYS, SYS_nanosleep, tape_put(tape, &pause, sizeof(pause)), 0,
			0, 0, 0);
	}
}

__attribute__((noreturn)) static void wait_on_tape(
	const struct member_place *place, struct tape *tape, uint64_t i)
{
	const struct herd_layout *layout = place->layout;
	struct tape_keep keep = {
		.begin = {layout->tape.begin, layout->argv.begin},
		.end = {layout->end, layout->argv.begin + layout->argv.pages * TAPE_PAGE_SIZE},
	};
	uintptr_t byte = tape_put(tape, "", 1);

	tape_add_unmap(tape, &keep);
	tape_add(tape, TAPE_ALWAYS, SYS_write, 0, byte, 1, 0, 0);
	tape_add(tape, TAPE_ALWAYS, SYS_close, 0, 0, 0, 0, 0);
	if (layout_is_active(place->options, i))
		add_work(place, tape, i);
	tape_play(tape);
}

void member_become(const struct member_place *place, uint64_t i)
{
	char name[MEMBER_NAME_SIZE];
	struct tape tape;
	int r;

	member_name(place->options, i, name);
	self_unblock_signals();
	r = tape_init(&tape, place->layout->tape.begin);
	if (r < 0) {
		errno = -r;
		self_fail("mmap of the tape");
	}
	map_private(place);
	map_shared(&place->layout->file, PROT_READ, place->file);
	map_shared(&place->layout->memfd, PROT_READ | PROT_WRITE, place->memfd);
	if (layout_is_active(place->options, i))
		map_work(&place->layout->work);
	self_show_name(place->argv, place->argv_size, name);
	if (prctl(PR_SET_NAME, name) < 0)
		self_fail("prctl");
	self_settle(member_uid(place->options, i), place->parent);
	self_close_all_but(place->ready);
	wait_on_tape(place, &tape, i);
}
