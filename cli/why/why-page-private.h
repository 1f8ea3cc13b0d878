/* SPDX-License-Identifier: Apache-2.0 */
/* For the sources of cli/why/why-page.h alone. */
#ifndef MEMTALLY_CLI_WHY_WHY_PAGE_PRIVATE_H
#define MEMTALLY_CLI_WHY_WHY_PAGE_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cli/why/facts/findings.h"

struct why_page {
	const struct findings *f;
	bool is_exact;
	struct buffer *to;
};

/* These append TEXT; BYTES; a time, with a date if it is of another day than the event. */
void why_page_add_text(const struct why_page *p, const char *text);
void why_page_add_bytes(const struct why_page *p, uint64_t bytes);
void why_page_add_time(const struct why_page *p, uint64_t at_ns);
void why_page_add_view_time(const struct why_page *p, const struct view *view);

/* Begins a row of a list: SIGN and BYTES in their column, and two blanks. */
void why_page_begin_row(const struct why_page *p, const char *sign, uint64_t bytes);

/* Returns the last snapshot before the event. */
const struct view *why_page_before(const struct why_page *p);

/* Returns the first snapshot after the event; NULL: there is none. */
const struct view *why_page_after(const struct why_page *p);

/* Appends "between A and B": the last snapshot before the event, and the first that shows all of it. */
void why_page_add_between(const struct why_page *p);

/* These append lines: where the kernel killed processes, and which processes are gone. */
void why_page_add_oom(const struct why_page *p);
void why_page_add_vanished(const struct why_page *p);

#endif
