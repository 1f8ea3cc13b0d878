/* SPDX-License-Identifier: Apache-2.0 */
/* The program memtally-ledger: starts, runs the loop, stops. */
#ifndef MEMTALLY_LEDGER_LEDGER_H
#define MEMTALLY_LEDGER_LEDGER_H

/* Runs the program with the command line ARGC, ARGV. Returns its exit status. */
int ledger_run(int argc, char *argv[]);

#endif
