/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/history/ledger-link.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/os/channel.h"

#define RETRY_NS         (10 * NS_PER_MSEC) /* while the queue of connections is full */
#define ANSWER_BYTES_MAX ((size_t)8 << 20)

enum { KIB = 1024 };

/* Ends the connection. memtally-ledger drops a question that it has not answered. */
static void ledger_link_disconnect(struct ledger_link *l)
{
	l->fd = fd_close(l->fd);
	buffer_done(&l->answer);
	l->answer = (struct buffer){0};
	l->size = 0;
	l->has_asked = false;
}

/* Finishes the first inquiry. */
static void ledger_link_finish(struct ledger_link *l)
{
	struct history_inquiry *i = l->first;

	if (i->ledger.dropped && !*i->problem)
		snprintf(i->problem, sizeof(i->problem),
			"memtally-ledger's answers are too large: the oldest ones are missing; ask for "
			"less time, or for longer steps");
	ledger_link_disconnect(l);
	l->first = i->next;
	l->waiting--;
	i->next = NULL;
	i->is_done = true;
}

static void finish_with(struct ledger_link *l, const char *problem)
{
	snprintf(l->first->problem, sizeof(l->first->problem), "%s", problem);
	ledger_link_finish(l);
}

void ledger_link_done(struct ledger_link *l)
{
	while (l->first)
		ledger_link_finish(l);
	ledger_link_disconnect(l);
}

void ledger_link_remove(struct ledger_link *l, struct history_inquiry *i)
{
	struct history_inquiry **at = &l->first;

	if (l->first == i) {
		ledger_link_finish(l);
		return;
	}
	while (*at && *at != i)
		at = &(*at)->next;
	if (*at) {
		*at = i->next;
		l->waiting--;
	}
}

/* Connects for the first inquiry. Returns 0, -EAGAIN: try again later, or another negative errno. */
static int ledger_link_connect(struct ledger_link *l, const char *path)
{
	int r = channel_connect(path, &l->fd);

	if (r < 0)
		l->fd = -1;
	return r;
}

/* Sends the next question of the first inquiry. */
static int ledger_link_ask(struct ledger_link *l)
{
	const struct history_inquiry *i = l->first;
	unsigned char text[USAGE_REQUEST_SIZE];
	const struct usage_request request = {.kind = i->kind,
		.since_s = i->next_s,
		.until_s = i->next_s + i->plan.ledger_step_s,
		.has_uid = i->has_uid,
		.uid = i->uid};
	ssize_t n;

	usage_request_write(&request, text);
	n = send(l->fd, text, sizeof(text), MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	l->has_asked = true;
	return 0;
}

/*
 * Receives the next message of the answer. Returns 0; -EAGAIN: there is none; -EPROTO if it is no
 * answer; or another negative errno.
 */
static int ledger_link_receive(struct ledger_link *l)
{
	char *room = buffer_reserve(&l->answer, USAGE_MESSAGE_MAX);
	ssize_t n;

	if (!room)
		return -ENOMEM;
	n = recv(l->fd, room, USAGE_MESSAGE_MAX, MSG_DONTWAIT);
	if (n < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	if (n == 0)
		return -ECONNRESET;
	l->answer.len += (size_t)n;
	if (l->size)
		return 0;
	/* The first message has the whole head, and so the size. */
	if (usage_size(l->answer.data, l->answer.len, &l->size) < 0 || !l->size)
		return -EPROTO;
	return l->size > ANSWER_BYTES_MAX ? -EMSGSIZE : 0;
}

/* Returns the mean of QUANTITY of ROW in the time of HEAD; NAN: it is not known. */
static float mean_of(
	const struct usage_row *row, enum usage_quantity quantity, const struct usage_head *head)
{
	uint64_t ms = quantity == USAGE_PSS ? head->covered_ms : head->sampled_ms;
	double sum = (double)row->q[quantity];

	if (!((row->present >> quantity) & 1) || !ms)
		return NAN;
	if (quantity == USAGE_PROCESSES)
		return (float)(sum / (double)ms);
	return (float)(sum * KIB * 1000 / (double)ms);
}

/* Adds the answer with HEAD to the inquiry's points. Returns 0 or -ENOMEM. */
static int ledger_link_take_answer(
	const struct buffer *answer, const struct usage_head *head, struct history_inquiry *i)
{
	enum metric_scope scope = metric_owner_scope(usage_owner(i->kind));
	int64_t until_s = head->since_s + i->plan.ledger_step_s;
	const struct history_metric *metric = i->query.metric;
	size_t at = USAGE_HEAD_SIZE;
	struct usage_row row;
	float q[RING_QUANTITIES];

	for (size_t k = 0; k < RING_QUANTITIES; k++)
		q[k] = NAN;
	/* The last step may not have ended. Before the finest slots steps may be longer. */
	if (until_s < head->until_s)
		until_s = head->until_s;
	ring_begin(&i->ledger, (uint64_t)head->since_s * NS_PER_SEC, 0,
		(uint64_t)(until_s - head->since_s) * NS_PER_SEC);
	while (usage_next(answer->data, answer->len, &at, &row)) {
		/* The others are not asked for, and would take room. */
		q[metric->value] = mean_of(&row, metric->usage, head);
		ring_add(&i->ledger, scope, row.id, row.name, row.user, q);
	}
	return ring_end(&i->ledger);
}

/* Moves I to its next step, past the time before the ledger begins. Returns false if it was the last. */
static bool go_on(struct history_inquiry *i, const struct usage_head *head)
{
	int64_t step_s = i->plan.ledger_step_s;

	i->next_s += step_s;
	if (head->first_s < 0)
		return false;
	if (head->first_s > i->next_s)
		i->next_s = head->first_s - head->first_s % step_s;
	return i->next_s < i->plan.ledger_to_s;
}

static const char *explain_error(int r)
{
	switch (r) {
	case -EPROTO:
		return "memtally-ledger's answer cannot be understood: is it of another version?";
	case -EMSGSIZE: return "memtally-ledger's answer has too many rows";
	case -ECONNRESET:
	case -EPIPE: return "memtally-ledger has closed the connection";
	case -ENOMEM: return "memtally-web has no memory for memtally-ledger's answer";
	default: return strerror(-r);
	}
}

/* Returns why the answer with HEAD is of no use to I; NULL: it is of use. */
static const char *judge_answer(const struct history_inquiry *i, const struct usage_head *head)
{
	if (head->status == USAGE_BROKEN)
		return "memtally-ledger cannot read its file";
	if (head->status != USAGE_GOOD || (!i->has_uid && head->flags & USAGE_OWN_ONLY))
		return "memtally-ledger does not show usage to the user of this memtally-web; run it "
		       "as user memtally-web, and restart memtally-ledger if that user is new";
	return NULL;
}

/* Handles the complete answer. Returns true if the first inquiry has another question. */
static bool ledger_link_take(struct ledger_link *l)
{
	struct history_inquiry *i = l->first;
	struct usage_head head;
	const char *problem;
	int r = usage_check(l->answer.data, l->answer.len, &head);

	if (r < 0) {
		finish_with(l, explain_error(-EPROTO));
		return false;
	}
	problem = judge_answer(i, &head);
	if (!problem && head.until_s > head.since_s && head.first_s >= 0 &&
		head.first_s < head.until_s && ledger_link_take_answer(&l->answer, &head, i) < 0)
		problem = explain_error(-ENOMEM);
	if (problem) {
		finish_with(l, problem);
		return false;
	}
	if (head.flags & USAGE_FAILING)
		snprintf(i->problem, sizeof(i->problem),
			"memtally-ledger cannot write its file: recent usage is missing");
	l->has_asked = false;
	l->size = 0;
	buffer_clear(&l->answer);
	if (go_on(i, &head))
		return true;
	ledger_link_finish(l);
	return false;
}

/* Goes on with the first inquiry. Returns 0 if it is finished, or a negative errno. */
static int ledger_link_advance(struct ledger_link *l, const char *path)
{
	const struct history_inquiry *i = l->first;
	int r = 0;

	while (r == 0 && l->first == i) {
		if (l->fd < 0)
			r = ledger_link_connect(l, path);
		if (r == 0 && !l->has_asked)
			r = ledger_link_ask(l);
		if (r == 0)
			r = ledger_link_receive(l);
		if (r == 0 && l->size && l->answer.len >= l->size)
			ledger_link_take(l);
	}
	return r;
}

/* Finishes the first inquiry after the failure R. */
static void ledger_link_fail(struct ledger_link *l, const char *path, int r)
{
	char problem[HISTORY_PROBLEM_SIZE];

	if (l->fd >= 0) {
		finish_with(l, explain_error(r));
		return;
	}
	snprintf(problem, sizeof(problem), "memtally-ledger does not answer at %.120s: %.100s",
		path, explain_error(r));
	finish_with(l, problem);
}

void ledger_link_run(struct ledger_link *l, const char *path, uint64_t now_ns)
{
	while (l->first) {
		int r = ledger_link_advance(l, path);

		l->retry_ns = now_ns + RETRY_NS;
		if (r == -EAGAIN && now_ns < l->first->end_ns)
			return;
		if (r == -EAGAIN)
			finish_with(
				l, l->first->ledger.points
					   ? "memtally-ledger did not answer all questions in time"
					   : "memtally-ledger did not answer in time");
		else if (r < 0)
			ledger_link_fail(l, path, r);
	}
}

static bool is_same_caller(const struct caller *a, const struct caller *b)
{
	return a->kind == b->kind && (a->kind != CALLER_USER || a->uid == b->uid);
}

/* Returns whether there is a place for an inquiry of C. */
static bool ledger_link_has_place(const struct ledger_link *l, const struct caller *c)
{
	size_t others = 0, same = 0;

	if (c->kind == CALLER_TRUSTED)
		return l->waiting < LEDGER_LINK_WAITING_MAX;
	for (const struct history_inquiry *i = l->first; i; i = i->next) {
		others += i->caller.kind != CALLER_TRUSTED;
		same += is_same_caller(&i->caller, c);
	}
	return l->waiting < LEDGER_LINK_WAITING_MAX && others < LEDGER_LINK_OTHERS_MAX &&
	       same < (c->kind == CALLER_ANYBODY ? LEDGER_LINK_TCP_MAX : LEDGER_LINK_UID_MAX);
}

/* Returns where to link I. The first inquiry is being answered and stays the first. */
static struct history_inquiry **ledger_link_place(
	struct ledger_link *l, const struct history_inquiry *i)
{
	struct history_inquiry **at = l->first ? &l->first->next : &l->first;

	while (*at && (i->caller.kind != CALLER_TRUSTED || (*at)->caller.kind == CALLER_TRUSTED))
		at = &(*at)->next;
	return at;
}

void ledger_link_add(
	struct ledger_link *l, const char *path, struct history_inquiry *i, uint64_t now_ns)
{
	struct history_inquiry **at;

	if (!ledger_link_has_place(l, &i->caller)) {
		snprintf(i->problem, sizeof(i->problem),
			"too many requests wait for memtally-ledger");
		i->is_done = true;
		return;
	}
	i->end_ns = now_ns + LEDGER_LINK_TIMEOUT_NS;
	at = ledger_link_place(l, i);
	i->next = *at;
	*at = i;
	l->waiting++;
	if (l->first == i)
		ledger_link_run(l, path, now_ns);
}

struct pollfd ledger_link_poll(const struct ledger_link *l)
{
	return (struct pollfd){.fd = l->fd, .events = l->has_asked ? POLLIN : POLLOUT};
}

uint64_t ledger_link_due_ns(const struct ledger_link *l)
{
	if (!l->first)
		return UINT64_MAX;
	return l->fd < 0 && l->retry_ns < l->first->end_ns ? l->retry_ns : l->first->end_ns;
}
