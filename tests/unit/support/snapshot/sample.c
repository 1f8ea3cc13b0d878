/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/snapshot/sample.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/os/channel.h"
#include "base/os/userns.h"
#include "snapshot/balance.h"
#include "snapshot/owner.h"
#include "snapshot/sums.h"

enum {
	ABSENT = -1,
	KIB = 1024,
	MORE_NAMES = 100, /* number of users, and of programs, of the processes of .more */
	GROUPS_MAX = MORE_NAMES + 32,
	LABEL_MAX = 32,
};

/* A process of the table below. Quantities in KiB; ABSENT: the row lacks the quantity. */
struct member {
	uint32_t pid, uid;
	const char *user, *program, *unit, *user_unit;
	enum process_source source;
	enum process_outcome outcome;
	bool exported;
	uint32_t mm_pid;
	int64_t pss, uss, rss, swap_pss, vm_swap, private_hugetlb, shared_hugetlb;
};

#define ROLLUP   SOURCE_ROLLUP, OUTCOME_MEASURED
#define NO_UNIT  "(none)"
#define NOTHING  ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT
#define RSS(kib) ABSENT, ABSENT, kib, ABSENT, 0, ABSENT, ABSENT

/* clang-format off */
static const struct member members[SAMPLE_PROCESSES] = {
	{1, 0, "root", "systemd", "init.scope", "", ROLLUP, true, 0,
		6123, 4000, 12288, 0, 0, 0, 0},
	{300, 0, "root", "sshd", "ssh.service", "", SOURCE_RSS, OUTCOME_DENIED, true, 0, RSS(8192)},
	{301, 0, "root", "sshd", "ssh.service", "", SOURCE_NONE, OUTCOME_CHANGING, false, 0, NOTHING},
	{400, 0, "root", "swapper \\ \"x\"", "dev-disk-by\\x2duuid.swap", "", ROLLUP, true, 0,
		512, 400, 2048, 128, 256, 0, 0},
	{1000, 1000, "alice", "firefox", "user@1000.service", "app-firefox.scope", ROLLUP, true, 0,
		400000, 350001, 512000, 1024, 2048, 2048, 4096},
	{1001, 1000, "alice", "firefox", "user@1000.service", "app-firefox.scope", ROLLUP, true, 0,
		100003, 90000, 200000, 0, 0, 2048, 8192},
	{1002, 1000, "alice", "firefox", "user@1000.service", "app-firefox.scope",
		SOURCE_NONE, OUTCOME_SHARED_MM, false, 1001, NOTHING},
	{1003, 1000, "alice", "bash", "session-2.scope", "", SOURCE_SMAPS, OUTCOME_MEASURED, false, 0,
		1500, 1200, 5000, 0, 0, 0, 0},
	/* A program name that imitates a sample line of another user's. */
	{2000, 1001, "bob", "x\",user=\"root\"} 1\\x0a# HELP\\", NO_UNIT, "", ROLLUP, true, 0,
		70000, 69999, 71000, 0, 0, 0, 0},
	{2001, 1001, "bob", "bash", "session-3.scope", "", ROLLUP, false, 0,
		1400, 1100, 5000, 0, 0, 0, 0},
	/* A name that the kernel cut at 15 bytes, within a UTF-8 character. */
	{2100, 1002, "小野", "数据库服务\xef\xbf\xbd", "数据库.service", "", ROLLUP, true, 0,
		30000, 30000, 30000, 0, 0, 0, 0},
	/* From a kernel that prints PSS but not SwapPss or Private_Hugetlb. */
	{2200, 1003, "carol", "\xef\xbf\xbd\xef\xbf\xbd(", "session-4.scope", "",
		SOURCE_SMAPS, OUTCOME_MEASURED, true, 0,
		900, 0, 3000, ABSENT, ABSENT, ABSENT, ABSENT},
	/* A uid without a user name. None of its processes could be measured. */
	{4242, 4242, "4242", "agent", "agent.service", "", SOURCE_RSS, OUTCOME_MALFORMED, false, 0,
		RSS(640)},
	{4243, 4242, "4242", "agent", "agent.service", "", SOURCE_NONE, OUTCOME_ERROR, false, 0, NOTHING},
	{5000, 1004, "dave", " leading and trailing ", "session-5.scope", "", ROLLUP, false, 0,
		64, 32, 256, 0, 0, 0, 0},
	{4194303, 1005, "erin", "last\\x0aline", "session-6.scope", "", ROLLUP, false, 0,
		128, 128, 128, 0, 0, 0, 0},
};
/* clang-format on */

/* Rows that have series of their own. All others are in "(other)". */
static const char *const exported_names[METRIC_OWNERS_END][8] = {
	[METRIC_USER] = {"root", "alice", "bob", "小野", "carol", "4242"},
	[METRIC_PROGRAM] = {"systemd", "firefox", "sshd", "swapper \\ \"x\"",
		"x\",user=\"root\"} 1\\x0a# HELP\\", "数据库服务\xef\xbf\xbd", "agent", "ended"},
	[METRIC_UNIT] = {"init.scope", "ssh.service", "user@1000.service", NO_UNIT,
		"dev-disk-by\\x2duuid.swap", "数据库.service", "agent.service"},
	[METRIC_USER_UNIT] = {OWNER_NONE, "app-firefox.scope"},
	[METRIC_SESSION] = {OWNER_NONE, "2", "4"},
	[METRIC_SLICE] = {"system.slice", "user-1000.slice", "-.slice"},
	[METRIC_MACHINE] = {OWNER_NONE, SAMPLE_MACHINE},
	[METRIC_POD] = {OWNER_NONE, SAMPLE_POD},
	[METRIC_CONTAINER] = {OWNER_NONE, SAMPLE_CONTAINER},
	[METRIC_GROUP] = {OWNER_NONE, "root", "users"},
	[METRIC_NAMEGROUP] = {OWNER_NONE, "a \"browser\""},
};

/* The row of an owner, or of the host, while its members are added up. */
struct group {
	char name[72];
	struct snapshot_scope row;
	uint64_t private_hugetlb, shared_hugetlb_max;
	bool is_unbounded; /* a member has neither PSS nor RSS */
	bool lacks_uss;    /* a member has a PSS but no USS */
};

struct groups {
	struct group group[GROUPS_MAX];
	size_t count;
};

static bool is_exported(enum metric_scope scope, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(exported_names[scope]); i++)
		if (exported_names[scope][i] && !strcmp(exported_names[scope][i], name))
			return true;
	return false;
}

/* Finds or makes the group NAME. The name is in the image once, and its processes refer to it. */
static struct group *group_of(struct builder *b, struct groups *groups, const char *name)
{
	struct group *g;

	for (size_t i = 0; i < groups->count; i++)
		if (!strcmp(groups->group[i].name, name))
			return &groups->group[i];
	if (groups->count == GROUPS_MAX)
		abort();
	g = &groups->group[groups->count++];
	*g = (struct group){0};
	snprintf(g->name, sizeof(g->name), "%s", name);
	g->row.name = builder_add_text(b, name, strlen(name));
	return g;
}

static void add_to(struct group *g, enum scope_quantity i, uint64_t value)
{
	ROW_SET(&g->row, i, g->row.q[i] + value);
}

static void add_if(struct group *g, enum scope_quantity to, const struct snapshot_process *p,
	enum process_quantity from)
{
	if (ROW_HAS(p, from))
		add_to(g, to, p->q[from]);
}

static enum scope_quantity unmeasured_quantity(enum process_outcome outcome)
{
	switch (outcome) {
	case OUTCOME_DENIED: return SCOPE_UNMEASURED_DENIED;
	case OUTCOME_MALFORMED: return SCOPE_UNMEASURED_MALFORMED;
	case OUTCOME_CHANGING: return SCOPE_UNMEASURED_CHANGING;
	case OUTCOME_BLOCKED: return SCOPE_UNMEASURED_BLOCKED;
	default: return SCOPE_UNMEASURED_ERROR;
	}
}

/* The quantity with the total RSS of the processes that the quantity COUNT counts. */
static enum scope_quantity rss_quantity(enum scope_quantity count)
{
	return count == SCOPE_UNMEASURED_BLOCKED
	               ? SCOPE_UNMEASURED_RSS_BLOCKED
	               : SCOPE_UNMEASURED_RSS_DENIED + (count - SCOPE_UNMEASURED_DENIED);
}

static void note_start(struct group *g, uint64_t start_ns)
{
	if (!ROW_HAS(&g->row, SCOPE_OLDEST_START) || g->row.q[SCOPE_OLDEST_START] > start_ns)
		ROW_SET(&g->row, SCOPE_OLDEST_START, start_ns);
}

static void add_member(struct group *g, const struct snapshot_process *p)
{
	add_to(g, SCOPE_PROCESSES, 1);
	add_if(g, SCOPE_THREADS, p, PROCESS_THREADS);
	note_start(g, p->q[PROCESS_START_TIME]);
	for (size_t i = 0; i < SUMS_REASONS; i++)
		add_to(g, sums_reason(i)->count, 0);
	if (p->outcome == OUTCOME_SHARED_MM)
		return;
	if (p->outcome != OUTCOME_MEASURED) {
		enum scope_quantity i = unmeasured_quantity((enum process_outcome)p->outcome);

		add_to(g, i, 1);
		if (ROW_HAS(p, PROCESS_PSS))
			add_to(g, rss_quantity(i), 0);
		else
			add_if(g, rss_quantity(i), p, PROCESS_RSS);
	}
	add_if(g, SCOPE_PSS, p, PROCESS_PSS);
	if (ROW_HAS(p, PROCESS_PSS))
		add_to(g, SCOPE_PSS_MEASURED, p->source == SOURCE_ESTIMATE ? 0 : p->q[PROCESS_PSS]);
	if (ROW_HAS(p, PROCESS_PSS))
		add_to(g, SCOPE_PSS_ESTIMATED,
			p->source == SOURCE_ESTIMATE ? p->q[PROCESS_PSS] : 0);
	if (ROW_HAS(p, PROCESS_PSS)) {
		bool is_guess = p->source == SOURCE_ESTIMATE && p->outcome == OUTCOME_MEASURED &&
		                !ROW_HAS(p, PROCESS_PSS_AGE);

		add_to(g, SCOPE_PSS_GUESSED, is_guess ? p->q[PROCESS_PSS] : 0);
		add_to(g, SCOPE_GUESSED, is_guess);
	}
	add_if(g, SCOPE_PSS_LOW, p, PROCESS_PSS_LOW);
	add_if(g, SCOPE_PSS_HIGH, p, ROW_HAS(p, PROCESS_PSS) ? PROCESS_PSS_HIGH : PROCESS_RSS);
	g->is_unbounded = g->is_unbounded || !ROW_HAS(p, PROCESS_RSS);
	add_if(g, SCOPE_USS, p, PROCESS_USS);
	g->lacks_uss = g->lacks_uss || (ROW_HAS(p, PROCESS_PSS) && !ROW_HAS(p, PROCESS_USS));
	add_if(g, SCOPE_RSS, p, PROCESS_RSS);
	add_if(g, SCOPE_SWAP_PSS, p, PROCESS_SWAP_PSS);
	add_if(g, SCOPE_VM_SWAP, p, PROCESS_VM_SWAP);
	add_if(g, SCOPE_PAGETABLE, p, PROCESS_VM_PTE);
	add_if(g, SCOPE_VM_SIZE, p, PROCESS_VM_SIZE);
	add_if(g, SCOPE_VM_HWM_GROWTH, p, PROCESS_VM_HWM_GROWTH);
	add_if(g, SCOPE_VM_SWAP_GROWTH, p, PROCESS_VM_SWAP_GROWTH);
	add_if(g, SCOPE_ANON_GROWTH, p, PROCESS_ANON_GROWTH);
	if (ROW_HAS(p, PROCESS_VM_HWM) && g->row.q[SCOPE_VM_HWM_MAX] <= p->q[PROCESS_VM_HWM])
		ROW_SET(&g->row, SCOPE_VM_HWM_MAX, p->q[PROCESS_VM_HWM]);
	if (ROW_HAS(p, PROCESS_PRIVATE_HUGETLB)) {
		g->private_hugetlb += p->q[PROCESS_PRIVATE_HUGETLB];
		if (g->shared_hugetlb_max < p->q[PROCESS_SHARED_HUGETLB])
			g->shared_hugetlb_max = p->q[PROCESS_SHARED_HUGETLB];
		ROW_SET(&g->row, SCOPE_HUGETLB, g->private_hugetlb + g->shared_hugetlb_max);
	}
}

static void set_kib(struct snapshot_process *p, enum process_quantity i, int64_t kib)
{
	if (kib != ABSENT)
		ROW_SET(p, i, (uint64_t)kib * KIB);
}

/* Quantities that every kernel prints in the status file of a process with memory. */
static void fill_status(struct snapshot_process *p, int64_t rss)
{
	set_kib(p, PROCESS_VM_HWM, rss + 100);
	set_kib(p, PROCESS_VM_PEAK, 4 * rss + 8);
	set_kib(p, PROCESS_VM_SIZE, 4 * rss);
	set_kib(p, PROCESS_VM_DATA, rss / 2);
	set_kib(p, PROCESS_VM_PTE, 64);
	set_kib(p, PROCESS_VM_LCK, 0);
	set_kib(p, PROCESS_VM_PIN, 0);
	set_kib(p, PROCESS_VM_STK, 132);
	set_kib(p, PROCESS_VM_EXE, 1000);
	set_kib(p, PROCESS_VM_LIB, 2000);
	set_kib(p, PROCESS_RSS_ANON, rss / 2);
	set_kib(p, PROCESS_RSS_FILE, rss - rss / 2);
	set_kib(p, PROCESS_RSS_SHMEM, 0);
	set_kib(p, PROCESS_VM_HWM_GROWTH, rss / 10);
	set_kib(p, PROCESS_VM_SWAP_GROWTH, rss / 100);
	set_kib(p, PROCESS_ANON_GROWTH, rss / 20);
	ROW_SET(p, PROCESS_THREADS, 1 + p->pid % 7);
	ROW_SET(p, PROCESS_ELAPSED, p->pid * NS_PER_SEC);
	ROW_SET(p, PROCESS_SEEN, p->pid * NS_PER_SEC / 2);
	/*
	 * The trend of memory: one row grows, one shrinks, the others were not seen for long
	 * enough.
	 */
	if (p->pid == 1000 || p->pid == 2000) {
		ROW_SET(p, PROCESS_ANON_SLOPE,
			metric_real_bits(p->pid == 1000 ? 4096.5 : -1e6 / 3));
		ROW_SET(p, PROCESS_ANON_SLOPE_ERROR, metric_real_bits(12.25));
	}
	if (p->pid == 1000) /* not exact as a double */
		ROW_SET(p, PROCESS_VM_SIZE, (UINT64_C(1) << 53) + 1);
}

static void fill_pss(struct snapshot_process *p, int64_t pss)
{
	set_kib(p, PROCESS_PSS, pss);
	set_kib(p, PROCESS_PSS_LOW, pss);
	ROW_SET(p, PROCESS_PSS_HIGH, (uint64_t)(pss + 1) * KIB - 1);
	if (p->source != SOURCE_ESTIMATE) {
		ROW_SET(p, PROCESS_PSS_AGE, p->pid % 1000 * NS_PER_USEC);
	} else if (p->pid == SAMPLE_ESTIMATED || p->pid == SAMPLE_BLOCKED) {
		ROW_SET(p, PROCESS_PSS_AGE, 271 * NS_PER_SEC);
	} else {
		ROW_SET(p, PROCESS_PSS_LOW, 0);
		ROW_SET(p, PROCESS_PSS_HIGH, p->q[PROCESS_RSS]);
	}
	if (p->source != SOURCE_ROLLUP)
		return;
	set_kib(p, PROCESS_PSS_ANON, pss / 2);
	set_kib(p, PROCESS_PSS_FILE, pss - pss / 2);
	set_kib(p, PROCESS_PSS_SHMEM, 0);
}

/* Returns the gid of M. The group of one user is unknown, as if the kernel did not print it. */
static uint32_t gid_of(const struct member *m)
{
	if (m->uid == SAMPLE_WITHOUT_GROUP)
		return OWNER_NO_ID;
	return m->uid ? SAMPLE_GID : 0;
}

/* Returns the parent of M: 1000 of 1001 to 1999, 2000 of 2001 to 2999, 1 of others; of 1 none. */
static uint32_t parent_of(const struct member *m)
{
	if (m->pid == 1)
		return 0;
	return m->pid < 3000 && m->pid % 1000 && m->pid > 1000 ? m->pid / 1000 * 1000 : 1;
}

static struct snapshot_process *add_process(struct builder *b, const struct member *m)
{
	struct snapshot_process *p = builder_add_process(b);

	if (!p)
		return NULL;
	p->pid = m->pid;
	p->uid = m->uid;
	p->gid = gid_of(m);
	p->ppid = parent_of(m);
	p->source = m->source;
	p->outcome = m->outcome;
	p->flags = m->exported ? PROCESS_EXPORTED : 0;
	p->mm_pid = m->mm_pid;
	set_kib(p, PROCESS_USS, m->uss);
	set_kib(p, PROCESS_RSS, m->rss);
	set_kib(p, PROCESS_SWAP_PSS, m->swap_pss);
	set_kib(p, PROCESS_VM_SWAP, m->vm_swap);
	set_kib(p, PROCESS_PRIVATE_HUGETLB, m->private_hugetlb);
	set_kib(p, PROCESS_SHARED_HUGETLB, m->shared_hugetlb);
	ROW_SET(p, PROCESS_START_TIME,
		SAMPLE_REALTIME_NS - 3600 * NS_PER_SEC + 10 * NS_PER_MSEC * m->pid);
	if (m->rss != ABSENT)
		fill_status(p, m->rss);
	if (m->pss != ABSENT)
		fill_pss(p, m->pss);
	return p;
}

struct tally {
	struct groups scope[METRIC_OWNERS_END]; /* the host is a group */
};

struct names {
	char session[16], slice[16];
	const char *of[OWNER_KINDS];
};

/* Cgroup paths of the units. One process is in a container of a pod, one in a machine. */
static void get_names(const struct member *m, struct names *ret)
{
	bool is_session = !strncmp(m->unit, "session-", 8), is_none = !strcmp(m->unit, NO_UNIT);
	bool is_users = is_session || !strncmp(m->unit, "user@", 5);

	const char *session = is_session ? m->unit + strlen("session-") : "";

	*ret = (struct names){0};
	snprintf(ret->session, sizeof(ret->session), "%.*s", (int)strcspn(session, "."), session);
	snprintf(ret->slice, sizeof(ret->slice), "user-%u.slice", m->uid);
	ret->of[OWNER_USER] = m->user;
	ret->of[OWNER_PROGRAM] = m->program;
	ret->of[OWNER_UNIT] = m->unit;
	ret->of[OWNER_USER_UNIT] = *m->user_unit ? m->user_unit : OWNER_NONE;
	ret->of[OWNER_SESSION] = is_session ? ret->session : OWNER_NONE;
	ret->of[OWNER_SLICE] = is_users                         ? ret->slice
	                       : is_none                        ? OWNER_NONE
	                       : !strcmp(m->unit, "init.scope") ? "-.slice"
	                                                        : "system.slice";
	ret->of[OWNER_GROUP] = m->uid == SAMPLE_WITHOUT_GROUP ? OWNER_NONE
	                       : m->uid                       ? "users"
	                                                      : "root";
	ret->of[OWNER_MACHINE] = m->pid == SAMPLE_IN_MACHINE ? SAMPLE_MACHINE : OWNER_NONE;
	ret->of[OWNER_POD] = m->pid == SAMPLE_IN_POD ? SAMPLE_POD : OWNER_NONE;
	ret->of[OWNER_CONTAINER] = m->pid == SAMPLE_IN_POD ? SAMPLE_CONTAINER : OWNER_NONE;
	ret->of[OWNER_NAMEGROUP] = !strcmp(m->program, "firefox") ? "a \"browser\""
	                           : !strcmp(m->program, "sshd")  ? "sshd"
	                                                          : OWNER_NONE;
}

/* The other quantities of an owner. */
static void add_details(struct builder *b, const struct member *m, enum metric_scope scope,
	struct snapshot_scope *row)
{
	if (scope == METRIC_USER)
		row->id = m->uid;
	if (scope == METRIC_GROUP)
		row->id = gid_of(m);
	if (scope == METRIC_CONTAINER)
		row->id = RUNTIME_CONTAINERD;
	if (scope == METRIC_CONTAINER && !row->above)
		row->above = builder_add_text(b, SAMPLE_POD, strlen(SAMPLE_POD));
	if ((scope == METRIC_SESSION || scope == METRIC_USER_UNIT) && !row->user)
		row->user = builder_add_text(b, m->user, strlen(m->user));
}

static int add_member_process(struct builder *b, const struct member *m, struct tally *tally)
{
	struct snapshot_process *p = add_process(b, m);
	struct names names;

	if (!p)
		return -ENOMEM;
	get_names(m, &names);
	add_member(group_of(b, &tally->scope[METRIC_HOST], ""), p);
	for (int scope = METRIC_USER; scope < METRIC_OWNERS_END; scope++) {
		const char *name = names.of[scope - METRIC_USER];
		struct group *g = group_of(b, &tally->scope[scope], name);

		p->owner[scope - METRIC_USER] = g->row.name;
		add_member(g, p);
		if (strcmp(name, OWNER_NONE) != 0 || scope == METRIC_GROUP)
			add_details(b, m, (enum metric_scope)scope, &g->row);
	}
	return 0;
}

static int add_more(
	struct builder *b, const struct sample_options *o, uint32_t i, struct tally *tally)
{
	uint64_t moved = (o->is_moving ? o->sequence % SAMPLE_CYCLE : 0) +
	                 o->sequence * i * o->growth_kib;
	char user[LABEL_MAX], program[LABEL_MAX];
	struct member m = {
		.pid = SAMPLE_FIRST_MORE + i,
		.uid = 20000 + i % MORE_NAMES,
		.user = user,
		.program = program,
		.unit = "more.service",
		.user_unit = "",
		.source = SOURCE_ROLLUP,
		.outcome = OUTCOME_MEASURED,
		.exported = i < o->exported,
		.pss = 1000 + i % 977 + moved,
		.uss = 500 + i % 500,
		.rss = 3000 + i % 977 + moved,
	};

	snprintf(user, sizeof(user), "user%u", m.uid);
	snprintf(program, sizeof(program), "program-%u", i / 7 % MORE_NAMES);
	return add_member_process(b, &m, tally);
}

static void make_older(struct builder *b, uint64_t older_ns)
{
	for (uint32_t i = 0; i < builder_process_count(b); i++) {
		struct snapshot_process *p = builder_process(b, i);

		if (ROW_HAS(p, PROCESS_SEEN)) {
			p->q[PROCESS_SEEN] += older_ns;
			p->q[PROCESS_ELAPSED] += older_ns;
		}
	}
}

/*
 * In ascending order of pids: the last row of the table has a larger pid than the processes of
 * .more.
 */
static int add_processes(struct builder *b, const struct sample_options *o, struct tally *tally)
{
	uint32_t more = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < SAMPLE_PROCESSES; i++) {
		struct member m = members[i];

		m.exported = m.exported && !o->is_unexported;
		if (o->is_estimated && (m.pid == SAMPLE_ESTIMATED || m.pid == SAMPLE_GUESSED))
			m.source = SOURCE_ESTIMATE;
		if (o->is_estimated && m.pid == SAMPLE_GUESSED)
			m.uss = ABSENT; /* a process that was never measured has no quantities */
		if (o->is_blocked && m.pid == SAMPLE_BLOCKED) {
			m.source = SOURCE_ESTIMATE;
			m.outcome = OUTCOME_BLOCKED;
		}
		while (r == 0 && more < o->more && m.pid > SAMPLE_FIRST_MORE + more)
			r = add_more(b, o, more++, tally);
		if (r == 0 && !(o->is_measured && m.outcome != OUTCOME_MEASURED &&
				      m.outcome != OUTCOME_SHARED_MM))
			r = add_member_process(b, &m, tally);
	}
	make_older(b, o->older_ns);
	return r;
}

/* Quantities of complete groups, including counters with the share of former members. */
static void finish(struct snapshot_scope *row, const struct group *g)
{
	uint64_t pss = ROW_HAS(row, SCOPE_PSS) ? row->q[SCOPE_PSS] : 0;

	ROW_SET(row, SCOPE_PSS_BYTE_SECONDS, metric_real_bits((double)pss * 123.456));
	for (size_t i = 0; i < SUMS_REASONS; i++)
		if (!row->q[sums_reason(i)->count])
			ROW_SET(row, rss_quantity(sums_reason(i)->count), 0);
	if (g->is_unbounded)
		row->present &= ~(UINT64_C(1) << SCOPE_PSS_HIGH);
	if (g->lacks_uss)
		row->present &= ~(UINT64_C(1) << SCOPE_USS);
	row->created_ns = SAMPLE_REALTIME_NS - 3600 * NS_PER_SEC;
}

static int add_group(struct builder *b, enum metric_scope scope, const struct group *g)
{
	struct snapshot_scope *row = builder_add_scope(b, scope);

	if (!row)
		return -ENOMEM;
	*row = g->row;
	finish(row, g);
	return 0;
}

static void add_to_other(struct group *other, const struct group *g)
{
	for (int i = 0; i < SCOPE_QUANTITIES; i++) {
		if (!ROW_HAS(&g->row, i) || i == SCOPE_HUGETLB || i == SCOPE_VM_HWM_MAX ||
			i == SCOPE_OLDEST_START)
			continue;
		add_to(other, (enum scope_quantity)i, g->row.q[i]);
	}
	if (ROW_HAS(&g->row, SCOPE_VM_HWM_MAX) &&
		other->row.q[SCOPE_VM_HWM_MAX] <= g->row.q[SCOPE_VM_HWM_MAX])
		ROW_SET(&other->row, SCOPE_VM_HWM_MAX, g->row.q[SCOPE_VM_HWM_MAX]);
	if (ROW_HAS(&g->row, SCOPE_OLDEST_START))
		note_start(other, g->row.q[SCOPE_OLDEST_START]);
	other->is_unbounded = other->is_unbounded || g->is_unbounded;
	other->lacks_uss = other->lacks_uss || g->lacks_uss;
	if (ROW_HAS(&g->row, SCOPE_HUGETLB)) {
		other->private_hugetlb += g->private_hugetlb;
		if (other->shared_hugetlb_max < g->shared_hugetlb_max)
			other->shared_hugetlb_max = g->shared_hugetlb_max;
		ROW_SET(&other->row, SCOPE_HUGETLB,
			other->private_hugetlb + other->shared_hugetlb_max);
	}
}

/*
 * A program without processes since the last one exited. Its row stays for an hour, so that
 * increase() loses nothing.
 */
static void add_ended(struct builder *b, struct groups *programs)
{
	struct group *g = group_of(b, programs, "ended");

	for (int i = 0; i < SCOPE_PSS_BYTE_SECONDS; i++)
		if (i != SCOPE_VM_HWM_MAX)
			ROW_SET(&g->row, i, 0);
	ROW_SET(&g->row, SCOPE_ANON_GROWTH, 0);
	ROW_SET(&g->row, SCOPE_VM_SIZE, 0);
	ROW_SET(&g->row, SCOPE_THREADS, 0);
}

/* Charges of some cgroups, in KiB. Not every kernel prints all of them. */
static const struct {
	enum metric_scope scope;
	const char *name;
	int64_t kib[SCOPE_CGROUP_SWAP - SCOPE_CGROUP + 1];
} charges[] = {
	{METRIC_UNIT, "ssh.service", {9216, 4096, 3072, 0, 1024, 0}},
	{METRIC_UNIT, "user@1000.service", {700000, 450000, 240000, 20000, 9000, 2048}},
	{METRIC_USER_UNIT, "app-firefox.scope", {600000, 440000, 150000, 20000, ABSENT, ABSENT}},
	{METRIC_SESSION, "2", {5000, 1600, 3000, 100, 300, 0}},
	{METRIC_SLICE, "user-1000.slice", {720001, 452000, 250000, 20100, 9300, 2048}},
	{METRIC_POD, SAMPLE_POD, {80000, 30000, 40000, ABSENT, ABSENT, 0}},
	{METRIC_CONTAINER, SAMPLE_CONTAINER, {78000, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT}},
};

/* The kernel's counters of some cgroups. Version 1 has neither high events nor pressure. */
static const struct {
	enum metric_scope scope;
	const char *name;
	int64_t q[SCOPE_CGROUP_MAX_EVENTS - SCOPE_OOM_KILLS + 1];
} counters[] = {
	{METRIC_UNIT, "ssh.service", {0, 1500000, 1000000, 10 * (1 << 20), 0, 0}},
	{METRIC_UNIT, "user@1000.service", {2, ABSENT, ABSENT, 800 * (1 << 20), ABSENT, 17}},
	{METRIC_SLICE, "user-1000.slice", {3, 2500000000, 70000, 900 * (1 << 20), 5, 18}},
	{METRIC_CONTAINER, SAMPLE_CONTAINER, {1, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT}},
};

static void add_counters(enum metric_scope scope, struct group *g)
{
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
		if (counters[i].scope != scope || strcmp(counters[i].name, g->name) != 0)
			continue;
		for (unsigned int k = 0; k < ARRAY_SIZE(counters[i].q); k++)
			if (counters[i].q[k] != ABSENT)
				ROW_SET(&g->row, SCOPE_OOM_KILLS + k, (uint64_t)counters[i].q[k]);
	}
}

static void add_charge(enum metric_scope scope, struct group *g)
{
	for (size_t i = 0; i < ARRAY_SIZE(charges); i++) {
		if (charges[i].scope != scope || strcmp(charges[i].name, g->name) != 0)
			continue;
		for (unsigned int k = 0; k < ARRAY_SIZE(charges[i].kib); k++)
			if (charges[i].kib[k] != ABSENT)
				ROW_SET(&g->row, SCOPE_CGROUP + k,
					(uint64_t)charges[i].kib[k] * KIB);
		ROW_SET(&g->row, SCOPE_CGROUP_AGE, (1 + i) * NS_PER_SEC / 4);
	}
}

static int add_scopes(struct builder *b, enum metric_scope scope, struct groups *groups)
{
	struct group other = {.name = "(other)", .row = {.flags = SCOPE_OTHER}};
	int r = 0;

	other.row.name = builder_add_text(b, other.name, strlen(other.name));
	for (size_t i = 0; r == 0 && i < groups->count; i++) {
		struct group *g = &groups->group[i];

		if (is_exported(scope, g->name))
			g->row.flags = SCOPE_EXPORTED;
		else
			add_to_other(&other, g);
		add_charge(scope, g); /* "(other)" has none */
		add_counters(scope, g);
		r = add_group(b, scope, g);
	}
	return r == 0 ? add_group(b, scope, &other) : r;
}

static int add_host(struct builder *b, const struct groups *host)
{
	struct snapshot_scope *row = builder_add_scope(b, METRIC_HOST);

	if (!row)
		return -ENOMEM;
	*row = host->group[0].row;
	finish(row, &host->group[0]);
	ROW_SET(row, SCOPE_MEM_TOTAL, UINT64_C(16384000) * KIB);
	ROW_SET(row, SCOPE_MEM_AVAILABLE, UINT64_C(8000001) * KIB);
	ROW_SET(row, SCOPE_NAMING_FAILURES, 3);
	ROW_SET(row, SCOPE_OOM_KILLS, 4);
	ROW_SET(row, SCOPE_MEMORY_WAITING, UINT64_C(3333000));
	ROW_SET(row, SCOPE_MEMORY_STALLED, UINT64_C(1111000));
	return 0;
}

static int add_self(struct builder *b, const struct sample_options *options)
{
	static const uint64_t buckets[HISTOGRAM_BUCKETS] = {0, 0, 1, 30, 9, 0, 0, 1, [15] = 1};
	struct snapshot_self *self = builder_add_self(b);
	struct snapshot_histogram *h = builder_add_histogram(b), *errors, *holds;

	if (!self || !h)
		return -ENOMEM;
	self->version = builder_add_text(b, "1.2.3", 5);
	self->flags = SELF_CAP_SYS_PTRACE | SELF_READS_FOREIGN | SELF_COMPARES_MM |
	              (options->by_login ? SELF_USERS_BY_LOGIN : 0U);
	if (options->is_hidden)
		self->flags |= SELF_PROC_HIDDEN;
	if (options->is_restricted)
		self->flags |= SELF_PROC_RESTRICTED;
	for (int i = 0; i < SELF_QUANTITIES; i++)
		ROW_SET(self, i, 100 + (uint64_t)i);
	ROW_SET(self, SELF_LAST_PASS_DURATION, UINT64_C(12345678));
	ROW_SET(self, SELF_CPU, UINT64_C(3000000001));
	ROW_SET(self, SELF_START_TIME, SAMPLE_REALTIME_NS - 3600 * NS_PER_SEC);
	ROW_SET(self, SELF_BUDGET_CPU, metric_real_bits(0.01));
	ROW_SET(self, SELF_BUDGET_NEEDED, metric_real_bits(0.00625));
	if (options->is_exact)
		self->present &= ~(UINT64_C(1) << SELF_BUDGET_CPU);
	ROW_SET(self, SELF_MEMORY_PRESSURE, metric_real_bits(0.125));
	ROW_SET(self, SELF_BUDGET_STALL, 20 * NS_PER_MSEC);
	ROW_SET(self, SELF_WALKS_DISTURB, 1);
	ROW_SET(self, SELF_CPU_RECENT, metric_real_bits(0.0078125));
	ROW_SET(self, SELF_OUTCOME_BLOCKED, options->is_blocked);
	ROW_SET(self, SELF_BLOCKED_READS, options->is_blocked ? 2 : 0);
	ROW_SET(self, SELF_BLOCKED_OLDEST, options->is_blocked ? 1320 * NS_PER_SEC : 0);
	h->id = HISTOGRAM_PASS_DURATION;
	memcpy(h->bucket, buckets, sizeof(buckets));
	h->count = 42;
	h->sum_ns = UINT64_C(98765432100);
	errors = builder_add_histogram(b);
	if (!errors)
		return -ENOMEM;
	errors->id = HISTOGRAM_ESTIMATE_ERROR;
	errors->bucket[0] = errors->count = 7;
	errors->sum_ns = 12345;
	holds = builder_add_histogram(b);
	if (!holds)
		return -ENOMEM;
	holds->id = HISTOGRAM_HOLD;
	holds->bucket[2] = 5;
	holds->bucket[9] = 1;
	holds->count = 6;
	holds->sum_ns = UINT64_C(31000000);
	return 0;
}

/* Lines that the kernel does not print are absent. The residual is computed and is negative. */
static int add_balance(struct builder *b)
{
	struct snapshot_balance *row = builder_add_balance(b);

	if (!row)
		return -ENOMEM;
	for (unsigned int i = 0; i < BALANCE_LINES; i++)
		if (i != BALANCE_PSS_UNSPLIT && i != BALANCE_MEMMAP)
			ROW_SET(row, i, (uint64_t)(1000 + i) * 4 * KIB);
	ROW_SET(row, BALANCE_PSS_DRIVER, 2048 * KIB);
	ROW_SET(row, BALANCE_FREE, UINT64_C(16384000) * KIB);
	ROW_SET(row, BALANCE_RESIDUAL, UINT64_C(16384000) * KIB - balance_sum(row));
	ROW_SET(row, BALANCE_RESIDUAL_LOW, row->q[BALANCE_RESIDUAL] - 5 * KIB);
	ROW_SET(row, BALANCE_RESIDUAL_HIGH, row->q[BALANCE_RESIDUAL] + 7 * KIB);
	ROW_SET(row, BALANCE_RESIDUAL_PROCESSES, 3 * KIB);
	ROW_SET(row, BALANCE_SWAP_PROCESSES, 1152 * KIB);
	ROW_SET(row, BALANCE_SWAP_SYSV, 8 * KIB);
	ROW_SET(row, BALANCE_SWAP_UNKNOWN, (uint64_t)-4096);
	ROW_SET(row, BALANCE_SWAP_FREE, 1000000 * KIB);
	ROW_SET(row, BALANCE_TMPFS_UNREAD, 1);
	ROW_SET(row, BALANCE_DIRECTORIES_UNREAD, 0);
	ROW_SET(row, BALANCE_DRIVER_UNREAD, 512 * KIB);
	ROW_SET(row, BALANCE_MAP_COUNTS_EXACT, 1);
	return 0;
}

static struct snapshot_holding *add_holding(
	struct builder *b, enum holding_kind kind, const char *name, uint32_t id)
{
	struct snapshot_holding *row = builder_add_holding(b);

	if (!row)
		return NULL;
	row->kind = kind;
	row->id = id;
	row->name = builder_add_text(b, name, strlen(name));
	return row;
}

static int add_holdings(struct builder *b)
{
	struct snapshot_holding *row = add_holding(b, HOLDING_SHMEM, "alice", 1000);

	if (!row)
		return -ENOMEM;
	for (unsigned int i = 0; i < SHMEM_QUANTITIES; i++)
		ROW_SET(row, i, (uint64_t)(i + 1) * 4 * KIB);
	row = add_holding(b, HOLDING_SHMEM, "(other)", OWNER_NO_ID);
	if (!row)
		return -ENOMEM;
	ROW_SET(row, SHMEM_SYSV, 4 * KIB);
	row = add_holding(b, HOLDING_TMPFS, "/mnt/\"a b\\", 0);
	if (!row)
		return -ENOMEM;
	ROW_SET(row, TMPFS_USED, 64 * KIB);
	ROW_SET(row, TMPFS_OWNED, 8 * KIB);
	return 0;
}

/* A file of the table below. Quantities in KiB; ABSENT: the kernel does not print it. */
struct mapped {
	const char *path;
	uint32_t flags, major, minor;
	uint64_t inode;
	int64_t processes, users, mappings, kib[FILE_SWAP - FILE_RESIDENT + 1];
};

/* clang-format off */
static const struct mapped files[SAMPLE_FILES] = {
	{"/usr/lib/libc.so.6", FILE_EXECUTABLE, 0xfe, 1, 131, 14, 7, 70, {1800, 1968, 21000, 168, 12}},
	{"/usr/lib/firefox/\"libxul\".so", FILE_EXECUTABLE | FILE_DELETED, 0xfe, 1, UINT64_MAX, 3, 1, 12,
		{90000, 99000, 180000, 9000, 0}},
	{"memfd:数据", 0, 0, 1, 1037, 2, 2, 2, {4096, 4096, 8192, 0, ABSENT}},
	{"/srv/data/\\x0a", 0, 8, 0x21, 12, 1, 1, 1, {ABSENT, 512, 512, ABSENT, ABSENT}},
	{"/tmp/scratch", FILE_DELETED, 0, 0x2d, 3, 1, 1, 1, {64, 64, 64, 0, 0}},
};
/* clang-format on */

static int add_file(struct builder *b, const struct mapped *f)
{
	struct snapshot_file *row = builder_add_file(b);

	if (!row)
		return -ENOMEM;
	row->path = builder_add_text(b, f->path, strlen(f->path));
	row->flags = f->flags;
	row->major = f->major;
	row->minor = f->minor;
	row->inode = f->inode;
	ROW_SET(row, FILE_PROCESSES, (uint64_t)f->processes);
	ROW_SET(row, FILE_USERS, (uint64_t)f->users);
	ROW_SET(row, FILE_MAPPINGS, (uint64_t)f->mappings);
	for (size_t i = 0; i < ARRAY_SIZE(f->kib); i++)
		if (f->kib[i] != ABSENT)
			ROW_SET(row, FILE_RESIDENT + i, (uint64_t)f->kib[i] * KIB);
	return 0;
}

static int add_files(struct builder *b, const struct sample_options *options)
{
	struct snapshot_survey *survey = options->is_unsurveyed ? NULL : builder_add_survey(b);
	int r = 0;

	if (options->is_unsurveyed)
		return 0;
	if (!survey)
		return -ENOMEM;
	for (unsigned int i = 0; i < SURVEY_QUANTITIES; i++)
		ROW_SET(survey, i, 10 + (uint64_t)i);
	ROW_SET(survey, SURVEY_AGE, 1234 * NS_PER_SEC);
	ROW_SET(survey, SURVEY_DURATION, UINT64_C(62500000000));
	ROW_SET(survey, SURVEY_CPU, UINT64_C(1625000000));
	survey->present &= ~(UINT64_C(1) << SURVEY_SWAP);
	for (size_t i = 0; r == 0 && i < SAMPLE_FILES; i++)
		r = add_file(b, &files[i]);
	return r;
}

int sample_add(struct builder *b, const struct sample_options *options)
{
	AUTO_FREE struct tally *tally = calloc(1, sizeof(*tally));
	int r;

	if (!tally)
		return -ENOMEM;
	r = add_processes(b, options, tally);
	add_ended(b, &tally->scope[METRIC_PROGRAM]);
	for (int scope = METRIC_USER; r == 0 && scope < METRIC_OWNERS_END; scope++)
		r = add_scopes(b, (enum metric_scope)scope, &tally->scope[scope]);
	if (r == 0)
		r = add_host(b, &tally->scope[METRIC_HOST]);
	if (r == 0)
		r = add_balance(b);
	if (r == 0)
		r = add_holdings(b);
	if (r == 0)
		r = add_files(b, options);
	return r == 0 ? add_self(b, options) : r;
}

static uint64_t or_default(uint64_t value, uint64_t fallback)
{
	return value ? value : fallback;
}

int sample_seal(const struct sample_options *options, int *ret_fd)
{
	static const struct sample_options defaults;
	const struct sample_options *o = options ? options : &defaults;
	CLEANUP(builder_done) struct builder b = {0};
	struct image_header head = {
		.sequence = or_default(o->sequence, SAMPLE_SEQUENCE),
		.flags = (o->is_public ? IMAGE_PUBLIC : 0) | (o->is_brief ? IMAGE_PRESSURE : 0) |
	                 (o->is_measured && !o->is_hidden ? IMAGE_COMPLETE : 0),
		.realtime_ns = or_default(o->realtime_ns, SAMPLE_REALTIME_NS),
		.boottime_ns = or_default(o->boottime_ns, SAMPLE_BOOTTIME_NS),
		.interval_ns = or_default(o->interval_ns, SAMPLE_INTERVAL_NS),
		.userns = or_default(o->userns, USERNS_INITIAL),
	};
	int r;

	for (unsigned int i = 0; i < IMAGE_INSTANCE_SIZE; i++)
		head.instance[i] = (uint8_t)i;
	head.stale_ns = head.boottime_ns + 3 * head.interval_ns;
	head.pass_begin_ns = head.boottime_ns - 12 * NS_PER_MSEC;
	builder_begin(&b);
	r = sample_add(&b, o);
	return r == 0 ? builder_seal(&b, &head, ret_fd) : r;
}

int sample_send(int socket, const struct sample_options *options)
{
	AUTO_CLOSE int fd = -1;
	int r = sample_seal(options, &fd);

	return r < 0 ? r : channel_send_fd(socket, fd);
}

struct view *sample_open(const struct sample_options *options)
{
	const char *reason = "cannot be built";
	struct view *view = NULL;
	AUTO_CLOSE int fd = -1;
	int r = sample_seal(options, &fd);

	if (r == 0)
		r = view_open(fd, &view, &reason);
	if (r == 0)
		return view;
	fprintf(stderr, "sample: %s: %s\n", reason, strerror(-r));
	exit(99);
}
