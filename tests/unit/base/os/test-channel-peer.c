/* SPDX-License-Identifier: Apache-2.0 */
/* Tests which process is at the other end of a channel, with answers of the kernel simulated. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/os/channel.h"
#include "tests/unit/base/os/channel-pair.h"
#include "tests/unit/support/faults/allocation.h"

/* Answers of the kernel that a test replaces. */
static struct {
	bool forge; /* SO_PEERCRED and SO_PEERGROUPS */
	uid_t uid;
	const gid_t *groups;
	size_t group_count;
	bool knows_groups;
} kernel;

int __real_getsockopt(int fd, int level, int name, void *value, socklen_t *len);
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len);

int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	size_t need = kernel.group_count * sizeof(gid_t);

	if (!kernel.forge || (name != SO_PEERCRED && name != SO_PEERGROUPS))
		return __real_getsockopt(fd, level, name, value, len);
	if (name == SO_PEERCRED) {
		memcpy(value, &(struct ucred){.pid = 1, .uid = kernel.uid, .gid = 1}, *len);
		return 0;
	}
	if (!kernel.knows_groups || *len < need) {
		errno = kernel.knows_groups ? ERANGE : ENOPROTOOPT;
		*len = (socklen_t)need;
		return -1;
	}
	*len = (socklen_t)need;
	if (need)
		memcpy(value, kernel.groups, need);
	return 0;
}

static int reset_kernel(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	return 0;
}

static void knows_its_peer(void **state)
{
	AUTO_CLOSE int server = -1, client = -1;
	struct channel_peer peer;

	(void)state;
	channel_pair_open(&server, &client);
	assert_int_equal(channel_peer(server, &peer), 0);
	assert_int_equal(peer.pid, getpid());
	assert_int_equal(peer.uid, geteuid());
	assert_int_equal(peer.gid, getegid());
	assert_true(channel_peer_in_group(server, &peer, getegid()));
}

/* For TCP the kernel would report uid -1 and succeed. */
static void trusts_only_unix_sockets(void **state)
{
	AUTO_CLOSE int tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	AUTO_CLOSE int file = channel_pair_file('a');
	struct channel_peer peer = {.uid = 777};

	(void)state;
	assert_int_equal(channel_peer(file, &peer), -ENOTSOCK);
	kernel.forge = true; /* even if the kernel names root */
	if (tcp >= 0)
		assert_int_equal(channel_peer(tcp, &peer), -EPERM);
	assert_int_equal(peer.uid, 777);
}

static void refuses_uid_minus_one(void **state)
{
	AUTO_CLOSE int server = -1, client = -1;
	struct channel_peer peer = {.uid = 777};

	(void)state;
	channel_pair_open(&server, &client);
	kernel.forge = true;
	kernel.uid = (uid_t)-1;
	assert_int_equal(channel_peer(server, &peer), -EPERM);
	assert_int_equal(peer.uid, 777);
	kernel.uid = 65534;
	assert_int_equal(channel_peer(server, &peer), 0);
	assert_int_equal(peer.uid, 65534);
}

static void finds_groups(void **state)
{
	static const gid_t groups[] = {7, 4242, 9};
	static const struct {
		size_t count;
		bool known;
		gid_t gid;
		bool expected;
	} cases[] = {
		{3, true, 1, true}, /* the primary group */
		{3, true, 7, true},
		{3, true, 4242, true},
		{3, true, 9, true},
		{2, true, 9, false},
		{3, true, 0, false},
		{0, true, 7, false},
		{3, false, 7, false}, /* before Linux 4.13, without SO_PEERGROUPS */
		{3, false, 1, true},
	};
	AUTO_CLOSE int server = -1, client = -1;
	struct channel_peer peer = {.pid = 1, .uid = 1, .gid = 1};

	(void)state;
	channel_pair_open(&server, &client);
	kernel.forge = true;
	kernel.groups = groups;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		kernel.group_count = cases[i].count;
		kernel.knows_groups = cases[i].known;
		assert_int_equal(
			channel_peer_in_group(server, &peer, cases[i].gid), cases[i].expected);
	}
	kernel.group_count = 3;
	kernel.knows_groups = true;
	allocation_fail_at(1); /* if unknown: not a member */
	assert_false(channel_peer_in_group(server, &peer, 4242));
	assert_true(allocation_end());
}

/* As above, with the real kernel and the groups of this process. */
static void finds_its_own_groups(void **state)
{
	AUTO_CLOSE int server = -1, client = -1;
	struct channel_peer peer;
	gid_t groups[64];
	int count = getgroups(ARRAY_SIZE(groups), groups);

	(void)state;
	channel_pair_open(&server, &client);
	assert_int_equal(channel_peer(server, &peer), 0);
	for (int i = 0; i < count; i++)
		assert_true(channel_peer_in_group(server, &peer, groups[i]));
	assert_false(channel_peer_in_group(server, &peer, 3999999999));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(knows_its_peer, reset_kernel),
		cmocka_unit_test_setup(trusts_only_unix_sockets, reset_kernel),
		cmocka_unit_test_setup(refuses_uid_minus_one, reset_kernel),
		cmocka_unit_test_setup(finds_groups, reset_kernel),
		cmocka_unit_test_setup(finds_its_own_groups, reset_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
