/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "base/rights.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NOBODY = 65534 };

int rights_drop(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
	struct __user_cap_data_struct had[_LINUX_CAPABILITY_U32S_3] = {{0}};
	bool had_rights = geteuid() == 0;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	/* Where uid 0 may not change its uid, it has lost the right to; capabilities go all the same. */
	if (geteuid() == 0 &&
		(setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
			setresuid(NOBODY, NOBODY, NOBODY) < 0) &&
		errno != EPERM)
		return -errno;
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 && errno != EINVAL)
		return -errno;
	if (syscall(SYS_capget, &header, had) < 0)
		return -errno;
	for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		had_rights = had_rights || had[i].permitted;
	if (syscall(SYS_capset, &header, none) < 0)
		return -errno;
	/* It guards what it may have inherited; an ordinary user's own has nothing, and is to be measured. */
	if (had_rights && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return -errno;
	return 0;
}
