/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/files/files.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "cli/common/command.h"
#include "cli/common/each-process.h"
#include "cli/common/inspection.h"
#include "cli/common/reading/hint.h"
#include "cli/common/reading/supervisor.h"
#include "cli/common/sort-names.h"
#include "cli/files/file-filter.h"
#include "cli/files/file-users.h"
#include "cli/files/filerow.h"
#include "cli/table/output.h"
#include "inspect/files/inventory.h"

/* The version of the JSON format. */
enum { FILES_VERSION = 1 };

static int files_parse(struct inspection *i, char error[static CLI_OPTION_ERROR_SIZE])
{
	const struct settings *c = i->settings;
	int r;

	if (c->file && *c->file != '/' && strncmp(c->file, "memfd:", 6) != 0 &&
		strncmp(c->file, "SysV ", 5) != 0)
		return cli_option_refuse("--file", c->file,
			"a name as files has it, such as /a/path or memfd:name", error);
	i->look = command_look(c, LIST_TABLE);
	i->sort = FILE_TABLE_PSS;
	i->is_sorted = c->sort;
	r = sort_names_parse(c, &filerow_columns, NULL, &i->sort, &i->ascending, error);
	return r == 0 ? pid_selection_parse_or_all(c, &i->chosen, error) : r;
}

/* The state of one run. */
struct showing {
	const struct inspection *options;
	struct file_filter wanted;
	struct inventory inventory;
	struct file_users users;
	struct usernames names;
	struct buffer owners; /* struct filerow_owner, by row of the file table */
	struct buffer text, failures;
	size_t read, denied, blocked, changed;
	/* of these, processes that were given by pid: each has a message of its own */
	size_t named_denied, named_changed;
	bool has_failed;
};

static void cleanup_files_showing(struct showing *s)
{
	file_filter_done(&s->wanted);
	inventory_done(&s->inventory);
	file_users_done(&s->users);
	usernames_done(&s->names);
	buffer_done(&s->owners);
	buffer_done(&s->text);
	buffer_done(&s->failures);
}

/* Returns NAME clean and terminated, in TO; NULL if it is empty or there is no memory. */
static const char *files_clean(const struct cgroup_name *name, struct buffer *to)
{
	if (!name->len)
		return NULL;
	text_add_clean(to, name->text, name->len);
	buffer_add_char(to, '\0');
	return to->error ? NULL : to->data;
}

/*
 * Adds process T to the users of files, if it maps files that the filter accepts, with its memory
 * for each.
 */
static int add_mappers(
	struct showing *s, const struct target *t, const char *unit, const char *user_unit)
{
	const struct file_table *table = &s->inventory.files;
	bool is_added = false;
	int r = 0;

	for (size_t i = 0; r == 0 && i < table->parts; i++) {
		const struct file_table_part *part = &table->part[i];

		if (part->row == FILE_TABLE_REST ||
			!file_filter_is(&s->wanted, &table->row[part->row]))
			continue;
		if (!is_added)
			r = file_users_add_process(&s->users, t->process.pid, t->sample.uid,
				target_program(t), unit, user_unit);
		is_added = true;
		if (r == 0)
			r = file_users_add(&s->users, part);
	}
	return r;
}

/* Notes that T, which was read, maps its anonymous shared memory. */
static int note_owner(struct showing *s, const struct target *t)
{
	const struct file_table *table = &s->inventory.files;
	struct buffer *owners = &s->owners;
	struct filerow_owner *owner;

	for (size_t i = 0; i < table->parts; i++) {
		uint32_t row = table->part[i].row;
		size_t end = ((size_t)row + 1) * sizeof(*owner);

		if (row == FILE_TABLE_REST || !filerow_is_anonymous(&table->row[row]))
			continue;
		if (owners->len < end)
			buffer_add_zero(owners, end - owners->len);
		if (owners->error)
			return owners->error;
		owner = (void *)owners->data;
		filerow_owner_note(&owner[row], t->process.pid, t->sample.uid);
	}
	return 0;
}

static int read_target(struct target *t, void *context)
{
	struct showing *s = context;
	AUTO_BUFFER struct buffer unit = {0}, user_unit = {0};
	bool has_cgroup = t->sample.has_cgroup;
	const char *units[] = {has_cgroup ? files_clean(&t->reader.cgroup.unit, &unit) : NULL,
		has_cgroup ? files_clean(&t->reader.cgroup.user_unit, &user_unit) : NULL};
	int r = unit.error ? unit.error : user_unit.error;

	if (r == 0)
		r = inventory_read(&s->inventory, t);
	if (r == 0)
		r = note_owner(s, t);
	return r == 0 && file_filter_is_some(&s->wanted) ? add_mappers(s, t, units[0], units[1])
	                                                 : r;
}

/* Logs that PID could not be read, and adds it to the failures. */
static void say_failure(struct showing *s, pid_t pid, const char *why, bool is_error)
{
	log_error("pid %d %s%s", (int)pid, is_error ? "cannot be read: " : "", why);
	buffer_printf(&s->failures, "%s{\"pid\":%d,\"error\":\"%s\"}", s->failures.len ? "," : "",
		(int)pid, why);
	s->has_failed = true;
}

static void files_count(struct showing *s, const struct pid_selection_process *p, int r)
{
	bool is_counted = true, is_named = !p->is_found;

	switch (r) {
	case 0: s->read++; break;
	case INVENTORY_KNOWN: break;
	case TARGET_DENIED:
		s->denied++;
		s->named_denied += is_named;
		break;
	case TARGET_BLOCKED:
		s->blocked++;
		inventory_drop(&s->inventory);
		break;
	case TARGET_CHANGED:
		s->changed++;
		s->named_changed += is_named;
		break;
	/* Exited processes and kernel threads map nothing. */
	case TARGET_GONE:
	case TARGET_ENDED:
	case TARGET_KERNEL_THREAD: break;
	default: is_counted = false; break;
	}
	if (is_named ? r != 0 && r != INVENTORY_KNOWN : !is_counted)
		say_failure(s, p->pid, r < 0 ? strerror(-r) : target_text((enum target_outcome)r),
			r < 0);
}

/* Returns 0, or an error that ends the run. */
static int read_process(
	struct showing *s, const struct procfs *procfs, const struct pid_selection_process *p)
{
	int r = each_process_try(procfs, p, read_target, s);

	if (r == -ENOMEM || r == -EOVERFLOW)
		return r;
	files_count(s, p, r);
	return 0;
}

static bool is_row_wanted(uint32_t row, const void *context)
{
	const struct showing *s = context;

	return file_filter_is(&s->wanted, &s->inventory.files.row[row]);
}

/* Gives the rows that the filter accepts, in order. Returns 0 or -ENOMEM. */
static int select_rows(const struct showing *s, uint32_t **ret, size_t *ret_count)
{
	const struct file_table *table = &s->inventory.files;
	AUTO_FREE uint32_t *row = NULL;
	int r = file_table_order(table, (enum file_table_field)s->options->sort, &row);

	if (r < 0)
		return r;
	*ret_count = 0;
	for (size_t i = 0; i < table->rows; i++)
		if (file_filter_is(&s->wanted, &table->row[row[i]]))
			row[(*ret_count)++] = row[i];
	*ret = TAKE_PTR(row);
	return 0;
}

static int add_json(const struct showing *s, const struct filerow_list *list, struct buffer *to)
{
	const struct file_table *table = list->files;
	struct file_table_row total;
	int r;

	buffer_printf(to,
		"{\"version\":%d,\"processes\":{\"read\":%zu,\"denied\":%zu,\"blocked\":%zu,\"changed\":%zu,\"failed\":[",
		FILES_VERSION, s->read, s->denied, s->blocked, s->changed);
	buffer_add(to, s->failures.data, s->failures.len);
	buffer_printf(to, "]},\"count\":%zu,\"files\":[", list->count);
	r = filerow_print_files(list, to);
	buffer_add_char(to, ']');
	if (table->rest.q[FILE_TABLE_MAPPINGS]) {
		buffer_add_text(to, ",\"rest\":");
		filerow_add_json_sums(&table->rest, to);
	}
	if (!list->is_selected) {
		file_table_total(table, &total);
		buffer_add_text(to, ",\"total\":");
		filerow_add_json_sums(&total, to);
	}
	buffer_add_text(to, "}\n");
	return r;
}

static int files_print(struct showing *s)
{
	const struct inspection *o = s->options;
	AUTO_FREE uint32_t *row = NULL;
	struct filerow_list list = {
		.files = &s->inventory.files,
		.owner = (const void *)s->owners.data,
		.owners = s->owners.len / sizeof(struct filerow_owner),
		.users = &s->users,
		.names = &s->names,
		.is_selected = file_filter_is_some(&s->wanted),
		.look = o->look,
		.sort = (enum file_table_field)o->sort,
		.ascending = o->ascending,
	};
	int r = select_rows(s, &row, &list.count);

	if (r < 0)
		return r;
	list.row = row;
	if (o->look.form == LIST_JSON)
		file_users_sort_by_file(&s->users);
	else
		file_users_sort(&s->users, o->is_sorted ? list.sort : FILE_TABLE_FIELDS);
	if (o->look.form == LIST_JSON)
		r = add_json(s, &list, &s->text);
	else if (list.is_selected)
		r = filerow_print_users(&list, &s->text);
	else
		r = filerow_print_files(&list, &s->text);
	return r == 0 ? output_flush(&s->text) : r;
}

/* Logs which processes, and so which memory, are missing. */
static void files_say_missing(const struct showing *s, const struct procfs *procfs)
{
	size_t denied = s->denied - s->named_denied, changed = s->changed - s->named_changed;

	if (denied)
		log_warning(
			"the kernel refused %zu process%s: the figures do not include %s mappings",
			denied, denied == 1 ? "" : "es", denied == 1 ? "its" : "their");
	if (s->named_denied || (denied && !s->read))
		hint_say(&(struct hint){0}, procfs, TARGET_DENIED);
	if (procfs->hides_from_us)
		log_warning(
			"/proc hides processes of other users (hidepid): the figures do not include "
			"their mappings");
	if (changed)
		log_info(
			"%zu process%s executed another program during the scan and %s not counted",
			changed, changed == 1 ? "" : "es", changed == 1 ? "is" : "are");
	if (s->inventory.files.rest.q[FILE_TABLE_MAPPINGS])
		log_warning(
			"too many files: those found last have no rows, and are only in the total");
	if (s->wanted.may_wait)
		log_warning(
			"%s is on a file system that may not answer (FUSE, network) or of an unknown type: memtally compared names only",
			s->wanted.name.data);
	if (s->users.left_out)
		log_warning(
			"%zu more rows of processes and files are not shown", s->users.left_out);
}

/* Returns 0 if there is something to print; 1 if not, which has been logged. */
static int say_nothing(const struct showing *s)
{
	if (!s->read) {
		/* If none was chosen, the reason has been logged. */
		if (!s->has_failed && s->options->chosen.count)
			log_error("no process could be read");
		return 1;
	}
	if (s->options->settings->file && !s->users.count) {
		log_error("no process that could be read maps %s", s->wanted.name.data);
		return 1;
	}
	if (s->options->settings->deleted && !s->users.count)
		log_info(
			"no file that the %zu process%s that could be read map%s has been deleted or replaced",
			s->read, s->read == 1 ? "" : "es", s->read == 1 ? "s" : "");
	return 0;
}

static int files_show(struct inspection *i)
{
	const struct settings *c = i->settings;
	CLEANUP(cleanup_files_showing) struct showing s = {.options = i};
	CLEANUP(procfs_close) struct procfs procfs = {.fd = -1};
	int r, printed;

	if (pid_selection_open(c, &i->chosen, &procfs) == PID_SELECTION_FAILED)
		return 1;
	inventory_init(&s.inventory, procfs.live);
	r = file_filter_open(c->file, c->deleted, &s.wanted);
	for (size_t k = 0; r == 0 && k < i->chosen.count; k++)
		r = read_process(&s, &procfs, &i->chosen.process[k]);
	if (r < 0)
		return r;
	inventory_finish(&s.inventory);
	file_users_keep(&s.users, is_row_wanted, &s);
	printed = say_nothing(&s);
	r = printed && i->look.form == LIST_TABLE ? 0 : files_print(&s);
	supervisor_say();
	files_say_missing(&s, &procfs);
	return r < 0 ? r : printed || s.has_failed;
}

int files_run(const struct settings *settings, bool is_check)
{
	return inspection_run(settings, is_check, CLI_VIEW_FILES, files_parse, files_show);
}
