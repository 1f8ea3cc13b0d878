/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "base/cleanup.h"
#include "collectors/procfs/smaps.h"

static int parse(const char *text, size_t len, size_t piece, struct smaps *ret)
{
	CLEANUP(smaps_parser_done) struct smaps_parser p = {0};
	int r = 0;

	smaps_parser_init(&p);
	for (size_t at = 0; r == 0 && at < len; at += piece)
		r = smaps_parser_feed(&p, text + at, len - at < piece ? len - at : piece);
	if (r == 0)
		r = smaps_parser_end(&p, ret);
	fuzz_check(r == 0 || r == -EBADMSG);
	return r;
}

/* The parts add up for any value of the counter. */
static void check_parts(const struct smaps *s, const uint64_t *rss_shmem)
{
	struct pss_split_found f;

	if (pss_split_solve(&s->parts, rss_shmem, smaps_rounding(s), &f) == PSS_SPLIT_NONE)
		return;
	fuzz_check(f.anon <= s->q[SMAPS_ANONYMOUS]);
	fuzz_check(f.anon + f.file + f.shmem == s->q[SMAPS_PSS]);
	fuzz_check(!rss_shmem || f.shmem <= *rss_shmem);
}

/* The first byte is the size of the pieces. The sums are the same for any size. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data + 1;
	struct snapshot_process row = {0};
	struct smaps whole = {0}, pieces = {0};

	if (!size)
		return 0;
	if (parse(text, size - 1, size, &whole) < 0) {
		fuzz_check(parse(text, size - 1, data[0] + 1U, &pieces) < 0);
		return 0;
	}
	fuzz_check(parse(text, size - 1, data[0] + 1U, &pieces) == 0);
	fuzz_check(!memcmp(&whole, &pieces, sizeof(whole)));
	fuzz_check(whole.mappings && whole.shared_mappings <= whole.mappings);
	smaps_store(&whole, &row.present, row.q);
	if (ROW_HAS(&row, PROCESS_PSS))
		fuzz_check(row.q[PROCESS_PSS_LOW] <= row.q[PROCESS_PSS] &&
			   row.q[PROCESS_PSS] <= row.q[PROCESS_PSS_HIGH]);
	check_parts(&whole, NULL);
	check_parts(&whole, &(uint64_t){(uint64_t)data[0] << 12});
	for (unsigned int i = 0; i < PROCESS_QUANTITIES; i++)
		fuzz_check(!ROW_HAS(&row, i) || row.q[i] <= INT64_MAX);
	return 0;
}
