/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Estimates of PSS Between Measurements
 *
 * An estimate carries one measurement of a process forward: it takes the result of the walk, the
 * process's counters at that moment and now, and what events in other processes may have changed
 * (struct estimate_doubt). It has a middle, a low and a high bound. A change that moves no counter
 * and is no event (docs/accounting/estimates.md lists them) is not in the bounds; only host-drift.h
 * can notice it. Pure; integers; all amounts are in bytes.
 *
 * For any input: low <= pss <= high <= now.anon + now.file + base.unseen, pss_anon + pss_file +
 * pss_shmem = pss, uss <= pss, swap_pss <= now.swap, and all are 0 if now.anon and now.file are 0.
 */
#ifndef MEMTALLY_COLLECTORS_MODEL_ESTIMATE_H
#define MEMTALLY_COLLECTORS_MODEL_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Stands for .uss or .swap_pss if the kernel did not print it. The estimate's field is then
 * ESTIMATE_UNKNOWN, too.
 */
#define ESTIMATE_UNKNOWN UINT64_MAX

/* The result of a walk, and the process's counters at that moment. In bytes. */
struct estimate_base {
	/* Resident bytes: .anon is RssAnon (statm: resident - shared), .file is RssFile + RssShmem
	 * (statm: shared). */
	uint64_t anon, file;
	/* PSS by kind; the three add up to the PSS that the kernel printed. smaps_rollup has the
	 * parts since Linux 5.3; smaps never has them, but pss-split.h may derive them from its
	 * mappings. If the parts are not known, .has_parts is false and .pss_file is the whole
	 * PSS. */
	uint64_t pss_anon, pss_file, pss_shmem;
	uint64_t uss;
	uint64_t swap, swap_pss; /* VmSwap and SwapPss; neither contains swapped shmem */
	/* RSS of the walk minus .anon and .file, at least 0. The kernel may update its counters
	 * late, before Linux 6.2 by up to 64 pages a thread; without this small processes would
	 * lose some of their PSS. */
	uint64_t unseen;
	/* Bytes by which the true PSS may be above the printed PSS; see estimate_rounding(). */
	uint32_t rounding : 31;
	bool has_parts : 1;
	uint32_t shmem_kib; /* KiB of shmem in .file, as far as is known */
};

/*
 * A process's counters now, in bytes. A .swap that was read earlier is still good if .anon has not
 * moved since.
 */
struct estimate_now {
	uint64_t anon, file, swap;
	uint64_t shmem; /* shmem in .file, as far as is known; there may be more */
};

/*
 * By how much events since the measurement may have changed PSS without moving the process's own
 * counters: births and exits (fork-families.h), and drift of the host's sums (host-drift.h). In
 * bytes. Doubts add up (estimate_doubt_add()). A doubt is about the memory as it was measured: if a
 * part of that memory goes, the same part of the doubt goes with it.
 */
struct estimate_doubt {
	int64_t anon_mid, file_mid;  /* best guess of the change; added to the carried PSS */
	uint64_t anon_down, anon_up; /* how far the truth may lie below and above that */
	uint64_t file_down, file_up;
	/* Descendants forked since the measurement, without those that the measurement may have
	 * seen. They share all of its anonymous memory, so that none of it is private.
	 * .forked_growth: bytes of anonymous memory that the process had gained before its last
	 * fork; they share it, too. */
	uint64_t forks, forked_growth;
	/* bytes of file and shmem growth that .file_mid, .file_down and .file_up already allow
	 * for */
	uint64_t file_told;
};

/* An estimate: PSS and its parts, its bounds, USS and SwapPss; in bytes. */
struct estimate {
	/* if the base has no parts: guessed, and .pss_shmem is 0 */
	uint64_t pss_anon, pss_file, pss_shmem;
	uint64_t pss, low, high;
	uint64_t uss, swap_pss; /* ESTIMATE_UNKNOWN if the base's field is */
};

/*
 * Makes a base of a sample's quantities. Q has them by enum process_quantity; bit I of PRESENT says
 * that Q[I] is known. ANON and FILE are the process's counters at that moment, in bytes; the caller
 * takes them always from status or always from statm, so that later ones compare. Returns false,
 * and leaves *RET unchanged, if the sample has no PSS.
 */
bool estimate_base_take(uint64_t present, const uint64_t *q, uint64_t anon, uint64_t file,
	struct estimate_base *ret);

/*
 * Converts BYTES to the width of estimate_base.rounding: at most INT32_MAX. Two million mappings
 * would not reach that.
 */
uint32_t estimate_rounding(uint64_t bytes);

/*
 * Returns true if the counters NOW equal those of BASE, and no shared memory has replaced as many
 * bytes of files. (Such an exchange leaves the sum .file unchanged.)
 */
bool estimate_is_quiet(const struct estimate_base *base, const struct estimate_now *now);

/*
 * Computes in *RET the estimate from BASE, the counters NOW and DOUBT. The rules, by counter:
 * - None moved: PSS and low bound are as measured; the high bound is .rounding above.
 * - anon has grown: the growth is private, because only a fork shares it, and forks are in DOUBT.
 *   Growth that came back from swap is as shared as SwapPss said.
 * - anon has shrunk: the pages that left were between wholly private and wholly shared. The middle
 *   takes pages that went to swap in proportion, and of the rest private pages first.
 * - file (with shmem) has grown: between shared by very many and private; the middle is as shared
 *   as the rest.
 * - file has shrunk: between private and shared by very many; the middle is as shared as the rest.
 */
void estimate_carry(const struct estimate_base *base, const struct estimate_now *now,
	const struct estimate_doubt *doubt, struct estimate *ret);

/* Adds D to *TO. Sums saturate; of .forked_growth and .file_told *TO keeps the larger. */
void estimate_doubt_add(struct estimate_doubt *to, const struct estimate_doubt *d);

/*
 * One part (anonymous memory, or files and shmem) of a base, in bytes: a lower bound, an upper
 * bound and the best guess of its private bytes.
 */
struct estimate_part {
	uint64_t rss, pss; /* pss <= rss */
	uint64_t private_min, private_mid, private_max;
};

/*
 * Splits BASE into its anonymous part and its part of files and shmem, guessed if .has_parts is
 * false. Bounds of private bytes follow from two facts: a shared page counts at most half, so that
 * at least 2 PSS - RSS bytes are private; and the private bytes of both parts add up to USS.
 */
void estimate_parts(const struct estimate_base *base, struct estimate_part *ret_anon,
	struct estimate_part *ret_file);

/* Returns the anonymous part that estimate_parts() finds. */
struct estimate_part estimate_anon(const struct estimate_base *base);

/* Returns the PSS of BASE, in bytes. */
static inline uint64_t estimate_base_pss(const struct estimate_base *base)
{
	return base->pss_anon + base->pss_file + base->pss_shmem;
}

#endif
