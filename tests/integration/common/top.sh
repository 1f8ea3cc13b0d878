# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034
# memtally top in a terminal of tmux. Source this file after lib.sh.
command -v tmux >/dev/null || skip 'tmux is not installed'
command -v "$PYTHON" >/dev/null || skip 'python3 is not installed'

# tmux, with a server for each terminal, which ends with the terminal or with the scenario.
TERMINALS=0
in_tmux() { LC_ALL=C.UTF-8 TERM=xterm-256color tmux -u -S "$DIR/tmux.$TERMINALS" -f /dev/null "$@"; }
close_terminal() { [ "$TERMINALS" -eq 0 ] || in_tmux kill-server 2>/dev/null || true; }
undo() { close_terminal; }

# The pane's program: memtally top with arguments "$@" of env, between two looks at the terminal. It is
# a shell with jobs, since a program can be stopped only below one. Unlike an interactive one, bash hands
# down that it ignores SIGTTIN and SIGTTOU. A stopped job goes on when there is a file "go".
cat >"$DIR/pane" <<'END'
#!/usr/bin/env bash
cd "$1" && shift
set -m
trap : INT
settings() { stty -a | sed 's/rows [0-9]*; columns [0-9]*;//'; }
settings >stty.before
printf 'line above\n'
sh -c 'echo $$ >top.pid.new; mv top.pid.new top.pid; exec env --default-signal=TTIN,TTOU "$@"' - "$@" 2>top.err
status=$?
while [ -n "$(jobs -s)" ]; do
	settings >stty.stopped.new
	mv stty.stopped.new stty.stopped
	until [ -e go ]; do sleep 0.05; done
	fg >/dev/null # with an error output of its own, bash would not give it the terminal
	status=$?
done
echo "$status" >top.status.new
settings >stty.after
printf 'line below\n'
mv top.status.new top.status
exec sleep inf
END
chmod +x "$DIR/pane"

# open_top WIDTH HEIGHT [NAME=VALUE]... [-- [OPTION]...]: starts memtally top, with these variables of
# the environment, in a new terminal. SOCKET: where the snapshots come from. TOP_PID: its pid.
open_top() {
	local width=$1 height=$2 environment=(LC_ALL=C.UTF-8)
	shift 2
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		environment+=("$1")
		shift
	done
	[ $# -eq 0 ] || shift
	rm -f "$DIR/top.pid" "$DIR/top.status"
	close_terminal
	TERMINALS=$((TERMINALS + 1))
	in_tmux new-session -d -x "$width" -y "$height" "$DIR/pane" "$DIR" "${environment[@]}" \
		"$MEMTALLY_BUILD/memtally" top --config.file="$DIR/none.yaml" --snapshot.socket="$SOCKET" "$@"
	wait_for 20 test -s "$DIR/top.pid" || fail 'memtally top does not start'
	TOP_PID=$(cat "$DIR/top.pid")
}

# What the terminal shows.
screen() { in_tmux capture-pane -p; }

shows() { screen | grep -Eq -- "$1"; }
shows_not() { ! shows "$1"; }

# expect_screen PATTERN [WHAT]: waits until a line of the terminal matches the extended regular
# expression PATTERN.
expect_screen() {
	wait_for 30 shows "$1" && return
	screen >&2
	fail "${2:-the terminal} does not show: $1"
}

# expect_gone PATTERN [WHAT]: waits until no line matches.
expect_gone() {
	wait_for 30 shows_not "$1" && return
	screen >&2
	fail "${2:-the terminal} still shows: $1"
}

# press KEY...: types the keys, with the names that tmux has for them.
press() { in_tmux send-keys "$@"; }

# type_text TEXT: types TEXT as it is.
type_text() { in_tmux send-keys -l -- "$1"; }

# press_for PATTERN KEY...: types the keys, and waits until a line matches PATTERN.
press_for() {
	local pattern=$1
	shift
	press "$@"
	expect_screen "$pattern" "after $*, the terminal"
}

resize() { in_tmux resize-window -x "$1" -y "$2"; }

# await_top: waits until memtally top has ended. Its exit status is in STATUS.
await_top() {
	wait_for 20 test -s "$DIR/top.status" || {
		screen >&2
		fail 'memtally top does not end'
	}
	STATUS=$(cat "$DIR/top.status")
}

# The terminal is as it was before memtally top: its settings, its lines, its cursor and its screen.
check_terminal() {
	cmp -s "$DIR/stty.before" "$DIR/stty.after" || {
		diff "$DIR/stty.before" "$DIR/stty.after" >&2
		fail "$1 leaves other settings of the terminal"
	}
	expect_screen '^line below$' "$1: the terminal"
	screen | grep -q '^line above$' || fail "$1 leaves the alternate screen"
	shows_not '^memtally top' || fail "$1 leaves lines on the terminal"
	[ "$(in_tmux display-message -p '#{alternate_on} #{cursor_flag}')" = '0 1' ] ||
		fail "$1 leaves the alternate screen, or no cursor"
}
