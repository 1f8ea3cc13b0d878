/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/usage/usage-line.h"

#include <stdlib.h>
#include <string.h>

enum { KIB = 1024, MS_PER_S = 1000 };

bool usage_line_has(const struct usage_line *item, enum usage_quantity i)
{
	return (item->row.present >> i) & 1;
}

bool usage_line_is_unread(const struct usage_line *item)
{
	return !usage_line_has(item, USAGE_PSS);
}

void usage_line_of(
	const struct usage_head *head, const struct usage_row *row, struct usage_line *ret)
{
	*ret = (struct usage_line){.row = *row};
	ret->has_mean = usage_line_has(ret, USAGE_PSS) && head->covered_ms;
	ret->has_processes = usage_line_has(ret, USAGE_PROCESSES) && head->sampled_ms;
	if (ret->has_mean)
		ret->mean_bytes = (double)row->q[USAGE_PSS] * KIB * MS_PER_S /
		                  (double)head->covered_ms;
	if (ret->has_processes)
		ret->processes = (double)row->q[USAGE_PROCESSES] / (double)head->sampled_ms;
}

/* The quantity that each field is computed from. */
static const enum usage_quantity quantities[USAGE_LINE_FIELDS] = {
	[USAGE_LINE_PSS] = USAGE_PSS,
	[USAGE_LINE_PSS_HOURS] = USAGE_PSS,
	[USAGE_LINE_MEAN] = USAGE_PSS,
	[USAGE_LINE_MAX] = USAGE_PSS_MAX,
	[USAGE_LINE_SWAP] = USAGE_SWAP,
	[USAGE_LINE_SWAP_HOURS] = USAGE_SWAP,
	[USAGE_LINE_PROCESSES] = USAGE_PROCESSES,
	[USAGE_LINE_PROCESSES_MAX] = USAGE_PROCESSES_MAX,
};

static bool has_field(const struct usage_line *item, enum usage_line_field field)
{
	switch (field) {
	case USAGE_LINE_MEAN: return item->has_mean;
	case USAGE_LINE_PROCESSES: return item->has_processes;
	default: return usage_line_has(item, quantities[field]);
	}
}

/* A mean that is too large for 64 bits becomes 2^63: a year's usage over a moment. */
static uint64_t usage_line_mean_bytes(const struct usage_line *item)
{
	return item->mean_bytes < 0x1p63 ? (uint64_t)(item->mean_bytes + 0.5) : UINT64_C(1) << 63;
}

/* The product may exceed 2^64, so it is computed with 128 bits. */
static void add_byte_seconds(struct buffer *to, uint64_t kib_s)
{
	unsigned __int128 value = (unsigned __int128)kib_s * KIB;
	const uint64_t piece = UINT64_C(10000000000);

	if (value / piece)
		buffer_printf(to, "%llu%010llu", (unsigned long long)(value / piece),
			(unsigned long long)(value % piece));
	else
		buffer_add_u64(to, (uint64_t)value);
}

bool usage_line_get(
	const struct usage_line *item, enum usage_line_field field, struct column_value *ret)
{
	uint64_t value = item->row.q[quantities[field]];

	switch (field) {
	case USAGE_LINE_PSS:
	case USAGE_LINE_SWAP:
		add_byte_seconds(ret->room, value);
		column_use_room(ret);
		break;
	case USAGE_LINE_PSS_HOURS:
	case USAGE_LINE_SWAP_HOURS: ret->real = (double)value / USAGE_LINE_GIB_HOUR; break;
	case USAGE_LINE_MEAN: ret->number = usage_line_mean_bytes(item); break;
	case USAGE_LINE_MAX: ret->number = value * KIB; break;
	case USAGE_LINE_PROCESSES: ret->real = item->processes; break;
	default: ret->number = value;
	}
	return has_field(item, field);
}

static bool is_one_of(const char *text, const struct text_list *list)
{
	if (!list || !list->count)
		return true;
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->item[i], text))
			return true;
	return false;
}

bool usage_line_is_chosen(const struct usage_line *item, const struct usage_line_choice *choice)
{
	return is_one_of(item->row.name, choice->names) && is_one_of(item->row.user, choice->users);
}

static int usage_line_compare_names(const struct usage_line *a, const struct usage_line *b)
{
	int order = strcmp(a->row.name, b->row.name);

	return order ? order : strcmp(a->row.user, b->row.user);
}

/* Within one answer means have the same order as the quantities they are of. */
static int usage_line_compare(const void *a_, const void *b_, void *choice_)
{
	const struct usage_line *a = a_, *b = b_;
	const struct usage_line_choice *choice = choice_;
	enum usage_quantity i;
	int order;

	if (choice->sort == USAGE_LINE_FIELDS)
		return choice->ascending ? usage_line_compare_names(a, b)
		                         : usage_line_compare_names(b, a);
	if (has_field(a, choice->sort) != has_field(b, choice->sort))
		return has_field(a, choice->sort) ? -1 : 1;
	i = quantities[choice->sort];
	order = (a->row.q[i] > b->row.q[i]) - (a->row.q[i] < b->row.q[i]);
	if (!order)
		return usage_line_compare_names(a, b);
	return choice->ascending ? order : -order;
}

void usage_line_sort(struct usage_line *items, size_t count, const struct usage_line_choice *choice)
{
	qsort_r(items, count, sizeof(*items), usage_line_compare, (void *)(uintptr_t)choice);
}
