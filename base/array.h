/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays that grow, and sorted arrays
 *
 * The caller of ARRAY_RESERVE() has the array, and a size_t with the number of items that the array
 * has room for. Both are 0 at first. The caller frees the array with free().
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
 * Searches among COUNT items by halves. CONDITION is an expression of the index I: it is false for
 * all items up to some place, and true for all from there on. Evaluates to the first index for which
 * it is true, COUNT if there is none.
 *
 *     size_t at = ARRAY_FIRST(count, i, item[i].start >= start);
 */
#define ARRAY_FIRST(count, i, condition)                                                           \
	({                                                                                         \
		size_t low_ = 0, high_ = (count);                                                  \
		while (low_ < high_) {                                                             \
			size_t i = low_ + (high_ - low_) / 2;                                      \
			if (condition)                                                             \
				high_ = i;                                                         \
			else                                                                       \
				low_ = i + 1;                                                      \
		}                                                                                  \
		low_;                                                                              \
	})

/*
 * For ARRAY_RESERVE(). SIZE is that of an item in bytes. Returns the array, and updates *ROOM; NULL
 * if there is no memory, and nothing has changed.
 */
void *array_reserve(void *items, size_t *room, size_t count, size_t size);

#endif
