/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ledger's file, an SQLite database: usage by slots of five minutes, hours and days, and how far the counters of
 * which memtallyd have been counted. All that a write adds, to slots of every level and to that, is one transaction:
 * whatever happens, the file says neither more nor less than what it says has been counted.
 *
 * It is a write-ahead log with full synchronization, so that what was written is there after a loss of power; and
 * this process has it alone for as long as it is open, since two who add to it would count twice.
 */
#ifndef MEMTALLY_LEDGER_STORE_H
#define MEMTALLY_LEDGER_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "ledger/bucket.h"
#include "ledger/slots.h"
#include "snapshot/usage.h"

#define STORE_FILE "ledger.db"

/* What stands beside the file, by the ends of their names, while it is open or after a crash. The file is the first. */
enum { STORE_FILES = 4 };
extern const char *const store_files[STORE_FILES];

enum {
	STORE_ERROR_SIZE = 512,
	STORE_PATH_MAX = 3584, /* bytes of a directory's path */
};

struct store_limits {
	uint64_t slots[SLOT_LEVELS]; /* how many to keep that have something in them */
	uint64_t bytes;
};

/* Called again and again while something goes on that may take long, so that nobody takes it for a hang. */
struct store_beat {
	void (*call)(void *context); /* NULL: nothing is */
	void *context;
};

struct store;

enum store_outcome {
	STORE_FOREIGN = 1,    /* it is somebody else's database, or of a later memtally */
	STORE_LOCKED = 2,     /* another process has it open */
	STORE_DAMAGED = 3,    /* it is none, or none any more: to be set aside */
	STORE_UNWRITABLE = 4, /* full, read-only, or the device fails */
	STORE_GONE =
		5, /* of a write: the file was removed or renamed, or another one has its name */
};

/*
 * Opens, or makes, ledger.db in DIRECTORY and looks at all of it. BEAT is called meanwhile, and from then on while a
 * write or a report goes on; NULL: nothing is. A store_outcome or -ENOMEM; then ERROR says what is wrong with which file,
 * for a person.
 */
int store_open(const char *directory, const struct store_limits *limits,
	const struct store_beat *beat, struct store **ret, char error[static STORE_ERROR_SIZE]);

struct store *store_close(struct store *s); /* accepts NULL; returns NULL */

/*
 * Closes one that is damaged, and leaves the file and its log as they are. But if the file was removed or renamed, or another one has
 * its name, the log would be taken for that of the next file: it is brought to the file and emptied.
 */
struct store *store_abandon(struct store *s); /* accepts NULL; returns NULL */

static inline void cleanup_store(struct store **s)
{
	store_close(*s);
}
#define AUTO_STORE CLEANUP(cleanup_store)

/* What has been counted, into B, which is new. STORE_DAMAGED, -ENOMEM. */
int store_load(struct store *s, struct bucket *b);

/*
 * Adds what B has, as far as there is room for names, the rest as "(other)", and lets go of what is older or more than
 * the limits allow. Where it does not fit below the limit of size, room is made first. STORE_UNWRITABLE, -ENOMEM: nothing of
 * it was written; but if the log could not be synchronized, it may be there when the file is opened the next time.
 * STORE_DAMAGED: nothing or all of it was written. Then store_error() says why, and store_load() from a file that is opened
 * again says which. STORE_GONE: nothing was, and what the log had is in the file, wherever that is now: it is to be closed,
 * and opened anew.
 */
int store_write(struct store *s, struct bucket *b);

/* From now on that is BEAT. */
void store_set_beat(struct store *s, struct store_beat beat);

/* What the last failure was, for a person; good until the next call. */
const char *store_error(const struct store *s);

/* Who asks for a report. */
struct store_reader {
	bool sees_all;
	uint32_t uid; /* else whose rows there are, by his last name; OWNER_NO_ID: nobody's */
};

/*
 * Adds the rows that answer REQUEST to TO, those that used most first, and fills in what HEAD says of them and of the
 * time; NOW_S is the wall clock's. STORE_DAMAGED, STORE_UNWRITABLE: they can't be read; -ENOMEM.
 */
int store_report(struct store *s, const struct usage_request *request,
	const struct store_reader *reader, int64_t now_s, struct usage_head *head,
	struct buffer *to);

/*
 * Whether SQLite can have as much memory as it takes to check a file. If not, a file may be whole that it calls damaged: its check has the same
 * message for a page that it had no memory for as for a bad one.
 */
bool store_has_memory(void);

/* How many bytes the file has, free ones among them; 0: that can't be known. */
uint64_t store_bytes(struct store *s);

#endif
