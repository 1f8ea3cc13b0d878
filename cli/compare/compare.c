/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/compare/compare.h"

#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/saturate.h"
#include "cli/common/cli-option.h"
#include "cli/common/command.h"
#include "cli/common/source.h"
#include "cli/compare/compare-row.h"
#include "cli/compare/comparison.h"
#include "cli/compare/scrape-source.h"
#include "cli/compare/scrape.h"
#include "cli/table/output.h"
#include "collectors/process/self/self-usage.h"

/* Where process-exporter serves by default. */
#define DEFAULT_URL "http://127.0.0.1:9256/metrics"

static const char *compare_from(const struct settings *settings)
{
	return settings->process_exporter ? settings->process_exporter : DEFAULT_URL;
}

/*
 * Gets the scrape, and the RSS of memtally during the scrape; 0 if the scrape was saved earlier, when
 * process-exporter could not see memtally. Returns 0, or a negative errno that has been logged.
 */
static int compare_scrape(const char *from, struct scrape *ret, uint64_t *ret_own_rss_bytes)
{
	struct self_usage own = {0};
	AUTO_BUFFER struct buffer text = {0};
	char source_error[SCRAPE_SOURCE_ERROR_SIZE] = "", error[SCRAPE_ERROR_SIZE] = "";
	int r = scrape_source_read(from, &text, source_error);

	if (r == -EIO)
		log_error("%s", source_error);
	if (r == 0 && scrape_source_is_fresh(from))
		self_usage_read(&own);
	*ret_own_rss_bytes = saturate_less(own.resident_bytes, text.len);
	if (r == 0)
		r = scrape_parse(text.data ? text.data : "", text.len, ret, error);
	if (r == -EINVAL)
		log_error("%s: %s", from, error);
	if (r == -ENOMEM)
		log_error("out of memory");
	return r;
}

/*
 * Gets the snapshot of all processes, and logs its source. Returns 0, or a negative errno that has
 * been logged.
 */
static int compare_open_source(const struct settings *settings, struct source *ret)
{
	AUTO_BUFFER struct buffer said = {0};
	int r = source_open(settings, SOURCE_OWNERS, ret, &said);

	if (r < 0) {
		command_say_unreadable(settings, r);
		return r;
	}
	log_info("%.*s", (int)said.len, said.data);
	if (ret->sight.kind == SIGHT_ALL)
		return 0;
	log_error("a comparison needs the processes of all users: run memtallyd, or run as root");
	return -EPERM;
}

static int compare_print(const struct settings *settings, const struct comparison *c)
{
	const struct list_look look = command_look(settings, LIST_TABLE);
	AUTO_BUFFER struct buffer text = {0};
	int r = compare_row_print(c, &look, &text);

	return r == 0 ? output_flush(&text) : r;
}

/* Warns about processes of namegroups that were not measured: their PSS is not in the figures. */
static void compare_say_notices(const struct source *source, const struct comparison *c)
{
	AUTO_BUFFER struct buffer lines = {0};

	notice_render(source->view, &c->ours, source->origin, &lines);
	command_warn(&lines);
}

/* Returns the number of rows of C with REASON. */
static size_t compare_count(const struct comparison *c, enum comparison_reason reason)
{
	size_t count = 0;

	for (size_t i = 0; i < c->count; i++)
		count += c->row[i].reason == reason;
	return count;
}

/* Between a snapshot of memtallyd and the scrape, processes have more time to start and exit. */
static void compare_say_unexplained(const struct comparison *c, bool is_of_daemon)
{
	size_t one_sided = compare_count(c, COMPARISON_ONLY_OURS) +
	                   compare_count(c, COMPARISON_ONLY_THEIRS);
	size_t unmeasured = compare_count(c, COMPARISON_UNMEASURED);
	size_t others = c->unexplained - one_sided - unmeasured;

	if (unmeasured)
		log_warning("%zu of %zu namegroups could not be compared: none of their processes "
			    "was measured",
			unmeasured, c->count);
	if (one_sided)
		log_warning("%zu of %zu namegroups are of one program only: check that both have "
			    "the same rules, and restart process-exporter if its file has changed",
			one_sided, c->count);
	if (others)
		log_warning("%zu of %zu namegroups differ without an explanation; run it again%s: "
			    "processes start and exit between two measurements",
			others, c->count, is_of_daemon ? " with --live" : "");
}

static int compare_show(const struct settings *settings)
{
	AUTO_SCRAPE struct scrape scrape = {0};
	AUTO_SOURCE struct source source = {0};
	AUTO_COMPARISON struct comparison c = {0};
	uint64_t own_rss_bytes;
	int r;

	/* The scrape takes longer, so it comes first: the newest snapshot is nearest to it. */
	if (compare_scrape(compare_from(settings), &scrape, &own_rss_bytes) < 0 ||
		compare_open_source(settings, &source) < 0)
		return COMMAND_FAILED;
	r = comparison_make(source.view, clock_now_ns(CLOCK_BOOTTIME), &scrape,
		source.origin == NOTICE_DAEMON ? own_rss_bytes : 0, &c);
	if (r == COMPARISON_NONE) {
		log_error("no process is in a namegroup: set naming.process_exporter to the "
			  "configuration file of process-exporter");
		return COMMAND_FAILED;
	}
	if (r == 0)
		r = compare_print(settings, &c);
	if (r == 0)
		compare_say_notices(&source, &c);
	if (r == 0)
		compare_say_unexplained(&c, source.origin == NOTICE_DAEMON);
	return r == 0 && c.unexplained ? COMMAND_FAILED : command_printed(r);
}

int compare_run(const struct settings *settings, bool is_check)
{
	const struct text_list *operands = &settings->operands;
	char error[CLI_OPTION_ERROR_SIZE] = "";
	int r = cli_option_check(settings, CLI_VIEW_COMPARE, error);

	if (r == 0 && operands->count > 1) {
		snprintf(error, sizeof(error), "unexpected argument '%.100s' after compare",
			operands->item[1]);
		r = -EINVAL;
	}
	if (r < 0)
		return command_refuse(error);
	return is_check ? COMMAND_GOOD : compare_show(settings);
}
