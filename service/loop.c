/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "service/loop.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <systemd/sd-daemon.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/saturate.h"

#define WITHOUT_MEMORY_NS (10 * NS_PER_MSEC) /* pause before the next try */

static int open_signals(int *ret_fd)
{
	const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
	sigset_t set;
	int fd;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		sigaddset(&set, numbers[i]);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	if (signal(SIGPIPE, SIG_IGN) == SIG_ERR)
		return -errno;
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

int loop_open(struct loop *l, const char *path)
{
	uint64_t usec;
	int r;

	*l = (struct loop)LOOP_CLOSED;
	r = open_signals(&l->signals);
	if (r == 0)
		r = link_init(&l->link, path);
	if (r < 0) {
		log_error("cannot receive signals and snapshots: %s", strerror(-r));
		return r;
	}
	if (sd_watchdog_enabled(0, &usec) > 0)
		l->watchdog_ns = usec * NS_PER_USEC / 2;
	return 0;
}

void loop_close(struct loop *l)
{
	link_done(&l->link);
	l->signals = fd_close(l->signals);
}

static int wait_ms(const struct loop *l, uint64_t now_ns, uint64_t due_ns)
{
	due_ns = saturate_min(due_ns, link_due_ns(&l->link));
	if (l->watchdog_ns)
		due_ns = saturate_min(due_ns, l->watchdog_due_ns);
	if (due_ns == UINT64_MAX)
		return -1;
	if (due_ns <= now_ns)
		return 0;
	due_ns = (due_ns - now_ns + NS_PER_MSEC - 1) / NS_PER_MSEC;
	return due_ns < INT_MAX ? (int)due_ns : INT_MAX;
}

bool loop_wait(struct loop *l, struct pollfd *p, size_t count, uint64_t now_ns, uint64_t due_ns)
{
	p[LOOP_SIGNALS] = (struct pollfd){.fd = l->signals, .events = POLLIN};
	p[LOOP_LINK] = (struct pollfd){.fd = l->link.fd, .events = POLLIN};
	if (poll(p, (nfds_t)count, wait_ms(l, now_ns, due_ns)) >= 0 || errno == EINTR)
		return true;
	if (errno != ENOMEM) {
		log_error("cannot wait for events: %s", strerror(errno));
		return false;
	}
	/* The host will have memory again: a late answer is better than ended connections. */
	nanosleep(&(struct timespec){.tv_nsec = WITHOUT_MEMORY_NS}, NULL);
	return true;
}

int loop_signal(const struct loop *l)
{
	struct signalfd_siginfo info;

	return read(l->signals, &info, sizeof(info)) == sizeof(info) ? (int)info.ssi_signo : 0;
}

static void say_news(const struct link *l)
{
	static const enum log_level levels[] = {
		[LINK_INFO] = LOG_LEVEL_INFO,
		[LINK_WARNING] = LOG_LEVEL_WARNING,
		[LINK_ERROR] = LOG_LEVEL_ERROR,
	};
	enum link_weight weight;
	const char *news = link_news(l, &weight);

	if (news)
		log_message(levels[weight], "%s", news);
}

bool loop_receive(struct loop *l, uint64_t now_ns, struct view **ret)
{
	bool has_come = link_run(&l->link, now_ns, ret);

	say_news(&l->link);
	return has_come;
}

void loop_beat(struct loop *l, uint64_t now_ns)
{
	if (!l->watchdog_ns || now_ns < l->watchdog_due_ns)
		return;
	sd_notify(0, "WATCHDOG=1");
	l->watchdog_due_ns = now_ns + l->watchdog_ns;
}
