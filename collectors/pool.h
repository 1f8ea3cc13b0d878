/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host Reconciliation
 *
 * The sums of estimates against the host's counters. Every anonymous page is in AnonPages once, and every mapped page of a
 * file or of shmem in Mapped once, however many processes map it. So the sums over all processes of Pss_Anon, and of Pss_File
 * + Pss_Shmem, must equal them. If the sums of estimates drift away, figures are wrong although none of their counters has
 * moved: by a copy-on-write break, or the exit of an unknown sharer. The drift tells how much, and not of which process. It
 * is spread over the processes that may have it, as a doubt that widens bounds and is a reason to measure. It moves no
 * figure, because that would make right figures wrong.
 *
 * Used only if every process is seen (nothing hidden, the pid namespace is the host's, AnonPages and Mapped were read), and
 * for a sum of which at most a quarter belongs to processes that may not be read. Pure.
 *
 * A pass, for all processes that are counted (each address space once):
 *
 *	pool_measured(), since the last pass, whenever a process was measured again
 *	pool_begin(pool);
 *	for each measured once: estimate_carry(); pool_add();        for each never: pool_add_unread();
 *	if (pool_end(pool, &host))
 *		for each added: pool_doubt(); estimate_carry() with that doubt added; pool_narrow();
 *
 * The doubt of pool_doubt() is for this pass alone. It is not kept, and must not be part of the next pool_add(): the drift
 * would vanish from the sums although nothing was measured.
 */
#ifndef MEMTALLY_COLLECTORS_POOL_H
#define MEMTALLY_COLLECTORS_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/estimate.h"

/*
 * Pages that a CPU may keep back in its own part of a counter of the host's; the kernel's limit is 125, and they
 * seldom add up.
 */
enum { POOL_PAGES_PER_CPU = 64 };

/* The host, for pool_end(). */
struct pool_host {
	bool is_whole;         /* every process of the host is seen */
	uint64_t anon, mapped; /* AnonPages, Mapped of meminfo, bytes */
	/* By how many bytes these may differ from their values at the time when processes' counters were read. */
	uint64_t anon_unsure, mapped_unsure;
	uint64_t
		leaving; /* bytes of either that belong to exited processes which are freeing them, at most */
	uint64_t page_bytes;
	uint32_t cpus;
	uint64_t now_ns; /* CLOCK_BOOTTIME */
};

/* One process in a pass. */
struct pool_member {
	const struct estimate_base *base; /* borrowed for the call */
	const struct estimate_now *now;
	const struct estimate *estimate; /* without a doubt of pool_doubt() */
	uint64_t moved_bytes; /* of .anon and .file since the last pass; 0 for a new process */
	uint64_t measured_ns; /* CLOCK_BOOTTIME of the measurement */
};

/* One of the two sums. For reading alone; in bytes. */
struct pool_part {
	uint64_t sum;              /* of this pass's members */
	uint64_t unread;           /* RSS of those without an estimate */
	uint64_t up_all, down_all; /* weights of the members by which drift is spread: of all, */
	uint64_t up_stale, down_stale; /* and of those measured before .since_ns */
	int64_t residual;              /* the host's sum minus ours */
	int64_t bias;                  /* of that, what no measurement has ever explained */
	int64_t drift;                 /* what is left of it beyond the noise; 0: none */
	uint64_t noise;
	uint64_t since_ns; /* who was measured later has no part in the drift; 0: there is none */
	uint64_t first_ns; /* since when the first look waits for those without an estimate */
	uint64_t unread_before; /* .unread of the last pass that could compare */
	int64_t found;    /* what measurements found above the estimates since the last pass */
	bool is_used;     /* it could be compared in this pass; then the bias is known */
	uint64_t nobodys; /* of the host's sum at most, as of the last pass that could compare */
	bool has_looked;  /* that has been so before */
	uint64_t alarmed; /* the drift upwards that pool_alarms() has told of */
	bool was_up;      /* which way it went in the last pass */
	uint64_t least;   /* the drift when it was smallest since then */
	uint64_t spread;  /* the weight that it is spread over */
};

struct pool {
	uint64_t max_age_ns;
	bool is_whole;                 /* what pool_end() was told */
	uint64_t moved, rounding;      /* of this pass's members */
	uint64_t low, high;            /* the sums of their bounds */
	bool bounds_up, bounds_down;   /* the next two hold */
	uint64_t slack_up, slack_down; /* nobody is further above its low, below its high */
	uint64_t first_ns; /* of the first pass that compared both sums; 0: there was none */
	uint64_t leaving;  /* of struct pool_host; it is in the noise of both parts */
	uint64_t unsure;   /* the biases may be too small by this, until all were measured since */
	struct pool_part anon, file;
};

/* MAX_AGE_NS: by when every process is measured again, so that what remains is nobody's. */
void pool_init(struct pool *p, uint64_t max_age_ns);

void pool_begin(struct pool *p);
void pool_add(struct pool *p, const struct pool_member *m);

/*
 * A process without an estimate: denied, or never measured and with nobody to speak for it. Counted by
 * its RSS. One that has an estimate by another's measurement (kin_speaker()) is added as a member, with its
 * speaker's base, and with the time of that measurement.
 */
void pool_add_unread(struct pool *p, uint64_t anon, uint64_t file);

/*
 * A process was measured again since the last pass and FOUND so. ESTIMATE, carried to the counters of that
 * moment and without any doubt of the pool's, is what it would have been.
 */
void pool_measured(
	struct pool *p, const struct estimate *estimate, const struct estimate_base *found);

/*
 * Compares the sums. False: there is nothing to tell any member (no drift beyond the noise, and the
 * bounds are narrow already), so that the second round can be spared; so it is on an idle host. When a sum
 * can be compared for the first time, what the bounds of the members do not explain of the difference is
 * nobody's, and the rest is drift. Those without an estimate are waited for before that, for the maximum age.
 */
bool pool_end(struct pool *p, const struct pool_host *host);

/* Whether the host has more anonymous memory than can be told of, and by more than when this was last asked. */
bool pool_alarms(struct pool *p);

/*
 * The doubt that falls to M. An upward drift of anon goes by RssAnon - Pss_Anon, which is all that
 * it can gain; a downward one by what it grew and how unsure it is; of file likewise, where the loss
 * goes by what it shares. Who was measured after the drift began gets none. The guesses stay
 * 0; all zeros without drift.
 */
void pool_doubt(const struct pool *p, const struct pool_member *m, struct estimate_doubt *ret);

/*
 * Narrows the bounds of E: since the sums are known, nobody can be further above its low bound than all
 * low bounds together fall short of them. Only where both sums could be compared, since their biases are part of
 * what they say. Keeps low <= pss <= high. E may hold the pool's doubt or not.
 */
void pool_narrow(const struct pool *p, struct estimate *e);

/*
 * Returns how many bytes of the host's sums belong to no process, at most, beyond the processes that may not be read;
 * UINT64_MAX if the sums were never compared, or not every process is seen. While too much is unmeasured to compare them, it
 * is the last known value. Memory that is being freed is not in it.
 */
uint64_t pool_beyond(const struct pool *p);

#endif
