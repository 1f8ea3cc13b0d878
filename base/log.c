/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each line is one write(), so that lines of several processes do not mix. log_message() escapes
 * control characters first: a name from /proc or a path from a request can neither start a line of
 * its own nor control a terminal.
 */
#include "config.h"

#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/number.h"
#include "base/text.h"

static const char *log_program = "memtally";
static enum log_level log_max = LOG_LEVEL_INFO;
static bool log_prefix;

/*
 * Whole lines that are held back. A process writes them after a signal, or after a thread was killed
 * that held a lock of the allocator: so they are not allocated.
 */
enum { HELD_SIZE = 1 << 14 };
static bool log_holds;
static char log_held[HELD_SIZE];
static volatile size_t log_held_len;

/*
 * Returns true if standard error is the journal. systemd sets JOURNAL_STREAM to "DEVICE:INODE" of
 * the stream that it has connected, and every child inherits the variable (systemd.exec(5)). So the
 * variable alone proves nothing: a shell in a desktop session has it while its standard error is a
 * terminal.
 */
static bool is_journal(void)
{
	const char *text = getenv("JOURNAL_STREAM");
	const char *colon = text ? strchr(text, ':') : NULL;
	uint64_t device, inode;
	struct stat st;

	if (!colon || number_parse_u64(text, (size_t)(colon - text), &device) < 0 ||
		number_parse_u64(colon + 1, strlen(colon + 1), &inode) < 0)
		return false;
	return fstat(STDERR_FILENO, &st) == 0 && st.st_dev == device && st.st_ino == inode;
}

void log_open(const char *program, enum log_level level)
{
	log_program = program;
	log_max = level;
	log_prefix = is_journal();
}

void log_set_level(enum log_level level)
{
	log_max = level;
}

static void log_write(const void *data, size_t len)
{
	if (write(STDERR_FILENO, data, len) < 0)
		return; /* no reader: there is nowhere to report it */
}

void log_hold(void)
{
	log_holds = true;
}

static void log_write_held(void)
{
	size_t len = log_held_len;

	log_held_len = 0;
	for (size_t at = 0; at < len;) {
		const char *line = log_held + at, *end = memchr(line, '\n', len - at);

		log_write(line, (size_t)(end - line) + 1);
		at += (size_t)(end - line) + 1;
	}
}

void log_release(void)
{
	log_write_held();
	log_holds = false;
}

/* Holds LINE back. If there is no room, writes those that were held back before. */
static void log_keep(const struct buffer *line)
{
	if (line->len > HELD_SIZE - log_held_len)
		log_write_held();
	memcpy(log_held + log_held_len, line->data, line->len);
	log_held_len += line->len;
}

void log_message(enum log_level level, const char *format, ...)
{
	static const char *const priority[] = {"<3>", "<4>", "<6>", "<7>"};
	static const char *const word[] = {"error: ", "warning: ", "", "debug: "};
	AUTO_BUFFER struct buffer line = {0};
	char text[1024];
	va_list args;

	if (level > log_max)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (log_prefix)
		buffer_add_text(&line, priority[level]);
	else
		buffer_printf(&line, "%s: %s", log_program, word[level]);
	text_add_clean(&line, text, strlen(text));
	buffer_add_char(&line, '\n');
	if (line.error)
		return;
	if (log_holds && level == LOG_LEVEL_WARNING && line.len <= HELD_SIZE)
		log_keep(&line);
	else
		log_write(line.data, line.len);
}

void log_lines(enum log_level level, const char *before, const char *text)
{
	for (;;) {
		size_t len = strcspn(text, "\n");

		log_message(level, "%s%.*s", before, (int)len, text);
		if (!text[len])
			return;
		text += len + 1;
	}
}

bool log_limit_pass(struct log_limit *limit, uint64_t now_ns, uint64_t *ret_suppressed)
{
	if (limit->last_ns && now_ns - limit->last_ns < limit->interval_ns) {
		limit->suppressed++;
		return false;
	}
	*ret_suppressed = limit->suppressed;
	limit->suppressed = 0;
	limit->last_ns = now_ns;
	return true;
}
