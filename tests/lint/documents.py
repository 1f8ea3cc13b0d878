#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the documentation with the tables of metrics, JSON fields and options, with routes, files
and tests, and checks links.

With --update it rewrites docs/openapi.yaml and the generated parts of docs/metrics.md and docs/api.md in the source
tree.
"""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import common  # noqa: E402
import openapi  # noqa: E402

PAGES = {"memtallyd": "docs/man/memtallyd.8", "memtally-web": "docs/man/memtally-web.8",
         "memtally-ledger": "docs/man/memtally-ledger.8", "memtally-recorder": "docs/man/memtally-recorder.8",
         "memtally": "docs/man/memtally.1"}
WEB_PAGE = "docs/man/memtally-web.8.in"
FILE_PAGE = "docs/man/memtally.yaml.5"
VIEWS = ["status", "usage", "map", "files", "pages", "sharing", "explain", "compare", "diff",
         "history"]  # views of cli/common/cli-option.c with a man page each
SAMPLE = "contrib/memtally.yaml"
SURVEYS = "files.interval"  # has another default in a build without surveys
QUICKSTART = "contrib/quickstart"
FAULTS = ("docs/faults/processes.md", "docs/faults/daemons.md", "docs/faults/ledger.md",
          "docs/faults/recorder.md")
USAGE = "docs/usage.md"
INSTALL = "docs/install.md"
MAP = "docs/ARCHITECTURE.md"
OPENAPI = "docs/openapi.yaml"
CONSTANTS = "docs/estimator/constants.md"
SOURCE_FOLDERS = ("base", "confine", "snapshot", "growth", "naming", "collectors", "inspect", "config", "render", "service",
                  "daemon", "web", "ledger", "recorder", "cli")
SPLIT_FOLDERS = ("collectors", "inspect")
BLOCK = re.compile(r"(<!-- BEGIN (\w+)[^>]*-->\n)(.*?)(<!-- END \2 -->)", re.S)


def dump(build, table):
    """Returns the rows of a table as lists of fields."""
    output = subprocess.run([os.path.join(build, "tests/tools/table-dump"), table], check=True,
                            capture_output=True, text=True).stdout
    return [line.split("\t") for line in output.splitlines()]


def table_of(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def families(metrics, scope):
    """Returns a row for each family: name, type, label, its values, JSON field, help."""
    found = {}
    for row_scope, name, kind, label, value, where, field, text in metrics:
        if row_scope == scope:
            row = found.setdefault(name, [name, kind, label, [], where, field, text])
            row[3].append(value)
    return list(found.values())


def metric_rows(metrics, scope, shown=None):
    rows = []
    for name, kind, label, values, where, _, text in families(metrics, scope):
        if where == "json":
            continue
        if shown:
            name = name.replace(f"memtally_{scope}_", f"memtally_{shown}_")
        labels = "" if label == "-" else f" `{label}`: " + ", ".join(values) + "."
        rows.append([f"`{name}`", kind, text + labels])
    return rows


def json_fields(metrics, scope):
    """Returns name, type, label, its values and help of each JSON field of a scope."""
    return [(field, "number" if "second" in field or field.endswith("ratio") else "integer", label, values, text)
            for _, _, label, values, where, field, text in families(metrics, scope) if where != "prometheus"]


def field_rows(metrics, scope):
    rows = []
    for field, kind, label, values, text in json_fields(metrics, scope):
        if label != "-":
            kind = "object of integers, by " + label
            text += " " + ", ".join(f"`{v}`" for v in values) + "."
        rows.append([f"`{field}`", kind, text])
    return rows


def label_list(labels):
    return ", ".join(f"`{label}`" for label in labels.split())


def balance_rows(kinds):
    return [[f"`{kind}`", what[0].upper() + what[1:] + ".", source[0].upper() + source[1:] + "."]
            for kind, what, source in kinds]


def blocks(metrics, owners, kinds):
    """Returns the generated parts by name."""
    host = [row for row in metrics if row[0] == "host"]
    users = {row[6]: row[5] for row in metrics if row[0] == "user"}
    host_fields = [row for row in host if row[6] not in users]
    host_series = [row for row in host if users.get(row[6], "json") == "json"]
    cgroup = [row for row in metrics if row[0] == "unit" and row[6] not in users]
    namegroup = [row for row in metrics if row[0] == "namegroup" and row[6] not in users]
    metric_head, field_head = ["metric", "type", "what it says"], ["field", "type", "what it says"]
    return {
        "owner_scopes": table_of(["*SCOPE*", "labels", "owner"],
                                 [[f"`{name}`", label_list(labels), text] for name, _, labels, text in owners]),
        "owner_lists": table_of(["path", "name", "owner"],
                                [[f"`GET /api/v1/{rows}`", f"`{name}`", text] for name, rows, _, text in owners]),
        "scope_metrics": table_of(metric_head, metric_rows(metrics, "user", "SCOPE")),
        "host_metrics": table_of(metric_head, metric_rows(host_series, "host")),
        "cgroup_metrics": table_of(metric_head, metric_rows(cgroup, "unit", "SCOPE")),
        "process_metrics": table_of(metric_head, metric_rows(metrics, "process")),
        "self_metrics": table_of(metric_head, metric_rows(metrics, "self")),
        "balance_kinds": table_of(["`kind`", "what it is", "of what it is made"], balance_rows(kinds)),
        "survey_metrics": table_of(metric_head, metric_rows(metrics, "survey")),
        "survey_fields": table_of(field_head, field_rows(metrics, "survey")),
        "file_fields": table_of(field_head, field_rows(metrics, "file")),
        "shmem_metrics": table_of(metric_head, metric_rows(metrics, "shmem")),
        "tmpfs_metrics": table_of(metric_head, metric_rows(metrics, "tmpfs")),
        "shmem_fields": table_of(field_head, field_rows(metrics, "shmem")),
        "tmpfs_fields": table_of(field_head, field_rows(metrics, "tmpfs")),
        "scope_fields": table_of(field_head, field_rows(metrics, "user")),
        "host_fields": table_of(field_head, field_rows(host_fields, "host")),
        "cgroup_fields": table_of(field_head, field_rows(cgroup, "unit")),
        "namegroup_fields": table_of(field_head, field_rows(namegroup, "namegroup")),
        "process_fields": table_of(field_head, field_rows(metrics, "process")),
        "self_fields": table_of(field_head, field_rows(metrics, "self")),
    }


def renewed(text, generated):
    return BLOCK.sub(lambda m: m.group(1) + generated.get(m.group(2), m.group(3)) + m.group(4), text)


def describe_interface(source, metrics, owners, routes):
    """Returns the text of docs/openapi.yaml."""
    users = {row[6] for row in metrics if row[0] == "user"}
    fields = {scope: json_fields(metrics, scope) for scope in
              ("user", "host", "shmem", "tmpfs", "survey", "file", "process", "self")}
    for part, scope in (("charges", "unit"), ("activity", "namegroup")):
        fields[part] = json_fields([row for row in metrics if row[6] not in users], scope)
    parts = {scope: [part for part in ("charges", "activity")
                     if any(row[0] == scope and row[6] == name for row in metrics for name, *_ in fields[part])]
             for scope, *_ in owners}
    histograms = [row[6] for row in metrics if row[2] == "histogram"]
    page = common.read(source, "docs/api.md")
    return openapi.render(openapi.document(routes, fields, owners, parts, histograms, page))


def check_interface(source, text):
    if os.path.exists(os.path.join(source, OPENAPI)) and common.read(source, OPENAPI) == text:
        return []
    return [f"{OPENAPI}: is not that of the tables; `make update-docs` renews it"]


def check_blocks(source, generated):
    found, seen = [], set()
    for path in ("docs/metrics.md", "docs/api.md"):
        text = common.read(source, path)
        seen |= {m.group(2) for m in BLOCK.finditer(text)}
        if renewed(text, generated) != text:
            found.append(f"{path}: its tables are not those of snapshot/metric.c; "
                         "`make update-docs` renews them")
    return found + [f"docs: no table of {name}" for name in sorted(set(generated) - seen)]


def markdown(source):
    return [p for p in common.paths(source) if p.endswith(".md")]


def literals(source, folders, pattern):
    """Returns what PATTERN matches in the string literals of these folders' code."""
    found = set()
    for folder in folders:
        for path in common.paths(source, folder):
            if path.endswith((".c", ".h")):
                code = common.without_comments(common.read(source, path), keep_strings=True)
                for string in re.findall(r'"((?:\\.|[^"\\\n])*)"', code):
                    found |= set(re.findall(pattern, string))
    return found


def check_metric_names(source, metrics, owners):
    """Every metric named by code or documentation exists and is documented."""
    table = {row[1] for row in metrics if row[5] != "json"}
    names = sorted((row[0] for row in owners), key=len, reverse=True)  # user_unit before user
    coded = literals(source, ["render", "web"], r"^((?:memtally|process)_[a-z_]*[a-z])(?:$|\{)")
    described = common.read(source, "docs/metrics.md")
    found = [f"docs/metrics.md: does not mention {name}" for name in sorted(coded)
             if not re.search(rf"`{name}(_total|_info)?[`{{]", described)]
    shapes = {re.sub(rf"^memtally_(host|{'|'.join(names)})_", "memtally_SCOPE_", n) for n in table}
    known = table | coded | shapes | {n + s for n in table | coded for s in
                                      ("_bucket", "_sum", "_count", "_created", "_total", "_info")}
    for path in markdown(source) + [p for p in common.paths(source, "contrib") if p.endswith(".yml")]:
        text = common.read(source, path)
        # A name that ends in an underscore is a prefix.
        for match in re.finditer(r"\bmemtally_[A-Za-z_]*[a-z](?![A-Za-z_*<{]*[*<]|[A-Za-z_]*_(?![A-Za-z_]))", text):
            if match.group(0) not in known:
                found.append(f"{path}:{common.line_of(text, match.start())}: "
                             f"there is no metric {match.group(0)}")
    return found


def check_options(source, build, options):
    found = []
    for program in common.built(build, PAGES):
        page = PAGES[program]
        text = common.read(build, page).replace("\\-", "-")
        found += [f"{page}: does not mention --{row[1]}" for row in options
                  if row[0] == program and not re.search(rf"^\.It (?:Fl \w , )?Fl -{re.escape(row[1])}\b", text, re.M)]
    text = common.read(build, PAGES["memtally"])
    found += [f"{PAGES['memtally']}: ENVIRONMENT does not mention {row[7]}" for row in options
              if row[0] == "memtally" and row[7] != "-" and not re.search(rf"^\.It Ev {row[7]}$", text, re.M)]
    text = common.read(build, FILE_PAGE)
    keys = {row[1] for row in options if row[3] == "file"}
    found += [f"{FILE_PAGE}: does not mention {key}" for key in sorted(keys)
              if not re.search(rf"^\.It Cm {re.escape(key)} ", text, re.M)]
    return found + check_mentioned_options(source, options)


def option_views(source):
    """The views that take an option, by the option, as the table of cli-option.c has them: ONLY(MAP), ALL, ROWS, `& ~`."""
    path = next(path for path in common.paths(source, "cli") if os.path.basename(path) == "cli-option.c")
    views = {"ONLY(" + view.upper() + ")": {view} for view in VIEWS}
    recorded = {"diff", "history", "growth", "why"}
    views |= {"ALL": set(VIEWS), "ROWS": set(VIEWS) - {"status", "history", "why"}, "RECORDED": recorded,
              "PAST": recorded | {"status"}, "UNFILTERED": {"status", "compare", "history", "why"}}

    def union(terms):
        return set().union(*(views.get(term, set()) for term in re.findall(r"ONLY\(\w+\)|\w+", terms)))
    rows = re.findall(r'\{"([a-z_-]+)", ([^}"]*)\}', common.read(source, path))
    return {option: union(terms.partition("& ~")[0]) - union(terms.partition("& ~")[2]) for option, terms in rows}


def check_views(source):
    """The man page of a view describes every option that the view takes, and no other one."""
    taken = option_views(source)
    found = []
    for view in VIEWS:
        page = f"docs/man/memtally-{view}.1.in"
        items = re.findall(r"^\.It (Fl .*)$", common.read(source, page).replace("\\-", "-"), re.M)
        described = {option for item in items for option in re.findall(r"(?<= )-([a-z_-]+)", item)}
        wanted = {option for option, views in taken.items() if view in views}
        found += [f"{page}: does not mention --{option}" for option in sorted(wanted - described)]
        found += [f"{page}: {view} does not take --{option}" for option in sorted(described - wanted)]
    return found


def check_mentioned_options(source, options):
    """Options are recognized by their dots, so the sources of the man pages may name only our options with
    dots."""
    known = {row[1] for row in options}
    found = []
    for path in common.paths(source):
        if not path.endswith((".md", ".in", ".yml", ".yaml", ".service", ".socket")):
            continue
        text = common.read(source, path).replace("\\-", "-")
        pattern = r"(?:--|\bFl -)([a-z][a-z_-]*(?:\.[a-z_-]+)+)"
        found += [f"{path}:{common.line_of(text, m.start())}: there is no option --{m.group(1)}"
                  for m in re.finditer(pattern, text) if m.group(1) not in known]
    return found


def check_sample(source, options):
    """The sample configuration shows every key, commented out, with its default; a key without a
    default, with an example."""
    text = common.read(source, SAMPLE)
    found = []
    for row in {row[1]: row for row in options if row[3] == "file"}.values():
        example = r"\[.+\]" if row[2] in ("list", "addresses", "hosts") else r"\S+"
        value = example if row[4] == "-" else re.escape(row[4])
        if not re.search(rf"^#{re.escape(row[1])}: {value}$", text, re.M):
            found.append(f"{SAMPLE}: no line '#{row[1]}: {row[4]}'")
    return found


def check_routes(source, routes):
    """docs/api.md names every path, and no other one. memtally-web(8) names every path."""
    coded = {row[0] for row in routes}
    described = set(re.findall(r"`GET (/[^`?]*)`", common.read(source, "docs/api.md")))
    found = [f"docs/api.md: does not mention GET {path}" for path in sorted(coded - described)]
    found += [f"docs/api.md: web/ has no path {path}" for path in sorted(described - coded)]
    items = re.findall(r"^\.It Pa (.*)$", common.read(source, WEB_PAGE), re.M)
    named = {word for item in items for word in item.replace(" Ns Ar ", "").split()}
    return found + [f"{WEB_PAGE}: does not mention {path}" for path in sorted(coded - named)]


def check_map(source):
    """docs/ARCHITECTURE.md has a row for each folder of sources, and for each folder in collectors/ and inspect/."""
    named = {name for row in re.findall(r"^\| (`.*?) \|", common.read(source, MAP), re.M)
             for name in re.findall(r"`([a-z/]+)/`", row)}
    found = []
    for top in SOURCE_FOLDERS:
        folders = {os.path.dirname(path) for path in common.paths(source, top) if path.endswith((".c", ".h"))}
        if top in SPLIT_FOLDERS:
            found += sorted(folder for folder in folders if folder.partition("/")[2] not in named)
        if folders and top not in named:
            found.append(top)
    return [f"{MAP}: does not mention {folder}/" for folder in sorted(set(found))]


def names_of(cell):
    """Returns the constants that a cell names. `_B` after `PREFIX_A` stands for `PREFIX_B`."""
    names = []
    for name in re.findall(r"`(_?[A-Z][A-Z0-9_]*)`", cell):
        names.append(names[-1].rpartition("_")[0] + name if name[0] == "_" and names else name)
    return names


def defines(source, module, name):
    """Whether the header or the source of a module defines a constant."""
    texts = [common.without_comments(common.read(source, module + end)) for end in (".h", ".c")
             if os.path.exists(os.path.join(source, module + end))]
    pattern = rf"^# *define {name}\b|(?<![\w.]){name}\s*=(?!=)"
    return any(re.search(pattern, text, re.M) for text in texts)


def check_constants(source):
    """In the page on the estimator each row of the table of constants names their files: one of
    these defines each constant, and each of these defines one of the constants."""
    text = common.read(source, CONSTANTS)
    table = re.search(r"^\| constant \| file \|.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.M)
    if not table:
        return [f"{CONSTANTS}: has no table of constants"]
    found = []
    for row in re.finditer(r"^\| (.*?) \| (.*?) \|", table.group(1), re.M):
        where = f"{CONSTANTS}:{common.line_of(text, table.start(1) + row.start())}"
        names, modules = names_of(row.group(1)), []
        for module in row.group(2).split(", "):
            paths = [path for path in (f"collectors/{module}", module)
                     if any(os.path.exists(os.path.join(source, path + end)) for end in (".h", ".c"))]
            modules += paths[:1]
            found += [] if paths else [f"{where}: there is no {module}"]
        found += [f"{where}: {row.group(2)} does not define {name}" for name in names
                  if modules and not any(defines(source, module, name) for module in modules)]
        found += [f"{where}: {module} defines none of these" for module in modules if len(modules) > 1
                  and names and not any(defines(source, module, name) for name in names)]
    return found


def check_usage(source, owners):
    """The page on `memtally usage` names its JSON fields and CSV columns, and no others."""
    table = common.read(source, "cli/usage/usage-table.c")
    quantities = re.findall(r'QUANTITY\("([a-z_]+)"', table)
    kinds = re.findall(r"\[USAGE_\w+\] = OWNER_([A-Z]+)", common.read(source, "snapshot/usage.c"))
    coded = set(re.findall(r'\\"([a-z_]+)\\":', table)) | set(quantities) | {"uid", "gid"}
    coded |= {name for row in owners if row[0].upper() in kinds for name in row[:2]}
    text = common.read(source, USAGE).partition("\n## As JSON")[2].partition("\n## ")[0]
    named = {name for cell in re.findall(r"^\| (`[^|]*) \|", text, re.M) for name in re.findall(r"`(\w+)`", cell)}
    found = [f"{USAGE}: does not mention the field {name}" for name in sorted(coded - named)]
    found += [f"{USAGE}: memtally usage has no field {name}" for name in sorted(named - coded)]
    head = ",".join(["    since,until,covered_ratio,own_only,user,uid"] + quantities)
    return found + ([] if head in text.splitlines() else [f"{USAGE}: no line '{head.strip()}'"])


def check_operations(source):
    """Commands on services by name include all services."""
    text = common.read(source, INSTALL)
    table = re.search(r"^\| to do what \| how \|\n((?:\|.*\n)+)", text, re.M)
    return [f"{INSTALL}: '{row.split('|')[1].strip()}' lacks {program}"
            for row in (table.group(1).splitlines() if table else [])
            if re.search(r"\bmemtallyd\b", row) and re.search(r"\bmemtally-web\b", row)
            for program in ("memtally-ledger", "memtally-recorder")
            if not re.search(rf"\b{program}\b", row)]


def anchors(text):
    """Returns the anchors of the headings of a page."""
    found = set()
    for heading in re.findall(r"^#+ (.+)$", text, re.M):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        found.add(re.sub(r"[^\w -]", "", words).replace(" ", "-"))
    return found


def check_links(source):
    """Files and headings that are linked exist."""
    found = []
    for path in markdown(source):
        text = common.read(source, path)
        for match in re.finditer(r"\]\(([^)\s]+)\)", text):
            target, _, anchor = match.group(1).partition("#")
            if "://" in match.group(1):
                continue
            page = os.path.join(os.path.dirname(path), target) if target else path
            where = f"{path}:{common.line_of(text, match.start())}"
            if not os.path.exists(os.path.join(source, page)):
                found.append(f"{where}: there is no {target}")
            elif anchor and page.endswith(".md") and anchor not in anchors(common.read(source, page)):
                found.append(f"{where}: there is no {match.group(1)}")
    return found


def check_index(source):
    """Each page below docs/ is linked by the README.md of its folder or, if there is none, by docs/README.md, and
    is installed. So is docs/openapi.yaml."""
    found = []
    installed = common.read(source, "docs/Makefile.inc")
    for path in [path for path in common.paths(source, "docs") if path.endswith((".md", ".yaml"))]:
        folder, name = os.path.split(path)
        index = os.path.join(folder, "README.md")
        if not os.path.exists(os.path.join(source, index)):
            index, name = "docs/README.md", os.path.relpath(path, "docs")
        if name != "README.md" and f"]({name})" not in common.read(source, index):
            found.append(f"{index}: does not mention {name}")
        if not re.search(rf"^\t{re.escape(path)}( \\)?$", installed, re.M):
            found.append(f"docs/Makefile.inc: does not mention {path}")
    return found


def check_tests(source):
    """Files below tests/ that pages and ./quickstart name exist. A program has the name of its source, and a
    test has a log."""
    found = []
    for path in markdown(source) + common.paths(source, QUICKSTART):
        text = common.read(source, path)
        found += [f"{path}:{common.line_of(text, match.start())}: there is no {match.group(1)}"
                  for match in re.finditer(r"(?<![\w./${}-])(tests/[\w./-]*[\w/-])", text)
                  if not any(os.path.exists(os.path.join(source, re.sub(r"\.log$", "", match.group(1)) + end))
                             for end in ("", ".c"))]
    return found


def check_faults(source):
    """In the pages on faults the numbers of each section begin at 1 and are consecutive, and each fault
    has a test, or a reason for none."""
    found = []
    for path in FAULTS:
        text = common.read(source, path)
        last = {letter: 0 for letter in re.findall(r"^## ([A-Z])\. ", text, re.M)}
        for match in re.finditer(r"^\* \*\*([A-Z])(\d+)\. (.*\n(?:  \S.*\n)*)", text, re.M):
            where = f"{path}:{common.line_of(text, match.start())}: {match.group(1)}{match.group(2)}"
            if int(match.group(2)) != last.get(match.group(1), -1) + 1:
                found.append(f"{where} does not follow")
            last[match.group(1)] = int(match.group(2))
            if not re.search(r"\bTests?:\s+`tests/|\bNot tested: \w", match.group(3)):
                found.append(f"{where} has neither a test nor a reason")
        found += [f"{path}: section {letter} has no faults" for letter, count in last.items() if not count]
    return found


def findings(source, build):
    metrics, options, owners = dump(build, "metrics"), dump(build, "options"), dump(build, "owners")
    routes = dump(build, "routes")
    return (check_blocks(source, blocks(metrics, owners, dump(build, "balance")))
            + check_metric_names(source, metrics, owners)
            + check_options(source, build, options) + check_views(source)
            + check_sample(source, [row for row in options if common.has_part(build, "inspect") or row[1] != SURVEYS])
            + check_routes(source, routes) + check_interface(source, describe_interface(source, metrics, owners, routes))
            + check_map(source) + check_constants(source)
            + check_usage(source, owners) + check_operations(source) + check_links(source)
            + check_index(source) + check_tests(source) + check_faults(source))


def update(source, build):
    metrics, owners = dump(build, "metrics"), dump(build, "owners")
    generated = blocks(metrics, owners, dump(build, "balance"))
    for path in ("docs/metrics.md", "docs/api.md"):
        common.write(source, path, renewed(common.read(source, path), generated))
    common.write(source, OPENAPI, describe_interface(source, metrics, owners, dump(build, "routes")))
    return []


if __name__ == "__main__":
    common.main(update if sys.argv[1:] == ["--update"] else findings)
