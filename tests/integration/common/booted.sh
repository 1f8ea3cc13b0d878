# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A machine with a systemd of its own, in a container that ends with the scenario. Source this file
# after lib.sh. The base file system is the distribution's smallest and is kept between runs. The
# scenario writes to a layer above it, which is removed at its end.

MACHINE=memtally-test-$$
ROOT=$DIR/root # the machine's file system, as seen from the host
INIT=          # pid of its first process, as seen from the host
GROUPS_MADE=() # its cgroups
NETWORK=(--private-network) # options of systemd-nspawn about its network

# Prints the packages of libraries that the programs need, and of an administrator's tools.
machine_packages() {
	local library
	printf '%s\n' systemd systemd-sysv libpam-systemd dbus procps curl python3 util-linux
	ldd "$MEMTALLY_BUILD"/{memtallyd,memtally-web,memtally-ledger,memtally-recorder,memtally} | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' | sort -u |
		while read -r library; do
			dpkg -S "*/$(basename "${library%/*}")/${library##*/}" 2>/dev/null | sed 's/:.*//'
		done
}

# Sets FOLDER to a folder with a file system that has these packages. Creates it if it does not
# exist.
FOLDER=
find_folder() {
	local parts=${MEMTALLY_PARTS:-$MEMTALLY_BUILD/parts} codename mirror packages work
	codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
	mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' |
		awk -v name="$codename" '$2 == name && !found { print $1; found = 1 }')
	[ -n "$mirror" ] || skip "apt-get knows no archive of $codename"
	packages=$(machine_packages | sort -u | paste -sd,)
	FOLDER=$parts/machine-$codename-$(cksum <<<"$packages" | cut -d ' ' -f 1)
	if [ ! -d "$FOLDER" ]; then
		mkdir -p "$parts"
		work=$(mktemp -d "$parts/.machine.XXXXXX")
		if ! timeout 900 debootstrap --variant=minbase --include="$packages" "$codename" "$work/root" "$mirror" \
			>"$DIR/debootstrap.log" 2>&1; then
			rm -rf --one-file-system "$work"
			skip "no file system for a machine: $(tail -n 1 "$DIR/debootstrap.log")"
		fi
		: >"$work/root/etc/machine-id"
		mv -T "$work/root" "$FOLDER" 2>/dev/null || [ -d "$FOLDER" ]
		rm -rf --one-file-system "$work"
	fi
}

needs_machine() {
	local command
	is_root || skip "only root can start a machine"
	for command in systemd-nspawn debootstrap nsenter apt-get dpkg ldd; do
		command -v "$command" >/dev/null || skip "$command is not installed"
	done
}

# Makes a cgroup in each hierarchy that systemd needs: version 2, or 1 with systemd's own and the
# memory controller.
make_groups() {
	local point type options
	while read -r _ point type options _; do
		[[ $type == cgroup2 || ($type == cgroup && $options =~ (name=systemd|memory)) ]] || continue
		mkdir "$point/$MACHINE" || return 1
		GROUPS_MADE+=("$point/$MACHINE")
	done </proc/mounts
	[ ${#GROUPS_MADE[@]} -gt 0 ]
}

# Removes what the machine leaves behind, and kills its remaining processes.
leave_machine() {
	local group pid
	for group in "${GROUPS_MADE[@]}"; do
		while read -r pid; do
			kill -KILL "$pid" 2>/dev/null || true
		done < <(find "$group" -name cgroup.procs -exec cat {} + 2>/dev/null)
	done
	for group in "${GROUPS_MADE[@]}"; do
		wait_for 10 eval "! find '$group' -name cgroup.procs -exec cat {} + | grep -q ." || true
		find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
	done
	rmdir "/run/systemd/nspawn/propagate/$MACHINE" 2>/dev/null || true
	! mountpoint -q "$ROOT" || umount "$ROOT" || umount -l "$ROOT"
}
undo() { leave_machine; }

is_booted() {
	local state
	INIT=$(tr ' ' '\n' <"/proc/${PID[machine]}/task/${PID[machine]}/children" | head -n 1)
	[ -n "$INIT" ] || return 1
	state=$(inside systemctl is-system-running 2>/dev/null) || true
	[ "$state" = running ] || [ "$state" = degraded ]
}

# Mounts the machine's file system at $ROOT.
mount_root() {
	find_folder
	mkdir "$ROOT" "$DIR/upper" "$DIR/work"
	mount -t overlay overlay -o "lowerdir=$FOLDER,upperdir=$DIR/upper,workdir=$DIR/work" "$ROOT" ||
		skip "no overlay can be mounted here"
}

# Installs the build in the machine's file system.
install_build() {
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$MEMTALLY_BUILD" install DESTDIR="$ROOT" >"$DIR/make.log" 2>&1 ||
		fail "make install: $(tail -n 3 "$DIR/make.log")"
}
# Commands of the machine that start what is installed.
# shellcheck disable=SC2034 # for scenarios
START_BUILD='systemd-sysusers && systemd-tmpfiles --create memtally.conf && systemctl daemon-reload &&
	systemctl enable --quiet --now memtally.target'

# Starts the machine and waits until its services run. The source is mounted at /source.
boot() {
	mount_root
	make_groups || skip "no cgroups can be made here"
	# systemd-nspawn's own filter of system calls and capabilities differs from that of a
	# machine.
	# shellcheck disable=SC2016
	start machine bash -c 'for group; do
			[ "$group" != -- ] || break
			echo $$ >"$group/cgroup.procs"
			shift
		done
		shift
		exec env SYSTEMD_SECCOMP=0 "$@"' - "${GROUPS_MADE[@]}" -- \
		systemd-nspawn --boot --directory="$ROOT" --machine="$MACHINE" "${NETWORK[@]}" --register=no --keep-unit \
		--console=pipe --capability=CAP_PERFMON --bind-ro="$MEMTALLY_SOURCE:/source"
	wait_for 60 is_booted || fail "the machine does not boot"
	is_booted
	# The controller of version 1 is mounted read-only, and limits have no effect then.
	if inside mountpoint -q /sys/fs/cgroup/memory; then
		inside mount -o remount,bind,rw /sys/fs/cgroup/memory
		inside systemctl daemon-reexec
	fi
}

# inside COMMAND...: runs COMMAND in the machine with all rights. Services there have the rights of
# their units.
inside() { MEMTALLY_SOURCE=/source nsenter -t "$INIT" -m -p -u -i -n -C -r -w -- "$@"; }

# as_stranger COMMAND...: runs COMMAND in the machine as a user without groups and without a name.
as_stranger() { inside setpriv --reuid=4000 --regid=4000 --clear-groups --no-new-privs -- "$@"; }

# show UNIT PROPERTY: prints a property of a unit.
show() { inside systemctl show --property="$2" --value "$1"; }

# main_pid UNIT: prints the main process of a unit, in the machine's pid namespace.
main_pid() { show "$1" MainPID; }
