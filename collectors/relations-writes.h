/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What processes and their families may have written to of the memory that they share, for relations.c; relations.h has
 * what others may call.
 */
#ifndef MEMTALLY_COLLECTORS_RELATIONS_WRITES_H
#define MEMTALLY_COLLECTORS_RELATIONS_WRITES_H

#include "collectors/relations.h"

/* How much PSS W may have gained by writes, its own and others', whether anybody looked or not. */
uint64_t relations_suspected(const struct watch *w);

#endif
