/* SPDX-License-Identifier: Apache-2.0 */
/* The program memtally-recorder: starts, runs the loop, stops. */
#ifndef MEMTALLY_RECORDER_RECORDER_H
#define MEMTALLY_RECORDER_RECORDER_H

/* Runs the program with the command line ARGC, ARGV. Returns its exit status. */
int recorder_run(int argc, char *argv[]);

#endif
