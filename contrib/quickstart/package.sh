# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Builds Debian packages from a copy of the sources, so that the sources stay clean.

package_packages=(build-essential debhelper dpkg-dev)

# Prints the files of the project, each followed by a null byte: those that git tracks. Without a
# clone, as in the tarball, all files that no build has made.
list_sources() {
	if [ -e .git ] && command -v git >/dev/null; then
		"${builder[@]}" git -c safe.directory="$top" ls-files -z
	else
		find . \( -path './build*' -o -path ./.git -o -path ./autom4te.cache \) -prune -o ! -type d -print0
	fi
}

# copy_sources DIR: copies the files with their uncommitted changes. A tracked file may be deleted.
copy_sources() {
	list_sources | tar -c --ignore-failed-read --null -T - | "${builder[@]}" tar -x -C "$1"
	[ "${PIPESTATUS[*]}" = '0 0 0' ]
}

# Without --check the unit tests and their libraries are left out.
build_packages_in() {
	local options=${DEB_BUILD_OPTIONS:-} profiles=${DEB_BUILD_PROFILES:-}
	[ -n "$with_tests" ] || options+=${options:+ }nocheck profiles+=${profiles:+ }nocheck
	(cd "$1" && "${builder[@]}" env DEB_BUILD_OPTIONS="$options" DEB_BUILD_PROFILES="$profiles" \
		dpkg-buildpackage -b -us -uc)
}

# Installs what building the packages needs, or exits.
ensure_package_packages() {
	local log needed=("${build_packages[@]}" "${package_packages[@]}")
	is_debian || fail 'Debian packages are built on Debian only'
	[ -z "$with_tests" ] || needed+=(libcmocka-dev)
	log=$(mktemp) || fail 'no temporary file'
	install_missing "$log" "${needed[@]}" || fail "missing packages; as root: apt-get install ${needed[*]%%|*}"
	rm -f "$log"
}

do_package() {
	local dir=$top/build-package log=$top/build-package/quickstart.log package
	say "Debian packages, in $(shown "$dir")"
	ensure_package_packages
	find_builder "$dir"
	"${builder[@]}" rm -rf -- "$dir" && "${builder[@]}" mkdir -p "$dir/source" && "${builder[@]}" touch "$log" ||
		fail "cannot write to $dir"
	step copy "$log" copy_sources "$dir/source" || exit 1
	step packages "$log" build_packages_in "$dir/source" || exit 1
	say 'Built:'
	for package in "$dir"/*.deb; do
		say "  $(shown "$package")"
	done
	say "Next: sudo apt install ./$(shown "$dir")/memtally{,-daemon}_*.deb"
}
