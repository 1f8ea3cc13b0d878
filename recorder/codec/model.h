/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An image taken apart, so that most of it stays the same from one image to the next
 *
 * A name in a row is the number of a text, not an offset: offsets move when a text is added before
 * them. A quantity that moves by the same amount in most rows, such as an age, is stored less the sum
 * of these amounts, the step of its column. model_write() makes the image again, byte for byte.
 * recorder/codec/delta.h says how a model becomes the next one. Pure.
 */
#ifndef MEMTALLY_RECORDER_CODEC_MODEL_H
#define MEMTALLY_RECORDER_CODEC_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "recorder/codec/layout.h"

struct model_text {
	size_t at; /* in .pool */
	uint32_t len;
};

/* An order of rows or texts, by number. */
struct model_order {
	uint32_t *item; /* owned */
	size_t count, room;
};

/* The texts of an image, and texts of earlier images that are not used any more. */
struct model_texts {
	struct buffer pool;
	struct model_text *text; /* owned; by number */
	size_t count, room;
	struct model_order order;
};

struct model_section {
	uint32_t words; /* of a row */
	struct layout_kind kind;
	uint64_t *row;     /* owned; by number, .words each */
	size_t rows, room; /* numbers in use or spare, and the room for them */
	struct model_order order, spare;
	uint64_t *step; /* owned; by word */
};

struct model {
	bool is_empty;
	struct layout layout;
	uint64_t header[LAYOUT_WORDS_MAX];
	struct model_texts texts;
	struct model_section section[IMAGE_SECTIONS_MAX]; /* as .layout.section; not of texts */
	struct model_order next;                          /* for delta.h */
};

/* Makes M, zeroed or used, an empty model of layout L, which is valid. Returns 0 or -ENOMEM. */
int model_begin(struct model *m, const struct layout *l);

/* Frees what M owns. Accepts a zeroed M. */
void model_done(struct model *m);
#define AUTO_MODEL CLEANUP(model_done)

/* Appends ITEM to O. Returns 0 or -ENOMEM. */
int model_order_add(struct model_order *o, uint32_t item);

/* Adds the LEN bytes of TEXT with the next number, .count. Returns 0 or -ENOMEM. */
int model_texts_add(struct model_texts *t, const char *text, uint32_t len);

/* Adds a row of zeros to S, or takes a spare one, and writes its number to *RET. Returns 0 or -ENOMEM. */
int model_add_row(struct model_section *s, uint32_t *ret);

static inline uint64_t *model_row(const struct model_section *s, uint32_t number)
{
	return s->row + (size_t)number * s->words;
}

/* Returns whether word I of ROW, a row of S, is a quantity that is present. */
static inline bool model_has(const struct model_section *s, const uint64_t *row, size_t i)
{
	size_t first = (size_t)s->kind.present_word + 1;

	return s->kind.has_present && i >= first && i - first < 64 &&
	       (row[s->kind.present_word] >> (i - first) & 1);
}

/* Returns about how many bytes M has in memory. */
size_t model_bytes(const struct model *m);

/*
 * Writes the image of M to TO, which is emptied. Returns 0; -ENOMEM; -EFBIG if it has more than LIMIT
 * bytes; or -EBADMSG if M is no image: for a model that was made from a file.
 */
int model_write(const struct model *m, size_t limit, struct buffer *to);

#endif
