# SPDX-License-Identifier: Apache-2.0
"""Common parts of the benchmarks of adaptive mode: herds, a memtallyd with shortened times, and the
truth.

By default memtallyd polls every process each 10 s and measures each at least every 5 minutes. Here
both times are shortened by one factor, to 1 s and 30 s by default, and --budget.cpu is raised by
that factor. So a pass does the same work as at the defaults, and a maximum age takes half a minute.
"""
import json
import os
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import bench

# Users and names of no other herd on this machine, whose processes would count as ours.
FIRST_UID = 500_000_000 + os.getpid() % 50000 * 10000
LAST_UID = FIRST_UID + 9999
TAG = f"{os.getpid() % 0xfffff:x}."
DEFAULT_INTERVAL_MS, DEFAULT_BUDGET = 10000, 1.0

# Private memory of a member is 13 MiB, 0.5 MiB or 1 GiB. The shared parts make its PSS smaller or
# larger.
HERDS = {
    "A": {"members": 1000, "private_kib": 10240, "cow_kib": 1536, "file_kib": 1024, "memfd_kib": 512, "vmas": 300,
          "uids": 50, "programs": 25, "group": 20, "name": f"a{TAG}"},
    "B": {"members": 5000, "private_kib": 256, "cow_kib": 128, "file_kib": 64, "memfd_kib": 64, "vmas": 4,
          "uids": 200, "programs": 100, "group": 20, "name": f"b{TAG}"},
    "C": {"members": 10, "private_kib": 1 << 20, "vmas": 1, "uids": 10, "programs": 5, "group": 1, "name": f"c{TAG}"},
}
# Two herds that run at the same time must not share users.
FIRST_UIDS = {"A": FIRST_UID, "B": FIRST_UID + 1000, "C": FIRST_UID + 2000}


def add_options(parser, has_scale=True):
    parser.add_argument("--mode", default="adaptive", help="of memtallyd (adaptive)")
    parser.add_argument("--interval-ms", type=int, default=1000, help="milliseconds between two passes (1000)")
    parser.add_argument("--proportion", type=int, default=30, help="intervals in a maximum age (30)")
    parser.add_argument("--cycles", type=float, default=2, help="duration of the measurement, in maximum ages (2)")
    parser.add_argument("--warm-up", type=float, default=1, help="maximum ages before (1)")
    if has_scale:
        parser.add_argument("--scale", type=float, default=1,
                            help="factor for each herd's members, or for their memory if they are few (1)")
    parser.add_argument("--flag", action="append", default=[], help="an additional flag of memtallyd")
    parser.add_argument("--alone", action="store_true",
                        help="in a pid namespace of its own, where no other processes count; memtallyd does without "
                        "the host's sums there")


def begin(options):
    """Enters a pid namespace if requested. Skips the benchmark if it cannot run."""
    if os.geteuid() != 0:
        bench.skip("only root can have processes of several users")
    if options.alone and "MEMTALLY_BENCH_ALONE" not in os.environ:
        os.environ["MEMTALLY_BENCH_ALONE"] = "1"
        os.execvp("unshare", ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", sys.executable, *sys.argv])


def herd_options(name, scale, **more):
    chosen = dict(HERDS[name]) | {"first_uid": FIRST_UIDS[name]} | more
    if name == "C":
        chosen["private_kib"] = max(1024, int(chosen["private_kib"] * scale))
    else:
        chosen["members"] = max(chosen["group"], int(chosen["members"] * scale))
        for part in ("active", "churn"):
            if part in chosen:
                chosen[part] = max(1, int(chosen[part] * scale))
    return chosen


def daemon_flags(options, interval_ms=None, max_age_ms=None, budget=None):
    interval_ms = interval_ms or options.interval_ms
    flags = [f"--interval={interval_ms}ms", f"--pss.mode={options.mode}"]
    if options.mode == "adaptive":
        budget = budget or min(100.0, DEFAULT_BUDGET * DEFAULT_INTERVAL_MS / interval_ms)
        flags += [f"--pss.max-age={max_age_ms or interval_ms * options.proportion}ms", f"--budget.cpu={budget:g}%"]
    return flags + options.flag


class Floor:
    """The bare loop over smaps_rollup of all processes. Each pass runs on request."""

    def __init__(self, rig, *files, proc="/proc"):
        self.process = rig.start(os.path.join(bench.BUILD, "tests/bench/helpers/floor"), f"--proc={proc}", "--on-demand",
                                 *(files or ("smaps_rollup",)), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 text=True)

    def run(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


class Truth:
    """Current PSS of the herds' processes, from the kernel."""

    def __init__(self, rig):
        self.process = rig.start(os.path.join(bench.BUILD, "tests/bench/helpers/truth"), f"--first-uid={FIRST_UID}",
                                 f"--last-uid={LAST_UID}", stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def read(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


class Servers:
    """Servers that fork workers, controlled line by line."""

    def __init__(self, rig, **options):
        options.setdefault("name", f"s{TAG}")
        flags = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
        self.process = rig.start(os.path.join(bench.BUILD, "tests/herd/servers"), *flags, stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.endswith("]}\n"):
            sys.exit(f"the servers failed: {rig.log('servers')}")
        self.pids = json.loads(line.removeprefix("READY "))["pids"]

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if answer != "OK\n":
            sys.exit(f"the servers say {answer!r} to {line!r}")


class Hold:
    """Context in which no process of the benchmark changes: from the compared pass until the truth is
    read.

    Herds and servers are asked to pause and complete their current step, since a new member or
    worker would otherwise continue. Active members are stopped.
    """

    def __init__(self, herd=None, truth_path=None, servers=(), births=0):
        self.herd, self.truth_path, self.servers, self.births = herd, truth_path, servers, births
        self.active = []

    def _find_active(self):
        with open(self.truth_path, encoding="ascii") as file:
            return [member["pid"] for member in json.load(file) if member["active"]]

    @staticmethod
    def _is_stopped(pid):
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] == b"T"

    def __enter__(self):
        for server in self.servers:
            server.tell("still")
        if self.herd:
            self.herd.send_signal(signal.SIGUSR2)
            if self.herd.stdout.readline() != "HELD\n":
                sys.exit("the herd does not hold")
        self.active = self._find_active() if self.truth_path else []
        for pid in self.active:
            os.kill(pid, signal.SIGSTOP)
        while not all(map(self._is_stopped, self.active)):
            time.sleep(0.001)

    def __exit__(self, *_):
        for pid in self.active:
            os.kill(pid, signal.SIGCONT)
        if self.herd:
            self.herd.send_signal(signal.SIGUSR2)
        self.churn()

    def churn(self):
        """Starts .births births a second in each server, and as many exits."""
        for server in self.servers:
            server.tell(f"churn {self.births}")


def sleep_until_boottime(due_ns):
    left_ns = due_ns - time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    if left_ns > 0:
        time.sleep(left_ns / 1e9)


def is_herd(uid):
    return FIRST_UID <= uid <= LAST_UID


def oldest_seconds(image):
    """Returns the age of the oldest value of the herds; None if a process has no value. This detects a
    memtallyd that is cheap because it does not measure."""
    ages = [row.get("age_seconds") for row in image.processes() if is_herd(row["uid"])]
    return None if None in ages else max(ages, default=None)


def describe_oldest(seconds, options):
    limit = options.interval_ms * options.proportion / 1000
    return "some have no figure" if seconds is None else f"oldest figure {seconds:.1f} s (target {limit:g} s)"


def await_passes(client, count):
    """Returns the header of the last of COUNT further passes."""
    header = client.receive_header()
    last = header.sequence + count
    while header.sequence < last:
        header = client.receive_header()
    return header
