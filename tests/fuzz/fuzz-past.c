/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include "snapshot/past.h"

/* Fuzzes the clients' check of answers of memtally-recorder. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_BUFFER struct buffer aligned = {0}, again = {0};
	const struct past_point *points = NULL;
	struct past_head head;

	buffer_add(&aligned, data, size);
	if (aligned.error || past_answer_parse(aligned.data, size, &head, &points) < 0)
		return 0;
	fuzz_check(head.status < PAST_STATUS_END && head.points <= PAST_POINTS_MAX);
	for (uint32_t i = 0; i < head.points; i++)
		fuzz_check(points[i].low <= points[i].high &&
			   (!i || points[i - 1].at_ns < points[i].at_ns));
	/* Every accepted answer has exactly one encoding. */
	past_answer_write(&head, points, &again);
	fuzz_check(!again.error && again.len == size && !memcmp(again.data, data, size));
	return 0;
}
