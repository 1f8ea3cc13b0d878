# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Talking to the person at the terminal, and running a step whose output goes into a file.

say() { printf '%s\n' "$*"; }
warn() { printf '%s\n' "$*" >&2; }

fail() {
	warn "quickstart: $*"
	exit 1
}

is_root() { [ "$EUID" -eq 0 ]; }

# step TITLE LOG COMMAND...: one line for the step; when it fails, the end of its log and where the whole is.
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

# A path as the person would type it: relative to the tree where it lies in it.
shown() {
	local path=$1
	[[ $path == "$top"/* ]] && path=${path#"$top"/}
	printf '%s' "$path"
}
