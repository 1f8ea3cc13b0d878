/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/snapshot/walk.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static bool is_text(const struct view *view, uint32_t ref)
{
	const char *text = view_text(view, ref);

	return text_is_clean(text, strlen(text)) && (!*text || !ref || !text[-1]);
}

static bool is_value(enum metric_kind kind, uint64_t v)
{
	if (metric_is_real(kind))
		return isfinite(metric_real(v)) &&
		       (metric_real(v) >= 0 || kind == METRIC_SIGNED_REAL);
	return kind == METRIC_SIGNED ? v != UINT64_C(1) << 63 : v < UINT64_C(1) << 63;
}

/* Checks the quantities against the metric table, which renderers print from. */
static bool are_quantities(enum metric_scope scope, uint64_t present, const uint64_t *q)
{
	size_t count;
	const struct metric *m = metric_table(scope, &count);

	for (size_t i = 0; i < count; i++) {
		uint64_t v;

		if (metric_get(&m[i], present, q, &v) && !is_value(m[i].kind, v))
			return false;
	}
	return true;
}

static const char *walk_header(const struct view *view)
{
	const struct image_header *h = view->header;

	if (h->sequence < 1 || h->sequence > INT64_MAX)
		return "the sequence";
	if (h->pass_begin_ns > h->boottime_ns || h->boottime_ns > h->stale_ns ||
		h->stale_ns > INT64_MAX || h->realtime_ns > INT64_MAX)
		return "the times";
	if (h->interval_ns < 1 || h->interval_ns > INT64_MAX)
		return "the interval";
	return NULL;
}

static const char *walk_scope(const struct view *view, enum metric_scope scope)
{
	unsigned int others = 0;

	for (uint32_t i = 0; i < view_count(view, scope); i++) {
		const struct snapshot_scope *row = view_scope(view, scope, i);

		if (!is_text(view, row->name) || !is_text(view, row->above) ||
			!is_text(view, row->user))
			return "the name of a row";
		if (!are_quantities(scope, row->present, row->q))
			return "a quantity of a row";
		if (row->created_ns > INT64_MAX)
			return "the time of a row";
		others += (row->flags & SCOPE_OTHER) != 0;
	}
	return others > 1 ? "two (other) rows" : NULL;
}

static bool are_owners(const struct view *view, const struct snapshot_process *row)
{
	for (size_t kind = 0; kind < OWNER_KINDS; kind++)
		if (!is_text(view, row->owner[kind]))
			return false;
	return true;
}

static const char *walk_processes(const struct view *view)
{
	const struct snapshot_process *last = NULL;

	if (view_is_public(view) && view_count(view, METRIC_PROCESS))
		return "processes in a public image";
	for (uint32_t i = 0; i < view_count(view, METRIC_PROCESS); i++) {
		const struct snapshot_process *row = view_process(view, i);

		if (row->pid < 1 || row->pid > INT32_MAX || (last && last->pid >= row->pid))
			return "the order of processes";
		if (view_find_process(view, row->pid) != row)
			return "a process that cannot be found";
		if (!are_owners(view, row))
			return "the name of a process";
		if (row->source >= SOURCE_COUNT_ || row->outcome >= OUTCOME_COUNT_ ||
			row->mm_pid > INT32_MAX || row->ppid > INT32_MAX)
			return "the source or outcome of a process";
		if (!are_quantities(METRIC_PROCESS, row->present, row->q))
			return "a quantity of a process";
		last = row;
	}
	return NULL;
}

static const char *walk_histograms(const struct view *view)
{
	unsigned int seen[HISTOGRAM_COUNT_] = {0};

	for (uint32_t i = 0; i < view->section[SECTION_HISTOGRAMS].count; i++) {
		const struct snapshot_histogram *h = view_histogram(view, i);
		uint64_t left = h->count;

		if (h->id >= HISTOGRAM_COUNT_)
			continue;
		if (seen[h->id]++)
			return "a histogram twice";
		for (size_t k = 0; k < HISTOGRAM_BUCKETS; k++) {
			if (h->bucket[k] > left)
				return "the sum of a histogram";
			left -= h->bucket[k];
		}
		if (left || h->count > INT64_MAX || h->sum_ns > INT64_MAX)
			return "the sum of a histogram";
	}
	return NULL;
}

static const char *walk_balance(const struct view *view)
{
	const struct snapshot_balance *balance = view_balance(view);

	if (balance && !are_quantities(METRIC_BALANCE, balance->present, balance->q))
		return "a quantity of the balance";
	for (uint32_t i = 0; i < view_holding_count(view); i++) {
		const struct snapshot_holding *row = view_holding(view, i);

		if (!is_text(view, row->name))
			return "the name of a holding";
		if (row->kind < HOLDING_KINDS &&
			!are_quantities(metric_holding_scope((enum holding_kind)row->kind),
				row->present, row->q))
			return "a quantity of a holding";
	}
	return NULL;
}

static const char *walk_files(const struct view *view)
{
	const struct snapshot_survey *survey = view_survey(view);

	if (survey && !are_quantities(METRIC_SURVEY, survey->present, survey->q))
		return "a quantity of the survey";
	if (view_is_public(view) && view_count(view, METRIC_FILE))
		return "files in a public image";
	for (uint32_t i = 0; i < view_count(view, METRIC_FILE); i++) {
		const struct snapshot_file *row = view_file(view, i);

		if (!is_text(view, row->path))
			return "the path of a file";
		if (!are_quantities(METRIC_FILE, row->present, row->q))
			return "a quantity of a file";
	}
	return NULL;
}

const char *walk_view(const struct view *view)
{
	const struct snapshot_self *self = view_self(view);
	const char *wrong = walk_header(view);

	for (int scope = METRIC_HOST; !wrong && scope < METRIC_OWNERS_END; scope++)
		wrong = walk_scope(view, (enum metric_scope)scope);
	if (!wrong)
		wrong = walk_processes(view);
	if (!wrong)
		wrong = walk_histograms(view);
	if (!wrong)
		wrong = walk_balance(view);
	if (!wrong)
		wrong = walk_files(view);
	if (!wrong && (!is_text(view, self->version) ||
			      !are_quantities(METRIC_SELF, self->present, self->q)))
		wrong = "memtallyd's own row";
	if (!wrong && view_count(view, METRIC_HOST) != 1)
		wrong = "the host's rows";
	return wrong;
}

static uint64_t sum_of(const struct view *view, enum metric_scope scope, enum scope_quantity i)
{
	uint64_t sum = 0;

	for (uint32_t k = 0; k < view_count(view, scope); k++) {
		const struct snapshot_scope *row = view_scope(view, scope, k);

		if (!(row->flags & SCOPE_OTHER) && ROW_HAS(row, i))
			sum += row->q[i];
	}
	return sum;
}

const char *walk_sums(const struct view *view)
{
	static const enum scope_quantity added[] = {SCOPE_PSS, SCOPE_PSS_LOW, SCOPE_PSS_HIGH,
		SCOPE_USS, SCOPE_RSS, SCOPE_SWAP_PSS, SCOPE_VM_SWAP, SCOPE_PAGETABLE, SCOPE_VM_SIZE,
		SCOPE_THREADS, SCOPE_PROCESSES, SCOPE_UNMEASURED_DENIED, SCOPE_UNMEASURED_MALFORMED,
		SCOPE_UNMEASURED_CHANGING, SCOPE_UNMEASURED_ERROR, SCOPE_UNMEASURED_BLOCKED};
	static char text[128];

	for (size_t k = 0; k < ARRAY_SIZE(added); k++)
		for (int scope = METRIC_USER; scope < METRIC_OWNERS_END; scope++) {
			uint64_t sum = sum_of(view, (enum metric_scope)scope, added[k]);
			uint64_t host = view_host(view)->q[added[k]];

			if (sum == host || !ROW_HAS(view_host(view), added[k]))
				continue; /* as for bounds: if a process has none, no sum has one */
			snprintf(text, sizeof(text),
				"quantity %d: %llu over scope %d, %llu of the host", (int)added[k],
				(unsigned long long)sum, scope, (unsigned long long)host);
			return text;
		}
	return NULL;
}
