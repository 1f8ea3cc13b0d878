/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Content Negotiation
 *
 * Decides from the headers Accept, Accept-Encoding and If-None-Match (RFC 9110) which form of an
 * answer a client gets. Parts of a header that cannot be read are ignored; they never refuse a
 * request. Pure.
 */
#ifndef MEMTALLY_WEB_HTTP_NEGOTIATE_H
#define MEMTALLY_WEB_HTTP_NEGOTIATE_H

#include <stdbool.h>

/* The qualities (q) that a request names, in thousandths; -1: not named. */
struct negotiate {
	int openmetrics; /* application/openmetrics-text, version 1.0.0 or none */
	int text;        /* text/plain, version 0.0.4 or none */
	int any_text;    /* text of any kind */
	int any;         /* anything */
	int gzip;
	int identity;
	int any_coding;
};

/* Begins with a request that mentions nothing. */
void negotiate_init(struct negotiate *n);

/* Adds VALUE, the value of one Accept or Accept-Encoding header. A request may have several. */
void negotiate_add_accept(struct negotiate *n, const char *value);
void negotiate_add_encoding(struct negotiate *n, const char *value);

/*
 * Returns true if the client gets OpenMetrics: if it names OpenMetrics with a quality above 0 that
 * is at least that of plain text.
 */
bool negotiate_openmetrics(const struct negotiate *n);

/*
 * Returns true if the client gets gzip: if it accepts gzip with a quality above 0 that is at least
 * that of identity.
 */
bool negotiate_gzip(const struct negotiate *n);

/*
 * Returns true if VALUE, an If-None-Match header, names ETAG ("W/\"...\"") by weak comparison, or
 * is "*".
 */
bool negotiate_etag_matches(const char *value, const char *etag);

#endif
