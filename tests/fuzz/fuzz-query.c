/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include "snapshot/query.h"
#include "tests/unit/support/snapshot/sample.h"

/* Each line "key=value" is a parameter. The first byte of the input chooses the list. */
static void set_all(struct query *q, char *text)
{
	char *rest = text;

	for (char *line; (line = strsep(&rest, "\n"));) {
		char error[QUERY_ERROR_SIZE] = "", *value = strchr(line, '=');

		if (value)
			*value++ = 0;
		if (query_set(q, line, value ? value : "", error) < 0)
			fuzz_check(*error);
	}
}

/* Fuzzes selection and sorting of rows. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct view *view;
	AUTO_FREE char *text = NULL;
	AUTO_FREE uint32_t *rows = NULL;
	size_t count = 0;
	struct query q;

	if (!view)
		view = sample_open(NULL);
	if (!size)
		return 0;
	text = fuzz_text(data + 1, size - 1);
	query_init(
		&q, data[0] == 'f' ? METRIC_FILE : (enum metric_scope)(METRIC_USER + data[0] % 4));
	set_all(&q, text);
	fuzz_check(query_run(&q, view, &rows, &count) == 0);
	fuzz_check(count <= view_count(view, q.scope) && (!q.limit || count <= q.limit));
	for (size_t i = 0; i < count; i++)
		fuzz_check(rows[i] < view_count(view, q.scope));
	return 0;
}
