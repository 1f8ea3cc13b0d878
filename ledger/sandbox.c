/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "ledger/sandbox.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "confine/limits.h"
#include "service/renounce.h"

/* Far above what 100,000 owners and a report on them take. Bytes. */
#define DATA_BYTES (UINT64_C(512) << 20)

/*
 * Sets *RET to the user that root becomes. It is not a free uid, as for other daemons: tomorrow's
 * process must be able to use today's files.
 */
static int ledger_sandbox_choose_account(const char *directory, struct account *ret)
{
	struct stat st;
	int r = account_choose("memtally-ledger", ret);

	if (r != ACCOUNT_ABSENT)
		return r;
	if (stat(directory, &st) < 0)
		return -errno;
	*ret = (struct account){.uid = st.st_uid, .gid = st.st_gid};
	return 0;
}

struct needs {
	const char *directory, *socket; /* socket may be NULL */
};

static int ledger_sandbox_allow(struct landlock *l, const void *needs_)
{
	const struct needs *needs = needs_;
	int r = landlock_allow(l, needs->directory, LANDLOCK_MAY_KEEP);

	return r == 0 && needs->socket ? landlock_allow_removal(l, needs->socket) : r;
}

int sandbox_confine(const char *directory, const char *socket)
{
	static const struct filter_list *const lists[] = {
		&filter_base, &filter_unix, &filter_server, &filter_keep};
	const struct needs needs = {.directory = directory, .socket = socket};
	struct account account = {0};
	unsigned char chance;
	int r = ledger_sandbox_choose_account(directory, &account);

	if (r < 0) {
		log_error("cannot choose a user: %s", strerror(-r));
		return r;
	}
	r = renounce_rights(&account, DATA_BYTES, LIMITS_ANY,
		"there is no user memtally-ledger for root to become: create it, or give the ledger's "
		"directory to another user");
	if (r < 0)
		return r;
	umask(0077);
	sqlite3_randomness(sizeof(chance), &chance); /* the first call reads a file */
	r = renounce_files(ledger_sandbox_allow, &needs);
	return r < 0 ? r : renounce_calls(lists, ARRAY_SIZE(lists));
}
