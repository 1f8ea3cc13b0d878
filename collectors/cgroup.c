/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A unit's path is "/", slices, the unit, and what the unit has made below itself. A component that
 * would clash with a kernel file has a '_' put before it. In the hybrid layout systemd keeps
 * processes at the same path in name=systemd and in the unified hierarchy.
 */
#include "config.h"

#include "collectors/cgroup.h"

#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"

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

/*
 * Whether NAME is a unit's: of a known type, of allowed characters, and no template. *ret_is_instance:
 * it is one of a template's.
 */
static bool is_unit_name(struct cgroup_name n, bool *ret_is_instance)
{
	static const char *const types[] = {".service", ".scope", ".slice", ".socket", ".mount",
		".swap", ".target", ".device", ".automount", ".timer", ".path"};
	static const char allowed[] = ALPHANUMERIC ":-_.\\@";
	const char *at_sign = memchr(n.text, '@', n.len);
	size_t stem = 0;

	if (n.len > UNIT_NAME_MAX)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(types) && !stem; i++)
		if (has_suffix(n, types[i]))
			stem = n.len - strlen(types[i]);
	if (!stem || at_sign == n.text || at_sign == n.text + stem - 1)
		return false;
	for (size_t i = 0; i < n.len; i++)
		if (!memchr(allowed, n.text[i], sizeof(allowed) - 1))
			return false;
	*ret_is_instance = at_sign != NULL;
	return true;
}

/* The next component of *PATH, which moves past it; len 0 at the end. */
static struct cgroup_name next_component(struct cgroup_name *path)
{
	struct cgroup_name part;
	const char *slash;

	while (path->len && path->text[0] == '/') {
		path->text++;
		path->len--;
	}
	slash = memchr(path->text, '/', path->len);
	part = (struct cgroup_name){path->text, slash ? (size_t)(slash - path->text) : path->len};
	path->text += part.len;
	path->len -= part.len;
	return part;
}

static struct cgroup_name unescape(struct cgroup_name n)
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

/* machine.slice or a slice below it, whose name begins with its. */
static bool is_below_machine_slice(struct cgroup_name slice)
{
	return has_prefix(slice, "machine.") || has_prefix(slice, "machine-");
}

/* The unit at PATH after its slices, and the component as it stands there; PATH moves past it. */
static struct cgroup_name take_unit(
	struct cgroup_name *path, struct cgroup_name *ret_slice, struct cgroup_name *ret_component)
{
	struct cgroup_name part;
	bool is_instance;

	for (;;) {
		*ret_component = next_component(path);
		part = unescape(*ret_component);
		if (!is_slice(part))
			break;
		*ret_slice = part;
	}
	if (has_suffix(part, ".slice") || !is_unit_name(part, &is_instance))
		return (struct cgroup_name){0};
	return part;
}

/* What stands between PREFIX and SUFFIX; len 0: not of that form, or nothing does. */
static struct cgroup_name between(struct cgroup_name n, const char *prefix, const char *suffix)
{
	size_t before = strlen(prefix), after = strlen(suffix);

	if (n.len < before + after || !has_prefix(n, prefix) || !has_suffix(n, suffix))
		return (struct cgroup_name){0};
	return (struct cgroup_name){n.text + before, n.len - before - after};
}

/* A uid that is valid and written the one way. */
static bool parse_uid(struct cgroup_name n, uint32_t *ret)
{
	uint64_t uid;

	if (!n.len || (n.len > 1 && n.text[0] == '0') ||
		number_parse_u64(n.text, n.len, &uid) < 0 || uid >= UINT32_MAX || uid == UINT16_MAX)
		return false;
	*ret = (uint32_t)uid;
	return true;
}

/* The manager of a user. Never escaped. */
static bool is_user_manager(struct cgroup_name n)
{
	uint32_t uid;

	return parse_uid(between(n, "user@", ".service"), &uid);
}

/* A login session. Never escaped. */
static bool is_session(struct cgroup_name n)
{
	static const char alphanumeric[] = ALPHANUMERIC;
	struct cgroup_name id = between(n, "session-", ".scope");

	for (size_t i = 0; i < id.len; i++)
		if (!memchr(alphanumeric, id.text[i], sizeof(alphanumeric) - 1))
			return false;
	return id.len > 0;
}

/* The uid in a user's own slice, "user-1000.slice". */
static bool parse_user_slice(struct cgroup_name slice, uint32_t *ret)
{
	return parse_uid(between(slice, "user-", ".slice"), ret);
}

/* The value of a hexadecimal digit; -1: it is none. */
static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* What a unit's name stands for: "\x2d" is a byte, '-' a slash, which no machine has in its name. */
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

/* Machines are registered with a scope in machine.slice, or are units of systemd-nspawn@.service. */
static void parse_machine(struct cgroup *c)
{
	struct cgroup_name name = between(c->unit, "systemd-nspawn@", ".service");

	if (!name.len && is_below_machine_slice(c->slice))
		name = between(c->unit, "machine-", ".scope");
	if (!name.len || !unescape_machine(name, c->machine))
		c->machine[0] = 0;
}

static void parse_path(struct cgroup_name path, struct cgroup *ret)
{
	static const struct cgroup_name root_slice = {"-.slice", sizeof("-.slice") - 1};
	struct cgroup_name slice = {0}, component;
	bool is_users;

	*ret = (struct cgroup){0};
	if (has_suffix(path, " (deleted)")) /* the cgroup is; the kernel's mark */
		path.len -= strlen(" (deleted)");
	container_parse(path.text, path.len, &ret->container);
	ret->unit = take_unit(&path, &ret->slice, &component);
	is_users = ret->unit.len && (is_user_manager(component) || is_session(component));
	if (is_users) {
		ret->has_uid = parse_user_slice(ret->slice, &ret->uid) ||
		               parse_uid(between(component, "user@", ".service"), &ret->uid);
		if (is_session(component))
			ret->session = between(component, "session-", ".scope");
	}
	if (is_users)
		ret->container.pod[0] = 0;
	/* Below a user manager, and in old layouts below a session, stand the units of the user. */
	if (is_users)
		ret->user_unit = take_unit(&path, &slice, &component);
	if (!ret->unit.len)
		return;
	if (!ret->slice.len)
		ret->slice = root_slice;
	parse_machine(ret);
}

/* A line is "ID:CONTROLLERS:PATH". True for the two hierarchies that can name a unit. */
static bool take_path(const char *line, size_t len, bool *ret_named, struct cgroup_name *ret_path)
{
	const char *first = memchr(line, ':', len), *second;
	struct cgroup_name controllers;

	if (!first)
		return false;
	second = memchr(first + 1, ':', len - (size_t)(first + 1 - line));
	if (!second)
		return false;
	controllers = (struct cgroup_name){first + 1, (size_t)(second - first - 1)};
	*ret_named = controllers.len == sizeof("name=systemd") - 1 &&
	             has_prefix(controllers, "name=systemd");
	*ret_path = (struct cgroup_name){second + 1, len - (size_t)(second + 1 - line)};
	return *ret_named || !controllers.len;
}

void cgroup_parse(const char *text, size_t len, struct cgroup *ret)
{
	const char *end = text + len;
	bool had_named = false;

	*ret = (struct cgroup){0};
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t n = newline ? (size_t)(newline - text) : (size_t)(end - text);
		struct cgroup_name path;
		struct cgroup found;
		bool named;

		if (take_path(text, n, &named, &path)) {
			parse_path(path, &found);
			/* The unified line stands last and must not undo what name=systemd said. */
			if ((found.unit.len || found.container.name[0] || found.container.pod[0]) &&
				(named || !had_named)) {
				*ret = found;
				had_named = named;
			}
		}
		text += n + (newline != NULL);
	}
}
