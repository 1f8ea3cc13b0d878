/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "render/process-exporter.h"

#include <string.h>

#include "base/cleanup.h"
#include "render/decimal.h"
#include "render/prometheus.h"
#include "snapshot/owner.h"

#define FAMILY(name) "namedprocess_namegroup_" name

static const char cpu[] = FAMILY("cpu_seconds");
static const char cpu_help[] = "CPU time of the processes in the group, by mode.";
static const char memory[] = FAMILY("memory_bytes");
static const char memory_help[] =
	"Memory of the processes in the group, by type; proportionalResident is the PSS.";
static const char states[] = FAMILY("states");
static const char states_help[] = "Processes in the group, by the state of their main threads.";

/*
 * A series of each group; names of counters are without "_total". Rows of the same family are
 * consecutive.
 */
static const struct sample {
	const char *family, *help;
	const char *label, *value; /* a second label; NULL: the series has none */
	enum scope_quantity index;
	enum metric_kind kind;
	enum metric_type type;
} samples[] = {
	{cpu, cpu_help, "mode", "system", SCOPE_CPU_SYSTEM, METRIC_NANOSECONDS, METRIC_COUNTER},
	{cpu, cpu_help, "mode", "user", SCOPE_CPU_USER, METRIC_NANOSECONDS, METRIC_COUNTER},
	{FAMILY("major_page_faults"), "Page faults of the processes in the group that needed I/O.",
		NULL, NULL, SCOPE_MAJOR_FAULTS, METRIC_INTEGER, METRIC_COUNTER},
	{memory, memory_help, "memtype", "proportionalResident", SCOPE_PSS, METRIC_INTEGER},
	{memory, memory_help, "memtype", "proportionalSwapped", SCOPE_SWAP_PSS, METRIC_INTEGER},
	{memory, memory_help, "memtype", "resident", SCOPE_RSS, METRIC_INTEGER},
	{memory, memory_help, "memtype", "swapped", SCOPE_VM_SWAP, METRIC_INTEGER},
	{memory, memory_help, "memtype", "virtual", SCOPE_VM_SIZE, METRIC_INTEGER},
	{FAMILY("minor_page_faults"),
		"Page faults of the processes in the group that needed no I/O.", NULL, NULL,
		SCOPE_MINOR_FAULTS, METRIC_INTEGER, METRIC_COUNTER},
	{FAMILY("num_procs"), "Processes in the group.", NULL, NULL, SCOPE_PROCESSES,
		METRIC_INTEGER},
	{FAMILY("num_threads"), "Threads of the processes in the group.", NULL, NULL, SCOPE_THREADS,
		METRIC_INTEGER},
	{FAMILY("oldest_start_time_seconds"),
		"Start of the oldest process in the group, in seconds since the epoch.", NULL, NULL,
		SCOPE_OLDEST_START, METRIC_NANOSECONDS},
	{states, states_help, "state", "Other", SCOPE_OTHER_STATE, METRIC_INTEGER},
	{states, states_help, "state", "Running", SCOPE_RUNNING, METRIC_INTEGER},
	{states, states_help, "state", "Sleeping", SCOPE_SLEEPING, METRIC_INTEGER},
	{states, states_help, "state", "Waiting", SCOPE_WAITING, METRIC_INTEGER},
};

static bool is_shown(const struct view *view, const struct snapshot_scope *row)
{
	return (row->flags & (SCOPE_EXPORTED | SCOPE_OTHER)) && ROW_HAS(row, SCOPE_PROCESSES) &&
	       row->q[SCOPE_PROCESSES] && strcmp(view_text(view, row->name), OWNER_NONE) != 0;
}

static void add_sample(const struct sample *s, const char *group, uint64_t value, struct buffer *to)
{
	buffer_add_text(to, s->family);
	if (s->type == METRIC_COUNTER)
		buffer_add_text(to, "_total");
	buffer_add_char(to, '{');
	prometheus_add_label(to, true, "groupname", group);
	if (s->label)
		prometheus_add_label(to, false, s->label, s->value);
	buffer_add_text(to, "} ");
	decimal_add_quantity(to, s->kind, value);
	buffer_add_char(to, '\n');
}

/*
 * Appends S of each group, and the head of its family unless FAMILY is that one already. Returns the
 * family of the last sample in TO.
 */
static const char *add_samples(
	const struct view *view, const struct sample *s, const char *family, struct buffer *to)
{
	enum metric_scope scope = metric_owner_scope(OWNER_NAMEGROUP);

	for (uint32_t i = 0; i < view_count(view, scope); i++) {
		const struct snapshot_scope *row = view_scope(view, scope, i);

		if (!is_shown(view, row) || !ROW_HAS(row, s->index))
			continue;
		if (family != s->family)
			prometheus_add_family(to, PROMETHEUS_TEXT, s->family,
				s->type == METRIC_COUNTER ? "counter" : "gauge", NULL, s->help);
		family = s->family;
		add_sample(s, view_text(view, row->name), row->q[s->index], to);
	}
	return family;
}

void process_exporter_render(const struct view *view, struct buffer *to)
{
	const char *family = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		family = add_samples(view, &samples[i], family, to);
}
