/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread-group leader that has exited while its threads live shows no memory under its own pid
 * (state Z, ESRCH for smaps_rollup). task/TID of a live thread shows all of it.
 */
#include "config.h"

#include "collectors/process/process-reading.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/number.h"
#include "base/os/file.h"
#include "collectors/process/fetch.h"
#include "collectors/process/program-name.h"

enum {
	LONG_TEXT_MAX = 4 << 20, /* status has up to 65536 supplementary groups */
	SMAPS_PIECE = 1 << 14,
	NOT_WALKED = -EINPROGRESS, /* no file in /proc returns this error */
};

/* Reads FILE below the directory of the process, or of its live thread, directly into RET. */
static int process_reading_read_all(struct process_reading *g, const char *file, struct buffer *ret)
{
	char path[PROCESS_PATH_SIZE];

	return file_read_all(g->dirfd, process_path(g->process, file, path), LONG_TEXT_MAX, ret);
}

static int process_reading_read_stat(
	struct process_reading *g, enum fetch_file file, struct stat_info *ret)
{
	struct process_reader *r = g->reader;
	size_t len;
	int e = fetch_text(r, g->process, g->dirfd, file, &len, &g->is_unproven);

	return e < 0 ? e : stat_parse(r->text, len, ret);
}

/* Notes ERROR, the result of a read of the leader's stat. START_TICKS is from it if there is none. */
static void note_leader_stat(struct process_reading *g, int error, const uint64_t *start_ticks)
{
	const struct process *p = g->process;

	g->is_stat_blocked = error == -ETIMEDOUT;
	/* Then everything read so far is of this process. */
	if (error == 0 && p->start_is_unique && p->stat.start_ticks == *start_ticks)
		g->is_unproven = false;
}

int process_reading_stat(struct process_reading *g, struct stat_info *ret)
{
	int e = process_reading_read_stat(g, FETCH_STAT, ret);

	note_leader_stat(g, e, &ret->start_ticks);
	return e;
}

int process_reading_activity(struct process_reading *g, struct stat_activity *ret)
{
	struct process_reader *r = g->reader;
	size_t len;
	int e = fetch_text(r, g->process, g->dirfd, FETCH_STAT, &len, &g->is_unproven);

	if (e == 0)
		e = stat_parse_activity(r->text, len, ret);
	note_leader_stat(g, e, &ret->start_ticks);
	return e;
}

int process_reading_image_stat(struct process_reading *g, struct stat_info *ret)
{
	bool is_dead = g->process->tid != 0;
	struct stat_info thread = {0};
	int e = is_dead ? process_reading_read_stat(g, FETCH_THREAD_STAT, &thread) : 0;

	if (process_reading_is_shortage(e))
		return e;
	if (e < 0)
		thread = (struct stat_info){0};
	e = process_reading_stat(g, ret); /* the last read proves both */
	if (e == 0 && is_dead && !ret->start_stack) {
		ret->start_code = thread.start_code;
		ret->start_stack = thread.start_stack;
	}
	return e;
}

static int process_reading_read_status(struct process_reading *g, struct status *ret)
{
	struct process_reader *r = g->reader;
	const char *text = r->text;
	size_t len;
	int e = fetch_text(r, g->process, g->dirfd, FETCH_STATUS, &len, &g->is_unproven);

	if (e == -EFBIG) {
		e = process_reading_read_all(g, "status", &r->long_text);
		text = r->long_text.data;
		len = r->long_text.len;
	}
	if (e < 0)
		return e;
	return len ? status_parse(text, len, ret) : -ESRCH;
}

/* An empty text is no measurement: the process may just have become a zombie. */
static int process_reading_read_rollup(struct process_reading *g)
{
	struct process_reader *r = g->reader;
	size_t len;
	int e = fetch_text(r, g->process, g->dirfd, FETCH_ROLLUP, &len, &g->is_unproven);

	if (e < 0)
		return e;
	if (!len)
		return -ESRCH;
	g->source = SOURCE_ROLLUP;
	return smaps_parse_rollup(r->text, len, &g->smaps);
}

/*
 * smaps may end early without an error if the process becomes a zombie or calls exec during the
 * reading. The caller's second reading of stat detects that.
 */
static int read_smaps(struct process_reading *g)
{
	struct process_reader *r = g->reader;
	AUTO_STREAM struct stream stream = STREAM_CLOSED;
	int e = fetch_stream(r, g->process, g->dirfd, FETCH_SMAPS, &stream);
	uint64_t begin_ns = clock_now_ns(CLOCK_MONOTONIC);
	bool is_empty = true;

	g->is_unproven = true;
	if (e < 0)
		return e;
	smaps_parser_init(&r->smaps);
	for (;;) {
		struct stream_piece piece;
		ssize_t n = fetch_read_stream(r, g->process, FETCH_SMAPS, &stream, r->text,
			SMAPS_PIECE, UINT64_MAX, &piece);

		if (n < 0)
			return (int)n;
		if (!n)
			break;
		is_empty = false;
		e = smaps_parser_feed(&r->smaps, r->text, (size_t)n);
		if (e < 0)
			return e;
	}
	if (is_empty)
		return -ESRCH;
	lock_hold_add(&r->holds, clock_now_ns(CLOCK_MONOTONIC) - begin_ns);
	g->source = SOURCE_SMAPS;
	return smaps_parser_end(&r->smaps, &g->smaps);
}

/* Whether the thread by which a dead leader is read has exited. */
static bool is_thread_gone(const struct process_reading *g)
{
	char path[PROCESS_PATH_SIZE];
	struct stat st;

	return g->process->tid &&
	       fstatat(g->dirfd, process_path(g->process, "status", path), &st, 0) < 0;
}

int process_reading_parent(struct process_reading *g, pid_t *ret)
{
	struct status status;
	int e = process_reading_read_status(g, &status);

	if (e == 0 && status.parent < 0)
		e = -ENODATA;
	if (e == 0)
		*ret = status.parent;
	return e;
}

void process_reading_walk(struct process_reading *g)
{
	g->source = SOURCE_RSS;
	g->error = NOT_WALKED;
	if (g->looks)
		return;
	if (g->walked) {
		g->smaps = *g->walked;
		g->source = SOURCE_SMAPS;
		g->error = 0;
		return;
	}
	g->error = process_reading_read_rollup(g);
	if (g->error == -ENOENT)
		g->error = read_smaps(g);
	if (g->error == -ENOENT && is_thread_gone(g))
		g->error = -ESRCH;
	if (g->error < 0)
		g->source = SOURCE_RSS;
}

/*
 * Checks whether thread TID shows memory. Returns 0, with its status in G and its tid in the
 * process; -ESRCH if it shows none; or an error for which process_reading_is_shortage() is true.
 */
static int try_thread(struct process_reading *g, pid_t tid)
{
	struct process *p = g->process;
	struct status status;
	int e;

	p->tid = tid;
	e = process_reading_read_status(g, &status);
	if (e < 0 || !status.has_mm) {
		p->tid = 0;
		return process_reading_is_shortage(e) ? e : -ESRCH;
	}
	/* Name and user stay those of the leader. */
	memcpy(status.name, g->status.name, sizeof(status.name));
	status.name_len = g->status.name_len;
	status.uid = g->status.uid;
	status.ruid = g->status.ruid;
	status.gid = g->status.gid;
	status.rgid = g->status.rgid;
	g->status = status;
	return 0;
}

/*
 * Finds a thread of the dead leader that still shows memory. Returns 0; -ESRCH if there is none; or
 * a negative errno of open().
 */
static int find_thread(struct process_reading *g)
{
	AUTO_CLOSE int fd = openat(g->dirfd, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSEDIR DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int e = -ESRCH;

	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	(void)TAKE_FD(fd); /* DIR owns it */
	while (e == -ESRCH && (entry = readdir(dir))) {
		uint64_t tid;

		if (number_parse_u64(entry->d_name, strlen(entry->d_name), &tid) == 0 &&
			tid <= INT32_MAX && (pid_t)tid != g->process->pid)
			e = try_thread(g, (pid_t)tid);
	}
	return e;
}

/*
 * Tries the thread by which the process was read last, then others; twice, since threads come and
 * go.
 */
static int find_any_thread(struct process_reading *g, pid_t last)
{
	int e = last ? try_thread(g, last) : -ESRCH;

	for (int i = 0; e == -ESRCH && i < PROCESS_READING_ATTEMPTS; i++)
		e = find_thread(g);
	return e == -ESRCH ? OUTCOME_CHANGING : e;
}

int process_reading_counters(struct process_reading *g)
{
	struct process *p = g->process;
	pid_t last = p->tid;
	int e;

	p->tid = 0;
	e = process_reading_read_status(g, &g->status);
	if (e < 0)
		return e;
	if (g->status.has_mm)
		return 0;
	if (g->status.state != 'Z' || g->status.threads <= 1)
		return OUTCOME_NO_MM;
	return find_any_thread(g, last);
}

int process_reading_program(struct process_reading *g, struct sample *ret)
{
	struct process_reader *r = g->reader;
	size_t len = 0;
	int e = fetch_text(r, g->process, g->dirfd, FETCH_EXE, &len, &g->is_unproven);

	/* The next look treats it as a new image, and asks again. */
	if (e == -ETIMEDOUT)
		g->process->has_stat = false;
	/* it has a name, and nothing would ask for it again if another name were used */
	if (e == -ENOMEM)
		return -ENOMEM;
	buffer_clear(&r->program);
	program_name_make(
		g->status.name, g->status.name_len, e < 0 ? NULL : r->text, len, &r->program);
	ret->is_renamed = true;
	return r->program.error;
}

/*
 * Counts a reading of P's cgroup. The first reading is dated back: that spreads the readings of
 * processes that were first seen together, so that they do not stay together.
 */
static void count_cgroup_read(const struct process_reader *r, struct process *p, uint64_t now_ns)
{
	uint64_t older_ns = r->cgroup_max_age_ns / 64 * ((uint32_t)p->pid * 2654435761U >> 26);

	p->cgroup_ns = p->cgroup_ns ? now_ns : now_ns - older_ns;
}

/*
 * Reads the login UID. It is set once, when a user logs in, and inherited. Without a login, and on
 * a kernel without audit, there is none. Returns 0, -ENOMEM or -EIO.
 */
static int read_loginuid(struct process_reading *g)
{
	struct process_reader *r = g->reader;
	uint64_t uid;
	size_t len;
	int e = file_read(g->dirfd, "loginuid", r->text, sizeof(r->text), &len);

	if (e == -ENOMEM || e == -EIO)
		return e;
	if (e == 0 && number_parse_u64(r->text, len, &uid) == 0 && uid <= UINT32_MAX)
		g->process->loginuid = (uint32_t)uid;
	else if (e == -ENOENT)
		g->process->loginuid = OWNER_NO_ID;
	return 0;
}

int process_reading_cgroup(struct process_reading *g, uint64_t now_ns, struct sample *ret)
{
	struct process_reader *r = g->reader;
	int e = r->user_by == ACCOUNTING_LOGIN ? read_loginuid(g) : 0;

	if (e == 0)
		e = process_reading_read_all(g, "cgroup", &r->cgroup_text);
	if (e == -ENOMEM)
		return e;
	if (e < 0 && e != -ENOENT)
		return 0; /* the process keeps its known cgroup; the next pass tries again */
	if (e < 0)
		buffer_clear(&r->cgroup_text); /* a kernel without cgroups */
	cgroup_parse(
		r->cgroup_text.data ? r->cgroup_text.data : "", r->cgroup_text.len, &r->cgroup);
	count_cgroup_read(r, g->process, now_ns);
	ret->has_cgroup = true;
	return 0;
}
