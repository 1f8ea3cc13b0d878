/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "recorder/archive/segment.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/saturate.h"
#include "base/siphash.h"

static_assert(sizeof(struct segment_head) == 48 && sizeof(struct segment_record) == 72,
	"no gaps, and records are aligned");

enum {
	SEGMENTS = 32, /* in the ring of a tier, about; more in tiers of more than 256 MiB */
	SEGMENTS_MAX = 1024,
	SEGMENT_BYTES_MIN = 64 << 10,
	SEGMENT_BYTES_LARGE = 8 << 20,
};

uint64_t segment_bytes_wanted(uint64_t tier_bytes)
{
	uint64_t high = saturate_max(SEGMENT_BYTES_LARGE, tier_bytes / SEGMENTS_MAX);

	return saturate_clamp(tier_bytes / SEGMENTS, SEGMENT_BYTES_MIN, high);
}

/* Finds damage, not forgery: a program that may write the files may also write a check. */
static uint64_t check_of(const void *data, size_t len)
{
	static const struct siphash_key key = {
		{UINT64_C(0x6d656d74616c6c79), UINT64_C(0x2d7265636f726465)}};
	struct siphash s;

	siphash_init(&s, &key);
	siphash_add(&s, data, len);
	return siphash_end(&s);
}

void segment_name(unsigned int tier, uint64_t number, char to[static SEGMENT_NAME_SIZE])
{
	assert(tier < SEGMENT_TIERS_MAX);
	snprintf(to, SEGMENT_NAME_SIZE, "tier%u-%020" PRIu64 ".rec", tier, number);
}

bool segment_parse_name(const char *name, unsigned int *ret_tier, uint64_t *ret_number)
{
	char again[SEGMENT_NAME_SIZE];
	unsigned int tier;
	uint64_t number;

	if (strlen(name) != SEGMENT_NAME_SIZE - 1 || memcmp(name, "tier", 4) != 0 ||
		name[4] < '0' || name[4] >= '0' + SEGMENT_TIERS_MAX ||
		number_parse_u64(name + 6, NUMBER_U64_DIGITS, &number) < 0)
		return false;
	tier = (unsigned int)(name[4] - '0');
	segment_name(tier, number, again);
	if (strcmp(name, again) != 0)
		return false;
	*ret_tier = tier;
	*ret_number = number;
	return true;
}

struct segment_head segment_head_make(unsigned int tier, uint64_t number, uint64_t span_ns)
{
	struct segment_head h = {
		.byte_order = IMAGE_BYTE_ORDER,
		.major = SEGMENT_MAJOR,
		.image_major = IMAGE_MAJOR,
		.head_size = sizeof(h),
		.tier = tier,
		.number = number,
		.span_ns = span_ns,
	};

	memcpy(h.magic, SEGMENT_MAGIC, sizeof(h.magic));
	h.check = check_of(&h, offsetof(struct segment_head, check));
	return h;
}

int segment_head_check(const struct segment_head *h)
{
	if (memcmp(h->magic, SEGMENT_MAGIC, sizeof(h->magic)) != 0)
		return SEGMENT_FOREIGN;
	if (h->byte_order != IMAGE_BYTE_ORDER || h->major != SEGMENT_MAJOR)
		return SEGMENT_NEWER;
	if (h->head_size != sizeof(*h) ||
		h->check != check_of(h, offsetof(struct segment_head, check)))
		return SEGMENT_FOREIGN;
	return h->image_major == IMAGE_MAJOR ? 0 : SEGMENT_NEWER;
}

void segment_record_seal(struct segment_record *r)
{
	r->magic = SEGMENT_RECORD_MAGIC;
	r->check = check_of(r, offsetof(struct segment_record, check));
}

bool segment_record_is_valid(const struct segment_record *r)
{
	return r->magic == SEGMENT_RECORD_MAGIC &&
	       r->check == check_of(r, offsetof(struct segment_record, check));
}
