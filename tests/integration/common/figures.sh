# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Common functions of scenarios about measured values: herds, oddities, fixture trees, and
# memtallyd's snapshots of them. Source this file after lib.sh.
TOOLS=$MEMTALLY_SOURCE/tests/tools

# No other process on this machine has these, not even another run of the same scenario.
NAME=h$RUN
FIRST_UID=$((1000000 + RUN * 100))

# How memtallyd measures. What must hold in both modes is tested in a loop of MODE over MODES.
MODES=(adaptive exact)
MODE=adaptive

# truth_check SNAPSHOTS TRUTH...: values must be exact to the byte; users only if herds have users
# of their own. In adaptive mode values may be estimates. For members of herds, which do nothing,
# estimates are exact, too.
truth_check() {
	local flags=()
	is_root || flags+=(--no-users)
	[ "$MODE" = exact ] || flags+=(--estimates)
	"$TOOLS/compare/truth-check" "${flags[@]}" "$@"
}

# fixture_check PERCENT FOUND EXPECTED: in adaptive mode the PSS may be off by PERCENT.
fixture_check() {
	local flags=()
	[ "$MODE" = exact ] || flags+=(--estimates="$1")
	"$TOOLS/compare/fixture-check" "${flags[@]}" "${@:2}"
}

# If a test compares the sum of a user, the user must have no other processes.
needs_users() { is_root || skip "needs root to give processes a user of their own"; }

# await_ready NAME: waits until the program started as NAME has printed READY or SKIP.
await_ready() {
	local i
	for ((i = 0; i < 2400; i++)); do
		! grep -q '^READY' "$DIR/$1.log" || return 0
		! grep -q '^SKIP' "$DIR/$1.log" || skip "$(sed -n 's/^SKIP: //p' "$DIR/$1.log")"
		# Checks once more, since it may have printed that in the meantime.
		is_running "$1" || grep -q -e '^READY' -e '^SKIP' "$DIR/$1.log" || fail "$1 ended before it was ready"
		nap 0.05
	done
	fail "$1 is not ready after two minutes"
}

# start_herd NAME [OPTION...]: starts a herd and writes its truth to $DIR/NAME.json. It may have up to
# 100 users.
start_herd() {
	local name=$1
	shift
	start "$name" "$MEMTALLY_BUILD/tests/herd/herd" --folder="$DIR" --truth="$DIR/$name.json" \
		--first-uid=$FIRST_UID --name=$NAME "$@"
	await_ready "$name"
}

# start_oddities NAME [ARGUMENT...]: starts oddities and writes their description to $DIR/NAME.json.
start_oddities() {
	local name=$1
	shift
	start "$name" "$MEMTALLY_BUILD/tests/herd/oddities" "uid=$FIRST_UID" "$@"
	await_ready "$name"
	sed -n 's/^READY //p' "$DIR/$name.log" >"$DIR/$name.json"
}

# snapshots COUNT >FILE: prints snapshots of passes that begin from now on.
snapshots() { "$TOOLS/snapshot/snapshot-dump" --fresh --count="$1" "$SOCKET"; }

# make_tree NAME [OPTION...]: makes a fixture tree at $DIR/NAME.
make_tree() {
	local name=$1
	shift
	"$MEMTALLY_SOURCE/tests/fixtures/make-fixtures" "$@" "$name" "$DIR/$name"
}

# judge SNAPSHOTS [JSON...] <PROGRAM: runs a Python program with the snapshots, one a line, as
# `found`, and the JSON files as `given`. The program fails by assert.
judge() {
	local program
	program=$(cat)
	python3 -B - "$@" <<-END || fail "wrong values, see above"
		import json, struct, sys
		found = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
		given = [json.load(open(path, encoding="utf-8")) for path in sys.argv[2:]]

		def rows(snapshot, scope="processes", key="pid"):
		    return {row[key]: row for row in snapshot[scope]}

		def same(what, is_, must_be):
		    assert is_ == must_be, f"{what} is {is_!r}, must be {must_be!r}"

		def rollup(pid):
		    """Returns the kernel's values of a process, in bytes."""
		    with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as file:
		        lines = [line.split() for line in file]
		    return {line[0][:-1]: int(line[1]) * 1024 for line in lines if line[-1] == "kB"}

		def same_as_kernel(row):
		    """Compares every value of a process whose memory is constant. It may be measured
		    in this pass or an earlier one."""
		    kernel = rollup(row["pid"])
		    for name, key in (("rss", "Rss"), ("pss", "Pss"), ("pss_anon", "Pss_Anon"), ("pss_file", "Pss_File"),
		                      ("pss_shmem", "Pss_Shmem"), ("private_hugetlb", "Private_Hugetlb"),
		                      ("shared_hugetlb", "Shared_Hugetlb"), ("swap_pss", "SwapPss")):
		        # A walk by slices reads smaps, which does not show the kind of shared
		        # pages.
		        if row["source"] != "rollup" and name.startswith("pss_") and name + "_bytes" not in row:
		            continue
		        same(f"{name} of {row['program']}", row.get(name + "_bytes"), kernel.get(key))
		    same(f"uss of {row['program']}", row["uss_bytes"], kernel["Private_Clean"] + kernel["Private_Dirty"])
		    if row["source"] == "estimate":
		        assert row["pss_low_bytes"] <= kernel["Pss"] <= row["pss_high_bytes"], row
		    else:
		        same(f"pss_low of {row['program']}", row["pss_low_bytes"], kernel["Pss"])

		assert found, "there are no snapshots"
		$program
	END
}
