/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/command.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/log.h"
#include "snapshot/owner.h"

int command_printed(int r)
{
	if (r == -ENOMEM)
		log_error("out of memory");
	else if (r < 0 && r != -EPIPE)
		log_error("cannot print: %s", strerror(-r));
	return r < 0 ? COMMAND_FAILED : COMMAND_GOOD;
}

int command_shown(int r)
{
	return r > 0 ? COMMAND_FAILED : command_printed(r);
}

int command_refuse(const char *error)
{
	size_t len = strlen(error);
	bool is_question = len && error[len - 1] == '?'; /* has a suggestion already */

	log_error("%s%s", len ? error : "out of memory", is_question ? "" : "; try --help");
	return COMMAND_MISUSED;
}

void command_say_unreadable(const struct settings *settings, int r)
{
	if (r == -EMEDIUMTYPE)
		log_error("%s is not a proc file system (check --path.procfs)",
			settings->path_procfs);
	else
		log_error("cannot read %s: %s", settings->path_procfs, strerror(-r));
}

size_t command_width(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_col;
}

void command_add_filters(const struct settings *settings, struct buffer *to)
{
	const struct {
		const char *flag;
		const struct text_list *values;
	} filters[] = {
		{"user", &settings->user},
		{"program", &settings->program},
		{"unit", &settings->unit},
		{"group", &settings->group},
		{"user_unit", &settings->user_unit},
		{"session", &settings->session},
		{"slice", &settings->slice},
		{"machine", &settings->machine},
		{"pod", &settings->pod},
		{"container", &settings->container},
		{"pid", &settings->pid},
	};

	for (size_t i = 0; i < ARRAY_SIZE(filters); i++)
		for (size_t j = 0; j < filters[i].values->count; j++)
			buffer_printf(to, " --%s=%s", filters[i].flag, filters[i].values->item[j]);
	if (to->error)
		buffer_clear(to);
}
