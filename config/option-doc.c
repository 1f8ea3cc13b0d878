/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Man Page Generator
 *
 * Used by the build only. Copies a man page from standard input to standard output, and inserts the
 * option table at lines such as ".\" OPTIONS memtallyd" and ".\" KEYS".
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "config/help.h"

static void option_doc_add_part(const char *line, struct buffer *to)
{
	if (!strncmp(line, ".\\\" KEYS", 8))
		help_render_mdoc_keys(to);
	else if (!strncmp(line, ".\\\" OPTIONS ", 12))
		for (unsigned int p = PROGRAM_MEMTALLYD; p <= PROGRAM_MEMTALLY; p <<= 1) {
			const char *name = option_program_name((enum program)p);

			if (!strncmp(line + 12, name, strlen(name)) &&
				line[12 + strlen(name)] == '\n')
				help_render_mdoc((enum program)p, to);
		}
	else
		buffer_add_text(to, line);
}

int main(void)
{
	AUTO_BUFFER struct buffer out = {0};
	char line[4096];

	while (fgets(line, sizeof(line), stdin))
		option_doc_add_part(line, &out);
	if (out.error || fwrite(out.data, 1, out.len, stdout) != out.len || fflush(stdout))
		return 1;
	return 0;
}
