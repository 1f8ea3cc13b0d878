/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparison with process-exporter
 *
 * Matches the namegroups of a snapshot with the groups of a scrape by their names, and finds the
 * reason for each difference. Pure.
 */
#ifndef MEMTALLY_CLI_COMPARE_COMPARISON_H
#define MEMTALLY_CLI_COMPARE_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/compare/scrape.h"
#include "snapshot/sums.h"
#include "snapshot/view.h"

enum comparison_reason {
	COMPARISON_EQUAL,
	COMPARISON_ROUNDING, /* by the kernel: 1 KiB of PSS, 64 pages of RSS, for each process */
	COMPARISON_BOUNDS,   /* their PSS is within the bounds of ours */
	/*
	 * The processes are as many. The RSS differs by at most 1 MiB, 5 % or its rounding, the
	 * largest of these. Their PSS is outside of the bounds of ours by at most 1 MiB or 5 % more
	 * than the RSS differs: memory was allocated or freed between the two measurements.
	 */
	COMPARISON_TIME,
	/* process-exporter counts processes without memory, too; the figures agree otherwise */
	COMPARISON_NO_MEMORY,
	COMPARISON_OWN, /* process-exporter counts memtally itself, which is not in the snapshot */
	COMPARISON_EMPTY, /* process-exporter keeps groups without processes */
	/*
	 * process-exporter has processes in the group of the program that they were before exec. The
	 * sums of both groups, or of all groups that are left, agree.
	 */
	COMPARISON_EXEC,
	COMPARISON_NO_PSS, /* process-exporter measures none: -gather-smaps=false */
	COMPARISON_DENIED, /* process-exporter may not read it, and serves 0 */
	/* From here on: not explained. */
	COMPARISON_UNMEASURED, /* memtally could measure none of the processes */
	COMPARISON_ONLY_OURS,
	COMPARISON_ONLY_THEIRS,
	COMPARISON_PROCESSES, /* the numbers of processes differ */
	COMPARISON_MEMORY,    /* RSS or PSS differs by more than time explains */
	COMPARISON_REASONS
};

/* A group. In .ours and .theirs 0 processes mean that the other program has the group alone. */
struct comparison_row {
	const char *name; /* borrowed from the view or the scrape, as that of .other */
	struct scrape_group ours, theirs;
	bool has_low, has_high, has_age;
	/* Bounds of our PSS. Without .has_low 0; without .has_high, in a group of ours, INT64_MAX. */
	uint64_t pss_low_bytes, pss_high_bytes;
	uint64_t age_ns; /* of our oldest measurement; without .has_age of the snapshot */
	/* Processes of ours that were not measured, by the index of sums_reason(). */
	uint64_t unmeasured[SUMS_REASONS];
	enum comparison_reason reason;
	const char *other; /* COMPARISON_EXEC: the other group; NULL: there are several */
};

struct comparison {
	struct comparison_row *row; /* owned; the largest PSS of either program first */
	size_t count;
	size_t unexplained; /* rows */
	struct sums ours;   /* of all groups of ours, after sums_end() */
};

/* Frees what C owns. */
void comparison_done(struct comparison *c);
#define AUTO_COMPARISON CLEANUP(comparison_done)

/* Outcome of comparison_make(). */
enum { COMPARISON_NONE = 1 /* VIEW has no namegroups */ };

/*
 * Compares VIEW at NOW_BOOTTIME_NS (CLOCK_BOOTTIME, ns) with SCRAPE. OWN_RSS_BYTES is the RSS of
 * memtally during the scrape; 0: VIEW has memtally, too, or SCRAPE was saved earlier. *RET borrows
 * names of both. Returns 0, COMPARISON_NONE or -ENOMEM.
 */
int comparison_make(const struct view *view, uint64_t now_boottime_ns, const struct scrape *scrape,
	uint64_t own_rss_bytes, struct comparison *ret);

/* Returns the number of processes of ours in ROW that were not measured. */
uint64_t comparison_unmeasured(const struct comparison_row *row);

bool comparison_is_explained(enum comparison_reason reason);

/* Returns the word for REASON in JSON and CSV, such as "only_ours" (static). */
const char *comparison_reason_name(enum comparison_reason reason);

#endif
