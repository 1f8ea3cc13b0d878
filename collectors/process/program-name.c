/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/process/program-name.h"

#include <string.h>

#include "base/text.h"
#include "snapshot/record.h"

/*
 * simple_dname() (fs/d_path.c) prints a memfd as "/memfd:NAME (deleted)" in every mount namespace.
 * Since Linux 6.14 comm begins with NAME, too; before, it is the number of the descriptor. Neither
 * is the same at each start of a program.
 */
static bool is_memfd(const char *exe, size_t len)
{
	static const char memfd[] = "/memfd:";

	return len >= sizeof(memfd) - 1 && !memcmp(exe, memfd, sizeof(memfd) - 1);
}

void program_name_make(
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
		if (is_memfd(exe, exe_len)) {
			buffer_add_text(to, PROGRAM_NAME_MEMFD);
			return;
		}
	}
	if (exe) {
		const char *slash = memrchr(exe, '/', exe_len);

		if (slash) {
			exe_len -= (size_t)(slash + 1 - exe);
			exe = slash + 1;
		}
	}
	if (exe && exe_len >= comm_len && !memcmp(exe, comm, comm_len)) {
		text_add_name(to, exe, exe_len, most);
		if (is_deleted)
			buffer_add_text(to, our_mark);
	} else {
		text_add_name(to, comm, comm_len, most);
	}
	if (to->len == before)
		buffer_add_text(to, "(unnamed)");
}
