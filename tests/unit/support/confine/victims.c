/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/confine/victims.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"

struct victims victims;

/* In memory shared with the attacker: pids of the processes that the attacker leaves behind. */
static struct orphans {
	pid_t fellow, master; /* 0: none */
} * orphans;

static pid_t fork_victim(uid_t uid)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (uid && (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 ||
			   setresuid(uid, uid, uid) < 0))
		_exit(1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	for (;;)
		pause();
}

/* Returns the server side of a connection from another socket, or -1. */
static int connect_to_ourselves(void)
{
	AUTO_CLOSE int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 ||
		connect(fd, (struct sockaddr *)&victims.listener, sizeof(victims.listener)) < 0)
		return -1;
	return accept4(victims.listener_fd, NULL, NULL, SOCK_CLOEXEC);
}

/* Makes root's socket (mode 0600) and an abstract one. */
static int listen_locally(void)
{
	victims.roots.sun_family = victims.abstract.sun_family = AF_UNIX;
	snprintf(victims.roots.sun_path, sizeof(victims.roots.sun_path), "%s/roots",
		victims.directory);
	victims.abstract_size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
					    (size_t)snprintf(victims.abstract.sun_path + 1, 64,
						    "memtally-drill-%d", (int)getpid()));
	victims.roots_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	victims.abstract_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(victims.roots_fd, (struct sockaddr *)&victims.roots, sizeof(victims.roots)) < 0 ||
		chmod(victims.roots.sun_path, 0600) < 0 || listen(victims.roots_fd, 8) < 0 ||
		bind(victims.abstract_fd, (struct sockaddr *)&victims.abstract,
			victims.abstract_size) < 0 ||
		listen(victims.abstract_fd, 8) < 0)
		return -1;
	/* With a searchable directory only the mode of the socket keeps other users out. */
	return chmod(victims.directory, 0755);
}

int victims_open(void **state)
{
	socklen_t size = sizeof(victims.listener);
	int fd;

	(void)state;
	snprintf(victims.secret, sizeof(victims.secret), "secret");
	snprintf(victims.directory, sizeof(victims.directory), "/tmp/memtally-drill.XXXXXX");
	if (!mkdtemp(victims.directory))
		return -1;
	snprintf(victims.file, sizeof(victims.file), "%s/file", victims.directory);
	snprintf(victims.other, sizeof(victims.other), "%s/other", victims.directory);
	fd = open(victims.file, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, "text", 4) != 4 || close(fd) < 0)
		return -1;
	snprintf(victims.elsewhere, sizeof(victims.elsewhere), "/tmp/memtally-drill.XXXXXX");
	snprintf(victims.own, sizeof(victims.own), "/tmp/memtally-drill.XXXXXX");
	snprintf(victims.kept, sizeof(victims.kept), "/tmp/memtally-drill.XXXXXX");
	if (!mkdtemp(victims.elsewhere) || !mkdtemp(victims.own) || !mkdtemp(victims.kept) ||
		chmod(victims.elsewhere, 0755) < 0)
		return -1;
	snprintf(victims.own_file, sizeof(victims.own_file), "%s/file", victims.own);
	snprintf(victims.target, sizeof(victims.target), "%s/target", victims.elsewhere);
	snprintf(victims.link, sizeof(victims.link), "%s/link", victims.directory);
	if (link(victims.file, victims.target) < 0 || symlink(victims.target, victims.link) < 0)
		return -1;
	victims.secret_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	victims.listener = (struct sockaddr_in){
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	victims.listener_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (victims.listener_fd < 0 ||
		bind(victims.listener_fd, (struct sockaddr *)&victims.listener, size) < 0 ||
		listen(victims.listener_fd, 8) < 0 ||
		getsockname(victims.listener_fd, (struct sockaddr *)&victims.listener, &size) < 0)
		return -1;
	victims.accepted_fd = connect_to_ourselves();
	if (victims.accepted_fd < 0 || listen_locally() < 0)
		return -1;
	orphans = mmap(
		NULL, sizeof(*orphans), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (orphans == MAP_FAILED)
		return -1;
	victims.victim = fork_victim(0);
	victims.nobodys = geteuid() == 0 ? fork_victim(VICTIMS_NOBODY) : -1;
	return victims.victim > 0 ? 0 : -1;
}

static void empty(const char *path)
{
	DIR *dir = opendir(path);

	for (struct dirent *e; dir && (e = readdir(dir));)
		unlinkat(dirfd(dir), e->d_name, 0);
	if (dir)
		closedir(dir);
}

int victims_done(void **state)
{
	(void)state;
	kill(victims.victim, SIGKILL);
	waitpid(victims.victim, NULL, 0);
	if (victims.nobodys > 0) {
		kill(victims.nobodys, SIGKILL);
		waitpid(victims.nobodys, NULL, 0);
	}
	unlink(victims.own_file);
	rmdir(victims.own);
	empty(victims.kept);
	rmdir(victims.kept);
	unlink(victims.roots.sun_path);
	unlink(victims.other);
	close(victims.roots_fd);
	close(victims.abstract_fd);
	close(victims.accepted_fd);
	unlink(victims.file);
	unlink(victims.link);
	unlink(victims.target);
	rmdir(victims.directory);
	rmdir(victims.elsewhere);
	close(victims.listener_fd);
	return close(victims.secret_fd);
}

void victims_meet_fellow(uid_t uid)
{
	AUTO_CLOSE int fd = open(victims.own_file, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	orphans->fellow = victims.fellow = fork_victim(uid);
	if (fd < 0 || victims.fellow < 0 || chown(victims.own, uid, (gid_t)-1) < 0 ||
		chown(victims.own_file, uid, (gid_t)-1) < 0)
		_exit(97);
	/* Time for the child to change its uid. */
	nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
}

void victims_meet_master(uid_t uid)
{
	orphans->master = victims.master = fork_victim(uid);
	if (victims.master < 0)
		_exit(97);
}

static void end(pid_t *pid)
{
	if (*pid > 0)
		kill(*pid, SIGKILL);
	*pid = 0;
}

void victims_end_orphans(void)
{
	end(&orphans->fellow);
	end(&orphans->master);
}
