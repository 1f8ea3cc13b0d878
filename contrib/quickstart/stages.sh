# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The stages of a check. Each counts its results with count_pass, count_fail and count_skip.

# All folders with sources.
mapfile -t folders < <(sed -n 's,^include \([a-z]*\)/Makefile\.inc$,\1,p' Makefile.am)
sources() { find "${folders[@]}" -name '*.c' | sort; }

# In a quick check each test runs once: unit tests and fuzz targets with sanitizers, all others with
# the programs as they are installed. So do these unit tests, since sanitizers change what they measure,
# what the kernel allows, or how long they take. --long runs all tests both ways.
units='^tests/(unit|fuzz)/'
plain_units='^tests/unit/(confine|base/os)/|^tests/unit/.*/test-(drill.*|memory-lock|namegroups-costs|pagesweep|tls|bcrypt)$'

# chosen LIST: prints the tests or programs of the names on standard input that stage LIST, "tests" or
# "sanitizers", uses.
chosen() {
	if [ -n "$long" ]; then
		cat
	elif [ "$1" = tests ]; then
		awk -v units="$units" -v plain="$plain_units" '$0 !~ units || $0 ~ plain'
	else
		awk -v units="$units" -v plain="$plain_units" '$0 ~ units && $0 !~ plain'
	fi
}

# check_build COMMAND...: counts one result for a build.
check_build() {
	"$@" && count_pass && return
	count_fail 'it does not build'
	return 1
}

# check_tests DIR LIST: runs the tests of stage LIST (see chosen), and counts the results.
# Scenarios wait for most of their time: four more run at a time than there are processors.
# Scenarios with a pid namespace of their own come first. Some of them block readers of their
# processes (tests/tools/processes/blocked), which all other tests would notice. The longest come first. In
# --long, scenarios with tens of thousands of processes, with walks of seconds, with swap, with an
# hour of kills, with OOM kills or with loads that fill the machine come last and one at a time.
check_tests() {
	local dir=$1 list=$2 jobs=$(($(nproc) + 4)) later='^$' simulated='^$' all alone
	local longest='/(108|132|173|175|203|370|391|400|410|450|451|452|640|660|670|841)-|/test-(store-(outages|shrinking|size)|manager|workers.*|pass-calls|pass-counters)$'
	# Takes a processor for a quarter of an hour in --long.
	[ -z "$long" ] || simulated='/sim/test-budgets$'
	[ -z "$long" ] || later='/(107|112|113|173|301|362|380|451|510|700|703|704)-'
	find "$dir/tests" -name '*.trs' -delete
	: >"$dir/tests/times"
	all=$(all_tests "$dir" | chosen "$list")
	alone=$(grep -LE '^WITH_HOST=' tests/integration/*/[1-9]* | grep -xF "$all" | grep -vE "$later")
	run_tests "$jobs" "$dir" < <(grep -E "$longest" <<<"$alone"; grep -vE "$longest" <<<"$alone")
	all=$(grep -vxF "$alone" <<<"$all")
	pause_jobs # the others are about the whole host
	longest+="|$simulated"
	run_tests "$jobs" "$dir" < <(grep -vE "$later" <<<"$all" | grep -E "$longest"
		grep -vE "$later|$longest" <<<"$all" | sort -s -t / -k 2,2)
	[ -z "$long" ] || run_tests 1 "$dir" < <(grep -E "$later" <<<"$all")
	resume_jobs
	count_tests "$dir"
	echo 'The slowest tests: seconds, CPU seconds of user and system'
	sort -rn "$dir/tests/times" | head -n 10 | sed 's,[^ ]*/tests/,tests/,'
}

# choose_host yes|no: whether later tests see a host with the users of an installed memtally,
# whatever this host has. Each test passes in both cases: stage "tests" runs without these users,
# stage "sanitizers" with them; in --long these are the same tests.
choose_host() {
	host=()
	is_root || return 0 # the daemons keep the caller's user
	if unshare --mount true 2>/dev/null; then
		host=(tests/tools/with-accounts "$1")
	else
		note_skip 'users memtally, memtally-web and memtally-ledger: no mount namespaces here, so that the host decides if there are any'
	fi
}

# run_tests JOBS DIR: runs the tests on standard input. The limit is for a test that hangs.
run_tests() {
	local limit=900 tests test
	[ -z "$long" ] || limit=14400
	mapfile -t tests < <(grep .)
	[ ${#tests[@]} -gt 0 ] || return 0
	limited "$limit" "${host[@]}" make -C "$2" -j"$1" check "TESTS=${tests[*]}" \
		"check_PROGRAMS=$(test_programs "$2" "$list" | tr '\n' ' ')" \
		LOG_COMPILER="$top/contrib/quickstart/timed.sh $2/tests/times"
	for test in "${tests[@]}"; do
		[ ! -e "$2/$test.trs" ] || continue
		count_fail "make check ended without running every test, such as $test"
		break
	done
}

# Sets linker for programs that nobody installs: lld links in a half to a third of the CPU time of
# GNU ld.
choose_linker() {
	linker=()
	! command -v ld.lld >/dev/null || linker=(LDFLAGS=-fuse-ld=lld)
}

# test_programs DIR LIST: prints the programs that the tests of stage LIST run, beside memtally's own.
test_programs() {
	# shellcheck disable=SC2016
	make -s -C "$1" -f Makefile -f - print-programs <<<'print-programs: ; @printf "%s\n" $(check_PROGRAMS)' | chosen "$2"
}

# build_tests DIR LIST CFLAGS COMMAND...: builds DIR by COMMAND, and then the other programs that tests
# of stage LIST run, with CFLAGS. These are half of all sources, and much of their compilation is
# optimization.
build_tests() {
	local dir=$1 list=$2 flags=$3 linker
	shift 3
	choose_linker
	"$@" && step 'make tests' "$dir/quickstart.log" make_in "$dir" check-programs CFLAGS="$flags" "${linker[@]}" \
		"check_PROGRAMS=$(test_programs "$dir" "$list" | tr '\n' ' ')"
}

# -g1, here and below: lines for a backtrace, without debugging information that takes compiler and
# linker long.
stage_build() {
	check_build build_tests "$top/build-check" tests '-O1 -g1' \
		build_tree fast-programs "$top/build-check" --enable-werror CFLAGS='-O2 -g1'
}

stage_tests() {
	if [ ! -f build-check/Makefile ]; then
		count_skip tests 'the build failed'
		return
	fi
	pkg-config --exists cmocka || count_skip 'unit tests' 'cmocka is not installed and could not be'
	choose_host no
	MEMTALLY_LONG=$long check_tests "$top/build-check" tests # soaks last longer if that is set
}

# Builds without the parts that configure can leave out, and runs its unit tests and lints.
stage_left_out() {
	local dir=$top/build-left-out list=tests
	check_build build_tree check-programs "$dir" --enable-werror --disable-ledger --disable-recorder --disable-inspect ESBUILD= CFLAGS='-O2 -g1' || return
	choose_host no
	find "$dir/tests" -name '*.trs' -delete
	run_tests "$(nproc)" "$dir" < <(all_tests "$dir" | grep -E '^tests/(unit|lint)/')
	count_tests "$dir"
}

# quickly_build TARGET DIR ARG...: as build_tree, for instrumented builds.
quickly_build() {
	local linker
	choose_linker
	build_tree "$@" "${linker[@]}"
}

# Not optimized, instrumented tests compile in three fifths of the time.
job_asan() {
	build_tests "$top/build-asan" sanitizers '-O0 -g1' \
		quickly_build fast-programs "$top/build-asan" --enable-werror --enable-sanitizers CFLAGS='-O1 -g1'
}

stage_sanitizers() {
	local slow=''
	check_build await_job asan || return
	[ -n "$long" ] || slow=1
	choose_host yes
	MEMTALLY_SLOW=$slow ASAN_OPTIONS=detect_stack_use_after_return=1 \
		UBSAN_OPTIONS=print_stacktrace=1 check_tests "$top/build-asan" sanitizers
}

all_tests() {
	# shellcheck disable=SC2016
	make -s -C "$1" -f Makefile -f - print-tests <<<'print-tests: ; @printf "%s\n" $(TESTS)'
}

# for_each KIND FUNCTION ARG...: calls FUNCTION ITEM ARG... for each line of standard input, as many
# at a time as there are processors, and counts passes and failures. Each has a log of its own, and
# a line when it ends; the ends of the logs of failures come last.
for_each() {
	local kind=$1 items item
	shift
	mapfile -t items
	rm -f "$logs/$kind"-*.ok
	export logs
	export -f run_item "${1?}"
	# shellcheck disable=SC2016
	printf '%s\n' "${items[@]}" | xargs -r -P "$(nproc)" -I '{}' bash -c 'run_item "$@"' bash "$kind" '{}' "$@"
	for item in "${items[@]}"; do
		if [ -e "$logs/$kind-${item##*/}.ok" ]; then
			count_pass
		else
			count_fail "$item"
			tail -n 30 "$logs/$kind-${item##*/}.log"
		fi
	done
}

# Runs in a shell of its own: a file marks success.
run_item() {
	local kind=$1 item=$2 word=FAIL
	shift 2
	if "$1" "$item" "${@:2}" >"$logs/$kind-${item##*/}.log" 2>&1; then
		: >"$logs/$kind-${item##*/}.ok"
		word=PASS
	fi
	printf '%s %s, %d s\n' $word "${item##*/}" $SECONDS
}

# Not --enable-werror: with this instrumentation gcc reports some variables as uninitialized.
job_tsan() { quickly_build thread-tests "$top/build-tsan" --enable-thread-sanitizer CFLAGS='-O1 -g1'; }

# Threads are those of memtally-web, which checks passwords, and of memtally-recorder, which synchronizes files.
stage_threads() {
	if ! pkg-config --exists cmocka; then
		count_skip threads 'cmocka is not installed and could not be'
	elif await_job tsan; then
		for_each threads thread_test < <(unit_tests build-tsan)
	else
		count_fail 'it does not build'
	fi
}

thread_test() { timeout --foreground 300 "$1"; }

valgrind=(valgrind -q --error-exitcode=99 --leak-check=full '--errors-for-leak-kinds=definite,indirect')

valgrind_test() { timeout --foreground 900 "${@:2}" "$1"; }

# Compared with the sanitizers valgrind also finds uninitialized reads, which is too little for its
# time in each check: only in --long. Programs that give up system calls need a build for valgrind,
# which makes some calls of its own.
stage_valgrind() {
	local own=(
		tests/unit/confine/test-drill tests/unit/confine/test-filter tests/unit/confine/test-limits
		tests/unit/daemon/test-manager tests/unit/daemon/children/test-fork-server tests/unit/daemon/children/test-resolver
		tests/unit/ledger/test-drill-ledger tests/unit/ledger/test-ledger tests/unit/recorder/test-drill-recorder
		tests/unit/web/test-web tests/unit/web/net/test-tls
	)
	needs valgrind curl || return
	if ! build_tree all "$top/build-valgrind" --enable-werror --enable-valgrind CFLAGS='-O2 -g1' ||
		! make_in "$top/build-valgrind" "${own[@]}"; then
		count_fail 'it does not build'
		return
	fi
	export MEMTALLY_BUILD=$top/build-check MEMTALLY_SOURCE=$top
	MEMTALLY_VALGRIND=1 MEMTALLY_SLOW=1 for_each valgrind valgrind_test "${valgrind[@]}" < <(
		unit_tests build-check | grep -vxF "$(printf 'build-check/%s\n' "${own[@]}")"
		printf 'build-valgrind/%s\n' "${own[@]}"
	)
	valgrind_daemons
}

# unit_tests DIR: prints the unit tests of a build.
unit_tests() { find "$1/tests/unit" -name 'test-*' -type f -perm -u+x ! -name '*.*' | sort; }

# A few real passes over this machine and a scrape of each kind, with both daemons under valgrind.
valgrind_daemons() {
	local dir socket collector web path status
	[ -x build-valgrind/memtallyd ] && [ -x build-valgrind/memtally-web ] || return
	dir=$(mktemp -d)
	chmod 777 "$dir" # neither daemon stays root
	socket=(--config.file=/dev/null --snapshot.socket="$dir/snapshot.sock")
	"${valgrind[@]}" build-valgrind/memtallyd "${socket[@]}" --interval=1s & collector=$!
	"${valgrind[@]}" build-valgrind/memtally-web "${socket[@]}" --web.listen-address="unix:$dir/web.sock" & web=$!
	for ((i = 0; i < 300; i++)); do
		curl -sf --unix-socket "$dir/web.sock" http://localhost/readyz >/dev/null && break
		sleep 0.2
	done
	for path in metrics api/v1/users 'api/v1/programs?sort=rss_bytes&limit=5' api/v1/host api/v1/status ''; do
		if curl -sf --compressed --unix-socket "$dir/web.sock" "http://localhost/$path" >/dev/null; then
			count_pass
		else
			count_fail "GET /$path under valgrind"
		fi
	done
	kill -TERM "$web" "$collector"
	for daemon in "memtally-web $web" "memtallyd $collector"; do
		if wait "${daemon#* }"; then
			count_pass
		else
			status=$?
			count_fail "${daemon% *} under valgrind: exit status $status"
		fi
	done
	rm -rf "$dir"
}

job_fuzz() {
	quickly_build fuzzers "$top/build-fuzz" --enable-werror --enable-fuzzing CC=clang CFLAGS='-O1 -g1'
}

# Fuzzes every parser with new inputs, for half an hour in all: only in --long. `make check` replays
# the stored inputs.
stage_fuzzing() {
	needs clang || return
	check_build await_job fuzz || return
	for_each fuzz fuzz_target $((1800 * $(nproc) / $(fuzzers | wc -l))) < <(fuzzers)
}

fuzzers() { find build-fuzz/tests/fuzz -name 'fuzz-*' -type f -perm -u+x ! -name '*.*' | sort; }

# Findings stay below build-fuzz/found, where the next run continues.
fuzz_target() {
	local target=$1 seconds=$2 name=${1##*/fuzz-} found
	found=build-fuzz/found/$name
	mkdir -p "$found"
	timeout --foreground $((seconds + 60)) "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
		-print_final_stats=1 -artifact_prefix="$found-" "$found" "tests/fuzz/corpus/$name"
}

# Counts one result for a tool whose exit status shows whether it has findings.
judge() {
	if "$@"; then
		count_pass
	else
		count_fail "$1 has findings"
	fi
}

compiler_flags() {
	printf '%s\n' -std=gnu11 -D_GNU_SOURCE -DHAVE_CONFIG_H -I. -Ibuild-check
	pkg-config --cflags "${build_modules[@]}" | tr ' ' '\n'
}

# Counts one result for TOOL, a background job.
judge_job() {
	if await_job "$1"; then
		count_pass
	else
		count_fail "$1 has findings"
	fi
}

# clang_tidy WHICH FILES FLAG...: checks the sources with names that match WHICH, FILES of them in
# each process.
clang_tidy() {
	local which=$1 files=$2
	shift 2
	# shellcheck disable=SC2016
	sources | grep "$which" | xargs -P "$(nproc)" -n "$files" sh -fc 'exec clang-tidy --quiet "$@" $0' "$*" 2>&1 |
		grep -vE '^[0-9]+ warnings? generated'
	return "${PIPESTATUS[2]}"
}

# The static analyzer is nearly all of clang-tidy's cost. For tests, and for all paths of the
# programs, it runs in --long only. With 10,000 nodes a function it takes an eighth of the time. All
# other checks run for every file. Without the analyzer, one process for 12 files takes four fifths
# of the CPU time of 12; with it, clang-tidy 14 needs a process for each file: otherwise it reports
# the va_list of the second one as uninitialized.
job_clang_tidy_tests() {
	local flags files=1 some=()
	mapfile -t flags < <(compiler_flags | sed '/^$/d')
	# Tests make a process sleep as a blocked read does by vfork() and a child that goes on.
	some=('--checks=-clang-analyzer-security.insecureAPI.vfork,-clang-analyzer-unix.Vfork')
	[ -n "$long" ] || files=12 some=('--checks=-clang-analyzer-*')
	clang_tidy '^tests/' "$files" "${some[@]}" -- "${flags[@]}"
}

job_clang_tidy_programs() {
	local flags briefly=()
	mapfile -t flags < <(compiler_flags | sed '/^$/d')
	[ -n "$long" ] || briefly=(-Xclang -analyzer-config -Xclang max-nodes=10000)
	clang_tidy '^[^t]' 1 -- "${flags[@]}" "${briefly[@]}"
}

stage_clang_tidy() {
	needs clang-tidy || return
	judge_job clang-tidy-tests
	judge_job clang-tidy-programs
}

stage_cppcheck() {
	needs cppcheck || return
	judge_job cppcheck
}

# cppcheck supports neither the cleanup attribute nor __VA_OPT__ nor, in some places, compound
# literals.
job_cppcheck() {
	cppcheck -q -j "$(nproc)" --error-exitcode=1 --enable=warning,performance,portability --inline-suppr \
		--std=c11 --suppress=missingInclude --suppress=memleak --suppress=internalAstError \
		--suppress=syntaxError --suppress=unknownEvaluationOrder -DHAVE_CONFIG_H -I. -Ibuild-check "${folders[@]}"
}

# Another version of the formatter would report layouts that this one accepts.
stage_format() {
	needs clang-format || return
	if [[ $(clang-format --version) != *'version 14.'* ]]; then
		count_skip format 'the layout is that of clang-format 14, and here is another version'
		return
	fi
	mapfile -t files < <(find "${folders[@]}" -name '*.[ch]')
	judge clang-format --dry-run -Werror "${files[@]}"
}

stage_shell() {
	needs shellcheck || return
	judge_job shellcheck
}

# Sourced files are checked where they are sourced. Scenarios are read together with lib.sh and the
# like in --long only: that takes four times as long, and is needed only to find variables without a
# value, which also end a scenario, and without a use.
job_shellcheck() {
	local how=--exclude=SC2034,SC2154
	[ -z "$long" ] || how=--external-sources
	grep -rlEZ -m1 '^#!.*[/ ](ba)?sh$' quickstart .ci contrib debian tests |
		xargs -0 -P "$(nproc)" -n 8 shellcheck --severity=warning "$how" &&
		shellcheck --severity=warning --external-sources --check-sourced quickstart debian/restart-accepted
}

stage_man_pages() {
	local page
	needs mandoc || return
	for page in build-check/docs/man/*.[158]; do
		judge mandoc -T lint -W warning "$page"
	done
}

# Makes the tarball. --long unpacks it, builds from it, and runs a few tests, not optimized, since that
# takes half of the time. They wait for the stage, which has the machine for itself. All scenarios have
# run twice by then. In a clone tarball_is_whole() detects a missing source of another test, so only the
# programs of the few tests are built.
job_tarball() {
	local units='tests/unit/cli/test-memtally-snapshot tests/unit/snapshot/test-view'
	local scenarios='tests/integration/figures/100-herds tests/integration/web/201-json tests/integration/life/310-refusals'
	local tools='tests/herd/herd tests/tools/snapshot/publish-sample tests/tools/snapshot/snapshot-header'
	local few=("TESTS=tests/fixtures/test-fixtures $units $scenarios")
	# The tarball is unpacked only once: no need for the best compression.
	export XZ_OPT=-1
	if [ -z "$long" ]; then
		make -C build-check dist-xz && tarball_is_whole
		return
	fi
	rm -f "$logs/tarball.gate"
	[ ! -e .git ] || few+=("check_PROGRAMS=$units $tools")
	make -C build-check -j"$(nproc)" distcheck DISTCHECK_CONFIGURE_FLAGS=CFLAGS=-O0 "${few[@]}" \
		LOG_COMPILER="$top/contrib/quickstart/gate.sh $logs/tarball.gate" && tarball_is_whole
}

stage_tarball() {
	if [ ! -f build-check/Makefile ]; then
		count_skip tarball 'the build failed'
		return
	fi
	: >"$logs/tarball.gate"
	if await_job tarball 900; then
		count_pass
	else
		count_fail 'the tarball cannot be made, is not whole, or does not pass its tests'
	fi
}

# The tests from the tarball do not need every file that may be missing from it.
tarball_is_whole() {
	local tarball missing
	[ -e .git ] || return 0
	tarball=$(find build-check -maxdepth 1 -name 'memtally-*.tar.xz') || return
	missing=$(comm -23 <(git ls-files | grep -v '^\.gitignore$' | sort) <(tar -tf "$tarball" | sed 's,^[^/]*/,,' | sort))
	[ -z "$missing" ] || printf 'not in the tarball:\n%s\n' "$missing"
	[ -z "$missing" ]
}
