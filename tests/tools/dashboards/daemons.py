# SPDX-License-Identifier: Apache-2.0
"""The dashboard of memtally itself: is it healthy, how good are its figures, and what does it cost."""
from grafana import BAD, GOOD, WARNING, board, graph, label_table, rising, row, select, stat, thresholds, variable
from rest import rest

HOSTS = 'job="$job", instance=~"$instance"'
OF = "{{instance}}"
RIGHTS = ("sys_ptrace", "perfmon", "reads_foreign", "compares_mm", "proc_hidden")


def on(expr):
    return select(expr, HOSTS)


def healthy():
    return row("Is memtally healthy?", [
        stat("Without figures", "Selected hosts on which memtally-web answers and has no current figures: memtallyd does not run, "
             "hangs, or is not reached.", "short", on("sum(memtally_collector_up == bool 0)"),
             thresholds((None, GOOD), (1, BAD))),
        stat("No answer", "Selected hosts on which memtally-web does not answer Prometheus.", "short",
             f"sum(up{{{HOSTS}}} == bool 0)", thresholds((None, GOOD), (1, BAD))),
        stat("Age of figures", "Age of the oldest snapshot of a selected host, by the clock of Prometheus.", "s",
             on("max(time() - memtally_snapshot_timestamp_seconds)"), rising(120, 600)),
        stat("Not measured", "Largest RSS of processes without a PSS on a host, as a part of its memory: so much is missing in "
             "the figures at most.", "percentunit",
             on("max(sum by (instance) (memtally_host_unmeasured_rss_bytes) / on (instance) memtally_host_mem_total_bytes)"),
             rising(0.01, 0.05)),
        stat("Guessed", "Largest part of the PSS of a host that is of processes never measured yet.", "percentunit",
             on("max(memtally_host_pss_guessed_bytes / memtally_host_pss_bytes)"), rising(0.1, 0.3)),
        stat("Blocked for", "Time that the oldest read of a process has waited in the kernel.", "s",
             on("max(memtally_blocked_read_oldest_seconds)"), rising(60, 600)),
        stat("Budget", "Largest ratio of the CPU that memtallyd needs to the CPU that it may use (budget.cpu). Above 1 figures get "
             "older than pss.max-age. Only in adaptive mode.", "percentunit",
             on("max(memtally_budget_needed_ratio / memtally_budget_cpu_ratio)"), rising(0.8, 1)),
        stat("Starts in a day", "Most starts of memtallyd on one host within a day. Each loses the growth of that moment.", "short",
             on("max(changes(memtally_collector_start_time_seconds[1d]))"), thresholds((None, GOOD), (3, WARNING), (10, BAD))),
        label_table("Versions", "The running programs.", [("instance", "Host"), ("program", "Program"), ("version", "Version")],
                    on("max by (instance, program, version) (memtally_build_info)"), (12, 7)),
        graph("Processes by outcome", "Processes of the last pass on all selected hosts. estimated: measured in an earlier pass. "
              "guessed: never measured yet. gone and no-mm have no memory. All others could not be measured.", "short",
              [(on("sum by (outcome) (memtally_processes > 0)"), "{{outcome}}")], (12, 7), stacked=True)])


def cost():
    return row("What does memtally cost?", [
        graph("CPU of memtallyd", "Parts of one core: used, and allowed in the long run (budget.cpu).", "percentunit", [
            (on("rate(memtally_collector_cpu_seconds_total[$__rate_interval])"), f"{OF} used"),
            (on("memtally_budget_cpu_ratio"), f"{OF} allowed"), (on("memtally_budget_needed_ratio"), f"{OF} needed")]),
        graph("CPU of memtally-web", "Part of one core.", "percentunit",
              [(on("rate(process_cpu_seconds_total[$__rate_interval])"), OF)]),
        graph("Memory of the daemons", "Resident memory.", "bytes", [
            (on("memtally_collector_resident_memory_bytes"), f"{OF} memtallyd"),
            (on("process_resident_memory_bytes"), f"{OF} memtally-web")]),
        graph("How long a process may be held up", "A measurement holds a lock of the measured process, so that its calls of mmap may "
              "wait. An upper bound of that time, for half, 99 % and nearly all reads in ten minutes, on all selected hosts, and "
              "the longest allowed (budget.stall).", "s", [
                  *((f"histogram_quantile({part}, sum by (le) ({on('rate(memtally_mmap_lock_hold_seconds_bucket[10m])')}))",
                     f"{part:.1%}") for part in (0.5, 0.99, 0.999)),
                  (on("max(memtally_budget_stall_seconds)"), "allowed")])])


def good():
    return row("How good are the figures?", [
        graph("Measured, estimated and guessed", "Parts of the PSS, over all selected hosts: measured within the last interval, "
              "estimated from an earlier measurement, and guessed for processes never measured.", "percentunit", [
                  (on("sum(memtally_host_pss_measured_bytes) / sum(memtally_host_pss_bytes)"), "measured"),
                  (on("sum(memtally_host_pss_estimated_bytes - memtally_host_pss_guessed_bytes) / sum(memtally_host_pss_bytes)"),
                   "estimated"),
                  (on("sum(memtally_host_pss_guessed_bytes) / sum(memtally_host_pss_bytes)"), "guessed")], stacked=True),
        graph("Error of estimates", "How far estimates of processes were off when the processes were measured again, within ten "
              "minutes: errors added up, up or down, as a part of the PSS that was found.", "percentunit",
              [(on("rate(memtally_estimate_error_bytes_total[10m]) / (rate(memtally_estimate_checked_bytes_total[10m]) > 0)"), OF)]),
        graph("Oldest figure", "Longest time that a process has not been measured, and the time within which each should be "
              "(pss.max-age).", "s", [(on("memtally_longest_unmeasured_seconds"), f"{OF} longest"),
                                      (on("memtally_pss_max_age_seconds"), f"{OF} allowed")]),
        graph("Unmeasured processes", "Processes that could not be measured on all selected hosts, by reason. denied: the kernel or "
              "a security module refuses. blocked: the kernel keeps the read waiting.", "short",
              [(on("sum by (reason) (memtally_host_unmeasured_processes)"), "{{reason}}")])])


def passes():
    return row("Passes and requests", [
        graph("Duration of passes", "Of the last pass, pauses included, and the time from one pass to the next.", "s", [
            (on("memtally_last_pass_duration_seconds"), f"{OF} pass"), (on("memtally_interval_seconds"), f"{OF} interval")]),
        graph("Deferred measurements", "Measurements that were deferred in ten minutes. budget: no CPU left. stall, giant: they would "
              "hold up the process for too long. pressure: processes wait for memory.", "short",
              [(on("sum by (reason) (increase(memtally_measurements_deferred_total[10m]))"), "{{reason}}")]),
        graph("Requests", "Requests to memtally-web in ten minutes on all selected hosts, by status.", "short",
              [(on("sum by (code) (increase(memtally_web_requests_total[10m]))"), "{{code}}")]),
        graph("Snapshots", "Snapshots that memtally-web received, and refused, in ten minutes. It refuses faulty ones only.", "short", [
            (on("increase(memtally_web_snapshots_received_total[10m])"), f"{OF} received"),
            (on("increase(memtally_web_snapshots_refused_total[10m])"), f"{OF} refused")]),
        graph("Without series of their own", "Owners and processes beyond the limits of export.users and the like, by kind. Owners are "
              "in (other).", "short", [(on("sum by (scope) (memtally_series_dropped)"), "{{scope}}")]),
        label_table("Rights", "The rights of memtallyd. reads_foreign: it has measured processes of other users. proc_hidden: /proc "
                    "hides processes from it, so that they are in no figure.",
                    [("instance", "Host"), *((name, name) for name in RIGHTS)],
                    on(f"max by (instance, {', '.join(RIGHTS)}) (memtally_capability_info)"))])


def daemons_board(metrics):
    rows = [healthy(), cost(), good(), passes()]
    rows.append(rest("All other metrics of memtallyd", rows, metrics.families("self"), HOSTS, ("instance",)))
    variables = [
        variable("job", "Job", "The job of Prometheus that scrapes memtally.", "label_values(memtally_collector_up, job)"),
        variable("instance", "Hosts", "The hosts, by the addresses that Prometheus scrapes.",
                 'label_values(memtally_collector_up{job="$job"}, instance)', several=True)]
    return board("memtally-daemons", "memtally: the daemons", "Whether memtally is healthy, how good its figures are, and what it "
                 "costs. Needs no rules.", variables, rows, 'alertname=~"Memtally.+", instance=~"$instance"')
