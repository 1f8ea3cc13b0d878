# SPDX-License-Identifier: Apache-2.0
"""The dashboard of one host: where its memory is, and which programs took it."""
from grafana import (BAD, GOOD, PALETTE, SAME, WARNING, band, board, falling, graph, link_to, override, rising, row, select,
                     stat, table, thresholds, variable)
from rest import rest

UID = "memtally-host"
USERS = "memtally-users"
PART = "memtally_host_mem_total_bytes"


def one(expr):
    return select(expr, SAME)


def host_variables():
    return [variable("job", "Job", "The job of Prometheus that scrapes memtally.", "label_values(memtally_collector_up, job)"),
            variable("instance", "Host", "One host, by the address that Prometheus scrapes.",
                     'label_values(memtally_collector_up{job="$job"}, instance)')]


def most(metric, label, limit=10):
    """The LIMIT owners with the highest METRIC within the time range, over all of it."""
    return one(f"{metric} and on ({label}) topk({limit}, max_over_time({metric}[$__range] @ end()))")


def summary():
    fresh = [{"type": "value", "options": {"1": {"text": "fresh", "color": GOOD}, "0": {"text": "none", "color": BAD}}}]
    return row("Now", [
        stat("Memory", "All memory that the kernel manages (MemTotal).", "bytes", one("memtally_host_mem_total_bytes")),
        stat("Available", "Part of the memory that programs can still get without swapping, as the kernel estimates it. "
             "Free memory and caches are in it.", "percentunit", one(f"memtally_host_mem_available_bytes / {PART}"),
             falling(0.1, 0.05)),
        stat("Processes", "Part of the memory that processes use: the PSS of all, in which each shared page counts once.",
             "percentunit", one(f"memtally_host_pss_bytes / {PART}")),
        stat("Page cache", "Part of the memory with copies of files that no process maps. The kernel gives it up when "
             "programs need memory, so it is no shortage.", "percentunit",
             one(f'memtally_host_memory_bytes{{kind="page_cache"}} / on (instance) {PART}')),
        stat("Swapped out", "Swap space in use.", "bytes", one('sum(memtally_host_swap_bytes{kind!="free"})')),
        stat("Uncertain", "Difference of the high and the low bound of the PSS of all processes, as a part of the "
             "memory. memtallyd estimates between two measurements; no data means that the high bound is unknown.",
             "percentunit", one(f"(memtally_host_pss_high_bytes - memtally_host_pss_low_bytes) / {PART}"),
             rising(0.05, 0.2)),
        stat("Unexplained", "Part of the memory that no counter of the kernel contains, above or below zero. Up to 2 % "
             "is usual under load.", "percentunit", one(f"abs(memtally_host_residual_bytes) / {PART}"),
             rising(0.03, 0.1)),
        stat("Figures", "fresh: memtally has current figures. none: memtallyd does not run, hangs, or is not reached.",
             "none", one("memtally_collector_up"), thresholds((None, BAD), (1, GOOD)), fresh)])


def where(kinds):
    """The balance sheet has a colour for each kind, so that neighbours differ."""
    colors = [override(name, color={"mode": "fixed", "fixedColor": PALETTE[place % len(PALETTE)]})
              for place, name in enumerate([kind for kind, _, _ in kinds])]
    meaning = " ".join(f"{kind}: {text[0].lower() + text[1:]}." for kind, text, _ in kinds)
    return row("Where the memory is", [
        graph("Memory by kind", "The balance sheet: all kinds and the residual add up to the memory of the host. " + meaning
              + " residual: memory without a counter of the kernel.", "bytes",
              [(one("memtally_host_memory_bytes > 0"), "{{kind}}"), (one("memtally_host_residual_bytes > 0"), "residual")],
              (24, 11), stacked=True, legend="right", overrides=colors),
        band("Memory of processes, with bounds", "The PSS of all processes. The true value is between the bounds; where the "
             "area is wide, the figure is uncertain.", one("memtally_host_pss_low_bytes"), one("memtally_host_pss_bytes"),
             one("memtally_host_pss_high_bytes")),
        graph("How much is cache", "Memory with copies of files and other memory that the kernel can give to programs, as "
              "parts of the memory. Files that processes map are cache, too, but in use.", "percentunit", [
                  (one(f'memtally_host_memory_bytes{{kind="page_cache"}} / on (instance) {PART}'), "files that no process maps"),
                  (one(f'memtally_host_memory_bytes{{kind="pss_file"}} / on (instance) {PART}'), "files that processes map"),
                  (one('sum by (instance) (memtally_host_memory_bytes{kind=~"slab_reclaimable|kernel_reclaimable"}) '
                       f"/ on (instance) {PART}"), "caches of the kernel"),
                  (one(f'sum by (instance) (memtally_host_memory_bytes{{kind=~"free.*"}}) / on (instance) {PART}'), "free"),
                  (one(f"memtally_host_mem_available_bytes / {PART}"), "available")])])


def processes(selector=""):
    """A table of the largest processes, which SELECTOR limits."""
    def of(metric):
        return select(f"{metric}{{{selector}}}" if selector else metric, SAME)
    twenty = f"topk(20, {of('memtally_process_pss_bytes')})"

    def column(metric):
        return f"sum by (pid, user, program) ({of(metric)} and on (pid, user, program) {twenty})"
    return table("Largest processes", "The twenty processes with the most PSS at the end of the time range. The bounds show "
                 "how sure each figure is, the age when it was measured. Scrape configurations for many hosts may leave out "
                 "the series of processes.", [("pid", "PID"), ("user", "User"), ("program", "Program")], [
                     ("PSS", "bytes", column("memtally_process_pss_bytes")),
                     ("Low bound", "bytes", column("memtally_process_pss_low_bytes")),
                     ("High bound", "bytes", column("memtally_process_pss_high_bytes")),
                     ("Swapped out", "bytes", column("memtally_process_vm_swap_bytes")),
                     ("Most RSS so far", "bytes", column("memtally_process_vm_hwm_bytes")),
                     ("Measured before", "s", column("memtally_process_pss_age_seconds"))])


def largest():
    return row("Which users and programs use most", [
        graph("Users", "The ten users with the most PSS within the time range. PSS of all users adds up to that of all "
              "processes; (other) are users without a series of their own.", "bytes",
              [(most("memtally_user_pss_bytes", "user"), "{{user}}")]),
        graph("Programs", "The ten programs with the most PSS within the time range; all processes of a program count.",
              "bytes", [(most("memtally_program_pss_bytes", "program"), "{{program}}")]),
        processes()])


def growth_columns(kind, limit=""):
    """Columns on the growth of owners of KIND, for owners that LIMIT selects."""
    def column(expr):
        return f"sum by ({kind}) ({select(expr, ', '.join(part for part in (SAME, limit) if part))})"
    prefix = f"memtally_{kind}"
    return [("PSS, 10 minutes", "bytes", column(f"delta({prefix}_pss_bytes[10m])")),
            ("PSS, 6 hours", "bytes", column(f"delta({prefix}_pss_bytes[6h])")),
            ("Peaks, 10 minutes", "bytes", column(f"increase({prefix}_vm_hwm_growth_bytes_total[10m])")),
            ("Peaks, 6 hours", "bytes", column(f"increase({prefix}_vm_hwm_growth_bytes_total[6h])")),
            ("Swap, 10 minutes", "bytes", column(f"increase({prefix}_vm_swap_growth_bytes_total[10m])")),
            ("Swap, 6 hours", "bytes", column(f"increase({prefix}_vm_swap_growth_bytes_total[6h])"))]


GROWTH = ("PSS: by how much it has changed. Peaks: by how much the high-water marks of RSS (VmHWM) of processes have risen; "
          "a process that reuses freed memory adds nothing, a leak does. Swap: memory that was swapped out, even if it has "
          "come back. All until the end of the time range.")


def grown():
    return row("What has grown", [
        table("Growth of programs", GROWTH, [("program", "Program")], growth_columns("program"), (24, 9),
              {"Program": link_to(USERS, "This program", instance="${instance}", program="${__value.raw}")}),
        graph("Growth of the host", "Sums over all processes, of ten minutes each: rises of the high-water marks of RSS, of "
              "anonymous memory, and memory that was swapped out.", "bytes", [
                  (one("increase(memtally_host_vm_hwm_growth_bytes_total[10m])"), "high-water marks (VmHWM)"),
                  (one("increase(memtally_host_anon_growth_bytes_total[10m])"), "anonymous memory"),
                  (one("increase(memtally_host_vm_swap_growth_bytes_total[10m])"), "swapped out")]),
        graph("Waiting for memory", "Part of the time in which some process of the host waited for memory (pressure stall "
              "information of the kernel). Together with growing swap it means that memory is too small.", "percentunit",
              [(one("memtally_memory_pressure_ratio"), "some process waits")])])


def shared():
    return row("Swap and shared memory", [
        graph("Swap space", "The swap space of the host by use. unknown is used space of no known owner, such as files on "
              "tmpfs.", "bytes", [(one("memtally_host_swap_bytes > 0"), "{{kind}}")], (8, 8), stacked=True),
        graph("Files on tmpfs", "The ten largest tmpfs. Their files stay in memory or swap until they are deleted, "
              "though no process maps them.", "bytes",
              [(one("topk(10, memtally_tmpfs_used_bytes)"), "{{mountpoint}}")], (8, 8)),
        graph("SysV shared memory", "Shared memory of the ten users with the most. Memory that no process has attached "
              "stays until it is removed (ipcrm).", "bytes", [
                  (one("topk(10, memtally_shmem_sysv_bytes)"), "{{user}}"),
                  (one("topk(10, memtally_shmem_sysv_unattached_bytes > 0)"), "{{user}}, not attached")], (8, 8)),
        stat("Processes to restart", "Processes with a program or library that an upgrade has replaced, as the last survey "
             "of mapped files found them.", "short", one("memtally_host_processes_mapping_deleted_code"),
             thresholds((None, GOOD), (1, WARNING)), size=(8, 4)),
        stat("Not measured", "Processes that could not be measured, for any reason. The PSS lacks them; the high bound has "
             "their RSS.", "short", one("sum(memtally_host_unmeasured_processes)"),
             thresholds((None, GOOD), (1, WARNING)), size=(8, 4)),
        stat("Never measured yet", "Part of the PSS that is guessed, for processes that memtallyd has not measured yet.",
             "percentunit", one("memtally_host_pss_guessed_bytes / memtally_host_pss_bytes"), rising(0.1, 0.3), size=(8, 4))])


def host_board(metrics):
    rows = [summary(), where(metrics.kinds), largest(), grown(), shared()]
    scopes = ("host", "shmem", "tmpfs", "survey")
    labels = {"shmem": ("user",), "tmpfs": ("mountpoint",)}
    for scope, title in zip(scopes, ("of the host", "of shared memory", "of tmpfs", "of mapped files")):
        rows.append(rest(f"All other metrics {title}", rows, metrics.families(scope), SAME, labels.get(scope, ())))
    return board(UID, "memtally: host", "Where the memory of one host is, which users and programs use it, and what has "
                 "grown. Needs no rules.", host_variables(), rows, 'alertname=~"Memtally.+", instance="$instance"')
