/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The form that most of /proc's texts have: lines of "Key:   value", some values in "kB". Keys are
 * matched whole, never by position, since kernels add lines and "Pss:" is not "Pss_Anon:". Pure.
 */
#ifndef MEMTALLY_COLLECTORS_LINES_H
#define MEMTALLY_COLLECTORS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line: [key, key + key_len) before the colon, [value, value + value_len) after it and its blanks. */
struct line {
	const char *key;
	size_t key_len;
	const char *value;
	size_t value_len;
};

enum line_outcome {
	LINE_END = 1,   /* no line is left */
	LINE_OTHER = 2, /* not of this form; .value is the whole line */
};

/*
 * Takes the next line from *AT, which moves on. 0, a line_outcome, or -EBADMSG: the text ends in the
 * middle of a line, so it was cut.
 */
int line_next(const char **at, const char *end, struct line *ret);

struct line_key {
	const char *name;
	uint8_t len;
	uint8_t id;
};
#define LINE_KEY(name_, id_)                                                                       \
	{                                                                                          \
		.name = name_, .len = sizeof(name_) - 1, .id = id_                                 \
	}

/*
 * The entry of TABLE for LINE's key, or NULL. *HINT is where to look first; kernels print keys in the
 * table's order, so that nearly every known key is found at once.
 */
const struct line_key *line_find(
	const struct line *line, const struct line_key *table, size_t count, size_t *hint);

/* A value of "N kB", in bytes. -EBADMSG: it is anything else, or beyond 2^63. */
int line_kib(const struct line *line, uint64_t *ret_bytes);

/*
 * The key of a file's last line. The kernel prints each key at most once in status and smaps_rollup, and the same key last in
 * those of every process. So a text with this key in its last line, up to its newline, is complete, however few bytes each
 * read() returned. Which key that is depends on the kernel: it is learned from texts that were read to their end. All
 * zeros: none is known.
 */
struct lines_end {
	uint8_t len; /* of .key, with its colon */
	char key[39];
};

/* A rule for file_read_until() (base/file.h): CONTEXT is a struct lines_end. Returns false if no key is known. Pure. */
bool lines_is_whole(const char *text, size_t len, const void *context);

/* Learns the key from TEXT, which was read to its end. Leaves E unchanged if TEXT does not end with a line "Key: value". Pure. */
void lines_learn_end(struct lines_end *e, const char *text, size_t len);

#endif
