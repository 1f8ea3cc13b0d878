/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples in words
 *
 * The form in which a ring keeps its samples (web/history/ring.h). Most amounts do not change from
 * one snapshot to the next, so a sample is a head, with its row and a mask, and the quantities in
 * the mask: those that differ from the row's sample before. Pure.
 */
#ifndef MEMTALLY_WEB_HISTORY_RING_WORDS_H
#define MEMTALLY_WEB_HISTORY_RING_WORDS_H

#include <stddef.h>
#include <stdint.h>

/* Amounts of a row. Bytes, but for RING_PROCESSES. */
enum ring_quantity {
	RING_PSS,
	RING_PSS_LOW,
	RING_PSS_HIGH,
	RING_USS,
	RING_RSS,
	RING_SWAP_PSS,
	RING_VM_SWAP,
	RING_PROCESSES, /* a count */
	RING_QUANTITIES
};

enum {
	RING_WORDS_MASK_BITS = 8,
	RING_WORDS_ROW_MAX = (1 << (32 - RING_WORDS_MASK_BITS)) - 1,
};

/* Returns a mask of the quantities in which BEFORE and Q differ. NAN is equal to NAN. */
unsigned int ring_words_changes(
	const float before[static RING_QUANTITIES], const float q[static RING_QUANTITIES]);

/*
 * Writes the sample Q of ROW with the quantities in MASK to TO. Returns the number of words, which is
 * one more than the bits of MASK.
 */
size_t ring_words_write(
	uint32_t *to, uint32_t row, unsigned int mask, const float q[static RING_QUANTITIES]);

/*
 * Reads the head of the sample at WORD[*AT], and moves *AT to the next sample. Returns its row; its
 * quantities are those of *RET_MASK, from WORD[*RET_FROM] on.
 */
uint32_t ring_words_read(
	const uint32_t *word, size_t *at, unsigned int *ret_mask, size_t *ret_from);

/* Sets the quantities of MASK in Q from WORD. */
void ring_words_apply(const uint32_t *word, unsigned int mask, float q[static RING_QUANTITIES]);

#endif
