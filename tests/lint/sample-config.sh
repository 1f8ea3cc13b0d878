#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The programs accept the sample configuration: as it is and with every key uncommented, and refuse
# it with an error in it.
set -u
sample=$MEMTALLY_SOURCE/contrib/memtally.yaml
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
status=0
programs=(memtallyd memtally-web memtally)
grep -qx '#define ENABLE_LEDGER 0' "$MEMTALLY_BUILD/config.h" || programs+=(memtally-ledger)
grep -qx '#define ENABLE_RECORDER 0' "$MEMTALLY_BUILD/config.h" || programs+=(memtally-recorder)

# check NAME EXPECTED-STATUS FILE: with EXPECTED-STATUS 0 all programs accept FILE, otherwise all
# refuse it
check() {
	local program got
	for program in "${programs[@]}"; do
		"$MEMTALLY_BUILD/$program" --check-config --config.file="$3"
		got=$?
		if [ $((got != 0)) -ne "$2" ]; then
			echo "$program, $1: exit status $got"
			status=1
		fi
	done
}

check 'the sample' 0 "$sample"
grep -E '^#[a-z]+[.a-z_-]*: ' "$sample" | sed "s/^#//; s,/etc/memtally/web.yml,$folder/web.yml,; s,/etc/process-exporter/all.yaml,$folder/rules.yaml," >"$folder/all.yaml"
# These are also read.
: >"$folder/web.yml"
echo 'process_names: [{comm: [bash]}]' >"$folder/rules.yaml"
[ "$(wc -l <"$folder/all.yaml")" -ge 10 ] || { echo 'too few keys in the sample'; status=1; }
check 'every key' 0 "$folder/all.yaml"
sed 's/^interval: .*/interval: tomorrow/' "$folder/all.yaml" >"$folder/bad.yaml"
check 'a bad value' 1 "$folder/bad.yaml"
exit $status
