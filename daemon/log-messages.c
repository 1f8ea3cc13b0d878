/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "daemon/log-messages.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "collectors/process/state/block.h"
#include "snapshot/record.h"

#define LIMIT_NS          (60 * NS_PER_SEC)
#define PRESSURE_APART_NS (600 * NS_PER_SEC)

enum { BLOCKED_LINES = 20 }; /* a pass: such processes are cheap to make */

void log_messages_init(struct log_messages *m)
{
	*m = (struct log_messages){
		.pass_errors.interval_ns = LIMIT_NS,
		.budget_warnings.interval_ns = LIMIT_NS,
		.pressure.interval_ns = PRESSURE_APART_NS,
		.kills.interval_ns = PRESSURE_APART_NS,
	};
}

void log_messages_pass_error(struct log_messages *m, const char *what, int error)
{
	uint64_t suppressed;

	if (log_limit_pass(&m->pass_errors, clock_now_ns(CLOCK_MONOTONIC), &suppressed))
		log_error("%s: %s (and %llu times before)", what, strerror(-error),
			(unsigned long long)suppressed);
}

void log_messages_budget(struct log_messages *m, uint64_t interval_ns, uint64_t needed_ppm)
{
	uint64_t suppressed;

	m->short_ns = clock_now_ns(CLOCK_MONOTONIC);
	if (!log_limit_pass(&m->budget_warnings, m->short_ns, &suppressed))
		return;
	log_warning("budget.cpu does not suffice to poll all processes: passes are %llu ms "
		    "apart; this host needs %llu.%04llu%%, or a longer interval",
		(unsigned long long)(interval_ns / NS_PER_MSEC),
		(unsigned long long)(needed_ppm / 10000), (unsigned long long)(needed_ppm % 10000));
}

void log_messages_budget_suffices(struct log_messages *m)
{
	if (!m->short_ns || clock_now_ns(CLOCK_MONOTONIC) - m->short_ns < LIMIT_NS)
		return;
	log_info("budget.cpu suffices again to poll all processes at each interval");
	m->short_ns = 0;
}

void log_messages_pressure(struct log_messages *m)
{
	uint64_t suppressed;

	if (log_limit_pass(&m->pressure, clock_now_ns(CLOCK_MONOTONIC), &suppressed))
		log_info("processes wait for memory, on the host or in a cgroup (and %llu times "
			 "before): a brief pass each second for up to a minute",
			(unsigned long long)suppressed);
}

void log_messages_kill(struct log_messages *m)
{
	uint64_t suppressed;

	if (log_limit_pass(&m->kills, clock_now_ns(CLOCK_MONOTONIC), &suppressed))
		log_info("the kernel has killed a process for lack of memory (and %llu times "
			 "before): a brief pass each second for some seconds",
			(unsigned long long)suppressed);
}

void log_messages_trigger_error(int error)
{
	log_info("the kernel does not tell when processes wait for memory (%s): passes notice it",
		strerror(-error));
}

void log_messages_first_pass(const struct pass_summary *s)
{
	log_info(
		"first pass: %llu processes measured, %llu never measured, %llu denied, in %llu ms; "
		"rights: %s%s%s",
		(unsigned long long)s->outcome[OUTCOME_MEASURED],
		(unsigned long long)s->unmeasured_yet,
		(unsigned long long)s->outcome[OUTCOME_DENIED],
		(unsigned long long)(s->duration_ns / NS_PER_MSEC),
		s->has_sys_ptrace ? "CAP_SYS_PTRACE" : "",
		s->has_perfmon ? (s->has_sys_ptrace ? " CAP_PERFMON" : "CAP_PERFMON") : "",
		!s->has_sys_ptrace && !s->has_perfmon ? "no capability" : "");
	if (s->outcome[OUTCOME_DENIED] && !s->has_sys_ptrace && !s->has_perfmon)
		log_warning(
			"processes of other users cannot be measured; CAP_SYS_PTRACE allows it");
	else if (s->outcome[OUTCOME_DENIED])
		log_warning(
			"some processes cannot be measured: the kernel refuses them in spite of the "
			"capability");
	if (s->has_perfmon && !s->has_sys_ptrace)
		log_warning(
			"with CAP_PERFMON alone programs have the names of their first threads, "
			"cut after 15 bytes, and processes that share one address space are "
			"counted one by one; CAP_SYS_PTRACE allows more");
	if (s->proc_hidden)
		log_warning("/proc is mounted with hidepid: processes of other users are missing");
	if (s->lacks_charges)
		log_info("no memory controller of cgroups is mounted here: the charges of units, "
			 "containers and the like are not known");
}

void log_messages_charges(struct log_messages *m, const struct pass_summary *s)
{
	uint64_t denied = s->charges[CHARGE_DENIED], malformed = s->charges[CHARGE_MALFORMED];
	uint64_t errors = s->charges[CHARGE_ERROR], ambiguous = s->charges[CHARGE_AMBIGUOUS];

	if (!m->has_logged_charges && (denied || malformed || errors)) {
		m->has_logged_charges = true;
		log_warning("the charges of some cgroups cannot be read: %llu denied, %llu "
			    "malformed, %llu other errors; memtally_cgroup_charges counts them",
			(unsigned long long)denied, (unsigned long long)malformed,
			(unsigned long long)errors);
	}
	if (!m->has_logged_ambiguous && ambiguous) {
		m->has_logged_ambiguous = true;
		log_info("%llu unit%s, container%s or the like %s shown without a charge: the "
			 "processes are in several cgroups of one name, or some in a cgroup that "
			 "the kernel does not charge",
			(unsigned long long)ambiguous, ambiguous == 1 ? "" : "s",
			ambiguous == 1 ? "" : "s", ambiguous == 1 ? "is" : "are");
	}
}

void log_messages_blocked(struct pass *pass)
{
	struct pass_blocked b;
	size_t more;

	for (int i = 0; i < BLOCKED_LINES && pass_next_blocked(pass, BLOCK_TELL_NS, &b); i++)
		log_warning("process %d: its %s in /proc has blocked its readers for %llu ms; its "
			    "last measurement, or its RSS, is shown until an attempt succeeds",
			b.pid, b.file, (unsigned long long)(b.duration_ns / NS_PER_MSEC));
	more = pass_untold_blocked(pass, BLOCK_TELL_NS);
	if (more)
		log_warning("%zu more process%s their readers; messages after the next passes name "
			    "them",
			more, more == 1 ? " blocks" : "es block");
}

void log_messages_listen_error(const char *path, int error)
{
	const char *slash = strrchr(path, '/');

	if (error == -ENOENT && slash)
		log_error("%.*s: no such directory; make it, or choose another --snapshot.socket",
			slash == path ? 1 : (int)(slash - path), path);
	else if (error == -EADDRINUSE)
		log_error("%s: cannot listen: another process answers there", path);
	else
		log_error("%s: cannot listen: %s", path, strerror(-error));
}
