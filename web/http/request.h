/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Request Heads
 *
 * Collects the head of a request and decides whether it may be answered. libmicrohttpd passes on
 * heads that two servers could read in two ways (Content-Length with Transfer-Encoding, two Hosts).
 * These are refused, and the connection is closed before anything after them is read. So no bytes
 * of a body can be taken for a second request. Pure: headers are added one by one.
 */
#ifndef MEMTALLY_WEB_HTTP_REQUEST_H
#define MEMTALLY_WEB_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "web/http/host.h"
#include "web/http/negotiate.h"

struct request {
	const char *path;  /* borrowed; not decoded */
	size_t path_len;   /* bytes up to the "?" */
	const char *query; /* borrowed; the text after the "?"; NULL: none */
	bool is_head;      /* HEAD, not GET */

	/*
	 * From the headers: how many there were of each name, then values. Texts are borrowed;
	 * NULL: no such header.
	 */
	unsigned int hosts, content_lengths, transfer_encodings, origins, authorizations;
	bool is_malformed; /* a bad name, value or length */
	bool expects;      /* an Expect header */
	const char *host, *content_length, *origin, *if_none_match, *authorization;
	struct negotiate negotiate;
};

/* Begins a request for TARGET, which stays borrowed. */
void request_init(struct request *rq, const char *target);

/* Adds a header. NAME and VALUE stay borrowed; VALUE may be NULL. */
void request_add_header(struct request *rq, const char *name, const char *value);

/* An answer that refuses a request. */
struct refusal {
	unsigned int status;
	const char *why;
};

/*
 * Returns true if the head is unambiguous and has no body. VERSION is the version in the request
 * line, such as "HTTP/1.1". Otherwise returns false with the refusal in *RET, after which the
 * connection must be closed.
 */
bool request_is_sound(
	struct request *rq, const char *method, const char *version, struct refusal *ret);

/*
 * Returns true if a sound request with METHOD may be answered. NAMES are the names that the Host
 * header may have; NULL: any name, if the client is identified by other means, so that DNS
 * rebinding gains nothing. Otherwise returns false with the refusal in *RET. Sets .is_head.
 */
bool request_is_allowed(struct request *rq, const char *method, const struct host_names *names,
	struct refusal *ret);

#endif
