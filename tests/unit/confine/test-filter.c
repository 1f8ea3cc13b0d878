/* SPDX-License-Identifier: Apache-2.0 */
/* Tests run in children, because a filter cannot be removed. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"
#include "confine/filter.h"

enum { UNFILTERED = 77 };

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%d: %s: %s\n", __LINE__, #condition, strerror(errno));    \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)
#define REFUSED(call) CHECK((call) < 0 && errno == EPERM)

static const struct filter_list *const only_base[] = {&filter_base};
static const struct filter_list *const with_threads[] = {&filter_base, &filter_threads};
static const struct filter_list *const with_sockets[] = {&filter_base, &filter_unix};
static const struct filter_list *const with_children[] = {&filter_base, &filter_children};
static const struct filter_list *const with_keep[] = {&filter_base, &filter_keep};

static void under(const struct filter_list *const *lists, size_t count, void (*body)(void))
{
	pid_t pid;
	int status;

	if (filter_is_wide())
		skip(); /* the filter of this build is a wider one */
	pid = fork();
	if (pid == 0) {
		/* signals to the process group reach this child alone */
		int r = setpgid(0, 0) < 0 ? -errno : 0;

		if (r == 0)
			r = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno
			                                               : filter_load(lists, count);

		if (r == FILTER_UNSUPPORTED)
			_exit(UNFILTERED);
		CHECK(r == 0);
		body();
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == UNFILTERED)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void *thread(void *unused)
{
	return unused;
}

static void read_files_only(void)
{
	AUTO_CLOSE int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	pthread_t other;
	char text[16];

	CHECK(fd >= 0 && read(fd, text, sizeof(text)) > 0);
	CHECK(pthread_create(&other, NULL, thread, NULL) == EPERM);
	REFUSED(open("/dev/null", O_WRONLY | O_CLOEXEC));
	REFUSED(open("/dev/null", O_RDWR | O_CLOEXEC));
	REFUSED(open("test-filter.made", O_RDONLY | O_CREAT | O_CLOEXEC, 0600));
	REFUSED(open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
	REFUSED(execl("/bin/true", "true", (char *)NULL));
	REFUSED(fork());
	REFUSED(socket(AF_UNIX, SOCK_STREAM, 0));
	REFUSED(kill(getppid(), SIGKILL));
	REFUSED(unlink("no such file"));
	REFUSED(accept(fd, NULL, NULL));
	REFUSED(setpriority(PRIO_PROCESS, 0, 10));
	REFUSED(unshare(CLONE_NEWUSER));
}

static void make_no_code(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(page != MAP_FAILED);
	REFUSED(mprotect(page, 4096, PROT_READ | PROT_EXEC));
	CHECK(mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0) == MAP_FAILED &&
		errno == EPERM);
	REFUSED(memfd_create("code", 0));
	CHECK(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
			MAP_FAILED &&
		errno == EPERM);
}

/* F_SETOWN and F_SETSIG: the kernel sends any signal to any process when a descriptor is ready. */
static void send_no_signals(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	CHECK(fd >= 0);
	REFUSED(fcntl(fd, F_SETOWN, getppid()));
	REFUSED(fcntl(fd, F_SETSIG, SIGKILL));
	REFUSED(fcntl(fd, F_SETFL, O_ASYNC));
	REFUSED(fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK));
	REFUSED(fcntl(fd, F_SETLEASE, F_RDLCK));
	REFUSED(fcntl(fd, F_NOTIFY, 0));
	CHECK(fcntl(fd, F_SETFL, O_NONBLOCK) == 0 && fcntl(fd, F_GETFL) & O_NONBLOCK);
	CHECK(fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC);
	CHECK(fcntl(fd, F_DUPFD_CLOEXEC, 10) >= 10);
}

static void have_threads(void)
{
	pthread_t other;

	CHECK(pthread_create(&other, NULL, thread, NULL) == 0 && pthread_join(other, NULL) == 0);
	REFUSED(fork());
	REFUSED(syscall(SYS_clone, CLONE_VM | SIGCHLD, NULL, NULL, NULL, NULL));
}

/* libc uses the older call only if the newer one does not exist (ENOSYS). */
static void new_forms_do_not_exist(void)
{
	CHECK(syscall(SYS_clone3, NULL, 0) < 0 && errno == ENOSYS);
	CHECK(syscall(SYS_openat2, -1, NULL, NULL, 0) < 0 && errno == ENOSYS);
}

static void use_unix_sockets_only(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct iovec one = {.iov_base = &fd, .iov_len = 1};
	struct msghdr message = {.msg_iov = &one, .msg_iovlen = 1};

	CHECK(fd >= 0);
	CHECK(send(fd, "x", 1, MSG_NOSIGNAL) < 0 && errno == ENOTCONN);
	REFUSED(send(fd, "x", 1, MSG_FASTOPEN));
	REFUSED(sendmsg(fd, &message, MSG_FASTOPEN | MSG_NOSIGNAL));
	REFUSED(sendmmsg(fd, &(struct mmsghdr){.msg_hdr = message}, 1, 0));
	REFUSED(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
	REFUSED(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
	REFUSED(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0));
	/* 64 bits, of which the kernel uses 32. */
	REFUSED(syscall(SYS_socket, UINT64_C(1) << 32 | AF_INET, SOCK_STREAM, 0));
	REFUSED(fork());
}

static void have_children(void)
{
	pid_t pid = fork();
	int status;

	CHECK(pid >= 0);
	if (pid == 0) {
		CHECK(prctl(PR_SET_NAME, "child") == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
		for (;;)
			pause(); /* refused: it loops until it is killed */
	}
	REFUSED(kill(pid, SIGTERM));
	nanosleep(&(struct timespec){.tv_nsec = 300 * 1000 * 1000}, NULL);
	REFUSED(kill(0, SIGKILL));
	REFUSED(kill(-pid, SIGKILL));
	CHECK(kill(4 << 20, SIGKILL) < 0 && errno == EPERM); /* no process has this pid */
	CHECK(kill(pid, SIGKILL) == 0);
	CHECK(waitpid(pid, &status, 0) == pid &&
		WIFSIGNALED(status)); /* it did not exit by itself */
	REFUSED(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL));
	REFUSED(syscall(SYS_clone, CLONE_VM | SIGCHLD, NULL, NULL, NULL, NULL));
	REFUSED(syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL));
	REFUSED(syscall(SYS_clone, SIGKILL, NULL, NULL, NULL, NULL));
	REFUSED(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
	REFUSED(syscall(SYS_seccomp, 0, 0, NULL));
}

static void keep_files(void)
{
	static const char name[] = "test-filter.kept", other[] = "test-filter.other";
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
	int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	CHECK(fd >= 0 && pwrite(fd, "text", 4, 0) == 4);
	CHECK(fcntl(fd, F_SETLK, &lock) == 0 && fcntl(fd, F_GETLK, &lock) == 0);
	CHECK(fdatasync(fd) == 0 && fsync(fd) == 0 && ftruncate(fd, 2) == 0);
	CHECK(rename(name, other) == 0 && unlink(other) == 0);
	REFUSED(open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
	REFUSED(fcntl(fd, F_SETLEASE, F_RDLCK));
	REFUSED(fcntl(fd, F_SETOWN, getppid()));
	REFUSED(mkdir(name, 0700));
	REFUSED(symlink("/", name));
	REFUSED(link("/etc/passwd", name));
	REFUSED(syscall(SYS_renameat2, AT_FDCWD, ".", AT_FDCWD, "..", 2));
	REFUSED(fork());
	REFUSED(kill(getppid(), SIGKILL));
}

static void files_can_only_be_read(void **state)
{
	(void)state;
	under(only_base, ARRAY_SIZE(only_base), read_files_only);
}

static void no_code_can_be_created(void **state)
{
	(void)state;
	under(only_base, ARRAY_SIZE(only_base), make_no_code);
}

static void no_process_can_be_signalled(void **state)
{
	(void)state;
	under(only_base, ARRAY_SIZE(only_base), send_no_signals);
}

static void threads_are_no_processes(void **state)
{
	(void)state;
	under(with_threads, ARRAY_SIZE(with_threads), have_threads);
}

/* Returns what the filter for ARCH does with CALL, as libseccomp prints it; empty: nothing. */
static void describe(uint32_t arch, const char *call, char text[static 4096])
{
	static const struct filter_list *const all[] = {&filter_base, &filter_unix, &filter_server,
		&filter_unlink, &filter_threads, &filter_children};
	FILE *f = tmpfile();
	char line[256], begin[64];
	bool is_there = false;
	size_t len = 0;

	assert_non_null(f);
	assert_int_equal(filter_export(arch, all, ARRAY_SIZE(all), fileno(f)), 0);
	rewind(f);
	text[0] = 0;
	snprintf(begin, sizeof(begin), "# filter for syscall \"%s\"", call);
	while (fgets(line, sizeof(line), f)) {
		if (strstr(line, "# "))
			is_there = strstr(line, begin) != NULL;
		else if (is_there && len < 4096 - sizeof(line))
			len += (size_t)snprintf(text + len, 4096 - len, "%s", line);
	}
	fclose(f);
}

/* On other architectures arguments may be in another place, or in memory. */
static void holds_on_other_architectures(void **state)
{
	static const uint32_t all[] = {SCMP_ARCH_X86_64, SCMP_ARCH_AARCH64, SCMP_ARCH_S390X};
	char text[4096];

	(void)state;
	if (filter_is_wide())
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		bool is_s390x = all[i] == SCMP_ARCH_S390X;

		describe(all[i], "socketcall", text);
		assert_null(strstr(text, "ALLOW"));
		describe(all[i], "socket", text);
		assert_non_null(strstr(text, is_s390x ? "$a0.lo32 & 0xffffffff == 1" : "== 1"));
		describe(all[i], "mmap", text);
		assert_non_null(strstr(text, "ALLOW"));
		assert_int_equal(!strstr(text, "$a2"), is_s390x);
		describe(all[i], "mprotect", text);
		assert_non_null(strstr(text, "$a2.lo32 & 0x00000004 == 0"));
		describe(all[i], "clone", text);
		assert_non_null(strstr(text, is_s390x ? "$a1.lo32" : "$a0.lo32"));
		assert_null(strstr(text, is_s390x ? "$a0.lo32" : "$a1.lo32"));
		describe(all[i], "sendto", text);
		assert_non_null(strstr(text, "$a3.lo32 & 0x20000000 == 0"));
		describe(all[i], "ptrace", text);
		assert_string_equal(text, "");
	}
}

/* A rule that cannot be made is an error, not a kernel without seccomp. */
static void failed_is_not_unsupported(void **state)
{
	static const struct filter_call calls[] = {FILTER_CALL_IF("read", 9, 1, 1)};
	static const struct filter_list list = FILTER_LIST(calls), *const lists[] = {&list};

	(void)state;
	assert_int_equal(filter_load(lists, 1), -EINVAL);
}

static void libc_may_fall_back(void **state)
{
	(void)state;
	under(only_base, ARRAY_SIZE(only_base), new_forms_do_not_exist);
}

static void sockets_are_local(void **state)
{
	(void)state;
	under(with_sockets, ARRAY_SIZE(with_sockets), use_unix_sockets_only);
}

static void files_are_kept(void **state)
{
	(void)state;
	under(with_keep, ARRAY_SIZE(with_keep), keep_files);
}

static void only_children_can_be_killed(void **state)
{
	(void)state;
	under(with_children, ARRAY_SIZE(with_children), have_children);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_can_only_be_read),
		cmocka_unit_test(no_code_can_be_created),
		cmocka_unit_test(no_process_can_be_signalled),
		cmocka_unit_test(threads_are_no_processes),
		cmocka_unit_test(holds_on_other_architectures),
		cmocka_unit_test(failed_is_not_unsupported),
		cmocka_unit_test(libc_may_fall_back),
		cmocka_unit_test(sockets_are_local),
		cmocka_unit_test(only_children_can_be_killed),
		cmocka_unit_test(files_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
