/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which form of an answer a client wants: Accept, Accept-Encoding and If-None-Match (RFC 9110). A part
 * of a header that can't be read is passed over; nobody is refused for his taste. Pure.
 */
#ifndef MEMTALLY_WEB_NEGOTIATE_H
#define MEMTALLY_WEB_NEGOTIATE_H

#include <stdbool.h>

/* Qualities in thousandths; -1: not spoken of. */
struct negotiate {
	int openmetrics; /* application/openmetrics-text, version 1.0.0 or unsaid */
	int text;        /* text/plain, version 0.0.4 or unsaid */
	int any_text;    /* text of any kind */
	int any;         /* anything */
	int gzip;
	int identity;
	int any_coding;
};

void negotiate_init(struct negotiate *n);

/* Takes in the value of one Accept or Accept-Encoding header; a request may have several. */
void negotiate_add_accept(struct negotiate *n, const char *value);
void negotiate_add_encoding(struct negotiate *n, const char *value);

/* Only a client that names OpenMetrics, and likes it at least as much as plain text, gets it. */
bool negotiate_openmetrics(const struct negotiate *n);

bool negotiate_gzip(const struct negotiate *n);

/* Whether an If-None-Match header of VALUE names ETAG ("W/\"...\""), by the weak comparison. */
bool negotiate_etag_matches(const char *value, const char *etag);

#endif
