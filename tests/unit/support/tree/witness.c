/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/tree/witness.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/buffer.h"
#include "tests/unit/support/snapshot/walk.h"
#include "tests/unit/support/tree/cast.h"

/* Processes in addition to the cast that are read in the same way. */
static const struct tree_process others[] = {
	{.pid = 31, /* comm cut at 15 bytes */
		.name = "a-rather-long-n",
		.exe = "/usr/bin/a-rather-long-name",
		.rss_kib = 600,
		.pss_kib = 500,
		.uss_kib = 400},
	{.pid = 40, .name = "zombie", .state = 'Z'},
};

/* The process that grows, so that it is measured again. */
enum { GROWS = 4, GROWING = 12, GROWN_KIB = 4000 };

static const struct tree_process dead_leader = {
	.pid = 20, .name = "leaderless", .state = 'Z', .threads = 2};
static const struct tree_process live_thread = {.pid = 20,
	.name = "leaderless",
	.threads = 2,
	.rss_kib = 3000,
	.pss_kib = 2500,
	.uss_kib = 2000};
static const struct tree_process without_rollup = {
	.pid = 30, .name = "old-kernel", .rss_kib = 6000, .pss_kib = 4000, .uss_kib = 2000};

/* LISTED: all processes. MEMBERS: without the kernel thread and the zombie. */
enum { LISTED = CAST_SIZE + ARRAY_SIZE(others) + 2, MEMBERS = LISTED - 2 };

#define FOLDER "hierarchy" /* the cgroup hierarchy */

/* Charges of the owners, in bytes. Other owners are in cgroups without the memory controller. */
static const struct {
	enum metric_scope scope;
	const char *name, *path;
	uint64_t total;
} charged[] = {
	{METRIC_UNIT, "ssh.service", "/system.slice/ssh.service", 1001},
	{METRIC_SLICE, "system.slice", "/system.slice", 1002},
	{METRIC_UNIT, "session-2.scope", "/user.slice/user-1000.slice/session-2.scope", 1003},
	{METRIC_SESSION, "2", "/user.slice/user-1000.slice/session-2.scope", 1003},
	{METRIC_USER_UNIT, "app-1.scope",
		"/user.slice/user-1001.slice/user@1001.service/app.slice/app-1.scope", 1004},
};

static void write_charges(const struct tree *t)
{
	char path[192], text[32];

	tree_write(t, FOLDER "/cgroup.controllers", "cpu memory\n");
	for (size_t i = 0; i < ARRAY_SIZE(charged); i++) {
		snprintf(path, sizeof(path), FOLDER "%s/memory.current", charged[i].path);
		snprintf(text, sizeof(text), "%llu\n", (unsigned long long)charged[i].total);
		tree_write(t, path, text);
		snprintf(path, sizeof(path), FOLDER "%s/memory.stat", charged[i].path);
		tree_write(t, path, "anon 7\nfile 8\nshmem 9\n");
		snprintf(path, sizeof(path), FOLDER "%s/memory.events", charged[i].path);
		tree_write(t, path, "high 5\nmax 6\noom_kill 3\n");
		snprintf(path, sizeof(path), FOLDER "%s/memory.peak", charged[i].path);
		tree_write(t, path, "2000\n");
		snprintf(path, sizeof(path), FOLDER "%s/memory.pressure", charged[i].path);
		tree_write(t, path,
			"some avg10=0.00 avg60=0.00 avg300=0.00 total=11\n"
			"full avg10=0.00 avg60=0.00 avg300=0.00 total=10\n");
	}
}

void witness_mount(const struct tree *t, struct memcg_mount *fs)
{
	AUTO_BUFFER struct buffer text = {0};
	AUTO_FREE char *here = realpath(t->path, NULL);
	struct stat st;

	assert_non_null(here);
	assert_int_equal(fstat(t->fd, &st), 0);
	buffer_printf(&text, "3 2 %u:%u / %s/" FOLDER " rw - cgroup2 x rw\n", major(st.st_dev),
		minor(st.st_dev), here);
	assert_int_equal(memcg_mount_find(fs, text.data, text.len), 0);
	assert_true(memcg_mount_is_found(fs));
}

static void write_statm(const struct tree *t, const struct tree_process *p)
{
	char path[32], text[96];

	snprintf(path, sizeof(path), "%d/statm", p->pid);
	snprintf(text, sizeof(text), "%llu %llu %llu 0 0 0 0\n",
		(unsigned long long)p->rss_kib * 3 / 4, (unsigned long long)p->rss_kib / 4,
		(unsigned long long)(p->rss_kib - p->uss_kib) / 4);
	tree_write(t, path, text);
}

static void add(const struct tree *t, const struct tree_process *p)
{
	tree_add(t, p);
	write_statm(t, p);
}

void witness_grow(const struct tree *t, bool is_grown)
{
	struct tree_process p = cast[GROWS];

	assert_int_equal(p.pid, GROWING);
	if (is_grown) {
		p.rss_kib += GROWN_KIB;
		p.pss_kib += GROWN_KIB;
		p.uss_kib += GROWN_KIB;
		p.hwm_kib = p.rss_kib;
	}
	add(t, &p);
}

void witness_populate(const struct tree *t)
{
	tree_write(t, "stat", "cpu  1 2 3\nbtime 1700000000\n");
	tree_write(t, "meminfo", "MemTotal: 1000000 kB\nMemAvailable: 600000 kB\n");
	tree_write(t, "vmstat", "pswpin 5\npswpout 7\n");
	write_charges(t);
	for (size_t i = 0; i < CAST_SIZE; i++)
		add(t, &cast[i]);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		add(t, &others[i]);
	add(t, &dead_leader);
	tree_add_at(t, "20/task/20", &dead_leader);
	tree_add_at(t, "20/task/21", &live_thread);
	tree_write(t, "20/task/21/statm", "2250 750 250 0 0 0 0\n");
	add(t, &without_rollup);
	tree_remove(t, "30/smaps_rollup");
	tree_add_smaps(t, &without_rollup);
}

/* Finds PID among COUNT processes. Returns NULL if it is missing or has no memory. */
static const struct tree_process *find(
	const struct tree_process *process, size_t count, uint32_t pid)
{
	for (size_t i = 0; i < count; i++)
		if ((uint32_t)process[i].pid == pid && process[i].rss_kib)
			return &process[i];
	return NULL;
}

/* Returns the true values of PID, or NULL if it has no memory. */
static const struct tree_process *truth_of(uint32_t pid)
{
	const struct tree_process *found = find(cast, CAST_SIZE, pid);

	if (pid == 20)
		return &live_thread;
	if (pid == 30)
		return &without_rollup;
	return found ? found : find(others, ARRAY_SIZE(others), pid);
}

static const char *program_of(const struct tree_process *p)
{
	return p->exe ? strrchr(p->exe, '/') + 1 : p->name;
}

/* Formats a complaint into static memory. */
__attribute__((format(printf, 1, 2))) static const char *wrong(const char *format, ...)
{
	static char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return text;
}

#define JUDGE(condition)                                                                           \
	do {                                                                                       \
		if (!(condition))                                                                  \
			return wrong("process %u: not " #condition, row->pid);                     \
	} while (0)

/* Whether BYTES are KIB, or, for the growing process, KIB plus its growth. */
static bool is_kib(const struct snapshot_process *row, uint64_t bytes, uint64_t kib)
{
	return bytes == kib * 1024 || (row->pid == GROWING && bytes == (kib + GROWN_KIB) * 1024);
}

static const char *judge_quantities(
	const struct snapshot_process *row, const struct tree_process *p)
{
	if (ROW_HAS(row, PROCESS_RSS))
		JUDGE(is_kib(row, row->q[PROCESS_RSS], p->rss_kib));
	if (ROW_HAS(row, PROCESS_VM_HWM))
		JUDGE(is_kib(row, row->q[PROCESS_VM_HWM], p->rss_kib));
	if (ROW_HAS(row, PROCESS_VM_SWAP))
		JUDGE(row->q[PROCESS_VM_SWAP] == p->swap_kib * 1024);
	if (ROW_HAS(row, PROCESS_VM_SWAP_GROWTH))
		JUDGE(row->q[PROCESS_VM_SWAP_GROWTH] == 0);
	if (ROW_HAS(row, PROCESS_VM_HWM_GROWTH))
		JUDGE(is_kib(row, row->q[PROCESS_VM_HWM_GROWTH], 0));
	return NULL;
}

static const char *judge_row(const struct view *view, const struct snapshot_process *row)
{
	const struct tree_process *p = truth_of(row->pid);
	uint64_t grown_kib = row->pid == GROWING ? GROWN_KIB : 0;
	const char *program = view_owner(view, row, OWNER_PROGRAM), *found;

	JUDGE(p != NULL);
	JUDGE(row->uid == p->uid);
	JUDGE(!strcmp(program, program_of(p)) || !strcmp(program, p->name));
	JUDGE(row->outcome == OUTCOME_BLOCKED ||
		ROW_HAS(row, PROCESS_PSS) == (row->outcome == OUTCOME_MEASURED));
	found = judge_quantities(row, p);
	if (found || row->outcome != OUTCOME_MEASURED)
		return found;
	if (row->source == SOURCE_ROLLUP || row->source == SOURCE_SMAPS) {
		JUDGE(is_kib(row, row->q[PROCESS_PSS], p->pss_kib));
		JUDGE(is_kib(row, row->q[PROCESS_USS], p->uss_kib));
		return NULL;
	}
	JUDGE(row->source == SOURCE_ESTIMATE);
	JUDGE(row->q[PROCESS_PSS_LOW] <= (p->pss_kib + grown_kib) * 1024);
	JUDGE(row->q[PROCESS_PSS_HIGH] >= p->pss_kib * 1024);
	return NULL;
}

/* SHOWN: rows by outcome. Each process must have a row or be in a count. */
static const char *judge_counts(const struct view *view, const uint64_t *shown)
{
	const struct snapshot_self *self = view_self(view);
	uint64_t listed = 0;

	for (unsigned int i = 0; i < OUTCOME_COUNT_; i++) {
		uint64_t counted = self->q[snapshot_outcome_count((enum process_outcome)i)];

		if (i == OUTCOME_MEASURED) /* adaptive passes: also estimated or guessed */
			counted += self->q[SELF_OUTCOME_ESTIMATED] + self->q[SELF_OUTCOME_GUESSED];
		listed += counted;
		if (counted < shown[i] || (i == OUTCOME_MEASURED && counted != shown[i]))
			return wrong("outcome %u: %llu counted, %llu shown", i,
				(unsigned long long)counted, (unsigned long long)shown[i]);
	}
	return listed == LISTED ? NULL
	                        : wrong("%llu of %d counted", (unsigned long long)listed, LISTED);
}

/* Checks the charges of ROW of SCOPE: they are this owner's, and there are no others. */
static const char *judge_charge(
	const struct view *view, enum metric_scope scope, const struct snapshot_scope *row)
{
	const char *name = view_text(view, row->name);

	for (size_t i = 0; i < ARRAY_SIZE(charged); i++)
		if (charged[i].scope == scope && !strcmp(charged[i].name, name))
			return (!ROW_HAS(row, SCOPE_CGROUP) ||
				       row->q[SCOPE_CGROUP] == charged[i].total) &&
			                       (!ROW_HAS(row, SCOPE_CGROUP_FILE) ||
						       row->q[SCOPE_CGROUP_FILE] == 8) &&
			                       (!ROW_HAS(row, SCOPE_OOM_KILLS) ||
						       row->q[SCOPE_OOM_KILLS] == 3) &&
			                       (!ROW_HAS(row, SCOPE_MEMORY_STALLED) ||
						       row->q[SCOPE_MEMORY_STALLED] == 10000)
			               ? NULL
			               : wrong("%s is charged wrongly", name);
	return wrong("%s is charged", name);
}

/* Bits of the quantities that cgroups are charged. */
#define CHARGE_BITS ((UINT64_C(1) << (SCOPE_CGROUP_SWAP + 1)) - (UINT64_C(1) << SCOPE_CGROUP))

static const char *judge_charges(const struct view *view)
{
	for (int scope = METRIC_HOST; scope < METRIC_OWNERS_END; scope++)
		for (uint32_t i = 0; i < view_count(view, (enum metric_scope)scope); i++) {
			const struct snapshot_scope *row = view_scope(
				view, (enum metric_scope)scope, i);
			const char *found = NULL;

			if (row->present & CHARGE_BITS)
				found = judge_charge(view, (enum metric_scope)scope, row);
			if (found)
				return found;
		}
	return NULL;
}

const char *witness_uncharged(const struct view *view)
{
	uint64_t read = 0;

	for (size_t i = 0; i < ARRAY_SIZE(charged); i++)
		for (uint32_t k = 0; k < view_count(view, charged[i].scope); k++) {
			const struct snapshot_scope *row = view_scope(view, charged[i].scope, k);

			if (strcmp(view_text(view, row->name), charged[i].name) != 0)
				continue;
			if (!ROW_HAS(row, SCOPE_CGROUP) || !ROW_HAS(row, SCOPE_CGROUP_ANON) ||
				!ROW_HAS(row, SCOPE_OOM_KILLS) ||
				!ROW_HAS(row, SCOPE_MEMORY_STALLED))
				return wrong("%s is not charged", charged[i].name);
			read++;
		}
	if (read != ARRAY_SIZE(charged) || view_self(view)->q[SELF_CHARGE_FIRST] != read)
		return wrong("%llu are charged", (unsigned long long)read);
	return NULL;
}

const char *witness_wrong(const struct view *view)
{
	const struct snapshot_scope *host = view_host(view);
	uint64_t shown[OUTCOME_COUNT_] = {0};
	const char *found = walk_view(view);

	if (!found)
		found = walk_sums(view);
	if (!found)
		found = judge_charges(view);
	if (found)
		return found;
	for (uint32_t i = 0; i < view_count(view, METRIC_PROCESS); i++) {
		const struct snapshot_process *row = view_process(view, i);

		found = judge_row(view, row);
		if (found)
			return found;
		shown[row->outcome]++;
	}
	if (view_is_complete(view) && shown[OUTCOME_MEASURED] != view_count(view, METRIC_PROCESS))
		return "the view claims to be complete";
	if (ROW_HAS(host, SCOPE_MEM_TOTAL) && host->q[SCOPE_MEM_TOTAL] != UINT64_C(1000000) * 1024)
		return "the host's memory";
	return judge_counts(view, shown);
}

const char *witness_missing(const struct view *view)
{
	if (!view_is_complete(view))
		return "the view is not complete";
	if (view_count(view, METRIC_PROCESS) != MEMBERS)
		return wrong("%u processes", view_count(view, METRIC_PROCESS));
	if (!ROW_HAS(view_host(view), SCOPE_MEM_TOTAL))
		return "the host's memory";
	for (uint32_t i = 0; i < MEMBERS; i++) {
		const struct snapshot_process *row = view_process(view, i);
		const struct tree_process *p = truth_of(row->pid);
		const char *cgroup = p && p->cgroup ? strrchr(p->cgroup, '/') + 1 : "(none)";

		JUDGE(p != NULL);
		JUDGE(ROW_HAS(row, PROCESS_PSS) && ROW_HAS(row, PROCESS_RSS));
		JUDGE(ROW_HAS(row, PROCESS_START_TIME));
		JUDGE(!strcmp(view_owner(view, row, OWNER_PROGRAM), program_of(p)));
		JUDGE(!strcmp(view_owner(view, row, OWNER_UNIT), cgroup) ||
			!strcmp(view_owner(view, row, OWNER_USER_UNIT), cgroup));
		JUDGE(row->uid != 0 || !strcmp(view_owner(view, row, OWNER_USER), "root"));
	}
	return NULL;
}
