/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "ledger/sandbox.h"

#include <sqlite3.h>

#include "service/own-directory.h"

int sandbox_confine(const char *directory, const char *socket)
{
	static const struct own_directory own = {.user = "memtally-ledger", .mask = 0077};
	unsigned char chance;

	sqlite3_randomness(sizeof(chance), &chance); /* the first call reads a file */
	return own_directory_confine(&own, directory, socket);
}
