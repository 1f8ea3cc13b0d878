/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of a pass share: pass.c (its life), phases.c (its work), closing.c (its sums), publication.c
 * (its image) and rollcall.c (whom a survey looks into). Nobody else looks into it.
 */
#ifndef MEMTALLY_COLLECTORS_PASS_STATE_H
#define MEMTALLY_COLLECTORS_PASS_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "collectors/adapt.h"
#include "collectors/belonging.h"
#include "collectors/catalogue.h"
#include "collectors/charges.h"
#include "collectors/compose.h"
#include "collectors/mapcounts.h"
#include "collectors/meminfo.h"
#include "collectors/pass.h"
#include "collectors/procfs.h"
#include "collectors/proctable.h"
#include "collectors/rows.h"
#include "collectors/self.h"
#include "collectors/sharing.h"
#include "collectors/sheet.h"
#include "collectors/shmem.h"
#include "collectors/tally.h"
#include "collectors/turns.h"
#include "snapshot/image.h"

enum {
	PASS_MOVED_MAX =
		16, /* processes that are looked at together, so that their reads are announced together */
	PASS_POLLED_MAX = 64, /* processes that are polled at most to find them */
};

enum phase {
	PHASE_IDLE,
	PHASE_READ,    /* exact: measures each */
	PHASE_SENSE,   /* adaptive: looks at each, */
	PHASE_MEASURE, /* measures those that the plan has chosen, */
	PHASE_ROWS,    /* and estimates each */
	PHASE_SHARE,
	PHASE_POOL,   /* adaptive: adds each up, */
	PHASE_SETTLE, /* and where that tells something, applies it to each */
	PHASE_SHMEM,  /* looks at shared memory that is there without processes */
	PHASE_TALLY,
	PHASE_CHARGES, /* reads what cgroups are charged */
	PHASE_READY,
};

struct pass {
	struct pass_options options, next_options;
	struct procfs procfs;
	uint64_t
		looked_ns; /* CLOCK_MONOTONIC: at how it is mounted; 0: to be looked at by the next pass */
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
	} moved[PASS_MOVED_MAX];            /* processes of PHASE_SENSE that have to be looked at */
	unsigned int moved_at, moved_count; /* in .moved: the next one, and how many there are */
	uint32_t name_cursor[OWNER_KINDS];  /* of users and groups */

	uint64_t userns; /* userns_id() */
	uint8_t instance[IMAGE_INSTANCE_SIZE];
	uint64_t begin_boottime_ns, begin_ns, end_ns;
	uid_t euid;
	bool can_compare, compares_mm, reads_foreign;
	bool was_adaptive, is_whole;
	uint64_t interval_ns; /* until the next pass: the budget may have stretched it */
	uint64_t cpu_ns;      /* of the pass under way, by its thread */
	struct self self;
	uint64_t
		unmeasured_since_ns; /* CLOCK_BOOTTIME since which a row has had no measurement; UINT64_MAX: none */
	struct mapcounts mapcounts;
	uint64_t large_anon;    /* mapcounts_large_anon(), if map counts are averaged */
	struct meminfo meminfo; /* as the pass under way ended */
	struct shmem shmem;
	struct catalogue catalogue;   /* of the last survey */
	struct sheet_processes parts; /* of its PSS */
	size_t drivers_wanted; /* processes for which the last pass has set driver.is_wanted */
	struct snapshot_balance balance;
	struct compose_counts counts; /* .passes is the sequence of the last snapshot */
};

/* Whether processes are missing that others see. */
static inline bool pass_is_hidden(const struct pass *pass)
{
	return pass->procfs.hides_from_us && !pass->self.has_sys_ptrace;
}

#endif
