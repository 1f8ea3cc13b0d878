# SPDX-License-Identifier: Apache-2.0
# MT_ARG_PART(PART, WHAT): --disable-PART leaves WHAT out of the build. Sets enable_PART to yes or no. ENABLE_PART is a
# conditional of automake's, and 1 or 0 in config.h.
AC_DEFUN([MT_ARG_PART], [
	AC_ARG_ENABLE([$1], [AS_HELP_STRING([--disable-$1], [leave out $2])], [], [enable_$1=yes])
	AS_CASE([$enable_$1], [yes|no], [], [AC_MSG_ERROR([--enable-$1=$enable_$1: expected yes or no])])
	AM_CONDITIONAL(AS_TR_CPP([ENABLE_$1]), [test "x$enable_$1" = xyes])
	mt_part=0
	AS_IF([test "x$enable_$1" = xyes], [mt_part=1])
	AC_DEFINE_UNQUOTED(AS_TR_CPP([ENABLE_$1]), [$mt_part], [0 where configure --disable-$1 leaves the part out, or 1])
])
