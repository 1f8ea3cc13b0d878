#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the dashboards for Grafana.

Those of memtally are made by tests/tools/dashboards from the table of metrics; --update renews them. Their queries name
metrics of docs/metrics.md and recorded series of the rules. In the dashboard for process-exporter both process-exporter
and memtally serve each metric and each memtype, so that it shows the same before and after a move.

In all of them each panel has a unit and a description, needs no plugin, and uses the data source that the user selects.
"""
import json
import os
import re
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "tools/dashboards")]
import boards  # noqa: E402
import common  # noqa: E402
import documents  # noqa: E402
import grafana  # noqa: E402
import rules  # noqa: E402

FOLDER = boards.FOLDER
# What memtally serves under process-exporter's names.
SERVED = "tests/fixtures/golden/process-exporter.txt"
# Names and values of memtype of process-exporter 0.7.10, without those of threads.
PREFIX = "namedprocess_namegroup_"
THEIRS = {PREFIX + name for name in """context_switches_total cpu_seconds_total major_page_faults_total memory_bytes
    minor_page_faults_total num_procs num_threads oldest_start_time_seconds open_filedesc read_bytes_total states
    worst_fd_ratio write_bytes_total""".split()}
THEIR_MEMTYPES = {"proportionalResident", "proportionalSwapped", "resident", "swapped", "virtual"}
PANELS = {"timeseries", "stat", "table"}
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
OWN_VARIABLES = {"__interval", "__range", "__rate_interval"}  # of Grafana
UNITS = {"bytes", "dateTimeAsIso", "none", "percentunit", "s", "short"}  # ids of Grafana
COLORS = {grafana.GOOD, grafana.WARNING, grafana.BAD}  # of thresholds
NAME = re.compile(r"\b(?:namedprocess_|memtally_|process_|memtally:)\w+(?::\w+)?")


def panels(board):
    """Returns all panels but rows, those in collapsed rows included."""
    return [part for panel in board["panels"] for part in (panel.get("panels", []) if panel["type"] == "row" else [panel])]


def query_variables(board):
    return [variable for variable in board["templating"]["list"] if variable["type"] == "query"]


def annotations(board):
    return board.get("annotations", {}).get("list", [])


def queries(board):
    """Returns the name of each panel, variable and annotation, with its query."""
    found = [(panel["title"], target["expr"]) for panel in panels(board) for target in panel["targets"]]
    found += [(variable["name"], variable["query"]["query"]) for variable in query_variables(board)]
    return found + [(part["name"], part["expr"]) for part in annotations(board)]


def check_theirs(query, served, memtypes):
    """A query for process-exporter's metrics."""
    names = set(NAME.findall(query))
    found = [] if names else ["names no metric"]
    found += [f"process-exporter has no {name}" for name in sorted(names - THEIRS)]
    found += [f"memtally does not serve {name}" for name in sorted((names & THEIRS) - served)]
    types = set(re.findall(r'memtype="([^"]*)"', query))
    found += [f"process-exporter has no memtype {name}" for name in sorted(types - THEIR_MEMTYPES)]
    return found + [f"memtally does not serve memtype {name}" for name in sorted((types & THEIR_MEMTYPES) - memtypes)]


def check_ours(query, known):
    """A query for memtally's metrics. Prometheus itself has up and ALERTS."""
    names = {re.sub(r"_bucket$", "", name) for name in NAME.findall(query)}
    found = [] if names or re.search(r"\b(up|ALERTS)\{", query) else ["names no metric"]
    return found + [f"there is no metric {name}" for name in sorted(names - known)]


def check_absence(query):
    """No data never shows as a number."""
    return [f"shows {number} without data" for number in re.findall(r"\bor\s+(?:on\s*\(\s*\)\s*)?(vector\([^()]*\))", query)]


def check_variables(query, variables):
    used = set(re.findall(r"\$\{?(\w+)", query))
    return [f"there is no variable {name}" for name in sorted(used - variables - OWN_VARIABLES)]


def known_names(source):
    """Returns the metrics of docs/metrics.md, for each kind of owner, and the recorded series."""
    text = common.read(source, "docs/metrics.md")
    cells = "\n".join(re.findall(r"^\| (`[^|]+) \|", text, re.M))
    table = re.search(r"<!-- BEGIN owner_scopes.*?<!-- END", text, re.S)
    kinds = ["host"] + re.findall(r"^\| `(\w+)` \|", table.group(0) if table else "", re.M)
    names = {name.replace("SCOPE", kind) for name in re.findall(r"`((?:memtally|process)_\w+)`", cells) for kind in kinds}
    return names | {name for _, kind, name, _ in rules.rules(source) if kind == "record"}


def named_parts(panel):
    """Returns the names by which overrides find series and columns of a panel."""
    names = {target.get("legendFormat") for target in panel["targets"]}
    for change in panel.get("transformations", []):
        names |= set(change["options"].get("renameByName", {}).values())
    return names


def overrides(panel):
    return panel["fieldConfig"]["overrides"]


def check_overrides(panel, kinds):
    """KINDS are names of series that a legend can have."""
    wanted = {part["matcher"]["options"] for part in overrides(panel)}
    wanted |= {each["value"] for part in overrides(panel) for each in part["properties"] if each["id"] == "custom.fillBelowTo"}
    return [f"has no series or column '{name}'" for name in sorted(wanted - named_parts(panel) - kinds)]


def configs(panel):
    """Returns the defaults of a panel, and the properties of each override."""
    return [panel["fieldConfig"]["defaults"]] + [{part["id"]: part["value"] for part in each["properties"]}
                                                 for each in overrides(panel)]


def check_panel(panel, kinds):
    found = [] if panel["type"] in PANELS else [f"a panel of type {panel['type']}"]
    found += [] if panel.get("description") else ["no description"]
    found += [] if "unit" in panel["fieldConfig"]["defaults"] else ["no unit"]
    for config in configs(panel):
        found += [f"there is no unit {config['unit']}"] if config.get("unit", "none") not in UNITS else []
        found += [f"a threshold has the colour {step['color']}" for step in config.get("thresholds", {}).get("steps", [])
                  if step["color"] not in COLORS]
    numbers = [target["refId"] for target in panel["targets"]]
    found += ["two queries have one refId"] if len(set(numbers)) < len(numbers) else []
    return found + check_overrides(panel, kinds)


def check_sources(board):
    """Panels, variables and annotations use the selected data source."""
    return [f"{part.get('title') or part['name']}: another data source"
            for part in panels(board) + query_variables(board) + annotations(board) if part["datasource"] != SOURCE]


def check_numbers(board):
    numbers = [panel["id"] for panel in panels(board)] + [panel["id"] for panel in board["panels"] if panel["type"] == "row"]
    return [f"two panels have the id {number}" for number in sorted({one for one in numbers if numbers.count(one) > 1})]


def variables_of(board):
    return {variable["name"] for variable in board["templating"]["list"]}


def check_links(board, by_uid):
    """Links of cells lead to a dashboard with their variables, links of the dashboard to some with their tags."""
    found = []
    for url in re.findall(r'"url": "(/[^"]+)"', json.dumps(board)):
        uid = re.match(r"/d/([\w-]+)\?", url)
        if not uid or uid.group(1) not in by_uid:
            found.append(f"there is no dashboard {url}")
            continue
        found += [f"{uid.group(1)} has no variable {name}"
                  for name in sorted(set(re.findall(r"[?&]var-(\w+)=", url)) - variables_of(by_uid[uid.group(1)]))]
    for link in board.get("links", []):
        if not any(set(link["tags"]) <= set(other["tags"]) for other in by_uid.values() if other is not board):
            found.append(f"no other dashboard has the tags {', '.join(link['tags'])}")
    return found


def check_boards(source):
    text = common.read(source, SERVED)
    served, memtypes = set(re.findall(r"^# TYPE (\w+)", text, re.M)), set(re.findall(r'memtype="(\w+)"', text))
    known, found = known_names(source), []
    read = {path: json.loads(common.read(source, path)) for path in common.paths(source, FOLDER) if path.endswith(".json")}
    by_uid = {board["uid"]: board for board in read.values()}
    if len(by_uid) < len(read):
        found.append(f"{FOLDER}: two dashboards have one uid")
    for path, board in read.items():
        is_theirs = "process-exporter" in board["tags"]
        for where, query in queries(board):
            faults = check_theirs(query, served, memtypes) if is_theirs else check_ours(query, known)
            found += [f"{path}: {where}: {fault}" for fault in faults + check_absence(query) + check_variables(query, variables_of(board))]
        # A legend of labels can have any name: the kinds of memory are known.
        kinds = set(re.findall(r"^\| `(\w+)` \|", common.read(source, "docs/metrics.md"), re.M))
        found += [f"{path}: {panel['title']}: {fault}" for panel in panels(board) for fault in check_panel(panel, kinds)]
        found += [f"{path}: {fault}" for fault in check_sources(board) + check_numbers(board) + check_links(board, by_uid)]
    return found


def make(build):
    metrics = documents.dump(build, "metrics")
    tables = boards.Metrics(lambda scope: documents.families(metrics, scope), documents.dump(build, "owners"),
                            documents.dump(build, "balance"))
    return boards.made(tables)


def check_made(source, made):
    """The dashboards are what the generator makes of the tables."""
    return [f"{path}: is not what tests/tools/dashboards makes of the tables; `make update-docs` renews it"
            for path, text in made.items()
            if not os.path.exists(os.path.join(source, path)) or common.read(source, path) != text]


def findings(source, build):
    return check_made(source, make(build)) + check_boards(source)


def update(source, build):
    for path, text in make(build).items():
        common.write(source, path, text)
    return []


if __name__ == "__main__":
    common.main(update if sys.argv[1:] == ["--update"] else findings)
