/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "snapshot/view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/array.h"
#include "base/os/memfd.h"
#include "snapshot/view-private.h"

static int view_new(
	const void *data, size_t size, size_t mapped, struct view **ret, const char **ret_reason)
{
	AUTO_VIEW struct view *v = calloc(1, sizeof(*v));
	int r;

	if (!v) {
		*ret_reason = "out of memory";
		return -ENOMEM;
	}
	*v = (struct view){.data = data, .size = size, .refs = 1, .header = data};
	r = view_check(v, ret_reason);
	if (r < 0)
		return r;
	v->mapped = mapped;
	*ret = TAKE_PTR(v);
	return 0;
}

int view_from_bytes(const void *data, size_t size, struct view **ret, const char **ret_reason)
{
	return view_new(data, size, 0, ret, ret_reason);
}

int view_open(int fd, struct view **ret, const char **ret_reason)
{
	size_t size;
	void *data;
	int r = memfd_check_sealed(fd, IMAGE_SIZE_MAX, &size);

	if (r < 0) {
		*ret_reason = r == -EFBIG ? "too large" : "not a sealed memory file";
		return r;
	}
	data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED) {
		*ret_reason = "cannot be mapped";
		return -errno;
	}
	r = view_new(data, size, size, ret, ret_reason);
	if (r < 0)
		munmap(data, size);
	return r;
}

void view_rest(const struct view *view)
{
	if (view->mapped)
		(void)madvise((void *)(uintptr_t)view->data, view->mapped, MADV_DONTNEED);
}

struct view *view_ref(struct view *view)
{
	view->refs++;
	return view;
}

struct view *view_unref(struct view *view)
{
	if (!view || --view->refs)
		return NULL;
	if (view->mapped)
		munmap((void *)(uintptr_t)view->data, view->mapped);
	for (size_t i = 0; i < SECTION_KIND_END_; i++)
		free(view->widened[i]);
	free(view);
	return NULL;
}

enum image_section_kind view_section_kind(enum metric_scope scope)
{
	switch (scope) {
	case METRIC_HOST: return SECTION_HOST;
	case METRIC_PROCESS: return SECTION_PROCESSES;
	case METRIC_SELF: return SECTION_SELF;
	case METRIC_BALANCE: return SECTION_BALANCE;
	case METRIC_SURVEY: return SECTION_SURVEY;
	case METRIC_FILE: return SECTION_FILES;
	case METRIC_SHMEM:
	case METRIC_TMPFS: return SECTION_HOLDINGS;
	default: return (enum image_section_kind)(SECTION_OWNERS + metric_owner_kind(scope));
	}
}

bool view_count_dropped(const struct view *view, enum metric_scope scope, uint32_t *ret)
{
	uint32_t dropped = 0;

	if (scope == METRIC_PROCESS && (view_is_public(view) || view_is_own(view)))
		return false;
	for (uint32_t i = 0; i < view_count(view, scope); i++)
		if (scope == METRIC_PROCESS)
			dropped += !(view_process(view, i)->flags & PROCESS_EXPORTED);
		else
			dropped += !(
				view_scope(view, scope, i)->flags & (SCOPE_EXPORTED | SCOPE_OTHER));
	*ret = dropped;
	return true;
}

const struct snapshot_process *view_find_process(const struct view *view, uint32_t pid)
{
	uint32_t count = view_count(view, METRIC_PROCESS);
	uint32_t at = (uint32_t)ARRAY_FIRST(count, i, view_process(view, (uint32_t)i)->pid >= pid);

	return at < count && view_process(view, at)->pid == pid ? view_process(view, at) : NULL;
}

const struct snapshot_histogram *view_find_histogram(const struct view *view, uint32_t id)
{
	for (uint32_t i = 0; i < view->section[SECTION_HISTOGRAMS].count; i++)
		if (view_histogram(view, i)->id == id)
			return view_histogram(view, i);
	return NULL;
}

void view_format_instance(const struct view *view, char to[static VIEW_INSTANCE_TEXT_SIZE])
{
	for (size_t i = 0; i < IMAGE_INSTANCE_SIZE; i++)
		snprintf(to + 2 * i, 3, "%02x", view->header->instance[i]);
}
