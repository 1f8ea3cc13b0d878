/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "base/os/userns.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/number.h"
#include "base/os/file.h"

uint64_t userns_id(void)
{
	struct stat st;

	if (stat("/proc/self/ns/user", &st) == 0)
		return st.st_ino;
	return errno == ENOENT && stat("/proc/self/ns", &st) == 0 ? USERNS_INITIAL : 0;
}

/* Only a map of all uids contains their count. */
bool userns_parse_has_unmapped(const char *text, size_t len)
{
	static const char all[] = "4294967295";

	return !memmem(text, len, all, sizeof(all) - 1);
}

bool userns_has_unmapped(void)
{
	char text[4096];
	size_t len;
	int r = file_read(AT_FDCWD, "/proc/self/uid_map", text, sizeof(text), &len);

	if (r < 0)
		return r != -ENOENT;
	return userns_parse_has_unmapped(text, len);
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && *at == ' ')
		at++;
	return at;
}

/*
 * A line of uid_map has three numbers: the first uid inside, the first uid outside, and how many.
 */
bool userns_parse_is_root_outside(const char *text, size_t len)
{
	for (const char *at = text, *end = text + len, *next; at < end; at = next) {
		uint64_t inside, outside;
		int n;

		next = memchr(at, '\n', (size_t)(end - at));
		next = next ? next + 1 : end;
		at = skip_blanks(at, next);
		n = number_scan_u64(at, (size_t)(next - at), &inside);
		if (n <= 0 || inside != 0)
			continue;
		at = skip_blanks(at + n, next);
		return number_scan_u64(at, (size_t)(next - at), &outside) <= 0 || outside == 0;
	}
	return false;
}

bool userns_is_root_outside(void)
{
	char text[4096];
	size_t len;

	return file_read(AT_FDCWD, "/proc/self/uid_map", text, sizeof(text), &len) < 0 ||
	       userns_parse_is_root_outside(text, len);
}
