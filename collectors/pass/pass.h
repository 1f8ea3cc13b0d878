/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pass reads every process once, adds it to its owners, and makes an image of the result. struct
 * pass keeps what later passes need: identities, baselines of growth, counters, which rows are
 * exported. A pass has no thread, and can be interrupted and resumed between any two processes.
 *
 *     pass_begin -> pass_step ... -> (names) -> pass_publish -> pass_plan -> (pass_measure ...)
 *     -> pass_begin ...
 *
 * Under memory pressure brief passes may come between: pass_begin_brief() instead of
 * pass_begin().
 */
#ifndef MEMTALLY_COLLECTORS_PASS_PASS_H
#define MEMTALLY_COLLECTORS_PASS_PASS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "collectors/owners/owner-names.h"
#include "collectors/process/accounting.h"
#include "collectors/process/self/mapcounts.h"
#include "snapshot/record.h"

struct pass_options {
	const char *procfs;  /* borrowed during pass_open() only */
	const char *version; /* of the program; borrowed for the life of the pass */
	uint64_t interval_ns;
	/*
	 * true: adaptive mode. false: exact mode, every pass measures every process, and the next
	 * five fields are not used
	 */
	bool is_adaptive;
	uint32_t budget_cpu_ppm; /* budget in millionths of one CPU */
	/*
	 * The part of the CPU time that the budget brings in an interval, in ppm, which a pass may
	 * use for measurements that could wait. If all processes fit in it, and in a quarter of the
	 * interval, the pass measures all of them. 0: none.
	 */
	uint32_t spare_ppm;
	uint64_t max_age_ns, stall_ns, giant_age_ns;
	enum accounting_user user_by;
	/*
	 * How many owners of each kind, and processes, have series of their own: see the export.*
	 * settings.
	 */
	uint32_t export_owners[OWNER_KINDS];
	uint32_t export_processes;
	/*
	 * With rules (pass_set_naming()), each pass reads stat of each process, for the CPU time, page
	 * faults and states of namegroups. It costs about 12 us of CPU a process.
	 */
	bool reads_activity;
	/*
	 * There is no later pass: attempts.h defers no reads, and the image has no counters of growth
	 * and usage, which would be 0.
	 */
	bool is_single;
	/* no caller reads drivers' memory (survey-iterator.h), so the balance sheet has no line of it */
	bool lacks_drivers;
	/*
	 * borrowed, may change between passes: pids of processes to leave out; an entry 0 is no
	 * process
	 */
	const pid_t *unlisted;
	size_t unlisted_count;
};

struct naming_rules;
struct pass;
struct workers;

/*
 * Opens OPTIONS->procfs and chooses a random instance id. The caller frees *RET with pass_free().
 * Returns 0; -EMEDIUMTYPE if it is no proc file system; -EIO if there are no random numbers;
 * -ENOMEM; or a negative errno of open().
 */
int pass_open(const struct pass_options *options, struct pass **ret);

/* Frees PASS, and closes what it has open. Accepts NULL. Returns NULL. */
struct pass *pass_free(struct pass *pass);

/* Returns whether reads may block: whether /proc is the kernel's, not a tree of files. */
bool pass_may_block(const struct pass *pass);

/*
 * Lets WORKERS (borrowed) read the files of processes that may block their reader. Without workers
 * the pass reads them itself.
 */
void pass_set_workers(struct pass *pass, struct workers *workers);

/*
 * Starts the map count trial in a child process (mapcounts.h), and returns at once. Returns 0, or a
 * negative errno of fork() or pipe2(): the result stays unknown.
 */
int pass_try_map_counts(struct pass *pass);

/* Sets the result of a map count trial. */
void pass_set_map_counts(struct pass *pass, enum mapcounts_verdict verdict);

/*
 * Sets the rules of naming.process_exporter from the next pass on; RULES NULL: none. Consumes RULES.
 */
void pass_set_naming(struct pass *pass, struct naming_rules *rules);

/* Sets the options from the next pass on, all but .procfs and .version. */
void pass_set_options(struct pass *pass, const struct pass_options *options);

/*
 * Begins a pass: lists the processes. Returns 0; or a negative errno of getdents(), or -ENOMEM:
 * then there is no pass.
 */
int pass_begin(struct pass *pass);

/*
 * Returns whether the next pass may be brief: in adaptive mode, after a full pass in that mode has
 * been published.
 */
bool pass_may_be_brief(const struct pass *pass);

/* As adaptive_pass_sees_kill(). */
bool pass_sees_kill(const struct pass *pass);

/*
 * Begins a brief pass, as pass_begin(); pass_may_be_brief() must hold. It reads statm of each
 * process, and what any pass reads of new processes and of those with another VmSize, or with far
 * fewer or more pages. It measures nothing, and pass_plan() plans no measurements, until the
 * next full pass. Estimates of full passes, counters of growth, series, shared memory that no process
 * maps, and the time from one full pass to the next are as if it had not been. Its image has
 * IMAGE_PRESSURE, and wider bounds of shared memory.
 */
int pass_begin_brief(struct pass *pass);

enum pass_outcome {
	PASS_MORE = 1, /* call pass_step() again */
	/*
	 * As PASS_MORE, but call pass_next_unnamed() first: the names of groups have the names of
	 * users that are answered before pass_step() is called again, and the numbers of others.
	 */
	PASS_NAMES,
};

/*
 * Continues the pass until CLOCK_MONOTONIC reaches DEADLINE_NS, but at least with one process or
 * row. A read that blocks takes longer (workers.h). Returns 0 if every process has been read and
 * added; PASS_MORE or PASS_NAMES if not; -ENOMEM if the pass is lost: the next one may begin;
 * -ECANCELED if no read is waited for any more (struct lanes_control): the pass must not be
 * published.
 */
int pass_step(struct pass *pass, uint64_t deadline_ns);

/*
 * Sets *RET to the next user or group that must be looked up. Returns false if there is none. Each
 * one is given once; the caller answers with pass_name() or pass_name_failed(), at any time. Until
 * then the image shows the number or the old name.
 */
bool pass_next_unnamed(struct pass *pass, struct principal *ret);

/* Sets the NAME (any bytes, copied) of a user or group; NULL: it has none. */
void pass_name(struct pass *pass, const struct principal *who, const char *name);

/*
 * Notes that the lookup of a user or group failed: it keeps its old name, and the next pass asks
 * again.
 */
void pass_name_failed(struct pass *pass, const struct principal *who);

/* Returns whether a lookup has no answer yet, other than those that were given up. */
bool pass_awaits_names(const struct pass *pass);

/*
 * Gives up the lookups without an answer: pass_awaits_names() no longer counts them. An answer is
 * still accepted.
 */
void pass_give_up_names(struct pass *pass);

/*
 * Makes the image of the pass that pass_step() has finished, and ends the pass. The caller owns
 * *RET_FD, the whole image, and *RET_PUBLIC_FD, the image without processes (-1 if WITH_PUBLIC is
 * false). Returns 0; or -ENOMEM or an error of builder_seal(): nothing is published, and the
 * counters continue.
 */
int pass_publish(struct pass *pass, bool with_public, int *ret_fd, int *ret_public_fd);

/*
 * Call once after each pass that was published or lost. The next pass is due at DUE_NS
 * (CLOCK_MONOTONIC). Gives the memory of rows back to the kernel and, in adaptive mode, plans
 * measurements until then.
 */
void pass_plan(struct pass *pass, uint64_t due_ns);

/*
 * Returns the time (CLOCK_MONOTONIC) at which to call pass_measure() next; UINT64_MAX: not before
 * the next pass.
 */
uint64_t pass_next_measure_ns(const struct pass *pass, uint64_t now_ns);

/*
 * Measures, between two passes, for about 1 ms, or one process; a read that blocks takes longer.
 * Returns 0 or -ENOMEM.
 */
int pass_measure(struct pass *pass);

/*
 * Returns the time from one pass to the next, in ns: the configured interval, or a longer one if
 * the CPU budget needs it. It is determined once for each pass, before publishing, and when options
 * are set. Sets *RET_NEEDED_PPM to the budget that the configured interval needs, in millionths of
 * a CPU; 0 in exact mode.
 */
uint64_t pass_interval_ns(const struct pass *pass, uint64_t *ret_needed_ppm);

/* A process with a file that blocks its readers. */
struct pass_blocked {
	pid_t pid;
	const char *file;     /* name below /proc/PID; static */
	uint64_t duration_ns; /* since its first blocked read */
};

/*
 * Sets *RET to the next process that has been blocked for at least LEAST_NS and was not given
 * before, and marks it as given. A process is given again only if it blocks later than ten minutes
 * after that block ended. Returns false if there is none.
 */
bool pass_next_blocked(struct pass *pass, uint64_t least_ns, struct pass_blocked *ret);

/* Returns how many processes pass_next_blocked() would still give. */
size_t pass_untold_blocked(const struct pass *pass, uint64_t least_ns);

/* Results of the last pass, for log messages. */
struct pass_summary {
	uint64_t sequence;
	uint64_t duration_ns;
	uint64_t cpu_ns;     /* CPU time without births */
	uint64_t processes;  /* processes listed */
	uint64_t outcome[9]; /* processes, by enum process_outcome */
	/* adaptive mode: processes that wait for their first measurement */
	uint64_t unmeasured_yet;
	/* /proc is mounted with hidepid, and hides processes from memtallyd */
	bool proc_hidden;
	bool proc_hides; /* /proc hides processes from ordinary users */
	bool is_short;   /* there was memory pressure when the pass began */
	bool has_sys_ptrace, has_perfmon;
	bool lacks_charges;  /* no memory controller of cgroups is mounted where memtallyd runs */
	uint64_t charges[6]; /* owners that are cgroups, by enum charge_outcome */
};

/* Fills *RET with the results of the last pass. Call it after pass_publish(). */
void pass_summary(const struct pass *pass, struct pass_summary *ret);

static inline void cleanup_pass(struct pass **pass)
{
	pass_free(*pass);
}
#define AUTO_PASS CLEANUP(cleanup_pass)

#endif
