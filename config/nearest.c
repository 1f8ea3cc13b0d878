/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "config/nearest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/saturate.h"

enum { DISTANCE_MAX = 3 };

void nearest_init(struct nearest *n, const char *word)
{
	size_t most = strlen(word) / 3;

	*n = (struct nearest){.word = word, .distance = most < DISTANCE_MAX ? most : DISTANCE_MAX};
}

/*
 * Returns the edit distance between A and B, each of up to NEAREST_WORD_MAX bytes. BEFORE is the
 * row of the table two letters of A back, LAST is one letter back.
 */
static size_t nearest_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t row[3][NEAREST_WORD_MAX + 1];
	size_t *before = row[0], *last = row[1], *now = row[2];

	for (size_t j = 0; j <= b_len; j++)
		last[j] = before[j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		size_t *oldest = before;

		now[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			bool is_same = a[i - 1] == b[j - 1];

			now[j] = saturate_min(saturate_min(last[j], now[j - 1]) + 1,
				last[j - 1] + (is_same ? 0 : 1));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = saturate_min(now[j], before[j - 2] + 1);
		}
		before = last;
		last = now;
		now = oldest;
	}
	return last[b_len];
}

void nearest_consider(struct nearest *n, const char *candidate, size_t len)
{
	size_t word_len = strlen(n->word), d;

	if (word_len > NEAREST_WORD_MAX || len > NEAREST_WORD_MAX || !len)
		return;
	d = nearest_distance(n->word, word_len, candidate, len);
	if (d > n->distance || (n->len && d == n->distance))
		return;
	n->distance = d;
	n->len = len;
	memcpy(n->found, candidate, len);
	n->found[len] = 0;
}

const char *nearest_text(const struct nearest *n, char to[static NEAREST_TEXT_SIZE])
{
	to[0] = 0;
	if (n->len)
		snprintf(to, NEAREST_TEXT_SIZE, "; did you mean '%s'?", n->found);
	return to;
}
