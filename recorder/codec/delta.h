/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The difference from a model to the next image
 *
 * delta_make() compares an image with a model, and delta_apply() turns the model into that of the
 * image. The model of the first image begins empty (model_begin()). A difference is a few streams of
 * bytes (recorder/codec/stream.h), to be compressed: docs/recorder-format.md describes them. Pure.
 *
 * Differences are exact whatever the image contains: numbers wrap modulo 2^64, and what is predicted
 * is only a start for the difference.
 */
#ifndef MEMTALLY_RECORDER_CODEC_DELTA_H
#define MEMTALLY_RECORDER_CODEC_DELTA_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "recorder/codec/layout.h"
#include "recorder/codec/model.h"

enum delta_stream {
	DELTA_SHAPE,  /* numbers: which rows and texts come, stay and go */
	DELTA_MASKS,  /* words: which words of a row differ */
	DELTA_VALUES, /* differences */
	DELTA_TEXTS,  /* terminated texts */
	DELTA_STREAMS
};

/* Memory of delta_make(), kept from one call to the next. Zeroed: none. */
struct delta {
	struct buffer stream[DELTA_STREAMS];
	/* Of uint32_t: for each text of the image, and for each row of a section, its number */
	struct buffer texts, source;
	struct buffer
		at; /* of uint32_t: for each byte of the string table the number of its text */
	struct buffer gaps; /* numbers: unchanged rows before each one that differs */
};

/* Frees the memory of D, and makes D zeroed. */
void delta_done(struct delta *d);
#define AUTO_DELTA CLEANUP(delta_done)

/* Gives large parts of the memory of D back to the kernel until the next call. */
void delta_rest(struct delta *d);

enum delta_outcome {
	DELTA_UNUSUAL = 1, /* a name in a row is no name */
};

/*
 * Appends the difference from M to the image at IMAGE, with M's layout and the sections ROWS, to
 * TO. Returns 0, DELTA_UNUSUAL or -ENOMEM.
 */
int delta_make(struct delta *d, const struct model *m, const void *image,
	const struct layout_rows rows[static IMAGE_SECTIONS_MAX], struct buffer *to);

/*
 * Applies the difference in LEN bytes at DATA to M, which stays below about LIMIT bytes. Returns 0;
 * -EBADMSG if the difference is invalid; -EFBIG; or -ENOMEM. After an error M must begin anew.
 */
int delta_apply(struct model *m, const void *data, size_t len, size_t limit);

#endif
