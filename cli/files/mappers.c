/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/files/mappers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_MIN = 64 };

static void free_process(struct mapper_process *p)
{
	free(p->program);
	free(p->unit);
	free(p->user_unit);
}

void mappers_done(struct mappers *m)
{
	for (size_t i = 0; i < m->processes; i++)
		free_process(&m->process[i]);
	free(m->process);
	free(m->item);
	*m = (struct mappers){0};
}

/* Returns false if there is no memory. */
static bool copy(const char *text, char **ret)
{
	*ret = text ? strdup(text) : NULL;
	return *ret || !text;
}

int mappers_add_process(struct mappers *m, pid_t pid, uint32_t uid, const char *program,
	const char *unit, const char *user_unit)
{
	struct mapper_process one = {.pid = pid, .uid = uid}, *more;

	if (m->processes == m->processes_room) {
		size_t room = m->processes_room ? 2 * m->processes_room : ROOM_MIN;

		more = reallocarray(m->process, room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		m->process = more;
		m->processes_room = room;
	}
	if (!copy(program, &one.program) || !copy(unit, &one.unit) ||
		!copy(user_unit, &one.user_unit)) {
		free_process(&one);
		return -ENOMEM;
	}
	m->process[m->processes++] = one;
	return 0;
}

int mappers_add(struct mappers *m, const struct shelf_part *part)
{
	if (m->count == MAPPERS_MAX) {
		m->left_out++;
		return 0;
	}
	if (m->count == m->room) {
		size_t room = m->room ? 2 * m->room : ROOM_MIN;
		struct mapper *more = reallocarray(m->item, room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		m->item = more;
		m->room = room;
	}
	m->item[m->count++] = (struct mapper){
		.process = (uint32_t)(m->processes - 1), .part = *part};
	return 0;
}

void mappers_keep(struct mappers *m, bool (*is_wanted)(uint32_t row, const void *context),
	const void *context)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->count; i++)
		if (is_wanted(m->item[i].part.row, context))
			m->item[kept++] = m->item[i];
	m->count = kept;
}

struct order {
	const struct mappers *mappers;
	enum shelf_field field;
};

static int compare(const void *a_, const void *b_, void *order_)
{
	const struct mapper *a = a_, *b = b_;
	const struct order *order = order_;
	uint64_t bit = order->field < SHELF_FIELDS ? UINT64_C(1) << order->field : 0;
	pid_t x = order->mappers->process[a->process].pid,
	      y = order->mappers->process[b->process].pid;

	if ((a->part.present & bit) != (b->part.present & bit))
		return a->part.present & bit ? -1 : 1;
	if (a->part.present & bit && a->part.q[order->field] != b->part.q[order->field])
		return a->part.q[order->field] < b->part.q[order->field] ? 1 : -1;
	if (x != y)
		return x < y ? -1 : 1;
	return (a->part.row > b->part.row) - (a->part.row < b->part.row);
}

void mappers_sort(struct mappers *m, enum shelf_field field)
{
	struct order order = {.mappers = m, .field = field};

	if (m->count)
		qsort_r(m->item, m->count, sizeof(*m->item), compare, &order);
}

static int compare_files(const void *a_, const void *b_, void *order)
{
	const struct mapper *a = a_, *b = b_;

	if (a->part.row != b->part.row)
		return a->part.row < b->part.row ? -1 : 1;
	return compare(a, b, order);
}

void mappers_sort_by_file(struct mappers *m)
{
	struct order order = {.mappers = m, .field = SHELF_FIELDS};

	if (m->count)
		qsort_r(m->item, m->count, sizeof(*m->item), compare_files, &order);
}

const struct mapper *mappers_of(const struct mappers *m, uint32_t row, size_t *ret_count)
{
	size_t low = 0, high = m->count, count = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->item[middle].part.row < row)
			low = middle + 1;
		else
			high = middle;
	}
	while (low + count < m->count && m->item[low + count].part.row == row)
		count++;
	*ret_count = count;
	return m->item ? &m->item[low] : NULL;
}
