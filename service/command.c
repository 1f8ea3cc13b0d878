/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "service/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "base/buffer.h"
#include "base/log.h"
#include "config/help.h"
#include "confine/inheritance.h"

/* Flushes standard output. Returns the exit status. */
static int command_flush(void)
{
	return fflush(stdout) || ferror(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int command_print_help(const struct command *c)
{
	AUTO_BUFFER struct buffer text = {0};
	char usage[64];

	snprintf(usage, sizeof(usage), "%s [OPTION...]", c->name);
	help_render(c->program, usage, c->purpose, &text);
	if (text.error)
		return EXIT_FAILURE;
	fwrite(text.data, 1, text.len, stdout);
	return command_flush();
}

int command_begin(const struct command *c, int argc, char *argv[], struct settings **ret)
{
	char error[SETTINGS_ERROR_SIZE];
	int given = sd_listen_fds(0), r;

	log_open(c->name, LOG_LEVEL_INFO);
	r = given < 0 ? given : inheritance_close((unsigned int)given);
	if (r < 0) {
		log_error("cannot close inherited descriptors: %s", strerror(-r));
		return EXIT_FAILURE;
	}
	r = settings_load(c->program, argc, argv, ret, error);
	if (r < 0) {
		log_lines(LOG_LEVEL_ERROR, "", error);
		return command_refused(r);
	}
	log_set_level((enum log_level)(*ret)->log_level);
	switch (settings_action(*ret)) {
	case SETTINGS_HELP: return command_print_help(c);
	case SETTINGS_VERSION: printf("%s " PACKAGE_VERSION "\n", c->name); return command_flush();
	case SETTINGS_CHECK: return COMMAND_CHECK;
	case SETTINGS_RUN: break;
	}
	return COMMAND_RUN;
}

int command_refused(int r)
{
	return r == -ENOMEM ? EXIT_FAILURE : COMMAND_MISUSE;
}

int command_say_good(const struct settings *settings)
{
	AUTO_BUFFER struct buffer text = {0};

	settings_say_good(settings, &text);
	if (text.error)
		return EXIT_FAILURE;
	puts(text.data);
	return command_flush();
}

void command_stop_at(int number, bool *stops)
{
	const char *name = sigabbrev_np(number);

	if (!*stops)
		log_info("stopping: SIG%s", name ? name : "?");
	*stops = true;
}
