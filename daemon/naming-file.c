/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "daemon/naming-file.h"

#include "base/log.h"

int naming_file_load(const struct settings *settings, struct naming_rules **ret)
{
	char error[NAMING_ERRORS_SIZE];
	int r;

	if (!settings->naming_process_exporter) {
		*ret = NULL;
		return 0;
	}
	r = naming_rules_load(settings->naming_process_exporter, ret, error);
	if (r < 0)
		log_lines(LOG_LEVEL_ERROR, "", error);
	return r;
}
