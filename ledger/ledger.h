/* SPDX-License-Identifier: Apache-2.0 */
/* memtally-ledger: the command line and the loop. */
#ifndef MEMTALLY_LEDGER_LEDGER_H
#define MEMTALLY_LEDGER_LEDGER_H

/* The program; returns its exit status. */
int ledger_run(int argc, char *argv[]);

#endif
