/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State that the parts of a pass share: pass.c (its life), phases.c (its work), closing.c (its
 * totals), publication.c (its image) and rollcall.c (the processes of a survey). Only they
 * and tests include it.
 */
#ifndef MEMTALLY_COLLECTORS_PASS_PASS_STATE_H
#define MEMTALLY_COLLECTORS_PASS_PASS_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "collectors/adaptive/adapt.h"
#include "collectors/adaptive/turns.h"
#include "collectors/hostmem/sheet.h"
#include "collectors/hostmem/shmem.h"
#include "collectors/owners/belonging.h"
#include "collectors/owners/charges.h"
#include "collectors/owners/rows.h"
#include "collectors/owners/tally.h"
#include "collectors/pass/catalogue.h"
#include "collectors/pass/compose.h"
#include "collectors/pass/pass.h"
#include "collectors/process/proctable.h"
#include "collectors/process/self.h"
#include "collectors/process/sharing.h"
#include "collectors/procfs/mapcounts.h"
#include "collectors/procfs/meminfo.h"
#include "collectors/procfs/procfs.h"
#include "snapshot/image.h"

enum {
	/* processes that are looked at together, so that their reads are announced together */
	PASS_MOVED_MAX = 16,
	PASS_POLLED_MAX = 64, /* processes that are polled at most to find them */
};

enum phase {
	PHASE_IDLE,
	PHASE_READ,    /* exact mode: measures each process */
	PHASE_SENSE,   /* adaptive mode: polls each process, and looks at those that have changed */
	PHASE_MEASURE, /* adaptive mode: measures the processes that the plan has chosen */
	PHASE_ROWS,    /* adaptive mode: estimates each process */
	PHASE_SHARE,
	PHASE_POOL,   /* adaptive mode: adds up all rows for the host reconciliation */
	PHASE_SETTLE, /* adaptive mode: applies its result to each row */
	PHASE_SHMEM,  /* reads shared memory that exists without processes */
	PHASE_TALLY,
	PHASE_CHARGES, /* reads what cgroups are charged */
	PHASE_READY,
};

struct pass {
	struct pass_options options, next_options;
	struct procfs procfs;
	/* CLOCK_MONOTONIC: last check of how procfs is mounted; 0: the next pass must check */
	uint64_t looked_ns;
	struct process_reader reader;
	struct proctable table;
	struct adapt adapt;
	struct turns turns;
	struct sharing sharing;
	struct tally tally;
	struct charges charges;
	struct rows rows;
	struct buffer scratch;
	pid_t *pids;
	size_t pids_capacity;

	enum phase phase;
	size_t at;        /* the next process or row of the phase */
	size_t announced; /* processes of PHASE_READ that were announced to workers */
	struct moved {
		struct process *process;
		enum adapt_need need;
	} moved[PASS_MOVED_MAX];            /* processes of PHASE_SENSE that must be looked at */
	unsigned int moved_at, moved_count; /* in .moved: the next one, and their number */
	uint32_t name_cursor[OWNER_KINDS];  /* of users and groups */

	uint64_t userns; /* userns_id() */
	uint8_t instance[IMAGE_INSTANCE_SIZE];
	uint64_t begin_boottime_ns, begin_ns, end_ns;
	uid_t euid;
	bool can_compare, compares_mm, reads_foreign;
	bool was_adaptive, is_whole;
	uint64_t interval_ns; /* until the next pass: the budget may have made it longer */
	uint64_t cpu_ns;      /* of the current pass, by its thread */
	struct self self;
	/* CLOCK_BOOTTIME: earliest time since which a row has had no measurement; UINT64_MAX: none */
	uint64_t unmeasured_since_ns;
	struct mapcounts mapcounts;
	uint64_t large_anon;    /* mapcounts_large_anon(), if map counts are averaged */
	struct meminfo meminfo; /* at the end of the current pass */
	struct shmem shmem;
	struct catalogue catalogue;   /* of the last survey */
	struct sheet_processes parts; /* of the balance sheet: sums over the processes */
	/* processes for which the last pass has set driver.is_wanted */
	size_t drivers_wanted;
	struct snapshot_balance balance;
	struct compose_counts counts; /* .passes is the sequence number of the last snapshot */
};

/* Returns whether /proc hides processes from this reader that others see. */
static inline bool pass_is_hidden(const struct pass *pass)
{
	return pass->procfs.hides_from_us && !pass->self.has_sys_ptrace;
}

#endif
