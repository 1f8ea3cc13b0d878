/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scrapes of process-exporter
 *
 * Parses the metrics that process-exporter serves, in the text format of Prometheus: how many
 * processes each of its groups has, and their RSS and PSS. Source of the names: process-exporter
 * 0.7.10. Pure.
 */
#ifndef MEMTALLY_CLI_COMPARE_SCRAPE_H
#define MEMTALLY_CLI_COMPARE_SCRAPE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/cleanup.h"

/* Quantities of a group. Bytes unless a comment says otherwise; at most INT64_MAX. */
enum scrape_quantity {
	SCRAPE_PROCESSES, /* a count */
	SCRAPE_RSS,
	SCRAPE_PSS,
	SCRAPE_QUANTITIES
};

struct scrape_group {
	const char *name; /* clean and escaped, as snapshots have names of groups */
	uint64_t present; /* for ROW_HAS() and ROW_SET() */
	uint64_t q[SCRAPE_QUANTITIES];
};

struct scrape {
	struct scrape_group *group; /* owned; sorted by name, each name once */
	size_t count;
	struct buffer names; /* owned; the names */
};

/* Frees what S owns. */
void scrape_done(struct scrape *s);
#define AUTO_SCRAPE CLEANUP(scrape_done)

enum { SCRAPE_ERROR_SIZE = 160 };

/*
 * Parses TEXT, LEN bytes, into *RET. Lines of other metrics are skipped. If the names of several
 * groups are the same once they are clean, the result has one group with their sums, as snapshots
 * have.
 *
 * Returns 0; -EINVAL with a sentence for the user in ERROR if a line about groups is malformed, or
 * if no metric is process-exporter's; or -ENOMEM.
 */
int scrape_parse(
	const char *text, size_t len, struct scrape *ret, char error[static SCRAPE_ERROR_SIZE]);

#endif
