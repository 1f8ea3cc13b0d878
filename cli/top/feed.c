/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/feed.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/os/channel.h"
#include "base/saturate.h"
#include "cli/common/source.h"
#include "render/human.h"
#include "snapshot/client.h"

/* The child's pauses: at least 3 s, and so that it uses at most a twentieth of a core. */
#define OWN_PAUSE_MIN_NS (3 * NS_PER_SEC)
enum { OWN_PAUSE_PARTS = 19, MS_PER_SEC = 1000 };

/* Waits up to NS. Returns false if the parent has gone. */
static bool pause_own(int fd, uint64_t ns)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, (int)saturate_min(ns / NS_PER_MSEC + 1, INT32_MAX)) == 0;
}

/*
 * A pass leaves processes behind that have read for it, since most commands end after one pass. Has
 * the kernel reap those that end from now on, and reaps those that have ended.
 */
static void leave_children(void)
{
	signal(SIGCHLD, SIG_IGN);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

/*
 * The child: measures and sends until the parent has gone. Returns a positive errno. While the parent
 * takes no images, because its terminal is stopped, none are made: they would fill the memory.
 */
static int measure_on(const struct settings *settings, int fd)
{
	uint64_t pause_ns = OWN_PAUSE_MIN_NS;

	do {
		uint64_t begin_ns = clock_now_ns(CLOCK_MONOTONIC);
		AUTO_CLOSE int image = -1;
		int r;

		if (!channel_is_drained(fd))
			continue;
		signal(SIGCHLD, SIG_DFL); /* the pass waits for some of its children */
		r = source_measure(settings, pause_ns, &image);
		leave_children();
		if (r == 0)
			r = channel_send_fd(fd, image);
		if (r < 0 && r != -EAGAIN)
			return -r;
		pause_ns = saturate_max(OWN_PAUSE_MIN_NS,
			OWN_PAUSE_PARTS * (clock_now_ns(CLOCK_MONOTONIC) - begin_ns));
	} while (pause_own(fd, pause_ns));
	return 0;
}

/* The child keeps nothing of the terminal, and ends with its parent. */
static void leave_terminal(pid_t parent)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int signal_number = 1; signal_number < NSIG; signal_number++)
		signal(signal_number, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	for (int fd = 0; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
}

/* Starts the child. If the kernel refuses one, .own_error says why. */
static void start_own(struct feed *f)
{
	pid_t parent = getpid();
	int fds[2];

	f->own_error = 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) < 0) {
		f->own_error = errno;
		return;
	}
	f->own_pid = fork();
	if (f->own_pid == 0) {
		leave_terminal(parent);
		fd_close(fds[0]);
		_exit(measure_on(f->settings, fds[1]));
	}
	fd_close(fds[1]);
	if (f->own_pid < 0) {
		f->own_error = errno;
		f->own_pid = 0;
		fds[0] = fd_close(fds[0]);
	}
	f->own_fd = fds[0];
}

static void reap_own(struct feed *f)
{
	if (f->ended_pid && waitpid(f->ended_pid, NULL, WNOHANG) != 0)
		f->ended_pid = 0;
}

/*
 * The child may sleep in the kernel: it is not waited for, but reaped later, by feed_run() or, after
 * this process, by init.
 */
static void stop_own(struct feed *f)
{
	f->own_fd = fd_close(f->own_fd);
	if (f->own_pid) {
		kill(f->own_pid, SIGKILL);
		f->ended_pid = f->own_pid;
		f->own_pid = 0;
	}
	reap_own(f);
}

int feed_open(struct feed *f, const struct settings *settings)
{
	const struct passwd *pw = getpwuid(geteuid());

	*f = (struct feed){.settings = settings, .own_fd = -1};
	snprintf(f->user, sizeof(f->user), "%s", pw ? pw->pw_name : "this user");
	if (settings->live) {
		start_own(f);
		return 0;
	}
	f->has_link = true;
	return link_init(&f->link, settings->snapshot_socket);
}

void feed_close(struct feed *f)
{
	stop_own(f);
	if (f->has_link)
		link_done(&f->link);
	f->view = view_unref(f->view);
}

static void feed_take(struct feed *f, struct view *view, bool is_own)
{
	view_unref(f->view);
	f->view = view;
	f->is_own = is_own;
}

/* The child has ended: finds out why. */
static void end_own(struct feed *f)
{
	int status = 0;

	f->own_fd = fd_close(f->own_fd);
	if (waitpid(f->own_pid, &status, 0) == f->own_pid && WIFEXITED(status))
		f->own_error = WEXITSTATUS(status);
	if (!f->own_error)
		f->own_error = ECHILD;
	f->own_pid = 0;
}

static bool run_own(struct feed *f)
{
	struct view *view;
	const char *reason;
	int r = client_receive(f->own_fd, &view, &reason);

	if (r == 0) {
		feed_take(f, view, true);
	} else if (r == CLIENT_CLOSED) {
		end_own(f);
	} else if (r < 0) {
		/* It does not know, and may be in a pass. */
		stop_own(f);
		f->own_error = -r;
	}
	return r == 0;
}

bool feed_run(struct feed *f, uint64_t now_ns)
{
	struct view *view;

	reap_own(f);
	if (f->has_link && link_run(&f->link, now_ns, &view)) {
		stop_own(f);
		feed_take(f, view, false);
		return true;
	}
	/* A memtallyd that has served once is waited for. */
	if (f->has_link && !f->link.received && !link_is_connected(&f->link) && !f->own_pid &&
		!f->own_error)
		start_own(f);
	return f->own_fd >= 0 && run_own(f);
}

size_t feed_poll(const struct feed *f, struct pollfd ret[static FEED_POLLS])
{
	size_t count = 0;

	if (f->has_link && link_is_connected(&f->link))
		ret[count++] = (struct pollfd){.fd = f->link.fd, .events = POLLIN};
	if (f->own_fd >= 0)
		ret[count++] = (struct pollfd){.fd = f->own_fd, .events = POLLIN};
	return count;
}

uint64_t feed_due_ns(const struct feed *f)
{
	return f->has_link ? link_due_ns(&f->link) : UINT64_MAX;
}

/* Appends the reason why there is no snapshot of this source yet. */
static void add_nothing_yet(const struct feed *f, struct buffer *to)
{
	if (f->own_error)
		buffer_printf(to, "cannot measure: %s: %s", f->settings->path_procfs,
			f->own_error == ECHILD ? "the measuring process was ended"
					       : strerror(f->own_error));
	else if (f->own_pid)
		buffer_add_text(to, "reading all processes for the first time ...");
	else
		link_explain(&f->link, clock_now_ns(CLOCK_MONOTONIC), to);
}

void feed_add_problem(const struct feed *f, struct buffer *to)
{
	uint64_t now_ns = clock_now_ns(CLOCK_BOOTTIME);

	if (!f->view) {
		add_nothing_yet(f, to);
		return;
	}
	if (f->is_own && f->own_error) {
		add_nothing_yet(f, to);
		return;
	}
	if (!f->is_own) {
		link_explain(&f->link, clock_now_ns(CLOCK_MONOTONIC), to);
		if (to->len) {
			buffer_add_text(to,
				". memtally top waits for it; memtally top --live measures itself.");
			return;
		}
	}
	if (!view_is_stale(f->view, now_ns))
		return;
	buffer_add_text(
		to, f->is_own ? "no new figures: reading the processes takes longer than usual. "
			      : "no new figures: memtallyd's next snapshot is overdue. ");
	buffer_add_text(to, "The last one is of ");
	human_add_age(to, view_age_ns(f->view, now_ns));
	buffer_add_text(to, " ago.");
}

void feed_add_origin(const struct feed *f, struct buffer *to)
{
	if (!f->is_own && !f->own_pid)
		return;
	buffer_printf(to, "measured by memtally itself, with the rights of %s", f->user);
	if (f->view && feed_sight(f).kind == SIGHT_OWN)
		buffer_add_text(to, ": your own processes");
	if (!f->has_link)
		return;
	buffer_add_text(to, " (");
	link_explain(&f->link, clock_now_ns(CLOCK_MONOTONIC), to);
	buffer_add_char(to, ')');
}

struct sight feed_sight(const struct feed *f)
{
	if (!f->is_own || f->settings->live || source_sees_others(f->view))
		return (struct sight){.kind = SIGHT_ALL};
	return (struct sight){.kind = SIGHT_OWN, .uid = geteuid()};
}
