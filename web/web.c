/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/web.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
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
#include "service/command.h"
#include "service/loop.h"
#include "web/net/listen.h"
#include "web/sandbox.h"
#include "web/server.h"
#include "web/site/site.h"

/*
 * Bytes. Blocks of at least this size come from mmap() and go back to the kernel when a snapshot's
 * bodies are dropped. By default malloc would raise the threshold with the first of them, and keep
 * them all.
 */
enum { LARGE_BLOCK = 32 * 1024 };

/*
 * How long clients with unfinished requests are served at the end. Slow readers are not waited for
 * after that.
 */
#define FINISH_NS (500 * NS_PER_MSEC)
enum { FINISH_WAIT_MS = 10 };

/*
 * How often to check the files for changes, if the loop wakes up anyway. Together with the time to
 * settle, a change is noticed after a second at most.
 */
#define LOOK_NS ACCESS_SETTLE_NS

struct web {
	int argc;
	char *const *argv;
	struct settings *settings; /* as read last */
	struct settings *started;  /* as read at the start, for settings that need a restart */
	struct access *access;     /* owned; decides which clients get answers */
	struct access *refused;    /* owned; the last version if it was refused, or NULL */
	uint64_t look_due_ns;      /* when to check the files of .access or .refused */
	struct listen_set set;
	struct loop loop;
	struct site site;
	struct caller_rules rules;
	struct server server;
	struct pollfd *poll; /* owned; of the loop, password checks, ledger, recorder, listeners */
	bool stops;
	int status; /* exit status if the start fails */
};

enum { POLL_PASSWORDS = LOOP_POLLS, POLL_LEDGER, POLL_RECORDER, POLL_LISTENERS };

static bool is_same_list(const struct text_list *a, const struct text_list *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (strcmp(a->item[i], b->item[i]) != 0)
			return false;
	return true;
}

/* Returns true if both texts are the same, or both are NULL. */
static bool is_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Returns true if C changes settings that need a restart. */
static bool needs_start(const struct web *w, const struct settings *c)
{
	return !is_same_list(&c->web_listen_address, &w->started->web_listen_address) ||
	       c->web_max_connections != w->started->web_max_connections ||
	       strcmp(c->snapshot_socket, w->started->snapshot_socket) != 0 ||
	       !is_same_text(c->web_config_file, w->started->web_config_file);
}

static void replace_settings(struct web *w, struct settings *c)
{
	w->site.settings = c;
	if (w->settings != w->started)
		settings_free(w->settings);
	w->settings = c;
}

/*
 * Returns true if the sockets may be served with access A and settings C. If not, ERROR says why.
 */
static bool is_fit(const struct web *w, const struct access *a, const struct settings *c,
	char error[static SETTINGS_ERROR_SIZE])
{
	const char *name;

	if (c->web_insecure || access_is_fit_for(a, &w->set, &name))
		return true;
	snprintf(error, SETTINGS_ERROR_SIZE,
		"%.100s is beyond loopback: expected TLS and authentication (web.config.file), or "
		"web.insecure: true",
		name);
	return false;
}

/* Reads the web configuration again. If it has faults, the old one stays. */
static void reload_access(struct web *w)
{
	AUTO_ACCESS struct access *a = NULL;
	char error[SETTINGS_ERROR_SIZE];
	int r;

	w->refused = access_free(w->refused);
	r = access_load(w->started->web_config_file, &a, &w->refused, error);
	if (r == 0 && !access_tls(a) != !access_tls(w->access)) {
		snprintf(error, sizeof(error), "%s: TLS comes and goes at the next start only",
			w->started->web_config_file);
		r = -EINVAL;
	}
	if (r == 0 && !is_fit(w, a, w->settings, error))
		r = -EINVAL;
	if (r == 0) {
		r = server_admit(&w->server, a);
		snprintf(error, sizeof(error), "%s", strerror(-r));
	}
	if (r < 0) {
		log_lines(LOG_LEVEL_ERROR, "the old web configuration stays: ", error);
		if (!w->refused)
			w->refused = TAKE_PTR(a);
		return;
	}
	access_free(w->access);
	w->access = TAKE_PTR(a);
	log_info("the web configuration was read again");
}

static void look_at_access(struct web *w, uint64_t now_ns)
{
	if (now_ns < w->look_due_ns)
		return;
	w->look_due_ns = now_ns + LOOK_NS;
	if (access_has_changed(w->refused ? w->refused : w->access, clock_now_ns(CLOCK_REALTIME)))
		reload_access(w);
}

/* Reads the configuration again. If it has faults, the old one stays. */
static void reload_settings(struct web *w)
{
	char error[SETTINGS_ERROR_SIZE];
	AUTO_SETTINGS struct settings *c = NULL;

	if (settings_load(PROGRAM_WEB, w->argc, w->argv, &c, error) < 0) {
		log_lines(LOG_LEVEL_ERROR, "the old configuration stays: ", error);
		return;
	}
	if (!is_fit(w, w->access, c, error)) {
		log_error("the old configuration stays: %s", error);
		return;
	}
	if (needs_start(w, c))
		log_warning("web.listen-address, web.max-connections, web.config.file and "
			    "snapshot.socket change at the next start");
	replace_settings(w, TAKE_PTR(c));
	log_set_level((enum log_level)w->settings->log_level);
	log_info("the configuration was read again");
}

static void web_reload(struct web *w)
{
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%llu",
		(unsigned long long)(clock_now_ns(CLOCK_MONOTONIC) / NS_PER_USEC));
	reload_settings(w);
	if (w->started->web_config_file)
		reload_access(w);
	sd_notify(0, "READY=1");
}

static void web_serve_signals(struct web *w)
{
	for (int number; (number = loop_signal(&w->loop));)
		if (number == SIGHUP)
			web_reload(w);
		else
			command_stop_at(number, &w->stops);
}

/*
 * Warns that web.listen-address is ignored because systemd has passed the sockets. The
 * administrator may have set it for protection, and must not rely on it.
 */
static void warn_of_ignored(const struct settings *c)
{
	const struct text_list *list = &c->web_listen_address;
	const struct option_spec *spec = option_find("web.listen-address", PROGRAM_WEB);

	if (list->count != 1 || strcmp(list->item[0], spec->fallback) != 0)
		log_warning(
			"web.listen-address does not count: systemd has passed the sockets, and "
			"its memtally-web.socket names them (systemctl edit)");
}

/* Warns even though the administrator has allowed it. */
static void warn_of_insecure(const struct web *w)
{
	const char *name;

	if (!access_is_fit_for(w->access, &w->set, &name))
		log_warning("%s is beyond loopback, without TLS or without authentication "
			    "(web.insecure)",
			name);
}

static int open_sockets(struct web *w)
{
	char error[LISTEN_ERROR_SIZE], why[SETTINGS_ERROR_SIZE];
	int r = listen_take(&w->set, error);

	if (r > 0)
		warn_of_ignored(w->settings);
	if (r == 0)
		r = listen_open(&w->set, &w->settings->web_listen_address, error);
	if (r < 0) {
		log_error("%s", error);
		return r;
	}
	if (!is_fit(w, w->access, w->settings, why)) {
		log_error("%s", why);
		w->status = COMMAND_MISUSE;
		return -EINVAL;
	}
	for (size_t i = 0; i < w->set.count; i++)
		log_info("listening on %s", w->set.socket[i].name);
	warn_of_insecure(w);
	return 0;
}

static int web_start(struct web *w)
{
	int r = loop_open(&w->loop, w->settings->snapshot_socket);

	if (r == 0)
		r = open_sockets(w);
	if (r < 0)
		return r;
	r = caller_rules_read("/etc/group", &w->rules);
	if (r < 0)
		log_warning(
			"cannot look up group memtally: %s; UNIX listeners treat its members as "
			"other users",
			strerror(-r));
	site_init(&w->site, &w->loop.link, w->settings);
	r = server_start(&w->server, &w->site, &w->set, &w->rules, w->access,
		(unsigned int)w->settings->web_max_connections);
	if (r == 0) {
		w->poll = calloc(POLL_LISTENERS + w->server.listeners, sizeof(*w->poll));
		r = w->poll ? 0 : -ENOMEM;
	}
	if (r < 0) {
		log_error("cannot start to serve: %s",
			r == -EPROTONOSUPPORT ? "libmicrohttpd was built without TLS"
			: r == -EIO           ? "libmicrohttpd refuses"
					      : strerror(-r));
		return r;
	}
	w->poll[POLL_PASSWORDS].fd = requests_fd(&w->server.requests);
	for (size_t i = 0; i < w->server.listeners; i++)
		w->poll[POLL_LISTENERS + i].fd = w->server.listener[i].queue.epoll_fd;
	for (size_t i = LOOP_POLLS; i < POLL_LISTENERS + w->server.listeners; i++)
		w->poll[i].events = POLLIN;
	return 0;
}

static void web_stop(struct web *w)
{
	server_stop(&w->server);
	listen_done(&w->set);
	site_done(&w->site);
	loop_close(&w->loop);
	free(w->poll);
}

static bool web_wait_for_events(struct web *w, uint64_t now_ns)
{
	int64_t ms = server_due_ms(&w->server, now_ns, w->settings->web_timeout_ns);
	uint64_t due_ns = ms < 0 ? UINT64_MAX : now_ns + (uint64_t)ms * NS_PER_MSEC;

	w->poll[POLL_LEDGER] = source_link_poll(&w->site.ledger.link);
	due_ns = saturate_min(due_ns, source_link_due_ns(&w->site.ledger.link));
	w->poll[POLL_RECORDER] = source_link_poll(&w->site.recorder.link);
	due_ns = saturate_min(due_ns, source_link_due_ns(&w->site.recorder.link));
	due_ns = saturate_min(due_ns, w->site.growth.due_ns);
	return loop_wait(&w->loop, w->poll, POLL_LISTENERS + w->server.listeners, now_ns, due_ns);
}

static int web_loop(struct web *w)
{
	while (!w->stops) {
		uint64_t now = clock_now_ns(CLOCK_MONOTONIC);
		struct view *view;

		if (!web_wait_for_events(w, now))
			return EXIT_FAILURE;
		now = clock_now_ns(CLOCK_MONOTONIC);
		if (w->poll[LOOP_SIGNALS].revents)
			web_serve_signals(w);
		/*
		 * The new image is checked as a whole. Drop the old one's pages first, so that only
		 * one whole image is resident.
		 */
		if (w->poll[LOOP_LINK].revents && w->site.cache.view)
			view_rest(w->site.cache.view);
		if (loop_receive(&w->loop, now, &view)) {
			site_take(&w->site, view);
			resident_trim(); /* frees what many clients have left behind */
		}
		look_at_access(w, now);
		site_ask(&w->site, now);
		site_count_growth(&w->site, now);
		server_run(&w->server, now, w->settings->web_timeout_ns);
		loop_beat(&w->loop, now);
	}
	return EXIT_SUCCESS;
}

/*
 * Serves clients that are connected to the end of their requests, for a short time, so that a
 * restart fails no request. Nothing else goes on.
 */
static void web_finish(struct web *w)
{
	uint64_t now = clock_now_ns(CLOCK_MONOTONIC), end = now + FINISH_NS;

	server_leave(&w->server);
	do {
		site_ask(&w->site, now);
		server_run(&w->server, now, w->settings->web_timeout_ns);
		if (!connections_owe(&w->server.connections))
			return;
		if (poll(w->poll + POLL_LISTENERS, (nfds_t)w->server.listeners, FINISH_WAIT_MS) <
				0 &&
			errno != EINTR)
			return;
		now = clock_now_ns(CLOCK_MONOTONIC);
	} while (now < end);
}

/*
 * Begins to check passwords. Call it after web_enclose(): the thread keeps the rights of the
 * moment.
 */
static int web_admit(struct web *w)
{
	int r = server_admit(&w->server, w->access);

	if (r < 0)
		log_error("cannot begin to check passwords: %s", strerror(-r));
	return r;
}

/* Enters the sandbox, with the files that a reload reads. */
static int web_enclose(struct web *w)
{
	const char *files[16] = {w->settings->config_file};
	size_t count = 1;

	while (count < ARRAY_SIZE(files) && (files[count] = access_file(w->access, count - 1)))
		count++;
	return sandbox_enter(files, count, &w->set);
}

static int web_serve(struct web *w)
{
	w->status = EXIT_FAILURE;
	mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
	mallopt(M_TRIM_THRESHOLD, LARGE_BLOCK);
	/* The sandbox begins after the sockets are open and before any request is answered. */
	if (web_start(w) == 0 && web_enclose(w) == 0 && web_admit(w) == 0) {
		w->rules.peer.uid = geteuid();
		resident_rest();
		sd_notify(0, "READY=1");
		w->status = web_loop(w);
		sd_notify(0, "STOPPING=1");
		if (w->status == EXIT_SUCCESS)
			web_finish(w);
	}
	web_stop(w);
	return w->status;
}

static int load_access(struct web *w)
{
	char error[SETTINGS_ERROR_SIZE];

	int r = access_load(w->settings->web_config_file, &w->access, NULL, error);

	if (r == 0)
		return EXIT_SUCCESS;
	log_lines(LOG_LEVEL_ERROR, "", error);
	return command_refused(r);
}

int web_run(int argc, char *argv[])
{
	static const struct command command = {.program = PROGRAM_WEB,
		.name = "memtally-web",
		.purpose =
			"Serves memtallyd's snapshots over HTTP: to Prometheus, as JSON, and as a page."};
	struct web w = {.argc = argc, .argv = argv, .loop = LOOP_CLOSED};
	int status = command_begin(&command, argc, argv, &w.settings);

	w.started = w.settings;
	if (status == COMMAND_CHECK) {
		status = load_access(&w);
		if (status == EXIT_SUCCESS)
			status = command_say_good(w.settings);
	} else if (status == COMMAND_RUN) {
		status = load_access(&w);
		if (status == EXIT_SUCCESS)
			status = web_serve(&w);
	}
	access_free(w.access);
	access_free(w.refused);
	if (w.settings != w.started)
		settings_free(w.settings);
	settings_free(w.started);
	return status;
}
