/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of daemon/access-list.h: the users and groups that get the complete image. A wrapped
 * getsockopt() supplies the groups of a peer.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/os/userns.h"
#include "daemon/access-list.h"

enum { OWN = 990, WEB = 812, LEDGER = 813, RECORDER = 814, GROUP = 77, ALICE = 1000 };

static const char users[] = "test-privileged.users", groups[] = "test-privileged.groups";

/* The peer's only supplementary group. */
static gid_t supplementary;

int __real_getsockopt(int fd, int level, int name, void *value, socklen_t *len);
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len);

int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	(void)fd, (void)level;
	assert_int_equal(name, SO_PEERGROUPS);
	if (*len < sizeof(gid_t)) {
		*len = sizeof(gid_t);
		errno = ERANGE;
		return -1;
	}
	memcpy(value, &supplementary, sizeof(gid_t));
	return 0;
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static int teardown(void **state)
{
	(void)state;
	unlink(users);
	unlink(groups);
	return 0;
}

static bool has(const struct access_list *p, uid_t uid, gid_t gid, gid_t other)
{
	const struct channel_peer peer = {.pid = 1, .uid = uid, .gid = gid};

	supplementary = other;
	return access_list_has(p, 0, &peer);
}

static void only_root_is_privileged_at_first(void **state)
{
	struct access_list p;

	(void)state;
	access_list_init(&p);
	assert_int_equal(p.has_unmapped, userns_has_unmapped());
	assert_true(has(&p, 0, 5, 5));
	assert_false(has(&p, ALICE, 0, 0)); /* gid 0 does not make a peer root */
	assert_false(has(&p, (uid_t)-1, (gid_t)-1, (gid_t)-1));
}

static void reads_the_hosts_users_and_groups(void **state)
{
	struct access_list p;

	(void)state;
	access_list_init(&p);
	p.own = OWN;
	put(users, "root:x:0:0::/:\nmemtally-web:x:812:813::/:\nmemtally-ledger:x:813:813::/:\n"
		   "memtally-recorder:x:814:814::/:\n");
	put(groups, "root:x:0:\nmemtally:x:77:alice\n");
	assert_int_equal(access_list_read(&p, users, groups), 0);
	assert_true(has(&p, 0, 5, 5));
	assert_true(has(&p, OWN, 5, 5));
	assert_true(has(&p, WEB, 5, 5));
	assert_true(has(&p, LEDGER, 5, 5));
	assert_true(has(&p, RECORDER, 5, 5));
	assert_true(has(&p, ALICE, GROUP, 5));
	assert_true(has(&p, ALICE, 5, GROUP));
	assert_false(has(&p, ALICE, 5, 5));
	assert_false(has(&p, ALICE, WEB, OWN));
	assert_false(has(&p, GROUP, 5, 5));
	/* Users and groups that no longer exist lose access. */
	put(users, "root:x:0:0::/:\n");
	put(groups, "root:x:0:\n");
	assert_int_equal(access_list_read(&p, users, groups), 0);
	assert_false(has(&p, WEB, 5, 5));
	assert_false(has(&p, LEDGER, 5, 5));
	assert_false(has(&p, ALICE, GROUP, GROUP));
	assert_true(has(&p, OWN, 5, 5));
}

static void keeps_ids_if_a_file_cannot_be_read(void **state)
{
	struct access_list p = {
		.own = OWN, .web = WEB, .ledger = LEDGER, .recorder = RECORDER, .group = GROUP};

	(void)state;
	put(users, "root:x:0:0::/:\n");
	put(groups, "root:x:0:\n");
	assert_int_equal(access_list_read(&p, users, "."), -EISDIR);
	assert_int_equal(p.group, GROUP);
	assert_int_equal(p.web, (uid_t)-1);
	assert_int_equal(p.ledger, (uid_t)-1);
	assert_int_equal(p.recorder, (uid_t)-1);
	p.web = WEB;
	p.ledger = LEDGER;
	p.recorder = RECORDER;
	assert_true(access_list_read(&p, ".", groups) < 0);
	assert_int_equal(p.group, (gid_t)-1);
	assert_int_equal(p.web, WEB);
	assert_int_equal(p.ledger, LEDGER);
	assert_int_equal(p.recorder, RECORDER);
}

/* In a user namespace all unmapped users share one uid, so a peer with it is not privileged. */
static void unmapped_users_are_not_privileged(void **state)
{
	struct access_list p = {.own = USERNS_UNMAPPED_UID, .web = WEB, .group = GROUP};

	(void)state;
	assert_true(has(&p, USERNS_UNMAPPED_UID, 5, 5));
	p.has_unmapped = true;
	assert_false(has(&p, USERNS_UNMAPPED_UID, 5, 5));
	assert_false(has(&p, USERNS_UNMAPPED_UID, GROUP, GROUP));
	assert_true(has(&p, WEB, 5, 5));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_root_is_privileged_at_first),
		cmocka_unit_test_teardown(reads_the_hosts_users_and_groups, teardown),
		cmocka_unit_test_teardown(keeps_ids_if_a_file_cannot_be_read, teardown),
		cmocka_unit_test(unmapped_users_are_not_privileged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
