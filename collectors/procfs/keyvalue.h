/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines "Key:   value", the form of most texts in /proc; some values are in "kB". Keys are matched
 * as a whole ("Pss:" is not "Pss_Anon:") and never by position, since kernels add lines. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_PROCFS_KEYVALUE_H
#define MEMTALLY_COLLECTORS_PROCFS_KEYVALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A line: KEY_LEN bytes before the colon, 0 if there is none, and VALUE_LEN bytes after it, without
 * the blanks that follow the colon.
 */
struct keyvalue {
	const char *key;
	size_t key_len;
	const char *value;
	size_t value_len;
};

enum keyvalue_outcome {
	KEYVALUE_END = 1, /* no line is left */
};

/*
 * Reads the line at *AT into RET and moves *AT behind it. END is the end of the text. Returns 0 or
 * KEYVALUE_END; or -EBADMSG if the text ends in the middle of a line: it was cut off.
 */
int keyvalue_next(const char **at, const char *end, struct keyvalue *ret);

struct keyvalue_key {
	const char *name;
	uint8_t len;
	uint8_t id;
};
#define KEYVALUE_KEY(name_, id_)                                                                   \
	{                                                                                          \
		.name = name_, .len = sizeof(name_) - 1, .id = id_                                 \
	}

/*
 * Returns the entry of TABLE (COUNT entries) for LINE's key, or NULL. The search starts at *HINT,
 * which is updated: start with 0. Kernels print keys in the order of the table, so nearly every
 * known key is found at once.
 */
const struct keyvalue_key *keyvalue_find(
	const struct keyvalue *line, const struct keyvalue_key *table, size_t count, size_t *hint);

/*
 * Parses a value "N kB" and sets *RET_BYTES. Returns 0, or -EBADMSG if it is anything else or above
 * INT64_MAX bytes.
 */
int keyvalue_kib(const struct keyvalue *line, uint64_t *ret_bytes);

/*
 * The key of a file's last line. In status and smaps_rollup the kernel prints each key at most
 * once, and ends the text of every process with the same key. So a text that has this key in its
 * last line, up to the newline, is complete, however few bytes each read() returned. The key
 * depends on the kernel: it is learned from texts that were read to their end. Zeroed: none is
 * known.
 */
struct keyvalue_end_key {
	uint8_t len; /* length of .key, with its colon */
	char key[39];
};

/*
 * Returns whether TEXT is complete; false if no key is known. It is a rule for file_read_until()
 * (base/os/file.h): CONTEXT is a struct keyvalue_end_key. Pure.
 */
bool keyvalue_is_whole(const char *text, size_t len, const void *context);

/*
 * Learns the key from TEXT, which was read to its end. Leaves E unchanged if TEXT does not end with
 * a line "Key: value". Pure.
 */
void keyvalue_learn_end(struct keyvalue_end_key *e, const char *text, size_t len);

#endif
