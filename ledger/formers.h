/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Owners with a counter who are not in a snapshot any more: who is new in it may be one of them, whose user is called
 * otherwise now. Found by what stays as it is then. Pure.
 */
#ifndef MEMTALLY_LEDGER_FORMERS_H
#define MEMTALLY_LEDGER_FORMERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "ledger/rows.h"

struct formers {
	struct row **row; /* owned; the rows are borrowed */
	size_t count;
};

/* Those of ROWS who are not in the snapshot of that NUMBER. F is empty. -ENOMEM. */
int formers_collect(struct formers *f, const struct rows *rows, uint64_t number);

void formers_done(struct formers *f);
#define AUTO_FORMERS CLEANUP(formers_done)

/*
 * The one that ROW may be, of which the snapshot has a counter that began at CREATED_NS and is at COUNTER byte seconds:
 * of several the one of the same uid, where it is known, or else whose counter is nearest. NULL: ROW is new.
 */
struct row *formers_find(
	const struct formers *f, const struct row *row, uint64_t created_ns, double counter);

#endif
