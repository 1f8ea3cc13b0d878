#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what each built program links: a library goes only into the program that needs it."""
import glob
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import common  # noqa: E402

LIBC = ("libc.", "libm.", "libgcc_s.", "ld-linux", "libpthread.", "libasan.", "libubsan.", "libtsan.",
        "libstdc++.")

# Program: libraries in addition to libc's, and archives of which it contains no function.
PROGRAMS = {
    "memtallyd": (["libsystemd.", "libyaml", "libpcre2-8.", "libseccomp."], ["librender.a", "libweb.a", "libledger.a", "librecorder.a", "libcli.a"]),
    "memtally-web": (["libmicrohttpd.", "libgnutls.", "libcrypt.", "libjansson.", "libz.", "libyaml", "libsystemd.",
                      "libseccomp."],
                     ["libcollectors.a", "libinspect.a", "libdaemon.a", "libledger.a", "librecorder.a", "libcli.a"]),
    "memtally-ledger": (["libsqlite3.", "libyaml", "libsystemd.", "libseccomp."],
                        ["libcollectors.a", "libinspect.a", "librender.a", "libdaemon.a", "libweb.a", "librecorder.a", "libcli.a"]),
    "memtally-recorder": (["libzstd.", "libyaml", "libsystemd.", "libseccomp."],
                          ["libcollectors.a", "libinspect.a", "librender.a", "libdaemon.a", "libweb.a", "libledger.a", "libcli.a"]),
    "memtally": (["libsmartcols.", "libncursesw.", "libtinfo.", "libjansson.", "libyaml", "libpcre2-8.", "libelf.", "libz."], ["libdaemon.a", "libweb.a", "libledger.a", "librecorder.a", "libconfine.a", "libservice.a"]),
}

# Libraries of memtally's views that --disable-inspect leaves out.
INSPECT = ("libelf.", "libz.")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def needed(path):
    """Returns the libraries that PATH itself names."""
    lines = output("readelf", "--dynamic", "--wide", path).splitlines()
    return [line.split("[")[1].split("]")[0] for line in lines if "(NEEDED)" in line]


def defined(path):
    """Returns the functions that PATH defines."""
    names = set()
    for line in output("nm", "--defined-only", "--extern-only", path).splitlines():
        fields = line.split()
        if len(fields) == 3 and fields[1] == "T" and not fields[2].startswith("_"):
            names.add(fields[2])
    return names - {"main"}


def check_program(build, program, libraries, archives):
    path = os.path.join(build, program)
    found = [f"{program} links {name}" for name in needed(path)
             if not name.startswith(LIBC + tuple(libraries))]
    every = {os.path.basename(a): defined(a) for a in glob.glob(os.path.join(build, "lib*.a"))}
    # Two archives that are never in one program may use the same name.
    allowed = set().union(*(names for archive, names in every.items() if archive not in archives))
    functions = defined(path) - allowed
    for archive in archives:
        found += [f"{program} contains {name}() of {archive}"
                  for name in sorted(functions & every.get(archive, set()))]
    return found


def findings(source, build):
    found = []
    for program in common.built(build, PROGRAMS):
        libraries, archives = PROGRAMS[program]
        if program == "memtally" and not common.has_part(build, "inspect"):
            libraries = [name for name in libraries if name not in INSPECT]
        if os.path.exists(os.path.join(build, program)):
            found += check_program(build, program, libraries, archives)
        else:
            found.append(f"{program} is not built")
    return found


if __name__ == "__main__":
    common.main(findings)
