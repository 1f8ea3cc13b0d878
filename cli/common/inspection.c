/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/inspection.h"

#include "cli/common/command.h"
#include "cli/common/reading/supervisor.h"

void inspection_done(struct inspection *i)
{
	pid_selection_done(&i->chosen);
}

/* The context of inspection_work(). */
struct showing {
	inspection_show *show;
	struct inspection *inspection;
};

static int inspection_work(void *context)
{
	const struct showing *s = context;

	return command_shown(s->show(s->inspection));
}

int inspection_run(const struct settings *settings, bool is_check, enum cli_view view,
	inspection_parse *parse, inspection_show *show)
{
	AUTO_INSPECTION struct inspection i = {.settings = settings};
	struct showing showing = {.show = show, .inspection = &i};
	char error[CLI_OPTION_ERROR_SIZE] = "";
	int r = cli_option_check(settings, view, error);

	if (r == 0)
		r = parse(&i, error);
	if (r < 0)
		return command_refuse(error);
	if (is_check)
		return COMMAND_GOOD;
	return supervisor_run(settings->path_procfs, inspection_work, &showing);
}
