/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "recorder/sandbox.h"

#include <fcntl.h>
#include "service/own-directory.h"

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
	static const struct own_directory own = {.user = "memtally-recorder",
		.mask = 0027,
		.calls = {&filter_record, &filter_threads}};

	return own_directory_confine(&own, directory, socket);
}
