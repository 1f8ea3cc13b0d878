# SPDX-License-Identifier: Apache-2.0
"""Panels, variables and dashboards in Grafana's classic JSON, for Grafana 10 and later."""
import json
import re

SOURCE = {"type": "prometheus", "uid": "${datasource}"}
# Colours of Okabe and Ito: people with any kind of colour vision can tell them apart, also as grey.
GOOD, WARNING, BAD = "#56B4E9", "#E69F00", "#D55E00"
PALETTE = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999"]
LOW, VALUE, HIGH = "low bound", "PSS", "high bound"  # names of the series of a band
SERIES = re.compile(r"\b((?:memtally|process)_\w+|memtally:\w+(?::\w+)?)(?:\{([^}]*)\})?")
SAME = 'job="$job", instance="$instance"'  # series of the selected host
WIDTH = 24  # of a dashboard, in Grafana's units
JSON_WIDTH = 110


def select(expr, selector):
    """Returns EXPR with SELECTOR in each of its series."""
    return SERIES.sub(lambda m: f"{m.group(1)}{{{', '.join(part for part in (selector, m.group(2)) if part)}}}", expr)


def names(expr):
    """Returns the names of the series of EXPR. Those of a histogram have the histogram's name."""
    return {re.sub(r"_bucket$", "", m.group(1)) for m in SERIES.finditer(expr)}


def target(number, expr, legend=None):
    """Returns query NUMBER of a panel; without LEGEND one for a table, of the end of the time range."""
    how = {"legendFormat": legend, "range": True} if legend else {"format": "table", "instant": True, "range": False}
    return {"refId": chr(ord("A") + number), "datasource": SOURCE, "expr": expr, **how}


def thresholds(*steps):
    """STEPS are pairs of a value and the colour from it on; the first value is None."""
    return {"mode": "absolute", "steps": [{"color": color, "value": value} for value, color in steps]}


def rising(warning, bad):
    return thresholds((None, GOOD), (warning, WARNING), (bad, BAD))


def falling(warning, bad):
    return thresholds((None, BAD), (bad, WARNING), (warning, GOOD))


def panel(kind, title, text, size, unit, targets, options, custom=None, overrides=(), **defaults):
    config = {"unit": unit, **defaults, **({"custom": custom} if custom else {})}
    return {"type": kind, "title": title, "description": text, "datasource": SOURCE,
            "gridPos": {"w": size[0], "h": size[1]}, "fieldConfig": {"defaults": config, "overrides": list(overrides)},
            "options": options, "targets": targets}


def override(name, **properties):
    return {"matcher": {"id": "byName", "options": name},
            "properties": [{"id": key.replace("_", "."), "value": value} for key, value in properties.items()]}


def stat(title, text, unit, expr, steps=None, mappings=None, size=(3, 4)):
    """The number at the end of the time range, so that none is shown if there is none any more."""
    shown = {"colorMode": "value", "graphMode": "none", "justifyMode": "auto", "textMode": "auto", "wideLayout": True,
             "orientation": "auto", "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
             "percentChangeColorMode": "standard", "showPercentChange": False}
    now = target(0, expr, title) | {"instant": True, "range": False}
    return panel("stat", title, text, size, unit, [now], shown, color={"mode": "thresholds"},
                 thresholds=steps or thresholds((None, GOOD)), **({"mappings": mappings} if mappings else {}))


def graph(title, text, unit, lines, size=(12, 8), stacked=False, legend="bottom", overrides=()):
    """LINES are pairs of a query and a legend."""
    custom = {"drawStyle": "line", "lineWidth": 1, "fillOpacity": 60 if stacked else 0, "showPoints": "never",
              "spanNulls": False, "stacking": {"mode": "normal" if stacked else "none", "group": "A"}}
    options = {"legend": {"displayMode": "table", "placement": legend, "showLegend": True,
                          "calcs": ["lastNotNull", "max"], "sortBy": "Last *", "sortDesc": True},
               "tooltip": {"mode": "multi", "sort": "desc"}}
    targets = [target(number, *line) for number, line in enumerate(lines)]
    return panel("timeseries", title, text, size, unit, targets, options, custom, overrides,
                 color={"mode": "palette-classic"})


def band(title, text, low, value, high, size=(12, 8)):
    """A PSS with the area between its bounds."""
    color = {"mode": "fixed", "fixedColor": PALETTE[0]}
    return graph(title, text, "bytes", [(high, HIGH), (value, VALUE), (low, LOW)], size, overrides=[
        override(HIGH, custom_fillBelowTo=LOW, custom_fillOpacity=25, custom_lineWidth=0, color=color),
        override(VALUE, custom_lineWidth=2, color=color), override(LOW, custom_lineWidth=0, color=color)])


def bounded_sum(prefix, selector):
    """Returns the queries of a band. Without the high bound of one owner there is none of the sum."""
    low, value, high = (select(f"{prefix}{end}", selector) for end in ("_low_bytes", "_bytes", "_high_bytes"))
    return f"sum({low})", f"sum({value})", f"sum({high}) unless count({value} unless {high})"


def organized(keys, heads, hidden):
    """The transformations that make one table of the answers to several queries."""
    names_of = dict(keys) | heads
    return [{"id": "merge", "options": {}},
            {"id": "organize", "options": {"excludeByName": {name: True for name in ["Time", *hidden]}, "renameByName": names_of,
                                           "indexByName": {name: place for place, name in enumerate(names_of)}}}]


def cells(title, text, size, targets, sort, overrides, transformations):
    made = panel("table", title, text, size, "short", targets,
                 {"showHeader": True, "frameIndex": 0, "cellHeight": "sm", "sortBy": [sort]},
                 {"align": "auto", "cellOptions": {"type": "auto"}, "inspect": False}, overrides)
    return made | {"transformations": transformations}


def table(title, text, keys, columns, size=(24, 9), links=None):
    """A row for each value of the labels KEYS, pairs of a label and the head of its column. A column for each of COLUMNS:
    name, unit, query and thresholds. Rows are sorted by the first of COLUMNS, the worst or largest first."""
    targets = [target(number, column[2]) for number, column in enumerate(columns)]
    overrides = [override(name, unit=unit, **({"thresholds": steps[0], "custom_cellOptions": {"type": "color-text"}}
                                              if steps else {})) for name, unit, _, *steps in columns]
    overrides += [override(name, links=[link]) for name, link in (links or {}).items()]
    is_short = columns[0][3:] and columns[0][3]["steps"][0]["color"] == BAD
    return cells(title, text, size, targets, {"displayName": columns[0][0], "desc": not is_short}, overrides,
                 organized(keys, {f"Value #{part['refId']}": column[0] for part, column in zip(targets, columns)}, []))


def label_table(title, text, keys, expr, size=(12, 8)):
    """The labels of a series with the constant value 1."""
    return cells(title, text, size, [target(0, expr)], {"displayName": keys[0][1], "desc": False}, [],
                 organized(keys, {}, ["Value"]))


def link_to(uid, title, **variables):
    """A link from a cell to the dashboard UID, with values of its variables."""
    values = {"datasource": "${datasource}", "job": "${job}"} | variables
    return {"title": title, "url": f"/d/{uid}?" + "&".join(f"var-{name}={value}" for name, value in values.items())
            + "&${__url_time_range}"}


def variable(name, label, text, query, several=False):
    made = {"name": name, "label": label, "description": text, "type": "query", "datasource": SOURCE,
            "query": {"query": query, "refId": name}, "refresh": 2, "sort": 1}
    return made | ({"multi": True, "includeAll": True, "allValue": ".*",
                    "current": {"text": ["All"], "value": ["$__all"]}} if several else {})


def row(title, panels, collapsed=False):
    return {"type": "row", "title": title, "collapsed": collapsed, "panels": panels}


def place_panels(panels, number, y):
    """Numbers the panels after NUMBER and places them from left to right from Y on. Returns the y below them."""
    x, height = 0, 0
    for made in panels:
        number += 1
        size = made["gridPos"]
        if x + size["w"] > WIDTH:
            x, y, height = 0, y + height, 0
        made["id"] = number
        made["gridPos"] = {"x": x, "y": y, **size}
        x, height = x + size["w"], max(height, size["h"])
    return y + height


def lay_out(rows):
    """Returns the panels of all rows, in the form of Grafana: only a collapsed row contains its panels."""
    found, number, y = [], 0, 0
    for part in rows:
        number += 1
        panels = part["panels"]
        found.append({"id": number, **part, "gridPos": {"x": 0, "y": y, "w": WIDTH, "h": 1},
                      "panels": panels if part["collapsed"] else []})
        found += [] if part["collapsed"] else panels
        y += 1
        below = place_panels(panels, number, y)
        number, y = number + len(panels), y if part["collapsed"] else below
    return found


def board(uid, title, text, variables, rows, alerts):
    """ALERTS selects the alerts that are marked in graphs."""
    marked = {"name": "Alerts of memtally", "datasource": SOURCE, "enable": True, "iconColor": BAD,
              "expr": f'ALERTS{{alertstate="firing", {alerts}}}', "step": "60s", "titleFormat": "{{alertname}}",
              "textFormat": "{{instance}} {{user}} {{program}} {{unit}}", "tagKeys": "severity"}
    source = {"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus"}
    others = {"title": "Dashboards of memtally", "type": "dashboards", "tags": ["memtally"], "asDropdown": True,
              "includeVars": True, "keepTime": True, "targetBlank": False, "icon": "external link", "tooltip": "", "url": ""}
    return {"uid": uid, "title": title, "description": text, "tags": ["memory", "memtally"], "schemaVersion": 39,
            "version": 1, "editable": True, "graphTooltip": 1, "refresh": "1m", "time": {"from": "now-6h", "to": "now"},
            "links": [others], "annotations": {"list": [marked]}, "templating": {"list": [source, *variables]},
            "panels": lay_out(rows)}


def render(value, indent=""):
    """Returns VALUE as JSON, with each part that fits on one line."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= JSON_WIDTH or not isinstance(value, (dict, list)) or not value:
        return line
    deeper = indent + "  "
    if isinstance(value, dict):
        parts, ends = [f"{json.dumps(key)}: {render(part, deeper)}" for key, part in value.items()], "{}"
    else:
        parts, ends = [render(part, deeper) for part in value], "[]"
    return f"{ends[0]}\n{deeper}" + f",\n{deeper}".join(parts) + f"\n{indent}{ends[1]}"
