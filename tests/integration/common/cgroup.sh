# SPDX-License-Identifier: Apache-2.0
# A memory cgroup of the scenario's own. Source this file after lib.sh.
group='' knob=''

# Makes a cgroup with a limit, of version 1 or 2, below our own or below the root. Sets group to its
# folder and knob to the limit's file.
make_group() {
	local mount path above
	while read -r mount path; do
		for above in "$mount$path" "$mount"; do
			mkdir "$above/memtally-test.$RUN" 2>/dev/null || continue
			group=$above/memtally-test.$RUN
			for knob in memory.max memory.limit_in_bytes; do
				[ ! -w "$group/$knob" ] || return 0
			done
			rmdir "$group"
			group=''
		done
	done < <(sed -n 's/^[0-9]*:memory://p; s/^0:://p' /proc/self/cgroup | while read -r path; do
		awk -v path="${path%/}" '$3 == "cgroup2" || ($3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/) { print $2, path }' \
			/proc/mounts
	done)
	return 1
}
remove_group() { [ -z "$group" ] || rmdir "$group"; }

used_kib() {
	local file
	for file in "$group/memory.current" "$group/memory.usage_in_bytes"; do
		[ ! -r "$file" ] || { echo $(($(cat "$file") / 1024)); return; }
	done
}
