/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "recorder/codec/delta.h"
#include "recorder/codec/layout.h"
#include "recorder/codec/model.h"
#include "snapshot/view.h"
#include "tests/unit/support/snapshot/sample.h"

enum { LIMIT = 1 << 22 };

/* Sets M to the model of the sample of the unit tests. */
static void begin_with_sample(struct model *m)
{
	static struct view *sample;
	struct layout_rows rows[IMAGE_SECTIONS_MAX];
	AUTO_DELTA struct delta d = {0};
	AUTO_BUFFER struct buffer first = {0};
	struct layout layout;

	if (!sample)
		sample = sample_open(NULL);
	fuzz_check(layout_parse(sample->data, sample->size, &layout, rows) == 0);
	fuzz_check(model_begin(m, &layout) == 0);
	fuzz_check(delta_make(&d, m, sample->data, rows, &first) == 0);
	fuzz_check(delta_apply(m, first.data, first.len, LIMIT) == 0);
}

/*
 * Fuzzes a difference, as it is after decompression, which has a checksum. The input is applied to
 * the model of the sample, twice.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_MODEL struct model m = {0};
	AUTO_BUFFER struct buffer image = {0};

	begin_with_sample(&m);
	for (unsigned int i = 0; i < 2; i++) {
		int r = delta_apply(&m, data, size, LIMIT);

		fuzz_check(r == 0 || r == -EBADMSG || r == -EFBIG);
		if (r < 0)
			return 0;
		r = model_write(&m, LIMIT, &image);
		fuzz_check(r == 0 || r == -EBADMSG || r == -EFBIG);
		if (r == 0) {
			AUTO_VIEW struct view *view = NULL;
			const char *reason;

			view_from_bytes(image.data, image.len, &view, &reason);
		}
	}
	return 0;
}
