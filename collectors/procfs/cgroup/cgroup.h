/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parser of /proc/PID/cgroup: finds the systemd unit, session and machine, and the container and
 * pod, of a process. It needs the text alone, no bus and no libsystemd: it knows how systemd and
 * container runtimes name cgroups. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_PROCFS_CGROUP_CGROUP_H
#define MEMTALLY_COLLECTORS_PROCFS_CGROUP_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/procfs/cgroup/container-id.h"
#include "snapshot/record.h"

/* A part of the parsed text, not terminated. len 0: there is none. */
struct cgroup_name {
	const char *text;
	size_t len;
};

enum {
	CGROUP_MACHINE_SIZE = 65, /* with the NUL byte; a machine's name is as long as a host's */
	CGROUP_PATH_MAX = 1023,   /* bytes of a path in .charged; longer paths are left out */
};

struct cgroup {
	/* the system unit, for example "ssh.service" or "user@1000.service" */
	struct cgroup_name unit;
	struct cgroup_name user_unit; /* the unit of a user manager below it */
	/* the innermost slice above the unit; "-.slice" if there is no other */
	struct cgroup_name slice;
	struct cgroup_name session; /* of a login session: "2" for "session-2.scope" */
	/*
	 * the unit is a user's manager or session: .uid is that user, who owns everything below it
	 */
	bool has_uid;
	uint32_t uid;
	/* name as systemd-machined knows it, terminated; empty: none */
	char machine[CGROUP_MACHINE_SIZE];
	/* if .has_uid is set, it is the user's own, and has no pod */
	struct container_id container;
	/*
	 * By enum owner_kind, for the kinds that are cgroups: path of the owner's cgroup in the
	 * memory controller's hierarchy. It starts with "/" and has no "..". len 0: the owner has
	 * no cgroup there, or it is not known that the cgroup is the owner's.
	 */
	struct cgroup_name charged[OWNER_KINDS];
};

/*
 * Parses the LEN bytes of TEXT. Reads the line of the hierarchy that systemd uses: name=systemd of
 * cgroup v1 (legacy and hybrid layouts), else the unified one. Never fails: what the text does not
 * name is empty in RET. RET points into TEXT.
 *
 * A user who can create cgroups chooses their names. Everything below a user's manager or session
 * is therefore that user's (.uid).
 *
 * A path outside of the reader's cgroup namespace begins with "..". Below a slice it names a unit as
 * any other path does; otherwise there is no unit. A reader in a container of a user's manager takes
 * other units of that manager for the system's. .charged has no path of such a cgroup.
 *
 * In v1 each controller may have a hierarchy of its own, with the process at another path. .charged
 * has an owner's path only if the memory controller has the process at that path, or below it.
 */
void cgroup_parse(const char *text, size_t len, struct cgroup *ret);

#endif
