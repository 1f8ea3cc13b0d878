/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ledger's file, an SQLite database: usage by slots of five minutes, hours and days, and the
 * mark, which is how far memtallyd's counters are counted (struct bucket_mark). One write is one
 * transaction for slots of all levels and the mark, so the file never holds more or less usage than
 * its mark says.
 *
 * The database has a write-ahead log with full synchronization: committed writes survive a loss of
 * power. This process holds an exclusive lock while the file is open, since two writers would count
 * twice.
 */
#ifndef MEMTALLY_LEDGER_STORE_STORE_H
#define MEMTALLY_LEDGER_STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "ledger/count/bucket.h"
#include "ledger/count/slots.h"
#include "snapshot/usage.h"

#define STORE_FILE "ledger.db"

/*
 * Suffixes of the files that belong to a database while it is open or after a crash. The first, "",
 * is the database itself.
 */
enum { STORE_FILES = 4 };
extern const char *const store_files[STORE_FILES];

enum {
	STORE_ERROR_SIZE = 512,
	STORE_PATH_MAX = 3584, /* longest path of the directory, in bytes */
};

struct store_limits {
	uint64_t slots[SLOT_LEVELS]; /* how many slots with usage to keep, for each level */
	uint64_t bytes;              /* size limit of the file and its log; above 8 MiB */
};

/*
 * Called repeatedly during long operations, so that the service manager does not take them for a
 * hang.
 */
struct store_beat {
	void (*call)(void *context); /* NULL: no beat */
	void *context;
};

struct store;

enum store_outcome {
	STORE_FOREIGN = 1,    /* the file is another program's database, or of a later memtally */
	STORE_LOCKED = 2,     /* another process has the file open */
	STORE_DAMAGED = 3,    /* the file is no database, or a damaged one: quarantine it */
	STORE_UNWRITABLE = 4, /* the disk is full or read-only, or the device fails */
	STORE_GONE = 5,       /* of a write: the file was removed, renamed or replaced */
};

/*
 * Opens ledger.db in DIRECTORY, or makes it, and checks all of it. Calls BEAT (NULL: none)
 * meanwhile, and later during writes and reports. Sets *RET, which the caller closes. Returns 0, or
 * a store_outcome or -ENOMEM; then ERROR is a message with the path, for an administrator.
 */
int store_open(const char *directory, const struct store_limits *limits,
	const struct store_beat *beat, struct store **ret, char error[static STORE_ERROR_SIZE]);

/* Closes S and its file. Accepts NULL. Returns NULL. */
struct store *store_close(struct store *s);

/*
 * Closes S, which has a damaged file, and leaves the file and its log unchanged for the
 * quarantine. If the file was removed, renamed or replaced, its log is copied into it and truncated
 * instead: the next file of that name would take the log for its own. Accepts NULL. Returns NULL.
 */
struct store *store_abandon(struct store *s);

static inline void cleanup_store(struct store **s)
{
	store_close(*s);
}
#define AUTO_STORE CLEANUP(cleanup_store)

/*
 * Loads into B, which is empty, the mark, the memtallyds that were replaced, and the counters of
 * all owners. Returns 0, STORE_DAMAGED or another store_outcome, or -ENOMEM.
 */
int store_load(struct store *s, struct bucket *b);

/*
 * Writes the open span of B, and removes what is beyond the limits. Owners beyond the limits of
 * rows and new names are folded into "(other)". If the write does not fit below the size limit,
 * makes room first. The caller calls bucket_clear() after success.
 *
 * Returns 0, or with the reason in store_error():
 *   STORE_UNWRITABLE, -ENOMEM: nothing was written; but if the log could not be synchronized, the
 *     write may be there when the file is opened again.
 *   STORE_DAMAGED: all or nothing was written; open the file again, and call
 *     store_load() to find out.
 *   STORE_GONE: nothing was written. The log is copied into the file, wherever that is now:
 *     close it and open a new one.
 */
int store_write(struct store *s, struct bucket *b);

/* Replaces the beat by BEAT. */
void store_set_beat(struct store *s, struct store_beat beat);

/* Returns the reason of the last failure, for an administrator; valid until the next call. */
const char *store_error(const struct store *s);

/* Which rows a client sees. */
struct store_reader {
	bool sees_all;
	/*
	 * If not sees_all: it sees the rows of this uid, under the uid's current name; OWNER_NO_ID:
	 * none.
	 */
	uint32_t uid;
};

/*
 * Appends the rows that answer REQUEST, as far as READER may see them, to TO, the largest PSS
 * first. Call usage_begin() for TO before. Sets the times, coverage, flags and number of rows of
 * HEAD, which must be zeroed. NOW_S is the wall clock, in seconds since the epoch.
 *
 * Returns 0; -ENOMEM; STORE_DAMAGED or another store_outcome if the file cannot be read;
 * STORE_UNWRITABLE also if the report takes longer than 5 s. After a failure TO and HEAD are
 * incomplete.
 */
int store_report(struct store *s, const struct usage_request *request,
	const struct store_reader *reader, int64_t now_s, struct usage_head *head,
	struct buffer *to);

/*
 * Returns whether SQLite can allocate as much memory as a check of the file takes. If not, do not
 * trust a report of damage: SQLite's check has the same message for a page without memory as for a
 * bad one.
 */
bool store_has_memory(void);

/* Returns the size of the file in bytes, free pages included; 0 if that is not known. */
uint64_t store_bytes(struct store *s);

#endif
