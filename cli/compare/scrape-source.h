/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where scrapes come from
 *
 * Gets the text of a scrape over HTTP, from a file or from standard input.
 */
#ifndef MEMTALLY_CLI_COMPARE_SCRAPE_SOURCE_H
#define MEMTALLY_CLI_COMPARE_SCRAPE_SOURCE_H

#include <stdbool.h>

#include "base/buffer.h"

enum {
	SCRAPE_SOURCE_TIMEOUT_S = 10, /* from the connection to the last byte of the answer */
	SCRAPE_SOURCE_MAX_MIB = 64,
	SCRAPE_SOURCE_ERROR_SIZE = 512,
};

/*
 * Returns true if the scrape that FROM names may have been made while this process ran: FROM is a URL
 * (it begins with http:// or https://), or "-" and standard input is no regular file.
 */
bool scrape_source_is_fresh(const char *from);

/*
 * Reads the text that FROM names into *RET, which is empty: "-" is standard input, any other
 * text that is no URL a file. Follows no redirects, and uses no proxy.
 *
 * Returns 0; -ENOMEM; or -EIO with a sentence for the user in ERROR, which begins with FROM: it
 * cannot be read, it is a URL and libcurl is not installed, it has more than SCRAPE_SOURCE_MAX_MIB,
 * or the answer is none within SCRAPE_SOURCE_TIMEOUT_S or another one than 200.
 */
int scrape_source_read(
	const char *from, struct buffer *ret, char error[static SCRAPE_SOURCE_ERROR_SIZE]);

#endif
