# SPDX-License-Identifier: Apache-2.0
# MT_CHECK_PAGE_SCRIPT: finds esbuild, and the libraries that the script of memtally-web's page is bundled with, below
# NODE_LIBRARIES. Sets have_page_script to yes or no. ESBUILD is empty if any of these is missing.
AC_DEFUN([MT_CHECK_PAGE_SCRIPT], [
	AC_ARG_VAR([ESBUILD], [command esbuild, for the script of the page; empty: no script])
	AC_ARG_VAR([NODE_LIBRARIES], [folder of the libraries of the script (default: /usr/share/nodejs)])
	: ${NODE_LIBRARIES=/usr/share/nodejs}
	AC_SUBST([NODE_LIBRARIES])
	AS_IF([test "x${ESBUILD+set}" != xset], [AC_PATH_PROG([ESBUILD], [esbuild])])
	AC_MSG_CHECKING([for the libraries of the page's script])
	have_page_script=yes
	for mt_library in d3-hierarchy d3-shape d3-path; do
		AS_IF([test -f "$NODE_LIBRARIES/$mt_library/package.json"], [], [have_page_script=no])
	done
	AC_MSG_RESULT([$have_page_script])
	AS_IF([test "x$ESBUILD" = x], [have_page_script=no])
	AS_IF([test "x$have_page_script" = xno], [ESBUILD=])
])
