/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "ledger/ledger.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/os/resident.h"
#include "base/saturate.h"
#include "config/settings.h"
#include "confine/account.h"
#include "ledger/sandbox.h"
#include "ledger/usage-server.h"
#include "ledger/writer.h"
#include "service/command.h"
#include "service/listener.h"
#include "service/loop.h"

struct ledger {
	const struct settings *settings;
	char *directory;    /* owned; absolute, without symbolic links */
	const char *socket; /* path of the socket that we have made; NULL: systemd passed it */
	struct peer_rules rules;
	struct loop loop;
	struct question_server server;
	struct usage_server_context answers;
	struct writer writer;
	bool stops;
	int status; /* exit status */
};

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

static int ledger_start(struct ledger *l)
{
	int fd = -1, r = loop_open(&l->loop, l->settings->snapshot_socket);
	struct account web;

	signal(SIGXFSZ, SIG_IGN); /* a write beyond RLIMIT_FSIZE fails like one to a full disk */
	if (r == 0)
		r = find_directory(l);
	if (r == 0)
		r = listener_open(l->settings->ledger_socket, &fd, &l->socket);
	if (r < 0)
		return r;
	l->answers = (struct usage_server_context){.answer = writer_answer, .context = &l->writer};
	question_server_init(&l->server, fd, &l->rules, &usage_server_service, &l->answers);
	r = peer_rules_read("/etc/group", &l->rules);
	if (r < 0)
		log_warning(
			"cannot look up group memtally: %s; its members see only their own rows",
			strerror(-r));
	r = account_find(ACCOUNT_PASSWD, "memtally-web", &web);
	if (r == 0)
		l->server.web = web.uid;
	if (r < 0)
		log_warning("cannot look up user memtally-web: %s; it gets no usage to show",
			strerror(-r));
	return 0;
}

static uint64_t slots_in(enum slot_level level, uint64_t ns)
{
	uint64_t slot_ns = (uint64_t)slots_seconds(level) * NS_PER_SEC;

	return (ns + slot_ns - 1) / slot_ns;
}

/*
 * Hours are kept at least as long as five-minute slots, and days at least as long as hours: reports
 * sum whole ones.
 */
static void get_limits(const struct settings *c, struct store_limits *ret)
{
	uint64_t hours_ns = saturate_max(c->ledger_keep_hours_ns, c->ledger_keep_buckets_ns);

	ret->slots[SLOT_BUCKET] = slots_in(SLOT_BUCKET, c->ledger_keep_buckets_ns);
	ret->slots[SLOT_HOUR] = slots_in(SLOT_HOUR, hours_ns);
	ret->slots[SLOT_DAY] = slots_in(SLOT_DAY, saturate_max(c->ledger_keep_days_ns, hours_ns));
	ret->bytes = c->ledger_max_size_mib << 20;
}

/* Tells the service manager that a long operation makes progress. */
static void ledger_beat(void *loop)
{
	loop_beat(loop, clock_now_ns(CLOCK_MONOTONIC));
}

static int open_ledger(struct ledger *l)
{
	struct store_limits limits;
	int r;

	get_limits(l->settings, &limits);
	sd_notifyf(0, "EXTEND_TIMEOUT_USEC=%llu",
		(unsigned long long)(writer_opening_ns(l->directory) / NS_PER_USEC));
	r = writer_open(&l->writer, l->directory, &limits);
	/* Set after the start: until READY=1 the service manager waits for the extended timeout. */
	writer_set_beat(&l->writer, (struct store_beat){.call = ledger_beat, .context = &l->loop});
	if (r == STORE_FOREIGN)
		l->status = COMMAND_MISUSE;
	if (r == 0)
		log_info("the ledger is in %s", l->directory);
	return r;
}

static bool ledger_wait_for_events(struct ledger *l, uint64_t now_ns)
{
	struct pollfd p[LOOP_POLLS + QUESTION_SERVER_POLLS];
	size_t count = LOOP_POLLS + question_server_poll(&l->server, now_ns, p + LOOP_POLLS);

	return loop_wait(&l->loop, p, count, now_ns,
		saturate_min(question_server_due_ns(&l->server, now_ns),
			writer_due_ns(&l->writer, now_ns)));
}

/*
 * SIGHUP stops the ledger, too: a restart loses nothing, and so a ledger in a terminal ends with
 * it.
 */
static void ledger_serve_signals(struct ledger *l)
{
	for (int number; (number = loop_signal(&l->loop));)
		command_stop_at(number, &l->stops);
}

static int ledger_loop(struct ledger *l)
{
	while (!l->stops) {
		uint64_t now = clock_now_ns(CLOCK_MONOTONIC);
		struct view *view;

		if (!ledger_wait_for_events(l, now))
			return EXIT_FAILURE;
		now = clock_now_ns(CLOCK_MONOTONIC);
		ledger_serve_signals(l);
		if (l->stops)
			/* A snapshot that is waiting is not lost: it is in memtallyd's counters. */
			break;
		if (loop_receive(&l->loop, now, &view)) {
			writer_take(&l->writer, view, now);
			view_unref(view);
		}
		writer_run(&l->writer, now);
		question_server_run(&l->server, now);
		ledger_beat(&l->loop);
	}
	return EXIT_SUCCESS;
}

static void ledger_stop(struct ledger *l)
{
	writer_close(&l->writer);
	if (l->socket)
		/* Before the descriptor is closed: later the path may be another process's. */
		unlink(l->socket);
	question_server_done(&l->server);
	loop_close(&l->loop);
	free(l->directory);
}

static int ledger_serve(struct ledger *l)
{
	l->status = EXIT_FAILURE;
	/* The database may contain anything, so it is opened after all rights are given up. */
	if (ledger_start(l) == 0 && sandbox_confine(l->directory, l->socket) == 0) {
		l->rules.uid = geteuid();
		if (open_ledger(l) == 0) {
			resident_rest();
			sd_notify(0, "READY=1");
			l->status = ledger_loop(l);
			sd_notify(0, "STOPPING=1");
		}
	}
	ledger_stop(l);
	return l->status;
}

int ledger_run(int argc, char *argv[])
{
	static const struct command command = {.program = PROGRAM_LEDGER,
		.name = "memtally-ledger",
		.purpose =
			"Records the memory use of users, programs and units over time, for `memtally usage`."};
	AUTO_SETTINGS struct settings *settings = NULL;
	struct ledger l = {.loop = LOOP_CLOSED, .server.listen_fd = -1};
	int status = command_begin(&command, argc, argv, &settings);

	l.settings = settings;
	if (status == COMMAND_RUN)
		return ledger_serve(&l);
	return status == COMMAND_CHECK ? command_say_good(settings) : status;
}
