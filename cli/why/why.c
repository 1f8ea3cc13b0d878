/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/why/why.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "cli/common/command.h"
#include "cli/common/past-moment.h"
#include "cli/table/line.h"
#include "cli/table/output.h"
#include "cli/why/evidence.h"
#include "cli/why/why-json.h"
#include "cli/why/why-page.h"

struct asked_for {
	enum evidence_wish wish;
	uint64_t at_ns;  /* EVIDENCE_AT */
	uint64_t now_ns; /* CLOCK_REALTIME */
	struct list_look look;
};

static int why_parse_oom(
	const struct settings *settings, enum evidence_wish *ret, char error[CLI_OPTION_ERROR_SIZE])
{
	if (!settings->oom)
		return 0;
	if (strcmp(settings->oom, "last") != 0)
		return cli_option_refuse("--oom", settings->oom, "last", error);
	*ret = EVIDENCE_LAST_OOM;
	return 0;
}

static int why_parse_at(
	const struct settings *settings, struct asked_for *ret, char error[CLI_OPTION_ERROR_SIZE])
{
	struct past_moment moment;
	int r;

	if (!settings->at)
		return 0;
	r = past_moment_parse("--at", settings->at, ret->now_ns, &moment, error);
	if (r < 0)
		return r;
	ret->wish = moment.is_oom ? EVIDENCE_LAST_OOM : EVIDENCE_AT;
	ret->at_ns = moment.at_ns;
	return 0;
}

/* Refuses the operand WORD; if it is a time, with the option for it. */
static int why_refuse_word(
	const char *word, uint64_t now_ns, char error[static CLI_OPTION_ERROR_SIZE])
{
	char unused[CLI_OPTION_ERROR_SIZE];
	struct past_moment moment;
	bool is_time = past_moment_parse("--at", word, now_ns, &moment, unused) == 0;

	snprintf(error, CLI_OPTION_ERROR_SIZE, "unexpected argument '%.60s' after why%s%.60s%s",
		word, is_time ? "; use --at='" : "", is_time ? word : "", is_time ? "'" : "");
	return -EINVAL;
}

static int why_parse(const struct settings *settings, struct asked_for *ret,
	char error[static CLI_OPTION_ERROR_SIZE])
{
	struct asked_for a = {
		.wish = EVIDENCE_LAST,
		.now_ns = clock_now_ns(CLOCK_REALTIME),
		.look = command_look(settings, LIST_TABLE),
	};
	int r;

	if (settings->operands.count > 1)
		return why_refuse_word(settings->operands.item[1], a.now_ns, error);
	r = cli_option_check(settings, CLI_VIEW_WHY, error);
	if (r == 0)
		r = why_parse_oom(settings, &a.wish, error);
	if (r == 0)
		r = why_parse_at(settings, &a, error);
	if (r == 0)
		*ret = a;
	return r;
}

static int why_print(const struct findings *f, const struct asked_for *a)
{
	AUTO_BUFFER struct buffer page = {0}, text = {0};

	if (a->look.form == LIST_JSON) {
		json_t *json = why_json_make(f, a->now_ns);
		AUTO_FREE char *dumped = json ? json_dumps(json, JSON_COMPACT) : NULL;

		json_decref(json);
		if (!dumped)
			return -ENOMEM;
		buffer_add_text(&text, dumped);
		buffer_add_char(&text, '\n');
		return output_flush(&text);
	}
	why_page_add(f, a->now_ns, a->look.bytes, &page);
	line_fold(&page, a->look.width, &text);
	return output_flush(&text);
}

/* Logs that there is no record (WHAT names it), and which time the recording covers. */
static void say_not_recorded(const struct evidence *e, const struct asked_for *a, const char *what)
{
	AUTO_BUFFER struct buffer text = {0};

	if (!e->head.last_ns) {
		log_error("nothing is recorded yet");
		return;
	}
	past_session_add_coverage(&e->head, a->now_ns, &text);
	if (!text.error)
		log_error("%s is recorded: the recording covers %.*s", what, (int)text.len,
			text.data);
}

static void why_say_none(const struct evidence *e, const struct asked_for *a, int outcome)
{
	if (outcome == EVIDENCE_NO_SNAPSHOT)
		say_not_recorded(e, a, "no snapshot of that time");
	else if (a->wish == EVIDENCE_LAST_OOM)
		say_not_recorded(e, a, "no OOM kill");
	else
		say_not_recorded(e, a, "no OOM kill and no memory pressure");
}

static void why_say_reason(int r, const struct buffer *reason)
{
	if (reason->len && !reason->error)
		log_error("%.*s", (int)reason->len, reason->data);
	else
		log_error("cannot explain: %s", strerror(-r));
}

/* Logs what the page cannot show. */
static void why_warn(const struct evidence *e)
{
	if (e->damaged)
		log_warning("%zu recorded snapshots are damaged and were left out", e->damaged);
	if (e->head.flags & PAST_FAILING)
		log_warning("memtally-recorder cannot record at present: its log says why");
}

/* Gathers the evidence in E, and the findings. Returns as evidence_load(). */
static int why_find(struct evidence *e, const struct asked_for *a, struct findings *ret)
{
	struct incident incident;
	int r = evidence_find(e, a->wish, a->at_ns, &incident);

	if (r == 0)
		r = evidence_load(e, &incident);
	if (r == 0)
		r = findings_make(&e->moments, &incident, e->is_own_only, ret);
	return r;
}

static int why_show(const struct settings *settings, const struct asked_for *a)
{
	AUTO_BUFFER struct buffer reason = {0};
	AUTO_EVIDENCE struct evidence e;
	struct findings findings;
	int r = evidence_open(settings, &e, &reason);

	if (r == 0)
		r = why_find(&e, a, &findings);
	if (r < 0)
		why_say_reason(r, &reason);
	else if (r > 0)
		why_say_none(&e, a, r);
	if (r != 0)
		return COMMAND_FAILED;
	r = why_print(&findings, a);
	why_warn(&e);
	return command_printed(r);
}

int why_run(const struct settings *settings, bool is_check)
{
	char error[CLI_OPTION_ERROR_SIZE] = "";
	struct asked_for a = {.now_ns = 0};

	if (why_parse(settings, &a, error) < 0)
		return command_refuse(error);
	return is_check ? COMMAND_GOOD : why_show(settings, &a);
}
