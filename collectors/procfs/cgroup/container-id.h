/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the container and the Kubernetes pod in the path of a cgroup, by the names that container
 * runtimes give cgroups, with both of their drivers (cgroupfs, systemd). Pure.
 */
#ifndef MEMTALLY_COLLECTORS_PROCFS_CGROUP_CONTAINER_ID_H
#define MEMTALLY_COLLECTORS_PROCFS_CGROUP_CONTAINER_ID_H

#include <stddef.h>

#include "snapshot/record.h"

enum {
	/* with the NUL byte: an id of 64 digits, or the name of an LXC container */
	CONTAINER_ID_NAME_SIZE = 129,
	CONTAINER_ID_POD_SIZE =
		37, /* with the NUL byte: a UUID, or the 32 digits of a static pod */
};

struct container_id {
	char name[CONTAINER_ID_NAME_SIZE]; /* the id; for LXC the name; terminated; empty: none */
	char pod[CONTAINER_ID_POD_SIZE];   /* the pod's uid with dashes, terminated; empty: none */
	enum container_runtime runtime;    /* of the container */
	/*
	 * .name_end, .pod_end: length of the path of the container's and of the pod's cgroup; 0: no
	 * cgroup is known
	 */
	size_t name_end, pod_end;
};

/*
 * Parses PATH (LEN bytes), the last field of a line of /proc/PID/cgroup. If containers are nested,
 * RET has the innermost. Never fails: without a container RET.name is empty.
 */
void container_id_parse(const char *path, size_t len, struct container_id *ret);

#endif
