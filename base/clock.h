/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clocks in nanoseconds. Ages are differences of CLOCK_BOOTTIME (they go on in suspend), work and
 * PSS are measured on CLOCK_MONOTONIC, wall-clock time is for display.
 */
#ifndef MEMTALLY_BASE_CLOCK_H
#define MEMTALLY_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_SEC  UINT64_C(1000000000)
#define NS_PER_MSEC UINT64_C(1000000)
#define NS_PER_USEC UINT64_C(1000)

/* The time of CLOCK (CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME ...). */
uint64_t clock_now_ns(clockid_t clock);

enum { CLOCK_TEXT_SIZE = sizeof("2006-01-02T15:04:05.000Z") };

/* REALTIME_NS as RFC 3339 in UTC with milliseconds, terminated. */
void clock_format_rfc3339(uint64_t realtime_ns, char to[static CLOCK_TEXT_SIZE]);

#endif
