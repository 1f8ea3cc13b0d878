/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libc has no functions for these system calls. Their constants are defined here, since headers may
 * be older than the kernel. An older kernel refuses bits that it does not know, so each ABI version
 * has its own bits.
 */
#include "config.h"

#include "confine/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444 /* the same on every architecture except Alpha */
#define SYS_landlock_add_rule       445
#define SYS_landlock_restrict_self  446
#endif

enum {
	CREATE_VERSION = 1 << 0,
	RULE_PATH_BENEATH = 1,
	FS_WRITE_FILE = 1 << 1,
	FS_READ_FILE = 1 << 2,
	FS_READ_DIR = 1 << 3,
	FS_REMOVE_FILE = 1 << 5,
	FS_MAKE_REG = 1 << 8,
	FS_ALL_1 = (1 << 13) - 1, /* Linux 5.13 */
	FS_REFER = 1 << 13,       /* 5.19 */
	FS_TRUNCATE = 1 << 14,    /* 6.2 */
	FS_IOCTL_DEV = 1 << 15,   /* 6.10 */
	NET_BIND_TCP = 1 << 0,    /* 6.7 */
	NET_CONNECT_TCP = 1 << 1,
	SCOPE_ABSTRACT_UNIX_SOCKET = 1 << 0, /* 6.12 */
	SCOPE_SIGNAL = 1 << 1,
	ABI_REFER = 2,
	ABI_TRUNCATE = 3,
	ABI_NET = 4,
	ABI_IOCTL_DEV = 5,
	ABI_SCOPE = 6,
};

struct ruleset {
	uint64_t fs, net, scoped;
};

struct path_beneath {
	uint64_t allowed;
	int32_t parent_fd;
} __attribute__((packed));

int landlock_open(bool keeps_abstract_sockets, struct landlock *ret)
{
	struct ruleset set = {.fs = FS_ALL_1};
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION);
	size_t size = sizeof(set.fs);
	long fd;

	if (abi < 0)
		return errno == ENOSYS || errno == EOPNOTSUPP || errno == EPERM
		               ? LANDLOCK_UNSUPPORTED
		               : -errno;
	if (abi >= ABI_REFER)
		set.fs |= FS_REFER;
	if (abi >= ABI_TRUNCATE)
		set.fs |= FS_TRUNCATE;
	if (abi >= ABI_IOCTL_DEV)
		set.fs |= FS_IOCTL_DEV;
	if (abi >= ABI_NET) {
		set.net = NET_BIND_TCP | NET_CONNECT_TCP;
		size += sizeof(set.net);
	}
	if (abi >= ABI_SCOPE) {
		set.scoped = SCOPE_SIGNAL |
		             (keeps_abstract_sockets ? 0 : SCOPE_ABSTRACT_UNIX_SOCKET);
		size += sizeof(set.scoped);
	}
	fd = syscall(SYS_landlock_create_ruleset, &set, size, 0);
	if (fd < 0)
		return -errno;
	*ret = (struct landlock){.fd = (int)fd, .abi = (int)abi};
	return 0;
}

void landlock_close(struct landlock *l)
{
	l->fd = fd_close(l->fd);
}

static const uint64_t rights[] = {
	[LANDLOCK_MAY_READ] = FS_READ_FILE | FS_READ_DIR,
	[LANDLOCK_MAY_READ_FILE] = FS_READ_FILE,
	[LANDLOCK_MAY_REMOVE] = FS_REMOVE_FILE,
	[LANDLOCK_MAY_KEEP] = FS_READ_FILE | FS_READ_DIR | FS_WRITE_FILE | FS_MAKE_REG |
                              FS_REMOVE_FILE | FS_TRUNCATE,
};

int landlock_allow_fd(struct landlock *l, int fd, enum landlock_right right)
{
	/*
	 * A kernel refuses a rule with rights that it does not know, so leave them out; it does not
	 * restrict them either.
	 */
	uint64_t unknown = l->abi < ABI_TRUNCATE ? FS_TRUNCATE : 0;
	struct path_beneath rule = {.allowed = rights[right] & ~unknown, .parent_fd = fd};

	return syscall(SYS_landlock_add_rule, l->fd, RULE_PATH_BENEATH, &rule, 0) < 0 ? -errno : 0;
}

/* A path that cannot be reached cannot be used either, so skipping its rule loses nothing. */
int landlock_allow(struct landlock *l, const char *path, enum landlock_right right)
{
	int kind = right == LANDLOCK_MAY_READ_FILE ? 0 : O_DIRECTORY;
	AUTO_CLOSE int fd = open(path, O_PATH | kind | O_CLOEXEC);

	if (fd >= 0)
		return landlock_allow_fd(l, fd, right);
	return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? -errno : 0;
}

int landlock_parent(const char *path, char to[static LANDLOCK_PATH_SIZE])
{
	const char *slash = strrchr(path, '/');
	int len = slash ? (int)(slash - path) + 1 : 1;

	return snprintf(to, LANDLOCK_PATH_SIZE, "%.*s", len, slash ? path : ".") >=
	                       LANDLOCK_PATH_SIZE
	               ? -ENAMETOOLONG
	               : 0;
}

int landlock_allow_removal(struct landlock *l, const char *path)
{
	char parent[LANDLOCK_PATH_SIZE];
	int r = landlock_parent(path, parent);

	return r < 0 ? r : landlock_allow(l, parent, LANDLOCK_MAY_REMOVE);
}

int landlock_enter(const struct landlock *l)
{
	return syscall(SYS_landlock_restrict_self, l->fd, 0) < 0 ? -errno : 0;
}
