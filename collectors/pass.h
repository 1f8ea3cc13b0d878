/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pass: every process read once, tallied, and made into an image. It remembers what passes need to
 * know of each other (identities, baselines of growth, counters, what is exported), owns no clock
 * source but the system's and no thread, and can be left and resumed between any two processes.
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
#include "collectors/names.h"
#include "snapshot/record.h"

struct pass_options {
	const char *procfs;  /* borrowed during pass_open() only */
	const char *version; /* of the program; borrowed for the pass's life */
	uint64_t interval_ns;
	bool is_adaptive; /* else every process is measured in every pass, and the next four are not used */
	uint32_t budget_cpu_ppm; /* of one core */
	uint64_t max_age_ns, stall_ns, giant_age_ns;
	/* How many get series of their own: see the export.* settings. */
	enum accounting_user user_by;
	uint32_t export_owners[OWNER_KINDS]; /* of each kind, how many have series of their own */
	uint32_t export_processes;
};

struct pass;

/*
 * Opens OPTIONS->procfs and takes a random instance. -EMEDIUMTYPE: it is no proc file system; -ENOTDIR, -ENOENT
 * ... of open; -ENOMEM.
 */
int pass_open(const struct pass_options *options, struct pass **ret);
struct pass *pass_free(struct pass *pass); /* accepts NULL; returns NULL */

/* Takes over other settings from the next pass on (not .procfs, not .version). */
void pass_set_options(struct pass *pass, const struct pass_options *options);

/* Starts a pass: lists the processes. On an error (of getdents, -ENOMEM) there is no pass. */
int pass_begin(struct pass *pass);

enum pass_outcome {
	PASS_MORE = 1, /* call pass_step() again */
};

/*
 * Goes on until CLOCK_MONOTONIC is at DEADLINE_NS, or for one process if it is already. 0: every
 * process is read and tallied. PASS_MORE. -ENOMEM: the pass is lost, the next one may begin.
 */
int pass_step(struct pass *pass, uint64_t deadline_ns);

/*
 * The names of users and groups that the image needs: each call gives one that has no answer yet and that was not
 * given out before; false when there is none. The answer comes with pass_name(), at any time; until
 * then it stands as its number.
 */
bool pass_next_unnamed(struct pass *pass, struct principal *ret);

/* NAME of WHO, any bytes; NULL: it has none. */
void pass_name(struct pass *pass, const struct principal *who, const char *name);

/* Nobody could say for now: the name that WHO had stands, and the next pass asks again. */
void pass_name_failed(struct pass *pass, const struct principal *who);

/* Whether names were asked for that have not come; none of those that were given up. */
bool pass_awaits_names(const struct pass *pass);

/* Waits no longer for those that have not come: no name is waited for twice. */
void pass_give_up_names(struct pass *pass);

/*
 * Makes the image of the pass that pass_step() finished and ends the pass. The caller owns *ret_fd,
 * the whole image, and *ret_public_fd, the one without processes (-1 where WITH_PUBLIC is false).
 * -ENOMEM, or the errors of builder_seal(): nothing is published, the counters go on.
 */
int pass_publish(struct pass *pass, bool with_public, int *ret_fd, int *ret_public_fd);

/*
 * Once after a pass that was published or lost: the next is due at DUE_NS (CLOCK_MONOTONIC). The
 * memory of its rows goes back to the kernel until then. An adaptive pass chooses whom to measure
 * meanwhile; pass_next_measure_ns() says when to call pass_measure() next, UINT64_MAX: not before
 * the next pass. One call works for about 1 ms, or for one process. pass_measure() may fail with
 * -ENOMEM.
 */
void pass_plan(struct pass *pass, uint64_t due_ns);
uint64_t pass_next_measure_ns(const struct pass *pass, uint64_t now_ns);
int pass_measure(struct pass *pass);

/*
 * From one pass to the next: the configured interval, or what the CPU budget bears. It is
 * determined once for each pass, when that is about to be published, and for other options when
 * they are set. *RET_NEEDED_PPM is the budget that the configured one needs.
 */
uint64_t pass_interval_ns(const struct pass *pass, uint64_t *ret_needed_ppm);

/* What the last pass found, for messages to a person. */
struct pass_summary {
	uint64_t sequence;
	uint64_t duration_ns;
	uint64_t processes;      /* that were listed */
	uint64_t outcome[9];     /* by enum process_outcome */
	uint64_t unmeasured_yet; /* adaptive: processes that wait for their first measurement */
	bool proc_hidden;        /* /proc is mounted with hidepid, and hides processes from us */
	bool proc_hides;         /* from others, at least */
	bool has_sys_ptrace, has_perfmon;
	bool lacks_charges;  /* no memory controller of cgroups is mounted where we see it */
	uint64_t charges[6]; /* owners that are cgroups, by enum charge_outcome */
};
void pass_summary(const struct pass *pass, struct pass_summary *ret);

static inline void cleanup_pass(struct pass **pass)
{
	pass_free(*pass);
}
#define AUTO_PASS CLEANUP(cleanup_pass)

#endif
