# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Messages to the user, and running a step with its output in a file.

say() { printf '%s\n' "$*"; }
warn() { printf '%s\n' "$*" >&2; }

fail() {
	warn "quickstart: $*"
	exit 1
}

is_root() { [ "$EUID" -eq 0 ]; }

# step TITLE LOG COMMAND...: prints one line for the step. If it fails, prints the end of its log
# and the log's path.
step() {
	local title=$1 log=$2 begin=$SECONDS
	shift 2
	printf '  %-12s' "$title"
	if "$@" >>"$log" 2>&1 </dev/null; then
		printf 'ok, %d s\n' $((SECONDS - begin))
		return 0
	fi
	printf 'FAILED\n'
	warn "--- the last lines of $log"
	tail -n 25 -- "$log" >&2
	warn "--- all of it: $log"
	return 1
}

# Prints a path as the user would type it: relative to the tree if it is inside.
shown() {
	local path=$1
	[[ $path == "$top"/* ]] && path=${path#"$top"/}
	printf '%s' "$path"
}
