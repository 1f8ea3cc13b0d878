# SPDX-License-Identifier: Apache-2.0
"""The dashboard of users, programs and units of one host: which use most, grow, or have uncertain figures."""
from grafana import SAME, band, board, bounded_sum, graph, row, select, table, variable
from host import GROWTH, USERS, growth_columns, host_variables, processes
from rest import rest

# Kinds with a variable and a row of their own, and the words for one and for several.
KINDS = (("user", "user", "users"), ("program", "program", "programs"), ("unit", "unit", "units of systemd"))
PROCESSES = 'user=~"$user", program=~"$program"'
TOTAL = f"scalar(memtally_host_mem_total_bytes{{{SAME}}})"


def chosen(kind):
    return f'{SAME}, {kind}=~"${kind}"'


def of(kind, expr):
    return f"sum by ({kind}) ({select(expr, chosen(kind))})"


def ten(kind, expr, ranked):
    """The ten owners with the most RANKED over the whole time range."""
    return select(f"{expr} and on ({kind}) topk(10, {ranked})", chosen(kind))


def figures(kind, one, several):
    prefix = f"memtally_{kind}"
    head = one.capitalize()
    return table(f"Figures of {several}", "At the end of the time range. Uncertain by is the difference of the bounds, "
                 "Measured the part of the PSS that is a measurement of the last interval; the rest is estimated. Swapped out "
                 "is VmSwap, Highest peak the largest VmHWM of a live process.", [(kind, head)], [
                     ("PSS", "bytes", of(kind, f"{prefix}_pss_bytes")),
                     ("Of the memory", "percentunit", f"{of(kind, f'{prefix}_pss_bytes')} / {TOTAL}"),
                     ("Uncertain by", "bytes", of(kind, f"{prefix}_pss_high_bytes - {prefix}_pss_low_bytes")),
                     ("Measured", "percentunit", of(kind, f"{prefix}_pss_measured_bytes / ({prefix}_pss_bytes > 0)")),
                     ("USS", "bytes", of(kind, f"{prefix}_uss_bytes")),
                     ("Swapped out", "bytes", of(kind, f"{prefix}_vm_swap_bytes")),
                     ("Highest peak", "bytes", of(kind, f"{prefix}_vm_hwm_max_bytes")),
                     ("Processes", "short", of(kind, f"{prefix}_processes"))])


def section(kind, one, several, collapsed):
    prefix = f"memtally_{kind}"
    pss, peaks, swap = (f"{prefix}_{name}" for name in ("pss_bytes", "vm_hwm_growth_bytes_total", "vm_swap_growth_bytes_total"))
    return row(several[0].upper() + several[1:], [
        graph(f"Most PSS: {several}", f"The ten {several} with the most PSS within the time range, of the selected. (other) "
              f"is the sum of those without a series of their own, (none) has the processes without a {one}.", "bytes",
              [(ten(kind, pss, f"max_over_time({pss}[$__range] @ end())"), f"{{{{{kind}}}}}")], (16, 9)),
        band(f"Sum of the selected {several}", "PSS of the selected, added up. The true value is between the bounds; where the "
             "area is wide, the figure is uncertain.", *bounded_sum(f"{prefix}_pss", chosen(kind)), size=(8, 9)),
        figures(kind, one, several),
        table(f"Growth of {several}", GROWTH, [(kind, one.capitalize())], growth_columns(kind, f'{kind}=~"${kind}"')),
        graph(f"Rising peaks: {several}", "Rises of the high-water marks of RSS (VmHWM) in ten minutes, of the ten with the most "
              "within the time range. A leak rises all the time, a start only once.", "bytes",
              [(ten(kind, f"increase({peaks}[10m])", f"increase({peaks}[$__range] @ end())"), f"{{{{{kind}}}}}")]),
        graph(f"Swapped out: {several}", "Memory that was swapped out in ten minutes, of the ten with the most within the time "
              "range. It counts each time it goes out.", "bytes",
              [(ten(kind, f"increase({swap}[10m])", f"increase({swap}[$__range] @ end())"), f"{{{{{kind}}}}}")])], collapsed)


def other_owners(owners):
    """A graph for each kind of owner without a row. A kind without owners has no series."""
    panels = []
    for name, rows, labels, text in owners:
        if name in {kind for kind, _, _ in KINDS}:
            continue
        keys, pss = labels.split(), f"memtally_{name}_pss_bytes"
        expr = f"{pss} and on ({', '.join(keys)}) topk(10, max_over_time({pss}[$__range] @ end()))"
        panels.append(graph(f"Most PSS: {rows.replace('_', ' ')}", f"The ten with the most PSS within the time range. {text} "
                            "Without such owners there is no data.", "bytes",
                            [(select(expr, SAME), " ".join(f"{{{{{key}}}}}" for key in keys))], (8, 8)))
    return row("Containers, pods and other owners", panels, collapsed=True)


def users_board(metrics):
    rows = [section(*kind, collapsed=kind[0] == "unit") for kind in KINDS]
    rows += [row("Processes", [processes(PROCESSES)]), other_owners(metrics.owners)]
    for kind, _, several in KINDS:
        rows.append(rest(f"All other metrics of {several}", rows, metrics.families(kind), chosen(kind), (kind,)))
    rows.append(rest("All other metrics of processes", rows, metrics.families("process"), f"{SAME}, {PROCESSES}",
                     ("pid", "program")))
    variables = host_variables() + [
        variable(kind, one.capitalize(), f"Limits the rows on {several}" + ("" if kind == "unit" else " and the processes") + ".",
                 f"label_values(memtally_{kind}_pss_bytes{{{SAME}}}, {kind})", several=True) for kind, one, several in KINDS]
    return board(USERS, "memtally: users and programs", "Which users, programs and units of a host use most memory, have grown, "
                 "and have uncertain figures. Needs no rules.", variables, rows, 'alertname=~"Memtally.+", instance="$instance"')
