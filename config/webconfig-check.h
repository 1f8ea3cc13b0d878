/* SPDX-License-Identifier: Apache-2.0 */
/* What must fit together in a web configuration whose settings are right by themselves. For the files of webconfig.h alone. */
#ifndef MEMTALLY_CONFIG_WEBCONFIG_CHECK_H
#define MEMTALLY_CONFIG_WEBCONFIG_CHECK_H

#include "config/events.h"
#include "config/webconfig-form.h"

/*
 * Whether C, of which all has been read and LINES says where, can be honoured as a whole. Completes it: whether TLS is on, and
 * the lines of what a TLS library may yet refuse. -EINVAL: refused, at the line of the setting that is in the way.
 */
int webconfig_check(struct events *e, struct webconfig *c, const struct webconfig_lines *lines);

#endif
