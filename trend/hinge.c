/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "trend/hinge.h"

/*
 * Returns how much of the variation of FLOOR the level that turns at floor TURN explains: the sum of
 * squares that the fit removes.
 */
static double explained_by(const struct trend_floor *floor, size_t count, size_t turn)
{
	double n = (double)count, x_sum = 0, xx_sum = 0, y_sum = 0, xy_sum = 0, xx, xy;

	for (size_t i = 0; i < count; i++) {
		double x = i > turn ? (double)(floor[i].at_s - floor[turn].at_s) : 0;
		double y = floor[i].value - floor[0].value;

		x_sum += x;
		xx_sum += x * x;
		y_sum += y;
		xy_sum += x * y;
	}
	xx = xx_sum - x_sum * x_sum / n;
	xy = xy_sum - x_sum * y_sum / n;
	return xx > 0 ? xy * xy / xx : 0;
}

int64_t hinge_find(const struct trend_floor *floor, size_t count)
{
	double best = -1;
	size_t found = 0;

	for (size_t turn = 0; turn + 2 < count; turn++) {
		double explained = explained_by(floor, count, turn);

		if (explained > best) {
			best = explained;
			found = turn;
		}
	}
	return floor[found].at_s;
}
