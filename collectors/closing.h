/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sums of a pass: every row is added to its user, its program, its unit and the host, and once all are, it
 * is decided which of those, and which processes, have series of their own.
 */
#ifndef MEMTALLY_COLLECTORS_CLOSING_H
#define MEMTALLY_COLLECTORS_CLOSING_H

#include <stddef.h>

struct pass;

/* Adds row I, and what its process has grown by. */
void closing_add(struct pass *pass, size_t i);

/* All rows are added: this is when the pass ends. -ENOMEM: it is lost; what counts over passes holds. */
int closing_end(struct pass *pass);

#endif
