/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "base/os/kcmp.h"

#include <errno.h>
#include <linux/kcmp.h>
#include <sys/syscall.h>
#include <unistd.h>

int kcmp_memory(pid_t a, pid_t b)
{
	long r = syscall(SYS_kcmp, a, b, KCMP_VM, 0UL, 0UL);

	return r < 0 ? -errno : (int)r;
}
