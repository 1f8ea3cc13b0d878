/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/procfs/status.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "collectors/procfs/keyvalue.h"

enum {
	KEY_NAME = PROCESS_QUANTITIES,
	KEY_STATE,
	KEY_PARENT,
	KEY_UID,
	KEY_GID,
	KEY_THREADS,
	KEYS_END,
};

static_assert(KEYS_END <= 64, "status_parse() has a bit for each key");

/*
 * In the kernel's order, which makes keyvalue_find() fast. Ids below KEY_NAME are quantities in kB.
 */
static const struct keyvalue_key keys[] = {
	KEYVALUE_KEY("Name", KEY_NAME),
	KEYVALUE_KEY("State", KEY_STATE),
	KEYVALUE_KEY("PPid", KEY_PARENT),
	KEYVALUE_KEY("Uid", KEY_UID),
	KEYVALUE_KEY("Gid", KEY_GID),
	KEYVALUE_KEY("VmPeak", PROCESS_VM_PEAK),
	KEYVALUE_KEY("VmSize", PROCESS_VM_SIZE),
	KEYVALUE_KEY("VmLck", PROCESS_VM_LCK),
	KEYVALUE_KEY("VmPin", PROCESS_VM_PIN),
	KEYVALUE_KEY("VmHWM", PROCESS_VM_HWM),
	KEYVALUE_KEY("VmRSS", PROCESS_RSS),
	KEYVALUE_KEY("RssAnon", PROCESS_RSS_ANON),
	KEYVALUE_KEY("RssFile", PROCESS_RSS_FILE),
	KEYVALUE_KEY("RssShmem", PROCESS_RSS_SHMEM),
	KEYVALUE_KEY("VmData", PROCESS_VM_DATA),
	KEYVALUE_KEY("VmStk", PROCESS_VM_STK),
	KEYVALUE_KEY("VmExe", PROCESS_VM_EXE),
	KEYVALUE_KEY("VmLib", PROCESS_VM_LIB),
	KEYVALUE_KEY("VmPTE", PROCESS_VM_PTE),
	KEYVALUE_KEY("VmSwap", PROCESS_VM_SWAP),
	KEYVALUE_KEY("Threads", KEY_THREADS),
};

/*
 * The kernel escapes newline as \n and backslash as \\, and nothing else. The name may begin with
 * blanks; only the tab before it is the kernel's.
 */
static void parse_name(const struct keyvalue *line, struct status *ret)
{
	const char *at = line->key + line->key_len + 1, *end = line->value + line->value_len;
	size_t n = 0;

	if (at < end && *at == '\t')
		at++;
	for (; at < end && n < STATUS_NAME_SIZE - 1; at++) {
		char c = *at;

		if (c == '\\' && at + 1 < end) {
			at++;
			c = *at == 'n' ? '\n' : *at;
		}
		ret->name[n++] = c;
	}
	ret->name_len = n;
}

/* Parses "real effective saved filesystem". */
static int parse_ids(const struct keyvalue *line, uint32_t *ret_real, uint32_t *ret_effective)
{
	const char *at = line->value, *end = at + line->value_len;
	uint64_t id[2];

	for (size_t i = 0; i < ARRAY_SIZE(id); i++) {
		int n = number_scan_u64(at, (size_t)(end - at), &id[i]);

		if (n <= 0 || at + n == end || at[n] != '\t' || id[i] > UINT32_MAX)
			return -EBADMSG;
		at += n + 1;
	}
	*ret_real = (uint32_t)id[0];
	*ret_effective = (uint32_t)id[1];
	return 0;
}

static int parse_parent(const struct keyvalue *line, struct status *ret)
{
	uint64_t pid;

	if (number_parse_u64(line->value, line->value_len, &pid) < 0 || pid > INT32_MAX)
		return -EBADMSG;
	ret->parent = (pid_t)pid;
	return 0;
}

static int parse_threads(const struct keyvalue *line, struct status *ret)
{
	uint64_t threads;

	if (number_parse_u64(line->value, line->value_len, &threads) < 0 || threads > UINT32_MAX)
		return -EBADMSG;
	ret->threads = (uint32_t)threads;
	ROW_SET(ret, PROCESS_THREADS, threads);
	return 0;
}

static int status_parse_line(const struct keyvalue *line, unsigned int id, struct status *ret)
{
	uint64_t bytes;

	switch (id) {
	case KEY_NAME: parse_name(line, ret); return 0;
	case KEY_STATE: ret->state = line->value_len ? line->value[0] : 0; return 0;
	case KEY_PARENT: return parse_parent(line, ret);
	case KEY_UID: return parse_ids(line, &ret->ruid, &ret->uid);
	case KEY_GID: return parse_ids(line, &ret->rgid, &ret->gid);
	case KEY_THREADS: return parse_threads(line, ret);
	default:
		if (keyvalue_kib(line, &bytes) < 0)
			return -EBADMSG;
		ROW_SET(ret, id, bytes);
		return 0;
	}
}

int status_parse(const char *text, size_t len, struct status *ret)
{
	const char *end = text + len;
	struct status status = {.parent = -1, .gid = OWNER_NO_ID, .rgid = OWNER_NO_ID};
	uint64_t seen = 0;
	size_t hint = 0, left = ARRAY_SIZE(keys);

	while (left) { /* nothing after the last known line is needed */
		const struct keyvalue_key *key;
		struct keyvalue line;
		int r = keyvalue_next(&text, end, &line);

		if (r == KEYVALUE_END)
			break;
		if (r < 0)
			return r;
		key = keyvalue_find(&line, keys, ARRAY_SIZE(keys), &hint);
		if (!key)
			continue;
		if ((seen >> key->id) & 1)
			return -EBADMSG;
		seen |= UINT64_C(1) << key->id;
		left--;
		r = status_parse_line(&line, key->id, &status);
		if (r < 0)
			return r;
	}
	if (!((seen >> KEY_NAME) & 1) || !((seen >> KEY_UID) & 1))
		return -EBADMSG;
	status.has_mm = ROW_HAS(&status, PROCESS_VM_SIZE);
	*ret = status;
	return 0;
}
