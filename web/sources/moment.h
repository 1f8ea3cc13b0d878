/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moments of the past
 *
 * The parameter at=TIME of answers that exist for each recorded moment. Pure, but for the time zone
 * (base/when.h).
 */
#ifndef MEMTALLY_WEB_SOURCES_MOMENT_H
#define MEMTALLY_WEB_SOURCES_MOMENT_H

#include <stddef.h>
#include <stdint.h>

#include "snapshot/past.h"
#include "snapshot/query.h"

/* The forms of a time, as in "'at' must be ...": those of when_parse_moment(), and seconds. */
#define MOMENT_FORMS                                                                               \
	"a time (2026-11-28T03:12:46Z), seconds since 1970 (1795835566), a date or time of the "   \
	"host (2026-11-28, 2026-11-28 03:12, 03:12, yesterday 03:12, today, yesterday, now), a "   \
	"duration ago (15m, -15m)"

#define MOMENT_KEY "at"

enum {
	MOMENT_NONE = 1, /* outcome of moment_find(): there is no such parameter */
	MOMENT_TEXT_SIZE = 24,
};

/* A moment that a client asks for. */
struct moment {
	enum past_pick pick; /* PAST_AT or PAST_OOM */
	/*
	 * CLOCK_REALTIME: the end of the second or of the fraction that was given, so that the time
	 * of a snapshot is a moment with that snapshot.
	 */
	uint64_t at_ns;
};

/*
 * Parses TEXT: seconds since the epoch, with or without a fraction; "oom", the last snapshot before
 * the last OOM kill; or what when_parse_moment() takes, also with a blank for the "+" of an offset.
 * NOW_S is the current time in seconds since the epoch. Returns 0; or -EINVAL.
 */
int moment_parse(const char *text, int64_t now_s, struct moment *ret);

/*
 * Finds the moment in the parameters QUERY, LEN bytes; QUERY may be NULL if LEN is 0. Returns 0;
 * MOMENT_NONE; or -EINVAL with a sentence for the client in ERROR if the moment is wrong or is given
 * twice. Behind a malformed parameter nothing is found.
 */
int moment_find(const char *query, size_t len, int64_t now_s, struct moment *ret,
	char error[static QUERY_ERROR_SIZE]);

/* Formats the time NS as local time for people: "2026-11-28 03:12:46". */
void moment_format(uint64_t ns, char to[static MOMENT_TEXT_SIZE]);

#endif
