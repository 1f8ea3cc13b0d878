/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "base/os/userns.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/os/file.h"
#include "base/scan.h"

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

/*
 * A line of uid_map has three numbers: the first uid inside, the first uid outside, and how many.
 */
bool userns_parse_is_root_outside(const char *text, size_t len)
{
	struct scan all = {text, text + len}, line;

	while (all.at < all.end) {
		uint64_t inside, outside;

		if (!scan_line(&all, &line)) {
			line = all;
			all.at = all.end;
		}
		scan_blanks(&line);
		if (!scan_decimal(&line, &inside) || inside != 0)
			continue;
		scan_blanks(&line);
		return !scan_decimal(&line, &outside) || outside == 0;
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
