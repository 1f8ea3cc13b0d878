/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/usage.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/channel.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "snapshot/owner.h"

enum {
	ANSWER_TIMEOUT_MS = 20000,
	CONNECT_TRIES = 500,
};

#define CONNECT_PAUSE_NS (10 * NS_PER_MSEC)

bool usage_is_asked(const struct settings *settings)
{
	return settings->operands.count && !strcmp(settings->operands.item[0], "usage");
}

static int refuse(char error[static USAGE_ERROR_SIZE], const char *what, const char *text,
	const char *expected)
{
	snprintf(error, USAGE_ERROR_SIZE, "%s: expected %s, got '%.60s'", what, expected, text);
	return -EINVAL;
}

/* Those that are for tables of what is now. */
static const char *find_stray(const struct settings *c)
{
	const struct {
		const char *name;
		bool is_set;
	} flags[] = {
		{"live", c->live},
		{"sort", c->sort},
		{"order", c->order},
		{"user", c->user.count},
		{"program", c->program.count},
		{"unit", c->unit.count},
		{"user_unit", c->user_unit.count},
		{"session", c->session.count},
		{"slice", c->slice.count},
		{"machine", c->machine.count},
		{"pod", c->pod.count},
		{"container", c->container.count},
		{"group", c->group.count},
		{"pid", c->pid.count},
	};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (flags[i].is_set)
			return flags[i].name;
	return NULL;
}

static int parse_kind(const char *text, enum usage_kind *ret, char error[static USAGE_ERROR_SIZE])
{
	*ret = text ? usage_find(text) : USAGE_USER;
	return *ret < USAGE_KINDS_END
	               ? 0
	               : refuse(error, "--by", text, "user, group, program, unit or container");
}

static int parse_time(const char *flag, const char *text, int64_t now_s, int64_t *ret,
	char error[static USAGE_ERROR_SIZE])
{
	if (!text || period_parse(text, now_s, ret) == 0)
		return 0;
	return refuse(error, flag, text,
		"a date (2026-11-01), a date and a time (\"2026-11-01 08:00\"), now, today, yesterday or a duration ago (36h)");
}

static int make_parts(struct bill *b, const struct period *period, size_t count)
{
	b->part = calloc(count, sizeof(*b->part));
	if (!b->part)
		return -ENOMEM;
	b->parts = count;
	for (size_t i = 0; i < count; i++)
		b->part[i].period = period[i];
	return 0;
}

int usage_parse(const struct settings *settings, int64_t now_s, struct bill *ret,
	char error[static USAGE_ERROR_SIZE])
{
	enum usage_per per = (enum usage_per)settings->per;
	AUTO_FREE struct period *period = NULL;
	int64_t since_s, until_s = now_s;
	const char *stray = find_stray(settings);
	enum usage_kind kind;
	size_t count;
	int r;

	if (settings->operands.count > 1) {
		snprintf(error, USAGE_ERROR_SIZE, "unexpected argument '%.60s' after usage",
			settings->operands.item[1]);
		return -EINVAL;
	}
	if (stray || (settings->json && settings->csv)) {
		snprintf(error, USAGE_ERROR_SIZE, "--%s does not go with %s", stray ? stray : "csv",
			stray ? "usage" : "--json");
		return -EINVAL;
	}
	r = parse_kind(settings->by, &kind, error);
	if (r == 0)
		r = parse_time("--until", settings->until, now_s, &until_s, error);
	since_s = period_default(per, until_s);
	if (r == 0)
		r = parse_time("--since", settings->since, now_s, &since_s, error);
	if (r < 0)
		return r;
	r = period_list(per, since_s, until_s, &period, &count);
	if (r == -EINVAL)
		snprintf(error, USAGE_ERROR_SIZE, "--since is not before --until");
	if (r == -E2BIG)
		snprintf(error, USAGE_ERROR_SIZE,
			"--per: there are more than %d between --since and --until", PERIODS_MAX);
	if (r < 0)
		return r == -ENOMEM ? r : -EINVAL;
	*ret = (struct bill){
		.kind = kind, .per = per, .limit = settings->limit, .bytes = settings->bytes};
	return make_parts(ret, period, count);
}

static int wait_for(int fd, short events)
{
	struct pollfd p = {.fd = fd, .events = events};
	int r;

	do
		r = poll(&p, 1, ANSWER_TIMEOUT_MS);
	while (r < 0 && errno == EINTR);
	if (r < 0)
		return -errno;
	return r ? 0 : -ETIMEDOUT;
}

static int put(int fd, const struct usage_request *request)
{
	unsigned char text[USAGE_REQUEST_SIZE];
	int r = wait_for(fd, POLLOUT);

	usage_request_write(request, text);
	if (r < 0)
		return r;
	return send(fd, text, sizeof(text), MSG_NOSIGNAL) == sizeof(text) ? 0 : -ECONNRESET;
}

/* One message more of an answer. */
static int receive(int fd, struct buffer *to)
{
	int r = wait_for(fd, POLLIN);
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

static int ask_one(int fd, enum usage_kind kind, struct bill_part *part)
{
	const struct usage_request request = {
		.kind = kind, .since_s = part->period.from_s, .until_s = part->period.to_s};
	size_t size = 0;
	int r = put(fd, &request);

	while (r == 0 && (!size || part->answer.len < size)) {
		r = receive(fd, &part->answer);
		if (r == 0 && !size)
			r = usage_size(part->answer.data, part->answer.len, &size);
	}
	if (r == 0)
		r = usage_check(part->answer.data, part->answer.len, &part->head);
	if (r == 0 && part->head.status == USAGE_BAD_REQUEST)
		r = -EPROTO;
	if (r == 0 && part->head.status == USAGE_BROKEN)
		r = -EIO;
	return r;
}

/* EAGAIN: more wait to be let in than there is room for, which a crowd may see to; it does not last. */
static int connect_to(const char *path, int *ret_fd)
{
	int r = channel_connect(path, ret_fd);

	for (int i = 0; r == -EAGAIN && i < CONNECT_TRIES; i++) {
		nanosleep(&(struct timespec){.tv_nsec = CONNECT_PAUSE_NS}, NULL);
		r = channel_connect(path, ret_fd);
	}
	return r;
}

int usage_ask(const char *path, struct bill *b)
{
	AUTO_CLOSE int fd = -1;
	int r = connect_to(path, &fd);

	for (size_t i = 0; r == 0 && i < b->parts; i++)
		r = ask_one(fd, b->kind, &b->part[i]);
	return r;
}
