/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "daemon/manager.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/os/resident.h"
#include "collectors/pass/pass.h"
#include "confine/filter.h"
#include "daemon/access-list.h"
#include "daemon/cycle.h"
#include "daemon/log-messages.h"
#include "daemon/memory-lock.h"
#include "daemon/naming-file.h"
#include "daemon/psi-trigger.h"
#include "daemon/publisher.h"
#include "service/command.h"

/* Time to start that each heartbeat of a long first pass asks systemd for */
#define EXTEND_NS         (30 * NS_PER_SEC)
#define HEARTBEAT_NS      (5 * NS_PER_SEC)   /* unless the watchdog needs a shorter one */
#define WITHOUT_MEMORY_NS (10 * NS_PER_MSEC) /* pause before waiting for events again */

enum {
	ACCURACY_US = 1000,
	CLIENT_EVENTS = 64, /* handled at a time */
};

struct manager {
	sd_event *event;
	/* The publisher's sources alone; run within .event, and while a read is waited for */
	sd_event *clients;
	sd_event_source *heartbeat;

	struct pass *pass;
	struct publisher *publisher;
	struct access_list privileged;
	struct cycle *cycle;

	int argc;
	char *const *argv;
	char *procfs, *socket; /* settings that a reload cannot change */

	bool stops, has_watchdog;
	uint64_t heartbeat_ns;
	uint64_t waited_ns; /* CLOCK_MONOTONIC at which on_wait() counted progress last */
};

/*
 * The rest of an interval's budget is for new processes, walks by slices and errors of prediction.
 */
#define SPARE_PPM 750000

static void set_options(const struct settings *s, struct pass_options *ret)
{
	*ret = (struct pass_options){
		.procfs = s->path_procfs,
		.version = PACKAGE_VERSION,
		.interval_ns = s->interval_ns,
		.is_adaptive = s->pss_mode == PSS_MODE_ADAPTIVE,
		.budget_cpu_ppm = (uint32_t)s->budget_cpu_ppm,
		.spare_ppm = SPARE_PPM,
		.max_age_ns = s->pss_max_age_ns,
		.stall_ns = s->budget_stall_ns,
		.giant_age_ns = s->budget_giant_age_ns,
		.export_owners[OWNER_USER] = (uint32_t)s->export_users,
		.export_owners[OWNER_PROGRAM] = (uint32_t)s->export_programs,
		.export_owners[OWNER_UNIT] = (uint32_t)s->export_units,
		.export_owners[OWNER_USER_UNIT] = (uint32_t)s->export_user_units,
		.export_owners[OWNER_SESSION] = (uint32_t)s->export_sessions,
		.export_owners[OWNER_SLICE] = (uint32_t)s->export_slices,
		.export_owners[OWNER_MACHINE] = (uint32_t)s->export_machines,
		.export_owners[OWNER_POD] = (uint32_t)s->export_pods,
		.export_owners[OWNER_CONTAINER] = (uint32_t)s->export_containers,
		.export_owners[OWNER_GROUP] = (uint32_t)s->export_groups,
		.export_owners[OWNER_NAMEGROUP] = (uint32_t)s->export_namegroups,
		.user_by = (enum accounting_user)s->accounting_user,
		.export_processes = (uint32_t)s->export_processes,
		.reads_activity = s->web_compat == WEB_COMPAT_PROCESS_EXPORTER,
		.lacks_drivers = !ENABLE_INSPECT,
	};
}

/*
 * One rule for both messages: without progress memtallyd is neither kept alive nor given more time
 * to start.
 */
static int on_heartbeat(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct manager *m = userdata;
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);
	bool is_alive = cycle_is_alive(m->cycle, now_ns, m->heartbeat_ns);
	int r;

	(void)usec;
	if (is_alive && !cycle_is_ready(m->cycle))
		sd_notifyf(0, "EXTEND_TIMEOUT_USEC=%llu",
			(unsigned long long)(EXTEND_NS / NS_PER_USEC));
	if (is_alive && m->has_watchdog)
		sd_notify(0, "WATCHDOG=1");
	r = sd_event_source_set_time(source, (now_ns + m->heartbeat_ns) / NS_PER_USEC);
	return r < 0 ? r : sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

static int on_stop(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata)
{
	struct manager *m = userdata;

	(void)source;
	command_stop_at((int)info->ssi_signo, &m->stops);
	sd_notify(0, "STOPPING=1");
	return sd_event_exit(m->event, 0);
}

/* If a file cannot be read, the privileged users and group stay as they were. */
static void read_privileged(struct manager *m)
{
	int r = access_list_read(&m->privileged, "/etc/passwd", "/etc/group");

	if (r < 0)
		log_warning(
			"cannot look up users memtally-web, memtally-ledger and memtally-recorder and group memtally: %s",
			strerror(-r));
	publisher_set_privileged(m->publisher, &m->privileged);
}

/* Returns false if the rules are refused: the old ones stay. */
static bool read_naming(struct manager *m, const struct settings *settings)
{
	struct naming_rules *rules;

	if (naming_file_load(settings, &rules) < 0)
		return false;
	pass_set_naming(m->pass, rules);
	return true;
}

/* Logs that a setting which only a start can change keeps its old value. */
static void say_kept(const char *option, const char *kept, const char *wanted)
{
	if (strcmp(kept, wanted) != 0)
		log_warning("%s stays %s until the next start", option, kept);
}

static void manager_apply(struct manager *m, const struct settings *settings)
{
	struct pass_options options;
	bool has_naming;

	set_options(settings, &options);
	pass_set_options(m->pass, &options);
	cycle_apply(m->cycle, settings);
	log_set_level((enum log_level)settings->log_level);
	read_privileged(m);
	has_naming = read_naming(m, settings);
	say_kept("path.procfs", m->procfs, settings->path_procfs);
	say_kept("snapshot.socket", m->socket, settings->snapshot_socket);
	if (has_naming)
		log_info("the configuration was read again");
	else
		log_warning("the configuration was read again, but the old rules of "
			    "naming.process_exporter stay");
}

static int on_reload(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata)
{
	AUTO_SETTINGS struct settings *settings = NULL;
	char error[SETTINGS_ERROR_SIZE];
	struct manager *m = userdata;

	(void)source, (void)info;
	if (settings_load(PROGRAM_MEMTALLYD, m->argc, m->argv, &settings, error) < 0)
		log_lines(LOG_LEVEL_ERROR, "the old configuration stays: ", error);
	else
		manager_apply(m, settings);
	return 0;
}

/* Serves the publisher's sources: new clients, and clients that have closed. Does not wait. */
static void serve_clients(struct manager *m)
{
	unsigned int events = 0;

	while (events++ < CLIENT_EVENTS && sd_event_run(m->clients, 0) > 0)
		;
}

static int on_clients(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	(void)source, (void)fd, (void)revents;
	serve_clients(userdata);
	return 0;
}

static int add_sources(struct manager *m)
{
	static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC), usec;
	sigset_t mask;
	int r;

	sigemptyset(&mask);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaddset(&mask, signals[i]);
	if (sigprocmask(SIG_BLOCK, &mask, NULL) < 0)
		return -errno;
	m->has_watchdog = sd_watchdog_enabled(0, &usec) > 0;
	m->heartbeat_ns = m->has_watchdog ? usec * NS_PER_USEC / 4 : HEARTBEAT_NS;
	if (m->heartbeat_ns > HEARTBEAT_NS)
		m->heartbeat_ns = HEARTBEAT_NS;
	r = sd_event_add_io(m->event, NULL, sd_event_get_fd(m->clients), EPOLLIN, on_clients, m);
	if (r >= 0)
		r = sd_event_add_signal(m->event, NULL, SIGTERM, on_stop, m);
	if (r >= 0)
		r = sd_event_add_signal(m->event, NULL, SIGINT, on_stop, m);
	if (r >= 0)
		r = sd_event_add_signal(m->event, NULL, SIGHUP, on_reload, m);
	if (r >= 0)
		r = sd_event_add_time(m->event, &m->heartbeat, CLOCK_MONOTONIC,
			now_ns / NS_PER_USEC, ACCURACY_US, on_heartbeat, m);
	return r;
}

static int open_pass(struct manager *m, const struct settings *settings)
{
	struct pass_options options;
	int r;

	set_options(settings, &options);
	r = pass_open(&options, &m->pass);
	if (r < 0) {
		log_error("%s: cannot be read: %s", settings->path_procfs,
			r == -EMEDIUMTYPE ? "it is not a proc file system" : strerror(-r));
		return r;
	}
	r = pass_try_map_counts(m->pass);
	if (r < 0)
		log_warning("cannot test whether map counts are exact: %s", strerror(-r));
	return 0;
}

/* Returns R. */
static int log_loop_error(int r)
{
	if (r < 0)
		log_error("cannot set up the event loop: %s", strerror(-r));
	return r;
}

static int open_loop(struct manager *m)
{
	int r = sd_event_new(&m->event);

	if (r >= 0)
		r = sd_event_new(&m->clients);
	if (r >= 0)
		r = add_sources(m);
	return log_loop_error(r);
}

static int open_publisher(struct manager *m, struct resolver *resolver)
{
	int r = publisher_open(m->clients, m->socket, &m->publisher);

	if (r < 0) {
		log_messages_listen_error(m->socket, r);
		return r;
	}
	publisher_set_resolver(m->publisher, resolver);
	access_list_init(&m->privileged);
	read_privileged(m);
	return 0;
}

/*
 * Before rights are given up: before Linux 6.4 a trigger needs them. A tree that looks like /proc has
 * a plain file.
 */
static int open_trigger(struct manager *m)
{
	int fd, r;

	if (!pass_may_block(m->pass))
		return 0;
	r = psi_trigger_open(m->procfs, &fd);
	if (r < 0) {
		log_messages_trigger_error(r);
		return 0;
	}
	return cycle_set_trigger(m->cycle, fd);
}

int manager_open(const struct settings *settings, int argc, char *const argv[],
	struct resolver *resolver, struct manager **ret)
{
	AUTO_MANAGER struct manager *m = calloc(1, sizeof(*m));
	int r;

	if (m) {
		m->procfs = strdup(settings->path_procfs);
		m->socket = strdup(settings->snapshot_socket);
	}
	if (!m || !m->procfs || !m->socket) {
		log_error("cannot start: %s", strerror(ENOMEM));
		return -ENOMEM;
	}
	m->argc = argc;
	m->argv = argv;
	r = open_pass(m, settings);
	if (r == 0)
		r = open_loop(m);
	if (r >= 0)
		r = open_publisher(m, resolver);
	if (r < 0)
		return r;
	r = cycle_open(m->event, m->pass, m->publisher, resolver, &m->cycle);
	if (r >= 0)
		r = open_trigger(m);
	if (r < 0)
		return log_loop_error(r);
	cycle_apply(m->cycle, settings);
	*ret = TAKE_PTR(m);
	return 0;
}

struct manager *manager_close(struct manager *m)
{
	if (!m)
		return NULL;
	cycle_close(m->cycle);
	publisher_close(m->publisher);
	sd_event_source_disable_unref(m->heartbeat);
	sd_event_unref(m->clients);
	sd_event_unref(m->event);
	pass_free(m->pass);
	free(m->procfs);
	free(m->socket);
	free(m);
	return NULL;
}

/*
 * The descriptor is readable when the parent of the workers has exited. Without it memtallyd could
 * measure nothing.
 */
static int on_measurers_end(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct manager *m = userdata;

	(void)source, (void)fd, (void)revents;
	log_error("the process that starts measuring workers has exited: memtallyd exits, too");
	return sd_event_exit(m->event, -ECHILD);
}

/*
 * A read of another process takes long: a walk of a large one, or a read that blocks. Signals that
 * end memtallyd come first, clients get the last snapshot, and the watchdog hears that memtallyd
 * works.
 */
static bool on_wait(void *userdata)
{
	struct manager *m = userdata;
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);
	sigset_t pending;

	serve_clients(m);
	if (sigpending(&pending) == 0 &&
		(sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1))
		return false;
	if (now_ns - m->waited_ns >= m->heartbeat_ns) {
		m->waited_ns = now_ns;
		cycle_note_progress(m->cycle);
		if (m->has_watchdog)
			sd_notify(0, "WATCHDOG=1");
	}
	return true;
}

int manager_set_measurers(struct manager *m, struct measurers *measurers)
{
	int r = sd_event_add_io(m->event, NULL, measurers->fd, EPOLLIN, on_measurers_end, m);

	if (r < 0)
		return log_loop_error(r);
	measurers_on_wait(measurers, on_wait, m);
	pass_set_workers(m->pass, &measurers->workers);
	return 0;
}

void manager_set_naming(struct manager *m, struct naming_rules *rules)
{
	pass_set_naming(m->pass, rules);
}

void manager_set_own(struct manager *m, uid_t uid)
{
	m->privileged.own = uid;
	publisher_set_privileged(m->publisher, &m->privileged);
}

int manager_run(struct manager *m)
{
	int r;

	resident_rest();
	/* A sanitizer's mappings are larger than any limit. */
	if (!filter_is_wide())
		(void)memory_lock(MEMORY_LOCK_CODE);
	/*
	 * Without memory to wait for events memtallyd tries again: memory becomes free, or the
	 * watchdog ends memtallyd.
	 */
	while ((r = sd_event_loop(m->event)) == -ENOMEM)
		nanosleep(&(struct timespec){.tv_nsec = WITHOUT_MEMORY_NS}, NULL);
	if (r < 0)
		log_error("the event loop failed: %s", strerror(-r));
	return r;
}
