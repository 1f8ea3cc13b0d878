/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/table/note.h"

#include "base/saturate.h"
#include "cli/table/cell.h"
#include "cli/table/column.h"
#include "render/human.h"
#include "snapshot/metric.h"
#include "snapshot/sums.h"

enum {
	WIDE_PART = 20,        /* of the PSS: 5 % */
	WIDE_BYTES = 1 << 20,  /* less is not worth showing, even in a small row */
	ROUNDING_BYTES = 1024, /* the kernel rounds the figure of each process */
};

/* Returns quantity I of Q; 0 if it is absent. */
static uint64_t note_quantity(uint64_t present, const uint64_t *q, unsigned int i)
{
	return present >> i & 1 ? q[i] : 0;
}

/* Without a PSS the bounds are 0 and the RSS, and the row shows the RSS: they need no note. */
static void set_bounds(struct note *n, bool has_pss, uint64_t pss_bytes)
{
	uint64_t between = n->high_bytes > n->low_bytes ? n->high_bytes - n->low_bytes : 0;

	n->pss_bytes = pss_bytes;
	n->is_wide = has_pss && !n->is_open && between > ROUNDING_BYTES * n->processes &&
	             between >= WIDE_BYTES && between >= pss_bytes / WIDE_PART;
}

void note_of_process(const struct snapshot_process *row, struct note *ret)
{
	*ret = (struct note){.is_process = true, .processes = 1};
	if (row->outcome == OUTCOME_SHARED_MM)
		ret->mm_pid = row->mm_pid;
	else if (row->outcome != OUTCOME_MEASURED)
		ret->outcome = metric_outcome_name(row->outcome);
	if (!snapshot_has_figure(row))
		return;
	ret->guessed = snapshot_is_guess(row);
	ret->low_bytes = note_quantity(row->present, row->q, PROCESS_PSS_LOW);
	ret->high_bytes = note_quantity(row->present, row->q, PROCESS_PSS_HIGH);
	ret->is_open = !ROW_HAS(row, PROCESS_PSS_HIGH);
	set_bounds(
		ret, ROW_HAS(row, PROCESS_PSS), note_quantity(row->present, row->q, PROCESS_PSS));
}

void note_of_sums(uint64_t present, const uint64_t *q, struct note *ret)
{
	*ret = (struct note){
		.processes = note_quantity(present, q, SCOPE_PROCESSES),
		.denied = note_quantity(present, q, SCOPE_UNMEASURED_DENIED),
		.blocked = note_quantity(present, q, SCOPE_UNMEASURED_BLOCKED),
		.guessed = note_quantity(present, q, SCOPE_GUESSED),
		.low_bytes = note_quantity(present, q, SCOPE_PSS_LOW),
		.high_bytes = note_quantity(present, q, SCOPE_PSS_HIGH),
		.is_open = !(present >> SCOPE_PSS_HIGH & 1),
	};
	ret->unmeasured = sums_unmeasured(present, q);
	set_bounds(ret, present >> SCOPE_PSS & 1, note_quantity(present, q, SCOPE_PSS));
}

/* Appends a comma if text was appended since START. */
static void note_go_on(struct buffer *to, size_t start)
{
	if (to->len > start)
		buffer_add_text(to, ", ");
}

static void add_count(
	struct buffer *to, size_t start, uint64_t count, uint64_t of_processes, const char *what)
{
	if (!count)
		return;
	note_go_on(to, start);
	buffer_add_u64(to, count);
	if (of_processes) {
		buffer_add_text(to, " of ");
		buffer_add_u64(to, of_processes);
	}
	buffer_add_text(to, what);
}

/* OF_PROCESSES: the number of processes in the row; 0: leave it out. */
static void add_counts(struct buffer *to, size_t start, const struct note *n, uint64_t of_processes)
{
	const char *word = n->denied == n->unmeasured    ? " denied"
	                   : n->blocked == n->unmeasured ? " blocked"
	                                                 : " unmeasured";

	add_count(to, start, n->unmeasured, of_processes, word);
	add_count(to, start, n->guessed, of_processes, " guessed");
}

/*
 * Appends how far the bounds are from the PSS: "±12 %" for the larger distance, or "up to 4.9 MiB"
 * if that exceeds the PSS.
 */
static void note_add_doubt(struct buffer *to, const struct note *n)
{
	uint64_t doubt = saturate_max(saturate_less(n->high_bytes, n->pss_bytes),
		saturate_less(n->pss_bytes, n->low_bytes));

	if (doubt > n->pss_bytes) {
		buffer_add_text(to, "up to ");
		human_add_bytes(to, n->high_bytes);
	} else {
		buffer_add_text(to, cell_is_utf8() ? "\xc2\xb1" : "+-");
		human_add_percent_up(to, (double)doubt / (double)n->pss_bytes);
	}
}

static void note_add_range(struct buffer *to, const struct note *n, const char *word, bool bytes)
{
	if (!bytes) {
		human_add_range(to, n->low_bytes, word, n->high_bytes);
		return;
	}
	buffer_add_u64(to, n->low_bytes);
	buffer_printf(to, " %s ", word);
	buffer_add_u64(to, n->high_bytes);
}

static bool is_range_shown(const struct note *n, bool bytes)
{
	return n->is_wide && (bytes || !human_is_alike(n->low_bytes, n->high_bytes));
}

bool note_is_empty(const struct note *n, bool bytes)
{
	return !n->outcome && !n->mm_pid && !n->unmeasured && !n->guessed &&
	       !is_range_shown(n, bytes);
}

void note_add(struct buffer *to, const struct note *n, bool bytes)
{
	size_t start = to->len;

	if (n->outcome)
		buffer_add_text(to, n->outcome);
	else if (n->mm_pid)
		buffer_printf(to, "memory of %u", n->mm_pid);
	else if (!n->is_process)
		add_counts(to, start, n, n->processes);
	else if (n->guessed)
		buffer_add_text(to, "guessed");
	if (is_range_shown(n, bytes)) {
		note_go_on(to, start);
		if (bytes)
			note_add_range(to, n, "to", bytes);
		else
			note_add_doubt(to, n);
	}
}

void note_add_to_total(struct buffer *to, const struct note *n, bool bytes)
{
	add_counts(to, 0, n, 0);
	if (is_range_shown(n, bytes)) {
		buffer_add_text(to, ", PSS between ");
		note_add_range(to, n, "and", bytes);
	} else if (n->is_open && n->unmeasured) {
		buffer_add_text(to, ", PSS at least ");
		column_add_amount(to, n->low_bytes, bytes);
	}
}
