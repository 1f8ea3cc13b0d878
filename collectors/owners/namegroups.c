/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/owners/namegroups-private.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/os/file.h"
#include "base/saturate.h"
#include "collectors/owners/membership.h"
#include "snapshot/owner.h"

enum {
	CGROUP_MAX = 1 << 16, /* bytes of /proc/PID/cgroup */
	SKIPPED_MAX = 256,    /* processes without work that one step may skip */
	STEP_NS = 20,         /* of CPU time; up to 60 with some patterns */
	NEW_RULES_STEPS = 50000000,
};

void namegroups_init(struct namegroups *n, struct owner_sums *sums, struct process_reader *reader,
	const struct process_table *table)
{
	*n = (struct namegroups){.sums = sums, .reader = reader, .table = table};
}

void namegroups_done(struct namegroups *n)
{
	naming_rules_free(n->rules);
	naming_rules_free(n->next);
	owner_table_done(&n->users);
	buffer_done(&n->cmdline);
	buffer_done(&n->cgroup);
	buffer_done(&n->name);
}

void namegroups_set(struct namegroups *n, struct naming_rules *rules)
{
	if (naming_rules_are_same(n->has_next ? n->next : n->rules, rules)) {
		naming_rules_free(rules);
		return;
	}
	naming_rules_free(n->next);
	n->next = rules;
	n->has_next = true;
}

static void take_rules(struct namegroups *n)
{
	naming_rules_free(n->rules);
	n->rules = TAKE_PTR(n->next);
	n->has_next = false;
	n->are_new = true;
	n->is_used = n->is_used || n->rules;
	for (size_t i = 0; i < n->table->count; i++) {
		n->table->item[i]->naming = NAMING_NEW;
		n->table->item[i]->inherits_group = false;
	}
}

/* Removes the users whose names no process has waited for in the last pass. */
static void tidy_users(struct namegroups *n)
{
	for (struct scope *s = owner_table_next(&n->users, NULL), *next; s; s = next) {
		next = owner_table_next(&n->users, s);
		if (!s->sums.q[SCOPE_PROCESSES])
			owner_table_remove(&n->users, s);
		else
			s->sums.q[SCOPE_PROCESSES] = 0;
	}
}

void namegroups_list(struct namegroups *n)
{
	if (n->has_next)
		take_rules(n);
	tidy_users(n);
	n->name_cursor = 0;
}

void namegroups_begin(
	struct namegroups *n, struct process *const *member, size_t count, uint64_t cpu_ns)
{
	n->member = member;
	n->count = count;
	n->stage = NAMEGROUPS_MATCH;
	n->at = n->announced = 0;
	n->search = (struct namegroups_search){0};
	n->awaits_names = false;
	n->costly_from = n->next_costly;
	n->next_costly = 0;
	n->steps = n->usual_steps = 0;
	n->steps_max = n->usual_max = cpu_ns / STEP_NS + 1;
	if (n->are_new)
		n->steps_max = saturate_max(n->steps_max, NEW_RULES_STEPS);
	n->are_new = false;
	process_announce_none(n->reader);
}

/* Returns the record of the user UID, whose name is asked for if it is new; NULL: no memory. */
static struct scope *user_of(struct namegroups *n, uint32_t uid)
{
	struct scope *user = owner_table_find(&n->sums->table[OWNER_USER], &uid, sizeof(uid));

	if (user)
		return user;
	user = owner_table_get(&n->users, &uid, sizeof(uid));
	if (!user)
		return NULL;
	user->id = uid;
	user->sums.q[SCOPE_PROCESSES]++;
	return user;
}

static bool is_name_known(const struct scope *user)
{
	return user->name || user->name_state == SCOPE_NAME_ANSWERED;
}

/*
 * Returns how many steps P may take. A user can have many new processes in each pass, each with a
 * command line that takes a pattern its most. A single pass has no later one to finish it.
 */
static enum naming_effort effort_for(const struct namegroups *n, const struct process *p)
{
	if (n->reader->is_single || (p->pid >= n->costly_from && n->steps < n->steps_max))
		return NAMING_MOST;
	return n->usual_steps < n->usual_max ? NAMING_USUAL : NAMING_LEAST;
}

/* Whether the rules have to run on P. */
static bool has_to_match(struct namegroups *n, const struct process *p)
{
	const struct scope *user;

	switch (p->naming) {
	case NAMING_NEW: return n->stage == NAMEGROUPS_MATCH;
	case NAMING_COSTLY: return n->stage == NAMEGROUPS_MATCH && effort_for(n, p) == NAMING_MOST;
	case NAMING_BY_NUMBER:
	case NAMING_BY_NUMBER_COSTLY:
		if (p->naming == NAMING_BY_NUMBER_COSTLY && effort_for(n, p) != NAMING_MOST)
			return false;
		user = user_of(n, p->uid);
		return user && is_name_known(user);
	default: return false;
	}
}

/* Lets a worker read the command lines of as many processes as there is room for. */
static void namegroups_announce(struct namegroups *n)
{
	size_t end = saturate_min(n->count, n->at + SKIPPED_MAX);

	if (n->announced > n->at || !n->rules)
		return;
	n->announced = n->at;
	process_announce_none(n->reader);
	for (; n->announced < end && process_announce_has_room(n->reader); n->announced++)
		if (has_to_match(n, n->member[n->announced]))
			process_announce_cmdline(n->reader, n->member[n->announced]);
}

/*
 * Reads the cgroup of P into .cgroup. If it is too long, .cgroup is empty and *RET_IS_PARTIAL set to
 * true: a later pass could not read it either. Returns 0, or an error of process_open() or read(),
 * for which a later pass tries again.
 */
static int read_cgroup(struct namegroups *n, struct process *p, bool *ret_is_partial)
{
	AUTO_CLOSE int fd = process_open(n->reader, p, "cgroup");
	int e = fd < 0 ? fd : file_read_all_fd(fd, CGROUP_MAX, &n->cgroup);

	if (e == 0)
		return 0;
	buffer_clear(&n->cgroup);
	/* The kernel refuses a path of more than 4095 bytes. */
	if (e == -ENAMETOOLONG || e == -EFBIG) {
		*ret_is_partial = true;
		return 0;
	}
	/* A kernel without cgroups; or the thread by which a dead leader is read has exited. */
	return e == -ENOENT && !p->tid ? 0 : e;
}

static int64_t start_s(const struct namegroups *n, const struct process *p)
{
	const struct procfs *procfs = n->reader->procfs;

	return (int64_t)(procfs->boot_realtime_ns / NS_PER_SEC +
			 p->stat.start_ticks / (NS_PER_SEC / procfs->ns_per_tick));
}

/* Makes the group NAME, "" as none, the group of P. */
static int set_group(struct namegroups *n, struct process *p, const char *name, size_t len)
{
	struct owner_table *groups = &n->sums->table[OWNER_NAMEGROUP];
	const struct scope *group = len ? owner_table_get(groups, name, len)
	                                : owner_table_get(groups, OWNER_NONE, strlen(OWNER_NONE));

	return group ? membership_set_namegroup(n->sums, p, group->slot) : -ENOMEM;
}

/* Whether P has a group that may have the number of its user in its name. */
static bool is_by_number(const struct process *p)
{
	return p->naming == NAMING_BY_NUMBER || p->naming == NAMING_BY_NUMBER_COSTLY;
}

/* P has to wait for steps: no rule runs on it again before its turn. */
static void leave_waiting(struct namegroups *n, struct process *p)
{
	if (n->steps >= n->steps_max && !n->next_costly)
		n->next_costly = p->pid;
	if (p->naming == NAMING_NEW)
		p->naming = NAMING_COSTLY;
	else if (p->naming == NAMING_BY_NUMBER)
		p->naming = NAMING_BY_NUMBER_COSTLY;
}

/*
 * Runs the rules on P with what was read of it. Returns 1 if one has matched, with the group in
 * .name; 0 if none has; -EAGAIN if P has to wait for steps of another pass; or -ENOMEM.
 */
static int run_rules(struct namegroups *n, struct process *p, const char *username, bool is_partial)
{
	struct naming_needs needs = naming_rules_needs(n->rules);
	struct naming_process seen = {
		.comm = p->name,
		.comm_len = p->name_len,
		.cmdline = n->cmdline.data,
		.cmdline_len = n->cmdline.len,
		.username = username,
		.cgroup = needs.cgroup ? n->cgroup.data : NULL,
		.cgroup_len = n->cgroup.len,
		.start_s = start_s(n, p),
		.pid = (uint32_t)p->pid,
		.uid = p->uid,
	};
	enum naming_effort effort = effort_for(n, p);
	bool has_failed;
	int r;

	buffer_clear(&n->name);
	r = naming_rules_match(n->rules, &seen, effort, &n->name, &has_failed);
	*(effort == NAMING_MOST ? &n->steps : &n->usual_steps) += naming_rules_extra_steps(
		n->rules);
	if (r == -EAGAIN) {
		leave_waiting(n, p);
		return r;
	}
	if (r >= 0 && !is_by_number(p))
		n->failures += has_failed || is_partial;
	return r;
}

/* No rule matches P: it keeps a group that it has inherited, or its ancestors have to be asked. */
static void leave_unmatched(struct process *p)
{
	p->naming = p->inherits_group ? NAMING_SETTLED : NAMING_UNMATCHED;
}

/* Runs the rules on P after its files were read; if IS_PARTIAL, without all that they have. */
static int match_read(struct namegroups *n, struct process *p, bool is_partial)
{
	const struct scope *user = NULL;
	int r;

	if (naming_rules_needs(n->rules).username) {
		user = user_of(n, p->uid);
		if (!user)
			return -ENOMEM;
	}
	r = run_rules(n, p, user ? user->name : NULL, is_partial);
	if (r == 0)
		leave_unmatched(p);
	if (r <= 0)
		return r;
	r = set_group(n, p, n->name.data, n->name.len);
	if (r < 0)
		return r;
	p->inherits_group = false;
	p->naming = !user || is_name_known(user) ? NAMING_SETTLED : NAMING_BY_NUMBER;
	return 0;
}

/*
 * Reads P and runs the rules on it. If it cannot be read or has to wait, it keeps a group that it
 * has inherited, or that has the number of its user; else it has none until the next pass.
 */
static int namegroups_match(struct namegroups *n, struct process *p)
{
	bool is_partial;
	int e;

	if (!n->rules) {
		leave_unmatched(p);
		return 0;
	}
	e = process_read_cmdline(n->reader, p, NAMING_CMDLINE_MAX, &n->cmdline, &is_partial);
	if (e == 0 && naming_rules_needs(n->rules).cgroup)
		e = read_cgroup(n, p, &is_partial);
	if (e == 0)
		e = match_read(n, p, is_partial);
	if (e == 0 || e == -ENOMEM)
		return e;
	return is_by_number(p) || p->inherits_group ? 0 : set_group(n, p, NULL, 0);
}

static int match_next(struct namegroups *n)
{
	struct process *p;
	int r = 0;

	namegroups_announce(n);
	p = n->member[n->at++];
	if (has_to_match(n, p))
		r = namegroups_match(n, p);
	else if (p->naming == NAMING_COSTLY || p->naming == NAMING_BY_NUMBER_COSTLY)
		leave_waiting(n, p);
	else if (p->naming == NAMING_UNSURE || p->naming == NAMING_VISITED)
		p->naming = NAMING_UNMATCHED;
	n->awaits_names = n->awaits_names || p->naming == NAMING_BY_NUMBER;
	return r;
}

static int next_stage(struct namegroups *n)
{
	bool asks = n->stage == NAMEGROUPS_MATCH && n->awaits_names;

	assert(n->stage != NAMEGROUPS_INHERIT);
	n->stage = asks ? NAMEGROUPS_REMATCH : NAMEGROUPS_INHERIT;
	n->at = n->announced = 0;
	return asks ? NAMEGROUPS_NAMES : NAMEGROUPS_MORE;
}

int namegroups_step(struct namegroups *n)
{
	size_t end = saturate_min(n->count, n->at + SKIPPED_MAX);
	int r;

	while (!n->search.first && n->at < end && n->member[n->at]->naming == NAMING_SETTLED)
		n->at++;
	if (n->at == n->count && !n->search.first)
		return n->stage == NAMEGROUPS_INHERIT ? 0 : next_stage(n);
	r = n->stage == NAMEGROUPS_INHERIT ? namegroups_inherit_next(n) : match_next(n);
	return r < 0 ? r : NAMEGROUPS_MORE;
}
