/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "recorder/recorder.h"

#include <errno.h>
#include <limits.h>
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
#include "recorder/past-server.h"
#include "recorder/recording.h"
#include "recorder/sandbox.h"
#include "recorder/verdicts.h"
#include "service/command.h"
#include "service/listener.h"
#include "service/loop.h"

enum { PPM_PER_PERCENT = 10000 };

struct recorder {
	const struct settings *settings;
	char *directory;    /* owned; absolute, without symbolic links */
	const char *socket; /* path of the socket that we have made; NULL: systemd passed it */
	struct peer_rules rules;
	struct loop loop;
	struct question_server server;
	struct past_server past;
	struct recording recording;
	struct verdicts verdicts;
	bool stops;
	int status; /* exit status */
};

static int recorder_find_directory(struct recorder *p)
{
	const char *path = p->settings->recorder_directory;

	p->directory = realpath(path, NULL);
	if (p->directory)
		return 0;
	log_error("the recorder's directory %s: %s", path, strerror(errno));
	return -EINVAL;
}

/* Looks up the clients that see more than others. */
static void recorder_read_rules(struct recorder *p)
{
	struct account web;
	int r = peer_rules_read("/etc/group", &p->rules);

	if (r < 0)
		log_warning(
			"cannot look up group memtally: %s; its members see only their own processes",
			strerror(-r));
	r = account_find(ACCOUNT_PASSWD, "memtally-web", &web);
	if (r == 0)
		p->server.web = web.uid;
	if (r < 0)
		log_warning("cannot look up user memtally-web: %s; it gets no rows of processes",
			strerror(-r));
}

static int recorder_start(struct recorder *p)
{
	int fd = -1, r = loop_open(&p->loop, p->settings->snapshot_socket);

	signal(SIGXFSZ, SIG_IGN); /* a write beyond RLIMIT_FSIZE fails like one to a full disk */
	if (r == 0)
		r = recorder_find_directory(p);
	if (r == 0)
		r = listener_open(p->settings->recorder_socket, &fd, &p->socket);
	if (r < 0)
		return r;
	question_server_init(&p->server, fd, &p->rules, &past_server_service, &p->past);
	recorder_read_rules(p);
	return 0;
}

/* Snapshots that are marked wait for no time; others may be lost for so long after a power failure. */
static void recorder_limits(const struct settings *c, struct archive_limits *ret)
{
	uint32_t all = (uint32_t)(c->recorder_share_all_ppm / PPM_PER_PERCENT);
	uint32_t minutes = (uint32_t)(c->recorder_share_minutes_ppm / PPM_PER_PERCENT);

	*ret = archive_default_limits(c->recorder_size_mib << 20);
	ret->tier[0].percent = all;
	ret->tier[1].percent = minutes;
	ret->tier[2].percent = 100 - all - minutes;
}

static int recorder_open(struct recorder *p)
{
	struct archive_limits limits;
	int r;

	recorder_limits(p->settings, &limits);
	r = recording_open(&p->recording, p->directory, &limits);
	verdicts_init(&p->verdicts, p->directory);
	past_server_init(&p->past, &p->recording, &p->verdicts);
	if (r == 0)
		log_info("the recording is in %s", p->directory);
	if (r == -EINVAL)
		p->status = COMMAND_MISUSE;
	return r;
}

static bool recorder_wait(struct recorder *p, uint64_t now_ns)
{
	struct pollfd polls[LOOP_POLLS + QUESTION_SERVER_POLLS];
	size_t count = LOOP_POLLS + question_server_poll(&p->server, now_ns, polls + LOOP_POLLS);
	uint64_t due_ns = question_server_due_ns(&p->server, now_ns);

	due_ns = saturate_min(due_ns, recording_due_ns(&p->recording));
	due_ns = saturate_min(due_ns, verdicts_due_ns(&p->verdicts));
	return loop_wait(&p->loop, polls, count, now_ns, due_ns);
}

/*
 * SIGHUP stops the recorder, too: a restart loses nothing, and so a recorder in a terminal ends with
 * it.
 */
static void recorder_serve_signals(struct recorder *p)
{
	for (int number; (number = loop_signal(&p->loop));)
		command_stop_at(number, &p->stops);
}

static int recorder_loop(struct recorder *p)
{
	while (!p->stops) {
		uint64_t now = clock_now_ns(CLOCK_MONOTONIC);
		struct view *view;

		if (!recorder_wait(p, now))
			return EXIT_FAILURE;
		now = clock_now_ns(CLOCK_MONOTONIC);
		recorder_serve_signals(p);
		if (loop_receive(&p->loop, now, &view)) {
			recording_take(&p->recording, view, now);
			view_unref(view);
		}
		recording_run(&p->recording, now);
		question_server_run(&p->server, now);
		verdicts_run(&p->verdicts, now);
		loop_beat(&p->loop, clock_now_ns(CLOCK_MONOTONIC));
	}
	return EXIT_SUCCESS;
}

static void recorder_stop(struct recorder *p)
{
	if (p->socket)
		/* Before the descriptor is closed: later the path may be another process's. */
		unlink(p->socket);
	question_server_done(&p->server);
	past_server_done(&p->past);
	verdicts_done(&p->verdicts);
	recording_close(&p->recording);
	loop_close(&p->loop);
	free(p->directory);
}

static int recorder_serve(struct recorder *p)
{
	p->status = EXIT_FAILURE;
	/* Files may contain anything, so they are opened after all rights are given up. */
	if (recorder_start(p) == 0 && recorder_sandbox_confine(p->directory, p->socket) == 0) {
		p->rules.uid = geteuid();
		if (recorder_open(p) == 0) {
			resident_rest();
			sd_notify(0, "READY=1");
			p->status = recorder_loop(p);
			sd_notify(0, "STOPPING=1");
		}
	}
	recorder_stop(p);
	return p->status;
}

int recorder_run(int argc, char *argv[])
{
	static const struct command command = {.program = PROGRAM_RECORDER,
		.name = "memtally-recorder",
		.purpose = "Keeps snapshots on disk, so that memtally can show any past moment."};
	AUTO_SETTINGS struct settings *settings = NULL;
	struct recorder p = {.loop = LOOP_CLOSED, .server.listen_fd = -1, .past.leases.fd = -1};
	int status = command_begin(&command, argc, argv, &settings);

	p.settings = settings;
	if (status == COMMAND_RUN)
		return recorder_serve(&p);
	return status == COMMAND_CHECK ? command_say_good(settings) : status;
}
