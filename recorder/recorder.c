/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "recorder/recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/saturate.h"
#include "config/settings.h"
#include "recorder/past-server.h"
#include "recorder/recording.h"
#include "recorder/sandbox.h"
#include "recorder/verdicts.h"
#include "service/command.h"
#include "service/keeper.h"

enum { PPM_PER_PERCENT = 10000 };

/* The least share of recorder.size: less has no room for the snapshots of a large host. */
#define SHARE_BYTES_MIN (UINT64_C(1) << 20)

struct recorder {
	struct keeper keeper;
	struct past_server past;
	struct recording recording;
	struct verdicts verdicts;
};

/* Snapshots that are marked wait for no time; others may be lost for so long after a power failure. */
static void recorder_limits(const struct settings *c, struct archive_limits *ret)
{
	uint32_t all = (uint32_t)(c->recorder_share_all_ppm / PPM_PER_PERCENT);
	uint32_t minutes = (uint32_t)(c->recorder_share_minutes_ppm / PPM_PER_PERCENT);

	*ret = archive_default_limits(c->recorder_size_mib << 20);
	ret->tier[0].percent = all;
	ret->tier[1].percent = minutes;
	ret->tier[2].percent = 100 - all - minutes;
}

/* Returns whether each share of recorder.size is large enough. If not, says which one is too small. */
static bool recorder_has_room(const struct settings *c)
{
	static const char *const names[ARCHIVE_TIERS] = {
		"recorder.share_all", "recorder.share_minutes", "the rest"};
	struct archive_limits limits;

	recorder_limits(c, &limits);
	for (size_t i = 0; i < ARCHIVE_TIERS; i++) {
		uint32_t percent = limits.tier[i].percent;
		uint64_t bytes = limits.bytes / 100 * percent;

		if (bytes >= SHARE_BYTES_MIN)
			continue;
		log_error("%s, %" PRIu32 "%% of recorder.size, is %" PRIu64
			  " KiB, and must be at least 1024 KiB: raise it, or recorder.size",
			names[i], percent, bytes >> 10);
		return false;
	}
	return true;
}

/* Returns an exit status. */
static int recorder_open(struct recorder *p, const struct settings *c)
{
	struct archive_limits limits;
	int r;

	recorder_limits(c, &limits);
	r = recording_open(&p->recording, p->keeper.directory, &limits);
	verdicts_init(&p->verdicts, p->recording.reader);
	past_server_init(&p->past, &p->recording, &p->verdicts);
	if (r == 0)
		log_info("the recording is in %s", p->keeper.directory);
	if (r == -EINVAL)
		return COMMAND_MISUSE;
	return r == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static uint64_t recorder_due_ns(const struct recorder *p)
{
	return saturate_min(recording_due_ns(&p->recording), verdicts_due_ns(&p->verdicts));
}

static void recorder_judge(struct recorder *p, uint64_t now_ns)
{
	const struct verdicts_now now = {
		.monotonic_ns = now_ns,
		.realtime_ns = clock_now_ns(CLOCK_REALTIME),
		.boottime_ns = clock_now_ns(CLOCK_BOOTTIME),
	};

	verdicts_run(&p->verdicts, &now);
}

/* Returns an exit status. */
static int recorder_loop(struct recorder *p)
{
	uint64_t now;

	keeper_ready(&p->keeper);
	while (keeper_wait(&p->keeper, recorder_due_ns(p), &now)) {
		struct view *view;

		if (loop_receive(&p->keeper.loop, now, &view)) {
			recording_take(&p->recording, view, now);
			view_unref(view);
		}
		recording_run(&p->recording, now);
		recorder_judge(p, now);
		keeper_answer(&p->keeper, now);
	}
	return p->keeper.stops ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int recorder_serve(const struct settings *c)
{
	struct recorder p = {.past.leases.fd = -1};
	const struct keeper_options options = {
		.name = "recorder",
		.snapshots = c->snapshot_socket,
		.directory = c->recorder_directory,
		.directory_max = PATH_MAX,
		.socket = c->recorder_socket,
		.service = &past_server_service,
		.context = &p.past,
	};
	int status = EXIT_FAILURE;

	/* Files may contain anything, so they are opened after all rights are given up. */
	if (keeper_open(&p.keeper, &options) == 0 &&
		recorder_sandbox_confine(p.keeper.directory, p.keeper.socket) == 0)
		status = recorder_open(&p, c);
	if (status == EXIT_SUCCESS)
		status = recorder_loop(&p);
	verdicts_done(&p.verdicts);
	/* Clients need not wait while the disk is waited for. */
	keeper_leave(&p.keeper);
	recording_close(&p.recording);
	past_server_done(&p.past);
	keeper_done(&p.keeper);
	return status;
}

int recorder_run(int argc, char *argv[])
{
	static const struct command command = {.program = PROGRAM_RECORDER,
		.name = "memtally-recorder",
		.purpose = "Keeps snapshots on disk, so that memtally can show any past moment."};
	AUTO_SETTINGS struct settings *settings = NULL;
	int status = command_begin(&command, argc, argv, &settings);

	if ((status == COMMAND_RUN || status == COMMAND_CHECK) && !recorder_has_room(settings))
		return COMMAND_MISUSE;
	if (status == COMMAND_RUN)
		return recorder_serve(settings);
	return status == COMMAND_CHECK ? command_say_good(settings) : status;
}
