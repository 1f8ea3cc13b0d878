/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "base/userns.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

/* Where the kernel has no user namespaces, there is the host's own. */
uint64_t userns_id(void)
{
	struct stat st;

	if (stat("/proc/self/ns/user", &st) == 0)
		return st.st_ino;
	return errno == ENOENT && stat("/proc/self/ns", &st) == 0 ? USERNS_INITIAL : 0;
}

/* Only a map of all uids has their number in it. */
bool userns_parse_has_unmapped(const char *text, size_t len)
{
	static const char all[] = "4294967295";

	return !memmem(text, len, all, sizeof(all) - 1);
}

/* Without the file the kernel has no user namespaces. */
bool userns_has_unmapped(void)
{
	char text[4096];
	size_t len;
	int r = file_read(AT_FDCWD, "/proc/self/uid_map", text, sizeof(text), &len);

	if (r < 0)
		return r != -ENOENT;
	return userns_parse_has_unmapped(text, len);
}
