/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the sources of web/site/site.h: a request while it is being answered. */
#ifndef MEMTALLY_WEB_SITE_SITE_PRIVATE_H
#define MEMTALLY_WEB_SITE_SITE_PRIVATE_H

#include "base/clock.h"
#include "web/own/status.h"
#include "web/site/routes.h"
#include "web/site/site.h"

#define SITE_TYPE_JSON "application/json"

/* memtallyd looks users up when it starts and when it reloads its configuration. */
#define SITE_USER_REMEDY "; run it as user memtally-web, and reload memtallyd if that user is new"

enum { SITE_VARIANT_SIZE = 20 };

/* One request while it is being answered. */
struct site_task {
	struct site *site;
	const struct request *rq;
	const struct caller *caller;
	enum route route;
	uint32_t pid;                  /* of ROUTE_PROCESS */
	const struct inquiry *inquiry; /* done; NULL: none was needed or possible */
	/* The snapshot that is asked for, borrowed: the present one or one of the past; NULL: none. */
	struct view *view;
	bool is_past;
	bool lacks_rows; /* memtally-recorder does not show rows of others to this memtally-web */
	struct sight sight;
	uint64_t now_ns; /* CLOCK_BOOTTIME of the time of .view */
	bool is_fresh;   /* there is a snapshot, and its figures may be shown */
};

/* Why there is no answer. */
struct site_problem {
	unsigned int status; /* of HTTP; 0: there is no problem */
	struct buffer why;   /* owned; a sentence for people, terminated */
	const char *retry_after;
};

static inline void site_problem_done(struct site_problem *p)
{
	buffer_done(&p->why);
}
#define AUTO_SITE_PROBLEM CLEANUP(site_problem_done)

/* Returns the JSON answer that says P; NULL: there is no memory. */
struct answer *site_refuse(const struct site_problem *p);

struct status site_status(const struct site_task *t);

/*
 * Sets the ETag `W/"<instance>-<sequence>[-<variant>][-<sight>]"` for the present snapshot. It is
 * weak, because ages and memtally-web's own figures change while the snapshot stays the same. If the
 * client has this ETag, the status becomes 304: the client gets the same answer without its body, so
 * that the headers tell the length that the body would have. An answer from the past has none.
 */
void site_set_etag(const struct site_task *t, struct answer *a, const char *variant);

/* Writes PREFIX, at most 3 bytes, and a hash of the parameters of RQ, which tells them apart in an ETag. */
void site_format_variant(
	const struct request *rq, const char *prefix, char to[static SITE_VARIANT_SIZE]);

bool site_has_parameters(const struct request *rq);

/*
 * Adds the head, which has the snapshot's age. *RET_SLACK is how many blanks to add at the end of
 * the body, so that its length stays the same when the age has more digits.
 */
void site_add_head(struct buffer *to, const struct view *view, uint64_t now_ns, size_t *ret_slack);
void site_add_end(struct buffer *to, size_t slack);

/* Returns whether T's caller may see some processes. */
bool site_shows_processes(const struct site_task *t);

/* Returns why T's caller sees no processes; NULL: it may see some. */
const char *site_why_no_processes(const struct site_task *t);

/*
 * Returns whether there is room for another answer from the past to T. Its bytes are to be counted in
 * *SITE_PAST_BYTES(T).
 */
bool site_has_past_room(const struct site_task *t);
#define SITE_PAST_BYTES(t) (&(t)->site->past_bytes[(t)->caller->place])

/* Answers that too many answers from the past are not read yet. */
struct answer *site_postpone(void);

/* web/site/site-data.c: lists, single rows and the status. Data need a fresh snapshot. */
struct answer *site_answer_data(const struct site_task *t);
struct answer *site_answer_status(const struct site_task *t);

/* web/site/site-metrics.c: metrics and health */
struct answer *site_answer_metrics(const struct site_task *t);
struct answer *site_answer_process_exporter(const struct site_task *t);
struct answer *site_answer_text(unsigned int status, const char *text);
struct answer *site_answer_readyz(const struct site_task *t);

/* web/site/site-page.c: the page, its assets, and the list of routes */
/* The page says PROBLEM, if that is one, in place of the figures. */
struct answer *site_answer_page(const struct site_task *t, const struct site_problem *problem);
struct answer *site_answer_asset(const struct site_task *t);
struct answer *site_answer_index(const struct site_task *t);

/*
 * web/site/site-past.c: the past. site_begin_history() begins the history that RQ asks for: results
 * are those of history_inquiry_new().
 */
int site_begin_history(const struct site *s, const struct request *rq, const struct caller *caller,
	struct history_inquiry **ret, char error[static QUERY_ERROR_SIZE]);
/* Plans what I asks of memtally-ledger, as history_inquiry_plan(). */
void site_plan_ledger(const struct site *s, struct history_inquiry *i);
struct answer *site_answer_history(const struct site_task *t);
struct answer *site_answer_coverage(const struct site_task *t);

/*
 * Writes to *RET what memtally-recorder is to be asked for the answer to RQ at ROUTE. Returns 0;
 * MOMENT_NONE: nothing; or -EINVAL with a sentence for the client in ERROR.
 */
int site_find_request(const struct request *rq, enum route route, struct past_request *ret,
	char error[static QUERY_ERROR_SIZE]);

/*
 * Gives T the snapshot of the moment that its parameters ask for, and sets .is_past; or writes to
 * *RET, which is zeroed, why there is no such snapshot. Returns 0, also if the parameters ask for no
 * moment; or -ENOMEM.
 */
int site_find_moment(struct site_task *t, struct site_problem *ret);

#endif
