/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an attacker would do after taking over memtallyd, its resolver of names, the resolver's fork
 * server, or memtally-web (for memtally-ledger see test-drill-ledger.c).
 *
 * A child gives up its rights by the functions that the daemon calls, and makes the attempts of
 * attempts.h. Each must fail, and the daemon's work must go on. In a child that keeps root's rights
 * the same attempts succeed: otherwise the drill would prove nothing.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/os/memfd.h"
#include "base/os/userns.h"
#include "collectors/process/self/lock-trial.h"
#include "daemon/children/drop-privileges.h"
#include "service/leases.h"
#include "tests/unit/support/confine/attempts.h"
#include "tests/unit/support/confine/drill.h"
#include "tests/unit/support/confine/victims.h"
#include "web/sandbox.h"

enum { KCMP_VM_ = 1 };

/*
 * The work of a pass still succeeds: it walks another process's page tables, compares address
 * spaces, seals and sends an image, and runs the mmap lock trial.
 */
static void work_of_memtallyd(void)
{
	struct iovec image = {victims.secret, sizeof(victims.secret)};
	struct lock_trial trial;
	struct leases leases;
	struct leases_sum sum;
	char path[64], text[4096];
	uint64_t cpu_ns = 0;
	size_t size;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)victims.victim);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text)) <= 0 || !strstr(text, "Pss:"))
		_exit(101);
	if (syscall(SYS_kcmp, victims.victim, getpid(), KCMP_VM_, 0, 0) < 0)
		_exit(102);
	if (memfd_new_sealed("drill", &image, 1, &fd) < 0 ||
		memfd_check_sealed(fd, 4096, &size) < 0)
		_exit(103);
	leases_init(&leases);
	if (leases_add(&leases, VICTIMS_NOBODY, fd) != 0)
		_exit(106);
	leases_sum(&leases, VICTIMS_NOBODY, &sum);
	close(fd);
	if (sum.count != 1)
		_exit(107);
	leases_sum(&leases, VICTIMS_NOBODY, &sum);
	leases_done(&leases);
	if (sum.count != 0)
		_exit(108);
	lock_trial_init(&trial);
	if (lock_trial_ask(&trial) < 0)
		_exit(104);
	for (int i = 0; i < 3000 && !lock_trial_answer(&trial, &cpu_ns); i++)
		nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
	/*
	 * The verdict depends on the load of the machine. The page tables of 384 MiB take some time
	 * at least.
	 */
	if (cpu_ns < 1000 * 1000)
		_exit(105);
}

static void be_memtallyd(void)
{
	struct account account, of_resolver;

	if (drop_privileges_accounts(&account, &of_resolver) < 0)
		_exit(99);
	victims_meet_fellow(account.uid);
	if (drop_privileges_daemon(&account, false) < 0)
		_exit(100);
	work_of_memtallyd();
	drill_attack(ATTEMPTS_BY_MEMTALLYD);
}

/*
 * memtallyd, which they serve, runs as another user. They can neither become that user nor kill
 * memtallyd, though the kernel alone would let them.
 */
static void serve_memtallyd(void)
{
	struct account account, of_daemon;

	if (drop_privileges_accounts(&of_daemon, &account) < 0)
		_exit(99);
	victims_meet_master(of_daemon.uid);
	victims_meet_fellow(account.uid);
	if (drop_privileges_fork_server(&account, of_daemon.uid) < 0)
		_exit(100);
	if (getuid() != account.uid || geteuid() != account.uid || account.uid == of_daemon.uid)
		_exit(101);
	if (kill(victims.master, SIGKILL) == 0 || errno != EPERM)
		_exit(102);
}

/*
 * The fork server creates and kills children, a few at a time. Each child gives up rights that only
 * the fork server needs.
 */
static void work_of_the_fork_server(void)
{
	enum { MOST = 20 };
	pid_t children[MOST];
	int count = 0, made, status;

	while (count < MOST && (children[count] = fork()) > 0)
		count++;
	if (count < MOST && children[count] == 0)
		for (;;)
			nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
	made = count;
	while (count--)
		if (kill(children[count], SIGKILL) < 0 ||
			waitpid(children[count], &status, 0) != children[count])
			_exit(103);
	if (made < 3 || made == MOST)
		_exit(104);
	children[0] = fork();
	if (children[0] == 0)
		_exit(drop_privileges_resolver() == 0 && getpwuid(0) ? 0 : 1);
	if (waitpid(children[0], &status, 0) != children[0] || status != 0)
		_exit(105);
}

static void be_fork_server(void)
{
	serve_memtallyd();
	work_of_the_fork_server();
	drill_attack(ATTEMPTS_BY_FORK_SERVER);
}

/* The resolver has its parent's filter and one more. */
static void be_resolver(void)
{
	serve_memtallyd();
	if (drop_privileges_resolver() < 0)
		_exit(103);
	if (!getpwuid(0))
		_exit(104);
	if (fork() >= 0 || errno != EPERM || kill(victims.fellow, SIGKILL) == 0 || errno != EPERM)
		_exit(105);
	drill_attack(ATTEMPTS_BY_RESOLVER);
}

/*
 * As root, its new uid is not known beforehand. So it has a process of its own uid (a fellow) only
 * as an ordinary user.
 */
static void be_web(void)
{
	const char *const files[] = {victims.file, NULL, "/no/such/file", victims.link};
	const struct listen_set set = {.count = 0};
	char text[64];
	int fd;

	if (!victims.fellow)
		victims.fellow = victims.nobodys;
	if (sandbox_enter(files, ARRAY_SIZE(files), &set) < 0)
		_exit(100);
	/*
	 * It can read its configuration, also after replacement, and its own /proc entry, and can
	 * connect to memtallyd.
	 */
	fd = open(victims.file, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text)) <= 0)
		_exit(101);
	if (!attempts_opens(victims.link, O_RDONLY) || !attempts_opens(victims.target, O_RDONLY))
		_exit(105);
	fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text)) <= 0 ||
		!attempts_opens("/proc/self/fd", O_RDONLY | O_DIRECTORY))
		_exit(102);
	if (socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0) < 0)
		_exit(103);
	if (attempts_opens("/etc/passwd", O_RDONLY) || attempts_opens_of_victim("status", O_RDONLY))
		_exit(104);
	drill_attack(ATTEMPTS_BY_WEB);
}

/* One file of a directory becomes readable; the directory and its other files do not. */
static void be_web_configured_in_the_root(void)
{
	const char *const files[] = {"/file", "/no such file"};
	const struct listen_set set = {.count = 0};
	int fd;

	if (chroot(victims.directory) < 0 || chdir("/") < 0)
		_exit(99);
	fd = open("/other", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0 || close(fd) < 0 || sandbox_enter(files, ARRAY_SIZE(files), &set) < 0)
		_exit(100);
	if (!attempts_opens("/file", O_RDONLY))
		_exit(101);
	_exit(attempts_opens("/other", O_RDONLY) || attempts_opens("/", O_RDONLY | O_DIRECTORY)
			? 102
			: 0);
}

/* As an ordinary user, whose other processes have the same uid. */
static void be_web_of_a_user(void)
{
	victims_meet_fellow(VICTIMS_NOBODY);
	if (setgroups(0, NULL) < 0 ||
		setresgid(VICTIMS_NOBODY, VICTIMS_NOBODY, VICTIMS_NOBODY) < 0 ||
		setresuid(VICTIMS_NOBODY, VICTIMS_NOBODY, VICTIMS_NOBODY) < 0)
		_exit(99);
	be_web();
}

static void be_unrestricted_root(void)
{
	victims_meet_fellow(0);
	drill_attack(ATTEMPTS_BY_NOBODY);
}

static void be_memtallyd_that_stays_root(void)
{
	struct account account, of_resolver;

	drill_lose_setuid();
	if (drop_privileges_accounts(&account, &of_resolver) < 0)
		_exit(99);
	_exit(drop_privileges_daemon(&account, false) == -EPERM ? 0 : 1);
}

static void be_web_that_stays_root(void)
{
	const struct listen_set set = {.count = 0};

	drill_lose_setuid();
	_exit(sandbox_enter(NULL, 0, &set) == -EPERM ? 0 : 1);
}

static void attempts_succeed_with_roots_rights(void **state)
{
	(void)state;
	drill_needs_root();
	assert_int_equal(drill_run(be_unrestricted_root), 0);
}

static void memtallyd_is_useless_to_an_attacker(void **state)
{
	(void)state;
	drill_needs_root();
	assert_int_equal(drill_run(be_memtallyd), 0);
	assert_string_equal(victims.secret, "secret");
}

static void the_fork_server_is_useless_to_an_attacker(void **state)
{
	(void)state;
	drill_needs_root();
	assert_int_equal(drill_run(be_fork_server), 0);
}

static void the_resolver_is_useless_to_an_attacker(void **state)
{
	(void)state;
	drill_needs_root();
	assert_int_equal(drill_run(be_resolver), 0);
}

static void memtally_web_is_useless_to_an_attacker(void **state)
{
	(void)state;
	drill_needs_root();
	drill_needs_landlock();
	assert_int_equal(drill_run(be_web), 0);
	assert_int_equal(drill_run(be_web_of_a_user), 0);
	assert_int_equal(drill_run(be_web_configured_in_the_root), 0);
}

static void no_daemon_runs_as_root(void **state)
{
	(void)state;
	drill_needs_root();
	if (!userns_is_root_outside())
		skip();
	assert_int_equal(drill_run(be_memtallyd_that_stays_root), 0);
	assert_int_equal(drill_run(be_web_that_stays_root), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memtallyd_is_useless_to_an_attacker),
		cmocka_unit_test(the_fork_server_is_useless_to_an_attacker),
		cmocka_unit_test(the_resolver_is_useless_to_an_attacker),
		cmocka_unit_test(memtally_web_is_useless_to_an_attacker),
		cmocka_unit_test(no_daemon_runs_as_root),
		cmocka_unit_test(attempts_succeed_with_roots_rights),
	};

	return cmocka_run_group_tests(tests, victims_open, victims_done);
}
