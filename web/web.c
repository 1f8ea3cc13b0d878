/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/web.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <systemd/sd-daemon.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/resident.h"
#include "config/help.h"
#include "config/settings.h"
#include "confine/inheritance.h"
#include "snapshot/link.h"
#include "web/enclosure.h"
#include "web/listen.h"
#include "web/server.h"
#include "web/site.h"

/*
 * Larger blocks than this come from mmap() and go back to the kernel when a snapshot's bodies are
 * dropped; left alone, malloc would raise the threshold with the first of them and keep them all.
 */
enum { LARGE_BLOCK = 32 * 1024 };

#define WITHOUT_MEMORY_NS (10 * NS_PER_MSEC) /* until it is tried again to wait */

enum { EXIT_USAGE = 2 }; /* a wrong flag or configuration */

/* How long those may take at the end who are being served; whoever reads slowly is not waited for. */
#define FINISH_NS (500 * NS_PER_MSEC)
enum { FINISH_WAIT_MS = 10 };

/* How often to look, when there is something to do anyway. With the time to settle that makes a second at most. */
#define LOOK_NS ACCESS_SETTLE_NS

struct web {
	int argc;
	char *const *argv;
	struct settings *settings; /* as they were read last */
	struct settings *started;  /* as they were at the start, for what stays until the next */
	struct access *access;     /* who gets in */
	struct access *refused;    /* what was read last and could not be had; NULL: it could */
	uint64_t look_due_ns;      /* whether the files for that are others */
	struct listen_set set;
	struct link link;
	struct site site;
	struct caller_rules rules;
	struct server server;
	int signals;          /* signalfd */
	struct pollfd *poll;  /* signals, link, passwords, listeners */
	uint64_t watchdog_ns; /* how often to tell the service manager; 0: never */
	uint64_t watchdog_due_ns;
	bool stops;
	int status; /* to exit with where it can't start */
};

enum { POLL_SIGNALS, POLL_LINK, POLL_PASSWORDS, POLL_LISTENERS };

static int print_help(void)
{
	AUTO_BUFFER struct buffer text = {0};

	help_render(PROGRAM_WEB, "memtally-web [FLAG...]",
		"Serves memtallyd's snapshots over HTTP: to Prometheus, as JSON, and as a page.",
		&text);
	if (text.error || fwrite(text.data, 1, text.len, stdout) != text.len || fflush(stdout))
		return EXIT_FAILURE;
	return EXIT_SUCCESS;
}

static bool is_same_list(const struct text_list *a, const struct text_list *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (strcmp(a->item[i], b->item[i]) != 0)
			return false;
	return true;
}

/* Either may be NULL. */
static bool is_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Whether C asks for what only a start can give. */
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

/* Whether A may be served by, with what the administrator allows by C; else ERROR says why not. */
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

/* The web configuration, where there is one, once more; a bad one leaves things as they are. */
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
		log_error("the old web configuration stays: %s", error);
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

/* A bad file leaves things as they are. */
static void reload_settings(struct web *w)
{
	char error[SETTINGS_ERROR_SIZE];
	AUTO_SETTINGS struct settings *c = NULL;

	if (settings_load(PROGRAM_WEB, w->argc, w->argv, &c, error) < 0) {
		log_error("the old configuration stays: %s", error);
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

static void reload(struct web *w)
{
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%llu",
		(unsigned long long)(clock_now_ns(CLOCK_MONOTONIC) / NS_PER_USEC));
	reload_settings(w);
	if (w->started->web_config_file)
		reload_access(w);
	sd_notify(0, "READY=1");
}

static void serve_signals(struct web *w)
{
	struct signalfd_siginfo info;

	while (read(w->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGHUP)
			reload(w);
		else
			w->stops = true;
	}
}

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

/* Systemd has passed the sockets: whoever named others, for protection at that, must not believe that they count. */
static void warn_of_ignored(const struct settings *c)
{
	const struct text_list *list = &c->web_listen_address;
	const struct option_spec *spec = option_find("web.listen-address", PROGRAM_WEB);

	if (list->count != 1 || strcmp(list->item[0], spec->fallback) != 0)
		log_warning(
			"web.listen-address does not count: systemd has passed the sockets, and "
			"its memtally-web.socket names them (systemctl edit)");
}

/* That the administrator has allowed it is no reason not to say it. */
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
		w->status = EXIT_USAGE;
		return -EINVAL;
	}
	for (size_t i = 0; i < w->set.count; i++)
		log_info("listening on %s", w->set.socket[i].name);
	warn_of_insecure(w);
	return 0;
}

static void init_watchdog(struct web *w)
{
	uint64_t usec;

	if (sd_watchdog_enabled(0, &usec) > 0)
		w->watchdog_ns = usec * NS_PER_USEC / 2;
}

static int start(struct web *w)
{
	int r = open_signals(&w->signals);

	if (r < 0) {
		log_error("can't receive signals: %s", strerror(-r));
		return r;
	}
	r = open_sockets(w);
	if (r < 0)
		return r;
	r = caller_rules_read("/etc/group", &w->rules);
	if (r < 0)
		log_warning(
			"can't look up group memtally: %s; to UNIX listeners its members are like "
			"anybody",
			strerror(-r));
	r = link_init(&w->link, w->settings->snapshot_socket);
	if (r == 0) {
		site_init(&w->site, &w->link, w->settings);
		r = server_start(&w->server, &w->site, &w->set, &w->rules, w->access,
			(unsigned int)w->settings->web_max_connections);
	}
	if (r == 0) {
		w->poll = calloc(POLL_LISTENERS + w->server.listeners, sizeof(*w->poll));
		r = w->poll ? 0 : -ENOMEM;
	}
	if (r < 0) {
		log_error("can't start to serve: %s",
			r == -EPROTONOSUPPORT ? "libmicrohttpd was built without TLS"
			: r == -EIO           ? "libmicrohttpd refuses"
					      : strerror(-r));
		return r;
	}
	w->poll[POLL_SIGNALS].fd = w->signals;
	w->poll[POLL_PASSWORDS].fd = server_fd(&w->server);
	for (size_t i = 0; i < w->server.listeners; i++)
		w->poll[POLL_LISTENERS + i].fd = w->server.listener[i].entrance.epoll_fd;
	for (size_t i = 0; i < POLL_LISTENERS + w->server.listeners; i++)
		w->poll[i].events = POLLIN;
	init_watchdog(w);
	return 0;
}

static void stop(struct web *w)
{
	server_stop(&w->server);
	listen_done(&w->set);
	site_done(&w->site);
	link_done(&w->link);
	free(w->poll);
	fd_close(w->signals);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int wait_ms(const struct web *w, uint64_t now_ns)
{
	uint64_t due = link_due_ns(&w->link);
	int64_t ms = server_due_ms(&w->server, now_ns, w->settings->web_timeout_ns);

	if (w->watchdog_ns)
		due = earlier(due, w->watchdog_due_ns);
	if (ms >= 0)
		due = earlier(due, now_ns + (uint64_t)ms * NS_PER_MSEC);
	if (due == UINT64_MAX)
		return -1;
	if (due <= now_ns)
		return 0;
	due = (due - now_ns + NS_PER_MSEC - 1) / NS_PER_MSEC;
	return due < INT_MAX ? (int)due : INT_MAX;
}

/* False: it can't be done. What is told of the time before a failure harms nobody: nothing blocks. */
static bool wait_for_events(struct web *w, uint64_t now_ns)
{
	w->poll[POLL_LINK].fd = w->link.fd;
	if (poll(w->poll, (nfds_t)(POLL_LISTENERS + w->server.listeners), wait_ms(w, now_ns)) >=
			0 ||
		errno == EINTR)
		return true;
	if (errno != ENOMEM) {
		log_error("can't wait for events: %s", strerror(errno));
		return false;
	}
	/* The host's memory comes back, and who is served late is better off than who is cut off. */
	nanosleep(&(struct timespec){.tv_nsec = WITHOUT_MEMORY_NS}, NULL);
	return true;
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

/* Everything in one thread: whatever the loop says to the watchdog, it has got round to say. */
static int loop(struct web *w)
{
	while (!w->stops) {
		uint64_t now = clock_now_ns(CLOCK_MONOTONIC);
		struct view *view;

		if (!wait_for_events(w, now))
			return EXIT_FAILURE;
		now = clock_now_ns(CLOCK_MONOTONIC);
		if (w->poll[POLL_SIGNALS].revents)
			serve_signals(w);
		/* What comes is checked whole, and two whole images need not be resident. */
		if (w->poll[POLL_LINK].revents && w->site.cache.view)
			view_rest(w->site.cache.view);
		if (link_run(&w->link, now, &view)) {
			cache_replace(&w->site.cache, view);
			resident_trim(); /* what a crowd of clients has left behind */
		}
		say_news(&w->link);
		look_at_access(w, now);
		server_run(&w->server, now, w->settings->web_timeout_ns);
		if (w->watchdog_ns && now >= w->watchdog_due_ns) {
			sd_notify(0, "WATCHDOG=1");
			w->watchdog_due_ns = now + w->watchdog_ns;
		}
	}
	return EXIT_SUCCESS;
}

/*
 * Those who were let in are served to the end, for a little while: so that a restart fails nobody's request. Nothing else
 * goes on.
 */
static void finish(struct web *w)
{
	uint64_t now = clock_now_ns(CLOCK_MONOTONIC), end = now + FINISH_NS;

	server_leave(&w->server);
	do {
		server_run(&w->server, now, w->settings->web_timeout_ns);
		if (!server_owes(&w->server))
			return;
		if (poll(w->poll + POLL_LISTENERS, (nfds_t)w->server.listeners, FINISH_WAIT_MS) <
				0 &&
			errno != EINTR)
			return;
		now = clock_now_ns(CLOCK_MONOTONIC);
	} while (now < end);
}

/* Nobody's password is looked into by who has more rights than that takes. */
static int admit(struct web *w)
{
	int r = server_admit(&w->server, w->access);

	if (r < 0)
		log_error("can't look into passwords: %s", strerror(-r));
	return r;
}

/* What a reload reads. */
static int enclose(struct web *w)
{
	const char *files[16] = {w->settings->config_file};
	size_t count = 1;

	while (count < ARRAY_SIZE(files) && (files[count] = access_file(w->access, count - 1)))
		count++;
	return enclosure_enter(files, count, &w->set);
}

static int serve(struct web *w)
{
	w->status = EXIT_FAILURE;
	mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
	mallopt(M_TRIM_THRESHOLD, LARGE_BLOCK);
	/* After the sockets are open, which nothing more is, and before anybody is answered. */
	if (start(w) == 0 && enclose(w) == 0 && admit(w) == 0) {
		w->rules.uid = geteuid();
		resident_rest();
		sd_notify(0, "READY=1");
		w->status = loop(w);
		sd_notify(0, "STOPPING=1");
		if (w->status == EXIT_SUCCESS)
			finish(w);
	}
	stop(w);
	return w->status;
}

static int load_access(struct web *w)
{
	char error[SETTINGS_ERROR_SIZE];

	if (access_load(w->settings->web_config_file, &w->access, NULL, error) == 0)
		return EXIT_SUCCESS;
	log_error("%s", error);
	return EXIT_USAGE;
}

int web_run(int argc, char *argv[])
{
	char error[SETTINGS_ERROR_SIZE];
	struct web w = {.argc = argc, .argv = argv, .signals = -1, .link.fd = -1};
	int status = EXIT_SUCCESS, given = sd_listen_fds(0), r;

	log_open("memtally-web", LOG_LEVEL_INFO);
	r = given < 0 ? given : inheritance_close((unsigned int)given);
	if (r < 0) {
		log_error("can't close what was inherited: %s", strerror(-r));
		return EXIT_FAILURE;
	}
	if (settings_load(PROGRAM_WEB, argc, argv, &w.settings, error) < 0) {
		log_error("%s", error);
		return EXIT_USAGE;
	}
	w.started = w.settings;
	log_set_level((enum log_level)w.settings->log_level);
	switch (settings_action(w.settings)) {
	case SETTINGS_HELP: status = print_help(); break;
	case SETTINGS_VERSION: puts("memtally-web " PACKAGE_VERSION); break;
	case SETTINGS_CHECK:
		status = load_access(&w);
		if (status == EXIT_SUCCESS)
			puts("the configuration is good");
		break;
	case SETTINGS_RUN:
		status = load_access(&w);
		if (status == EXIT_SUCCESS)
			status = serve(&w);
		break;
	}
	access_free(w.access);
	access_free(w.refused);
	if (w.settings != w.started)
		settings_free(w.settings);
	settings_free(w.started);
	return status;
}
