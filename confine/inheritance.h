/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program got from whoever started it: descriptors that nobody meant for it would be at hand for whoever breaks in.
 */
#ifndef MEMTALLY_CONFINE_INHERITANCE_H
#define MEMTALLY_CONFINE_INHERITANCE_H

/*
 * Closes every descriptor but standard input, output and error and the COUNT ones behind them, which the service manager
 * has passed. To be called before anything is opened. Errors of the kernel's, where neither close_range() nor /proc/self/fd
 * can be had.
 */
int inheritance_close(unsigned int count);

/*
 * For a child process: closes every descriptor except standard input, output and error, FD, and OTHER (-1: none). FD and
 * OTHER are above standard error. Errors as above.
 */
int inheritance_close_but(int fd, int other);

#endif
