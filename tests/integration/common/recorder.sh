# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Common functions of scenarios with memtally-recorder. Source this file after lib.sh.
RECORDING=$DIR/recording
RECORDER_SOCKET=$DIR/recorder.sock
RECORDER=memtally-recorder # the program, in the build directory
mkdir -p "$RECORDING"
export PYTHONPATH=$MEMTALLY_SOURCE/tests/tools/snapshot PYTHONDONTWRITEBYTECODE=1

# If root starts memtally-recorder, it becomes user memtally-recorder. If the host has no such user, it becomes the owner of
# its directory: here that is memtallyd's user, to whom memtallyd shows everything.
choose_recorder() {
	read -r RECORDER_UID RECORDER_GID < <(account_of memtally-recorder) && return
	RECORDER_UID=$(awk '/^Uid:/ { print $2 }' "/proc/${PID[memtallyd]}/status")
	RECORDER_GID=$(awk '/^Gid:/ { print $2 }' "/proc/${PID[memtallyd]}/status")
}

# give_recorder: gives the files to the user that memtally-recorder becomes.
give_recorder() { ! is_root || chown -R "$RECORDER_UID:$RECORDER_GID" "$RECORDING"; }

# start_recorder [OPTION...]: starts memtally-recorder with its files in $RECORDING and waits until it answers.
start_recorder() {
	[ -n "${RECORDER_UID:-}" ] || choose_recorder
	give_recorder
	start recorder "$MEMTALLY_BUILD/$RECORDER" --config.file="$DIR/none.yaml" --snapshot.socket="$SOCKET" \
		--recorder.socket="$RECORDER_SOCKET" --recorder.directory="$RECORDING" "$@"
	wait_for 30 has_line recorder 'the recording is in' || fail "memtally-recorder does not start"
}

# past CODE...: runs CODE, of Python, with a connection p to memtally-recorder.
past() {
	"$PYTHON" -c 'import sys
from past import *
p = Past(sys.argv[1])
'"$1" "$RECORDER_SOCKET" "${@:2}"
}

# recorded: prints the number of recorded snapshots of the last hours, at most 1000.
recorded() { past 'print(p.ask(SERIES, 0, LAST).points)'; }
has_recorded() { [ "$(recorded)" -ge "$1" ]; }
