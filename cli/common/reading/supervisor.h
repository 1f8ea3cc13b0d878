/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Supervisor
 *
 * Lets a view continue when a read of another process's files never returns.
 *
 * The kernel can keep such a read asleep without end (the process is inside exec, or another thread
 * holds its mmap lock), and only SIGKILL ends the sleep. So the view runs in a task of its own,
 * which shares all memory and descriptors with this process. If a read blocks, the supervisor kills
 * the task and starts another one, which continues behind the process that blocked.
 */
#ifndef MEMTALLY_CLI_COMMON_READING_SUPERVISOR_H
#define MEMTALLY_CLI_COMMON_READING_SUPERVISOR_H

#include <sys/types.h>

/*
 * Runs WORK(CONTEXT) under supervision, and returns its result. PROCFS is the path of /proc
 * (borrowed). If a signal ends WORK, the signal ends this process, too. If the kernel refuses
 * another task, WORK runs unsupervised and may block without end. Only one call at a time.
 */
int supervisor_run(const char *procfs, int (*work)(void *context), void *context);

/*
 * For the view that supervisor_run() runs: runs WORK(CONTEXT), which reads files of process PID,
 * and returns its result. Returns TARGET_BLOCKED (inspect/maps/target.h) if a read of PID was
 * blocked, in this call or an earlier one: it slept in the kernel for 0.6 s and used no CPU time.
 * WORK has then stopped in some system call: descriptors and memory that it owned are lost until
 * the program ends. WORK must not call this function. Without supervision it only runs WORK.
 */
int supervisor_try(pid_t pid, int (*work)(void *context), void *context);

/*
 * Logs one warning that names the first three processes that were found to block since the last
 * call (pid, file, duration), and counts the others.
 */
void supervisor_say(void);

#endif
