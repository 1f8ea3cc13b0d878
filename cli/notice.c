/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/notice.h"

#include <stdbool.h>

#include "snapshot/metric.h"

enum { NEGLIGIBLE_PART = 100 };

static const char *reader_of(enum notice_source source)
{
	return source == NOTICE_DAEMON ? "memtallyd" : "you";
}

/* What nobody would miss in a sum: at most 1 % of what it may be. */
static bool is_negligible(const struct sums *sums)
{
	uint64_t rss = sums->q[SCOPE_UNMEASURED_RSS_DENIED];

	return ROW_HAS(sums, SCOPE_UNMEASURED_RSS_DENIED) && ROW_HAS(sums, SCOPE_PSS) &&
	       rss <= sums->q[SCOPE_PSS] / NEGLIGIBLE_PART;
}

static void add_denied(const struct view *view, const struct sums *sums, enum notice_source source,
	struct buffer *to)
{
	uint64_t denied = sums->q[SCOPE_UNMEASURED_DENIED];
	bool is_one = denied == 1;

	if (!denied || is_negligible(sums))
		return;
	buffer_add_u64(to, denied);
	buffer_add_text(to, " of ");
	buffer_add_u64(to, sums->q[SCOPE_PROCESSES]);
	buffer_printf(to, " process%s could not be read: %s PSS is in no sum; ",
		sums->q[SCOPE_PROCESSES] == 1 ? "" : "es", is_one ? "its" : "their");
	if (view_self(view)->flags & (SELF_CAP_SYS_PTRACE | SELF_CAP_PERFMON))
		buffer_printf(to, "the kernel refuses %s even to %s\n", is_one ? "it" : "them",
			reader_of(source));
	else if (source == NOTICE_LIVE)
		buffer_add_text(to, "run as root, or run memtallyd and join group memtally\n");
	else if (source == NOTICE_LIVE_BY_DAEMON)
		buffer_add_text(to, "run as root, or join group memtally\n");
	else
		buffer_printf(
			to, "memtallyd needs CAP_SYS_PTRACE to read %s\n", is_one ? "it" : "them");
}

/* The reasons that are nobody's lack of rights. */
static void add_others(const struct sums *sums, struct buffer *to)
{
	size_t count;
	const struct metric *table = metric_table(METRIC_HOST, &count);
	bool any = false;

	for (const struct metric *m = table; m < table + count; m++) {
		if (m->index <= SCOPE_UNMEASURED_DENIED || m->index > SCOPE_UNMEASURED_ERROR ||
			!sums->q[m->index])
			continue;
		buffer_add_text(to, any ? ", " : "processes not measured for other reasons: ");
		buffer_add_u64(to, sums->q[m->index]);
		buffer_add_char(to, ' ');
		buffer_add_text(to, m->value);
		any = true;
	}
	if (any)
		buffer_add_char(to, '\n');
}

void notice_render(const struct view *view, const struct sums *sums, enum notice_source source,
	struct buffer *to)
{
	add_denied(view, sums, source, to);
	add_others(sums, to);
	if (view_self(view)->flags & SELF_PROC_HIDDEN)
		buffer_printf(to,
			"/proc hides other users' processes (hidepid) from %s: they are missing\n",
			reader_of(source));
}
