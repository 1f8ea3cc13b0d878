/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/web/webdir.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>

#include "base/cleanup.h"
#include "tests/unit/support/folder.h"

void webdir_open(struct webdir *d)
{
	snprintf(d->path, sizeof(d->path), "/tmp/memtally-webdir-XXXXXX");
	assert_non_null(mkdtemp(d->path));
	snprintf(d->config, sizeof(d->config), "%s/web.yml", d->path);
}

void webdir_done(struct webdir *d)
{
	assert_int_equal(folder_remove(d->path), 0);
}

void webdir_write(const struct webdir *d, const char *name, const char *text)
{
	char file[96];
	FILE *to;

	snprintf(file, sizeof(file), "%s/%s", d->path, name);
	to = fopen(file, "we");
	assert_non_null(to);
	assert_true(fputs(text, to) >= 0);
	assert_int_equal(fclose(to), 0);
}

struct access *webdir_load(const struct webdir *d)
{
	char error[SETTINGS_ERROR_SIZE] = "";
	struct access *a = NULL;

	if (access_load(d->config, &a, NULL, error) != 0)
		fail_msg("%s", error);
	return a;
}
