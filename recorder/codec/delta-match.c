/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds which rows and texts of a model those of an image continue. An order changes little from one
 * image to the next: what exits is dropped, what is new is inserted.
 */
#include "config.h"

#include <errno.h>

#include "recorder/codec/delta-private.h"

/* Items of the model that are compared with one of the image. */
enum { WINDOW = 256 };

/* How far the items of an image have been found in an order of the model. */
struct match {
	struct buffer *shape, *source;
	const struct model_order *order;
	size_t at;                        /* in .order */
	uint64_t kept, dropped, inserted; /* the run that is not written yet */
	bool has_runs;
};

static void match_add_run(struct match *m)
{
	stream_add(m->shape, m->kept + 1);
	stream_add(m->shape, m->dropped);
	stream_add(m->shape, m->inserted);
	m->kept = m->dropped = m->inserted = 0;
	m->has_runs = true;
}

static void match_set(struct match *m, uint32_t number)
{
	buffer_add(m->source, &number, sizeof(number));
}

/* The next item of the image is that of the model which is AHEAD of .at. */
static void match_keep(struct match *m, size_t ahead)
{
	m->dropped += ahead;
	if (m->dropped || m->inserted)
		match_add_run(m);
	m->kept++;
	match_set(m, m->order->item[m->at + ahead]);
	m->at += ahead + 1;
}

/* The next item of the image is new; NUMBER is its number, or DELTA_NO_NUMBER. */
static void match_insert(struct match *m, uint32_t number)
{
	m->inserted++;
	match_set(m, number);
}

static void match_end(struct match *m)
{
	m->dropped += m->order->count - m->at;
	if (m->has_runs || m->dropped || m->inserted)
		match_add_run(m);
	stream_add(m->shape, 0);
}

static struct match match_begin(
	struct delta *d, const struct model_order *order, struct buffer *source)
{
	buffer_clear(source);
	return (struct match){.shape = &d->stream[DELTA_SHAPE], .source = source, .order = order};
}

static bool is_text(const struct model_texts *t, uint32_t number, const char *text, size_t len)
{
	const struct model_text *own = &t->text[number];

	return own->len == len && (!len || !memcmp(t->pool.data + own->at, text, len));
}

/*
 * Returns how far ahead in the model TEXT is, WINDOW if it is not there. A text that is not the next
 * one may stand there for another reason, such as the name of a user who is also a group; so the text
 * after it, FOLLOWING, must be there, too.
 */
static size_t find_text(const struct match *m, const struct model_texts *t, const char *text,
	size_t len, const char *following, size_t following_len)
{
	for (size_t i = 0; i < WINDOW && m->at + i < m->order->count; i++) {
		const uint32_t *item = &m->order->item[m->at + i];

		if (!is_text(t, *item, text, len))
			continue;
		if (i <= 1 || !following || m->at + i + 1 == m->order->count ||
			is_text(t, item[1], following, following_len))
			return i;
	}
	return WINDOW;
}

int delta_match_texts(struct delta *d, const struct model_texts *t, const char *table, size_t size)
{
	struct match m = match_begin(d, &t->order, &d->texts);
	uint32_t number = (uint32_t)t->count;
	uint32_t none = DELTA_NO_NUMBER;

	buffer_clear(&d->at);
	if (!buffer_reserve(&d->at, size * sizeof(number)))
		return -ENOMEM;
	for (size_t at = 0, len; at < size; at += len + 1) {
		const char *following;
		size_t ahead;
		uint32_t own;

		len = strlen(table + at);
		following = at + len + 1 < size ? table + at + len + 1 : NULL;
		ahead = find_text(
			&m, t, table + at, len, following, following ? strlen(following) : 0);
		if (ahead < WINDOW) {
			own = t->order.item[m.at + ahead];
			match_keep(&m, ahead);
		} else {
			own = number++;
			match_insert(&m, own);
			buffer_add(&d->stream[DELTA_TEXTS], table + at, len + 1);
		}
		buffer_add(&d->at, &own, sizeof(own));
		for (size_t i = 0; i < len; i++)
			buffer_add(&d->at, &none, sizeof(none));
	}
	match_end(&m);
	return d->at.error ? d->at.error : d->texts.error;
}

uint32_t delta_text_number(const struct delta *d, uint32_t offset)
{
	uint32_t number = DELTA_NO_NUMBER;

	if (offset < d->at.len / sizeof(number))
		memcpy(&number, d->at.data + offset * sizeof(number), sizeof(number));
	return number;
}

static uint32_t delta_field_of(const void *row, size_t field)
{
	uint32_t value;

	memcpy(&value, (const char *)row + field * sizeof(value), sizeof(value));
	return value;
}

static bool is_ref(const struct layout_kind *k, size_t field)
{
	for (unsigned int i = 0; i < k->refs; i++)
		if (k->ref[i] == field)
			return true;
	return false;
}

/* The fields that identify a row, as the model has them. */
struct row_id {
	uint32_t field[2];
};

static struct row_id id_of_image(
	const struct delta *d, const struct layout_kind *k, const void *row)
{
	struct row_id id = {{0, 0}};

	for (unsigned int i = 0; i < 2 && k->id[i] != LAYOUT_NO_ID; i++) {
		id.field[i] = delta_field_of(row, k->id[i]);
		if (is_ref(k, k->id[i]))
			id.field[i] = delta_text_number(d, id.field[i]);
	}
	return id;
}

static bool is_row(const struct model_section *s, uint32_t number, const struct row_id *id)
{
	const uint64_t *row = model_row(s, number);

	for (unsigned int i = 0; i < 2 && s->kind.id[i] != LAYOUT_NO_ID; i++)
		if (delta_field_of(row, s->kind.id[i]) != id->field[i])
			return false;
	return true;
}

static size_t find_row(
	const struct match *m, const struct model_section *s, const struct row_id *id)
{
	for (size_t i = 0; i < WINDOW && m->at + i < m->order->count; i++)
		if (is_row(s, m->order->item[m->at + i], id))
			return i;
	return WINDOW;
}

int delta_match_rows(struct delta *d, const struct model_section *s, const struct layout_rows *rows)
{
	struct match m = match_begin(d, &s->order, &d->source);

	for (size_t i = 0; i < rows->count; i++) {
		struct row_id id = id_of_image(
			d, &s->kind, rows->data + i * s->words * sizeof(uint64_t));
		size_t ahead = find_row(&m, s, &id);

		if (ahead < WINDOW)
			match_keep(&m, ahead);
		else
			match_insert(&m, DELTA_NO_NUMBER);
	}
	match_end(&m);
	return d->source.error;
}
