# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Builds a tree outside of the sources.

programs=(memtallyd memtally-web memtally-ledger memtally-recorder memtally)

# Finds the user for a build. Started with sudo, a build still belongs to its owner, so that root's
# files do not block later builds. The array "builder" is put before the commands of the build.
find_builder() {
	local dir=$1 uid
	builder=()
	uid=$(stat -c %u "$top")
	is_root && [ "$uid" -ne 0 ] && command -v setpriv >/dev/null || return 0
	builder=(setpriv --reuid "$uid" --regid "$(stat -c %g "$top")" --clear-groups)
	"${builder[@]}" test -w "$top" && { [ ! -e "$dir" ] || "${builder[@]}" test -w "$dir"; } ||
		builder=()
}

configure_in() {
	local dir=$1
	shift
	(cd "$dir" && "${builder[@]}" "$top/configure" "$@")
}

make_in() {
	local dir=$1
	shift
	"${builder[@]}" make -C "$dir" -j"$(nproc)" "$@"
}

# build_tree TARGET DIR CONFIGURE-ARGUMENT...: fast and silent if nothing has changed.
build_tree() {
	local target=$1 dir=$2 log=$2/quickstart.log
	shift 2
	find_builder "$dir"
	"${builder[@]}" mkdir -p "$dir" && "${builder[@]}" touch "$log" || return 1
	: >"$log"
	if [ ! -x configure ]; then
		step autoreconf "$log" "${builder[@]}" autoreconf -fi || return 1
	fi
	if [ ! -f "$dir/Makefile" ] || [ "$(cat "$dir/quickstart.args" 2>/dev/null)" != "$*" ]; then
		# Not `make clean`: a Makefile that is broken, or that runs configure with the old
		# arguments, would prevent the new one.
		"${builder[@]}" find "$dir" -name '*.[ao]' -delete
		step configure "$log" configure_in "$dir" "$@" || return 1
		# make runs the rule for an outdated config.h each time, and meanwhile begins with
		# the tests that need no program: the slowest tests would come last.
		"${builder[@]}" touch -r "$dir/stamp-h1" "$dir/config.h"
		printf '%s\n' "$*" >"$dir/quickstart.args"
	fi
	step make "$log" make_in "$dir" "$target"
}

# Updates the programs in the build directory, or exits.
ensure_built() {
	local log
	log=$(mktemp) || fail 'no temporary file'
	say "memtally, in $(shown "$builddir")"
	ensure_build_packages "$log" || exit 1
	rm -f "$log"
	build_tree all "$builddir" || exit 1
}

do_build() {
	local program
	ensure_built
	say 'Built:'
	for program in "${programs[@]}"; do
		say "  $(shown "$builddir")/$program"
	done
	say 'Next: ./quickstart run'
}
