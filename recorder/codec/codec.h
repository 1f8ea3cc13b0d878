/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Codec: images as compressed differences
 *
 * A chain of payloads begins with a key, which needs no other payload. Each further one is the
 * difference from the image before it (recorder/codec/delta.h), compressed with libzstd, which adds a
 * checksum. The decoder gives the images again, byte for byte: the encoder decodes what it has made
 * and compares.
 *
 * The memory that a decoder takes is bounded by the bytes of a chain's payloads: an image that is more
 * than 16 MiB larger than 1,024 times these is refused.
 */
#ifndef MEMTALLY_RECORDER_CODEC_CODEC_H
#define MEMTALLY_RECORDER_CODEC_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "snapshot/view.h"

/* The form of a payload. The numbers are in files. */
enum codec_form {
	CODEC_KEY = 1,   /* the difference from an empty image; with its layout */
	CODEC_DELTA = 2, /* the difference from the image before it in the chain */
	CODEC_WHOLE = 3, /* an unusual image as it is; a chain of its own */
	CODEC_FORMS
};

struct encoder;

/* Makes an encoder for images of at most LIMIT bytes. Returns 0 or -ENOMEM. */
int encoder_new(size_t limit, struct encoder **ret);

/* Frees E. Accepts NULL. Returns NULL. */
struct encoder *encoder_free(struct encoder *e);

/*
 * Appends the payload of VIEW's image to TO. It is the next one of the chain, or begins a chain: if
 * WANTS_KEY is set, if it is the first one, or if that is better. *RET_FORM tells. Call encoder_reset()
 * if the payload is not stored.
 *
 * Returns 0; -EFBIG if the image is larger than the limit, or than a decoder accepts; or -ENOMEM. After an error TO is
 * undefined, and the next payload begins a chain.
 */
int encoder_add(struct encoder *e, const struct view *view, bool wants_key, struct buffer *to,
	enum codec_form *ret_form);

/* Makes the next payload begin a chain. Accepts NULL. */
void encoder_reset(struct encoder *e);

/* Gives memory that is only used within a call back to the kernel. */
void encoder_rest(struct encoder *e);

struct decoder;

/* Makes a decoder for images of at most LIMIT bytes. Returns 0 or -ENOMEM. */
int decoder_new(size_t limit, struct decoder **ret);

/* Frees D. Accepts NULL. Returns NULL. */
struct decoder *decoder_free(struct decoder *d);

/*
 * Takes the payload of FORM in LEN bytes at DATA: the first one of a chain, or that which follows the
 * last one. Returns 0; -EBADMSG if it is damaged, or does not follow; -EFBIG; or -ENOMEM. After an
 * error a chain must begin.
 */
int decoder_add(struct decoder *d, enum codec_form form, const void *data, size_t len);

/*
 * Gives the image of the last payload in *RET_DATA, aligned to 8 and valid until the next call. It is
 * not validated: use view_from_bytes(). Returns 0, -EBADMSG, -EFBIG or -ENOMEM.
 */
int decoder_image(struct decoder *d, const void **ret_data, size_t *ret_size);

#endif
