/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a PSS (anonymous, file, shmem) on kernels that print no Pss_Anon, Pss_File and
 * Pss_Shmem in smaps. All in bytes. Pure.
 *
 * For most mappings the parts follow from Rss and Anonymous: all pages are anonymous, or none is.
 * For a private mapping of a file with both kinds the parts have bounds. Files and shared memory
 * are told apart by the first line of their mapping and by RssShmem in status, which counts the
 * same pages. Users choose names, but the kernel's counter is reliable.
 */
#ifndef MEMTALLY_COLLECTORS_PROCFS_PSS_SPLIT_H
#define MEMTALLY_COLLECTORS_PROCFS_PSS_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pss_split_kind {
	PSS_SPLIT_FILE,
	PSS_SPLIT_SHMEM,  /* by its name */
	PSS_SPLIT_EITHER, /* it is on no block device: tmpfs, but also overlay, NFS and others */
	PSS_SPLIT_KINDS
};

/*
 * Returns the kind of a mapping's pages that are not anonymous. LINE is the mapping's first line in
 * smaps (LEN bytes).
 */
enum pss_split_kind pss_split_kind_of(const char *line, size_t len);

struct pss_split_mapping {
	uint64_t rss, pss, anon;
	uint64_t private; /* clean and dirty */
	uint64_t private_dirty;
};

/* The sums of all mappings of a process. */
struct pss_split {
	uint64_t anon;  /* anonymous PSS: the best guess */
	uint64_t doubt; /* distance of the bounds of .anon */
	uint64_t pss[PSS_SPLIT_KINDS], rss[PSS_SPLIT_KINDS];
	uint64_t untold; /* mappings with inconsistent numbers */
};

/*
 * Adds M, a mapping of KIND. If its numbers are inconsistent, it only counts as .untold. The caller
 * must keep the sums below UINT64_MAX.
 */
void pss_split_add(
	struct pss_split *p, const struct pss_split_mapping *m, enum pss_split_kind kind);

struct pss_split_found {
	uint64_t anon, file, shmem; /* their sum is the PSS of the mappings */
};

enum pss_split_quality { PSS_SPLIT_NONE, PSS_SPLIT_GUESSED, PSS_SPLIT_KNOWN };

/*
 * Splits the PSS in P into its parts. *RSS_SHMEM is status's RssShmem; NULL: status lacks it.
 * ROUNDING is the uncertainty of the whole PSS.
 *
 * Returns PSS_SPLIT_KNOWN if the kinds are certain and the parts are uncertain by at most ROUNDING;
 * PSS_SPLIT_GUESSED if not; PSS_SPLIT_NONE, with *RET unchanged, if a mapping was inconsistent.
 */
enum pss_split_quality pss_split_solve(const struct pss_split *p, const uint64_t *rss_shmem,
	uint64_t rounding, struct pss_split_found *ret);

#endif
