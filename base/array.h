/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Growing Arrays
 *
 * The caller has the array, and a size_t with the number of items that the array has room for. Both
 * are 0 at first. The caller frees the array with free().
 */
#ifndef MEMTALLY_BASE_ARRAY_H
#define MEMTALLY_BASE_ARRAY_H

#include <errno.h>
#include <stddef.h>

/*
 * Makes room for COUNT items in the array ITEMS, which has room for ROOM. Both are variables. Grows
 * to 32 items, then to twice the room, or to COUNT if that is more. New items are not set. Evaluates
 * to 0; or to -ENOMEM with both unchanged.
 */
#define ARRAY_RESERVE(items, room, count)                                                          \
	({                                                                                         \
		void *reserved_ = array_reserve(                                                   \
			(void *)(items), &(room), (count), sizeof(__typeof__(*(items))));          \
		if (reserved_)                                                                     \
			(items) = reserved_;                                                       \
		reserved_ ? 0 : -ENOMEM;                                                           \
	})

/*
 * For ARRAY_RESERVE(). SIZE is that of an item in bytes. Returns the array, and updates *ROOM; NULL
 * if there is no memory, and nothing has changed.
 */
void *array_reserve(void *items, size_t *room, size_t count, size_t size);

#endif
