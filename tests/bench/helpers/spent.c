/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spent - CPU and memory of a command
 *
 *   spent TURNS COMMAND [ARGUMENT...]
 *
 * Runs the command TURNS times, discards its output, and prints a line for each run: microseconds
 * of CPU, microseconds in user mode, and the peak RSS in KiB. The kernel also counts memory that
 * was resident before exec, so a small program such as this one must start the command.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/number.h"

static long long us_of(const struct timeval *t)
{
	return t->tv_sec * 1000000LL + t->tv_usec;
}

/* Runs in the child. */
static void run(char *const argv[])
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
		_exit(127);
	execvp(argv[0], argv);
	fprintf(stderr, "spent: %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static int spend(char *const argv[])
{
	struct rusage usage;
	int status;
	pid_t pid = fork();

	if (pid == 0)
		run(argv);
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid) {
		fprintf(stderr, "spent: %s\n", strerror(errno));
		return 1;
	}
	if (status != 0) {
		fprintf(stderr, "spent: %s failed\n", argv[0]);
		return 1;
	}
	printf("%lld %lld %ld\n", us_of(&usage.ru_utime) + us_of(&usage.ru_stime),
		us_of(&usage.ru_utime), usage.ru_maxrss);
	return fflush(stdout) == 0 ? 0 : 1;
}

int main(int argc, char *argv[])
{
	uint64_t turns;
	int r = 0;

	if (argc < 3 || number_parse_u64(argv[1], strlen(argv[1]), &turns) < 0) {
		fputs("usage: spent TURNS COMMAND [ARGUMENT...]\n", stderr);
		return 2;
	}
	for (uint64_t i = 0; r == 0 && i < turns; i++)
		r = spend(argv + 2);
	return r;
}
