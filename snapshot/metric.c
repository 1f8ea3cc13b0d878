/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "snapshot/metric.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "snapshot/owner.h"

enum {
	BOTH = METRIC_IN_PROMETHEUS | METRIC_IN_JSON,
	JSON = METRIC_IN_JSON,
	HOST_SERIES = METRIC_IN_JSON | METRIC_HOST_IN_PROMETHEUS,
	CGROUP_SERIES = METRIC_IN_PROMETHEUS | METRIC_IN_JSON | METRIC_CGROUP_ONLY,
	KERNEL_SERIES = CGROUP_SERIES | METRIC_OR_HOST,
	NAMEGROUP_JSON = METRIC_IN_JSON | METRIC_NAMEGROUP_ONLY,
};

/* clang-format off */
#define GAUGE(what_, unit_, index_, flags_, help_) \
	{.what = what_, .unit = unit_, .type = METRIC_GAUGE, .kind = METRIC_INTEGER, \
	 .index = index_, .flags = flags_, .help = help_}
#define COUNTER(what_, unit_, index_, flags_, help_) \
	{.what = what_, .unit = unit_, .type = METRIC_COUNTER, .kind = METRIC_INTEGER, \
	 .index = index_, .flags = flags_, .help = help_}
#define LABELLED(what_, index_, label_, value_, help_) \
	{.what = what_, .type = METRIC_GAUGE, .kind = METRIC_INTEGER, .index = index_, \
	 .flags = BOTH, .label = label_, .value = value_, .help = help_}

#define COUNTED(what_, index_, label_, value_, help_) \
	{.what = what_, .type = METRIC_COUNTER, .kind = METRIC_INTEGER, .index = index_, \
	 .flags = BOTH, .label = label_, .value = value_, .help = help_}

#define LABELLED_BYTES(what_, index_, label_, value_, flags_, help_) \
	{.what = what_, .unit = "bytes", .type = METRIC_GAUGE, .kind = METRIC_INTEGER, \
	 .index = index_, .flags = flags_, .label = label_, .value = value_, .help = help_}

#define HELP_UNMEASURED_RSS "RSS of the processes without a PSS, by reason: the PSS lacks at most this amount."
#define HELP_UNMEASURED "Processes that could not be measured, by reason. Their PSS is not in the sums, except the estimate for a blocked process that was measured before."

static const struct metric scope_metrics[] = {
	GAUGE("pss", "bytes", SCOPE_PSS, BOTH,
		"Proportional set size: resident memory with every shared page divided by the number of its mappings. Adds up."),
	GAUGE("pss_low", "bytes", SCOPE_PSS_LOW, BOTH,
		"Lower bound of the PSS: for an estimate, the least that it may be since the last measurement."),
	GAUGE("pss_high", "bytes", SCOPE_PSS_HIGH, BOTH,
		"Upper bound of the PSS: includes rounding by the kernel, possible changes since the last measurement, and the whole RSS of processes that could not be measured."),
	GAUGE("pss_measured", "bytes", SCOPE_PSS_MEASURED, BOTH,
		"Part of the PSS that was measured within the last interval; the rest is estimated."),
	GAUGE("pss_estimated", "bytes", SCOPE_PSS_ESTIMATED, HOST_SERIES,
		"Part of the PSS that is estimated: carried forward from earlier measurements, or guessed for processes never measured."),
	GAUGE("pss_guessed", "bytes", SCOPE_PSS_GUESSED, HOST_SERIES,
		"Part of the estimated PSS that is guessed, for processes never measured yet."),
	GAUGE("uss", "bytes", SCOPE_USS, BOTH,
		"Unique set size: resident memory that only one process maps, summed. Absent while the PSS of one of the processes is a guess."),
	GAUGE("rss", "bytes", SCOPE_RSS, BOTH,
		"Resident set sizes, summed. Counts a shared page once for every process, so it may exceed the memory of the host."),
	GAUGE("swap_pss", "bytes", SCOPE_SWAP_PSS, BOTH,
		"Proportional share of swap (SwapPss); swapped shared memory is not in it."),
	GAUGE("vm_swap", "bytes", SCOPE_VM_SWAP, BOTH,
		"Swapped-out anonymous memory (VmSwap), summed; counts shared pages once for every process."),
	GAUGE("hugetlb", "bytes", SCOPE_HUGETLB, BOTH,
		"Memory in hugetlb pages, which is in neither RSS nor PSS: private pages plus the largest shared amount of any process. Not additive."),
	GAUGE("pagetable", "bytes", SCOPE_PAGETABLE, BOTH,
		"Page tables of the processes (VmPTE), summed."),
	GAUGE("processes", NULL, SCOPE_PROCESSES, BOTH,
		"Processes that have memory."),
	GAUGE("guessed_processes", NULL, SCOPE_GUESSED, JSON,
		"Processes that were never measured and have a guessed PSS."),
	LABELLED("unmeasured_processes", SCOPE_UNMEASURED_DENIED, "reason", "denied", HELP_UNMEASURED),
	LABELLED("unmeasured_processes", SCOPE_UNMEASURED_MALFORMED, "reason", "malformed", HELP_UNMEASURED),
	LABELLED("unmeasured_processes", SCOPE_UNMEASURED_CHANGING, "reason", "changing", HELP_UNMEASURED),
	LABELLED("unmeasured_processes", SCOPE_UNMEASURED_ERROR, "reason", "error", HELP_UNMEASURED),
	LABELLED("unmeasured_processes", SCOPE_UNMEASURED_BLOCKED, "reason", "blocked", HELP_UNMEASURED),
	LABELLED_BYTES("unmeasured_rss", SCOPE_UNMEASURED_RSS_DENIED, "reason", "denied", HOST_SERIES, HELP_UNMEASURED_RSS),
	LABELLED_BYTES("unmeasured_rss", SCOPE_UNMEASURED_RSS_MALFORMED, "reason", "malformed", HOST_SERIES, HELP_UNMEASURED_RSS),
	LABELLED_BYTES("unmeasured_rss", SCOPE_UNMEASURED_RSS_CHANGING, "reason", "changing", HOST_SERIES, HELP_UNMEASURED_RSS),
	LABELLED_BYTES("unmeasured_rss", SCOPE_UNMEASURED_RSS_ERROR, "reason", "error", HOST_SERIES, HELP_UNMEASURED_RSS),
	LABELLED_BYTES("unmeasured_rss", SCOPE_UNMEASURED_RSS_BLOCKED, "reason", "blocked", HOST_SERIES, HELP_UNMEASURED_RSS),
	GAUGE("vm_hwm_max", "bytes", SCOPE_VM_HWM_MAX, BOTH,
		"Largest high-water mark of RSS (VmHWM) among the live processes."),
	COUNTER("vm_hwm_growth", "bytes", SCOPE_VM_HWM_GROWTH, BOTH,
		"Growth of the processes' high-water marks of RSS (VmHWM) since each process was first seen."),
	COUNTER("vm_swap_growth", "bytes", SCOPE_VM_SWAP_GROWTH, BOTH,
		"Sum of the rises of the processes' VmSwap between two readings."),
	COUNTER("anon_growth", "bytes", SCOPE_ANON_GROWTH, BOTH,
		"Growth of the processes' anonymous memory, resident or swapped out (RssAnon and VmSwap), above the previous maximum of each process."),
	{.what = "pss", .unit = "byte_seconds", .type = METRIC_COUNTER, .kind = METRIC_REAL,
		.index = SCOPE_PSS_BYTE_SECONDS, .flags = BOTH,
		.help = "PSS integrated over time."},
	GAUGE("vm_size", "bytes", SCOPE_VM_SIZE, JSON,
		"Address space of the processes (VmSize), summed; most of it uses no memory."),
	GAUGE("threads", NULL, SCOPE_THREADS, JSON,
		"Threads of the processes."),
	{.what = "oldest_start_time", .unit = "seconds", .type = METRIC_GAUGE, .kind = METRIC_NANOSECONDS,
		.index = SCOPE_OLDEST_START, .flags = JSON,
		.help = "Start of the oldest process, in seconds since the epoch."},
	COUNTER("naming_failures", NULL, SCOPE_NAMING_FAILURES, BOTH | METRIC_HOST_ONLY,
		"Processes that a rule of naming.process_exporter failed on, or that have a command line of more than 32 KiB, of which rules see the beginning, or control groups that are too long to be read; absent without rules."),
	{.what = "cpu_user", .unit = "seconds", .type = METRIC_COUNTER, .kind = METRIC_NANOSECONDS,
		.index = SCOPE_CPU_USER, .flags = NAMEGROUP_JSON,
		.help = "CPU time of the processes in user mode. What a process used between its last reading and its exit is missing."},
	{.what = "cpu_system", .unit = "seconds", .type = METRIC_COUNTER, .kind = METRIC_NANOSECONDS,
		.index = SCOPE_CPU_SYSTEM, .flags = NAMEGROUP_JSON,
		.help = "CPU time of the processes in kernel mode. What a process used between its last reading and its exit is missing."},
	COUNTER("minor_page_faults", NULL, SCOPE_MINOR_FAULTS, NAMEGROUP_JSON,
		"Page faults of the processes that needed no I/O. Those between the last reading of a process and its exit are missing."),
	COUNTER("major_page_faults", NULL, SCOPE_MAJOR_FAULTS, NAMEGROUP_JSON,
		"Page faults of the processes that needed I/O. Those between the last reading of a process and its exit are missing."),
	GAUGE("running_processes", NULL, SCOPE_RUNNING, NAMEGROUP_JSON,
		"Processes with a main thread that runs or waits for a CPU (state R)."),
	GAUGE("sleeping_processes", NULL, SCOPE_SLEEPING, NAMEGROUP_JSON,
		"Processes with a main thread that sleeps (state S)."),
	GAUGE("waiting_processes", NULL, SCOPE_WAITING, NAMEGROUP_JSON,
		"Processes with a main thread that sleeps and cannot be interrupted (state D)."),
	GAUGE("other_state_processes", NULL, SCOPE_OTHER_STATE, NAMEGROUP_JSON,
		"Processes with a main thread in another state, such as stopped or exited."),
	GAUGE("mem_total", "bytes", SCOPE_MEM_TOTAL, BOTH | METRIC_HOST_ONLY,
		"Memory of the host that the kernel manages (MemTotal)."),
	GAUGE("mem_available", "bytes", SCOPE_MEM_AVAILABLE, BOTH | METRIC_HOST_ONLY,
		"Memory that is available without swapping (MemAvailable, an estimate by the kernel)."),
	GAUGE("cgroup", "bytes", SCOPE_CGROUP, CGROUP_SERIES,
		"Memory that the kernel charges to the cgroup and all below it (memory.current): pages that they touched first, page cache and kernel memory included. Not additive."),
	GAUGE("cgroup_anon", "bytes", SCOPE_CGROUP_ANON, CGROUP_SERIES,
		"Anonymous memory that is charged to the cgroup (anon of memory.stat)."),
	GAUGE("cgroup_file", "bytes", SCOPE_CGROUP_FILE, CGROUP_SERIES,
		"Page cache that is charged to the cgroup, mapped or not, tmpfs and shared memory included (file of memory.stat)."),
	GAUGE("cgroup_shmem", "bytes", SCOPE_CGROUP_SHMEM, CGROUP_SERIES,
		"Tmpfs and shared memory that is charged to the cgroup, a part of its page cache (shmem of memory.stat)."),
	GAUGE("cgroup_kernel", "bytes", SCOPE_CGROUP_KERNEL, CGROUP_SERIES,
		"Kernel memory that is charged to the cgroup, such as stacks, page tables and slab (kernel of memory.stat, Linux 5.18 and later; cgroup v1 memory.kmem.usage_in_bytes)."),
	GAUGE("cgroup_swap", "bytes", SCOPE_CGROUP_SWAP, CGROUP_SERIES,
		"Swap that is charged to the cgroup (memory.swap.current), in addition to its memory."),
	GAUGE("cgroup_peak", "bytes", SCOPE_CGROUP_PEAK, CGROUP_SERIES,
		"The most that the kernel has charged to the cgroup and all below it since the cgroup was made (memory.peak, Linux 5.19 and later; cgroup v1 memory.max_usage_in_bytes)."),
	COUNTER("cgroup_high_events", NULL, SCOPE_CGROUP_HIGH_EVENTS, CGROUP_SERIES,
		"How often processes of the cgroup were slowed down to reclaim memory, because it was above memory.high (high of memory.events)."),
	COUNTER("cgroup_max_events", NULL, SCOPE_CGROUP_MAX_EVENTS, CGROUP_SERIES,
		"How often the cgroup was about to exceed its limit (max of memory.events; cgroup v1 memory.failcnt)."),
	COUNTER("oom_kills", NULL, SCOPE_OOM_KILLS, KERNEL_SERIES,
		"Processes that the kernel has killed for lack of memory: of the host since boot (oom_kill of vmstat, Linux 4.13 and later), or of the cgroup and all below it since the cgroup was made (oom_kill of memory.events; in cgroup v1, oom_kill of memory.oom_control: of the cgroup alone). A cgroup that is removed takes its counter along."),
	{.what = "memory_waiting", .unit = "seconds", .type = METRIC_COUNTER, .kind = METRIC_NANOSECONDS,
		.index = SCOPE_MEMORY_WAITING, .flags = KERNEL_SERIES,
		.help = "Time in which at least one process of the host or the cgroup waited for memory (PSI, total of some). Not in cgroup v1."},
	{.what = "memory_stalled", .unit = "seconds", .type = METRIC_COUNTER, .kind = METRIC_NANOSECONDS,
		.index = SCOPE_MEMORY_STALLED, .flags = KERNEL_SERIES,
		.help = "Time in which all processes of the host or the cgroup that had work waited for memory at once (PSI, total of full). Not in cgroup v1."},
	{.what = "cgroup_age", .unit = "seconds", .type = METRIC_GAUGE, .kind = METRIC_NANOSECONDS,
		.index = SCOPE_CGROUP_AGE, .flags = JSON | METRIC_CGROUP_ONLY,
		.help = "Time from the reading of the cgroup's charges to the end of the pass."},
};

static const struct metric process_metrics[] = {
	GAUGE("pss", "bytes", PROCESS_PSS, BOTH,
		"Proportional set size: resident memory with every shared page divided by the number of its mappings."),
	GAUGE("pss_low", "bytes", PROCESS_PSS_LOW, BOTH,
		"Lower bound of the PSS: the measured value, or for an estimate the least that it may be since the last measurement."),
	GAUGE("pss_high", "bytes", PROCESS_PSS_HIGH, BOTH,
		"Upper bound of the PSS: includes rounding to KiB by the kernel, and possible changes since the last measurement."),
	GAUGE("pss_anon", "bytes", PROCESS_PSS_ANON, BOTH,
		"Anonymous part of the PSS (Linux 5.3 and later)."),
	GAUGE("pss_file", "bytes", PROCESS_PSS_FILE, BOTH,
		"File-backed part of the PSS (Linux 5.3 and later)."),
	GAUGE("pss_shmem", "bytes", PROCESS_PSS_SHMEM, BOTH,
		"Shared-memory part of the PSS (Linux 5.3 and later)."),
	GAUGE("uss", "bytes", PROCESS_USS, BOTH,
		"Unique set size: resident memory that no other process maps."),
	GAUGE("rss", "bytes", PROCESS_RSS, BOTH,
		"Resident set size."),
	GAUGE("swap_pss", "bytes", PROCESS_SWAP_PSS, BOTH,
		"Proportional share of swap (SwapPss)."),
	GAUGE("vm_swap", "bytes", PROCESS_VM_SWAP, BOTH,
		"Swapped-out anonymous memory (VmSwap)."),
	GAUGE("vm_hwm", "bytes", PROCESS_VM_HWM, BOTH,
		"High-water mark of RSS (VmHWM)."),
	GAUGE("vm_peak", "bytes", PROCESS_VM_PEAK, BOTH,
		"Largest virtual size so far (VmPeak)."),
	GAUGE("vm_size", "bytes", PROCESS_VM_SIZE, BOTH,
		"Virtual size (VmSize)."),
	GAUGE("vm_data", "bytes", PROCESS_VM_DATA, BOTH,
		"Private writable virtual memory (VmData)."),
	GAUGE("vm_pte", "bytes", PROCESS_VM_PTE, BOTH,
		"Page tables (VmPTE)."),
	{.what = "start_time", .unit = "seconds", .type = METRIC_GAUGE, .kind = METRIC_NANOSECONDS,
		.index = PROCESS_START_TIME, .flags = BOTH,
		.help = "Start time of the process, in seconds since the epoch."},
	{.what = "pss_age", .unit = "seconds", .type = METRIC_GAUGE, .kind = METRIC_NANOSECONDS,
		.index = PROCESS_PSS_AGE, .flags = BOTH, .json = "age_seconds",
		.help = "Age of the measurement of the PSS when the snapshot was published; absent if the process was never measured."},
	GAUGE("private_hugetlb", "bytes", PROCESS_PRIVATE_HUGETLB, JSON,
		"Private memory in hugetlb pages, which is in neither RSS nor PSS."),
	GAUGE("shared_hugetlb", "bytes", PROCESS_SHARED_HUGETLB, JSON,
		"Shared memory in hugetlb pages, which is in neither RSS nor PSS; counted in full for each process."),
	GAUGE("vm_lck", "bytes", PROCESS_VM_LCK, JSON, "Locked memory (VmLck)."),
	GAUGE("vm_pin", "bytes", PROCESS_VM_PIN, JSON, "Pinned memory (VmPin)."),
	GAUGE("vm_stk", "bytes", PROCESS_VM_STK, JSON, "Virtual size of the stack (VmStk)."),
	GAUGE("vm_exe", "bytes", PROCESS_VM_EXE, JSON, "Virtual size of the program text (VmExe)."),
	GAUGE("vm_lib", "bytes", PROCESS_VM_LIB, JSON, "Virtual size of the libraries' text (VmLib)."),
	GAUGE("rss_anon", "bytes", PROCESS_RSS_ANON, JSON, "Anonymous part of the RSS (RssAnon)."),
	GAUGE("rss_file", "bytes", PROCESS_RSS_FILE, JSON, "File-backed part of the RSS (RssFile)."),
	GAUGE("rss_shmem", "bytes", PROCESS_RSS_SHMEM, JSON, "Shared-memory part of the RSS (RssShmem)."),
	GAUGE("vm_hwm_growth", "bytes", PROCESS_VM_HWM_GROWTH, JSON,
		"Growth of VmHWM since the process, or its last exec, was first seen."),
	GAUGE("vm_swap_growth", "bytes", PROCESS_VM_SWAP_GROWTH, JSON,
		"Sum of the rises of VmSwap since the process, or its last exec, was first seen."),
	GAUGE("anon_growth", "bytes", PROCESS_ANON_GROWTH, JSON,
		"Growth of anonymous memory, resident or swapped out (RssAnon and VmSwap), since the process, or its last exec, was first seen: the rise of its maximum."),
	{.what = "anon_slope", .unit = "bytes_per_second", .type = METRIC_GAUGE, .kind = METRIC_SIGNED_REAL,
		.index = PROCESS_ANON_SLOPE, .flags = JSON,
		.help = "Growth rate of anonymous memory (RssAnon and VmSwap) over the last hour, negative if it shrank: the slope of a straight line through its five-minute means; absent if there are fewer than three."},
	{.what = "anon_slope_error", .unit = "bytes_per_second", .type = METRIC_GAUGE, .kind = METRIC_REAL,
		.index = PROCESS_ANON_SLOPE_ERROR, .flags = JSON,
		.help = "Standard error of anon_slope_bytes_per_second: the error of the slope is smaller two times in three."},
	{.what = "elapsed", .unit = "seconds", .type = METRIC_GAUGE, .kind = METRIC_NANOSECONDS,
		.index = PROCESS_ELAPSED, .flags = JSON,
		.help = "Time since the process started, suspend included."},
	{.what = "seen", .unit = "seconds", .type = METRIC_GAUGE, .kind = METRIC_NANOSECONDS,
		.index = PROCESS_SEEN, .flags = JSON,
		.help = "Time since the process, or its last exec, was first seen; growth counts from then."},
	GAUGE("threads", NULL, PROCESS_THREADS, JSON,
		"Threads."),
};

#define HELP_MEMORY "Memory of the host by kind. All kinds and memtally_host_residual_bytes add up to memtally_host_mem_total_bytes."
#define HELP_SWAP   "Swap space of the host by kind: processes (SwapPss), SysV segments, other used space such as files on tmpfs (unknown), and free space."

#define MEMORY(index_, value_) LABELLED_BYTES("memory", index_, "kind", value_, BOTH, HELP_MEMORY)
#define SIGNED(what_, index_, flags_, help_) \
	{.what = what_, .unit = "bytes", .type = METRIC_GAUGE, .kind = METRIC_SIGNED, \
	 .index = index_, .flags = flags_, .help = help_}

static const struct metric balance_metrics[] = {
	MEMORY(BALANCE_PSS_ANON, "pss_anon"),
	MEMORY(BALANCE_PSS_FILE, "pss_file"),
	MEMORY(BALANCE_PSS_SHMEM, "pss_shmem"),
	MEMORY(BALANCE_PSS_UNSPLIT, "pss_unsplit"),
	MEMORY(BALANCE_PAGE_CACHE, "page_cache"),
	MEMORY(BALANCE_SWAP_CACHE, "swap_cache"),
	MEMORY(BALANCE_SYSV, "sysv"),
	MEMORY(BALANCE_TMPFS, "tmpfs"),
	MEMORY(BALANCE_SHMEM, "shmem"),
	MEMORY(BALANCE_HUGETLB, "hugetlb"),
	MEMORY(BALANCE_PAGE_TABLES, "page_tables"),
	MEMORY(BALANCE_SECONDARY_PAGE_TABLES, "secondary_page_tables"),
	MEMORY(BALANCE_KERNEL_STACKS, "kernel_stacks"),
	MEMORY(BALANCE_SLAB_RECLAIMABLE, "slab_reclaimable"),
	MEMORY(BALANCE_SLAB_UNRECLAIMABLE, "slab_unreclaimable"),
	MEMORY(BALANCE_KERNEL_RECLAIMABLE, "kernel_reclaimable"),
	MEMORY(BALANCE_VMALLOC, "vmalloc"),
	MEMORY(BALANCE_PERCPU, "percpu"),
	MEMORY(BALANCE_ZSWAP, "zswap"),
	MEMORY(BALANCE_ZRAM, "zram"),
	MEMORY(BALANCE_WRITEBACK_TMP, "writeback_tmp"),
	MEMORY(BALANCE_MEMMAP, "memmap"),
	MEMORY(BALANCE_HARDWARE_CORRUPTED, "hardware_corrupted"),
	MEMORY(BALANCE_FREE, "free"),
	MEMORY(BALANCE_FREE_LISTS, "free_lists"),
	MEMORY(BALANCE_PSS_DRIVER, "pss_driver"),
	SIGNED("residual", BALANCE_RESIDUAL, BOTH,
		"MemTotal less all kinds of memory: memory without a counter in the kernel, and errors of the PSS. Negative if the kinds exceed MemTotal."),
	SIGNED("residual_low", BALANCE_RESIDUAL_LOW, JSON,
		"Lower bound of the residual: with the PSS at memtally_host_pss_high_bytes, less drivers' memory in doubt."),
	SIGNED("residual_high", BALANCE_RESIDUAL_HIGH, JSON,
		"Upper bound of the residual: with the PSS at memtally_host_pss_low_bytes, plus drivers' memory in doubt."),
	SIGNED("residual_processes", BALANCE_RESIDUAL_PROCESSES, BOTH,
		"Part of the residual that processes map (AnonPages and Mapped) and that is in no PSS: memory of processes that are not measured, and errors of estimates."),
	LABELLED_BYTES("swap", BALANCE_SWAP_PROCESSES, "kind", "processes", BOTH, HELP_SWAP),
	LABELLED_BYTES("swap", BALANCE_SWAP_SYSV, "kind", "sysv", BOTH, HELP_SWAP),
	{.what = "swap", .unit = "bytes", .type = METRIC_GAUGE, .kind = METRIC_SIGNED,
		.index = BALANCE_SWAP_UNKNOWN, .flags = BOTH, .label = "kind", .value = "unknown", .help = HELP_SWAP},
	LABELLED_BYTES("swap", BALANCE_SWAP_FREE, "kind", "free", BOTH, HELP_SWAP),
	GAUGE("tmpfs_unread", NULL, BALANCE_TMPFS_UNREAD, BOTH,
		"Mounted file systems of type tmpfs that memtallyd could not read."),
	GAUGE("tmpfs_directories_unread", NULL, BALANCE_DIRECTORIES_UNREAD, BOTH,
		"Directories on tmpfs with files that memtally_shmem_tmpfs_bytes lacks: memtallyd may not read them, or they are too many or too deep."),
	GAUGE("driver_memory_unread", "bytes", BALANCE_DRIVER_UNREAD, BOTH,
		"Part of kinds pss_file and pss_unsplit that may be drivers' memory: processes have mapped it since memtallyd read their mappings last."),
	{.what = "map_counts_exact", .type = METRIC_GAUGE, .kind = METRIC_INTEGER,
		.index = BALANCE_MAP_COUNTS_EXACT, .flags = BOTH,
		.help = "Whether this kernel counts the mappings of each page (1), or only their mean over a large folio (0), so that the PSS of shared memory is approximate; absent if that could not be tested."},
};

#define HELP_SURVEYED "Processes of the last survey of mapped files by outcome: read, denied by the kernel, gone (exited, or called exec), left-out (a mapping takes longer than budget.stall, no measurement yet, or too many mappings), error, or blocked."

#define SURVEYED(index_, value_) \
	{.what = "mapped_files_processes", .type = METRIC_GAUGE, .kind = METRIC_INTEGER, .index = index_, \
	 .flags = BOTH, .label = "outcome", .value = value_, .json = "processes", .help = HELP_SURVEYED}
#define SURVEY(what_, unit_, index_, json_, flags_, help_) \
	{.what = what_, .unit = unit_, .type = METRIC_GAUGE, .kind = METRIC_INTEGER, .index = index_, \
	 .flags = flags_, .json = json_, .help = help_}

static const struct metric survey_metrics[] = {
	SURVEY("mapped_files", NULL, SURVEY_FILES, "files", BOTH,
		"Files that processes map, shared memory, memfds and devices included, as the last survey found them. This and the other counts of files are absent if there are more than the survey can tell apart."),
	SURVEY("deleted_mapped_files", NULL, SURVEY_DELETED, "deleted_files", BOTH,
		"Mapped files that are no longer at their path, as after an upgrade."),
	SURVEY("processes_mapping_deleted_code", NULL, SURVEY_PROCESSES_DELETED, "processes_mapping_deleted_code", BOTH,
		"Processes with a program or library that is no longer at its path: restart them after an upgrade."),
	SURVEY("mapped_files_pss", "bytes", SURVEY_PSS, "pss_bytes", BOTH,
		"PSS of all mappings of files, as the last survey found it."),
	SURVEY("mapped_files_rss", "bytes", SURVEY_RSS, "rss_bytes", JSON,
		"RSS of all mappings of files, summed; counts a shared page once for every process."),
	SURVEY("mapped_files_private_dirty", "bytes", SURVEY_PRIVATE_DIRTY, "private_dirty_bytes", BOTH,
		"Dirty pages of mappings of files that one process alone maps: its private copies, such as data and relocations of libraries, and pages of files that are not written back yet."),
	SURVEY("mapped_files_swap", "bytes", SURVEY_SWAP, "swap_bytes", JSON,
		"Swapped memory of all mappings of files: for private copies the share of each process, for shared memory the most that one process maps."),
	SURVEYED(SURVEY_READ, "read"),
	SURVEYED(SURVEY_DENIED, "denied"),
	SURVEYED(SURVEY_GONE, "gone"),
	SURVEYED(SURVEY_LEFT_OUT, "left-out"),
	SURVEYED(SURVEY_ERROR, "error"),
	SURVEYED(SURVEY_BLOCKED, "blocked"),
	{.what = "mapped_files_age", .unit = "seconds", .type = METRIC_GAUGE, .kind = METRIC_NANOSECONDS,
		.index = SURVEY_AGE, .flags = BOTH, .json = "age_seconds",
		.help = "Time from the end of the last survey of mapped files to the snapshot; absent before the first survey."},
	{.what = "mapped_files_duration", .unit = "seconds", .type = METRIC_GAUGE, .kind = METRIC_NANOSECONDS,
		.index = SURVEY_DURATION, .flags = JSON, .json = "duration_seconds",
		.help = "Duration of the survey; its figures are from different moments in that time."},
	{.what = "mapped_files_cpu", .unit = "seconds", .type = METRIC_GAUGE, .kind = METRIC_NANOSECONDS,
		.index = SURVEY_CPU, .flags = JSON, .json = "cpu_seconds",
		.help = "CPU time that the survey used."},
	SURVEY("mapped_files_unlisted", NULL, SURVEY_UNLISTED, "unlisted_files", JSON,
		"Mapped files without a row in the list."),
	SURVEY("mapped_files_unlisted_pss", "bytes", SURVEY_UNLISTED_PSS, "unlisted_pss_bytes", JSON,
		"PSS of the mapped files without a row in the list."),
	SURVEY("mapped_files_unlisted_private_dirty", "bytes", SURVEY_UNLISTED_PRIVATE_DIRTY, "unlisted_private_dirty_bytes", JSON,
		"Private dirty memory of the mapped files without a row in the list."),
};

static const struct metric file_metrics[] = {
	GAUGE("processes", NULL, FILE_PROCESSES, JSON,
		"Processes that map the file."),
	GAUGE("users", NULL, FILE_USERS, JSON,
		"Users of these processes."),
	GAUGE("mappings", NULL, FILE_MAPPINGS, JSON,
		"Mappings of the file in all these processes."),
	GAUGE("resident", "bytes", FILE_RESIDENT, JSON,
		"Resident memory of the file itself, each page counted once; a lower bound."),
	GAUGE("pss", "bytes", FILE_PSS, JSON,
		"PSS of these mappings, summed, private copies included; pages that processes map that were not read count in part."),
	GAUGE("rss", "bytes", FILE_RSS, JSON,
		"RSS of these mappings, summed; counts a shared page once for every process."),
	GAUGE("private_dirty", "bytes", FILE_PRIVATE_DIRTY, JSON,
		"Dirty pages of these mappings that one process alone maps: its private copies, such as data and relocations of a library, and pages of the file that are not written back yet."),
	GAUGE("swap", "bytes", FILE_SWAP, JSON,
		"Swapped memory of these mappings: for private copies the share of each process, for shared memory the most that one process maps."),
};

static const struct metric shmem_metrics[] = {
	GAUGE("sysv", "bytes", SHMEM_SYSV, BOTH,
		"Memory of the SysV segments that the user owns, whichever processes map them; hugetlb pages included."),
	GAUGE("sysv_unattached", "bytes", SHMEM_SYSV_UNATTACHED, BOTH,
		"Memory of the user's SysV segments that no process has attached; no process's exit frees it."),
	GAUGE("sysv_swap", "bytes", SHMEM_SYSV_SWAP, BOTH,
		"Swapped memory of the user's SysV segments."),
	GAUGE("sysv_size", "bytes", SHMEM_SYSV_SIZE, JSON,
		"Size of the user's SysV segments, as requested."),
	GAUGE("sysv_segments", NULL, SHMEM_SYSV_SEGMENTS, BOTH,
		"SysV segments that the user owns."),
	GAUGE("tmpfs", "bytes", SHMEM_TMPFS, BOTH,
		"Files on tmpfs that the user owns and that memtallyd found without special rights, in memory or swap, mapped or not; at most a minute old."),
	GAUGE("tmpfs_files", NULL, SHMEM_TMPFS_FILES, JSON,
		"Number of these files."),
};

static const struct metric tmpfs_metrics[] = {
	GAUGE("used", "bytes", TMPFS_USED, BOTH,
		"Used space of the tmpfs, in memory or swap, mapped or not."),
	GAUGE("size", "bytes", TMPFS_SIZE, BOTH,
		"Size limit of the tmpfs; absent if it has none."),
	GAUGE("owned", "bytes", TMPFS_OWNED, BOTH,
		"Part of the used space that is in memtally_shmem_tmpfs_bytes of a user; at most a minute old."),
};

#define HELP_OUTCOME "Processes of the last pass by outcome; estimated: measured in an earlier pass, guessed: never measured yet. Processes that are gone or no-mm have no memory, and memtally_host_processes leaves them out."
#define HELP_READ    "Processes of the last pass by the source of their figures: a file, or estimate if they were measured in an earlier pass or not yet."
#define HELP_MEASUREMENTS "Measurements of single processes: whole, or by slices of their mappings."
#define HELP_DEFERRED     "Measurements that were deferred: no CPU budget left, too long a stall, too long a stall by one single mapping (giant), or processes that wait for memory (pressure)."
#define HELP_CHARGES      "Owners that are cgroups, such as units and containers, by the outcome of reading their charges. none: the memory controller has no such cgroup; ambiguous: the processes are in several cgroups, or some in none. Absent if the memory controller is not mounted."
#define HELP_WAITING      "Measurements, first ones included, that were deferred and still wait: no CPU budget left, or processes that wait for memory (pressure)."

static const struct metric self_metrics[] = {
	{.what = "last_pass_duration", .unit = "seconds", .type = METRIC_GAUGE, .kind = METRIC_NANOSECONDS,
		.index = SELF_LAST_PASS_DURATION, .flags = BOTH,
		.help = "Duration of the last pass, pauses included."},
	{.what = "configured_interval", .unit = "seconds", .type = METRIC_GAUGE, .kind = METRIC_NANOSECONDS,
		.index = SELF_INTERVAL, .flags = BOTH,
		.help = "Configured time from one pass to the next (interval); passes are further apart if budget.cpu does not suffice for it."},
	{.what = "interval", .unit = "seconds", .type = METRIC_GAUGE, .kind = METRIC_NANOSECONDS,
		/* In JSON it is a field of the snapshot */
		.index = SELF_PERIOD, .flags = METRIC_IN_PROMETHEUS,
		.help = "Time from one pass to the next: the configured interval, or a longer one for which budget.cpu suffices. Figures are stale after three times that, or after the length of the pass if that is longer."},
	COUNTER("passes", NULL, SELF_PASSES, BOTH, "Passes completed."),
	COUNTER("pass_overruns", NULL, SELF_PASS_OVERRUNS, BOTH, "Passes that took longer than the interval."),
	LABELLED("processes", SELF_OUTCOME_FIRST + OUTCOME_MEASURED, "outcome", "measured", HELP_OUTCOME),
	LABELLED("processes", SELF_OUTCOME_ESTIMATED, "outcome", "estimated", HELP_OUTCOME),
	LABELLED("processes", SELF_OUTCOME_GUESSED, "outcome", "guessed", HELP_OUTCOME),
	LABELLED("processes", SELF_OUTCOME_FIRST + OUTCOME_DENIED, "outcome", "denied", HELP_OUTCOME),
	LABELLED("processes", SELF_OUTCOME_FIRST + OUTCOME_GONE, "outcome", "gone", HELP_OUTCOME),
	LABELLED("processes", SELF_OUTCOME_FIRST + OUTCOME_NO_MM, "outcome", "no-mm", HELP_OUTCOME),
	LABELLED("processes", SELF_OUTCOME_FIRST + OUTCOME_MALFORMED, "outcome", "malformed", HELP_OUTCOME),
	LABELLED("processes", SELF_OUTCOME_FIRST + OUTCOME_CHANGING, "outcome", "changing", HELP_OUTCOME),
	LABELLED("processes", SELF_OUTCOME_FIRST + OUTCOME_SHARED_MM, "outcome", "shared-mm", HELP_OUTCOME),
	LABELLED("processes", SELF_OUTCOME_FIRST + OUTCOME_ERROR, "outcome", "error", HELP_OUTCOME),
	LABELLED("processes", SELF_OUTCOME_BLOCKED, "outcome", "blocked", HELP_OUTCOME),
	GAUGE("blocked_reads", NULL, SELF_BLOCKED_READS, BOTH,
		"Reads of files of processes in /proc that the kernel keeps waiting now. The figures of these processes are estimates, or their RSS."),
	{.what = "blocked_read_oldest", .unit = "seconds", .type = METRIC_GAUGE, .kind = METRIC_NANOSECONDS,
		.index = SELF_BLOCKED_OLDEST, .flags = BOTH,
		.help = "Time that the oldest read that the kernel keeps waiting has waited; 0 if there is none."},
	COUNTER("reads_blocked", NULL, SELF_BLOCKED_READS_TOTAL, BOTH,
		"Reads of files of processes in /proc that memtallyd gave up because the kernel kept them waiting."),
	COUNTER("workers_replaced", NULL, SELF_WORKERS_REPLACED, BOTH,
		"Measuring processes of memtallyd that were replaced, because a read was blocked or because they ended."),
	LABELLED("readings", SELF_READ_ROLLUP, "source", "rollup", HELP_READ),
	LABELLED("readings", SELF_READ_SMAPS, "source", "smaps", HELP_READ),
	LABELLED("readings", SELF_READ_RSS, "source", "rss", HELP_READ),
	LABELLED("readings", SELF_READ_ESTIMATE, "source", "estimate", HELP_READ),
	{.what = "collector_cpu", .unit = "seconds", .type = METRIC_COUNTER, .kind = METRIC_NANOSECONDS,
		.index = SELF_CPU, .flags = BOTH,
		.help = "CPU time that memtallyd has used."},
	{.what = "collector_cpu_recent", .unit = "ratio", .type = METRIC_GAUGE, .kind = METRIC_REAL,
		.index = SELF_CPU_RECENT, .flags = JSON,
		.help = "Part of one core that memtallyd has used over the last collector_cpu_recent_span_seconds; 1 is a whole core."},
	{.what = "collector_cpu_recent_span", .unit = "seconds", .type = METRIC_GAUGE, .kind = METRIC_NANOSECONDS,
		.index = SELF_CPU_RECENT_SPAN, .flags = JSON,
		.help = "Span of collector_cpu_recent_ratio: about a minute, or the last two intervals if those are longer."},
	GAUGE("collector_resident_memory", "bytes", SELF_RESIDENT, BOTH, "Resident memory of memtallyd."),
	GAUGE("collector_open_fds", NULL, SELF_OPEN_FDS, BOTH, "Descriptors that memtallyd has open."),
	GAUGE("collector_max_fds", NULL, SELF_MAX_FDS, BOTH, "Descriptors that memtallyd may have open."),
	{.what = "collector_start_time", .unit = "seconds", .type = METRIC_GAUGE, .kind = METRIC_NANOSECONDS,
		.index = SELF_START_TIME, .flags = BOTH,
		.help = "Start time of memtallyd, in seconds since the epoch."},
	LABELLED("cgroup_charges", SELF_CHARGE_FIRST + CHARGE_READ, "outcome", "read", HELP_CHARGES),
	LABELLED("cgroup_charges", SELF_CHARGE_FIRST + CHARGE_NONE, "outcome", "none", HELP_CHARGES),
	LABELLED("cgroup_charges", SELF_CHARGE_FIRST + CHARGE_AMBIGUOUS, "outcome", "ambiguous", HELP_CHARGES),
	LABELLED("cgroup_charges", SELF_CHARGE_FIRST + CHARGE_DENIED, "outcome", "denied", HELP_CHARGES),
	LABELLED("cgroup_charges", SELF_CHARGE_FIRST + CHARGE_MALFORMED, "outcome", "malformed", HELP_CHARGES),
	LABELLED("cgroup_charges", SELF_CHARGE_FIRST + CHARGE_ERROR, "outcome", "error", HELP_CHARGES),
	COUNTED("measurements", SELF_MEASUREMENTS_WHOLE, "way", "whole", HELP_MEASUREMENTS),
	COUNTED("measurements", SELF_MEASUREMENTS_SLICED, "way", "sliced", HELP_MEASUREMENTS),
	COUNTER("measurements_discarded", NULL, SELF_MEASUREMENTS_DISCARDED, BOTH,
		"Measurements by slices without a result, because the process exited or called exec."),
	COUNTER("slices", NULL, SELF_SLICES, BOTH, "Slices of processes' mappings that were read, with pauses between them."),
	{.what = "measurement_cpu", .unit = "seconds", .type = METRIC_COUNTER, .kind = METRIC_NANOSECONDS,
		.index = SELF_MEASUREMENT_CPU, .flags = BOTH,
		.help = "CPU time of measurements."},
	{.what = "measurement_expected_cpu", .unit = "seconds", .type = METRIC_COUNTER, .kind = METRIC_NANOSECONDS,
		.index = SELF_MEASUREMENT_CPU_EXPECTED, .flags = BOTH,
		.help = "CPU time that these measurements were predicted to take."},
	COUNTED("measurements_deferred", SELF_DEFERRED_BUDGET, "reason", "budget", HELP_DEFERRED),
	COUNTED("measurements_deferred", SELF_DEFERRED_STALL, "reason", "stall", HELP_DEFERRED),
	COUNTED("measurements_deferred", SELF_DEFERRED_GIANT, "reason", "giant", HELP_DEFERRED),
	COUNTED("measurements_deferred", SELF_DEFERRED_PRESSURE, "reason", "pressure", HELP_DEFERRED),
	LABELLED("measurements_waiting", SELF_WAITING_BUDGET, "reason", "budget", HELP_WAITING),
	LABELLED("measurements_waiting", SELF_WAITING_PRESSURE, "reason", "pressure", HELP_WAITING),
	{.what = "budget_backlog", .unit = "seconds", .type = METRIC_GAUGE, .kind = METRIC_NANOSECONDS,
		.index = SELF_BACKLOG, .flags = BOTH,
		.help = "Approximate time until budget.cpu suffices for the measurements that wait, if no others are added; absent if it never does, or if that is not known yet."},
	{.what = "budget_cpu", .unit = "ratio", .type = METRIC_GAUGE, .kind = METRIC_REAL,
		.index = SELF_BUDGET_CPU, .flags = BOTH,
		.help = "Part of one core that memtallyd may use (budget.cpu); 1 is a whole core."},
	{.what = "budget_needed", .unit = "ratio", .type = METRIC_GAUGE, .kind = METRIC_REAL,
		.index = SELF_BUDGET_NEEDED, .flags = BOTH,
		.help = "Part of one core that memtallyd needs to poll every process each interval and measure each within pss.max-age, without future new processes."},
	{.what = "budget_available", .unit = "seconds", .type = METRIC_GAUGE, .kind = METRIC_NANOSECONDS,
		.index = SELF_BUDGET_AVAILABLE, .flags = BOTH,
		.help = "CPU time that measurements may use now; at most what the budget brings in a minute."},
	{.what = "budget_stall", .unit = "seconds", .type = METRIC_GAUGE, .kind = METRIC_NANOSECONDS,
		.index = SELF_BUDGET_STALL, .flags = BOTH,
		.help = "Longest time that one measurement may hold a process's mmap lock (budget.stall)."},
	COUNTER("mmap_lock_holds_above_budget", NULL, SELF_HOLDS_ABOVE, BOTH,
		"Reads that took longer than budget.stall, and may have held a process's mmap lock for that time."),
	{.what = "oldest_measurement_age", .unit = "seconds", .type = METRIC_GAUGE, .kind = METRIC_NANOSECONDS,
		.index = SELF_OLDEST_AGE, .flags = BOTH,
		.help = "Age of the oldest measurement that an estimate is based on, giants included; memtally_longest_unmeasured_seconds includes processes that were never measured."},
	{.what = "pss_max_age", .unit = "seconds", .type = METRIC_GAUGE, .kind = METRIC_NANOSECONDS,
		.index = SELF_MAX_AGE, .flags = BOTH,
		.help = "Time within which each process should be measured again: pss.max-age, but not less than the interval."},
	{.what = "longest_unmeasured", .unit = "seconds", .type = METRIC_GAUGE, .kind = METRIC_NANOSECONDS,
		.index = SELF_LONGEST_UNMEASURED, .flags = BOTH,
		.help = "Longest time that any process had not been measured when the last pass began, processes never measured included; above memtally_pss_max_age_seconds if the budget does not suffice. Leaves out giants (budget.giant-age), and processes that could not be measured."},
	COUNTER("estimate_error", "bytes", SELF_ESTIMATE_OFF, BOTH,
		"Sum of the errors of estimates of processes' PSS, up or down, found when they were measured again."),
	COUNTER("estimate_checked", "bytes", SELF_ESTIMATE_FOUND, BOTH,
		"PSS that was found when processes were measured again: divide memtally_estimate_error_bytes_total by it."),
	GAUGE("estimate_error_recent", "bytes", SELF_ESTIMATE_OFF_RECENT, JSON,
		"The same as estimate_error_bytes_total, over about the last pss_max_age_seconds: older errors fade."),
	GAUGE("estimate_checked_recent", "bytes", SELF_ESTIMATE_FOUND_RECENT, JSON,
		"The same as estimate_checked_bytes_total, over about the last pss_max_age_seconds."),
	{.what = "memory_pressure", .unit = "ratio", .type = METRIC_GAUGE, .kind = METRIC_REAL,
		.index = SELF_MEMORY_PRESSURE, .flags = BOTH,
		.help = "Part of the last 10 seconds in which some process of the host waited for memory (PSI, some avg10); 1 is all of the time."},
	{.what = "walks_disturb", .type = METRIC_GAUGE, .kind = METRIC_INTEGER,
		.index = SELF_WALKS_DISTURB, .flags = BOTH,
		.help = "Whether a walk of a process's page tables blocks mmap calls of that process on this kernel (1), or not (0); absent until a large process has led to a trial."},
};
/* clang-format on */

const struct metric *metric_table(enum metric_scope scope, size_t *ret_count)
{
	switch (scope) {
	case METRIC_PROCESS:
		*ret_count = sizeof(process_metrics) / sizeof(process_metrics[0]);
		return process_metrics;
	case METRIC_SELF:
		*ret_count = sizeof(self_metrics) / sizeof(self_metrics[0]);
		return self_metrics;
	case METRIC_BALANCE:
		*ret_count = sizeof(balance_metrics) / sizeof(balance_metrics[0]);
		return balance_metrics;
	case METRIC_SURVEY:
		*ret_count = sizeof(survey_metrics) / sizeof(survey_metrics[0]);
		return survey_metrics;
	case METRIC_FILE:
		*ret_count = sizeof(file_metrics) / sizeof(file_metrics[0]);
		return file_metrics;
	case METRIC_SHMEM:
		*ret_count = sizeof(shmem_metrics) / sizeof(shmem_metrics[0]);
		return shmem_metrics;
	case METRIC_TMPFS:
		*ret_count = sizeof(tmpfs_metrics) / sizeof(tmpfs_metrics[0]);
		return tmpfs_metrics;
	default:
		*ret_count = sizeof(scope_metrics) / sizeof(scope_metrics[0]);
		return scope_metrics;
	}
}

bool metric_applies(const struct metric *metric, enum metric_scope scope)
{
	bool is_cgroup = metric_is_owner(scope) && owner_of(metric_owner_kind(scope))->is_cgroup;

	if ((metric->flags & METRIC_CGROUP_ONLY) && !is_cgroup)
		return scope == METRIC_HOST && (metric->flags & METRIC_OR_HOST);
	if ((metric->flags & METRIC_NAMEGROUP_ONLY) && scope != METRIC_NAMEGROUP)
		return false;
	return scope == METRIC_HOST || !(metric->flags & METRIC_HOST_ONLY);
}

bool metric_is_exposed(const struct metric *metric, enum metric_scope scope)
{
	unsigned int flags = METRIC_IN_PROMETHEUS;

	if (scope == METRIC_HOST)
		flags |= METRIC_HOST_IN_PROMETHEUS;
	return (metric->flags & flags) && metric_applies(metric, scope);
}

const char *metric_scope_name(enum metric_scope scope)
{
	static const char *const names[METRIC_SCOPES] = {
		[METRIC_HOST] = "host",
		[METRIC_PROCESS] = "process",
		[METRIC_SELF] = "",
		[METRIC_BALANCE] = "host",
		[METRIC_SURVEY] = "host",
		[METRIC_FILE] = "file",
		[METRIC_SHMEM] = "shmem",
		[METRIC_TMPFS] = "tmpfs",
	};

	return metric_is_owner(scope) ? owner_of(metric_owner_kind(scope))->name : names[scope];
}

void metric_name(const struct metric *metric, enum metric_scope scope, bool family,
	char to[static METRIC_NAME_SIZE])
{
	const char *prefix = metric_scope_name(scope);

	snprintf(to, METRIC_NAME_SIZE, "memtally_%s%s%s%s%s%s", prefix, *prefix ? "_" : "",
		metric->what, metric->unit ? "_" : "", metric->unit ? metric->unit : "",
		metric->type == METRIC_COUNTER && !family ? "_total" : "");
}

void metric_field(const struct metric *metric, char to[static METRIC_NAME_SIZE])
{
	if (metric->json)
		snprintf(to, METRIC_NAME_SIZE, "%s", metric->json);
	else
		snprintf(to, METRIC_NAME_SIZE, "%s%s%s%s", metric->what, metric->unit ? "_" : "",
			metric->unit ? metric->unit : "",
			metric->type == METRIC_COUNTER ? "_total" : "");
}

const struct metric *metric_find_field(enum metric_scope scope, const char *name)
{
	size_t count;
	const struct metric *table = metric_table(scope, &count);
	char field[METRIC_NAME_SIZE];

	for (size_t i = 0; i < count; i++) {
		if (table[i].label || !(table[i].flags & METRIC_IN_JSON) ||
			!metric_applies(&table[i], scope))
			continue;
		metric_field(&table[i], field);
		if (!strcmp(field, name))
			return &table[i];
	}
	return NULL;
}

const char *metric_holding_label(enum holding_kind kind)
{
	static const char *const labels[HOLDING_KINDS] = {
		[HOLDING_SHMEM] = "user",
		[HOLDING_TMPFS] = "mountpoint",
	};

	return labels[kind];
}

const char *metric_source_name(unsigned int source)
{
	static const char *const names[SOURCE_COUNT_] = {
		[SOURCE_NONE] = "none",
		[SOURCE_ROLLUP] = "rollup",
		[SOURCE_SMAPS] = "smaps",
		[SOURCE_RSS] = "rss",
		[SOURCE_ESTIMATE] = "estimate",
	};

	return source < SOURCE_COUNT_ ? names[source] : "none";
}

const char *metric_outcome_name(unsigned int outcome)
{
	static const char *const names[OUTCOME_COUNT_] = {
		[OUTCOME_MEASURED] = "measured",
		[OUTCOME_DENIED] = "denied",
		[OUTCOME_GONE] = "gone",
		[OUTCOME_NO_MM] = "no-mm",
		[OUTCOME_MALFORMED] = "malformed",
		[OUTCOME_CHANGING] = "changing",
		[OUTCOME_SHARED_MM] = "shared-mm",
		[OUTCOME_ERROR] = "error",
		[OUTCOME_BLOCKED] = "blocked",
	};

	return outcome < OUTCOME_COUNT_ ? names[outcome] : "error";
}

const struct metric_capability *metric_capability(size_t i)
{
	static const struct metric_capability capabilities[METRIC_CAPABILITIES] = {
		{"sys_ptrace", SELF_CAP_SYS_PTRACE},
		{"perfmon", SELF_CAP_PERFMON},
		{"reads_foreign", SELF_READS_FOREIGN},
		{"compares_mm", SELF_COMPARES_MM},
		{"proc_hidden", SELF_PROC_HIDDEN},
	};

	return &capabilities[i];
}

static const double pass_bounds[HISTOGRAM_BUCKETS - 1] = {
	0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};

static const double error_bounds[HISTOGRAM_BUCKETS - 1] = {
	0.00001, 0.0001, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10};

static const double hold_bounds[HISTOGRAM_BUCKETS - 1] = {0.00005, 0.0001, 0.00025, 0.0005, 0.001,
	0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5};

static const struct metric_histogram histograms[HISTOGRAM_COUNT_] = {
	[HISTOGRAM_PASS_DURATION] =
		{
			.name = "memtally_pass_duration_seconds",
			.field = "pass_duration_seconds",
			.unit = "seconds",
			.help = "Duration of passes, pauses included.",
			.bounds = pass_bounds,
		},
	[HISTOGRAM_ESTIMATE_ERROR] =
		{
			.name = "memtally_estimate_error_ratio",
			.field = "estimate_error_ratio",
			.unit = "ratio",
			.help = "Error of estimates of processes' PSS when they were measured "
				"again, divided by the PSS that was found.",
			.bounds = error_bounds,
		},
	[HISTOGRAM_HOLD] =
		{
			.name = "memtally_mmap_lock_hold_seconds",
			.field = "mmap_lock_hold_seconds",
			.unit = "seconds",
			.help = "Duration of reads of smaps_rollup and slices of smaps: an upper "
				"bound of the time for which they held a process's mmap lock; "
				"includes time in which memtallyd waited for a processor.",
			.bounds = hold_bounds,
		},
};

const struct metric_histogram *metric_histogram(unsigned int id)
{
	return id < HISTOGRAM_COUNT_ ? &histograms[id] : NULL;
}

size_t metric_histogram_bucket(const struct metric_histogram *histogram, uint64_t value_ns)
{
	double seconds = (double)value_ns / (double)NS_PER_SEC;
	size_t i = 0;

	while (i < HISTOGRAM_BUCKETS - 1 && seconds > histogram->bounds[i])
		i++;
	return i;
}
