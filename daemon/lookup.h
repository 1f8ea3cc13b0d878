/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Name lookups in a child process
 *
 * The child asks NSS, which loads the modules of name services, and sends the answers. resolver.h
 * is memtallyd's side.
 */
#ifndef MEMTALLY_DAEMON_LOOKUP_H
#define MEMTALLY_DAEMON_LOOKUP_H

/*
 * Answers each struct resolver_message received at FD (a SOCK_SEQPACKET socket) with one of the
 * same form, in order. Exits with 0 when the other end is closed; with 1 if a message has another
 * size, or on an error of recv() or send().
 */
_Noreturn void lookup_serve(int fd);

#endif
