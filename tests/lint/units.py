#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the systemd units: their exposure, the warnings of systemd, and system calls.

The exposures are those of the installed systemd-analyze; without it there is no check.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import common  # noqa: E402

UNITS = "contrib/systemd"
DROPINS = ("perfmon.conf", "tmpfs.conf")  # samples for memtallyd.service
DROPIN_FOLDER = "memtallyd.service.d"
PROGRAMS = ("memtallyd", "memtally-web", "memtally-ledger", "memtally-recorder")
TARGET = "memtally.target"
TARGET_FILES = (TARGET, TARGET + ".d/ledger.conf", TARGET + ".d/recorder.conf")
MOST = 9  # tenths: the greatest exposure that a service may have
# This drop-in exposes more on purpose; systemd-analyze does not take into account that it hides
# /home again.
MOST_WITH = {"memtallyd.service with tmpfs.conf": 11}
PAGE = "docs/security.md"

# The tables of system calls that each program's own filter allows, and the calls that install the
# filter.
FILTER = "confine/filter.c"
TABLES = {
    "memtallyd": [(FILTER, "base_calls"), (FILTER, "unix_calls"), (FILTER, "server_calls"),
                  (FILTER, "children_calls"), (FILTER, "unlink_calls"), ("daemon/children/drop-privileges.c", "pass_calls"),
                  ("daemon/children/drop-privileges.c", "trial_calls"), ("daemon/children/drop-privileges.c", "fork_server_calls"),
                  ("daemon/children/drop-privileges.c", "names_calls")],
    "memtally-web": [(FILTER, "base_calls"), (FILTER, "unix_calls"), (FILTER, "server_calls"),
                     (FILTER, "threads_calls"), (FILTER, "unlink_calls"), ("web/sandbox.c", "serve_calls")],
    "memtally-ledger": [(FILTER, "base_calls"), (FILTER, "unix_calls"), (FILTER, "server_calls"),
                        (FILTER, "keep_calls")],
    "memtally-recorder": [(FILTER, "base_calls"), (FILTER, "unix_calls"), (FILTER, "server_calls"),
                          (FILTER, "keep_calls"), (FILTER, "threads_calls"), ("recorder/sandbox.c", "record_calls")],
}
NARROWING = {
    "memtallyd": {"capset", "prctl", "seccomp"},
    "memtally-web": {"capset", "prctl", "seccomp", "landlock_create_ruleset", "landlock_add_rule",
                     "landlock_restrict_self"},
    "memtally-ledger": {"capset", "prctl", "seccomp", "landlock_create_ruleset", "landlock_add_rule",
                        "landlock_restrict_self"},
    "memtally-recorder": {"capset", "prctl", "seccomp", "landlock_create_ruleset", "landlock_add_rule",
                          "landlock_restrict_self"},
}
# libc calls prlimit64() if the kernel has it.
UNCALLED = {"setrlimit"}

# Ends of a service, by systemd's SERVICE_RESULT and EXIT_STATUS, and whether a pause must follow: a
# failure may last.
ENDS = {("success", "0"): False, ("success", "TERM"): False, ("signal", "KILL"): False, ("exit-code", "1"): True,
        ("exit-code", "2"): True, ("exit-code", "127"): True, ("exit-code", "203"): True, ("signal", "SEGV"): True,
        ("signal", "SYS"): True, ("core-dump", "ABRT"): True, ("watchdog", "ABRT"): True, ("oom-kill", "KILL"): True,
        ("protocol", "0"): True, ("timeout", "KILL"): True, ("resources", ""): True}


def analyze(*arguments):
    """Returns the output of systemd-analyze and its exit status."""
    done = subprocess.run(["systemd-analyze", "--no-pager", *arguments], capture_output=True, text=True,
                          check=False, env={**os.environ, "LC_ALL": "C.UTF-8"})
    return done.stdout + done.stderr, done.returncode


def copy_units(source, build, to):
    """Copies the units as they are installed, with programs that exist."""
    for program in common.built(build, PROGRAMS):
        text = common.read(build, f"{UNITS}/{program}.service")
        installed = rf"^(ExecStart|ExecReload)=/\S+/{program}\b"
        text = re.sub(installed, r"\1=" + os.path.abspath(os.path.join(build, program)), text, flags=re.M)
        with open(os.path.join(to, f"{program}.service"), "w", encoding="utf-8") as file:
            file.write(text)
        shutil.copy(os.path.join(source, UNITS, f"{program}.socket"), to)
    shutil.copy(os.path.join(source, UNITS, TARGET), to)


def copied(folder):
    """Returns the programs whose units copy_units() has copied."""
    return [program for program in PROGRAMS if os.path.exists(os.path.join(folder, f"{program}.service"))]


def exposure_of(path):
    """Returns the exposure in tenths, and its reasons."""
    said, status = analyze("security", "--offline=true", path)
    found = re.search(r"Overall exposure level for \S+: (\d+)\.(\d)", said)
    if status != 0 or not found:
        return None, said.strip()
    return int(found.group(1)) * 10 + int(found.group(2)), said


def copy_dropin(source, folder, dropin):
    """Makes a folder in FOLDER with memtallyd's units and the drop-in."""
    other = os.path.join(folder, dropin)
    os.makedirs(os.path.join(other, DROPIN_FOLDER))
    for unit in ("memtallyd.service", "memtallyd.socket", TARGET):
        shutil.copy(os.path.join(folder, unit), other)
    shutil.copy(os.path.join(source, UNITS, DROPIN_FOLDER, dropin), os.path.join(other, DROPIN_FOLDER))
    return other


def measure(folder, source):
    """Returns the exposures by their names in the page on security."""
    found = {f"{program}.service": exposure_of(os.path.join(folder, f"{program}.service"))
             for program in copied(folder)}
    for dropin in DROPINS:
        path = os.path.join(copy_dropin(source, folder, dropin), "memtallyd.service")
        found[f"memtallyd.service with {dropin}"] = exposure_of(path)
    return found


def check_exposure(exposures):
    found = []
    for name, (tenths, said) in exposures.items():
        most = MOST_WITH.get(name, MOST)
        if tenths is None:
            found.append(f"{name}: systemd-analyze does not judge it: {said}")
        elif tenths > most:
            found.append(f"{name}: its exposure is {tenths / 10}, and may be {most / 10}:\n"
                         + "\n".join(line for line in said.splitlines() if "\u2717" in line))
        else:
            print(f"{name}: exposure {tenths / 10}")
    return found


def check_page(text, version, exposures):
    """The page states these exposures, for the version of systemd that it names."""
    if f"systemd {version}" not in text:
        print(f"SKIP: the figures in {PAGE} are of another systemd than {version}")
        return []
    found = []
    for name, (tenths, _) in exposures.items():
        row = re.search(rf"^\| {re.escape(name)} \| ([0-9.]+) \|", text.replace("`", ""), re.M)
        if not row:
            found.append(f"{PAGE}: no exposure of {name}")
        elif tenths is not None and row.group(1) != str(tenths / 10):
            found.append(f"{PAGE}: the exposure of {name} is {tenths / 10}, not {row.group(1)}")
    return found


def check_sense(folder):
    """systemd itself warns of nothing."""
    every = [[os.path.join(folder, f"{p}.{kind}") for p in copied(folder) for kind in ("service", "socket")]
             + [os.path.join(folder, TARGET)]]
    every += [[os.path.join(folder, dropin, "memtallyd.service")] for dropin in DROPINS]
    found = []
    for paths in every:
        said, status = analyze("verify", "--man=no", *paths)
        lines = [line for line in said.splitlines() if "memtally" in line]
        if status != 0 and not lines:
            lines = [f"verify: exit status {status}: {said.strip()}"]
        found += lines
    return found


def parse_sets(text):
    """Parses systemd's sets of system calls, as it prints them."""
    sets, members = {}, None
    for line in text.splitlines():
        line = re.sub(r"\x1b\[[0-9;]*m", "", line)
        if line.startswith("@"):
            members = sets.setdefault(line.split()[0], set())
        elif members is not None and line.startswith(" ") and not line.strip().startswith("#"):
            members.add(line.strip())
    return sets


def expand(name, sets):
    if not name.startswith("@"):
        return {name}
    return set().union(*(expand(member, sets) for member in sets[name]))


def allowed_by(unit, sets):
    """Returns the calls that a unit's filter leaves; its first line allows."""
    allowed = expand("@default", sets)
    for line in re.findall(r"^SystemCallFilter=(.*)$", unit, re.M):
        names = set().union(*(expand(name, sets) for name in line.lstrip("~").split()))
        allowed = allowed - names if line.startswith("~") else allowed | names
    return allowed


def called_by(source, program):
    """Returns the calls that the program's own filter allows."""
    called = set(NARROWING[program])
    for path, table in TABLES[program]:
        text = common.read(source, path)
        body = re.search(rf"\b{table}\[\] = \{{(.*?)\n\}};", text, re.S)
        if not body:
            raise LookupError(f"{path}: no table {table}")
        called |= set(re.findall(r'CALL(?:_IF|_IS|_BOTH)?\("([a-z0-9_]+)"', body.group(1)))
    return called - UNCALLED


def check_filters(source, sets):
    """The unit allows every call that the program's filter allows. A missing one would only be noticed
    when the program makes the call."""
    known = sets.get("@known", set())
    found = []
    for program in PROGRAMS:
        allowed = allowed_by(common.read(source, f"{UNITS}/{program}.service.in"), sets)
        found += [f"{UNITS}/{program}.service.in: refuses {name}, which the program's own filter allows"
                  for name in sorted(called_by(source, program) - allowed) if not known or name in known]
    return found


def pauses_after(command, result, status):
    """Returns whether COMMAND, of ExecStopPost=, sleeps after such an end; None: it fails."""
    done = subprocess.run(["sh", "-c", "sleep() { echo pause; }\n" + command], capture_output=True, text=True, check=False,
                          env={"PATH": os.environ["PATH"], "SERVICE_RESULT": result, "EXIT_STATUS": status})
    return None if done.returncode or done.stderr else "pause" in done.stdout


def check_pauses(source):
    """A service that fails repeatedly must not reach the limit of starts: systemd would give up its
    socket, too."""
    found = []
    for program in PROGRAMS:
        path = f"{UNITS}/{program}.service.in"
        command = re.search(r"^ExecStopPost=-sh -c '(.*)'$", common.read(source, path), re.M)
        if not command:
            found.append(f"{path}: no ExecStopPost= with a pause")
            continue
        shell = command.group(1).replace("$$", "$")
        found += [f"{path}: ExecStopPost= {'has no' if pause else 'has a'} pause after {result}/{status}"
                  for (result, status), pause in ENDS.items() if pauses_after(shell, result, status) != pause]
    return found


def words_of(text, key):
    """Returns the words of all lines KEY= of a unit."""
    return [word for line in re.findall(rf"^{key}=(.*)$", text, re.M) for word in line.split()]


def check_target(source):
    """The target enables and starts each service, and stops it with its socket."""
    enabled = [word for path in TARGET_FILES for word in words_of(common.read(source, f"{UNITS}/{path}"), "Also")]
    found = []
    for program in PROGRAMS:
        service, socket = f"{UNITS}/{program}.service.in", f"{UNITS}/{program}.socket"
        found += [f"{path}: is not PartOf={TARGET}" for path in (service, socket)
                  if TARGET not in words_of(common.read(source, path), "PartOf")]
        if TARGET not in words_of(common.read(source, service), "WantedBy"):
            found.append(f"{service}: is not WantedBy={TARGET}")
        if f"{program}.service" not in enabled:
            found.append(f"{UNITS}/{TARGET}: no Also={program}.service")
    return found


def findings(source, build):
    if not shutil.which("systemd-analyze"):
        print("SKIP: there is no systemd-analyze")
        sys.exit(77)
    version = analyze("--version")[0].split()[1]
    with tempfile.TemporaryDirectory() as folder:
        copy_units(source, build, folder)
        exposures = measure(folder, source)
        found = check_sense(folder)
    return (found + check_exposure(exposures) + check_page(common.read(source, PAGE), version, exposures)
            + check_pauses(source) + check_target(source) + check_filters(source, parse_sets(analyze("syscall-filter")[0])))


if __name__ == "__main__":
    common.main(findings)
