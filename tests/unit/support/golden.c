/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/golden.h"

#include <fcntl.h>

#include "base/os/file.h"

enum { GOLDEN_MAX = 1 << 20 };

static void update(const char *path, const struct buffer *body)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(body->data, 1, body->len, file), body->len);
	assert_int_equal(fclose(file), 0);
}

void golden_check(const char *name, const struct buffer *body)
{
	AUTO_BUFFER struct buffer golden = {0};
	const char *source = getenv("MEMTALLY_SOURCE");
	AUTO_FREE char *path = NULL;
	size_t at = 0;

	assert_true(
		asprintf(&path, "%s/tests/fixtures/golden/%s", source ? source : ".", name) > 0);
	if (getenv("UPDATE_GOLDEN")) {
		update(path, body);
		return;
	}
	if (file_read_all(AT_FDCWD, path, GOLDEN_MAX, &golden) < 0)
		fail_msg("%s cannot be read; is MEMTALLY_SOURCE set?", path);
	while (at < golden.len && at < body->len && golden.data[at] == body->data[at])
		at++;
	if (at == golden.len && at == body->len)
		return;
	fail_msg(
		"differs from %s at byte %zu (UPDATE_GOLDEN=1 renews the file): '%.*s'; expected '%.*s'",
		name, at, (int)(body->len - at < 80 ? body->len - at : 80), body->data + at,
		(int)(golden.len - at < 80 ? golden.len - at : 80), golden.data + at);
}
