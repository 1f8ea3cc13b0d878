# SPDX-License-Identifier: Apache-2.0
# MT_ARG_SYSTEMD_DIR(VARIABLE, WHAT): where systemd looks for it, as its pkg-config file says under that name or as
# --with-VARIABLE does. Empty: it is not to be installed. HAVE_VARIABLE is a conditional of automake's.
AC_DEFUN([MT_ARG_SYSTEMD_DIR], [
	AC_ARG_WITH([$1], [AS_HELP_STRING([--with-$1=DIR], [where to install $2; by default as systemd.pc says])],
		[], [with_$1=auto])
	AS_CASE([$with_$1],
		[auto], [$1=`$PKG_CONFIG --variable=$1 systemd 2>/dev/null`],
		[yes], [$1=`$PKG_CONFIG --variable=$1 systemd`
			AS_IF([test "x$$1" = x], [AC_MSG_ERROR([systemd.pc does not say where $2 go])])],
		[no], [$1=],
		[$1=$with_$1])
	AC_SUBST([$1])
	AM_CONDITIONAL(AS_TR_CPP([HAVE_$1]), [test "x$$1" != x])
])
