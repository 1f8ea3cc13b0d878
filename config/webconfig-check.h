/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks whether settings of the web configuration that are valid by themselves fit together. Only
 * for the files of webconfig.h.
 */
#ifndef MEMTALLY_CONFIG_WEBCONFIG_CHECK_H
#define MEMTALLY_CONFIG_WEBCONFIG_CHECK_H

#include "config/events.h"
#include "config/webconfig-form.h"

/*
 * Checks that the settings of C, which has been read to the end, fit together. Skips groups that
 * have faults, which LINES tells. Completes C: whether TLS is on, and the lines of settings that a
 * TLS library may refuse later. Reports a fault at the line of each wrong setting. Returns 0;
 * -EINVAL if there are faults, of this check or of the reading before.
 */
int webconfig_check(struct events *e, struct webconfig *c, const struct webconfig_lines *lines);

#endif
