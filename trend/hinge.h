/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a series begins to grow
 *
 * Fits a level that turns into a line, by least squares, and finds the point where it turns. Pure.
 */
#ifndef MEMTALLY_TREND_HINGE_H
#define MEMTALLY_TREND_HINGE_H

#include <stddef.h>
#include <stdint.h>

#include "trend/floors.h"

/*
 * Returns the time, in seconds since the epoch, at which the level of the COUNT floors FLOOR best
 * turns into a line: that of one of them before the last two. COUNT is at least 4. Takes COUNT *
 * COUNT steps.
 */
int64_t hinge_find(const struct trend_floor *floor, size_t count);

#endif
