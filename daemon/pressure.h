/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pressure Episodes
 *
 * Decides when memtallyd makes brief passes: while processes wait for memory. The kernel's signal
 * (psi-trigger.h), an OOM kill, or the figures of a pass begin an episode. It ends when there was no
 * signal for a while, or after a minute, and a pause follows, which is longer after a longer episode.
 * After an episode of a kill alone, the pause is one of kills: a signal begins an episode in it.
 * Pure; all times are CLOCK_MONOTONIC.
 */
#ifndef MEMTALLY_DAEMON_PRESSURE_H
#define MEMTALLY_DAEMON_PRESSURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

/* The longest episode. */
#define PRESSURE_LONGEST_NS (60 * NS_PER_SEC)
/* An episode ends if there is no signal for this time: two windows of the trigger. */
#define PRESSURE_QUIET_NS (4 * NS_PER_SEC)

enum {
	/*
	 * The pause after an episode is this multiple of the episode's length, so brief passes take
	 * place in at most a fifth of the time: after a minute four minutes. If a signal ends a pause
	 * of kills, the rest of it follows the pause of the new episode.
	 */
	PRESSURE_PAUSE_TIMES = 4,
	/* Brief passes take at most one part in so many of one processor's time. */
	PRESSURE_CPU_PART = 20,
};

enum pressure_state {
	PRESSURE_CALM,
	PRESSURE_EPISODE,
	PRESSURE_PAUSE,
};

/* Zeroed but for .apart_ns: calm. */
struct pressure {
	/* From the begin of one brief pass to the next, at least; 0: there are no episodes. */
	uint64_t apart_ns;
	enum pressure_state state;
	uint64_t begin_ns;       /* of the episode */
	uint64_t signal_ns;      /* the last signal of the episode */
	uint64_t until_ns;       /* the end of the pause */
	uint64_t next_ns;        /* of the episode: when the next brief pass is due */
	uint64_t kills_until_ns; /* no kill begins an episode before */
	bool is_of_kill;         /* a kill began the episode, and there was no signal since */
};

/*
 * Takes a signal at NOW_NS that processes wait for memory. Begins an episode, with a brief pass at
 * once, or continues one; in a pause, or without .apart_ns, it does nothing. Returns whether an
 * episode has begun.
 */
bool pressure_signal(struct pressure *p, uint64_t now_ns);

/*
 * Takes an OOM kill that was seen at NOW_NS. Begins an episode, with a brief pass at once; in an
 * episode, in a pause of either kind, or without .apart_ns, it does nothing. Returns whether an episode
 * has begun.
 */
bool pressure_kill(struct pressure *p, uint64_t now_ns);

/* Ends an episode or a pause that is over at NOW_NS. Returns whether there is an episode. */
bool pressure_goes_on(struct pressure *p, uint64_t now_ns);

/*
 * Notes a pass of an episode that began at BEGIN_NS and took CPU_NS of CPU time: the next brief pass
 * is due .apart_ns after its begin, or later if passes would take too much CPU time.
 */
void pressure_passed(struct pressure *p, uint64_t begin_ns, uint64_t cpu_ns);

#endif
