# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Background jobs: builds and checks of sources that run at the lowest priority while tests wait. A
# stage waits for its job and counts the result.

jobs_pid=     # the process group that runs the jobs
jobs_are_paused=
jobs_cpu_ms=0 # CPU time of the jobs that stages have waited for
cpu_ms=0      # see read_cpu and read_stages_cpu

# Sets cpu_ms to the CPU time of all child processes that this shell has waited for. $1: a file to
# use.
read_cpu() {
	local user system part
	times >"$1" # a substitution would print the times of a subshell
	{ read -r && read -r user system; } <"$1"
	cpu_ms=0
	for part in "$user" "$system"; do
		[[ $part =~ ^([0-9]+)m([0-9]+)[.,]([0-9]{3})s$ ]] || continue
		cpu_ms=$((cpu_ms + BASH_REMATCH[1] * 60000 + 10#${BASH_REMATCH[2]}${BASH_REMATCH[3]}))
	done
}

# begin_jobs NAME...: runs the functions job_NAME, with "_" for each "-" in NAME, two at a time, so
# that one computes while the other configures or waits for its last compiler. The output of a job
# is in $logs/job-NAME.log. When it has ended, $logs/job-NAME.end has its exit status and its CPU
# time in ms.
begin_jobs() {
	rm -f "$logs"/job-*
	set -m # a process group, which stop_jobs() ends
	run_jobs "$@" </dev/null >"$logs/jobs.log" 2>&1 &
	jobs_pid=$!
	set +m
}

run_jobs() {
	local name
	# Not SCHED_IDLE: beside such jobs a test that needs hardly any CPU took a minute, perhaps
	# because a job waited while it held a lock.
	renice -n 19 -p "$BASHPID"
	chrt -b -p 0 "$BASHPID"
	for name in "$@"; do
		[ "$(jobs -pr | wc -l)" -lt 2 ] || wait -n
		run_job "$name" >"$logs/job-$name.log" 2>&1 &
	done
	wait
}

run_job() {
	local name=$1 before status=0
	read_cpu "$logs/job-$name.times"
	before=$cpu_ms
	"job_${name//-/_}" || status=$?
	read_cpu "$logs/job-$name.times"
	echo "$status $((cpu_ms - before))" >"$logs/job-$name.part"
	mv "$logs/job-$name.part" "$logs/job-$name.end"
}

jobs_are_running() {
	local running
	running=$(jobs -pr)
	[ -z "$jobs_are_paused" ] || return 0
	[ -n "$jobs_pid" ] && [[ $'\n'$running$'\n' == *$'\n'$jobs_pid$'\n'* ]]
}

# await_job NAME [SECONDS]: waits for the end of the job, by default for an hour. Prints the log of
# the job and returns its exit status.
await_job() {
	local name=$1 end=$((SECONDS + ${2:-3600})) status=1 ms=0
	until [ -e "$logs/job-$name.end" ]; do
		if ! jobs_are_running && [ ! -e "$logs/job-$name.end" ]; then
			echo "The background job '$name' did not run."
			break
		fi
		if [ "$SECONDS" -ge "$end" ]; then
			echo "The background job '$name' did not end within ${2:-3600} s."
			stop_jobs
			break
		fi
		sleep 0.2
	done
	cat "$logs/job-$name.log" 2>/dev/null
	[ ! -e "$logs/job-$name.end" ] || read -r status ms <"$logs/job-$name.end"
	jobs_cpu_ms=$((jobs_cpu_ms + ms))
	return "$status"
}

# Sets cpu_ms to the CPU time of all stages so far, including the jobs that they have waited for.
read_stages_cpu() {
	local file ms
	read_cpu "$logs/times"
	# If the jobs have ended, this shell has waited for them: its times include them, even if no
	# stage has needed them yet.
	if [ -n "$jobs_pid" ] && ! jobs_are_running; then
		for file in "$logs"/job-*.end; do
			read -r _ ms <"$file" 2>/dev/null || ms=0
			cpu_ms=$((cpu_ms - ms))
		done
	fi
	cpu_ms=$((cpu_ms + jobs_cpu_ms))
}

# Stops all jobs until resume_jobs, for tests that need an idle host.
pause_jobs() {
	jobs_are_running || return 0
	kill -STOP -- "-$jobs_pid" 2>/dev/null
	jobs_are_paused=1
}

resume_jobs() {
	[ -z "$jobs_are_paused" ] || kill -CONT -- "-$jobs_pid" 2>/dev/null
	jobs_are_paused=
}

# Ends all jobs.
stop_jobs() {
	resume_jobs
	jobs_are_running || return 0
	kill -- "-$jobs_pid" 2>/dev/null
	wait "$jobs_pid" 2>/dev/null
}
