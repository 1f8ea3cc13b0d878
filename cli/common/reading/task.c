/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/reading/task.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/os/file.h"
#include "collectors/procfs/procfs.h"

enum { TEXT_SIZE = 512 };

/*
 * Reads the file NAME of task PID into TEXT. Returns its length, less than TEXT_SIZE, or a negative
 * errno.
 */
static ssize_t task_read_text(pid_t pid, const char *name, char text[static TEXT_SIZE])
{
	AUTO_CLOSE int proc_fd = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char path[64];
	size_t len;
	int e;

	if (proc_fd < 0 || !procfs_is_ours(proc_fd))
		return -ENOENT;
	snprintf(path, sizeof(path), "%d/%s", (int)pid, name);
	e = file_read(proc_fd, path, text, TEXT_SIZE, &len);
	return e < 0 ? e : (ssize_t)len;
}

char task_state(pid_t pid)
{
	char text[TEXT_SIZE];
	ssize_t len = task_read_text(pid, "stat", text);
	const char *end = len > 0 ? memrchr(text, ')', (size_t)len) : NULL;

	return end && text + len - end > 2 ? end[2] : '?';
}

int task_parse_call(const char *text, size_t len, struct task_call *ret)
{
	struct task_call call = {.number = TASK_NO_CALL};
	uint64_t number;
	size_t at;
	int digits;

	if (len >= 2 && memcmp(text, "-1", 2) == 0) {
		*ret = call;
		return 0;
	}
	digits = number_scan_u64(text, len, &number);
	if (digits <= 0 || number > INT32_MAX)
		return -EBADMSG;
	call.number = (long)number;
	at = (size_t)digits;
	for (size_t i = 0; i < ARRAY_SIZE(call.argument); i++) {
		if (len < at + 3 || memcmp(text + at, " 0x", 3) != 0)
			return -EBADMSG;
		at += 3;
		digits = number_scan_hex(text + at, len - at, &call.argument[i]);
		if (digits <= 0)
			return -EBADMSG;
		at += (size_t)digits;
	}
	*ret = call;
	return 0;
}

int task_call(pid_t pid, struct task_call *ret)
{
	char text[TEXT_SIZE];
	ssize_t len = task_read_text(pid, "syscall", text);

	return len < 0 ? (int)len : task_parse_call(text, (size_t)len, ret);
}

bool task_is_in_call(pid_t pid)
{
	struct task_call call;

	return task_call(pid, &call) < 0 || call.number != TASK_NO_CALL;
}

static void name_path(const char *path, char to[static TASK_FILE_SIZE])
{
	const char *slash = strrchr(path, '/');

	if (strstr(path, "map_files/"))
		slash = "/map_files";
	snprintf(to, TASK_FILE_SIZE, "%s", slash ? slash + 1 : path);
}

static void name_descriptor(uint64_t fd, char to[static TASK_FILE_SIZE])
{
	char path[64], link[256];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", (int)fd);
	len = readlink(path, link, sizeof(link) - 1);
	if (len <= 0)
		return;
	link[len] = '\0';
	name_path(link, to);
}

void task_name_file(const struct task_call *call, char to[static TASK_FILE_SIZE])
{
	to[0] = '\0';
	switch (call->number) {
	case SYS_read:
	case SYS_pread64:
	case SYS_ioctl: name_descriptor(call->argument[0], to); break;
	case SYS_openat:
	case SYS_readlinkat:
	case SYS_faccessat:
	case SYS_statx:
#ifdef SYS_newfstatat
	case SYS_newfstatat:
#endif
#ifdef SYS_fstatat64 /* i386, arm */
	case SYS_fstatat64:
#endif
		if (call->argument[1])
			name_path((const char *)(uintptr_t)call->argument[1], to);
		break;
	case SYS_kcmp: snprintf(to, TASK_FILE_SIZE, "kcmp()"); break;
	default: break;
	}
}
