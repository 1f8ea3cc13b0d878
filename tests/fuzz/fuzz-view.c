/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/image.h"
#include "tests/unit/support/snapshot/walk.h"

/* Fuzzes the reader of snapshot images. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_VIEW struct view *view = NULL;
	AUTO_FREE uint8_t *image = image_open(data, size, &view);
	const char *wrong = view ? walk_view(view) : NULL;

	fuzz_check(image || !view);
	if (wrong)
		fprintf(stderr, "accepted, but: %s\n", wrong);
	fuzz_check(!wrong);
	return 0;
}
