/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "base/array.h"

#include <stdlib.h>

enum { ROOM_MIN = 32 };

void *array_reserve(void *items, size_t *room, size_t count, size_t size)
{
	size_t more = *room ? 2 * *room : ROOM_MIN;

	if (items && count <= *room)
		return items;
	more = more > count ? more : count;
	items = reallocarray(items, more, size);
	if (items)
		*room = more;
	return items;
}
