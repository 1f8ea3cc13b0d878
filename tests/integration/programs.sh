# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the scenarios beside other people's programs share: a short run of tests/bench/real-programs, and what is
# asked of its totals. To be sourced after lib.sh.

# watch PROGRAM [FLAG...]: the totals of it, a line of JSON, in $DIR/totals. In a pid namespace of its own, so that what
# it starts ends with it whatever happens.
watch() {
	local program=$1
	shift
	TMPDIR=$DIR start real-programs "$PYTHON" "$MEMTALLY_SOURCE/tests/bench/real-programs" --json --alone --part=totals \
		--program="$program" --proportion=10 "$@"
	await real-programs
	[ "$STATUS" -ne 77 ] || skip "$(sed -n 's/^SKIP: //p' "$DIR/real-programs.log")"
	[ "$STATUS" -eq 0 ] || fail "exit status $STATUS"
	grep '^{"totals"' "$DIR/real-programs.log" >"$DIR/totals" || fail "no totals"
	grep -v '^{' "$DIR/real-programs.log"
}

# judge_totals PROCESSES MIB NAME...: these users and programs are what memtallyd says within 1 % of an exact pass,
# and they are at least so much.
judge_totals() {
	"$PYTHON" - "$DIR/totals" "$@" <<-'END' || fail "the totals are wrong, see above"
		import json, sys
		with open(sys.argv[1], encoding="utf-8") as file:
		    totals = json.load(file)["totals"]
		processes, mib, names = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
		assert totals["looks"] >= 2, totals["looks"]
		assert totals["unmeasured"] == 0 and totals["unknown"] == 0, totals
		for name in names:
		    kind, _, name = name.partition(":")
		    found = [row for row in totals["scopes"] if (row["kind"], row["name"]) == (kind, name)]
		    assert len(found) == 1, f"there are {len(found)} rows of {kind} {name}"
		    assert found[0]["processes"] >= processes, f"{kind} {name} has {found[0]['processes']} processes"
		    assert min(found[0]["truth_bytes"]) >= mib << 20, f"{kind} {name} is too small to tell: {found[0]}"
		    assert found[0]["error_worst"] <= 0.01, f"{kind} {name} is off by {found[0]['errors']}"
	END
}
