/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include "tests/unit/asked.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/number.h"
#include "cli/memtally.h"

enum { ARGS_MAX = 16, KEY_SIZE = 64, OUTPUT_MAX = 1 << 20 };

void asked_done(struct asked *a)
{
	json_decref(a->json);
	buffer_done(&a->err);
}

/* Takes what was written to FD, and a terminator. */
static void take_text(int fd, struct buffer *ret)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(file_read_all(AT_FDCWD, path, OUTPUT_MAX, ret), 0);
	buffer_add_char(ret, '\0');
}

static int run(int out, int err, char **argv, int argc, struct tree_event *event)
{
	unsetenv("JOURNAL_STREAM");
	if (dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
		return 99;
	tree_expect(event, event ? 1 : 0);
	return memtally_run(argc, argv);
}

void asked_run(
	const struct tree *t, struct tree_event *event, const char *const *args, struct asked *ret)
{
	AUTO_CLOSE int out = memfd_create("out", MFD_CLOEXEC);
	AUTO_CLOSE int err = memfd_create("err", MFD_CLOEXEC);
	AUTO_BUFFER struct buffer text = {0};
	char procfs[64], *argv[ARGS_MAX] = {(char *)(uintptr_t) "memtally"};
	int argc = 1, status;
	pid_t child;

	snprintf(procfs, sizeof(procfs), "--path.procfs=%s", t->path);
	for (; *args; args++)
		argv[argc++] = (char *)(uintptr_t)*args;
	argv[argc++] = procfs;
	argv[argc++] = (char *)(uintptr_t) "--config.file=/dev/null";
	argv[argc++] = (char *)(uintptr_t) "--json";
	assert_true(argc < ARGS_MAX && out >= 0 && err >= 0);
	child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(run(out, err, argv, argc, event));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	*ret = (struct asked){.status = WEXITSTATUS(status)};
	take_text(err, &ret->err);
	take_text(out, &text);
	ret->json = json_loadb(text.data, text.len - 1, JSON_REJECT_DUPLICATES, NULL);
	if (!ret->json && text.len > 1)
		fail_msg("no JSON: %s (%s)", text.data, ret->err.data);
}

const json_t *asked_at(const struct asked *a, const char *path)
{
	const json_t *found = a->json;

	while (*path) {
		size_t len = strcspn(path, ".");
		char key[KEY_SIZE];
		uint64_t i;

		snprintf(key, sizeof(key), "%.*s", (int)len, path);
		found = number_scan_u64(key, strlen(key), &i) > 0 ? json_array_get(found, i)
		                                                  : json_object_get(found, key);
		path += len + (path[len] == '.');
	}
	return found;
}
