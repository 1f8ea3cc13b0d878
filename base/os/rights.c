/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order matters. The bounding set can be emptied only with CAP_SETPCAP. A change of uid empties
 * the effective set, while PR_SET_KEEPCAPS saves the permitted one, so the capability sets are set
 * last. A bounding set that cannot be emptied does no harm: with no_new_privs, execve() adds no
 * capabilities.
 */
#include "config.h"

#include "base/os/rights.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NOBODY = 65534, CAPABILITIES_MAX = 64, WORD_BITS = 32 };

static int get_permitted(uint64_t *ret)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct had[_LINUX_CAPABILITY_U32S_3] = {{0}};

	if (syscall(SYS_capget, &header, had) < 0)
		return -errno;
	*ret = had[0].permitted | (uint64_t)had[1].permitted << WORD_BITS;
	return 0;
}

static int set_capabilities(uint64_t set)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};

	for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		data[i].effective = data[i].permitted = (uint32_t)(set >> (i * WORD_BITS));
	return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}

/*
 * Changes groups, gid and uid. Returns 0; RIGHTS_SAME_USER on EPERM (no right to do so) or EINVAL
 * (the user namespace has no such user); else a negative errno.
 */
static int rights_become(uid_t uid, gid_t gid, uid_t master)
{
	if (setgroups(0, NULL) == 0 && setresgid(gid, gid, gid) == 0 &&
		setresuid(uid, uid, master) == 0)
		return 0;
	return errno == EPERM || errno == EINVAL ? RIGHTS_SAME_USER : -errno;
}

static int rights_choose(const int *wanted, size_t count, uint64_t permitted)
{
	for (size_t i = 0; i < count; i++)
		if (permitted >> wanted[i] & 1)
			return wanted[i];
	return RIGHTS_NONE;
}

int rights_keep(const int *wanted, size_t count, uid_t uid, gid_t gid, uid_t master, int *ret_kept)
{
	bool was_root = geteuid() == 0;
	int r, same = 0, kept;
	uint64_t permitted = 0;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	r = get_permitted(&permitted);
	if (r < 0)
		return r;
	kept = rights_choose(wanted, count, permitted);
	for (int i = 0; i < CAPABILITIES_MAX && prctl(PR_CAPBSET_DROP, i, 0, 0, 0) == 0; i++)
		;
	if (was_root && uid != 0) {
		if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0 && errno != EPERM)
			return -errno;
		same = rights_become(uid, gid, master);
		if (same < 0)
			return same;
		(void)prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0);
	}
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 && errno != EINVAL)
		return -errno;
	r = set_capabilities(kept == RIGHTS_NONE ? 0 : UINT64_C(1) << kept);
	if (r < 0)
		return r;
	/*
	 * Not dumpable, to protect descriptors and memory that the process may have inherited. A
	 * process of an ordinary user has inherited nothing privileged and has to stay measurable.
	 * The leak checker of sanitized builds attaches to its own process; these builds are not
	 * for production.
	 */
	if (!SANITIZED && (was_root || permitted) && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return -errno;
	*ret_kept = kept;
	return same;
}

int rights_drop(void)
{
	int kept, r = rights_keep(NULL, 0, NOBODY, NOBODY, NOBODY, &kept);

	return r < 0 ? r : 0;
}
