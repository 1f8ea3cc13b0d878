/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clocks in Nanoseconds
 *
 * CLOCK_BOOTTIME is for ages, because it goes on during suspend. CLOCK_MONOTONIC is for CPU work
 * and intervals. CLOCK_REALTIME is for display.
 */
#ifndef MEMTALLY_BASE_CLOCK_H
#define MEMTALLY_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_SEC  UINT64_C(1000000000)
#define NS_PER_MSEC UINT64_C(1000000)
#define NS_PER_USEC UINT64_C(1000)

/*
 * Returns the time of CLOCK (CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME or a CPU clock) in
 * nanoseconds; 0 if the kernel does not have CLOCK.
 */
uint64_t clock_now_ns(clockid_t clock);

enum { CLOCK_TEXT_SIZE = sizeof("2006-01-02T15:04:05.000Z") };

/*
 * Writes REALTIME_NS, nanoseconds since 1970, to TO as a terminated text in UTC with milliseconds
 * (RFC 3339). A time after the year 9999 is written as one of 1970-01-01T00:00:00.
 */
void clock_format_rfc3339(uint64_t realtime_ns, char to[static CLOCK_TEXT_SIZE]);

#endif
