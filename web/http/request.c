/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/http/request.h"

#include <string.h>
#include <strings.h>

#include "base/cleanup.h"

void request_init(struct request *rq, const char *target)
{
	*rq = (struct request){.path = target, .path_len = strcspn(target, "?")};
	if (target[rq->path_len])
		rq->query = target + rq->path_len + 1;
	negotiate_init(&rq->negotiate);
}

/* RFC 9110, 5.6.2. */
static bool is_token(const char *text)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789!#$%&'*+-.^_`|~";

	return *text && !text[strspn(text, allowed)];
}

static bool has_controls(const char *text)
{
	for (; *text; text++)
		if (((unsigned char)*text < 0x20 && *text != '\t') || *text == 0x7f)
			return true;
	return false;
}

/* Returns false if the target has blanks or control characters: honest clients escape them. */
static bool is_target(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text <= ' ' || *text == 0x7f)
			return false;
	return true;
}

/*
 * Returns true for a framing header that continues on a second line. libmicrohttpd 0.9.75 appends
 * that line to the header's name: "Content-Length:\r\n 5" becomes "Content-Length5".
 */
static bool is_folded_framing(const char *name)
{
	static const char *const framing[] = {"Content-Length", "Transfer-Encoding"};

	for (size_t i = 0; i < ARRAY_SIZE(framing); i++) {
		size_t len = strlen(framing[i]);

		if (!strncasecmp(name, framing[i], len) && name[len])
			return true;
	}
	return false;
}

/* RFC 9110, 8.6: digits only. Some servers accept "+5" and "0x5" as lengths, others do not. */
static bool is_length(const char *value)
{
	return *value && !value[strspn(value, "0123456789")];
}

void request_add_header(struct request *rq, const char *name, const char *value)
{
	if (!value)
		value = "";
	if (!is_token(name) || has_controls(value) || is_folded_framing(name))
		rq->is_malformed = true;
	if (!strcasecmp(name, "Host")) {
		rq->hosts++;
		rq->host = value;
	} else if (!strcasecmp(name, "Content-Length")) {
		rq->content_lengths++;
		rq->content_length = value;
		rq->is_malformed |= !is_length(value);
	} else if (!strcasecmp(name, "Transfer-Encoding")) {
		rq->transfer_encodings++;
	} else if (!strcasecmp(name, "Expect")) {
		rq->expects = true;
	} else if (!strcasecmp(name, "Origin")) {
		rq->origins++;
		rq->origin = value;
	} else if (!strcasecmp(name, "Authorization")) {
		rq->authorizations++;
		rq->authorization = value;
	} else if (!strcasecmp(name, "If-None-Match")) {
		rq->if_none_match = value;
	} else if (!strcasecmp(name, "Accept")) {
		negotiate_add_accept(&rq->negotiate, value);
	} else if (!strcasecmp(name, "Accept-Encoding")) {
		negotiate_add_encoding(&rq->negotiate, value);
	}
}

static bool request_refuse(struct refusal *ret, unsigned int status, const char *why)
{
	*ret = (struct refusal){.status = status, .why = why};
	return false;
}

static bool is_readable(const char *method)
{
	return !strcmp(method, "GET") || !strcmp(method, "HEAD");
}

bool request_is_sound(
	struct request *rq, const char *method, const char *version, struct refusal *ret)
{
	bool has_body = rq->transfer_encodings ||
	                (rq->content_lengths && strcmp(rq->content_length, "0") != 0);

	if (rq->is_malformed || !is_token(method) || !is_target(rq->path))
		return request_refuse(ret, 400, "a malformed head");
	if (rq->hosts > 1 || rq->content_lengths > 1 || rq->origins > 1 || rq->authorizations > 1 ||
		(rq->transfer_encodings && rq->content_lengths))
		return request_refuse(ret, 400, "headers that contradict each other");
	if (!rq->hosts && strcmp(version, "HTTP/1.0") != 0)
		return request_refuse(ret, 400, "the Host header is missing");
	if (has_body && !is_readable(method))
		return request_refuse(ret, 405, "only GET and HEAD are answered");
	if (rq->transfer_encodings)
		return request_refuse(ret, 400, "a request must not have a body");
	if (has_body)
		return request_refuse(ret, 413, "a request must not have a body");
	if (rq->expects)
		return request_refuse(ret, 417, "no expectation can be met");
	return true;
}

bool request_is_allowed(
	struct request *rq, const char *method, const struct host_names *names, struct refusal *ret)
{
	rq->is_head = !strcmp(method, "HEAD");
	if (!is_readable(method))
		return request_refuse(ret, 405, "only GET and HEAD are answered");
	if (rq->host && !host_is_valid(rq->host))
		return request_refuse(ret, 400, "the Host header is malformed");
	if (rq->host && names && !host_is_served(rq->host, names))
		return request_refuse(ret, 421, "this host is not served here (web.allowed_hosts)");
	if (rq->origin && !(rq->host && host_is_same_origin(rq->origin, rq->host)))
		return request_refuse(ret, 403, "requests from other sites are not answered");
	return true;
}
