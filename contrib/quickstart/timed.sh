#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timed.sh FILE COMMAND...: runs COMMAND, and appends a line to FILE: seconds, CPU seconds of user and system, COMMAND.
set -u
file=$1
shift
TIMEFORMAT='%R %U %S'
exec 3>&1 4>&2
said=$({ time "$@" >&3 2>&4 3>&- 4>&-; } 2>&1)
status=$?
times=${said##*$'\n'}
# Passes on the shell's message about the signal that ended COMMAND.
[ "$said" = "$times" ] || printf '%s\n' "${said%$'\n'*}" >&2
echo "${times//,/.} ${*: -1}" >>"$file"
exit $status
