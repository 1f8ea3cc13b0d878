/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/confine/attempts.h"

#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "tests/unit/support/confine/victims.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif
#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif

enum { KCMP_FILE_ = 0 };

typedef bool attempt(void); /* returns true if the attack succeeded */

static bool reads_memory(void)
{
	char stolen[sizeof(victims.secret)] = "";
	struct iovec here = {stolen, sizeof(stolen)},
		     there = {victims.secret, sizeof(victims.secret)};

	return process_vm_readv(victims.fellow, &here, 1, &there, 1, 0) > 0 ||
	       process_vm_readv(victims.victim, &here, 1, &there, 1, 0) > 0;
}

static bool writes_memory(void)
{
	char forged[sizeof(victims.secret)] = "forged";
	struct iovec here = {forged, sizeof(forged)},
		     there = {victims.secret, sizeof(victims.secret)};

	return process_vm_writev(victims.fellow, &here, 1, &there, 1, 0) > 0 ||
	       process_vm_writev(victims.victim, &here, 1, &there, 1, 0) > 0;
}

bool attempts_opens(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	fd_close(fd);
	return fd >= 0;
}

static bool opens_of(pid_t pid, const char *file, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	return attempts_opens(path, flags);
}

bool attempts_opens_of_victim(const char *file, int flags)
{
	return opens_of(victims.victim, file, flags) || opens_of(victims.nobodys, file, flags);
}

static bool opens_memory(void)
{
	return attempts_opens_of_victim("mem", O_RDONLY);
}

static bool opens_memory_for_writing(void)
{
	return attempts_opens_of_victim("mem", O_RDWR);
}

static bool opens_memory_of_init(void)
{
	return attempts_opens("/proc/1/mem", O_RDONLY);
}

static bool opens_environment(void)
{
	return attempts_opens_of_victim("environ", O_RDONLY);
}

static bool attaches(void)
{
	int status;

	if (ptrace(PTRACE_ATTACH, victims.fellow, NULL, NULL) < 0)
		return false;
	waitpid(victims.fellow, &status, __WALL);
	ptrace(PTRACE_DETACH, victims.fellow, NULL, NULL);
	return true;
}

static bool steals_descriptor(void)
{
	long pidfd = syscall(SYS_pidfd_open, victims.fellow, 0), fd;

	/*
	 * Without pidfd_open() there is no valid pidfd. Any other number will do: the filter
	 * refuses the call before that.
	 */
	fd = syscall(SYS_pidfd_getfd, pidfd, victims.secret_fd, 0);
	return fd >= 0;
}

static bool compares_files(void)
{
	return syscall(SYS_kcmp, victims.fellow, victims.fellow, KCMP_FILE_, 0, 0) >= 0;
}

static bool opens_shadow(void)
{
	return attempts_opens("/etc/shadow", O_RDONLY);
}

/* Includes a file that the attacker owns. */
static bool writes_file(void)
{
	return attempts_opens(victims.file, O_WRONLY) ||
	       attempts_opens(victims.own_file, O_WRONLY) || truncate(victims.own_file, 0) == 0;
}

static bool makes_file(void)
{
	char path[sizeof(victims.own_file) + 4];
	bool is_made;

	snprintf(path, sizeof(path), "%s.new", victims.own_file);
	is_made = attempts_opens(path, O_WRONLY | O_CREAT | O_EXCL);
	unlink(path);
	return is_made;
}

static bool renames_file(void)
{
	char path[sizeof(victims.own_file) + 4];

	snprintf(path, sizeof(path), "%s.old", victims.own_file);
	return (rename(victims.own_file, path) == 0 ||
		       renameat(AT_FDCWD, victims.own_file, AT_FDCWD, path) == 0) &&
	       rename(path, victims.own_file) == 0;
}

static bool removes_file(void)
{
	return unlink(victims.own_file) == 0 || unlinkat(AT_FDCWD, victims.own_file, 0) == 0;
}

static bool executes(void)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		return execl("/bin/true", "true", (char *)NULL) == 0;
	if (pid == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(99);
	}
	return waitpid(pid, &status, 0) == pid && status == 0;
}

static bool connects_out(void)
{
	AUTO_CLOSE int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd >= 0 && connect(fd, (const struct sockaddr *)&victims.listener,
				  sizeof(victims.listener)) == 0;
}

/* Turns an accepted connection into a new outgoing one, without connect() to the target. */
static bool connects_by_sending(void)
{
	const struct sockaddr none = {.sa_family = AF_UNSPEC};
	ssize_t n;

	if (connect(victims.accepted_fd, &none, sizeof(none)) < 0)
		return false;
	n = sendto(victims.accepted_fd, "stolen", 6, MSG_FASTOPEN | MSG_NOSIGNAL,
		(const struct sockaddr *)&victims.listener, sizeof(victims.listener));
	return n >= 0;
}

static bool connects_to(const struct sockaddr_un *address, socklen_t size)
{
	AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd >= 0 && connect(fd, (const struct sockaddr *)address, size) == 0;
}

/* Stands for root's sockets: systemd's private socket, and those of container engines. */
static bool connects_to_root(void)
{
	return connects_to(&victims.roots, sizeof(victims.roots));
}

static bool connects_to_abstract(void)
{
	return connects_to(&victims.abstract, victims.abstract_size);
}

static bool sends_datagrams(void)
{
	AUTO_CLOSE int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	return fd >= 0 || socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0) >= 0;
}

static bool opens_netlink(void)
{
	AUTO_CLOSE int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0);

	return fd >= 0;
}

static bool makes_code(void)
{
	void *page = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return page != MAP_FAILED;
}

static bool maps_code(int fd)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0) != MAP_FAILED;
}

static bool makes_code_in_file(void)
{
	AUTO_CLOSE int fd = (int)syscall(SYS_memfd_create, "code", 0);

	return fd >= 0 && write(fd, "\xc3", 1) == 1 && maps_code(fd);
}

static bool loads_code(void)
{
	AUTO_CLOSE int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	return maps_code(fd >= 0 ? fd : victims.secret_fd);
}

static bool is_root_still(void)
{
	return getuid() == 0 || geteuid() == 0;
}

static bool becomes_root(void)
{
	return setresuid(0, 0, 0) == 0 && setgroups(0, NULL) == 0;
}

/*
 * The kernel lets a process change to its saved uid. Without getresuid() an attacker would have to
 * try all uids.
 */
static bool becomes_its_master(void)
{
	uid_t real, effective, saved;

	if (getresuid(&real, &effective, &saved) < 0)
		saved = getuid();
	return setresuid(saved, saved, saved) == 0;
}

static bool enters_namespace(void)
{
	return unshare(CLONE_NEWNS) == 0;
}

static bool raises_limits(void)
{
	struct rlimit more = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};

	return setrlimit(RLIMIT_DATA, &more) == 0 && setrlimit(RLIMIT_CORE, &more) == 0;
}

static bool signals(void)
{
	return kill(victims.fellow, SIGCONT) == 0;
}

/* F_SETSIG accepts any signal, SIGKILL included. */
static bool signals_by_descriptor(void)
{
	return fcntl(victims.accepted_fd, F_SETOWN, victims.fellow) == 0 ||
	       fcntl(victims.accepted_fd, F_SETSIG, SIGCONT) == 0 ||
	       fcntl(victims.accepted_fd, F_SETFL, O_ASYNC) == 0;
}

/*
 * Returns true if the kernel or the filter lets the process make CALL: any error but EPERM, ENOSYS
 * and EACCES comes from our invalid arguments.
 */
static bool is_let(long number)
{
	return syscall(number, -1L, NULL, -1L, NULL, -1L, NULL) >= 0 ||
	       (errno != EPERM && errno != ENOSYS && errno != EACCES);
}

static bool uses_io_uring(void)
{
	return is_let(SYS_io_uring_setup) || is_let(SYS_io_uring_enter) ||
	       is_let(SYS_io_uring_register);
}

static bool uses_what_few_need(void)
{
	return is_let(SYS_userfaultfd) || is_let(SYS_perf_event_open) || is_let(SYS_bpf) ||
	       is_let(SYS_keyctl) || is_let(SYS_add_key) || is_let(SYS_mount) ||
	       is_let(SYS_process_madvise) || is_let(SYS_init_module) || is_let(SYS_chmod) ||
	       is_let(SYS_link) || is_let(SYS_symlink) || is_let(SYS_mknod) || is_let(SYS_truncate);
}

static const struct {
	const char *name;
	attempt *try;
	/* root without restrictions succeeds on every kernel and in every container */
	bool is_sure;
	int to; /* bits of enum attempts_by: daemons that must be refused; 0: all */
} attempts[] = {
	{"reads another's memory", reads_memory, true},
	{"writes another's memory", writes_memory, true},
	{"opens another's memory", opens_memory, true},
	{"opens another's memory for writing", opens_memory_for_writing, true},
	{"opens the memory of process 1", opens_memory_of_init, false},
	{"opens another's environment", opens_environment, true},
	{"attaches by ptrace", attaches, true},
	{"steals a descriptor", steals_descriptor, true},
	{"compares open files", compares_files, true},
	{"opens /etc/shadow", opens_shadow, true},
	{"opens a file for writing", writes_file, true},
	{"makes a file", makes_file, true},
	{"renames a file of its own", renames_file, true},
	{"removes a file of its own", removes_file, true},
	{"executes a program", executes, true},
	{"connects out", connects_out, true},
	{"connects out by sending", connects_by_sending, false},
	{"connects to a socket of root's", connects_to_root, true},
	{"connects to an abstract socket", connects_to_abstract, true,
		ATTEMPTS_BY_WEB | ATTEMPTS_BY_LEDGER | ATTEMPTS_BY_RECORDER},
	{"opens datagram sockets", sends_datagrams, true},
	{"opens netlink", opens_netlink, true},
	{"makes code", makes_code, true},
	{"makes code in a file", makes_code_in_file, true},
	{"loads code", loads_code, false,
		ATTEMPTS_BY_MEMTALLYD | ATTEMPTS_BY_WEB | ATTEMPTS_BY_LEDGER |
			ATTEMPTS_BY_RECORDER},
	{"is root", is_root_still, true},
	{"becomes root", becomes_root, true},
	{"becomes its master", becomes_its_master, true},
	{"enters a namespace", enters_namespace, false},
	{"raises limits", raises_limits, false},
	{"signals others", signals, true},
	{"signals by a descriptor", signals_by_descriptor, true},
	{"uses io_uring", uses_io_uring, false},
	{"uses what few need", uses_what_few_need, true},
};

unsigned int attempts_make(enum attempts_by who)
{
	unsigned int wrong = 0;

	for (size_t i = 0; i < ARRAY_SIZE(attempts); i++) {
		bool succeeded, is_control = who == ATTEMPTS_BY_NOBODY;

		if (!is_control && attempts[i].to && !(attempts[i].to & (int)who))
			continue;
		succeeded = attempts[i].try();
		if (succeeded == is_control || (is_control && !attempts[i].is_sure))
			continue;
		fprintf(stderr, "it %s%s\n", attempts[i].name, succeeded ? "" : ": not so");
		wrong++;
	}
	return wrong;
}
