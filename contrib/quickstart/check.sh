# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Runs all stages one after the other, whatever happens, and sums up their results.

passed=0 failed=0 skipped=0
limited=             # the pid of the command that limited() runs
host=()              # command prefix of tests: see choose_host
failures=()          # "stage: name"
skip_order=()        # "name: reason", each once
declare -A skip_of   # the stages that skipped it

count_pass() { passed=$((passed + 1)); }

count_fail() {
	failed=$((failed + 1))
	failures+=("$stage: $1")
}

# count_skip NAME REASON
count_skip() {
	skipped=$((skipped + 1))
	note_skip "$1: $2"
}

# Counts nothing: a part of a test that is counted elsewhere.
note_skip() {
	[ -n "${skip_of[$1]:-}" ] || skip_order+=("$1")
	skip_of[$1]+="${skip_of[$1]:+, }$stage"
}

# needs COMMAND...: whether the commands are installed. Otherwise the stage counts as skipped.
needs() {
	local command
	for command in "$@"; do
		command -v "$command" >/dev/null && continue
		count_skip "$stage" "$command is not installed and could not be"
		return 1
	done
}

# limited SECONDS COMMAND...: for commands that start processes. timeout(1) makes them a process
# group, so that Ctrl-C does not reach them; the trap passes it on.
limited() {
	local status
	timeout --kill-after=20 "$@" &
	limited=$!
	wait "$limited"
	status=$?
	limited=
	return $status
}

stop_check() {
	trap '' INT TERM HUP
	stop_jobs
	if [ -n "$limited" ]; then
		kill "$limited"
		wait "$limited"
	fi
	exit 130
}

# run_stage TITLE FUNCTION: runs FUNCTION, which counts, with its output in a log of the stage's
# own.
run_stage() {
	local begin=$SECONDS before=("$passed" "$failed" "$skipped") word=PASS told='' begin_cpu_ms
	stage=$1
	log=$logs/${1//[^a-z]/-}.log
	: >"$log"
	printf '  %-12s' "$stage"
	read_stages_cpu
	begin_cpu_ms=$cpu_ms
	"$2" >>"$log" 2>&1 </dev/null
	read_stages_cpu
	local did=$((passed - before[0])) broke=$((failed - before[1])) left=$((skipped - before[2]))
	[ $did -eq 0 ] && [ $broke -eq 0 ] && word=SKIP
	[ $broke -eq 0 ] || word=FAIL
	[ $did -eq 0 ] || told+=", $did passed"
	[ $broke -eq 0 ] || told+=", $broke failed"
	[ $left -eq 0 ] || told+=", $left skipped"
	printf '%s  %s, %d s, CPU %d s\n' $word "${told#, }" $((SECONDS - begin)) $(((cpu_ms - begin_cpu_ms + 500) / 1000))
	if [ $broke -ne 0 ]; then
		printf '    %s\n' "${failures[@]: -$broke}"
		warn "--- the last lines of $(shown "$log")"
		tail -n 40 "$log" >&2
		warn '---'
	fi
}

# Counts the results of automake's test harness below a build: results are in .trs, reasons in .log.
# One grep reads all files: several for each of 500 tests would take seconds.
count_tests() {
	local dir=$1 line name result rest
	local -A skips=()
	while IFS= read -r line; do
		name=${line%%.trs::test-result: *} rest=${line#*.trs::test-result: }
		name=${name#"$dir"/} result=${rest%% *} rest=${rest#"$result"}
		case $result in
		PASS | XFAIL) count_pass ;;
		SKIP) skips[$name]=1
			count_skip "$name" "$(skip_reason "$dir/$name.log" "${rest# }")" ;;
		*) count_fail "$name${rest}"
			echo "=== $name: $result$rest"
			grep -m 5 -E '^FAIL: |^\[  FAILED  \]|^ERROR: |ERROR: .*Sanitizer|runtime error:' "$dir/$name.log"
			tail -n 20 "$dir/$name.log" ;;
		esac
	done < <(find "$dir/tests" -name '*.trs' -exec grep -H '^:test-result: ' {} + | sort)
	while IFS= read -r line; do
		name=${line%%.log:SKIP: *}
		[ -e "$name.trs" ] || continue
		name=${name#"$dir"/}
		[ -n "${skips[$name]:-}" ] || note_skip "$name, in part: ${line#*.log:SKIP: }"
	done < <(find "$dir/tests" -name '*.log' -exec grep -H '^SKIP: ' {} + | sort -s -t : -k 1,1)
}

skip_reason() {
	local reason
	reason=$(sed -n 's/^SKIP:* *//p' "$1" | grep -v '(exit status' | tail -n 1)
	printf '%s' "${reason:-${2:-no reason given}}"
}

print_summary() {
	local entry
	say ''
	if [ ${#skip_order[@]} -gt 0 ]; then
		say 'Skipped:'
		for entry in "${skip_order[@]}"; do
			say "  $entry  [${skip_of[$entry]}]"
		done
		say ''
	fi
	if [ ${#failures[@]} -gt 0 ]; then
		say 'Failed:'
		printf '  %s\n' "${failures[@]}"
		say "Logs: $(shown "$logs")"
		say ''
	fi
	say "Took $((SECONDS / 60)) min $((SECONDS % 60)) s, CPU $((cpu_ms / 60000)) min $((cpu_ms / 1000 % 60)) s."
	say "$passed passed, $failed failed, $skipped skipped"
}

# Separately, since not every architecture has each package.
install_long_packages() {
	local package
	for package in "${long_packages[@]}"; do
		install_missing "$packages_log" "$package" || say "  Without $package; what needs it is skipped."
	done
}

do_check() {
	local packages_log background
	# In the order in which stages wait for them.
	background=(asan tsan ${long:+fuzz} clang-tidy-tests clang-tidy-programs cppcheck shellcheck tarball)
	logs=$top/build-check/logs
	find_builder "$top/build-check"
	"${builder[@]}" mkdir -p "$logs" || fail "cannot write to $top"
	export MEMTALLY_PARTS=$top/build-check/parts # downloads of tests, shared by all builds
	say 'Checking memtally; logs are in build-check/logs'
	packages_log=$logs/packages.log
	: >"$packages_log"
	ensure_build_packages "$packages_log" || exit 1
	install_missing "$packages_log" "${check_packages[@]}" ||
		say '  Some tools of the tests are missing; what needs them is skipped.'
	[ -z "$long" ] || install_long_packages
	trap stop_check INT TERM HUP
	run_stage build stage_build
	# Some tests of a long check need an otherwise idle machine.
	[ -n "$long" ] || begin_jobs "${background[@]}"
	run_stage tests stage_tests
	[ -z "$long" ] || run_stage left-out stage_left_out
	[ -z "$long" ] || begin_jobs "${background[@]}"
	run_stage sanitizers stage_sanitizers
	run_stage threads stage_threads
	[ -z "$long" ] || run_stage valgrind stage_valgrind
	[ -z "$long" ] || run_stage fuzzing stage_fuzzing
	run_stage clang-tidy stage_clang_tidy
	run_stage cppcheck stage_cppcheck
	run_stage format stage_format
	run_stage shell stage_shell
	run_stage man-pages stage_man_pages
	run_stage tarball stage_tarball
	stop_jobs
	read_cpu "$logs/times"
	print_summary
	[ "$failed" -eq 0 ]
}
