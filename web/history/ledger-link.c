/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/history/ledger-link.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define ANSWER_BYTES_MAX ((size_t)8 << 20)

enum { KIB = 1024 };

static struct ledger_link *ledger_link_of(struct source_link *l)
{
	return (struct ledger_link *)((char *)l - offsetof(struct ledger_link, link));
}

static struct history_inquiry *inquiry_of(struct source_wait *w)
{
	return (struct history_inquiry *)((char *)w - offsetof(struct history_inquiry, wait));
}

/* Forgets the answer that has not come as a whole. */
static void ledger_link_forget(struct source_link *link)
{
	struct ledger_link *l = ledger_link_of(link);

	buffer_done(&l->answer);
	l->answer = (struct buffer){0};
	l->size = 0;
}

/* Returns the end of the step of I that begins at SINCE_S. */
static int64_t end_of_step(const struct history_inquiry *i, int64_t since_s)
{
	int64_t until_s = since_s + i->plan.ledger_step_s;

	return until_s < i->plan.ledger_end_s ? until_s : i->plan.ledger_end_s;
}

static int ledger_link_ask(struct source_link *l, struct source_wait *w)
{
	const struct history_inquiry *i = inquiry_of(w);
	unsigned char text[USAGE_REQUEST_SIZE];
	const struct usage_request request = {.kind = i->kind,
		.since_s = i->next_s,
		.until_s = end_of_step(i, i->next_s),
		.has_uid = i->has_uid,
		.uid = i->uid};
	ssize_t n;

	usage_request_write(&request, text);
	n = send(l->fd, text, sizeof(text), MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0)
		return errno == EINTR ? -EAGAIN : -errno;
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
	n = recv(l->link.fd, room, USAGE_MESSAGE_MAX, MSG_DONTWAIT);
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
	int64_t until_s = end_of_step(i, head->since_s);
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

/* Handles the complete answer to I. Returns 0: I has another question, or SOURCE_DONE. */
static int ledger_link_take_whole(struct ledger_link *l, struct history_inquiry *i)
{
	char *to = i->wait.problem;
	struct usage_head head;
	const char *problem;
	int r = usage_check(l->answer.data, l->answer.len, &head);

	problem = r < 0 ? explain_error(-EPROTO) : judge_answer(i, &head);
	if (!problem && head.until_s > head.since_s && head.first_s >= 0 &&
		head.first_s < head.until_s && ledger_link_take_answer(&l->answer, &head, i) < 0)
		problem = explain_error(-ENOMEM);
	if (problem) {
		snprintf(to, SOURCE_PROBLEM_SIZE, "%s", problem);
		return SOURCE_DONE;
	}
	i->wait.is_partial = i->ledger.points > 0;
	if (head.flags & USAGE_FAILING)
		snprintf(to, SOURCE_PROBLEM_SIZE,
			"memtally-ledger cannot write its file: recent usage is missing");
	l->size = 0;
	buffer_clear(&l->answer);
	if (go_on(i, &head))
		return 0;
	if (i->ledger.dropped && !*to)
		snprintf(to, SOURCE_PROBLEM_SIZE,
			"memtally-ledger's answers are too large: the oldest ones are missing; ask for "
			"less time, or for longer steps");
	return SOURCE_DONE;
}

static int ledger_link_take(struct source_link *link, struct source_wait *w)
{
	struct ledger_link *l = ledger_link_of(link);
	int r = 0;

	while (r == 0 && (!l->size || l->answer.len < l->size))
		r = ledger_link_receive(l);
	return r < 0 ? r : ledger_link_take_whole(l, inquiry_of(w));
}

static const struct source_protocol protocol = {.name = "memtally-ledger",
	.ask = ledger_link_ask,
	.take = ledger_link_take,
	.forget = ledger_link_forget,
	.explain = explain_error};

void ledger_link_init(struct ledger_link *l)
{
	*l = (struct ledger_link){.link = {.protocol = &protocol, .fd = -1}};
}
