# SPDX-License-Identifier: Apache-2.0
# MT_CHECK_FLAGS(VARIABLE, FLAGS): keep those compiler flags that the compiler knows.
AC_DEFUN([MT_CHECK_FLAGS], [
	$1=
	mt_save_CFLAGS="$CFLAGS"
	for mt_flag in $2; do
		AC_MSG_CHECKING([whether $CC knows $mt_flag])
		CFLAGS="$mt_save_CFLAGS -Werror $mt_flag"
		AC_COMPILE_IFELSE([AC_LANG_SOURCE([int main(void) { return 0; }])],
			[AC_MSG_RESULT([yes]); $1="$$1 $mt_flag"], [AC_MSG_RESULT([no])])
	done
	CFLAGS="$mt_save_CFLAGS"
	AC_SUBST([$1])
])

# MT_CHECK_LDFLAGS(VARIABLE, FLAGS): keep those linker flags that the linker knows.
AC_DEFUN([MT_CHECK_LDFLAGS], [
	$1=
	mt_save_LDFLAGS="$LDFLAGS"
	mt_save_CFLAGS="$CFLAGS"
	CFLAGS="$CFLAGS -fPIE"
	for mt_flag in $2; do
		AC_MSG_CHECKING([whether the linker knows $mt_flag])
		LDFLAGS="$mt_save_LDFLAGS $mt_flag"
		AC_LINK_IFELSE([AC_LANG_SOURCE([int main(void) { return 0; }])],
			[AC_MSG_RESULT([yes]); $1="$$1 $mt_flag"], [AC_MSG_RESULT([no])])
	done
	LDFLAGS="$mt_save_LDFLAGS"
	CFLAGS="$mt_save_CFLAGS"
	AC_SUBST([$1])
])
