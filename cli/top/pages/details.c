/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/pages/details.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/saturate.h"
#include "cli/table/cell.h"
#include "cli/top/cells/brief.h"
#include "cli/top/pages/command-line.h"
#include "cli/top/rows/top-columns.h"
#include "render/human.h"
#include "snapshot/owner.h"

#define MINUTE_NS (60 * NS_PER_SEC)

enum { LARGEST = 10, NAME_WIDTH = 10 };

/* Appends the option NAME with VALUE as a terminated word. */
static void add_option(struct buffer *to, const char *name, const char *value)
{
	buffer_printf(to, "--%s=%s", name, value);
	buffer_add_char(to, '\0');
}

/*
 * Starts COMMAND of memtally for process PID, with OPTION if that is not NULL. --path.procfs is left
 * out if it has no effect, because it implies --live.
 */
static int details_start(struct command_output *o, const char *command, uint32_t pid,
	const char *option, const struct settings *settings)
{
	AUTO_BUFFER struct buffer procfs = {0}, socket = {0};
	char number[16], name[] = "memtally", live[] = "--live", own[32], extra[32] = "";
	char *argv[8] = {name, own, number};
	size_t count = 3;

	snprintf(own, sizeof(own), "%s", command);
	snprintf(number, sizeof(number), "%" PRIu32, pid);
	snprintf(extra, sizeof(extra), "%s", option ? option : "");
	add_option(&procfs, "path.procfs", settings->path_procfs);
	add_option(&socket, "snapshot.socket", settings->snapshot_socket);
	if (procfs.error || socket.error)
		return -ENOMEM;
	argv[count++] = socket.data;
	if (extra[0])
		argv[count++] = extra;
	if (settings->live)
		argv[count++] = live;
	if (strcmp(settings->path_procfs, "/proc") != 0)
		argv[count++] = procfs.data;
	return command_output_start(o, argv);
}

/* Without a command line there is no line of it: kernel threads have none, either. */
static void details_read_command(struct details *d, uint32_t pid, const struct settings *settings)
{
	AUTO_BUFFER struct buffer path = {0};

	buffer_printf(&path, "%s/%" PRIu32 "/cmdline", settings->path_procfs, pid);
	buffer_add_char(&path, '\0');
	if (!path.error)
		command_output_start_file(&d->command, path.data, COMMAND_LINE_MAX);
}

void details_open(struct details *d, const struct top_row *row, const struct settings *settings,
	uint64_t now_ns)
{
	details_close(d);
	d->key = row->key;
	d->start_ns = now_ns;
	d->is_past = !settings;
	if (!row->process || !settings)
		return;
	details_read_command(d, row->process->pid, settings);
	if (!ENABLE_INSPECT)
		return;
	d->error = details_start(&d->explain, "explain", row->process->pid, NULL, settings);
	if (d->error == 0)
		d->error = details_start(&d->map, "map", row->process->pid, "--by=kind", settings);
}

void details_close(struct details *d)
{
	command_output_stop(&d->explain);
	command_output_stop(&d->map);
	command_output_stop(&d->command);
	d->key = 0;
	d->error = 0;
}

size_t details_poll(const struct details *d, struct pollfd ret[static DETAILS_POLLS])
{
	size_t count = 0;

	if (d->explain.fd >= 0)
		ret[count++] = (struct pollfd){.fd = d->explain.fd, .events = POLLIN};
	if (d->map.fd >= 0)
		ret[count++] = (struct pollfd){.fd = d->map.fd, .events = POLLIN};
	if (d->command.fd >= 0)
		ret[count++] = (struct pollfd){.fd = d->command.fd, .events = POLLIN};
	return count;
}

bool details_read(struct details *d)
{
	bool is_changed = command_output_read(&d->explain);

	is_changed |= command_output_read(&d->map);
	return command_output_read(&d->command) || is_changed;
}

/* Appends a line "NAME  VALUE". */
static void add_value(struct buffer *to, const char *name, const struct buffer *value)
{
	buffer_printf(to, "%-*s  ", NAME_WIDTH, name);
	buffer_add(to, value->data, value->len);
	buffer_add_char(to, '\n');
}

static void details_add_amount(
	struct buffer *to, const char *name, const struct top_row *r, enum amount i)
{
	AUTO_BUFFER struct buffer value = {0};
	uint64_t bytes;

	if (amounts_get(&r->amounts, i, &bytes))
		human_add_bytes(&value, bytes);
	else
		buffer_add_text(&value, "not known");
	add_value(to, name, &value);
}

/* Appends where the PSS of process P comes from, and how old it is. */
static void add_source(struct buffer *to, const struct snapshot_process *p)
{
	AUTO_BUFFER struct buffer value = {0};

	if (p->outcome == OUTCOME_SHARED_MM)
		buffer_printf(&value, "the memory counts at process %u", p->mm_pid);
	else if (p->outcome != OUTCOME_MEASURED)
		buffer_printf(&value, "not measured: %s", metric_outcome_name(p->outcome));
	else if (snapshot_is_guess(p))
		buffer_add_text(&value, "guessed: never measured yet");
	else if (p->source == SOURCE_ESTIMATE)
		buffer_add_text(&value, "estimated");
	else
		buffer_printf(&value, "measured, from %s", metric_source_name(p->source));
	if (ROW_HAS(p, PROCESS_PSS_AGE)) {
		buffer_add_text(&value, ", measured ");
		human_add_age(&value, p->q[PROCESS_PSS_AGE]);
		buffer_add_text(&value, " before this snapshot");
	}
	add_value(to, "Source", &value);
}

static void details_add_bounds(struct buffer *to, const struct top_row *r)
{
	AUTO_BUFFER struct buffer value = {0};
	uint64_t low, high;

	if (!amounts_get(&r->amounts, AMOUNT_PSS_LOW, &low))
		return;
	if (amounts_get(&r->amounts, AMOUNT_PSS_HIGH, &high)) {
		human_add_range(&value, low, "to", high);
	} else {
		buffer_add_text(&value, "at least ");
		human_add_bytes(&value, low);
	}
	add_value(to, "  between", &value);
}

/* Appends how the processes of a sum were counted. */
static void details_add_counts(struct buffer *to, const struct top_row *r)
{
	AUTO_BUFFER struct buffer value = {0};
	uint64_t processes, count;

	if (!amounts_get(&r->amounts, AMOUNT_PROCESSES, &processes))
		return;
	buffer_add_u64(&value, processes);
	if (amounts_get(&r->amounts, AMOUNT_UNMEASURED, &count) && count)
		buffer_printf(&value, ", %" PRIu64 " not measured", count);
	if (amounts_get(&r->amounts, AMOUNT_GUESSED, &count) && count)
		buffer_printf(&value, ", %" PRIu64 " guessed", count);
	add_value(to, "Processes", &value);
}

/* Appends the growth of R over SPAN of KNOWN, if it is known. */
static void details_add_growth(struct buffer *to, const struct top_known *known, enum top_span span,
	const struct top_row *r)
{
	const struct top_growth *growth = &r->was.growth[span];
	uint64_t span_ns = known->span_ns[span] ? known->span_ns[span] : top_span_ns(span);

	if (!growth->is_known)
		return;
	buffer_add_text(to, to->len ? ", " : "");
	brief_add_change(to, growth->bytes);
	buffer_add_text(to, growth->is_new ? ", new in " : " in ");
	buffer_add_u64(to, span_ns / (span_ns < MINUTE_NS ? NS_PER_SEC : MINUTE_NS));
	buffer_add_text(to, span_ns < MINUTE_NS ? " s" : " min");
}

static void add_past(struct buffer *to, const struct top_glance *g, const struct top_known *known,
	const struct top_row *r)
{
	AUTO_BUFFER struct buffer growth = {0}, trend = {0};

	details_add_growth(&growth, known, TOP_SPAN_SHORT, r);
	if (known->span_ns[TOP_SPAN_SHORT] < known->span_ns[TOP_SPAN_LONG])
		details_add_growth(&growth, known, TOP_SPAN_LONG, r);
	if (!growth.len)
		buffer_add_text(&growth, "not known yet");
	add_value(to, "Growth", &growth);
	top_columns_add(g, TOP_COLUMN_TREND, r, &trend);
	add_value(to, "Trend", &trend);
}

/* Appends the owners of process P. */
static void details_add_owners(
	struct buffer *to, const struct view *view, const struct snapshot_process *p)
{
	for (unsigned int kind = 0; kind < OWNER_KINDS; kind++) {
		const struct owner *owner = owner_of((enum owner_kind)kind);
		const char *name = view_owner(view, p, (enum owner_kind)kind);

		if (strcmp(name, OWNER_NONE) != 0)
			buffer_printf(to, "%-*s  %s\n", NAME_WIDTH, owner->name, name);
	}
}

/* Finds the largest processes of the owner R of ROWS. Returns their number. */
static size_t find_largest(const struct top_rows *rows, const struct top_row *r,
	const struct snapshot_process *ret[static LARGEST])
{
	size_t count = 0;

	for (uint32_t i = 0; i < view_count(rows->view, METRIC_PROCESS); i++) {
		const struct snapshot_process *p = view_process(rows->view, i);
		size_t at;

		if (!ROW_HAS(p, PROCESS_PSS) || !top_rows_has(rows, r, i))
			continue;
		at = count < LARGEST ? count++ : LARGEST - 1;
		if (count == LARGEST && at == LARGEST - 1 && ret[at] &&
			ret[at]->q[PROCESS_PSS] >= p->q[PROCESS_PSS])
			continue;
		for (; at && ret[at - 1]->q[PROCESS_PSS] < p->q[PROCESS_PSS]; at--)
			ret[at] = ret[at - 1];
		ret[at] = p;
	}
	return count;
}

static void details_add_largest(
	struct buffer *to, const struct top_rows *rows, const struct top_row *r)
{
	const struct snapshot_process *largest[LARGEST] = {NULL};
	size_t count = find_largest(rows, r, largest);

	if (!count)
		return;
	buffer_add_text(to, "\nIts largest processes:\n");
	for (size_t i = 0; i < count; i++) {
		buffer_printf(to, "  %7u  ", largest[i]->pid);
		human_add_bytes(to, largest[i]->q[PROCESS_PSS]);
		buffer_printf(to, "  %s\n", view_owner(rows->view, largest[i], OWNER_PROGRAM));
	}
}

/* Appends what a command has printed, AGE_NS after its start, with long lines folded to WIDTH. */
static void add_output(struct buffer *to, const char *command, const struct command_output *o,
	uint64_t age_ns, size_t width)
{
	if (o->fd < 0 && !o->text.len)
		return;
	buffer_printf(to, "\n%s, ", command);
	human_add_age(to, age_ns);
	buffer_add_text(to, " ago:\n");
	for (size_t at = 0; at < o->text.len;) {
		const char *line = o->text.data + at;
		const char *end = memchr(line, '\n', o->text.len - at);
		size_t len = end ? (size_t)(end - line) : o->text.len - at;

		/* Tables have lines with runs of blanks, which folding would lose. */
		if (cell_width(line, len) > width && !memmem(line, len, "  ", 2))
			cell_add_folded(to, line, len, 0, width);
		else
			buffer_add(to, line, len);
		buffer_add_char(to, '\n');
		at += len + 1;
	}
	if (o->fd >= 0)
		buffer_add_text(to, "reading ...\n");
	if (o->is_cut)
		buffer_printf(to, "%s prints more: this is the beginning.\n", command);
}

static void add_row(struct buffer *to, const struct top_rows *rows, const struct top_row *r)
{
	const struct top_glance glance = {.view = rows->view};

	details_add_amount(to, "PSS", r, AMOUNT_PSS);
	details_add_bounds(to, r);
	if (r->process && !r->children)
		add_source(to, r->process);
	else
		details_add_counts(to, r);
	details_add_amount(to, "USS", r, AMOUNT_USS);
	details_add_amount(to, "RSS", r, AMOUNT_RSS);
	details_add_amount(to, "Swap", r, AMOUNT_SWAP);
	details_add_amount(to, "PSS + swap", r, AMOUNT_PSS_SWAP);
	add_past(to, &glance, &rows->known, r);
	if (r->process)
		details_add_owners(to, rows->view, r->process);
	else
		details_add_largest(to, rows, r);
}

void details_render(const struct details *d, const struct top_rows *rows, struct top_row *row,
	uint64_t now_ns, size_t width, struct buffer *to)
{
	uint64_t age_ns = saturate_less(now_ns, d->start_ns);

	if (!row) {
		buffer_add_text(to,
			"This row is gone: its processes have exited, or a filter hides them.\n");
	} else {
		buffer_printf(to, "%s %s", row->process ? "process" : owner_of(row->kind)->name,
			row->name);
		if (row->process)
			buffer_printf(to, ", pid %u%s", row->process->pid,
				row->children ? ", with all processes below it" : "");
		buffer_add_text(to, "\n\n");
		if (rows->history)
			top_row_remember(row, rows->view, rows->history, &rows->known);
		add_row(to, rows, row);
	}
	if (d->error < 0)
		buffer_printf(to, "\ncannot run memtally explain: %s\n", strerror(-d->error));
	if (d->is_past)
		buffer_add_text(to,
			"\nThese figures are of the past. Only the present has a command "
			"line, memtally explain\nand memtally map.\n");
	if (d->command.fd < 0)
		command_line_add(to, d->command.text.data, d->command.text.len, width);
	add_output(to, "memtally explain", &d->explain, age_ns, width);
	add_output(to, "memtally map --by=kind", &d->map, age_ns, width);
}
