/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a snapshot
 *
 * A row has identifying fields, the mask .present and an array of quantities: bit I of .present
 * says whether the row has quantity I. An absent quantity is not 0: it is not summed, not printed,
 * and sorts last. The metric table (snapshot/metric.c) has the name, unit and meaning of each
 * quantity.
 *
 * Rows may grow at their end within a major version of the image, so address them by the stride
 * that the image states, never by sizeof. Add new quantities at the end of an enumeration.
 */
#ifndef MEMTALLY_SNAPSHOT_RECORD_H
#define MEMTALLY_SNAPSHOT_RECORD_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The longest name, in bytes without the terminator. Writers cut names there; readers have room for
 * as many. A file name of 255 bytes that are each replaced by U+FFFD fits, with a mark or a number
 * behind it.
 */
enum { SNAPSHOT_NAME_MAX = 1023 };

/* The source of a process's figures. */
enum process_source {
	SOURCE_NONE,     /* its address space counts at another process, or nothing could be read */
	SOURCE_ROLLUP,   /* smaps_rollup: PSS is rounded down once */
	SOURCE_SMAPS,    /* smaps, summed: PSS is rounded down for every mapping */
	SOURCE_RSS,      /* status alone: no PSS */
	SOURCE_ESTIMATE, /* an earlier measurement, carried forward, or a guess */
	SOURCE_COUNT_
};

/* The outcome of a process in a pass: measured, or why not. */
enum process_outcome {
	OUTCOME_MEASURED,  /* in this pass; in adaptive mode also estimated or guessed */
	OUTCOME_DENIED,    /* the kernel refuses to measure it */
	OUTCOME_GONE,      /* it exited while it was being read */
	OUTCOME_NO_MM,     /* a kernel thread or a zombie: it has no memory */
	OUTCOME_MALFORMED, /* the text is not what a kernel prints */
	OUTCOME_CHANGING,  /* it called exec during each of two readings */
	OUTCOME_SHARED_MM, /* CLONE_VM: its address space is counted at another process */
	OUTCOME_ERROR,   /* any other error: no descriptor, no memory, a kernel without the file */
	OUTCOME_BLOCKED, /* the kernel keeps readers of the process's files in /proc waiting */
	OUTCOME_COUNT_
};

/*
 * The kinds of owners. Processes are summed up by owner; each process has one owner of each kind.
 * The table of owners (snapshot/owner.h) has their names. Add new kinds at the end.
 */
enum owner_kind {
	OWNER_USER,
	OWNER_PROGRAM,
	OWNER_UNIT,
	OWNER_USER_UNIT, /* a unit of a user's own systemd */
	OWNER_SESSION,
	OWNER_SLICE,
	OWNER_MACHINE,
	OWNER_POD,
	OWNER_CONTAINER,
	OWNER_GROUP,
	OWNER_NAMEGROUP, /* a group of the rules in naming.process_exporter */
	OWNER_KINDS
};

/* The id of no user or group, as the kernel shows it for a process without a login. */
#define OWNER_NO_ID UINT32_MAX

enum { OWNERS_MAX = 16 }; /* kinds that an image has room for */

static_assert((int)OWNER_KINDS <= (int)OWNERS_MAX, "a row of a process has room for so many names");

/* The container runtime, if the name of the cgroup tells it. */
enum container_runtime {
	RUNTIME_UNKNOWN,
	RUNTIME_DOCKER,
	RUNTIME_PODMAN,
	RUNTIME_CONTAINERD,
	RUNTIME_CRIO,
	RUNTIME_LXC,
	RUNTIME_COUNT_
};

/* The outcome of reading the charges of an owner that is a cgroup. */
enum charge_outcome {
	CHARGE_READ,
	CHARGE_NONE,      /* the memory controller has no such cgroup, or no longer has it */
	CHARGE_AMBIGUOUS, /* its processes are in several cgroups, or some of them in none */
	CHARGE_DENIED,
	CHARGE_MALFORMED,
	CHARGE_ERROR, /* any other error: no descriptor, no memory */
	CHARGE_OUTCOMES
};

/* Quantities of a process. Integers are bytes unless a comment says otherwise. */
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
	PROCESS_PSS_AGE,    /* nanoseconds from the measurement to the publication */
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
	PROCESS_VM_HWM_GROWTH,  /* since the process, or its last exec, was first seen */
	PROCESS_VM_SWAP_GROWTH, /* since the same time */
	PROCESS_ANON_GROWTH,    /* of RssAnon and VmSwap together, since the same time */
	PROCESS_ELAPSED,        /* nanoseconds since the process started */
	PROCESS_SEEN,       /* nanoseconds since the process, or its last exec, was first seen */
	PROCESS_ANON_SLOPE, /* a double, may be negative: bytes a second over the last hour */
	PROCESS_ANON_SLOPE_ERROR, /* a double: standard error of PROCESS_ANON_SLOPE */
	PROCESS_THREADS,          /* a count */
	PROCESS_QUANTITIES
};

/*
 * Quantities of an owner or the host: sums over its processes. Integers are bytes unless a comment
 * says otherwise.
 */
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
	SCOPE_PSS_BYTE_SECONDS, /* a double: byte seconds */
	SCOPE_MEM_TOTAL,        /* of the host only */
	SCOPE_MEM_AVAILABLE,    /* of the host only */
	SCOPE_PSS_MEASURED,     /* the part of SCOPE_PSS that is no estimate */
	SCOPE_PSS_ESTIMATED,    /* the part of SCOPE_PSS that is an estimate */
	/* RSS of unmeasured processes without a PSS; sums_reason() has all reasons */
	SCOPE_UNMEASURED_RSS_DENIED,
	SCOPE_UNMEASURED_RSS_MALFORMED,
	SCOPE_UNMEASURED_RSS_CHANGING,
	SCOPE_UNMEASURED_RSS_ERROR,
	SCOPE_PSS_GUESSED, /* the part of SCOPE_PSS_ESTIMATED that is a guess */
	SCOPE_GUESSED,     /* a count of processes with a guess */
	SCOPE_ANON_GROWTH,
	/*
	 * Of owners that are cgroups: charges of the kernel to the cgroup and all below it. They
	 * are no sums over processes.
	 */
	SCOPE_CGROUP,
	SCOPE_CGROUP_ANON,
	SCOPE_CGROUP_FILE, /* with SCOPE_CGROUP_SHMEM */
	SCOPE_CGROUP_SHMEM,
	SCOPE_CGROUP_KERNEL,
	SCOPE_CGROUP_SWAP,
	SCOPE_CGROUP_AGE, /* nanoseconds from the reading of the charges to the end of the pass */
	SCOPE_UNMEASURED_BLOCKED, /* a count, like SCOPE_UNMEASURED_* above */
	SCOPE_UNMEASURED_RSS_BLOCKED,
	SCOPE_VM_SIZE,
	SCOPE_THREADS,      /* a count */
	SCOPE_OLDEST_START, /* nanoseconds since the epoch: the start of the oldest process */
	/*
	 * Of the host only: a count since the start of failures of the rules in
	 * naming.process_exporter; absent without rules
	 */
	SCOPE_NAMING_FAILURES,
	/*
	 * Of namegroups, if passes read the activities of processes: CPU time in nanoseconds and page
	 * faults since the group was first seen, and counts of processes by the state of their main
	 * threads, in the order of enum activity_state
	 */
	SCOPE_CPU_USER,
	SCOPE_CPU_SYSTEM,
	SCOPE_MINOR_FAULTS,
	SCOPE_MAJOR_FAULTS,
	SCOPE_RUNNING,
	SCOPE_SLEEPING,
	SCOPE_WAITING,
	SCOPE_OTHER_STATE,
	/*
	 * Of the host and of owners that are cgroups: counters of the kernel, of the cgroup and all
	 * below it. They began with the host or with the cgroup, and are no sums over processes.
	 */
	SCOPE_OOM_KILLS,      /* a count of processes that the kernel killed for lack of memory */
	SCOPE_MEMORY_WAITING, /* nanoseconds in which at least one process waited for memory */
	SCOPE_MEMORY_STALLED, /* nanoseconds in which all processes waited for memory at once */
	/* Of owners that are cgroups, as SCOPE_CGROUP */
	SCOPE_CGROUP_PEAK,        /* the highest SCOPE_CGROUP so far */
	SCOPE_CGROUP_HIGH_EVENTS, /* a count: how often memory.high was exceeded */
	SCOPE_CGROUP_MAX_EVENTS,  /* a count: how often memory.max was reached */
	SCOPE_QUANTITIES
};

static_assert((int)SCOPE_QUANTITIES <= 64, ".present has a bit for each quantity");

/* Quantities of memtallyd itself. Bytes unless a comment says otherwise. */
enum self_quantity {
	SELF_LAST_PASS_DURATION, /* nanoseconds */
	SELF_PASSES,             /* a count */
	SELF_PASS_OVERRUNS,      /* a count of passes longer than the interval */
	SELF_OUTCOME_FIRST,      /* counts by process_outcome, see snapshot_outcome_count() */
	SELF_OUTCOME_LAST = SELF_OUTCOME_FIRST + OUTCOME_ERROR,
	SELF_READ_ROLLUP, /* counts of processes by source, as the next two */
	SELF_READ_SMAPS,
	SELF_READ_RSS,
	SELF_CPU, /* nanoseconds */
	SELF_RESIDENT,
	SELF_OPEN_FDS,   /* a count */
	SELF_MAX_FDS,    /* a count */
	SELF_START_TIME, /* nanoseconds since the epoch */
	/*
	 * From here on: adaptive mode only, absent in exact mode, unless a comment says otherwise.
	 */
	SELF_READ_ESTIMATE,       /* a count of processes, like SELF_READ_* above; in both modes */
	SELF_MEASUREMENTS_WHOLE,  /* a count of walks in one piece */
	SELF_MEASUREMENTS_SLICED, /* a count of walks by slices */
	SELF_MEASUREMENTS_DISCARDED,   /* a count of walks by slices without a result */
	SELF_SLICES,                   /* a count of slices that were read */
	SELF_MEASUREMENT_CPU,          /* nanoseconds */
	SELF_MEASUREMENT_CPU_EXPECTED, /* nanoseconds, as predicted */
	SELF_DEFERRED_BUDGET,          /* counts of deferred measurements, as the next two */
	SELF_DEFERRED_STALL,
	SELF_DEFERRED_GIANT,
	SELF_BUDGET_CPU,        /* a double: part of one core */
	SELF_BUDGET_AVAILABLE,  /* nanoseconds of CPU time */
	SELF_BUDGET_NEEDED,     /* a double: part of one core */
	SELF_OLDEST_AGE,        /* nanoseconds */
	SELF_DEFERRED_PRESSURE, /* a count, like SELF_DEFERRED_* above */
	SELF_MEMORY_PRESSURE,   /* a double: part of the time, from 0 to 1; absent if not known */
	SELF_BUDGET_STALL,      /* nanoseconds */
	SELF_HOLDS_ABOVE,       /* a count of reads longer than SELF_BUDGET_STALL */
	SELF_WALKS_DISTURB,     /* 0 or 1; absent if not known */
	SELF_CPU_RECENT, /* a double: part of one core, over SELF_CPU_RECENT_SPAN; in both modes */
	/* A count of processes, like SELF_OUTCOME_*: measured in an earlier pass */
	SELF_OUTCOME_ESTIMATED,
	SELF_OUTCOME_GUESSED, /* a count of processes, like SELF_OUTCOME_*: never measured yet */
	SELF_INTERVAL,        /* nanoseconds, as configured; in both modes */
	/* bytes: sum of the errors of estimates, either way, when processes were measured again */
	SELF_ESTIMATE_OFF,
	SELF_ESTIMATE_FOUND, /* bytes: sum of the PSS that was measured then */
	SELF_WAITING_BUDGET, /* a count of measurements that wait for CPU budget */
	SELF_MAX_AGE,        /* nanoseconds within which each process should be measured */
	/* Nanoseconds that some process has waited for a measurement; absent if none */
	SELF_LONGEST_UNMEASURED,
	/* Nanoseconds from one pass to the next, as the header's interval_ns; in both modes */
	SELF_PERIOD,
	/* A count of measurements that wait because of memory pressure */
	SELF_WAITING_PRESSURE,
	/* Nanoseconds until the budget suffices for all that wait; absent if not known */
	SELF_BACKLOG,
	/* nanoseconds: about a minute, or the last two intervals; in both modes */
	SELF_CPU_RECENT_SPAN,
	SELF_ESTIMATE_OFF_RECENT,   /* SELF_ESTIMATE_OFF of about the last SELF_MAX_AGE */
	SELF_ESTIMATE_FOUND_RECENT, /* SELF_ESTIMATE_FOUND of about the last SELF_MAX_AGE */
	/* Counts of owners by charge_outcome; absent without a memory controller; in both modes */
	SELF_CHARGE_FIRST,
	SELF_CHARGE_LAST = SELF_CHARGE_FIRST + CHARGE_OUTCOMES - 1,
	/* A count of processes, like SELF_OUTCOME_*; in both modes, as all below */
	SELF_OUTCOME_BLOCKED,
	SELF_BLOCKED_READS, /* a count of reads of files in /proc that the kernel blocks now */
	/* Nanoseconds since the oldest of these reads began; 0: there is none */
	SELF_BLOCKED_OLDEST,
	/* A count since the start of reads that were given up as blocked */
	SELF_BLOCKED_READS_TOTAL,
	SELF_WORKERS_REPLACED, /* a count since the start of measuring workers that were replaced */
	SELF_QUANTITIES
};

/*
 * The host's memory by use. The lines of the balance sheet (snapshot/balance.h), in bytes, are
 * those before BALANCE_LINES, and BALANCE_PSS_DRIVER, which was added later.
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
	BALANCE_LINES,                    /* not a line: the number of lines before it */
	BALANCE_RESIDUAL = BALANCE_LINES, /* an int64_t: MemTotal less all lines */
	BALANCE_RESIDUAL_LOW,  /* an int64_t: lower bound, with the PSS at its upper bound */
	BALANCE_RESIDUAL_HIGH, /* an int64_t: upper bound, with the PSS at its lower bound */
	/* An int64_t: the part of the residual that processes map and that is in no PSS */
	BALANCE_RESIDUAL_PROCESSES,
	BALANCE_SWAP_PROCESSES,     /* bytes of swap space: SwapPss of the processes */
	BALANCE_SWAP_SYSV,          /* bytes of swap space: SysV segments */
	BALANCE_SWAP_UNKNOWN,       /* an int64_t, bytes of swap space: all other used space */
	BALANCE_SWAP_FREE,          /* bytes of swap space: unused */
	BALANCE_TMPFS_UNREAD,       /* a count of tmpfs file systems that could not be read */
	BALANCE_DIRECTORIES_UNREAD, /* a count of directories on tmpfs that could not be read */
	BALANCE_PSS_DRIVER, /* a line of the balance sheet: drivers' memory that processes map */
	/* Bytes of the other PSS that may be drivers' memory: mappings that were not read yet */
	BALANCE_DRIVER_UNREAD,
	BALANCE_MAP_COUNTS_EXACT, /* 0 or 1, see collectors/process/self/mapcounts.h; absent if not known */
	BALANCE_QUANTITIES
};

/* Holdings: shared memory by its user or file system, mapped or not. */
enum holding_kind {
	HOLDING_SHMEM, /* owned by a user */
	HOLDING_TMPFS, /* on a tmpfs */
	HOLDING_KINDS
};

/* Quantities of a holding, by its kind. Bytes unless a comment says otherwise. */
enum shmem_quantity {
	SHMEM_SYSV,            /* the user's SysV segments in memory */
	SHMEM_SYSV_UNATTACHED, /* the part of SHMEM_SYSV in segments that no process has attached */
	SHMEM_SYSV_SWAP,       /* the user's SysV segments in swap */
	SHMEM_SYSV_SIZE,       /* the size of the user's SysV segments, as requested */
	SHMEM_SYSV_SEGMENTS,   /* a count of the user's SysV segments */
	SHMEM_TMPFS,           /* the user's files on tmpfs that were found, in memory or swap */
	SHMEM_TMPFS_FILES,     /* a count */
	SHMEM_QUANTITIES
};

enum tmpfs_quantity {
	TMPFS_USED,  /* in memory or swap */
	TMPFS_SIZE,  /* the limit; absent if there is none */
	TMPFS_OWNED, /* the part of TMPFS_USED in files that were found: SHMEM_TMPFS of all users */
	TMPFS_QUANTITIES
};

enum { HOLDING_QUANTITIES = 8 }; /* quantities that a row has room for */

static_assert((int)SHMEM_QUANTITIES <= (int)HOLDING_QUANTITIES &&
		      (int)TMPFS_QUANTITIES <= (int)HOLDING_QUANTITIES,
	"a row has room for each kind's");

/*
 * A file that processes map, as the last survey (inspect/files/survey-reader.h) found it. Bytes
 * unless a comment says otherwise.
 */
enum file_quantity {
	FILE_PROCESSES, /* a count of processes that map it */
	FILE_USERS,     /* a count of users of these processes */
	FILE_MAPPINGS,  /* a count of mappings in all these processes */
	FILE_RESIDENT,  /* of the file, each page counted once; a lower bound */
	FILE_PSS,       /* sum over the mappings, as the next three */
	FILE_RSS,       /* counts a shared page once for each process */
	/* Pages written by one process and mapped by no other: .data, relocations */
	FILE_PRIVATE_DIRTY,
	FILE_SWAP, /* swapped pages of these mappings */
	FILE_QUANTITIES
};

/* The last survey of mapped files as a whole. Bytes unless a comment says otherwise. */
enum survey_quantity {
	SURVEY_AGE,      /* nanoseconds from its end to the publication */
	SURVEY_DURATION, /* nanoseconds */
	SURVEY_READ,     /* a count of processes that were read: the sums are of these */
	SURVEY_DENIED,   /* a count of processes that the kernel refuses */
	SURVEY_GONE,     /* a count of processes that exited or called exec during the survey */
	/*
	 * A count of processes left out: a mapping too long for the stall budget, no measurement
	 * yet, or too many mappings
	 */
	SURVEY_LEFT_OUT,
	SURVEY_ERROR,   /* a count of processes: any other error */
	SURVEY_FILES,   /* a count */
	SURVEY_DELETED, /* a count of files that are no longer at their path */
	/* A count of processes that map such a file as a program or library */
	SURVEY_PROCESSES_DELETED,
	SURVEY_PSS, /* of all files, with or without a row; as the next three */
	SURVEY_RSS,
	SURVEY_PRIVATE_DIRTY,
	SURVEY_SWAP,
	SURVEY_UNLISTED, /* a count of files without a row */
	SURVEY_UNLISTED_PSS,
	SURVEY_UNLISTED_PRIVATE_DIRTY,
	SURVEY_CPU,     /* nanoseconds */
	SURVEY_BLOCKED, /* a count of processes: the kernel blocks readers of their smaps */
	SURVEY_QUANTITIES
};

static_assert(PROCESS_QUANTITIES <= 64 && SCOPE_QUANTITIES <= 64 && SELF_QUANTITIES <= 64 &&
		      BALANCE_QUANTITIES <= 64 && FILE_QUANTITIES <= 64 && SURVEY_QUANTITIES <= 64,
	"a row's mask has 64 bits");

enum scope_flag {
	SCOPE_EXPORTED = 1 << 0, /* has series of its own in /metrics */
	/* The "(other)" row: the sum of the owners without series of their own */
	SCOPE_OTHER = 1 << 1,
};

enum process_flag {
	PROCESS_EXPORTED = 1 << 0, /* has series of its own in /metrics */
};

/* An owner, or the host. Names are offsets into the string table. */
struct snapshot_scope {
	uint32_t name;
	uint32_t id; /* see struct owner, .id, of the owner's kind; 0 if that is NULL */
	uint32_t flags;
	uint32_t above; /* a name: see struct owner, .above; empty if that is NULL */
	/* A name: the user of an owner with .has_user (snapshot/owner.h); empty if none */
	uint32_t user;
	uint32_t reserved;
	uint64_t created_ns; /* CLOCK_REALTIME at which the counters started from 0 */
	uint64_t present;
	uint64_t q[SCOPE_QUANTITIES];
};

struct snapshot_process {
	uint32_t pid;
	uint32_t uid;    /* effective uid, even if accounting.user counts the process for another */
	uint32_t mm_pid; /* OUTCOME_SHARED_MM: the pid at which the memory counts; else 0 */
	uint32_t gid;    /* effective gid; OWNER_NO_ID: not known */
	uint32_t owner[OWNERS_MAX]; /* names, by enum owner_kind; offsets into the string table */
	uint8_t source;             /* enum process_source */
	uint8_t outcome;            /* enum process_outcome */
	uint16_t flags;
	/*
	 * pid of the parent; 0: none in the pid namespace of memtallyd, or not known. The parent may
	 * have no row, and parents may form a circle, since they are read one after another.
	 */
	uint32_t ppid;
	uint64_t present;
	uint64_t q[PROCESS_QUANTITIES];
};

/* memtallyd itself. */
struct snapshot_self {
	uint32_t version; /* of the program: a name */
	uint32_t flags;   /* enum self_flag */
	uint64_t present;
	uint64_t q[SELF_QUANTITIES];
};

enum self_flag {
	SELF_CAP_SYS_PTRACE = 1 << 0, /* in the effective set */
	SELF_CAP_PERFMON = 1 << 1,    /* in the effective set */
	SELF_READS_FOREIGN = 1 << 2,  /* PSS of other users' processes could be measured */
	SELF_COMPARES_MM = 1 << 3, /* kcmp(KCMP_VM) is allowed: shared address spaces are found */
	/* /proc is mounted with hidepid: other users' processes are missing */
	SELF_PROC_HIDDEN = 1 << 4,
	/* /proc is mounted with hidepid, even if memtallyd sees all processes */
	SELF_PROC_RESTRICTED = 1 << 5,
	SELF_USERS_BY_REAL = 1 << 6,  /* accounting.user is ruid */
	SELF_USERS_BY_LOGIN = 1 << 7, /* accounting.user is loginuid; neither flag: euid */
};

/* The host's balance sheet. */
struct snapshot_balance {
	uint64_t present;
	uint64_t q[BALANCE_QUANTITIES];
};

struct snapshot_holding {
	uint32_t kind; /* enum holding_kind */
	uint32_t name; /* the user, or the mount point */
	/* HOLDING_SHMEM: the uid, or OWNER_NO_ID for the sum of users without a row; else 0 */
	uint32_t id;
	uint32_t reserved;
	uint64_t present;
	uint64_t q[HOLDING_QUANTITIES];
};

enum file_flag {
	FILE_DELETED = 1 << 0,    /* it is no longer at its path, as after an upgrade */
	FILE_EXECUTABLE = 1 << 1, /* some of it is mapped executable: a program or a library */
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

/*
 * Buckets of a histogram. The metric table has their upper bounds; the last bucket has none (+Inf).
 */
enum { HISTOGRAM_BUCKETS = 16 };

enum snapshot_histogram_id {
	HISTOGRAM_PASS_DURATION,
	HISTOGRAM_ESTIMATE_ERROR, /* a ratio, in units of 1e-9 */
	HISTOGRAM_HOLD,
	HISTOGRAM_COUNT_
};

struct snapshot_histogram {
	uint32_t id; /* enum snapshot_histogram_id */
	uint32_t reserved;
	uint64_t sum_ns;
	uint64_t count;
	uint64_t bucket[HISTOGRAM_BUCKETS]; /* counts, not cumulative */
};

/* Sets quantity I of ROW, a pointer to any row, to VALUE. */
#define ROW_SET(row, i, value)                                                                     \
	do {                                                                                       \
		(row)->q[i] = (value);                                                             \
		(row)->present |= UINT64_C(1) << (i);                                              \
	} while (0)

#define ROW_HAS(row, i) (((row)->present >> (i)) & 1)

/* Returns the enum self_quantity that counts the processes of the last pass with OUTCOME. */
static inline unsigned int snapshot_outcome_count(enum process_outcome outcome)
{
	return outcome <= OUTCOME_ERROR ? SELF_OUTCOME_FIRST + (unsigned int)outcome
	                                : SELF_OUTCOME_BLOCKED;
}

/*
 * Returns whether the PSS of ROW, if it has one, counts in sums: the process was measured,
 * estimated or guessed, or it is blocked and has an estimate.
 */
static inline bool snapshot_has_figure(const struct snapshot_process *row)
{
	return row->outcome == OUTCOME_MEASURED ||
	       (row->outcome == OUTCOME_BLOCKED && ROW_HAS(row, PROCESS_PSS));
}

/*
 * Returns whether memtallyd runs in adaptive mode, in which each pass measures some processes and
 * estimates the others.
 */
static inline bool snapshot_is_adaptive(const struct snapshot_self *self)
{
	return ROW_HAS(self, SELF_BUDGET_CPU);
}

/*
 * Returns whether ROW's PSS is a guess: an estimate without a measurement, and so without an age.
 */
static inline bool snapshot_is_guess(const struct snapshot_process *row)
{
	return row->source == SOURCE_ESTIMATE && row->outcome == OUTCOME_MEASURED &&
	       ROW_HAS(row, PROCESS_PSS) && !ROW_HAS(row, PROCESS_PSS_AGE);
}

#endif
