/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an attacker would do who has taken over memtallyd, its resolver of names or memtally-web: a child gives up its rights
 * by the very functions that these call, and tries. Each attempt has to fail, and what the work takes has to go on. The
 * same attempts succeed, as far as root may, in a child that has given up nothing: else the drill would show nothing.
 *
 * What is tried by way of files and sockets is tried on a process of root's and one of nobody's (65534), whose uid others
 * share: who has one of his own gets at neither. What is tried by system calls is tried on one of the attacker's own
 * uid, to which the kernel would let him: there it is the filter that refuses.
 */
#include "config.h"

#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/memfd.h"
#include "base/userns.h"
#include "collectors/disturbance.h"
#include "confine/filter.h"
#include "confine/landlock.h"
#include "daemon/narrow.h"
#include "web/enclosure.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif
#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif

enum {
	KCMP_FILE_ = 0,
	KCMP_VM_ = 1,
	NOBODY = 65534,
	ABI_SCOPE = 6, /* of Landlock, Linux 6.12 */
};

/* Where we are: the victim has the same addresses, since it was forked from us. */
static struct scene {
	pid_t victim;  /* root's, and not undumpable */
	pid_t nobodys; /* of a uid that many share */
	pid_t fellow;  /* of the attacker's own uid; as the kernel sees it, open to him */
	char secret[16];
	int secret_fd; /* the victim has it, too */
	char directory[64], file[96];
	char elsewhere[64], target[96],
		link[96];            /* the link, beside the file, leads to the target */
	char other[96];              /* beside the file */
	char own[64], own_file[96];  /* the attacker's, who may remove it */
	struct sockaddr_in listener; /* somebody else's */
	int listener_fd;
	int accepted_fd; /* a client's connection */
	struct sockaddr_un roots, abstract;
	socklen_t abstract_size;
	int roots_fd, abstract_fd;
} scene;

/* In memory that all share: one that its attacker leaves behind. He may not even end it, in his Landlock domain. */
static pid_t *orphan;

typedef bool attempt(void); /* true: it has succeeded */

static bool reads_memory(void)
{
	char stolen[sizeof(scene.secret)] = "";
	struct iovec here = {stolen, sizeof(stolen)}, there = {scene.secret, sizeof(scene.secret)};

	return process_vm_readv(scene.fellow, &here, 1, &there, 1, 0) > 0 ||
	       process_vm_readv(scene.victim, &here, 1, &there, 1, 0) > 0;
}

static bool writes_memory(void)
{
	char forged[sizeof(scene.secret)] = "forged";
	struct iovec here = {forged, sizeof(forged)}, there = {scene.secret, sizeof(scene.secret)};

	return process_vm_writev(scene.fellow, &here, 1, &there, 1, 0) > 0 ||
	       process_vm_writev(scene.victim, &here, 1, &there, 1, 0) > 0;
}

static bool opens(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	fd_close(fd);
	return fd >= 0;
}

static bool opens_of(pid_t pid, const char *file, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	return opens(path, flags);
}

/* FILE of either victim's in /proc. */
static bool opens_of_victim(const char *file, int flags)
{
	return opens_of(scene.victim, file, flags) || opens_of(scene.nobodys, file, flags);
}

static bool opens_memory(void)
{
	return opens_of_victim("mem", O_RDONLY);
}

static bool opens_memory_for_writing(void)
{
	return opens_of_victim("mem", O_RDWR);
}

static bool opens_memory_of_init(void)
{
	return opens("/proc/1/mem", O_RDONLY);
}

static bool opens_environment(void)
{
	return opens_of_victim("environ", O_RDONLY);
}

static bool attaches(void)
{
	int status;

	if (ptrace(PTRACE_ATTACH, scene.fellow, NULL, NULL) < 0)
		return false;
	waitpid(scene.fellow, &status, __WALL);
	ptrace(PTRACE_DETACH, scene.fellow, NULL, NULL);
	return true;
}

static bool steals_descriptor(void)
{
	long pidfd = syscall(SYS_pidfd_open, scene.fellow, 0), fd;

	/* Without an own one any other number does: refused is refused. */
	fd = syscall(SYS_pidfd_getfd, pidfd, scene.secret_fd, 0);
	return fd >= 0;
}

static bool compares_files(void)
{
	return syscall(SYS_kcmp, scene.fellow, scene.fellow, KCMP_FILE_, 0, 0) >= 0;
}

static bool opens_shadow(void)
{
	return opens("/etc/shadow", O_RDONLY);
}

/* One that is his own, too. */
static bool writes_file(void)
{
	return opens(scene.file, O_WRONLY) || opens(scene.own_file, O_WRONLY);
}

static bool removes_file(void)
{
	return unlink(scene.own_file) == 0 || unlinkat(AT_FDCWD, scene.own_file, 0) == 0;
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

	return fd >= 0 &&
	       connect(fd, (const struct sockaddr *)&scene.listener, sizeof(scene.listener)) == 0;
}

/* Out of a client's connection a new one, without connect() to it. */
static bool connects_by_sending(void)
{
	const struct sockaddr none = {.sa_family = AF_UNSPEC};
	ssize_t n;

	if (connect(scene.accepted_fd, &none, sizeof(none)) < 0)
		return false;
	n = sendto(scene.accepted_fd, "stolen", 6, MSG_FASTOPEN | MSG_NOSIGNAL,
		(const struct sockaddr *)&scene.listener, sizeof(scene.listener));
	return n >= 0;
}

static bool connects_to(const struct sockaddr_un *address, socklen_t size)
{
	AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd >= 0 && connect(fd, (const struct sockaddr *)address, size) == 0;
}

/* As systemd's private one, and those of container engines. */
static bool connects_to_root(void)
{
	return connects_to(&scene.roots, sizeof(scene.roots));
}

static bool connects_to_abstract(void)
{
	return connects_to(&scene.abstract, scene.abstract_size);
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

	return maps_code(fd >= 0 ? fd : scene.secret_fd);
}

static bool is_root_still(void)
{
	return getuid() == 0 || geteuid() == 0;
}

static bool becomes_root(void)
{
	return setresuid(0, 0, 0) == 0 && setgroups(0, NULL) == 0;
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
	return kill(scene.fellow, SIGCONT) == 0;
}

/* Any signal, also one that can't be blocked. */
static bool signals_by_descriptor(void)
{
	return fcntl(scene.accepted_fd, F_SETOWN, scene.fellow) == 0 ||
	       fcntl(scene.accepted_fd, F_SETSIG, SIGCONT) == 0 ||
	       fcntl(scene.accepted_fd, F_SETFL, O_ASYNC) == 0;
}

/* CALL exists for whoever may make it: other errors than that it may not are of our arguments. */
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
	       is_let(SYS_rename) || is_let(SYS_link) || is_let(SYS_symlink) || is_let(SYS_mknod) ||
	       is_let(SYS_truncate);
}

/* Whom an attempt is refused to. */
enum { MEMTALLYD = 1 << 0, RESOLVER = 1 << 1, WEB = 1 << 2, ALL = MEMTALLYD | RESOLVER | WEB };

static const struct {
	const char *name;
	attempt *try;
	bool is_sure; /* that root may do it, whatever kernel and container */
	int to;       /* 0: all */
} attempts[] = {
	{"reads another's memory", reads_memory, true},
	{"writes another's memory", writes_memory, true},
	{"opens another's memory", opens_memory, true},
	{"opens another's memory for writing", opens_memory_for_writing, true},
	{"opens the memory of process 1", opens_memory_of_init, false},
	{"opens another's environment", opens_environment, true},
	{"attaches by ptrace", attaches, true},
	{"steals a descriptor", steals_descriptor, true},
	{"learns who shares files", compares_files, true},
	{"opens /etc/shadow", opens_shadow, true},
	{"opens a file for writing", writes_file, true},
	{"removes a file of its own", removes_file, true},
	{"executes a program", executes, true},
	{"connects out", connects_out, true},
	{"connects out by sending", connects_by_sending, false},
	{"connects to a socket of root's", connects_to_root, true},
	{"connects to an abstract socket", connects_to_abstract, true, WEB},
	{"opens datagram sockets", sends_datagrams, true},
	{"opens netlink", opens_netlink, true},
	{"makes code", makes_code, true},
	{"makes code in a file", makes_code_in_file, true},
	{"loads code", loads_code, false, MEMTALLYD | WEB},
	{"is root", is_root_still, true},
	{"becomes root", becomes_root, true},
	{"enters a namespace", enters_namespace, false},
	{"raises limits", raises_limits, false},
	{"signals others", signals, true},
	{"signals by a descriptor", signals_by_descriptor, true},
	{"uses io_uring", uses_io_uring, false},
	{"uses what few need", uses_what_few_need, true},
};

/* In the child: the first number of its report is how many went wrong. WHO is 0 for the one who has given up nothing. */
static void attack(int who)
{
	unsigned int wrong = 0;

	for (size_t i = 0; i < ARRAY_SIZE(attempts); i++) {
		bool succeeded, is_control = !who;

		if (who && attempts[i].to && !(attempts[i].to & who))
			continue;
		succeeded = attempts[i].try();
		if (succeeded == is_control || (is_control && !attempts[i].is_sure))
			continue;
		fprintf(stderr, "it %s%s\n", attempts[i].name, succeeded ? "" : ": not so");
		wrong++;
	}
	_exit(wrong > 99 ? 99 : (int)wrong);
}

/* Passes go on: another's page tables are walked, address spaces compared, an image sealed, a trial made. */
static void work_of_memtallyd(void)
{
	struct iovec image = {scene.secret, sizeof(scene.secret)};
	struct disturbance trial;
	char path[64], text[4096];
	uint64_t cpu_ns = 0;
	size_t size;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)scene.victim);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text)) <= 0 || !strstr(text, "Pss:"))
		_exit(101);
	if (syscall(SYS_kcmp, scene.victim, getpid(), KCMP_VM_, 0, 0) < 0)
		_exit(102);
	if (memfd_new_sealed("drill", &image, 1, &fd) < 0 ||
		memfd_check_sealed(fd, 4096, &size) < 0)
		_exit(103);
	disturbance_init(&trial);
	if (disturbance_ask(&trial) < 0)
		_exit(104);
	for (int i = 0; i < 3000 && !disturbance_answer(&trial, &cpu_ns); i++)
		nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
	/* What it has found out depends on how busy the machine is; page tables for 384 MiB take some time at least. */
	if (cpu_ns < 1000 * 1000)
		_exit(105);
}

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

/* What the attacker meets of his own uid. */
static void meet_fellow(uid_t uid)
{
	AUTO_CLOSE int fd = open(scene.own_file, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	*orphan = scene.fellow = fork_victim(uid);
	if (fd < 0 || scene.fellow < 0 || chown(scene.own, uid, (gid_t)-1) < 0 ||
		chown(scene.own_file, uid, (gid_t)-1) < 0)
		_exit(97);
	/* It is another user by then. */
	nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
}

static void be_memtallyd(void)
{
	struct account account, of_resolver;

	if (narrow_accounts(&account, &of_resolver) < 0)
		_exit(99);
	meet_fellow(account.uid);
	if (narrow_daemon(&account, false) < 0)
		_exit(100);
	work_of_memtallyd();
	attack(MEMTALLYD);
}

static void be_resolver(void)
{
	struct account account, of_daemon;

	if (narrow_accounts(&of_daemon, &account) < 0)
		_exit(99);
	meet_fellow(account.uid);
	if (narrow_resolver(&account, of_daemon.uid) < 0)
		_exit(100);
	if (!getpwuid(0))
		_exit(101);
	attack(RESOLVER);
}

/* Whose uid it gets as root is known only when it has it: so there it has a fellow only as an ordinary user. */
static void be_web(void)
{
	const char *const files[] = {scene.file, NULL, "/no/such/file", scene.link};
	const struct listen_set set = {.count = 0};
	char text[64];
	int fd;

	if (!scene.fellow)
		scene.fellow = scene.nobodys;
	if (enclosure_enter(files, ARRAY_SIZE(files), &set) < 0)
		_exit(100);
	/* Its configuration, also when it was replaced; itself; new connections to memtallyd. */
	fd = open(scene.file, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text)) <= 0)
		_exit(101);
	if (!opens(scene.link, O_RDONLY) || !opens(scene.target, O_RDONLY))
		_exit(105);
	fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text)) <= 0 ||
		!opens("/proc/self/fd", O_RDONLY | O_DIRECTORY))
		_exit(102);
	if (socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0) < 0)
		_exit(103);
	if (opens("/etc/passwd", O_RDONLY) || opens_of_victim("status", O_RDONLY))
		_exit(104);
	attack(WEB);
}

/* A directory with all files there are does not become readable for the sake of one. */
static void be_web_configured_in_the_root(void)
{
	const char *const files[] = {"/file", "/no such file"};
	const struct listen_set set = {.count = 0};
	int fd;

	if (chroot(scene.directory) < 0 || chdir("/") < 0)
		_exit(99);
	fd = open("/other", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0 || close(fd) < 0 || enclosure_enter(files, ARRAY_SIZE(files), &set) < 0)
		_exit(100);
	if (!opens("/file", O_RDONLY))
		_exit(101);
	_exit(opens("/other", O_RDONLY) || opens("/", O_RDONLY | O_DIRECTORY) ? 102 : 0);
}

/* As an ordinary user, who shares a uid with all that is his. */
static void be_web_of_a_user(void)
{
	meet_fellow(NOBODY);
	if (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
		setresuid(NOBODY, NOBODY, NOBODY) < 0)
		_exit(99);
	be_web();
}

static void be_nobody_in_particular(void)
{
	meet_fellow(0);
	attack(0);
}

/* Root who may not become another: in a container that was left SYS_PTRACE alone. */
static void lose_setuid(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};

	data[0].effective = data[0].permitted = 1U << CAP_SYS_PTRACE;
	if (syscall(SYS_capset, &header, data) < 0)
		_exit(97);
	log_open("drill", LOG_LEVEL_ERROR);
}

static void be_memtallyd_that_stays_root(void)
{
	struct account account, of_resolver;

	lose_setuid();
	if (narrow_accounts(&account, &of_resolver) < 0)
		_exit(99);
	_exit(narrow_daemon(&account, false) == -EPERM ? 0 : 1);
}

static void be_web_that_stays_root(void)
{
	const struct listen_set set = {.count = 0};

	lose_setuid();
	_exit(enclosure_enter(NULL, 0, &set) == -EPERM ? 0 : 1);
}

static int run(void (*body)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		log_open("drill", LOG_LEVEL_ERROR);
		body();
		_exit(98);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (*orphan > 0)
		kill(*orphan, SIGKILL);
	*orphan = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void needs_root(void)
{
	if (geteuid() != 0 || filter_is_wide())
		skip(); /* others have less to lose; under tools less is given up */
}

static void attempts_succeed_elsewhere(void **state)
{
	(void)state;
	needs_root();
	assert_int_equal(run(be_nobody_in_particular), 0);
}

static void memtallyd_is_of_no_use(void **state)
{
	(void)state;
	needs_root();
	assert_int_equal(run(be_memtallyd), 0);
	assert_string_equal(scene.secret, "secret");
}

static void the_resolver_is_of_no_use(void **state)
{
	(void)state;
	needs_root();
	assert_int_equal(run(be_resolver), 0);
}

static void memtally_web_is_of_no_use(void **state)
{
	struct landlock l;

	(void)state;
	needs_root();
	if (landlock_open(false, &l) == LANDLOCK_UNSUPPORTED)
		skip();
	landlock_close(&l);
	if (l.abi < ABI_SCOPE)
		skip(); /* abstract sockets are for everybody */
	assert_int_equal(run(be_web), 0);
	assert_int_equal(run(be_web_of_a_user), 0);
	assert_int_equal(run(be_web_configured_in_the_root), 0);
}

static void nobody_stays_root_of_the_host(void **state)
{
	(void)state;
	needs_root();
	if (!userns_is_root_outside())
		skip();
	assert_int_equal(run(be_memtallyd_that_stays_root), 0);
	assert_int_equal(run(be_web_that_stays_root), 0);
}

/* A connection that somebody else has opened. */
static int connect_to_ourselves(void)
{
	AUTO_CLOSE int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&scene.listener, sizeof(scene.listener)) < 0)
		return -1;
	return accept4(scene.listener_fd, NULL, NULL, SOCK_CLOEXEC);
}

/* Root's own socket, and one without a file. */
static int listen_locally(void)
{
	scene.roots.sun_family = scene.abstract.sun_family = AF_UNIX;
	snprintf(scene.roots.sun_path, sizeof(scene.roots.sun_path), "%s/roots", scene.directory);
	scene.abstract_size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
					  (size_t)snprintf(scene.abstract.sun_path + 1, 64,
						  "memtally-drill-%d", (int)getpid()));
	scene.roots_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	scene.abstract_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(scene.roots_fd, (struct sockaddr *)&scene.roots, sizeof(scene.roots)) < 0 ||
		chmod(scene.roots.sun_path, 0600) < 0 || listen(scene.roots_fd, 8) < 0 ||
		bind(scene.abstract_fd, (struct sockaddr *)&scene.abstract, scene.abstract_size) <
			0 ||
		listen(scene.abstract_fd, 8) < 0)
		return -1;
	/* So that it is the socket's owner that keeps others out, and not the directory's. */
	return chmod(scene.directory, 0755);
}

static int setup(void **state)
{
	socklen_t size = sizeof(scene.listener);
	int fd;

	(void)state;
	snprintf(scene.secret, sizeof(scene.secret), "secret");
	snprintf(scene.directory, sizeof(scene.directory), "/tmp/memtally-drill.XXXXXX");
	if (!mkdtemp(scene.directory))
		return -1;
	snprintf(scene.file, sizeof(scene.file), "%s/file", scene.directory);
	snprintf(scene.other, sizeof(scene.other), "%s/other", scene.directory);
	fd = open(scene.file, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, "text", 4) != 4 || close(fd) < 0)
		return -1;
	snprintf(scene.elsewhere, sizeof(scene.elsewhere), "/tmp/memtally-drill.XXXXXX");
	snprintf(scene.own, sizeof(scene.own), "/tmp/memtally-drill.XXXXXX");
	if (!mkdtemp(scene.elsewhere) || !mkdtemp(scene.own) || chmod(scene.elsewhere, 0755) < 0)
		return -1;
	snprintf(scene.own_file, sizeof(scene.own_file), "%s/file", scene.own);
	snprintf(scene.target, sizeof(scene.target), "%s/target", scene.elsewhere);
	snprintf(scene.link, sizeof(scene.link), "%s/link", scene.directory);
	if (link(scene.file, scene.target) < 0 || symlink(scene.target, scene.link) < 0)
		return -1;
	scene.secret_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	scene.listener = (struct sockaddr_in){
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	scene.listener_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (scene.listener_fd < 0 ||
		bind(scene.listener_fd, (struct sockaddr *)&scene.listener, size) < 0 ||
		listen(scene.listener_fd, 8) < 0 ||
		getsockname(scene.listener_fd, (struct sockaddr *)&scene.listener, &size) < 0)
		return -1;
	scene.accepted_fd = connect_to_ourselves();
	if (scene.accepted_fd < 0 || listen_locally() < 0)
		return -1;
	orphan = mmap(
		NULL, sizeof(*orphan), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (orphan == MAP_FAILED)
		return -1;
	scene.victim = fork_victim(0);
	scene.nobodys = geteuid() == 0 ? fork_victim(NOBODY) : -1;
	return scene.victim > 0 ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	kill(scene.victim, SIGKILL);
	waitpid(scene.victim, NULL, 0);
	if (scene.nobodys > 0) {
		kill(scene.nobodys, SIGKILL);
		waitpid(scene.nobodys, NULL, 0);
	}
	unlink(scene.own_file);
	rmdir(scene.own);
	unlink(scene.roots.sun_path);
	unlink(scene.other);
	close(scene.roots_fd);
	close(scene.abstract_fd);
	close(scene.accepted_fd);
	unlink(scene.file);
	unlink(scene.link);
	unlink(scene.target);
	rmdir(scene.directory);
	rmdir(scene.elsewhere);
	close(scene.listener_fd);
	return close(scene.secret_fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memtallyd_is_of_no_use),
		cmocka_unit_test(the_resolver_is_of_no_use),
		cmocka_unit_test(memtally_web_is_of_no_use),
		cmocka_unit_test(nobody_stays_root_of_the_host),
		cmocka_unit_test(attempts_succeed_elsewhere),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
