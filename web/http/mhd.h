/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libmicrohttpd
 *
 * Includes the library and hides the differences between its versions. No other file looks at
 * MHD_VERSION.
 */
#ifndef MEMTALLY_WEB_HTTP_MHD_H
#define MEMTALLY_WEB_HTTP_MHD_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* No chunked encoding: the connection ends after a body of unknown length. */
#if MHD_VERSION >= 0x00097400
enum { MHD_WITHOUT_CHUNKS = MHD_RF_HTTP_1_0_COMPATIBLE_STRICT };
#else
enum { MHD_WITHOUT_CHUNKS = MHD_RF_HTTP_VERSION_1_0_ONLY };
#endif

/*
 * Returns the milliseconds until MHD_run() is due without an event; -1 if it is not due without
 * one.
 */
static inline int64_t mhd_timeout_ms(struct MHD_Daemon *daemon)
{
#if MHD_VERSION >= 0x00097601
	return MHD_get_timeout64s(daemon);
#else
	MHD_UNSIGNED_LONG_LONG timeout;

	if (MHD_get_timeout(daemon, &timeout) != MHD_YES)
		return -1;
	return timeout < INT32_MAX ? (int64_t)timeout : INT32_MAX;
#endif
}

/*
 * Prevents the library from reading the client's Content-Length and Cookie. The library uses the
 * first header of each name, and mhd_preempt() makes VALUES, static texts, the first ones of these
 * two names. Call it in the URI log callback, before the library has read any header; later these
 * two come first among CONNECTION's headers. Returns false if there is no memory.
 *
 * Reason: in 0.9.75 MHD_connection_handle_idle() does not look at the state that
 * parse_connection_headers() leaves. If that has prepared a refusal (a Content-Length that is no
 * number or too large, no memory for cookies), its head is built a second time and sent after the
 * first one. So the access handler has to refuse such requests.
 */
struct mhd_values {
	const char *content_length, *cookie;
};

static inline bool mhd_preempt(struct MHD_Connection *connection, const struct mhd_values *values)
{
#if MHD_VERSION >= 0x01000000
	(void)connection;
	(void)values;
	return true;
#else
	return MHD_set_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH,
		       values->content_length) == MHD_YES &&
	       MHD_set_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_COOKIE,
		       values->cookie) == MHD_YES;
#endif
}

/*
 * Returns true if METHOD, TARGET of LEN bytes and VERSION follow each other in the request line
 * with one space between them. All three point into the library's buffer. Before version 1.0 the
 * library takes a NUL as the end of the method or the target without an error: "/metrics\0x" would
 * look like "/metrics". Version 1.0 and later refuse such a line themselves, so the result is
 * always true.
 */
static inline bool mhd_is_line_whole(
	const char *method, const char *target, size_t len, const char *version)
{
#if MHD_VERSION >= 0x01000000
	(void)method;
	(void)target;
	(void)len;
	(void)version;
	return true;
#else
	uintptr_t m = (uintptr_t)method, t = (uintptr_t)target, v = (uintptr_t)version;

	return t == m + strlen(method) + 1 && v == t + len + 1;
#endif
}

#endif
