/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a snapshot. A row is a few identifying fields, a mask and an array of quantities: bit I
 * of .present says whether quantity I could be had. An absent quantity is not 0: it is not summed, not
 * rendered, not sorted before anything. What each quantity is called, its unit and its meaning are in
 * the metric table (snapshot/metric.c); here is only where it lies.
 *
 * Rows may grow at their end within a major version of the image, so they are addressed by the stride
 * that the image states, never by sizeof. New quantities are added at the end of an enumeration.
 */
#ifndef MEMTALLY_SNAPSHOT_RECORD_H
#define MEMTALLY_SNAPSHOT_RECORD_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Bytes of a name, besides the terminator: who makes names cuts them there, who takes one has room for as
 * many. A file's name of 255 bytes that are each replaced by U+FFFD fits, with a mark or a number behind it.
 */
enum { SNAPSHOT_NAME_MAX = 1023 };

/* Where a process's figure comes from. */
enum process_source {
	SOURCE_NONE,     /* its mm is counted at another process, or nothing could be read */
	SOURCE_ROLLUP,   /* smaps_rollup: PSS rounded down once */
	SOURCE_SMAPS,    /* smaps, summed: PSS rounded down for every mapping */
	SOURCE_RSS,      /* status alone: no PSS */
	SOURCE_ESTIMATE, /* an earlier measurement, carried forward */
	SOURCE_COUNT_
};

/* What became of a process in a pass. The first is the good case, the others say why it was not. */
enum process_outcome {
	OUTCOME_MEASURED,
	OUTCOME_DENIED,    /* the kernel refused: no right to look into it */
	OUTCOME_GONE,      /* it ended while it was being read */
	OUTCOME_NO_MM,     /* a kernel thread or a zombie: there is no memory to measure */
	OUTCOME_MALFORMED, /* the text was not what a kernel prints */
	OUTCOME_CHANGING,  /* it executed another program during each of two readings */
	OUTCOME_SHARED_MM, /* CLONE_VM: its address space is counted at another process */
	OUTCOME_ERROR,   /* anything else: no descriptor, no memory, no such file in this kernel */
	OUTCOME_BLOCKED, /* the kernel keeps the readers of a file of the process in /proc waiting */
	OUTCOME_COUNT_
};

/*
 * The kinds of owners that processes are summed up by: each process has one of each kind. How they are called is in
 * THE table of owners (snapshot/owner.h). New kinds are added at the end.
 */
enum owner_kind {
	OWNER_USER,
	OWNER_PROGRAM,
	OWNER_UNIT,
	OWNER_USER_UNIT, /* of a user's own systemd */
	OWNER_SESSION,
	OWNER_SLICE,
	OWNER_MACHINE,
	OWNER_POD,
	OWNER_CONTAINER,
	OWNER_GROUP,
	OWNER_KINDS
};

/* The number of a user or group that there is none of: as the kernel's own, of a process without a login. */
#define OWNER_NO_ID UINT32_MAX

enum { OWNERS_MAX = 16 }; /* as many kinds have room in an image */

static_assert((int)OWNER_KINDS <= (int)OWNERS_MAX, "a row of a process has room for so many names");

/* What runs a container, where its cgroup's name tells. */
enum container_runtime {
	RUNTIME_UNKNOWN,
	RUNTIME_DOCKER,
	RUNTIME_PODMAN,
	RUNTIME_CONTAINERD,
	RUNTIME_CRIO,
	RUNTIME_LXC,
	RUNTIME_COUNT_
};

/* What became of reading what an owner that is a cgroup is charged. */
enum charge_outcome {
	CHARGE_READ,
	CHARGE_NONE,      /* the memory controller has no cgroup of it, or none any more */
	CHARGE_AMBIGUOUS, /* its processes are in several, or some of them in none */
	CHARGE_DENIED,
	CHARGE_MALFORMED,
	CHARGE_ERROR, /* no descriptor, no memory */
	CHARGE_OUTCOMES
};

/* Integers are bytes unless a comment says otherwise. */
enum process_quantity {
	PROCESS_PSS,
	PROCESS_PSS_LOW,
	PROCESS_PSS_HIGH,
	PROCESS_PSS_ANON,
	PROCESS_PSS_FILE,
	PROCESS_PSS_SHMEM,
	PROCESS_USS,
	PROCESS_RSS,
	PROCESS_SWAP_PSS,
	PROCESS_VM_SWAP,
	PROCESS_VM_HWM,
	PROCESS_VM_PEAK,
	PROCESS_VM_SIZE,
	PROCESS_VM_DATA,
	PROCESS_VM_PTE,
	PROCESS_START_TIME, /* nanoseconds since the epoch */
	PROCESS_PSS_AGE,    /* nanoseconds between the reading and the publication */
	PROCESS_PRIVATE_HUGETLB,
	PROCESS_SHARED_HUGETLB,
	PROCESS_VM_LCK,
	PROCESS_VM_PIN,
	PROCESS_VM_STK,
	PROCESS_VM_EXE,
	PROCESS_VM_LIB,
	PROCESS_RSS_ANON,
	PROCESS_RSS_FILE,
	PROCESS_RSS_SHMEM,
	PROCESS_VM_HWM_GROWTH,  /* since this image of the process was first seen */
	PROCESS_VM_SWAP_GROWTH, /* likewise */
	PROCESS_ANON_GROWTH,    /* likewise, of RssAnon and VmSwap together */
	PROCESS_ELAPSED,        /* nanoseconds since the process started, */
	PROCESS_SEEN,           /* and since this image of it was first seen */
	PROCESS_ANON_SLOPE, /* a double, which may be negative: bytes a second, over the last hour, */
	PROCESS_ANON_SLOPE_ERROR, /* and its standard error, a double */
	PROCESS_QUANTITIES
};

enum scope_quantity {
	SCOPE_PSS,
	SCOPE_PSS_LOW,
	SCOPE_PSS_HIGH,
	SCOPE_USS,
	SCOPE_RSS,
	SCOPE_SWAP_PSS,
	SCOPE_VM_SWAP,
	SCOPE_HUGETLB,
	SCOPE_PAGETABLE,
	SCOPE_PROCESSES,         /* a count */
	SCOPE_UNMEASURED_DENIED, /* counts; sums_reason() has all reasons */
	SCOPE_UNMEASURED_MALFORMED,
	SCOPE_UNMEASURED_CHANGING,
	SCOPE_UNMEASURED_ERROR,
	SCOPE_VM_HWM_MAX,
	SCOPE_VM_HWM_GROWTH,
	SCOPE_VM_SWAP_GROWTH,
	SCOPE_PSS_BYTE_SECONDS,      /* a double, see metric.h */
	SCOPE_MEM_TOTAL,             /* of the host only */
	SCOPE_MEM_AVAILABLE,         /* of the host only */
	SCOPE_PSS_MEASURED,          /* of the PSS, what is no estimate, */
	SCOPE_PSS_ESTIMATED,         /* and what is */
	SCOPE_UNMEASURED_RSS_DENIED, /* of those without a PSS; sums_reason() has all reasons */
	SCOPE_UNMEASURED_RSS_MALFORMED,
	SCOPE_UNMEASURED_RSS_CHANGING,
	SCOPE_UNMEASURED_RSS_ERROR,
	SCOPE_PSS_GUESSED, /* of what is estimated, what was never measured */
	SCOPE_GUESSED,     /* a count of the processes that this is of */
	SCOPE_ANON_GROWTH,
	/* Of owners that are cgroups: what the kernel charges each with all below it, which is no sum. */
	SCOPE_CGROUP,
	SCOPE_CGROUP_ANON,
	SCOPE_CGROUP_FILE, /* with SCOPE_CGROUP_SHMEM */
	SCOPE_CGROUP_SHMEM,
	SCOPE_CGROUP_KERNEL,
	SCOPE_CGROUP_SWAP,
	SCOPE_CGROUP_AGE, /* nanoseconds between the reading of these and the end of the pass */
	SCOPE_UNMEASURED_BLOCKED, /* a count, as SCOPE_UNMEASURED_* above */
	SCOPE_UNMEASURED_RSS_BLOCKED,
	SCOPE_QUANTITIES
};

enum self_quantity {
	SELF_LAST_PASS_DURATION, /* nanoseconds */
	SELF_PASSES,             /* a count */
	SELF_PASS_OVERRUNS,      /* a count: passes longer than the interval */
	SELF_OUTCOME_FIRST, /* counts by process_outcome; snapshot_outcome_count() has all of them */
	SELF_OUTCOME_LAST = SELF_OUTCOME_FIRST + OUTCOME_ERROR,
	SELF_READ_ROLLUP, /* counts of processes by source */
	SELF_READ_SMAPS,
	SELF_READ_RSS,
	SELF_CPU, /* nanoseconds */
	SELF_RESIDENT,
	SELF_OPEN_FDS,   /* a count */
	SELF_MAX_FDS,    /* a count */
	SELF_START_TIME, /* nanoseconds since the epoch */
	/* Of adaptive passes; absent in exact mode. */
	SELF_READ_ESTIMATE,          /* a count of processes, as SELF_READ_* above; in both modes */
	SELF_MEASUREMENTS_WHOLE,     /* counts of walks: at once, */
	SELF_MEASUREMENTS_SLICED,    /* and by slices */
	SELF_MEASUREMENTS_DISCARDED, /* a count of walks by slices that came to nothing */
	SELF_SLICES,                 /* a count */
	SELF_MEASUREMENT_CPU,        /* nanoseconds */
	SELF_MEASUREMENT_CPU_EXPECTED, /* nanoseconds */
	SELF_DEFERRED_BUDGET,          /* counts of measurements that were put off */
	SELF_DEFERRED_STALL,
	SELF_DEFERRED_GIANT,
	SELF_BUDGET_CPU,        /* a double: of one core */
	SELF_BUDGET_AVAILABLE,  /* nanoseconds */
	SELF_BUDGET_NEEDED,     /* a double: of one core */
	SELF_OLDEST_AGE,        /* nanoseconds */
	SELF_DEFERRED_PRESSURE, /* as SELF_DEFERRED_* above */
	SELF_MEMORY_PRESSURE,   /* a double: of the time; absent where it is not known */
	SELF_BUDGET_STALL,      /* nanoseconds */
	SELF_HOLDS_ABOVE,       /* a count: longer than that */
	SELF_WALKS_DISTURB,     /* 0 or 1; absent where it is not known */
	SELF_CPU_RECENT, /* a double: of one core, over SELF_CPU_RECENT_SPAN; in both modes */
	SELF_OUTCOME_ESTIMATED, /* counts, as SELF_OUTCOME_*: of adaptive passes, carried forward, */
	SELF_OUTCOME_GUESSED,   /* or never measured yet */
	SELF_INTERVAL,          /* nanoseconds: as configured; in both modes */
	SELF_ESTIMATE_OFF,      /* of adaptive passes: how far off estimates were, and */
	SELF_ESTIMATE_FOUND,    /* what was found then */
	SELF_WAITING_BUDGET,    /* a count: measurements that wait for that */
	SELF_MAX_AGE,           /* nanoseconds: within which each process is to be measured, and */
	SELF_LONGEST_UNMEASURED, /* for how long one has not been; absent where there is none */
	SELF_PERIOD, /* nanoseconds: from one pass to the next, as the header's interval_ns; in both modes */
	SELF_WAITING_PRESSURE, /* as SELF_WAITING_BUDGET */
	SELF_BACKLOG, /* nanoseconds until those that wait can be paid for; absent where it is not known */
	SELF_CPU_RECENT_SPAN,       /* nanoseconds: about a minute, or the last two intervals */
	SELF_ESTIMATE_OFF_RECENT,   /* as SELF_ESTIMATE_OFF, of about the last SELF_MAX_AGE, and */
	SELF_ESTIMATE_FOUND_RECENT, /* what was found then */
	SELF_CHARGE_FIRST, /* counts of owners that are cgroups, one for each charge_outcome; absent */
	SELF_CHARGE_LAST = SELF_CHARGE_FIRST + CHARGE_OUTCOMES - 1, /* without a controller */
	SELF_OUTCOME_BLOCKED, /* a count of processes, as SELF_OUTCOME_*; in both modes, as the next: */
	SELF_BLOCKED_READS, /* a count: reads of files in /proc that the kernel keeps waiting now */
	SELF_BLOCKED_OLDEST,      /* nanoseconds since the oldest of them began; 0: there is none */
	SELF_BLOCKED_READS_TOTAL, /* a count since the start: reads that were given up as blocked */
	SELF_WORKERS_REPLACED, /* a count since the start: measuring processes that were replaced */
	SELF_QUANTITIES
};

/*
 * The memory of the host by its use. Lines of its balance sheet (snapshot/balance.h) are in bytes: those below BALANCE_LINES, and
 * BALANCE_PSS_DRIVER, which was added later.
 */
enum balance_quantity {
	BALANCE_PSS_ANON,
	BALANCE_PSS_FILE,
	BALANCE_PSS_SHMEM,
	BALANCE_PSS_UNSPLIT,
	BALANCE_PAGE_CACHE,
	BALANCE_SWAP_CACHE,
	BALANCE_SYSV,
	BALANCE_TMPFS,
	BALANCE_SHMEM,
	BALANCE_HUGETLB,
	BALANCE_PAGE_TABLES,
	BALANCE_SECONDARY_PAGE_TABLES,
	BALANCE_KERNEL_STACKS,
	BALANCE_SLAB_RECLAIMABLE,
	BALANCE_SLAB_UNRECLAIMABLE,
	BALANCE_KERNEL_RECLAIMABLE,
	BALANCE_VMALLOC,
	BALANCE_PERCPU,
	BALANCE_ZSWAP,
	BALANCE_ZRAM,
	BALANCE_WRITEBACK_TMP,
	BALANCE_MEMMAP,
	BALANCE_HARDWARE_CORRUPTED,
	BALANCE_FREE,
	BALANCE_FREE_LISTS,
	BALANCE_LINES, /* not a line; how many lines come before it */
	BALANCE_RESIDUAL =
		BALANCE_LINES,      /* MemTotal less all of them; an int64_t, as the next three: */
	BALANCE_RESIDUAL_LOW,       /* were the PSS its upper bound, */
	BALANCE_RESIDUAL_HIGH,      /* and its lower one */
	BALANCE_RESIDUAL_PROCESSES, /* of the residual, what processes map that is in no PSS */
	BALANCE_SWAP_PROCESSES,     /* of swap space, in bytes: SwapPss, */
	BALANCE_SWAP_SYSV,          /* of SysV segments, */
	BALANCE_SWAP_UNKNOWN,       /* what else is used, an int64_t, */
	BALANCE_SWAP_FREE,          /* and what is not */
	BALANCE_TMPFS_UNREAD,       /* a count: file systems of which nothing could be learned */
	BALANCE_DIRECTORIES_UNREAD, /* a count: directories on tmpfs whose files were not seen */
	BALANCE_PSS_DRIVER,         /* a line: drivers' memory that processes map */
	BALANCE_DRIVER_UNREAD, /* bytes of the other PSS that may be drivers' memory: mappings not read yet */
	BALANCE_MAP_COUNTS_EXACT, /* 0 or 1: see collectors/mapcounts.h; absent where it is not known */
	BALANCE_QUANTITIES
};

/* What somebody or some file system holds of shared memory, be it mapped or not: kinds of rows, */
enum holding_kind {
	HOLDING_SHMEM, /* what a user owns */
	HOLDING_TMPFS, /* what is on a tmpfs */
	HOLDING_KINDS
};

/* and what they have, of each kind its own. Bytes unless a comment says otherwise. */
enum shmem_quantity {
	SHMEM_SYSV,            /* of the user's SysV segments, what is in memory, */
	SHMEM_SYSV_UNATTACHED, /* of that what nobody has attached, */
	SHMEM_SYSV_SWAP,       /* what is swapped, */
	SHMEM_SYSV_SIZE,       /* what was asked for, */
	SHMEM_SYSV_SEGMENTS,   /* and how many they are */
	SHMEM_TMPFS,           /* of the user's files on tmpfs that were found; swapped or not */
	SHMEM_TMPFS_FILES,     /* a count */
	SHMEM_QUANTITIES
};

enum tmpfs_quantity {
	TMPFS_USED,  /* swapped or not */
	TMPFS_SIZE,  /* that it may grow to; absent where there is no limit */
	TMPFS_OWNED, /* of .USED the files that were found, whose owners have them in SHMEM_TMPFS */
	TMPFS_QUANTITIES
};

enum { HOLDING_QUANTITIES = 8 }; /* as many have room in a row */

static_assert((int)SHMEM_QUANTITIES <= (int)HOLDING_QUANTITIES &&
		      (int)TMPFS_QUANTITIES <= (int)HOLDING_QUANTITIES,
	"a row has room for each kind's");

/* A file that processes map, as the last survey found it (inside/perusal.h). Bytes unless a comment says otherwise. */
enum file_quantity {
	FILE_PROCESSES, /* a count: that map it */
	FILE_USERS,     /* a count: whose these are */
	FILE_MAPPINGS,  /* a count: of all of them */
	FILE_RESIDENT,  /* of the file, each page once: at least */
	FILE_PSS,       /* of the mappings, summed, as the next three */
	FILE_RSS,       /* counts a shared page once for every process */
	FILE_PRIVATE_DIRTY, /* what single processes have written, and nobody else has: .data, relocations */
	FILE_SWAP,          /* likewise, swapped */
	FILE_QUANTITIES
};

/* The survey as a whole. */
enum survey_quantity {
	SURVEY_AGE,      /* nanoseconds between its end and the publication */
	SURVEY_DURATION, /* nanoseconds */
	SURVEY_READ,     /* counts of processes by what became of them: its sums are of these, */
	SURVEY_DENIED,   /* the kernel refused, */
	SURVEY_GONE,     /* ended or executed another program meanwhile, */
	SURVEY_LEFT_OUT, /* have a mapping too long for the stall budget, no measurement yet, or too many mappings, */
	SURVEY_ERROR,             /* anything else */
	SURVEY_FILES,             /* a count */
	SURVEY_DELETED,           /* a count: of these, the ones that are no more at their path, */
	SURVEY_PROCESSES_DELETED, /* and of processes that map one as a program or library */
	SURVEY_PSS,               /* of all files, with or without a row, as the next three */
	SURVEY_RSS,
	SURVEY_PRIVATE_DIRTY,
	SURVEY_SWAP,
	SURVEY_UNLISTED, /* a count: files without a row, */
	SURVEY_UNLISTED_PSS,
	SURVEY_UNLISTED_PRIVATE_DIRTY,
	SURVEY_CPU, /* nanoseconds */
	SURVEY_BLOCKED, /* a count of processes, as from SURVEY_READ on: the kernel blocks readers of their smaps */
	SURVEY_QUANTITIES
};

static_assert(PROCESS_QUANTITIES <= 64 && SCOPE_QUANTITIES <= 64 && SELF_QUANTITIES <= 64 &&
		      BALANCE_QUANTITIES <= 64 && FILE_QUANTITIES <= 64 && SURVEY_QUANTITIES <= 64,
	"a row's mask has 64 bits");

enum scope_flag {
	SCOPE_EXPORTED = 1 << 0, /* has series of its own in /metrics */
	SCOPE_OTHER = 1 << 1,    /* the "(other)" row: the sum of those that have not */
};

enum process_flag {
	PROCESS_EXPORTED = 1 << 0, /* has series of its own in /metrics */
};

/* One owner, or the host. Names are offsets into the string table. */
struct snapshot_scope {
	uint32_t name;
	uint32_t id; /* what snapshot/owner.h says of its kind; 0 elsewhere */
	uint32_t flags;
	uint32_t
		above; /* a name: what it is a part of, as snapshot/owner.h says; empty elsewhere */
	uint32_t user; /* a name: whose own it is, likewise; empty where it is nobody's */
	uint32_t reserved;
	uint64_t created_ns; /* CLOCK_REALTIME at which the counters started from 0 */
	uint64_t present;
	uint64_t q[SCOPE_QUANTITIES];
};

struct snapshot_process {
	uint32_t pid;
	uint32_t uid;    /* the effective one, whoever the user is that it is counted for */
	uint32_t mm_pid; /* OUTCOME_SHARED_MM: the process at which the memory is counted; else 0 */
	uint32_t gid;    /* the effective one; OWNER_NO_ID: not known */
	uint32_t owner[OWNERS_MAX]; /* names, by enum owner_kind; offsets into the string table */
	uint8_t source;             /* enum process_source */
	uint8_t outcome;            /* enum process_outcome */
	uint16_t flags;
	uint32_t reserved;
	uint64_t present;
	uint64_t q[PROCESS_QUANTITIES];
};

/* memtallyd on itself. */
struct snapshot_self {
	uint32_t version; /* of the program, a name */
	uint32_t flags;   /* enum self_flag */
	uint64_t present;
	uint64_t q[SELF_QUANTITIES];
};

enum self_flag {
	SELF_CAP_SYS_PTRACE = 1 << 0, /* in the effective set */
	SELF_CAP_PERFMON = 1 << 1,    /* in the effective set */
	SELF_READS_FOREIGN = 1 << 2,  /* PSS of other users' processes was had */
	SELF_COMPARES_MM = 1 << 3, /* kcmp(KCMP_VM) is allowed: shared address spaces are found */
	SELF_PROC_HIDDEN =
		1 << 4, /* /proc is mounted with hidepid: other users' processes are missing */
	SELF_PROC_RESTRICTED =
		1 << 5, /* mounted so, be they missing here or not: users do not see others' */
	SELF_USERS_BY_REAL = 1 << 6,  /* accounting.user is ruid, */
	SELF_USERS_BY_LOGIN = 1 << 7, /* or loginuid; neither: euid */
};

/* Where the host's memory is. */
struct snapshot_balance {
	uint64_t present;
	uint64_t q[BALANCE_QUANTITIES];
};

struct snapshot_holding {
	uint32_t kind; /* enum holding_kind */
	uint32_t name; /* of the user; where the file system is mounted */
	uint32_t
		id; /* of a user, the uid; OWNER_NO_ID: the sum of those that have no row of their own; else 0 */
	uint32_t reserved;
	uint64_t present;
	uint64_t q[HOLDING_QUANTITIES];
};

enum file_flag {
	FILE_DELETED = 1 << 0,    /* it is no more at its path, as after an upgrade */
	FILE_EXECUTABLE = 1 << 1, /* some of it is mapped so: a program or a library */
};

struct snapshot_file {
	uint32_t path; /* a name, without " (deleted)" */
	uint32_t flags;
	uint32_t major, minor; /* of its device */
	uint64_t inode;
	uint64_t present;
	uint64_t q[FILE_QUANTITIES];
};

struct snapshot_survey {
	uint64_t present;
	uint64_t q[SURVEY_QUANTITIES];
};

/* Cumulative upper bounds are the metric table's; the last bucket is the total (+Inf). */
enum { HISTOGRAM_BUCKETS = 16 };

enum snapshot_histogram_id {
	HISTOGRAM_PASS_DURATION,
	HISTOGRAM_ESTIMATE_ERROR, /* a ratio, in thousand millionths */
	HISTOGRAM_HOLD,
	HISTOGRAM_COUNT_
};

struct snapshot_histogram {
	uint32_t id; /* enum snapshot_histogram_id */
	uint32_t reserved;
	uint64_t sum_ns;
	uint64_t count;
	uint64_t bucket[HISTOGRAM_BUCKETS]; /* not cumulative; the last has no upper bound */
};

/* Sets quantity I of ROW, a pointer to any row. */
#define ROW_SET(row, i, value)                                                                     \
	do {                                                                                       \
		(row)->q[i] = (value);                                                             \
		(row)->present |= UINT64_C(1) << (i);                                              \
	} while (0)

#define ROW_HAS(row, i) (((row)->present >> (i)) & 1)

/* The quantity of memtallyd's row that counts the processes of the last pass with OUTCOME. */
static inline unsigned int snapshot_outcome_count(enum process_outcome outcome)
{
	return outcome <= OUTCOME_ERROR ? SELF_OUTCOME_FIRST + (unsigned int)outcome
	                                : SELF_OUTCOME_BLOCKED;
}

/*
 * Whether the PSS of ROW, if it has one, counts in the sums: the process was measured, or it is blocked and its last
 * measurement is carried forward.
 */
static inline bool snapshot_has_figure(const struct snapshot_process *row)
{
	return row->outcome == OUTCOME_MEASURED ||
	       (row->outcome == OUTCOME_BLOCKED && ROW_HAS(row, PROCESS_PSS));
}

/* Whether memtallyd measures some of the processes in each pass and carries the others forward, or all of them. */
static inline bool snapshot_is_adaptive(const struct snapshot_self *self)
{
	return ROW_HAS(self, SELF_BUDGET_CPU);
}

/* Whether ROW's PSS was never measured: an estimate that is carried forward has the age of what it goes by. */
static inline bool snapshot_is_guess(const struct snapshot_process *row)
{
	return row->source == SOURCE_ESTIMATE && row->outcome == OUTCOME_MEASURED &&
	       ROW_HAS(row, PROCESS_PSS) && !ROW_HAS(row, PROCESS_PSS_AGE);
}

#endif
