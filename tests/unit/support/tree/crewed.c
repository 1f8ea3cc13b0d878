/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/tree/crewed.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "tests/unit/support/folder.h"

void crewed_add(const struct crewed *s, const char *path, const char *text)
{
	int fd = openat(s->fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

int crewed_set_up(void **state)
{
	struct crewed *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	memcpy(s->root, "/tmp/memtally-test.XXXXXX", sizeof("/tmp/memtally-test.XXXXXX"));
	assert_non_null(mkdtemp(s->root));
	s->fd = open(s->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(mkdirat(s->fd, "12", 0700), 0);
	assert_int_equal(mkdirat(s->fd, "13", 0700), 0);
	crewed_add(s, "12/status", "Name:\tfree\n");
	crewed_add(s, "12/stat", "12 (free) S 1\n");
	assert_int_equal(symlinkat("/bin/free", s->fd, "12/exe"), 0);
	crewed_add(s, "13/status", "Name:\tblocks\n");
	assert_int_equal(mkfifoat(s->fd, "13/stat", 0600), 0);
	crew_open(&s->crew, s->fd);
	*state = s;
	return 0;
}

int crewed_tear_down(void **state)
{
	struct crewed *s = *state;

	crew_close(&s->crew);
	close(s->fd);
	folder_remove(s->root);
	free(s);
	return 0;
}

int crewed_read(struct crewed *s, pid_t pid, const char *path, char to[static 64])
{
	uint64_t took_ns;
	size_t len = 0;
	int e = workers_read(&s->crew.workers, pid, path, false, to, 63, &len, &took_ns);

	to[len] = 0;
	return e;
}

void crewed_signal(const struct crewed *s, enum lanes_role role, int signal)
{
	pid_t pid = s->crew.pid[s->crew.workers.lanes.at[role]];
	siginfo_t info;

	assert_int_equal(kill(pid, signal), 0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOWAIT), 0);
}
