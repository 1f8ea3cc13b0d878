/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/files/filerow.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/table/csv.h"
#include "cli/table/jsontext.h"
#include "render/human.h"

static const struct {
	const char *head;
	enum file_table_field field;
} columns[] =
	{
		{"PSS", FILE_TABLE_PSS},
		{"RESIDENT", FILE_TABLE_RESIDENT},
		{"RSS", FILE_TABLE_RSS},
		{"DIRTY", FILE_TABLE_PRIVATE_DIRTY},
		{"MAX-DIRTY", FILE_TABLE_PRIVATE_DIRTY_MOST},
		{"SWAP", FILE_TABLE_SWAP},
		{"PROCESSES", FILE_TABLE_PROCESSES},
		{"USERS", FILE_TABLE_USERS},
},
  user_columns[] = {
	  {"PSS", FILE_TABLE_PSS},
	  {"RSS", FILE_TABLE_RSS},
	  {"DIRTY", FILE_TABLE_PRIVATE_DIRTY},
};

static const char absent[] = "-";

#define BIT(field) (UINT64_C(1) << (field))

/* Fields that a file has, and a single process that maps it has not. */
#define OF_FILES                                                                                   \
	(BIT(FILE_TABLE_PROCESSES) | BIT(FILE_TABLE_USERS) | BIT(FILE_TABLE_RESIDENT) |            \
		BIT(FILE_TABLE_PRIVATE_DIRTY_MOST))

static size_t filerow_shown(const struct filerow_list *list, size_t count)
{
	return list->limit && list->limit < count ? list->limit : count;
}

/* Returns the index of the row that is shown as number I of COUNT. */
static size_t filerow_nth(const struct filerow_list *list, size_t count, size_t i)
{
	return list->ascending ? count - 1 - i : i;
}

static const struct file_table_row *filerow_row_at(const struct filerow_list *list, size_t i)
{
	return &list->files->row[list->row[filerow_nth(list, list->count, i)]];
}

static const struct file_user *user_at(const struct filerow_list *list, size_t i)
{
	return &list->users->item[filerow_nth(list, list->users->count, i)];
}

static void filerow_end_cell(struct table *t)
{
	buffer_add_char(&t->text, '\0');
}

static void filerow_add_cell(struct table *t, const char *text)
{
	buffer_add_text(&t->text, text ? text : absent);
	filerow_end_cell(t);
}

static void filerow_add_column(struct table *t, const char *head, bool is_right, bool is_wide)
{
	struct table_column *c = &t->column[t->columns++];

	snprintf(c->head, sizeof(c->head), "%s", head);
	c->is_right = is_right;
	c->is_wide = is_wide;
}

static void add_file_column(struct table *t)
{
	filerow_add_column(t, "FILE", false, true);
	t->column[t->columns - 1].is_path = true;
}

static void filerow_add_amount(const struct filerow_list *list, struct table *t,
	enum file_table_field field, uint64_t value)
{
	if (file_table_field_is_bytes(field) && !list->bytes)
		human_add_bytes(&t->text, value);
	else
		buffer_add_u64(&t->text, value);
}

static void add_field(const struct filerow_list *list, struct table *t,
	const struct file_table_row *row, enum file_table_field field)
{
	if (!file_table_has(row, field)) {
		filerow_add_cell(t, absent);
		return;
	}
	if ((field == FILE_TABLE_RESIDENT && !row->is_exact) ||
		(field == FILE_TABLE_USERS && list->files->users_are_low))
		buffer_add_char(&t->text, '>');
	filerow_add_amount(list, t, field, row->q[field]);
	filerow_end_cell(t);
}

static void filerow_add_name(const struct file_table_row *row, struct table *t)
{
	static const char *const marks[FILE_TABLE_FATES] = {
		[FILE_TABLE_DELETED] = " [deleted]",
		[FILE_TABLE_REPLACED] = " [replaced]",
		[FILE_TABLE_UNCERTAIN] = " [deleted?]",
		[FILE_TABLE_UNLINKED] = " [unlinked]",
	};

	buffer_add_text(&t->text, row->name);
	if (marks[row->fate])
		buffer_add_text(&t->text, marks[row->fate]);
	filerow_end_cell(t);
}

enum { WIDTH_NARROW = 100 };

/* With all columns a terminal of 80 columns has hardly any room for names. */
static bool filerow_has_column(const struct filerow_list *list, enum file_table_field field)
{
	struct file_table_row total;

	if (!list->width || list->width >= WIDTH_NARROW || field == list->sort)
		return true;
	if (field != FILE_TABLE_SWAP)
		return field != FILE_TABLE_PRIVATE_DIRTY_MOST;
	file_table_total(list->files, &total);
	return total.q[FILE_TABLE_SWAP];
}

/* "total of 98 files (88 not shown) of 12 processes" */
static void filerow_add_total(const struct filerow_list *list, const bool *has, struct table *t)
{
	const struct file_table *s = list->files;
	struct file_table_row total;

	file_table_total(s, &total);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (has[i] && columns[i].field == FILE_TABLE_PRIVATE_DIRTY_MOST)
			filerow_add_cell(t, absent);
		else if (has[i])
			add_field(list, t, &total, columns[i].field);
	filerow_end_cell(t);
	buffer_printf(&t->total, "total of %zu file%s", s->rows, s->rows == 1 ? "" : "s");
	if (filerow_shown(list, list->count) < list->count)
		buffer_printf(&t->total, " (%zu not shown)",
			list->count - filerow_shown(list, list->count));
	if (s->rest.q[FILE_TABLE_MAPPINGS])
		buffer_printf(&t->total, ", and %llu mappings of files without a row",
			(unsigned long long)s->rest.q[FILE_TABLE_MAPPINGS]);
	t->rows++;
	t->has_total = true;
}

int filerow_table(const struct filerow_list *list, struct table *ret)
{
	bool has[ARRAY_SIZE(columns)];

	*ret = (struct table){0};
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		has[i] = filerow_has_column(list, columns[i].field);
		if (has[i])
			filerow_add_column(ret, columns[i].head, true, false);
	}
	add_file_column(ret);
	for (size_t i = 0; i < filerow_shown(list, list->count); i++, ret->rows++) {
		const struct file_table_row *row = filerow_row_at(list, i);

		for (size_t k = 0; k < ARRAY_SIZE(columns); k++)
			if (has[k])
				add_field(list, ret, row, columns[k].field);
		filerow_add_name(row, ret);
	}
	if (!list->is_selected)
		filerow_add_total(list, has, ret);
	return ret->text.error ? ret->text.error : ret->total.error;
}

static const char *filerow_user_of(
	const struct filerow_list *list, const struct file_user_process *p, struct buffer *to)
{
	const char *name = usernames_find(list->names, p->uid);

	if (!name)
		to->error = -ENOMEM;
	return name ? name : "";
}

static const char *unit_of(const struct file_user_process *p)
{
	return p->user_unit ? p->user_unit : p->unit;
}

static void add_mapper(const struct filerow_list *list, const struct file_user *m, struct table *t)
{
	const struct file_user_process *p = &list->users->process[m->process];

	buffer_add_u64(&t->text, (uint64_t)p->pid);
	filerow_end_cell(t);
	filerow_add_cell(t, filerow_user_of(list, p, &t->text));
	filerow_add_cell(t, p->program);
	filerow_add_cell(t, unit_of(p));
	for (size_t i = 0; i < ARRAY_SIZE(user_columns); i++) {
		enum file_table_field field = user_columns[i].field;

		if (m->part.present >> field & 1)
			filerow_add_amount(list, t, field, m->part.q[field]);
		else
			buffer_add_text(&t->text, absent);
		filerow_end_cell(t);
	}
	filerow_add_cell(t, m->part.is_executable ? "code" : "data");
	filerow_add_name(&list->files->row[m->part.row], t);
	t->rows++;
}

int filerow_mapper_table(const struct filerow_list *list, struct table *ret)
{
	size_t count = list->users->count;

	*ret = (struct table){0};
	filerow_add_column(ret, "PID", true, false);
	filerow_add_column(ret, "USER", false, false);
	filerow_add_column(ret, "PROGRAM", false, false);
	filerow_add_column(ret, "UNIT", false, true);
	for (size_t i = 0; i < ARRAY_SIZE(user_columns); i++)
		filerow_add_column(ret, user_columns[i].head, true, false);
	filerow_add_column(ret, "AS", false, false);
	add_file_column(ret);
	for (size_t i = 0; i < filerow_shown(list, count); i++)
		add_mapper(list, user_at(list, i), ret);
	return ret->text.error;
}

void filerow_add_mappers_shown(const struct filerow_list *list, struct buffer *to)
{
	size_t count = list->users->count;

	if (filerow_shown(list, count) < count)
		buffer_printf(to, "%zu of %zu shown\n", filerow_shown(list, count), count);
}

static const char *bool_text(bool value)
{
	return value ? "true" : "false";
}

static void add_json_fields(uint64_t present, const uint64_t *q, struct buffer *to)
{
	for (unsigned int i = 0; i < FILE_TABLE_FIELDS; i++)
		if (present >> i & 1)
			buffer_printf(to, ",\"%s\":%llu",
				file_table_field_name((enum file_table_field)i),
				(unsigned long long)q[i]);
}

static void filerow_add_json_user(
	const struct filerow_list *list, const struct file_user *m, struct buffer *to)
{
	const struct file_user_process *p = &list->users->process[m->process];

	buffer_printf(to, "{\"pid\":%d,\"uid\":%u", (int)p->pid, p->uid);
	jsontext_add(to, "user", filerow_user_of(list, p, to));
	jsontext_add(to, "program", p->program);
	if (p->unit)
		jsontext_add(to, "unit", p->unit);
	if (p->user_unit)
		jsontext_add(to, "user_unit", p->user_unit);
	buffer_printf(to, ",\"executable\":%s", bool_text(m->part.is_executable));
	add_json_fields(m->part.present & ~OF_FILES, m->part.q, to);
	buffer_add_char(to, '}');
}

static void add_json_mappers(const struct filerow_list *list, uint32_t row, struct buffer *to)
{
	size_t count;
	const struct file_user *m = file_users_of(list->users, row, &count);

	buffer_add_text(to, ",\"mapped_by\":[");
	for (size_t i = 0; i < count; i++) {
		if (i)
			buffer_add_char(to, ',');
		filerow_add_json_user(list, &m[i], to);
	}
	buffer_add_char(to, ']');
}

/* Appends all but the closing brace. */
static void filerow_add_json_row(const struct file_table_row *row, struct buffer *to)
{
	buffer_printf(to, "{\"device\":\"%x:%x\",\"inode\":%llu", row->major, row->minor,
		(unsigned long long)row->inode);
	jsontext_add(to, "name", row->name);
	buffer_printf(to, ",\"kind\":\"%s\",\"state\":\"%s\",\"executable\":%s",
		kind_name(row->kind), file_table_fate_name(row->fate),
		bool_text(row->is_executable));
	add_json_fields(row->present, row->q, to);
	if (file_table_has(row, FILE_TABLE_RESIDENT))
		buffer_printf(to, ",\"resident_is_exact\":%s", bool_text(row->is_exact));
}

void filerow_add_json(const struct filerow_list *list, bool with_users, struct buffer *to)
{
	for (size_t i = 0; i < filerow_shown(list, list->count); i++) {
		if (i)
			buffer_add_char(to, ',');
		filerow_add_json_row(filerow_row_at(list, i), to);
		if (with_users)
			add_json_mappers(list, list->row[filerow_nth(list, list->count, i)], to);
		buffer_add_char(to, '}');
	}
}

void filerow_add_json_sums(const struct file_table_row *row, struct buffer *to)
{
	buffer_printf(to, "{\"resident_is_exact\":%s", bool_text(row->is_exact));
	add_json_fields(row->present & ~BIT(FILE_TABLE_PRIVATE_DIRTY_MOST), row->q, to);
	buffer_add_char(to, '}');
}

/* Appends all fields except those in LEFT_OUT. */
static void add_csv_fields(
	uint64_t left_out, uint64_t present, const uint64_t *q, struct buffer *to)
{
	for (unsigned int i = 0; i < FILE_TABLE_FIELDS; i++) {
		if (left_out >> i & 1)
			continue;
		buffer_add_char(to, ',');
		if (present >> i & 1)
			buffer_add_u64(to, q[i]);
	}
}

static void add_csv_file(const struct file_table_row *row, struct buffer *to)
{
	buffer_printf(to, "%x:%x,%llu,%s,%s,", row->major, row->minor,
		(unsigned long long)row->inode, kind_name(row->kind),
		file_table_fate_name(row->fate));
	csv_add_text(to, row->name);
}

static void add_csv_field_heads(uint64_t left_out, struct buffer *to)
{
	for (unsigned int i = 0; i < FILE_TABLE_FIELDS; i++)
		if (!(left_out >> i & 1))
			buffer_printf(to, ",%s", file_table_field_name((enum file_table_field)i));
	buffer_add_char(to, '\n');
}

void filerow_add_csv(const struct filerow_list *list, struct buffer *to)
{
	buffer_add_text(to, "device,inode,kind,state,name,executable,resident_is_exact");
	add_csv_field_heads(0, to);
	for (size_t i = 0; i < filerow_shown(list, list->count); i++) {
		const struct file_table_row *row = filerow_row_at(list, i);

		add_csv_file(row, to);
		buffer_printf(
			to, ",%s,%s", bool_text(row->is_executable), bool_text(row->is_exact));
		add_csv_fields(0, row->present, row->q, to);
		buffer_add_char(to, '\n');
	}
}

static void filerow_add_csv_user(
	const struct filerow_list *list, const struct file_user *m, struct buffer *to)
{
	const struct file_user_process *p = &list->users->process[m->process];

	buffer_printf(to, "%d,%u,", (int)p->pid, p->uid);
	csv_add_text(to, filerow_user_of(list, p, to));
	buffer_add_char(to, ',');
	csv_add_text(to, p->program);
	buffer_add_char(to, ',');
	csv_add_text(to, p->unit ? p->unit : "");
	buffer_add_char(to, ',');
	csv_add_text(to, p->user_unit ? p->user_unit : "");
	buffer_add_char(to, ',');
	add_csv_file(&list->files->row[m->part.row], to);
	buffer_printf(to, ",%s", bool_text(m->part.is_executable));
	add_csv_fields(OF_FILES, m->part.present, m->part.q, to);
	buffer_add_char(to, '\n');
}

void filerow_add_mapper_csv(const struct filerow_list *list, struct buffer *to)
{
	size_t count = list->users->count;

	buffer_add_text(
		to, "pid,uid,user,program,unit,user_unit,device,inode,kind,state,name,executable");
	add_csv_field_heads(OF_FILES, to);
	for (size_t i = 0; i < filerow_shown(list, count); i++)
		filerow_add_csv_user(list, user_at(list, i), to);
}
