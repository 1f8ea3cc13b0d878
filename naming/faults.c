/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "naming/faults.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { UNSAID_SIZE = 48 }; /* "\nand N more" */

void faults_init(struct faults *f, const char *path, char error[static NAMING_ERRORS_SIZE])
{
	*f = (struct faults){.path = path, .error = error};
	error[0] = 0;
}

static void faults_join_lines(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = ' ';
}

static void faults_append(struct faults *f, const char *fault)
{
	size_t len = strlen(fault), line_break = f->count ? 1 : 0;

	f->count++;
	if (f->unsaid || f->len + line_break + len + UNSAID_SIZE > NAMING_ERRORS_SIZE) {
		f->unsaid++;
		snprintf(f->error + f->len, NAMING_ERRORS_SIZE - f->len, "\nand %zu more",
			f->unsaid);
		return;
	}
	if (line_break)
		f->error[f->len++] = '\n';
	memcpy(f->error + f->len, fault, len + 1);
	f->len += len;
}

int faults_add(struct faults *f, size_t line, const char *format, ...)
{
	char fault[NAMING_FAULT_SIZE];
	va_list args;
	int n = snprintf(fault, sizeof(fault), "%s:%zu: ", f->path, line);

	if (n >= 0 && (size_t)n < sizeof(fault)) {
		va_start(args, format);
		vsnprintf(fault + n, sizeof(fault) - (size_t)n, format, args);
		va_end(args);
	}
	faults_join_lines(fault);
	faults_append(f, fault);
	return -EINVAL;
}
