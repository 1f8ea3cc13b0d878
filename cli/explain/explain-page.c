/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/explain/explain-page.h"

#include <inttypes.h>
#include <math.h>

#include "cli/common/reading/pid-names.h"
#include "cli/table/cell.h"
#include "cli/table/line.h"
#include "inspect/maps/kind.h"
#include "render/human.h"
#include "snapshot/metric.h"

enum { AMOUNT_WIDTH = 12, BYTES_WIDTH = 20 };

static void explain_page_add_amount(const struct explanation *e, uint64_t bytes, struct buffer *to)
{
	if (e->bytes)
		buffer_printf(to, "%" PRIu64 " bytes", bytes);
	else
		human_add_bytes(to, bytes);
}

/* Begins a row of a list: BYTES in their column, and two blanks. */
static void begin_row(const struct explanation *e, uint64_t bytes, struct buffer *to)
{
	AUTO_BUFFER struct buffer amount = {0};

	explain_page_add_amount(e, bytes, &amount);
	line_begin(to, "");
	buffer_printf(
		to, "%*.*s  ", e->bytes ? BYTES_WIDTH : AMOUNT_WIDTH, (int)amount.len, amount.data);
}

/* Unlinked files count as files here; "On exit" has their fate. */
static void explain_page_add_parts(
	const struct explanation *e, const uint64_t part[static BREAKDOWN_PARTS], struct buffer *to)
{
	const struct {
		uint64_t bytes;
		const char *text;
	} parts[] = {
		{part[BREAKDOWN_ANON], " anonymous"},
		{part[BREAKDOWN_SHMEM] + part[BREAKDOWN_NAMED], " shared memory"},
		{part[BREAKDOWN_DRIVER], " of drivers"},
		{part[BREAKDOWN_FILE] + part[BREAKDOWN_UNLINKED], " of files"},
	};
	const char *before = ": ";

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!parts[i].bytes)
			continue;
		buffer_add_text(to, before);
		explain_page_add_amount(e, parts[i].bytes, to);
		buffer_add_text(to, parts[i].text);
		before = ", ";
	}
	buffer_add_char(to, '\n');
}

static void explain_page_add_head(
	const struct explanation *e, const struct explanation_figures *f, struct buffer *to)
{
	buffer_printf(to, "%d is ", (int)e->pid);
	cell_add_printable(to, e->program);
	if (e->user) {
		buffer_add_text(to, ", of ");
		cell_add_printable(to, e->user);
	}
	buffer_add_text(to, ": ");
	explain_page_add_amount(e, f->rss, to);
	buffer_add_text(to, " resident (RSS), of which ");
	explain_page_add_amount(e, f->pss, to);
	buffer_add_text(to, " are its share (PSS)\n\n");
}

/* Appends the processes with the same address space: all figures are theirs, too. */
static void add_twins(const struct explanation *e, struct buffer *to)
{
	if (!e->twins)
		return;
	line_begin(to, "Same");
	for (size_t i = 0; i < e->twins && i < e->limit; i++) {
		buffer_printf(to, "%s%d ", i ? ", " : "", (int)e->twin[i].pid);
		cell_add_printable(to, e->twin[i].program);
	}
	pid_names_add_more(to, e->twins, e->limit);
	buffer_add_text(to, e->twins == 1 ? " has" : " have");
	buffer_add_text(to, " the same address space: all figures here are theirs, too\n");
}

/* Appends a line with BYTES between BEFORE and AFTER; nothing if BYTES is 0. */
static void add_besides(const struct explanation *e, const char *before, uint64_t bytes,
	const char *after, struct buffer *to)
{
	if (!bytes)
		return;
	line_begin(to, "");
	buffer_add_text(to, before);
	explain_page_add_amount(e, bytes, to);
	buffer_add_text(to, after);
}

static void add_alone(
	const struct explanation *e, const struct explanation_figures *f, struct buffer *to)
{
	line_begin(to, "Alone");
	if (!f->is_known) {
		buffer_add_text(to, "the kernel does not tell private from shared memory\n");
		return;
	}
	explain_page_add_amount(e, f->alone, to);
	buffer_add_text(to, " mapped by no other process (USS)");
	explain_page_add_parts(e, e->breakdown->alone, to);
	add_besides(e, "", f->pagetable, " of page tables in addition, which are not in RSS\n", to);
	add_besides(e, "", e->breakdown->total.q[MAPPING_PRIVATE_HUGETLB],
		" of hugetlb pages in addition, which are not in RSS\n", to);
}

/* Returns true if there may be processes with maps that were not read. */
static bool explain_page_is_partial(const struct explanation *e)
{
	return e->refused || e->hides || e->is_inside;
}

/* Appends how many other processes map THING, which the kernel says is mapped more than once. */
static void explain_page_add_others(
	const struct explanation *e, const struct sharers_object *thing, struct buffer *to)
{
	if (thing->others) {
		buffer_add_text(to, ", also in ");
		line_add_count(to, thing->others, " other process", " other processes");
		buffer_add_text(to, thing->inode ? "\n" : " at the same address\n");
	} else if (explain_page_is_partial(e)) {
		buffer_add_text(to,
			", mapped more than once, perhaps by processes that could not be read\n");
	} else {
		buffer_add_text(to, ", mapped more than once, but no longer by another process\n");
	}
}

static void add_things(const struct explanation *e, struct buffer *to)
{
	const struct sharers *s = e->sharers;

	for (size_t i = 0; i < s->objects && i < e->limit; i++) {
		begin_row(e, s->object[i].shared_bytes, to);
		cell_add_printable(to, s->object[i].name);
		explain_page_add_others(e, &s->object[i], to);
	}
	if (s->objects > e->limit) {
		line_begin(to, "");
		buffer_printf(to, "and %zu more\n", s->objects - e->limit);
	}
}

/* Appends the processes that may be missing. */
static void add_unseen(const struct explanation *e, struct buffer *to)
{
	if (e->refused) {
		line_begin(to, "");
		buffer_printf(to, "%zu of %zu other processes could not be read\n", e->refused,
			e->looked + e->refused);
	}
	if (e->hides) {
		line_begin(to, "");
		buffer_add_text(
			to, "/proc is mounted with hidepid: other users' processes are not seen\n");
	}
	if (e->is_inside) {
		line_begin(to, "");
		buffer_add_text(to,
			"processes outside of this pid namespace, such as the host's, are not seen\n");
	}
}

static void add_programs(const struct explanation *e, struct buffer *to)
{
	const struct sharers *s = e->sharers;

	const char *none = explain_page_is_partial(e) ? "mapped by no process that could be read\n"
	                                              : "no longer mapped by another process\n";

	line_begin(to, "");
	buffer_add_text(to,
		s->programs ? "sharers by program, each with the most that it can share:\n" : none);
	for (size_t i = 0; i < s->programs && i < e->limit; i++) {
		const struct sharers_program *p = &s->program[i];

		begin_row(e, p->shared_bytes, to);
		cell_add_printable(to, p->name);
		buffer_add_text(to, ", ");
		line_add_count(to, p->processes, " process", " processes");
		if (p->forked_bytes) {
			buffer_add_text(to, ", ");
			if (p->forked < p->processes)
				buffer_printf(to, "%zu of them ", p->forked);
			buffer_add_text(to, "related by fork: ");
			explain_page_add_amount(e, p->forked_bytes, to);
			buffer_add_text(to, " anonymous");
		}
		buffer_add_char(to, '\n');
	}
	if (s->programs > e->limit) {
		line_begin(to, "");
		buffer_add_text(to, "and ");
		line_add_count(to, s->programs - e->limit, " more program\n", " more programs\n");
	}
	add_unseen(e, to);
}

static void explain_page_add_shared(
	const struct explanation *e, const struct explanation_figures *f, struct buffer *to)
{
	double sharers;

	if (!f->is_known)
		return;
	line_begin(to, "Shared");
	explain_page_add_amount(e, f->shared, to);
	buffer_add_text(to, " mapped by other processes, too");
	explain_page_add_parts(e, e->breakdown->shared, to);
	add_besides(e, "", e->breakdown->total.q[MAPPING_SHARED_HUGETLB],
		" of hugetlb pages in addition, which are not in RSS\n", to);
	if (!f->shared)
		return;
	if (mapping_table_sharers(&e->breakdown->total, &sharers)) {
		line_begin(to, "");
		buffer_printf(to,
			"mapped by %.1f processes on average; the share of this process is ",
			sharers);
		explain_page_add_amount(e, f->share, to);
		buffer_add_char(to, '\n');
	}
	add_things(e, to);
	add_programs(e, to);
}

static void add_swapped(const struct explanation *e, struct buffer *to)
{
	struct mapping_table *kinds = &e->breakdown->kinds;
	const struct mapping_table_row *total = &e->breakdown->total;

	line_begin(to, "Swapped");
	if (!((total->present >> MAPPING_SWAP) & 1) || !total->q[MAPPING_SWAP]) {
		buffer_add_text(to, (total->present >> MAPPING_SWAP) & 1
					    ? "nothing\n"
					    : "the kernel does not say\n");
		return;
	}
	explain_page_add_amount(e, total->q[MAPPING_SWAP], to);
	buffer_add_text(to, " in swap space");
	if ((total->present >> MAPPING_SWAP_PSS) & 1) {
		buffer_add_text(to, "; its share of the anonymous part is ");
		explain_page_add_amount(e, total->q[MAPPING_SWAP_PSS], to);
	}
	buffer_add_char(to, '\n');
	mapping_table_sort(kinds, MAPPING_SWAP);
	for (size_t i = 0; i < kinds->rows && i < e->limit && kinds->row[i].q[MAPPING_SWAP]; i++) {
		begin_row(e, kinds->row[i].q[MAPPING_SWAP], to);
		buffer_printf(to, "%s\n", kinds->row[i].name);
	}
}

/* Appends the slope of a least-squares line through the last hour, and twice its standard error. */
static void add_slope(const struct explanation *e, struct buffer *to)
{
	const struct snapshot_process *row = e->grown;
	double slope, error;

	if (!ROW_HAS(row, PROCESS_ANON_SLOPE) || !ROW_HAS(row, PROCESS_ANON_SLOPE_ERROR))
		return;
	slope = metric_real(row->q[PROCESS_ANON_SLOPE]);
	error = metric_real(row->q[PROCESS_ANON_SLOPE_ERROR]);
	line_begin(to, "");
	buffer_add_text(to,
		slope < 0 ? "over the last hour it shrank by " : "over the last hour it grew by ");
	explain_page_add_amount(e, (uint64_t)(fabs(slope) * 3600), to);
	buffer_add_text(to, " an hour, plus or minus ");
	explain_page_add_amount(e, (uint64_t)(error * 2 * 3600), to);
	if (fabs(slope) <= 2 * error)
		buffer_add_text(to, ": so it may be 0");
	buffer_add_char(to, '\n');
}

static void add_grown(const struct explanation *e, struct buffer *to)
{
	const struct snapshot_process *row = e->grown;

	line_begin(to, "Growth");
	if (!row || !ROW_HAS(row, PROCESS_ANON_GROWTH) || !ROW_HAS(row, PROCESS_SEEN)) {
		buffer_add_text(to, "not known: ");
		cell_add_printable(
			to, row ? "memtallyd has read the process only once" : e->unknown);
		buffer_add_char(to, '\n');
		return;
	}
	explain_page_add_amount(e, row->q[PROCESS_ANON_GROWTH], to);
	buffer_add_text(to,
		" of anonymous memory, resident or swapped out, since memtallyd first saw it, ");
	human_add_age(to, row->q[PROCESS_SEEN]);
	buffer_add_text(to, " ago\n");
	add_slope(e, to);
}

static void add_most(const struct explanation *e, struct buffer *to)
{
	uint64_t now, most;

	line_begin(to, "Peak");
	if (!explanation_has(e, PROCESS_VM_HWM) || !explanation_has(e, PROCESS_RSS)) {
		buffer_add_text(to, "the kernel does not say\n");
		return;
	}
	now = e->q[PROCESS_RSS];
	most = e->q[PROCESS_VM_HWM];
	explain_page_add_amount(e, most, to);
	buffer_add_text(to, " resident at one time (VmHWM), ");
	if (most <= now || (!e->bytes && human_is_alike(most, now))) {
		buffer_add_text(to, "as much as now\n");
		return;
	}
	explain_page_add_amount(e, most - now, to);
	buffer_add_text(
		to, " more than now: given back, reclaimed by the kernel, or swapped out\n");
}

/* Appends the largest rows by kind and by file, both by PSS, which adds up. */
static void add_largest(const struct explanation *e, struct buffer *to)
{
	struct mapping_table *const tables[] = {&e->breakdown->kinds, &e->breakdown->files};
	static const char *const heads[] = {"by kind, in PSS:", "by file or name, in PSS:"};

	for (size_t k = 0; k < ARRAY_SIZE(tables); k++) {
		mapping_table_sort(tables[k], MAPPING_PSS);
		line_begin(to, k ? "" : "Largest");
		buffer_printf(to, "%s\n", heads[k]);
		for (size_t i = 0;
			i < tables[k]->rows && i < e->limit && tables[k]->row[i].q[MAPPING_PSS];
			i++) {
			const struct mapping_table_row *row = &tables[k]->row[i];

			begin_row(e, row->q[MAPPING_PSS], to);
			cell_add_printable(to, row->name);
			buffer_add_text(to, kind_note(row->is_deleted, row->fate));
			buffer_add_char(to, '\n');
		}
	}
}

/* Appends the memory that the kernel frees when the process exits, and the fate of the rest. */
static void add_on_exit(
	const struct explanation *e, const struct explanation_figures *f, struct buffer *to)
{
	line_begin(to, "On exit");
	if (e->twins) {
		buffer_add_text(
			to, "nothing is freed while another process has the same address space\n");
		return;
	}
	if (!f->is_known) {
		buffer_add_text(to, "not known\n");
		return;
	}
	buffer_add_text(to, f->freed_is_exact ? "" : e->is_averaged ? "about " : "at most ");
	explain_page_add_amount(e, f->freed, to);
	buffer_add_text(to, " are freed: its unshared anonymous memory and page tables\n");
	add_besides(e, "also ", f->shmem_freed,
		" of shared memory, unless it has a name or is held open\n", to);
	add_besides(e, "", f->shmem_kept,
		" of shared memory stay, since other processes map the object, although not these "
		"pages\n",
		to);
	add_besides(
		e, "", f->shmem_named, " of files on tmpfs stay until the files are removed\n", to);
	add_besides(e, "also ", f->unlinked_freed,
		" of unlinked files, unless they have another name or are held open\n", to);
	add_besides(e, "also ", f->driver_freed,
		" of drivers (packet rings, BPF maps), unless another reference keeps it\n", to);
	add_besides(e, "", f->driver_kept,
		" of drivers stay, since other processes map the object, although not these pages\n",
		to);
	add_besides(e, "", f->cached,
		" of files stay in the page cache until the kernel needs the memory\n", to);
	add_besides(e, "the PSS of other processes grows by ", f->others_more, "\n", to);
	add_besides(e, "at most ", f->swap_freed, " of swap space are freed\n", to);
	add_besides(e, "", f->hugetlb_freed,
		" of hugetlb pages return to their pool, unless a file has them\n", to);
}

static void add_how_shared(const struct explanation *e, struct buffer *to)
{
	if (!e->looked && explain_page_is_partial(e)) {
		buffer_add_text(to,
			"sharers: not known, since the maps of no other process could be read\n");
		return;
	}
	buffer_add_text(to, "sharers: the maps of ");
	line_add_count(to, e->looked, " other process", " other processes");
	buffer_add_text(to, ", files by device and inode, anonymous\n");
	line_begin(to, "");
	buffer_add_text(to, "memory by its address, since fork keeps addresses\n");
}

static void add_how(const struct explanation *e, struct buffer *to)
{
	line_begin(to, "Sources");
	buffer_printf(to,
		"RSS, PSS, alone, shared and swapped: the sum of %" PRIu64
		" mappings in /proc/%d/smaps,\n",
		e->breakdown->total.mappings, (int)e->pid);
	line_begin(to, "");
	buffer_add_text(to, "each PSS rounded down to a KiB; page tables and VmHWM: its status\n");
	if (e->is_averaged) {
		line_begin(to, "");
		buffer_add_text(to,
			"map counts: averaged over large folios by this kernel, so that PSS,\n");
		line_begin(to, "");
		buffer_add_text(to, "alone, shared and freed memory are approximations\n");
	}
	line_begin(to, "");
	add_how_shared(e, to);
	if (e->grown) {
		line_begin(to, "");
		buffer_add_text(to, "growth: memtallyd's snapshot of ");
		human_add_age(to, e->snapshot_age_ns);
		buffer_add_text(to, " ago; its bounds are twice the standard error\n");
	}
}

void explain_page_add_page(const struct explanation *e, struct buffer *to)
{
	struct explanation_figures f;

	explanation_reckon(e, &f);
	sharers_sort(e->sharers);
	explain_page_add_head(e, &f, to);
	add_twins(e, to);
	add_alone(e, &f, to);
	explain_page_add_shared(e, &f, to);
	add_swapped(e, to);
	add_grown(e, to);
	add_most(e, to);
	add_largest(e, to);
	add_on_exit(e, &f, to);
	add_how(e, to);
}
