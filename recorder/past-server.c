/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "recorder/past-server.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/os/userns.h"
#include "base/saturate.h"
#include "recorder/series.h"
#include "snapshot/past.h"
#include "snapshot/restrict.h"

/* For so long an answer is made without a break. */
#define PART_NS (4 * NS_PER_MSEC)

/* Marks are looked for in spans of time, which change so that each takes about a part. */
#define SPAN_FIRST_NS (3600 * NS_PER_SEC)
#define SPAN_LEAST_NS (60 * NS_PER_SEC)
#define SPAN_FAST_NS  (NS_PER_MSEC)

/* A series, or a list of marks, that is being made. */
struct past_job {
	struct past_server *server;
	struct past_job *next;
	bool is_stranger;               /* the client is neither trusted nor memtally-web */
	uint32_t uid;                   /* of the client */
	struct archive_reader *archive; /* owned; NULL: marks, which take that of the recording */
	struct past_request request;
	struct question_reader reader;
	struct archive_series series;
	/* Of marks, from the newest to the oldest: they are before .until_ns, and fill .point from its end. */
	uint64_t from_ns, until_ns, span_ns;
	struct past_head head;
	struct past_point point[PAST_POINTS_MAX];
};

void past_server_init(
	struct past_server *s, struct recording *recording, const struct verdicts *verdicts)
{
	*s = (struct past_server){
		.recording = recording, .verdicts = verdicts, .userns = userns_id()};
	leases_init(&s->leases);
}

void past_server_done(struct past_server *s)
{
	leases_done(&s->leases);
}

/* Begins HEAD with what every answer says. */
static void past_server_begin(const struct past_server *s, struct past_head *head)
{
	struct archive_coverage coverage;

	*head = (struct past_head){.flags = recording_is_failing(s->recording) ? PAST_FAILING : 0};
	if (archive_reader_coverage(s->recording->reader, &coverage) < 0) {
		head->status = PAST_DAMAGED;
		return;
	}
	head->first_ns = coverage.first_ns;
	head->last_ns = coverage.last_ns;
	head->lost = coverage.skipped;
}

/*
 * Returns which processes of VIEW READER may see. A uid is the same user only in the same user
 * namespace.
 */
static struct sight sight_of(
	const struct past_server *s, const struct question_reader *reader, const struct view *view)
{
	if (reader->sees_all)
		return (struct sight){.kind = SIGHT_ALL};
	if (reader->uid == QUESTION_NO_UID || !s->userns || view->header->userns != s->userns)
		return (struct sight){.kind = SIGHT_NONE};
	return (struct sight){.kind = SIGHT_OWN, .uid = reader->uid};
}

/*
 * Seals the image that Q's client may have into REPLY->fd. Returns a status: PAST_BUSY if clients
 * hold too many already, or if there is no memory.
 */
static enum past_status past_server_seal(struct past_server *s, const struct question *q,
	const struct sight *sight, const struct view *view, struct question_reply *reply)
{
	int64_t owner = q->is_trusted        ? LEASES_PRIVILEGED
	                : q->reader.sees_all ? LEASES_SERVICE
	                                     : (int64_t)q->uid;
	AUTO_CLOSE int fd = -1;
	int r = sight->kind == SIGHT_ALL ? archive_reader_seal(view, &fd)
	                                 : restrict_seal(view, sight, &fd);

	if (r != 0 || leases_add(&s->leases, owner, fd) != 0)
		return PAST_BUSY;
	reply->fd = TAKE_FD(fd);
	return PAST_GOOD;
}

/* Finds the snapshot that REQUEST asks for. */
static void past_server_find(struct past_server *s, const struct question *q,
	const struct past_request *request, const struct question_reader *reader,
	struct past_head *head, struct question_reply *reply)
{
	struct archive_found found;
	struct sight sight;
	const char *reason;
	int r = archive_reader_find(
		s->recording->reader, request->pick, request->at_ns, &found, &reason);

	head->status = r == 0              ? PAST_GOOD
	               : r == ARCHIVE_NONE ? PAST_NONE
	               : r == -ENOMEM      ? PAST_BUSY
	                                   : PAST_DAMAGED;
	if (head->status != PAST_GOOD)
		return;
	sight = sight_of(s, reader, found.view);
	head->status = past_server_seal(s, q, &sight, found.view, reply);
	if (head->status != PAST_GOOD)
		return;
	head->flags |= sight.kind == SIGHT_ALL ? 0 : PAST_OWN_ONLY;
	head->marks = found.marks;
	head->at_ns = found.at_ns;
	head->before_ns = found.before_ns;
	head->after_ns = found.after_ns;
	head->oom_ns = found.oom_ns;
}

/* Frees a past_job, also one that past_server_add_job() has not seen. */
static void past_server_drop(void *job_)
{
	struct past_job *job = job_;

	for (struct past_job **p = &job->server->jobs; *p; p = &(*p)->next)
		if (*p == job) {
			*p = job->next;
			break;
		}
	archive_reader_close(job->archive);
	free(job);
}

/*
 * Returns whether another series may be made for Q's client. memtally-web makes no more of them than it
 * may have connections.
 */
static bool past_server_has_room(const struct past_server *s, const struct question *q)
{
	unsigned int all = 0, own = 0;

	for (const struct past_job *job = s->jobs; job; job = job->next)
		if (job->is_stranger) {
			all++;
			own += job->uid == q->uid;
		}
	return q->reader.sees_all ||
	       (all < PAST_SERVER_SERIES_MAX && own < PAST_SERVER_SERIES_EACH);
}

/* Begins what REQUEST asks for, in *RET. Returns a status. */
static enum past_status past_server_begin_job(struct past_server *s, const struct question *q,
	const struct past_request *request, const struct question_reader *reader,
	const struct past_head *head, struct past_job **ret)
{
	struct past_job *job = malloc(sizeof(*job));

	if (!job)
		return PAST_BUSY;
	job->server = s;
	job->next = NULL;
	job->is_stranger = !q->reader.sees_all;
	job->uid = q->uid;
	job->archive = NULL;
	job->request = *request;
	job->reader = *reader;
	job->head = *head;
	job->from_ns = request->at_ns;
	job->until_ns = request->until_ns;
	job->span_ns = SPAN_FIRST_NS;
	series_clamp(head->first_ns, head->last_ns, &job->from_ns, &job->until_ns);
	*ret = job;
	return PAST_GOOD;
}

/* Begins the series that REQUEST asks for, in REPLY->job. Returns a status. */
static enum past_status past_server_begin_series(struct past_server *s, const struct question *q,
	const struct past_request *request, const struct question_reader *reader,
	const struct past_head *head, struct question_reply *reply)
{
	struct past_job *job;

	if (!past_server_has_room(s, q) ||
		past_server_begin_job(s, q, request, reader, head, &job) != PAST_GOOD)
		return PAST_BUSY;
	job->series = archive_reader_series(job->from_ns, job->until_ns,
		series_step_ns(job->from_ns, job->until_ns, request->step_ns));
	if (archive_reader_copy(s->recording->reader, &job->archive) < 0) {
		past_server_drop(job);
		return PAST_BUSY;
	}
	job->next = s->jobs;
	s->jobs = job;
	reply->job = job;
	return PAST_GOOD;
}

/* Begins the list of marks that REQUEST asks for, in REPLY->job. Returns a status. */
static enum past_status past_server_begin_marks(struct past_server *s, const struct question *q,
	const struct past_request *request, const struct question_reader *reader,
	const struct past_head *head, struct question_reply *reply)
{
	struct past_job *job;

	if (!head->first_ns || request->at_ns > head->last_ns || request->until_ns < head->first_ns)
		return PAST_GOOD;
	if (past_server_begin_job(s, q, request, reader, head, &job) != PAST_GOOD)
		return PAST_BUSY;
	reply->job = job;
	return PAST_GOOD;
}

/* Makes the answer to REQUEST, or begins it. HEAD is begun. */
static void past_server_take(struct past_server *s, const struct question *q,
	const struct past_request *request, const struct question_reader *reader,
	struct past_head *head, struct question_reply *reply)
{
	if (head->status == PAST_GOOD) {
		switch (request->pick) {
		case PAST_COVERAGE: break;
		case PAST_GROWTH:
			if (verdicts_count(
				    s->verdicts, clock_now_ns(CLOCK_MONOTONIC), head->growth))
				head->flags |= PAST_HAS_GROWTH;
			break;
		case PAST_MARKS:
			head->status = past_server_begin_marks(s, q, request, reader, head, reply);
			break;
		case PAST_SERIES:
			head->status = past_server_begin_series(s, q, request, reader, head, reply);
			break;
		default: past_server_find(s, q, request, reader, head, reply); break;
		}
	}
	if (!reply->job)
		past_answer_write(head, NULL, &reply->bytes);
}

static void past_server_answer(
	void *context, const struct question *q, struct question_reply *reply)
{
	struct question_reader reader;
	struct past_request request;
	struct past_head head;

	if (past_request_parse(q->data, q->len, &request) < 0 ||
		!question_narrow(&q->reader, request.has_uid, request.uid, &reader)) {
		reply->is_last = true;
		past_answer_write(
			&(struct past_head){.status = PAST_BAD_REQUEST}, NULL, &reply->bytes);
		return;
	}
	past_server_begin(context, &head);
	past_server_take(context, q, &request, &reader, &head, reply);
}

/*
 * Adds the next point to JOB. Returns 0; ARCHIVE_NONE: the series is complete; or an error of
 * archive_reader_next().
 */
static int past_server_add_point(struct past_server *s, struct past_job *job)
{
	struct archive_found found;
	struct past_point point;
	struct sight sight;
	const char *reason;
	int r = archive_reader_next(job->archive, &job->series, &found, &reason);

	if (r != 0)
		return r;
	sight = sight_of(s, &job->reader, found.view);
	if (job->head.points == PAST_POINTS_MAX) {
		job->head.flags |= PAST_CUT;
		return ARCHIVE_NONE;
	}
	if (sight.kind != SIGHT_ALL && job->request.scope != METRIC_HOST)
		job->head.flags |= PAST_OWN_ONLY;
	series_point(found.view, &job->request, &sight, &point);
	point.at_ns = found.at_ns;
	point.marks = found.marks;
	series_add(job->point, &job->head.points, &point);
	return 0;
}

/* Puts the newest of the COUNT marks at FOUND before those that JOB has. */
static void past_job_put_marks(struct past_job *job, const struct archive_mark *found, size_t count)
{
	while (count && job->head.points < PAST_POINTS_MAX) {
		const struct archive_mark *m = &found[--count];

		job->point[PAST_POINTS_MAX - ++job->head.points] = (struct past_point){
			.at_ns = m->at_ns, .marks = m->marks};
	}
	if (count)
		job->head.flags |= PAST_CUT;
}

/*
 * Adds the marks of the span before .until_ns to JOB. Returns 0; ARCHIVE_NONE: the list is complete; or
 * an error of archive_reader_marks().
 */
static int past_server_add_marks(struct past_server *s, struct past_job *job)
{
	uint32_t mask = job->request.marks ? job->request.marks : UINT32_MAX;
	uint64_t begin_ns = clock_now_ns(CLOCK_MONOTONIC), took_ns, from_ns;
	struct archive_mark found[PAST_POINTS_MAX];
	size_t count = 0;
	int r;

	from_ns = saturate_max(job->from_ns, saturate_less(job->until_ns, job->span_ns - 1));
	r = archive_reader_marks(
		s->recording->reader, from_ns, job->until_ns, mask, found, PAST_POINTS_MAX, &count);
	if (r < 0)
		return r;
	took_ns = clock_now_ns(CLOCK_MONOTONIC) - begin_ns;
	if (count > PAST_POINTS_MAX) {
		job->span_ns = saturate_max((job->until_ns - from_ns + 1) / 2, 1);
		return 0;
	}
	past_job_put_marks(job, found, count);
	if (from_ns == job->from_ns || job->head.flags & PAST_CUT)
		return ARCHIVE_NONE;
	job->until_ns = from_ns - 1;
	if (took_ns < SPAN_FAST_NS)
		job->span_ns = saturate_add(job->span_ns, job->span_ns);
	else if (took_ns > PART_NS)
		job->span_ns = saturate_max(job->span_ns / 2, SPAN_LEAST_NS);
	return 0;
}

/* Returns the points of JOB. */
static const struct past_point *past_job_points(const struct past_job *job)
{
	bool is_marks = job->request.pick == PAST_MARKS;

	return is_marks ? job->point + (PAST_POINTS_MAX - job->head.points) : job->point;
}

static void past_server_go_on(void *context, struct question_reply *reply)
{
	uint64_t end_ns = clock_now_ns(CLOCK_MONOTONIC) + PART_NS;
	struct past_job *job = reply->job;
	int r;

	do
		r = job->request.pick == PAST_MARKS ? past_server_add_marks(context, job)
		                                    : past_server_add_point(context, job);
	while (r == 0 && clock_now_ns(CLOCK_MONOTONIC) < end_ns);
	if (r == 0)
		return;
	if (r != ARCHIVE_NONE)
		job->head.status = r == -ENOMEM ? PAST_BUSY : PAST_DAMAGED;
	past_answer_write(&job->head, past_job_points(job), &reply->bytes);
	past_server_drop(job);
	reply->job = NULL;
}

const struct question_service past_server_service = {
	.message_max = PAST_ANSWER_MAX,
	.answer = past_server_answer,
	.go_on = past_server_go_on,
	.drop = past_server_drop,
};
