/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What start-up has read and running does not need: the libraries' constructors (GnuTLS comes with
 * libmicrohttpd and initialises itself, used or not) leave some 2 MiB of program text in the resident set.
 */
#ifndef MEMTALLY_WEB_LEAN_H
#define MEMTALLY_WEB_LEAN_H

/* Unmaps the pages of all program text and constants; those that are used come back by themselves. */
void lean_drop_text(void);

#endif
