/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/server.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/log.h"

enum {
	OTHER_FDS = 15
}; /* standard streams, signals, snapshots, ledger, recorder, an image, /proc */

/*
 * Returns how many clients each of LISTENERS may have: at most WANTED, and as many as the limit of
 * descriptors allows. Raises the soft limit if necessary.
 */
static unsigned int fit_clients(unsigned int wanted, size_t listeners)
{
	const uint64_t over = LISTENER_CLIENTS_OVER;
	uint64_t others = OTHER_FDS + listeners * LISTENER_FDS;
	uint64_t need = others + listeners * (wanted + over);
	struct rlimit limit;
	uint64_t each;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return wanted;
	if (limit.rlim_cur < need && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = need < limit.rlim_max ? need : limit.rlim_max;
		if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
			return wanted;
	}
	if (limit.rlim_cur >= need)
		return wanted;
	each = limit.rlim_cur > others ? (limit.rlim_cur - others) / listeners : 1;
	each = each > 2 * over ? each - over : each / 2 ? each / 2 : 1;
	return each < wanted ? (unsigned int)each : wanted;
}

int server_start(struct server *s, struct site *site, const struct listen_set *set,
	const struct caller_rules *rules, const struct access *access, unsigned int max_clients)
{
	unsigned int fit = fit_clients(max_clients, set->count);
	int r;

	*s = (struct server){.site = site};
	r = requests_init(&s->requests, site, &s->connections, access);
	if (r < 0)
		return r;
	if (fit < max_clients)
		log_warning("the limit of open files allows for %u connections a listener, not %u",
			fit, max_clients);
	s->listener = calloc(set->count, sizeof(*s->listener));
	if (!s->listener) {
		server_stop(s);
		return -ENOMEM;
	}
	for (; s->listeners < set->count; s->listeners++) {
		r = listener_start(&s->listener[s->listeners], &s->requests,
			&set->socket[s->listeners], rules, fit);
		if (r < 0) {
			server_stop(s);
			return r;
		}
	}
	return 0;
}

int server_admit(struct server *s, const struct access *access)
{
	int r = requests_admit(&s->requests, access);

	if (r < 0)
		return r;
	connections_cut_idle(&s->connections);
	return 0;
}

int64_t server_due_ms(const struct server *s, uint64_t now_monotonic_ns, uint64_t client_timeout_ns)
{
	uint64_t due = connections_due_ns(&s->connections, client_timeout_ns);
	int64_t least = -1;

	if (requests_are_due(&s->requests))
		return 0;
	for (size_t i = 0; i < s->listeners; i++)
		if (accept_queue_due_ns(&s->listener[i].queue) < due)
			due = accept_queue_due_ns(&s->listener[i].queue);
	if (due != UINT64_MAX)
		least = due > now_monotonic_ns
		                ? (int64_t)((due - now_monotonic_ns) / NS_PER_MSEC + 1)
		                : 0;
	for (size_t i = 0; i < s->listeners; i++) {
		int64_t ms = mhd_timeout_ms(s->listener[i].daemon);

		if (ms >= 0 && (least < 0 || ms < least))
			least = ms;
	}
	return least;
}

void server_run(struct server *s, uint64_t now_monotonic_ns, uint64_t client_timeout_ns)
{
	site_begin_round(s->site);
	connections_expire(&s->connections, now_monotonic_ns, client_timeout_ns);
	requests_resume(&s->requests);
	for (size_t i = 0; i < s->listeners; i++)
		listener_run(&s->listener[i], now_monotonic_ns);
}

void server_leave(struct server *s)
{
	for (size_t i = 0; i < s->listeners; i++)
		accept_queue_leave(&s->listener[i].queue);
}

void server_stop(struct server *s)
{
	requests_abandon(&s->requests);
	for (size_t i = 0; i < s->listeners; i++)
		listener_stop(&s->listener[i]);
	requests_done(&s->requests);
	free(s->listener);
	s->listener = NULL;
	s->listeners = 0;
}
