#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the rules for Prometheus with docs/runbooks.md and docs/alerts.md.

Each alert has a severity, waits, and has a paragraph on both pages, and each paragraph has an alert.
Recorded names used by rules, tests and pages are recorded. Federation and remote write take the
same series. (documents.py checks that their metrics exist.)
"""
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import common  # noqa: E402

FOLDER = "contrib/prometheus"
PAGE = "docs/runbooks.md"
# How a paragraph on an alert begins.
PARAGRAPHS = {PAGE: r"^## (Memtally\w+)$", "docs/alerts.md": r"^\*\*(Memtally\w+)\b"}
# The page's path in a package; `make install` inserts another one if needed.
URL = f"file:///usr/share/doc/memtally/{PAGE}"
RULE = re.compile(r"^( *)- (alert|record): (\S+)\n((?:\1 .*\n|\n)*)", re.M)
SEVERITIES = ("critical", "warning")
# The samples for global servers, and series of other programs.
FEDERATION = f"{FOLDER}/federation.yml"
REMOTE_WRITE = f"{FOLDER}/remote_write.yml"
FOREIGN = ({"__name__": "ALERTS", "alertname": "InstanceDown"}, {"__name__": "up"}, {"__name__": "node:cpu:ratio"},
           {"__name__": "memtally_host_pss_bytes"})
# A record that the administrator makes, and that alerts use.
OF_OTHERS = {"memtally:user_share_limit:ratio"}


def rules(source):
    """Returns place, kind, name and body of each rule."""
    found = []
    for path in common.paths(source, FOLDER):
        if path.endswith((".rules.yml", ".alerts.yml")):
            text = common.read(source, path)
            found += [(f"{path}:{common.line_of(text, m.start())}", m.group(2), m.group(3), m.group(4))
                      for m in RULE.finditer(text)]
    return found


def check_alert(where, name, body):
    url = f"{URL}#{name.lower()}"
    needs = ((rf"^ *runbook_url: {re.escape(url)}$", f"no runbook_url: {url}"), (r"^ *for: [1-9]", "does not wait (for)"),
             (rf"^ *severity: ({'|'.join(SEVERITIES)})$", "no severity that is one of " + ", ".join(SEVERITIES)),
             (r"^ *summary: ", "no summary"), (r"^ *description: ", "no description"))
    return [f"{where}: {name}: {lack}" for pattern, lack in needs if not re.search(pattern, body, re.M)]


def check_page(source, page, alerts):
    text = common.read(source, page)
    described = {m.group(1): common.line_of(text, m.start()) for m in re.finditer(PARAGRAPHS[page], text, re.M)}
    found = [f"{page}: does not describe {name}" for name in sorted(alerts - set(described))]
    return found + [f"{page}:{line}: there is no alert {name}" for name, line in described.items() if name not in alerts]


def check_records(source, records):
    found = []
    for path in common.paths(source, FOLDER) + common.paths(source, "tests/prometheus") + common.paths(source, "docs"):
        if not path.endswith((".yml", ".md")):
            continue
        text = common.read(source, path)
        # A name that ends in an underscore is a prefix.
        for match in re.finditer(r"\bmemtally:[a-z]\w*(?::\w+)?", text):
            if not match.group(0).endswith("_") and match.group(0) not in records | OF_OTHERS:
                found.append(f"{path}:{common.line_of(text, match.start())}: nothing records {match.group(0)}")
    return found


def is_federated(text, labels):
    """Returns whether a selector takes a series with these labels."""
    return any(all(re.fullmatch(value if how == "=~" else re.escape(value), labels.get(name, ""))
                   for name, how, value in re.findall(r'(\w+)(=~?)"([^"]*)"', selector))
               for selector in re.findall(r"^ *- '\{(.+)\}'$", text, re.M))


def is_written(text, labels):
    """Returns whether the rule that keeps series keeps one with these labels."""
    names = re.search(r"source_labels: \[(.+)\]", text).group(1).split(", ")
    kept = re.search(r"regex: '(.+)'", text).group(1)
    return bool(re.fullmatch(kept, ";".join(labels.get(name, "") for name in names)))


def check_ways_up(source, alerts, records):
    federation, remote_write = common.read(source, FEDERATION), common.read(source, REMOTE_WRITE)
    found = []
    series = [{"__name__": name} for name in sorted(records)]
    series += [{"__name__": "ALERTS", "alertname": name} for name in sorted(alerts)]
    for labels in series + list(FOREIGN):
        ways = is_federated(federation, labels), is_written(remote_write, labels)
        name = " ".join(labels.values())
        if ways[0] != ways[1]:
            found.append(f"{FEDERATION if ways[0] else REMOTE_WRITE} alone takes {name}")
        elif ways[0] and labels in FOREIGN:
            found.append(f"{FEDERATION} and {REMOTE_WRITE} take {name}")
        elif not ways[0] and "alertname" in labels and labels not in FOREIGN:
            found.append(f"neither {FEDERATION} nor {REMOTE_WRITE} takes {name}")
    return found


def findings(source, _build):
    all_rules = rules(source)
    found = [line for where, kind, name, body in all_rules if kind == "alert"
             for line in check_alert(where, name, body)]
    alerts = {name for _, kind, name, _ in all_rules if kind == "alert"}
    records = {name for _, kind, name, _ in all_rules if kind == "record"}
    found += [line for page in PARAGRAPHS for line in check_page(source, page, alerts)]
    return found + check_records(source, records) + check_ways_up(source, alerts, records)


if __name__ == "__main__":
    common.main(findings)
