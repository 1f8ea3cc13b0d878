/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <sys/sysmacros.h>

#include "collectors/procfs/host/meminfo.h"
#include "collectors/procfs/procfs.h"

/* Parses the host's files as meminfo, boot time and mounts. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	char *copy;
	struct meminfo m;
	uint64_t btime;
	gid_t gid;
	int r = meminfo_parse(text, size, &m);

	fuzz_check(r == 0 || r == -EBADMSG);
	for (unsigned int i = 0; r == 0 && i < MEMINFO_FIELDS; i++)
		if (m.present >> i & 1)
			fuzz_check(m.q[i] <= INT64_MAX);
	r = procfs_parse_btime(text, size, &btime);
	fuzz_check(r == 0 || r == -EBADMSG);
	copy = malloc(size + 1);
	fuzz_check(copy);
	memcpy(copy, data, size);
	procfs_parse_hidepid(copy, size, NULL, makedev(0, 22), &gid);
	memcpy(copy, data, size);
	procfs_parse_hidepid(copy, size, "/proc", 0, &gid);
	free(copy);
	return 0;
}
