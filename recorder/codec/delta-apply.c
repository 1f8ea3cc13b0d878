/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applies a difference. It may come from a damaged file: each number is checked before it is used.
 */
#include "config.h"

#include <errno.h>

#include "recorder/codec/delta-private.h"

struct apply {
	struct model *m;
	struct stream stream[DELTA_STREAMS];
	size_t left; /* bytes that the model may grow by */
	uint64_t elapsed_ns;
};

static uint64_t take_shape(struct apply *a)
{
	return stream_take(&a->stream[DELTA_SHAPE]);
}

/* Takes BYTES from what the model may grow by. */
static int grow_model(struct apply *a, size_t bytes)
{
	if (bytes > a->left)
		return -EFBIG;
	a->left -= bytes;
	return 0;
}

/* Adds a text or a row of S to the model, and writes its number to *RET. */
static int insert_item(struct apply *a, struct model_section *s, uint32_t *ret)
{
	const unsigned char *text;
	size_t len;
	int r;

	if (s) {
		r = grow_model(a, s->words * sizeof(uint64_t));
		return r < 0 ? r : model_add_row(s, ret);
	}
	text = stream_take_text(&a->stream[DELTA_TEXTS], &len);
	if (!text)
		return -EBADMSG;
	r = grow_model(a, len + sizeof(struct model_text));
	*ret = (uint32_t)a->m->texts.count;
	return r < 0 ? r : model_texts_add(&a->m->texts, (const char *)text, (uint32_t)len);
}

/* Moves COUNT items of O from *AT on to the next order, or drops them if KEEPS is false. */
static int pass_items(struct apply *a, struct model_section *s, const struct model_order *o,
	size_t *at, uint64_t count, bool keeps)
{
	if (count > o->count - *at)
		return -EBADMSG;
	for (; count; count--, (*at)++) {
		int r = keeps ? model_order_add(&a->m->next, o->item[*at])
		        : s   ? model_order_add(&s->spare, o->item[*at])
		              : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

static int apply_run(struct apply *a, struct model_section *s, const struct model_order *o,
	uint64_t kept, size_t *at)
{
	uint64_t dropped = take_shape(a), inserted = take_shape(a);
	int r = a->stream[DELTA_SHAPE].is_bad ? -EBADMSG : 0;

	if (r == 0)
		r = pass_items(a, s, o, at, kept, true);
	if (r == 0)
		r = pass_items(a, s, o, at, dropped, false);
	for (; r == 0 && inserted; inserted--) {
		uint32_t number;

		r = insert_item(a, s, &number);
		if (r == 0)
			r = model_order_add(&a->m->next, number);
	}
	return r;
}

/* Applies the changes of order O: that of the rows of S, or that of the texts if S is NULL. */
static int apply_order(struct apply *a, struct model_section *s, struct model_order *o)
{
	uint64_t kept = take_shape(a);
	struct model_order old = *o;
	size_t at = 0;

	if (!kept)
		return 0; /* there are none */
	for (a->m->next.count = 0; kept; kept = take_shape(a)) {
		int r = apply_run(a, s, o, kept - 1, &at);

		if (r < 0)
			return r;
	}
	*o = a->m->next;
	a->m->next = old;
	return 0;
}

static int apply_steps(struct apply *a, struct model_section *s)
{
	for (uint64_t left = take_shape(a); left; left--) {
		uint64_t word = take_shape(a);

		if (a->stream[DELTA_SHAPE].is_bad || word >= s->words)
			return -EBADMSG;
		s->step[word] += stream_take_difference(&a->stream[DELTA_VALUES]);
	}
	return 0;
}

/* Adds the differences of a row of WORDS words to ROW. */
static void apply_words(struct apply *a, uint64_t *row, size_t words)
{
	for (size_t first = 0; first < words; first += DELTA_MASK_BITS) {
		uint64_t mask = stream_take_word(&a->stream[DELTA_MASKS]);

		for (; mask; mask &= mask - 1) {
			size_t i = first + (size_t)__builtin_ctzll(mask);

			if (i >= words) {
				a->stream[DELTA_MASKS].is_bad = true;
				return;
			}
			row[i] += stream_take_difference(&a->stream[DELTA_VALUES]);
		}
	}
}

/* Applies the differences of the next row of S, if it HAS any, and the prediction. */
static void apply_row(struct apply *a, const struct model_section *s, uint64_t *row, bool has)
{
	uint64_t present = s->kind.has_present ? row[s->kind.present_word] : 0;
	uint64_t pss = 0, bits = 0;
	bool is_predicted = delta_is_predicted(s, present);

	if (is_predicted) {
		pss = delta_pss(s, row);
		bits = row[DELTA_BYTE_SECONDS];
	}
	if (has)
		apply_words(a, row, s->words);
	if (is_predicted && delta_is_predicted(s, row[s->kind.present_word]))
		row[DELTA_BYTE_SECONDS] +=
			byteseconds_predict(bits, pss, delta_pss(s, row), a->elapsed_ns) - bits;
}

static int apply_rows(struct apply *a, struct model_section *s)
{
	uint64_t left = take_shape(a), next = left ? take_shape(a) : UINT64_MAX;

	for (size_t i = 0; i < s->order.count; i++) {
		bool has = left && !next;

		if (!s->kind.is_scope && !has) {
			if (!left)
				break;
			if (next > s->order.count - i)
				return -EBADMSG;
			i += next - 1;
			next = 0;
			continue;
		}
		apply_row(a, s, model_row(s, s->order.item[i]), has);
		if (has)
			next = --left ? take_shape(a) : UINT64_MAX;
		else if (left)
			next--;
	}
	return left ? -EBADMSG : 0;
}

static int apply_section(struct apply *a, struct model_section *s)
{
	int r = apply_order(a, s, &s->order);

	if (r == 0)
		r = apply_steps(a, s);
	if (s->kind.is_scope)
		a->elapsed_ns += stream_take_difference(&a->stream[DELTA_VALUES]);
	return r < 0 ? r : apply_rows(a, s);
}

/* Finds the streams of the difference in LEN bytes at DATA. */
static int split_streams(struct apply *a, const unsigned char *data, size_t len)
{
	struct stream s = {.at = data, .end = data + len};
	uint64_t size[DELTA_STREAMS];

	for (unsigned int i = 0; i < DELTA_STREAMS; i++)
		size[i] = stream_take(&s);
	for (unsigned int i = 0; i < DELTA_STREAMS; i++) {
		const unsigned char *at = stream_take_bytes(&s, size[i]);

		if (!at)
			return -EBADMSG;
		a->stream[i] = (struct stream){.at = at, .end = at + size[i]};
	}
	return s.at == s.end ? 0 : -EBADMSG;
}

static bool is_used_up(const struct apply *a)
{
	for (unsigned int i = 0; i < DELTA_STREAMS; i++)
		if (a->stream[i].is_bad || a->stream[i].at != a->stream[i].end)
			return false;
	return true;
}

int delta_apply(struct model *m, const void *data, size_t len, size_t limit)
{
	struct apply a = {.m = m};
	size_t bytes = model_bytes(m);
	int r = split_streams(&a, data, len);

	if (r < 0)
		return r;
	a.left = bytes < limit ? limit - bytes : 0;
	apply_words(&a, m->header, m->layout.header_size / sizeof(uint64_t));
	r = apply_order(&a, NULL, &m->texts.order);
	for (uint32_t i = 1; r == 0 && i < m->layout.sections; i++)
		r = apply_section(&a, &m->section[i]);
	if (r < 0)
		return r;
	m->is_empty = false;
	return is_used_up(&a) ? 0 : -EBADMSG;
}
