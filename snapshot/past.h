/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions to memtally-recorder
 *
 * The protocol of memtally-recorder's socket, which gives snapshots of the past. A question is one
 * message of PAST_REQUEST_SIZE bytes. The answer is one message: a head of PAST_HEAD_SIZE bytes and
 * its points, by ascending time. An answer with a snapshot (.at_ns is not 0) carries one descriptor,
 * the sealed memfd of its image. The next question may be sent when the answer has come. All
 * integers are in the byte order of the host, which they never leave. Times are nanoseconds of
 * CLOCK_REALTIME since the epoch. Pure.
 *
 * Trusted clients (base/os/peer.h) get whole images, and so does user memtally-web. Other users get
 * images with the rows of their own processes, and all sums: IMAGE_OWN, or IMAGE_PUBLIC if they have
 * no uid, or memtallyd's uids may be of another user namespace. Series (PAST_SERIES) have the rule of
 * /api/v1/history: other users get those of the host, and of their own owners and processes.
 */
#ifndef MEMTALLY_SNAPSHOT_PAST_H
#define MEMTALLY_SNAPSHOT_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "snapshot/metric.h"
#include "snapshot/record.h"

enum {
	PAST_REQUEST_SIZE = 1152,
	PAST_HEAD_SIZE = 128,
	PAST_POINT_SIZE = 40,
	PAST_POINTS_MAX = 1000,
	PAST_ANSWER_MAX = PAST_HEAD_SIZE + PAST_POINTS_MAX * PAST_POINT_SIZE,
};

/* Snapshots and marks later than this (year 2554) are invalid. */
#define PAST_TIME_MAX_NS (UINT64_MAX >> 1)

enum past_pick {
	PAST_AT = 1,   /* a snapshot: the last one at or before .at_ns */
	PAST_BEFORE,   /* a snapshot: the last one before .at_ns */
	PAST_AFTER,    /* a snapshot: the first one after .at_ns */
	PAST_OOM,      /* a snapshot: the last one before the last OOM kill at or before .at_ns */
	PAST_COVERAGE, /* no snapshot: the head says which time the recording covers */
	PAST_MARKS,    /* points: the marks from .at_ns to .until_ns */
	PAST_SERIES,   /* points: a quantity from .at_ns to .until_ns, one for each .step_ns */
	PAST_GROWTH,   /* no snapshot: the head counts the verdicts on growth */
	PAST_PICKS_END
};

/* Marks of a recorded snapshot, compared with the one before it. A mask. */
enum past_mark {
	PAST_MARK_OOM = 1 << 0,      /* OOM kills happened */
	PAST_MARK_PRESSURE = 1 << 1, /* it is of a pass under memory pressure */
	PAST_MARK_START = 1 << 2,    /* the first one of a start of memtallyd */
	/* there was none for longer than three intervals, or ones before it were lost */
	PAST_MARK_GAP = 1 << 3,
};

struct past_request {
	enum past_pick pick;
	uint64_t at_ns, until_ns; /* at_ns <= until_ns where both count */
	uint64_t step_ns; /* PAST_SERIES: at least so much from one point to the next; 0: all */
	/*
	 * memtally-web asks for its own clients: if set, the answer has only what .uid may see;
	 * OWNER_NO_ID: sums alone.
	 */
	bool has_uid;
	uint32_t uid;
	uint32_t marks; /* PAST_MARKS: those with any of these, of enum past_mark; 0: all */
	/* PAST_SERIES: the row. */
	enum metric_scope scope; /* METRIC_HOST, a kind of owners or METRIC_PROCESS */
	uint32_t quantity;       /* an enum scope_quantity or enum process_quantity */
	uint32_t pid;            /* METRIC_PROCESS */
	uint64_t start_ns;       /* METRIC_PROCESS: PROCESS_START_TIME; 0: that of any process */
	char name[SNAPSHOT_NAME_MAX + 1]; /* of an owner; terminated, clean (base/text.h) */
};

/* Writes the question R to TO, without the fields that .pick does not use. */
void past_request_write(const struct past_request *r, unsigned char to[static PAST_REQUEST_SIZE]);

/* Reads the question in LEN bytes at DATA. Returns 0, or -EBADMSG if any byte is invalid. */
int past_request_parse(const void *data, size_t len, struct past_request *ret);

enum past_status {
	PAST_GOOD,
	PAST_BAD_REQUEST,
	PAST_NONE,    /* no snapshot of that time is recorded: see .first_ns and .last_ns */
	PAST_DAMAGED, /* the snapshot of that time cannot be read */
	PAST_BUSY,    /* too many questions; ask later */
	PAST_STATUS_END
};

enum past_flag {
	/*
	 * The image has rows of the caller's own processes alone; the series has no values of other
	 * users' owners and processes.
	 */
	PAST_OWN_ONLY = 1 << 0,
	PAST_FAILING = 1 << 1, /* recording fails at present */
	/*
	 * There were more points than PAST_POINTS_MAX. Of marks the oldest ones are left out, of a
	 * series the last ones.
	 */
	PAST_CUT = 1 << 2,
	PAST_HAS_GROWTH = 1 << 3, /* .growth counts; else it is zeroed: no verdicts are known */
	PAST_FLAGS = PAST_OWN_ONLY | PAST_FAILING | PAST_CUT | PAST_HAS_GROWTH
};

enum { PAST_GROWTH_SCOPES = 4 };

/* The rows of these scopes are judged. */
extern const enum metric_scope past_growth_scope[PAST_GROWTH_SCOPES];

/* How many rows of a scope have which verdict (docs/growth.md), of all users. */
struct past_growth {
	uint16_t none, watch, leak;
};

/* In the order of the bytes of an answer. */
struct past_head {
	enum past_status status;
	uint32_t flags;               /* of enum past_flag */
	uint32_t points;              /* behind the head */
	uint32_t marks;               /* of the snapshot: of enum past_mark */
	uint64_t first_ns;            /* the oldest recorded snapshot; 0: there is none */
	uint64_t last_ns;             /* the newest recorded snapshot; 0: there is none */
	uint64_t at_ns;               /* the snapshot that is sent; 0: none */
	uint64_t before_ns, after_ns; /* the recorded snapshots beside it; 0: there is none */
	uint64_t oom_ns;              /* PAST_OOM: the first snapshot after the OOM kill; 0: none */
	uint64_t lost; /* damaged records that were skipped since memtally-recorder started */
	struct past_growth growth[PAST_GROWTH_SCOPES]; /* PAST_GROWTH, with PAST_HAS_GROWTH */
};

struct past_point {
	uint64_t at_ns;
	uint32_t present; /* bit 0: .value; bit 1: .low and .high */
	uint32_t marks;   /* of enum past_mark */
	uint64_t value;
	uint64_t low, high; /* bounds, of PSS */
};

/* Writes HEAD and POINTS to TO, which is emptied. A failed allocation sets TO->error. */
void past_answer_write(
	const struct past_head *head, const struct past_point *points, struct buffer *to);

/*
 * Checks a whole answer of LEN bytes at DATA, aligned to 8, gives its head in *RET, and its points in
 * *RET_POINTS (pointing into DATA). Returns 0; -EPROTO if the answer is of another version of
 * memtally-recorder; or -EBADMSG if any of it is invalid.
 */
int past_answer_parse(
	const void *data, size_t len, struct past_head *ret, const struct past_point **ret_points);

#endif
