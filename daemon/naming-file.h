/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the rules that the setting naming.process_exporter names. */
#ifndef MEMTALLY_DAEMON_NAMING_FILE_H
#define MEMTALLY_DAEMON_NAMING_FILE_H

#include "base/cleanup.h"
#include "config/settings.h"
#include "naming/rules.h"

/*
 * Loads the rules that SETTINGS name into *RET, which the caller frees with naming_rules_free();
 * NULL: they name none. Returns 0, or an error of naming_rules_load(): then each fault has been
 * logged.
 */
int naming_file_load(const struct settings *settings, struct naming_rules **ret);

static inline void cleanup_naming_rules(struct naming_rules **r)
{
	naming_rules_free(*r);
}
#define AUTO_NAMING_RULES CLEANUP(cleanup_naming_rules)

#endif
