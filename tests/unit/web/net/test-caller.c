/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the classification of peers, and what each kind may see. The kernel's answers about the
 * peer are simulated.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/os/userns.h"
#include "tests/unit/support/snapshot/sample.h"
#include "web/net/caller.h"

enum { GROUP = 77, OWN = 990, ALICE = 1000, UNMAPPED = 65534 };

static struct {
	bool is_wrapped;
	int error; /* of getsockopt(SO_PEERCRED) */
	uid_t uid;
	gid_t gid;
	gid_t group[2];
	size_t groups;
} peer;

int __real_getsockopt(int fd, int level, int name, void *value, socklen_t *len);
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len);

int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	socklen_t need = (socklen_t)(peer.groups * sizeof(gid_t));

	if (!peer.is_wrapped || level != SOL_SOCKET ||
		(name != SO_PEERCRED && name != SO_PEERGROUPS))
		return __real_getsockopt(fd, level, name, value, len);
	if (name == SO_PEERCRED) {
		const struct ucred cred = {.pid = 4321, .uid = peer.uid, .gid = peer.gid};

		errno = peer.error;
		if (!peer.error)
			memcpy(value, &cred, sizeof(cred));
		return peer.error ? -1 : 0;
	}
	if (*len < need) {
		*len = need;
		errno = ERANGE;
		return -1;
	}
	*len = need;
	if (need)
		memcpy(value, peer.group, need);
	return 0;
}

static const struct caller_rules rules = {
	.peer = {.gid = GROUP, .uid = OWN}, .userns = USERNS_INITIAL};

static struct caller call(uid_t uid, gid_t gid, gid_t supplementary, const struct caller_rules *r)
{
	struct caller caller;
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	peer.is_wrapped = true;
	peer.error = 0;
	peer.uid = uid;
	peer.gid = gid;
	peer.group[0] = 5;
	peer.group[1] = supplementary;
	peer.groups = supplementary ? 2 : 0;
	caller = caller_of(pair[0], r);
	peer.is_wrapped = false;
	close(pair[0]);
	close(pair[1]);
	return caller;
}

static void classifies_callers(void **state)
{
	static const struct {
		uid_t uid;
		gid_t gid, supplementary;
		enum caller_kind kind;
	} cases[] = {
		{0, 0, 0, CALLER_TRUSTED},
		{OWN, OWN, 0, CALLER_TRUSTED},
		{ALICE, GROUP, 0, CALLER_TRUSTED},
		{ALICE, ALICE, GROUP, CALLER_TRUSTED},
		{ALICE, ALICE, 0, CALLER_USER},
		{ALICE, ALICE, GROUP + 1, CALLER_USER},
		{ALICE, 0, 0, CALLER_USER}, /* gid 0 alone is not root */
		{UNMAPPED, UNMAPPED, 0, CALLER_USER},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct caller c = call(cases[i].uid, cases[i].gid, cases[i].supplementary, &rules);

		assert_int_equal(c.kind, cases[i].kind);
		if (c.kind == CALLER_USER)
			assert_true(c.uid == cases[i].uid && c.userns == USERNS_INITIAL);
	}
}

/* If the group does not exist, no peer is a member of it, whatever its gid is. */
static void does_without_a_group(void **state)
{
	const struct caller_rules none = {.peer = {.gid = (gid_t)-1, .uid = OWN}};

	(void)state;
	assert_int_equal(call(ALICE, (gid_t)-1, (gid_t)-1, &none).kind, CALLER_USER);
	assert_int_equal(call(ALICE, GROUP, GROUP, &none).kind, CALLER_USER);
}

/* In a user namespace many users may have the overflow uid: no peer with that uid is trusted. */
static void unmapped_uids_are_not_told_apart(void **state)
{
	struct caller_rules namespace = {
		.peer = {.gid = GROUP, .uid = UNMAPPED, .has_unmapped = true}};

	(void)state;
	assert_int_equal(call(UNMAPPED, UNMAPPED, 0, &namespace).kind, CALLER_STRANGER);
	assert_int_equal(call(UNMAPPED, GROUP, GROUP, &namespace).kind, CALLER_STRANGER);
	assert_int_equal(call(ALICE, ALICE, 0, &namespace).kind, CALLER_USER);
	assert_int_equal(call(0, 0, 0, &namespace).kind, CALLER_TRUSTED);
}

static void accepts_only_unix_sockets(void **state)
{
	AUTO_CLOSE int tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	AUTO_CLOSE int local = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)state;
	assert_int_equal(caller_of(tcp, &rules).kind, CALLER_ANYBODY);
	/* A socket without a peer: the kernel reports uid -1. */
	assert_int_equal(caller_of(local, &rules).kind, CALLER_STRANGER);
	peer.is_wrapped = true;
	peer.error = EINVAL;
	assert_int_equal(caller_of(local, &rules).kind, CALLER_STRANGER);
	peer.is_wrapped = false;
	assert_int_equal(caller_of(-1, &rules).kind, CALLER_STRANGER);
}

/* Returns the place of a client with the IPv4 address HOST, which connects to the socket SERVER. */
static unsigned int place_from(uint32_t host, int server)
{
	AUTO_CLOSE int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(host)};
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_in6 at;
	socklen_t len = sizeof(at);
	AUTO_CLOSE int accepted = -1;

	assert_int_equal(getsockname(server, (void *)&at, &len), 0);
	to.sin_port = at.sin6_port; /* at the same place in both */
	assert_int_equal(bind(client, (const void *)&from, sizeof(from)), 0);
	assert_int_equal(connect(client, (const void *)&to, sizeof(to)), 0);
	accepted = accept(server, NULL, NULL);
	return caller_of(accepted, &rules).place;
}

/* Callers of one address or uid have the same place, and others have another one, but for chance. */
static void places_callers(void **state)
{
	AUTO_CLOSE int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	AUTO_CLOSE int both = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0); /* -1: no IPv6 */
	const struct sockaddr_in v4 = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const struct sockaddr_in6 mapped = {.sin6_family = AF_INET6,
		.sin6_addr.s6_addr = {[10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1}};
	unsigned int addresses = 0, users = 0;

	(void)state;
	assert_int_equal(bind(server, (const void *)&v4, sizeof(v4)), 0);
	assert_int_equal(listen(server, 1), 0);
	if (both >= 0 &&
		(bind(both, (const void *)&mapped, sizeof(mapped)) < 0 || listen(both, 1) < 0))
		both = fd_close(both);
	assert_int_equal(call(0, 0, 0, &rules).place, 0);
	for (uint32_t i = 0; i < 64; i++) {
		unsigned int place = place_from(INADDR_LOOPBACK + i, server);
		unsigned int user = call(ALICE + i, ALICE, 0, &rules).place;

		assert_in_range(place, 1, CALLER_PLACES - 1);
		assert_in_range(user, 1, CALLER_PLACES - 1);
		assert_int_equal(place_from(INADDR_LOOPBACK + i, both < 0 ? server : both), place);
		assert_int_equal(call(ALICE + i, GROUP + 1, 0, &rules).place, user);
		addresses |= 1U << place;
		users |= 1U << user;
	}
	assert_true(__builtin_popcount(addresses) > CALLER_PLACES / 2);
	assert_true(__builtin_popcount(users) > CALLER_PLACES / 2);
}

static void sees_by_trust(void **state)
{
	static const struct {
		enum caller_kind kind;
		enum tcp_scope scope;
		enum sight_kind sight, restricted; /* if /proc is mounted with hidepid */
	} cases[] = {
		{CALLER_ANYBODY, TCP_SCOPE_AUTO, SIGHT_EXPORTED, SIGHT_NONE},
		{CALLER_ANYBODY, TCP_SCOPE_PROCESSES, SIGHT_EXPORTED, SIGHT_EXPORTED},
		{CALLER_ANYBODY, TCP_SCOPE_AGGREGATES, SIGHT_NONE, SIGHT_NONE},
		{CALLER_TRUSTED, TCP_SCOPE_AUTO, SIGHT_ALL, SIGHT_ALL},
		{CALLER_TRUSTED, TCP_SCOPE_AGGREGATES, SIGHT_ALL, SIGHT_ALL},
		{CALLER_USER, TCP_SCOPE_AUTO, SIGHT_OWN, SIGHT_OWN},
		{CALLER_USER, TCP_SCOPE_PROCESSES, SIGHT_OWN, SIGHT_OWN},
		{CALLER_STRANGER, TCP_SCOPE_PROCESSES, SIGHT_NONE, SIGHT_NONE},
	};
	const struct sample_options options = {.is_restricted = true};
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_VIEW struct view *restricted = sample_open(&options);
	const struct caller anybody = {.kind = CALLER_ANYBODY};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct caller c = {
			.kind = cases[i].kind, .uid = ALICE, .userns = USERNS_INITIAL};
		struct sight sight = caller_sight(&c, cases[i].scope, view);

		assert_int_equal(
			caller_sight(&c, cases[i].scope, restricted).kind, cases[i].restricted);
		assert_int_equal(sight.kind, cases[i].sight);
		if (sight.kind == SIGHT_OWN)
			assert_int_equal(sight.uid, ALICE);
	}
	assert_int_equal(caller_sight(&anybody, TCP_SCOPE_AUTO, NULL).kind, SIGHT_NONE);
}

/*
 * In another user namespace the same uid is another user's. If either namespace is unknown, it may
 * be.
 */
static void a_uid_belongs_to_its_namespace(void **state)
{
	static const struct {
		uint64_t caller, image;
		enum sight_kind sight;
	} cases[] = {
		{USERNS_INITIAL, USERNS_INITIAL, SIGHT_OWN},
		{4026532000, 4026532000, SIGHT_OWN},
		{4026532000, USERNS_INITIAL, SIGHT_NONE},
		{USERNS_INITIAL, 4026532000, SIGHT_NONE},
		{0, USERNS_INITIAL, SIGHT_NONE},
		{USERNS_INITIAL, 0, SIGHT_NONE},
		{0, 0, SIGHT_NONE},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct image_header header = {.userns = cases[i].image};
		const struct view view = {.header = &header};
		struct caller c = {.kind = CALLER_USER, .uid = ALICE, .userns = cases[i].caller};

		assert_int_equal(caller_sight(&c, TCP_SCOPE_AUTO, &view).kind, cases[i].sight);
		c.kind = CALLER_TRUSTED;
		assert_int_equal(caller_sight(&c, TCP_SCOPE_AUTO, &view).kind, SIGHT_ALL);
	}
}

static void reads_its_rules(void **state)
{
	struct caller_rules r;

	(void)state;
	assert_int_equal(caller_rules_read("no such file", &r), 0);
	assert_int_equal(r.peer.gid, (gid_t)-1);
	assert_int_equal(r.userns, userns_id());
	assert_int_equal(caller_rules_read(".", &r), -EISDIR);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(classifies_callers),
		cmocka_unit_test(does_without_a_group),
		cmocka_unit_test(unmapped_uids_are_not_told_apart),
		cmocka_unit_test(accepts_only_unix_sockets),
		cmocka_unit_test(places_callers),
		cmocka_unit_test(sees_by_trust),
		cmocka_unit_test(a_uid_belongs_to_its_namespace),
		cmocka_unit_test(reads_its_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
