/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "base/faults.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { UNSAID_SIZE = 48 }; /* "\nand N more" */

void faults_init(struct faults *f, const char *path, char *error, size_t size)
{
	*f = (struct faults){.path = path, .error = error, .size = size};
	error[0] = 0;
}

static void faults_join_lines(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = ' ';
}

void faults_format(const struct faults *f, char text[static FAULTS_LINE_SIZE], size_t line,
	const char *format, va_list args)
{
	int n = snprintf(text, FAULTS_LINE_SIZE, "%s:%zu: ", f->path, line);

	if (n >= 0 && n < FAULTS_LINE_SIZE)
		vsnprintf(text + n, FAULTS_LINE_SIZE - (size_t)n, format, args);
	faults_join_lines(text);
}

void faults_add_text(struct faults *f, const char *text)
{
	size_t len = strlen(text), line_break = f->count ? 1 : 0;

	f->count++;
	if (f->unsaid || f->len + line_break + len + UNSAID_SIZE > f->size) {
		f->unsaid++;
		snprintf(f->error + f->len, f->size - f->len, "\nand %zu more", f->unsaid);
		return;
	}
	if (line_break)
		f->error[f->len++] = '\n';
	memcpy(f->error + f->len, text, len + 1);
	f->len += len;
}

int faults_add(struct faults *f, size_t line, const char *format, ...)
{
	char text[FAULTS_LINE_SIZE];
	va_list args;

	va_start(args, format);
	faults_format(f, text, line, format, args);
	va_end(args);
	faults_add_text(f, text);
	return -EINVAL;
}
