/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/table/jsontext.h"

#include "cli/table/column.h"

void jsontext_add(struct buffer *to, const char *name, const char *text)
{
	buffer_add_text(to, ",\"");
	buffer_add_text(to, name);
	buffer_add_text(to, "\":");
	column_add_json_text(to, text);
}
