/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of the Page
 *
 * The order of the page's tables, as in "/?users=rss&programs=growth". Pure.
 */
#ifndef MEMTALLY_WEB_PAGE_PAGE_QUERY_H
#define MEMTALLY_WEB_PAGE_PAGE_QUERY_H

#include <stddef.h>

#include "snapshot/query.h"

/* The orders of a table: each is a column. */
enum page_order {
	PAGE_ORDER_NAME,
	PAGE_ORDER_PSS,
	PAGE_ORDER_DOUBT, /* the width of the bounds of the PSS */
	PAGE_ORDER_GROWTH,
	PAGE_ORDER_RSS,
	PAGE_ORDER_SWAP,
	PAGE_ORDER_PROCESSES,
	PAGE_ORDERS
};

/* The tables of the page. */
enum page_table { PAGE_TABLE_USERS, PAGE_TABLE_PROGRAMS, PAGE_TABLES };

struct page_query {
	enum page_order order[PAGE_TABLES];
	uint64_t
		at_ns; /* CLOCK_REALTIME of the snapshot of the past that is shown; 0: the present */
};

enum { PAGE_QUERY_AT_SIZE = 40 };

/*
 * Writes BEFORE and the parameter that asks for the snapshot of Q: "at=1700000000.250"; an empty text
 * if that is the present one. BEFORE is at most 8 bytes.
 */
void page_query_format_at(
	const struct page_query *q, const char *before, char to[static PAGE_QUERY_AT_SIZE]);

/* Returns the word for ORDER in a query, such as "rss". */
const char *page_query_word(enum page_order order);

/* Returns the parameter that orders TABLE, which is also the id of its section. */
const char *page_query_name(enum page_table table);

/*
 * Parses LEN bytes at QUERY, the text after the "?" of the target; QUERY may be NULL if LEN is 0.
 * Tables that QUERY does not name are ordered by PSS. Other parameters are ignored. Returns 0 and
 * sets *RET; or -EINVAL with a sentence for the client in ERROR if a table has no such order or is
 * named twice. What follows a malformed parameter is ignored.
 */
int page_query_parse(
	const char *query, size_t len, struct page_query *ret, char error[static QUERY_ERROR_SIZE]);

#endif
