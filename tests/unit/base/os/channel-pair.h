/* SPDX-License-Identifier: Apache-2.0 */
/* Connected sockets, and files to send over them, for the tests of base/os/channel.h. */
#ifndef MEMTALLY_TESTS_UNIT_BASE_OS_CHANNEL_PAIR_H
#define MEMTALLY_TESTS_UNIT_BASE_OS_CHANNEL_PAIR_H

#include <sys/mman.h>
#include <sys/socket.h>

#include "tests/unit/support/unit.h"

/* Opens two connected sockets, as channel_listen() and channel_connect() do, but blocking. */
static inline void channel_pair_open(int *server, int *client)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	*server = pair[0];
	*client = pair[1];
}

/* Returns a descriptor of a file that holds the one byte C. */
static inline int channel_pair_file(char c)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &c, 1, 0), 1);
	return fd;
}

#endif
