# SPDX-License-Identifier: Apache-2.0
"""Other programs at work: a PostgreSQL with busy backends, and a Chromium with tabs.

Each has a user of its own, a number without an account, and a folder of the rig. PostgreSQL listens
on a socket in its folder. Chromium shows files as pages, may resolve no name, and takes commands on
loopback.
"""
import glob
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time

import adaptive
import bench

POSTGRES_UID, CHROMIUM_UID, PGBENCH_UID = (adaptive.FIRST_UID + 5000 + i for i in range(3))
UIDS = {"postgres": POSTGRES_UID, "chromium": CHROMIUM_UID, "pgbench": PGBENCH_UID}
# A database of this many units of pgbench (100,000 accounts each) fills a GiB of buffers.
UNITS_PER_GIB = 64
CHROMIUM = "/usr/lib/chromium/chromium"
PAGE = """<!doctype html><title>{number}</title><p id=p></p><script>
// What a page keeps, and some of it anew each second.
const kept = Array.from({{length: {mib}}}, () => new Uint8Array(1 << 20).fill({number}));
let beat = 0;
for (let i = 0; i < 2000; i++)
  document.body.appendChild(document.createElement("p")).textContent = "paragraph " + i;
setInterval(() => {{
  kept[beat % kept.length] = new Uint8Array(1 << 20).fill(++beat);
  document.getElementById("p").textContent = "beat " + beat;
}}, 1000);
</script>
"""


def pids_of(uids):
    """Returns the processes of these users, the youngest first. Processes that exit meanwhile are left
    out."""
    found = []
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid in uids:
                found.append(int(name))
        except FileNotFoundError:
            pass
    return sorted(found, reverse=True)


def send(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def state(pid):
    """Returns the state letter of stat; X if the process is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "X"


def end_all(*uids):
    """Kills the remaining processes of these users, which are ours. Zombies are left to their parents.
    """
    end = time.monotonic() + 20
    while pids := [pid for pid in pids_of(uids) if state(pid) not in "ZX"]:
        send(pids, signal.SIGKILL)
        if time.monotonic() > end:
            sys.exit(f"these processes do not exit: {pids}")
        time.sleep(0.05)


class Pause:
    """Context in which all processes of these users are stopped, also those born meanwhile."""

    def __init__(self, *uids):
        self.uids = uids

    def __enter__(self):
        end = time.monotonic() + 5
        while running := [pid for pid in pids_of(self.uids) if state(pid) not in "TtZX"]:
            send(running, signal.SIGSTOP)
            time.sleep(0.001)
            if time.monotonic() > end:
                self.__exit__()
                sys.exit(f"these processes do not stop: {running}")

    def __exit__(self, *_):
        send(pids_of(self.uids), signal.SIGCONT)


def own_folder(rig, name, uid):
    path = rig.path(name)
    os.mkdir(path, 0o700)
    os.chown(path, uid, uid)
    return path


def give(path, uid):
    for folder, _, files in os.walk(path):
        for name in (folder, *(os.path.join(folder, file) for file in files)):
            os.chown(name, uid, uid, follow_symlinks=False)


class Postgres:
    """A cluster that is created, filled and deleted."""

    def __init__(self, rig, clients, shared_mib):
        self.rig, self.clients = rig, clients
        self.bin = self.find()
        self.folder = own_folder(rig, "postgres", POSTGRES_UID)
        self.pgbench_folder = own_folder(rig, "pgbench", PGBENCH_UID)
        self._make_cluster()
        # A name that no other server on this host has, since the benchmark reads the values of its
        # program.
        name = rig.path(f"postgres{adaptive.TAG}")
        os.symlink(os.path.join(self.bin, "postgres"), name)
        self.server = self._start(name, POSTGRES_UID, "-D", os.path.join(self.folder, "data"), "-k", self.folder,
                                  *self._settings(shared_mib))
        os.chmod(self.folder, 0o755)
        rig.await_answer(self._is_ready, self.server, "PostgreSQL")
        self._run("pgbench", "-i", "-q", "-s", str(max(1, UNITS_PER_GIB * shared_mib // 1024)))
        self._run("psql", "-q", "-c", "CREATE EXTENSION pg_prewarm",
                  "-c", "SELECT pg_prewarm(oid::regclass) FROM pg_class WHERE relname LIKE 'pgbench%'")
        self.load = None

    @staticmethod
    def find():
        """Returns the folder of the newest version's programs; None if there is none."""
        found = glob.glob("/usr/lib/postgresql/*/bin/pgbench")
        newest = max(found, key=lambda path: float(path.split("/")[4]), default=None)
        return newest and os.path.dirname(newest)

    def _make_cluster(self):
        """Creates the cluster. initdb requires a user with a name; the server does not."""
        data, nobody = os.path.join(self.folder, "data"), 65534
        os.mkdir(data, 0o700)
        os.chown(data, nobody, nobody)
        os.chmod(self.folder, 0o711)
        done = subprocess.run([os.path.join(self.bin, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E",
                               "UTF8", "--locale=C", "--no-sync"], user=nobody, group=nobody, extra_groups=[],
                              cwd="/", capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"initdb failed: {done.stderr.strip()[-1000:]}")
        give(data, POSTGRES_UID)

    def _settings(self, shared_mib):
        """Writes default settings, except for those that would measure this machine's disk."""
        for setting in (f"shared_buffers={shared_mib}MB", f"max_connections={self.clients + 20}", "listen_addresses=",
                        "fsync=off", "full_page_writes=off", "max_wal_size=4GB", "huge_pages=off"):
            yield from ("-c", setting)

    def _start(self, program, uid, *arguments, **other):
        return self.rig.start(program, *arguments, user=uid, group=uid, extra_groups=[], cwd=self.folder, **other)

    def _is_ready(self):
        command = [os.path.join(self.bin, "pg_isready"), "-q", "-h", self.folder]
        return subprocess.run(command, check=False).returncode == 0

    def _command(self, program, *arguments):
        return [os.path.join(self.bin, program), "-h", self.folder, "-U", "postgres", *arguments, "postgres"]

    def _run(self, program, *arguments):
        done = subprocess.run(self._command(program, *arguments), user=PGBENCH_UID, group=PGBENCH_UID, extra_groups=[],
                              cwd="/", capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{program} failed: {done.stderr.strip()[-1000:]}")
        return done.stdout

    def fastest(self, script, seconds):
        """Returns transactions a second without a rate limit."""
        said = self._run("pgbench", "-n", "-c", str(self.clients), "-j", "2", "-T", str(seconds), "-b", script)
        return float(re.search(r"^tps = ([0-9.]+)", said, re.M)[1])

    def set(self, name, value):
        """Changes a setting of the running server."""
        self._run("psql", "-q", "-c", f"ALTER SYSTEM SET {name} = '{value}'", "-c", "SELECT pg_reload_conf()")

    def begin_scripts(self, clients, rate, *scripts, connects=False):
        """Starts pgbench with CLIENTS, which together run RATE of SCRIPTS a second: each is a file or the
        name of a script of pgbench, with its weight behind @. CONNECTS: each run has a connection of its
        own. Returns the process."""
        chosen = [word for script in scripts for word in ("-f" if "/" in script else "-b", script)]
        command = self._command("pgbench", "-n", "-c", str(clients), "-T", "1000000", "--rate", f"{rate:g}",
                                *(("-C",) if connects else ()), *chosen)
        return self._start(command[0], PGBENCH_UID, *command[1:])

    def begin_load(self, script, rate):
        """Starts transactions that are due at RATE a second even if earlier ones are late: latency
        counts from the due time."""
        command = self._command("pgbench", "-n", "-c", str(self.clients), "-j", "2", "-T", "1000000", "-b", script,
                                "--rate", f"{rate:g}", "--log", f"--log-prefix={self.pgbench_folder}/log")
        self.load = self._start(command[0], PGBENCH_UID, *command[1:])
        self.rig.await_answer(lambda: len(self.backends()) >= self.clients, self.load, "pgbench")

    def backends(self):
        """Returns the pids of backends that serve clients: their command lines name user and address.
        """
        found = []
        for pid in pids_of((POSTGRES_UID,)):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    if b"postgres postgres [local]" in file.read():
                        found.append(pid)
            except (FileNotFoundError, ProcessLookupError):
                pass
        return found

    def end_load(self):
        """Ends the load. The log lacks the last moments, since pgbench writes it in pieces."""
        self.rig.stop(self.load)

    def latencies_ms(self, phases):
        """Returns the latencies of transactions that ended in each (begin, end) of PHASES, in seconds
        since 1970."""
        found = [[] for _ in phases]
        for path in glob.glob(f"{self.pgbench_folder}/log.*"):
            with open(path, encoding="ascii") as file:
                for line in file:
                    words = line.split()
                    if len(words) < 6 or not line.endswith("\n"):
                        continue
                    ended = int(words[4]) + int(words[5]) / 1e6
                    for (begin, end), times in zip(phases, found):
                        if begin <= ended < end:
                            times.append(int(words[2]) / 1000)
        return found

    def end(self):
        """Ends the server without waiting for clients; it removes its shared memory."""
        if self.load and self.load.poll() is None:
            self.rig.stop(self.load)
        self.server.send_signal(signal.SIGINT)
        self.server.wait(30)
        self.rig.running.remove(self.server)


class Chromium:
    def __init__(self, rig, tabs, page_mib=8):
        self.rig, self.tabs = rig, tabs
        self.folder = own_folder(rig, "chromium", CHROMIUM_UID)
        data = os.path.join(self.folder, "data")
        self.process = rig.start(
            CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--no-first-run", "--no-default-browser-check",
            "--password-store=basic", "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-port=0",
            f"--user-data-dir={data}", self._page(0, page_mib), user=CHROMIUM_UID, group=CHROMIUM_UID, extra_groups=[],
            cwd=self.folder, env={"HOME": self.folder, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"})
        port_file = os.path.join(data, "DevToolsActivePort")
        rig.await_answer(lambda: os.path.getsize(port_file) > 0, self.process, "Chromium", 60)
        with open(port_file, encoding="ascii") as file:
            self.port = int(file.readline())
        for number in range(1, tabs):
            self._ask("PUT", f"/json/new?{self._page(number, page_mib)}")
        rig.await_answer(lambda: self.pages() >= tabs, self.process, "Chromium", 60)

    @staticmethod
    def find():
        return CHROMIUM if os.access(CHROMIUM, os.X_OK) else None

    def _page(self, number, mib):
        path = os.path.join(self.folder, f"{number}.html")
        with open(path, "w", encoding="ascii") as file:
            file.write(PAGE.format(number=number, mib=mib))
        os.chown(path, CHROMIUM_UID, CHROMIUM_UID)
        return f"file://{path}"

    def _ask(self, method, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path)
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    def pages(self):
        return sum(target["type"] == "page" for target in self._ask("GET", "/json/list"))

    def end(self):
        self.rig.stop(self.process)
