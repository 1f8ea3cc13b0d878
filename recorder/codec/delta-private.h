/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the sources of delta.h: where a difference is made and where it is applied
 */
#ifndef MEMTALLY_RECORDER_CODEC_DELTA_PRIVATE_H
#define MEMTALLY_RECORDER_CODEC_DELTA_PRIVATE_H

#include "recorder/codec/byteseconds.h"
#include "recorder/codec/delta.h"
#include "recorder/codec/stream.h"

enum { DELTA_MASK_BITS = 64 };

#define DELTA_NO_NUMBER UINT32_MAX /* instead of the number of a row or text: it is new, or none */

/* Returns how many masks a row of WORDS words has. */
static inline size_t delta_masks(size_t words)
{
	return (words + DELTA_MASK_BITS - 1) / DELTA_MASK_BITS;
}

/* The words of a row of an owner that are predicted from each other. */
enum {
	DELTA_PSS = offsetof(struct snapshot_scope, q) / sizeof(uint64_t) + SCOPE_PSS,
	DELTA_BYTE_SECONDS = offsetof(struct snapshot_scope, q) / sizeof(uint64_t) +
	                     SCOPE_PSS_BYTE_SECONDS,
};

/* Returns whether byte seconds are predicted in S from one row to the next, both with PRESENT. */
static inline bool delta_is_predicted(const struct model_section *s, uint64_t present)
{
	return s->kind.is_scope && s->words > DELTA_BYTE_SECONDS &&
	       (present >> SCOPE_PSS_BYTE_SECONDS & 1);
}

/* Returns whether word I of a row of S may have a step. */
static inline bool delta_may_step(const struct model_section *s, size_t i)
{
	return !s->kind.is_scope || (i != DELTA_PSS && i != DELTA_BYTE_SECONDS);
}

/* Returns the PSS of ROW, a row of owners, as owner_sums_end() takes it. */
static inline uint64_t delta_pss(const struct model_section *s, const uint64_t *row)
{
	return row[s->kind.present_word] >> SCOPE_PSS & 1 ? row[DELTA_PSS] : 0;
}

/*
 * Writes how the texts in the SIZE bytes of TABLE, a string table, follow from T, and sets D's
 * numbers of texts. Returns 0 or -ENOMEM.
 */
int delta_match_texts(struct delta *d, const struct model_texts *t, const char *table, size_t size);

/* Returns the number of the text at OFFSET of that string table; DELTA_NO_NUMBER: none begins there. */
uint32_t delta_text_number(const struct delta *d, uint32_t offset);

/* Writes how ROWS follow from those of S, and sets D's source numbers. Returns 0 or -ENOMEM. */
int delta_match_rows(
	struct delta *d, const struct model_section *s, const struct layout_rows *rows);

#endif
