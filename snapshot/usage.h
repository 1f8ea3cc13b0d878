/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What memtally-ledger tells over its socket, and how it is asked: who has used how much memory in a span of time. A
 * question is one message of USAGE_REQUEST_SIZE bytes. An answer is a head and its rows, one run of bytes that comes
 * in messages of at most USAGE_MESSAGE_MAX bytes; then the next question may be put. All in the byte order of the
 * host, which it never leaves. Pure.
 *
 * Amounts are integers: KiB for what is so large that bytes of it, times seconds, times years, would not fit.
 */
#ifndef MEMTALLY_SNAPSHOT_USAGE_H
#define MEMTALLY_SNAPSHOT_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "snapshot/record.h"

/* The owners that the ledger keeps. The numbers stand in its file and never change. */
enum usage_kind {
	USAGE_USER = 1,
	USAGE_PROGRAM = 2,
	USAGE_UNIT = 3,
	USAGE_GROUP = 4,
	USAGE_CONTAINER = 5,
	USAGE_KINDS_END
};

/* What they are called is in THE table of owners, under this kind. */
enum owner_kind usage_owner(enum usage_kind kind);

/* The kind of that name; USAGE_KINDS_END: there is none. */
enum usage_kind usage_find(const char *name);

/* Who stands for those beyond as many as the ledger keeps rows of. */
#define USAGE_OTHER "(other)"

enum {
	USAGE_REQUEST_SIZE = 64,
	USAGE_HEAD_SIZE = 128,
	USAGE_MESSAGE_MAX = 32768,
	USAGE_ROWS_MAX = 10000, /* of an answer; what is more is summed up in one of them */
};

#define USAGE_SIZE_MAX (UINT64_C(64) << 20) /* bytes of an answer */
#define USAGE_TIME_MAX (INT64_C(1) << 40)   /* seconds since the epoch: no clock gets there */

struct usage_request {
	enum usage_kind kind;
	int64_t since_s,
		until_s; /* since the epoch; not negative, the first less than the second */
};

void usage_request_write(
	const struct usage_request *r, unsigned char to[static USAGE_REQUEST_SIZE]);

/* -EBADMSG where any byte of it is not as it has to be. */
int usage_request_parse(const void *data, size_t len, struct usage_request *ret);

enum usage_status {
	USAGE_GOOD,
	USAGE_BAD_REQUEST,
	USAGE_BROKEN, /* the ledger could not be read */
	USAGE_STATUS_END
};

enum usage_flag {
	USAGE_OWN_ONLY = 1 << 0, /* whoever asked is shown his own rows alone */
	USAGE_NOT_OWN = 1 << 1,  /* and rows of this kind are nobody's own */
	USAGE_CUT = 1 << 2,      /* there were more rows: the last one is the sum of those */
	USAGE_LATE = 1 << 3,     /* nothing was written for longer than slots and snapshots take */
	USAGE_FAILING = 1 << 4,  /* what was used last could not be written */
	USAGE_FLAGS = USAGE_OWN_ONLY | USAGE_NOT_OWN | USAGE_CUT | USAGE_LATE | USAGE_FAILING
};

struct usage_head {
	enum usage_status status;
	uint32_t flags;
	uint32_t rows;
	int64_t since_s,
		until_s; /* what the rows are of: as was asked for, as far as it is kept so finely and has passed */
	int64_t now_s;           /* the ledger's clock */
	int64_t first_s;         /* of what is kept; -1: nothing is */
	int64_t written_s;       /* until when what was used is in the file; -1: nothing is */
	uint64_t covered_ms;     /* of that time, in which PSS was measured, */
	uint64_t sampled_ms;     /* and in which swap and processes were looked at */
	uint64_t clock_sets;     /* since memtally-ledger began: how often the clock was set, */
	uint64_t write_failures; /* it could not write, */
	uint64_t set_aside;      /* and has begun a new file, since the old one was damaged */
};

enum usage_quantity {
	USAGE_PSS,       /* KiB seconds; absent: none of it could be read */
	USAGE_PSS_MAX,   /* KiB: the largest of any snapshot */
	USAGE_SWAP,      /* KiB seconds */
	USAGE_PROCESSES, /* milliseconds: of each, the time that it was there */
	USAGE_PROCESSES_MAX,
	USAGE_QUANTITIES
};

/* Whether there can be so much of QUANTITY: what is more is no answer's. */
bool usage_is_possible(enum usage_quantity quantity, uint64_t value);

struct usage_row {
	uint32_t
		id; /* the uid of a user, or of whose own it is; the gid of a group; or OWNER_NO_ID */
	uint32_t present; /* of the quantities */
	uint64_t q[USAGE_QUANTITIES];
	const char *name, *user; /* clean, terminated; borrowed */
};

/*
 * Starts an answer in TO, empty; rows are added; and the head is put in its place when all is known. Errors are TO's.
 */
void usage_begin(struct buffer *to);
void usage_add(struct buffer *to, const struct usage_row *row);
void usage_end(struct buffer *to, const struct usage_head *head);

/* How many bytes the answer has whose first LEN are at DATA; 0: that is not known yet. -EBADMSG: it is no answer. */
int usage_size(const void *data, size_t len, size_t *ret);

/* Checks all of the LEN bytes of an answer, which are aligned to 8. -EBADMSG. */
int usage_check(const void *data, size_t len, struct usage_head *ret);

/* The row at *AT of an answer that was checked, USAGE_HEAD_SIZE to begin with; false: there is none. */
bool usage_next(const void *data, size_t len, size_t *at, struct usage_row *ret);

#endif
