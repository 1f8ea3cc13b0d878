/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/files/filerow.h"

#include <errno.h>

/* The row of a list: a file, and in a list of users one process that maps it. */
struct filerow {
	const struct file_table_row *file;
	const struct file_user *user; /* NULL: none */
};

enum {
	FILEROW_DEVICE,
	FILEROW_INODE,
	FILEROW_NAME,
	FILEROW_KIND,
	FILEROW_STATE,
	FILEROW_EXECUTABLE,
	FILEROW_EXACT,
	FILEROW_PID,
	FILEROW_UID,
	FILEROW_USER,
	FILEROW_PROGRAM,
	FILEROW_UNIT,
	FILEROW_USER_UNIT,
	FILEROW_ANY_UNIT,
	FILEROW_AS,
};

/* Names that users choose do not begin with a bracket (kind_add_path()). */
bool filerow_is_anonymous(const struct file_table_row *file)
{
	return file->kind == KIND_SHMEM && file->name[0] == '[';
}

void filerow_owner_note(struct filerow_owner *o, pid_t pid, uint32_t uid)
{
	if (!o->pid || pid < o->pid)
		*o = (struct filerow_owner){.pid = pid, .uid = uid};
}

/* Gets the name of anonymous shared memory: "[shared] of postgres, pid 812". */
static bool get_anonymous(const struct filerow_list *list, const struct file_table_row *file,
	struct column_value *ret)
{
	size_t i = (size_t)(file - list->files->row);
	const struct filerow_owner *owner = i < list->owners ? &list->owner[i] : NULL;
	const char *user;

	if (!owner || !owner->pid)
		return column_use_text(ret, file->name);
	user = usernames_find(list->names, owner->uid);
	if (!user)
		ret->room->error = -ENOMEM;
	else
		buffer_printf(ret->room, "%s of %s, pid %d", file->name, user, (int)owner->pid);
	return column_use_room(ret);
}

static bool get_name(const struct file_table_row *file, struct column_value *ret)
{
	static const char *const marks[FILE_TABLE_FATES] = {
		[FILE_TABLE_DELETED] = " [deleted]",
		[FILE_TABLE_REPLACED] = " [replaced]",
		[FILE_TABLE_UNCERTAIN] = " [deleted?]",
		[FILE_TABLE_UNLINKED] = " [unlinked]",
	};

	ret->after = marks[file->fate];
	return column_use_text(ret, file->name);
}

static bool filerow_get_file(
	const struct list *l, const struct column *c, const void *row_, struct column_value *ret)
{
	const struct filerow *row = row_;
	const struct file_table_row *file = row->file;

	switch (c->index) {
	case FILEROW_DEVICE:
		buffer_printf(ret->room, "%x:%x", file->major, file->minor);
		return column_use_room(ret);
	case FILEROW_INODE: ret->number = file->inode; return true;
	case FILEROW_NAME:
		return l->form == LIST_TABLE && !row->user && filerow_is_anonymous(file)
		               ? get_anonymous(l->context, file, ret)
		               : get_name(file, ret);
	case FILEROW_KIND: return column_use_text(ret, kind_name(file->kind));
	case FILEROW_STATE: return column_use_text(ret, file_table_fate_name(file->fate));
	case FILEROW_EXACT:
		ret->number = file->is_exact;
		return l->form != LIST_JSON || file_table_has(file, FILE_TABLE_RESIDENT);
	default: ret->number = file->is_executable; return true;
	}
}

static bool filerow_get_user(
	const struct list *l, const struct column *c, const void *row_, struct column_value *ret)
{
	const struct filerow *row = row_;
	const struct filerow_list *list = l->context;
	const struct file_user_process *p = &list->users->process[row->user->process];
	const char *name;

	switch (c->index) {
	case FILEROW_PID: ret->number = (uint64_t)p->pid; return true;
	case FILEROW_UID: ret->number = p->uid; return true;
	case FILEROW_USER:
		name = usernames_find(list->names, p->uid);
		if (!name)
			ret->room->error = -ENOMEM;
		return column_use_text(ret, name);
	case FILEROW_PROGRAM: return column_use_text(ret, p->program);
	case FILEROW_UNIT: return column_use_text(ret, p->unit);
	case FILEROW_USER_UNIT: return column_use_text(ret, p->user_unit);
	case FILEROW_ANY_UNIT: return column_use_text(ret, p->user_unit ? p->user_unit : p->unit);
	case FILEROW_AS:
		return column_use_text(ret, row->user->part.is_executable ? "code" : "data");
	default: ret->number = row->user->part.is_executable; return true;
	}
}

/* .index is the field. A lower limit has a mark. */
static bool filerow_get_amount(
	const struct list *l, const struct column *c, const void *row_, struct column_value *ret)
{
	const struct filerow *row = row_;
	const struct filerow_list *list = l->context;
	const struct file_table_row *file = row->file;

	if (row->user) {
		ret->number = row->user->part.q[c->index];
		return row->user->part.present >> c->index & 1;
	}
	if ((c->index == FILE_TABLE_RESIDENT && !file->is_exact) ||
		(c->index == FILE_TABLE_USERS && list && list->files->users_are_low))
		ret->before = ">";
	ret->number = file->q[c->index];
	return file_table_has(file, (enum file_table_field)c->index);
}

/* clang-format off */
#define FILE_COLUMN(name, type, of)                                                                \
	.field = (name), .kind = (type), .get = filerow_get_file, .index = (of)
#define USER_COLUMN(name, type, of)                                                                \
	.field = (name), .kind = (type), .get = filerow_get_user, .index = (of)
#define AMOUNT(name, type, of)                                                                     \
	.field = (name), .kind = (type), .get = filerow_get_amount, .index = (of), .csv_place = 2
#define SORTED (COLUMN_SUM | COLUMN_SORT)
/* clang-format on */

static const struct column columns[] = {
	{FILE_COLUMN("resident_is_exact", COLUMN_FLAG, FILEROW_EXACT), .forms = LIST_SUMS,
		.flags = COLUMN_SUM},
	{FILE_COLUMN("device", COLUMN_WORD, FILEROW_DEVICE)},
	{FILE_COLUMN("inode", COLUMN_COUNT, FILEROW_INODE)},
	{FILE_COLUMN("name", COLUMN_TEXT, FILEROW_NAME), .head = "FILE", .place = 9, .csv_place = 1,
		.flags = COLUMN_PATH},
	{FILE_COLUMN("kind", COLUMN_WORD, FILEROW_KIND)},
	{FILE_COLUMN("state", COLUMN_WORD, FILEROW_STATE)},
	{FILE_COLUMN("executable", COLUMN_FLAG, FILEROW_EXECUTABLE), .csv_place = 1},
	{AMOUNT("processes", COLUMN_COUNT, FILE_TABLE_PROCESSES), .head = "PROCESSES", .place = 7,
		.drop = 1, .flags = SORTED},
	{AMOUNT("users", COLUMN_COUNT, FILE_TABLE_USERS), .head = "USERS", .place = 8, .drop = 4,
		.flags = SORTED},
	{AMOUNT("mappings", COLUMN_COUNT, FILE_TABLE_MAPPINGS), .flags = SORTED},
	{AMOUNT("size_bytes", COLUMN_BYTES, FILE_TABLE_SIZE), .flags = SORTED},
	{AMOUNT("resident_bytes", COLUMN_BYTES, FILE_TABLE_RESIDENT), .head = "RESIDENT",
		.place = 2, .drop = 2, .flags = SORTED},
	{AMOUNT("rss_bytes", COLUMN_BYTES, FILE_TABLE_RSS), .head = "RSS", .place = 3, .drop = 5,
		.flags = SORTED},
	{AMOUNT("pss_bytes", COLUMN_BYTES, FILE_TABLE_PSS), .head = "PSS", .place = 1,
		.flags = SORTED},
	{AMOUNT("private_clean_bytes", COLUMN_BYTES, FILE_TABLE_PRIVATE_CLEAN), .flags = SORTED},
	{AMOUNT("private_dirty_bytes", COLUMN_BYTES, FILE_TABLE_PRIVATE_DIRTY), .head = "DIRTY",
		.place = 4, .drop = 3, .flags = SORTED},
	{AMOUNT("private_dirty_most_bytes", COLUMN_BYTES, FILE_TABLE_PRIVATE_DIRTY_MOST),
		.head = "MAX-DIRTY", .place = 5, .drop = 6, .flags = SORTED},
	{AMOUNT("anonymous_bytes", COLUMN_BYTES, FILE_TABLE_ANONYMOUS), .flags = SORTED},
	{AMOUNT("swap_bytes", COLUMN_BYTES, FILE_TABLE_SWAP), .head = "SWAP", .place = 6,
		.flags = SORTED | COLUMN_SPARE},
	{AMOUNT("hugetlb_bytes", COLUMN_BYTES, FILE_TABLE_HUGETLB), .flags = SORTED},
	{FILE_COLUMN("resident_is_exact", COLUMN_FLAG, FILEROW_EXACT), .csv_place = 1},
};

static const struct column user_columns[] = {
	{USER_COLUMN("pid", COLUMN_COUNT, FILEROW_PID), .head = "PID"},
	{USER_COLUMN("uid", COLUMN_COUNT, FILEROW_UID)},
	{USER_COLUMN("user", COLUMN_TEXT, FILEROW_USER), .head = "USER", .flags = COLUMN_CUT},
	{USER_COLUMN("program", COLUMN_TEXT, FILEROW_PROGRAM), .head = "PROGRAM",
		.flags = COLUMN_CUT},
	{USER_COLUMN(NULL, COLUMN_TEXT, FILEROW_ANY_UNIT), .head = "UNIT", .drop = 1,
		.flags = COLUMN_CUT},
	{USER_COLUMN("unit", COLUMN_TEXT, FILEROW_UNIT)},
	{USER_COLUMN("user_unit", COLUMN_TEXT, FILEROW_USER_UNIT)},
	{FILE_COLUMN("device", COLUMN_WORD, FILEROW_DEVICE), .forms = LIST_CSV},
	{FILE_COLUMN("inode", COLUMN_COUNT, FILEROW_INODE), .forms = LIST_CSV},
	{FILE_COLUMN("kind", COLUMN_WORD, FILEROW_KIND), .forms = LIST_CSV},
	{FILE_COLUMN("state", COLUMN_WORD, FILEROW_STATE), .forms = LIST_CSV},
	{FILE_COLUMN("name", COLUMN_TEXT, FILEROW_NAME), .head = "FILE", .place = 5,
		.flags = COLUMN_PATH, .forms = LIST_TABLE | LIST_CSV},
	{USER_COLUMN(NULL, COLUMN_WORD, FILEROW_AS), .head = "AS", .place = 4},
	{USER_COLUMN("executable", COLUMN_FLAG, FILEROW_EXECUTABLE)},
	{AMOUNT("mappings", COLUMN_COUNT, FILE_TABLE_MAPPINGS)},
	{AMOUNT("size_bytes", COLUMN_BYTES, FILE_TABLE_SIZE)},
	{AMOUNT("rss_bytes", COLUMN_BYTES, FILE_TABLE_RSS), .head = "RSS", .place = 2, .drop = 3},
	{AMOUNT("pss_bytes", COLUMN_BYTES, FILE_TABLE_PSS), .head = "PSS", .place = 1},
	{AMOUNT("private_clean_bytes", COLUMN_BYTES, FILE_TABLE_PRIVATE_CLEAN)},
	{AMOUNT("private_dirty_bytes", COLUMN_BYTES, FILE_TABLE_PRIVATE_DIRTY), .head = "DIRTY",
		.place = 3, .drop = 2},
	{AMOUNT("anonymous_bytes", COLUMN_BYTES, FILE_TABLE_ANONYMOUS)},
	{AMOUNT("swap_bytes", COLUMN_BYTES, FILE_TABLE_SWAP)},
	{AMOUNT("hugetlb_bytes", COLUMN_BYTES, FILE_TABLE_HUGETLB)},
};

const struct columns filerow_columns = {columns, ARRAY_SIZE(columns)};

/* Returns the index of the row that is shown as number I of COUNT. */
static size_t filerow_nth(const struct filerow_list *list, size_t count, size_t i)
{
	return list->ascending ? count - 1 - i : i;
}

static int filerow_add_users(const struct list *l, const void *row_, struct buffer *to)
{
	const struct filerow *row = row_;
	const struct filerow_list *list = l->context;
	AUTO_LIST struct list users = {.column = user_columns,
		.columns = ARRAY_SIZE(user_columns),
		.form = LIST_JSON,
		.to = to,
		.context = list};
	size_t count;
	const struct file_user *user = file_users_of(
		list->users, (uint32_t)(row->file - list->files->row), &count);
	int r = 0;

	buffer_add_text(to, ",\"mapped_by\":[");
	list_begin(&users);
	for (size_t i = 0; r == 0 && i < count; i++)
		r = list_add(&users, &(struct filerow){.file = row->file, .user = &user[i]});
	buffer_add_char(to, ']');
	return r == 0 ? to->error : r;
}

static struct file_table_row filerow_total_of(const struct file_table *files)
{
	struct file_table_row total;

	file_table_total(files, &total);
	total.present &= ~(UINT64_C(1) << FILE_TABLE_PRIVATE_DIRTY_MOST);
	return total;
}

/* "total of 98 files (88 not shown)" */
static void filerow_add_total(const struct filerow_list *list, struct list *l)
{
	const struct file_table *s = list->files;
	struct file_table_row total = filerow_total_of(s);
	AUTO_BUFFER struct buffer text = {0};

	buffer_printf(&text, "total of %zu file%s", s->rows, s->rows == 1 ? "" : "s");
	list_add_not_shown(l, &text);
	if (s->rest.q[FILE_TABLE_MAPPINGS])
		buffer_printf(&text, ", and %llu mappings of files without a row",
			(unsigned long long)s->rest.q[FILE_TABLE_MAPPINGS]);
	list_total(l, &(struct filerow){.file = &total}, &text);
}

int filerow_print_files(const struct filerow_list *list, struct buffer *to)
{
	AUTO_LIST struct list l = list_make(&filerow_columns, &list->look, list, to);
	int r = 0;

	list_keep_sort(&l, list->sort);
	l.add_members = list->is_selected ? filerow_add_users : NULL;
	list_begin(&l);
	for (size_t i = 0; r == 0 && i < list->count; i++)
		r = list_add(&l, &(struct filerow){.file = &list->files->row[list->row[filerow_nth(
							   list, list->count, i)]]});
	if (r == 0 && !list->is_selected)
		filerow_add_total(list, &l);
	return r == 0 ? list_end(&l) : r;
}

int filerow_print_users(const struct filerow_list *list, struct buffer *to)
{
	const struct columns of_users = {user_columns, ARRAY_SIZE(user_columns)};
	AUTO_LIST struct list l = list_make(&of_users, &list->look, list, to);
	size_t count = list->users->count;
	int r = 0;

	list_begin(&l);
	for (size_t i = 0; r == 0 && i < count; i++) {
		const struct file_user *user = &list->users->item[filerow_nth(list, count, i)];

		r = list_add(&l, &(struct filerow){&list->files->row[user->part.row], user});
	}
	if (r == 0)
		r = list_end(&l);
	if (r == 0 && list->look.form == LIST_TABLE && l.shown < count)
		buffer_printf(to, "%zu of %zu shown\n", l.shown, count);
	return r == 0 ? to->error : r;
}

void filerow_add_json_sums(const struct file_table_row *row, struct buffer *to)
{
	struct file_table_row sum = *row;

	sum.present &= ~(UINT64_C(1) << FILE_TABLE_PRIVATE_DIRTY_MOST);
	list_add_sums(&(struct list){.column = columns, .columns = ARRAY_SIZE(columns)},
		&(struct filerow){.file = &sum}, to);
}
