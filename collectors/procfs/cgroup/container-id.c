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
 */
#include "config.h"

#include "collectors/procfs/cgroup/container-id.h"

#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"

enum {
	ID_DIGITS = 64,
	UUID_LENGTH = 36,
	HASH_LENGTH = 32,
};

struct part {
	const char *text;
	size_t len;
};

static struct part next_part(struct part *path)
{
	struct part p;
	const char *slash;

	while (path->len && path->text[0] == '/') {
		path->text++;
		path->len--;
	}
	slash = memchr(path->text, '/', path->len);
	p = (struct part){path->text, slash ? (size_t)(slash - path->text) : path->len};
	path->text += p.len;
	path->len -= p.len;
	return p;
}

static bool container_is(struct part p, const char *text)
{
	return p.len == strlen(text) && !memcmp(p.text, text, p.len);
}

/* Removes PREFIX. Returns false and leaves P unchanged if it does not begin with it. */
static bool take_prefix(struct part *p, const char *prefix)
{
	size_t len = strlen(prefix);

	if (p->len < len || memcmp(p->text, prefix, len) != 0)
		return false;
	p->text += len;
	p->len -= len;
	return true;
}

static bool take_suffix(struct part *p, const char *suffix)
{
	size_t len = strlen(suffix);

	if (p->len < len || memcmp(p->text + p->len - len, suffix, len) != 0)
		return false;
	p->len -= len;
	return true;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static bool are_hex(struct part p)
{
	for (size_t i = 0; i < p.len; i++)
		if (!is_hex(p.text[i]))
			return false;
	return true;
}

static bool is_id(struct part p)
{
	return p.len == ID_DIGITS && are_hex(p);
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
static bool find_runtime(struct part name, enum container_runtime *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (container_is(name, prefixes[i].name)) {
			*ret = prefixes[i].runtime;
			return true;
		}
	return false;
}

static void set_name(struct container_id *c, struct part name, enum container_runtime runtime)
{
	memcpy(c->name, name.text, name.len);
	c->name[name.len] = 0;
	c->runtime = runtime;
}

/*
 * Reads a container's id from P: "PREFIX-ID"; "PARENT:PREFIX:ID" in a unit of containerd's; or the
 * id alone below PARENT.
 */
static bool take_id(struct part p, struct part parent, struct container_id *c)
{
	enum container_runtime runtime = RUNTIME_UNKNOWN;
	struct part id = p, name = p;

	take_suffix(&id, ".scope");
	if (is_id(id)) {
		set_name(c, id, container_is(parent, "docker") ? RUNTIME_DOCKER : RUNTIME_UNKNOWN);
		return true;
	}
	if (id.len < ID_DIGITS + 2)
		return false;
	name = (struct part){id.text, id.len - ID_DIGITS - 1};
	id = (struct part){id.text + name.len + 1, ID_DIGITS};
	if (!is_id(id) || (id.text[-1] != '-' && id.text[-1] != ':'))
		return false;
	if (id.text[-1] == ':') {
		const char *colon = memrchr(name.text, ':', name.len);

		if (!colon)
			return false;
		name = (struct part){colon + 1, (size_t)(name.text + name.len - colon - 1)};
	}
	if (!find_runtime(name, &runtime))
		return false;
	set_name(c, id, runtime);
	return true;
}

static bool is_lxc_name(struct part p)
{
	static const char allowed[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";

	if (!p.len || p.len >= CONTAINER_ID_NAME_SIZE || p.text[0] == '.')
		return false;
	for (size_t i = 0; i < p.len; i++)
		if (!memchr(allowed, p.text[i], sizeof(allowed) - 1))
			return false;
	return true;
}

/* LXC has its cgroups only directly below the root; deeper ones belong to a container's guest. */
static bool take_lxc(struct part p, struct part parent, size_t depth, struct container_id *c)
{
	if (depth == 0 ? !take_prefix(&p, "lxc.payload.")
		       : depth > 1 || (!container_is(parent, "lxc") &&
					      !container_is(parent, "lxc.payload")))
		return false;
	if (!is_lxc_name(p))
		return false;
	set_name(c, p, RUNTIME_LXC);
	return true;
}

/* A UUID with DASH between its parts, or 32 digits. */
static bool is_pod_uid(struct part p, char dash)
{
	if (p.len == HASH_LENGTH)
		return are_hex(p);
	if (p.len != UUID_LENGTH)
		return false;
	for (size_t i = 0; i < p.len; i++) {
		bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (is_dash ? p.text[i] != dash : !is_hex(p.text[i]))
			return false;
	}
	return true;
}

/*
 * Reads a pod's uid from P: "podUID" below kubepods, or "kubepods[-CLASS]-podU_I_D.slice", which
 * may have a ':' and other names behind it.
 */
static bool take_pod(struct part p, bool is_below_kubepods, struct container_id *c)
{
	const char *colon = memchr(p.text, ':', p.len);
	char dash = '-';

	if (colon)
		p.len = (size_t)(colon - p.text);
	if (take_suffix(&p, ".slice")) {
		dash = '_';
		if (!take_prefix(&p, "kubepods-"))
			return false;
		(void)(take_prefix(&p, "burstable-") || take_prefix(&p, "besteffort-"));
	} else if (!is_below_kubepods) {
		return false;
	}
	if (!take_prefix(&p, "pod") || !is_pod_uid(p, dash))
		return false;
	for (size_t i = 0; i < p.len; i++)
		c->pod[i] = p.text[i] == '_' ? '-' : p.text[i];
	c->pod[p.len] = 0;
	return true;
}

void container_id_parse(const char *path, size_t len, struct container_id *ret)
{
	struct part rest = {path, len}, parent = {path, 0}, p;
	bool is_below_kubepods = false;

	*ret = (struct container_id){.runtime = RUNTIME_UNKNOWN};
	for (size_t depth = 0; (p = next_part(&rest)).len; depth++) {
		struct container_id c = {.runtime = RUNTIME_UNKNOWN};
		size_t end = (size_t)(rest.text - path);

		/* A pod's containers are below it: containers found before are around it. */
		if (take_pod(p, is_below_kubepods, &c)) {
			*ret = c;
			ret->pod_end = memchr(p.text, ':', p.len) ? 0 : end;
			ret->name_end = take_id(p, parent, ret) ? end : 0;
		} else if (take_id(p, parent, &c) || take_lxc(p, parent, depth, &c)) {
			memcpy(ret->name, c.name, sizeof(c.name));
			ret->runtime = c.runtime;
			ret->name_end = end;
		}
		is_below_kubepods |= container_is(p, "kubepods");
		parent = p;
	}
}
