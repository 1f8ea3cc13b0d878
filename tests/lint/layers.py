#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the table of layers: the headers that each folder may include; and that no modules include each other."""
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import common  # noqa: E402

# Folders that every folder of cli may use.
BELOW_CLI = ["base", "trend", "snapshot", "growth", "naming", "collectors", "inspect", "render", "config"]

# Folders, with their subfolders, and library headers that each folder may use, in addition to itself and libc.
LAYERS = {
    "base": ([], []),
    "base/os": (["base"], []),
    "confine": (["base"], ["seccomp.h"]),
    "trend": (["base"], []),
    "snapshot": (["base"], []),
    "growth": (["base", "trend", "snapshot"], []),
    "recorder/codec": (["base", "snapshot"], ["zstd.h"]),
    "recorder/archive": (["base", "snapshot", "recorder/codec"], []),
    "recorder": (["base", "confine", "trend", "snapshot", "growth", "config", "service", "recorder"], ["systemd/sd-daemon.h"]),
    "config": (["base"], ["yaml.h"]),
    "naming": (["base", "snapshot", "config"], ["yaml.h", "pcre2.h"]),
    "collectors/procfs": (["base", "snapshot"], []),
    "collectors/procfs/host": (["base", "snapshot", "collectors/procfs"], []),
    "collectors/procfs/cgroup": (["base", "snapshot", "collectors/procfs", "collectors/procfs/host"], []),
    "collectors/workers": (["base", "collectors/procfs"], []),
    "collectors/process/state": (["base", "snapshot"], []),
    "collectors/process": (["base", "snapshot", "collectors/procfs", "collectors/workers", "collectors/process/state"], []),
    "collectors/process/self": (["base", "snapshot", "collectors/procfs"], []),
    "collectors/model": (["base", "snapshot", "collectors/procfs"], []),
    "collectors/model/family": (["base", "snapshot", "collectors/procfs", "collectors/model"], []),
    "collectors/schedule": (["base", "snapshot", "collectors/procfs"], []),
    "collectors/owners": (["base", "snapshot", "naming", "collectors/procfs", "collectors/process"], []),
    "collectors/hostmem": (["base", "snapshot", "collectors/procfs", "collectors/process"], []),
    "collectors/adaptive": (["base", "snapshot", "collectors/procfs", "collectors/workers", "collectors/process",
                             "collectors/model", "collectors/schedule", "collectors/owners"], []),
    "collectors/pass": (["base", "snapshot", "naming", "collectors"], []),
    "inspect/maps": (["base", "snapshot", "collectors"], []),
    "inspect/pages": (["base", "snapshot", "collectors", "inspect/maps"], []),
    "inspect/frames": (["base", "snapshot", "collectors", "inspect/maps", "inspect/pages"], []),
    "inspect/files": (["base", "snapshot", "collectors", "inspect/maps", "inspect/pages"], []),
    "inspect/elf": (["base", "snapshot", "collectors", "inspect/maps", "inspect/files"],
                    ["libelf.h", "gelf.h", "zlib.h"]),
    "render": (["base", "snapshot"], ["jansson.h"]),
    "service": (["base", "confine", "snapshot", "config"], ["systemd/sd-daemon.h"]),
    "daemon/children": (["base", "confine", "collectors", "service"], []),
    "daemon": (["base", "confine", "snapshot", "naming", "collectors", "inspect", "config", "service", "daemon/children"],
               ["systemd/"]),
    "web/net": (["base", "snapshot", "config"], ["gnutls/", "systemd/sd-daemon.h"]),
    "web/auth": (["base", "config", "web/net"], ["crypt.h", "gnutls/"]),
    "web/http": (["base", "snapshot", "config"], ["microhttpd.h", "zlib.h"]),
    "web/assets": ([], []),
    "web/sources": (["base", "snapshot", "config", "web/http", "web/net"], []),
    "web/history": (["base", "snapshot", "render", "config", "web/http", "web/net", "web/sources"], []),
    "web/own": (["base", "snapshot", "render"], []),
    "web/page": (["base", "snapshot", "render", "web/http"], []),
    "web/site": (["base", "snapshot", "render", "config", "web/assets", "web/history", "web/http", "web/net", "web/own", "web/page", "web/sources"], []),
    "web": (["base", "confine", "snapshot", "config", "service", "web"], ["gnutls/", "systemd/sd-daemon.h"]),
    "ledger/count": (["base", "snapshot"], []),
    "ledger/store": (["base", "snapshot", "ledger/count"], ["sqlite3.h"]),
    "ledger": (["base", "confine", "snapshot", "config", "service", "ledger"], ["sqlite3.h", "systemd/sd-daemon.h"]),
    "cli/table": (BELOW_CLI, ["libsmartcols"]),
    "cli/common/reading": (BELOW_CLI, []),
    "cli/common": (BELOW_CLI + ["recorder", "cli/common/reading", "cli/table"], ["jansson.h"]),
    "cli/completion": (BELOW_CLI + ["cli/table", "cli/common"], []),
    "cli/growth": (BELOW_CLI + ["cli/table", "cli/common"], []),
    "cli/lists": (BELOW_CLI + ["cli/table", "cli/common"], ["jansson.h"]),
    "cli/usage": (BELOW_CLI + ["cli/table", "cli/common"], ["jansson.h"]),
    "cli/past": (BELOW_CLI + ["cli/table", "cli/common", "cli/usage"], ["jansson.h"]),
    "cli/map": (BELOW_CLI + ["cli/table", "cli/common"], ["jansson.h"]),
    "cli/pages": (BELOW_CLI + ["cli/table", "cli/common"], ["jansson.h"]),
    "cli/files": (BELOW_CLI + ["cli/table", "cli/common"], ["jansson.h"]),
    "cli/sharing": (BELOW_CLI + ["cli/table", "cli/common"], ["jansson.h"]),
    "cli/compare": (BELOW_CLI + ["cli/table", "cli/common"], ["curl/"]),
    "cli/explain": (BELOW_CLI + ["cli/table", "cli/common", "cli/map"], ["jansson.h"]),
    "cli/why/facts": (BELOW_CLI, []),
    "cli/why": (BELOW_CLI + ["cli/table", "cli/common", "cli/why/facts"], ["jansson.h"]),
    "cli/top/cells": (BELOW_CLI + ["cli/table"], []),
    "cli/top/rows": (BELOW_CLI + ["cli/table", "cli/top/cells"], []),
    "cli/top/pages": (BELOW_CLI + ["cli/table", "cli/top/cells", "cli/top/rows"], []),
    "cli/top": (BELOW_CLI + ["cli/table", "cli/common", "cli/top"], ["curses.h", "term.h"]),
    "cli": (BELOW_CLI + ["cli"], []),
}
LIBRARIES = ("yaml.h", "jansson.h", "systemd/", "microhttpd.h", "zlib.h", "libsmartcols", "curses.h", "term.h", "curl/",
             "seccomp.h", "pcre2.h", "sqlite3.h", "zstd.h", "libelf.h", "gelf.h", "elfutils/", "gnutls/", "crypt.h")

# Only programs and their common parts log; the layers below return errors.
PROGRAMS = {"service", "daemon", "web", "ledger", "recorder", "cli"}

# Folders that do not read other processes. They may read their own /proc/self.
WITHOUT_PROC = {"base", "trend", "snapshot", "growth", "recorder", "render", "service", "web", "ledger"}
PROC = re.compile(r'"[^"\n]*/proc(?!/self)[/"][^\n]*')

# X-private.h belongs to module X, and so do sources without a header of their own that include it.
PRIVATE = "-private.h"

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.M)


def check_own(source, folder, path, header):
    if header == "config.h":
        return None if path.endswith(".c") else "a header includes config.h"
    if "/" not in header:
        return f'"{header}" is included without its folder'
    target = os.path.dirname(header)
    if header == "base/log.h" and folder.split("/")[0] not in PROGRAMS and path != "base/log.c":
        return "only programs log: base/log.h"
    if header.endswith(PRIVATE) and (target != folder or path.endswith(".h")):
        return f"only sources of {target} include {header}"
    if target != folder and not any(f"{target}/".startswith(f"{used}/") for used in LAYERS[folder][0]):
        return f"{folder} may not use {target}: {header}"
    if not os.path.exists(os.path.join(source, header)):
        return f"there is no {header}"
    return None


def check_library(folder, header):
    if not header.startswith(LIBRARIES):
        return None
    if header.startswith(tuple(LAYERS[folder][1])) and LAYERS[folder][1]:
        return None
    return f"{folder} may not use <{header}>"


def check_file(source, folder, path):
    text = common.without_comments(common.read(source, path), keep_strings=True)
    found = []
    for match in INCLUDE.finditer(text):
        own, header = match.group(1) == '"', match.group(2)
        wrong = check_own(source, folder, path, header) if own else check_library(folder, header)
        if wrong:
            found.append(f"{path}:{common.line_of(text, match.start())}: {wrong}")
    if folder.split("/")[0] in WITHOUT_PROC:
        found += [f"{path}:{common.line_of(text, m.start())}: {folder} does not read /proc"
                  for m in PROC.finditer(text)]
    return found


def includes_of(source, path):
    text = common.without_comments(common.read(source, path), keep_strings=True)
    return [header for kind, header in INCLUDE.findall(text) if kind == '"']


def module_of(path, included, paths):
    """Returns the module of the file PATH: X.c, X.h and X-private.h are one."""
    if path.endswith(PRIVATE):
        return path[:-len(PRIVATE)]
    if path.endswith(".c") and f"{path[:-2]}.h" not in paths:
        private = [header for header in included if header.endswith(PRIVATE)]
        return private[0][:-len(PRIVATE)] if private else path[:-2]
    return path[:-2]


def reach_of(graph, module):
    """Returns the modules that MODULE includes, directly or through others."""
    reached, left = set(), [module]
    while left:
        new = graph.get(left.pop(), set()) - reached
        reached |= new
        left += new
    return reached


def check_circles(source, paths):
    """No module includes another one that includes it, directly or through others."""
    graph = {}
    for path in paths:
        included = includes_of(source, path)
        module = module_of(path, included, paths)
        used = {module_of(header, [], paths) for header in included if header in paths}
        graph.setdefault(module, set()).update(used - {module})
    reach = {module: reach_of(graph, module) for module in graph}
    circles = {tuple(sorted(used for used in reach[module] if module in reach[used])) for module in graph}
    return [f"{circle[0]}: includes itself through {', '.join(circle[1:])}" for circle in sorted(circles) if circle]


def findings(source, build):
    found, code = [], set()
    for top in sorted({folder.split("/")[0] for folder in LAYERS}):
        for path in common.paths(source, top):
            folder = os.path.dirname(path)
            if not path.endswith((".c", ".h")):
                continue
            code.add(path)
            if folder in LAYERS:
                found += check_file(source, folder, path)
            else:
                found.append(f"{path}: the table of layers has no row for {folder}")
    return found + check_circles(source, code)


if __name__ == "__main__":
    common.main(findings)
