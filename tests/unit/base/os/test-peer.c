/* SPDX-License-Identifier: Apache-2.0 */
/* Tests which peers are trusted. The group of a real peer is tested in web/net/test-caller.c. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/os/peer.h"
#include "base/os/userns.h"

enum { GROUP = 77, OWN = 990, ALICE = 1000 };

static void judges_by_uid_and_group(void **state)
{
	static const struct {
		uid_t uid;
		bool is_member, has_unmapped;
		enum peer_kind kind;
	} cases[] = {
		{0, false, false, PEER_TRUSTED},
		{OWN, false, false, PEER_TRUSTED},
		{ALICE, true, false, PEER_TRUSTED},
		{ALICE, false, false, PEER_USER},
		{USERNS_UNMAPPED_UID, false, false, PEER_USER},
		{0, false, true, PEER_TRUSTED},
		{ALICE, false, true, PEER_USER},
		{USERNS_UNMAPPED_UID, true, true, PEER_STRANGER},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct peer_rules rules = {
			.gid = GROUP, .uid = OWN, .has_unmapped = cases[i].has_unmapped};
		const struct channel_peer peer = {.uid = cases[i].uid};

		assert_int_equal(peer_judge(&peer, cases[i].is_member, &rules), cases[i].kind);
	}
}

static void asks_the_kernel(void **state)
{
	const struct peer_rules rules = {.gid = (gid_t)-1, .uid = geteuid()};
	enum peer_kind kind = PEER_STRANGER;
	uid_t uid = (uid_t)-1;
	int pair[2];

	(void)state;
	assert_int_equal(peer_of(-1, &rules, &kind, &uid), -EBADF);
	assert_int_equal(kind, PEER_STRANGER);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(peer_of(pair[0], &rules, &kind, &uid), 0);
	assert_int_equal(kind, PEER_TRUSTED);
	assert_int_equal(uid, geteuid());
	close(pair[0]);
	close(pair[1]);
}

static void reads_its_rules(void **state)
{
	struct peer_rules r;
	FILE *file = fopen("test-peer.groups", "we");

	(void)state;
	assert_non_null(file);
	assert_true(fputs("root:x:0:\nmemtally:x:77:\n", file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(peer_rules_read("test-peer.groups", &r), 0);
	unlink("test-peer.groups");
	assert_int_equal(r.gid, GROUP);
	/* the daemon's own uid before root is given up is not used */
	assert_int_equal(r.uid, (uid_t)-1);
	assert_int_equal(r.has_unmapped, userns_has_unmapped());
	assert_int_equal(peer_rules_read("no such file", &r), 0);
	assert_int_equal(r.gid, (gid_t)-1);
	assert_int_equal(peer_rules_read(".", &r), -EISDIR);
	assert_int_equal(r.gid, (gid_t)-1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(judges_by_uid_and_group),
		cmocka_unit_test(asks_the_kernel),
		cmocka_unit_test(reads_its_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
