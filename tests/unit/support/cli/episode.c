/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/cli/episode.h"

#include "base/clock.h"
#include "snapshot/owner.h"
#include "snapshot/sums.h"
#include "tests/unit/support/snapshot/small.h"

enum { OWNERS = 256, BOOTED_S = 3600 };

static const uint64_t mib = 1 << 20;

uint64_t episode_time_ns(const struct episode *e, size_t i)
{
	return (uint64_t)(EPISODE_TIME_S + e->at_s[i]) * NS_PER_SEC;
}

static uint32_t name(struct builder *b, const char *text)
{
	return text ? builder_add_text(b, text, strlen(text)) : 0;
}

static const char *owner_name(const struct episode_process *p, enum owner_kind kind)
{
	const char *const names[OWNER_KINDS] = {
		[OWNER_USER] = p->user,
		[OWNER_PROGRAM] = p->program,
		[OWNER_UNIT] = p->unit,
		[OWNER_USER_UNIT] = p->user_unit,
		[OWNER_SLICE] = p->slice,
		[OWNER_CONTAINER] = p->container,
	};

	return names[kind] ? names[kind] : OWNER_NONE;
}

static void fill_process(const struct episode_process *p, size_t at, struct snapshot_process *row)
{
	uint64_t bytes = (uint64_t)p->pss_mib[at] * mib + (uint64_t)p->pss_kib[at] * 1024;
	uint64_t doubt = (uint64_t)p->doubt_mib * mib;

	row->pid = p->pid;
	row->uid = p->uid;
	row->source = p->doubt_mib ? SOURCE_ESTIMATE : p->is_denied ? SOURCE_RSS : SOURCE_ROLLUP;
	row->outcome = p->is_denied ? OUTCOME_DENIED : OUTCOME_MEASURED;
	ROW_SET(row, PROCESS_START_TIME, (uint64_t)(EPISODE_TIME_S + p->start_s) * NS_PER_SEC);
	if (p->zombie_at && at >= (size_t)p->zombie_at) {
		row->source = SOURCE_NONE;
		row->outcome = OUTCOME_NO_MM;
		return;
	}
	ROW_SET(row, PROCESS_RSS, bytes);
	ROW_SET(row, PROCESS_VM_SWAP, (uint64_t)p->swap_mib[at] * mib);
	if (p->is_denied)
		return;
	ROW_SET(row, PROCESS_PSS, bytes);
	ROW_SET(row, PROCESS_PSS_LOW, bytes - doubt);
	ROW_SET(row, PROCESS_PSS_HIGH, bytes + doubt);
	if (p->doubt_mib)
		ROW_SET(row, PROCESS_PSS_AGE, NS_PER_SEC);
}

static void add_process(struct builder *b, const struct episode_process *p, size_t at)
{
	uint32_t names[OWNER_KINDS];
	struct snapshot_process *row;

	for (unsigned int k = 0; k < OWNER_KINDS; k++)
		names[k] = name(b, owner_name(p, (enum owner_kind)k));
	row = builder_add_process(b);
	assert_non_null(row);
	fill_process(p, at, row);
	for (unsigned int k = 0; k < OWNER_KINDS; k++)
		row->owner[k] = names[k];
}

/* Returns the process of E with the lowest pid above LAST_PID in snapshot AT; NULL: none. */
static const struct episode_process *next_process(
	const struct episode *e, size_t at, uint32_t last_pid)
{
	const struct episode_process *next = NULL;

	for (size_t i = 0; i < e->processes; i++) {
		const struct episode_process *p = &e->process[i];

		if (p->pss_mib[at] && p->pid > last_pid && (!next || p->pid < next->pid))
			next = p;
	}
	return next;
}

/* A row of sums that is being added. */
struct sum {
	enum owner_kind kind;
	const struct episode_process *first;
	struct sums sums;
};

static bool is_same_owner(
	const struct episode_process *a, const struct episode_process *b, enum owner_kind kind)
{
	return !strcmp(owner_name(a, kind), owner_name(b, kind)) &&
	       (kind != OWNER_USER_UNIT || is_same_owner(a, b, OWNER_USER));
}

static struct sum *find_sum(
	struct sum *sum, size_t *count, const struct episode_process *p, enum owner_kind kind)
{
	for (size_t i = 0; i < *count; i++)
		if (sum[i].kind == kind && is_same_owner(sum[i].first, p, kind))
			return &sum[i];
	assert_in_range(*count, 0, OWNERS - 1);
	sum[*count] = (struct sum){.kind = kind, .first = p};
	return &sum[(*count)++];
}

static void set_counters(struct snapshot_scope *row, const struct episode_counter *c, size_t at)
{
	if (c->kills[at] != EPISODE_ABSENT)
		ROW_SET(row, SCOPE_OOM_KILLS, (uint64_t)c->kills[at]);
	if (c->max_events[at] != EPISODE_ABSENT)
		ROW_SET(row, SCOPE_CGROUP_MAX_EVENTS, (uint64_t)c->max_events[at]);
	if (c->waited_s[at] != EPISODE_ABSENT)
		ROW_SET(row, SCOPE_MEMORY_WAITING, (uint64_t)c->waited_s[at] * NS_PER_SEC);
	ROW_SET(row, SCOPE_CGROUP_AGE, (uint64_t)c->age_s[at] * NS_PER_SEC);
}

static bool is_counter_of(const struct episode_counter *c, const struct sum *s)
{
	return c->kind == s->kind && !strcmp(c->name, owner_name(s->first, s->kind)) &&
	       (!c->user || !strcmp(c->user, s->first->user));
}

static void add_owner(struct builder *b, const struct episode *e, size_t at, struct sum *s)
{
	const struct owner *owner = owner_of(s->kind);
	uint32_t text = name(b, owner_name(s->first, s->kind));
	uint32_t user = owner->has_user && (s->kind != OWNER_CONTAINER || s->first->user_unit)
	                        ? name(b, s->first->user)
	                        : 0;
	struct snapshot_scope *row = builder_add_scope(b, metric_owner_scope(s->kind));

	assert_non_null(row);
	sums_end(&s->sums);
	row->name = text;
	row->user = user;
	row->id = s->kind == OWNER_USER ? s->first->uid : 0;
	row->present = s->sums.present;
	memcpy(row->q, s->sums.q, sizeof(row->q));
	for (size_t i = 0; i < e->counters; i++)
		if (is_counter_of(&e->counter[i], s))
			set_counters(row, &e->counter[i], at);
}

static void add_rows(
	struct builder *b, const struct episode *e, size_t at, struct snapshot_scope *host)
{
	struct sum *sum = calloc(OWNERS, sizeof(*sum));
	struct sums all = {0};
	size_t count = 0;

	assert_non_null(sum);
	for (const struct episode_process *p = NULL; (p = next_process(e, at, p ? p->pid : 0));) {
		struct snapshot_process row = {0};

		fill_process(p, at, &row);
		sums_add(&all, &row);
		for (unsigned int k = 0; k < OWNER_KINDS; k++)
			sums_add(&find_sum(sum, &count, p, (enum owner_kind)k)->sums, &row);
		add_process(b, p, at);
	}
	sums_end(&all);
	host->present = all.present;
	memcpy(host->q, all.q, sizeof(host->q));
	for (size_t i = 0; i < count; i++)
		add_owner(b, e, at, &sum[i]);
	free(sum);
}

static void fill_host(const struct episode *e, size_t at, struct snapshot_scope *host)
{
	if (e->kills[at] != EPISODE_ABSENT)
		ROW_SET(host, SCOPE_OOM_KILLS, (uint64_t)e->kills[at]);
	if (e->waited_s[at] != EPISODE_ABSENT)
		ROW_SET(host, SCOPE_MEMORY_WAITING, (uint64_t)e->waited_s[at] * NS_PER_SEC);
	if (!e->total_mib)
		return;
	ROW_SET(host, SCOPE_MEM_AVAILABLE, (uint64_t)e->available_mib[at] * mib);
	ROW_SET(host, SCOPE_MEM_TOTAL, (uint64_t)e->total_mib * mib);
}

static void add_balance(struct builder *b, const struct episode *e, size_t at)
{
	struct snapshot_balance *row;

	if (!e->has_balance)
		return;
	row = builder_add_balance(b);
	assert_non_null(row);
	ROW_SET(row, BALANCE_PSS_ANON, (uint64_t)e->anon_mib[at] * mib);
	if (e->unsplit_mib[at])
		ROW_SET(row, BALANCE_PSS_UNSPLIT, (uint64_t)e->unsplit_mib[at] * mib);
	ROW_SET(row, BALANCE_PAGE_CACHE, (uint64_t)e->cache_mib[at] * mib);
	ROW_SET(row, BALANCE_SWAP_PROCESSES, (uint64_t)e->swap_used_mib[at] * mib);
	ROW_SET(row, BALANCE_SWAP_SYSV, 0);
	ROW_SET(row, BALANCE_SWAP_UNKNOWN, 0);
	ROW_SET(row, BALANCE_SWAP_FREE, (uint64_t)e->swap_free_mib[at] * mib);
}

int episode_seal(const struct episode *e, size_t at)
{
	struct image_header head = {
		.sequence = at + 1,
		.flags = (e->is_public ? IMAGE_PUBLIC : 0) | (e->is_brief[at] ? IMAGE_PRESSURE : 0),
		.realtime_ns = episode_time_ns(e, at),
		.interval_ns = 10 * NS_PER_SEC,
	};
	AUTO_SMALL struct small s = {0};
	int fd = -1;

	head.boottime_ns = e->boot_s[at] ? (uint64_t)e->boot_s[at] * NS_PER_SEC
	                                 : (uint64_t)(e->at_s[at] + BOOTED_S) * NS_PER_SEC;
	head.pass_begin_ns = head.boottime_ns;
	head.stale_ns = head.boottime_ns + 30 * NS_PER_SEC;
	head.instance[0] = (uint8_t)e->instance[at];
	small_begin(&s);
	add_rows(&s.builder, e, at, s.host);
	fill_host(e, at, s.host);
	add_balance(&s.builder, e, at);
	assert_int_equal(builder_seal(&s.builder, &head, &fd), 0);
	return fd;
}

static const struct view *make_snapshot(const struct episode *e, size_t at)
{
	AUTO_CLOSE int fd = episode_seal(e, at);
	struct view *view = NULL;
	const char *reason = "";

	if (view_open(fd, &view, &reason) < 0)
		fail_msg("%s", reason);
	return view;
}

struct episode_process *episode_add(struct episode *e, const struct episode_process *p)
{
	assert_in_range(e->processes, 0, EPISODE_PROCESSES - 1);
	e->process[e->processes] = *p;
	return &e->process[e->processes++];
}

void episode_of_kill(struct episode *e)
{
	*e = (struct episode){
		.snapshots = 8,
		.befores = 6,
		.at_s = {-900, -480, -300, -120, -60, -10, 0, 10},
		.kills = {3, 3, 3, 3, 3, 3, 4, 4},
		.waited_s = {0, 0, 0, 0, 2, 12, 20, 20},
		.total_mib = 64200,
		.available_mib = {58000, 57800, 40000, 21000, 9000, 210, 43100, 43200},
		.has_balance = true,
		.anon_mib = {2100, 2150, 20000, 38000, 44000, 45100, 2000, 2000},
		.cache_mib = {9000, 9000, 9000, 7000, 3000, 180, 200, 210},
		.swap_used_mib = {0, 0, 0, 100, 900, 2000, 1200, 1200},
		.swap_free_mib = {2048, 2048, 2048, 1948, 1148, 48, 848, 848},
	};
	episode_add(e, &(struct episode_process){.pid = 700,
			       .program = "sshd",
			       .user = "root",
			       .unit = "ssh.service",
			       .slice = "system.slice",
			       .start_s = -90000,
			       .pss_mib = {10, 10, 10, 10, 10, 10, 10, 10}});
	episode_add(e, &(struct episode_process){.pid = 812,
			       .uid = 26,
			       .program = "postgres",
			       .user = "postgres",
			       .unit = "postgresql.service",
			       .slice = "system.slice",
			       .start_s = -90000,
			       .pss_mib = {2000, 2000, 2000, 1900, 1300, 900, 900, 900},
			       .swap_mib = {0, 0, 0, 100, 700, 1200, 1200, 1200}});
	episode_add(e, &(struct episode_process){.pid = 4700,
			       .program = "bash",
			       .user = "root",
			       .unit = "ssh.service",
			       .slice = "system.slice",
			       .start_s = -3000,
			       .pss_mib = {5, 5, 5, 5, 5, 5}});
	episode_add(e, &(struct episode_process){.pid = 4711,
			       .uid = 1003,
			       .program = "python3",
			       .user = "1003",
			       .unit = "session-7.scope",
			       .slice = "user-1003.slice",
			       .start_s = -3600,
			       .pss_mib = {200, 200, 18000, 36000, 41000, 42208},
			       .swap_mib = {0, 0, 0, 0, 200, 800}});
	episode_add(e, &(struct episode_process){.pid = 4712,
			       .uid = 1003,
			       .program = "bash",
			       .user = "1003",
			       .unit = "session-7.scope",
			       .slice = "user-1003.slice",
			       .start_s = -3700,
			       .pss_mib = {4, 4, 4, 4, 4, 4, 4, 4}});
	e->counter[e->counters++] = (struct episode_counter){.kind = OWNER_UNIT,
		.name = "session-7.scope",
		.kills = {0, 0, 0, 0, 0, 0, 1, 1},
		.waited_s = {0, 0, 0, 0, 1, 10, 18, 18}};
	e->counter[e->counters++] = (struct episode_counter){.kind = OWNER_SLICE,
		.name = "user-1003.slice",
		.kills = {2, 2, 2, 2, 2, 2, 3, 3},
		.max_events = {0, 0, 0, 0, 0, 5, 12, 12},
		.waited_s = {0, 0, 0, 0, 1, 10, 18, 18}};
}

void episode_open(const struct episode *e, struct moments *ret)
{
	*ret = (struct moments){.befores = e->befores, .afters = e->snapshots - e->befores};
	for (size_t i = 0; i < e->snapshots; i++)
		*(i < e->befores ? &ret->before[i] : &ret->after[i - e->befores]) = make_snapshot(
			e, i);
}

void episode_close(struct moments *m)
{
	for (size_t i = 0; i < m->befores; i++)
		view_unref((struct view *)m->before[i]);
	for (size_t i = 0; i < m->afters; i++)
		view_unref((struct view *)m->after[i]);
}
