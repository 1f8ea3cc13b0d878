/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "recorder/codec/codec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/saturate.h"
#include "recorder/codec/delta.h"
#include "recorder/codec/stream.h"

enum {
	/* Differences are a few KiB, for which higher levels take no noticeable time. */
	LEVEL_DELTA = 9,
	LEVEL_KEY = 3,
	/* A model may be larger than its image by texts that are not used any more. */
	MODEL_SLACK = 1 << 20,
	/*
	 * An image has at most BUDGET_MIN bytes, and BUDGET_FACTOR more for each byte of the payloads in
	 * its chain. Those of memtallyd are far below that: a row takes some bytes in a key. So a few
	 * bytes of a file do not make a reader take hundreds of MiB.
	 */
	BUDGET_MIN = 16 << 20,
	BUDGET_FACTOR = 1024,
};

struct encoder {
	size_t limit;
	struct model model;
	bool has_model; /* .model is that of the last image */
	size_t budget;  /* of the last image */
	struct delta delta;
	struct buffer plain; /* a payload before it is compressed */
	struct buffer image; /* decoded, for comparison */
};

struct decoder {
	size_t limit;
	struct model model;
	enum codec_form last; /* 0: a chain must begin */
	size_t budget;        /* of the last image */
	struct buffer plain, image;
	ZSTD_DCtx *zstd; /* owned */
};

static size_t model_limit(size_t limit)
{
	return 2 * limit + MODEL_SLACK;
}

/*
 * Returns how many bytes the image of a payload of FORM with LEN bytes may have, if the one before it
 * in the chain might have BEFORE bytes.
 */
static size_t image_budget(size_t limit, enum codec_form form, size_t before, size_t len)
{
	uint64_t more = (uint64_t)len * BUDGET_FACTOR;

	return saturate_min(limit, saturate_add(form == CODEC_DELTA ? before : BUDGET_MIN, more));
}

int encoder_new(size_t limit, struct encoder **ret)
{
	struct encoder *e = calloc(1, sizeof(*e));

	if (!e)
		return -ENOMEM;
	e->limit = limit;
	*ret = e;
	return 0;
}

struct encoder *encoder_free(struct encoder *e)
{
	if (!e)
		return NULL;
	model_done(&e->model);
	delta_done(&e->delta);
	buffer_done(&e->plain);
	buffer_done(&e->image);
	free(e);
	return NULL;
}

void encoder_reset(struct encoder *e)
{
	if (e)
		e->has_model = false;
}

void encoder_rest(struct encoder *e)
{
	buffer_rest(&e->plain);
	buffer_rest(&e->image);
	delta_rest(&e->delta);
}

static void cleanup_zstd(ZSTD_CCtx **c)
{
	ZSTD_freeCCtx(*c);
}

/*
 * Appends LEN bytes at DATA, compressed at LEVEL, to TO. libzstd's tables take several times the
 * memory of a small difference, so they are not kept.
 */
static int compress_payload(const void *data, size_t len, int level, struct buffer *to)
{
	CLEANUP(cleanup_zstd) ZSTD_CCtx *c = ZSTD_createCCtx();
	size_t room = ZSTD_compressBound(len), size;
	char *at = buffer_reserve(to, room);

	if (!c || !at)
		return -ENOMEM;
	ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
	size = ZSTD_compress2(c, at, room, data, len);
	if (ZSTD_isError(size))
		return -ENOMEM; /* there is room, so nothing else can fail */
	to->len += size;
	return 0;
}

static void add_layout(const struct layout *l, struct buffer *to)
{
	stream_add(to, l->header_size);
	stream_add(to, l->sections);
	for (uint32_t i = 0; i < l->sections; i++) {
		stream_add(to, l->section[i].kind);
		stream_add(to, l->section[i].stride);
	}
}

static int take_layout(struct stream *s, struct layout *ret)
{
	struct layout l = {.header_size = (uint32_t)stream_take(s)};
	uint64_t sections = stream_take(s);

	if (sections > IMAGE_SECTIONS_MAX)
		return -EBADMSG;
	l.sections = (uint32_t)sections;
	for (uint32_t i = 0; i < l.sections; i++) {
		l.section[i].kind = (uint32_t)stream_take(s);
		l.section[i].stride = (uint32_t)stream_take(s);
	}
	if (s->is_bad || !layout_is_valid(&l))
		return -EBADMSG;
	*ret = l;
	return 0;
}

/*
 * Applies the difference in E->plain from FROM on to the model, as a decoder does. Returns 0 if VIEW's
 * image results within .budget; CODEC_WHOLE if not; or -ENOMEM.
 */
static int reproduce_image(struct encoder *e, size_t from, const struct view *view)
{
	const struct buffer *plain = &e->plain;
	size_t limit = model_limit(e->budget);
	int r = plain->len > limit
	                ? CODEC_WHOLE
	                : delta_apply(&e->model, plain->data + from, plain->len - from, limit);

	if (r == 0)
		r = model_write(&e->model, e->budget, &e->image);
	if (r == 0 &&
		(e->image.len != view->size || memcmp(e->image.data, view->data, view->size) != 0))
		r = CODEC_WHOLE;
	return r == 0 || r == -ENOMEM ? r : CODEC_WHOLE;
}

/* Returns 0; CODEC_WHOLE if the image cannot be coded as a difference; or -ENOMEM. */
static int encode_image(struct encoder *e, const struct view *view, bool wants_key,
	struct buffer *to, enum codec_form *ret_form)
{
	struct layout_rows rows[IMAGE_SECTIONS_MAX];
	bool is_key = wants_key || !e->has_model;
	size_t from, start = to->len;
	struct layout layout;
	int r;

	e->has_model = false;
	if (layout_parse(view->data, view->size, &layout, rows) != 0)
		return CODEC_WHOLE;
	is_key = is_key || !layout_is_same(&layout, &e->model.layout) ||
	         model_bytes(&e->model) > view->size + view->size / 2 + MODEL_SLACK;
	buffer_clear(&e->plain);
	if (is_key)
		add_layout(&layout, &e->plain);
	from = e->plain.len;
	r = is_key ? model_begin(&e->model, &layout) : 0;
	if (r == 0)
		r = delta_make(&e->delta, &e->model, view->data, rows, &e->plain);
	if (r > 0)
		return CODEC_WHOLE;
	if (r == 0)
		r = compress_payload(
			e->plain.data, e->plain.len, is_key ? LEVEL_KEY : LEVEL_DELTA, to);
	*ret_form = is_key ? CODEC_KEY : CODEC_DELTA;
	e->budget = image_budget(e->limit, *ret_form, e->budget, to->len - start);
	if (r == 0)
		r = reproduce_image(e, from, view);
	if (r > 0)
		to->len = start;
	e->has_model = r == 0;
	return r;
}

int encoder_add(struct encoder *e, const struct view *view, bool wants_key, struct buffer *to,
	enum codec_form *ret_form)
{
	int r = view->size > e->limit ? -EFBIG : encode_image(e, view, wants_key, to, ret_form);

	if (r == CODEC_WHOLE) {
		size_t start = to->len;

		*ret_form = CODEC_WHOLE;
		r = compress_payload(view->data, view->size, LEVEL_KEY, to);
		if (r == 0 && view->size > image_budget(e->limit, CODEC_WHOLE, 0, to->len - start))
			r = -EFBIG;
	}
	if (r < 0)
		encoder_reset(e);
	return r;
}

int decoder_new(size_t limit, struct decoder **ret)
{
	struct decoder *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	d->limit = limit;
	d->zstd = ZSTD_createDCtx();
	if (!d->zstd) {
		decoder_free(d);
		return -ENOMEM;
	}
	*ret = d;
	return 0;
}

struct decoder *decoder_free(struct decoder *d)
{
	if (!d)
		return NULL;
	model_done(&d->model);
	buffer_done(&d->plain);
	buffer_done(&d->image);
	ZSTD_freeDCtx(d->zstd);
	free(d);
	return NULL;
}

static int decompress_payload(struct decoder *d, const void *data, size_t len, struct buffer *to)
{
	unsigned long long size = ZSTD_getFrameContentSize(data, len);
	size_t done;

	if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN)
		return -EBADMSG;
	if (size > model_limit(d->budget))
		return -EFBIG;
	buffer_clear(to);
	if (!buffer_reserve(to, size + 1))
		return -ENOMEM;
	done = ZSTD_decompressDCtx(d->zstd, to->data, size, data, len);
	if (ZSTD_isError(done) || done != size)
		return -EBADMSG;
	to->len = size;
	return 0;
}

/* Applies the difference in D->plain. */
static int apply_payload(struct decoder *d, enum codec_form form)
{
	const unsigned char *data = (const unsigned char *)d->plain.data;
	struct stream s = {.at = data, .end = data + d->plain.len};
	struct layout layout;
	int r = 0;

	if (form == CODEC_KEY) {
		r = take_layout(&s, &layout);
		if (r == 0)
			r = model_begin(&d->model, &layout);
	}
	return r < 0 ? r
	             : delta_apply(&d->model, s.at, (size_t)(s.end - s.at), model_limit(d->budget));
}

int decoder_add(struct decoder *d, enum codec_form form, const void *data, size_t len)
{
	bool follows = d->last == CODEC_KEY || d->last == CODEC_DELTA;
	int r;

	d->last = 0;
	if (form < CODEC_KEY || form >= CODEC_FORMS || (form == CODEC_DELTA && !follows))
		return -EBADMSG;
	d->budget = image_budget(d->limit, form, d->budget, len);
	r = decompress_payload(d, data, len, form == CODEC_WHOLE ? &d->image : &d->plain);
	if (r == 0 && form != CODEC_WHOLE)
		r = apply_payload(d, form);
	if (r == 0)
		d->last = form;
	return r;
}

int decoder_image(struct decoder *d, const void **ret_data, size_t *ret_size)
{
	int r = 0;

	if (!d->last)
		return -EBADMSG;
	if (d->last != CODEC_WHOLE)
		r = model_write(&d->model, d->budget, &d->image);
	else if (d->image.len > d->budget)
		r = -EFBIG;
	if (r < 0)
		return r;
	*ret_data = d->image.data;
	*ret_size = d->image.len;
	return 0;
}
