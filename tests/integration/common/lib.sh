# SPDX-License-Identifier: Apache-2.0
# Common functions of scenarios: a private directory, processes that end with the script, waiting
# with a limit. Source this file first.
set -euo pipefail
shopt -s inherit_errexit

: "${MEMTALLY_BUILD:?names the build directory}"
: "${MEMTALLY_SOURCE:?names the source directory}"

# Those of the user who runs the tests.
unset MEMTALLY_SNAPSHOT_SOCKET MEMTALLY_LEDGER_SOCKET MEMTALLY_RECORDER_SOCKET

# A scenario runs in a pid namespace of its own if the kernel allows that, so that processes of the
# host or of another scenario do not count, take its pids, make its passes long or block its
# readers. A scenario about the host's processes sets WITH_HOST before.
#
# RUN: a number that no other run on this host has at the same time, for names and uids that all
# runs share.
[ $$ -eq 1 ] && [ -n "${RUN:-}" ] || RUN=$$
if [ -z "${WITH_HOST:-}" ] && [ $$ -ne 1 ] && unshare --pid --fork --mount-proc true 2>/dev/null; then
	export RUN
	exec unshare --pid --fork --kill-child --mount-proc "$0" "$@"
fi

DIR=$(mktemp -d "${TMPDIR:-/tmp}/memtally-test.XXXXXX")
chmod 777 "$DIR" # memtallyd, no longer root, removes its socket
SOCKET=$DIR/snapshot.sock
# The system's programs come first: other users can run them, too, and the python3 of a version
# manager is a script that takes ten times as long to start.
PATH=/usr/bin:/bin:$PATH
PYTHON=$(command -v python3) || PYTHON=python3
declare -A PID=() # of processes started by start(), by name
STATUS=0          # exit status of the process stopped by stop()

# Whether the long variants are requested.
is_long() { [ -n "${MEMTALLY_LONG:-}" ]; }

# Whether programs are slow here, as with sanitizers: repeat what finds rare faults a few times only,
# since another run of the scenario repeats it often.
is_slow() { [ -n "${MEMTALLY_SLOW:-}" ]; }

# has_part ledger|recorder|inspect: whether the build has this part, which configure can leave out.
has_part() { ! grep -qx "#define ENABLE_${1^^} 0" "$MEMTALLY_BUILD/config.h"; }

skip() {
	echo "SKIP: $*"
	exit 77
}

fail() {
	echo "FAIL: $*" >&2
	exit 1
}

# Restores what a scenario has changed on the host, after all its processes have ended. Scenarios
# redefine it.
undo() { :; }

# Shows the logs if the scenario fails, since they explain why.
on_exit() {
	local status=$? name
	trap - EXIT
	for name in "${!PID[@]}"; do
		kill "${PID[$name]}" 2>/dev/null || true
	done
	for name in "${!PID[@]}"; do
		stop "$name"
	done
	undo || true
	if [ "$status" -ne 0 ] && [ "$status" -ne 77 ]; then
		for name in "$DIR"/*.log; do
			[ -s "$name" ] || continue
			echo "--- ${name##*/}" >&2
			tail -n 30 "$name" >&2
		done
	fi
	rm -rf "$DIR"
	exit "$status"
}
trap on_exit EXIT
trap 'exit 1' INT TERM

# start NAME COMMAND...: runs COMMAND in the background, with its output in $DIR/NAME.log.
start() {
	local name=$1
	shift
	: >"$DIR/$name.log" # now, so that no reader takes lines of an earlier process
	"$@" >>"$DIR/$name.log" 2>&1 </dev/null &
	PID[$name]=$!
}

# await NAME: waits until NAME exits; its exit status is in STATUS.
await() {
	STATUS=0
	wait "${PID[$1]}" 2>/dev/null || STATUS=$?
	unset "PID[$1]"
}

# nap SECONDS: sleeps without starting a process, which would use as much CPU as most waited-for
# programs.
mkfifo "$DIR/.nap"
nap() { read -r -t "$1" _ <>"$DIR/.nap" || true; }

# Whether process $1 still runs: a zombie does not.
is_alive() {
	local stat
	read -r stat 2>/dev/null <"/proc/$1/stat" || return 1
	[[ ${stat##*) } != Z* ]]
}

# stop NAME [SIGNAL]: stops NAME. If it does not exit within 20 s, it is killed, and STATUS is 137.
stop() {
	local pid=${PID[$1]} end=$((SECONDS + 20))
	kill -s "${2:-TERM}" "$pid" 2>/dev/null || true
	while is_alive "$pid"; do
		[ "$SECONDS" -lt "$end" ] || kill -s KILL "$pid" 2>/dev/null || true
		nap 0.02
	done
	await "$1"
}

# stop_by_two NAME: stops NAME by two signals that it gets at the same time, and checks that it
# exits with 0 and logs the first one only.
stop_by_two() {
	local pid=${PID[$1]}
	kill -s STOP "$pid"
	is_stopped() { grep -q '^State:[[:space:]]T' "/proc/$pid/status"; }
	wait_for 10 is_stopped || fail "$1 does not stop"
	kill -s INT "$pid"
	kill -s TERM "$pid"
	stop "$1" CONT
	[ "$STATUS" -eq 0 ] || fail "$1 exits with $STATUS"
	[ "$(grep -c 'stopping: SIG' "$DIR/$1.log")" -eq 1 ] || fail "$1 logs both signals"
}

is_running() { is_alive "${PID[$1]}"; }

# wait_for SECONDS COMMAND...: repeats COMMAND until it succeeds; fails after SECONDS. Between two tries
# it waits for 50 ms at first and for 200 ms in the end, since programs such as curl and jq would use a
# processor for a quarter of the time otherwise. POLL_S: seconds to wait instead.
POLL_S=
wait_for() {
	local end=$((SECONDS + $1)) poll_ms=50 poll_s
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || return 1
		printf -v poll_s '0.%03d' $poll_ms
		nap "${POLL_S:-$poll_s}"
		poll_ms=$((poll_ms < 160 ? poll_ms * 5 / 4 : 200))
	done
}

# Whether this kernel maps its zero page, which does not count as RSS, if memory is only read. Some
# kernels do not.
has_zero_page() {
	"$PYTHON" -c 'import mmap, sys
rss = lambda: int(open("/proc/self/statm").read().split()[1])
block = mmap.mmap(-1, 4 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
before = rss()
for at in range(0, len(block), 4096):
	block[at]
sys.exit(rss() - before > 512)'
}
# Prints a port of 127.0.0.1 that no program uses.
free_port() {
	"$PYTHON" -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

has_line() { grep -q -- "$2" "$DIR/$1.log"; }

# start_memtallyd [OPTION...]: starts memtallyd with its socket at $SOCKET and waits for the first
# snapshot.
start_memtallyd() {
	start memtallyd "$MEMTALLY_BUILD/memtallyd" --config.file="$DIR/none.yaml" \
		--snapshot.socket="$SOCKET" "$@"
	wait_for 60 has_line memtallyd 'first pass' || fail "memtallyd made no snapshot"
}
# The file exists, so that no configuration of the host is read. Scenarios use much shorter
# intervals than the default, on busy hosts. So the budget is large, except in scenarios about the
# budget. Other tests let processes wait for memory, so there are no brief passes, except in scenarios
# about them.
printf '%s\n' 'budget.cpu: 100%' 'pressure.interval: 0' >"$DIR/none.yaml"

# If root starts memtallyd, it takes an unused uid and gives the whole image to that uid. So
# memtally-web gets the same uid here. Otherwise memtally-web would take another uid, and be any
# other user to memtallyd.
choose_web() {
	local uid
	WEB_COMMAND=("$MEMTALLY_BUILD/memtally-web")
	is_root && [ -n "${PID[memtallyd]:-}" ] || return 0
	uid=$(sed -n 's/^Uid:[[:space:]]*\([0-9]*\).*/\1/p' "/proc/${PID[memtallyd]}/status")
	[ "$uid" -ne 0 ] || return 0
	# The original may be in a folder that only root can read.
	install -m 755 "$MEMTALLY_BUILD/memtally-web" "$DIR/memtally-web"
	WEB_COMMAND=(setpriv --reuid="$uid" --regid="$uid" --clear-groups --no-new-privs --inh-caps=-all
		--bounding-set=-all "$DIR/memtally-web")
}

# start_web PORT [OPTION...]: starts memtally-web on 127.0.0.1:PORT, from $SOCKET.
start_web() {
	local port=$1
	shift
	choose_web
	start memtally-web "${WEB_COMMAND[@]}" --config.file="$DIR/none.yaml" \
		--snapshot.socket="$SOCKET" --web.listen-address="127.0.0.1:$port" "$@"
	wait_for 30 curl -sf "http://127.0.0.1:$port/healthz" || fail "memtally-web does not answer"
}

# descriptors NAME: prints the number of descriptors that process NAME has open.
descriptors() { find "/proc/${PID[$1]}/fd" -mindepth 1 | wc -l; }

# limit_descriptors NAME COUNT: sets the limit as the user that the process has become: root may
# lack CAP_SYS_RESOURCE.
limit_descriptors() {
	local as=() ids
	ids=$(awk '/^[UG]id:/ { print $2 }' "/proc/${PID[$1]}/status")
	! is_root || as=(setpriv --reuid="${ids%%$'\n'*}" --regid="${ids##*$'\n'}" --clear-groups)
	"${as[@]}" prlimit --pid "${PID[$1]}" --nofile="$2:"
}

is_root() { [ "$(id -u)" -eq 0 ]; }

# account_of NAME: uid and gid of user NAME in /etc/passwd, where the daemons look up the user that root becomes.
# Prints nothing if there is no such user.
account_of() { awk -F : -v name="$1" '$1 == name && $3 != 0 { print $3, $4; exit }' /etc/passwd; }

# Another uid without any rights. Background processes are started with the array, so that no shell
# is between start() and the program: the pid is the program's.
AS_NOBODY=(setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --inh-caps=-all
	--bounding-set=-all)

as_nobody() { "${AS_NOBODY[@]}" "$@"; }
