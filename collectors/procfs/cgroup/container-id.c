/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The paths that runtimes make of an id, with the cgroupfs driver and with systemd's:
 *
 *     Docker      /docker/ID                                 /system.slice/docker-ID.scope
 *     Podman      /libpod_parent/libpod-ID                   /machine.slice/libpod-ID.scope/container
 *     containerd  /kubepods/burstable/podUID/ID              /kubepods.slice/...-podU_I_D.slice/cri-containerd-ID.scope
 *     CRI-O       /kubepods/besteffort/podUID/crio-ID        /kubepods.slice/...-podU_I_D.slice/crio-ID.scope
 *     nerdctl     /default/ID                                /system.slice/nerdctl-ID.scope
 *     LXC         /lxc/NAME, /lxc.payload.NAME
 *
 * If containerd and the kubelet use different drivers, the path is PARENT.slice:cri-containerd:ID.
 * It is the container's cgroup, and the pod has none. A runtime's own helpers (libpod-conmon-ID,
 * crio-conmon-ID, lxc.monitor.NAME) are not in the container.
 *
 * For a reader in a container, paths of other containers begin with "..", such as /../../podUID/ID.
 * The part that ".." hides may contain kubepods.
 */
#include "config.h"

#include "collectors/procfs/cgroup/container-id.h"

#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/scan.h"

enum {
	ID_DIGITS = 64,
	UUID_LENGTH = 36,
	HASH_LENGTH = 32,
};

static bool take_suffix(struct scan *p, const char *suffix)
{
	size_t len = strlen(suffix);

	if (scan_left(p) < len || memcmp(p->end - len, suffix, len) != 0)
		return false;
	p->end -= len;
	return true;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static bool are_hex(struct scan p)
{
	for (; p.at < p.end; p.at++)
		if (!is_hex(*p.at))
			return false;
	return true;
}

static bool is_id(struct scan p)
{
	return scan_left(&p) == ID_DIGITS && are_hex(p);
}

static const struct {
	const char *name; /* the text before the id, without the '-' */
	enum container_runtime runtime;
} prefixes[] = {
	{"docker", RUNTIME_DOCKER},
	{"libpod", RUNTIME_PODMAN},
	{"libpod-payload", RUNTIME_PODMAN},
	{"cri-containerd", RUNTIME_CONTAINERD},
	{"nerdctl", RUNTIME_CONTAINERD},
	{"crio", RUNTIME_CRIO},
};

/* NAME is the text before the id. */
static bool find_runtime(struct scan name, enum container_runtime *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (scan_is(&name, prefixes[i].name)) {
			*ret = prefixes[i].runtime;
			return true;
		}
	return false;
}

static void set_name(struct container_id *c, struct scan name, enum container_runtime runtime)
{
	memcpy(c->name, name.at, scan_left(&name));
	c->name[scan_left(&name)] = 0;
	c->runtime = runtime;
}

/*
 * Reads a container's id from P: "PREFIX-ID"; "PARENT:PREFIX:ID" in a unit of containerd's; or the
 * id alone below PARENT.
 */
static bool take_id(struct scan p, struct scan parent, struct container_id *c)
{
	enum container_runtime runtime = RUNTIME_UNKNOWN;
	struct scan id = p, name = p;

	take_suffix(&id, ".scope");
	if (is_id(id)) {
		set_name(c, id, scan_is(&parent, "docker") ? RUNTIME_DOCKER : RUNTIME_UNKNOWN);
		return true;
	}
	if (scan_left(&id) < ID_DIGITS + 2)
		return false;
	name = (struct scan){id.at, id.end - ID_DIGITS - 1};
	id.at = name.end + 1;
	if (!is_id(id) || (*name.end != '-' && *name.end != ':'))
		return false;
	if (*name.end == ':') {
		const char *colon = memrchr(name.at, ':', scan_left(&name));

		if (!colon)
			return false;
		name.at = colon + 1;
	}
	if (!find_runtime(name, &runtime))
		return false;
	set_name(c, id, runtime);
	return true;
}

static bool is_lxc_name(struct scan p)
{
	static const char allowed[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";

	if (p.at == p.end || scan_left(&p) >= CONTAINER_ID_NAME_SIZE || *p.at == '.')
		return false;
	for (; p.at < p.end; p.at++)
		if (!memchr(allowed, *p.at, sizeof(allowed) - 1))
			return false;
	return true;
}

/* LXC has its cgroups only directly below the root; deeper ones belong to a container's guest. */
static bool take_lxc(struct scan p, struct scan parent, size_t depth, struct container_id *c)
{
	if (depth == 0 ? !scan_text(&p, "lxc.payload.")
		       : depth > 1 ||
				 (!scan_is(&parent, "lxc") && !scan_is(&parent, "lxc.payload")))
		return false;
	if (!is_lxc_name(p))
		return false;
	set_name(c, p, RUNTIME_LXC);
	return true;
}

/* A UUID with DASH between its parts, or 32 digits. */
static bool is_pod_uid(struct scan p, char dash)
{
	if (scan_left(&p) == HASH_LENGTH)
		return are_hex(p);
	if (scan_left(&p) != UUID_LENGTH)
		return false;
	for (size_t i = 0; i < UUID_LENGTH; i++) {
		bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (is_dash ? p.at[i] != dash : !is_hex(p.at[i]))
			return false;
	}
	return true;
}

/*
 * Reads a pod's uid from P: "podUID" below kubepods, or "kubepods[-CLASS]-podU_I_D.slice", which
 * may have a ':' and other names behind it.
 */
static bool take_pod(struct scan p, bool is_below_kubepods, struct container_id *c)
{
	const char *colon = memchr(p.at, ':', scan_left(&p));
	char dash = '-';

	p.end = colon ? colon : p.end;
	if (take_suffix(&p, ".slice")) {
		dash = '_';
		if (!scan_text(&p, "kubepods-"))
			return false;
		(void)(scan_text(&p, "burstable-") || scan_text(&p, "besteffort-"));
	} else if (!is_below_kubepods) {
		return false;
	}
	if (!scan_text(&p, "pod") || !is_pod_uid(p, dash))
		return false;
	for (size_t i = 0; i < scan_left(&p); i++)
		c->pod[i] = p.at[i] == '_' ? '-' : p.at[i];
	c->pod[scan_left(&p)] = 0;
	return true;
}

/*
 * Returns true if P may be kubepods or a class of service below it although the path does not show
 * kubepods: P is "..", or a class directly below "..".
 */
static bool may_be_kubepods(struct scan p, struct scan parent)
{
	return scan_is(&p, "..") ||
	       (scan_is(&parent, "..") && (scan_is(&p, "burstable") || scan_is(&p, "besteffort")));
}

void container_id_parse(const char *path, size_t len, struct container_id *ret)
{
	struct scan rest = {path, path + len}, parent = {path, path}, p;
	bool is_below_kubepods = false, may_be_below = false;

	*ret = (struct container_id){.runtime = RUNTIME_UNKNOWN};
	for (size_t depth = 0; scan_component(&rest, &p); depth++) {
		struct container_id c = {.runtime = RUNTIME_UNKNOWN};
		size_t end = (size_t)(rest.at - path);

		/* A pod's containers are below it: containers found before are around it. */
		if (take_pod(p, is_below_kubepods || may_be_below, &c)) {
			*ret = c;
			ret->pod_end = memchr(p.at, ':', scan_left(&p)) ? 0 : end;
			ret->name_end = take_id(p, parent, ret) ? end : 0;
		} else if (take_id(p, parent, &c) || take_lxc(p, parent, depth, &c)) {
			memcpy(ret->name, c.name, sizeof(c.name));
			ret->runtime = c.runtime;
			ret->name_end = end;
		}
		is_below_kubepods |= scan_is(&p, "kubepods");
		may_be_below = may_be_kubepods(p, parent);
		parent = p;
	}
}
