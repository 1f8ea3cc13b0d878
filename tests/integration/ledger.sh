# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the scenarios with memtally-ledger share. To be sourced after lib.sh.
STATE=$DIR/state
LEDGER_SOCKET=$DIR/ledger.sock
mkdir -p "$STATE"
# If root starts memtally-ledger, it becomes user memtally-ledger. If the host has no such user, it becomes the owner of its
# directory: a uid that no other process has.
if ! read -r LEDGER_UID LEDGER_GID < <(account_of memtally-ledger); then
	LEDGER_UID=$((2000000 + RUN)) LEDGER_GID=$LEDGER_UID
fi

# give_ledger FILE: to the user that memtally-ledger becomes.
give_ledger() { ! is_root || chown "$LEDGER_UID:$LEDGER_GID" "$1"; }
give_ledger "$STATE"

# With its file in $STATE; returns when it takes questions.
start_ledger() {
	start ledger "$MEMTALLY_BUILD/memtally-ledger" --config.file="$DIR/none.yaml" --snapshot.socket="$SOCKET" \
		--ledger.socket="$LEDGER_SOCKET" --ledger.directory="$STATE"
	wait_for 30 has_line ledger 'the ledger is in' || fail "memtally-ledger does not start"
}

# Its own may lie where only root gets.
install -m 755 "$MEMTALLY_BUILD/memtally" "$DIR/memtally"

# usage [FLAG...]: what `memtally usage` prints; what it says besides is in $DIR/usage.log.
usage() {
	"$DIR/memtally" usage --config.file="$DIR/none.yaml" --ledger.socket="$LEDGER_SOCKET" "$@" 2>"$DIR/usage.log"
}

# is_written_since SECOND: whether what was used until then is in the file. Whoever asks has it written, but not within ten
# seconds of the last time, as when five minutes have just passed.
is_written_since() {
	local written
	written=$(usage --json | sed -n 's/.*"written":"\([^"]*\)".*/\1/p')
	[ -n "$written" ] && [ "$(date -d "$written" +%s)" -gt "$1" ]
}

# sum_of FIELD [COLUMN VALUE]: of what `usage --csv` has printed, the sum of FIELD; of rows that have VALUE as COLUMN.
sum_of() {
	awk -F , -v field="$1" -v column="${2:-}" -v value="${3:-}" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		column == "" || $at[column] == value { sum += $at[field] } END { printf "%.0f\n", sum }'
}

# used KIND NAME [FLAG...]: byte seconds of it, of the last day; 0: there is no row.
used() {
	local kind=$1 name=$2
	shift 2
	usage --by="$kind" --csv "$@" | sum_of pss_byte_seconds "$kind" "$name"
}

# covered: seconds of the last day of which PSS is known
covered() { usage --csv | awk -F , 'NR == 2 { print $3 * 86400 }'; }
