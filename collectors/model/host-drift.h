/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host Reconciliation
 *
 * The sums of estimates against the host's counters. Every anonymous page is in AnonPages once, and
 * every mapped page of a file or of shmem in Mapped once, however many processes map it. So the
 * sums over all processes of Pss_Anon, and of Pss_File + Pss_Shmem, must equal them. If the sums of
 * estimates drift away, figures are wrong although none of their counters has moved: by a
 * copy-on-write break, or the exit of an unknown sharer. The drift tells how much, and not of which
 * process. It is spread over the processes that may have it, as a doubt that widens bounds and is a
 * reason to measure. It moves no figure, because that would make right figures wrong.
 *
 * Used only if every process is seen (nothing hidden, the pid namespace is the host's, AnonPages
 * and Mapped were read), and for a sum of which at most a quarter belongs to processes that may not
 * be read. Pure.
 *
 * The doubt of host_drift_doubt() is for this pass alone. It is not kept, and must not be part of
 * the next host_drift_add(): the drift would vanish from the sums although nothing was measured.
 */
#ifndef MEMTALLY_COLLECTORS_MODEL_HOST_DRIFT_H
#define MEMTALLY_COLLECTORS_MODEL_HOST_DRIFT_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/model/estimate.h"

/* The host, for host_drift_end(). */
struct host_drift_host {
	bool is_whole;         /* the pass sees every process of the host */
	uint64_t anon, mapped; /* AnonPages, Mapped of meminfo, bytes */
	/* By how many bytes these may differ from their values at the time when processes' counters
	 * were read. */
	uint64_t anon_unsure, mapped_unsure;
	/* bytes of either, at most, that belong to exited processes and are being freed */
	uint64_t leaving;
	uint64_t late_bytes; /* that CPUs may keep back from a counter */
	uint64_t now_ns;     /* CLOCK_BOOTTIME */
};

/* One process in a pass. */
struct host_drift_member {
	const struct estimate_base *base; /* borrowed for the call */
	const struct estimate_now *now;
	const struct estimate *estimate; /* without a doubt of host_drift_doubt() */
	uint64_t moved_bytes; /* of .anon and .file since the last pass; 0 for a new process */
	uint64_t measured_ns; /* CLOCK_BOOTTIME of the measurement */
};

/* One of the two sums. Other modules only read it. In bytes. */
struct host_drift_part {
	uint64_t sum;    /* of this pass's members */
	uint64_t unread; /* RSS of those without an estimate */
	/*
	 * sums of weights over all members: by how many bytes an upward and a downward drift could
	 * change a member at most; a drift is spread in proportion
	 */
	uint64_t up_all, down_all;
	uint64_t up_stale, down_stale; /* the same over members measured before .since_ns */
	int64_t residual;              /* the host's sum minus ours */
	/* the part of .residual that belongs to no member: it stayed though all were measured */
	int64_t bias;
	int64_t drift; /* .residual - .bias if that exceeds .noise, else 0 */
	uint64_t noise;
	/* begin of the drift; members that were measured later have no part in it; 0: there is
	 * none */
	uint64_t since_ns;
	/* since when the first comparison waits for processes without an estimate; 0: never
	 * waited */
	uint64_t first_ns;
	/* sum over the measurements since the last pass: measured minus estimated PSS */
	int64_t found;
	bool is_used; /* it was compared in this pass; then the bias is known */
	/* upper bound of what no estimate contains of the host's sum, as of the last comparison */
	uint64_t nobodys;
	bool has_looked; /* it has been compared in some pass */
	/* the upward drift that host_drift_alarms() has reported; falls with the drift */
	uint64_t alarmed;
	bool was_up;     /* the last drift was upward */
	uint64_t least;  /* the smallest size of the drift since .since_ns */
	uint64_t spread; /* the sum of weights that the drift is spread over */
};

struct host_drift {
	uint64_t max_age_ns;
	bool is_whole;            /* as handed to host_drift_end() */
	uint64_t moved, rounding; /* of this pass's members: bytes moved, sum of .rounding */
	uint64_t low, high;       /* sums of the members' bounds */
	bool has_slack;
	uint64_t slack;    /* if .has_slack: no process is further above its low bound than this */
	uint64_t first_ns; /* the first pass that compared both sums; 0: there was none */
	uint64_t leaving;  /* of struct host_drift_host; it is in the noise of both parts */
	/* by how much the biases may be too small, until all processes were measured since
	 * .first_ns */
	uint64_t unsure;
	struct host_drift_part anon, file;
};

/*
 * Makes D empty. MAX_AGE_NS: the maximum age of a measurement. A drift that is left after that time
 * belongs to no process.
 */
void host_drift_init(struct host_drift *d, uint64_t max_age_ns);

/* Begins a pass: the sums are 0. */
void host_drift_begin(struct host_drift *d);

/* Adds a process with an estimate to the sums. */
void host_drift_add(struct host_drift *d, const struct host_drift_member *m);

/*
 * Adds a process without an estimate: it is denied, or was never measured and has no speaker. ANON
 * and FILE are its resident bytes. A process that is estimated from its speaker's measurement
 * (families_speaker()) is added as a member, with the speaker's base and measurement time.
 */
void host_drift_add_unread(struct host_drift *d, uint64_t anon, uint64_t file);

/*
 * A process was measured again, with the result FOUND: adds to .found by how much it differs from
 * ESTIMATE, which was expected: carried to the counters of that moment, without a doubt of
 * host_drift_doubt().
 */
void host_drift_measured(
	struct host_drift *d, const struct estimate *estimate, const struct estimate_base *found);

/*
 * Compares the sums. At the first comparison of a sum, the part of the difference that the members'
 * bounds cannot explain is bias, and the rest is drift; this comparison waits for processes without
 * an estimate, up to the maximum age. Returns true if host_drift_doubt() or host_drift_narrow() may
 * change a member. Returns false, and the second round can be left out, if there is no drift beyond
 * the noise and the bounds are narrow: the normal case on an idle host.
 */
bool host_drift_end(struct host_drift *d, const struct host_drift_host *host);

/*
 * Returns true if AnonPages exceeds the estimates by a drift that is larger than the last reported
 * one by more than the noise: some process writes to shared memory.
 */
bool host_drift_alarms(struct host_drift *d);

/*
 * Computes in *RET the doubt of M from the drifts; all zeros if there is none, or if M was measured
 * after the drift began. The middles stay 0. Upward drift of anon is spread in proportion to
 * RssAnon - Pss_Anon, which is all that a process can gain; downward drift in proportion to its
 * growth and a part of its PSS. The same holds for file, where downward drift also goes by
 * what the process shares.
 */
void host_drift_doubt(
	const struct host_drift *d, const struct host_drift_member *m, struct estimate_doubt *ret);

/*
 * Lowers the high bound of E, which may contain host drift's doubt or not. Since the sums are
 * known, no process can be further above its low bound than the sum of all low bounds is below the
 * host's sum. Does so only if both sums were compared in this pass, because their biases are part
 * of that. Keeps low <= pss <= high.
 */
void host_drift_narrow(const struct host_drift *d, struct estimate *e);

/*
 * Returns how many bytes of the host's sums belong to no process, at most, beyond the processes
 * that may not be read; UINT64_MAX if the sums were never compared, or not every process is seen.
 * While too much is unmeasured to compare them, it is the last known value. Memory that is being
 * freed is not in it.
 */
uint64_t host_drift_beyond(const struct host_drift *d);

#endif
