/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel says of a peer's groups is put into its mouth. */
#include "config.h"

#include "tests/unit/unit.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/userns.h"
#include "daemon/privileged.h"

enum { OWN = 990, WEB = 812, LEDGER = 813, GROUP = 77, ALICE = 1000 };

static const char users[] = "test-privileged.users", groups[] = "test-privileged.groups";

/* The only one of the peer's supplementary groups. */
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

static bool has(const struct privileged *p, uid_t uid, gid_t gid, gid_t other)
{
	const struct channel_peer peer = {.pid = 1, .uid = uid, .gid = gid};

	supplementary = other;
	return privileged_has(p, 0, &peer);
}

static void at_first_there_is_root_alone(void **state)
{
	struct privileged p;

	(void)state;
	privileged_init(&p);
	assert_int_equal(p.has_unmapped, userns_has_unmapped());
	assert_true(has(&p, 0, 5, 5));
	assert_false(has(&p, ALICE, 0, 0)); /* group root is no root */
	assert_false(has(&p, (uid_t)-1, (gid_t)-1, (gid_t)-1));
}

static void goes_by_the_hosts_files(void **state)
{
	struct privileged p;

	(void)state;
	privileged_init(&p);
	p.own = OWN;
	put(users, "root:x:0:0::/:\nmemtally-web:x:812:813::/:\nmemtally-ledger:x:813:813::/:\n");
	put(groups, "root:x:0:\nmemtally:x:77:alice\n");
	assert_int_equal(privileged_read(&p, users, groups), 0);
	assert_true(has(&p, 0, 5, 5));
	assert_true(has(&p, OWN, 5, 5));
	assert_true(has(&p, WEB, 5, 5));
	assert_true(has(&p, LEDGER, 5, 5));
	assert_true(has(&p, ALICE, GROUP, 5));
	assert_true(has(&p, ALICE, 5, GROUP));
	assert_false(has(&p, ALICE, 5, 5));
	assert_false(has(&p, ALICE, WEB, OWN));
	assert_false(has(&p, GROUP, 5, 5));
	/* Those that there are not any more. */
	put(users, "root:x:0:0::/:\n");
	put(groups, "root:x:0:\n");
	assert_int_equal(privileged_read(&p, users, groups), 0);
	assert_false(has(&p, WEB, 5, 5));
	assert_false(has(&p, LEDGER, 5, 5));
	assert_false(has(&p, ALICE, GROUP, GROUP));
	assert_true(has(&p, OWN, 5, 5));
}

static void what_cannot_be_read_stays(void **state)
{
	struct privileged p = {.own = OWN, .web = WEB, .ledger = LEDGER, .group = GROUP};

	(void)state;
	put(users, "root:x:0:0::/:\n");
	put(groups, "root:x:0:\n");
	assert_int_equal(privileged_read(&p, users, "."), -EISDIR);
	assert_int_equal(p.group, GROUP);
	assert_int_equal(p.web, (uid_t)-1);
	assert_int_equal(p.ledger, (uid_t)-1);
	p.web = WEB;
	p.ledger = LEDGER;
	assert_true(privileged_read(&p, ".", groups) < 0);
	assert_int_equal(p.group, (gid_t)-1);
	assert_int_equal(p.web, WEB);
	assert_int_equal(p.ledger, LEDGER);
}

/* In a user namespace many users have the same uid: none of them is it. */
static void who_has_no_uid_is_nobody(void **state)
{
	struct privileged p = {.own = USERNS_UNMAPPED_UID, .web = WEB, .group = GROUP};

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
		cmocka_unit_test(at_first_there_is_root_alone),
		cmocka_unit_test_teardown(goes_by_the_hosts_files, teardown),
		cmocka_unit_test_teardown(what_cannot_be_read_stays, teardown),
		cmocka_unit_test(who_has_no_uid_is_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
