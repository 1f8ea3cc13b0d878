#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the rules for Prometheus to the page on what to do: each alert has a severity, waits, and has its paragraph, and
each paragraph its alert; what rules, tests and pages call by a recorded name is recorded. (That the metrics they name
exist, documents.py looks at.)
"""
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import common  # noqa: E402

FOLDER = "contrib/prometheus"
PAGE = "docs/runbooks.md"
# Where a package has the page; `make install` puts in where it is otherwise.
URL = f"file:///usr/share/doc/memtally/{PAGE}"
RULE = re.compile(r"^( *)- (alert|record): (\S+)\n((?:\1 .*\n|\n)*)", re.M)
SEVERITIES = ("critical", "warning")
# What an administrator records, for alerts to go by.
OF_OTHERS = {"memtally:user_share_limit:ratio"}


def rules(source):
    """Where, kind, name and body of each rule."""
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


def check_page(source, alerts):
    text = common.read(source, PAGE)
    described = {m.group(1): common.line_of(text, m.start()) for m in re.finditer(r"^## (Memtally\w+)$", text, re.M)}
    found = [f"{PAGE}: no word of {name}" for name in sorted(alerts - set(described))]
    return found + [f"{PAGE}:{line}: there is no alert {name}" for name, line in described.items() if name not in alerts]


def check_records(source, records):
    found = []
    for path in common.paths(source, FOLDER) + common.paths(source, "tests/prometheus") + common.paths(source, "docs"):
        if not path.endswith((".yml", ".md")):
            continue
        text = common.read(source, path)
        # What ends in an underscore is the beginning of many names.
        for match in re.finditer(r"\bmemtally:[a-z]\w*(?::\w+)?", text):
            if not match.group(0).endswith("_") and match.group(0) not in records | OF_OTHERS:
                found.append(f"{path}:{common.line_of(text, match.start())}: nothing records {match.group(0)}")
    return found


def findings(source, _build):
    all_rules = rules(source)
    found = [line for where, kind, name, body in all_rules if kind == "alert"
             for line in check_alert(where, name, body)]
    alerts = {name for _, kind, name, _ in all_rules if kind == "alert"}
    records = {name for _, kind, name, _ in all_rules if kind == "record"}
    return found + check_page(source, alerts) + check_records(source, records)


if __name__ == "__main__":
    common.main(findings)
