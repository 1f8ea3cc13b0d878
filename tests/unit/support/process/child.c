/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/process/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/cleanup.h"

bool child_begin(const struct child *c)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fd_close(STDERR_FILENO);
	return open(c->log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600) == STDERR_FILENO &&
	       injector_enter();
}

const char *child_last_words(const struct child *c)
{
	static char text[1024];
	int fd = open(c->log, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);

	fd_close(fd);
	text[n > 0 ? n : 0] = 0;
	return text;
}

void child_assert_running(const struct child *c)
{
	int status;

	if (waitpid(c->pid, &status, WNOHANG) == c->pid)
		CHILD_FAIL(c, "it has ended with status 0x%x", status);
}

static bool is_named(DIR *dir, const struct dirent *entry, const char *prefix)
{
	char name[64] = "";
	ssize_t n = readlinkat(dirfd(dir), entry->d_name, name, sizeof(name) - 1);

	return n > 0 && strncmp(name, prefix, strlen(prefix)) == 0;
}

unsigned int child_descriptors_but(
	const struct child *c, const char *prefix, unsigned int *ret_others)
{
	unsigned int count = 0;
	const struct dirent *entry;
	char path[32];
	DIR *dir;

	*ret_others = 0;
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)c->pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		*(is_named(dir, entry, prefix) ? ret_others : &count) += 1;
	if (dir)
		closedir(dir);
	return count;
}

unsigned int child_descriptors(const struct child *c)
{
	unsigned int of_no_name;

	return child_descriptors_but(c, "none", &of_no_name);
}
