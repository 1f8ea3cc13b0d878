/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/sense.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

enum {
	TEXT_SIZE = 256,
	BIRTHS_PART = 8, /* for those that come during the pass */
};

void sense_begin(struct process_reader *r, size_t count)
{
	size_t each = count + count / BIRTHS_PART;

	if (each <= r->kept_max / 2) {
		r->statm_max = r->kept_max - each;
		r->statm_first = 0;
		return;
	}
	r->statm_max = each < r->kept_max ? each : r->kept_max;
	r->statm_first = r->statm_max;
}

static int outcome_of(int error)
{
	switch (error) {
	case -EMFILE:
	case -ENFILE:
	case -ENOMEM: return error;
	case -ESRCH: return SENSE_GONE;
	default: return SENSE_UNKNOWN; /* -ENOENT, too: a tree may lack the file */
	}
}

static int read_at(int fd, struct statm *ret)
{
	char text[TEXT_SIZE];
	ssize_t n;

	do
		n = pread(fd, text, sizeof(text), 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return outcome_of(-errno);
	return statm_parse(text, (size_t)n, ret) < 0 ? SENSE_UNKNOWN : 0;
}

/* Of the directory itself, unlike its files, that is so for processes that are not dumpable, too. */
bool sense_is_anothers(const struct process_reader *r, const struct process *p)
{
	struct stat st;

	if (!r->procfs->live || p->dirfd < 0 || fstat(p->dirfd, &st) < 0)
		return false;
	return st.st_uid != p->uid || st.st_gid != p->gid;
}

void sense_forget(struct process_reader *r, struct process *p)
{
	if (p->statm_fd < 0)
		return;
	p->statm_fd = fd_close(p->statm_fd);
	r->kept_statm--;
}

static int read_kept(struct process_reader *r, struct process *p, struct statm *ret)
{
	int e = read_at(p->statm_fd, ret);

	if (e != 0 || r->kept_statm > r->statm_max)
		sense_forget(r, p);
	return e;
}

/* P's directory was kept when there was room for more. */
static void make_room(struct process_reader *r, struct process *p)
{
	if (p->dirfd < 0 || r->kept + r->statm_first <= r->kept_max)
		return;
	p->dirfd = fd_close(p->dirfd);
	r->kept--;
}

/* A thread's own may end before its process, and is not kept. */
static bool may_keep(struct process_reader *r, struct process *p)
{
	if (p->tid || r->kept_statm >= r->statm_max)
		return false;
	make_room(r, p);
	return r->kept + r->kept_statm < r->kept_max;
}

int sense_read(struct process_reader *r, struct process *p, struct statm *ret)
{
	AUTO_CLOSE int fd = -1;
	int e;

	/* The leader's, who has ended since then: it has nothing but zeros any more. */
	if (p->statm_fd >= 0 && p->tid)
		sense_forget(r, p);
	if (p->statm_fd >= 0)
		return read_kept(r, p, ret);
	fd = process_open(r, p, "statm");
	if (fd < 0)
		return outcome_of(fd);
	e = read_at(fd, ret);
	if (e == 0 && may_keep(r, p)) {
		p->statm_fd = TAKE_FD(fd);
		r->kept_statm++;
	}
	return e;
}
