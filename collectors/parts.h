/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a PSS where the kernel does not print them: smaps has no Pss_Anon, Pss_File or
 * Pss_Shmem. Of most mappings they follow from Rss and Anonymous: all pages are anonymous, or none
 * is. A private mapping of a file that has both is bounded. Files and shared memory are told by the
 * first line of their mapping, and by RssShmem of status, which counts the same pages: names are
 * anybody's choice, the counter is the kernel's. Pure; everything in bytes.
 */
#ifndef MEMTALLY_COLLECTORS_PARTS_H
#define MEMTALLY_COLLECTORS_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum parts_kind {
	PARTS_FILE,
	PARTS_SHMEM,  /* as its name says */
	PARTS_EITHER, /* its device is none of blocks: tmpfs, but also overlay, NFS, ... */
	PARTS_KINDS
};

/* What pages of its are that are not anonymous, by a mapping's first line, which has LEN bytes. */
enum parts_kind parts_kind_of(const char *line, size_t len);

struct parts_mapping {
	uint64_t rss, pss, anon;
	uint64_t private; /* clean and dirty */
	uint64_t private_dirty;
};

/* The sums of all mappings. */
struct parts {
	uint64_t anon;  /* PSS: the best guess */
	uint64_t doubt; /* how far apart the bounds of .anon are */
	uint64_t pss[PARTS_KINDS], rss[PARTS_KINDS];
	uint64_t untold; /* mappings that do not say enough */
};

/* Adds M, which is consistent or is counted as .untold. The sums must not exceed UINT64_MAX. */
void parts_add(struct parts *p, const struct parts_mapping *m, enum parts_kind kind);

struct parts_found {
	uint64_t anon, file, shmem; /* they add up to the PSS of the mappings */
};

enum parts_quality { PARTS_NONE, PARTS_GUESSED, PARTS_KNOWN };

/*
 * RSS_SHMEM is status's; NULL: it does not tell. ROUNDING is by how much the PSS as a whole is not
 * known: what the parts lack is not more. PARTS_NONE: *RET is untouched.
 */
enum parts_quality parts_split(const struct parts *p, const uint64_t *rss_shmem, uint64_t rounding,
	struct parts_found *ret);

#endif
