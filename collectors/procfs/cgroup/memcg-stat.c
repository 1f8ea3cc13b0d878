/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.stat and memory.events have lines "KEY VALUE". In v2 each value includes all cgroups below. In v1 each key is
 * there twice: with "total_" before it, the value includes all cgroups below, else it is of the
 * cgroup alone.
 */
#include "config.h"

#include "collectors/procfs/cgroup/memcg-stat.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/scan.h"
#include "snapshot/record.h"

struct key {
	const char *name;
	enum memcg_stat_field field;
};

static const struct key keys_v1[] = {
	{"total_rss", MEMCG_STAT_ANON},
	{"total_cache", MEMCG_STAT_FILE},
	{"total_shmem", MEMCG_STAT_SHMEM},
	{"total_swap", MEMCG_STAT_SWAP},
};

static const struct key events_v1[] = {
	{"oom_kill", MEMCG_STAT_OOM_KILLS},
};

static const struct key events_v2[] = {
	{"high", MEMCG_STAT_HIGH_EVENTS},
	{"max", MEMCG_STAT_MAX_EVENTS},
	{"oom_kill", MEMCG_STAT_OOM_KILLS},
};

static const struct key keys_v2[] = {
	{"anon", MEMCG_STAT_ANON},
	{"file", MEMCG_STAT_FILE},
	{"shmem", MEMCG_STAT_SHMEM},
	{"kernel", MEMCG_STAT_KERNEL},
};

/* TEXT must be a number as a whole. */
static int parse_bytes(const char *text, size_t len, uint64_t *ret)
{
	return number_parse_u64(text, len, ret) < 0 || *ret > INT64_MAX ? -EBADMSG : 0;
}

/* Returns the entry of a key, NULL if it is not in KEYS. */
static const struct key *find_key(const struct key *keys, size_t count, const struct scan *name)
{
	for (size_t i = 0; i < count; i++)
		if (scan_is(name, keys[i].name))
			return &keys[i];
	return NULL;
}

static bool memcg_stat_parse_line(
	const struct key *keys, size_t count, const struct scan *line, struct memcg_stat *found)
{
	struct scan value = *line, name;
	const struct key *key;
	uint64_t bytes;

	if (!scan_part(&value, ' ', &name) || name.end == line->end)
		return true;
	key = find_key(keys, count, &name);
	if (!key)
		return true;
	if (ROW_HAS(found, key->field) || parse_bytes(value.at, scan_left(&value), &bytes) < 0)
		return false;
	ROW_SET(found, key->field, bytes);
	return true;
}

static void memcg_stat_add(struct memcg_stat *to, const struct memcg_stat *from)
{
	for (unsigned int i = 0; i < MEMCG_STAT_FIELDS; i++)
		if (ROW_HAS(from, i))
			ROW_SET(to, i, from->q[i]);
}

static int memcg_stat_parse_lines(
	const char *text, size_t len, const struct key *keys, size_t count, struct memcg_stat *ret)
{
	struct scan all = {text, text + len}, line;
	struct memcg_stat found = {0};

	while (all.at < all.end)
		if (!scan_line(&all, &line) || !memcg_stat_parse_line(keys, count, &line, &found))
			return -EBADMSG;
	memcg_stat_add(ret, &found);
	return 0;
}

int memcg_stat_parse_stat(
	const char *text, size_t len, enum memcg_stat_version version, struct memcg_stat *ret)
{
	return version == MEMCG_STAT_V1
	               ? memcg_stat_parse_lines(text, len, keys_v1, ARRAY_SIZE(keys_v1), ret)
	               : memcg_stat_parse_lines(text, len, keys_v2, ARRAY_SIZE(keys_v2), ret);
}

int memcg_stat_parse_events(
	const char *text, size_t len, enum memcg_stat_version version, struct memcg_stat *ret)
{
	return version == MEMCG_STAT_V1
	               ? memcg_stat_parse_lines(text, len, events_v1, ARRAY_SIZE(events_v1), ret)
	               : memcg_stat_parse_lines(text, len, events_v2, ARRAY_SIZE(events_v2), ret);
}

int memcg_stat_parse_value(
	const char *text, size_t len, enum memcg_stat_field field, struct memcg_stat *ret)
{
	uint64_t bytes;

	if (!len || text[len - 1] != '\n' || parse_bytes(text, len - 1, &bytes) < 0)
		return -EBADMSG;
	ROW_SET(ret, field, bytes);
	return 0;
}
