/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/usage/billing.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "cli/common/command.h"
#include "cli/common/selection.h"
#include "cli/common/source.h"
#include "cli/table/output.h"
#include "cli/usage/period.h"
#include "cli/usage/usage-table.h"
#include "cli/usage/usage.h"
#include "render/shares.h"
#include "snapshot/owner.h"

/* Warns if the ledger has had no new data for a while, and says which program is at fault. */
static void say_of_lateness(const struct usage_head *head)
{
	char text[PERIOD_TEXT_SIZE] = "it began";
	const char *reason = head->flags & USAGE_FAILING
	                             ? "memtally-ledger cannot write, its log says why"
	                             : "no snapshots of memtallyd reach memtally-ledger";

	if (!(head->flags & USAGE_LATE))
		return;
	if (head->written_s >= 0)
		period_name(USAGE_PER_ALL, head->written_s, text);
	log_warning("nothing new is in the ledger since %s: %s", text, reason);
}

/* Returns true if a part of the time is recorded in longer spans than were asked for. */
static bool is_coarse(const struct usage_table *b)
{
	for (size_t i = 0; i < b->parts; i++)
		if (usage_table_is_coarse(&b->part[i]))
			return true;
	return false;
}

/*
 * Warns about rows that are not of the hour, day or month that was asked for: taken for one, they
 * would be billed too high.
 */
static void say_misnamed(const struct usage_table *b)
{
	for (size_t i = 0; i < b->parts; i++)
		if (b->part[i].items && usage_table_is_misnamed(b, &b->part[i])) {
			log_warning("part of that time is not recorded by local %ss: "
				    "its rows show their start and end",
				usage_table_per(b));
			return;
		}
}

/* Logs the time that the figures are of, which often differs from the one that was asked for. */
static void say_period(const struct usage_table *b)
{
	const struct usage_table_part *first = &b->part[0], *last = &b->part[b->parts - 1];
	char since[PERIOD_TEXT_SIZE], until[PERIOD_TEXT_SIZE], begins[PERIOD_TEXT_SIZE];
	bool is_late = last->head.first_s > first->head.since_s;

	if (first->head.since_s == last->head.until_s)
		return;
	period_name(USAGE_PER_ALL, first->head.since_s, since);
	period_name(USAGE_PER_ALL, last->head.until_s, until);
	period_name(USAGE_PER_ALL, last->head.first_s, begins);
	log_info("usage from %s%s to %s%s%s%s%s", since,
		b->begins_later ? ", when the ledger begins," : "", until,
		b->is_cut ? ", which is now: --until is in the future" : "",
		is_coarse(b) ? "; part of that time is recorded in larger spans" : "",
		is_late ? "; the ledger begins at " : "", is_late ? begins : "");
}

/* Logs what could be misunderstood in the answer. */
static void say_of_usage(const struct usage_table *b)
{
	const struct usage_table_part *last = &b->part[b->parts - 1];

	say_of_lateness(&last->head);
	say_period(b);
	say_misnamed(b);
	if (last->head.flags & USAGE_NOT_OWN)
		log_warning("usage by %s is shown to root and group memtally only",
			owner_of(usage_owner(b->kind))->name);
	else if (last->head.flags & USAGE_OWN_ONLY)
		log_info(
			"your own usage only: usage of others is shown to root and group memtally");
}

/*
 * The ledger does not record which part of a figure was measured. So this logs which part memtallyd
 * estimates now; nothing if memtallyd does not answer or measures all.
 */
static void say_estimated(const struct settings *settings)
{
	AUTO_VIEW struct view *view = NULL;
	AUTO_BUFFER struct buffer reason = {0}, text = {0};
	struct shares s;

	if (source_open_daemon(settings, &view, &reason) < 0 || !shares_of(view_host(view), &s) ||
		s.measured_bytes == s.pss_bytes)
		return;
	shares_add_percent(&text, &s, s.estimated_bytes);
	buffer_add_text(&text, " of the PSS estimated and ");
	shares_add_percent(&text, &s, s.guessed_bytes);
	buffer_add_text(&text, " guessed");
	if (!text.error)
		log_info(
			"the ledger does not record which part was estimated; now memtallyd has %.*s",
			(int)text.len, text.data);
}

/* Logs why there is no row. */
static void say_nothing_is_kept(const struct settings *settings, const struct usage_table *b)
{
	const struct usage_table_part *first = &b->part[0], *last = &b->part[b->parts - 1];
	bool is_own = last->head.flags & USAGE_OWN_ONLY;
	AUTO_BUFFER struct buffer asked = {0};

	if (last->head.flags & USAGE_NOT_OWN)
		return; /* which has been logged */
	selection_add_filters(settings, &asked);
	if (first->head.since_s == last->head.until_s)
		log_error("that time is too short: the ledger %s",
			is_coarse(b) ? "only has larger spans of it" : "counts by five minutes");
	else
		log_error("the ledger has no usage%s in that time%s%.*s", is_own ? " of yours" : "",
			asked.len ? " for" : "", (int)asked.len, asked.data ? asked.data : "");
	if (asked.len && usage_table_has_other(b))
		log_info(
			"if there are too many owners, those with the least usage are summed as (other)");
}

static int print_usage(const struct usage_table *b)
{
	AUTO_BUFFER struct buffer text = {0};
	int r = 0;

	if (b->look.form == LIST_JSON)
		r = usage_table_json(b, &text);
	else if (b->look.form == LIST_CSV || usage_table_rows(b))
		r = usage_table_print(b, &text);
	return r == 0 ? output_flush(&text) : r;
}

static int show_usage(const struct settings *settings, struct usage_table *b)
{
	int r = usage_ask(settings->ledger_socket, USAGE_TIMEOUT_NS, b);

	if (r < 0) {
		AUTO_BUFFER struct buffer advice = {0};

		command_add_advice(&advice, r, PROGRAM_LEDGER, settings);
		log_error("no usage from memtally-ledger: %s: %s%.*s", settings->ledger_socket,
			billing_why(r), (int)advice.len, advice.data ? advice.data : "");
		return COMMAND_FAILED;
	}
	say_of_usage(b);
	r = print_usage(b);
	if (r == 0 && !usage_table_rows(b)) {
		say_nothing_is_kept(settings, b);
		return COMMAND_FAILED;
	}
	if (r == 0 && b->look.form == LIST_TABLE)
		say_estimated(settings);
	return command_printed(r);
}

int billing_run(const struct settings *settings, bool is_check)
{
	AUTO_USAGE_TABLE struct usage_table bill = {0};
	int64_t now_s = (int64_t)(clock_now_ns(CLOCK_REALTIME) / NS_PER_SEC);
	char error[CLI_OPTION_ERROR_SIZE] = "";

	if (usage_parse(settings, now_s, &bill, error) < 0)
		return command_refuse(error);
	return is_check ? COMMAND_GOOD : show_usage(settings, &bill);
}

const char *billing_why(int r)
{
	switch (r) {
	case -ENOMSG: return "not memtally-ledger";
	case -EBADMSG: return "its answer is invalid";
	case -EPROTO: return "it has another version";
	case -EIO: return "it cannot read its file; see its log";
	case -ETIMEDOUT: return "it does not answer";
	case -ECONNRESET: return "it has closed the connection";
	default: return strerror(-r);
	}
}
