/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/growth/growth-limits.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/os/file.h"
#include "base/scan.h"
#include "cli/growth/limit-text.h"
#include "collectors/procfs/cgroup/cgroup.h"
#include "collectors/procfs/cgroup/memcg-mount.h"
#include "snapshot/owner.h"

enum {
	TEXT_SIZE = 16384, /* of a file in /proc */
	PATH_SIZE = 4096,  /* of a cgroup */
	VALUE_SIZE = 32,   /* of a file of a cgroup: a number or "max" */
	/* Larger limits of cgroup v1 are none: it has the largest number of pages instead. */
	NO_LIMIT_SHIFT = 60,
};

/* The sources of limits. */
struct limits {
	const struct view *newest;
	int proc; /* the proc file system; -1: it cannot be read */
	struct memcg_mount mount;
};

/* Makes the limit NAME that of ROW if its ROOM is less than what is known. */
static void take_limit(struct growth_row *row, const char *name, uint64_t room)
{
	if (!row->limit.name || room < row->limit.room)
		row->limit = (struct growth_limit){name, room};
}

/* Reads the number in the file NAME of the cgroup at PATH below the mount. */
static bool read_amount(
	const struct memcg_mount *mount, const char *path, const char *name, uint64_t *ret)
{
	char file[PATH_SIZE + 64], value[VALUE_SIZE];
	struct scan s;
	size_t len;

	snprintf(file, sizeof(file), "%s/%s", *path ? path : ".", name);
	if (file_read(mount->fd, file, value, sizeof(value), &len) < 0)
		return false;
	s = (struct scan){value, value + len};
	return scan_decimal(&s, ret) && *ret >> NO_LIMIT_SHIFT == 0;
}

/* Takes the limits of the cgroup at PATH, which changes, and of all above it. */
static void take_cgroup(const struct limits *l, char *path, struct growth_row *row)
{
	bool is_unified = l->mount.version == MEMCG_STAT_V2;
	const char *root = l->mount.root ? l->mount.root : "";
	char *below = path;
	uint64_t most, now;

	if (*root && !strncmp(path, root, strlen(root)))
		below += strlen(root);
	for (;;) {
		while (*below == '/')
			below++;
		if (read_amount(&l->mount, below,
			    is_unified ? "memory.max" : "memory.limit_in_bytes", &most) &&
			read_amount(&l->mount, below,
				is_unified ? "memory.current" : "memory.usage_in_bytes", &now))
			take_limit(row, "memory.max", most > now ? most - now : 0);
		if (!*below)
			return;
		*(strrchr(below, '/') ? strrchr(below, '/') : below) = '\0';
	}
}

/* Reads the file NAME of PID into TEXT, at most TEXT_SIZE bytes. */
static bool read_proc(
	const struct limits *l, uint32_t pid, const char *name, char *text, size_t *ret_len)
{
	char path[64];

	snprintf(path, sizeof(path), "%u/%s", pid, name);
	return l->proc >= 0 && file_read(l->proc, path, text, TEXT_SIZE, ret_len) == 0;
}

/* Takes the limits of the cgroup that PID, or the owner ROW with the member PID, is in. */
static void take_cgroup_of(const struct limits *l, uint32_t pid, struct growth_row *row)
{
	bool is_unified = l->mount.version == MEMCG_STAT_V2, is_found;
	char text[TEXT_SIZE], path[PATH_SIZE];
	struct cgroup c;
	size_t len;

	if (l->mount.fd < 0 || !read_proc(l, pid, "cgroup", text, &len))
		return;
	if (row->scope == METRIC_PROCESS) {
		is_found = limit_text_parse_cgroup(text, len, is_unified, path, sizeof(path));
	} else {
		const struct cgroup_name *owner = &c.charged[metric_owner_kind(row->scope)];

		cgroup_parse(text, len, &c);
		is_found = owner->len > 0 && owner->len < sizeof(path);
		if (is_found)
			snprintf(path, sizeof(path), "%.*s", (int)owner->len, owner->text);
	}
	if (is_found)
		take_cgroup(l, path, row);
}

static void take_space(const struct limits *l, struct growth_row *row)
{
	const struct snapshot_process *p = view_process(l->newest, row->at);
	char text[TEXT_SIZE];
	uint64_t most;
	size_t len;

	if (!ROW_HAS(p, PROCESS_VM_SIZE) || !read_proc(l, row->pid, "limits", text, &len) ||
		!limit_text_parse_space(text, len, &most))
		return;
	take_limit(
		row, "RLIMIT_AS", most > p->q[PROCESS_VM_SIZE] ? most - p->q[PROCESS_VM_SIZE] : 0);
}

/* Returns a process of the owner ROW; 0: the snapshot shows none. */
static uint32_t member_of(const struct limits *l, const struct growth_row *row)
{
	enum owner_kind kind = metric_owner_kind(row->scope);
	const struct snapshot_scope *s = view_scope(l->newest, row->scope, row->at);
	const char *name = view_text(l->newest, s->name);

	for (uint32_t i = 0; i < view_count(l->newest, METRIC_PROCESS); i++) {
		const struct snapshot_process *p = view_process(l->newest, i);

		if (!strcmp(view_owner(l->newest, p, kind), name))
			return p->pid;
	}
	return 0;
}

static void find_limit(const struct limits *l, struct growth_row *row)
{
	const struct snapshot_scope *host = view_host(l->newest);

	if (ROW_HAS(host, SCOPE_MEM_AVAILABLE))
		take_limit(row, "MemAvailable", host->q[SCOPE_MEM_AVAILABLE]);
	if (row->scope == METRIC_PROCESS) {
		take_space(l, row);
		take_cgroup_of(l, row->pid, row);
	} else if (owner_of(metric_owner_kind(row->scope))->is_cgroup) {
		uint32_t pid = member_of(l, row);

		if (pid)
			take_cgroup_of(l, pid, row);
	}
}

void growth_limits_find(
	struct growth_rows *g, const struct view *newest, const struct settings *settings)
{
	AUTO_CLOSE int proc = open(settings->path_procfs, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct limits l = {.newest = newest, .proc = proc};

	memcg_mount_init(&l.mount);
	if (proc >= 0 && memcg_mount_look(&l.mount, proc) == 0)
		memcg_mount_open(&l.mount);
	for (size_t i = 0; i < g->rows; i++)
		if (g->row[i].is_judged && g->row[i].trend.verdict != TREND_NONE)
			find_limit(&l, &g->row[i]);
	memcg_mount_done(&l.mount);
}
