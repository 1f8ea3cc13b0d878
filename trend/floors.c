/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "trend/floors.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void floors_done(struct floors *f)
{
	free(f->item);
	*f = (struct floors){0};
}

int floors_add(struct floors *f, int64_t at_s, double value)
{
	int64_t slot_s = at_s - at_s % FLOORS_SLOT_S;
	struct trend_floor *last = f->count ? &f->item[f->count - 1] : NULL;

	if (last && slot_s < last->at_s)
		return 0;
	if (last && slot_s == last->at_s) {
		last->value = value < last->value ? value : last->value;
		return 0;
	}
	if (last && f->count == FLOORS_MAX) {
		f->count--;
		memmove(f->item, f->item + 1, f->count * sizeof(*f->item));
	}
	if (ARRAY_RESERVE(f->item, f->room, f->count + 1) < 0)
		return -ENOMEM;
	f->item[f->count++] = (struct trend_floor){.at_s = slot_s, .value = value};
	return 0;
}

size_t floors_coarsen(
	const struct trend_floor *from, size_t count, size_t most, struct trend_floor *to)
{
	size_t group = (count + most - 1) / most, made = 0;

	for (size_t i = 0; i < count; i++) {
		if (i % group == 0)
			to[made++] = from[i];
		else if (from[i].value < to[made - 1].value)
			to[made - 1].value = from[i].value;
	}
	return made;
}
