/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pass: reads every process once, adds it to its owners, and makes an image of the result. It keeps what later passes need
 * (identities, baselines of growth, counters, which rows are exported). It has no thread, and can be interrupted and resumed between
 * any two processes.
 *
 *     pass_begin -> pass_step ... -> (names) -> pass_publish -> pass_begin ...
 */
#ifndef MEMTALLY_COLLECTORS_PASS_H
#define MEMTALLY_COLLECTORS_PASS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "collectors/accounting.h"
#include "collectors/mapcounts.h"
#include "collectors/names.h"
#include "snapshot/record.h"

struct pass_options {
	const char *procfs;  /* borrowed during pass_open() only */
	const char *version; /* of the program; borrowed for the pass's life */
	uint64_t interval_ns;
	bool is_adaptive; /* false: every pass measures every process, and the next five are not used */
	uint32_t budget_cpu_ppm; /* of one core */
	/*
	 * The part of the CPU that the budget brings in an interval, in ppm, which a pass may use for measurements that could wait.
	 * If all processes fit in it, and in a quarter of the interval, the pass measures all of them. 0: none.
	 */
	uint32_t spare_ppm;
	uint64_t max_age_ns, stall_ns, giant_age_ns;
	enum accounting_user user_by;
	/* How many owners of each kind, and processes, have series of their own: see the export.* settings. */
	uint32_t export_owners[OWNER_KINDS];
	uint32_t export_processes;
	bool is_single; /* there is no later pass to which reads could be deferred: attempts.h defers none */
	const pid_t *
		unlisted; /* borrowed, may change between passes: processes to leave out; 0 is no process */
	size_t unlisted_count;
};

struct pass;
struct workers;

/*
 * Opens OPTIONS->procfs, and chooses a random instance. The caller gives *RET to pass_free(). Returns 0; -EMEDIUMTYPE if it
 * is no proc file system; a negative errno of open(); -ENOMEM.
 */
int pass_open(const struct pass_options *options, struct pass **ret);
struct pass *pass_free(struct pass *pass); /* accepts NULL; returns NULL */

/* Whether reads may block: /proc is the kernel's, not a tree of files. */
bool pass_may_block(const struct pass *pass);

/* From now on WORKERS (borrowed) read files of processes that may block their reader. Without it the pass reads them itself. */
void pass_set_workers(struct pass *pass, struct workers *workers);

/*
 * Starts a child process that tries whether the kernel counts the mappings of each page (mapcounts.h), and returns at once.
 * Returns 0, or a negative errno of fork() or pipe2(): the result stays unknown.
 */
int pass_try_map_counts(struct pass *pass);

/* Tells PASS the result of such a trial. */
void pass_set_map_counts(struct pass *pass, enum mapcounts_verdict verdict);

/* Takes over other settings from the next pass on (not .procfs, not .version). */
void pass_set_options(struct pass *pass, const struct pass_options *options);

/* Starts a pass: lists the processes. Returns 0, or a negative errno of getdents() or -ENOMEM: then there is no pass. */
int pass_begin(struct pass *pass);

enum pass_outcome {
	PASS_MORE = 1, /* call pass_step() again */
};

/*
 * Continues until CLOCK_MONOTONIC reaches DEADLINE_NS, but for at least one process. A read that blocks takes longer
 * (workers.h). Returns 0 if every process has been read and added; PASS_MORE; -ENOMEM: the pass is lost, the next one may
 * begin; -ECANCELED: no read is waited for any more (struct lanes_control), and the pass must not be published.
 */
int pass_step(struct pass *pass, uint64_t deadline_ns);

/*
 * Gives in *RET the next user or group without a name that was not given before; false if there is none. The caller answers with
 * pass_name() or pass_name_failed(), at any time; until then the image shows the number.
 */
bool pass_next_unnamed(struct pass *pass, struct principal *ret);

/* Sets the NAME (any bytes, copied) of a principal; NULL: it has none. */
void pass_name(struct pass *pass, const struct principal *who, const char *name);

/* The lookup of a principal failed: it keeps the name that it had, and the next pass asks again. */
void pass_name_failed(struct pass *pass, const struct principal *who);

/* Whether lookups have no answer yet, except for those that were given up. */
bool pass_awaits_names(const struct pass *pass);

/* Gives up the lookups without an answer: pass_awaits_names() does not wait for them again. */
void pass_give_up_names(struct pass *pass);

/*
 * Makes the image of the pass that pass_step() has finished, and ends the pass. The caller owns *RET_FD, the whole image, and
 * *RET_PUBLIC_FD, the image without processes (-1 if not WITH_PUBLIC). Returns 0, or -ENOMEM or an error of builder_seal():
 * nothing is published, and the counters continue.
 */
int pass_publish(struct pass *pass, bool with_public, int *ret_fd, int *ret_public_fd);

/*
 * Call pass_plan() once after each pass that was published or lost; the next pass is due at DUE_NS (CLOCK_MONOTONIC). It
 * gives the memory of rows back to the kernel, and in adaptive mode plans measurements until then. pass_next_measure_ns() is
 * the CLOCK_MONOTONIC time at which to call pass_measure(); UINT64_MAX: not before the next pass. pass_measure() works for
 * about 1 ms, or for one process; a read that blocks takes longer. It returns 0 or -ENOMEM.
 */
void pass_plan(struct pass *pass, uint64_t due_ns);
uint64_t pass_next_measure_ns(const struct pass *pass, uint64_t now_ns);
int pass_measure(struct pass *pass);

/*
 * The time from one pass to the next: the configured interval, or a longer one for which the CPU budget suffices. It is
 * determined once for each pass, before that is published, and when options are set. *RET_NEEDED_PPM is the budget that the
 * configured interval needs, in millionths of a core.
 */
uint64_t pass_interval_ns(const struct pass *pass, uint64_t *ret_needed_ppm);

/* A process with a file that blocks its readers. */
struct pass_blocked {
	pid_t pid;
	const char *file;     /* name below /proc/PID; static */
	uint64_t duration_ns; /* since its first blocked read */
};

/*
 * Gives in *RET the next process that has been blocked for at least LEAST_NS. Gives each process once, and again only if it blocks
 * ten minutes after the block that was given ended. Returns false if there is none.
 */
bool pass_next_blocked(struct pass *pass, uint64_t least_ns, struct pass_blocked *ret);

/* Returns how many processes pass_next_blocked() would still give. */
size_t pass_untold_blocked(const struct pass *pass, uint64_t least_ns);

/* Results of the last pass, for log messages. */
struct pass_summary {
	uint64_t sequence;
	uint64_t duration_ns;
	uint64_t processes;      /* that were listed */
	uint64_t outcome[9];     /* by enum process_outcome */
	uint64_t unmeasured_yet; /* adaptive: processes that wait for their first measurement */
	bool proc_hidden;        /* /proc is mounted with hidepid, and hides processes from us */
	bool proc_hides;         /* it hides processes from ordinary users */
	bool has_sys_ptrace, has_perfmon;
	bool lacks_charges;  /* no memory controller of cgroups is mounted where memtallyd runs */
	uint64_t charges[6]; /* owners that are cgroups, by enum charge_outcome */
};

/* Fills *RET after pass_publish(). */
void pass_summary(const struct pass *pass, struct pass_summary *ret);

static inline void cleanup_pass(struct pass **pass)
{
	pass_free(*pass);
}
#define AUTO_PASS CLEANUP(cleanup_pass)

#endif
