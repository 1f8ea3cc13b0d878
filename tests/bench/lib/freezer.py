# SPDX-License-Identifier: Apache-2.0
"""A cgroup with processes that can be stopped and killed together.

It is of version 2 if the kernel has cgroup.freeze there, otherwise the freezer of version 1. A
process that version 1 stops may hold locks, so that readers of its smaps wait until it is thawed.
In version 2 processes stop on their way back to user space.
"""
import ctypes
import os
import signal
import sys
import time

import bench

FREEZE_SECONDS, END_SECONDS = 5, 20
PR_SET_CHILD_SUBREAPER = 36


def mounts():
    """Returns (folder, version) of each cgroup file system that can have a freezer, version 2 first.
    """
    found = []
    with open("/proc/mounts", encoding="utf-8") as file:
        for _, folder, kind, flags, *_ in map(str.split, file):
            if kind == "cgroup2":
                found.append((folder, 2))
            elif kind == "cgroup" and "freezer" in flags.split(","):
                found.append((folder, 1))
    return sorted(found, key=lambda one: -one[1])


def own_path(version):
    """Returns our cgroup below its mount, such as /user.slice."""
    with open("/proc/self/cgroup", encoding="utf-8") as file:
        for _, controllers, path in (line.rstrip("\n").split(":", 2) for line in file):
            if (version == 2 and not controllers) or (version == 1 and "freezer" in controllers.split(",")):
                return path
    return "/"


class Freezer:
    """Creates the cgroup; skips the benchmark if that is not possible. On exit it kills its processes
    and removes the cgroup."""

    def __init__(self, name, wanted=None):
        for mount, self.version in mounts():
            if wanted in (None, self.version):
                for above in (mount + own_path(self.version).rstrip("/"), mount):
                    self.folder = os.path.join(above, name)
                    if self._make():
                        return
        bench.skip("no cgroup with a freezer can be made here")

    def _make(self):
        try:
            os.mkdir(self.folder)
        except OSError:
            return False
        if os.path.exists(self.path("cgroup.freeze" if self.version == 2 else "freezer.state")):
            return True
        os.rmdir(self.folder)
        return False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
        os.rmdir(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def _read(self, name):
        with open(self.path(name), encoding="ascii") as file:
            return file.read()

    def _write(self, name, text):
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write(text)

    def enter(self):
        """Moves the calling process into the cgroup."""
        self._write("cgroup.procs", "0")

    def pids(self):
        return [int(word) for word in self._read("cgroup.procs").split()]

    def _is_frozen(self):
        if self.version == 2:
            return "frozen 1" in self._read("cgroup.events").splitlines()
        return self._read("freezer.state").strip() == "FROZEN"

    def freeze(self):
        """Stops all processes. Returns whether all stopped within FREEZE_SECONDS. Call thaw() in
        either case."""
        end = time.monotonic() + FREEZE_SECONDS
        self._write(*(("cgroup.freeze", "1") if self.version == 2 else ("freezer.state", "FROZEN")))
        while not self._is_frozen():
            if time.monotonic() > end:
                return False
            time.sleep(0.001)
        return True

    def thaw(self):
        self._write(*(("cgroup.freeze", "0") if self.version == 2 else ("freezer.state", "THAWED")))

    def end(self):
        """Kills all processes and waits until they have exited. Zombies of other parents do not count.
        """
        end = time.monotonic() + END_SECONDS
        while pids := self.pids():
            if os.path.exists(self.path("cgroup.kill")):
                self._write("cgroup.kill", "1")
            else:
                for pid in pids:
                    try:
                        os.kill(pid, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
            self.thaw()
            if time.monotonic() > end:
                sys.exit(f"these processes do not end: {pids}")
            time.sleep(0.02)


class FreezerRig(bench.Rig):
    """A rig with processes that start in FREEZER and are killed together."""

    def __init__(self, freezer):
        super().__init__()
        self.freezer = freezer
        # Orphans become our children: not every init waits for them.
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def start(self, *command, user, group=None, **other):
        """Works like bench.Rig.start(). The process enters the cgroup as root and then takes USER. It
        is the first process that the OOM killer chooses."""
        group = user if group is None else group
        other.pop("extra_groups", None)

        def become():
            self.freezer.enter()
            with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
                file.write("1000")
            os.setgroups([])
            os.setresgid(group, group, group)
            os.setresuid(user, user, user)

        return super().start(*command, preexec_fn=become, **other)

    def stop(self, process):
        process.kill()
        process.wait()
        self.running.remove(process)

    def __exit__(self, *_):
        self.freezer.end()
        for process in self.running:
            process.wait()
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass
        self.remove()
