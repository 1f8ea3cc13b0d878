# SPDX-License-Identifier: Apache-2.0
# MT_KEEP_FLAGS(VARIABLE, FLAGS-VARIABLE, ALSO, FLAGS, MACRO): those of FLAGS with which MACRO, that compiles or links, succeeds in
# FLAGS-VARIABLE, beside ALSO. All at once first: most compilers know all of them, and a compilation for each is half of configure.
AC_DEFUN([MT_KEEP_FLAGS], [
	$1=
	mt_save_$2="$$2"
	AC_MSG_CHECKING([for all of $1])
	$2="$mt_save_$2 $3 $4"
	$5([AC_LANG_SOURCE([int main(void) { return 0; }])],
		[AC_MSG_RESULT([yes]); $1="$4"], [AC_MSG_RESULT([no])])
	AS_IF([test "x$$1" = x], [for mt_flag in $4; do
		AC_MSG_CHECKING([for $mt_flag])
		$2="$mt_save_$2 $3 $mt_flag"
		$5([AC_LANG_SOURCE([int main(void) { return 0; }])],
			[AC_MSG_RESULT([yes]); $1="$$1 $mt_flag"], [AC_MSG_RESULT([no])])
	done])
	$2="$mt_save_$2"
	AC_SUBST([$1])
])

# MT_MAKE_DEPFILES: makes the files for dependencies that are missing. Automake's rule makes them, too, but with three processes
# for each of a thousand: two thirds of the CPU time of configure.
AC_DEFUN([MT_MAKE_DEPFILES], [AC_CONFIG_COMMANDS_PRE([
	mt_known=
	for mt_file in `sed -n 's,.*@am__quote@\(.*\)/.(DEPDIR)/\(.*\)@am__quote@.*,\1/'"$DEPDIR"'/\2,p' "$srcdir/Makefile.in"`
	do
		AS_IF([test "x$AMDEP_TRUE" != x || test -f "$mt_file"], [continue])
		mt_folder=${mt_file%/*}
		AS_CASE(["$mt_known "], [*" $mt_folder "*], [],
			[mt_known="$mt_known $mt_folder"; mkdir -p "$mt_folder"])
		echo '# dummy' >"$mt_file"
	done
])])

# MT_CHECK_FLAGS(VARIABLE, FLAGS): keep those compiler flags that the compiler knows.
AC_DEFUN([MT_CHECK_FLAGS], [MT_KEEP_FLAGS([$1], [CFLAGS], [-Werror], [$2], [AC_COMPILE_IFELSE])])

# MT_CHECK_LDFLAGS(VARIABLE, FLAGS): keep those linker flags that the linker knows.
AC_DEFUN([MT_CHECK_LDFLAGS], [
	mt_own_CFLAGS="$CFLAGS"
	CFLAGS="$CFLAGS -fPIE"
	MT_KEEP_FLAGS([$1], [LDFLAGS], [], [$2], [AC_LINK_IFELSE])
	CFLAGS="$mt_own_CFLAGS"
])
