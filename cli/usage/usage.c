/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/usage/usage.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/os/channel.h"
#include "base/saturate.h"
#include "cli/common/command.h"
#include "cli/common/past-moment.h"
#include "cli/common/selection.h"
#include "cli/common/sort-names.h"
#include "snapshot/owner.h"

#define CONNECT_TIMEOUT_NS (5 * NS_PER_SEC)
#define CONNECT_PAUSE_NS   (10 * NS_PER_MSEC)

/*
 * Rows can be filtered by their own name, and containers also by the user they belong to: the
 * ledger records no other owners.
 */
static int usage_parse_filters(const struct settings *c, enum usage_kind kind,
	struct usage_line_choice *ret, char error[static CLI_OPTION_ERROR_SIZE])
{
	ret->names = selection_filter(c, usage_owner(kind));
	ret->users = kind == USAGE_CONTAINER ? &c->user : NULL;
	for (unsigned int other = USAGE_USER; other < USAGE_KINDS_END; other++) {
		enum owner_kind owner = usage_owner((enum usage_kind)other);
		const struct text_list *values = selection_filter(c, owner);
		const char *name = owner_of(owner)->name;

		if (!values->count || values == ret->names || values == ret->users)
			continue;
		snprintf(error, CLI_OPTION_ERROR_SIZE, "--%s goes with usage --by=%s%s only", name,
			name, other == USAGE_USER ? " and --by=container" : "");
		return -EINVAL;
	}
	return 0;
}

static int usage_refuse_sort(
	const char *sort, const struct owner *owner, char error[static CLI_OPTION_ERROR_SIZE])
{
	struct sort_names names;

	sort_names_init(&names, sort);
	sort_names_add(&names, owner->title, owner->name);
	sort_names_add_columns(&names, &usage_table_columns, NULL);
	return sort_names_refuse(&names, error);
}

static int usage_parse_order(const struct settings *c, enum usage_kind kind,
	struct usage_line_choice *ret, char error[static CLI_OPTION_ERROR_SIZE])
{
	const struct owner *owner = owner_of(usage_owner(kind));

	if (c->sort)
		ret->sort = usage_table_find_sort(c->sort);
	if (c->sort && ret->sort == USAGE_LINE_FIELDS && strcasecmp(c->sort, owner->name) != 0)
		return usage_refuse_sort(c->sort, owner, error);
	ret->ascending = ret->sort ==
	                 USAGE_LINE_FIELDS; /* names are ascending, quantities descending */
	return c->order ? cli_option_parse_order(c, &ret->ascending, error) : 0;
}

const char *usage_by(unsigned int i)
{
	return i + USAGE_USER < USAGE_KINDS_END
	               ? owner_of(usage_owner((enum usage_kind)(i + USAGE_USER)))->name
	               : NULL;
}

/*
 * Parses --since and --until. The future has no usage, so a later --until becomes now, and
 * *RET_IS_CUT true.
 */
static int parse_times(const struct settings *c, int64_t now_s, struct period *ret,
	bool *ret_is_cut, char error[static CLI_OPTION_ERROR_SIZE])
{
	int64_t since_s, until_s = now_s;
	bool is_cut;
	int r = 0;

	if (c->until)
		r = past_moment_parse_second("--until", c->until, now_s, &until_s, error);
	is_cut = r == 0 && until_s > now_s;
	if (is_cut)
		until_s = now_s;
	since_s = period_default((enum usage_per)c->per, until_s);
	if (r == 0 && c->since)
		r = past_moment_parse_second("--since", c->since, now_s, &since_s, error);
	if (r < 0)
		return r;
	if (since_s > now_s) {
		snprintf(error, CLI_OPTION_ERROR_SIZE, "--since is in the future");
		return -EINVAL;
	}
	*ret = (struct period){.from_s = since_s, .to_s = until_s};
	*ret_is_cut = is_cut;
	return 0;
}

static int make_parts(struct usage_table *b, const struct period *period, size_t count)
{
	b->part = calloc(count, sizeof(*b->part));
	if (!b->part)
		return -ENOMEM;
	b->parts = count;
	for (size_t i = 0; i < count; i++)
		b->part[i].period = period[i];
	return 0;
}

int usage_parse(const struct settings *settings, int64_t now_s, struct usage_table *ret,
	char error[static CLI_OPTION_ERROR_SIZE])
{
	enum usage_per per = (enum usage_per)settings->per;
	AUTO_FREE struct period *period = NULL;
	struct usage_line_choice choice = {0};
	struct period all = {0};
	enum usage_kind kind;
	unsigned int by = 0;
	bool is_cut = false;
	size_t count;
	int r;

	if (settings->operands.count > 1) {
		snprintf(error, CLI_OPTION_ERROR_SIZE, "unexpected argument '%.60s' after usage",
			settings->operands.item[1]);
		return -EINVAL;
	}
	r = cli_option_check(settings, CLI_VIEW_USAGE, error);
	if (r == 0)
		r = cli_option_parse_by(
			settings, usage_by, "user, group, program, unit or container", &by, error);
	kind = (enum usage_kind)(USAGE_USER + by);
	if (r == 0)
		r = usage_parse_filters(settings, kind, &choice, error);
	if (r == 0)
		r = usage_parse_order(settings, kind, &choice, error);
	if (r == 0)
		r = parse_times(settings, now_s, &all, &is_cut, error);
	if (r < 0)
		return r;
	r = period_list(per, all.from_s, all.to_s, &period, &count);
	if (r == -EINVAL)
		snprintf(error, CLI_OPTION_ERROR_SIZE, "--since is not before --until");
	if (r == -E2BIG)
		snprintf(error, CLI_OPTION_ERROR_SIZE,
			"--per: there are more than %d between --since and --until", PERIODS_MAX);
	if (r < 0)
		return r == -ENOMEM ? r : -EINVAL;
	*ret = (struct usage_table){.kind = kind,
		.per = per,
		.look = command_look(settings, LIST_TABLE),
		.choice = choice,
		.is_cut = is_cut,
		.may_begin_later = !settings->since && per == USAGE_PER_ALL};
	return make_parts(ret, period, count);
}

/* Waits for EVENTS until END_NS (CLOCK_MONOTONIC). Returns 0, -ETIMEDOUT, or -errno of poll(). */
static int usage_wait_for(int fd, short events, uint64_t end_ns)
{
	struct pollfd p = {.fd = fd, .events = events};
	int r;

	do {
		uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

		if (now_ns >= end_ns)
			return -ETIMEDOUT;
		r = poll(&p, 1, (int)((end_ns - now_ns) / NS_PER_MSEC) + 1);
	} while (r < 0 && errno == EINTR);
	if (r < 0)
		return -errno;
	return r ? 0 : -ETIMEDOUT;
}

static int usage_put(int fd, const struct usage_request *request, uint64_t end_ns)
{
	unsigned char text[USAGE_REQUEST_SIZE];
	int r = usage_wait_for(fd, POLLOUT, end_ns);

	usage_request_write(request, text);
	if (r < 0)
		return r;
	return send(fd, text, sizeof(text), MSG_NOSIGNAL) == sizeof(text) ? 0 : -ECONNRESET;
}

/* Receives the next message of an answer. */
static int usage_receive(int fd, struct buffer *to, uint64_t end_ns)
{
	int r = usage_wait_for(fd, POLLIN, end_ns);
	char *room = r == 0 ? buffer_reserve(to, USAGE_MESSAGE_MAX) : NULL;
	ssize_t n;

	if (r < 0 || !room)
		return r < 0 ? r : -ENOMEM;
	n = recv(fd, room, USAGE_MESSAGE_MAX, MSG_DONTWAIT);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	to->len += (size_t)n;
	return n ? 0 : -ECONNRESET;
}

/*
 * Gives in *RET_SIZE the length of the answer that begins with FIRST, its first message. Returns 0;
 * -EPROTO if it is of another version of memtally-ledger; -ENOMSG if no memtally-ledger sends such
 * a message: its first one has the whole head.
 */
static int usage_begin_answer(const struct buffer *first, size_t *ret_size)
{
	int r = usage_size(first->data, first->len, ret_size);

	if (r == -EPROTO)
		return r;
	return r == 0 && *ret_size ? 0 : -ENOMSG;
}

static int ask_one(int fd, enum usage_kind kind, uint64_t end_ns, struct usage_table_part *part)
{
	const struct usage_request request = {
		.kind = kind, .since_s = part->period.from_s, .until_s = part->period.to_s};
	size_t size = 0;
	int r = usage_put(fd, &request, end_ns);

	while (r == 0 && (!size || part->answer.len < size)) {
		r = usage_receive(fd, &part->answer, end_ns);
		if (r == 0 && !size && part->answer.len)
			r = usage_begin_answer(&part->answer, &size);
	}
	if (r == 0)
		r = usage_check(part->answer.data, part->answer.len, &part->head);
	if (r == 0 && part->head.status == USAGE_BAD_REQUEST)
		r = -EPROTO;
	if (r == 0 && part->head.status == USAGE_BROKEN)
		r = -EIO;
	return r;
}

static void pause_awhile(void)
{
	nanosleep(&(struct timespec){.tv_nsec = CONNECT_PAUSE_NS}, NULL);
}

/* Returns when to give up connecting, if all answers must be there at END_NS. */
static uint64_t usage_connect_end_ns(uint64_t end_ns)
{
	return saturate_min(clock_now_ns(CLOCK_MONOTONIC) + CONNECT_TIMEOUT_NS, end_ns);
}

/* EAGAIN: the queue of connections is full, which does not last: try again until END_NS. */
static int connect_to(const char *path, uint64_t end_ns, int *ret_fd)
{
	int r = channel_connect(path, ret_fd);

	while (r == -EAGAIN && clock_now_ns(CLOCK_MONOTONIC) < end_ns) {
		pause_awhile();
		r = channel_connect(path, ret_fd);
	}
	return r;
}

/*
 * Asks again for the only period of B if the ledger begins within it: time before that is not
 * covered.
 */
static int ask_later(int fd, uint64_t end_ns, struct usage_table *b)
{
	struct usage_table_part *part = &b->part[0];

	if (!b->may_begin_later || part->head.first_s <= part->head.since_s ||
		part->head.first_s >= part->head.until_s)
		return 0;
	b->begins_later = true;
	part->period.from_s = part->head.first_s;
	buffer_clear(&part->answer);
	return ask_one(fd, b->kind, end_ns, part);
}

/*
 * A connection that ends before any answer may have found no free place, which does not last, so
 * this tries again.
 */
int usage_ask(const char *path, uint64_t timeout_ns, struct usage_table *b)
{
	uint64_t end_ns = clock_now_ns(CLOCK_MONOTONIC) + timeout_ns;
	AUTO_CLOSE int fd = -1;
	int r = connect_to(path, usage_connect_end_ns(end_ns), &fd);

	for (size_t i = 0; r == 0 && i < b->parts; i++) {
		uint64_t connect_end_ns;

		r = ask_one(fd, b->kind, end_ns, &b->part[i]);
		connect_end_ns = usage_connect_end_ns(end_ns);
		while (r == -ECONNRESET && !b->part[0].answer.len &&
			clock_now_ns(CLOCK_MONOTONIC) < connect_end_ns) {
			pause_awhile();
			fd = fd_close(fd);
			r = connect_to(path, connect_end_ns, &fd);
			if (r == 0)
				r = ask_one(fd, b->kind, end_ns, &b->part[i]);
		}
	}
	if (r == 0)
		r = ask_later(fd, end_ns, b);
	return r == 0 ? usage_table_select(b) : r;
}
