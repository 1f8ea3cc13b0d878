/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/ledger/keeping.h"

#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "confine/account.h"
#include "ledger/store/store-private.h"
#include "tests/unit/support/folder.h"

void keeping_begin(struct keeping *k)
{
	*k = (struct keeping){.limits = {.slots = {864, 1488, 732}, .bytes = 64 * MIB}};
	snprintf(k->dir, sizeof(k->dir), "%s/memtally-ledger-XXXXXX",
		access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	assert_non_null(mkdtemp(k->dir));
	snprintf(k->path, sizeof(k->path), "%s/" STORE_FILE, k->dir);
}

void keeping_end(struct keeping *k)
{
	folder_remove(k->dir);
}

int keeping_give(const char *directory, uid_t *ret)
{
	struct account account;
	int r = account_choose("memtally-ledger", &account);

	if (r == ACCOUNT_ABSENT)
		r = account_take(ACCOUNT_PASSWD, ACCOUNT_WEB, &account);
	if (r != 0 || chown(directory, account.uid, account.gid) < 0)
		return -1;
	*ret = account.uid;
	return 0;
}

void keeping_spoil_map(const struct keeping *k, struct store *store)
{
	/*
	 * A pointer map has entries of five bytes, and maps the pages behind it. After these comes
	 * the next pointer map.
	 */
	enum { PAGE = 4096, ENTRY = 5, ENTRIES = PAGE / ENTRY };
	char map[PAGE] = {0};
	int fd = open(k->path, O_WRONLY | O_CLOEXEC);
	off_t size;

	for (unsigned int i = 0; i < ENTRIES; i++)
		/* marks the page as a root of a table: there are few, and vacuum moves none */
		map[ENTRY * i] = 1;
	/* SQLite need not read again what is in its log or its cache: empty both. */
	assert_int_equal(
		sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL),
		SQLITE_OK);
	assert_true(fd >= 0);
	size = lseek(fd, 0, SEEK_END);
	for (off_t at = PAGE; at < size; at += (off_t)(ENTRIES + 1) * PAGE)
		assert_int_equal(pwrite(fd, map, PAGE, at), PAGE);
	close(fd);
	sqlite3_db_release_memory(store->db);
}

void keeping_start(struct feed *f)
{
	feed_init(f);
	feed_restart(f);
}

void keeping_run(struct feed *f, double seconds, void (*take)(void *context), void *context)
{
	for (unsigned int at = 0; at < seconds; at += 10) {
		feed_wait(f, 10);
		take(context);
	}
}

void keeping_check_near(double found, double expected, double part)
{
	if (fabs(found - expected) > part * expected + 2)
		fail_msg("%.0f is not %.0f", found, expected);
}
