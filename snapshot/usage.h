/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports of memtally-ledger
 *
 * The protocol of memtally-ledger's socket: how much memory each owner used in a span of time. A
 * question is one message of USAGE_REQUEST_SIZE bytes. An answer is a head and its rows: a run of
 * bytes in messages of at most USAGE_MESSAGE_MAX bytes. The next question may be sent when the
 * answer is complete. All integers are in the byte order of the host, which they never leave. Pure.
 *
 * Amounts are in KiB if their sums in bytes, times seconds, over years, would not fit into 64 bits.
 */
#ifndef MEMTALLY_SNAPSHOT_USAGE_H
#define MEMTALLY_SNAPSHOT_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "snapshot/record.h"

/* The kinds of owners that the ledger keeps. The numbers are in its file and never change. */
enum usage_kind {
	USAGE_USER = 1,
	USAGE_PROGRAM = 2,
	USAGE_UNIT = 3,
	USAGE_GROUP = 4,
	USAGE_CONTAINER = 5,
	USAGE_KINDS_END
};

/* Returns the kind of owners in the table of owners (snapshot/owner.h), for its names. */
enum owner_kind usage_owner(enum usage_kind kind);

/* Returns the kind with NAME, as in the table of owners; USAGE_KINDS_END: there is none. */
enum usage_kind usage_find(const char *name);

/* The name of the sum of owners for which there are no rows, because a limit is reached. */
#define USAGE_OTHER "(other)"

enum {
	USAGE_REQUEST_SIZE = 64,
	USAGE_HEAD_SIZE = 128,
	USAGE_MESSAGE_MAX = 32768,
	USAGE_ROWS_MAX = 10000, /* in an answer; the last one is the sum of those that do not fit */
};

#define USAGE_SIZE_MAX (UINT64_C(64) << 20) /* bytes of an answer */
#define USAGE_TIME_MAX (INT64_C(1) << 40)   /* seconds since the epoch: the latest valid time */

struct usage_request {
	enum usage_kind kind;
	/* Seconds since the epoch: 0 <= since_s < until_s <= USAGE_TIME_MAX */
	int64_t since_s, until_s;
	/*
	 * memtally-web asks for its own clients: if set, the answer has only the rows that .uid may
	 * see; OWNER_NO_ID: none.
	 */
	bool has_uid;
	uint32_t uid;
};

/* Writes the question R to TO. */
void usage_request_write(
	const struct usage_request *r, unsigned char to[static USAGE_REQUEST_SIZE]);

/* Reads the question in LEN bytes at DATA. Returns 0, or -EBADMSG if any byte is invalid. */
int usage_request_parse(const void *data, size_t len, struct usage_request *ret);

enum usage_status {
	USAGE_GOOD,
	USAGE_BAD_REQUEST,
	USAGE_BROKEN, /* the ledger cannot be read */
	USAGE_STATUS_END
};

enum usage_flag {
	USAGE_OWN_ONLY = 1 << 0, /* the answer has only rows of the user who asks */
	/* With USAGE_OWN_ONLY: owners of this kind belong to no user, so there are no rows */
	USAGE_NOT_OWN = 1 << 1,
	USAGE_CUT = 1 << 2, /* there were too many rows: the last one is the sum of the others */
	/* The last write is older than it should be, given slots and the snapshot interval */
	USAGE_LATE = 1 << 3,
	USAGE_FAILING = 1 << 4, /* the last write failed: recent usage is in memory only */
	USAGE_FLAGS = USAGE_OWN_ONLY | USAGE_NOT_OWN | USAGE_CUT | USAGE_LATE | USAGE_FAILING
};

/* In the order of the bytes of an answer. */
struct usage_head {
	enum usage_status status;
	uint32_t flags;    /* of enum usage_flag */
	uint32_t rows;     /* rows behind the head */
	uint32_t reserved; /* 0 */
	/*
	 * The span of the rows, seconds since the epoch: the one that was asked for, moved to
	 * boundaries that the ledger keeps, and not in the future
	 */
	int64_t since_s, until_s;
	int64_t now_s;   /* the ledger's clock, seconds since the epoch */
	int64_t first_s; /* start of the ledger's data, seconds since the epoch; -1: it is empty */
	uint64_t covered_ms; /* milliseconds of the span in which PSS was measured */
	uint64_t sampled_ms; /* milliseconds of the span in which swap and processes were counted */
	uint64_t clock_sets; /* how often the clock was set since memtally-ledger started */
	uint64_t write_failures; /* writes that failed since memtally-ledger started */
	/* Damaged files that were replaced by a new one since memtally-ledger started */
	uint64_t set_aside;
	/* End of the data in the file, seconds since the epoch; -1: the file is empty */
	int64_t written_s;
};

enum usage_quantity {
	USAGE_PSS,       /* KiB seconds; absent: PSS was never measured */
	USAGE_PSS_MAX,   /* KiB: the largest in a snapshot */
	USAGE_SWAP,      /* KiB seconds */
	USAGE_PROCESSES, /* milliseconds: the lifetimes of its processes within the span, summed */
	USAGE_PROCESSES_MAX, /* a count: the largest in a snapshot */
	USAGE_QUANTITIES
};

/*
 * Returns whether VALUE is within the limit for QUANTITY: readers refuse answers with larger
 * values.
 */
bool usage_is_possible(enum usage_quantity quantity, uint64_t value);

struct usage_row {
	/*
	 * The uid of a user, or of the user that the owner belongs to; the gid of a group;
	 * OWNER_NO_ID
	 */
	uint32_t id;
	uint32_t present; /* mask of the quantities that are known */
	uint64_t q[USAGE_QUANTITIES];
	/*
	 * Clean (base/text.h), terminated; borrowed; .user: of an owner that belongs to a user,
	 * else ""
	 */
	const char *name, *user;
};

/*
 * These write an answer into TO: usage_begin() empties TO and leaves room for the head, usage_add()
 * adds ROW, and usage_end() puts HEAD in place, when all is known. A failed allocation sets
 * TO->error.
 */
void usage_begin(struct buffer *to);
void usage_add(struct buffer *to, const struct usage_row *row);
void usage_end(struct buffer *to, const struct usage_head *head);

/*
 * Gives in *RET the length in bytes of an answer of which the first LEN bytes are at DATA; 0: that
 * takes more bytes. Returns 0; -EPROTO if the answer is of another version of memtally-ledger; or
 * -EBADMSG if it is no answer.
 */
int usage_size(const void *data, size_t len, size_t *ret);

/*
 * Checks a whole answer of LEN bytes at DATA, aligned to 8, and gives its head in *RET. Returns 0;
 * -EPROTO if the answer is of another version of memtally-ledger; or -EBADMSG if any of it is
 * invalid.
 */
int usage_check(const void *data, size_t len, struct usage_head *ret);

/*
 * Gives in *RET the row at *AT of an answer that usage_check() has accepted, and moves *AT to the
 * next one; *AT is USAGE_HEAD_SIZE at first. Texts of *RET point into DATA. Returns false if there
 * is no other row.
 */
bool usage_next(const void *data, size_t len, size_t *at, struct usage_row *ret);

#endif
