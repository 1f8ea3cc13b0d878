/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A name service module for glibc ("memtallytest" in nsswitch.conf). It knows users 50001 and
 * 50002.
 */
#include <errno.h>
#include <nss.h>
#include <pwd.h>
#include <stdio.h>

enum nss_status _nss_memtallytest_getpwuid_r(
	uid_t uid, struct passwd *ret, char *text, size_t size, int *error);

enum nss_status _nss_memtallytest_getpwuid_r(
	uid_t uid, struct passwd *ret, char *text, size_t size, int *error)
{
	static char nothing[] = "", root[] = "/";

	if (uid != 50001 && uid != 50002)
		return NSS_STATUS_NOTFOUND;
	if ((size_t)snprintf(text, size, "memtallytest%u", uid) >= size) {
		*error = ERANGE;
		return NSS_STATUS_TRYAGAIN;
	}
	*ret = (struct passwd){.pw_name = text,
		.pw_passwd = nothing,
		.pw_uid = uid,
		.pw_gid = uid,
		.pw_gecos = nothing,
		.pw_dir = root,
		.pw_shell = nothing};
	return NSS_STATUS_SUCCESS;
}
