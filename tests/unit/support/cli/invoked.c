/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <grp.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/memtally.h"
#include "tests/unit/support/cli/invoked.h"
#include "tests/unit/support/folder.h"

int invoked_enter(void **state)
{
	unsetenv("RUNTIME_DIRECTORY");
	return folder_enter(state);
}

int invoked_leave(void **state)
{
	return folder_leave(state);
}

static void invoked_become(uid_t uid)
{
	if (uid != geteuid() && (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 ||
					setresuid(uid, uid, uid) < 0))
		_exit(98);
	/* As a program that the user executed, so that its workers can read it. */
	prctl(PR_SET_DUMPABLE, 1);
}

struct invocation {
	uid_t uid;
	const char *const *args;
};

static int invoked_call(void *context)
{
	const struct invocation *invocation = context;
	char *argv[INVOKED_ARGS + 5] = {(char *)(uintptr_t) "memtally",
		(char *)(uintptr_t) "--snapshot.socket=" INVOKED_SOCKET,
		(char *)(uintptr_t) "--config.file=/dev/null"};
	int argc = 3;

	for (size_t i = 0; i < INVOKED_ARGS && invocation->args[i]; i++)
		argv[argc++] = (char *)(uintptr_t)invocation->args[i];
	invoked_become(invocation->uid);
	return memtally_run(argc, argv);
}

void invoked_run_into(int output, const char *const args[static INVOKED_ARGS], struct running *ret)
{
	struct invocation invocation = {geteuid(), args};

	running_do(invoked_call, &invocation, output, ret);
}

void invoked_run(const char *const args[static INVOKED_ARGS], struct running *ret)
{
	invoked_run_into(-1, args, ret);
}

void invoked_run_as(uid_t uid, const char *const args[static INVOKED_ARGS], struct running *ret)
{
	struct invocation invocation = {uid, args};

	running_do(invoked_call, &invocation, -1, ret);
}

void invoked_serve(int client, const void *options)
{
	if (sample_send(client, options) < 0)
		_exit(1);
	stand_in_await_end(client);
}

void invoked_run_served_as(uid_t uid, const struct sample_options *options,
	const char *const args[static INVOKED_ARGS], struct running *ret)
{
	struct invocation invocation = {uid, args};
	pid_t server = stand_in_start(INVOKED_SOCKET, invoked_serve, options);

	running_do(invoked_call, &invocation, -1, ret);
	stand_in_end(server, INVOKED_SOCKET);
}

void invoked_run_served(const struct sample_options *options,
	const char *const args[static INVOKED_ARGS], struct running *ret)
{
	invoked_run_served_as(geteuid(), options, args, ret);
}

int __real_clock_gettime(clockid_t clock, struct timespec *ret);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	static struct timespec began;

	if (clock != CLOCK_BOOTTIME)
		return __real_clock_gettime(clock, ret);
	if (!began.tv_sec && __real_clock_gettime(clock, &began) < 0)
		return -1;
	*ret = began;
	ret->tv_sec += 86400;
	return 0;
}

struct sample_options invoked_sample(void)
{
	return (struct sample_options){
		.boottime_ns = clock_now_ns(CLOCK_BOOTTIME) - 3 * NS_PER_SEC,
	};
}

json_t *invoked_load(const struct running *r, const char *list)
{
	json_t *json = json_loads(r->out.data, JSON_REJECT_DUPLICATES, NULL);

	assert_int_equal(r->status, 0);
	assert_non_null(json);
	assert_non_null(json_object_get(json, "snapshot"));
	assert_non_null(json_object_get(json, list));
	return json;
}

bool invoked_has_interval(const json_t *json)
{
	return json_object_get(json_object_get(json, "snapshot"), "interval_seconds") != NULL;
}
