# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Packages for the build and the tests, and their installation. Of packages with '|' between them one is
# enough; if there is none, the first is installed.

build_packages=(autoconf automake gcc libc6-dev make pkg-config
	libsystemd-dev libmicrohttpd-dev libgnutls28-dev libcrypt-dev libjansson-dev libyaml-dev zlib1g-dev
	libsmartcols-dev libncurses-dev libseccomp-dev libsqlite3-dev libzstd-dev libelf-dev libpcre2-dev
	'libcurl4-gnutls-dev|libcurl4-openssl-dev|libcurl4-nss-dev' esbuild node-d3-hierarchy node-d3-shape)
check_packages=(libcmocka-dev binutils python3 python3-yaml curl jq smem gzip xz-utils procps systemd
	cppcheck clang clang-format clang-tidy libclang-rt-dev lld mandoc shellcheck zsh fish tmux)
# Tests of the page's script; the host may have Node.js from elsewhere.
command -v node >/dev/null || check_packages+=(nodejs)
# Loads that check --long measures (PostgreSQL's own cluster is not used), tools for the machines
# that it boots or emulates, valgrind for the unit tests, and tools for Debian packages.
long_packages=(postgresql chromium redis-tools gunicorn debootstrap systemd-container qemu-system-x86 valgrind
	build-essential debhelper)
# What drives Chromium, and types of dashboards, come from npm.
command -v npm >/dev/null || long_packages+=(npm)

build_commands=(autoreconf automake cc make pkg-config)
build_modules=('libsystemd >= 247' 'libmicrohttpd >= 0.9.73' 'gnutls >= 3.7.0' 'libxcrypt >= 4.3.0'
	'jansson >= 2.13' 'yaml-0.1 >= 0.2.2' 'zlib >= 1.2.11' 'smartcols >= 2.36' 'ncursesw >= 6.2'
	'libcurl >= 7.74.0' 'libseccomp >= 2.5.0' 'sqlite3 >= 3.34.0' 'libzstd >= 1.4.0' 'libelf >= 0.180' 'libpcre2-8 >= 10.36')

is_debian() { command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; }

# has_one PACKAGE...: whether dpkg reports one of the packages as installed.
has_one() {
	local package
	for package in "$@"; do
		[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] && return
	done
	return 1
}

# Prints the packages that are not installed, one a line.
missing_packages() {
	local package alternatives
	for package in "$@"; do
		IFS='|' read -ra alternatives <<<"$package"
		has_one "${alternatives[@]}" || printf '%s\n' "${alternatives[0]}"
	done
}

# Sets the array "elevate" to a command prefix that runs commands as root. Fails if that is not
# possible.
find_elevation() {
	elevate=()
	is_root && return 0
	command -v sudo >/dev/null || return 1
	elevate=(sudo)
	[ -t 0 ] || elevate=(sudo -n)
	"${elevate[@]}" true 2>/dev/null || { [ -t 0 ] && sudo true; }
}

apt() {
	"${elevate[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@"
}

has_lists() { compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; }

# apt-get's exit status is about the whole system, so this checks the needed packages with dpkg
# afterwards. No package of the user gives way to them.
install_once() {
	has_lists || apt update
	apt install -y --no-install-recommends --no-remove "$@"
	[ -z "$(missing_packages "$@")" ]
}

install() {
	install_once "$@" && return 0
	apt update
	install_once "$@"
}

# install_missing LOG PACKAGE...: installs missing packages and prints what it does. Returns 0 if
# all are installed at the end.
install_missing() {
	local log=$1 missing
	shift
	is_debian || return 1
	mapfile -t missing < <(missing_packages "$@")
	[ ${#missing[@]} -eq 0 ] && return 0
	if ! find_elevation; then
		warn "  Not installed, and there is no root or sudo to install: ${missing[*]}"
		return 1
	fi
	say "  installing   ${missing[*]}"
	step packages "$log" install "${missing[@]}"
}

# Prints commands and libraries that the build needs and that are missing, however they would be
# installed.
missing_for_build() {
	local need
	for need in "${build_commands[@]}"; do
		command -v "$need" >/dev/null || printf '%s\n' "$need"
	done
	command -v pkg-config >/dev/null || return 0
	for need in "${build_modules[@]}"; do
		pkg-config --exists "$need" || printf '%s\n' "${need/ >= / } (pkg-config) or later"
	done
}

# Makes the machine able to build, or prints what is missing and fails.
ensure_build_packages() {
	local log=$1 missing
	install_missing "$log" "${build_packages[@]}" && return 0
	mapfile -t missing < <(missing_for_build)
	[ ${#missing[@]} -eq 0 ] && return 0
	warn 'quickstart: a build needs, and this machine has not:'
	printf '    %s\n' "${missing[@]}" >&2
	if is_debian; then
		warn "As root: apt-get install ${build_packages[*]%%|*}"
	else
		warn "Debian calls the packages: ${build_packages[*]%%|*}"
	fi
	return 1
}
