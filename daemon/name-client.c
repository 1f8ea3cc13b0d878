/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "daemon/name-client.h"

#include <errno.h>
#include <sys/epoll.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"

#define PATIENCE_NS      (10 * NS_PER_SEC)
#define PATIENCE_MOST_NS (320 * NS_PER_SEC)
#define SAY_NS           (300 * NS_PER_SEC)

static void name_client_take_name(struct name_client *c, const struct lookup_message *answer)
{
	if (answer->result == LOOKUP_FAILED)
		pass_name_failed(c->pass, &answer->principal);
	else
		pass_name(c->pass, &answer->principal,
			answer->result == LOOKUP_FOUND ? answer->name : NULL);
}

/* A broken name service may stay so for days: at most one message in 5 minutes. */
static void name_client_log(struct name_client *c, const char *what)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

	if (c->logged_ns && now_ns - c->logged_ns < SAY_NS)
		return;
	c->logged_ns = now_ns;
	log_warning(
		"the name resolver %s and is replaced; until then new users are shown by number",
		what);
}

/* Once: the name service is broken, or broken into, and the next child will be, too. */
static void name_client_log_invalid(struct name_client *c)
{
	if (!c->has_logged_invalid)
		log_error(
			"the name resolver sent an invalid answer and is replaced; a name service may have "
			"broken into it");
	c->has_logged_invalid = true;
}

/* Once: this lasts until memtallyd is started again. */
static void name_client_log_end(struct name_client *c)
{
	if (!c->has_logged_end)
		log_error(
			"the fork server of name resolvers has exited: new users are shown by number until "
			"memtallyd is started again");
	c->has_logged_end = true;
}

static int on_answer(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	struct name_client *c = userdata;
	struct lookup_message answer;
	int r;

	(void)source, (void)fd, (void)events;
	c->since_ns = clock_now_ns(CLOCK_MONOTONIC);
	while ((r = resolver_answer(c->resolver, &answer)) == 0) {
		c->patience_ns = PATIENCE_NS;
		name_client_take_name(c, &answer);
	}
	if (r == -EPROTO)
		name_client_log_invalid(c);
	else if (r == -EPIPE)
		name_client_log(c, "has exited");
	if (r != -EAGAIN)
		c->answers = sd_event_source_disable_unref(c->answers);
	return c->on_answers(c->context);
}

static int listen_to(struct name_client *c)
{
	return sd_event_add_io(
		c->event, &c->answers, resolver_fd(c->resolver), EPOLLIN, on_answer, c);
}

/* Lost questions count as failed lookups: the next pass asks again. */
static void name_client_replace(struct name_client *c)
{
	struct principal lost;
	int r;

	if (c->answers)
		name_client_log(c, "does not answer");
	c->answers = sd_event_source_disable_unref(c->answers);
	c->since_ns = clock_now_ns(CLOCK_MONOTONIC);
	if (c->patience_ns < PATIENCE_MOST_NS)
		c->patience_ns *= 2;
	r = resolver_replace(c->resolver);
	while (resolver_lost(c->resolver, &lost))
		pass_name_failed(c->pass, &lost);
	if (r == 0)
		r = listen_to(c);
	else if (r == -EPIPE)
		name_client_log_end(c);
}

static bool is_overdue(struct name_client *c)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

	if (c->answers && !resolver_in_flight(c->resolver))
		c->since_ns = now_ns;
	return now_ns - c->since_ns >= c->patience_ns;
}

int name_client_open(struct name_client *c, sd_event *event, struct resolver *resolver,
	struct pass *pass, int (*on_answers)(void *context), void *context)
{
	*c = (struct name_client){
		.resolver = resolver,
		.pass = pass,
		.on_answers = on_answers,
		.context = context,
		.event = event,
		.since_ns = clock_now_ns(CLOCK_MONOTONIC),
		.patience_ns = PATIENCE_NS,
	};
	if (!resolver)
		return 0;
	return listen_to(c);
}

void name_client_close(struct name_client *c)
{
	c->answers = sd_event_source_disable_unref(c->answers);
}

void name_client_names(struct name_client *c)
{
	struct principal principal;

	if (c->resolver && is_overdue(c))
		name_client_replace(c);
	while (c->answers && resolver_has_room(c->resolver) &&
		pass_next_unnamed(c->pass, &principal)) {
		if (resolver_ask(c->resolver, &principal) < 0)
			pass_name_failed(c->pass, &principal);
	}
}

bool name_client_is_awaited(const struct name_client *c)
{
	return c->answers && pass_awaits_names(c->pass);
}
