/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/usage/item.h"

#include <stdlib.h>
#include <string.h>

#include "render/decimal.h"

enum { KIB = 1024, MS_PER_S = 1000 };

bool item_has(const struct item *item, enum usage_quantity i)
{
	return (item->row.present >> i) & 1;
}

bool item_is_unread(const struct item *item)
{
	return !item_has(item, USAGE_PSS);
}

void item_of(const struct usage_head *head, const struct usage_row *row, struct item *ret)
{
	*ret = (struct item){.row = *row};
	ret->has_mean = item_has(ret, USAGE_PSS) && head->covered_ms;
	ret->has_processes = item_has(ret, USAGE_PROCESSES) && head->sampled_ms;
	if (ret->has_mean)
		ret->mean_bytes = (double)row->q[USAGE_PSS] * KIB * MS_PER_S /
		                  (double)head->covered_ms;
	if (ret->has_processes)
		ret->processes = (double)row->q[USAGE_PROCESSES] / (double)head->sampled_ms;
}

/* The name of each field, and the quantity it is computed from. */
static const struct {
	const char *name;
	enum usage_quantity quantity;
} fields[ITEM_FIELDS] = {
	[ITEM_PSS] = {"pss_byte_seconds", USAGE_PSS},
	[ITEM_PSS_HOURS] = {"pss_gib_hours", USAGE_PSS},
	[ITEM_MEAN] = {"pss_mean_bytes", USAGE_PSS},
	[ITEM_MAX] = {"pss_max_bytes", USAGE_PSS_MAX},
	[ITEM_SWAP] = {"swap_pss_byte_seconds", USAGE_SWAP},
	[ITEM_SWAP_HOURS] = {"swap_pss_gib_hours", USAGE_SWAP},
	[ITEM_PROCESSES] = {"processes_mean", USAGE_PROCESSES},
	[ITEM_PROCESSES_MAX] = {"processes_max", USAGE_PROCESSES_MAX},
};

const char *item_field_name(enum item_field field)
{
	return fields[field].name;
}

static bool has_field(const struct item *item, enum item_field field)
{
	switch (field) {
	case ITEM_MEAN: return item->has_mean;
	case ITEM_PROCESSES: return item->has_processes;
	default: return item_has(item, fields[field].quantity);
	}
}

/* A mean that is too large for 64 bits becomes 2^63: a year's usage over a moment. */
uint64_t item_mean_bytes(const struct item *item)
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

bool item_add(struct buffer *to, const struct item *item, enum item_field field)
{
	uint64_t value = item->row.q[fields[field].quantity];

	if (!has_field(item, field))
		return false;
	switch (field) {
	case ITEM_PSS:
	case ITEM_SWAP: add_byte_seconds(to, value); break;
	case ITEM_PSS_HOURS:
	case ITEM_SWAP_HOURS: decimal_add_real(to, (double)value / ITEM_GIB_HOUR); break;
	case ITEM_MEAN: buffer_add_u64(to, item_mean_bytes(item)); break;
	case ITEM_MAX: buffer_add_u64(to, value * KIB); break;
	case ITEM_PROCESSES: decimal_add_real(to, item->processes); break;
	default: buffer_add_u64(to, value);
	}
	return true;
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

bool item_is_chosen(const struct item *item, const struct item_choice *choice)
{
	return is_one_of(item->row.name, choice->names) && is_one_of(item->row.user, choice->users);
}

static int compare_names(const struct item *a, const struct item *b)
{
	int order = strcmp(a->row.name, b->row.name);

	return order ? order : strcmp(a->row.user, b->row.user);
}

/* Within one answer means have the same order as the quantities they are of. */
static int compare(const void *a_, const void *b_, void *choice_)
{
	const struct item *a = a_, *b = b_;
	const struct item_choice *choice = choice_;
	enum usage_quantity i;
	int order;

	if (choice->sort == ITEM_FIELDS)
		return choice->ascending ? compare_names(a, b) : compare_names(b, a);
	if (has_field(a, choice->sort) != has_field(b, choice->sort))
		return has_field(a, choice->sort) ? -1 : 1;
	i = fields[choice->sort].quantity;
	order = (a->row.q[i] > b->row.q[i]) - (a->row.q[i] < b->row.q[i]);
	if (!order)
		return compare_names(a, b);
	return choice->ascending ? order : -order;
}

void item_sort(struct item *items, size_t count, const struct item_choice *choice)
{
	qsort_r(items, count, sizeof(*items), compare, (void *)(uintptr_t)choice);
}
