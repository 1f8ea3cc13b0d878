/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the sources of process.h: the directory of a process and the entries of the module
 * (process.c), and samples of a process with an open directory (process-sample.c). Only they
 * include it.
 */
#ifndef MEMTALLY_COLLECTORS_PROCESS_PROCESS_PRIVATE_H
#define MEMTALLY_COLLECTORS_PROCESS_PROCESS_PRIVATE_H

#include <stdint.h>

#include "collectors/process/process.h"

struct process_reading;

/*
 * Takes a sample at NOW_NS (CLOCK_MONOTONIC) of the process of G, by G's directory. *RET must be
 * zero but for its outcome. Returns 0 with any outcome, or -ENOMEM.
 */
int process_sample(struct process_reading *g, uint64_t now_ns, struct sample *ret);

/*
 * Fills in RET for a process without a readable status, after ERROR of open() or read() below its
 * directory. A known process stays a member, without quantities. Returns 0, or -ENOMEM if that is
 * the error.
 */
int process_fail(const struct process_reading *g, int error, struct sample *ret);

/*
 * Resets P to the state of a new process, but for its descriptors, .block, .last, .tracked
 * and .activity. Figures of a former image must not appear again: the next sample starts from nothing.
 */
void process_forget(struct process *p);

#endif
