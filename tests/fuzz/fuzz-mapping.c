/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "inspect/maps/mapping.h"

struct found {
	uint64_t mappings, sum; /* hash of all mappings, in order */
};

static void add(struct found *f, const void *data, size_t len)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < len; i++)
		f->sum = (f->sum ^ bytes[i]) * UINT64_C(0x100000001b3);
}

static int take(const struct mapping *m, void *to)
{
	struct found *f = to;

	fuzz_check(m->start <= m->end && strlen(m->perms) == 4);
	for (unsigned int i = 0; i < MAPPING_FIELDS; i++) {
		fuzz_check(mapping_has(m, (enum mapping_field)i) || !m->q[i]);
		fuzz_check(!mapping_field_is_amount((enum mapping_field)i) || m->q[i] <= INT64_MAX);
		add(f, &m->q[i], sizeof(m->q[i]));
	}
	add(f, &m->present, sizeof(m->present));
	add(f, m->path, m->path_len);
	add(f, m->flags, m->flags_len);
	f->mappings++;
	return 0;
}

/* Parses TEXT in pieces, with the learned layout or line by line. */
static int parse(const char *text, size_t len, size_t piece, bool learns, struct found *ret)
{
	struct mapping_reader r = {
		.take = take, .context = ret, .layout.tries = learns ? 0 : MAPPING_TRIES_MAX};
	int e = 0;

	for (size_t at = 0; e == 0 && at < len; at += piece) {
		size_t n = len - at < piece ? len - at : piece;
		char *room = mapping_reader_room(&r, n);

		if (!room)
			exit(99);
		memcpy(room, text + at, n);
		e = mapping_reader_feed(&r, n);
	}
	if (e == 0)
		e = mapping_reader_end(&r);
	mapping_reader_done(&r);
	fuzz_check(e == 0 || e == -EBADMSG);
	return e;
}

/*
 * The first byte is the size of the pieces. The result is the same for any size and either way of
 * parsing.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data + 1;
	struct found whole = {0}, pieces = {0}, plain = {0};
	int e;

	if (!size)
		return 0;
	e = parse(text, size - 1, size, true, &whole);
	fuzz_check(parse(text, size - 1, data[0] + 1U, true, &pieces) == e);
	fuzz_check(parse(text, size - 1, size, false, &plain) == e);
	if (e == 0)
		fuzz_check(whole.sum == pieces.sum && whole.sum == plain.sum &&
			   whole.mappings == pieces.mappings && whole.mappings == plain.mappings);
	return 0;
}
