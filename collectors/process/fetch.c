/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/process/fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/os/file.h"
#include "collectors/procfs/status.h"
#include "collectors/workers/workers.h"

enum {
	STATUS_SIZE = 4096,
	/*
	 * after this many shares of users, all reads of the pass are waited for as briefly as those
	 * of a user without a share left
	 */
	SHARES = 10,
};

static const char *const names[FETCH_FILES] = {
	[FETCH_STAT] = "stat",
	[FETCH_THREAD_STAT] = "stat",
	[FETCH_STATUS] = "status",
	[FETCH_ROLLUP] = "smaps_rollup",
	[FETCH_SMAPS] = "smaps",
	[FETCH_MAPS] = "maps",
	[FETCH_CMDLINE] = "cmdline",
	[FETCH_EXE] = "exe",
};

/* Whether a read of FILE takes the lock of the address space. */
static bool is_walk(enum fetch_file file)
{
	return file == FETCH_ROLLUP || file == FETCH_SMAPS || file == FETCH_MAPS ||
	       file == FETCH_CMDLINE;
}

/* FETCH_STAT is the leader's: it has the start time of the process. */
static const char *fetch_path_of(
	const struct process *p, enum fetch_file file, char to[static PROCESS_PATH_SIZE])
{
	return file == FETCH_STAT ? names[file] : process_path(p, names[file], to);
}

/*
 * Whether a worker reads the files of P that may block. The reader's own files never block, and a
 * worker may not read them, since it has no rights left.
 */
static bool is_remote(const struct process_reader *r, const struct process *p)
{
	return r->workers && p->pid != r->own_pid;
}

/*
 * Returns the real user of P, since a setuid program belongs to its caller; OWNER_NO_ID if status
 * cannot be read.
 */
static uint32_t fetch_user_of(const struct process *p, int dirfd)
{
	struct status status;
	char text[STATUS_SIZE];
	size_t len;

	if (p->known)
		return p->ruid;
	if (file_read(dirfd, "status", text, sizeof(text), &len) < 0 ||
		status_parse(text, len, &status) < 0)
		return OWNER_NO_ID;
	return status.ruid;
}

/*
 * Whether a file of P that may block was ever read. status makes a process known, but does not
 * block.
 */
static bool was_read(const struct process *p)
{
	return p->has_stat || p->measured;
}

static enum attempt attempt_of(const struct process *p, enum fetch_file file)
{
	if (block_is_of(&p->block, is_walk(file)))
		return ATTEMPT_BLOCKED;
	return was_read(p) ? ATTEMPT_KNOWN : ATTEMPT_NEW;
}

/* Whether reads of processes that are not known to block may be deferred to a later pass. */
static bool may_be_limited(const struct process_reader *r)
{
	return !r->is_single && r->attempts.total >= ATTEMPTS_UNLIMITED;
}

/*
 * Whether FILE of P must not be read now: its last read blocked and P is not chosen, or
 * attempts_allow() refuses it.
 */
static bool is_forbidden(
	struct process_reader *r, struct process *p, int dirfd, enum fetch_file file)
{
	enum attempt attempt = attempt_of(p, file);

	if (attempt == ATTEMPT_BLOCKED && !p->block.is_chosen)
		return true;
	if (attempt != ATTEMPT_BLOCKED && !may_be_limited(r))
		return false;
	if (attempts_allow(&r->attempts, fetch_user_of(p, dirfd), attempt))
		return false;
	block_defer(&p->block, names[file], is_walk(file), clock_now_ns(CLOCK_MONOTONIC));
	return true;
}

/*
 * Notes in P the result of a read of FILE. Errors of the reader or of its workers do not end a
 * block.
 */
static void fetch_note(
	struct process_reader *r, struct process *p, int dirfd, enum fetch_file file, int error)
{
	enum attempt attempt = attempt_of(p, file);

	if (error == -ETIMEDOUT) {
		attempts_blocked(&r->attempts, fetch_user_of(p, dirfd), attempt);
		block_begin(&p->block, names[file], is_walk(file), clock_now_ns(CLOCK_MONOTONIC));
	} else if (error != -ECHILD && error != -ECANCELED && error != -EMFILE &&
		   error != -ENOMEM && error != -ESTALE) {
		if (attempt == ATTEMPT_BLOCKED)
			attempts_returned(&r->attempts, fetch_user_of(p, dirfd));
		block_answered(&p->block, is_walk(file));
	}
}

/*
 * Translates E, a worker's result for the process of DIRFD. The worker opens files by pid and gets
 * -ENOENT if the process has been reaped; an open below DIRFD would return -ESRCH, so this is
 * returned.
 */
static int as_below(int dirfd, int e)
{
	return e == -ENOENT && !fetch_is_there(dirfd) ? -ESRCH : e;
}

/*
 * Call it before a worker is asked for a file of P. The next read counts as blocked sooner in two
 * cases: reads of P's user have cost more than the user's share of this pass, or all reads together
 * have cost ten shares (in a single pass: one). Returns the time that reads have cost so far, for
 * end_request().
 */
static uint64_t begin_request(struct process_reader *r, const struct process *p, int dirfd)
{
	const struct lanes *lanes = &r->workers->lanes;
	uint64_t share_ns = lanes->control.patience.share_ns, cost_ns = lanes->waited_ns;

	if (cost_ns >= share_ns && cost_ns < SHARES * share_ns && !r->is_single)
		cost_ns = attempts_waited_ns(&r->attempts, fetch_user_of(p, dirfd));
	workers_hurry(r->workers, cost_ns >= share_ns);
	return lanes->waited_ns;
}

/*
 * Call it after the worker's answer. BEGIN_NS is the result of begin_request(). Adds the time since
 * then to the account of P's user.
 */
static void end_request(
	struct process_reader *r, const struct process *p, int dirfd, uint64_t begin_ns)
{
	uint64_t cost_ns = r->workers->lanes.waited_ns - begin_ns;

	workers_hurry(r->workers, false);
	if (cost_ns)
		attempts_waited(&r->attempts, fetch_user_of(p, dirfd), cost_ns);
}

static bool is_announced(const struct process_reader *r, const struct process *p, const char *path)
{
	return !block_is_on(&p->block) && workers_has_ahead(r->workers, p->pid, path);
}

/* Not for a thread, which may exit before its process. */
static bool may_keep_status(const struct process_reader *r, const struct process *p)
{
	return r->keeps_status && p->dirfd >= 0 && !p->tid &&
	       (p->file_fd >= 0 ||
		       (r->kept_files < r->files_max && r->kept + r->kept_files < r->kept_max));
}

/*
 * Reads status by a descriptor that is kept open. That saves open and close: 2 of the 20 us that a
 * small process takes.
 */
static int read_kept_status(struct process_reader *r, struct process *p, size_t *ret_len)
{
	int e;

	if (p->file_fd < 0) {
		p->file_fd = openat(p->dirfd, names[FETCH_STATUS], O_RDONLY | O_CLOEXEC);
		if (p->file_fd < 0)
			return -errno;
		r->kept_files++;
	}
	e = proctext_reread_status(&r->ends, p->file_fd, r->text, sizeof(r->text), ret_len);
	/* There are more processes now, and descriptors of their directories come first. */
	if (r->kept_files > r->files_max)
		process_close_file(r, p);
	return e;
}

/* Reads FILE of P without a worker. */
static int read_here(struct process_reader *r, struct process *p, int dirfd, enum fetch_file file,
	size_t *ret_len, uint64_t *ret_took_ns)
{
	char buffer[PROCESS_PATH_SIZE];
	const char *path = fetch_path_of(p, file, buffer);
	ssize_t n;

	if (file != FETCH_EXE)
		return proctext_read(
			&r->ends, dirfd, path, r->text, sizeof(r->text), ret_len, ret_took_ns);
	n = readlinkat(dirfd, path, r->text, sizeof(r->text));
	if (n < 0)
		return -errno;
	*ret_len = (size_t)n;
	return 0;
}

/*
 * If status was not announced, it is read below DIRFD after all announced files, which proves that
 * these are of P.
 */
static int fetch_read_status(
	struct process_reader *r, struct process *p, int dirfd, size_t *ret_len, bool *ret_unproven)
{
	uint64_t took_ns, begin_ns;
	int e;

	if (is_remote(r, p) && is_announced(r, p, names[FETCH_STATUS])) {
		begin_ns = begin_request(r, p, dirfd);
		e = workers_read(r->workers, p->pid, names[FETCH_STATUS], false, r->text,
			sizeof(r->text), ret_len, &took_ns);
		end_request(r, p, dirfd, begin_ns);
		*ret_unproven = true;
		e = as_below(dirfd, e);
		/*
		 * Another process's read may have blocked, or there may be no worker left. A long
		 * text is also read directly.
		 */
		if (e != -ETIMEDOUT && e != -ECHILD && e != -EFBIG)
			return e;
	} else if (is_remote(r, p)) {
		begin_ns = begin_request(r, p, dirfd);
		(void)workers_await(r->workers, p->pid); /* if it fails, so does the read itself */
		end_request(r, p, dirfd, begin_ns);
	}
	if (may_keep_status(r, p))
		return read_kept_status(r, p, ret_len);
	return read_here(r, p, dirfd, FETCH_STATUS, ret_len, &took_ns);
}

/* Reads FILE of P by a worker. */
static int read_there(struct process_reader *r, struct process *p, int dirfd, enum fetch_file file,
	size_t *ret_len, uint64_t *ret_took_ns, bool *ret_unproven)
{
	char buffer[PROCESS_PATH_SIZE];
	const char *path = fetch_path_of(p, file, buffer);
	uint64_t begin_ns;
	int e;

	if (is_forbidden(r, p, dirfd, file))
		return -ETIMEDOUT;
	if (!workers_is_awaited(r->workers, p->pid, path))
		*ret_unproven = true;
	begin_ns = begin_request(r, p, dirfd);
	e = workers_read(r->workers, p->pid, path, file == FETCH_EXE, r->text, sizeof(r->text),
		ret_len, ret_took_ns);
	end_request(r, p, dirfd, begin_ns);
	e = as_below(dirfd, e);
	fetch_note(r, p, dirfd, file, e);
	return e;
}

int fetch_text(struct process_reader *r, struct process *p, int dirfd, enum fetch_file file,
	size_t *ret_len, bool *ret_unproven)
{
	uint64_t took_ns = 0;
	int e;

	if (file == FETCH_STATUS)
		return fetch_read_status(r, p, dirfd, ret_len, ret_unproven);
	if (is_remote(r, p))
		e = read_there(r, p, dirfd, file, ret_len, &took_ns, ret_unproven);
	else
		e = read_here(r, p, dirfd, file, ret_len, &took_ns);
	if (e == 0 && *ret_len && file == FETCH_ROLLUP)
		lock_hold_add(&r->holds, took_ns);
	return e;
}

int fetch_stream(struct process_reader *r, struct process *p, int dirfd, enum fetch_file file,
	struct stream *ret)
{
	char path[PROCESS_PATH_SIZE];
	uint64_t begin_ns;
	int e;

	if (!is_remote(r, p)) {
		int fd = openat(dirfd, fetch_path_of(p, file, path), O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			return -errno;
		stream_set(ret, fd);
		return 0;
	}
	if (is_forbidden(r, p, dirfd, file))
		return -ETIMEDOUT;
	begin_ns = begin_request(r, p, dirfd);
	e = workers_open_stream(r->workers, p->pid, fetch_path_of(p, file, path), ret);
	end_request(r, p, dirfd, begin_ns);
	e = as_below(dirfd, e);
	/*
	 * Opening takes no lock of the address space, so only a read of a piece ends a block
	 * (fetch_read_stream()).
	 */
	if (e == -ETIMEDOUT)
		fetch_note(r, p, dirfd, file, e);
	else if (e == 0 && !fetch_is_there(dirfd)) {
		stream_close(ret);
		e = -ESRCH;
	}
	return e;
}

void fetch_note_stream(
	struct process_reader *r, struct process *p, enum fetch_file file, ssize_t result)
{
	fetch_note(r, p, p->dirfd, file, result < 0 ? (int)result : 0);
}

uint64_t fetch_begin_reads(struct process_reader *r, const struct process *p)
{
	return is_remote(r, p) ? begin_request(r, p, p->dirfd) : 0;
}

void fetch_end_reads(struct process_reader *r, const struct process *p, uint64_t begin_ns)
{
	if (is_remote(r, p))
		end_request(r, p, p->dirfd, begin_ns);
}

ssize_t fetch_read_stream(struct process_reader *r, struct process *p, enum fetch_file file,
	struct stream *s, char *to, size_t size, uint64_t slice_ns, struct stream_piece *ret)
{
	uint64_t begin_ns;
	ssize_t n;

	if (stream_has_more(s)) /* it was read, and noted, with the piece before it */
		return stream_read(s, to, size, slice_ns, ret);
	begin_ns = fetch_begin_reads(r, p);
	n = stream_read(s, to, size, slice_ns, ret);
	fetch_end_reads(r, p, begin_ns);
	fetch_note_stream(r, p, file, n);
	return n;
}

void fetch_announce(struct process_reader *r, const struct process *p, const enum fetch_file *files,
	size_t count)
{
	bool may_be_deferred = may_be_limited(r) && !was_read(p);

	if (!is_remote(r, p) || p->tid || block_is_on(&p->block) || may_be_deferred ||
		workers_ahead_room(r->workers) < count)
		return;
	for (size_t i = 0; i < count; i++)
		workers_ahead(r->workers, p->pid, names[files[i]], files[i] == FETCH_EXE);
}

void fetch_forget(struct process_reader *r, const struct process *p)
{
	if (r->workers)
		workers_forget(r->workers, p->pid);
}

bool fetch_is_there(int dirfd)
{
	struct stat st;

	/*
	 * faccessat() would check the real user's rights, without capabilities, and hidepid=1
	 * refuses those.
	 */
	return fstatat(dirfd, "statm", &st, 0) == 0;
}

uint64_t fetch_cpu_ns(const struct process_reader *r)
{
	return clock_now_ns(CLOCK_THREAD_CPUTIME_ID) + (r->workers ? r->workers->cpu_ns : 0);
}
