/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include "base/text.h"
#include "collectors/process/program-name.h"

/* The input is comm up to the first NUL, and the target of exe behind it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *comm = (const char *)data, *nul = size ? memchr(data, 0, size) : NULL;
	AUTO_BUFFER struct buffer name = {0};

	if (nul)
		program_name_make(comm, (size_t)(nul - comm), nul + 1,
			size - (size_t)(nul - comm) - 1, &name);
	else
		program_name_make(comm, size, NULL, 0, &name);
	fuzz_check(!name.error && text_is_clean(name.data, name.len));
	return 0;
}
