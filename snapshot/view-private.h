/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the sources of view: view.c, and view-check.c, which checks an image. */
#ifndef MEMTALLY_SNAPSHOT_VIEW_PRIVATE_H
#define MEMTALLY_SNAPSHOT_VIEW_PRIVATE_H

#include "snapshot/view.h"

/*
 * Checks the image of V, of which .data, .size and .header are set, and sets the sections. Returns 0;
 * -EPROTO, -EBADMSG or -ENOMEM, as view_open(), with *RET_REASON.
 */
int view_check(struct view *v, const char **ret_reason);

#endif
