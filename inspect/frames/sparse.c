/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/frames/sparse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BRANCH = 512 }; /* chunks of one item of .table */

void sparse_done(struct sparse *s)
{
	for (size_t i = 0; i < s->room; i++) {
		for (size_t j = 0; s->table[i] && j < BRANCH; j++)
			free(s->table[i][j]);
		free(s->table[i]);
	}
	free(s->table);
	*s = (struct sparse){0};
}

static int make_room(struct sparse *s, size_t branch)
{
	size_t room = branch + 1 + branch / 2;
	uint32_t ***more = reallocarray(s->table, room, sizeof(*more));

	if (!more)
		return -ENOMEM;
	memset(more + s->room, 0, (room - s->room) * sizeof(*more));
	s->bytes += (room - s->room) * sizeof(*more);
	s->table = more;
	s->room = room;
	return 0;
}

static void *take(struct sparse *s, size_t count, size_t size)
{
	void *taken = calloc(count, size);

	s->bytes += taken ? count * size : 0;
	return taken;
}

/* Makes .chunk the chunk NUMBER, allocated if necessary. Returns 0 or -ENOMEM. */
static int reach(struct sparse *s, uint64_t number)
{
	size_t branch = number / BRANCH, at = number % BRANCH;

	if (branch >= s->room && make_room(s, branch) < 0)
		return -ENOMEM;
	if (!s->table[branch])
		s->table[branch] = take(s, BRANCH, sizeof(**s->table));
	if (!s->table[branch])
		return -ENOMEM;
	if (!s->table[branch][at])
		s->table[branch][at] = take(s, SPARSE_CHUNK, sizeof(***s->table));
	if (!s->table[branch][at])
		return -ENOMEM;
	s->near = number;
	s->chunk = s->table[branch][at];
	return 0;
}

int sparse_touch(struct sparse *s, uint64_t index, uint32_t **ret)
{
	uint64_t number = index / SPARSE_CHUNK;

	if (index >> SPARSE_INDEX_BITS)
		return -ERANGE;
	if ((!s->chunk || number != s->near) && reach(s, number) < 0)
		return -ENOMEM;
	*ret = &s->chunk[index % SPARSE_CHUNK];
	return 0;
}

uint32_t *sparse_find(struct sparse *s, uint64_t index)
{
	uint64_t number = index / SPARSE_CHUNK, branch = number / BRANCH;
	uint32_t *chunk;

	if (branch >= s->room || !s->table[branch])
		return NULL;
	chunk = s->table[branch][number % BRANCH];
	return chunk ? &chunk[index % SPARSE_CHUNK] : NULL;
}

const uint32_t *sparse_next(const struct sparse *s, uint64_t *at)
{
	uint64_t number = *at / SPARSE_CHUNK;

	while (number / BRANCH < s->room) {
		uint32_t **branch = s->table[number / BRANCH];

		if (branch && branch[number % BRANCH]) {
			*at = number * SPARSE_CHUNK;
			return branch[number % BRANCH];
		}
		number = branch ? number + 1 : (number / BRANCH + 1) * BRANCH;
	}
	return NULL;
}
