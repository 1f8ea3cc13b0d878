/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/workers/workers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	LOST_MAX = 2,        /* workers that may exit at one request */
	KCMP_RESULT_MAX = 3, /* kcmp(2) */
};

int workers_open(struct workers *ret)
{
	*ret = (struct workers){0};
	return lanes_open(&ret->lanes);
}

void workers_close(struct workers *w)
{
	lanes_close(&w->lanes);
}

int workers_start(struct workers *w, const struct lanes_control *control)
{
	return lanes_start(&w->lanes, control);
}

void workers_begin_pass(struct workers *w)
{
	workers_drop_ahead(w);
	lanes_begin_pass(&w->lanes);
}

void workers_hurry(struct workers *w, bool is_short)
{
	w->lanes.is_hurried = is_short;
}

void workers_drop_ahead(struct workers *w)
{
	w->ahead_first = w->ahead_count = 0;
	w->awaited_pid = 0;
}

/*
 * Returns the number of requests posted to the worker that serves ROLE; there must be such a
 * worker.
 */
static uint32_t workers_posted(const struct workers *w, enum lanes_role role)
{
	return w->lanes.lane[w->lanes.at[role]].posted;
}

/*
 * The slot of request INDEX is used again: forgets an announced request with its answer in that
 * slot.
 */
static void forget_slot(struct workers *w, uint32_t index)
{
	while (w->ahead_count && w->ahead[w->ahead_first].index + WORKER_SLOTS <= index) {
		w->ahead_first = (w->ahead_first + 1) % WORKERS_AHEAD;
		w->ahead_count--;
	}
}

/*
 * Posts Q to the worker that serves ROLE; there must be such a worker. At most WORKERS_AHEAD + 1
 * texts, or WORKER_STREAMS + 1 requests for streams, are not done at any time, which is less than
 * WORKER_SLOTS.
 */
static void workers_post(struct workers *w, enum lanes_role role, const struct worker_request *q)
{
	unsigned int at = w->lanes.at[role];
	struct worker_lane *lane = &w->lanes.shared[at];
	uint32_t index = w->lanes.lane[at].posted++;

	if (role == LANES_TEXTS)
		forget_slot(w, index);
	lane->slot[index % WORKER_SLOTS].request = *q;
}

/*
 * Shows all posted requests to the worker that serves ROLE, so that it is woken once for all of
 * them.
 */
static void workers_publish(struct workers *w, enum lanes_role role)
{
	struct worker_lane *lane = &w->lanes.shared[w->lanes.at[role]];

	if (atomic_load_explicit(&lane->posted, memory_order_relaxed) == workers_posted(w, role))
		return;
	lanes_gather(&w->lanes, lane);
	atomic_store(&lane->posted, workers_posted(w, role));
	if (atomic_load(&lane->sleeps))
		worker_wake(&lane->posted);
}

static struct worker_request request_of(enum worker_op op, pid_t pid, const char *path)
{
	struct worker_request q = {.op = op, .pid = pid};

	snprintf(q.path, sizeof(q.path), "%s", path);
	return q;
}

void workers_ahead(struct workers *w, pid_t pid, const char *path, bool is_link)
{
	struct worker_request q = request_of(is_link ? WORKER_READLINK : WORKER_READ, pid, path);
	struct workers_ahead *a;

	if (w->ahead_count == WORKERS_AHEAD || w->lanes.is_stopped ||
		!lanes_ensure(&w->lanes, LANES_TEXTS))
		return;
	a = &w->ahead[(w->ahead_first + w->ahead_count++) % WORKERS_AHEAD];
	*a = (struct workers_ahead){
		.pid = pid, .path = path, .index = workers_posted(w, LANES_TEXTS)};
	workers_post(w, LANES_TEXTS, &q);
}

void workers_forget(struct workers *w, pid_t pid)
{
	for (unsigned int i = 0; i < w->ahead_count; i++) {
		struct workers_ahead *a = &w->ahead[(w->ahead_first + i) % WORKERS_AHEAD];

		if (a->pid == pid)
			a->pid = 0;
	}
	if (w->awaited_pid == pid)
		w->awaited_pid = 0;
}

/*
 * Returns the index of PATH of PID among the announced requests, .ahead_count if it is not
 * announced.
 */
static unsigned int find_ahead(const struct workers *w, pid_t pid, const char *path)
{
	unsigned int i = 0;

	for (; i < w->ahead_count; i++) {
		const struct workers_ahead *a = &w->ahead[(w->ahead_first + i) % WORKERS_AHEAD];

		if (a->pid == pid && strcmp(a->path, path) == 0)
			break;
	}
	return i;
}

bool workers_has_ahead(const struct workers *w, pid_t pid, const char *path)
{
	return find_ahead(w, pid, path) < w->ahead_count;
}

/*
 * Takes PATH of PID from the announced requests, and forgets those announced before it. Returns
 * false if it was not announced.
 */
static bool take_ahead(struct workers *w, pid_t pid, const char *path, uint32_t *ret)
{
	unsigned int i = find_ahead(w, pid, path);

	if (i == w->ahead_count)
		return false;
	*ret = w->ahead[(w->ahead_first + i) % WORKERS_AHEAD].index;
	w->ahead_first = (w->ahead_first + i + 1) % WORKERS_AHEAD;
	w->ahead_count -= i + 1;
	return true;
}

/*
 * Waits for request INDEX of the worker that serves ROLE, and for those posted after it, as
 * lanes_wait().
 */
static int workers_wait_for(struct workers *w, enum lanes_role role, uint32_t index)
{
	workers_publish(w, role);
	return lanes_wait(&w->lanes, role, index, workers_posted(w, role));
}

/*
 * Replaces the worker that serves ROLE after OUTCOME of workers_wait_for(). Returns 0, or an error
 * of lanes_replace().
 */
static int replace_after(struct workers *w, enum lanes_role role, enum lanes_outcome outcome)
{
	if (role == LANES_TEXTS)
		workers_drop_ahead(w);
	return lanes_replace(&w->lanes, role, outcome);
}

/* The answer of a worker. */
struct answer {
	struct worker_reply reply; /* a copy: the worker may still write to the slot */
	const char *text; /* of the slot: WORKER_TEXT bytes, which may change at any time */
};

/* Copies the answer to Q from SLOT, once. Returns 0, or -EIO if no worker answers Q so. */
static int copy_answer(
	const struct worker_request *q, const struct worker_slot *slot, struct answer *ret)
{
	int32_t result_max = q->op == WORKER_COMPARE ? KCMP_RESULT_MAX : 0;

	ret->reply = *(const volatile struct worker_reply *)&slot->reply;
	ret->text = slot->text;
	return ret->reply.result > result_max || ret->reply.len > WORKER_TEXT ? -EIO : 0;
}

/*
 * Waits for request *INDEX of the worker that serves ROLE. INDEX NULL: posts Q first. If an
 * announced request of another process blocks the worker, posts Q again to the next worker. Returns
 * 0 and the answer in *RET; -EIO: no worker answers so; or an error as workers_read().
 */
static int workers_complete(struct workers *w, enum lanes_role role, const struct worker_request *q,
	const uint32_t *index, struct answer *ret)
{
	for (unsigned int lost = 0; lost <= LOST_MAX;) {
		uint32_t at;
		int r;

		if (w->lanes.is_stopped)
			return -ECANCELED;
		if (!lanes_ensure(&w->lanes, role))
			return -ECHILD;
		at = index ? *index : workers_posted(w, role);
		if (!index)
			workers_post(w, role, q);
		index = NULL;
		r = workers_wait_for(w, role, at);
		if (r < 0)
			return r;
		if (r == 0) {
			r = copy_answer(q,
				&w->lanes.shared[w->lanes.at[role]].slot[at % WORKER_SLOTS], ret);
			if (r == 0)
				w->cpu_ns += ret->reply.cpu_ns;
			return r;
		}
		lost += r == LANES_LOST;
		r = replace_after(w, role, (enum lanes_outcome)r);
		if (r < 0)
			return r;
		if (lanes_has_parked(&w->lanes, q))
			return -ETIMEDOUT;
	}
	return -ECHILD;
}

bool workers_await(struct workers *w, pid_t pid)
{
	const struct workers_ahead *last = NULL;
	uint32_t index;
	int r;

	for (unsigned int i = 0; i < w->ahead_count; i++) {
		const struct workers_ahead *a = &w->ahead[(w->ahead_first + i) % WORKERS_AHEAD];

		if (a->pid == pid)
			last = a;
		else if (last)
			break; /* requests of one process are announced together */
	}
	if (!last)
		return true;
	index = last->index;
	r = w->lanes.is_stopped ? -ECANCELED : workers_wait_for(w, LANES_TEXTS, index);
	if (r > 0)
		(void)replace_after(w, LANES_TEXTS,
			(enum lanes_outcome)r); /* the next request finds an error itself */
	if (r)
		return false;
	w->awaited_pid = pid;
	w->awaited_index = index + 1;
	return true;
}

bool workers_is_awaited(const struct workers *w, pid_t pid, const char *path)
{
	unsigned int i = find_ahead(w, pid, path);

	return w->awaited_pid == pid && i < w->ahead_count &&
	       (int32_t)(w->ahead[(w->ahead_first + i) % WORKERS_AHEAD].index - w->awaited_index) <
	               0;
}

/*
 * Asks for PATH of PID, announced or not. Returns 0 and the kernel's answer in *RET; or an
 * error.
 */
static int workers_ask(
	struct workers *w, pid_t pid, const char *path, bool is_link, struct answer *ret)
{
	struct worker_request q = request_of(is_link ? WORKER_READLINK : WORKER_READ, pid, path);
	uint32_t index;
	bool is_ahead = take_ahead(w, pid, path, &index);

	if (!is_ahead && lanes_has_parked(&w->lanes, &q))
		return -ETIMEDOUT;
	return workers_complete(w, LANES_TEXTS, &q, is_ahead ? &index : NULL, ret);
}

int workers_read(struct workers *w, pid_t pid, const char *path, bool is_link, char *to,
	size_t size, size_t *ret_len, uint64_t *ret_took_ns)
{
	struct answer a;
	int e = workers_ask(w, pid, path, is_link, &a);

	if (e < 0)
		return e;
	if (a.reply.result < 0)
		return a.reply.result;
	if (a.reply.len > size)
		return -EFBIG;
	memcpy(to, a.text, a.reply.len);
	*ret_len = a.reply.len;
	*ret_took_ns = a.reply.took_ns;
	return 0;
}

int workers_compare(struct workers *w, pid_t a, pid_t b)
{
	struct worker_request q = {.op = WORKER_COMPARE, .pid = a, .other = b};
	struct answer answer;
	int e;

	if (lanes_has_parked(&w->lanes, &q))
		return -ETIMEDOUT;
	e = workers_complete(w, LANES_TEXTS, &q, NULL, &answer);
	return e < 0 ? e : answer.reply.result;
}

/* Whether the worker that has S still serves. */
static bool has_stream(const struct stream *s)
{
	const struct lanes *lanes = &s->workers->lanes;

	return s->lane == lanes->at[LANES_STREAMS] &&
	       s->generation == lanes->lane[s->lane].generation;
}

/*
 * Posts Q of stream S to its worker. Returns 0; or an error: then the worker that has S is not
 * asked again.
 */
static int complete_stream(struct stream *s, struct worker_request *q)
{
	struct workers *w = s->workers;
	struct answer answer;
	uint32_t index;
	int r;

	if (!has_stream(s))
		return -ESTALE;
	index = workers_posted(w, LANES_STREAMS);
	q->stream = s->place;
	workers_post(w, LANES_STREAMS, q);
	r = workers_complete(w, LANES_STREAMS, q, &index, &answer);
	if (r == 0 && !has_stream(s))
		return -ESTALE; /* it was posted again to another worker */
	return r < 0 ? r : answer.reply.result;
}

/* The worker may still write to BULK, so the copy is checked, not BULK. */
static int copy_bulk(const struct stream_bulk *bulk, struct stream_bulk *to)
{
	size_t len = 0;

	to->count = bulk->count;
	to->is_at_end = bulk->is_at_end;
	to->took_ns = bulk->took_ns;
	if (to->count > STREAM_PIECES)
		return -EIO;
	memcpy(to->piece, bulk->piece, to->count * sizeof(to->piece[0]));
	for (uint32_t i = 0; i < to->count; i++)
		len += to->piece[i].len;
	if (len > sizeof(to->text))
		return -EIO;
	memcpy(to->text, bulk->text, len);
	return 0;
}

static int workers_slice(struct stream *s, size_t piece_bytes, uint64_t slice_ns)
{
	struct worker_request q = {.op = WORKER_SLICE,
		.pid = s->pid,
		.piece_bytes = (uint32_t)piece_bytes,
		.slice_ns = slice_ns};
	int e = complete_stream(s, &q);

	if (e == 0)
		e = copy_bulk(&s->workers->lanes.shared[s->lane].bulk, s->bulk);
	if (e < 0)
		s->bulk->count = 0;
	return e;
}

static int workers_probe(struct stream *s)
{
	struct worker_request q = {.op = WORKER_PROBE, .pid = s->pid};

	return complete_stream(s, &q);
}

static void close_stream(struct stream *s)
{
	struct worker_request q = {.op = WORKER_CLOSE, .pid = s->pid, .stream = s->place};
	struct workers *w = s->workers;

	if (!has_stream(s) || w->lanes.is_stopped)
		return;
	w->lanes.lane[s->lane].streams &= ~(1U << s->place);
	workers_post(w, LANES_STREAMS, &q);
	workers_publish(w, LANES_STREAMS);
}

static const struct stream_calls calls = {
	.slice = workers_slice, .probe = workers_probe, .close = close_stream};

int workers_open_stream(struct workers *w, pid_t pid, const char *path, struct stream *ret)
{
	struct worker_request q = request_of(WORKER_OPEN, pid, path);
	const unsigned int *at = &w->lanes.at[LANES_STREAMS];
	struct answer answer;
	unsigned int place = 0;
	int e;

	if (lanes_has_parked(&w->lanes, &q))
		return -ETIMEDOUT;
	while (*at < LANES && place < WORKER_STREAMS && ((w->lanes.lane[*at].streams >> place) & 1))
		place++;
	if (place == WORKER_STREAMS)
		return -EMFILE;
	q.stream = place; /* also valid if another worker takes over: all places are free there */
	e = workers_complete(w, LANES_STREAMS, &q, NULL, &answer);
	if (e == 0)
		e = answer.reply.result;
	if (e < 0)
		return e;
	w->lanes.lane[*at].streams |= 1U << place;
	*ret = (struct stream){
		.fd = -1,
		.calls = &calls,
		.workers = w,
		.pid = pid,
		.lane = *at,
		.place = place,
		.generation = w->lanes.lane[*at].generation,
		.bulk = ret->bulk,
	};
	return 0;
}
