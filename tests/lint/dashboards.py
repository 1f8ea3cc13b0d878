#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the dashboards for Grafana.

Each metric and each memtype of their queries is served both by process-exporter and by memtally, so a dashboard shows
the same before and after a move. Panels need no plugin, and use the data source that the user selects.
"""
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import common  # noqa: E402

FOLDER = "contrib/grafana"
# What memtally serves under process-exporter's names.
SERVED = "tests/fixtures/golden/process-exporter.txt"
# Names and values of memtype of process-exporter 0.7.10, without those of threads.
PREFIX = "namedprocess_namegroup_"
THEIRS = {PREFIX + name for name in """context_switches_total cpu_seconds_total major_page_faults_total memory_bytes
    minor_page_faults_total num_procs num_threads oldest_start_time_seconds open_filedesc read_bytes_total states
    worst_fd_ratio write_bytes_total""".split()}
THEIR_MEMTYPES = {"proportionalResident", "proportionalSwapped", "resident", "swapped", "virtual"}
PANELS = {"timeseries", "stat", "table", "text"}
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
OWN_VARIABLES = {"__interval", "__range", "__rate_interval"}  # of Grafana


def queries(board):
    """Returns the name of each panel and variable, with its query."""
    found = [(panel["title"], target["expr"]) for panel in board["panels"] for target in panel["targets"]]
    return found + [(variable["name"], variable["query"]["query"]) for variable in board["templating"]["list"]
                    if variable["type"] == "query"]


def check_query(query, served, memtypes, variables):
    names = set(re.findall(r"\b(?:namedprocess|memtally)_\w+", query))
    found = [] if names else ["names no metric"]
    found += [f"process-exporter has no {name}" for name in sorted(names - THEIRS)]
    found += [f"memtally does not serve {name}" for name in sorted((names & THEIRS) - served)]
    types = set(re.findall(r'memtype="([^"]*)"', query))
    found += [f"process-exporter has no memtype {name}" for name in sorted(types - THEIR_MEMTYPES)]
    found += [f"memtally does not serve memtype {name}" for name in sorted((types & THEIR_MEMTYPES) - memtypes)]
    used = set(re.findall(r"\$\{?(\w+)", query))
    return found + [f"there is no variable {name}" for name in sorted(used - variables - OWN_VARIABLES)]


def check_parts(board):
    """Panels need no plugin. They and variables use the selected data source."""
    variables = [variable for variable in board["templating"]["list"] if variable["type"] == "query"]
    found = [f"{panel['title']}: a panel of type {panel['type']}" for panel in board["panels"]
             if panel["type"] not in PANELS]
    return found + [f"{part.get('title') or part['name']}: another data source" for part in board["panels"] + variables
                    if part["datasource"] != SOURCE]


def findings(source, _build):
    text = common.read(source, SERVED)
    served, memtypes = set(re.findall(r"^# TYPE (\w+)", text, re.M)), set(re.findall(r'memtype="(\w+)"', text))
    found = []
    for path in common.paths(source, FOLDER):
        board = json.loads(common.read(source, path))
        variables = {variable["name"] for variable in board["templating"]["list"]}
        found += [f"{path}: {where}: {fault}" for where, query in queries(board)
                  for fault in check_query(query, served, memtypes, variables)]
        found += [f"{path}: {fault}" for fault in check_parts(board)]
    return found


if __name__ == "__main__":
    common.main(findings)
