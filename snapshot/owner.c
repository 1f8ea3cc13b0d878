/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "snapshot/owner.h"

#include <string.h>

static const char *const runtimes[RUNTIME_COUNT_] = {
	[RUNTIME_UNKNOWN] = "unknown",
	[RUNTIME_DOCKER] = "docker",
	[RUNTIME_PODMAN] = "podman",
	[RUNTIME_CONTAINERD] = "containerd",
	[RUNTIME_CRIO] = "cri-o",
	[RUNTIME_LXC] = "lxc",
};

static const struct owner owners[OWNER_KINDS] = {
	[OWNER_USER] = {.name = "user",
		.help = "The name of the effective uid, or its number if it has none; --accounting.user selects the real or the login uid.",
		.label = "user",
		.list = "users",
		.title = "USER",
		.id = "uid"},
	[OWNER_PROGRAM] = {.name = "program",
		.help = "The command's name, as ps_mem shows it.",
		.label = "program",
		.list = "programs",
		.title = "PROGRAM"},
	[OWNER_UNIT] = {.name = "unit",
		.help = "The systemd system unit; processes below a user's manager belong to user@UID.service.",
		.label = "unit",
		.list = "units",
		.title = "UNIT",
		.is_cgroup = true},
	[OWNER_USER_UNIT] = {.name = "user_unit",
		.help = "The unit of a user's own systemd, with its user.",
		.label = "unit",
		.list = "user_units",
		.title = "USER_UNIT",
		.has_user = true,
		.is_optional = true,
		.is_cgroup = true},
	[OWNER_SESSION] = {.name = "session",
		.help = "The login session, by systemd-logind's number, with its user.",
		.label = "session",
		.list = "sessions",
		.title = "SESSION",
		.has_user = true,
		.is_optional = true,
		.is_cgroup = true},
	[OWNER_SLICE] = {.name = "slice",
		.help = "The innermost systemd slice above the unit.",
		.label = "slice",
		.list = "slices",
		.title = "SLICE",
		.is_optional = true,
		.is_cgroup = true},
	[OWNER_MACHINE] = {.name = "machine",
		.help = "The machine or virtual machine, as systemd-machined knows it.",
		.label = "machine",
		.list = "machines",
		.title = "MACHINE",
		.is_optional = true,
		.is_cgroup = true},
	[OWNER_POD] = {.name = "pod",
		.help = "The Kubernetes pod, by its uid.",
		.label = "pod",
		.list = "pods",
		.title = "POD",
		.is_optional = true,
		.is_cgroup = true},
	[OWNER_CONTAINER] = {.name = "container",
		.help = "The container of Docker, Podman, containerd, CRI-O or LXC by its id, with its pod, its runtime, and its user if it belongs to one.",
		.label = "container",
		.list = "containers",
		.title = "CONTAINER",
		.id = "runtime",
		.words = runtimes,
		.ids = RUNTIME_COUNT_,
		.above = "pod",
		.has_user = true,
		.is_optional = true,
		.is_cgroup = true},
	[OWNER_GROUP] = {.name = "group",
		.help = "The name of the effective gid, or its number if it has none; the real gid if users are counted by the real uid.",
		.label = "group",
		.list = "groups",
		.title = "GROUP",
		.id = "gid"},
	[OWNER_NAMEGROUP] = {.name = "namegroup",
		.help = "The group that the first matching rule of naming.process_exporter names, as process-exporter's groupname, or the group of the nearest ancestor with one; (none) if there is none.",
		.label = "namegroup",
		.list = "namegroups",
		.title = "NAMEGROUP",
		.is_optional = true},
};

const struct owner *owner_of(enum owner_kind kind)
{
	return &owners[kind];
}

const char *owner_word(const struct owner *owner, uint32_t id)
{
	return owner->words && id < owner->ids ? owner->words[id] : "";
}

enum owner_kind owner_find(const char *name)
{
	enum owner_kind kind = 0;

	while (kind < OWNER_KINDS && strcmp(owners[kind].name, name) != 0)
		kind++;
	return kind;
}

enum owner_kind owner_find_list(const char *list)
{
	enum owner_kind kind = 0;

	while (kind < OWNER_KINDS && strcmp(owners[kind].list, list) != 0)
		kind++;
	return kind;
}
