/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc/PID/cgroup: which systemd unit a process belongs to. Pure, over the text alone, by the rules
 * that systemd names cgroups with, so that no bus and no libsystemd is needed to read it.
 */
#ifndef MEMTALLY_COLLECTORS_CGROUP_H
#define MEMTALLY_COLLECTORS_CGROUP_H

#include <stddef.h>

/* A part of the text that was parsed; len 0: there is none. */
struct cgroup_name {
	const char *text;
	size_t len;
};

struct cgroup {
	struct cgroup_name unit;      /* the system unit: "ssh.service", "user@1000.service" */
	struct cgroup_name user_unit; /* the unit of a user manager below it */
	struct cgroup_name slice;     /* the innermost slice above the unit */
};

/*
 * Reads the path of the hierarchy that systemd uses: name=systemd of cgroup v1 (legacy and hybrid), else
 * the unified one. Never fails: a text without a unit gives none.
 */
void cgroup_parse(const char *text, size_t len, struct cgroup *ret);

#endif
