# SPDX-License-Identifier: Apache-2.0
"""The dashboard of many hosts: which are short of memory, and where the same user or program uses most. It shows
recorded series, which a Prometheus above those that scrape the hosts has, too."""
from grafana import BAD, GOOD, band, board, bounded_sum, falling, graph, link_to, rising, row, select, stat, table, thresholds, variable
from host import UID as HOST
from host import USERS

JOB = 'job="$job"'
HOSTS = 'job="$job", instance=~"$instance"'


def all_of(expr):
    return select(expr, JOB)


def each(expr):
    return f"max by (instance) ({select(expr, HOSTS)})"


def whole():
    return row("All hosts", [
        stat("Hosts with figures", "Targets of the job memtally with current figures. All sums are of these hosts only.", "short",
             all_of("sum(memtally:fleet_hosts_fresh:count)"), size=(4, 4)),
        stat("Hosts without figures", "Targets that do not answer, or have no current figures: each sum lacks their memory.",
             "short", all_of("sum(memtally:fleet_targets:count) - sum(memtally:fleet_hosts_fresh:count)"),
             thresholds((None, GOOD), (1, BAD)), size=(4, 4)),
        stat("Memory", "Memory of all hosts with figures.", "bytes", all_of("sum(memtally:fleet_mem_total_bytes:sum)"),
             size=(4, 4)),
        stat("Processes", "Part of the memory that processes use (PSS).", "percentunit",
             all_of("sum(memtally:fleet_pss_bytes:sum) / sum(memtally:fleet_mem_total_bytes:sum)"), size=(4, 4)),
        stat("Least available", "Part of its memory that the shortest host can still give to programs without swapping.",
             "percentunit", select("min(memtally:host_mem_available:ratio)", HOSTS), falling(0.1, 0.05), size=(4, 4)),
        stat("Most uncertain", "Largest difference of the bounds of the PSS of a host, as a part of its memory.", "percentunit",
             select("max(memtally:host_pss_width:ratio)", HOSTS), rising(0.05, 0.2), size=(4, 4))])


def short():
    part = "percentunit"
    return row("Which hosts are short of memory", [
        table("Hosts", "All values are parts of the memory of the host, at the end of the time range. Available: memory that "
              "programs can still get without swapping. Processes: their PSS. Largest user: PSS of the user with the most. "
              "Swapped out: in ten minutes. Uncertain: difference of the bounds. Not measured: RSS of processes without a PSS. "
              "Unexplained: memory without a counter of the kernel.", [("instance", "Host")], [
                  ("Available", part, each("memtally:host_mem_available:ratio"), falling(0.1, 0.05)),
                  ("Processes", part, each("memtally:host_pss:ratio")),
                  ("Largest user", part, each("memtally:host_top_user_pss:ratio")),
                  ("Swapped out", part, each("memtally:host_swap_growth:ratio_increase10m"), rising(0.001, 0.005)),
                  ("Uncertain", part, each("memtally:host_pss_width:ratio"), rising(0.05, 0.2)),
                  ("Not measured", part, each("memtally:host_unmeasured_rss:ratio"), rising(0.01, 0.05)),
                  ("Unexplained", part, f"abs({each('memtally:host_residual:ratio_avg15m')})", rising(0.03, 0.1))],
              links={"Host": link_to(HOST, "This host", instance="${__value.raw}")}),
        graph("Least available", "The ten hosts with the smallest part of their memory available within the time range.", part,
              [(select("memtally:host_mem_available:ratio and on (instance) bottomk(10, "
                       "min_over_time(memtally:host_mem_available:ratio[$__range] @ end()))", HOSTS), "{{instance}}")]),
        graph("Most swapped out", "The ten hosts that swapped out the largest part of their memory in ten minutes.", part,
              [(select("memtally:host_swap_growth:ratio_increase10m and on (instance) topk(10, "
                       "max_over_time(memtally:host_swap_growth:ratio_increase10m[$__range] @ end()))", HOSTS),
                "{{instance}}")])])


def most(kind, series):
    """The ten owners with the most of SERIES over the whole time range, summed over servers that scrape hosts."""
    total = f"sum by ({kind}) ({all_of(series)})"
    ranked = all_of(f"max_over_time({series}[$__range] @ end())")
    return f"{total} and on ({kind}) topk(10, sum by ({kind}) ({ranked}))"


def everywhere():
    def of(kind, name, what="sum"):
        return f"sum by ({kind}) ({all_of(f'memtally:fleet_{kind}_{name}:{what}')})"
    return row("Users and programs on all hosts", [
        graph("Users", "The ten users with the most PSS on all hosts together. A name is the same user on all hosts.", "bytes",
              [(most("user", "memtally:fleet_user_pss_bytes:sum"), "{{user}}")]),
        graph("Programs", "The ten programs with the most PSS on all hosts together.", "bytes",
              [(most("program", "memtally:fleet_program_pss_bytes:sum"), "{{program}}")]),
        table("Figures of users", "Sums over all hosts with figures, at the end of the time range. The true PSS is between the "
              "bounds. The mean is that of five minutes and includes processes that have exited; bills use it.",
              [("user", "User")], [
                  ("PSS", "bytes", of("user", "pss_bytes")), ("Low bound", "bytes", of("user", "pss_low_bytes")),
                  ("High bound", "bytes", of("user", "pss_high_bytes")), ("Mean", "bytes", of("user", "pss_byte_seconds", "rate5m")),
                  ("Swapped out", "bytes", of("user", "vm_swap_bytes")), ("Processes", "short", of("user", "processes")),
                  ("Hosts", "short", of("user", "hosts", "count"))]),
        table("Figures of programs", "Sums over all hosts with figures, at the end of the time range.", [("program", "Program")], [
            ("PSS", "bytes", of("program", "pss_bytes")), ("Hosts", "short", of("program", "hosts", "count"))], (12, 9)),
        table("Figures of services", "Services of systemd with the same name on many hosts: sums over all hosts with figures, at "
              "the end of the time range.", [("unit", "Service")], [
                  ("PSS", "bytes", of("unit", "pss_bytes")), ("Hosts", "short", of("unit", "hosts", "count"))], (12, 9))])


def where(kind, word):
    """Where the selected owners of KIND use most. These series are only in a Prometheus that scrapes the hosts."""
    selector = f'{HOSTS}, {kind}=~"${kind}"'

    def of(name):
        return f"sum by (instance, {kind}) ({select(f'memtally_{kind}_{name}', selector)})"
    twenty = f"topk(20, {of('pss_bytes')})"

    def column(expr):
        return f"{expr} and on (instance, {kind}) {twenty}"
    total = f"max by (instance) ({select('memtally_host_mem_total_bytes', HOSTS)})"
    keys = [("instance", "Host"), (kind, word.capitalize())]
    return [
        table(f"Where a {word} uses most", f"The twenty pairs of a host and a selected {word} with the most PSS at the end of the "
              "time range. Needs a Prometheus that scrapes the hosts.", keys, [
                  ("PSS", "bytes", twenty),
                  ("Of the memory", "percentunit", column(f"{of('pss_bytes')} / on (instance) group_left () {total}")),
                  ("Low bound", "bytes", column(of("pss_low_bytes"))), ("High bound", "bytes", column(of("pss_high_bytes"))),
                  ("Swapped out", "bytes", column(of("vm_swap_bytes")))], (16, 10),
              {"Host": link_to(USERS, "This host", instance="${__value.raw}", **{kind: f"${{__data.fields.{word.capitalize()}}}"})}),
        band(f"The selected {word}s, with bounds", "PSS on the selected hosts, added up, of all that are selected. The true value "
             "is between the bounds.", *bounded_sum(f"memtally_{kind}_pss", selector), size=(8, 10))]


def fleet_board(_metrics):
    rows = [whole(), short(), everywhere(),
            row("Where the same user or program uses most", where("user", "user") + where("program", "program"))]
    variables = [
        variable("job", "Job", "The job of Prometheus that scrapes memtally.", "label_values(memtally:host_pss:ratio, job)"),
        variable("instance", "Hosts", "Limits the rows on single hosts. Sums over all hosts do not change.",
                 'label_values(memtally:host_pss:ratio{job="$job"}, instance)', several=True),
        variable("user", "User", "Limits the tables on where a user uses most.",
                 'label_values(memtally:fleet_user_pss_bytes:sum{job="$job"}, user)', several=True),
        variable("program", "Program", "Limits the tables on where a program uses most.",
                 'label_values(memtally:fleet_program_pss_bytes:sum{job="$job"}, program)', several=True)]
    return board("memtally-fleet", "memtally: fleet", "Which of many hosts are short of memory, and where the same user or program "
                 "uses most. Needs memtally.rules.yml and fleet.rules.yml.", variables, rows,
                 'alertname=~"Memtally.+", instance=~"$instance|"')
