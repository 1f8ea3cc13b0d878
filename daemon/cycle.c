/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "daemon/cycle.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <systemd/sd-daemon.h>

#include "base/clock.h"
#include "base/os/resident.h"
#include "confine/filter.h"
#include "daemon/heap-trim.h"
#include "daemon/keepalive.h"
#include "daemon/log-messages.h"
#include "daemon/memory-lock.h"
#include "daemon/name-client.h"
#include "daemon/pressure.h"
#include "daemon/schedule.h"
#include "daemon/surveyor.h"

#define BATCH_NS      (5 * NS_PER_MSEC)
#define NAMES_WAIT_NS (250 * NS_PER_MSEC)
/* A process that reaches the limit of its cgroup may wait too briefly for a signal of pressure. */
#define KILLS_APART_NS (2 * NS_PER_SEC)

enum { ACCURACY_US = 1000 };

struct cycle {
	sd_event *event;               /* borrowed */
	struct pass *pass;             /* borrowed */
	struct publisher *publisher;   /* borrowed */
	sd_event_source *pass_timer;   /* starts a pass */
	sd_event_source *batch_timer;  /* continues it, in turns with everything else */
	sd_event_source *turn_timer;   /* measures between passes */
	sd_event_source *survey_timer; /* reads smaps between passes */
	sd_event_source *names_timer;  /* publishes without the names that have not arrived */
	sd_event_source *kill_timer;   /* looks for OOM kills between passes */
	sd_event_source *trigger;      /* NULL: passes tell whether there is memory pressure */

	struct name_client name_client;
	struct schedule schedule;
	struct surveyor surveyor;
	struct keepalive keepalive;
	struct heap_trim trim;
	struct log_messages messages;

	struct pressure pressure;
	bool is_passing, is_read, is_waiting_for_names, is_ready;
	bool is_brief;        /* of the last pass */
	bool is_pressed;      /* an episode of memory pressure was noticed, and not yet its end */
	uint64_t interval_ns; /* as configured */
	enum snapshot_public snapshot_public;
	uint64_t begin_ns; /* CLOCK_MONOTONIC at which the last pass began */
	uint64_t due_ns;   /* CLOCK_MONOTONIC at which the next full pass is due */
	uint64_t progress; /* steps of passes */
};

static uint32_t random_u32(void)
{
	uint32_t value = 0;

	return getrandom(&value, sizeof(value), GRND_NONBLOCK) == sizeof(value) ? value : 0;
}

static int arm_timer(sd_event_source *timer, uint64_t at_ns)
{
	int r = sd_event_source_set_time(timer, at_ns / NS_PER_USEC);

	return r < 0 ? r : sd_event_source_set_enabled(timer, SD_EVENT_ONESHOT);
}

/*
 * Returns the start of the next pass, after a longer interval if the budget does not suffice for
 * the configured one.
 */
static uint64_t next_due_ns(struct cycle *c)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC), needed_ppm;
	uint64_t interval_ns = pass_interval_ns(c->pass, &needed_ppm);

	if (interval_ns > c->interval_ns)
		log_messages_budget(&c->messages, interval_ns, needed_ppm);
	else
		log_messages_budget_suffices(&c->messages);
	return schedule_next(&c->schedule, interval_ns, c->begin_ns, now_ns, random_u32());
}

/* Notices the end of an episode of memory pressure. */
static void note_pressure(struct cycle *c)
{
	if (pressure_goes_on(&c->pressure, clock_now_ns(CLOCK_MONOTONIC)) || !c->is_pressed)
		return;
	c->is_pressed = false;
	memory_unlock(MEMORY_LOCK_DATA);
}

/* Arms the timer for the next pass: in an episode it may be a brief one. */
static int arm_pass(struct cycle *c)
{
	uint64_t at_ns = c->due_ns;

	if (c->is_pressed && c->pressure.next_ns < at_ns && pass_may_be_brief(c->pass))
		at_ns = c->pressure.next_ns;
	return arm_timer(c->pass_timer, at_ns);
}

static int arm_turn(struct cycle *c)
{
	uint64_t at_ns = pass_next_measure_ns(c->pass, clock_now_ns(CLOCK_MONOTONIC));

	if (at_ns >= c->due_ns || c->is_pressed)
		return sd_event_source_set_enabled(c->turn_timer, SD_EVENT_OFF);
	return arm_timer(c->turn_timer, at_ns);
}

static int arm_survey(struct cycle *c)
{
	uint64_t at_ns = surveyor_next_ns(&c->surveyor);

	if (at_ns >= c->due_ns || c->is_pressed)
		return sd_event_source_set_enabled(c->survey_timer, SD_EVENT_OFF);
	return arm_timer(c->survey_timer, at_ns);
}

/* Arms the timers of what is done between full passes. */
static int rest_until_due(struct cycle *c)
{
	int r = arm_turn(c);

	if (r >= 0)
		r = arm_survey(c);
	return r < 0 ? r : arm_pass(c);
}

/* An episode of memory pressure has begun. */
static int cycle_press(struct cycle *c)
{
	c->is_pressed = true;
	if (!filter_is_wide()) /* a sanitizer's mappings are larger than any limit */
		(void)memory_lock(MEMORY_LOCK_DATA);
	if (c->is_passing)
		return 0;
	sd_event_source_set_enabled(c->turn_timer, SD_EVENT_OFF);
	sd_event_source_set_enabled(c->survey_timer, SD_EVENT_OFF);
	return arm_pass(c);
}

/* Processes wait for memory: begins an episode, or continues it. */
static int cycle_signal(struct cycle *c)
{
	if (!pressure_signal(&c->pressure, clock_now_ns(CLOCK_MONOTONIC)))
		return 0;
	log_messages_pressure(&c->messages);
	return cycle_press(c);
}

/* An OOM kill begins an episode, too: snapshots soon show what the kernel killed, and where. */
static int on_kill_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct cycle *c = userdata;
	int r = 0;

	(void)usec;
	if (!c->pressure.apart_ns)
		return 0; /* until cycle_apply() */
	if (!c->is_passing && !c->is_pressed && pass_may_be_brief(c->pass) &&
		pass_sees_kill(c->pass) &&
		pressure_kill(&c->pressure, clock_now_ns(CLOCK_MONOTONIC))) {
		log_messages_kill(&c->messages);
		r = cycle_press(c);
	}
	return r < 0 ? r : arm_timer(source, clock_now_ns(CLOCK_MONOTONIC) + KILLS_APART_NS);
}

/* Ends the pass, plans measurements, and arms the timers. */
static int end_pass(struct cycle *c)
{
	struct pass_summary s;

	c->is_passing = c->is_waiting_for_names = false;
	if (!c->is_brief)
		c->due_ns = next_due_ns(c);
	pass_summary(c->pass, &s);
	pressure_passed(&c->pressure, c->begin_ns, s.cpu_ns);
	note_pressure(c);
	sd_event_source_set_enabled(c->names_timer, SD_EVENT_OFF);
	sd_event_source_set_enabled(c->batch_timer, SD_EVENT_OFF);
	pass_plan(c->pass, c->due_ns);
	return rest_until_due(c);
}

static void get_ready(struct cycle *c)
{
	struct pass_summary s;

	if (c->is_ready)
		return;
	c->is_ready = true;
	pass_summary(c->pass, &s);
	log_messages_first_pass(&s);
	sd_notify(0, "READY=1\nSTATUS=Taking snapshots");
}

static int cycle_publish(struct cycle *c)
{
	int fd, public_fd, r = pass_publish(c->pass, true, &fd, &public_fd);
	struct pass_summary s;

	if (r < 0) {
		log_messages_pass_error(&c->messages, "cannot publish a snapshot", r);
		return end_pass(c);
	}
	pass_summary(c->pass, &s);
	if (!publisher_shows_sums(c->snapshot_public, s.proc_hides))
		public_fd = fd_close(public_fd);
	publisher_publish(c->publisher, fd, public_fd);
	get_ready(c);
	log_messages_charges(&c->messages, &s);
	log_messages_blocked(c->pass);
	if (!c->trigger && s.is_short)
		r = cycle_signal(c);
	if (r >= 0)
		r = end_pass(c);
	if (!c->is_pressed && heap_trim_is_due(&c->trim, s.processes))
		resident_trim();
	return r;
}

/*
 * Continues the pass after all sources that are due already. It takes a timer: of the sources of
 * one priority, sd-event (252) dispatches the one that has been pending longest, and a source that
 * defers would always be that one, so that no other would run while a pass lasts. With a lower
 * priority for passes, strangers could block them by connecting again and again.
 */
static int cycle_go_on(struct cycle *c)
{
	return arm_timer(c->batch_timer, 0);
}

/* Names have arrived, or are not waited for: publishes if all processes are read, or goes on. */
static int cycle_named(struct cycle *c)
{
	c->is_waiting_for_names = false;
	sd_event_source_set_enabled(c->names_timer, SD_EVENT_OFF);
	return c->is_read ? cycle_publish(c) : cycle_go_on(c);
}

/* The pass needs names. Goes on with it, or first waits up to NAMES_WAIT_NS for them. */
static int cycle_await_names(struct cycle *c)
{
	sd_event_source_set_enabled(c->batch_timer, SD_EVENT_OFF);
	name_client_names(&c->name_client);
	if (!name_client_is_awaited(&c->name_client))
		return cycle_named(c);
	if (c->is_waiting_for_names)
		return 0;
	c->is_waiting_for_names = true;
	return arm_timer(c->names_timer, clock_now_ns(CLOCK_MONOTONIC) + NAMES_WAIT_NS);
}

static int on_batch(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct cycle *c = userdata;
	int r = pass_step(c->pass, clock_now_ns(CLOCK_MONOTONIC) + BATCH_NS);

	(void)source, (void)usec;
	c->progress++;
	if (r == PASS_MORE) {
		name_client_names(&c->name_client);
		return cycle_go_on(c);
	}
	if (r == -ECANCELED)
		return 0; /* a signal is pending that ends memtallyd */
	c->is_read = r == 0;
	if (r == 0 || r == PASS_NAMES)
		return cycle_await_names(c);
	log_messages_pass_error(&c->messages, "a pass is lost", r);
	return end_pass(c);
}

static int on_pass_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct cycle *c = userdata;
	int r;

	(void)source, (void)usec;
	note_pressure(c);
	c->begin_ns = clock_now_ns(CLOCK_MONOTONIC);
	/* The timer counts whole microseconds. */
	c->is_brief = c->begin_ns / NS_PER_USEC < c->due_ns / NS_PER_USEC;
	if (c->is_brief && (!c->is_pressed || !pass_may_be_brief(c->pass)))
		return rest_until_due(c); /* the episode is over */
	c->progress++;
	r = c->is_brief ? pass_begin_brief(c->pass) : pass_begin(c->pass);
	if (r < 0) {
		log_messages_pass_error(&c->messages, "processes cannot be listed", r);
		return end_pass(c);
	}
	c->is_passing = true;
	c->is_read = false;
	sd_event_source_set_enabled(c->turn_timer, SD_EVENT_OFF);
	sd_event_source_set_enabled(c->survey_timer, SD_EVENT_OFF);
	return cycle_go_on(c);
}

/* Measures for about a millisecond between passes. */
static int on_turn(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct cycle *c = userdata;
	int r;

	(void)source, (void)usec;
	if (c->is_passing || clock_now_ns(CLOCK_MONOTONIC) >= c->due_ns)
		return 0; /* stopped or suspended until now: the pass comes first */
	c->progress++;
	r = pass_measure(c->pass);
	if (r < 0)
		log_messages_pass_error(&c->messages, "a process cannot be measured", r);
	return arm_turn(c);
}

/* After a survey its memory is not needed until the next one, so the heap is trimmed. */
static int on_survey(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct cycle *c = userdata;
	int r;

	(void)source, (void)usec;
	if (c->is_passing || clock_now_ns(CLOCK_MONOTONIC) >= c->due_ns)
		return 0;
	r = surveyor_turn(&c->surveyor);
	if (r < 0)
		log_messages_pass_error(&c->messages, "mapped files cannot be surveyed", r);
	if (r == SURVEYOR_ENDED)
		resident_trim();
	return arm_survey(c);
}

static int on_names_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct cycle *c = userdata;

	(void)source, (void)usec;
	pass_give_up_names(c->pass);
	return cycle_named(c);
}

static int on_answers(void *userdata)
{
	struct cycle *c = userdata;

	if (c->is_waiting_for_names)
		return cycle_await_names(c);
	name_client_names(&c->name_client);
	return 0;
}

/*
 * An error of the descriptor would wake memtallyd again and again: from then on passes tell whether
 * there is memory pressure.
 */
static int on_trigger(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct cycle *c = userdata;

	(void)source, (void)fd;
	if (revents & (EPOLLERR | EPOLLHUP)) {
		c->trigger = sd_event_source_disable_unref(c->trigger);
		return 0;
	}
	return cycle_signal(c);
}

int cycle_set_trigger(struct cycle *c, int fd)
{
	int r = sd_event_add_io(c->event, &c->trigger, fd, EPOLLPRI, on_trigger, c);

	if (r >= 0)
		r = sd_event_source_set_io_fd_own(c->trigger, true);
	else
		fd_close(fd);
	return r < 0 ? r : 0;
}

static int add_timer(
	struct cycle *c, sd_event_source **ret, sd_event_time_handler_t handler, int64_t priority)
{
	int r = sd_event_add_time(c->event, ret, CLOCK_MONOTONIC, 0, ACCURACY_US, handler, c);

	if (r >= 0)
		r = sd_event_source_set_enabled(*ret, SD_EVENT_OFF);
	return r < 0 ? r : sd_event_source_set_priority(*ret, priority);
}

static int add_timers(struct cycle *c)
{
	int r = add_timer(c, &c->pass_timer, on_pass_timer, SD_EVENT_PRIORITY_NORMAL);

	if (r >= 0)
		r = add_timer(c, &c->batch_timer, on_batch, SD_EVENT_PRIORITY_NORMAL);
	if (r >= 0)
		r = add_timer(c, &c->names_timer, on_names_timer, SD_EVENT_PRIORITY_NORMAL);
	if (r >= 0) /* after passes, signals and clients */
		r = add_timer(c, &c->turn_timer, on_turn, SD_EVENT_PRIORITY_IDLE);
	if (r >= 0)
		r = add_timer(c, &c->survey_timer, on_survey, SD_EVENT_PRIORITY_IDLE);
	if (r >= 0)
		r = add_timer(c, &c->kill_timer, on_kill_timer, SD_EVENT_PRIORITY_IDLE);
	return r < 0 ? r : arm_timer(c->pass_timer, c->due_ns);
}

int cycle_open(sd_event *event, struct pass *pass, struct publisher *publisher,
	struct resolver *resolver, struct cycle **ret)
{
	AUTO_CYCLE struct cycle *c = calloc(1, sizeof(*c));
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);
	int r;

	if (!c)
		return -ENOMEM;
	c->event = event;
	c->pass = pass;
	c->publisher = publisher;
	c->due_ns = now_ns;
	log_messages_init(&c->messages);
	surveyor_init(&c->surveyor, pass, (uint64_t)random_u32() << 32 | random_u32(), now_ns);
	schedule_init(&c->schedule, now_ns);
	r = add_timers(c);
	if (r >= 0)
		r = name_client_open(&c->name_client, event, resolver, pass, on_answers, c);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(c);
	return 0;
}

void cycle_apply(struct cycle *c, const struct settings *settings)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC), due_ns, needed_ppm;
	struct pass_summary s;

	c->interval_ns = settings->interval_ns;
	c->pressure.apart_ns = settings->pressure_interval_ns;
	if (c->pressure.apart_ns && pass_may_block(c->pass))
		arm_timer(c->kill_timer, now_ns + KILLS_APART_NS);
	surveyor_set(&c->surveyor, settings->files_interval_ns, (uint32_t)settings->budget_cpu_ppm,
		now_ns);
	if (!c->is_passing)
		arm_survey(c);
	c->snapshot_public = (enum snapshot_public)settings->snapshot_public;
	pass_summary(c->pass, &s);
	if (!publisher_shows_sums(c->snapshot_public, s.proc_hides))
		publisher_withdraw(c->publisher);
	due_ns = schedule_bring_forward(
		&c->schedule, pass_interval_ns(c->pass, &needed_ppm), now_ns);
	if (!c->is_passing && due_ns < c->due_ns) {
		c->due_ns = due_ns;
		arm_pass(c);
	}
}

bool cycle_is_ready(const struct cycle *c)
{
	return c->is_ready;
}

void cycle_note_progress(struct cycle *c)
{
	c->progress++;
}

bool cycle_is_alive(struct cycle *c, uint64_t now_ns, uint64_t late_ns)
{
	return keepalive_is_due(&c->keepalive, c->is_passing && !c->is_waiting_for_names,
		c->progress, now_ns, c->due_ns, late_ns);
}

struct cycle *cycle_close(struct cycle *c)
{
	if (!c)
		return NULL;
	sd_event_source_disable_unref(c->pass_timer);
	sd_event_source_disable_unref(c->turn_timer);
	sd_event_source_disable_unref(c->survey_timer);
	sd_event_source_disable_unref(c->names_timer);
	sd_event_source_disable_unref(c->kill_timer);
	sd_event_source_disable_unref(c->batch_timer);
	sd_event_source_disable_unref(c->trigger);
	name_client_close(&c->name_client);
	surveyor_done(&c->surveyor);
	free(c);
	return NULL;
}
