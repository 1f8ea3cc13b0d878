# SPDX-License-Identifier: Apache-2.0
"""Makes docs/openapi.yaml, the description of the HTTP interface in OpenAPI 3.0, from the tables of routes,
metrics and owners and from the table of errors in docs/api.md."""
import json
import re
import textwrap

WIDTH = 100

# The path that an option turns on.
COMPAT = "/compat/process-exporter/metrics"
HISTORY_PATH = "/api/v1/history"
COVERAGE_PATH = "/api/v1/coverage"
# The answer at each path that is no list of owners: the name of its schema, or its media types.
ANSWERS = {
    "/metrics": ["text/plain", "application/openmetrics-text"],
    COMPAT: ["text/plain"],
    "/": ["text/html"],
    "/api/v1/": "paths",
    "/api/v1/host": "host_answer",
    HISTORY_PATH: "history_answer",
    COVERAGE_PATH: "coverage_answer",
    "/api/v1/processes": "processes_answer",
    "/api/v1/processes/PID": "process_answer",
    "/api/v1/files": "files_answer",
    "/api/v1/status": "status_answer",
    "/readyz": ["text/plain"],
    "/healthz": ["text/plain"],
}
# Answers without an ETag.
UNTAGGED = ("/", "/api/v1/", COVERAGE_PATH, "/api/v1/status", "/readyz", "/healthz")
# Errors of every path; the others are those of a malformed request, or of a path.
ERRORS = ("400", "401", "403", "421", "429", "503")
# Rows of owners that have a number.
NUMBERS = {"user": "uid", "group": "gid"}

INTEGER, NUMBER, STRING, BOOLEAN = ({"type": kind} for kind in ("integer", "number", "string", "boolean"))
PARAMETERS = {
    "sort": (STRING, "The field to sort by, any field of the rows; by default pss_bytes. A field that is an object, by its sum. "
             "Rows without the field come last in either order."),
    "order": ({"type": "string", "enum": ["asc", "desc"]},
              "By default desc for quantities, asc for names and numbers of things."),
    "limit": ({"type": "integer", "minimum": 1, "maximum": 1000000}, "Only the first rows; by default all."),
    "at": (STRING, "The last recorded snapshot at or before this time instead of the present one: a time of RFC 3339, seconds since "
           "1970, a date and a local time (2026-11-01 08:00), a duration ago (36h), or oom, before the last OOM kill."),
}
# Those of /api/v1/history, where limit is another one.
TIME = "Seconds since 1970, a date (2026-11-01), a date and a time (2026-11-01T08:00), now, today, yesterday or a duration ago (36h)."
HISTORY = {
    "scope": (STRING, "host, or the name of a kind of owners; by default user."),
    "name": ({"type": "array", "items": {"type": "string", "maxLength": 1023}, "maxItems": 64},
             "Only rows with exactly this name; by default the rows with the largest mean."),
    "metric": ({"type": "string",
                "enum": ["pss_bytes", "uss_bytes", "rss_bytes", "swap_pss_bytes", "vm_swap_bytes", "processes"]},
               "By default pss_bytes."),
    "from": (STRING, TIME + " By default an hour before to."),
    "to": (STRING, TIME + " By default now."),
    "step": (STRING, "Seconds, or a duration such as 5m. A value is the mean over a step. By default as short as there are at "
             "most 1000 points; a shorter step is raised."),
    "limit": ({"type": "integer", "minimum": 1, "maximum": 100}, "Rows at most, if there is no name; by default 20."),
}
COVERAGE = {
    "from": (STRING, "Only marks from this time on: as at, but for oom."),
    "to": (STRING, "Only marks up to this time: as at, but for oom."),
    "kind": ({"type": "string", "enum": ["oom", "pressure", "start", "gap"]}, "Only marks of this kind."),
}
FILTER = "Only rows with exactly this value. If it is given several times, any of the values matches."
FILTERS = {"pid": {"type": "integer", "minimum": 0}, "deleted": BOOLEAN, "executable": BOOLEAN}
NAME = {"type": "string", "maxLength": 1023}


def reference(kind, name):
    return {"$ref": f"#/components/{kind}/{name}"}


def record(properties, required=(), description=None):
    """Returns the schema of an object; its fields are absent where they are not known, but for REQUIRED."""
    schema = {"type": "object"}
    if description:
        schema["description"] = description
    if required:
        schema["required"] = list(required)
    schema["properties"] = properties
    return schema


def rows(schema):
    return {"type": "array", "items": schema}


def described(schema, description):
    return {**schema, "description": description}


def choice(*words):
    return {"type": "string", "enum": list(words)}


def quantities(fields):
    """Returns the properties of JSON fields: name, type, label, its values, help."""
    found = {}
    for name, kind, label, values, text in fields:
        schema = {"type": kind, "description": text}
        if label != "-":
            schema = {"type": "object", "description": text, "properties": {value: {"type": kind} for value in values}}
        found[name] = schema
    return found


def answer(required, optional=None, has_snapshot=True):
    """Returns the schema of an answer with fields that are references to schemas or lists of them."""
    fields = {"snapshot": reference("schemas", "snapshot")} if has_snapshot else {}
    return record({**fields, **required, **(optional or {})}, [*fields, *required])


def owner_row(name, labels, parts):
    """Returns the schema of a row of owners: names and numbers of its own, sums, and PARTS: names of other schemas."""
    own = {name: STRING, "exported": described(BOOLEAN, "Whether it has series of its own in the metrics.")}
    own.update({label: STRING for label in labels[1:]})
    if name in NUMBERS:
        own[NUMBERS[name]] = INTEGER
    return {"allOf": [reference("schemas", part) for part in ("sums", *parts)] + [record(own, [name, "exported"])]}


def process_row(fields, owners):
    own = {"pid": INTEGER, "uid": INTEGER, "gid": INTEGER,
           "ppid": described(INTEGER, "The parent; absent if it is not known or in another pid namespace."),
           **{name: STRING for name, *_ in owners},
           "source": described(choice("rollup", "smaps", "rss", "estimate", "guess"), "Where the figures come from."),
           "reason": described(choice("shared-mm", "denied", "blocked", "changing", "malformed", "error"),
                               "Why the process was not measured; absent if it was."),
           "mm_pid": described(INTEGER, "With shared-mm: the process at which the memory is counted."),
           "exported": described(BOOLEAN, "Whether it has series of its own in the metrics.")}
    return record({**own, **quantities(fields)}, ["pid", "uid", "user", "program", "unit", "exported"])


def status_schemas(fields, histograms):
    bucket = record({"le": NUMBER, "count": INTEGER}, ["le", "count"])
    return {
        "web": record({
            "version": STRING, "connected": described(BOOLEAN, "Whether memtally-web is connected to the snapshot socket."),
            "snapshot": choice("fresh", "stale", "none"), "snapshot_age_seconds": NUMBER, "snapshots_received": INTEGER,
            "snapshots_refused": INTEGER, "cpu_seconds": NUMBER, "resident_memory_bytes": INTEGER,
        }, ["version", "connected", "snapshot", "snapshots_received", "snapshots_refused"], "memtally-web."),
        "status": record({
            "version": STRING, "mode": choice("adaptive", "exact"), "map_counts": choice("exact", "averaged", "unknown"),
            "capabilities": {"type": "object", "additionalProperties": BOOLEAN},
            "rows": {"type": "object", "description": "The length of each list.", "additionalProperties": INTEGER},
            "series_dropped": {"type": "object", "description": "Rows of each kind without series of their own.",
                               "additionalProperties": INTEGER},
            **quantities(fields), **{name: reference("schemas", "histogram") for name in histograms},
        }, ["version", "mode", "map_counts", "capabilities", "rows"], "memtallyd at its last pass."),
        "histogram": record({"buckets": rows(bucket), "sum": NUMBER, "count": INTEGER}, ["buckets", "sum", "count"],
                            "Buckets are cumulative; count includes values above the last bound."),
    }


def history_schemas():
    time = described(NUMBER, "Seconds since 1970.")
    values = {"type": "array", "items": {"type": "number", "nullable": True}}
    source = record({"source": choice("memtally-web", "memtally-recorder", "memtally-ledger"), "from_seconds": time, "to_seconds": time,
                     "resolution_seconds": INTEGER}, ["source", "from_seconds", "to_seconds", "resolution_seconds"],
                    "Consecutive points from one source.")
    row = record({"name": STRING, "id": described(INTEGER, "Of users the uid, of groups the gid."),
                  "user": described(STRING, "Of owners that belong to a user."), "values": values,
                  "low": described(values, "Lower bounds, if the source knows them."),
                  "high": described(values, "Upper bounds, if the source knows them.")}, ["name", "values"],
                 "Each list has a value for each of times_seconds; null: not known.")
    return {
        "history_source": source,
        "history_row": row,
        "history": record({
            "scope": STRING, "metric": STRING, "from_seconds": time, "to_seconds": time,
            "step_seconds": described(INTEGER, "The shortest step between points."),
            "sources": rows(reference("schemas", "history_source")),
            "problem": described(STRING, "Why a part of the time is missing; a sentence for people."),
            "problem_lasts": described(BOOLEAN, "Whether the same question will have the same problem; present with problem."),
            "times_seconds": rows(time), "rows": rows(reference("schemas", "history_row")),
        }, ["scope", "metric", "from_seconds", "to_seconds", "step_seconds", "sources", "times_seconds", "rows"]),
    }


def coverage_schemas():
    time = described(NUMBER, "Seconds since 1970.")
    mark = record({"time_seconds": time, "kinds": rows(choice("oom", "pressure", "start", "gap"))}, ["time_seconds", "kinds"],
                  "A recorded snapshot with something special.")
    return {
        "coverage_mark": mark,
        "coverage": record({
            "first_seconds": described(NUMBER, "The oldest recorded snapshot; absent if there is none."),
            "last_seconds": described(NUMBER, "The newest recorded snapshot; absent if there is none."),
            "problem": described(STRING, "Why memtally-recorder does not say it; a sentence for people."),
            "recording": described(BOOLEAN, "Whether recording works at present."),
            "complete": described(BOOLEAN, "Whether these are all marks; otherwise the oldest ones are missing."),
            "marks": rows(reference("schemas", "coverage_mark")),
        }, ["recording", "complete", "marks"]),
    }


def schemas(fields, owners, parts, histograms):
    snapshot = record({
        "instance": {"type": "string", "pattern": "^[0-9a-f]+$"}, "time": {"type": "string", "format": "date-time"},
        "sequence": INTEGER, "interval_seconds": NUMBER, "age_seconds": NUMBER,
        "complete": described(BOOLEAN, "Whether every process that has memory has a PSS, measured or estimated."),
        "brief": described(BOOLEAN, "True if processes wait for memory, on the host or in a cgroup, and memtallyd has read statm alone."),
    }, ["instance", "time", "sequence", "age_seconds", "complete"], "The snapshot that the figures are of.")
    path = record({"path": STRING, "what": STRING, "parameters": rows(STRING)}, ["path", "what", "parameters"])
    found = {
        "error": record({"error": described(STRING, "A sentence for people.")}, ["error"]),
        "snapshot": snapshot,
        "paths": record({"routes": rows(path)}, ["routes"]),
        "sums": record(quantities(fields["user"]), description="Sums of an owner's processes."),
        "charges": record(quantities(fields["charges"]), description="What the kernel charges a cgroup."),
        "activity": record(quantities(fields["activity"]), description="What the processes of a namegroup do."),
        "host": record(quantities(fields["host"])),
        "shmem": record({"user": STRING, "uid": INTEGER, **quantities(fields["shmem"])}, ["user"],
                        "Shared memory of a user."),
        "tmpfs": record({"mountpoint": STRING, **quantities(fields["tmpfs"])}, ["mountpoint"]),
        "survey": record(quantities(fields["survey"]), description="Sums of all mapped files."),
        "file": record({"path": STRING, "device": STRING, "inode": INTEGER, "deleted": BOOLEAN, "executable": BOOLEAN,
                        **quantities(fields["file"])}, ["path", "device", "inode", "deleted", "executable"]),
        "process": process_row(fields["process"], owners),
    }
    found.update({name: owner_row(name, labels.split(), parts[name]) for name, _, labels, _ in owners})
    found.update(status_schemas(fields["self"], histograms))
    found.update(history_schemas())
    found.update(coverage_schemas())
    survey = {"survey": reference("schemas", "survey")}
    found["host_answer"] = answer(
        {"host": reference("schemas", "host")},
        {"shmem": rows(reference("schemas", "shmem")), "tmpfs": rows(reference("schemas", "tmpfs")), **survey})
    found["coverage_answer"] = record(
        {"snapshot": reference("schemas", "snapshot"), "coverage": reference("schemas", "coverage")}, ["coverage"])
    found["history_answer"] = answer({"history": reference("schemas", "history")})
    found["processes_answer"] = answer({"processes": rows(reference("schemas", "process"))})
    found["process_answer"] = answer({"process": reference("schemas", "process")})
    found["files_answer"] = answer({"files": rows(reference("schemas", "file"))}, survey)
    found["status_answer"] = record(
        {"snapshot": reference("schemas", "snapshot"), "web": reference("schemas", "web"),
         "status": reference("schemas", "status")}, ["web"])
    found.update({f"{rows_name}_answer": answer({rows_name: rows(reference("schemas", name))})
                  for name, rows_name, _, _ in owners})
    return found


def errors_of(page):
    """Returns the texts of the table of errors in docs/api.md by status."""
    found = {}
    for statuses, text in re.findall(r"^\| (\d+(?:, \d+)*) \| (.*) \|$", page.partition("\n## Errors")[2], re.M):
        for status in statuses.split(", "):
            found.setdefault(status, []).append(re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text).replace("`", ""))
    return {status: "; or ".join(texts) for status, texts in found.items()}


def inline(parameters):
    """Returns the descriptions of parameters of one path."""
    return [{"name": name, "in": "query", "description": text, "schema": schema} for name, (schema, text) in parameters.items()]


def parameter(name):
    if name in PARAMETERS:
        schema, text = PARAMETERS[name]
    else:
        schema, text = rows(FILTERS.get(name, NAME)), FILTER
    return {"name": name, "in": "query", "description": text, "schema": schema}


def content(kind):
    if isinstance(kind, list):
        return {media: {"schema": STRING} for media in kind}
    return {"application/json": {"schema": reference("schemas", kind)}}


def operation(path, first, names, what, kinds):
    """Returns the description of GET at PATH. FIRST is the first path with the same answer."""
    responses = {"200": {"description": "The answer.", "content": content(kinds[first])}}
    if first not in UNTAGGED:
        responses["304"] = {"description": "The client has this answer (If-None-Match)."}
    responses.update({status: reference("responses", f"error{status}") for status in ERRORS})
    if "PID" in path or path == COMPAT or "at" in names:
        responses["404"] = reference("responses", "error404")
    if first == "/readyz":
        responses["503"] = {"description": "There is no fresh snapshot; the answer is the reason.",
                            "content": content(kinds[first])}
    found = {"summary": what}
    if first == HISTORY_PATH:
        found["parameters"] = inline(HISTORY)
    elif first == COVERAGE_PATH:
        found["parameters"] = inline(COVERAGE)
    elif names:
        found["parameters"] = [reference("parameters", name) for name in names]
    if "PID" in path:
        found["parameters"] = [{"name": "pid", "in": "path", "required": True,
                                "schema": {"type": "integer", "minimum": 1, "maximum": 2147483647}},
                               *found.get("parameters", [])]
    return {"get": {**found, "responses": dict(sorted(responses.items()))}}


def document(routes, fields, owners, parts, histograms, page):
    """Returns the description. FIELDS has the JSON fields of each scope, PAGE is the text of docs/api.md."""
    kinds = {**ANSWERS, **{f"/api/v1/{rows_name}": f"{rows_name}_answer" for _, rows_name, _, _ in owners}}
    used = {name: None for path, _, names, _ in routes if path not in (HISTORY_PATH, COVERAGE_PATH) for name in names.split() if name != "-"}
    errors = errors_of(page)
    return {
        "openapi": "3.0.3",
        "info": {"title": "memtally-web", "version": "1", "license": {"name": "Apache-2.0"},
                 "description": "Memory figures of a host. docs/api.md explains them. HEAD is answered like GET, without a body. "
                 "A field that is not known is absent, never 0 or null; a value in a history that is not known is null. Later versions may add fields."},
        "servers": [{"url": "http://127.0.0.1:9636"}],
        "security": [{}, {"password": []}],
        "paths": {path.replace("PID", "{pid}"): operation(path, path if first == "-" else first,
                                                          [] if names == "-" else names.split(), what, kinds)
                  for path, first, names, what in routes},
        "components": {
            "securitySchemes": {"password": {"type": "http", "scheme": "basic",
                                             "description": "If the web configuration has users."}},
            "parameters": {name: parameter(name) for name in used},
            "responses": {f"error{status}": {"description": errors[status], "content": content("error")}
                          for status in sorted({*ERRORS, "404"})},
            "schemas": schemas(fields, owners, parts, histograms),
        },
    }


# YAML, in a form that is easy to read: plain words, folded texts, references in one line.
PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./() -]*[A-Za-z0-9_.)]")
WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


def is_plain(text):
    return bool(PLAIN.fullmatch(text)) and text.lower() not in WORDS


def scalar(value):
    if isinstance(value, str) and is_plain(value):
        return value
    return json.dumps(value, ensure_ascii=False)


def is_flow(value):
    """Whether a list or an object stands in one line: a reference, a type alone, an empty one, or a list of words."""
    if isinstance(value, dict):
        return list(value) in ([], ["$ref"], ["type"])
    return not any(isinstance(item, (dict, list)) for item in value)


def flow(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {scalar(item)}" for key, item in value.items()) + "}"
    return "[" + ", ".join(scalar(item) for item in value) + "]"


def lines_of(value, indent):
    """Returns the lines of a list or an object, each indented by INDENT blanks."""
    found = []
    pairs = value.items() if isinstance(value, dict) else [(None, item) for item in value]
    for key, item in pairs:
        head = " " * indent + ("-" if key is None else (key if is_plain(key) or key == "$ref" else json.dumps(key)) + ":")
        is_nested = isinstance(item, (dict, list))
        short = head + " " + (flow(item) if is_nested and is_flow(item) else "" if is_nested else scalar(item))
        if is_nested and not (is_flow(item) and len(short) <= WIDTH):
            inner = lines_of(item, indent + 2)
            found += [head + " " + inner[0].lstrip()] + inner[1:] if key is None else [head] + inner
        elif len(short) > WIDTH:
            wrapped = textwrap.wrap(item, WIDTH - indent - 2, break_long_words=False, break_on_hyphens=False)
            found += [head + " >-"] + [" " * (indent + 2) + line for line in wrapped]
        else:
            found.append(short)
    return found


def render(description):
    return ("# SPDX-License-Identifier: Apache-2.0\n# Made by `make update-docs` from the tables of routes, metrics and owners.\n"
            + "\n".join(lines_of(description, 0)) + "\n")
