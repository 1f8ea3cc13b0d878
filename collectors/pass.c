/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/pass.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "collectors/adapt.h"
#include "collectors/compose.h"
#include "collectors/export.h"
#include "collectors/meminfo.h"
#include "collectors/names.h"
#include "collectors/procfs.h"
#include "collectors/proctable.h"
#include "collectors/self.h"
#include "collectors/sense.h"
#include "collectors/sharing.h"
#include "collectors/tally.h"
#include "collectors/watch.h"
#include "snapshot/builder.h"

#define CGROUP_MAX_AGE_NS (60 * NS_PER_SEC)

enum {
	FDS_RESERVED = 64, /* for sockets, clients and files that are open for one read */
	STALE_FACTOR = 3,
};

enum phase {
	PHASE_IDLE,
	PHASE_READ,   /* exact: measures each */
	PHASE_SENSE,  /* adaptive: looks at each, */
	PHASE_URGENT, /* measures those that never were, */
	PHASE_ROWS,   /* and estimates each */
	PHASE_SHARE,
	PHASE_POOL,   /* adaptive: adds each up, */
	PHASE_SETTLE, /* and where that tells something, applies it to each */
	PHASE_TALLY,
	PHASE_READY,
};

struct pass {
	struct pass_options options, next_options;
	struct procfs procfs;
	struct process_reader reader;
	struct proctable table;
	struct adapt adapt;
	struct sharing sharing;
	struct tally tally;
	struct scopes user_units; /* names alone, with a count of members */
	struct builder builder;
	struct buffer scratch;
	pid_t *pids;
	size_t pids_capacity;

	enum phase phase;
	size_t at;                /* the next process or row of the phase */
	struct process **members; /* of the builder's rows, by index */
	size_t members_capacity;
	uint32_t name_cursor;

	uint8_t instance[IMAGE_INSTANCE_SIZE];
	uint64_t begin_boottime_ns, begin_ns, end_ns;
	uid_t euid;
	bool can_compare, compares_mm, reads_foreign;
	bool was_adaptive, is_whole;
	uint64_t cpu_ns; /* of the pass under way, by its thread */
	struct self self;
	struct compose_counts counts; /* .passes is the sequence of the last snapshot */
};

static size_t kept_max(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur <= FDS_RESERVED)
		return 0;
	return limit.rlim_cur - FDS_RESERVED;
}

static void forget(void *to, struct process *p)
{
	struct pass *pass = to;

	adapt_forget(&pass->adapt, p);
}

int pass_open(const struct pass_options *options, struct pass **ret)
{
	AUTO_PASS struct pass *pass = calloc(1, sizeof(*pass));
	int r;

	if (!pass)
		return -ENOMEM;
	pass->procfs.fd = -1;
	r = procfs_open(options->procfs, &pass->procfs);
	if (r < 0)
		return r;
	if (getrandom(pass->instance, sizeof(pass->instance), 0) != sizeof(pass->instance))
		return -EIO;
	tally_init(&pass->tally, clock_now_ns(CLOCK_REALTIME));
	pass->reader.procfs = &pass->procfs;
	pass->reader.kept_max = kept_max();
	adapt_init(&pass->adapt, &pass->reader, &pass->table, &pass->scratch);
	pass->table.forget = forget;
	pass->table.to = pass;
	pass->euid = geteuid();
	pass->sharing.compare = pass->procfs.live ? sharing_kcmp : NULL;
	/* Our own address space compares equal to itself, unless the call is missing or filtered. */
	pass->can_compare = pass->procfs.live && sharing_kcmp(getpid(), getpid()) == 0;
	pass->counts.durations.id = HISTOGRAM_PASS_DURATION;
	pass_set_options(pass, options);
	self_read(&pass->self);
	*ret = TAKE_PTR(pass);
	return 0;
}

/* What adaptive passes remember. */
static void forget_all(struct pass *pass)
{
	for (size_t i = 0; i < pass->table.count; i++) {
		struct process *p = pass->table.item[i];

		adapt_forget(&pass->adapt, p);
		sense_forget(&pass->reader, p);
	}
}

struct pass *pass_free(struct pass *pass)
{
	if (!pass)
		return NULL;
	forget_all(pass);
	adapt_done(&pass->adapt);
	proctable_done(&pass->table);
	process_reader_done(&pass->reader);
	sharing_done(&pass->sharing);
	tally_done(&pass->tally);
	scopes_done(&pass->user_units);
	builder_done(&pass->builder);
	buffer_done(&pass->scratch);
	procfs_close(&pass->procfs);
	free(pass->pids);
	free((void *)pass->members);
	free(pass);
	return NULL;
}

void pass_set_options(struct pass *pass, const struct pass_options *options)
{
	pass->next_options = *options;
	pass->next_options.procfs = NULL;
	if (options->is_adaptive)
		adapt_set_limits(&pass->adapt, &(struct adapt_limits){
						       .interval_ns = options->interval_ns,
						       .max_age_ns = options->max_age_ns,
						       .stall_ns = options->stall_ns,
						       .giant_age_ns = options->giant_age_ns,
						       .cpu_ppm = options->budget_cpu_ppm,
					       });
}

/* A cgroup is to be read again by the last pass within its age: passes are a little late by chance. */
static void take_options(struct pass *pass)
{
	uint64_t period_ns;

	pass->options = pass->next_options;
	if (pass->was_adaptive && !pass->options.is_adaptive)
		forget_all(pass);
	pass->was_adaptive = pass->options.is_adaptive;
	period_ns = pass->options.interval_ns + pass->options.interval_ns / 16;
	pass->reader.cgroup_max_age_ns = period_ns < CGROUP_MAX_AGE_NS
	                                         ? CGROUP_MAX_AGE_NS - period_ns
	                                         : 0;
}

static void user_units_begin(struct scopes *units)
{
	for (struct scope *s = NULL; (s = scopes_next(units, s));)
		s->sums.q[SCOPE_PROCESSES] = 0;
}

static int begin(struct pass *pass)
{
	ssize_t n;
	int r;

	pass->phase = PHASE_IDLE;
	take_options(pass);
	pass->is_whole = false;
	builder_begin(&pass->builder); /* its rows are of processes that may be forgotten now */
	pass->begin_boottime_ns = clock_now_ns(CLOCK_BOOTTIME);
	pass->begin_ns = clock_now_ns(CLOCK_MONOTONIC);
	if (pass->options.is_adaptive)
		adapt_list(&pass->adapt);
	n = procfs_list(&pass->procfs, &pass->pids, &pass->pids_capacity);
	if (n < 0)
		return (int)n;
	r = proctable_sync(&pass->table, &pass->reader, pass->pids, (size_t)n);
	if (r < 0)
		return r;
	if (pass->options.is_adaptive)
		adapt_begin(&pass->adapt);
	tally_begin(&pass->tally, clock_now_ns(CLOCK_REALTIME));
	user_units_begin(&pass->user_units);
	memset(pass->counts.outcome, 0, sizeof(pass->counts.outcome));
	memset(pass->counts.source, 0, sizeof(pass->counts.source));
	pass->reads_foreign = false;
	pass->name_cursor = 0;
	pass->at = 0;
	pass->phase = pass->options.is_adaptive ? PHASE_SENSE : PHASE_READ;
	return 0;
}

static uint64_t thread_cpu_ns(void)
{
	return clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
}

int pass_begin(struct pass *pass)
{
	uint64_t before_ns = thread_cpu_ns();
	int r = begin(pass);

	pass->cpu_ns = thread_cpu_ns() - before_ns;
	return r;
}

static int set_user(struct pass *pass, struct process *p, uid_t uid)
{
	struct scopes *users = tally_table(&pass->tally, METRIC_USER);
	struct scope *user;

	if (p->user != PROCESS_NO_SCOPE && scopes_at(users, p->user)->uid == uid)
		return 0;
	user = scopes_get(users, &uid, sizeof(uid));
	if (!user)
		return -ENOMEM;
	user->uid = uid;
	p->user = user->slot;
	return 0;
}

static int set_named(struct scopes *table, const char *name, size_t len, uint32_t *slot)
{
	struct scope *scope = scopes_get(table, name, len);

	if (!scope)
		return -ENOMEM;
	*slot = scope->slot;
	return 0;
}

/* Unit names are checked to be plain ASCII by the parser; "(none)" can't be one. */
static int set_units(struct pass *pass, struct process *p, const struct cgroup *cgroup)
{
	static const char none[] = "(none)";
	struct scopes *units = tally_table(&pass->tally, METRIC_UNIT);
	int r = cgroup->unit.len ? set_named(units, cgroup->unit.text, cgroup->unit.len, &p->unit)
	                         : set_named(units, none, sizeof(none) - 1, &p->unit);

	p->user_unit = PROCESS_NO_SCOPE;
	if (r == 0 && cgroup->user_unit.len)
		r = set_named(&pass->user_units, cgroup->user_unit.text, cgroup->user_unit.len,
			&p->user_unit);
	return r;
}

static int set_scopes(struct pass *pass, struct process *p, const struct sample *s)
{
	static const struct cgroup no_cgroup;
	int r = set_user(pass, p, s->uid);

	if (r == 0 && (s->is_renamed || p->program == PROCESS_NO_SCOPE)) {
		const struct buffer *name = &pass->reader.program;

		/* A member whose name could not be read in this pass has none to go by. */
		r = set_named(tally_table(&pass->tally, METRIC_PROGRAM),
			s->is_renamed ? name->data : "(unnamed)",
			s->is_renamed ? name->len : sizeof("(unnamed)") - 1, &p->program);
	}
	if (r == 0 && (s->has_cgroup || p->unit == PROCESS_NO_SCOPE))
		r = set_units(pass, p, s->has_cgroup ? &pass->reader.cgroup : &no_cgroup);
	return r;
}

/* A new row, of the member P. NULL: out of memory. */
static struct snapshot_process *add_row(struct pass *pass, struct process *p)
{
	struct snapshot_process *row = builder_add_process(&pass->builder);
	uint32_t count = builder_process_count(&pass->builder);

	if (!row)
		return NULL;
	if (count > pass->members_capacity) {
		size_t capacity = count + count / 2 + 256;
		struct process **members = reallocarray(
			(void *)pass->members, capacity, sizeof(struct process *));

		if (!members)
			return NULL;
		pass->members = members;
		pass->members_capacity = capacity;
	}
	pass->members[count - 1] = p;
	return row;
}

static int add_member(struct pass *pass, struct process *p, const struct sample *s)
{
	struct snapshot_process *row = add_row(pass, p);

	if (!row)
		return -ENOMEM;
	row->pid = (uint32_t)p->pid;
	row->uid = s->uid;
	row->source = (uint8_t)s->source;
	row->outcome = (uint8_t)s->outcome;
	row->present = s->present;
	memcpy(row->q, s->q, sizeof(row->q));
	/* When it was read; pass_publish() makes an age of it. */
	if (s->outcome == OUTCOME_MEASURED)
		ROW_SET(row, PROCESS_PSS_AGE, clock_now_ns(CLOCK_BOOTTIME));
	return set_scopes(pass, p, s);
}

/* A process that is no member must not hold slots that may be given to others. */
static void drop_scopes(struct process *p)
{
	p->user = p->program = p->unit = p->user_unit = PROCESS_NO_SCOPE;
	p->known = false;
}

static int read_one(struct pass *pass)
{
	struct process *p = pass->table.item[pass->at++];
	struct sample s;
	int r = process_read(&pass->reader, p, clock_now_ns(CLOCK_MONOTONIC), &s);

	if (r == 0 && s.is_member) {
		if (s.outcome == OUTCOME_MEASURED && s.uid != pass->euid)
			pass->reads_foreign = true;
		r = add_member(pass, p, &s);
	} else if (r == 0) {
		pass->counts.outcome[s.outcome]++;
		drop_scopes(p);
	}
	if (r < 0) /* its name or unit may be lost: the next pass has to read them again */
		drop_scopes(p);
	return r;
}

/* Takes over what S, of an adaptive pass, says of P's user, program and unit. */
static int take_sample(struct pass *pass, struct process *p, const struct sample *s)
{
	int r = 0;

	if (s->is_member)
		r = set_scopes(pass, p, s);
	else
		drop_scopes(p);
	if (r < 0) {
		drop_scopes(p);
		p->watch->is_settled = false;
	}
	return r;
}

static int sense_one(struct pass *pass)
{
	struct process *p = pass->table.item[pass->at++];
	struct sample s;
	int r = adapt_sense(&pass->adapt, p, clock_now_ns(CLOCK_MONOTONIC), &s);

	return r == ADAPT_SAMPLE ? take_sample(pass, p, &s) : r;
}

/* One measurement, in a pass or between two. 0; ADAPT_SAMPLE, ADAPT_MORE: there may be more to do. -ENOMEM. */
static int measure_one(struct pass *pass)
{
	struct process *p;
	struct sample s;
	int r = adapt_measure(&pass->adapt, clock_now_ns(CLOCK_MONOTONIC), &s, &p), e = 0;

	if (r == ADAPT_SAMPLE)
		e = take_sample(pass, p, &s);
	return e < 0 ? e : r;
}

static int add_estimate(struct pass *pass)
{
	struct process *p = pass->table.item[pass->at++];
	struct snapshot_process *row;

	if (!p->watch->is_member) {
		pass->counts.outcome[p->watch->outcome]++;
		return 0;
	}
	row = add_row(pass, p);
	if (!row)
		return -ENOMEM;
	adapt_estimate(&pass->adapt, p, row);
	if (row->outcome == OUTCOME_MEASURED && p->watch->has_base && row->uid != pass->euid)
		pass->reads_foreign = true;
	return 0;
}

static void tally_one(struct pass *pass)
{
	struct process *p = pass->members[pass->at];
	struct snapshot_process *row = builder_process(&pass->builder, (uint32_t)pass->at);
	uint64_t hwm = 0, swap = 0;

	pass->at++;
	pass->counts.outcome[row->outcome]++;
	if (row->outcome == OUTCOME_MEASURED || row->source == SOURCE_RSS)
		pass->counts.source[row->source]++;
	if (ROW_HAS(row, PROCESS_VM_HWM))
		hwm = growth_add_hwm(&p->growth, row->q[PROCESS_VM_HWM]);
	if (ROW_HAS(row, PROCESS_VM_SWAP))
		swap = growth_add_swap(&p->growth, row->q[PROCESS_VM_SWAP]);
	if (p->growth.has_hwm)
		ROW_SET(row, PROCESS_VM_HWM_GROWTH, p->growth.hwm_bytes);
	if (p->growth.has_swap)
		ROW_SET(row, PROCESS_VM_SWAP_GROWTH, p->growth.swap_bytes);
	tally_add(&pass->tally, p, row, hwm, swap);
	if (p->user_unit != PROCESS_NO_SCOPE)
		scopes_at(&pass->user_units, p->user_unit)->sums.q[SCOPE_PROCESSES]++;
}

/* Rows that nobody belongs to and that no series needs. */
static void remove_empty(struct scopes *table)
{
	for (struct scope *s = scopes_next(table, NULL), *next; s; s = next) {
		next = scopes_next(table, s);
		if (!s->sums.q[SCOPE_PROCESSES] && !s->exported)
			scopes_remove(table, s);
	}
}

static int end_tally(struct pass *pass)
{
	const uint32_t wanted[TALLY_TABLES] = {pass->options.export_users,
		pass->options.export_programs, pass->options.export_units};
	int r = 0;

	pass->end_ns = clock_now_ns(CLOCK_MONOTONIC);
	tally_end(&pass->tally, pass->end_ns);
	for (unsigned int i = 0; i < TALLY_TABLES; i++) {
		int e = export_scopes(
			&pass->tally.table[i], wanted[i], pass->end_ns, &pass->scratch);

		/* Whatever happens, what was added to the rows is added to (other), too. */
		tally_sum_other(&pass->tally, (enum metric_scope)(METRIC_USER + i));
		remove_empty(&pass->tally.table[i]);
		r = r ? r : e;
	}
	remove_empty(&pass->user_units);
	names_renew(tally_table(&pass->tally, METRIC_USER), pass->end_ns);
	if (r == 0)
		r = export_processes(pass->members, builder_process(&pass->builder, 0),
			builder_process_count(&pass->builder), pass->options.export_processes,
			&pass->scratch);
	return r;
}

static bool is_hidden(const struct pass *pass)
{
	return pass->procfs.hides_from_us && !pass->self.has_sys_ptrace;
}

static void pool_one(struct pass *pass)
{
	adapt_pool_add(&pass->adapt, pass->members[pass->at],
		builder_process(&pass->builder, (uint32_t)pass->at));
	pass->at++;
}

static void settle_one(struct pass *pass)
{
	adapt_pool_settle(&pass->adapt, pass->members[pass->at],
		builder_process(&pass->builder, (uint32_t)pass->at));
	pass->at++;
}

/* Does one piece of the phase, or moves to the next. */
static int advance(struct pass *pass)
{
	int r = 0;

	switch (pass->phase) {
	case PHASE_SENSE:
		if (pass->at < pass->table.count)
			return sense_one(pass);
		pass->phase = PHASE_URGENT;
		return adapt_choose_urgent(&pass->adapt, clock_now_ns(CLOCK_MONOTONIC));
	case PHASE_URGENT:
		r = measure_one(pass);
		if (r == 0) {
			pass->phase = PHASE_ROWS;
			pass->at = 0;
			adapt_begin_estimates(&pass->adapt);
		}
		return r;
	case PHASE_ROWS:
		if (pass->at < pass->table.count)
			return add_estimate(pass);
		pass->phase = PHASE_SHARE;
		return sharing_begin(&pass->sharing, pass->table.item, pass->table.count);
	case PHASE_READ:
		if (pass->at < pass->table.count)
			return read_one(pass);
		pass->phase = PHASE_SHARE;
		return sharing_begin(&pass->sharing, pass->table.item, pass->table.count);
	case PHASE_SHARE:
		if (sharing_step(&pass->sharing))
			return 0;
		pass->phase = pass->options.is_adaptive ? PHASE_POOL : PHASE_TALLY;
		pass->at = 0;
		r = sharing_elect(&pass->sharing, pass->members, builder_process(&pass->builder, 0),
			builder_process_count(&pass->builder), &pass->scratch);
		pass->compares_mm = pass->can_compare && !pass->sharing.refused;
		return r;
	case PHASE_POOL:
		if (pass->at < builder_process_count(&pass->builder)) {
			pool_one(pass);
			return 0;
		}
		pass->phase = adapt_pool_end(&pass->adapt, !is_hidden(pass)) ? PHASE_SETTLE
		                                                             : PHASE_TALLY;
		pass->at = 0;
		return 0;
	case PHASE_SETTLE:
		if (pass->at < builder_process_count(&pass->builder)) {
			settle_one(pass);
			return 0;
		}
		pass->phase = PHASE_TALLY;
		pass->at = 0;
		return 0;
	case PHASE_TALLY:
		if (pass->at < builder_process_count(&pass->builder)) {
			tally_one(pass);
			return 0;
		}
		r = end_tally(pass);
		if (r == 0) {
			pass->phase = PHASE_READY;
			pass->is_whole = true;
		}
		return r;
	default: return 0;
	}
}

static int step(struct pass *pass, uint64_t deadline_ns)
{
	assert(pass->phase != PHASE_IDLE);
	do {
		int r;

		if (pass->phase == PHASE_READY)
			return 0;
		r = advance(pass);
		if (r < 0) {
			pass->phase = PHASE_IDLE;
			return r;
		}
	} while (clock_now_ns(CLOCK_MONOTONIC) < deadline_ns);
	return pass->phase == PHASE_READY ? 0 : PASS_MORE;
}

int pass_step(struct pass *pass, uint64_t deadline_ns)
{
	uint64_t before_ns = thread_cpu_ns(), charged_ns = pass->adapt.charged_ns;
	int r = step(pass, deadline_ns);

	/* What births and measurements have used is charged already. */
	pass->cpu_ns += thread_cpu_ns() - before_ns - (pass->adapt.charged_ns - charged_ns);
	return r;
}

bool pass_next_unnamed(struct pass *pass, uid_t *ret)
{
	return names_next(tally_table(&pass->tally, METRIC_USER), &pass->name_cursor, ret);
}

void pass_name(struct pass *pass, uid_t uid, const char *name)
{
	names_set(tally_table(&pass->tally, METRIC_USER), uid, name, clock_now_ns(CLOCK_MONOTONIC));
}

void pass_name_failed(struct pass *pass, uid_t uid)
{
	names_fail(tally_table(&pass->tally, METRIC_USER), uid, clock_now_ns(CLOCK_MONOTONIC));
}

void pass_give_up_names(struct pass *pass)
{
	names_give_up(tally_table(&pass->tally, METRIC_USER), clock_now_ns(CLOCK_MONOTONIC));
}

bool pass_awaits_names(const struct pass *pass)
{
	return names_are_awaited(&pass->tally.table[0]);
}

static uint32_t count_dropped(struct pass *pass)
{
	uint32_t count = builder_process_count(&pass->builder), dropped = 0;

	for (uint32_t i = 0; i < count; i++)
		dropped += !pass->members[i]->exported;
	return dropped;
}

/* Names, marks and ages of the rows of processes. */
static void finish_processes(struct pass *pass, uint64_t now_boottime_ns)
{
	uint32_t count = builder_process_count(&pass->builder);

	for (struct scope *s = NULL; (s = scopes_next(&pass->user_units, s));)
		s->name_ref = builder_add_text(&pass->builder, s->key, s->key_len);
	for (uint32_t i = 0; i < count; i++) {
		struct snapshot_process *row = builder_process(&pass->builder, i);
		const struct process *p = pass->members[i];

		row->user = scopes_at(&pass->tally.table[0], p->user)->name_ref;
		row->program = scopes_at(&pass->tally.table[1], p->program)->name_ref;
		row->unit = scopes_at(&pass->tally.table[2], p->unit)->name_ref;
		if (p->user_unit != PROCESS_NO_SCOPE)
			row->user_unit = scopes_at(&pass->user_units, p->user_unit)->name_ref;
		row->flags = p->exported ? PROCESS_EXPORTED : 0;
		if (ROW_HAS(row, PROCESS_PSS_AGE))
			row->q[PROCESS_PSS_AGE] = now_boottime_ns - row->q[PROCESS_PSS_AGE];
	}
}

static uint32_t self_flags(const struct pass *pass)
{
	return (pass->self.has_sys_ptrace ? SELF_CAP_SYS_PTRACE : 0U) |
	       (pass->self.has_perfmon ? SELF_CAP_PERFMON : 0U) |
	       (pass->reads_foreign ? SELF_READS_FOREIGN : 0U) |
	       (pass->compares_mm ? SELF_COMPARES_MM : 0U) |
	       (is_hidden(pass) ? SELF_PROC_HIDDEN : 0U);
}

static void count_duration(struct pass *pass, uint64_t duration_ns)
{
	size_t bucket = metric_histogram_bucket(
		metric_histogram(HISTOGRAM_PASS_DURATION), duration_ns);
	struct snapshot_histogram *durations = &pass->counts.durations;

	durations->bucket[bucket]++;
	durations->count++;
	durations->sum_ns += duration_ns;
	pass->counts.duration_ns = duration_ns;
	pass->counts.passes++;
	if (duration_ns > pass->options.interval_ns)
		pass->counts.overruns++;
}

static bool is_complete(const struct pass *pass)
{
	return !pass->counts.outcome[OUTCOME_DENIED] && !pass->counts.outcome[OUTCOME_MALFORMED] &&
	       !pass->counts.outcome[OUTCOME_CHANGING] && !pass->counts.outcome[OUTCOME_ERROR] &&
	       !is_hidden(pass);
}

/* The public image comes first: the names that only rows of processes bear are none of its business. */
static int seal(struct pass *pass, const struct image_header *head, bool with_public, int *ret_fd,
	int *ret_public_fd)
{
	AUTO_CLOSE int public_fd = -1;
	int r = 0;

	if (with_public) {
		struct image_header public_head = *head;

		public_head.flags |= IMAGE_PUBLIC;
		r = builder_seal(&pass->builder, &public_head, &public_fd);
	}
	if (r == 0) {
		finish_processes(pass, head->boottime_ns);
		r = builder_seal(&pass->builder, head, ret_fd);
	}
	if (r == 0)
		*ret_public_fd = TAKE_FD(public_fd);
	return r;
}

static void describe_adaptive(struct pass *pass, struct compose_adaptive *ret)
{
	struct adapt *a = &pass->adapt;
	uint64_t needed_ppm = 0;

	if (!pass->options.is_adaptive)
		return;
	pass_interval_ns(pass, &needed_ppm);
	*ret = (struct compose_adaptive){
		.counts = &a->counts,
		.budget = (double)a->budget.rate_ppm / BUDGET_PPM_MAX,
		.needed = (double)needed_ppm / BUDGET_PPM_MAX,
		.available_ns = budget_available_ns(&a->budget, clock_now_ns(CLOCK_MONOTONIC)),
		.oldest_ns = adapt_oldest_ns(a),
		.psi = &a->psi,
	};
}

static int publish(struct pass *pass, bool with_public, int *ret_fd, int *ret_public_fd)
{
	uint64_t now_ns = clock_now_ns(CLOCK_BOOTTIME);
	uint64_t duration_ns = pass->end_ns - pass->begin_ns;
	uint64_t period_ns = duration_ns > pass->options.interval_ns ? duration_ns
	                                                             : pass->options.interval_ns;
	struct image_header head = {
		.sequence = pass->counts.passes + 1,
		.realtime_ns = clock_now_ns(CLOCK_REALTIME),
		.boottime_ns = now_ns,
		.stale_ns = now_ns + STALE_FACTOR * period_ns,
		.interval_ns = pass->options.interval_ns,
		.pass_begin_ns = pass->begin_boottime_ns,
	};
	struct meminfo meminfo = {0};
	struct compose_adaptive adaptive;
	int r;

	assert(pass->phase == PHASE_READY);
	pass->phase = PHASE_IDLE;
	count_duration(pass, duration_ns);
	memcpy(head.instance, pass->instance, sizeof(head.instance));
	if (is_complete(pass))
		head.flags |= IMAGE_COMPLETE;
	if (meminfo_read(pass->procfs.fd, &meminfo) < 0)
		meminfo.present = 0;
	r = compose_scopes(&pass->tally, &meminfo, &pass->builder, &pass->scratch);
	if (r == 0) {
		pass->counts.dropped_processes = count_dropped(pass);
		self_read(&pass->self);
		describe_adaptive(pass, &adaptive);
		r = compose_self(&pass->tally, &pass->counts,
			pass->options.is_adaptive ? &adaptive : NULL, &pass->self, self_flags(pass),
			pass->options.version, &pass->builder);
	}
	if (r == 0)
		r = seal(pass, &head, with_public, ret_fd, ret_public_fd);
	return r;
}

int pass_publish(struct pass *pass, bool with_public, int *ret_fd, int *ret_public_fd)
{
	uint64_t before_ns = thread_cpu_ns();
	int r = publish(pass, with_public, ret_fd, ret_public_fd);

	pass->cpu_ns += thread_cpu_ns() - before_ns;
	return r;
}

static void plan(struct pass *pass, uint64_t due_ns)
{
	uint64_t before_ns = thread_cpu_ns(), cpu_ns = pass->cpu_ns;
	/* The rows of a pass that was lost need not be whole. */
	uint32_t count = pass->is_whole ? builder_process_count(&pass->builder) : 0;

	/* Without memory nobody is measured until the next pass. */
	(void)adapt_plan(&pass->adapt, clock_now_ns(CLOCK_MONOTONIC), cpu_ns, due_ns, pass->members,
		builder_process(&pass->builder, 0), count);
	budget_charge(
		&pass->adapt.budget, clock_now_ns(CLOCK_MONOTONIC), thread_cpu_ns() - before_ns);
}

void pass_plan(struct pass *pass, uint64_t due_ns)
{
	if (pass->options.is_adaptive)
		plan(pass, due_ns);
	pass->is_whole = false; /* of the rows nothing is left */
	builder_rest(&pass->builder);
	buffer_rest(&pass->scratch);
}

uint64_t pass_next_measure_ns(const struct pass *pass, uint64_t now_ns)
{
	return pass->options.is_adaptive ? adapt_next_ns(&pass->adapt, now_ns) : UINT64_MAX;
}

int pass_measure(struct pass *pass)
{
	uint64_t end_ns = clock_now_ns(CLOCK_MONOTONIC) + ADAPT_TURN_NS;
	int r;

	do
		r = measure_one(pass);
	while (r == ADAPT_SAMPLE && clock_now_ns(CLOCK_MONOTONIC) < end_ns &&
		!slices_are_under_way(&pass->adapt.slices));
	return r < 0 ? r : 0;
}

uint64_t pass_interval_ns(const struct pass *pass, uint64_t *ret_needed_ppm)
{
	const struct adapt *a = &pass->adapt;
	uint64_t interval_ns = pass->options.interval_ns;

	*ret_needed_ppm = 0;
	if (!pass->options.is_adaptive)
		return interval_ns;
	*ret_needed_ppm = budget_needed_ppm(
		&a->budget, interval_ns, a->total_cost_ns, a->limits.max_age_ns);
	return budget_interval_ns(&a->budget, interval_ns);
}

void pass_summary(const struct pass *pass, struct pass_summary *ret)
{
	static_assert(sizeof(ret->outcome) / sizeof(ret->outcome[0]) == OUTCOME_COUNT_,
		"one count for each outcome");
	*ret = (struct pass_summary){
		.sequence = pass->counts.passes,
		.duration_ns = pass->end_ns - pass->begin_ns,
		.proc_hidden = is_hidden(pass),
		.proc_hides = pass->procfs.hidepid,
		.has_sys_ptrace = pass->self.has_sys_ptrace,
		.has_perfmon = pass->self.has_perfmon,
	};
	memcpy(ret->outcome, pass->counts.outcome, sizeof(ret->outcome));
}
