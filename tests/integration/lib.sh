# SPDX-License-Identifier: Apache-2.0
# What scenarios share: a private directory, processes that end with the script, waiting with a bound.
# To be sourced first.
set -euo pipefail
shopt -s inherit_errexit

: "${MEMTALLY_BUILD:?names the build directory}"
: "${MEMTALLY_SOURCE:?names the source directory}"

# A scenario runs in a pid namespace of its own if the kernel allows that. It sees no process of the host or of another scenario: none
# counts, takes its pids, makes its passes long or blocks their readers. A scenario about the host's processes sets WITH_HOST before.
#
# RUN: a number that no other run on this host has at the same time, for names and uids that all of them share.
[ $$ -eq 1 ] && [ -n "${RUN:-}" ] || RUN=$$
if [ -z "${WITH_HOST:-}" ] && [ $$ -ne 1 ] && unshare --pid --fork --mount-proc true 2>/dev/null; then
	export RUN
	exec unshare --pid --fork --kill-child --mount-proc "$0" "$@"
fi

DIR=$(mktemp -d "${TMPDIR:-/tmp}/memtally-test.XXXXXX")
chmod 777 "$DIR" # memtallyd, no longer root, takes its socket away
SOCKET=$DIR/snapshot.sock
# The system's programs come first: other users can run them, too, and the python3 of a version manager is a script that takes
# ten times as long to start.
PATH=/usr/bin:/bin:$PATH
PYTHON=$(command -v python3) || PYTHON=python3
declare -A PID=() # of what start() has started, by name
STATUS=0          # of what stop() has stopped

# Whether the long variants were asked for.
is_long() { [ -n "${MEMTALLY_LONG:-}" ]; }

skip() {
	echo "SKIP: $*"
	exit 77
}

fail() {
	echo "FAIL: $*" >&2
	exit 1
}

# Puts back what a scenario has changed of the host, when all that it started has ended; to be defined anew.
undo() { :; }

# The logs tell why, so they are shown when a scenario fails.
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

# start NAME COMMAND...: in the background, with its output in $DIR/NAME.log.
start() {
	local name=$1
	shift
	: >"$DIR/$name.log" # now, so that nobody takes an earlier one's lines for its own
	"$@" >>"$DIR/$name.log" 2>&1 </dev/null &
	PID[$name]=$!
}

# Waits for NAME to end by itself; its exit status is in STATUS.
await() {
	STATUS=0
	wait "${PID[$1]}" 2>/dev/null || STATUS=$?
	unset "PID[$1]"
}

# nap SECONDS: sleeps without a process, which would take as much CPU as most of what is waited for.
mkfifo "$DIR/.nap"
nap() { read -r -t "$1" _ <>"$DIR/.nap" || true; }

# Whether process $1 still runs: a zombie does not.
is_alive() {
	local stat
	read -r stat 2>/dev/null <"/proc/$1/stat" || return 1
	[[ ${stat##*) } != Z* ]]
}

# stop NAME [SIGNAL]: one that does not end within 20 s is killed, and STATUS is 137.
stop() {
	local pid=${PID[$1]} end=$((SECONDS + 20))
	kill -s "${2:-TERM}" "$pid" 2>/dev/null || true
	while is_alive "$pid"; do
		[ "$SECONDS" -lt "$end" ] || kill -s KILL "$pid" 2>/dev/null || true
		nap 0.02
	done
	await "$1"
}

is_running() { is_alive "${PID[$1]}"; }

# wait_for SECONDS COMMAND...: until the command succeeds; fails when it does not in time. POLL_S: seconds between two tries.
POLL_S=0.05
wait_for() {
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || return 1
		nap $POLL_S
	done
}

# Whether this kernel maps its page of zeros, which is in nobody's RSS, where memory is only read; some do not.
has_zero_page() {
	"$PYTHON" -c 'import mmap, sys
rss = lambda: int(open("/proc/self/statm").read().split()[1])
block = mmap.mmap(-1, 4 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
before = rss()
for at in range(0, len(block), 4096):
	block[at]
sys.exit(rss() - before > 512)'
}
# A port of 127.0.0.1 on which nobody listens.
free_port() {
	"$PYTHON" -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

has_line() { grep -q -- "$2" "$DIR/$1.log"; }

# start_memtallyd [FLAG...]: with its socket at $SOCKET; returns when the first snapshot is there.
start_memtallyd() {
	start memtallyd "$MEMTALLY_BUILD/memtallyd" --config.file="$DIR/none.yaml" \
		--snapshot.socket="$SOCKET" "$@"
	wait_for 60 has_line memtallyd 'first pass' || fail "memtallyd made no snapshot"
}
# The file exists, so that no configuration of the host's is read. Scenarios have passes follow each other far more
# closely than by default, and hosts on which they run are busy: so the budget is not in their way, but where it is what
# they are about.
printf '%s\n' 'budget.cpu: 100%' >"$DIR/none.yaml"

# Where root runs them memtallyd takes a uid that is nobody's, and shows all to whoever has it: so memtally-web is given
# the same. Left to itself it would take another one, and be a stranger.
choose_web() {
	local uid
	WEB_COMMAND=("$MEMTALLY_BUILD/memtally-web")
	is_root && [ -n "${PID[memtallyd]:-}" ] || return 0
	uid=$(sed -n 's/^Uid:[[:space:]]*\([0-9]*\).*/\1/p' "/proc/${PID[memtallyd]}/status")
	[ "$uid" -ne 0 ] || return 0
	# Its own may lie where only root gets.
	install -m 755 "$MEMTALLY_BUILD/memtally-web" "$DIR/memtally-web"
	WEB_COMMAND=(setpriv --reuid="$uid" --regid="$uid" --clear-groups --no-new-privs --inh-caps=-all
		--bounding-set=-all "$DIR/memtally-web")
}

# start_web PORT [FLAG...]: on 127.0.0.1:PORT, from $SOCKET.
start_web() {
	local port=$1
	shift
	choose_web
	start memtally-web "${WEB_COMMAND[@]}" --config.file="$DIR/none.yaml" \
		--snapshot.socket="$SOCKET" --web.listen-address="127.0.0.1:$port" "$@"
	wait_for 30 curl -sf "http://127.0.0.1:$port/healthz" || fail "memtally-web does not answer"
}

# Descriptors that process NAME has open.
descriptors() { find "/proc/${PID[$1]}/fd" -mindepth 1 | wc -l; }

# limit_descriptors NAME COUNT: from now on, as the user that it has become: root may lack CAP_SYS_RESOURCE.
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

# With another uid and without any right. What is started in the background is started with the array, so that
# no shell stands between start() and the program: its pid is the program's.
AS_NOBODY=(setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --inh-caps=-all
	--bounding-set=-all)

as_nobody() { "${AS_NOBODY[@]}" "$@"; }
