/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/maprow.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "base/number.h"
#include "cli/cell.h"
#include "cli/csv.h"
#include "render/decimal.h"

enum {
	KIB = 1024,
	NUMBER_WIDTH = 9,
	BYTES_WIDTH = 14,
	PID_WIDTH = 8,
	ADDRESS_WIDTH = 25, /* of two addresses of 12 digits */
	LINE_MAX = 512,     /* but for the name */
};

static const char *const names[MAPPING_FIELDS] = {
	[MAPPING_SIZE] = "size_bytes",
	[MAPPING_KERNEL_PAGE_SIZE] = "kernel_page_size_bytes",
	[MAPPING_MMU_PAGE_SIZE] = "mmu_page_size_bytes",
	[MAPPING_RSS] = "rss_bytes",
	[MAPPING_PSS] = "pss_bytes",
	[MAPPING_PSS_DIRTY] = "pss_dirty_bytes",
	[MAPPING_SHARED_CLEAN] = "shared_clean_bytes",
	[MAPPING_SHARED_DIRTY] = "shared_dirty_bytes",
	[MAPPING_PRIVATE_CLEAN] = "private_clean_bytes",
	[MAPPING_PRIVATE_DIRTY] = "private_dirty_bytes",
	[MAPPING_REFERENCED] = "referenced_bytes",
	[MAPPING_ANONYMOUS] = "anonymous_bytes",
	[MAPPING_KSM] = "ksm_bytes",
	[MAPPING_LAZY_FREE] = "lazy_free_bytes",
	[MAPPING_ANON_HUGE_PAGES] = "anon_huge_pages_bytes",
	[MAPPING_SHMEM_PMD_MAPPED] = "shmem_pmd_mapped_bytes",
	[MAPPING_FILE_PMD_MAPPED] = "file_pmd_mapped_bytes",
	[MAPPING_SHARED_HUGETLB] = "shared_hugetlb_bytes",
	[MAPPING_PRIVATE_HUGETLB] = "private_hugetlb_bytes",
	[MAPPING_SWAP] = "swap_bytes",
	[MAPPING_SWAP_PSS] = "swap_pss_bytes",
	[MAPPING_LOCKED] = "locked_bytes",
	[MAPPING_THP_ELIGIBLE] = "thp_eligible",
	[MAPPING_PROTECTION_KEY] = "protection_key",
};

const char *maprow_name(enum mapping_field field)
{
	return names[field];
}

enum mapping_field maprow_find(const char *name)
{
	unsigned int i = 0;

	while (i < MAPPING_FIELDS && strcmp(names[i], name) != 0)
		i++;
	return (enum mapping_field)i;
}

/* What stands in the columns of amounts, in their order. */
enum column {
	COLUMN_SIZE,
	COLUMN_RSS,
	COLUMN_PSS,
	COLUMN_SHARED,
	COLUMN_PRIVATE,
	COLUMN_DIRTY,
	COLUMN_SWAP,
	COLUMN_HUGE,
	COLUMNS
};

static const char *const heads[COLUMNS] = {
	"SIZE", "RSS", "PSS", "SHARED", "PRIVATE", "DIRTY", "SWAP", "HUGE"};

/* Of which fields they are the sum, up to one that is none. Huge pages are of whatever kind a kernel knows. */
enum { PARTS_MAX = 5 };
static const enum mapping_field parts[COLUMNS][PARTS_MAX] = {
	[COLUMN_SIZE] = {MAPPING_SIZE, MAPPING_FIELDS},
	[COLUMN_RSS] = {MAPPING_RSS, MAPPING_FIELDS},
	[COLUMN_PSS] = {MAPPING_PSS, MAPPING_FIELDS},
	[COLUMN_SHARED] = {MAPPING_SHARED_CLEAN, MAPPING_SHARED_DIRTY, MAPPING_FIELDS},
	[COLUMN_PRIVATE] = {MAPPING_PRIVATE_CLEAN, MAPPING_PRIVATE_DIRTY, MAPPING_FIELDS},
	[COLUMN_DIRTY] = {MAPPING_PRIVATE_DIRTY, MAPPING_FIELDS},
	[COLUMN_SWAP] = {MAPPING_SWAP, MAPPING_FIELDS},
	[COLUMN_HUGE] = {MAPPING_ANON_HUGE_PAGES, MAPPING_SHMEM_PMD_MAPPED, MAPPING_FILE_PMD_MAPPED,
		MAPPING_SHARED_HUGETLB, MAPPING_PRIVATE_HUGETLB},
};

/* Whether PRESENT has what COLUMN needs. */
static bool has_column(uint64_t present, enum column column)
{
	if (column == COLUMN_HUGE)
		return (present >> MAPPING_ANON_HUGE_PAGES) & 1;
	for (size_t i = 0; i < PARTS_MAX && parts[column][i] != MAPPING_FIELDS; i++)
		if (!((present >> parts[column][i]) & 1))
			return false;
	return true;
}

static bool get_column(const struct atlas_row *row, enum column column, uint64_t *ret)
{
	*ret = 0;
	for (size_t i = 0; i < PARTS_MAX && parts[column][i] != MAPPING_FIELDS; i++)
		*ret += row->q[parts[column][i]];
	return has_column(row->present, column);
}

/* A line that is being put together: what it has is less than LINE_MAX. */
struct line {
	char text[LINE_MAX];
	size_t len;
};

static void add_right(struct line *l, const char *text, size_t len, size_t width)
{
	size_t blanks = len < width ? width - len : 0;

	memset(l->text + l->len, ' ', blanks);
	memcpy(l->text + l->len + blanks, text, len);
	l->len += blanks + len;
}

static void add_number(struct line *l, uint64_t value, size_t width)
{
	char digits[NUMBER_U64_DIGITS];

	add_right(l, digits, number_format_u64(value, digits), width);
}

/* At least eight digits, as the kernel prints addresses. */
static void add_hex(struct line *l, uint64_t value)
{
	static const char digits[] = "0123456789abcdef";
	unsigned int shift = 60;

	while (shift > 28 && !(value >> shift))
		shift -= 4;
	for (;; shift -= 4) {
		l->text[l->len++] = digits[(value >> shift) & 15];
		if (!shift)
			return;
	}
}

static size_t width_of(const struct maprow_format *f)
{
	return f->bytes ? BYTES_WIDTH : NUMBER_WIDTH;
}

static void add_amounts(const struct maprow_format *f, const struct atlas_row *row, struct line *l)
{
	double sharers;
	uint64_t value;

	for (unsigned int i = 0; i < COLUMNS; i++) {
		if (get_column(row, (enum column)i, &value))
			add_number(l, f->bytes ? value : value / KIB, width_of(f));
		else
			add_right(l, "-", 1, width_of(f));
	}
	/* Tenths, by hand: printf() would be half of all that a line takes. */
	if (atlas_sharers(row, &sharers) && sharers < 1e6) {
		uint64_t tenths = (uint64_t)(sharers * 10 + 0.5);

		add_number(l, tenths / 10, NUMBER_WIDTH - 2);
		l->text[l->len++] = '.';
		l->text[l->len++] = (char)('0' + tenths % 10);
	} else {
		add_right(l, "-", 1, NUMBER_WIDTH);
	}
}

static void add_address(const struct atlas_row *row, struct line *l)
{
	size_t begin = l->len;

	add_hex(l, row->start);
	l->text[l->len++] = '-';
	add_hex(l, row->end);
	while (l->len < begin + ADDRESS_WIDTH)
		l->text[l->len++] = ' ';
	l->text[l->len++] = ' ';
	memcpy(l->text + l->len, row->perms, 4);
	l->len += 4;
}

/* Whose, and where; of several, how many. */
static void add_place(const struct maprow_format *f, const struct atlas_row *row, struct line *l)
{
	if (f->has_pid && f->by == ATLAS_BY_MAPPING) {
		add_number(l, (uint64_t)row->pid, PID_WIDTH);
		l->text[l->len++] = ' ';
	}
	if (f->by == ATLAS_BY_MAPPING)
		add_address(row, l);
	else
		add_number(l, row->mappings, NUMBER_WIDTH);
}

void maprow_add_head(const struct maprow_format *f, struct buffer *to)
{
	struct line l = {.len = 0};

	if (f->has_pid && f->by == ATLAS_BY_MAPPING) {
		add_right(&l, "PID", 3, PID_WIDTH);
		l.text[l.len++] = ' ';
	}
	if (f->by == ATLAS_BY_MAPPING)
		buffer_printf(
			to, "%.*s%-*s PERM", (int)l.len, l.text, (int)ADDRESS_WIDTH, "ADDRESS");
	else
		buffer_printf(to, "%*s", (int)NUMBER_WIDTH, "MAPPINGS");
	for (unsigned int i = 0; i < COLUMNS; i++)
		buffer_printf(to, "%*s", (int)width_of(f), heads[i]);
	buffer_printf(to, "%*s %s\n", (int)NUMBER_WIDTH, "SHARERS",
		f->by == ATLAS_BY_KIND   ? "KIND"
		: f->by == ATLAS_BY_FILE ? "FILE"
					 : "MAPPING");
}

static void add_name(const struct atlas_row *row, struct buffer *to)
{
	buffer_add_char(to, ' ');
	cell_add_printable(to, row->name);
	if (row->is_deleted)
		buffer_add_text(to, " [deleted]");
	buffer_add_char(to, '\n');
}

void maprow_add_line(const struct maprow_format *f, const struct atlas_row *row, struct buffer *to)
{
	struct line l;

	l.len = 0;
	add_place(f, row, &l);
	add_amounts(f, row, &l);
	buffer_add(to, l.text, l.len);
	add_name(row, to);
}

void maprow_add_total(const struct maprow_format *f, const struct atlas_row *total, size_t rows,
	struct buffer *to)
{
	struct line l = {.len = 0};

	if (f->by == ATLAS_BY_MAPPING)
		add_right(&l, "", 0, ADDRESS_WIDTH + 5 + (f->has_pid ? PID_WIDTH + 1 : 0));
	else
		add_number(&l, total->mappings, NUMBER_WIDTH);
	add_amounts(f, total, &l);
	for (size_t i = 0; i < l.len; i++)
		buffer_add_char(to, '-');
	buffer_add_char(to, '\n');
	buffer_add(to, l.text, l.len);
	buffer_printf(to, " total of %zu%s\n", rows, f->bytes ? "" : ", in KiB");
}

static void add_json_text(struct buffer *to, const char *name, const char *text)
{
	json_t *string = json_string(text);
	char *dumped = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;

	buffer_printf(to, ",\"%s\":", name);
	if (dumped)
		buffer_add_text(to, dumped);
	else
		to->error = -ENOMEM;
	free(dumped);
	json_decref(string);
}

static void add_json_flags(struct buffer *to, const char *flags)
{
	buffer_add_text(to, ",\"flags\":[");
	for (size_t i = 0; flags[i]; i += flags[i + 2] ? 3 : 2)
		buffer_printf(to, "%s\"%.2s\"", i ? "," : "", flags + i);
	buffer_add_char(to, ']');
}

static void add_json_place(const struct atlas_row *row, struct buffer *to)
{
	buffer_printf(to,
		",\"start\":\"%08llx\",\"end\":\"%08llx\",\"perms\":\"%s\",\"offset_bytes\":%llu",
		(unsigned long long)row->start, (unsigned long long)row->end, row->perms,
		(unsigned long long)row->offset);
}

static void add_json_amounts(const struct atlas_row *row, struct buffer *to)
{
	uint64_t shared, private;
	double sharers;

	for (unsigned int i = 0; i < MAPPING_FIELDS; i++)
		if ((row->present >> i) & 1)
			buffer_printf(to, ",\"%s\":%llu", names[i], (unsigned long long)row->q[i]);
	if (atlas_figure(row, ATLAS_SHARED, &shared) && atlas_figure(row, ATLAS_PRIVATE, &private))
		buffer_printf(to, ",\"shared_bytes\":%llu,\"private_bytes\":%llu",
			(unsigned long long)shared, (unsigned long long)private);
	if (atlas_sharers(row, &sharers)) {
		buffer_add_text(to, ",\"sharers_mean\":");
		decimal_add_real(to, sharers);
	}
}

void maprow_add_json(const struct maprow_format *f, const struct atlas_row *row, struct buffer *to)
{
	buffer_printf(to, "{\"mappings\":%llu", (unsigned long long)row->mappings);
	if (f->by == ATLAS_BY_MAPPING) {
		buffer_printf(to, ",\"pid\":%d", (int)row->pid);
		add_json_place(row, to);
	}
	if (row->inode)
		buffer_printf(to, ",\"device\":\"%x:%x\",\"inode\":%llu", row->major, row->minor,
			(unsigned long long)row->inode);
	add_json_text(to, "name", row->name);
	buffer_printf(to, ",\"kind\":\"%s\"", kind_name(row->kind));
	buffer_printf(to, ",\"deleted\":%s", row->is_deleted ? "true" : "false");
	if (row->flags)
		add_json_flags(to, row->flags);
	add_json_amounts(row, to);
	buffer_add_char(to, '}');
}

void maprow_add_json_sums(const struct atlas_row *row, struct buffer *to)
{
	buffer_printf(to, "{\"mappings\":%llu", (unsigned long long)row->mappings);
	add_json_amounts(row, to);
	buffer_add_char(to, '}');
}

void maprow_add_csv_head(const struct maprow_format *f, struct buffer *to)
{
	buffer_add_text(to, f->by == ATLAS_BY_MAPPING
				    ? "pid,start,end,perms,offset_bytes,device,inode,kind,flags,"
				    : "mappings,device,inode,kind,");
	buffer_add_text(to, "name,deleted,shared_bytes,private_bytes,sharers_mean");
	for (unsigned int i = 0; i < MAPPING_FIELDS; i++)
		buffer_printf(to, ",%s", names[i]);
	buffer_add_char(to, '\n');
}

void maprow_add_csv(const struct maprow_format *f, const struct atlas_row *row, struct buffer *to)
{
	double sharers;
	uint64_t value;

	if (f->by == ATLAS_BY_MAPPING)
		buffer_printf(to, "%d,%08llx,%08llx,%s,%llu,", (int)row->pid,
			(unsigned long long)row->start, (unsigned long long)row->end, row->perms,
			(unsigned long long)row->offset);
	else
		buffer_printf(to, "%llu,", (unsigned long long)row->mappings);
	if (row->inode)
		buffer_printf(
			to, "%x:%x,%llu,", row->major, row->minor, (unsigned long long)row->inode);
	else
		buffer_add_text(to, ",,");
	buffer_printf(to, "%s,", kind_name(row->kind));
	if (f->by == ATLAS_BY_MAPPING) {
		buffer_add_text(to, row->flags ? row->flags : "");
		buffer_add_char(to, ',');
	}
	csv_add_text(to, row->name);
	buffer_add_text(to, row->is_deleted ? ",true," : ",false,");
	if (atlas_figure(row, ATLAS_SHARED, &value))
		buffer_add_u64(to, value);
	buffer_add_char(to, ',');
	if (atlas_figure(row, ATLAS_PRIVATE, &value))
		buffer_add_u64(to, value);
	buffer_add_char(to, ',');
	if (atlas_sharers(row, &sharers))
		decimal_add_real(to, sharers);
	for (unsigned int i = 0; i < MAPPING_FIELDS; i++) {
		buffer_add_char(to, ',');
		if ((row->present >> i) & 1)
			buffer_add_u64(to, row->q[i]);
	}
	buffer_add_char(to, '\n');
}

/* "+12", "-3", "0" */
static void add_signed(struct line *l, int64_t value, size_t width)
{
	char text[NUMBER_U64_DIGITS + 1];
	uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
	size_t len = 0;

	if (value)
		text[len++] = value < 0 ? '-' : '+';
	len += number_format_u64(magnitude, text + len);
	add_right(l, text, len, width);
}

static bool get_change(const struct compare_row *row, enum column column, int64_t *ret)
{
	*ret = 0;
	for (size_t i = 0; i < PARTS_MAX && parts[column][i] != MAPPING_FIELDS; i++)
		*ret += row->q[parts[column][i]];
	return has_column(row->present, column);
}

static void add_changes(
	const struct maprow_format *f, const struct compare_row *row, struct line *l)
{
	int64_t value;

	for (unsigned int i = 0; i < COLUMNS; i++) {
		if (get_change(row, (enum column)i, &value))
			add_signed(l, f->bytes ? value : value / KIB, width_of(f));
		else
			add_right(l, "-", 1, width_of(f));
	}
}

static const struct atlas_row *row_of(const struct compare_row *row)
{
	return row->now ? row->now : row->then;
}

static const char *change_of(const struct compare_row *row)
{
	return !row->then ? "new" : !row->now ? "gone" : "changed";
}

void maprow_add_change_head(const struct maprow_format *f, struct buffer *to)
{
	if (f->by == ATLAS_BY_MAPPING)
		buffer_printf(to, "%-*s PERM", (int)ADDRESS_WIDTH, "ADDRESS");
	for (unsigned int i = 0; i < COLUMNS; i++)
		buffer_printf(to, "%*s", (int)width_of(f), heads[i]);
	buffer_printf(to, " CHANGE  %s\n",
		f->by == ATLAS_BY_KIND   ? "KIND"
		: f->by == ATLAS_BY_FILE ? "FILE"
					 : "MAPPING");
}

void maprow_add_change(
	const struct maprow_format *f, const struct compare_row *row, struct buffer *to)
{
	struct line l;

	l.len = 0;
	if (f->by == ATLAS_BY_MAPPING)
		add_address(row_of(row), &l);
	add_changes(f, row, &l);
	buffer_add(to, l.text, l.len);
	buffer_printf(to, " %-7s", change_of(row));
	add_name(row_of(row), to);
}

void maprow_add_change_total(const struct maprow_format *f, const struct compare_row *total,
	size_t rows, struct buffer *to)
{
	struct line l;

	l.len = 0;
	if (f->by == ATLAS_BY_MAPPING)
		add_right(&l, "", 0, ADDRESS_WIDTH + 5);
	add_changes(f, total, &l);
	for (size_t i = 0; i < l.len; i++)
		buffer_add_char(to, '-');
	buffer_add_char(to, '\n');
	buffer_add(to, l.text, l.len);
	buffer_printf(to, " of %zu that differ%s\n", rows, f->bytes ? "" : ", in KiB");
}

static void add_change_amounts(const struct compare_row *row, struct buffer *to)
{
	for (unsigned int i = 0; i < MAPPING_FIELDS; i++)
		if ((row->present >> i) & 1)
			buffer_printf(to, ",\"%s\":%lld", names[i], (long long)row->q[i]);
}

void maprow_add_change_json(
	const struct maprow_format *f, const struct compare_row *row, struct buffer *to)
{
	const struct atlas_row *one = row_of(row);

	if (!one) {
		buffer_add_text(to, "{\"change\":\"total\"");
	} else {
		buffer_printf(to, "{\"change\":\"%s\"", change_of(row));
		if (f->by == ATLAS_BY_MAPPING)
			add_json_place(one, to);
		add_json_text(to, "name", one->name);
		buffer_printf(to, ",\"kind\":\"%s\"", kind_name(one->kind));
		buffer_printf(to, ",\"deleted\":%s", one->is_deleted ? "true" : "false");
	}
	add_change_amounts(row, to);
	buffer_add_char(to, '}');
}

void maprow_add_change_csv_head(const struct maprow_format *f, struct buffer *to)
{
	buffer_add_text(to, f->by == ATLAS_BY_MAPPING ? "change,start,end,perms,kind,name,deleted"
						      : "change,kind,name,deleted");
	for (unsigned int i = 0; i < MAPPING_FIELDS; i++)
		if (atlas_is_sum((enum mapping_field)i))
			buffer_printf(to, ",%s", names[i]);
	buffer_add_char(to, '\n');
}

void maprow_add_change_csv(
	const struct maprow_format *f, const struct compare_row *row, struct buffer *to)
{
	const struct atlas_row *one = row_of(row);

	buffer_printf(to, "%s,", change_of(row));
	if (f->by == ATLAS_BY_MAPPING)
		buffer_printf(to, "%08llx,%08llx,%s,", (unsigned long long)one->start,
			(unsigned long long)one->end, one->perms);
	buffer_printf(to, "%s,", kind_name(one->kind));
	csv_add_text(to, one->name);
	buffer_add_text(to, one->is_deleted ? ",true" : ",false");
	for (unsigned int i = 0; i < MAPPING_FIELDS; i++) {
		if (!atlas_is_sum((enum mapping_field)i))
			continue;
		buffer_add_char(to, ',');
		if ((row->present >> i) & 1)
			buffer_printf(to, "%lld", (long long)row->q[i]);
	}
	buffer_add_char(to, '\n');
}
