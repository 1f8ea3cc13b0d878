/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/confine/drill.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/log.h"
#include "confine/filter.h"
#include "confine/landlock.h"
#include "tests/unit/support/confine/victims.h"

enum {
	ABI_SCOPE = 6,  /* Landlock ABI that scopes abstract sockets (Linux 6.12) */
	WRONG_MAX = 90, /* as an exit status; greater ones report failures of the drill itself */
};

void drill_needs_root(void)
{
	if (geteuid() != 0 || filter_is_wide())
		skip();
}

void drill_needs_landlock(void)
{
	struct landlock l;

	if (landlock_open(false, &l) == LANDLOCK_UNSUPPORTED)
		skip();
	landlock_close(&l);
	if (l.abi < ABI_SCOPE)
		skip();
}

int drill_run(void (*body)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		log_open("drill", LOG_LEVEL_ERROR);
		body();
		_exit(98);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	victims_end_orphans();
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void drill_attack_and(enum attempts_by who, bool go_on)
{
	unsigned int wrong = attempts_make(who);

	if (wrong || !go_on)
		_exit(wrong > WRONG_MAX ? WRONG_MAX : (int)wrong);
}

void drill_lose_setuid(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};

	data[0].effective = data[0].permitted = 1U << CAP_SYS_PTRACE;
	if (syscall(SYS_capset, &header, data) < 0)
		_exit(97);
	log_open("drill", LOG_LEVEL_ERROR);
}
