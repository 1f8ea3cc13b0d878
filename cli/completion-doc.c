/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completion Generator
 *
 * Used by the build only. Prints the script with which the shell that its argument names completes
 * the command line of memtally: bash, zsh or fish.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "cli/completion/completion.h"
#include "cli/memtally.h"

int main(int argc, char *argv[])
{
	static const struct {
		const char *shell;
		void (*render)(const struct command *commands, struct buffer *to);
	} shells[] = {
		{"bash", completion_render_bash},
		{"zsh", completion_render_zsh},
		{"fish", completion_render_fish},
	};
	AUTO_BUFFER struct buffer out = {0};

	for (size_t i = 0; argc == 2 && i < ARRAY_SIZE(shells); i++)
		if (!strcmp(argv[1], shells[i].shell))
			shells[i].render(memtally_commands(), &out);
	if (out.error || !out.len || fwrite(out.data, 1, out.len, stdout) != out.len ||
		fflush(stdout))
		return 1;
	return 0;
}
