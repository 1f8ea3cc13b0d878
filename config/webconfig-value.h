/* SPDX-License-Identifier: Apache-2.0 */
/* What the text of a setting means, for each type there is (webconfig-form.h). For the files of webconfig.h alone. */
#ifndef MEMTALLY_CONFIG_WEBCONFIG_VALUE_H
#define MEMTALLY_CONFIG_WEBCONFIG_VALUE_H

#include "config/webconfig-form.h"

/*
 * Puts TEXT, of a list one of its items, into the field of S in C. A blank path, key or the like is as if it were not
 * there. -EINVAL: it is not what is expected; so is any text of a group or of users. -ENOMEM.
 */
int webconfig_value_set(const struct webconfig_setting *s, struct webconfig *c, const char *text);

#endif
