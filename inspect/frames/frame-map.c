/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/frames/frame-map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { BRANCH = 512 }; /* chunks of one item of .table */

void frame_map_done(struct frame_map *s)
{
	for (size_t i = 0; i < s->room; i++) {
		for (size_t j = 0; s->table[i] && j < BRANCH; j++)
			free(s->table[i][j]);
		free(s->table[i]);
	}
	free(s->table);
	*s = (struct frame_map){0};
}

static int frame_map_make_room(struct frame_map *s, size_t branch)
{
	size_t before = s->room, added;

	if (ARRAY_RESERVE(s->table, s->room, branch + 1) < 0)
		return -ENOMEM;
	added = (s->room - before) * sizeof(*s->table);
	memset(s->table + before, 0, added);
	s->bytes += added;
	return 0;
}

static void *frame_map_take(struct frame_map *s, size_t count, size_t size)
{
	void *taken = calloc(count, size);

	s->bytes += taken ? count * size : 0;
	return taken;
}

/* Makes .chunk the chunk NUMBER, allocated if necessary. Returns 0 or -ENOMEM. */
static int frame_map_reach(struct frame_map *s, uint64_t number)
{
	size_t branch = number / BRANCH, at = number % BRANCH;

	if (branch >= s->room && frame_map_make_room(s, branch) < 0)
		return -ENOMEM;
	if (!s->table[branch])
		s->table[branch] = frame_map_take(s, BRANCH, sizeof(**s->table));
	if (!s->table[branch])
		return -ENOMEM;
	if (!s->table[branch][at])
		s->table[branch][at] = frame_map_take(s, FRAME_MAP_CHUNK, sizeof(***s->table));
	if (!s->table[branch][at])
		return -ENOMEM;
	s->near = number;
	s->chunk = s->table[branch][at];
	return 0;
}

int frame_map_touch(struct frame_map *s, uint64_t index, uint32_t **ret)
{
	uint64_t number = index / FRAME_MAP_CHUNK;

	if (index >> FRAME_MAP_INDEX_BITS)
		return -ERANGE;
	if ((!s->chunk || number != s->near) && frame_map_reach(s, number) < 0)
		return -ENOMEM;
	*ret = &s->chunk[index % FRAME_MAP_CHUNK];
	return 0;
}

uint32_t *frame_map_find(struct frame_map *s, uint64_t index)
{
	uint64_t number = index / FRAME_MAP_CHUNK, branch = number / BRANCH;
	uint32_t *chunk;

	if (branch >= s->room || !s->table[branch])
		return NULL;
	chunk = s->table[branch][number % BRANCH];
	return chunk ? &chunk[index % FRAME_MAP_CHUNK] : NULL;
}

const uint32_t *frame_map_next(const struct frame_map *s, uint64_t *at)
{
	uint64_t number = *at / FRAME_MAP_CHUNK;

	while (number / BRANCH < s->room) {
		uint32_t **branch = s->table[number / BRANCH];

		if (branch && branch[number % BRANCH]) {
			*at = number * FRAME_MAP_CHUNK;
			return branch[number % BRANCH];
		}
		number = branch ? number + 1 : (number / BRANCH + 1) * BRANCH;
	}
	return NULL;
}
