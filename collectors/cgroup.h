/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc/PID/cgroup: which systemd unit, session and machine, which container and pod a process belongs to. Pure, over the
 * text alone, by the rules that systemd and container runtimes name cgroups with, so that no bus and no libsystemd is
 * needed to read it.
 */
#ifndef MEMTALLY_COLLECTORS_CGROUP_H
#define MEMTALLY_COLLECTORS_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/container.h"
#include "snapshot/record.h"

/* A part of the text that was parsed; len 0: there is none. */
struct cgroup_name {
	const char *text;
	size_t len;
};

enum {
	CGROUP_MACHINE_SIZE = 65, /* a name of a machine has as many bytes as one of a host */
	CGROUP_PATH_MAX = 1023,   /* bytes of a path in .charged: a longer one is none */
};

struct cgroup {
	struct cgroup_name unit;      /* the system unit: "ssh.service", "user@1000.service" */
	struct cgroup_name user_unit; /* the unit of a user manager below it */
	struct cgroup_name
		slice; /* the innermost slice above the unit; "-.slice" where there is none other */
	struct cgroup_name session; /* of a login: "2" of "session-2.scope" */
	bool has_uid; /* a user's manager or session it is, and all that is made below it: */
	uint32_t uid;
	char machine
		[CGROUP_MACHINE_SIZE]; /* as systemd-machined knows it, terminated; empty: none */
	struct container container;    /* of a user's own, if .has_uid, and then of no pod */
	/*
	 * By enum owner_kind, of those that are cgroups: the path of the cgroup that the owner is, as the memory controller's
	 * hierarchy has it, from "/" on and without ".."; len 0: that has none, or it is not known to be the owner's.
	 */
	struct cgroup_name charged[OWNER_KINDS];
};

/*
 * Reads the path of the hierarchy that systemd uses: name=systemd of cgroup v1 (legacy and hybrid), else
 * the unified one. Never fails: a text without a unit gives none.
 *
 * Whoever may make cgroups below his own may call them what he likes: what is found there is his (.uid).
 *
 * In v1 each controller may have another hierarchy, and a process another place in it. An owner is charged where the memory
 * controller has the process at the path at which it is the owner's, or below.
 */
void cgroup_parse(const char *text, size_t len, struct cgroup *ret);

#endif
