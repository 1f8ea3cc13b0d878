/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order matters: the bounding set can be emptied only with CAP_SETPCAP, and a change of uid empties the effective set
 * (PR_SET_KEEPCAPS saves the permitted one), so that set is made last. A bounding set that may not be emptied
 * does no harm: with no_new_privs no execve() adds to what there is.
 */
#include "config.h"

#include "base/rights.h"

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

/* EPERM: it has lost the right to; EINVAL: the user namespace has no such user. */
static int become(uid_t uid, gid_t gid, uid_t master)
{
	if (setgroups(0, NULL) == 0 && setresgid(gid, gid, gid) == 0 &&
		setresuid(uid, uid, master) == 0)
		return 0;
	return errno == EPERM || errno == EINVAL ? RIGHTS_SAME_USER : -errno;
}

static int choose(const int *wanted, size_t count, uint64_t permitted)
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
	kept = choose(wanted, count, permitted);
	for (int i = 0; i < CAPABILITIES_MAX && prctl(PR_CAPBSET_DROP, i, 0, 0, 0) == 0; i++)
		;
	if (was_root && uid != 0) {
		if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0 && errno != EPERM)
			return -errno;
		same = become(uid, gid, master);
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
	 * It guards what it may have inherited; an ordinary user's own has nothing, and is to be measured. The leak
	 * checker of sanitized builds attaches to its own process, and nobody runs those for their safety.
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
