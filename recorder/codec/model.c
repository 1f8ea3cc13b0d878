/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "recorder/codec/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

int model_order_add(struct model_order *o, uint32_t item)
{
	if (ARRAY_RESERVE(o->item, o->room, o->count + 1) < 0)
		return -ENOMEM;
	o->item[o->count++] = item;
	return 0;
}

int model_texts_add(struct model_texts *t, const char *text, uint32_t len)
{
	if (t->count >= UINT32_MAX || ARRAY_RESERVE(t->text, t->room, t->count + 1) < 0)
		return -ENOMEM;
	t->text[t->count].at = t->pool.len;
	t->text[t->count].len = len;
	buffer_add(&t->pool, text, len);
	if (t->pool.error)
		return t->pool.error;
	t->count++;
	return 0;
}

int model_add_row(struct model_section *s, uint32_t *ret)
{
	size_t room = s->room * s->words;
	uint32_t number;

	if (s->spare.count) {
		number = s->spare.item[--s->spare.count];
	} else {
		if (s->rows >= UINT32_MAX ||
			ARRAY_RESERVE(s->row, room, (s->rows + 1) * s->words) < 0)
			return -ENOMEM;
		s->room = room / s->words;
		number = (uint32_t)s->rows++;
	}
	memset(model_row(s, number), 0, s->words * sizeof(uint64_t));
	*ret = number;
	return 0;
}

static void model_section_begin(struct model_section *s)
{
	s->rows = s->order.count = s->spare.count = 0;
}

static void model_section_done(struct model_section *s)
{
	free(s->row);
	free(s->step);
	free(s->order.item);
	free(s->spare.item);
	*s = (struct model_section){0};
}

int model_begin(struct model *m, const struct layout *l)
{
	if (!layout_is_same(&m->layout, l)) {
		for (size_t i = 0; i < IMAGE_SECTIONS_MAX; i++)
			model_section_done(&m->section[i]);
		m->layout = *l;
	}
	m->is_empty = true;
	memset(m->header, 0, sizeof(m->header));
	buffer_clear(&m->texts.pool);
	m->texts.count = m->texts.order.count = 0;
	for (uint32_t i = 0; i < l->sections; i++) {
		struct model_section *s = &m->section[i];

		model_section_begin(s);
		if (l->section[i].kind == SECTION_STRINGS)
			continue;
		s->words = l->section[i].stride / (uint32_t)sizeof(uint64_t);
		s->kind = layout_kind_of(l->section[i].kind);
		if (!s->step && !(s->step = malloc(s->words * sizeof(uint64_t))))
			return -ENOMEM;
		memset(s->step, 0, s->words * sizeof(uint64_t));
	}
	return 0;
}

void model_done(struct model *m)
{
	for (size_t i = 0; i < IMAGE_SECTIONS_MAX; i++)
		model_section_done(&m->section[i]);
	buffer_done(&m->texts.pool);
	free(m->texts.text);
	free(m->texts.order.item);
	free(m->next.item);
	*m = (struct model){0};
}

size_t model_bytes(const struct model *m)
{
	size_t bytes = m->texts.pool.len + m->texts.count * sizeof(struct model_text);

	for (uint32_t i = 0; i < m->layout.sections; i++)
		bytes += m->section[i].rows * (m->section[i].words * sizeof(uint64_t) + 4);
	return bytes;
}

/* Returns the size of the string table in bytes. */
static size_t texts_size(const struct model_texts *t)
{
	size_t size = t->order.count;

	for (size_t i = 0; i < t->order.count; i++)
		size += t->text[t->order.item[i]].len;
	return size;
}

/* Writes the texts of M to TO, and their offsets, by number, to OFFSET. */
static void write_texts(const struct model_texts *t, char *to, uint32_t *offset)
{
	size_t at = 0;

	for (size_t i = 0; i < t->order.count; i++) {
		const struct model_text *text = &t->text[t->order.item[i]];

		offset[t->order.item[i]] = (uint32_t)at;
		if (text->len)
			memcpy(to + at, t->pool.data + text->at, text->len);
		at += text->len;
		to[at++] = '\0';
	}
}

/* Replaces the numbers of texts in ROW by their OFFSET. Returns false if one is no number. */
static bool write_refs(
	const struct model_section *s, uint64_t *row, const uint32_t *offset, size_t texts)
{
	for (unsigned int i = 0; i < s->kind.refs; i++) {
		char *field = (char *)row + s->kind.ref[i] * sizeof(uint32_t);
		uint32_t number;

		memcpy(&number, field, sizeof(number));
		if (number >= texts || offset[number] == UINT32_MAX)
			return false;
		memcpy(field, &offset[number], sizeof(number));
	}
	return true;
}

static bool write_rows(
	const struct model_section *s, char *to, const uint32_t *offset, size_t texts)
{
	for (size_t i = 0; i < s->order.count; i++) {
		const uint64_t *row = model_row(s, s->order.item[i]);
		uint64_t *written = (void *)(to + i * s->words * sizeof(uint64_t));

		for (size_t w = 0; w < s->words; w++)
			written[w] = row[w] + (model_has(s, row, w) ? s->step[w] : 0);
		if (!write_refs(s, written, offset, texts))
			return false;
	}
	return true;
}

/* Writes the header, the section TABLE and the rows of M to TO. */
static int write_image(
	const struct model *m, const struct image_section *table, uint32_t *offset, char *to)
{
	memcpy(to, m->header, m->layout.header_size);
	memcpy(to + m->layout.header_size, table, m->layout.sections * sizeof(*table));
	for (uint32_t i = 0; i < m->layout.sections; i++) {
		if (table[i].kind == SECTION_STRINGS)
			write_texts(&m->texts, to + table[i].offset, offset);
		else if (!write_rows(&m->section[i], to + table[i].offset, offset, m->texts.count))
			return -EBADMSG;
	}
	return 0;
}

int model_write(const struct model *m, size_t limit, struct buffer *to)
{
	struct image_section table[IMAGE_SECTIONS_MAX];
	size_t count[IMAGE_SECTIONS_MAX], size;
	AUTO_FREE uint32_t *offset = NULL;
	struct image_header head;
	int r;

	for (uint32_t i = 0; i < m->layout.sections; i++)
		count[i] = m->layout.section[i].kind == SECTION_STRINGS ? texts_size(&m->texts)
		                                                        : m->section[i].order.count;
	size = layout_write_table(&m->layout, count, limit, table);
	if (!size)
		return -EFBIG;
	memcpy(&head, m->header, sizeof(head));
	if (head.image_size != size || head.header_size != m->layout.header_size ||
		head.section_count != m->layout.sections)
		return -EBADMSG;
	offset = malloc((m->texts.count + 1) * sizeof(*offset));
	if (!offset)
		return -ENOMEM;
	memset(offset, 0xff, (m->texts.count + 1) * sizeof(*offset));
	buffer_clear(to);
	buffer_add_zero(to, size);
	if (to->error)
		return to->error;
	r = write_image(m, table, offset, to->data);
	if (r < 0)
		buffer_clear(to);
	return r;
}
