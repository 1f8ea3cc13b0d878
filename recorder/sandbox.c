/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "recorder/sandbox.h"

#include <fcntl.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "service/own-directory.h"
#include "service/renounce.h"

/*
 * Far above what an archive of 10,000 processes takes, with the images that readers decode. Bytes.
 */
#define DATA_BYTES (UINT64_C(512) << 20)

static const struct filter_call record_calls[] = {
	/* Segments. */
	FILTER_CALL("pwritev"),
	FILTER_CALL("preadv"),
	FILTER_CALL("flock"),
	/* Images for clients, and how many of them clients hold (service/leases.c). */
	FILTER_CALL("memfd_create"),
	FILTER_CALL_IS("fcntl", 1, F_ADD_SEALS),
	FILTER_CALL_IS("fcntl64", 1, F_ADD_SEALS),
	FILTER_CALL("inotify_init1"),
	FILTER_CALL("inotify_add_watch"),
};
static const struct filter_list filter_record = FILTER_LIST(record_calls);

int recorder_sandbox_confine(const char *directory, const char *socket)
{
	static const struct filter_list *const lists[] = {&filter_base, &filter_unix,
		&filter_server, &filter_keep, &filter_threads, &filter_record};
	int r = own_directory_rights("memtally-recorder", directory, DATA_BYTES, 0027,
		"there is no user memtally-recorder for root to become: create it, or give the "
		"recorder's directory to another user");

	if (r == 0)
		r = own_directory_files(directory, socket);
	return r < 0 ? r : renounce_calls(lists, ARRAY_SIZE(lists));
}
