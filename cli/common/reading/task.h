/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Task
 *
 * Reads from /proc whether a child process that shares memory and descriptors with this one
 * (clone() with CLONE_VM and CLONE_FILES) sleeps in the kernel, and which file its system call is
 * for. See proc_pid_syscall(5).
 */
#ifndef MEMTALLY_CLI_COMMON_READING_TASK_H
#define MEMTALLY_CLI_COMMON_READING_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	TASK_FILE_SIZE = 64,
	TASK_NO_CALL = -1,
};

/* The system call that a task is in. */
struct task_call {
	/* SYS_*; TASK_NO_CALL: it is in no system call but, for example, in a page fault */
	long number;
	uint64_t argument[2];
};

/*
 * Returns the state letter of task PID. 'D': it sleeps in the kernel, and only the end of its wait
 * or SIGKILL ends that. '?': /proc does not tell, or is that of another pid namespace.
 */
char task_state(pid_t pid);

/*
 * Gives in *RET the system call of task PID, which sleeps. Returns 0; -ENOENT if /proc is that of
 * another pid namespace; or another negative errno of reading or parsing the file.
 */
int task_call(pid_t pid, struct task_call *ret);

/*
 * Returns false if task PID, which sleeps, is in no system call but, for example, in a page fault,
 * which may be long and inside malloc(). Returns true also if /proc does not tell.
 */
bool task_is_in_call(pid_t pid);

/*
 * Parses TEXT, LEN bytes of /proc/PID/syscall, into *RET. Returns 0; -EBADMSG if it is invalid or
 * the task is running. Pure.
 */
int task_parse_call(const char *text, size_t len, struct task_call *ret);

/*
 * Writes in TO the last part of the path of the file that CALL of a task is for, or "map_files" for
 * a file in that directory. Empty if CALL is for no file. Arguments of CALL are descriptors and
 * addresses of this process, too.
 */
void task_name_file(const struct task_call *call, char to[static TASK_FILE_SIZE]);

#endif
