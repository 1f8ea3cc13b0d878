/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/program.h"

#include <string.h>

#include "base/text.h"
#include "snapshot/record.h"

void program_name(
	const char *comm, size_t comm_len, const char *exe, size_t exe_len, struct buffer *to)
{
	static const char deleted[] = " (deleted)"; /* the kernel's mark */
	static const char our_mark[] = " [deleted]";
	const size_t most = SNAPSHOT_NAME_MAX - (sizeof(our_mark) - 1);
	const size_t mark = sizeof(deleted) - 1;
	bool is_deleted = false;
	size_t before = to->len;

	if (exe && exe_len > mark && !memcmp(exe + exe_len - mark, deleted, mark)) {
		is_deleted = true;
		exe_len -= mark;
	}
	if (exe) {
		const char *slash = memrchr(exe, '/', exe_len);

		if (slash) {
			exe_len -= (size_t)(slash + 1 - exe);
			exe = slash + 1;
		}
	}
	if (exe && exe_len >= comm_len && !memcmp(exe, comm, comm_len)) {
		text_add_clean_max(to, exe, exe_len, most);
		if (is_deleted)
			buffer_add_text(to, our_mark);
	} else {
		text_add_clean_max(to, comm, comm_len, most);
	}
	if (to->len == before)
		buffer_add_text(to, "(unnamed)");
}
