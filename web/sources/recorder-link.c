/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/sources/recorder-link.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "snapshot/owner.h"

static struct recorder_link *recorder_link_of(struct source_link *l)
{
	return (struct recorder_link *)((char *)l - offsetof(struct recorder_link, link));
}

static struct recorder_question *question_of(struct source_wait *w)
{
	return (struct recorder_question *)((char *)w - offsetof(struct recorder_question, wait));
}

struct recorder_question *recorder_question_new(
	const struct caller *caller, const struct past_request *r)
{
	struct recorder_question *q = calloc(1, sizeof(*q));

	if (!q)
		return NULL;
	q->request = *r;
	q->wait.caller = *caller;
	/* Clients of TCP may see rows of any user: web.tcp_scope decides. */
	q->request.has_uid = caller->kind == CALLER_USER || caller->kind == CALLER_STRANGER;
	q->request.uid = caller->kind == CALLER_USER ? caller->uid : OWNER_NO_ID;
	return q;
}

struct recorder_question *recorder_question_free(struct recorder_question *q)
{
	if (!q)
		return NULL;
	view_unref(q->view);
	buffer_done(&q->bytes);
	free(q);
	return NULL;
}

/* Returns whether K has the answer to R at NOW_NS. */
static bool kept_answers(
	const struct recorder_kept *k, const struct past_request *r, uint64_t now_ns)
{
	if (!k->view || now_ns >= k->until_ns || r->pick != k->request.pick ||
		r->has_uid != k->request.has_uid || (r->has_uid && r->uid != k->request.uid))
		return false;
	if (k->request.pick != PAST_AT)
		return r->at_ns == k->request.at_ns;
	/* The newest snapshot is that of the time that was asked for, and not yet of later ones. */
	return r->at_ns >= k->head.at_ns &&
	       (k->head.after_ns ? r->at_ns < k->head.after_ns : r->at_ns <= k->request.at_ns);
}

/* Gives Q the answer that is kept. Returns false if none is. */
static bool recorder_link_recall(struct recorder_link *l, struct recorder_question *q)
{
	for (size_t i = 0; i < RECORDER_LINK_KEPT; i++) {
		struct recorder_kept *k = &l->kept[i];

		if (!kept_answers(k, &q->request, l->now_ns))
			continue;
		k->used = ++l->uses;
		q->head = k->head;
		q->view = view_ref(k->view);
		return true;
	}
	return false;
}

/* Makes room for an image of BYTES. Returns a free place, or NULL if the image is too large. */
static struct recorder_kept *recorder_link_make_room(struct recorder_link *l, size_t bytes)
{
	if (bytes > RECORDER_LINK_KEPT_BYTES)
		return NULL;
	for (;;) {
		struct recorder_kept *oldest = NULL, *place = NULL;
		size_t sum = bytes;

		for (size_t i = 0; i < RECORDER_LINK_KEPT; i++) {
			struct recorder_kept *k = &l->kept[i];

			if (!k->view) {
				place = k;
				continue;
			}
			sum += k->view->size;
			if (!oldest || k->used < oldest->used)
				oldest = k;
		}
		if (place && sum <= RECORDER_LINK_KEPT_BYTES)
			return place;
		oldest->view = view_unref(oldest->view);
	}
}

static void recorder_link_keep(struct recorder_link *l, const struct recorder_question *q)
{
	struct recorder_kept *k = recorder_link_make_room(l, q->view->size);

	if (!k)
		return;
	*k = (struct recorder_kept){.request = q->request,
		.head = q->head,
		.view = view_ref(q->view),
		.until_ns = q->head.after_ns && q->request.pick == PAST_AT
	                            ? UINT64_MAX
	                            : l->now_ns + RECORDER_LINK_NEWEST_NS,
		.used = ++l->uses};
}

/* Finishes the questions behind the first one if their answers are kept now. */
static void finish_alike(struct recorder_link *l)
{
	for (struct source_wait *w = l->link.first->next, *next; w; w = next) {
		next = w->next;
		if (!recorder_link_recall(l, question_of(w)))
			continue;
		source_link_remove(&l->link, w);
		w->next = NULL;
		w->is_done = true;
	}
}

static int recorder_link_ask(struct source_link *link, struct source_wait *w)
{
	return past_send(link->fd, &question_of(w)->request);
}

static int recorder_link_take(struct source_link *link, struct source_wait *w)
{
	struct recorder_question *q = question_of(w);
	struct past_answer a = {0};
	const char *reason = "";
	int r = past_receive(link->fd, &a, &reason);

	if (r == 1)
		return -EAGAIN;
	if (r < 0) {
		snprintf(w->problem, sizeof(w->problem),
			"the answer of memtally-recorder is of no use: %s", reason);
		past_answer_done(&a);
		return SOURCE_DONE;
	}
	q->head = a.head;
	q->view = TAKE_PTR(a.view);
	q->bytes = a.bytes;
	q->points = a.points;
	if (q->view && !q->is_single) {
		recorder_link_keep(recorder_link_of(link), q);
		finish_alike(recorder_link_of(link));
	}
	return SOURCE_DONE;
}

static const char *recorder_link_explain(int error)
{
	return error == -EPIPE ? "memtally-recorder has closed the connection" : strerror(-error);
}

static const struct source_protocol protocol = {.name = "memtally-recorder",
	.ask = recorder_link_ask,
	.take = recorder_link_take,
	.explain = recorder_link_explain};

void recorder_link_init(struct recorder_link *l)
{
	*l = (struct recorder_link){.link = {.protocol = &protocol, .fd = -1}};
}

void recorder_link_done(struct recorder_link *l)
{
	source_link_done(&l->link);
	for (size_t i = 0; i < RECORDER_LINK_KEPT; i++)
		l->kept[i].view = view_unref(l->kept[i].view);
}

void recorder_link_add(
	struct recorder_link *l, const char *path, struct recorder_question *q, uint64_t now_ns)
{
	l->now_ns = now_ns;
	if (recorder_link_recall(l, q))
		q->wait.is_done = true;
	else
		source_link_add(&l->link, path, &q->wait, now_ns);
}

void recorder_link_run(struct recorder_link *l, const char *path, uint64_t now_ns)
{
	l->now_ns = now_ns;
	source_link_run(&l->link, path, now_ns);
}
