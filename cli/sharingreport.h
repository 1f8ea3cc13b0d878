/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What comes of a walk: rows, their total and the matrix. Pure.
 */
#ifndef MEMTALLY_CLI_SHARINGREPORT_H
#define MEMTALLY_CLI_SHARINGREPORT_H

#include "cli/sharingrow.h"
#include "cli/sharingwalk.h"
#include "config/settings.h"

/* Of W, which is complete, and whose view RET borrows names of; SETTINGS say what a set is called. -ENOMEM. */
int sharing_report_make(
	const struct sharing_walk *w, const struct settings *settings, struct sharing_report *ret);

#endif
