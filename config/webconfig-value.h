/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the text of a setting according to its type (webconfig-form.h). Only for the files of
 * webconfig.h.
 */
#ifndef MEMTALLY_CONFIG_WEBCONFIG_VALUE_H
#define MEMTALLY_CONFIG_WEBCONFIG_VALUE_H

#include "config/webconfig-form.h"

/*
 * Sets the field of S in C from TEXT; for a list, TEXT is one of its items and is added. An empty
 * PEM text, path, header or client_auth_type counts as not given. Returns 0; -EINVAL or -ERANGE if
 * TEXT is not what S expects, or if S is a group or the users; -ENOMEM.
 */
int webconfig_value_set(const struct webconfig_setting *s, struct webconfig *c, const char *text);

#endif
