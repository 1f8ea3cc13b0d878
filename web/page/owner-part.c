/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/page/owner-part.h"

#include <errno.h>
#include <stdlib.h>

#include "render/human.h"
#include "snapshot/owner.h"
#include "snapshot/query.h"
#include "web/page/bar.h"
#include "web/page/html.h"

/* The growth that a snapshot has. The script has another one, and replaces this. */
#define GROWTH_NOTE                                                                                \
	"Growth is the rise of anonymous memory above earlier peaks of the processes, since "      \
	"memtallyd knows them. It counts what was swapped out or freed again and processes that "  \
	"have exited, so it may be more than the PSS beside it."

#define SURE_NOTE                                                                                  \
	"\u201cHow sure\u201d has the least and the most that the PSS may be; "                    \
	"\u201csure\u201d: both look the same."

/* A column of a table. */
struct owner_column {
	enum page_order order;
	const char *title; /* NULL: the title of the table */
	const char *field; /* the field in JSON that sorts; NULL: the width of the bounds */
	enum scope_quantity quantity; /* not of the name and the bounds */
	const char *help;
};

static const struct owner_column columns[] = {
	{PAGE_ORDER_NAME, NULL, NULL, 0, "Sort by name"},
	{PAGE_ORDER_PSS, "PSS", "pss_bytes", SCOPE_PSS,
		"Resident memory, with shared pages divided among the processes that share them"},
	{PAGE_ORDER_DOUBT, "How sure", NULL, 0,
		"The bounds of the PSS; hatched in the bar. The widest first"},
	{PAGE_ORDER_GROWTH, "Growth", "anon_growth_bytes_total", SCOPE_ANON_GROWTH,
		"Sort by growth"},
	{PAGE_ORDER_RSS, "RSS", "rss_bytes", SCOPE_RSS,
		"Resident set size: counts shared pages once for each process"},
	{PAGE_ORDER_SWAP, "Swap", "swap_pss_bytes", SCOPE_SWAP_PSS, "SwapPss"},
	{PAGE_ORDER_PROCESSES, "Processes", "processes", SCOPE_PROCESSES, "Number of processes"},
};

/* The tables of the page. */
static const struct owner_table {
	enum owner_kind kind;
	const char *title; /* of a row */
	const char *heading;
	const char *caption;
} tables[PAGE_TABLES] = {
	[PAGE_TABLE_USERS] = {OWNER_USER, "User", "Users", "Memory of each user"},
	[PAGE_TABLE_PROGRAMS] = {OWNER_PROGRAM, "Program", "Programs", "Memory of each program"},
};

/* The rows of a table, in order. */
struct owner_rows {
	const struct view *view;
	enum metric_scope scope;
	uint32_t *index; /* owned */
	size_t count;    /* of all rows; the page shows the first of them */
};

static void owner_rows_done(struct owner_rows *rows)
{
	free(rows->index);
}

static const struct snapshot_scope *owner_rows_at(const struct owner_rows *rows, size_t i)
{
	return view_scope(rows->view, rows->scope, rows->index[i]);
}

/* Returns the bytes between the bounds of ROW's PSS; 0 if there are no bounds. */
static uint64_t owner_part_doubt(const struct snapshot_scope *row)
{
	if (!ROW_HAS(row, SCOPE_PSS_LOW) || !ROW_HAS(row, SCOPE_PSS_HIGH) ||
		row->q[SCOPE_PSS_HIGH] < row->q[SCOPE_PSS_LOW])
		return 0;
	return row->q[SCOPE_PSS_HIGH] - row->q[SCOPE_PSS_LOW];
}

/* Returns whether ROW's PSS has bounds that do not look the same. */
static bool owner_part_is_uncertain(const struct snapshot_scope *row)
{
	return owner_part_doubt(row) &&
	       !human_is_alike(row->q[SCOPE_PSS_LOW], row->q[SCOPE_PSS_HIGH]);
}

static int owner_part_compare_doubt(const void *a, const void *b, void *rows_)
{
	const struct owner_rows *rows = rows_;
	uint32_t ia = *(const uint32_t *)a, ib = *(const uint32_t *)b;
	uint64_t da = owner_part_doubt(view_scope(rows->view, rows->scope, ia));
	uint64_t db = owner_part_doubt(view_scope(rows->view, rows->scope, ib));

	if (da != db)
		return da > db ? -1 : 1;
	return ia < ib ? -1 : 1;
}

/* Drops rows without processes, which stay in the snapshot for an hour. */
static void owner_rows_drop_empty(struct owner_rows *rows)
{
	size_t count = 0;

	for (size_t i = 0; i < rows->count; i++) {
		const struct snapshot_scope *row = owner_rows_at(rows, i);

		if (!ROW_HAS(row, SCOPE_PROCESSES) || row->q[SCOPE_PROCESSES])
			rows->index[count++] = rows->index[i];
	}
	rows->count = count;
}

/* Chooses and sorts the rows of KIND. Returns 0 or -ENOMEM. */
static int owner_part_sort(const struct view *view, enum owner_kind kind,
	const struct owner_column *column, struct owner_rows *ret)
{
	AUTO_FREE struct query *query = malloc(sizeof(*query)); /* too large for the stack */
	char error[QUERY_ERROR_SIZE];
	const char *field = column->field;
	int r;

	if (!query)
		return -ENOMEM;
	*ret = (struct owner_rows){.view = view, .scope = metric_owner_scope(kind)};
	query_init(query, ret->scope);
	if (column->order == PAGE_ORDER_NAME)
		field = owner_of(kind)->name;
	if (field && query_set(query, "sort", field, error) < 0)
		return -EINVAL; /* a fault of the table */
	r = query_run(query, view, &ret->index, &ret->count);
	if (r == 0)
		owner_rows_drop_empty(ret);
	if (r == 0 && column->order == PAGE_ORDER_DOUBT && ret->count)
		qsort_r(ret->index, ret->count, sizeof(*ret->index), owner_part_compare_doubt, ret);
	return r;
}

/* Appends the link that sorts TABLE by ORDER, and leaves the other table as it is. */
static void owner_part_add_link(enum page_table table, enum page_order order,
	const struct page_query *query, struct buffer *to)
{
	char at[PAGE_QUERY_AT_SIZE];

	page_query_format_at(query, "&amp;", at);
	buffer_add_text(to, "<a href=\"/?");
	for (enum page_table i = 0; i < PAGE_TABLES; i++)
		buffer_printf(to, "%s%s=%s", i ? "&amp;" : "", page_query_name(i),
			page_query_word(i == table ? order : query->order[i]));
	buffer_printf(to, "%s#%s\"", at, page_query_name(table));
}

static void owner_part_add_head(
	enum page_table table, const struct page_query *query, struct buffer *to)
{
	buffer_add_text(to, "<thead><tr>");
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		const struct owner_column *c = &columns[i];
		bool is_name = c->order == PAGE_ORDER_NAME;

		buffer_printf(to, "<th scope=\"col\" data-order=\"%s\"", page_query_word(c->order));
		if (c->field)
			buffer_printf(to, " data-field=\"%s\"", c->field);
		if (!is_name && c->order != PAGE_ORDER_DOUBT)
			buffer_add_text(to, " class=\"number\"");
		if (query->order[table] == c->order)
			buffer_add_text(to,
				is_name ? " aria-sort=\"ascending\"" : " aria-sort=\"descending\"");
		buffer_add_char(to, '>');
		owner_part_add_link(table, c->order, query, to);
		buffer_printf(to, " title=\"%s\">%s</a></th>", c->help,
			c->title ? c->title : tables[table].title);
	}
	buffer_add_text(to, "</tr></thead>\n");
}

/* Appends how sure ROW's PSS is: its bounds, or that these look the same. */
static void owner_part_add_certainty(const struct snapshot_scope *row, struct buffer *to)
{
	if (!ROW_HAS(row, SCOPE_PSS)) {
		buffer_add_text(to, "not known");
	} else if (!ROW_HAS(row, SCOPE_PSS_LOW)) {
		buffer_add_text(to, "no bounds known");
	} else if (!ROW_HAS(row, SCOPE_PSS_HIGH)) {
		buffer_add_text(to, "at least ");
		human_add_bytes(to, row->q[SCOPE_PSS_LOW]);
	} else if (human_is_alike(row->q[SCOPE_PSS_LOW], row->q[SCOPE_PSS_HIGH])) {
		buffer_add_text(to, "sure");
	} else {
		human_add_range(to, row->q[SCOPE_PSS_LOW], "to", row->q[SCOPE_PSS_HIGH]);
	}
}

static void owner_part_add_bar(
	const struct snapshot_scope *row, uint64_t most_bytes, struct buffer *to)
{
	uint64_t pss = row->q[SCOPE_PSS];
	uint64_t low = ROW_HAS(row, SCOPE_PSS_LOW) ? row->q[SCOPE_PSS_LOW] : pss;
	uint64_t high = ROW_HAS(row, SCOPE_PSS_HIGH) ? row->q[SCOPE_PSS_HIGH] : pss;

	if (ROW_HAS(row, SCOPE_PSS))
		bar_add(to, low, pss, high, most_bytes);
}

static void owner_part_add_quantity(
	const struct snapshot_scope *row, enum scope_quantity quantity, struct buffer *to)
{
	if (!ROW_HAS(row, quantity))
		buffer_add_text(to, "\u2013");
	else if (quantity == SCOPE_PROCESSES)
		buffer_add_u64(to, row->q[quantity]);
	else
		human_add_bytes(to, row->q[quantity]);
}

static void owner_part_add_row(const struct view *view, const struct snapshot_scope *row,
	uint64_t most_bytes, struct buffer *to)
{
	buffer_add_text(to, "<tr>");
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		const struct owner_column *c = &columns[i];

		if (c->order == PAGE_ORDER_NAME) {
			buffer_add_text(to, "<th scope=\"row\">");
			html_add_name(to, view_text(view, row->name));
			buffer_add_text(to, "</th>");
			continue;
		}
		buffer_add_text(
			to, c->order == PAGE_ORDER_DOUBT ? "<td>" : "<td class=\"number\">");
		if (c->order == PAGE_ORDER_DOUBT)
			owner_part_add_certainty(row, to);
		else
			owner_part_add_quantity(row, c->quantity, to);
		if (c->order == PAGE_ORDER_PSS)
			owner_part_add_bar(row, most_bytes, to);
		buffer_add_text(to, "</td>");
	}
	buffer_add_text(to, "</tr>\n");
}

/* Returns the largest upper bound of the first COUNT rows. */
static uint64_t owner_part_most(const struct owner_rows *rows, size_t count)
{
	uint64_t most = 0;

	for (size_t i = 0; i < count; i++) {
		const struct snapshot_scope *row = owner_rows_at(rows, i);
		enum scope_quantity q = ROW_HAS(row, SCOPE_PSS_HIGH) ? SCOPE_PSS_HIGH : SCOPE_PSS;

		if (ROW_HAS(row, q) && row->q[q] > most)
			most = row->q[q];
	}
	return most;
}

/* Appends the number and the sum of the rows after the first COUNT, if there are any. */
static void owner_part_add_rest(const struct owner_rows *rows, size_t count, struct buffer *to)
{
	uint64_t sum = 0;

	if (rows->count == count)
		return;
	for (size_t i = count; i < rows->count; i++) {
		const struct snapshot_scope *row = owner_rows_at(rows, i);

		if (ROW_HAS(row, SCOPE_PSS))
			sum += row->q[SCOPE_PSS];
	}
	buffer_add_text(to, "<tfoot><tr><th scope=\"row\">");
	buffer_add_u64(to, rows->count - count);
	buffer_add_text(to, " more</th><td class=\"number\">");
	human_add_bytes(to, sum);
	buffer_printf(to, "</td><td colspan=\"%zu\"></td></tr></tfoot>\n", ARRAY_SIZE(columns) - 2);
}

/* Appends which row has the widest bounds, among all that are not sure. */
static void owner_part_add_least_certain(
	const struct owner_rows *rows, const char *id, struct buffer *to)
{
	const struct snapshot_scope *least = NULL;

	for (size_t i = 0; i < rows->count; i++) {
		const struct snapshot_scope *row = owner_rows_at(rows, i);

		if (owner_part_is_uncertain(row) &&
			(!least || owner_part_doubt(row) > owner_part_doubt(least)))
			least = row;
	}
	buffer_printf(to, "<p id=\"%s-doubt\">", id);
	if (least) {
		buffer_add_text(to, "Least certain: ");
		html_add_name(to, view_text(rows->view, least->name));
		buffer_add_text(to, ", between ");
		human_add_range(to, least->q[SCOPE_PSS_LOW], "and", least->q[SCOPE_PSS_HIGH]);
		buffer_add_char(to, '.');
	}
	buffer_add_text(to, "</p>\n");
}

static void owner_part_add_table(const struct owner_rows *rows, enum page_table table,
	const struct page_query *query, struct buffer *to)
{
	size_t shown = rows->count < OWNER_PART_ROWS ? rows->count : OWNER_PART_ROWS;
	uint64_t most = owner_part_most(rows, shown);

	buffer_printf(to,
		"<div class=\"wide\"><table id=\"%s-table\" data-list=\"%s\" data-name=\"%s\">\n",
		page_query_name(table), owner_of(tables[table].kind)->list,
		owner_of(tables[table].kind)->name);
	buffer_printf(to,
		"<caption>%s. " SURE_NOTE " <span class=\"growth\">" GROWTH_NOTE
		"</span></caption>\n",
		tables[table].caption);
	owner_part_add_head(table, query, to);
	buffer_add_text(to, "<tbody>\n");
	for (size_t i = 0; i < shown; i++)
		owner_part_add_row(rows->view, owner_rows_at(rows, i), most, to);
	buffer_add_text(to, "</tbody>\n");
	owner_part_add_rest(rows, shown, to);
	buffer_add_text(to, "</table></div>\n");
}

int owner_part_render(const struct view *view, enum page_table table,
	const struct page_query *query, struct buffer *to)
{
	const char *id = page_query_name(table);
	const struct owner_column *column = columns;
	char at[PAGE_QUERY_AT_SIZE];
	__attribute__((cleanup(owner_rows_done))) struct owner_rows rows = {0};
	int r;

	while (column->order != query->order[table])
		column++;
	r = owner_part_sort(view, tables[table].kind, column, &rows);
	if (r < 0)
		return r;
	buffer_printf(to,
		"<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s</h2>\n",
		id, id, id, tables[table].heading);
	owner_part_add_table(&rows, table, query, to);
	owner_part_add_least_certain(&rows, id, to);
	page_query_format_at(query, "?", at);
	buffer_printf(to, "<p><a href=\"/api/v1/%s%s\">All %s as JSON</a></p>\n</section>\n",
		owner_of(tables[table].kind)->list, at, owner_of(tables[table].kind)->list);
	return to->error;
}
