# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# memtally-recorder and memtally-web on a host with users for both. Source this file after lib.sh and
# web.sh.
has_part recorder || skip 'this build has no recorder'
is_root || skip 'needs root to change users'
unshare -m true 2>/dev/null || skip 'no mount namespaces here, for users of the daemons'
as_nobody test -x "$DIR" || skip "uid 65534 cannot enter the test's directory"

RECORDED=$DIR/recorded
RECORDER_SOCKET=$DIR/recorder.sock
RECORDER_UID=$((2100000 + RUN))
mkdir -p "$RECORDED"
chown "$RECORDER_UID:$RECORDER_UID" "$RECORDED"
{
	grep -v '^memtally' /etc/group
	echo 'memtally:x:47110:'
} >"$DIR/group"
{
	grep -v '^memtally' /etc/passwd
	echo "memtally-web:x:47109:47109::/:/bin/false"
	echo "memtally-recorder:x:$RECORDER_UID:$RECORDER_UID::/:/bin/false"
} >"$DIR/passwd"

# start_as NAME COMMAND...: starts a daemon on a host with these users.
start_as() {
	local name=$1
	shift
	# shellcheck disable=SC2016 # the inner shell expands them
	start "$name" unshare -m bash -c 'mount --bind "$1" /etc/group && mount --bind "$2" /etc/passwd &&
		shift 2 && exec "$@"' - "$DIR/group" "$DIR/passwd" "$@"
}

# record [OPTION...]: starts memtally-recorder and waits until it answers.
record() {
	start_as recorder "$MEMTALLY_BUILD/memtally-recorder" --config.file="$DIR/none.yaml" \
		--snapshot.socket="$SOCKET" --recorder.socket="$RECORDER_SOCKET" --recorder.directory="$RECORDED" "$@"
	expect 'the socket of the recorder' test -S "$RECORDER_SOCKET"
}

# serve_past [OPTION...]: starts memtally-web as user memtally-web, at TCP and at $UNIX.
serve_past() {
	start_as web "$WEB" --config.file="$DIR/none.yaml" --snapshot.socket="$SOCKET" --recorder.socket="$RECORDER_SOCKET" \
		--web.listen-address=127.0.0.1:0 --web.listen-address="unix:$UNIX" "$@"
	expect 'a listening memtally-web' has_line web 'listening on unix'
	PORT=$(sed -n 's/.*listening on 127\.0\.0\.1:\([0-9]*\)$/\1/p' "$DIR/web.log" | head -n 1)
	URL=http://127.0.0.1:$PORT
}
UNIX=$DIR/web.sock

# field NAME: prints the number in field NAME of the JSON on standard input.
field() { sed -n "s/.*\"$1\":\([0-9.]*\).*/\1/p"; }

# is_recorded SECONDS: whether a snapshot of that time or later is recorded.
is_recorded() {
	awk -v last="$(curl -s "$URL/api/v1/coverage" | field last_seconds)" -v want="$1" 'BEGIN { exit !(last >= want) }'
}
