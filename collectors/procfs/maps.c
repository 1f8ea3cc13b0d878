/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line is "7f10c000-7f10e000 rw-s 00001000 00:01 2056   /dev/zero (deleted)": range, rights,
 * offset, device and inode. The path is not parsed. It may have any byte: the kernel writes a
 * newline as \012.
 */
#include "config.h"

#include "collectors/procfs/maps.h"

#include <errno.h>
#include <string.h>

#include "base/saturate.h"
#include "base/scan.h"

enum { TOP = MAPS_CANDIDATES / 2 }; /* items of the first half */

void maps_parser_init(struct maps_parser *p)
{
	*p = (struct maps_parser){0};
}

/* "rw-p ". Memory that is only reserved has "---p". */
static bool take_rights(struct scan *c, bool *ret_accessible, bool *ret_shared)
{
	if (c->end - c->at < 5 || memchr(c->at, ' ', 4) || c->at[4] != ' ')
		return false;
	*ret_accessible = memcmp(c->at, "---", 3) != 0;
	*ret_shared = c->at[3] == 's';
	c->at += 5;
	return true;
}

static bool maps_parser_is_same(const struct maps_object *a, const struct maps_object *b)
{
	return a->inode == b->inode && a->device == b->device;
}

/* Returns the most that may be mapped of item I so far, in bytes. */
static uint64_t maps_parser_most_of(const struct maps_parser *p, size_t i)
{
	return saturate_add(p->item[i].bytes, p->unseen[i]);
}

/*
 * Returns the place of S in the table. If S is not there, returns the place for it: a free one, or
 * that with the fewest bytes in the second half.
 */
static size_t maps_parser_place_of(const struct maps_parser *p, const struct maps_object *s)
{
	size_t least = TOP;

	if (p->count && maps_parser_is_same(&p->item[p->last], s))
		return p->last;
	for (size_t i = 0; i < p->count; i++) {
		if (maps_parser_is_same(&p->item[i], s))
			return i;
		if (i > TOP && maps_parser_most_of(p, i) < maps_parser_most_of(p, least))
			least = i;
	}
	return p->count < MAPS_CANDIDATES ? p->count : least;
}

/*
 * Exchanges item I of the second half with the smallest of the first half, if more was seen of I.
 * Returns its place.
 */
static size_t maps_parser_promote(struct maps_parser *p, size_t i)
{
	struct maps_object item = p->item[i];
	uint64_t unseen = p->unseen[i];
	size_t least = 0;

	if (i < TOP || item.bytes <= p->least_top)
		return i;
	for (size_t k = 1; k < TOP; k++)
		if (p->item[k].bytes < p->item[least].bytes)
			least = k;
	p->least_top = p->item[least].bytes;
	if (item.bytes <= p->least_top)
		return i;
	p->item[i] = p->item[least];
	p->unseen[i] = p->unseen[least];
	p->item[least] = item;
	p->unseen[least] = unseen;
	return least;
}

static void maps_parser_add(struct maps_parser *p, const struct maps_object *s)
{
	size_t i = maps_parser_place_of(p, s);

	if (i < p->count && maps_parser_is_same(&p->item[i], s)) {
		p->item[i].bytes = saturate_add(p->item[i].bytes, s->bytes);
	} else {
		p->unseen[i] = i < p->count ? maps_parser_most_of(p, i) : 0;
		p->item[i] = *s;
		p->count += i == p->count;
	}
	p->last = maps_parser_promote(p, i);
}

static int maps_parser_parse_head(struct maps_parser *p)
{
	struct scan c = {p->head, p->head + p->head_len};
	uint64_t start, end, offset, major, minor, inode;
	bool is_accessible, is_shared;

	if (!scan_hex(&c, &start) || !scan_char(&c, '-') || !scan_hex(&c, &end) ||
		!scan_char(&c, ' ') || !take_rights(&c, &is_accessible, &is_shared) ||
		!scan_hex(&c, &offset) || !scan_char(&c, ' ') || !scan_hex(&c, &major) ||
		!scan_char(&c, ':') || !scan_hex(&c, &minor) || !scan_char(&c, ' ') ||
		!scan_decimal(&c, &inode))
		return -EBADMSG;
	if (c.at == c.end ? p->head_len == MAPS_HEAD : *c.at != ' ')
		return -EBADMSG;
	if (end < start || major > UINT32_MAX || minor > UINT32_MAX)
		return -EBADMSG;
	if (!p->mappings++)
		p->start = start;
	p->end = end;
	if (is_accessible && end - start > p->largest)
		p->largest = end - start;
	if (inode)
		maps_parser_add(p, &(struct maps_object){major << 32 | minor, inode, end - start,
					   is_shared && !major});
	return 0;
}

int maps_parser_feed(struct maps_parser *p, const char *text, size_t len)
{
	const char *at = text, *end = text + len;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t n = (size_t)((newline ? newline : end) - at);
		size_t room = MAPS_HEAD - p->head_len;

		memcpy(p->head + p->head_len, at, n < room ? n : room);
		p->head_len += n < room ? n : room;
		p->in_line = !newline;
		at += n;
		if (newline) {
			int r = maps_parser_parse_head(p);

			if (r < 0)
				return r;
			p->head_len = 0;
			at++;
		}
	}
	return 0;
}

void maps_parser_cut(struct maps_parser *p)
{
	p->in_line = false;
	p->head_len = 0;
}

/* Moves the largest of ITEM to its front. */
static void choose_largest(struct maps_object *item, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (item[i].bytes > item[0].bytes) {
			struct maps_object larger = item[i];

			item[i] = item[0];
			item[0] = larger;
		}
}

int maps_parser_end(
	const struct maps_parser *p, struct maps_object ret[static MAPS_OBJECTS], size_t *ret_count)
{
	struct maps_object item[MAPS_CANDIDATES];
	size_t count = 0;

	if (p->in_line)
		return -EBADMSG;
	memcpy(item, p->item, p->count * sizeof(*item));
	while (count < MAPS_OBJECTS && count < p->count) {
		choose_largest(item + count, p->count - count);
		if (item[count].bytes < MAPS_OBJECT_MIN)
			break;
		ret[count] = item[count];
		count++;
	}
	*ret_count = count;
	return 0;
}
