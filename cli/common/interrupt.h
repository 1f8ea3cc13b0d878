/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupts: what memtally does at Ctrl-C. */
#ifndef MEMTALLY_CLI_COMMON_INTERRUPT_H
#define MEMTALLY_CLI_COMMON_INTERRUPT_H

/*
 * From now on SIGINT writes the warnings that were held back and ends this process: by the signal or,
 * if STATUS is not 0, with that exit status. Child processes write nothing. Leaves an ignored SIGINT
 * ignored.
 */
void interrupt_hear(int status);

#endif
