/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a request's head says, and whether it is one that may be answered. The library hands on heads
 * that two servers could read in two ways (Content-Length with Transfer-Encoding, two Hosts): those are
 * refused and the connection closed before anything behind them is read, so that no second request is
 * ever found inside of a body. Pure: headers come in one by one, the verdict comes out.
 */
#ifndef MEMTALLY_WEB_REQUEST_H
#define MEMTALLY_WEB_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "web/host.h"
#include "web/negotiate.h"

struct request {
	const char *path;  /* borrowed; as it came, not decoded */
	size_t path_len;   /* up to the "?" */
	const char *query; /* behind the "?"; NULL: there is none */
	bool is_head;      /* HEAD, not GET */

	/* From the headers; texts are borrowed. */
	unsigned int hosts, content_lengths, transfer_encodings, origins, authorizations;
	bool is_malformed; /* a name that is no token, or a control character in a value */
	bool expects;      /* an Expect header */
	const char *host, *content_length, *origin, *if_none_match, *authorization;
	struct negotiate negotiate;
};

/* Begins a request for TARGET, which stays borrowed. */
void request_init(struct request *rq, const char *target);

/* Takes in a header; VALUE may be NULL. */
void request_add_header(struct request *rq, const char *name, const char *value);

/* A reason to say no. */
struct refusal {
	unsigned int status;
	const char *why;
};

/*
 * Whether the head can be taken for what it seems to be; otherwise the connection has to be closed
 * behind the answer in *ret. VERSION is "HTTP/1.1" or the like.
 */
bool request_is_sound(
	struct request *rq, const char *method, const char *version, struct refusal *ret);

/*
 * Whether a sound request with METHOD may be answered by who is called NAMES. NULL: under any name, where
 * the asker is known by other things, so that a page's rebinding gains nothing.
 */
bool request_is_allowed(struct request *rq, const char *method, const struct host_names *names,
	struct refusal *ret);

#endif
