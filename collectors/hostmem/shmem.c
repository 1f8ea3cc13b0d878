/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/hostmem/shmem.h"

#include <sys/stat.h>

#include "collectors/procfs/host/sysvipc.h"

void shmem_done(struct shmem *s)
{
	tmpfs_done(&s->tmpfs);
	shmem_owners_done(&s->owners);
	buffer_done(&s->text);
	*s = (struct shmem){0};
}

void shmem_begin(struct shmem *s)
{
	s->is_begun = false;
}

/* Reads all segments or none: if one part of the text makes no sense, the rest is not trusted. */
static bool shmem_read_segments(struct shmem *s, const struct procfs *p)
{
	struct sysvipc_segment segment;
	struct sysvipc parser;
	int r = sysvipc_read(p->fd, &s->text);

	if (r == 0)
		r = sysvipc_begin(&parser, s->text.data, s->text.len);
	while (r == 0) {
		r = sysvipc_next(&parser, &segment);
		if (r == 0)
			shmem_owners_add_segment(&s->owners, &segment);
	}
	if (r != SYSVIPC_END)
		shmem_owners_clear(&s->owners);
	return r == SYSVIPC_END;
}

/*
 * Returns false if process 1 has another IPC namespace than memtallyd, as in a pod that sees the
 * host's processes: sysvipc/shm then lacks the host's segments. Returns true if that is not known,
 * because only a process with ptrace access may ask.
 */
static bool shmem_has_host_ipc(int procfs_fd)
{
	struct stat ours, first;

	return fstatat(procfs_fd, "self/ns/ipc", &ours, 0) < 0 ||
	       fstatat(procfs_fd, "1/ns/ipc", &first, 0) < 0 ||
	       (ours.st_dev == first.st_dev && ours.st_ino == first.st_ino);
}

static void shmem_begin_owners(struct shmem *s, const struct procfs *p, uint64_t now_ns)
{
	shmem_owners_clear(&s->owners);
	s->has_sysv = shmem_has_host_ipc(p->fd) && shmem_read_segments(s, p);
	if (p->live)
		tmpfs_begin(&s->tmpfs, p->fd, now_ns, &s->text);
	buffer_rest(&s->text);
}

bool shmem_step(struct shmem *s, const struct procfs *p, uint64_t now_ns)
{
	if (!s->is_begun) {
		s->is_begun = true;
		shmem_begin_owners(s, p, now_ns);
		return true;
	}
	if (tmpfs_step(&s->tmpfs))
		return true;
	shmem_owners_merge(&s->owners, &s->tmpfs.owners);
	return false;
}
