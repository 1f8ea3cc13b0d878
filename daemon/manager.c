/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "daemon/manager.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/os/resident.h"
#include "collectors/pass/pass.h"
#include "daemon/access-list.h"
#include "daemon/heap-trim.h"
#include "daemon/keepalive.h"
#include "daemon/log-messages.h"
#include "daemon/name-client.h"
#include "daemon/naming-file.h"
#include "daemon/publisher.h"
#include "daemon/schedule.h"
#include "daemon/surveyor.h"
#include "service/command.h"
#include "snapshot/record.h"

#define BATCH_NS      (5 * NS_PER_MSEC)
#define NAMES_WAIT_NS (250 * NS_PER_MSEC)
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
	sd_event_source *pass_timer;   /* starts a pass */
	sd_event_source *batch_timer;  /* continues it, in turns with everything else */
	sd_event_source *turn_timer;   /* measures between passes */
	sd_event_source *survey_timer; /* reads smaps between passes */
	sd_event_source *names_timer;  /* publishes without the names that have not arrived */
	sd_event_source *heartbeat;

	struct pass *pass;
	struct publisher *publisher;
	struct access_list privileged;
	struct name_client name_client;
	struct schedule schedule;
	struct surveyor surveyor;
	struct keepalive keepalive;
	struct heap_trim trim;

	int argc;
	char *const *argv;
	char *procfs, *socket; /* settings that a reload cannot change */

	bool is_passing, is_read, is_waiting_for_names, is_ready, stops;
	uint64_t interval_ns; /* as configured */
	enum snapshot_public snapshot_public;
	uint64_t begin_ns;
	uint64_t due_ns;   /* CLOCK_MONOTONIC at which the next pass is due */
	uint64_t progress; /* steps of passes */
	uint64_t heartbeat_ns;
	uint64_t waited_ns; /* CLOCK_MONOTONIC at which on_wait() counted progress last */
	bool has_watchdog;
	struct log_messages messages;
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

static uint32_t random_u32(void)
{
	uint32_t value = 0;

	return getrandom(&value, sizeof(value), GRND_NONBLOCK) == sizeof(value) ? value : 0;
}

static int manager_arm(sd_event_source *timer, uint64_t at_ns)
{
	int r = sd_event_source_set_time(timer, at_ns / NS_PER_USEC);

	return r < 0 ? r : sd_event_source_set_enabled(timer, SD_EVENT_ONESHOT);
}

/*
 * Returns the start of the next pass, after a longer interval if the budget does not suffice for
 * the configured one.
 */
static uint64_t next_due_ns(struct manager *m)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC), needed_ppm;
	uint64_t interval_ns = pass_interval_ns(m->pass, &needed_ppm);

	if (interval_ns > m->interval_ns)
		log_messages_budget(&m->messages, interval_ns, needed_ppm);
	else
		log_messages_budget_suffices(&m->messages);
	return schedule_next(&m->schedule, interval_ns, m->begin_ns, now_ns, random_u32());
}

static int arm_turn(struct manager *m)
{
	uint64_t at_ns = pass_next_measure_ns(m->pass, clock_now_ns(CLOCK_MONOTONIC));

	if (at_ns >= m->due_ns)
		return sd_event_source_set_enabled(m->turn_timer, SD_EVENT_OFF);
	return manager_arm(m->turn_timer, at_ns);
}

static int arm_survey(struct manager *m)
{
	uint64_t at_ns = surveyor_next_ns(&m->surveyor);

	if (at_ns >= m->due_ns)
		return sd_event_source_set_enabled(m->survey_timer, SD_EVENT_OFF);
	return manager_arm(m->survey_timer, at_ns);
}

/* Ends the pass, plans measurements, and arms the timers. */
static int end_pass(struct manager *m)
{
	int r;

	m->is_passing = m->is_waiting_for_names = false;
	m->due_ns = next_due_ns(m);
	sd_event_source_set_enabled(m->names_timer, SD_EVENT_OFF);
	sd_event_source_set_enabled(m->batch_timer, SD_EVENT_OFF);
	pass_plan(m->pass, m->due_ns);
	r = arm_turn(m);
	if (r >= 0)
		r = arm_survey(m);
	return r < 0 ? r : manager_arm(m->pass_timer, m->due_ns);
}

static void get_ready(struct manager *m)
{
	struct pass_summary s;

	if (m->is_ready)
		return;
	m->is_ready = true;
	pass_summary(m->pass, &s);
	log_messages_first_pass(&s);
	sd_notify(0, "READY=1\nSTATUS=Taking snapshots");
}

static int manager_publish(struct manager *m)
{
	int fd, public_fd, r = pass_publish(m->pass, true, &fd, &public_fd);
	struct pass_summary s;

	if (r < 0) {
		log_messages_pass_error(&m->messages, "cannot publish a snapshot", r);
		return end_pass(m);
	}
	pass_summary(m->pass, &s);
	if (!publisher_shows_sums(m->snapshot_public, s.proc_hides))
		public_fd = fd_close(public_fd);
	publisher_publish(m->publisher, fd, public_fd);
	get_ready(m);
	log_messages_charges(&m->messages, &s);
	log_messages_blocked(m->pass);
	r = end_pass(m);
	if (heap_trim_is_due(&m->trim, s.processes))
		resident_trim();
	return r;
}

/*
 * Continues the pass after all sources that are due already. It takes a timer: of the sources of
 * one priority, sd-event (252) dispatches the one that has been pending longest, and a source that
 * defers would always be that one, so that no other would run while a pass lasts. With a lower
 * priority for passes, strangers could block them by connecting again and again.
 */
static int manager_go_on(struct manager *m)
{
	return manager_arm(m->batch_timer, 0);
}

/* Names have arrived, or are not waited for: publishes if all processes are read, or goes on. */
static int manager_named(struct manager *m)
{
	m->is_waiting_for_names = false;
	sd_event_source_set_enabled(m->names_timer, SD_EVENT_OFF);
	return m->is_read ? manager_publish(m) : manager_go_on(m);
}

/* The pass needs names. Goes on with it, or first waits up to NAMES_WAIT_NS for them. */
static int manager_await_names(struct manager *m)
{
	sd_event_source_set_enabled(m->batch_timer, SD_EVENT_OFF);
	name_client_names(&m->name_client);
	if (!name_client_is_awaited(&m->name_client))
		return manager_named(m);
	if (m->is_waiting_for_names)
		return 0;
	m->is_waiting_for_names = true;
	return manager_arm(m->names_timer, clock_now_ns(CLOCK_MONOTONIC) + NAMES_WAIT_NS);
}

static int on_batch(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct manager *m = userdata;
	int r = pass_step(m->pass, clock_now_ns(CLOCK_MONOTONIC) + BATCH_NS);

	(void)source, (void)usec;
	m->progress++;
	if (r == PASS_MORE) {
		name_client_names(&m->name_client);
		return manager_go_on(m);
	}
	if (r == -ECANCELED)
		return 0; /* a signal is pending that ends memtallyd */
	m->is_read = r == 0;
	if (r == 0 || r == PASS_NAMES)
		return manager_await_names(m);
	log_messages_pass_error(&m->messages, "a pass is lost", r);
	return end_pass(m);
}

static int on_pass_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct manager *m = userdata;
	int r;

	(void)source, (void)usec;
	m->begin_ns = clock_now_ns(CLOCK_MONOTONIC);
	m->progress++;
	r = pass_begin(m->pass);
	if (r < 0) {
		log_messages_pass_error(&m->messages, "processes cannot be listed", r);
		return end_pass(m);
	}
	m->is_passing = true;
	m->is_read = false;
	sd_event_source_set_enabled(m->turn_timer, SD_EVENT_OFF);
	sd_event_source_set_enabled(m->survey_timer, SD_EVENT_OFF);
	return manager_go_on(m);
}

/* Measures for about a millisecond between passes. */
static int on_turn(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct manager *m = userdata;
	int r;

	(void)source, (void)usec;
	if (m->is_passing || clock_now_ns(CLOCK_MONOTONIC) >= m->due_ns)
		return 0; /* stopped or suspended until now: the pass comes first */
	m->progress++;
	r = pass_measure(m->pass);
	if (r < 0)
		log_messages_pass_error(&m->messages, "a process cannot be measured", r);
	return arm_turn(m);
}

/* After a survey its memory is not needed until the next one, so the heap is trimmed. */
static int on_survey(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct manager *m = userdata;
	int r;

	(void)source, (void)usec;
	if (m->is_passing || clock_now_ns(CLOCK_MONOTONIC) >= m->due_ns)
		return 0;
	r = surveyor_turn(&m->surveyor);
	if (r < 0)
		log_messages_pass_error(&m->messages, "mapped files cannot be surveyed", r);
	if (r == SURVEYOR_ENDED)
		resident_trim();
	return arm_survey(m);
}

static int on_names_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct manager *m = userdata;

	(void)source, (void)usec;
	pass_give_up_names(m->pass);
	return manager_named(m);
}

static int on_answers(void *userdata)
{
	struct manager *m = userdata;

	if (m->is_waiting_for_names)
		return manager_await_names(m);
	name_client_names(&m->name_client);
	return 0;
}

/*
 * One rule for both messages: without progress memtallyd is neither kept alive nor given more time
 * to start.
 */
static int on_heartbeat(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct manager *m = userdata;
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);
	bool is_alive = keepalive_is_due(&m->keepalive, m->is_passing && !m->is_waiting_for_names,
		m->progress, now_ns, m->due_ns, m->heartbeat_ns);

	(void)usec;
	if (!m->is_ready && is_alive)
		sd_notifyf(0, "EXTEND_TIMEOUT_USEC=%llu",
			(unsigned long long)(EXTEND_NS / NS_PER_USEC));
	if (m->has_watchdog && is_alive)
		sd_notify(0, "WATCHDOG=1");
	return manager_arm(source, now_ns + m->heartbeat_ns);
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
			"cannot look up users memtally-web and memtally-ledger and group memtally: %s",
			strerror(-r));
	publisher_set_privileged(m->publisher, &m->privileged);
}

/* If the rules are refused, the old ones stay. */
static void read_naming(struct manager *m, const struct settings *settings)
{
	struct naming_rules *rules;

	if (naming_file_load(settings, "the old rules stay: ", &rules) == 0)
		pass_set_naming(m->pass, rules);
}

/* Logs that a setting which only a start can change keeps its old value. */
static void say_kept(const char *option, const char *kept, const char *wanted)
{
	if (strcmp(kept, wanted) != 0)
		log_warning("%s stays %s until the next start", option, kept);
}

static void manager_apply(struct manager *m, const struct settings *settings)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC), due_ns, needed_ppm;
	struct pass_options options;
	struct pass_summary s;

	set_options(settings, &options);
	pass_set_options(m->pass, &options);
	m->interval_ns = settings->interval_ns;
	surveyor_set(&m->surveyor, settings->files_interval_ns, (uint32_t)settings->budget_cpu_ppm,
		now_ns);
	if (!m->is_passing)
		arm_survey(m);
	m->snapshot_public = (enum snapshot_public)settings->snapshot_public;
	pass_summary(m->pass, &s);
	if (!publisher_shows_sums(m->snapshot_public, s.proc_hides))
		publisher_withdraw(m->publisher);
	due_ns = schedule_bring_forward(
		&m->schedule, pass_interval_ns(m->pass, &needed_ppm), now_ns);
	if (!m->is_passing && due_ns < m->due_ns) {
		m->due_ns = due_ns;
		manager_arm(m->pass_timer, due_ns);
	}
	log_set_level((enum log_level)settings->log_level);
	read_privileged(m);
	read_naming(m, settings);
	say_kept("path.procfs", m->procfs, settings->path_procfs);
	say_kept("snapshot.socket", m->socket, settings->snapshot_socket);
	log_info("the configuration was read again");
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

static int add_timer(
	struct manager *m, sd_event_source **ret, uint64_t at_ns, sd_event_time_handler_t handler)
{
	return sd_event_add_time(
		m->event, ret, CLOCK_MONOTONIC, at_ns / NS_PER_USEC, ACCURACY_US, handler, m);
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
		r = add_timer(m, &m->pass_timer, now_ns, on_pass_timer);
	if (r >= 0)
		r = add_timer(m, &m->batch_timer, now_ns, on_batch);
	if (r >= 0)
		r = sd_event_source_set_enabled(m->batch_timer, SD_EVENT_OFF);
	if (r >= 0)
		r = add_timer(m, &m->names_timer, now_ns, on_names_timer);
	if (r >= 0)
		r = sd_event_source_set_enabled(m->names_timer, SD_EVENT_OFF);
	if (r >= 0)
		r = add_timer(m, &m->turn_timer, now_ns, on_turn);
	if (r >= 0)
		r = sd_event_source_set_enabled(m->turn_timer, SD_EVENT_OFF);
	if (r >= 0) /* after passes, signals and clients */
		r = sd_event_source_set_priority(m->turn_timer, SD_EVENT_PRIORITY_IDLE);
	if (r >= 0)
		r = add_timer(m, &m->survey_timer, now_ns, on_survey);
	if (r >= 0)
		r = sd_event_source_set_enabled(m->survey_timer, SD_EVENT_OFF);
	if (r >= 0)
		r = sd_event_source_set_priority(m->survey_timer, SD_EVENT_PRIORITY_IDLE);
	if (r >= 0)
		r = add_timer(m, &m->heartbeat, now_ns, on_heartbeat);
	return r;
}

static void begin_surveys(struct manager *m, const struct settings *settings)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

	surveyor_init(&m->surveyor, m->pass, (uint64_t)random_u32() << 32 | random_u32(), now_ns);
	surveyor_set(&m->surveyor, settings->files_interval_ns, (uint32_t)settings->budget_cpu_ppm,
		now_ns);
}

int manager_open(const struct settings *settings, int argc, char *const argv[],
	struct resolver *resolver, struct manager **ret)
{
	AUTO_MANAGER struct manager *m = calloc(1, sizeof(*m));
	struct pass_options options;
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
	log_messages_init(&m->messages);
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
	m->interval_ns = settings->interval_ns;
	begin_surveys(m, settings);
	m->snapshot_public = (enum snapshot_public)settings->snapshot_public;
	schedule_init(&m->schedule, clock_now_ns(CLOCK_MONOTONIC));
	r = sd_event_new(&m->event);
	if (r >= 0)
		r = sd_event_new(&m->clients);
	if (r >= 0)
		r = add_sources(m);
	if (r < 0) {
		log_error("cannot set up the event loop: %s", strerror(-r));
		return r;
	}
	r = publisher_open(m->clients, settings->snapshot_socket, &m->publisher);
	if (r < 0) {
		log_messages_listen_error(settings->snapshot_socket, r);
		return r;
	}
	publisher_set_resolver(m->publisher, resolver);
	access_list_init(&m->privileged);
	read_privileged(m);
	r = name_client_open(&m->name_client, m->event, resolver, m->pass, on_answers, m);
	if (r < 0) {
		log_error("cannot set up the event loop: %s", strerror(-r));
		return r;
	}
	*ret = TAKE_PTR(m);
	return 0;
}

struct manager *manager_close(struct manager *m)
{
	if (!m)
		return NULL;
	publisher_close(m->publisher);
	sd_event_source_disable_unref(m->pass_timer);
	sd_event_source_disable_unref(m->turn_timer);
	sd_event_source_disable_unref(m->survey_timer);
	sd_event_source_disable_unref(m->names_timer);
	sd_event_source_disable_unref(m->heartbeat);
	sd_event_source_disable_unref(m->batch_timer);
	name_client_close(&m->name_client);
	sd_event_unref(m->clients);
	sd_event_unref(m->event);
	if (m->pass)
		surveyor_done(&m->surveyor);
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
		m->progress++;
		if (m->has_watchdog)
			sd_notify(0, "WATCHDOG=1");
	}
	return true;
}

int manager_set_measurers(struct manager *m, struct measurers *measurers)
{
	int r = sd_event_add_io(m->event, NULL, measurers->fd, EPOLLIN, on_measurers_end, m);

	if (r < 0) {
		log_error("cannot set up the event loop: %s", strerror(-r));
		return r;
	}
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
