/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nearest Word
 *
 * Finds the known word that is closest to a misspelled one, for "did you mean". The measure is the
 * edit distance (optimal string alignment): each letter that is inserted, removed or replaced
 * counts 1, and so does each exchange of two neighbours. Pure.
 */
#ifndef MEMTALLY_CONFIG_NEAREST_H
#define MEMTALLY_CONFIG_NEAREST_H

#include <stddef.h>

enum {
	NEAREST_WORD_MAX = 64,
	NEAREST_TEXT_SIZE = NEAREST_WORD_MAX + sizeof("; did you mean ''?"),
};

struct nearest {
	const char *word; /* the misspelled word, borrowed */
	size_t distance;  /* the largest distance that still counts */
	size_t len;       /* bytes in .found; 0: no candidate is close enough */
	char found[NEAREST_WORD_MAX + 1];
};

/*
 * Begins a search for WORD. A candidate is close enough at a distance of at most a third of WORD's
 * length, and of at most 3.
 */
void nearest_init(struct nearest *n, const char *word);

/*
 * Compares WORD with CANDIDATE, of LEN bytes. Of several candidates at the same distance the first
 * one is kept. Candidates longer than NEAREST_WORD_MAX are ignored.
 */
void nearest_consider(struct nearest *n, const char *candidate, size_t len);

/*
 * Writes "; did you mean 'FOUND'?" to TO, or an empty text if no candidate was close enough.
 * Returns TO.
 */
const char *nearest_text(const struct nearest *n, char to[static NEAREST_TEXT_SIZE]);

#endif
