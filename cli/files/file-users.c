/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/files/file-users.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static void free_process(struct file_user_process *p)
{
	free(p->program);
	free(p->unit);
	free(p->user_unit);
}

void file_users_done(struct file_users *m)
{
	for (size_t i = 0; i < m->processes; i++)
		free_process(&m->process[i]);
	free(m->process);
	free(m->item);
	*m = (struct file_users){0};
}

/* Returns false if there is no memory. */
static bool file_users_copy(const char *text, char **ret)
{
	*ret = text ? strdup(text) : NULL;
	return *ret || !text;
}

int file_users_add_process(struct file_users *m, pid_t pid, uint32_t uid, const char *program,
	const char *unit, const char *user_unit)
{
	struct file_user_process one = {.pid = pid, .uid = uid};

	if (ARRAY_RESERVE(m->process, m->processes_room, m->processes + 1) < 0)
		return -ENOMEM;
	if (!file_users_copy(program, &one.program) || !file_users_copy(unit, &one.unit) ||
		!file_users_copy(user_unit, &one.user_unit)) {
		free_process(&one);
		return -ENOMEM;
	}
	m->process[m->processes++] = one;
	return 0;
}

int file_users_add(struct file_users *m, const struct file_table_part *part)
{
	if (m->count == FILE_USERS_MAX) {
		m->left_out++;
		return 0;
	}
	if (ARRAY_RESERVE(m->item, m->room, m->count + 1) < 0)
		return -ENOMEM;
	m->item[m->count++] = (struct file_user){
		.process = (uint32_t)(m->processes - 1), .part = *part};
	return 0;
}

void file_users_keep(struct file_users *m, bool (*is_wanted)(uint32_t row, const void *context),
	const void *context)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->count; i++)
		if (is_wanted(m->item[i].part.row, context))
			m->item[kept++] = m->item[i];
	m->count = kept;
}

struct order {
	const struct file_users *users;
	enum file_table_field field;
};

static int file_users_compare(const void *a_, const void *b_, void *order_)
{
	const struct file_user *a = a_, *b = b_;
	const struct order *order = order_;
	uint64_t bit = order->field < FILE_TABLE_FIELDS ? UINT64_C(1) << order->field : 0;
	pid_t x = order->users->process[a->process].pid, y = order->users->process[b->process].pid;

	if ((a->part.present & bit) != (b->part.present & bit))
		return a->part.present & bit ? -1 : 1;
	if (a->part.present & bit && a->part.q[order->field] != b->part.q[order->field])
		return a->part.q[order->field] < b->part.q[order->field] ? 1 : -1;
	if (x != y)
		return x < y ? -1 : 1;
	return (a->part.row > b->part.row) - (a->part.row < b->part.row);
}

void file_users_sort(struct file_users *m, enum file_table_field field)
{
	struct order order = {.users = m, .field = field};

	if (m->count)
		qsort_r(m->item, m->count, sizeof(*m->item), file_users_compare, &order);
}

static int file_users_compare_files(const void *a_, const void *b_, void *order)
{
	const struct file_user *a = a_, *b = b_;

	if (a->part.row != b->part.row)
		return a->part.row < b->part.row ? -1 : 1;
	return file_users_compare(a, b, order);
}

void file_users_sort_by_file(struct file_users *m)
{
	struct order order = {.users = m, .field = FILE_TABLE_FIELDS};

	if (m->count)
		qsort_r(m->item, m->count, sizeof(*m->item), file_users_compare_files, &order);
}

const struct file_user *file_users_of(const struct file_users *m, uint32_t row, size_t *ret_count)
{
	size_t first = ARRAY_FIRST(m->count, i, m->item[i].part.row >= row), count = 0;

	while (first + count < m->count && m->item[first + count].part.row == row)
		count++;
	*ret_count = count;
	return m->item ? &m->item[first] : NULL;
}
