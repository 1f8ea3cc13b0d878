/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/sources/source-link.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/os/channel.h"

#define RETRY_NS (10 * NS_PER_MSEC) /* while the queue of connections is full */

/* Ends the connection. The daemon drops a question that it has not answered. */
static void source_link_disconnect(struct source_link *l)
{
	l->fd = fd_close(l->fd);
	l->has_asked = false;
	if (l->protocol->forget)
		l->protocol->forget(l);
}

/* Finishes the first request. */
static void source_link_finish(struct source_link *l)
{
	struct source_wait *w = l->first;

	source_link_disconnect(l);
	l->first = w->next;
	l->waiting--;
	w->next = NULL;
	w->is_done = true;
}

/* Finishes the first request after the failure R. Its own problem, if it has one, stays. */
static void source_link_fail(struct source_link *l, const char *path, int r)
{
	struct source_wait *w = l->first;
	const char *why = l->protocol->explain(r);

	w->is_absent = l->fd < 0;
	if (l->fd >= 0)
		snprintf(w->problem, sizeof(w->problem), "%s", why);
	else
		snprintf(w->problem, sizeof(w->problem), "%s does not answer at %.120s: %.100s",
			l->protocol->name, path, why);
	source_link_finish(l);
}

static void source_link_give_up(struct source_link *l)
{
	struct source_wait *w = l->first;

	snprintf(w->problem, sizeof(w->problem), "%s did not answer %sin time", l->protocol->name,
		w->is_partial ? "all questions " : "");
	source_link_finish(l);
}

void source_link_done(struct source_link *l)
{
	if (!l->protocol)
		return;
	while (l->first)
		source_link_finish(l);
	source_link_disconnect(l);
}

void source_link_remove(struct source_link *l, struct source_wait *w)
{
	struct source_wait **at = &l->first;

	if (l->first == w) {
		source_link_finish(l);
		return;
	}
	while (*at && *at != w)
		at = &(*at)->next;
	if (*at) {
		*at = w->next;
		l->waiting--;
	}
}

/* Goes on with the first request. Returns 0 if it is finished, or a negative errno. */
static int source_link_advance(struct source_link *l, const char *path)
{
	struct source_wait *w = l->first;
	int r = 0;

	while (r == 0) {
		if (l->fd < 0) {
			r = channel_connect(path, &l->fd);
			if (r < 0)
				l->fd = -1;
		}
		if (r == 0 && !l->has_asked) {
			r = l->protocol->ask(l, w);
			l->has_asked = r == 0;
		}
		if (r == 0)
			r = l->protocol->take(l, w);
		if (r == 0)
			l->has_asked = false;
	}
	if (r < 0)
		return r;
	source_link_finish(l);
	return 0;
}

void source_link_run(struct source_link *l, const char *path, uint64_t now_ns)
{
	while (l->first) {
		int r = source_link_advance(l, path);

		l->retry_ns = now_ns + RETRY_NS;
		if (r == -EAGAIN && now_ns < l->first->end_ns)
			return;
		if (r == -EAGAIN)
			source_link_give_up(l);
		else if (r < 0)
			source_link_fail(l, path, r);
	}
}

static bool is_same_caller(const struct caller *a, const struct caller *b)
{
	return a->kind == b->kind && (a->kind != CALLER_USER || a->uid == b->uid);
}

/* Returns whether there is a place for a request of C. */
static bool source_link_has_place(const struct source_link *l, const struct caller *c)
{
	size_t others = 0, same = 0;

	if (c->kind == CALLER_TRUSTED)
		return l->waiting < SOURCE_LINK_WAITING_MAX;
	for (const struct source_wait *w = l->first; w; w = w->next) {
		others += w->caller.kind != CALLER_TRUSTED;
		same += is_same_caller(&w->caller, c);
	}
	return l->waiting < SOURCE_LINK_WAITING_MAX && others < SOURCE_LINK_OTHERS_MAX &&
	       same < (c->kind == CALLER_ANYBODY ? SOURCE_LINK_TCP_MAX : SOURCE_LINK_UID_MAX);
}

/* Returns where to link W. The first request is being answered and stays the first. */
static struct source_wait **source_link_place(struct source_link *l, const struct source_wait *w)
{
	struct source_wait **at = l->first ? &l->first->next : &l->first;

	while (*at && (w->caller.kind != CALLER_TRUSTED || (*at)->caller.kind == CALLER_TRUSTED))
		at = &(*at)->next;
	return at;
}

void source_link_add(
	struct source_link *l, const char *path, struct source_wait *w, uint64_t now_ns)
{
	struct source_wait **at;

	if (!source_link_has_place(l, &w->caller)) {
		snprintf(w->problem, sizeof(w->problem), "too many requests wait for %s",
			l->protocol->name);
		w->is_done = true;
		return;
	}
	w->end_ns = now_ns + SOURCE_LINK_TIMEOUT_NS;
	at = source_link_place(l, w);
	w->next = *at;
	*at = w;
	l->waiting++;
	if (l->first == w)
		source_link_run(l, path, now_ns);
}

struct pollfd source_link_poll(const struct source_link *l)
{
	return (struct pollfd){.fd = l->fd, .events = l->has_asked ? POLLIN : POLLOUT};
}

uint64_t source_link_due_ns(const struct source_link *l)
{
	if (!l->first)
		return UINT64_MAX;
	return l->fd < 0 && l->retry_ns < l->first->end_ns ? l->retry_ns : l->first->end_ns;
}
