/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which container, and which Kubernetes pod, a cgroup's path is of: by the names that container runtimes give
 * cgroups, with either of their drivers (cgroupfs, systemd). Pure.
 */
#ifndef MEMTALLY_COLLECTORS_CONTAINER_H
#define MEMTALLY_COLLECTORS_CONTAINER_H

#include <stddef.h>

#include "snapshot/record.h"

enum {
	CONTAINER_NAME_SIZE = 129, /* an id of 64 digits, or what an LXC container is called */
	CONTAINER_POD_SIZE = 37,   /* a UUID, or the 32 digits of a static pod */
};

struct container {
	char name[CONTAINER_NAME_SIZE]; /* the id; of LXC the name; terminated; empty: none */
	char pod[CONTAINER_POD_SIZE];   /* its uid with dashes, terminated; empty: none */
	enum container_runtime runtime; /* of a container */
	size_t name_end,
		pod_end; /* the bytes of the path that are the cgroup of either; 0: none is */
};

/* Reads PATH, as the last field of a line of /proc/PID/cgroup has it. Of nested ones it is the innermost. Never fails. */
void container_parse(const char *path, size_t len, struct container *ret);

#endif
