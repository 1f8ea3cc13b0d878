/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an attacker would do who has taken over memtallyd, its resolver of names or memtally-web: a child gives up its rights
 * by the very functions that these call, and tries. Each attempt has to fail, and what the work takes has to go on. The
 * same attempts succeed, as far as root may, in a child that has given up nothing: else the drill would show nothing.
 */
#include "config.h"

#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/memfd.h"
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

enum { KCMP_FILE_ = 0, KCMP_VM_ = 1, NOBODY = 65534 };

/* Where we are: the victim has the same addresses, since it was forked from us. */
static struct scene {
	pid_t victim; /* root's, and not undumpable */
	char secret[16];
	int secret_fd; /* the victim has it, too */
	char directory[64], file[96];
	char elsewhere[64], target[96],
		link[96];            /* the link, beside the file, leads to the target */
	struct sockaddr_in listener; /* somebody else's */
	int listener_fd;
} scene;

typedef bool attempt(void); /* true: it has succeeded */

static bool reads_memory(void)
{
	char stolen[sizeof(scene.secret)] = "";
	struct iovec here = {stolen, sizeof(stolen)}, there = {scene.secret, sizeof(scene.secret)};

	return process_vm_readv(scene.victim, &here, 1, &there, 1, 0) > 0;
}

static bool writes_memory(void)
{
	char forged[sizeof(scene.secret)] = "forged";
	struct iovec here = {forged, sizeof(forged)}, there = {scene.secret, sizeof(scene.secret)};

	return process_vm_writev(scene.victim, &here, 1, &there, 1, 0) > 0;
}

static bool opens(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	fd_close(fd);
	return fd >= 0;
}

/* FILE of the victim's in /proc. */
static bool opens_of_victim(const char *file, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)scene.victim, file);
	return opens(path, flags);
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

	if (ptrace(PTRACE_ATTACH, scene.victim, NULL, NULL) < 0)
		return false;
	waitpid(scene.victim, &status, __WALL);
	ptrace(PTRACE_DETACH, scene.victim, NULL, NULL);
	return true;
}

static bool steals_descriptor(void)
{
	long pidfd = syscall(SYS_pidfd_open, scene.victim, 0), fd;

	/* Without an own one any other number does: refused is refused. */
	fd = syscall(SYS_pidfd_getfd, pidfd, scene.secret_fd, 0);
	return fd >= 0;
}

static bool compares_files(void)
{
	return syscall(SYS_kcmp, scene.victim, scene.victim, KCMP_FILE_, 0, 0) >= 0;
}

static bool opens_shadow(void)
{
	return opens("/etc/shadow", O_RDONLY);
}

static bool writes_file(void)
{
	AUTO_CLOSE int fd = open(scene.file, O_WRONLY | O_CLOEXEC);

	return fd >= 0;
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
	return kill(scene.victim, SIGCONT) == 0;
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

static const struct {
	const char *name;
	attempt *try;
	bool is_sure; /* that root may do it, whatever kernel and container */
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
	{"executes a program", executes, true},
	{"connects out", connects_out, true},
	{"opens datagram sockets", sends_datagrams, true},
	{"opens netlink", opens_netlink, true},
	{"makes code", makes_code, true},
	{"becomes root", becomes_root, true},
	{"enters a namespace", enters_namespace, false},
	{"raises limits", raises_limits, false},
	{"signals others", signals, true},
	{"uses io_uring", uses_io_uring, false},
	{"uses what few need", uses_what_few_need, true},
};

/* In the child: the first number of its report is how many went wrong. */
static void attack(bool is_control)
{
	unsigned int wrong = 0;

	for (size_t i = 0; i < ARRAY_SIZE(attempts); i++) {
		bool succeeded = attempts[i].try();

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

static void be_memtallyd(void)
{
	const struct account account = {.uid = NOBODY, .gid = NOBODY};

	if (narrow_daemon(&account) < 0)
		_exit(100);
	work_of_memtallyd();
	attack(false);
}

static void be_resolver(void)
{
	const struct account account = {.uid = NOBODY, .gid = NOBODY};

	if (narrow_resolver(&account) < 0)
		_exit(100);
	if (!getpwuid(0))
		_exit(101);
	attack(false);
}

/* It may stay uid 0, so its file descriptors alone are no proof. */
static void be_web(void)
{
	const char *const files[] = {scene.file, NULL, "/no/such/file", scene.link};
	const struct listen_set set = {.count = 0};
	char text[64];
	int fd;

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
	attack(false);
}

static void be_nobody_in_particular(void)
{
	attack(true);
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
	/* Where uid 0 stays, files are guarded by Landlock alone. */
	if (landlock_open(&l) == LANDLOCK_UNSUPPORTED)
		skip();
	landlock_close(&l);
	assert_int_equal(run(be_web), 0);
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
	fd = open(scene.file, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, "text", 4) != 4 || close(fd) < 0)
		return -1;
	snprintf(scene.elsewhere, sizeof(scene.elsewhere), "/tmp/memtally-drill.XXXXXX");
	if (!mkdtemp(scene.elsewhere))
		return -1;
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
	scene.victim = fork();
	if (scene.victim == 0)
		for (;;)
			pause();
	return scene.victim > 0 ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	kill(scene.victim, SIGKILL);
	waitpid(scene.victim, NULL, 0);
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
		cmocka_unit_test(attempts_succeed_elsewhere),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
