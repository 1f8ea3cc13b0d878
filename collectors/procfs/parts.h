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
#ifndef MEMTALLY_COLLECTORS_PROCFS_PARTS_H
#define MEMTALLY_COLLECTORS_PROCFS_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum parts_kind {
	PARTS_FILE,
	PARTS_SHMEM,  /* by its name */
	PARTS_EITHER, /* it is on no block device: tmpfs, but also overlay, NFS and others */
	PARTS_KINDS
};

/*
 * Returns the kind of a mapping's pages that are not anonymous. LINE is the mapping's first line in
 * smaps (LEN bytes).
 */
enum parts_kind parts_kind_of(const char *line, size_t len);

struct parts_mapping {
	uint64_t rss, pss, anon;
	uint64_t private; /* clean and dirty */
	uint64_t private_dirty;
};

/* The sums of all mappings of a process. */
struct parts {
	uint64_t anon;  /* anonymous PSS: the best guess */
	uint64_t doubt; /* distance of the bounds of .anon */
	uint64_t pss[PARTS_KINDS], rss[PARTS_KINDS];
	uint64_t untold; /* mappings with inconsistent numbers */
};

/*
 * Adds M, a mapping of KIND. If its numbers are inconsistent, it only counts as .untold. The caller
 * must keep the sums below UINT64_MAX.
 */
void parts_add(struct parts *p, const struct parts_mapping *m, enum parts_kind kind);

struct parts_found {
	uint64_t anon, file, shmem; /* their sum is the PSS of the mappings */
};

enum parts_quality { PARTS_NONE, PARTS_GUESSED, PARTS_KNOWN };

/*
 * Splits the PSS in P into its parts. *RSS_SHMEM is status's RssShmem; NULL: status lacks it.
 * ROUNDING is the uncertainty of the whole PSS.
 *
 * Returns PARTS_KNOWN if the kinds are certain and the parts are uncertain by at most ROUNDING;
 * PARTS_GUESSED if not; PARTS_NONE, with *RET unchanged, if a mapping was inconsistent.
 */
enum parts_quality parts_split(const struct parts *p, const uint64_t *rss_shmem, uint64_t rounding,
	struct parts_found *ret);

#endif
