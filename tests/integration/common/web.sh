# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# memtally-web with a publisher of sample snapshots instead of memtallyd. Source this file after
# lib.sh.
command -v curl >/dev/null || skip 'curl is not installed'
command -v "$PYTHON" >/dev/null || skip 'python3 is not installed'

WEB=$MEMTALLY_BUILD/memtally-web
TOOLS=$MEMTALLY_SOURCE/tests/tools

# publish [NAME=VALUE]...; see tests/tools/snapshot/publish-sample.c
publish() {
	start publisher "$MEMTALLY_BUILD/tests/tools/snapshot/publish-sample" "$SOCKET" "$@"
	expect 'the snapshot socket' test -S "$SOCKET"
}

# serve [OPTION]...: starts memtally-web on a port that the kernel chooses; sets PORT and URL.
serve() {
	serve_only --web.listen-address=127.0.0.1:0 "$@"
	expect 'a listening memtally-web' has_line web 'listening on 127'
	PORT=$(sed -n 's/.*listening on 127\.0\.0\.1:\([0-9]*\)$/\1/p' "$DIR/web.log" | head -n 1)
	URL=http://127.0.0.1:$PORT
}

serve_only() {
	choose_web
	start web "${WEB_COMMAND[@]}" --config.file="$DIR/none.yaml" --snapshot.socket="$SOCKET" "$@"
}

# check WHAT COMMAND...: fails with WHAT unless COMMAND succeeds.
check() {
	local what=$1
	shift
	"$@" >"$DIR/check.out" 2>&1 && return
	sed 's/^/    /' "$DIR/check.out" | head -n 20 >&2
	fail "$what"
}

# expect WHAT COMMAND...: waits until COMMAND succeeds.
expect() {
	local what=$1
	shift
	wait_for 60 "$@" || fail "timeout while waiting: $what"
}

equal() {
	[ "$1" = "$2" ] && return
	printf 'expected: %s\n but got: %s\n' "$2" "$1"
	return 1
}

# has_lines NAME PATTERN COUNT: whether exactly COUNT lines of the log of NAME match.
has_lines() { equal "$(grep -c -- "$2" "$DIR/$1.log")" "$3"; }

# has TEXT COMMAND...: whether the command's output has a line with TEXT, a basic regular
# expression.
has() {
	local text=$1
	shift
	"$@" >"$DIR/has.out" || return
	grep -q -- "$text" "$DIR/has.out" || { cat "$DIR/has.out"; return 1; }
}

# has_not TEXT COMMAND...: the opposite.
has_not() {
	local text=$1
	shift
	"$@" >"$DIR/has.out" || return
	! grep -- "$text" "$DIR/has.out"
}

ready() { curl -sf "$URL/readyz"; }
wait_ready() { expect 'a snapshot' ready; }

# code CURL-ARGUMENT...: prints the status of a request.
code() { curl -s -o /dev/null -w '%{http_code}' "$@"; }
is_code() { equal "$(code "${@:2}")" "$1"; }

# metric NAME: prints the value of a sample. NAME is the text before the value.
metric() { curl -s "$URL/metrics" | awk -v name="$1" '$1 == name { print $2 }'; }

# Resources used by process NAME.
resident_kib() { awk '/^Rss:/ { print $2 }' "/proc/${PID[$1]}/smaps_rollup"; }
cpu_ms() { awk '{ print int($1 / 1e6) }' "/proc/${PID[$1]}/schedstat"; }

# is_idle NAME: whether it uses less than 20 ms of CPU in a second.
is_idle() {
	local before
	before=$(cpu_ms "$1")
	sleep 1
	test $(($(cpu_ms "$1") - before)) -lt 20
}

# Whether the build has a sanitizer; times and sizes of such a build mean nothing. Not with grep -q,
# which ends before nm does: that would be a failure of the pipe.
is_sanitized() { nm "$WEB" 2>/dev/null | grep '__asan_init\|__tsan_init' >/dev/null; }

# Whether the metrics are valid for a reader that is stricter than Prometheus.
is_valid() {
	curl -s "$URL/metrics" >"$DIR/valid.out"
	"$TOOLS/compare/metrics-lint" "$DIR/valid.out"
}

# remember() stores memtally-web's descriptors and memory before a scenario hurts it. is_as_before()
# checks that they are back: descriptors (one more may be a connection that is being closed), memory
# within 5 % and 64 KiB, and complete metrics.
remember() { FDS_BEFORE=$(descriptors web) KIB_BEFORE=$(resident_kib web); }
is_as_before() {
	local fds kib
	fds=$(descriptors web) kib=$(resident_kib web)
	[ "$fds" -le $((FDS_BEFORE + 1)) ] || { echo "$fds descriptors, and $FDS_BEFORE before"; return 1; }
	is_sanitized || [ "$kib" -le $((KIB_BEFORE + KIB_BEFORE / 20 + 64)) ] ||
		{ echo "$kib KiB resident, and $KIB_BEFORE before"; return 1; }
	is_valid
}
