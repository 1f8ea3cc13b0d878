/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/notice.h"

#include "snapshot/metric.h"

static uint64_t count_of(const struct snapshot_scope *host, enum scope_quantity i)
{
	return ROW_HAS(host, i) ? host->q[i] : 0;
}

static void add_denied(const struct view *view, bool is_live, struct buffer *to)
{
	const struct snapshot_scope *host = view_host(view);
	uint64_t denied = count_of(host, SCOPE_UNMEASURED_DENIED);

	if (!denied)
		return;
	buffer_add_u64(to, denied);
	buffer_add_text(to, " of ");
	buffer_add_u64(to, count_of(host, SCOPE_PROCESSES));
	buffer_add_text(to, " processes could not be read: their PSS is in no sum; ");
	if (view_self(view)->flags & (SELF_CAP_SYS_PTRACE | SELF_CAP_PERFMON))
		buffer_printf(
			to, "the kernel refuses them even to %s\n", is_live ? "you" : "memtallyd");
	else if (is_live)
		buffer_add_text(to, "run as root, or run memtallyd and join group memtally\n");
	else
		buffer_add_text(to, "memtallyd needs CAP_SYS_PTRACE to read them\n");
}

/* The reasons that are nobody's lack of rights. */
static void add_others(const struct snapshot_scope *host, struct buffer *to)
{
	size_t count;
	const struct metric *table = metric_table(METRIC_HOST, &count);
	bool any = false;

	for (const struct metric *m = table; m < table + count; m++) {
		if (m->index <= SCOPE_UNMEASURED_DENIED || m->index > SCOPE_UNMEASURED_ERROR ||
			!count_of(host, (enum scope_quantity)m->index))
			continue;
		buffer_add_text(to, any ? ", " : "processes not measured for other reasons: ");
		buffer_add_u64(to, count_of(host, (enum scope_quantity)m->index));
		buffer_add_char(to, ' ');
		buffer_add_text(to, m->value);
		any = true;
	}
	if (any)
		buffer_add_char(to, '\n');
}

void notice_render(const struct view *view, bool is_live, struct buffer *to)
{
	add_denied(view, is_live, to);
	add_others(view_host(view), to);
	if (view_self(view)->flags & SELF_PROC_HIDDEN)
		buffer_printf(to,
			"/proc hides other users' processes (hidepid) from %s: they are missing\n",
			is_live ? "you" : "memtallyd");
}
