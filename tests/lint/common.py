# SPDX-License-Identifier: Apache-2.0
"""Common parts of the lints: the list of files, and the output of findings."""
import os
import re
import sys

# Files of a build in the source tree, and files that are no text of the project.
SKIPPED_FOLDERS = {".git", ".deps", "autom4te.cache", "build-aux", "__pycache__", "_inst"}
SKIPPED_FILES = {".git", "Makefile", "Makefile.in", "aclocal.m4", "config.h", "config.h.in", "config.h.in~",
                 "config.log", "config.status", "configure", "configure~", "stamp-h1"}
SKIPPED_ENDS = (".log", ".trs", ".o", ".a")


def paths(source, top=""):
    """Returns every file of the project below TOP, relative to SOURCE, sorted."""
    found = []
    for folder, folders, names in os.walk(os.path.join(source, top)):
        folders[:] = [f for f in folders if f not in SKIPPED_FOLDERS
                      and not (folder.rstrip("/") == source.rstrip("/") and f.startswith("build"))
                      and not os.path.exists(os.path.join(folder, f, "config.status"))]
        found += [os.path.relpath(os.path.join(folder, n), source) for n in names
                  if n not in SKIPPED_FILES and not n.endswith(SKIPPED_ENDS)]
    return sorted(found)


def read(source, path):
    with open(os.path.join(source, path), encoding="utf-8", errors="surrogateescape") as file:
        return file.read()


def write(source, path, text):
    with open(os.path.join(source, path), "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)


TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def without_comments(text, keep_strings=False):
    """Returns C text with comments (and the insides of strings) blanked; lines keep their numbers.
    """
    def blank(match):
        token = match.group(0)
        if token[0] in "\"'":
            return token if keep_strings else token[0] + " " * (len(token) - 2) + token[0]
        return re.sub(r"[^\n]", " ", token)
    return TOKEN.sub(blank, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def has_part(build, part):
    """Whether the build has a part that configure can leave out: "ledger", "recorder" or "inspect"."""
    path = os.path.join(build, "config.h")
    return not os.path.exists(path) or f"#define ENABLE_{part.upper()} 0\n" not in read(build, "config.h")


def built(build, programs):
    """Returns those of PROGRAMS that the build is to have."""
    parts = {"memtally-ledger": "ledger", "memtally-recorder": "recorder"}
    return [program for program in programs if program not in parts or has_part(build, parts[program])]


def main(findings):
    """Runs FINDINGS(source, build) on the tree named by the environment, or on the one that contains
    this file."""
    here = os.path.dirname(os.path.abspath(__file__))
    source = os.environ.get("MEMTALLY_SOURCE", os.path.dirname(os.path.dirname(here)))
    build = os.environ.get("MEMTALLY_BUILD", os.path.join(source, "build"))
    try:
        found = findings(source, build)
    except FileNotFoundError as error:
        if not str(error.filename).startswith(os.path.join(build, "")):
            raise
        sys.exit(f"{error.filename} is missing: run `make all check-programs` in {build}")
    for finding in found:
        print(finding)
    print(f"{len(found)} findings")
    sys.exit(1 if found else 0)
