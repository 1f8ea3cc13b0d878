# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# memtally-web with a publisher of sample snapshots in memtallyd's place. To be sourced behind lib.sh.
command -v curl >/dev/null || skip 'curl is not installed'
command -v "$PYTHON" >/dev/null || skip 'python3 is not installed'

WEB=$MEMTALLY_BUILD/memtally-web
TOOLS=$MEMTALLY_SOURCE/tests/tools

# publish [NAME=VALUE]...; see tests/tools/publish-sample.c
publish() {
	start publisher "$MEMTALLY_BUILD/tests/tools/publish-sample" "$SOCKET" "$@"
	expect 'the snapshot socket' test -S "$SOCKET"
}

# serve [FLAG]...: on a port of the kernel's choice, in PORT and as a URL in URL.
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

# check WHAT COMMAND...: an assertion.
check() {
	local what=$1
	shift
	"$@" >"$DIR/check.out" 2>&1 && return
	sed 's/^/    /' "$DIR/check.out" | head -n 20 >&2
	fail "$what"
}

# expect WHAT COMMAND...: that it becomes true soon.
expect() {
	local what=$1
	shift
	wait_for 20 "$@" || fail "waited in vain for $what"
}

equal() {
	[ "$1" = "$2" ] && return
	printf 'expected: %s\n but got: %s\n' "$2" "$1"
	return 1
}

# has_lines NAME PATTERN COUNT: exactly so many lines of its log match.
has_lines() { equal "$(grep -c -- "$2" "$DIR/$1.log")" "$3"; }

# has TEXT COMMAND...: the command's output has a line with TEXT, a basic regular expression.
has() {
	local text=$1
	shift
	"$@" >"$DIR/has.out" || return
	grep -q -- "$text" "$DIR/has.out" || { cat "$DIR/has.out"; return 1; }
}

# has_not TEXT COMMAND...
has_not() {
	local text=$1
	shift
	"$@" >"$DIR/has.out" || return
	! grep -- "$text" "$DIR/has.out"
}

ready() { curl -sf "$URL/readyz"; }
wait_ready() { expect 'a snapshot' ready; }

# The status of a request with these arguments of curl's.
code() { curl -s -o /dev/null -w '%{http_code}' "$@"; }
is_code() { equal "$(code "${@:2}")" "$1"; }

# metric NAME: the value of a sample, NAME as it stands before the value.
metric() { curl -s "$URL/metrics" | awk -v name="$1" '$1 == name { print $2 }'; }

# What process NAME uses.
resident_kib() { awk '/^Rss:/ { print $2 }' "/proc/${PID[$1]}/smaps_rollup"; }
cpu_ms() { awk '{ print int($1 / 1e6) }' "/proc/${PID[$1]}/schedstat"; }

# is_idle NAME: uses less than 20 ms of CPU in a second.
is_idle() {
	local before
	before=$(cpu_ms "$1")
	sleep 1
	test $(($(cpu_ms "$1") - before)) -lt 20
}

# Times and sizes of a build with a sanitizer say nothing.
# Not with grep -q: it ends before nm does, and that is a failure of the pipe.
is_sanitized() { nm "$WEB" 2>/dev/null | grep '__asan_init\|__tsan_init' >/dev/null; }

# Whether the metrics are, to a reader that is stricter than scrapers.
is_valid() {
	curl -s "$URL/metrics" >"$DIR/valid.out"
	"$TOOLS/metrics-lint" "$DIR/valid.out"
}

# What memtally-web has when a scenario begins to hurt it, and is_as_before, that it is back there: descriptors (one may be a
# connection that is being closed), memory within 5 % and 64 KiB, and metrics that are whole.
remember() { FDS_BEFORE=$(descriptors web) KIB_BEFORE=$(resident_kib web); }
is_as_before() {
	local fds kib
	fds=$(descriptors web) kib=$(resident_kib web)
	[ "$fds" -le $((FDS_BEFORE + 1)) ] || { echo "$fds descriptors, and $FDS_BEFORE before"; return 1; }
	is_sanitized || [ "$kib" -le $((KIB_BEFORE + KIB_BEFORE / 20 + 64)) ] ||
		{ echo "$kib KiB resident, and $KIB_BEFORE before"; return 1; }
	is_valid
}
