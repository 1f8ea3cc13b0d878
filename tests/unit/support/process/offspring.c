/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/process/offspring.h"

#include <time.h>

#include "base/number.h"

enum { TRIES = 1000, PAUSE_NS = 10 * 1000 * 1000 };

static void rest(void)
{
	nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}

/* Stores the first line of /proc/PID/FILE in TEXT, or "" if it cannot be read. */
static void read_line(pid_t pid, const char *file, char *text, int size)
{
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	f = fopen(path, "re");
	if (!f || !fgets(text, size, f))
		text[0] = 0;
	if (f)
		fclose(f);
}

static unsigned int list(pid_t pid, pid_t *ret_last)
{
	char file[64], text[256];
	const char *at = text;
	unsigned int count = 0;
	uint64_t child;

	snprintf(file, sizeof(file), "task/%d/children", (int)pid);
	read_line(pid, file, text, sizeof(text));
	*ret_last = 0;
	for (int n; (n = number_scan_u64(at, strlen(at), &child)) > 0;
		at += n + (at[n] == ' '), count++)
		*ret_last = (pid_t)child;
	return count;
}

pid_t offspring_last(pid_t pid)
{
	pid_t last;

	list(pid, &last);
	return last;
}

unsigned int offspring_count(pid_t pid)
{
	pid_t last;

	return list(pid, &last);
}

pid_t offspring_wait(pid_t pid, pid_t former)
{
	pid_t last = 0;

	for (int i = 0; i < TRIES; i++) {
		last = offspring_last(pid);
		if (last && last != former)
			return last;
		rest();
	}
	fail_msg("%d has no other child than %d", (int)pid, (int)former);
	return 0;
}

bool offspring_ends(pid_t pid)
{
	for (int i = 0; i < TRIES; i++) {
		char text[256];
		const char *end;

		read_line(pid, "stat", text, sizeof(text));
		end = strrchr(text, ')');
		if (!end || strchr("ZX", end[2]))
			return true;
		rest();
	}
	return false;
}
