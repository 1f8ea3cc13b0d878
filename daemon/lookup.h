/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the child does that looks names up: it asks NSS, whatever modules that loads, and answers.
 */
#ifndef MEMTALLY_DAEMON_LOOKUP_H
#define MEMTALLY_DAEMON_LOOKUP_H

/*
 * Answers each question that comes at FD with a message of the same form (struct resolver_message), and ends the process
 * with 0 when the other end is closed; with 1 when something else comes, or nothing can be sent.
 */
_Noreturn void lookup_serve(int fd);

#endif
