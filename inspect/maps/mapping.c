/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/maps/mapping.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/os/file.h"
#include "base/scan.h"

enum {
	KIB_SHIFT = 10,
	KIB = 1 << KIB_SHIFT,
	DIGITS = 8, /* the kernel pads numbers to this width */
	/* Bytes: a path of 4 KiB with each byte escaped, and the fields. */
	MAPPING_TEXT_MAX = 1 << 18,
	READ_SIZE = 1 << 16, /* bytes that mapping_read() parses at once */
};

static const struct {
	const char *name;
	size_t len;
	bool is_amount;
} fields[MAPPING_FIELDS] = {
#define FIELD(name_, is_amount_)                                                                   \
	{                                                                                          \
		.name = name_, .len = sizeof(name_) - 1, .is_amount = is_amount_                   \
	}
	[MAPPING_SIZE] = FIELD("Size", true),
	[MAPPING_KERNEL_PAGE_SIZE] = FIELD("KernelPageSize", true),
	[MAPPING_MMU_PAGE_SIZE] = FIELD("MMUPageSize", true),
	[MAPPING_RSS] = FIELD("Rss", true),
	[MAPPING_PSS] = FIELD("Pss", true),
	[MAPPING_PSS_DIRTY] = FIELD("Pss_Dirty", true),
	[MAPPING_SHARED_CLEAN] = FIELD("Shared_Clean", true),
	[MAPPING_SHARED_DIRTY] = FIELD("Shared_Dirty", true),
	[MAPPING_PRIVATE_CLEAN] = FIELD("Private_Clean", true),
	[MAPPING_PRIVATE_DIRTY] = FIELD("Private_Dirty", true),
	[MAPPING_REFERENCED] = FIELD("Referenced", true),
	[MAPPING_ANONYMOUS] = FIELD("Anonymous", true),
	[MAPPING_KSM] = FIELD("KSM", true),
	[MAPPING_LAZY_FREE] = FIELD("LazyFree", true),
	[MAPPING_ANON_HUGE_PAGES] = FIELD("AnonHugePages", true),
	[MAPPING_SHMEM_PMD_MAPPED] = FIELD("ShmemPmdMapped", true),
	[MAPPING_FILE_PMD_MAPPED] = FIELD("FilePmdMapped", true),
	[MAPPING_SHARED_HUGETLB] = FIELD("Shared_Hugetlb", true),
	[MAPPING_PRIVATE_HUGETLB] = FIELD("Private_Hugetlb", true),
	[MAPPING_SWAP] = FIELD("Swap", true),
	[MAPPING_SWAP_PSS] = FIELD("SwapPss", true),
	[MAPPING_LOCKED] = FIELD("Locked", true),
	[MAPPING_THP_ELIGIBLE] = FIELD("THPeligible", false),
	[MAPPING_PROTECTION_KEY] = FIELD("ProtectionKey", false),
};

bool mapping_field_is_amount(enum mapping_field field)
{
	return fields[field].is_amount;
}

/* A mapping's first line begins with its address; names of fields begin with a capital. */
static bool begins_mapping(const char *line)
{
	return (line[0] >= '0' && line[0] <= '9') || (line[0] >= 'a' && line[0] <= 'f');
}

bool mapping_is_access(const char *perms)
{
	return (perms[0] == 'r' || perms[0] == '-') && (perms[1] == 'w' || perms[1] == '-') &&
	       (perms[2] == 'x' || perms[2] == '-') && (perms[3] == 's' || perms[3] == 'p');
}

/* "55d0c000-55d0d000 rw-p 00001000 fe:01 1234      /a/path" */
static int mapping_reader_parse_head(const char *line, size_t len, struct mapping *ret)
{
	struct scan c = {line, line + len};
	uint64_t major, minor;

	if (!scan_hex(&c, &ret->start) || !scan_char(&c, '-') || !scan_hex(&c, &ret->end) ||
		!scan_char(&c, ' ') || c.end - c.at < 4 || ret->end < ret->start)
		return -EBADMSG;
	memcpy(ret->perms, c.at, 4);
	ret->perms[4] = '\0';
	c.at += 4;
	if (!mapping_is_access(ret->perms) || !scan_char(&c, ' ') || !scan_hex(&c, &ret->offset) ||
		!scan_char(&c, ' ') || !scan_hex(&c, &major) || !scan_char(&c, ':') ||
		!scan_hex(&c, &minor) || !scan_char(&c, ' ') || !scan_decimal(&c, &ret->inode) ||
		(c.at < c.end && *c.at != ' '))
		return -EBADMSG;
	ret->major = (uint32_t)major;
	ret->minor = (uint32_t)minor;
	scan_blanks(&c);
	ret->path = c.at;
	ret->path_len = (size_t)(c.end - c.at);
	return 0;
}

static enum mapping_field mapping_reader_find_field(
	const char *key, size_t len, enum mapping_field hint)
{
	for (unsigned int i = 0; i < MAPPING_FIELDS; i++) {
		enum mapping_field field = (enum mapping_field)((hint + i) % MAPPING_FIELDS);

		if (fields[field].len == len && !memcmp(fields[field].name, key, len))
			return field;
	}
	return MAPPING_FIELDS;
}

static int set_field(struct mapping *m, enum mapping_field field, uint64_t value)
{
	uint64_t bit = UINT64_C(1) << field;

	if (m->present & bit || (fields[field].is_amount && value > INT64_MAX / KIB))
		return -EBADMSG;
	m->present |= bit;
	m->q[field] = fields[field].is_amount ? value * KIB : value;
	return 0;
}

/* Parses "Rss: 8 kB". Unknown keys are skipped: newer kernels have more. */
static int mapping_reader_parse_field(
	const char *line, size_t len, struct mapping *m, enum mapping_field *hint)
{
	static const char flags[] = "VmFlags:";
	const char *colon = memchr(line, ':', len), *end = line + len;
	enum mapping_field field;
	struct scan s;
	uint64_t value;

	if (!colon)
		return -EBADMSG;
	if (len >= sizeof(flags) - 1 && !memcmp(line, flags, sizeof(flags) - 1)) {
		m->flags = line + sizeof(flags) - 1;
		while (m->flags < end && *m->flags == ' ')
			m->flags++;
		while (end > m->flags && end[-1] == ' ')
			end--;
		m->flags_len = (size_t)(end - m->flags);
		return 0;
	}
	field = mapping_reader_find_field(line, (size_t)(colon - line), *hint);
	if (field == MAPPING_FIELDS)
		return 0;
	*hint = (enum mapping_field)((field + 1) % MAPPING_FIELDS);
	s = (struct scan){colon + 1, end};
	scan_blanks(&s);
	if (!scan_decimal(&s, &value) || (fields[field].is_amount && !scan_text(&s, " kB")) ||
		s.at != end)
		return -EBADMSG;
	return set_field(m, field, value);
}

/* Parses the complete lines [TEXT, TEXT + LEN), which follow the first line. */
static int parse_fields(const char *text, size_t len, struct mapping *m)
{
	const char *at = text, *end = text + len;
	enum mapping_field hint = MAPPING_SIZE;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		int r = newline ? mapping_reader_parse_field(at, (size_t)(newline - at), m, &hint)
		                : -EBADMSG;

		if (r < 0)
			return r;
		at = newline + 1;
	}
	return 0;
}

/* Loads eight characters, the first one into the lowest byte. */
static uint64_t load_padded(const char *at)
{
	uint64_t x;

	memcpy(&x, at, sizeof(x));
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? x : __builtin_bswap64(x);
}

/*
 * Parses eight characters, blanks and then digits, at once: adds up single digits to pairs, these
 * to groups of four, and these to the number. Returns false if they are something else.
 */
static bool parse_padded(uint64_t x, uint64_t *ret)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), low = ones * 0x0f;
	uint64_t digits;

	digits = x & (ones << 4); /* '0' to '9' have this bit, ' ' has not */
	if (!digits || digits != (ones << 4) << (__builtin_ctzll(digits) / 8 * 8))
		return false;
	if ((x & ones * 0xf0 & ~digits) != ones * 0x20 || x & low & ~((digits >> 4) * 0x0f) ||
		((x & low) + ones * 6) & ones << 4)
		return false;
	x = ((x & low) * (10 * 0x100 + 1)) >> 8;
	x = ((x & UINT64_C(0x00ff00ff00ff00ff)) * (100 * 0x10000 + 1)) >> 16;
	*ret = ((x & UINT64_C(0x0000ffff0000ffff)) * ((UINT64_C(10000) << 32) + 1)) >> 32;
	return true;
}

/* Does the same, faster for numbers with one digit, as most are. */
static inline bool read_padded(const char *at, uint64_t *ret)
{
	uint64_t x = load_padded(at), above = x - UINT64_C(0x3020202020202020); /* "       0" */

	if (above << 8 || above >> 56 >= 10)
		return parse_padded(x, ret);
	*ret = above >> 56;
	return true;
}

/* Adds LINE to the layout. Returns false if its number does not have eight characters. */
static bool learn_line(struct mapping_layout *l, const char *line, size_t len, size_t offset)
{
	const char *colon = memchr(line, ':', len);
	size_t unit = len >= 3 && !memcmp(line + len - 3, " kB", 3) ? 3 : 0, at;
	enum mapping_field field;
	uint64_t value;

	if (!colon || l->numbers == MAPPING_LINES_MAX || len < unit + DIGITS || line[0] == 'V')
		return false;
	at = len - unit - DIGITS;
	/* Private_Hugetlb has no blank here: the kernel pads it to seven digits after one blank. */
	if (line + at <= colon || (line + at > colon + 1 && line[at - 1] != ' ') ||
		!read_padded(line + at, &value))
		return false;
	field = mapping_reader_find_field(line, (size_t)(colon - line), MAPPING_SIZE);
	if (field != MAPPING_FIELDS && fields[field].is_amount != (unit > 0))
		return false;
	memset(l->mask + offset + at, 0, DIGITS);
	l->number[l->numbers].at = (uint16_t)(offset + at);
	l->number[l->numbers].field = (uint8_t)field;
	l->number[l->numbers].shift = unit ? KIB_SHIFT : 0;
	l->numbers++;
	if (field != MAPPING_FIELDS)
		l->present |= UINT64_C(1) << field;
	return true;
}

/*
 * Learns the layout from the lines of a mapping that were read line by line, up to the first line
 * without a number of eight characters.
 */
static void mapping_reader_learn(struct mapping_layout *l, const char *text, size_t len)
{
	const char *at = text, *end = text + len, *newline;

	memset(l->mask, 0xff, sizeof(l->mask));
	l->numbers = 0;
	l->present = 0;
	while (at < end) {
		newline = memchr(at, '\n', (size_t)(end - at));
		if (!newline || (size_t)(newline + 1 - text) > sizeof(l->text) ||
			!learn_line(l, at, (size_t)(newline - at), (size_t)(at - text)))
			break;
		at = newline + 1;
	}
	l->len = (size_t)(at - text);
	l->tries += !l->len;
	memcpy(l->text, text, l->len);
	for (size_t i = 0; i < l->len; i++)
		l->text[i] &= l->mask[i];
}

/* The unit of comparison. */
typedef uint64_t block __attribute__((vector_size(16)));

static block mapping_reader_load(const void *at)
{
	block b;

	memcpy(&b, at, sizeof(b));
	return b;
}

/* Whether TEXT has the layout's lines. The last block overlaps the one before. */
static bool has_lines(const struct mapping_layout *l, const char *text)
{
	block difference = {0};

	if (l->len < sizeof(block))
		return false;
	for (size_t i = 0; i < l->len; i += sizeof(block)) {
		size_t at = i <= l->len - sizeof(block) ? i : l->len - sizeof(block);

		difference |= (mapping_reader_load(text + at) & mapping_reader_load(l->mask + at)) ^
		              mapping_reader_load(l->text + at);
	}
	return !(difference[0] | difference[1]);
}

/*
 * Parses TEXT by the layout into M, in which only fields of the layout may be set. Returns false if
 * TEXT has another form; M is then partly set.
 */
static bool parse_by_layout(const struct mapping_layout *l, const char *text, struct mapping *m)
{
	if (!has_lines(l, text))
		return false;
	for (size_t i = 0; i < l->numbers; i++) {
		uint64_t value;

		if (!read_padded(text + l->number[i].at, &value))
			return false;
		if (l->number[i].field != MAPPING_FIELDS)
			m->q[l->number[i].field] = value << l->number[i].shift;
	}
	m->present = l->present;
	return true;
}

/* A mapping in the text that is being parsed. */
struct found {
	const char *fields; /* after its first line */
	const char *end;    /* NULL: the text is incomplete */
	bool fits;          /* it has the layout, and .mapping has its numbers */
	struct mapping mapping;
};

/*
 * Prepares M for the next mapping: clears all fields but those that the layout overwrites anyway.
 */
static void mapping_reader_reset(struct mapping *m, const struct mapping_layout *l)
{
	if (m->present & ~l->present)
		*m = (struct mapping){0};
	m->present = 0;
	m->flags = "";
	m->flags_len = 0;
}

/*
 * Finds the mapping at TEXT, which ends where the next one begins. *RET is zeroed, or has the
 * mapping before.
 */
static void mapping_reader_find(
	const struct mapping_reader *r, const char *text, size_t len, struct found *ret)
{
	const struct mapping_layout *l = &r->layout;
	const char *at = memchr(text, '\n', len), *end = text + len;

	ret->fields = at ? at + 1 : NULL;
	ret->end = NULL;
	mapping_reader_reset(&ret->mapping, l);
	ret->fits = at && l->len && (size_t)(end - at) > l->len &&
	            parse_by_layout(l, at + 1, &ret->mapping);
	if (ret->fits)
		at += l->len;
	else
		ret->mapping = (struct mapping){.flags = ""};
	while (at && ++at < end) {
		if (begins_mapping(at)) {
			ret->end = at;
			return;
		}
		at = memchr(at, '\n', (size_t)(end - at));
	}
}

/* Parses the rest of FOUND, which begins at TEXT and has .end set, and calls .take. */
static int mapping_reader_take(struct mapping_reader *r, const char *text, struct found *found)
{
	struct mapping *m = &found->mapping;
	const char *rest = found->fields + (found->fits ? r->layout.len : 0);
	int e = mapping_reader_parse_head(text, (size_t)(found->fields - 1 - text), m);

	if (e == 0)
		e = parse_fields(rest, (size_t)(found->end - rest), m);
	if (e == 0 && !r->layout.len && r->layout.tries < MAPPING_TRIES_MAX)
		mapping_reader_learn(&r->layout, rest, (size_t)(found->end - rest));
	if (e < 0)
		return e;
	return r->take(m, r->context);
}

void mapping_reader_done(struct mapping_reader *r)
{
	buffer_done(&r->text);
}

char *mapping_reader_room(struct mapping_reader *r, size_t len)
{
	return buffer_reserve(&r->text, len);
}

int mapping_reader_feed(struct mapping_reader *r, size_t len)
{
	const char *at = r->text.data, *end = at + r->text.len + len;
	struct found found = {.fields = NULL};
	int e = len && !begins_mapping(at) ? -EBADMSG : 0;

	for (; e == 0 && at < end; at = found.end) {
		mapping_reader_find(r, at, (size_t)(end - at), &found);
		if (!found.end)
			break;
		e = mapping_reader_take(r, at, &found);
	}
	if (e == 0 && end - at > MAPPING_TEXT_MAX)
		e = -EBADMSG;
	if (e != 0)
		return e;
	r->text.len = (size_t)(end - at);
	if (r->text.len && at > r->text.data)
		memmove(r->text.data, at, r->text.len);
	return 0;
}

int mapping_reader_end(struct mapping_reader *r)
{
	struct found found = {.fields = NULL};
	int e;

	if (!r->text.len)
		return 0;
	mapping_reader_find(r, r->text.data, r->text.len, &found);
	found.end = r->text.data + r->text.len;
	e = found.fields && found.end[-1] == '\n' ? mapping_reader_take(r, r->text.data, &found)
	                                          : -EBADMSG;
	buffer_clear(&r->text);
	return e;
}

/*
 * The kernel returns at most a page of smaps at a time, and the parser looks at the last mapping of
 * each piece again with the next piece. So pieces are filled.
 */
int mapping_read(int fd, mapping_taker take, void *context)
{
	CLEANUP(mapping_reader_done)
	struct mapping_reader reader = {.take = take, .context = context};
	size_t len = READ_SIZE; /* until a read finds the end */
	int r = 0;

	while (r == 0 && len == READ_SIZE) {
		char *room = mapping_reader_room(&reader, READ_SIZE);

		r = room ? file_read_fd(fd, room, READ_SIZE, &len) : -ENOMEM;
		if (r == -EFBIG) /* the text goes on after this piece */
			r = 0;
		if (r == 0)
			r = mapping_reader_feed(&reader, len);
	}
	return r == 0 ? mapping_reader_end(&reader) : r;
}
