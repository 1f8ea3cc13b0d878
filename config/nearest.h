/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Did you mean: finds the known word that is closest to a misspelled one, by edit distance (optimal string alignment: a
 * letter inserted, removed, replaced, or two neighbours exchanged, count 1 each). Pure.
 */
#ifndef MEMTALLY_CONFIG_NEAREST_H
#define MEMTALLY_CONFIG_NEAREST_H

#include <stddef.h>

enum {
	NEAREST_WORD_MAX = 64,
	NEAREST_TEXT_SIZE = NEAREST_WORD_MAX + sizeof("; did you mean ''?"),
};

struct nearest {
	const char *word; /* misspelled, borrowed */
	size_t distance;  /* candidates must be at this distance or less */
	size_t len;       /* of .found; 0: nothing is close enough */
	char found[NEAREST_WORD_MAX + 1];
};

/* Begins a search. A candidate is close enough at a distance of up to a third of WORD's length, and of 3 at most. */
void nearest_init(struct nearest *n, const char *word);

/*
 * Compares CANDIDATE, of LEN bytes. Of several at the same distance the first one is kept. Candidates longer than
 * NEAREST_WORD_MAX are ignored.
 */
void nearest_consider(struct nearest *n, const char *candidate, size_t len);

/* Writes "; did you mean 'WORD'?", or nothing if no candidate was close enough. Returns TO. */
const char *nearest_text(const struct nearest *n, char to[static NEAREST_TEXT_SIZE]);

#endif
