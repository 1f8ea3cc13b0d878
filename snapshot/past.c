/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "snapshot/past.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/text.h"

#define REQUEST_MAGIC "MTPASTQ1"
#define ANSWER_MAGIC  "MTPASTA1"

enum {
	REQUEST_HAS_UID = 1,
	MAGIC_NAME_LEN = 7, /* the last byte of a magic is the version */
	HAS_VALUE = 1 << 0, /* bits of .present of a point */
	HAS_BOUNDS = 1 << 1,
	ALL_MARKS = PAST_MARK_OOM | PAST_MARK_PRESSURE | PAST_MARK_START | PAST_MARK_GAP,
};

/* Fields that .pick does not use are 0, so each question has one encoding. */
struct request {
	char magic[8];
	uint32_t pick, flags; /* flags: REQUEST_HAS_UID or 0 */
	uint64_t at_ns, until_ns, step_ns;
	uint64_t uid; /* 0 without REQUEST_HAS_UID */
	uint32_t scope, quantity, pid, marks;
	uint64_t start_ns;
	uint64_t more[7]; /* 0 */
	char name[SNAPSHOT_NAME_MAX + 1];
};

struct head {
	char magic[8];
	struct past_head head;
	uint64_t more[3]; /* 0 */
};

static_assert(sizeof(struct request) == PAST_REQUEST_SIZE, "a question has no gaps");
static_assert(sizeof(struct head) == PAST_HEAD_SIZE, "a head has no gaps");
static_assert(sizeof(struct past_point) == PAST_POINT_SIZE, "a point has no gaps");

const enum metric_scope past_growth_scope[PAST_GROWTH_SCOPES] = {
	METRIC_USER, METRIC_PROGRAM, METRIC_UNIT, METRIC_PROCESS};

/* Returns whether PICK has a time, .at_ns. */
static bool has_time(uint32_t pick)
{
	return pick != PAST_COVERAGE && pick != PAST_GROWTH;
}

/* Returns whether PICK has an end, .until_ns. */
static bool has_until(uint32_t pick)
{
	return pick == PAST_MARKS || pick == PAST_SERIES;
}

static void past_write_row(const struct past_request *r, struct request *to)
{
	to->step_ns = r->step_ns;
	to->scope = r->scope;
	to->quantity = r->quantity;
	if (r->scope == METRIC_PROCESS) {
		to->pid = r->pid;
		to->start_ns = r->start_ns;
	}
	if (metric_is_owner(r->scope))
		memcpy(to->name, r->name, strnlen(r->name, SNAPSHOT_NAME_MAX));
}

void past_request_write(const struct past_request *r, unsigned char to[static PAST_REQUEST_SIZE])
{
	struct request raw = {
		.pick = (uint32_t)r->pick,
		.flags = r->has_uid ? REQUEST_HAS_UID : 0,
		.uid = r->has_uid ? r->uid : 0,
		.at_ns = has_time(r->pick) ? r->at_ns : 0,
		.until_ns = has_until(r->pick) ? r->until_ns : 0,
		.marks = r->pick == PAST_MARKS ? r->marks : 0,
	};

	memcpy(raw.magic, REQUEST_MAGIC, sizeof(raw.magic));
	if (r->pick == PAST_SERIES)
		past_write_row(r, &raw);
	memcpy(to, &raw, sizeof(raw));
}

static bool past_is_zero(const void *data, size_t len)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < len; i++)
		if (bytes[i])
			return false;
	return true;
}

static bool is_name(const char name[static SNAPSHOT_NAME_MAX + 1])
{
	size_t len = strnlen(name, SNAPSHOT_NAME_MAX + 1);

	return len <= SNAPSHOT_NAME_MAX && text_is_clean(name, len) &&
	       past_is_zero(name + len, SNAPSHOT_NAME_MAX + 1 - len);
}

/* Returns whether RAW, a question for a series, names a row and a quantity of it. */
static bool past_is_row(const struct request *raw)
{
	bool is_process = raw->scope == METRIC_PROCESS;

	if (!is_process && (raw->pid || raw->start_ns || raw->scope >= METRIC_OWNERS_END))
		return false;
	if (raw->quantity >= (is_process ? (uint32_t)PROCESS_QUANTITIES : SCOPE_QUANTITIES))
		return false;
	if (!metric_is_owner((enum metric_scope)raw->scope))
		return past_is_zero(raw->name, sizeof(raw->name));
	return is_name(raw->name);
}

static bool are_times(const struct request *raw)
{
	if (raw->at_ns > PAST_TIME_MAX_NS || raw->until_ns > PAST_TIME_MAX_NS ||
		raw->start_ns > PAST_TIME_MAX_NS)
		return false;
	if (has_until(raw->pick))
		return raw->at_ns <= raw->until_ns;
	return !raw->until_ns && (has_time(raw->pick) || !raw->at_ns);
}

int past_request_parse(const void *data, size_t len, struct past_request *ret)
{
	struct request raw;

	if (len != sizeof(raw))
		return -EBADMSG;
	memcpy(&raw, data, sizeof(raw));
	if (memcmp(raw.magic, REQUEST_MAGIC, sizeof(raw.magic)) != 0 || raw.pick < PAST_AT ||
		raw.pick >= PAST_PICKS_END || raw.flags > REQUEST_HAS_UID ||
		raw.uid > (raw.flags ? UINT32_MAX : 0) ||
		raw.marks & ~(raw.pick == PAST_MARKS ? (uint32_t)ALL_MARKS : 0) ||
		!past_is_zero(raw.more, sizeof(raw.more)) || !are_times(&raw))
		return -EBADMSG;
	if (raw.pick == PAST_SERIES
			? !past_is_row(&raw)
			: raw.step_ns || raw.scope || raw.quantity || raw.pid || raw.start_ns ||
				  !past_is_zero(raw.name, sizeof(raw.name)))
		return -EBADMSG;
	*ret = (struct past_request){
		.pick = (enum past_pick)raw.pick,
		.at_ns = raw.at_ns,
		.until_ns = raw.until_ns,
		.step_ns = raw.step_ns,
		.has_uid = raw.flags,
		.uid = (uint32_t)raw.uid,
		.scope = (enum metric_scope)raw.scope,
		.quantity = raw.quantity,
		.pid = raw.pid,
		.marks = raw.marks,
		.start_ns = raw.start_ns,
	};
	memcpy(ret->name, raw.name, sizeof(ret->name));
	return 0;
}

void past_answer_write(
	const struct past_head *head, const struct past_point *points, struct buffer *to)
{
	struct head raw = {.head = *head};

	memcpy(raw.magic, ANSWER_MAGIC, sizeof(raw.magic));
	buffer_clear(to);
	buffer_add(to, &raw, sizeof(raw));
	buffer_add(to, points, head->points * sizeof(*points));
}

static bool past_is_possible(const struct past_head *h)
{
	const uint64_t times[] = {
		h->first_ns, h->last_ns, h->at_ns, h->before_ns, h->after_ns, h->oom_ns};

	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		if (times[i] > PAST_TIME_MAX_NS)
			return false;
	if (!(h->flags & PAST_HAS_GROWTH) && !past_is_zero(h->growth, sizeof(h->growth)))
		return false;
	return h->status < PAST_STATUS_END && !(h->flags & ~(uint32_t)PAST_FLAGS) &&
	       h->points <= PAST_POINTS_MAX && !(h->marks & ~(uint32_t)ALL_MARKS) &&
	       h->first_ns <= h->last_ns && !h->first_ns == !h->last_ns;
}

/* Returns whether point P, which follows one at BEFORE_NS, is valid. */
static bool is_point(const struct past_point *p, uint64_t before_ns)
{
	return p->at_ns > before_ns && p->at_ns <= PAST_TIME_MAX_NS &&
	       !(p->present & ~(uint32_t)(HAS_VALUE | HAS_BOUNDS)) &&
	       !(p->marks & ~(uint32_t)ALL_MARKS) && (p->present & HAS_VALUE || !p->value) &&
	       (p->present & HAS_BOUNDS || (!p->low && !p->high)) && p->low <= p->high;
}

int past_answer_parse(
	const void *data, size_t len, struct past_head *ret, const struct past_point **ret_points)
{
	struct head raw;
	const struct past_point *points;

	if (len < sizeof(raw))
		return -EBADMSG;
	memcpy(&raw, data, sizeof(raw));
	points = (const void *)((const char *)data + sizeof(raw));
	if (memcmp(raw.magic, ANSWER_MAGIC, MAGIC_NAME_LEN) != 0)
		return -EBADMSG;
	if (raw.magic[MAGIC_NAME_LEN] != ANSWER_MAGIC[MAGIC_NAME_LEN])
		return -EPROTO;
	if (!past_is_possible(&raw.head) || !past_is_zero(raw.more, sizeof(raw.more)) ||
		len != sizeof(raw) + raw.head.points * sizeof(*points))
		return -EBADMSG;
	for (uint32_t i = 0; i < raw.head.points; i++)
		if (!is_point(&points[i], i ? points[i - 1].at_ns : 0))
			return -EBADMSG;
	*ret = raw.head;
	*ret_points = points;
	return 0;
}
