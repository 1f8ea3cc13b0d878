/* SPDX-License-Identifier: Apache-2.0 */
/* The check of a whole image, before any of it is used. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "snapshot/owner.h"
#include "snapshot/view-private.h"

static int view_refuse(const char **ret_reason, const char *reason)
{
	*ret_reason = reason;
	return -EBADMSG;
}

static int view_check_header(const struct view *v, const char **ret_reason)
{
	const struct image_header *h = v->header;

	if (v->size < sizeof(*h))
		return view_refuse(ret_reason, "shorter than a header");
	if (memcmp(h->magic, IMAGE_MAGIC, sizeof(h->magic)) != 0)
		return view_refuse(ret_reason, "not a memtally snapshot");
	if (h->byte_order != IMAGE_BYTE_ORDER)
		return view_refuse(ret_reason, "another byte order");
	if (h->major != IMAGE_MAJOR) {
		*ret_reason = "another major version";
		return -EPROTO;
	}
	if (h->image_size != v->size)
		return view_refuse(ret_reason, "size differs from the header's");
	if (h->header_size < sizeof(*h) || h->header_size % IMAGE_ALIGN || h->header_size > v->size)
		return view_refuse(ret_reason, "bad header size");
	if (!h->section_count || h->section_count > IMAGE_SECTIONS_MAX ||
		h->section_count > (v->size - h->header_size) / sizeof(struct image_section))
		return view_refuse(ret_reason, "bad number of sections");
	if (!h->sequence || h->sequence > INT64_MAX)
		return view_refuse(ret_reason, "an impossible sequence");
	if (h->stale_ns < h->boottime_ns || h->boottime_ns < h->pass_begin_ns || !h->interval_ns ||
		h->interval_ns > INT64_MAX || h->realtime_ns > INT64_MAX || h->stale_ns > INT64_MAX)
		return view_refuse(ret_reason, "impossible times");
	return 0;
}

/* The size of rows of a kind of section in this version. */
struct layout {
	uint32_t size; /* of a row in bytes; 0: this version does not know the kind */
	/* Offset of the quantities, which follow their mask; equal to .size: the row has none */
	uint32_t head;
};

#define ROWS(type) ((struct layout){sizeof(struct type), offsetof(struct type, q)})

static struct layout layout_of(uint32_t kind)
{
	switch (kind) {
	case SECTION_STRINGS: return (struct layout){1, 1};
	case SECTION_HOST: return ROWS(snapshot_scope);
	case SECTION_PROCESSES: return ROWS(snapshot_process);
	case SECTION_SELF: return ROWS(snapshot_self);
	case SECTION_HISTOGRAMS:
		return (struct layout){
			sizeof(struct snapshot_histogram), sizeof(struct snapshot_histogram)};
	case SECTION_BALANCE: return ROWS(snapshot_balance);
	case SECTION_HOLDINGS: return ROWS(snapshot_holding);
	case SECTION_SURVEY: return ROWS(snapshot_survey);
	case SECTION_FILES: return ROWS(snapshot_file);
	default:
		return kind >= SECTION_OWNERS && kind < SECTION_OWNERS + OWNER_KINDS
		               ? ROWS(snapshot_scope)
		               : (struct layout){0};
	}
}

uint32_t view_row_size(enum image_section_kind kind)
{
	return layout_of(kind).size;
}

/*
 * Copies the rows of section S, which an older minor version made shorter, into rows of this
 * version's size. Quantities that they lack are absent. The view owns the copy, which is at most
 * twice as long as the section.
 */
static int view_widen(
	struct view *v, const struct image_section *s, struct layout l, const char **ret_reason)
{
	unsigned int quantities = (s->stride - l.head) / (unsigned int)sizeof(uint64_t);
	unsigned char *rows = calloc(s->count ? s->count : 1, l.size);

	if (!rows) {
		*ret_reason = "out of memory";
		return -ENOMEM;
	}
	v->widened[s->kind] = rows;
	for (uint64_t i = 0; i < s->count; i++) {
		unsigned char *row = rows + i * l.size;
		uint64_t present;

		memcpy(row, v->data + s->offset + i * s->stride, s->stride);
		memcpy(&present, row + l.head - sizeof(present), sizeof(present));
		if (present >> quantities)
			return view_refuse(ret_reason, "a quantity behind the end of its row");
	}
	v->section[s->kind] = (struct view_section){
		.data = rows, .stride = l.size, .count = (uint32_t)s->count};
	return 0;
}

/*
 * Whether rows of STRIDE bytes may be those of an older minor version: with fewer quantities, but
 * at least half as long as rows of this one.
 */
static bool view_is_older(uint32_t stride, struct layout l)
{
	return l.head < l.size && stride < l.size && stride >= l.head && stride >= l.size / 2 &&
	       stride % IMAGE_ALIGN == 0;
}

static int check_section(struct view *v, const struct image_section *s, uint64_t floor,
	uint64_t *ret_end, const char **ret_reason)
{
	struct layout l = layout_of(s->kind);
	uint64_t bytes, end;

	if (!s->stride || __builtin_mul_overflow(s->count, s->stride, &bytes) ||
		__builtin_add_overflow(s->offset, bytes, &end) || end > v->size)
		return view_refuse(ret_reason, "a section reaches past the end");
	if (s->offset < floor)
		return view_refuse(ret_reason, "sections overlap or are out of order");
	if (s->offset % IMAGE_ALIGN)
		return view_refuse(ret_reason, "a section is not aligned");
	*ret_end = end;
	if (!l.size)
		return 0; /* from a newer minor version: ignored */
	if (s->count > UINT32_MAX)
		return view_refuse(ret_reason, "too many rows");
	if (v->section[s->kind].data)
		return view_refuse(ret_reason, "a section stands twice");
	if (view_is_older(s->stride, l))
		return view_widen(v, s, l, ret_reason);
	if (s->stride < l.size || (l.size > 1 ? s->stride % IMAGE_ALIGN : s->stride != 1))
		return view_refuse(ret_reason, "rows are too short");
	v->section[s->kind] = (struct view_section){
		.data = v->data + s->offset,
		.stride = s->stride,
		.count = (uint32_t)s->count,
	};
	return 0;
}

static int check_sections(struct view *v, const char **ret_reason)
{
	const struct image_header *h = v->header;
	const struct image_section *table = (const void *)(v->data + h->header_size);
	uint64_t floor = h->header_size + h->section_count * sizeof(*table);

	for (uint32_t i = 0; i < h->section_count; i++) {
		int r = check_section(v, &table[i], floor, &floor, ret_reason);

		if (r < 0)
			return r;
	}
	if (v->section[SECTION_HOST].count != 1 || v->section[SECTION_SELF].count != 1)
		return view_refuse(ret_reason, "host and self need one row each");
	if (v->section[SECTION_BALANCE].count > 1)
		return view_refuse(ret_reason, "two balances");
	if (!v->section[SECTION_BALANCE].count)
		v->section[SECTION_BALANCE].data = NULL;
	if (v->section[SECTION_SURVEY].count > 1)
		return view_refuse(ret_reason, "two surveys");
	if (!v->section[SECTION_SURVEY].count)
		v->section[SECTION_SURVEY].data = NULL;
	for (unsigned int kind = 0; kind < OWNER_KINDS; kind++)
		if (!v->section[SECTION_OWNERS + kind].data)
			return view_refuse(ret_reason, "a section is missing");
	if (v->section[SECTION_PROCESSES].count && view_is_public(v))
		return view_refuse(ret_reason, "a public image with rows of processes");
	if (v->section[SECTION_FILES].count && view_is_public(v))
		return view_refuse(ret_reason, "a public image with rows of files");
	if (v->section[SECTION_FILES].count && view_is_own(v))
		return view_refuse(ret_reason, "an image for one user with rows of files");
	return 0;
}

static int check_strings(const struct view *v, const char **ret_reason)
{
	const struct view_section *s = &v->section[SECTION_STRINGS];
	const char *text = (const char *)s->data;
	size_t at = 0;

	if (!s->count || text[0] || text[s->count - 1])
		return view_refuse(ret_reason, "the string table is not closed");
	while (at < s->count) {
		size_t len = strlen(text + at);

		if (!text_is_clean(text + at, len))
			return view_refuse(ret_reason, "a name is not clean text");
		at += len + 1;
	}
	return 0;
}

/* Whether REF is a name: a string begins there, at 0 or after the end of a string. */
static bool view_is_name(const struct view *v, uint32_t ref)
{
	const struct view_section *s = &v->section[SECTION_STRINGS];

	return ref < s->count && (ref == 0 || s->data[ref - 1] == 0);
}

/* Returns the mask of the quantities of SCOPE that are of KIND. */
static uint64_t view_mask_of(enum metric_scope scope, enum metric_kind kind)
{
	size_t count;
	const struct metric *m = metric_table(scope, &count);
	uint64_t mask = 0;

	for (size_t i = 0; i < count; i++)
		if (m[i].kind == kind)
			mask |= UINT64_C(1) << m[i].index;
	return mask;
}

/* Masks of the quantities of a scope that are doubles, and of those that may be negative. */
struct types {
	uint64_t real, is_signed;
};

static struct types types_of(enum metric_scope scope)
{
	uint64_t signed_real = view_mask_of(scope, METRIC_SIGNED_REAL);

	return (struct types){
		.real = signed_real | view_mask_of(scope, METRIC_REAL),
		.is_signed = signed_real | view_mask_of(scope, METRIC_SIGNED),
	};
}

/*
 * Returns the bits of PRESENT below KNOWN. The others are from a newer minor version and are not
 * checked.
 */
static uint64_t known_of(uint64_t present, unsigned int known)
{
	return known < 64 ? present & ((UINT64_C(1) << known) - 1) : present;
}

static bool is_quantity(uint64_t bits, bool is_real, bool is_signed)
{
	double value = metric_real(bits);

	if (is_real)
		return isfinite(value) && (is_signed || value >= 0);
	return is_signed ? (int64_t)bits != INT64_MIN : bits <= INT64_MAX;
}

static bool are_quantities(
	uint64_t present, const uint64_t *q, unsigned int known, struct types types)
{
	present = known_of(present, known);
	for (; present; present &= present - 1) {
		unsigned int i = (unsigned int)__builtin_ctzll(present);

		if (!is_quantity(q[i], (types.real >> i) & 1, (types.is_signed >> i) & 1))
			return false;
	}
	return true;
}

/* Checks the quantities of all rows of SCOPE, which has KNOWN quantities. */
static int check_quantities(
	const struct view *v, enum metric_scope scope, unsigned int known, const char **ret_reason)
{
	const struct view_section *s = &v->section[view_section_kind(scope)];
	size_t head = layout_of(view_section_kind(scope)).head;
	struct types types = types_of(scope);

	for (uint32_t i = 0; i < s->count; i++) {
		const uint64_t *q = (const void *)(s->data + (size_t)s->stride * i + head);

		if (!are_quantities(q[-1], q, known, types)) /* the mask is before them */
			return view_refuse(ret_reason, "an impossible quantity");
	}
	return 0;
}

static int check_scope(const struct view *v, enum metric_scope scope, const char **ret_reason)
{
	unsigned int others = 0;

	for (uint32_t i = 0; i < view_count(v, scope); i++) {
		const struct snapshot_scope *row = view_scope(v, scope, i);

		if (!view_is_name(v, row->name) || !view_is_name(v, row->above) ||
			!view_is_name(v, row->user) || row->created_ns > INT64_MAX)
			return view_refuse(ret_reason, "a row without a name or a time");
		if (metric_is_owner(scope) && owner_of(metric_owner_kind(scope))->words &&
			row->id >= owner_of(metric_owner_kind(scope))->ids)
			return view_refuse(ret_reason, "an unknown id");
		others += (row->flags & SCOPE_OTHER) != 0;
	}
	return others > 1 ? view_refuse(ret_reason, "two (other) rows")
	                  : check_quantities(v, scope, SCOPE_QUANTITIES, ret_reason);
}

static bool are_owners(const struct view *v, const struct snapshot_process *row)
{
	for (unsigned int kind = 0; kind < OWNER_KINDS; kind++)
		if (!view_is_name(v, row->owner[kind]))
			return false;
	return true;
}

static int view_check_processes(const struct view *v, const char **ret_reason)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < view_count(v, METRIC_PROCESS); i++) {
		const struct snapshot_process *row = view_process(v, i);

		if (row->pid <= last || row->pid > INT32_MAX || row->mm_pid > INT32_MAX ||
			row->ppid > INT32_MAX)
			return view_refuse(ret_reason, "processes are not in order");
		last = row->pid;
		if (!are_owners(v, row))
			return view_refuse(ret_reason, "a process without a name");
		if (row->source >= SOURCE_COUNT_ || row->outcome >= OUTCOME_COUNT_)
			return view_refuse(ret_reason, "an unknown source or outcome");
	}
	return check_quantities(v, METRIC_PROCESS, PROCESS_QUANTITIES, ret_reason);
}

static int check_self(const struct view *v, const char **ret_reason)
{
	if (!view_is_name(v, view_self(v)->version))
		return view_refuse(ret_reason, "an impossible quantity");
	return check_quantities(v, METRIC_SELF, SELF_QUANTITIES, ret_reason);
}

static int check_holdings(const struct view *v, const char **ret_reason)
{
	static const unsigned int known[HOLDING_KINDS] = {
		[HOLDING_SHMEM] = SHMEM_QUANTITIES,
		[HOLDING_TMPFS] = TMPFS_QUANTITIES,
	};

	for (uint32_t i = 0; i < view_holding_count(v); i++) {
		const struct snapshot_holding *row = view_holding(v, i);

		if (!view_is_name(v, row->name))
			return view_refuse(ret_reason, "a row without a name or a time");
		if (row->kind < HOLDING_KINDS &&
			!are_quantities(row->present, row->q, known[row->kind], (struct types){0}))
			return view_refuse(ret_reason, "an impossible quantity");
	}
	return 0;
}

static int check_files(const struct view *v, const char **ret_reason)
{
	for (uint32_t i = 0; i < view_count(v, METRIC_FILE); i++) {
		const struct snapshot_file *row = view_file(v, i);

		if (!view_is_name(v, row->path))
			return view_refuse(ret_reason, "a file without a path");
	}
	return check_quantities(v, METRIC_FILE, FILE_QUANTITIES, ret_reason);
}

static int check_histograms(const struct view *v, const char **ret_reason)
{
	bool seen[HISTOGRAM_COUNT_] = {false};

	for (uint32_t i = 0; i < v->section[SECTION_HISTOGRAMS].count; i++) {
		const struct snapshot_histogram *h = view_histogram(v, i);
		uint64_t sum = 0;

		if (h->id >= HISTOGRAM_COUNT_)
			continue; /* from a newer minor version */
		if (seen[h->id])
			return view_refuse(ret_reason, "a histogram stands twice");
		seen[h->id] = true;
		for (size_t k = 0; k < HISTOGRAM_BUCKETS; k++)
			if (__builtin_add_overflow(sum, h->bucket[k], &sum))
				return view_refuse(ret_reason, "an impossible histogram");
		if (sum != h->count || h->count > INT64_MAX || h->sum_ns > INT64_MAX)
			return view_refuse(ret_reason, "an impossible histogram");
	}
	return 0;
}

int view_check(struct view *v, const char **ret_reason)
{
	int r = view_check_header(v, ret_reason);

	if (r == 0)
		r = check_sections(v, ret_reason);
	if (r == 0)
		r = check_strings(v, ret_reason);
	for (int scope = METRIC_HOST; r == 0 && scope < METRIC_OWNERS_END; scope++)
		r = check_scope(v, (enum metric_scope)scope, ret_reason);
	if (r == 0)
		r = view_check_processes(v, ret_reason);
	if (r == 0)
		r = check_self(v, ret_reason);
	if (r == 0)
		r = check_histograms(v, ret_reason);
	if (r == 0)
		r = check_quantities(v, METRIC_BALANCE, BALANCE_QUANTITIES, ret_reason);
	if (r == 0)
		r = check_holdings(v, ret_reason);
	if (r == 0)
		r = check_quantities(v, METRIC_SURVEY, SURVEY_QUANTITIES, ret_reason);
	if (r == 0)
		r = check_files(v, ret_reason);
	return r;
}
