/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests daemon/name-client.c alone: the resolver, the pass and the publisher are replaced by
 * functions that record what they are asked and told.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <sys/eventfd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "daemon/name-client.h"

enum { MOST = 16, ROOM = 3, FIRST_UID = 1000 };

static struct scene {
	sd_event *event;
	struct name_client client;
	int fd;
	struct principal asked[MOST];
	struct lookup_message answer[MOST];
	size_t asks, answers, answered;
	int end;              /* what resolver_answer() returns without an answer */
	int refusal;          /* what resolver_ask() returns; 0: it accepts the uids */
	unsigned int unnamed; /* users without a name, from FIRST_UID on */
	unsigned int named, nameless, failed;
	uid_t last;
	unsigned int heard;
	unsigned int liars; /* resolvers that the log reported for unasked answers */
	unsigned int over;  /* how often the log reported that names end */
	bool awaits;
	uint64_t now_ns;
	unsigned int replaced, in_flight, lost;
	int replacing; /* what resolver_replace() returns */
} scene;

int __wrap_resolver_fd(const struct resolver *r);
bool __wrap_resolver_has_room(const struct resolver *r);
int __wrap_resolver_ask(struct resolver *r, const struct principal *who);
int __wrap_resolver_answer(struct resolver *r, struct lookup_message *ret);
int __wrap_resolver_replace(struct resolver *r);
bool __wrap_resolver_lost(struct resolver *r, struct principal *ret);
unsigned int __wrap_resolver_in_flight(const struct resolver *r);
uint64_t __wrap_clock_now_ns(clockid_t clock);
bool __wrap_pass_next_unnamed(struct pass *pass, struct principal *ret);
bool __wrap_pass_awaits_names(const struct pass *pass);
void __wrap_pass_name(struct pass *pass, const struct principal *who, const char *name);
void __wrap_pass_name_failed(struct pass *pass, const struct principal *who);

int __wrap_resolver_fd(const struct resolver *r)
{
	(void)r;
	return scene.fd;
}

bool __wrap_resolver_has_room(const struct resolver *r)
{
	(void)r;
	return scene.asks < ROOM;
}

int __wrap_resolver_ask(struct resolver *r, const struct principal *who)
{
	(void)r;
	assert_true(scene.asks < MOST);
	if (scene.refusal)
		return scene.refusal;
	scene.asked[scene.asks++] = *who;
	return 0;
}

int __wrap_resolver_answer(struct resolver *r, struct lookup_message *ret)
{
	(void)r;
	if (scene.answered == scene.answers)
		return scene.end;
	*ret = scene.answer[scene.answered++];
	return 0;
}

int __wrap_resolver_replace(struct resolver *r)
{
	(void)r;
	scene.replaced++;
	return scene.replacing;
}

bool __wrap_resolver_lost(struct resolver *r, struct principal *ret)
{
	(void)r;
	if (!scene.lost)
		return false;
	*ret = (struct principal){OWNER_USER, scene.lost--};
	return true;
}

unsigned int __wrap_resolver_in_flight(const struct resolver *r)
{
	(void)r;
	return scene.in_flight;
}

uint64_t __wrap_clock_now_ns(clockid_t clock)
{
	(void)clock;
	return scene.now_ns;
}

bool __wrap_pass_next_unnamed(struct pass *pass, struct principal *ret)
{
	(void)pass;
	if (!scene.unnamed)
		return false;
	scene.unnamed--;
	*ret = (struct principal){OWNER_USER, FIRST_UID + scene.unnamed};
	return true;
}

bool __wrap_pass_awaits_names(const struct pass *pass)
{
	(void)pass;
	return scene.awaits;
}

void __wrap_pass_name(struct pass *pass, const struct principal *who, const char *name)
{
	(void)pass;
	if (name) {
		assert_string_equal(name, "alice");
		scene.named++;
	} else {
		scene.nameless++;
	}
	scene.last = who->id;
}

void __wrap_pass_name_failed(struct pass *pass, const struct principal *who)
{
	(void)pass;
	scene.failed++;
	scene.last = who->id;
}

ssize_t __real_write(int fd, const void *buf, size_t size);
ssize_t __wrap_write(int fd, const void *buf, size_t size);

ssize_t __wrap_write(int fd, const void *buf, size_t size)
{
	if (fd != STDERR_FILENO)
		return __real_write(fd, buf, size);
	scene.over += memmem(buf, size, "until memtallyd is started again", 32) != NULL;
	scene.liars += memmem(buf, size, "sent an invalid answer", 22) != NULL;
	return (ssize_t)size;
}

static int hear(void *to)
{
	assert_ptr_equal(to, &scene);
	scene.heard++;
	return 0;
}

/* Only their addresses are used, by the replaced functions. */
static char resolver, pass;

static void open_client(bool has_resolver)
{
	assert_int_equal(name_client_open(&scene.client, scene.event,
				 has_resolver ? (struct resolver *)&resolver : NULL,
				 (struct pass *)&pass, hear, &scene),
		0);
}

static int setup(void **state)
{
	(void)state;
	scene = (struct scene){.end = -EAGAIN, .now_ns = 1000 * NS_PER_SEC};
	scene.fd = eventfd(1, EFD_CLOEXEC);
	return scene.fd >= 0 && sd_event_new(&scene.event) >= 0 ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	name_client_close(&scene.client);
	sd_event_unref(scene.event);
	close(scene.fd);
	return 0;
}

static void add_answer(enum lookup_result result, uid_t uid)
{
	scene.answer[scene.answers++] = (struct lookup_message){
		.result = result, .principal = {OWNER_USER, uid}, .name = "alice"};
}

static void hands_names_to_the_pass(void **state)
{
	(void)state;
	open_client(true);
	add_answer(LOOKUP_FOUND, 5);
	assert_true(sd_event_run(scene.event, 0) > 0);
	assert_int_equal(scene.named, 1);
	assert_int_equal(scene.last, 5);
	add_answer(LOOKUP_ABSENT, 6);
	add_answer(LOOKUP_FAILED, 7);
	assert_true(sd_event_run(scene.event, 0) > 0);
	assert_int_equal(scene.nameless, 1); /* the user is known to have no name */
	assert_int_equal(scene.failed, 1);
	assert_int_equal(scene.last, 7);
	assert_int_equal(scene.heard, 2);
}

/* Uids that the resolver has no room for are asked later. */
static void asks_as_far_as_there_is_room(void **state)
{
	(void)state;
	open_client(true);
	scene.asks = 0;
	scene.unnamed = ROOM + 1;
	name_client_names(&scene.client);
	assert_int_equal(scene.asks, ROOM);
	assert_int_equal(scene.unnamed, 1);
	for (unsigned int i = 0; i < ROOM; i++) {
		assert_int_equal(scene.asked[i].id, FIRST_UID + ROOM - i);
	}
	scene.asks = 0;
	scene.refusal = -EPIPE;
	name_client_names(&scene.client);
	assert_int_equal(scene.failed, 1);
	assert_int_equal(scene.last, FIRST_UID);
}

/* Without a resolver no request is waited for. */
static void goes_on_when_the_resolver_ends(void **state)
{
	(void)state;
	open_client(true);
	scene.awaits = true;
	assert_true(name_client_is_awaited(&scene.client));
	scene.end = -EPIPE;
	add_answer(LOOKUP_FOUND, 5);
	assert_true(sd_event_run(scene.event, 0) > 0);
	assert_int_equal(scene.named, 1); /* answers that came before the end count */
	assert_int_equal(scene.heard, 1);
	assert_false(name_client_is_awaited(&scene.client));
	assert_int_equal(sd_event_run(scene.event, 0), 0); /* its descriptor is no longer polled */
	scene.asks = 0;
	scene.unnamed = 1;
	name_client_names(&scene.client);
	assert_int_equal(scene.asks, 0);
	assert_int_equal(scene.unnamed, 1);
}

/* Lets AFTER_S seconds pass without an answer, then runs the timer. */
static void look(unsigned int after_s)
{
	scene.now_ns += after_s * NS_PER_SEC;
	scene.asks = 0;
	name_client_names(&scene.client);
}

/*
 * A resolver that answers what it was not asked is not heard again. Another replaces it as soon as
 * one that exited would be replaced.
 */
static void replaces_a_resolver_that_answers_unasked(void **state)
{
	(void)state;
	open_client(true);
	scene.awaits = true;
	for (unsigned int i = 0; i < 3; i++) {
		unsigned int named = scene.named;

		scene.end = -EPROTO;
		add_answer(LOOKUP_FOUND, 5);
		assert_true(sd_event_run(scene.event, 0) > 0);
		/* its answers to earlier questions count */
		assert_int_equal(scene.named, named + 1);
		assert_false(name_client_is_awaited(&scene.client));
		assert_int_equal(sd_event_run(scene.event, 0), 0);
		assert_int_equal(scene.replaced, i);
		assert_int_equal(scene.liars, 1);
		scene.end = -EAGAIN;
		look(9);
		assert_int_equal(scene.replaced, i);
		look(1);
		assert_int_equal(scene.replaced, i + 1);
		assert_true(name_client_is_awaited(&scene.client));
	}
}

static void replaces_a_silent_resolver(void **state)
{
	(void)state;
	open_client(true);
	look(1000); /* nothing was asked */
	assert_int_equal(scene.replaced, 0);
	scene.in_flight = 3;
	look(9);
	assert_int_equal(scene.replaced, 0);
	scene.lost = 2;
	look(1);
	assert_int_equal(scene.replaced, 1);
	assert_int_equal(scene.failed, 2); /* the requests are repeated later */
	/* The pause before the next replacement grows with each silent resolver. */
	look(19);
	assert_int_equal(scene.replaced, 1);
	look(1);
	assert_int_equal(scene.replaced, 2);
	/* An answer resets the pause. */
	add_answer(LOOKUP_FOUND, 5);
	assert_true(sd_event_run(scene.event, 0) > 0);
	assert_int_equal(scene.named, 1);
	look(9);
	assert_int_equal(scene.replaced, 2);
	look(1);
	assert_int_equal(scene.replaced, 3);
}

static void replaces_an_exited_resolver(void **state)
{
	(void)state;
	open_client(true);
	scene.end = -EPIPE;
	assert_true(sd_event_run(scene.event, 0) > 0);
	scene.end = -EAGAIN;
	scene.unnamed = 1;
	look(9);
	assert_int_equal(scene.replaced, 0);
	scene.replacing = -EBUSY;
	look(1);
	assert_int_equal(scene.replaced, 1);
	assert_int_equal(scene.unnamed, 1); /* there is no resolver yet */
	scene.replacing = 0;
	look(20);
	assert_int_equal(scene.replaced, 2);
	assert_int_equal(scene.unnamed, 0);
	assert_int_equal(scene.asks, 1);
}

/* If no resolver can be started any more, known names stay, and the log says so once. */
static void goes_on_when_no_resolver_can_be_started(void **state)
{
	(void)state;
	open_client(true);
	scene.awaits = true;
	scene.end = -EPIPE;
	scene.replacing = -EPIPE;
	scene.lost = 2;
	assert_true(sd_event_run(scene.event, 0) > 0);
	scene.unnamed = 1;
	for (unsigned int i = 0; i < 5; i++) {
		look(320);
		assert_int_equal(scene.over, 1);
		assert_false(name_client_is_awaited(&scene.client));
	}
	assert_int_equal(scene.failed, 2);
	assert_int_equal(scene.asks, 0);
	assert_int_equal(scene.unnamed, 1);
	assert_int_equal(sd_event_run(scene.event, 0), 0);
}

static void does_without_a_resolver(void **state)
{
	(void)state;
	open_client(false);
	scene.awaits = true;
	scene.unnamed = 1;
	name_client_names(&scene.client);
	assert_int_equal(scene.asks, 0);
	assert_false(name_client_is_awaited(&scene.client));
	assert_int_equal(sd_event_run(scene.event, 0), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(hands_names_to_the_pass, setup, teardown),
		cmocka_unit_test_setup_teardown(asks_as_far_as_there_is_room, setup, teardown),
		cmocka_unit_test_setup_teardown(goes_on_when_the_resolver_ends, setup, teardown),
		cmocka_unit_test_setup_teardown(replaces_a_silent_resolver, setup, teardown),
		cmocka_unit_test_setup_teardown(replaces_an_exited_resolver, setup, teardown),
		cmocka_unit_test_setup_teardown(
			replaces_a_resolver_that_answers_unasked, setup, teardown),
		cmocka_unit_test_setup_teardown(
			goes_on_when_no_resolver_can_be_started, setup, teardown),
		cmocka_unit_test_setup_teardown(does_without_a_resolver, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
