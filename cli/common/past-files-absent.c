/* SPDX-License-Identifier: Apache-2.0 */
/* A build without memtally-recorder cannot read its files. */
#include "config.h"

#include <errno.h>

#include "cli/common/past-files.h"

int past_files_open(const char *directory, struct past_files **ret, struct buffer *reason)
{
	(void)ret;
	buffer_printf(reason, "cannot read %s: this build was configured with --disable-recorder",
		directory);
	return -ENOTSUP;
}

struct past_files *past_files_close(struct past_files *f)
{
	(void)f;
	return NULL;
}

int past_files_ask(struct past_files *f, const struct past_request *q, struct past_answer *ret,
	const char **ret_why)
{
	(void)f;
	(void)q;
	*ret = (struct past_answer){.points = NULL};
	*ret_why = "this build cannot read recordings";
	return -ENOTSUP;
}
