# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Common functions of scenarios with memtally-ledger. Source this file after lib.sh.
STATE=$DIR/state
LEDGER_SOCKET=$DIR/ledger.sock
mkdir -p "$STATE"
# If root starts memtally-ledger, it becomes user memtally-ledger. If the host has no such user, it becomes the owner of its
# directory: a uid that no other process has.
if ! read -r LEDGER_UID LEDGER_GID < <(account_of memtally-ledger); then
	LEDGER_UID=$((2000000 + RUN)) LEDGER_GID=$LEDGER_UID
fi

# give_ledger FILE: gives FILE to the user that memtally-ledger becomes.
give_ledger() { ! is_root || chown "$LEDGER_UID:$LEDGER_GID" "$1"; }
give_ledger "$STATE"

# Starts memtally-ledger with its database in $STATE and waits until it answers requests.
start_ledger() {
	start ledger "$MEMTALLY_BUILD/memtally-ledger" --config.file="$DIR/none.yaml" --snapshot.socket="$SOCKET" \
		--ledger.socket="$LEDGER_SOCKET" --ledger.directory="$STATE"
	wait_for 30 has_line ledger 'the ledger is in' || fail "memtally-ledger does not start"
}

# The original may be in a folder that only root can read.
install -m 755 "$MEMTALLY_BUILD/memtally" "$DIR/memtally"

# usage [OPTION...]: runs `memtally usage`. Its messages are in $DIR/usage.log.
usage() {
	"$DIR/memtally" usage --config.file="$DIR/none.yaml" --ledger.socket="$LEDGER_SOCKET" "$@" 2>"$DIR/usage.log"
}

# is_written_since SECOND: whether memory used until SECOND is in the database. A request makes
# memtally-ledger write, but not within ten seconds after the last time, such as the end of a period
# of five minutes.
is_written_since() {
	local written
	written=$(usage --json | sed -n 's/.*"written":"\([^"]*\)".*/\1/p')
	[ -n "$written" ] && [ "$(date -d "$written" +%s)" -gt "$1" ]
}

# sum_of FIELD [COLUMN VALUE]: sums FIELD over the rows of `usage --csv` on standard input, or over
# those with VALUE in COLUMN.
sum_of() {
	awk -F , -v field="$1" -v column="${2:-}" -v value="${3:-}" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		column == "" || $at[column] == value { sum += $at[field] } END { printf "%.0f\n", sum }'
}

# used KIND NAME [OPTION...]: prints byte seconds of the last day; 0: there is no row.
used() {
	local kind=$1 name=$2
	shift 2
	usage --by="$kind" --csv "$@" | sum_of pss_byte_seconds "$kind" "$name"
}

# covered: prints the seconds of the last day for which PSS is known
covered() { usage --since=24h --csv | awk -F , 'NR == 2 { print $3 * 86400 }'; }
