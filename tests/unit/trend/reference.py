#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the results that the tests of trend/ expect, computed from the definitions, without a line of trend/.

Mann 1945 and Kendall 1975 for the test, Hamed and Rao 1998 for its correction, Sen 1968 for the slope and its bounds.
"""
import math
import statistics

# The series of series.h: memory in MiB for each five minutes, with a gap after the twelfth.
VALUES = [100, 103, 101, 104, 104, 108, 107, 109, 113, 112, 112, 116,
          121, 119, 123, 122, 127, 125, 131, 130, 129, 134, 137, 135]
TIMES = [300 * (i if i < 12 else i + 3) for i in range(len(VALUES))]
# One that wanders, so that neighbours are alike.
WANDERING = [50, 52, 55, 57, 58, 57, 55, 52, 50, 49, 50, 53, 57, 60, 62, 63, 62, 60, 57, 55, 54, 55, 58, 62]
NORMAL = statistics.NormalDist()


def rises(values):
    return sum((b > a) - (b < a) for i, a in enumerate(values) for b in values[i + 1:])


def variance(values):
    n = len(values)
    ties = sum(t * (t - 1) * (2 * t + 5) for t in (values.count(v) for v in set(values)))
    return (n * (n - 1) * (2 * n + 5) - ties) / 18


def slopes(times, values):
    return sorted((values[j] - values[i]) / (times[j] - times[i])
                  for i in range(len(values)) for j in range(i + 1, len(values)))


def correction(times, values, slope):
    n = len(values)
    residuals = [round(v - slope * (t - times[0]), 9) for t, v in zip(times, values)]
    ranks = [sum(other < r for other in residuals) + (residuals.count(r) + 1) / 2 - (n + 1) / 2 for r in residuals]
    total = 0
    for lag in range(1, n - 2):
        rho = sum(a * b for a, b in zip(ranks, ranks[lag:])) / sum(r * r for r in ranks)
        if rho < NORMAL.inv_cdf(0.95) / math.sqrt(n):
            break
        total += (n - lag) * (n - lag - 1) * (n - lag - 2) * rho
    return max(1, 1 + 2 * total / (n * (n - 1) * (n - 2)))


def show(name, times, values):
    all_slopes = slopes(times, values)
    slope = statistics.median(all_slopes)
    factor = correction(times, values, slope)
    spread = factor * variance(values)
    s = rises(values)
    c = NORMAL.inv_cdf(0.975) * math.sqrt(spread)
    low = max(math.floor((len(all_slopes) - c) / 2), 1)
    high = min(math.ceil((len(all_slopes) + c) / 2 + 1), len(all_slopes))
    print(f"{name}: s {s} independent variance {variance(values):.10g} correction {factor:.10g}")
    print(f"    z {(s - (s > 0) + (s < 0)) / math.sqrt(spread):.10g} slope an hour {3600 * slope:.10g} "
          f"low {3600 * all_slopes[low - 1]:.10g} high {3600 * all_slopes[high - 1]:.10g}")


if __name__ == "__main__":
    show("growing", TIMES, VALUES)
    show("wandering", [300 * i for i in range(len(WANDERING))], WANDERING)
