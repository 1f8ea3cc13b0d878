# SPDX-License-Identifier: Apache-2.0
"""Common parts of the benchmarks: a private folder, processes that end with it, and CPU clocks of
other processes."""
import argparse
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get("MEMTALLY_SOURCE", os.path.dirname(os.path.dirname(os.path.dirname(HERE))))
BUILD = os.environ.get("MEMTALLY_BUILD", os.path.join(SOURCE, "build"))
EXIT_SKIP = 77

sys.path.insert(0, os.path.join(SOURCE, "tests", "tools", "snapshot"))
import snapshot  # noqa: E402


def skip(reason):
    print(f"SKIP: {reason}")
    sys.exit(EXIT_SKIP)


def cpu_ns(pid):
    """Returns the CPU time of all threads of PID, from the CPU clock of the process."""
    return time.clock_gettime_ns(~pid << 3 | 2)


def family(pid):
    """Returns PID and all its descendants."""
    children = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
            children += map(int, file.read().split())
    return [pid, *(one for child in children for one in family(child))]


def family_cpu_ns(pid):
    return sum(cpu_ns(one) for one in family(pid))


def rollup_kib(pid, key="Pss"):
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        return int(re.search(rf"^{key}: +(\d+) kB$", file.read(), re.M)[1])


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def median(values):
    values = sorted(values)
    return values[len(values) // 2]


class Rig:
    """A folder and the processes that work in it. Leaving the context ends them all."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="memtally-bench.")
        os.chmod(self.folder, 0o1777)  # memtally-web creates its socket there
        self.running = []
        self.socket = os.path.join(self.folder, "snapshot.sock")
        self.collector = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self.running):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in reversed(self.running):
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.remove()

    def remove(self):
        """Retries: children that a program did not wait for, such as a browser's, may write to the
        folder for a moment."""
        for _ in range(100):
            shutil.rmtree(self.folder, ignore_errors=True)
            if not os.path.exists(self.folder):
                return
            time.sleep(0.1)
        shutil.rmtree(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, *command, **other):
        """Starts COMMAND with its messages in a file of the folder."""
        name = os.path.basename(command[0])
        other.setdefault("stdout", subprocess.DEVNULL)
        with open(self.path(f"{name}.log"), "ab") as log:
            process = subprocess.Popen(command, stderr=log, stdin=other.pop("stdin", subprocess.DEVNULL), **other)
        self.running.append(process)
        return process

    def stop(self, process):
        process.terminate()
        process.wait()
        self.running.remove(process)

    def herd(self, **options):
        """Starts a herd; OPTIONS are its long options. Returns its READY line."""
        flags = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
        process = self.start(os.path.join(BUILD, "tests/herd/herd"), *flags, f"--folder={self.folder}",
                             stdout=subprocess.PIPE, text=True)
        line = process.stdout.readline()
        if line.startswith("SKIP"):
            skip(line.removeprefix("SKIP: ").strip())
        if not line.startswith("READY"):
            sys.exit(f"the herd failed: {self.log('herd')}")
        return process, json.loads(line.removeprefix("READY "))

    def log(self, name):
        with open(self.path(f"{name}.log"), encoding="utf-8", errors="replace") as file:
            return file.read()[-2000:]

    def memtallyd(self, *flags, socket_path=None, build=BUILD):
        """Starts the memtallyd of BUILD with FLAGS. Its snapshots come from SOCKET_PATH, by default
        the rig's socket."""
        config = self.path("none.yaml")
        open(config, "a", encoding="ascii").close()
        self.collector = self.start(os.path.join(build, "memtallyd"), f"--config.file={config}",
                                    f"--snapshot.socket={socket_path or self.socket}", *flags)
        return self.collector

    def start_web(self, collector, *flags):
        """Starts memtally-web with the uid that COLLECTOR, a memtallyd, has taken if root started it.
        Otherwise memtally-web would take another uid, and be any other user to memtallyd."""
        program = os.path.join(BUILD, "memtally-web")
        if os.geteuid() != 0:
            return self.start(program, *flags)
        uid, end = 0, time.monotonic() + 10
        while not uid and time.monotonic() < end:
            with open(f"/proc/{collector.pid}/status", encoding="ascii", errors="replace") as file:
                uid = int(re.search(r"^Uid:\t(\d+)", file.read(), re.M)[1])
            time.sleep(0.01)
        copy = self.path("memtally-web")  # the original may be in a folder that only root can read
        shutil.copy(program, copy)
        return self.start(copy, *flags, user=uid, group=uid, extra_groups=[])

    def web(self, *flags):
        """Starts memtally-web on a UNIX socket of the folder and waits until it answers."""
        process = self.start_web(self.collector, f"--config.file={self.path('none.yaml')}",
                                 f"--snapshot.socket={self.socket}",
                                 f"--web.listen-address=unix:{self.path('web.sock')}", *flags)
        self.await_answer(lambda: self.get("/readyz")[0] == 200, process, "memtally-web")
        return process

    def await_answer(self, condition, process, name, seconds=120):
        end = time.monotonic() + seconds
        while True:
            try:
                if condition():
                    return
            except OSError:
                pass
            if process.poll() is not None or time.monotonic() > end:
                sys.exit(f"{name} does not answer: {self.log(os.path.basename(process.args[0]))}")
            time.sleep(0.05)

    def get(self, path, headers=(), address=None):
        """Returns status and body of one request on a new connection."""
        return get(address or self.path("web.sock"), path, headers)

    def snapshots(self, patience=120):
        return snapshot.Client(self.socket, patience)


def get(address, path, headers=()):
    kind = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
    with socket.socket(kind) as connection:
        connection.settimeout(600)
        connection.connect(address)
        lines = [f"GET {path} HTTP/1.1", "Host: localhost", "Connection: close", *headers, "", ""]
        connection.sendall("\r\n".join(lines).encode())
        answer = b""
        while piece := connection.recv(1 << 20):
            answer += piece
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), body


def parser(description):
    made = argparse.ArgumentParser(description=description,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--json", action="store_true", help="also print JSON")
    return made


def report(options, line, data):
    print(line, flush=True)
    if options.json:
        print(json.dumps(data), flush=True)
