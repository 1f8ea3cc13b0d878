/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/compare/reason-text.h"

#include "base/saturate.h"
#include "render/human.h"
#include "snapshot/metric.h"

static void reason_text_add_count(
	uint64_t count, const char *one, const char *many, struct buffer *to)
{
	buffer_add_u64(to, count);
	buffer_add_text(to, count == 1 ? one : many);
}

/* Appends in which other group the processes are. */
static void reason_text_add_exec(const struct comparison_row *row, struct buffer *to)
{
	buffer_add_text(to, "theirs matched before exec");
	if (!row->other) {
		buffer_add_text(to, ": the sums over these groups agree");
		return;
	}
	buffer_add_text(to, row->theirs.q[SCRAPE_PROCESSES] > row->ours.q[SCRAPE_PROCESSES]
				    ? ": ours has some in "
				    : ": theirs has some in ");
	buffer_add_text(to, row->other);
}

/* Appends "2 denied, 1 blocked": our processes that were not measured. */
static void reason_text_add_unmeasured(const struct comparison_row *row, struct buffer *to)
{
	const char *separator = "";

	for (size_t i = 0; i < SUMS_REASONS; i++) {
		if (!row->unmeasured[i])
			continue;
		buffer_add_text(to, separator);
		buffer_add_u64(to, row->unmeasured[i]);
		buffer_add_char(to, ' ');
		buffer_add_text(to, metric_outcome_name(sums_reason(i)->outcome));
		separator = ", ";
	}
}

/* Appends MEASURED and the age of our measurement; if that is not known, the snapshot's age. */
static void reason_text_add_age(
	const struct comparison_row *row, const char *measured, struct buffer *to)
{
	buffer_add_text(to, row->has_age ? measured : ", snapshot of ");
	human_add_age(to, row->age_ns);
	buffer_add_text(to, " ago");
}

static void reason_text_add_difference(const struct comparison_row *row, struct buffer *to)
{
	uint64_t ours = row->ours.q[SCRAPE_PROCESSES], theirs = row->theirs.q[SCRAPE_PROCESSES];
	uint64_t apart = saturate_distance(ours, theirs);

	switch (row->reason) {
	case COMPARISON_EQUAL: buffer_add_text(to, "equal"); break;
	case COMPARISON_ROUNDING: buffer_add_text(to, "within rounding"); break;
	case COMPARISON_BOUNDS:
		buffer_add_text(to, "within the bounds of ours");
		reason_text_add_age(row, ", measured ", to);
		break;
	case COMPARISON_TIME:
		buffer_add_text(to, "measured at different times");
		reason_text_add_age(row, ", ours ", to);
		break;
	case COMPARISON_NO_MEMORY:
		buffer_add_text(to, "theirs counts ");
		reason_text_add_count(
			apart, " kernel thread or zombie", " kernel threads or zombies", to);
		break;
	case COMPARISON_OWN: buffer_add_text(to, "theirs counts this memtally"); break;
	case COMPARISON_EMPTY: buffer_add_text(to, "theirs keeps empty groups"); break;
	case COMPARISON_EXEC: reason_text_add_exec(row, to); break;
	case COMPARISON_NO_PSS:
		buffer_add_text(to, "theirs has no PSS (-gather-smaps=false)");
		break;
	case COMPARISON_DENIED: buffer_add_text(to, "theirs has no PSS: not permitted (0)"); break;
	case COMPARISON_UNMEASURED: buffer_add_text(to, "ours could not be measured"); break;
	case COMPARISON_ONLY_OURS:
	case COMPARISON_ONLY_THEIRS:
		buffer_printf(to, "only %s: is naming.process_exporter the same file?",
			row->reason == COMPARISON_ONLY_OURS ? "ours" : "theirs");
		break;
	case COMPARISON_PROCESSES:
		buffer_add_text(to, "not explained: theirs has ");
		reason_text_add_count(apart, theirs > ours ? " process more" : " process fewer",
			theirs > ours ? " processes more" : " processes fewer", to);
		break;
	default:
		buffer_add_text(to, "not explained: RSS or PSS differs by more than 1 MiB and 5 %");
		break;
	}
}

void reason_text_add(const struct comparison_row *row, struct buffer *to)
{
	reason_text_add_difference(row, to);
	if (!comparison_unmeasured(row))
		return;
	buffer_add_text(
		to, row->reason == COMPARISON_UNMEASURED ? ": " : "; of ours not measured: ");
	reason_text_add_unmeasured(row, to);
}
