/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "config/option.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/os/channel.h"
#include "config/address.h"

enum {
	DAEMONS = PROGRAM_MEMTALLYD | PROGRAM_WEB | PROGRAM_LEDGER | PROGRAM_RECORDER,
	ALL = DAEMONS | PROGRAM_MEMTALLY,
	/* memtally, for options of views that configure may leave out: no program without them */
	LEDGER_VIEW = ENABLE_LEDGER ? PROGRAM_MEMTALLY : 0,
	INSPECT_VIEWS = ENABLE_INSPECT ? PROGRAM_MEMTALLY : 0,
};

/* IF_PART(TEXT, OTHER): TEXT, or OTHER in a build without the part. BETWEEN(TEXT): with both parts. */
#if ENABLE_LEDGER
#define IF_LEDGER(text, other) text
#else
#define IF_LEDGER(text, other) other
#endif
#if ENABLE_INSPECT
#define IF_INSPECT(text, other) text
#else
#define IF_INSPECT(text, other) other
#endif
#define BETWEEN(text) IF_LEDGER(IF_INSPECT(text, ""), "")

#define DAY_NS  (UINT64_C(86400) * NS_PER_SEC)
#define HOUR_NS (UINT64_C(3600) * NS_PER_SEC)

static const char *const log_levels[] = {"error", "warning", "info", "debug", NULL};
static const char *const pss_modes[] = {"exact", "adaptive", NULL};
static const char *const account_bys[] = {"euid", "ruid", "loginuid", NULL};

static const char *const snapshot_publics[] = {"auto", "aggregates", "nothing", NULL};
static const char *const tcp_scopes[] = {"auto", "processes", "aggregates", NULL};
static const char *const web_compats[] = {"none", "process-exporter", NULL};

static const char *const orders[] = {"asc", "desc", NULL};
static const char *const ooms[] = {"last", NULL};
static const char *const usage_pers[] = {"all", "hour", "day", "month", NULL};

#define FIELD(name) offsetof(struct settings, name)

static const struct option_spec options[] = {
	{"config.file", ALL, OPTION_PATH, false, "PATH", "/etc/memtally/memtally.yaml", 0, 0, NULL,
		FIELD(config_file),
		"The configuration file. The default file may be missing; a file that is named here must "
		"exist."},
	{"snapshot.socket", ALL, OPTION_PATH, true, "PATH", "/run/memtally/snapshot.sock", 0,
		CHANNEL_PATH_MAX, NULL, FIELD(snapshot_socket),
		"The socket over which memtallyd hands out its snapshots. If RUNTIME_DIRECTORY is set, "
		"the default is snapshot.sock in that directory.",
		.variable = "MEMTALLY_SNAPSHOT_SOCKET"},
	{"log.level", ALL, OPTION_CHOICE, true, "LEVEL", "info", 0, 0, log_levels, FIELD(log_level),
		"The lowest level of messages on standard error."},

	{"path.procfs", PROGRAM_MEMTALLYD | PROGRAM_MEMTALLY, OPTION_PATH, true, "DIR", "/proc", 0,
		0, NULL, FIELD(path_procfs),
		"The directory where the proc file system to read is mounted."},
	{"snapshot.public", PROGRAM_MEMTALLYD, OPTION_CHOICE, true, "SCOPE", "auto", 0, 0,
		snapshot_publics, FIELD(snapshot_public),
		"What users who may not see single processes get at the snapshot socket. aggregates: the "
		"sums of the host and of all owners: users, programs, units, containers and so on. "
		"nothing: no connection. auto: aggregates, but nothing if the /proc that users see is "
		"mounted with hidepid."},
	{"interval", PROGRAM_MEMTALLYD, OPTION_DURATION, true, "DURATION", "10s", 100 * NS_PER_MSEC,
		DAY_NS, NULL, FIELD(interval_ns),
		"From the start of one pass over all processes to the start of the next."},
	{"pss.mode", PROGRAM_MEMTALLYD, OPTION_CHOICE, true, "MODE", "adaptive", 0, 0, pss_modes,
		FIELD(pss_mode),
		"adaptive: poll every process in every pass, measure new processes and those in doubt, "
		"and every process within pss.max-age, as far as the budgets allow; between measurements "
		"a figure is an estimate with bounds. exact: measure every process in every pass."},
	{"pss.max-age", PROGRAM_MEMTALLYD, OPTION_DURATION, true, "DURATION", "5m", 10 * NS_PER_SEC,
		DAY_NS, NULL, FIELD(pss_max_age_ns),
		"Adaptive mode: the time within which each process is measured again, as far as the CPU "
		"budget allows. A value below the interval counts as the interval."},
	{"budget.cpu", PROGRAM_MEMTALLYD, OPTION_PERCENT, true, "PERCENT", "1%", 100, 1000000, NULL,
		FIELD(budget_cpu_ppm),
		"Adaptive mode: the CPU time that memtallyd may use in the long run, as a part of one "
		"core. Up to three quarters of what it brings in an interval go to all processes with an "
		"estimate that may be wrong; if all processes fit, passes measure all of them and figures"
		" are exact. Unused budget accumulates for up to one minute and can be spent later. If "
		"polling every process takes more, passes are further apart than the interval. The first "
		"pass and the first measurement of each process that it finds do not count."},
	{"budget.stall", PROGRAM_MEMTALLYD, OPTION_DURATION, true, "DURATION", "20ms", NS_PER_MSEC,
		10 * NS_PER_SEC, NULL, FIELD(budget_stall_ns),
		"Adaptive mode: how long a measurement may hold up the mmap, munmap and brk calls of its "
		"process. A walk that is expected to take more than half of this goes by slices, with "
		"pauses, unless walks block no such call on this kernel."},
	{"budget.giant-age", PROGRAM_MEMTALLYD, OPTION_DURATION, true, "DURATION", "1h", 0,
		365 * DAY_NS, NULL, FIELD(budget_giant_age_ns),
		"Adaptive mode: the time between two measurements of a process with a single mapping that"
		" takes longer than budget.stall. 0: never."},
	{"files.interval", PROGRAM_MEMTALLYD, OPTION_DURATION, true, "DURATION",
		IF_INSPECT("1h", "0"), 0, DAY_NS, NULL, FIELD(files_interval_ns),
		IF_INSPECT(
			"From the start of one survey of the files that processes map to the start of the "
			"next. A survey uses a quarter of budget.cpu at most; in adaptive mode it leaves "
			"out processes that it would keep waiting for longer than budget.stall. 0: no "
			"surveys.",
			"Has no effect: this build makes no surveys of the files that processes map.")},
	{"pressure.interval", PROGRAM_MEMTALLYD, OPTION_DURATION, true, "DURATION", "1s", 0,
		60 * NS_PER_SEC, NULL, FIELD(pressure_interval_ns),
		"From the start of one brief pass to the start of the next while processes wait for memory, "
		"for at most a minute. A brief pass measures nothing. 0: no brief passes."},
	{"accounting.user", PROGRAM_MEMTALLYD | PROGRAM_MEMTALLY, OPTION_CHOICE, true, "ID", "euid",
		0, 0, account_bys, FIELD(accounting_user),
		"The user that a process counts for: its effective uid, as ps shows it (euid), its real "
		"uid (ruid), or the uid of its login (loginuid); without a login it counts for (none). "
		"Groups are by the effective gid, with ruid by the real gid."},
	{"naming.process_exporter", PROGRAM_MEMTALLYD | PROGRAM_MEMTALLY, OPTION_PATH, true, "PATH",
		NULL, 0, 0, NULL, FIELD(naming_process_exporter),
		"A configuration file of process-exporter. Its rules assign each process to a group: a "
		"namegroup. By default there are no namegroups."},
	{"config.process-exporter", PROGRAM_MEMTALLYD, OPTION_PATH, false, "PATH", NULL, 0, 0, NULL,
		FIELD(naming_process_exporter), "The same as --naming.process_exporter."},
	{"export.users", PROGRAM_MEMTALLYD, OPTION_COUNT, true, "N", "1000", 1, 100000, NULL,
		FIELD(export_users),
		"How many users have series of their own in /metrics, the largest PSS first; the others "
		"are summed up as (other)."},
	{"export.programs", PROGRAM_MEMTALLYD, OPTION_COUNT, true, "N", "200", 1, 100000, NULL,
		FIELD(export_programs), "The same for programs."},
	{"export.units", PROGRAM_MEMTALLYD, OPTION_COUNT, true, "N", "500", 1, 100000, NULL,
		FIELD(export_units), "The same for systemd units."},
	{"export.groups", PROGRAM_MEMTALLYD, OPTION_COUNT, true, "N", "200", 1, 100000, NULL,
		FIELD(export_groups), "The same for groups."},
	{"export.user_units", PROGRAM_MEMTALLYD, OPTION_COUNT, true, "N", "200", 1, 100000, NULL,
		FIELD(export_user_units), "The same for units of users' own systemd."},
	{"export.sessions", PROGRAM_MEMTALLYD, OPTION_COUNT, true, "N", "200", 1, 100000, NULL,
		FIELD(export_sessions), "The same for sessions."},
	{"export.slices", PROGRAM_MEMTALLYD, OPTION_COUNT, true, "N", "200", 1, 100000, NULL,
		FIELD(export_slices), "The same for systemd slices."},
	{"export.machines", PROGRAM_MEMTALLYD, OPTION_COUNT, true, "N", "200", 1, 100000, NULL,
		FIELD(export_machines), "The same for machines (systemd-machined)."},
	{"export.pods", PROGRAM_MEMTALLYD, OPTION_COUNT, true, "N", "200", 1, 100000, NULL,
		FIELD(export_pods), "The same for Kubernetes pods."},
	{"export.containers", PROGRAM_MEMTALLYD, OPTION_COUNT, true, "N", "200", 1, 100000, NULL,
		FIELD(export_containers), "The same for containers."},
	{"export.namegroups", PROGRAM_MEMTALLYD, OPTION_COUNT, true, "N", "200", 1, 100000, NULL,
		FIELD(export_namegroups), "The same for namegroups (naming.process_exporter)."},
	{"export.processes", PROGRAM_MEMTALLYD, OPTION_COUNT, true, "N", "50", 0, 100000, NULL,
		FIELD(export_processes),
		"How many processes have series of their own in /metrics: the N largest by PSS, the N "
		"largest by swap and the N that grew most."},

	{"web.listen-address", PROGRAM_WEB, OPTION_ADDRESSES, true, "ADDRESS", "127.0.0.1:9636", 0,
		0, NULL, FIELD(web_listen_address),
		"Where to serve: HOST:PORT, [IPv6]:PORT, :PORT for all addresses, or unix:PATH. May be "
		"given several times. Ignored if systemd passes sockets."},
	{"web.allowed_hosts", PROGRAM_WEB, OPTION_HOSTS, true, "NAME", NULL, 0, 0, NULL,
		FIELD(web_allowed_hosts),
		"A host name that TCP listeners answer to, in addition to the machine's own name, "
		"localhost and addresses. A request with another name in its Host header is refused. May be "
		"given several times."},
	{"web.telemetry-path", PROGRAM_WEB, OPTION_URL_PATH, true, "PATH", "/metrics", 0, 0, NULL,
		FIELD(web_telemetry_path), "The URL path of the metrics."},
	{"web.max-connections", PROGRAM_WEB, OPTION_COUNT, true, "N", "256", 1, 10000, NULL,
		FIELD(web_max_connections),
		"How many connections each listener serves at a time. One more replaces the connection "
		"that has had no complete request for longest."},
	{"web.timeout", PROGRAM_WEB, OPTION_DURATION, true, "DURATION", "30s", NS_PER_SEC, HOUR_NS,
		NULL, FIELD(web_timeout_ns),
		"How long a request may take from its first byte to the last byte of its answer, and how "
		"long an idle connection is kept."},
	{"web.tcp_scope", PROGRAM_WEB, OPTION_CHOICE, true, "SCOPE", "auto", 0, 0, tcp_scopes,
		FIELD(web_tcp_scope),
		"What TCP listeners show. Every local user may connect to them, and TCP does not tell "
		"which user asks. processes: sums, the processes that have series of their own "
		"(export.processes), and all that memtally-ledger keeps. aggregates: only sums, and those "
		"of the last hour. auto: these processes, too, unless the /proc that users see is "
		"mounted with hidepid; but nothing of memtally-ledger."},
	{"web.compat", PROGRAM_WEB | PROGRAM_MEMTALLYD, OPTION_CHOICE, true, "EXPORTER", "none", 0,
		0, web_compats, FIELD(web_compat),
		"process-exporter: memtally-web serves the groups of processes under the names of "
		"process-exporter, too, at /compat/process-exporter/metrics, and memtallyd reads their "
		"CPU time, page faults and states in each pass. none: answer 404 there."},
	{"web.config.file", PROGRAM_WEB, OPTION_PATH, true, "PATH", NULL, 0, 0, NULL,
		FIELD(web_config_file),
		"The web configuration, for TLS and passwords, in the format of Prometheus and its "
		"exporters. By default there is neither."},
	{"web.open_health", PROGRAM_WEB, OPTION_BOOL, true, NULL, "false", 0, 0, NULL,
		FIELD(web_open_health),
		"Answer /healthz, /livez, /-/healthy, /readyz and /-/ready without a password, for probes "
		"that cannot keep one. If the web configuration requires a client certificate, these "
		"paths require it, too."},
	{"web.insecure", PROGRAM_WEB, OPTION_BOOL, true, NULL, "false", 0, 0, NULL,
		FIELD(web_insecure),
		"Serve on addresses beyond loopback without TLS or without authentication. By default "
		"memtally-web refuses to start then."},

	{"ledger.socket", PROGRAM_LEDGER | PROGRAM_WEB | LEDGER_VIEW, OPTION_PATH, true, "PATH",
		"/run/memtally-ledger/ledger.sock", 0, CHANNEL_PATH_MAX, NULL, FIELD(ledger_socket),
		"The socket at which memtally-ledger answers, and memtally usage and memtally-web ask. "
		"memtally-ledger ignores it if systemd passes a socket.",
		.variable = "MEMTALLY_LEDGER_SOCKET"},
	{"ledger.directory", PROGRAM_LEDGER, OPTION_PATH, true, "DIR", "/var/lib/memtally-ledger",
		0, 0, NULL, FIELD(ledger_directory),
		"The directory of the ledger. If STATE_DIRECTORY is set, the default is that directory."},
	{"ledger.keep_buckets", PROGRAM_LEDGER, OPTION_DURATION, true, "DURATION", "3d", HOUR_NS,
		366 * DAY_NS, NULL, FIELD(ledger_keep_buckets_ns),
		"For how much measured time to keep usage by five minutes."},
	{"ledger.keep_hours", PROGRAM_LEDGER, OPTION_DURATION, true, "DURATION", "62d", DAY_NS,
		3660 * DAY_NS, NULL, FIELD(ledger_keep_hours_ns),
		"The same by hours, of which local days and months are made."},
	{"ledger.keep_days", PROGRAM_LEDGER, OPTION_DURATION, true, "DURATION", "732d", DAY_NS,
		36600 * DAY_NS, NULL, FIELD(ledger_keep_days_ns), "The same by days of UTC."},
	{"ledger.max_size", PROGRAM_LEDGER, OPTION_COUNT, true, "MIB", "200", 16, 1048576, NULL,
		FIELD(ledger_max_size_mib),
		"The largest size of the ledger in MiB. If that is too little, names of programs, units "
		"and containers become (other), the oldest first: in five minutes, then in hours, then in"
		" days. Then the oldest rows are deleted in the same order. A file that is larger shrinks"
		" by about a GiB a day."},

	{"recorder.socket", PROGRAM_RECORDER | PROGRAM_WEB | PROGRAM_MEMTALLY, OPTION_PATH, true,
		"PATH", "/run/memtally-recorder/recorder.sock", 0, CHANNEL_PATH_MAX, NULL,
		FIELD(recorder_socket),
		"The socket at which memtally-recorder gives snapshots of the past, and memtally and "
		"memtally-web ask for them. memtally-recorder ignores it if systemd passes a socket.",
		.variable = "MEMTALLY_RECORDER_SOCKET"},
	{"recorder.directory", PROGRAM_RECORDER | PROGRAM_MEMTALLY, OPTION_PATH, true, "DIR",
		"/var/lib/memtally-recorder", 0, 0, NULL, FIELD(recorder_directory),
		"The directory of the recording. If STATE_DIRECTORY is set, the default is that "
		"directory."},
	{"recorder.size", PROGRAM_RECORDER, OPTION_COUNT, true, "MIB", "256", 16, 1048576, NULL,
		FIELD(recorder_size_mib),
		"The largest size of the recording in MiB. When it is reached, the oldest snapshots are "
		"deleted."},
	{"recorder.share_all", PROGRAM_RECORDER, OPTION_PERCENT, true, "PERCENT", "50%", 10000,
		600000, NULL, FIELD(recorder_share_all_ppm),
		"The part of recorder.size for every snapshot of the last hours."},
	{"recorder.share_minutes", PROGRAM_RECORDER, OPTION_PERCENT, true, "PERCENT", "30%", 10000,
		390000, NULL, FIELD(recorder_share_minutes_ppm),
		"The part of recorder.size for one snapshot a minute. The rest is for one in five "
		"minutes, of the longest time. Each of the three parts needs 1 MiB at least."},

	{"live", PROGRAM_MEMTALLY, OPTION_BOOL, false, NULL, NULL, 0, 0, NULL, FIELD(live),
		"Read /proc now, with your own rights, instead of asking memtallyd. The option "
		"--path.procfs implies it."},
	{"json", PROGRAM_MEMTALLY, OPTION_BOOL, false, NULL, NULL, 0, 0, NULL, FIELD(json),
		"Print JSON, in the form of memtally-web's answers.", .letter = 'j'},
	{"bytes", PROGRAM_MEMTALLY, OPTION_BOOL, false, NULL, NULL, 0, 0, NULL, FIELD(bytes),
		"Print exact bytes instead of KiB, MiB and GiB.", .letter = 'b'},
	{"sort", PROGRAM_MEMTALLY, OPTION_TEXT, false, "FIELD", NULL, 0, 0, NULL, FIELD(sort),
		"Sort by FIELD, the head of a column or its name in JSON. lists: by default pss. "
		"diff: by default growth." IF_LEDGER(" usage: by default gib-hours.", "") IF_INSPECT(
			" files: by default pss. sharing: by default freed-on-exit. map: by "
			"default pss; single mappings by address. pages: by default rss; "
			"symbols by private; mappings and sections by address.",
			""),
		.letter = 's'},
	{"order", PROGRAM_MEMTALLY, OPTION_TEXT, false, "ORDER", NULL, 0, 0, orders, FIELD(order),
		"Sort in this order, asc or desc; by default desc for quantities, asc for names.",
		.letter = 'r', .letter_value = "asc"},
	{"limit", PROGRAM_MEMTALLY, OPTION_COUNT, false, "N", NULL, 1, 1000000, NULL, FIELD(limit),
		"Print only the first N rows; the total stays that of all rows.", .letter = 'n'},
	{"diff", INSPECT_VIEWS, OPTION_TEXT, false, "PID", NULL, 0, 0, NULL, FIELD(diff),
		"map: how much more is mapped than by this process, by file unless --by says otherwise."},
	{"since", PROGRAM_MEMTALLY, OPTION_TEXT, false, "TIME" IF_INSPECT("|FILE", ""), NULL, 0, 0,
		NULL, FIELD(since),
		"growth: the beginning of the time, as for --at (not oom). "
		"Default: 36h; at most 83 hours count." IF_LEDGER(
			" usage: the same; default: a day ago, or the beginning of the ledger; with "
			"--per=day the last seven days, with --per=month the last twelve months.",
			"") IF_INSPECT(" map: what has changed since map --json printed this FILE.",
			"")},
	{"until", LEDGER_VIEW, OPTION_TEXT, false, "TIME", NULL, 0, 0, NULL, FIELD(until),
		"usage: the end of the time, as for --since. Default: now, which is also the latest."},
	{"at", PROGRAM_MEMTALLY, OPTION_TEXT, false, "TIME", NULL, 0, 0, NULL, FIELD(at),
		"lists, host, status: as it was at that time, from the last snapshot that memtally-recorder "
		"has of it. why: what happened at that time. lists, host, status, why: a time of day "
		"(03:12: the last one), a date and a time (\"2026-11-01 08:00\"), a duration ago (-15m), "
		"yesterday, today, or oom (before the last OOM kill); local time."},
	{"oom", PROGRAM_MEMTALLY, OPTION_TEXT, false, "WHICH", NULL, 0, 0, ooms, FIELD(oom),
		"why: the OOM kill to explain: last, even if there was memory pressure since."},
	{"from", PROGRAM_MEMTALLY, OPTION_TEXT, false, "TIME", NULL, 0, 0, NULL, FIELD(from),
		"lists: the growth of each row from that time to --to, with its least and most PSS; "
		"by default the largest growth first. history: the beginning of the time, by default a day ago. A time as for --at."},
	{"to", PROGRAM_MEMTALLY, OPTION_TEXT, false, "TIME", NULL, 0, 0, NULL, FIELD(to),
		"lists, history: the end of the time that begins with --from. Default: now."},
	{"by", PROGRAM_MEMTALLY, OPTION_TEXT, false, "KIND", NULL, 0, 0, NULL, FIELD(by),
		"top: rows by program (default), user, unit, container or process, as a tree of "
		"processes, or nested (users, their programs and processes). diff: rows by program "
		"(default), process, user, unit or any other kind of owner." IF_LEDGER(
			" usage: rows by user (default), group, program, unit or container.", "")
			IF_INSPECT(
				" map: by mapping (default), file or kind. pages: by kind (default), "
				"process, mapping, page, section or symbol. sharing: by user (default), "
				"program, unit, any other kind of owner, or selection.",
				"")},
	{"per", LEDGER_VIEW, OPTION_CHOICE, false, "SPAN", "all", 0, 0, usage_pers, FIELD(per),
		"usage: rows for each span of local time, or for all of the time together."},
	{"deleted", INSPECT_VIEWS, OPTION_BOOL, false, NULL, NULL, 0, 0, NULL, FIELD(deleted),
		"files: the processes that map deleted or replaced files, as after an upgrade, and must "
		"be restarted."},
	{"file", INSPECT_VIEWS, OPTION_TEXT, false, "PATH", NULL, 0, 0, NULL, FIELD(file),
		"files: the processes that map this file."},
	{"csv", PROGRAM_MEMTALLY, OPTION_BOOL, false, NULL, NULL, 0, 0, NULL, FIELD(csv),
		"Print comma-separated values, with the names and exact numbers of JSON."},
	{"all", PROGRAM_MEMTALLY, OPTION_BOOL, false, NULL, NULL, 0, 0, NULL, FIELD(all),
		"host: swap space, shared memory, tmpfs and all other figures, too. history: a table of "
		"all points, also on a terminal. growth: also owners and processes that do not grow."},
	{"sections", INSPECT_VIEWS, OPTION_BOOL, false, NULL, NULL, 0, 0, NULL, FIELD(sections),
		"pages: by ELF sections of mapped files; the same as --by=section."},
	{"symbols", INSPECT_VIEWS, OPTION_BOOL, false, NULL, NULL, 0, 0, NULL, FIELD(symbols),
		"pages: by ELF symbols of mapped files; the same as --by=symbol."},
	{"range", INSPECT_VIEWS, OPTION_TEXT, false, "START-END", NULL, 0, 0, NULL, FIELD(range),
		"pages: only these addresses, in hexadecimal digits, as map prints them, and each page by"
		" itself unless --by says otherwise."},
	{"replay", PROGRAM_MEMTALLY, OPTION_TEXT, false, "TIME", NULL, 0, 0, NULL, FIELD(replay),
		"top: begin at this time of the recording (-15m, 03:12, 'yesterday 18:00', "
		"'2026-11-23 08:00', oom: before the last OOM kill), and show one snapshot a second from "
		"there on."},
	{"matrix", INSPECT_VIEWS, OPTION_BOOL, false, NULL, NULL, 0, 0, NULL, FIELD(matrix),
		"sharing: how much memory each two of the groups both map; with --limit=N, of the first N "
		"groups."},
	{"process-exporter", PROGRAM_MEMTALLY, OPTION_TEXT, false, "URL|FILE", NULL, 0, 0, NULL,
		FIELD(process_exporter),
		"compare: the address of process-exporter's metrics, or a file that has them, or - for "
		"standard input. By default http://127.0.0.1:9256/metrics."},
	{"user", PROGRAM_MEMTALLY, OPTION_LIST, false, "NAME", NULL, 0, 0, NULL, FIELD(user),
		"Only this user: the exact name, or the number if the uid has no name. May be given "
		"several times.",
		.letter = 'u'},
	{"program", PROGRAM_MEMTALLY, OPTION_LIST, false, "NAME", NULL, 0, 0, NULL, FIELD(program),
		"Only this program. May be given several times."},
	{"unit", PROGRAM_MEMTALLY, OPTION_LIST, false, "NAME", NULL, 0, 0, NULL, FIELD(unit),
		"Only this systemd unit. May be given several times."},
	{"group", PROGRAM_MEMTALLY, OPTION_LIST, false, "NAME", NULL, 0, 0, NULL, FIELD(group),
		"Only this group. May be given several times."},
	{"user_unit", PROGRAM_MEMTALLY, OPTION_LIST, false, "NAME", NULL, 0, 0, NULL,
		FIELD(user_unit),
		"Only this unit of a user's own systemd. May be given several times."},
	{"session", PROGRAM_MEMTALLY, OPTION_LIST, false, "NAME", NULL, 0, 0, NULL, FIELD(session),
		"Only this session. May be given several times."},
	{"slice", PROGRAM_MEMTALLY, OPTION_LIST, false, "NAME", NULL, 0, 0, NULL, FIELD(slice),
		"Only this systemd slice. May be given several times."},
	{"machine", PROGRAM_MEMTALLY, OPTION_LIST, false, "NAME", NULL, 0, 0, NULL, FIELD(machine),
		"Only this machine. May be given several times."},
	{"pod", PROGRAM_MEMTALLY, OPTION_LIST, false, "NAME", NULL, 0, 0, NULL, FIELD(pod),
		"Only this Kubernetes pod, by its uid. May be given several times."},
	{"container", PROGRAM_MEMTALLY, OPTION_LIST, false, "NAME", NULL, 0, 0, NULL,
		FIELD(container), "Only this container, by its id. May be given several times."},
	{"namegroup", PROGRAM_MEMTALLY, OPTION_LIST, false, "NAME", NULL, 0, 0, NULL,
		FIELD(namegroup),
		"Only this namegroup (naming.process_exporter). May be given several times."},
	{"pid", PROGRAM_MEMTALLY, OPTION_LIST, false, "PID", NULL, 0, 0, NULL, FIELD(pid),
		"Only this process. May be given several times.", .letter = 'p'},

	{"check-config", ALL, OPTION_BOOL, false, NULL, NULL, 0, 0, NULL, FIELD(check_config),
		"Check options and configuration file, and exit."},
	{"version", ALL, OPTION_BOOL, false, NULL, NULL, 0, 0, NULL, FIELD(version),
		"Print the version and exit."},
	{"help", ALL, OPTION_BOOL, false, NULL, NULL, 0, 0, NULL, FIELD(help),
		"Print this help and exit.", .letter = 'h'},
};

const struct option_spec *option_table(size_t *ret_count)
{
	*ret_count = ARRAY_SIZE(options);
	return options;
}

bool option_is_list(const struct option_spec *spec)
{
	return spec->type == OPTION_LIST || spec->type == OPTION_ADDRESSES ||
	       spec->type == OPTION_HOSTS;
}

const struct option_spec *option_find(const char *name, unsigned int programs)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if ((options[i].programs & programs) && !strcmp(options[i].name, name))
			return &options[i];
	return NULL;
}

const char *option_variable(const struct option_spec *spec, enum program program)
{
	const char *value = NULL;

	if (spec->variable && program == PROGRAM_MEMTALLY && (spec->programs & PROGRAM_MEMTALLY))
		value = getenv(spec->variable);
	return value && *value ? value : NULL;
}

const struct option_spec *option_find_letter(char letter, unsigned int programs)
{
	for (size_t i = 0; letter && i < ARRAY_SIZE(options); i++)
		if ((options[i].programs & programs) && options[i].letter == letter)
			return &options[i];
	return NULL;
}

const char *option_program_name(enum program program)
{
	switch (program) {
	case PROGRAM_MEMTALLYD: return "memtallyd";
	case PROGRAM_WEB: return "memtally-web";
	case PROGRAM_LEDGER: return "memtally-ledger";
	case PROGRAM_RECORDER: return "memtally-recorder";
	default: return "memtally";
	}
}

static void format_duration(uint64_t ns, char *to, size_t size)
{
	static const struct {
		uint64_t ns;
		const char *unit;
	} units[] = {
		{DAY_NS, "d"},
		{HOUR_NS, "h"},
		{60 * NS_PER_SEC, "m"},
		{NS_PER_SEC, "s"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (ns && ns % units[i].ns == 0) {
			snprintf(to, size, "%llu%s", (unsigned long long)(ns / units[i].ns),
				units[i].unit);
			return;
		}
	snprintf(to, size, "%llums", (unsigned long long)(ns / NS_PER_MSEC));
}

static void format_percent(uint64_t ppm, char *to, size_t size)
{
	uint64_t rest = ppm % 10000;
	int n = snprintf(to, size, "%llu", (unsigned long long)(ppm / 10000));

	if (rest && n > 0 && (size_t)n < size)
		n += snprintf(to + n, size - (size_t)n, ".%04llu", (unsigned long long)rest);
	while (rest && to[n - 1] == '0')
		n--;
	if ((size_t)n + 1 < size) {
		to[n] = '%';
		to[n + 1] = 0;
	}
}

static void expected_choice(const struct option_spec *spec, char *to, size_t size)
{
	size_t at = 0;

	to[0] = 0;
	for (size_t i = 0; spec->choices[i]; i++) {
		int n = snprintf(to + at, size - at, "%s%s",
			i == 0                 ? ""
			: spec->choices[i + 1] ? ", "
					       : " or ",
			spec->choices[i]);

		if (n < 0 || (size_t)n >= size - at)
			return;
		at += (size_t)n;
	}
}

void option_expected(const struct option_spec *spec, char to[static OPTION_EXPECTED_SIZE])
{
	char min[32], max[32];

	switch (spec->type) {
	case OPTION_BOOL: snprintf(to, OPTION_EXPECTED_SIZE, "true or false"); break;
	case OPTION_COUNT:
		snprintf(to, OPTION_EXPECTED_SIZE, "a whole number from %llu to %llu",
			(unsigned long long)spec->min, (unsigned long long)spec->max);
		break;
	case OPTION_DURATION:
		format_duration(spec->min, min, sizeof(min));
		format_duration(spec->max, max, sizeof(max));
		if (spec->min)
			snprintf(to, OPTION_EXPECTED_SIZE, "a duration from %s to %s, such as %s",
				min, max, spec->fallback);
		else
			snprintf(to, OPTION_EXPECTED_SIZE, "0 or a duration up to %s, such as %s",
				max, spec->fallback);
		break;
	case OPTION_PERCENT:
		format_percent(spec->min, min, sizeof(min));
		format_percent(spec->max, max, sizeof(max));
		snprintf(to, OPTION_EXPECTED_SIZE, "a percentage from %s to %s, such as %s", min,
			max, spec->fallback);
		break;
	case OPTION_CHOICE: expected_choice(spec, to, OPTION_EXPECTED_SIZE); break;
	case OPTION_TEXT:
	case OPTION_LIST: snprintf(to, OPTION_EXPECTED_SIZE, "a text that is not empty"); break;
	case OPTION_PATH:
		if (spec->max)
			snprintf(to, OPTION_EXPECTED_SIZE, "a path of at most %llu bytes",
				(unsigned long long)spec->max);
		else
			snprintf(to, OPTION_EXPECTED_SIZE, "a path");
		break;
	case OPTION_URL_PATH:
		snprintf(to, OPTION_EXPECTED_SIZE,
			"a path that nothing else has, of letters, digits and -._~/ behind a '/'");
		break;
	case OPTION_ADDRESSES:
		snprintf(to, OPTION_EXPECTED_SIZE,
			"HOST:PORT, [IPv6]:PORT, :PORT or unix:PATH with a PATH of at most %d bytes",
			CHANNEL_PATH_MAX);
		break;
	case OPTION_HOSTS:
		snprintf(to, OPTION_EXPECTED_SIZE,
			"the name of a host without a port, of letters, digits and -_.");
		break;
	}
}

const char *option_remark(const struct option_spec *spec, const char *text)
{
	uint64_t value;

	/* 0 needs no unit. */
	if (spec->type == OPTION_DURATION && number_parse_u64(text, strlen(text), &value) == 0 &&
		value)
		return " (a number without a unit is seconds)";
	return "";
}

int text_list_add(struct text_list *list, const char *text)
{
	char *copy = strdup(text);

	if (!copy || ARRAY_RESERVE(list->item, list->room, list->count + 1) < 0) {
		free(copy);
		return -ENOMEM;
	}
	list->item[list->count++] = copy;
	return 0;
}

void text_list_done(struct text_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->item[i]);
	free(list->item);
	*list = (struct text_list){0};
}

static int option_parse_bool(const char *text, bool *ret)
{
	if (!strcmp(text, "true"))
		*ret = true;
	else if (!strcmp(text, "false"))
		*ret = false;
	else
		return -EINVAL;
	return 0;
}

static int parse_choice(const struct option_spec *spec, const char *text, uint64_t *ret)
{
	for (uint64_t i = 0; spec->choices[i]; i++)
		if (!strcmp(spec->choices[i], text)) {
			*ret = i;
			return 0;
		}
	return -EINVAL;
}

/* Reads "1%", "0.25%", or the same without the sign, in millionths: up to four decimals. */
static int parse_percent(const char *text, uint64_t *ret_ppm)
{
	size_t len = strlen(text);
	const char *point;
	uint64_t whole, part = 0;
	int r;

	if (len && text[len - 1] == '%')
		len--;
	point = memchr(text, '.', len);
	r = number_parse_u64(text, point ? (size_t)(point - text) : len, &whole);
	if (r == 0 && whole > 1000)
		r = -ERANGE;
	if (r == 0 && point) {
		size_t digits = (size_t)(text + len - point) - 1;

		r = digits > 4 ? -EINVAL : number_parse_u64(point + 1, digits, &part);
		for (; r == 0 && digits < 4; digits++)
			part *= 10;
	}
	if (r == 0)
		*ret_ppm = whole * 10000 + part;
	return r;
}

static int set_number(const struct option_spec *spec, uint64_t *field, const char *text)
{
	uint64_t value = 0;
	int r;

	if (spec->type == OPTION_CHOICE)
		return parse_choice(spec, text, field);
	if (spec->type == OPTION_PERCENT)
		r = parse_percent(text, &value);
	else if (spec->type == OPTION_DURATION)
		r = number_parse_duration(text, strlen(text), &value);
	else
		r = number_parse_u64(text, strlen(text), &value);
	if (r < 0)
		return r;
	if (value < spec->min || value > spec->max)
		return -ERANGE;
	*field = value;
	return 0;
}

static int option_set_text(char **field, const char *text)
{
	char *copy;

	if (!*text)
		return -EINVAL;
	copy = strdup(text);
	if (!copy)
		return -ENOMEM;
	free(*field);
	*field = copy;
	return 0;
}

/* Refuses the other paths of memtally-web: web/site/routes.c has the same list. */
static bool is_url_path(const char *path)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789-._~/";
	static const char *const taken[] = {"/", "/healthz", "/livez", "/-/healthy", "/readyz",
		"/-/ready", "/compat/process-exporter/metrics"};

	if (path[0] != '/' || path[strspn(path, allowed)] || !strncmp(path, "/api/", 5) ||
		!strncmp(path, "/assets/", 8))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(taken); i++)
		if (!strcmp(path, taken[i]))
			return false;
	return true;
}

static int option_add_address(struct text_list *list, const char *text)
{
	struct address address;
	int r = address_parse(text, &address);

	return r < 0 ? r : text_list_add(list, text);
}

int option_set(const struct option_spec *spec, struct settings *c, const char *text)
{
	void *field = (char *)c + spec->offset;

	switch (spec->type) {
	case OPTION_BOOL: return option_parse_bool(text, field);
	case OPTION_COUNT:
	case OPTION_DURATION:
	case OPTION_PERCENT:
	case OPTION_CHOICE: return set_number(spec, field, text);
	case OPTION_PATH:
		if (spec->max && strlen(text) > spec->max)
			return -ERANGE;
		return option_set_text(field, text);
	case OPTION_TEXT: return option_set_text(field, text);
	case OPTION_URL_PATH: return is_url_path(text) ? option_set_text(field, text) : -EINVAL;
	case OPTION_ADDRESSES: return option_add_address(field, text);
	case OPTION_LIST: return *text ? text_list_add(field, text) : -EINVAL;
	case OPTION_HOSTS: return address_is_host(text) ? text_list_add(field, text) : -EINVAL;
	}
	return -EINVAL;
}

bool option_is_set(const struct option_spec *spec, const struct settings *c)
{
	const void *field = (const char *)c + spec->offset;

	switch (spec->type) {
	case OPTION_BOOL: return *(const bool *)field;
	case OPTION_COUNT:
	case OPTION_DURATION:
	case OPTION_PERCENT:
	case OPTION_CHOICE: return *(const uint64_t *)field;
	case OPTION_TEXT:
	case OPTION_PATH:
	case OPTION_URL_PATH: return *(char *const *)field;
	case OPTION_LIST:
	case OPTION_ADDRESSES:
	case OPTION_HOSTS: return ((const struct text_list *)field)->count;
	}
	return false;
}

void option_reset(const struct option_spec *spec, struct settings *c)
{
	void *field = (char *)c + spec->offset;

	if (option_is_list(spec)) {
		text_list_done(field);
	} else if (spec->type == OPTION_TEXT || spec->type == OPTION_PATH ||
		   spec->type == OPTION_URL_PATH) {
		free(*(char **)field);
		*(char **)field = NULL;
	}
}

struct settings *settings_free(struct settings *c)
{
	size_t count;
	const struct option_spec *spec = option_table(&count);

	if (!c)
		return NULL;
	for (size_t i = 0; i < count; i++)
		option_reset(&spec[i], c);
	text_list_done(&c->operands);
	text_list_done(&c->variables);
	free(c->ignored);
	free(c);
	return NULL;
}
