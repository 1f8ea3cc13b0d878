/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blocked - processes with files in /proc that block their readers until the kernel releases a lock
 *
 *     blocked KIND [--count=N] [--seconds=S] [--every=S] [--mib=M] [--device=FUSE] [--freezer=FOLDER]
 *
 * exec: calls exec with an O_CLOEXEC file of a FUSE server that does not answer. The kernel holds
 * exec_update_lock meanwhile.
 *
 * fault: faults on a mapped file of such a server and holds the mmap lock; another thread waits to
 * write to the lock.
 *
 * frozen: as fault; then the freezer stops the server and the process in FOLDER, a cgroup of
 * version 1 or 2.
 *
 * userfault: faults on memory registered with a userfaultfd that provides no page.
 *
 * starved: four threads of SCHED_IDLE call mmap() and munmap() on one processor, with N busy loops.
 * The threads hold the lock for as long as they starve. Other processors stay free.
 *
 * Prints "ready PID" for each process (in the pid namespace of the caller) as soon as it blocks
 * readers. SIGUSR1 releases all of them, and "released" is printed. With --every each process
 * begins S seconds after the previous one. With --mib each process first fills M MiB of memory, in
 * mappings of 8 KiB, so that a walk takes long, and "filled PID" is printed; it begins to block
 * after SIGUSR2. All processes end after --seconds (default: 20), on SIGTERM, and with the caller.
 *
 * exec, fault and frozen mount the file system in a mount namespace of their own, and, if not root,
 * in a user namespace: an ordinary user needs only the right to open the device. Exit status 77:
 * the kernel refuses what KIND needs.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "tests/tools/processes/blocked.h"

enum {
	SECONDS = 20,
	SECONDS_MAX = 3600,
	MIB_MAX = 400, /* vm.max_map_count is 65530 */
};

static char mount_point[256];
static pid_t supervisor;

static const char *const kind_names[KINDS] = {"exec", "fault", "frozen", "userfault", "starved"};

struct options {
	enum kind kind;
	size_t count, seconds, busy;
	size_t every, mib;
	const char *device, *freezer;
};

void blocked_end(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs(status == EXIT_SKIP ? "SKIP: " : "blocked: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(status);
}

/*
 * Parses TEXT as FLAG followed by a number up to MAX. Returns whether it is that; *RET is then the
 * number.
 */
static bool parse_number(const char *text, const char *flag, uint64_t max, size_t *ret)
{
	size_t len = strlen(flag);
	uint64_t number;

	if (strncmp(text, flag, len) != 0 ||
		number_parse_u64(text + len, strlen(text + len), &number) < 0 || number > max)
		return false;
	*ret = number;
	return true;
}

/* Forks a child that is killed when its parent exits. Returns as fork() does. */
static pid_t start(void)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		blocked_end(EXIT_FAILURE, "fork: %s", strerror(errno));
	if (pid == 0) {
		sigset_t none;

		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(EXIT_FAILURE);
	}
	return pid;
}

static bool put(const char *path, const char *text)
{
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

/*
 * Returns the state of the first thread of PID: 'D' while it sleeps for a lock. Reading status
 * takes no lock.
 */
static char state_of(pid_t pid)
{
	char path[64], text[1024];
	const char *line;
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);

	len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (len <= 0)
		return '?';
	text[len] = '\0';
	line = strstr(text, "\nState:\t");
	return line ? line[8] : '?';
}

/* Waits until process I may begin to block. */
static void wait_for_turn(
	const struct options *o, const struct shared *s, struct victim *v, size_t i)
{
	struct timespec pause = {.tv_sec = (time_t)(i * o->every)};

	while (!*(const volatile bool *)&s->opened)
		blocked_nap();
	if (o->mib) {
		blocked_fill(o->mib << 20);
		v->is_filled = true;
		while (!*(const volatile bool *)&s->begun)
			blocked_nap();
	}
	nanosleep(&pause, NULL);
}

static void start_victim(const struct options *o, struct shared *s, size_t i)
{
	pid_t pid = start();

	if (pid) {
		s->victim[i].pid = pid;
		return;
	}
	wait_for_turn(o, s, &s->victim[i], i);
	blocked_block(o->kind, mount_point, s, i);
}

/* Counts as one of the processes, since it ends with them. */
static void start_busy(struct shared *s, size_t i)
{
	pid_t pid = start();

	if (pid == 0)
		blocked_be_busy(s, &s->victim[0]);
	s->victim[i].pid = pid;
}

/*
 * Mounts the file system, visible to this process and its children only. Returns the descriptor of
 * the device.
 */
static int mount_fuse(const struct options *o)
{
	char text[256];
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int dev;

	if (unshare(CLONE_NEWNS | (uid ? CLONE_NEWUSER : 0)) < 0)
		blocked_end(EXIT_SKIP, "unshare: %s", strerror(errno));
	if (uid) {
		put("/proc/self/setgroups", "deny");
		snprintf(text, sizeof(text), "0 %u 1", uid);
		if (!put("/proc/self/uid_map", text))
			blocked_end(EXIT_SKIP, "uid_map: %s", strerror(errno));
		snprintf(text, sizeof(text), "0 %u 1", gid);
		put("/proc/self/gid_map", text);
	}
	if (mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) < 0)
		blocked_end(EXIT_SKIP, "mount: %s", strerror(errno));
	dev = open(o->device, O_RDWR | O_CLOEXEC);
	if (dev < 0)
		blocked_end(EXIT_SKIP, "%s: %s", o->device, strerror(errno));
	snprintf(text, sizeof(text), "fd=%d,rootmode=40000,user_id=0,group_id=0", dev);
	if (mount("blocked", mount_point, "fuse", MS_NOSUID | MS_NODEV, text) < 0)
		blocked_end(EXIT_SKIP, "mount: %s", strerror(errno));
	return dev;
}

/* Version 1 has freezer.state, version 2 cgroup.freeze. */
static bool freeze(const char *folder, bool is_on)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/freezer.state", folder);
	if (put(path, is_on ? "FROZEN" : "THAWED"))
		return true;
	snprintf(path, sizeof(path), "%s/cgroup.freeze", folder);
	return put(path, is_on ? "1" : "0");
}

static void move_to(const char *folder, pid_t pid)
{
	char path[512], text[32];

	snprintf(path, sizeof(path), "%s/cgroup.procs", folder);
	snprintf(text, sizeof(text), "%d", (int)pid);
	if (!put(path, text))
		blocked_end(EXIT_SKIP, "%s: %s", path, strerror(errno));
}

/* Lines about a process that have been printed. */
struct said {
	bool is_filled, is_blocked;
};

/*
 * Returns whether readers of V are blocked. For a fault: when the first thread waits to write to
 * the mmap lock.
 */
static bool is_blocked(enum kind kind, const struct victim *v)
{
	return v->holds && ((kind != FAULT && kind != FROZEN) || state_of(v->pid) == 'D');
}

/*
 * Prints which processes have filled their memory, and which now block. Returns whether some do not
 * block yet.
 */
static bool report(const struct options *o, struct shared *s, struct said *said)
{
	bool any = false;

	for (size_t i = 0; i < o->count; i++) {
		const struct victim *v = &s->victim[i];

		if (!said[i].is_filled && *(const volatile bool *)&v->is_filled) {
			said[i].is_filled = true;
			printf("filled %d\n", (int)v->pid);
		}
		if (!said[i].is_blocked && is_blocked(o->kind, v)) {
			said[i].is_blocked = true;
			printf("ready %d\n", (int)v->pid);
		}
		any = any || !said[i].is_blocked;
	}
	fflush(stdout);
	return any;
}

/* Kills all children before it thaws them: only a kill ends a process that sleeps for a lock. */
static void end_all(const struct options *o, const struct shared *s, pid_t server)
{
	if (server)
		kill(server, SIGKILL);
	for (size_t i = 0; i < COUNT_MAX; i++)
		if (s->victim[i].pid)
			kill(s->victim[i].pid, SIGKILL);
	if (o->freezer)
		freeze(o->freezer, false);
}

static void supervise(
	const struct options *o, struct shared *s, pid_t server, const sigset_t *signals)
{
	static struct said said[COUNT_MAX];
	struct timespec tick = {.tv_nsec = TICK_US * 1000L};
	time_t limit = time(NULL) + (time_t)o->seconds;
	bool waits = true, is_frozen = false;

	while (time(NULL) < limit) {
		int status, signal = sigtimedwait(signals, NULL, &tick);

		if (signal == SIGTERM || signal == SIGINT)
			break;
		if (signal == SIGCHLD && waits && !s->released &&
			waitpid(-1, &status, WNOHANG) > 0) {
			end_all(o, s, server);
			blocked_end(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SKIP
					    ? EXIT_SKIP
					    : EXIT_FAILURE,
				"a process ended before it was blocked");
		}
		if (waits)
			waits = report(o, s, said);
		if (!waits && !is_frozen && o->freezer) {
			is_frozen = true;
			puts(freeze(o->freezer, true) ? "frozen" : "cannot freeze");
			fflush(stdout);
		}
		if (signal == SIGUSR2)
			s->begun = true;
		if (signal == SIGUSR1) {
			s->released = true;
			if (o->freezer)
				freeze(o->freezer, false);
			puts("released");
			fflush(stdout);
		}
	}
	end_all(o, s, server);
	while (wait(NULL) > 0 || errno == EINTR)
		;
}

static void parse(int argc, char *argv[], struct options *o)
{
	size_t kind = 0;

	while (kind < KINDS && (argc < 2 || strcmp(argv[1], kind_names[kind]) != 0))
		kind++;
	*o = (struct options){
		.kind = (enum kind)kind, .count = 1, .seconds = SECONDS, .device = "/dev/fuse"};
	for (int i = 2; i < argc; i++) {
		if (parse_number(argv[i], "--count=", COUNT_MAX - 1, &o->count) ||
			parse_number(argv[i], "--seconds=", SECONDS_MAX, &o->seconds) ||
			parse_number(argv[i], "--every=", SECONDS_MAX, &o->every) ||
			parse_number(argv[i], "--mib=", MIB_MAX, &o->mib))
			continue;
		if (!strncmp(argv[i], "--device=", 9))
			o->device = argv[i] + 9;
		else if (!strncmp(argv[i], "--freezer=", 10))
			o->freezer = argv[i] + 10;
		else
			kind = KINDS;
	}
	if (kind == STARVED) {
		o->busy = o->count;
		o->count = 1;
	}
	if (kind == KINDS || (kind == FROZEN) != (o->freezer != NULL))
		blocked_end(EXIT_FAILURE,
			"usage: blocked exec|fault|frozen|userfault|starved [--count=N] "
			"[--seconds=S] [--every=S] [--mib=M] [--device=FUSE] "
			"[--freezer=FOLDER]");
}

/*
 * Starts the FUSE server. Only the server keeps the device open, so the connection ends with the
 * server.
 */
static pid_t start_server(struct shared *s, int dev)
{
	pid_t server = start();

	if (server == 0)
		blocked_serve(dev, s);
	close(dev);
	return server;
}

static void remove_mount_point(void)
{
	if (getpid() != supervisor)
		return;
	umount2(mount_point, MNT_DETACH);
	rmdir(mount_point);
}

int main(int argc, char *argv[])
{
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	struct options o;
	sigset_t signals;
	pid_t server = 0;

	if (argc == 2 && !strcmp(argv[1], "settled"))
		for (;;)
			pause();
	parse(argc, argv, &o);
	if (s == MAP_FAILED)
		blocked_end(EXIT_FAILURE, "mmap: %s", strerror(errno));
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigaddset(&signals, SIGUSR2);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, NULL);

	if (o.kind <= FROZEN) {
		const char *folder = getenv("TMPDIR");

		snprintf(mount_point, sizeof(mount_point), "%s/blocked.XXXXXX",
			folder ? folder : "/tmp");
		if (!mkdtemp(mount_point))
			blocked_end(EXIT_FAILURE, "%s: %s", mount_point, strerror(errno));
		supervisor = getpid();
		atexit(remove_mount_point);
		server = start_server(s, mount_fuse(&o));
	}
	for (size_t i = 0; i < o.count; i++)
		start_victim(&o, s, i);
	for (size_t i = 0; i < o.busy; i++)
		start_busy(s, i + 1);
	if (o.freezer) {
		move_to(o.freezer, server);
		for (size_t i = 0; i < o.count; i++)
			move_to(o.freezer, s->victim[i].pid);
	}
	s->opened = true;
	supervise(&o, s, server, &signals);
	return EXIT_SUCCESS;
}
