/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/table/line.h"

void line_begin(struct buffer *to, const char *name)
{
	buffer_printf(to, "%-12s", name);
}

void line_add_count(struct buffer *to, uint64_t count, const char *one, const char *many)
{
	buffer_add_u64(to, count);
	buffer_add_text(to, count == 1 ? one : many);
}
