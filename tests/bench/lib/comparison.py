# SPDX-License-Identifier: Apache-2.0
"""Comparison of snapshots with the truth.

The truth is PSS from smaps_rollup, read right after the snapshot's pass, while the processes stand
still. Only processes of the benchmark's own users count (adaptive.FIRST_UID to LAST_UID).
"""
import math
import sys
import time

sys.dont_write_bytecode = True
import adaptive  # noqa: E402

MIB = 1 << 20


def quantile(values, q):
    """Returns the least value of VALUES that is not below the part Q of them; 0 if there are none.
    """
    values = sorted(values)
    return values[max(0, math.ceil(q * len(values)) - 1)] if values else 0.0


class Sample:
    """One snapshot and the truth of the same moment.

    IMAGE is the snapshot, TRUTH a line of tests/bench/helpers/truth. users, programs and processes map a uid, a name or a pid to
    (truth, estimate, low, high, number of processes), all but the last in bytes. The kernel rounds the PSS of each process
    down to KiB.
    """

    def __init__(self, image, truth):
        self.rows = {row["pid"]: row for row in image.processes() if adaptive.is_herd(row["uid"])}
        self.truth = {pid: kib * 1024 for pid, _, kib in truth["processes"]}
        self.uid = {pid: uid for pid, uid, _ in truth["processes"]}
        self.skew = (truth["end_ns"] - image.header.begin_ns) / 1e9
        self.users = self._compare({row["uid"]: row for row in image.scopes("users", "user")}, self.uid.get)
        program = {pid: row["program"] for pid, row in self.rows.items()}
        self.programs = self._compare({row["program"]: row for row in image.scopes("programs", "program")},
                                      program.get)
        self.processes = self._compare(self.rows, lambda pid: pid)
        self.oldest_seconds = max((row.get("age_seconds", 0) for row in self.rows.values()), default=0)
        self.unknown = sum(pid not in self.rows for pid in self.truth)
        self.unmeasured = sum("pss_bytes" not in row for pid, row in self.rows.items() if pid in self.truth)

    def _compare(self, rows, key_of):
        """Compares each key that KEY_OF gives for a pid. ROWS are the snapshot's rows by key."""
        sums, counts = {}, {}
        for pid, value in self.truth.items():
            key = key_of(pid)
            if key is not None:
                sums[key] = sums.get(key, 0) + value
                counts[key] = counts.get(key, 0) + 1
        found = {}
        for key, value in sums.items():
            row = rows.get(key, {})
            estimate = row.get("pss_bytes", 0)
            found[key] = (value, estimate, row.get("pss_low_bytes", estimate), row.get("pss_high_bytes", estimate),
                          counts[key])
        return found


def relative_errors(compared):
    """Returns |estimate - truth| / truth of each comparison with a truth above 0."""
    return [abs(estimate - truth) / truth for truth, estimate, *_ in compared.values() if truth]


def process_errors(compared):
    """Returns |estimate - truth| divided by the allowed error of a process: 2 % of the truth, and at
    least 1 MiB."""
    return [abs(estimate - truth) / max(0.02 * truth, MIB) for truth, estimate, *_ in compared.values()]


def is_outside(row):
    """Returns whether the truth lies outside the bounds. The kernel may have rounded away 1 KiB of
    each process."""
    truth, _, low, high, count = row
    return low >= truth + 1024 * count or high < truth


def outside(compared):
    """Returns the keys with a truth outside their bounds."""
    return [key for key, row in compared.items() if is_outside(row)]


def width(compared):
    """Returns the width of the bounds of all comparisons as a part of their estimates."""
    estimates = sum(row[1] for row in compared.values())
    return sum(row[3] - row[2] for row in compared.values()) / estimates if estimates else 0.0


def shared_names(image):
    """Returns the names of programs that other users run, too."""
    return {row["program"] for row in image.processes() if not adaptive.is_herd(row["uid"])}


class Errors:
    """Statistics of comparisons, of one scope or of one user or program."""

    def __init__(self):
        self.errors, self.outside, self.beyond_worst = [], 0, 0.0
        self.truth_bytes = self.error_bytes = self.width_bytes = self.beyond_bytes = 0

    def add(self, row, drift_bytes=0):
        """Adds a comparison (see Sample). One with a truth of 0 has no relative error and does not
        count.

        DRIFT_BYTES: the truth may have differed by this much at the time of the pass. Errors are
        counted both in full and less the drift. The truth counts as within the bounds if it may
        have been.
        """
        truth, estimate, low, high, count = row
        if not truth:
            return
        error_bytes = abs(estimate - truth)
        beyond_bytes = max(0, error_bytes - drift_bytes)
        self.errors.append(error_bytes / truth)
        self.outside += is_outside((truth, estimate, low - drift_bytes, high + drift_bytes, count))
        self.truth_bytes += truth
        self.error_bytes += error_bytes
        self.width_bytes += high - low
        self.beyond_bytes += beyond_bytes
        self.beyond_worst = max(self.beyond_worst, beyond_bytes / truth)

    def figures(self):
        """Returns errors and width as parts of the PSS; None if nothing was compared. Weighted: the
        mean, weighted by PSS."""
        if not self.errors:
            return None
        count = len(self.errors)
        return {"compared": count, "pss_bytes_mean": self.truth_bytes / count,
                "error_median": quantile(self.errors, 0.5), "error_p95": quantile(self.errors, 0.95),
                "error_worst": max(self.errors), "error_weighted": self.error_bytes / self.truth_bytes,
                "beyond_drift_worst": self.beyond_worst, "beyond_drift_weighted": self.beyond_bytes / self.truth_bytes,
                "in_bounds": 1 - self.outside / count, "width": self.width_bytes / self.truth_bytes}


def sample_next(client, truth, hold, last):
    """Returns the snapshot of the next pass and its truth. HOLD is a context in which the processes do
    not change. LAST is the header of the latest snapshot."""
    lead_ns = min(last.interval_ns // 5, 100_000_000)
    adaptive.sleep_until_boottime(last.begin_ns + last.interval_ns - lead_ns)
    with hold:
        now = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        image = client.receive()
        while image.header.begin_ns < now:
            image = client.receive()
        found = truth.read()
    return image, found
