/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "daemon/memory-lock.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/os/file.h"
#include "base/scan.h"

enum { MAPS_MAX = 1 << 20 };

/* "7f12a000-7f12c000 rw-p 00000000 08:01 1234    /usr/lib/x.so" */
enum memory_lock_part memory_lock_parse(
	const char *line, size_t len, uint64_t *ret_begin, uint64_t *ret_end)
{
	struct scan s = {line, line + len}, rights, word;
	uint64_t begin, end, inode;

	if (!scan_hex(&s, &begin) || !scan_char(&s, '-') || !scan_hex(&s, &end) || begin >= end)
		return MEMORY_LOCK_NONE;
	if (!scan_word(&s, &rights) || !scan_word(&s, &word) || !scan_word(&s, &word))
		return MEMORY_LOCK_NONE;
	scan_blanks(&s);
	if (!scan_decimal(&s, &inode))
		return MEMORY_LOCK_NONE;
	scan_blanks(&s);
	*ret_begin = begin;
	*ret_end = end;
	/* A locked stack cannot grow beyond the limit of locked memory. */
	if (scan_is(&rights, "rw-p"))
		return scan_is(&s, "[stack]") ? MEMORY_LOCK_NONE : MEMORY_LOCK_DATA;
	if (inode && (scan_is(&rights, "r-xp") || scan_is(&rights, "r--p")))
		return MEMORY_LOCK_CODE;
	return MEMORY_LOCK_NONE;
}

/* Calls CHANGE for each mapping of PART. Returns the bytes of those for which it returned 0. */
static uint64_t each_mapping(enum memory_lock_part part, int (*change)(void *, size_t))
{
	AUTO_BUFFER struct buffer text = {0};
	uint64_t begin = 0, end = 0, bytes = 0;
	struct scan all, line;

	if (file_read_all(AT_FDCWD, "/proc/self/maps", MAPS_MAX, &text) < 0)
		return 0;
	all = (struct scan){text.data, text.data + text.len};
	while (all.at < all.end && scan_line(&all, &line))
		if (memory_lock_parse(line.at, scan_left(&line), &begin, &end) == part &&
			change((void *)(uintptr_t)begin, end - begin) == 0)
			bytes += end - begin;
	return bytes;
}

static int lock_used(void *at, size_t bytes)
{
	return mlock2(at, bytes, MLOCK_ONFAULT);
}

static int unlock_all(void *at, size_t bytes)
{
	return munlock(at, bytes);
}

uint64_t memory_lock(enum memory_lock_part part)
{
	return each_mapping(part, lock_used);
}

void memory_unlock(enum memory_lock_part part)
{
	(void)each_mapping(part, unlock_all);
}
