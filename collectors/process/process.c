/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kept O_DIRECTORY descriptor of /proc/PID identifies the process. After the process is reaped,
 * reads below it return ESRCH even if the pid is in use again; a path would lead to the wrong
 * process. Beyond the descriptor limit the directory is opened anew and the start time compared.
 */
#include "config.h"

#include "collectors/process/process-private.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/number.h"
#include "base/os/file.h"
#include "collectors/process/fetch.h"
#include "collectors/process/process-reading.h"
#include "collectors/procfs/statm.h"
#include "collectors/workers/workers.h"

void process_init(struct process *p, pid_t pid)
{
	*p = (struct process){
		.pid = pid,
		.dirfd = -1,
		.file_fd = -1,
		.membership = PROCESS_NO_SCOPE,
		.gid = OWNER_NO_ID,
		.rgid = OWNER_NO_ID,
		.loginuid = OWNER_NO_ID,
	};
}

void process_done(struct process *p)
{
	p->dirfd = fd_close(p->dirfd);
	p->file_fd = fd_close(p->file_fd);
}

void process_begin_exact(struct process_reader *r, size_t count)
{
	r->keeps_status = true;
	r->files_max = count <= r->kept_max / 2 ? r->kept_max / 2 : 0;
	r->files_first = 0;
}

void process_reader_done(struct process_reader *r)
{
	buffer_done(&r->long_text);
	smaps_parser_done(&r->smaps);
	buffer_done(&r->program);
	buffer_done(&r->cgroup_text);
}

void process_release(struct process_reader *r, struct process *p)
{
	if (p->file_fd >= 0)
		r->kept_files--;
	if (p->dirfd >= 0)
		r->kept--;
	process_done(p);
}

enum { READS_MAX = 5 }; /* the most that process_announce() announces */

static int open_directory(struct process_reader *r, const struct process *p)
{
	char name[16];
	size_t n = number_format_u64((uint64_t)p->pid, name);
	int fd;

	name[n] = 0;
	fd = openat(r->procfs->fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/*
 * If the descriptor was not kept, another process may have the pid now. Returns 0 if it is the same
 * process, -ESRCH if not; or -ETIMEDOUT, or an error for which process_reading_is_shortage() is
 * true.
 */
static int compare_start_time(struct process_reading *g)
{
	const struct process *p = g->process;
	struct stat_info stat;
	int e;

	if (!p->known || !p->has_stat)
		return 0;
	e = process_reading_stat(g, &stat);
	if (process_reading_is_shortage(e) || e == -ETIMEDOUT)
		return e;
	return e < 0 || stat.start_ticks != p->stat.start_ticks ? -ESRCH : 0;
}

/*
 * Returns P's kept directory, or a new descriptor: then *OWNED, which must be -1, is it, too, and
 * the caller closes it. Errors are those of process_open().
 */
static int open_known(struct process_reader *r, struct process *p, int *owned)
{
	struct process_reading g = {.reader = r, .process = p};
	int e;

	if (p->dirfd >= 0)
		return p->dirfd;
	*owned = g.dirfd = open_directory(r, p);
	if (g.dirfd < 0)
		return g.dirfd == -ENOENT ? -ESRCH : g.dirfd;
	fetch_forget(r, p);
	e = compare_start_time(&g);
	return e < 0 ? e : g.dirfd;
}

static bool process_may_keep(const struct process_reader *r)
{
	size_t statm = r->kept_files > r->files_first ? r->kept_files : r->files_first;

	return r->kept + statm < r->kept_max;
}

/* Keeps FD, P's directory, if there is room. */
static bool keep_directory(struct process_reader *r, struct process *p, int fd)
{
	if (!process_may_keep(r))
		return false;
	p->dirfd = fd;
	r->kept++;
	return true;
}

/* Files that are read directly are below the process's own directory. */
static bool is_unproven(const struct process_reading *g)
{
	return g->is_unproven && g->reader->workers;
}

/* Whether the process of G has not been reaped yet, so that all reads by its pid are of it. */
static bool process_is_there(const struct process_reading *g)
{
	struct process *p = g->process;
	uint64_t tick_ns = g->reader->procfs->ns_per_tick;

	if (!fetch_is_there(g->dirfd))
		return false;
	/*
	 * A pid can be used twice within one tick. If this process outlives its tick, a later one
	 * has a later start time.
	 */
	if (p->has_stat && clock_now_ns(CLOCK_BOOTTIME) / tick_ns >= p->stat.start_ticks + 2)
		p->start_is_unique = true;
	return true;
}

/* A worker may have read another process with the same pid. If so, RET says that P has exited. */
static int sample_verified(struct process_reading *g, uint64_t now_ns, struct sample *ret)
{
	int e = process_sample(g, now_ns, ret);

	if (e == 0 && is_unproven(g) && !process_is_there(g)) {
		*ret = (struct sample){.outcome = OUTCOME_GONE};
		process_forget(g->process);
	}
	return e;
}

static int sample_opened(struct process_reading *g, uint64_t now_ns, struct sample *ret)
{
	struct process_reader *r = g->reader;
	struct process *p = g->process;
	AUTO_CLOSE int fd = open_directory(r, p);
	int e;

	*ret = (struct sample){.outcome = OUTCOME_GONE};
	if (fd < 0)
		return process_fail(g, fd, ret);
	g->dirfd = fd;
	p->tid = 0;
	if (p->known)
		fetch_forget(r, p); /* it was read before FD was opened */
	e = compare_start_time(g);
	if (e == -ESRCH) {
		process_forget(p);
		p->block = (struct block){0};
	} else if (e < 0) {
		return process_fail(g, e, ret);
	}
	if (keep_directory(r, p, fd))
		(void)TAKE_FD(fd);
	return sample_verified(g, now_ns, ret);
}

static int process_take_sample(struct process_reading *g, uint64_t now_ns, struct sample *ret)
{
	struct process *p = g->process;
	int e;

	if (p->dirfd >= 0) {
		*ret = (struct sample){.outcome = OUTCOME_GONE};
		g->dirfd = p->dirfd;
		e = sample_verified(g, now_ns, ret);
		if (e < 0 || ret->outcome != OUTCOME_GONE)
			return e;
		/* It has exited; another process may have the pid now. */
		process_release(g->reader, p);
		process_forget(p);
		p->block = (struct block){0};
		fetch_forget(g->reader, p);
	}
	e = sample_opened(g, now_ns, ret);
	/* does not wait for the next pass: many processes may exit */
	if (e == 0 && ret->outcome == OUTCOME_GONE)
		process_release(g->reader, p);
	return e;
}

int process_read(struct process_reader *r, struct process *p, uint64_t now_ns, struct sample *ret)
{
	struct process_reading g = {.reader = r, .process = p};

	return process_take_sample(&g, now_ns, ret);
}

int process_look(struct process_reader *r, struct process *p, uint64_t now_ns, struct sample *ret)
{
	struct process_reading g = {.reader = r, .process = p, .looks = true};

	return process_take_sample(&g, now_ns, ret);
}

int process_refresh(
	struct process_reader *r, struct process *p, uint64_t now_ns, struct sample *ret)
{
	struct process_reading g = {.reader = r, .process = p, .looks = true, .trusts = true};

	return process_take_sample(&g, now_ns, ret);
}

/* If the image is new, the walk was of the former image or of another process. */
int process_take(struct process_reader *r, struct process *p, uint64_t now_ns,
	const struct smaps *walked, struct sample *ret)
{
	struct process_reading g = {.reader = r, .process = p, .walked = walked};
	int e;

	p->looked = p->known; /* earlier walks must not be compared with this one */
	e = process_take_sample(&g, now_ns, ret);
	if (ret->is_new_image && ret->outcome == OUTCOME_MEASURED) {
		for (size_t i = PROCESS_PSS; i <= PROCESS_USS; i++)
			ret->present &= ~(UINT64_C(1) << i);
		ret->outcome = OUTCOME_CHANGING;
		ret->source = SOURCE_RSS;
		p->known = p->measured = false;
	}
	return e;
}

bool process_cgroup_is_due(const struct process_reader *r, const struct process *p, uint64_t now_ns)
{
	return now_ns - p->cgroup_ns >= r->cgroup_max_age_ns;
}

int process_read_cgroup(
	struct process_reader *r, struct process *p, uint64_t now_ns, struct sample *ret)
{
	struct process_reading g = {.reader = r, .process = p};
	AUTO_CLOSE int owned = -1;
	int e = 0;

	*ret = (struct sample){.outcome = OUTCOME_MEASURED, .is_member = true};
	g.dirfd = open_known(r, p, &owned);
	if (g.dirfd >= 0)
		e = process_reading_cgroup(&g, now_ns, ret);
	process_fill_owners(r, p, ret);
	return e;
}

int process_open(struct process_reader *r, struct process *p, const char *file)
{
	char path[PROCESS_PATH_SIZE];
	AUTO_CLOSE int owned = -1;
	int dirfd = open_known(r, p, &owned), fd;

	if (dirfd < 0)
		return dirfd;
	fd = openat(dirfd, process_path(p, file, path), O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int process_open_stream(
	struct process_reader *r, struct process *p, bool is_maps, struct stream *ret)
{
	AUTO_CLOSE int owned = -1;
	int dirfd = open_known(r, p, &owned);

	if (dirfd < 0)
		return dirfd;
	return fetch_stream(r, p, dirfd, is_maps ? FETCH_MAPS : FETCH_SMAPS, ret);
}

void process_announce(struct process_reader *r, struct process *p, bool is_look)
{
	static const enum fetch_file first_look[] = {
		FETCH_STAT, FETCH_STATUS, FETCH_STAT, FETCH_EXE};
	static const enum fetch_file first_read[] = {
		FETCH_STAT, FETCH_STATUS, FETCH_ROLLUP, FETCH_STAT, FETCH_EXE};
	static const enum fetch_file look[] = {FETCH_STATUS, FETCH_STAT};
	static const enum fetch_file read[] = {FETCH_ROLLUP}; /* status proves that it is of P */
	static const enum fetch_file guarded[] = {
		FETCH_STAT, FETCH_STATUS, FETCH_ROLLUP, FETCH_STAT};
	AUTO_CLOSE int fd = -1;

	if (!r->workers)
		return;
	/*
	 * A text that was read before the directory was opened may be of another process that had
	 * this pid.
	 */
	if (p->dirfd < 0 && !p->known) {
		fd = open_directory(r, p);
		if (fd >= 0 && keep_directory(r, p, fd))
			(void)TAKE_FD(fd);
	}
	if (p->by_smaps || p->dirfd < 0)
		return;
	if (!p->known && is_look)
		fetch_announce(r, p, first_look, ARRAY_SIZE(first_look));
	else if (!p->known)
		fetch_announce(r, p, first_read, ARRAY_SIZE(first_read));
	else if (is_look)
		fetch_announce(r, p, look, ARRAY_SIZE(look));
	else if (p->looked)
		fetch_announce(r, p, guarded, ARRAY_SIZE(guarded));
	else
		fetch_announce(r, p, read, ARRAY_SIZE(read));
}

void process_announce_none(struct process_reader *r)
{
	if (r->workers)
		workers_drop_ahead(r->workers);
}

bool process_announce_has_room(const struct process_reader *r)
{
	return r->workers && workers_ahead_room(r->workers) >= READS_MAX;
}

void process_announce_stat(struct process_reader *r, const struct process *p)
{
	static const enum fetch_file stat[] = {FETCH_STAT};

	if (p->dirfd < 0)
		return;
	fetch_announce(r, p, stat, ARRAY_SIZE(stat));
}

int process_read_activity(struct process_reader *r, struct process *p, struct stat_activity *ret)
{
	struct process_reading g = {.reader = r, .process = p};
	AUTO_CLOSE int owned = -1;
	int e;

	g.dirfd = open_known(r, p, &owned);
	if (g.dirfd < 0)
		return g.dirfd;
	e = process_reading_activity(&g, ret);
	if (e == 0 && is_unproven(&g) && !process_is_there(&g))
		e = -ESRCH;
	return e;
}

int process_read_parent(struct process_reader *r, struct process *p)
{
	struct process_reading g = {.reader = r, .process = p};
	AUTO_CLOSE int owned = -1;

	g.dirfd = open_known(r, p, &owned);
	return g.dirfd < 0 ? g.dirfd : process_reading_parent(&g, &p->stat.parent);
}

int process_faults(struct process_reader *r, struct process *p, uint64_t *ret)
{
	struct stat_activity a;
	int e = process_read_activity(r, p, &a);

	if (e == 0)
		*ret = a.minor_faults;
	return e;
}

void process_announce_cmdline(struct process_reader *r, const struct process *p)
{
	static const enum fetch_file cmdline[] = {FETCH_CMDLINE};

	if (p->dirfd < 0)
		return;
	fetch_announce(r, p, cmdline, ARRAY_SIZE(cmdline));
}

/* Adds at least the first ENOUGH bytes of a command line to RET, or all of a shorter one. */
static int stream_cmdline(struct process_reading *g, size_t enough, struct buffer *ret)
{
	struct process_reader *r = g->reader;
	AUTO_STREAM struct stream stream = STREAM_CLOSED;
	int e = fetch_stream(r, g->process, g->dirfd, FETCH_CMDLINE, &stream);

	while (e == 0 && ret->len < enough) {
		struct stream_piece piece;
		ssize_t n = fetch_read_stream(r, g->process, FETCH_CMDLINE, &stream, r->text,
			sizeof(r->text), UINT64_MAX, &piece);

		if (n <= 0)
			return (int)n;
		buffer_add(ret, r->text, (size_t)n);
		e = ret->error;
	}
	return e;
}

/* As stream_cmdline(). A short one, the common case, is one request to a worker. */
static int fetch_cmdline(struct process_reading *g, size_t enough, struct buffer *ret)
{
	struct process_reader *r = g->reader;
	size_t len;
	int e = fetch_text(r, g->process, g->dirfd, FETCH_CMDLINE, &len, &g->is_unproven);

	if (e == -EFBIG) {
		g->is_unproven = true;
		return stream_cmdline(g, enough, ret);
	}
	if (e == 0)
		buffer_add(ret, r->text, len);
	return e < 0 ? e : ret->error;
}

/*
 * The kernel shows an empty command line of a zombie, without an error. Returns 0 if the process of G
 * has memory; -ESRCH if it has none; or another error of open or read.
 */
static int check_memory(const struct process_reading *g)
{
	char path[PROCESS_PATH_SIZE], text[128];
	struct statm statm = {0};
	size_t len;
	int e = file_read(
		g->dirfd, process_path(g->process, "statm", path), text, sizeof(text), &len);

	if (e == 0)
		e = statm_parse(text, len, &statm);
	return e == 0 && !statm.size ? -ESRCH : e;
}

int process_read_cmdline(struct process_reader *r, struct process *p, size_t max,
	struct buffer *ret, bool *ret_is_cut)
{
	struct process_reading g = {.reader = r, .process = p};
	AUTO_CLOSE int owned = -1;
	int e;

	buffer_clear(ret);
	g.dirfd = open_known(r, p, &owned);
	if (g.dirfd < 0)
		return g.dirfd;
	e = fetch_cmdline(&g, max + 1, ret);
	if (e == 0 && !ret->len)
		e = check_memory(&g);
	if (e == 0 && is_unproven(&g) && !process_is_there(&g))
		e = -ESRCH;
	if (e < 0)
		return e;
	*ret_is_cut = ret->len > max;
	if (*ret_is_cut)
		ret->len = max;
	return 0;
}

/* Every kernel has smaps, and the same rule for it and for smaps_rollup. */
int process_permits(struct process_reader *r, struct process *p)
{
	AUTO_STREAM struct stream stream = STREAM_CLOSED;

	return process_open_stream(r, p, false, &stream);
}

int process_probe(struct process_reader *r, struct process *p)
{
	AUTO_STREAM struct stream stream = STREAM_CLOSED;
	struct stream_piece piece;
	char byte;
	int e = process_open_stream(r, p, false, &stream);

	if (e < 0)
		return e;
	return (int)fetch_read_stream(r, p, FETCH_SMAPS, &stream, &byte, 1, 0, &piece);
}
