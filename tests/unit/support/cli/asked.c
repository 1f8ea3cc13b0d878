/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/cli/asked.h"

#include "base/number.h"
#include "cli/memtally.h"

enum { ARGS_MAX = 16, KEY_SIZE = 64 };

struct question {
	char *argv[ARGS_MAX];
	int argc;
	struct tree_event *event;
};

void asked_done(struct asked *a)
{
	json_decref(a->json);
	buffer_done(&a->err);
}

static int ask(void *context)
{
	struct question *q = context;

	tree_expect(q->event, q->event ? 1 : 0);
	return memtally_run(q->argc, q->argv);
}

void asked_text(const struct tree *t, struct tree_event *event, const char *const *args,
	struct running *ret)
{
	struct question q = {.argv = {(char *)(uintptr_t) "memtally"}, .argc = 1, .event = event};
	char procfs[64];

	snprintf(procfs, sizeof(procfs), "--path.procfs=%s", t->path);
	q.argv[q.argc++] = procfs;
	q.argv[q.argc++] = (char *)(uintptr_t) "--config.file=/dev/null";
	for (; *args; args++) {
		assert_true(q.argc < ARGS_MAX - 1);
		q.argv[q.argc++] = (char *)(uintptr_t)*args;
	}
	running_do(ask, &q, -1, ret);
}

void asked_run(
	const struct tree *t, struct tree_event *event, const char *const *args, struct asked *ret)
{
	const char *all[ARGS_MAX] = {"--json"};
	AUTO_RUNNING struct running r = {.status = 0};

	for (size_t i = 0; args[i]; i++) {
		assert_true(i + 2 < ARGS_MAX);
		all[i + 1] = args[i];
	}
	asked_text(t, event, all, &r);
	*ret = (struct asked){.status = r.status,
		.json = json_loadb(r.out.data, r.out.len - 1, JSON_REJECT_DUPLICATES, NULL)};
	buffer_add_text(&ret->err, r.err.data);
	buffer_add_char(&ret->err, '\0');
	if (!ret->json && r.out.len > 1)
		fail_msg("no JSON: %s (%s)", r.out.data, r.err.data);
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
