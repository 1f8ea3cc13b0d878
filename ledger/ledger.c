/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "ledger/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>
#include <time.h>
#include <unistd.h>

#include "base/channel.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/resident.h"
#include "config/help.h"
#include "config/settings.h"
#include "confine/inheritance.h"
#include "ledger/desk.h"
#include "ledger/enclosure.h"
#include "ledger/keeper.h"
#include "snapshot/link.h"

enum {
	EXIT_USAGE = 2, /* a wrong flag or configuration: another try does not mend it */
	SOCKET_MODE =
		0666, /* anybody may ask; what they get, the kernel's word on who they are decides */
};

#define WITHOUT_MEMORY_NS (10 * NS_PER_MSEC) /* until it is tried again to wait */

struct ledger {
	const struct settings *settings;
	char *directory;    /* owned; absolute, without symbolic links */
	const char *socket; /* that we have made; NULL: it was passed */
	struct reader_rules rules;
	struct link link;
	struct desk desk;
	struct keeper keeper;
	int signals;          /* signalfd */
	uint64_t watchdog_ns; /* how often to tell the service manager; 0: never */
	uint64_t watchdog_due_ns;
	bool stops;
	int status; /* to exit with where it can't start */
};

enum { POLL_SIGNALS, POLL_LINK, POLL_DESK, POLLS = POLL_DESK + DESK_POLLS };

static int print_help(void)
{
	AUTO_BUFFER struct buffer text = {0};

	help_render(PROGRAM_LEDGER, "memtally-ledger [FLAG...]",
		"Keeps who has used how much memory over time, for `memtally usage`.", &text);
	if (text.error || fwrite(text.data, 1, text.len, stdout) != text.len || fflush(stdout))
		return EXIT_FAILURE;
	return EXIT_SUCCESS;
}

/* A restart loses nothing: so nothing is read again, and who hangs up on a ledger in a terminal has it end. */
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
	/* A limit of a file's size is a full disk. */
	if (signal(SIGPIPE, SIG_IGN) == SIG_ERR || signal(SIGXFSZ, SIG_IGN) == SIG_ERR)
		return -errno;
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

/* The socket that systemd has passed, or one of our own; which is then in L. */
static int open_socket(struct ledger *l, int *ret_fd)
{
	const char *path = l->settings->ledger_socket;
	int count = sd_listen_fds(1), r;

	if (count > 0) {
		r = sd_is_socket(SD_LISTEN_FDS_START, AF_UNIX, SOCK_SEQPACKET, 1);
		if (count > 1 || r <= 0) {
			log_error(
				"expected one listening UNIX socket of sequential packets from systemd");
			return -EINVAL;
		}
		if (fcntl(SD_LISTEN_FDS_START, F_SETFL, O_NONBLOCK) < 0)
			return -errno;
		*ret_fd = SD_LISTEN_FDS_START;
		log_info("listening on the socket that systemd has passed");
		return 0;
	}
	r = count < 0 ? count
	              : channel_listen(path, SOCK_SEQPACKET, SOCKET_MODE, SOMAXCONN, ret_fd);
	if (r < 0) {
		log_error("can't listen on %s: %s", path,
			r == -ENOTSOCK     ? "something else stands at this path"
			: r == -EADDRINUSE ? "another process answers there"
					   : strerror(-r));
		return r;
	}
	l->socket = path;
	log_info("listening on %s", path);
	return 0;
}

static int find_directory(struct ledger *l)
{
	const char *path = l->settings->ledger_directory;

	l->directory = realpath(path, NULL);
	if (l->directory && strlen(l->directory) <= STORE_PATH_MAX)
		return 0;
	log_error("the ledger's directory %s: %s", path,
		l->directory ? "its path is too long" : strerror(errno));
	return -EINVAL;
}

static void init_watchdog(struct ledger *l)
{
	uint64_t usec;

	if (sd_watchdog_enabled(0, &usec) > 0)
		l->watchdog_ns = usec * NS_PER_USEC / 2;
}

static int start(struct ledger *l)
{
	int fd = -1, r = open_signals(&l->signals);

	if (r < 0) {
		log_error("can't receive signals: %s", strerror(-r));
		return r;
	}
	r = find_directory(l);
	if (r == 0)
		r = open_socket(l, &fd);
	if (r < 0)
		return r;
	desk_init(&l->desk, fd, &l->rules);
	r = reader_rules_read("/etc/group", &l->rules);
	if (r < 0)
		log_warning("can't look up group memtally: %s; its members are like anybody",
			strerror(-r));
	r = link_init(&l->link, l->settings->snapshot_socket);
	if (r < 0)
		log_error("can't start: %s", strerror(-r));
	init_watchdog(l);
	return r;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t slots_in(enum slot_level level, uint64_t ns)
{
	uint64_t slot_ns = (uint64_t)slots_seconds(level) * NS_PER_SEC;

	return (ns + slot_ns - 1) / slot_ns;
}

/* Of what is kept by five minutes there are the hours, too, and of these the days: whole ones are summed up by them. */
static void get_limits(const struct settings *c, struct store_limits *ret)
{
	uint64_t hours_ns = most(c->ledger_keep_hours_ns, c->ledger_keep_buckets_ns);

	ret->slots[SLOT_BUCKET] = slots_in(SLOT_BUCKET, c->ledger_keep_buckets_ns);
	ret->slots[SLOT_HOUR] = slots_in(SLOT_HOUR, hours_ns);
	ret->slots[SLOT_DAY] = slots_in(SLOT_DAY, most(c->ledger_keep_days_ns, hours_ns));
	ret->bytes = c->ledger_max_size_mib << 20;
}

static int open_ledger(struct ledger *l)
{
	struct store_limits limits;
	int r;

	get_limits(l->settings, &limits);
	r = keeper_open(&l->keeper, l->directory, &limits);
	if (r == STORE_FOREIGN)
		l->status = EXIT_USAGE;
	if (r == 0)
		log_info("the ledger is in %s", l->directory);
	return r;
}

static void serve_signals(struct ledger *l)
{
	struct signalfd_siginfo info;

	while (read(l->signals, &info, sizeof(info)) == sizeof(info))
		l->stops = true;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int wait_ms(const struct ledger *l, uint64_t now_ns)
{
	uint64_t due = earlier(link_due_ns(&l->link), desk_due_ns(&l->desk, now_ns));

	due = earlier(due, keeper_due_ns(&l->keeper, now_ns));
	if (l->watchdog_ns)
		due = earlier(due, l->watchdog_due_ns);
	if (due == UINT64_MAX)
		return -1;
	if (due <= now_ns)
		return 0;
	due = (due - now_ns + NS_PER_MSEC - 1) / NS_PER_MSEC;
	return due < INT_MAX ? (int)due : INT_MAX;
}

/* False: it can't be done. */
static bool wait_for_events(struct ledger *l, uint64_t now_ns)
{
	struct pollfd poll_fd[POLLS];
	size_t count;

	poll_fd[POLL_SIGNALS] = (struct pollfd){.fd = l->signals, .events = POLLIN};
	poll_fd[POLL_LINK] = (struct pollfd){.fd = l->link.fd, .events = POLLIN};
	count = desk_poll(&l->desk, now_ns, poll_fd + POLL_DESK);
	if (poll(poll_fd, (nfds_t)(POLL_DESK + count), wait_ms(l, now_ns)) >= 0 || errno == EINTR)
		return true;
	if (errno != ENOMEM) {
		log_error("can't wait for events: %s", strerror(errno));
		return false;
	}
	nanosleep(&(struct timespec){.tv_nsec = WITHOUT_MEMORY_NS}, NULL);
	return true;
}

static void say_news(const struct link *link)
{
	static const enum log_level levels[] = {
		[LINK_INFO] = LOG_LEVEL_INFO,
		[LINK_WARNING] = LOG_LEVEL_WARNING,
		[LINK_ERROR] = LOG_LEVEL_ERROR,
	};
	enum link_weight weight;
	const char *news = link_news(link, &weight);

	if (news)
		log_message(levels[weight], "%s", news);
}

/* Everything in one thread: whatever the loop says to the watchdog, it has got round to say. */
static int loop(struct ledger *l)
{
	while (!l->stops) {
		uint64_t now = clock_now_ns(CLOCK_MONOTONIC);
		struct view *view;

		if (!wait_for_events(l, now))
			return EXIT_FAILURE;
		now = clock_now_ns(CLOCK_MONOTONIC);
		serve_signals(l);
		if (link_run(&l->link, now, &view)) {
			keeper_take(&l->keeper, view, now);
			view_unref(view);
		}
		say_news(&l->link);
		keeper_run(&l->keeper, now);
		desk_run(&l->desk, now, keeper_answer, &l->keeper);
		if (l->watchdog_ns && now >= l->watchdog_due_ns) {
			sd_notify(0, "WATCHDOG=1");
			l->watchdog_due_ns = now + l->watchdog_ns;
		}
	}
	return EXIT_SUCCESS;
}

static void stop(struct ledger *l)
{
	keeper_close(&l->keeper);
	if (l->socket)
		unlink(l->socket); /* first: what comes later may already be another's */
	desk_done(&l->desk);
	link_done(&l->link);
	fd_close(l->signals);
	free(l->directory);
}

static int serve(struct ledger *l)
{
	l->status = EXIT_FAILURE;
	/* The file, which may be anything, is opened by who has no rights any more. */
	if (start(l) == 0 && enclosure_confine(l->directory, l->socket) == 0) {
		l->rules.uid = geteuid();
		if (open_ledger(l) == 0) {
			resident_rest();
			sd_notify(0, "READY=1");
			l->status = loop(l);
			sd_notify(0, "STOPPING=1");
		}
	}
	stop(l);
	return l->status;
}

int ledger_run(int argc, char *argv[])
{
	AUTO_SETTINGS struct settings *settings = NULL;
	char error[SETTINGS_ERROR_SIZE];
	struct ledger l = {.signals = -1, .link.fd = -1, .desk.listen_fd = -1};
	int given = sd_listen_fds(0), r;

	log_open("memtally-ledger", LOG_LEVEL_INFO);
	r = given < 0 ? given : inheritance_close((unsigned int)given);
	if (r < 0) {
		log_error("can't close what was inherited: %s", strerror(-r));
		return EXIT_FAILURE;
	}
	if (settings_load(PROGRAM_LEDGER, argc, argv, &settings, error) < 0) {
		log_error("%s", error);
		return EXIT_USAGE;
	}
	l.settings = settings;
	log_set_level((enum log_level)settings->log_level);
	switch (settings_action(settings)) {
	case SETTINGS_HELP: return print_help();
	case SETTINGS_VERSION: puts("memtally-ledger " PACKAGE_VERSION); break;
	case SETTINGS_CHECK: puts("the configuration is good"); break;
	case SETTINGS_RUN: return serve(&l);
	}
	return EXIT_SUCCESS;
}
