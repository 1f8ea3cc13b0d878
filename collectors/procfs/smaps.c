/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/procfs/smaps.h"

#include <errno.h>
#include <string.h>

#include "base/scan.h"
#include "collectors/procfs/keyvalue.h"

enum {
	SMAPS_LINE_MAX = 1 << 17, /* a path of 4 KiB with each byte escaped, and room */
};

static const struct keyvalue_key keys[] = {
	KEYVALUE_KEY("Rss", SMAPS_RSS),
	KEYVALUE_KEY("Pss", SMAPS_PSS),
	KEYVALUE_KEY("Pss_Anon", SMAPS_PSS_ANON),
	KEYVALUE_KEY("Pss_File", SMAPS_PSS_FILE),
	KEYVALUE_KEY("Pss_Shmem", SMAPS_PSS_SHMEM),
	KEYVALUE_KEY("Shared_Clean", SMAPS_SHARED_CLEAN),
	KEYVALUE_KEY("Shared_Dirty", SMAPS_SHARED_DIRTY),
	KEYVALUE_KEY("Private_Clean", SMAPS_PRIVATE_CLEAN),
	KEYVALUE_KEY("Private_Dirty", SMAPS_PRIVATE_DIRTY),
	KEYVALUE_KEY("Anonymous", SMAPS_ANONYMOUS),
	KEYVALUE_KEY("AnonHugePages", SMAPS_ANON_HUGE),
	KEYVALUE_KEY("ShmemPmdMapped", SMAPS_SHMEM_PMD_MAPPED),
	KEYVALUE_KEY("FilePmdMapped", SMAPS_FILE_PMD_MAPPED),
	KEYVALUE_KEY("Shared_Hugetlb", SMAPS_SHARED_HUGETLB),
	KEYVALUE_KEY("Private_Hugetlb", SMAPS_PRIVATE_HUGETLB),
	KEYVALUE_KEY("SwapPss", SMAPS_SWAP_PSS),
};

/* Parses a line "55d0c000-7ffe1000 ...". */
static int smaps_parse_range(const char *line, size_t len, uint64_t *ret_start, uint64_t *ret_end)
{
	struct scan s = {line, line + len};
	uint64_t start, end;

	if (!scan_hex(&s, &start) || !scan_char(&s, '-') || !scan_hex(&s, &end) ||
		!scan_char(&s, ' ') || end < start)
		return -EBADMSG;
	*ret_start = start;
	*ret_end = end;
	return 0;
}

static void smaps_add_parts(struct smaps_parser *p)
{
	const uint64_t needed = 1 << SMAPS_RSS | 1 << SMAPS_PSS | 1 << SMAPS_ANONYMOUS |
	                        1 << SMAPS_PRIVATE_CLEAN | 1 << SMAPS_PRIVATE_DIRTY;
	const uint64_t *q = p->mapping;
	struct pss_split_mapping m = {
		.rss = q[SMAPS_RSS],
		.pss = q[SMAPS_PSS],
		.anon = q[SMAPS_ANONYMOUS],
		.private = q[SMAPS_PRIVATE_CLEAN] + q[SMAPS_PRIVATE_DIRTY],
		.private_dirty = q[SMAPS_PRIVATE_DIRTY],
	};

	if ((p->mapping_present & needed) == needed)
		pss_split_add(&p->sum.parts, &m, p->mapping_kind);
	else
		p->sum.parts.untold++;
}

/*
 * Ends a mapping. A field is in the sum only if every mapping has it. Pages that are not known to
 * be private may be shared.
 */
static void end_mapping(struct smaps_parser *p)
{
	const uint64_t shared = 1 << SMAPS_SHARED_CLEAN | 1 << SMAPS_SHARED_DIRTY;
	const uint64_t *q = p->mapping;

	if (!p->sum.mappings)
		return;
	p->largest_rss = q[SMAPS_RSS] > p->largest_rss ? q[SMAPS_RSS] : p->largest_rss;
	if (q[SMAPS_SHARED_CLEAN] || q[SMAPS_SHARED_DIRTY] ||
		(p->mapping_present & shared) != shared)
		p->sum.shared_mappings++;
	p->sum.present = p->sum.mappings == 1 ? p->mapping_present
	                                      : p->sum.present & p->mapping_present;
	smaps_add_parts(p);
	p->mapping_present = 0;
	memset(p->mapping, 0, sizeof(p->mapping));
}

/*
 * Parses a mapping's first line. Its path may have a colon, so such lines are recognized by their
 * range.
 */
static int parse_mapping(struct smaps_parser *p, const char *line, size_t len)
{
	uint64_t start, end;
	int r = smaps_parse_range(line, len, &start, &end);

	if (r < 0)
		return r;
	end_mapping(p);
	p->mapping_kind = pss_split_kind_of(line, len);
	if (!p->sum.mappings++)
		p->sum.range_start = start;
	/* [vsyscall] is the kernel's: it is in smaps, but not in the range of smaps_rollup. */
	if (p->sum.mappings == 1 || start <= INT64_MAX)
		p->sum.range_end = end;
	return 0;
}

static int smaps_parse_field(struct smaps_parser *p, const struct keyvalue *line)
{
	const struct keyvalue_key *key = keyvalue_find(line, keys, ARRAY_SIZE(keys), &p->hint);
	uint64_t bytes, bit;

	if (!key)
		return 0; /* a field that is not used here, or of a newer kernel */
	bit = UINT64_C(1) << key->id;
	if (!p->sum.mappings || (p->mapping_present & bit) || keyvalue_kib(line, &bytes) < 0)
		return -EBADMSG;
	p->mapping_present |= bit;
	if (__builtin_add_overflow(p->sum.q[key->id], bytes, &p->sum.q[key->id]) ||
		p->sum.q[key->id] > INT64_MAX)
		return -EBADMSG;
	p->mapping[key->id] = bytes;
	return 0;
}

/* Names of fields begin with a capital; addresses are lower-case hexadecimal. */
static bool is_mapping(const char *line)
{
	return (line[0] >= '0' && line[0] <= '9') || (line[0] >= 'a' && line[0] <= 'f');
}

/* Parses the complete lines of TEXT. Sets *RET_USED to the end of the last one. */
static int parse_lines(struct smaps_parser *p, const char *text, size_t len, size_t *ret_used)
{
	const char *at = text, *end = text + len;

	while (at < end) {
		const char *start = at;
		struct keyvalue line;
		int r = keyvalue_next(&at, end, &line);

		if (r < 0)
			break; /* a line that continues in the next piece */
		r = is_mapping(start) ? parse_mapping(p, start, (size_t)(at - start - 1))
		                      : smaps_parse_field(p, &line);
		if (r < 0)
			return r;
	}
	*ret_used = (size_t)(at - text);
	return 0;
}

void smaps_parser_init(struct smaps_parser *p)
{
	p->sum = (struct smaps){0};
	p->mapping_present = 0;
	memset(p->mapping, 0, sizeof(p->mapping));
	p->mapping_kind = PSS_SPLIT_FILE;
	p->largest_rss = 0;
	p->hint = 0;
	buffer_clear(&p->rest);
}

void smaps_parser_done(struct smaps_parser *p)
{
	buffer_done(&p->rest);
}

/*
 * Completes the line that the last piece began. Sets *RET_USED to how many bytes of TEXT it took.
 */
static int finish_rest(struct smaps_parser *p, const char *text, size_t len, size_t *ret_used)
{
	const char *newline = memchr(text, '\n', len);
	size_t n = newline ? (size_t)(newline - text) + 1 : len, used;
	int r;

	buffer_add(&p->rest, text, n);
	if (p->rest.error)
		return p->rest.error;
	*ret_used = n;
	if (!newline)
		return p->rest.len > SMAPS_LINE_MAX ? -EBADMSG : 0;
	r = parse_lines(p, p->rest.data, p->rest.len, &used);
	buffer_clear(&p->rest);
	return r;
}

int smaps_parser_feed(struct smaps_parser *p, const char *text, size_t len)
{
	size_t used = 0, n;
	int r;

	if (p->rest.len) {
		r = finish_rest(p, text, len, &used);
		if (r < 0)
			return r;
	}
	r = parse_lines(p, text + used, len - used, &n);
	if (r < 0)
		return r;
	used += n;
	if (used < len)
		buffer_add(&p->rest, text + used, len - used);
	return p->rest.error;
}

/*
 * Whether Rss and Pss are there, and neither PSS nor USS is above the RSS. Each field is below
 * 2^63, so two of them do not overflow.
 */
static bool is_plausible(const struct smaps *s)
{
	const uint64_t needed = 1 << SMAPS_RSS | 1 << SMAPS_PSS;

	return (s->present & needed) == needed && s->q[SMAPS_PSS] <= s->q[SMAPS_RSS] &&
	       s->q[SMAPS_PRIVATE_CLEAN] + s->q[SMAPS_PRIVATE_DIRTY] <= s->q[SMAPS_RSS];
}

int smaps_parser_end(struct smaps_parser *p, struct smaps *ret)
{
	end_mapping(p);
	if (p->rest.len || !is_plausible(&p->sum))
		return -EBADMSG;
	*ret = p->sum;
	return 0;
}

int smaps_parse_rollup(const char *text, size_t len, struct smaps *ret)
{
	struct smaps_parser p = {0};
	size_t used;
	int r = parse_lines(&p, text, len, &used);

	if (r < 0)
		return r;
	if (used != len || p.sum.mappings != 1)
		return -EBADMSG;
	return smaps_parser_end(&p, ret);
}

static void smaps_copy(const struct smaps *s, enum smaps_field from, uint64_t *present, uint64_t *q,
	enum process_quantity to)
{
	if (!((s->present >> from) & 1))
		return;
	q[to] = s->q[from];
	*present |= UINT64_C(1) << to;
}

static void smaps_set(uint64_t *present, uint64_t *q, enum process_quantity to, uint64_t value)
{
	q[to] = value;
	*present |= UINT64_C(1) << to;
}

uint64_t smaps_huge_bytes(const struct smaps *s)
{
	uint64_t huge = 0;

	for (unsigned int i = SMAPS_ANON_HUGE; i <= SMAPS_SHMEM_PMD_MAPPED; i++)
		if (__builtin_add_overflow(huge, s->q[i], &huge))
			return s->q[SMAPS_RSS];
	return huge < s->q[SMAPS_RSS] ? huge : s->q[SMAPS_RSS];
}

/*
 * Each rounding takes less than 1 KiB, and as little as 2^-12 bytes. Private pages are whole KiB,
 * so only mappings with shared pages are rounded.
 */
uint64_t smaps_rounding(const struct smaps *s)
{
	uint64_t room = s->q[SMAPS_RSS] - s->q[SMAPS_PSS], rounding;

	if (__builtin_mul_overflow(s->shared_mappings, UINT64_C(1024), &rounding) ||
		rounding > room)
		return room;
	return rounding;
}

void smaps_store(const struct smaps *s, uint64_t *present, uint64_t *q)
{
	const uint64_t private = 1 << SMAPS_PRIVATE_CLEAN | 1 << SMAPS_PRIVATE_DIRTY;
	uint64_t pss = s->q[SMAPS_PSS];

	smaps_copy(s, SMAPS_RSS, present, q, PROCESS_RSS);
	smaps_copy(s, SMAPS_PSS, present, q, PROCESS_PSS);
	smaps_copy(s, SMAPS_PSS_ANON, present, q, PROCESS_PSS_ANON);
	smaps_copy(s, SMAPS_PSS_FILE, present, q, PROCESS_PSS_FILE);
	smaps_copy(s, SMAPS_PSS_SHMEM, present, q, PROCESS_PSS_SHMEM);
	smaps_copy(s, SMAPS_SWAP_PSS, present, q, PROCESS_SWAP_PSS);
	smaps_copy(s, SMAPS_PRIVATE_HUGETLB, present, q, PROCESS_PRIVATE_HUGETLB);
	smaps_copy(s, SMAPS_SHARED_HUGETLB, present, q, PROCESS_SHARED_HUGETLB);
	if ((s->present & private) == private)
		smaps_set(present, q, PROCESS_USS,
			s->q[SMAPS_PRIVATE_CLEAN] + s->q[SMAPS_PRIVATE_DIRTY]);
	smaps_set(present, q, PROCESS_PSS_LOW, pss);
	smaps_set(present, q, PROCESS_PSS_HIGH, pss + smaps_rounding(s));
}
