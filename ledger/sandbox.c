/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "ledger/sandbox.h"

#include <sqlite3.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "service/own-directory.h"
#include "service/renounce.h"

/* Far above what 100,000 owners and a report on them take. Bytes. */
#define DATA_BYTES (UINT64_C(512) << 20)

int sandbox_confine(const char *directory, const char *socket)
{
	static const struct filter_list *const lists[] = {
		&filter_base, &filter_unix, &filter_server, &filter_keep};
	unsigned char chance;
	int r = own_directory_rights("memtally-ledger", directory, DATA_BYTES, 0077,
		"there is no user memtally-ledger for root to become: create it, or give the ledger's "
		"directory to another user");

	if (r < 0)
		return r;
	sqlite3_randomness(sizeof(chance), &chance); /* the first call reads a file */
	r = own_directory_files(directory, socket);
	return r < 0 ? r : renounce_calls(lists, ARRAY_SIZE(lists));
}
