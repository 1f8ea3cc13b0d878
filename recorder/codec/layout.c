/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "recorder/codec/layout.h"

#include <string.h>

#define FIELD(type, field)  (offsetof(struct type, field) / sizeof(uint32_t))
#define PRESENT(type)       (offsetof(struct type, present) / sizeof(uint64_t))
#define QUANTITIES(type)    .has_present = true, .present_word = PRESENT(type)
#define IDENTIFIED_BY(a, b) .id = {(a), (b)}

static struct layout_kind of_processes(void)
{
	struct layout_kind k = {
		QUANTITIES(snapshot_process),
		IDENTIFIED_BY(FIELD(snapshot_process, pid), LAYOUT_NO_ID),
		.refs = OWNERS_MAX,
	};

	for (uint16_t i = 0; i < OWNERS_MAX; i++)
		k.ref[i] = (uint16_t)(FIELD(snapshot_process, owner) + i);
	return k;
}

struct layout_kind layout_kind_of(uint32_t kind)
{
	static const struct layout_kind scope = {
		QUANTITIES(snapshot_scope),
		IDENTIFIED_BY(FIELD(snapshot_scope, name), FIELD(snapshot_scope, id)),
		.is_scope = true,
		.refs = 3,
		.ref = {FIELD(snapshot_scope, name), FIELD(snapshot_scope, above),
			FIELD(snapshot_scope, user)},
	};

	switch (kind) {
	case SECTION_HOST: return scope;
	case SECTION_PROCESSES: return of_processes();
	case SECTION_SELF:
		return (struct layout_kind){
			QUANTITIES(snapshot_self),
			IDENTIFIED_BY(LAYOUT_NO_ID, LAYOUT_NO_ID),
			.refs = 1,
			.ref = {FIELD(snapshot_self, version)},
		};
	case SECTION_HOLDINGS:
		return (struct layout_kind){
			QUANTITIES(snapshot_holding),
			IDENTIFIED_BY(FIELD(snapshot_holding, kind), FIELD(snapshot_holding, name)),
			.refs = 1,
			.ref = {FIELD(snapshot_holding, name)},
		};
	case SECTION_FILES:
		return (struct layout_kind){
			QUANTITIES(snapshot_file),
			IDENTIFIED_BY(FIELD(snapshot_file, path), FIELD(snapshot_file, inode)),
			.refs = 1,
			.ref = {FIELD(snapshot_file, path)},
		};
	case SECTION_BALANCE:
	case SECTION_SURVEY:
		return (struct layout_kind){
			QUANTITIES(snapshot_balance), IDENTIFIED_BY(LAYOUT_NO_ID, LAYOUT_NO_ID)};
	default:
		return kind >= SECTION_OWNERS && kind < SECTION_OWNERS + OWNERS_MAX
		               ? scope
		               : (struct layout_kind){IDENTIFIED_BY(LAYOUT_NO_ID, LAYOUT_NO_ID)};
	}
}

static_assert(
	offsetof(struct snapshot_balance, present) == offsetof(struct snapshot_survey, present),
	"both have their mask at the same place");

bool layout_is_same(const struct layout *a, const struct layout *b)
{
	return a->header_size == b->header_size && a->sections == b->sections &&
	       !memcmp(a->section, b->section, a->sections * sizeof(a->section[0]));
}

/* Whether rows of KIND with STRIDE bytes consist of words, and have all fields that are known. */
static bool layout_is_row(uint32_t kind, uint32_t stride)
{
	struct layout_kind k = layout_kind_of(kind);

	if (kind == SECTION_STRINGS)
		return stride == 1;
	if (!stride || stride % sizeof(uint64_t) || stride / sizeof(uint64_t) > LAYOUT_WORDS_MAX)
		return false;
	if (k.has_present && k.present_word >= stride / sizeof(uint64_t))
		return false;
	return !k.is_scope || stride >= offsetof(struct snapshot_scope, q) + sizeof(uint64_t);
}

bool layout_is_valid(const struct layout *l)
{
	unsigned int strings = 0;

	if (l->header_size < sizeof(struct image_header) || l->header_size % IMAGE_ALIGN ||
		l->header_size / sizeof(uint64_t) > LAYOUT_WORDS_MAX || !l->sections ||
		l->sections > IMAGE_SECTIONS_MAX)
		return false;
	for (uint32_t i = 0; i < l->sections; i++) {
		if (!layout_is_row(l->section[i].kind, l->section[i].stride))
			return false;
		strings += l->section[i].kind == SECTION_STRINGS;
	}
	return strings == 1 && l->section[0].kind == SECTION_STRINGS;
}

static size_t layout_aligned(size_t at)
{
	return (at + IMAGE_ALIGN - 1) & ~(size_t)(IMAGE_ALIGN - 1);
}

static bool are_zero(const unsigned char *from, const unsigned char *to)
{
	while (from < to)
		if (*from++)
			return false;
	return true;
}

int layout_parse(const void *image, size_t size, struct layout *ret,
	struct layout_rows ret_rows[static IMAGE_SECTIONS_MAX])
{
	const struct image_header *h = image;
	const unsigned char *bytes = image;
	const struct image_section *table = (const void *)(bytes + h->header_size);
	size_t at = h->header_size + h->section_count * sizeof(*table);

	if (h->section_count > IMAGE_SECTIONS_MAX)
		return LAYOUT_UNUSUAL;
	ret->header_size = h->header_size;
	ret->sections = h->section_count;
	for (uint32_t i = 0; i < h->section_count; i++) {
		size_t end = table[i].offset + table[i].count * table[i].stride;

		if (table[i].offset != at || layout_aligned(end) > size ||
			!are_zero(bytes + end, bytes + layout_aligned(end)))
			return LAYOUT_UNUSUAL;
		ret->section[i].kind = table[i].kind;
		ret->section[i].stride = table[i].stride;
		ret_rows[i] = (struct layout_rows){bytes + at, table[i].count};
		at = layout_aligned(end);
	}
	return at == size && layout_is_valid(ret) ? 0 : LAYOUT_UNUSUAL;
}

size_t layout_write_table(const struct layout *l, const size_t *count, size_t limit,
	struct image_section table[static IMAGE_SECTIONS_MAX])
{
	size_t at = l->header_size + l->sections * sizeof(*table);

	for (uint32_t i = 0; i < l->sections; i++) {
		size_t bytes;

		if (__builtin_mul_overflow(count[i], l->section[i].stride, &bytes) || bytes > limit)
			return 0;
		table[i] = (struct image_section){
			.kind = l->section[i].kind,
			.stride = l->section[i].stride,
			.offset = at,
			.count = count[i],
		};
		at = layout_aligned(at + bytes);
		if (at > limit)
			return 0;
	}
	return at;
}
