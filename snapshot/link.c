/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "snapshot/link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/os/channel.h"
#include "snapshot/client.h"

#define BAD_NEWS_INTERVAL_NS (60 * NS_PER_SEC)

enum { SAID_NOTHING = -1 };

int link_init(struct link *l, const char *path)
{
	*l = (struct link){
		.path = strdup(path),
		.fd = -1,
		.said = SAID_NOTHING,
	};
	return l->path ? 0 : -ENOMEM;
}

void link_done(struct link *l)
{
	l->fd = fd_close(l->fd);
	free(l->path);
	l->path = NULL;
}

/* Ends the connection; the next attempt comes after a pause of at most MAX_NS. */
static void link_drop(struct link *l, uint64_t now_ns, uint64_t max_ns)
{
	uint32_t chance;

	if (getrandom(&chance, sizeof(chance), GRND_NONBLOCK) != sizeof(chance))
		chance = 0;
	l->fd = fd_close(l->fd);
	l->is_served = false;
	l->retry_ns = now_ns + backoff_next(&l->backoff, max_ns, chance);
}

/*
 * Prepares a message for the log if ERROR is not that of the last one, since attempts go on for
 * ever. 0: a snapshot was received.
 */
static void link_say(struct link *l, int error)
{
	l->is_refused = false;
	if (l->said == error)
		return;
	l->weight = error ? LINK_WARNING : LINK_INFO;
	if (!error)
		snprintf(l->news, sizeof(l->news), "receiving snapshots from %s", l->path);
	else if (error == ECONNRESET)
		snprintf(l->news, sizeof(l->news),
			"memtallyd closed the connection; connecting again");
	else if (error == ENODATA)
		snprintf(l->news, sizeof(l->news),
			"%s: the connection was closed without a snapshot; trying again, see "
			"memtallyd's log",
			l->path);
	else
		snprintf(l->news, sizeof(l->news), "cannot connect to %s: %s; trying again",
			l->path, strerror(error));
	l->said = error;
}

static void connect_now(struct link *l, uint64_t now_ns)
{
	int r = channel_connect(l->path, &l->fd);

	if (r < 0) {
		link_say(l, -r);
		link_drop(l, now_ns, LINK_PAUSE_MAX_NS);
	} else {
		l->connected_ns = now_ns;
	}
}

static void link_refuse(struct link *l, uint64_t now_ns, const char *reason)
{
	l->refused++;
	l->is_refused = true;
	if (l->bad_ns && now_ns - l->bad_ns < BAD_NEWS_INTERVAL_NS) {
		l->held_back++;
	} else {
		l->weight = LINK_ERROR;
		snprintf(l->news, sizeof(l->news),
			"refused what came over %s: %s (%llu more like it before); the last good "
			"snapshot stays until it is stale",
			l->path, reason, (unsigned long long)l->held_back);
		l->bad_ns = now_ns;
		l->held_back = 0;
	}
	link_drop(l, now_ns, LINK_PAUSE_MAX_NS);
}

bool link_run(struct link *l, uint64_t now_ns, struct view **ret)
{
	const char *reason = "out of memory";
	int r;

	l->news[0] = 0;
	if (l->fd < 0) {
		if (now_ns < l->retry_ns)
			return false;
		connect_now(l, now_ns);
		if (l->fd < 0)
			return false;
	}
	r = client_receive(l->fd, ret, &reason);
	if (r < 0) {
		link_refuse(l, now_ns, reason);
		return false;
	}
	if (r == CLIENT_CLOSED) {
		link_say(l, l->is_served ? ECONNRESET : ENODATA);
		link_drop(l, now_ns, l->is_served ? LINK_PAUSE_MAX_NS : LINK_PAUSE_UNSERVED_MAX_NS);
		return false;
	}
	if (r == CLIENT_NOTHING)
		return false;
	link_say(l, 0);
	l->received++;
	l->is_served = true;
	backoff_reset(&l->backoff);
	return true;
}

const char *link_news(const struct link *l, enum link_weight *ret)
{
	*ret = l->weight;
	return l->news[0] ? l->news : NULL;
}

static const char *why_unconnected(const struct link *l)
{
	if (l->is_refused)
		return "it sent something that is no snapshot of this version";
	switch (l->said) {
	case SAID_NOTHING: return "not tried yet";
	case ECONNRESET: return "it closed the connection";
	case ENODATA: return "it closed the connection without a snapshot; see its log";
	default: return strerror(l->said);
	}
}

void link_explain(const struct link *l, uint64_t now_ns, struct buffer *to)
{
	if (l->fd < 0) {
		buffer_printf(
			to, "no connection to memtallyd at %s: %s", l->path, why_unconnected(l));
	} else if (!l->is_served) {
		buffer_printf(to,
			"connected to %s for %llu s: memtallyd's first pass is not complete",
			l->path, (unsigned long long)((now_ns - l->connected_ns) / NS_PER_SEC));
	}
}

uint64_t link_due_ns(const struct link *l)
{
	return l->fd < 0 ? l->retry_ns : UINT64_MAX;
}
