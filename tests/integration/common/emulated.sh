# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A kernel of the distribution in an emulated machine, for features that this host's kernel lacks.
# The machine has this host's programs, the source and the build, read-only, and nothing else of the
# host; or it boots the systemd of another file system. Source this file after lib.sh. The kernel and busybox are downloaded as packages and
# unpacked, never installed, and kept between runs.

KERNEL='' # the folder with the downloaded files

# Parts of /lib/modules/VERSION/kernel that are needed for a folder of the host, a disk, a layer above
# a folder, and compressed memory.
KERNEL_PARTS=(net/9p fs/9p fs/netfs fs/fscache fs/overlayfs fs/ext4 fs/jbd2 'fs/mbcache.ko*' drivers/virtio
	'drivers/block/virtio_blk.ko*' drivers/block/zram crypto lib mm arch/x86/crypto)

needs_emulation() {
	local command
	[ "$(uname -m)" = x86_64 ] || skip "only a machine of x86-64 is emulated"
	for command in qemu-system-x86_64 apt-get apt-cache dpkg dpkg-deb xz mkfs.ext4; do
		command -v "$command" >/dev/null || skip "$command is not installed"
	done
	[ -L /lib ] || skip "/lib is not in /usr here"
	[ "$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)" -ge 3072 ] || skip "this host lacks the memory"
}

# take_apart FOLDER PACKAGE...: unpacks the kernel's image, its modules and busybox into FOLDER.
take_apart() {
	local folder=$1 part
	shift
	(cd "$folder" && apt-get -q download "$@") >"$DIR/fetch.log" 2>&1 || return 1
	for part in "$folder"/*.deb; do
		# tar fails if a pattern matches nothing, and kernels differ in which parts are
		# modules.
		dpkg-deb --fsys-tarfile "$part" | tar -x -C "$folder" --wildcards './bin/busybox' './usr/bin/busybox' \
			'./boot/vmlinuz-*' './lib/modules/*/modules.*' './usr/lib/modules/*/modules.*' \
			"${KERNEL_PARTS[@]/#/./*lib/modules/*/kernel/}" 2>/dev/null || true
		rm "$part"
	done
	find "$folder" -name '*.ko.xz' -exec unxz {} +
	[ -n "$(find "$folder" -name 'vmlinuz-*')" ] && [ -n "$(find "$folder" -name busybox)" ] &&
		[ -n "$(find "$folder" -name '9p.ko')" ]
}

find_kernel() {
	local parts=${MEMTALLY_PARTS:-$MEMTALLY_BUILD/parts} package work
	package=$(apt-cache depends --important linux-image-amd64 2>/dev/null |
		awk '$1 == "Depends:" && $2 ~ /^linux-image-/ && !found { print $2; found = 1 }')
	[ -n "$package" ] || skip "apt-get knows no kernel"
	KERNEL=$parts/$package-$(cksum <<<"${KERNEL_PARTS[*]}" | cut -d ' ' -f 1)
	[ ! -d "$KERNEL" ] || return 0
	mkdir -p "$parts"
	work=$(mktemp -d "$parts/.kernel.XXXXXX")
	if ! take_apart "$work" "$package" busybox-static; then
		rm -rf "$work"
		skip "no kernel to be emulated: $(tail -n 1 "$DIR/fetch.log")"
	fi
	chmod 755 "$work"
	mv -T "$work" "$KERNEL" 2>/dev/null || [ -d "$KERNEL" ]
	rm -rf "$work"
}

# Prints the first script of the machine: finds devices, mounts the host's programs, and continues
# with them; or mounts the file system with a systemd, which starts the second script as a service.
make_first() {
	cat <<-'END'
		#!/bin/busybox sh
		/bin/busybox mkdir -p /proc /sys /dev /new /sbin /usr/bin /usr/sbin
		/bin/busybox --install -s /bin
		mount -t proc proc /proc && mount -t sysfs sysfs /sys && mount -t devtmpfs devtmpfs /dev
		depmod -a
		for module in virtio_pci virtio_blk 9pnet_virtio 9p crc32c_generic ext4 overlay zram; do
			modprobe $module
		done
		share() { mount -t 9p -o trans=virtio,version=9p2000.L,ro,msize=262144,cache=loose "$1" "$2"; }
		if [ -e /second.service ]; then
			next=/sbin/init
			mkdir /lower /upper
			share machine /lower
			mount -t ext4 /dev/vda /upper && mkdir /upper/top /upper/work
			mount -t overlay -o lowerdir=/lower,upperdir=/upper/top,workdir=/upper/work overlay /new && cd /new
			cp /second.service etc/systemd/system/
		else
			next='/bin/bash /root/second'
			mount -t tmpfs -o mode=755 tmpfs /new && cd /new
			mkdir -p usr etc tmp run var/tmp proc sys dev root home
			for folder in bin sbin lib lib64; do
				ln -s usr/$folder $folder
			done
			cp -a /etc/. etc/
			mount -t ext4 /dev/vda tmp && chmod 1777 tmp var/tmp
		fi
		cp /bin/busybox /second /command root/
		while read -r tag folder; do
			mkdir -p "./$folder"
			share $tag "./$folder"
		done </folders
		mount --move /dev dev && mount --move /proc proc && mount --move /sys sys
		exec switch_root /new $next
	END
}

# Prints the second script: mounts cgroups of the requested version, and runs the command.
make_second() {
	cat <<-'END'
		export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin HOME=/root LANG=C.UTF-8
		mount -t tmpfs tmpfs /run
		mkdir -p /dev/shm /dev/pts
		mount -t tmpfs tmpfs /dev/shm
		mount -t devpts devpts /dev/pts
		ln -sfn /proc/self/fd /dev/fd
		/root/busybox ip link set lo up
		if grep -qw cgroups=1 /proc/cmdline; then
			mount -t tmpfs tmpfs /sys/fs/cgroup
			mkdir /sys/fs/cgroup/memory /sys/fs/cgroup/systemd /sys/fs/cgroup/unified
			mount -t cgroup -o memory memory /sys/fs/cgroup/memory
			mount -t cgroup -o none,name=systemd systemd /sys/fs/cgroup/systemd
			mount -t cgroup2 cgroup2 /sys/fs/cgroup/unified
		else
			mount -t cgroup2 -o nsdelegate cgroup2 /sys/fs/cgroup
		fi
		uname -sr
		cd /tmp
		status=0
		bash /root/command </dev/null || status=$?
		echo $status >/dev/ttyS1
		/root/busybox poweroff -f
	END
}

# Prints the second script of a machine with a systemd, and its unit.
make_second_service() {
	cat <<-'END'
		uname -sr >/dev/ttyS0
		status=0
		bash /root/command </dev/null >/dev/ttyS0 2>&1 || status=$?
		[ $status -eq 0 ] || journalctl --quiet --no-pager --lines=100 >/dev/ttyS0
		echo $status >/dev/ttyS1
		systemctl poweroff --force --force
	END
}
make_unit() {
	printf '%s\n' '[Unit]' After=basic.target '[Service]' Type=exec 'ExecStart=/bin/bash /root/second'
}

# make_initramfs SHARE FOLDER...: makes it with the command that is read from stdin. Each SHARE is mounted
# at its FOLDER; a machine without this host's programs (usr) boots a systemd.
make_initramfs() {
	local busybox file
	busybox=$(find "$KERNEL" -name busybox)
	mkdir -p "$DIR/first/bin" "$DIR/first/etc" "$DIR/first/lib"
	cp "$busybox" "$DIR/first/bin/"
	cp -a "$(find "$KERNEL" -type d -path '*lib/modules')" "$DIR/first/lib/"
	for file in passwd group nsswitch.conf ld.so.cache alternatives; do
		[ ! -e "/etc/$file" ] || cp -a "/etc/$file" "$DIR/first/etc/"
	done
	make_first >"$DIR/first/init"
	if [ "$1" = usr ]; then
		make_second >"$DIR/first/second"
	else
		make_second_service >"$DIR/first/second"
		make_unit >"$DIR/first/second.service"
	fi
	cat >"$DIR/first/command"
	printf '%s %s\n' "$@" >"$DIR/first/folders"
	chmod 755 "$DIR/first/init"
	(cd "$DIR/first" && find . | "$busybox" cpio -o -H newc) >"$DIR/initramfs" 2>"$DIR/cpio.log" || fail "no initramfs"
}

# emulate SECONDS CGROUPS <COMMAND: runs COMMAND as root in bash in a machine with cgroups of
# version CGROUPS, 1 or 2. Its output is in $DIR/console.log, its exit status in STATUS.
emulate() {
	make_initramfs usr usr source "${MEMTALLY_SOURCE#/}" build "${MEMTALLY_BUILD#/}"
	run_machine "$1" "cgroups=$2" "usr,path=/usr" "source,path=$MEMTALLY_SOURCE" "build,path=$MEMTALLY_BUILD"
}

# emulate_booted SECONDS ROOT <COMMAND: the same in a machine that boots the systemd of the file system
# at ROOT, which stays as it is. The source is mounted at /source.
emulate_booted() {
	make_initramfs source source
	run_machine "$1" 'systemd.wants=second.service systemd.mask=serial-getty@ttyS0.service' "machine,path=$2" \
		"source,path=$MEMTALLY_SOURCE"
}

# run_machine SECONDS PARAMETERS SHARE...: PARAMETERS are more of the kernel's.
run_machine() {
	local seconds=$1 parameters=$2 share shares=()
	shift 2
	truncate -s 1G "$DIR/disk"
	mkfs.ext4 -q "$DIR/disk" || fail "no file system for the machine"
	for share; do
		shares+=(-virtfs "local,mount_tag=$share,security_model=none,readonly=on,multidevs=remap")
	done
	start qemu qemu-system-x86_64 -nodefaults -no-user-config -display none -no-reboot -machine q35 -m 1536 -smp 2 \
		-accel tcg -cpu max -kernel "$(find "$KERNEL" -name 'vmlinuz-*')" -initrd "$DIR/initramfs" \
		-append "console=ttyS0 quiet panic=-1 mitigations=off nokaslr $parameters" -serial "file:$DIR/console.log" \
		-serial "file:$DIR/status" -drive "if=virtio,format=raw,file=$DIR/disk,cache=unsafe" "${shares[@]}"
	wait_for "$seconds" eval '! is_running qemu' || fail "the machine does not end within $seconds s"
	await qemu
	[ "$STATUS" -eq 0 ] || fail "qemu ends with status $STATUS"
	STATUS=$(tr -d '\r' <"$DIR/status")
	[ -n "$STATUS" ] || fail "the machine did not run it"
}
