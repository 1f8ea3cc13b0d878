# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The stages of a check. Each counts what it did with count_pass, count_fail and count_skip.

folders=(base confine snapshot collectors inside config render service daemon web ledger cli tests)
sources() { find "${folders[@]}" -name '*.c' | sort; }

# Builds below build-NAME for the stage; counts the build as one.
check_build() {
	local dir=$top/build-$1
	shift
	if build_tree "$dir" --enable-werror "$@"; then
		count_pass
	else
		count_fail 'it does not build'
		tail -n 40 "$dir/quickstart.log"
		return 1
	fi
}

# check_tests DIR [WITHOUT]: make check of all tests but those that match WITHOUT, with the results counted. Scenarios
# wait more than half of their time: two more than there are processors, and those first that wait for a minute, since
# nothing would be beside them at the end. In --long some have tens of thousands of processes, kill and wait for an hour,
# give the host swap, weigh all that it has, or want a processor for each of two: those come behind the others and one at
# a time, since nothing that is to be back within two seconds, or has half a GiB, is beside them.
check_tests() {
	local dir=$1 jobs=$(($(nproc) + 2)) crowds='/(107|112|113|173|301|362|391|451|452|700)-' waiting='/(400|410|451|452)-' all
	find "$dir/tests" -name '*.trs' -delete
	all=$(all_tests "$dir" | grep -vE "${2:-^$}")
	if [ -n "$long" ]; then
		run_tests "$jobs" "$dir" < <(grep -vE "$crowds" <<<"$all")
		run_tests 1 "$dir" < <(grep -E "$crowds" <<<"$all")
	else
		run_tests "$jobs" "$dir" < <(grep -E "$waiting" <<<"$all" && grep -vE "$waiting" <<<"$all")
	fi
	count_tests "$dir"
}

# run_tests JOBS DIR: those of standard input. The limit is for a test that hangs.
run_tests() {
	local limit=900
	[ -z "$long" ] || limit=14400
	limited "$limit" make -C "$2" -j"$1" check "TESTS=$(tr '\n' ' ')" ||
		find "$2/tests" -name '*.trs' -exec grep -qE '^:test-result: (FAIL|ERROR)' {} + ||
		count_fail 'make check ended without running every test'
}

# -g1, here and below: lines for a backtrace, without what a debugger wants and compiler and linker take long for.
stage_build() { check_build check CFLAGS='-O2 -g1'; }

stage_tests() {
	if [ ! -f build-check/Makefile ]; then
		count_skip tests 'the build failed'
		return
	fi
	pkg-config --exists cmocka || count_skip 'unit tests' 'cmocka is not installed and could not be'
	MEMTALLY_LONG=$long check_tests "$top/build-check" # soaks go on for longer where that is set
}

# What is about figures, or at length, is for --long, which runs all: it takes more than half of the time here.
stage_sanitizers() {
	local slow='' figures='/(10[0145678]|11[023]|12[12]|13[01]|150|17[0-4]|203|208|301|362|380|39[01]|45[012]|500|600)-|tests/sim/|tests/herd/'
	check_build asan --enable-sanitizers CFLAGS='-O1 -g1' || return
	[ -z "$long" ] || figures=
	[ -n "$long" ] || slow=1
	MEMTALLY_SLOW=$slow ASAN_OPTIONS=detect_stack_use_after_return=1 \
		UBSAN_OPTIONS=print_stacktrace=1 check_tests "$top/build-asan" "$figures"
}

all_tests() {
	# shellcheck disable=SC2016
	make -s -C "$1" -f Makefile -f - print-tests <<<'print-tests: ; @printf "%s\n" $(TESTS)'
}

# for_each KIND FUNCTION ARG...: calls FUNCTION ITEM ARG... for each line of standard input, as many at a time
# as there are processors, and counts those that failed and those that did not. Each has a log of its own, and a line
# when it ends; the ends of the logs of those that failed come last.
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

# In a shell of its own: a file says that it went well.
run_item() {
	local kind=$1 item=$2 word=FAIL
	shift 2
	if "$1" "$item" "${@:2}" >"$logs/$kind-${item##*/}.log" 2>&1; then
		: >"$logs/$kind-${item##*/}.ok"
		word=PASS
	fi
	printf '%s %s, %d s\n' $word "${item##*/}" $SECONDS
}

# The one thread is memtally-web's, which looks into passwords. Not --enable-werror: instrumented like that, gcc believes
# of some variables that they have no value.
stage_threads() {
	local dir=$top/build-tsan tests=(tests/unit/test-passwords tests/unit/test-server-access)
	if ! pkg-config --exists cmocka; then
		count_skip threads 'cmocka is not installed and could not be'
	elif build_tree "$dir" --enable-thread-sanitizer CFLAGS='-O1 -g1' && make_in "$dir" "${tests[@]}"; then
		for_each threads thread_test "$dir" < <(printf '%s\n' "${tests[@]}")
	else
		count_fail 'it does not build'
	fi
}

thread_test() { timeout --foreground 300 "$2/$1"; }

valgrind=(valgrind -q --error-exitcode=99 --leak-check=full '--errors-for-leak-kinds=definite,indirect')

valgrind_test() { timeout --foreground 900 "${@:2}" "$1"; }

# Beside the sanitizers it finds what is read before it was written, which is too little for the time it takes in each
# check: for --long. What gives up system calls needs a build for valgrind, which makes some of its own.
stage_valgrind() {
	local own=(drill drill-ledger filter ledger limits manager nursery resolver tls web)
	needs valgrind curl || return
	if ! build_tree "$top/build-valgrind" --enable-werror --enable-valgrind CFLAGS='-O2 -g1' ||
		! make_in "$top/build-valgrind" "${own[@]/#/tests/unit/test-}"; then
		count_fail 'it does not build'
		return
	fi
	export MEMTALLY_BUILD=$top/build-check MEMTALLY_SOURCE=$top
	MEMTALLY_SLOW=1 for_each valgrind valgrind_test "${valgrind[@]}" < <(
		unit_tests | grep -vxF "$(printf 'build-check/tests/unit/test-%s\n' "${own[@]}")"
		printf 'build-valgrind/tests/unit/test-%s\n' "${own[@]}"
	)
	valgrind_daemons
}

unit_tests() { find build-check/tests/unit -maxdepth 1 -name 'test-*' -type f -perm -u+x ! -name '*.*' | sort; }

# A few real passes over this machine and a scrape of each kind, both daemons under valgrind.
valgrind_daemons() {
	local dir socket collector web path status
	[ -x build-valgrind/memtallyd ] && [ -x build-valgrind/memtally-web ] || return
	dir=$(mktemp -d)
	chmod 777 "$dir" # neither stays root
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

# New inputs for every parser, for half an hour in all if long; the inputs that are kept are replayed by `make check`.
stage_fuzzing() {
	local seconds=1
	needs clang || return
	check_build fuzz --enable-fuzzing CC=clang CFLAGS='-O1 -g1' || return
	[ -z "$long" ] || seconds=$((1800 * $(nproc) / $(fuzzers | wc -l)))
	for_each fuzz fuzz_target "$seconds" < <(fuzzers)
}

fuzzers() { find build-fuzz/tests/fuzz -maxdepth 1 -name 'fuzz-*' -type f -perm -u+x ! -name '*.*' | sort; }

# What it finds stays below build-fuzz/found, and is where the next run goes on.
fuzz_target() {
	local target=$1 seconds=$2 name=${1##*/fuzz-} found
	found=build-fuzz/found/$name
	mkdir -p "$found"
	timeout --foreground $((seconds + 60)) "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
		-print_final_stats=1 -artifact_prefix="$found-" "$found" "tests/fuzz/corpus/$name"
}

# One count for a tool that says by its exit status whether it found nothing.
judge() {
	if "$@"; then
		count_pass
	else
		count_fail "$1 has findings"
	fi
}

compiler_flags() {
	printf '%s\n' -std=gnu11 -D_GNU_SOURCE -DHAVE_CONFIG_H -I. -Ibuild-check
	pkg-config --cflags yaml-0.1 libsystemd libmicrohttpd gnutls libxcrypt jansson zlib smartcols libseccomp libelf | tr ' ' '\n'
}

# What reads the sources alone begins before the sanitizers, whose tests leave a third of the processors' time, and takes
# what is left; its stages wait for it.
begin_reading() {
	local flags some=() briefly=()
	[ -f build-check/config.h ] || return 0
	mapfile -t flags < <(compiler_flags | sed '/^$/d')
	# The static analyzer is nearly all of what clang-tidy costs: over the tests, and along every path of the programs, it
	# is for --long. With 40,000 nodes a function it takes a quarter of the time. All other checks are for every file.
	[ -n "$long" ] || some=('--checks=-clang-analyzer-*') briefly=(-Xclang -analyzer-config -Xclang max-nodes=40000)
	rm -f "$logs"/clang-tidy-* "$logs"/read-*
	(
		chrt -i -p 0 "$BASHPID"
		read_with cppcheck run_cppcheck
		read_with shellcheck run_shellcheck
		command -v clang-tidy >/dev/null || exit
		clang_tidy tests '^tests/' "${some[@]}" -- "${flags[@]}"
		clang_tidy programs '^[^t]' -- "${flags[@]}" "${briefly[@]}"
	) >/dev/null 2>&1 </dev/null &
	reading=$!
}

await_reading() {
	[ -n "$reading$has_read" ] || begin_reading
	[ -z "$reading" ] || wait "$reading"
	reading= has_read=1
}

# read_with TOOL FUNCTION: a file says that there was nothing to be found.
read_with() {
	command -v "$1" >/dev/null && "$2" >"$logs/read-$1" 2>&1 && : >"$logs/read-$1.ok"
}

# One count for what TOOL has found.
judge_reading() {
	await_reading
	cat "$logs/read-$1"
	if [ -e "$logs/read-$1.ok" ]; then
		count_pass
	else
		count_fail "$1 has findings"
	fi
}

# clang_tidy NAME WHICH ARG...: of the sources those that match. A file says that there was nothing to be found.
clang_tidy() {
	sources | grep "$2" | xargs -P "$(nproc)" -I '{}' clang-tidy --quiet '{}' "${@:3}" >"$logs/clang-tidy-$1" 2>&1 &&
		: >"$logs/clang-tidy-$1.ok"
}

stage_clang_tidy() {
	local name
	needs clang-tidy || return
	await_reading
	for name in tests programs; do
		grep -vE '^[0-9]+ warnings? generated' "$logs/clang-tidy-$name"
		if [ -e "$logs/clang-tidy-$name.ok" ]; then
			count_pass
		else
			count_fail "clang-tidy has findings in $name"
		fi
	done
}

stage_cppcheck() {
	needs cppcheck || return
	judge_reading cppcheck
}

# It knows neither the cleanup attribute nor __VA_OPT__ nor, in some places, compound literals.
run_cppcheck() {
	cppcheck -q -j "$(nproc)" --error-exitcode=1 --enable=warning,performance,portability --inline-suppr \
		--std=c11 --suppress=missingInclude --suppress=memleak --suppress=internalAstError \
		--suppress=syntaxError --suppress=unknownEvaluationOrder -DHAVE_CONFIG_H -I. -Ibuild-check "${folders[@]}"
}

# Another version of the formatter would find fault with what this one likes.
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
	judge_reading shellcheck
}

# Files that are sourced are looked at where they are.
run_shellcheck() {
	grep -rlEZ -m1 '^#!.*[/ ](ba)?sh$' quickstart .ci tests |
		xargs -0 -P "$(nproc)" -n 8 shellcheck --severity=warning --external-sources &&
		shellcheck --severity=warning --external-sources --check-sourced quickstart
}

stage_man_pages() {
	local page
	needs mandoc || return
	for page in build-check/docs/*.[158]; do
		judge mandoc -T lint -W warning "$page"
	done
}

stage_distcheck() {
	if [ ! -f build-check/Makefile ]; then
		count_skip distcheck 'the build failed'
		return
	fi
	judge make_distcheck
}

# The scenarios have run twice by then: a few show that the tarball brings what they need, not optimized, since that
# takes half of the time. --long runs all.
make_distcheck() {
	local few=() limit=3600 scenarios='tests/integration/100-herds tests/integration/201-json tests/integration/310-refusals'
	if [ -z "$long" ]; then
		few=("TESTS=tests/fixtures/test-fixtures tests/unit/test-memtally tests/unit/test-view $scenarios")
		limit=900
	fi
	limited "$limit" make -C build-check -j"$(nproc)" distcheck DISTCHECK_CONFIGURE_FLAGS=CFLAGS=-O0 "${few[@]}" &&
		tarball_is_whole
}

# Not every file that the tarball lacks is missed by the tests that run from it.
tarball_is_whole() {
	local tarball missing
	[ -e .git ] || return 0
	tarball=$(find build-check -maxdepth 1 -name 'memtally-*.tar.xz') || return
	missing=$(comm -23 <(git ls-files | grep -v '^\.gitignore$' | sort) <(tar -tf "$tarball" | sed 's,^[^/]*/,,' | sort))
	[ -z "$missing" ] || printf 'not in the tarball:\n%s\n' "$missing"
	[ -z "$missing" ]
}
