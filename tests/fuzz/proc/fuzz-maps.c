/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "collectors/procfs/maps.h"

static int parse(
	const char *text, size_t len, size_t piece, struct maps_object *ret, size_t *ret_count)
{
	struct maps_parser p;
	int r = 0;

	maps_parser_init(&p);
	for (size_t at = 0; r == 0 && at < len; at += piece)
		r = maps_parser_feed(&p, text + at, len - at < piece ? len - at : piece);
	if (r == 0)
		r = maps_parser_end(&p, ret, ret_count);
	fuzz_check(r == 0 || r == -EBADMSG);
	return r;
}

/* The first byte is the size of the pieces. The segments are the same for any size. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct maps_object whole[MAPS_OBJECTS], pieces[MAPS_OBJECTS];
	const char *text = (const char *)data + 1;
	size_t count, count_pieces;

	if (!size)
		return 0;
	if (parse(text, size - 1, size, whole, &count) < 0) {
		fuzz_check(parse(text, size - 1, data[0] + 1U, pieces, &count_pieces) < 0);
		return 0;
	}
	fuzz_check(parse(text, size - 1, data[0] + 1U, pieces, &count_pieces) == 0);
	fuzz_check(count == count_pieces && count <= MAPS_OBJECTS);
	fuzz_check(!memcmp(whole, pieces, count * sizeof(*whole)));
	for (size_t i = 0; i < count; i++) {
		fuzz_check(whole[i].inode && whole[i].bytes >= MAPS_OBJECT_MIN);
		fuzz_check(!i || whole[i].bytes <= whole[i - 1].bytes);
		for (size_t k = 0; k < i; k++)
			fuzz_check(whole[i].inode != whole[k].inode ||
				   whole[i].device != whole[k].device);
	}
	return 0;
}
