/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTML Text
 *
 * The one place that writes texts of others, such as the names of processes, into HTML. All other
 * text of the page is ours. Pure; errors are in TO.error.
 */
#ifndef MEMTALLY_WEB_PAGE_HTML_H
#define MEMTALLY_WEB_PAGE_HTML_H

#include <stdint.h>

#include "base/buffer.h"

/*
 * Appends TEXT, terminated UTF-8, so that HTML shows it unchanged, as content of an element or
 * between the quotes of an attribute.
 */
void html_add_text(struct buffer *to, const char *text);

/*
 * Appends NAME, a name that users choose, in an element of its own: its direction of writing does
 * not reach the text around it.
 */
void html_add_name(struct buffer *to, const char *name);

/*
 * Appends PART of WHOLE in percent with two decimals and a "%" for an attribute, at most "100.00%";
 * "0.00%" if WHOLE is 0.
 */
void html_add_share(struct buffer *to, uint64_t part, uint64_t whole);

#endif
