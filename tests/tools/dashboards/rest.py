# SPDX-License-Identifier: Apache-2.0
"""A panel for each metric of a scope that no other panel of a dashboard shows, so that a new row of the table of metrics
is shown without a change here."""
from grafana import graph, names, row, select

UNITS = (("_bytes", "bytes"), ("_timestamp_seconds", "dateTimeAsIso"), ("_start_time_seconds", "dateTimeAsIso"),
         ("_seconds", "s"), ("_ratio", "percentunit"))
MOST = 10  # lines of a graph


def unit_of(name):
    return next((unit for end, unit in UNITS if name.removesuffix("_total").endswith(end)), "short")


def growth(name, unit):
    """Returns the query of a counter, and what it is, in words."""
    if name.endswith("_byte_seconds_total"):
        return f"rate({name}[10m])", "bytes", " Shown as the mean of the last ten minutes."
    return f"increase({name}[10m])", unit, " Shown is the growth in the last ten minutes."


def rest_panel(name, kind, label, text, by, selector):
    """BY are the labels of the scope: a graph shows the ten largest."""
    unit, note = unit_of(name), ""
    labels = [*by, *([label] if label != "-" else [])]
    legend = " ".join(f"{{{{{part}}}}}" for part in labels) or name
    if kind == "histogram":
        lines = [(f"histogram_quantile({part}, sum by ({', '.join(['le', *by])}) (rate({name}_bucket[10m])))",
                  " ".join([f"{part:.0%}", *(f"{{{{{one}}}}}" for one in by)])) for part in (0.5, 0.9, 0.99)]
        note = " Half, 90 % and 99 % of all were at most this."
    else:
        expr = f"{name} * 1000" if unit == "dateTimeAsIso" else name
        if kind == "counter":
            expr, unit, note = growth(name, unit)
        expr = f"sum by ({', '.join(labels)}) ({expr})" if labels else expr
        lines = [(f"topk({MOST}, {expr})" if by else expr, legend)]
    return graph(name, text + note, unit, [(select(expr, selector), legend) for expr, legend in lines], size=(8, 7))


def rest(title, rows, families, selector, by=()):
    """Returns a collapsed row with the metrics of FAMILIES that ROWS do not show."""
    shown = {name for part in rows for each in part["panels"] for query in each["targets"]
             for name in names(query["expr"])}
    return row(title, [rest_panel(name, kind, label, text, by, selector)
                       for name, kind, label, _, where, _, text in families
                       if where != "json" and name not in shown], collapsed=True)
