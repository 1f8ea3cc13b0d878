/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The path of a unit is "/", slices, the unit, and the cgroups that the unit has created below
 * itself. systemd puts a '_' before a component that would clash with a kernel file. In the hybrid
 * layout systemd keeps processes at the same path in name=systemd and in the unified hierarchy.
 *
 * The kernel prints paths relative to the root of the reader's cgroup namespace, which is the cgroup
 * of the container that the reader is in. So the path of any other cgroup begins with "..", as often
 * as it takes from there up to the lowest cgroup above both.
 */
#include "config.h"

#include "collectors/procfs/cgroup/cgroup.h"

#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/scan.h"

#define ALPHANUMERIC "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

enum {
	UNIT_NAME_MAX = 255,
};

static bool has_prefix(struct cgroup_name n, const char *prefix)
{
	size_t len = strlen(prefix);

	return n.len >= len && !memcmp(n.text, prefix, len);
}

static bool has_suffix(struct cgroup_name n, const char *suffix)
{
	size_t len = strlen(suffix);

	return n.len >= len && !memcmp(n.text + n.len - len, suffix, len);
}

/* Whether N has no bytes but those of ALLOWED. */
static bool has_only(struct cgroup_name n, const char *allowed)
{
	for (size_t i = 0; i < n.len; i++)
		if (!n.text[i] || !strchr(allowed, n.text[i]))
			return false;
	return true;
}

/*
 * Whether N is the name of a unit: it has a known type and allowed characters, and is no template.
 * *RET_IS_INSTANCE says whether it is an instance of a template.
 */
static bool is_unit_name(struct cgroup_name n, bool *ret_is_instance)
{
	static const char *const types[] = {".service", ".scope", ".slice", ".socket", ".mount",
		".swap", ".target", ".device", ".automount", ".timer", ".path"};
	const char *at_sign = memchr(n.text, '@', n.len);
	size_t stem = 0;

	if (n.len > UNIT_NAME_MAX)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(types) && !stem; i++)
		if (has_suffix(n, types[i]))
			stem = n.len - strlen(types[i]);
	if (!stem || at_sign == n.text || at_sign == n.text + stem - 1)
		return false;
	*ret_is_instance = at_sign != NULL;
	return has_only(n, ALPHANUMERIC ":-_.\\@");
}

/* Returns the next component of *PATH, and moves *PATH past it; len 0 at the end. */
static struct cgroup_name next_component(struct cgroup_name *path)
{
	struct scan rest = {path->text, path->text + path->len}, part;

	scan_component(&rest, &part);
	*path = (struct cgroup_name){rest.at, scan_left(&rest)};
	return (struct cgroup_name){part.at, scan_left(&part)};
}

static struct cgroup_name cgroup_unescape(struct cgroup_name n)
{
	if (n.len && n.text[0] == '_') {
		n.text++;
		n.len--;
	}
	return n;
}

/* Slices have no templates. */
static bool is_slice(struct cgroup_name n)
{
	bool is_instance;

	return has_suffix(n, ".slice") && is_unit_name(n, &is_instance) && !is_instance;
}

/* machine.slice, or a slice below it: its name begins with "machine-". */
static bool is_below_machine_slice(struct cgroup_name slice)
{
	return has_prefix(slice, "machine.") || has_prefix(slice, "machine-");
}

static bool is_up(struct cgroup_name n)
{
	return n.len == 2 && !memcmp(n.text, "..", 2);
}

/* Skips the components ".." with which *PATH begins. Returns whether there are any. */
static bool skip_ups(struct cgroup_name *path)
{
	struct cgroup_name rest = *path;
	bool has_ups = false;

	while (is_up(next_component(&rest))) {
		*path = rest;
		has_ups = true;
	}
	return has_ups;
}

/*
 * Skips the slices of *PATH and returns the unit that follows. Sets *RET_SLICE to the last slice,
 * if there is one, and *RET_COMPONENT to the unit's component before it is unescaped. Moves *PATH
 * past the unit. len 0: no unit follows.
 */
static struct cgroup_name take_unit(
	struct cgroup_name *path, struct cgroup_name *ret_slice, struct cgroup_name *ret_component)
{
	struct cgroup_name part;
	bool is_instance;

	for (;;) {
		*ret_component = next_component(path);
		part = cgroup_unescape(*ret_component);
		if (!is_slice(part))
			break;
		*ret_slice = part;
	}
	if (has_suffix(part, ".slice") || !is_unit_name(part, &is_instance))
		return (struct cgroup_name){0};
	return part;
}

/* Returns the text between PREFIX and SUFFIX; len 0: N has another form, or nothing between. */
static struct cgroup_name cgroup_between(
	struct cgroup_name n, const char *prefix, const char *suffix)
{
	size_t before = strlen(prefix), after = strlen(suffix);

	if (n.len < before + after || !has_prefix(n, prefix) || !has_suffix(n, suffix))
		return (struct cgroup_name){0};
	return (struct cgroup_name){n.text + before, n.len - before - after};
}

/* Parses a valid uid in its only spelling, without leading zeros. */
static bool parse_uid(struct cgroup_name n, uint32_t *ret)
{
	uint64_t uid;

	if (!n.len || (n.len > 1 && n.text[0] == '0') ||
		number_parse_u64(n.text, n.len, &uid) < 0 || uid >= UINT32_MAX || uid == UINT16_MAX)
		return false;
	*ret = (uint32_t)uid;
	return true;
}

/* A unit of a user's manager. systemd never escapes it. */
static bool is_user_manager(struct cgroup_name n)
{
	uint32_t uid;

	return parse_uid(cgroup_between(n, "user@", ".service"), &uid);
}

/* A login session. systemd never escapes it. */
static bool is_session(struct cgroup_name n)
{
	struct cgroup_name id = cgroup_between(n, "session-", ".scope");

	return id.len && has_only(id, ALPHANUMERIC);
}

/* Parses the uid in a user's own slice, "user-1000.slice". */
static bool parse_user_slice(struct cgroup_name slice, uint32_t *ret)
{
	return parse_uid(cgroup_between(slice, "user-", ".slice"), ret);
}

/* Returns the value of a hexadecimal digit, -1 if C is none. */
static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * Decodes the name of a machine from a unit's name. "\x2d" stands for a byte. '-' stands for a
 * slash, which no machine's name has, so it is refused.
 */
static bool unescape_machine(struct cgroup_name n, char to[static CGROUP_MACHINE_SIZE])
{
	static const char allowed[] = ALPHANUMERIC "-_.";
	size_t len = 0;

	for (size_t i = 0; i < n.len; i++) {
		char c = n.text[i];

		if (c == '\\') {
			int high = i + 3 < n.len && n.text[i + 1] == 'x' ? digit_of(n.text[i + 2])
			                                                 : -1;
			int low = high >= 0 ? digit_of(n.text[i + 3]) : -1;

			if (low < 0)
				return false;
			c = (char)(high * 16 + low);
			i += 3;
		} else if (c == '-') {
			return false;
		}
		if (!memchr(allowed, c, sizeof(allowed) - 1) || len + 1 >= CGROUP_MACHINE_SIZE)
			return false;
		to[len++] = c;
	}
	to[len] = 0;
	return len > 0;
}

/*
 * A machine is a scope in machine.slice that systemd-machined has registered, or an instance of
 * systemd-nspawn@.service.
 */
static void parse_machine(struct cgroup *c)
{
	struct cgroup_name name = cgroup_between(c->unit, "systemd-nspawn@", ".service");

	if (!name.len && is_below_machine_slice(c->slice))
		name = cgroup_between(c->unit, "machine-", ".scope");
	if (!name.len || !unescape_machine(name, c->machine))
		c->machine[0] = 0;
}

/* Removes the mark that the kernel puts behind the path of a removed cgroup. */
static struct cgroup_name without_mark(struct cgroup_name path)
{
	if (has_suffix(path, " (deleted)"))
		path.len -= strlen(" (deleted)");
	return path;
}

/*
 * Returns PATH from its beginning to the end of NAME, which is a part of it; len 0 if NAME has
 * none.
 */
static struct cgroup_name up_to(struct cgroup_name path, struct cgroup_name name)
{
	if (!name.len)
		return (struct cgroup_name){0};
	return (struct cgroup_name){path.text, (size_t)(name.text + name.len - path.text)};
}

/*
 * Sets the owners' paths, as parts of PATH, which is that of name=systemd or of the unified
 * hierarchy.
 */
static void find_owners(struct cgroup_name path, struct cgroup *c)
{
	struct cgroup_name unit = up_to(path, c->unit);

	c->charged[OWNER_UNIT] = unit;
	c->charged[OWNER_USER_UNIT] = up_to(path, c->user_unit);
	c->charged[OWNER_SLICE] = up_to(path, c->slice);
	if (c->session.len)
		c->charged[OWNER_SESSION] = unit;
	if (c->machine[0])
		c->charged[OWNER_MACHINE] = unit;
	if (c->container.pod[0])
		c->charged[OWNER_POD] = (struct cgroup_name){path.text, c->container.pod_end};
	if (c->container.name[0])
		c->charged[OWNER_CONTAINER] = (struct cgroup_name){
			path.text, c->container.name_end};
}

static void parse_path(struct cgroup_name path, struct cgroup *ret)
{
	static const struct cgroup_name root_slice = {"-.slice", sizeof("-.slice") - 1};
	struct cgroup_name whole = without_mark(path), slice = {0}, component;
	bool is_outside, is_users;

	*ret = (struct cgroup){0};
	path = whole;
	container_id_parse(path.text, path.len, &ret->container);
	is_outside = skip_ups(&path);
	ret->unit = take_unit(&path, &ret->slice, &component);
	/* The part above the first component is unknown: without a slice this may be no unit. */
	if (is_outside && !ret->slice.len)
		ret->unit = (struct cgroup_name){0};
	is_users = ret->unit.len && (is_user_manager(component) || is_session(component));
	if (is_users) {
		ret->has_uid = parse_user_slice(ret->slice, &ret->uid) ||
		               parse_uid(cgroup_between(component, "user@", ".service"), &ret->uid);
		if (is_session(component))
			ret->session = cgroup_between(component, "session-", ".scope");
	}
	if (is_users)
		ret->container.pod[0] = 0;
	/* The units of a user follow below the user's manager; in old layouts, below a session. */
	if (is_users)
		ret->user_unit = take_unit(&path, &slice, &component);
	if (ret->unit.len)
		parse_machine(ret);
	find_owners(whole, ret);
	if (ret->unit.len && !ret->slice.len)
		ret->slice = root_slice;
}

/* LIST is separated by commas. */
static bool has_controller(struct scan list, const char *name)
{
	struct scan part;

	while (scan_part(&list, ',', &part))
		if (scan_is(&part, name))
			return true;
	return false;
}

/* The hierarchy of a line, "ID:CONTROLLERS:PATH". */
enum hierarchy {
	HIERARCHY_OTHER,
	HIERARCHY_SYSTEMD, /* name=systemd */
	HIERARCHY_MEMORY,  /* v1, with the memory controller */
	HIERARCHY_UNIFIED, /* v2; it has the memory controller if no v1 hierarchy has it */
};

static enum hierarchy take_path(struct scan line, struct cgroup_name *ret_path)
{
	struct scan id, controllers;

	if (!scan_part(&line, ':', &id) || !scan_part(&line, ':', &controllers))
		return HIERARCHY_OTHER;
	*ret_path = (struct cgroup_name){line.at, scan_left(&line)};
	if (scan_is(&controllers, ""))
		return HIERARCHY_UNIFIED;
	if (scan_is(&controllers, "name=systemd"))
		return HIERARCHY_SYSTEMD;
	return has_controller(controllers, "memory") ? HIERARCHY_MEMORY : HIERARCHY_OTHER;
}

/*
 * Whether PATH has no component "..", which would lead out of the reader's cgroup namespace, where
 * nothing can be read.
 */
static bool leads_down(struct cgroup_name path)
{
	struct cgroup_name part;

	while ((part = next_component(&path)).len)
		if (is_up(part))
			return false;
	return true;
}

/* Whether PATH is ABOVE or lies below it. */
static bool cgroup_is_within(struct cgroup_name path, struct cgroup_name above)
{
	return path.len >= above.len && !memcmp(path.text, above.text, above.len) &&
	       (path.len == above.len || path.text[above.len] == '/');
}

/*
 * Keeps, of the paths that find_owners() has set, those that the memory controller has. MEMORY is
 * the process's path there.
 */
static void find_charged(struct cgroup_name memory, struct cgroup *c)
{
	memory = without_mark(memory);
	for (size_t i = 0; i < OWNER_KINDS; i++) {
		struct cgroup_name *at = &c->charged[i];

		if (!at->len || at->len > CGROUP_PATH_MAX || at->text[0] != '/' ||
			!cgroup_is_within(memory, *at) || !leads_down(*at))
			*at = (struct cgroup_name){0};
		else
			at->text = memory.text;
	}
}

static bool is_anybodys(const struct cgroup *c)
{
	return c->unit.len || c->container.name[0] || c->container.pod[0];
}

void cgroup_parse(const char *text, size_t len, struct cgroup *ret)
{
	struct scan all = {text, text + len}, line;
	struct cgroup_name memory = {0};
	bool had_named = false, had_memory = false;

	*ret = (struct cgroup){0};
	while (scan_part(&all, '\n', &line)) {
		struct cgroup_name path;
		enum hierarchy hierarchy = take_path(line, &path);
		struct cgroup found;

		/* The unified line stands last and must not replace what an earlier line named. */
		if (hierarchy == HIERARCHY_SYSTEMD ||
			(hierarchy == HIERARCHY_UNIFIED && !had_named)) {
			parse_path(path, &found);
			if (is_anybodys(&found)) {
				*ret = found;
				had_named = hierarchy == HIERARCHY_SYSTEMD;
			}
		}
		if (hierarchy == HIERARCHY_MEMORY ||
			(hierarchy == HIERARCHY_UNIFIED && !had_memory)) {
			memory = path;
			had_memory = hierarchy == HIERARCHY_MEMORY;
		}
	}
	find_charged(memory, ret);
}
