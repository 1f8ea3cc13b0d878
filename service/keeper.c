/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "service/keeper.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/os/resident.h"
#include "base/saturate.h"
#include "confine/account.h"
#include "service/command.h"
#include "service/listener.h"

static int keeper_find_directory(struct keeper *k, const struct keeper_options *o)
{
	k->directory = realpath(o->directory, NULL);
	if (k->directory && strlen(k->directory) <= o->directory_max)
		return 0;
	log_error("the %s's directory %s: %s", o->name, o->directory,
		k->directory ? "its path is too long" : strerror(errno));
	return -EINVAL;
}

/* Looks up the clients that see more than others. */
static void keeper_read_rules(struct keeper *k)
{
	struct account web;
	int r = peer_rules_read("/etc/group", &k->rules);

	if (r < 0)
		log_warning(
			"cannot look up group memtally: %s; its members see only their own rows",
			strerror(-r));
	r = account_find(ACCOUNT_PASSWD, "memtally-web", &web);
	if (r == 0)
		k->server.web = web.uid;
	if (r < 0)
		log_warning("cannot look up user memtally-web: %s; it gets no rows", strerror(-r));
}

int keeper_open(struct keeper *k, const struct keeper_options *o)
{
	int fd = -1, r;

	*k = (struct keeper){.server.listen_fd = -1};
	r = loop_open(&k->loop, o->snapshots);
	signal(SIGXFSZ, SIG_IGN); /* a write beyond RLIMIT_FSIZE fails like one to a full disk */
	if (r == 0)
		r = keeper_find_directory(k, o);
	if (r == 0)
		r = listener_open(o->socket, &fd, &k->socket);
	if (r < 0)
		return r;
	question_server_init(&k->server, fd, &k->rules, o->service, o->context);
	keeper_read_rules(k);
	return 0;
}

void keeper_ready(struct keeper *k)
{
	k->rules.uid = geteuid();
	resident_rest();
	sd_notify(0, "READY=1");
}

static bool keeper_poll(struct keeper *k, uint64_t due_ns)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);
	struct pollfd p[LOOP_POLLS + QUESTION_SERVER_POLLS];
	size_t count = LOOP_POLLS + question_server_poll(&k->server, now_ns, p + LOOP_POLLS);

	return loop_wait(&k->loop, p, count, now_ns,
		saturate_min(question_server_due_ns(&k->server, now_ns), due_ns));
}

bool keeper_wait(struct keeper *k, uint64_t due_ns, uint64_t *ret_now_ns)
{
	if (k->stops || !keeper_poll(k, due_ns)) {
		sd_notify(0, "STOPPING=1");
		return false;
	}
	*ret_now_ns = clock_now_ns(CLOCK_MONOTONIC);
	/*
	 * SIGHUP stops a keeper, too: a restart loses nothing, and so a keeper in a terminal ends
	 * with it.
	 */
	for (int number; (number = loop_signal(&k->loop));)
		command_stop_at(number, &k->stops);
	return true;
}

void keeper_answer(struct keeper *k, uint64_t now_ns)
{
	question_server_run(&k->server, now_ns);
	loop_beat(&k->loop, clock_now_ns(CLOCK_MONOTONIC));
}

void keeper_leave(struct keeper *k)
{
	if (k->socket)
		/* Before the descriptor is closed: later the path may be another process's. */
		unlink(k->socket);
	k->socket = NULL;
	question_server_done(&k->server);
}

void keeper_done(struct keeper *k)
{
	keeper_leave(k);
	loop_close(&k->loop);
	free(k->directory);
}
