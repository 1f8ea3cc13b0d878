/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inherited file descriptors. A descriptor that a program got by mistake would be available to an
 * attacker who breaks in.
 */
#ifndef MEMTALLY_CONFINE_INHERITANCE_H
#define MEMTALLY_CONFINE_INHERITANCE_H

/*
 * Closes every descriptor except standard input, output and error and the COUNT ones after them,
 * which the service manager has passed. Call this before anything is opened. Returns 0, or a
 * negative errno if neither close_range() nor /proc/self/fd works.
 */
int inheritance_close(unsigned int count);

/*
 * For a child process: closes every descriptor except standard input, output and error, FD, and
 * OTHER (-1: none). FD and OTHER are above standard error. Returns as inheritance_close().
 */
int inheritance_close_but(int fd, int other);

#endif
