# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Scenarios about the page in a real Chromium. Source this file after lib.sh and web.sh.

# Skips the rest of the scenario unless there is a Chromium, a page with a script, and this is a long
# check: a browser uses seconds of CPU time.
needs_browser() {
	is_long || skip 'a browser runs in a long check only'
	grep -q '^ESBUILD = .' "$MEMTALLY_BUILD/Makefile" || skip 'this build has a page without a script'
	"$TOOLS/page/install" "$DIR" 2>"$DIR/install.out" || {
		[ $? -eq 77 ] || fail "$(cat "$DIR/install.out")"
		skip "$(sed 's/^SKIP: //' "$DIR/install.out")"
	}
	export HOME=$DIR/home # for the browser's profile
	mkdir -p "$HOME"
}

# write_program NAME: writes the JavaScript program on standard input, with what browse() says, to
# $DIR/NAME.mjs.
write_program() {
	{
		echo "import * as harness from './browser.mjs';"
		echo "import * as access from './access.mjs';"
		echo "const { openPage, closePage, same, holds, until, wish, readTable, human } = harness;"
		echo "const [url, ...given] = process.argv.slice(2);"
		echo "const api = path => harness.api(url, path);"
		echo "await harness.withBrowser(async browser => {"
		cat
		echo "});"
	} >"$DIR/$1.mjs"
}

# browse NAME [ARGUMENT...] <PROGRAM: runs a JavaScript program with the functions of
# tests/tools/page/*.mjs, "browser", "url" (the page) and "given" (the arguments). The program fails
# by throwing.
browse() {
	begin_browse "$@"
	end_browse "$1"
}

# begin_browse NAME [ARGUMENT...] <PROGRAM: the same in the background, until end_browse.
begin_browse() {
	write_program "$1"
	start "$1" timeout 600 node "$DIR/$1.mjs" "$URL/" "${@:2}"
	BROWSING=$1
}

end_browse() {
	await "$1"
	[ "$STATUS" -eq 0 ] || fail "$1 failed, see below"
}

# grant WISH COMMAND...: waits until the program in the background asks for WISH, runs the command,
# and tells the program.
grant() {
	local wish=$1
	shift
	is_wished() { has_line "$BROWSING" "^WISH $wish\$" || ! is_running "$BROWSING"; }
	wait_for 300 is_wished || fail "the program does not get to the wish $wish"
	is_running "$BROWSING" || end_browse "$BROWSING"
	"$@"
	touch "$DIR/granted-$wish"
}
