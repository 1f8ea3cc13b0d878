/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "daemon/asking.h"

#include <errno.h>
#include <sys/epoll.h>

#include "base/cleanup.h"
#include "base/log.h"

static void take_name(struct asking *a, const struct resolver_message *answer)
{
	if (answer->result == RESOLVER_FAILED)
		pass_name_failed(a->pass, answer->id);
	else
		pass_name(a->pass, answer->id,
			answer->result == RESOLVER_FOUND ? answer->name : NULL);
}

static void take_answer(struct asking *a, const struct resolver_message *answer)
{
	switch (answer->kind) {
	case RESOLVER_USER_NAME: take_name(a, answer); break;
	case RESOLVER_USER_ID:
		if (answer->result == RESOLVER_FOUND)
			publisher_set_user(a->publisher, answer->id);
		break;
	case RESOLVER_GROUP_ID:
		if (answer->result == RESOLVER_FOUND)
			publisher_set_group(a->publisher, answer->id);
		break;
	}
}

static int on_answer(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	struct asking *a = userdata;
	struct resolver_message answer;
	int r;

	(void)source, (void)fd, (void)events;
	while ((r = resolver_answer(a->resolver, &answer)) == 0)
		take_answer(a, &answer);
	if (r == -EPIPE) {
		log_warning("the resolver of names has ended; new users are shown by number");
		a->answers = sd_event_source_disable_unref(a->answers);
		a->resolver = NULL;
	}
	return a->heard(a->to);
}

/* Whom the whole image is for, besides root and our own user. */
static void ask_privileged(struct asking *a)
{
	static const struct resolver_message questions[] = {
		{.kind = RESOLVER_GROUP_ID, .name = "memtally"},
		{.kind = RESOLVER_USER_ID, .name = "memtally-web"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(questions); i++)
		if (resolver_ask(a->resolver, &questions[i]) < 0)
			log_warning("can't look up '%s'", questions[i].name);
}

int asking_open(struct asking *a, sd_event *event, struct resolver *resolver, struct pass *pass,
	struct publisher *publisher, int (*heard)(void *to), void *to)
{
	*a = (struct asking){
		.resolver = resolver,
		.pass = pass,
		.publisher = publisher,
		.heard = heard,
		.to = to,
	};
	if (!resolver)
		return 0;
	ask_privileged(a);
	return sd_event_add_io(event, &a->answers, resolver_fd(resolver), EPOLLIN, on_answer, a);
}

void asking_close(struct asking *a)
{
	a->answers = sd_event_source_disable_unref(a->answers);
}

void asking_names(struct asking *a)
{
	struct resolver_message question = {.kind = RESOLVER_USER_NAME};
	uid_t uid;

	while (a->resolver && resolver_has_room(a->resolver) && pass_next_unnamed(a->pass, &uid)) {
		question.id = uid;
		if (resolver_ask(a->resolver, &question) < 0)
			pass_name_failed(a->pass, uid);
	}
}

bool asking_is_awaited(const struct asking *a)
{
	return a->resolver && pass_awaits_names(a->pass);
}
