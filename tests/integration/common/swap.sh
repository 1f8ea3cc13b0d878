# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Swap for the time of the scenario. Source this file after lib.sh.
swap_device='' zram=''

# Prints the MiB of free swap.
free_swap_mib() { awk '/^SwapFree:/ { print int($2 / 1024) }' /proc/meminfo; }

# add_zram MIB: makes a zram device and sets zram to its number.
add_zram() {
	zram=$(cat /sys/class/zram-control/hot_add 2>/dev/null) || return 1
	echo "$1M" >"/sys/block/zram$zram/disksize" || return 1
	swap_device=$DIR/zram
	mknod "$swap_device" b "$(cut -d: -f1 "/sys/block/zram$zram/dev")" "$(cut -d: -f2 "/sys/block/zram$zram/dev")"
}

# make_swap MIB: makes swap in a zram device, or in a file. Fails if neither is possible.
make_swap() {
	if ! add_zram "$1"; then
		remove_swap
		swap_device=$DIR/swap
		dd if=/dev/zero of="$swap_device" bs=1M count="$1" status=none
		chmod 600 "$swap_device"
	fi
	mkswap -q "$swap_device" 2>/dev/null && swapon "$swap_device" 2>/dev/null && return
	remove_swap
	return 1
}

remove_swap() {
	[ -z "$swap_device" ] || swapoff "$swap_device" 2>/dev/null || true
	swap_device=''
	[ -n "$zram" ] || return 0
	echo 1 >"/sys/block/zram$zram/reset"
	echo "$zram" >/sys/class/zram-control/hot_remove
	zram=''
}
undo() { remove_swap; }
