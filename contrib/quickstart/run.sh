# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Runs the daemons in the foreground on loopback, with minimal rights, and prints their first
# values.

# http_get PATH: prints the body. Fails unless the status is 200.
http_get() {
	local status line
	exec 3<>"/dev/tcp/127.0.0.1/$port" || return 1
	printf 'GET %s HTTP/1.0\r\nHost: 127.0.0.1:%s\r\n\r\n' "$1" "$port" >&3
	IFS= read -r -t 5 -u 3 status
	while IFS= read -r -t 5 -u 3 line && [ "$line" != $'\r' ]; do :; done
	timeout 10 cat <&3
	exec 3>&-
	[[ $status == *' 200 '* ]]
} 2>/dev/null

port_is_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; }

# Sets the array "follow_us", which makes a daemon end when this script does, for any reason.
find_follow_us() {
	follow_us=()
	! setpriv --pdeathsig TERM true 2>/dev/null || follow_us=(--pdeathsig TERM)
}

# as_user UID GID CAPABILITY COMMAND...: runs COMMAND with that one capability (or "none") and no
# way to more.
as_user() {
	local uid=$1 gid=$2 capability=$3 rights=(--inh-caps=-all --ambient-caps=-all --bounding-set=-all)
	shift 3
	[ "$capability" = none ] ||
		rights=(--inh-caps="-all,+$capability" --ambient-caps="-all,+$capability"
			--bounding-set="-all,+$capability")
	exec setpriv "${follow_us[@]}" --reuid "$uid" --regid "$gid" --clear-groups --no-new-privs "${rights[@]}" -- "$@"
}

# Finds a uid that no other process has: memtallyd could read the memory of a process with its uid,
# and such a process could kill the daemons. The search is among the uids of systemd's dynamic
# users, downward from 65519.
find_uid() {
	for ((account_uid = 65519; account_uid >= 61184; account_uid--)); do
		getent passwd "$account_uid" >/dev/null || grep -qsE "^Uid:.*[[:space:]]$account_uid([[:space:]]|$)" \
			/proc/[0-9]*/status || return 0
	done
	fail 'none of the uids from 61184 to 65519 is free'
}

# Chooses the user for the daemons if root starts them. They share one uid, because memtallyd shows
# all processes to its own user. Installed, each daemon has a user of its own.
choose_account() {
	if account_uid=$(id -u memtally 2>/dev/null); then
		account_name=memtally account_gid=$(id -g memtally)
	else
		find_uid
		account_name="uid $account_uid, which no other process has," account_gid=$account_uid
	fi
	! can_run || return 0
	# In a user namespace with few uids, root is not the host's root.
	if awk '$1 == 0 && $2 != 0 { found = 1 } END { exit !found }' /proc/self/uid_map &&
		! (as_user "$account_uid" "$account_gid" none true) 2>/dev/null; then
		account_uid=0 account_gid=0 account_name="root of this user namespace"
		return 0
	fi
	fail "cannot run the programs in $builddir as $account_name. If only root can reach them, build in a directory that
  other users can enter, such as ./quickstart run --builddir=/var/tmp/memtally; in a container add SETUID and SETGID."
}

# Whether the chosen user can run the programs in the way in which they are started: setpriv of
# util-linux finds them with root's rights.
can_run() {
	(as_user "$account_uid" "$account_gid" none "$builddir/memtallyd" --version) >/dev/null 2>&1 &&
		(as_user "$account_uid" "$account_gid" none "$builddir/memtally-web" --version) >/dev/null 2>&1 &&
		(as_user "$account_uid" "$account_gid" none "$builddir/memtally-ledger" --version) >/dev/null 2>&1 &&
		(as_user "$account_uid" "$account_gid" none "$builddir/memtally-recorder" --version) >/dev/null 2>&1
}

root_place=/run/memtally-quickstart # only root can make it

# Prints where a run of this user has its sockets, unless that is in use.
runtime_place() {
	local base=${XDG_RUNTIME_DIR:-}
	if is_root; then
		printf '%s' "$root_place"
	elif [ -d "$base" ] && [ -w "$base" ]; then
		printf '%s' "$base/memtally"
	else
		printf '%s' "/tmp/memtally-quickstart-$EUID"
	fi
}

# is_bound SOCKET: whether a process has it. A killed run leaves its socket behind.
is_bound() { [ -S "$1" ] && { [ ! -r /proc/net/unix ] || grep -qF " $1" /proc/net/unix; }; }

# Prints where a run that answers has its sockets: one of this user, or of root. Any user can make a
# directory in /tmp: so it counts only if it is this user's.
find_runtime() {
	local place
	for place in "$(runtime_place)" "$root_place"; do
		if is_bound "$place/snapshot.sock" && { [ "$place" = "$root_place" ] || [ -O "$place" ]; }; then
			printf '%s' "$place"
			return 0
		fi
	done
	return 1
}

# Makes a directory for the sockets, the ledger and the recording. The daemons' user owns it, and it
# is removed at the end.
make_runtime() {
	runtime=$(runtime_place)
	# A killed run leaves an empty one; one in use is not empty.
	rmdir -- "$runtime" 2>/dev/null
	if ! mkdir -m 0755 -- "$runtime" 2>/dev/null; then
		runtime=$(mktemp -d) || fail 'no temporary directory'
		chmod 0755 "$runtime"
	fi
	mkdir -m 0700 -- "$runtime/ledger" "$runtime/recorder" || fail "no directory below $runtime"
	if is_root; then
		chown "$account_uid:$account_gid" "$runtime" "$runtime/ledger" "$runtime/recorder"
	fi
}

remove_runtime() {
	[ -n "${runtime:-}" ] || return 0
	rm -f -- "$runtime/snapshot.sock" "$runtime/ledger.sock" "$runtime/recorder.sock" "$runtime/ledger/"ledger.db* \
		"$runtime/recorder/"*.rec
	rmdir -- "$runtime/ledger" "$runtime/recorder" "$runtime" 2>/dev/null
	runtime=
}

# The subshells of start() call exec, so their pids are the daemons'.
are_running() {
	kill -0 "$collector_pid" 2>/dev/null && kill -0 "$web_pid" 2>/dev/null && kill -0 "$ledger_pid" 2>/dev/null &&
		kill -0 "$recorder_pid" 2>/dev/null
}

# end_daemon PID: ends it within five seconds, or kills it.
end_daemon() {
	local pid=$1 i
	[ -n "$pid" ] && kill -TERM "$pid" 2>/dev/null || return 0
	for ((i = 0; i < 50; i++)); do
		kill -0 "$pid" 2>/dev/null || return 0
		sleep 0.1
	done
	kill -KILL "$pid" 2>/dev/null && warn "quickstart: process $pid had to be killed"
}

# memtallyd last: otherwise the others would warn that it has stopped.
stop_daemons() {
	end_daemon "$web_pid"
	end_daemon "$ledger_pid"
	end_daemon "$recorder_pid"
	end_daemon "$collector_pid"
	wait 2>/dev/null
	remove_runtime
}

# Handles SIGINT, SIGTERM and SIGHUP.
stop_and_leave() {
	trap '' INT TERM HUP
	say ''
	say 'Stopping.'
	stop_daemons
	exit 0
}

# A daemon has exited by itself: prints which one and how, and ends the others.
leave_broken() {
	local which=memtally-web pid=$web_pid status
	trap '' INT TERM HUP
	[ -z "$ledger_pid" ] || kill -0 "$ledger_pid" 2>/dev/null || which=memtally-ledger pid=$ledger_pid
	[ -z "$recorder_pid" ] || kill -0 "$recorder_pid" 2>/dev/null || which=memtally-recorder pid=$recorder_pid
	kill -0 "$collector_pid" 2>/dev/null || which=memtallyd pid=$collector_pid
	wait "$pid" 2>/dev/null
	status=$?
	if [ "$status" -gt 128 ]; then
		warn "quickstart: $which was ended by signal $((status - 128)). Stopping."
	elif [ "$status" -eq 0 ]; then
		warn "quickstart: $which was told to end, by SIGTERM or SIGINT of another process. Stopping."
	else
		warn "quickstart: $which has ended with status $status; its messages are above. Stopping."
	fi
	stop_daemons
	exit 1
}

# start CAPABILITY COMMAND...: runs COMMAND in the background, as the user that decide_rights()
# chose; the pid is in $!.
start() {
	local capability=$1
	shift
	if is_root; then
		(as_user "$account_uid" "$account_gid" "$capability" "$@") &
	elif [ ${#follow_us[@]} -gt 0 ]; then
		(exec setpriv "${follow_us[@]}" -- "$@") &
	else
		"$@" &
	fi
}

start_daemons() {
	local shared=(--config.file=/dev/null --snapshot.socket="$runtime/snapshot.sock" --log.level=warning)
	start "$capability" "$builddir/memtallyd" "${shared[@]}" --interval="$interval" --pss.mode="$mode"
	collector_pid=$!
	until [ -S "$runtime/snapshot.sock" ]; do
		kill -0 "$collector_pid" 2>/dev/null || leave_broken
		sleep 0.02
	done
	start none "$builddir/memtally-web" "${shared[@]}" --web.listen-address="127.0.0.1:$port" \
		--ledger.socket="$runtime/ledger.sock" --recorder.socket="$runtime/recorder.sock"
	web_pid=$!
	start none "$builddir/memtally-ledger" "${shared[@]}" --ledger.socket="$runtime/ledger.sock" \
		--ledger.directory="$runtime/ledger"
	ledger_pid=$!
	start none "$builddir/memtally-recorder" "${shared[@]}" --recorder.socket="$runtime/recorder.sock" \
		--recorder.directory="$runtime/recorder" --recorder.size=64
	recorder_pid=$!
}

# Waits for a snapshot. Every ten seconds it prints the reason that /readyz gives.
await_snapshot() {
	local waited=0 why
	until why=$(http_get /readyz); do
		are_running || leave_broken
		sleep 0.1
		waited=$((waited + 1))
		[ $((waited % 100)) -ne 0 ] || say "  Still waiting: ${why:-memtally-web does not answer on port $port}."
	done
}

# Prints the number of processes that were never measured; nothing if there are none.
count_guessed() { http_get /metrics | sed -n 's/^memtally_processes{outcome="guessed"} \([1-9][0-9]*\)$/\1/p'; }

# Waits until large processes have been measured, which takes several slices. Until then their
# values are guesses, and guesses would give a wrong first impression.
await_measured() {
	local count end=$((SECONDS + 15))
	count=$(count_guessed)
	[ -n "$count" ] || return 0
	say "Waiting (15 s at most) for the first measurement of large processes: $count."
	while [ "$SECONDS" -lt "$end" ] && [ -n "$(count_guessed)" ]; do
		are_running || leave_broken
		sleep 0.5
	done
}

decide_rights() {
	capability=none
	if ! is_root; then
		say "The daemons run as $(id -un), without special rights. An attacker who takes one over can use all that belongs to
$(id -un). Installed, the daemons have users of their own."
		return
	fi
	command -v setpriv >/dev/null || fail 'setpriv (of util-linux) is needed to run the daemons without root'"'"'s rights'
	choose_account
	if (as_user "$account_uid" "$account_gid" sys_ptrace true) 2>/dev/null; then
		capability=sys_ptrace
		say "memtallyd runs as $account_name with the capability CAP_SYS_PTRACE alone. memtally-web,
memtally-ledger and memtally-recorder run as the same user, without capabilities."
	else
		say "The daemons run as $account_name without capabilities: CAP_SYS_PTRACE is not available here."
	fi
}

# Prints the denied processes, from memtallyd, since TCP shows only processes that have series. A
# row of JSON contains no braces.
name_denied() {
	"$builddir/memtally" processes --json --sort=pid --config.file=/dev/null --log.level=error \
		--snapshot.socket="$runtime/snapshot.sock" 2>/dev/null | grep -o '{"pid":[^{}]*"reason":"denied"' |
		sed 's/^{"pid":\([0-9]*\),.*"user":"\([^"]*\)","program":"\([^"]*\)".*/\1 \3 of \2/'
}

# Prints the five users with most denied processes; there may be hundreds of users.
count_denied() {
	awk -F'[{}" ]+' '/^memtally_user_unmeasured_processes\{.*reason="denied"/ && $NF > 0 { print $NF, $3 }' |
		sort -k1,1nr -k2 |
		awk '{ sum += $1 }
			NR <= 5 { who = who (NR == 1 ? "" : ", ") $1 " of " substr($0, length($1) + 2) }
			END { more = NR - 5
				if (more > 0) who = who " and of " more " more user" (more == 1 ? "" : "s")
				if (NR) printf "%d processes (%s)", sum, who }'
}

# Prints which processes could not be measured, by the first answer, and what would help.
tell_unmeasured() {
	local metrics denied hidden blocked
	metrics=$(http_get /metrics)
	denied=$(name_denied)
	if [ "$(grep -c . <<<"$denied")" -le 5 ]; then
		denied=$(sed 's/^/pid /' <<<"$denied" | paste -sd, | sed 's/,/, /g; s/^pid $//')
	else
		denied=$(count_denied <<<"$metrics")
	fi
	blocked=$(sed -n 's/^memtally_host_unmeasured_processes{reason="blocked"} \([1-9][0-9]*\)$/\1/p' <<<"$metrics")
	hidden=$(awk '/^memtally_capability_info\{.*proc_hidden="(1|true|yes)"/' <<<"$metrics")
	if [ -n "$denied" ]; then
		say "Not measured, because the kernel refused it: $denied. The figures above do not contain that PSS."
		if ! is_root; then
			say 'To measure that as well: sudo ./quickstart run'
		elif [ "$capability" = none ]; then
			say 'To measure that as well, give this container CAP_SYS_PTRACE (--cap-add=SYS_PTRACE).'
		else
			say 'memtallyd has CAP_SYS_PTRACE, so probably a sandbox or a security module protects these processes.'
		fi
	elif [ -z "$hidden$blocked" ]; then
		say 'Every process could be read.'
	fi
	[ -z "$blocked" ] || say "Processes not measured, because the kernel keeps the readers of their files in /proc waiting: $blocked."
	if [ -n "$hidden" ]; then
		say '/proc is mounted with hidepid: processes of other users may be missing. With CAP_SYS_PTRACE they are seen:'
		say '  sudo ./quickstart run'
	fi
}

# Prints how much of the values is still guessed, as `memtally status` shows it.
tell_guessed() {
	local guessed
	guessed=$("$builddir/memtally" status --config.file=/dev/null --log.level=error \
		--snapshot.socket="$runtime/snapshot.sock" 2>/dev/null |
		sed -n 's/^  guessed *\([^,]*\), \([^,]*\), 1 process .*/\1 (\2) above is guessed: 1 large process is/p
			s/^  guessed *\([^,]*\), \([^,]*\), \([0-9]*\) processes .*/\1 (\2) above is guessed: \3 large processes are/p')
	[ -z "$guessed" ] || say "$guessed still to be measured."
}

# memtally_beside WORD: prints how to run `memtally WORD` beside this run. If another run answers
# first, `./quickstart memtally` would find that one.
memtally_beside() {
	local place option=
	if place=$(find_runtime) && [ "$place" = "$runtime" ]; then
		[ "$builddir" = "$top/build" ] || printf -v option ' --builddir=%q' "$(shown "$builddir")"
		printf '%s' "./quickstart memtally$option $1"
		return
	fi
	case $1 in
	usage) option=--ledger.socket=$runtime/ledger.sock ;;
	why | diff* | history* | *--at=*) option=--recorder.socket=$runtime/recorder.sock ;;
	*) option=--snapshot.socket=$runtime/snapshot.sock ;;
	esac
	printf '%s' "$(shown "$builddir")/memtally $1 $option"
}

tell_places() {
	cat <<END

  page        http://127.0.0.1:$port/
  metrics     http://127.0.0.1:$port/metrics
  JSON        http://127.0.0.1:$port/api/v1/users
  live        $(memtally_beside top)
  terminal    $(memtally_beside users)
  status      $(memtally_beside status)
  over time   $(memtally_beside usage)
  back        $(memtally_beside 'users --at=-1m')    as it was a minute ago
  changes     $(memtally_beside 'diff 1m')    what grew in the last minute
  chart       $(memtally_beside 'history host')
  why         $(memtally_beside why)    the last OOM kill or memory pressure
  sockets     $runtime/snapshot.sock, ledger.sock, recorder.sock

The history of usage and the recording (64 MiB at most) are deleted when this ends. For Prometheus, below scrape_configs:

  - job_name: memtally
    static_configs:
      - targets: ['127.0.0.1:$port']

While this runs, every user of this machine can read the http addresses. Ctrl-C or SIGTERM ends it.
END
}

# memtallyd itself checks the interval, if it is built. Only the exit status of misuse is a result.
check_interval() {
	local said status=0
	[ -x "$builddir/memtallyd" ] || return 0
	said=$("$builddir/memtallyd" --config.file=/dev/null --interval="$interval" --check-config 2>&1) || status=$?
	[ "$status" -ne 2 ] || misuse "${said#memtallyd: error: }"
}

# Before the build, which takes a while, and after it.
check_port() {
	! port_is_taken || fail "127.0.0.1:$port is in use. Choose another port: ./quickstart run --port $((port % 65535 + 1))"
}

# Runs memtally with its arguments, with the sockets of a run in another terminal, in the directory
# in which ./quickstart was called.
do_memtally() {
	local memtally=$builddir/memtally
	[ -x "$memtally" ] || fail "there is no $(shown "$memtally"). Start ./quickstart run in another terminal first."
	runtime=$(find_runtime) ||
		fail 'there is no ./quickstart run to ask. Start one in another terminal first, as the same user or as root.'
	cd -- "$caller_dir" || exit 1
	MEMTALLY_SNAPSHOT_SOCKET=$runtime/snapshot.sock MEMTALLY_LEDGER_SOCKET=$runtime/ledger.sock \
		MEMTALLY_RECORDER_SOCKET=$runtime/recorder.sock \
		exec "$memtally" --config.file=/dev/null "${operands[@]}"
}

do_run() {
	runtime='' collector_pid='' web_pid='' ledger_pid='' recorder_pid=''
	find_follow_us
	check_interval
	check_port
	ensure_built
	check_interval # memtallyd may not have been built before
	check_port
	decide_rights
	make_runtime
	trap stop_and_leave INT TERM HUP
	trap : PIPE # a closed output must not end this script before its clean-up
	start_daemons
	await_snapshot
	await_measured
	say ''
	"$builddir/memtally" users --limit=20 --config.file=/dev/null --log.level=error \
		--snapshot.socket="$runtime/snapshot.sock"
	say ''
	tell_unmeasured
	tell_guessed
	tell_places
	wait -n "$collector_pid" "$web_pid" "$ledger_pid" "$recorder_pid" 2>/dev/null
	leave_broken
}
