/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/past-session.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/when.h"
#include "cli/common/command.h"

#define BUSY_TIMEOUT_NS (5 * NS_PER_SEC)
#define BUSY_PAUSE_NS   (50 * NS_PER_MSEC)
#define RECENT_NS       (120 * NS_PER_SEC)

enum {
	QUIET_MS = 2000, /* then the user is told what memtally waits for */
	PEEK_MS = 200,
	WAIT_MS = 28000, /* more: a long series takes memtally-recorder some seconds */
};

/* Appends that memtally-recorder gives nothing, the reason of the error R, and what to do. */
static void add_failure(
	const struct settings *settings, int r, const char *why, struct buffer *reason)
{
	buffer_printf(reason, "nothing from memtally-recorder: %s: %s", settings->recorder_socket,
		why ? why : strerror(-r));
	command_add_advice(reason, r, PROGRAM_RECORDER, settings);
}

int past_session_open(
	const struct settings *settings, struct past_session *ret, struct buffer *reason)
{
	struct past_session s = {
		.settings = settings, .fd = -1, .quiet_ms = QUIET_MS, .wait_ms = WAIT_MS};
	AUTO_BUFFER struct buffer unused = {0};
	int r;

	if (settings->reads_recorder_directory) {
		r = past_files_open(settings->recorder_directory, &s.files, reason);
	} else {
		r = past_connect(settings->recorder_socket, &s.fd);
		if (r < 0 &&
			past_files_open(settings->recorder_directory, &s.files, &unused) == 0) {
			log_info("memtally-recorder does not answer: reading %s",
				settings->recorder_directory);
			r = 0;
		} else if (r < 0) {
			add_failure(settings, r, NULL, reason);
		}
	}
	if (r == 0)
		*ret = s;
	return r;
}

void past_session_close(struct past_session *r)
{
	r->fd = fd_close(r->fd);
	r->files = past_files_close(r->files);
}

void past_session_add_time(uint64_t ns, struct buffer *to)
{
	char text[WHEN_TEXT_SIZE];

	when_format(ns, text);
	buffer_add_text(to, text);
}

void past_session_add_coverage(const struct past_head *head, uint64_t now_ns, struct buffer *to)
{
	past_session_add_time(head->first_ns, to);
	buffer_add_text(to, " to ");
	if (head->last_ns + RECENT_NS >= now_ns)
		buffer_add_text(to, "now");
	else
		past_session_add_time(head->last_ns, to);
}

void past_session_add_absence(const struct past_request *q, const struct past_head *head,
	uint64_t now_ns, struct buffer *to)
{
	if (!head->first_ns) {
		buffer_add_text(to, "nothing is recorded yet");
		return;
	}
	if (q->pick == PAST_OOM) {
		buffer_add_text(to, "no OOM kill is recorded");
	} else {
		buffer_add_text(to, "nothing is recorded for ");
		past_session_add_time(q->at_ns, to);
	}
	buffer_add_text(to, ": the recording covers ");
	past_session_add_coverage(head, now_ns, to);
}

/* Asks Q and waits for the answer: longer than .quiet_ms not without a message. */
static int past_session_wait(struct past_session *r, const struct past_request *q,
	struct past_answer *ret, const char **ret_why)
{
	int e = past_ask(r->fd, q, r->quiet_ms, ret, ret_why);

	if (e != -ETIMEDOUT)
		return e;
	log_info("waiting for memtally-recorder, which has not answered yet: up to %d s more",
		r->wait_ms / 1000);
	return past_wait(r->fd, r->wait_ms, ret, ret_why);
}

/* Waits for the answer, and asks again while memtally-recorder is busy. */
static int ask_patiently(struct past_session *r, const struct past_request *q,
	struct past_answer *ret, const char **ret_why)
{
	uint64_t end_ns = clock_now_ns(CLOCK_MONOTONIC) + BUSY_TIMEOUT_NS;
	int e;

	if (r->files)
		return past_files_ask(r->files, q, ret, ret_why);
	e = past_session_wait(r, q, ret, ret_why);

	while (e == 0 && ret->head.status == PAST_BUSY && clock_now_ns(CLOCK_MONOTONIC) < end_ns) {
		nanosleep(&(struct timespec){.tv_nsec = BUSY_PAUSE_NS}, NULL);
		past_answer_done(ret);
		*ret = (struct past_answer){.points = NULL};
		e = past_session_wait(r, q, ret, ret_why);
	}
	return e;
}

int past_session_ask(struct past_session *r, const struct past_request *q, struct past_answer *ret,
	struct buffer *reason)
{
	const char *why = NULL;
	int e;

	*ret = (struct past_answer){.points = NULL};
	e = ask_patiently(r, q, ret, &why);
	if (e < 0 && r->files) {
		buffer_printf(reason, "cannot read the recording in %s: %s",
			r->settings->recorder_directory, why ? why : strerror(-e));
		return e;
	}
	if (e < 0) {
		add_failure(r->settings, e, why, reason);
		return e;
	}
	if (ret->head.flags & PAST_FAILING && !r->has_warned) {
		log_warning("recording fails at present: the log of memtally-recorder says why");
		r->has_warned = true;
	}
	switch (ret->head.status) {
	case PAST_GOOD: return 0;
	case PAST_NONE:
		past_session_add_absence(q, &ret->head, clock_now_ns(CLOCK_REALTIME), reason);
		return -ENODATA;
	case PAST_DAMAGED:
		buffer_add_text(reason, "the recorded snapshot of ");
		past_session_add_time(q->at_ns, reason);
		buffer_add_text(reason, " is damaged: choose another time");
		return -EIO;
	case PAST_BUSY:
		buffer_add_text(reason, "memtally-recorder has too many questions: try again");
		return -EBUSY;
	default:
		add_failure(r->settings, -EPROTO, "it has another version", reason);
		return -EPROTO;
	}
}

bool past_session_peek(const struct settings *settings, struct past_head *ret)
{
	const struct past_request q = {.pick = PAST_COVERAGE};
	AUTO_PAST_ANSWER struct past_answer answer = {.points = NULL};
	AUTO_CLOSE int fd = -1;
	const char *why;

	if (past_connect(settings->recorder_socket, &fd) < 0 ||
		past_ask(fd, &q, PEEK_MS, &answer, &why) < 0)
		return false;
	*ret = answer.head;
	return ret->status == PAST_GOOD;
}

int past_session_get(struct past_session *r, const struct past_moment *moment,
	struct past_answer *ret, struct buffer *reason)
{
	const struct past_request q = {
		.pick = moment->is_oom ? PAST_OOM : PAST_AT, .at_ns = moment->at_ns};
	int e = past_session_ask(r, &q, ret, reason);

	if (e == 0 && !ret->view) {
		add_failure(r->settings, -EBADMSG, "its answer has no snapshot", reason);
		return -EBADMSG;
	}
	return e;
}

int past_session_find(struct past_session *r, const struct past_moment *moment, uint64_t *ret_ns,
	struct buffer *reason)
{
	AUTO_PAST_ANSWER struct past_answer answer = {.points = NULL};
	int e = moment->is_oom ? past_session_get(r, moment, &answer, reason) : 0;

	if (e == 0)
		*ret_ns = moment->is_oom ? answer.head.at_ns : moment->at_ns;
	return e;
}
