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

static void take_name(struct name_client *a, const struct lookup_message *answer)
{
	if (answer->result == LOOKUP_FAILED)
		pass_name_failed(a->pass, &answer->who);
	else
		pass_name(a->pass, &answer->who,
			answer->result == LOOKUP_FOUND ? answer->name : NULL);
}

/* A broken name service may stay so for days: at most one message in 5 minutes. */
static void say(struct name_client *a, const char *what)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

	if (a->said_ns && now_ns - a->said_ns < SAY_NS)
		return;
	a->said_ns = now_ns;
	log_warning(
		"the name resolver %s and is replaced; until then new users are shown by number",
		what);
}

/* Once: the name service is broken, or broken into, and the next child will be, too. */
static void say_liar(struct name_client *a)
{
	if (!a->said_liar)
		log_error(
			"the name resolver sent an invalid answer and is replaced; a name service may have "
			"broken into it");
	a->said_liar = true;
}

/* Once: this lasts until memtallyd is started again. */
static void say_over(struct name_client *a)
{
	if (!a->said_over)
		log_error(
			"the fork server of name resolvers has exited: new users are shown by number until "
			"memtallyd is started again");
	a->said_over = true;
}

static int on_answer(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	struct name_client *a = userdata;
	struct lookup_message answer;
	int r;

	(void)source, (void)fd, (void)events;
	a->since_ns = clock_now_ns(CLOCK_MONOTONIC);
	while ((r = resolver_answer(a->resolver, &answer)) == 0) {
		a->patience_ns = PATIENCE_NS;
		take_name(a, &answer);
	}
	if (r == -EPROTO)
		say_liar(a);
	else if (r == -EPIPE)
		say(a, "has exited");
	if (r != -EAGAIN)
		a->answers = sd_event_source_disable_unref(a->answers);
	return a->heard(a->to);
}

static int listen_to(struct name_client *a)
{
	return sd_event_add_io(
		a->event, &a->answers, resolver_fd(a->resolver), EPOLLIN, on_answer, a);
}

/* Lost questions count as failed lookups: the next pass asks again. */
static void replace(struct name_client *a)
{
	struct principal lost;
	int r;

	if (a->answers)
		say(a, "does not answer");
	a->answers = sd_event_source_disable_unref(a->answers);
	a->since_ns = clock_now_ns(CLOCK_MONOTONIC);
	if (a->patience_ns < PATIENCE_MOST_NS)
		a->patience_ns *= 2;
	r = resolver_replace(a->resolver);
	while (resolver_lost(a->resolver, &lost))
		pass_name_failed(a->pass, &lost);
	if (r == 0)
		r = listen_to(a);
	else if (r == -EPIPE)
		say_over(a);
}

static bool is_overdue(struct name_client *a)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

	if (a->answers && !resolver_in_flight(a->resolver))
		a->since_ns = now_ns;
	return now_ns - a->since_ns >= a->patience_ns;
}

int name_client_open(struct name_client *a, sd_event *event, struct resolver *resolver,
	struct pass *pass, int (*heard)(void *to), void *to)
{
	*a = (struct name_client){
		.resolver = resolver,
		.pass = pass,
		.heard = heard,
		.to = to,
		.event = event,
		.since_ns = clock_now_ns(CLOCK_MONOTONIC),
		.patience_ns = PATIENCE_NS,
	};
	if (!resolver)
		return 0;
	return listen_to(a);
}

void name_client_close(struct name_client *a)
{
	a->answers = sd_event_source_disable_unref(a->answers);
}

void name_client_names(struct name_client *a)
{
	struct principal who;

	if (a->resolver && is_overdue(a))
		replace(a);
	while (a->answers && resolver_has_room(a->resolver) && pass_next_unnamed(a->pass, &who)) {
		if (resolver_ask(a->resolver, &who) < 0)
			pass_name_failed(a->pass, &who);
	}
}

bool name_client_is_awaited(const struct name_client *a)
{
	return a->answers && pass_awaits_names(a->pass);
}
