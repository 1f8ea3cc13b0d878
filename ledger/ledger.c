/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "ledger/ledger.h"

#include <stdlib.h>
#include <systemd/sd-daemon.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/saturate.h"
#include "config/settings.h"
#include "ledger/sandbox.h"
#include "ledger/usage-server.h"
#include "ledger/writer.h"
#include "service/command.h"
#include "service/keeper.h"

struct ledger {
	struct keeper keeper;
	struct usage_server_context answers;
	struct writer writer;
};

static uint64_t slots_in(enum slot_level level, uint64_t ns)
{
	uint64_t slot_ns = (uint64_t)slots_seconds(level) * NS_PER_SEC;

	return (ns + slot_ns - 1) / slot_ns;
}

/*
 * Hours are kept at least as long as five-minute slots, and days at least as long as hours: reports
 * sum whole ones.
 */
static void get_limits(const struct settings *c, struct store_limits *ret)
{
	uint64_t hours_ns = saturate_max(c->ledger_keep_hours_ns, c->ledger_keep_buckets_ns);

	ret->slots[SLOT_BUCKET] = slots_in(SLOT_BUCKET, c->ledger_keep_buckets_ns);
	ret->slots[SLOT_HOUR] = slots_in(SLOT_HOUR, hours_ns);
	ret->slots[SLOT_DAY] = slots_in(SLOT_DAY, saturate_max(c->ledger_keep_days_ns, hours_ns));
	ret->bytes = c->ledger_max_size_mib << 20;
}

/* Tells the service manager that a long operation makes progress. */
static void ledger_beat(void *loop)
{
	loop_beat(loop, clock_now_ns(CLOCK_MONOTONIC));
}

/* Returns an exit status. */
static int open_ledger(struct ledger *l, const struct settings *c)
{
	const char *directory = l->keeper.directory;
	struct store_limits limits;
	int r;

	get_limits(c, &limits);
	sd_notifyf(0, "EXTEND_TIMEOUT_USEC=%llu",
		(unsigned long long)(writer_opening_ns(directory) / NS_PER_USEC));
	r = writer_open(&l->writer, directory, &limits);
	/* Set after the start: until READY=1 the service manager waits for the extended timeout. */
	writer_set_beat(
		&l->writer, (struct store_beat){.call = ledger_beat, .context = &l->keeper.loop});
	if (r == 0)
		log_info("the ledger is in %s", directory);
	if (r == STORE_FOREIGN)
		return COMMAND_MISUSE;
	return r == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Returns an exit status. */
static int ledger_loop(struct ledger *l)
{
	uint64_t now = clock_now_ns(CLOCK_MONOTONIC);

	keeper_ready(&l->keeper);
	while (keeper_wait(&l->keeper, writer_due_ns(&l->writer, now), &now)) {
		struct view *view;

		if (l->keeper.stops)
			/* A snapshot that is waiting is not lost: it is in memtallyd's counters. */
			continue;
		if (loop_receive(&l->keeper.loop, now, &view)) {
			writer_take(&l->writer, view, now);
			view_unref(view);
		}
		writer_run(&l->writer, now);
		keeper_answer(&l->keeper, now);
	}
	return l->keeper.stops ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int ledger_serve(const struct settings *c)
{
	struct ledger l = {.answers = {.answer = writer_answer, .context = &l.writer}};
	const struct keeper_options options = {
		.name = "ledger",
		.snapshots = c->snapshot_socket,
		.directory = c->ledger_directory,
		.directory_max = STORE_PATH_MAX,
		.socket = c->ledger_socket,
		.service = &usage_server_service,
		.context = &l.answers,
	};
	int status = EXIT_FAILURE;

	/* The database may contain anything, so it is opened after all rights are given up. */
	if (keeper_open(&l.keeper, &options) == 0 &&
		sandbox_confine(l.keeper.directory, l.keeper.socket) == 0)
		status = open_ledger(&l, c);
	if (status == EXIT_SUCCESS)
		status = ledger_loop(&l);
	writer_close(&l.writer);
	keeper_done(&l.keeper);
	return status;
}

int ledger_run(int argc, char *argv[])
{
	static const struct command command = {.program = PROGRAM_LEDGER,
		.name = "memtally-ledger",
		.purpose =
			"Records the memory use of users, programs and units over time, for `memtally usage`."};
	AUTO_SETTINGS struct settings *settings = NULL;
	int status = command_begin(&command, argc, argv, &settings);

	if (status == COMMAND_RUN)
		return ledger_serve(settings);
	return status == COMMAND_CHECK ? command_say_good(settings) : status;
}
