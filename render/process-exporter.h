/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The metrics of process-exporter
 *
 * Renders the groups of a snapshot (OWNER_NAMEGROUP) in the Prometheus text format, with the names,
 * types and labels of process-exporter 0.7.10. Pure.
 */
#ifndef MEMTALLY_RENDER_PROCESS_EXPORTER_H
#define MEMTALLY_RENDER_PROCESS_EXPORTER_H

#include "base/buffer.h"
#include "snapshot/view.h"

/*
 * Appends the families of memory, CPU time, page faults, processes, threads, states and start times
 * to TO; the caller checks its .error. They have a series for each group with processes that
 * memtallyd marked as exported, and for "(other)" if it has processes. "(none)", the processes
 * without a group, has none. A quantity that is not known has no series, where process-exporter
 * prints 0.
 */
void process_exporter_render(const struct view *view, struct buffer *to);

#endif
