/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/process/statm-poll.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/os/file.h"

enum {
	TEXT_SIZE = 256,
	BIRTHS_PART = 8, /* for processes that are forked during the pass */
};

void statm_poll_begin(struct process_reader *r, size_t count)
{
	size_t each = count + count / BIRTHS_PART;

	r->keeps_status = false;
	if (each <= r->kept_max / 2) {
		r->files_max = r->kept_max - each;
		r->files_first = 0;
		return;
	}
	r->files_max = each < r->kept_max ? each : r->kept_max;
	r->files_first = r->files_max;
}

static int statm_poll_outcome_of(int error)
{
	switch (error) {
	case -EMFILE:
	case -ENFILE:
	case -ENOMEM: return error;
	case -ESRCH: return STATM_POLL_GONE;
	default: return STATM_POLL_UNKNOWN; /* -ENOENT, too: a tree may lack the file */
	}
}

/* statm is one line: the newline ends it. */
static bool is_line(const char *text, size_t len, const void *context)
{
	(void)context;
	return text[len - 1] == '\n';
}

/* The kernel keeps the rest of a short read in its buffer, of the same moment. */
static int statm_poll_reread(int fd, struct statm *ret)
{
	char text[TEXT_SIZE];
	size_t len;
	int e = file_reread_until(fd, text, sizeof(text), is_line, NULL, &len);

	if (e < 0)
		return statm_poll_outcome_of(e);
	return statm_parse(text, len, ret) < 0 ? STATM_POLL_UNKNOWN : 0;
}

/*
 * The directory's owner is the process's effective user even if it is not dumpable, unlike that of
 * its files.
 */
bool statm_poll_is_anothers(const struct process_reader *r, const struct process *p)
{
	struct stat st;

	if (!r->procfs->live || p->dirfd < 0 || fstat(p->dirfd, &st) < 0)
		return false;
	return st.st_uid != p->uid || st.st_gid != p->gid;
}

static int read_kept(struct process_reader *r, struct process *p, struct statm *ret)
{
	int e = statm_poll_reread(p->file_fd, ret);

	if (e != 0 || r->kept_files > r->files_max)
		process_close_file(r, p);
	return e;
}

/* Closes P's directory if it was kept when there was more room. */
static void statm_poll_make_room(struct process_reader *r, struct process *p)
{
	if (p->dirfd < 0 || r->kept + r->files_first <= r->kept_max)
		return;
	p->dirfd = fd_close(p->dirfd);
	r->kept--;
}

/* A thread's statm may end before its process, and is not kept. */
static bool statm_poll_may_keep(struct process_reader *r, struct process *p)
{
	if (p->tid || r->kept_files >= r->files_max)
		return false;
	statm_poll_make_room(r, p);
	return r->kept + r->kept_files < r->kept_max;
}

int statm_poll_read(struct process_reader *r, struct process *p, struct statm *ret)
{
	AUTO_CLOSE int fd = -1;
	int e;

	/* The leader has exited since it was opened: its statm has only zeros now. */
	if (p->file_fd >= 0 && p->tid)
		process_close_file(r, p);
	if (p->file_fd >= 0)
		return read_kept(r, p, ret);
	fd = process_open(r, p, "statm");
	if (fd < 0)
		return statm_poll_outcome_of(fd);
	e = statm_poll_reread(fd, ret);
	if (e == 0 && statm_poll_may_keep(r, p)) {
		p->file_fd = TAKE_FD(fd);
		r->kept_files++;
	}
	return e;
}
