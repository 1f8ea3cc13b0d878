/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "collectors/procfs/mountinfo.h"

/* Whatever the text is, each field lies within it and is terminated, and the walk ends. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + !size);
	char *at, *end;
	struct mountinfo m;
	int r;

	if (!text)
		exit(99);
	memcpy(text, data, size);
	at = text;
	end = text + size;
	do {
		char *before = at;

		r = mountinfo_next(&at, end, &m);
		fuzz_check(r == 0 || r == MOUNTINFO_END || r == MOUNTINFO_OTHER || r == -EBADMSG);
		if (r == 0) {
			const char *const told[] = {m.root, m.mountpoint, m.options, m.fstype,
				m.source, m.super_options};

			for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++)
				fuzz_check(told[i] > before && told[i] + strlen(told[i]) < at);
			fuzz_check(*m.root && *m.mountpoint && *m.options && *m.fstype &&
				   *m.super_options);
			mountinfo_has_option(m.super_options, "memory");
		}
		fuzz_check(r == 0 || r == MOUNTINFO_OTHER ? at > before : at == before);
	} while (r == 0 || r == MOUNTINFO_OTHER);
	free(text);
	return 0;
}
