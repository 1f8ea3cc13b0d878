/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/herd/self.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "tests/herd/tape.h"

void self_fail(const char *what)
{
	fprintf(stderr, "herd: process %d: %s: %s\n", (int)getpid(), what, strerror(errno));
	_exit(1);
}

void self_touch(uintptr_t address, uint64_t pages, bool read_only)
{
	volatile unsigned char *at = (void *)address;

	for (uint64_t i = 0; i < pages; i++, at += TAPE_PAGE_SIZE) {
		if (read_only)
			(void)*at;
		else
			*at = (unsigned char)(i | 1);
	}
}

void self_map(uintptr_t address, uint64_t pages, int prot, int flags, int fd)
{
	size_t size = pages * TAPE_PAGE_SIZE;
	void *at = mmap((void *)address, size, prot, flags | MAP_FIXED_NOREPLACE, fd, 0);

	if (at == MAP_FAILED)
		self_fail("mmap");
	/* EINVAL: a kernel without huge pages. */
	if (madvise(at, size, MADV_NOHUGEPAGE) < 0 && errno != EINVAL)
		self_fail("madvise");
}

void self_show_name(char *argv, size_t size, const char *name)
{
	memset(argv, 0, size);
	snprintf(argv, size, "%s", name);
}

static void be_first_to_go(void)
{
	AUTO_CLOSE int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	/* Only kindness to the machine: the herd works without. */
	if (fd >= 0 && write(fd, "1000", 4) < 0)
		errno = 0;
}

void self_settle(uid_t uid, pid_t parent)
{
	be_first_to_go();
	if (geteuid() == 0 && uid != 0) {
		if (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 ||
			setresuid(uid, uid, uid) < 0)
			self_fail("setresuid");
		if (prctl(PR_SET_DUMPABLE, 1) < 0)
			self_fail("prctl");
	}
	/* A change of user clears the signal, hence it comes last; the parent may be gone by now. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		self_fail("prctl");
	if (getppid() != parent)
		_exit(1);
}

void self_close_all_but(int ready)
{
	if (dup2(ready, 0) < 0 || close_range(1, ~0U, 0) < 0)
		self_fail("close_range");
}

void self_unblock_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	if (sigprocmask(SIG_SETMASK, &none, NULL) < 0)
		self_fail("sigprocmask");
}
