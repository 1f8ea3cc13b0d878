/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/pass/survey-result.h"

#include <errno.h>
#include <string.h>

#include "base/saturate.h"
#include "base/text.h"

void survey_result_done(struct survey_result *c)
{
	buffer_done(&c->rows);
	buffer_done(&c->texts);
}

void survey_result_clear(struct survey_result *c)
{
	buffer_clear(&c->rows);
	buffer_clear(&c->texts);
	c->is_there = false;
	c->present = 0;
}

/*
 * Adds PATH. A clean path that fits is added as it is: its reader has escaped names that users
 * choose, and labels are memtally's own. A path that has to be cut is no label, but might look like
 * one where it is cut.
 */
static void survey_result_add_path(struct buffer *to, const char *path)
{
	size_t len = strlen(path);

	if (len <= SNAPSHOT_NAME_MAX - TEXT_RESERVED_MORE && text_is_clean(path, len))
		buffer_add(to, path, len);
	else
		text_add_name(to, path, len, SNAPSHOT_NAME_MAX);
}

void survey_result_add(struct survey_result *c, const struct snapshot_file *row, const char *path)
{
	struct snapshot_file copy = *row;

	copy.path = (uint32_t)c->texts.len;
	for (unsigned int i = 0; i < FILE_QUANTITIES; i++)
		copy.q[i] = saturate_min(copy.q[i], INT64_MAX);
	survey_result_add_path(&c->texts, path);
	buffer_add_char(&c->texts, '\0');
	buffer_add(&c->rows, &copy, sizeof(copy));
}

void survey_result_set(struct survey_result *c, enum survey_quantity i, uint64_t value)
{
	ROW_SET(c, i, saturate_min(value, INT64_MAX));
}

int survey_result_add_survey(const struct survey_result *c, uint64_t now_ns, struct builder *b)
{
	struct snapshot_survey *row;

	if (!c->is_there)
		return 0;
	row = builder_add_survey(b);
	if (!row)
		return -ENOMEM;
	row->present = c->present;
	memcpy(row->q, c->q, sizeof(row->q));
	ROW_SET(row, SURVEY_AGE, saturate_less(now_ns, c->ended_ns));
	ROW_SET(row, SURVEY_DURATION, saturate_less(c->ended_ns, c->begun_ns));
	return 0;
}

int survey_result_add_files(const struct survey_result *c, struct builder *b)
{
	size_t count = c->is_there ? c->rows.len / sizeof(struct snapshot_file) : 0;
	const struct snapshot_file *from = (const void *)c->rows.data;

	for (size_t i = 0; i < count; i++) {
		const char *path = c->texts.data + from[i].path;
		struct snapshot_file *row = builder_add_file(b);

		if (!row)
			return -ENOMEM;
		*row = from[i];
		row->path = builder_add_text(b, path, strlen(path));
	}
	return 0;
}
