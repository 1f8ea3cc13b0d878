/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/image.h"

#include "base/text.h"
#include "render/json.h"
#include "render/prometheus.h"

enum { PIECE = 1000 };

/* Checks that lines are clean: no name has inserted an end of line. */
static void check_text(const struct buffer *b)
{
	fuzz_check(!b->error);
	for (size_t at = 0; at < b->len;) {
		const char *line = b->data + at, *end = memchr(line, '\n', b->len - at);
		size_t len = end ? (size_t)(end - line) : b->len - at;

		fuzz_check(text_is_clean(line, len));
		at += len + (end != NULL);
	}
}

static void render_list(const struct view *view, enum metric_scope scope)
{
	AUTO_BUFFER struct buffer to = {0};
	AUTO_FREE uint32_t *rows = NULL;
	struct json_list list = {.view = view, .scope = scope};
	struct query q;

	query_init(&q, scope);
	fuzz_check(query_run(&q, view, &rows, &list.count) == 0);
	list.rows = rows;
	json_render_head(view, 0, true, &to);
	while (json_list_render(&list, PIECE, &to)) {
		check_text(&to);
		buffer_clear(&to);
	}
	check_text(&to);
	fuzz_check(to.len >= 2 && !memcmp(to.data + to.len - 2, "]}", 2));
}

/* Any accepted image is rendered as clean text. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_VIEW struct view *view = NULL;
	AUTO_FREE uint8_t *image = image_open(data, size, &view);
	AUTO_BUFFER struct buffer to = {0};
	const struct sight all = {.kind = SIGHT_ALL};

	fuzz_check(image || !view);
	if (!view)
		return 0;
	for (int format = PROMETHEUS_TEXT; format < PROMETHEUS_FORMATS; format++)
		prometheus_render(view, &all, (enum prometheus_format)format, &to);
	json_render_host(view, &to);
	json_render_status(view, &to);
	for (uint32_t i = 0; i < view_count(view, METRIC_PROCESS); i++)
		json_render_process(view, view_process(view, i), &to);
	check_text(&to);
	for (int scope = METRIC_USER; scope <= METRIC_PROCESS; scope++)
		render_list(view, (enum metric_scope)scope);
	render_list(view, METRIC_FILE);
	return 0;
}
