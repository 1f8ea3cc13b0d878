/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot as its readers see it. The whole image is checked once, when it is opened; afterwards every offset, name and
 * value in it is known to be good and is used without further checks. An image with one wrong byte in its structure is
 * refused as a whole: it means a bug or a break-in.
 *
 * Images of other minor versions are read, too. Sections and quantities of newer versions are ignored; quantities that an
 * older version lacks are absent.
 */
#ifndef MEMTALLY_SNAPSHOT_VIEW_H
#define MEMTALLY_SNAPSHOT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "snapshot/image.h"
#include "snapshot/metric.h"
#include "snapshot/record.h"

struct view_section {
	const unsigned char *data;
	uint32_t stride;
	uint32_t count;
};

struct view {
	const unsigned char *data;
	size_t size;
	size_t mapped; /* bytes to unmap at the end; 0 where DATA is borrowed */
	unsigned int refs;
	const struct image_header *header;
	struct view_section section[SECTION_KIND_END_];
	void *widened[SECTION_KIND_END_]; /* owned: copies of an older minor version's sections */
};

/*
 * Maps and validates the image in FD, which is borrowed and may be closed afterwards. It must be a
 * sealed memfd. The mapping is private: a write-sealed memfd can't be mapped shared before Linux 6.7.
 * -EINVAL, -EFBIG, -EPROTO (another major version) or -EBADMSG, with *ret_reason a constant text that
 * says what is wrong; or mmap's and fstat's errors.
 */
int view_open(int fd, struct view **ret, const char **ret_reason);

/* The same over bytes, which stay borrowed; aligned to 8. */
int view_from_bytes(const void *data, size_t size, struct view **ret, const char **ret_reason);

/* Gives its pages back until they are used again, where it is mapped. */
void view_rest(const struct view *view);

struct view *view_ref(struct view *view);
struct view *view_unref(struct view *view); /* accepts NULL; returns NULL */

static inline void cleanup_view(struct view **view)
{
	view_unref(*view);
}
#define AUTO_VIEW CLEANUP(cleanup_view)

/* The section that holds rows of SCOPE. */
enum image_section_kind view_section_kind(enum metric_scope scope);

/* How many rows SCOPE has: owners (with "(other)"), processes; 1 for the host. */
static inline uint32_t view_count(const struct view *view, enum metric_scope scope)
{
	return view->section[view_section_kind(scope)].count;
}

static inline const struct snapshot_scope *view_scope(
	const struct view *view, enum metric_scope scope, uint32_t i)
{
	const struct view_section *s = &view->section[view_section_kind(scope)];

	return (const void *)(s->data + (size_t)s->stride * i);
}

static inline const struct snapshot_process *view_process(const struct view *view, uint32_t i)
{
	const struct view_section *s = &view->section[SECTION_PROCESSES];

	return (const void *)(s->data + (size_t)s->stride * i);
}

/* The place of ROW, which is one of VIEW's processes: the index with which view_process() returns it. */
static inline uint32_t view_process_index(
	const struct view *view, const struct snapshot_process *row)
{
	const struct view_section *s = &view->section[SECTION_PROCESSES];

	return (uint32_t)((size_t)((const unsigned char *)row - s->data) / s->stride);
}

static inline const struct snapshot_scope *view_host(const struct view *view)
{
	return (const void *)view->section[SECTION_HOST].data;
}

static inline const struct snapshot_self *view_self(const struct view *view)
{
	return (const void *)view->section[SECTION_SELF].data;
}

/* Where the host's memory is, or NULL: the image does not say. */
static inline const struct snapshot_balance *view_balance(const struct view *view)
{
	return (const void *)view->section[SECTION_BALANCE].data;
}

/* How many holdings there are of all kinds; of kinds that a newer version knows, too. */
static inline uint32_t view_holding_count(const struct view *view)
{
	return view->section[SECTION_HOLDINGS].count;
}

static inline const struct snapshot_holding *view_holding(const struct view *view, uint32_t i)
{
	const struct view_section *s = &view->section[SECTION_HOLDINGS];

	return (const void *)(s->data + (size_t)s->stride * i);
}

/* What the last survey of mapped files found, or NULL: there was none yet, or there is to be none. */
static inline const struct snapshot_survey *view_survey(const struct view *view)
{
	return (const void *)view->section[SECTION_SURVEY].data;
}

/* A file; view_count() of METRIC_FILE says how many there are. */
static inline const struct snapshot_file *view_file(const struct view *view, uint32_t i)
{
	const struct view_section *s = &view->section[SECTION_FILES];

	return (const void *)(s->data + (size_t)s->stride * i);
}

static inline const struct snapshot_histogram *view_histogram(const struct view *view, uint32_t i)
{
	const struct view_section *s = &view->section[SECTION_HISTOGRAMS];

	return (const void *)(s->data + (size_t)s->stride * i);
}

/* The text at REF, an offset out of a row of the same image: clean (base/text.h) and terminated. */
static inline const char *view_text(const struct view *view, uint32_t ref)
{
	return (const char *)view->section[SECTION_STRINGS].data + ref;
}

/* The name of the owner of that kind of ROW, a process's. */
static inline const char *view_owner(
	const struct view *view, const struct snapshot_process *row, enum owner_kind kind)
{
	return view_text(view, row->owner[kind]);
}

/*
 * How many rows of SCOPE, owners' or METRIC_PROCESS, have no series of their own. False: it is not known, since a public
 * image has no processes.
 */
bool view_count_dropped(const struct view *view, enum metric_scope scope, uint32_t *ret);

/* The row of process PID by binary search, or NULL. */
const struct snapshot_process *view_find_process(const struct view *view, uint32_t pid);

/* The histogram of that kind (enum snapshot_histogram_id), or NULL. */
const struct snapshot_histogram *view_find_histogram(const struct view *view, uint32_t id);

/* Whether readers must no longer show VIEW's figures as present; NOW on CLOCK_BOOTTIME. */
static inline bool view_is_stale(const struct view *view, uint64_t now_boottime_ns)
{
	return now_boottime_ns >= view->header->stale_ns;
}

/* Nanoseconds since the snapshot was complete. */
static inline uint64_t view_age_ns(const struct view *view, uint64_t now_boottime_ns)
{
	uint64_t at = view->header->boottime_ns;

	return now_boottime_ns > at ? now_boottime_ns - at : 0;
}

static inline bool view_is_complete(const struct view *view)
{
	return view->header->flags & IMAGE_COMPLETE;
}

static inline bool view_is_public(const struct view *view)
{
	return view->header->flags & IMAGE_PUBLIC;
}

enum { VIEW_INSTANCE_TEXT_SIZE = 2 * IMAGE_INSTANCE_SIZE + 1 };

/* The instance in hexadecimal, terminated. */
void view_format_instance(const struct view *view, char to[static VIEW_INSTANCE_TEXT_SIZE]);

#endif
