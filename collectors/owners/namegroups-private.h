/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the sources of namegroups.h: the rules that run on each image (namegroups.c), and the
 * ancestors of processes that no rule matches (namegroups-inherit.c). Only they include it.
 */
#ifndef MEMTALLY_COLLECTORS_OWNERS_NAMEGROUPS_PRIVATE_H
#define MEMTALLY_COLLECTORS_OWNERS_NAMEGROUPS_PRIVATE_H

#include "collectors/owners/namegroups.h"

/*
 * Makes a step of NAMEGROUPS_INHERIT: goes on with the search of N, or begins one for the member at
 * N->at, which it takes. Call it if there is either. Returns 0 or -ENOMEM.
 */
int namegroups_inherit_next(struct namegroups *n);

#endif
